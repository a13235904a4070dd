//! A log of GitHub Actions obeys what is written to it: a line that begins with `::` behind blanks, or has `##[` anywhere. A
//! name in a profile or in a source must be no command. Where `GITHUB_ACTIONS` is `true`, each is broken, in the way that
//! what is written has for it; everywhere else the bytes are as they are. Used wherever something is written that is not a
//! file of its own.

use crate::env::Environment;
use std::io::{self, Write};
use std::str;
use std::sync::LazyLock;

/// What is written, which decides what a character can stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// Lines for people and for programs that take them as they are.
    Text,
    /// A document of JSON.
    Json,
    /// A page or another document of markup.
    Markup,
    /// Commands of ours: their lines begin as they are to begin.
    Commands,
    /// What is no text, and in which no byte may change.
    Bytes,
}

impl Content {
    /// What stands for the second colon, and for the bracket.
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

/// Where in a line the next byte stands.
#[derive(Clone, PartialEq, Eq)]
enum InLine {
    /// Behind blanks alone, and these bytes of a character.
    Begin(Vec<u8>),
    /// Behind blanks and a colon.
    Colon,
    /// Behind so many `#`, if not more than two.
    Inside(u8),
}

/// Writes on, and breaks commands.
pub(super) struct Guarded<W> {
    out: W,
    what: Content,
    place: InLine,
}

impl<W: Write> Guarded<W> {
    /// As the log asks for it.
    pub(super) fn new(out: W, what: Content) -> Guarded<W> {
        static IS_OBEYED: LazyLock<bool> = LazyLock::new(|| Environment::read().obeys);
        Guarded {
            out,
            what: if *IS_OBEYED { what } else { Content::Bytes },
            place: InLine::Begin(Vec::new()),
        }
    }

    /// What it writes to.
    pub(super) fn get_mut(&mut self) -> &mut W {
        &mut self.out
    }

    /// What it writes to.
    pub(super) fn get_ref(&self) -> &W {
        &self.out
    }

    /// What stands for a byte.
    fn instead(&mut self, byte: u8) -> Option<&'static [u8]> {
        let [colon, bracket] = self.what.instead();
        let place = std::mem::replace(&mut self.place, InLine::Inside(0));
        match (place, byte) {
            // Logs are read line by line, and a carriage return ends one, too.
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
