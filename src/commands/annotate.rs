//! `cgannotate PROFILE`: the report.

use super::named::Named;
use super::output::Output;
use super::{Usage, advice, aprof, complain, help, inputs};
use crate::analysis::difference::Cost;
use crate::analysis::{Inclusive, OrderedProfile, Selection, Session};
use crate::cli::AnnotateArgs;
use crate::compat;
use crate::export::json;
use crate::profile::{Calls, Collect, Events, Format, Profile};
use crate::render::screen::Screen;
use crate::render::table;
use crate::render::text::{TextOptions, TextReport};
use crate::request::Form;
use crate::request::annotate::{Annotated, Functions, Page, Request, Times};
use crate::source::{self, Finder};
use crate::view::first_screen::FirstScreen;
use crate::view::line_list::LineList;
use crate::view::page::{List, Page as Sheet};
use crate::view::sources::{self, Coverage, Sources, Wanted};
use crate::view::tables::Lists;
use crate::view::zoom::{self, Zoom};
use crate::view::{About, By, FileCosts, Files, Groups, Listing};
use anyhow::{Result, anyhow, bail};
use std::collections::HashMap;
use std::process::ExitCode;
use termcolor::WriteColor;

/// What reports are written to.
type Out = Screen<Output>;

/// Reads, analyses, prints.
pub(super) fn run(args: &AnnotateArgs) -> Result<ExitCode> {
    let request = Request::new(args)?;
    match request.page {
        Page::Generate(what) => return without_profile(&request, |out| help::generate(what, out)),
        Page::KnownEvents => return without_profile(&request, |out| help::events(None, out)),
        _ => {}
    }
    advice::command(&request)?;
    let named = Named::new(&request)?;
    let mut out = Output::screen(&request.to, request.look, request.form.into())?;
    let status = match (request.form, &request.page) {
        (_, &Page::Original(functions)) => original(&request, functions, &named, &mut out)?,
        (Form::Text, _) => text(&request, &named, &mut out)?,
        (Form::Json, _) => document(&request, &named, &mut out)?,
        (Form::Table(form), _) => table(&request, form, &named, &mut out)?,
    };
    out.into_inner().finish()?;
    Ok(status)
}

/// Answers a question about the program itself.
fn without_profile(request: &Request, answer: impl FnOnce(&mut Output) -> Result<()>) -> Result<ExitCode> {
    let mut out = Output::open(&request.to)?;
    answer(&mut out)?;
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The report for people: of the sum of all inputs, or one of each share.
fn text(request: &Request, named: &Named, out: &mut Out) -> Result<ExitCode> {
    let finder = Finder::new(request.sources.of(&named.profiles));
    sources::check(&finder, &named.sources)?;
    let how = (collect(request, named, out), source::current_directory());
    inputs::report_each(&named.profiles, &request.reading, how, request.split, |profile, _| {
        report(request, named, &finder, profile, out)
    })
}

/// Whether somebody at a terminal asks for nothing in particular: they want to know what is hot.
fn is_first_look(request: &Request, named: &Named, out: &Out) -> bool {
    request.page == Page::Unsaid && out.surface().terminal && named.sources.is_empty()
}

/// Whether any source is annotated.
fn annotates(request: &Request, named: &Named) -> bool {
    request.annotated == Annotated::Listed || !named.sources.is_empty()
}

/// What has to be read for a page.
fn collect(request: &Request, named: &Named, out: &Out) -> Collect {
    let (annotates, first_look) = (annotates(request, named), is_first_look(request, named, out));
    let calls = match request.page {
        _ if annotates => Calls::Sites,
        Page::Functions(functions) if functions != Functions::PLAIN => Calls::Arcs,
        _ => Calls::None,
    };
    match request.page {
        Page::Zoom { .. } => Collect::ALL,
        _ if first_look => Collect::ALL,
        Page::Groups(By::File) => Collect { lines: true, calls },
        _ => Collect { lines: annotates, calls },
    }
}

/// The report on one profile: its page, then its sources.
fn report(request: &Request, named: &Named, finder: &Finder, mut profile: Profile, out: &mut Out) -> Result<()> {
    if counts_time(&profile) && out.surface().terminal && request.times == Times::Durations {
        profile.events.show_durations();
    }
    let mut selection = select(request, &mut profile.events)?;
    if profile.sizes.is_some() && !matches!(request.page, Page::Groups(_)) {
        return aprof::report(request, &profile, &selection, out);
    }
    if request.page == Page::Events {
        return help::events(Some(&profile.events), out);
    }
    let first_look = is_first_look(request, named, out);
    advice::doubts(&profile, &selection, request, first_look);
    if !first_look {
        advice::columns(&profile, &mut selection, request, out.surface());
    } else if request.columns.sort.is_empty() {
        selection.begin_with_cost(&profile.events, &profile.totals.row);
    }
    let session = Session::new(profile);
    let (page, function) = if first_look {
        let above = super::lines_said();
        inclusive(&session);
        let screen = FirstScreen::new(&session, &selection, finder, out.surface(), above, &named.profiles);
        (Sheet::FirstScreen(Box::new(screen)), None)
    } else {
        page(request, &session, &selection)?
    };
    let options = options(request, &selection, named, finder, out);
    let mut text = TextReport::new(out, &session.profile().events, options);
    text.page(&page)?;
    let profile = session.profile();
    match function {
        _ if first_look || !annotates(request, named) => {}
        Some(_) if request.annotated == Annotated::Named => {}
        Some(id) => {
            let files = zoom::files(profile, &selection, session.inclusive(), id);
            let chosen = files.iter().map(|file| file.name).collect();
            let by_name: HashMap<&[u8], &FileCosts> = files.iter().map(|file| (file.name, file)).collect();
            let costs = |name: &[u8]| by_name.get(name).copied().cloned();
            annotate(request, named, finder, chosen, costs, session.inclusive().cost(id), &mut text)?;
        }
        None => {
            let files = Files::new(profile);
            let mut chosen = if request.annotated == Annotated::Listed { files.chosen(&selection) } else { Vec::new() };
            chosen.extend(
                named.sources.iter().filter_map(|name| profile.names.find(name.as_os_str().as_encoded_bytes())),
            );
            chosen.sort_unstable();
            chosen.dedup();
            let chosen = files.in_order(chosen, &selection).into_iter().map(|id| profile.name(id)).collect();
            let costs = |name: &[u8]| files.costs(profile.names.find(name)?, &selection);
            annotate(request, named, finder, chosen, costs, &profile.totals.row, &mut text)?;
        }
    }
    text.finish()?;
    Ok(())
}

/// The page that was asked for, and the function that it is about, if it is about one.
fn page<'a>(
    request: &Request,
    session: &'a Session,
    selection: &'a Selection,
) -> Result<(Sheet<'a>, Option<crate::profile::FunctionId>)> {
    let profile = session.profile();
    let totals = &profile.totals;
    if let Page::Zoom { pattern, depth } = &request.page {
        let id = advice::zoomed(pattern, request, profile, selection, inclusive(session))?;
        let zoom = Box::new(Zoom::new(profile, selection, session.inclusive(), id, *depth));
        return Ok((Sheet::Zoom { zoom, totals }, Some(id)));
    }
    let list = match request.page {
        Page::Groups(by) => List::Groups { groups: Groups::new(profile, selection, by), totals },
        Page::Functions(functions) => List::Functions(listing(session, selection, functions)),
        _ => List::Functions(listing(session, selection, Functions::PLAIN)),
    };
    advice::filters(profile, selection, list.len());
    if let List::Groups { groups, .. } = &list {
        advice::classes(groups);
    }
    Ok((Sheet::List { about: About::new(profile), list }, None))
}

fn listing<'a>(session: &'a Session, selection: &Selection, functions: Functions) -> Listing<'a> {
    if functions.cost == Cost::Inclusive {
        inclusive(session);
    }
    Listing::new(session, selection, functions.cost, functions.tree)
}

/// Inclusive costs, with a warning where they do not fit.
fn inclusive(session: &Session) -> &Inclusive {
    let inclusive = session.inclusive();
    if inclusive.saturated {
        complain("an inclusive cost does not fit in 64 bits; the limit stands for it");
    }
    inclusive
}

/// Whether events are Xdebug's, whose names tell in which unit it counts time.
fn counts_time(profile: &Profile) -> bool {
    let by_xdebug = || profile.parts.iter().all(|part| part.creator.is_empty() || part.creator.starts_with(b"xdebug"));
    match profile.format {
        Format::Xdebug => true,
        Format::Webgrind => by_xdebug(),
        Format::Callgrind | Format::Cachegrind | Format::Aprof | Format::Baseline => false,
    }
}

/// What to show and how to order it. The events that were asked for become events of the profile.
fn select(request: &Request, events: &mut Events) -> Result<Selection> {
    inputs::derive(events, &request.reading, request.columns.named())?;
    let mut selection = request.columns.select(events)?;
    selection.narrow = request.narrow.clone();
    if request.columns.show.is_empty() {
        selection.show.extend(request.reading.events.iter().filter_map(|d| events.find(&d.name)));
    }
    Ok(selection)
}

fn options<'a>(
    request: &Request,
    selection: &'a Selection,
    named: &'a Named,
    finder: &'a Finder,
    out: &Out,
) -> TextOptions<'a> {
    TextOptions {
        selection,
        shares: request.columns.percentages.are_shown(),
        include: finder.include(),
        user_files: &named.sources,
        auto: request.annotated == Annotated::Listed,
        surface: out.surface(),
        names: request.look.names,
    }
}

/// The sources that were named and those that the costs chose, one by one, and what could not be shown.
fn annotate<'a>(
    request: &Request,
    named: &'a Named,
    finder: &'a Finder,
    chosen: Vec<&'a [u8]>,
    costs_of: impl Fn(&[u8]) -> Option<FileCosts<'a>>,
    totals: &'a [i64],
    text: &mut TextReport<'a, impl WriteColor>,
) -> Result<()> {
    let recorded = named.profiles.iter().filter_map(source::modified).min();
    let mut sources = Sources::new(Wanted { chosen, named: &named.sources, finder, recorded }, costs_of);
    let mut coverage = Coverage::default();
    while let Some(section) = sources.next_section(complain)? {
        text.section(&section, request.sources.context, totals)?;
        coverage.add(&section);
    }
    let unread = sources.into_unread();
    let is_original = matches!(request.page, Page::Original(_));
    if !unread.is_empty() && !is_original && text.is_on_terminal() {
        text.not_found_by_root(&unread.groups(finder.toolchains()))?;
    } else if !unread.is_empty() {
        text.not_found(&unread.lines())?;
    }
    if let Some(covered) = coverage.of(totals) {
        text.covered(&covered)?;
    }
    Ok(())
}

/// The whole profile as a document for programs. File names stay as they are in the profile.
fn document(request: &Request, named: &Named, out: &mut Out) -> Result<ExitCode> {
    // Sources are no part of the document, but what is not there may have been meant as a profile.
    for name in &named.sources {
        std::fs::metadata(name).map_err(|e| anyhow!("{}: {e}", name.display()))?;
    }
    let by_inclusive = matches!(request.page, Page::Functions(Functions { cost: Cost::Inclusive, .. }));
    let how = (Collect::ALL, Vec::new());
    inputs::report_each(&named.profiles, &request.reading, how, request.split, |mut profile, share| {
        let selection = select(request, &mut profile.events)?;
        let session = Session::new(profile);
        let whole = OrderedProfile::new(session.profile(), &selection, inclusive(&session), by_inclusive);
        advice::filters(session.profile(), &selection, whole.functions.len());
        json::write(&whole, share, &mut *out)?;
        Ok(())
    })
}

/// One list as a table.
fn table(request: &Request, form: table::Form, named: &Named, out: &mut Out) -> Result<ExitCode> {
    if let Some(source) = named.sources.first() {
        bail!(Usage(format!("{}: sources are annotated in the text report", source.display())));
    }
    let functions = match request.page {
        Page::Functions(functions) => functions,
        _ => Functions::PLAIN,
    };
    let collect = Collect {
        lines: matches!(request.page, Page::Lines | Page::Groups(By::File)),
        calls: if functions.cost == Cost::Inclusive { Calls::Arcs } else { Calls::None },
    };
    let strip = if request.form.is_for_people() { source::current_directory() } else { Vec::new() };
    let mut profile = inputs::read(&named.profiles, &request.reading, collect, strip)?;
    let selection = select(request, &mut profile.events)?;
    let status = inputs::status(&profile.warnings, &request.reading);
    let session = Session::new(profile);
    let profile = session.profile();
    let shares = request.columns.percentages.are_shown();
    let lists = Lists { profile, selection: &selection, shares };
    match request.page {
        Page::Groups(by) => {
            let groups = Groups::new(profile, &selection, by);
            advice::filters(profile, &selection, groups.rows.len());
            table::write(form, lists.groups(&groups), &mut *out)?;
        }
        Page::Lines => {
            let list = LineList::new(profile, &selection);
            advice::filters(profile, &selection, list.lines.len());
            table::write(form, lists.lines(&list), &mut *out)?;
        }
        _ if profile.sizes.is_some() => aprof::table(request, form, profile, &selection, &mut *out)?,
        Page::Zoom { .. } => bail!(Usage("--zoom is for the text report, and for tables of aprof's reports".into())),
        _ => {
            let listing = listing(&session, &selection, functions);
            advice::filters(profile, &selection, listing.rows.len());
            table::write(form, lists.functions(&listing), &mut *out)?;
        }
    }
    Ok(status)
}

/// The same report with the original's numbers.
fn original(request: &Request, functions: Functions, named: &Named, out: &mut Out) -> Result<ExitCode> {
    if let Some(second) = named.profiles.get(1) {
        bail!("--compat reads one profile, and {} is another", second.display());
    }
    let finder = Finder::new(request.sources.of(&named.profiles));
    sources::check(&finder, &named.sources)?;
    // The original strips the current directory from some names only; so does the ledger.
    let reading = request.reading.options(Collect::ALL, Vec::new());
    let strip = source::current_directory();
    let mut ledger = compat::read(&named.profiles[0], functions.cost == Cost::Inclusive, &strip, &reading)?;
    inputs::report_warnings(ledger.warnings(), &request.reading)?;
    let selection = select(request, ledger.events_mut())?;
    let listing = ledger.listing(&selection, functions.tree);
    let part = ledger.part();
    let about = About::original(&part, &named.profiles[0]);
    let options = options(request, &selection, named, &finder, out);
    let mut text = TextReport::new(out, ledger.events(), options);
    let mut chosen = if request.annotated == Annotated::Listed { ledger.chosen(&listing) } else { Vec::new() };
    text.page(&Sheet::List { about, list: List::Functions(listing) })?;
    if annotates(request, named) {
        let known = named
            .sources
            .iter()
            .map(|name| name.as_os_str().as_encoded_bytes())
            .filter(|name| ledger.costs(name, &selection).is_some());
        chosen.extend(known);
        chosen.sort_unstable();
        chosen.dedup();
        let chosen = ledger.in_order(chosen, &selection);
        let costs = |name: &[u8]| ledger.costs(name, &selection);
        annotate(request, named, &finder, chosen, costs, ledger.totals(), &mut text)?;
    }
    text.finish()?;
    Ok(inputs::status(ledger.warnings(), &request.reading))
}
