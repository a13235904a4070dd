//! Own cost: each unit of self cost belongs to the innermost own function of its stack, and if there is none, to the row
//! that is not under own code.
//!
//! Foreign functions are of two kinds: *passing* ones, from which own code can be reached through foreign functions only
//! (qsort with its comparison, what starts threads), and the others, which cost what calls of them cost. What a function
//! holds is its self cost and its calls of functions of the second kind. Own functions keep what they hold. What a
//! passing function holds goes to the own functions that reach it through passing functions: whole where that is one
//! function, or else divided in the proportion of the calls, on the graph of passing functions with its cycles collapsed.
//! There the value is an estimate: the least is what a function owns alone, the most is all that it reaches.
//!
//! Linear in arcs, from callees to callers, and nothing recurses. Only the most is found 64 owners at a time.

use super::components::{Components, OUTSIDE};
use super::{Estimate, OwnCode};
use crate::profile::costs::{NEVER, extend_with};
use crate::profile::{Costs, Event, FunctionId, Grouped, Profile};
use std::collections::HashMap;

/// What is passed on is looked at so often for the most that owners can have; beyond that they can have all of it.
const MAX_STEPS: usize = 50_000_000;

/// An own function, or one of its places, by number.
pub(super) type Owner = u32;
/// What starts outside own code.
pub(super) const NOBODY: Owner = u32::MAX - 2;
const MANY: Owner = u32::MAX - 1;
const UNSEEN: Owner = u32::MAX;

/// The own costs of a profile's functions.
pub struct Own {
    /// Which functions are own.
    own: Vec<bool>,
    /// By function; foreign ones have nothing.
    pub(crate) values: Costs,
    /// Where it is an estimate: the least and the most.
    bounds: HashMap<Owner, [Vec<i64>; 2]>,
    /// What is not under own code.
    pub(crate) rest: Vec<i64>,
    pub(super) passing: Passing,
    /// The calls of passing functions by own ones: the arc, the component that is called, and a row of `parts`.
    pub(super) entries: Vec<Entry>,
    /// What each of the entries brings its caller.
    pub(super) parts: Costs,
}

/// A call from own code of what can come back to own code.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Its place in the profile's arcs.
    pub(super) arc: u32,
    pub(super) into: u32,
}

/// The passing functions, their cycles collapsed.
pub(super) struct Passing {
    /// The node of every function that passes.
    pub(super) node: Vec<u32>,
    /// What each node holds.
    pub(super) held: Costs,
    /// What of it no call accounts for.
    begins: Costs,
    /// Calls between nodes, from those with large numbers to those with small ones; an arc's place, caller, callee.
    between: Vec<(u32, u32, u32)>,
    /// Who owns all that a node holds.
    pub(super) label: Vec<Owner>,
}

/// Who calls a node, with the place of the arc.
#[derive(Clone, Copy)]
enum Caller {
    Entry(u32),
    Node(u32, u32),
}

impl Own {
    /// Own costs of the functions of a profile. Needs the arcs.
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
                (_, into) if from_own => entries.push(Entry { arc: at, into }),
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
        let mut parts = Costs::default();
        passing.divide(profile, &entries, &mut parts);
        // What each function holds by itself, before what passes on is added.
        let mut bounds = passing.bounds(&passing.label, owners);
        for [least, most] in bounds.values_mut() {
            extend_with(most, least);
        }
        for (&owner, [least, most]) in bounds.iter_mut().filter(|(owner, _)| **owner != NOBODY) {
            extend_with(least, values.row(owner));
            extend_with(most, values.row(owner));
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
            // Of the rest, what passing functions do not hold is certain.
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

    /// Whether a function is own code.
    pub fn has(&self, id: FunctionId) -> bool {
        self.own[id.index()]
    }

    /// What a function and all that foreign code did on its behalf cost.
    pub fn estimate(&self, profile: &Profile, id: FunctionId, event: Event) -> Estimate {
        let bounds = self.bounds.get(&id.0);
        estimate(profile, self.values.row(id.0), bounds, event)
    }

    /// What is not under own code.
    pub fn rest(&self, profile: &Profile, event: Event) -> Estimate {
        estimate(profile, &self.rest, self.bounds.get(&NOBODY), event)
    }

    /// What the totals have beyond all own costs: what is not under own code, and what is in no function.
    pub(crate) fn beyond(&self, profile: &Profile) -> Vec<i64> {
        let mut beyond = profile.totals.row.clone();
        profile
            .function_ids()
            .for_each(|id| subtract(&mut beyond, self.values.row(id.0)));
        beyond
    }

    /// The functions whose own cost is an estimate, and `None` if what is not under own code is one, with the least and the
    /// most.
    pub(crate) fn estimated(&self) -> impl Iterator<Item = (Option<FunctionId>, &[Vec<i64>; 2])> {
        let id = |owner| (owner != NOBODY).then_some(FunctionId(owner));
        self.bounds
            .iter()
            .filter(|(_, [least, most])| least != most)
            .map(move |(&owner, bounds)| (id(owner), bounds))
    }
}

/// An estimate of one event from a row and perhaps its bounds.
pub(crate) fn estimate(
    profile: &Profile,
    row: &[i64],
    bounds: Option<&[Vec<i64>; 2]>,
    event: Event,
) -> Estimate {
    let count = |row: &[i64]| i128::from(profile.events.counted(row, event));
    match bounds {
        None => Estimate::exact(count(row)),
        Some([least, most]) => Estimate::new(count(row), count(least), count(most)),
    }
}

/// Takes a row from another.
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

/// The node of every function that is foreign and passes, so that what a node calls has smaller numbers.
fn passing(profile: &Profile, own: &[bool]) -> Vec<u32> {
    let components = Components::new(profile, |id| !own[id]);
    let inside = (0u32..)
        .zip(&components.of)
        .filter(|&(_, &component)| component != OUTSIDE);
    let members = Grouped::new(
        components.count,
        inside.map(|(id, &component)| (component as usize, id)),
    );
    let first = super::components::first_arcs(profile);
    let mut nodes = vec![OUTSIDE; components.count];
    let mut count = 0;
    for component in 0..components.count {
        let passes = members.of(component).iter().any(|&id| {
            let arcs = &profile.arcs[first[id as usize] as usize..first[id as usize + 1] as usize];
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

    /// Who owns all that each node holds, if it is one.
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
            if self.begins.row(node).iter().any(|&count| count > 0) {
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

    /// Divides what nodes hold over the entries, from callees to callers.
    fn divide(&self, profile: &Profile, entries: &[Entry], parts: &mut Costs) {
        let mut callers: Vec<Vec<Caller>> = vec![Vec::new(); self.nodes()];
        for (at, entry) in (0u32..).zip(entries) {
            parts.push();
            callers[entry.into as usize].push(Caller::Entry(at));
        }
        for &(at, from, to) in &self.between {
            callers[to as usize].push(Caller::Node(at, from));
        }
        let mut due = self.held.clone();
        let width = profile.events.recorded().len();
        let mut weights: Vec<i128> = Vec::new();
        let mut row = Vec::new();
        for node in 0..self.nodes() as u32 {
            let callers = &callers[node as usize];
            let arc = |caller: &Caller| match *caller {
                Caller::Entry(at) => entries[at as usize].arc,
                Caller::Node(at, _) => at,
            };
            for event in 0..width.min(due.row(node).len()) {
                let whole = due.row(node)[event];
                if whole == NEVER || whole == 0 || callers.is_empty() {
                    continue;
                }
                let count = |row: &[i64]| i128::from(row.get(event).copied().unwrap_or(0).max(0));
                weights.clear();
                weights.extend(
                    callers
                        .iter()
                        .map(|caller| count(profile.arc_cost(&profile.arcs[arc(caller) as usize]))),
                );
                weights.push(count(self.begins.row(node)));
                if weights.iter().all(|&weight| weight == 0) {
                    weights[0] = 1;
                }
                // The last part is nobody's; it stays where it is.
                for (caller, part) in callers.iter().zip(shares(whole, &mut weights)) {
                    if part != 0 {
                        row.clear();
                        row.resize(event, NEVER);
                        row.push(part);
                        match *caller {
                            Caller::Entry(at) => parts.add(at, &row),
                            Caller::Node(_, from) => due.add(from, &row),
                        };
                    }
                }
            }
        }
    }

    /// The least that owners have of what nodes hold, and what they can have besides; of those that own it alone or reach
    /// what others reach too.
    pub(super) fn bounds<I>(
        &self,
        label: &[Owner],
        entries: impl Fn() -> I,
    ) -> HashMap<Owner, [Vec<i64>; 2]>
    where
        I: Iterator<Item = (u32, Owner)>,
    {
        let mut bounds: HashMap<Owner, [Vec<i64>; 2]> = HashMap::new();
        // What leads to a node that many reach.
        let mut leads: Vec<bool> = label.iter().map(|&owner| owner == MANY).collect();
        for &(_, from, to) in self.between.iter().rev() {
            leads[from as usize] |= leads[to as usize];
        }
        let mut owners: Vec<Owner> = entries()
            .filter(|&(node, _)| leads[node as usize])
            .map(|(_, owner)| owner)
            .collect();
        let begins = |node: &u32| self.begins.row(*node).iter().any(|&count| count > 0);
        if (0..self.nodes() as u32).any(|node| leads[node as usize] && begins(&node)) {
            owners.push(NOBODY);
        }
        owners.sort_unstable();
        owners.dedup();
        for &owner in &owners {
            bounds.insert(owner, [Vec::new(), Vec::new()]);
        }
        for (node, owner) in (0u32..).zip(label) {
            if let Some([least, _]) = bounds.get_mut(owner) {
                extend_with(least, self.held.row(node));
            }
        }
        let steps = (self.between.len() + self.nodes()).saturating_mul(owners.len() / 64 + 1);
        if steps > MAX_STEPS {
            let mut all = Vec::new();
            for (node, _) in (0u32..).zip(label).filter(|&(_, &owner)| owner == MANY) {
                extend_with(&mut all, self.held.row(node));
            }
            bounds
                .values_mut()
                .for_each(|[_, most]| most.clone_from(&all));
            return bounds;
        }
        // What nodes hold that the same of eight owners reach: so each node is added eight times at most, not 64.
        let mut sums: Vec<Vec<i64>> = vec![Vec::new(); 8 * 256];
        for group in owners.chunks(64) {
            let mut reached = vec![0u64; self.nodes()];
            let bit = |owner: Owner| group.binary_search(&owner).map_or(0, |at| 1u64 << at);
            entries().for_each(|(node, owner)| reached[node as usize] |= bit(owner));
            for node in 0..self.nodes() as u32 {
                reached[node as usize] |= if begins(&node) { bit(NOBODY) } else { 0 };
            }
            for &(_, from, to) in &self.between {
                reached[to as usize] |= reached[from as usize];
            }
            for (node, _) in (0u32..).zip(label).filter(|&(_, &owner)| owner == MANY) {
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

/// Divides a count in proportion to weights, of which one is above zero, without loss.
pub(super) fn shares(whole: i64, weights: &mut [i128]) -> impl Iterator<Item = i64> {
    let bits = |count: i128| 128 - count.leading_zeros();
    // Products have room.
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
