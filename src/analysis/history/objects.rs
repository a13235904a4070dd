//! Finds objects that were renamed from one run to the next. Their functions are the same, as in a
//! comparison of the two runs.

use crate::{
    analysis::difference::objects::{ByObject, identifies, renamed},
    profile::{NameId, Names},
};
use foldhash::HashMap;
use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

/// The objects of each run, and those that were renamed between two successive runs.
#[derive(Default)]
pub(super) struct Objects {
    /// The runs that have an object.
    runs: BTreeMap<NameId, BTreeSet<u32>>,
    /// For each run, the objects and names of its functions, until both neighboring runs are added.
    waiting: BTreeMap<u32, Vec<[NameId; 2]>>,
    /// For each run, the objects that have another name in the next run, each with that name.
    renamed: BTreeMap<u32, Vec<[NameId; 2]>>,
}

/// Objects that are the same, and the runs that have them.
#[derive(Default)]
struct SameObject {
    members: Vec<NameId>,
    runs: BTreeSet<u32>,
}

impl Objects {
    /// Adds the objects and names of all functions of a run.
    pub(super) fn add(&mut self, run: u32, functions: Vec<[NameId; 2]>, texts: &Names) {
        for of_object in functions.chunk_by(|a, b| a[0] == b[0]) {
            self.runs.entry(of_object[0][0]).or_default().insert(run);
        }
        self.waiting.insert(run, functions);
        for before in [run.checked_sub(1), Some(run)].into_iter().flatten() {
            self.compare([before, before + 1], texts);
        }
        let is_done = |run: u32| run == 0 || self.renamed.contains_key(&(run - 1));
        self.waiting
            .retain(|run, _| !(self.renamed.contains_key(run) && is_done(*run)));
    }

    /// Finds the objects that were renamed between two successive runs, if both are added. It runs
    /// at once, because otherwise the functions of both runs would have to be kept.
    fn compare(&mut self, [before, now]: [u32; 2], texts: &Names) {
        let (Some(old), Some(new)) = (self.waiting.get(&before), self.waiting.get(&now)) else {
            return;
        };
        let only = |functions: &[[NameId; 2]], other: u32| {
            let mut only = ByObject::new();
            for of_object in functions.chunk_by(|a, b| a[0] == b[0]) {
                let object = of_object[0][0];
                if object == NameId::EMPTY
                    || self
                        .runs
                        .get(&object)
                        .is_some_and(|runs| runs.contains(&other))
                {
                    continue;
                }
                let names = of_object
                    .iter()
                    .map(|&[_, name]| name)
                    .filter(|&name| identifies(texts, name));
                only.entry(texts.get(object).to_vec())
                    .or_default()
                    .extend(names);
            }
            only
        };
        let pairs = renamed(only(old, now), only(new, before)).into_iter();
        let pairs = pairs.filter_map(|(old, new)| Some([texts.find(&old)?, texts.find(&new)?]));
        self.renamed.insert(before, pairs.collect());
    }

    /// Compares runs that are neighbors because no run between them was added.
    pub(super) fn join_gaps(&mut self, added: &[u32], texts: &Names) {
        for pair in added.windows(2).filter(|pair| pair[0] + 1 < pair[1]) {
            self.compare([pair[0], pair[1]], texts);
        }
    }

    /// The common name of objects that have different names in different runs: the first of them.
    /// Two objects in the same run are never the same.
    pub(super) fn aliases(self, texts: &Names) -> HashMap<NameId, NameId> {
        let mut all: Vec<SameObject> = Vec::new();
        let mut at: HashMap<NameId, usize> = HashMap::default();
        for (object, runs) in self.runs {
            at.insert(object, all.len());
            all.push(SameObject {
                members: vec![object],
                runs,
            });
        }
        for [old, new] in self.renamed.into_values().flatten() {
            let (Some(&a), Some(&b)) = (at.get(&old), at.get(&new)) else {
                continue;
            };
            // The smaller group goes into the larger: a name may change with every run.
            let (to, from) = if all[a].runs.len() < all[b].runs.len() {
                (b, a)
            } else {
                (a, b)
            };
            if a == b || all[from].runs.iter().any(|run| all[to].runs.contains(run)) {
                continue;
            }
            let SameObject { members, runs } = mem::take(&mut all[from]);
            at.extend(members.iter().map(|&object| (object, to)));
            all[to].members.extend(members);
            all[to].runs.extend(runs);
        }
        let renamed = all.iter().filter(|same| same.members.len() > 1);
        let least = |same: &SameObject| {
            same.members
                .iter()
                .copied()
                .min_by_key(|&object| texts.get(object))
        };
        renamed
            .flat_map(|same| {
                same.members
                    .iter()
                    .filter_map(move |&object| Some((object, least(same)?)))
            })
            .collect()
    }
}
