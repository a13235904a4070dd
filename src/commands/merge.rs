//! `cgannotate merge`: adds up profiles.

use super::{
    Usage,
    console::say,
    inputs, named,
    output::{self, Output},
    workflow::Content,
};
use crate::{
    analysis::{rewrite, same_code},
    cli::{InputArgs, MergeArgs},
    export::callgrind::{self, mean},
    fs::{open_regular, regular},
    input,
    profile::{Collect, Order, Profile, WarningKind, to_text},
    text::{number::grouped, shown, some},
};
use anyhow::{Context, Result, bail};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    slice,
};

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
    if args.mean
        && let Some(event) = profile.events.peaks().next()
    {
        bail!("--mean: {} is a peak, which has no mean", to_text(event));
    }
    if args.mean && profile.warnings.has(WarningKind::Saturated) {
        bail!("--mean: the sum of the runs does not fit in 64 bits");
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
            let options = args.input.options(Collect::FUNCTIONS, Vec::new());
            input::read(run, &options).map_err(inputs::advised)?
        };
        let events = &profile.events;
        let recorded = events.recorded();
        let first = first.get_or_insert_with(|| recorded.to_vec());
        let needed = if args.mean { first.len() } else { 1 };
        let lacks = |other: &[Vec<u8>], name: &&Vec<u8>| !other.contains(name);
        let missing = first.iter().take(needed).find(|name| lacks(recorded, name));
        let of_first = recorded.iter().find(|name| args.mean && lacks(first, name));
        let missing = missing.map(|name| (file, name));
        if let Some((file, name)) = missing.or(of_first.map(|name| (&files[0], name))) {
            bail!("{}: it has no event {}", file.display(), to_text(name));
        }
        let event = first.first().and_then(|name| events.find(name));
        let total = event.map_or(0, |event| events.counted(&profile.totals.row, event));
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
            "the totals are sums of rounded costs, not means: {}",
            some(&differ)
        ));
    }
    Ok(())
}
