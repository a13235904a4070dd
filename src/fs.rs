//! Reads small files completely, such as sources and configuration files.
//!
//! A name may refer to a device, a FIFO or a file in `/proc`, which could block or never end. So
//! this module opens only regular files, without blocking, and reads at most their size.

use std::{
    ffi::OsString,
    fmt,
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
    time::SystemTime,
};

/// Why a file cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileError {
    /// The file does not exist, or the system does not permit reading it.
    Unreadable(io::ErrorKind),
    /// A directory, a device or a FIFO, which could block or never end.
    NotRegular,
    /// Larger than this many bytes, a multiple of a MiB.
    TooLarge(u64),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Unreadable(kind) => write!(f, "{kind}"),
            FileError::NotRegular => f.write_str("not a regular file"),
            FileError::TooLarge(most) => write!(f, "too large: more than {} MiB", most >> 20),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(e: io::Error) -> FileError {
        FileError::Unreadable(e.kind())
    }
}

/// The metadata of a regular file; `None` for anything else.
pub(crate) fn regular(path: impl AsRef<Path>) -> Option<Metadata> {
    fs::metadata(path).ok().filter(Metadata::is_file)
}

/// The total size of the files in bytes; `None` unless all are regular.
pub(crate) fn size(files: &[impl AsRef<Path>]) -> Option<u64> {
    let sizes = files.iter().map(|file| Some(regular(file)?.len()));
    sizes.sum()
}

/// The directory itself, or `.` if the name is empty, as the parent of a plain file name is.
pub(crate) fn folder(name: &Path) -> &Path {
    if name.as_os_str().is_empty() {
        Path::new(".")
    } else {
        name
    }
}

/// When a file was last modified, if that is known.
pub(crate) fn modified(path: impl AsRef<Path>) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

/// The names of a directory's entries; empty if it cannot be read.
pub(crate) fn names_in(name: &Path) -> impl Iterator<Item = OsString> + use<> {
    let entries = fs::read_dir(folder(name)).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.file_name()))
}

/// The bytes and metadata of a regular file of at most `most` bytes.
///
/// # Errors
/// Returns an error if the file does not exist, is not regular, is larger, or cannot be read.
pub(crate) fn read_regular(path: &Path, most: u64) -> Result<(Vec<u8>, Metadata), FileError> {
    let (file, meta) = open_checked(path, most)?;
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    file.take(meta.len()).read_to_end(&mut bytes)?;
    Ok((bytes, meta))
}

/// Opens a regular file without blocking. Returns it with its metadata.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), FileError> {
    open_checked(path, u64::MAX)
}

fn open_checked(path: &Path, most: u64) -> Result<(File, Metadata), FileError> {
    // Opening a device can have effects, so this checks the name first. The opened file can be
    // another one, so this checks it again.
    checked(&fs::metadata(path)?, most)?;
    let file = open(path)?;
    let meta = file.metadata()?;
    checked(&meta, most)?;
    Ok((file, meta))
}

fn checked(meta: &Metadata, most: u64) -> Result<(), FileError> {
    match meta.is_file() {
        false => Err(FileError::NotRegular),
        true if meta.len() > most => Err(FileError::TooLarge(most)),
        true => Ok(()),
    }
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
