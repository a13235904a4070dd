//! What 100 % is: for every part and column the part's `summary:`, else its `totals:`, else the sum of its cost lines;
//! added over the parts. Rule: format notes, section 1.2.
//!
//! Callgrind's `summary:` is what ran outside of signal handlers, and leaves out what ran before instrumentation was
//! stopped and started again; below zero, that is a number of 2^63 and more. The lines have it all, and so has `totals:`,
//! which says so: where Callgrind's `summary:` is less than what both agree on, or no count, it is not taken.

use super::costs::{NEVER, Overflow, extend_with};
use super::{Counts, Events, Part};

/// Where the totals come from. If parts differ, the weakest source counts; `Computed` is the weakest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum TotalsSource {
    /// `summary:` lines.
    Summary,
    /// `totals:` lines.
    Totals,
    /// Added up from the cost lines.
    Computed,
}

impl TotalsSource {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            TotalsSource::Summary => "summary",
            TotalsSource::Totals => "totals",
            TotalsSource::Computed => "computed",
        }
    }
}

/// The base of all percentages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Totals {
    /// One count a recorded event, like a cost row.
    pub(crate) row: Vec<i64>,
    /// Where they come from.
    pub source: TotalsSource,
}

impl Totals {
    /// One count an event.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.row)
    }

    /// The totals of some parts. For an event whose totals are peaks, the greatest.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a Part>, events: &Events) -> (Totals, Overflow) {
        let (mut sum, mut costs, mut weakest, mut over) = (Vec::new(), Vec::new(), None, Overflow::No);
        for part in parts {
            let (mut row, source) = base(part);
            over |= extend_with(&mut costs, &part.self_cost);
            // A part in which nothing was counted has nothing to state.
            if row.iter().any(|&count| count != 0 && count != NEVER) {
                weakest = weakest.max(Some(source));
            }
            for (column, count) in row.iter_mut().enumerate().filter(|&(column, _)| events.is_peak(column)) {
                let greatest = sum.get_mut(column).map_or(NEVER, |have| std::mem::replace(have, NEVER));
                *count = greatest.max(*count);
            }
            over |= extend_with(&mut sum, &row);
        }
        // Parts that state what is below zero can cancel each other; like a part's own, a total of 0 is none beside costs.
        for (have, &count) in sum.iter_mut().zip(&costs).filter(|(have, count)| **have == 0 && **count != NEVER) {
            *have = count;
        }
        (Totals { row: sum, source: weakest.unwrap_or(TotalsSource::Computed) }, over)
    }
}

/// The base of one part.
fn base(part: &Part) -> (Vec<i64>, TotalsSource) {
    let stated = |row: &'_ Option<Vec<i64>>| row.clone().filter(|r| r.iter().any(|&c| c != 0 && c != NEVER));
    let (mut row, mut source, rest) = match (stated(&part.summary), stated(&part.totals)) {
        (Some(summary), totals) => (summary, TotalsSource::Summary, totals),
        (None, Some(totals)) => (totals, TotalsSource::Totals, None),
        (None, None) => return (part.self_cost.clone(), TotalsSource::Computed),
    };
    if let (Some(totals), true) = (&rest, part.creator.starts_with(b"callgrind-")) {
        source = TotalsSource::Totals;
        for (column, have) in row.iter_mut().enumerate().filter(|(_, have)| !matches!(**have, 0 | NEVER)) {
            let agreed = totals.get(column).copied().filter(|total| part.self_cost.get(column) == Some(total));
            match agreed.filter(|&sum| *have < sum || *have == i64::MAX) {
                Some(sum) => *have = sum,
                None => source = TotalsSource::Summary,
            }
        }
    }
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
