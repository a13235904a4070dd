//! The value of a quantity in one profile.

use super::expression::{Expression, Fold, Metric};
use super::selector::Selector;
use crate::analysis::{Growth, Inclusive};
use crate::profile::{Event, FunctionId, Profile};

/// One of the two runs.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// What it cost.
    pub profile: &'a Profile,
    /// Its inclusive costs.
    pub inclusive: &'a Inclusive,
}

/// Why a quantity has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The limit is relative, and there is nothing to compare with.
    Baseline,
    /// A profile does not have an event.
    Event(String),
    /// A selector matches no function.
    Function(String),
    /// The profile has no costs by the size of input: it is no report of aprof's, or a saved baseline of one.
    Sizes,
    /// No function that a selector matches has enough input sizes.
    Growth(String),
    /// The profile is damaged or empty; see [`doubts`](super::doubts).
    Trust,
}

/// A value and the functions that it consists of.
pub(super) struct Measured {
    pub(super) value: i128,
    /// The functions with their own values; for a total, all functions with their self cost.
    pub(super) functions: Vec<(FunctionId, i128)>,
}

/// Measures the quantity of a limit.
pub(super) fn measure(expression: &Expression, side: Side) -> Result<Measured, NoValue> {
    let quantity = &expression.quantity;
    let mut measured = Measured { value: 0, functions: Vec::new() };
    let mut greatest = None;
    for metric in &quantity.metrics {
        let functions = values(metric, side)?;
        let of_metric = match metric {
            Metric::Total { event } => vec![total(event, side)?],
            _ => functions.iter().map(|&(_, value)| value).collect(),
        };
        measured.value = of_metric.iter().fold(measured.value, |sum, &value| sum.saturating_add(value));
        greatest = greatest.max(of_metric.into_iter().max());
        measured.functions.extend(functions);
    }
    if quantity.fold == Fold::Max {
        measured.value = greatest.unwrap_or(measured.value);
    }
    Ok(measured)
}

fn total(event: &str, side: Side) -> Result<i128, NoValue> {
    let event = find(event, side)?;
    Ok(count(side, &side.profile.totals.row, event))
}

fn values(metric: &Metric, side: Side) -> Result<Vec<(FunctionId, i128)>, NoValue> {
    let profile = side.profile;
    match metric {
        Metric::Total { event } => {
            let event = find(event, side)?;
            Ok(profile.function_ids().map(|id| (id, count(side, profile.self_cost(id), event))).collect())
        }
        Metric::SelfCost { event, of } => {
            let event = find(event, side)?;
            Ok(functions(of, side)?.map(|id| (id, count(side, profile.self_cost(id), event))).collect())
        }
        Metric::Inclusive { event, of } => {
            let event = find(event, side)?;
            Ok(functions(of, side)?.map(|id| (id, count(side, side.inclusive.cost(id), event))).collect())
        }
        Metric::Growth { .. } if profile.sizes.is_none() => Err(NoValue::Sizes),
        Metric::Growth { of } => {
            let exponent = |id| Some((id, (Growth::of(profile, id)?.exponent() * 1000.0).round() as i128));
            let found: Vec<_> = functions(of, side)?.filter_map(exponent).collect();
            if found.is_empty() { Err(NoValue::Growth(of.text.clone())) } else { Ok(found) }
        }
        Metric::Calls { of } => {
            Ok(functions(of, side)?.map(|id| (id, i128::from(side.inclusive.called(id)))).collect())
        }
    }
}

fn find(event: &str, side: Side) -> Result<Event, NoValue> {
    side.profile.events.find(event.as_bytes()).ok_or_else(|| NoValue::Event(event.to_owned()))
}

fn functions(of: &Selector, side: Side) -> Result<impl Iterator<Item = FunctionId> + use<>, NoValue> {
    let found = of.functions(side.profile);
    if found.is_empty() { Err(NoValue::Function(of.text.clone())) } else { Ok(found.into_iter()) }
}

fn count(side: Side, row: &[i64], event: Event) -> i128 {
    i128::from(side.profile.events.count(row, event).unwrap_or(0))
}
