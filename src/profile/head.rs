//! What every aggregation needs beside the costs: names, events, parts and warnings; and the limits of memory.

use super::costs::Overflow;
use super::{Carried, Events, Format, NameId, Names, Part, WarningKind, Warnings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The description that sums in the Callgrind format have where not all of their inputs recorded calls: the format itself
/// has no way to say so.
pub(crate) const CALLS_UNKNOWN: &[u8] = b"Calls: not recorded of all inputs";

/// What every aggregation needs from the header and the names of its inputs.
pub(crate) struct Head {
    pub(crate) names: Names,
    pub(crate) events: Events,
    pub(crate) warnings: Warnings,
    pub(crate) parts: Vec<Part>,
    pub(crate) inputs: Vec<PathBuf>,
    /// Of the first input.
    pub(crate) format: &'static Format,
    /// Of every input, where several were added up.
    pub(super) formats: Vec<&'static Format>,
    /// Whether some inputs have calls and others have none, or one is a sum that says so.
    pub(crate) mixes_calls: bool,
    /// What inputs bring along.
    pub(crate) carried: Vec<Arc<Carried>>,
    /// The folder that the input was made in, if it says so.
    #[cfg_attr(
        not(feature = "cli"),
        allow(dead_code, reason = "only the original's numbers need it")
    )]
    pub(crate) folder: Option<Vec<u8>>,
}

impl Head {
    /// The head of the input called `input`.
    pub(crate) fn new(input: &Path) -> Head {
        Head {
            names: Names::default(),
            events: Events::default(),
            warnings: Warnings::default(),
            parts: Vec::new(),
            inputs: vec![input.to_owned()],
            format: &Format::CALLGRIND,
            formats: Vec::new(),
            mixes_calls: false,
            carried: Vec::new(),
            folder: None,
        }
    }

    /// The part that is being read.
    pub(crate) fn part(&mut self) -> &mut Part {
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    /// Adds a warning about the current input: about a line of the current part, or about the whole input.
    #[cold]
    pub(crate) fn warn(
        &mut self,
        line: Option<u64>,
        kind: WarningKind,
        message: impl FnOnce() -> String,
    ) {
        let part = line.and(self.parts.len().checked_sub(1));
        self.warn_of_part(part, line, kind, message);
    }

    /// Warns of a sum that overflowed at a line of the current part, if it did.
    #[inline(always)]
    pub(crate) fn saturated(&mut self, over: Overflow, line: u64) {
        if over == Overflow::Saturated {
            self.warn_saturated(line);
        }
    }

    /// Warns of a cost that stands before any function.
    #[cold]
    pub(crate) fn warn_before_function(&mut self, line: u64) {
        self.warn(Some(line), WarningKind::CostBeforeFunction, || {
            "a cost before any `fn=`; it is given to an unknown function".into()
        });
    }

    /// Warns of a call without a callee, and gives the name that stands for it.
    #[cold]
    pub(crate) fn unknown_callee(&mut self, line: u64) -> NameId {
        self.warn(Some(line), WarningKind::CallWithoutCallee, || {
            "a call without `cfn=`; its cost goes to an unknown function".into()
        });
        NameId::UNKNOWN
    }

    #[cold]
    fn warn_saturated(&mut self, line: u64) {
        self.warn(Some(line), WarningKind::Saturated, || {
            "a sum does not fit in 64 bits from here on; the limit stands for it".into()
        });
    }

    /// Adds a warning about a part of the current input.
    #[cold]
    pub(crate) fn warn_of_part(
        &mut self,
        part: Option<usize>,
        line: Option<u64>,
        kind: WarningKind,
        message: impl FnOnce() -> String,
    ) {
        let file = self.inputs.last().map_or(Path::new(""), PathBuf::as_path);
        self.warnings.add_of_part(part, file, line, kind, message);
    }

    /// The input that is being read.
    pub(crate) fn input(&self) -> &Path {
        self.inputs.last().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// Why nothing more can be taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Full {
    /// A table is at its limit.
    Tables,
    /// There are more different events than there can be columns.
    Events,
    /// The parts have many different events, so that rows are long and mostly empty.
    Columns,
}

impl Full {
    /// Whether tables take too much memory: `room` counts, for rows of `events` events, after `read` bytes of input.
    /// Rows of few events are always allowed: each stems from a line of the file.
    pub(crate) fn of(tables: bool, room: usize, events: usize, read: u64) -> Option<Full> {
        const FEW_EVENTS: usize = 48;
        const FREE: u64 = 1 << 20;
        if tables {
            return Some(Full::Tables);
        }
        (events > FEW_EVENTS && room as u64 > FREE + 4 * read).then_some(Full::Columns)
    }
}
