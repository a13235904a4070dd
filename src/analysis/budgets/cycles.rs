//! The calls that inclusive costs omit because they are within a cycle. If two runs omit different
//! calls, their inclusive costs cannot be compared.

use super::{Expression, MetricKind, RunCosts, measure::select};
use crate::{
    analysis::difference::names::normalised,
    profile::{FunctionId, Profile, to_text},
};
use std::collections::BTreeMap;

/// The functions of limits on inclusive cost, by name, with their callees and whether those calls
/// are within a cycle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cycles(BTreeMap<Vec<u8>, CycleCalls>);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct CycleCalls {
    /// Whether any of its calls is within a cycle.
    any: bool,
    callees: BTreeMap<Vec<u8>, bool>,
}

impl Cycles {
    /// The cycles of a run with these selected functions. `None` for a saved baseline, which does
    /// not record calls.
    pub(super) fn new(
        expression: &Expression,
        side: RunCosts,
        selected: &[Vec<FunctionId>],
    ) -> Option<Cycles> {
        if side.profile.arcs.is_empty() {
            return None;
        }
        let mut cycles = Cycles::default();
        for (metric, functions) in expression.metrics.iter().zip(selected) {
            if metric.kind == MetricKind::Inclusive {
                functions.iter().for_each(|&id| cycles.add(side, id));
            }
        }
        Some(cycles)
    }

    /// Like [`new`](Self::new), for a run whose functions are not selected yet.
    pub(super) fn from_run(expression: &Expression, side: RunCosts) -> Option<Cycles> {
        if expression.has(MetricKind::Inclusive) {
            Cycles::new(expression, side, &select(expression, side.profile))
        } else {
            None
        }
    }

    fn add(&mut self, side: RunCosts, id: FunctionId) {
        let within = self.0.entry(name(side.profile, id)).or_default();
        within.any |= side.inclusive.lacks_calls(id);
        if !within.any {
            return;
        }
        for arc in side
            .profile
            .arcs_of(id)
            .iter()
            .filter(|arc| arc.callee != id)
        {
            let is_within = side.inclusive.is_recursive(arc);
            *within
                .callees
                .entry(name(side.profile, arc.callee))
                .or_default() |= is_within;
        }
    }

    /// The first function whose inclusive cost omits different calls in the two runs: it or one of
    /// its callees is in a cycle in only one of them.
    pub(super) fn difference(&self, other: &Cycles) -> Option<String> {
        let differs = |name: &Vec<u8>, within: &CycleCalls| {
            let Some(others) = other.0.get(name) else {
                return false;
            };
            let is_other = |(callee, is_within): (&Vec<u8>, &bool)| {
                others.callees.get(callee).is_some_and(|o| o != is_within)
            };
            within.any != others.any || within.callees.iter().any(is_other)
        };
        let found = self.0.iter().find(|(name, within)| differs(name, within));
        found.map(|(name, _)| to_text(name))
    }
}

fn name(profile: &Profile, id: FunctionId) -> Vec<u8> {
    normalised(&profile.function_name(id).text()).into_owned()
}
