//! What a quantity was in the runs before: limits on noise compare with that.

use super::cycles::Cycles;
use super::expression::Expression;
use super::measure::{NoValue, Side, event_total, measure_present};
use crate::analysis::history::Rule;
use std::collections::BTreeSet;

/// A quantity in one of the runs before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    value: Result<i128, NoValue>,
    /// What the whole program cost of the events in it.
    total: i128,
    /// What is left out of inclusive costs.
    cycles: Option<Cycles>,
}

impl Sample {
    /// Measures one. What no function matches costs nothing.
    pub fn new(expression: &Expression, side: Side) -> Sample {
        let value = measure_present(expression, side).map(|measured| measured.value);
        let events: BTreeSet<&str> = expression.events().collect();
        let total = events
            .into_iter()
            .filter_map(|event| event_total(event, side).ok());
        Sample {
            value,
            total: total.fold(0, i128::saturating_add),
            cycles: Cycles::of(expression, side),
        }
    }

    /// Whether it is above what is no step.
    pub fn exceeds(&self, noise: &Noise) -> bool {
        matches!((&self.value, noise), (Ok(value), Noise::Known { ceiling, .. }) if value > ceiling)
    }
}

/// Where a quantity lies if nothing changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Noise {
    /// No higher than this.
    Known {
        /// The greatest value that is no step.
        ceiling: i128,
        /// How many runs that was told from.
        runs: usize,
        /// The least and the greatest of them.
        range: [i128; 2],
        /// The one with their median, by its place among all runs: what functions are compared with.
        usual: usize,
        /// What was left out of inclusive costs in the last of them.
        cycles: Option<Cycles>,
    },
    /// There are too few runs to tell.
    TooFew {
        /// So many there are.
        have: usize,
        /// So many it takes.
        need: usize,
    },
    /// A run before has no value.
    Missing(NoValue),
}

impl Noise {
    /// What the runs before tell, in their order.
    pub fn new<'s>(samples: impl IntoIterator<Item = &'s Sample>, rule: &Rule) -> Noise {
        let (mut values, mut totals, mut cycles) = (Vec::new(), Vec::new(), None);
        for sample in samples {
            match &sample.value {
                Ok(value) => values.push(*value),
                Err(why) => return Noise::Missing(why.clone()),
            }
            totals.push(sample.total);
            cycles = sample.cycles.as_ref();
        }
        let totals = rule.twice_totals(&totals);
        let found = rule.judge(&values, &totals);
        // Soon after a step, nothing is above noise that is not above the runs before it either.
        match found
            .band
            .or_else(|| rule.band(&values, totals[values.len()]))
        {
            Some(band) => Noise::Known {
                ceiling: band.ceiling(),
                runs: rule.window,
                range: [band.least, band.most],
                usual: found.median_run(rule, &values),
                cycles: cycles.cloned(),
            },
            None => Noise::TooFew {
                have: values.len(),
                need: rule.window,
            },
        }
    }
}
