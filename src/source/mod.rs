//! Finds and reads source files.
//!
//! ```text
//! origin (what a name says) ─▶ finder (where to look, in which order) ─▶ disk (what exists)
//!        └─▶ missing (what was not found, and what would find it)
//! ```
//!
//! Only regular files are opened (`fs::read_regular`), and no process is started. A name from a
//! profile leads to places below a folder, never above it.

mod disk;
mod finder;
mod map;
pub mod missing;
mod origin;
mod paths;
mod places;
mod shared;
mod toolchains;

pub use self::{
    finder::{Finder, Search, SearchPaths},
    map::Map,
    toolchains::Toolchain,
};
pub(crate) use map::mapped;
pub(crate) use places::folder_of;
#[cfg(feature = "serve")]
pub(crate) use shared::is_source;

use crate::{
    env,
    fs::{FileError, read_regular},
    profile::{Profile, joined, to_text},
};
use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// A source file in memory.
pub struct SourceFile {
    /// The title in the report: the file's name. To its left is the folder if `-I` gave that. To
    /// its right is the path if the original would not find the file.
    pub title: Vec<u8>,
    /// The file's path.
    pub path: PathBuf,
    /// The last time of modification.
    pub modified: Option<SystemTime>,
    /// Whether it comes from a pack.
    is_carried: bool,
    bytes: Vec<u8>,
}

impl SourceFile {
    /// Whether it is outside the current folder, toolchains, packages and the system. Whoever
    /// passes it on should know.
    pub fn is_from_outside(&self) -> bool {
        !self.is_carried && shared::is_from_outside(&self.path)
    }

    /// Whether it comes from a pack.
    pub fn is_carried(&self) -> bool {
        self.is_carried
    }

    /// The whole content.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The lines, each with its line feed; the last one may lack it.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.split_inclusive(|&b| b == b'\n')
    }
}

/// The text of a line past the end of the file.
pub const PAST_END: &str = "(past the end of the file)";

/// Why a source cannot be shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// It was not found.
    Absent,
    /// The pack with the profile does not contain it.
    NotPacked,
    /// It cannot be read.
    Unreadable(FileError),
    /// It has no bytes, or the system does not say how many.
    Empty,
    /// It is in a folder of secrets that no `-I` or `--map` names, so it is not passed on.
    Private,
    /// Neither its name nor its content looks like a source, so it is not passed on.
    NoText,
    /// Several files match equally well.
    Ambiguous(Vec<Vec<u8>>),
}

/// At most this many of the files that match equally are named.
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
            SourceError::NoText => f.write_str("not a text file, and not named like a source"),
            SourceError::Ambiguous(files) => {
                let named = joined(files.iter().take(NAMED).map(to_text), ", ");
                write!(f, "{} files match equally: {named}", files.len())?;
                f.write_str(if files.len() > NAMED { ", …" } else { "" })
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl From<FileError> for SourceError {
    fn from(why: FileError) -> SourceError {
        match why {
            // No file can have such a name.
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

/// Reads a source. A length of zero is refused: endless files of `/proc` also have that length.
fn read(path: &Path) -> Result<(Vec<u8>, Option<SystemTime>), SourceError> {
    let (bytes, meta) = read_regular(path, LARGEST)?;
    if meta.len() == 0 {
        return Err(SourceError::Empty);
    }
    Ok((bytes, meta.modified().ok()))
}

/// The folder that reports strip from names, with a final slash: the current one, or the one where
/// a pack was made.
pub fn folder(profile: &Profile) -> Vec<u8> {
    profile
        .carried
        .iter()
        .find(|carried| !carried.is_details)
        .map_or_else(env::current_directory, |carried| carried.folder.clone())
}
