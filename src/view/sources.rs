//! The sources of a report: which files, their headings, and which could not be shown. The report,
//! `--zoom` and `diff` use them.
//!
//! Sources can have hundreds of megabytes, so only one section exists at a time.

use super::FileCosts;
use crate::{
    profile::{extend_with, path_bytes},
    source::{Finder, SourceError, SourceFile, missing::Unread},
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::PathBuf,
    time::SystemTime,
};

/// Walks through the files. `costs_of` returns the costs of a file's lines.
pub struct SourceWalk<'a, F> {
    finder: &'a Finder,
    /// Files that the user named, whether or not the profile has them.
    named: &'a [PathBuf],
    /// The modification time of the oldest profile.
    recorded: Option<SystemTime>,
    costs_of: F,
    files: std::vec::IntoIter<&'a [u8]>,
    /// The sources that could not be shown.
    pub unread: Unread<'a>,
}

/// A source file to be shown.
pub struct SourceSection<'a, T> {
    /// The name of the file in the profile, or as the user typed it.
    pub name: &'a [u8],
    /// The name of the file in the report.
    pub title: Vec<u8>,
    /// Why it is shown.
    pub because: Because,
    /// Whether the file was changed after the profile was written.
    pub age: Age,
    /// The costs of its lines; `None` if the profile has none.
    pub costs: Option<T>,
    source: SourceFile,
}

/// Why a file is shown.
#[derive(Clone, Copy)]
pub enum Because {
    /// The user named it.
    Named,
    /// It was chosen by cost.
    Chosen,
}

/// Whether a source or its profile is newer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// The profile is newer, or this is unknown.
    Older,
    /// The source was changed after the profile was written.
    Newer,
}

impl Age {
    /// Compares times in whole seconds, as `callgrind_annotate` does, because files that were
    /// copied together may differ in fractions of a second.
    pub fn new(source: Option<SystemTime>, recorded: Option<SystemTime>) -> Age {
        let seconds = |time: SystemTime| {
            time.duration_since(SystemTime::UNIX_EPOCH)
                .map_or(0, |time| time.as_secs())
        };
        match (source, recorded) {
            (Some(source), Some(recorded)) if seconds(source) > seconds(recorded) => Age::Newer,
            _ => Age::Older,
        }
    }
}

/// The text of source lines that were found, by file and line; `None` past the end of the source.
pub(super) type LineTexts<'a> = HashMap<(&'a [u8], u64), (Age, Option<Vec<u8>>)>;

/// Reads the text of source lines. Each source is read once, one after the other.
pub(super) fn line_texts<'a>(
    lines: impl Iterator<Item = (&'a [u8], u64)>,
    finder: &Finder,
) -> LineTexts<'a> {
    let mut wanted: BTreeMap<&[u8], BTreeSet<u64>> = BTreeMap::new();
    for (file, line) in lines.filter(|&(_, line)| line > 0) {
        wanted.entry(file).or_default().insert(line);
    }
    let (mut texts, recorded) = (HashMap::new(), finder.recorded());
    for (file, lines) in wanted {
        let Ok(source) = finder.open(file) else {
            continue;
        };
        let age = Age::new(source.modified, recorded);
        let mut all = (1..).zip(source.lines());
        texts.extend(lines.into_iter().map(|line| {
            let text = all.find(|&(number, _)| number == line);
            ((file, line), (age, text.map(|(_, text)| text.to_vec())))
        }));
    }
    texts
}

/// A source that the user named but that cannot be read, and the reason.
pub type Unreadable = (Vec<u8>, SourceError);

/// Checks that the sources that the user named can be read.
///
/// # Errors
/// Fails if some cannot be read. The error names them all and has the reason for the first.
pub fn check(finder: &Finder, named: &[PathBuf]) -> Result<(), Unreadable> {
    let names = named.iter().map(path_bytes);
    let mut unread = names.filter_map(|file| Some((file, finder.open(file).err()?)));
    let Some((first, why)) = unread.next() else {
        return Ok(());
    };
    let others: Vec<&[u8]> = unread.map(|(file, _)| file).collect();
    Err(([&[first], &others[..]].concat().join(&b", "[..]), why))
}

impl<'a, T, F: FnMut(&'a [u8]) -> Option<T>> SourceWalk<'a, F> {
    /// Starts the walk. Files that only the user named come first, then those of the profile that
    /// were chosen by cost.
    pub fn new(
        finder: &'a Finder,
        named: &'a [PathBuf],
        chosen: &[&'a [u8]],
        costs_of: F,
    ) -> SourceWalk<'a, F> {
        let unknown = named.iter().map(path_bytes);
        let mut files: Vec<&[u8]> = unknown.filter(|name| !chosen.contains(name)).collect();
        files.extend(chosen);
        SourceWalk {
            finder,
            named,
            recorded: finder.recorded(),
            costs_of,
            files: files.into_iter(),
            unread: Unread::default(),
        }
    }

    /// The next section; `None` after the last. Unreadable sources are skipped and reported at the
    /// end. `ambiguous` is called for a file of the profile that several files match equally well.
    ///
    /// # Errors
    /// Fails if a file that the user named cannot be read.
    pub fn next_section(
        &mut self,
        ambiguous: impl Fn(&[u8], &SourceError),
    ) -> Result<Option<SourceSection<'a, T>>, Unreadable> {
        for name in self.files.by_ref() {
            let mut named = self.named.iter().map(path_bytes);
            let because = if named.any(|user| user == name) {
                Because::Named
            } else {
                Because::Chosen
            };
            let source = match (self.finder.open(name), because) {
                (Ok(source), _) => source,
                (Err(why), Because::Named) => {
                    return Err((name.to_owned(), why));
                }
                (Err(why), Because::Chosen) => {
                    if matches!(why, SourceError::Ambiguous(_)) {
                        ambiguous(name, &why);
                    }
                    self.unread.add(name, &why);
                    continue;
                }
            };
            let age = Age::new(source.modified, self.recorded);
            let title = source.title.clone();
            return Ok(Some(SourceSection {
                name,
                title,
                because,
                age,
                costs: (self.costs_of)(name),
                source,
            }));
        }
        Ok(None)
    }
}

impl<T> SourceSection<'_, T> {
    /// The lines of the source.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.source.lines()
    }
}

/// How much of the total is at annotated lines.
#[derive(Default)]
pub struct Coverage {
    /// The sum of their costs; `None` if no file was annotated.
    pub cost: Option<Vec<i64>>,
}

impl Coverage {
    /// Adds the lines of a file that its source has.
    pub fn add(&mut self, section: &SourceSection<'_, FileCosts<'_>>) {
        let Some(costs) = &section.costs else { return };
        let sum = self.cost.get_or_insert_default();
        let count = section.lines().count() as u64;
        let inside = costs
            .lines
            .iter()
            .filter(|(line, _)| (1..=count).contains(line));
        for (_, cost) in inside {
            extend_with(sum, cost);
        }
    }
}
