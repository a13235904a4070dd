//! Things in numbered groups, one group behind the other in one allocation: lines by file, calls by caller, arcs by
//! callee.

use std::ops::Range;

/// Things of type `T` by group. Those of a group stay in the order in which they came.
#[derive(Clone, Debug)]
pub(crate) struct Grouped<T> {
    items: Vec<T>,
    /// Where each group ends, which is where the next one begins.
    ends: Vec<u32>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Puts each of `items` into the group whose number comes with it; there are `groups` of them.
    pub(crate) fn new(
        groups: usize,
        items: impl Iterator<Item = (usize, T)> + Clone,
    ) -> Grouped<T> {
        let mut ends = vec![0u32; groups];
        items.clone().for_each(|(group, _)| ends[group] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // First where the group begins, moved on by each of its items.
            (*end, sum) = (sum, sum + *end);
        }
        let mut grouped = vec![T::default(); sum as usize];
        for (group, item) in items {
            let at = &mut ends[group];
            grouped[*at as usize] = item;
            *at += 1;
        }
        Grouped {
            items: grouped,
            ends,
        }
    }

    /// How many groups there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The things of one group; none if there is no such group.
    pub(crate) fn of(&self, group: usize) -> &[T] {
        &self.items[self.range(group)]
    }

    /// The same, to bring them into another order.
    pub(crate) fn of_mut(&mut self, group: usize) -> &mut [T] {
        let range = self.range(group);
        &mut self.items[range]
    }

    fn range(&self, group: usize) -> Range<usize> {
        let start = group
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0);
        let end = self.ends.get(group).copied().unwrap_or(start);
        start as usize..end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_stay_in_order_within_their_group() {
        let mut grouped = Grouped::new(4, [(2, 'a'), (0, 'b'), (2, 'c'), (3, 'd')].into_iter());
        assert_eq!(
            [0, 1, 2, 3, 4].map(|group| grouped.of(group)),
            [&['b'][..], &[], &['a', 'c'], &['d'], &[]]
        );
        grouped.of_mut(2).reverse();
        assert_eq!((grouped.of(2), grouped.len()), (&['c', 'a'][..], 4));
    }
}
