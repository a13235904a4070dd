//! `cgannotate merge`: adds up profiles.

use super::console::say;
use super::inputs;
use super::named;
use super::output::{self, Output};
use super::workflow::Content;
use crate::analysis::{rewrite, same_code};
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind;
use crate::fs::open_regular;
use crate::profile::{Collect, Event, Order, Profile};
use crate::text::number::{grouped_signed, signed};
use crate::text::{shown, some};
use anyhow::{Context, Result};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let [files] = named::inputs([&args.files])?;
    if args.median {
        let median = median(&files, &args.input)?;
        let (mut run, _) = open_regular(median).with_context(|| median.display().to_string())?;
        let mut out = Output::open(&args.output, Content::Bytes)?;
        io::copy(&mut run, &mut out)?;
        out.finish()?;
        return Ok(ExitCode::SUCCESS);
    }
    let runs = if args.mean { files.len() } else { 1 };
    if args.mean {
        median(&files, &args.input)?;
    }
    let profile = read(&files, &args.input)?;
    let status = inputs::status(&profile.warnings, &args.input);
    let mut out = Output::open(&args.output, Content::Text)?;
    write(profile, runs as u64, &mut out)?;
    out.finish()?;
    Ok(status)
}

/// The fewest runs of which some can be outliers.
const FEW: usize = 5;

/// An outlier differs from the median by more than this many median absolute deviations.
const FAR: u128 = 5;

/// Returns the run with the median total of the first event, the lower of two. Names outliers.
fn median<'f>(files: &'f [PathBuf], reading: &InputArgs) -> Result<&'f Path> {
    let mut totals = Vec::new();
    for file in files {
        let profile = reading.read(slice::from_ref(file), Collect::FUNCTIONS, Vec::new())?;
        let total = profile
            .events
            .counted(&profile.totals.row, Event::Recorded(0));
        totals.push((total, file));
    }
    totals.order_by(|a, b| a.cmp(b));
    let middle = (totals.len() - 1) / 2;
    let (median, run) = totals[middle];
    let away = |total: i64| i128::from(total).abs_diff(median.into());
    let mut deviations: Vec<u128> = totals.iter().map(|&(total, _)| away(total)).collect();
    deviations.sort_unstable();
    let is_far = |&&(total, _): &&(i64, _)| away(total) > FAR * deviations[middle];
    let far = totals
        .iter()
        .filter(is_far)
        .map(|(_, file)| file.display().to_string());
    let far: Vec<String> = far.collect();
    if totals.len() >= FEW && !far.is_empty() {
        say(&format!(
            "far from the median of {}: {}",
            grouped_signed(median),
            some(&far)
        ));
    }
    Ok(run)
}

/// Reads the sum of profiles with their names as recorded.
pub(super) fn read(files: &[PathBuf], reading: &InputArgs) -> Result<Profile> {
    let apart = InputArgs {
        contexts: true,
        ..reading.clone()
    };
    let mut profile = apart.read(files, Collect::CODE, Vec::new())?;
    inputs::derive(&mut profile.events, reading, [])?;
    reading
        .events
        .iter()
        .for_each(|definition| profile.events.redefine(definition.clone()));
    if profile.stated.is_some() {
        say(
            "Callgrind's format cannot hold the inclusive costs and call counts that an input states; readers compute them from the calls",
        );
    }
    if !profile.has_inclusive() {
        let lack = inputs::lack_of_calls(&profile);
        say(&format!(
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

/// Writes the mean of so many runs in Callgrind's format, with the instruction addresses that mean
/// the same code in all inputs.
pub(super) fn write(mut profile: Profile, runs: u64, out: impl Write) -> Result<()> {
    let dropped = same_code::drop_other_code(&mut profile);
    let name = |object| match profile.name(object) {
        b"" => "(unknown)".to_owned(),
        name => shown(name),
    };
    let names: Vec<String> = dropped.into_iter().map(name).collect();
    if !names.is_empty() {
        say(&format!(
            "instruction addresses of {} are omitted: the inputs have different builds, or some cost has no address",
            some(&names)
        ));
    }
    let written = callgrind::write(out, &profile, runs)?;
    let differs = |at| {
        let event = Event::Recorded(at);
        let [rounded, sum] = [&written, &profile.totals.row]
            .map(|row| i128::from(profile.events.counted(row, event)));
        let more = rounded - callgrind::mean(sum, runs);
        (more != 0).then(|| format!("{} by {}", profile.events.text(event), signed(more)))
    };
    let differ: Vec<String> = (0..profile.events.recorded().len())
        .filter_map(differs)
        .collect();
    if runs > 1 && !differ.is_empty() {
        say(&format!(
            "the sum of the rounded costs differs from the mean total: {}",
            differ.join(", ")
        ));
    }
    Ok(())
}
