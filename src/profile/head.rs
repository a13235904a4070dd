//! What every aggregation needs in addition to the costs: names, events, parts, warnings, and the
//! memory limits.

use super::{Carried, Events, Format, NameId, Names, Overflow, Part, WarningKind, Warnings};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The description of a sum in the Callgrind format if not all of its inputs recorded calls. The
/// format itself cannot express this.
pub(crate) const CALLS_UNKNOWN: &[u8] = b"Calls: not recorded of all inputs";

/// What every aggregation needs from the header and the names of its inputs.
#[derive(Default)]
pub(crate) struct Head {
    pub names: Names,
    pub events: Events,
    pub warnings: Warnings,
    pub parts: Vec<Part>,
    pub inputs: Vec<PathBuf>,
    /// The format of the first input.
    pub format: &'static Format,
    /// The format of every input, if several were added up.
    pub(super) formats: Vec<&'static Format>,
    /// Whether some inputs have calls and others have none, or one is such a sum.
    pub mixes_calls: bool,
    /// The sources and code information of the inputs.
    pub carried: Vec<Arc<Carried>>,
    /// The folder in which the input was made, if the input names it.
    pub folder: Option<Vec<u8>>,
}

impl Head {
    /// The head of the input called `input`.
    pub(crate) fn new(input: &Path) -> Head {
        Head {
            inputs: vec![input.to_owned()],
            ..Head::default()
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

    /// Adds a warning about the current input: about a line of the current part, or about the whole
    /// input.
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

    /// Warns if a sum overflowed at this line of the current part.
    #[inline(always)]
    pub(crate) fn saturated(&mut self, over: Overflow, line: u64) {
        if over {
            self.warn_saturated(line);
        }
    }

    /// Warns about a cost before any function.
    #[cold]
    pub(crate) fn warn_before_function(&mut self, line: u64) {
        self.warn(Some(line), WarningKind::CostBeforeFunction, || {
            "a cost before any `fn=`; it is attributed to an unknown function".into()
        });
    }

    /// Warns about a call without a callee, and returns the name of the unknown function.
    #[cold]
    pub(crate) fn unknown_callee(&mut self, line: u64) -> NameId {
        self.warn(Some(line), WarningKind::CallWithoutCallee, || {
            "a call without `cfn=`; its cost is attributed to an unknown function".into()
        });
        NameId::UNKNOWN
    }

    #[cold]
    fn warn_saturated(&mut self, line: u64) {
        self.warn(Some(line), WarningKind::Saturated, || {
            "a sum does not fit in 64 bits from here on; the limit is used instead".into()
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
        self.warnings.add(part, file, line, kind, message);
    }

    /// The input that is being read.
    pub(crate) fn input(&self) -> &Path {
        self.inputs.last().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// Why reading must stop.
pub(crate) enum Full {
    /// A table has reached its limit.
    Tables,
    /// There are more different events than possible columns.
    Events,
    /// The parts have many different events, so that rows are long and mostly empty.
    Columns,
}

impl Full {
    /// Whether tables take too much memory: `room` counts, in rows of `events` events, after `read`
    /// bytes of input. Rows of few events are always allowed, because each comes from a line of the
    /// file.
    pub(crate) fn reached(tables: bool, room: usize, events: usize, read: u64) -> Option<Full> {
        const FEW_EVENTS: usize = 48;
        const FREE: u64 = 1 << 20;
        if tables {
            return Some(Full::Tables);
        }
        (events > FEW_EVENTS && room as u64 > FREE + 4 * read).then_some(Full::Columns)
    }
}
