//! `cgannotate diff OLD NEW`: what became more expensive, what became cheaper, and why.

use super::{
    advice, code,
    console::{say, say_each},
    inputs, named,
    output::{self, Output},
    own, page,
    runs::{self, Bench, SeriesWriter},
};
use crate::{
    analysis::{
        Cost, Selection,
        difference::{
            Difference, Exactness, FileChanges, GroupDifference, LineDifference, Matching, Rules,
            Shifts, doubts,
        },
        doubts::too_large,
        own_profile::{Between, tells_inlined},
    },
    cli::{ByArg, Form},
    env,
    export::{difference_json, flamegraph},
    profile::{Collect, Event, Profile},
    render::{difference::DifferenceReport, screen::ScreenWriter, table},
    request::{Usage, diff::DiffRequest, refuse},
    source::{self, Finder},
    view::{comparison::Changes, inlined, sources::SourceWalk, tables, whole::stacks_since},
};
use anyhow::{Context, Result, bail};
use std::{collections::HashMap, io::Write, path::PathBuf, process::ExitCode};
use termcolor::WriteColor;

/// Compares two runs, or each bench below a folder with its older run. Differences are not a
/// failure.
pub(super) fn run(request: &mut DiffRequest) -> Result<ExitCode> {
    let report = &request.args.report;
    if request.args.flamegraph {
        output::keep_from_terminal(&report.output, "--flamegraph")?;
    }
    let mut out = Output::report(report)?;
    let benches = match &request.new[..] {
        [folder] if folder.is_dir() && !request.old.iter().any(|old| old.exists()) => {
            runs::benches(folder, &request.old, &request.args.input, true)?
        }
        _ => Vec::new(),
    };
    let mut is_cut = false;
    if benches.is_empty() {
        let sides = named::inputs([&request.old, &request.new])?;
        if sides[0].is_empty() {
            bail!(Usage(format!(
                "{}: this folder has no benches",
                request.new[0].display()
            )));
        }
        is_cut = compare(request, sides, &mut out)?;
    } else {
        let (benches, new): (Vec<Bench>, Vec<Bench>) = benches
            .into_iter()
            .partition(|bench| !bench.baseline.is_empty());
        for bench in new {
            say(format!(
                "{}: there is no run to compare it with",
                bench.name
            ));
        }
        if benches.is_empty() {
            bail!("no bench has a run to compare it with");
        }
        let is_picture = request.args.flamegraph && benches.len() > 1;
        refuse([(is_picture, "a flame graph is for one bench")])?;
        let name = benches.last().map_or("", |bench| &bench.name);
        let mut series_writer = SeriesWriter::new(&request.args.report, name, benches.len())?;
        for bench in benches {
            series_writer.begin(&bench.name, &mut out)?;
            let sides = [bench.baseline, bench.files];
            is_cut |= compare(&mut request.clone(), sides, &mut out)?;
        }
        series_writer.end(&mut out)?;
    }
    out.into_inner().finish()?;
    Ok(ExitCode::from(u8::from(is_cut)))
}

/// Reads, matches and compares both sides. Returns whether any of them is truncated.
fn compare(
    request: &mut DiffRequest,
    [old, new]: [Vec<PathBuf>; 2],
    mut out: &mut ScreenWriter<Output>,
) -> Result<bool> {
    let mut files = [&old[..], &new].into_iter();
    let shown = (request.args.report.format, out.surface.terminal);
    let is_asked = request.args.code.inlined;
    request.args.code.inlined |=
        files.all(|files| own::implies_inlined(request.own.as_ref(), shown, files));
    let (request, args) = (&*request, &request.args);
    output::keep_inputs(args.report.output.file(), old.iter().chain(&new))?;
    let mut sides = read(request, [&old, &new])?;
    if args.code.inlined {
        known_of_both(request, &mut sides, is_asked);
    }
    let strip = |profile: &Profile| {
        if args.report.format.is_for_people() {
            source::folder(profile)
        } else {
            Vec::new()
        }
    };
    let [(old, old_folds), (new, new_folds)] = own::fold(
        sides,
        request.own.as_ref(),
        (Between::Calls, false),
        strip,
        |_| Ok(Some(Event::Recorded(0))),
    )?;
    let rules = Rules {
        exactness: if args.exact {
            Exactness::Exact
        } else {
            Exactness::Normalised
        },
        paths: args.mod_filename.clone(),
        functions: args.mod_funcname.clone(),
    };
    let mut matching = Matching::with_threads(&old, &new, &rules, args.input.threads());
    old_folds
        .iter()
        .for_each(|folds| matching.old.know_estimates(folds));
    new_folds
        .iter()
        .for_each(|folds| matching.new.know_estimates(folds));
    for events in matching.events_mut() {
        args.input.derive(events, args.columns.named())?;
    }
    let mut warnings: Vec<String> = new_folds.iter().map(|folds| folds.said.clone()).collect();
    warnings.extend(doubts::doubts(&old, &new));
    if let Some(why) = doubts::incomparable(&old, &new) {
        bail!(why);
    }
    let cut = || {
        [&old, &new]
            .into_iter()
            .any(|side| args.input.status(&side.warnings) != ExitCode::SUCCESS)
    };
    advice::filters_of_either([&old, &new], &request.narrow)?;
    let shifts = Shifts::new(&matching);
    let cost = advice::known(args.inclusive.cost(), &[&old, &new]);
    let selection = select(request, &matching, &shifts, cost)?;
    let totals = matching.sides().map(|side| &side.profile.totals.row[..]);
    warnings.extend(too_large(matching.events(), &totals, &selection.show));
    if args.flamegraph {
        say_each(&warnings);
        let event = selection.sort.first().copied();
        let (event, (stacks, before)) = event
            .and_then(|event| Some((event, stacks_since(&matching, event)?)))
            .context("there are negative costs, so no stacks can be made")?;
        let event = matching.events().name(event);
        flamegraph::write(
            &matching.new.profile,
            &stacks,
            event,
            Some(&before),
            &mut out,
        )?;
        return Ok(cut());
    }
    let functions = Difference::new(&matching, &shifts, &selection, cost);
    // A page compares lines itself.
    let is_page = args.report.format == Form::Page;
    let wants_lines = !is_page && (args.by == ByArg::Line || request.annotates);
    let lines = wants_lines.then(|| LineDifference::new(&matching, &shifts, &selection));
    if rules.exactness == Exactness::Normalised {
        warnings.extend(doubts::unpaired(&matching, selection.first_event()));
    }
    say_each(&warnings);
    let listed_lines = lines.as_ref().filter(|_| args.by == ByArg::Line);
    let groups = args.by.groups();
    let groups = groups.map(|by| GroupDifference::new(&matching, &selection, by));
    let changes = match (&groups, listed_lines) {
        (Some(groups), _) => Changes::Groups(groups),
        (None, Some(lines)) => Changes::Lines(lines),
        (None, None) => Changes::Functions(&functions),
    };
    advice::unchanged(&request.narrow, changes.count());
    match args.report.format {
        Form::Json => {
            let columns = &selection.show;
            difference_json::write(changes, &functions, columns, &warnings, &mut out)?;
        }
        Form::Table(form) => {
            let tables = tables::ChangeLists {
                events: matching.events(),
                selection: &selection,
                has_estimates: new_folds.is_some(),
            };
            match changes {
                Changes::Functions(functions) => {
                    table::write(form, tables.functions(functions), &mut out)?
                }
                Changes::Lines(lines) => table::write(form, tables.lines(lines), &mut out)?,
                Changes::Groups(groups) => table::write(form, tables.groups(groups), &mut out)?,
            }
        }
        Form::Page => {
            let has_sources = request.annotates;
            let wanted = page::PageOptions {
                most: args.report.most(),
                context: args.context,
                sources: &args.source,
                has_sources,
                by: cost,
            };
            let bytes = page::compared((&matching, &shifts), &selection, &wanted, &warnings)?;
            out.write_all(&bytes)?;
        }
        Form::Text => text(
            request,
            (&matching, changes),
            lines.as_ref(),
            &selection,
            out,
        )?,
    }
    Ok(cut())
}

/// Reads both sides. File names stay as recorded if they must decide which code is yours.
fn read(request: &DiffRequest, sides: [&[PathBuf]; 2]) -> Result<[Profile; 2]> {
    let args = &request.args;
    let strip = env::strip(args.report.format.is_for_people() && request.own.is_none());
    let collect = Collect {
        code: args.code.inlined,
        ..Collect::ALL
    };
    let mut profiles = args.input.read_both(sides, collect, &strip)?;
    if args.code.inlined {
        for (profile, files) in profiles.iter_mut().zip(sides) {
            code::inline(profile, files, &args.code.debug_dirs, &args.source.maps);
        }
    }
    Ok(profiles)
}

/// Drops inlined functions unless they are known on both sides. Otherwise they would seem to come
/// or go. If nobody asked for them, says where they are known from.
fn known_of_both(request: &DiffRequest, sides: &mut [Profile; 2], is_asked: bool) {
    let Some(set) = &request.own else { return };
    let known = sides.each_ref().map(|side| tells_inlined(side, set));
    let all = known == [true, true];
    if !is_asked && known[0] == known[1] {
        if sides[1].has_addresses() {
            say(inlined::source(&sides[1]));
        }
    } else if !all {
        let which = match known {
            [false, true] => "of the old run",
            [true, false] => "of the new run",
            _ => "of either run",
        };
        say(format!(
            "inlined code is compared as part of the functions around it: inlined functions {which} are not known"
        ));
        for (side, _) in sides.iter().zip(known).filter(|(_, known)| !known) {
            say_each(inlined::notes(side));
        }
    }
    if !all {
        sides.iter_mut().for_each(|side| side.inlined = None);
    }
}

/// Chooses the events to show and sort by. Without `--show`, text and Markdown show the event that
/// sorts; other formats show all. Without `--sort`, text and Markdown sort by the events of
/// `--show`, else by the first event in which anything changed.
fn select(
    request: &DiffRequest,
    matching: &Matching<'_>,
    shifts: &Shifts,
    cost: Cost,
) -> Result<Selection> {
    let events = matching.events();
    let is_page = request.args.report.format == Form::Page;
    let (columns, people) = (
        &request.args.columns,
        request.args.report.format.is_for_people() && !is_page,
    );
    let mut selection = Selection {
        narrow: request.narrow.clone(),
        ..columns.select(events, request.usual)?
    };
    if columns.sort.is_empty() && people {
        let least = selection.thresholds.first().cloned();
        let of = |sort: Vec<Event>| {
            let mut selection = Selection {
                thresholds: least.iter().cloned().cycle().take(sort.len()).collect(),
                show: sort.clone(),
                sort,
                ..selection.clone()
            };
            selection.without_ratio_thresholds();
            selection
        };
        selection = if columns.show.is_empty() {
            let (first, others) = selection.sort.split_at(selection.sort.len().min(1));
            let others = others.iter().filter(|&&event| matching.has_changed(event));
            let mut all = first.iter().chain(others).map(|&event| of(vec![event]));
            all.find(|one| has_changed(request, matching, shifts, cost, one))
                .unwrap_or_else(|| of(first.to_vec()))
        } else {
            of(selection.show.clone())
        };
    } else if columns.show.is_empty() {
        selection.show = if people {
            selection.sort.iter().take(1).copied().collect()
        } else {
            events.all().collect()
        };
    }
    Ok(selection)
}

/// Whether anything that is compared changed.
fn has_changed(
    request: &DiffRequest,
    matching: &Matching<'_>,
    shifts: &Shifts,
    cost: Cost,
    selection: &Selection,
) -> bool {
    if let Some(by) = request.args.by.groups() {
        return GroupDifference::new(matching, selection, by).frame.changed > 0;
    }
    let of_functions = request.args.by != ByArg::Line && !request.annotates;
    // Usually the self cost of some function changed, which is fast to find.
    if selection.narrow.is_nothing()
        && selection
            .sort
            .iter()
            .any(|&event| matching.has_changed(event))
    {
        return true;
    }
    let frame = if of_functions {
        Difference::new(matching, shifts, selection, cost).frame
    } else {
        LineDifference::new(matching, shifts, selection).frame
    };
    frame.changed > 0
}

fn text(
    request: &DiffRequest,
    (matching, changes): (&Matching<'_>, Changes<'_>),
    lines: Option<&LineDifference<'_>>,
    selection: &Selection,
    out: &mut ScreenWriter<Output>,
) -> Result<()> {
    let recorded: Vec<Event> = matching.events().stored().collect();
    let totals = if request.args.columns.show.is_empty() {
        &recorded
    } else {
        &selection.show
    };
    let shares = request.args.columns.show_percs.is_yes();
    let (events, surface) = (matching.events(), out.surface);
    let mut report = DifferenceReport::new(out, events, selection, totals, shares, surface);
    report.page(matching, changes)?;
    if let Some(lines) = lines.filter(|_| request.annotates) {
        let listed = match changes {
            Changes::Functions(functions) if !selection.narrow.is_nothing() => {
                Some(&functions.listed[..])
            }
            _ => None,
        };
        annotate(
            request,
            &matching.new.original,
            &lines.files(listed),
            &mut report,
        )?;
    }
    report.finish()?;
    Ok(())
}

/// Annotates the new run's sources with changes next to their lines.
fn annotate(
    request: &DiffRequest,
    new: &Profile,
    files: &[FileChanges<'_>],
    report: &mut DifferenceReport<'_, impl WriteColor>,
) -> Result<()> {
    let finder = Finder::new(request.args.source.paths(&new.inputs, &new.carried));
    let chosen: Vec<&[u8]> = files.iter().map(|file| file.name).collect();
    let changes: HashMap<&[u8], &FileChanges<'_>> =
        files.iter().map(|file| (file.name, file)).collect();
    let mut sources = SourceWalk::new(&finder, &[], &chosen, |name| changes.get(name).copied());
    while let Some(section) = sources
        .next_section(inputs::say_ambiguous)
        .map_err(inputs::advised_source)?
    {
        report.section(&section, request.args.context)?;
    }
    let unread = sources.unread;
    if !unread.is_empty() {
        report.not_found(&unread, finder.toolchains())?;
    }
    Ok(())
}
