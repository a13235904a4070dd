//! Puts rows in order, but only as many as are asked for.
//!
//! A report ends at a threshold: of a million functions the dearest hundred are printed. So rows are taken from the front in
//! growing batches, each found by selection on one integer, and only the rows of a batch are compared in full.

use std::cmp::Ordering;

/// The rows of a batch at first; each further one is as large as all before it.
const BATCH: usize = 512;

/// Gives items in the order of `compare`, of which larger keys are known to come first.
pub(crate) struct Ranking<T, C> {
    items: Vec<(i64, T)>,
    sorted: usize,
    next: usize,
    compare: C,
}

impl<T: Copy, C: Fn(&T, &T) -> Ordering> Ranking<T, C> {
    /// Orders items with their keys. `compare` must put items with a larger key before those with a smaller one.
    pub(crate) fn new(items: Vec<(i64, T)>, compare: C) -> Self {
        Ranking { items, sorted: 0, next: 0, compare }
    }

    /// Orders one more batch behind those that are.
    fn sort_more(&mut self) {
        let rest = &mut self.items[self.sorted..];
        let wanted = self.sorted.max(BATCH);
        let mut batch = rest.len();
        if wanted < rest.len() {
            let (_, &mut (last, _), behind) =
                rest.select_nth_unstable_by_key(wanted, |&(key, _)| std::cmp::Reverse(key));
            // Whatever ties with the last one belongs to the batch too.
            batch = wanted + 1;
            for at in 0..behind.len() {
                if rest[wanted + 1 + at].0 == last {
                    rest.swap(batch, wanted + 1 + at);
                    batch += 1;
                }
            }
        }
        let compare = &self.compare;
        rest[..batch].sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| compare(&a.1, &b.1)));
        self.sorted += batch;
    }
}

impl<T: Copy, C: Fn(&T, &T) -> Ordering> Iterator for Ranking<T, C> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.next == self.sorted && self.next < self.items.len() {
            self.sort_more();
        }
        let (_, item) = *self.items.get(self.next)?;
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
