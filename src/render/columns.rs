//! The columns of counts in the classic report: counts with thousands separators, shares, widths.

use crate::analysis::Selection;
use crate::profile::{Event, Events};
use crate::text::number::{Cell, LONGEST_DURATION, MICRO, duration};
use crate::text::style::{Style, styled};
use std::io;
use termcolor::WriteColor;

/// One set of columns: the events that show, and how wide each column is.
pub struct Columns<'a> {
    events: &'a Events,
    shown: Vec<Column>,
    /// A row that says nothing, as it is printed.
    blank: Vec<u8>,
}

struct Column {
    event: Event,
    width: usize,
    /// What 100 % is, if counts have shares.
    total: Option<i64>,
    /// The nanoseconds of a count, if those are shown as times.
    tick: Option<u64>,
}

impl<'a> Columns<'a> {
    /// Columns wide enough for counts of the given lengths (an entry an event, recorded ones first). With `shares_of`
    /// every count but zero is followed by its percentage of that row, if the event has shares.
    pub fn new(events: &'a Events, selection: &Selection, longest: &[usize], shares_of: Option<&[i64]>) -> Columns<'a> {
        Columns::of(events, &selection.show, longest, shares_of)
    }

    /// The same, of these events.
    pub fn of(events: &'a Events, show: &[Event], longest: &[usize], shares_of: Option<&[i64]>) -> Columns<'a> {
        let recorded = events.recorded().len();
        let column = |&event: &Event| {
            let place = match event {
                Event::Recorded(at) => at,
                Event::Derived(at) => recorded + at,
            };
            let totals = shares_of.filter(|_| events.has_shares(event));
            let tick = events.tick(event);
            let counts = match longest.get(place).copied().unwrap_or(0) {
                0 => 0,
                digits => {
                    let count = match tick {
                        Some(_) => LONGEST_DURATION,
                        None => digits + (digits - 1) / 3,
                    };
                    count + totals.map_or(0, |_| " (12.34%)".len())
                }
            };
            let total = totals.map(|totals| events.count(totals, event).unwrap_or(0));
            Column { event, width: counts.max(events.name(event).len()), total, tick }
        };
        let mut columns = Columns { events, shown: show.iter().map(column).collect(), blank: Vec::new() };
        let mut blank = Vec::new();
        columns.cells(&[], |_, pad, text| {
            blank.resize(blank.len() + pad, b' ');
            blank.extend_from_slice(text);
            blank.push(b' ');
        });
        columns.blank = blank;
        columns
    }

    /// How many of the events, from the left, leave so much of a width for names; at least one.
    pub fn leaving(&self, names: usize, width: usize) -> usize {
        let ends = self.shown.iter().scan(0, |end, column| {
            *end += column.width + 1;
            Some(*end)
        });
        ends.take_while(|end| end + names <= width).count().max(1)
    }

    /// How wide a row is, with the blank behind it.
    pub fn width(&self) -> usize {
        self.shown.iter().map(|column| column.width + 1).sum()
    }

    /// The names of the events.
    pub fn heading(&self, out: &mut dyn WriteColor) -> io::Result<()> {
        for column in &self.shown {
            let name = self.events.name(column.event);
            out.write_all(name)?;
            write!(out, "{:1$} ", "", column.width.saturating_sub(name.len()))?;
        }
        Ok(())
    }

    /// The counts of a row, in colours by their share.
    pub fn row(&self, out: &mut dyn WriteColor, row: &[i64]) -> io::Result<()> {
        self.row_as(out, row, None)
    }

    /// The counts of a row that sums others up: it is large, but not hot.
    pub(super) fn rest(&self, out: &mut dyn WriteColor, row: &[i64]) -> io::Result<()> {
        self.row_as(out, row, Some(Style::Dim))
    }

    fn row_as(&self, out: &mut dyn WriteColor, row: &[i64], as_one: Option<Style>) -> io::Result<()> {
        if out.supports_color() {
            let mut written = Ok(());
            self.cells(row, |style, pad, text| {
                if written.is_ok() {
                    written = write!(out, "{:pad$}", "")
                        .and_then(|()| styled(out, as_one.unwrap_or_else(style), |out| out.write_all(text)))
                        .and_then(|()| out.write_all(b" "));
                }
            });
            return written;
        }
        if row.is_empty() {
            return out.write_all(&self.blank);
        }
        let mut line = Vec::with_capacity(self.blank.len() + 16);
        self.cells(row, |_, pad, text| {
            line.resize(line.len() + pad, b' ');
            line.extend_from_slice(text);
            line.push(b' ');
        });
        out.write_all(&line)
    }

    /// Gives every cell of a row: its style, the blanks before it, and its text.
    #[inline(always)]
    fn cells(&self, row: &[i64], mut give: impl FnMut(&dyn Fn() -> Style, usize, &[u8])) {
        let mut text = Cell::default();
        for &Column { event, width, total, tick } in &self.shown {
            text.clear();
            let count = self.events.count(row, event);
            match count {
                None => text.push_all(b"."),
                Some(count) => match tick {
                    Some(tick) => text.push_all(duration(count, tick).as_bytes()),
                    None => text.push_count(count),
                },
            }
            match (count, total) {
                (_, None) => {}
                (None | Some(0), Some(_)) => text.push_all(b"         "),
                (Some(count), Some(total)) => text.push_share(count, total),
            }
            let style = || match (count, total) {
                (None, _) => Style::Dim,
                (Some(_), None) => Style::Warm,
                (Some(count), Some(total)) => Style::of_share(count, total),
            };
            let text = text.as_bytes();
            // Of a micro sign only one byte shows.
            let taken = text.len() - if tick.is_some() { text.iter().filter(|&&b| b == MICRO).count() } else { 0 };
            give(&style, width.saturating_sub(taken), text);
        }
    }
}
