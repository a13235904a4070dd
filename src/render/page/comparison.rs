//! The page of a comparison: its data as columns. `web/comparison.js` reads them by these names.

use super::columns::Columns;
use super::plain;
use super::report::{SourceAbout, Table, own_code, sort, source_notes, write_excerpts};
use super::scripts;
use super::shell::Shell;
use crate::analysis::difference::{ChangeRef, How, Pair, Side, UnlistedChange};
use crate::analysis::own_profile::Reach;
use crate::profile::{CallEdge, Event};
use crate::render::reasons::{GLUE, why};
use crate::text::escape::{self, shown};
use crate::text::number::grouped;
use crate::view::whole::{Compared, Delta, DeltaFrame, Excerpts, Stepped};
use serde::Serialize;
use std::io::{self, Write};

/// Writes the page; `warnings` were said about the comparison on standard error.
///
/// # Errors
/// Those of `out`.
pub fn write(
    compared: &Compared<'_>,
    excerpts: &Excerpts<'_>,
    warnings: &[String],
    out: impl Write,
) -> io::Result<()> {
    let names = |profile: &crate::profile::Profile| {
        profile
            .input_names()
            .next()
            .unwrap_or_default()
            .into_owned()
    };
    let matching = compared.difference.matching;
    let (old, new) = (names(&matching.old.original), names(&matching.new.original));
    let own_code = own_code(matching.new.folds);
    let title = format!(
        "cgannotate{own_code}: {} → {}",
        escape::text(&old),
        escape::text(&new)
    );
    let plain = plain::comparison(compared, &title);
    let data = columns(compared, excerpts, warnings, &title).finish()?;
    Shell {
        title: &title,
        scripts: scripts::COMPARISON,
        style: include_str!("web/changes.css"),
        plain: &plain,
        data: &data,
    }
    .write(out)
}

#[derive(Serialize)]
struct About {
    title: String,
    own_code: &'static str,
    old: Vec<String>,
    new: Vec<String>,
    commands: [String; 2],
    events: Vec<EventAbout>,
    first: usize,
    sort: &'static str,
    least: String,
    has_inclusive: bool,
    warnings: Vec<String>,
    notes: Vec<String>,
    sources: Vec<SourceAbout>,
}

#[derive(Serialize)]
struct EventAbout {
    name: String,
    long: String,
    old: String,
    new: String,
    shares: bool,
    waterfall: Vec<StepAbout>,
}

#[derive(Serialize)]
struct StepAbout {
    label: String,
    /// The place of the function on the page.
    f: Option<u32>,
    change: String,
}

/// Writes columns of counts for every event and both runs.
fn changes<'r>(
    columns: &mut Columns,
    of: &Compared<'_>,
    name: &str,
    rows: impl Iterator<Item = ChangeRef<'r>> + Clone,
) {
    let events = of.difference.events();
    for (at, &event) in of.events.iter().enumerate() {
        let count = |row: &[i64]| events.count(row, event);
        columns.counts(
            &format!("{name}.old.{at}"),
            rows.clone().map(|change| count(change.old)),
        );
        columns.counts(
            &format!("{name}.new.{at}"),
            rows.clone().map(|change| count(change.new)),
        );
    }
}

fn sides<'r>(
    columns: &mut Columns,
    of: &Compared<'_>,
    name: &str,
    sums: impl Iterator<Item = &'r UnlistedChange> + Clone,
) {
    let counts = sums.clone().map(|sum| sum.count as u64);
    columns.numbers(&format!("{name}.count"), counts);
    changes(columns, of, name, sums.map(|sum| sum.cost.lent()));
}

fn columns(
    of: &Compared<'_>,
    excerpts: &Excerpts<'_>,
    warnings: &[String],
    title: &str,
) -> Columns {
    let mut columns = Columns::default();
    let matching = of.difference.matching;
    let events = of.difference.events();
    columns.about(&about(of, excerpts, warnings, title));

    let labels = || of.rows.iter().map(|row| row.row.label());
    let line_files = || of.lines.iter().map(|line| matching.file(line.file));
    let in_stacks = || {
        of.deltas
            .iter()
            .flatten()
            .flatten()
            .filter_map(|delta| label_of(of, delta))
    };
    let names = Table::new(labels().chain(in_stacks()).map(|label| label.name.bytes()));
    let files = Table::new(
        labels()
            .map(|label| label.file)
            .chain(line_files())
            .chain(excerpts.files.iter().map(|excerpt| excerpt.file)),
    );
    let objects = Table::new(labels().map(|label| label.object.unwrap_or_default()));
    names.write("names", &mut columns);
    files.write("files", &mut columns);
    objects.write("objects", &mut columns);
    columns.numbers(
        "r.name",
        labels().map(|label| names.place(label.name.bytes())),
    );
    columns.numbers("r.file", labels().map(|label| files.place(label.file)));
    columns.numbers(
        "r.object",
        labels().map(|label| objects.place(label.object.unwrap_or_default())),
    );
    let status = of
        .rows
        .iter()
        .map(|row| match (row.row.pair.how, &row.row.old) {
            (How::Same, _) => 0,
            (How::Moved, _) => 1,
            (How::Renamed, _) => 2,
            (How::Alone, None) => 3,
            (How::Alone, Some(_)) => 4,
        });
    columns.numbers("r.status", status);
    let reach = |pair: &Pair| match *pair {
        Pair { new: Some(id), .. } => matching.new.reach(id),
        Pair { old, .. } => old.map_or(Reach::Called, |id| matching.old.reach(id)),
    };
    columns.numbers(
        "r.reach",
        of.rows.iter().map(|row| reach(&row.row.pair) as u64),
    );
    let was: Vec<String> = of
        .rows
        .iter()
        .map(|row| before(row.row.old, row.row.new))
        .collect();
    columns.texts("r.was", was.iter().map(String::as_str));
    changes(
        &mut columns,
        of,
        "r.self",
        of.rows.iter().map(|row| row.row.own.lent()),
    );
    let known = of.difference.matching.has_inclusive();
    changes(
        &mut columns,
        of,
        "r.incl",
        of.rows.iter().map(|row| {
            if known {
                row.row.inclusive.lent()
            } else {
                ChangeRef::default()
            }
        }),
    );
    columns.counts(
        "r.calls.old",
        of.rows.iter().map(|row| row.row.cause.calls.0),
    );
    columns.counts(
        "r.calls.new",
        of.rows.iter().map(|row| row.row.cause.calls.1),
    );
    for (at, &event) in of.events.iter().enumerate() {
        let split = || {
            of.rows
                .iter()
                .map(move |row| row.row.splits.get(at).copied().flatten())
        };
        columns.counts(
            &format!("r.more.{at}"),
            split().map(|split| split.map(|split| split.more)),
        );
        columns.counts(
            &format!("r.dearer.{at}"),
            split().map(|split| split.map(|split| split.dearer)),
        );
        columns.counts(
            &format!("r.joint.{at}"),
            split().map(|split| split.map(|split| split.joint)),
        );
        let said = of.rows.iter().map(|row| {
            let split = row.row.splits.get(at).copied().flatten();
            let inside = if at == of.first {
                &row.row.cause.inside[..]
            } else {
                &[]
            };
            let text = why(&row.row, events, event, split, inside, "").unwrap_or_default();
            escape::text(&text.replace(GLUE, " ")).into_owned()
        });
        let said: Vec<String> = said.collect();
        columns.texts(&format!("r.why.{at}"), said.iter().map(String::as_str));
    }
    columns.numbers("r.arcs", of.rows.iter().map(|row| row.arcs as u64));
    columns.numbers("r.lines", of.rows.iter().map(|row| row.lines as u64));
    sides(
        &mut columns,
        of,
        "r.callers+",
        of.rows.iter().map(|row| &row.other_callers),
    );
    sides(
        &mut columns,
        of,
        "r.callees+",
        of.rows.iter().map(|row| &row.other_callees),
    );
    sides(
        &mut columns,
        of,
        "r.lines+",
        of.rows.iter().map(|row| &row.other_lines),
    );
    sides(&mut columns, of, "others", [&of.others].into_iter());

    let count = |side: &Side<'_>, arc: Option<&CallEdge>| match arc {
        Some(arc) => side.reach(arc.callee).counted(arc.count),
        None => Some(0),
    };
    columns.differences("a.callee", of.arcs.iter().map(|arc| arc.callee.into()));
    columns.numbers("a.again", of.arcs.iter().map(|arc| arc.recursive.into()));
    columns.counts(
        "a.count.old",
        of.arcs.iter().map(|arc| count(&matching.old, arc.old)),
    );
    columns.counts(
        "a.count.new",
        of.arcs.iter().map(|arc| count(&matching.new, arc.new)),
    );
    for (at, &event) in of.events.iter().enumerate() {
        let cost = |side: &Side<'_>, arc: Option<&CallEdge>| {
            arc.and_then(|arc| events.count(&side.arc_cost(arc), event))
        };
        columns.counts(
            &format!("a.cost.old.{at}"),
            of.arcs.iter().map(|arc| cost(&matching.old, arc.old)),
        );
        columns.counts(
            &format!("a.cost.new.{at}"),
            of.arcs.iter().map(|arc| cost(&matching.new, arc.new)),
        );
    }

    columns.numbers("l.file", line_files().map(|file| files.place(file)));
    columns.differences(
        "l.old",
        of.lines
            .iter()
            .map(|line| line.old_line().map_or(0, |line| line.saturating_add(1))),
    );
    columns.differences(
        "l.new",
        of.lines
            .iter()
            .map(|line| line.new_line().map_or(0, |line| line.saturating_add(1))),
    );
    changes(
        &mut columns,
        of,
        "l.self",
        of.lines.iter().map(|line| line.cost(matching)),
    );
    write_excerpts(&mut columns, excerpts, &files);
    for (at, deltas) in of.deltas.iter().enumerate() {
        let Some(deltas) = deltas else { continue };
        let kind = |frame| match frame {
            DeltaFrame::Rest => 0,
            DeltaFrame::Pair(_) => 1,
            DeltaFrame::Cycle(_) => 2,
        };
        let place = |delta: &Delta| match delta.frame {
            DeltaFrame::Pair(pair) => of.place(pair).map_or(0, |place| u64::from(place) + 1),
            DeltaFrame::Cycle(_) | DeltaFrame::Rest => 0,
        };
        let name =
            |delta: &Delta| label_of(of, delta).map_or(0, |label| names.place(label.name.bytes()));
        columns.numbers(
            &format!("d.{at}.kind"),
            deltas.iter().map(|delta| kind(delta.frame)),
        );
        columns.numbers(&format!("d.{at}.name"), deltas.iter().map(name));
        columns.numbers(&format!("d.{at}.f"), deltas.iter().map(place));
        columns.differences(
            &format!("d.{at}.depth"),
            deltas.iter().map(|delta| delta.depth.into()),
        );
        columns.counts(
            &format!("d.{at}.old"),
            deltas.iter().map(|delta| Some(delta.old)),
        );
        columns.counts(
            &format!("d.{at}.new"),
            deltas.iter().map(|delta| Some(delta.new)),
        );
        columns.counts(
            &format!("d.{at}.size"),
            deltas.iter().map(|delta| Some(delta.size)),
        );
    }
    columns
}

/// What a frame is called, of a cycle its first member.
fn label_of<'a>(of: &Compared<'a>, delta: &Delta) -> Option<crate::analysis::Label<'a>> {
    match delta.frame {
        DeltaFrame::Pair(pair) | DeltaFrame::Cycle(pair) => of.difference.matching.label(pair),
        DeltaFrame::Rest => None,
    }
}

/// What a function was called, if that was something else.
fn before(
    old: Option<crate::analysis::Label<'_>>,
    new: Option<crate::analysis::Label<'_>>,
) -> String {
    match (old, new) {
        (Some(old), Some(new)) if old.name != new.name => shown(old.name.bytes()),
        (Some(old), Some(new)) if old.file != new.file => format!("in {}", shown(old.file)),
        (Some(old), Some(new)) if old.object != new.object => {
            format!("in {}", shown(old.object.unwrap_or_default()))
        }
        _ => String::new(),
    }
}

fn about(of: &Compared<'_>, excerpts: &Excerpts<'_>, warnings: &[String], title: &str) -> About {
    let matching = of.difference.matching;
    let events = of.difference.events();
    let (old, new) = (&matching.old.original, &matching.new.original);
    let inputs = |profile: &crate::profile::Profile| -> Vec<String> {
        profile
            .input_names()
            .map(|name| escape::text(&name).into_owned())
            .collect()
    };
    let command = |profile: &crate::profile::Profile| shown(profile.command());
    let event = |(at, &event): (usize, &Event)| {
        let (before, after) = of.difference.frame.total.counts(events, event);
        EventAbout {
            name: shown(events.name(event)),
            long: events
                .long_name(events.name(event))
                .map(shown)
                .unwrap_or_default(),
            old: before.unwrap_or(0).to_string(),
            new: after.unwrap_or(0).to_string(),
            shares: events.has_shares(event),
            waterfall: of
                .waterfalls
                .get(at)
                .into_iter()
                .flatten()
                .map(|step| self::step(of, step))
                .collect(),
        }
    };
    let mut notes = vec![format!(
        "Left out is what changed by less than {} of the total of every event: {} functions that changed, and calls and lines \
         of others; {} functions did not change. Every list says how much is left out.",
        of.least,
        grouped(of.others.count as u64),
        grouped(of.difference.frame.unchanged.count as u64)
    )];
    notes.extend(source_notes(excerpts));
    About {
        title: title.to_owned(),
        own_code: own_code(matching.new.folds),
        old: inputs(old),
        new: inputs(new),
        commands: [command(old), command(new)],
        events: of.events.iter().enumerate().map(event).collect(),
        first: of.first,
        sort: sort(of.by),
        least: of.least.to_string(),
        has_inclusive: matching.has_inclusive(),
        warnings: warnings
            .iter()
            .map(|warning| escape::text(warning).into_owned())
            .collect(),
        notes,
        sources: excerpts.files.iter().map(SourceAbout::new).collect(),
    }
}

fn step(of: &Compared<'_>, step: &crate::view::whole::Step) -> StepAbout {
    let many = |count: usize, what: &str| match count {
        1 => format!("1 other function {what}"),
        _ => format!("{} other functions {what}", grouped(count as u64)),
    };
    let (label, f) = match step.what {
        Stepped::Row(at) => match of.difference.listed().get(at) {
            Some(&at) => (
                shown(of.difference.row(at).label().name.bytes()),
                of.place(at),
            ),
            None => (String::new(), None),
        },
        Stepped::Others(count) => (many(count, "in both runs"), None),
        Stepped::Appeared(count) => (many(count, "only in the new run"), None),
        Stepped::Gone(count) => (many(count, "only in the old run"), None),
        Stepped::Outside => ("what no function has".into(), None),
    };
    StepAbout {
        label,
        f,
        change: step.change.to_string(),
    }
}
