//! `cgannotate diff OLD NEW`: what got dearer, what cheaper, and why.

use super::output::Output;
use super::{complain, inputs};
use crate::analysis::difference::{Difference, Exactness, FileChanges, LineDifference, Matching, Shifts};
use crate::analysis::{Selection, growth, selection};
use crate::export::difference_json::{self, Document};
use crate::profile::{Collect, Event, Events, Format, Profile};
use crate::render::difference::{DifferenceReport, Options};
use crate::render::lists::Changes;
use crate::render::screen::Screen;
use crate::request::Form;
use crate::request::diff::{Annotated, Request, Rows};
use crate::source::missing::Unread;
use crate::source::{self, Finder, SourceError};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;
use termcolor::WriteColor;

/// Reads both sides, matches them, compares, prints. That there are differences is no failure.
pub(super) fn run(request: &Request) -> Result<ExitCode> {
    let mut out = Output::screen(&request.to, request.look, request.form.into())?;
    let old = read(request, &request.old)?;
    let new = read(request, &request.new)?;
    let mut matching = Matching::new(&old, &new, &request.rules);
    inputs::derive(matching.events_mut(), &request.reading, request.columns.named())?;
    let mut warnings = doubts(&old, &new);
    if matching.events().recorded().is_empty() {
        bail!("the two runs have no event in common: {} and {}", list(&old.events), list(&new.events));
    }
    let selection = select(request, matching.events())?;
    let shifts = Shifts::new(&matching);
    let functions = Difference::new(&matching, &shifts, &selection, request.cost);
    let wants_lines = request.rows == Rows::Lines || request.annotated == Annotated::Changed;
    let lines = wants_lines.then(|| LineDifference::new(&matching, &shifts, &selection));
    if request.rules.exactness == Exactness::Normalised {
        warnings.extend(strangers(&functions, &selection));
    }
    warnings.iter().for_each(|warning| complain(warning));
    match request.form {
        Form::Json => {
            let lines = lines.as_ref().filter(|_| request.rows == Rows::Lines);
            let columns = &selection.show;
            let growth = growth::compare(&old, &new);
            let document = Document { functions: &functions, lines, growth: &growth, columns, warnings: &warnings };
            difference_json::write(&document, &mut out)?;
        }
        Form::Table(form) => {
            let changes = Changes { form, events: matching.events(), selection: &selection };
            match lines.as_ref().filter(|_| request.rows == Rows::Lines) {
                Some(lines) => changes.lines(lines, &mut out)?,
                None => changes.functions(&functions, &mut out)?,
            }
        }
        Form::Text => text(request, &functions, lines.as_ref(), &selection, &mut out)?,
    }
    out.into_inner().finish()?;
    let cut =
        [&old, &new].into_iter().any(|side| inputs::status(&side.warnings, &request.reading) != ExitCode::SUCCESS);
    Ok(ExitCode::from(u8::from(cut)))
}

fn read(request: &Request, files: &[PathBuf]) -> Result<Profile> {
    let strip = if request.form.is_for_people() { source::current_directory() } else { Vec::new() };
    inputs::read(files, &request.reading, Collect::ALL, strip)
}

/// Without `--show`, the text has the event that sorts, JSON all.
fn select(request: &Request, events: &Events) -> Result<Selection> {
    let (columns, people) = (&request.columns, request.form.is_for_people());
    let mut selection = columns.select(events)?;
    if columns.show.is_empty() {
        selection.show =
            if people { selection.sort.iter().take(1).copied().collect() } else { selection::all(events).collect() };
        if columns.sort.is_empty() && people {
            selection.sort.truncate(1);
            selection.thresholds.truncate(1);
        }
    }
    Ok(selection)
}

/// What makes it doubtful whether two runs can be compared.
fn doubts(old: &Profile, new: &Profile) -> Vec<String> {
    let mut doubts = Vec::new();
    let lacking = |a: &Profile, b: &Profile| -> Vec<String> {
        let names = a.events.recorded().iter().filter(|name| !b.events.recorded().contains(name));
        names.map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    };
    for (who, missing) in [("old", lacking(old, new)), ("new", lacking(new, old))] {
        if !missing.is_empty() {
            doubts.push(format!("only the {who} run has {}; compared is what both have", missing.join(", ")));
        }
    }
    // A baseline says what a profile of ours said, of functions of whatever format.
    let is_baseline = [old, new].iter().any(|profile| profile.format == Format::Baseline);
    if old.format != new.format && !is_baseline {
        let (old, new) = (old.format.name(), new.format.name());
        doubts.push(format!("the formats differ, {old} and {new}: what is a function may differ too"));
    }
    let first = |profile: &Profile| profile.parts.first().cloned().unwrap_or_default();
    let (old, new) = (first(old), first(new));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if old.creator != new.creator && !is_baseline {
        doubts.push(format!(
            "the profiles were written by different programs, {} and {}",
            text(&old.creator),
            text(&new.creator)
        ));
    }
    if run_of(&old.command) != run_of(&new.command) {
        doubts.push(format!("the commands differ: `{}` and `{}`", text(&old.command), text(&new.command)));
    }
    doubts
}

/// A command without the folder of its program.
fn run_of(command: &[u8]) -> (&[u8], &[u8]) {
    let command = command.trim_ascii();
    let end = command.iter().position(|&b| b == b' ').unwrap_or(command.len());
    let (program, arguments) = command.split_at(end);
    (program.rsplit(|&b| b == b'/').next().unwrap_or(program), arguments)
}

/// Says so if much of both runs found no partner.
fn strangers(difference: &Difference<'_>, selection: &Selection) -> Option<String> {
    let (&event, events) = (selection.sort.first()?, difference.events());
    let share = |part: &[i64], whole: &[i64]| {
        let count = |row| events.count(row, event).unwrap_or(0) as f64;
        if count(whole) > 0.0 { count(part) * 100.0 / count(whole) } else { 0.0 }
    };
    let old = share(&difference.disappeared.cost.old, &difference.total.old);
    let new = share(&difference.appeared.cost.new, &difference.total.new);
    (old >= 10.0 && new >= 10.0).then(|| {
        format!(
            "{old:.0} % of the old cost and {new:.0} % of the new are in functions that the other run does not have; \
             if names changed, --mod-funcname and --mod-filename bring them together"
        )
    })
}

fn list(events: &Events) -> String {
    let names: Vec<String> = events.recorded().iter().map(|n| String::from_utf8_lossy(n).into_owned()).collect();
    names.join(", ")
}

fn text(
    request: &Request,
    functions: &Difference<'_>,
    lines: Option<&LineDifference<'_>>,
    selection: &Selection,
    out: &mut Screen<Output>,
) -> Result<()> {
    let recorded: Vec<Event> = (0..functions.events().recorded().len()).map(Event::Recorded).collect();
    let totals = if request.columns.show.is_empty() { &recorded } else { &selection.show };
    let shares = request.columns.percentages.are_shown();
    let options = Options { selection, totals, shares, surface: out.surface() };
    let mut report = DifferenceReport::new(out, functions.events(), options);
    let (old, new) = (functions.matching.old.original, functions.matching.new.original);
    report.growth(&growth::compare(old, new), new)?;
    report.header(old, new)?;
    match (request.rows, lines) {
        (Rows::Lines, Some(lines)) => report.lines(lines)?,
        _ => report.functions(functions)?,
    }
    if let Some(lines) = lines.filter(|_| request.annotated == Annotated::Changed) {
        annotate(request, &functions.matching.new.original.inputs, &lines.files, &mut report)?;
    }
    report.finish()?;
    Ok(())
}

/// The new run's sources with the changes beside their lines.
fn annotate(
    request: &Request,
    inputs: &[String],
    files: &[FileChanges<'_>],
    report: &mut DifferenceReport<'_, impl WriteColor>,
) -> Result<()> {
    let finder = Finder::new(request.sources.of(inputs)?);
    let modified = inputs.iter().filter_map(|name| source::modified(name)).min();
    let mut missing = Unread::default();
    for file in files {
        match finder.open(file.name) {
            Ok(found) => {
                let newer = matches!((found.modified, modified), (Some(s), Some(p)) if s > p);
                report.annotated(file, &found.title, found.lines(), request.sources.context, newer)?;
            }
            Err(e) => {
                if matches!(e, SourceError::Ambiguous(_)) {
                    complain(&format!("{}: {e}", String::from_utf8_lossy(file.name)));
                }
                missing.add(file.name, &e);
            }
        }
    }
    if !missing.is_empty() && report.is_on_terminal() {
        report.not_found_by_root(&missing.groups(finder.toolchains()))?;
    } else if !missing.is_empty() {
        report.not_found(&missing.lines())?;
    }
    Ok(())
}
