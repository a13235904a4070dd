//! `--zoom` in forms for programs: the function with its trees, as a document or as a table.

use super::Task;
use crate::analysis::stacks::Basis;
use crate::analysis::{OrderedProfile, Selection, Session};
use crate::commands::zoom_target;
use crate::export::json;
use crate::profile::FunctionId;
use crate::view::steps::{LeftOut, Steps};
use crate::view::zoom::Zoom;
use anyhow::Result;

impl Task<'_> {
    /// The function that a pattern means, with callers and callees: all of them, unless so many are asked for.
    pub(super) fn zoom<'a>(
        &self,
        session: &'a Session,
        selection: &'a mut Selection,
        (pattern, depth): (&str, usize),
    ) -> Result<(FunctionId, Zoom<'a>)> {
        self.warn_if_saturated(session);
        let profile = session.profile();
        let id = match profile.sizes {
            Some(_) => zoom_target::routine(pattern, profile)?,
            None => zoom_target::function(
                pattern,
                self.request.args.input.recursion(),
                session,
                selection,
            )?,
        };
        selection.narrow.rows.get_or_insert(usize::MAX);
        Ok((id, Zoom::new(session, selection, id, depth)))
    }
}

/// The function as it stands in a document.
pub(super) fn record<'a>(id: FunctionId, zoom: &'a Zoom<'a>) -> json::Zoomed<'a> {
    json::Zoomed {
        function: id,
        basis: match zoom.basis {
            Basis::Recorded => "recorded",
            Basis::Estimated => "estimated",
            Basis::Flat => "none",
        },
        recursive_calls: zoom.recursive_calls,
        callers: tree(&zoom.callers),
        callees: tree(&zoom.callees),
    }
}

/// The functions of a document about one.
pub(super) fn around<'a>(
    session: &'a Session,
    selection: &Selection,
    record: &json::Zoomed<'_>,
) -> OrderedProfile<'a> {
    let steps = record
        .callers
        .steps
        .iter()
        .chain(&record.callees.steps)
        .map(|step| step.function);
    OrderedProfile::about(
        session.profile(),
        selection,
        session.inclusive(),
        record.function,
        steps,
    )
}

fn tree<'a>(steps: &'a Steps<'a>) -> json::Tree<'a> {
    let step = |step: &'a crate::view::steps::Step<'a>| json::Step {
        function: step.id,
        level: step.level + 1,
        count: step.count,
        cost: step.counts(),
    };
    json::Tree {
        steps: steps.steps.iter().map(step).collect(),
        more: steps
            .more
            .as_ref()
            .map(|more| (more.functions, more.count, more.counts())),
        rest: steps.rest_counts(),
        cut: steps.cut == LeftOut::Deeper,
    }
}
