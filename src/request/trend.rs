//! The request of `trend`: which runs, whose costs, and what is shown of them.

use super::narrow::narrow;
use super::{Destination, Form, Look, Reading, Usage, refuse};
use crate::analysis::Narrow;
use crate::analysis::difference::Cost;
use crate::analysis::history::By;
use crate::cli::TrendArgs;
use std::path::PathBuf;

/// What is to be told about many runs.
#[derive(Clone, Debug)]
pub struct Request {
    /// Runs and folders of runs, in order.
    pub files: Vec<PathBuf>,
    /// The event; `None` is the first that was counted.
    pub event: Option<String>,
    /// Whose costs are rows.
    pub by: By,
    /// Which costs.
    pub cost: Cost,
    /// Which rows.
    pub narrow: Narrow,
    /// The form of the report.
    pub form: Form,
    /// How inputs are read.
    pub reading: Reading,
    /// How it looks.
    pub look: Look,
    /// Where it goes.
    pub to: Destination,
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// Conflicting options.
    pub fn new(args: &TrendArgs) -> Result<Request, Usage> {
        let by = args.by.unwrap_or(By::Functions);
        refuse([
            (
                by != By::Functions && args.inclusive.is_yes(),
                "--by adds up self costs; inclusive costs do not add up",
            ),
            (
                args.files
                    .iter()
                    .filter(|name| name.as_os_str() == "-")
                    .count()
                    > 1,
                "standard input can be read once only",
            ),
        ])?;
        Ok(Request {
            files: args.files.clone(),
            event: args.show.clone(),
            by,
            cost: if args.inclusive.is_yes() {
                Cost::Inclusive
            } else {
                Cost::Own
            },
            narrow: narrow(&args.narrow),
            form: Form::new(args.format, args.report.max_size)?,
            reading: Reading::new(&args.input),
            look: Look::new(&args.report.screen),
            to: Destination::new(&args.report.output),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn request(line: &str) -> Result<Request, String> {
        let words = ["cgannotate", "trend"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Trend(args)) => Request::new(&args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn rows_are_functions_or_sums() {
        for (line, by) in [
            ("a", By::Functions),
            ("a --by=class", By::Classes),
            ("a b --by function", By::Names),
        ] {
            assert_eq!(request(line).expect(line).by, by, "{line}");
        }
        for (line, why) in [
            (
                "a --by=file --inclusive=yes",
                "--by adds up self costs; inclusive costs do not add up",
            ),
            ("- -", "standard input can be read once only"),
        ] {
            assert_eq!(request(line).expect_err(line), why, "{line}");
        }
    }
}
