//! The function list: functions by their cost until the thresholds are reached, with their callers and callees.

use super::function_rows::{FunctionRows, ListedArcs, Making};
use super::totals::{ListFrame, ProgramTotals, longest};
use crate::analysis::cut::{Rest, ranked};
use crate::analysis::difference::Cost;
use crate::analysis::selection::Selection;
use crate::analysis::{Folds, Session};
use crate::profile::FunctionId;

/// The function list.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// The functions, dearest first.
    pub rows: FunctionRows<'a>,
    /// What stands around them; columns have room for what any function costs, listed or not.
    pub frame: ListFrame<'a>,
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
    pub fn new(session: &'a Session, selection: &'a Selection, by: Cost, tree: ListedArcs) -> Self {
        let (mut listing, all) = Listing::without_rest(session, selection, by, tree);
        if !selection.narrow.is_nothing() {
            listing.sum_up_rest(session, by, &all);
        }
        listing
    }

    /// Lists functions by self cost, always with the rest summed up, so that rows add up to the totals.
    pub fn with_rest(session: &'a Session, selection: &'a Selection) -> Self {
        let (mut listing, all) =
            Listing::without_rest(session, selection, Cost::Own, ListedArcs::default());
        listing.sum_up_rest(session, Cost::Own, &all);
        listing
    }

    /// Lists functions by self or inclusive cost, those too that are known only as callees, with the rest summed up.
    pub fn of_all(session: &'a Session, selection: &'a Selection, by: Cost) -> Self {
        let ids: Vec<FunctionId> = session.profile().function_ids().collect();
        let mut listing = Listing::of(session, selection, by, ListedArcs::default(), &ids);
        listing.sum_up_rest(session, by, &ids);
        listing
    }

    /// The list, and all functions that could be in it.
    fn without_rest(
        session: &'a Session,
        selection: &'a Selection,
        by: Cost,
        tree: ListedArcs,
    ) -> (Self, Vec<FunctionId>) {
        let profile = session.profile();
        // A function that is known only as a callee has no self cost to list.
        let ids: Vec<FunctionId> = profile
            .function_ids()
            .filter(|&id| by == Cost::Inclusive || profile.function(id).recorded)
            .collect();
        (Listing::of(session, selection, by, tree, &ids), ids)
    }

    /// The list of some functions.
    fn of(
        session: &'a Session,
        selection: &'a Selection,
        by: Cost,
        tree: ListedArcs,
        ids: &[FunctionId],
    ) -> Self {
        let profile = session.profile();
        let inclusive = (by == Cost::Inclusive).then(|| session.inclusive());
        let make = Making::new(session, selection, inclusive, by, tree);
        let longest = longest(&profile.events, ids.iter().map(|&id| make.cost(id)));
        let mut listed = ranked(
            profile,
            selection,
            inclusive,
            ids.to_vec(),
            session.threads(),
        );
        // However small it is, what is not under own code is told from what is left out.
        let rest = session.folds().and_then(Folds::rest_row);
        listed.extend(rest.filter(|rest| !listed.contains(rest)));
        let rows = FunctionRows::of(make, listed);
        Listing {
            rows,
            frame: ListFrame::of_functions(ProgramTotals::new(profile), longest),
            tree,
        }
    }

    /// The functions of the rows.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.rows.ids()
    }

    fn sum_up_rest(&mut self, session: &Session, by: Cost, all: &[FunctionId]) {
        let profile = session.profile();
        let rows = all.len() - self.rows.len();
        let rest = match by {
            Cost::Inclusive => Rest::counted(rows),
            Cost::Own => {
                let mut listed = vec![false; profile.functions.len()];
                self.functions().for_each(|id| listed[id.index()] = true);
                let left_out = all
                    .iter()
                    .filter(|id| !listed[id.index()])
                    .map(|&id| profile.self_cost(id));
                Rest::beside(
                    profile,
                    self.functions().map(|id| profile.self_cost(id)),
                    rows,
                    left_out,
                )
            }
        };
        self.frame.end(&profile.events, rest);
    }
}
