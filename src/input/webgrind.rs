//! Reads webgrind's preprocessed files, versions 4 to 7: an Xdebug profile summed up by function,
//! in binary.
//!
//! ```text
//! file     := version header_at count address{count} function{count} subcalls? header
//!                                             numbers: u32, little endian
//! function := v7: line self inclusive calls callers callees call{callers} call{callees} name name
//!             v6: the same without line
//!             v5: self inclusive calls callers call{callers} name name
//!             v4: self inclusive callcost calls invocation{calls} name name
//! call     := function line count cost        the other function; the line is in the caller
//! invocation := self inclusive cost caller invocation line subcalls subcalls_at
//! subcall  := function invocation line cost
//! name     := bytes "\n"                      the file, then the function
//! header   := lines of the Xdebug profile's header, of every run
//! ```
//!
//! The format has no source lines, and one event, the first of the header. Its inclusive costs
//! count recursion once per level. The writer truncates counts to 32 bits; the reader warns if that
//! shows. Version 4 links every invocation to its caller, but often to the wrong one or none. The
//! subcalls recorded at the callers are right, by function and line.
//!
//! The reader checks every address and count against the length of the file before it uses them. So
//! it reads and allocates nothing outside the file.

use super::{
    Error, Options,
    error::{ErrorReason, malformed},
    excerpt::shown,
    format::FormatReader,
    number::parsed,
};
use crate::profile::{Builder, End, EndMark, Format, FunctionId, NameId, Part, Php, WarningKind};
use indexmap::IndexMap;
use std::{cell::Cell, io::Read};

/// The versions that can be read.
const VERSIONS: std::ops::RangeInclusive<u32> = 4..=7;

/// The format cannot address a longer file.
const LONGEST: u64 = u32::MAX as u64 + 64 * 1024 * 1024;

/// A larger value is not a duration in microseconds but a point in time.
const TIME_OF_DAY: i64 = 1_000_000_000_000_000;

pub(super) struct Webgrind;

impl FormatReader for Webgrind {
    fn format(&self) -> &'static Format {
        &Format {
            name: "webgrind",
            shown: "webgrind",
            is_original: false,
            has_lines: false,
            has_debug_lines: false,
            repeats_recursion: true,
            end: EndMark::RunSummaries,
            php: Php::Sums,
            ..Format::CALLGRIND
        }
    }

    /// Whether a file begins with a small version number in four bytes, as no text does. This
    /// accepts versions that cannot be read, too, so that the error names them.
    fn is_mine(&self, start: &[u8]) -> bool {
        matches!(start, [1..32, 0, 0, 0, ..])
    }

    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        _options: &Options,
    ) -> Result<(), Error> {
        let mut bytes = Vec::new();
        let read = source.take(LONGEST).read_to_end(&mut bytes);
        read.map_err(ErrorReason::from)
            .and_then(|_| WebgrindFile::new(&bytes)?.read_into(builder))
            .map_err(|reason| Error::new(builder.head.input(), None, reason))
    }
}

struct FunctionRecord<'a> {
    line: u32,
    self_cost: u32,
    inclusive: u32,
    calls: u32,
    /// Its calls of other functions in version 4, else their calls of it. The other direction would
    /// repeat the same calls.
    links: Vec<LinkRecord>,
    /// The inclusive cost that its own record adds up to; `None` in versions that do not list
    /// callees.
    added_up: Option<u64>,
    file: &'a [u8],
    name: &'a [u8],
}

struct LinkRecord {
    function: u32,
    line: u32,
    count: u64,
    cost: u64,
}

/// Reads numbers and names in sequence.
struct RecordFields<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The function that this record belongs to.
    of: usize,
}

impl<'a> RecordFields<'a> {
    fn cut(&self) -> ErrorReason {
        ErrorReason::malformed(format!(
            "the record of function {} runs past the end of the file",
            self.of
        ))
    }

    fn number(&mut self) -> Result<u32, ErrorReason> {
        let number = number_at(self.bytes, self.at).ok_or_else(|| self.cut())?;
        self.at += 4;
        Ok(number)
    }

    /// Reads a count of items of `size` bytes each, which must fit in the rest of the file.
    fn fits(&self, count: u32, size: usize) -> Result<usize, ErrorReason> {
        let room = (self.bytes.len() - self.at) / size;
        let count = count as usize;
        if count > room {
            return malformed(format!(
                "function {} states {count} call records, but only {room} fit into the rest of the file",
                self.of
            ));
        }
        Ok(count)
    }

    fn name(&mut self) -> Result<&'a [u8], ErrorReason> {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest).ok_or_else(|| self.cut())?;
        self.at += end + 1;
        Ok(rest[..end].trim_ascii())
    }
}

/// A cost with the costs of calls.
fn added(cost: u32, calls: &[LinkRecord]) -> u64 {
    calls
        .iter()
        .fold(cost.into(), |sum, call| sum.saturating_add(call.cost))
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// A whole file, with a checked frame.
struct WebgrindFile<'a> {
    bytes: &'a [u8],
    version: u32,
    addresses: Vec<usize>,
    header: &'a [u8],
    /// How many more subcalls can fit in the file.
    subcalls_left: Cell<usize>,
}

impl<'a> WebgrindFile<'a> {
    /// Reads and checks the frame: version, addresses, header.
    fn new(bytes: &'a [u8]) -> Result<WebgrindFile<'a>, ErrorReason> {
        let version = number_at(bytes, 0).unwrap_or(0);
        if !VERSIONS.contains(&version) {
            return malformed(format!(
                "version {version} of webgrind's format is not known ({} to {} are)",
                VERSIONS.start(),
                VERSIONS.end()
            ));
        }
        let (Some(header_at), Some(count)) = (number_at(bytes, 4), number_at(bytes, 8)) else {
            return malformed(format!(
                "a webgrind file has at least 12 bytes; this one ends after {}",
                bytes.len()
            ));
        };
        let room = (bytes.len() - 12) / 4;
        let count = count as usize;
        if count > room {
            return malformed(format!(
                "it counts {count} functions, but the file has room for at most {room}"
            ));
        }
        let first = 12 + 4 * count;
        let header = Some(header_at as usize)
            .filter(|&at| at >= first)
            .and_then(|at| bytes.get(at..));
        let header = header.ok_or_else(|| {
            ErrorReason::malformed(format!(
                "its header should be at byte {header_at}, in a file of {} bytes",
                bytes.len()
            ))
        })?;
        let mut addresses = Vec::with_capacity(count);
        let mut last = first;
        for function in 0..count {
            let address = number_at(bytes, 12 + 4 * function).unwrap_or(0);
            let at = address as usize;
            // The records follow the order of the table. Any other order could list one record many
            // times.
            if at < last || at >= bytes.len() {
                return malformed(format!(
                    "function {function} should be at byte {address}, between {last} and the end at {}",
                    bytes.len()
                ));
            }
            addresses.push(at);
            last = at + 1;
        }
        Ok(WebgrindFile {
            bytes,
            version,
            addresses,
            header,
            subcalls_left: Cell::new(bytes.len() / 16),
        })
    }

    fn read_into(&self, builder: &mut Builder) -> Result<(), ErrorReason> {
        let summary = self.header(builder);
        if self.addresses.is_empty() {
            builder.head.warn(None, WarningKind::NoFunctions, || {
                "the file has no functions: none had returned when it was written".into()
            });
        }
        // Each record is a function, but two records with the same name and file are one.
        let mut ids: Vec<FunctionId> = Vec::with_capacity(self.addresses.len());
        let mut records = Vec::with_capacity(self.addresses.len());
        let mut end = 0;
        for (of, &at) in self.addresses.iter().enumerate() {
            if at < end {
                return malformed(format!(
                    "the records of functions {} and {of} overlap",
                    of.saturating_sub(1)
                ));
            }
            let mut fields = RecordFields {
                bytes: self.bytes,
                at,
                of,
            };
            let record = self.record(&mut fields)?;
            end = fields.at;
            let [file, name] = [record.file, record.name]
                .map(|name| builder.head.names.intern_or(name, NameId::UNKNOWN));
            ids.push(builder.function(NameId::EMPTY, file, name));
            records.push(record);
        }
        let mut over = false;
        let mut self_sum = 0i64;
        for (record, &id) in records.iter().zip(&ids) {
            self_sum = self_sum.saturating_add(i64::from(record.self_cost));
            over |= builder.enter(id);
            over |= builder.add_self_unplaced(&[i64::from(record.self_cost)]);
            over |= builder.state(
                id,
                &[i64::from(record.inclusive)],
                u64::from(record.calls),
                u64::from(record.line),
            );
        }
        let links = records.iter().zip(&ids);
        let links = links.flat_map(|(record, &id)| record.links.iter().map(move |call| (id, call)));
        for (id, call) in links {
            // The function is valid: `known` checked it when the record was read.
            let other = ids.get(call.function as usize).copied().unwrap_or(id);
            let (caller, callee) = if self.version == 4 {
                (id, other)
            } else {
                (other, id)
            };
            let file = builder.known(caller).file;
            let cost = i64::try_from(call.cost).unwrap_or(i64::MAX);
            over |= builder.add_call_from(
                caller,
                callee,
                (file, u64::from(call.line)),
                call.count,
                &[cost],
            );
        }
        over |= builder.leave();
        if over {
            builder.head.warn(None, WarningKind::Saturated, || {
                "a sum does not fit in 64 bits; the limit is used instead".into()
            });
        }
        self.say_what_wrapped(builder, &records, self_sum, summary);
        Ok(())
    }

    fn record(&self, fields: &mut RecordFields<'a>) -> Result<FunctionRecord<'a>, ErrorReason> {
        let line = if self.version >= 7 {
            fields.number()?
        } else {
            0
        };
        let (self_cost, inclusive) = (fields.number()?, fields.number()?);
        if self.version == 4 {
            fields.number()?; // the sum of the invocations' call costs
        }
        let calls = fields.number()?;
        let mut added_up = None;
        let links = if self.version == 4 {
            let links = self.subcalls(fields, calls)?;
            added_up = Some(added(self_cost, &links));
            links
        } else {
            let from = fields.number()?;
            let to = (self.version >= 6).then(|| fields.number()).transpose()?;
            let links = self.calls(fields, from)?;
            if let Some(to) = to {
                added_up = Some(added(self_cost, &self.calls(fields, to)?));
            }
            links
        };
        let (file, name) = (fields.name()?, fields.name()?);
        Ok(FunctionRecord {
            line,
            self_cost,
            inclusive,
            calls,
            links,
            added_up,
            file,
            name,
        })
    }

    fn calls(
        &self,
        fields: &mut RecordFields<'a>,
        count: u32,
    ) -> Result<Vec<LinkRecord>, ErrorReason> {
        let count = fields.fits(count, 16)?;
        let call = |_| {
            Ok(LinkRecord {
                function: self.known(fields.number()?, fields.of)?,
                line: fields.number()?,
                count: fields.number()?.into(),
                cost: fields.number()?.into(),
            })
        };
        (0..count).map(call).collect()
    }

    fn known(&self, function: u32, of: usize) -> Result<u32, ErrorReason> {
        if (function as usize) < self.addresses.len() {
            return Ok(function);
        }
        malformed(format!(
            "function {of} calls function {function}, but there are only {}",
            self.addresses.len()
        ))
    }

    /// Adds up the subcalls of version 4's invocations by callee and line, in the order in which
    /// these first occur.
    fn subcalls(
        &self,
        fields: &mut RecordFields<'a>,
        invocations: u32,
    ) -> Result<Vec<LinkRecord>, ErrorReason> {
        let mut calls: IndexMap<(u32, u32), LinkRecord> = IndexMap::new();
        for _ in 0..fields.fits(invocations, 32)? {
            let mut row = [0; 8];
            for number in &mut row {
                *number = fields.number()?;
            }
            let [.., count, address] = row;
            let at = (address as usize).min(self.bytes.len());
            let mut subcalls = RecordFields {
                bytes: self.bytes,
                at,
                of: fields.of,
            };
            for _ in 0..subcalls.fits(count, 16)? {
                if self.subcalls_left.get() == 0 {
                    return malformed("its subcalls overlap: the file is too small for them");
                }
                self.subcalls_left.set(self.subcalls_left.get() - 1);
                let function = self.known(subcalls.number()?, fields.of)?;
                let (_invocation, line, cost) =
                    (subcalls.number()?, subcalls.number()?, subcalls.number()?);
                let call = calls.entry((function, line)).or_insert(LinkRecord {
                    function,
                    line,
                    count: 0,
                    cost: 0,
                });
                call.count += 1;
                call.cost = call.cost.saturating_add(u64::from(cost));
            }
        }
        Ok(calls.into_values().collect())
    }

    /// Reads the header into parts, one per run, and the event. Returns the sum of the runs'
    /// summaries if all have one.
    ///
    /// If the run already has a key, the next run begins there. The header ends at the first blank
    /// line. Unlike in webgrind, a value may contain colons. Lines with a colon that are not header
    /// lines are skipped.
    fn header(&self, builder: &mut Builder) -> Option<i64> {
        let mut event: Option<Vec<u8>> = None;
        let mut seen: Vec<&[u8]> = Vec::new();
        let mut part = Part::default();
        for line in self.header.split(|&b| b == b'\n') {
            if line.trim_ascii().is_empty() {
                break;
            }
            let colon = memchr::memmem::find(line, b": ");
            let (key, value) = colon.map_or((line, line), |at| {
                (&line[..at], line[at + 2..].trim_ascii())
            });
            let key = if key == b"Summary" { b"summary" } else { key };
            let is_known = matches!(
                key,
                b"version"
                    | b"creator"
                    | b"cmd"
                    | b"pid"
                    | b"part"
                    | b"positions"
                    | b"events"
                    | b"summary"
            );
            if colon.is_none() || !is_known {
                part.lines.push(line.into());
                continue;
            }
            let first = || {
                value
                    .split(|b| b.is_ascii_whitespace())
                    .next()
                    .unwrap_or_default()
            };
            let number = || parsed::<i64>(first());
            if key == b"summary"
                && seen.contains(&key)
                && number().is_some_and(|n| n >= TIME_OF_DAY)
            {
                builder.head.warn(None, WarningKind::SecondSummary, || {
                    format!(
                        "`summary: {}` is the time of the day, as Xdebug 2 writes after an exit; it is ignored",
                        shown(value)
                    )
                });
                part.lines.push(line.into());
                continue;
            }
            if seen.contains(&key) {
                builder.head.parts.push(std::mem::take(&mut part));
                seen.clear();
            }
            seen.push(key);
            part.lines.push(line.into());
            match key {
                b"events" => event = event.or_else(|| Some(first().to_vec())),
                b"summary" => match number() {
                    Some(count) => part.summary = Some(vec![count]),
                    None => builder.head.warn(None, WarningKind::BadCount, || {
                        format!(
                            "`summary: {}` is not a number; the self costs of the run are added up instead",
                            shown(value)
                        )
                    }),
                },
                _ => part
                    .field(key)
                    .into_iter()
                    .for_each(|field| *field = value.into()),
            }
        }
        builder.head.parts.push(part);
        self.say_what_is_cut(builder);
        let event = event
            .filter(|e| !e.is_empty())
            .unwrap_or_else(|| b"Cost".to_vec());
        builder.head.events.columns(&[event]);
        let stated = |part: &Part| part.summary.as_ref().and_then(|row| row.first().copied());
        builder
            .head
            .parts
            .iter()
            .try_fold(0i64, |sum, part| sum.checked_add(stated(part)?))
    }

    /// Xdebug ends every run with a summary, and webgrind ends every header line with a line feed.
    /// A value without one may be truncated.
    fn say_what_is_cut(&self, builder: &mut Builder) {
        let is_unended = !self.header.is_empty() && !self.header.ends_with(b"\n");
        if is_unended {
            builder.head.warn(None, WarningKind::Truncated, || {
                "the file ends in the middle of a line of its header".into()
            });
        }
        for at in 0..builder.head.parts.len() {
            let part = &mut builder.head.parts[at];
            part.end = match (&part.summary, &part.command[..]) {
                (None, b"Aggregate") => End::Unmarked,
                (None, _) => End::Missing,
                (Some(_), _) => End::Whole,
            };
            if part.end == End::Missing && !is_unended {
                builder.head.warn_of_part(Some(at), None, WarningKind::Truncated, || {
                    "a run has no summary: it was killed, or the file is truncated; its total is added up".into()
                });
            }
        }
    }

    /// Reports contradictions within the file, because the writer stores every count modulo 2^32.
    /// It repairs nothing: the lost multiples are unknown.
    fn say_what_wrapped(
        &self,
        builder: &mut Builder,
        records: &[FunctionRecord],
        self_sum: i64,
        summary: Option<i64>,
    ) {
        const WRAP: i64 = 1 << 32;
        if let Some(summary) = summary.filter(|&s| s.saturating_sub(self_sum) >= WRAP) {
            builder.head.warn(None, WarningKind::WrappedCount, || {
                format!(
                    "counts in this format end at 2^32: the self costs add up to {self_sum}, but the summary of the runs is {summary}; at least one self cost is too low by 4,294,967,296"
                )
            });
        }
        let below_zero = |record: &&FunctionRecord| {
            record.self_cost > i32::MAX as u32
                && summary.is_some_and(|sum| (0..i64::from(record.self_cost)).contains(&sum))
        };
        for record in records.iter().filter(below_zero) {
            builder.head.warn(None, WarningKind::WrappedCount, || {
                format!(
                    "the self cost of {} is {} in the file, more than the total of the runs: it was negative and was stored modulo 2^32",
                    shown(record.name),
                    record.self_cost
                )
            });
        }
        for record in records {
            let least = record
                .added_up
                .unwrap_or_else(|| added(0, &record.links))
                .max(u64::from(record.self_cost));
            if least > u64::from(u32::MAX)
                || u64::from(record.inclusive) < u64::from(record.self_cost)
            {
                builder.head.warn(None, WarningKind::WrappedCount, || {
                    format!(
                        "the inclusive cost of {} is {} in the file, but must be at least {least}, which does not fit there",
                        shown(record.name),
                        record.inclusive
                    )
                });
            }
        }
    }
}
