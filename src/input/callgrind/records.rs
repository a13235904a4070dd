//! The interface between the parser of the Callgrind format and what interprets its records.
//!
//! The parser knows lines; [`Records`] know functions. `cursor.rs` interprets records in the usual way, `xdebug.rs`
//! adds the tree of calls, and `compat` interprets them as the original does.

use super::runs;
use crate::profile::{Full, Head, NameId, Part};

/// The kind of a cost line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CostKind {
    /// The current function's own cost.
    SelfCost,
    /// The inclusive cost of the calls that the `calls=` line before it counted.
    Call,
    /// The source position of a jump; it has no counts.
    Jump,
}

/// The kinds of names on name lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NameOf {
    /// `ob=`
    Object,
    /// `fl=`
    File,
    /// `fi=` and `fe=`
    Inlined,
    /// `fn=`
    Function,
    /// `cob=`
    CalleeObject,
    /// `cfi=` and `cfl=`
    CalleeFile,
    /// `cfn=`
    Callee,
}

impl NameOf {
    /// Whether it names what is called.
    pub(crate) fn is_of_callee(self) -> bool {
        matches!(
            self,
            NameOf::CalleeObject | NameOf::CalleeFile | NameOf::Callee
        )
    }
}

/// What is guaranteed about the counts of a cost line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountsAre {
    /// All counts are present, not negative, and below 10^15.
    Plain,
    /// Nothing. With the address of the line, if it has one and addresses are wanted.
    Careful(Option<u64>),
}

/// The two kinds of lines that state sums.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SumLine {
    /// `totals:`
    Totals,
    /// `summary:`
    Summary,
}

impl SumLine {
    /// Both.
    pub(crate) const ALL: [SumLine; 2] = [SumLine::Totals, SumLine::Summary];

    /// The one with this key; HHVM writes `Summary:`.
    pub(super) fn with_key(key: &[u8]) -> Option<SumLine> {
        match key {
            b"summary" | b"Summary" => Some(SumLine::Summary),
            b"totals" | b"total" => Some(SumLine::Totals),
            _ => None,
        }
    }

    /// The key of the line.
    pub(crate) fn key(self) -> &'static str {
        match self {
            SumLine::Totals => "totals:",
            SumLine::Summary => "summary:",
        }
    }

    /// Puts the counts of such a line into its part.
    pub(crate) fn put(self, part: &mut Part, counts: &[i64]) {
        let row = match self {
            SumLine::Totals => &mut part.totals,
            SumLine::Summary => &mut part.summary,
        };
        *row = Some(counts.to_vec());
    }
}

/// Which cost lines move the base of relative positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PositionRule {
    /// All, as the specification says.
    Specification,
    /// Self cost lines only, as Callgrind's writer does.
    Writer,
    /// All. The first self cost of a function is inclusive, as remake writes it: the cost of its calls is subtracted.
    Inclusive,
}

/// A `jump=` or `jcnd=` line, and the names before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JumpTo {
    /// How often it was taken.
    pub(crate) taken: u64,
    /// How often it was executed, if it is conditional.
    pub(crate) executed: Option<u64>,
    /// Address and line that it leads to.
    pub(crate) target: (Option<u64>, u64),
    /// The file that it leads to, if that was said.
    pub(crate) file: Option<NameId>,
    /// The function that it leads to, if that was said.
    pub(crate) function: Option<NameId>,
}

/// Takes the records of a profile and gives them a meaning. Line numbers are those of the input.
pub(crate) trait Records {
    /// Whether the first of several `summary:` lines of a part counts, not the last.
    const FIRST_SUMMARY: bool = false;
    /// Whether [`run`](Self::run) may take cost lines.
    const RUNS: bool = false;
    /// Names, events, parts and warnings.
    fn head(&mut self) -> &mut Head;
    /// Begins a part: its header is read, or being read, into the last of `head().parts`.
    fn begin_part(&mut self);
    /// An `events:` line of the current part. False if there are too many of them in all parts together.
    fn events(&mut self, names: &[Vec<u8>]) -> bool;
    /// Takes note of the creator; returns the rule for relative positions.
    fn rule(&mut self, _creator: &[u8]) -> PositionRule {
        PositionRule::Specification
    }
    /// A name line.
    fn name(&mut self, of: NameOf, name: NameId);
    /// A `calls=` line.
    fn calls(&mut self, count: u64);
    /// A name stands between `calls=` and its cost. Whether the cost may still come.
    fn keeps_call(&mut self, _of: NameOf) -> bool {
        false
    }
    /// The last `calls=` has no cost.
    fn forget_call(&mut self) {}
    /// Whether the lines of costs matter. If not, positions are not tracked.
    fn wants_positions(&self) -> bool {
        true
    }
    /// Whether callees matter. If not, a name of one that defines no id may be given as another.
    fn wants_callees(&self) -> bool {
        true
    }
    /// Whether the addresses of cost lines, the targets of calls, and jumps are wanted.
    fn wants_addresses(&self) -> bool {
        false
    }
    /// The address and line that the calls of the last `calls=` lead to.
    fn target(&mut self, _target: (Option<u64>, u64)) {}
    /// A jump; the next cost line is its source.
    fn jump(&mut self, _jump: JumpTo) {}
    /// Asked for self cost lines of the usual form, all at source line `at`, that begin at input line `line`: the sums
    /// to add their counts to. [`summed`](Self::summed) is called when that is done. `None` if the lines are wanted one
    /// by one.
    fn run(&mut self, _at: u64, _line: u64) -> Option<&mut [i64; runs::MOST_FIELDS]> {
        None
    }
    /// Called when so many lines, the last of them `line`, with up to `counts` counts each were added.
    fn summed(&mut self, _counts: usize, _lines: u32, _line: u64) {}
    /// A cost line at source line `at`. The counts are those written; `NEVER` stands for a `.`.
    fn cost(&mut self, of: CostKind, at: u64, counts: &[i64], form: CountsAre, line: u64);
    /// A `summary:` line was read; its counts follow when the part ends. Whether the next function begins another part.
    fn summary_line(&mut self) -> bool {
        false
    }
    /// A `totals:` or `summary:` row, in the columns of the part.
    fn totals(&mut self, of: SumLine, counts: &[i64]);
    /// Why reading must stop; `None` if it need not. `read` is how many bytes have been read.
    fn full(&self, read: u64) -> Option<Full>;
    /// Called at the end of the input.
    fn end(&mut self);
}
