//! The sources of a page: the lines that cost anything, and some around them.

use super::Whole;
use crate::profile::NameId;
use crate::source::{Finder, SourceError};
use crate::text::escape;
use crate::view::sources::Age;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// A line of source is cut behind so many characters: some are written by programs and have a megabyte.
const LONGEST: usize = 2000;

/// Pieces of source files.
#[derive(Default)]
pub struct Excerpts {
    /// The files, by name.
    pub files: Vec<Excerpt>,
    /// Files with lines on the page whose sources were not found or not readable.
    pub not_found: usize,
    /// Files that there was no room for, the cheapest.
    pub no_room: usize,
    /// How many lines of which folders there are, most first.
    pub folders: Vec<Folder>,
}

/// How many lines are from one folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folder {
    /// Its name, `.` for the current one.
    pub name: String,
    /// The lines.
    pub lines: usize,
}

/// Pieces of one file.
pub struct Excerpt {
    /// The file.
    pub file: NameId,
    /// How it was found, if not by its name.
    pub title: String,
    /// Whether it was changed after the profile was written.
    pub age: Age,
    /// The pieces in order.
    pub runs: Vec<Run>,
}

/// Lines that follow each other.
pub struct Run {
    /// The number of the first.
    pub first: u64,
    /// What they say, with neither line feeds nor anything that a screen would obey.
    pub lines: Vec<String>,
}

impl Excerpts {
    /// The sources of what is on a page: so many lines around each, and not much more than `room` bytes in all.
    pub fn new(
        whole: &Whole<'_>,
        finder: &Finder,
        context: u64,
        recorded: Option<SystemTime>,
        room: usize,
    ) -> Excerpts {
        let mut hit: BTreeMap<NameId, BTreeSet<u64>> = BTreeMap::new();
        let mut see = |file: NameId, line: u64| {
            if line > 0 && file != NameId::UNKNOWN {
                hit.entry(file).or_default().insert(line);
            }
        };
        whole.lines.iter().for_each(|line| see(line.file, line.line));
        let sites = whole.arcs.iter().flat_map(|arc| whole.profile.sites(arc.arc));
        sites.for_each(|site| see(site.file, site.line));
        let mut found = Excerpts::default();
        let mut left = room;
        let order: BTreeMap<&[u8], usize> =
            whole.files.rows.iter().enumerate().map(|(at, row)| (row.name, at)).collect();
        let mut files: Vec<(NameId, BTreeSet<u64>)> = hit.into_iter().collect();
        files.sort_by_key(|(file, _)| {
            let name = whole.profile.name(*file);
            (order.get(name).copied().unwrap_or(usize::MAX), name)
        });
        for (file, lines) in files {
            if left == 0 {
                found.no_room += 1;
                continue;
            }
            match excerpt(whole, finder, file, &lines, (context, recorded)) {
                Ok(excerpt) => {
                    let bytes: usize = excerpt.runs.iter().flat_map(|run| &run.lines).map(|line| line.len() + 1).sum();
                    left = left.saturating_sub(bytes);
                    found.files.push(excerpt);
                }
                Err(_) => found.not_found += 1,
            }
        }
        found.files.retain(|excerpt| !excerpt.runs.is_empty());
        found.files.sort_by_key(|excerpt| whole.profile.name(excerpt.file));
        found.folders = folders(whole, &found.files);
        found
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.folders.iter().map(|folder| folder.lines).sum()
    }
}

fn excerpt(
    whole: &Whole<'_>,
    finder: &Finder,
    file: NameId,
    lines: &BTreeSet<u64>,
    (context, recorded): (u64, Option<SystemTime>),
) -> Result<Excerpt, SourceError> {
    let name = whole.profile.name(file);
    let source = finder.open(name)?;
    let mut wanted: Vec<(u64, u64)> = Vec::new();
    for &line in lines {
        let (from, to) = (line.saturating_sub(context).max(1), line.saturating_add(context));
        match wanted.last_mut() {
            Some((_, end)) if *end >= from.saturating_sub(1) => *end = (*end).max(to),
            _ => wanted.push((from, to)),
        }
    }
    let (mut runs, mut wanted): (Vec<Run>, _) = (Vec::new(), wanted.into_iter().peekable());
    for (number, text) in (1u64..).zip(source.lines()) {
        while wanted.next_if(|(_, to)| *to < number).is_some() {}
        let Some(&(from, _)) = wanted.peek() else { break };
        if number < from {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.first + run.lines.len() as u64 == number => run.lines.push(line(text)),
            _ => runs.push(Run { first: number, lines: vec![line(text)] }),
        }
    }
    let title = if source.title == name { String::new() } else { escape::shown(&source.title) };
    Ok(Excerpt { file, title, age: Age::of(source.modified, recorded), runs })
}

/// A line as a person gets it; tabs stay.
fn line(text: &[u8]) -> String {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = String::from_utf8_lossy(text.strip_suffix(b"\r").unwrap_or(text)).into_owned();
    let is_long = text.chars().nth(LONGEST).is_some();
    let mut shown: String = if is_long { text.chars().take(LONGEST).chain(['…']).collect() } else { text };
    if shown.bytes().any(|byte| !matches!(byte, b'\t' | b' '..=b'~')) {
        shown = shown.split('\t').map(escape::text).collect::<Vec<_>>().join("\t");
    }
    shown
}

fn folders(whole: &Whole<'_>, files: &[Excerpt]) -> Vec<Folder> {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for excerpt in files {
        let name = whole.profile.name(excerpt.file);
        let folder = match name.iter().rposition(|&byte| byte == b'/') {
            Some(0) => "/".into(),
            Some(at) => escape::shown(&name[..at]),
            None => ".".into(),
        };
        *lines.entry(folder).or_default() += excerpt.runs.iter().map(|run| run.lines.len()).sum::<usize>();
    }
    let mut folders: Vec<Folder> = lines.into_iter().map(|(name, lines)| Folder { name, lines }).collect();
    folders.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
    folders
}
