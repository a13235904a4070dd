//! Attributes library code to its callers, and prints notes about it.

use super::{Usage, advice::Unseen, console::say};
use crate::{
    analysis::{
        Folds, Narrow, Pattern, Set,
        own_profile::{Between, OutsideCost},
    },
    cli::Form,
    fs::size,
    profile::{Event, Profile},
    text::{how_many, names},
};
use anyhow::Result;
use std::path::Path;

/// More bytes of instructions are not read unless that is asked for: with them, reading takes five
/// times as long.
const MOST_WITH_CODE: u64 = 16 << 20;

/// Whether reading the instructions of these files is fast enough to do it without being asked.
pub(super) fn is_small(files: &[impl AsRef<Path>]) -> bool {
    size(files).is_some_and(|bytes| bytes <= MOST_WITH_CODE)
}

/// Whether people see your inlined functions like others without asking for them. Programs get the
/// same on each machine, whether it has the binary or not.
pub(super) fn implies_inlined(
    set: Option<&Set>,
    (form, is_terminal): (Form, bool),
    files: &[impl AsRef<Path>],
) -> bool {
    (form == Form::Page || form == Form::Text && is_terminal)
        && set.is_some_and(|set| set.own.is_some())
        && is_small(files)
}

/// Attributes library code to its callers, in one profile or both sides of a comparison. Rejects
/// patterns that define no code, and prints notes. With `--split`, each profile need not match all
/// patterns, so nothing is rejected then. Without a set, nothing is attributed.
pub(super) fn fold<const N: usize>(
    profiles: [Profile; N],
    set: Option<&Set>,
    (between, is_share): (Between, bool),
    strip: impl Fn(&Profile) -> Vec<u8>,
    event: impl Fn(&Profile) -> Result<Option<Event>>,
) -> Result<[(Profile, Option<Folds>); N]> {
    let Some(set) = set else {
        return Ok(profiles.map(|profile| (profile, None)));
    };
    begin(set, &profiles.each_ref(), is_share)?;
    let folded = profiles.map(|profile| {
        let strip = strip(&profile);
        Folds::new(profile, set, between, &strip)
    });
    if !is_share {
        refuse_nothing(set, folded.iter().map(|(_, folds)| folds.count).sum())?;
    }
    for (profile, folds) in &folded {
        remarks(folds, profile, event(profile)?);
    }
    Ok(folded.map(|(profile, folds)| (profile, Some(folds))))
}

/// Rejects profiles without calls, and reports patterns that match nothing.
///
/// # Errors
/// If a profile is aprof's.
pub(super) fn begin(set: &Set, profiles: &[&Profile], is_share: bool) -> Result<(), Usage> {
    if profiles.iter().any(|profile| profile.sizes.is_some()) {
        return Err(Usage(
            "aprof's reports have no calls between functions, which --own and --fold need".into(),
        ));
    }
    if !is_share {
        mistyped(set, profiles);
    }
    Ok(())
}

/// Reports patterns that match nothing in any run: they were mistyped. A pattern can match
/// functions, files or objects.
pub(super) fn mistyped(set: &Set, runs: &[&Profile]) {
    let own = set.own.as_deref().unwrap_or_default();
    for (option, patterns) in [("--fold", &set.fold[..]), ("--own-code", own)] {
        let only = Pattern {
            only: patterns.to_vec(),
            not: Vec::new(),
        };
        let narrow = Narrow {
            function: only.clone(),
            file: only.clone(),
            object: only,
            ..Narrow::default()
        };
        let mut unseen = Unseen::default();
        runs.iter().for_each(|run| unseen.see(run, &narrow));
        let unmatched = unseen.0.unwrap_or_default();
        for one in unmatched.iter().filter(|one| one.filter == "function") {
            let same = unmatched
                .iter()
                .filter(|other| other.pattern == one.pattern);
            if ["file", "object"]
                .into_iter()
                .all(|kind| same.clone().any(|other| other.filter == kind))
            {
                say(format!(
                    "{option}: nothing matches `{}`{}",
                    one.pattern,
                    names::hint(&one.suggestions)
                ));
            }
        }
    }
}

/// Rejects `--own-code` if no function is yours by it: a report without any would look like an
/// answer. `functions` is their number.
pub(super) fn refuse_nothing(set: &Set, functions: usize) -> Result<(), Usage> {
    match set.own.as_deref() {
        Some([_, ..]) if functions == 0 => Err(Usage(
            "--own-code: nothing that matches is your code: code of the system and of toolchains never is".into(),
        )),
        _ => Ok(()),
    }
}

/// Prints notes: no code is yours, much cost is not under your code, or some costs are estimates.
fn remarks(folds: &Folds, profile: &Profile, event: Option<Event>) {
    if folds.count == 0 {
        say("no function is your code\nhint: --own-code says which functions are");
    } else if let Some(outside) = event.and_then(|event| folds.outside(profile, event)) {
        say(where_it_begins(&outside));
    }
    let estimates = folds.estimates();
    if estimates > 0 {
        let of = how_many(estimates, "function");
        say(format!(
            "the own cost of {of} is an estimate: the cost of library code that several of your functions call is divided among them"
        ));
    }
}

/// The most functions to name in which such cost begins.
const NAMED: usize = 3;

/// `46 % is not under your code; most of it begins in _dl_start (ld-linux-x86-64.so.2)`
fn where_it_begins(outside: &OutsideCost<'_>) -> String {
    let named = outside
        .begins
        .iter()
        .take(NAMED)
        .map(|begins| match begins.object {
            b"" => names::in_a_sentence(begins.name),
            object => format!(
                "{} ({})",
                names::in_a_sentence(begins.name),
                names::base(&String::from_utf8_lossy(object))
            ),
        });
    let mut named: Vec<String> = named.collect();
    let said = format!("{:.0} % is not under your code", outside.share);
    match &outside.begins[..] {
        [] => said,
        [first, ..] if first.share * 2.0 > outside.share => {
            format!("{said}; most of it begins in {}", named[0])
        }
        begins => {
            for (name, begins) in named.iter_mut().zip(begins) {
                *name = format!("{:.0} % begins in {name}", begins.share);
            }
            format!("{said}: {}", named.join(", "))
        }
    }
}
