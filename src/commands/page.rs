//! Pages for browsers: kept to their size, with what of the sources is in them, and shown.

use super::Usage;
use super::console::say;
use crate::analysis::difference::{Cost, Difference, LineDifference, Matching, Shifts};
use crate::analysis::{Selection, Session};
use crate::cli::SourceArgs;
use crate::profile::Event;
use crate::render::page;
use crate::source::Finder;
use crate::text::number::grouped;
use crate::view::whole::{Compared, Excerpts, Ground, Least, Reading, Whole};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// How many folders are named.
const NAMED: usize = 4;

/// What a page is to be like.
pub(super) struct Wanted<'r> {
    /// How many bytes it has at most.
    pub(super) most: usize,
    /// Where sources are.
    pub(super) sources: &'r SourceArgs,
    /// How many lines are shown around those that have costs.
    pub(super) context: u64,
    /// Whether they are in it.
    pub(super) has_sources: bool,
    /// The cost that orders functions.
    pub(super) by: Cost,
}

/// The page of a profile. If it does not keep to its size, more is left out.
pub(super) fn whole(
    session: &Session,
    selection: &Selection,
    show: &[Event],
    wanted: &Wanted<'_>,
    profiles: &[PathBuf],
) -> Result<Vec<u8>> {
    let finder = Finder::new(wanted.sources.paths(profiles, &session.profile().carried));
    let recorded = finder.recorded();
    let most = wanted.most;
    let ground = Ground::new(session, selection, show, wanted.by);
    let mut least = fitting(&ground, most)?;
    loop {
        let whole = Whole::new(&ground, least);
        let excerpts = match wanted.has_sources {
            // Packed, source takes less than a third of its bytes: so it is a third of the page at most.
            true => {
                let reading = Reading {
                    finder: &finder,
                    context: wanted.context,
                    recorded,
                    room: most,
                };
                Excerpts::new(
                    &whole.hits(),
                    whole.files.iter().map(|row| row.name),
                    &reading,
                )
            }
            false => Excerpts::default(),
        };
        let mut bytes = Vec::new();
        page::write(&whole, &excerpts, &mut bytes)?;
        if bytes.len() <= most {
            say_sources(&excerpts);
            return Ok(bytes);
        }
        least = raised(least, bytes.len(), most)?;
    }
}

/// The share with which a page may keep to its size. Of most profiles it is the usual one; to make a page several times
/// too long only to see that it is would take as long as to make it.
fn fitting(ground: &Ground<'_>, most: usize) -> Result<Least> {
    let mut least = Least::USUAL;
    // So few do not fill a page: packed, a count has two or three bytes.
    if ground.counts() < most / 4 {
        return Ok(least);
    }
    loop {
        let bytes = page::estimated_length(&Whole::sample(ground, least))?;
        // What a sample says is a few percent off.
        if bytes / 10 <= most / 9 {
            return Ok(least);
        }
        // A sample has no word on whether any page is short enough.
        let Some(more) = least.raised(bytes as f64 / most as f64) else {
            return Ok(least);
        };
        least = more;
    }
}

/// The page of a comparison, in the same way; `warnings` were said about it.
pub(super) fn compared(
    (matching, shifts): (&Matching<'_>, &Shifts),
    selection: &Selection,
    wanted: &Wanted<'_>,
    warnings: &[String],
) -> Result<Vec<u8>> {
    let new = &matching.new.original;
    let finder = Finder::new(wanted.sources.paths(&new.inputs, &new.carried));
    let recorded = finder.recorded();
    let most = wanted.most;
    let own = Difference::new(matching, shifts, selection, Cost::Own);
    let deep = Difference::new(matching, shifts, selection, Cost::Inclusive);
    let lines = LineDifference::new(matching, shifts, selection);
    let files = if wanted.has_sources {
        lines.files(Some(own.listed()).filter(|_| !selection.narrow.is_nothing()))
    } else {
        Vec::new()
    };
    let first = selection
        .show
        .iter()
        .position(|event| Some(event) == selection.sort.first())
        .unwrap_or(0);
    let mut least = Least::USUAL;
    loop {
        let events = (selection.show.clone(), first);
        let compared = Compared::new(&own, &deep, &lines, events, (wanted.by, least));
        let reading = Reading {
            finder: &finder,
            context: wanted.context,
            recorded,
            room: most,
        };
        let excerpts = if wanted.has_sources {
            Excerpts::new(
                &compared.hits(),
                files.iter().map(|file| file.name),
                &reading,
            )
        } else {
            Excerpts::default()
        };
        let mut bytes = Vec::new();
        page::write_comparison(&compared, &excerpts, warnings, &mut bytes)?;
        if bytes.len() <= most {
            say_sources(&excerpts);
            return Ok(bytes);
        }
        least = raised(least, bytes.len(), most)?;
    }
}

/// The share for the next attempt to keep to the size.
fn raised(least: Least, bytes: usize, most: usize) -> Result<Least> {
    match least.raised(bytes as f64 / most as f64) {
        Some(more) => Ok(more),
        None => bail!(Usage(format!(
            "--max-size: no page is smaller than {} bytes",
            grouped(bytes as u64)
        ))),
    }
}

/// Names a source that a page or a pack takes along although it is not of the project.
pub(super) fn say_outside(file: &Path) {
    say(&format!(
        "{}: this source is from outside the project, and in it",
        file.display()
    ));
}

/// Says which sources are in the page: whoever passes it on passes them on.
fn say_sources(excerpts: &Excerpts<'_>) {
    let lines = excerpts.lines();
    if lines == 0 {
        return;
    }
    excerpts
        .files
        .iter()
        .filter_map(|excerpt| excerpt.outside.as_ref())
        .for_each(|file| say_outside(file));
    let named: Vec<String> = excerpts
        .folders
        .iter()
        .take(NAMED)
        .map(|folder| format!("{} ({})", folder.name, folder.lines))
        .collect();
    let more = match excerpts.folders.len().saturating_sub(NAMED) {
        0 => String::new(),
        1 => " and 1 more folder".into(),
        more => format!(" and {more} more folders"),
    };
    say(&format!(
        "the page has {} lines of source, from {}{more}; --auto=no leaves them out",
        grouped(lines as u64),
        named.join(", ")
    ));
}
