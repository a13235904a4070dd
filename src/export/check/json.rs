//! Writes the result as one JSON document. `docs/json.schema.json` is made of the types here.

use super::{
    super::json_parts::{Figure, GENERATOR, JsonText, SCHEMA, figure},
    reason, word,
};
use crate::analysis::budgets::{Checked, CheckedLimit, FunctionShare, Level, Status};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{self, Write};

/// The result of `check --report=json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct JsonChecked<'a> {
    /// The version of the schema.
    schema: u32,
    /// The program that wrote the document, and its version.
    generator: &'static str,
    /// Whether the limits are kept. It is `unknown` if none is exceeded, but not all could be
    /// compared.
    status: &'static str,
    /// Why a run cannot be trusted, texts for people.
    doubts: &'a [String],
    /// Other notes, texts for people.
    remarks: &'a [String],
    /// The limits, in the order in which they were given.
    limits: Vec<JsonLimit<'a>>,
}

/// A limit and its verdict.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonLimit<'a> {
    /// The name of the limit, or its expression.
    name: &'a str,
    /// The expression as it was given.
    expression: &'a str,
    /// Whether the check fails if the limit is exceeded, or only warns.
    level: &'static str,
    /// The verdict.
    verdict: &'static str,
    /// Why the limit is skipped, unconfirmed or unknown, a text for people. Null for other
    /// verdicts.
    reason: Option<String>,
    /// The value in this run. Null if it is unknown.
    value: Option<Figure>,
    /// The value in the baseline. Null if the limit is not relative, or if it is unknown.
    baseline: Option<Figure>,
    /// The highest value that keeps the limit. Null if it is unknown.
    at_most: Option<Figure>,
    /// The value in the run of `--again`. Null unless this run exceeds noise.
    again: Option<Figure>,
    /// The range of the runs in the history. Null if the limit is not about noise, or if there are
    /// too few runs.
    noise: Option<JsonNoise>,
    /// Of an exceeded limit: at most five functions that are most responsible.
    functions: Vec<JsonBlame<'a>>,
}

/// The range of the runs in the history.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonNoise {
    /// How many runs define the range.
    runs: usize,
    /// The lowest value.
    least: Figure,
    /// The highest value.
    most: Figure,
}

/// A function that is responsible for an exceeded limit.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonBlame<'a> {
    /// The object. It is empty if it is unknown.
    object: JsonText<'a>,
    /// The file of the function.
    file: JsonText<'a>,
    /// The name of the function.
    name: JsonText<'a>,
    /// Where the code of the function begins. Null if no line is known.
    line: Option<u64>,
    /// The cost in this run.
    value: Figure,
    /// The cost in the run that this one is compared with. Null if there is none.
    baseline: Option<Figure>,
}

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let report = JsonChecked {
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

fn limit<'a>(row: &CheckedLimit<'a>) -> JsonLimit<'a> {
    let outcome = &row.outcome;
    let shown = |count| figure(count, outcome.unit);
    JsonLimit {
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
        noise: outcome.noise.as_ref().map(|noise| JsonNoise {
            runs: noise.runs,
            least: shown(noise.range[0]),
            most: shown(noise.range[1]),
        }),
        functions: row.places.iter().map(function).collect(),
    }
}

fn function<'a>(place: &FunctionShare<'a>) -> JsonBlame<'a> {
    JsonBlame {
        object: JsonText(place.label.object.unwrap_or_default()),
        file: JsonText(place.label.file),
        name: JsonText(place.label.name.bytes()),
        line: Some(place.line).filter(|&line| line > 0),
        value: figure(place.now, place.unit),
        baseline: place.before.map(|before| figure(before, place.unit)),
    }
}
