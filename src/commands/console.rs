//! Messages beside the report: on standard error, one line each. Each run counts its lines, because the first screen must
//! know how many are above it. What binaries may cost is here, too, since it is one budget for each run.

use super::workflow::{Content, Guarded};
#[cfg(feature = "object")]
use crate::object::Budget;
use crate::text::escape;
use crate::text::wrap::{cut, wrapped};
use std::cell::Cell;
#[cfg(feature = "object")]
use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

thread_local! {
    /// How many lines this run has written.
    static LINES: Cell<usize> = const { Cell::new(0) };
    /// What binaries may cost in all that this run asks of them.
    #[cfg(feature = "object")]
    static BUDGET: RefCell<Budget> = RefCell::default();
}

/// Begins with another run.
pub(super) fn begin() {
    LINES.set(0);
    #[cfg(feature = "object")]
    BUDGET.take();
}

/// What binaries may still cost.
#[cfg(feature = "object")]
pub(super) fn budget() -> Budget {
    BUDGET.with_borrow(Budget::clone)
}

/// Writes one line. A failure to write it is ignored.
pub(super) fn say(line: &str) {
    write(&message(line));
}

/// Reports an error in the command line: a line that says why, and lines that may show the place.
pub(super) fn say_usage(text: &str) {
    let (why, place) = text
        .split_once('\n')
        .map_or((text, None), |(why, place)| (why, Some(place)));
    say(why);
    for line in place.into_iter().flat_map(|place| place.split('\n')) {
        let line = escape::text(line);
        write(&width().map_or(line.to_string(), |width| cut(&line, width).join("\n")));
    }
}

fn write(text: &str) {
    LINES.set(LINES.get() + text.lines().count());
    let _ = writeln!(stderr(), "{text}");
}

/// How many lines of messages stand on the terminal above the report.
pub(super) fn lines_above_report() -> usize {
    if io::stderr().is_terminal() {
        LINES.get()
    } else {
        0
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
