//! Finds and reads source files. With `main`, the only place that reads the environment.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::SystemTime;

/// A source file in memory.
pub struct SourceFile {
    /// How the report calls it: the file's name, behind the folder it was found in if that was asked for.
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

/// Where sources are looked for.
#[derive(Clone, Default, Debug)]
pub struct Finder {
    /// Folders given with `-I`, as typed, without a final slash.
    pub include: Vec<String>,
}

impl Finder {
    /// Opens a source file by the name in the profile: as it is, then below each folder in turn.
    ///
    /// # Errors
    /// The error of the last try if it is nowhere.
    pub fn open(&self, name: &[u8]) -> io::Result<SourceFile> {
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        let folders = std::iter::once(None).chain(self.include.iter().map(Some));
        for folder in folders {
            let (path, title) = match folder {
                None => (path(name), name.to_vec()),
                Some(folder) => {
                    let mut full = folder.clone().into_bytes();
                    full.push(b'/');
                    let mut title = full.clone();
                    title.extend_from_slice(b" + ");
                    title.extend_from_slice(name);
                    full.extend_from_slice(name);
                    (path(&full), title)
                }
            };
            match read(&path) {
                Ok((bytes, modified)) => {
                    return Ok(SourceFile { title, modified, bytes });
                }
                Err(e) => last = e,
            }
        }
        Err(last)
    }
}

/// A source file larger than this is not one.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Reads a regular file; a device or a FIFO could block or never end.
fn read(path: &PathBuf) -> io::Result<(Vec<u8>, Option<SystemTime>)> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if meta.len() > LARGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too large for a source file"));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize + 1);
    File::open(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok((bytes, meta.modified().ok()))
}

#[cfg(unix)]
fn path(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
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
