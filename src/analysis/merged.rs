//! The inclusive costs of merged functions, as in a comparison of builds and in tables of many
//! runs.
//!
//! One of the functions can call another one through a third function. Once the two are merged,
//! that looks like a cycle, and every function in it would lose the cost of its calls. So the
//! cycles are those from before the merge, and a function that is not merged keeps its cost.
//!
//! The cost of a merged function is a lower bound. It is the largest of three values:
//!
//! * the cost of calls to it from outside of such a cycle, unless it was in a cycle before the
//!   merge: calls of a member cost as much as the whole cycle;
//! * its self cost plus the cost of its calls out of the cycle;
//! * the cost of each single function.
//!
//! It is exact if one of the functions contains the others, as after a compiler split it.

use super::{Inclusive, components::Components, inclusive::cycles};
use crate::profile::{
    FunctionId, Grouped, NEVER, Profile,
    costs::trimmed,
    extend_with,
    reshape::{Shape, members},
};
use std::{collections::HashMap, sync::Arc};

/// A profile with some functions merged.
pub(crate) struct Merged {
    /// The profile. A merged function has the names of its first one.
    pub profile: Profile,
    /// The new function of each old one.
    pub ids: Vec<FunctionId>,
    pub inclusive: Inclusive,
}

impl Merged {
    /// Merges functions. For every function in order, `firsts` yields the first of those that it is
    /// merged with.
    pub(crate) fn new(profile: &Profile, firsts: impl Iterator<Item = FunctionId>) -> Merged {
        let functions = firsts.map(|first| profile.function(first).names());
        let shape = Shape::renaming(profile, Arc::clone(&profile.names), functions.collect());
        let (one, ids) = profile.reshaped(&shape);
        let inclusive = of_merged(&one, profile, &ids, &shape.columns);
        Merged {
            profile: one,
            ids,
            inclusive,
        }
    }
}

/// The inclusive costs of `merged`. `ids` maps the functions of `before` to its functions, and
/// `columns` are the remaining events.
pub(super) fn of_merged(
    merged: &Profile,
    before: &Profile,
    ids: &[FunctionId],
    columns: &[usize],
) -> Inclusive {
    let mut all = Inclusive::new(merged);
    let is_as_before = merged.functions.len() == before.functions.len();
    // If only sums are stated, nobody knows which cost is part of which.
    let has_sums_alone = all.is_stated && merged.arcs.is_empty();
    if is_as_before || all.cycles.is_empty() && !has_sums_alone {
        return all;
    }
    let apart = Inclusive::new(before);
    let members = members(ids, merged.functions.len());
    let circles = Circles::new(&apart, ids, merged.functions.len());
    let is_several = |id: FunctionId| members[id.index()] > 1;
    // A cycle existed before if it was one cycle, and only its members became these.
    let changes = |all: &Inclusive, id: FunctionId| match all.cycle_of(id) {
        Some(cycle) => !circles.is_as_before(id, all.cycles[cycle].members.len()),
        None => has_sums_alone && is_several(id),
    };
    let mut known: HashMap<FunctionId, Vec<i64>> = HashMap::new();
    // A call of a member of a cycle costs as much as the cycle.
    let is_called_alone = |id: FunctionId| is_several(id) && circles.size(id) == 1;
    for arc in merged
        .arcs
        .iter()
        .filter(|arc| is_called_alone(arc.callee) && changes(&all, arc.callee))
    {
        if all.cycle_of(arc.caller) != all.cycle_of(arc.callee) {
            extend_with(known.entry(arc.callee).or_default(), merged.arc_cost(arc));
        }
    }
    for (old, &id) in before
        .function_ids()
        .zip(ids)
        .filter(|(_, id)| changes(&all, **id))
    {
        let cost = apart.cost(old);
        let cost = columns
            .iter()
            .map(|&column| cost.get(column).copied().unwrap_or(NEVER));
        let known = known.entry(id).or_default();
        known.resize(known.len().max(columns.len()), NEVER);
        known
            .iter_mut()
            .zip(cost)
            .for_each(|(known, cost)| *known = (*known).max(cost));
    }
    for (id, mut cost) in known {
        if is_several(id) {
            all.vague.insert(id);
            cost.iter_mut()
                .zip(all.cost(id))
                .for_each(|(known, &cost)| *known = (*known).max(cost));
        }
        all.costs.set(id.0, trimmed(&cost));
    }
    if !all.vague.is_empty() {
        all.circle_of = std::mem::take(&mut all.cycle_of);
    }
    let over;
    (all.cycles, all.cycle_of, over) = cycles(merged, &all.costs, &circles.of, &circles.sizes);
    all.note(over);
    all
}

/// The cycles after the merge, from the cycles before. Two cycles are one if members of both were
/// merged into one function.
struct Circles {
    /// For each function, its cycle. A function outside of cycles has one of its own.
    of: Vec<u32>,
    sizes: Vec<u32>,
    /// Which of them consist of more than one old cycle, or have members that were outside of
    /// cycles.
    mixed: Vec<bool>,
}

impl Circles {
    fn new(apart: &Inclusive, ids: &[FunctionId], functions: usize) -> Circles {
        // Functions and the old cycles that they come from are the nodes of a graph.
        let all = functions + apart.cycles.len();
        let old = (0..).map(FunctionId).zip(ids);
        let edges =
            old.filter_map(|(old, id)| Some((id.index(), functions + apart.cycle_of(old)?)));
        let edges = Grouped::new(all, edges.flat_map(|(a, b)| [(a, b), (b, a)]));
        let Components { mut of, count } = Components::from_edges(all, &edges, |_| true);
        of.truncate(functions);
        let mut sizes = vec![0; count];
        of.iter().for_each(|&circle| sizes[circle as usize] += 1);
        let (mut cycles, mut mixed) = (vec![None; sizes.len()], vec![false; sizes.len()]);
        for (old, id) in (0..).map(FunctionId).zip(ids) {
            let circle = of[id.index()] as usize;
            mixed[circle] |=
                *cycles[circle].get_or_insert(apart.cycle_of(old)) != apart.cycle_of(old);
        }
        Circles { of, sizes, mixed }
    }

    /// Whether the cycle of this function, with `members` members, is exactly one of the old
    /// cycles.
    fn is_as_before(&self, id: FunctionId, members: usize) -> bool {
        self.size(id) as usize == members && !self.mixed[self.of[id.index()] as usize]
    }

    /// The number of functions in the cycle of this function, with itself.
    fn size(&self, id: FunctionId) -> u32 {
        self.sizes[self.of[id.index()] as usize]
    }
}
