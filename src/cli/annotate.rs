//! The options of the default command, the report.

use super::narrow::FILTERS;
use super::own::WHOSE;
use super::{
    ByArg, CodeArgs, ColumnArgs, InputArgs, NarrowArgs, OwnArgs, ReportArgs, SourceArgs, TreeArg,
    YesNo,
};
use crate::profile::SplitBy;
use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

/// The options of the report on one profile, or on the sum of several.
#[derive(clap::Args, Clone, Debug)]
pub struct AnnotateArgs {
    /// Profiles, and source files to annotate; what is a profile is told by its content [newest callgrind.out.*]
    #[arg(value_name = "PROFILE|SOURCE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// What is listed.
    #[command(flatten)]
    pub columns: ColumnArgs,

    /// Print a report for each part, thread, process, run or input, one after the other, instead of one for their sum
    #[arg(
        long,
        value_name = "part|thread|pid|run|input",
        hide_possible_values = true
    )]
    pub split: Option<SplitBy>,

    /// Annotate the sources of the functions that are listed [default: yes; with --by: no]
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub auto: Option<YesNo>,

    /// Lines of source to show around annotated ones
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: u64,

    /// Count the cost of called functions too; yes without a value
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        hide_possible_values = true
    )]
    pub inclusive: YesNo,

    /// Show the callers or the called functions of each function, or both; both without a value
    #[arg(
        long,
        value_name = "none|caller|calling|both",
        default_value = "none",
        hide_possible_values = true
    )]
    pub tree: TreeArg,

    /// Show one function in full: its cost, callers, callees and source
    ///
    /// A function with just this name wins over those that the pattern matches; of several of that name, the one with a
    /// source file and code of its own; of several that match, the dearest. Of an aprof report, the page shows the cost by
    /// the size of the input and how it grows.
    #[arg(long, value_name = "REGEX", conflicts_with_all = ["by", "tree"])]
    pub zoom: Option<String>,

    /// List the events of a profile, or all that are known, in words
    #[arg(long = "events", conflicts_with = "format")]
    pub list_events: bool,

    /// Write the manual page, or what completes options in a shell
    #[arg(long, value_name = "man|bash|zsh|fish", hide_possible_values = true)]
    pub generate: Option<Generate>,

    /// With --zoom: levels of callers and callees [default: 1]
    #[arg(long, value_name = "N", requires = "zoom")]
    pub depth: Option<usize>,

    /// Where sources are looked for.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Show counts as they were recorded also where a terminal shows times, as of Xdebug's Time_(10ns)
    #[arg(long)]
    pub raw: bool,

    /// Print what callgrind_annotate prints, its faults included (one profile of one part)
    #[arg(
        long,
        conflicts_with_all = ["zoom", "by", "split", "format", "raw", "inlined", "fold_recursion", "rows", "min"],
        conflicts_with_all = FILTERS,
        conflicts_with_all = WHOSE
    )]
    pub compat: bool,

    /// What is left out.
    #[command(flatten)]
    pub narrow: NarrowArgs,

    /// Add self costs up by this instead of listing functions in their files, or list functions with a column for each
    /// thread, part, process or run
    #[arg(
        long,
        value_name = "function|file|object|class|line|thread|part|pid|run|instr",
        hide_possible_values = true,
        conflicts_with_all = ["inclusive", "tree"],
        help_heading = "Asking for less"
    )]
    pub by: Option<ByArg>,

    /// Whose cost it is.
    #[command(flatten)]
    pub own: OwnArgs,

    /// What is asked of binaries.
    #[command(flatten)]
    pub code: CodeArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where and how it is written.
    #[command(flatten)]
    pub report: ReportArgs,
}

/// What can be made for the system the program is installed on.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum Generate {
    /// The manual page.
    Man,
    /// Completions of bash.
    Bash,
    /// Completions of zsh.
    Zsh,
    /// Completions of fish.
    Fish,
}
