//! Builds a profile with fewer functions: the costs of the others are attributed to the remaining
//! ones, or shown in a separate row.
//!
//! [`crate::analysis`] decides which function takes over which cost. Every view and format treats
//! the result like any other profile.

use super::{
    CallEdge, CallTable, Costs, Function, FunctionId, Line, NameId, Profile, Site, is_free,
};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// What remains, by the ids of the existing profile.
pub(crate) struct Folded<'a> {
    /// Which functions stay.
    pub kept: &'a [bool],
    /// The new self cost of each function that stays.
    pub self_costs: &'a Costs,
    /// The lines of these functions, sorted, and their costs in `line_costs`.
    pub lines: Vec<Line>,
    pub line_costs: Costs,
    /// The calls between them.
    pub calls: CallTable,
    /// The prefix to remove from file names.
    pub strip: &'a [u8],
    /// The name of the row for the cost that no function takes over, and that cost.
    pub rest: (&'a str, &'a [i64]),
}

impl Profile {
    /// Returns the profile with the functions that stay, and the new ids of all functions. It drops
    /// the tree of calls, costs by input size, single instructions, and what inputs state about
    /// whole functions.
    pub(crate) fn folded(self, folded: Folded<'_>) -> (Profile, Vec<Option<FunctionId>>) {
        let Folded {
            kept,
            self_costs,
            lines,
            mut line_costs,
            calls,
            strip,
            rest: (name, rest),
        } = folded;
        let (mut functions, mut costs, mut ids) =
            (Vec::new(), Costs::default(), Vec::with_capacity(kept.len()));
        for (&function, id) in self.functions.iter().zip(self.function_ids()) {
            let stays = kept[id.index()];
            ids.push(stays.then_some(FunctionId(functions.len() as u32)));
            if stays {
                let row = costs.push();
                costs.add(row, self_costs.row(id.0));
                functions.push(Function {
                    recorded: true,
                    ..function
                });
            }
        }
        let new = |id: FunctionId| ids[id.index()];
        let mut recorded: Vec<FunctionId> =
            self.recorded.iter().filter_map(|&id| new(id)).collect();
        let mut names = self.names;
        let mut stripped: HashMap<NameId, NameId> = HashMap::new();
        let mut file = |id: NameId| {
            *stripped.entry(id).or_insert_with(|| {
                let short = names
                    .get(id)
                    .strip_prefix(strip)
                    .filter(|rest| !strip.is_empty() && !rest.is_empty());
                let short = short.map(<[u8]>::to_vec);
                short.map_or(id, |short| Arc::make_mut(&mut names).intern(&short))
            })
        };
        functions
            .iter_mut()
            .for_each(|function: &mut Function| function.file = file(function.file));
        let line = |line: Line| {
            Some(Line {
                function: new(line.function)?,
                file: file(line.file),
                ..line
            })
        };
        let mut lines: Vec<Line> = lines.into_iter().filter_map(line).collect();
        Line::by_place(&mut lines);
        let (mut arcs, mut sites, call_costs, _) = calls.finish();
        CallEdge::keep(&mut arcs, new);
        sites
            .iter_mut()
            .for_each(|site| site.file = file(site.file));
        for arc in &arcs {
            Site::by_place(&mut sites[arc.sites.start as usize..arc.sites.end as usize]);
        }
        if !is_free(rest) {
            recorded.push(FunctionId(functions.len() as u32));
            let name = Arc::make_mut(&mut names).intern(name.as_bytes());
            functions.push(Function {
                object: NameId::EMPTY,
                file: NameId::UNKNOWN,
                name,
                recorded: true,
            });
            let row = costs.push();
            costs.add(row, rest);
            // Lists of lines must add up to the totals, too.
            if !self.lines.is_empty() {
                let (function, row) = (FunctionId(functions.len() as u32 - 1), line_costs.push());
                line_costs.add(row, rest);
                lines.push(Line {
                    function,
                    file: NameId::UNKNOWN,
                    line: 0,
                    row,
                });
            }
        }
        let profile = Profile {
            names,
            functions,
            recorded,
            lines,
            arcs,
            stated: None,
            contexts: None,
            tree: None,
            sizes: None,
            code: None,
            sites,
            self_costs: costs,
            line_costs: Arc::new(line_costs),
            call_costs: Arc::new(call_costs),
            by_callee: OnceLock::new(),
            ..self
        };
        (profile, ids)
    }
}
