//! A limit as a parsed expression.

use super::Selector;

/// One limit.
#[derive(Clone, Debug)]
pub struct Expression {
    /// As it was typed.
    pub text: String,
    /// What is measured.
    pub quantity: Quantity,
    /// It is exceeded if it is above all of these.
    pub bounds: Vec<Bound>,
}

impl Expression {
    /// Whether it compares with a baseline.
    pub fn needs_baseline(&self) -> bool {
        self.bounds
            .iter()
            .any(|bound| matches!(bound, Bound::More(_) | Bound::Percent(_)))
    }

    /// Whether it compares with the runs before.
    pub fn needs_history(&self) -> bool {
        self.bounds.contains(&Bound::Noise)
    }

    /// Whether it takes calls to measure it.
    pub fn needs_calls(&self) -> bool {
        let is_plain =
            |metric: &Metric| matches!(metric, Metric::Total { .. } | Metric::SelfCost { .. });
        !self.quantity.metrics.iter().all(is_plain)
    }

    /// The scale of the measured values: 1 for costs and calls, 1000 for exponents, which are counted in thousandths.
    pub fn unit(&self) -> i128 {
        let growth = self
            .quantity
            .metrics
            .iter()
            .any(|metric| matches!(metric, Metric::Growth { .. }));
        if growth { 1000 } else { 1 }
    }

    /// Whether it is about own costs, so that it must be said what is own.
    pub fn needs_own_code(&self) -> bool {
        self.quantity
            .metrics
            .iter()
            .any(|metric| matches!(metric, Metric::Own { .. }))
    }

    /// The names of the events in it.
    pub fn events(&self) -> impl Iterator<Item = &str> {
        self.quantity.metrics.iter().filter_map(Metric::event)
    }
}

/// How the values of functions become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// They are added up.
    Sum,
    /// The greatest counts.
    Max,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// How several values become one.
    pub fold: Fold,
    /// Where the values come from; at least one.
    pub metrics: Vec<Metric>,
}

/// A kind of value.
#[derive(Clone, Debug)]
pub enum Metric {
    /// The whole program's cost.
    Total {
        /// The event's name.
        event: String,
    },
    /// Self costs of functions.
    SelfCost {
        /// The event's name.
        event: String,
        /// Which functions.
        of: Selector,
    },
    /// Inclusive costs of functions.
    Inclusive {
        /// The event's name.
        event: String,
        /// Which functions.
        of: Selector,
    },
    /// Own costs of functions: with what foreign code did on their behalf.
    Own {
        /// The event's name.
        event: String,
        /// Which functions.
        of: Selector,
    },
    /// How often functions were called.
    Calls {
        /// Which functions.
        of: Selector,
    },
    /// The exponent with which the cost of routines grows with the size of their input.
    Growth {
        /// Which functions.
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

    /// Which functions it is of; a total is of all.
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
    /// No more than this.
    Most(Number),
    /// No more than the baseline and this.
    More(Number),
    /// No more than the baseline and this many hundredths of it.
    Percent(Number),
    /// No more than what the runs before vary by.
    Noise,
}

impl Bound {
    /// The greatest value that keeps the bound, in units of `1/unit`. Only [`Bound::Most`] works without a
    /// baseline, or without the greatest value that is noise.
    pub fn ceiling(self, baseline: Option<i128>, noise: Option<i128>, unit: i128) -> Option<i128> {
        match self {
            Bound::Most(most) => Some(most.floor(unit)),
            Bound::Noise => noise,
            Bound::More(more) => Some(baseline?.saturating_add(more.floor(unit))),
            Bound::Percent(percent) => {
                let base = baseline?;
                // Of a baseline below zero, too, more is upwards.
                let share = percent.part.saturating_mul(base.saturating_abs());
                Some(base.saturating_add(share.div_euclid(percent.of.saturating_mul(100))))
            }
        }
    }
}

/// A decimal number, exactly: `part / of`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// The digits, signed.
    pub part: i128,
    /// A power of ten.
    pub of: i128,
}

impl Number {
    /// The greatest integer that is no greater than so many times it.
    pub fn floor(self, times: i128) -> i128 {
        self.part.saturating_mul(times).div_euclid(self.of)
    }
}
