//! `cgannotate merge`: adds up profiles.

use super::console::say;
use super::inputs;
use super::named;
use super::output::{self, Output};
use super::workflow::Content;
use crate::analysis::rewrite::{self, Precision};
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind;
use crate::profile::{Collect, Profile};
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let [files] = named::inputs([&args.files])?;
    let profile = read(&files, &args.input, (args.keep_instr, false))?;
    let mut out = Output::open(&args.output, Content::Text)?;
    write(&profile, args.keep_instr, &mut out)?;
    out.finish()?;
    Ok(inputs::status(&profile.warnings, &args.input))
}

/// Reads the sum of profiles with their names as recorded. Instructions are read only if they are
/// kept or needed to find inlined functions.
pub(super) fn read(
    files: &[PathBuf],
    reading: &InputArgs,
    (keeps, inlined): (bool, bool),
) -> Result<Profile> {
    let collect = Collect {
        code: keeps || inlined,
        ..Collect::ALL
    };
    let mut profile = reading.read(files, collect, Vec::new())?;
    if keeps && profile.code.is_none() {
        say("no input has instruction addresses (--dump-instr=yes); only lines are kept");
    }
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

/// Writes a profile in Callgrind's format, in canonical order.
pub(super) fn write(profile: &Profile, keeps: bool, out: impl Write) -> Result<()> {
    let places = if keeps && profile.code.is_some() {
        Precision::Instructions
    } else {
        Precision::Lines
    };
    let (header, sums) = (rewrite::header(profile), rewrite::sums(profile));
    callgrind::write(out, profile, &header, &sums, places, |id| {
        rewrite::records(profile, id, places)
    })?;
    Ok(())
}
