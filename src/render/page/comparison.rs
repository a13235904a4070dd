//! Writes the page of a comparison. `web/comparison.js` reads its columns by their names.

use super::{
    columns::Columns,
    plain,
    report::{NameTable, inputs, long_name, own_code, sort, source_notes, sources, write_excerpts},
    scripts,
    shell::Shell,
};
use crate::{
    analysis::{
        Reach,
        difference::{ChangedFunction, How, Side, UnlistedChange},
    },
    profile::{CallEdge, Event},
    render::reasons::{GLUE, why},
    text::{escape, grouped, shown},
    view::whole::{Compared, ComparedArc, Delta, DeltaFrame, Excerpts, Stepped},
};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the page. `warnings` are those that were printed on standard error.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    compared: &Compared<'_>,
    excerpts: &Excerpts<'_>,
    warnings: &[String],
    out: impl Write,
) -> io::Result<()> {
    let matching = compared.difference.matching;
    let [old, new] = matching.sides().map(|side| side.original.input_name(0));
    let own_code = own_code(matching.new.folds);
    let title = format!(
        "cgannotate{own_code}: {} → {}",
        escape::text(&old),
        escape::text(&new)
    );
    Shell {
        title: &title,
        scripts: scripts::COMPARISON,
        style: include_str!("web/changes.css"),
        plain: &plain::comparison(compared, &title),
        data: &columns(compared, excerpts, warnings, &title).finish()?,
    }
    .write(out)
}

/// Writes sums of what is omitted, in both runs.
fn sides<'r>(
    columns: &mut Columns<'_>,
    name: &str,
    sums: impl Iterator<Item = &'r UnlistedChange> + Clone,
) {
    let mut table = columns.table(name, sums);
    table.numbers("count", |sum| sum.count as u64);
    table.changes("", |sum| [&sum.cost.old, &sum.cost.new]);
}

fn columns<'c>(
    of: &'c Compared<'_>,
    excerpts: &Excerpts<'_>,
    warnings: &[String],
    title: &str,
) -> Columns<'c> {
    let events = of.difference.events();
    let mut columns = Columns::new(events, &of.events);
    let matching = of.difference.matching;
    columns.about(&about(of, excerpts, warnings, title));

    let labels = || of.rows.iter().map(|row| row.row.label());
    let deltas = of.deltas.iter().flatten().flatten();
    let in_stacks = deltas.filter_map(|delta| label_of(of, delta));
    let names = NameTable::new(labels().chain(in_stacks).map(|label| label.name.bytes()));
    let files = labels().map(|label| label.file);
    let files = NameTable::new(
        files
            .chain(of.lines.iter().map(|line| matching.file(line.file)))
            .chain(excerpts.files.iter().map(|excerpt| excerpt.file))
            .chain(excerpts.not_found.iter().map(|(file, _)| *file)),
    );
    let objects = NameTable::new(labels().map(|label| label.object.unwrap_or_default()));
    names.write("names", &mut columns);
    files.write("files", &mut columns);
    objects.write("objects", &mut columns);
    let rows = of.rows.iter();
    let mut table = columns.table("r", rows.clone().map(|row| &row.row));
    table.numbers("name", |row| names.place(row.label().name.bytes()));
    table.numbers("file", |row| files.place(row.label().file));
    table.numbers("object", |row| {
        objects.place(row.label().object.unwrap_or_default())
    });
    table.numbers("status", |row| match (row.pair.how, &row.old) {
        (How::Same, _) => 0,
        (How::Moved, _) => 1,
        (How::Renamed, _) => 2,
        (How::Alone, None) => 3,
        (How::Alone, Some(_)) => 4,
    });
    table.numbers("reach", |row| {
        let [old, new] = matching.both(row.pair.ids(), Side::reach);
        new.or(old).unwrap_or(Reach::Called) as u64
    });
    table.texts("was", |row| before(row.old, row.new));
    table.changes("self", |row| [&row.own.old, &row.own.new]);
    let known = matching.has_inclusive();
    table.changes("incl", |row| match known {
        true => [&row.inclusive.old[..], &row.inclusive.new],
        false => [&[]; 2],
    });
    table.counts("calls.old", |row| row.cause.calls[0]);
    table.counts("calls.new", |row| row.cause.calls[1]);
    for (at, &event) in of.events.iter().enumerate() {
        let split = |row: &ChangedFunction<'_>| row.splits.get(at).copied().flatten();
        table.counts(&format!("more.{at}"), |row| Some(split(row)?.more));
        table.counts(&format!("dearer.{at}"), |row| Some(split(row)?.dearer));
        table.counts(&format!("joint.{at}"), |row| Some(split(row)?.joint));
        table.texts(&format!("why.{at}"), |row| {
            let text = why(row, events, (at, event), at == of.first, "").unwrap_or_default();
            escape::text(&text.replace(GLUE, " ")).into_owned()
        });
    }
    let mut table = columns.table("r", rows.clone());
    table.numbers("arcs", |row| row.arcs as u64);
    table.numbers("lines", |row| row.lines as u64);
    let callers = rows.clone().map(|row| &row.other_callers);
    let callees = rows.clone().map(|row| &row.other_callees);
    let lines = rows.map(|row| &row.other_lines);
    sides(&mut columns, "r.callers+", callers);
    sides(&mut columns, "r.callees+", callees);
    sides(&mut columns, "r.lines+", lines);
    sides(&mut columns, "others", std::iter::once(&of.others));

    let counts = |arc: &ComparedArc<'_>| {
        let count = |side: &Side<'_>, arc: &CallEdge| side.reach(arc.callee).counted(arc.count);
        let counts = matching.both(arc.calls, count);
        counts.map(|count| count.unwrap_or(Some(0)))
    };
    let mut table = columns.table("a", of.arcs.iter());
    table.differences("callee", |arc| arc.callee.into());
    table.numbers("again", |arc| arc.recursive.into());
    table.counts("count.old", |arc| counts(arc)[0]);
    table.counts("count.new", |arc| counts(arc)[1]);
    table.changes("cost", |arc| {
        matching
            .both(arc.calls, Side::arc_cost)
            .map(Option::unwrap_or_default)
    });

    let line = |line: Option<u64>| line.map_or(0, |line| line.saturating_add(1));
    let mut table = columns.table("l", of.lines.iter());
    table.numbers("file", |line| files.place(matching.file(line.file)));
    table.differences("old", |row| line(row.old_line()));
    table.differences("new", |row| line(row.new_line()));
    table.changes("self", |row| {
        let change = row.cost(matching);
        [change.old, change.new]
    });
    write_excerpts(&mut columns, excerpts, &files);
    for (at, deltas) in of.deltas.iter().enumerate() {
        let Some(deltas) = deltas else { continue };
        let name = format!("d.{at}");
        let mut table = columns.table(&name, deltas.iter());
        table.numbers("kind", |delta| match delta.frame {
            DeltaFrame::Rest => 0,
            DeltaFrame::Pair(_) => 1,
            DeltaFrame::Cycle(_) => 2,
        });
        table.numbers("name", |delta| {
            label_of(of, delta).map_or(0, |label| names.place(label.name.bytes()))
        });
        table.numbers("f", |delta| match delta.frame {
            DeltaFrame::Pair(pair) => of.place(pair).map_or(0, |place| u64::from(place) + 1),
            DeltaFrame::Cycle(_) | DeltaFrame::Rest => 0,
        });
        table.differences("depth", |delta| delta.depth.into());
        table.counts("old", |delta| Some(delta.costs[0]));
        table.counts("new", |delta| Some(delta.costs[1]));
        table.counts("size", |delta| Some(delta.size));
    }
    columns
}

/// The label of a frame. A cycle has that of its first member.
fn label_of<'a>(of: &Compared<'a>, delta: &Delta) -> Option<crate::analysis::Label<'a>> {
    match delta.frame {
        DeltaFrame::Pair(pair) | DeltaFrame::Cycle(pair) => of.difference.matching.label(pair),
        DeltaFrame::Rest => None,
    }
}

/// The previous name, file or object of a function, if it differs.
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

fn about(of: &Compared<'_>, excerpts: &Excerpts<'_>, warnings: &[String], title: &str) -> Value {
    let matching = of.difference.matching;
    let events = of.difference.events();
    let (old, new) = (&matching.old.original, &matching.new.original);
    let command = |profile: &crate::profile::Profile| shown(profile.command());
    let event = |(at, &event): (usize, &Event)| {
        let total = of.difference.frame.total.counted(events, event);
        let [old, new] = total.map(|count| count.to_string());
        let steps = of.waterfalls.get(at).into_iter().flatten();
        json!({
            "name": shown(events.name(event)),
            "long": long_name(events, event),
            "old": old,
            "new": new,
            "shares": events.has_shares(event),
            "waterfall": Value::from_iter(steps.map(|step| self::step(of, step))),
        })
    };
    let mut notes = vec![format!(
        "The page omits what changed by less than {} of the total of every event: {} functions that changed, and calls and lines of others; {} functions did not change. Every list says how much it omits.",
        of.least,
        grouped(of.others.count),
        grouped(of.difference.frame.unchanged.count)
    )];
    notes.extend(source_notes(excerpts));
    let warnings = warnings.iter().map(|warning| escape::text(warning));
    json!({
        "title": title,
        "own_code": own_code(matching.new.folds),
        "old": inputs(old),
        "new": inputs(new),
        "commands": [command(old), command(new)],
        "events": Value::from_iter(of.events.iter().enumerate().map(event)),
        "first": of.first,
        "sort": sort(of.by),
        "least": of.least.to_string(),
        "has_inclusive": matching.has_inclusive(),
        "warnings": Value::from_iter(warnings),
        "notes": notes,
        "sources": sources(excerpts),
    })
}

fn step(of: &Compared<'_>, step: &crate::view::whole::WaterfallStep) -> Value {
    let many = |count: usize, what: &str| match count {
        1 => format!("1 other function {what}"),
        _ => format!("{} other functions {what}", grouped(count)),
    };
    let (label, f) = match step.what {
        Stepped::Row(at) => match of.difference.listed.get(at) {
            Some(&at) => (
                shown(of.difference.row(at).label().name.bytes()),
                of.place(at),
            ),
            None => (String::new(), None),
        },
        Stepped::Others(count) => (many(count, "in both runs"), None),
        Stepped::Appeared(count) => (many(count, "only in the new run"), None),
        Stepped::Gone(count) => (many(count, "only in the old run"), None),
        Stepped::Outside => ("not attributed to any function".into(), None),
    };
    // `f` is the index of the function on the page.
    json!({ "label": label, "f": f, "change": step.change.to_string() })
}
