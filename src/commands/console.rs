//! What the program says beside its report: complaints on standard error, a line each. Made once a run and lent to whatever
//! complains, because the first screen has to know how many lines stand above it.

use crate::text::escape;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Standard error, and how many lines have been written there.
#[derive(Default)]
pub(super) struct Console {
    lines: Cell<usize>,
}

impl Console {
    /// Writes one line. That it cannot be written is no reason to stop.
    pub(super) fn complain(&self, line: &str) {
        let text = complaint(line);
        self.lines.set(self.lines.get() + text.lines().count());
        let _ = writeln!(io::stderr(), "{text}");
    }

    /// Says that what was typed makes no sense: a line that says why, and lines that may show the place.
    pub(super) fn complain_of_usage(&self, text: &str) {
        let (why, place) = text.split_once('\n').map_or((text, None), |(why, place)| (why, Some(place)));
        self.complain(why);
        for line in place.into_iter().flat_map(|place| place.split('\n')) {
            let line = escape::text(line);
            let line = width().map_or(line.to_string(), |width| cut(&line, width).join("\n"));
            self.lines.set(self.lines.get() + line.lines().count());
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// How many lines of complaints stand on the terminal above the report.
    pub(super) fn lines_above_report(&self) -> usize {
        if io::stderr().is_terminal() { self.lines.get() } else { 0 }
    }
}

/// How wide the screen is, if complaints go to one.
fn width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(usize::from(width)).filter(|&width| width > 0)
}

/// A complaint as it is shown: on a terminal, the line is broken between words.
fn complaint(line: &str) -> String {
    let text = format!("cgannotate: {}", escape::text(line));
    match width() {
        Some(width) => wrapped(&text, width),
        None => text,
    }
}

/// What the lines after the first begin with.
const INDENT: &str = "  ";

/// A line broken between words, so that no line is longer than the screen is wide; a word is broken where it alone would be.
/// Lines after the first are indented.
fn wrapped(text: &str, width: usize) -> String {
    let (mut out, mut column) = (String::with_capacity(text.len()), 0);
    for word in text.split(' ') {
        let wide = word.width();
        if column > INDENT.len() && column + 1 + wide > width {
            out.push('\n');
            out.push_str(INDENT);
            column = INDENT.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        let pieces = cut(word, width.saturating_sub(column.min(INDENT.len())));
        column = if pieces.len() > 1 { INDENT.len() } else { column };
        column += pieces.last().map_or(0, |piece| piece.width());
        out.push_str(&pieces.join(&format!("\n{INDENT}")));
    }
    out
}

/// A text in pieces of at most this width, at least a character each.
fn cut(text: &str, width: usize) -> Vec<&str> {
    let (mut pieces, mut begin, mut column) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        let wide = character.width().unwrap_or(0);
        if column + wide > width && at > begin {
            pieces.push(&text[begin..at]);
            (begin, column) = (at, 0);
        }
        column += wide;
    }
    pieces.push(&text[begin..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_broken_between_words() {
        assert_eq!(wrapped("cgannotate: one two", 80), "cgannotate: one two");
        assert_eq!(wrapped("cgannotate: one two", 15), "cgannotate: one\n  two");
        assert_eq!(wrapped("cgannotate: /a/long/path x", 14), "cgannotate:\n  /a/long/path\n  x");
        assert_eq!(wrapped("cgannotate: /a/long/path x", 12), "cgannotate:\n  /a/long/pa\n  th x");
        assert_eq!(wrapped("", 0), "");
        assert_eq!(cut("  日本 ^", 4), ["  日", "本 ^"]);
        assert_eq!(cut("ab", 0), ["a", "b"]);
    }
}
