//! Changes between two runs as tables: old, new and change of every event.

use super::{Cell, Column, Rows, Table, columns, figure, named, summing, triple};
use crate::{
    analysis::{
        Cost, Selection,
        difference::{ChangeFrame, ChangeRef, Difference, GroupDifference, LineDifference},
    },
    profile::Events,
};

/// How changes become tables.
#[derive(Clone, Copy)]
pub struct ChangeLists<'a> {
    /// The events of both runs.
    pub events: &'a Events,
    /// The events to show and sort by.
    pub selection: &'a Selection,
    /// Whether changes can be estimates, because the profiles are of your code. Columns for their
    /// bounds are of the first sort event if it is shown, otherwise of the first shown event.
    pub has_estimates: bool,
}

impl<'a> ChangeLists<'a> {
    /// Functions.
    pub fn functions(self, difference: &'a Difference<'a>) -> Table<'a, impl Rows<'a>> {
        let names = &["status", "function", "file", "object", "least", "most"];
        let names = if self.has_estimates {
            &names[..]
        } else {
            &names[..4]
        };
        let sorting = self
            .selection
            .show
            .iter()
            .position(|event| self.selection.sort.first() == Some(event));
        let bounded = sorting.unwrap_or(0);
        let bounded = self.selection.show.get(bounded);
        let rows = difference.listed.iter().map(move |&at| {
            let (matching, pair) = (difference.matching, difference.matching.pairs[at]);
            let cost = match difference.by {
                Cost::Own => difference.own(at),
                Cost::Inclusive => difference.inclusive(at),
            };
            let label = matching.label(at).as_ref().map(triple).unwrap_or_default();
            let known = bounded.filter(|_| difference.by == Cost::Own);
            let known = known.and_then(|&event| matching.estimated(pair, event));
            let known = known.map(|known| [known.least, known.most].map(Cell::Count));
            let known = known.unwrap_or_default().into_iter().take(names.len() - 4);
            self.counts(cost)
                .chain([named(status(pair.old.is_some(), pair.new.is_some()))])
                .chain(label)
                .chain(known)
        });
        self.table(names, &difference.frame, rows)
    }

    /// Lines.
    pub fn lines(self, difference: &'a LineDifference<'a>) -> Table<'a, impl Rows<'a>> {
        let matching = difference.matching;
        let number = |line: Option<u64>| line.map_or(Cell::Empty, Cell::Number);
        let rows = difference.rows().map(move |row| {
            let file = named(difference.place(row).0);
            let name = matching
                .label(row.pair)
                .map_or(Cell::Empty, |label| Cell::Name(label.name));
            let cost = row.cost(matching);
            self.counts(cost)
                .chain([file, number(row.old_line()), number(row.new_line()), name])
        });
        let names = ["file", "old line", "new line", "function"];
        self.table(&names, &difference.frame, rows)
    }

    /// Objects, files or classes.
    pub fn groups(self, difference: &'a GroupDifference<'a>) -> Table<'a, impl Rows<'a>> {
        let [noun, _] = difference.by.nouns();
        let rows = difference.rows.iter().map(move |row| {
            let status = status(row.old.is_some(), row.new.is_some());
            self.counts(row.cost.lent())
                .chain([status, row.name()].map(named))
        });
        self.table(&["status", noun], &difference.frame, rows)
    }

    fn counts(self, change: ChangeRef<'a>) -> impl Iterator<Item = Cell<'a>> {
        self.selection.show.iter().flat_map(move |&event| {
            let figures = change.figures(self.events, event);
            figures.map(|count| figure(event, count))
        })
    }

    fn table<I>(self, names: &[&str], frame: &'a ChangeFrame, rows: I) -> Table<'a, I> {
        let (others, outside) = (&frame.others, frame.outside.lent());
        let counts = self.selection.show.iter().flat_map(|&event| {
            let name = self.events.text(event).into_owned();
            ["old", "new", "change"].map(|what| Column::plain(format!("{name} {what}")))
        });
        let columns = columns(counts, names);
        let sum = |cost: ChangeRef<'a>, name| summing(self.counts(cost), name, columns.len());
        let total = Some(sum(frame.total.lent(), named(b"(total)")));
        let others = (others.count > 0).then(|| {
            sum(
                others.cost.lent(),
                Cell::Text(format!("({} others)", others.count)),
            )
        });
        let outside = (self
            .selection
            .show
            .iter()
            .any(|&event| outside.delta(self.events, event) != 0))
        .then(|| sum(outside, named(b"(not attributed to any function)")));
        let rest = others.into_iter().chain(outside).collect();
        Table {
            title: "cgannotate: what changed".into(),
            columns,
            total,
            rest,
            rows,
        }
    }
}

/// Which of the runs has it.
fn status(is_in_old: bool, is_in_new: bool) -> &'static [u8] {
    match (is_in_old, is_in_new) {
        (true, false) => b"gone",
        (false, _) => b"new",
        (true, true) => b"changed",
    }
}
