//! A limit as a parsed expression.

use super::Selector;

/// One limit.
#[derive(Clone, Debug)]
pub struct Expression {
    /// The text as the user typed it.
    pub text: String,
    /// What is measured.
    pub quantity: Quantity,
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
        let is_plain =
            |metric: &Metric| matches!(metric, Metric::Total { .. } | Metric::SelfCost { .. });
        !self.quantity.metrics.iter().all(is_plain)
    }

    /// The scale of the measured values: 1 for costs and calls, 1000 for exponents, which are
    /// counted in thousandths.
    pub fn unit(&self) -> i128 {
        let growth = self
            .quantity
            .metrics
            .iter()
            .any(|metric| matches!(metric, Metric::Growth { .. }));
        if growth { 1000 } else { 1 }
    }

    /// Whether it needs to know which code is yours.
    pub fn needs_own_code(&self) -> bool {
        self.quantity
            .metrics
            .iter()
            .any(|metric| matches!(metric, Metric::Own { .. }))
    }

    /// The names of its events.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.quantity.metrics.iter().filter_map(Metric::event)
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

/// What is measured.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// How several values become one.
    pub fold: Fold,
    /// The metrics that the values come from; at least one.
    pub metrics: Vec<Metric>,
}

/// A kind of value.
#[derive(Clone, Debug)]
pub enum Metric {
    /// The cost of the whole program.
    Total {
        /// The event's name.
        event: String,
    },
    /// Self costs of functions.
    SelfCost {
        /// The event's name.
        event: String,
        /// The functions.
        of: Selector,
    },
    /// Inclusive costs of functions.
    Inclusive {
        /// The event's name.
        event: String,
        /// The functions.
        of: Selector,
    },
    /// Costs of your functions, with the library code that is attributed to them.
    Own {
        /// The event's name.
        event: String,
        /// The functions.
        of: Selector,
    },
    /// How often functions were called.
    Calls {
        /// The functions.
        of: Selector,
    },
    /// The exponent with which the cost of routines grows with the size of their input.
    Growth {
        /// The functions.
        of: Selector,
    },
}

impl Metric {
    /// The event's name; calls have none.
    pub fn event(&self) -> Option<&str> {
        match self {
            Metric::Total { event }
            | Metric::SelfCost { event, .. }
            | Metric::Inclusive { event, .. }
            | Metric::Own { event, .. } => Some(event),
            Metric::Calls { .. } | Metric::Growth { .. } => None,
        }
    }

    /// The functions that it measures; `None` for a total, which measures all.
    pub fn selector(&self) -> Option<&Selector> {
        match self {
            Metric::Total { .. } => None,
            Metric::SelfCost { of, .. }
            | Metric::Inclusive { of, .. }
            | Metric::Own { of, .. }
            | Metric::Calls { of }
            | Metric::Growth { of } => Some(of),
        }
    }
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
