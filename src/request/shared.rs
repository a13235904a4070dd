//! Interprets the options that several commands share: input, filters and library code.

use crate::{
    analysis::{Narrow, Pattern, Set},
    cli::{FilterArgs, InputArgs, NarrowArgs, OwnArgs},
    input,
    profile::{Collect, Format, Separate},
};
use std::{num::NonZeroUsize, sync::OnceLock, thread};

/// The most threads to use: each takes memory, and no machine needs more.
const MOST_THREADS: usize = 256;

impl InputArgs {
    /// The number of threads to use, at most 256.
    pub fn threads(&self) -> usize {
        // Asking for the number of cores reads several files, so it is done once.
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = || *CORES.get_or_init(|| thread::available_parallelism().map_or(1, Into::into));
        self.threads
            .map_or_else(cores, usize::from)
            .min(MOST_THREADS)
    }

    /// The format of every input. `None` if it is detected from their content.
    pub fn format(&self) -> Option<&'static Format> {
        input::formats().find(|format| Some(format.name) == self.input_format.as_deref())
    }

    /// The library's options for reading.
    pub fn options(&self, collect: Collect, strip: Vec<u8>) -> input::Options {
        input::Options {
            collect,
            strip,
            separate: match (self.contexts, self.fold_recursion) {
                (true, false) => Separate::Everything,
                (true, true) => Separate::Contexts,
                (false, true) => Separate::Nothing,
                (false, false) => Separate::Levels,
            },
            threads: self.threads(),
            format: self.format(),
            ..input::Options::all()
        }
    }
}

impl NarrowArgs {
    /// The filters and limits of lists.
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
    /// Which code is yours and which is attributed to its callers. `None` if no option asks for it.
    pub(crate) fn set(&self) -> Option<Set> {
        let set = Set {
            // `--own-code` implies `--own`.
            own: (self.own || !self.own_code.is_empty()).then(|| self.own_code.clone()),
            fold: self.fold.clone(),
        };
        Some(set).filter(|set| !set.is_all())
    }
}
