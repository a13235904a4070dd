//! Formats the columns of counts in the classic report: thousands separators, percentages, widths.

use crate::{
    profile::{Event, Events},
    text::{
        Style, duration,
        number::{MICRO, push_count, push_share},
        write_styled,
    },
    view::figures::{self, PercentColumns},
};
use std::io;
use termcolor::WriteColor;

/// A set of columns: the events that are shown, and the width of each column.
pub struct EventColumns<'a> {
    events: &'a Events,
    shown: Vec<EventColumn>,
    /// An empty row, as printed.
    blank: Vec<u8>,
}

struct EventColumn {
    event: Event,
    title: Vec<u8>,
    width: usize,
    /// The count that is 100 %, if counts have percentages.
    total: Option<i64>,
    /// The nanoseconds per count, if counts are shown as times.
    tick: Option<u64>,
}

impl<'a> EventColumns<'a> {
    /// Columns of these events. They are wide enough for counts of the `longest` lengths: one entry
    /// per event, recorded events first. In columns with `shares`, every count except zero has its
    /// percentage of `totals`, if the event can have percentages.
    pub fn new(
        events: &'a Events,
        show: &[Event],
        longest: &[usize],
        totals: &[i64],
        shares: PercentColumns,
    ) -> EventColumns<'a> {
        EventColumns::titled(events, show, longest, totals, shares, |event| {
            figures::name(events, event).to_vec()
        })
    }

    /// Columns with other headings than the names of the events. A heading can widen its column.
    pub(super) fn titled<T: Into<Vec<u8>>>(
        events: &'a Events,
        show: &[Event],
        longest: &[usize],
        totals: &[i64],
        shares: PercentColumns,
        title: impl Fn(Event) -> T,
    ) -> EventColumns<'a> {
        let column = |(at, &event): (usize, &Event)| {
            let has_share = shares.has(at == 0) && events.has_shares(event);
            let title = title(event).into();
            let width = figures::width(events, event, longest, has_share).max(title.len());
            let total = has_share.then(|| events.counted(totals, event));
            EventColumn {
                event,
                title,
                width,
                total,
                tick: events.tick(event),
            }
        };
        let shown = show.iter().enumerate().map(column).collect();
        let mut columns = EventColumns {
            events,
            shown,
            blank: Vec::new(),
        };
        let mut blank = Vec::new();
        columns.cells(&[], |_, pad, text| {
            blank.resize(blank.len() + pad, b' ');
            blank.extend_from_slice(text);
            blank.push(b' ');
        });
        columns.blank = blank;
        columns
    }

    /// Removes the percentages of counts that are larger than their total. If the total is 0, a
    /// percentage is 0 %, as in all rows.
    pub(super) fn without_impossible_shares(mut self, row: &[i64]) -> EventColumns<'a> {
        for column in &mut self.shown {
            let count = self.events.counted(row, column.event);
            column.total = column.total.filter(|&total| count <= total || total == 0);
        }
        self
    }

    /// The width of a row, including the blank after it.
    pub fn width(&self) -> usize {
        self.shown.iter().map(|column| column.width + 1).sum()
    }

    /// Prints the names of the events.
    pub fn heading(&self, out: &mut dyn WriteColor) -> io::Result<()> {
        for column in &self.shown {
            out.write_all(&column.title)?;
            write!(
                out,
                "{:1$} ",
                "",
                column.width.saturating_sub(column.title.len())
            )?;
        }
        Ok(())
    }

    /// Prints the counts of a row, colored by their percentage.
    pub fn row(&self, out: &mut dyn WriteColor, row: &[i64]) -> io::Result<()> {
        self.row_as(out, row, None)
    }

    /// Prints the counts of a row of sums, dimmed: they are large, but not hot.
    pub(super) fn rest(&self, out: &mut dyn WriteColor, row: &[i64]) -> io::Result<()> {
        self.row_as(out, row, Some(Style::Dim))
    }

    fn row_as(
        &self,
        out: &mut dyn WriteColor,
        row: &[i64],
        as_one: Option<Style>,
    ) -> io::Result<()> {
        if out.supports_color() {
            let mut written = Ok(());
            self.cells(row, |style, pad, text| {
                if written.is_ok() {
                    written = write!(out, "{:pad$}", "")
                        .and_then(|()| write_styled(out, as_one.unwrap_or_else(style), text))
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

    /// Passes each cell of a row to `give`: its style, the blanks to its left, and its text.
    #[inline(always)]
    fn cells(&self, row: &[i64], mut give: impl FnMut(&dyn Fn() -> Style, usize, &[u8])) {
        let mut text = Vec::with_capacity(32);
        for &EventColumn {
            event,
            width,
            total,
            tick,
            ..
        } in &self.shown
        {
            text.clear();
            let count = self.events.count(row, event);
            match count {
                None => text.push(b'.'),
                Some(count) => match tick {
                    Some(tick) => text.extend_from_slice(duration(count, tick).as_bytes()),
                    None => push_count(&mut text, count),
                },
            }
            match (count, total) {
                (_, None) => {}
                (None | Some(0), Some(_)) => text.extend_from_slice(b"         "),
                (Some(count), Some(total)) => push_share(&mut text, count, total),
            }
            let style = || match (count, total) {
                (None, _) => Style::Dim,
                (Some(_), None) => Style::Warm,
                (Some(count), Some(total)) => Style::of_share(count, total),
            };
            // A micro sign has two bytes but one column.
            let taken = text.len()
                - if tick.is_some() {
                    text.iter().filter(|&&b| b == MICRO).count()
                } else {
                    0
                };
            give(&style, width.saturating_sub(taken), &text);
        }
    }
}
