//! The function list: functions by cost until the thresholds are reached, with their callers and
//! callees.

use super::{
    FunctionRows, ListFrame, ListedArcs, ProgramTotals, function_rows::Making, totals::longest,
};
use crate::{
    analysis::{Cost, Rest, Selection, Session, cut::ranked},
    profile::{FunctionId, Profile},
};

/// The function list.
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
        let is_summed = !selection.narrow.is_nothing();
        // A function that only occurs as a callee has no self cost.
        let is_listed = |id| by == Cost::Inclusive || session.profile().function(id).recorded;
        Listing::build(session, selection, (by, tree), is_listed, is_summed)
    }

    /// Lists functions by self cost and always sums up the rest, so rows add up to the totals.
    pub fn with_rest(session: &'a Session, selection: &'a Selection) -> Self {
        let is_listed = |id| session.profile().function(id).recorded;
        let by = (Cost::Own, ListedArcs::default());
        Listing::build(session, selection, by, is_listed, true)
    }

    /// Lists functions by self or inclusive cost and sums up the rest. It includes functions that
    /// only occur as callees.
    pub fn of_all(session: &'a Session, selection: &'a Selection, by: Cost) -> Self {
        let by = (by, ListedArcs::default());
        Listing::build(session, selection, by, |_| true, true)
    }

    fn build(
        session: &'a Session,
        selection: &'a Selection,
        (by, tree): (Cost, ListedArcs),
        is_listed: impl Fn(FunctionId) -> bool,
        is_summed: bool,
    ) -> Self {
        let profile = session.profile();
        let all = profile.function_ids().filter(|&id| is_listed(id));
        let all: Vec<FunctionId> = all.collect();
        let inclusive = (by == Cost::Inclusive).then(|| session.inclusive());
        let make = Making {
            session,
            selection,
            inclusive,
            tree,
        };
        let longest = longest(&profile.events, all.iter().map(|&id| make.cost(id)));
        let mut listed = ranked(profile, selection, inclusive, all.clone(), session.threads);
        // The cost that is not attributed to your code always has a row, to keep it apart from
        // omitted functions.
        let rest = session.folds().and_then(|folds| folds.rest_row);
        listed.extend(rest.filter(|rest| !listed.contains(rest)));
        let mut frame = ListFrame::of_functions(ProgramTotals::new(profile), longest);
        if is_summed {
            frame.end(&profile.events, rest_of(profile, by, &listed, &all));
        }
        Listing {
            rows: FunctionRows::from_ids(make, listed),
            frame,
            tree,
        }
    }

    /// The functions of the rows.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        self.rows.ids()
    }
}

/// The functions that are not listed.
fn rest_of(profile: &Profile, by: Cost, listed: &[FunctionId], all: &[FunctionId]) -> Rest {
    let rows = all.len() - listed.len();
    if by == Cost::Inclusive {
        return Rest::counted(rows);
    }
    let mut is_listed = vec![false; profile.functions.len()];
    listed.iter().for_each(|id| is_listed[id.index()] = true);
    let left_out = all.iter().filter(|id| !is_listed[id.index()]);
    let cost = |&id: &FunctionId| profile.self_cost(id);
    Rest::beside(profile, listed.iter().map(cost), rows, left_out.map(cost))
}
