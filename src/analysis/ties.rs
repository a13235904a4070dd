//! Orders rows that have the same count of the first sort event, of which there can be a million: by integers as far as
//! those decide, so that names, each of which is somewhere else in memory, are seldom looked at twice.
//!
//! A row brings the integer it is compared by. After the further sort events these are the places of the files among all
//! files, then eight bytes of the name, behind what the names have in common. What is left, and a few rows at any time,
//! is compared in full, so that the order is that of the comparison alone.

use super::selection::Selection;
use crate::profile::{Events, Name, NameId, Order, Profile};
use std::cmp::Ordering;

/// Up to here rows are compared in full.
const FEW: usize = 8;

/// With more sort events than this, rows are compared in full unless all their counts are the same.
const MOST_EVENTS: usize = 16;

/// How often eight bytes of names are taken before names are compared in full.
const TURNS: usize = 8;

type Of<'k, T, V> = Box<dyn Fn(&T) -> V + Sync + 'k>;
type Comparison<'k, T> = Box<dyn Fn(&T, &T) -> Ordering + Sync + 'k>;

/// The order of rows of one key. Rows that compare equal are in no certain order.
pub(crate) struct Ties<'k, T> {
    compare: Comparison<'k, T>,
    cost: Of<'k, T, &'k [i64]>,
    /// Integers that order rows one after the other, smaller ones first; those of the further sort events are the first.
    keys: Vec<Of<'k, T, i64>>,
    events: usize,
    /// Whether the keys have all sort events.
    has_all: bool,
    /// What decides after the keys, for rows of which it is known that nothing else comes before.
    name: Option<Of<'k, T, Option<Name<'k>>>>,
    /// Whether rows are ordered by their names at all, or stay where they are.
    by_names: bool,
}

impl<'k, T: Copy> Ties<'k, T> {
    /// Orders rows by `compare`, which begins with the selection's order of costs.
    pub(crate) fn new(
        events: &'k Events,
        selection: &'k Selection,
        cost: impl Fn(&T) -> &'k [i64] + Copy + Sync + 'k,
        compare: impl Fn(&T, &T) -> Ordering + Sync + 'k,
    ) -> Ties<'k, T> {
        let has_all = selection.sort.len() <= MOST_EVENTS;
        let further = selection.sort.iter().skip(1).filter(|_| has_all);
        let keys: Vec<Of<'k, T, i64>> = further
            .map(|&event| {
                let key = move |row: &T| !selection.weight(events, cost(row), event).unwrap_or(-1);
                Box::new(key) as Of<'k, T, i64>
            })
            .collect();
        let (compare, cost, events) = (Box::new(compare), Box::new(cost), keys.len());
        Ties {
            compare,
            cost,
            events,
            keys,
            has_all,
            name: None,
            by_names: true,
        }
    }

    /// Rows that cost the same are ordered by this key, smaller ones first, as `compare` orders them too.
    pub(crate) fn then(mut self, key: impl Fn(&T) -> i64 + Sync + 'k) -> Ties<'k, T> {
        self.keys.push(Box::new(key));
        self
    }

    /// Rows of the same keys are ordered by their names. Where one of them gives none they are compared in full.
    pub(crate) fn then_name(
        mut self,
        name: impl Fn(&T) -> Option<Name<'k>> + Sync + 'k,
    ) -> Ties<'k, T> {
        self.name = Some(Box::new(name));
        self
    }

    /// Many rows that only their names tell apart may stay in any order.
    pub(crate) fn but_for_names(self) -> Ties<'k, T> {
        Ties {
            by_names: false,
            ..self
        }
    }

    /// Sorts rows of one key.
    pub(crate) fn sort(&self, rows: &mut [(i64, T)]) {
        self.by_keys(rows, 0);
    }

    fn by_keys(&self, rows: &mut [(i64, T)], mut level: usize) {
        if rows.len() <= FEW {
            return in_full(rows, &*self.compare);
        }
        // Where one further event is left, to compare rows as a whole is to look at it.
        if level + 1 < self.events || !self.has_all {
            let cost = (self.cost)(&rows[0].1);
            if rows.iter().all(|row| (self.cost)(&row.1) == cost) {
                level = level.max(self.events);
            } else if !self.has_all {
                return in_full(rows, &*self.compare);
            }
        }
        while let Some(key) = self.keys.get(level) {
            level += 1;
            if fill(rows, |row| key(row)) {
                return each_run(rows, |run| self.by_keys(run, level));
            }
        }
        self.by_name(rows, 0, TURNS);
    }

    /// Sorts rows of the same keys, whose names are the same up to `from`.
    fn by_name(&self, rows: &mut [(i64, T)], from: usize, turns: usize) {
        let name = |row: &T| (self.name.as_ref()?)(row);
        if !self.by_names && rows.iter().all(|row| name(&row.1).is_some()) {
            return;
        }
        let rest = |row: &T| name(row).map(|name| name.pieces().behind(from));
        let Some(first) = rest(&rows[0].1).filter(|_| turns > 0 && rows.len() > FEW) else {
            return in_full(rows, &*self.compare);
        };
        let mut common = usize::MAX;
        for row in &*rows {
            let Some(name) = rest(&row.1) else {
                return in_full(rows, &*self.compare);
            };
            common = common.min(first.differ(name).map_or(usize::MAX, |(common, _)| common));
        }
        let eight = |row: &T| {
            let mut bytes = [0; 8];
            let ahead = rest(row)
                .into_iter()
                .flat_map(|name| name.behind(common))
                .flatten();
            bytes
                .iter_mut()
                .zip(ahead)
                .for_each(|(byte, &next)| *byte = next);
            ascending(u64::from_be_bytes(bytes))
        };
        if fill(rows, eight) {
            each_run(rows, |run| self.by_name(run, from + common + 8, turns - 1));
        } else {
            in_full(rows, &*self.compare);
        }
    }
}

/// Sorts rows by a comparison alone. Through a pointer, so that it is compiled once for a type of rows.
pub(super) fn in_full<T>(rows: &mut [(i64, T)], compare: &dyn Fn(&T, &T) -> Ordering) {
    rows.sort_unstable_by(|a, b| compare(&a.1, &b.1));
}

/// Compiled once for a type of rows, not for each use of [`each_run`].
fn by_key<T>(rows: &mut [(i64, T)]) {
    rows.sort_unstable_by_key(|&(key, _)| key);
}

/// A number as a key.
pub(crate) fn ascending(number: u64) -> i64 {
    (number ^ 1 << 63) as i64
}

/// Gives rows their keys; whether they differ.
fn fill<T>(rows: &mut [(i64, T)], key: impl Fn(&T) -> i64) -> bool {
    let (mut any, mut all) = (0, -1);
    for (at, row) in rows {
        *at = key(row);
        any |= *at;
        all &= *at;
    }
    any != all
}

/// Sorts rows by their keys, and gives those that have the same, where there are several.
fn each_run<T>(rows: &mut [(i64, T)], then: impl FnMut(&mut [(i64, T)])) {
    by_key(rows);
    rows.chunk_by_mut(|a, b| a.0 == b.0)
        .filter(|run| run.len() > 1)
        .for_each(then);
}

/// The places of files among all files that were asked for.
pub(crate) struct FileRanks(Vec<u32>);

impl FileRanks {
    /// Ranks files by their bytes.
    pub(crate) fn of_files(profile: &Profile, files: impl Iterator<Item = NameId>) -> FileRanks {
        let mut ranks = vec![0; profile.names.len()];
        let sorted = distinct(&mut ranks, files, |a, b| {
            profile.name(a).cmp(profile.name(b))
        });
        for (rank, file) in (1..).zip(sorted) {
            ranks[file.index()] = rank;
        }
        FileRanks(ranks)
    }

    /// Ranks files by the beginning `file:` of a label. Where that does not decide, because another file is called
    /// `file:more`, both have the same rank, which [`decides`](Self::decides) tells.
    pub(crate) fn of_labels(profile: &Profile, files: impl Iterator<Item = NameId>) -> FileRanks {
        let mut ranks = vec![0; profile.names.len()];
        let sorted = distinct(&mut ranks, files, |a, b| {
            before_colon(profile.name(a), profile.name(b))
        });
        let is_longer = |file: NameId, than: NameId| {
            profile
                .name(file)
                .strip_prefix(profile.name(than))
                .is_some_and(|more| more.starts_with(b":"))
        };
        for (rank, alike) in (1..).zip(families(&sorted, is_longer)) {
            let shared = u32::from(alike.len() > 1);
            alike
                .iter()
                .for_each(|file| ranks[file.index()] = rank << 1 | shared);
        }
        FileRanks(ranks)
    }

    /// The rank of a file as a key.
    pub(crate) fn key(&self, file: NameId) -> i64 {
        i64::from(self.0[file.index()])
    }

    /// Whether labels of the same rank as this file's have the same file.
    pub(crate) fn decides(&self, file: NameId) -> bool {
        self.0[file.index()] & 1 == 0
    }
}

/// Files in order, each once.
fn distinct(
    seen: &mut [u32],
    files: impl Iterator<Item = NameId>,
    compare: impl Fn(NameId, NameId) -> Ordering,
) -> Vec<NameId> {
    let mut files: Vec<NameId> = files
        .filter(|file| std::mem::replace(&mut seen[file.index()], 1) == 0)
        .collect();
    files.order_by(|&a, &b| compare(a, b));
    files
}

/// Stretches of a list, each of which begins with what the others in it are longer than.
fn families(
    files: &[NameId],
    is_longer: impl Fn(NameId, NameId) -> bool,
) -> impl Iterator<Item = &[NameId]> {
    let mut rest = files;
    std::iter::from_fn(move || {
        let &first = rest.first()?;
        let end = rest
            .iter()
            .skip(1)
            .position(|&file| !is_longer(file, first))
            .map_or(rest.len(), |at| at + 1);
        let (family, others) = rest.split_at(end);
        rest = others;
        Some(family)
    })
}

/// The order of two names with a colon behind each.
fn before_colon(a: &[u8], b: &[u8]) -> Ordering {
    let both = a.len().min(b.len());
    let next = |name: &[u8]| name.get(both).copied().unwrap_or(b':');
    a[..both]
        .cmp(&b[..both])
        .then_with(|| next(a).cmp(&next(b)))
        .then_with(|| a.len().cmp(&b.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::cut::ranked;
    use crate::analysis::label::Label;
    use crate::analysis::selection::Threshold;
    use crate::input::{Options, read_from};
    use std::fmt::Write;

    /// Functions of few costs, whose files and names begin alike, contain colons, or are the same in two objects.
    #[test]
    fn keys_give_the_order_of_whole_comparisons() {
        let files = [
            "a", "a:b", "a:b:c", "a-b", "a.c", "a;b", "ab", "C", "C:/x.c",
        ];
        let names = [
            "f",
            "f'main",
            "b:f",
            "b:c:f",
            "",
            "common::prefix::of::names::",
            "common::prefix::of::nam",
        ];
        for events in [1, 2, 3, 20] {
            let mut text = String::from("events:");
            (0..events).for_each(|event| write!(text, " E{event}").expect("memory"));
            let mut seed = 7u64;
            let mut number = |below: u64| {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (seed >> 33) % below
            };
            for _ in 0..3000 {
                let file = files[number(files.len() as u64) as usize];
                let name = names[number(names.len() as u64) as usize];
                write!(
                    text,
                    "\nob=o{}\nfl={file}\nfn={name}{}\n1",
                    number(2),
                    number(300)
                )
                .expect("memory");
                (0..number(events + 1))
                    .for_each(|_| write!(text, " {}", number(2)).expect("memory"));
            }
            text.push('\n');
            let profile = read_from("in", text.as_bytes(), &Options::all()).expect("a profile");
            let selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(100))
                .expect("its events");
            let mut expected: Vec<_> = profile.function_ids().collect();
            let bytes = |label: &Label| [label.file, b":", label.name.bytes()].concat();
            expected.sort_by(|&a, &b| {
                let label = |id| Label::of(&profile, id);
                (selection.compare(&profile.events, profile.self_cost(a), profile.self_cost(b)))
                    .then_with(|| bytes(&label(a)).cmp(&bytes(&label(b))))
                    .then_with(|| label(a).object.cmp(&label(b).object))
                    .then_with(|| profile.sort_key(a).cmp(&profile.sort_key(b)))
            });
            assert!(expected.len() > 1000);
            assert_eq!(
                ranked(
                    &profile,
                    &selection,
                    None,
                    profile.function_ids().collect(),
                    1
                ),
                expected,
                "{events}"
            );
        }
    }
}
