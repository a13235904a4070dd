//! Measures the value of a quantity in one profile.

use super::{
    Expression, Metric, MetricKind,
    expression::{Fold, RATIO_UNIT},
};
use crate::{
    analysis::{Estimate, Growth, Inclusive, Own},
    profile::{Event, FunctionId, Order, Profile, StatedOwn, costs, sum_rows},
};
use std::collections::BTreeSet;

/// One of the two runs.
#[derive(Clone, Copy)]
pub struct RunCosts<'a> {
    /// Its profile.
    pub profile: &'a Profile,
    /// Its inclusive costs.
    pub inclusive: &'a Inclusive,
    /// The costs of your code, if it is known which code is yours, and calls are known.
    pub own: Option<OwnOrigin<'a>>,
    /// The inlined functions that are functions like others. How often inlined code ran was not
    /// recorded.
    pub inlined: &'a BTreeSet<FunctionId>,
}

/// The origin of the costs of your code.
#[derive(Clone, Copy)]
pub enum OwnOrigin<'a> {
    /// Computed from calls.
    Computed(&'a Own),
    /// Read from a saved baseline.
    Stated(&'a StatedOwn),
}

impl OwnOrigin<'_> {
    /// The attributed cost of a function; `None` for a library function.
    fn estimate(self, profile: &Profile, id: FunctionId, event: Event) -> Option<Estimate> {
        match self {
            OwnOrigin::Computed(own) => own.has(id).then(|| own.estimate(profile, id, event)),
            OwnOrigin::Stated(own) => own.costs.get(&id).map(|rows| {
                let [value, least, most] =
                    [0, 1, 2].map(|at| profile.events.counted(&rows[at], event));
                Estimate::new(value.into(), least.into(), most.into())
            }),
        }
    }
}

/// Why a quantity has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// The limit is relative, and there is no baseline.
    Baseline,
    /// A profile does not have the event.
    Event(String),
    /// A selector matches no function.
    Function(String),
    /// The profile has no costs by input size: it is neither a report of aprof nor a saved baseline
    /// of one.
    Sizes,
    /// No function that a selector matches has enough input sizes.
    Growth(String),
    /// The costs of your code are unknown: there are no calls, or a saved baseline does not have
    /// them for the same code.
    Own,
    /// The profile lacks the calls of some or all inputs, so inclusive costs and counts of calls
    /// are unknown.
    Calls,
    /// A function that a selector matches was inlined, and it is unknown how often inlined code
    /// ran.
    Inlined(String),
    /// The last number of the file belongs to this event, and may be truncated.
    Unchecked(String),
    /// An inclusive cost is larger than counts can be.
    TooLarge,
    /// Calls of this function are in a cycle in only one of two runs, so their inclusive costs
    /// include different calls.
    Cycle(String),
    /// The cost is an estimate, and the limit is between its lower and upper bound.
    Bounds(i128, i128),
    /// The limit is about noise, and there are no previous runs.
    History,
    /// Noise is unknown: how many runs the history has, and how many are needed.
    TooFew(usize, usize),
    /// The profile cannot be judged, for this reason, the first of its [`doubts`](super::doubts).
    Trust(String),
}

/// A value and the functions that it consists of.
#[derive(Default)]
pub(super) struct Measured {
    pub value: i128,
    /// The lower and upper bound of the value.
    pub bounds: [i128; 2],
    /// The functions with their own values; for a total, all functions with their self cost.
    pub functions: Vec<(FunctionId, i128)>,
}

/// Selects the functions of each metric of a limit, which takes most of the time of measuring.
pub(super) fn select(expression: &Expression, profile: &Profile) -> Vec<Vec<FunctionId>> {
    let functions = |metric: &Metric| metric.of.as_ref().map(|of| of.functions(profile));
    let metrics = expression.metrics.iter();
    metrics
        .map(|metric| functions(metric).unwrap_or_default())
        .collect()
}

/// The value of a metric whose functions a run does not have.
#[derive(PartialEq)]
pub(super) enum Absent {
    /// The quantity is unknown.
    Unknown,
    /// The functions cost nothing.
    Nothing,
}

/// Measures the quantity in a run that may lack functions, which cost nothing there.
pub(super) fn measure_present(
    expression: &Expression,
    side: RunCosts,
) -> Result<Measured, NoValue> {
    measure(
        expression,
        side,
        &select(expression, side.profile),
        Absent::Nothing,
    )
}

/// Measures the quantity of a limit, with selected functions.
pub(super) fn measure(
    expression: &Expression,
    side: RunCosts,
    selected: &[Vec<FunctionId>],
    absent: Absent,
) -> Result<Measured, NoValue> {
    let is_ratio = expression.is_ratio(&side.profile.events);
    if is_ratio && (expression.metrics.len() > 1 || expression.needs_own_code()) {
        let what = "a limit has at most one ratio, of recorded costs";
        return Err(NoValue::Trust(what.into()));
    }
    let mut values_of: Vec<(FunctionId, i128)> = Vec::new();
    let mut all = Vec::new();
    for (metric, selected) in expression.metrics.iter().zip(selected) {
        let functions = match values(metric, side, selected) {
            Err(NoValue::Function(_) | NoValue::Growth(_)) if absent == Absent::Nothing => continue,
            values => values?,
        };
        match &metric.event {
            Some(event) if metric.kind == MetricKind::Total => {
                all.push(Estimate::exact(event_total(event, side)?));
            }
            Some(event) if is_ratio && matches!(expression.fold, Fold::Sum) => {
                // A ratio of sums, because ratios do not add up.
                let rows = selected.iter().map(|&id| match metric.kind {
                    MetricKind::Inclusive => side.inclusive.cost(id),
                    _ => side.profile.self_cost(id),
                });
                let sum = count(side, &sum_rows(rows), find(event, side)?);
                all.push(Estimate::exact(sum?));
            }
            _ => all.extend(functions.iter().map(|&(_, value)| value)),
        }
        values_of.extend(functions.into_iter().map(|(id, known)| (id, known.value)));
    }
    let fold = |of: fn(Estimate) -> i128| {
        let each = all.iter().map(|&known| of(known));
        match expression.fold {
            Fold::Sum => each.fold(0i128, i128::saturating_add),
            Fold::Max => each.max().unwrap_or(0),
        }
    };
    // A function of several metrics has one value.
    if expression.metrics.len() > 1 {
        values_of.order_by_key(|&(id, _)| id);
        values_of.dedup_by(|next, one| {
            let same = next.0 == one.0;
            if same {
                one.1 = match expression.fold {
                    Fold::Sum => one.1.saturating_add(next.1),
                    Fold::Max => one.1.max(next.1),
                };
            }
            same
        });
    }
    let bounds = [fold(|known| known.least), fold(|known| known.most)];
    Ok(Measured {
        value: fold(|known| known.value),
        bounds,
        functions: values_of,
    })
}

/// The cost of the whole program.
pub(super) fn event_total(event: &str, side: RunCosts) -> Result<i128, NoValue> {
    let event = find(event, side)?;
    count(side, &side.profile.totals.row, event)
}

fn values(
    metric: &Metric,
    side: RunCosts,
    selected: &[FunctionId],
) -> Result<Vec<(FunctionId, Estimate)>, NoValue> {
    let Metric { kind, event, of } = metric;
    let profile = side.profile;
    let text = || of.as_ref().map_or(String::new(), |of| of.text.clone());
    let is_inlined = |id| side.inlined.contains(id);
    match kind {
        MetricKind::Inclusive | MetricKind::Calls if !profile.has_inclusive() => {
            return Err(NoValue::Calls);
        }
        MetricKind::Inclusive | MetricKind::Calls | MetricKind::Own if may_lack_calls(side) => {
            return Err(NoValue::Calls);
        }
        MetricKind::Inclusive if side.inclusive.saturated => return Err(NoValue::TooLarge),
        MetricKind::Growth if profile.sizes.is_none() => return Err(NoValue::Sizes),
        MetricKind::Calls if selected.iter().any(is_inlined) => {
            return Err(NoValue::Inlined(text()));
        }
        _ => {}
    }
    let event = event
        .as_deref()
        .map(|event| find(event, side))
        .transpose()?;
    if *kind == MetricKind::Own && side.own.is_none() {
        return Err(NoValue::Own);
    }
    // A ratio without a denominator has no value, which is not the same as 0.
    let exact = |row| count(side, row, event?).ok().map(Estimate::exact);
    let value = |id| {
        Some(match kind {
            MetricKind::Total | MetricKind::SelfCost => exact(profile.self_cost(id))?,
            MetricKind::Inclusive => exact(side.inclusive.cost(id))?,
            // A library function has no attributed cost, which is not the same as 0.
            MetricKind::Own => side.own?.estimate(profile, id, event?)?,
            MetricKind::Calls => Estimate::exact(side.inclusive.called(id)),
            MetricKind::Growth => {
                let exponent = Growth::new(profile, id)?.exponent();
                Estimate::exact((exponent * 1000.0).round() as i128)
            }
        })
    };
    let with_value = |id| Some((id, value(id)?));
    if *kind == MetricKind::Total {
        return Ok(profile.function_ids().filter_map(with_value).collect());
    }
    let found: Vec<_> = selected.iter().copied().filter_map(with_value).collect();
    match kind {
        MetricKind::Growth if found.is_empty() && !selected.is_empty() => {
            Err(NoValue::Growth(text()))
        }
        _ if found.is_empty() => {
            if let (Some(event), &[id, ..]) = (event, selected) {
                count(side, profile.self_cost(id), event)?;
            }
            Err(NoValue::Function(text()))
        }
        _ => Ok(found),
    }
}

/// Whether calls may be missing at the end of a file by another writer that claims to be Callgrind.
/// In such a file, only the sum of the self costs shows that it is complete. Only the first
/// function of the program may cost more than all calls to it from outside. If two functions, or
/// cycles, do, calls are missing.
fn may_lack_calls(
    RunCosts {
        profile, inclusive, ..
    }: RunCosts,
) -> bool {
    let lacks = |of: &[FunctionId], cost: &[i64]| {
        let outside = || {
            of.iter()
                .flat_map(|&id| profile.arcs_to(id))
                .filter(|arc| !inclusive.is_recursive(arc))
        };
        let by_calls = |c| {
            outside()
                .map(|arc| costs::count(profile.arc_cost(arc), c))
                .fold(0, i64::saturating_add)
        };
        (0..cost.len()).any(|c| costs::count(cost, c) > by_calls(c))
    };
    let is_alone = |id: &FunctionId| inclusive.cycle_of(*id).is_none();
    let functions = profile
        .function_ids()
        .filter(is_alone)
        .filter(|&id| lacks(&[id], inclusive.cost(id)));
    let cycles = inclusive
        .cycles
        .iter()
        .filter(|cycle| lacks(&cycle.members, &cycle.inclusive));
    profile
        .parts
        .iter()
        .any(|part| part.poses_as_callgrind() && part.totals.is_none())
        && functions.count() + cycles.count() > 1
}

fn find(event: &str, side: RunCosts) -> Result<Event, NoValue> {
    let events = &side.profile.events;
    let found = events
        .find(event.as_bytes())
        .ok_or_else(|| NoValue::Event(event.to_owned()))?;
    let is_checked = |column| {
        side.profile
            .parts
            .iter()
            .all(|part| part.is_checked(column))
    };
    if events.all_columns(found, is_checked) {
        Ok(found)
    } else {
        Err(NoValue::Unchecked(event.to_owned()))
    }
}

fn count(side: RunCosts, row: &[i64], event: Event) -> Result<i128, NoValue> {
    let events = &side.profile.events;
    match events.in_units(row, event, RATIO_UNIT) {
        None if event.is_ratio() => {
            let why = format!("the denominator of {} is 0", events.text(event));
            Err(NoValue::Trust(why))
        }
        count => Ok(count.unwrap_or(0)),
    }
}
