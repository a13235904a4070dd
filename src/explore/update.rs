//! Changes the model after an event. It only reads sources, and returns the effects to perform.

use super::{
    Effect, Message, Mode, Model, Mouse,
    command::command,
    keys::{Action, action},
    model::ChangeDisplay,
    place::{Kind, Lens, Pane, Screen, Sort, Within},
    row::ShareBase,
    sheet::Sheet,
};
use crate::{profile::joined, text::without_controls};

/// How many rows the mouse wheel moves.
const WHEEL: usize = 3;

/// The longest text that can be typed.
const TYPED: usize = 1000;

/// Handles an event. Returns the effects to perform.
pub fn update(model: &mut Model<'_>, event: Message) -> Vec<Effect> {
    let effects = match event {
        Message::Key(name) => {
            model.said = None;
            match model.mode.clone() {
                Mode::Normal => pressed(model, &name),
                Mode::Filter(before) => typed_filter(model, &name, before),
                Mode::Command(text) => typed_command(model, &name, text),
                Mode::Write(text) => typed_file(model, &name, text),
                Mode::Help(top) => read_help(model, &name, top),
            }
        }
        Message::Mouse(mouse, x, y) => pointed(model, mouse, x, y),
        Message::Resize(width, height) => {
            model.size = (width, height);
            let mut effects = match model.spot.left.screen {
                // The width decides how many jump arrows fit and where texts wrap.
                Screen::Instructions(_) | Screen::Warnings => model.load(),
                _ => {
                    model.load_right();
                    Vec::new()
                }
            };
            // A terminal that was smaller for a moment has lost the cells outside.
            effects.push(Effect::Redraw);
            effects
        }
        Message::Done(work, answer) => model.done(work, answer),
        Message::Said(text) => model.say(&text),
    };
    model.show_cursor();
    effects
}

fn pressed(model: &mut Model<'_>, name: &str) -> Vec<Effect> {
    match action(name, model.kind()) {
        Some(action) => act(model, action),
        None => model.say(&format!("{name} does nothing here; ? lists the keys")),
    }
}

/// Sets where keys go.
fn begin(model: &mut Model<'_>, mode: Mode) -> Vec<Effect> {
    model.mode = mode;
    Vec::new()
}

fn act(model: &mut Model<'_>, action: Action) -> Vec<Effect> {
    let page = model.height().saturating_sub(1).max(1);
    let row = model.spot.here().row;
    match action {
        Action::Up => model.step(|row, _| row.saturating_sub(1)),
        Action::Down => model.step(|row, _| row.saturating_add(1)),
        Action::PageUp => model.step(|row, _| row.saturating_sub(page)),
        Action::PageDown => model.step(|row, _| row.saturating_add(page)),
        Action::First => model.step(|_, _| 0),
        Action::Last => model.step(|_, last| last),
        Action::Enter => model.enter(),
        Action::Back => model.go_back(),
        Action::Forward => model.go_forward(),
        Action::OtherPane => model.other_pane(),
        Action::Filter => {
            let filter = model.spot.here().filter.clone();
            begin(model, Mode::Filter(filter))
        }
        Action::Unfilter if model.spot.here().filter.is_empty() => {
            model.say("nothing is filtered here")
        }
        Action::Unfilter => filter(model, String::new()),
        Action::Sort => {
            let is_list = model.kind() == Kind::Functions;
            let is_group = matches!(model.spot.here().screen, Screen::Groups(_));
            let is_compared = (is_list || is_group) && model.data().before().is_some();
            let has_times = is_list || model.kind() == Kind::Cycles;
            // Short lists have only one cost.
            let is_column = |sort: &Sort| match sort {
                Sort::Inclusive => is_list,
                Sort::Calls => has_times,
                Sort::Change => is_compared,
                Sort::Own | Sort::Name => true,
            };
            let here = model.spot.here().sort;
            let from_here = Sort::ALL.iter().cycle().skip_while(|&&sort| sort != here);
            let sort = from_here.skip(1).copied().find(is_column);
            model.sort(sort.unwrap_or(here))
        }
        Action::Around => model.about_row(|id| Screen::Stacks(Some(id), None)),
        Action::Own => {
            let can_inline = model.lenses.can_inline();
            model.other_lens(|lens| match lens {
                Lens::Whole => Lens::Own,
                Lens::Own if can_inline => Lens::Inlined,
                Lens::Own | Lens::Inlined => Lens::Whole,
                Lens::Folded => Lens::OwnFolded,
                Lens::OwnFolded => Lens::Folded,
            })
        }
        // Folded recursion levels have no instructions, so inlined functions are not known.
        Action::Fold => model.other_lens(|lens| match lens {
            Lens::Whole => Lens::Folded,
            // Recursion is folded without inlined functions.
            Lens::Own | Lens::Inlined => Lens::OwnFolded,
            Lens::Folded => Lens::Whole,
            Lens::OwnFolded => Lens::Own,
        }),
        Action::Compare => match (model.data().before(), model.changes) {
            (None, _) => model.say("no older run is open; `explore OLD NEW` compares two"),
            (_, changes) => {
                let (changes, said) = match changes {
                    ChangeDisplay::Shown => (ChangeDisplay::Hidden, "only costs"),
                    ChangeDisplay::Hidden => (ChangeDisplay::Shown, "changes since the older run"),
                };
                // Lines that only the older run has appear or disappear.
                (model.changes, model.spot, model.said) =
                    (changes, model.remembered(), Some(said.to_owned()));
                model.load()
            }
        },
        Action::Mark => model.mark(),
        Action::Marked => {
            let lens = model.spot.here().lens;
            let ids: Vec<_> = model
                .marked
                .iter()
                .filter(|(of, _)| *of == lens)
                .map(|&(_, id)| id)
                .collect();
            if ids.is_empty() {
                return model.say("no function is marked; m marks one");
            }
            model.go(Screen::Functions(Within::Marked(ids)))
        }
        Action::Frame(towards) => model.frame(towards),
        Action::Write => begin(model, Mode::Write(String::new())),
        Action::NextEvent => match model.data().events.len() {
            0 | 1 => model.say("no other event"),
            events => {
                model.event = (model.event + 1) % events;
                // The cursor stays at its function or line.
                model.spot = model.remembered();
                model.load()
            }
        },
        Action::Shares => {
            model.shares = match model.shares {
                ShareBase::Total => ShareBase::Parent,
                ShareBase::Parent => ShareBase::Hidden,
                ShareBase::Hidden => ShareBase::Total,
            };
            model.say(match model.shares {
                ShareBase::Total => "percentages of the program's total",
                ShareBase::Parent => "percentages of what the screen is about",
                ShareBase::Hidden => "only counts",
            })
        }
        Action::OtherCost => match model.spot.here().sort {
            Sort::Own if !model.data().profile().has_inclusive() => {
                model.say("the profile has no calls, so inclusive costs are not known")
            }
            Sort::Own => model.sort(Sort::Inclusive),
            Sort::Inclusive | Sort::Calls | Sort::Name | Sort::Change => model.sort(Sort::Own),
        },
        Action::NextHot => model.hot(row + 1..model.rows()),
        Action::PreviousHot => model.hot((0..row).rev()),
        Action::Open(kind) => model.open(kind),
        Action::Command => begin(model, Mode::Command(String::new())),
        Action::Copy => match model.copied() {
            Some(text) => copy(model, &text),
            None => model.say("nothing to copy in this row"),
        },
        Action::CopyCommand => {
            match command(model.lenses, model.event, model.changes, model.spot.here()) {
                Ok(command) => copy(model, &command),
                Err(why) => model.say(&why),
            }
        }
        Action::Edit => match model.edited() {
            Some((file, line)) => vec![Effect::Edit(file, line)],
            None => model.say("no source is known for this row"),
        },
        Action::Help => begin(model, Mode::Help(0)),
        Action::Redraw => vec![Effect::Redraw],
        Action::Suspend => vec![Effect::Suspend],
        Action::Quit => vec![Effect::Quit],
    }
}

fn typed_filter(model: &mut Model<'_>, name: &str, before: String) -> Vec<Effect> {
    let mut text = model.spot.here().filter.clone();
    match name {
        "Enter" => return begin(model, Mode::Normal),
        "Esc" | "Ctrl-c" => {
            model.mode = Mode::Normal;
            text = before;
        }
        "Up" | "Down" | "PageUp" | "PageDown" => return pressed(model, name),
        _ => {
            if !edit(&mut text, name) {
                return Vec::new();
            }
        }
    }
    filter(model, text)
}

fn filter(model: &mut Model<'_>, text: String) -> Vec<Effect> {
    let here = model.spot.here_mut();
    (here.filter, here.row, here.top) = (text, 0, 0);
    model.load()
}

/// Handles a key while a text is typed. Returns whether the text changed.
fn edit(text: &mut String, name: &str) -> bool {
    let mut characters = name.chars();
    match (name, characters.next(), characters.next()) {
        ("Backspace", ..) => text.pop().is_some(),
        ("Ctrl-u", ..) => {
            text.clear();
            true
        }
        ("Space", ..) => {
            text.push(' ');
            true
        }
        (_, Some(character), None) if text.len() < TYPED => {
            text.push(without_controls(character, ' '));
            true
        }
        _ => false,
    }
}

/// Handles a key while a text is typed in this mode. Returns the text when it is complete.
fn typed(
    model: &mut Model<'_>,
    name: &str,
    mut text: String,
    mode: fn(String) -> Mode,
) -> Option<String> {
    if matches!(name, "Esc" | "Ctrl-c" | "Enter") {
        model.mode = Mode::Normal;
        return (name == "Enter").then(|| text.trim().to_owned());
    }
    edit(&mut text, name);
    model.mode = mode(text);
    None
}

fn typed_command(model: &mut Model<'_>, name: &str, text: String) -> Vec<Effect> {
    let beginning = |text: &str| {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name().starts_with(text))
    };
    match name {
        "Tab" => {
            let whole = beginning(&text).map(|kind| kind.name().to_owned());
            return begin(model, Mode::Command(whole.unwrap_or(text)));
        }
        "Backspace" if text.is_empty() => return begin(model, Mode::Normal),
        _ => {}
    }
    let text = typed(model, name, text, Mode::Command).unwrap_or_default();
    match (&text[..], beginning(&text)) {
        ("", _) => Vec::new(),
        ("q" | "quit", _) => vec![Effect::Quit],
        (_, Some(kind)) => model.open(kind),
        _ => {
            let names = joined(Kind::ALL.into_iter().map(Kind::name), ", ");
            model.say(&format!("unknown screen `{text}` (expected {names})"))
        }
    }
}

fn typed_file(model: &mut Model<'_>, name: &str, text: String) -> Vec<Effect> {
    let file = typed(model, name, text, Mode::Write).unwrap_or_default();
    if file.is_empty() {
        Vec::new()
    } else if file.ends_with(".html") {
        vec![Effect::Page(file)]
    } else {
        let text = super::write::text(model, file.ends_with(".csv"));
        vec![Effect::Write(file, text)]
    }
}

fn read_help(model: &mut Model<'_>, name: &str, top: usize) -> Vec<Effect> {
    let page = model.height();
    let last = super::help::lines(model.kind(), usize::from(model.size.0))
        .len()
        .saturating_sub(page);
    model.mode = match action(name, model.kind()) {
        Some(Action::Up) => Mode::Help(top.saturating_sub(1)),
        Some(Action::Down) => Mode::Help((top + 1).min(last)),
        Some(Action::PageUp) => Mode::Help(top.saturating_sub(page)),
        Some(Action::PageDown) => Mode::Help((top + page).min(last)),
        Some(Action::Quit) if name == "Ctrl-c" => return vec![Effect::Quit],
        _ => Mode::Normal,
    };
    Vec::new()
}

fn pointed(model: &mut Model<'_>, mouse: Mouse, x: u16, y: u16) -> Vec<Effect> {
    if model.mode != Mode::Normal {
        return Vec::new();
    }
    if model.is_wide() {
        model.spot.focus = if x < super::draw::split(model.size.0) {
            Pane::Left
        } else {
            Pane::Right
        };
    }
    match mouse {
        Mouse::Up => model.step(|row, _| row.saturating_sub(WHEEL)),
        Mouse::Down => model.step(|row, _| row.saturating_add(WHEEL)),
        Mouse::Click => {
            let Some(at) = usize::from(y)
                .checked_sub(2)
                .filter(|&at| at < model.height())
            else {
                return Vec::new();
            };
            let (top, row) = (model.spot.here().top, model.spot.here().row);
            let at = match model.sheet() {
                Sheet::Stacks(icicle, root) => icicle.at(*root, row, (x, model.size.0), top + at),
                _ => Some(top + at),
            };
            match at.unwrap_or(usize::MAX) {
                there if there >= model.sheet().len() => Vec::new(),
                // A click on the selected row opens it.
                there if there == row => model.enter(),
                there => model.step(|_, _| there),
            }
        }
    }
}

/// Copies a text without control characters.
fn copy(model: &mut Model<'_>, text: &str) -> Vec<Effect> {
    let text: String = text
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    model.said = Some(format!("copied {text}"));
    vec![Effect::Copy(text)]
}
