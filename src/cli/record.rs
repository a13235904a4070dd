//! The options of `cgannotate record`.

use super::ScreenArgs;
use std::{ffi::OsString, path::PathBuf};

/// Runs a program under Valgrind's Callgrind, and shows its profile.
///
/// The program has the terminal, its input and its output to itself. Problems are reported
/// afterwards.
#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "cgannotate record [OPTIONS] -- PROGRAM [ARG]...\n       \
    cgannotate record [OPTIONS] --cargo bench|test|run|example [NAME] [-- ARG...]"
)]
pub struct RecordArgs {
    /// The program, found as a shell finds it, and its arguments; with --cargo, the arguments alone
    #[arg(value_name = "PROGRAM [ARG]", trailing_var_arg = true)]
    pub command: Vec<OsString>,

    /// Build and record a target of cargo: its kind, and if there are several, its name
    #[arg(long, value_name = "bench|test|run|example", num_args = 1..=2, value_names = ["bench|test|run|example", "NAME"])]
    pub cargo: Option<Vec<String>>,

    /// Simulate caches, which takes twice the time
    #[arg(long)]
    pub cache: bool,

    /// Write one file per thread
    #[arg(long)]
    pub threads: bool,

    /// Record programs that it starts, too: one file per process
    #[arg(long)]
    pub children: bool,

    /// Record N callers of each function, so that more of the stacks is certain [default: 5, or what
    /// the newest profile of the command suggests]
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub stacks: Option<Option<u16>>,

    /// Count only inside this function, named as Callgrind names it; * stands for anything
    #[arg(long, value_name = "FUNCTION")]
    pub only: Vec<String>,

    /// Give this option to Valgrind, such as --branch-sim=yes
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub valgrind: Vec<OsString>,

    /// Name the run; other commands take the name for its files: cgannotate diff before after
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Write this label into the profile, next to the commit of the folder
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// Begin file names with this; the process number follows [default: callgrind.out]
    #[arg(short, long, value_name = "PATH", conflicts_with = "name")]
    pub output: Option<PathBuf>,

    /// Pack the profile with its sources and code into this file, too
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "dry_run")]
    pub pack: Option<PathBuf>,

    /// Do not append what is known of the binaries, such as inlined functions, to the profile
    #[arg(long)]
    pub no_details: bool,

    /// Print Valgrind's command line and run nothing
    #[arg(long)]
    pub dry_run: bool,

    /// How the report looks.
    #[command(flatten)]
    pub screen: ScreenArgs,
}
