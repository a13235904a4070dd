//! `--zoom` in formats for programs: one function with its callers and callees, as a document or a
//! table.

use super::Task;
use crate::analysis::{OrderedProfile, Selection, Session};
use crate::commands::zoom_target;
use crate::view::Zoom;
use anyhow::Result;

impl Task<'_> {
    /// Finds the function that the pattern names. Lists all its callers and callees unless `-n`
    /// limits them.
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
                zoom_target::function(("--zoom", pattern), &self.args.input, session, selection)?
            }
        };
        selection.narrow.rows.get_or_insert(usize::MAX);
        Ok(Zoom::new(session, selection, id, depth))
    }
}

/// The functions of a document about one function.
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
