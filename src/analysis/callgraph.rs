//! The call graph of one event: the functions and arcs that matter.

use super::{Inclusive, Label};
use crate::profile::{Event, FunctionId, Order, Profile};

/// A function of the graph.
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

/// An arc between two nodes.
pub struct Edge {
    /// The caller, as an index in the nodes.
    pub caller: usize,
    /// The callee, as an index in the nodes.
    pub callee: usize,
    /// The number of calls.
    pub count: u64,
    /// The cost of the calls. In a recursion it is at most the cost of the callee or its cycle,
    /// because calls there contain each other.
    pub cost: i64,
}

/// A part of the call graph.
pub struct CallGraph<'a> {
    /// The functions, most expensive first by inclusive cost.
    pub nodes: Vec<GraphFunction<'a>>,
    /// The arcs by caller and callee.
    pub edges: Vec<Edge>,
    /// The base of all percentages.
    pub total: i64,
    /// The number of omitted functions, and of omitted arcs.
    pub left_out: (usize, usize),
}

impl<'a> CallGraph<'a> {
    /// The functions whose inclusive cost is at least the fraction `node` of the total, from 0 to
    /// 1. Arcs between them need at least a fifth of that.
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
                .then_with(|| Label::new(profile, a).compare(&Label::new(profile, b)))
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
                cycle: inclusive.cycle_number(id),
                ..Label::new(profile, id)
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
