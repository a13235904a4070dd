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

use crate::profile::{Event, Events};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write};

/// The first byte of a block. It changes if the reader has to change.
pub(super) const VERSION: u8 = 1;

/// Columns under construction.
pub(super) struct Columns<'e> {
    /// All events, and those in which the page shows costs.
    events: (&'e Events, &'e [Event]),
    directory: Vec<u8>,
    count: u64,
    bytes: Vec<u8>,
}

/// The columns of one table. Each column takes a function that returns the value of a row.
pub(super) struct TableColumns<'c, 'e, I> {
    columns: &'c mut Columns<'e>,
    name: &'c str,
    rows: I,
}

#[derive(Clone, Copy)]
enum ColumnKind {
    Numbers = 0,
    Counts = 1,
    Differences = 2,
    Text = 3,
}

impl<'e> Columns<'e> {
    /// No columns. Costs will be in the events `shown`.
    pub(super) fn new(events: &'e Events, shown: &'e [Event]) -> Columns<'e> {
        Columns {
            events: (events, shown),
            directory: Vec::new(),
            count: 0,
            bytes: Vec::new(),
        }
    }

    /// Adds `about` as JSON, in the column `about`.
    pub(super) fn about(&mut self, about: &impl Serialize) {
        let text = serde_json::to_string(about).unwrap_or_default();
        self.table("about", [text].iter()).texts("", |text| text);
    }

    /// Starts the columns of a table.
    pub(super) fn table<'c, I: Iterator + Clone>(
        &'c mut self,
        name: &'c str,
        rows: I,
    ) -> TableColumns<'c, 'e, I> {
        TableColumns {
            columns: self,
            name,
            rows,
        }
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

impl<I: Iterator + Clone> TableColumns<'_, '_, I> {
    /// Adds numbers that are mostly small.
    pub(super) fn numbers(&mut self, what: &str, number: impl Fn(I::Item) -> u64) {
        self.column(what, ColumnKind::Numbers, |bytes, row| {
            varint(bytes, number(row).into())
        });
    }

    /// Adds numbers that are close to each other.
    pub(super) fn differences(&mut self, what: &str, number: impl Fn(I::Item) -> u64) {
        let mut last = 0i128;
        self.column(what, ColumnKind::Differences, |bytes, row| {
            let number = number(row).into();
            varint(bytes, zigzag(number - last));
            last = number;
        });
    }

    /// Adds counts, `None` if a count was never written.
    pub(super) fn counts<N: Into<i128>>(
        &mut self,
        what: &str,
        count: impl Fn(I::Item) -> Option<N>,
    ) {
        self.column(what, ColumnKind::Counts, |bytes, row| {
            let count = count(row).map(|count| zigzag(count.into()).saturating_add(1));
            varint(bytes, count.unwrap_or(0));
        });
    }

    /// Adds texts. A line feed in a text becomes a blank.
    pub(super) fn texts<T: AsRef<str>>(&mut self, what: &str, text: impl Fn(I::Item) -> T) {
        let mut first = true;
        self.column(what, ColumnKind::Text, |bytes, row| {
            if !std::mem::take(&mut first) {
                bytes.push(b'\n');
            }
            let text = text(row);
            let text = text.as_ref().bytes();
            bytes.extend(text.map(|byte| if byte == b'\n' { b' ' } else { byte }));
        });
    }

    /// Adds a column of counts per event.
    pub(super) fn costs<R: AsRef<[i64]>>(&mut self, what: &str, cost: impl Fn(I::Item) -> R) {
        let (events, shown) = self.columns.events;
        for (at, &event) in shown.iter().enumerate() {
            let count = |row| events.count(cost(row).as_ref(), event);
            self.counts(&dotted(what, &at.to_string()), count);
        }
    }

    /// Adds two columns of counts per event, for the old run and for the new one.
    pub(super) fn changes<R: AsRef<[i64]>>(
        &mut self,
        what: &str,
        change: impl Fn(I::Item) -> [R; 2],
    ) {
        for (at, side) in ["old", "new"].into_iter().enumerate() {
            self.costs(&dotted(what, side), |row| {
                let [old, new] = change(row);
                if at == 0 { old } else { new }
            });
        }
    }

    fn column(
        &mut self,
        what: &str,
        kind: ColumnKind,
        mut write: impl FnMut(&mut Vec<u8>, I::Item),
    ) {
        let name = dotted(self.name, what);
        let Columns {
            directory,
            count,
            bytes,
            ..
        } = self.columns;
        let start = bytes.len();
        let mut values = 0u128;
        for row in self.rows.clone() {
            write(bytes, row);
            values += 1;
        }
        varint(directory, name.len() as u128);
        directory.extend_from_slice(name.as_bytes());
        directory.push(kind as u8);
        varint(directory, values);
        varint(directory, (bytes.len() - start) as u128);
        *count += 1;
    }
}

/// Joins two parts of a column's name.
fn dotted(first: &str, second: &str) -> String {
    match (first, second) {
        (one, "") | ("", one) => one.to_owned(),
        _ => format!("{first}.{second}"),
    }
}

fn varint(bytes: &mut Vec<u8>, mut value: u128) {
    // Nearly all values fit into 64 bits, which takes half of the time.
    if let Ok(mut value) = u64::try_from(value) {
        while value > 127 {
            bytes.push(value as u8 | 128);
            value >>= 7;
        }
        return bytes.push(value as u8);
    }
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
