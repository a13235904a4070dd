//! Old and new counts, and which of many changes are worth a row.

use crate::analysis::Selection;
use crate::analysis::cut::has_share_left;
use crate::profile::costs::extend_with;
use crate::profile::{Event, Events, Order};
use std::cmp::Ordering;

/// A cost row of the old run and one of the new, empty where there was none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// Before.
    pub(crate) old: Vec<i64>,
    /// After.
    pub(crate) new: Vec<i64>,
}

impl Change {
    /// From two rows.
    pub(crate) fn new(old: &[i64], new: &[i64]) -> Change {
        Change { old: old.to_vec(), new: new.to_vec() }
    }

    /// Adds another.
    pub fn add(&mut self, other: &Change) {
        self.add_rows(other.rows());
    }

    fn add_rows(&mut self, other: Rows<'_>) {
        extend_with(&mut self.old, other.old);
        extend_with(&mut self.new, other.new);
    }

    pub(super) fn rows(&self) -> Rows<'_> {
        Rows { old: &self.old, new: &self.new }
    }

    /// Before and after; `None` where nothing was ever written.
    pub fn counts(&self, events: &Events, event: Event) -> (Option<i64>, Option<i64>) {
        self.rows().counts(events, event)
    }

    /// After less before. What was never written counts as zero.
    pub fn delta(&self, events: &Events, event: Event) -> i128 {
        self.rows().delta(events, event)
    }

    /// Whether any of the selection's events changed.
    pub fn is_any(&self, events: &Events, selection: &Selection) -> bool {
        self.rows().is_any(events, selection)
    }

    /// The order of two changes: the larger first, up or down, by the sort events in turn.
    pub fn compare(&self, other: &Change, events: &Events, selection: &Selection) -> Ordering {
        self.rows().compare(other.rows(), events, selection)
    }
}

/// A change whose rows stand elsewhere.
#[derive(Clone, Copy)]
pub(super) struct Rows<'c> {
    pub(super) old: &'c [i64],
    pub(super) new: &'c [i64],
}

impl Rows<'_> {
    /// A change of its own.
    pub(super) fn to_change(self) -> Change {
        Change::new(self.old, self.new)
    }

    fn counts(self, events: &Events, event: Event) -> (Option<i64>, Option<i64>) {
        (events.count(self.old, event), events.count(self.new, event))
    }

    fn delta(self, events: &Events, event: Event) -> i128 {
        let (old, new) = self.counts(events, event);
        i128::from(new.unwrap_or(0)) - i128::from(old.unwrap_or(0))
    }

    pub(super) fn is_any(self, events: &Events, selection: &Selection) -> bool {
        selection.show.iter().chain(&selection.sort).any(|&event| self.delta(events, event) != 0)
    }

    fn compare(self, other: Rows<'_>, events: &Events, selection: &Selection) -> Ordering {
        let size = |change: Rows<'_>, event| change.delta(events, event).unsigned_abs();
        let each = selection.sort.iter().map(|&event| size(other, event).cmp(&size(self, event)));
        each.fold(Ordering::Equal, Ordering::then)
    }
}

/// Several rows as one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnlistedChange {
    /// How many.
    pub count: usize,
    /// Their sum.
    pub cost: Change,
}

impl UnlistedChange {
    pub(super) fn add(&mut self, change: Rows<'_>) {
        self.count += 1;
        self.cost.add_rows(change);
    }
}

/// Changes, divided into listed, unlisted and unchanged ones.
#[derive(Debug, Default)]
pub(super) struct ChangeRanking {
    /// The listed ones, as indices into the input, in order.
    pub(super) listed: Vec<usize>,
    /// Others that changed.
    pub(super) others: UnlistedChange,
    /// What did not change.
    pub(super) unchanged: UnlistedChange,
    /// How many changed and were asked about, listed or not.
    pub(super) changed: usize,
}

/// Which changes are ranked, and how.
pub(super) struct Ranked<'r> {
    pub(super) events: &'r Events,
    pub(super) selection: &'r Selection,
    /// Whether a change is asked about, by its place; others are among those without a row.
    pub(super) wanted: &'r dyn Fn(usize) -> bool,
}

impl Ranked<'_> {
    /// Lists changes that add up, the largest first, until they make up the thresholds' share of all changes, up and
    /// down alike. `tie` orders changes of one size.
    pub(super) fn until_enough(&self, changes: &[Rows<'_>], tie: impl Fn(usize, usize) -> Ordering) -> ChangeRanking {
        let Ranked { events, selection, .. } = *self;
        let (mut ranking, order) = self.order(changes, tie);
        let size = |at: usize, event| changes[at].delta(events, event).unsigned_abs();
        let wholes: Vec<f64> =
            selection.sort.iter().map(|&event| order.iter().map(|&at| size(at, event) as f64).sum()).collect();
        let mut sums = vec![0.0; wholes.len()];
        for at in order {
            let reached = |((sum, whole), threshold): ((&f64, &f64), &crate::analysis::Threshold)| {
                *whole == 0.0 || sum * 100.0 >= whole * threshold.percent
            };
            let enough = !selection.everything && sums.iter().zip(&wholes).zip(&selection.thresholds).all(reached);
            if enough || self.is_full(&ranking) {
                ranking.others.add(changes[at]);
                continue;
            }
            for (sum, &event) in sums.iter_mut().zip(&selection.sort) {
                *sum += size(at, event) as f64;
            }
            ranking.listed.push(at);
        }
        ranking
    }

    /// Lists changes that contain one another: those of at least the share of the largest that the thresholds leave.
    pub(super) fn with_share_left(
        &self,
        changes: &[Rows<'_>],
        tie: impl Fn(usize, usize) -> Ordering,
    ) -> ChangeRanking {
        let Ranked { events, selection, .. } = *self;
        let (mut ranking, order) = self.order(changes, tie);
        let size = |at: usize, event| changes[at].delta(events, event).unsigned_abs() as f64;
        let largest: Vec<f64> =
            selection.sort.iter().map(|&event| order.iter().map(|&at| size(at, event)).fold(0.0, f64::max)).collect();
        for at in order {
            let worth = (selection.sort.iter().zip(&largest).zip(&selection.thresholds))
                .any(|((&event, &most), threshold)| has_share_left(size(at, event), most, threshold));
            if (selection.everything || worth) && !self.is_full(&ranking) {
                ranking.listed.push(at);
            } else {
                ranking.others.add(changes[at]);
            }
        }
        ranking
    }

    /// Whether as many are listed as were asked for.
    fn is_full(&self, ranking: &ChangeRanking) -> bool {
        self.selection.narrow.rows.is_some_and(|rows| ranking.listed.len() >= rows)
    }

    /// Separates what did not change and what nobody asked about, and sorts the rest.
    fn order(&self, changes: &[Rows<'_>], tie: impl Fn(usize, usize) -> Ordering) -> (ChangeRanking, Vec<usize>) {
        let Ranked { events, selection, wanted } = *self;
        let mut ranking = ChangeRanking::default();
        let (changed, same): (Vec<usize>, Vec<usize>) =
            (0..changes.len()).partition(|&at| changes[at].is_any(events, selection));
        same.into_iter().for_each(|at| ranking.unchanged.add(changes[at]));
        let (mut order, others): (Vec<usize>, Vec<usize>) = changed.into_iter().partition(|&at| wanted(at));
        others.into_iter().for_each(|at| ranking.others.add(changes[at]));
        ranking.changed = order.len();
        order.order_by(|&a, &b| changes[a].compare(changes[b], events, selection).then_with(|| tie(a, b)));
        (ranking, order)
    }
}
