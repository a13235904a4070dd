//! The command that prints what a screen shows: the explorer teaches the command line.

use super::data::{Data, Lenses};
use super::model::Changes;
use super::place::{Place, Screen, Sort, Within};
use super::search;
use crate::profile::FunctionId;
use crate::text::shell::Word;
use crate::view::GroupBy;

/// A pattern that a text matches and nothing else does.
fn whole(text: &[u8]) -> String {
    format!("^{}$", regex::escape(&String::from_utf8_lossy(text)))
}

/// The options that mean this function, and none of the others that have its name.
fn zoom(data: &Data, id: FunctionId) -> Vec<String> {
    let profile = data.profile();
    let this = profile.function(id);
    let same = || data.namesakes(this.name).map(|id| profile.function(id));
    let mut options = vec![format!("--zoom={}", String::from_utf8_lossy(profile.name(this.name)))];
    if same().any(|other| other.file != this.file) {
        options.push(format!("--file={}", whole(data.shown(profile.name(this.file)))));
    }
    if same().any(|other| other.file == this.file && other.object != this.object) {
        options.push(format!("--object={}", whole(profile.name(this.object))));
    }
    options
}

/// The command for a place; nothing if the inputs can be read only once, or nothing is compared.
pub(super) fn command(lenses: &Lenses, event: usize, changes: Changes, place: &Place) -> Option<String> {
    if lenses.again.inputs.is_empty() {
        return None;
    }
    let mut words = vec![Word::Literal("cgannotate".into())];
    let mut word = |text: String| words.push(Word::Literal(text));
    let data = lenses.of(place.lens);
    if place.screen == Screen::Gone && data.before().is_none() {
        return None;
    }
    let profile = data.profile();
    let counted = data.events.get(event).map(|&event| String::from_utf8_lossy(profile.events.name(event)).into_owned());
    let name = |id| String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned();
    let is_compared = changes == Changes::Shown && data.before().is_some();
    // The option that names the event that is counted, unless it is the first, which counts anyway.
    let mut event_option = Some("--sort");
    match &place.screen {
        Screen::Gone => {
            word("diff".into());
            word("--threshold=100".into());
        }
        Screen::Functions(Within::All) if is_compared => {
            word("diff".into());
            word("--threshold=100".into());
            if place.sort == Sort::Inclusive {
                word("--inclusive=yes".into());
            }
        }
        Screen::Functions(within) => {
            word("--auto=no".into());
            word("--threshold=100".into());
            if place.sort == Sort::Inclusive {
                word("--inclusive=yes".into());
            }
            if !place.filter.is_empty() {
                word(format!("--function={}", search::pattern(&place.filter)));
            }
            match within {
                Within::All => {}
                Within::Object(object) => word(format!("--object={}", whole(object))),
                Within::File(file) => word(format!("--file={}", whole(data.shown(file)))),
                Within::Class(class) if class.is_empty() => {}
                Within::Class(class) => word(format!("--function={}", regex::escape(&String::from_utf8_lossy(class)))),
                Within::Cycle(number) => {
                    let cycle = data.session().inclusive_so_far().and_then(|inclusive| inclusive.cycles.get(*number));
                    let members = cycle.map_or(&[][..], |cycle| &cycle.members);
                    members.iter().for_each(|&id| word(format!("--function={}", whole(name(id).as_bytes()))));
                }
                Within::Marked(ids) => {
                    ids.iter().for_each(|&id| word(format!("--function={}", whole(name(id).as_bytes()))));
                }
            }
        }
        Screen::Groups(by) => {
            let by = match by {
                GroupBy::Function => "function",
                GroupBy::File => "file",
                GroupBy::Object => "object",
                GroupBy::Class => "class",
            };
            word(format!("--by={by}"));
            word("--threshold=100".into());
        }
        Screen::Calls(id) => {
            word("--auto=no".into());
            zoom(data, *id).into_iter().for_each(&mut word);
        }
        &Screen::Source(id) if is_compared => {
            word("diff".into());
            word("--auto=yes".into());
            word("--threshold=100".into());
            word(format!("--function={}", whole(name(id).as_bytes())));
        }
        Screen::Source(id) => {
            word("--auto=yes".into());
            zoom(data, *id).into_iter().for_each(&mut word);
        }
        Screen::Instructions(id) => {
            zoom(data, *id).into_iter().for_each(&mut word);
            word("--asm".into());
            lenses.again_of_code.iter().for_each(|option| word(option.clone()));
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
    if let (Some(option), Some(counted)) = (event_option.filter(|_| event != 0), counted) {
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
    let has_changes = matches!(place.screen, Screen::Functions(Within::All) | Screen::Source(_));
    if place.screen == Screen::Gone || is_compared && has_changes {
        words.extend(lenses.older.iter().cloned());
        words.push(Word::Literal("--".into()));
    }
    words.extend(lenses.again.inputs.iter().cloned());
    Some(words.iter().map(Word::text).collect::<Vec<_>>().join(" "))
}
