//! What a pane shows, as values: columns, and rows that are made only when they are seen. Drawing computes nothing.

use super::calls::Calls;
use super::code::Code;
use super::list::{self, List};
use super::row::{About, Column, Look, Row};
use super::source::Source;
use super::stacks::Icicle;
use super::tables::Table;
use crate::profile::FunctionId;
use std::sync::Arc;

/// The rows of a pane.
pub(super) enum Sheet<'d> {
    /// They are still being made.
    Waiting,
    /// Functions.
    List(List),
    /// Callers and callees.
    Calls(Box<Calls<'d>>),
    /// Source.
    Source(Box<Source<'d>>),
    /// Instructions.
    Code(Box<Code<'d>>),
    /// A short list.
    Table(Table),
    /// Stacks, all or inside a frame.
    Stacks(Arc<Icicle>, Option<usize>),
    /// There cannot be any, for this reason.
    Nothing(&'static str),
}

impl Sheet<'_> {
    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Sheet::Waiting | Sheet::Nothing(_) => 0,
            Sheet::Table(table) => table.len(),
            Sheet::Stacks(icicle, _) => icicle.len(),
            Sheet::List(list) => list.len(),
            Sheet::Calls(calls) => calls.len(),
            Sheet::Source(source) => source.len(),
            Sheet::Code(code) => code.len(),
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which one a row is of how many, from 1 on.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        match self {
            Sheet::Table(table) => table.position(at),
            _ => (at + 1, self.len()),
        }
    }

    /// The headings of the numbers, the dearest first: what does not fit goes from the end.
    pub(super) fn columns(&self, look: Look<'_>) -> Vec<Column> {
        match self {
            Sheet::Waiting | Sheet::Nothing(_) | Sheet::Stacks(..) => Vec::new(),
            Sheet::Table(table) => table.columns(look),
            Sheet::List(_) => list::columns(look),
            Sheet::Calls(_) => Calls::columns(look),
            Sheet::Source(_) => Source::columns(look),
            Sheet::Code(_) => Code::columns(look),
        }
    }

    /// One row; nothing behind the last.
    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        match self {
            Sheet::Waiting | Sheet::Nothing(_) | Sheet::Stacks(..) => None,
            Sheet::Table(table) => table.row(at, look),
            Sheet::List(list) => list.row(at, look),
            Sheet::Calls(calls) => calls.row(at, look),
            Sheet::Source(source) => source.row(at, look),
            Sheet::Code(code) => code.row(at, look),
        }
    }

    /// What a row of a list of functions or of calls is about.
    pub(super) fn about<'a>(&'a self, at: usize, look: Look<'a>) -> Option<About<'a>> {
        match self {
            Sheet::List(list) => list.about(at, look),
            Sheet::Calls(calls) => calls.about(at, look),
            Sheet::Waiting | Sheet::Nothing(_) | Sheet::Table(_) | Sheet::Stacks(..) => None,
            Sheet::Source(_) | Sheet::Code(_) => None,
        }
    }

    /// The function that a row is about.
    pub(super) fn function(&self, at: usize) -> Option<FunctionId> {
        match self {
            Sheet::Waiting | Sheet::Nothing(_) | Sheet::Table(_) => None,
            Sheet::Stacks(icicle, _) => icicle.function(at),
            Sheet::List(list) => list.functions.get(at).copied(),
            Sheet::Calls(calls) => calls.function(at),
            Sheet::Source(source) => source.function(at),
            Sheet::Code(code) => code.function(at),
        }
    }

    /// The row that matters most.
    pub(super) fn heart(&self) -> usize {
        match self {
            Sheet::Waiting | Sheet::Nothing(_) | Sheet::List(_) | Sheet::Table(_) => 0,
            Sheet::Stacks(_, root) => root.unwrap_or(0),
            Sheet::Calls(calls) => calls.heart(),
            Sheet::Source(source) => source.heart(),
            Sheet::Code(code) => code.heart(),
        }
    }
}
