//! Makes the rows of a place from the profile and the worker's answers.

use super::{
    Model,
    calls::CallSheet,
    code::InstructionSheet,
    list::{FunctionSheet, has_nowhere},
    place::{Lens, Place, Screen, Within},
    sheet::{Sheet, SheetRows},
    source::{FoundSource, Source, SourceText},
    tables::ShortTable,
    work::{Answer, Query, Work},
};

impl<'d> Model<'d> {
    /// The rows of a place. [`Sheet::Waiting`] says that its [`work`](Model::work) must be requested.
    pub(super) fn made(&mut self, place: &Place) -> Sheet<'d> {
        let (look, work) = (self.look(place), self.work(place));
        let data = look.data;
        let profile = data.profile();
        let answer = self.answers.iter().find(|(known, _)| *known == work);
        match (&place.screen, answer.map(|(_, answer)| answer.clone())) {
            (Screen::Functions(within), Some(Answer::Order(functions, extent))) => {
                let is_all = *within == Within::All && place.filter.is_empty();
                Sheet::new(FunctionSheet {
                    lens: place.lens,
                    functions,
                    extent,
                    has_nowhere: is_all && has_nowhere(look),
                })
            }
            (&Screen::Groups(by), Some(Answer::Groups(groups))) => {
                Sheet::new(ShortTable::groups(look, by, &groups, place))
            }
            (&Screen::Stacks(_, root), Some(Answer::Stacks(icicle))) => icicle.map_or(
                Sheet::Nothing("this event has negative costs, so no stacks can be made"),
                |icicle| Sheet::Stacks(icicle, root),
            ),
            // Instructions are available only in the original profile.
            (Screen::Instructions(_), _) if place.lens != Lens::default() => Sheet::Nothing(
                "instructions are known only for the profile as recorded: o or f leads back",
            ),
            (&Screen::Instructions(id), Some(Answer::Code(told))) => {
                let (event, width) = (self.event, self.size.0);
                Sheet::new(InstructionSheet::new(data, id, event, &told, width))
            }
            (
                Screen::Functions(_)
                | Screen::Groups(_)
                | Screen::Stacks(..)
                | Screen::Instructions(_),
                _,
            ) => Sheet::Waiting,
            (Screen::Calls(_) | Screen::Source(_) | Screen::Cycles, _)
                if self.lenses.ready(place.lens).is_none() =>
            {
                Sheet::Waiting
            }
            (&Screen::Calls(id), _) => Sheet::new(CallSheet::new(look, id)),
            (&Screen::Source(id), _) => {
                let source = Source::new(look, id, place.opened, |name| self.source(name));
                match source.len() {
                    0 => Sheet::Nothing("the file of the function's code is not known"),
                    _ => Sheet::new(source),
                }
            }
            (Screen::Gone(within), _) => match data.before() {
                Some(before) => Sheet::new(ShortTable::gone(data, before, within, place)),
                None => Sheet::Nothing("no older run is open; `explore OLD NEW` compares two"),
            },
            (Screen::Cycles, _) if data.session.inclusive().cycles.is_empty() => {
                Sheet::Nothing("no functions form a cycle")
            }
            (Screen::Cycles, _) => Sheet::new(ShortTable::cycles(data, place)),
            (&Screen::Parts(by), _) => {
                Sheet::new(ShortTable::parts(self.lenses.whole.profile(), by, place))
            }
            (Screen::Warnings, _) if profile.warnings.is_empty() && !self.has_doubts() => {
                Sheet::Nothing("no warnings about the inputs")
            }
            (Screen::Warnings, _) => {
                let width = Some(self.size.0);
                Sheet::new(ShortTable::warnings(&self.lenses.whole, place, width))
            }
        }
    }

    /// What the rows of a place need.
    pub(super) fn work(&self, place: &Place) -> Work {
        let (lens, event) = (place.lens, self.event);
        match &place.screen {
            Screen::Functions(within) => Work::Order(Query {
                lens,
                within: within.clone(),
                filter: place.filter.clone(),
                sort: place.sort,
                event,
            }),
            &Screen::Groups(by) => Work::Groups(lens, by, event),
            &Screen::Stacks(of, _) => Work::Stacks(lens, event, of),
            &Screen::Instructions(id) => Work::Code(id),
            _ => Work::Lens(lens),
        }
    }

    /// A source, which is read at its first use.
    fn source(&mut self, name: &[u8]) -> FoundSource {
        if let Some((_, source)) = self.sources.iter().find(|(known, _)| known == name) {
            return source.clone();
        }
        let source = SourceText::read(self.finder, name);
        self.sources.insert(0, (name.to_vec(), source.clone()));
        source
    }
}
