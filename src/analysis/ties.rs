//! Orders rows with the same count of the first sort event. There can be a million of them.
//!
//! For whoever changes this: names are spread over memory, so comparing them is slow. Rows are
//! therefore sorted by integers as far as those decide. The first integers are the counts of the
//! further sort events and the rank of the file. Then come eight bytes of the name, after the part
//! that all names have in common. The remaining rows, and small groups, are compared in full. So
//! the order is exactly that of the comparison.

use super::Selection;
use crate::profile::{Events, Name, NameId, Order, Profile};
use std::cmp::Ordering;

/// Groups up to this size are compared in full.
const FEW: usize = 8;

/// How often eight bytes of the names are compared before names are compared in full.
const TURNS: usize = 8;

type Of<'k, T, V> = Box<dyn Fn(&T) -> V + Sync + 'k>;
type TieOrder<'k, T> = Box<dyn Fn(&T, &T) -> Ordering + Sync + 'k>;

/// The order of rows with one key. Rows that compare equal have no particular order.
pub(crate) struct Ties<'k, T> {
    compare: TieOrder<'k, T>,
    cost: Of<'k, T, &'k [i64]>,
    /// Integers that order rows one after the other, smaller ones first. Those of the further sort
    /// events come first.
    keys: Vec<Of<'k, T, i64>>,
    events: usize,
    /// The name that orders rows with equal keys, if nothing else comes before it.
    name: Option<Of<'k, T, Option<Name<'k>>>>,
}

impl<'k, T: Copy> Ties<'k, T> {
    /// Orders rows by `compare`, which begins with the selection's order of costs.
    pub(crate) fn new(
        events: &'k Events,
        selection: &'k Selection,
        cost: impl Fn(&T) -> &'k [i64] + Copy + Sync + 'k,
        compare: impl Fn(&T, &T) -> Ordering + Sync + 'k,
    ) -> Ties<'k, T> {
        let further = selection.sort.iter().skip(1);
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
            name: None,
        }
    }

    /// Orders rows of equal cost by this key, smaller ones first. `compare` must do the same.
    pub(crate) fn then(mut self, key: impl Fn(&T) -> i64 + Sync + 'k) -> Ties<'k, T> {
        self.keys.push(Box::new(key));
        self
    }

    /// Orders rows of equal keys by their names. If one of them has no name, they are compared in
    /// full.
    pub(crate) fn then_name(
        mut self,
        name: impl Fn(&T) -> Option<Name<'k>> + Sync + 'k,
    ) -> Ties<'k, T> {
        self.name = Some(Box::new(name));
        self
    }

    /// Sorts rows of one key.
    pub(crate) fn sort(&self, rows: &mut [(i64, T)]) {
        self.by_keys(rows, 0);
    }

    fn by_keys(&self, rows: &mut [(i64, T)], mut level: usize) {
        if rows.len() <= FEW {
            return in_full(rows, &*self.compare);
        }
        // If only one event is left, comparing whole rows is as fast.
        if level + 1 < self.events {
            let cost = (self.cost)(&rows[0].1);
            if rows.iter().all(|row| (self.cost)(&row.1) == cost) {
                level = self.events;
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

    /// Sorts rows of equal keys, whose names are equal up to `from`.
    fn by_name(&self, rows: &mut [(i64, T)], from: usize, turns: usize) {
        let name = |row: &T| (self.name.as_ref()?)(row);
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

/// Sorts rows by a comparison only. It takes a pointer, so that it is compiled once per type of
/// rows.
pub(super) fn in_full<T>(rows: &mut [(i64, T)], compare: &dyn Fn(&T, &T) -> Ordering) {
    rows.sort_unstable_by(|a, b| compare(&a.1, &b.1));
}

/// It is compiled once per type of rows, not for each use of [`each_run`].
fn by_key<T>(rows: &mut [(i64, T)]) {
    rows.sort_unstable_by_key(|&(key, _)| key);
}

/// A number as a key.
pub(crate) fn ascending(number: u64) -> i64 {
    (number ^ 1 << 63) as i64
}

/// Sets the keys of rows, and returns whether they differ.
fn fill<T>(rows: &mut [(i64, T)], key: impl Fn(&T) -> i64) -> bool {
    let (mut any, mut all) = (0, -1);
    for (at, row) in rows {
        *at = key(row);
        any |= *at;
        all &= *at;
    }
    any != all
}

/// Sorts rows by their keys, and passes each group of equal keys to `then`.
fn each_run<T>(rows: &mut [(i64, T)], then: impl FnMut(&mut [(i64, T)])) {
    by_key(rows);
    rows.chunk_by_mut(|a, b| a.0 == b.0)
        .filter(|run| run.len() > 1)
        .for_each(then);
}

/// The ranks of files among all requested files.
pub(crate) struct FileRanks(Vec<u32>);

impl FileRanks {
    /// Ranks files by their bytes.
    pub(crate) fn of_files(profile: &Profile, files: impl Iterator<Item = NameId>) -> FileRanks {
        FileRanks::new(profile, files, Ord::cmp, |_, _| false)
    }

    /// Ranks files by the beginning `file:` of a label. If that does not decide, because another
    /// file is called `file:more`, both have the same rank, and [`decides`](Self::decides) is
    /// false.
    pub(crate) fn of_labels(profile: &Profile, files: impl Iterator<Item = NameId>) -> FileRanks {
        FileRanks::new(profile, files, before_colon, |file, than| {
            let more = file.strip_prefix(than);
            more.is_some_and(|more| more.starts_with(b":"))
        })
    }

    /// Ranks files in an order. A file that `is_longer` than another shares its rank.
    fn new(
        profile: &Profile,
        files: impl Iterator<Item = NameId>,
        compare: fn(&[u8], &[u8]) -> Ordering,
        is_longer: fn(&[u8], &[u8]) -> bool,
    ) -> FileRanks {
        let mut ranks = vec![0; profile.names.len()];
        let mut sorted: Vec<NameId> = files
            .filter(|file| std::mem::replace(&mut ranks[file.index()], 1) == 0)
            .collect();
        sorted.order_by(|&a, &b| compare(profile.name(a), profile.name(b)));
        let is_longer =
            |file: NameId, than: NameId| is_longer(profile.name(file), profile.name(than));
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

    /// Whether labels with this file's rank all have this file.
    pub(crate) fn decides(&self, file: NameId) -> bool {
        self.0[file.index()] & 1 == 0
    }
}

/// Splits a list into groups. Each begins with a file that the others in the group extend.
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

/// Compares two names, each with a colon after it.
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

    /// Functions with few different costs, whose files and names begin alike, contain colons, or
    /// are equal in two objects.
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
                let label = |id| Label::new(&profile, id);
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
