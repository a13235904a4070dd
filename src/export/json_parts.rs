//! The building blocks of JSON records: names, rows of counts, arrays.

use crate::analysis::OrderedProfile;
use crate::profile::{Event, Events};
use serde::ser::{Serialize, Serializer};
use serde_json::ser::Formatter;
use std::io::{self, BufWriter, Write};

/// The version of the schema of all documents. It changes if a key is removed or changes its
/// meaning, not if one is added.
pub(super) const SCHEMA: u32 = 1;

/// The program that writes them.
pub(super) const GENERATOR: &str = concat!("cgannotate ", env!("CARGO_PKG_VERSION"));

/// A name. Bytes that are not valid UTF-8 become U+FFFD.
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(self.0))
    }
}

/// A row of counts, one integer per event. A count that was never written is 0.
pub(super) struct Counts<'a> {
    columns: &'a [Event],
    events: &'a Events,
    row: &'a [i64],
}

impl<'a> Counts<'a> {
    pub(super) fn new(whole: &'a OrderedProfile<'a>, row: &'a [i64]) -> Self {
        Counts {
            columns: &whole.events,
            events: &whole.profile.events,
            row,
        }
    }
}

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.columns
                .iter()
                .map(|&event| self.events.counted(self.row, event)),
        )
    }
}

/// A document that is written key by key. Each key begins a line.
pub(super) struct Document<W: Write> {
    pub(super) out: BufWriter<W>,
    keys: usize,
}

impl<W: Write> Document<W> {
    pub(super) fn new(out: W) -> Self {
        // The serializer writes only a few bytes at a time.
        let out = BufWriter::with_capacity(256 * 1024, out);
        Document { out, keys: 0 }
    }

    /// Writes a key. Its value follows.
    pub(super) fn key(&mut self, key: &str) -> io::Result<()> {
        let before = if self.keys == 0 { "{" } else { "," };
        self.keys += 1;
        write!(self.out, "{before}\n\"{key}\":")
    }

    /// Writes a key and its value.
    pub(super) fn field(&mut self, key: &str, value: impl Serialize) -> io::Result<()> {
        self.key(key)?;
        let format = RecordLines { depth: 1 };
        value.serialize(&mut serde_json::Serializer::with_formatter(
            &mut self.out,
            format,
        ))?;
        Ok(())
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}

/// An array whose records are created one by one.
pub(super) struct List<F>(pub(super) F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Begins a line for each key of the document and for each record of its arrays.
pub(super) struct RecordLines {
    pub(super) depth: usize,
}

impl Formatter for RecordLines {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let in_list = self.depth == 2;
        self.depth += 1;
        out.write_all(if in_list { b"\n{" } else { b"{" })
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(if self.depth == 0 { b"\n}" } else { b"}" })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(match (first, self.depth) {
            (true, 1) => b"\n",
            (true, _) => b"",
            (false, 1) => b",\n",
            (false, _) => b",",
        })
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(b"]")
    }
}
