//! Keeps GitHub Actions from executing names as commands. Its log executes a line that begins with
//! `::` after blanks, or that contains `##[`. Names in profiles and sources can contain these. If
//! `GITHUB_ACTIONS` is `true`, one character of each is replaced, as the content allows. Otherwise
//! no byte changes. All output passes through here unless it is a regular file.
//!
//! For whoever changes this: output arrives in pieces, so the place in the line is kept from one
//! piece to the next, even within a character. In JSON and markup, a replacement must mean the same
//! as the byte: an escape or an entity.

use crate::env::Environment;
use std::{
    io::{self, Write},
    str,
    sync::LazyLock,
};

/// What is written. It decides how a character can be replaced.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Content {
    /// Lines for people and for programs that take them as they are.
    Text,
    /// A document of JSON.
    Json,
    /// A page or another document of markup.
    Markup,
    /// Our own commands, whose lines keep their beginning.
    Commands,
    /// Content that is not text, in which no byte may change.
    Bytes,
}

impl Content {
    /// The replacements of the second colon and of the bracket.
    fn instead(self) -> [&'static [u8]; 2] {
        match self {
            Content::Text => [br"\:", br"\["],
            Content::Json => [br"\u003a", br"\u005b"],
            Content::Markup => [b"&#58;", b"&#91;"],
            Content::Commands => [b":", br"\["],
            Content::Bytes => [b":", b"["],
        }
    }
}

/// The place of the next byte in a line.
enum InLine {
    /// After blanks alone, and these first bytes of a character.
    Begin(Vec<u8>),
    /// After blanks and a colon.
    Colon,
    /// After this number of `#`, at most 2.
    Inside(u8),
}

/// A writer that breaks commands.
pub(super) struct Guarded<W> {
    out: W,
    what: Content,
    place: InLine,
}

impl<W: Write> Guarded<W> {
    /// Breaks commands only if the environment says that the log executes them.
    pub(super) fn new(out: W, what: Content) -> Guarded<W> {
        static IS_OBEYED: LazyLock<bool> = LazyLock::new(|| Environment::read().obeys);
        Guarded {
            out,
            what: if *IS_OBEYED { what } else { Content::Bytes },
            place: InLine::Begin(Vec::new()),
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    pub(super) fn get_ref(&self) -> &W {
        &self.out
    }

    /// The replacement of a byte, if it completes a command.
    fn instead(&mut self, byte: u8) -> Option<&'static [u8]> {
        let [colon, bracket] = self.what.instead();
        let place = std::mem::replace(&mut self.place, InLine::Inside(0));
        match (place, byte) {
            // A carriage return ends a line of a log, too.
            (_, b'\n' | b'\r') => self.place = InLine::Begin(Vec::new()),
            (InLine::Begin(begun), b':') if begun.is_empty() => self.place = InLine::Colon,
            (InLine::Colon, b':') => return Some(colon),
            (InLine::Inside(2), b'[') => return Some(bracket),
            (InLine::Inside(count), b'#') => self.place = InLine::Inside((count + 1).min(2)),
            (InLine::Begin(_) | InLine::Colon, b'#') => self.place = InLine::Inside(1),
            (InLine::Begin(mut begun), _) => {
                begun.push(byte);
                match str::from_utf8(&begun) {
                    Ok(text) if text.chars().all(char::is_whitespace) => {
                        self.place = InLine::Begin(Vec::new())
                    }
                    Err(e) if e.error_len().is_none() => self.place = InLine::Begin(begun),
                    _ => {}
                }
            }
            _ => {}
        }
        None
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.what == Content::Bytes {
            return self.out.write(bytes);
        }
        let mut begin = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if let Some(instead) = self.instead(byte) {
                self.out.write_all(&bytes[begin..at])?;
                self.out.write_all(instead)?;
                begin = at + 1;
            }
        }
        self.out.write_all(&bytes[begin..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
