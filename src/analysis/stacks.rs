//! Stacks: for every chain of callers what the function at its end cost itself.
//!
//! Where the input tells the tree of calls, that is it. Otherwise stacks are an *estimate*: Callgrind records arcs, from
//! which it cannot be known what a function cost under which of its callers' callers. A function's cost is divided over
//! its callers in proportion to the cost of their arcs to it, and so on upwards. A cycle of functions is entered once:
//! its members stand side by side below it, each with all its cost, and calls among them are passed over; so are calls of
//! a function to itself. What a function cost beyond the calls to it begins a stack.
//!
//! However it is divided, it is divided without loss: the costs of all stacks that end in a function add up to its self
//! cost, to the last unit (by largest remainders). Stacks too small to show are added up in [`Frame::Small`], by function
//! where that is not too small itself. So the sum of all stacks is always that of all self costs.

use super::Inclusive;
use crate::profile::{CallTree, Event, FunctionId, Profile};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// No stack is deeper, and there are no more of them; the rest is small.
const MAX_DEPTH: u32 = 500;
const MAX_STACKS: usize = 100_000;

/// Shares below this are errors of rounding.
const NOISE: f64 = 1e-9;

/// One place in a stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// A function.
    Function(FunctionId),
    /// A cycle of functions, by its place in [`Inclusive::cycles`].
    Cycle(usize),
    /// Functions whose stacks are too small to show.
    Small,
}

/// A stack, which is its innermost frame and those before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The innermost frame.
    pub frame: Frame,
    /// How many frames are around it.
    pub depth: u32,
    /// What that frame cost itself.
    pub own: i64,
    /// The same with the stacks that go on from here.
    pub total: i128,
}

/// How the stacks came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The input tells them.
    Recorded,
    /// They are estimated from arcs.
    Estimated,
    /// There are no arcs: every function is a stack.
    Flat,
}

/// The event has costs below zero, of which stacks cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NegativeCosts;

/// All stacks of a profile.
pub struct Stacks {
    /// In depth-first order, dearest first: the frames around one are the last before it of each smaller depth.
    pub stacks: Vec<Stack>,
    /// How they came about.
    pub basis: Basis,
}

impl Stacks {
    /// Finds the stacks of one event. Those of less than `least` of everything, a share from 0 to 1, are small.
    ///
    /// # Errors
    /// If there are costs below zero.
    pub fn new(profile: &Profile, inclusive: &Inclusive, event: Event, least: f64) -> Result<Stacks, NegativeCosts> {
        let own = |id| cost(profile, profile.self_cost(id), event);
        let mut everything = 0i128;
        for id in profile.function_ids() {
            everything += i128::from(at_least_zero(own(id))?);
        }
        for arc in &profile.arcs {
            at_least_zero(cost(profile, profile.arc_cost(arc), event))?;
        }
        let least = everything as f64 * least;
        match &profile.tree {
            Some(tree) => recorded(profile, tree, event, least),
            None => {
                let mut estimate = Estimate::new(profile, inclusive, event, least);
                estimate.grow();
                let tree = estimate.into_tree();
                let basis = if profile.arcs.is_empty() { Basis::Flat } else { Basis::Estimated };
                Ok(Stacks { stacks: tree.in_order(profile), basis })
            }
        }
    }
}

fn cost(profile: &Profile, row: &[i64], event: Event) -> i64 {
    profile.events.count(row, event).unwrap_or(0)
}

fn at_least_zero(cost: i64) -> Result<i64, NegativeCosts> {
    if cost < 0 { Err(NegativeCosts) } else { Ok(cost) }
}

/// The stacks of a tree of calls.
fn recorded(profile: &Profile, calls: &CallTree, event: Event, least: f64) -> Result<Stacks, NegativeCosts> {
    let mut tree = Tree::default();
    let mut chain: Vec<u32> = Vec::new();
    for context in calls.contexts() {
        chain.truncate(context.depth as usize);
        let own = at_least_zero(cost(profile, calls.self_cost(context), event))?;
        let node = tree.add(chain.last().copied(), Frame::Function(context.function), own);
        chain.push(node);
    }
    tree.add_up();
    // What is too small, or too deep, goes to one frame below what is around it; the tree is in depth-first order.
    let mut kept = Tree::default();
    let mut place: Vec<u32> = Vec::new();
    let mut small: Vec<Option<u32>> = Vec::new();
    for node in &tree.nodes {
        let parent = node.parent.map(|p| place[p as usize]);
        let inside_small = parent.is_some_and(|p| kept.nodes[p as usize].frame == Frame::Small);
        let depth = parent.map_or(0, |p| kept.nodes[p as usize].depth + 1);
        let fits = node.total as f64 >= least && depth < MAX_DEPTH && kept.nodes.len() < MAX_STACKS;
        let at = match parent {
            Some(parent) if inside_small => parent,
            _ if fits => kept.add(parent, node.frame, 0),
            _ => {
                let slot = parent.map_or(0, |p| p as usize + 1);
                small.resize(small.len().max(slot + 1), None);
                *small[slot].get_or_insert_with(|| kept.add(parent, Frame::Small, 0))
            }
        };
        let own = &mut kept.nodes[at as usize].own;
        *own = own.saturating_add(node.own);
        place.push(at);
    }
    Ok(Stacks { stacks: kept.in_order(profile), basis: Basis::Recorded })
}

/// Stacks in the making, callers before callees.
#[derive(Default)]
struct Tree {
    nodes: Vec<Node>,
}

struct Node {
    parent: Option<u32>,
    frame: Frame,
    depth: u32,
    own: i64,
    total: i128,
}

impl Tree {
    fn add(&mut self, parent: Option<u32>, frame: Frame, own: i64) -> u32 {
        let depth = parent.map_or(0, |p| self.nodes[p as usize].depth + 1);
        self.nodes.push(Node { parent, frame, depth, own, total: 0 });
        (self.nodes.len() - 1) as u32
    }

    fn add_up(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            node.total += i128::from(node.own);
            let (parent, total) = (node.parent, node.total);
            if let Some(parent) = parent {
                self.nodes[parent as usize].total += total;
            }
        }
    }

    /// Depth-first, dearest first, ties by name; without stacks that cost nothing.
    fn in_order(mut self, profile: &Profile) -> Vec<Stack> {
        self.add_up();
        let mut inner: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut open: Vec<u32> = Vec::new();
        for (at, node) in (0u32..).zip(&self.nodes) {
            match node.parent {
                _ if node.total == 0 => {}
                Some(parent) => inner[parent as usize].push(at),
                None => open.push(at),
            }
        }
        let nodes = &self.nodes;
        // The last is taken first.
        let order = |&a: &u32, &b: &u32| {
            let (a, b) = (&nodes[a as usize], &nodes[b as usize]);
            a.total.cmp(&b.total).then_with(|| compare(profile, b.frame, a.frame))
        };
        open.sort_by(order);
        let mut stacks = Vec::with_capacity(nodes.len());
        while let Some(at) = open.pop() {
            let node = &nodes[at as usize];
            stacks.push(Stack { frame: node.frame, depth: node.depth, own: node.own, total: node.total });
            let inner = &mut inner[at as usize];
            inner.sort_by(order);
            open.append(inner);
        }
        stacks
    }
}

/// The order of frames that cost the same.
fn compare(profile: &Profile, a: Frame, b: Frame) -> Ordering {
    match (a, b) {
        (Frame::Function(a), Frame::Function(b)) => profile.sort_key(a).cmp(&profile.sort_key(b)),
        (Frame::Cycle(a), Frame::Cycle(b)) => a.cmp(&b),
        (Frame::Function(_), _) | (Frame::Cycle(_), Frame::Small) => Ordering::Less,
        (Frame::Small, Frame::Small) => Ordering::Equal,
        (_, Frame::Function(_)) | (Frame::Small, Frame::Cycle(_)) => Ordering::Greater,
    }
}

/// The estimate from arcs.
struct Estimate<'a> {
    profile: &'a Profile,
    inclusive: &'a Inclusive,
    event: Event,
    least: f64,
    /// What functions outside cycles, and then cycles, cost with all they call.
    weights: Vec<f64>,
    /// How much of that no call accounts for.
    begins: Vec<f64>,
    tree: Tree,
    /// For every node, how much of all its function does happens there: a share from 0 to 1.
    shares: Vec<f64>,
}

impl<'a> Estimate<'a> {
    fn new(profile: &'a Profile, inclusive: &'a Inclusive, event: Event, least: f64) -> Estimate<'a> {
        let units = profile.functions.len() + inclusive.cycles.len();
        let (mut into, mut out) = (vec![0i128; units], vec![0i128; units]);
        let unit = |id: FunctionId| unit(profile, inclusive, id);
        for id in profile.function_ids() {
            out[unit(id)] += i128::from(cost(profile, profile.self_cost(id), event));
        }
        for arc in &profile.arcs {
            let (caller, callee) = (unit(arc.caller), unit(arc.callee));
            if caller != callee {
                let cost = i128::from(cost(profile, profile.arc_cost(arc), event));
                out[caller] += cost;
                into[callee] += cost;
            }
        }
        let weights = into.iter().zip(&out).map(|(&into, &out)| into.max(out) as f64).collect();
        let begins = into.iter().zip(&out).map(|(&into, &out)| (out - into).max(0) as f64).collect();
        Estimate { profile, inclusive, event, least, weights, begins, tree: Tree::default(), shares: Vec::new() }
    }

    /// Goes from callers to callees, the dearest stack first, as long as stacks are not too small.
    fn grow(&mut self) {
        let mut open: BinaryHeap<(Weight, Reverse<u32>)> = BinaryHeap::new();
        for unit in 0..self.weights.len() {
            if self.begins[unit] > 0.0 {
                self.add(None, unit, self.begins[unit], &mut open);
            }
        }
        let mut callees: Vec<(usize, f64)> = Vec::new();
        while let Some((_, Reverse(at))) = open.pop() {
            let share = self.shares[at as usize];
            match self.tree.nodes[at as usize].frame {
                Frame::Cycle(cycle) => {
                    for &member in &self.inclusive.cycles[cycle].members {
                        let weight = self.member_weight(member) * share;
                        self.add_frame(Some(at), Frame::Function(member), weight, share, &mut open);
                    }
                }
                Frame::Function(id) => {
                    let own = unit(self.profile, self.inclusive, id);
                    callees.clear();
                    for arc in self.profile.arcs_of(id) {
                        let callee = unit(self.profile, self.inclusive, arc.callee);
                        let cost = cost(self.profile, self.profile.arc_cost(arc), self.event) as f64;
                        if callee != own && cost > 0.0 {
                            callees.push((callee, cost));
                        }
                    }
                    callees.sort_unstable_by_key(|&(callee, _)| callee);
                    callees.dedup_by(|b, a| {
                        let same = a.0 == b.0;
                        a.1 += if same { b.1 } else { 0.0 };
                        same
                    });
                    for &(callee, cost) in &callees {
                        self.add(Some(at), callee, cost * share, &mut open);
                    }
                }
                Frame::Small => {}
            }
        }
    }

    /// What a member of a cycle costs with all it calls outside.
    fn member_weight(&self, id: FunctionId) -> f64 {
        let own = unit(self.profile, self.inclusive, id);
        let outside = |arc: &&crate::profile::CallEdge| unit(self.profile, self.inclusive, arc.callee) != own;
        let arcs = self.profile.arcs_of(id).iter().filter(outside);
        let arcs: f64 = arcs.map(|arc| cost(self.profile, self.profile.arc_cost(arc), self.event) as f64).sum();
        arcs + cost(self.profile, self.profile.self_cost(id), self.event) as f64
    }

    /// Adds a function or a cycle that costs `weight` here.
    fn add(&mut self, parent: Option<u32>, unit: usize, weight: f64, open: &mut BinaryHeap<(Weight, Reverse<u32>)>) {
        let frame = match unit.checked_sub(self.profile.functions.len()) {
            Some(cycle) => Frame::Cycle(cycle),
            None => Frame::Function(FunctionId(unit as u32)),
        };
        if self.weights[unit] > 0.0 {
            self.add_frame(parent, frame, weight, weight / self.weights[unit], open);
        }
    }

    fn add_frame(
        &mut self,
        parent: Option<u32>,
        frame: Frame,
        weight: f64,
        share: f64,
        open: &mut BinaryHeap<(Weight, Reverse<u32>)>,
    ) {
        let depth = parent.map_or(0, |p| self.tree.nodes[p as usize].depth + 1);
        if weight < self.least || depth >= MAX_DEPTH || self.tree.nodes.len() >= MAX_STACKS {
            return;
        }
        let at = self.tree.add(parent, frame, 0);
        self.shares.push(share);
        open.push((Weight(weight), Reverse(at)));
    }

    /// Divides every function's self cost over its stacks, the small ones together.
    fn into_tree(mut self) -> Tree {
        let mut nodes_of: Vec<Vec<u32>> = vec![Vec::new(); self.profile.functions.len()];
        for (at, node) in (0u32..).zip(&self.tree.nodes) {
            if let Frame::Function(id) = node.frame {
                nodes_of[id.index()].push(at);
            }
        }
        let mut small = None;
        for id in self.profile.function_ids() {
            let own = cost(self.profile, self.profile.self_cost(id), self.event);
            let nodes = &nodes_of[id.index()];
            let mut shares: Vec<f64> = nodes.iter().map(|&at| self.shares[at as usize]).collect();
            let rest = 1.0 - shares.iter().sum::<f64>();
            shares.push(if rest > NOISE || nodes.is_empty() { rest.max(NOISE) } else { 0.0 });
            let parts = divide(own, &shares);
            for (&at, &part) in nodes.iter().zip(&parts) {
                self.tree.nodes[at as usize].own = part;
            }
            if let Some(&rest) = parts.last().filter(|&&rest| rest > 0) {
                let top = *small.get_or_insert_with(|| self.tree.add(None, Frame::Small, 0));
                if rest as f64 >= self.least {
                    self.tree.add(Some(top), Frame::Function(id), rest);
                } else {
                    let own = &mut self.tree.nodes[top as usize].own;
                    *own = own.saturating_add(rest);
                }
            }
        }
        self.tree
    }
}

/// A function's place among the weights: its own, or its cycle's.
fn unit(profile: &Profile, inclusive: &Inclusive, id: FunctionId) -> usize {
    inclusive.cycle_of(id).map_or(id.index(), |cycle| profile.functions.len() + cycle)
}

/// Divides a count in proportion to shares, of which one is above zero, without loss: each gets the whole part of its
/// due, and those with the largest remainders get one more.
fn divide(count: i64, shares: &[f64]) -> Vec<i64> {
    let all: f64 = shares.iter().sum();
    let due: Vec<f64> = shares.iter().map(|share| count as f64 * (share / all)).collect();
    let mut parts: Vec<i64> = due.iter().map(|due| (due.floor() as i64).clamp(0, count)).collect();
    let mut rest = i128::from(count) - parts.iter().map(|&part| i128::from(part)).sum::<i128>();
    let mut order: Vec<usize> = (0..shares.len()).filter(|&at| shares[at] > 0.0).collect();
    order.sort_by(|&a, &b| due[b].fract().total_cmp(&due[a].fract()).then(a.cmp(&b)));
    for &at in order.iter().take(usize::try_from(rest).unwrap_or(0)) {
        parts[at] = parts[at].saturating_add(1);
        rest -= 1;
    }
    // Of counts beyond 2^53 the dues are not exact; the largest take what is off.
    order.sort_by(|&a, &b| parts[b].cmp(&parts[a]).then(a.cmp(&b)));
    for &at in &order {
        let new = (i128::from(parts[at]) + rest).clamp(0, i128::from(count));
        rest -= new - i128::from(parts[at]);
        parts[at] = new as i64;
    }
    parts
}

/// A cost as it is ordered.
#[derive(Clone, Copy)]
struct Weight(f64);

impl Ord for Weight {
    fn cmp(&self, other: &Weight) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Weight {
    fn partial_cmp(&self, other: &Weight) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Weight {
    fn eq(&self, other: &Weight) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Weight {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_a_division() {
        assert_eq!(divide(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(divide(7, &[0.5, 0.0, 0.5]), [4, 0, 3]);
        assert_eq!(divide(0, &[0.3, 0.7]), [0, 0]);
        assert_eq!(divide(1, &[0.2, 0.7, 0.1]), [0, 1, 0]);
        for count in [i64::MAX, i64::MAX - 1, (1 << 53) + 1, 999_999_999_999_999_999] {
            for shares in [&[0.1, 0.2, 0.7][..], &[1e-9, 1.0 - 1e-9], &[1.0 / 3.0; 3], &[1.0]] {
                let parts = divide(count, shares);
                assert_eq!(parts.iter().map(|&p| i128::from(p)).sum::<i128>(), i128::from(count), "{shares:?}");
                assert!(parts.iter().all(|&part| part >= 0));
            }
        }
    }
}
