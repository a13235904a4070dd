//! The rows of a list of functions.

use super::comparison::Comparison;
use super::place::{Lens, Sort};
use super::row::{About, Cell, Column, Look, Row, Shape};
use super::work::Extent;
use crate::analysis::Label;
use crate::profile::FunctionId;
use crate::text::number::grouped_signed;
use crate::view::figures::own_word;
use crate::view::rest::NOWHERE;
use std::sync::Arc;

/// Functions in order.
pub(super) struct List {
    /// The lens through which they are what they are.
    pub lens: Lens,
    /// They.
    pub functions: Arc<[FunctionId]>,
    /// Whether these are all.
    pub extent: Extent,
    /// What comes after them.
    pub after: After,
}

/// What comes after the functions of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum After {
    /// Nothing.
    Nothing,
    /// What the totals have beyond all functions.
    Nowhere,
}

impl After {
    /// What comes after all functions.
    pub(super) fn all(look: Look<'_>) -> After {
        let is_some = |count: Option<i64>| count.is_some_and(|count| count != 0);
        let was = |before: &Comparison| before.counts(look.event, before.nowhere.lent());
        match is_some(look.count(look.data.nowhere()))
            || is_some(look.before.and_then(was).and_then(|(old, _)| old))
        {
            true => After::Nowhere,
            false => After::Nothing,
        }
    }
}

/// The two costs of a function, the one that orders first; one where inclusive costs are not known.
fn costs(look: Look<'_>) -> &'static [Sort] {
    match look.sort {
        _ if !look.data.profile().has_inclusive() => &[Sort::Own],
        Sort::Inclusive => &[Sort::Inclusive, Sort::Own],
        Sort::Own | Sort::Calls | Sort::Name | Sort::Change => &[Sort::Own, Sort::Inclusive],
    }
}

/// The cost that orders, the other one, the calls, then the first of the two by other events.
pub(super) fn columns(look: Look<'_>) -> Vec<Column> {
    let named = |cost: Sort, event: usize| {
        let name = Look { event, ..look }.event_name();
        match cost {
            Sort::Inclusive => format!("{name} incl"),
            _ => format!("{name} {}", own_word(look.data.session())),
        }
    };
    let costs = costs(look);
    let column = |&cost: &Sort| Column::new(named(cost, look.event)).sorting(cost == look.sort);
    let mut columns: Vec<Column> = costs.iter().map(column).collect();
    if look.before.is_some() {
        columns.insert(0, Column::new("change").sorting(look.sort == Sort::Change));
    }
    columns.push(Column::new("calls").sorting(look.sort == Sort::Calls));
    columns.extend(
        look.others()
            .map(|other| Column::new(named(costs[0], other.event))),
    );
    columns
}

impl List {
    pub(super) fn len(&self) -> usize {
        self.functions.len() + usize::from(self.after == After::Nowhere)
    }

    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        let Some(&id) = self.functions.get(at) else {
            return (at < self.len()).then(|| nowhere(look));
        };
        let data = look.data;
        let (profile, inclusive) = (data.profile(), data.session().inclusive_so_far());
        let row = |cost: Sort| match cost {
            Sort::Inclusive => inclusive.map(|inclusive| inclusive.cost(id)),
            Sort::Own | Sort::Calls | Sort::Name | Sort::Change => Some(profile.self_cost(id)),
        };
        let cell =
            |look: Look<'_>, cost| look.cost(row(cost).and_then(|row| look.count(row)), None);
        let costs = costs(look);
        let mut cells: Vec<Cell> = costs.iter().map(|&cost| cell(look, cost)).collect();
        if let Some(before) = look.before {
            cells.insert(0, look.changed(before.listed(id, costs[0])));
        }
        let called = inclusive
            .filter(|_| profile.has_inclusive())
            .map(|inclusive| inclusive.called(id));
        cells.push(called.map_or(Cell::Nothing, Cell::Times));
        cells.extend(look.others().map(|other| cell(other, costs[0])));
        let (text, place) = look.function(id);
        let row = Row {
            cells,
            lead: String::new(),
            text,
            place,
            style: None,
            shape: Shape::Name,
        };
        Some(row.noted(note(id, look)))
    }

    /// What a row is about; nothing of what is in no function.
    pub(super) fn about<'a>(&self, at: usize, look: Look<'a>) -> Option<About<'a>> {
        let &id = self.functions.get(at)?;
        Some(About {
            what: "",
            label: Some(Label::of(look.data.profile(), id)),
            note: note(id, look),
        })
    }
}

/// What is to be known of a function's numbers.
fn note(id: FunctionId, look: Look<'_>) -> Option<String> {
    let (data, one) = (look.data, look.compared_as_one(id));
    // What an own cost is estimated from can be more or less.
    let own = data.session().folds().zip(data.events.get(look.event));
    let estimated = own
        .and_then(|(folds, &event)| folds.estimated(data.profile(), id, event))
        .map(|known| {
            let (least, most) = (grouped_signed(known.least()), grouped_signed(known.most()));
            format!("estimated, between {least} and {most}")
        });
    let notes: Vec<String> = estimated.into_iter().chain(one).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// The row of what the totals have beyond all functions: without it a list of a damaged profile looks whole.
fn nowhere(look: Look<'_>) -> Row {
    let costs = costs(look);
    // It is in no call, either.
    let cell = |look: Look<'_>, cost: Sort| match cost {
        Sort::Inclusive => Cell::Nothing,
        Sort::Own | Sort::Calls | Sort::Name | Sort::Change => {
            look.cost(look.count(look.data.nowhere()).or(Some(0)), None)
        }
    };
    let mut cells: Vec<Cell> = costs.iter().map(|&cost| cell(look, cost)).collect();
    if let Some(before) = look.before {
        let change = Some(before.nowhere.lent()).filter(|_| costs[0] != Sort::Inclusive);
        cells.insert(0, look.changed(change));
    }
    cells.push(Cell::Nothing);
    cells.extend(look.others().map(|other| cell(other, costs[0])));
    Row::words(cells, NOWHERE)
}
