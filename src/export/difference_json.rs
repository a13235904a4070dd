//! Writes the comparison of two runs as JSON, schema 1. `docs/diff.md` describes its keys.

use super::json_parts::{GENERATOR, List, RecordLines, SCHEMA, Text};
use crate::analysis::Estimate;
use crate::analysis::difference::doubts::OldOrNew;
use crate::analysis::difference::{
    self, CallerShare, Cause, ChangeRef, ChangedCode, ChangedFunction, ChangedGroup, Difference,
    How, LineDifference, LineRow, Split, UnlistedChange,
};
use crate::analysis::{self, Label};
use crate::profile::{Event, Events, Profile};
use crate::view::comparison::{Changes, Comparison};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes the document: the comparison, and its functions, whatever else it lists. `columns` are
/// the events of each row of counts, in order; `warnings` were printed on standard error.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    comparison: &Comparison<'_>,
    functions: &Difference<'_>,
    columns: &[Event],
    warnings: &[String],
    mut out: impl Write,
) -> io::Result<()> {
    let (lines, groups) = match comparison.changes {
        Changes::Functions(_) => (None, None),
        Changes::Lines(lines) => (Some(lines), None),
        Changes::Groups(groups) => (None, Some(groups)),
    };
    let matching = functions.matching;
    let with = With {
        events: functions.events(),
        columns,
        has_inclusive: matching.has_inclusive(),
    };
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, RecordLines { depth: 0 });
    let report = Report {
        schema: SCHEMA,
        generator: GENERATOR,
        old: JsonSide::new(comparison.old),
        new: JsonSide::new(comparison.new),
        events: columns
            .iter()
            .map(|&event| Text(with.events.name(event)))
            .collect(),
        total: with.counts(functions.frame.total.lent()),
        functions: List(|| functions.rows().map(|row| with.function(&row))),
        others: with.rest(&functions.frame.others),
        unchanged: with.rest(&functions.frame.unchanged),
        outside: with.counts(functions.frame.outside.lent()),
        appeared: with.rest(&functions.appeared),
        disappeared: with.rest(&functions.disappeared),
        lines: lines.map(|lines| Lines {
            lines: List(|| lines.rows().map(|row| with.line(lines, row))),
            other_lines: with.rest(&lines.frame.others),
            unchanged_lines: with.rest(&lines.frame.unchanged),
            outside_lines: with.counts(lines.frame.outside.lent()),
        }),
        groups: groups.map(|groups| Groups {
            by: groups.by.nouns()[0],
            groups: List(|| groups.rows.iter().map(|row| with.group(row))),
            other_groups: with.rest(&groups.frame.others),
            unchanged_groups: with.rest(&groups.frame.unchanged),
            outside_groups: with.counts(groups.frame.outside.lent()),
        }),
        growth: growth(comparison),
        warnings,
    };
    report.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

fn growth<'a>(comparison: &Comparison<'a>) -> Vec<Growth<'a>> {
    let new = comparison.new;
    let grows = |growth: &analysis::Growth| Grows {
        shape: growth.fit.shape.name(),
        exponent: growth.exponent(),
    };
    let changes = comparison.growth.iter().map(|change| {
        let f = new.function(change.new);
        Growth {
            object: Text(new.name(f.object)),
            name: Text(new.name(f.name)),
            old: grows(&change.before),
            new: grows(&change.after),
        }
    });
    changes.collect()
}

#[derive(Serialize)]
struct Report<'a, F: Serialize, L: Serialize, G: Serialize> {
    schema: u32,
    generator: &'static str,
    old: JsonSide<'a>,
    new: JsonSide<'a>,
    events: Vec<Text<'a>>,
    total: Counts,
    functions: F,
    others: Rows,
    unchanged: Rows,
    outside: Counts,
    appeared: Rows,
    disappeared: Rows,
    #[serde(flatten)]
    lines: Option<Lines<L>>,
    #[serde(flatten)]
    groups: Option<Groups<G>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growth: Vec<Growth<'a>>,
    warnings: &'a [String],
}

/// The keys that `--by=line` adds.
#[derive(Serialize)]
struct Lines<L> {
    lines: L,
    other_lines: Rows,
    unchanged_lines: Rows,
    outside_lines: Counts,
}

/// The keys that `--by` adds for objects, files or classes.
#[derive(Serialize)]
struct Groups<G> {
    by: &'static str,
    groups: G,
    other_groups: Rows,
    unchanged_groups: Rows,
    outside_groups: Counts,
}

/// A routine whose growth with the input size changed.
#[derive(Serialize)]
struct Growth<'a> {
    object: Text<'a>,
    name: Text<'a>,
    old: Grows,
    new: Grows,
}

#[derive(Serialize)]
struct Grows {
    shape: &'static str,
    exponent: f64,
}

#[derive(Serialize)]
struct JsonSide<'a> {
    format: &'static str,
    creator: Text<'a>,
    command: Text<'a>,
    parts: usize,
    files: Vec<Cow<'a, str>>,
}

impl<'a> JsonSide<'a> {
    fn new(profile: &'a Profile) -> JsonSide<'a> {
        let part = profile.parts.first();
        JsonSide {
            format: profile.format.shown,
            creator: Text(part.map_or(b"", |p| &p.creator)),
            command: Text(part.map_or(b"", |p| &p.command)),
            parts: profile.parts.len(),
            files: profile.input_names().collect(),
        }
    }
}

#[derive(Serialize)]
struct Counts {
    old: Vec<i64>,
    new: Vec<i64>,
    change: Vec<i128>,
}

#[derive(Serialize)]
struct Rows {
    count: usize,
    #[serde(rename = "self")]
    own: Counts,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    status: &'static str,
    old: Option<Name<'a>>,
    new: Option<Name<'a>>,
    #[serde(rename = "self")]
    own: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<Vec<Option<Bounds>>>,
    inclusive: Option<Counts>,
    calls: Calls,
    split: Vec<Option<Terms>>,
    caller: Option<Caller<'a>>,
    inside: Option<Inside<'a>>,
    inside_more: Vec<Inside<'a>>,
    in_cycle: Option<&'static str>,
}

#[derive(Serialize)]
struct Name<'a> {
    object: Text<'a>,
    file: Text<'a>,
    name: Text<'a>,
    functions: u32,
}

/// The bounds of a change of an estimated own cost.
#[derive(Serialize)]
struct Bounds {
    least: i128,
    most: i128,
}

#[derive(Serialize)]
struct Calls {
    old: Option<u64>,
    new: Option<u64>,
}

#[derive(Serialize)]
struct Terms {
    more: i128,
    dearer: i128,
    joint: i128,
}

#[derive(Serialize)]
struct Caller<'a> {
    file: Text<'a>,
    name: Text<'a>,
    change: i128,
    all: bool,
    only_side: bool,
    site: Option<Site<'a>>,
}

#[derive(Serialize)]
struct Site<'a> {
    file: Text<'a>,
    line: u64,
}

#[derive(Serialize)]
struct Inside<'a> {
    place: &'static str,
    callee: Option<Text<'a>>,
    thousandths_per_call: i128,
}

#[derive(Serialize)]
struct Line<'a> {
    file: Text<'a>,
    old_line: Option<u64>,
    new_line: Option<u64>,
    function: Text<'a>,
    #[serde(rename = "self")]
    own: Counts,
}

#[derive(Serialize)]
struct Group<'a> {
    /// Null if that run has no such group.
    old: Option<Text<'a>>,
    new: Option<Text<'a>>,
    #[serde(rename = "self")]
    own: Counts,
}

/// The columns of every row of counts.
struct With<'a> {
    events: &'a Events,
    columns: &'a [Event],
    /// Whether both runs recorded calls.
    has_inclusive: bool,
}

impl With<'_> {
    fn counts(&self, change: ChangeRef<'_>) -> Counts {
        let row = |row: &[i64]| {
            self.columns
                .iter()
                .map(|&e| self.events.counted(row, e))
                .collect()
        };
        Counts {
            old: row(change.old),
            new: row(change.new),
            change: self
                .columns
                .iter()
                .map(|&event| change.delta(self.events, event))
                .collect(),
        }
    }

    fn rest(&self, rest: &UnlistedChange) -> Rows {
        Rows {
            count: rest.count,
            own: self.counts(rest.cost.lent()),
        }
    }

    fn function<'r>(&self, row: &ChangedFunction<'r>) -> JsonChange<'r> {
        let name = |label: &Option<Label<'r>>, functions| {
            label.map(|label| Name {
                object: Text(label.object.unwrap_or(b"")),
                file: Text(label.file),
                name: Text(label.name.bytes()),
                functions,
            })
        };
        JsonChange {
            status: match (row.pair.how, &row.old) {
                (How::Same, _) => "same",
                (How::Moved, _) => "moved",
                (How::Renamed, _) => "renamed",
                (How::Alone, None) => "new",
                (How::Alone, Some(_)) => "gone",
            },
            old: name(&row.old, row.members.0),
            new: name(&row.new, row.members.1),
            own: self.counts(row.own.lent()),
            estimated: row.estimated.iter().any(Option::is_some).then(|| {
                let bounds = |known: Estimate| Bounds {
                    least: known.least(),
                    most: known.most(),
                };
                row.estimated
                    .iter()
                    .map(|known| known.map(bounds))
                    .collect()
            }),
            inclusive: (self.has_inclusive && row.knows_inclusive)
                .then(|| self.counts(row.inclusive.lent())),
            calls: Calls {
                old: row.cause.calls.0,
                new: row.cause.calls.1,
            },
            split: row.splits.iter().map(|split| split.map(terms)).collect(),
            caller: caller(&row.cause),
            inside: row.cause.inside.first().map(inside),
            inside_more: row.cause.inside.iter().skip(1).map(inside).collect(),
            in_cycle: row.cause.in_cycle.map(|run| match run {
                OldOrNew::Old => "old",
                OldOrNew::New => "new",
            }),
        }
    }

    fn group<'r>(&self, row: &'r ChangedGroup<'_>) -> Group<'r> {
        let [old, new] = [&row.old, &row.new].map(|name| name.as_deref().map(Text));
        Group {
            old,
            new,
            own: self.counts(row.cost.lent()),
        }
    }

    fn line<'r>(&self, lines: &LineDifference<'r>, row: &LineRow<'r>) -> Line<'r> {
        Line {
            file: Text(lines.place(row).0),
            old_line: row.old_line(),
            new_line: row.new_line(),
            function: Text(
                lines
                    .matching
                    .label(row.pair)
                    .map_or(b"???", |label| label.name.bytes()),
            ),
            own: self.counts(row.cost(lines.matching)),
        }
    }
}

fn terms(
    Split {
        more,
        dearer,
        joint,
    }: Split,
) -> Terms {
    Terms {
        more,
        dearer,
        joint,
    }
}

fn caller<'r>(cause: &Cause<'r>) -> Option<Caller<'r>> {
    cause.caller.as_ref().map(|caller| Caller {
        file: Text(caller.label.file),
        name: Text(caller.label.name.bytes()),
        change: caller.change,
        all: caller.share == CallerShare::All,
        only_side: caller.alone,
        site: caller.site.map(|(file, line)| Site {
            file: Text(file),
            line,
        }),
    })
}

fn inside<'r>(inside: &difference::Inside<'r>) -> Inside<'r> {
    Inside {
        place: match inside.place {
            ChangedCode::Own => "own",
            ChangedCode::Recursion(..) => "recursion",
            ChangedCode::Callee(_) => "callee",
        },
        callee: match &inside.place {
            ChangedCode::Callee(label) => Some(Text(label.name.bytes())),
            ChangedCode::Own | ChangedCode::Recursion(..) => None,
        },
        thousandths_per_call: inside.thousandths,
    }
}
