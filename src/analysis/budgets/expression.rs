//! A limit as a parsed expression.

use super::Selector;
use crate::profile::{Event, Events};

/// Ratios are compared in billionths.
pub(super) const RATIO_UNIT: i128 = 1_000_000_000;

/// One limit.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The text as the user typed it.
    pub text: String,
    /// How several values become one.
    pub fold: Fold,
    /// The metrics that the values come from; at least one.
    pub metrics: Vec<Metric>,
    /// The bounds. The limit is exceeded if the value is above all of them.
    pub bounds: Vec<Bound>,
}

impl Expression {
    /// Whether it compares with a baseline.
    pub fn needs_baseline(&self) -> bool {
        self.bounds
            .iter()
            .any(|bound| matches!(bound, Bound::More(_) | Bound::Percent(_)))
    }

    /// Whether it compares with previous runs.
    pub fn needs_history(&self) -> bool {
        self.bounds.contains(&Bound::Noise)
    }

    /// Whether it needs calls.
    pub fn needs_calls(&self) -> bool {
        let mut kinds = self.metrics.iter().map(|metric| metric.kind);
        kinds.any(|kind| !matches!(kind, MetricKind::Total | MetricKind::SelfCost))
    }

    /// The scale of the measured values: 1 for costs and calls, 1000 for exponents, and
    /// a billion for ratios.
    pub fn unit(&self, events: &Events) -> i128 {
        if self.is_ratio(events) {
            RATIO_UNIT
        } else if self.has(MetricKind::Growth) {
            1000
        } else {
            1
        }
    }

    /// Whether it is about a ratio.
    pub(super) fn is_ratio(&self, events: &Events) -> bool {
        let mut found = self.events().flat_map(|name| events.find(name.as_bytes()));
        found.any(Event::is_ratio)
    }

    /// Whether it needs to know which code is yours.
    pub fn needs_own_code(&self) -> bool {
        self.has(MetricKind::Own)
    }

    pub(super) fn has(&self, kind: MetricKind) -> bool {
        self.metrics.iter().any(|metric| metric.kind == kind)
    }

    /// The names of its events.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        let metrics = self.metrics.iter();
        metrics.filter_map(|metric| metric.event.as_deref())
    }
}

/// How several values become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// They add up.
    Sum,
    /// The highest counts.
    Max,
}

/// What one value is measured of.
#[derive(Clone, Debug)]
pub struct Metric {
    /// The kind of value.
    pub kind: MetricKind,
    /// The event's name; `None` if it counts no event.
    pub event: Option<String>,
    /// The functions; `None` for a total, which measures all.
    pub of: Option<Selector>,
}

/// A kind of value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    /// The cost of the whole program.
    Total,
    /// Self costs of functions.
    SelfCost,
    /// Inclusive costs of functions.
    Inclusive,
    /// Costs of your functions, with the library code that is attributed to them.
    Own,
    /// How often functions were called.
    Calls,
    /// The exponent with which the cost of routines grows with the size of their input.
    Growth,
}

/// One bound of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// At most this.
    Most(Number),
    /// At most this much more than the baseline.
    More(Number),
    /// At most this percentage more than the baseline.
    Percent(Number),
    /// At most the variation of previous runs.
    Noise,
}

impl Bound {
    /// The highest value that keeps the bound, in units of `1/unit`. Only [`Bound::Most`] works
    /// without a baseline, and without the highest value that is noise.
    pub fn ceiling(self, baseline: Option<i128>, noise: Option<i128>, unit: i128) -> Option<i128> {
        match self {
            Bound::Most(most) => Some(most.floor(unit)),
            Bound::Noise => noise,
            Bound::More(more) => Some(baseline?.saturating_add(more.floor(unit))),
            Bound::Percent(percent) => {
                let base = baseline?;
                // More means upwards, even if the baseline is below zero.
                let share = percent.part.saturating_mul(base.saturating_abs());
                Some(base.saturating_add(share.div_euclid(percent.of.saturating_mul(100))))
            }
        }
    }
}

/// A decimal number, exactly: `part / of`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// The digits, with the sign.
    pub part: i128,
    /// A power of ten.
    pub of: i128,
}

impl Number {
    /// The largest integer that is not above `times` times this number.
    pub fn floor(self, times: i128) -> i128 {
        self.part.saturating_mul(times).div_euclid(self.of)
    }
}
