//! `cgannotate check`: budgets and regression gates.

use super::console::Console;
use super::inputs::{self, Inputs};
use super::output::{Output, Reader};
use super::{Usage, is_closed_pipe, limits, named, runs};
use crate::analysis::budgets::{self, Against, Checked, Limit, Noise, OwnCosts, Sample, Side, Status};
use crate::analysis::history::Rule;
use crate::analysis::{Inclusive, Own, OwnCode, Set};
use crate::export::{baseline, check};
use crate::profile::{Calls, Collect, Profile, StatedOwn};
use crate::render::screen::Screen;
use crate::request::check::{ReportFile, Request};
use crate::source;
use crate::view::Surface;
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Reads both runs, judges, reports, and keeps the new run as a baseline if that is wanted.
pub(super) fn run(request: &Request, console: &Console) -> Result<ExitCode> {
    let (limits, own) = limits::collect(request)?;
    if limits.is_empty() && request.save_baseline.is_none() {
        bail!(Usage("there is nothing to check: give a --limit, or write limits into cgannotate.toml".into()));
    }
    if own.is_none() && limits.iter().any(|limit| limit.expression.needs_own_code()) {
        bail!(Usage(
            "a limit on own cost needs --own-code, which says what is own (own-code in cgannotate.toml)".into()
        ));
    }
    if !request.history.is_empty() && !limits.iter().any(|limit| limit.expression.needs_history()) {
        bail!(Usage("--history is for limits on noise, such as 'total.Ir <= noise', and there is none".into()));
    }
    let own = own.filter(|_| request.save_baseline.is_some() || limits.iter().any(|l| l.expression.needs_own_code()));
    let own = own.as_ref();
    let [files, baseline, again] = named::inputs([&request.files, &request.baseline, &request.again], console)?;
    let mut new = Measured::read(&files, request, own, console)?;
    inputs::derive(&mut new.profile.events, &request.reading, &events(&limits))?;
    let mut old = if baseline.is_empty() { None } else { Some(Measured::read(&baseline, request, own, console)?) };
    if let Some(old) = &mut old {
        // What cannot be derived there is an event that the baseline does not have; the limits will say so.
        let _ = inputs::derive(&mut old.profile.events, &request.reading, &events(&limits));
    }

    let mut again = if again.is_empty() { None } else { Some(Measured::read(&again, request, own, console)?) };
    if let Some(again) = &mut again {
        let _ = inputs::derive(&mut again.profile.events, &request.reading, &events(&limits));
    }
    let past = past(request, &limits, own, console)?;
    let (baseline, again) = (old.as_ref().map(|old| old.side(own)), again.as_ref().map(|again| again.side(own)));
    let against = Against { baseline, again, past };
    let checked = Checked::new(&limits, new.side(own), &against, request.policy, request.parts);
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
        written &= is_written(new.save(path, own), console);
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
    fn read(files: &[PathBuf], request: &Request, own: Option<&Set>, console: &Console) -> Result<Measured> {
        let collect = Collect { lines: true, calls: Calls::Arcs, code: false };
        // What is own code is decided from names as they were recorded.
        let strip = if own.is_some() { Vec::new() } else { source::current_directory() };
        let profile = Inputs { files, reading: &request.reading, console }.read(collect, strip)?;
        let measured = Measured::new(profile, own);
        if let (Some(set), Some(stated)) = (own, stated(&measured.profile))
            && measured.own.is_none()
            && !is_same(set, stated)
        {
            let code: Vec<_> = stated.code.iter().map(|name| String::from_utf8_lossy(name)).collect();
            console.complain(&format!("the baseline was saved with --own-code={}", code.join(" --own-code=")));
        }
        Ok(measured)
    }

    fn new(profile: Profile, own: Option<&Set>) -> Measured {
        let inclusive = Inclusive::new(&profile);
        let computed = own.filter(|_| !profile.arcs.is_empty());
        let computed = computed.map(|set| Own::new(&profile, &OwnCode::new(&profile, set)));
        Measured { profile, inclusive, own: computed }
    }

    fn side(&self, own: Option<&Set>) -> Side<'_> {
        let stated = || stated(&self.profile).filter(|stated| own.is_some_and(|set| is_same(set, stated)));
        let own = self.own.as_ref().map(OwnCosts::Computed).or_else(|| stated().map(OwnCosts::Stated));
        Side { profile: &self.profile, inclusive: &self.inclusive, own }
    }

    /// Keeps it as a baseline, with own costs where it was said what is own.
    fn save(&self, path: &Path, set: Option<&Set>) -> Result<()> {
        let mut out = Output::file(path)?;
        let functions = budgets::in_baseline_order(&self.profile);
        let code = set.map(Set::names).unwrap_or_default();
        let own = self.own.as_ref().map(|own| baseline::OwnCosts { own, code: &code });
        baseline::write(&mut out, &self.profile, &self.inclusive, own.as_ref(), &functions)?;
        out.finish()
    }
}

/// What the runs before tell of each limit on noise. A run that cannot be trusted is left out.
fn past(request: &Request, limits: &[Limit], own: Option<&Set>, console: &Console) -> Result<Vec<Option<Noise>>> {
    if request.history.is_empty() {
        return Ok(Vec::new());
    }
    let runs = runs::list(&request.history, &request.reading, console)?;
    let asked: Vec<Option<&Limit>> =
        limits.iter().map(|limit| Some(limit).filter(|limit| limit.expression.needs_history())).collect();
    let needs_calls = asked.iter().flatten().any(|limit| limit.expression.needs_calls());
    let calls = if needs_calls { Calls::Arcs } else { Calls::None };
    let collect = Collect { lines: false, calls, code: false };
    let strip = if own.is_some() { Vec::new() } else { source::current_directory() };
    let named = events(limits);
    let reads = runs::each(&runs, &request.reading, collect, &strip, console, |_, mut profile| {
        let doubts = budgets::doubts(&profile);
        let _ = inputs::derive(&mut profile.events, &request.reading, &named);
        let measured = Measured::new(profile, own);
        let sample = |limit: &Option<&Limit>| limit.map(|limit| Sample::new(&limit.expression, measured.side(own)));
        Ok((doubts, asked.iter().map(sample).collect::<Vec<_>>()))
    })?;
    let (sound, damaged): (Vec<_>, Vec<_>) = reads.all.iter().partition(|(doubts, _)| doubts.is_empty());
    for doubt in damaged.iter().filter_map(|(doubts, _)| doubts.first()) {
        console.complain(&format!("{doubt}; this run is left out of the history"));
    }
    let noise = |at: usize| {
        asked[at].map(|_| Noise::new(sound.iter().filter_map(|(_, samples)| samples[at].as_ref()), &Rule::USUAL))
    };
    Ok((0..limits.len()).map(noise).collect())
}

/// Own costs that a saved baseline has.
fn stated(profile: &Profile) -> Option<&StatedOwn> {
    profile.stated.as_ref()?.own.as_deref()
}

/// Whether a baseline was saved with the same code for own.
fn is_same(set: &Set, stated: &StatedOwn) -> bool {
    set.names().iter().map(String::as_bytes).eq(stated.code.iter().map(Vec::as_slice))
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
