//! Inclusive cost, which counts recursion once at any depth, and the cycles of the call graph.
//!
//! Rule (format notes, 4.2): functions that call each other form a cycle, a strongly connected
//! component of more than one function. Outside cycles, a function's inclusive cost is the larger
//! of two values. `in` is the cost of the calls from other functions. `out` is its self cost and
//! the cost of its calls to other functions. For an event with negative counts, it is `out`. A
//! member of a cycle has its self cost and the cost of its calls out of the cycle. The cycle has
//! the sum of its members.
//!
//! A format that states inclusive costs itself (see [`StatedCosts`](crate::profile::StatedCosts))
//! takes precedence.

use super::components::Components;
use crate::profile::{
    CallEdge, Contexts, Costs, Counts, FunctionId, NEVER, Order, Overflow, Profile, costs::count,
    extend_with,
};
use std::{borrow::Cow, collections::HashSet, sync::OnceLock};

/// A cycle: functions that call each other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cycle {
    /// Its members, by id.
    pub members: Vec<FunctionId>,
    /// The sum of their self costs.
    pub(crate) self_cost: Vec<i64>,
    /// The sum of their inclusive costs.
    pub(crate) inclusive: Vec<i64>,
}

impl Cycle {
    /// The sum of its members' self costs.
    pub fn self_counts(&self) -> Counts<'_> {
        Counts(&self.self_cost)
    }

    /// The sum of its members' inclusive costs.
    pub fn inclusive_counts(&self) -> Counts<'_> {
        Counts(&self.inclusive)
    }
}

/// The inclusive costs of all functions.
pub struct Inclusive {
    pub(super) costs: Costs,
    called: Vec<u64>,
    pub(super) cycle_of: Vec<u32>,
    /// Whether the format states inclusive costs, even of members of cycles.
    pub(super) is_stated: bool,
    /// The cycles, most expensive first, ties by the names of their members.
    pub cycles: Vec<Cycle>,
    /// Whether a sum did not fit in 64 bits and was limited.
    pub saturated: bool,
    /// Functions that were merged from several, whose joint cost is unknown or only has a lower
    /// bound.
    pub(super) vague: HashSet<FunctionId>,
    /// For every function, the cycle that it is in only because functions were merged; empty
    /// without such cycles.
    pub(super) circle_of: Vec<u32>,
    /// Those of the contexts, once somebody asks.
    of_contexts: OnceLock<Box<Inclusive>>,
}

const NO_CYCLE: u32 = u32::MAX;

impl Inclusive {
    /// Computes the inclusive costs. Needs the arcs.
    pub fn new(profile: &Profile) -> Inclusive {
        let count = profile.functions.len();
        let Components {
            of: components,
            count: parts,
        } = Components::new(profile, |_| true);
        let mut sizes = vec![0u32; parts];
        components.iter().for_each(|&c| sizes[c as usize] += 1);
        let in_cycle = |f: FunctionId| sizes[components[f.index()] as usize] > 1;
        let same_cycle =
            |a: FunctionId, b: FunctionId| a == b || components[a.index()] == components[b.index()];

        // The columns in which any self cost or call is below zero.
        let mut negative = vec![false; profile.events.recorded().len()];
        let mut see = |row: &[i64]| {
            for (flag, &count) in negative.iter_mut().zip(row) {
                *flag |= count < 0 && count != NEVER;
            }
        };
        let (mut costs, mut incoming) = (Costs::default(), Costs::default());
        let mut called = vec![0u64; count];
        let mut over = false;
        for id in profile.function_ids() {
            let row = costs.push();
            incoming.push();
            costs.add(row, profile.self_cost(id));
            see(profile.self_cost(id));
        }
        for arc in &profile.arcs {
            let called = &mut called[arc.callee.index()];
            over |= called.checked_add(arc.count).is_none();
            *called = called.saturating_add(arc.count);
            see(profile.arc_cost(arc));
            if !same_cycle(arc.caller, arc.callee) {
                over |= costs.add(arc.caller.0, profile.arc_cost(arc));
                over |= incoming.add(arc.callee.0, profile.arc_cost(arc));
            }
        }
        let mut raise = Vec::new();
        for id in profile.function_ids().filter(|&f| !in_cycle(f)) {
            let (out, from) = (costs.row(id.0), incoming.row(id.0));
            raise.clear();
            raise.extend(from.iter().enumerate().map(|(column, &stated)| {
                let have = out.get(column).copied().unwrap_or(NEVER);
                match (stated, have) {
                    (NEVER, _) => NEVER,
                    _ if negative.get(column).copied().unwrap_or(false) => NEVER,
                    (_, NEVER) => stated.max(0),
                    _ => stated.saturating_sub(have).max(0),
                }
            }));
            costs.add(id.0, &raise);
        }
        let (cycles, cycle_of, over_cycles) = cycles(profile, &costs, &components, &sizes);
        over |= over_cycles;
        // Costs that the format states are better than those computed from calls.
        if let Some(stated) = &profile.stated {
            for id in profile.function_ids() {
                if !stated.inclusive(id).is_empty() {
                    costs.set(id.0, stated.inclusive(id));
                }
                if stated.calls(id) > 0 {
                    called[id.index()] = stated.calls(id);
                }
            }
        }
        let is_stated = profile
            .stated
            .as_ref()
            .is_some_and(|stated| stated.has_inclusive);
        let (vague, circle_of, of_contexts) = Default::default();
        Inclusive {
            costs,
            called,
            cycle_of,
            is_stated,
            cycles,
            saturated: over,
            vague,
            circle_of,
            of_contexts,
        }
    }

    /// The inclusive costs of this profile's contexts.
    pub(super) fn of_contexts(&self, contexts: &Contexts) -> &Inclusive {
        self.of_contexts
            .get_or_init(|| Box::new(Inclusive::new(&contexts.profile)))
    }

    /// Records whether another sum did not fit.
    pub(super) fn note(&mut self, over: Overflow) {
        self.saturated |= over;
    }

    /// The inclusive cost of a function.
    pub fn counts(&self, id: FunctionId) -> Counts<'_> {
        Counts(self.cost(id))
    }

    pub(crate) fn cost(&self, id: FunctionId) -> &[i64] {
        self.costs.row(id.0)
    }

    /// Whether a function's inclusive cost is complete. It is not for a function merged from
    /// several that call each other through others, or for which only sums are stated.
    pub(crate) fn is_exact(&self, id: FunctionId) -> bool {
        !self.vague.contains(&id)
    }

    /// How often a function was called, also by itself.
    pub fn called(&self, id: FunctionId) -> u64 {
        self.called[id.index()]
    }

    /// An upper bound of the cost of an arc's calls, if they are recursive: the inclusive cost of
    /// the callee or its cycle. The costs of recursive calls contain each other, so their sum means
    /// nothing.
    pub(crate) fn most_of_recursion(&self, arc: &CallEdge) -> Option<&[i64]> {
        match self.cycle_of(arc.callee) {
            Some(cycle) if self.cycle_of(arc.caller) == Some(cycle) => {
                Some(&self.cycles[cycle].inclusive)
            }
            None if arc.caller == arc.callee || self.is_in_circle(arc) => {
                Some(self.cost(arc.callee))
            }
            _ => None,
        }
    }

    pub(crate) fn is_recursive(&self, arc: &CallEdge) -> bool {
        self.most_of_recursion(arc).is_some()
    }

    /// Whether an arc leads from a merged function to a caller of one of its parts. Some of that
    /// cost is part of itself.
    fn is_in_circle(&self, arc: &CallEdge) -> bool {
        let circle = |id: FunctionId| {
            self.circle_of
                .get(id.index())
                .filter(|&&circle| circle != NO_CYCLE)
        };
        self.vague.contains(&arc.caller)
            && circle(arc.caller).is_some_and(|one| circle(arc.callee) == Some(one))
    }

    /// The cost of an arc's calls, or of those at one place. In a recursion it is at most the cost
    /// around them.
    pub(crate) fn capped<'c>(&self, arc: &CallEdge, cost: &'c [i64]) -> Cow<'c, [i64]> {
        let mut cost = Cow::Borrowed(cost);
        if let Some(most) = self.most_of_recursion(arc) {
            cap(&mut cost, most);
        }
        cost
    }

    /// The inclusive cost of a function's cycle, if the function's own inclusive cost lacks its
    /// calls in the cycle. Calls from outside cost as much as the cycle.
    pub(crate) fn of_its_cycle(&self, id: FunctionId) -> Option<&[i64]> {
        self.cycle_of(id)
            .filter(|_| !self.is_stated)
            .map(|cycle| &self.cycles[cycle].inclusive[..])
    }

    /// Whether a function's inclusive cost lacks its calls in a cycle.
    pub(crate) fn lacks_calls(&self, id: FunctionId) -> bool {
        self.of_its_cycle(id).is_some()
    }

    /// The base of percentages of a function's calls and lines.
    pub(crate) fn whole(&self, id: FunctionId) -> &[i64] {
        self.of_its_cycle(id).unwrap_or(self.cost(id))
    }

    /// The number of the function's cycle in reports, from 1.
    pub(crate) fn cycle_number(&self, id: FunctionId) -> Option<usize> {
        self.cycle_of(id).map(|cycle| cycle + 1)
    }

    /// The function's cycle, as an index in `cycles`.
    pub fn cycle_of(&self, id: FunctionId) -> Option<usize> {
        Some(self.cycle_of[id.index()])
            .filter(|&c| c != NO_CYCLE)
            .map(|c| c as usize)
    }
}

/// Limits counts to those of `most`. Calls of a function by itself are inside others, and together
/// cost at most as much as the function.
pub(crate) fn cap(cost: &mut Cow<'_, [i64]>, most: &[i64]) {
    for at in 0..cost.len().min(most.len()) {
        if most[at] >= 0 && cost[at] > most[at] {
            cost.to_mut()[at] = most[at];
        }
    }
}

/// The cycles among components of these sizes, and the cycle of each function.
pub(super) fn cycles(
    profile: &Profile,
    costs: &Costs,
    components: &[u32],
    sizes: &[u32],
) -> (Vec<Cycle>, Vec<u32>, Overflow) {
    let mut over = false;
    let mut place = vec![NO_CYCLE; sizes.len()];
    let mut cycles: Vec<Cycle> = Vec::new();
    for id in profile.function_ids() {
        let component = components[id.index()] as usize;
        if sizes[component] < 2 {
            continue;
        }
        if place[component] == NO_CYCLE {
            place[component] = cycles.len() as u32;
            cycles.push(Cycle::default());
        }
        let cycle = &mut cycles[place[component] as usize];
        cycle.members.push(id);
        over |= extend_with(&mut cycle.self_cost, profile.self_cost(id));
        over |= extend_with(&mut cycle.inclusive, costs.row(id.0));
    }
    let first_name = |c: &Cycle| c.members.iter().map(|&m| profile.sort_key(m)).min();
    let width = profile.events.recorded().len();
    let dearer = |a: &[i64], b: &[i64]| {
        (0..width)
            .map(|c| count(b, c).cmp(&count(a, c)))
            .find(|o| o.is_ne())
    };
    cycles.order_by(|a, b| {
        dearer(&a.inclusive, &b.inclusive).unwrap_or_else(|| first_name(a).cmp(&first_name(b)))
    });
    let mut cycle_of = vec![NO_CYCLE; components.len()];
    for (number, cycle) in cycles.iter().enumerate() {
        cycle
            .members
            .iter()
            .for_each(|m| cycle_of[m.index()] = number as u32);
    }
    (cycles, cycle_of, over)
}
