//! The options of `cgannotate explore`.

use super::{BinaryArgs, InputArgs, SourceArgs, When, narrow::pattern};
use regex::bytes::Regex;
use std::path::PathBuf;

/// Walks through a profile in the terminal.
///
/// Single keys lead from a function to its callers, callees, source and instructions, and back. `?`
/// lists the keys, `q` quits.
#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "cgannotate explore [OPTIONS] [PROFILE]\n       cgannotate explore [OPTIONS] OLD NEW\n       cgannotate explore [OPTIONS] OLD... -- NEW...\n       cgannotate explore [OPTIONS] --sum PROFILE..."
)]
pub struct ExploreArgs {
    /// The profile, or an older and a newer one to compare [newest callgrind.out.*]
    #[arg(value_name = "PROFILE")]
    pub files: Vec<PathBuf>,

    /// The newer profiles, if a side of the comparison has several
    #[arg(value_name = "NEW", last = true)]
    pub new: Vec<PathBuf>,

    /// Add up all profiles: threads, parts or processes of a run
    #[arg(long)]
    pub sum: bool,

    /// Where sources are looked for.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Begin with the callers and callees of the function that matches
    #[arg(long, value_name = "REGEX")]
    pub function: Option<String>,

    /// Begin with only your code, as the key `o` shows it
    #[arg(long)]
    pub own: bool,

    /// Show inlined functions of your code like others (needs instruction addresses)
    #[arg(long, requires = "own")]
    pub inlined: bool,

    /// Define your code, which the key `o` shows alone: objects, files and functions that match
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub own_code: Vec<Regex>,

    /// Show times as recorded counts, for example of Xdebug's Time_(10ns)
    #[arg(long)]
    pub raw: bool,

    /// Use colors; $NO_COLOR is honored
    #[arg(
        long,
        value_name = "auto|always|never",
        default_value = "auto",
        hide_possible_values = true
    )]
    pub color: When,

    /// Where binaries are, whose instructions are shown.
    #[command(flatten)]
    pub binaries: BinaryArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,
}
