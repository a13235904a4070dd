//! What the parser of the Callgrind format finds, record by record, and who gives it a meaning.
//!
//! The parser knows lines; [`Records`] know functions. `cursor.rs` takes records in their right meaning, `xdebug.rs` with
//! the tree of calls, `compat` as the original takes them.

use super::runs;
use crate::profile::{Full, Head, NameId, Part};

/// What a line of costs is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CostOf {
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

/// What can be relied on in the counts of a cost line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountsAre {
    /// They are all there, not negative, and below 10^15.
    Plain,
    /// Nothing. The address is that of the line, if it has one and addresses are wanted.
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

    /// The key of the line.
    pub(crate) fn key(self) -> &'static str {
        match self {
            SumLine::Totals => "totals:",
            SumLine::Summary => "summary:",
        }
    }

    /// Where a part keeps what such a line states.
    pub(crate) fn row(self, part: &mut Part) -> &mut Option<Vec<i64>> {
        match self {
            SumLine::Totals => &mut part.totals,
            SumLine::Summary => &mut part.summary,
        }
    }
}

/// Which cost lines move the base of relative positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    /// All, as the specification says.
    Specification,
    /// Self cost lines only, as Callgrind's writer does.
    Writer,
}

/// A `jump=` or `jcnd=` line, and the names before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JumpTo {
    /// How often it was taken.
    pub(crate) taken: u64,
    /// How often it was come by, if it is a conditional one.
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
    /// A part begins: its header is read, or being read, and goes to the last of `head().parts`.
    fn begin_part(&mut self);
    /// An `events:` line of the current part. False if there are too many of them in all parts together.
    fn events(&mut self, names: &[Vec<u8>]) -> bool;
    /// The creator is known: positions follow the rule that is returned.
    fn rule(&mut self, creator: &[u8]) -> Rule;
    /// A name line.
    fn name(&mut self, of: NameOf, name: NameId, line: u64);
    /// A `calls=` line.
    fn calls(&mut self, count: u64, line: u64);
    /// Whether it matters where costs stand. If not, positions are not followed.
    fn wants_positions(&self) -> bool {
        true
    }
    /// Whether the addresses of cost lines, the targets of calls, and jumps are wanted.
    fn wants_addresses(&self) -> bool {
        false
    }
    /// The address and line that the calls of the last `calls=` lead to.
    fn target(&mut self, _target: (Option<u64>, u64)) {}
    /// A jump, whose source comes as the next cost line.
    fn jump(&mut self, _jump: JumpTo) {}
    /// Self cost lines of the usual form that all stand at source line `at` begin at line `line`: where their counts are
    /// to be added, which [`summed`](Self::summed) tells when it is done. `None` if they are to be given one by one.
    fn run(&mut self, _at: u64, _line: u64) -> Option<&mut [i64; runs::MOST_FIELDS]> {
        None
    }
    /// So many lines, the last of them `line`, with up to `counts` counts each were added.
    fn summed(&mut self, _counts: usize, _lines: u32, _line: u64) {}
    /// A cost line at source line `at`. The counts are those written; `NEVER` stands for a `.`.
    fn cost(&mut self, of: CostOf, at: u64, counts: &[i64], form: CountsAre, line: u64);
    /// A `summary:` line stands here; its row comes when the part ends.
    fn summary_line(&mut self) {}
    /// A `totals:` or `summary:` row, in the columns of the part.
    fn totals(&mut self, of: SumLine, counts: &[i64]);
    /// Why no more can be taken, if so; `read` is how many bytes have been read.
    fn full(&self, read: u64) -> Option<Full>;
    /// The input has ended.
    fn end(&mut self);
}
