//! Writes the keys of the JSON report about one function: `zoom`, `zoom_callers` and
//! `zoom_callees`. They exist only if requested.

use super::json_parts::{Counts, Document, List};
use crate::analysis::OrderedProfile;
use crate::analysis::stacks::Basis;
use crate::view::steps::{LeftOut, Steps};
use crate::view::zoom::Zoom;
use std::io::{self, Write};

#[derive(serde::Serialize)]
struct JsonZoom<'a> {
    function: Option<u32>,
    /// `recorded` if the call tree was recorded, `estimated` if it is computed from arcs, `none`
    /// without calls.
    basis: &'static str,
    recursive_calls: u64,
    more_callers: Option<More<'a>>,
    more_callees: Option<More<'a>>,
    not_in_callers: Counts<'a>,
    not_in_callees: Counts<'a>,
    /// Whether deeper levels are omitted because the tree is too large.
    cut: bool,
}

/// The omitted functions of the first level.
#[derive(serde::Serialize)]
struct More<'a> {
    functions: usize,
    count: u64,
    inclusive: Counts<'a>,
}

#[derive(serde::Serialize)]
struct Record<'a> {
    function: u32,
    /// The depth, from 1.
    level: usize,
    count: Option<u64>,
    inclusive: Counts<'a>,
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
            not_in_callers: Counts::new(whole, &zoom.callers.rest),
            not_in_callees: Counts::new(whole, &zoom.callees.rest),
            cut: [zoom.callers.cut, zoom.callees.cut].contains(&LeftOut::Deeper),
        },
    )?;
    report.field("zoom_callers", List(|| steps(whole, &zoom.callers)))?;
    report.field("zoom_callees", List(|| steps(whole, &zoom.callees)))
}

fn more<'a>(whole: &'a OrderedProfile<'a>, tree: &'a Steps<'a>) -> Option<More<'a>> {
    let more = tree.more.as_ref()?;
    Some(More {
        functions: more.functions,
        count: more.count,
        inclusive: Counts::new(whole, &more.cost),
    })
}

fn steps<'a>(
    whole: &'a OrderedProfile<'a>,
    tree: &'a Steps<'a>,
) -> impl Iterator<Item = Record<'a>> {
    tree.steps.iter().filter_map(|step| {
        Some(Record {
            function: whole.place(step.id)?,
            level: step.level + 1,
            count: step.count,
            inclusive: Counts::new(whole, &step.cost),
            estimated: step.count.is_none(),
        })
    })
}
