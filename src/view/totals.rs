//! The totals of the program as they stand above a list: what 100 % is, and whether a line of the profile says so.

use super::listing::longest;
use crate::profile::{Counts, Events, Profile, TotalsSource};

/// The totals of the program.
#[derive(Clone, Debug)]
pub struct ProgramTotals<'a> {
    pub(crate) cost: &'a [i64],
    /// Where they come from.
    pub origin: TotalsOrigin,
    /// For every event, recorded ones first, the length of the count.
    pub longest: Vec<usize>,
}

/// Where totals come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TotalsOrigin {
    /// A line of the profile.
    Stated,
    /// The sum of the cost lines.
    Calculated,
}

impl<'a> ProgramTotals<'a> {
    /// The totals of a profile.
    pub fn new(profile: &'a Profile) -> ProgramTotals<'a> {
        let origin = match profile.totals.source {
            TotalsSource::Summary | TotalsSource::Totals => TotalsOrigin::Stated,
            TotalsSource::Computed => TotalsOrigin::Calculated,
        };
        ProgramTotals::of(&profile.events, &profile.totals.row, origin)
    }

    pub(crate) fn of(events: &Events, cost: &'a [i64], origin: TotalsOrigin) -> ProgramTotals<'a> {
        ProgramTotals { cost, origin, longest: longest(events, [cost].into_iter()) }
    }

    /// One count an event.
    pub fn counts(&self) -> Counts<'a> {
        Counts(self.cost)
    }
}
