//! Puts rows in order, but only as many as are asked for.
//!
//! A report ends at a threshold: of a million functions the dearest hundred are printed. So rows are taken from the front in
//! growing batches, each found by selection on one integer. Within a batch only rows of the same key are compared further.

use super::ties::in_full;
use std::cmp::{Ordering, Reverse};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// The rows of a batch at first. Each further one is as large as [`GROWTH`] times all before it, so that a list of all
/// rows is gone through a few times and not a few dozen.
const BATCH: usize = 512;
const GROWTH: usize = 3;

/// From this many rows on several threads sort a batch.
const MANY: usize = 1 << 14;

/// Gives items in order: larger keys first, then as `ties` puts those of one key.
pub(crate) struct Ranking<T, C> {
    items: Vec<(i64, T)>,
    sorted: usize,
    next: usize,
    ties: C,
    /// Sorts a batch, with so many threads.
    sort: fn(&mut [(i64, T)], &C, usize),
    threads: usize,
}

impl<T: Copy> Ranking<T, ()> {
    /// Orders items with their keys; `compare` decides among those of one key.
    pub(crate) fn new(
        items: Vec<(i64, T)>,
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Ranking<T, impl Fn(&mut [(i64, T)])> {
        Ranking::with_ties(items, move |tied: &mut [(i64, T)]| in_full(tied, &compare))
    }

    /// Orders items with their keys; `ties` sorts those of one key, and may put other keys there while it does.
    pub(crate) fn with_ties<C: Fn(&mut [(i64, T)])>(
        items: Vec<(i64, T)>,
        ties: C,
    ) -> Ranking<T, C> {
        Ranking {
            items,
            sorted: 0,
            next: 0,
            ties,
            sort: |batch, ties, _| sort(batch, ties),
            threads: 1,
        }
    }
}

impl<T: Copy + Send, C: Fn(&mut [(i64, T)]) + Sync> Ranking<T, C> {
    /// The same with several threads for long lists. The order does not depend on it.
    pub(crate) fn with_threads(self, threads: usize) -> Ranking<T, C> {
        Ranking {
            sort: |batch, ties, threads| sort_with_threads(batch, ties, threads),
            threads,
            ..self
        }
    }
}

impl<T: Copy, C: Fn(&mut [(i64, T)])> Ranking<T, C> {
    /// Orders one more batch behind those that are.
    fn sort_more(&mut self) {
        let rest = &mut self.items[self.sorted..];
        let batch = first(rest, self.sorted.saturating_mul(GROWTH).max(BATCH));
        self.sorted += batch.len();
        (self.sort)(batch, &self.ties, self.threads);
    }

    /// The next item with its key.
    pub(crate) fn next_keyed(&mut self) -> Option<(i64, T)> {
        if self.next == self.sorted && self.next < self.items.len() {
            self.sort_more();
        }
        let &item = self.items.get(self.next)?;
        self.next += 1;
        Some(item)
    }
}

/// Puts so many rows and one, and all that tie with the last of them, to the front; returns them. Not a part of [`Ranking`],
/// so that it is compiled once for a type of rows and not again for each way to decide ties; nor is what follows.
fn first<T>(rest: &mut [(i64, T)], wanted: usize) -> &mut [(i64, T)] {
    let mut batch = rest.len();
    if wanted < rest.len() {
        let (_, &mut (last, _), behind) =
            rest.select_nth_unstable_by_key(wanted, |&(key, _)| Reverse(key));
        // Whatever ties with the last one belongs to the batch too.
        batch = wanted + 1 + to_front(behind, |key| key == last);
    }
    &mut rest[..batch]
}

/// Moves the items with such keys to the front; gives how many they are.
fn to_front<T>(items: &mut [(i64, T)], is_such: impl Fn(i64) -> bool) -> usize {
    let mut front = 0;
    for at in 0..items.len() {
        if is_such(items[at].0) {
            items.swap(front, at);
            front += 1;
        }
    }
    front
}

/// Items with their keys.
type Keyed<T> = [(i64, T)];

fn sort<T>(batch: &mut Keyed<T>, ties: &dyn Fn(&mut Keyed<T>)) {
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

/// Divides a batch where its keys change, as near to the middle as that is, and sorts both halves at a time.
fn sort_with_threads<T: Send>(
    batch: &mut Keyed<T>,
    ties: &(dyn Fn(&mut Keyed<T>) + Sync),
    threads: usize,
) {
    if threads < 2 || batch.len() < MANY {
        return sort(batch, ties);
    }
    let middle = batch.len() / 2;
    let (larger, &mut (key, _), smaller) =
        batch.select_nth_unstable_by_key(middle, |&(key, _)| Reverse(key));
    let start = to_front(larger, |other| other > key);
    let end = middle + 1 + to_front(smaller, |other| other == key);
    let (front, back) = batch.split_at_mut(if middle - start < end - middle {
        start
    } else {
        end
    });
    let waiting = Mutex::new(Some(front));
    let sort_front = || {
        let front = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(front) = front {
            sort_with_threads(front, ties, threads / 2);
        }
    };
    thread::scope(|scope| {
        // Where no more threads may run, this one sorts both.
        let _ = thread::Builder::new().spawn_scoped(scope, sort_front);
        sort_with_threads(back, ties, threads - threads / 2);
        sort_front();
    });
}

impl<T: Copy, C: Fn(&mut [(i64, T)])> Iterator for Ranking<T, C> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.next_keyed().map(|(_, item)| item)
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
