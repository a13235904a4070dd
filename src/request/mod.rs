//! What was typed means this: one file a command, in which each of its defaults and conflicts is decided once.
//!
//! A request is plain data in the words of the model. Nothing is read or written to make one, and whatever does not go
//! together is refused before anything is. What only files can tell, such as which of them are profiles, is left to the
//! commands. Whoever has a command line makes a request of it, and gives it to [`commands::run`](crate::commands::run).

pub mod annotate;
pub mod check;
mod columns;
pub mod complete;
pub mod convert;
pub mod diff;
mod input;
pub mod merge;
mod output;
mod own;
pub mod record;
mod sources;

pub use columns::{Columns, Enough, NoSuchEvent, Percentages, SortBy};
pub use input::{Reading, Truncated, WarningsAre};
pub use output::{Destination, Form, Look, PageForm, Then, When};
pub use sources::Sources;

use crate::cli::{Cli, Command};
use std::fmt;

/// What a command line asks for.
#[derive(Clone, Debug)]
pub enum Request {
    /// The report.
    Annotate(annotate::Request),
    /// A program to run.
    Record(Box<record::Request>),
    /// A comparison of two runs.
    Diff(diff::Request),
    /// Whether limits are kept.
    Check(check::Request),
    /// One profile out of many.
    Merge(merge::Request),
    /// A profile for other tools.
    Convert(convert::Request),
    /// What could be typed next.
    Complete(complete::Asked),
}

impl Request {
    /// What was typed means this.
    ///
    /// # Errors
    /// It makes no sense together.
    pub fn new(cli: &Cli) -> Result<Request, Usage> {
        Ok(match &cli.command {
            None => Request::Annotate(annotate::Request::new(&cli.annotate)?),
            Some(Command::Record(args)) => Request::Record(Box::new(record::Request::new(args)?)),
            Some(Command::Diff(args)) => Request::Diff(diff::Request::new(args)?),
            Some(Command::Check(args)) => Request::Check(check::Request::new(args)?),
            Some(Command::Merge(args)) => Request::Merge(merge::Request::new(args)),
            Some(Command::Convert(args)) => Request::Convert(convert::Request::new(args)?),
            Some(Command::Complete(args)) => Request::Complete(complete::Asked::new(&args.words)),
        })
    }
}

/// Why `--csv-safe` says nothing.
const CSV_SAFE: &str = "--csv-safe is for --format=csv and --format=tsv";

/// What was typed makes no sense.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}
