//! The inclusive costs of the functions of a run. Functions that are the same by the rule for names
//! are merged. Each of them can be part of another, so their costs do not add up.

use crate::{
    analysis::merged::Merged,
    profile::{FunctionId, NameId, Profile},
};
use foldhash::HashMap;

/// The inclusive cost of each function, where those with the same key are merged. The first of
/// several merged ones has their joint cost, and the others have 0. A single function without cost
/// has `None`. Then for how many of them only a lower bound is known.
pub(super) fn together(
    profile: &Profile,
    functions: &[(FunctionId, [NameId; 3])],
    count: impl Fn(&[i64]) -> i128,
) -> (Vec<Option<i128>>, usize) {
    if functions.is_empty() {
        return Default::default();
    }
    let mut first_of: HashMap<[NameId; 3], FunctionId> = HashMap::default();
    let mut firsts: Vec<FunctionId> = profile.function_ids().collect();
    for &(id, key) in functions {
        firsts[id.index()] = *first_of.entry(key).or_insert(id);
    }
    let Merged { ids, inclusive, .. } = Merged::new(profile, firsts.iter().copied());
    let is_first = |id: FunctionId| firsts[id.index()] == id;
    let cost = |&(id, _): &(FunctionId, [NameId; 3])| {
        if is_first(id) {
            Some(count(inclusive.cost(ids[id.index()]))).filter(|&cost| cost != 0)
        } else {
            Some(0)
        }
    };
    let is_vague = |&&(id, _): &&(FunctionId, [NameId; 3])| {
        is_first(id) && !inclusive.is_exact(ids[id.index()])
    };
    let vague = functions.iter().filter(is_vague).count();
    (functions.iter().map(cost).collect(), vague)
}
