//! Interprets the command line. One file for each command decides its defaults and conflicts.
//!
//! A request is plain data: the arguments, and what follows from several of them. Making one reads
//! and writes nothing, and rejects conflicting options before any work. Commands decide what
//! depends on files, such as which of them are profiles. Make a request from a command line and
//! pass it to [`commands::run`](crate::commands::run).

mod again;
pub mod annotate;
pub mod check;
mod columns;
pub mod complete;
pub mod convert;
pub mod diff;
pub mod explore;
pub mod record;
mod shared;

use annotate::AnnotateRequest;
use check::CheckRequest;
use convert::ConvertRequest;
use diff::DiffRequest;
use explore::ExploreRequest;
use record::RecordRequest;

use crate::cli::{Cli, Command, InputArgs, MergeArgs, PackArgs, ReportArgs, TrendArgs};
use std::{
    fmt,
    path::{Path, PathBuf},
};

/// A request, one variant for each command.
#[derive(Debug)]
pub enum Request {
    /// The report.
    Annotate(Box<AnnotateRequest>),
    /// A program to run.
    Record(Box<RecordRequest>),
    /// A profile to walk through.
    Explore(Box<ExploreRequest>),
    /// A comparison of two runs.
    Diff(Box<DiffRequest>),
    /// Limits to check.
    Check(Box<CheckRequest>),
    /// What changed over many runs.
    Trend(Box<TrendArgs>),
    /// One profile out of many.
    Merge(MergeArgs),
    /// Profile, sources and code in one file.
    Pack(PackArgs),
    /// A profile for other tools.
    Convert(Box<ConvertRequest>),
    /// A server.
    #[cfg(feature = "serve")]
    Serve(crate::cli::ServeCommand),
    /// A word to complete.
    Complete(complete::Asked),
}

impl Request {
    /// Makes the request for a command line.
    ///
    /// # Errors
    /// If options conflict.
    pub fn new(cli: Cli) -> Result<Request, Usage> {
        Ok(match cli.command {
            None => Request::Annotate(Box::new(AnnotateRequest::new(cli.annotate)?)),
            Some(Command::Record(args)) => Request::Record(Box::new(RecordRequest::new(*args)?)),
            Some(Command::Explore(args)) => Request::Explore(Box::new(ExploreRequest::new(*args)?)),
            Some(Command::Diff(args)) => Request::Diff(Box::new(DiffRequest::new(*args)?)),
            Some(Command::Check(args)) => Request::Check(Box::new(CheckRequest::new(args)?)),
            Some(Command::Trend(args)) => {
                trend(&args)?;
                Request::Trend(args)
            }
            Some(Command::Merge(args)) => {
                let changes = args.input.fold_recursion || !args.input.events.is_empty();
                refuse([
                    (args.input.contexts, "merged profiles always keep contexts"),
                    ratios(&args.input, true),
                    (
                        args.median && changes,
                        "--median writes a run as it is, without --fold-recursion and --event",
                    ),
                ])?;
                Request::Merge(args)
            }
            Some(Command::Pack(args)) => {
                pack(&args)?;
                Request::Pack(args)
            }
            Some(Command::Convert(args)) => Request::Convert(Box::new(ConvertRequest::new(*args)?)),
            #[cfg(feature = "serve")]
            Some(Command::Serve(server)) => Request::Serve(server),
            Some(Command::Complete(args)) => Request::Complete(complete::Asked::new(&args.words)),
        })
    }

    /// The folders that options name for sources, and those for binaries.
    pub fn folders(&self) -> [&[PathBuf]; 2] {
        match self {
            Request::Annotate(asked) => [
                &asked.args.source.include,
                &asked.args.code.binaries.debug_dirs,
            ],
            Request::Explore(asked) => {
                [&asked.args.source.include, &asked.args.binaries.debug_dirs]
            }
            Request::Diff(asked) => [&asked.args.source.include, &asked.args.code.debug_dirs],
            Request::Check(asked) => [&[], &asked.args.code.debug_dirs],
            Request::Pack(args) => [&args.include, &args.debug_dirs],
            Request::Convert(asked) => [&[], &asked.args.code.debug_dirs],
            _ => [&[], &[]],
        }
    }

    /// The disassembler that an option names.
    pub fn objdump(&self) -> Option<&Path> {
        match self {
            Request::Annotate(asked) => asked.args.code.binaries.objdump.as_deref(),
            Request::Explore(asked) => asked.args.binaries.objdump.as_deref(),
            _ => None,
        }
    }
}

/// An error in the command line.
#[derive(PartialEq, Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Returns an error for the first mistake that was made.
pub(crate) fn refuse<'m>(mistakes: impl IntoIterator<Item = (bool, &'m str)>) -> Result<(), Usage> {
    match mistakes.into_iter().find(|(is_made, _)| *is_made) {
        Some((_, why)) => Err(Usage(why.into())),
        None => Ok(()),
    }
}

/// Divides files into an older and a newer side: two files, or two lists separated by `--`. After a
/// leading `--`, two names may begin with `-`.
fn two_sides(files: &[PathBuf], new: &[PathBuf]) -> Option<(Vec<PathBuf>, Vec<PathBuf>)> {
    match (files, new) {
        ([old, new], []) | ([], [old, new]) => Some((vec![old.clone()], vec![new.clone()])),
        (old @ [_, ..], new @ [_, ..]) => Some((old.to_vec(), new.to_vec())),
        _ => None,
    }
}

/// Rejects ratios where they would be added up.
fn ratios(input: &InputArgs, is_refused: bool) -> (bool, &'static str) {
    let why = "ratios do not add up: they are for the lists of reports, diff and check, without --own and --fold";
    (is_refused && input.has_ratio(), why)
}

/// Rejects `--max-size` for other forms than a page.
fn size_without_page(report: &ReportArgs) -> (bool, &'static str) {
    (
        report.max_size.is_some() && report.format != crate::cli::Form::Page,
        "--max-size is for --format=html",
    )
}

fn trend(args: &TrendArgs) -> Result<(), Usage> {
    let inputs = args.files.iter().filter(|name| name.as_os_str() == "-");
    refuse([
        (
            args.by.is_some() && args.inclusive.is_yes(),
            "--by adds up self costs; inclusive costs do not add up",
        ),
        (inputs.count() > 1, "standard input can be read only once"),
        ratios(&args.input, true),
        size_without_page(&args.report),
    ])
}

fn pack(args: &PackArgs) -> Result<(), Usage> {
    refuse([
        (
            args.input.fold_recursion || args.input.contexts || !args.input.events.is_empty(),
            "--fold-recursion, --contexts and --event are for reports, not for packing",
        ),
        (
            args.files.iter().any(|file| file.as_os_str() == "-"),
            "`-`: a pack can only be made of files, because they are read twice",
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::GroupBy;
    use clap::Parser;

    #[test]
    fn rows_of_trends_are_functions_or_sums() {
        let request = |line: &str| {
            let words = ["cgannotate", "trend"]
                .into_iter()
                .chain(line.split_whitespace());
            Request::new(Cli::try_parse_from(words).expect(line))
        };
        for (line, by) in [
            ("a", None),
            ("a --by=class", Some(GroupBy::Class)),
            ("a b --by function", Some(GroupBy::Function)),
        ] {
            let Ok(Request::Trend(args)) = request(line) else {
                panic!("{line}");
            };
            assert_eq!(args.by, by, "{line}");
        }
        for (line, why) in [
            (
                "a --by=file --inclusive=yes",
                "--by adds up self costs; inclusive costs do not add up",
            ),
            ("- -", "standard input can be read only once"),
        ] {
            assert_eq!(request(line).expect_err(line).0, why, "{line}");
        }
    }
}
