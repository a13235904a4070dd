//! Costs and other counts by key, while a profile is read: calls by their places, instructions by
//! their addresses.

use super::{ColumnMap, Costs, Counts, Overflow, index::Index};
use std::hash::Hash;

/// A key with its counts.
#[derive(Clone)]
pub(crate) struct KeyRow<K, const N: usize> {
    pub key: K,
    /// Counts that are not of events, such as those of calls.
    pub times: [u64; N],
    /// The row of its costs.
    pub row: u32,
}

/// Keys with their counts. While keys are added, row `n` of the costs belongs to key `n`.
#[derive(Clone)]
pub(crate) struct KeyTable<K, const N: usize> {
    pub(super) rows: Vec<KeyRow<K, N>>,
    index: Index,
    pub(super) costs: Costs,
}

impl<K, const N: usize> Default for KeyTable<K, N> {
    fn default() -> Self {
        KeyTable {
            rows: Vec::new(),
            index: Index::default(),
            costs: Costs::default(),
        }
    }
}

impl<K: Copy + Eq + Hash + Ord, const N: usize> KeyTable<K, N> {
    pub(super) fn counts(&self, row: &KeyRow<K, N>) -> Counts<'_> {
        Counts(self.costs.row(row.row))
    }

    /// Adds to the counts of a key.
    pub(crate) fn add(&mut self, key: K, times: [u64; N], counts: &[i64]) -> Overflow {
        let row = self.row_of(key);
        let mut over = self.costs.add(row, counts);
        for (have, more) in self.rows[row as usize].times.iter_mut().zip(times) {
            over |= have.checked_add(more).is_none();
            *have = have.saturating_add(more);
        }
        over
    }

    fn row_of(&mut self, key: K) -> u32 {
        let (rows, next) = (&self.rows, self.rows.len() as u32);
        let has_key = |row: u32| rows[row as usize].key == key;
        let row = self.index.number(key, has_key, next);
        if row == next {
            self.costs.push();
            self.rows.push(KeyRow {
                key,
                times: [0; N],
                row,
            });
        }
        row
    }

    pub(super) fn absorb(
        &mut self,
        other: &KeyTable<K, N>,
        columns: &mut ColumnMap,
        renamed: impl Fn(K) -> K,
    ) -> Overflow {
        let mut over = false;
        for row in &other.rows {
            let counts = columns.place(other.counts(row).0);
            over |= self.add(renamed(row.key), row.times, counts);
        }
        over
    }

    /// Sorts the keys, after which none may be added.
    pub(super) fn sort(&mut self) {
        self.index = Index::default();
        // Files have long sorted stretches, which this sort makes use of.
        self.rows.sort_by_key(|row| row.key);
    }
}
