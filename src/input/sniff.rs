//! Recognises the format of an input by its first bytes, never by its name. The user can name the format instead.

use super::compressed::{Codec, Decompressor};
use super::error::{Error, Reason};
use super::open::is_stdin;
use super::siblings::companions;
use super::{aprof, baseline, callgrind, webgrind, xdebug};
use crate::pack;
use crate::profile::Format;
use std::io::{self, Read};
use std::path::Path;

/// How many bytes are looked at. Headers are short, but `desc:` lines and definitions may come first.
const LOOK: u64 = 64 * 1024;

/// The format of an input, and its decompressed bytes from the start. `max_ratio` bounds the decompression, see
/// [`Options::max_ratio`](super::Options). A format that is `given` is not checked, except that a baseline or pack of
/// ours remains one.
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

/// The format of an input that is in a pack, where nothing is compressed once more.
pub(crate) fn plain<R: Read>(name: &Path, source: R, given: Option<Format>) -> Result<(Format, Begun<R>), Error> {
    let mut begun = Begun::new(source);
    if Codec::of(&begun.start).is_some() || pack::is_mine(&begun.start) {
        let why = "profiles are neither compressed nor packed once more in a pack";
        return Err(Error::new(name, None, Reason::Malformed(why.into())));
    }
    Ok((recognise(name, &mut begun, given)?, begun))
}

fn recognise<R>(name: &Path, begun: &mut Begun<R>, given: Option<Format>) -> Result<Format, Error> {
    let start = &begun.start;
    let given = given.filter(|_| !start.is_empty());
    let found = || Format::ALL.into_iter().find(|&format| is_mine(format, start));
    let certain = [Format::Baseline, Format::Pack].into_iter().find(|&format| is_mine(format, start));
    if let Some(format) = certain.or(given).or_else(found) {
        return Ok(format);
    }
    let reason = match begun.failed.take() {
        // What came before the error is no profile: the error is what there is to tell.
        Some(e) => Reason::from(e),
        None if is_program(start) || start.starts_with(b"#!") => Reason::Program,
        None if !begun.start.is_empty() => Reason::NoProfile,
        None if is_stdin(name) => Reason::Empty(Vec::new()),
        None => Reason::Empty(companions(name)),
    };
    Err(Error::new(name, None, reason))
}

/// Whether a file is one that a system executes or links, by its first bytes: ELF, Mach-O or Windows' own format.
pub(super) fn is_program(start: &[u8]) -> bool {
    let marks: [&[u8]; 6] =
        [b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe", b"MZ"];
    marks.iter().any(|mark| start.starts_with(mark))
}

/// Whether an input is in a format, by its first bytes.
fn is_mine(format: Format, start: &[u8]) -> bool {
    match format {
        Format::Callgrind => callgrind::recognise::is_callgrind(start),
        Format::Cachegrind => callgrind::recognise::is_cachegrind(start),
        Format::Xdebug => xdebug::is_mine(start),
        Format::Webgrind => webgrind::is_mine(start),
        Format::Baseline => baseline::is_mine(start),
        Format::Aprof => aprof::is_mine(start),
        Format::Pack => pack::is_mine(start),
    }
}

/// A plain input, or a decompressed one.
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

/// A source whose first bytes were read already, with the error that followed them, if any. It does not seek, because
/// the source may be a pipe.
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
