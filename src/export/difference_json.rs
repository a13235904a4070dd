//! Writes the comparison of two runs as JSON. `docs/json.schema.json` is made of the types here.

use super::json_parts::{
    self, Figure, GENERATOR, JsonList, JsonProfile, JsonRange, JsonText, SCHEMA, event_figure,
};
use crate::{
    analysis::{
        self, Estimate, Label,
        difference::{
            self, CallerShare, Cause, ChangeRef, ChangedCode, ChangedFunction, ChangedGroup,
            ChangedLineRow, Difference, How, LineDifference, OldOrNew, Split, UnlistedChange,
        },
    },
    profile::{Event, Events, Profile},
    view::comparison::Changes,
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// Writes the document: the changes, and the functions, whatever else it lists. `columns` are the
/// events of each row of counts, in order; `warnings` were printed on standard error.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    changes: Changes<'_>,
    functions: &Difference<'_>,
    columns: &[Event],
    warnings: &[String],
    out: impl Write,
) -> io::Result<()> {
    let (lines, groups) = match changes {
        Changes::Functions(_) => (None, None),
        Changes::Lines(lines) => (Some(lines), None),
        Changes::Groups(groups) => (None, Some(groups)),
    };
    let matching = functions.matching;
    let (old, new) = (&*matching.old.original, &*matching.new.original);
    let with = With {
        events: functions.events(),
        columns,
        has_inclusive: matching.has_inclusive(),
    };
    let report = JsonDifference {
        schema: SCHEMA,
        generator: GENERATOR,
        old: JsonProfile::new(old, None),
        new: JsonProfile::new(new, None),
        events: columns
            .iter()
            .map(|&event| JsonText(with.events.name(event)))
            .collect(),
        total: with.counts(functions.frame.total.lent()),
        functions: JsonList(|| functions.rows().map(|row| with.function(&row))),
        others: with.rest(&functions.frame.others),
        unchanged: with.rest(&functions.frame.unchanged),
        outside: with.counts(functions.frame.outside.lent()),
        appeared: with.rest(&functions.appeared),
        disappeared: with.rest(&functions.disappeared),
        lines: lines.map(|lines| JsonLines {
            lines: JsonList(|| lines.rows().map(|row| with.line(lines, row))),
            other_lines: with.rest(&lines.frame.others),
            unchanged_lines: with.rest(&lines.frame.unchanged),
            outside_lines: with.counts(lines.frame.outside.lent()),
        }),
        groups: groups.map(|groups| JsonGroups {
            by: groups.by.nouns()[0],
            groups: JsonList(|| groups.rows.iter().map(|row| with.group(row))),
            other_groups: with.rest(&groups.frame.others),
            unchanged_groups: with.rest(&groups.frame.unchanged),
            outside_groups: with.counts(groups.frame.outside.lent()),
        }),
        growth: growth(old, new),
        warnings,
    };
    json_parts::write(report, out)
}

fn growth<'a>(old: &Profile, new: &'a Profile) -> Vec<JsonGrowthChange<'a>> {
    let grows = |growth: &analysis::Growth| Grows {
        shape: growth.fit.shape.name(),
        exponent: growth.exponent(),
    };
    let changes = analysis::growth::compare(old, new);
    let changes = changes.iter().map(|change| {
        let f = new.function(change.new);
        JsonGrowthChange {
            object: JsonText(new.name(f.object)),
            name: JsonText(new.name(f.name)),
            old: grows(&change.before),
            new: grows(&change.after),
        }
    });
    changes.collect()
}

/// The comparison of two runs: `diff --format=json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonDifference<'a, F, L, G> {
    /// The version of the schema.
    schema: u32,
    /// The program that wrote the document, and its version.
    generator: &'static str,
    /// What was read of the old run.
    old: JsonProfile<'a>,
    /// What was read of the new run.
    new: JsonProfile<'a>,
    /// The columns of every array of costs: the events of both runs, or those of `--show`.
    events: Vec<JsonText<'a>>,
    /// The costs of the whole runs.
    total: CostChange,
    /// The functions that changed, the largest change first.
    functions: F,
    /// The functions that changed and are not listed.
    others: UnlistedRows,
    /// The functions that did not change.
    unchanged: UnlistedRows,
    /// The costs that are not attributed to any function.
    outside: CostChange,
    /// The functions that only the new run has, listed or not.
    appeared: UnlistedRows,
    /// The functions that only the old run has, listed or not.
    disappeared: UnlistedRows,
    #[serde(flatten)]
    lines: Option<JsonLines<L>>,
    #[serde(flatten)]
    groups: Option<JsonGroups<G>>,
    /// Of aprof: the functions whose cost grows in another shape, the worse ones first. Omitted if
    /// there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    growth: Vec<JsonGrowthChange<'a>>,
    /// What standard error says about the comparison, texts for people.
    warnings: &'a [String],
}

/// The keys that `--by=line` adds.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonLines<L> {
    /// With `--by=line`: the lines that changed, the largest change first.
    lines: L,
    /// With `--by=line`: the lines that changed and are not listed.
    other_lines: UnlistedRows,
    /// With `--by=line`: the lines that did not change.
    unchanged_lines: UnlistedRows,
    /// With `--by=line`: the costs that are not attributed to any line.
    outside_lines: CostChange,
}

/// The keys that `--by` adds for objects, files or classes.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonGroups<G> {
    /// With `--by=object`, `--by=file` or `--by=class`: what a group is.
    by: &'static str,
    /// With `by`: the groups that changed, the largest change first.
    groups: G,
    /// With `by`: the groups that changed and are not listed.
    other_groups: UnlistedRows,
    /// With `by`: the groups that did not change.
    unchanged_groups: UnlistedRows,
    /// With `by`: the costs that are not attributed to any group.
    outside_groups: CostChange,
}

/// A function of aprof whose cost grows in another shape than before.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonGrowthChange<'a> {
    /// The object. It is empty if it is unknown.
    object: JsonText<'a>,
    /// The name of the function.
    name: JsonText<'a>,
    /// How the cost grows in the old run.
    old: Grows,
    /// How the cost grows in the new run.
    new: Grows,
}

/// How a cost grows with the size n of the input.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Grows {
    /// The function of n that fits best. Logarithms are to base 2.
    shape: &'static str,
    /// The c of the best fit as `a + b n^c`, or 0 if the cost does not grow.
    exponent: f64,
}

/// Costs of both runs, one number per event, in the order of `events`: a ratio with up to three
/// decimals, or null if it is not known; otherwise an integer. A cost that was not recorded is 0.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct CostChange {
    /// The costs in the old run.
    old: Vec<Option<Figure>>,
    /// The costs in the new run.
    new: Vec<Option<Figure>>,
    /// `new` minus `old`.
    change: Vec<Option<Figure>>,
}

/// Functions, lines or groups that are added up.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct UnlistedRows {
    /// How many they are.
    count: usize,
    /// The sum of their self costs.
    #[serde(rename = "self")]
    own: CostChange,
}

/// A function that changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonChange<'a> {
    /// How the function of one run was found in the other. `new` and `gone` are in one run only.
    status: &'static str,
    /// The function in the old run. Null if that run does not have it.
    old: Option<JsonName<'a>>,
    /// The function in the new run. Null if that run does not have it.
    new: Option<JsonName<'a>>,
    /// The self costs. With `--own`, `--own-code` or `--fold`, the own costs.
    #[serde(rename = "self")]
    own: CostChange,
    /// Bounds of the change per event, or null where it is exact. Omitted if all are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimated: Option<Vec<Option<JsonRange>>>,
    /// The inclusive costs. Null if they are unknown: for Cachegrind, and for several functions of
    /// a baseline.
    inclusive: Option<CostChange>,
    /// The calls by other functions.
    calls: JsonCalls,
    /// Why the inclusive cost changed, per event. Null where calls or inclusive costs are unknown.
    split: Vec<Option<Terms>>,
    /// The caller that makes most of the change of `calls`. Null if there is none.
    caller: Option<JsonCaller<'a>>,
    /// Where the cost of a call changed most in the first sort event. Null if it is unknown.
    inside: Option<JsonInside<'a>>,
    /// At most two more such places.
    inside_more: Vec<JsonInside<'a>>,
    /// The run in which calls of the function are in a cycle, if only one has the cycle. Null
    /// otherwise.
    in_cycle: Option<&'static str>,
}

/// A function of one run.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonName<'a> {
    /// The object. It is empty if it is unknown.
    object: JsonText<'a>,
    /// The file of the function.
    file: JsonText<'a>,
    /// The name of the function.
    name: JsonText<'a>,
    /// How many functions are added up.
    functions: u32,
}

/// Calls by other functions. Calls of two baselines include recursive ones.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonCalls {
    /// The number of calls in the old run. Null if it is unknown.
    old: Option<u64>,
    /// The number of calls in the new run. Null if it is unknown.
    new: Option<u64>,
}

/// The reasons for a change of inclusive cost. They add up to the change.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct Terms {
    /// More or fewer calls at the old cost per call.
    more: i128,
    /// Another cost per call, for the old number of calls.
    dearer: i128,
    /// The rest: more or fewer calls, each at another cost.
    joint: i128,
}

/// The caller that makes most of a change of calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonCaller<'a> {
    /// The file of the caller.
    file: JsonText<'a>,
    /// The name of the caller.
    name: JsonText<'a>,
    /// How many more calls it makes in the new run.
    change: i128,
    /// Whether it makes the whole change.
    all: bool,
    /// Whether only one run has these calls.
    only_side: bool,
    /// The line with the calls. Null if it is unknown.
    site: Option<JsonSite<'a>>,
}

/// A line with calls.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonSite<'a> {
    /// The file.
    file: JsonText<'a>,
    /// The line, from 1.
    line: u64,
}

/// A place where the cost of a call changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonInside<'a> {
    /// The function itself, its recursive calls, or a callee.
    place: &'static str,
    /// The name of the callee. Null for other places.
    callee: Option<JsonText<'a>>,
    /// The change of the cost per call, in thousandths.
    thousandths_per_call: i128,
}

/// A line that changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonLine<'a> {
    /// The file.
    file: JsonText<'a>,
    /// The line in the old run. Null if it has no cost there.
    old_line: Option<u64>,
    /// The line in the new run. Null if it has no cost there.
    new_line: Option<u64>,
    /// The name of the function.
    function: JsonText<'a>,
    /// The self costs.
    #[serde(rename = "self")]
    own: CostChange,
}

/// An object, file or class that changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonGroup<'a> {
    /// The name in the old run. It is empty without a name. Null if that run does not have it.
    old: Option<JsonText<'a>>,
    /// The name in the new run. It is empty without a name. Null if that run does not have it.
    new: Option<JsonText<'a>>,
    /// The self costs.
    #[serde(rename = "self")]
    own: CostChange,
}

/// The columns of every row of counts.
struct With<'a> {
    events: &'a Events,
    columns: &'a [Event],
    /// Whether both runs recorded calls.
    has_inclusive: bool,
}

impl With<'_> {
    fn counts(&self, change: ChangeRef<'_>) -> CostChange {
        let [old, new, change] = [0, 1, 2].map(|at| {
            let figures = self.columns.iter().map(|&event| {
                let figures = change.figures(self.events, event);
                event_figure(event, figures[at])
            });
            figures.collect()
        });
        CostChange { old, new, change }
    }

    fn rest(&self, rest: &UnlistedChange) -> UnlistedRows {
        UnlistedRows {
            count: rest.count,
            own: self.counts(rest.cost.lent()),
        }
    }

    fn function<'r>(&self, row: &ChangedFunction<'r>) -> JsonChange<'r> {
        let name = |label: &Option<Label<'r>>, functions| {
            label.map(|label| JsonName {
                object: JsonText(label.object.unwrap_or(b"")),
                file: JsonText(label.file),
                name: JsonText(label.name.bytes()),
                functions,
            })
        };
        let [old, new] = row.cause.calls;
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
                let bounds = |known: Estimate| JsonRange {
                    least: known.least,
                    most: known.most,
                };
                row.estimated
                    .iter()
                    .map(|known| known.map(bounds))
                    .collect()
            }),
            inclusive: (self.has_inclusive && row.knows_inclusive)
                .then(|| self.counts(row.inclusive.lent())),
            calls: JsonCalls { old, new },
            split: row
                .splits
                .iter()
                .map(|split| {
                    split.map(
                        |Split {
                             more,
                             dearer,
                             joint,
                         }| Terms {
                            more,
                            dearer,
                            joint,
                        },
                    )
                })
                .collect(),
            caller: caller(&row.cause),
            inside: row.cause.inside.first().map(inside),
            inside_more: row.cause.inside.iter().skip(1).map(inside).collect(),
            in_cycle: row.cause.in_cycle.map(OldOrNew::name),
        }
    }

    fn group<'r>(&self, row: &'r ChangedGroup<'_>) -> JsonGroup<'r> {
        let [old, new] = [&row.old, &row.new].map(|name| name.as_deref().map(JsonText));
        JsonGroup {
            old,
            new,
            own: self.counts(row.cost.lent()),
        }
    }

    fn line<'r>(&self, lines: &LineDifference<'r>, row: &ChangedLineRow<'r>) -> JsonLine<'r> {
        JsonLine {
            file: JsonText(lines.place(row).0),
            old_line: row.old_line(),
            new_line: row.new_line(),
            function: JsonText(
                lines
                    .matching
                    .label(row.pair)
                    .map_or(b"???", |label| label.name.bytes()),
            ),
            own: self.counts(row.cost(lines.matching)),
        }
    }
}

fn caller<'r>(cause: &Cause<'r>) -> Option<JsonCaller<'r>> {
    cause.caller.as_ref().map(|caller| JsonCaller {
        file: JsonText(caller.label.file),
        name: JsonText(caller.label.name.bytes()),
        change: caller.change,
        all: caller.share == CallerShare::All,
        only_side: caller.alone,
        site: caller.site.map(|(file, line)| JsonSite {
            file: JsonText(file),
            line,
        }),
    })
}

fn inside<'r>(inside: &difference::Inside<'r>) -> JsonInside<'r> {
    let (place, callee) = match &inside.place {
        ChangedCode::Own => ("own", None),
        ChangedCode::Recursion(..) => ("recursion", None),
        ChangedCode::Callee(label) => ("callee", Some(JsonText(label.name.bytes()))),
    };
    JsonInside {
        place,
        callee,
        thousandths_per_call: inside.thousandths,
    }
}
