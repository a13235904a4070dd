//! The commands, and what they share.

mod advice;
mod annotate;
mod aprof;
mod check;
mod code;
mod complete;
mod console;
mod convert;
mod details;
mod diff;
mod explore;
mod help;
mod inputs;
mod limits;
mod manual;
mod merge;
mod named;
mod output;
mod own;
mod pack;
mod page;
mod pager;
mod part;
mod progress;
mod record;
mod runs;
#[cfg(feature = "serve")]
mod serve;
mod tables;
mod trend;
mod watch;
mod workflow;
mod zoom_target;

use crate::request::{Request, Usage};
use anyhow::Result;
use console::say;
use std::{
    io::{self, Write},
    process::ExitCode,
};
use workflow::{Content, Guarded};

/// Runs a request and returns the exit status. 0: done. 1: an input could not be read, or the
/// report not written. 2: the command line is wrong. 3: a limit of `check` is exceeded. 4: `check`
/// could not compare. `record` returns the status of the program that it ran.
pub fn run(request: Result<Request, Usage>) -> ExitCode {
    console::begin();
    match request
        .map_err(Into::into)
        .and_then(|mut request| obey(&mut request))
    {
        Ok(status) => status,
        Err(e) if is_closed_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            say(format!("{e:#}"));
            ExitCode::from(if e.is::<Usage>() { 2 } else { 1 })
        }
    }
}

fn obey(request: &mut Request) -> Result<ExitCode> {
    advice::places(request)?;
    match request {
        Request::Annotate(request) => annotate::run(request),
        Request::Record(request) => record::run(request),
        Request::Explore(request) => explore::run(request),
        Request::Diff(request) => diff::run(request),
        Request::Check(request) => check::run(request),
        Request::Trend(request) => trend::run(request),
        Request::Merge(request) => merge::run(request),
        Request::Pack(request) => pack::run(request),
        Request::Convert(request) => convert::run(request),
        #[cfg(feature = "serve")]
        Request::Serve(server) => serve::run(server),
        Request::Complete(asked) => {
            complete::run(asked, Guarded::new(io::stdout().lock(), Content::Text))
        }
    }
}

/// Reports why a command line could not be parsed. Returns the exit status.
pub fn refuse(why: &str) -> ExitCode {
    say(why);
    ExitCode::from(2)
}

/// Prints help or the version to standard output. Returns the exit status.
pub fn answer(print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> ExitCode {
    let mut out = io::stdout();
    match print(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            say(format!("standard output: cannot be written: {e}"));
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Whether an error is a closed pipe: the reader has seen enough, as in `cgannotate … | head`.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|e| e.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
