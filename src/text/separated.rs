//! Values parted by commas or tabs, a row a line, written as they come.

use super::digits::push_number;
use std::io::{self, Write};

/// So many bytes are written at a time.
const PIECE: usize = 32 * 1024;

/// How values are parted, and what becomes of texts that hold what parts them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separation {
    /// CSV by RFC 4180: such texts are in quotes.
    Commas,
    /// CSV in which all texts are in quotes, and lines end as on Unix.
    #[cfg_attr(
        not(feature = "explore"),
        expect(dead_code, reason = "of the explorer")
    )]
    Quoted,
    /// CSV without any line end in a text, and lines that end as on Unix.
    Lines,
    /// TSV: `\t`, `\n`, `\r` and `\\` stand for what would end a field.
    Tabs,
}

/// Rows in the making.
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

    /// A number.
    pub(crate) fn number(&mut self, number: i128) {
        match u64::try_from(number.unsigned_abs()) {
            Ok(small) => {
                if number < 0 {
                    self.bytes.push(b'-');
                }
                push_number(&mut self.bytes, small);
            }
            Err(_) => self.bytes.extend_from_slice(number.to_string().as_bytes()),
        }
        self.end();
    }

    /// A number, or nothing where it is not known.
    pub(crate) fn count(&mut self, count: Option<impl Into<i128>>) {
        match count {
            Some(count) => self.number(count.into()),
            None => self.end(),
        }
    }

    /// A text.
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

    /// Ends a row; whether more can be written.
    pub(crate) fn end_row(&mut self) -> bool {
        // Behind the last field there is a separator too many.
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

    /// Writes what is left.
    ///
    /// # Errors
    /// Whatever stopped it.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.empty();
        self.written
    }
}
