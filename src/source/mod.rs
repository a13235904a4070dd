//! Finds and reads source files. With `main`, the only place that reads the environment.
//!
//! ```text
//! origin (what a name says) -> finder (where to look, in which order) -> disk (what is there)
//!        \-> missing (what was not found, and what would find it)
//! ```
//! Only regular files are opened, and nothing is run. A name says where to look below a place, never above it.

mod disk;
mod finder;
mod map;
pub mod missing;
mod origin;
mod paths;
mod places;
mod terminal;
mod toolchains;

pub use finder::{Finder, Search, Where};
pub use map::Map;
pub use terminal::Terminal;
pub use toolchains::Toolchain;

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

/// A source file in memory.
pub struct SourceFile {
    /// How the report calls it: the file's name, behind the folder it was found in if that was asked for, before the
    /// path if it was found where the original does not look.
    pub title: Vec<u8>,
    /// When it was changed last.
    pub modified: Option<SystemTime>,
    bytes: Vec<u8>,
}

impl SourceFile {
    /// The lines, each with its line feed; the last one may lack it.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.bytes.split_inclusive(|&b| b == b'\n')
    }
}

/// Why there is no source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// It is nowhere.
    Absent,
    /// The system does not let us read it.
    Unreadable(io::ErrorKind),
    /// A folder, a device or a FIFO, which could block or never end.
    NotRegular,
    /// Larger than a source file is.
    TooLarge,
    /// These files match equally.
    Ambiguous(Vec<Vec<u8>>),
}

/// How many files that match equally are named.
const NAMED: usize = 3;

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Absent => f.write_str("no such file"),
            SourceError::Unreadable(kind) => write!(f, "{kind}"),
            SourceError::NotRegular => f.write_str("not a regular file"),
            SourceError::TooLarge => f.write_str("too large for a source file"),
            SourceError::Ambiguous(files) => {
                let named: Vec<_> = files.iter().take(NAMED).map(|file| String::from_utf8_lossy(file)).collect();
                write!(f, "{} files match equally: {}", files.len(), named.join(", "))?;
                f.write_str(if files.len() > NAMED { ", …; " } else { "; " })?;
                f.write_str("`--map OLD=NEW` chooses one")
            }
        }
    }
}

impl std::error::Error for SourceError {}

impl From<io::Error> for SourceError {
    fn from(e: io::Error) -> SourceError {
        match e.kind() {
            io::ErrorKind::NotFound => SourceError::Absent,
            kind => SourceError::Unreadable(kind),
        }
    }
}

/// A source file larger than this is not one.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Reads a regular file; a device or a FIFO could block or never end.
fn read(path: &Path) -> Result<(Vec<u8>, Option<SystemTime>), SourceError> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(SourceError::NotRegular);
    }
    if meta.len() > LARGEST {
        return Err(SourceError::TooLarge);
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok((bytes, meta.modified().ok()))
}

/// The current directory with a final slash, to take off absolute file names; empty if it is not known.
pub fn current_directory() -> Vec<u8> {
    let mut dir = std::env::current_dir().map(|d| d.to_string_lossy().into_owned().into_bytes()).unwrap_or_default();
    if !dir.is_empty() {
        dir.push(b'/');
    }
    dir
}

/// When a file was changed last.
pub fn modified(name: &str) -> Option<SystemTime> {
    fs::metadata(name).ok()?.modified().ok()
}

/// Whether the terminal's language setting has more characters than ASCII's: the first of `LC_ALL`, `LC_CTYPE` and `LANG`
/// that is set names UTF-8.
pub fn speaks_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(std::env::var_os).find(|value| !value.is_empty());
    set.is_some_and(|value| {
        let value = value.to_string_lossy().to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    })
}
