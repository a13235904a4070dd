//! Calls by caller, callee and call site, while a profile is being read.

use super::costs::Costs;
use super::names::NameId;
use super::{Arc, FunctionId, Site};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Caller, callee, code file and line of a call. Where only arcs are wanted, file and line are the same for all.
pub(crate) type SiteKey = (FunctionId, FunctionId, NameId, u64);

/// The call sites read so far. Row `n` of the costs belongs to entry `n`.
#[derive(Default)]
pub(crate) struct CallTable {
    entries: Vec<(SiteKey, u64)>,
    index: HashTable<u32>,
    costs: Costs,
    hasher: RandomState,
}

impl CallTable {
    /// Adds `count` calls and their inclusive cost; true if a sum did not fit.
    pub(crate) fn add(&mut self, key: SiteKey, count: u64, counts: &[i64]) -> bool {
        let row = self.row_of(key);
        let had = &mut self.entries[row as usize].1;
        let over = had.checked_add(count).is_none();
        *had = had.saturating_add(count);
        self.costs.add(row, counts) | over
    }

    fn row_of(&mut self, key: SiteKey) -> u32 {
        let hash = self.hash(&key);
        let entries = &self.entries;
        if let Some(&row) = self.index.find(hash, |&row| entries[row as usize].0 == key) {
            return row;
        }
        let row = self.costs.push();
        self.entries.push((key, 0));
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.index.insert_unique(hash, row, |&row| hasher.hash_one(plain(&entries[row as usize].0)));
        row
    }

    fn hash(&self, key: &SiteKey) -> u64 {
        self.hasher.hash_one(plain(key))
    }

    /// How many counts there is room for.
    pub(crate) fn room(&self) -> usize {
        self.costs.room()
    }

    /// True when no more rows fit.
    pub(crate) fn is_full(&self) -> bool {
        self.costs.is_full()
    }

    /// The call sites in the order they came: key, count, cost.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SiteKey, u64, &[i64])> {
        self.entries.iter().enumerate().map(|(row, &(key, count))| (key, count, self.costs.row(row as u32)))
    }

    /// Arcs by caller and callee, each with its sites by file and line. True if a sum did not fit.
    pub(crate) fn finish(self) -> (Vec<Arc>, Costs, Vec<Site>, Costs, bool) {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_unstable_by_key(|&row| self.entries[row as usize].0);
        let (mut arcs, mut arc_costs, mut sites, mut over) = (Vec::<Arc>::new(), Costs::default(), Vec::new(), false);
        for row in order {
            let ((caller, callee, file, line), count) = self.entries[row as usize];
            if arcs.last().is_none_or(|a| (a.caller, a.callee) != (caller, callee)) {
                let first = sites.len() as u32;
                arcs.push(Arc { caller, callee, count: 0, row: arc_costs.push(), sites: first..first });
            }
            sites.push(Site { file, line, count, row });
            if let Some(arc) = arcs.last_mut() {
                over |= arc.count.checked_add(count).is_none();
                arc.count = arc.count.saturating_add(count);
                arc.sites.end += 1;
                over |= arc_costs.add(arc.row, self.costs.row(row));
            }
        }
        (arcs, arc_costs, sites, self.costs, over)
    }
}

fn plain(key: &SiteKey) -> (u64, u32, u64) {
    (u64::from(key.0.0) << 32 | u64::from(key.1.0), key.2.0, key.3)
}
