//! Makes many runs out of a recorded one, as a program's nightly runs would be: the same arguments always give the same
//! bytes.
//!
//!     rustc -O benches/fleet.rs
//!     ./fleet callgrind.out.1234 nightly 200 DIR                      DIR/nightly.0001 to DIR/nightly.0200
//!     ./fleet callgrind.out.1234 nightly 200 DIR 'decode@60+3'        from run 60 on, decode costs 3 % more
//!
//! Each function costs up to 0.2 % more or less than it did, in each run by another amount; calls and what they cost stay
//! as they were recorded. The totals are those of the new costs. A run says what it is called (`desc: Label:`) and a commit
//! of its own. The profile is a plain file of Callgrind's with one part and without `--dump-instr`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a program of its own, outside of the library's rules
#![allow(dead_code)] // a test includes it as a module

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some((&[profile, name, count, folder], steps)) = arguments.split_first_chunk::<4>() else {
        return usage();
    };
    let (Ok(count), Some(steps)) = (
        count.parse(),
        steps.iter().map(|step| Step::read(step)).collect(),
    ) else {
        return usage();
    };
    let steps: Vec<Step> = steps;
    match fs::read_to_string(profile)
        .and_then(|text| write(&text, name, count, Path::new(folder), &steps))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fleet: {profile}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: fleet PROFILE NAME COUNT DIR [FUNCTION@RUN+PERCENT]...");
    ExitCode::from(2)
}

/// From one run on, a function costs more.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Its name.
    pub function: String,
    /// The first run, from 1.
    pub run: u64,
    /// How much more.
    pub percent: u64,
}

impl Step {
    /// `FUNCTION@RUN+PERCENT`.
    pub fn read(text: &str) -> Option<Step> {
        let (function, rest) = text.rsplit_once('@')?;
        let (run, percent) = rest.split_once('+')?;
        Some(Step {
            function: function.to_owned(),
            run: run.parse().ok()?,
            percent: percent.parse().ok()?,
        })
    }
}

/// What a run is called.
pub fn name(of: &str, run: u64) -> String {
    format!("{of}.{run:04}")
}

/// Writes so many runs.
pub fn write(
    profile: &str,
    of: &str,
    count: u64,
    folder: &Path,
    steps: &[Step],
) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    (1..=count)
        .try_for_each(|run| fs::write(folder.join(name(of, run)), made(profile, of, run, steps)))
}

/// One part in a million.
const WHOLE: u64 = 1_000_000;

/// One run.
fn made(profile: &str, of: &str, run: u64, steps: &[Step]) -> String {
    let mut out = String::with_capacity(profile.len() + 128);
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut totals: Vec<u64> = Vec::new();
    let (mut part, mut is_call) = (WHOLE, false);
    // What belongs to the whole is put in at the end, when it is known.
    let mut sums: Vec<usize> = Vec::new();
    for line in profile.lines() {
        if let Some(function) = line.strip_prefix("fn=") {
            let (id, plain) = match function.split_once(") ") {
                Some((id, plain)) => (id, plain),
                None => (function.trim_end_matches(')'), ""),
            };
            if !plain.is_empty() {
                names.insert(id, plain);
            }
            let function = names.get(id).copied().unwrap_or(function);
            part = share(function, of, run, steps);
        }
        let is_cost =
            line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*'));
        if line.starts_with("summary:") || line.starts_with("totals:") {
            out += line.split_inclusive(':').next().unwrap_or_default();
            sums.push(out.len());
        } else if is_cost && !is_call {
            let mut words = line.split(' ');
            out += words.next().unwrap_or_default();
            for (column, count) in words.enumerate() {
                let count: u64 = count.parse().unwrap_or(0);
                let count = (u128::from(count) * u128::from(part) / u128::from(WHOLE)) as u64;
                totals.resize(totals.len().max(column + 1), 0);
                totals[column] += count;
                out += &format!(" {count}");
            }
        } else {
            out += line;
            // Names of callees are defined there, too.
            if let Some((id, plain)) = line
                .strip_prefix("cfn=")
                .and_then(|name| name.split_once(") "))
            {
                names.insert(id, plain);
            }
        }
        is_call = line.starts_with("calls=");
        out.push('\n');
        if line.starts_with("cmd:") {
            let commit = hash(&[of, &run.to_string(), "commit"]) & 0xffff_ffff_ffff;
            out += &format!(
                "desc: Label: {}\ndesc: Commit: {commit:012x}\n",
                name(of, run)
            );
        }
    }
    let totals: String = totals.iter().map(|total| format!(" {total}")).collect();
    sums.into_iter()
        .rev()
        .for_each(|at| out.insert_str(at, &totals));
    out
}

/// What a function costs in a run, in parts of what was recorded.
fn share(function: &str, of: &str, run: u64, steps: &[Step]) -> u64 {
    let noise = hash(&[function, of, &run.to_string()]) % (WHOLE / 250);
    let more = steps
        .iter()
        .filter(|step| step.function == function && run >= step.run);
    let more: u64 = more.map(|step| step.percent * (WHOLE / 100)).sum();
    WHOLE - WHOLE / 500 + noise + more
}

/// FNV-1a, stirred.
fn hash(texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes().chain([0xff]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_differ_and_add_up() {
        let profile = "cmd: x\nevents: Ir Dr\nsummary: 3000000 7\nfn=(1) f\n1 1000000 7\ncfn=(2) g\ncalls=1 1\n2 5\n\
            fn=(2)\n+1 2000000\ntotals: 3000000 7\n";
        let steps = [Step::read("g@2+10").expect("a step")];
        let runs: Vec<String> = (1..=3).map(|run| made(profile, "r", run, &steps)).collect();
        let costs = |run: &str, line: usize| -> u64 {
            run.lines()
                .nth(line)
                .and_then(|line| line.split(' ').nth(1))
                .and_then(|n| n.parse().ok())
                .expect("a count")
        };
        let (f, g, total) = (6, 11, 12);
        for run in &runs {
            assert_eq!(costs(run, f) + costs(run, g), costs(run, total), "{run}");
            assert!(
                costs(run, f).abs_diff(1_000_000) <= 2_000 && run.contains("\ncalls=1 1\n2 5\n"),
                "{run}"
            );
        }
        assert!(costs(&runs[0], g).abs_diff(2_000_000) <= 4_000 && costs(&runs[1], g) >= 2_196_000);
        assert!(
            runs[1] != runs[2] && runs[0].contains("desc: Label: r.0001\n"),
            "{}",
            runs[0]
        );
    }
}
