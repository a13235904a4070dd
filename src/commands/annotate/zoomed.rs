//! `--zoom` in forms for programs: the function with its trees, as a document or as a table.

use super::Task;
use crate::analysis::{OrderedProfile, Selection, Session};
use crate::commands::zoom_target;
use crate::view::zoom::Zoom;
use anyhow::Result;

impl Task<'_> {
    /// The function that a pattern means, with callers and callees: all of them, unless so many are asked for.
    pub(super) fn zoom<'a>(
        &self,
        session: &'a Session,
        selection: &'a mut Selection,
        (pattern, depth): (&str, usize),
    ) -> Result<Zoom<'a>> {
        self.warn_if_saturated(session);
        let profile = session.profile();
        let id = match profile.sizes {
            Some(_) => zoom_target::routine(pattern, profile)?,
            None => {
                zoom_target::function(pattern, self.args.input.recursion(), session, selection)?
            }
        };
        selection.narrow.rows.get_or_insert(usize::MAX);
        Ok(Zoom::new(session, selection, id, depth))
    }
}

/// The functions of a document about one.
pub(super) fn around<'a>(
    session: &'a Session,
    selection: &Selection,
    zoom: &Zoom<'_>,
) -> OrderedProfile<'a> {
    let steps = zoom.callers.steps.iter().chain(&zoom.callees.steps);
    OrderedProfile::about(
        session.profile(),
        selection,
        session.inclusive(),
        zoom.id,
        steps.map(|step| step.id),
    )
}
