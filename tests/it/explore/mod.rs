//! The explorer: its model alone, its screens on buffers, and the whole program in a terminal.

mod code;
mod keys;
mod screens;
#[cfg(unix)]
mod terminal;

use crate::common::fixture;
use cgannotate::analysis::{Session, Set};
use cgannotate::explore::{self, Before, Canvas, Colours, Data, Effect, Event, Lenses, Model, Outside, update, work};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Collect, Profile};
use cgannotate::source::{Finder, Search, SearchPaths};
use cgannotate::view::next::{Again, Word};
use std::path::PathBuf;

/// A profile of `fixtures/`, with everything that the explorer reads.
pub fn profile(name: &str) -> Profile {
    let options = Options { collect: Collect { code: true, ..Collect::ALL }, ..Options::all() };
    input::read(&[fixture(name)], &options).unwrap_or_else(|e| panic!("{e}"))
}

/// A profile of `fixtures/` as it is explored from its own folder.
pub fn lenses(name: &str) -> Lenses {
    let file = name.rsplit('/').next().unwrap().to_owned();
    let again = Again { options: vec![], inputs: vec![Word::Literal(file)] };
    whole(profile(name), again)
}

/// A profile with everything that is seen of it.
pub fn whole(profile: Profile, again: Again) -> Lenses {
    Lenses::new(Data::new(Session::new(profile), Vec::new()), Set::own(Vec::new()), again)
}

/// A newer profile beside an older one, explored from the folder of both.
pub fn compared(old: &str, new: &str) -> Lenses {
    let word = |name: &str| vec![Word::Literal(name.rsplit('/').next().unwrap().to_owned())];
    let (old_profile, mut profile) = (profile(old), profile(new));
    profile.events.show_durations();
    let before = Before::new(&old_profile, &profile);
    let data = Data::new(Session::new(profile), Vec::new()).beside(before);
    let again = Again { options: vec![], inputs: word(new) };
    let mut lenses = Lenses::new(data, Set::own(Vec::new()), again);
    lenses.older = word(old);
    lenses
}

/// A session in which whatever is asked for is done at once.
pub struct Walk<'d> {
    pub model: Model<'d>,
    lenses: &'d Lenses,
    memory: work::Memory,
    finder: Finder,
    /// What was asked of the terminal.
    pub asked: Vec<Effect>,
}

impl<'d> Walk<'d> {
    /// Begins; sources are looked for beside a fixture.
    pub fn new(lenses: &'d Lenses, name: &str, size: (u16, u16)) -> Walk<'d> {
        let folder = PathBuf::from(fixture(name)).parent().unwrap().to_owned();
        let carried = lenses.whole().profile().carried.clone();
        let place = SearchPaths { include: vec![folder], search: Search::Listed, carried, ..SearchPaths::default() };
        let (model, effects) = Model::new(lenses, size);
        let mut walk =
            Walk { model, lenses, memory: work::Memory::default(), finder: Finder::new(place), asked: Vec::new() };
        walk.perform(effects);
        walk
    }

    fn perform(&mut self, mut effects: Vec<Effect>) {
        while !effects.is_empty() {
            let event = match effects.remove(0) {
                Effect::Work(_, job) => {
                    let mut answers = Vec::new();
                    work::answer(self.lenses, &mut self.memory, &job, || true, |answer| answers.push(answer));
                    let done = |answer| Event::Done(job.clone(), answer);
                    let more = answers.into_iter().flat_map(|answer| update(&mut self.model, done(answer)));
                    effects.extend(more);
                    continue;
                }
                Effect::Open(file) => {
                    let outside = Outside { finder: Some(&self.finder), editor: None, page: &|_, _| String::new() };
                    let source = outside.open(&file);
                    Event::Opened(file, source)
                }
                other => {
                    self.asked.push(other);
                    continue;
                }
            };
            effects.extend(update(&mut self.model, event));
        }
    }

    /// Something happens.
    pub fn happens(&mut self, event: Event) {
        let effects = update(&mut self.model, event);
        self.perform(effects);
    }

    /// Presses keys, by their names.
    pub fn press(&mut self, keys: &[&str]) -> &mut Self {
        keys.iter().for_each(|key| self.happens(Event::Key((*key).to_owned())));
        self
    }

    /// Types a text, a key a character.
    pub fn types(&mut self, text: &str) -> &mut Self {
        text.chars().for_each(|character| self.happens(Event::Key(character.to_string())));
        self
    }

    /// The screen, line by line, of this size.
    pub fn screen(&self, (width, height): (u16, u16)) -> Vec<String> {
        let mut canvas = Canvas::new(width, height);
        explore::draw(&self.model, Colours::None, &mut canvas);
        (0..height).map(|y| canvas.line(y)).collect()
    }
}
