//! The base of percentages for every part and event, summed over the parts. Rule: format notes,
//! section 1.2.
//!
//! | writer | `summary:` | total |
//! |---|---|---|
//! | any | missing, or 0 although there are costs | `totals:`, else the sum of the lines |
//! | any | at least the sum of the lines | `summary:` |
//! | Xdebug, webgrind, aprof | lower: it is measured, and Fibers overlap | `summary:` |
//! | `cgannotate-` | lower, as in its inputs | `summary:` |
//! | any other | lower, or no count | the sum of the lines ([`Part::settle_summary`]) |
//!
//! Callgrind's `summary:` lacks the cost of signal handlers, and the cost before instrumentation
//! was stopped and started again. A negative sum appears as a number of 2^63 or more.

use super::{Counts, Events, NEVER, Overflow, Part, extend_with, is_free, names::kebab_case};

/// The source of the totals. If parts differ, the weakest source counts; `Computed` is the weakest.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, PartialOrd, Ord)]
pub enum TotalsSource {
    /// `summary:` lines.
    Summary,
    /// `totals:` lines.
    Totals,
    /// The sum of the cost lines.
    #[default]
    Computed,
}

impl TotalsSource {
    /// The name in reports.
    pub fn name(self) -> String {
        kebab_case(self)
    }
}

/// The base of all percentages.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    /// One count per recorded event, like a cost row.
    pub(crate) row: Vec<i64>,
    /// The sum of the cost lines.
    pub(crate) lines: Vec<i64>,
    /// Where they come from.
    pub source: TotalsSource,
}

impl Totals {
    /// One count per event.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.row)
    }

    /// The totals of several parts. If an event's totals are peaks, its total is the highest.
    pub(crate) fn from_parts<'a>(
        parts: impl IntoIterator<Item = &'a Part>,
        events: &Events,
    ) -> (Totals, Overflow) {
        let (mut sum, mut costs, mut weakest, mut over) = (Vec::new(), Vec::new(), None, false);
        for part in parts {
            let (mut row, source) = base(part);
            over |= extend_with(&mut costs, &part.self_cost);
            // A part without costs has no totals to state.
            if !is_free(&row) {
                weakest = weakest.max(Some(source));
            }
            for (column, count) in row
                .iter_mut()
                .enumerate()
                .filter(|&(column, _)| events.is_peak(column))
            {
                let greatest = sum
                    .get_mut(column)
                    .map_or(NEVER, |have| std::mem::replace(have, NEVER));
                *count = greatest.max(*count);
            }
            over |= extend_with(&mut sum, &row);
        }
        // Negative totals of some parts can cancel out the others. As in a single part, a total of
        // 0 does not count if there are costs.
        for (have, &count) in sum
            .iter_mut()
            .zip(&costs)
            .filter(|(have, count)| **have == 0 && **count != NEVER)
        {
            *have = count;
        }
        (
            Totals {
                row: sum,
                lines: costs,
                source: weakest.unwrap_or(TotalsSource::Computed),
            },
            over,
        )
    }
}

impl Part {
    /// Whether the counts of an event are complete. The last number of an input without a final
    /// line feed may be truncated.
    pub(crate) fn is_checked(&self, column: usize) -> bool {
        let count = |row: &Vec<i64>| row.get(column).copied().unwrap_or(NEVER);
        self.unended.is_none()
            || self.totals.is_some()
            || self.summary.as_ref().map(count) == Some(count(&self.self_cost))
    }

    /// Replaces each count of `summary:` that is too low by the sum of the lines. It is only called
    /// for formats whose writers can state too little. `agrees` is whether `totals:` has that sum,
    /// too. Returns the first such column with its stated count.
    pub(crate) fn settle_summary(&mut self, agrees: bool) -> Option<(usize, i64)> {
        let is_ours = self.is_ours();
        let row = self.summary.as_mut().filter(|_| !is_ours)?;
        let (mut first, mut all) = (None, true);
        // Lines can lack the last events.
        let lines = self.self_cost.iter().chain(std::iter::repeat(&NEVER));
        for (column, (have, &sum)) in row.iter_mut().zip(lines).enumerate() {
            if matches!(*have, 0 | NEVER) {
            } else if *have < sum || *have == i64::MAX && agrees {
                first = first.or(Some((column, *have)));
                // Nothing checks the last number of this event.
                *have = if self.unended.is_some() && self.totals.is_none() {
                    NEVER
                } else {
                    sum
                };
            } else {
                all = false;
            }
        }
        if first.is_some() && all {
            self.summary = None;
        }
        first
    }
}

/// The base of one part.
fn base(part: &Part) -> (Vec<i64>, TotalsSource) {
    let stated = |row: &'_ Option<Vec<i64>>| row.clone().filter(|row| !is_free(row));
    let (mut row, source, rest) = match (stated(&part.summary), stated(&part.totals)) {
        (Some(summary), totals) => (summary, TotalsSource::Summary, totals),
        (None, Some(totals)) => (totals, TotalsSource::Totals, None),
        (None, None) => return (part.self_cost.clone(), TotalsSource::Computed),
    };
    for more in rest.iter().chain([&part.self_cost]) {
        if row.len() < more.len() {
            row.resize(more.len(), NEVER);
        }
        for (have, &count) in row.iter_mut().zip(more) {
            if matches!(*have, 0 | NEVER) && count != NEVER {
                *have = count;
            }
        }
    }
    (row, source)
}
