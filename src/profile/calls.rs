//! Calls by caller, callee and call site, while a profile is read.

use super::{
    CallEdge, Costs, FunctionId, NameId, Overflow, Site, extend_with,
    keyed::{KeyRow, KeyTable},
};

/// The caller, callee, code file and line of a call. If only arcs are wanted, file and line are the
/// same for all.
pub(crate) type SiteKey = (FunctionId, FunctionId, NameId, u64);

/// The call sites so far, each with its number of calls and their inclusive cost.
pub(crate) type CallTable = KeyTable<SiteKey, 1>;

impl CallTable {
    /// Replaces the files of calls where `file` returns one. No calls may be added afterwards.
    pub(crate) fn place(&mut self, file: impl Fn(SiteKey) -> Option<NameId>) {
        for row in &mut self.rows {
            row.key.2 = file(row.key).unwrap_or(row.key.2);
        }
    }

    /// The call sites in insertion order: key, count, cost.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SiteKey, u64, &[i64])> {
        let rows = self.rows.iter();
        rows.map(|row| (row.key, row.times[0], self.costs.row(row.row)))
    }

    /// The arcs by caller and callee, each with its sites by file and line. Their costs are in one
    /// table.
    pub(crate) fn finish(self) -> (Vec<CallEdge>, Vec<Site>, Costs, Overflow) {
        let mut costs = self.costs;
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|row| row.key);
        let ends = |&(caller, callee, ..): &SiteKey| (caller, callee);
        let (mut arcs, mut sites, mut over) = (Vec::new(), Vec::with_capacity(rows.len()), false);
        let mut sum = Vec::new();
        for rows in rows.chunk_by(|a, b| ends(&a.key) == ends(&b.key)) {
            let (caller, callee) = ends(&rows[0].key);
            let first = sites.len() as u32;
            let mut calls = 0u64;
            for &&KeyRow {
                key: (.., file, line),
                times: [count],
                row,
            } in rows
            {
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
            let mut row = rows[0].row;
            if rows.len() > 1 {
                sum.clear();
                for site in rows {
                    over |= extend_with(&mut sum, costs.row(site.row));
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
