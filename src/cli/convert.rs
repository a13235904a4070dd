//! The options of `cgannotate convert`.

use super::{InputArgs, OutputArgs};

/// A profile and the format it is wanted in.
#[derive(clap::Args, Debug)]
pub struct ConvertArgs {
    /// The profiles to convert, summed
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<String>,

    /// The format to write: webgrind is what webgrind opens, its preprocessed format, version 7
    #[arg(long, value_name = "FORMAT")]
    pub to: ToArg,

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
    /// webgrind's preprocessed format, version 7.
    Webgrind,
}
