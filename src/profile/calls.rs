//! Calls by caller, callee and call site, while a profile is being read.

use super::costs::{Costs, Overflow, extend_with};
use super::names::NameId;
use super::{CallEdge, FunctionId, Site};
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
    /// Adds `count` calls and their inclusive cost.
    pub(crate) fn add(&mut self, key: SiteKey, count: u64, counts: &[i64]) -> Overflow {
        let row = self.row_of(key);
        let had = &mut self.entries[row as usize].1;
        let over = Overflow::when(had.checked_add(count).is_none());
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

    /// How many counts the table has space for.
    pub(crate) fn allocated(&self) -> usize {
        self.costs.allocated()
    }

    /// True when no more rows fit.
    pub(crate) fn is_full(&self) -> bool {
        self.costs.is_full()
    }

    /// The call sites in the order they came: key, count, cost.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SiteKey, u64, &[i64])> {
        self.entries.iter().enumerate().map(|(row, &(key, count))| (key, count, self.costs.row(row as u32)))
    }

    /// Arcs by caller and callee, each with its sites by file and line; their costs share one table.
    pub(crate) fn finish(self) -> (Vec<CallEdge>, Vec<Site>, Costs, Overflow) {
        let CallTable { entries, mut costs, .. } = self;
        let arc_of = |row: u32| (entries[row as usize].0.0, entries[row as usize].0.1);
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        order.sort_unstable_by_key(|&row| entries[row as usize].0);
        let (mut arcs, mut sites, mut over) = (Vec::new(), Vec::with_capacity(order.len()), Overflow::No);
        let mut sum = Vec::new();
        for rows in order.chunk_by(|&a, &b| arc_of(a) == arc_of(b)) {
            let (caller, callee) = arc_of(rows[0]);
            let first = sites.len() as u32;
            let mut calls = 0u64;
            for &row in rows {
                let ((_, _, file, line), count) = entries[row as usize];
                sites.push(Site { file, line, count, row });
                over |= Overflow::when(calls.checked_add(count).is_none());
                calls = calls.saturating_add(count);
            }
            // An arc from one site costs what that does.
            let mut row = rows[0];
            if rows.len() > 1 {
                sum.clear();
                for &row in rows {
                    over |= extend_with(&mut sum, costs.row(row));
                }
                row = costs.push();
                costs.add(row, &sum);
            }
            arcs.push(CallEdge { caller, callee, count: calls, row, sites: first..sites.len() as u32 });
        }
        (arcs, sites, costs, over)
    }
}

fn plain(key: &SiteKey) -> (u64, u32, u64) {
    (u64::from(key.0.0) << 32 | u64::from(key.1.0), key.2.0, key.3)
}

/// The arcs of a profile by callee.
#[derive(Clone, Debug)]
pub(super) struct ByCallee {
    /// Where those of each callee end, which is where those of the next one begin.
    ends: Vec<u32>,
    arcs: Vec<u32>,
}

impl ByCallee {
    /// Those of one callee stay in the order in which they are.
    pub(super) fn new(arcs: &[CallEdge]) -> ByCallee {
        let callees = arcs.iter().map(|arc| arc.callee.index() + 1).max().unwrap_or(0);
        let mut next = vec![0; callees + 1];
        arcs.iter().for_each(|arc| next[arc.callee.index() + 1] += 1);
        (1..next.len()).for_each(|callee| next[callee] += next[callee - 1]);
        let mut places = vec![0; arcs.len()];
        for (at, arc) in (0..).zip(arcs) {
            let next: &mut u32 = &mut next[arc.callee.index()];
            places[*next as usize] = at;
            *next += 1;
        }
        ByCallee { ends: next, arcs: places }
    }

    /// The indices of the arcs to a function.
    pub(super) fn of(&self, callee: FunctionId) -> &[u32] {
        let start = callee.index().checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(callee.index()).copied().unwrap_or(start);
        &self.arcs[start as usize..end as usize]
    }
}
