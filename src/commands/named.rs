//! What the arguments of the report name: profiles, and sources to annotate. Only their content tells them apart.

use super::console::Console;
use crate::input;
use crate::request::annotate::{Page, Request};
use anyhow::{Context, Result};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::SystemTime;

/// The files.
pub(super) struct Named {
    /// To be read, and summed.
    pub(super) profiles: Vec<PathBuf>,
    /// To be annotated.
    pub(super) sources: Vec<PathBuf>,
}

impl Named {
    /// The first argument is a profile, and so is every later one that is by its content; the rest are sources. Without
    /// any, the newest profile in this folder.
    pub(super) fn new(request: &Request, console: &Console) -> Result<Named> {
        let Some((first, rest)) = request.files.split_first() else {
            let newest = newest_profile().context(
                "no profile is named, and there is no callgrind.out.* or cachegrind.out.* in this folder; \
                 `valgrind --tool=callgrind PROGRAM` writes one",
            )?;
            console.complain(&format!("reading {}, the newest profile in this folder", newest.display()));
            return Ok(Named { profiles: vec![newest], sources: Vec::new() });
        };
        let is_original = matches!(request.page, Page::Original(_));
        let given = request.reading.format.is_some();
        let (mut profiles, mut sources): (Vec<PathBuf>, Vec<PathBuf>) =
            rest.iter().cloned().partition(|name| !is_original && (given || input::is_profile(name)));
        profiles.insert(0, first.clone());
        let mut seen = HashSet::new();
        sources.retain(|name| seen.insert(name.clone()));
        Ok(Named { profiles, sources })
    }
}

/// The newest `callgrind.out.*` in this folder, else the newest `cachegrind.out.*`.
fn newest_profile() -> Option<PathBuf> {
    let mut found: Vec<(bool, SystemTime, OsString)> = std::fs::read_dir(".")
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let begins = |start: &[u8]| name.as_encoded_bytes().starts_with(start);
            let (callgrind, cachegrind) = (begins(b"callgrind.out"), begins(b"cachegrind.out"));
            let meta = entry.metadata().ok().filter(|m| m.is_file())?;
            (callgrind || cachegrind).then_some((callgrind, meta.modified().ok()?, name))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, _, name)| name.into())
}
