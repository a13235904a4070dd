//! From which cost on something is on a page.

use crate::analysis::difference::Change;
use crate::profile::{Event, Events, Profile};
use std::fmt;

/// A share of the totals in millionths.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Least(u32);

const WHOLE: u128 = 1_000_000;

impl Least {
    /// What pages begin with: 0.01 %.
    pub const USUAL: Least = Least(100);

    /// A larger share, for a page that is `times` as long as it may be; `None` if this is half of everything.
    ///
    /// Ten times the share makes a page of a large profile about half as long; so it is raised by more than `times`, but
    /// never by more than twenty times at once.
    pub fn raised(self, times: f64) -> Option<Least> {
        const STEPS: [u32; 3] = [1, 2, 5];
        let wanted = f64::from(self.0) * times.powi(3).clamp(1.5, 20.0);
        let ladder = (0..6).flat_map(|power| STEPS.map(|step| step * 10u32.pow(power)));
        ladder.filter(|&step| step <= 500_000).find(|&step| f64::from(step) >= wanted).map(Least).or_else(|| {
            let half = Least(500_000);
            (self < half).then_some(half)
        })
    }

    /// As a share from 0 to 1.
    pub(super) fn share(self) -> f64 {
        f64::from(self.0) / WHOLE as f64
    }

    /// The least count of every event.
    pub(super) fn of(self, profile: &Profile, events: &[Event]) -> Limits {
        let total = |event| profile.events.count(&profile.totals.row, event).unwrap_or(0).unsigned_abs();
        let least = |&event: &Event| Some((event, total(event))).filter(|&(_, total)| total > 0);
        Limits { least: self, totals: events.iter().filter_map(least).collect() }
    }

    /// The least change of every event: of the larger of the two totals.
    pub(super) fn of_both(self, of: &Events, total: &Change, events: &[Event]) -> Limits {
        let total = |event| {
            let (old, new) = total.counts(of, event);
            old.unwrap_or(0).unsigned_abs().max(new.unwrap_or(0).unsigned_abs())
        };
        let least = |&event: &Event| Some((event, total(event))).filter(|&(_, total)| total > 0);
        Limits { least: self, totals: events.iter().filter_map(least).collect() }
    }
}

impl fmt::Display for Least {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.4}", f64::from(self.0) / 10_000.0);
        write!(f, "{} %", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The events that have a total, with it.
pub(super) struct Limits {
    least: Least,
    totals: Vec<(Event, u64)>,
}

impl Limits {
    /// Whether a row has enough of any event. Where there is no total, there is nothing to be too small for.
    pub(super) fn keep(&self, profile: &Profile, row: &[i64]) -> bool {
        self.totals.is_empty()
            || self.totals.iter().any(|&(event, total)| {
                self.is_enough(profile.events.count(row, event).unwrap_or(0).unsigned_abs().into(), total)
            })
    }

    /// Whether something changed enough.
    pub(super) fn keep_change(&self, events: &Events, change: &Change) -> bool {
        self.totals.iter().any(|&(event, total)| self.is_enough(change.delta(events, event).unsigned_abs(), total))
    }

    /// Whether something has enough in either run.
    pub(super) fn keep_either(&self, events: &Events, change: &Change) -> bool {
        let size = |count: Option<i64>| u128::from(count.unwrap_or(0).unsigned_abs());
        self.totals.iter().any(|&(event, total)| {
            let (old, new) = change.counts(events, event);
            self.is_enough(size(old).max(size(new)), total)
        })
    }

    fn is_enough(&self, count: u128, total: u64) -> bool {
        // A change can have 65 bits.
        count > 0 && count.saturating_mul(WHOLE) >= u128::from(total) * u128::from(self.least.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_too_long_gets_a_larger_share() {
        let steps = |times| -> Vec<String> {
            std::iter::successors(Some(Least::USUAL), |least| least.raised(times)).map(|l| l.to_string()).collect()
        };
        assert_eq!(steps(1.01)[..4], ["0.01 %", "0.02 %", "0.05 %", "0.1 %"]);
        assert_eq!(steps(2.0)[..3], ["0.01 %", "0.1 %", "1 %"]);
        assert_eq!(steps(100.0), ["0.01 %", "0.2 %", "5 %", "50 %"]);
        assert_eq!(steps(1.0).last().map(String::as_str), Some("50 %"));
    }
}
