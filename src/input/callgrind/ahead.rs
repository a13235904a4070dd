//! Reads a block of lines before what precedes it has been read: as stretches, which `join.rs` adds in the order of the
//! input. `workers.rs` calls it, on several threads.
//!
//! A stretch begins with an `fn=`, or with a header (`parts.rs`). What it takes from the lines before it is then little, and
//! is left open: ids that it does not define and the object and file in force get names of their own, which stand for what
//! is found later. Events, columns and the writer's rule are [`Known`], and it is looked at later whether they still held.
//! Relative positions need the position before them, so that a stretch begins only where the first lines have absolute ones.
//!
//! Whatever depends on order otherwise is not read here: in a stretch that begins with an `fn=`, lines of headers and sums;
//! names that are composed of others, and anything that would be warned of or is an error. Such lines are left to be read in order.

use super::calls::is_jump;
use super::cursor::Context;
use super::known::{FILE_BEFORE, Known, OBJECT_BEFORE};
use super::names::{IdsApart, NameTables};
use super::parts::{self, Headers};
use super::records::{CostOf, Records, Rule};
use super::{Cursor, Parser, Recursion, end_of_few};
use crate::input::lines::fields;
use crate::input::number;
use crate::profile::costs::Overflow;
use crate::profile::{Builder, Collect, NameId, Names, Part};
use std::ops::Range;
use std::path::Path;

/// A piece of a block, as a range of its bytes.
pub(super) enum Piece {
    /// Lines to be read in order.
    InOrder(Range<usize>),
    /// Lines that were read.
    Stretch(Range<usize>, Box<Stretch>),
}

/// Lines that were read apart from what precedes them.
pub(super) struct Stretch {
    /// What they say, of names that only they know.
    pub(super) builder: Builder,
    pub(super) ids: IdsApart,
    /// Names without the levels of others.
    pub(super) folded: Vec<(NameId, NameId)>,
    /// What holds behind them.
    pub(super) after: After,
    /// How many lines they are.
    pub(super) lines: u64,
    /// What its headers say, if it begins with one.
    pub(super) headers: Option<Headers>,
}

/// What a stretch leaves to the lines behind it. Lines are counted from its start.
pub(super) struct After {
    /// What relative positions are relative to; `None` is what it was before.
    pub(super) bases: Option<(i64, u64)>,
    pub(super) next: CostOf,
    pub(super) calls_line: u64,
    pub(super) jump_names: (Option<NameId>, Option<NameId>),
    pub(super) context: Context,
    /// How many lines of its last function are added up and would not be stored yet.
    pub(super) pending_lines: u32,
}

/// Where a stretch can begin.
struct Beginning {
    start: usize,
    with: With,
}

/// What a stretch begins with.
#[derive(Clone, Copy)]
enum With {
    /// A header.
    Header,
    /// An `fn=`.
    Function {
        /// How far it is from there to the end of the first line that sets what relative positions are relative to.
        first_base: Option<usize>,
    },
}

/// Reads blocks ahead; one for each thread.
pub(super) struct Reader {
    collect: Collect,
    recursion: Recursion,
    names: NameTables,
    /// No names yet, hashed as where they are joined.
    no_names: Names,
    /// Stretches end at the first `fn=` behind so many bytes.
    most: usize,
}

impl Reader {
    pub(super) fn new(
        collect: Collect,
        recursion: Recursion,
        names: NameTables,
        no_names: Names,
        most: usize,
    ) -> Reader {
        Reader { collect, recursion, names, no_names, most }
    }

    /// Reads what can be read of the lines in `bytes[..end]`.
    pub(super) fn read(&mut self, bytes: &[u8], end: usize, known: &Known) -> Vec<Piece> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        while at < end {
            let begin = self.beginning(&bytes[..end], at, known);
            let start = begin.as_ref().map_or(end, |begin| begin.start);
            if start > at {
                pieces.push(Piece::InOrder(at..start));
            }
            let Some(begin) = begin else { break };
            match self.stretch(&bytes[start..], self.end(bytes, start, end) - start, begin.with, known) {
                Some((len, stretch)) => {
                    at = start + len;
                    pieces.push(Piece::Stretch(start..at, Box::new(stretch)));
                }
                None => {
                    pieces.push(Piece::InOrder(start..end));
                    break;
                }
            }
        }
        pieces
    }

    /// Where a stretch ends at the latest.
    fn end(&self, bytes: &[u8], start: usize, end: usize) -> usize {
        let behind = start.saturating_add(self.most).min(end);
        memchr::memmem::find(&bytes[behind.saturating_sub(1).max(start)..end], b"\nfn=")
            .filter(|_| self.most < usize::MAX)
            .map_or(end, |feed| behind.saturating_sub(1).max(start) + feed + 1)
    }

    /// Where the next stretch can begin.
    fn beginning(&self, bytes: &[u8], from: usize, known: &Known) -> Option<Beginning> {
        if known.handed_on.is_some()
            && let Some(header) = parts::next_header(&bytes[from..])
        {
            return Some(Beginning { start: from + header, with: With::Header });
        }
        let mut start = from;
        while start < bytes.len() {
            if !bytes[start..].starts_with(b"fn=") {
                start += memchr::memmem::find(&bytes[start..], b"\nfn=")? + 1;
            }
            if !self.collect.wants_lines() {
                return Some(Beginning { start, with: With::Function { first_base: Some(0) } });
            }
            match first_base(&bytes[start..], known, self.collect.code) {
                Ok(first_base) => return Some(Beginning { start, with: With::Function { first_base } }),
                // All that begin before that line would come to it.
                Err(len) => start += len,
            }
        }
        None
    }

    /// Reads `bytes[..len]`, up to the first line that is to be read in order: how many bytes that is, and what they say.
    /// `None` if anything depends on the order.
    fn stretch(&mut self, bytes: &[u8], len: usize, with: With, known: &Known) -> Option<(usize, Stretch)> {
        let handed_on = known.handed_on.as_ref().filter(|_| matches!(with, With::Header));
        let mut builder = Builder::new(Path::new(""), self.collect, None);
        (builder.head.format, builder.head.names) = (known.format, self.no_names.clone());
        builder.head.parts.push(handed_on.map_or_else(Part::default, parts::first_part));
        let open = [builder.head.names.unnamed(), builder.head.names.unnamed()];
        debug_assert_eq!(open, [OBJECT_BEFORE, FILE_BEFORE]);
        let mut cursor = Cursor::new(&mut builder, self.recursion);
        let mut parser = Parser::new(&mut cursor, b"");
        parser.records.begin_apart(known);
        parser.names = std::mem::replace(&mut self.names, NameTables::new(b""));
        parser.names.begin_apart(known.expands, handed_on.is_some());
        parser.events = known.events;
        parser.counts = vec![0; known.events];
        parser.positions = known.positions.clone();
        parser.positions.new_part();
        if let Some(handed_on) = handed_on {
            parser.records.head().events = handed_on.events.clone();
            parser.has_calls = handed_on.has_calls;
            parser.records.begin_part();
        }
        let mut at = 0;
        let mut is_apart = true;
        while is_apart && at < len {
            let stop = end_of_few(bytes, at, len);
            let read = parser.block(bytes, at, stop);
            let head = parser.records.head();
            // Further events make wider rows, which nobody here holds against the length of the input.
            let has_more = handed_on.is_some_and(|known| head.events.recorded().len() > known.events.recorded().len());
            is_apart = read.is_ok() && head.warnings.is_empty() && !has_more && !parser.names.composes_apart();
            at = read.unwrap_or(stop);
            if at < stop {
                break;
            }
        }
        let pending_lines = parser.records.builder.pending_lines();
        let (headers, bases) = match with {
            With::Header => (handed_on.and_then(|handed_on| parser.headers(handed_on)), None),
            With::Function { first_base } => {
                (None, first_base.filter(|&end| end <= at).map(|_| parser.positions.bases()))
            }
        };
        is_apart &= headers.is_some() == matches!(with, With::Header);
        let Parser { mut names, next, calls_line, jump_names, line, .. } = parser;
        let ids = names.end_apart();
        self.names = names;
        let (context, folded) = cursor.end_apart();
        builder.finish_function();
        let after = After { bases, next, calls_line, jump_names, context, pending_lines };
        (is_apart && !builder.has_overflowed())
            .then(|| (at, Stretch { builder, ids, folded, after, lines: line, headers }))
    }
}

/// Where the first line ends that sets what relative positions are relative to; its position and all before it are
/// absolute. `None` if there is no such line, and all positions are. Else where the line ends that has a relative one, or that
/// is not as writers write it.
fn first_base(bytes: &[u8], known: &Known, wants_addresses: bool) -> Result<Option<usize>, usize> {
    let mut next = CostOf::SelfCost;
    let mut at = 0;
    while at < bytes.len() {
        let len = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len() - at, |feed| feed + 1);
        let line = bytes[at..at + len].strip_suffix(b"\n").unwrap_or(&bytes[at..]);
        at += len;
        match line {
            [] | [b'#', ..] => {}
            [b'0'..=b'9', ..] => {
                let counts = absolute(line, known).ok_or(at)?;
                let of = if next == CostOf::Jump && counts > 0 { CostOf::SelfCost } else { next };
                if known.positions.rule != Rule::Writer || of == CostOf::SelfCost {
                    return Ok(Some(at));
                }
                next = CostOf::SelfCost;
            }
            _ => {
                let equals = memchr::memchr(b'=', line).ok_or(at)?;
                let (key, value) = (&line[..equals], &line[equals + 1..]);
                if next == CostOf::Call {
                    return Err(at);
                }
                next = match key {
                    b"fn" | b"fl" | b"fi" | b"fe" | b"ob" | b"cfn" | b"cfi" | b"cfl" | b"cob" | b"jfi" | b"jfn" => {
                        CostOf::SelfCost
                    }
                    b"calls" => CostOf::Call,
                    b"jump" | b"jcnd" if is_jump(key, value) => CostOf::Jump,
                    _ => return Err(at),
                };
                // Their targets can be relative, too.
                if wants_addresses && next != CostOf::SelfCost && value.iter().any(|b| b"+-*".contains(b)) {
                    return Err(at);
                }
            }
        }
    }
    Ok(None)
}

/// How many counts a cost line has if its positions are absolute and all its fields are plain numbers.
fn absolute(line: &[u8], known: &Known) -> Option<usize> {
    let mut counts = 0;
    for (column, field) in fields(line).enumerate() {
        let (value, over) = number::whole(field)?;
        if over == Overflow::Saturated || i64::try_from(value).is_err() {
            return None;
        }
        counts = (column + 1).saturating_sub(known.positions.columns());
    }
    (fields(line).count() >= known.positions.columns() && counts <= known.events).then_some(counts)
}

#[cfg(test)]
mod tests {
    use super::super::known::HandedOn;
    use super::super::positions::Positions;
    use super::*;
    use crate::input::lines::PADDING;
    use crate::profile::{ColumnMap, Events, Format, Text};

    const TEXT: &str = "events: Ir Dr\nfl=(1) a.c\nfn=(1) f\n1 20\n+3 4 1\nfn=(2) g\n+1 5\nfn=(3) h\ncfn=(2)\ncalls=1 1\n7 5\n\
                        fn=(4) i\n9 1\n* 2\ntotals: 32\npart: 2\nfn=(1)\n2 2\nfn=(9)\n3 3\n";

    /// The pieces of the text behind its header: how many bytes are read in order, and which stretches there are.
    fn pieces(most: usize, rule: Rule, handed_on: Option<HandedOn>) -> Vec<Result<String, String>> {
        let body = TEXT.find("fn=").unwrap();
        let bytes = [&TEXT.as_bytes()[body..], &[0; PADDING]].concat();
        let known = Known {
            events: 2,
            positions: Positions::new(rule, false),
            columns: ColumnMap::default(),
            has_fl: true,
            expands: true,
            format: Format::Callgrind,
            handed_on,
        };
        let mut reader = Reader::new(Collect::ALL, Recursion::Levels, NameTables::new(b""), Names::default(), most);
        let text = |range: Range<usize>| TEXT[body..][range].to_owned();
        let pieces = reader.read(&bytes, TEXT.len() - body, &known).into_iter();
        pieces
            .map(|piece| match piece {
                Piece::InOrder(range) => Err(text(range)),
                Piece::Stretch(range, _) => Ok(text(range)),
            })
            .collect()
    }

    #[test]
    fn stretches_begin_where_positions_are_absolute_and_end_before_headers() {
        let ok = |text: &str| Ok(text.to_owned());
        let in_order = |text: &str| Err(text.to_owned());
        let first = "fn=(1) f\n1 20\n+3 4 1\n";
        let relative = "fn=(2) g\n+1 5\n";
        let (third, fourth) = ("fn=(3) h\ncfn=(2)\ncalls=1 1\n7 5\n", "fn=(4) i\n9 1\n* 2\n");
        let (header, fifth, sixth) = ("totals: 32\npart: 2\n", "fn=(1)\n2 2\n", "fn=(9)\n3 3\n");
        for rule in [Rule::Writer, Rule::Specification] {
            assert_eq!(
                pieces(1, rule, None),
                [ok(first), in_order(relative), ok(third), ok(fourth), in_order(header), ok(fifth), ok(sixth)]
            );
            let whole = [first, relative, third, fourth].concat();
            let rest = [fifth, sixth].concat();
            assert_eq!(pieces(usize::MAX, rule, None), [ok(&whole), in_order(header), ok(&rest)]);
        }
    }

    #[test]
    fn stretches_that_begin_with_headers_go_on_behind_others() {
        let mut events = Events::default();
        assert!(ColumnMap::default().map(&mut events, &[b"Ir".to_vec(), b"Dr".to_vec()]));
        let text = || Text::from(&b""[..]);
        let handed_on =
            HandedOn { creator: text(), command: text(), pid: text(), number: text(), events, has_calls: false };
        let pieces = pieces(usize::MAX, Rule::Writer, Some(handed_on));
        let (totals, header) = (TEXT.find("totals").unwrap(), TEXT.find("part").unwrap());
        let (body, text) = (TEXT.find("fn=").unwrap(), |range: Range<usize>| TEXT[range].to_owned());
        assert_eq!(pieces, [Ok(text(body..totals)), Err(text(totals..header)), Ok(text(header..TEXT.len()))]);
    }
}
