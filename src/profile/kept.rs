//! Removes functions from a profile. Their costs are in no row any more, and the totals stay those
//! of the run.
//!
//! [`crate::analysis`] decides which functions to remove.

use super::{CallEdge, Contexts, Costs, FunctionId, Line, Profile, StatedCosts};
use std::sync::{Arc, OnceLock};

impl Profile {
    /// Keeps the functions that stay, what is stated about them, and the arcs and call sites
    /// between them. Contexts stay with their functions. The tree of calls, costs by input size and
    /// single instructions are dropped. Also returns the new ids of all functions.
    pub(crate) fn kept(self, stays: &[bool]) -> (Profile, Vec<Option<FunctionId>>) {
        let (mut functions, mut self_costs) = (Vec::new(), Costs::default());
        let mut stated = self.stated.as_ref().map(|_| StatedCosts::default());
        let mut ids = Vec::with_capacity(stays.len());
        for (&function, id) in self.functions.iter().zip(self.function_ids()) {
            ids.push(stays[id.index()].then(|| {
                let new = FunctionId(self_costs.push());
                self_costs.add(new.0, self.self_cost(id));
                functions.push(function);
                if let (Some(left), Some(stated)) = (&mut stated, &self.stated) {
                    left.add(new, stated.inclusive(id), stated.calls(id), stated.line(id));
                }
                new
            }));
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
                profile: Arc::new(Profile::clone(&contexts.profile).kept(&stays).0),
                functions: of.filter_map(|&id| new(id)).collect(),
            })
        });
        let mut arcs = self.arcs;
        CallEdge::keep(&mut arcs, new);
        let profile = Profile {
            functions,
            recorded,
            lines,
            arcs,
            stated,
            contexts,
            tree: None,
            sizes: None,
            code: None,
            self_costs,
            by_callee: OnceLock::new(),
            ..self
        };
        (profile, ids)
    }
}
