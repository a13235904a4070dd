//! Rows as values: numbers, then text. [`RowSettings`] say which profile and event they show, and
//! what percentages refer to.

use super::{
    Data,
    comparison::{CountPair, RunComparison},
    place::Sort,
};
use crate::{
    analysis::{Label, difference::ChangeRef},
    profile::{Event, Events, FunctionId, base_name},
    text::{Style, grouped},
};

/// What percentages refer to.
#[derive(Clone, Copy)]
pub(super) enum ShareBase {
    /// The program's total.
    Total,
    /// The cost of the screen's subject.
    Parent,
    /// Percentages are hidden.
    Hidden,
}

/// The settings with which rows are made.
#[derive(Clone, Copy)]
pub(super) struct RowSettings<'d> {
    pub data: &'d Data,
    /// The selected event, as an index into [`Data::events`].
    pub event: usize,
    pub shares: ShareBase,
    pub sort: Sort,
    /// The older run, if changes are shown.
    pub before: Option<&'d RunComparison>,
    pub names: EventNames,
}

/// How events are named.
#[derive(Clone, Copy)]
pub(super) enum EventNames {
    /// As in the report, where some counts become times.
    Shown,
    /// As in the profile.
    Recorded,
}

/// The title of a column.
pub(super) struct RowColumn {
    pub title: String,
    /// Whether rows are sorted by this column.
    pub sorts: bool,
}

impl RowColumn {
    /// A column that rows are not sorted by.
    pub(super) fn new(title: impl Into<String>) -> RowColumn {
        RowColumn {
            title: title.into(),
            sorts: false,
        }
    }

    /// Sets whether rows are sorted by this column.
    pub(super) fn sorting(self, sorts: bool) -> RowColumn {
        RowColumn { sorts, ..self }
    }
}

/// A cell to the left of the name.
#[derive(Clone, Copy)]
pub(super) enum RowCell {
    /// A cost.
    Cost(RowCost),
    /// The cost in both runs.
    Change(RowChange),
    /// A number of calls, members or the like.
    Times(u64),
    /// A line number.
    Line(u64),
}

impl RowCell {
    /// The number in the cell, if it has one.
    pub(super) fn number(&self) -> Option<i128> {
        match *self {
            RowCell::Cost(cost) => cost.count.map(i128::from),
            RowCell::Change(change) => Some(change.difference()),
            RowCell::Times(count) | RowCell::Line(count) => Some(count.into()),
        }
    }
}

/// A cost and its reference for percentages.
#[derive(Clone, Copy)]
pub(super) struct RowCost {
    /// `None` if the profile has no count.
    pub count: Option<i64>,
    /// The count that is 100 %; `None` if there is no percentage.
    pub of: Option<i64>,
    /// Nanoseconds per count, for events shown as times.
    pub tick: Option<u64>,
}

/// A cost in both runs.
#[derive(Clone, Copy)]
pub(super) struct RowChange {
    /// `None` if the profile has no count.
    pub old: Option<i64>,
    pub new: Option<i64>,
    /// Nanoseconds per count, for events shown as times.
    pub tick: Option<u64>,
}

impl RowChange {
    /// The increase.
    pub(super) fn difference(self) -> i128 {
        i128::from(self.new.unwrap_or(0)) - i128::from(self.old.unwrap_or(0))
    }
}

pub(super) struct Row {
    /// `None` for an empty cell.
    pub cells: Vec<Option<RowCell>>,
    /// A prefix of the text that is never shortened.
    pub lead: String,
    /// The name or the text.
    pub text: String,
    /// Where the function is; shown if there is room.
    pub place: String,
    pub style: Option<Style>,
    /// How the text is shortened.
    pub shape: TextKind,
}

/// The subject of a row, for CSV output.
#[derive(Default)]
pub(super) struct RowSubject<'a> {
    /// The relation to the screen's function, if there is one.
    pub what: &'static str,
    pub label: Option<Label<'a>>,
    /// A remark on the numbers.
    pub note: Option<String>,
}

/// What the text of a row is.
#[derive(Clone, Copy)]
pub(super) enum TextKind {
    /// A name, which is shortened by its parts.
    Name,
    /// A source line or a message.
    Text,
}

impl Row {
    /// Adds a note before the place.
    pub(super) fn noted(mut self, note: Option<String>) -> Row {
        if let Some(note) = note {
            self.place = format!("{note}; {}", self.place);
        }
        self
    }

    /// A row with a name, its place and a prefix that is never shortened.
    pub(super) fn named(
        cells: Vec<Option<RowCell>>,
        lead: impl Into<String>,
        (text, place): (String, String),
    ) -> Row {
        Row {
            cells,
            lead: lead.into(),
            text,
            place,
            style: None,
            shape: TextKind::Name,
        }
    }

    pub(super) fn words(cells: Vec<Option<RowCell>>, text: impl Into<String>) -> Row {
        Row {
            cells,
            lead: String::new(),
            text: text.into(),
            place: String::new(),
            style: Some(Style::Dim),
            shape: TextKind::Text,
        }
    }
}

/// Says how many functions or groups the comparison merges, if there are several.
pub(super) fn as_one(members: usize) -> Option<String> {
    (members > 1).then(|| format!("{} compared as one", grouped(members)))
}

impl<'d> RowSettings<'d> {
    /// The selected event, and the events of its profile.
    pub(super) fn counted(&self) -> (&'d Events, Event) {
        let data = self.data;
        (&data.profile().events, data.events[self.event])
    }

    /// A cost cell; `whole` is the cost of the screen's subject.
    pub(super) fn cost(&self, count: Option<i64>, whole: Option<i64>) -> Option<RowCell> {
        let (events, event) = self.counted();
        let total = match (self.shares, whole) {
            (ShareBase::Hidden, _) => None,
            (ShareBase::Parent, Some(whole)) => Some(whole),
            (ShareBase::Total | ShareBase::Parent, _) => Some(self.data.total(self.event)),
        };
        let of = total.filter(|_| events.has_shares(event));
        let tick = events.tick(event);
        Some(RowCell::Cost(RowCost { count, of, tick }))
    }

    /// A cell with a cost of the older run.
    pub(super) fn older_cost(&self, row: &[i64]) -> Option<RowCell> {
        let shares = match self.shares {
            ShareBase::Hidden => ShareBase::Hidden,
            ShareBase::Total | ShareBase::Parent => ShareBase::Parent,
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
        RowSettings { shares, ..*self }.cost(count, total)
    }

    /// Nanoseconds per count, if the event is shown as times.
    pub(super) fn tick(&self) -> Option<u64> {
        let (events, event) = self.counted();
        events.tick(event)
    }

    /// A cell with the cost in both runs; empty if it is unknown.
    pub(super) fn change(&self, counts: Option<CountPair>) -> Option<RowCell> {
        let ((old, new), tick) = (counts?, self.tick());
        Some(RowCell::Change(RowChange { old, new, tick }))
    }

    /// The same for two rows of counts. The cell is empty if they are missing or one run lacks the
    /// event.
    pub(super) fn changed(&self, rows: Option<ChangeRef<'_>>) -> Option<RowCell> {
        let known = self.before.zip(rows);
        self.change(known.and_then(|(before, rows)| before.counts(self.event, rows)))
    }

    /// Says how many functions the comparison merges with this one, if there are others.
    pub(super) fn compared_as_one(&self, id: FunctionId) -> Option<String> {
        as_one(self.before?.members(id) as usize)
    }

    /// The count of the selected event in a row of counts.
    pub(super) fn count(&self, row: &[i64]) -> Option<i64> {
        let (events, event) = self.counted();
        events.count(row, event)
    }

    /// The same settings for every other event.
    pub(super) fn others(self) -> impl Iterator<Item = Self> {
        (0..self.data.events.len())
            .filter(move |&event| event != self.event)
            .map(move |event| RowSettings { event, ..self })
    }

    pub(super) fn event_name(&self) -> String {
        let (events, event) = self.counted();
        crate::text::escape::shown(match self.names {
            EventNames::Shown => crate::view::figures::name(events, event),
            EventNames::Recorded => events.name(event),
        })
    }

    /// The name and the place of a function.
    pub(super) fn function(&self, id: FunctionId) -> (String, String) {
        self.label(&Label::new(self.data.profile(), id))
    }

    /// The name and the place of a label.
    pub(super) fn label(&self, label: &Label<'_>) -> (String, String) {
        use crate::text::escape::shown;
        let file = shown(self.data.shown(label.file));
        let object = label.object.map(|object| shown(base_name(object)));
        let place = object.map_or(file.clone(), |object| format!("{file} [{object}]"));
        (shown(label.name.bytes()), place)
    }
}
