//! What is explored.

use super::again;
use super::annotate::Times;
use super::{Binaries, Reading, Sources, Usage, When, binaries};
use crate::cli::{ExploreArgs, OwnArgs};
use regex::bytes::Regex;
use std::path::PathBuf;

/// How many lines a page has around those that cost anything.
const CONTEXT: u64 = 8;

/// What is to be explored.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles, as typed; without any, those of the newest run.
    pub files: Vec<PathBuf>,
    /// Older ones that they are compared with.
    pub older: Vec<PathBuf>,
    /// Where sources are.
    pub sources: Sources,
    /// Where binaries are.
    pub binaries: Binaries,
    /// What is own code; by the rule if nothing was said.
    pub own_code: Vec<Regex>,
    /// How counts of time are shown.
    pub times: Times,
    /// Whether colours are used.
    pub colour: When,
    /// How inputs are read.
    pub reading: Reading,
    /// What the commands that print the same repeat.
    pub again: Vec<String>,
    /// What those that print instructions repeat besides.
    pub again_of_code: Vec<String>,
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Profiles of which nobody knows what they are to each other.
    pub fn new(args: &ExploreArgs) -> Result<Request, Usage> {
        // Behind `--` alone stand names that begin like options.
        let sides = match (&args.files[..], &args.new[..]) {
            ([], files) => (files, &[][..]),
            sides => sides,
        };
        let (older, files) = match sides {
            (files, []) if args.sum => (Vec::new(), files.to_vec()),
            (files @ ([] | [_]), []) => (Vec::new(), files.to_vec()),
            ([old, new], []) => (vec![old.clone()], vec![new.clone()]),
            (old @ [_, ..], new @ [_, ..]) if !args.sum => (old.to_vec(), new.to_vec()),
            _ => {
                let why = "explore takes one profile, `explore OLD NEW`, `explore OLD... -- NEW...`, or the sum of several, \
                           `explore --sum PROFILE...`";
                return Err(Usage(why.into()));
            }
        };
        Ok(Request {
            files,
            older,
            sources: Sources::new(&args.source, args.source.sources.into(), CONTEXT),
            binaries: Binaries::new(&args.binaries, &args.source.maps),
            own_code: args.own_code.clone(),
            times: if args.raw {
                Times::Recorded
            } else {
                Times::Durations
            },
            colour: args.color,
            reading: Reading::new(&args.input),
            again: again::of_inputs(&args.input, &OwnArgs::default(), None, &args.source),
            again_of_code: binaries::again(&args.binaries),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    #[test]
    fn profiles_are_one_run_or_two() {
        let request = |line: &str| {
            let words = ["cgannotate", "explore"]
                .into_iter()
                .chain(line.split_whitespace());
            match Cli::try_parse_from(words).expect(line).command {
                Some(Command::Explore(args)) => {
                    Request::new(&args).map(|request| (request.older, request.files))
                }
                other => panic!("{line}: {other:?}"),
            }
        };
        let names = |line: &str| {
            line.split_whitespace()
                .map(PathBuf::from)
                .collect::<Vec<_>>()
        };
        for (line, older, files) in [
            ("", "", ""),
            ("a", "", "a"),
            ("-- -a", "", "-a"),
            ("a b", "a", "b"),
            ("a b -- c", "a b", "c"),
            ("--sum a b c", "", "a b c"),
        ] {
            assert_eq!(request(line), Ok((names(older), names(files))), "{line}");
        }
        for line in ["a b c", "--sum a -- b"] {
            assert!(request(line).is_err(), "{line}");
        }
    }
}
