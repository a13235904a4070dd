//! Old and new counts, and which of many changes are worth a row.

use super::Cost;
use crate::{
    analysis::{Selection, cut::has_share_left, own::subtract},
    profile::{Event, Events, extend_with},
};
use std::cmp::Ordering;

/// How much finer differences of ratios are computed than shown.
const FINER: i128 = 1_000_000;

/// The cost rows of the old and the new run; empty if the run does not have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Change<R = Vec<i64>> {
    /// The old row.
    pub(crate) old: R,
    /// The new row.
    pub(crate) new: R,
}

/// A change that borrows its rows.
pub type ChangeRef<'c> = Change<&'c [i64]>;

impl Change {
    /// Adds another change.
    pub(super) fn add(&mut self, other: ChangeRef<'_>) {
        extend_with(&mut self.old, other.old);
        extend_with(&mut self.new, other.new);
    }
}

impl<R: AsRef<[i64]>> Change<R> {
    /// Borrows the rows.
    pub fn lent(&self) -> ChangeRef<'_> {
        ChangeRef {
            old: self.old.as_ref(),
            new: self.new.as_ref(),
        }
    }

    /// Copies the rows.
    pub(crate) fn to_change(&self) -> Change {
        Change {
            old: self.old.as_ref().to_vec(),
            new: self.new.as_ref().to_vec(),
        }
    }

    /// The old and new count; `None` if it was never written.
    pub fn counts(&self, events: &Events, event: Event) -> (Option<i64>, Option<i64>) {
        let count = |row: &R| events.count(row.as_ref(), event);
        (count(&self.old), count(&self.new))
    }

    /// The old and new count. A count that was never written is 0.
    pub(crate) fn counted(&self, events: &Events, event: Event) -> [i64; 2] {
        [&self.old, &self.new].map(|row| events.counted(row.as_ref(), event))
    }

    /// The new count minus the old one. A count that was never written is 0.
    pub fn delta(&self, events: &Events, event: Event) -> i128 {
        if event.is_ratio() {
            // The difference is rounded, not what it is of.
            let exact = |row: &R| events.in_units(row.as_ref(), event, 1000 * FINER);
            let [old, new] = [&self.old, &self.new].map(|row| exact(row).unwrap_or(0));
            let delta = new - old;
            return (delta + delta.signum() * (FINER / 2)) / FINER;
        }
        let [old, new] = self.counted(events, event).map(i128::from);
        new - old
    }

    /// The old and new count, and the new one minus the old one. That is `None` for a ratio that is
    /// not known of both runs.
    pub(crate) fn figures(&self, events: &Events, event: Event) -> [Option<i128>; 3] {
        let (old, new) = self.counts(events, event);
        let is_known = !event.is_ratio() || old.is_some() && new.is_some();
        let delta = is_known.then(|| self.delta(events, event));
        [old.map(i128::from), new.map(i128::from), delta]
    }

    /// Whether any of the selection's events changed.
    pub fn is_any(&self, events: &Events, selection: &Selection) -> bool {
        let Selection { show, sort, .. } = selection;
        let mut shown = show.iter().chain(sort);
        shown.any(|&event| self.delta(events, event) != 0)
    }

    /// The size of a change, up or down; 0 if it is not known. It is less than 2^64, because neither
    /// side is the lowest 64-bit number.
    fn size(&self, events: &Events, event: Event) -> u64 {
        let [.., delta] = self.figures(events, event);
        delta.map_or(0, |delta| delta.unsigned_abs() as u64)
    }
}

/// The sum of several rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnlistedChange {
    /// The number of rows.
    pub count: usize,
    /// Their sum.
    pub cost: Change,
}

impl UnlistedChange {
    pub(crate) fn add(&mut self, change: ChangeRef<'_>) {
        self.count += 1;
        self.cost.add(change);
    }
}

/// The parts of a list of changes that are not rows. Together with the rows they add up to the
/// totals.
#[derive(Clone, Debug, Default)]
pub struct ChangeFrame {
    /// The totals of the runs.
    pub total: Change,
    /// The number of changed rows that the filters accept, listed or not.
    pub changed: usize,
    /// Other changed rows, and those that the filters omit, by self cost.
    pub others: UnlistedChange,
    /// Rows without a change.
    pub unchanged: UnlistedChange,
    /// The part of the totals that is in no row, listed or not.
    pub outside: Change,
}

impl ChangeFrame {
    /// Sets the totals, and what is left of them without any row.
    pub(super) fn within<'c>(
        self,
        total: Change,
        rows: impl Iterator<Item = ChangeRef<'c>>,
    ) -> ChangeFrame {
        let (mut outside, mut sum) = (total.clone(), Change::default());
        rows.for_each(|row| sum.add(row));
        subtract(&mut outside.old, &sum.old);
        subtract(&mut outside.new, &sum.new);
        ChangeFrame {
            total,
            outside,
            ..self
        }
    }
}

/// The listed changes, as indices of the input, in order, and the other parts of the list.
#[derive(Default)]
pub(super) struct ChangeRanking {
    pub listed: Vec<usize>,
    pub frame: ChangeFrame,
}

/// Which changes are ranked, and how.
pub(super) struct RankingInput<'r, 'c, C> {
    pub events: &'r Events,
    pub selection: &'r Selection,
    /// The number of rows.
    pub count: usize,
    /// The change at an index.
    pub change: C,
    /// Its part of the sum of unlisted rows.
    pub sum: &'r dyn Fn(usize) -> ChangeRef<'c>,
    /// Whether the change at an index is wanted. Others count as unlisted.
    pub wanted: &'r dyn Fn(usize) -> bool,
}

impl<'c, C: Fn(usize) -> ChangeRef<'c>> RankingInput<'_, 'c, C> {
    /// Lists the largest changes first, as far as the requested number of rows. `tie` orders
    /// changes of equal size.
    ///
    /// Self costs add up: they are listed until they reach the thresholds' percentage of all
    /// changes, up and down alike. Inclusive costs contain one another: those are listed that have
    /// a minimum percentage of the largest change, which is what the thresholds leave (1 % for
    /// 99 %).
    pub(super) fn ranking(
        &self,
        by: Cost,
        tie: impl Fn(usize, usize) -> Ordering,
    ) -> ChangeRanking {
        let (mut ranking, order) = self.order(tie);
        let Selection {
            sort, thresholds, ..
        } = self.selection;
        let whole = |nth| {
            let sizes = order.iter().map(|ranked| self.size(ranked, nth));
            match by {
                Cost::Own => sizes.sum(),
                Cost::Inclusive => sizes.fold(0.0, f64::max),
            }
        };
        let wholes: Vec<f64> = (0..sort.len()).map(whole).collect();
        let mut sums = vec![0.0; wholes.len()];
        let most = self.selection.narrow.rows.unwrap_or(usize::MAX);
        for ranked in &order {
            let mut is_worth_it = self.selection.everything;
            for (nth, (&whole, threshold)) in wholes.iter().zip(thresholds).enumerate() {
                let size = self.size(ranked, nth);
                is_worth_it |= match by {
                    Cost::Own => sums[nth] * 100.0 < whole * threshold.percent,
                    Cost::Inclusive => has_share_left(size, whole, threshold),
                };
                sums[nth] += size;
            }
            if is_worth_it && ranking.listed.len() < most {
                ranking.listed.push(ranked.1);
            } else {
                ranking.frame.others.add((self.sum)(ranked.1));
            }
        }
        ranking
    }

    /// The size of a change of the nth sort event, up or down.
    fn size(&self, &(of_first, at): &(u64, usize), nth: usize) -> f64 {
        let size = match nth {
            0 => of_first,
            _ => (self.change)(at).size(self.events, self.selection.sort[nth]),
        };
        size as f64
    }

    /// Separates unchanged and unwanted rows, and sorts the rest. Each comes with the size of its
    /// change of the first sort event: to look that up again is slow among millions of lines.
    fn order(&self, tie: impl Fn(usize, usize) -> Ordering) -> (ChangeRanking, Vec<(u64, usize)>) {
        let RankingInput {
            events, selection, ..
        } = *self;
        let mut ranking = ChangeRanking::default();
        let first = selection.sort.first();
        let mut order = Vec::new();
        for at in 0..self.count {
            let change = (self.change)(at);
            if !change.is_any(events, selection) {
                ranking.frame.unchanged.add((self.sum)(at));
            } else if !(self.wanted)(at) {
                ranking.frame.others.add((self.sum)(at));
            } else {
                order.push((first.map_or(0, |&event| change.size(events, event)), at));
            }
        }
        ranking.frame.changed = order.len();
        let further = |a: usize, b: usize| {
            let size = |at, event| (self.change)(at).size(events, event);
            let each = selection
                .sort
                .iter()
                .skip(1)
                .map(|&event| size(b, event).cmp(&size(a, event)));
            each.fold(Ordering::Equal, Ordering::then)
        };
        order.sort_by(|&(size_of_a, a), &(size_of_b, b)| {
            size_of_b
                .cmp(&size_of_a)
                .then_with(|| further(a, b))
                .then_with(|| tie(a, b))
        });
        (ranking, order)
    }
}
