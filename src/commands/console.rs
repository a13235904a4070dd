//! Prints messages to standard error, one line each. Each run counts its lines, because the first
//! screen must know how many are above it. The budget for binaries is here as well, because there
//! is one for each run.

use super::workflow::{Content, Guarded};
use crate::{
    object::Budget,
    text::{escape, wrap::cut, wrapped},
};
use std::{
    cell::{Cell, RefCell},
    fmt::Display,
    io::{self, IsTerminal, Write},
};

thread_local! {
    /// The number of lines that this run has written.
    static LINES: Cell<usize> = const { Cell::new(0) };
    /// The output and the notes of a command, if a server runs it.
    static CAPTURED: RefCell<Option<(Vec<u8>, Vec<String>)>> = const { RefCell::new(None) };
    /// The budget for everything that this run reads from binaries.
    static BUDGET: RefCell<Budget> = RefCell::default();
}

/// Begins a run with no lines and a new budget.
pub(super) fn begin() {
    LINES.set(0);
    BUDGET.take();
}

/// Runs a command, and returns its output and its notes.
#[cfg(feature = "serve")]
pub(super) fn capture<T>(
    run: impl FnOnce() -> anyhow::Result<T>,
) -> anyhow::Result<(T, Vec<u8>, Vec<String>)> {
    begin();
    CAPTURED.set(Some(Default::default()));
    let result = run();
    let (out, notes) = CAPTURED.take().unwrap_or_default();
    Ok((result?, out, notes))
}

/// Standard output, or the buffer of a server.
pub(super) fn out() -> Box<dyn Write> {
    match CAPTURED.with_borrow(Option::is_some) {
        true => Box::new(Captured),
        false => Box::new(io::stdout().lock()),
    }
}

/// Writes to the buffer of a server.
struct Captured;

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        CAPTURED.with_borrow_mut(|captured| match captured {
            Some((out, _)) => out.write(bytes),
            None => Ok(bytes.len()),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The budget that is left for binaries.
pub(super) fn budget() -> Budget {
    BUDGET.with_borrow(Budget::clone)
}

/// Writes several messages.
pub(super) fn say_each(texts: impl IntoIterator<Item = impl Display>) {
    texts.into_iter().for_each(say);
}

/// Writes a message. Its hint and the lines of the place that it points to are lines of their own.
/// A failure to write is ignored.
pub(super) fn say(text: impl Display) {
    let text = text.to_string();
    let is_captured = CAPTURED.with_borrow_mut(|captured| {
        let captured = captured.as_mut();
        captured
            .map(|(_, notes)| notes.push(text.clone()))
            .is_some()
    });
    if is_captured {
        return;
    }
    let mut lines = text.split("\n  ");
    let first = lines.next().unwrap_or_default();
    let (what, hint) = first.rsplit_once("\nhint: ").unwrap_or((first, ""));
    write(&message("cgannotate", what));
    for line in lines {
        let line = format!("  {}", escape::text(line));
        write(&width().map_or(line.clone(), |width| cut(&line, width).join("\n")));
    }
    if !hint.is_empty() {
        write(&message("hint", hint));
    }
}

fn write(text: &str) {
    LINES.set(LINES.get() + text.lines().count());
    // At the beginning of a line.
    let mut out = Guarded::new(io::stderr(), Content::Text);
    let _ = writeln!(out, "{text}");
}

/// The number of message lines on the terminal above the report.
pub(super) fn lines_above_report() -> usize {
    if io::stderr().is_terminal() {
        LINES.get()
    } else {
        0
    }
}

/// The width of the terminal, if standard error is one.
fn width() -> Option<usize> {
    let (terminal_size::Width(width), _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(usize::from(width)).filter(|&width| width > 0)
}

/// Formats a message. On a terminal, it is wrapped between words.
fn message(from: &str, line: &str) -> String {
    let text = format!("{from}: {}", escape::text(line));
    match width() {
        Some(width) => wrapped(&text, width),
        None => text,
    }
}
