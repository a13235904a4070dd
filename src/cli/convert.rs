//! The options of `cgannotate convert`.

use super::{FilterArgs, InlinedArgs, InputArgs, OutputArgs, OwnArgs, values::share};
use std::path::PathBuf;

/// Writes a profile in a format for other tools.
///
/// Stacks (flamegraph, folded, speedscope, pprof) are estimated from calls, unless the profile records them.
#[derive(clap::Args, Debug)]
#[command(mut_arg("inlined", |arg| arg
    .help("Add frames of inlined functions to flamegraph, folded, speedscope and pprof; with --own, treat inlined functions like others")
    .long_help(None)))]
pub struct ConvertArgs {
    /// The profiles to convert, summed
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<PathBuf>,

    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    pub to: ToArg,

    /// Convert this event [default: the first; for pprof and tables: all]
    #[arg(long, value_name = "EVENT")]
    pub show: Option<String>,

    /// Omit what costs less than this percentage of the total [default: stacks 0.01%, functions of
    /// dot 0.5%]
    #[arg(long, value_name = "PERCENT", value_parser = share)]
    pub min: Option<f64>,

    /// Name the run in tables [default: its label, else the name of the first profile]
    #[arg(long, value_name = "TEXT")]
    pub label: Option<String>,

    /// Write one function, its callers and callees
    #[arg(long, value_name = "REGEX")]
    pub zoom: Option<String>,

    /// Write N levels of callers and callees with --zoom [default: 1]
    #[arg(long, value_name = "N", requires = "zoom")]
    pub depth: Option<usize>,

    /// Inlined functions.
    #[command(flatten)]
    pub code: InlinedArgs,

    /// What is omitted.
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
#[derive(Clone, Copy, PartialEq, clap::ValueEnum, Debug)]
pub enum ToArg {
    /// Stacks for flame-graph tools, one per line
    Folded,
    /// A flame graph: an SVG to search and enlarge in a browser
    Flamegraph,
    /// A call graph for Graphviz
    Dot,
    /// Callgrind's format, as `merge` writes it
    Callgrind,
    /// Stacks for speedscope
    Speedscope,
    /// The format of pprof, with all events
    Pprof,
    /// The preprocessed format of webgrind, version 7
    Webgrind,
    /// CSV files for databases, in the folder run=LABEL below the one that -o names: the run, its
    /// functions, lines, arcs and events
    Tables,
}
