//! The values of a quantity in previous runs, which limits on noise compare with.

use super::{
    Expression, NoValue, RunCosts,
    cycles::Cycles,
    measure::{event_total, measure_present},
};
use crate::analysis::history::Rule;
use std::collections::BTreeSet;

/// A quantity in one of the previous runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PastSample {
    value: Result<i128, NoValue>,
    /// The whole program's cost of the quantity's events.
    total: i128,
    /// The calls that inclusive costs omit.
    cycles: Option<Cycles>,
}

impl PastSample {
    /// Measures a run. Functions that it does not have cost nothing.
    pub fn new(expression: &Expression, side: RunCosts) -> PastSample {
        let value = measure_present(expression, side).map(|measured| measured.value);
        let events: BTreeSet<&str> = expression.events().collect();
        let total = events
            .into_iter()
            .filter_map(|event| event_total(event, side).ok());
        PastSample {
            value,
            total: total.fold(0, i128::saturating_add),
            cycles: Cycles::from_run(expression, side),
        }
    }

    /// Whether the value is above noise.
    pub fn exceeds(&self, noise: &Noise) -> bool {
        self.value
            .as_ref()
            .is_ok_and(|&value| value > noise.ceiling)
    }
}

/// The range of a quantity if nothing changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Noise {
    /// The highest value that is still noise.
    pub ceiling: i128,
    /// The number of runs that it is computed from.
    pub runs: usize,
    /// Their lowest and highest value.
    pub range: [i128; 2],
    /// The run with their median, as an index among all runs. Functions are compared with it.
    pub usual: usize,
    /// The calls that inclusive costs omit in the last run.
    pub cycles: Option<Cycles>,
}

impl Noise {
    /// Computes the noise of previous runs, which are in their order.
    ///
    /// # Errors
    /// Fails if a run has no value, or if there are too few runs.
    pub fn new<'s>(
        samples: impl IntoIterator<Item = &'s PastSample>,
        rule: &Rule,
    ) -> Result<Noise, NoValue> {
        let (mut values, mut totals, mut cycles) = (Vec::new(), Vec::new(), None);
        for sample in samples {
            values.push(sample.value.clone()?);
            totals.push(sample.total);
            cycles = sample.cycles.as_ref();
        }
        let totals = rule.twice_totals(&totals);
        let found = rule.judge(&values, &totals);
        // Shortly after a step, only values above all previous runs are above noise.
        let band = found
            .band
            .or_else(|| rule.band(&values, totals[values.len()]))
            .ok_or(NoValue::TooFew(values.len(), rule.window))?;
        Ok(Noise {
            ceiling: band.ceiling(),
            runs: rule.window,
            range: [band.least, band.most],
            usual: found.median_run(rule, &values),
            cycles: cycles.cloned(),
        })
    }
}
