//! The options of `cgannotate merge`.

use super::{InputArgs, OutputArgs};
use std::path::PathBuf;

/// Adds up profiles, and writes the sum in Callgrind's format, which any reader opens.
///
/// With --median and --mean, the profiles are runs of one thing.
///
/// Shards can be merged in steps. Instruction addresses and jumps are kept. Those of an executable
/// or library are omitted if the inputs have different builds of it.
#[derive(clap::Args, Debug)]
pub struct MergeArgs {
    /// The profiles to merge
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Write the run with the median total of the first event, unchanged; of two, the lower
    #[arg(long)]
    pub median: bool,

    /// Write the mean of the runs: each cost and number of calls, rounded to an integer
    #[arg(long, conflicts_with = "median")]
    pub mean: bool,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
