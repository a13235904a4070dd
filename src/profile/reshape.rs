//! Rewrites a profile with other names and fewer events. Functions that get the same three names become one: self
//! costs, lines and calls are added up, and calls between them become recursion.
//!
//! Used by the comparison of two profiles, to give both one set of names.

use super::calls::CallTable;
use super::costs::{Costs, NEVER};
use super::lines::LineTable;
use super::{Events, Function, FunctionId, NameId, Names, Part, Profile, StatedCosts, Totals, Warnings};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The new names and events.
pub(crate) struct Shape {
    /// The names that the ids below refer to.
    pub(crate) names: Names,
    /// Object, file and name of every function.
    pub(crate) functions: Vec<[NameId; 3]>,
    /// The new file for each name of the profile that is a file.
    pub(crate) files: Vec<NameId>,
    /// The events that are kept.
    pub(crate) events: Events,
    /// For each recorded event that is kept, its column in the profile.
    pub(crate) columns: Vec<usize>,
}

impl Profile {
    /// The rewritten profile, and the new id of each function. Of the parts only the header lines about the run are
    /// kept; the tree of calls, costs by input size and single instructions are dropped.
    pub(crate) fn reshaped(&self, shape: Shape) -> (Profile, Vec<FunctionId>) {
        let Shape { names, functions: renamed, files, events, columns } = shape;
        let pick_into = |picked: &mut Vec<i64>, row: &[i64]| {
            picked.clear();
            picked.extend(columns.iter().map(|&column| row.get(column).copied().unwrap_or(NEVER)));
            while picked.last() == Some(&NEVER) {
                picked.pop();
            }
        };
        let pick = |row: &[i64]| -> Vec<i64> {
            let mut picked = Vec::new();
            pick_into(&mut picked, row);
            picked
        };
        let (mut functions, mut self_costs) = (Vec::new(), Costs::default());
        let mut index: HashMap<[NameId; 3], FunctionId> = HashMap::new();
        let mut ids = Vec::with_capacity(self.functions.len());
        for (&[object, file, name], id) in renamed.iter().zip(self.function_ids()) {
            let new = *index.entry([object, file, name]).or_insert_with(|| {
                functions.push(Function { object, file, name, recorded: false });
                FunctionId(self_costs.push())
            });
            self_costs.add(new.0, &pick(self.self_cost(id)));
            ids.push(new);
        }
        let file = |id: NameId| files.get(id.0 as usize).copied().unwrap_or(NameId::UNKNOWN);
        let mut recorded = Vec::new();
        for &id in &self.recorded {
            let new = ids[id.index()];
            if !std::mem::replace(&mut functions[new.index()].recorded, true) {
                recorded.push(new);
            }
        }
        let (mut lines, mut calls) = (LineTable::default(), CallTable::default());
        // Nothing is allocated for a line: there may be millions.
        let mut row = Vec::with_capacity(columns.len());
        for line in &self.lines {
            pick_into(&mut row, self.line_cost(line));
            lines.add(ids[line.function.index()], file(line.file), line.line, &row);
        }
        for arc in &self.arcs {
            for site in self.sites(arc) {
                let key = (ids[arc.caller.index()], ids[arc.callee.index()], file(site.file), site.line);
                pick_into(&mut row, self.site_cost(site));
                calls.add(key, site.count, &row);
            }
        }
        let stated = self.stated.as_ref().map(|said| {
            let mut stated = StatedCosts::default();
            for (id, &new) in self.function_ids().zip(&ids) {
                stated.add(new, &pick(said.inclusive(id)), said.calls(id), said.line(id));
            }
            stated
        });
        let (lines, line_costs) = lines.finish();
        let (arcs, sites, call_costs, _) = calls.finish();
        let about = |part: &Part| Part { summary: None, totals: None, self_cost: Vec::new(), ..part.clone() };
        let profile = Profile {
            format: self.format,
            inputs: self.inputs.clone(),
            parts: self.parts.iter().map(about).collect(),
            events,
            names: names.into(),
            functions,
            recorded,
            lines,
            arcs,
            totals: Totals { row: pick(&self.totals.row), source: self.totals.source },
            warnings: Warnings::default(),
            carried: self.carried.clone(),
            stated,
            tree: None,
            sizes: None,
            code: None,
            inlined: None,
            sites,
            self_costs,
            line_costs,
            call_costs,
            by_callee: OnceLock::new(),
        };
        (profile, ids)
    }
}
