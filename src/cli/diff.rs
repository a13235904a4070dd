//! The options of `cgannotate diff`.

use super::{
    ColumnArgs, FilterArgs, InlinedArgs, InputArgs, OwnArgs, ReportArgs, SourceArgs, YesNo,
    by::{self, ByArg},
    substitution::substitution,
};
use crate::analysis::difference::Rewrite;
use std::{num::NonZeroUsize, path::PathBuf};

/// Two runs to compare.
#[derive(clap::Args, Clone, Debug)]
#[command(
    override_usage = "cgannotate diff [OPTIONS] OLD NEW\n       cgannotate diff [OPTIONS] OLD... -- NEW...\n       cgannotate diff [OPTIONS] [SAVED] FOLDER",
    mut_arg("inlined", |arg| arg.requires("OwnArgs")),
    mut_arg("show", |arg| arg.help("Show only these events, in this order [default: the one that sorts, and the totals of all]")),
    mut_arg("sort", |arg| arg
        .help("Order by the change of these events; each can have a threshold, such as Ir:90,Dr:50")),
    mut_arg("threshold", |arg| arg
        .help("List changes until they have this percentage of all changes [default: 99; in other formats than \
               text and Markdown, and with -n or a filter: 100]")
        .long_help(None)),
    mut_arg("show_percs", |arg| arg.help("Show each change as a percentage of the old count")),
)]
pub struct DiffArgs {
    /// The old profile and the new one (if there is `--`, new ones come after it), or a folder of
    /// benches, such as target/gungraun
    #[arg(value_name = "OLD NEW")]
    pub files: Vec<PathBuf>,

    /// The new profiles, if a side has several
    #[arg(value_name = "NEW", last = true)]
    pub new: Vec<PathBuf>,

    /// Compare functions, files, objects, classes or lines
    #[arg(
        long,
        value_name = by::DIFF,
        value_parser = by::row(by::DIFF),
        default_value = "function",
        hide_possible_values = true
    )]
    pub by: ByArg,

    /// Compare names as they are, including hashes, numbers and folders that change with each build
    #[arg(long)]
    pub exact: bool,

    /// Change paths of files and objects before comparing; flags g (every match) and i (any case)
    #[arg(long, value_name = "s/old/new/gi", value_parser = substitution)]
    pub mod_filename: Vec<Rewrite>,

    /// Change function names before comparing
    #[arg(long, value_name = "s/old/new/gi", value_parser = substitution)]
    pub mod_funcname: Vec<Rewrite>,

    /// What is listed.
    #[command(flatten)]
    pub columns: ColumnArgs,

    /// List at most N changes
    #[arg(short = 'n', long, value_name = "N")]
    pub rows: Option<NonZeroUsize>,

    /// Show the new run's sources with changes next to their lines [default: no; in a page: yes]
    #[arg(long, value_name = "yes|no", hide_possible_values = true)]
    pub auto: Option<YesNo>,

    /// Show N lines of source around changed lines
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub context: u64,

    /// Which functions.
    #[command(flatten)]
    pub filters: FilterArgs,

    /// Order functions by the change of their inclusive cost
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        hide_possible_values = true
    )]
    pub inclusive: YesNo,

    /// Write the new run's stacks as a flame graph (SVG), colored by their changes
    #[arg(long, conflicts_with_all = ["format", "auto", "inclusive"])]
    pub flamegraph: bool,

    /// Where sources are looked for.
    #[command(flatten)]
    pub source: SourceArgs,

    /// Whose cost it is.
    #[command(flatten)]
    pub own: OwnArgs,

    /// Inlined functions of yours.
    #[command(flatten)]
    pub code: InlinedArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where and how it is written.
    #[command(flatten)]
    pub report: ReportArgs,
}
