//! What a command line means: one file for each command, in which its defaults and conflicts are decided once.
//!
//! A request is plain data in terms of the model. Making one reads and writes nothing, and rejects conflicting options
//! before any work. What depends on files, such as which of them are profiles, is left to the commands. Make a request
//! from a command line and pass it to [`commands::run`](crate::commands::run).

mod again;
pub mod annotate;
mod binaries;
pub mod check;
mod columns;
pub mod complete;
pub mod convert;
pub mod diff;
#[cfg(feature = "explore")]
pub mod explore;
mod input;
pub mod merge;
mod narrow;
mod output;
mod own;
pub mod pack;
pub mod record;
mod sources;
pub mod trend;

pub use crate::cli::{AsmSyntax, When};
pub use binaries::Binaries;
pub use columns::{Columns, Enough, NoSuchEvent, Percentages, SortBy};
pub use input::{Programs, Reading, Truncated, WarningsAre};
pub use output::{Destination, Form, Look, PAGE};
pub use sources::Sources;

use crate::cli::{Cli, Command};
use std::fmt;
use std::path::{Path, PathBuf};

/// What a command line asks for.
#[derive(Clone, Debug)]
pub enum Request {
    /// The report.
    Annotate(Box<annotate::Request>),
    /// A program to run.
    Record(Box<record::Request>),
    /// A profile to walk through.
    #[cfg(feature = "explore")]
    Explore(Box<explore::Request>),
    /// A comparison of two runs.
    Diff(diff::Request),
    /// Whether limits are kept.
    Check(check::Request),
    /// What changed over many runs.
    Trend(Box<trend::Request>),
    /// One profile out of many.
    Merge(merge::Request),
    /// Profile, sources and code in one file.
    Pack(pack::Request),
    /// A profile for other tools.
    Convert(convert::Request),
    /// What could be typed next.
    Complete(complete::Asked),
}

impl Request {
    /// Makes the request for a command line.
    ///
    /// # Errors
    /// Conflicting options.
    pub fn new(cli: &Cli) -> Result<Request, Usage> {
        Ok(match &cli.command {
            None => Request::Annotate(Box::new(annotate::Request::new(&cli.annotate)?)),
            Some(Command::Record(args)) => Request::Record(Box::new(record::Request::new(args)?)),
            #[cfg(feature = "explore")]
            Some(Command::Explore(args)) => {
                Request::Explore(Box::new(explore::Request::new(args)?))
            }
            Some(Command::Diff(args)) => Request::Diff(diff::Request::new(args)?),
            Some(Command::Check(args)) => Request::Check(check::Request::new(args)?),
            Some(Command::Trend(args)) => Request::Trend(Box::new(trend::Request::new(args)?)),
            Some(Command::Merge(args)) => Request::Merge(merge::Request::new(args)),
            Some(Command::Pack(args)) => Request::Pack(pack::Request::new(args)?),
            Some(Command::Convert(args)) => Request::Convert(convert::Request::new(args)?),
            Some(Command::Complete(args)) => Request::Complete(complete::Asked::new(&args.words)),
        })
    }
}

impl Request {
    /// The folders that are named for sources, and those for binaries.
    pub fn folders(&self) -> [&[PathBuf]; 2] {
        match self {
            Request::Annotate(asked) => [&asked.sources.include, &asked.code.binaries.debug_dirs],
            #[cfg(feature = "explore")]
            Request::Explore(asked) => [&asked.sources.include, &asked.binaries.debug_dirs],
            Request::Diff(asked) => [&asked.sources.include, &asked.debug_dirs],
            Request::Check(asked) => [&[], &asked.debug_dirs],
            Request::Pack(asked) => [&asked.include, &asked.debug_dirs],
            Request::Convert(asked) => [&[], &asked.debug_dirs],
            Request::Record(_) | Request::Trend(_) | Request::Merge(_) | Request::Complete(_) => {
                [&[], &[]]
            }
        }
    }

    /// The program that is named for disassembling.
    pub fn objdump(&self) -> Option<&Path> {
        match self {
            Request::Annotate(asked) => asked.code.binaries.objdump.as_deref(),
            #[cfg(feature = "explore")]
            Request::Explore(asked) => asked.binaries.objdump.as_deref(),
            _ => None,
        }
    }
}

/// An error in the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage(pub String);

/// Refuses the first of some mistakes that was made.
fn refuse<'m>(mistakes: impl IntoIterator<Item = (bool, &'m str)>) -> Result<(), Usage> {
    match mistakes.into_iter().find(|(is_made, _)| *is_made) {
        Some((_, why)) => Err(Usage(why.into())),
        None => Ok(()),
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
