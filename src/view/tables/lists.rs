//! The lists of one profile as tables: functions, groups of functions, lines.

use super::{Cell, Column, Rows, Table, columns, figure, named, summing, triple};
use crate::{
    analysis::{Folds, Inclusive, Selection},
    profile::{Event, Profile},
    view::{
        Groups, ListFrame, Listing,
        inlined::{InlinedBasis, InlinedList},
        instructions::list::InstructionList,
        line_list::LineList,
        rest,
    },
};
use std::iter;

/// How the lists of a profile become tables.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The columns of counts.
    pub selection: &'a Selection,
    /// Whether counts have percentages.
    pub shares: bool,
    /// The estimates and inlined places, for a profile of your code.
    pub folds: Option<&'a Folds>,
}

impl<'a> Lists<'a> {
    /// Functions with the cost that is listed. With `inclusive`, there are also columns of
    /// inclusive cost, the number of calls and the cost per call, if calls are known.
    pub fn functions(
        self,
        listing: &'a Listing<'a>,
        inclusive: Option<&'a Inclusive>,
    ) -> Table<'a, impl Rows<'a>> {
        let (profile, show) = (self.profile, &self.selection.show[..]);
        let rows = listing.rows.iter().map(move |row| {
            let own = match (inclusive, row.id) {
                (Some(_), Some(id)) => profile.self_cost(id),
                _ => row.cost,
            };
            let known = inclusive.filter(|_| profile.has_inclusive()).zip(row.id);
            let deep = known.map(|(inclusive, id)| inclusive.cost(id));
            let called = known.map(|(inclusive, id)| inclusive.called(id));
            let each = show.iter().map(move |&event| match (deep, called) {
                (Some(deep), Some(called @ 1..)) if !event.is_ratio() => {
                    let cost = profile.events.counted(deep, event);
                    Cell::Decimal(cost as f64 / called as f64, 2)
                }
                _ => Cell::Empty,
            });
            let called = iter::once(called.map_or(Cell::Empty, Cell::Number));
            let more = self.known(deep).chain(called).chain(each);
            let more = more.take(if inclusive.is_some() {
                2 * show.len() + 1
            } else {
                0
            });
            let bounds = row
                .estimated
                .as_deref()
                .map(|known| [known.least, known.most].map(Cell::Count));
            let bounds = bounds.unwrap_or_default().into_iter().take(self.bounds());
            let places = row
                .id
                .and_then(|id| self.folds?.places(id))
                .map_or(Cell::Empty, Cell::Number);
            let places = iter::once(places).take(self.places());
            self.counts(own)
                .chain(more)
                .chain(triple(&row.label))
                .chain(bounds)
                .chain(places)
        });
        let names = ["function", "file", "object", "least", "most", "places"];
        let names = &names[..3 + self.bounds() + self.places()];
        let table = self.table(&listing.frame, names, rows);
        if inclusive.is_none() {
            return table;
        }
        let each = show
            .iter()
            .map(|&event| Column::plain(format!("{} per call", profile.events.text(event))));
        let calls = iter::once(Column::plain("calls"));
        let totals = listing.frame.totals.cost;
        let more = self.columns("inclusive", totals).chain(calls).chain(each);
        widened(table, show.len(), more.collect())
    }

    /// Groups of functions.
    pub fn groups(self, groups: &'a Groups<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = groups
            .rows
            .iter()
            .map(move |group| self.counts(&group.cost).chain([named(group.name)]));
        self.table(&groups.frame, &groups.frame.nouns[..1], rows)
    }

    /// Functions that were called or inlined.
    pub fn inlined(self, list: &'a InlinedList<'a>) -> Table<'a, impl Rows<'a>> {
        let totals = &self.profile.totals.row;
        let rows = list.rows.iter().map(move |row| {
            let called = row.called.map_or(Cell::Empty, Cell::Number);
            // If only lines are known, only self costs are known.
            let known = |cell: Cell<'a>| {
                if list.known == InlinedBasis::Chains {
                    cell
                } else {
                    Cell::Empty
                }
            };
            let names = [
                known(Cell::Number(row.places)),
                called,
                named(row.name),
                named(row.file),
            ];
            let more = self
                .counts(&row.with_inlined)
                .chain(self.counts(&row.inclusive))
                .map(known);
            self.counts(&row.self_cost).chain(more).chain(names)
        });
        let table = self.table(&list.frame, &["function", "file"], rows);
        // Three columns per event: self cost, with inlined code, and with callees.
        let more = self
            .columns("with inlined", totals)
            .chain(self.columns("inclusive", totals))
            .chain(["places", "called"].map(Column::plain));
        widened(table, self.selection.show.len(), more.collect())
    }

    /// Lines of functions.
    pub fn lines(self, list: &'a LineList<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = list.rows().map(move |row| {
            let [name, _, object] = triple(&row.function);
            self.counts(row.cost)
                .chain([named(row.file), Cell::Number(row.line), name, object])
        });
        let names = ["file", "line", "function", "object"];
        self.table(&list.frame, &names, rows)
    }

    /// Instructions. Addresses are hexadecimal, as in disassemblers.
    pub fn instructions(self, list: &'a InstructionList<'a>) -> Table<'a, impl Rows<'a>> {
        let rows = list.rows.iter().map(move |row| {
            let [name, _, object] = triple(&row.function);
            let place = [
                Cell::Text(format!("0x{:x}", row.address)),
                named(row.file),
                Cell::Number(row.line),
            ];
            let text = row.text.clone().map_or(Cell::Empty, Cell::Text);
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
        self.table(&list.frame, &names, rows)
    }

    /// The number of columns for the bounds of estimated own costs.
    fn bounds(self) -> usize {
        if self.folds.is_some() { 2 } else { 0 }
    }

    /// The number of columns for the number of places where functions are inlined.
    fn places(self) -> usize {
        usize::from(self.folds.is_some_and(Folds::knows_inlined))
    }

    #[inline(always)]
    pub(super) fn counts(self, row: &'a [i64]) -> impl Iterator<Item = Cell<'a>> {
        self.selection
            .show
            .iter()
            .map(move |&event| self.cell(row, event))
    }

    /// The counts, or empty cells if they are unknown.
    pub(super) fn known(self, cost: Option<&'a [i64]>) -> impl Iterator<Item = Cell<'a>> {
        self.selection
            .show
            .iter()
            .map(move |&event| cost.map_or(Cell::Empty, |cost| self.cell(cost, event)))
    }

    fn cell(self, row: &[i64], event: Event) -> Cell<'a> {
        let count = self.profile.events.count(row, event);
        figure(event, count.map(i128::from))
    }

    /// The column of an event. Its counts may have percentages of `whole`.
    pub(super) fn column(self, event: Event, whole: &[i64]) -> Column {
        let events = &self.profile.events;
        Column {
            name: events.text(event).into_owned(),
            whole: (self.shares && events.has_shares(event))
                .then(|| events.counted(whole, event).into()),
        }
    }

    /// Further columns for each event, named `what`.
    fn columns(self, what: &str, whole: &[i64]) -> impl Iterator<Item = Column> {
        self.selection.show.iter().map(move |&event| {
            let column = self.column(event, whole);
            let name = format!("{} {what}", column.name);
            Column { name, ..column }
        })
    }

    fn table<I>(self, frame: &'a ListFrame<'a>, names: &[&str], rows: I) -> Table<'a, I> {
        let totals = frame.totals.cost;
        let counts = self
            .selection
            .show
            .iter()
            .map(|&event| self.column(event, totals));
        let columns = columns(counts, names);
        let total = Some(summing(
            self.counts(totals),
            named(b"(total)"),
            columns.len(),
        ));
        // If costs do not add up, the omitted rows are only counted.
        let rest = rest::rows(frame).map(|(cost, words)| {
            let known = Some(cost).filter(|cost| !cost.is_empty());
            summing(self.known(known), Cell::Text(words), columns.len())
        });
        Table {
            title: title(self.profile),
            rest: rest.collect(),
            columns,
            total,
            rows,
        }
    }
}

/// Inserts columns after those of the counts. They are empty in rows about the whole table.
fn widened<'a, I>(mut table: Table<'a, I>, counts: usize, more: Vec<Column>) -> Table<'a, I> {
    for row in table.total.iter_mut().chain(&mut table.rest) {
        row.splice(counts..counts, more.iter().map(|_| Cell::Empty));
    }
    table.columns.splice(counts..counts, more);
    table
}

/// The title of a table of a profile.
pub(super) fn title(profile: &Profile) -> String {
    let command = profile.command();
    format!("cgannotate: {}", String::from_utf8_lossy(command))
}
