//! What the rows of tables are made of, for every kind of list.

use super::table::{Cell, Form, Row, Table, write};
use crate::analysis::difference::{Change, Cost, Difference, LineDifference, Pair, Rest, Row as ChangedRow};
use crate::analysis::{Label, Selection};
use crate::profile::{Event, Events, Profile};
use crate::view::groups::By;
use crate::view::line_list::LineList;
use crate::view::{Groups, Listing};
use std::io::{self, Write};

/// How lists become tables.
pub struct Lists<'a> {
    /// The form.
    pub form: Form,
    /// What the events mean.
    pub events: &'a Events,
    /// The columns of counts.
    pub selection: &'a Selection,
    /// Whether counts in Markdown are followed by shares.
    pub shares: bool,
}

impl<'a> Lists<'a> {
    /// Functions with their self cost, or inclusive cost.
    ///
    /// # Errors
    /// Those of `out`, here and below.
    pub fn functions(&self, listing: &Listing<'a>, title: String, out: impl Write) -> io::Result<()> {
        let totals = listing.totals;
        let rows = listing.rows.iter().map(|r| {
            move |row: &mut Row<'a>| {
                self.counts(r.cost, totals, row);
                row.extend(triple(&r.label));
            }
        });
        self.write(title, &["function", "file", "object"], totals, rows, out)
    }

    /// Sums by something larger than a function.
    pub fn groups(&self, groups: &Groups<'a>, totals: &[i64], title: String, out: impl Write) -> io::Result<()> {
        let name = match groups.by {
            By::Function => "function",
            By::File => "file",
            By::Object => "object",
            By::Class => "class",
        };
        let rows = groups.rows.iter().map(|g| {
            move |row: &mut Row<'a>| {
                self.counts(&g.cost, totals, row);
                row.push(Cell::Name(g.name));
            }
        });
        self.write(title, &[name], totals, rows, out)
    }

    /// Lines of functions.
    pub fn lines(&self, list: &LineList, profile: &'a Profile, title: String, out: impl Write) -> io::Result<()> {
        let totals = &profile.totals.row;
        let rows = list.lines.iter().map(|line| {
            move |row: &mut Row<'a>| {
                self.counts(profile.line_cost(line), totals, row);
                let [name, _, object] = triple(&Label::of(profile, line.function));
                row.extend([Cell::Name(profile.name(line.file)), Cell::Number(line.line), name, object]);
            }
        });
        self.write(title, &["file", "line", "function", "object"], totals, rows, out)
    }

    #[inline(always)]
    fn counts(&self, costs: &[i64], totals: &[i64], row: &mut Row<'a>) {
        let count = |costs: &[i64], event| i128::from(self.events.count(costs, event).unwrap_or(0));
        let shares = self.shares && row.has_shares();
        for &event in &self.selection.show {
            let total = (shares && self.events.has_shares(event)).then(|| count(totals, event));
            row.push(Cell::Count(count(costs, event), total));
        }
    }

    fn name(&self, event: Event) -> String {
        String::from_utf8_lossy(self.events.name(event)).into_owned()
    }

    fn write(
        &self,
        title: String,
        names: &[&str],
        totals: &[i64],
        rows: impl Iterator<Item = impl FnOnce(&mut Row<'a>)>,
        out: impl Write,
    ) -> io::Result<()> {
        let columns = self.selection.show.iter().map(|&event| self.name(event));
        let columns = columns.chain(names.iter().map(|&name| name.to_owned())).collect();
        let show = self.selection.show.iter();
        let counts = show.map(|&event| Cell::Count(self.events.count(totals, event).unwrap_or(0).into(), None));
        let mut total: Vec<Cell> = counts.collect();
        total.push(Cell::Name(b"(total)"));
        total.resize(self.selection.show.len() + names.len(), Cell::Empty);
        write(self.form, Table { title, columns, total: Some(total), rest: None, rows }, out)
    }
}

fn triple<'a>(label: &Label<'a>) -> [Cell<'a>; 3] {
    [Cell::Name(label.name), Cell::Name(label.file), label.object.map_or(Cell::Empty, Cell::Name)]
}

/// Changes as tables: old, new and change of every event.
pub struct Changes<'a> {
    /// The form.
    pub form: Form,
    /// What the events mean.
    pub events: &'a Events,
    /// The events.
    pub selection: &'a Selection,
}

impl<'a> Changes<'a> {
    /// Functions.
    ///
    /// # Errors
    /// Those of `out`, here and below.
    pub fn functions(&self, difference: &'a Difference<'a>, out: impl Write) -> io::Result<()> {
        let cost = |row: &'a ChangedRow<'a>| match difference.by {
            Cost::Own => &row.own,
            Cost::Inclusive => &row.inclusive,
        };
        let rows = difference.rows.iter().map(|row| {
            move |cells: &mut Row<'a>| {
                cells.extend(self.counts(cost(row)));
                cells.push(Cell::Name(status(row.pair)));
                let label = row.new.or(row.old);
                cells.extend(label.map_or([Cell::Empty, Cell::Empty, Cell::Empty], |label| triple(&label)));
            }
        });
        self.write(&["status", "function", "file", "object"], &difference.total, &difference.others, rows, out)
    }

    /// Lines.
    pub fn lines(&self, difference: &'a LineDifference<'a>, out: impl Write) -> io::Result<()> {
        let matching = difference.matching;
        let number = |line: Option<u64>| line.map_or(Cell::Empty, Cell::Number);
        let rows = difference.rows.iter().map(|row| {
            move |cells: &mut Row<'a>| {
                let file = Cell::Name(matching.new.profile.name(row.file));
                let name = matching.label(row.pair).map_or(Cell::Empty, |label| Cell::Name(label.name));
                cells.extend(self.counts(&row.cost));
                cells.extend([file, number(row.old_line), number(row.new_line), name]);
            }
        });
        self.write(&["file", "old line", "new line", "function"], &difference.total, &difference.others, rows, out)
    }

    fn counts<'b>(&'b self, change: &'b Change) -> impl Iterator<Item = Cell<'a>> + use<'a, 'b> {
        self.selection.show.iter().flat_map(move |&event| {
            let (old, new) = change.counts(self.events, event);
            let [old, new] = [old, new].map(|count| i128::from(count.unwrap_or(0)));
            [Cell::Count(old, None), Cell::Count(new, None), Cell::Count(new - old, None)]
        })
    }

    fn write(
        &self,
        names: &[&str],
        total: &Change,
        others: &Rest,
        rows: impl Iterator<Item = impl FnOnce(&mut Row<'a>)>,
        out: impl Write,
    ) -> io::Result<()> {
        let event_names = self.selection.show.iter().flat_map(|&event| {
            let name = String::from_utf8_lossy(self.events.name(event)).into_owned();
            ["old", "new", "change"].map(|what| format!("{name} {what}"))
        });
        let columns: Vec<String> = event_names.chain(names.iter().map(|&name| name.to_owned())).collect();
        let mut total: Vec<Cell> = self.counts(total).collect();
        total.push(Cell::Name(b"(total)"));
        total.resize(columns.len(), Cell::Empty);
        let rest = (others.count > 0).then(|| {
            let mut rest: Vec<Cell> = self.counts(&others.cost).collect();
            rest.push(Cell::Text(format!("({} others)", others.count)));
            rest.resize(columns.len(), Cell::Empty);
            rest
        });
        let title = "cgannotate: what changed".into();
        write(self.form, Table { title, columns, total: Some(total), rest, rows }, out)
    }
}

/// Which of the runs has a function.
fn status(pair: Pair) -> &'static [u8] {
    match (pair.old, pair.new) {
        (Some(_), Some(_)) => b"changed",
        (None, _) => b"new",
        (Some(_), None) => b"gone",
    }
}
