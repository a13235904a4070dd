//! The options that define your code and attribute library code to its callers.

use super::narrow::pattern;
use regex::bytes::Regex;
use std::path::PathBuf;

/// The heading of the options that read binaries.
pub(super) const INLINED: &str = "Inlined code and instructions";

/// The options of [`OwnArgs`].
pub(super) const WHOSE: [&str; 3] = ["own", "own_code", "fold"];

/// Which code is yours, and which code is attributed to its callers.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Library code")]
pub struct OwnArgs {
    /// Show only your code, and attribute library code to the function of yours that calls it
    #[arg(long)]
    pub own: bool,

    /// Define your code: objects, files and functions that match; implies --own
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub own_code: Vec<Regex>,

    /// Attribute objects, files and functions that match to their callers
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub fold: Vec<Regex>,
}

/// Inlined functions of yours, for commands that show only your code.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = INLINED)]
pub struct InlinedArgs {
    /// Show inlined functions of your code like others (needs instruction addresses)
    #[arg(long)]
    pub inlined: bool,

    /// Look for binaries and debug files in this folder, too
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = clap::ValueHint::DirPath, requires = "inlined")]
    pub debug_dirs: Vec<PathBuf>,
}
