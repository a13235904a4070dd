//! Packs the data of a page, named columns of numbers and texts, into one line of text.
//!
//! ```text
//! block   = base64( version byte, gzip( stream ) )
//! stream  = number of columns, then for each: length of name, name, kind, number of values,
//!           length of bytes; then all bytes
//! kinds   0 numbers: each a varint, seven bits per byte, lowest first
//!         1 counts: a varint of 0 for a count that was never written, else 1 + zigzag
//!         2 differences: zigzag of each number minus the previous one
//!         3 text: UTF-8, values separated by line feeds
//! ```
//!
//! `web/columns.js` reads it. Numbers may exceed the 53 bits of a browser's numbers.
//!
//! For whoever changes this: change `web/columns.js` too, and [`VERSION`] if an old reader would
//! misread a block.

use crate::profile::{Event, Events, joined};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write};

/// The first byte of a block. It changes if the reader has to change.
pub(super) const VERSION: u8 = 1;

/// Columns under construction.
#[derive(Default)]
pub(super) struct Columns {
    directory: Vec<u8>,
    count: u64,
    bytes: Vec<u8>,
}

/// The columns of one table. Each column takes a function that returns the value of a row.
pub(super) struct TableColumns<'c, I> {
    columns: &'c mut Columns,
    name: &'c str,
    events: (&'c Events, &'c [Event]),
    rows: I,
}

#[derive(Clone, Copy)]
enum ColumnKind {
    Numbers = 0,
    Counts = 1,
    Differences = 2,
    Text = 3,
}

impl Columns {
    /// Adds numbers that are mostly small.
    pub(super) fn numbers(&mut self, name: &str, values: impl IntoIterator<Item = u64>) {
        self.column(name, ColumnKind::Numbers, values, |bytes, value| {
            varint(bytes, value.into())
        });
    }

    /// Adds costs, `None` if a count was never written.
    pub(super) fn counts<N: Into<i128>>(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = Option<N>>,
    ) {
        self.column(name, ColumnKind::Counts, values, |bytes, value| {
            varint(
                bytes,
                value.map_or(0, |count| zigzag(count.into()).saturating_add(1)),
            );
        });
    }

    /// Adds numbers that are close to each other.
    pub(super) fn differences(&mut self, name: &str, values: impl IntoIterator<Item = u64>) {
        let mut last = 0i128;
        self.column(name, ColumnKind::Differences, values, |bytes, value| {
            varint(bytes, zigzag(i128::from(value) - last));
            last = value.into();
        });
    }

    /// Adds `about` as JSON, in the column `about`.
    pub(super) fn about(&mut self, about: &impl Serialize) {
        let text = serde_json::to_string(about).unwrap_or_default();
        self.texts("about", [&text[..]]);
    }

    /// Adds texts. A line feed in a text becomes a blank.
    pub(super) fn texts<'t>(&mut self, name: &str, values: impl IntoIterator<Item = &'t str>) {
        let mut first = true;
        self.column(name, ColumnKind::Text, values, |bytes, value| {
            if !std::mem::take(&mut first) {
                bytes.push(b'\n');
            }
            bytes.extend(
                value
                    .bytes()
                    .map(|byte| if byte == b'\n' { b' ' } else { byte }),
            );
        });
    }

    /// Starts the columns of a table, with costs in these events.
    pub(super) fn table<'c, I: Iterator + Clone>(
        &'c mut self,
        name: &'c str,
        events: (&'c Events, &'c [Event]),
        rows: I,
    ) -> TableColumns<'c, I> {
        TableColumns {
            columns: self,
            name,
            events,
            rows,
        }
    }

    fn column<T>(
        &mut self,
        name: &str,
        kind: ColumnKind,
        values: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Vec<u8>, T),
    ) {
        let start = self.bytes.len();
        let mut count = 0u128;
        for value in values {
            write(&mut self.bytes, value);
            count += 1;
        }
        varint(&mut self.directory, name.len() as u128);
        self.directory.extend_from_slice(name.as_bytes());
        self.directory.push(kind as u8);
        varint(&mut self.directory, count);
        varint(&mut self.directory, (self.bytes.len() - start) as u128);
        self.count += 1;
    }

    /// The text for the page. The same columns give the same text.
    pub(super) fn finish(self) -> io::Result<String> {
        let mut count = Vec::new();
        varint(&mut count, self.count.into());
        let mut packed = GzEncoder::new(vec![VERSION], Compression::new(6));
        packed.write_all(&count)?;
        packed.write_all(&self.directory)?;
        packed.write_all(&self.bytes)?;
        Ok(BASE64_STANDARD_NO_PAD.encode(packed.finish()?))
    }
}

impl<I: Iterator + Clone> TableColumns<'_, I> {
    fn name(&self, what: &str) -> String {
        joined(
            [self.name, what]
                .into_iter()
                .filter(|part| !part.is_empty()),
            ".",
        )
    }

    /// Adds numbers that are mostly small.
    pub(super) fn numbers(&mut self, what: &str, number: impl Fn(I::Item) -> u64) {
        let name = self.name(what);
        self.columns.numbers(&name, self.rows.clone().map(number));
    }

    /// Adds numbers that are close to each other.
    pub(super) fn differences(&mut self, what: &str, number: impl Fn(I::Item) -> u64) {
        let name = self.name(what);
        self.columns
            .differences(&name, self.rows.clone().map(number));
    }

    /// Adds counts, `None` if a count was never written.
    pub(super) fn counts<N: Into<i128>>(
        &mut self,
        what: &str,
        count: impl Fn(I::Item) -> Option<N>,
    ) {
        let name = self.name(what);
        self.columns.counts(&name, self.rows.clone().map(count));
    }

    /// Adds texts. A line feed in a text becomes a blank.
    pub(super) fn texts(&mut self, what: &str, text: impl Fn(I::Item) -> String) {
        let texts: Vec<String> = self.rows.clone().map(text).collect();
        let name = self.name(what);
        self.columns.texts(&name, texts.iter().map(String::as_str));
    }

    /// Adds a column of counts per event.
    pub(super) fn costs<R: AsRef<[i64]>>(&mut self, what: &str, cost: impl Fn(I::Item) -> R) {
        let (events, shown) = self.events;
        for (at, &event) in shown.iter().enumerate() {
            let count = |row| events.count(cost(row).as_ref(), event);
            let name = format!("{}.{at}", self.name(what));
            self.columns.counts(&name, self.rows.clone().map(count));
        }
    }

    /// Adds two columns of counts per event, for the old run and for the new one.
    pub(super) fn changes<R: AsRef<[i64]>>(
        &mut self,
        what: &str,
        change: impl Fn(I::Item) -> [R; 2],
    ) {
        for side in ["old", "new"] {
            let name = joined(
                [what, side].into_iter().filter(|part| !part.is_empty()),
                ".",
            );
            self.costs(&name, |row| {
                let [old, new] = change(row);
                if side == "old" { old } else { new }
            });
        }
    }
}

fn varint(bytes: &mut Vec<u8>, mut value: u128) {
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Maps 0, -1, 1, -2, … to 0, 1, 2, 3, …
fn zigzag(value: i128) -> u128 {
    ((value << 1) ^ (value >> 127)) as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_go_to_the_lowest_bit() {
        assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
        assert_eq!(zigzag(i128::from(i64::MIN)), u128::from(u64::MAX));
        let mut bytes = Vec::new();
        varint(&mut bytes, 300);
        assert_eq!(bytes, [0xac, 2]);
    }
}
