//! Opens the inputs that the command line names, as streams of bytes.

use super::{Error, ErrorKind, error::ErrorReason, siblings::companions};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// Whether an input is standard input (`-`).
pub(crate) fn is_stdin(name: &Path) -> bool {
    // As paths, `-` and `-/` would be equal.
    name.as_os_str() == "-"
}

/// Opens an input. A FIFO or standard input is read like a file; directories and devices are
/// errors.
pub(crate) fn open(name: &Path) -> Result<Box<dyn Read>, Error> {
    let refused = |kind, text: &str| Err(Error::new(name, None, ErrorReason::new(kind, text)));
    if is_stdin(name) {
        return Ok(Box::new(io::stdin()));
    }
    let meta = fs::metadata(name).map_err(|e| Error::new(name, None, e))?;
    if meta.is_dir() {
        return refused(ErrorKind::NoFile, "this is a directory, not a profile");
    }
    if !meta.is_file() && !is_fifo(&meta) {
        return refused(ErrorKind::NoFile, "this is a device, not a profile");
    }
    if meta.is_file() && meta.len() == 0 {
        return refused(ErrorKind::Empty, &emptiness(&companions(name)));
    }
    let file = File::open(name).map_err(|e| Error::new(name, None, e))?;
    Ok(Box::new(file))
}

/// Says why an input is empty. `others` are the neighboring files that the same run may have
/// written instead.
pub(super) fn emptiness(others: &[PathBuf]) -> String {
    if others.is_empty() {
        return "the file is empty: the program may have been killed, or may still be running"
            .into();
    }
    let named: Vec<_> = others
        .iter()
        .take(3)
        .map(|other| other.to_string_lossy())
        .collect();
    format!(
        "the file is empty: a run with --separate-threads=yes writes {}{} instead",
        named.join(", "),
        if others.len() > 3 { ", …" } else { "" }
    )
}

/// Whether an input can be read only once, like a FIFO or a pipe. Its content cannot be checked
/// first.
pub(crate) fn is_stream(name: &Path) -> bool {
    is_stdin(name) || fs::metadata(name).is_ok_and(|meta| is_fifo(&meta))
}

#[cfg(unix)]
fn is_fifo(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    meta.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_fifo(_: &fs::Metadata) -> bool {
    false
}
