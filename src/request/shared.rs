//! What options mean that several commands have: how inputs are read, which rows are listed, whose cost it is.

use crate::analysis::narrow::Pattern;
use crate::analysis::{Narrow, Set};
use crate::cli::{FilterArgs, InputArgs, NarrowArgs, OwnArgs};
use crate::input::{self, Recursion};
use crate::profile::{Collect, Format};
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

/// More threads than any machine has use for; each takes memory.
const MOST_THREADS: usize = 256;

impl InputArgs {
    /// How many threads there are, at most 256.
    pub fn threads(&self) -> usize {
        // To ask for the cores reads several files: once is enough.
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, Into::into));
        self.threads
            .map_or_else(cores, usize::from)
            .min(MOST_THREADS)
    }

    /// The format of every input; `None` tells it by their content.
    pub fn format(&self) -> Option<&'static Format> {
        input::formats().find(|format| Some(format.name) == self.input_format.as_deref())
    }

    /// Whether recursion levels are functions of their own.
    pub fn recursion(&self) -> Recursion {
        if self.fold_recursion {
            Recursion::Folded
        } else {
            Recursion::Levels
        }
    }

    /// The library's options for it.
    pub fn options(&self, collect: Collect, strip: Vec<u8>) -> input::Options {
        input::Options {
            collect,
            strip,
            recursion: self.recursion(),
            threads: self.threads(),
            format: self.format(),
            ..input::Options::all()
        }
    }
}

impl NarrowArgs {
    /// The rows: how many, and of what.
    pub(crate) fn narrow(&self) -> Narrow {
        Narrow {
            rows: self.rows.map(NonZeroUsize::get),
            min: self.min,
            ..self.filters.narrow()
        }
    }
}

impl FilterArgs {
    /// The filters by name.
    pub(crate) fn narrow(&self) -> Narrow {
        let [function, file, object] = [
            (&self.function, &self.not_function),
            (&self.file, &self.not_file),
            (&self.object, &self.not_object),
        ]
        .map(|(only, not)| Pattern {
            only: only.clone(),
            not: not.clone(),
        });
        Narrow {
            function,
            file,
            object,
            ..Narrow::default()
        }
    }
}

impl OwnArgs {
    /// What is foreign, if anything is.
    pub(crate) fn set(&self) -> Option<Set> {
        let set = Set {
            // Whoever says what is own wants to see that.
            own: (self.own || !self.own_code.is_empty()).then(|| self.own_code.clone()),
            fold: self.fold.clone(),
        };
        Some(set).filter(|set| !set.is_all())
    }
}
