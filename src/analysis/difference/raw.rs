//! The names of functions and paths of a run, and the common names of both runs of a comparison.

use super::{
    Exactness, OldOrNew, Rewrite, Rules, names,
    namespaces::NameCosts,
    objects::{ByObject, identifies},
    paths::{Alias, Paths},
};
use crate::profile::{FunctionId, NameId, Names, Profile, costs::count, names::Changed};
use regex::bytes::Regex;
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// A function with its names in the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Placed {
    /// Its object and file.
    pub place: (NameId, NameId),
    pub name: RawName,
    pub side: OldOrNew,
    pub id: FunctionId,
}

/// A function's name, as ids in the common table of both sides. Similar names sort together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RawName {
    /// The name without the parts that change from build to build.
    pub normal: NameId,
    /// The name after the user's substitutions.
    pub own: NameId,
}

/// The common names, with a cache of the names without the parts that change from build to build.
pub(super) struct CommonNames<'n> {
    pub names: &'n mut Names,
    pub normal: Changed,
}

impl CommonNames<'_> {
    /// A name without the parts that change from build to build.
    pub(super) fn normal(&mut self, own: NameId) -> NameId {
        self.normal.rename(self.names, own, names::normalised)
    }
}

/// One side's names after the user's substitutions.
pub(super) struct Raw<'a> {
    pub profile: &'a Profile,
    rules: &'a Rules,
    /// The names of the functions.
    pub names: Vec<RawName>,
    /// The names before renamed namespaces got a common name.
    pub before: Vec<RawName>,
    /// The ids of all objects, and of all files, in order.
    pub objects: Vec<NameId>,
    pub files: Vec<NameId>,
}

impl<'a> Raw<'a> {
    pub(super) fn new(
        profile: &'a Profile,
        rules: &'a Rules,
        common: &mut CommonNames<'_>,
    ) -> Raw<'a> {
        let as_they_are = rules
            .functions
            .is_empty()
            .then(|| common.names.absorb(&profile.names));
        let mut known: Vec<Option<RawName>> = vec![None; profile.names.len()];
        let mut name = |id: NameId| {
            *known[id.index()].get_or_insert_with(|| {
                let own = match &as_they_are {
                    Some(ids) => ids[id.index()],
                    None => common
                        .names
                        .intern(&rewritten(&profile.names.lent(id).text(), &rules.functions)),
                };
                let normal = match rules.exactness {
                    Exactness::Exact => own,
                    Exactness::Normalised => common.normal(own),
                };
                RawName { normal, own }
            })
        };
        let names: Vec<RawName> = profile.functions.iter().map(|f| name(f.name)).collect();
        let files = profile.functions.iter().map(|f| f.file);
        let of_lines = profile.lines.iter().map(|line| line.file);
        let of_sites = profile.arcs.iter().flat_map(|arc| profile.sites(arc));
        let of_sites = of_sites.map(|site| site.file);
        Raw {
            profile,
            rules,
            before: names.clone(),
            names,
            objects: distinct(profile.functions.iter().map(|f| f.object)),
            files: distinct(files.chain(of_lines).chain(of_sites)),
        }
    }

    /// The costs of the functions of each name, for the event of a column.
    pub(super) fn costs(&self, column: usize) -> NameCosts {
        let mut costs = NameCosts::new();
        for (id, name) in self.profile.function_ids().zip(&self.names) {
            let sum = costs.entry(name.normal).or_default();
            *sum = sum.saturating_add(count(self.profile.self_cost(id), column));
        }
        costs
    }

    /// Renames a namespace wherever it occurs in names.
    pub(super) fn rename(&mut self, space: &[u8], name: &[u8], common: &mut CommonNames<'_>) {
        let text = |space: &[u8]| regex::escape(&String::from_utf8_lossy(space));
        let Ok(pattern) = Regex::new(&format!(r"(?-u)(^|[^\w:\\]){}(::|\\)", text(space))) else {
            return;
        };
        let left = [b"${1}", name, b"$2"].concat();
        let mut renamed = Changed::default();
        for it in &mut self.names {
            it.own = renamed.rename(common.names, it.own, |text| {
                pattern.replace_all(text, &left[..])
            });
            it.normal = common.normal(it.own);
        }
    }

    fn path(&self, id: NameId) -> Cow<'_, [u8]> {
        rewritten(self.profile.name(id), &self.rules.paths)
    }

    pub(super) fn paths(&self, ids: &[NameId]) -> Paths {
        let paths = ids.iter().map(|&id| self.path(id).into_owned());
        paths.collect()
    }

    /// The name in the comparison of some objects or files, for every name id.
    pub(super) fn common(&self, ids: &[NameId], names: &mut Names, aliases: &Alias) -> Vec<NameId> {
        let mut all = vec![NameId::UNKNOWN; self.profile.names.len()];
        for &id in ids {
            let path = &*self.path(id);
            let alias = aliases.get(path).map_or(path, Vec::as_slice);
            all[id.index()] = names.intern(alias);
        }
        all
    }

    /// For each object that only this side has, the names of its functions.
    pub(super) fn by_object(&self, all: &Names, aliases: &Alias, others: &Paths) -> ByObject {
        let is_wanted = |id: &NameId| {
            let path = self.path(*id);
            !path.is_empty() && !aliases.contains_key(&*path) && !others.contains(&*path)
        };
        let wanted = self.objects.iter().copied().filter(is_wanted);
        let mut by_id: BTreeMap<NameId, BTreeSet<NameId>> =
            wanted.map(|id| (id, BTreeSet::new())).collect();
        for (f, name) in self.profile.functions.iter().zip(&self.names) {
            if let Some(names) = by_id.get_mut(&f.object) {
                names.insert(name.normal);
            }
        }
        let mut found = ByObject::new();
        for (id, mut names) in by_id {
            names.retain(|&name| identifies(all, name));
            if !names.is_empty() {
                found
                    .entry(self.path(id).into_owned())
                    .or_default()
                    .append(&mut names);
            }
        }
        found
    }
}

/// The different ids among these, in order.
fn distinct(ids: impl Iterator<Item = NameId>) -> Vec<NameId> {
    let mut ids: Vec<NameId> = ids.collect();
    ids.dedup();
    ids.sort_unstable();
    ids.dedup();
    ids
}

fn rewritten<'n>(name: &'n [u8], rules: &[Rewrite]) -> Cow<'n, [u8]> {
    let mut name = Cow::Borrowed(name);
    for rule in rules {
        let next = rule.apply(&name).into_owned();
        name = Cow::Owned(next);
    }
    name
}
