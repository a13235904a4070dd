//! The options of `cgannotate merge`.

use super::{InputArgs, OutputArgs};

/// Profiles to add up.
#[derive(clap::Args, Debug)]
pub struct MergeArgs {
    /// The profiles to merge
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<String>,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
