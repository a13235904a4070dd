//! Writes the result as one JSON document. `docs/check.md` describes its keys.

use super::super::json_parts::{GENERATOR, SCHEMA};
use super::{reason, word};
use crate::analysis::budgets::{Checked, CheckedLimit, FunctionShare, Level, Noise, Status};
use crate::profile::to_text;
use std::io::{self, Write};

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: u32,
    generator: &'static str,
    status: &'static str,
    doubts: &'a [String],
    remarks: &'a [String],
    limits: Vec<Limit<'a>>,
}

#[derive(serde::Serialize)]
struct Limit<'a> {
    name: &'a str,
    expression: &'a str,
    level: &'static str,
    verdict: &'static str,
    reason: Option<String>,
    value: Option<Figure>,
    baseline: Option<Figure>,
    at_most: Option<Figure>,
    again: Option<Figure>,
    noise: Option<Range>,
    functions: Vec<JsonBlame>,
}

/// The range of the runs in the history.
#[derive(serde::Serialize)]
struct Range {
    runs: usize,
    least: Figure,
    most: Figure,
}

#[derive(serde::Serialize)]
struct JsonBlame {
    object: String,
    file: String,
    name: String,
    line: Option<u64>,
    value: Figure,
    baseline: Option<Figure>,
}

/// A count, or an exponent with decimals.
#[derive(serde::Serialize)]
#[serde(untagged)]
enum Figure {
    Whole(i128),
    Decimal(f64),
}

fn figure(count: i128, unit: i128) -> Figure {
    if unit == 1 {
        Figure::Whole(count)
    } else {
        Figure::Decimal(count as f64 / unit as f64)
    }
}

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let report = Report {
        schema: SCHEMA,
        generator: GENERATOR,
        status: match checked.status {
            Status::Kept => "kept",
            Status::Exceeded => "exceeded",
            Status::Unknown => "unknown",
        },
        doubts: &checked.doubts,
        remarks: &checked.remarks,
        limits: checked.rows.iter().map(limit).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    out.write_all(b"\n")
}

fn limit<'a>(row: &CheckedLimit<'a>) -> Limit<'a> {
    let outcome = &row.outcome;
    let shown = |count| figure(count, outcome.unit);
    Limit {
        name: &row.limit.name,
        expression: &row.limit.expression.text,
        level: match row.limit.level {
            Level::Error => "error",
            Level::Warn => "warn",
        },
        verdict: word(&outcome.verdict),
        reason: reason(outcome),
        value: outcome.value.map(shown),
        baseline: outcome.baseline.map(shown),
        at_most: outcome.ceiling.map(shown),
        again: outcome.again.map(shown),
        noise: match outcome.noise {
            Some(Noise::Known {
                runs,
                range: [least, most],
                ..
            }) => Some(Range {
                runs,
                least: shown(least),
                most: shown(most),
            }),
            _ => None,
        },
        functions: row.places.iter().map(function).collect(),
    }
}

fn function(place: &FunctionShare) -> JsonBlame {
    JsonBlame {
        object: to_text(place.label.object.unwrap_or_default()),
        file: to_text(place.label.file),
        name: to_text(place.label.name.bytes()),
        line: Some(place.line).filter(|&line| line > 0),
        value: figure(place.now, place.unit),
        baseline: place.before.map(|before| figure(before, place.unit)),
    }
}
