//! Finds the function that a typed name or pattern means. A whole name wins: `main` does not mean
//! `(below main)`. `--zoom` uses it.

use super::{Inclusive, Narrow, Selection};
use crate::profile::{FunctionId, NameId, Order, Profile, is_free};
use regex::bytes::Regex;
use std::cmp::Reverse;

/// The function that was meant, and the other candidates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meant {
    /// The function.
    pub id: FunctionId,
    /// Why this function was chosen.
    pub because: Preference,
    /// The other candidates, most likely first.
    pub others: Vec<FunctionId>,
}

/// Why one of several functions was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    /// Only it has the whole name that was typed.
    Name,
    /// Of the functions with that name, only it has a file and self cost.
    Code,
    /// It is the most expensive.
    Cost,
}

/// The function that `typed`, or the pattern made from it, means, among those that the selection's
/// filters accept. `None` if there is none.
pub fn meant(
    profile: &Profile,
    selection: &Selection,
    inclusive: &Inclusive,
    (typed, pattern): (&[u8], &Regex),
) -> Option<Meant> {
    // The text may be a name that means something else as a pattern: `operator*`.
    let is_typed = |id: &FunctionId| profile.names.is(profile.function(*id).name, typed);
    let left = matching(profile, selection, inclusive, &selection.narrow);
    let (mut same, mut others): (Vec<FunctionId>, Vec<FunctionId>) =
        left.into_iter().partition(is_typed);
    same.order_by_key(|&id| Reverse(code(profile, id)));
    others.retain(|&id| pattern.is_match(&profile.function_name(id).text()));
    let because = match &same[..] {
        [_] => Preference::Name,
        [first, second, ..] if code(profile, *first) > code(profile, *second) => Preference::Code,
        _ => Preference::Cost,
    };
    let mut all = same.into_iter().chain(others);
    Some(Meant {
        id: all.next()?,
        because,
        others: all.collect(),
    })
}

/// How much a report can show of a function: a file, self cost, or both.
fn code(profile: &Profile, id: FunctionId) -> u8 {
    let has_file = profile.function(id).file != NameId::UNKNOWN;
    let has_code = !is_free(profile.self_cost(id));
    u8::from(has_file) + u8::from(has_code)
}

/// The wanted functions by inclusive cost, most expensive first.
pub fn matching(
    profile: &Profile,
    selection: &Selection,
    inclusive: &Inclusive,
    narrow: &Narrow,
) -> Vec<FunctionId> {
    let wanted = |id: &FunctionId| narrow.takes(profile, *id, profile.function(*id).file);
    let mut ids: Vec<FunctionId> = profile.function_ids().filter(wanted).collect();
    by_inclusive_cost(profile, selection, inclusive, &mut ids);
    ids
}

/// Orders functions by inclusive cost, most expensive first.
pub(crate) fn by_inclusive_cost(
    profile: &Profile,
    selection: &Selection,
    inclusive: &Inclusive,
    ids: &mut [FunctionId],
) {
    ids.order_by(|&a, &b| {
        selection
            .compare(&profile.events, inclusive.cost(a), inclusive.cost(b))
            .then_with(|| profile.sort_key(a).cmp(&profile.sort_key(b)))
    });
}
