//! Self costs of an older run added up by object, file and class, under the names that the newer run has for them: what the
//! lists of these compare.
//!
//! What a function cost belongs to the object and the class in which the newer run has it, so that the changes of an object are
//! those of its functions; what a line cost belongs to the file that the line is in.
//!
//! Names that differ only in what changes from build to build are compared as one, unless both runs have the very same ones: so it
//! is with functions, too. What changed of all stands beside the dearest.

use crate::analysis::GroupBy;
use crate::analysis::class::class;
use crate::analysis::difference::names::{normalised, normalised_path};
use crate::analysis::difference::{Matching, Pair};
use crate::profile::costs::extend_with;
use crate::profile::{FunctionId, NameId};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// Costs by name.
pub(super) type ByName = BTreeMap<Vec<u8>, Vec<i64>>;

/// Costs by object, file and class.
#[derive(Default)]
pub(super) struct Sums {
    objects: ByName,
    files: ByName,
    classes: ByName,
}

impl Sums {
    /// What the older run of a comparison cost, in its columns.
    pub(super) fn of_older(matching: &Matching<'_>) -> Sums {
        let homes = Homes::new(matching);
        let mut sums = Sums::default();
        for pair in &matching.pairs {
            let Some(old) = pair
                .old
                .filter(|&old| matching.old.profile.function(old).recorded)
            else {
                continue;
            };
            let cost = matching.old.profile.self_cost(old);
            add(&mut sums.objects, homes.object(*pair, old), [cost]);
            add(&mut sums.classes, homes.class(*pair, old), [cost]);
            sums.add_files(matching, old);
        }
        sums
    }

    fn add_files(&mut self, matching: &Matching<'_>, old: FunctionId) {
        let profile = &matching.old.profile;
        let lines = profile.lines_of(old);
        // Some formats say nothing of lines.
        if lines.is_empty() {
            add(
                &mut self.files,
                matching.file(profile.function(old).file),
                [profile.self_cost(old)],
            );
        }
        for lines in lines.chunk_by(|a, b| a.file == b.file) {
            let file = lines
                .first()
                .map_or(&b""[..], |line| matching.file(line.file));
            add(
                &mut self.files,
                file,
                lines.iter().map(|line| profile.line_cost(line)),
            );
        }
    }

    /// The same with other columns.
    pub(super) fn in_columns(self, row: impl Fn(&[i64]) -> Vec<i64>) -> Sums {
        let all = |sums: ByName| {
            sums.into_iter()
                .map(|(name, cost)| (name, row(&cost)))
                .collect()
        };
        Sums {
            objects: all(self.objects),
            files: all(self.files),
            classes: all(self.classes),
        }
    }

    /// Those by one of the three.
    pub(super) fn by(&self, by: GroupBy) -> &ByName {
        match by {
            GroupBy::Object | GroupBy::Function => &self.objects,
            GroupBy::File => &self.files,
            GroupBy::Class => &self.classes,
        }
    }
}

/// A name of the newer run, beside the older.
#[derive(Clone, Default)]
pub(super) struct Beside {
    /// What it cost and costs, with those that are compared as one with it; nothing where another of these has it.
    pub(super) change: Option<[Vec<i64>; 2]>,
    /// How many of the newer run are compared as one with it, itself among them.
    pub(super) members: usize,
}

/// Names that differ in no more than what changes from build to build.
#[derive(Default)]
struct Alike<'n> {
    /// Of the newer run, as places in its list.
    newer: Vec<usize>,
    older: Vec<&'n [u8]>,
}

/// Brings together what a list of the newer run has, dearest first, and what the older run has: the first for each name of the
/// list, then the names that only the older run has.
pub(super) fn beside<'n>(
    by: GroupBy,
    list: &'n [(Vec<u8>, Vec<i64>)],
    was: &'n ByName,
) -> (Vec<Beside>, Vec<&'n [u8]>) {
    let mut alike: BTreeMap<Cow<'n, [u8]>, Alike<'n>> = BTreeMap::new();
    for (at, (name, _)) in list.iter().enumerate() {
        alike.entry(normal(by, name)).or_default().newer.push(at);
    }
    for name in was.keys() {
        alike.entry(normal(by, name)).or_default().older.push(name);
    }
    let (mut all, mut gone) = (vec![Beside::default(); list.len()], Vec::new());
    for Alike { newer, older } in alike.into_values() {
        let stays =
            older.len() == newer.len() && newer.iter().all(|&at| was.contains_key(&list[at].0));
        match newer.first() {
            None => gone.extend(older),
            Some(&first) if !stays => {
                newer.iter().for_each(|&at| all[at].members = newer.len());
                let before = sum(older.iter().filter_map(|&name| was.get(name)));
                all[first].change = Some([before, sum(newer.iter().map(|&at| &list[at].1))]);
            }
            Some(_) => {
                for at in newer {
                    let (name, cost) = &list[at];
                    let before = was.get(name).cloned().unwrap_or_default();
                    all[at] = Beside {
                        change: Some([before, cost.clone()]),
                        members: 1,
                    };
                }
            }
        }
    }
    (all, gone)
}

/// A name without what changes from build to build.
fn normal(by: GroupBy, name: &[u8]) -> Cow<'_, [u8]> {
    match by {
        GroupBy::Object | GroupBy::File => normalised_path(name),
        GroupBy::Class | GroupBy::Function => normalised(name),
    }
}

fn sum<'c>(costs: impl Iterator<Item = &'c Vec<i64>>) -> Vec<i64> {
    let mut sum = Vec::new();
    costs.for_each(|cost| {
        extend_with(&mut sum, cost);
    });
    sum
}

/// Adds costs to those of a name, of which a copy is made if it is new.
fn add<'c>(sums: &mut ByName, name: &[u8], costs: impl IntoIterator<Item = &'c [i64]>) {
    if !sums.contains_key(name) {
        sums.insert(name.to_vec(), Vec::new());
    }
    if let Some(sum) = sums.get_mut(name) {
        costs.into_iter().for_each(|cost| {
            extend_with(sum, cost);
        });
    }
}

/// Which object, file and class functions of the older run belong to.
pub(super) struct Homes<'m> {
    matching: &'m Matching<'m>,
    /// What the newer run calls each object, by its name in the comparison.
    objects: HashMap<NameId, NameId>,
}

impl<'m> Homes<'m> {
    pub(super) fn new(matching: &'m Matching<'m>) -> Homes<'m> {
        let new = &matching.new;
        let mut objects = HashMap::new();
        for id in new.profile.function_ids() {
            let own = || new.original.function(new.first(id)).object;
            objects
                .entry(new.profile.function(id).object)
                .or_insert_with(own);
        }
        Homes { matching, objects }
    }

    /// All three of a function; its file is the one that it is defined in.
    pub(super) fn of(&self, pair: Pair, old: FunctionId) -> [&'m [u8]; 3] {
        let file = self
            .matching
            .file(self.matching.old.profile.function(old).file);
        [self.object(pair, old), file, self.class(pair, old)]
    }

    fn object(&self, pair: Pair, old: FunctionId) -> &'m [u8] {
        let (older, newer) = (&self.matching.old, &self.matching.new);
        let known = match pair.new {
            Some(new) => Some(newer.original.function(newer.first(new)).object),
            None => self
                .objects
                .get(&older.profile.function(old).object)
                .copied(),
        };
        match known {
            Some(object) => newer.original.name(object),
            None => older
                .original
                .name(older.original.function(older.first(old)).object),
        }
    }

    fn class(&self, pair: Pair, old: FunctionId) -> &'m [u8] {
        let (side, id) = match pair.new {
            Some(new) => (&self.matching.new, new),
            None => (&self.matching.old, old),
        };
        class(
            side.original
                .name(side.original.function(side.first(id)).name),
        )
        .unwrap_or_default()
    }
}
