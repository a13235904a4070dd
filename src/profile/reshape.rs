//! Rewrites a profile with other names and fewer events. Functions that get the same three names
//! become one: their self costs, lines and calls add up, and calls between them become recursion.
//!
//! The comparison of two profiles uses it to give both the same names.

use super::{
    CallEdge, CallTable, Contexts, Costs, Events, Function, FunctionId, Line, LineTable, NEVER,
    NameId, Names, Part, Profile, Site, StatedCosts, Totals,
};
use foldhash::HashMap;
use std::sync::Arc;

/// The new names and events.
pub(crate) struct Shape {
    /// The names that the ids below refer to.
    pub names: Arc<Names>,
    /// The object, file and name of every function.
    pub functions: Vec<[NameId; 3]>,
    /// The new file for each name of the profile that is a file.
    pub files: Vec<NameId>,
    /// The events that are kept.
    pub events: Events,
    /// For each recorded event that is kept, its column in the profile.
    pub columns: Vec<usize>,
}

impl Shape {
    /// Gives the functions of a profile other names, and changes nothing else.
    pub(crate) fn renaming(
        profile: &Profile,
        names: Arc<Names>,
        functions: Vec<[NameId; 3]>,
    ) -> Shape {
        Shape {
            names,
            functions,
            files: profile.names.ids().collect(),
            events: profile.events.clone(),
            columns: (0..profile.events.recorded().len()).collect(),
        }
    }
}

/// How many functions became each of the new ones. `ids` has the new function of each old one.
pub(crate) fn members(ids: &[FunctionId], functions: usize) -> Vec<u32> {
    let mut members = vec![0; functions];
    ids.iter().for_each(|id| members[id.index()] += 1);
    members
}

impl Profile {
    /// Returns the rewritten profile, and the new id of each function. Of the parts it keeps only
    /// the header lines about the run. It drops the tree of calls, costs by input size and single
    /// instructions.
    pub(crate) fn reshaped(&self, shape: &Shape) -> (Profile, Vec<FunctionId>) {
        let Shape {
            names,
            functions: renamed,
            files,
            events,
            columns,
        } = shape;
        let pick_into = |picked: &mut Vec<i64>, row: &[i64]| {
            picked.clear();
            picked.extend(
                columns
                    .iter()
                    .map(|&column| row.get(column).copied().unwrap_or(NEVER)),
            );
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
        let mut index: HashMap<[NameId; 3], FunctionId> = HashMap::default();
        let mut ids = Vec::with_capacity(self.functions.len());
        // Nothing is allocated for a function or a line: there may be millions.
        let mut row = Vec::with_capacity(columns.len());
        for (&[object, file, name], id) in renamed.iter().zip(self.function_ids()) {
            let new = *index.entry([object, file, name]).or_insert_with(|| {
                functions.push(Function {
                    object,
                    file,
                    name,
                    recorded: false,
                });
                FunctionId(self_costs.push())
            });
            pick_into(&mut row, self.self_cost(id));
            self_costs.add(new.0, &row);
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
        let every_column = columns.iter().copied().eq(0..self.events.recorded().len());
        // If no functions are merged, they keep their ids, and their lines and calls can stay as
        // they are.
        let stays = every_column && functions.len() == self.functions.len();
        let lines = if stays { self.lines_under(file) } else { None };
        let (lines, line_costs) = lines.unwrap_or_else(|| {
            let mut lines = LineTable::default();
            for line in &self.lines {
                pick_into(&mut row, self.line_cost(line));
                lines.add(ids[line.function.index()], file(line.file), line.line, &row);
            }
            let (lines, costs) = lines.finish();
            (lines, Arc::new(costs))
        });
        let calls = if stays { self.calls_under(file) } else { None };
        let (arcs, sites, call_costs) = calls.unwrap_or_else(|| {
            let mut calls = CallTable::default();
            for arc in &self.arcs {
                for site in self.sites(arc) {
                    let key = (
                        ids[arc.caller.index()],
                        ids[arc.callee.index()],
                        file(site.file),
                        site.line,
                    );
                    pick_into(&mut row, self.site_cost(site));
                    calls.add(key, [site.count], &row);
                }
            }
            let (arcs, sites, costs, _) = calls.finish();
            (arcs, sites, Arc::new(costs))
        });
        let stated = self.stated.as_ref().map(|said| {
            let members = members(&ids, functions.len());
            let mut stated = StatedCosts::default();
            for (id, &new) in self.function_ids().zip(&ids) {
                // The inclusive costs of several functions contain each other.
                let inclusive = if members[new.index()] == 1 {
                    pick(said.inclusive(id))
                } else {
                    Vec::new()
                };
                stated.add(new, &inclusive, said.calls(id), said.line(id));
            }
            stated
        });
        let about = |part: &Part| Part {
            summary: None,
            totals: None,
            self_cost: Vec::new(),
            ..part.clone()
        };
        let contexts = self.contexts.as_deref().map(|contexts| {
            let functions = contexts.functions.iter().map(|id| ids[id.index()]);
            let mut profile = Arc::clone(&contexts.profile);
            if !every_column {
                let names = profile.functions.iter().map(Function::names);
                let shape = Shape {
                    events: events.clone(),
                    columns: columns.clone(),
                    ..Shape::renaming(&profile, Arc::clone(&profile.names), names.collect())
                };
                profile = Arc::new(profile.reshaped(&shape).0);
            }
            Arc::new(Contexts {
                profile,
                functions: functions.collect(),
            })
        });
        let profile = Profile {
            contexts,
            format: self.format,
            mixes_calls: self.mixes_calls,
            inputs: self.inputs.clone(),
            parts: self.parts.iter().map(about).collect(),
            events: events.clone(),
            names: Arc::clone(names),
            functions,
            recorded,
            lines,
            arcs,
            totals: Totals {
                row: pick(&self.totals.row),
                lines: pick(&self.totals.lines),
                source: self.totals.source,
            },
            carried: self.carried.clone(),
            stated,
            sites,
            self_costs,
            line_costs,
            call_costs,
            ..Profile::default()
        };
        (profile, ids)
    }

    /// The lines with the new files, if functions and events stay. `None` if several lines of a
    /// function become one.
    fn lines_under(&self, file: impl Fn(NameId) -> NameId) -> Option<(Vec<Line>, Arc<Costs>)> {
        let mut lines: Vec<Line> = self
            .lines
            .iter()
            .map(|line| Line {
                file: file(line.file),
                ..*line
            })
            .collect();
        for lines in lines.chunk_by_mut(|a, b| a.function == b.function) {
            Line::by_place(lines);
            if !lines.is_sorted_by(|a, b| (a.file, a.line) < (b.file, b.line)) {
                return None;
            }
        }
        Some((lines, Arc::clone(&self.line_costs)))
    }

    /// The calls with the new files, if functions and events stay. `None` if several sites of an
    /// arc become one.
    fn calls_under(
        &self,
        file: impl Fn(NameId) -> NameId,
    ) -> Option<(Vec<CallEdge>, Vec<Site>, Arc<Costs>)> {
        let mut sites: Vec<Site> = self
            .sites
            .iter()
            .map(|site| Site {
                file: file(site.file),
                ..*site
            })
            .collect();
        for arc in &self.arcs {
            let sites = &mut sites[arc.sites.start as usize..arc.sites.end as usize];
            if sites.len() > 1 {
                Site::by_place(sites);
                if !sites.is_sorted_by(|a, b| (a.file, a.line) < (b.file, b.line)) {
                    return None;
                }
            }
        }
        Some((self.arcs.clone(), sites, Arc::clone(&self.call_costs)))
    }
}
