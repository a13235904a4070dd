//! The request of `merge`.

use super::{Destination, Reading};
use crate::analysis::rewrite::Places;
use crate::cli::MergeArgs;
use std::path::PathBuf;

/// What is to be merged.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles.
    pub files: Vec<PathBuf>,
    /// Whether instruction addresses and jumps are kept.
    pub places: Places,
    /// How they are read.
    pub reading: Reading,
    /// Where the one goes.
    pub to: Destination,
}

impl Request {
    /// What the arguments ask for.
    pub fn new(args: &MergeArgs) -> Request {
        Request {
            files: args.files.clone(),
            places: if args.keep_instr {
                Places::Instructions
            } else {
                Places::Lines
            },
            reading: Reading::new(&args.input),
            to: Destination::new(&args.output),
        }
    }
}
