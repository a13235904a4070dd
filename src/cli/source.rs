//! The options that say where sources are.

use super::MapArg;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

/// Where sources are looked for.
#[derive(clap::Args, Clone, Debug)]
pub struct SourceArgs {
    /// Look for sources below this folder too; of several files, the one whose path has most in common at its end is taken
    #[arg(short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub include: Vec<PathBuf>,

    /// Look in NEW for sources that were in OLD where the program was built; the longest OLD wins
    #[arg(long = "map", value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(MapArg::read))]
    pub maps: Vec<MapArg>,

    /// Look for sources wherever toolchains and packages put them, or only where -I lists
    #[arg(
        long,
        value_name = "everywhere|listed",
        default_value = "everywhere",
        hide_possible_values = true
    )]
    pub sources: SourceSearch,
}

/// How far the search for sources goes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum SourceSearch {
    /// Wherever they usually are.
    Everywhere,
    /// Where the original looks.
    Listed,
}
