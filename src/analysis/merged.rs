//! Inclusive costs of functions that became one, as they do in a comparison of builds and in tables of many runs.
//!
//! By way of another function one of them can call another. Where they are one, that looks like a cycle, and all that is
//! in it would lose the cost of its calls. So cycles are those that there were before, and what stays alone costs what it
//! did. Several that became one cost at least what is known to be no part of itself: the calls of them from outside of
//! that circle, their self cost with their calls out of it, and what any of them cost alone. (Calls of a member of a cycle
//! cost what the cycle does, and say nothing of it.) Where one contains the others, as a function does that a compiler
//! split, that is exact.

use super::inclusive::{Inclusive, cycles};
use crate::profile::costs::{NEVER, extend_with, trimmed};
use crate::profile::reshape::Shape;
use crate::profile::{FunctionId, NameId, Profile};
use std::collections::HashMap;
use std::sync::Arc;

/// A profile in which some functions are one.
pub(crate) struct Merged {
    /// Its functions bear the names of the first of those that they were.
    pub(crate) profile: Profile,
    /// Which of them each function has become.
    pub(crate) ids: Vec<FunctionId>,
    pub(crate) inclusive: Inclusive,
}

impl Merged {
    /// Makes each function one with the first of those that it belongs to, which `firsts` gives in the order of functions.
    pub(crate) fn new(profile: &Profile, firsts: impl Iterator<Item = FunctionId>) -> Merged {
        let functions = firsts
            .map(|first| profile.function(first))
            .map(|f| [f.object, f.file, f.name]);
        let shape = Shape {
            functions: functions.collect(),
            files: (0..profile.names.len() as u32).map(NameId).collect(),
            names: Arc::clone(&profile.names),
            events: profile.events.clone(),
            columns: (0..profile.events.recorded().len()).collect(),
        };
        let (one, ids) = profile.reshaped(&shape);
        let inclusive = of_merged(&one, profile, &ids, &shape.columns);
        Merged {
            profile: one,
            ids,
            inclusive,
        }
    }
}

/// The inclusive costs of `merged`, whose functions those of `before` have become by `ids`; of its events, these columns
/// are left.
pub(super) fn of_merged(
    merged: &Profile,
    before: &Profile,
    ids: &[FunctionId],
    columns: &[usize],
) -> Inclusive {
    let mut all = Inclusive::new(merged);
    let is_as_before = merged.functions.len() == before.functions.len();
    // Where only sums are stated, nobody knows what is part of what.
    let has_sums_alone = all.is_stated && merged.arcs.is_empty();
    if is_as_before || all.cycles.is_empty() && !has_sums_alone {
        return all;
    }
    let apart = Inclusive::new(before);
    let mut members = vec![0u32; merged.functions.len()];
    ids.iter().for_each(|id| members[id.index()] += 1);
    let circles = Circles::new(&apart, ids, merged.functions.len());
    let is_several = |id: FunctionId| members[id.index()] > 1;
    // A cycle was there before if it was one, and nothing but it became its members.
    let changes = |all: &Inclusive, id: FunctionId| match all.cycle_of(id) {
        Some(cycle) => !circles.is_as_before(id, all.cycles[cycle].members.len()),
        None => has_sums_alone && is_several(id),
    };
    let mut known: HashMap<FunctionId, Vec<i64>> = HashMap::new();
    // A call of a member of a cycle costs what the cycle does.
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

/// Functions that call each other in a circle, by cycles that there were before. Cycles of which a member became one with a
/// member of the other are one.
struct Circles {
    /// For each function, its circle; a function in no cycle has one of its own.
    of: Vec<u32>,
    sizes: Vec<u32>,
    /// Which of them are more than one cycle, or have members that stood for a function in none.
    mixed: Vec<bool>,
}

impl Circles {
    fn new(apart: &Inclusive, ids: &[FunctionId], functions: usize) -> Circles {
        let mut joined: Vec<usize> = (0..apart.cycles.len()).collect();
        let mut cycle_of: Vec<Option<usize>> = vec![None; functions];
        for (old, id) in (0..).map(FunctionId).zip(ids) {
            let Some(cycle) = apart.cycle_of(old) else {
                continue;
            };
            let known = *cycle_of[id.index()].get_or_insert(cycle);
            let (a, b) = (root(&mut joined, known), root(&mut joined, cycle));
            joined[a.max(b)] = a.min(b);
        }
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        let (mut of, mut sizes) = (Vec::with_capacity(functions), Vec::new());
        for cycle in cycle_of {
            let next = sizes.len() as u32;
            let circle = match cycle {
                Some(cycle) => *numbers.entry(root(&mut joined, cycle)).or_insert(next),
                None => next,
            };
            if circle == next {
                sizes.push(0);
            }
            sizes[circle as usize] += 1;
            of.push(circle);
        }
        let (mut cycles, mut mixed) = (vec![None; sizes.len()], vec![false; sizes.len()]);
        for (old, id) in (0..).map(FunctionId).zip(ids) {
            let circle = of[id.index()] as usize;
            mixed[circle] |=
                *cycles[circle].get_or_insert(apart.cycle_of(old)) != apart.cycle_of(old);
        }
        Circles { of, sizes, mixed }
    }

    /// Whether the cycle of so many functions that this one is in is one that was there before, and no more.
    fn is_as_before(&self, id: FunctionId, members: usize) -> bool {
        self.size(id) as usize == members && !self.mixed[self.of[id.index()] as usize]
    }

    /// How many functions are in the circle of this one, itself included.
    fn size(&self, id: FunctionId) -> u32 {
        self.sizes[self.of[id.index()] as usize]
    }
}

/// The least of the cycles that this one is joined with. Ways become shorter as they are gone.
fn root(joined: &mut [usize], mut cycle: usize) -> usize {
    while joined[cycle] != cycle {
        joined[cycle] = joined[joined[cycle]];
        cycle = joined[cycle];
    }
    cycle
}
