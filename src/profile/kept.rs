//! A profile without some of its functions: what they cost is in no row any more, and the totals stay those of the run.
//!
//! [`crate::analysis`] decides which functions are left out; the formats of other programs are written of the rest.

use super::{CallEdge, Function, FunctionId, Line, Profile, StatedCosts, Totals, TotalsSource};
use std::sync::OnceLock;

impl Profile {
    /// The profile with the functions that stay, and with the arcs and call sites both ends of which do. `stated` is what is
    /// known of a function as a whole, which the arcs that are left no longer tell: its inclusive cost, its calls, its line.
    /// The tree of calls, costs by input size and single instructions are not kept.
    pub(crate) fn kept(
        self,
        stays: impl Fn(FunctionId) -> bool,
        stated: Option<&StatedCosts>,
    ) -> Profile {
        let mut functions: Vec<Function> = Vec::new();
        let mut costs = super::costs::Costs::default();
        let mut left: Option<StatedCosts> = stated.map(|_| StatedCosts::default());
        let mut ids: Vec<Option<FunctionId>> = Vec::with_capacity(self.functions.len());
        for (&function, id) in self.functions.iter().zip(self.function_ids()) {
            if !stays(id) {
                ids.push(None);
                continue;
            }
            let new = FunctionId(costs.push());
            costs.add(new.0, self.self_costs.row(id.0));
            functions.push(function);
            if let (Some(left), Some(stated)) = (&mut left, stated) {
                left.add(new, stated.inclusive(id), stated.calls(id), stated.line(id));
            }
            ids.push(Some(new));
        }
        let new = |id: FunctionId| ids[id.index()];
        let recorded = self.recorded.iter().filter_map(|&id| new(id)).collect();
        let line = |line: Line| {
            Some(Line {
                function: new(line.function)?,
                ..line
            })
        };
        let lines = self.lines.into_iter().filter_map(line).collect();
        let mut arcs = self.arcs;
        CallEdge::keep(&mut arcs, new);
        Profile {
            functions,
            recorded,
            lines,
            arcs,
            // They are no sum of what is left, and formats must not say that they are.
            totals: Totals {
                source: TotalsSource::Summary,
                ..self.totals
            },
            stated: left,
            tree: None,
            sizes: None,
            code: None,
            inlined: None,
            self_costs: costs,
            by_callee: OnceLock::new(),
            ..self
        }
    }
}
