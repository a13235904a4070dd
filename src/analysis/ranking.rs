//! Sorts rows, but only as many as are needed.
//!
//! For whoever changes this: a report ends at a threshold, and of a million functions it prints the
//! most expensive hundred. So rows are taken from the front in growing batches, each found by
//! selection on one integer. Only rows with the same key are compared further.

use super::{
    at_once::at_once,
    ties::{Ties, in_full},
};
use std::{
    cmp::{Ordering, Reverse},
    sync::{Mutex, PoisonError},
};

/// The size of the first batch. Each further batch is [`GROWTH`] times as large as all before it,
/// so that a complete list takes a few passes, not dozens.
const BATCH: usize = 512;
const GROWTH: usize = 3;

/// From this number of rows on, several threads sort a batch.
const MANY: usize = 1 << 14;

/// Items with their keys.
type KeyedItems<T> = [(i64, T)];

/// Returns items in order: larger keys first, then as `ties` orders equal keys.
pub(crate) struct Ranking<T, C> {
    items: Vec<(i64, T)>,
    sorted: usize,
    next: usize,
    ties: C,
    threads: usize,
}

impl<T: Copy> Ranking<T, ()> {
    /// Orders items by their keys; `compare` orders equal keys.
    pub(crate) fn new(
        items: Vec<(i64, T)>,
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Ranking<T, impl Fn(&mut KeyedItems<T>)> {
        Ranking::from_sort(items, move |tied: &mut KeyedItems<T>| {
            in_full(tied, &compare)
        })
    }

    /// Orders items by their keys, and equal keys as `ties` does.
    pub(crate) fn with_ties(
        items: Vec<(i64, T)>,
        ties: Ties<'_, T>,
    ) -> Ranking<T, impl Fn(&mut KeyedItems<T>)> {
        Ranking::from_sort(items, move |tied: &mut KeyedItems<T>| ties.sort(tied))
    }

    /// Orders items by their keys; `ties` sorts items of equal keys, and may use the keys for its
    /// own purposes.
    fn from_sort<C: Fn(&mut KeyedItems<T>)>(items: Vec<(i64, T)>, ties: C) -> Ranking<T, C> {
        Ranking {
            items,
            sorted: 0,
            next: 0,
            ties,
            threads: 1,
        }
    }
}

impl<T: Copy + Send, C: Fn(&mut KeyedItems<T>) + Sync> Ranking<T, C> {
    /// Uses several threads for long lists. The order does not depend on them.
    pub(crate) fn with_threads(self, threads: usize) -> Ranking<T, C> {
        Ranking { threads, ..self }
    }

    /// Sorts one more batch.
    fn sort_more(&mut self) {
        let rest = &mut self.items[self.sorted..];
        let batch = first(rest, self.sorted.saturating_mul(GROWTH).max(BATCH));
        self.sorted += batch.len();
        sort_with_threads(batch, &self.ties, self.threads);
    }
}

/// Moves the first `wanted` rows and one more to the front, with all rows that tie with the last of
/// them, and returns them. It is not part of [`Ranking`], so that it is compiled once per type of
/// rows and not once per order of ties. The same holds for the functions below.
fn first<T>(rest: &mut KeyedItems<T>, wanted: usize) -> &mut KeyedItems<T> {
    let mut batch = rest.len();
    if wanted < rest.len() {
        let (_, &mut (last, _), behind) =
            rest.select_nth_unstable_by_key(wanted, |&(key, _)| Reverse(key));
        // All rows that tie with the last one belong to the batch, too.
        batch = wanted + 1 + to_front(behind, |item| item.0 == last);
    }
    &mut rest[..batch]
}

/// Moves such items to the front, and returns their number. The order changes.
pub(super) fn to_front<T>(items: &mut [T], is_such: impl Fn(&T) -> bool) -> usize {
    let mut front = 0;
    for at in 0..items.len() {
        if is_such(&items[at]) {
            items.swap(front, at);
            front += 1;
        }
    }
    front
}

fn sort<T>(batch: &mut KeyedItems<T>, ties: &dyn Fn(&mut KeyedItems<T>)) {
    batch.sort_unstable_by_key(|&(key, _)| Reverse(key));
    for tied in batch
        .chunk_by_mut(|a, b| a.0 == b.0)
        .filter(|tied| tied.len() > 1)
    {
        let key = tied[0].0;
        ties(tied);
        tied.iter_mut().for_each(|item| item.0 = key);
    }
}

/// Divides a batch at a change of keys near its middle, and sorts both parts at the same time.
fn sort_with_threads<T: Send>(
    batch: &mut KeyedItems<T>,
    ties: &(dyn Fn(&mut KeyedItems<T>) + Sync),
    threads: usize,
) {
    if threads < 2 || batch.len() < MANY {
        return sort(batch, ties);
    }
    let middle = batch.len() / 2;
    let (larger, &mut (key, _), smaller) =
        batch.select_nth_unstable_by_key(middle, |&(key, _)| Reverse(key));
    let start = to_front(larger, |item| item.0 > key);
    let end = middle + 1 + to_front(smaller, |item| item.0 == key);
    let (front, back) = batch.split_at_mut(if middle - start < end - middle {
        start
    } else {
        end
    });
    let front = Mutex::new(front);
    at_once(
        threads,
        || sort_with_threads(back, ties, threads - threads / 2),
        || {
            let mut front = front.lock().unwrap_or_else(PoisonError::into_inner);
            sort_with_threads(&mut front, ties, threads / 2);
        },
    );
}

impl<T: Copy + Send, C: Fn(&mut KeyedItems<T>) + Sync> Iterator for Ranking<T, C> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next == self.sorted && self.next < self.items.len() {
            self.sort_more();
        }
        let &(_, item) = self.items.get(self.next)?;
        self.next += 1;
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_join_to_the_whole_order() {
        for modulus in [1u64, 2, 7, 500, 100_000] {
            let mut items: Vec<(i64, (i64, u64))> = (0..60_000u64)
                .map(|n| {
                    let key = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % modulus;
                    (key as i64, (key as i64, n))
                })
                .collect();
            let order = |a: &(i64, u64), b: &(i64, u64)| b.0.cmp(&a.0).then(a.1.cmp(&b.1));
            let ranked: Vec<_> = Ranking::new(items.clone(), order).collect();
            let unsorted = items.clone();
            items.sort_by(|a, b| order(&a.1, &b.1));
            let sorted: Vec<_> = items.into_iter().map(|(_, item)| item).collect();
            assert_eq!(ranked, sorted, "{modulus}");
            for threads in [2, 3, 16] {
                let threaded: Vec<_> = Ranking::new(unsorted.clone(), order)
                    .with_threads(threads)
                    .collect();
                assert_eq!(threaded, sorted, "{modulus} {threads}");
            }
        }
    }
}
