//! What an older run cost, by the functions of the newer one. Which is which is decided as `diff` decides it; functions that it
//! adds up, because their names differ only in what changes from build to build, have their older cost at the first of them.

use crate::analysis::Label;
use crate::analysis::difference::{Exactness, Matching, Rules};
use crate::profile::costs::NEVER;
use crate::profile::{Event, FunctionId, Profile};
use std::collections::HashMap;

/// The older run, in the columns of the newer.
pub struct Before {
    functions: Vec<Option<Was>>,
    arcs: HashMap<(FunctionId, FunctionId), Vec<i64>>,
    /// Functions that the newer run does not have, dearest first.
    pub(super) gone: Vec<Gone>,
}

/// What a function cost.
#[derive(Default)]
pub(super) struct Was {
    pub(super) own: Vec<i64>,
    pub(super) inclusive: Vec<i64>,
}

/// A function that is no longer there.
pub(super) struct Gone {
    pub(super) name: Vec<u8>,
    pub(super) file: Vec<u8>,
    pub(super) was: Was,
}

impl Before {
    /// Compares two runs.
    pub fn new(old: &Profile, new: &Profile) -> Before {
        let rules = Rules { exactness: Exactness::Normalised, paths: Vec::new(), functions: Vec::new() };
        let matching = Matching::new(old, new, &rules);
        // The events that both have are those of the comparison; counts go where the newer run has them.
        let known = |name: &Vec<u8>| match matching.old.profile.events.find(name) {
            Some(Event::Recorded(at)) => Some(at),
            Some(Event::Derived(_)) | None => None,
        };
        let columns: Vec<Option<usize>> = new.events.recorded().iter().map(known).collect();
        let row = |row: &[i64]| -> Vec<i64> {
            columns.iter().map(|at| at.and_then(|at| row.get(at)).copied().unwrap_or(NEVER)).collect()
        };
        let was = |id: FunctionId| Was {
            own: row(matching.old.profile.self_cost(id)),
            inclusive: row(matching.old.inclusive.cost(id)),
        };
        let mut functions: Vec<Option<Was>> = new.function_ids().map(|_| None).collect();
        let mut gone = Vec::new();
        for pair in &matching.pairs {
            match (pair.old, pair.new) {
                (old, Some(new)) => functions[matching.new.first(new).index()] = Some(old.map(was).unwrap_or_default()),
                (Some(old), None) => {
                    let Label { name, file, .. } = matching.old.label(old);
                    gone.push(Gone { name: name.to_vec(), file: file.to_vec(), was: was(old) });
                }
                (None, None) => {}
            }
        }
        gone.sort_by(|a, b| b.was.own.cmp(&a.was.own).then_with(|| (&a.file, &a.name).cmp(&(&b.file, &b.name))));
        let newer = |id: FunctionId| Some(matching.new.first(matching.pairs.get(matching.old.pair(id))?.new?));
        let arc = |arc: &crate::profile::CallEdge| {
            let ends = (newer(arc.caller)?, newer(arc.callee)?);
            Some((ends, row(matching.old.profile.arc_cost(arc))))
        };
        let arcs = matching.old.profile.arcs.iter().filter_map(arc).collect();
        Before { functions, arcs, gone }
    }

    /// What a function cost; nothing if its older cost stands elsewhere.
    pub(super) fn function(&self, id: FunctionId) -> Option<&Was> {
        self.functions.get(id.index())?.as_ref()
    }

    /// What the calls of one function by another cost.
    pub(super) fn arc(&self, caller: FunctionId, callee: FunctionId) -> &[i64] {
        self.arcs.get(&(caller, callee)).map_or(&[], |cost| &cost[..])
    }
}
