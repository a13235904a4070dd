//! The request of `pack`.

use super::{Destination, Reading, Usage, refuse};
use crate::analysis::selection::Threshold;
use crate::cli::PackArgs;
use crate::source::Map;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::PathBuf;

/// What is to be packed.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles.
    pub files: Vec<PathBuf>,
    /// The share of the cost of which sources are taken.
    pub threshold: Threshold,
    /// What is left out.
    pub exclude: Vec<Regex>,
    /// Where sources are.
    pub include: Vec<PathBuf>,
    /// Folders that are elsewhere here.
    pub maps: Vec<Map>,
    /// Where binaries and debug files are.
    pub debug_dirs: Vec<PathBuf>,
    /// How profiles are read.
    pub reading: Reading,
    /// Where the pack goes; `None` is to list what would go in.
    pub to: Option<Destination>,
    /// The command line that recorded the profiles; empty if that is not known.
    pub recorded_by: Vec<OsString>,
}

/// The usual share, in percent, as that of the report.
const HOT: u8 = 99;

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Options that change no pack.
    pub fn new(args: &PackArgs) -> Result<Request, Usage> {
        refuse([
            (
                args.input.fold_recursion || !args.input.events.is_empty(),
                "--fold-recursion and --event are for reports of the pack",
            ),
            (
                args.files.iter().any(|file| file.as_os_str() == "-"),
                "`-`: a pack is made of files, which are read twice",
            ),
        ])?;
        Ok(Request {
            files: args.files.clone(),
            threshold: args
                .threshold
                .as_ref()
                .map_or(Threshold::whole(HOT), Threshold::from),
            exclude: args.exclude.clone(),
            include: args.include.clone(),
            maps: args
                .maps
                .iter()
                .map(|map| Map::new(&map.old, &map.new))
                .collect(),
            debug_dirs: args.debug_dirs.clone(),
            reading: Reading::new(&args.input),
            to: (!args.dry_run).then(|| Destination::new(&args.output)),
            recorded_by: Vec::new(),
        })
    }

    /// The pack of what was just recorded.
    pub fn of_recording(to: PathBuf) -> Request {
        Request {
            files: Vec::new(),
            threshold: Threshold::whole(HOT),
            exclude: Vec::new(),
            include: Vec::new(),
            maps: Vec::new(),
            debug_dirs: Vec::new(),
            reading: Reading::new(&Default::default()),
            to: Some(Destination::File(to)),
            recorded_by: Vec::new(),
        }
    }
}
