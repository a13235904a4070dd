//! The costs of one row or of the whole program, with what is to be told about them.

use super::rule::{Band, Drift, Found, Pending, Rule};
use std::ops::Range;

/// Costs, one a run, and the levels they make.
#[derive(Clone, Debug)]
pub struct Series {
    /// One for each run.
    pub values: Vec<i128>,
    /// The levels.
    pub found: Found,
}

/// A change of level, with what it begins and ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// The run.
    pub run: usize,
    /// Twice the median before.
    pub twice_before: i128,
    /// Twice the median after.
    pub twice_after: i128,
}

impl Series {
    /// Its steps, in order.
    pub fn steps<'s>(&'s self, rule: &'s Rule) -> impl Iterator<Item = Moved> + 's {
        self.found.levels.windows(2).map(move |pair| Moved {
            run: pair[1].start,
            twice_before: rule.twice_last(&self.values, &pair[0]),
            twice_after: rule.twice_first(&self.values, &pair[1]),
        })
    }

    /// Levels that drift.
    pub fn drifts(&self) -> impl Iterator<Item = (&Range<usize>, Drift)> {
        self.found.levels.iter().zip(&self.found.drifts).filter_map(|(level, &drift)| Some((level, drift?)))
    }

    /// What could become a step, as one.
    pub fn pending(&self) -> Option<(Pending, Moved)> {
        let (pending, band): (Pending, Band) = (self.found.pending?, self.found.band?);
        let value = self.values.get(pending.run)?.saturating_mul(2);
        Some((pending, Moved { run: pending.run, twice_before: band.twice_median, twice_after: value }))
    }
}
