//! What is explored.

use super::annotate::{Times, again};
use super::{Reading, Sources, When};
use crate::cli::{self, ExploreArgs, OwnArgs};
use regex::bytes::Regex;
use std::path::PathBuf;

/// How many lines a page has around those that cost anything.
const CONTEXT: u64 = 8;

/// What is to be explored.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles, as typed.
    pub files: Vec<PathBuf>,
    /// Where sources are; nothing if they are not wanted.
    pub sources: Option<Sources>,
    /// What is own code; by the rule if nothing was said.
    pub own_code: Vec<Regex>,
    /// How counts of time are shown.
    pub times: Times,
    /// Whether colours are used.
    pub colour: When,
    /// How inputs are read.
    pub reading: Reading,
    /// What the commands that print the same repeat.
    pub again: Vec<String>,
}

impl Request {
    /// What the arguments ask for.
    pub fn new(args: &ExploreArgs) -> Request {
        let sources = Sources::new(&args.include, &args.maps, args.sources.into(), CONTEXT);
        Request {
            files: args.files.clone(),
            sources: Some(sources).filter(|_| args.sources != cli::SourceSearch::None),
            own_code: args.own_code.clone(),
            times: if args.raw { Times::Recorded } else { Times::Durations },
            colour: args.color.into(),
            reading: Reading::new(&args.input),
            again: again(&args.input, &OwnArgs::default(), None, (&args.include, &args.maps, args.sources)),
        }
    }
}
