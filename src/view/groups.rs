//! Adds up self cost by name, file, object or class. Rows and rest add up to the totals.

use super::ListFrame;
use crate::{
    analysis::{Ending, GroupBy, Selection},
    profile::{Events, FunctionId, Order, Profile, extend_with},
};
use std::collections::{BTreeMap, BTreeSet};

/// One row.
#[derive(Clone)]
pub struct Group<'a> {
    /// Its name; empty for functions that have none.
    pub name: &'a [u8],
    pub(crate) cost: Vec<i64>,
}

/// The list.
pub struct Groups<'a> {
    /// What the rows are grouped by.
    pub by: GroupBy,
    /// The rows, most expensive first.
    pub rows: Vec<Group<'a>>,
    /// The totals, the rest, and the widths.
    pub frame: ListFrame<'a>,
}

impl Group<'_> {
    pub(super) fn order(groups: &mut [Group<'_>], selection: &Selection, events: &Events) {
        groups.order_by(|a, b| {
            selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.name.cmp(b.name))
        });
    }
}

impl<'a> Groups<'a> {
    /// Adds up the functions that pass the filters. Grouping by file needs lines.
    pub fn new(profile: &'a Profile, selection: &Selection, by: GroupBy) -> Groups<'a> {
        let mut sums: BTreeMap<&'a [u8], Vec<i64>> = BTreeMap::new();
        // The names and the sum of what the filters exclude.
        let (mut others, mut unwanted): (BTreeSet<&'a [u8]>, Vec<i64>) =
            (BTreeSet::new(), Vec::new());
        let recorded = |id: &FunctionId| profile.function(*id).recorded;
        for id in profile.function_ids().filter(recorded) {
            by.pieces(profile, id, |file, costs| {
                let name = by.name(profile, id, file);
                let sum = if selection.narrow.takes(profile, id, file) {
                    sums.entry(name).or_default()
                } else {
                    others.insert(name);
                    &mut unwanted
                };
                costs.for_each(|cost| {
                    extend_with(sum, cost);
                });
            });
        }
        others.retain(|name| !sums.contains_key(name));

        let mut all: Vec<Group> = sums
            .into_iter()
            .map(|(name, cost)| Group { name, cost })
            .collect();
        Group::order(&mut all, selection, &profile.events);
        // The filters were applied before the sums.
        let ending = Ending { profile, selection };
        let (rows, short) = ending.divided(all, |row| &row.cost, |_| true);
        let left_out = short.len() + others.len();
        let costs = short.iter().map(|row| &row.cost[..]);
        let costs = costs.chain([&unwanted[..]]);
        let shown = rows.iter().map(|row| &row.cost[..]);
        let frame = ListFrame::new(profile, by.nouns(), shown, left_out, costs);
        Groups { by, rows, frame }
    }
}
