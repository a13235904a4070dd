//! The options of `cgannotate record`.

use super::ScreenArgs;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs a program under Valgrind's Callgrind, and shows what it cost.
///
/// The program has the terminal, its input and its output to itself; what was wrong before the run or in it is said
/// afterwards. Callgrind is told to keep addresses (--dump-instr=yes), which inlined functions and instructions need.
#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "cgannotate record [OPTIONS] -- PROGRAM [ARG]...\n       \
    cgannotate record [OPTIONS] --cargo bench|test|run|example [NAME] [-- ARG...]"
)]
pub struct RecordArgs {
    /// The program, found as a shell finds it, and its arguments; with --cargo, the arguments alone
    #[arg(value_name = "PROGRAM [ARG]", trailing_var_arg = true, value_hint = clap::ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,

    /// Build and record what cargo calls so: a kind, and where the kind has several, a name
    #[arg(long, value_name = "bench|test|run|example", num_args = 1..=2, value_names = ["bench|test|run|example", "NAME"])]
    pub cargo: Option<Vec<String>>,

    /// Simulate caches, which takes twice the time
    #[arg(long)]
    pub cache: bool,

    /// Keep threads apart: a file a thread
    #[arg(long)]
    pub threads: bool,

    /// Record the programs that it starts, too: a file a process
    #[arg(long)]
    pub children: bool,

    /// Count only inside this function, named as Callgrind names it; * stands for anything
    #[arg(long, value_name = "FUNCTION")]
    pub only: Vec<String>,

    /// Give this option to Valgrind, such as --branch-sim=yes or --separate-callers=2
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub valgrind: Vec<OsString>,

    /// Keep the run under this name, which other commands take for its files: cgannotate diff before after
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Write this into the profile, beside the commit of the folder
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// Begin the names of the files so; the number of the process follows [default: callgrind.out]
    #[arg(short, long, value_name = "PATH", conflicts_with = "name")]
    pub output: Option<PathBuf>,

    /// Pack the profile with its sources and code into this file, too
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "dry_run")]
    pub pack: Option<PathBuf>,

    /// Print the command line of Valgrind and run nothing
    #[arg(long)]
    pub dry_run: bool,

    /// How the report looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}
