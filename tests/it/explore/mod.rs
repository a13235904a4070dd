//! The explorer: its model alone, its screens on buffers, and the whole program in a terminal.

mod code;
mod compared;
pub mod emulator;
mod groups;
mod keys;
mod narrow;
mod screens;
#[cfg(unix)]
mod terminal;
#[cfg(target_os = "linux")]
mod typed;
mod walks;
mod warnings;
mod written;

use crate::common::fixture;
use cgannotate::analysis::{Session, Set};
use cgannotate::explore::{
    self, Canvas, Colours, Data, Effect, Lenses, Message, Model, update, work,
};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Collect, Profile};
use cgannotate::source::{Finder, Search, SearchPaths};
use cgannotate::view::next::{Again, Word};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A profile of `fixtures/`, with everything that the explorer reads.
pub fn profile(name: &str) -> Profile {
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    input::read(&[fixture(name)], &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A profile of `fixtures/` as it is explored from its own folder.
pub fn lenses(name: &str) -> Lenses {
    let file = name.rsplit('/').next().unwrap().to_owned();
    let again = Again {
        options: vec![],
        inputs: vec![Word::Literal(file)],
    };
    whole(profile(name), again)
}

/// A profile in Callgrind's format, which no command can read again.
pub fn read(text: &str) -> Lenses {
    let profile = input::read_from("x", text.as_bytes(), &Options::all()).unwrap();
    whole(profile, Again::default())
}

/// A profile with everything that is seen of it.
pub fn whole(profile: Profile, again: Again) -> Lenses {
    Lenses::new(
        Data::new(Session::new(profile), Vec::new()),
        Set::own(Vec::new()),
        again,
    )
}

/// A newer profile beside an older one, explored from the folder of both.
pub fn compared(old: &str, new: &str) -> Lenses {
    let word = |name: &str| vec![Word::Literal(name.rsplit('/').next().unwrap().to_owned())];
    let (old_profile, mut profile) = (profile(old), profile(new));
    profile.events.show_durations();
    let again = Again {
        options: vec![],
        inputs: word(new),
    };
    whole(profile, again).beside(old_profile, word(old))
}

/// Two runs as they are written, `new` beside `old`.
pub fn runs(old: &str, new: &str) -> Lenses {
    let read = |text: &str| input::read_from("x", text.as_bytes(), &Options::all()).unwrap();
    let word = |name: &str| vec![Word::Literal(name.to_owned())];
    whole(
        read(new),
        Again {
            options: vec![],
            inputs: word("new"),
        },
    )
    .beside(read(old), word("old"))
}

/// A session in which whatever is asked for is done at once.
pub struct Walk<'d> {
    pub model: Model<'d>,
    lenses: &'d Lenses,
    memory: work::Memory,
    /// What was asked of the terminal.
    pub asked: Vec<Effect>,
}

impl<'d> Walk<'d> {
    /// Begins; sources are looked for beside a fixture.
    pub fn new(lenses: &'d Lenses, name: &str, size: (u16, u16)) -> Walk<'d> {
        let folder = PathBuf::from(fixture(name)).parent().unwrap().to_owned();
        let carried = lenses.whole.profile().carried.clone();
        let place = SearchPaths {
            include: vec![folder],
            search: Search::Listed,
            carried,
            ..SearchPaths::default()
        };
        // Tests do not free it.
        let finder = Box::leak(Box::new(Finder::new(place)));
        let (model, effects) = Model::new(lenses, finder, size);
        let mut walk = Walk {
            model,
            lenses,
            memory: work::Memory::default(),
            asked: Vec::new(),
        };
        walk.perform(effects);
        walk
    }

    fn perform(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            match effects.remove(0) {
                Effect::Work(job) => {
                    // What shows until it is done.
                    self.screen((80, 12));
                    let mut answers = Vec::new();
                    work::answer(
                        self.lenses,
                        &mut self.memory,
                        &job,
                        || true,
                        |answer| answers.push(answer),
                    );
                    let done = |answer| Message::Done(job.clone(), answer);
                    let more = answers
                        .into_iter()
                        .flat_map(|answer| update(&mut self.model, done(answer)));
                    effects.extend(more);
                }
                other => self.asked.push(other),
            }
        }
    }

    /// Something happens.
    pub fn happens(&mut self, event: Message) {
        let effects = update(&mut self.model, event);
        self.perform(effects);
    }

    /// Presses keys, by their names.
    pub fn press(&mut self, keys: &[&str]) -> &mut Self {
        keys.iter()
            .for_each(|key| self.happens(Message::Key((*key).to_owned())));
        self
    }

    /// Types a text, a key a character.
    pub fn types(&mut self, text: &str) -> &mut Self {
        text.chars()
            .for_each(|character| self.happens(Message::Key(character.to_string())));
        self
    }

    /// All rows of the screen as CSV, by their headings.
    pub fn csv(&mut self) -> Vec<BTreeMap<String, String>> {
        self.press(&["w"]).types("rows.csv").press(&["Enter"]);
        let Some(Effect::Write(_, text)) = self.asked.pop() else {
            panic!("nothing was written")
        };
        let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
        rows.map(|row| row.unwrap_or_else(|why| panic!("{why}: {text}")))
            .collect()
    }

    /// The same: numbers by their headings, and the function or the text, with what is noted of it.
    pub fn table(&mut self) -> Vec<(BTreeMap<String, i128>, String)> {
        let row = |row: BTreeMap<String, String>| {
            let texts = ["function", "file", "object", "name", "place", "note"]
                .iter()
                .filter_map(|title| row.get(*title));
            let text = texts
                .filter(|text| !text.is_empty())
                .cloned()
                .collect::<Vec<_>>()
                .join(" ");
            let numbers = row
                .into_iter()
                .filter_map(|(title, cell)| Some((title, cell.parse().ok()?)))
                .collect();
            (numbers, text)
        };
        self.csv().into_iter().map(row).collect()
    }

    /// The command in the last line, without its program; nothing where there is none.
    pub fn command(&self) -> Option<String> {
        let line = self.screen((2000, 24)).pop().unwrap();
        line.strip_prefix("$ cgannotate ").map(str::to_owned)
    }

    /// The screen, line by line, of this size.
    pub fn screen(&self, (width, height): (u16, u16)) -> Vec<String> {
        let mut canvas = Canvas::new(width, height);
        explore::draw(&self.model, Colours::None, &mut canvas);
        (0..height).map(|y| canvas.line(y)).collect()
    }
}
