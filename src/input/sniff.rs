//! Recognises the format of an input by its first bytes, never by its name.

use super::error::{Error, Reason};
use crate::profile::Format;
use std::io::{self, Cursor, Read};

/// How much is looked at. Headers are short, but `desc:` lines and definitions may come first.
const LOOK: u64 = 64 * 1024;

/// The format of an input, and its bytes from the first on.
pub(crate) fn format<R: Read>(name: &str, mut source: R) -> Result<(Format, impl Read + use<R>), Error> {
    let error = |reason| Error { file: name.to_owned(), line: None, reason };
    let mut start = Vec::new();
    // An error that comes after some bytes is met again, and judged, where it stands.
    if let Err(e) = source.by_ref().take(LOOK).read_to_end(&mut start) {
        if start.is_empty() {
            return Err(error(Reason::Io(e)));
        }
        return Err(error(Reason::Io(io::Error::new(e.kind(), e.to_string()))));
    }
    if start.is_empty() {
        return Err(error(Reason::Empty(super::open::companions(name.as_ref()))));
    }
    let format = webgrind(&start).or_else(|| callgrind(&start)).ok_or_else(|| error(Reason::NoProfile))?;
    Ok((format, Cursor::new(start).chain(source)))
}

/// webgrind's files begin with a small version number in four bytes, which no text does. Versions that cannot be read are
/// recognised too, so that this can be said.
fn webgrind(start: &[u8]) -> Option<Format> {
    matches!(start, [1..32, 0, 0, 0, ..]).then_some(Format::Webgrind)
}

/// A file is in Callgrind's format if a key of its header comes before any line that could not stand there.
fn callgrind(start: &[u8]) -> Option<Format> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut seen = false;
    let mut version_or_creator = false;
    let mut description = false;
    for line in start.split(|&b| b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"==== NEW PROFILING FILE") {
            version_or_creator |= line == b"# callgrind format";
            seen |= line == b"# callgrind format";
            continue;
        }
        let Some(end) = line.iter().position(|&b| b == b':' || b == b'=') else {
            break;
        };
        match (&line[..end], line[end]) {
            (b"events", b':') => {
                // Cachegrind writes neither version nor creator before its events.
                return Some(if version_or_creator || !description { Format::Callgrind } else { Format::Cachegrind });
            }
            (b"version" | b"creator" | b"positions" | b"pid" | b"part" | b"thread", b':') => {
                (seen, version_or_creator) = (true, true);
            }
            (b"cmd" | b"desc", b':') => (seen, description) = (true, true),
            (b"event" | b"summary" | b"totals" | b"arch" | b"timeframe (BB)", b':') => seen = true,
            (b"fl" | b"fn" | b"ob" | b"fi" | b"fe", b'=') => seen = true,
            (_, b':') => {}
            _ => break,
        }
    }
    seen.then_some(Format::Callgrind)
}
