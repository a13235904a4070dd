//! A profile for other tools.

use super::narrow::filters;
use super::{Destination, Reading, Usage, own, refuse};
use crate::analysis::rewrite::Places;
use crate::analysis::stacks::StackLimits;
use crate::analysis::{Narrow, Set};
use crate::cli::{ConvertArgs, Percentage, ToArg};
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
    pub run: Option<String>,
    /// The folder.
    pub folder: PathBuf,
    /// What the folder is.
    pub holds: Holds,
}

/// What a folder of tables holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// The tables of one run, which replace those that are there.
    OneRun,
    /// A folder for each of many runs, which never changes.
    Runs,
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
    /// The least share that an arc has.
    pub arc: f64,
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
        let takes_apart = args.inlined && own::set(&args.own).is_none();
        let has_shares = matches!(
            args.to,
            ToArg::Folded | ToArg::Dot | ToArg::Speedscope | ToArg::Pprof
        );
        refuse([
            (
                !has_shares && args.min_share.is_some(),
                "--min-share is for folded, dot, speedscope and pprof",
            ),
            (
                !has_shares && args.to != ToArg::Tables && args.show.is_some(),
                "--show is for folded, dot, speedscope, pprof and tables",
            ),
            (
                args.max_depth.is_some() && (!has_shares || args.to == ToArg::Dot),
                "--max-depth is for folded, speedscope and pprof",
            ),
            (
                args.to != ToArg::Tables && (args.append || args.run.is_some()),
                "--append and --run are for tables",
            ),
            (
                args.to != ToArg::Dot && args.min_arc.is_some(),
                "--min-arc is for dot",
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
                !args.debug_dirs.is_empty() && !args.inlined,
                "--debug-dir is for --inlined",
            ),
            (
                args.keep_instr && args.to != ToArg::Callgrind,
                "--keep-instr is for callgrind",
            ),
            (
                args.keep_instr
                    && (own::set(&args.own).is_some()
                        || !filters(&args.keep).is_nothing()
                        || args.zoom.is_some()),
                "--keep-instr keeps all that was recorded; --own, --fold-... and filters do not",
            ),
            (
                args.depth.is_some() && args.zoom.is_none(),
                "--depth is for --zoom",
            ),
        ])?;
        let (event, to) = (args.show.clone(), Destination::new(&args.output));
        let depth = if args.to == ToArg::Speedscope {
            u32::MAX
        } else {
            DEPTH
        };
        let depth = args.max_depth.unwrap_or(depth);
        let stacks = |event| Stacks {
            event,
            limits: StackLimits {
                least: share(args.min_share.as_ref(), 0.01),
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
                    function: share(args.min_share.as_ref(), 0.5),
                    arc: share(args.min_arc.as_ref(), 0.1),
                }),
                ToArg::Tables => {
                    let Some(folder) = to.file() else {
                        return Err(Usage(
                            "tables are five files; `-o DIR` names the folder for them".into(),
                        ));
                    };
                    Target::Tables(Tables {
                        event,
                        run: args.run.clone(),
                        folder: folder.to_owned(),
                        holds: if args.append {
                            Holds::Runs
                        } else {
                            Holds::OneRun
                        },
                    })
                }
            },
            inlined: args.inlined,
            debug_dirs: args.debug_dirs.clone(),
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

/// A share from 0 to 1; `usual` is the percentage if none is typed.
fn share(typed: Option<&Percentage>, usual: f64) -> f64 {
    typed.map_or(usual, |typed| typed.percent) / 100.0
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
            target("speedscope --show=Dr --min-share=2"),
            Ok(Target::Speedscope(Stacks {
                event: event.clone(),
                limits: 0.02.into()
            }))
        );
        assert_eq!(
            target("dot"),
            Ok(Target::Dot(Graph {
                event: None,
                function: 0.005,
                arc: 0.001
            }))
        );
        assert_eq!(
            target("dot --show=Dr --min-share=50% --min-arc=25"),
            Ok(Target::Dot(Graph {
                event,
                function: 0.5,
                arc: 0.25
            }))
        );
    }

    #[test]
    fn what_a_format_has_no_use_for_is_refused() {
        assert_eq!(
            target("dot --depth=2"),
            Err("--depth is for --zoom".to_owned())
        );
        let show = "--show is for folded, dot, speedscope, pprof and tables";
        assert_eq!(target("callgrind --show=Ir --min-arc=1"), Err(show.into()));
        let share = "--min-share is for folded, dot, speedscope and pprof";
        assert_eq!(target("webgrind --min-share=1"), Err(share.into()));
        assert_eq!(target("tables --min-share=1 -o d"), Err(share.into()));
        let tables = "tables are five files; `-o DIR` names the folder for them";
        assert_eq!(
            [target("tables"), target("tables -o -")],
            [Err(tables.into()), Err(tables.into())]
        );
        assert_eq!(
            target("folded --append"),
            Err("--append and --run are for tables".into())
        );
        assert_eq!(
            target("folded --min-arc=1"),
            Err("--min-arc is for dot".into())
        );
    }
}
