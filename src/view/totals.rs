//! What stands around the rows of a list: above them the totals, which say what 100 % is, and below them what they leave out.

use crate::analysis::GroupBy;
use crate::analysis::cut::Rest;
use crate::analysis::selection::all;
use crate::profile::costs::NEVER;
use crate::profile::{Event, Events, Profile, TotalsSource};

/// What every list has beside its rows.
#[derive(Clone, Debug)]
pub struct ListFrame<'a> {
    /// What 100 % is.
    pub totals: ProgramTotals<'a>,
    /// What the totals have beyond the rows, where that is summed up and is anything.
    pub rest: Option<Rest>,
    /// For every event, recorded ones first, the length of the longest count.
    pub longest: Vec<usize>,
    /// What one row is called, and many.
    pub nouns: [&'static str; 2],
}

impl<'a> ListFrame<'a> {
    /// Around rows of which these are the costs; so many others are left out, whose costs the last are.
    pub(crate) fn new<'r>(
        profile: &'a Profile,
        nouns: [&'static str; 2],
        rows: impl Iterator<Item = &'r [i64]> + Clone,
        others: usize,
        left_out: impl Iterator<Item = &'r [i64]>,
    ) -> ListFrame<'a> {
        let mut frame = ListFrame {
            totals: ProgramTotals::new(profile),
            longest: longest(&profile.events, rows.clone()),
            rest: None,
            nouns,
        };
        let rest = Rest::beside(profile, rows, others, left_out);
        frame.end(&profile.events, rest);
        frame
    }

    /// Around functions whose rest is not summed up.
    pub(crate) fn of_functions(totals: ProgramTotals<'a>, longest: Vec<usize>) -> ListFrame<'a> {
        ListFrame {
            totals,
            rest: None,
            longest,
            nouns: GroupBy::Function.nouns(),
        }
    }

    /// Puts a rest below the rows, if it is anything.
    pub(crate) fn end(&mut self, events: &Events, rest: Rest) {
        self.widen(events, rest.costs());
        self.rest = rest.if_any();
    }

    /// Gives columns room for more costs.
    pub(crate) fn widen<'r>(&mut self, events: &Events, costs: impl Iterator<Item = &'r [i64]>) {
        for (have, more) in self.longest.iter_mut().zip(longest(events, costs)) {
            *have = (*have).max(more);
        }
    }
}

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
        ProgramTotals {
            cost,
            origin,
            longest: longest(events, [cost].into_iter()),
        }
    }
}

/// The length of the longest count of every event, recorded ones first.
pub(crate) fn longest<'a>(
    events: &crate::profile::Events,
    rows: impl Iterator<Item = &'a [i64]>,
) -> Vec<usize> {
    let all: Vec<Event> = all(events).collect();
    let recorded = events.recorded().len();
    // Of recorded events only the extremes are looked at as text. A count that was never written is the least there is.
    let mut extremes = vec![(i64::MAX, NEVER); recorded];
    let mut longest = vec![0; all.len()];
    for row in rows {
        for ((least, most), &count) in extremes.iter_mut().zip(row) {
            *most = (*most).max(count);
            *least = (*least).min(if count == NEVER { i64::MAX } else { count });
        }
        for (at, &event) in all.iter().enumerate().skip(recorded) {
            if let Some(count) = events.count(row, event) {
                longest[at] = longest[at].max(count.to_string().len());
            }
        }
    }
    for (length, (least, most)) in longest.iter_mut().zip(extremes) {
        // A zero is one digit, nothing at all is none.
        if most != NEVER {
            *length = least
                .min(0)
                .to_string()
                .len()
                .max(most.max(0).to_string().len());
        }
    }
    longest
}
