//! Recognises the format of an input by its first bytes, never by its name, unless it is given.

use super::aprof;
use super::compressed::{Codec, Decompressor};
use super::error::{Error, Reason};
use super::open::is_stdin;
use super::siblings::companions;
use crate::profile::Format;
use std::io::{self, Read};
use std::path::Path;

/// How much is looked at. Headers are short, but `desc:` lines and definitions may come first.
const LOOK: u64 = 64 * 1024;

/// The format of an input, and its bytes from the first on, decompressed. `max_ratio` bounds what comes out of a
/// compressed input, see [`Options::max_ratio`](super::Options). If the format is `given`, what is there is taken for it; a
/// baseline of our own stays what it says.
pub(crate) fn format<R: Read>(
    name: &Path,
    source: R,
    max_ratio: Option<u64>,
    given: Option<Format>,
) -> Result<(Format, Source<R>), Error> {
    let mut raw = Begun::new(source);
    match Codec::of(&raw.start) {
        None => Ok((recognise(name, &mut raw, given)?, Source::Plain(raw))),
        Some(codec) => {
            let mut begun = Begun::new(Decompressor::new(codec, raw, max_ratio));
            if let Some(inner) = Codec::of(&begun.start) {
                let reason = Reason::Nested { outer: codec.name(), inner: inner.name() };
                return Err(Error::new(name, None, reason));
            }
            Ok((recognise(name, &mut begun, given)?, Source::Compressed(Box::new(begun))))
        }
    }
}

fn recognise<R>(name: &Path, begun: &mut Begun<R>, given: Option<Format>) -> Result<Format, Error> {
    let start = &begun.start;
    let given = given.filter(|_| !start.is_empty());
    let format = baseline(start).or(given).or_else(|| binary_or_report(start)).or_else(|| callgrind(start));
    if let Some(format) = format {
        return Ok(format);
    }
    let reason = match begun.failed.take() {
        // What came before the error is no profile: the error is what there is to tell.
        Some(e) => Reason::from(e),
        None if !begun.start.is_empty() => Reason::NoProfile,
        None if is_stdin(name) => Reason::Empty(Vec::new()),
        None => Reason::Empty(companions(name)),
    };
    Err(Error::new(name, None, reason))
}

/// An input as it is, or what comes out of it.
pub(crate) enum Source<R> {
    Plain(Begun<R>),
    Compressed(Box<Begun<Decompressor<Begun<R>>>>),
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Plain(source) => source.read(out),
            Source::Compressed(source) => source.read(out),
        }
    }
}

/// A source of which the first bytes are read already, and the error behind them if there was one. Nothing seeks: the
/// source may be a pipe.
pub(crate) struct Begun<R> {
    start: Vec<u8>,
    at: usize,
    failed: Option<io::Error>,
    rest: R,
}

impl<R: Read> Begun<R> {
    fn new(mut rest: R) -> Begun<R> {
        let mut start = Vec::new();
        let failed = rest.by_ref().take(LOOK).read_to_end(&mut start).err();
        Begun { start, at: 0, failed, rest }
    }
}

impl<R: Read> Read for Begun<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = &self.start[self.at..];
        if !left.is_empty() {
            let n = left.len().min(out.len());
            out[..n].copy_from_slice(&left[..n]);
            self.at += n;
            return Ok(n);
        }
        match self.failed.take() {
            Some(e) => Err(e),
            None => self.rest.read(out),
        }
    }
}

fn binary_or_report(start: &[u8]) -> Option<Format> {
    webgrind(start).or_else(|| aprof::is_report(start).then_some(Format::Aprof))
}

/// webgrind's files begin with a small version number in four bytes, which no text does. Versions that cannot be read are
/// recognised too, so that this can be said.
fn webgrind(start: &[u8]) -> Option<Format> {
    matches!(start, [1..32, 0, 0, 0, ..]).then_some(Format::Webgrind)
}

fn baseline(start: &[u8]) -> Option<Format> {
    start.starts_with(super::baseline::MAGIC).then_some(Format::Baseline)
}

/// A file is in Callgrind's format if a key of its header comes before any line that could not stand there.
fn callgrind(start: &[u8]) -> Option<Format> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut seen = false;
    let mut version_or_creator = false;
    let mut description = false;
    // Xdebug names itself since 2.1; before, it is known by the version and that nobody is named.
    let (mut xdebug, mut old) = (false, false);
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
        // A key is text; archives can have a profile's lines in them as they are.
        if line[..end].iter().any(u8::is_ascii_control) {
            break;
        }
        let value = line[end + 1..].trim_ascii();
        match (&line[..end], line[end]) {
            (b"version", b':') if value == b"0.9.6" => (old, seen, version_or_creator) = (true, true, true),
            (b"creator", b':') => {
                (old, xdebug) = (false, value.starts_with(b"xdebug"));
                (seen, version_or_creator) = (true, true);
            }
            (b"events", b':') => {
                // Cachegrind writes neither version nor creator before its events.
                if xdebug || old {
                    return Some(Format::Xdebug);
                }
                return Some(if version_or_creator || !description { Format::Callgrind } else { Format::Cachegrind });
            }
            (b"version" | b"positions" | b"pid" | b"part" | b"thread", b':') => {
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
