//! Maps the columns of one input or part to the columns of the whole profile.

use super::{Events, NEVER};

/// Maps the columns of one event list to those of another, by event name.
#[derive(Default)]
pub(crate) struct ColumnMap {
    /// The target column of every source column; empty if they are the same and nothing is
    /// subtracted.
    targets: Vec<usize>,
    row: Vec<i64>,
    /// Whether the counts are subtracted from those of the profile.
    pub is_negative: bool,
}

impl ColumnMap {
    /// Maps the columns `names` into `events`, and adds missing events there. Returns false if
    /// there are too many events.
    #[must_use]
    pub(crate) fn map(&mut self, events: &mut Events, names: &[Vec<u8>]) -> bool {
        let Some(targets) = events.columns(names) else {
            return false;
        };
        self.targets = targets;
        if !self.is_negative && self.targets.iter().copied().eq(0..names.len()) {
            self.targets.clear();
        }
        self.row = vec![NEVER; self.targets.iter().map(|t| t + 1).max().unwrap_or(0)];
        true
    }

    /// Whether the columns are the same in both.
    #[inline]
    pub(crate) fn is_identity(&self) -> bool {
        self.targets.is_empty()
    }

    /// Moves every count into its target column.
    #[inline]
    pub(crate) fn place<'a>(&'a mut self, counts: &'a [i64]) -> &'a [i64] {
        if self.targets.is_empty() {
            return counts;
        }
        self.row.fill(NEVER);
        let mut len = 0;
        for (&count, &target) in counts.iter().zip(&self.targets) {
            // What was never written stays so.
            self.row[target] = if self.is_negative {
                count.wrapping_neg()
            } else {
                count
            };
            len = len.max(target + 1);
        }
        &self.row[..len]
    }
}
