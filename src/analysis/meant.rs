//! Finds the function that a typed name or pattern means. A whole name wins: `main` does not mean `(below main)`. Used
//! by `--zoom`.

use super::inclusive::Inclusive;
use super::narrow::Narrow;
use super::selection::Selection;
use crate::profile::costs::is_free;
use crate::profile::{FunctionId, NameId, Order, Profile};
use regex::bytes::Regex;
use std::cmp::Reverse;

/// The function that is meant, and the other candidates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meant {
    /// The function.
    pub id: FunctionId,
    /// Why it is this one.
    pub because: Preference,
    /// The others, most likely first.
    pub others: Vec<FunctionId>,
}

/// Why one of several functions was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    /// Only it has the whole name that was typed.
    Name,
    /// Of the functions with that name, only it has a file and code of its own.
    Code,
    /// It is the dearest.
    Cost,
}

/// The function that is meant by `typed` and the pattern it makes, among those that the selection's filters leave; `None`
/// if there is none.
pub fn meant(
    profile: &Profile,
    selection: &Selection,
    inclusive: &Inclusive,
    (typed, pattern): (&[u8], &Regex),
) -> Option<Meant> {
    // What is typed may be a name that means something else as a pattern, `operator*`.
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

/// How much can be shown of a function: its file, code of its own, or both.
fn code(profile: &Profile, id: FunctionId) -> u8 {
    let has_file = profile.function(id).file != NameId::UNKNOWN;
    let has_code = !is_free(profile.self_cost(id));
    u8::from(has_file) + u8::from(has_code)
}

/// The functions that are wanted, by inclusive cost, dearest first.
pub fn matching(
    profile: &Profile,
    selection: &Selection,
    inclusive: &Inclusive,
    narrow: &Narrow,
) -> Vec<FunctionId> {
    let wanted = |id: &FunctionId| narrow.takes(profile, *id, profile.function(*id).file);
    let mut ids: Vec<FunctionId> = profile.function_ids().filter(wanted).collect();
    ids.order_by(|&a, &b| {
        selection
            .compare(&profile.events, inclusive.cost(a), inclusive.cost(b))
            .then_with(|| profile.sort_key(a).cmp(&profile.sort_key(b)))
    });
    ids
}
