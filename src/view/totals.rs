//! What surrounds the rows of a list: the totals above them, which are 100 %, and the rest below
//! them, which the list omits.

use crate::{
    analysis::{GroupBy, Rest},
    profile::{Event, Events, NEVER, Profile, TotalsSource},
};

/// What every list has in addition to its rows.
pub struct ListFrame<'a> {
    /// The totals, which are 100 %.
    pub totals: ProgramTotals<'a>,
    /// What the totals have in addition to the rows, if it is summed up and not empty.
    pub rest: Option<Rest>,
    /// The length of the longest count of each event, recorded events first.
    pub longest: Vec<usize>,
    /// The noun for one row, and for several.
    pub nouns: [&'static str; 2],
}

impl<'a> ListFrame<'a> {
    /// The frame of rows with these costs. `others` rows are omitted, and `left_out` has their
    /// costs.
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

    /// The frame of functions, without a rest.
    pub(crate) fn of_functions(totals: ProgramTotals<'a>, longest: Vec<usize>) -> ListFrame<'a> {
        ListFrame {
            totals,
            rest: None,
            longest,
            nouns: GroupBy::Function.nouns(),
        }
    }

    /// Adds the rest below the rows unless it is empty.
    pub(crate) fn end(&mut self, events: &Events, rest: Rest) {
        widen(&mut self.longest, events, rest.costs());
        self.rest = Some(rest).filter(|rest| !rest.is_nothing());
    }
}

/// Widens columns for further costs.
pub(super) fn widen<'r>(
    widths: &mut [usize],
    events: &Events,
    costs: impl IntoIterator<Item = &'r [i64]>,
) {
    for (have, more) in widths.iter_mut().zip(longest(events, costs)) {
        *have = (*have).max(more);
    }
}

/// The totals of the program.
pub struct ProgramTotals<'a> {
    pub(crate) cost: &'a [i64],
    /// Where the totals come from.
    pub source: TotalsSource,
}

impl<'a> ProgramTotals<'a> {
    /// The totals of a profile.
    pub fn new(profile: &'a Profile) -> ProgramTotals<'a> {
        ProgramTotals {
            cost: &profile.totals.row,
            source: profile.totals.source,
        }
    }
}

/// The length of the longest count of each event, recorded events first.
pub(crate) fn longest<'a>(
    events: &Events,
    rows: impl IntoIterator<Item = &'a [i64]>,
) -> Vec<usize> {
    let all: Vec<Event> = events.all().collect();
    let recorded = events.recorded().len();
    // For recorded events only the extremes are formatted. `NEVER` is the smallest number, so the
    // maximum ignores it.
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
        // A zero has one digit, a count that was never written has none.
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
