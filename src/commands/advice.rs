//! Gives advice if a report may not be what the user meant. Examples: filters that match nothing,
//! mistyped commands, and recursion levels that are listed separately.

use super::{
    Usage,
    console::{say, say_each},
    help,
};
use crate::{
    analysis::{
        Cost, GroupBy, Narrow, Selection,
        doubts::{self, Doubt},
        suggestions::{self, Candidates, Unmatched, nearest},
    },
    profile::Profile,
    record,
    request::annotate::{AnnotateRequest, AskedPage},
    text::names,
    view::{Groups, instructions::UNKNOWN},
};
use anyhow::{Result, bail};
use std::io::{self, IsTerminal};

/// If the first argument is not a file, suggests the command with a similar name.
pub(super) fn command(request: &AnnotateRequest) -> Result<()> {
    let Some(path) = request
        .args
        .files
        .first()
        .filter(|path| path.as_os_str() != "-" && !path.exists())
    else {
        return Ok(());
    };
    let name = &*path.to_string_lossy();
    let commands = help::commands();
    match nearest(name, commands.iter().map(String::as_str)) {
        Some(near) if near == name => {
            bail!("{name}: no such file\nhint: a command comes before all options")
        }
        Some(near) => {
            bail!("{name}: no such file\nhint: did you mean the command `cgannotate {near}`?")
        }
        None => Ok(()),
    }
}

/// Warns about named folders that do not exist, and rejects a disassembler that cannot be found.
pub(super) fn places(request: &crate::request::Request) -> Result<()> {
    for (option, folders) in ["-I", "--debug-dir"].into_iter().zip(request.folders()) {
        for folder in folders.iter().filter(|folder| !folder.is_dir()) {
            say(format!("{option} {}: no such folder", folder.display()));
        }
    }
    // On other systems, the name of a program may lack its extension.
    match request
        .objdump()
        .filter(|_| cfg!(unix))
        .map(|program| record::find(program.as_os_str()))
    {
        Some(Err(why)) => bail!(Usage(format!("--objdump: {why}"))),
        _ => Ok(()),
    }
}

/// Prints why a report may show little. `annotates` says whether it annotates sources.
pub(super) fn doubts(
    profile: &Profile,
    selection: &Selection,
    request: &AnnotateRequest,
    annotates: bool,
) {
    let doubts = doubts::doubts(profile, selection);
    let doubts = doubts.iter();
    say_each(doubts.filter(|doubt| matters(doubt, request, annotates)));
}

/// Whether a doubt is printed for this report. Scripts only get the note that there is no cost,
/// because it explains an empty report. Missing source files do not matter to a report without
/// sources. Objects that were already reported are skipped.
fn matters(doubt: &Doubt, request: &AnnotateRequest, annotates: bool) -> bool {
    if doubt
        .path()
        .is_some_and(|path| request.told.iter().any(|told| told == path))
    {
        return false;
    }
    match doubt {
        // With `--split`, one of several profiles may have no cost.
        Doubt::Nothing | Doubt::NothingCollected => request.args.split.is_none(),
        Doubt::Stripped(..) => io::stderr().is_terminal(),
        // The page of one function reports this itself.
        Doubt::Recursion(..) => {
            let is_first = matches!(request.page, AskedPage::Unsaid(_));
            io::stderr().is_terminal()
                && (is_first || request.page.functions().cost == Cost::Inclusive)
        }
        Doubt::NoLines | Doubt::NoDebugInformation(..) => io::stderr().is_terminal() && annotates,
    }
}

/// Rejects requests for instructions if none were recorded: an empty list would look like an
/// answer. With `--split`, some profiles may have none.
pub(super) fn instructions(profile: &Profile, request: &AnnotateRequest) -> Result<()> {
    let is_asked = request.page == AskedPage::Instructions || request.args.code.asm;
    if is_asked
        && request.args.split.is_none()
        && profile.code.is_none()
        && !profile.has_addresses()
    {
        bail!(UNKNOWN)
    } else {
        Ok(())
    }
}

/// Rejects filters that match nothing: they were mistyped.
pub(super) fn filters<'a>(known: impl Into<Candidates<'a>>, narrow: &Narrow) -> Result<()> {
    refused(&suggestions::unmatched(known, narrow))
}

/// Rejects filters that match nothing in either of two runs.
pub(super) fn filters_of_either(runs: [&Profile; 2], narrow: &Narrow) -> Result<()> {
    let mut unseen = Unseen::default();
    // Suggestions come from the first profile that is seen: the new run.
    runs.into_iter()
        .rev()
        .for_each(|run| unseen.see(run, narrow));
    unseen.refuse()
}

/// The filters that match nothing in any run so far. Runs are added one by one.
#[derive(Default)]
pub(super) struct Unseen(pub(super) Option<Vec<Unmatched>>);

impl Unseen {
    /// Adds a run.
    pub(super) fn see(&mut self, run: &Profile, narrow: &Narrow) {
        match &mut self.0 {
            None => self.0 = Some(suggestions::unmatched(run, narrow)),
            Some(unmatched) if unmatched.is_empty() => {}
            Some(unmatched) => {
                let here = suggestions::unmatched(run, narrow);
                unmatched.retain(|one| {
                    here.iter()
                        .any(|new| (one.filter, &one.pattern) == (new.filter, &new.pattern))
                });
            }
        }
    }

    /// Rejects the filters that are left.
    pub(super) fn refuse(self) -> Result<()> {
        refused(&self.0.unwrap_or_default())
    }
}

fn refused(unmatched: &[Unmatched]) -> Result<()> {
    let (mut what, mut near) = (Vec::new(), Vec::new());
    for one in unmatched {
        let Unmatched {
            filter, pattern, ..
        } = one;
        what.push(format!("--{filter}: nothing matches `{pattern}`"));
        near.extend_from_slice(&one.suggestions);
    }
    if what.is_empty() {
        return Ok(());
    }
    bail!(Usage(what.join("; ") + &names::hint(&near)))
}

/// Returns the cost that was asked for. If inclusive costs are not known, returns self cost and
/// prints a message.
pub(super) fn known(asked: Cost, profiles: &[&Profile]) -> Cost {
    let unknown = profiles.iter().find(|profile| !profile.has_inclusive());
    let Some(profile) = unknown.filter(|_| asked == Cost::Inclusive) else {
        return asked;
    };
    let which = if profile.arcs.is_empty() {
        "the profile"
    } else {
        "a part of the profile"
    };
    say(format!(
        "{which} has no calls, so inclusive costs are not known; these are self costs"
    ));
    Cost::Own
}

/// If filters leave an empty list, prints why.
pub(super) fn empty(selection: &Selection, rows: usize) {
    if rows > 0 || !names_any(&selection.narrow) {
        return;
    }
    say(match (selection.narrow.min, selection.everything) {
        (None, true) => none_left(&selection.narrow),
        (None, false) => "nothing that passes the filters is within --threshold",
        (Some(_), true) => "nothing that passes the filters reaches the percentage of --min",
        (Some(_), false) => {
            "nothing that passes the filters is within --threshold and reaches the percentage of --min"
        }
    });
}

/// If filters leave no function to write, prints why.
pub(super) fn nothing_left(narrow: &Narrow, functions: usize) {
    if functions == 0 && names_any(narrow) {
        say(none_left(narrow));
    }
}

/// Explains why filters that each match something together leave nothing.
fn none_left(narrow: &Narrow) -> &'static str {
    let patterns = [&narrow.function, &narrow.file, &narrow.object]
        .map(|pattern| pattern.only.len() + pattern.not.len());
    match (patterns.iter().sum::<usize>(), narrow.file.only.len()) {
        (1, 1) => {
            "no function is defined in a matching file\nhint: --by=line lists the code from it that was inlined"
        }
        (1, _) => "nothing passes the filter",
        _ => "each filter matches something, but nothing passes all of them",
    }
}

/// Whether there are filters, and `-n` does not exclude all rows.
fn names_any(narrow: &Narrow) -> bool {
    !Narrow {
        rows: None,
        ..narrow.clone()
    }
    .is_nothing()
}

/// If nothing that passes the filters changed, prints that.
pub(super) fn unchanged(narrow: &Narrow, changed: usize) {
    if changed == 0 && names_any(narrow) {
        say("nothing that passes the filters changed");
    }
}

/// Warns if rows are classes but no name has a class.
pub(super) fn classes(groups: &Groups<'_>) {
    let all = groups.frame.rest.as_ref().is_none_or(|rest| rest.rows == 0);
    if groups.by == GroupBy::Class && all && groups.rows.iter().all(|group| group.name.is_empty()) {
        say(
            "--by=class: no function name begins with a class or module\nhint: try --by=file or --by=object",
        );
    }
}
