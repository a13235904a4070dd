//! Bounds for the cost of a frame of a stack, computed from arcs. They hold for every run that
//! could have been recorded with these arcs.
//!
//! The graph has its cycles collapsed. A cycle is one node, and its children are its members. A
//! member has only the calls that leave the cycle. Calls among members, and of a function to
//! itself, are not in the graph and have no bounds.
//!
//! Let B cost `whole` in total, with `cost` of it in calls of C, and a cost within `span` on one
//! path. On that path, C costs at most what B costs there, and at most `cost`. Elsewhere B costs
//! `whole` minus the path's cost, and that includes the part of `cost` that is not on the path. So
//! C costs between `least + cost - whole` and `min(most, cost)` there.
//!
//! If a function is recorded only in part, because calls of it began before or ended after the
//! recording, no lower bound is possible.

use super::Inclusive;
use crate::profile::{Event, FunctionId, Grouped, Profile};
use std::collections::BinaryHeap;

/// How many paths are followed, most expensive first.
const MAX_PATHS: usize = 1_000_000;

/// The lowest and highest possible cost on one path.
#[derive(Clone, Copy)]
pub(super) struct CostBounds {
    pub least: i128,
    pub most: i128,
}

impl CostBounds {
    pub(super) fn exact(cost: i128) -> CostBounds {
        CostBounds {
            least: cost,
            most: cost,
        }
    }
}

/// A function or a cycle. Functions have the numbers of their ids; cycles follow them.
#[derive(Clone, Copy, Default)]
pub(super) struct BoundNode {
    /// The self cost. A cycle has 0, because its members have theirs.
    pub own: i128,
    /// The inclusive cost.
    pub whole: i128,
    /// The part of `whole` that is in calls, on all paths.
    pub calls: i128,
    /// The part of `whole` that is in no recorded call.
    pub begins: i128,
    /// Whether the function was recorded only in part: the cost of calls to it differs from its
    /// self cost plus the calls from it.
    in_part: bool,
}

impl BoundNode {
    /// The bounds of a callee on a path on which this node is within `span`. On all paths together,
    /// the callee costs `cost` below this node.
    pub(super) fn below(&self, span: CostBounds, cost: i128) -> CostBounds {
        let least = if self.in_part {
            0
        } else {
            (span.least + cost - self.whole).max(0)
        };
        CostBounds {
            least,
            most: span.most.min(cost),
        }
    }
}

/// The functions at the other end of a function's calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CallSide {
    Callers,
    Callees,
}

/// A callee of a node.
#[derive(Clone, Copy, Default)]
pub(super) struct NodeCallee {
    pub node: usize,
    /// Its cost below that node, on all paths.
    pub cost: i128,
}

/// The call graph of one event, with its cycles collapsed.
pub(super) struct Collapsed {
    pub nodes: Vec<BoundNode>,
    inner: Grouped<NodeCallee>,
    /// Which nodes have their callees sorted. Most are never used.
    is_sorted: Vec<bool>,
}

/// How much of the self cost certainly belongs to known stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Certain {
    /// A lower bound of that self cost.
    pub cost: i128,
    /// The self cost of everything.
    pub of: i128,
    /// Whether all paths were followed, so that the bound is exact.
    pub complete: bool,
}

impl Certain {
    /// Everything is certain.
    pub fn all(of: i128) -> Certain {
        Certain {
            cost: of,
            of,
            complete: true,
        }
    }

    /// The certain fraction, from 0 to 1; 1 if there is no cost.
    pub fn share(&self) -> f64 {
        if self.of > 0 {
            self.cost as f64 / self.of as f64
        } else {
            1.0
        }
    }

    /// The percentage as text, rounded down: 99.99 % must not read as 100 %.
    pub fn percent(&self) -> String {
        let at_least = if self.complete { "" } else { "at least " };
        format!("{at_least}{:.1} %", (self.share() * 1000.0).floor() / 10.0)
    }
}

/// How much of the self cost has certain stacks: of all functions, and of the contexts with at
/// least `callers` recorded callers. More callers can only make the rest of those certain.
pub fn certain(profile: &Profile, event: Event, callers: usize) -> [Certain; 2] {
    let contexts = profile.contexts.as_deref();
    let graph = contexts.map_or(profile, |contexts| &*contexts.profile);
    let cost = |row: &[i64]| profile.events.counted(row, event).max(0);
    let mut nodes = Collapsed::new(graph, &Inclusive::new(graph), cost);
    let is_cut = |id| contexts.is_some_and(|all| all.callers(profile, id) >= callers);
    let mut cut: Vec<bool> = graph.function_ids().map(is_cut).collect();
    cut.resize(nodes.nodes.len(), false);
    [nodes.certain(|_| true), nodes.certain(|at| cut[at])]
}

impl Collapsed {
    /// Builds the graph of one event. `cost` returns the cost of a row, which must not be below zero.
    pub(super) fn new(
        profile: &Profile,
        inclusive: &Inclusive,
        cost: impl Fn(&[i64]) -> i64,
    ) -> Collapsed {
        let functions = profile.functions.len();
        let count = |row: &[i64]| i128::from(cost(row));
        let unit = |id: FunctionId| {
            inclusive
                .cycle_of(id)
                .map_or(id.index(), |cycle| functions + cycle)
        };
        let mut nodes = vec![BoundNode::default(); functions + inclusive.cycles.len()];
        let mut into = vec![0i128; nodes.len()];
        for id in profile.function_ids() {
            let own = count(profile.self_cost(id));
            nodes[id.index()] = BoundNode {
                own,
                whole: own,
                ..BoundNode::default()
            };
        }
        let mut edges: Vec<(usize, NodeCallee)> = Vec::new();
        for arc in &profile.arcs {
            let (caller, node) = (arc.caller.index(), unit(arc.callee));
            let cost = count(profile.arc_cost(arc));
            if node != unit(arc.caller) && cost > 0 {
                nodes[caller].whole += cost;
                into[node] += cost;
                edges.push((caller, NodeCallee { node, cost }));
            }
        }
        // A function can call several members of one cycle.
        edges.sort_by_key(|(caller, call)| (*caller, call.node));
        edges.dedup_by(|(caller, call), (last, kept)| {
            let is_same = (*caller, call.node) == (*last, kept.node);
            kept.cost += i128::from(is_same) * call.cost;
            is_same
        });
        for (at, cycle) in inclusive.cycles.iter().enumerate() {
            for member in &cycle.members {
                let cost = nodes[member.index()].whole;
                nodes[functions + at].whole += cost;
                let node = member.index();
                edges.push((functions + at, NodeCallee { node, cost }));
            }
        }
        for (at, node) in nodes.iter_mut().enumerate() {
            let is_member = at < functions && inclusive.cycle_of(FunctionId(at as u32)).is_some();
            let out = node.whole;
            node.calls = out - node.own;
            if !is_member {
                node.whole = out.max(into[at]);
                node.begins = (out - into[at]).max(0);
                node.in_part = into[at] > 0 && into[at] != out;
            }
        }
        Collapsed {
            is_sorted: vec![false; nodes.len()],
            inner: Grouped::new(nodes.len(), edges.into_iter()),
            nodes,
        }
    }

    /// Makes stacks begin at the nodes for which `begins` is true, each with its whole cost. For
    /// callers, the graph is reversed: callers become callees, and the cost that begins at a node
    /// becomes its own cost.
    pub(super) fn begin_at(&mut self, begins: impl Fn(usize) -> bool, side: CallSide) {
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if side == CallSide::Callers {
                (node.own, node.calls) = (node.begins, node.whole - node.begins);
            }
            node.begins = i128::from(begins(at)) * node.whole;
            node.in_part &= !begins(at);
        }
        let mut turned = Vec::new();
        for at in 0..self.nodes.len() {
            for &NodeCallee { node, cost } in self.inner.group(at) {
                turned.push((node, NodeCallee { node: at, cost }));
                // A context can call another one of the same function.
                self.nodes[node].begins -= i128::from(begins(at) && begins(node)) * cost;
            }
        }
        if side == CallSide::Callers {
            self.inner = Grouped::new(self.nodes.len(), turned.into_iter());
        }
    }

    /// The callees of a node, most expensive first.
    pub(super) fn inner(&mut self, node: usize) -> &[NodeCallee] {
        let inner = self.inner.group_mut(node);
        if !std::mem::replace(&mut self.is_sorted[node], true) {
            inner.sort_unstable_by(|a, b| b.cost.cmp(&a.cost).then(a.node.cmp(&b.node)));
        }
        inner
    }

    /// How much self cost of some nodes certainly belongs to known stacks: the sum of the lower
    /// bounds of all paths.
    pub(super) fn certain(&mut self, counts: impl Fn(usize) -> bool) -> Certain {
        let nodes = self.nodes.iter().enumerate();
        let counted = nodes.clone().filter(|(at, _)| counts(*at));
        let of = counted.map(|(_, node)| node.own).sum();
        let begins = nodes.filter(|(_, node)| node.begins > 0);
        let mut open: BinaryHeap<(i128, usize)> =
            begins.map(|(at, node)| (node.begins, at)).collect();
        let (mut cost, mut paths) = (0, 0);
        while paths < MAX_PATHS
            && let Some((least, at)) = open.pop()
        {
            paths += 1;
            let (span, around) = (CostBounds::exact(least), self.nodes[at]);
            if counts(at) {
                cost += around.below(span, around.own).least;
            }
            // The most expensive callees come first, and a cheaper one has no higher bound.
            let inner = self
                .inner(at)
                .iter()
                .map(|call| (around.below(span, call.cost).least, call.node));
            open.extend(inner.take_while(|&(least, _)| least > 0));
        }
        Certain {
            cost,
            of,
            complete: open.is_empty(),
        }
    }
}
