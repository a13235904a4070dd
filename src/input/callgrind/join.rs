//! Adds what was read ahead, in the order of the input. The result is that of reading everything in order: whatever does
//! not fit what came before is read again, from its bytes.

use super::ahead::{After, Piece, Stretch};
use super::known::{FILE_BEFORE, Known, OBJECT_BEFORE};
use super::records::{CostOf, Records};
use super::{Cursor, Parser};
use crate::input::error::Error;
use crate::profile::NameId;
use crate::profile::names::Taken;

/// With more events, tables are held against the length of the input after every few lines.
const FEW_EVENTS: usize = 40;

impl Parser<'_, Cursor<'_>> {
    /// What holds for the lines that follow, if they can be read ahead.
    pub(super) fn known(&mut self) -> Option<Known> {
        let events = self.records.builder.head.events.recorded().len();
        if self.events == 0 || events > FEW_EVENTS {
            return None;
        }
        Some(Known {
            events: self.events,
            positions: self.positions.clone(),
            columns: self.records.columns.clone(),
            has_fl: self.records.here.has_fl,
            expands: self.names.expands(),
            format: self.records.builder.head.format,
            handed_on: self.handed_on(),
        })
    }

    /// Whether what a stretch was read with still holds.
    pub(super) fn still_holds(&self, known: &Known) -> bool {
        let Known { events, positions, columns, has_fl, expands, format, handed_on: _ } = known;
        self.events == *events
            && self.positions.are_like(positions)
            && self.records.columns.is_same(columns)
            && self.records.here.has_fl == *has_fl
            && self.names.expands() == *expands
            && self.records.builder.head.format == *format
            && self.records.builder.head.events.recorded().len() <= FEW_EVENTS
    }

    /// Adds a block that was read with what was known. Gives how many of its bytes had to be read in order although they were
    /// read ahead.
    pub(super) fn join(&mut self, bytes: &[u8], pieces: Vec<Piece>, known: &Known) -> Result<usize, Error> {
        let mut again = 0;
        for piece in pieces {
            let range = match piece {
                Piece::InOrder(range) => range,
                Piece::Stretch(range, stretch) => {
                    if self.add(*stretch, range.len(), known)? {
                        continue;
                    }
                    again += range.len();
                    range
                }
            };
            self.in_order(&bytes[range.start..], range.len())?;
        }
        if let Some(full) = self.records.full(self.read) {
            return Err(self.error(Some(self.line), full.into()));
        }
        Ok(again)
    }

    /// Adds a stretch of so many bytes. False if it must be read in order; then nothing has changed but that names are
    /// stored which reading it stores in the same order.
    fn add(&mut self, mut stretch: Stretch, len: usize, known: &Known) -> Result<bool, Error> {
        let is_open = self.next == CostOf::SelfCost && self.jump_names == (None, None);
        if !is_open || !self.still_holds(known) || !self.records.builder.has_room_for(&stretch.builder) {
            return Ok(false);
        }
        let headers = stretch.headers.take();
        if headers.is_some() && !self.can_add_headers(known) {
            return Ok(false);
        }
        let Some(names) = self.names_of(&stretch) else { return Ok(false) };
        // Costs that go on with the same function are stored together, and it shows where their sum becomes too large.
        if headers.is_none() && self.records.builder.goes_on(&stretch.builder, &names) {
            return Ok(false);
        }
        let name = |name: NameId| names[name.0 as usize];
        let (part, defined) = (self.part + u32::from(headers.is_some()), &stretch.ids.defined);
        if defined.iter().any(|&(kind, id, of, at)| self.names.has_another(kind, id, name(of), part + at)) {
            return Ok(false);
        }
        defined.iter().for_each(|&(kind, id, of, at)| self.names.define(kind, id, name(of), part + at));
        if let Some(headers) = headers {
            self.begin_added()?;
            self.add_headers(headers, known);
        } else {
            self.in_body = true;
        }
        let functions = self.records.builder.join(stretch.builder, &names);
        let After { bases, next, calls_line, jump_names, context, pending_lines } = stretch.after;
        self.records.go_on(context, name, &functions);
        self.records.builder.set_pending_lines(pending_lines);
        if let Some(bases) = bases {
            self.positions.set_bases(bases);
        }
        self.next = next;
        self.jump_names = (jump_names.0.map(name), jump_names.1.map(name));
        if calls_line > 0 {
            self.calls_line = self.line + calls_line;
            self.has_calls = true;
        }
        self.line += stretch.lines;
        self.read += len as u64;
        Ok(true)
    }

    /// The names here of those of a stretch, in their order; `None` if an id was never defined.
    fn names_of(&mut self, stretch: &Stretch) -> Option<Vec<NameId>> {
        let theirs = &stretch.builder.head.names;
        let mut taken = Taken::new(theirs, &self.records.builder.head.names);
        let mut used = stretch.ids.used.iter().peekable();
        let mut folded = stretch.folded.iter().peekable();
        for at in (0..theirs.len() as u32).map(NameId) {
            let id = match at {
                OBJECT_BEFORE => self.records.here.object,
                FILE_BEFORE => self.records.here.file.unwrap_or(NameId::UNKNOWN),
                _ => {
                    if let Some(&(_, kind, id)) = used.next_if(|(name, ..)| *name == at) {
                        self.names.known(kind, id)?
                    } else if let Some(&(_, of)) = folded.next_if(|(name, _)| *name == at) {
                        self.records.fold(taken.ids[of.index()])
                    } else {
                        taken.take(&mut self.records.builder.head.names);
                        continue;
                    }
                }
            };
            taken.ids.push(id);
        }
        Some(taken.ids)
    }
}
