//! The options of `cgannotate convert`.

use super::{InputArgs, OutputArgs};

/// A profile and the format it is wanted in.
#[derive(clap::Args, Debug)]
pub struct ConvertArgs {
    /// The profiles to convert, summed
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<String>,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
