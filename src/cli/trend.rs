//! The options of `cgannotate trend`.

use super::{InputArgs, NarrowArgs, ReportArgs, YesNo, by::TREND};
use crate::analysis::GroupBy;
use std::path::PathBuf;

/// Lists what changed over many runs of one program: since when, by how much, and why.
///
/// Each profile is a run, in the order given. A folder has runs in the natural order of names; a
/// folder in it is one run.
#[derive(clap::Args, Clone, Debug)]
#[command(
    mut_arg("rows", |arg| arg.help("List at most N functions")),
    mut_arg("min", |arg| arg.help("List only what has at least this percentage of the total, such as 0.5%")),
)]
pub struct TrendArgs {
    /// The runs, or folders of them, in order
    #[arg(value_name = "PROFILE|FOLDER", required = true)]
    pub files: Vec<PathBuf>,

    /// Compare the costs of this event [default: the first that was counted]
    #[arg(long, value_name = "EVENT")]
    pub show: Option<String>,

    /// Compare inclusive costs of functions
    #[arg(
        long,
        value_name = "yes|no",
        default_value = "no",
        hide_possible_values = true
    )]
    pub inclusive: YesNo,

    /// Add up self costs by this
    #[arg(
        long,
        value_name = TREND,
        hide_possible_values = true
    )]
    pub by: Option<GroupBy>,

    /// What is listed.
    #[command(flatten)]
    pub narrow: NarrowArgs,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where and how it is written.
    #[command(flatten)]
    pub report: ReportArgs,
}
