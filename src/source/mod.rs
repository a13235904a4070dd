//! Finds and reads source files.
//!
//! ```text
//! origin (what a name says) -> finder (where to look, in which order) -> disk (what is there)
//!        \-> missing (what was not found, and what would find it)
//! ```
//! Only regular files are opened ([`read_regular`]), and nothing is run. A name says where to look below a place, never above it.

mod disk;
mod finder;
mod map;
pub mod missing;
mod origin;
mod paths;
mod places;
mod shared;
mod toolchains;

pub use finder::{Finder, Search, SearchPaths};
pub use map::Map;
#[cfg(feature = "object")]
pub(crate) use map::mapped;
pub use toolchains::Toolchain;

use crate::env;
use crate::fs::{FileError, read_regular};
use crate::profile::Profile;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A source file in memory.
pub struct SourceFile {
    /// The title in the report: the file's name, after its folder if that was given with `-I`, or before its path if it
    /// was found elsewhere than where the original looks.
    pub title: Vec<u8>,
    /// Where it is.
    pub path: PathBuf,
    /// When it was changed last.
    pub modified: Option<SystemTime>,
    /// Whether it comes out of a pack.
    is_carried: bool,
    bytes: Vec<u8>,
}

impl SourceFile {
    /// Whether it is neither below the current folder nor of a toolchain, a package or the system: whoever passes it on
    /// should know.
    pub fn is_from_outside(&self) -> bool {
        !self.is_carried && shared::is_from_outside(&self.path)
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines, each with its line feed; the last one may lack it.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.split_inclusive(|&b| b == b'\n')
    }
}

/// What stands for the text of a line that a file does not have.
pub const PAST_END: &str = "(past the end of the file)";

/// Why there is no source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// It was not found.
    Absent,
    /// The pack that the profile is in does not have it.
    NotPacked,
    /// It cannot be read.
    Unreadable(FileError),
    /// It has no bytes, or the system does not say how many.
    Empty,
    /// It is where no sources are but secrets, and its folder was not named: it is not passed on.
    Private,
    /// Neither its name nor its content is that of a source: it is not passed on.
    NoText,
    /// Several files match equally well.
    Ambiguous(Vec<Vec<u8>>),
}

/// How many files that match equally are named.
const NAMED: usize = 3;

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Absent => f.write_str("no such file"),
            SourceError::NotPacked => f.write_str("it is not in the pack"),
            SourceError::Unreadable(why) => why.fmt(f),
            SourceError::Empty => f.write_str("its size is 0"),
            SourceError::Private => {
                f.write_str("below /etc, /proc or .ssh, and -I does not name its folder")
            }
            SourceError::NoText => f.write_str("not a text, and without the name of a source"),
            SourceError::Ambiguous(files) => {
                let named: Vec<_> = files
                    .iter()
                    .take(NAMED)
                    .map(|file| String::from_utf8_lossy(file))
                    .collect();
                write!(
                    f,
                    "{} files match equally: {}",
                    files.len(),
                    named.join(", ")
                )?;
                f.write_str(if files.len() > NAMED { ", …" } else { "" })
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl From<FileError> for SourceError {
    fn from(why: FileError) -> SourceError {
        match why {
            // No file has such a name.
            FileError::Unreadable(
                io::ErrorKind::NotFound
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidFilename
                | io::ErrorKind::NotADirectory,
            ) => SourceError::Absent,
            why => SourceError::Unreadable(why),
        }
    }
}

/// Larger files are not read as sources.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Reads a source. A file of length zero is not one: endless files of `/proc` also have that length.
fn read(path: &Path) -> Result<(Vec<u8>, Option<SystemTime>), SourceError> {
    let (bytes, meta) = read_regular(path, LARGEST)?;
    if meta.len() == 0 {
        return Err(SourceError::Empty);
    }
    Ok((bytes, meta.modified().ok()))
}

/// The folder whose name reports leave out, with a final slash: the current one, or that in which a pack was made.
pub fn folder(profile: &Profile) -> Vec<u8> {
    profile
        .carried
        .first()
        .map_or_else(env::current_directory, |carried| carried.folder.clone())
}

/// When a file was changed last.
fn modified(name: impl AsRef<Path>) -> Option<SystemTime> {
    fs::metadata(name).ok()?.modified().ok()
}
