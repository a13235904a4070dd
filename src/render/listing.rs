//! Prints the function list of the classic report.
//!
//! For whoever changes this: without colors the bytes are collected before they are written, and
//! several threads format a long list. Each thread formats ranges of rows into memory, and this
//! thread writes them in order. The output must not depend on the number of threads.

use super::columns::EventColumns;
use super::text::{TextOptions, TextReport};
use crate::analysis::Estimate;
use crate::profile::Events;
use crate::text::grouped;
use crate::view::fit::Common;
use crate::view::{FunctionRow, FunctionRows, Listing};
use std::io::{self, Write};
use std::ops::Range;
use std::thread;
use termcolor::{NoColor, WriteColor};

/// A thread formats this many rows at a time. A list with fewer than twice as many rows has one
/// thread.
const ROWS: usize = 2048;

/// This many bytes are collected before they are written.
const ENOUGH: usize = 64 << 10;

/// A thread collects at most this many bytes. Names can be millions of bytes long, so the remaining
/// rows are formatted when they are written.
const MOST: usize = 2 << 20;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints the totals and the function list.
    pub(super) fn listing(&mut self, listing: &Listing<'a>) -> io::Result<()> {
        self.learn_names(listing.rows.labels());
        let columns = self.head(&listing.frame, " file:function")?;
        let has_arcs = listing.tree.callers || listing.tree.callees;
        let rows = RowPrinter {
            columns: &columns,
            rows: &listing.rows,
            has_arcs,
        };
        match self.options.threads {
            _ if self.out.supports_color() => {
                listing
                    .rows
                    .iter()
                    .try_for_each(|row| self.row(&columns, &row, has_arcs))?;
            }
            2.. if listing.rows.len() >= 2 * ROWS => self.rows_of_threads(rows)?,
            _ => self.rows(rows, 0..listing.rows.len())?,
        }
        if has_arcs && listing.frame.rest.is_some() {
            self.newline()?;
        }
        self.foot(&columns, &listing.frame)
    }

    /// Formats rows in several threads, including this one, which also writes the rows of the
    /// others.
    fn rows_of_threads(&mut self, list: RowPrinter<'_, 'a>) -> io::Result<()> {
        let (mut next, mut spare, mut ready) = (0, Vec::new(), Vec::new());
        let mut take = || {
            let range = next..list.rows.len().min(next + ROWS);
            next = range.end;
            Some(range).filter(|range| !range.is_empty())
        };
        while let Some(mine) = take() {
            thread::scope(|scope| {
                let mut makers = Vec::new();
                for range in (1..self.options.threads).map_while(|_| take()) {
                    let (rows, room) = (range.clone(), spare.pop().unwrap_or_default());
                    let (events, options, common) = self.for_rows();
                    let make = move || {
                        let mut part = TextReport {
                            out: NoColor::new(Gathered::kept(room)),
                            events,
                            options,
                            common,
                        };
                        part.fill(list, rows)
                            .map(|left| (part.out.into_inner().bytes, left))
                    };
                    makers.push((range, thread::Builder::new().spawn_scoped(scope, make)));
                }
                self.ready(list, &mut ready, &mut spare)?;
                self.rows(list, mine)?;
                for (range, maker) in makers {
                    ready.push(match maker {
                        // A panic of the thread continues here.
                        Ok(maker) => maker
                            .join()
                            .unwrap_or_else(|e| std::panic::resume_unwind(e))?,
                        // The system allows no more threads.
                        Err(_) => (Vec::new(), range),
                    });
                }
                io::Result::Ok(())
            })?;
        }
        self.ready(list, &mut ready, &mut spare)
    }

    /// Writes the rows that other threads formatted, each followed by the rows that it did not
    /// format.
    fn ready(
        &mut self,
        list: RowPrinter<'_, 'a>,
        made: &mut Vec<(Vec<u8>, Range<usize>)>,
        spare: &mut Vec<Vec<u8>>,
    ) -> io::Result<()> {
        for (bytes, left) in made.drain(..) {
            self.out.write_all(&bytes)?;
            spare.push(bytes);
            self.rows(list, left)?;
        }
        Ok(())
    }

    /// Formats and writes rows without colors.
    fn rows(&mut self, list: RowPrinter<'_, 'a>, range: Range<usize>) -> io::Result<()> {
        let (events, options, common) = self.for_rows();
        let out = NoColor::new(Gathered::written_to(&mut self.out));
        let mut part = TextReport {
            out,
            events,
            options,
            common,
        };
        for row in range.filter_map(|at| list.rows.in_turn(at)) {
            part.row(list.columns, &row, list.has_arcs)?;
        }
        part.out.flush()
    }

    /// The parts of the report that the formatting of rows needs.
    fn for_rows(&self) -> (&'a Events, TextOptions<'a>, Common) {
        (self.events, self.options.clone(), self.common.clone())
    }

    /// Prints a row, with its callers and callees.
    fn row(
        &mut self,
        columns: &EventColumns<'_>,
        row: &FunctionRow<'a>,
        has_arcs: bool,
    ) -> io::Result<()> {
        let mark = if has_arcs { " *  " } else { " " };
        if has_arcs {
            self.newline()?;
        }
        for call in &row.callers {
            self.call(columns, " < ", &call.label, call)?;
        }
        columns.row(&mut self.out, row.cost)?;
        self.out.write_all(mark.as_bytes())?;
        let behind = row.reach.words().to_owned() + &estimated(row.estimated.as_deref());
        self.named(&row.label, columns.width() + mark.len(), &behind)?;
        self.newline()?;
        row.callees
            .iter()
            .try_for_each(|call| self.call(columns, " >   ", &call.label, call))
    }
}

/// The rows of a list and how to print them.
#[derive(Clone, Copy)]
struct RowPrinter<'l, 'a> {
    columns: &'l EventColumns<'a>,
    rows: &'l FunctionRows<'a>,
    has_arcs: bool,
}

impl<'a> TextReport<'a, NoColor<Gathered<'_>>> {
    /// Formats rows as long as whole ones fit. Returns the remaining ones.
    fn fill(&mut self, list: RowPrinter<'_, 'a>, rows: Range<usize>) -> io::Result<Range<usize>> {
        for at in rows.clone() {
            let whole = self.out.get_ref().bytes.len();
            let Some(row) = list.rows.in_turn(at) else {
                continue;
            };
            match self.row(list.columns, &row, list.has_arcs) {
                Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                    self.out.get_mut().bytes.truncate(whole);
                    return Ok(at..rows.end);
                }
                made => made?,
            }
        }
        Ok(rows.end..rows.end)
    }
}

/// A buffer. When it is full, it is written to its output, or fails if it has no output.
struct Gathered<'w> {
    bytes: Vec<u8>,
    most: usize,
    out: Option<&'w mut dyn Write>,
}

impl<'w> Gathered<'w> {
    /// Keeps bytes in `room`, which is cleared first.
    fn kept(mut room: Vec<u8>) -> Gathered<'w> {
        room.clear();
        Gathered {
            bytes: room,
            most: MOST,
            out: None,
        }
    }

    fn written_to(out: &'w mut dyn Write) -> Gathered<'w> {
        Gathered {
            bytes: Vec::with_capacity(ENOUGH),
            most: ENOUGH,
            out: Some(out),
        }
    }

    /// Writes the collected bytes, then `bytes`, which do not fit into the buffer.
    #[cold]
    fn full(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            return Err(io::ErrorKind::StorageFull.into());
        };
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        out.write_all(bytes)
    }
}

impl Write for Gathered<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            self.full(bytes)?;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let Some(out) = &mut self.out else {
            return Ok(());
        };
        out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// The text after the name of a function whose own cost is an estimate.
pub(super) fn estimated(known: Option<&Estimate>) -> String {
    known.map_or_else(String::new, |known| {
        format!(
            " (estimated: {} to {})",
            grouped(known.least),
            grouped(known.most)
        )
    })
}
