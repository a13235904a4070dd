//! The request of `check`: limits, the profiles they apply to, and the reports.

use super::Usage;
use crate::{
    analysis::budgets::{Expression, Level, Limit},
    cli::{CheckArgs, ReportArg},
    export::check::CheckForm,
};

/// What to check, and how to report it.
#[derive(Debug)]
pub struct CheckRequest {
    /// The arguments.
    pub args: CheckArgs,
    /// The limits of the command line, in order. They follow those of a file.
    pub limits: Vec<Limit>,
    /// The reports, at least one. Standard output takes one report, and GitHub's commands as well.
    pub reports: Vec<ReportArg>,
}

impl CheckRequest {
    /// Interprets the arguments.
    ///
    /// # Errors
    /// If a limit cannot be parsed, or several reports go to one place.
    pub fn new(args: CheckArgs) -> Result<CheckRequest, Usage> {
        Ok(CheckRequest {
            limits: (args.limits.iter())
                .map(|text| limit(text))
                .collect::<Result<_, _>>()?,
            reports: reports(&args)?,
            args,
        })
    }
}

fn limit(text: &str) -> Result<Limit, Usage> {
    let expression =
        Expression::parse(text).map_err(|problem| Usage(format!("--limit: {problem}")))?;
    Ok(Limit {
        name: text.to_owned(),
        level: Level::Error,
        expression,
    })
}

/// Returns the reports to write. A place takes one report; standard output also takes GitHub's
/// commands.
fn reports(args: &CheckArgs) -> Result<Vec<ReportArg>, Usage> {
    if args.reports.is_empty() {
        return Ok(vec![ReportArg {
            form: CheckForm::Text,
            to: None,
        }]);
    }
    let without_file = || args.reports.iter().filter(|report| report.to.is_none());
    let others = without_file()
        .filter(|report| report.form != CheckForm::Github)
        .count();
    if others > 1 || (args.output.file().is_some() && without_file().count() > 1) {
        let why = "several reports have the same destination\nhint: give each a file, as in `--report junit=cg.xml`";
        return Err(Usage(why.into()));
    }
    Ok(args.reports.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn request(line: &str) -> Result<CheckRequest, String> {
        let words = ["cgannotate", "check", "out"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Check(args)) => CheckRequest::new(args).map_err(|usage| usage.0),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn one_place_has_one_report() {
        for line in [
            "--report json --report junit=-",
            "-o f --report text --report github",
            "--report text --report text",
        ] {
            let why = request(line).expect_err(line);
            assert_eq!(
                why,
                "several reports have the same destination\nhint: give each a file, as in `--report junit=cg.xml`"
            );
        }
        for (line, count) in [
            ("", 1),
            ("-o f --report text --report junit=x.xml", 2),
            ("--report text --report github --report github", 3),
            ("-o - --report text --report github", 2),
        ] {
            assert_eq!(request(line).expect(line).reports.len(), count, "{line}");
        }
        assert_eq!(
            request("").expect("the default").reports,
            [ReportArg {
                form: CheckForm::Text,
                to: None
            }]
        );
    }

    #[test]
    fn a_limit_is_read_before_any_profile() {
        let request = |line: &str| request(line);
        assert!(
            request("--limit total.Ir")
                .expect_err("a limit without a bound")
                .starts_with("--limit: ")
        );
        let kept = request("--limit total.Ir<=1 --limit calls(f)<=2").expect("two limits");
        let names: Vec<&str> = kept.limits.iter().map(|limit| &*limit.name).collect();
        assert_eq!(names, ["total.Ir<=1", "calls(f)<=2"]);
    }
}
