//! One JSON document. `docs/check.md` says what each key means.

use super::{reason, word};
use crate::analysis::budgets::{Checked, Level, Place, Row, Status};
use std::io::{self, Write};

/// The number of the schema. It changes when a key changes its meaning or goes, not when one comes.
const SCHEMA: u32 = 1;

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: u32,
    generator: &'static str,
    status: &'static str,
    doubts: &'a [String],
    limits: Vec<Limit<'a>>,
}

#[derive(serde::Serialize)]
struct Limit<'a> {
    name: &'a str,
    expression: &'a str,
    level: &'static str,
    verdict: &'static str,
    reason: Option<String>,
    value: Option<i128>,
    baseline: Option<i128>,
    at_most: Option<i128>,
    functions: Vec<Function>,
}

#[derive(serde::Serialize)]
struct Function {
    object: String,
    file: String,
    name: String,
    line: Option<u64>,
    value: i128,
    baseline: Option<i128>,
}

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: SCHEMA,
        generator: concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
        status: match checked.status {
            Status::Kept => "kept",
            Status::Exceeded => "exceeded",
            Status::Unknown => "unknown",
        },
        doubts: &checked.doubts,
        limits: checked.rows.iter().map(limit).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    out.write_all(b"\n")
}

fn limit<'a>(row: &Row<'a>) -> Limit<'a> {
    let outcome = &row.outcome;
    Limit {
        name: &row.limit.name,
        expression: &row.limit.expression.text,
        level: match row.limit.level {
            Level::Error => "error",
            Level::Warn => "warn",
        },
        verdict: word(&outcome.verdict),
        reason: reason(&outcome.verdict),
        value: outcome.value,
        baseline: outcome.baseline,
        at_most: outcome.ceiling,
        functions: row.places.iter().map(function).collect(),
    }
}

fn function(place: &Place) -> Function {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    Function {
        object: text(place.label.object.unwrap_or_default()),
        file: text(place.label.file),
        name: text(place.label.name),
        line: Some(place.line).filter(|&line| line > 0),
        value: place.now,
        baseline: place.before,
    }
}
