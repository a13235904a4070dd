//! Writes the comparison of many runs as JSON, schema 1. `docs/trend.md` describes its keys.

use super::json_parts::{GENERATOR, RecordLines, SCHEMA, Text};
use crate::analysis::difference::Cost;
use crate::analysis::history::{Trend, TrendChange, TrendRow};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Report<'a> {
    schema: u32,
    generator: &'static str,
    event: &'a str,
    cost: &'static str,
    rule: RuleAbout,
    runs: Vec<JsonRun<'a>>,
    total: JsonTrend<'a>,
    rows: Vec<JsonTrend<'a>>,
    others: usize,
    unchanged: usize,
}

#[derive(Serialize)]
struct RuleAbout {
    window: usize,
    confirm: usize,
    share: i128,
    known: bool,
}

#[derive(Serialize)]
struct JsonRun<'a> {
    run: usize,
    name: &'a str,
    commit: Option<&'a str>,
    files: &'a [String],
}

#[derive(Serialize)]
struct JsonTrend<'a> {
    object: Text<'a>,
    file: Text<'a>,
    name: Text<'a>,
    functions: u32,
    values: &'a [i128],
    level: usize,
    noise: Option<Noise>,
    changes: Vec<Change<'a>>,
}

#[derive(Serialize)]
struct Noise {
    least: i128,
    most: i128,
}

#[derive(Serialize)]
struct Change<'a> {
    kind: &'static str,
    run: usize,
    until: Option<usize>,
    before: i128,
    after: i128,
    share: Option<f64>,
    why: &'a [String],
}

/// Writes the document.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(trend: &Trend<'_>, mut out: impl Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, RecordLines { depth: 0 });
    let report = Report {
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
    report.serialize(&mut serializer)?;
    out.write_all(b"\n")
}

fn row<'a>(row: &'a TrendRow<'a>) -> JsonTrend<'a> {
    JsonTrend {
        object: Text(row.who.object),
        file: Text(row.who.file),
        name: Text(row.who.name),
        functions: row.who.members,
        values: &row.values,
        level: row.level,
        noise: row.noise.map(|noise| Noise {
            least: noise.least,
            most: noise.most,
        }),
        changes: row.changes.iter().map(change).collect(),
    }
}

fn change(change: &TrendChange) -> Change<'_> {
    let [before, after] = change.medians();
    Change {
        kind: change.kind.word(),
        run: change.run + 1,
        until: change.until.map(|run| run + 1),
        before,
        after,
        share: change.share(),
        why: &change.why,
    }
}
