//! Completions for the user's shell. The first line says whether names of files or folders are
//! answers, too. Each further line has an answer, a tab and an explanation. Errors only lead to
//! fewer answers.

use super::{help, named};
use crate::{
    analysis::{GroupBy, Selection},
    input::{self, Options},
    profile::{Collect, Event, Profile},
    request::complete::{Asked, Other},
    view::Groups,
};
use anyhow::Result;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The most bytes of profiles to read, because nobody waits for more.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The most answers to print.
const MOST: usize = 1000;

pub(super) fn run(asked: &Asked, mut out: impl Write) -> Result<ExitCode> {
    let kind = match asked.other {
        Other::Files => "files",
        Other::Folders => "folders",
        _ => "words",
    };
    writeln!(out, "{kind}")?;
    let fits = |word: &str| word.starts_with(&asked.typed) && !word.contains(char::is_control);
    let words = asked.words.iter().cloned().chain(of_profile(asked));
    for (word, about) in words.filter(|(word, _)| fits(word)).take(MOST) {
        let about = about.lines().next().unwrap_or_default().replace('\t', " ");
        writeln!(out, "{}{word}\t{about}", asked.before)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Answers from the profile. Names are ordered by cost, most expensive first.
fn of_profile(asked: &Asked) -> Vec<(String, String)> {
    let names = |by: GroupBy, typed: fn(&str) -> String| {
        let Some(profile) = read(asked) else {
            return Vec::new();
        };
        let groups = Groups::new(&profile, &Selection::whole(vec![Event::Recorded(0)]), by);
        let named = groups.rows.iter().map(|group| group.name);
        named
            .filter(|name| !matches!(*name, b"" | b"???"))
            .filter_map(|name| Some((typed(str::from_utf8(name).ok()?), String::new())))
            .collect()
    };
    match asked.other {
        Other::Nothing | Other::Files | Other::Folders => Vec::new(),
        Other::Events => {
            read(asked).map_or_else(Vec::new, |profile| help::in_words(&profile.events))
        }
        Other::Functions => names(GroupBy::Function, str::to_owned),
        Other::Patterns(by) => names(by, regex::escape),
    }
}

/// Reads the sum of the named inputs, or else the newest profile. `None` if they are too large or
/// cannot be read.
fn read(asked: &Asked) -> Option<Profile> {
    let named = asked
        .inputs
        .iter()
        .flat_map(|name| match (name.is_file(), named::process(name)) {
            (false, Some(number)) => input::of_process(number).0,
            _ => vec![name.clone()],
        });
    let mut files: Vec<PathBuf> = named
        .filter(|name| name.is_file() && input::is_profile(name))
        .collect();
    if files.is_empty() {
        files.push(named::newest_profile(Path::new(""))?);
    }
    let sizes = files
        .iter()
        .map(|name| name.metadata().map_or(0, |meta| meta.len()));
    if sizes.fold(0, u64::saturating_add) > LARGEST {
        return None;
    }
    input::read(
        &files,
        &Options {
            collect: Collect::FUNCTIONS,
            ..Options::all()
        },
    )
    .ok()
}
