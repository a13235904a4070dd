//! The report of aprof's reports: routines by the size of their input.

use super::advice;
use crate::analysis::Selection;
use crate::analysis::routines::{Routines, Zoom};
use crate::cli::{AnnotateArgs, TreeArg};
use crate::profile::Profile;
use crate::render::plot::Charset;
use crate::render::table::Form;
use crate::render::{aprof, routines};
use crate::source;
use anyhow::Result;
use std::io::Write;

/// Prints the table, or what `--zoom` asks for.
pub(super) fn report(args: &AnnotateArgs, profile: &Profile, selection: &Selection, mut out: impl Write) -> Result<()> {
    if let Some(name) = &args.zoom {
        return zoom(profile, name, out);
    }
    if let Some(routines) = all(args, profile, selection) {
        let tree = args.tree != TreeArg::None;
        aprof::table(&mut out, &routines, tree)?;
    }
    Ok(())
}

/// A report has few routines, and those that grow may cost little yet: all are listed unless a threshold is given.
fn all<'a>(args: &AnnotateArgs, profile: &'a Profile, selection: &Selection) -> Option<Routines<'a>> {
    let mut selection = selection.clone();
    selection.everything |= args.threshold.is_none() && args.sort.iter().all(|key| key.threshold.is_none());
    Routines::new(profile, &selection, args.inclusive.is_yes())
}

/// Writes a table of the routines, or of the sizes of the one that `--zoom` asks for.
pub(super) fn table(
    args: &AnnotateArgs,
    form: Form,
    profile: &Profile,
    selection: &Selection,
    title: String,
    out: impl Write,
) -> Result<()> {
    if let Some(name) = &args.zoom {
        routines::sizes(form, &Zoom::new(profile, advice::zoomed_routine(name, profile)?), out)?;
    } else if let Some(all) = all(args, profile, selection) {
        routines::table(form, &all, args.show_percs.is_yes(), title, out)?;
    }
    Ok(())
}

fn zoom(profile: &Profile, name: &str, out: impl Write) -> Result<()> {
    let charset = if source::speaks_unicode() { Charset::Unicode } else { Charset::Ascii };
    aprof::zoom(out, &Zoom::new(profile, advice::zoomed_routine(name, profile)?), charset)?;
    Ok(())
}
