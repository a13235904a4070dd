//! A profile for other tools.

use super::narrow::filters;
use super::{Destination, Reading, Usage, own, refuse};
use crate::analysis::rewrite::Places;
use crate::analysis::stacks::StackLimits;
use crate::analysis::{Narrow, Set};
use crate::cli::{ConvertArgs, ToArg};
use std::path::PathBuf;

/// How many frames a stack has, if nobody says. Where a line or a sample has all frames of its stack, twice as deep is
/// four times as long.
const DEPTH: u32 = 5000;

/// What is to be written for other tools.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles, summed.
    pub files: Vec<PathBuf>,
    /// The format to write.
    pub target: Target,
    /// Whether inlined functions are frames of stacks, or functions where foreign code is charged to its callers.
    pub inlined: bool,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// What is charged to its callers, if anything is.
    pub own: Option<Set>,
    /// Which functions are written.
    pub narrow: Narrow,
    /// The one function whose surroundings are written, by the pattern that its name matches, and levels of callers and callees.
    pub zoom: Option<(String, usize)>,
    /// How inputs are read.
    pub reading: Reading,
    /// Where the result goes.
    pub to: Destination,
}

/// A format with its options.
#[derive(Clone, PartialEq, Debug)]
pub enum Target {
    /// Callgrind's own, with lines alone or instructions, too.
    Callgrind(Places),
    /// webgrind's preprocessed one.
    Webgrind,
    /// Stacks, one a line.
    Folded(Stacks),
    /// Stacks for speedscope.
    Speedscope(Stacks),
    /// Stacks of all events, or of one, for pprof.
    Pprof(Stacks),
    /// A call graph.
    Dot(Graph),
    /// Tables for databases.
    Tables(Tables),
}

/// Which tables are written, and where.
#[derive(Clone, PartialEq, Debug)]
pub struct Tables {
    /// The event that they count; `None` is all recorded ones.
    pub event: Option<String>,
    /// What the run is called; `None` is its label, or the name of its profile.
    pub label: Option<String>,
    /// The folder with those of each run.
    pub folder: PathBuf,
}

/// Which stacks are written.
#[derive(Clone, PartialEq, Debug)]
pub struct Stacks {
    /// The event that they count; `None` is the first.
    pub event: Option<String>,
    /// Which are told apart.
    pub limits: StackLimits,
}

/// Which part of the call graph is written.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph {
    /// The event that it shows; `None` is the first.
    pub event: Option<String>,
    /// The least share of the total that a function has, from 0 to 1.
    pub function: f64,
}

impl Target {
    /// The name of the event that was typed.
    pub fn event(&self) -> Option<&String> {
        match self {
            Target::Callgrind(_) | Target::Webgrind => None,
            Target::Folded(stacks) | Target::Speedscope(stacks) | Target::Pprof(stacks) => {
                stacks.event.as_ref()
            }
            Target::Dot(graph) => graph.event.as_ref(),
            Target::Tables(tables) => tables.event.as_ref(),
        }
    }
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Options that the format does not use.
    pub fn new(args: &ConvertArgs) -> Result<Request, Usage> {
        // Where foreign code is charged to its callers, inlined functions are functions like others.
        let takes_apart = args.code.inlined && own::set(&args.own).is_none();
        let has_shares = matches!(
            args.to,
            ToArg::Folded | ToArg::Dot | ToArg::Speedscope | ToArg::Pprof
        );
        refuse([
            (
                !has_shares && args.min.is_some(),
                "--min is for folded, dot, speedscope and pprof",
            ),
            (
                !has_shares && args.to != ToArg::Tables && args.show.is_some(),
                "--show is for folded, dot, speedscope, pprof and tables",
            ),
            (
                !args.input.events.is_empty()
                    && args.to != ToArg::Callgrind
                    && (args.show.is_none() || args.to == ToArg::Pprof),
                "--event is for --show of folded, dot, speedscope and tables, and for callgrind",
            ),
            (
                args.to != ToArg::Tables && args.label.is_some(),
                "--label is for tables",
            ),
            (
                takes_apart && !matches!(args.to, ToArg::Folded | ToArg::Speedscope | ToArg::Pprof),
                "--inlined is for folded, speedscope and pprof, and with --own for all",
            ),
            (
                takes_apart && !filters(&args.keep).is_nothing(),
                "--inlined takes apart all that was recorded; filters do not",
            ),
            (
                args.keep_instr && args.to != ToArg::Callgrind,
                "--keep-instr is for callgrind",
            ),
        ])?;
        let (event, to) = (args.show.clone(), Destination::new(&args.output));
        let depth = if args.to == ToArg::Speedscope {
            u32::MAX
        } else {
            DEPTH
        };
        let stacks = |event| Stacks {
            event,
            limits: StackLimits {
                least: args.min.unwrap_or(0.01) / 100.0,
                depth,
            },
        };
        Ok(Request {
            files: args.files.clone(),
            target: match args.to {
                ToArg::Callgrind if args.keep_instr => Target::Callgrind(Places::Instructions),
                ToArg::Callgrind => Target::Callgrind(Places::Lines),
                ToArg::Webgrind => Target::Webgrind,
                ToArg::Folded => Target::Folded(stacks(event)),
                ToArg::Speedscope => Target::Speedscope(stacks(event)),
                ToArg::Pprof => Target::Pprof(stacks(event)),
                ToArg::Dot => Target::Dot(Graph {
                    event,
                    function: args.min.unwrap_or(0.5) / 100.0,
                }),
                ToArg::Tables => {
                    let Some(folder) = to.file() else {
                        return Err(Usage(
                            "tables are five files; `-o DIR` names the folder of those of all runs"
                                .into(),
                        ));
                    };
                    Target::Tables(Tables {
                        event,
                        label: args.label.clone(),
                        folder: folder.to_owned(),
                    })
                }
            },
            inlined: args.code.inlined,
            debug_dirs: args.code.debug_dirs.clone(),
            own: own::set(&args.own),
            narrow: filters(&args.keep),
            zoom: args
                .zoom
                .clone()
                .map(|pattern| (pattern, args.depth.unwrap_or(1))),
            reading: Reading::new(&args.input),
            to,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn target(line: &str) -> Result<Target, String> {
        let words = ["cgannotate", "convert", "out", "--to"]
            .into_iter()
            .chain(line.split(' '));
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Convert(args)) => Request::new(&args)
                .map(|request| request.target)
                .map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn each_format_has_its_own_least_shares() {
        assert_eq!(
            target("folded"),
            Ok(Target::Folded(Stacks {
                event: None,
                limits: StackLimits {
                    least: 0.0001,
                    depth: 5000
                }
            }))
        );
        let event = Some("Dr".to_owned());
        assert_eq!(
            target("speedscope --show=Dr --min=2"),
            Ok(Target::Speedscope(Stacks {
                event: event.clone(),
                limits: 0.02.into()
            }))
        );
        assert_eq!(
            target("dot"),
            Ok(Target::Dot(Graph {
                event: None,
                function: 0.005
            }))
        );
        assert_eq!(
            target("dot --show=Dr --min=50%"),
            Ok(Target::Dot(Graph {
                event,
                function: 0.5
            }))
        );
    }

    #[test]
    fn what_a_format_has_no_use_for_is_refused() {
        let show = "--show is for folded, dot, speedscope, pprof and tables";
        assert_eq!(target("callgrind --show=Ir"), Err(show.into()));
        let share = "--min is for folded, dot, speedscope and pprof";
        assert_eq!(target("webgrind --min=1"), Err(share.into()));
        assert_eq!(target("tables --min=1 -o d"), Err(share.into()));
        let tables = "tables are five files; `-o DIR` names the folder of those of all runs";
        assert_eq!(
            [target("tables"), target("tables -o -")],
            [Err(tables.into()), Err(tables.into())]
        );
        assert_eq!(
            target("folded --label=x"),
            Err("--label is for tables".into())
        );
        let event =
            "--event is for --show of folded, dot, speedscope and tables, and for callgrind";
        for line in [
            "pprof --event=a=Ir",
            "pprof --event=a=Ir --show=a",
            "folded --event=a=Ir",
            "webgrind --event=a=Ir",
        ] {
            assert_eq!(target(line), Err(event.into()), "{line}");
        }
        assert!(target("folded --event=a=Ir --show=a").is_ok());
    }
}
