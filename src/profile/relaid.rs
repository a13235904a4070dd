//! Moves the costs and calls of a profile to other functions and lines, with additional functions.
//!
//! [`crate::analysis`] decides what belongs where. The totals stay those of the run.

use super::{CallTable, Costs, Function, FunctionId, Line, Profile};
use std::sync::Arc;

/// The new functions, costs and calls.
pub(crate) struct Relaid {
    /// All functions: those of the profile, which keep their ids, and new ones.
    pub functions: Vec<Function>,
    /// Their self costs, by id.
    pub self_costs: Costs,
    /// Their lines, sorted, and the costs of these.
    pub lines: Vec<Line>,
    pub line_costs: Costs,
    /// The calls between them.
    pub calls: CallTable,
}

impl Profile {
    /// A profile of the same run with other functions, costs and calls. It has no tree of calls,
    /// costs by input size, single instructions, or statements of inputs about whole functions.
    pub(crate) fn relaid(&self, relaid: Relaid) -> Profile {
        let Relaid {
            functions,
            self_costs,
            lines,
            line_costs,
            calls,
        } = relaid;
        let mut recorded = self.recorded.clone();
        recorded.extend((self.functions.len()..functions.len()).map(|id| FunctionId(id as u32)));
        let (arcs, sites, call_costs, _) = calls.finish();
        Profile {
            format: self.format,
            mixes_calls: self.mixes_calls,
            inputs: self.inputs.clone(),
            parts: self.parts.clone(),
            events: self.events.clone(),
            names: Arc::clone(&self.names),
            totals: self.totals.clone(),
            warnings: self.warnings.clone(),
            carried: self.carried.clone(),
            inlined: self.inlined.clone(),
            functions,
            recorded,
            lines,
            arcs,
            sites,
            self_costs,
            line_costs: Arc::new(line_costs),
            call_costs: Arc::new(call_costs),
            ..Profile::default()
        }
    }
}
