//! The options of `cgannotate check`.

use super::{InputArgs, OutputArgs};

/// What must hold of a run.
#[derive(clap::Args, Debug)]
pub struct CheckArgs {
    /// The profiles to check, summed
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<String>,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
