//! A profile of own code alone: own costs stand where self costs stood, so that every view, table and format shows them.
//! What only an estimate can say is kept beside it.

use super::own::Own;
use super::own_lines::{Below, OwnLines};
use super::{Estimate, OwnCode, Set};
use crate::profile::{CallTable, Event, Folded, FunctionId, Line, Profile};
use std::collections::HashMap;

/// How much of the totals can be outside own code without a word.
const QUARTER: f64 = 0.25;

/// What is known of a profile of own code beside its costs.
pub struct Folds {
    /// The set in a line.
    pub said: String,
    /// How many functions are own.
    pub count: usize,
    rest: Vec<i64>,
    rest_row: Option<FunctionId>,
    /// The least and the most of functions whose own cost is an estimate.
    bounds: HashMap<FunctionId, [Vec<i64>; 2]>,
    /// By the row of a line.
    below: HashMap<u32, Below>,
}

/// How much of the calls between own functions is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// All that is known.
    Calls,
}

impl Folds {
    /// Folds foreign code into its callers. Needs the arcs, and for lines the call sites.
    /// `strip` is taken off the beginnings of file names, behind the decision what is own.
    pub fn new(profile: Profile, set: &Set, between: Between, strip: &[u8]) -> (Profile, Folds) {
        let code = OwnCode::new(&profile, set);
        let own = Own::new(&profile, &code);
        let kept: Vec<bool> = profile.function_ids().map(|id| code.has(id)).collect();
        let lines = (!profile.lines.is_empty()).then(|| OwnLines::new(&profile, &code, &own));
        let (lines, line_costs, below) = lines.map_or_else(Default::default, OwnLines::into_parts);
        let calls = match between {
            Between::Nothing => CallTable::default(),
            Between::Calls => calls(&profile, &code, &own),
        };
        let (said, count) = (code.said(), code.count());
        let rest = (set.rest(), &own.rest[..]);
        let self_costs = &own.values;
        let folded = Folded { kept: &kept, self_costs, lines, line_costs, calls, strip, rest };
        let (profile, ids) = profile.folded(folded);
        let rest_row = profile.function_ids().nth(count);
        let new = |(id, bounds): (FunctionId, &[Vec<i64>; 2])| Some((ids[id.index()]?, bounds.clone()));
        let bounds = own.estimated().filter_map(new).collect();
        (profile, Folds { said, count, rest: own.rest, rest_row, bounds, below })
    }

    /// What is known of a function's own cost in the profile of own code, where that is an estimate.
    pub fn estimated(&self, profile: &Profile, id: FunctionId, event: Event) -> Option<Estimate> {
        let bounds = self.bounds.get(&id)?;
        Some(super::own::estimate(profile, profile.self_cost(id), Some(bounds), event)).filter(|e| !e.is_exact())
    }

    /// A word on cost that is not under own code, if it is much.
    pub fn doubt(&self, profile: &Profile, event: Event) -> Option<String> {
        let count = |row: &[i64]| profile.events.count(row, event).unwrap_or(0) as f64;
        let share = count(&self.rest) / count(&profile.totals.row);
        (share > QUARTER).then(|| {
            let percent = (share * 100.0).round();
            format!("{percent} % is not under own code; threads that a library starts have no own caller in the record")
        })
    }

    /// The row of what is not under own code, if there is any.
    pub(crate) fn rest_row(&self) -> Option<FunctionId> {
        self.rest_row
    }

    /// How many functions have an own cost that is an estimate.
    pub fn estimates(&self) -> usize {
        self.bounds.len()
    }

    /// What foreign code did for a line: its cost, which is part of the line's, and in how many functions.
    pub(crate) fn below(&self, line: &Line) -> Option<(&[i64], usize)> {
        self.below.get(&line.row).map(|below| (&below.cost[..], below.functions))
    }
}

/// The calls between own functions: those that were recorded, and those through foreign functions that only one own
/// function reaches. The call site of those is not known.
fn calls(profile: &Profile, code: &OwnCode<'_>, own: &Own) -> CallTable {
    let mut calls = CallTable::default();
    for arc in profile.arcs.iter().filter(|arc| code.has(arc.callee)) {
        let node = own.passing.node[arc.caller.index()];
        let through = own.passing.label.get(node as usize).filter(|&&owner| (owner as usize) < profile.functions.len());
        match (code.has(arc.caller), through) {
            (true, _) => {
                let sites = profile.sites(arc);
                for site in sites {
                    calls.add((arc.caller, arc.callee, site.file, site.line), site.count, profile.site_cost(site));
                }
                if sites.is_empty() {
                    let file = profile.function(arc.caller).file;
                    calls.add((arc.caller, arc.callee, file, 0), arc.count, profile.arc_cost(arc));
                }
            }
            (false, Some(&owner)) => {
                let caller = FunctionId(owner);
                let file = profile.function(caller).file;
                calls.add((caller, arc.callee, file, 0), arc.count, profile.arc_cost(arc));
            }
            (false, None) => {}
        }
    }
    calls
}
