//! The request of `explore`: one run, or two to compare.

use super::{Usage, again, ratios, refuse, two_sides};
use crate::cli::{ExploreArgs, OwnArgs};
use std::path::PathBuf;

/// What to explore.
#[derive(Debug)]
pub struct ExploreRequest {
    /// The profiles as typed. If there are none, the newest run is explored.
    pub args: ExploreArgs,
    /// The older profiles to compare with.
    pub files: Vec<PathBuf>,
    /// Older ones that they are compared with.
    pub older: Vec<PathBuf>,
    /// The options that suggested commands repeat.
    pub again: Vec<String>,
    /// The options that suggested commands repeat in addition if they print instructions.
    pub again_of_code: Vec<String>,
}

impl ExploreRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If it is unclear how several profiles relate.
    pub fn new(args: ExploreArgs) -> Result<ExploreRequest, Usage> {
        refuse([ratios(&args.input, true)])?;
        let sides = match [&args.files[..], &args.new] {
            // If all names follow `--`, they begin like options and are not the newer side.
            [files, []] | [[], files] if args.sum || files.len() < 2 => {
                Some((Vec::new(), files.to_vec()))
            }
            [old, new] => two_sides(old, new).filter(|_| !args.sum),
        };
        let Some((older, files)) = sides else {
            let why = "explore takes one profile, `explore OLD NEW`, `explore OLD... -- NEW...`, or the sum of several, \
                       `explore --sum PROFILE...`";
            return Err(Usage(why.into()));
        };
        Ok(ExploreRequest {
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
                    ExploreRequest::new(*args).map(|request| (request.older, request.files))
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
