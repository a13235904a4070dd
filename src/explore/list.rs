//! The rows of a list of functions.

use super::place::{Lens, Sort};
use super::row::{Cell, Column, Look, Row, Shape};
use super::work::Extent;
use crate::profile::FunctionId;
use crate::text::number::grouped_signed;
use crate::view::figures::own_word;
use std::sync::Arc;

/// Functions in order.
pub(super) struct List {
    /// The lens through which they are what they are.
    pub lens: Lens,
    /// They.
    pub functions: Arc<[FunctionId]>,
    /// Whether these are all.
    pub extent: Extent,
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
    columns.extend(look.others().map(|other| Column::new(named(costs[0], other.event))));
    columns
}

impl List {
    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        let &id = self.functions.get(at)?;
        let data = look.data;
        let (profile, inclusive) = (data.profile(), data.session().inclusive_so_far());
        let row = |cost: Sort| match cost {
            Sort::Inclusive => inclusive.map(|inclusive| inclusive.cost(id)),
            Sort::Own | Sort::Calls | Sort::Name | Sort::Change => Some(profile.self_cost(id)),
        };
        let cell = |look: Look<'_>, cost| look.cost(row(cost).and_then(|row| look.count(row)), None);
        let costs = costs(look);
        let mut cells: Vec<Cell> = costs.iter().map(|&cost| cell(look, cost)).collect();
        if let Some(before) = look.before {
            cells.insert(0, look.changed(before.listed(id, data.session(), costs[0])));
        }
        let called = inclusive.filter(|_| profile.has_inclusive()).map(|inclusive| inclusive.called(id));
        cells.push(called.map_or(Cell::Nothing, Cell::Times));
        cells.extend(look.others().map(|other| cell(other, costs[0])));
        let (text, mut place) = look.function(id);
        if let Some(one) = look.compared_as_one(id) {
            place = format!("{one}; {place}");
        }
        // What an own cost is estimated from can be more or less.
        let own = data.session().folds().zip(data.events.get(look.event));
        if let Some(known) = own.and_then(|(folds, &event)| folds.estimated(profile, id, event)) {
            let (least, most) = (grouped_signed(known.least()), grouped_signed(known.most()));
            place = format!("estimated, between {least} and {most}; {place}");
        }
        Some(Row { cells, lead: String::new(), text, place, style: None, shape: Shape::Name })
    }
}
