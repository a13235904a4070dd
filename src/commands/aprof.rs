//! The report on aprof's profiles: routines by the size of their input.

use super::zoom_target;
use crate::{
    analysis::{
        Selection,
        routines::{RoutineDetail, Routines},
    },
    env,
    profile::Profile,
    render::{
        aprof,
        screen::ScreenWriter,
        table::{self, TableForm},
    },
    request::annotate::{AnnotateRequest, AskedPage, Functions},
    view::tables,
};
use anyhow::Result;
use std::io::Write;

/// Prints the table, or the routine that `--zoom` names.
pub(super) fn report(
    request: &AnnotateRequest,
    profile: &Profile,
    selection: &Selection,
    out: &mut ScreenWriter<impl Write>,
) -> Result<()> {
    if let AskedPage::Zoom { pattern: name, .. } = &request.page {
        let zoom = RoutineDetail::new(profile, zoom_target::routine(name, profile)?);
        return Ok(aprof::zoom(out, &zoom, env::speaks_unicode())?);
    }
    if let Some(routines) = all(request, profile, selection) {
        let width = out.surface.width;
        aprof::table(&mut *out, &routines, width)?;
        if request.page.functions().tree != Functions::PLAIN.tree {
            aprof::contexts(out, &routines)?;
        }
    }
    Ok(())
}

/// Lists all routines unless a threshold is given: there are few, and those that grow may still be
/// cheap.
fn all<'a>(
    request: &AnnotateRequest,
    profile: &'a Profile,
    selection: &Selection,
) -> Option<Routines<'a>> {
    let mut selection = selection.clone();
    selection.everything |= !request.args.columns.has_threshold();
    Routines::new(profile, &selection, request.page.functions().cost)
}

/// Writes a table of the routines, or of the input sizes of the routine that `--zoom` names.
pub(super) fn table(
    request: &AnnotateRequest,
    form: TableForm,
    profile: &Profile,
    selection: &Selection,
    out: impl Write,
) -> Result<()> {
    if let AskedPage::Zoom { pattern: name, .. } = &request.page {
        let zoom = RoutineDetail::new(profile, zoom_target::routine(name, profile)?);
        table::write(form, tables::sizes(&zoom), out)?;
    } else if let Some(all) = all(request, profile, selection) {
        table::write(
            form,
            tables::routines(&all, request.args.columns.show_percs.is_yes()),
            out,
        )?;
    }
    Ok(())
}
