//! The options of `cgannotate mcp`.

use clap::ValueHint;
use std::ffi::OsString;
use std::path::PathBuf;

/// Answers questions of assistants: the Model Context Protocol on standard input and output.
///
/// It reads profiles, and shows source text, only below the current folder.
#[derive(clap::Args, Debug)]
pub struct McpArgs {
    /// The profile that questions are about, unless they name another [default: the newest in this
    /// folder]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub profile: Option<PathBuf>,

    /// Offer to record the program after `--`, and no other
    #[arg(long, requires = "program")]
    pub allow_record: bool,

    /// The most seconds that a recording may take
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub time_limit: u64,

    /// The program to record, and its arguments
    #[arg(last = true, value_name = "PROGRAM [ARG]", requires = "allow_record")]
    pub program: Vec<OsString>,
}
