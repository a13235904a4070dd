//! The options of `cgannotate pack`.

use super::{
    InputArgs, OutputArgs,
    values::{map, threshold},
};
use crate::{analysis::Threshold, source::Map};
use clap::ValueHint;
use clap::builder::{OsStringValueParser, TypedValueParser};
use regex::bytes::Regex;
use std::{ffi::OsString, path::PathBuf};

/// Puts profiles, their sources and what is known of the code into one file, which every command
/// reads like a profile.
///
/// Whoever gets the pack gets the sources, so what goes in is listed before anything is written.
#[derive(clap::Args, Default, Debug)]
pub struct PackArgs {
    /// The profiles to pack, which are summed when the pack is read
    #[arg(value_name = "PROFILE", required = true)]
    pub files: Vec<PathBuf>,

    /// Pack the sources of this percentage of the cost; 100 for all with any cost [default: 99]
    #[arg(long, value_name = "0-100", value_parser = threshold)]
    pub threshold: Option<Threshold>,

    /// Omit sources, and the code of executables and libraries, whose names or places match
    #[arg(long, value_name = "REGEX", value_parser = super::pattern)]
    pub exclude: Vec<Regex>,

    /// List what would be packed and write nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Look for sources in this folder, too
    #[arg(short = 'I', long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub include: Vec<PathBuf>,

    /// Look in NEW for what was in OLD when the program was built
    #[arg(long = "map", value_name = "OLD=NEW", value_parser = OsStringValueParser::new().try_map(map))]
    pub maps: Vec<Map>,

    /// Look for binaries and debug files in this folder, too
    #[arg(long = "debug-dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub debug_dirs: Vec<PathBuf>,

    /// How inputs are read.
    #[command(flatten)]
    pub input: InputArgs,

    /// Where the pack goes.
    #[command(flatten)]
    pub output: OutputArgs,

    /// The command line that recorded the profiles; empty if that is not known.
    #[arg(skip)]
    pub recorded_by: Vec<OsString>,
}
