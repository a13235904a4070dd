//! Removes functions from a profile. Their costs are in no row any more, and the totals stay those
//! of the run.
//!
//! [`crate::analysis`] decides which functions to remove. The formats of other programs are written
//! from the rest.

use super::{
    CallEdge, Contexts, Function, FunctionId, Line, Profile, StatedCosts, Totals, TotalsSource,
};
use std::sync::{Arc, OnceLock};

impl Profile {
    /// Keeps the functions that stay, and the arcs and call sites between them.
    /// `stated` gives each function's inclusive cost, calls and line, because the remaining arcs no
    /// longer add up to them. Contexts stay with their functions. The tree of calls, costs by input
    /// size and single instructions are dropped.
    pub(crate) fn kept(self, stays: &[bool], stated: Option<&StatedCosts>) -> Profile {
        let mut functions: Vec<Function> = Vec::new();
        let mut costs = super::costs::Costs::default();
        let mut left: Option<StatedCosts> = stated.map(|_| StatedCosts::default());
        let mut ids: Vec<Option<FunctionId>> = Vec::with_capacity(self.functions.len());
        for (&function, id) in self.functions.iter().zip(self.function_ids()) {
            if !stays[id.index()] {
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
        let contexts = self.contexts.as_deref().map(|contexts| {
            let of = contexts.functions.iter();
            let stays: Vec<bool> = of.clone().map(|id| stays[id.index()]).collect();
            Arc::new(Contexts {
                profile: Arc::new(Profile::clone(&contexts.profile).kept(&stays, None)),
                functions: of.filter_map(|&id| new(id)).collect(),
            })
        });
        let mut arcs = self.arcs;
        CallEdge::keep(&mut arcs, new);
        Profile {
            functions,
            recorded,
            lines,
            arcs,
            // The remaining costs do not add up to the totals, and formats must not claim that they
            // do.
            totals: Totals {
                source: TotalsSource::Summary,
                ..self.totals
            },
            stated: left,
            contexts,
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
