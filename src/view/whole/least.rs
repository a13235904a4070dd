//! The limit below which costs are not on a page.

use crate::{
    analysis::difference::{Change, ChangeRef},
    profile::{Event, Events, NEVER, Profile},
};
use std::fmt;

/// A fraction of the totals, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Least(u32);

const WHOLE: u128 = 1_000_000;

impl Least {
    /// The default: 0.01 %.
    pub const USUAL: Least = Least(100);

    /// A larger limit for a page that is `times` as long as allowed. `None` if the limit is already
    /// half of everything.
    ///
    /// A limit ten times as large makes the page of a large profile about half as long. So the
    /// limit grows by more than `times`, but never by more than a factor of twenty at once.
    pub fn raised(self, times: f64) -> Option<Least> {
        const STEPS: [u32; 3] = [1, 2, 5];
        let wanted = f64::from(self.0) * times.powi(3).clamp(1.5, 20.0);
        let mut ladder = (0..6).flat_map(|power| STEPS.map(|step| step * 10u32.pow(power)));
        ladder
            .find(|&step| f64::from(step) >= wanted)
            .map(Least)
            .or_else(|| {
                let half = Least(500_000);
                (self < half).then_some(half)
            })
    }

    /// The limit as a fraction, from 0 to 1.
    pub(super) fn share(self) -> f64 {
        f64::from(self.0) / WHOLE as f64
    }

    /// The smallest count of each event that is on the page.
    pub(super) fn limits(self, profile: &Profile, events: &[Event]) -> Limits {
        let total = |event| {
            profile
                .events
                .counted(&profile.totals.row, event)
                .unsigned_abs()
        };
        self.of_totals(events, total)
    }

    /// The smallest change of each event that is on the page, relative to the larger of the two
    /// totals.
    pub(super) fn limits_of_both(self, of: &Events, total: &Change, events: &[Event]) -> Limits {
        self.of_totals(events, |event| larger(of, total.lent(), event))
    }

    fn of_totals(self, events: &[Event], total: impl Fn(Event) -> u64) -> Limits {
        let enough = |&event: &Event| Some((event, self.enough(total(event))?));
        Limits::new(events.iter().filter_map(enough).collect())
    }

    /// The smallest count that is enough for a total; `None` if there is no total.
    fn enough(self, total: u64) -> Option<u64> {
        let least = (u128::from(total) * u128::from(self.0)).div_ceil(WHOLE);
        // It is at most half of the total, so it fits.
        (total > 0).then_some(u64::try_from(least).unwrap_or(u64::MAX).max(1))
    }
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", f64::from(self.0) / 10_000.0);
        write!(f, "{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The events with a total, and the smallest count of each that is enough.
pub(super) struct Limits {
    enough: Vec<(Event, u64)>,
    /// The limits of recorded events, by column; a count cannot reach that of a column without
    /// limit.
    recorded: Vec<u64>,
    derived: Vec<(Event, u64)>,
}

impl Limits {
    fn new(enough: Vec<(Event, u64)>) -> Limits {
        let (mut recorded, mut derived) = (Vec::new(), Vec::new());
        for &(event, enough) in &enough {
            if let Event::Recorded(column) = event {
                recorded.resize(recorded.len().max(column + 1), u64::MAX);
                recorded[column] = enough;
            } else {
                derived.push((event, enough));
            }
        }
        Limits {
            enough,
            recorded,
            derived,
        }
    }

    /// Whether a row has enough of any event. Without any total every row is kept.
    ///
    /// This runs for every line, so recorded counts are compared directly.
    pub(super) fn keep(&self, profile: &Profile, row: &[i64]) -> bool {
        let size = |event| profile.events.counted(row, event).unsigned_abs();
        self.enough.is_empty()
            || row
                .iter()
                .zip(&self.recorded)
                .any(|(&count, &enough)| count != NEVER && count.unsigned_abs() >= enough)
            || self
                .derived
                .iter()
                .any(|&(event, enough)| size(event) >= enough)
    }

    /// Whether the change of any event is large enough. A change can need 65 bits.
    pub(super) fn keep_change(&self, events: &Events, change: ChangeRef<'_>) -> bool {
        self.enough
            .iter()
            .any(|&(event, enough)| change.delta(events, event).unsigned_abs() >= enough.into())
    }

    /// Whether any event has enough in either run.
    pub(super) fn keep_either(&self, events: &Events, change: ChangeRef<'_>) -> bool {
        self.enough
            .iter()
            .any(|&(event, enough)| larger(events, change, event) >= enough)
    }
}

/// The larger of the old and the new count.
fn larger(events: &Events, change: ChangeRef<'_>, event: Event) -> u64 {
    let [old, new] = change.counted(events, event).map(i64::unsigned_abs);
    old.max(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enough_is_the_share_or_more_and_never_nothing() {
        for (total, enough) in [
            (0, None),
            (1, Some(1)),
            (10_000, Some(1)),
            (10_001, Some(2)),
            (1 << 40, Some(109_951_163)),
        ] {
            assert_eq!(Least::USUAL.enough(total), enough);
        }
        assert_eq!(Least(500_000).enough(u64::MAX), Some(1 << 63));
    }

    #[test]
    fn a_page_that_is_too_long_gets_a_larger_share() {
        let steps = |times| -> Vec<String> {
            std::iter::successors(Some(Least::USUAL), |least| least.raised(times))
                .map(|l| l.to_string())
                .collect()
        };
        assert_eq!(steps(1.01)[..4], ["0.01 %", "0.02 %", "0.05 %", "0.1 %"]);
        assert_eq!(steps(2.0)[..3], ["0.01 %", "0.1 %", "1 %"]);
        assert_eq!(steps(100.0), ["0.01 %", "0.2 %", "5 %", "50 %"]);
        assert_eq!(steps(1.0).last().map(String::as_str), Some("50 %"));
    }
}
