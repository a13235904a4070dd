//! From a name on the command line to a stream of bytes.

use super::error::{Error, Reason};
use super::siblings::companions;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Whether an input is standard input: `-`.
pub(crate) fn is_stdin(name: &Path) -> bool {
    // As paths, `-/` would be the same.
    name.as_os_str() == "-"
}

/// Opens an input. Directories and devices are refused; a FIFO or standard input is read like a file.
pub(crate) fn open(name: &Path) -> Result<Box<dyn Read>, Error> {
    let error = |reason| Error::new(name, None, reason);
    if is_stdin(name) {
        return Ok(Box::new(io::stdin()));
    }
    let meta = fs::metadata(name).map_err(|e| error(Reason::Io(e)))?;
    if meta.is_dir() {
        return Err(error(Reason::Directory));
    }
    if is_device(&meta) {
        return Err(error(Reason::Special));
    }
    if meta.is_file() && meta.len() == 0 {
        return Err(error(Reason::Empty(companions(name))));
    }
    Ok(Box::new(
        File::open(name).map_err(|e| error(Reason::Io(e)))?,
    ))
}

/// Whether an input can be read only once, like a FIFO or a pipe: it cannot be looked into first.
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

#[cfg(unix)]
fn is_device(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = meta.file_type();
    kind.is_char_device() || kind.is_block_device() || kind.is_socket()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}
