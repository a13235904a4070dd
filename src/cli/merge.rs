//! The options of `cgannotate merge`.

use super::{InputArgs, OutputArgs};
use std::path::PathBuf;

/// Adds profiles up and writes one, in Callgrind's format, that any reader opens.
///
/// Of one profile it makes a canonical rewrite. Merging is associative, byte for byte: shards can be merged in steps.
/// Instruction addresses and jumps are left out, and costs stay with their lines, unless --keep-instr asks for them.
#[derive(clap::Args, Clone, Debug)]
pub struct MergeArgs {
    /// The profiles to merge
    #[arg(value_name = "PROFILE", required = true, value_hint = clap::ValueHint::FilePath)]
    pub files: Vec<PathBuf>,

    /// Keep instruction addresses and jumps
    #[arg(long)]
    pub keep_instr: bool,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}
