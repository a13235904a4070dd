//! How often the rule for steps is wrong, and how often it sees what is there, on runs of one program that did not change:
//!
//! ```text
//! cargo run --release --example steps -- FOLDER…       each folder holds the runs of one program, in the order of their names
//! ```
//! Every step in such a folder is false. Steps of known size are put into the costs of thirty functions, each at a run of its
//! own, and counted if the rule begins a level there. `benches/histories.sh` records folders and calls this.
#![allow(clippy::print_stdout)] // it is a program

use cgannotate::analysis::Narrow;
use cgannotate::analysis::difference::Cost;
use cgannotate::analysis::history::{By, History, HistoryBuilder, Measure, Rule};
use cgannotate::input::{self, Options};
use cgannotate::profile::Event;
use std::error::Error;
use std::path::PathBuf;

/// How many functions are made dearer, and by how many per cent.
const PUT_IN: usize = 30;
const SIZES: [i128; 3] = [1, 3, 10];

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "folder                runs  K  P  1/floor  functions  tests    false  per 100,000  drifts   1 %   3 %  10 %"
    );
    for folder in std::env::args_os().skip(1) {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.sort();
        let mut history = HistoryBuilder::new(By::Functions, files.len());
        for (at, file) in (0u32..).zip(&files) {
            let profile = input::read(&[file], &Options::all())?;
            let measure = Measure { event: Event::Recorded(0), cost: Cost::Own, narrow: &Narrow::default() };
            history.add(at, &profile, measure);
        }
        let history = history.finish();
        for (window, confirm, share) in [
            (10, 1, 10_000),
            (10, 2, 10_000),
            (15, 2, 10_000),
            (20, 2, 10_000),
            (20, 2, 100_000),
            (20, 3, 10_000),
            (30, 2, 10_000),
        ] {
            let rule = Rule { window, confirm, share };
            println!(
                "{:20} {}",
                PathBuf::from(&folder).file_name().unwrap_or_default().to_string_lossy(),
                told(&history, &rule)
            );
        }
    }
    Ok(())
}

/// One line of the table.
fn told(history: &History, rule: &Rule) -> String {
    let twice_totals = rule.twice_totals(history.totals());
    let median = twice_totals.iter().copied().max().unwrap_or(0) / 2;
    // What costs less than the floor in every run cannot be wrong, and would only make the share look smaller.
    let dear = |values: &Vec<i128>| values.iter().any(|&value| value * rule.share >= median);
    let all: Vec<Vec<i128>> = history.ranked(rule).iter().map(|row| history.values(row.at)).filter(dear).collect();
    let (mut tests, mut steps, mut drifts) = (0, 0, 0);
    for values in &all {
        let found = rule.judge(values, &twice_totals);
        tests += found.tests;
        steps += found.levels.len() - 1;
        // As those see it who ask after every run.
        let mut drifted = false;
        for end in rule.window + 1..=values.len() {
            let now = rule.judge(&values[..end], &twice_totals[..=end]).drifts.last().is_some_and(Option::is_some);
            drifts += usize::from(now && !drifted);
            drifted = now;
        }
    }
    let found = SIZES.map(|size| put_in(&all, history.totals(), rule, size));
    let share = steps as f64 * 100_000.0 / tests.max(1) as f64;
    format!(
        "{:5} {:2} {:2} {:8} {:10} {tests:7} {steps:6} {share:12.0} {drifts:7} {:5} {:5} {:5}",
        history.runs(),
        rule.window,
        rule.confirm,
        rule.share,
        all.len(),
        found[0],
        found[1],
        found[2],
    )
}

/// How many steps of a size are found where they were put in: the dearest functions, each at a run of its own, with as many
/// runs before it as tell the noise and enough after it.
fn put_in(all: &[Vec<i128>], totals: &[i128], rule: &Rule, percent: i128) -> usize {
    let mut dearest: Vec<&Vec<i128>> = all.iter().collect();
    dearest.sort_by_key(|values| std::cmp::Reverse(values.iter().sum::<i128>()));
    let room = totals.len().saturating_sub(rule.window + rule.confirm);
    let is_found = |(nth, values): (usize, &&Vec<i128>)| {
        let at = rule.window + nth * 7 % room.max(1);
        let mut values = values.to_vec();
        let mut totals = totals.to_vec();
        for run in at..values.len() {
            let more = values[run] * percent / 100;
            values[run] += more;
            totals[run] += more;
        }
        rule.judge(&values, &rule.twice_totals(&totals)).levels.iter().skip(1).any(|level| level.start == at)
    };
    dearest.iter().take(PUT_IN).enumerate().filter(|&found| is_found(found)).count()
}
