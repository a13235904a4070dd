//! The options that say whose cost counts.

use super::narrow::pattern;
use regex::bytes::Regex;
use std::path::PathBuf;

/// The options of [`OwnArgs`].
pub(super) const WHOSE: [&str; 3] = ["own", "own_code", "fold"];

/// What is own code, and what is charged to its callers.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Whose cost it is")]
pub struct OwnArgs {
    /// Show own code alone, with what foreign code cost on its behalf
    ///
    /// Each unit of cost is charged to the innermost own function of its stack; what has none is one row more, so that rows
    /// add up to the total. Foreign are libraries of the system, toolchains and packages; own is the program's own object,
    /// and files in relative paths or below the folder that most of its files share.
    #[arg(long)]
    pub own: bool,

    /// Take this for own code instead: objects, files and functions that match; implies --own
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub own_code: Vec<Regex>,

    /// Charge what matches to its callers: objects, files and functions
    #[arg(long, value_name = "REGEX", value_parser = pattern)]
    pub fold: Vec<Regex>,
}

/// Own functions that were inlined, for commands that show own code alone.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Binaries")]
pub struct InlinedArgs {
    /// Take own functions that were inlined for functions like others
    ///
    /// What an instruction cost is then given to the innermost own function that it came from, inlined or called. This takes
    /// profiles with instruction addresses (valgrind --tool=callgrind --dump-instr=yes) and the program's debug information.
    #[arg(long)]
    pub inlined: bool,

    /// Look for binaries and debug files below this folder too; can be given many times
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = clap::ValueHint::DirPath, requires = "inlined")]
    pub debug_dirs: Vec<PathBuf>,
}
