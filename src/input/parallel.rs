//! Reading on several cores: files beside each other, and the parts of one large file.
//!
//! Callgrind writes every part of a file with all names defined anew and with no context from the part before, so a large
//! file can be cut where a part begins. Each stretch but the first is read behind a copy of what the file's header says
//! once for all parts. That the result is the sequential one is not assumed but checked: a stretch that gives any warning or
//! error, such as for a name that only an earlier stretch defines, or that would take over something else from the part
//! before it, has the whole file read again in one piece.

use super::callgrind::Parser;
use super::cursor::Cursor;
use super::error::Error;
use super::{Counted, Options, open};
use crate::profile::{Builder, Part, SplitBy};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::thread;

/// The header must end within so many bytes.
const HEADER: u64 = 64 * 1024;

/// Reads several files, as many at a time as there are threads, and gives them in their order.
pub(super) fn files(
    names: &[String],
    options: &Options,
    split: Option<SplitBy>,
) -> impl Iterator<Item = Result<Builder, Error>> {
    let threads = options.threads.max(1);
    names.chunks(threads).flat_map(move |names| match names {
        [name] => vec![file(name, options, split)],
        names => thread::scope(|scope| {
            let readers: Vec<_> = names
                .iter()
                .map(|name| scope.spawn(move || super::read_builder(name, open::open(name)?, options, split)))
                .collect();
            // A reader that panics panics here too.
            readers.into_iter().map(|reader| reader.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
        }),
    })
}

/// Reads one file, in stretches if it can be cut.
fn file(name: &str, options: &Options, split: Option<SplitBy>) -> Result<Builder, Error> {
    if options.threads > 1
        && split.is_none()
        && let Ok(Some(cut)) = cut(name, options)
        && let Some(builder) = read_stretches(name, &cut, options)
    {
        return Ok(builder);
    }
    super::read_builder(name, open::open(name)?, options, split)
}

/// Reads the stretches of a file; `None` if they must be read as one.
fn read_stretches(name: &str, cut: &Cut, options: &Options) -> Option<Builder> {
    let read = |at: usize| -> Option<Builder> {
        let stretch = &cut.stretches[at];
        let mut file = File::open(name).ok()?;
        file.seek(SeekFrom::Start(stretch.start)).ok()?;
        let file = Counted { source: file.take(stretch.end - stretch.start), count: options.progress.clone() };
        let before = if at == 0 { &[][..] } else { &cut.header };
        let mut builder = Builder::new(name, options.collect, None);
        let parser = Parser::new(&mut Cursor::new(&mut builder, options.recursion), &options.strip)
            .read(before.chain(file), options.block);
        (parser.is_ok() && builder.head.warnings.is_empty()).then_some(builder)
    };
    let builders: Vec<Option<Builder>> = thread::scope(|scope| {
        let readers: Vec<_> = (0..cut.stretches.len()).map(|at| scope.spawn(move || read(at))).collect();
        readers.into_iter().map(|reader| reader.join().unwrap_or_else(|e| std::panic::resume_unwind(e))).collect()
    });
    let mut builders = builders.into_iter();
    let mut sum = builders.next()??;
    for more in builders {
        if !sum.head.parts.last().is_some_and(|part| can_be_followed(part, &cut.header)) {
            return None;
        }
        sum.absorb_rest(more?).ok()?;
    }
    Some(sum)
}

/// Whether a part can be followed by a stretch that was read behind `header` alone: what later parts take over is still what
/// the header says, and the part is complete. Without a body or totals, the next header would be the rest of its own.
fn can_be_followed(part: &Part, header: &[u8]) -> bool {
    let said = |key: &[u8]| {
        let mut values = header.split(|&b| b == b'\n').filter_map(|line| line.strip_prefix(key));
        values.next_back().unwrap_or_default().trim_ascii()
    };
    let same = [(&b"creator:"[..], &part.creator), (b"cmd:", &part.command), (b"pid:", &part.pid)];
    same.into_iter().all(|(key, value)| said(key) == &value[..])
        && (!part.self_cost.is_empty() || part.totals.is_some())
}

/// The header of a file that Callgrind wrote, and as many stretches of it as asked for, each but the first beginning with a
/// part; `None` if it cannot be cut.
fn cut(name: &str, options: &Options) -> io::Result<Option<Cut>> {
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
    let mut stretches: Vec<Range<u64>> = Vec::new();
    let mut from = 0;
    for at in 1..wanted {
        let target = (len / wanted * at).max(from).max(body);
        if let Some(border) = next_part(&mut file, target)?
            && border > from
        {
            stretches.push(from..border);
            from = border;
        }
    }
    stretches.push(from..len);
    Ok((stretches.len() > 1).then_some(Cut { header, stretches }))
}

/// A file to be read in stretches.
struct Cut {
    /// What the first header says for all parts.
    header: Vec<u8>,
    /// Where the stretches are.
    stretches: Vec<Range<u64>>,
}

/// What the first header says for all parts, if this is one of Callgrind's, and where the body begins. Positions and events
/// are not among it: every part that Callgrind writes has its own, and a stretch without them is an error.
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
            return callgrind.then_some((header, body));
        } else if line.starts_with(b"events:") && !callgrind {
            // Another program's, as far as the format is recognised.
            return None;
        }
        body += line.len() as u64;
    }
    None
}

/// Whether a line can stand in front of a part's `part:` line and belong to it. Behind a body, `desc:` and `summary:` belong
/// to that.
fn is_between_parts(line: &[u8]) -> bool {
    let keys: [&[u8]; 6] = [b"#", b"version:", b"creator:", b"pid:", b"cmd:", b"thread:"];
    line.trim_ascii().is_empty() || keys.iter().any(|key| line.starts_with(key))
}

/// Where the first part begins behind a place.
fn next_part(file: &mut File, from: u64) -> io::Result<Option<u64>> {
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
        let starts = finder.find_iter(&buffer[..have]).find_map(|found| start_of_header(&buffer[..found + 1]));
        if let Some(start) = starts {
            return Ok(Some(at + start as u64));
        }
        let keep = have.min(buffer.len() / 2);
        buffer.copy_within(have - keep..have, 0);
        at += (have - keep) as u64;
        kept = keep;
    }
}

/// The first byte of the header lines and blank lines at the end of `text`, which ends with a line feed; `None` if they may
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
        let start = b"# callgrind format\nversion: 1\ncreator: callgrind-3\ndesc: x\npositions: line\nevents: Ir\nsummary: 4\n\nfl=a\n";
        let kept = b"version: 1\ncreator: callgrind-3\n";
        assert_eq!(header(start), Some((kept.to_vec(), start.len() as u64 - 5)));
        assert_eq!(header(b"version: 1\nevents: Ir\nfl=a\n"), None);
    }
}
