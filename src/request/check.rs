//! The request of `check`: limits, the profiles they apply to, and the reports.

use super::{Destination, Look, Reading, Usage};
use crate::analysis::budgets::{Expression, Level, Limit, Parts, Policy};
use crate::cli::{CheckArgs, ReportArg, ReportForm};
use crate::export::check::CheckForm;
use regex::bytes::Regex;
use std::path::PathBuf;

/// What is to be checked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The profiles, summed.
    pub files: Vec<PathBuf>,
    /// The baselines, summed; empty if nothing is compared.
    pub baseline: Vec<PathBuf>,
    /// The runs before, and folders of them, in order; empty if no limit is about noise.
    pub history: Vec<PathBuf>,
    /// A second run of what is checked, summed; empty if there is one run.
    pub again: Vec<PathBuf>,
    /// The limits that were typed, in order. They follow those of a file.
    pub limits: Vec<Limit>,
    /// The file of limits; `None` reads the usual one if it is there.
    pub config: Option<PathBuf>,
    /// How a limit on a missing function is judged.
    pub policy: Policy,
    /// What it means that a run has fewer parts than its baseline.
    pub parts: Parts,
    /// The reports, at least one. On standard output there is one, and perhaps GitHub's commands as well.
    pub reports: Vec<ReportFile>,
    /// Where the run is kept as a baseline.
    pub save_baseline: Option<PathBuf>,
    /// What is own, for limits on own cost and baselines; besides what a file says.
    pub own: Vec<Regex>,
    /// Whether own functions that were inlined are functions like others.
    pub inlined: bool,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// How inputs are read.
    pub reading: Reading,
    /// How reports look.
    pub look: Look,
    /// Where reports without a file go.
    pub to: Destination,
}

/// A report and where it goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportFile {
    /// Its form.
    pub form: CheckForm,
    /// The file; `None` is where reports without one go.
    pub to: Option<PathBuf>,
}

impl From<ReportForm> for CheckForm {
    fn from(typed: ReportForm) -> CheckForm {
        match typed {
            ReportForm::Text => CheckForm::Text,
            ReportForm::Markdown => CheckForm::Markdown,
            ReportForm::Json => CheckForm::Json,
            ReportForm::Junit => CheckForm::Junit,
            ReportForm::Github => CheckForm::Github,
        }
    }
}

impl Request {
    /// What the arguments ask for.
    ///
    /// # Errors
    /// A limit that cannot be read, or several reports for one place.
    pub fn new(args: &CheckArgs) -> Result<Request, Usage> {
        let to = Destination::new(&args.output);
        Ok(Request {
            files: args.files.clone(),
            baseline: args.baseline.clone(),
            history: args.history.clone(),
            again: args.again.clone(),
            limits: args
                .limits
                .iter()
                .map(|text| limit(text))
                .collect::<Result<_, _>>()?,
            config: args.config.clone(),
            policy: if args.allow_missing {
                Policy::MayBeMissing
            } else {
                Policy::Required
            },
            parts: if args.input.allow_truncated {
                Parts::Any
            } else {
                Parts::Compared("give --allow-truncated")
            },
            reports: reports(&args.reports, &to)?,
            save_baseline: args.save_baseline.clone(),
            own: args.own_code.clone(),
            inlined: args.code.inlined,
            debug_dirs: args.code.debug_dirs.clone(),
            reading: Reading::new(&args.input),
            look: Look::new(&args.screen),
            to,
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

/// The reports that are asked for. Standard output takes one, and GitHub's commands as well; a file takes one.
fn reports(typed: &[ReportArg], to: &Destination) -> Result<Vec<ReportFile>, Usage> {
    if typed.is_empty() {
        return Ok(vec![ReportFile {
            form: CheckForm::Text,
            to: None,
        }]);
    }
    let reports: Vec<ReportFile> = typed
        .iter()
        .map(|report| ReportFile {
            form: report.form.into(),
            to: report.to.clone(),
        })
        .collect();
    let without_file = || reports.iter().filter(|report| report.to.is_none());
    let others = without_file()
        .filter(|report| report.form != CheckForm::Github)
        .count();
    if others > 1 || (to.file().is_some() && without_file().count() > 1) {
        let why = "there are several reports for one place; give them files, as in `--report junit=cg.xml`";
        return Err(Usage(why.into()));
    }
    Ok(reports)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser;

    fn request(line: &str) -> Result<Request, String> {
        let words = ["cgannotate", "check", "out"]
            .into_iter()
            .chain(line.split_whitespace());
        match Cli::try_parse_from(words).expect(line).command {
            Some(Command::Check(args)) => Request::new(&args).map_err(|usage| usage.0),
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
                "there are several reports for one place; give them files, as in `--report junit=cg.xml`"
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
            [ReportFile {
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
