//! Messages beside the report: on standard error, one line each. Made once for each run and lent to everything that has
//! something to say, because the first screen must know how many lines are above it. What binaries may cost is here, too,
//! since it is one budget for each run.

use super::workflow::{Content, Guarded};
use crate::text::escape;
use crate::text::wrap::{cut, wrapped};
use std::cell::Cell;
use std::io::{self, IsTerminal, Write};

/// Standard error, and how many lines have been written there.
#[derive(Default)]
pub(super) struct Console {
    lines: Cell<usize>,
    /// What binaries may cost in all that the run asks of them.
    #[cfg(feature = "object")]
    pub(super) budget: crate::object::Budget,
}

impl Console {
    /// Writes one line. A failure to write it is ignored.
    pub(super) fn say(&self, line: &str) {
        let text = message(line);
        self.lines.set(self.lines.get() + text.lines().count());
        let _ = writeln!(stderr(), "{text}");
    }

    /// Reports an error in the command line: a line that says why, and lines that may show the place.
    pub(super) fn say_usage(&self, text: &str) {
        let (why, place) = text
            .split_once('\n')
            .map_or((text, None), |(why, place)| (why, Some(place)));
        self.say(why);
        for line in place.into_iter().flat_map(|place| place.split('\n')) {
            let line = escape::text(line);
            let line = width().map_or(line.to_string(), |width| cut(&line, width).join("\n"));
            self.lines.set(self.lines.get() + line.lines().count());
            let _ = writeln!(stderr(), "{line}");
        }
    }

    /// How many lines of messages stand on the terminal above the report.
    pub(super) fn lines_above_report(&self) -> usize {
        if io::stderr().is_terminal() {
            self.lines.get()
        } else {
            0
        }
    }
}

/// Standard error at the begin of a line.
fn stderr() -> impl Write {
    Guarded::new(io::stderr(), Content::Text)
}

/// How wide the screen is, if messages go to one.
fn width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(usize::from(width)).filter(|&width| width > 0)
}

/// A message as it is shown: on a terminal, the line is broken between words.
fn message(line: &str) -> String {
    let text = format!("cgannotate: {}", escape::text(line));
    match width() {
        Some(width) => wrapped(&text, width),
        None => text,
    }
}
