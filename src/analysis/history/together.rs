//! What functions of a run cost with all that they called. Those that are the same by the rule for names are one, each of
//! which can be part of another, so that their costs do not add up.

use crate::analysis::Inclusive;
use crate::analysis::merged::Merged;
use crate::profile::{FunctionId, NameId, Profile};
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// Inclusive costs of functions of which several can be one.
pub(super) struct Together {
    /// For each function. Of several the first has what they cost together, and the others 0; what costs nothing by itself
    /// has no cost.
    pub(super) costs: Vec<Option<i128>>,
    /// Of how many it is only known what that is at least.
    pub(super) vague: usize,
}

impl Together {
    /// Of some functions of a profile, of which those with one key are one.
    pub(super) fn new(
        profile: &Profile,
        functions: &[(FunctionId, [NameId; 3])],
        count: impl Fn(&[i64]) -> i128,
    ) -> Together {
        if functions.is_empty() {
            return Together {
                costs: Vec::new(),
                vague: 0,
            };
        }
        let mut first_of: HashMap<[NameId; 3], FunctionId, RandomState> = HashMap::default();
        let mut firsts: Vec<FunctionId> = profile.function_ids().collect();
        for &(id, key) in functions {
            firsts[id.index()] = *first_of.entry(key).or_insert(id);
        }
        if first_of.len() == functions.len() {
            let inclusive = Inclusive::new(profile);
            let cost = |&(id, _): &(FunctionId, [NameId; 3])| {
                Some(count(inclusive.cost(id))).filter(|&cost| cost != 0)
            };
            return Together {
                costs: functions.iter().map(cost).collect(),
                vague: 0,
            };
        }
        let Merged { ids, inclusive, .. } = Merged::new(profile, firsts.iter().copied());
        let is_first = |id: FunctionId| firsts[id.index()] == id;
        let cost = |&(id, _): &(FunctionId, [NameId; 3])| match is_first(id) {
            true => Some(count(inclusive.cost(ids[id.index()]))).filter(|&cost| cost != 0),
            false => Some(0),
        };
        let is_vague = |&&(id, _): &&(FunctionId, [NameId; 3])| {
            is_first(id) && !inclusive.is_exact(ids[id.index()])
        };
        Together {
            costs: functions.iter().map(cost).collect(),
            vague: functions.iter().filter(is_vague).count(),
        }
    }
}
