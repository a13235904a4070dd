//! Folders of benches, as gungraun and iai write them. They keep the profile of the last run, that
//! of the run before it (`NAME.old`), and saved ones (`NAME.base@SAVED`). gungraun has a folder for
//! each bench, `BENCH/callgrind.BENCH.out`, deep below `target/gungraun`. iai has one folder for
//! all, `target/iai/cachegrind.out.BENCH`.

use super::{FolderEntry, RunFiles, RunSeries, called, entries, once};
use crate::{profile::Order, text::natural::natural};
use anyhow::Result;
use std::{
    collections::{HashSet, VecDeque},
    ffi::OsString,
    path::{Path, PathBuf},
};

/// How deep to look for benches below a folder: the target, the package, the file, the group, the
/// bench.
const DEEPEST: usize = 6;

/// A file of a bench.
struct File {
    /// The beginning of the file names of this bench.
    bench: String,
    age: BenchAge,
    path: PathBuf,
}

/// Orders the runs of a bench: saved ones first, by name, then older before newer ones.
type BenchAge = (u64, String);

/// The last run.
const NEW: BenchAge = (u64::MAX, String::new());

/// Returns the benches in a folder and below it. Empty if the folder has other runs. Entries that
/// are neither files nor folders are added to `special`.
pub(super) fn below(
    folder: &Path,
    is_profile: &impl Fn(&PathBuf) -> bool,
    special: &mut Vec<PathBuf>,
) -> Result<Vec<RunSeries>> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let named = FolderEntry {
        path: folder.to_owned(),
        real: folder.canonicalize()?,
        is_link: false,
        is_folder: true,
    };
    // Links come last: they may lead to a folder that is found by its own name, or back up.
    let (mut left, mut links) = (vec![(named, DEEPEST)], VecDeque::new());
    while let Some((folder, depth)) = left.pop().or_else(|| links.pop_front()) {
        if !known.insert(folder.real) {
            continue;
        }
        let folder = folder.path;
        let (folders, files): (Vec<_>, Vec<_>) = entries(&folder, special)?
            .into_iter()
            .partition(|entry| entry.is_folder);
        let (files, are_benches) = of_benches(&folder, files, is_profile);
        if are_benches {
            for of_bench in files.chunk_by(|a, b| a.bench == b.bench) {
                let runs = of_bench
                    .chunk_by(|a, b| a.age == b.age)
                    .map(|files| RunFiles {
                        name: called(&files[0].path),
                        files: files.iter().map(|file| file.path.clone()).collect(),
                    });
                found.push(RunSeries {
                    bench: Some(folder.join(&of_bench[0].bench)),
                    runs: runs.collect(),
                });
            }
        } else if files.is_empty() && depth > 0 {
            let (further, own): (Vec<_>, Vec<_>) =
                folders.into_iter().partition(|folder| folder.is_link);
            left.extend(own.into_iter().rev().map(|folder| (folder, depth - 1)));
            links.extend(further.into_iter().map(|folder| (folder, depth - 1)));
        }
    }
    Ok(found)
}

/// Returns the profiles among some files by bench, oldest first. Also returns whether they are of
/// benches: one is named like the folder, there is an older one of the same name, or iai's
/// calibration is there.
fn of_benches(
    folder: &Path,
    mut files: Vec<FolderEntry>,
    is_profile: &impl Fn(&PathBuf) -> bool,
) -> (Vec<File>, bool) {
    let in_names = folder_in_names(folder);
    let (mut are_of_folder, mut all) = (false, Vec::new());
    once(&mut files, |file| file);
    for path in files
        .into_iter()
        .map(|file| file.path)
        .filter(|path| path.is_file() && is_profile(path))
    {
        let name = called(&path);
        let (bench, age) = split(&name);
        let (bench, is_of_folder) = of_folder(bench, in_names.as_deref());
        are_of_folder |= is_of_folder;
        all.push(File {
            bench: bench.to_owned(),
            age,
            path,
        });
    }
    all.order_by(|a, b| {
        natural(a.bench.as_bytes(), b.bench.as_bytes()).then_with(|| a.age.cmp(&b.age))
    });
    let has_older = all
        .windows(2)
        .any(|pair| pair[0].bench == pair[1].bench && pair[0].age != pair[1].age);
    let has_calibration = all
        .iter()
        .any(|file| file.bench.ends_with("iai_calibration"));
    (all, are_of_folder || has_older || has_calibration)
}

/// The beginning of the file names of a bench, taken from one of its files.
pub(super) fn name(file: &Path) -> Option<OsString> {
    let name = called(file);
    let folder = folder_in_names(file.parent()?);
    Some(OsString::from(
        of_folder(split(&name).0, folder.as_deref()).0,
    ))
}

/// The name of a folder as it occurs in file names, between dots.
fn folder_in_names(folder: &Path) -> Option<String> {
    crate::fs::folder(folder)
        .canonicalize()
        .ok()
        .map(|path| format!(".{}.", called(&path)))
}

/// Cuts a file name after the name of its folder. Also returns whether that occurs in it. The files
/// of several threads and parts of one run are named `callgrind.BENCH.1234.t1.p1.out`, in the
/// folder BENCH.
fn of_folder<'n>(name: &'n str, folder: Option<&str>) -> (&'n str, bool) {
    let folder = folder.filter(|_| name.ends_with(".out"));
    let end = folder.and_then(|folder| Some(name.find(folder)? + folder.len() - 1));
    (&name[..end.unwrap_or(name.len())], end.is_some())
}

/// Whether a file is of the last run of its bench.
pub(super) fn is_last(name: &str) -> bool {
    split(name).1 == NEW
}

/// The name under which a run was saved, taken from its file.
pub(super) fn saved(name: &str) -> Option<String> {
    let (age, saved) = split(name).1;
    (age == 0).then_some(saved)
}

/// Splits a file name into the bench and the age.
fn split(name: &str) -> (&str, BenchAge) {
    let packed = [".gz", ".xz", ".zst"]
        .iter()
        .find_map(|end| name.strip_suffix(end));
    let name = packed.unwrap_or(name);
    if let Some((bench, saved)) = name.rsplit_once(".base@") {
        return (bench, (0, saved.to_owned()));
    }
    let old = name.rsplit_once(".old").and_then(|(bench, runs)| {
        let runs: u64 = if runs.is_empty() {
            1
        } else {
            runs.parse().ok()?
        };
        Some((bench, (NEW.0.saturating_sub(runs), String::new())))
    });
    old.unwrap_or((name, NEW))
}
