//! A profile whose costs and calls belong to other functions and lines than they were recorded for, with more functions.
//!
//! [`crate::analysis`] computes what belongs where; the totals stay those of the run.

use super::{CallTable, Costs, Function, FunctionId, Line, Profile};
use std::sync::{Arc, OnceLock};

/// What belongs where.
pub(crate) struct Relaid {
    /// All functions: those of the profile, which keep their ids, and more.
    pub(crate) functions: Vec<Function>,
    /// What they cost, by id.
    pub(crate) self_costs: Costs,
    /// Their lines, ordered, and what these cost.
    pub(crate) lines: Vec<Line>,
    pub(crate) line_costs: Costs,
    /// The calls between them.
    pub(crate) calls: CallTable,
}

impl Profile {
    /// The profile with this in place of what was recorded. The tree of calls, costs by input size, what inputs state of
    /// whole functions and single instructions are not kept.
    pub(crate) fn relaid(self, relaid: Relaid) -> Profile {
        let Relaid {
            functions,
            self_costs,
            lines,
            line_costs,
            calls,
        } = relaid;
        let mut recorded = self.recorded;
        recorded.extend((self.functions.len()..functions.len()).map(|id| FunctionId(id as u32)));
        let (arcs, sites, call_costs, _) = calls.finish();
        Profile {
            functions,
            recorded,
            lines,
            arcs,
            stated: None,
            tree: None,
            sizes: None,
            code: None,
            sites,
            self_costs,
            line_costs: Arc::new(line_costs),
            call_costs: Arc::new(call_costs),
            by_callee: OnceLock::new(),
            ..self
        }
    }
}
