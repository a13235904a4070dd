//! The call graph of one event: the functions and arcs that matter.

use super::{Inclusive, Label};
use crate::profile::{Event, FunctionId, Order, Profile};

/// A function.
pub struct GraphFunction<'a> {
    /// File, name, object, cycle.
    pub label: Label<'a>,
    /// Self cost.
    pub own: i64,
    /// Inclusive cost.
    pub inclusive: i64,
    /// How often it was called.
    pub called: u64,
}

/// An arc between two of the nodes.
pub struct Edge {
    /// The caller's place among the nodes.
    pub caller: usize,
    /// The callee's.
    pub callee: usize,
    /// How often it called.
    pub count: u64,
    /// What that cost; within recursion at most what the callee or its cycle costs, as calls there contain each other.
    pub cost: i64,
}

/// A part of the call graph.
pub struct CallGraph<'a> {
    /// The functions, dearest first, inclusively.
    pub nodes: Vec<GraphFunction<'a>>,
    /// The arcs by caller and callee.
    pub edges: Vec<Edge>,
    /// What 100 % is.
    pub total: i64,
    /// How many functions are left out, and how many arcs.
    pub left_out: (usize, usize),
}

impl<'a> CallGraph<'a> {
    /// Functions of at least the share `node` of the total, inclusively, from 0 to 1, and the arcs between them of at least
    /// a fifth of that.
    pub fn new(
        profile: &'a Profile,
        inclusive: &'a Inclusive,
        event: Event,
        node: f64,
    ) -> CallGraph<'a> {
        let count = |row: &[i64]| profile.events.counted(row, event);
        let total = count(&profile.totals.row);
        let has = |cost: i64, share: f64| {
            cost.unsigned_abs() as f64 >= total.unsigned_abs() as f64 * share
        };
        let cost = |id: FunctionId| count(inclusive.cost(id));
        let mut ids: Vec<FunctionId> = profile
            .function_ids()
            .filter(|&id| has(cost(id), node))
            .collect();
        ids.order_by(|&a, &b| {
            cost(b)
                .cmp(&cost(a))
                .then_with(|| Label::of(profile, a).compare(&Label::of(profile, b)))
        });
        let mut place = vec![None; profile.functions.len()];
        for (at, id) in ids.iter().enumerate() {
            place[id.index()] = Some(at);
        }
        let mut edges: Vec<Edge> = profile
            .arcs
            .iter()
            .filter_map(|arc| {
                let cost = count(&inclusive.capped(arc, profile.arc_cost(arc)));
                let (caller, callee) = (place[arc.caller.index()]?, place[arc.callee.index()]?);
                has(cost, node / 5.0).then_some(Edge {
                    caller,
                    callee,
                    count: arc.count,
                    cost,
                })
            })
            .collect();
        edges.order_by_key(|edge| (edge.caller, edge.callee));
        let left_out = (
            profile.functions.len() - ids.len(),
            profile.arcs.len() - edges.len(),
        );
        let node = |&id: &FunctionId| GraphFunction {
            label: Label {
                cycle: inclusive.cycle_of(id).map(|at| at + 1),
                ..Label::of(profile, id)
            },
            own: count(profile.self_cost(id)),
            inclusive: cost(id),
            called: inclusive.called(id),
        };
        CallGraph {
            nodes: ids.iter().map(node).collect(),
            edges,
            total,
            left_out,
        }
    }
}
