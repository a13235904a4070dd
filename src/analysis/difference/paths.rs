//! Which file or object of one profile is which of the other, when the same program was built in another folder.
//!
//! Names that occur on both sides are the same. Of the rest, every old and new path with the same last components speak
//! for a pair of prefixes; the pair that most speak for comes first. The result does not depend on which side is old.

use super::names::{Exactness, normalised_path};
use std::collections::{BTreeMap, BTreeSet};

/// For every path of either side that goes by another name in the comparison, that name.
#[derive(Default, Debug)]
pub(super) struct Aliases {
    /// Of the old side.
    pub(super) old: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Of the new side.
    pub(super) new: BTreeMap<Vec<u8>, Vec<u8>>,
}

/// More pairs of paths than this are not looked at: a folder of ten thousand `mod.rs` would take minutes.
const MOST_PAIRS: usize = 4_000_000;

type Paths = BTreeSet<Vec<u8>>;

impl Aliases {
    /// Matches the paths of two profiles.
    pub(super) fn new(old: &Paths, new: &Paths, exactness: Exactness) -> Aliases {
        let mut aliases = Aliases::default();
        if exactness == Exactness::Exact {
            return aliases;
        }
        let (mut olds, mut news): (Paths, Paths) = (Paths::new(), Paths::new());
        // Hashes in folders and file names first: afterwards more paths may be the same.
        let plain = |paths: &Paths, others: &Paths, left: &mut Paths, aliases: &mut BTreeMap<Vec<u8>, Vec<u8>>| {
            for path in paths.difference(others) {
                let normal = normalised_path(path).into_owned();
                if normal != *path {
                    aliases.insert(path.clone(), normal.clone());
                }
                left.insert(normal);
            }
        };
        plain(old, new, &mut olds, &mut aliases.old);
        plain(new, old, &mut news, &mut aliases.new);
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

    /// Makes two paths one. The lesser name stands for both: it is on one side only, so it meets no third path.
    pub(super) fn pair(&mut self, old: Vec<u8>, new: Vec<u8>) {
        let name = old.clone().min(new.clone());
        for (aliases, path) in [(&mut self.old, old), (&mut self.new, new)] {
            for alias in aliases.values_mut().filter(|alias| **alias == path) {
                alias.clone_from(&name);
            }
            aliases.entry(path).or_insert_with(|| name.clone());
        }
    }
}

/// Pairs that differ in their prefix only; what is paired is taken out of the sets.
fn by_prefix(olds: &mut Paths, news: &mut Paths) -> Vec<(Vec<u8>, Vec<u8>)> {
    type Sides<'p> = (Vec<&'p [u8]>, Vec<&'p [u8]>);
    let mut by_name: BTreeMap<&[u8], Sides> = BTreeMap::new();
    olds.iter().for_each(|path| by_name.entry(last(path)).or_default().0.push(path));
    news.iter().for_each(|path| by_name.entry(last(path)).or_default().1.push(path));
    let mut votes: BTreeMap<(&[u8], &[u8]), usize> = BTreeMap::new();
    let mut looked_at = 0usize;
    for (name, (a, b)) in &by_name {
        looked_at = looked_at.saturating_add(a.len().saturating_mul(b.len()));
        if name.is_empty() || *name == b"???" || looked_at > MOST_PAIRS {
            continue;
        }
        for old in a {
            for new in b {
                let shared = common_suffix(old, new);
                let depth = old[old.len() - shared..].iter().filter(|&&b| b == b'/').count() + 1;
                *votes.entry((&old[..old.len() - shared], &new[..new.len() - shared])).or_default() += depth;
            }
        }
    }
    let mut votes: Vec<(usize, Vec<u8>, Vec<u8>)> =
        votes.into_iter().map(|((a, b), votes)| (votes, a.to_vec(), b.to_vec())).collect();
    votes.sort_by(|x, y| {
        let symmetric = |(_, a, b): &(usize, Vec<u8>, Vec<u8>)| (a.min(b).clone(), a.max(b).clone());
        y.0.cmp(&x.0).then_with(|| symmetric(x).cmp(&symmetric(y))).then_with(|| x.1.cmp(&y.1))
    });
    let mut pairs = Vec::new();
    for (_, a, b) in votes {
        let paired: Vec<(Vec<u8>, Vec<u8>)> = below(olds, &a)
            .filter_map(|old| {
                let new = [&b[..], &old[a.len()..]].concat();
                (ends_component(&a) && ends_component(&b) && news.contains(&new)).then(|| (old.clone(), new))
            })
            .collect();
        for (old, new) in paired {
            olds.remove(&old);
            news.remove(&new);
            pairs.push((old, new));
        }
    }
    pairs
}

/// The paths that begin with a prefix.
fn below<'p>(paths: &'p Paths, prefix: &'p [u8]) -> impl Iterator<Item = &'p Vec<u8>> {
    paths.range(prefix.to_vec()..).take_while(move |path| path.starts_with(prefix))
}

fn ends_component(prefix: &[u8]) -> bool {
    prefix.is_empty() || prefix.ends_with(b"/")
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|&b| b == b'/').next().unwrap_or(path)
}

/// How many bytes at the end are the same in both, in whole components.
fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    let same = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let starts = |path: &[u8]| path.len() == same || path[path.len() - same - 1] == b'/';
    if starts(a) && starts(b) {
        return same;
    }
    let suffix = &a[a.len() - same..];
    suffix.iter().position(|&b| b == b'/').map_or(0, |slash| same - slash - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Paths {
        names.iter().map(|n| n.as_bytes().to_vec()).collect()
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
        let old =
            paths(&["/one/src/a/mod.rs", "/one/src/b/mod.rs", "/one/src/main.rs", "/usr/lib/x.c", "/one/only.rs"]);
        let new = paths(&["/two/w/src/a/mod.rs", "/two/w/src/b/mod.rs", "/two/w/src/main.rs", "/usr/lib/x.c"]);
        let aliases = Aliases::new(&old, &new, Exactness::Normalised);
        let name = |n: &str| n.as_bytes().to_vec();
        assert_eq!(aliases.new[&name("/two/w/src/a/mod.rs")], name("/one/src/a/mod.rs"));
        assert_eq!(aliases.new[&name("/two/w/src/b/mod.rs")], name("/one/src/b/mod.rs"));
        assert_eq!(aliases.new[&name("/two/w/src/main.rs")], name("/one/src/main.rs"));
        assert_eq!(aliases.new.len(), 3);
        let back = Aliases::new(&new, &old, Exactness::Normalised);
        assert_eq!((aliases.old, aliases.new), (back.new, back.old));
        assert!(Aliases::new(&old, &new, Exactness::Exact).new.is_empty());
    }

    #[test]
    fn hashes_in_paths_do_not_part_them() {
        let old = paths(&["/one/deps/app-0123456789abcdef"]);
        let new = paths(&["/two/deps/app-fedcba9876543210"]);
        let aliases = Aliases::new(&old, &new, Exactness::Normalised);
        assert_eq!(aliases.old.values().collect::<Vec<_>>(), aliases.new.values().collect::<Vec<_>>());
    }
}
