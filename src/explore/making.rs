//! Makes the rows of a place from the profile and the worker's answers. It requests the answers
//! that are missing.

use super::calls::CallSheet;
use super::code::InstructionSheet;
use super::list::{FunctionSheet, has_nowhere};
use super::place::{Lens, Place, Screen, Within};
use super::sheet::{Sheet, SheetRows};
use super::source::{FoundSource, Source, SourceText};
use super::tables::ShortTable;
use super::work::{Answer, Query, Work};
use super::{Effect, Model};

impl<'d> Model<'d> {
    /// The rows of a place, and the effects that request missing data.
    pub(super) fn made(&mut self, place: &Place) -> (Sheet<'d>, Vec<Effect>) {
        let data = self.data_of(place);
        let profile = data.profile();
        let work = self.work(place);
        let sheet = match &place.screen {
            Screen::Functions(within) => {
                let look = self.look(place);
                let is_all = *within == Within::All && place.filter.is_empty();
                return self.asked(work, |answer| match answer {
                    Answer::Order(functions, extent) => Sheet::new(FunctionSheet {
                        lens: place.lens,
                        functions,
                        extent,
                        has_nowhere: is_all && has_nowhere(look),
                    }),
                    _ => Sheet::Waiting,
                });
            }
            &Screen::Groups(by) => {
                let look = self.look(place);
                return self.asked(work, |answer| match answer {
                    Answer::Groups(groups) => {
                        Sheet::new(ShortTable::groups(look, by, &groups, place))
                    }
                    _ => Sheet::Waiting,
                });
            }
            &Screen::Stacks(_, root) => {
                return self.asked(work, |answer| match answer {
                    Answer::Stacks(Some(icicle)) => Sheet::Stacks(icicle, root),
                    Answer::Stacks(None) => {
                        Sheet::Nothing("this event has negative costs, so no stacks can be made")
                    }
                    _ => Sheet::Waiting,
                });
            }
            Screen::Calls(_) | Screen::Source(_) | Screen::Cycles
                if self.lenses.ready(place.lens).is_none() =>
            {
                match self.spot.left.screen {
                    // The answer to an order includes inclusive costs.
                    Screen::Functions(_) => Sheet::Waiting,
                    _ => return self.asked(work, |_| Sheet::Waiting),
                }
            }
            &Screen::Calls(id) => Sheet::new(CallSheet::new(self.look(place), id)),
            &Screen::Source(id) => {
                let look = self.look(place);
                let source = Source::new(look, id, place.opened, |name| self.source(name));
                match source.len() {
                    0 => Sheet::Nothing("the file of the function's code is not known"),
                    _ => Sheet::new(source),
                }
            }
            // Instructions are available only in the original profile.
            Screen::Instructions(_) if place.lens != Lens::default() => Sheet::Nothing(
                "instructions are known only for the profile as recorded: o or f leads back",
            ),
            &Screen::Instructions(id) => {
                let (event, width) = (self.event, self.size.0);
                return self.asked(work, |answer| match answer {
                    Answer::Code(told) => {
                        Sheet::new(InstructionSheet::new(data, id, event, &told, width))
                    }
                    _ => Sheet::Waiting,
                });
            }
            Screen::Gone(within) => match data.before() {
                Some(before) => Sheet::new(ShortTable::gone(data, before, within, place)),
                None => Sheet::Nothing("no older run is open; `explore OLD NEW` compares two"),
            },
            Screen::Cycles if data.session.inclusive().cycles.is_empty() => {
                Sheet::Nothing("no functions form a cycle")
            }
            Screen::Cycles => Sheet::new(ShortTable::cycles(data, place)),
            &Screen::Parts(by) => {
                Sheet::new(ShortTable::parts(self.lenses.whole.profile(), by, place))
            }
            Screen::Warnings if profile.warnings.is_empty() && !self.has_doubts() => {
                Sheet::Nothing("no warnings about the inputs")
            }
            Screen::Warnings => {
                let width = Some(self.size.0);
                Sheet::new(ShortTable::warnings(&self.lenses.whole, place, width))
            }
        };
        (sheet, Vec::new())
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

    /// Makes rows from the worker's answer, or requests it.
    fn asked(
        &self,
        work: Work,
        sheet: impl FnOnce(Answer) -> Sheet<'d>,
    ) -> (Sheet<'d>, Vec<Effect>) {
        // Earlier requests are for other rows, so a request from here replaces them.
        match self.answers.iter().find(|(known, _)| *known == work) {
            Some((_, answer)) => (sheet(answer.clone()), Vec::new()),
            None => (Sheet::Waiting, vec![Effect::Work(work)]),
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
