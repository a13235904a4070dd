//! `cgannotate PROFILE`: the report.

use super::output::Output;
use super::{Usage, advice, aprof, complain, inputs, words};
use crate::analysis::{Inclusive, Selection, Whole};
use crate::cli::{AnnotateArgs, ByArg, FormatArg, InputFormatArg, NamesArg, TreeArg};
use crate::compat;
use crate::export::json;
use crate::input;
use crate::profile::costs::extend_with;
use crate::profile::{Calls, Collect, Events, Format, Profile};
use crate::render::lists::Lists;
use crate::render::overview;
use crate::render::screen::Screen;
use crate::render::text::{NameForm, TextOptions, TextReport};
use crate::request::annotate::{Page, Request};
use crate::request::{Form, Reading};
use crate::source::missing::Unread;
use crate::source::{self, Finder, SourceError};
use crate::view::line_list::LineList;
use crate::view::overview::Overview;
use crate::view::zoom::Zoom;
use crate::view::{About, FileCosts, Files, Groups, Listing};
use anyhow::{Context, Result, anyhow, bail};
use std::collections::HashSet;
use std::process::ExitCode;
use std::time::SystemTime;
use termcolor::WriteColor;

/// Reads, analyses, prints.
pub(super) fn run(args: &AnnotateArgs) -> Result<ExitCode> {
    let request = Request::new(args)?;
    if let Page::Generate(what) = request.page {
        return without_profile(&request, |out| words::generate(what, out));
    }
    if request.page == Page::KnownEvents {
        return without_profile(&request, |out| words::events(None, out));
    }
    advice::command(args)?;
    let inputs = Inputs::new(args)?;
    let mut out = Output::screen(&request.to, request.look, request.form.into())?;
    let status = match (args.format, args.compat) {
        (FormatArg::Text, false) => report(args, &inputs, &mut out)?,
        (FormatArg::Text, true) => compat_report(args, &inputs, &mut out)?,
        (FormatArg::Json, false) => json_report(args, &inputs, &mut out)?,
        (FormatArg::Csv | FormatArg::Tsv | FormatArg::Markdown, false) => table(args, &inputs, &mut out)?,
        (_, true) => bail!(Usage("--compat prints the classic report and nothing else".into())),
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

/// The lines of a terminal that does not say how many it has.
const SCREEN: usize = 24;

/// What reports are written to.
type Paper = Screen<Output>;

/// What the arguments name.
struct Inputs {
    profiles: Vec<String>,
    sources: Vec<String>,
}

impl Inputs {
    /// The first argument is a profile, and so is every later one that is by its content; the rest are sources. Without
    /// any, the newest profile in this folder.
    fn new(args: &AnnotateArgs) -> Result<Inputs> {
        let files = inputs::names(&args.files)?;
        let Some((first, rest)) = files.split_first() else {
            let newest = newest_profile().context(
                "no profile is named, and there is no callgrind.out.* or cachegrind.out.* in this folder; \
                 `valgrind --tool=callgrind PROGRAM` writes one",
            )?;
            complain(&format!("reading {newest}, the newest profile in this folder"));
            return Ok(Inputs { profiles: vec![newest], sources: Vec::new() });
        };
        let given = args.input.input_format.and_then(InputFormatArg::format).is_some();
        let (mut profiles, mut sources): (Vec<String>, Vec<String>) =
            rest.iter().cloned().partition(|name| !args.compat && (given || input::is_profile(name)));
        profiles.insert(0, first.clone());
        let mut named = HashSet::new();
        sources.retain(|name| named.insert(name.clone()));
        Ok(Inputs { profiles, sources })
    }
}

/// The newest `callgrind.out.*` in this folder, else the newest `cachegrind.out.*`.
fn newest_profile() -> Option<String> {
    let mut found: Vec<(bool, SystemTime, String)> = std::fs::read_dir(".")
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let callgrind = name.starts_with("callgrind.out");
            let meta = entry.metadata().ok().filter(|m| m.is_file())?;
            (callgrind || name.starts_with("cachegrind.out")).then_some((callgrind, meta.modified().ok()?, name))
        })
        .collect();
    found.sort();
    found.pop().map(|(_, _, name)| name)
}

/// What to show and how to order it. The events that were asked for become events of the profile.
fn selection(args: &AnnotateArgs, events: &mut Events) -> Result<Selection> {
    let request = Request::new(args)?;
    inputs::derive(events, &request.reading, request.columns.named())?;
    let mut selection = request.columns.select(events)?;
    selection.narrow = request.narrow;
    if args.show.is_empty() {
        selection.show.extend(args.input.events.iter().filter_map(|d| events.find(&d.name)));
    }
    Ok(selection)
}

fn text_options<'a>(
    args: &AnnotateArgs,
    selection: &'a Selection,
    inputs: &'a Inputs,
    finder: &'a Finder,
    out: &Paper,
) -> TextOptions<'a> {
    TextOptions {
        selection,
        shares: args.show_percs.is_yes(),
        include: finder.include(),
        user_files: &inputs.sources,
        auto: args.annotates(),
        surface: out.surface(),
        names: match args.screen.names {
            NamesArg::Short => NameForm::Short,
            NamesArg::Full => NameForm::Full,
        },
    }
}

/// How inputs are read.
fn reading(args: &AnnotateArgs) -> Reading {
    Reading::new(&args.input)
}

fn finder(args: &AnnotateArgs, inputs: &Inputs) -> Result<Finder> {
    Ok(Finder::new(Request::new(args)?.sources.of(&inputs.profiles)?))
}

/// Sources that the user names must be there before anything is printed.
fn check_sources(finder: &Finder, sources: &[String]) -> Result<()> {
    for name in sources {
        finder.open(name.as_bytes()).with_context(|| unreadable(name.as_bytes()))?;
    }
    Ok(())
}

fn report(args: &AnnotateArgs, inputs: &Inputs, out: &mut Paper) -> Result<ExitCode> {
    let annotates = args.annotates() || !inputs.sources.is_empty();
    let arcs = args.inclusive.is_yes() || args.tree != TreeArg::None;
    let collect = if args.zoom.is_some() || is_first_look(args, inputs, out) {
        Collect::ALL
    } else {
        Collect {
            lines: annotates || args.narrow.by == Some(ByArg::File),
            calls: match (annotates, arcs) {
                (true, _) => Calls::Sites,
                (false, true) => Calls::Arcs,
                (false, false) => Calls::None,
            },
        }
    };
    let finder = finder(args, inputs)?;
    check_sources(&finder, &inputs.sources)?;
    let how = (collect, source::current_directory());
    inputs::report_each(&inputs.profiles, &reading(args), how, args.split.map(Into::into), |profile, _| {
        text_report(args, inputs, &finder, profile, out)
    })
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

/// One classic report.
fn text_report(
    args: &AnnotateArgs,
    inputs: &Inputs,
    finder: &Finder,
    mut profile: Profile,
    out: &mut Paper,
) -> Result<()> {
    if counts_time(&profile) && out.surface().terminal && !args.raw {
        profile.events.show_durations();
    }
    let mut selection = selection(args, &mut profile.events)?;
    if profile.sizes.is_some() && args.narrow.by.is_none() {
        return aprof::report(args, &profile, &selection, out);
    }
    if args.list_events {
        return words::events(Some(&profile.events), out);
    }
    let first_look = is_first_look(args, inputs, out);
    advice::doubts(&profile, &selection, args, first_look);
    if first_look {
        if args.sort.is_empty() {
            selection.begin_with_cost(&profile.events, &profile.totals.row);
        }
        return overview(args, inputs, finder, &profile, &selection, out);
    }
    advice::columns(&profile, &mut selection, args, out.surface());
    if let Some(pattern) = &args.zoom {
        return zoom(args, inputs, finder, pattern, &profile, &selection, out);
    }
    let inclusive = args.inclusive.is_yes().then(|| inclusive(&profile));

    let options = text_options(args, &selection, inputs, finder, out);
    let mut text = TextReport::new(out, &profile.events, options);
    text.header(&About::new(&profile))?;
    match args.narrow.by.and_then(ByArg::groups) {
        Some(by) => {
            let groups = Groups::new(&profile, &selection, by);
            advice::filters(&profile, &selection, groups.rows.len());
            advice::classes(&groups);
            text.groups(&groups, &profile.totals)?;
        }
        None => {
            let listing = Listing::new(&profile, &selection, inclusive.as_ref(), args.tree.into());
            advice::filters(&profile, &selection, listing.rows.len());
            text.listing(&listing)?;
        }
    }
    if args.annotates() || !inputs.sources.is_empty() {
        let files = Files::new(&profile);
        let mut chosen = if args.annotates() { files.chosen(&selection) } else { Vec::new() };
        chosen.extend(inputs.sources.iter().filter_map(|name| profile.names.find(name.as_bytes())));
        chosen.sort_unstable();
        chosen.dedup();
        let chosen = files.in_order(chosen, &selection).into_iter().map(|id| profile.name(id)).collect();
        let costs = |name: &[u8]| files.costs(profile.names.find(name)?, &selection);
        annotate(args, inputs, chosen, costs, &profile.totals.row, finder, &mut text)?;
    }
    text.finish()?;
    Ok(())
}

/// Whether somebody at a terminal asks for nothing in particular: they want to know what is hot.
fn is_first_look(args: &AnnotateArgs, inputs: &Inputs, out: &Paper) -> bool {
    let unsaid = Request::new(args).is_ok_and(|request| request.page == Page::Unsaid);
    unsaid && inputs.sources.is_empty() && out.surface().terminal
}

/// How many functions and lines the first screen shows at least.
const ROWS: usize = 6;

/// What is hot, on one screen, on which what was complained of has its lines.
fn overview(
    args: &AnnotateArgs,
    inputs: &Inputs,
    finder: &Finder,
    profile: &Profile,
    selection: &Selection,
    out: &mut Paper,
) -> Result<()> {
    let totals = overview::totals(&profile.events, selection, &profile.totals, out.surface().width);
    let around = overview::AROUND + super::lines_said() + totals.len();
    let room = out.surface().height.unwrap_or(SCREEN).saturating_sub(around).max(ROWS);
    let inclusive = inclusive(profile);
    let look = |room: usize| Overview::new(profile, selection, &inclusive, room - room / 3, room / 3);
    let mut model = look(room);
    let next = |width| match selection.sort.first() {
        Some(&event) => overview::next(&model, &profile.events, event, &inputs.profiles, width),
        None => Vec::new(),
    };
    // Broken lines keep commands whole, at the cost of rows; they are not to take most of the screen.
    let broken = next(out.surface().width);
    let left = room.saturating_sub(overview::beyond_one(&broken));
    let commands = if left < ROWS { next(None) } else { broken };
    if (ROWS..room).contains(&left) {
        model = look(left);
    }
    let texts = model.lines.iter().map(|hot| {
        let source = finder.open(hot.file).ok()?;
        let at = usize::try_from(hot.line).ok()?.checked_sub(1)?;
        source.lines().nth(at).map(|text| text.trim_ascii().to_vec())
    });
    let texts: Vec<Option<Vec<u8>>> = texts.collect();
    let options = text_options(args, selection, inputs, finder, out);
    let mut text = TextReport::new(out, &profile.events, options);
    text.overview(&model, &texts, &About::new(profile), (&profile.totals, &totals), &commands)?;
    text.finish()?;
    Ok(())
}

/// One function in full.
fn zoom(
    args: &AnnotateArgs,
    inputs: &Inputs,
    finder: &Finder,
    pattern: &str,
    profile: &Profile,
    selection: &Selection,
    out: &mut Paper,
) -> Result<()> {
    let inclusive = inclusive(profile);
    let id = advice::zoomed(pattern, args, profile, selection, &inclusive)?;
    let options = text_options(args, selection, inputs, finder, out);
    let mut text = TextReport::new(out, &profile.events, options);
    text.zoom(&Zoom::new(profile, selection, &inclusive, id, args.depth), &profile.totals)?;
    if args.annotates() {
        let files = crate::view::zoom::files(profile, selection, &inclusive, id);
        let chosen = files.iter().map(|file| file.name).collect();
        let costs = |name: &[u8]| files.iter().find(|file| file.name == name).cloned();
        annotate(args, inputs, chosen, costs, inclusive.cost(id), finder, &mut text)?;
    }
    text.finish()?;
    Ok(())
}

/// Inclusive costs, with a warning where they do not fit.
fn inclusive(profile: &Profile) -> Inclusive {
    let inclusive = Inclusive::new(profile);
    if inclusive.saturated {
        complain("an inclusive cost does not fit in 64 bits; the limit stands for it");
    }
    inclusive
}

/// The whole profile as a document for programs. File names stay as they are in the profile.
fn json_report(args: &AnnotateArgs, inputs: &Inputs, out: &mut Paper) -> Result<ExitCode> {
    // Sources are no part of the document, but what is not there may have been meant as a profile.
    for name in &inputs.sources {
        std::fs::metadata(name).map_err(|e| anyhow!("{name}: {e}"))?;
    }
    let how = (Collect::ALL, Vec::new());
    inputs::report_each(&inputs.profiles, &reading(args), how, args.split.map(Into::into), |mut profile, share| {
        let selection = selection(args, &mut profile.events)?;
        let inclusive = inclusive(&profile);
        let whole = Whole::new(&profile, &selection, &inclusive, args.inclusive.is_yes());
        advice::filters(&profile, &selection, whole.functions.len());
        json::write(&whole, share, &mut *out)?;
        Ok(())
    })
}

/// One list as a table.
fn table(args: &AnnotateArgs, inputs: &Inputs, out: &mut Paper) -> Result<ExitCode> {
    let request = Request::new(args)?;
    let Form::Table(form) = request.form else { return Ok(ExitCode::SUCCESS) };
    if let Some(source) = inputs.sources.first() {
        bail!(Usage(format!("{source}: sources are annotated in the text report")));
    }
    let collect = Collect {
        lines: matches!(args.narrow.by, Some(ByArg::File | ByArg::Line)),
        calls: if args.inclusive.is_yes() { Calls::Arcs } else { Calls::None },
    };
    let strip = if request.form.is_for_people() { source::current_directory() } else { Vec::new() };
    let mut profile = inputs::read(&inputs.profiles, &reading(args), collect, strip)?;
    let selection = selection(args, &mut profile.events)?;
    let inclusive = args.inclusive.is_yes().then(|| inclusive(&profile));
    let lists = Lists { form, events: &profile.events, selection: &selection, shares: args.show_percs.is_yes() };
    let command = profile.parts.first().map_or(&b""[..], |part| &part.command);
    let title = format!("cgannotate: {}", String::from_utf8_lossy(command));
    if profile.sizes.is_some() && args.narrow.by.is_none() {
        aprof::table(args, form, &profile, &selection, title, &mut *out)?;
        return Ok(inputs::status(&profile.warnings, &reading(args)));
    }
    if args.zoom.is_some() {
        bail!(Usage("--zoom is for the text report, and for tables of aprof's reports".into()));
    }
    match args.narrow.by.map(ByArg::groups) {
        Some(Some(by)) => {
            let groups = Groups::new(&profile, &selection, by);
            advice::filters(&profile, &selection, groups.rows.len());
            lists.groups(&groups, &profile.totals.row, title, &mut *out)?;
        }
        Some(None) => {
            let list = LineList::new(&profile, &selection);
            advice::filters(&profile, &selection, list.lines.len());
            lists.lines(&list, &profile, title, &mut *out)?;
        }
        None => {
            let listing = Listing::new(&profile, &selection, inclusive.as_ref(), args.tree.into());
            advice::filters(&profile, &selection, listing.rows.len());
            lists.functions(&listing, title, &mut *out)?;
        }
    }
    Ok(inputs::status(&profile.warnings, &reading(args)))
}

/// The annotated sources: those the user named, and those that the thresholds choose.
fn annotate<'a>(
    args: &AnnotateArgs,
    inputs: &Inputs,
    chosen: Vec<&'a [u8]>,
    costs_of: impl Fn(&[u8]) -> Option<FileCosts<'a>>,
    totals: &'a [i64],
    finder: &Finder,
    text: &mut TextReport<'a, impl WriteColor>,
) -> Result<()> {
    let modified = inputs.profiles.iter().filter_map(|name| source::modified(name)).min();
    let mut covered = Vec::new();
    let mut any = false;
    let mut missing = Unread::default();
    let unknown = inputs.sources.iter().map(String::as_bytes).filter(|name| !chosen.contains(name));
    for name in unknown.chain(chosen.iter().copied()) {
        let by_user = inputs.sources.iter().any(|user| user.as_bytes() == name);
        let source = match finder.open(name) {
            Ok(source) => source,
            Err(e) if by_user => return Err(e).with_context(|| unreadable(name)),
            Err(e) => {
                if matches!(e, SourceError::Ambiguous(_)) {
                    complain(&format!("{}: {e}", String::from_utf8_lossy(name)));
                }
                missing.add(name, &e);
                continue;
            }
        };
        text.file_heading(&source.title, by_user)?;
        let Some(costs) = costs_of(name) else {
            text.no_information(name)?;
            continue;
        };
        any = true;
        let newer = matches!((source.modified, modified), (Some(s), Some(p)) if seconds(s) > seconds(p));
        let beside = text.annotated(&costs, source.lines(), args.context, totals, newer)?;
        extend_with(&mut covered, &beside);
    }
    if !missing.is_empty() && !args.compat && text.is_on_terminal() {
        text.not_found_by_root(&missing.groups(finder.toolchains()))?;
    } else if !missing.is_empty() {
        text.not_found(&missing.lines())?;
    }
    if any {
        let whole = crate::view::annotation::base(totals, &covered);
        text.covered(&covered, &whole)?;
    }
    Ok(())
}

/// Times are compared in whole seconds, as the original does: files that were copied together have one time.
fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn unreadable(name: &[u8]) -> String {
    format!("{}: the source file cannot be read", String::from_utf8_lossy(name))
}

/// The same report with the original's numbers.
fn compat_report(args: &AnnotateArgs, inputs: &Inputs, out: &mut Paper) -> Result<ExitCode> {
    if args.split.is_some() {
        bail!(Usage("--compat reads one part and cannot --split".into()));
    }
    if let Some(second) = inputs.profiles.get(1) {
        bail!("--compat reads one profile, and {second} is another");
    }
    let finder = finder(args, inputs)?;
    check_sources(&finder, &inputs.sources)?;
    // The original strips the current directory from some names only; so does the ledger.
    let options = reading(args).options(Collect::ALL, Vec::new());
    let strip = source::current_directory();
    let mut ledger = compat::read(&inputs.profiles[0], args.inclusive.is_yes(), &strip, &options)?;
    inputs::report_warnings(ledger.warnings(), &reading(args))?;
    let selection = selection(args, ledger.events_mut())?;
    let listing = ledger.listing(&selection, args.tree.into());
    let options = text_options(args, &selection, inputs, &finder, out);
    let mut text = TextReport::new(out, ledger.events(), options);
    let part = ledger.part();
    text.header(&About::original(&part, &inputs.profiles[0]))?;
    text.listing(&listing)?;
    if args.annotates() || !inputs.sources.is_empty() {
        let mut chosen = if args.annotates() { ledger.chosen(&listing) } else { Vec::new() };
        let known = inputs.sources.iter().map(String::as_bytes).filter(|name| ledger.costs(name, &selection).is_some());
        chosen.extend(known);
        chosen.sort_unstable();
        chosen.dedup();
        let chosen = ledger.in_order(chosen, &selection);
        let costs = |name: &[u8]| ledger.costs(name, &selection);
        annotate(args, inputs, chosen, costs, ledger.totals(), &finder, &mut text)?;
    }
    text.finish()?;
    Ok(inputs::status(ledger.warnings(), &reading(args)))
}
