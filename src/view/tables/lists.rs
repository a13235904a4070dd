//! The lists of one profile as tables: functions, groups of them, lines.

use super::{Cell, Column, Rows, Table, summing, triple};
use crate::analysis::cut::Rest;
use crate::analysis::{Folds, Inclusive, Selection};
use crate::profile::{Event, Profile};
use crate::view::inlined::{InlinedList, Known};
use crate::view::instructions::list::{self, InstructionList};
use crate::view::line_list::{self, LineList};
use crate::view::rest;
use crate::view::{Groups, Listing};

/// What a table can say of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// Self cost.
    Own,
    /// Inclusive cost.
    Inclusive,
    /// How often it was called.
    Calls,
}

impl Measure {
    fn word(self) -> &'static str {
        match self {
            Measure::Own => "self",
            Measure::Inclusive => "inclusive",
            Measure::Calls => "calls",
        }
    }
}

/// How the lists of a profile become tables.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The columns of counts.
    pub selection: &'a Selection,
    /// Whether counts have shares.
    pub shares: bool,
    /// What is known of a profile of own code beside its costs.
    pub folds: Option<&'a Folds>,
}

impl<'a> Lists<'a> {
    /// Functions with their self cost, or inclusive cost.
    pub fn functions(self, listing: &'a Listing<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = listing.rows.iter().map(move |row| {
            let bounds = row
                .estimated
                .as_deref()
                .map(|known| [known.least(), known.most()].map(Cell::Count));
            let bounds = bounds
                .unwrap_or([Cell::Empty, Cell::Empty])
                .into_iter()
                .take(self.bounds());
            let places = row
                .id
                .and_then(|id| self.folds?.places(id))
                .map_or(Cell::Empty, Cell::Number);
            let places = std::iter::once(places).take(self.places());
            self.counts(row.cost)
                .chain(triple(&row.label))
                .chain(bounds)
                .chain(places)
        });
        let names = ["function", "file", "object", "least", "most", "places"];
        let names = &names[..3 + self.bounds() + self.places()];
        let rest = self.rest(
            listing.rest.as_ref(),
            ["function", "functions"],
            names.len(),
        );
        self.table(listing.totals.cost, names, rest, rows)
    }

    /// Functions with several things at once, each of every event: in any order of rows.
    pub fn measured(
        self,
        listing: &'a Listing<'a>,
        measures: &'a [Measure],
        inclusive: &'a Inclusive,
    ) -> Table<'a, impl Rows<'a>> {
        let (profile, events, counts) = (
            self.profile,
            &self.profile.events,
            self.selection.show.len(),
        );
        let has_calls = profile.has_inclusive();
        let rows = listing.rows.iter().map(move |row| {
            let mut cells = Vec::new();
            for measure in measures {
                match (measure, row.id) {
                    (Measure::Own, Some(id)) => cells.extend(self.counts(profile.self_cost(id))),
                    (Measure::Inclusive, Some(id)) if has_calls => {
                        cells.extend(self.counts(inclusive.cost(id)))
                    }
                    (Measure::Calls, Some(id)) if has_calls => {
                        cells.push(Cell::Number(inclusive.called(id)))
                    }
                    (Measure::Own | Measure::Inclusive, _) => {
                        cells.extend(vec![Cell::Empty; counts])
                    }
                    (Measure::Calls, _) => cells.push(Cell::Empty),
                }
            }
            cells.extend(triple(&row.label));
            cells.into_iter()
        });
        let totals = listing.totals.cost;
        let mut columns = Vec::new();
        for measure in measures {
            match measure {
                Measure::Calls => columns.push(Column::plain("calls")),
                Measure::Own | Measure::Inclusive => {
                    columns.extend(self.selection.show.iter().map(|&event| Column {
                        name: format!("{}:{}", measure.word(), events.text(event)),
                        ..self.column(event, totals)
                    }))
                }
            }
        }
        columns.extend(["function", "file", "object"].map(Column::plain));
        let sums = |cost: &'a [i64], of_calls_too: bool, name: Cell<'a>| {
            let mut cells = Vec::new();
            for measure in measures {
                match measure {
                    Measure::Own if !cost.is_empty() => cells.extend(self.counts(cost)),
                    Measure::Inclusive if of_calls_too && has_calls => {
                        cells.extend(self.counts(cost))
                    }
                    Measure::Own | Measure::Inclusive => cells.extend(vec![Cell::Empty; counts]),
                    Measure::Calls => cells.push(Cell::Empty),
                }
            }
            summing(cells.into_iter(), name, columns.len())
        };
        let total = Some(sums(totals, true, Cell::Name(b"(total)".into())));
        let rest = listing
            .rest
            .iter()
            .flat_map(|rest| rest::rows(rest, ["function", "functions"]));
        let rest = rest
            .map(|(cost, words)| sums(cost, false, Cell::Text(words)))
            .collect();
        Table {
            title: title(profile),
            columns,
            total,
            rest,
            rows,
        }
    }

    /// Sums by something larger than a function.
    pub fn groups(self, groups: &'a Groups<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = groups.rows.iter().map(move |group| {
            self.counts(&group.cost)
                .chain([Cell::Name(group.name.into())])
        });
        let rest = self.rest(groups.rest.as_ref(), groups.by.nouns(), 1);
        self.table(
            &self.profile.totals.row,
            &[groups.by.nouns()[0]],
            rest,
            rows,
        )
    }

    /// Functions that were called, and functions that were inlined.
    pub fn inlined(self, list: &'a InlinedList<'a>) -> Table<'a, impl Rows<'a>> {
        let events = &self.profile.events;
        let totals = &self.profile.totals.row;
        let rows = list.rows.iter().map(move |row| {
            let called = row.called.map_or(Cell::Empty, Cell::Number);
            // By lines alone, no more than self costs is known.
            let known = |cell: Cell<'a>| {
                if list.known == Known::Chains {
                    cell
                } else {
                    Cell::Empty
                }
            };
            let names = [
                known(Cell::Number(row.places)),
                called,
                Cell::Name(row.name.into()),
                Cell::Name(row.file.into()),
            ];
            let more = self
                .counts(&row.with_inlined)
                .chain(self.counts(&row.inclusive))
                .map(known);
            self.counts(&row.self_cost).chain(more).chain(names)
        });
        let mut table = self.table(
            totals,
            &["places", "called", "function", "file"],
            Vec::new(),
            rows,
        );
        // Three columns an event: the function's own, with what is inlined, and with what is called.
        let others = ["with inlined", "inclusive"].into_iter().flat_map(|what| {
            let column = move |&event| Column {
                name: format!("{} {what}", events.text(event)),
                ..self.column(event, totals)
            };
            self.selection.show.iter().map(column)
        });
        let counts = self.selection.show.len();
        table.columns.splice(counts..counts, others);
        let around = (2 * counts, table.columns.len());
        let widen = |row: Vec<Cell<'a>>, name: Cell<'a>| {
            let mut wide: Vec<Cell> = row
                .into_iter()
                .take(counts)
                .chain(vec![Cell::Empty; around.0 + 2])
                .collect();
            wide.push(name);
            wide.resize(around.1, Cell::Empty);
            wide
        };
        table.total = table
            .total
            .map(|row| widen(row, Cell::Name(b"(total)".into())));
        let rest = list
            .rest
            .iter()
            .flat_map(|rest| rest::rows(rest, ["function", "functions"]));
        table.rest = rest
            .map(|(cost, words)| widen(self.counts(cost).collect(), Cell::Text(words)))
            .collect();
        table
    }

    /// Lines of functions.
    pub fn lines(self, list: &'a LineList<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = list.rows().map(move |row| {
            let [name, _, object] = triple(&row.function);
            self.counts(row.cost).chain([
                Cell::Name(row.file.into()),
                Cell::Number(row.line),
                name,
                object,
            ])
        });
        let rest = self.rest(list.rest.as_ref(), line_list::NOUNS, 4);
        self.table(
            &self.profile.totals.row,
            &["file", "line", "function", "object"],
            rest,
            rows,
        )
    }

    /// Instructions. Addresses are written as disassemblers write them.
    pub fn instructions(self, list: &'a InstructionList<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = list.rows.iter().map(move |row| {
            let [name, _, object] = triple(&row.function);
            let place = [
                Cell::Text(format!("0x{:x}", row.address)),
                Cell::Name(row.file.into()),
                Cell::Number(row.line),
            ];
            let text = row
                .text
                .as_deref()
                .map_or(Cell::Empty, |text| Cell::Text(text.to_owned()));
            self.counts(row.cost)
                .chain(place)
                .chain([name, object, text])
        });
        let names = [
            "address",
            "file",
            "line",
            "function",
            "object",
            "instruction",
        ];
        let rest = self.rest(list.rest.as_ref(), list::NOUNS, names.len());
        self.table(&self.profile.totals.row, &names, rest, rows)
    }

    /// How many columns there are for what own costs are at least and at most, where they are estimates.
    fn bounds(self) -> usize {
        if self.folds.is_some() { 2 } else { 0 }
    }

    /// How many columns there are for the number of places at which functions are inlined.
    fn places(self) -> usize {
        usize::from(self.folds.is_some_and(Folds::knows_inlined))
    }

    #[inline(always)]
    pub(super) fn counts(self, row: &'a [i64]) -> impl Iterator<Item = Cell<'a>> {
        let events = &self.profile.events;
        self.selection
            .show
            .iter()
            .map(move |&event| Cell::Count(events.counted(row, event).into()))
    }

    /// The rest of a list, in rows with so many columns of names. If costs do not add up, it is only counted.
    fn rest(self, rest: Option<&'a Rest>, nouns: [&str; 2], names: usize) -> Vec<Vec<Cell<'a>>> {
        let columns = self.selection.show.len() + names;
        let row = |(cost, words): (&'a [i64], String)| {
            let counts: Vec<Cell> = match cost {
                [] => self.selection.show.iter().map(|_| Cell::Empty).collect(),
                cost => self.counts(cost).collect(),
            };
            summing(counts.into_iter(), Cell::Text(words), columns)
        };
        rest.into_iter()
            .flat_map(|rest| rest::rows(rest, nouns))
            .map(row)
            .collect()
    }

    /// The column of an event, whose counts may be shares of a whole.
    pub(super) fn column(self, event: Event, whole: &[i64]) -> Column {
        let events = &self.profile.events;
        Column {
            name: events.text(event).into_owned(),
            whole: (self.shares && events.has_shares(event))
                .then(|| events.counted(whole, event).into()),
        }
    }

    fn table<I>(
        self,
        totals: &'a [i64],
        names: &[&str],
        rest: Vec<Vec<Cell<'a>>>,
        rows: I,
    ) -> Table<'a, I> {
        let counts = self
            .selection
            .show
            .iter()
            .map(|&event| self.column(event, totals));
        let columns: Vec<Column> = counts
            .chain(names.iter().map(|&name| Column::plain(name)))
            .collect();
        let total = Some(summing(
            self.counts(totals),
            Cell::Name(b"(total)".into()),
            columns.len(),
        ));
        Table {
            title: title(self.profile),
            columns,
            total,
            rest,
            rows,
        }
    }
}

/// The title of a table of a profile.
pub(super) fn title(profile: &Profile) -> String {
    let command = profile.command();
    format!("cgannotate: {}", String::from_utf8_lossy(command))
}
