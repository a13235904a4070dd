//! How the files of a recording are called: a beginning, a dot and the number of the process, always, because a fork writes a
//! second file. What Callgrind adds (`-01` a thread, `.1` a dump) follows.
//!
//! A run with a name has a number behind it, one more than that of the run before: `callgrind.out.before.3.4711`.

use crate::profile::{Order, Part, Profile};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How they are to be called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Files {
    /// They begin so.
    Begin(PathBuf),
    /// They are of the next run of this name.
    Name(String),
}

/// What ends the name of a file that a forked process wrote.
const FORKED: &str = ".forked";

impl Files {
    /// Those of a run with a name; `None` if it is none: letters, digits, `-` and `_`, a letter first.
    pub fn named(name: &str) -> Option<Files> {
        is_name(name).then(|| Files::Name(name.to_owned()))
    }

    /// How all file names of the next run begin. The folder must be there.
    ///
    /// # Errors
    /// A path that ends in no name, or in a folder that is not there.
    pub fn stem(&self) -> io::Result<Stem> {
        let path = match self {
            Files::Begin(path) => path.clone(),
            Files::Name(name) => {
                let last = runs(name).map(|(run, _)| run).max().unwrap_or(0);
                PathBuf::from(format!("callgrind.out.{name}.{}", last.saturating_add(1)))
            }
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it names a folder"));
        }
        if !folder.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such folder"));
        }
        Ok(Stem(std::path::absolute(&path).map(|whole| if path.is_absolute() { whole } else { path })?))
    }
}

/// How all files of a recording begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stem(PathBuf);

/// A file of a recording.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Written {
    /// The process that it is of.
    pub(super) pid: u32,
    /// Where it is.
    pub(super) path: PathBuf,
}

impl Stem {
    /// What Callgrind is to call its files, in which `%p` stands for the process.
    pub fn pattern(&self) -> OsString {
        let mut pattern = OsString::new();
        // A `%` of the path itself is written twice.
        for (at, piece) in self.0.as_os_str().as_encoded_bytes().split(|&b| b == b'%').enumerate() {
            if at > 0 {
                pattern.push("%%");
            }
            pattern.push(os(piece));
        }
        pattern.push(".%p");
        pattern
    }

    /// The files that are there now.
    pub fn files(&self) -> Vec<PathBuf> {
        self.written().into_iter().map(|file| file.path).collect()
    }

    /// The files that are there now, by process.
    pub(super) fn written(&self) -> Vec<Written> {
        let Some(base) = self.0.file_name() else { return Vec::new() };
        let mut found: Vec<Written> = listing(&self.0)
            .filter_map(|name| {
                let rest = name.as_encoded_bytes().strip_prefix(base.as_encoded_bytes())?.strip_prefix(b".")?;
                let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                let behind = &rest[digits..];
                let of_callgrind = behind.is_empty()
                    || matches!(behind, [b'.' | b'-', more @ ..] if more.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-')));
                let pid = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
                of_callgrind.then(|| Written { pid, path: self.0.with_file_name(&name) })
            })
            .collect();
        found.order();
        found
    }
}

/// Calls the file of a forked process so that nobody takes it for a run. Gives the new name.
pub(super) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.as_os_str().to_owned();
    name.push(FORKED);
    fs::rename(path, &name)?;
    Ok(name.into())
}

/// Whether a file is of a forked process and called so.
pub fn is_set_aside(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(FORKED.as_bytes())
}

/// The files of the newest run of a name in this folder; none if it is no name, or has no run.
pub fn newest_run(name: &OsStr) -> Vec<PathBuf> {
    let Some(name) = name.to_str().filter(|name| is_name(name)) else { return Vec::new() };
    let all: Vec<(u64, PathBuf)> = runs(name).collect();
    let newest = all.iter().map(|(run, _)| *run).max();
    let mut files: Vec<PathBuf> =
        all.into_iter().filter(|(run, _)| Some(*run) == newest).map(|(_, file)| file).collect();
    files.retain(|file| !is_set_aside(file.as_os_str()));
    files.order();
    files
}

/// Whether a profile is of one run that was recorded under a name: its files are called so, each with the process that its
/// header has. A file that somebody called `callgrind.out.v1.2.3` is not of process 3.
pub fn is_one_run(profile: &Profile) -> bool {
    let named = profile.inputs.iter().map(|file| run(file.file_name()?).map(|(run, pid)| ((file.parent(), run), pid)));
    let Some(named) = named.collect::<Option<Vec<_>>>() else { return false };
    let process = |part: &Part| named.get(part.input).map(|(_, pid)| pid.as_bytes());
    !named.is_empty()
        && named.iter().all(|(run, _)| *run == named[0].0)
        && profile.parts.iter().all(|part| process(part) == Some(&part.pid))
}

/// The name of a run with its number, and the process, of one of its files: `callgrind.out.before.3.4711-02`.
fn run(file: &OsStr) -> Option<((&str, &str), &str)> {
    let (name, rest) = file.to_str()?.strip_prefix("callgrind.out.")?.split_once('.')?;
    let (number, rest) = rest.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let process = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    (is_name(name) && is_number(number) && is_number(process)).then_some(((name, number), process))
}

/// The name of the run that a file is of.
pub fn name_of_run(file: &str) -> Option<&str> {
    run(file.as_ref()).map(|((name, _), _)| name)
}

/// The files of all runs of a name in this folder, with the number of the run.
fn runs(name: &str) -> impl Iterator<Item = (u64, PathBuf)> {
    let begin = format!("callgrind.out.{name}.");
    listing(Path::new("callgrind.out")).filter_map(move |file| {
        let rest = file.to_str()?.strip_prefix(&begin)?;
        let run = rest.split('.').next()?.parse().ok()?;
        Some((run, file.clone().into()))
    })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// The names of all files beside a path.
fn listing(path: &Path) -> impl Iterator<Item = OsString> + use<> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.file_name()))
}

#[cfg(unix)]
fn os(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

#[cfg(not(unix))]
fn os(bytes: &[u8]) -> &OsStr {
    OsStr::new(std::str::from_utf8(bytes).unwrap_or_default())
}
