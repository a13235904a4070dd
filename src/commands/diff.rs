//! `cgannotate diff OLD NEW`: what got dearer, what cheaper, and why.

use super::console::Console;
use super::inputs;
use super::output::Output;
use super::{advice, code, named, output, own, page};
use crate::analysis::difference::doubts::{self, Run, Unpaired};
use crate::analysis::difference::{
    Cost, Difference, Exactness, FileChanges, GroupDifference, LineDifference, Matching, Shifts,
};
use crate::analysis::doubts::too_large;
use crate::analysis::own_profile::{Between, tells_inlined};
use crate::analysis::{Folds, Selection, growth, selection};
use crate::export::difference_json::{self, Document};
use crate::profile::{Collect, Event, Profile};
use crate::render::difference::{DifferenceReport, TextOptions};
use crate::render::screen::Screen;
use crate::render::table;
use crate::request::Form;
use crate::request::diff::{Annotated, Request, Rows};
use crate::source::{self, Finder, SourceError};
use crate::view::comparison::{Changes, Comparison};
use crate::view::inlined;
use crate::view::sources::{SourceWalk, Wanted};
use crate::view::tables::{self, Bounds};
use anyhow::{Result, bail};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use termcolor::WriteColor;

/// Reads both sides, matches them, compares, prints. That there are differences is no failure.
pub(super) fn run(request: &Request, console: &Console) -> Result<ExitCode> {
    let mut out = Output::screen(&request.to, request.look, request.form.into(), console)?;
    if matches!(request.form, Form::Page(_)) {
        output::keep_from_terminal(&request.to, "--format=html")?;
    }
    let [old, new] = named::inputs([&request.old, &request.new], console)?;
    output::keep_inputs(request.to.file(), old.iter().chain(&new))?;
    let mut sides = read(request, [&old, &new], console)?;
    if request.inlined {
        known_of_both(request, &mut sides, console);
    }
    let [old, new] = sides;
    if let Some(set) = &request.own {
        own::mistyped(set, &[&old, &new], console);
    }
    let (old, old_folds) = own_code(request, old)?;
    let (new, new_folds) = own_code(request, new)?;
    check_own(request, [(&old, &old_folds), (&new, &new_folds)], console)?;
    let mut matching =
        Matching::with_threads(&old, &new, &request.rules, request.reading.threads());
    old_folds
        .iter()
        .for_each(|folds| matching.old.know_estimates(folds));
    new_folds
        .iter()
        .for_each(|folds| matching.new.know_estimates(folds));
    for events in matching.events_mut() {
        inputs::derive(events, &request.reading, request.columns.named())?;
    }
    let mut warnings: Vec<String> = new_folds.iter().map(|folds| folds.said.clone()).collect();
    warnings.extend(doubts::doubts(&old, &new));
    if let Some(why) = doubts::incomparable(&old, &new) {
        bail!(why);
    }
    advice::filters_of_either([&old, &new], &request.narrow)?;
    let shifts = Shifts::new(&matching);
    let cost = advice::known(request.cost, &[&old, &new], console);
    let selection = select(request, &matching, &shifts, cost)?;
    let totals = [&matching.old, &matching.new].map(|side| &side.profile.totals.row[..]);
    warnings.extend(too_large(matching.events(), &totals, &selection.show));
    let functions = Difference::new(&matching, &shifts, &selection, cost);
    // A page compares lines itself.
    let is_page = matches!(request.form, Form::Page(_));
    let wants_lines =
        !is_page && (request.rows == Rows::Lines || request.annotated == Annotated::Changed);
    let lines = wants_lines.then(|| LineDifference::new(&matching, &shifts, &selection));
    if request.rules.exactness == Exactness::Normalised {
        let shares = selection
            .sort
            .first()
            .and_then(|&event| doubts::unpaired(&matching, event));
        warnings.extend(shares.map(|shares| {
            let substituted = !request.rules.functions.is_empty();
            unpaired(
                shares,
                if substituted {
                    None
                } else {
                    doubts::with_callers(&old, &new)
                },
            )
        }));
    }
    warnings.iter().for_each(|warning| console.say(warning));
    let listed_lines = lines.as_ref().filter(|_| request.rows == Rows::Lines);
    let groups = match request.rows {
        Rows::Groups(by) => Some(GroupDifference::new(&matching, &selection, by)),
        Rows::Functions | Rows::Lines => None,
    };
    let changes = match (&groups, listed_lines) {
        (Some(groups), _) => Changes::Groups(groups),
        (None, Some(lines)) => Changes::Lines(lines),
        (None, None) => Changes::Functions(&functions),
    };
    advice::unchanged(&request.narrow, changes.count(), console);
    match request.form {
        Form::Json => {
            let growth = growth::compare(&old, &new);
            let document = Document {
                functions: &functions,
                lines: listed_lines,
                groups: groups.as_ref(),
                growth: &growth,
                columns: &selection.show,
                warnings: &warnings,
            };
            difference_json::write(&document, &mut out)?;
        }
        Form::Table(form) => {
            let bounds = if new_folds.is_some() {
                Bounds::Shown
            } else {
                Bounds::None
            };
            let tables = tables::Changes {
                events: matching.events(),
                selection: &selection,
                bounds,
            };
            match changes {
                Changes::Functions(functions) => {
                    table::write(form, tables.functions(functions), &mut out)?
                }
                Changes::Lines(lines) => table::write(form, tables.lines(lines), &mut out)?,
                Changes::Groups(groups) => table::write(form, tables.groups(groups), &mut out)?,
            }
        }
        Form::Page(most) => {
            let has_sources = request.annotated == Annotated::Changed;
            let wanted = page::Wanted {
                most,
                sources: &request.sources,
                has_sources,
                by: cost,
            };
            let bytes = page::compared(
                (&matching, &shifts),
                &selection,
                &wanted,
                &warnings,
                console,
            )?;
            out.write_all(&bytes)?;
        }
        Form::Text => text(
            request,
            (&matching, changes),
            lines.as_ref(),
            &selection,
            console,
            &mut out,
        )?,
    }
    out.into_inner().finish()?;
    let cut = [&old, &new]
        .into_iter()
        .any(|side| inputs::status(&side.warnings, &request.reading) != ExitCode::SUCCESS);
    Ok(ExitCode::from(u8::from(cut)))
}

/// Says that names may have changed, and how they are brought together.
fn unpaired(shares: Unpaired, with_callers: Option<Run>) -> String {
    let (with, without) = match with_callers {
        None => {
            return format!(
                "{shares}; if names changed, --mod-funcname and --mod-filename bring them together"
            );
        }
        Some(Run::Old) => ("old", "new"),
        Some(Run::New) => ("new", "old"),
    };
    format!(
        "{shares}: those of the {with} run have their callers in their names (--separate-callers), those of the {without} \
         run have not; --mod-funcname \"s/'.*//\" brings them together"
    )
}

/// Reads both sides. Whose cost it is, is decided from file names as they were recorded.
fn read(request: &Request, sides: [&[PathBuf]; 2], console: &Console) -> Result<[Profile; 2]> {
    let is_plain = request.form.is_for_people() && request.own.is_none();
    let strip = if is_plain {
        source::current_directory()
    } else {
        Vec::new()
    };
    let collect = Collect {
        code: request.inlined,
        ..Collect::ALL
    };
    let mut profiles = inputs::read_both(sides, (&request.reading, console), collect, &strip)?;
    if request.inlined {
        for (profile, files) in profiles.iter_mut().zip(sides) {
            code::inline(
                profile,
                files,
                &request.debug_dirs,
                &request.sources.maps,
                console,
            )?;
        }
    }
    Ok(profiles)
}

/// What is inlined must be known of both sides: a function that is inlined would seem to come or go.
fn known_of_both(request: &Request, sides: &mut [Profile; 2], console: &Console) {
    let Some(set) = &request.own else { return };
    let known = [&sides[0], &sides[1]].map(|side| tells_inlined(side, set));
    if known == [true, true] {
        return;
    }
    let which = match known {
        [false, true] => "of the old run",
        [true, false] => "of the new run",
        _ => "of either run",
    };
    console
        .say(&format!("inlined code is compared in the functions around it: it is not known {which} what was inlined"));
    for (side, _) in sides.iter_mut().zip(known).filter(|(_, known)| !known) {
        inlined::notes(side)
            .iter()
            .for_each(|note| console.say(note));
    }
    sides.iter_mut().for_each(|side| side.inlined = None);
}

/// A side, or what is own code of it, with what is known of that beside its costs.
fn own_code(request: &Request, profile: Profile) -> Result<(Profile, Option<Folds>)> {
    let Some(set) = &request.own else {
        return Ok((profile, None));
    };
    own::check(&profile)?;
    let strip = if request.form.is_for_people() {
        source::folder(&profile)
    } else {
        Vec::new()
    };
    let (profile, folds) = Folds::new(profile, set, Between::Calls, &strip);
    Ok((profile, Some(folds)))
}

/// Refuses runs without any own code, and says what is worth a word of it.
fn check_own(
    request: &Request,
    sides: [(&Profile, &Option<Folds>); 2],
    console: &Console,
) -> Result<()> {
    let Some(set) = &request.own else {
        return Ok(());
    };
    let sides = sides.map(|(profile, folds)| Some((profile, folds.as_ref()?)));
    own::refuse_nothing(
        set,
        sides.iter().flatten().map(|(_, folds)| folds.count).sum(),
    )?;
    for (profile, folds) in sides.into_iter().flatten() {
        own::remarks(folds, profile, Some(Event::Recorded(0)), console);
    }
    Ok(())
}

/// Without `--show`, the text has the event that sorts, JSON and pages all. Without `--sort` that is the first in which
/// anything changed of what is compared, or else what is shown.
fn select(
    request: &Request,
    matching: &Matching<'_>,
    shifts: &Shifts,
    cost: Cost,
) -> Result<Selection> {
    let events = matching.events();
    let is_page = matches!(request.form, Form::Page(_));
    let (columns, people) = (&request.columns, request.form.is_for_people() && !is_page);
    let mut selection = Selection {
        narrow: request.narrow.clone(),
        ..columns.select(events)?
    };
    if columns.sort.is_empty() && people {
        let least = selection.thresholds.first().cloned();
        let of = |sort: Vec<Event>| Selection {
            thresholds: least.iter().cloned().cycle().take(sort.len()).collect(),
            show: sort.clone(),
            sort,
            ..selection.clone()
        };
        selection = match columns.show.is_empty() {
            true => {
                let (first, others) = selection.sort.split_at(selection.sort.len().min(1));
                let others = others.iter().filter(|&&event| matching.has_changed(event));
                let mut all = first.iter().chain(others).map(|&event| of(vec![event]));
                all.find(|one| has_changed(request, matching, shifts, cost, one))
                    .unwrap_or_else(|| of(first.to_vec()))
            }
            false => of(selection.show.clone()),
        };
    } else if columns.show.is_empty() {
        selection.show = if people {
            selection.sort.iter().take(1).copied().collect()
        } else {
            selection::all(events).collect()
        };
    }
    Ok(selection)
}

/// Whether anything changed of what is compared.
fn has_changed(
    request: &Request,
    matching: &Matching<'_>,
    shifts: &Shifts,
    cost: Cost,
    selection: &Selection,
) -> bool {
    if let Rows::Groups(by) = request.rows {
        return GroupDifference::new(matching, selection, by).changed > 0;
    }
    let of_functions = request.rows != Rows::Lines && request.annotated != Annotated::Changed;
    // Mostly some function's self cost did, which is soon found.
    if selection.narrow.is_nothing()
        && selection
            .sort
            .iter()
            .any(|&event| matching.has_changed(event))
    {
        return true;
    }
    match of_functions {
        true => Difference::new(matching, shifts, selection, cost).changed > 0,
        false => LineDifference::new(matching, shifts, selection).changed > 0,
    }
}

fn text(
    request: &Request,
    (matching, changes): (&Matching<'_>, Changes<'_>),
    lines: Option<&LineDifference<'_>>,
    selection: &Selection,
    console: &Console,
    out: &mut Screen<Output<'_>>,
) -> Result<()> {
    let recorded: Vec<Event> = (0..matching.events().recorded().len())
        .map(Event::Recorded)
        .collect();
    let totals = if request.columns.show.is_empty() {
        &recorded
    } else {
        &selection.show
    };
    let shares = request.columns.percentages.are_shown();
    let options = TextOptions {
        selection,
        totals,
        shares,
        surface: out.surface(),
    };
    let mut report = DifferenceReport::new(out, matching.events(), options);
    report.page(&Comparison::new(matching, changes))?;
    if let Some(lines) = lines.filter(|_| request.annotated == Annotated::Changed) {
        let listed = match changes {
            Changes::Functions(functions) if !selection.narrow.is_nothing() => {
                Some(functions.listed())
            }
            _ => None,
        };
        annotate(
            request,
            matching.new.original,
            &lines.files(listed),
            console,
            &mut report,
        )?;
    }
    report.finish()?;
    Ok(())
}

/// The new run's sources with the changes beside their lines.
fn annotate(
    request: &Request,
    new: &Profile,
    files: &[FileChanges<'_>],
    console: &Console,
    report: &mut DifferenceReport<'_, impl WriteColor>,
) -> Result<()> {
    let finder = Finder::new(request.sources.of(&new.inputs, &new.carried));
    let recorded = finder.recorded();
    let chosen = files.iter().map(|file| file.name).collect();
    let changes: HashMap<&[u8], &FileChanges<'_>> =
        files.iter().map(|file| (file.name, file)).collect();
    let wanted = Wanted {
        chosen,
        named: &[],
        finder: &finder,
        recorded,
    };
    let mut sources = SourceWalk::new(wanted, |name| changes.get(name).copied());
    let ambiguous = |name: &[u8], why: &SourceError| inputs::say_ambiguous(name, why, console);
    while let Some(section) = sources
        .next_section(ambiguous)
        .map_err(inputs::advised_source)?
    {
        report.section(&section, request.sources.context)?;
    }
    let unread = sources.into_unread();
    if !unread.is_empty() && report.is_on_terminal() {
        report.not_found_by_root(&unread.groups(finder.toolchains()))?;
    } else if !unread.is_empty() {
        report.not_found(&unread.lines())?;
    }
    Ok(())
}
