//! Completions for the user's shell. The first line says whether names of files or folders are
//! answers, too. Each further line has an answer, a tab and an explanation. Errors only lead to
//! fewer answers.

use super::{help, named};
use crate::input::{self, Options};
use crate::profile::{Collect, Function, NameId, Order, Profile};
use crate::request::complete::{Asked, Other};
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    let names = |of: fn(&Function) -> NameId, typed: fn(&str) -> String| {
        let names = read(asked).map_or_else(Vec::new, |profile| dearest(&profile, of));
        names
            .iter()
            .filter_map(|name| Some((typed(str::from_utf8(name).ok()?), String::new())))
            .collect()
    };
    match asked.other {
        Other::Nothing | Other::Files | Other::Folders => Vec::new(),
        Other::Events => {
            read(asked).map_or_else(Vec::new, |profile| help::in_words(&profile.events))
        }
        Other::Functions => names(|function| function.name, str::to_owned),
        Other::FunctionPatterns => names(|function| function.name, regex::escape),
        Other::FilePatterns => names(|function| function.file, regex::escape),
        Other::ObjectPatterns => names(|function| function.object, regex::escape),
    }
}

/// The names of functions, or of their files or objects, each once. The most expensive come first,
/// by self cost of the first event.
fn dearest(profile: &Profile, of: fn(&Function) -> NameId) -> Vec<Vec<u8>> {
    let mut sums: BTreeMap<NameId, i64> = BTreeMap::new();
    for id in profile.function_ids() {
        let cost = profile.self_cost(id).first().copied().unwrap_or(0).max(0);
        let sum = sums.entry(of(profile.function(id))).or_default();
        *sum = sum.saturating_add(cost);
    }
    let mut sums: Vec<(NameId, i64)> = sums.into_iter().collect();
    sums.order_by(|a, b| {
        b.1.cmp(&a.1)
            .then_with(|| profile.name(a.0).cmp(profile.name(b.0)))
    });
    let names = sums
        .into_iter()
        .map(|(name, _)| profile.name(name).to_vec());
    names
        .filter(|name| !name.is_empty() && name != b"???")
        .collect()
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
