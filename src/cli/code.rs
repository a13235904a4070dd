//! The options about binaries: inlined functions and instructions.

use super::own::WHOSE;
use crate::profile::Syntax;
use clap::ValueHint;
use std::path::PathBuf;

/// What is asked of binaries and their debug information.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Binaries")]
pub struct CodeArgs {
    /// Tell inlined functions apart: list them beside called ones; with --zoom, show what is inlined into a function
    ///
    /// This takes a profile with instruction addresses (valgrind --tool=callgrind --dump-instr=yes) and the program's
    /// debug information. A line of source has, below it, what the functions inlined there cost. With --own, a line of own
    /// code costs what was inlined from it, and own functions that were inlined are functions like others.
    #[arg(long)]
    pub inlined: bool,

    /// With --zoom: show the function's instructions instead of its source, with their costs, calls and jumps
    ///
    /// This takes a profile with instruction addresses (valgrind --tool=callgrind --dump-instr=yes, and for the jumps
    /// --collect-jumps=yes), and the program that ran. Lines of source
    /// stand between the instructions where the source is there. --by=instr lists the dearest instructions of all functions.
    #[arg(long, requires = "zoom", conflicts_with = "format", conflicts_with_all = WHOSE)]
    pub asm: bool,

    /// Where binaries are.
    #[command(flatten)]
    pub binaries: BinaryArgs,
}

/// Where binaries are, and how their instructions are written.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Binaries")]
pub struct BinaryArgs {
    /// How instructions of x86 are written [default: att]
    #[arg(long, value_name = "att|intel", hide_possible_values = true)]
    pub asm_syntax: Option<Syntax>,

    /// Let this objdump or llvm-objdump disassemble; without it, instructions of other kinds than x86 are left to the one
    /// that is installed
    #[arg(long, value_name = "PATH", value_hint = ValueHint::ExecutablePath)]
    pub objdump: Option<PathBuf>,

    /// Look for binaries and debug files below this folder too
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub debug_dirs: Vec<PathBuf>,

    /// Use the binaries that are found even if they are not the ones that ran
    #[arg(long)]
    pub force: bool,
}
