//! Writes the comparison of many runs as JSON. `docs/json.schema.json` is made of the types here.

use super::json_parts::{self, GENERATOR, JsonRange, JsonText, SCHEMA};
use crate::analysis::{
    Cost,
    history::{Trend, TrendChange, TrendRow},
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The comparison of many runs: `trend --format=json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonHistory<'a> {
    /// The version of the schema.
    schema: u32,
    /// The program that wrote the document, and its version.
    generator: &'static str,
    /// The event that is compared.
    event: &'a str,
    /// Which cost of the event is compared.
    cost: &'static str,
    /// The rule that decides what a change is.
    rule: RuleAbout,
    /// The runs, the oldest first.
    runs: Vec<JsonRun<'a>>,
    /// The whole program.
    total: JsonTrend<'a>,
    /// The functions, objects, files or classes that changed, the largest change first.
    rows: Vec<JsonTrend<'a>>,
    /// How many more rows changed.
    others: usize,
    /// How many rows did not change.
    unchanged: usize,
}

/// The rule that decides what a change is.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct RuleAbout {
    /// How many of the last runs define the noise.
    window: usize,
    /// How many runs confirm a change.
    confirm: usize,
    /// The least change that counts, as a divisor of the total: 10000 is a 10,000th.
    share: i128,
    /// Whether there are enough runs for the rule: at least twice `confirm`.
    known: bool,
}

/// A run.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonRun<'a> {
    /// The number of the run, from 1.
    run: usize,
    /// Its name.
    name: &'a str,
    /// The commit that was measured. Null if it is not recorded.
    commit: Option<&'a str>,
    /// Its profiles.
    files: &'a [String],
}

/// A function or a group over all runs.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonTrend<'a> {
    /// The object in the last run that has the row. It is empty for the whole program and for sums.
    object: JsonText<'a>,
    /// The file in the last run that has the row. It is empty for the whole program and for sums.
    file: JsonText<'a>,
    /// The name in the last run that has the row.
    name: JsonText<'a>,
    /// How many functions of that run are in the row.
    functions: u32,
    /// The cost in every run.
    values: &'a [i128],
    /// How many runs there are since the last step.
    level: usize,
    /// The range of the last `window` runs of the level. Null if the level has fewer runs, or if
    /// there are no more runs in all.
    noise: Option<JsonRange>,
    /// The changes, in the order of runs.
    changes: Vec<JsonStep<'a>>,
}

/// A change of a row.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonStep<'a> {
    /// A `step` at one run, an `unconfirmed` step with too few runs since, or a `drift` over many.
    kind: &'static str,
    /// The number of the run with the change.
    run: usize,
    /// Of a drift: the number of the last run of the level. Null for other changes.
    until: Option<usize>,
    /// The median before the change. Halves are rounded up.
    before: i128,
    /// The median after the change. Halves are rounded up.
    after: i128,
    /// The change divided by `before`, neither of them rounded. Null if `before` is 0.
    share: Option<f64>,
    /// Reasons for the change, texts for people.
    why: &'a [String],
}

/// Writes the document.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(trend: &Trend<'_>, out: impl Write) -> io::Result<()> {
    let report = JsonHistory {
        schema: SCHEMA,
        generator: GENERATOR,
        event: &trend.event,
        cost: match trend.cost {
            Cost::Own => "self",
            Cost::Inclusive => "inclusive",
        },
        rule: RuleAbout {
            window: trend.rule.window,
            confirm: trend.rule.confirm,
            share: trend.rule.share,
            known: trend.is_known(),
        },
        runs: (trend.runs.iter().zip(1..))
            .map(|(about, run)| JsonRun {
                run,
                name: &about.name,
                commit: about.commit.as_deref(),
                files: &about.files,
            })
            .collect(),
        total: row(&trend.total),
        rows: trend.rows.iter().map(row).collect(),
        others: trend.others,
        unchanged: trend.unchanged,
    };
    json_parts::write(report, out)
}

fn row<'a>(row: &'a TrendRow<'a>) -> JsonTrend<'a> {
    JsonTrend {
        object: JsonText(row.who.object),
        file: JsonText(row.who.file),
        name: JsonText(row.who.name),
        functions: row.who.members,
        values: &row.values,
        level: row.level,
        noise: row.noise.map(|noise| JsonRange {
            least: noise.least,
            most: noise.most,
        }),
        changes: row.changes.iter().map(change).collect(),
    }
}

fn change(change: &TrendChange) -> JsonStep<'_> {
    let [before, after] = change.medians();
    JsonStep {
        kind: change.kind.word(),
        run: change.run + 1,
        until: change.until.map(|run| run + 1),
        before,
        after,
        share: change.share(),
        why: &change.why,
    }
}
