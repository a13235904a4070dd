//! Writes values separated by commas or tabs, one line per row, as they come.

use std::io::{self, Write};

/// This many bytes are written at a time.
const PIECE: usize = 32 * 1024;

/// How values are separated, and how a text that contains a separator is written.
#[derive(PartialEq)]
pub(crate) enum Separation {
    /// CSV by RFC 4180: such texts are in quotes.
    Commas,
    /// CSV with all texts in quotes and Unix line ends.
    Quoted,
    /// CSV with Unix line ends, for texts without line ends of their own.
    Lines,
    /// TSV: `\t`, `\n`, `\r` and `\\` replace what would end a field.
    Tabs,
}

/// A writer of rows.
pub(crate) struct Separated<'o> {
    out: &'o mut dyn Write,
    bytes: Vec<u8>,
    separation: Separation,
    written: io::Result<()>,
}

impl<'o> Separated<'o> {
    pub(crate) fn new(out: &'o mut dyn Write, separation: Separation) -> Separated<'o> {
        Separated {
            out,
            bytes: Vec::new(),
            separation,
            written: Ok(()),
        }
    }

    /// Ends a value.
    pub(crate) fn end(&mut self) {
        self.bytes.push(match self.separation {
            Separation::Tabs => b'\t',
            _ => b',',
        });
    }

    /// Writes a number.
    pub(crate) fn number(&mut self, number: i128) {
        let mut digits = itoa::Buffer::new();
        self.bytes
            .extend_from_slice(digits.format(number).as_bytes());
        self.end();
    }

    /// Writes a number, or nothing if it is not known.
    pub(crate) fn count(&mut self, count: Option<impl Into<i128>>) {
        match count {
            Some(count) => self.number(count.into()),
            None => self.end(),
        }
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, text: &str) {
        let is_quoted = match self.separation {
            Separation::Quoted => true,
            Separation::Commas | Separation::Lines => text.contains(['"', ',', '\r', '\n']),
            Separation::Tabs => false,
        };
        if is_quoted {
            let quoted = format!("\"{}\"", text.replace('"', "\"\""));
            self.bytes.extend_from_slice(quoted.as_bytes());
        } else if self.separation == Separation::Tabs && text.contains(['\\', '\t', '\n', '\r']) {
            let escaped = text.replace('\\', "\\\\").replace('\t', "\\t");
            let escaped = escaped.replace('\n', "\\n").replace('\r', "\\r");
            self.bytes.extend_from_slice(escaped.as_bytes());
        } else {
            self.bytes.extend_from_slice(text.as_bytes());
        }
        self.end();
    }

    /// Ends a row; returns whether more can be written.
    pub(crate) fn end_row(&mut self) -> bool {
        // The last field also has a separator.
        self.bytes.pop();
        self.bytes.extend_from_slice(match self.separation {
            Separation::Commas => b"\r\n",
            _ => b"\n",
        });
        if self.bytes.len() >= PIECE {
            self.empty();
        }
        self.written.is_ok()
    }

    fn empty(&mut self) {
        if self.written.is_ok() {
            self.written = self.out.write_all(&self.bytes);
        }
        self.bytes.clear();
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// The first write that failed.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.empty();
        self.written
    }
}
