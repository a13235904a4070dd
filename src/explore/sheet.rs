//! The content of a pane as values: columns, and rows that are made only when visible. Drawing does
//! no analysis.

use super::{
    place::{Aim, Lens, Screen},
    row::{Row, RowCell, RowColumn, RowSettings, RowSubject},
    stacks::Icicle,
};
use crate::profile::{FunctionId, NameId};
use std::sync::Arc;

/// The content of a pane.
pub(super) enum Sheet<'d> {
    /// The worker is still making them.
    Waiting,
    /// Rows.
    Rows(Box<dyn SheetRows + 'd>),
    /// Stacks: all, or those below a frame.
    Stacks(Arc<Icicle>, Option<usize>),
    /// No rows are possible, for this reason.
    Nothing(&'static str),
}

/// Rows of any kind: a list, callers and callees, source, instructions.
pub(super) trait SheetRows {
    fn len(&self) -> usize;

    /// The columns, the most important first: those that do not fit are omitted from the end.
    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn>;

    /// A row; `None` after the last.
    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row>;

    /// The number of a row, from 1, and the number of all; the latter is `None` while unknown.
    fn position(&self, at: usize) -> (usize, Option<usize>) {
        (at + 1, Some(self.len()))
    }

    /// The subject of a row for CSV output, if [`names`](SheetRows::names) has titles for it.
    fn about<'a>(&'a self, _at: usize, _look: RowSettings<'a>) -> Option<RowSubject<'a>> {
        None
    }

    /// The titles of the text columns in CSV output; empty if there is only the text.
    fn names(&self) -> &'static [&'static str] {
        &[]
    }

    /// The function of a row.
    fn function(&self, _at: usize) -> Option<FunctionId> {
        None
    }

    /// The file and line of a row.
    fn place(&self, _at: usize) -> Option<(NameId, u64)> {
        None
    }

    /// The line of a row, if it paid for library functions that can be listed.
    fn library(&self, _at: usize) -> Option<(NameId, u64)> {
        None
    }

    /// The screen that a row opens.
    fn to(&self, _at: usize) -> Option<Screen> {
        None
    }

    /// The full text of a row, if it is more than a name.
    fn text(&self, _at: usize) -> Option<&str> {
        None
    }

    /// The most important row.
    fn heart(&self) -> usize {
        0
    }

    /// Whether a row costs at least 1 % of the function's inclusive cost.
    fn is_hot(&self, _at: usize) -> bool {
        false
    }

    /// A target for a row that stays valid if row numbers change.
    fn aim(&self, _at: usize) -> Option<Aim> {
        None
    }

    /// The lens of a list of functions.
    fn lens(&self) -> Option<Lens> {
        None
    }

    /// The row of a target.
    fn find(&self, aim: Aim) -> Option<usize> {
        Some(self.heart()).filter(|_| aim == Aim::Heart)
    }
}

impl<'d> Sheet<'d> {
    /// Wraps rows.
    pub(super) fn new(rows: impl SheetRows + 'd) -> Sheet<'d> {
        Sheet::Rows(Box::new(rows))
    }

    /// The rows; `None` for stacks and while waiting.
    pub(super) fn rows(&self) -> Option<&(dyn SheetRows + 'd)> {
        match self {
            Sheet::Rows(rows) => Some(&**rows),
            Sheet::Waiting | Sheet::Stacks(..) | Sheet::Nothing(_) => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Sheet::Stacks(icicle, _) => icicle.len(),
            _ => self.rows().map_or(0, SheetRows::len),
        }
    }

    /// A row; `None` after the last.
    pub(super) fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        self.rows()?.row(at, look)
    }

    /// The function of a row.
    pub(super) fn function(&self, at: usize) -> Option<FunctionId> {
        match self {
            Sheet::Stacks(icicle, _) => icicle.function(at),
            _ => self.rows()?.function(at),
        }
    }

    /// A target for a row that stays valid if row numbers change.
    pub(super) fn aim(&self, at: usize) -> Option<Aim> {
        self.rows()?.aim(at)
    }
}

/// The cells of a list's row: the change, the costs, the number of calls, then the first cost by
/// other events. Lists without changes or numbers have no such cells.
pub(super) fn cells(
    look: RowSettings<'_>,
    change: Option<Option<RowCell>>,
    costs: usize,
    cost: impl Fn(RowSettings<'_>, usize) -> Option<RowCell>,
    times: Option<Option<RowCell>>,
) -> Vec<Option<RowCell>> {
    let others = look.others().filter(|_| costs > 0);
    (change.into_iter())
        .chain((0..costs).map(|nth| cost(look, nth)))
        .chain(times)
        .chain(others.map(|other| cost(other, 0)))
        .collect()
}

/// The columns for [`cells`]; each flag says whether rows are sorted by it.
pub(super) fn columns(
    look: RowSettings<'_>,
    change: Option<bool>,
    costs: &[(&str, bool)],
    times: Option<(&str, bool)>,
) -> Vec<RowColumn> {
    let named = |look: RowSettings<'_>, what: &str| format!("{} {what}", look.event_name());
    let plain = |(title, sorts): (&str, bool)| RowColumn::new(title).sorting(sorts);
    let others = look.others().filter_map(|other| {
        let &(first, _) = costs.first()?;
        Some(RowColumn::new(named(other, first)))
    });
    let costs = costs.iter();
    (change.map(|sorts| plain(("change", sorts))).into_iter())
        .chain(costs.map(|&(what, sorts)| RowColumn::new(named(look, what)).sorting(sorts)))
        .chain(times.map(plain))
        .chain(others)
        .collect()
}
