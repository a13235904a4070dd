//! The function list: functions by their cost until the thresholds are reached, with their callers and callees.

use super::totals::{ProgramTotals, longest};
use crate::analysis::cut::{Rest, ranked};
use crate::analysis::difference::Cost;
use crate::analysis::inclusive::cap;
use crate::analysis::label::Label;
use crate::analysis::order::Order;
use crate::analysis::own_profile::Reach;
use crate::analysis::selection::Selection;
use crate::analysis::{Estimate, Folds, Session};
use crate::profile::{CallEdge, Counts, FunctionId};
use std::borrow::Cow;
use std::collections::HashSet;

/// Which arcs are listed with every function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListedArcs {
    /// Its callers.
    pub callers: bool,
    /// Its callees.
    pub callees: bool,
}

/// One caller or callee.
#[derive(Clone, Debug)]
pub struct ArcRow<'a> {
    /// Its label.
    pub label: Label<'a>,
    /// How often it was called.
    pub count: u64,
    /// Inclusive cost of the calls; of recursive ones, no more than their callee or its cycle has.
    pub(crate) cost: Cow<'a, [i64]>,
}

impl ArcRow<'_> {
    /// Inclusive cost of the calls; of recursive ones, no more than their callee or its cycle has.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }
}

/// One function.
#[derive(Clone, Debug)]
pub struct FunctionRow<'a> {
    /// Its id, if the row is of a function of a profile.
    pub(crate) id: Option<FunctionId>,
    /// Its label.
    pub label: Label<'a>,
    /// Self or inclusive cost.
    pub(crate) cost: &'a [i64],
    /// Whether it is called, inlined or both, as far as that was asked for.
    pub reach: Reach,
    /// Of the first sort event, what is known of an own cost that is an estimate.
    pub estimated: Option<Box<Estimate>>,
    /// Its callers, dearest first.
    pub callers: Vec<ArcRow<'a>>,
    /// Its callees, dearest first.
    pub callees: Vec<ArcRow<'a>>,
}

impl FunctionRow<'_> {
    /// Self or inclusive cost.
    pub fn counts(&self) -> Counts<'_> {
        Counts(self.cost)
    }
}

/// The function list.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// What 100 % is.
    pub totals: ProgramTotals<'a>,
    /// The functions, dearest first.
    pub rows: Vec<FunctionRow<'a>>,
    /// What the list does not show, where that is summed up.
    pub rest: Option<Rest>,
    /// For every event, recorded ones first, the length of the longest count any function has, listed or not.
    pub longest: Vec<usize>,
    /// Whether rows show arcs.
    pub tree: ListedArcs,
}

impl<'a> Listing<'a> {
    /// Lists functions by self cost, or by inclusive cost if that is given. Arcs are given if the tree shows any.
    ///
    /// By self cost, functions are listed until their sum reaches the thresholds. Inclusive costs do not add up: there,
    /// functions are listed that have at least what the thresholds leave (1 % of the total for 99 %) of any sort event.
    ///
    /// The rest is summed up only if a filter is given: the classic report has no row for what its threshold leaves
    /// out.
    pub fn new(session: &'a Session, selection: &Selection, by: Cost, tree: ListedArcs) -> Self {
        let (mut listing, all) = Listing::without_rest(session, selection, by, tree);
        if !selection.narrow.is_nothing() {
            listing.sum_up_rest(session, by, &all);
        }
        listing
    }

    /// Lists functions by self cost, always with the rest summed up, so that rows add up to the totals.
    pub fn with_rest(session: &'a Session, selection: &Selection) -> Self {
        let (mut listing, all) = Listing::without_rest(session, selection, Cost::Own, ListedArcs::default());
        listing.sum_up_rest(session, Cost::Own, &all);
        listing
    }

    /// Lists functions by self or inclusive cost, those too that are known only as callees, with the rest summed up.
    pub fn of_all(session: &'a Session, selection: &Selection, by: Cost) -> Self {
        let ids: Vec<FunctionId> = session.profile().function_ids().collect();
        let mut listing = Listing::of(session, selection, by, ListedArcs::default(), &ids);
        listing.sum_up_rest(session, by, &ids);
        listing
    }

    /// The list, and all functions that could be in it.
    fn without_rest(
        session: &'a Session,
        selection: &Selection,
        by: Cost,
        tree: ListedArcs,
    ) -> (Self, Vec<FunctionId>) {
        let profile = session.profile();
        // A function that is known only as a callee has no self cost to list.
        let ids: Vec<FunctionId> =
            profile.function_ids().filter(|&id| by == Cost::Inclusive || profile.function(id).recorded).collect();
        (Listing::of(session, selection, by, tree, &ids), ids)
    }

    /// The list of some functions.
    fn of(session: &'a Session, selection: &Selection, by: Cost, tree: ListedArcs, ids: &[FunctionId]) -> Self {
        let profile = session.profile();
        let inclusive = match by {
            Cost::Own => None,
            Cost::Inclusive => Some(session.inclusive()),
        };
        let events = &profile.events;
        let cost = |id: FunctionId| match inclusive {
            Some(inclusive) => inclusive.cost(id),
            None => profile.self_cost(id),
        };
        let longest = longest(events, ids.iter().map(|&id| cost(id)));

        let has_arcs = tree.callers || tree.callees;
        let recursion = inclusive.or_else(|| has_arcs.then(|| session.inclusive()));
        let mut listed = ranked(profile, selection, inclusive, ids.to_vec());
        // However small it is, what is not under own code is told from what is left out.
        let rest = session.folds().and_then(Folds::rest_row);
        listed.extend(rest.filter(|rest| !listed.contains(rest)));
        let mut rows = Vec::with_capacity(listed.len());
        for &id in &listed {
            let labelled = |id| {
                let mut label = Label::of(profile, id);
                label.cycle = inclusive.and_then(|i| i.cycle_of(id)).map(|c| c + 1);
                label
            };
            let calls = |arcs: &mut dyn Iterator<Item = (FunctionId, &'a CallEdge)>| {
                let mut calls: Vec<ArcRow> = arcs
                    .map(|(id, arc)| {
                        let mut cost = Cow::Borrowed(profile.arc_cost(arc));
                        if let Some(most) = recursion.and_then(|r| r.most_of_recursion(arc)) {
                            cap(&mut cost, most);
                        }
                        ArcRow { label: labelled(id), count: arc.count, cost }
                    })
                    .collect();
                calls.order_by(|a, b| {
                    selection.compare(events, &a.cost, &b.cost).then_with(|| a.label.compare(&b.label))
                });
                calls
            };
            rows.push(FunctionRow {
                id: Some(id),
                label: labelled(id),
                cost: cost(id),
                reach: session.folds().map_or(Reach::Called, |folds| folds.reach(id)),
                estimated: session
                    .folds()
                    .filter(|_| by == Cost::Own)
                    .and_then(|folds| folds.estimated(profile, id, *selection.sort.first()?))
                    .map(Box::new),
                callers: if tree.callers {
                    calls(&mut profile.arcs_to(id).map(|arc| (arc.caller, arc)))
                } else {
                    Vec::new()
                },
                callees: if tree.callees {
                    calls(&mut profile.arcs_of(id).iter().map(|arc| (arc.callee, arc)))
                } else {
                    Vec::new()
                },
            });
        }
        Listing { totals: ProgramTotals::new(profile), rows, rest: None, longest, tree }
    }

    /// The functions of the rows.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.rows.iter().filter_map(|row| row.id)
    }

    fn sum_up_rest(&mut self, session: &Session, by: Cost, all: &[FunctionId]) {
        let profile = session.profile();
        let rows = all.len() - self.rows.len();
        let rest = match by {
            Cost::Inclusive => Rest::counted(rows),
            Cost::Own => {
                let listed: HashSet<FunctionId> = self.functions().collect();
                let left_out = all.iter().filter(|id| !listed.contains(id)).map(|&id| profile.self_cost(id));
                Rest::beside(profile, self.rows.iter().map(|row| row.cost), rows, left_out)
            }
        };
        let wider = longest(&profile.events, rest.costs());
        self.longest.iter_mut().zip(wider).for_each(|(have, more)| *have = (*have).max(more));
        self.rest = Some(rest).filter(|rest| !rest.is_nothing());
    }
}
