//! Matches the paths of files and objects of two profiles, if the same program was built in
//! different folders.
//!
//! Names on both sides are the same. Of the rest, each pair of an old and a new path with the same
//! last components votes for a pair of prefixes. The pair with most votes comes first. The result
//! does not depend on which side is old.

use super::{Exactness, names::normalised_path};
use crate::profile::{Order, base_name};
use foldhash::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The common name of each path.
pub(super) type Alias = BTreeMap<Vec<u8>, Vec<u8>>;

/// The common names of the paths of one side, where they differ from those of the other.
#[derive(PartialEq, Default, Debug)]
pub(super) struct SideAliases {
    /// The names of paths.
    pub names: Alias,
    /// The reverse: for every name, the paths that have it.
    under: HashMap<Vec<u8>, Vec<Vec<u8>>>,
}

/// The common names of paths that differ between the sides, those of the old one first.
#[derive(Default)]
pub(super) struct Aliases(pub(super) [SideAliases; 2]);

/// The most pairs of paths with one file name, per path. If there are more, only pairs with similar
/// ends are examined. For a folder of ten thousand `mod.rs`, all pairs would take minutes.
const MOST_PAIRS: usize = 16;

/// The largest distance of two such paths in the order of their ends.
const NEAR: usize = 16;

/// How many steps per path are spent on pairs of prefixes, those with most votes first.
const MOST_STEPS: usize = 256;

pub(super) type Paths = BTreeSet<Vec<u8>>;

impl Aliases {
    /// Matches the paths of two profiles.
    pub(super) fn new(sides: [Paths; 2], exactness: Exactness) -> Aliases {
        let mut aliases = Aliases::default();
        if exactness == Exactness::Exact {
            return aliases;
        }
        let mut left = [Paths::new(), Paths::new()];
        // Hashes in folders and file names come first: afterwards more paths may be equal.
        for (run, left) in left.iter_mut().enumerate() {
            for path in sides[run].difference(&sides[1 - run]) {
                let normal = normalised_path(path).into_owned();
                if normal != *path {
                    let SideAliases { names, under } = &mut aliases.0[run];
                    names.insert(path.clone(), normal.clone());
                    under.entry(normal.clone()).or_default().push(path.clone());
                }
                left.insert(normal);
            }
        }
        let [mut olds, mut news] = left;
        let both: Vec<Vec<u8>> = olds.intersection(&news).cloned().collect();
        for path in both {
            olds.remove(&path);
            news.remove(&path);
        }
        for (a, b) in by_prefix(&mut olds, &mut news) {
            aliases.pair(a, b);
        }
        aliases
    }

    /// Gives two paths one name, the lesser of both. It is on one side only, so it cannot collide
    /// with a third path.
    pub(super) fn pair(&mut self, old: Vec<u8>, new: Vec<u8>) {
        let name = old.clone().min(new.clone());
        for (SideAliases { names, under }, path) in self.0.iter_mut().zip([old, new]) {
            let mut moved = under.remove(&path).unwrap_or_default();
            for from in &moved {
                names.insert(from.clone(), name.clone());
            }
            if !names.contains_key(&path) {
                names.insert(path.clone(), name.clone());
                moved.push(path);
            }
            under.entry(name.clone()).or_default().append(&mut moved);
        }
    }
}

/// Pairs of paths that only differ in their prefix. Paired paths are removed from the sets.
fn by_prefix(olds: &mut Paths, news: &mut Paths) -> Vec<(Vec<u8>, Vec<u8>)> {
    let (all_olds, all_news) = (olds.clone(), news.clone());
    let mut pairs = Vec::new();
    let mut steps = (olds.len() + news.len()).saturating_mul(MOST_STEPS);
    for (_, a, b) in votes(&all_olds, &all_news) {
        if !ends_component(a) || !ends_component(b) {
            continue;
        }
        // Either folder will do, and the one with fewer paths takes fewer steps.
        let fewest = below(olds, a).zip(below(news, b)).take(steps).count();
        let Some(left) = steps.checked_sub(fewest + 1) else {
            break;
        };
        steps = left;
        let rests: Vec<&[u8]> = if below(olds, a).nth(fewest).is_none() {
            below(olds, a).map(|old| &old[a.len()..]).collect()
        } else {
            below(news, b).map(|new| &new[b.len()..]).collect()
        };
        let paired = rests
            .iter()
            .map(|rest| ([a, rest].concat(), [b, rest].concat()));
        let paired: Vec<_> = paired
            .filter(|(old, new)| olds.contains(old) && news.contains(new))
            .collect();
        for (old, new) in paired {
            olds.remove(&old);
            news.remove(&new);
            pairs.push((old, new));
        }
    }
    pairs
}

/// Pairs of prefixes by the number of path components that vote for them, most first.
fn votes<'p>(olds: &'p Paths, news: &'p Paths) -> Vec<(usize, &'p [u8], &'p [u8])> {
    let mut by_name: HashMap<&[u8], [Vec<&[u8]>; 2]> = HashMap::default();
    for (run, paths) in [olds, news].into_iter().enumerate() {
        for path in paths {
            by_name.entry(base_name(path)).or_default()[run].push(path);
        }
    }
    let mut votes: HashMap<(&[u8], &[u8]), usize> = HashMap::default();
    let mut vote = |old: &'p [u8], new: &'p [u8]| {
        let shared = common_suffix(old, new);
        let depth = old[old.len() - shared..]
            .iter()
            .filter(|&&b| b == b'/')
            .count()
            + 1;
        *votes
            .entry((&old[..old.len() - shared], &new[..new.len() - shared]))
            .or_default() += depth;
    };
    for (name, [a, b]) in by_name {
        if name.is_empty() || name == b"???" || a.is_empty() || b.is_empty() {
            continue;
        }
        if a.len().saturating_mul(b.len()) <= (a.len() + b.len()).saturating_mul(MOST_PAIRS) {
            a.iter()
                .for_each(|old| b.iter().for_each(|new| vote(old, new)));
            continue;
        }
        let mut all: Vec<(&[u8], bool)> = a.iter().map(|old| (*old, true)).collect();
        all.extend(b.iter().map(|new| (*new, false)));
        all.order_by(|x, y| x.0.iter().rev().cmp(y.0.iter().rev()));
        for (at, &(path, is_old)) in all.iter().enumerate() {
            for &(other, other_is_old) in all[at + 1..].iter().take(NEAR) {
                match (is_old, other_is_old) {
                    (true, false) => vote(path, other),
                    (false, true) => vote(other, path),
                    _ => {}
                }
            }
        }
    }
    let mut votes: Vec<(usize, &[u8], &[u8])> = votes
        .into_iter()
        .map(|((a, b), votes)| (votes, a, b))
        .collect();
    votes.order_by(|x, y| {
        let symmetric = |v: &(usize, &'p [u8], &'p [u8])| (v.1.min(v.2), v.1.max(v.2));
        y.0.cmp(&x.0)
            .then_with(|| symmetric(x).cmp(&symmetric(y)))
            .then_with(|| x.1.cmp(y.1))
    });
    votes
}

/// The paths that begin with a prefix.
fn below<'p>(paths: &'p Paths, prefix: &'p [u8]) -> impl Iterator<Item = &'p Vec<u8>> {
    paths
        .range(prefix.to_vec()..)
        .take_while(move |path| path.starts_with(prefix))
}

fn ends_component(prefix: &[u8]) -> bool {
    prefix.is_empty() || prefix.ends_with(b"/")
}

/// The number of equal bytes at the end of both, in whole components.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let same = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let starts = |path: &[u8]| path.len() == same || path[path.len() - same - 1] == b'/';
    if starts(a) && starts(b) {
        return same;
    }
    let suffix = &a[a.len() - same..];
    suffix
        .iter()
        .position(|&b| b == b'/')
        .map_or(0, |slash| same - slash - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Paths {
        names.iter().map(|n| n.as_bytes().to_vec()).collect()
    }

    fn swapped(Aliases([old, new]): Aliases) -> [SideAliases; 2] {
        [new, old]
    }

    #[test]
    fn suffixes_are_whole_components() {
        assert_eq!(common_suffix(b"/a/src/x.c", b"/b/src/x.c"), "src/x.c".len());
        assert_eq!(common_suffix(b"/a/lib/x.c", b"/b/mylib/x.c"), "x.c".len());
        assert_eq!(common_suffix(b"src/x.c", b"/b/src/x.c"), "src/x.c".len());
        assert_eq!(common_suffix(b"ax.c", b"bx.c"), 0);
    }

    #[test]
    fn the_prefix_most_files_agree_on_wins() {
        let old = paths(&[
            "/one/src/a/mod.rs",
            "/one/src/b/mod.rs",
            "/one/src/main.rs",
            "/usr/lib/x.c",
            "/one/only.rs",
        ]);
        let new = paths(&[
            "/two/w/src/a/mod.rs",
            "/two/w/src/b/mod.rs",
            "/two/w/src/main.rs",
            "/usr/lib/x.c",
        ]);
        let aliases = Aliases::new([old.clone(), new.clone()], Exactness::Normalised);
        let name = |n: &str| n.as_bytes().to_vec();
        assert_eq!(
            aliases.0[1].names[&name("/two/w/src/a/mod.rs")],
            name("/one/src/a/mod.rs")
        );
        assert_eq!(
            aliases.0[1].names[&name("/two/w/src/b/mod.rs")],
            name("/one/src/b/mod.rs")
        );
        assert_eq!(
            aliases.0[1].names[&name("/two/w/src/main.rs")],
            name("/one/src/main.rs")
        );
        assert_eq!(aliases.0[1].names.len(), 3);
        let back = Aliases::new([new.clone(), old.clone()], Exactness::Normalised);
        assert_eq!(swapped(aliases), back.0);
        let exact = Aliases::new([old, new], Exactness::Exact);
        assert!(exact.0[1].names.is_empty());
    }

    #[test]
    fn a_folder_of_very_many_files_of_one_name_is_found() {
        // Far more pairs than are examined; those with the same ends decide.
        let side = |folder: &str, more: &str| -> Paths {
            let inside = (0..500)
                .map(|at| format!("/{folder}/src/part_{}/{at}/mod.rs", at % 7).into_bytes());
            let outside = (0..500).map(|at| format!("/{more}/{at}_{more}/x/mod.rs").into_bytes());
            inside.chain(outside).collect()
        };
        let (old, new) = (side("one", "old"), side("two/three", "new"));
        let aliases = Aliases::new([old.clone(), new.clone()], Exactness::Normalised);
        for at in 0..500 {
            let path =
                |folder: &str| format!("/{folder}/src/part_{}/{at}/mod.rs", at % 7).into_bytes();
            assert_eq!(aliases.0[1].names[&path("two/three")], path("one"));
        }
        let back = Aliases::new([new.clone(), old.clone()], Exactness::Normalised);
        assert_eq!(swapped(aliases), back.0);
    }

    #[test]
    fn hashes_in_paths_do_not_part_them() {
        let old = paths(&["/one/deps/app-0123456789abcdef"]);
        let new = paths(&["/two/deps/app-fedcba9876543210"]);
        let aliases = Aliases::new([old.clone(), new.clone()], Exactness::Normalised);
        assert_eq!(
            aliases.0[0].names.values().collect::<Vec<_>>(),
            aliases.0[1].names.values().collect::<Vec<_>>()
        );
    }
}
