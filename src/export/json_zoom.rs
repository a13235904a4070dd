//! The keys of the JSON report about one function: `zoom`, `zoom_callers` and `zoom_callees`. They are there only when they are
//! asked for.

use super::json_parts::{Counts, List};
use crate::analysis::OrderedProfile;
use crate::profile::{self, FunctionId};
use serde::ser::SerializeStruct;

/// One function with its callers and callees.
pub struct Zoomed<'a> {
    /// The function.
    pub function: FunctionId,
    /// `recorded` if the tree of calls was recorded, `estimated` if it is made from arcs, `none` without calls.
    pub basis: &'static str,
    /// How many of its calls came from itself or from within its cycle.
    pub recursive_calls: u64,
    /// Its callers.
    pub callers: Tree<'a>,
    /// Its callees.
    pub callees: Tree<'a>,
}

/// Callers or callees, each before those below it.
pub struct Tree<'a> {
    /// Them.
    pub steps: Vec<Step<'a>>,
    /// How many functions of the first level have no record, how often these called or were called, and what that cost.
    pub more: Option<(usize, u64, profile::Counts<'a>)>,
    /// What the first level does not explain.
    pub rest: profile::Counts<'a>,
    /// Whether deeper levels were left out because there would be too many.
    pub cut: bool,
}

/// A caller or callee.
pub struct Step<'a> {
    /// Who.
    pub function: FunctionId,
    /// From 1.
    pub level: usize,
    /// How often; `None` where the cost is an estimate.
    pub count: Option<u64>,
    /// What the calls cost.
    pub cost: profile::Counts<'a>,
}

#[derive(serde::Serialize)]
struct About<'a> {
    function: Option<u32>,
    basis: &'static str,
    recursive_calls: u64,
    more_callers: Option<More<'a>>,
    more_callees: Option<More<'a>>,
    not_in_callers: Counts<'a>,
    not_in_callees: Counts<'a>,
    cut: bool,
}

/// What is left out of the first level.
#[derive(serde::Serialize)]
struct More<'a> {
    functions: usize,
    count: u64,
    inclusive: Counts<'a>,
}

#[derive(serde::Serialize)]
struct Record<'a> {
    function: u32,
    level: usize,
    count: Option<u64>,
    inclusive: Counts<'a>,
    estimated: bool,
}

/// The function and the trees above and below it.
pub(super) fn zoomed<S: SerializeStruct>(
    whole: &OrderedProfile<'_>,
    zoom: &Zoomed<'_>,
    report: &mut S,
) -> Result<(), S::Error> {
    report.serialize_field(
        "zoom",
        &About {
            function: whole.place(zoom.function),
            basis: zoom.basis,
            recursive_calls: zoom.recursive_calls,
            more_callers: more(whole, &zoom.callers),
            more_callees: more(whole, &zoom.callees),
            not_in_callers: Counts::new(whole, zoom.callers.rest.0),
            not_in_callees: Counts::new(whole, zoom.callees.rest.0),
            cut: zoom.callers.cut || zoom.callees.cut,
        },
    )?;
    report.serialize_field("zoom_callers", &List(|| steps(whole, &zoom.callers)))?;
    report.serialize_field("zoom_callees", &List(|| steps(whole, &zoom.callees)))
}

fn more<'a>(whole: &'a OrderedProfile<'a>, tree: &'a Tree<'a>) -> Option<More<'a>> {
    let (functions, count, cost) = tree.more?;
    Some(More {
        functions,
        count,
        inclusive: Counts::new(whole, cost.0),
    })
}

fn steps<'a>(
    whole: &'a OrderedProfile<'a>,
    tree: &'a Tree<'a>,
) -> impl Iterator<Item = Record<'a>> {
    tree.steps.iter().filter_map(|step| {
        Some(Record {
            function: whole.place(step.function)?,
            level: step.level,
            count: step.count,
            inclusive: Counts::new(whole, step.cost.0),
            estimated: step.count.is_none(),
        })
    })
}
