//! Calls by caller, callee and call site, while a profile is read.

use super::index::Index;
use super::{CallEdge, Costs, FunctionId, NameId, Overflow, Site, extend_with};

/// The caller, callee, code file and line of a call. If only arcs are wanted, file and line are the
/// same for all.
pub(crate) type SiteKey = (FunctionId, FunctionId, NameId, u64);

/// The call sites so far. Row `n` of the costs belongs to entry `n`.
#[derive(Default)]
pub(crate) struct CallTable {
    entries: Vec<(SiteKey, u64)>,
    index: Index,
    pub(super) costs: Costs,
    /// The row after that of the last call. Another part usually has its calls in the same order as
    /// the first.
    expected: u32,
}

impl CallTable {
    /// Adds `count` calls and their inclusive cost.
    pub(crate) fn add(&mut self, key: SiteKey, count: u64, counts: &[i64]) -> Overflow {
        let row = match self.entries.get(self.expected as usize) {
            Some((known, _)) if *known == key => self.expected,
            _ => self.row_of(key),
        };
        self.expected = row + 1;
        let had = &mut self.entries[row as usize].1;
        let over = had.checked_add(count).is_none();
        *had = had.saturating_add(count);
        self.costs.add(row, counts) | over
    }

    fn row_of(&mut self, key: SiteKey) -> u32 {
        let (entries, next) = (&self.entries, self.entries.len() as u32);
        let row = self
            .index
            .number(plain(&key), |row| entries[row as usize].0 == key, next);
        if row == next {
            self.costs.push();
            self.entries.push((key, 0));
        }
        row
    }

    /// Replaces the files of calls where `file` returns one. No calls may be added afterwards.
    pub(crate) fn place(&mut self, file: impl Fn(SiteKey) -> Option<NameId>) {
        for (key, _) in &mut self.entries {
            key.2 = file(*key).unwrap_or(key.2);
        }
    }

    /// The call sites in insertion order: key, count, cost.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SiteKey, u64, &[i64])> {
        self.entries
            .iter()
            .enumerate()
            .map(|(row, &(key, count))| (key, count, self.costs.row(row as u32)))
    }

    /// The arcs by caller and callee, each with its sites by file and line. Their costs are in one
    /// table.
    pub(crate) fn finish(self) -> (Vec<CallEdge>, Vec<Site>, Costs, Overflow) {
        let CallTable {
            entries, mut costs, ..
        } = self;
        let arc_of = |row: u32| (entries[row as usize].0.0, entries[row as usize].0.1);
        let mut order: Vec<u32> = (0..entries.len() as u32).collect();
        // Files have long sorted stretches, which this sort makes use of.
        order.sort_by_key(|&row| entries[row as usize].0);
        let (mut arcs, mut sites, mut over) =
            (Vec::new(), Vec::with_capacity(entries.len()), false);
        let mut sum = Vec::new();
        for rows in order.chunk_by(|&a, &b| arc_of(a) == arc_of(b)) {
            let (caller, callee) = arc_of(rows[0]);
            let first = sites.len() as u32;
            let mut calls = 0u64;
            for &row in rows {
                let ((_, _, file, line), count) = entries[row as usize];
                sites.push(Site {
                    file,
                    line,
                    count,
                    row,
                });
                over |= calls.checked_add(count).is_none();
                calls = calls.saturating_add(count);
            }
            // An arc with one site shares the row of the site.
            let mut row = rows[0];
            if rows.len() > 1 {
                sum.clear();
                for &row in rows {
                    over |= extend_with(&mut sum, costs.row(row));
                }
                row = costs.push();
                costs.add(row, &sum);
            }
            arcs.push(CallEdge {
                caller,
                callee,
                count: calls,
                row,
                sites: first..sites.len() as u32,
            });
        }
        (arcs, sites, costs, over)
    }
}

fn plain(key: &SiteKey) -> (u64, u32, u64) {
    (
        u64::from(key.0.0) << 32 | u64::from(key.1.0),
        key.2.0,
        key.3,
    )
}
