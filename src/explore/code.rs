//! The instructions of one function: what each costs, jumps beside them, below each what it calls. What `--zoom --asm` prints.

use super::data::Data;
use super::place::Aim;
use super::row::{Cell, Column, Look, Row, Shape};
use super::source::Way;
use crate::profile::{FunctionId, NameId};
use crate::text::escape::shown;
use crate::text::style::Style;
use crate::view::instructions::{self, Instructions, Place, Told};

/// The rows of a function's instructions; below them, what is not known.
pub(super) struct Code<'d> {
    /// It.
    id: FunctionId,
    data: &'d Data,
    event: usize,
    list: Instructions<'d>,
}

impl<'d> Code<'d> {
    /// The rows of a function by an event, on a screen so wide; nothing where there are no events.
    pub(super) fn new(
        data: &'d Data,
        id: FunctionId,
        event: usize,
        told: &Told,
        width: u16,
    ) -> Option<Code<'d>> {
        let look = instructions::Look {
            lanes: instructions::lanes(Some(width.into())),
            inlined: told
                .inlined
                .as_deref()
                .map(|(inlined, names)| (inlined, names)),
            sources: None,
        };
        let list = Instructions::new(
            data.session(),
            data.selection(event)?,
            id,
            told.texts.clone(),
            &look,
        );
        Some(Code {
            id,
            data,
            event,
            list,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.list.rows.len() + self.list.notes.len()
    }

    pub(super) fn columns(look: Look<'_>) -> Vec<Column> {
        vec![Column::new(format!("{} self", look.event_name()))]
    }

    fn at(&self, at: usize) -> Option<&instructions::Row<'d>> {
        self.list.rows.get(at)
    }

    /// The function that a row calls.
    pub(super) fn function(&self, at: usize) -> Option<FunctionId> {
        match self.at(at)? {
            instructions::Row::Call(call) => Some(call.id),
            _ => None,
        }
    }

    /// Where the code of a row comes from: what the last row above it says.
    fn origin(&self, at: usize) -> Option<&Place<'d>> {
        (0..=at).rev().find_map(|at| match self.at(at) {
            Some(instructions::Row::Place(place)) => Some(place),
            _ => None,
        })
    }

    /// The file and the line of a row.
    pub(super) fn place(&self, at: usize) -> Option<(NameId, u64)> {
        let place = self.origin(at.min(self.list.rows.len()))?;
        Some((self.data.profile().names.find(place.file)?, place.line))
    }

    /// What is counted, in a row of counts.
    fn count(&self, row: &[i64]) -> i64 {
        self.data.count(self.event, row)
    }

    /// The dearest instruction of those that are wanted, by their rows.
    fn dearest(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let cost = |at: usize| match self.at(at) {
            Some(instructions::Row::Instruction(one)) if wanted(at) => Some(self.count(&one.cost)),
            _ => None,
        };
        let costs = (0..self.list.rows.len())
            .rev()
            .filter_map(|at| Some((cost(at)?, at)));
        costs.max_by_key(|(cost, _)| *cost).map(|(_, at)| at)
    }

    /// The instruction with the greatest self cost.
    pub(super) fn heart(&self) -> usize {
        self.dearest(|_| true).unwrap_or(0)
    }

    /// The row there: of a line, its dearest instruction.
    pub(super) fn row_at(&self, aim: Aim) -> Option<usize> {
        let Aim::Line(file, line, _) = aim else {
            return Some(self.heart());
        };
        let name = self.data.profile().name(file);
        let mut origin = None;
        let is_there = self.list.rows.iter().map(|row| {
            if let instructions::Row::Place(place) = row {
                origin = Some((place.file, place.line));
            }
            origin == Some((name, line))
        });
        let is_there: Vec<bool> = is_there.collect();
        self.dearest(|at| is_there[at])
            .or_else(|| Some(self.heart()))
    }

    /// The next instruction, before or behind a row, that costs at least a hundredth of the function, its calls included.
    pub(super) fn next_hot(&self, from: usize, way: Way) -> Option<usize> {
        let is_hot = |&at: &usize| {
            let Some(instructions::Row::Instruction(one)) = self.at(at) else {
                return false;
            };
            let calls = (at + 1..).map_while(|at| match self.at(at) {
                Some(instructions::Row::Call(call)) => Some(self.count(&call.cost)),
                _ => None,
            });
            let cost = calls.fold(self.count(&one.cost), i64::saturating_add);
            self.data.is_hot(self.event, cost, self.id)
        };
        way.find(from, self.list.rows.len(), is_hot)
    }

    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        let Some(row) = self.at(at) else {
            let note = self.list.notes.get(at - self.list.rows.len())?;
            let words = Row::words(vec![Cell::Nothing], shown(note.as_bytes()));
            return Some(Row {
                style: Some(Style::Warning),
                ..words
            });
        };
        let whole = look.count(self.data.session().inclusive().whole(self.id));
        let cost = |cost: &[i64]| vec![look.cost(look.count(cost), whole)];
        let gutter = self.list.gutter.drawn(at);
        let words = |text: String| Row {
            lead: gutter.clone(),
            ..Row::words(vec![Cell::Nothing], text)
        };
        Some(match row {
            instructions::Row::Place(place) => words(format!(
                " {}",
                place.said(&shown(self.data.shown(place.file)))
            )),
            instructions::Row::Source(text) => words(format!(" {}", shown(text.as_bytes()))),
            instructions::Row::Cold(count) => words(format!(" {}", instructions::cold(*count))),
            instructions::Row::Jump(jump) => words(format!("    {}", jump.said())),
            instructions::Row::Instruction(one) => Row {
                cells: cost(&one.cost),
                lead: format!("{gutter} {:>1$x} ", one.address, self.list.digits),
                text: one
                    .text
                    .as_deref()
                    .map_or_else(String::new, |text| shown(text.as_bytes())),
                place: String::new(),
                style: one.cost.is_empty().then_some(Style::Dim),
                shape: Shape::Text,
            },
            instructions::Row::Call(call) => {
                let (text, place) = look.function(call.id);
                let lead = format!("{gutter}    {}", call.said());
                let style = if call.is_inside {
                    Style::Dim
                } else {
                    Style::Call
                };
                let cells = if call.is_inside {
                    vec![Cell::Nothing]
                } else {
                    cost(&call.cost)
                };
                Row {
                    cells,
                    lead,
                    text,
                    place,
                    style: Some(style),
                    shape: Shape::Name,
                }
            }
        })
    }
}
