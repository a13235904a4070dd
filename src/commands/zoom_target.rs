//! Finds what `--zoom` names: a function, a routine of an aprof report, or the places of an inlined
//! function. Prints to standard error what else matches.

use super::{Usage, console::say};
use crate::{
    analysis::{
        self, Label, Narrow, Selection, Session,
        levels::LevelFinder,
        meant::{Meant, Preference, matching, meant},
        suggestions,
    },
    cli::InputArgs,
    profile::{FunctionId, Profile},
    request::annotate::zoom_pattern,
    text::names,
    view::inlined::InlinedPlaces,
};
use anyhow::{Result, bail};

/// Returns where the function of `--zoom` is inlined, if no function that was called matches.
pub(super) fn inlined<'a>(
    pattern: &str,
    session: &'a Session,
    selection: &Selection,
) -> Result<Option<InlinedPlaces<'a>>> {
    let profile = session.profile();
    let regex = zoom_pattern(pattern).or_else(|_| zoom_pattern(&regex::escape(pattern)))?;
    let is_meant = |name: &[u8]| regex.is_match(name) || name == pattern.as_bytes();
    if profile
        .function_ids()
        .any(|id| is_meant(&profile.function_name(id).text()))
    {
        return Ok(None);
    }
    Ok(
        InlinedPlaces::new(session, selection, |name| name == pattern.as_bytes())
            .or_else(|| InlinedPlaces::new(session, selection, |name| regex.is_match(name))),
    )
}

/// Returns the function of `--zoom`, and prints what else matches.
pub(super) fn function(
    (option, pattern): (&str, &str),
    reading: &InputArgs,
    session: &Session,
    selection: &Selection,
) -> Result<FunctionId> {
    let profile = session.profile();
    let regex = match zoom_pattern(pattern) {
        // A whole name need not be a valid pattern: `App\cart`.
        Err(_)
            if profile.function_ids().any(|id| {
                profile
                    .names
                    .is(profile.function(id).name, pattern.as_bytes())
            }) =>
        {
            zoom_pattern(&regex::escape(pattern))?
        }
        regex => regex?,
    };
    let typed = (pattern.as_bytes(), &regex);
    let Some(Meant {
        id,
        because,
        others,
    }) = meant(profile, selection, session.inclusive(), typed)
    else {
        let alone = Narrow {
            function: analysis::Pattern {
                only: vec![regex.clone()],
                not: Vec::new(),
            },
            ..Narrow::default()
        };
        if !matching(profile, selection, session.inclusive(), &alone).is_empty() {
            bail!(Usage(format!(
                "{option}: another filter excludes what matches `{pattern}`"
            )));
        }
        let names = profile
            .function_ids()
            .map(|id| profile.function_name(id).bytes());
        let near = suggestions::similar(&regex, names);
        bail!(Usage(format!(
            "{option}: no function matches `{pattern}`{}",
            names::hint(&near)
        )));
    };
    // The recursion levels of a function count as one function.
    let levels = LevelFinder::new(profile, [id]);
    let others: Vec<FunctionId> = others
        .into_iter()
        .filter(|&other| levels.level_of(other).is_none())
        .collect();
    say_others(option, (profile, id), &others, because);
    if !reading.fold_recursion
        && let Some((this, other)) = levels.first()
    {
        let [this, other] = [this, other].map(|id| shown(profile, id));
        say(format!(
            "{option}: {other} is another recursion level of {this}\nhint: --fold-recursion joins them"
        ));
    }
    Ok(id)
}

fn shown(profile: &Profile, id: FunctionId) -> String {
    names::in_a_sentence(Label::new(profile, id).name.bytes())
}

/// Prints which functions besides the one that is shown match.
fn say_others(
    option: &str,
    (profile, id): (&Profile, FunctionId),
    others: &[FunctionId],
    because: Preference,
) {
    let Some(&first) = others.first() else { return };
    let (this, other) = (Label::new(profile, id), Label::new(profile, first));
    let place = match (this.name == other.name, this.file == other.file) {
        (false, _) => None,
        (true, false) => Some(other.file),
        (true, true) => other.object,
    };
    let short = |place: &[u8]| names::in_a_sentence(place);
    let place = place
        .map(|place| format!(" of {}", short(place)))
        .unwrap_or_default();
    let next = shown(profile, first);
    let shown = match because {
        Preference::Name => "the one with exactly that name is",
        Preference::Code => "the one with source and code is",
        Preference::Cost => "the most expensive is",
    };
    say(match others.len() {
        1 => format!("{option}: {next}{place} matches, too; {shown} shown"),
        count => {
            format!("{option}: {count} more functions match, such as {next}{place}; {shown} shown")
        }
    });
}

/// Returns the routine of an aprof report that `--zoom` names. Of several, this is the most
/// expensive.
pub(super) fn routine(name: &str, profile: &Profile) -> Result<FunctionId> {
    let found = analysis::routines::named(profile, name.as_bytes());
    let Some((&id, others)) = found.split_first() else {
        let name_of = |id: FunctionId| profile.name_of(id);
        let regex = zoom_pattern(name).ok();
        let near = regex.map_or_else(Vec::new, |regex| {
            suggestions::similar(&regex, profile.function_ids().map(name_of))
        });
        bail!(Usage(format!(
            "--zoom: no routine is called `{name}`{}",
            names::hint(&near)
        )));
    };
    say_others("--zoom", (profile, id), others, Preference::Cost);
    Ok(id)
}
