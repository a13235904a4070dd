//! The options about binaries: inlined functions and instructions.

use super::own::{INLINED, WHOSE};
use crate::profile::Syntax;
use clap::ValueHint;
use std::path::PathBuf;

/// Options about binaries and their debug information.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = INLINED)]
pub struct CodeArgs {
    /// List inlined functions, too; with --zoom, show what is inlined into the function (needs
    /// instruction addresses)
    #[arg(long)]
    pub inlined: bool,

    /// Show the instructions of the function of --zoom (needs instruction addresses)
    #[arg(long, requires = "zoom", conflicts_with = "format", conflicts_with_all = WHOSE)]
    pub asm: bool,

    /// Where binaries are.
    #[command(flatten)]
    pub binaries: BinaryArgs,
}

/// Where binaries are, and how their instructions are written.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = INLINED)]
pub struct BinaryArgs {
    /// Write x86 instructions in this syntax [default: att]
    #[arg(long, value_name = "att|intel", hide_possible_values = true)]
    pub asm_syntax: Option<Syntax>,

    /// Disassemble with this objdump or llvm-objdump
    #[arg(long, value_name = "PATH")]
    pub objdump: Option<PathBuf>,

    /// Look for binaries and debug files in this folder, too
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub debug_dirs: Vec<PathBuf>,

    /// Use the binaries that are found even if they are not the ones that ran
    #[arg(long)]
    pub force: bool,
}
