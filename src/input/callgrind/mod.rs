//! Parses the Callgrind format: bytes in, records out.
//!
//! ```text
//! file      := part+                              a header key after a body begins a new part
//! part      := (header | body)*
//! header    := key ":" value                      see header.rs
//! body      := cost | name | call | jump | "totals:" … | "summary:" … | comment | blank
//! cost      := subposition{n} count{0..events}    n columns of `positions:`
//! subposition := number | "+" number | "-" number | "*"
//!                                                 relative to the last line, see positions.rs
//! name      := ("ob"|"fl"|"fi"|"fe"|"fn"|"cob"|"cfi"|"cfl"|"cfn"|"jfi"|"jfn"|"frfn") "=" name
//! call      := ("calls"|"rcalls") "=" count target*    the next cost line belongs to the call
//! jump      := ("jump"|"jcnd") "=" …              the next line is its source, without counts
//! ```
//!
//! The parser knows the form of lines, the tables of compressed names and the positions. It calls
//! [`Records`], which decide what a record means: `cursor.rs` in the usual way, `compat` as
//! callgrind_annotate does.
//!
//! For whoever changes this: most lines are cost lines, so they have two fast paths, `runs.rs` for
//! many lines at once and `plain.rs` for one. Both accept only the form that writers use. Any other
//! form (hexadecimal counts, tabs, ranges, `.`, garbage) goes to `careful.rs`, from its first byte.
//! So only one place decides whether a line is valid, and a fast path may decline any line, but
//! must never read one differently.

mod calls;
mod careful;
pub(crate) mod complete;
mod cursor;
mod header;
mod names;
mod plain;
pub(crate) mod positions;
pub(super) mod recognise;
pub(crate) mod records;
pub(crate) mod runs;

pub(super) use cursor::Cursor;

use super::{
    Error, ErrorKind, Options,
    error::ErrorReason,
    excerpt::shown,
    format::FormatReader,
    lines::{Block, LineBlocks, trim_start},
    marks::{self, WINDOW},
};
use crate::profile::{Builder, Format, NameId, WarningKind};
use header::{DeclaredSum, is_cost};
use names::{NameKind, NameTables, ReadPosition};
use positions::{LineNumber, Positions};
use recognise::{Dialect, dialect};
use records::{CostKind, CountsAre, NameOf, Records, SumLine};
use runs::{FirstLine, LineRun};
use std::io::Read;

/// Callgrind's files, and those of other programs that write the same format.
pub(super) struct Callgrind;

impl FormatReader for Callgrind {
    fn format(&self) -> &'static Format {
        &Format::CALLGRIND
    }

    fn is_mine(&self, start: &[u8]) -> bool {
        dialect(start) == Some(Dialect::Callgrind)
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error> {
        #[cfg(feature = "pack")]
        let source = &mut crate::pack::details::DetailsReader::new(source);
        let mut cursor = Cursor::new(builder);
        CallgrindParser::new(&mut cursor, &options.strip).read(&mut *source, options.block)?;
        #[cfg(feature = "pack")]
        super::details::add(source, builder, options);
        Ok(())
    }
}

/// Parses one file.
pub(crate) struct CallgrindParser<'a, R> {
    records: &'a mut R,
    positions: Positions,
    names: NameTables,
    /// The number of count columns of the current part; 0 before `events:`.
    events: usize,
    /// Whether the current part has its own `events:` line.
    own_events: bool,
    counts: Vec<i64>,
    /// The `totals:` and `summary:` of the current part.
    declared: [Option<DeclaredSum>; 2],
    /// The kind of the next cost line.
    next: CostKind,
    /// Whether addresses and jumps are wanted.
    wants_addresses: bool,
    /// Whether callees are wanted.
    wants_callees: bool,
    /// File and function of the next jump's target.
    jump_names: (Option<NameId>, Option<NameId>),
    /// The line of the last `calls=`, whose cost may be missing so far; 0 if there was none.
    calls_line: u64,
    /// Whether any part so far has calls.
    has_calls: bool,
    in_body: bool,
    /// Whether the next function begins another part, because a run of Xdebug has ended.
    run_ended: bool,
    /// The keys in the header of the current part, one bit each.
    keys: u8,
    part: u32,
    line: u64,
    /// How many bytes were read.
    read: u64,
    /// The error that ended the input early.
    cut: Option<ErrorReason>,
}

impl<'a, R: Records> CallgrindParser<'a, R> {
    pub(crate) fn new(records: &'a mut R, strip: &[u8]) -> CallgrindParser<'a, R> {
        let rule = records.rule(b"");
        let (wants_addresses, wants_callees) = (records.wants_addresses(), records.wants_callees());
        CallgrindParser {
            records,
            positions: Positions::new(rule, wants_addresses),
            wants_addresses,
            wants_callees,
            jump_names: (None, None),
            names: NameTables::new(strip),
            events: 0,
            own_events: false,
            counts: Vec::new(),
            declared: [None, None],
            next: CostKind::SelfCost,
            calls_line: 0,
            has_calls: false,
            in_body: false,
            run_ended: false,
            keys: 0,
            part: 0,
            line: 0,
            read: 0,
            cut: None,
        }
    }

    /// Reads the whole input. After a read error in the middle it warns, and keeps what came
    /// before.
    pub(crate) fn read(mut self, source: impl Read, block: usize) -> Result<(), Error> {
        let mut blocks = LineBlocks::new(source, block);
        self.records.begin_part();
        self.new_part();
        loop {
            match blocks.next() {
                Ok(Block::Lines(range)) => {
                    let last = blocks.bytes()[range.clone()].trim_ascii();
                    let is_unended = blocks.unended && !matches!(last, [] | [b'#', ..]);
                    if is_unended && self.is_cut_line(last) {
                        let line = self.line;
                        self.warn(WarningKind::Truncated, || {
                            format!("the file is truncated after line {line}; its last, incomplete line is ignored")
                        });
                        continue;
                    }
                    let of = self.next;
                    // Of several faults, report the first.
                    self.blocks(blocks.bytes(), range.end)
                        .or_else(|e| self.check_totals().and(Err(e)))?;
                    if is_unended {
                        self.unended(last, of);
                    }
                }
                Ok(Block::TooLong) => {
                    self.line += 1;
                    self.warn(WarningKind::LongLine, || {
                        "a line of more than 64 MiB is skipped".into()
                    });
                }
                Ok(Block::End) => return self.end(),
                Err(e) => {
                    let reason = ErrorReason::from(e);
                    if self.line == 0 || reason.kind == ErrorKind::Ratio {
                        return Err(self.error(None, reason));
                    }
                    self.warn(WarningKind::Truncated, || {
                        format!("the input is truncated after this line: {}", reason.text)
                    });
                    self.cut = Some(reason);
                }
            }
        }
    }

    /// Ends the last part.
    fn end(mut self) -> Result<(), Error> {
        self.end_part(self.line)?;
        if self.events == 0 {
            let reason = self.cut.take().unwrap_or_else(ErrorReason::no_events);
            return Err(self.error(Some(self.line), reason));
        }
        self.records.end();
        Ok(())
    }

    /// Reads the lines in `bytes[..end]` in small groups, so that excessive memory is noticed in
    /// time.
    fn blocks(&mut self, bytes: &[u8], end: usize) -> Result<(), Error> {
        let mut start = 0;
        while start < end {
            let stop = end_of_few(bytes, start, end);
            self.read += (stop - start) as u64;
            self.block(bytes, start, stop)?;
            if let Some(full) = self.records.full(self.read) {
                return Err(self.error(Some(self.line), full));
            }
            start = stop;
        }
        Ok(())
    }

    /// Reads the lines in `bytes[at..end]`. [`PADDING`](super::lines::PADDING) more bytes after
    /// them are readable.
    fn block(&mut self, bytes: &[u8], mut at: usize, end: usize) -> Result<(), Error> {
        while at < end {
            let window = bytes[at..].first_chunk();
            if is_cost(&bytes[at..])
                && let Some(window) = window
                && let Some(len) = match self.positions.plain_columns {
                    1 => self.plain_cost_lines::<1>(window, end - at),
                    2 => self.plain_cost_lines::<2>(window, end - at),
                    3 => self.plain_cost_lines::<3>(window, end - at),
                    _ => None,
                }
            {
                at += len;
                continue;
            }
            self.line += 1;
            // Most of these lines are too short for a search that is fast on long ones.
            let short = window
                .and_then(marks::feed)
                .map(|n| at + n)
                .filter(|&n| n < end);
            let long = || memchr::memchr(b'\n', &bytes[at..end]).map_or(end, |n| at + n);
            let line_end = short.unwrap_or_else(long);
            self.other_line(&bytes[at..line_end])?;
            at = line_end + 1;
        }
        Ok(())
    }

    /// The fast paths of cost lines: several lines, or one. Returns their length in bytes. `None`
    /// means that the line needs the slow path; nothing has changed then.
    #[inline(always)]
    fn plain_cost_lines<const COLUMNS: usize>(
        &mut self,
        window: &[u8; WINDOW],
        len: usize,
    ) -> Option<usize> {
        let first = if self.next == CostKind::Jump {
            FirstLine::MayBeBare
        } else {
            FirstLine::HasCounts
        };
        let has_places = self.has_places();
        if R::RUNS
            && self.events > 0
            && let Some(run) = LineRun::<COLUMNS>::find(window, len, first)
            && let Some(len) = self.run(window, run, has_places)
        {
            return Some(len);
        }
        let counts = self
            .counts
            .get_mut(..self.events)
            .filter(|counts| !counts.is_empty())?;
        let base = if has_places { self.positions.base } else { 0 };
        let line = plain::cost_line::<COLUMNS>(window, base, counts)?;
        let of = self.next_cost(line.counts);
        let at = if has_places {
            self.positions.advance(line.place, of)?
        } else {
            0
        };
        self.line += 1;
        self.cost(of, at, line.counts, CountsAre::Plain);
        Some(line.len)
    }

    /// Whether the file has source lines and the records want them. Otherwise line numbers must not
    /// matter at all, because the result could depend on where a block ends.
    #[inline(always)]
    fn has_places(&self) -> bool {
        self.records.wants_positions() && self.positions.has_lines()
    }

    /// Adds up a run and returns its length. Returns `None` if the records want its lines one by
    /// one, or if the first line has an impossible position or too many counts. The run ends before
    /// the first later line of that kind.
    #[inline(always)]
    fn run<const COLUMNS: usize>(
        &mut self,
        window: &[u8; WINDOW],
        mut run: LineRun<COLUMNS>,
        has_places: bool,
    ) -> Option<usize> {
        let mut len = None;
        if self.next != CostKind::SelfCost {
            len = Some(self.first_of_run(window, &mut run, has_places)?);
            if run.is_empty() {
                return len;
            }
        }
        if !has_places {
            return self.add_run(window, 0, run).or(len);
        }
        // Without an address column, lines at the same place are rare.
        if COLUMNS > 1
            && let Some(at) = run.only_place(window, self.positions.base)
            && let Some(end) = self.add_run(window, at as u64, run)
        {
            self.positions.advance(at, CostKind::SelfCost);
            return Some(end);
        }
        while let Some((at, lines)) = run.split_off_place(window, self.positions.base) {
            let Some(end) = self.add_run(window, at as u64, lines) else {
                break;
            };
            self.positions.advance(at, CostKind::SelfCost);
            len = Some(end);
        }
        len
    }

    /// Records the first line of a run, which belongs to a call or a jump, and returns its length.
    #[inline(always)]
    fn first_of_run<const COLUMNS: usize>(
        &mut self,
        window: &[u8; WINDOW],
        run: &mut LineRun<COLUMNS>,
        has_places: bool,
    ) -> Option<usize> {
        let place = if has_places {
            run.next_place(window, self.positions.base)?.0
        } else {
            0
        };
        let (n, len) = run.split_off_line(window, self.counts.get_mut(..self.events)?)?;
        let of = self.next_cost(n);
        let at = if has_places {
            self.positions.advance(place, of)?
        } else {
            0
        };
        self.line += 1;
        self.cost(of, at, n, CountsAre::Plain);
        Some(len)
    }

    /// Adds up the lines of a run at one source line, and returns where they end. `None` if there
    /// are too many counts.
    #[inline(always)]
    fn add_run<const COLUMNS: usize>(
        &mut self,
        window: &[u8; WINDOW],
        at: u64,
        run: LineRun<COLUMNS>,
    ) -> Option<usize> {
        let counts = run.sum(window, self.records.run(at, self.line + 1)?);
        if counts > self.events {
            // The file is invalid, so the counts that were added do not matter.
            return None;
        }
        self.in_body = true;
        self.line += u64::from(run.lines());
        self.records.summed(counts, run.lines(), self.line);
        Some(run.len())
    }

    /// The kind of a cost line with `n` counts. The source line of a jump has no counts; with
    /// counts, it is a self cost line.
    #[inline(always)]
    fn next_cost(&self, n: usize) -> CostKind {
        if self.next == CostKind::Jump && n > 0 {
            CostKind::SelfCost
        } else {
            self.next
        }
    }

    /// Records a cost line with the first `n` counts.
    #[inline(always)]
    fn cost(&mut self, of: CostKind, at: u64, n: usize, form: CountsAre) {
        self.next = CostKind::SelfCost;
        self.in_body = true;
        self.records
            .cost(of, at, &self.counts[..n], form, self.line);
    }

    #[cold]
    fn impossible(&mut self, number: LineNumber) {
        match number {
            LineNumber::Possible => {}
            LineNumber::Negative => {
                self.warn(WarningKind::NegativeLine, || {
                    "a negative line number; line 0 (unknown) is used instead".into()
                });
            }
            LineNumber::TooLarge => {
                self.warn(WarningKind::Saturated, || {
                    format!(
                        "a line number that is too large; {} is used instead",
                        i64::MAX
                    )
                });
            }
        }
    }

    /// Reads any line that is not a plain cost line.
    fn other_line(&mut self, line: &[u8]) -> Result<(), Error> {
        let line = if self.line == 1 {
            line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
        } else {
            line
        };
        let line = trim_start(if line.ends_with(b"\r") {
            without_returns(line)
        } else {
            line
        });
        match line {
            [] | [b'#', ..] => Ok(()),
            _ if is_cost(line) => self.careful_cost_line(line),
            [b'f', b'n', b'=', name @ ..] => self.name_line(NameOf::Function, name),
            [b'f', b'i' | b'e', b'=', name @ ..] => self.name_line(NameOf::Inlined, name),
            [b'f', b'l', b'=', name @ ..] => self.name_line(NameOf::File, name),
            [b'c', b'f', b'n', b'=', name @ ..] => self.name_line(NameOf::Callee, name),
            [b'c', b'f', b'i' | b'l', b'=', name @ ..] => self.name_line(NameOf::CalleeFile, name),
            [b'c', b'o', b'b', b'=', name @ ..] => self.name_line(NameOf::CalleeObject, name),
            [b'o', b'b', b'=', name @ ..] => self.name_line(NameOf::Object, name),
            _ => self.rare_line(line),
        }
    }

    /// Reads a name line, which says what the next costs and calls belong to.
    #[inline]
    fn name_line(&mut self, of: NameOf, value: &[u8]) -> Result<(), Error> {
        if self.next != CostKind::SelfCost {
            self.name_before_cost(of);
        }
        if self.run_ended {
            self.warn(WarningKind::SeveralProcesses, || {
                "after a fork, another process wrote the rest, which is a separate part; costs before the fork may be in both"
                    .into()
            });
            self.in_body = true;
            self.end_body()?;
        }
        self.in_body = true;
        let names = match of {
            NameOf::Object | NameOf::CalleeObject => NameKind::Objects,
            NameOf::File | NameOf::Inlined | NameOf::CalleeFile => NameKind::Files,
            NameOf::Function | NameOf::Callee => NameKind::Functions,
        };
        // A plain name defines no id, so it need not be looked up.
        let is_plain = || {
            value
                .first()
                .is_some_and(|&first| first > b' ' && first != b'(')
        };
        let is_left_out = of.is_of_callee()
            && !self.wants_callees
            && is_plain()
            && memchr::memchr(b'\'', value).is_none();
        let name = if is_left_out {
            NameId::UNKNOWN
        } else {
            self.name_of(names, value)
        };
        self.records.name(of, name);
        Ok(())
    }

    /// Reads any line that is neither a cost nor a name.
    fn rare_line(&mut self, line: &[u8]) -> Result<(), Error> {
        let len = line.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let (key, rest) = line.split_at(len);
        let value = rest.strip_prefix(b"=").filter(|_| len > 0);
        match value {
            Some(value) if key != b"totals" => self.equals_line(key, value, line),
            Some(value) => self.totals_line(SumLine::Totals, value)?,
            None => self.header_line(line)?,
        }
        Ok(())
    }

    /// Resolves the text after `=` to a name.
    fn name_of(&mut self, names: NameKind, value: &[u8]) -> NameId {
        let at = ReadPosition {
            line: self.line,
            part: self.part,
            read: self.read,
        };
        self.names.name(names, value, at, self.records.head())
    }

    fn malformed(&mut self, line: &[u8]) {
        self.warn(WarningKind::MalformedLine, || {
            format!("not a line of the format, ignored: `{}`", shown(line))
        });
    }

    #[cold]
    fn warn(&mut self, kind: WarningKind, message: impl FnOnce() -> String) {
        let line = self.line;
        self.records.head().warn(Some(line), kind, message);
    }

    fn error(&mut self, line: Option<u64>, reason: impl Into<ErrorReason>) -> Error {
        Error::new(self.records.head().input(), line.filter(|&l| l > 0), reason)
    }
}

/// Removes the CRs at the end of a line. Some programs end lines with CR LF, and a file that was
/// converted twice has several CRs.
#[cold]
fn without_returns(line: &[u8]) -> &[u8] {
    let returns = line.iter().rev().take_while(|&&b| b == b'\r').count();
    &line[..line.len() - returns]
}

/// The end of the next few lines in `bytes[start..end]`. The caller checks memory after each group.
fn end_of_few(bytes: &[u8], start: usize, end: usize) -> usize {
    const FEW: usize = 16 * 1024;
    match bytes[..end]
        .get(start + FEW..)
        .and_then(|rest| memchr::memchr(b'\n', rest))
    {
        Some(at) => start + FEW + at + 1,
        None => end,
    }
}
