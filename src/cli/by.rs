//! The values of `--by`: what a row of a list is.

use crate::{analysis::GroupBy, profile::SplitBy};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The values of the report's `--by`, in their order in the help.
pub(super) const REPORT: &str = "function|file|object|class|line|thread|part|pid|run|trigger|instr";

/// Those of `diff`.
pub(super) const DIFF: &str = "function|file|object|class|line";

/// Those of `trend`.
pub(super) const TREND: &str = "function|file|object|class";

/// What a row is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ByArg {
    /// A group of functions.
    Group(GroupBy),
    /// A line of a function.
    Line,
    /// A function, with a column for each thread, part, process, run or trigger.
    Split(SplitBy),
    /// An instruction.
    Instr,
}

/// Parses one of these values.
pub(super) fn row(values: &'static str) -> impl TypedValueParser<Value = ByArg> {
    PossibleValuesParser::new(values.split('|')).try_map(|value| match &value[..] {
        "line" => Ok(ByArg::Line),
        "instr" => Ok(ByArg::Instr),
        value => GroupBy::from_str(value, false)
            .map(ByArg::Group)
            .or_else(|_| SplitBy::from_str(value, false).map(ByArg::Split)),
    })
}
