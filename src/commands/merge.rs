//! `cgannotate merge`: one profile out of many.

use super::console::Console;
use super::inputs::{self, Inputs};
use super::named;
use super::output::{self, Output};
use super::workflow::Content;
use crate::analysis::rewrite::{self, Places};
use crate::export::callgrind;
use crate::profile::{Collect, Profile};
use crate::request::Reading;
use crate::request::merge::Request;
use anyhow::Result;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Reads, adds up, writes.
pub(super) fn run(request: &Request, console: &Console) -> Result<ExitCode> {
    output::keep_from_terminal(&request.to, "merge")?;
    let [files] = named::inputs([&request.files], console)?;
    let profile = read(&files, &request.reading, request.places, false, console)?;
    let mut out = Output::open(&request.to, Content::Text)?;
    write(&profile, request.places, &mut out)?;
    out.finish()?;
    Ok(inputs::status(&profile.warnings, &request.reading))
}

/// Reads the sum of some profiles, all of it, with the names as they are; with instructions if they are kept or asked about.
pub(super) fn read(
    files: &[PathBuf],
    reading: &Reading,
    places: Places,
    inlined: bool,
    console: &Console,
) -> Result<Profile> {
    let keeps = places == Places::Instructions;
    let collect = Collect {
        code: keeps || inlined,
        ..Collect::ALL
    };
    let mut profile = Inputs {
        files,
        reading,
        console,
    }
    .read(collect, Vec::new())?;
    if keeps && profile.code.is_none() {
        console.say(
            "no input has instruction addresses (--dump-instr=yes); lines are all there is to keep",
        );
    }
    inputs::derive(&mut profile.events, reading, [])?;
    reading
        .events
        .iter()
        .for_each(|definition| profile.events.redefine(definition.clone()));
    if profile.stated.is_some() {
        console.say(
            "Callgrind's format has no place for the inclusive costs and counts that an input states; \
             its readers take them from the calls",
        );
    }
    if !profile.has_inclusive() {
        let lack = inputs::lack_of_calls(&profile);
        console.say(&format!(
            "{lack}; readers of Callgrind's format will compute inclusive costs without them"
        ));
    }
    if profile.sizes.is_some() {
        console.say("Callgrind's format has no place for costs by the size of the input");
    }
    if rewrite::has_holes(&profile) {
        console.say(
            "the inputs record different events; where a row lacks one in the middle it has a `.`, \
             at which KCachegrind stops reading the row",
        );
    }
    Ok(profile)
}

/// Writes a profile in the Callgrind format, in its canonical order.
pub(super) fn write(profile: &Profile, places: Places, out: impl Write) -> Result<()> {
    let places = if profile.code.is_some() {
        places
    } else {
        Places::Lines
    };
    let (header, sums) = (rewrite::header(profile), rewrite::sums(profile));
    callgrind::write(out, profile, &header, &sums, places, |id| {
        rewrite::records(profile, id, places)
    })?;
    Ok(())
}
