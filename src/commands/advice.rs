//! Advice when a report may not be what was asked for: filters that match nothing, names that are no profile but nearly
//! a command, recursion levels listed separately.

use super::console::Console;
use super::{Usage, help};
use crate::analysis::difference::Cost;
use crate::analysis::doubts::{self, Doubt};
use crate::analysis::meant::{Meant, Preference, matching, meant};
use crate::analysis::suggestions::{self, Filter, Known, Unmatched, nearest};
use crate::analysis::{self, Label, Narrow, Selection, Session};
use crate::input::Recursion;
use crate::profile::callers::without_level;
use crate::profile::{FunctionId, NameId, Profile};
use crate::request::annotate::{Annotated, AskedPage, Request, zoom_pattern};
use crate::text::names;
use crate::view::Surface;
use crate::view::figures::{Figures, PercentColumns};
use crate::view::inlined::InlinedPlaces;
use crate::view::{GroupBy, Groups};
use anyhow::{Result, bail};
use std::borrow::Cow;
use std::io::{self, IsTerminal};

/// A first argument that is no file may be a command that was spelt wrong.
pub(super) fn command(request: &Request) -> Result<()> {
    let Some(path) = request.files.first().filter(|path| path.as_os_str() != "-" && !path.exists()) else {
        return Ok(());
    };
    let name = &*path.to_string_lossy();
    let commands = help::commands();
    match nearest(name, commands.iter().map(String::as_str)) {
        _ if name == "help" => bail!("help: there is no such file; `cgannotate --help` explains all"),
        Some(near) if near == name => bail!("{name}: there is no such file; a command stands before all options"),
        Some(near) => bail!("{name}: there is no such file (do you mean the command `cgannotate {near}`?)"),
        None => Ok(()),
    }
}

/// Prints why a profile may show little, of a report in which these sources are annotated.
pub(super) fn doubts(
    profile: &Profile,
    selection: &Selection,
    request: &Request,
    annotated: Annotated,
    console: &Console,
) {
    let doubts = doubts::doubts(profile, selection);
    let texts = doubts.iter().filter(|doubt| matters(doubt, request, annotated)).map(Doubt::to_string);
    texts.for_each(|text| console.say(&text));
}

/// Whether a doubt is printed for this report. That there is no cost explains a script's empty report; the others are
/// for people, and missing files do not matter to a report without sources. Nothing is said twice.
fn matters(doubt: &Doubt, request: &Request, annotated: Annotated) -> bool {
    if doubt.path().is_some_and(|path| request.told.iter().any(|told| told == path)) {
        return false;
    }
    match doubt {
        // A share without costs is one of several.
        Doubt::Nothing => request.split.is_none(),
        Doubt::Stripped(..) => io::stderr().is_terminal(),
        // The page of a function says it itself.
        Doubt::Recursion(..) => {
            let is_first = matches!(request.page, AskedPage::Unsaid(_));
            io::stderr().is_terminal() && (is_first || request.page.functions().cost == Cost::Inclusive)
        }
        Doubt::NoDebugInformation(..) => io::stderr().is_terminal() && annotated == Annotated::Listed,
    }
}

/// Drops shares, and events that were not asked for, whose columns would leave no space for names on a screen. Returns
/// which counts keep their shares, and the remark to print at the end.
pub(super) fn columns(
    profile: &Profile,
    selection: &mut Selection,
    request: &Request,
    surface: Surface,
) -> (PercentColumns, Option<String>) {
    let events = &profile.events;
    let wanted = if request.columns.percentages.are_shown() { PercentColumns::All } else { PercentColumns::Hidden };
    let Some(screen) = surface.width else { return (wanted, None) };
    let all = selection.show.clone();
    let least = if request.columns.show.is_empty() { 1 } else { all.len() };
    let fitting = Figures::beside_names(profile, &all, least, wanted, screen);
    selection.show.truncate(fitting.columns);
    let names: Vec<String> = all.iter().map(|&e| String::from_utf8_lossy(events.name(e)).into_owned()).collect();
    (fitting.shares, fitting.missing(&names, wanted))
}

/// Rejects filters that match nothing: they were mistyped.
pub(super) fn filters<'a>(known: impl Into<Known<'a>>, narrow: &Narrow) -> Result<()> {
    refused(&suggestions::unmatched(known, narrow))
}

/// Rejects filters that match nothing in either of two runs.
pub(super) fn filters_of_either(runs: [&Profile; 2], narrow: &Narrow) -> Result<()> {
    let [old, mut new] = runs.map(|run| suggestions::unmatched(run, narrow));
    new.retain(|new| old.iter().any(|old| (old.filter, &old.pattern) == (new.filter, &new.pattern)));
    refused(&new)
}

fn refused(unmatched: &[Unmatched]) -> Result<()> {
    let texts = unmatched.iter().map(|Unmatched { filter, pattern, suggestions }| {
        format!("{}: nothing matches `{pattern}`{}", option(*filter), names::hint(suggestions))
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { Ok(()) } else { bail!(Usage(texts.join("; "))) }
}

/// If a filtered list is empty, says why.
pub(super) fn empty(selection: &Selection, rows: usize, console: &Console) {
    if rows > 0 || !names_any(&selection.narrow) {
        return;
    }
    console.say(match (selection.narrow.min, selection.everything) {
        (None, true) => NONE_TOGETHER,
        (None, false) => "nothing that the filters leave is within --threshold",
        (Some(_), true) => "nothing that the filters leave has the share that --min asks for",
        (Some(_), false) => {
            "nothing that the filters leave is within --threshold and has the share that --min asks for"
        }
    });
}

/// If filters leave no function of a profile that is written, says so.
pub(super) fn nothing_left(narrow: &Narrow, functions: usize, console: &Console) {
    if functions == 0 && names_any(narrow) {
        console.say(NONE_TOGETHER);
    }
}

const NONE_TOGETHER: &str = "each filter matches something, but together they leave nothing";

/// Whether there are filters by which rows could be there.
fn names_any(narrow: &Narrow) -> bool {
    !narrow.is_nothing() && narrow.rows != Some(0)
}

/// If nothing changed of what the filters leave of a comparison, says so.
pub(super) fn unchanged(narrow: &Narrow, changed: usize, console: &Console) {
    let names_nothing = Narrow { rows: None, ..narrow.clone() }.is_nothing();
    if changed == 0 && !names_nothing {
        console.say("nothing that the filters leave changed");
    }
}

/// What a filter is called where it is typed.
fn option(filter: Filter) -> &'static str {
    match filter {
        Filter::Function => "--function",
        Filter::NotFunction => "--not-function",
        Filter::File => "--file",
        Filter::NotFile => "--not-file",
        Filter::Object => "--object",
        Filter::NotObject => "--not-object",
    }
}

/// Warns of a list by class if no name has a class.
pub(super) fn classes(groups: &Groups<'_>, console: &Console) {
    let all = groups.rest.as_ref().is_none_or(|rest| rest.rows == 0);
    if groups.by == GroupBy::Class && all && groups.rows.iter().all(|group| group.name.is_empty()) {
        console
            .say("--by=class: no function's name begins with a class or module; --by=file and --by=object tell more");
    }
}

/// Where the function that `--zoom` means is inlined, if no function that was called matches.
pub(super) fn inlined_only<'a>(
    pattern: &str,
    session: &'a Session,
    selection: &Selection,
) -> Result<Option<InlinedPlaces<'a>>> {
    let profile = session.profile();
    let regex = zoom_pattern(pattern).or_else(|_| zoom_pattern(&regex::escape(pattern)))?;
    let is_meant = |name: &[u8]| regex.is_match(name) || name == pattern.as_bytes();
    if profile.function_ids().any(|id| is_meant(&profile.function_name(id).text())) {
        return Ok(None);
    }
    Ok(InlinedPlaces::new(session, selection, |name| name == pattern.as_bytes())
        .or_else(|| InlinedPlaces::new(session, selection, |name| regex.is_match(name))))
}

/// The function that `--zoom` means, with a word on what else it could.
pub(super) fn zoomed(
    pattern: &str,
    recursion: Recursion,
    session: &Session,
    selection: &Selection,
    console: &Console,
) -> Result<FunctionId> {
    let profile = session.profile();
    let regex = match zoom_pattern(pattern) {
        // A whole name need not be a pattern as well: `App\cart`.
        Err(_) if profile.function_ids().any(|id| profile.names.is(profile.function(id).name, pattern.as_bytes())) => {
            zoom_pattern(&regex::escape(pattern))?
        }
        regex => regex?,
    };
    let mut narrow = selection.narrow.clone();
    narrow.function.only = vec![regex.clone()];
    let Some(Meant { id, because, others }) =
        meant(profile, selection, session.inclusive(), pattern.as_bytes(), &narrow)
    else {
        let alone =
            Narrow { function: analysis::Pattern { only: vec![regex.clone()], not: Vec::new() }, ..Narrow::default() };
        if !matching(profile, selection, session.inclusive(), &alone).is_empty() {
            bail!(Usage(format!("--zoom: what matches `{pattern}` is left out by another filter")));
        }
        let names = profile.function_ids().map(|id| profile.function_name(id).bytes());
        let near = suggestions::similar(&regex, names);
        bail!(Usage(format!("--zoom: no function matches `{pattern}`{}", names::hint(&near))));
    };
    // Levels of one recursion are one function to whoever asks.
    let whole = |id: FunctionId| {
        let name = profile.function_name(id).text();
        without_level(&name).map_or(name, Cow::Owned)
    };
    let (this, name) = (profile.function(id), whole(id));
    let first = |name: NameId| profile.names.beginning(name).split(|&b| b == b'\'').next();
    let is_level = |&other: &FunctionId| {
        let function = profile.function(other);
        // Levels are behind quotes, and most names begin otherwise.
        let may_be = other != id
            && (function.object, function.file) == (this.object, this.file)
            && first(function.name) == first(this.name);
        may_be && whole(other) == name
    };
    let others: Vec<FunctionId> = others.into_iter().filter(|other| !is_level(other)).collect();
    other_matches(profile, id, &others, because, console);
    if recursion == Recursion::Levels
        && let Some(other) = profile.function_ids().find(is_level)
    {
        let (this, other) = (shown(profile, id), shown(profile, other));
        console.say(&format!("--zoom: {other} is another recursion level of {this}; --fold-recursion joins them"));
    }
    Ok(id)
}

fn shown(profile: &Profile, id: FunctionId) -> String {
    names::in_a_sentence(Label::of(profile, id).name.bytes())
}

/// What else `--zoom` could have meant than the function that is shown.
fn other_matches(profile: &Profile, id: FunctionId, others: &[FunctionId], because: Preference, console: &Console) {
    let Some(&first) = others.first() else { return };
    let (this, other) = (Label::of(profile, id), Label::of(profile, first));
    let place = match (this.name == other.name, this.file == other.file) {
        (false, _) => None,
        (true, false) => Some(other.file),
        (true, true) => other.object,
    };
    let short = |place: &[u8]| names::in_a_sentence(place);
    let place = place.map(|place| format!(" of {}", short(place))).unwrap_or_default();
    let next = shown(profile, first);
    let shown = match because {
        Preference::Name => "the one of that name is",
        Preference::Code => "the one with source and code is",
        Preference::Cost => "the dearest is",
    };
    match others.len() {
        1 => console.say(&format!("--zoom: {next}{place} matches, too; {shown} shown")),
        count => console.say(&format!("--zoom: {count} more functions match, such as {next}{place}; {shown} shown")),
    }
}

/// The routine of an aprof report that `--zoom` means, of several the dearest.
pub(super) fn zoomed_routine(name: &str, profile: &Profile, console: &Console) -> Result<FunctionId> {
    let found = analysis::routines::named(profile, name.as_bytes());
    let Some((&id, others)) = found.split_first() else {
        let name_of = |id: FunctionId| profile.name(profile.function(id).name);
        let regex = zoom_pattern(name).ok();
        let near =
            regex.map_or_else(Vec::new, |regex| suggestions::similar(&regex, profile.function_ids().map(name_of)));
        bail!(Usage(format!("--zoom: there is no routine `{name}`{}", names::hint(&near))));
    };
    other_matches(profile, id, others, Preference::Cost, console);
    Ok(id)
}
