//! What each command does, as a table of contents.

mod advice;
mod annotate;
mod aprof;
mod check;
mod convert;
mod diff;
mod help;
mod inputs;
mod limits;
mod merge;
mod named;
mod output;
mod pager;
mod part;
mod progress;

use crate::analysis::UnknownEvent;
use crate::cli::{Cli, Command};
use crate::request::{self, Usage};
use crate::text::escape;
use anyhow::Result;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use unicode_width::UnicodeWidthStr;

/// Runs what was asked for and gives the exit status: 0 done, 1 an input could not be read or the report not written,
/// 2 the command line was wrong, 3 a limit of `check` is exceeded, 4 `check` could not compare.
pub fn run(cli: Cli) -> ExitCode {
    match obey(&cli) {
        Ok(status) => status,
        Err(e) if is_closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            let text = format!("{e:#}");
            if e.is::<Usage>() {
                complain_of_usage(&text);
                return ExitCode::from(2);
            }
            complain(&text);
            ExitCode::from(if e.is::<UnknownEvent>() { 2 } else { 1 })
        }
    }
}

fn obey(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        None => annotate::run(&cli.annotate),
        Some(Command::Diff(args)) => diff::run(&request::diff::Request::new(args)?),
        Some(Command::Check(args)) => check::run(&request::check::Request::new(args)?),
        Some(Command::Merge(args)) => merge::run(&request::merge::Request::new(args)),
        Some(Command::Convert(args)) => convert::run(&request::convert::Request::new(args)?),
    }
}

/// Says why a command line could not be read. Gives the exit status.
pub fn refuse(why: &str) -> ExitCode {
    complain(why);
    ExitCode::from(2)
}

/// Prints what the program says of itself on standard output. Gives the exit status.
pub fn answer(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> ExitCode {
    let mut out = io::stdout();
    match print(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            complain(&format!("standard output: cannot be written: {e}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Whoever reads the report has seen enough: `cgannotate … | head`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Lines of complaints so far.
static LINES: AtomicUsize = AtomicUsize::new(0);

/// One line on standard error. That it cannot be written is no reason to stop.
fn complain(line: &str) {
    let text = complaint(line);
    LINES.fetch_add(text.lines().count(), Ordering::Relaxed);
    let _ = writeln!(io::stderr(), "{text}");
}

/// How many lines of complaints stand on the terminal above the report.
fn lines_said() -> usize {
    if io::stderr().is_terminal() { LINES.load(Ordering::Relaxed) } else { 0 }
}

/// A complaint as it is shown: on a terminal, the line is broken between words.
fn complaint(line: &str) -> String {
    let text = format!("cgannotate: {}", escape::text(line));
    let Some((terminal_size::Width(width), _)) = terminal_size::terminal_size_of(io::stderr()) else { return text };
    let (mut out, mut column) = (String::with_capacity(text.len()), 0);
    for word in text.split(' ') {
        let wide = word.width();
        if column > 0 && column + 1 + wide > usize::from(width) {
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

/// What was typed makes no sense: a line that says why, and lines that may show the place.
fn complain_of_usage(text: &str) {
    let lines: Vec<_> = text.split('\n').map(escape::text).collect();
    let _ = writeln!(io::stderr(), "cgannotate: {}", lines.join("\n"));
}
