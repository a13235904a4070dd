//! How often the rule for steps is wrong, and how often it sees what is there:
//!
//! ```text
//! cargo run --release --example steps                 on series made at random
//! cargo run --release --example steps -- FOLDER…      each folder holds the runs of one program, in the order of their names
//! ```
//! Every step in runs of a program that did not change is false. Steps of known size are put in, and counted if the rule
//! begins a level just there. `benches/histories.sh` records folders and calls this; `docs/trend.md` has the last table.
#![allow(clippy::print_stdout)] // it is a program

use cgannotate::analysis::Narrow;
use cgannotate::analysis::difference::Cost;
use cgannotate::analysis::history::{History, HistoryBuilder, Rule};
use cgannotate::input::{self, Options};
use cgannotate::profile::Event;
use std::error::Error;
use std::path::PathBuf;

const RULE: Rule = Rule::USUAL;

/// How many functions are made more expensive, and by how many per cent.
const PUT_IN: usize = 30;
const SIZES: [i128; 3] = [1, 3, 10];

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<_> = std::env::args_os().skip(1).collect();
    if folders.is_empty() {
        false_steps();
        hits();
        return Ok(());
    }
    println!(
        "folder                runs  functions  tests    false  per 100,000  drifts   1 %   3 %  10 %"
    );
    for folder in folders {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
            .map(|entry| Ok(entry?.path()))
            .collect::<std::io::Result<_>>()?;
        files.sort();
        let narrow = Narrow::default();
        let mut history = HistoryBuilder::new(None, Cost::Own, &narrow, files.len());
        for (at, file) in (0u32..).zip(&files) {
            let profile = input::read(&[file], &Options::all())?;
            history.add(at, &profile, Event::Recorded(0));
        }
        let name = PathBuf::from(&folder)
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        println!("{name:20} {}", told(&history.finish()));
    }
    Ok(())
}

/// One line of the table.
fn told(history: &History) -> String {
    let twice_totals = RULE.twice_totals(&history.totals);
    let median = twice_totals.iter().copied().max().unwrap_or(0) / 2;
    // What costs less than the floor in every run cannot be wrong, and would only make the share look smaller.
    let counts = |values: &Vec<i128>| values.iter().any(|&value| value * RULE.share >= median);
    let all: Vec<Vec<i128>> = history
        .ranked(&RULE)
        .iter()
        .map(|row| history.values(row.at))
        .filter(counts)
        .collect();
    let (mut tests, mut steps, mut drifts) = (0, 0, 0);
    for values in &all {
        tests += values.len();
        steps += steps_of(values, &history.totals).count();
        // As those see it who ask after every run.
        let mut drifted = false;
        for end in RULE.window + 1..=values.len() {
            let now = RULE
                .judge(&values[..end], &twice_totals[..=end])
                .drifts
                .last()
                .is_some_and(Option::is_some);
            drifts += usize::from(now && !drifted);
            drifted = now;
        }
    }
    let found = SIZES.map(|size| put_in(&all, &history.totals, size));
    let share = steps as f64 * 100_000.0 / tests.max(1) as f64;
    format!(
        "{:5} {:10} {tests:7} {steps:6} {share:12.0} {drifts:7} {:5} {:5} {:5}",
        history.runs(),
        all.len(),
        found[0],
        found[1],
        found[2],
    )
}

/// The runs with which confirmed steps begin.
fn steps_of(values: &[i128], totals: &[i128]) -> impl Iterator<Item = usize> {
    let found = RULE.judge(values, &RULE.twice_totals(totals));
    let steps: Vec<_> = found
        .steps(&RULE, values)
        .filter(|step| step.is_confirmed)
        .collect();
    steps.into_iter().map(|step| step.run)
}

/// How many steps of a size are found where they were put in: the most expensive functions, each at a run of its own, with
/// as many runs before it as tell the noise and enough after it.
fn put_in(all: &[Vec<i128>], totals: &[i128], percent: i128) -> usize {
    let mut hottest: Vec<&Vec<i128>> = all.iter().collect();
    hottest.sort_by_key(|values| std::cmp::Reverse(values.iter().sum::<i128>()));
    let room = totals.len().saturating_sub(RULE.window + RULE.confirm);
    let is_found = |(nth, values): (usize, &&Vec<i128>)| {
        let at = RULE.window + nth * 7 % room.max(1);
        let (mut values, mut totals) = (values.to_vec(), totals.to_vec());
        for run in at..values.len() {
            let more = values[run] * percent / 100;
            values[run] += more;
            totals[run] += more;
        }
        steps_of(&values, &totals).any(|run| run == at)
    };
    hottest
        .iter()
        .take(PUT_IN)
        .enumerate()
        .filter(|&found| is_found(found))
        .count()
}

/// What one run differs from the usual by, on average, in series made at random, of a cost of 100,000.
const DEVIATION: f64 = 1_000.0;

/// How costs vary from run to run.
#[derive(Clone, Copy)]
enum Kind {
    Normal,
    /// The logarithm is normal, with this deviation.
    Lognormal(f64),
    /// Each run keeps this share of what the one before it differs by.
    Autoregressive(f64),
    /// Normal, and more by this many deviations with each run.
    Drifting(f64),
    /// One of two costs, at random.
    TwoCosts,
}

const KINDS: [(&str, Kind); 9] = [
    ("normal", Kind::Normal),
    ("lognormal 0.1", Kind::Lognormal(0.1)),
    ("lognormal 0.5", Kind::Lognormal(0.5)),
    ("AR(1) 0.3", Kind::Autoregressive(0.3)),
    ("AR(1) 0.5", Kind::Autoregressive(0.5)),
    ("AR(1) 0.8", Kind::Autoregressive(0.8)),
    ("drifting 0.05", Kind::Drifting(0.05)),
    ("drifting 0.3", Kind::Drifting(0.3)),
    ("two costs", Kind::TwoCosts),
];

/// Numbers that look random, the same in every run of this program.
struct Random(u64);

impl Random {
    /// Between 0 and 1.
    fn even(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.even().ln()).sqrt() * (std::f64::consts::TAU * self.even()).cos()
    }

    fn series(&mut self, kind: Kind, runs: usize) -> Vec<i128> {
        let mut before = self.normal();
        let mut cost = |run: usize| {
            let cost = match kind {
                Kind::Normal => self.normal(),
                Kind::Lognormal(deviation) => (deviation * self.normal()).exp() / deviation,
                Kind::Autoregressive(share) if run > 0 => {
                    before = share * before + (1.0 - share * share).sqrt() * self.normal();
                    before
                }
                Kind::Autoregressive(_) => before,
                Kind::Drifting(each) => each * run as f64 + self.normal(),
                Kind::TwoCosts => 2.0 * self.even().round(),
            };
            (100_000.0 + DEVIATION * cost) as i128
        };
        (0..runs).map(&mut cost).collect()
    }
}

const RUNS: [usize; 8] = [6, 8, 10, 12, 14, 22, 40, 120];

/// Of series that never changed, how many of 100,000 runs begin a step.
fn false_steps() {
    const TESTS: usize = 3_000_000;
    let heading: Vec<String> = RUNS.iter().map(|runs| format!("{runs:6}")).collect();
    println!(
        "false steps in 100,000 runs, by how many runs a series has\n{:14} {}",
        "",
        heading.join(" ")
    );
    let mut random = Random(88_172_645_463_325_252);
    for (name, kind) in KINDS {
        let share = |runs: usize| {
            let series = TESTS / runs;
            let found: usize = (0..series)
                .map(|_| steps_of(&random.series(kind, runs), &vec![1_000_000; runs]).count())
                .sum();
            format!("{:6.1}", found as f64 * 100_000.0 / (series * runs) as f64)
        };
        println!("{name:14} {}", RUNS.map(share).join(" "));
    }
}

/// How many of 100 steps are found at their run in normal series, by the number of runs and the run.
fn hits() {
    const SERIES: usize = 1_000;
    let mut random = Random(88_172_645_463_325_252);
    for size in [5.0, 8.0, 12.0, 20.0] {
        println!("of 100 steps of {size} deviations found, by (runs, step)");
        for runs in RUNS.into_iter().filter(|&runs| runs <= 40) {
            let share = |at: usize| {
                let is_found = |_: &usize| {
                    let mut values = random.series(Kind::Normal, runs);
                    values[at..]
                        .iter_mut()
                        .for_each(|value| *value += (size * DEVIATION) as i128);
                    steps_of(&values, &vec![1_000_000; runs]).any(|run| run == at)
                };
                format!(
                    "{}: {}",
                    at + 1,
                    (0..SERIES).filter(is_found).count() * 100 / SERIES
                )
            };
            let steps: Vec<usize> = (RULE.confirm..=runs - RULE.confirm).collect();
            let few: Vec<usize> = steps
                .iter()
                .copied()
                .step_by(steps.len().div_ceil(10))
                .collect();
            println!(
                "{runs:3} runs  {}",
                few.into_iter().map(share).collect::<Vec<_>>().join("  ")
            );
        }
    }
}
