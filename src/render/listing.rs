//! Prints the function list of the classic report.
//!
//! For whoever changes this: several threads format a long list. Each formats a range of rows into
//! memory, and this thread writes them in order. The output must not depend on the number of
//! threads.

use super::{columns::EventColumns, text::TextReport};
use crate::{
    analysis::Estimate,
    text::grouped,
    view::{FunctionRow, FunctionRows, Listing},
};
use std::{
    io::{self, Cursor, ErrorKind},
    ops::Range,
    thread,
};
use termcolor::{NoColor, WriteColor};

/// A thread formats this many rows at a time. A list with fewer than twice as many rows has one
/// thread.
const ROWS: usize = 2048;

/// A thread formats at most this many bytes. Names can be millions of bytes long, so the remaining
/// rows are formatted when they are written.
const MOST: usize = 2 << 20;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints the totals and the function list.
    pub(super) fn listing(&mut self, listing: &Listing<'a>) -> io::Result<()> {
        self.learn_names(listing.rows.labels());
        let columns = self.head(&listing.frame, " file:function")?;
        let list = RowPrinter {
            columns: &columns,
            rows: &listing.rows,
            has_arcs: listing.tree.callers || listing.tree.callees,
        };
        let all = 0..list.rows.len();
        if self.options.threads > 1 && all.len() >= 2 * ROWS && !self.out.supports_color() {
            for first in all.clone().step_by(ROWS * self.options.threads) {
                self.rows_of_threads(list, first..all.end)?;
            }
        } else {
            self.rows(list, all)?;
        }
        if list.has_arcs && listing.frame.rest.is_some() {
            self.newline()?;
        }
        self.foot(&columns, &listing.frame)
    }

    /// Formats the first of these rows, each thread some of them, and writes them.
    fn rows_of_threads(&mut self, list: RowPrinter<'_, 'a>, rows: Range<usize>) -> io::Result<()> {
        let parts = thread::scope(|scope| {
            let starts = rows.clone().step_by(ROWS).take(self.options.threads);
            let makers: Vec<_> = starts
                .map(|start| {
                    let range = start..rows.end.min(start + ROWS);
                    let part = TextReport {
                        out: NoColor::new(Cursor::new(vec![0; MOST].into())),
                        events: self.events,
                        options: self.options.clone(),
                        common: self.common.clone(),
                    };
                    let rows = range.clone();
                    let make = move || part.fill(list, rows);
                    (range, thread::Builder::new().spawn_scoped(scope, make))
                })
                .collect();
            let parts = makers.into_iter().map(|(range, maker)| match maker {
                // A panic of the thread continues here.
                Ok(maker) => maker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                // The system allows no more threads.
                Err(_) => Ok((Vec::new(), range)),
            });
            parts.collect::<io::Result<Vec<_>>>()
        })?;
        for (bytes, left) in parts {
            self.out.write_all(&bytes)?;
            self.rows(list, left)?;
        }
        Ok(())
    }

    fn rows(&mut self, list: RowPrinter<'_, 'a>, rows: Range<usize>) -> io::Result<()> {
        let mut rows = rows.filter_map(|at| list.rows.in_turn(at));
        rows.try_for_each(|row| self.row(list, &row))
    }

    /// Prints a row, with its callers and callees.
    fn row(&mut self, list: RowPrinter<'_, 'a>, row: &FunctionRow<'a>) -> io::Result<()> {
        let RowPrinter {
            columns, has_arcs, ..
        } = list;
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

impl<'a> TextReport<'a, NoColor<Cursor<Box<[u8]>>>> {
    /// Formats rows as long as whole ones fit. Returns them, and the remaining ones.
    fn fill(
        mut self,
        list: RowPrinter<'_, 'a>,
        rows: Range<usize>,
    ) -> io::Result<(Vec<u8>, Range<usize>)> {
        let (mut left, mut end) = (rows.clone(), 0);
        for at in rows {
            match self.rows(list, at..at + 1) {
                Err(error) if error.kind() == ErrorKind::WriteZero => break,
                made => made?,
            }
            (left.start, end) = (at + 1, self.out.get_ref().position());
        }
        let mut bytes = self.out.into_inner().into_inner().into_vec();
        bytes.truncate(end as usize);
        Ok((bytes, left))
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
