//! Rows as values: numbers, then text. What they are made of is said by [`Look`]: the profile, the event, what shares are of.

use super::comparison::{Comparison, Counts};
use super::data::Data;
use super::place::Sort;
use crate::analysis::Label;
use crate::analysis::difference::ChangeRef;
use crate::profile::{FunctionId, base_name};
use crate::text::number::grouped;
use crate::text::style::Style;

/// What shares are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shares {
    /// The program's total.
    Total,
    /// What the screen is about.
    Parent,
    /// There are none.
    Hidden,
}

/// How the rows are looked at.
#[derive(Clone, Copy)]
pub(super) struct Look<'d> {
    /// The profile.
    pub data: &'d Data,
    /// What is counted, as a place in [`Data::events`].
    pub event: usize,
    /// What shares are of.
    pub shares: Shares,
    /// The order of the rows.
    pub sort: Sort,
    /// What the older run cost, where changes show.
    pub before: Option<&'d Comparison>,
    /// What events are called.
    pub names: Names,
}

/// What events are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// As their counts are shown, which can be as times.
    Shown,
    /// As they were recorded.
    Recorded,
}

/// The heading of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Column {
    /// What stands above it.
    pub title: String,
    /// Whether rows are ordered by it.
    pub sorts: bool,
}

impl Column {
    /// One that rows are not ordered by.
    pub(super) fn new(title: impl Into<String>) -> Column {
        Column {
            title: title.into(),
            sorts: false,
        }
    }

    /// The same, by which rows are ordered if that is so.
    pub(super) fn sorting(self, sorts: bool) -> Column {
        Column { sorts, ..self }
    }
}

/// One cell before the name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Cell {
    /// It does not apply.
    Nothing,
    /// A cost; `None` was never written.
    Cost(Cost),
    /// What it cost before, and now.
    Change(Change),
    /// How often.
    Times(u64),
    /// The number of a line.
    Line(u64),
}

impl Cell {
    /// Its number, if it has one.
    pub(super) fn number(&self) -> Option<i128> {
        match *self {
            Cell::Nothing => None,
            Cell::Cost(cost) => cost.count.map(i128::from),
            Cell::Change(change) => Some(change.difference()),
            Cell::Times(count) | Cell::Line(count) => Some(count.into()),
        }
    }
}

/// A cost and what its share is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cost {
    /// The count; `None` was never written.
    pub count: Option<i64>,
    /// What 100 % is; `None` where a share means nothing.
    pub of: Option<i64>,
    /// Nanoseconds of one, where times are shown.
    pub tick: Option<u64>,
}

/// A cost before and now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// The count before; `None` was never written.
    pub old: Option<i64>,
    /// The count now.
    pub new: Option<i64>,
    /// Nanoseconds of one, where times are shown.
    pub tick: Option<u64>,
}

impl Change {
    /// By how much it is more.
    pub(super) fn difference(self) -> i128 {
        i128::from(self.new.unwrap_or(0)) - i128::from(self.old.unwrap_or(0))
    }
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    /// The numbers.
    pub cells: Vec<Cell>,
    /// What stands before the name and is never cut.
    pub lead: String,
    /// The name or the text.
    pub text: String,
    /// Where that is, if there is room.
    pub place: String,
    /// How the text looks.
    pub style: Option<Style>,
    /// Whether it is a name, which is shortened by its parts.
    pub shape: Shape,
}

/// What a row is about, for tables that programs read.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct About<'a> {
    /// What it says of the screen's function, where there is one.
    pub what: &'static str,
    /// The function.
    pub label: Option<Label<'a>>,
    /// What is to be known of its numbers.
    pub note: Option<String>,
}

/// What the text of a row is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// A name.
    Name,
    /// A line of source, or words.
    Text,
}

impl Row {
    /// The same with a note before its place.
    pub(super) fn noted(mut self, note: Option<String>) -> Row {
        if let Some(note) = note {
            self.place = format!("{note}; {}", self.place);
        }
        self
    }

    /// A name with its place, behind something that is never cut.
    pub(super) fn named(
        cells: Vec<Cell>,
        lead: impl Into<String>,
        (text, place): (String, String),
    ) -> Row {
        Row {
            cells,
            lead: lead.into(),
            text,
            place,
            style: None,
            shape: Shape::Name,
        }
    }

    pub(super) fn words(cells: Vec<Cell>, text: impl Into<String>) -> Row {
        Row {
            cells,
            lead: String::new(),
            text: text.into(),
            place: String::new(),
            style: Some(Style::Dim),
            shape: Shape::Text,
        }
    }
}

impl Look<'_> {
    /// A cost cell; `whole` is what the screen is about.
    pub(super) fn cost(&self, count: Option<i64>, whole: Option<i64>) -> Cell {
        let events = &self.data.profile().events;
        let Some(&event) = self.data.events.get(self.event) else {
            return Cell::Nothing;
        };
        let total = match (self.shares, whole) {
            (Shares::Hidden, _) => None,
            (Shares::Parent, Some(whole)) => Some(whole),
            (Shares::Total | Shares::Parent, _) => Some(self.data.total(self.event)),
        };
        let of = total.filter(|_| events.has_shares(event));
        Cell::Cost(Cost {
            count,
            of,
            tick: events.tick(event),
        })
    }

    /// A cell of what something cost in the older run.
    pub(super) fn older_cost(&self, row: &[i64]) -> Cell {
        let shares = match self.shares {
            Shares::Hidden => Shares::Hidden,
            Shares::Total | Shares::Parent => Shares::Parent,
        };
        let counts = self.data.before().and_then(|before| {
            let total = &before.matching.old.profile.totals.row;
            let rows = ChangeRef {
                old: row,
                new: total,
            };
            before.counts(self.event, rows)
        });
        let (count, total) = counts.unwrap_or_default();
        Look { shares, ..*self }.cost(count, total)
    }

    /// A cell of what a cost was and is, if that is known.
    pub(super) fn change(&self, counts: Option<Counts>) -> Cell {
        let event = self.data.events.get(self.event);
        let tick = event.and_then(|&event| self.data.profile().events.tick(event));
        counts.map_or(Cell::Nothing, |(old, new)| {
            Cell::Change(Change { old, new, tick })
        })
    }

    /// The same of two rows of counts; nothing where there are none, or only one of the runs counts the event.
    pub(super) fn changed(&self, rows: Option<ChangeRef<'_>>) -> Cell {
        let known = self.before.zip(rows);
        self.change(known.and_then(|(before, rows)| before.counts(self.event, rows)))
    }

    /// That a function is compared as one with others, if it is.
    pub(super) fn compared_as_one(&self, id: FunctionId) -> Option<String> {
        let members = self.before.map_or(1, |before| before.members(id));
        (members > 1).then(|| format!("{} compared as one", grouped(members)))
    }

    /// The count of this event in a row of counts.
    pub(super) fn count(&self, row: &[i64]) -> Option<i64> {
        let event = *self.data.events.get(self.event)?;
        self.data.profile().events.count(row, event)
    }

    /// The same for every other event, which shows where there is room.
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
        (0..self.data.events.len())
            .filter(move |&event| event != self.event)
            .map(move |event| Look { event, ..self })
    }

    /// The name of what is counted.
    pub(super) fn event_name(&self) -> String {
        let events = &self.data.profile().events;
        let name = |&event| match self.names {
            Names::Shown => crate::view::figures::name(events, event),
            Names::Recorded => events.name(event),
        };
        self.data
            .events
            .get(self.event)
            .map(name)
            .map_or_else(String::new, crate::text::escape::shown)
    }

    /// A function as a name and a place.
    pub(super) fn function(&self, id: FunctionId) -> (String, String) {
        self.label(&Label::new(self.data.profile(), id))
    }

    /// A label as a name and a place.
    pub(super) fn label(&self, label: &Label<'_>) -> (String, String) {
        use crate::text::escape::shown;
        let file = shown(self.data.shown(label.file));
        let object = label.object.map(|object| shown(base_name(object)));
        let place = object.map_or(file.clone(), |object| format!("{file} [{object}]"));
        (shown(label.name.bytes()), place)
    }
}
