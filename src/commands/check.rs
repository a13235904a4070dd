//! `cgannotate check`: budgets and regression gates.

use super::console::Console;
use super::inputs::{self, Inputs};
use super::output::{Output, Reader};
use super::{Usage, is_closed_pipe, limits, named};
use crate::analysis::budgets::{self, Checked, Limit, Side, Status};
use crate::analysis::{Inclusive, Own, OwnCode};
use crate::export::{baseline, check};
use crate::profile::{Calls, Collect, Profile};
use crate::render::screen::Screen;
use crate::request::check::{ReportFile, Request};
use crate::source;
use crate::view::Surface;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Reads both runs, judges, reports, and keeps the new run as a baseline if that is wanted.
pub(super) fn run(request: &Request, console: &Console) -> Result<ExitCode> {
    let limits = limits::collect(request)?;
    if limits.is_empty() && request.save_baseline.is_none() {
        bail!(Usage("there is nothing to check: give a --limit, or write limits into cgannotate.toml".into()));
    }
    if request.own.is_none() && limits.iter().any(|limit| limit.expression.needs_own_code()) {
        bail!(Usage("a limit on own cost needs --own-code, which says what is own".into()));
    }
    let [files, baseline] = named::inputs([&request.files, &request.baseline], console)?;
    let mut new = Measured::read(&files, request, console)?;
    inputs::derive(&mut new.profile.events, &request.reading, &events(&limits))?;
    let mut old = if baseline.is_empty() { None } else { Some(Measured::read(&baseline, request, console)?) };
    if let Some(old) = &mut old {
        // What cannot be derived there is an event that the baseline does not have; the limits will say so.
        let _ = inputs::derive(&mut old.profile.events, &request.reading, &events(&limits));
    }

    let (new_side, old_side) = (new.side(), old.as_ref().map(Measured::side));
    let checked = Checked::new(&limits, new_side, old_side, request.policy, request.parts);
    checked.remarks.iter().for_each(|remark| console.complain(remark));
    let (mut printed, mut written) = (true, true);
    if !limits.is_empty() || !checked.doubts.is_empty() {
        for report in &request.reports {
            let place = if report.to.is_some() || request.to.file().is_some() { &mut written } else { &mut printed };
            *place &= is_written(write(report, request, &checked, console), console);
        }
    }
    if let Some(path) = &request.save_baseline
        && budgets::doubts(&new.profile).is_empty()
    {
        written &= is_written(new.save(path), console);
    }
    Ok(match checked.status {
        // Whoever waits for a file must not go on without it.
        _ if !written => ExitCode::FAILURE,
        Status::Kept => ExitCode::from(u8::from(!printed)),
        Status::Exceeded => ExitCode::from(3),
        Status::Unknown => ExitCode::from(4),
    })
}

fn write(report: &ReportFile, request: &Request, checked: &Checked, console: &Console) -> Result<()> {
    let mut out = open(report, request, console)?;
    let width = out.surface().width;
    check::write(report.form, checked, width, &mut out)?;
    out.into_inner().finish()
}

/// Whether a report was written. A failure is printed, and neither the other reports nor the verdict are
/// skipped for it. A closed pipe is no failure.
fn is_written(done: Result<()>, console: &Console) -> bool {
    match done {
        Err(e) if !is_closed_pipe(&e) => {
            console.complain(&format!("{e:#}"));
            false
        }
        _ => true,
    }
}

/// One of the runs.
struct Measured {
    profile: Profile,
    inclusive: Inclusive,
    own: Option<Own>,
}

impl Measured {
    /// Reads the sum of some profiles.
    fn read(files: &[PathBuf], request: &Request, console: &Console) -> Result<Measured> {
        let collect = Collect { lines: true, calls: Calls::Arcs, code: false };
        // What is own code is decided from names as they were recorded.
        let strip = if request.own.is_some() { Vec::new() } else { source::current_directory() };
        let profile = Inputs { files, reading: &request.reading, console }.read(collect, strip)?;
        let inclusive = Inclusive::new(&profile);
        let set = request.own.as_ref().filter(|_| !profile.arcs.is_empty());
        let own = set.map(|set| Own::new(&profile, &OwnCode::new(&profile, set)));
        Ok(Measured { profile, inclusive, own })
    }

    fn side(&self) -> Side<'_> {
        Side { profile: &self.profile, inclusive: &self.inclusive, own: self.own.as_ref() }
    }

    fn save(&self, path: &Path) -> Result<()> {
        let mut out = Output::file(path)?;
        let functions = budgets::in_baseline_order(&self.profile);
        baseline::write(&mut out, &self.profile, &self.inclusive, &functions)?;
        out.finish()
    }
}

/// Defines the built-in derived events that limits name.
fn events(limits: &[Limit]) -> Vec<String> {
    limits.iter().flat_map(|limit| limit.expression.events()).map(str::to_owned).collect()
}

fn open<'c>(report: &ReportFile, request: &Request, console: &'c Console) -> Result<Screen<Output<'c>>> {
    let reader = if report.form == check::CheckForm::Text { Reader::Person } else { Reader::Program };
    match &report.to {
        Some(path) => Ok(Screen::new(Output::file(path)?, Surface::default())),
        None => Output::screen(&request.to, request.look, reader, console),
    }
}
