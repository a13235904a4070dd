//! What a pane shows, as values: columns, and rows that are made only when they are seen. Drawing computes nothing.

use super::place::{Aim, Lens, Screen, Way};
use super::row::{About, Cell, Column, Look, Row};
use super::stacks::Icicle;
use crate::profile::{FunctionId, NameId};
use std::sync::Arc;

/// The rows of a pane.
pub(super) enum Sheet<'d> {
    /// They are still being made.
    Waiting,
    /// They are there.
    Rows(Box<dyn Rows + 'd>),
    /// Stacks, all or inside a frame.
    Stacks(Arc<Icicle>, Option<usize>),
    /// There cannot be any, for this reason.
    Nothing(&'static str),
}

/// Rows: those of a list, of a function between its callers and callees, of source and so on.
pub(super) trait Rows {
    /// How many there are.
    fn len(&self) -> usize;

    /// The headings of the numbers, the dearest first: what does not fit goes from the end.
    fn columns(&self, look: Look<'_>) -> Vec<Column>;

    /// One row; nothing behind the last.
    fn row(&self, at: usize, look: Look<'_>) -> Option<Row>;

    /// Which one a row is of how many, from 1 on; nothing as long as it is not known how many there are.
    fn position(&self, at: usize) -> (usize, Option<usize>) {
        (at + 1, Some(self.len()))
    }

    /// What a row is about, where tables that programs read have names apart; `kind` are their headings.
    fn about<'a>(&'a self, _at: usize, _look: Look<'a>) -> Option<About<'a>> {
        None
    }

    /// What stands above names that are apart; nothing where they are not.
    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The function that a row is about.
    fn function(&self, _at: usize) -> Option<FunctionId> {
        None
    }

    /// The file and the line of a row.
    fn place(&self, _at: usize) -> Option<(NameId, u64)> {
        None
    }

    /// The screen that a row leads to.
    fn to(&self, _at: usize) -> Option<Screen> {
        None
    }

    /// The text of a row, where that is more than a name.
    fn text(&self, _at: usize) -> Option<&str> {
        None
    }

    /// The row that matters most.
    fn heart(&self) -> usize {
        0
    }

    /// The next row, before or behind one, that has at least a hundredth of the function.
    fn next_hot(&self, _from: usize, _way: Way) -> Option<usize> {
        None
    }

    /// Whether nothing is still to come that changes where rows are.
    fn is_whole(&self) -> bool {
        true
    }

    /// Where a row is, whatever rows stand before it.
    fn aim(&self, _at: usize) -> Option<Aim> {
        None
    }

    /// The lens through which functions of a list are what they are.
    fn lens(&self) -> Option<Lens> {
        None
    }

    /// The row there.
    fn find(&self, aim: Aim) -> Option<usize> {
        Some(self.heart()).filter(|_| aim == Aim::Heart)
    }
}

impl<'d> Sheet<'d> {
    /// Rows that are there.
    pub(super) fn new(rows: impl Rows + 'd) -> Sheet<'d> {
        Sheet::Rows(Box::new(rows))
    }

    /// The rows, if there are any that are not stacks.
    pub(super) fn rows(&self) -> Option<&(dyn Rows + 'd)> {
        match self {
            Sheet::Rows(rows) => Some(&**rows),
            Sheet::Waiting | Sheet::Stacks(..) | Sheet::Nothing(_) => None,
        }
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Sheet::Stacks(icicle, _) => icicle.len(),
            _ => self.rows().map_or(0, Rows::len),
        }
    }

    /// One row; nothing behind the last.
    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        self.rows()?.row(at, look)
    }

    /// The function that a row is about.
    pub(super) fn function(&self, at: usize) -> Option<FunctionId> {
        match self {
            Sheet::Stacks(icicle, _) => icicle.function(at),
            _ => self.rows()?.function(at),
        }
    }

    /// Where a row is, whatever rows stand before it.
    pub(super) fn aim(&self, at: usize) -> Option<Aim> {
        self.rows()?.aim(at)
    }
}

/// The cells of a row of a list: what changed, if that shows; its costs; how often; then the first cost by other events.
pub(super) fn cells(
    look: Look<'_>,
    change: Option<Cell>,
    costs: usize,
    cost: impl Fn(Look<'_>, usize) -> Cell,
    times: Option<Cell>,
) -> Vec<Cell> {
    let others = look.others().filter(|_| costs > 0);
    (change.into_iter())
        .chain((0..costs).map(|nth| cost(look, nth)))
        .chain(times)
        .chain(others.map(|other| cost(other, 0)))
        .collect()
}

/// The headings of the same: costs and how often, each with whether rows are ordered by it.
pub(super) fn columns(
    look: Look<'_>,
    change: Option<bool>,
    costs: &[(&str, bool)],
    times: Option<(&str, bool)>,
) -> Vec<Column> {
    let named = |look: Look<'_>, what: &str| format!("{} {what}", look.event_name());
    let plain = |(title, sorts): (&str, bool)| Column::new(title).sorting(sorts);
    let others = look.others().filter_map(|other| {
        let &(first, _) = costs.first()?;
        Some(Column::new(named(other, first)))
    });
    let costs = costs.iter();
    (change.map(|sorts| plain(("change", sorts))).into_iter())
        .chain(costs.map(|&(what, sorts)| Column::new(named(look, what)).sorting(sorts)))
        .chain(times.map(plain))
        .chain(others)
        .collect()
}
