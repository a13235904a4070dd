//! Builds a profile with fewer functions: the costs of the others are attributed to the remaining
//! ones, or shown in a separate row.
//!
//! [`crate::analysis`] decides which function takes over which cost. Every view and format treats
//! the result like any other profile.

use super::{Function, FunctionId, Line, NameId, Profile, Relaid, Site, is_free};
use std::{collections::HashMap, sync::Arc};

/// What remains, by the ids of the existing profile.
pub(crate) struct Folded<'a> {
    /// Which functions stay.
    pub kept: &'a [bool],
    /// All functions with the new costs, lines and calls of those that stay.
    pub costs: Relaid,
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
        let has_lines = !self.lines.is_empty();
        let whole = self.relaid(folded.costs);
        // It shares the names, which are about to change.
        drop(self);
        let (mut profile, ids) = whole.kept(folded.kept);
        let (names, strip) = (&mut profile.names, folded.strip);
        let mut stripped: HashMap<NameId, NameId> = HashMap::new();
        let mut file = |id: NameId| {
            *stripped.entry(id).or_insert_with(|| {
                let short = names
                    .get(id)
                    .strip_prefix(strip)
                    .filter(|rest| !strip.is_empty() && !rest.is_empty());
                let short = short.map(<[u8]>::to_vec);
                short.map_or(id, |short| Arc::make_mut(names).intern(&short))
            })
        };
        for function in &mut profile.functions {
            (function.file, function.recorded) = (file(function.file), true);
        }
        for line in &mut profile.lines {
            line.file = file(line.file);
        }
        Line::by_place(&mut profile.lines);
        for site in &mut profile.sites {
            site.file = file(site.file);
        }
        for arc in &profile.arcs {
            Site::by_place(&mut profile.sites[arc.sites.start as usize..arc.sites.end as usize]);
        }
        let (name, rest) = folded.rest;
        if !is_free(rest) {
            let function = FunctionId(profile.self_costs.push());
            profile.self_costs.add(function.0, rest);
            profile.recorded.push(function);
            let name = Arc::make_mut(&mut profile.names).intern(name.as_bytes());
            profile.functions.push(Function {
                object: NameId::EMPTY,
                file: NameId::UNKNOWN,
                name,
                recorded: true,
            });
            // Lists of lines must add up to the totals, too.
            if has_lines {
                let costs = Arc::make_mut(&mut profile.line_costs);
                let row = costs.push();
                costs.add(row, rest);
                profile.lines.push(Line {
                    function,
                    file: NameId::UNKNOWN,
                    line: 0,
                    row,
                });
            }
        }
        (profile, ids)
    }
}
