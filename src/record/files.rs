//! How the files of a recording are called: a beginning, a dot and the number of the process, always, because a fork writes a
//! second file. What Callgrind adds (`-01` a thread, `.1` a dump) follows.
//!
//! A run with a name has a number behind it, one more than that of the run before: `callgrind.out.before.3.4711`.

use crate::profile::names::to_path;
use crate::profile::{Order, Part, Profile};
use memchr::memmem;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
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
pub(super) const FORKED: &str = ".forked";

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
        self.later(0)
    }

    /// How they begin if so many other recordings have taken the next names.
    fn later(&self, others: u64) -> io::Result<Stem> {
        let path = match self {
            Files::Begin(path) => path.clone(),
            Files::Name(name) => {
                let last = runs(name).map(|(run, _)| run).max().unwrap_or(0);
                PathBuf::from(format!("callgrind.out.{name}.{}", last + 1 + others))
            }
        };
        if path.file_name().is_none() || path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it names a folder",
            ));
        }
        if !folder(&path).is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "there is no such folder",
            ));
        }
        Ok(Stem(path))
    }

    /// Makes a folder that no other recording has, hidden beside the files to come. Runs of one name that are recorded at the
    /// same time get different numbers by it.
    ///
    /// # Errors
    /// Those of [`stem`](Files::stem), or the folder cannot be made.
    pub fn private(&self) -> io::Result<Private> {
        for others in 0..100 {
            let stem = self.later(others)?;
            let mut name = OsString::from(".");
            name.push(stem.0.file_name().unwrap_or_default());
            if let Files::Begin(_) = self {
                name.push(format!(".{}", u64::from(std::process::id()) + others));
            }
            let folder = std::path::absolute(stem.0.with_file_name(name))?;
            match create_private(&folder) {
                Ok(()) => {
                    return Ok(Private {
                        stem,
                        folder,
                        is_needed: false,
                    });
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// How all files of a recording begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stem(PathBuf);

impl Stem {
    /// What Callgrind is to call its files, in which `%p` stands for the process.
    pub fn pattern(&self) -> OsString {
        pattern(&self.0)
    }
}

/// A path and a process, in which a `%` of the path itself is written twice.
fn pattern(path: &Path) -> OsString {
    let mut pattern = OsString::new();
    for (at, piece) in path
        .as_os_str()
        .as_encoded_bytes()
        .split(|&b| b == b'%')
        .enumerate()
    {
        if at > 0 {
            pattern.push("%%");
        }
        pattern.push(to_path(piece));
    }
    pattern.push(".%p");
    pattern
}

/// The folder of a recording that goes on. What Valgrind writes is there until it is complete, so that no file of anybody
/// else's can be taken for one of it. It is removed at the end, if no process still needs it.
#[derive(Debug)]
pub struct Private {
    stem: Stem,
    folder: PathBuf,
    is_needed: bool,
}

/// A file of a recording.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Written {
    /// The process that it is of.
    pub(super) pid: u32,
    /// What Callgrind adds behind that in its name, and we.
    pub(super) end: OsString,
    /// Where it is.
    pub(super) path: PathBuf,
}

/// More of a log is not read.
const LOG: u64 = 1 << 20;

impl Private {
    /// Valgrind's options for its log and its profiles.
    pub(super) fn options(&self) -> [OsString; 2] {
        [("--log-file=", "log"), ("--callgrind-out-file=", "out")].map(|(option, name)| {
            let mut option = OsString::from(option);
            option.push(pattern(&self.folder.join(name)));
            option
        })
    }

    /// What Valgrind said, a text a process.
    pub(super) fn logs(&self) -> Vec<(u32, String)> {
        let text = |log: Written| {
            let mut text = Vec::new();
            File::open(log.path)
                .ok()?
                .take(LOG)
                .read_to_end(&mut text)
                .ok()?;
            Some((log.pid, String::from_utf8_lossy(&text).into_owned()))
        };
        self.named("log.").into_iter().filter_map(text).collect()
    }

    /// The profiles that are there.
    pub(super) fn profiles(&self) -> Vec<Written> {
        self.named("out.")
    }

    fn named(&self, start: &str) -> Vec<Written> {
        let mut found: Vec<Written> = listing(&self.folder.join(start))
            .filter_map(|name| {
                let rest = name.as_encoded_bytes().strip_prefix(start.as_bytes())?;
                let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                let pid = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
                Some(Written {
                    pid,
                    end: to_path(&rest[digits..]).into(),
                    path: self.folder.join(&name),
                })
            })
            .collect();
        found.order();
        found
    }

    /// Whether a process still runs under Valgrind and will write here.
    pub(super) fn is_awaited(&self, pid: u32) -> bool {
        let folder = self.folder.as_os_str().as_encoded_bytes();
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| memmem::find(&line, folder).is_some())
    }

    /// An empty file that such a process will fill.
    pub(super) fn awaited(&mut self, pid: u32) -> io::Result<Written> {
        self.is_needed = true;
        let path = self.folder.join(format!("out.{pid}"));
        File::options().append(true).create(true).open(&path)?;
        Ok(Written {
            pid,
            end: OsString::new(),
            path,
        })
    }

    /// That it was removed, if it was.
    pub(super) fn removed(&self) -> Option<String> {
        let gone = || {
            format!(
                "there is no profile: {} was removed while the program ran",
                self.folder.display()
            )
        };
        (!self.folder.is_dir()).then(gone)
    }

    /// Why nothing more can be written here, if nothing can.
    pub fn full(&self) -> Option<io::Error> {
        fs::write(self.folder.join("probe"), "?").err()
    }

    /// Moves files out, under names that nobody else has, and gives those. If one is taken, all get a number.
    ///
    /// # Errors
    /// They cannot be moved; then they stay in the folder, which the error names.
    pub(super) fn publish(&mut self, files: &[Written]) -> io::Result<Vec<PathBuf>> {
        let is_free = |again: &u64| {
            !files
                .iter()
                .any(|file| self.target(file, *again).symlink_metadata().is_ok())
        };
        let mut again = (1..).find(is_free).unwrap_or(1);
        let mut moved = Vec::with_capacity(files.len());
        for file in files {
            let mut to = self.target(file, again);
            while let Err(e) = link(&file.path, &to) {
                if e.kind() != io::ErrorKind::AlreadyExists {
                    self.is_needed = true;
                    return Err(io::Error::new(
                        e.kind(),
                        format!(
                            "a profile cannot be moved to {}, and stays {}: {e}",
                            to.display(),
                            file.path.display()
                        ),
                    ));
                }
                // Somebody was faster.
                again += 1;
                to = self.target(file, again);
            }
            moved.push(to);
        }
        Ok(moved)
    }

    /// What a file is to be called at last.
    fn target(&self, file: &Written, again: u64) -> PathBuf {
        let mut name = self.stem.0.clone().into_os_string();
        name.push(format!(".{}", file.pid));
        if again > 1 {
            name.push(format!("_{again}"));
        }
        name.push(&file.end);
        name.into()
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if !self.is_needed {
            // What is left in a hidden folder does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Gives a file a second name that nobody has. Where files have only one, it is moved: over an empty one of ours.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
            File::create_new(to)?;
            fs::rename(from, to)
        }
        linked => linked,
    }
}

/// Whether a file is of a forked process and called so.
pub fn is_set_aside(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(FORKED.as_bytes())
}

/// The files of the newest run of a name in this folder; none if it is no name, or has no run.
pub fn newest_run(name: &OsStr) -> Vec<PathBuf> {
    let Some(name) = name.to_str().filter(|name| is_name(name)) else {
        return Vec::new();
    };
    let all: Vec<(u64, PathBuf)> = runs(name).collect();
    let newest = all.iter().map(|(run, _)| *run).max();
    let mut files: Vec<PathBuf> = all
        .into_iter()
        .filter(|(run, _)| Some(*run) == newest)
        .map(|(_, file)| file)
        .collect();
    files.retain(|file| !is_set_aside(file.as_os_str()));
    files.order();
    files
}

/// Whether a profile is of one recording: all its files name the same, or are called as those of one run that was recorded
/// under a name, each with the process that its header has. A file that somebody called `callgrind.out.v1.2.3` is not of
/// process 3.
pub fn is_one_run(profile: &Profile) -> bool {
    // What was written into a file stands at its first part.
    let files = profile
        .parts
        .chunk_by(|part, next| part.input == next.input);
    let mut recordings = files.map(|parts| parts[0].described(b"Recording"));
    let first = recordings.next().flatten();
    if first.is_some() && recordings.all(|other| other == first) {
        return true;
    }
    let named = profile
        .inputs
        .iter()
        .map(|file| run(file.file_name()?).map(|(run, pid)| ((file.parent(), run), pid)));
    let Some(named) = named.collect::<Option<Vec<_>>>() else {
        return false;
    };
    let process = |part: &Part| named.get(part.input).map(|(_, pid)| pid.as_bytes());
    !named.is_empty()
        && named.iter().all(|(run, _)| *run == named[0].0)
        && profile
            .parts
            .iter()
            .all(|part| process(part) == Some(&part.pid))
}

/// The name of a run with its number, and the process, of one of its files: `callgrind.out.before.3.4711-02`.
fn run(file: &OsStr) -> Option<((&str, &str), &str)> {
    let (name, rest) = file
        .to_str()?
        .strip_prefix("callgrind.out.")?
        .split_once('.')?;
    let (number, rest) = rest.split_once('.')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let process = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    (is_name(name) && is_number(number) && is_number(process)).then_some(((name, number), process))
}

/// The name of the run that a file is of.
pub fn name_of_run(file: &str) -> Option<&str> {
    run(file.as_ref()).map(|((name, _), _)| name)
}

/// The files of all runs of a name in this folder, with the number of the run. A larger number is nobody's count of runs, and
/// leaves none for the next one.
fn runs(name: &str) -> impl Iterator<Item = (u64, PathBuf)> {
    let begin = format!("callgrind.out.{name}.");
    listing(Path::new("callgrind.out")).filter_map(move |file| {
        let rest = file.to_str()?.strip_prefix(&begin)?;
        let run: u32 = rest.split('.').next()?.parse().ok()?;
        Some((run.into(), file.clone().into()))
    })
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// The folder that a path is in.
fn folder(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The names of all files beside a path.
fn listing(path: &Path) -> impl Iterator<Item = OsString> + use<> {
    fs::read_dir(folder(path))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.file_name()))
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}
