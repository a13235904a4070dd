//! `cgannotate trend`: what changed over many runs, since when, by how much, and why.

use super::{
    advice,
    console::say,
    inputs,
    output::{self, Output},
    page,
    runs::{self, RunFiles, RunSeries, SeriesWriter},
};
use crate::{
    analysis::{
        GroupBy, Selection, UnknownEvent,
        difference::{ChangedFunction, Matching, Rules, Shifts},
        history::{History, HistoryBuilder, Largest, Rule, Trend},
    },
    cli::{Form, TrendArgs},
    env,
    export::trend_json,
    input,
    profile::{Calls, Collect, Event, Lines, Profile, run_of, to_text},
    render::{page as pages, screen::ScreenWriter, table, trend as text},
    request::Usage,
    text::how_many,
    view::tables::{trend_runs, trend_summary},
};
use anyhow::{Result, bail};
use std::{
    collections::HashMap,
    io::Write,
    process::ExitCode,
    sync::{Mutex, OnceLock, PoisonError},
};

/// The default number of rows, for people and in pages.
const LISTED: usize = 20;
const DRAWN: usize = 200;

/// The most runs to compare with the previous run, to explain changes.
const EXPLAINED: usize = 50;

/// Reads all runs, then finds, explains and prints changes. A change is not a failure.
pub(super) fn run(args: &TrendArgs) -> Result<ExitCode> {
    let all = runs::list(&args.files, &args.input)?;
    let name = all.last().map_or_else(String::new, RunSeries::name);
    let mut series_writer = SeriesWriter::new(&args.report, &name, all.len())?;
    output::keep_inputs(
        args.report.output.file(),
        all.iter()
            .flat_map(|series| &series.runs)
            .flat_map(|run| &run.files),
    )?;
    let mut out = Output::report(&args.report)?;
    let strip = env::strip(args.report.format.is_for_people());
    let mut unseen = advice::Unseen::default();
    let collected = all
        .iter()
        .map(|series| collect(args, &series.runs, (&strip, &mut unseen)))
        .collect::<Result<Vec<_>>>()?;
    unseen.refuse()?;
    let mut status = ExitCode::SUCCESS;
    for (series, collected) in all.iter().zip(collected) {
        series_writer.begin(&series.name(), &mut out)?;
        let of_series = report(args, collected, &strip, &mut out)?;
        if of_series != ExitCode::SUCCESS {
            status = of_series;
        }
    }
    series_writer.end(&mut out)?;
    out.into_inner().finish()?;
    Ok(status)
}

/// Reports on one series.
fn report(
    args: &TrendArgs,
    (history, event, reads): CollectedRuns<'_>,
    strip: &[u8],
    mut out: &mut ScreenWriter<Output>,
) -> Result<ExitCode> {
    let mut narrow = args.narrow.narrow();
    say_commands(&reads.all);
    let usual = match args.report.format {
        Form::Text | Form::Table(table::TableForm::Markdown) => Some(LISTED),
        Form::Page => Some(DRAWN),
        Form::Json | Form::Table(_) => None,
    };
    narrow.rows = narrow.rows.or(usual);
    let what = (event, args.inclusive.cost(), args.by);
    let mut trend = Trend::new(&history, what, Rule::USUAL, reads.about, &narrow);
    if !matches!(args.report.format, Form::Table(_)) {
        explain(&mut trend, &history, &reads.runs, args, strip)?;
    }
    match args.report.format {
        Form::Text => text::write(&trend, out.surface, &mut out)?,
        Form::Json => trend_json::write(&trend, &mut out)?,
        Form::Table(table::TableForm::Markdown) => {
            table::write(table::TableForm::Markdown, trend_summary(&trend), &mut out)?;
        }
        Form::Table(form) => table::write(form, trend_runs(&trend), &mut out)?,
        Form::Page => out.write_all(&drawn(&mut trend, args.report.most())?)?,
    }
    Ok(reads.status)
}

/// Makes the page. If it exceeds its size, it has fewer rows.
fn drawn(trend: &mut Trend<'_>, most: usize) -> Result<Vec<u8>> {
    loop {
        let mut bytes = Vec::new();
        pages::write_trend(trend, &mut bytes)?;
        if bytes.len() <= most {
            return Ok(bytes);
        }
        if trend.rows.is_empty() {
            bail!(page::too_large(&bytes));
        }
        trend.truncate(trend.rows.len() / 2);
    }
}

/// A history, the name of its event, and the command of each run.
type CollectedRuns<'r> = (History, String, runs::Reads<'r, Vec<u8>>);

/// Reads all runs into a history.
fn collect<'r>(
    args: &TrendArgs,
    runs: &'r [RunFiles],
    (strip, unseen): (&[u8], &mut advice::Unseen),
) -> Result<CollectedRuns<'r>> {
    let wanted = Collect {
        lines: if args.by == Some(GroupBy::File) {
            Lines::Files
        } else {
            Lines::None
        },
        calls: if args.inclusive.is_yes() {
            Calls::Arcs
        } else {
            Calls::None
        },
        code: false,
    };
    let narrow = args.narrow.narrow();
    let history = HistoryBuilder::new(args.by, args.inclusive.cost(), &narrow, runs.len());
    let seen = Mutex::new((history, unseen));
    // The first run decides on the event. It is read before all others.
    let chosen: OnceLock<Vec<u8>> = OnceLock::new();
    let reads = runs::each(runs, &args.input, wanted, strip, |at, mut profile| {
        if args.inclusive.is_yes() && !profile.has_inclusive() {
            let file = profile.input_name(0);
            bail!("{file}: no calls were recorded, so inclusive costs are not known");
        }
        let names = args.show.iter();
        args.input.derive(&mut profile.events, names)?;
        let name = chosen.get_or_init(|| match &args.show {
            Some(name) => {
                let typed = name.as_bytes();
                let found = profile.events.find_typed(typed);
                found
                    .map_or(typed, |event| profile.events.name(event))
                    .to_vec()
            }
            None => first_counted(&profile),
        });
        let Some(event) = profile.events.find(name) else {
            let name = to_text(name);
            if args.show.is_some() && at == 0 {
                bail!(Usage::from(UnknownEvent::new(&name, &profile.events)));
            }
            let file = profile.input_name(0);
            bail!("{file}: this run has no event {name}, but the first run has");
        };
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (history, unseen) = &mut *seen;
        unseen.see(&profile, &narrow);
        history.add(u32::try_from(at)?, &profile, event);
        Ok(profile.command().to_vec())
    })?;
    if reads.runs.is_empty() {
        bail!("no run can be read");
    }
    let (history, _) = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    if history.vague > 0 {
        let of = how_many(history.vague, "row");
        say(format!(
            "the inclusive cost of {of} is a lower bound: how much several functions have in common is not known"
        ));
    }
    let history = history.finish();
    let event = chosen.into_inner().unwrap_or_default();
    Ok((history, to_text(&event), reads))
}

/// The first event with a total other than 0, or else the first event.
fn first_counted(profile: &Profile) -> Vec<u8> {
    let events = &profile.events;
    let is_counted = |&at: &usize| events.counted(&profile.totals.row, Event::Recorded(at)) != 0;
    let counted = (0..events.recorded().len()).find(is_counted).unwrap_or(0);
    events.recorded().get(counted).cloned().unwrap_or_default()
}

/// Warns if commands differ, because the runs may be of different programs.
fn say_commands(commands: &[Vec<u8>]) {
    let Some(first) = commands.first() else {
        return;
    };
    if let Some(at) = commands
        .iter()
        .position(|command| run_of(command) != run_of(first))
    {
        let text = |command: &[u8]| to_text(command).trim().to_owned();
        say(format!(
            "the commands of the runs differ: `{}` in run 1, `{}` in run {}",
            text(first),
            text(&commands[at]),
            at + 1
        ));
    }
}

/// Explains changes, as `diff` does between a run and the one before it.
fn explain(
    trend: &mut Trend<'_>,
    history: &History,
    runs: &[&RunFiles],
    args: &TrendArgs,
    strip: &[u8],
) -> Result<()> {
    let options = args.input.options(Collect::ALL, strip.to_vec());
    let beginnings = trend.beginnings();
    if beginnings.len() > EXPLAINED {
        say(format!(
            "changes begin at {} runs; reasons are given for the first {EXPLAINED}",
            beginnings.len()
        ));
    }
    for at in beginnings.into_iter().take(EXPLAINED) {
        let (Some(before), Some(now)) =
            (at.checked_sub(1).and_then(|at| runs.get(at)), runs.get(at))
        else {
            continue;
        };
        // Inputs that can be read only once were already read.
        if !before
            .files
            .iter()
            .chain(&now.files)
            .all(|file| input::is_lasting(file))
        {
            continue;
        }
        let [old, new] =
            [before, now].map(|run| input::read(&run.files, &options).map_err(inputs::advised));
        let (old, new) = (old?, new?);
        let mut matching =
            Matching::with_threads(&old, &new, &Rules::default(), args.input.threads());
        for events in matching.events_mut() {
            args.input.derive(events, args.show.iter())?;
        }
        let Some(event) = matching.events().find(trend.event.as_bytes()) else {
            continue;
        };
        let selection = Selection::whole(vec![event]);
        let shifts = Shifts::new(&matching);
        let mut known: HashMap<Option<usize>, Vec<String>> = HashMap::new();
        for row in trend.all_mut() {
            for change in row
                .changes
                .iter_mut()
                .filter(|change| change.run == at && change.until.is_none())
            {
                let why = known.entry(row.at).or_insert_with(|| {
                    why(
                        row.at,
                        history,
                        (&matching, &shifts),
                        &selection,
                        event,
                        args,
                    )
                });
                change.why.clone_from(why);
            }
        }
    }
    Ok(())
}

/// Explains the change of one row.
fn why(
    row: Option<usize>,
    history: &History,
    (matching, shifts): (&Matching<'_>, &Shifts),
    selection: &Selection,
    event: Event,
    args: &TrendArgs,
) -> Vec<String> {
    let Some(row) = row.filter(|_| args.by.is_none()) else {
        let largest = Largest::new(matching, event, row.map(|row| (history, row)));
        return largest.iter().map(text::largest).collect();
    };
    let reason = |at| {
        let row = ChangedFunction::new(matching, shifts, selection, at);
        text::reason(&row, matching.events(), event, args.inclusive.cost())
    };
    let why = |at| match history.elsewhere(matching, at, row) {
        Some(elsewhere) => Some(text::elsewhere(&elsewhere)),
        None => reason(at),
    };
    history
        .pair_in(matching, row, event)
        .and_then(why)
        .into_iter()
        .collect()
}
