//! Writes the keys of the JSON report about one function: `zoom`, `zoom_callers` and
//! `zoom_callees`. They exist only if requested.

use super::json_parts::{Document, JsonCounts, JsonList};
use crate::{
    analysis::{Basis, OrderedProfile},
    view::{Zoom, steps::Steps},
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The function of `--zoom`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonZoom<'a> {
    /// The index of the function in `functions`. It is never null.
    function: Option<u32>,
    /// Where deeper levels come from: `recorded` if the profile has every single call, `estimated`
    /// from the sums per caller and callee, or `none` without calls.
    basis: &'static str,
    /// The number of calls from the function itself or from its cycle.
    recursive_calls: u64,
    /// The callers that `-n` omits. Null if none is omitted.
    more_callers: Option<JsonMore<'a>>,
    /// The callees that `-n` omits. Null if none is omitted.
    more_callees: Option<JsonMore<'a>>,
    /// The part of the inclusive cost that no call of the first level of callers has.
    not_in_callers: JsonCounts<'a>,
    /// The part of the inclusive cost that is neither self cost nor in a call of the first level of
    /// callees, listed or not.
    not_in_callees: JsonCounts<'a>,
    /// Whether deeper levels are omitted because there are too many.
    cut: bool,
}

/// The omitted functions of the first level.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonMore<'a> {
    /// How many functions are omitted.
    functions: usize,
    /// The number of their calls.
    count: u64,
    /// The cost of their calls.
    inclusive: JsonCounts<'a>,
}

/// A caller or callee in a tree, which is in depth-first order.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonRecord<'a> {
    /// The index of the function in `functions`.
    function: u32,
    /// The level in the tree, from 1.
    level: usize,
    /// The number of calls. Null if the cost is estimated.
    count: Option<u64>,
    /// The cost of these calls.
    inclusive: JsonCounts<'a>,
    /// Whether the cost is estimated.
    estimated: bool,
}

/// Writes the function and the trees of its callers and callees.
pub(super) fn zoomed(
    whole: &OrderedProfile<'_>,
    zoom: &Zoom<'_>,
    report: &mut Document<impl Write>,
) -> io::Result<()> {
    report.field(
        "zoom",
        JsonZoom {
            function: whole.place(zoom.id),
            basis: match zoom.basis {
                Basis::Recorded => "recorded",
                Basis::Estimated => "estimated",
                Basis::Flat => "none",
            },
            recursive_calls: zoom.recursive_calls,
            more_callers: more(whole, &zoom.callers),
            more_callees: more(whole, &zoom.callees),
            not_in_callers: JsonCounts::new(whole, &zoom.callers.rest),
            not_in_callees: JsonCounts::new(whole, &zoom.callees.rest),
            cut: zoom.callers.cut || zoom.callees.cut,
        },
    )?;
    report.field("zoom_callers", JsonList(|| steps(whole, &zoom.callers)))?;
    report.field("zoom_callees", JsonList(|| steps(whole, &zoom.callees)))
}

fn more<'a>(whole: &'a OrderedProfile<'a>, tree: &'a Steps<'a>) -> Option<JsonMore<'a>> {
    let more = tree.more.as_ref()?;
    Some(JsonMore {
        functions: more.count as usize,
        count: more.calls,
        inclusive: JsonCounts::new(whole, &more.cost),
    })
}

fn steps<'a>(
    whole: &'a OrderedProfile<'a>,
    tree: &'a Steps<'a>,
) -> impl Iterator<Item = JsonRecord<'a>> {
    tree.steps.iter().filter_map(|step| {
        Some(JsonRecord {
            function: whole.place(step.id)?,
            level: step.level + 1,
            count: step.count,
            inclusive: JsonCounts::new(whole, &step.cost),
            estimated: step.count.is_none(),
        })
    })
}
