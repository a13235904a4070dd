//! The function list: functions by cost until the thresholds are reached, with their callers and
//! callees.

use super::function_rows::Making;
use super::totals::longest;
use super::{FunctionRows, ListFrame, ListedArcs, ProgramTotals};
use crate::analysis::cut::ranked;
use crate::analysis::{Cost, Rest, Selection, Session};
use crate::profile::FunctionId;

/// The function list.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// The functions, most expensive first.
    pub rows: FunctionRows<'a>,
    /// The totals, the rest, and the widths. Columns have room for the cost of any function, listed
    /// or not.
    pub frame: ListFrame<'a>,
    /// Whether rows show arcs.
    pub tree: ListedArcs,
}

impl<'a> Listing<'a> {
    /// Lists functions by self or inclusive cost, with the arcs that `tree` selects.
    ///
    /// By self cost, functions are listed until their sum reaches the thresholds. Inclusive costs
    /// do not add up. There, a function is listed if it has at least what the thresholds leave of
    /// any sort event: 1 % of the total for 99 %.
    ///
    /// The rest is only summed up if there is a filter. The classic report has no row for what its
    /// threshold omits.
    pub fn new(session: &'a Session, selection: &'a Selection, by: Cost, tree: ListedArcs) -> Self {
        let (mut listing, all) = Listing::without_rest(session, selection, by, tree);
        if !selection.narrow.is_nothing() {
            listing.sum_up_rest(session, by, &all);
        }
        listing
    }

    /// Lists functions by self cost and always sums up the rest, so rows add up to the totals.
    pub fn with_rest(session: &'a Session, selection: &'a Selection) -> Self {
        let (mut listing, all) =
            Listing::without_rest(session, selection, Cost::Own, ListedArcs::default());
        listing.sum_up_rest(session, Cost::Own, &all);
        listing
    }

    /// Lists functions by self or inclusive cost and sums up the rest. It includes functions that
    /// only occur as callees.
    pub fn of_all(session: &'a Session, selection: &'a Selection, by: Cost) -> Self {
        let ids: Vec<FunctionId> = session.profile().function_ids().collect();
        let mut listing = Listing::from_ids(session, selection, by, ListedArcs::default(), &ids);
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
        // A function that only occurs as a callee has no self cost.
        let ids: Vec<FunctionId> = profile
            .function_ids()
            .filter(|&id| by == Cost::Inclusive || profile.function(id).recorded)
            .collect();
        (Listing::from_ids(session, selection, by, tree, &ids), ids)
    }

    /// The list of some functions.
    fn from_ids(
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
        let mut listed = ranked(profile, selection, inclusive, ids.to_vec(), session.threads);
        // The cost that is not attributed to your code always has a row, to keep it apart from
        // omitted functions.
        let rest = session.folds().and_then(|folds| folds.rest_row);
        listed.extend(rest.filter(|rest| !listed.contains(rest)));
        let rows = FunctionRows::from_ids(make, listed);
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
