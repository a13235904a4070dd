//! The function list of the classic report. Where it has no colours its bytes are gathered, and where it is long several
//! threads make its rows; the bytes are those of one.

use super::columns::EventColumns;
use super::text::{TextOptions, TextReport};
use crate::analysis::Estimate;
use crate::text::number::grouped_signed;
use crate::view::{FunctionRow, FunctionRows, Listing};
use std::io;
use std::ops::Range;
use std::thread;
use termcolor::{NoColor, WriteColor};

/// How many rows a thread makes at a time; fewer rows than two threads would have are made by one.
const ROWS: usize = 2048;

/// How many bytes are gathered before they are written.
const ENOUGH: usize = 64 << 10;

/// How many bytes a thread makes at most before it leaves what is left of its rows to be made as they are written: names can
/// be millions of bytes.
const MOST: usize = 2 << 20;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// The totals and the function list.
    pub(super) fn listing(&mut self, listing: &Listing<'a>) -> io::Result<()> {
        self.totals(&listing.totals)?;
        let columns = self.columns(&listing.longest, listing.totals.cost);
        self.learn(&mut listing.rows.labels().map(|label| label.file));
        self.heading(&columns, " file:function")?;
        let has_arcs = listing.tree.callers || listing.tree.callees;
        let rows = List { columns: &columns, rows: &listing.rows, has_arcs };
        match self.options.threads {
            _ if self.out.supports_color() => {
                listing.rows.iter().try_for_each(|row| self.row(&columns, &row, has_arcs))?;
            }
            2.. if listing.rows.len() >= 2 * ROWS => self.rows_of_threads(rows)?,
            _ => self.rows(rows, 0..listing.rows.len())?,
        }
        if let Some(rest) = &listing.rest {
            if has_arcs {
                self.out.write_all(b"\n")?;
            }
            self.rest(&columns, rest, ["function", "functions"])?;
        }
        self.out.write_all(b"\n")
    }

    /// Rows that several threads make, this one among them: it writes what the others made while they make more.
    fn rows_of_threads(&mut self, list: List<'_, 'a>) -> io::Result<()> {
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
                    let mut part = self.part(spare.pop().unwrap_or_default());
                    let (start, end) = (range.start, range.end);
                    let make = move || part.fill(list, start..end, MOST).map(|at| (at, part.out.into_inner()));
                    makers.push((range, thread::Builder::new().spawn_scoped(scope, make)));
                }
                self.ready(list, &mut ready, &mut spare)?;
                self.rows(list, mine)?;
                for (range, maker) in makers {
                    ready.push(match maker {
                        // One that panics panics here too.
                        Ok(maker) => {
                            let (end, bytes) = maker.join().unwrap_or_else(|e| std::panic::resume_unwind(e))?;
                            (bytes, end..range.end)
                        }
                        // No more threads may run.
                        Err(_) => (Vec::new(), range),
                    });
                }
                io::Result::Ok(())
            })?;
        }
        self.ready(list, &mut ready, &mut spare)
    }

    /// Writes what other threads made, each with the rows that are left to be made.
    fn ready(
        &mut self,
        list: List<'_, 'a>,
        made: &mut Vec<(Vec<u8>, Range<usize>)>,
        spare: &mut Vec<Vec<u8>>,
    ) -> io::Result<()> {
        for (mut bytes, left) in made.drain(..) {
            self.out.write_all(&bytes)?;
            bytes.clear();
            spare.push(bytes);
            self.rows(list, left)?;
        }
        Ok(())
    }

    /// Rows without colours.
    fn rows(&mut self, list: List<'_, 'a>, range: Range<usize>) -> io::Result<()> {
        let mut part = self.part(Vec::new());
        let mut at = range.start;
        while at < range.end {
            at = part.fill(list, at..range.end, ENOUGH)?;
            self.out.write_all(part.out.get_ref())?;
            part.out.get_mut().clear();
        }
        Ok(())
    }

    /// A part of the report that is made apart.
    fn part(&self, bytes: Vec<u8>) -> TextReport<'a, NoColor<Vec<u8>>> {
        let options = TextOptions { missing: None, ..self.options.clone() };
        TextReport { out: NoColor::new(bytes), events: self.events, options, folders: self.folders.clone() }
    }

    /// A row, with the arcs that are listed.
    fn row(&mut self, columns: &EventColumns<'_>, row: &FunctionRow<'a>, has_arcs: bool) -> io::Result<()> {
        let mark = if has_arcs { " *  " } else { " " };
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
        row.callees.iter().try_for_each(|call| self.call(columns, " >   ", &call.label, call))
    }
}

/// The rows of a list and how they are printed.
#[derive(Clone, Copy)]
struct List<'l, 'a> {
    columns: &'l EventColumns<'a>,
    rows: &'l FunctionRows<'a>,
    has_arcs: bool,
}

impl<'a> TextReport<'a, NoColor<Vec<u8>>> {
    /// Makes rows until there are enough bytes; gives where it stopped.
    fn fill(&mut self, list: List<'_, 'a>, range: Range<usize>, enough: usize) -> io::Result<usize> {
        for at in range.clone() {
            if self.out.get_ref().len() >= enough {
                return Ok(at);
            }
            if let Some(row) = list.rows.in_turn(at) {
                self.row(list.columns, &row, list.has_arcs)?;
            }
        }
        Ok(range.end)
    }
}

/// What stands behind the name of a function whose own cost is an estimate.
fn estimated(known: Option<&Estimate>) -> String {
    known.map_or_else(String::new, |known| {
        format!(" (estimated: {} to {})", grouped_signed(known.least()), grouped_signed(known.most()))
    })
}
