//! What was typed means this: one file a command, in which each of its defaults and conflicts is decided once.
//!
//! A request is plain data in the words of the model. Nothing is read or written to make one, and whatever does not go
//! together is refused before anything is. What only files can tell, such as which of them are profiles, is left to the
//! commands, the only ones that make requests.

pub mod annotate;
pub mod check;
mod columns;
pub mod convert;
pub mod diff;
mod input;
pub mod merge;
mod output;
mod sources;

pub use columns::{Columns, Enough, Percentages, SortBy};
pub use input::{Reading, Truncated, WarningsAre};
pub use output::{Destination, Form, Look, When};
pub use sources::Sources;

use std::fmt;

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
