//! Sorts rows of any type with one copy of the sorting code.
//!
//! For whoever changes this: the compiler generates the standard library's sort for every pair of
//! type and comparison, about 10 kB each. This crate sorts lists in about eighty places, which was
//! a tenth of the program. Here the sort works on indices and calls the comparison through a
//! pointer, so that all lists share one sort. Lists that are as long as the profile and needed for
//! every report (`analysis::ranking`, the freezing of a profile) still use the standard library's
//! sort.

use std::cmp::Ordering;

/// Does the same as the standard library's `sort_by` and `sort_by_key` with less code.
pub(crate) trait Order<T> {
    /// Sorts by a comparison. Rows that compare equal keep their order.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by the rows' own order.
    fn order(&mut self)
    where
        T: Ord,
    {
        self.order_by(T::cmp);
    }

    /// Sorts by a key. Rows with equal keys keep their order.
    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut from: Vec<usize> = (0..self.len()).collect();
        sort_places(&mut from, &mut |a, b| compare(&self[a], &self[b]));
        rearrange(&mut from, &mut |a, b| self.swap(a, b));
    }
}

fn sort_places(places: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|&a, &b| compare(a, b));
}

/// Moves the row at `from[at]` to each index `at`. It follows each cycle of such moves once.
fn rearrange(from: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..from.len() {
        let mut at = start;
        loop {
            let next = std::mem::replace(&mut from[at], at);
            if next == start {
                break;
            }
            swap(at, next);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut seed = 1u64;
        for len in (0..40).chain([100, 1000]) {
            for modulus in [1, 3, 1 << 40] {
                let mut rows: Vec<(u64, usize)> = (0..len)
                    .map(|at| {
                        seed = seed
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        ((seed >> 20) % modulus, at)
                    })
                    .collect();
                let mut expected = rows.clone();
                expected.sort_by_key(|row| row.0);
                rows.order_by_key(|row| row.0);
                assert_eq!(rows, expected);
                expected.sort_by_key(|row| std::cmp::Reverse(row.0));
                rows.order_by(|a, b| b.0.cmp(&a.0));
                assert_eq!(rows, expected);
                expected.sort();
                rows.order();
                assert_eq!(rows, expected);
            }
        }
    }
}
