//! The lists of one profile as tables: functions, groups of them, lines.

use super::{Cell, Column, Table, summing, triple};
use crate::analysis::{Label, Selection};
use crate::profile::Profile;
use crate::view::groups::By;
use crate::view::line_list::LineList;
use crate::view::{Groups, Listing};

/// How the lists of a profile become tables.
#[derive(Clone, Copy)]
pub struct Lists<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The columns of counts.
    pub selection: &'a Selection,
    /// Whether counts have shares.
    pub shares: bool,
}

impl<'a> Lists<'a> {
    /// Functions with their self cost, or inclusive cost.
    pub fn functions(
        self,
        listing: &'a Listing<'a>,
    ) -> Table<'a, impl Iterator<Item = impl Iterator<Item = Cell<'a>>>> {
        let rows = listing.rows.iter().map(move |row| self.counts(row.cost).chain(triple(&row.label)));
        self.table(listing.totals, &["function", "file", "object"], rows)
    }

    /// Sums by something larger than a function.
    pub fn groups(self, groups: &'a Groups<'a>) -> Table<'a, impl Iterator<Item = impl Iterator<Item = Cell<'a>>>> {
        let name = match groups.by {
            By::Function => "function",
            By::File => "file",
            By::Object => "object",
            By::Class => "class",
        };
        let rows = groups.rows.iter().map(move |group| self.counts(&group.cost).chain([Cell::Name(group.name)]));
        self.table(&self.profile.totals.row, &[name], rows)
    }

    /// Lines of functions.
    pub fn lines(self, list: &'a LineList<'a>) -> Table<'a, impl Iterator<Item = impl Iterator<Item = Cell<'a>>>> {
        let profile = self.profile;
        let rows = list.lines.iter().map(move |line| {
            let [name, _, object] = triple(&Label::of(profile, line.function));
            let place = [Cell::Name(profile.name(line.file)), Cell::Number(line.line), name, object];
            self.counts(profile.line_cost(line)).chain(place)
        });
        self.table(&profile.totals.row, &["file", "line", "function", "object"], rows)
    }

    #[inline(always)]
    fn counts(self, row: &'a [i64]) -> impl Iterator<Item = Cell<'a>> {
        let events = &self.profile.events;
        self.selection.show.iter().map(move |&event| Cell::Count(events.count(row, event).unwrap_or(0).into()))
    }

    fn table<I>(self, totals: &'a [i64], names: &[&str], rows: I) -> Table<'a, I> {
        let events = &self.profile.events;
        let counts = self.selection.show.iter().map(|&event| Column {
            name: String::from_utf8_lossy(events.name(event)).into_owned(),
            whole: (self.shares && events.has_shares(event)).then(|| events.count(totals, event).unwrap_or(0).into()),
        });
        let columns: Vec<Column> = counts.chain(names.iter().map(|&name| Column::plain(name))).collect();
        let total = Some(summing(self.counts(totals), Cell::Name(b"(total)"), columns.len()));
        Table { title: title(self.profile), columns, total, rest: None, rows }
    }
}

/// What a table of a profile is called.
pub(super) fn title(profile: &Profile) -> String {
    let command = profile.parts.first().map_or(&b""[..], |part| &part.command);
    format!("cgannotate: {}", String::from_utf8_lossy(command))
}
