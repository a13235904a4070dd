//! From a name on the command line to a stream of bytes.

use super::error::{Error, Reason};
use super::siblings::companions;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// `-`, standard input.
pub(crate) const STDIN: &str = "-";

/// Opens an input. Directories and devices are refused; a FIFO or standard input is read like a file.
pub(crate) fn open(name: &str) -> Result<Box<dyn Read + Send>, Error> {
    let error = |reason| Error { file: name.to_owned(), line: None, reason };
    if name == STDIN {
        return Ok(Box::new(io::stdin()));
    }
    let path = Path::new(name);
    let meta = fs::metadata(path).map_err(|e| error(Reason::Io(e)))?;
    if meta.is_dir() {
        return Err(error(Reason::Directory));
    }
    if is_device(&meta) {
        return Err(error(Reason::Special));
    }
    if meta.is_file() && meta.len() == 0 {
        return Err(error(Reason::Empty(companions(path))));
    }
    Ok(Box::new(File::open(path).map_err(|e| error(Reason::Io(e)))?))
}

/// Whether an input can be read only once, like a FIFO or a pipe: it cannot be looked into first.
pub(crate) fn is_stream(name: &str) -> bool {
    name == STDIN || fs::metadata(name).is_ok_and(|meta| is_fifo(&meta))
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
