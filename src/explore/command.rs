//! The command that prints what a screen shows: the explorer teaches the command line.

use super::data::{Data, Lenses};
use super::model::Changes;
use super::place::{Place, Screen, Sort, Within};
use super::search;
use crate::analysis::GroupBy;
use crate::profile::FunctionId;
use crate::text::escape;
use crate::text::shell::Word;
use regex::bytes::Regex;

/// A pattern that a text matches and nothing else does.
fn whole(text: &[u8]) -> String {
    format!("^{}$", escape::literal(text))
}

/// The options that mean this function.
fn zoom(data: &Data, id: FunctionId) -> Vec<String> {
    let profile = data.profile();
    let name = format!("--zoom={}", escape::typed(profile.name(profile.function(id).name)));
    std::iter::once(name).chain(places(data, id)).collect()
}

/// The options that mean none of the others that have a function's name.
fn places(data: &Data, id: FunctionId) -> Vec<String> {
    let profile = data.profile();
    let this = profile.function(id);
    let same = || data.namesakes(this.name).map(|id| profile.function(id));
    let mut options = Vec::new();
    if same().any(|other| other.file != this.file) {
        options.push(format!("--file={}", whole(data.shown(profile.name(this.file)))));
    }
    if same().any(|other| other.file == this.file && other.object != this.object) {
        options.push(format!("--object={}", whole(profile.name(this.object))));
    }
    options
}

/// Functions of a class, or of one within it.
fn of_class(class: &[u8]) -> String {
    format!("(^|[ <]){}( as .*>|>)?(::|->)", escape::literal(class))
}

/// The option that means the functions of an object, of a file or of a class.
fn group(data: &Data, within: &Within) -> Option<String> {
    Some(match within.group()? {
        (GroupBy::File, name) => format!("--file={}", whole(data.shown(name))),
        (GroupBy::Class, b"") => return None,
        (GroupBy::Class, name) => format!("--function={}", of_class(name)),
        (GroupBy::Object | GroupBy::Function, name) => format!("--object={}", whole(name)),
    })
}

/// What no command prints, in words.
type Lacking = &'static str;

/// The command for a place, or why there is none.
pub(super) fn command(lenses: &Lenses, event: usize, changes: Changes, place: &Place) -> Result<String, Lacking> {
    let data = lenses.of(place.lens);
    let profile = data.profile();
    let is_compared = match (&place.screen, data.before()) {
        (Screen::Gone(_), None) => return Err("there is no older run"),
        (Screen::Gone(_), Some(_)) => true,
        (Screen::Functions(_) | Screen::Groups(_) | Screen::Source(_), Some(_)) => changes == Changes::Shown,
        _ => false,
    };
    if lenses.again.inputs.is_empty() || is_compared && lenses.older().is_empty() {
        return Err("no command can read these inputs again");
    }
    let is_of_both = |event| data.before().is_some_and(|before| before.compares(&profile.events, event));
    if is_compared && !data.events.get(event).is_some_and(|&event| is_of_both(event)) {
        return Err("the older run does not count this event");
    }
    if matches!(place.screen, Screen::Functions(Within::Class(_)) | Screen::Gone(Within::Class(_)))
        && !place.filter.is_empty()
    {
        return Err("no command filters the functions of a class");
    }
    if matches!(place.screen, Screen::Groups(GroupBy::Class)) && !place.filter.is_empty() {
        return Err("no command filters classes");
    }
    let mut words = vec![Word::Literal("cgannotate".into())];
    let mut word = |text: String| words.push(Word::Literal(text));
    let counted = data.events.get(event).map(|&event| String::from_utf8_lossy(profile.events.name(event)).into_owned());
    let name = |id: FunctionId| profile.name(profile.function(id).name);
    let filter = (!place.filter.is_empty()).then(|| search::pattern(&place.filter));
    let of_functions = || filter.iter().map(|pattern| format!("--function={pattern}"));
    // The option that names the event that is counted, unless it is the first, which counts anyway.
    let mut event_option = Some("--sort");
    if is_compared {
        word("diff".into());
    }
    match &place.screen {
        Screen::Gone(within) => of_functions().chain(group(data, within)).for_each(&mut word),
        Screen::Functions(within) => {
            if !is_compared {
                word("--auto=no".into());
                word("--threshold=100".into());
            }
            if place.sort == Sort::Inclusive {
                word("--inclusive=yes".into());
            }
            let members: &[FunctionId] = match within {
                Within::Cycle(number) => {
                    let cycle = data.session().inclusive_so_far().and_then(|inclusive| inclusive.cycles.get(*number));
                    cycle.map_or(&[], |cycle| &cycle.members)
                }
                Within::Marked(ids) => ids,
                Within::All | Within::Object(_) | Within::File(_) | Within::Class(_) => &[],
            };
            // Of several patterns a function needs one.
            let chosen = Regex::new(&search::pattern(&place.filter)).ok();
            let is_chosen = |name: &&[u8]| chosen.as_ref().is_none_or(|chosen| chosen.is_match(name));
            let names: Vec<&[u8]> = members.iter().map(|&id| name(id)).filter(is_chosen).collect();
            if names.is_empty() {
                of_functions().for_each(&mut word);
            }
            names.iter().for_each(|name| word(format!("--function={}", whole(name))));
            group(data, within).into_iter().for_each(&mut word);
        }
        Screen::Groups(by) => {
            let by = match by {
                GroupBy::Function => "function",
                GroupBy::File => "file",
                GroupBy::Object => "object",
                GroupBy::Class => "class",
            };
            word(format!("--by={by}"));
            if !is_compared {
                word("--threshold=100".into());
            }
            filter.map(|pattern| format!("--{by}={pattern}")).into_iter().for_each(&mut word);
        }
        Screen::Calls(id) => {
            word("--auto=no".into());
            zoom(data, *id).into_iter().for_each(&mut word);
        }
        &Screen::Source(id) if is_compared => {
            word("--auto=yes".into());
            word(format!("--function={}", whole(name(id))));
            places(data, id).into_iter().for_each(&mut word);
        }
        Screen::Source(id) => {
            word("--auto=yes".into());
            zoom(data, *id).into_iter().for_each(&mut word);
        }
        Screen::Instructions(id) => {
            zoom(data, *id).into_iter().for_each(&mut word);
            // Where there are none to be shown, that would be an error.
            if profile.has_addresses() {
                word("--asm".into());
                lenses.again_of_code.iter().for_each(|option| word(option.clone()));
            }
        }
        Screen::Cycles => {
            word("--auto=no".into());
            word("--inclusive=yes".into());
            word("--threshold=100".into());
        }
        Screen::Stacks(_) => {
            word("convert".into());
            word("--to=folded".into());
            event_option = Some("--show");
        }
        Screen::Parts(by) => {
            word(format!("--split={}", by.name()));
            word("--auto=no".into());
        }
        Screen::Warnings => {
            word("--events".into());
            event_option = None;
        }
    }
    if is_compared {
        word("--threshold=100".into());
    }
    // `diff` takes the first event that changed.
    if let (Some(option), Some(counted)) = (event_option.filter(|_| event != 0 || is_compared), counted) {
        word(format!("{option}={counted}"));
    }
    let is_read = |option: &&String| {
        !matches!(place.screen, Screen::Stacks(_))
            || !["-I", "--map", "--sources"].iter().any(|of| option.starts_with(of))
    };
    lenses.again.options.iter().filter(is_read).for_each(|option| word(option.clone()));
    if !matches!(place.screen, Screen::Instructions(_)) {
        lenses.options(place.lens).into_iter().for_each(word);
    }
    if is_compared {
        words.extend(lenses.older().iter().cloned());
        words.push(Word::Literal("--".into()));
    }
    words.extend(lenses.again.inputs.iter().cloned());
    Ok(words.iter().map(Word::text).collect::<Vec<_>>().join(" "))
}
