//! What is explored.

use super::{Usage, again};
use crate::cli::{ExploreArgs, OwnArgs};
use std::path::PathBuf;

/// What is to be explored.
#[derive(Clone, Debug)]
pub struct Request {
    /// The arguments.
    pub args: ExploreArgs,
    /// The profiles, as typed; without any, those of the newest run.
    pub files: Vec<PathBuf>,
    /// Older ones that they are compared with.
    pub older: Vec<PathBuf>,
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
    pub fn new(args: ExploreArgs) -> Result<Request, Usage> {
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
            again: again::of_inputs(&args.input, &OwnArgs::default(), None, &args.source),
            again_of_code: again::of_binaries(&args.binaries),
            args,
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
                    Request::new(*args).map(|request| (request.older, request.files))
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
