//! The options of the default command, the report.

use super::{
    CodeArgs, ColumnArgs, InputArgs, NarrowArgs, OwnArgs, ReportArgs, SourceArgs, TreeArg, YesNo,
    by::{self, ByArg},
    narrow::FILTERS,
    own::WHOSE,
};
use crate::profile::SplitBy;
use clap::ValueEnum;
use std::path::PathBuf;

/// The options of the report on one profile, or on the sum of several.
#[derive(clap::Args, Clone, Debug)]
pub struct AnnotateArgs {
    /// Profiles, folders (the newest run in each), and source files to annotate [default: the
    /// newest callgrind.out.*]
    #[arg(value_name = "PROFILE|SOURCE")]
    pub files: Vec<PathBuf>,

    /// What is listed.
    #[command(flatten)]
    pub columns: ColumnArgs,

    /// Print one report for each part, thread, process, run, input or trigger (the name of
    /// CALLGRIND_DUMP_STATS_AT)
    #[arg(
        long,
        value_name = "part|thread|pid|run|input|trigger",
        hide_possible_values = true
    )]
    pub split: Option<SplitBy>,

    /// Annotate the sources of the listed functions [default: yes; with --by: no]
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub auto: Option<YesNo>,

    /// Show N lines of source around annotated lines
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: u64,

    /// Include the cost of called functions; without a value, yes
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        hide_possible_values = true
    )]
    pub inclusive: YesNo,

    /// Show callers or called functions of each function, or both; without a value, both
    #[arg(
        long,
        value_name = "none|caller|calling|both",
        default_value = "none",
        hide_possible_values = true
    )]
    pub tree: TreeArg,

    /// Show one function in full: its cost, callers, callees and source
    #[arg(long, value_name = "REGEX", conflicts_with_all = ["by", "tree"])]
    pub zoom: Option<String>,

    /// Explain the events of a profile, or all known ones
    #[arg(long = "events", conflicts_with = "format")]
    pub list_events: bool,

    /// Print the manual page, or completions for a shell
    #[arg(long, value_name = "man|bash|zsh|fish", hide_possible_values = true)]
    pub generate: Option<Generate>,

    /// Show N levels of callers and callees with --zoom [default: 1]
    #[arg(long, value_name = "N", requires = "zoom")]
    pub depth: Option<usize>,

    /// Add up self costs by this, or show a column for each thread, part, process, run or
    /// trigger
    #[arg(
        long,
        value_name = by::REPORT,
        value_parser = by::row(by::REPORT),
        conflicts_with_all = ["inclusive", "tree"],
        hide_possible_values = true
    )]
    pub by: Option<ByArg>,

    /// Where sources are looked for.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Show times as recorded counts, for example of Xdebug's Time_(10ns)
    #[arg(long)]
    pub raw: bool,

    /// Print what callgrind_annotate prints, including its faults (one profile with one part)
    #[arg(
        long,
        conflicts_with_all = ["zoom", "by", "split", "format", "raw", "inlined", "fold_recursion", "rows", "min"],
        conflicts_with_all = FILTERS,
        conflicts_with_all = WHOSE
    )]
    pub compat: bool,

    /// What is omitted.
    #[command(flatten)]
    pub narrow: NarrowArgs,

    /// Whose cost it is.
    #[command(flatten)]
    pub own: OwnArgs,

    /// Options about binaries.
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
#[derive(Clone, Copy, PartialEq, ValueEnum, Debug)]
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
