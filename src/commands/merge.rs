//! `cgannotate merge`: one profile out of many.

use super::output::{self, Output};
use super::{complain, inputs};
use crate::analysis::rewrite;
use crate::cli::{InputArgs, MergeArgs};
use crate::export::callgrind;
use crate::profile::{Collect, Profile};
use anyhow::Result;
use std::io::Write;
use std::process::ExitCode;

/// Reads, adds up, writes.
pub(super) fn run(args: &MergeArgs) -> Result<ExitCode> {
    output::keep_from_terminal(&args.output, "merge")?;
    let profile = read(&args.files, &args.input)?;
    let mut out = Output::open(&args.output)?;
    write(&profile, &mut out)?;
    out.finish()?;
    Ok(inputs::status(&profile.warnings, &args.input))
}

/// Reads the sum of some profiles, all of it, with the names as they are.
pub(super) fn read(files: &[String], input: &InputArgs) -> Result<Profile> {
    let mut profile = inputs::read(files, input, Collect::ALL, Vec::new())?;
    inputs::derive(&mut profile.events, input, [])?;
    input.events.iter().for_each(|definition| profile.events.redefine(definition.clone()));
    if profile.stated.is_some() {
        complain(
            "Callgrind's format has no place for the inclusive costs and counts that an input states; \
             its readers take them from the calls",
        );
    }
    if profile.sizes.is_some() {
        complain("Callgrind's format has no place for costs by the size of the input");
    }
    if rewrite::has_holes(&profile) {
        complain(
            "the inputs record different events; where a row lacks one in the middle it has a `.`, \
             at which KCachegrind stops reading the row",
        );
    }
    Ok(profile)
}

/// Writes a profile in the Callgrind format, in its canonical order.
pub(super) fn write(profile: &Profile, out: impl Write) -> Result<()> {
    let (header, sums) = (rewrite::header(profile), rewrite::sums(profile));
    callgrind::write(out, profile, &header, &sums, |id| rewrite::records(profile, id))?;
    Ok(())
}
