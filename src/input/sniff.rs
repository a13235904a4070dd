//! Detects the format of an input from its first bytes, never from its name. The user can name the
//! format instead.

use super::{
    Error, ErrorKind, READERS,
    codec::Codec,
    error::ErrorReason,
    format::FormatReader,
    open::{emptiness, is_stdin},
    siblings::companions,
};
use crate::profile::Format;
use memchr::memmem;
use std::{
    io::{self, Cursor, Read},
    path::Path,
};

/// How many bytes are examined. Headers are short, but `desc:` lines and definitions may come
/// first.
const LOOK: u64 = 64 * 1024;

/// The reader of an input, and the decompressed bytes from the start.
type Recognised<'s> = (&'static dyn FormatReader, PeekedSource<'s>);

/// Detects the format of an input. `max_ratio` bounds the decompression, see
/// [`Options::max_ratio`](super::Options). A format that is `given` is not checked, except that a
/// baseline or a pack is always read as one.
pub(super) fn format<'s>(
    name: &Path,
    source: impl Read + 's,
    max_ratio: Option<u64>,
    given: Option<&Format>,
) -> Result<Recognised<'s>, Error> {
    let raw = PeekedSource::new(source);
    let Some(codec) = Codec::detect(raw.start.get_ref()) else {
        return recognise(name, raw, given);
    };
    #[cfg(not(feature = "compression"))]
    {
        let what = format!(
            "this is {} data, which can be read only with the feature `compression`",
            codec.name()
        );
        drop((raw, max_ratio));
        Err(Error::no_profile(name, what))
    }
    #[cfg(feature = "compression")]
    decompressed(name, codec, raw, max_ratio, given)
}

#[cfg(feature = "compression")]
fn decompressed<'s>(
    name: &Path,
    codec: Codec,
    raw: PeekedSource<'s>,
    max_ratio: Option<u64>,
    given: Option<&Format>,
) -> Result<Recognised<'s>, Error> {
    let begun = PeekedSource::new(super::compressed::Decompressor::new(codec, raw, max_ratio));
    if let Some(inner) = Codec::detect(begun.start.get_ref()) {
        let (outer, inner) = (codec.name(), inner.name());
        let what = format!(
            "this is {inner} data in {outer} data, but only one layer is unpacked\nhint: unpack it once"
        );
        return Err(Error::no_profile(name, what));
    }
    recognise(name, begun, given)
}

/// Detects the format of a profile inside a pack. Profiles in a pack are never compressed.
#[cfg(feature = "pack")]
pub(super) fn plain<'s>(
    name: &Path,
    source: impl Read + 's,
    given: Option<&Format>,
) -> Result<Recognised<'s>, Error> {
    let begun = PeekedSource::new(source);
    if Codec::detect(begun.start.get_ref()).is_some() || crate::pack::is_mine(begun.start.get_ref())
    {
        let why = "profiles in a pack must not be compressed or packed again";
        return Err(Error::new(name, None, ErrorReason::malformed(why)));
    }
    recognise(name, begun, given)
}

fn recognise<'s>(
    name: &Path,
    mut begun: PeekedSource<'s>,
    given: Option<&Format>,
) -> Result<Recognised<'s>, Error> {
    let start = begun.start.get_ref();
    let given = given.filter(|_| !start.is_empty());
    let found = |reader: &&&dyn FormatReader| reader.is_mine(start) && !is_massif(start);
    let ours = READERS
        .iter()
        .find(|reader| reader.format().is_ours && reader.is_mine(start));
    let given = || READERS.iter().find(|reader| Some(reader.format()) == given);
    if let Some(&reader) = ours.or_else(given).or_else(|| READERS.iter().find(found)) {
        return Ok((reader, begun));
    }
    // The bytes before an error are not a profile, so the error is the message to show.
    if let Some(e) = begun.failed.take() {
        return Err(Error::new(name, None, e));
    }
    let start = begun.start.get_ref();
    if start.is_empty() {
        let others = if is_stdin(name) {
            Vec::new()
        } else {
            companions(name)
        };
        let reason = ErrorReason::new(ErrorKind::Empty, emptiness(&others));
        return Err(Error::new(name, None, reason));
    }
    let file = name.display().to_string();
    let what = if is_program(start) || start.starts_with(b"#!") {
        // The shell would look for a bare name in $PATH.
        let here = if file.contains('/') { "" } else { "./" };
        format!(
            "this is an executable, not a profile\nhint: `cgannotate record -- {here}{file}` records one"
        )
    } else {
        foreign(start).map_or_else(
            || "this is not a profile".into(),
            |what| format!("this is {}", what.replace("FILE", &file)),
        )
    };
    Err(Error::no_profile(name, what))
}

/// Whether a file is one that a system executes or links, by its first bytes: ELF, Mach-O or the
/// Windows format.
pub(super) fn is_program(start: &[u8]) -> bool {
    let marks: [&[u8]; 6] = [
        b"\x7fELF",
        b"\xfe\xed\xfa\xce",
        b"\xfe\xed\xfa\xcf",
        b"\xce\xfa\xed\xfe",
        b"\xcf\xfa\xed\xfe",
        b"MZ",
    ];
    marks.iter().any(|mark| start.starts_with(mark))
}

/// Formats of other programs: how such a file begins, what it is, and the command that reads or
/// converts it.
const FOREIGN: [(&[u8], &str); 22] = [
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"PK\x07\x08", ZIP),
    (
        b"BZh",
        "bzip2 data\nhint: `bzip2 -dc FILE | cgannotate -` reads it",
    ),
    (
        b"7z\xbc\xaf\x27\x1c",
        "a 7z archive\nhint: `7z x FILE` unpacks it",
    ),
    (
        b"\x04\x22\x4d\x18",
        "lz4 data\nhint: `lz4 -dc FILE | cgannotate -` reads it",
    ),
    (
        b"LZIP",
        "lzip data\nhint: `lzip -dc FILE | cgannotate -` reads it",
    ),
    (
        b"\x1f\x9d",
        "compress data\nhint: `gzip -dc FILE | cgannotate -` reads it",
    ),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    // gperftools' legacy format.
    (b"\0\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0", PPROF),
    (b"\x32\x00\x32", PPROF),
    (b"{\xa9\x03", PSTATS),
    (b"{)\x03", PSTATS),
    (b"{(\x03\0\0\0", PSTATS),
    (b"\xfb\xa9\x03", PSTATS),
    (b"\xfb)\x03", PSTATS),
    (b"PERFILE2", PERF),
    (b"2ELIFREP", PERF),
    (b"PERFFILE", PERF),
    (
        b"gmon",
        "a gprof profile\nhint: `gprof PROGRAM FILE` shows it",
    ),
    (
        b"FLR\0",
        "a recording of Java Flight Recorder\nhint: `jfr summary FILE` shows it",
    ),
];
const ZIP: &str = "a zip archive\nhint: `unzip FILE` unpacks it";
const UTF_16: &str = "UTF-16 text, as PowerShell's `>` writes\nhint: `iconv -f UTF-16 -t UTF-8 FILE | cgannotate -` reads it";
const PPROF: &str = "a pprof profile\nhint: `go tool pprof -callgrind FILE` converts it";
const PSTATS: &str = "a Python profile (pstats)\nhint: `pyprof2calltree -i FILE` converts it, `python3 -m pstats FILE` shows it";
const PERF: &str = "a recording of perf\nhint: `perf report -i FILE` shows it";

/// Describes a file of another program, with the command that reads or converts it.
fn foreign(start: &[u8]) -> Option<&'static str> {
    let has = |word: &str| memmem::find(start, word.as_bytes()).is_some();
    let is_json = start.trim_ascii_start().starts_with(b"{");
    match start {
        _ if start.get(257..262) == Some(b"ustar") => {
            Some("a tar archive\nhint: `tar xf FILE` unpacks it")
        }
        _ if is_json && has("\"dhatFileVersion\"") => {
            Some("a DHAT profile\nhint: Valgrind's dh_view.html shows it")
        }
        _ if is_json && has("\"callFrame\"") => Some(
            "a V8 profile (cpuprofile)\nhint: Chrome's DevTools and `npx speedscope FILE` show it",
        ),
        _ if is_massif(start) => Some("a Massif profile\nhint: `ms_print FILE` shows it"),
        // The first field of a profile.proto: a short message that begins with an index into the
        // string table.
        [0x0a, 2..=8, 0x08 | 0x10, ..] => Some(PPROF),
        _ => FOREIGN
            .iter()
            .find(|(begin, _)| start.starts_with(begin))
            .map(|&(_, what)| what),
    }
}

/// Massif's header is like Callgrind's, but has a line `time_unit:`.
fn is_massif(start: &[u8]) -> bool {
    start.starts_with(b"desc:")
        && start
            .split(|&b| b == b'\n')
            .take(3)
            .any(|line| line.starts_with(b"time_unit:"))
}

/// A source whose first bytes were read already, with the error that followed them, if any. It does
/// not seek, because the source may be a pipe.
pub(super) struct PeekedSource<'s> {
    start: Cursor<Vec<u8>>,
    failed: Option<io::Error>,
    rest: Box<dyn Read + 's>,
}

impl<'s> PeekedSource<'s> {
    fn new(rest: impl Read + 's) -> PeekedSource<'s> {
        let mut rest = Box::new(rest);
        let mut start = Vec::new();
        let failed = rest.by_ref().take(LOOK).read_to_end(&mut start).err();
        PeekedSource {
            start: Cursor::new(start),
            failed,
            rest,
        }
    }
}

impl Read for PeekedSource<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.start.read(out)? {
            0 => match self.failed.take() {
                Some(e) => Err(e),
                None => self.rest.read(out),
            },
            n => Ok(n),
        }
    }
}
