//! The instructions of one function with their costs, their jumps and the calls they make, as
//! `--zoom --asm` prints them.

use super::{
    Data,
    place::Aim,
    row::{Row, RowColumn, RowSettings},
    sheet::SheetRows,
};
use crate::{
    profile::{FunctionId, NameId},
    text::{Style, shown},
    view::instructions::{self, CodePlace, CodeRow, Instructions, Told},
};

/// The rows of a function's instructions; below them, notes on what is unknown.
pub(super) struct InstructionSheet<'d> {
    id: FunctionId,
    data: &'d Data,
    event: usize,
    list: Instructions<'d>,
}

impl<'d> InstructionSheet<'d> {
    /// `width` limits the number of jump arrows.
    pub(super) fn new(
        data: &'d Data,
        id: FunctionId,
        event: usize,
        told: &Told,
        width: u16,
    ) -> InstructionSheet<'d> {
        let look = instructions::Look {
            lanes: instructions::lanes(Some(width.into())),
            inlined: told
                .inlined
                .as_deref()
                .map(|(inlined, names)| (inlined, names)),
            sources: None,
        };
        let list = Instructions::new(
            &data.session,
            data.selection(event),
            id,
            told.texts.clone(),
            &look,
        );
        InstructionSheet {
            id,
            data,
            event,
            list,
        }
    }

    fn at(&self, at: usize) -> Option<&CodeRow<'d>> {
        self.list.rows.get(at)
    }

    /// The source location of a row: the nearest one at or above it.
    fn origin(&self, at: usize) -> Option<&CodePlace<'d>> {
        (0..=at).rev().find_map(|at| match self.at(at) {
            Some(CodeRow::Place(place)) => Some(place),
            _ => None,
        })
    }

    fn count(&self, row: &[i64]) -> i64 {
        self.data.count(self.event, row)
    }

    /// The row of the most expensive instruction among the rows that `wanted` accepts.
    fn dearest(&self, wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let cost = |at: usize| match self.at(at) {
            Some(CodeRow::Instruction(one)) if wanted(at) => Some(self.count(&one.cost)),
            _ => None,
        };
        let costs = (0..self.list.rows.len())
            .rev()
            .filter_map(|at| Some((cost(at)?, at)));
        costs.max_by_key(|(cost, _)| *cost).map(|(_, at)| at)
    }
}

impl SheetRows for InstructionSheet<'_> {
    fn len(&self) -> usize {
        self.list.rows.len() + self.list.notes.len()
    }

    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn> {
        vec![RowColumn::new(format!("{} self", look.event_name()))]
    }

    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let Some(row) = self.at(at) else {
            let note = self.list.notes.get(at - self.list.rows.len())?;
            let words = Row::words(vec![None], shown(note.as_bytes()));
            return Some(Row {
                style: Some(Style::Warning),
                ..words
            });
        };
        let whole = look.count(self.data.session.inclusive().whole(self.id));
        let counts = row.counts().0;
        let is_blank = match row {
            CodeRow::Instruction(_) => false,
            CodeRow::Call(call) => call.is_inside,
            _ => counts.is_empty(),
        };
        let cost = look.cost(look.count(counts), whole);
        let cells = vec![cost.filter(|_| !is_blank)];
        let gutter = self.list.gutter.drawn(at);
        let words = |text: String| Row {
            lead: gutter.clone(),
            ..Row::words(cells.clone(), format!(" {text}"))
        };
        Some(match row {
            CodeRow::Place(place) => words(place.said(&shown(self.data.shown(place.file)))),
            CodeRow::Source(text) => words(shown(text.as_bytes())),
            CodeRow::Text(text, _) => words(text.clone()),
            CodeRow::Jump(jump) => words(format!("   {}", jump.said())),
            CodeRow::Instruction(one) => {
                let text = one.text.as_deref().unwrap_or_default();
                Row {
                    lead: format!("{gutter} {:>1$x} ", one.address, self.list.digits),
                    style: one.cost.is_empty().then_some(Style::Dim),
                    ..Row::words(cells, shown(text.as_bytes()))
                }
            }
            CodeRow::Call(call) => {
                let lead = format!("{gutter}    {}", call.said());
                Row {
                    style: Some(if is_blank { Style::Dim } else { Style::Call }),
                    ..Row::named(cells, lead, look.function(call.id))
                }
            }
        })
    }

    /// The function that a row calls.
    fn function(&self, at: usize) -> Option<FunctionId> {
        match self.at(at)? {
            CodeRow::Call(call) => Some(call.id),
            _ => None,
        }
    }

    fn place(&self, at: usize) -> Option<(NameId, u64)> {
        let place = self.origin(at.min(self.list.rows.len()))?;
        Some((self.data.profile().names.find(place.file)?, place.line))
    }

    /// The instruction with the greatest self cost.
    fn heart(&self) -> usize {
        self.dearest(|_| true).unwrap_or(0)
    }

    /// The calls of an instruction count, too.
    fn is_hot(&self, at: usize) -> bool {
        let Some(CodeRow::Instruction(one)) = self.at(at) else {
            return false;
        };
        let calls = (at + 1..).map_while(|at| match self.at(at) {
            Some(CodeRow::Call(call)) => Some(self.count(&call.cost)),
            _ => None,
        });
        let cost = calls.fold(self.count(&one.cost), i64::saturating_add);
        self.data.is_hot(self.event, cost, self.id)
    }

    /// For a line, the row of its most expensive instruction.
    fn find(&self, aim: Aim) -> Option<usize> {
        let Aim::Line(file, line, _) = aim else {
            return Some(self.heart());
        };
        let name = self.data.profile().name(file);
        let mut origin = None;
        let is_there = self.list.rows.iter().map(|row| {
            if let CodeRow::Place(place) = row {
                origin = Some((place.file, place.line));
            }
            origin == Some((name, line))
        });
        let is_there: Vec<bool> = is_there.collect();
        self.dearest(|at| is_there[at])
            .or_else(|| Some(self.heart()))
    }
}
