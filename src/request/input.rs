//! How inputs are read; the same for every command.

use crate::cli::InputArgs;
use crate::input::{self, Recursion};
use crate::profile::{Collect, Definition, Format};
use std::sync::OnceLock;
use std::thread;

/// More threads than any machine has use for; each takes memory.
const MOST_THREADS: usize = 256;

/// How inputs are read, and what becomes of those with faults.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The format of every input; `None` tells it by their content.
    pub format: Option<&'static Format>,
    /// How many threads read at most; `None` is as many as there are cores.
    pub threads: Option<u16>,
    /// How warnings are treated.
    pub warnings: WarningsAre,
    /// How truncated inputs are treated.
    pub truncated: Truncated,
    /// Whether recursion levels are functions of their own.
    pub recursion: Recursion,
    /// Derived events.
    pub events: Vec<Definition>,
    /// Whether inputs are meant to be of several programs: then nothing is said of it.
    pub programs: Programs,
}

/// What inputs are of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Programs {
    /// One program; the sum of several means little.
    One,
    /// A program and those that it started.
    Several,
}

/// How warnings about inputs are treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WarningsAre {
    /// They are printed.
    Told,
    /// They are errors.
    Errors,
}

/// How a truncated input affects the exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truncated {
    /// The command failed.
    Fails,
    /// It is accepted: status 0, with a warning.
    Passes,
}

impl Reading {
    pub(super) fn new(args: &InputArgs) -> Reading {
        Reading {
            format: input::formats()
                .find(|format| Some(format.name) == args.input_format.as_deref()),
            threads: args.threads,
            warnings: if args.strict {
                WarningsAre::Errors
            } else {
                WarningsAre::Told
            },
            truncated: if args.allow_truncated {
                Truncated::Passes
            } else {
                Truncated::Fails
            },
            recursion: if args.fold_recursion {
                Recursion::Folded
            } else {
                Recursion::Levels
            },
            events: args.events.clone(),
            programs: Programs::One,
        }
    }

    /// How many threads there are, at most 256.
    pub fn threads(&self) -> usize {
        // To ask for the cores reads several files: once is enough.
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, Into::into));
        self.threads
            .map_or_else(cores, usize::from)
            .min(MOST_THREADS)
    }

    /// The library's options for it.
    pub fn options(&self, collect: Collect, strip: Vec<u8>) -> input::Options {
        let threads = self.threads();
        let Reading {
            format, recursion, ..
        } = *self;
        input::Options {
            collect,
            strip,
            recursion,
            threads,
            format,
            ..input::Options::all()
        }
    }
}
