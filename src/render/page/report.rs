//! Writes the page of one profile. `web/profile.js` reads its columns by their names.

use super::{columns::Columns, plain, scripts, shell::Shell};
use crate::{
    analysis::{Basis, Cost, Estimate, Folds, Frame, Stack, Stacks},
    profile::{Event, Events, Profile, WarningKind, joined},
    source::missing::fault,
    text::{escape, grouped, how_many, shown},
    view::{
        Age, inlined,
        steps::Sum,
        whole::{Arc, Excerpt, Excerpts, Stacked, Whole},
    },
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
};

/// Writes the page.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(whole: &Whole<'_>, excerpts: &Excerpts<'_>, out: impl Write) -> io::Result<()> {
    let title = title(whole);
    Shell {
        title: &title,
        scripts: scripts::REPORT,
        style: "",
        plain: &plain::report(whole, &title),
        data: &columns(whole, excerpts).finish()?,
    }
    .write(out)
}

/// Estimates the packed length of a page's tables from a sample of their rows ([`Whole::sample`]).
/// The page has more than tables.
///
/// # Errors
/// Fails only if the compressor fails.
pub fn estimated_length(sample: &Whole<'_>) -> io::Result<usize> {
    let mut columns = Columns::new(&sample.profile.events, sample.events);
    tables(
        &mut columns,
        sample,
        &NameTable::new(names(sample)),
        &NameTable::new(std::iter::empty()),
    );
    Ok(columns.finish()?.len().saturating_mul(Whole::SAMPLED))
}

/// The title of the page.
fn title(whole: &Whole<'_>) -> String {
    let profile = whole.profile;
    let command = profile.command();
    let what = if command.is_empty() {
        profile.input_name(0)
    } else {
        String::from_utf8_lossy(command)
    };
    let short: String = what.chars().take(200).collect();
    format!(
        "cgannotate{}: {}",
        own_code(whole.folds),
        escape::text(&short)
    )
}

/// The part of the title about your code.
pub(super) fn own_code(folds: Option<&Folds>) -> &'static str {
    match folds.map(Folds::knows_inlined) {
        None => "",
        Some(false) => " (your code)",
        Some(true) => " (your code with inlined functions)",
    }
}

/// Distinct names in order, and the index of each.
pub(super) struct NameTable<'a> {
    names: Vec<String>,
    places: HashMap<&'a [u8], u64>,
}

impl<'a> NameTable<'a> {
    pub(super) fn new(all: impl Iterator<Item = &'a [u8]>) -> NameTable<'a> {
        let all: HashSet<&[u8]> = all.collect();
        let mut texts: Vec<(String, &[u8])> =
            all.into_iter().map(|name| (shown(name), name)).collect();
        texts.sort_unstable();
        let (mut names, mut places) = (Vec::new(), HashMap::new());
        for (text, name) in texts {
            if names.last() != Some(&text) {
                names.push(text);
            }
            places.insert(name, names.len() as u64 - 1);
        }
        NameTable { names, places }
    }

    pub(super) fn place(&self, name: &[u8]) -> u64 {
        self.places.get(name).copied().unwrap_or(0)
    }

    pub(super) fn write(&self, name: &str, columns: &mut Columns<'_>) {
        columns
            .table(name, self.names.iter())
            .texts("", |name| name);
    }
}

fn columns<'w>(whole: &Whole<'w>, excerpts: &Excerpts<'_>) -> Columns<'w> {
    let profile = whole.profile;
    let mut columns = Columns::new(&profile.events, whole.events);
    columns.about(&about(whole, excerpts));

    let names = NameTable::new(names(whole));
    let sites = whole.arcs.iter().flat_map(|arc| profile.sites(arc.arc));
    let lines = whole.lines.iter().map(|line| line.file);
    let used = lines.chain(sites.map(|site| site.file));
    let used = used
        .map(|file| profile.name(file))
        .chain(whole.places.iter().map(|place| place.file))
        .chain(whole.files.iter().map(|row| row.name))
        .chain(excerpts.files.iter().map(|e| e.file));
    let files = NameTable::new(used);
    let objects = NameTable::new(whole.places.iter().map(|place| place.object));
    names.write("names", &mut columns);
    files.write("files", &mut columns);
    objects.write("objects", &mut columns);
    let others = std::iter::once(&whole.other_functions);
    sums(&mut columns, "others", others);
    tables(&mut columns, whole, &names, &files);

    let mut table = columns.table("c", whole.cycles.iter());
    table.numbers("members", |(_, members)| members.len() as u64);
    table.numbers("size", |(cycle, _)| cycle.members.len() as u64);
    table.costs("self", |(cycle, _)| &cycle.self_cost);
    table.costs("incl", |(cycle, _)| &cycle.inclusive);
    let members = whole.cycles.iter().flat_map(|(_, members)| members);
    let mut table = columns.table("c", members);
    table.differences("member", |&at| at.into());

    let mut table = columns.table("p", whole.places.iter());
    table.numbers("object", |place| objects.place(place.object));
    table.numbers("file", |place| files.place(place.file));
    table.numbers("functions", |place| place.functions);
    table.costs("self", |place| &place.cost);

    let mut table = columns.table("k", whole.files.iter());
    table.numbers("file", |row| files.place(row.name));
    table.costs("self", |row| &row.cost);
    let mut table = columns.table("part", profile.parts.iter());
    table.costs("", |part| &part.self_cost);

    for (at, stacks) in whole.stacks.iter().enumerate() {
        if let Stacked::There(stacks) = stacks {
            frames(&mut columns, whole, at, stacks);
        }
    }

    write_excerpts(&mut columns, excerpts, &files);
    columns
}

/// The names of the functions.
fn names<'w>(whole: &'w Whole<'_>) -> impl Iterator<Item = &'w [u8]> {
    let profile = whole.profile;
    let library = whole.lines.iter().flat_map(|line| whole.library(line));
    let functions = whole.functions.iter().map(|f| profile.name_of(f.id));
    functions.chain(library.map(|(name, _)| name))
}

/// The tables of functions, lines and arcs.
fn tables(
    columns: &mut Columns<'_>,
    whole: &Whole<'_>,
    names: &NameTable<'_>,
    files: &NameTable<'_>,
) {
    let profile = whole.profile;
    let file = |file| files.place(profile.name(file));
    let mut table = columns.table("f", whole.functions.iter());
    table.numbers("name", |f| names.place(profile.name_of(f.id)));
    table.numbers("place", |f| f.place as u64);
    table.counts("called", |f| whole.counted(f.id, f.called));
    table.numbers("reach", |f| whole.reach(f.id) as u64);
    table.numbers("cycle", |f| f.cycle.unwrap_or(0) as u64);
    table.numbers("lines", |f| f.lines as u64);
    table.numbers("arcs", |f| f.arcs as u64);
    table.costs("self", |f| f.self_cost.0);
    table.costs("incl", |f| f.inclusive.0);
    let functions = whole.functions.iter();
    let lines = functions.clone().map(|f| &f.other_lines);
    let callers = functions.clone().map(|f| &f.other_callers);
    let callees = functions.map(|f| &f.other_callees);
    sums(columns, "f.lines+", lines);
    sums(columns, "f.callers+", callers);
    sums(columns, "f.callees+", callees);

    let mut table = columns.table("l", whole.lines.iter());
    table.numbers("file", |line| file(line.file));
    table.differences("line", |line| line.line);
    table.costs("self", |line| profile.line_cost(line));

    if whole.folds.is_some() {
        let lines = whole.lines.iter();
        let library: Vec<_> = lines.map(|line| whole.library(line)).collect();
        let mut table = columns.table("l", library.iter());
        table.numbers("library", |rows| rows.len() as u64);
        let rows = library.iter().flatten();
        let mut table = columns.table("b", rows.clone());
        table.numbers("name", |(name, _)| names.place(name));
        sums(columns, "b", rows.map(|(_, sum)| sum));
    }

    let capped = |arc: &Arc<'_>, cost| whole.inclusive.capped(arc.arc, cost);
    let mut table = columns.table("a", whole.arcs.iter());
    table.differences("callee", |arc| arc.callee.into());
    table.counts("count", |arc| whole.counted(arc.arc.callee, arc.arc.count));
    table.costs("cost", |arc| capped(arc, profile.arc_cost(arc.arc)));
    table.numbers("sites", |arc| profile.sites(arc.arc).len() as u64);
    let sites = whole.arcs.iter().flat_map(|arc| profile.sites(arc.arc));
    let mut table = columns.table("s", sites);
    table.numbers("file", |site| file(site.file));
    table.differences("line", |site| site.line);
    // An arc with one call site has the cost of that site.
    let several = whole
        .arcs
        .iter()
        .filter(|arc| profile.sites(arc.arc).len() > 1);
    let several =
        several.flat_map(|arc| profile.sites(arc.arc).iter().map(move |site| (arc, site)));
    let mut table = columns.table("s", several);
    table.counts("count", |(arc, site)| {
        whole.counted(arc.arc.callee, site.count)
    });
    table.costs("cost", |(arc, site)| capped(arc, profile.site_cost(site)));
}

/// Writes the sources of a page.
pub(super) fn write_excerpts(
    columns: &mut Columns<'_>,
    excerpts: &Excerpts<'_>,
    files: &NameTable<'_>,
) {
    let mut table = columns.table("x", excerpts.files.iter());
    table.numbers("file", |file| files.place(file.file));
    table.numbers("runs", |file| file.runs.len() as u64);
    let mut table = columns.table("x", excerpts.not_found.iter());
    table.numbers("missing", |(file, _)| files.place(file));
    table.texts("why", |(_, why)| fault(why).unwrap_or_default());
    let mut table = columns.table("x", std::iter::once(excerpts.no_room));
    table.numbers("no_room", |files| files as u64);
    let runs = excerpts.files.iter().flat_map(|file| &file.runs);
    let mut table = columns.table("x", runs.clone());
    table.differences("first", |run| run.first);
    table.numbers("lines", |run| run.lines.len() as u64);
    let mut table = columns.table("x", runs.flat_map(|run| &run.lines));
    table.texts("text", |line| line);
}

/// Writes the frames of an event's stacks, in depth-first order.
fn frames(columns: &mut Columns<'_>, whole: &Whole<'_>, event: usize, stacks: &Stacks) {
    // Rounding makes the sums exact, but it can move an estimate a few units outside its bounds.
    let known = |stack: &Stack| {
        let known = stack.total_known;
        Estimate::new(stack.total, known.least, known.most)
    };
    let name = format!("t.{event}");
    let mut table = columns.table(&name, stacks.stacks.iter());
    table.numbers("depth", |stack| stack.depth.into());
    table.numbers("frame", |stack| match stack.frame {
        Frame::Function(id) => whole.place(id).map_or(0, |at| u64::from(at) * 2 + 1),
        Frame::Cycle(at) => (at as u64 + 1) * 2,
        Frame::Small | Frame::Inlined(_) => 0,
    });
    table.counts("total", |stack| Some(stack.total));
    table.counts("least", |stack| Some(known(stack).least));
    table.counts("most", |stack| Some(known(stack).most));
}

/// Writes sums of what is omitted.
fn sums<'r>(columns: &mut Columns<'_>, name: &str, sums: impl Iterator<Item = &'r Sum> + Clone) {
    let mut table = columns.table(name, sums);
    table.numbers("count", |sum| sum.count);
    table.numbers("calls", |sum| sum.calls);
    table.costs("", |sum| &sum.cost);
}

/// The metadata of the page.
fn about(whole: &Whole<'_>, excerpts: &Excerpts<'_>) -> Value {
    let profile = whole.profile;
    let about = crate::view::About::new(profile);
    let event = |(&event, stacks): (&Event, &Stacked)| {
        let estimated = stacks.there().filter(|all| all.basis == Basis::Estimated);
        let total = profile.events.counted(&profile.totals.row, event);
        json!({
            "stacks": stacks_in_words(stacks),
            "certain": estimated.map(|stacks| stacks.certain.share()),
            "name": shown(profile.events.name(event)),
            "long": long_name(&profile.events, event),
            "total": total.to_string(),
            "shares": profile.events.has_shares(event),
        })
    };
    let own = whole.folds;
    let own_code = own.map(|folds| format!("Whose cost: {}", folds.said));
    let inlined = own
        .filter(|folds| folds.knows_inlined())
        .map(|_| inlined::source(profile));
    let details = about.details.into_iter().chain(own_code).chain(inlined);
    json!({
        "title": title(whole),
        "own_code": self::own_code(own),
        "command": about.commands.first().map_or(String::new(), |command| shown(command)),
        "inputs": inputs(profile),
        "details": Value::from_iter(details),
        "descriptions": Value::from_iter(about.descriptions.into_iter().map(shown)),
        "events": Value::from_iter(whole.events.iter().zip(&whole.stacks).map(event)),
        "first": whole.first,
        "sort": sort(whole.by),
        "least": whole.least.to_string(),
        "has_inclusive": profile.has_inclusive(),
        "exact": profile.tree.is_some(),
        "warnings": warnings(profile),
        "notes": notes(whole, excerpts),
        "parts": Value::from_iter(profile.parts.iter().map(part_label)),
        "sources": sources(excerpts),
    })
}

/// The long name of an event, or nothing.
pub(super) fn long_name(events: &Events, event: Event) -> String {
    let long = events.long_name(events.name(event));
    long.map(shown).unwrap_or_default()
}

/// Where each source was found, and whether it is newer than the profile.
pub(super) fn sources(excerpts: &Excerpts<'_>) -> Value {
    let source =
        |file: &Excerpt<'_>| json!({ "found": file.title, "newer": file.age == Age::Newer });
    Value::from_iter(excerpts.files.iter().map(source))
}

/// The names of the inputs.
pub(super) fn inputs(profile: &Profile) -> Vec<String> {
    let names = profile.input_names();
    names.map(|name| escape::text(&name).into_owned()).collect()
}

/// Explains the stacks of an event.
fn stacks_in_words(stacks: &Stacked) -> String {
    match stacks {
        Stacked::There(stacks) => match stacks.basis {
            Basis::Recorded => "The profile has every call, so these stacks are exact.".into(),
            Basis::Estimated => format!(
                "An estimate: the profile has who calls whom, but not through whom. The stacks of {} of the self cost are certain{}. The dark lower edge of a pale frame is its certain part; hatched frames stand for what is omitted.",
                stacks.certain.percent(),
                if stacks.certain.share() < 0.5 {
                    "; more are with `cgannotate record --stacks`"
                } else {
                    ""
                }
            ),
            Basis::Flat => "No calls were recorded, so there are no stacks.".into(),
        },
        Stacked::Negative => "This event has negative costs, so no stacks can be made.".into(),
        Stacked::NoRoom => {
            "The page has no room for stacks of this event; --sort chooses another event.".into()
        }
    }
}

fn warnings(profile: &Profile) -> Vec<String> {
    let mut texts: Vec<String> = profile
        .warnings
        .kept()
        .iter()
        .map(|warning| escape::text(&warning.to_string()).into_owned())
        .collect();
    let more = profile.warnings.count().saturating_sub(texts.len() as u64);
    if more > 0 {
        texts.push(format!("and {} more", grouped(more)));
    }
    texts
}

/// Explains what is not on the page.
fn notes(whole: &Whole<'_>, excerpts: &Excerpts<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let all = whole.profile.functions.len();
    let other = whole.other_functions.count;
    notes.push(format!(
        "The page omits what has less than {} of the total of every event: {} of {} functions, and calls and lines of others. Every list says how much it omits.",
        whole.least,
        grouped(other),
        grouped(all)
    ));
    if whole.profile.warnings.has(WarningKind::Truncated) {
        notes.push("The input is truncated: the page has the part that was read.".into());
    }
    notes.extend(source_notes(excerpts));
    notes
}

/// The column by which the page sorts functions at first.
pub(super) fn sort(by: Cost) -> &'static str {
    match by {
        Cost::Own => "self",
        Cost::Inclusive => "incl",
    }
}

/// How many sources are on the page.
pub(super) fn source_notes(excerpts: &Excerpts<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if excerpts.lines() > 0 {
        notes.push(format!(
            "{} lines of source are here.",
            grouped(excerpts.lines())
        ));
    }
    for (count, why) in [
        (excerpts.not_found.len(), "not found"),
        (excerpts.no_room, "no room on the page"),
    ] {
        if count > 0 {
            notes.push(format!("Sources of {}: {why}.", how_many(count, "file")));
        }
    }
    notes
}

fn part_label(part: &crate::profile::Part) -> String {
    let fields = [
        ("process ", &part.pid),
        ("part ", &part.number),
        ("thread ", &part.thread),
        ("", &part.command),
    ];
    let known = fields.iter().filter(|(_, value)| !value.is_empty());
    joined(known.map(|(label, v)| format!("{label}{}", shown(v))), ", ")
}
