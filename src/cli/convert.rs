//! The options of `cgannotate convert`.

use super::narrow::FILTERS;
use super::own::WHOSE;
use super::values::share;
use super::{FilterArgs, InlinedArgs, InputArgs, OutputArgs, OwnArgs};
use std::path::PathBuf;

/// Writes a profile in a format for other tools.
///
/// Callgrind records calls between two functions, not stacks. Where a format wants stacks (folded, speedscope), they are
/// estimated: the cost of a function is divided over its callers in proportion to what it cost them, and cycles are
/// entered once. The sum stays exact. Xdebug's profiles tell the stacks, and those are written.
#[derive(clap::Args, Clone, Debug)]
#[command(mut_arg("inlined", |arg| arg
    .help("In stacks, make frames of inlined functions (folded, speedscope, pprof); with --own, make functions of own ones")
    .long_help(None)))]
pub struct ConvertArgs {
    /// The profiles to convert, summed
    #[arg(value_name = "PROFILE", required = true, value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    pub to: ToArg,

    /// The event of folded, dot and speedscope [the first], and of pprof and tables, which have all without it
    #[arg(long, value_name = "EVENT")]
    pub show: Option<String>,

    /// Leave out what costs less than this share of the total: stacks [0.01%], functions of dot [0.5%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub min: Option<f64>,

    /// What tables call the run [its label, else the name of the first profile]
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// Keep instruction addresses and jumps in Callgrind's format
    #[arg(long, conflicts_with = "zoom", conflicts_with_all = FILTERS, conflicts_with_all = WHOSE)]
    pub keep_instr: bool,

    /// Write one function, its callers and callees
    #[arg(long, value_name = "REGEX")]
    pub zoom: Option<String>,

    /// With --zoom: levels of callers and callees [default: 1]
    #[arg(long, value_name = "N", requires = "zoom")]
    pub depth: Option<usize>,

    /// Inlined functions.
    #[command(flatten)]
    pub code: InlinedArgs,

    /// What is left out.
    #[command(flatten)]
    pub keep: FilterArgs,

    /// Whose cost it is.
    #[command(flatten)]
    pub own: OwnArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Formats that can be written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Debug)]
pub enum ToArg {
    /// Stacks for flame-graph tools, one a line
    Folded,
    /// A call graph for Graphviz
    Dot,
    /// Callgrind's format, as `merge` writes it
    Callgrind,
    /// Stacks for speedscope
    Speedscope,
    /// What pprof and all that take its format open, with all events
    Pprof,
    /// What webgrind opens, its preprocessed format, version 7
    Webgrind,
    /// CSV files for databases, in the folder run=LABEL below the one that -o names: the run, its functions, lines, arcs and events
    Tables,
}
