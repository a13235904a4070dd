//! Warnings: problems of an input that did not stop the reading.

use super::names::kebab_case;
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The kinds of warnings. Their names are part of the JSON report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum WarningKind {
    /// A line that the format does not allow.
    MalformedLine,
    /// An unknown header key.
    UnknownHeader,
    /// A cost, count or position that is not a number.
    BadCount,
    /// A compressed name that was never defined.
    UndefinedId,
    /// A compressed name with two different definitions in one part.
    RedefinedId,
    /// `calls=` without a cost line after it.
    MissingCallCost,
    /// `calls=` without `cfn=`.
    CallWithoutCallee,
    /// A cost line before any `fn=`.
    CostBeforeFunction,
    /// A line number below zero.
    NegativeLine,
    /// A second `summary:` or `totals:` in one part.
    SecondSummary,
    /// A `summary:` that is lower than the sum of the costs, which is then the total.
    LowSummary,
    /// Several processes wrote into one file.
    SeveralProcesses,
    /// A negative `summary:` of Callgrind, written modulo 2^64.
    NegativeSummary,
    /// The cost lines do not add up to `totals:`.
    TotalsMismatch,
    /// A count or a sum outside the range of a signed 64-bit integer.
    Saturated,
    /// An event name that occurs twice.
    DuplicateEvent,
    /// A derived event that cannot be computed.
    BadFormula,
    /// The input ends in the middle.
    Truncated,
    /// The input ends without a line feed, and nothing checks its last number.
    UncheckedEnd,
    /// Inputs of different commands, or without a common event.
    MixedInputs,
    /// Inputs of a process and of its fork.
    ForkedInputs,
    /// A line that is too long to be kept.
    LongLine,
    /// Calls in an order from which the tree of calls cannot be rebuilt.
    BrokenOrder,
    /// Counts that the file's writer took modulo 2^32.
    WrappedCount,
    /// Names whose callers disagree with the calls.
    UnclearCallers,
    /// The profile has no function.
    NoFunctions,
    /// What `record` appended to a profile cannot be used.
    UnusedDetails,
}

impl WarningKind {
    /// The name in reports.
    pub fn name(self) -> String {
        kebab_case(self)
    }
}

/// One warning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The input, as the user named it.
    pub file: PathBuf,
    /// The line in it, from 1; `None` if the warning is about the whole input.
    pub line: Option<u64>,
    /// The kind of the problem.
    pub kind: WarningKind,
    /// The problem, in one line.
    pub message: String,
    /// The part with the problem, as its index among all parts; `None` if the warning is about the
    /// whole input.
    pub(crate) part: Option<usize>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {} [{}]", self.message, self.kind.name())
    }
}

/// The warnings of a reading. Only a limited number of each kind is kept, so that a broken file
/// cannot fill the memory.
#[derive(Clone, Default, Debug)]
pub struct Warnings {
    kept: Vec<Warning>,
    counts: Vec<(WarningKind, u64)>,
}

/// How many warnings of one kind are kept; all are counted.
const KEPT: u64 = 1000;

impl Warnings {
    /// Adds a warning about a part or a whole input. It builds the message only if the warning is
    /// kept.
    pub(crate) fn add(
        &mut self,
        part: Option<usize>,
        file: &Path,
        line: Option<u64>,
        kind: WarningKind,
        message: impl FnOnce() -> String,
    ) {
        if self.count_one(kind, 1) <= KEPT {
            self.kept.push(Warning {
                file: file.to_owned(),
                line,
                kind,
                message: message(),
                part,
            });
        }
    }

    fn count_one(&mut self, kind: WarningKind, more: u64) -> u64 {
        match self.counts.iter_mut().find(|(k, _)| *k == kind) {
            Some((_, n)) => {
                *n += more;
                *n
            }
            None => {
                self.counts.push((kind, more));
                more
            }
        }
    }

    /// Adds the warnings of another reading, whose parts come after `parts` others.
    pub(crate) fn append(&mut self, other: Warnings, parts: usize) {
        for warning in other.kept {
            if self.count_one(warning.kind, 1) <= KEPT {
                self.kept.push(Warning {
                    part: warning.part.map(|part| part + parts),
                    ..warning
                });
            }
        }
        for (kind, count) in other.counts {
            self.count_one(kind, count.saturating_sub(KEPT));
        }
    }

    /// Distributes the kept warnings among `shares` profiles; `share` returns the index for a
    /// warning.
    pub(crate) fn share_out(
        &self,
        shares: usize,
        share: impl Fn(&Warning) -> usize,
    ) -> Vec<Warnings> {
        let mut all = vec![Warnings::default(); shares];
        for warning in &self.kept {
            if let Some(one) = all.get_mut(share(warning)) {
                one.count_one(warning.kind, 1);
                one.kept.push(warning.clone());
            }
        }
        all
    }

    /// Removes the warnings of one kind.
    pub(crate) fn forget(&mut self, kind: WarningKind) {
        self.kept.retain(|warning| warning.kind != kind);
        self.counts.retain(|&(of, _)| of != kind);
    }

    /// The warnings that were kept, in the order in which they came.
    pub fn kept(&self) -> &[Warning] {
        &self.kept
    }

    /// The number of warnings of each kind, in the order in which the kinds first came.
    pub fn counts(&self) -> &[(WarningKind, u64)] {
        &self.counts
    }

    /// The number of all warnings, with those that were not kept.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// Whether there is a warning of this kind.
    pub fn has(&self, kind: WarningKind) -> bool {
        self.counts.iter().any(|(k, _)| *k == kind)
    }

    /// Whether there are no warnings.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }
}
