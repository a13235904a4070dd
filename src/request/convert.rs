//! The request of `convert`: which options each format takes.

use super::{Usage, ratios, refuse};
use crate::{
    analysis::{Narrow, Set, stacks::StackLimits},
    cli::{ConvertArgs, ToArg},
};

/// The most frames of a stack. In formats that repeat all frames in each stack, twice the depth
/// takes four times the space.
const DEPTH: u32 = 5000;

/// What to write for other tools.
#[derive(Debug)]
pub struct ConvertRequest {
    /// The arguments.
    pub args: ConvertArgs,
    /// Which code is attributed to its callers, if any.
    pub own: Option<Set>,
    /// Which functions are written.
    pub narrow: Narrow,
}

impl ConvertRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If the format does not use an option.
    pub fn new(args: ConvertArgs) -> Result<ConvertRequest, Usage> {
        let (own, narrow, to) = (args.own.set(), args.keep.narrow(), args.to);
        // If library code is attributed to its callers, inlined functions are treated like others.
        let takes_apart = args.code.inlined && own.is_none();
        let has_stacks = matches!(
            to,
            ToArg::Flamegraph | ToArg::Folded | ToArg::Speedscope | ToArg::Pprof
        );
        let has_shares = has_stacks || to == ToArg::Dot;
        let is_tables = to == ToArg::Tables;
        refuse([
            ratios(&args.input, true),
            (
                !has_shares && args.min.is_some(),
                "--min is for flamegraph, folded, dot, speedscope and pprof",
            ),
            (
                !has_shares && !is_tables && args.show.is_some(),
                "--show is for flamegraph, folded, dot, speedscope, pprof and tables",
            ),
            (
                !args.input.events.is_empty()
                    && to != ToArg::Callgrind
                    && (args.show.is_none() || to == ToArg::Pprof),
                "--event is for --show of flamegraph, folded, dot, speedscope and tables, and for callgrind",
            ),
            (!is_tables && args.label.is_some(), "--label is for tables"),
            (
                takes_apart && !has_stacks,
                "--inlined is for flamegraph, folded, speedscope and pprof, and with --own for all",
            ),
            (
                takes_apart && !narrow.is_nothing(),
                "--inlined without --own cannot be used with filters",
            ),
            (
                is_tables && args.output.file().is_none(),
                "tables are several files\nhint: `-o DIR` names their folder",
            ),
        ])?;
        Ok(ConvertRequest { args, own, narrow })
    }

    /// The least fraction of the total, from 0 to 1, that a function of a graph must have.
    pub fn least(&self) -> f64 {
        self.args.min.unwrap_or(0.5) / 100.0
    }

    /// The limits of stacks: those beyond them are not written one by one.
    pub fn limits(&self) -> StackLimits {
        StackLimits {
            least: self.args.min.unwrap_or(0.01) / 100.0,
            depth: match self.args.to {
                ToArg::Speedscope => u32::MAX,
                _ => DEPTH,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn request(line: &str) -> Result<ConvertRequest, String> {
        let words = ["cgannotate", "convert", "out", "--to"]
            .into_iter()
            .chain(line.split(' '));
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Convert(args)) => ConvertRequest::new(*args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn each_format_has_its_own_least_shares() {
        let stacks = |line: &str| request(line).expect(line).limits();
        let folded = StackLimits {
            least: 0.0001,
            depth: 5000,
        };
        assert_eq!(stacks("folded"), folded);
        assert_eq!(stacks("speedscope --show=Dr --min=2"), 0.02.into());
        let dot = |line: &str| request(line).expect(line).least();
        assert_eq!((dot("dot"), dot("dot --show=Dr --min=50%")), (0.005, 0.5));
    }

    #[test]
    fn what_a_format_has_no_use_for_is_refused() {
        let why = |line: &str| request(line).map(|_| ());
        let show = "--show is for flamegraph, folded, dot, speedscope, pprof and tables";
        assert_eq!(why("callgrind --show=Ir"), Err(show.into()));
        let share = "--min is for flamegraph, folded, dot, speedscope and pprof";
        assert_eq!(why("webgrind --min=1"), Err(share.into()));
        assert_eq!(why("tables --min=1 -o d"), Err(share.into()));
        let tables = "tables are several files\nhint: `-o DIR` names their folder";
        assert_eq!(
            [why("tables"), why("tables -o -")],
            [Err(tables.into()), Err(tables.into())]
        );
        assert_eq!(why("folded --label=x"), Err("--label is for tables".into()));
        let event = "--event is for --show of flamegraph, folded, dot, speedscope and tables, and for callgrind";
        for line in [
            "pprof --event=a=Ir",
            "pprof --event=a=Ir --show=a",
            "folded --event=a=Ir",
            "webgrind --event=a=Ir",
        ] {
            assert_eq!(why(line), Err(event.into()), "{line}");
        }
        assert!(why("folded --event=a=Ir --show=a").is_ok());
    }
}
