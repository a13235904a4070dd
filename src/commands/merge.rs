//! `cgannotate merge`: adds up profiles.

use super::console::say;
use super::output::{self, Output};
use super::workflow::Content;
use super::{Usage, inputs, named};
use crate::analysis::{rewrite, same_code};
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind::{self, mean};
use crate::fs::{open_regular, regular};
use crate::input;
use crate::profile::{Collect, Order, Profile, WarningKind, to_text};
use crate::text::number::grouped;
use crate::text::{shown, some};
use anyhow::{Context, Result, bail};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let [files] = named::inputs([&args.files])?;
    let mut runs = 1;
    if args.median || args.mean {
        let (median, status) = median(&files, args)?;
        if args.median {
            let mut run = open_regular(median)
                .with_context(|| median.display().to_string())?
                .0;
            let mut out = Output::open(&args.output, Content::Bytes)?;
            io::copy(&mut run, &mut out)?;
            out.finish()?;
            return Ok(status);
        }
        runs = files.len();
    }
    let profile = read(&files, &args.input)?;
    let status = args.input.status(&profile.warnings);
    let has_mean =
        profile.events.peaks().next().is_none() && !profile.warnings.has(WarningKind::Saturated);
    if args.mean && !has_mean {
        bail!("peaks, and costs that do not fit in 64 bits, have no mean");
    }
    let mut out = Output::open(&args.output, Content::Text)?;
    write(profile, runs, &mut out)?;
    out.finish()?;
    Ok(status)
}

/// With fewer runs than this, no run is called an outlier.
const FEW: usize = 5;

/// An outlier differs from the median by more than this many median absolute deviations.
const FAR: u128 = 5;

/// The run with the median total of the first run's first event, the lower of two, and its status.
/// Names outliers.
fn median<'a>(files: &'a [PathBuf], args: &MergeArgs) -> Result<(&'a Path, ExitCode)> {
    let mut runs = Vec::new();
    let mut first: Option<Vec<Vec<u8>>> = None;
    for file in files {
        // A run is read again, and a pipe can be read once.
        if regular(file).is_none() {
            let option = if args.median { "--median" } else { "--mean" };
            bail!(Usage(format!("{option} needs files: {}", file.display())));
        }
        let run = slice::from_ref(file);
        let profile = if args.median {
            args.input.read(run, Collect::FUNCTIONS, Vec::new())?
        } else {
            input::read(run, &args.input.options(Collect::FUNCTIONS, Vec::new()))?
        };
        let events = &profile.events;
        let first = first.get_or_insert_with(|| events.recorded().to_vec());
        let needed = &first[..if args.mean { first.len() } else { 1 }];
        if let Some(name) = needed.iter().find(|name| events.find(name).is_none()) {
            bail!("{}: it has no event {}", file.display(), to_text(name));
        }
        let total =
            (events.find(&first[0])).map_or(0, |event| events.counted(&profile.totals.row, event));
        runs.push((total, file, args.input.status(&profile.warnings)));
    }
    runs.order_by_key(|&(total, file, _)| (total, file));
    let middle = (runs.len() - 1) / 2;
    let (median, file, status) = runs[middle];
    let away = |total: i64| i128::from(total).abs_diff(median.into());
    let mut deviations: Vec<u128> = runs.iter().map(|&(total, ..)| away(total)).collect();
    deviations.sort_unstable();
    let far = runs
        .iter()
        .filter(|run| away(run.0) > FAR * deviations[middle]);
    let far: Vec<String> = far
        .map(|(total, file, _)| format!("{} ({})", file.display(), grouped(*total)))
        .collect();
    if runs.len() >= FEW && !far.is_empty() {
        let median = grouped(median);
        say(format!("far from the median of {median}: {}", some(&far)));
    }
    Ok((file, status))
}

/// Reads the sum of profiles with their names as recorded.
pub(super) fn read(files: &[PathBuf], reading: &InputArgs) -> Result<Profile> {
    let apart = InputArgs {
        contexts: true,
        ..reading.clone()
    };
    let mut profile = apart.read(files, Collect::CODE, Vec::new())?;
    reading.derive(&mut profile.events, [])?;
    if profile.stated.is_some() {
        say(
            "Callgrind's format cannot hold the inclusive costs and call counts that an input states; readers compute them from the calls",
        );
    }
    if !profile.has_inclusive() {
        let lack = inputs::lack_of_calls(&profile);
        say(format!(
            "{lack}; readers of Callgrind's format will compute inclusive costs without them"
        ));
    }
    if profile.carried.iter().any(|carried| carried.is_details) {
        say("Callgrind's format cannot hold the details of recordings, such as inlined functions");
    }
    if profile.sizes.is_some() {
        say("Callgrind's format cannot hold costs by input size");
    }
    if rewrite::has_holes(&profile) {
        say(
            "the inputs record different events; where a row lacks one in the middle it has a `.`, \
             at which KCachegrind stops reading the row",
        );
    }
    Ok(profile)
}

/// Writes the mean of runs in Callgrind's format, given their sum, with the instruction addresses
/// that mean the same code in all inputs.
pub(super) fn write(mut profile: Profile, runs: usize, out: impl Write) -> Result<()> {
    let dropped = same_code::drop_other_code(&mut profile);
    let name = |object| match profile.name(object) {
        b"" => "(unknown)".to_owned(),
        name => shown(name),
    };
    let names: Vec<String> = dropped.into_iter().map(name).collect();
    if !names.is_empty() {
        say(format!(
            "instruction addresses of {} are omitted: the inputs have different builds, or some cost has no address",
            some(&names)
        ));
    }
    let sum = callgrind::write(out, &profile, runs)?;
    let events = &profile.events;
    let differ = events.stored().filter_map(|event| {
        let count = |row| i128::from(events.counted(row, event));
        let (sum, mean) = (count(&sum), mean(count(&profile.totals.row), runs));
        let shown = || {
            let (sum, mean) = (grouped(sum), grouped(mean));
            format!("{} {sum} instead of {mean}", events.text(event))
        };
        (runs > 1 && sum != mean).then(shown)
    });
    let differ: Vec<String> = differ.collect();
    if !differ.is_empty() {
        say(format!(
            "the totals are those of the rounded costs: {}",
            some(&differ)
        ));
    }
    Ok(())
}
