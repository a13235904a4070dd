//! Reads on several cores: several files at a time, or several stretches of one large file.
//!
//! Callgrind defines all names anew in every dump and carries no context over, so that a large file can be cut where a
//! dump begins: at a part without a thread or of the first thread. A stretch that does not begin with a whole header,
//! as where files were appended to each other, is read after a copy of the header that the file gives once for all
//! parts; afterwards its parts inherit from the stretch before it. The result must equal that of sequential reading.
//! This is checked: if a stretch gives any warning or error, such as for a name that only an earlier stretch defines,
//! the whole file is read again in one piece.

use super::callgrind::{Cursor, Parser};
use super::error::Error;
use super::{Counted, Options, open};
use crate::profile::{Builder, Format, Part, SplitBy, Text};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;

/// The header must end within this many bytes.
const HEADER: u64 = 64 * 1024;

/// Reads several files, as many at a time as there are threads, and gives them in their order.
pub(super) fn files(
    names: &[impl AsRef<Path> + Sync],
    options: &Options,
    split: Option<SplitBy>,
) -> impl Iterator<Item = Result<Builder, Error>> {
    let threads = options.threads.max(1);
    names.chunks(threads).flat_map(move |names| match names {
        [name] => vec![file(name.as_ref(), options, split)],
        names => thread::scope(|scope| {
            let readers: Vec<_> = names
                .iter()
                .map(AsRef::as_ref)
                .map(|name: &Path| scope.spawn(move || super::read_builder(name, open::open(name)?, options, split)))
                .collect();
            // A reader that panics panics here too.
            readers.into_iter().map(|reader| reader.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        }),
    })
}

/// Reads one file, in stretches if it can be cut.
fn file(name: &Path, options: &Options, split: Option<SplitBy>) -> Result<Builder, Error> {
    let may_be_callgrind = options.format.is_none_or(|format| format == Format::Callgrind);
    if options.threads > 1
        && split.is_none()
        && may_be_callgrind
        && let Ok(Some(cut)) = cut(name, options)
        && let Some(builder) = read_stretches(name, &cut, options)
    {
        return Ok(builder);
    }
    super::read_builder(name, open::open(name)?, options, split)
}

/// Reads the stretches of a file; `None` if they must be read as one.
fn read_stretches(name: &Path, cut: &Cut, options: &Options) -> Option<Builder> {
    let read = |at: usize| -> (Option<Builder>, u64) {
        let mut count = 0;
        (read_stretch(name, cut, at, options, &mut count), count)
    };
    let read: Vec<(Option<Builder>, u64)> = thread::scope(|scope| {
        let readers: Vec<_> = (0..cut.stretches.len()).map(|at| scope.spawn(move || read(at))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    let bytes = read.iter().map(|(_, bytes)| bytes).sum();
    let sum = join(read.into_iter().map(|(builder, _)| builder), cut);
    if let (None, Some(progress)) = (&sum, &options.progress) {
        // They are read once more.
        progress.fetch_sub(bytes, Ordering::Relaxed);
    }
    sum
}

/// Reads one stretch. Its `count` bytes are counted at the end. `None` if anything is wrong with it.
fn read_stretch(name: &Path, cut: &Cut, at: usize, options: &Options, count: &mut u64) -> Option<Builder> {
    let Stretch { bytes, has_header } = &cut.stretches[at];
    let mut file = File::open(name).ok()?;
    file.seek(SeekFrom::Start(bytes.start)).ok()?;
    let len = bytes.end - bytes.start;
    let mut file = Counted { source: file.take(len), count: options.progress.clone() };
    let before = if *has_header { &[][..] } else { &cut.header };
    let mut builder = Builder::new(name, options.collect, None);
    let parser = Parser::new(&mut Cursor::new(&mut builder, options.recursion), &options.strip)
        .read(before.chain(&mut file), options.block);
    *count = len - file.source.limit();
    (parser.is_ok() && builder.head.warnings.is_empty()).then_some(builder)
}

/// The sum of the stretches; `None` if one is missing or does not continue the one before it. A sum that is too large
/// also gives `None`: sequential reading then finds the line of the overflow.
fn join(builders: impl Iterator<Item = Option<Builder>>, cut: &Cut) -> Option<Builder> {
    let mut sum: Option<Builder> = None;
    for (builder, stretch) in builders.zip(&cut.stretches) {
        let mut builder = builder?;
        match &mut sum {
            None => sum = Some(builder),
            Some(sum) => {
                let last = sum.head.parts.last().filter(|part| is_complete(part))?;
                if !stretch.has_header {
                    take_over(last, &mut builder.head.parts)?;
                }
                sum.absorb_rest(builder).ok()?;
            }
        }
    }
    sum.filter(|sum| !sum.has_overflowed())
}

/// Whether a part is complete. Without a body or totals, the next lines would still belong to it.
fn is_complete(part: &Part) -> bool {
    !part.self_cost.is_empty() || part.totals.is_some()
}

/// Lets the parts of a stretch that was read after the file's header inherit from the part before them, unless another
/// writer wrote it.
fn take_over(last: &Part, parts: &mut [Part]) -> Option<()> {
    if !last.creator.starts_with(CREATOR) {
        return None;
    }
    let first = parts.first()?.clone();
    // What a part takes over is the same text in the same place; what it says itself is a text of its own.
    for part in parts {
        for (text, first, last) in [
            (&mut part.creator, &first.creator, &last.creator),
            (&mut part.pid, &first.pid, &last.pid),
            (&mut part.command, &first.command, &last.command),
        ] {
            if Text::ptr_eq(text, first) {
                *text = last.clone();
            }
        }
    }
    Some(())
}

/// The header of a file that Callgrind wrote, and the number of stretches that was asked for, each but the first
/// beginning with a part; `None` if the file cannot be cut.
fn cut(name: &Path, options: &Options) -> io::Result<Option<Cut>> {
    if open::is_stream(name) {
        return Ok(None);
    }
    let mut file = File::open(name)?;
    let len = file.metadata()?.len();
    if len / 2 < options.stretch || !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut start = Vec::new();
    file.by_ref().take(HEADER).read_to_end(&mut start)?;
    let Some((header, body)) = header(&start) else { return Ok(None) };
    let wanted = (options.threads as u64).min(len / options.stretch.max(1));
    let mut stretches: Vec<Stretch> = Vec::new();
    let (mut from, mut has_header) = (0, true);
    for at in 1..wanted {
        let target = (len / wanted * at).max(from).max(body);
        if let Some(border) = next_dump(&mut file, target)?
            && border.at > from
        {
            stretches.push(Stretch { bytes: from..border.at, has_header });
            (from, has_header) = (border.at, border.has_header);
        }
    }
    stretches.push(Stretch { bytes: from..len, has_header });
    Ok((stretches.len() > 1).then_some(Cut { header, stretches }))
}

/// A file to be read in stretches.
struct Cut {
    /// What the first header says for all parts.
    header: Vec<u8>,
    stretches: Vec<Stretch>,
}

/// A piece of a file that begins with a part.
struct Stretch {
    bytes: Range<u64>,
    /// Whether the part says all that the file's header says for all parts.
    has_header: bool,
}

/// How Callgrind names itself.
const CREATOR: &[u8] = b"callgrind-";

/// What the first header says for all parts, and where the body begins; `None` if Callgrind did not write it. Positions
/// and events are not included: every part of Callgrind's has its own, and a stretch without them is an error.
fn header(start: &[u8]) -> Option<(Vec<u8>, u64)> {
    const FOR_ALL: [&[u8]; 4] = [b"version:", b"creator:", b"pid:", b"cmd:"];
    const FOR_ONE: [&[u8]; 6] = [b"part:", b"thread:", b"desc:", b"positions:", b"event", b"summary:"];
    let (mut header, mut body) = (Vec::new(), 0);
    let mut callgrind = false;
    for line in start.split_inclusive(|&b| b == b'\n') {
        let is_one_of = |keys: &[&[u8]]| keys.iter().any(|key| line.starts_with(key));
        callgrind |= line.starts_with(b"creator: callgrind-");
        if is_one_of(&FOR_ALL) {
            header.extend_from_slice(line);
        } else if !is_one_of(&FOR_ONE) && !is_between_parts(line) {
            return (has_header(&header) == Some(true)).then_some((header, body));
        } else if line.starts_with(b"events:") && !callgrind {
            // Another program's, as far as the format is recognised.
            return None;
        }
        body += line.len() as u64;
    }
    None
}

/// Whether a line can precede the `part:` line of its part. After a body, `desc:` and `summary:` belong to that body.
fn is_between_parts(line: &[u8]) -> bool {
    let keys: [&[u8]; 6] = [b"#", b"version:", b"creator:", b"pid:", b"cmd:", b"thread:"];
    line.trim_ascii().is_empty() || keys.iter().any(|key| line.starts_with(key))
}

/// A place between two dumps.
struct Border {
    at: u64,
    has_header: bool,
}

/// Where the first dump after an offset begins.
fn next_dump(file: &mut File, from: u64) -> io::Result<Option<Border>> {
    const PART: &[u8] = b"\npart: ";
    let finder = memchr::memmem::Finder::new(PART);
    let mut buffer = vec![0; 1 << 20];
    // What was read last stays in front, so that a header is found whole.
    let (mut at, mut kept) = (from, 0);
    file.seek(SeekFrom::Start(from))?;
    loop {
        let n = file.read(&mut buffer[kept..])?;
        if n == 0 {
            return Ok(None);
        }
        let have = kept + n;
        let text = &buffer[..have];
        let border = finder.find_iter(text).filter(|found| begins_dump(&text[found + 1..])).find_map(|found| {
            let start = start_of_header(&text[..found + 1])?;
            let has_header = has_header(&text[start..found + 1])?;
            Some(Border { at: at + start as u64, has_header })
        });
        if border.is_some() {
            return Ok(border);
        }
        let keep = have.min(buffer.len() / 2);
        buffer.copy_within(have - keep..have, 0);
        at += (have - keep) as u64;
        kept = keep;
    }
}

/// Whether the part that begins with this `part:` line is the first of a dump. False if its next line is incomplete;
/// another cut is tried then.
fn begins_dump(text: &[u8]) -> bool {
    let mut lines = text.split(|&b| b == b'\n').skip(1);
    match (lines.next(), lines.next()) {
        (Some(line), Some(_)) => line.strip_prefix(b"thread:").is_none_or(|thread| thread.trim_ascii() == b"1"),
        _ => false,
    }
}

/// Whether the header before a `part:` line has everything that the file's header says for all parts; `None` if it has
/// only some of it.
fn has_header(text: &[u8]) -> Option<bool> {
    let keys: [&[u8]; 3] = [b"creator: callgrind-", b"pid:", b"cmd:"];
    let said = |key: &[u8]| text.split(|&b| b == b'\n').any(|line| line.starts_with(key));
    match keys.map(said) {
        [true, true, true] => Some(true),
        [false, false, false] if !said(b"creator:") => Some(false),
        _ => None,
    }
}

/// The start of the header lines and blank lines at the end of `text`, which ends with a line feed; `None` if they may
/// begin before it.
fn start_of_header(text: &[u8]) -> Option<usize> {
    let mut start = text.len();
    loop {
        let line = memchr::memrchr(b'\n', &text[..start.checked_sub(1)?])? + 1;
        if !is_between_parts(&text[line..start]) {
            return Some(start);
        }
        start = line;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_begins_with_the_first_line_of_its_header() {
        let text = b"+3 4\ntotals: 5\n\n# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n";
        assert_eq!(start_of_header(text), Some(b"+3 4\ntotals: 5\n".len()));
        assert_eq!(start_of_header(b"x\n1 2\n"), Some(6));
        assert_eq!(start_of_header(b"rsion: 1\ncmd: x\n"), None);
    }

    #[test]
    fn the_header_is_what_it_says_for_all_parts() {
        let start = b"# callgrind format\nversion: 1\ncreator: callgrind-3\npid: 1\ncmd: a\ndesc: x\npositions: line\nevents: Ir\nsummary: 4\n\nfl=a\n";
        let kept = b"version: 1\ncreator: callgrind-3\npid: 1\ncmd: a\n";
        assert_eq!(header(start), Some((kept.to_vec(), start.len() as u64 - 5)));
        assert_eq!(header(b"version: 1\nevents: Ir\nfl=a\n"), None);
        assert_eq!(header(b"creator: callgrind-3\nevents: Ir\nfl=a\n"), None);
    }

    /// Nothing is read twice: the stretches fit together, also where the dumps of several processes were appended.
    #[test]
    fn what_callgrind_wrote_can_be_read_in_stretches() {
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        if !fixtures.exists() {
            return eprintln!("not tried: the package has no fixtures/");
        }
        let fixture = |name: &str| std::fs::read(fixtures.join(name)).unwrap();
        let (dumps, threads) = (fixture("parts/phases.before.out"), fixture("threads/workers.combined.out"));
        let other = String::from_utf8(dumps.clone()).unwrap().replacen("pid: ", "pid: 9", 1).into_bytes();
        let name = std::env::temp_dir().join(format!("cgannotate-stretches-{}", std::process::id()));
        let name = &name;
        for (files, all) in
            [(1, dumps.clone()), (3, [&dumps[..], &other, &dumps].concat()), (2, [dumps, threads].concat())]
        {
            std::fs::write(name, all).unwrap();
            let options = (2..9).map(|threads| Options { threads, stretch: 1, ..Options::all() });
            let cuts: Vec<_> = options.filter_map(|o| cut(name, &o).unwrap().map(|cut| (o, cut))).collect();
            assert!(cuts.len() > 3, "{files}: {}", cuts.len());
            for (options, cut) in cuts {
                let pids = read_stretches(name, &cut, &options).unwrap().head.parts.into_iter().map(|part| part.pid);
                assert_eq!(
                    pids.collect::<std::collections::BTreeSet<_>>().len(),
                    files.min(2),
                    "{files}, {}",
                    options.threads
                );
            }
        }
        std::fs::remove_file(name).unwrap();
    }
}
