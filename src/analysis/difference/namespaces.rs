//! Finds renamed crates, namespaces and modules. A namespace that only one run has is renamed if
//! its functions are in a namespace that only the other run has.

use super::{
    objects::{ByObject, renamed},
    renames::{LEAST, ratio},
};
use crate::{
    analysis::class::class,
    profile::{NameId, Names},
};
use memchr::memmem;
use std::collections::{BTreeMap, HashSet};

/// At least this many functions must be in both and cost about the same.
const FEWEST: usize = 2;

/// The most levels of namespaces that are examined.
const DEEPEST: usize = 8;

/// The costs of functions, by name without the parts that change from build to build.
pub(super) type NameCosts = BTreeMap<NameId, i64>;

/// The pairs of renamed namespaces, old and new.
pub(super) fn renamed_namespaces(
    names: &mut Names,
    runs: [&NameCosts; 2],
) -> Vec<(Vec<u8>, Vec<u8>)> {
    let is_alone = |side: usize, name: &NameId| !runs[1 - side].contains_key(name);
    if (0..2).any(|side| !runs[side].keys().any(|name| is_alone(side, name))) {
        return Vec::new();
    }
    let known = runs.map(|run| -> HashSet<Vec<u8>> {
        let spaces = |&id: &NameId| {
            let name = names.beginning(id);
            prefixes(name).map(|(start, end)| name[start..end].to_vec())
        };
        run.keys().flat_map(spaces).collect()
    });
    // For each namespace, the names of its functions without it, and their costs.
    let mut within: [BTreeMap<Vec<u8>, NameCosts>; 2] = Default::default();
    for (side, run) in runs.into_iter().enumerate() {
        for (&id, &cost) in run.iter().filter(|(name, _)| is_alone(side, name)) {
            let name = names.beginning(id);
            let Some((start, end)) =
                prefixes(name).find(|&(start, end)| !known[1 - side].contains(&name[start..end]))
            else {
                continue;
            };
            let space = &name[start..end];
            let said = [
                space,
                if name[end..].starts_with(b"::") {
                    b"::"
                } else {
                    b"\\"
                },
            ]
            .concat();
            let rest = String::from_utf8_lossy(name).replace(&*String::from_utf8_lossy(&said), "");
            let (space, rest) = (space.to_vec(), rest.into_bytes());
            *within[side]
                .entry(space)
                .or_default()
                .entry(names.intern(&rest))
                .or_default() += cost;
        }
    }
    let by_space = |spaces: &BTreeMap<Vec<u8>, NameCosts>| -> ByObject {
        spaces
            .iter()
            .map(|(space, costs)| (space.clone(), costs.keys().copied().collect()))
            .collect()
    };
    let [olds, news] = &within;
    let mut pairs = renamed(by_space(olds), by_space(news));
    pairs.retain(|(old, new)| {
        let (old, new) = (&olds[old], &news[new]);
        let is_alike = |(name, &cost): (&NameId, &i64)| {
            new.get(name)
                .is_some_and(|&other| ratio(cost.into(), other.into()) >= LEAST)
        };
        let alike = old.iter().filter(|&one| is_alike(one)).count();
        alike >= FEWEST && 2 * alike >= old.len().max(new.len())
    });
    pairs
}

/// The start and end of each namespace of a name, the outermost first.
fn prefixes(name: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let class = class(name).unwrap_or_default();
    let start = memmem::find(name, class).unwrap_or(0);
    let is_end = |at: &usize| {
        class[*at..].starts_with(b"::") || class[*at..].starts_with(b"\\") || *at == class.len()
    };
    let plain = class
        .iter()
        .take_while(|&&b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'\\'))
        .count();
    (1..=plain)
        .filter(is_end)
        .take(DEEPEST)
        .map(move |end| (start, start + end))
}
