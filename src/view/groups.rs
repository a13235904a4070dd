//! Adds up self cost by name, file, object or class. Rows and rest add up to the totals.

use super::ListFrame;
use crate::analysis::{Ending, GroupBy, Selection};
use crate::profile::{FunctionId, Order, Profile, extend_with};
use std::collections::{BTreeMap, BTreeSet};

/// One row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group<'a> {
    /// Its name; empty for functions that have none.
    pub name: &'a [u8],
    pub(crate) cost: Vec<i64>,
}

/// The list.
#[derive(Clone, Debug)]
pub struct Groups<'a> {
    /// What the rows are grouped by.
    pub by: GroupBy,
    /// The rows, most expensive first.
    pub rows: Vec<Group<'a>>,
    /// The totals, the rest, and the widths.
    pub frame: ListFrame<'a>,
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

        let events = &profile.events;
        let mut all: Vec<Group> = sums
            .into_iter()
            .map(|(name, cost)| Group { name, cost })
            .collect();
        all.order_by(|a, b| {
            selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.name.cmp(b.name))
        });
        // The filters were applied before the sums.
        let ending = Ending { profile, selection };
        let rows: Vec<Group> = ending
            .until_enough(&all, |row| &row.cost, |_| true)
            .cloned()
            .collect();
        let listed: BTreeSet<&[u8]> = rows.iter().map(|row| row.name).collect();
        let short: Vec<&[i64]> = all
            .iter()
            .filter(|row| !listed.contains(row.name))
            .map(|row| &row.cost[..])
            .collect();
        let left_out = short.len() + others.len();
        let costs = short.into_iter().chain([&unwanted[..]]);
        let shown = rows.iter().map(|row| &row.cost[..]);
        let frame = ListFrame::new(profile, by.nouns(), shown, left_out, costs);
        Groups { by, rows, frame }
    }
}
