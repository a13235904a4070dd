//! Names the files of a recording: a stem, a dot and the process id. The id is always there, since
//! a fork writes a second file. Callgrind's additions follow (`-01` a thread, `.1` a dump).
//!
//! A named run has a number after its name, one more than the previous run:
//! `callgrind.out.before.3.4711`.

use super::program::beginning;
use crate::{
    fs::{folder, names_in},
    profile::{Order, Part, Profile, names::to_path, path_bytes, to_text},
};
use memchr::memmem;
use std::{
    ffi::{OsStr, OsString},
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// How the user wants the files named.
#[derive(Debug)]
pub enum FileNaming {
    /// Their names begin with this path.
    Begin(PathBuf),
    /// They belong to the next run of this name.
    Name(String),
}

/// The end of the name of a forked process's file.
pub(super) const FORKED: &str = ".forked";

impl FileNaming {
    /// The files of a named run; `None` if the name is not valid: a letter first, then letters,
    /// digits, `-` and `_`.
    pub fn named(name: &str) -> Option<FileNaming> {
        is_name(name).then(|| FileNaming::Name(name.to_owned()))
    }

    /// The file name of the next run for Callgrind, in which `%p` is the process id.
    ///
    /// # Errors
    /// The path names a folder, or its folder does not exist.
    pub fn pattern(&self) -> io::Result<OsString> {
        Ok(pattern(&self.stem(0)?))
    }

    /// The stem, if `others` other recordings have taken the names before it.
    fn stem(&self, others: u64) -> io::Result<PathBuf> {
        let path = match self {
            FileNaming::Begin(path) => path.clone(),
            FileNaming::Name(name) => {
                let last = runs(name).map(|(run, _)| run).max().unwrap_or(0);
                PathBuf::from(format!("callgrind.out.{name}.{}", last + 1 + others))
            }
        };
        if path.file_name().is_none() || path_bytes(&path).ends_with(b"/") {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it names a folder",
            ));
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        if !folder(parent).is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
        }
        Ok(path)
    }

    /// Makes a hidden folder for this recording alone, next to the files to come. Because of it,
    /// runs of one name that are recorded at the same time get different numbers.
    ///
    /// # Errors
    /// Those of [`pattern`](FileNaming::pattern), or the folder cannot be made.
    pub fn private(&self) -> io::Result<Private> {
        for others in 0..100 {
            let stem = self.stem(others)?;
            let mut name = OsString::from(".");
            name.push(stem.file_name().unwrap_or_default());
            if let FileNaming::Begin(_) = self {
                name.push(format!(".{}", u64::from(std::process::id()) + others));
            }
            let folder = std::path::absolute(stem.with_file_name(name))?;
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

/// A path with a process id; `%` in the path itself is doubled.
fn pattern(path: &Path) -> OsString {
    let pieces: Vec<&[u8]> = path_bytes(path).split(|&b| b == b'%').collect();
    let mut pattern = OsString::from(to_path(&pieces.join(&b"%%"[..])));
    pattern.push(".%p");
    pattern
}

/// The folder of a recording in progress. What Valgrind writes stays there until it is complete, so
/// that nobody else's file is mistaken for a part of it. It is removed at the end, unless a process
/// still needs it.
pub struct Private {
    stem: PathBuf,
    folder: PathBuf,
    is_needed: bool,
}

/// A file of a recording.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RecordedFile {
    /// The process that wrote it.
    pub pid: u32,
    /// The end of its name: what Callgrind adds after the process id, and [`FORKED`].
    pub end: OsString,
    /// The file's path.
    pub path: PathBuf,
}

/// At most this many bytes of a log are read.
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

    /// Valgrind's log of each process.
    pub(super) fn logs(&self) -> Vec<(u32, String)> {
        let text = |log: RecordedFile| Some((log.pid, to_text(&beginning(&log.path, LOG)?)));
        self.named("log.").into_iter().filter_map(text).collect()
    }

    /// The profiles that exist.
    pub(super) fn profiles(&self) -> Vec<RecordedFile> {
        self.named("out.")
    }

    fn named(&self, start: &str) -> Vec<RecordedFile> {
        let mut found: Vec<RecordedFile> = names_in(&self.folder)
            .filter_map(|name| {
                let rest = name.as_encoded_bytes().strip_prefix(start.as_bytes())?;
                let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                let pid = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
                Some(RecordedFile {
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
        let folder = path_bytes(&self.folder);
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| memmem::find(&line, folder).is_some())
    }

    /// An empty file that such a process will fill.
    pub(super) fn awaited(&mut self, pid: u32) -> io::Result<RecordedFile> {
        self.is_needed = true;
        let path = self.folder.join(format!("out.{pid}"));
        File::options().append(true).create(true).open(&path)?;
        Ok(RecordedFile {
            pid,
            end: OsString::new(),
            path,
        })
    }

    /// A message if the folder was removed.
    pub(super) fn removed(&self) -> Option<String> {
        let gone = || {
            format!(
                "no profile: {} was removed while the program ran",
                self.folder.display()
            )
        };
        (!self.folder.is_dir()).then(gone)
    }

    /// The error if nothing more can be written here, as on a full disk.
    pub fn full(&self) -> Option<io::Error> {
        fs::write(self.folder.join("probe"), "?").err()
    }

    /// Moves files out under names that nobody else has, and returns their paths. If a name is
    /// taken, the files get a number.
    ///
    /// # Errors
    /// A file cannot be moved; it stays in the folder, which the error names.
    pub(super) fn publish(&mut self, files: &[RecordedFile]) -> io::Result<Vec<PathBuf>> {
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
                // Somebody else took the name.
                again += 1;
                to = self.target(file, again);
            }
            moved.push(to);
        }
        Ok(moved)
    }

    /// The final path of a file.
    fn target(&self, file: &RecordedFile, again: u64) -> PathBuf {
        let mut name = self.stem.clone().into_os_string();
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
            // A hidden folder that stays does no harm.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Gives a file a second name that nobody has. Without hard links, it moves the file over an empty
/// one that it makes.
fn link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to).or_else(|_| {
        File::create_new(to)?;
        fs::rename(from, to)
    })
}

/// Whether a file name is that of a forked process.
pub(crate) fn is_set_aside(name: &OsStr) -> bool {
    name.as_encoded_bytes().ends_with(FORKED.as_bytes())
}

/// The files of the newest run of a name in the current folder; empty if the name is not valid, or
/// has no run.
pub(crate) fn newest_run(name: &OsStr) -> Vec<PathBuf> {
    let Some(name) = name.to_str().filter(|name| is_name(name)) else {
        return Vec::new();
    };
    let all: Vec<(u64, PathBuf)> = runs(name).collect();
    let newest = all.iter().map(|(run, _)| *run).max();
    let mut files: Vec<PathBuf> = all
        .into_iter()
        .filter(|(run, file)| Some(*run) == newest && !is_set_aside(file.as_os_str()))
        .map(|(_, file)| file)
        .collect();
    files.order();
    files
}

/// Whether a profile is of one recording. Either all its files name the same recording, or their
/// names are those of one named run. Then each name must end with the process id in the header: a
/// file that somebody calls `callgrind.out.v1.2.3` is not of process 3.
pub(crate) fn is_one_run(profile: &Profile) -> bool {
    // The first part of a file has what was written into the file's header.
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

/// The name and number of the run, and the process id, of one of its files:
/// `callgrind.out.before.3.4711-02`.
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

/// The name of the run that a file belongs to.
pub(crate) fn name_of_run(file: &str) -> Option<&str> {
    run(file.as_ref()).map(|((name, _), _)| name)
}

/// The files of all runs of a name in the current folder, with the number of the run. A number of
/// more than 32 bits does not count as the number of a run: the next run must have a larger one.
fn runs(name: &str) -> impl Iterator<Item = (u64, PathBuf)> {
    let begin = format!("callgrind.out.{name}.");
    names_in(Path::new(".")).filter_map(move |file| {
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

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}
