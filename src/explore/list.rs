//! The rows of a list of functions.

use super::{
    comparison::RunComparison,
    place::{Aim, Lens, Sort},
    row::{Row, RowCell, RowColumn, RowSettings, RowSubject},
    sheet::{SheetRows, cells, columns},
    work::Completeness,
};
use crate::{
    analysis::Label,
    profile::FunctionId,
    text::grouped,
    view::{figures::own_word, rest::NOWHERE},
};
use std::sync::Arc;

/// Sorted functions.
pub(super) struct FunctionSheet {
    /// The lens whose profile these ids belong to.
    pub lens: Lens,
    pub functions: Arc<[FunctionId]>,
    /// Whether the list is complete.
    pub extent: Completeness,
    /// Whether a row for costs that are not attributed to any function follows them.
    pub has_nowhere: bool,
}

/// Whether any costs of either run are not attributed to a function.
pub(super) fn has_nowhere(look: RowSettings<'_>) -> bool {
    let is_some = |count: Option<i64>| count.is_some_and(|count| count != 0);
    let was = |before: &RunComparison| before.counts(look.event, before.nowhere.lent());
    is_some(look.count(look.data.nowhere()))
        || is_some(look.before.and_then(was).and_then(|(old, _)| old))
}

/// The cost columns of a function, the sort column first. There is only one if inclusive costs are
/// unknown.
fn costs(look: RowSettings<'_>) -> &'static [Sort] {
    match look.sort {
        _ if !look.data.profile().has_inclusive() => &[Sort::Own],
        Sort::Inclusive => &[Sort::Inclusive, Sort::Own],
        Sort::Own | Sort::Calls | Sort::Name | Sort::Change => &[Sort::Own, Sort::Inclusive],
    }
}

/// A cost cell. Without an id it is the cost not attributed to any function, which has no inclusive
/// cost.
fn cell(look: RowSettings<'_>, cost: Sort, id: Option<FunctionId>) -> Option<RowCell> {
    let data = look.data;
    let inclusive = data.session.inclusive_so_far();
    match (cost, id) {
        (Sort::Inclusive, None) => None,
        (Sort::Inclusive, Some(id)) => {
            let count = inclusive.and_then(|inclusive| look.count(inclusive.cost(id)));
            look.cost(count, None)
        }
        (_, Some(id)) => look.cost(look.count(data.profile().self_cost(id)), None),
        (_, None) => look.cost(look.count(data.nowhere()).or(Some(0)), None),
    }
}

impl SheetRows for FunctionSheet {
    fn len(&self) -> usize {
        self.functions.len() + usize::from(self.has_nowhere)
    }

    /// The cost that sorts, the other cost, the calls, then the first cost by other events.
    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn> {
        let named = |&cost: &Sort| {
            let name = match cost {
                Sort::Inclusive => "incl",
                _ => own_word(&look.data.session),
            };
            (name, cost == look.sort)
        };
        let costs: Vec<_> = costs(look).iter().map(named).collect();
        let change = look.before.map(|_| look.sort == Sort::Change);
        columns(
            look,
            change,
            &costs,
            Some(("calls", look.sort == Sort::Calls)),
        )
    }

    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let id = self.functions.get(at).copied();
        if at >= self.len() {
            return None;
        }
        let (data, costs) = (look.data, costs(look));
        let change = |before: &RunComparison| match id {
            Some(id) => look.changed(before.listed(id, costs[0])),
            None => {
                let change = Some(before.nowhere.lent());
                look.changed(change.filter(|_| costs[0] != Sort::Inclusive))
            }
        };
        let inclusive = data.session.inclusive_so_far();
        let called = inclusive.filter(|_| data.profile().has_inclusive());
        let called = called
            .zip(id)
            .map(|(all, id)| RowCell::Times(all.called(id)));
        let cells = cells(
            look,
            look.before.map(change),
            costs.len(),
            |look, nth| cell(look, costs[nth], id),
            Some(called),
        );
        let Some(id) = id else {
            // Without this row, the list of a damaged profile would look complete.
            return Some(Row::words(cells, NOWHERE));
        };
        let row = Row::named(cells, "", look.function(id));
        Some(row.noted(note(id, look)))
    }

    fn position(&self, at: usize) -> (usize, Option<usize>) {
        let is_whole = self.extent == Completeness::Whole;
        (at + 1, is_whole.then(|| self.len()))
    }

    fn names(&self) -> &'static [&'static str] {
        &["function", "file", "object"]
    }

    fn about<'a>(&'a self, at: usize, look: RowSettings<'a>) -> Option<RowSubject<'a>> {
        let &id = self.functions.get(at)?;
        Some(RowSubject {
            what: "",
            label: Some(Label::new(look.data.profile(), id)),
            note: note(id, look),
        })
    }

    fn function(&self, at: usize) -> Option<FunctionId> {
        self.functions.get(at).copied()
    }

    fn find(&self, aim: Aim) -> Option<usize> {
        match aim {
            Aim::Function(id) => self.functions.iter().position(|&other| other == id),
            _ => Some(0).filter(|_| aim == Aim::Heart),
        }
    }

    fn aim(&self, at: usize) -> Option<Aim> {
        self.function(at).map(Aim::Function)
    }

    fn lens(&self) -> Option<Lens> {
        Some(self.lens)
    }
}

/// A remark on a function's numbers.
fn note(id: FunctionId, look: RowSettings<'_>) -> Option<String> {
    let (data, one) = (look.data, look.compared_as_one(id));
    // An estimated cost can differ from the true one in both directions.
    let estimated = data
        .session
        .folds()
        .and_then(|folds| folds.estimated(data.profile(), id, look.counted().1))
        .map(|known| {
            let (least, most) = (grouped(known.least), grouped(known.most));
            format!("estimated, between {least} and {most}")
        });
    let notes: Vec<String> = estimated.into_iter().chain(one).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}
