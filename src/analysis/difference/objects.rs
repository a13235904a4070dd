//! Finds objects of two runs that were renamed: a renamed program, or a new version of a library.

use super::names::is_named;
use crate::profile::{NameId, Names, Order};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Objects that only one of two runs has, each with the names of its functions.
pub(crate) type ByObject = BTreeMap<Vec<u8>, BTreeSet<NameId>>;

/// Names in more objects than this do not help to identify one.
const MOST_OBJECTS: usize = 32;

/// Whether the name of a function helps to identify its object. Names that every program has do
/// not.
pub(crate) fn identifies(names: &Names, name: NameId) -> bool {
    const EVERYWHERE: [&[u8]; 5] = [b"main", b"_start", b"_init", b"_fini", b"(below main)"];
    is_named(names, name)
        && !EVERYWHERE
            .iter()
            .any(|everywhere| names.is(name, everywhere))
}

/// Pairs objects of different names by their functions. At least half of the functions of the
/// smaller one must be in both. The pair with most functions in common comes first. The result does
/// not depend on which side is old.
pub(crate) fn renamed(olds: ByObject, news: ByObject) -> Vec<(Vec<u8>, Vec<u8>)> {
    // The objects of either side by function name, because comparing every pair of objects would
    // take too long.
    let mut with: HashMap<NameId, [Vec<usize>; 2]> = HashMap::new();
    for (run, objects) in [&olds, &news].into_iter().enumerate() {
        for (at, names) in objects.values().enumerate() {
            for &name in names {
                with.entry(name).or_default()[run].push(at);
            }
        }
    }
    with.retain(|_, objects| objects.iter().all(|all| all.len() <= MOST_OBJECTS));
    let (mut old_sizes, mut new_sizes) = (vec![0usize; olds.len()], vec![0usize; news.len()]);
    let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
    for [a, b] in with.values() {
        a.iter().for_each(|&at| old_sizes[at] += 1);
        b.iter().for_each(|&at| new_sizes[at] += 1);
        for &old in a {
            b.iter()
                .for_each(|&new| *shared.entry((old, new)).or_default() += 1);
        }
    }
    let (olds, news): (Vec<Vec<u8>>, Vec<Vec<u8>>) =
        (olds.into_keys().collect(), news.into_keys().collect());
    let mut candidates: Vec<_> = (shared.into_iter())
        .filter(|&((a, b), shared)| 2 * shared >= old_sizes[a].min(new_sizes[b]))
        .map(|((a, b), shared)| {
            let (old, new) = (&olds[a], &news[b]);
            (usize::MAX - shared, old.min(new), old.max(new), old, new)
        })
        .collect();
    candidates.order();
    let (mut used_old, mut used_new) = (HashSet::new(), HashSet::new());
    (candidates.into_iter())
        .filter(|&(_, _, _, a, b)| {
            let is_free = !used_old.contains(a) && !used_new.contains(b);
            if is_free {
                used_old.insert(a);
                used_new.insert(b);
            }
            is_free
        })
        .map(|(_, _, _, a, b)| (a.clone(), b.clone()))
        .collect()
}
