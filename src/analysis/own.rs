//! Attributes cost to your code: each unit of self cost belongs to the innermost function of yours
//! on its stack. Without such a function, it goes to the row `(not under your code)`. In names
//! here, *own* means your code and *foreign* means library code.
//!
//! Library functions are of two kinds. *Passing* ones can reach your code through library functions
//! only, such as qsort with its comparison, or a function that starts threads. The cost of the
//! others is the cost of the calls to them. A function *holds* its self cost and its calls of
//! functions of the second kind. Your functions keep what they hold. What a passing function holds
//! goes to those of your functions that reach it through passing functions. If that is one
//! function, it gets everything. Otherwise the cost is divided in proportion to the calls, on the
//! graph of passing functions with its cycles collapsed.
//!
//! A divided value is an estimate. Its lower bound is what the function reaches alone, and its
//! upper bound is everything that it reaches.
//!
//! For whoever changes this: a profile has millions of arcs, so the work must stay linear in arcs,
//! and nothing may recurse. The nodes are numbered so that callees come before callers, and one
//! walk over them divides everything. Only the upper bounds need to know which of your functions
//! reach a node. They are found for 64 functions at a time, one bit each, up to `MAX_STEPS`. Two
//! things must always hold: the attributed costs and the rest add up to all self costs, and each
//! value is within its bounds.

use super::{
    Estimate, OwnCode,
    components::{Components, OUTSIDE},
};
use crate::profile::{Costs, Event, FunctionId, Grouped, NEVER, Profile, extend_with, sum_rows};
use std::collections::HashMap;

/// The most steps for exact upper bounds. Beyond that, the upper bound is everything that several
/// functions reach.
const MAX_STEPS: usize = 50_000_000;

/// A function of yours, or one of its lines, by number.
pub(super) type Owner = u32;
/// The owner of cost that starts outside your code.
pub(super) const NOBODY: Owner = u32::MAX - 2;
const MANY: Owner = u32::MAX - 1;
const UNSEEN: Owner = u32::MAX;

/// The costs that are attributed to the functions of a profile.
pub struct Own {
    /// Which functions are yours.
    own: Vec<bool>,
    /// The attributed cost of each function; library functions have none.
    pub(crate) values: Costs,
    /// The lower and upper bounds of estimates.
    bounds: HashMap<Owner, [Vec<i64>; 2]>,
    /// The cost that is not attributed to any function of yours.
    pub(crate) rest: Vec<i64>,
    pub(super) passing: Passing,
    /// The calls from your functions to passing functions.
    pub(super) entries: Vec<OwnEntry>,
    /// The cost that each entry attributes to its caller.
    pub(super) parts: Costs,
}

/// A call from your code to a function that can call back into it.
pub(super) struct OwnEntry {
    /// Its index in the profile's arcs.
    pub arc: u32,
    pub into: u32,
}

/// The passing functions, with their cycles collapsed.
pub(super) struct Passing {
    /// The node of every function that passes.
    pub node: Vec<u32>,
    /// The cost that each node holds.
    pub held: Costs,
    /// The part of it that is in no recorded call.
    begins: Costs,
    /// The calls between nodes, from large node numbers to small ones: the arc's index, caller,
    /// callee.
    between: Vec<(u32, u32, u32)>,
    /// The owner of everything that a node holds, if there is only one.
    pub label: Vec<Owner>,
}

/// A caller of a node.
#[derive(Clone, Copy)]
enum NodeCaller {
    Entry(u32),
    Node(u32),
}

impl Own {
    /// Attributes the costs of a profile to your functions. Needs the arcs.
    pub fn new(profile: &Profile, code: &OwnCode<'_>) -> Own {
        let own: Vec<bool> = profile.function_ids().map(|id| code.has(id)).collect();
        let node = passing(profile, &own);
        let nodes = node
            .iter()
            .filter(|&&node| node != OUTSIDE)
            .max()
            .map_or(0, |&last| last + 1);
        let (mut held, mut into, mut out) = (Costs::default(), Costs::default(), Costs::default());
        for _ in 0..nodes {
            held.push();
            into.push();
            out.push();
        }
        let mut values = Costs::default();
        let mut all = Vec::new();
        for id in profile.function_ids() {
            let row = values.push();
            extend_with(&mut all, profile.self_cost(id));
            match node[id.index()] {
                _ if own[id.index()] => {
                    values.add(row, profile.self_cost(id));
                }
                OUTSIDE => {}
                node => {
                    held.add(node, profile.self_cost(id));
                    out.add(node, profile.self_cost(id));
                }
            }
        }
        let (mut entries, mut between) = (Vec::new(), Vec::new());
        for (at, arc) in (0u32..).zip(&profile.arcs) {
            let cost = profile.arc_cost(arc);
            let (from, to) = (node[arc.caller.index()], node[arc.callee.index()]);
            let (from_own, to_own) = (own[arc.caller.index()], own[arc.callee.index()]);
            if from != OUTSIDE && from != to {
                out.add(from, cost);
            }
            if to != OUTSIDE && from != to {
                into.add(to, cost);
            }
            match (from, to) {
                _ if from_own && to_own => {}
                (_, OUTSIDE) if from_own => {
                    values.add(arc.caller.0, cost);
                }
                (_, into) if from_own => entries.push(OwnEntry { arc: at, into }),
                (OUTSIDE, _) => {}
                (from, OUTSIDE) if !to_own => {
                    held.add(from, cost);
                }
                (from, to) if to != OUTSIDE && from != to => between.push((at, from, to)),
                _ => {}
            }
        }
        between.sort_unstable_by_key(|&(at, from, _)| (std::cmp::Reverse(from), at));
        let mut begins = Costs::default();
        for node in 0..nodes {
            let (into, out) = (into.row(node), out.row(node));
            let more = out.iter().enumerate().map(|(at, &out)| match into.get(at) {
                _ if out == NEVER => NEVER,
                Some(&into) if into != NEVER => out.saturating_sub(into).max(0),
                _ => out.max(0),
            });
            let more: Vec<i64> = more.collect();
            let row = begins.push();
            begins.add(row, &more);
        }
        let mut passing = Passing {
            node,
            held,
            begins,
            between,
            label: Vec::new(),
        };
        let owners = || {
            entries
                .iter()
                .map(|entry| (entry.into, profile.arcs[entry.arc as usize].caller.0))
        };
        passing.label = passing.labels(owners());
        let parts = passing.divide(profile, &entries);
        // What each function holds by itself, before passing functions add to it.
        let mut bounds = passing.bounds(&passing.label, owners);
        for (&owner, [least, most]) in &mut bounds {
            extend_with(most, least);
            if owner != NOBODY {
                extend_with(least, values.row(owner));
                extend_with(most, values.row(owner));
            }
        }
        for (at, entry) in entries.iter().enumerate() {
            values.add(
                profile.arcs[entry.arc as usize].caller.0,
                parts.row(at as u32),
            );
        }
        let mut rest = all;
        for id in profile.function_ids() {
            subtract(&mut rest, values.row(id.0));
        }
        if let Some([least, most]) = bounds.get_mut(&NOBODY) {
            // The part of the rest that no passing function holds is certain.
            let mut certain = rest.clone();
            for at in 0..parts.len() as u32 {
                extend_with(&mut certain, parts.row(at));
            }
            (0..nodes).for_each(|node| subtract(&mut certain, passing.held.row(node)));
            extend_with(least, &certain);
            extend_with(most, &certain);
        }
        Own {
            own,
            values,
            bounds,
            rest,
            passing,
            entries,
            parts,
        }
    }

    /// Whether a function is yours.
    pub fn has(&self, id: FunctionId) -> bool {
        self.own[id.index()]
    }

    /// The cost of a function with the library code that is attributed to it.
    pub fn estimate(&self, profile: &Profile, id: FunctionId, event: Event) -> Estimate {
        let bounds = self.bounds.get(&id.0);
        estimate(profile, self.values.row(id.0), bounds, event)
    }

    /// The cost that is not attributed to any function of yours.
    pub fn rest(&self, profile: &Profile, event: Event) -> Estimate {
        estimate(profile, &self.rest, self.bounds.get(&NOBODY), event)
    }

    /// The totals minus all attributed costs: the rest above, and the part of the totals that no
    /// function has.
    pub(crate) fn beyond(&self, profile: &Profile) -> Vec<i64> {
        let mut beyond = profile.totals.row.clone();
        profile
            .function_ids()
            .for_each(|id| subtract(&mut beyond, self.values.row(id.0)));
        beyond
    }

    /// The functions whose attributed cost is an estimate, with the lower and upper bound. `None`
    /// stands for the cost that is not attributed to any of them.
    pub(crate) fn estimated(&self) -> impl Iterator<Item = (Option<FunctionId>, &[Vec<i64>; 2])> {
        let id = |owner| (owner != NOBODY).then_some(FunctionId(owner));
        self.bounds
            .iter()
            .filter(|(_, [least, most])| least != most)
            .map(move |(&owner, bounds)| (id(owner), bounds))
    }
}

/// The estimate of one event from a row and its bounds, if it has any.
pub(crate) fn estimate(
    profile: &Profile,
    row: &[i64],
    bounds: Option<&[Vec<i64>; 2]>,
    event: Event,
) -> Estimate {
    let count = profile.events.counter(event);
    match bounds {
        None => Estimate::exact(count(row)),
        Some([least, most]) => Estimate::new(count(row), count(least), count(most)),
    }
}

/// Subtracts a row from another.
pub(crate) fn subtract(from: &mut Vec<i64>, row: &[i64]) {
    let less: Vec<i64> = row
        .iter()
        .map(|&count| {
            if count == NEVER {
                NEVER
            } else {
                count.saturating_neg()
            }
        })
        .collect();
    extend_with(from, &less);
}

/// The node of every library function that passes. The callees of a node have smaller numbers.
fn passing(profile: &Profile, own: &[bool]) -> Vec<u32> {
    let components = Components::new(profile, |id| !own[id]);
    let inside = (0u32..)
        .zip(&components.of)
        .filter(|&(_, &component)| component != OUTSIDE);
    let members = Grouped::new(
        components.count,
        inside.map(|(id, &component)| (component as usize, id)),
    );
    let mut nodes = vec![OUTSIDE; components.count];
    let mut count = 0;
    for component in 0..components.count {
        let passes = members.group(component).iter().any(|&id| {
            let arcs = profile.arcs_of(FunctionId(id));
            arcs.iter()
                .any(|arc| match components.of[arc.callee.index()] {
                    OUTSIDE => true,
                    callee => nodes[callee as usize] != OUTSIDE,
                })
        });
        if passes {
            nodes[component] = count;
            count += 1;
        }
    }
    let node = |&component: &u32| {
        if component == OUTSIDE {
            OUTSIDE
        } else {
            nodes[component as usize]
        }
    };
    components.of.iter().map(node).collect()
}

impl Passing {
    fn nodes(&self) -> usize {
        self.held.len()
    }

    /// Whether some of a node's cost begins there.
    fn has_beginning(&self, node: u32) -> bool {
        self.begins.row(node).iter().any(|&count| count > 0)
    }

    /// The owner of everything that each node holds, if there is only one.
    pub(super) fn labels(&self, entries: impl Iterator<Item = (u32, Owner)>) -> Vec<Owner> {
        let mut label = vec![UNSEEN; self.nodes()];
        let meet = |label: &mut [Owner], node: u32, owner: Owner| {
            let at = &mut label[node as usize];
            *at = if *at == UNSEEN || *at == owner {
                owner
            } else {
                MANY
            };
        };
        for node in 0..self.nodes() as u32 {
            if self.has_beginning(node) {
                meet(&mut label, node, NOBODY);
            }
        }
        entries.for_each(|(node, owner)| meet(&mut label, node, owner));
        // Callers come first.
        for &(_, from, to) in &self.between {
            let owner = label[from as usize];
            if owner != UNSEEN {
                meet(&mut label, to, owner);
            }
        }
        label
    }

    /// Divides what nodes hold among the entries, from callees to callers.
    fn divide(&self, profile: &Profile, entries: &[OwnEntry]) -> Costs {
        let mut parts = Costs::default();
        // Each with the index of the arc.
        let mut callers: Vec<Vec<(u32, NodeCaller)>> = vec![Vec::new(); self.nodes()];
        for entry in entries {
            callers[entry.into as usize].push((entry.arc, NodeCaller::Entry(parts.push())));
        }
        for &(at, from, to) in &self.between {
            callers[to as usize].push((at, NodeCaller::Node(from)));
        }
        let mut due = self.held.clone();
        let width = profile.events.recorded().len();
        let mut weights: Vec<i128> = Vec::new();
        let mut row = Vec::new();
        for node in 0..self.nodes() as u32 {
            let callers = &callers[node as usize];
            for event in 0..width.min(due.row(node).len()) {
                let whole = due.row(node)[event];
                if whole == NEVER || whole == 0 || callers.is_empty() {
                    continue;
                }
                let count = |row: &[i64]| i128::from(row.get(event).copied().unwrap_or(0).max(0));
                weights.clear();
                let arcs = callers.iter().map(|&(at, _)| &profile.arcs[at as usize]);
                weights.extend(arcs.map(|arc| count(profile.arc_cost(arc))));
                weights.push(count(self.begins.row(node)));
                // The last part has no owner; it stays in the rest.
                for (&(_, caller), part) in callers.iter().zip(shares(whole, &mut weights)) {
                    if part != 0 {
                        row.clear();
                        row.resize(event, NEVER);
                        row.push(part);
                        match caller {
                            NodeCaller::Entry(at) => parts.add(at, &row),
                            NodeCaller::Node(from) => due.add(from, &row),
                        };
                    }
                }
            }
        }
        parts
    }

    /// For owners that reach cost alone or together with others: the lower bound, and what is
    /// possible in addition to it.
    pub(super) fn bounds<I>(
        &self,
        label: &[Owner],
        entries: impl Fn() -> I,
    ) -> HashMap<Owner, [Vec<i64>; 2]>
    where
        I: Iterator<Item = (u32, Owner)>,
    {
        // Whether a node leads to a node that several owners reach.
        let mut leads: Vec<bool> = label.iter().map(|&owner| owner == MANY).collect();
        for &(_, from, to) in self.between.iter().rev() {
            leads[from as usize] |= leads[to as usize];
        }
        let mut owners: Vec<Owner> = entries()
            .filter(|&(node, _)| leads[node as usize])
            .map(|(_, owner)| owner)
            .collect();
        if (0..self.nodes() as u32).any(|node| leads[node as usize] && self.has_beginning(node)) {
            owners.push(NOBODY);
        }
        owners.sort_unstable();
        owners.dedup();
        let bounds = owners.iter().map(|&owner| (owner, Default::default()));
        let mut bounds: HashMap<Owner, [Vec<i64>; 2]> = bounds.collect();
        for (node, owner) in (0u32..).zip(label) {
            if let Some([least, _]) = bounds.get_mut(owner) {
                extend_with(least, self.held.row(node));
            }
        }
        let shared = || {
            let shared = (0u32..).zip(label).filter(|&(_, &owner)| owner == MANY);
            shared.map(|(node, _)| node)
        };
        let steps = (self.between.len() + self.nodes()).saturating_mul(owners.len() / 64 + 1);
        if steps > MAX_STEPS {
            let all = sum_rows(shared().map(|node| self.held.row(node)));
            bounds
                .values_mut()
                .for_each(|[_, most]| most.clone_from(&all));
            return bounds;
        }
        // Adds up what nodes hold by the subset of eight owners that reach them. So each node is
        // added at most eight times, not 64.
        let mut sums: Vec<Vec<i64>> = vec![Vec::new(); 8 * 256];
        for group in owners.chunks(64) {
            let mut reached = vec![0u64; self.nodes()];
            let bit = |owner: Owner| group.binary_search(&owner).map_or(0, |at| 1u64 << at);
            entries().for_each(|(node, owner)| reached[node as usize] |= bit(owner));
            for node in 0..self.nodes() as u32 {
                if self.has_beginning(node) {
                    reached[node as usize] |= bit(NOBODY);
                }
            }
            for &(_, from, to) in &self.between {
                reached[to as usize] |= reached[from as usize];
            }
            for node in shared() {
                let bytes = reached[node as usize].to_le_bytes();
                for (at, &byte) in bytes.iter().enumerate().filter(|(_, byte)| **byte != 0) {
                    extend_with(&mut sums[at * 256 + usize::from(byte)], self.held.row(node));
                }
            }
            for (at, sum) in sums.iter_mut().enumerate() {
                for bit in (0..8).filter(|bit| at >> bit & 1 != 0) {
                    if let Some([_, most]) = group
                        .get(at / 256 * 8 + bit)
                        .and_then(|owner| bounds.get_mut(owner))
                    {
                        extend_with(most, sum);
                    }
                }
                sum.clear();
            }
        }
        bounds
    }
}

/// Divides a count in proportion to weights, without loss. If all weights are zero, the first gets
/// it.
pub(super) fn shares(whole: i64, weights: &mut [i128]) -> impl Iterator<Item = i64> {
    if weights.iter().all(|&weight| weight == 0) {
        weights[0] = 1;
    }
    let bits = |count: i128| 128 - count.leading_zeros();
    // The shift leaves room for the products.
    let sum: i128 = weights.iter().sum();
    let shift = bits(sum).saturating_sub(62);
    let mut sum = 0i128;
    for weight in weights.iter_mut() {
        *weight >>= shift;
        sum += *weight;
    }
    let (mut before, mut given) = (0i128, 0i128);
    weights.iter().map(move |&weight| {
        before += weight;
        let until = (i128::from(whole) * before).div_euclid(sum);
        let part = until - given;
        given = until;
        part as i64
    })
}
