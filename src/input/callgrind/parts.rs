//! Stretches that begin with the header of a part and can have more of them (`ahead.rs`): where parts are short, several are
//! read together, and joined at once.
//!
//! What a part takes over from the one before it is known when it is read, or it shows that the part took it over: then
//! it gets its value where the stretch is joined (`join.rs`).

use super::header::{DeclaredSum, can_begin_part, states_a_sum};
use super::known::{HandedOn, Known};
use super::positions::Positions;
use super::{Cursor, Parser};
use crate::input::error::Error;
use crate::profile::{Builder, ColumnMap, Part, Text};

/// What the headers of a stretch say.
pub(super) struct Headers {
    parts: Vec<Part>,
    /// What holds for the last of them.
    last: LastPart,
}

struct LastPart {
    positions: Positions,
    columns: ColumnMap,
    events: usize,
    own_events: bool,
    declared: [Option<DeclaredSum>; 2],
    in_body: bool,
    keys: u8,
    expands: bool,
}

/// Where the header of the next part begins, if nothing but the end of a part comes before it.
pub(super) fn next_header(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        match line {
            _ if can_begin_part(line) => return Some(at),
            [b'\n' | b'#', ..] => {}
            _ if states_a_sum(line) => {}
            _ => return None,
        }
        at += line.len();
    }
    None
}

/// The part that a stretch begins with takes this over.
pub(super) fn first_part(handed_on: &HandedOn) -> Part {
    let HandedOn { creator, command, pid, number, .. } = handed_on.clone();
    Part { creator, command, pid, number, ..Part::default() }
}

impl Parser<'_, Cursor<'_>> {
    /// What parts take over from the current one, if they can be read ahead: costs of parts that are told apart have to be
    /// kept apart.
    pub(super) fn handed_on(&mut self) -> Option<HandedOn> {
        let has_calls = self.has_calls;
        if self.records.builder.tells_parts_apart() {
            return None;
        }
        let own = |text: &Text| Text::from(&text[..]);
        let head = &mut self.records.builder.head;
        let part = head.part();
        let [creator, command, pid, number] = [&part.creator, &part.command, &part.pid, &part.number].map(own);
        Some(HandedOn { creator, command, pid, number, events: head.events.clone(), has_calls })
    }

    /// What the headers of the stretch said that was read; `None` if they have other events than those that were known.
    pub(super) fn headers(&mut self, known: &HandedOn) -> Option<Headers> {
        let builder: &mut Builder = self.records.builder;
        if !builder.head.events.are_like(&known.events) {
            return None;
        }
        builder.finish_function();
        let last = LastPart {
            positions: self.positions.clone(),
            columns: self.records.columns.clone(),
            events: self.events,
            own_events: self.own_events,
            declared: std::mem::take(&mut self.declared),
            in_body: self.in_body,
            keys: self.keys,
            expands: self.names.expands(),
        };
        Some(Headers { parts: std::mem::take(&mut builder.head.parts), last })
    }

    /// Whether parts still take over what was known. Other texts than the creator may differ: nothing depends on them.
    pub(super) fn hands_on(&self, known: &Known) -> bool {
        let head = &self.records.builder.head;
        known.handed_on.as_ref().is_none_or(|known| {
            self.has_calls == known.has_calls
                && head.parts.last().is_some_and(|part| part.creator == known.creator)
                && head.events.are_like(&known.events)
        })
    }

    /// Whether the header of a stretch begins another part here, with what was known of this one.
    pub(super) fn can_add_headers(&mut self, known: &Known) -> bool {
        (self.in_body || self.is_over()) && self.hands_on(known)
    }

    /// Ends the current part as the header that follows does, and begins the next.
    pub(super) fn begin_added(&mut self) -> Result<(), Error> {
        self.in_body = true;
        self.line += 1;
        self.end_body()?;
        self.line -= 1;
        Ok(())
    }

    /// Adds the parts of a stretch in place of the current one, which has just begun.
    pub(super) fn add_headers(&mut self, headers: Headers, known: &Known) {
        let Headers { parts, last } = headers;
        let before = self.line;
        self.part += parts.len().saturating_sub(1) as u32;
        let first = self.records.builder.head.parts.pop().unwrap_or_default();
        for mut part in parts {
            if let Some(known) = &known.handed_on {
                for (text, known, first) in [
                    (&mut part.creator, &known.creator, &first.creator),
                    (&mut part.command, &known.command, &first.command),
                    (&mut part.pid, &known.pid, &first.pid),
                    (&mut part.number, &known.number, &first.number),
                ] {
                    if Text::ptr_eq(text, known) {
                        *text = first.clone();
                    }
                }
            }
            part.unfinished = part.unfinished.map(|line| line + before);
            self.records.builder.head.parts.push(part);
        }
        let LastPart { positions, columns, events, own_events, declared, in_body, keys, expands } = last;
        self.records.take_header(columns, positions.rule);
        self.positions = positions;
        (self.events, self.own_events, self.in_body, self.keys) = (events, own_events, in_body, keys);
        self.counts.resize(events.max(self.counts.len()), 0);
        self.declared = declared.map(|sum| sum.map(|sum| sum.behind(before)));
        self.names.set_expands(expands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_part_comes_before_a_header() {
        assert_eq!(next_header(b"totals: 3\n\n# x\nversion: 1\n"), Some(15));
        assert_eq!(next_header(b"part: 2\n"), Some(0));
        for other in ["totals: 3\nfn=f\n", "+1 2\npart: 2\n", "desc: x\npart: 2\n", "totals: 3\n", "partly: 1\n"] {
            assert_eq!(next_header(other.as_bytes()), None, "{other}");
        }
    }
}
