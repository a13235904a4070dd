//! `cgannotate check`: budgets and regression gates.

use super::output::{Output, Reader};
use super::{Usage, complain, inputs, is_closed_pipe, limits};
use crate::analysis::Inclusive;
use crate::analysis::budgets::{self, Checked, Limit, Parts, Policy, Side, Status};
use crate::cli::{CheckArgs, ReportArg};
use crate::export::{baseline, check};
use crate::profile::{Calls, Collect, Profile};
use crate::render::screen::{Screen, Surface};
use crate::source;
use anyhow::{Result, bail};
use std::path::Path;
use std::process::ExitCode;

/// Reads both runs, judges, reports, and keeps the new run as a baseline if that is wanted.
pub(super) fn run(args: &CheckArgs) -> Result<ExitCode> {
    let limits = limits::collect(args)?;
    if limits.is_empty() && args.save_baseline.is_none() {
        bail!(Usage("there is nothing to check: give a --limit, or write limits into cgannotate.toml".into()));
    }
    let reports = reports(args)?;
    let mut new = Measured::read(&args.files, args)?;
    inputs::derive(&mut new.profile.events, &args.input, &events(&limits))?;
    let mut old = if args.baseline.is_empty() { None } else { Some(Measured::read(&args.baseline, args)?) };
    if let Some(old) = &mut old {
        // What cannot be derived there is an event that the baseline does not have; the limits will say so.
        let _ = inputs::derive(&mut old.profile.events, &args.input, &events(&limits));
    }

    let policy = if args.allow_missing { Policy::MayBeMissing } else { Policy::Required };
    let parts = if args.input.allow_truncated { Parts::Any } else { Parts::Compared };
    let checked = Checked::new(&limits, new.side(), old.as_ref().map(Measured::side), policy, parts);
    checked.remarks.iter().for_each(|remark| complain(remark));
    let (mut printed, mut written) = (true, true);
    if !limits.is_empty() || !checked.doubts.is_empty() {
        for report in &reports {
            let place = if report.to.is_some() || args.output.file().is_some() { &mut written } else { &mut printed };
            *place &= is_written(write(report, args, &checked));
        }
    }
    if let Some(path) = &args.save_baseline
        && budgets::doubts(&new.profile).is_empty()
    {
        written &= is_written(new.save(path));
    }
    Ok(match checked.status {
        // Whoever waits for a file must not go on without it.
        _ if !written => ExitCode::FAILURE,
        Status::Kept => ExitCode::from(u8::from(!printed)),
        Status::Exceeded => ExitCode::from(3),
        Status::Unknown => ExitCode::from(4),
    })
}

fn write(report: &ReportArg, args: &CheckArgs, checked: &Checked) -> Result<()> {
    let mut out = open(report, args)?;
    let width = out.surface().width;
    check::write(report.form, checked, width, &mut out)?;
    out.into_inner().finish()
}

/// Whether a report was written, as far as anybody wanted to read it. One that was not is said and keeps neither the other
/// reports nor the judging from whoever waits for them.
fn is_written(done: Result<()>) -> bool {
    match done {
        Err(e) if !is_closed_pipe(&e) => {
            complain(&format!("{e:#}"));
            false
        }
        _ => true,
    }
}

/// One of the runs.
struct Measured {
    profile: Profile,
    inclusive: Inclusive,
}

impl Measured {
    /// Reads the sum of some profiles.
    fn read(files: &[String], args: &CheckArgs) -> Result<Measured> {
        let collect = Collect { lines: true, calls: Calls::Arcs };
        let profile = inputs::read(files, &args.input, collect, source::current_directory())?;
        let inclusive = Inclusive::new(&profile);
        Ok(Measured { profile, inclusive })
    }

    fn side(&self) -> Side<'_> {
        Side { profile: &self.profile, inclusive: &self.inclusive }
    }

    fn save(&self, path: &Path) -> Result<()> {
        let mut out = Output::file(path)?;
        let functions = budgets::in_baseline_order(&self.profile);
        baseline::write(&mut out, &self.profile, &self.inclusive, &functions)?;
        out.finish()
    }
}

/// The events that limits speak of: built-in ones are derived where they are named.
fn events(limits: &[Limit]) -> Vec<String> {
    limits.iter().flat_map(|limit| limit.expression.events()).map(str::to_owned).collect()
}

/// The reports that are wanted. On standard output there is room for one, and for GitHub's commands beside it.
fn reports(args: &CheckArgs) -> Result<Vec<ReportArg>> {
    if args.reports.is_empty() {
        return Ok(vec![ReportArg { form: check::Form::Text, to: None }]);
    }
    let github = |report: &&ReportArg| report.form == check::Form::Github;
    let without_file = || args.reports.iter().filter(|report| report.to.is_none());
    let others = without_file().filter(|report| !github(report)).count();
    if others > 1 || (args.output.file().is_some() && without_file().count() > 1) {
        bail!(Usage("there are several reports for one place; give them files, as in `--report junit=cg.xml`".into()));
    }
    Ok(args.reports.clone())
}

fn open(report: &ReportArg, args: &CheckArgs) -> Result<Screen<Output>> {
    let reader = if report.form == check::Form::Text { Reader::Person } else { Reader::Program };
    match &report.to {
        Some(path) => Ok(Screen::new(Output::file(path)?, Surface::default())),
        None => Output::screen(&args.output, &args.screen, reader),
    }
}
