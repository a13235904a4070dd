//! The function list: functions by their cost until the thresholds are reached, with their callers and callees.

use super::inclusive::{Inclusive, hold};
use super::narrow::{Rest, beyond};
use super::ranking::Ranking;
use super::selection::{Progress, Selection, all};
use crate::profile::costs::extend_with;
use crate::profile::{Arc, Event, FunctionId, Profile};
use std::borrow::Cow;
use std::cmp::Ordering;

/// Which arcs are listed with every function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tree {
    /// Its callers.
    pub callers: bool,
    /// Its callees.
    pub callees: bool,
}

/// What a report calls a function: `file:name [object]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The function.
    pub name: &'a [u8],
    /// The object; `None` prints no brackets.
    pub object: Option<&'a [u8]>,
    /// The number of its cycle, from 1, where that matters.
    pub cycle: Option<usize>,
}

impl<'a> Label<'a> {
    /// The label of a function.
    pub fn of(profile: &'a Profile, id: FunctionId) -> Label<'a> {
        let f = profile.function(id);
        let object = Some(profile.name(f.object)).filter(|o| !o.is_empty());
        Label { file: profile.name(f.file), name: profile.name(f.name), object, cycle: None }
    }

    /// The order of `file:name` as one string, then of objects.
    pub fn compare(&self, other: &Label<'_>) -> Ordering {
        // Whole slices are compared as long as they decide: that is what the processor does best.
        let names = if self.file == other.file {
            self.name.cmp(other.name)
        } else if self.file.starts_with(other.file) || other.file.starts_with(self.file) {
            self.bytes().cmp(other.bytes())
        } else {
            self.file.cmp(other.file)
        };
        names.then_with(|| self.object.cmp(&other.object))
    }

    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.file.iter().chain(b":").chain(self.name).copied()
    }
}

/// One caller or callee.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// Who.
    pub label: Label<'a>,
    /// How often.
    pub count: u64,
    /// Inclusive cost of the calls; of recursive ones, no more than their callee or its cycle has.
    pub cost: Cow<'a, [i64]>,
}

/// One function.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// Who.
    pub label: Label<'a>,
    /// Self or inclusive cost.
    pub cost: &'a [i64],
    /// Its callers, dearest first.
    pub callers: Vec<Call<'a>>,
    /// Its callees, dearest first.
    pub callees: Vec<Call<'a>>,
}

/// The function list.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// What 100 % is.
    pub totals: &'a [i64],
    /// Whether that was added up from cost lines.
    pub calculated: bool,
    /// The functions, dearest first.
    pub rows: Vec<Row<'a>>,
    /// What the list was narrowed by, if it was.
    pub rest: Option<Rest>,
    /// For every event, recorded ones first, the length of the longest count any function has, listed or not.
    pub longest: Vec<usize>,
    /// Whether rows show arcs.
    pub tree: Tree,
}

impl<'a> Listing<'a> {
    /// Lists functions by self cost, or by inclusive cost if that is given. Arcs are given if the tree shows any.
    ///
    /// By self cost, functions are listed until their sum reaches the thresholds. Inclusive costs do not add up: there,
    /// functions are listed that have at least what the thresholds leave (1 % of the total for 99 %) of any sort event.
    pub fn new(profile: &'a Profile, selection: &Selection, inclusive: Option<&'a Inclusive>, tree: Tree) -> Self {
        let events = &profile.events;
        let cost = |id: FunctionId| match inclusive {
            Some(inclusive) => inclusive.cost(id),
            None => profile.self_cost(id),
        };
        // A function that is known only as a callee has no self cost to list.
        let ids: Vec<FunctionId> =
            profile.function_ids().filter(|&id| inclusive.is_some() || profile.function(id).recorded).collect();
        let all = ids.len();
        let mut longest = longest(events, ids.iter().map(|&id| cost(id)));

        let arcs = Arcs::new(profile, tree);
        let has_arcs = tree.callers || tree.callees;
        let computed = (has_arcs && inclusive.is_none()).then(|| Inclusive::new(profile));
        let recursion = inclusive.or(computed.as_ref());
        let totals = &profile.totals.row;
        let mut rows = Vec::new();
        for id in ranked(profile, selection, inclusive, ids) {
            let labelled = |id| {
                let mut label = Label::of(profile, id);
                label.cycle = inclusive.and_then(|i| i.cycle_of(id)).map(|c| c + 1);
                label
            };
            let calls = |arcs: Vec<(FunctionId, &'a Arc)>| {
                let mut calls: Vec<Call> = arcs
                    .into_iter()
                    .map(|(id, arc)| {
                        let mut cost = Cow::Borrowed(profile.arc_cost(arc));
                        if let Some(most) = recursion.and_then(|r| r.most_of_recursion(arc)) {
                            hold(&mut cost, most);
                        }
                        Call { label: labelled(id), count: arc.count, cost }
                    })
                    .collect();
                calls.sort_by(|a, b| {
                    selection.compare(events, &a.cost, &b.cost).then_with(|| a.label.compare(&b.label))
                });
                calls
            };
            rows.push(Row {
                label: labelled(id),
                cost: cost(id),
                callers: calls(if tree.callers { arcs.to(id) } else { Vec::new() }),
                callees: calls(if tree.callees { arcs.of(id) } else { Vec::new() }),
            });
        }
        let calculated = profile.totals.source == crate::profile::TotalsSource::Computed;
        let rest = (!selection.narrow.is_nothing() && rows.len() < all).then(|| {
            let mut shown = Vec::new();
            rows.iter().for_each(|row| {
                extend_with(&mut shown, row.cost);
            });
            let cost = if inclusive.is_none() { beyond(events, totals, &shown) } else { Vec::new() };
            Rest { rows: all - rows.len(), cost }
        });
        if let Some(rest) = &rest {
            let wider = self::longest(events, [&rest.cost[..]].into_iter());
            longest.iter_mut().zip(wider).for_each(|(have, more)| *have = (*have).max(more));
        }
        Listing { totals, calculated, rows, rest, longest, tree }
    }
}

/// Functions in report order, as far as the thresholds let them through: by inclusive cost if that is given, else by
/// self cost; ties by file, name and object.
pub(crate) fn ranked(
    profile: &Profile,
    selection: &Selection,
    inclusive: Option<&Inclusive>,
    ids: Vec<FunctionId>,
) -> Vec<FunctionId> {
    let events = &profile.events;
    let cost = |id: FunctionId| match inclusive {
        Some(inclusive) => inclusive.cost(id),
        None => profile.self_cost(id),
    };
    let is_listed = |id| selection.everything || has_a_share(selection, profile, cost(id));
    let ids = ids.into_iter().filter(|&id| inclusive.is_none() || is_listed(id));
    let ranking = Ranking::new(ids.map(|id| (selection.key(events, cost(id)), id)).collect(), |&a, &b| {
        selection
            .compare(events, cost(a), cost(b))
            .then_with(|| Label::of(profile, a).compare(&Label::of(profile, b)))
            .then_with(|| profile.sort_key(a).cmp(&profile.sort_key(b)))
    });
    let narrow = &selection.narrow;
    let wanted = |&id: &FunctionId| {
        narrow.takes(profile, id, profile.function(id).file) && narrow.is_enough(selection, profile, cost(id))
    };
    let room = narrow.room(usize::MAX);
    if inclusive.is_some() {
        return ranking.filter(wanted).take(room).collect();
    }
    let mut progress = Progress::new(selection, events, &profile.totals.row);
    let reached = ranking.take_while(|&id| {
        let more = !progress.is_done();
        progress.add(cost(id));
        more
    });
    reached.filter(wanted).take(room).collect()
}

/// Whether a row has at least the share of a sort event that its threshold leaves.
fn has_a_share(selection: &Selection, profile: &Profile, row: &[i64]) -> bool {
    let events = &profile.events;
    selection.sort.iter().zip(&selection.thresholds).any(|(&event, threshold)| {
        let total = events.count(&profile.totals.row, event).unwrap_or(0) as f64;
        let count = events.count(row, event).unwrap_or(0) as f64;
        threshold.percent > 0.0 && count > 0.0 && count * 100.0 >= total * (100.0 - threshold.percent)
    })
}

/// The length of the longest count of every event, recorded ones first.
pub(crate) fn longest<'a>(events: &crate::profile::Events, rows: impl Iterator<Item = &'a [i64]>) -> Vec<usize> {
    let all: Vec<Event> = all(events).collect();
    let recorded = events.recorded().len();
    // Of recorded events only the extremes are looked at as text.
    let mut extremes = vec![(0i64, 0i64); recorded];
    let mut longest = vec![0; all.len()];
    for row in rows {
        for ((least, most), &count) in extremes.iter_mut().zip(row) {
            if count != crate::profile::costs::NEVER {
                (*least, *most) = ((*least).min(count), (*most).max(count));
            }
        }
        for (at, &event) in all.iter().enumerate().skip(recorded) {
            if let Some(count) = events.count(row, event) {
                longest[at] = longest[at].max(count.to_string().len());
            }
        }
        // A zero is one digit, nothing at all is none.
        for (length, &count) in longest.iter_mut().zip(row) {
            if count != crate::profile::costs::NEVER {
                *length = (*length).max(1);
            }
        }
    }
    for (length, (least, most)) in longest.iter_mut().zip(extremes) {
        if *length > 0 {
            *length = least.to_string().len().max(most.to_string().len());
        }
    }
    longest
}

/// Arcs by caller and by callee.
struct Arcs<'a> {
    profile: &'a Profile,
    by_callee: Vec<u32>,
}

impl<'a> Arcs<'a> {
    fn new(profile: &'a Profile, tree: Tree) -> Self {
        let mut by_callee: Vec<u32> = if tree.callers { (0..profile.arcs.len() as u32).collect() } else { Vec::new() };
        by_callee.sort_by_key(|&at| profile.arcs[at as usize].callee);
        Arcs { profile, by_callee }
    }

    fn of(&self, caller: FunctionId) -> Vec<(FunctionId, &'a Arc)> {
        let arcs = &self.profile.arcs;
        let start = arcs.partition_point(|a| a.caller < caller);
        arcs[start..].iter().take_while(|a| a.caller == caller).map(|a| (a.callee, a)).collect()
    }

    fn to(&self, callee: FunctionId) -> Vec<(FunctionId, &'a Arc)> {
        let arc = |at: &u32| &self.profile.arcs[*at as usize];
        let start = self.by_callee.partition_point(|at| arc(at).callee < callee);
        self.by_callee[start..].iter().map(arc).take_while(|a| a.callee == callee).map(|a| (a.caller, a)).collect()
    }
}
