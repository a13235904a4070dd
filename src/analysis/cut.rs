//! Decides where a list ends, and sums up the rows that it omits. All lists use these rules.
//!
//! Self costs add up. Rows are taken, most expensive first, until their sum reaches the threshold's
//! percentage of the total (`Ending::until_enough`). The total is the sum of all rows if that is
//! higher.
//!
//! Costs can be below zero, as in a difference. Such a sum can pass the total at the first row, or
//! never reach it. Then rows are taken by size, whatever their sign, until their sizes reach that
//! percentage of all sizes (`Selection::by_size`).
//!
//! Inclusive costs contain one another. There, a row is listed if it alone has at least the
//! percentage that the threshold leaves, 1 % for 99 % (`has_share_left`). Other filters (names, a
//! minimum percentage, a number of rows) apply to the resulting rows.

use super::{Inclusive, Selection, Threshold, label::by_label, ranking::Ranking};
use crate::profile::{
    Event, Events, FunctionId, NEVER, Profile,
    costs::{count, written},
    extend_with, is_free, sum_rows,
};
use std::iter;

/// Functions in report order, as far as the thresholds allow: by inclusive cost if it is given,
/// else by self cost. Ties are ordered by file, name and object. Several threads sort long lists.
pub(crate) fn ranked(
    profile: &Profile,
    selection: &Selection,
    inclusive: Option<&Inclusive>,
    ids: Vec<FunctionId>,
    threads: usize,
) -> Vec<FunctionId> {
    let cost = move |&id: &FunctionId| match inclusive {
        Some(inclusive) => inclusive.cost(id),
        None => profile.self_cost(id),
    };
    let is_listed = |id: &FunctionId| {
        inclusive.is_none() || selection.everything || has_a_share(selection, profile, cost(id))
    };
    let files = || profile.functions.iter().map(|function| function.file);
    let of = |&id: &FunctionId| (id, profile.function(id).file);
    let ties = by_label(profile, selection, cost, of, files);
    let keyed = ids
        .into_iter()
        .filter(is_listed)
        .map(|id| (selection.key(&profile.events, cost(&id)), id))
        .collect();
    let ranking = Ranking::with_ties(keyed, ties).with_threads(threads);
    let wanted = |&id: &FunctionId| {
        selection
            .narrow
            .takes(profile, id, profile.function(id).file)
    };
    let ending = Ending { profile, selection };
    match inclusive {
        Some(_) => ending.narrowed(ranking, cost, wanted).collect(),
        None => ending.until_enough(ranking, cost, wanted).collect(),
    }
}

/// Whether a row has, for any sort event, at least the percentage that the event's threshold
/// leaves: 1 % for 99 %.
pub(crate) fn has_a_share(selection: &Selection, profile: &Profile, row: &[i64]) -> bool {
    let events = &profile.events;
    selection
        .sort
        .iter()
        .zip(&selection.thresholds)
        .any(|(&event, threshold)| {
            let count = |row| selection.weight(events, row, event).unwrap_or(0) as f64;
            has_share_left(count(row), count(&profile.totals.row), threshold)
        })
}

/// Decides which rows a list shows.
pub(crate) struct Ending<'p> {
    pub profile: &'p Profile,
    pub selection: &'p Selection,
}

impl<'p> Ending<'p> {
    /// Takes rows, most expensive first, until their sum reaches the thresholds. Returns those that
    /// pass the filters, up to the requested number of rows.
    pub(crate) fn until_enough<T: 'p>(
        self,
        ranked: impl IntoIterator<Item = T> + 'p,
        cost: impl Fn(&T) -> &'p [i64] + Copy + 'p,
        wanted: impl Fn(&T) -> bool + 'p,
    ) -> impl Iterator<Item = T> + 'p {
        let Profile { events, totals, .. } = self.profile;
        // A row with more than 100 % would end the list, so the sum of the lines counts if it is
        // higher.
        let mut progress = Reached::new(self.selection, events, &[&totals.row, &totals.lines]);
        let mut ranked = ranked.into_iter();
        let mut rows = Vec::new();
        if !self.selection.by_size.is_empty() {
            rows.extend(ranked.by_ref());
            progress.toward_sizes(rows.iter().map(cost));
        }
        let mut ranked = rows.into_iter().chain(ranked);
        // The last row is the one that completes the thresholds.
        let reached = iter::from_fn(move || {
            let row = ranked.next().filter(|_| !progress.is_done())?;
            progress.add(cost(&row));
            Some(row)
        });
        self.narrowed(reached.fuse(), cost, wanted)
    }

    /// The listed rows, and the others.
    pub(crate) fn divided<T>(
        self,
        ranked: Vec<T>,
        cost: impl Fn(&T) -> &[i64] + Copy,
        wanted: impl Fn(&T) -> bool,
    ) -> (Vec<T>, Vec<T>) {
        let mut is_listed = vec![false; ranked.len()];
        let listed = self.until_enough(
            ranked.iter().enumerate(),
            |&(_, row)| cost(row),
            |&(_, row)| wanted(row),
        );
        listed.for_each(|(at, _)| is_listed[at] = true);
        let mut is_listed = is_listed.into_iter();
        ranked
            .into_iter()
            .partition(|_| is_listed.next() == Some(true))
    }

    /// Returns the rows that pass the filters, up to the requested number of rows.
    fn narrowed<T: 'p>(
        self,
        ranked: impl Iterator<Item = T> + 'p,
        cost: impl Fn(&T) -> &'p [i64] + 'p,
        wanted: impl Fn(&T) -> bool + 'p,
    ) -> impl Iterator<Item = T> + 'p {
        let taken =
            move |row: &T| wanted(row) && has_least_share(self.selection, self.profile, cost(row));
        ranked
            .filter(taken)
            .take(self.selection.narrow.rows.unwrap_or(usize::MAX))
    }
}

/// Whether a row has the user's minimum percentage of the total of the first sort event that is not
/// a ratio. True for every
/// row if the total is 0.
pub(crate) fn has_least_share(selection: &Selection, profile: &Profile, row: &[i64]) -> bool {
    let (Some(least), event) = (selection.narrow.min, selection.first_event()) else {
        return true;
    };
    let count = |row: &[i64]| profile.events.counted(row, event).unsigned_abs() as f64;
    count(row) * 100.0 >= count(&profile.totals.row) * least
}

/// Whether a count has at least the percentage of a whole that a threshold leaves.
pub(crate) fn has_share_left(count: f64, whole: f64, threshold: &Threshold) -> bool {
    threshold.percent > 0.0 && count > 0.0 && count * 100.0 >= whole * (100.0 - threshold.percent)
}

/// Adds rows up until every threshold is reached.
pub(crate) struct Reached<'a> {
    selection: &'a Selection,
    events: &'a Events,
    sums: Vec<EventSum>,
}

/// The sum of one event over the rows so far.
struct EventSum {
    event: Event,
    /// The percentage that is enough.
    enough: f64,
    sum: f64,
    /// The base of the percentage, if it is above 0.
    whole: f64,
}

impl<'a> Reached<'a> {
    /// Starts from zero, towards the highest of several totals.
    pub(crate) fn new(
        selection: &'a Selection,
        events: &'a Events,
        totals: &[&[i64]],
    ) -> Reached<'a> {
        let sums = selection.sort.iter().zip(&selection.thresholds);
        let sums = sums.map(|(&event, enough)| EventSum {
            event,
            enough: enough.percent,
            sum: 0.0,
            whole: totals
                .iter()
                .filter_map(|row| events.count(row, event))
                .max()
                .unwrap_or(0) as f64,
        });
        Reached {
            selection,
            events,
            sums: sums.collect(),
        }
    }

    /// For events by whose size rows are ordered: sets the base to the sizes of all rows.
    fn toward_sizes<'r>(&mut self, rows: impl Iterator<Item = &'r [i64]>) {
        let by_size = |sum: &&mut EventSum| self.selection.by_size.contains(&sum.event);
        self.sums
            .iter_mut()
            .filter(by_size)
            .for_each(|sum| sum.whole = 0.0);
        for row in rows {
            for sum in self.sums.iter_mut().filter(by_size) {
                sum.whole += self
                    .selection
                    .weight(self.events, row, sum.event)
                    .unwrap_or(0) as f64;
            }
        }
    }

    /// Whether the rows so far are enough.
    pub(crate) fn is_done(&self) -> bool {
        if self.selection.everything {
            return false;
        }
        self.sums.iter().all(|sum| {
            let mut share = sum.sum * 100.0;
            if sum.whole > 0.0 {
                share /= sum.whole;
            }
            share >= sum.enough
        })
    }

    /// Adds one more row.
    pub(crate) fn add(&mut self, row: &[i64]) {
        if self.selection.everything {
            return;
        }
        for sum in &mut self.sums {
            let count = self.selection.weight(self.events, row, sum.event);
            sum.sum += count.unwrap_or(0) as f64;
        }
    }

    /// callgrind_annotate's rule for `--inclusive`: it compares the total minus the last row, not
    /// the sum so far.
    pub(crate) fn replace(&mut self, row: &[i64]) {
        for sum in &mut self.sums {
            if let Some(count) = self.events.count(row, sum.event) {
                sum.sum = sum.whole - count as f64;
            }
        }
    }
}

/// The part of the totals that a list does not show.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Rest {
    /// The number of omitted rows.
    pub rows: usize,
    /// The cost of the omitted rows; empty if costs do not add up.
    pub(crate) cost: Vec<i64>,
    /// The totals minus all rows, listed or not; empty if nothing is left. Negative if the rows
    /// exceed the totals.
    pub(crate) nowhere: Vec<i64>,
}

impl Rest {
    /// A rest for rows whose costs do not add up.
    pub(crate) fn counted(rows: usize) -> Rest {
        Rest {
            rows,
            ..Rest::default()
        }
    }

    /// The rest of a list. `shown` has the costs of the listed rows, `left_out` those of the
    /// omitted rows, and `rows` is the number of omitted rows.
    pub(crate) fn beside<'r>(
        profile: &Profile,
        shown: impl Iterator<Item = &'r [i64]>,
        rows: usize,
        left_out: impl Iterator<Item = &'r [i64]>,
    ) -> Rest {
        let mut cost = sum_rows(left_out);
        let mut all = cost.clone();
        for row in shown {
            extend_with(&mut all, row);
        }
        for (at, count) in cost.iter_mut().enumerate() {
            if !profile.events.has_shares(Event::Recorded(at)) {
                *count = NEVER;
            }
        }
        let nowhere = left_over(&profile.events, &profile.totals.row, &all);
        Rest {
            rows,
            cost,
            nowhere: if is_free(&nowhere) {
                Vec::new()
            } else {
                nowhere
            },
        }
    }

    /// Whether the omitted rows cost nothing.
    pub fn is_free(&self) -> bool {
        is_free(&self.cost)
    }

    /// Whether there is nothing to show.
    pub fn is_nothing(&self) -> bool {
        self.rows == 0 && self.is_free() && self.nowhere.is_empty()
    }

    /// The costs of the rows that show the rest.
    pub(crate) fn costs(&self) -> impl Iterator<Item = &[i64]> {
        [&self.cost[..], &self.nowhere].into_iter()
    }
}

/// The totals minus the self costs of all functions; empty if nothing is left.
pub(crate) fn nowhere(profile: &Profile) -> Vec<i64> {
    let own = profile.function_ids().map(|id| profile.self_cost(id));
    Rest::beside(profile, own, 0, std::iter::empty()).nowhere
}

/// The totals minus a sum; unwritten for counts that do not add up.
pub(crate) fn left_over(events: &Events, totals: &[i64], sum: &[i64]) -> Vec<i64> {
    (0..totals.len())
        .map(|at| match written(totals, at) {
            Some(total) if events.has_shares(Event::Recorded(at)) => {
                total.saturating_sub(count(sum, at)).max(NEVER + 1)
            }
            _ => NEVER,
        })
        .collect()
}
