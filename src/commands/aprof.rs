//! The report of aprof's reports: routines by the size of their input.

use super::{Usage, complain};
use crate::analysis::routines::{self, Routines, Zoom};
use crate::analysis::{Label, Selection};
use crate::cli::{AnnotateArgs, TreeArg};
use crate::profile::Profile;
use crate::report::aprof;
use crate::report::plot::Charset;
use crate::source;
use anyhow::{Result, bail};
use std::io::Write;

/// How many names are listed where one is not clear.
const LISTED: usize = 10;

/// Prints the table, or what `--zoom` asks for.
pub(super) fn report(args: &AnnotateArgs, profile: &Profile, selection: &Selection, mut out: impl Write) -> Result<()> {
    if let Some(name) = &args.zoom {
        return zoom(profile, name, out);
    }
    // A report has few routines, and those that grow may cost little yet: all are listed unless a threshold is given.
    let mut selection = selection.clone();
    selection.everything |= args.threshold.is_none() && args.sort.iter().all(|key| key.threshold.is_none());
    if let Some(routines) = Routines::new(profile, &selection, args.inclusive.is_yes()) {
        let tree = args.tree != TreeArg::None;
        aprof::table(&mut out, &routines, tree)?;
    }
    Ok(())
}

fn zoom(profile: &Profile, name: &str, out: impl Write) -> Result<()> {
    let found = routines::named(profile, name.as_bytes());
    match found[..] {
        [] => bail!(Usage(format!("--zoom: there is no routine `{name}`"))),
        [id] => {
            let charset = if source::speaks_unicode() { Charset::Unicode } else { Charset::Ascii };
            aprof::zoom(out, &Zoom::new(profile, id), charset)?;
            Ok(())
        }
        _ => {
            for &id in found.iter().take(LISTED) {
                complain(&format!("  {}", String::from_utf8_lossy(Label::of(profile, id).name)));
            }
            bail!(Usage(format!("--zoom: {} routines are called `{name}` or something like it", found.len())))
        }
    }
}
