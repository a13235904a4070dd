//! Breaks cgannotate in many small ways, and counts how many of them its tests notice.
//!
//! All mutants of a run are built at once, each behind a switch that a variable sets; a test runs only for the mutants that
//! it comes by. So a run costs two builds, all tests once, and then a few tests a mutant. CONTRIBUTING.md says how to use it.

mod given;
mod missed;
mod mutant;
mod own;
mod run;
mod sample;
mod scripts;
mod source;
mod tree;

use missed::Missed;
use mutant::Mutant;
use run::{Outcome, Runner};
use std::collections::{BTreeMap, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

const HELP: &str = "\
Usage: cargo run --release --manifest-path mutants/Cargo.toml -- [options]

  --seed N      another sample (default: 1)
  --count N     how many mutants of our own kinds (default: 100)
  --given FILE  mutants of cargo-mutants, from `cargo mutants --list --json`
  --given-count N  how many of them (default: 150)
  --in-diff REV only mutants in lines that changed since this revision, all of them
  --again       only mutants that the last run missed (target/mutants/missed.tsv)
  --only TEXT   only mutants of files whose path contains this
  --jobs N      how many tests run at once (default: one a processor)

Writes target/mutants/missed.tsv. The status is 1 if more than a tenth of a sample was missed, or more than a fifth of a
folder. With --in-diff and --again it is 0: of a few mutants, one that nobody can notice is many.
";

struct Options {
    seed: u64,
    count: usize,
    given: Option<PathBuf>,
    given_count: usize,
    in_diff: Option<String>,
    again: bool,
    only: Option<String>,
    jobs: usize,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let jobs = std::thread::available_parallelism()?.get();
    let mut options = Options {
        seed: 1,
        count: 100,
        given: None,
        given_count: 150,
        in_diff: None,
        again: false,
        only: None,
        jobs,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seed" => options.seed = value()?.parse()?,
            "--count" => options.count = value()?.parse()?,
            "--given" => options.given = Some(value()?.into()),
            "--given-count" => options.given_count = value()?.parse()?,
            "--in-diff" => options.in_diff = Some(value()?),
            "--again" => options.again = true,
            "--only" => options.only = Some(value()?),
            "--jobs" => options.jobs = value()?.parse()?,
            _ => return Err(HELP.into()),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let project = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .ok_or("no project around")?
        .to_owned();
    let list_of_missed = project.join("target/mutants/missed.tsv");
    let again = (options.again)
        .then(|| missed::read(&list_of_missed))
        .transpose()?;
    let tree = tree::Tree::copy(&project)?;
    let changed = options
        .in_diff
        .as_deref()
        .map(|revision| changed_lines(&project, revision))
        .transpose()?;
    let keeps = |mutant: &Mutant| {
        options
            .only
            .as_ref()
            .is_none_or(|only| mutant.file.contains(only))
            && changed
                .as_ref()
                .is_none_or(|lines| lines.contains(&(mutant.file.clone(), mutant.line)))
    };
    let mut of_own = own::mutants(tree.texts());
    of_own.extend(scripts::mutants(tree.texts()));
    of_own.retain(keeps);
    let mut samples = vec![("own kinds", of_own, options.count)];
    if let Some(list) = &options.given {
        let list = serde_json::from_slice(&std::fs::read(list)?)?;
        let mut given = given::mutants(&list, tree.texts());
        given.retain(keeps);
        samples.push(("cargo-mutants", given, options.given_count));
    }

    if let Some(missed) = &again {
        let mut found = 0;
        for (name, mutants, _) in &mut samples {
            missed::keep(missed, name, mutants, tree.texts());
            found += mutants.len();
        }
        let gone = missed.len() - found;
        println!("{found} mutants were missed the last time, {gone} more are not there now");
    }
    let takes_all = options.in_diff.is_some() || options.again;

    // More than a sample has are built, as many cannot be.
    let mut candidates: Vec<Mutant> = Vec::new();
    let mut drawn = Vec::new();
    for (name, mutants, count) in samples {
        let all = mutants.len();
        let count = if takes_all { all } else { count.min(all) };
        let quotas = sample::quotas(&mutants, count);
        let mut by_folder: BTreeMap<String, (usize, Vec<usize>)> = BTreeMap::new();
        for (folder, order) in sample::drawn(mutants, options.seed) {
            let quota = if takes_all {
                order.len()
            } else {
                quotas[&folder]
            };
            let first = candidates.len();
            candidates.extend(order.into_iter().take(2 * quota + 4));
            by_folder.insert(folder, (quota, (first..candidates.len()).collect()));
        }
        println!(
            "{name}: {all} mutants, of which {count} are drawn with seed {}",
            options.seed
        );
        drawn.push((name, by_folder));
    }
    eprintln!("building {} candidates", candidates.len());
    let (alive, programs) = tree.build(&candidates)?;

    let runner = Runner {
        root: &tree.root,
        home: project.join("target/mutants"),
        jobs: options.jobs,
    };
    eprintln!("running all tests once");
    let (tests, failed) = runner.tests(&programs)?;
    println!(
        "{} tests; {} take no part, as they fail in a copy with changed sources: {}",
        tests.len(),
        failed.len(),
        failed.join(", ")
    );

    let mut is_enough = true;
    let mut missed = Vec::new();
    for (name, by_folder) in drawn {
        println!(
            "\n{name}, seed {}\n{:<12} {:>7} {:>7} {:>7}",
            options.seed, "folder", "mutants", "caught", ""
        );
        let mut chosen: Vec<(String, Vec<usize>)> = Vec::new();
        for (folder, (quota, order)) in by_folder {
            chosen.push((
                folder,
                order
                    .into_iter()
                    .filter(|number| alive.contains(number))
                    .take(quota)
                    .collect(),
            ));
        }
        let all: Vec<usize> = chosen
            .iter()
            .flat_map(|(_, numbers)| numbers.iter().copied())
            .collect();
        let outcomes = runner.outcomes(&candidates, &all, &tests);
        let mut whole = (0, 0);
        for (folder, numbers) in &chosen {
            let caught = numbers
                .iter()
                .filter(|number| matches!(outcomes[number], Outcome::Caught(_)))
                .count();
            row(folder, numbers.len(), caught);
            is_enough &= 5 * caught >= 4 * numbers.len();
            whole = (whole.0 + numbers.len(), whole.1 + caught);
            for number in numbers {
                if let Outcome::Missed(count) = outcomes[number] {
                    let mutant = &candidates[*number];
                    missed.push(Missed::new(*number, name, mutant, tree.texts(), count));
                }
            }
        }
        row("all", whole.0, whole.1);
        is_enough &= 10 * whole.1 >= 9 * whole.0;
    }
    missed::write(&list_of_missed, &missed)?;
    println!("\nmissed: {}", list_of_missed.display());
    std::process::exit(i32::from(!is_enough && !takes_all));
}

fn row(folder: &str, mutants: usize, caught: usize) {
    let share = 100.0 * caught as f64 / mutants.max(1) as f64;
    println!("{folder:<12} {mutants:>7} {caught:>7} {share:>5.0} %");
}

/// Files and lines that changed since a revision.
fn changed_lines(
    project: &Path,
    revision: &str,
) -> Result<HashSet<(String, usize)>, Box<dyn Error>> {
    let diff = Command::new("git")
        .args(["diff", "-U0", revision, "--", "src"])
        .current_dir(project)
        .output()?;
    if !diff.status.success() {
        return Err(String::from_utf8_lossy(&diff.stderr).trim().into());
    }
    let mut lines = HashSet::new();
    let mut file = "";
    for line in String::from_utf8_lossy(&diff.stdout).lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            file = Box::leak(name.to_owned().into_boxed_str());
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            let new = hunk
                .split(' ')
                .nth(1)
                .unwrap_or_default()
                .trim_start_matches('+');
            let (first, count) = new.split_once(',').unwrap_or((new, "1"));
            let (first, count): (usize, usize) = (first.parse()?, count.parse()?);
            lines.extend((first..first + count).map(|line| (file.to_owned(), line)));
        }
    }
    Ok(lines)
}
