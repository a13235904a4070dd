//! The interface between the parser of the Callgrind format and the code that interprets its
//! records.
//!
//! The parser knows lines; [`Records`] know functions. `cursor.rs` interprets records in the usual
//! way, `xdebug.rs` adds the tree of calls, and `compat` interprets them as callgrind_annotate
//! does.

use super::runs;
use crate::profile::{Full, Head, NameId, Part};

/// The kind of a cost line.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum CostKind {
    /// The self cost of the current function.
    SelfCost,
    /// The inclusive cost of the calls in the `calls=` line before it.
    Call,
    /// The source position of a jump, which has no counts.
    Jump,
}

/// The kinds of names on name lines.
#[derive(Clone, Copy)]
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
    /// Whether it names a callee.
    pub(crate) fn is_of_callee(self) -> bool {
        matches!(
            self,
            NameOf::CalleeObject | NameOf::CalleeFile | NameOf::Callee
        )
    }
}

/// What is guaranteed about the counts of a cost line.
#[derive(PartialEq)]
pub(crate) enum CountsAre {
    /// All counts are present, not negative, and below 10^15.
    Plain,
    /// Nothing is guaranteed. Holds the line's address, if it has one and addresses are wanted.
    Careful(Option<u64>),
}

/// The two kinds of lines with sums.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum SumLine {
    /// `totals:`
    Totals,
    /// `summary:`
    Summary,
}

impl SumLine {
    pub(crate) const ALL: [SumLine; 2] = [SumLine::Totals, SumLine::Summary];

    /// The kind of line with this key. HHVM writes `Summary:`.
    pub(super) fn with_key(key: &[u8]) -> Option<SumLine> {
        match key {
            b"summary" | b"Summary" => Some(SumLine::Summary),
            b"totals" | b"total" => Some(SumLine::Totals),
            _ => None,
        }
    }

    pub(crate) fn key(self) -> &'static str {
        match self {
            SumLine::Totals => "totals:",
            SumLine::Summary => "summary:",
        }
    }

    /// Stores the counts of such a line in its part.
    pub(crate) fn put(self, part: &mut Part, counts: &[i64]) {
        let row = match self {
            SumLine::Totals => &mut part.totals,
            SumLine::Summary => &mut part.summary,
        };
        *row = Some(counts.to_vec());
    }
}

/// Which cost lines move the base of relative positions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum PositionRule {
    /// All lines, as the specification says.
    Specification,
    /// Only self cost lines, as Callgrind's writer does.
    Writer,
    /// All lines. The first self cost of a function is inclusive, as remake writes it, so the cost
    /// of its calls is subtracted.
    Inclusive,
}

/// A `jump=` or `jcnd=` line with the names before it.
pub(crate) struct JumpTo {
    /// How often the jump was taken.
    pub taken: u64,
    /// How often it was executed, if it is conditional.
    pub executed: Option<u64>,
    /// The target's address, if known, and line.
    pub target: (Option<u64>, u64),
    /// The target's file, if the profile names it.
    pub file: Option<NameId>,
    /// The target's function, if the profile names it.
    pub function: Option<NameId>,
}

/// Receives the records of a profile and interprets them. Line numbers are those of the input.
pub(crate) trait Records {
    /// Whether the first of several `summary:` lines of a part counts, instead of the last.
    const FIRST_SUMMARY: bool = false;
    /// Whether [`run`](Self::run) may take cost lines.
    const RUNS: bool = false;
    /// The names, events, parts and warnings.
    fn head(&mut self) -> &mut Head;
    /// Begins a part. Its header goes into the last of `head().parts`.
    fn begin_part(&mut self);
    /// An `events:` line of the current part. Returns false if all parts together have too many
    /// events.
    fn events(&mut self, names: &[Vec<u8>]) -> bool;
    /// The creator of the part. Returns the rule for relative positions.
    fn rule(&mut self, _creator: &[u8]) -> PositionRule {
        PositionRule::Specification
    }
    /// A name line.
    fn name(&mut self, of: NameOf, name: NameId);
    /// A `calls=` line.
    fn calls(&mut self, count: u64);
    /// A name comes between `calls=` and its cost. Returns whether the cost may still come.
    fn keeps_call(&mut self, _of: NameOf) -> bool {
        false
    }
    /// The last `calls=` has no cost.
    fn forget_call(&mut self) {}
    /// Whether source lines matter. If not, positions are not tracked.
    fn wants_positions(&self) -> bool {
        true
    }
    /// Whether callees matter. If not, a callee's name that defines no id may be replaced by
    /// another.
    fn wants_callees(&self) -> bool {
        true
    }
    /// Whether the addresses of cost lines, the targets of calls, and jumps are wanted.
    fn wants_addresses(&self) -> bool {
        false
    }
    /// The target of the last `calls=`: its address, if known, and its line.
    fn target(&mut self, _target: (Option<u64>, u64)) {}
    /// A jump. The next cost line is its source.
    fn jump(&mut self, _jump: JumpTo) {}
    /// Called for self cost lines of the usual form, all at source line `at`, the first at input
    /// line `line`. Returns the sums to which the parser adds their counts before it calls
    /// [`summed`](Self::summed). Returns `None` if the records want the lines one by one.
    fn run(&mut self, _at: u64, _line: u64) -> Option<&mut [i64; runs::MOST_FIELDS]> {
        None
    }
    /// `lines` lines were added, the last of them at input line `line`. Each had at most `counts`
    /// counts.
    fn summed(&mut self, _counts: usize, _lines: u32, _line: u64) {}
    /// A cost line at source line `at`, with the counts as they were written. A `.` is `NEVER`.
    fn cost(&mut self, of: CostKind, at: u64, counts: &[i64], form: CountsAre, line: u64);
    /// A `summary:` line was read; its counts follow when the part ends. Returns whether the next
    /// function begins another part.
    fn summary_line(&mut self) -> bool {
        false
    }
    /// The counts of a `totals:` or `summary:` line, in the columns of the part.
    fn totals(&mut self, of: SumLine, counts: &[i64]);
    /// The reason to stop, if there is one. `read` is the number of bytes read so far.
    fn full(&self, read: u64) -> Option<Full>;
    /// The end of the input.
    fn end(&mut self);
}
