//! The options of `cgannotate diff`.

use super::{InputArgs, OutputArgs};

/// Two runs to compare.
#[derive(clap::Args, Debug)]
pub struct DiffArgs {
    /// The old profile and the new one; with several files a side, `OLD… -- NEW…`
    #[arg(value_name = "OLD NEW", required = true)]
    pub files: Vec<String>,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
