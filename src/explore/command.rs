//! The command that prints what a screen shows, so that users of the explorer learn the command
//! line.

use super::{
    Data, Lenses,
    model::ChangeDisplay,
    place::{Place, Screen, Sort, Within},
    search,
};
use crate::{
    profile::{FunctionId, joined},
    text::{escape, shell::Word},
};
use regex::bytes::Regex;
use std::borrow::Cow;

/// A pattern that matches exactly this text.
fn whole(text: &[u8]) -> String {
    format!("^{}$", escape::literal(text))
}

/// The options that select this function, and distinguish it from others with the same name.
fn function(data: &Data, id: FunctionId, is_compared: bool) -> Vec<String> {
    let profile = data.profile();
    let (this, name) = (profile.function(id), profile.name_of(id));
    let same = || data.namesakes(this.name).map(|id| profile.function(id));
    let mut options = vec![match is_compared {
        true => format!("--function={}", whole(name)),
        false => format!("--zoom={}", escape::typed(name)),
    }];
    if same().any(|other| other.file != this.file) {
        let file = whole(data.shown(profile.name(this.file)));
        options.push(format!("--file={file}"));
    }
    if same().any(|other| other.file == this.file && other.object != this.object) {
        options.push(format!("--object={}", whole(profile.name(this.object))));
    }
    options
}

/// The option that selects the functions of an object, a file or a class.
fn group(data: &Data, within: &Within) -> Option<String> {
    let Within::Group(by, name) = within else {
        return None;
    };
    let [noun, _] = by.nouns();
    if by.is_path() {
        let path = whole(data.shown_group(*by, name));
        return Some(format!("--{noun}={path}"));
    }
    // The functions of a class and of those nested in it.
    let class = escape::literal(name);
    (!name.is_empty()).then(|| format!("--function=(^|[ <]){class}( as .*>|>)?(::|->)"))
}

/// Why no command can print a screen.
type Lacking = Cow<'static, str>;

/// The command for a place, or the reason why there is none.
pub(super) fn command(
    lenses: &Lenses,
    event: usize,
    changes: ChangeDisplay,
    place: &Place,
) -> Result<String, Lacking> {
    let data = lenses.data(place.lens);
    let is_compared = match (&place.screen, data.before()) {
        (Screen::Gone(_), None) => {
            return Err("no older run is open; `explore OLD NEW` compares two".into());
        }
        (Screen::Gone(_), Some(_)) => true,
        (Screen::Functions(_) | Screen::Groups(_) | Screen::Source(_), Some(_)) => {
            changes == ChangeDisplay::Shown
        }
        _ => false,
    };
    if lenses.again.inputs.is_empty() || is_compared && lenses.older.is_empty() {
        return Err("no command can read these inputs again".into());
    }
    let is_of_both = || data.before().is_some_and(|before| before.compares(event));
    if is_compared && !is_of_both() {
        return Err("the older run does not count this event".into());
    }
    let mut options = of_screen(lenses, place, is_compared)?;
    // Without this option, `diff` takes the first event that changed.
    if let Some(option) = names_event(&place.screen).filter(|_| event != 0 || is_compared) {
        let name = data.profile().events.name(data.events[event]);
        options.push(format!("{option}={}", String::from_utf8_lossy(name)));
    }
    let is_read = |option: &&String| {
        !matches!(place.screen, Screen::Stacks(..))
            || !["-I", "--map", "--sources"]
                .iter()
                .any(|of| option.starts_with(of))
    };
    options.extend(lenses.again.options.iter().filter(is_read).cloned());
    if !matches!(place.screen, Screen::Instructions(_)) {
        options.extend(lenses.options(place.lens));
    }
    let before = ["cgannotate"]
        .into_iter()
        .chain(is_compared.then_some("diff"))
        .map(str::to_owned);
    let mut words: Vec<Word> = before.chain(options).map(Word::Literal).collect();
    if is_compared {
        words.extend_from_slice(&lenses.older);
        words.push(Word::Literal("--".into()));
    }
    words.extend_from_slice(&lenses.again.inputs);
    Ok(joined(words.iter().map(Word::text), " "))
}

/// The option that selects an event for this screen; `None` if the screen shows no costs.
fn names_event(screen: &Screen) -> Option<&'static str> {
    match screen {
        Screen::Warnings => None,
        Screen::Stacks(..) => Some("--show"),
        _ => Some("--sort"),
    }
}

/// The options that print what a screen shows.
fn of_screen(lenses: &Lenses, place: &Place, is_compared: bool) -> Result<Vec<String>, Lacking> {
    let data = lenses.data(place.lens);
    let filter = (!place.filter.is_empty()).then(|| search::pattern(&place.filter));
    const ALL: &str = "--threshold=100";
    let fixed = |options: &[&str]| options.iter().map(ToString::to_string).collect::<Vec<_>>();
    let listed = |options| fixed(if is_compared { &[] } else { options });
    let mut options = match &place.screen {
        Screen::Functions(Within::Group(by, _)) | Screen::Gone(Within::Group(by, _))
            if filter.is_some() && !by.is_path() =>
        {
            let [noun, _] = by.nouns();
            return Err(format!("no command filters the functions of a {noun}").into());
        }
        Screen::Groups(by) if filter.is_some() && !by.is_path() => {
            let [_, nouns] = by.nouns();
            return Err(format!("no command filters {nouns}").into());
        }
        Screen::Functions(within) | Screen::Gone(within) => {
            let mut options = listed(&["--auto=no", ALL]);
            if place.sort == Sort::Inclusive {
                options.push("--inclusive=yes".into());
            }
            options.extend(functions(data, within, &place.filter));
            options
        }
        Screen::Groups(by) => {
            let [by, _] = by.nouns();
            let mut options = vec![format!("--by={by}")];
            options.extend(listed(&[ALL]));
            options.extend(filter.map(|pattern| format!("--{by}={pattern}")));
            options
        }
        &Screen::Calls(id) => [fixed(&["--auto=no"]), function(data, id, false)].concat(),
        &Screen::Source(id) => [fixed(&["--auto=yes"]), function(data, id, is_compared)].concat(),
        &Screen::Instructions(id) => {
            let mut options = function(data, id, false);
            // Without recorded instructions, the option would be an error.
            if data.profile().has_addresses() {
                options.push("--asm".into());
                options.extend_from_slice(&lenses.again_of_code);
            }
            options
        }
        Screen::Cycles => fixed(&["--auto=no", "--inclusive=yes", ALL]),
        Screen::Stacks(None, _) => fixed(&["convert", "--to=folded"]),
        Screen::Stacks(..) => return Err("no command prints the stacks around a function".into()),
        Screen::Parts(by) => vec![format!("--split={}", by.name()), "--auto=no".into()],
        Screen::Warnings => fixed(&["--events"]),
    };
    if is_compared {
        options.push(ALL.into());
    }
    Ok(options)
}

/// The options that select the functions of a list.
fn functions(data: &Data, within: &Within, filter: &str) -> Vec<String> {
    let members: &[FunctionId] = match within {
        Within::Cycle(number) => {
            let cycle = data
                .session
                .inclusive_so_far()
                .and_then(|inclusive| inclusive.cycles.get(*number));
            cycle.map_or(&[], |cycle| &cycle.members)
        }
        Within::Marked(ids) => ids,
        Within::All | Within::Group(..) => &[],
    };
    // A function needs to match only one of several patterns.
    let chosen = Regex::new(&search::pattern(filter)).ok();
    let is_chosen = |name: &&[u8]| chosen.as_ref().is_none_or(|chosen| chosen.is_match(name));
    let name = |&id: &FunctionId| data.profile().name_of(id);
    let mut options: Vec<String> = members
        .iter()
        .map(name)
        .filter(is_chosen)
        .map(|name| format!("--function={}", whole(name)))
        .collect();
    if options.is_empty() && !filter.is_empty() {
        options.push(format!("--function={}", search::pattern(filter)));
    }
    options.extend(group(data, within));
    options
}
