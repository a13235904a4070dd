//! `cgannotate merge`: adds up profiles.

use super::console::say;
use super::output::{self, Output};
use super::workflow::Content;
use super::{Usage, inputs, named};
use crate::analysis::{rewrite, same_code};
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind;
use crate::fs::{open_regular, regular};
use crate::profile::{Collect, Event, Order, Profile, to_text};
use crate::text::number::grouped;
use crate::text::{shown, some};
use anyhow::{Context, Result, bail};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::slice;

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let [files] = named::inputs([&args.files])?;
    if args.median {
        return write_median(&files, args);
    }
    let profile = read(&files, &args.input)?;
    let status = inputs::status(&profile.warnings, &args.input);
    let mut out = Output::open(&args.output, Content::Text)?;
    write(profile, &mut out)?;
    out.finish()?;
    Ok(status)
}

/// With fewer runs than this, no run is called an outlier.
const FEW: usize = 5;

/// An outlier differs from the median by more than this many median absolute deviations.
const FAR: u128 = 5;

/// Copies the run with the median total of the first run's first event, the lower of two. Names
/// outliers.
fn write_median(files: &[PathBuf], args: &MergeArgs) -> Result<ExitCode> {
    let mut runs = Vec::new();
    let mut first = None;
    for file in files {
        // The median is read again, and a pipe can be read once.
        if regular(file).is_none() {
            bail!(Usage(format!("--median needs files: {}", file.display())));
        }
        let profile = (args.input).read(slice::from_ref(file), Collect::FUNCTIONS, Vec::new())?;
        let events = &profile.events;
        let name = &*first.get_or_insert_with(|| events.name(Event::Recorded(0)).to_vec());
        let Some(event) = events.find(name) else {
            bail!("{}: it has no event {}", file.display(), to_text(name));
        };
        let total = events.counted(&profile.totals.row, event);
        runs.push((total, file, inputs::status(&profile.warnings, &args.input)));
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
    let (mut run, _) = open_regular(file).with_context(|| file.display().to_string())?;
    let mut out = Output::open(&args.output, Content::Bytes)?;
    io::copy(&mut run, &mut out)?;
    out.finish()?;
    Ok(status)
}

/// Reads the sum of profiles with their names as recorded.
pub(super) fn read(files: &[PathBuf], reading: &InputArgs) -> Result<Profile> {
    let apart = InputArgs {
        contexts: true,
        ..reading.clone()
    };
    let mut profile = apart.read(files, Collect::CODE, Vec::new())?;
    inputs::derive(&mut profile.events, reading, [])?;
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

/// Writes a profile in Callgrind's format, with the instruction addresses that mean the same code
/// in all inputs.
pub(super) fn write(mut profile: Profile, out: impl Write) -> Result<()> {
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
    callgrind::write(out, &profile)?;
    Ok(())
}
