//! What the program says beside its report: complaints on standard error, a line each. Made once a run and lent to whatever
//! complains, because the first screen has to know how many lines stand above it.

use crate::text::escape;
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};
use unicode_width::UnicodeWidthStr;

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
        let lines: Vec<_> = text.split('\n').map(escape::text).collect();
        self.lines.set(self.lines.get() + lines.len());
        let _ = writeln!(io::stderr(), "cgannotate: {}", lines.join("\n"));
    }

    /// How many lines of complaints stand on the terminal above the report.
    pub(super) fn lines_above_report(&self) -> usize {
        if io::stderr().is_terminal() { self.lines.get() } else { 0 }
    }
}

/// A complaint as it is shown: on a terminal, the line is broken between words.
fn complaint(line: &str) -> String {
    let text = format!("cgannotate: {}", escape::text(line));
    let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size_of(io::stderr()) else { return text };
    wrapped(&text, usize::from(width))
}

/// A line broken between words, so that no line is longer than the screen is wide unless one word is. Lines after the first
/// are indented.
fn wrapped(text: &str, width: usize) -> String {
    let (mut out, mut column) = (String::with_capacity(text.len()), 0);
    for word in text.split(' ') {
        let wide = word.width();
        if column > 0 && column + 1 + wide > width {
            out.push_str("\n  ");
            column = 2;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += wide;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_broken_between_words() {
        assert_eq!(wrapped("cgannotate: one two", 80), "cgannotate: one two");
        assert_eq!(wrapped("cgannotate: one two", 15), "cgannotate: one\n  two");
        assert_eq!(wrapped("cgannotate: /a/long/path x", 12), "cgannotate:\n  /a/long/path\n  x");
    }
}
