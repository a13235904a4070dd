//! The function list of the classic report. Where it is long and has no colours, several threads make its rows; the bytes
//! are those of one.

use super::columns::EventColumns;
use super::text::{TextOptions, TextReport};
use crate::analysis::Estimate;
use crate::text::number::grouped_signed;
use crate::view::{FunctionRow, Listing};
use std::io;
use std::thread;
use termcolor::{NoColor, WriteColor};

/// How many rows a thread makes at a time; fewer rows than two threads would have are made by one.
const ROWS: usize = 2048;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// The totals and the function list.
    pub(super) fn listing(&mut self, listing: &Listing<'a>) -> io::Result<()> {
        self.totals(&listing.totals)?;
        let columns = self.columns(&listing.longest, listing.totals.cost);
        self.learn(&mut listing.rows.iter().map(|row| row.label.file));
        self.heading(&columns, " file:function")?;
        let has_arcs = listing.tree.callers || listing.tree.callees;
        if self.options.threads > 1 && listing.rows.len() >= 2 * ROWS && !self.out.supports_color() {
            self.rows_of_threads(&columns, &listing.rows, has_arcs)?;
        } else {
            self.rows(&columns, &listing.rows, has_arcs)?;
        }
        if let Some(rest) = &listing.rest {
            if has_arcs {
                self.out.write_all(b"\n")?;
            }
            self.rest(&columns, rest, ["function", "functions"])?;
        }
        self.out.write_all(b"\n")
    }

    /// Rows that several threads make, a few thousand each at a time.
    fn rows_of_threads(
        &mut self,
        columns: &EventColumns<'a>,
        rows: &[FunctionRow<'a>],
        has_arcs: bool,
    ) -> io::Result<()> {
        let TextReport { out, events, options, folders } = self;
        let events = *events;
        let make = &|rows: &[FunctionRow<'a>]| -> io::Result<Vec<u8>> {
            let (options, folders) = (TextOptions { missing: None, ..options.clone() }, folders.clone());
            let mut part = TextReport { out: NoColor::new(Vec::new()), events, options, folders };
            part.rows(columns, rows, has_arcs)?;
            Ok(part.out.into_inner())
        };
        for some in rows.chunks(options.threads.saturating_mul(ROWS)) {
            thread::scope(|scope| {
                let begin = |rows| (rows, thread::Builder::new().spawn_scoped(scope, move || make(rows)));
                let makers: Vec<_> = some.chunks(ROWS).map(begin).collect();
                makers.into_iter().try_for_each(|(rows, maker)| {
                    let made = match maker {
                        // One that panics panics here too.
                        Ok(maker) => maker.join().unwrap_or_else(|e| std::panic::resume_unwind(e)),
                        // No more threads may run.
                        Err(_) => make(rows),
                    };
                    out.write_all(&made?)
                })
            })?;
        }
        Ok(())
    }

    /// Rows, with the arcs that are listed.
    fn rows(&mut self, columns: &EventColumns<'_>, rows: &[FunctionRow<'a>], has_arcs: bool) -> io::Result<()> {
        let mark = if has_arcs { " *  " } else { " " };
        for row in rows {
            if has_arcs {
                self.out.write_all(b"\n")?;
            }
            for call in &row.callers {
                self.call(columns, " < ", &call.label, call)?;
            }
            columns.row(&mut self.out, row.cost)?;
            self.out.write_all(mark.as_bytes())?;
            let behind = row.reach.words().to_owned() + &estimated(row.estimated.as_deref());
            self.named(&row.label, columns.width() + mark.len(), &behind)?;
            self.out.write_all(b"\n")?;
            for call in &row.callees {
                self.call(columns, " >   ", &call.label, call)?;
            }
        }
        Ok(())
    }
}

/// What stands behind the name of a function whose own cost is an estimate.
fn estimated(known: Option<&Estimate>) -> String {
    known.map_or_else(String::new, |known| {
        format!(" (estimated: {} to {})", grouped_signed(known.least()), grouped_signed(known.most()))
    })
}
