//! Puts rows in order, but only as many as are asked for.
//!
//! A report ends at a threshold: of a million functions the dearest hundred are printed. So rows are taken from the front in
//! growing batches, each found by selection on one integer. Within a batch only rows of the same key are compared further.

use super::ties::in_full;
use std::cmp::{Ordering, Reverse};

/// The rows of a batch at first. Each further one is as large as [`GROWTH`] times all before it, so that a list of all
/// rows is gone through a few times and not a few dozen.
const BATCH: usize = 512;
const GROWTH: usize = 3;

/// Gives items in order: larger keys first, then as `ties` puts those of one key.
pub(crate) struct Ranking<T, C> {
    items: Vec<(i64, T)>,
    sorted: usize,
    next: usize,
    ties: C,
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
    pub(crate) fn with_ties<C: Fn(&mut [(i64, T)])>(items: Vec<(i64, T)>, ties: C) -> Ranking<T, C> {
        Ranking { items, sorted: 0, next: 0, ties }
    }
}

impl<T: Copy, C: Fn(&mut [(i64, T)])> Ranking<T, C> {
    /// Orders one more batch behind those that are.
    fn sort_more(&mut self) {
        let rest = &mut self.items[self.sorted..];
        let batch = order_first(rest, self.sorted.saturating_mul(GROWTH).max(BATCH));
        for tied in batch.chunk_by_mut(|a, b| a.0 == b.0).filter(|tied| tied.len() > 1) {
            let key = tied[0].0;
            (self.ties)(tied);
            tied.iter_mut().for_each(|item| item.0 = key);
        }
        self.sorted += batch.len();
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

/// Puts so many rows and one, and all that tie with the last of them, to the front and in order; returns them. Not a part of
/// [`Ranking`], so that it is compiled once for a type of rows and not again for each way to decide ties.
fn order_first<T>(rest: &mut [(i64, T)], wanted: usize) -> &mut [(i64, T)] {
    let mut batch = rest.len();
    if wanted < rest.len() {
        let (_, &mut (last, _), behind) = rest.select_nth_unstable_by_key(wanted, |&(key, _)| Reverse(key));
        // Whatever ties with the last one belongs to the batch too.
        batch = wanted + 1;
        for at in 0..behind.len() {
            if rest[wanted + 1 + at].0 == last {
                rest.swap(batch, wanted + 1 + at);
                batch += 1;
            }
        }
    }
    let batch = &mut rest[..batch];
    batch.sort_unstable_by_key(|&(key, _)| Reverse(key));
    batch
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
            let mut items: Vec<(i64, (i64, u64))> = (0..5000u64)
                .map(|n| {
                    let key = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % modulus;
                    (key as i64, (key as i64, n))
                })
                .collect();
            let order = |a: &(i64, u64), b: &(i64, u64)| b.0.cmp(&a.0).then(a.1.cmp(&b.1));
            let ranked: Vec<_> = Ranking::new(items.clone(), order).collect();
            items.sort_by(|a, b| order(&a.1, &b.1));
            assert_eq!(ranked, items.into_iter().map(|(_, item)| item).collect::<Vec<_>>(), "{modulus}");
        }
    }
}
