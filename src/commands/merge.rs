//! `cgannotate merge`: adds up profiles.

use super::console::say;
use super::inputs;
use super::named;
use super::output::{self, Output};
use super::workflow::Content;
use crate::analysis::{rewrite, same_code};
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind;
use crate::profile::{Collect, Profile};
use crate::text::{shown, some};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let [files] = named::inputs([&args.files])?;
    let profile = read(&files, &args.input)?;
    let status = inputs::status(&profile.warnings, &args.input);
    let mut out = Output::open(&args.output, Content::Text)?;
    write(profile, &mut out)?;
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
        say(&format!(
            "instruction addresses of {} are omitted: the inputs have different builds, or some cost has no address",
            some(&names)
        ));
    }
    callgrind::write(out, &profile)?;
    Ok(())
}
