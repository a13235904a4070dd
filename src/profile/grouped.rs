//! Items in numbered groups, stored one group after the other in one allocation: lines by file,
//! calls by caller, arcs by callee.

use std::ops::Range;

/// Items by group. The items of a group keep their order.
#[derive(Clone)]
pub(crate) struct Grouped<T> {
    items: Vec<T>,
    /// The end of each group, which is the start of the next.
    ends: Vec<u32>,
}

impl<T: Copy + Default> Grouped<T> {
    /// Puts each item into the group with its number; there are `groups` groups.
    pub(crate) fn new(
        groups: usize,
        items: impl Iterator<Item = (usize, T)> + Clone,
    ) -> Grouped<T> {
        let mut ends = vec![0u32; groups];
        items.clone().for_each(|(group, _)| ends[group] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // At first the start of the group; each of its items moves it on.
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

    /// The number of groups.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The items of one group; empty if the group does not exist.
    pub(crate) fn group(&self, group: usize) -> &[T] {
        &self.items[self.range(group)]
    }

    /// Like [`group`](Self::group), but mutable, to reorder the items.
    pub(crate) fn group_mut(&mut self, group: usize) -> &mut [T] {
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
            [0, 1, 2, 3, 4].map(|group| grouped.group(group)),
            [&['b'][..], &[], &['a', 'c'], &['d'], &[]]
        );
        grouped.group_mut(2).reverse();
        assert_eq!((grouped.group(2), grouped.len()), (&['c', 'a'][..], 4));
    }
}
