//! The sources of a page: the lines with a cost, and some lines around them.

use super::Whole;
use crate::{
    profile::{NameId, Order, joined},
    source::{Finder, SourceError},
    text::escape,
    view::Age,
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    time::SystemTime,
};

/// A source line is truncated to this many characters, because generated lines can have a megabyte.
const LONGEST: usize = 2000;

/// The wanted lines, by file.
pub type Hits<'a> = BTreeMap<&'a [u8], BTreeSet<u64>>;

/// Pieces of source files.
#[derive(Default)]
pub struct Excerpts<'a> {
    /// The files, by name.
    pub files: Vec<Excerpt<'a>>,
    /// The files with lines on the page whose sources were not found or not readable, and why.
    pub not_found: Vec<(&'a [u8], SourceError)>,
    /// The number of files that had no room, which are the cheapest.
    pub no_room: usize,
    /// The folders with their numbers of lines, most lines first. The current one is `.`.
    pub folders: Vec<(String, usize)>,
}

/// Pieces of one file.
pub struct Excerpt<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The name of the source, if it is not that of the file.
    pub title: String,
    /// Whether it was changed after the profile was written.
    pub age: Age,
    /// The path of the source if it is outside the current folder, to warn whoever passes the page
    /// on.
    pub outside: Option<PathBuf>,
    /// The pieces, in order.
    pub runs: Vec<ExcerptRun>,
}

/// Consecutive lines.
pub struct ExcerptRun {
    /// The number of the first line.
    pub first: u64,
    /// The text of the lines, without line feeds and control characters.
    pub lines: Vec<String>,
}

impl<'a> Whole<'a> {
    /// The lines that are on the page.
    pub fn hits(&self) -> Hits<'a> {
        let mut hits = Hits::new();
        let mut see = |file: NameId, line: u64| {
            if line > 0 && file != NameId::UNKNOWN {
                hits.entry(self.profile.name(file))
                    .or_default()
                    .insert(line);
            }
        };
        self.lines.iter().for_each(|line| see(line.file, line.line));
        let sites = self.arcs.iter().flat_map(|arc| self.profile.sites(arc.arc));
        sites.for_each(|site| see(site.file, site.line));
        hits
    }
}

impl<'a> Excerpts<'a> {
    /// Reads the sources of some lines, with `context` lines around each. Files are read in the
    /// order of `dearest`; files that are not in it come last. No further file is read once the
    /// sources have `room` bytes.
    pub fn new(
        hits: &Hits<'a>,
        dearest: impl IntoIterator<Item = &'a [u8]>,
        finder: &Finder,
        context: u64,
        room: usize,
    ) -> Excerpts<'a> {
        let mut found = Excerpts::default();
        let (mut left, recorded) = (room, finder.recorded());
        let order: HashMap<&[u8], usize> = dearest.into_iter().zip(0..).collect();
        let mut files: Vec<(&'a [u8], &BTreeSet<u64>)> =
            hits.iter().map(|(&file, lines)| (file, lines)).collect();
        files.order_by_key(|(file, _)| (order.get(file).copied().unwrap_or(usize::MAX), *file));
        for (file, lines) in files {
            if left == 0 {
                found.no_room += 1;
                continue;
            }
            match excerpt(file, (lines, context), finder, recorded) {
                Ok(excerpt) => {
                    let bytes: usize = excerpt
                        .runs
                        .iter()
                        .flat_map(|run| &run.lines)
                        .map(|line| line.len() + 1)
                        .sum();
                    left = left.saturating_sub(bytes);
                    found.files.push(excerpt);
                }
                Err(why) => found.not_found.push((file, why)),
            }
        }
        found.files.retain(|excerpt| !excerpt.runs.is_empty());
        found.files.order_by_key(|excerpt| excerpt.file);
        found.folders = folders(&found.files);
        found
    }

    /// The number of lines.
    pub fn lines(&self) -> usize {
        self.folders.iter().map(|(_, lines)| lines).sum()
    }
}

fn excerpt<'a>(
    name: &'a [u8],
    (lines, context): (&BTreeSet<u64>, u64),
    finder: &Finder,
    recorded: Option<SystemTime>,
) -> Result<Excerpt<'a>, SourceError> {
    let source = finder.open_to_pass_on(name)?;
    let mut wanted: Vec<(u64, u64)> = Vec::new();
    for &line in lines {
        let (from, to) = (
            line.saturating_sub(context).max(1),
            line.saturating_add(context),
        );
        match wanted.last_mut() {
            Some((_, end)) if *end >= from.saturating_sub(1) => *end = (*end).max(to),
            _ => wanted.push((from, to)),
        }
    }
    let (mut runs, mut wanted): (Vec<ExcerptRun>, _) = (Vec::new(), wanted.into_iter().peekable());
    for (number, text) in (1u64..).zip(source.lines()) {
        while wanted.next_if(|(_, to)| *to < number).is_some() {}
        let Some(&(from, _)) = wanted.peek() else {
            break;
        };
        if number < from {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.first + run.lines.len() as u64 == number => run.lines.push(line(text)),
            _ => runs.push(ExcerptRun {
                first: number,
                lines: vec![line(text)],
            }),
        }
    }
    let title = if source.title == name {
        String::new()
    } else {
        escape::shown(&source.title)
    };
    let outside = source.is_from_outside().then(|| source.path.clone());
    Ok(Excerpt {
        file: name,
        title,
        outside,
        age: Age::new(source.modified, recorded),
        runs,
    })
}

/// Escapes a line for people, except tabs.
fn line(text: &[u8]) -> String {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
    let is_long = text.chars().nth(LONGEST).is_some();
    let mut shown: String = if is_long {
        text.chars().take(LONGEST).chain(['…']).collect()
    } else {
        text
    };
    if shown
        .bytes()
        .any(|byte| !matches!(byte, b'\t' | b' '..=b'~'))
    {
        shown = joined(shown.split('\t').map(escape::text), "\t");
    }
    shown
}

fn folders(files: &[Excerpt<'_>]) -> Vec<(String, usize)> {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for excerpt in files {
        let name = excerpt.file;
        let folder = match name.iter().rposition(|&byte| byte == b'/') {
            Some(0) => "/".into(),
            Some(at) => escape::shown(&name[..at]),
            None => ".".into(),
        };
        *lines.entry(folder).or_default() += excerpt
            .runs
            .iter()
            .map(|run| run.lines.len())
            .sum::<usize>();
    }
    let mut folders: Vec<(String, usize)> = lines.into_iter().collect();
    // They are in the order of names.
    folders.order_by_key(|&(_, lines)| Reverse(lines));
    folders
}
