//! Recursion levels. If Callgrind keeps levels separate, the second level of `f` is called `f'2`.

use crate::profile::{FunctionId, NameId, Profile, callers::without_level, reshape::Shape};
use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

/// Finds the recursion levels of some functions: functions of the same object and file, whose names
/// only differ in levels.
pub struct LevelFinder<'p> {
    profile: &'p Profile,
    these: HashSet<FunctionId>,
    by_name: HashMap<LevelKey<'p>, FunctionId>,
    /// The beginnings of their names. By these alone, most functions are not levels of them.
    beginnings: HashSet<&'p [u8]>,
}

/// An object, a file and a name without levels.
type LevelKey<'p> = (NameId, NameId, Cow<'p, [u8]>);

impl<'p> LevelFinder<'p> {
    /// Prepares the search for levels of these functions.
    pub fn new(
        profile: &'p Profile,
        these: impl IntoIterator<Item = FunctionId>,
    ) -> LevelFinder<'p> {
        let these: HashSet<FunctionId> = these.into_iter().collect();
        let mut by_name: HashMap<LevelKey<'p>, FunctionId> = HashMap::new();
        for &id in &these {
            let first = by_name.entry(whole(profile, id)).or_insert(id);
            *first = (*first).min(id);
        }
        let beginnings = these.iter().map(|&id| beginning(profile, id)).collect();
        LevelFinder {
            profile,
            these,
            by_name,
            beginnings,
        }
    }

    /// The function among these whose further level `other` is.
    pub fn level_of(&self, other: FunctionId) -> Option<FunctionId> {
        let may_be = !self.these.contains(&other)
            && self.beginnings.contains(beginning(self.profile, other));
        if may_be {
            self.by_name.get(&whole(self.profile, other)).copied()
        } else {
            None
        }
    }

    /// The first function that is a further level of one of these. The pair has the other function
    /// first.
    pub fn first(&self) -> Option<(FunctionId, FunctionId)> {
        self.profile
            .function_ids()
            .find_map(|other| Some((self.level_of(other)?, other)))
    }
}

fn whole(profile: &Profile, id: FunctionId) -> LevelKey<'_> {
    let function = profile.function(id);
    let name = profile.function_name(id).text();
    (
        function.object,
        function.file,
        without_level(&name).map_or(name, Cow::Owned),
    )
}

/// The text before the first quote of a name; levels follow it.
fn beginning(profile: &Profile, id: FunctionId) -> &[u8] {
    let beginning = profile.names.beginning(profile.function(id).name);
    beginning.split(|&b| b == b'\'').next().unwrap_or(beginning)
}

/// Folds the levels of a profile, with the same result as reading it with `--fold-recursion`. Their
/// costs and calls add up, and calls between them become recursion. Needs the call sites.
pub fn folded(profile: &Profile) -> Profile {
    let mut names = (*profile.names).clone();
    let functions = profile.function_ids().map(|id| {
        let f = profile.function(id);
        let name = match without_level(&profile.names.lent(f.name).text()) {
            Some(name) => names.intern(&name),
            None => f.name,
        };
        [f.object, f.file, name]
    });
    let functions = functions.collect();
    let shape = Shape::renaming(profile, names.into(), functions);
    profile.reshaped(&shape).0
}
