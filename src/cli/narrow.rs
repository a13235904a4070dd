//! The options that filter functions by name, file and object, and that limit rows.

use super::values::share;
use crate::profile::linkage;
use regex::bytes::Regex;
use std::num::NonZeroUsize;

/// The heading of the options that order lists and end them.
pub(super) const LIMIT: &str = "Sort and limit";

/// Which rows a report is about. A last row has the sum of what is omitted.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = LIMIT)]
pub struct NarrowArgs {
    /// List at most N functions, or with --zoom callers and callees
    #[arg(short = 'n', long = "rows", value_name = "N")]
    pub rows: Option<NonZeroUsize>,

    /// List only what has at least this percentage of the total, such as 0.5%
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub min: Option<f64>,

    /// Which functions.
    #[command(flatten)]
    pub filters: FilterArgs,
}

/// The options of [`FilterArgs`].
pub(super) const FILTERS: [&str; 6] = [
    "function",
    "not_function",
    "file",
    "not_file",
    "object",
    "not_object",
];

/// The functions that a report, or a file for another program, is about.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Filter")]
pub struct FilterArgs {
    /// Only functions whose names match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub function: Vec<Regex>,

    /// Omit functions whose names match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub not_function: Vec<Regex>,

    /// Only functions of files that match, and only these files
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub file: Vec<Regex>,

    /// Omit files that match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub not_file: Vec<Regex>,

    /// Only functions of executables and libraries that match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub object: Vec<Regex>,

    /// Omit executables and libraries that match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub not_object: Vec<Regex>,
}

/// A regular expression. A linkage name also matches the name that people know it as.
pub(crate) fn pattern(text: &str) -> Result<Regex, String> {
    Regex::new(&linkage::pattern(text)).map_err(|e| no_pattern(text, &e))
}

/// Describes an error in a regular expression in one line, without the regex crate's drawing of the
/// place.
pub(super) fn no_pattern(text: &str, error: &regex::Error) -> String {
    let all = error.to_string();
    let why = all.lines().last().unwrap_or_default();
    format!(
        "`{text}` is not a valid regular expression: {}",
        why.trim_start_matches("error: ")
    )
}
