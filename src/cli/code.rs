//! The options about binaries: inlined functions and instructions.

use clap::ValueHint;
use std::path::PathBuf;

/// What is asked of binaries and their debug information.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Binaries")]
pub struct CodeArgs {
    /// Tell inlined functions apart: list them beside called ones; with --zoom, show what is inlined into a function
    ///
    /// This takes a profile with instruction addresses (valgrind --tool=callgrind --dump-instr=yes) and the program's
    /// debug information. A line of source has, below it, what the functions inlined there cost. With --own, a line of own
    /// code costs what was inlined from it, and own functions that were inlined are functions like others.
    #[arg(long)]
    pub inlined: bool,

    /// In JSON, list single instructions, calls from them and jumps
    #[arg(long)]
    pub instructions: bool,

    /// Look for binaries and debug files below this folder too
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub debug_dirs: Vec<PathBuf>,

    /// Use binaries that are not those that ran, by what is in them
    #[arg(long)]
    pub force: bool,
}
