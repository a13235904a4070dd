//! What is said about own code beside a report.

use super::Usage;
use super::console::say;
use crate::analysis::narrow::Pattern;
use crate::analysis::own_profile::{Between, Outside};
use crate::analysis::suggestions::{self, Filter};
use crate::analysis::{Folds, Narrow, Set};
use crate::profile::{Event, Profile};
use crate::text::names;
use anyhow::Result;

/// Profiles with their foreign code charged to its callers, as far as that is asked for, and what is known of that.
pub(super) type Folded<const N: usize> = [(Profile, Option<Folds>); N];

/// Charges the foreign code of the sides of a comparison, or of one profile, to its callers. Refuses sets by which nothing is
/// own, and says what is worth a word; of one share of a profile, which need not have all that is asked for, less.
pub(super) fn fold<const N: usize>(
    profiles: [Profile; N],
    set: Option<&Set>,
    (between, is_share): (Between, bool),
    strip: impl Fn(&Profile) -> Vec<u8>,
    event: impl Fn(&Profile) -> Result<Option<Event>>,
) -> Result<Folded<N>> {
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

/// Refuses what nobody can be charged for, and says which patterns were mistyped.
///
/// # Errors
/// It is a report of aprof's.
pub(super) fn begin(set: &Set, profiles: &[&Profile], is_share: bool) -> Result<(), Usage> {
    if profiles.iter().any(|profile| profile.sizes.is_some()) {
        return Err(Usage(
            "aprof's reports do not say whose cost it is: --own and --fold need calls".into(),
        ));
    }
    if !is_share {
        mistyped(set, profiles);
    }
    Ok(())
}

/// Says which patterns match nothing in any of the runs: they were mistyped. One can be of functions, files or objects.
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
        let of_runs: Vec<_> = runs
            .iter()
            .map(|run| suggestions::unmatched(*run, &narrow))
            .collect();
        let is_nowhere = |pattern: &str, kind| {
            of_runs.iter().all(|unmatched| {
                let mut all = unmatched.iter();
                all.any(|one| (one.filter, &one.pattern[..]) == (kind, pattern))
            })
        };
        let names = of_runs[0]
            .iter()
            .filter(|one| one.filter == Filter::Function);
        for one in names {
            let kinds = [Filter::Function, Filter::File, Filter::Object];
            if kinds.into_iter().all(|kind| is_nowhere(&one.pattern, kind)) {
                say(&format!(
                    "{option}: nothing matches `{}`{}",
                    one.pattern,
                    names::hint(&one.suggestions)
                ));
            }
        }
    }
}

/// Rejects patterns of own code by which there is none at all, given how many functions are own: a report in which all is somebody
/// else's would look like an answer.
pub(super) fn refuse_nothing(set: &Set, functions: usize) -> Result<(), Usage> {
    match set.own.as_deref() {
        Some([_, ..]) if functions == 0 => Err(Usage(
            "--own-code: no function is own code by it; what belongs to the system and to toolchains never is".into(),
        )),
        _ => Ok(()),
    }
}

/// What is worth a word: that much is not under own code, that there is none, that some of it is an estimate.
fn remarks(folds: &Folds, profile: &Profile, event: Option<Event>) {
    if folds.count == 0 {
        say("no function is own code; --own-code says what is");
    } else if let Some(outside) = event.and_then(|event| folds.outside(profile, event)) {
        say(&where_it_begins(&outside));
    }
    let of = match folds.estimates() {
        0 => return,
        1 => "1 function is".to_owned(),
        many => format!("{many} functions is"),
    };
    say(&format!(
        "the own cost of {of} an estimate: what foreign code cost that several own functions reach is divided"
    ));
}

/// How many functions are named in which cost begins.
const NAMED: usize = 3;

/// `46 % is not under own code; most of it begins in _dl_start (ld-linux-x86-64.so.2)`
fn where_it_begins(outside: &Outside<'_>) -> String {
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
    let said = format!("{:.0} % is not under own code", outside.share);
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
