//! Parses header lines (`key: value` in any order), and decides where a part ends and the next one
//! begins.
//!
//! A key of a new header (version, creator, pid, cmd, part, thread, positions, events) after body
//! lines begins a new part. `summary`, `totals`, `desc` and `event` never do. An empty dump has a
//! header and totals but no body. There, a key that the header already has begins the next part;
//! after the `totals:` of Callgrind's files, any key does. A part resets the context (object, file,
//! function, base of positions). It keeps the tables of names, because the threads of one dump
//! share them.

use super::{
    CallgrindParser, complete,
    records::{CostKind, PositionRule, Records, SumLine},
};
use crate::{
    input::{
        Error, ErrorKind,
        error::ErrorReason,
        excerpt::shown,
        lines::{fields, is_blank, trim_start},
        number,
    },
    profile::{
        Definition, EndMark, Full, NEVER, Order, Part, WarningKind, costs::MAX_EVENTS,
        head::CALLS_UNKNOWN,
    },
};

/// The header keys that begin a new part after a body.
const KEYS: [&[u8]; 8] = [
    b"version",
    b"creator",
    b"pid",
    b"cmd",
    b"part",
    b"thread",
    b"positions",
    b"events",
];

/// The content of a `totals:` or `summary:` line.
pub(super) struct DeclaredSum {
    counts: Vec<i64>,
    /// Each line that had more counts than all such lines before it, and how many.
    longest: Vec<(u64, usize)>,
    /// Whether the line is in the header.
    announced: bool,
}

#[inline(always)]
pub(super) fn is_cost(line: &[u8]) -> bool {
    matches!(line, [b'0'..=b'9' | b'+' | b'-' | b'*', ..])
}

/// Whether a line is a `summary:` or `totals:` line.
fn states_a_sum(line: &[u8]) -> bool {
    memchr::memchr2(b':', b'=', line).is_some_and(|end| SumLine::with_key(&line[..end]).is_some())
}

/// The largest count, as text.
const LIMIT: &[u8] = b"9223372036854775807";

/// How far below zero a sum of Callgrind is: Callgrind writes sums modulo 2^64.
fn below_zero(field: &[u8]) -> Option<u64> {
    let (value, over) = number::whole(field)?;
    (!over && i64::try_from(value).is_err()).then(|| value.wrapping_neg())
}

impl<R: Records> CallgrindParser<'_, R> {
    /// A line that is neither a cost nor a `key=` line.
    pub(super) fn header_line(&mut self, line: &[u8]) -> Result<(), Error> {
        let Some(colon) = memchr::memchr(b':', line) else {
            return self.foreign_line(line);
        };
        let (key, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        if let Some(of) = SumLine::with_key(key) {
            return self.totals_line(of, value);
        }
        match key {
            b"desc" | b"event" => {}
            // Keys of older formats.
            b"arch" | b"timeframe (BB)" => return Ok(()),
            _ => match KEYS.iter().position(|&known| known == key) {
                Some(at) => self.key_of_a_part(1 << at)?,
                None => return self.foreign_line(line),
            },
        }
        match key {
            b"version" => {
                match number::whole(value.split(|&b| b == b'.').next().unwrap_or_default()) {
                    Some((0 | 1, false)) => {}
                    Some(_) => {
                        let what = format!("version {} of the format is not known", shown(value));
                        let reason = ErrorReason::new(ErrorKind::Unsupported, what);
                        return Err(self.error(Some(self.line), reason));
                    }
                    None => self.malformed(line),
                }
            }
            b"positions" => {
                if !self.positions.set(value) {
                    self.positions.reset();
                    self.warn(WarningKind::MalformedLine, || {
                        format!(
                            "`positions: {}` is not supported; `line` is assumed",
                            shown(value)
                        )
                    });
                }
                let (has_addresses, has_lines) =
                    (self.positions.has_addresses(), self.positions.has_lines());
                let part = self.part();
                (part.has_addresses, part.lacks_lines) =
                    (part.has_addresses || has_addresses, !has_lines);
            }
            b"events" => return self.events_line(value),
            b"event" => self.event_line(line, value),
            _ => {
                let part = self.part();
                match part.field(key) {
                    Some(field) => *field = value.into(),
                    None => {
                        part.descriptions
                            .push(trim_start(&line[colon + 1..]).to_vec());
                        if value == CALLS_UNKNOWN && part.is_ours() {
                            self.records.head().mixes_calls = true;
                        }
                    }
                }
                if key == b"creator" {
                    self.positions.rule = self.records.rule(value);
                    self.names.composes = !self.part().is_ours();
                }
            }
        }
        Ok(())
    }

    /// Takes the bit of a key that the header of a part has only once. Such a key after a body
    /// begins another part. After totals it does so, too, if the header already has the key or if
    /// Callgrind ends a part with totals.
    fn key_of_a_part(&mut self, key: u8) -> Result<(), Error> {
        let is_complete = self.declared.iter().any(Option::is_some);
        if self.is_over() || is_complete && self.keys & key != 0 {
            self.in_body = true;
        }
        self.end_body()?;
        self.keys |= key;
        Ok(())
    }

    /// Whether any key begins another part although this one has no body.
    fn is_over(&mut self) -> bool {
        self.declared[0].is_some() && self.part().names_callgrind()
    }

    /// Begins another part if this one has a body.
    pub(super) fn end_body(&mut self) -> Result<(), Error> {
        if self.in_body {
            self.end_part(self.line.saturating_sub(1))?;
            self.records.begin_part();
            self.new_part();
        }
        Ok(())
    }

    /// A line of unknown form. Xdebug's separator of appended runs is valid; anything else causes a
    /// warning.
    fn foreign_line(&mut self, line: &[u8]) -> Result<(), Error> {
        if line.starts_with(b"==== NEW PROFILING FILE") {
            self.in_body |= self.keys != 0;
            return self.end_body();
        }
        let key = line
            .iter()
            .take_while(|&&b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
            .count();
        if key > 0 && line.get(key) == Some(&b':') {
            self.warn(WarningKind::UnknownHeader, || {
                format!("not a known header line, ignored: `{}`", shown(line))
            });
        } else {
            self.malformed(line);
        }
        Ok(())
    }

    /// Begins a part: resets the context, and keeps the events and the names.
    pub(super) fn new_part(&mut self) {
        // A later header may omit the creator, command, process and number; it never inherits the
        // thread or the descriptions.
        let parts = &mut self.records.head().parts;
        let part = parts.last().map(|last| Part {
            creator: last.creator.clone(),
            command: last.command.clone(),
            pid: last.pid.clone(),
            number: last.number.clone(),
            ..Part::default()
        });
        parts.push(part.unwrap_or_default());
        self.part += 1;
        (self.in_body, self.own_events, self.keys, self.run_ended) = (false, false, 0, false);
        self.positions.new_part();
    }

    fn part(&mut self) -> &mut Part {
        self.records.head().part()
    }

    /// `events: A B C`. Each part's lines follow its own `events:`.
    fn events_line(&mut self, value: &[u8]) -> Result<(), Error> {
        // Any white space separates names, so that a stray one at the end of a line is not part of
        // a name.
        let words = || {
            value
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty())
        };
        let found = words().count();
        if found == 0 {
            return Err(self.error(Some(self.line), ErrorReason::no_events()));
        }
        if found > MAX_EVENTS {
            let what = format!("`events:` names {found} events; at most {MAX_EVENTS} can be read");
            let reason = ErrorReason::new(ErrorKind::TooLarge, what);
            return Err(self.error(Some(self.line), reason));
        }
        let names: Vec<Vec<u8>> = words().map(<[u8]>::to_vec).collect();
        let mut sorted: Vec<&Vec<u8>> = names.iter().collect();
        sorted.order();
        if let Some(twice) = sorted.windows(2).find(|w| w[0] == w[1]) {
            let name = shown(twice[0]);
            self.warn(WarningKind::DuplicateEvent, || {
                format!("`events:` names {name} twice; both columns are kept")
            });
        }
        self.positions.own_events();
        (self.own_events, self.events) = (true, names.len());
        self.counts.resize(names.len().max(self.counts.len()), 0);
        if !self.records.events(&names) {
            return Err(self.error(Some(self.line), Full::Events));
        }
        self.check_totals()
    }

    /// `event: NAME [= formula] [: long name]`.
    fn event_line(&mut self, line: &[u8], value: &[u8]) {
        let definition = Definition::read(value);
        if definition.name.is_empty() || definition.name.iter().any(is_blank) {
            self.malformed(line);
        } else {
            self.records.head().events.define(definition);
        }
    }

    /// `summary:` and `totals:` have counts in the columns of the part, whose `events:` may come
    /// later.
    pub(super) fn totals_line(&mut self, of: SumLine, value: &[u8]) -> Result<(), Error> {
        let mut counts = vec![NEVER; fields(value).count().min(MAX_EVENTS)];
        let by_callgrind = of == SumLine::Summary && self.part().names_callgrind();
        let negative = |field: &[u8]| below_zero(field).filter(|_| by_callgrind);
        if let Some(distance) = fields(value).find_map(negative) {
            self.warn(WarningKind::NegativeSummary, || {
                format!("a sum of `summary:` is -{distance}; the total on which the costs and `totals:` agree is used instead")
            });
        }
        // The largest count replaces it; no sum of costs is lower.
        let limited = fields(value).map(|field| {
            if negative(field).is_some() {
                LIMIT
            } else {
                field
            }
        });
        let n = self.row(limited, &mut counts);
        if R::FIRST_SUMMARY && of == SumLine::Summary && self.declared[of as usize].is_some() {
            self.warn(WarningKind::SecondSummary, || {
                "a second `summary:` in one run, as Xdebug 2 writes after an exit; the first one is used".into()
            });
            return Ok(());
        }
        self.run_ended = of == SumLine::Summary && self.records.summary_line();
        let before = self.declared[of as usize].take();
        let is_second = before.is_some();
        let mut longest = before.map_or_else(Vec::new, |row| row.longest);
        if longest.last().is_none_or(|&(_, most)| n > most) {
            longest.push((self.line, n));
        }
        self.declared[of as usize] = Some(DeclaredSum {
            counts,
            longest,
            announced: !self.in_body,
        });
        if is_second {
            let key = of.key();
            self.warn(WarningKind::SecondSummary, || {
                format!("a second `{key}` in one part; this one is used")
            });
        }
        if self.own_events {
            self.check_totals()
        } else {
            Ok(())
        }
    }

    /// Fails if a `summary:` or `totals:` line has more counts than there are events. The error
    /// names the first such line.
    pub(super) fn check_totals(&mut self) -> Result<(), Error> {
        let rows = self.declared.iter().flatten().flat_map(|row| &row.longest);
        match rows.filter(|&&(_, n)| n > self.events).min() {
            Some(&(line, n)) => Err(self.too_many(line, n)),
            None => Ok(()),
        }
    }

    /// Whether the current part lacks the end marker that its writer always writes.
    fn lacks_end(&mut self) -> bool {
        // Cachegrind's files have no creator, no calls, and only the keys `cmd` and `events`.
        const CACHEGRIND: u8 = 1 << 3 | 1 << 7;
        let is_header = !self.in_body;
        let [totals, summary] = &self.declared;
        let head = self.records.head();
        let end = head.format.end;
        let part = head.part();
        match end {
            // A run has a `summary:` at its end; before Xdebug 2.8, in its last block. Files of
            // aggregated runs have none.
            EndMark::RunSummaries => summary.is_none() && part.command[..] != *b"Aggregate",
            // cg_diff and cg_merge write the same.
            EndMark::Summary if !self.has_calls && self.own_events && self.keys == CACHEGRIND => {
                summary.is_none()
            }
            // Callgrind always writes `summary:` in the header and `totals:` at the end. Without
            // `summary:` the file was shortened by hand, unless it was truncated in the header.
            // cgannotate's files can lack both.
            _ if part.names_callgrind() || part.is_ours() => {
                let announced = summary.as_ref().is_some_and(|row| row.announced);
                totals.is_none() && (announced || is_header && part.names_callgrind())
            }
            _ => part.creator.starts_with(b"xtree-") && totals.is_none(),
        }
    }

    /// Whether the last line, without a line feed, may be the start of a longer line, from a writer
    /// that marks its end.
    pub(super) fn is_cut_line(&mut self, line: &[u8]) -> bool {
        // After one of Xdebug's runs, another one can begin.
        let can_begin = self.records.head().format.end == EndMark::RunSummaries && !is_cost(line);
        let is_cut = self.lacks_end() && !self.part().poses_as_callgrind() || can_begin;
        is_cut && !states_a_sum(line) && self.in_body && self.events > 0
    }

    /// Records that the last line has no line feed; `of` is the kind of its costs. Half a number is
    /// a different number, and only sums reveal it. Sums do not include the costs of calls. Under
    /// the inclusive rule even half a self cost can add up, because the cost of calls is
    /// subtracted.
    pub(super) fn unended(&mut self, line: &[u8], of: CostKind) {
        self.part().unended = Some(self.line);
        if !(states_a_sum(line)
            || is_cost(line)
                && of == CostKind::SelfCost
                && self.positions.rule != PositionRule::Inclusive)
        {
            complete::doubt_the_end(self.records.head());
        }
    }

    /// Ends the current part with this line.
    pub(super) fn end_part(&mut self, line: u64) -> Result<(), Error> {
        self.drop_pending_call();
        self.check_totals()?;
        self.part().unfinished = self.lacks_end().then_some(line);
        for of in SumLine::ALL {
            if let Some(row) = self.declared[of as usize].take() {
                self.records.totals(of, &row.counts);
            }
        }
        Ok(())
    }
}
