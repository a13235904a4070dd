//! Makes pages for browsers that keep to their size, and reports which sources they contain.

use super::{Usage, console::say};
use crate::{
    analysis::{
        Cost, Selection, Session,
        difference::{Difference, LineDifference, Matching, Shifts},
    },
    cli::SourceArgs,
    profile::{Event, joined},
    render::page,
    source::Finder,
    text::grouped,
    view::whole::{Compared, Excerpts, Ground, Hits, Least, Whole},
};
use anyhow::{Result, bail};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The most folders to name.
const NAMED: usize = 4;

/// The options of a page.
pub(super) struct PageOptions<'r> {
    /// The most bytes that it may have.
    pub most: usize,
    /// Where to look for sources.
    pub sources: &'r SourceArgs,
    /// How many lines to show around lines with costs.
    pub context: u64,
    /// Whether it contains sources.
    pub has_sources: bool,
    /// The cost that orders functions.
    pub by: Cost,
}

impl PageOptions<'_> {
    /// The sources of some lines, if the page contains sources. Compressed source takes less than
    /// a third of its bytes, so it is at most a third of the page.
    fn excerpts<'e>(
        &self,
        finder: &Finder,
        hits: &Hits<'e>,
        files: impl Iterator<Item = &'e [u8]>,
    ) -> Excerpts<'e> {
        if self.has_sources {
            Excerpts::new(hits, files, finder, self.context, self.most)
        } else {
            Excerpts::default()
        }
    }
}

/// Makes the page of a profile. Omits more until the page keeps to its size.
pub(super) fn whole(
    session: &Session,
    selection: &Selection,
    show: &[Event],
    wanted: &PageOptions<'_>,
    profiles: &[PathBuf],
) -> Result<Vec<u8>> {
    let finder = Finder::new(wanted.sources.paths(profiles, &session.profile().carried));
    let most = wanted.most;
    let ground = Ground::new(session, selection, show, wanted.by);
    until_it_fits(fitting(&ground, most)?, most, |least, bytes| {
        let whole = Whole::new(&ground, least);
        let files = whole.files.iter().map(|row| row.name);
        let excerpts = wanted.excerpts(&finder, &whole.hits(), files);
        page::write(&whole, &excerpts, bytes)?;
        Ok(excerpts)
    })
}

/// Makes pages that omit more and more, until one keeps to its size.
fn until_it_fits<'e>(
    mut least: Least,
    most: usize,
    make: impl Fn(Least, &mut Vec<u8>) -> io::Result<Excerpts<'e>>,
) -> Result<Vec<u8>> {
    loop {
        let mut bytes = Vec::new();
        let excerpts = make(least, &mut bytes)?;
        if bytes.len() <= most {
            say_sources(&excerpts);
            return Ok(bytes);
        }
        least = match least.raised(bytes.len() as f64 / most as f64) {
            Some(more) => more,
            None => bail!(too_large(&bytes)),
        };
    }
}

/// The refusal of a limit that the smallest page exceeds.
pub(super) fn too_large(page: &[u8]) -> Usage {
    let size = grouped(page.len());
    Usage(format!("--max-size: no page is smaller than {size} bytes"))
}

/// Estimates the threshold at which a page keeps to its size. For most profiles, this is the
/// default. Making a page that is several times too long, only to measure it, takes as long as
/// making the right one.
fn fitting(ground: &Ground<'_>, most: usize) -> Result<Least> {
    let mut least = Least::USUAL;
    // So few counts do not fill a page: compressed, each takes two or three bytes.
    if ground.counts() < most / 4 {
        return Ok(least);
    }
    loop {
        let bytes = page::estimated_length(&Whole::sample(ground, least))?;
        // An estimate from a sample is a few percent off.
        if bytes / 10 <= most / 9 {
            return Ok(least);
        }
        // A sample cannot show that no page is small enough.
        let Some(more) = least.raised(bytes as f64 / most as f64) else {
            return Ok(least);
        };
        least = more;
    }
}

/// Makes the page of a comparison in the same way. `warnings` were printed about it.
pub(super) fn compared(
    (matching, shifts): (&Matching<'_>, &Shifts),
    selection: &Selection,
    wanted: &PageOptions<'_>,
    warnings: &[String],
) -> Result<Vec<u8>> {
    let new = &matching.new.original;
    let finder = Finder::new(wanted.sources.paths(&new.inputs, &new.carried));
    let own = Difference::new(matching, shifts, selection, Cost::Own);
    let deep = Difference::new(matching, shifts, selection, Cost::Inclusive);
    let lines = LineDifference::new(matching, shifts, selection);
    let files = if wanted.has_sources {
        lines.files(Some(&own.listed[..]).filter(|_| !selection.narrow.is_nothing()))
    } else {
        Vec::new()
    };
    let first = selection
        .show
        .iter()
        .position(|event| Some(event) == selection.sort.first())
        .unwrap_or(0);
    until_it_fits(Least::USUAL, wanted.most, |least, bytes| {
        let events = (selection.show.clone(), first);
        let compared = Compared::new(&own, &deep, &lines, events, (wanted.by, least));
        let files = files.iter().map(|file| file.name);
        let excerpts = wanted.excerpts(&finder, &compared.hits(), files);
        page::write_comparison(&compared, &excerpts, warnings, bytes)?;
        Ok(excerpts)
    })
}

/// Warns that a page or a pack contains a source from outside the project.
pub(super) fn say_outside(file: &Path) {
    say(format!(
        "{}: the output contains this source from outside the project",
        file.display()
    ));
}

/// Reports which sources are in the page, because whoever gets the page gets them, too.
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
    let named = excerpts.folders.iter().take(NAMED);
    let named = named.map(|(name, lines)| format!("{name} ({lines})"));
    let more = match excerpts.folders.len().saturating_sub(NAMED) {
        0 => String::new(),
        1 => " and 1 more folder".into(),
        more => format!(" and {more} more folders"),
    };
    say(format!(
        "the page has {} lines of source, from {}{more}\nhint: --auto=no omits them",
        grouped(lines),
        joined(named, ", ")
    ));
}
