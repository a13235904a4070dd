//! Turns a JSON report into an answer: replaces indexes with names, shortens names, and removes
//! rows until the answer fits.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;

/// Members of a report that answers omit. Calls are listed with callers and callees.
pub(super) const OMITTED: [&str; 8] = [
    "schema",
    "generator",
    "totals_source",
    "cycles",
    "inlined",
    "calls",
    "old",
    "new",
];

/// A longer name or source line is cut after this many characters.
const TEXT: usize = 120;

/// A caller or callee lists at most this many lines with calls.
const SITES: usize = 5;

/// The end of shortened names and texts.
const ELLIPSIS: char = '…';

/// A regular expression that matches a whole name. For a shortened name, it matches all names with
/// this beginning.
pub(super) fn exact_pattern(name: &str) -> String {
    match name.strip_suffix(ELLIPSIS) {
        Some(begin) => format!("^{}", regex::escape(begin)),
        None => format!("^{}$", regex::escape(name)),
    }
}

/// Shortens names and texts. [`exact_pattern`] takes a name in this form.
pub(super) fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(TEXT) {
                text.truncate(end);
                text.push(ELLIPSIS);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(values) => values.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Adds the lines with the most expensive calls to callers and callees.
pub(super) fn add_sites(document: &mut Map<String, Value>) {
    let calls = document.remove("calls").unwrap_or_default();
    let calls = calls.as_array().map_or(&[][..], Vec::as_slice);
    let zoomed = document.get("zoom").map(|zoom| zoom["function"].clone());
    for (list, ends) in [
        ("zoom_callers", ["caller", "callee"]),
        ("zoom_callees", ["callee", "caller"]),
    ] {
        let rows = document.get_mut(list).and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            let is_between = |call: &&Value| {
                call[ends[0]] == row["function"] && call.get(ends[1]) == zoomed.as_ref()
            };
            if let Some(call) = calls.iter().find(is_between) {
                row["sites"] = most_expensive(&call["sites"], "inclusive", SITES);
            }
        }
    }
}

/// The rows of a list with the highest cost of the first event.
pub(super) fn most_expensive(list: &Value, cost: &str, most: usize) -> Value {
    let mut list = list.as_array().cloned().unwrap_or_default();
    list.sort_by_key(|row| Reverse(row[cost][0].as_i64()));
    list.truncate(most);
    list.into()
}

/// Replaces indexes in `functions` with names.
pub(super) fn name_functions(document: &mut Map<String, Value>) {
    let functions = document.remove("functions").unwrap_or_default();
    for rows in document.values_mut() {
        let rows = match rows {
            Value::Array(rows) => &mut rows[..],
            row => std::slice::from_mut(row),
        };
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            let Some(index) = row.get("function").and_then(Value::as_u64) else {
                continue;
            };
            let function = &functions[index as usize];
            row.insert("function".to_owned(), function["name"].clone());
            let more: &[&str] = if row.contains_key("line") {
                // A line has a file, which differs from the function's in inlined code.
                &[]
            } else if row.contains_key("level") {
                &["file", "object"]
            } else {
                &["file", "object", "self", "inclusive", "called"]
            };
            row.extend(
                more.iter()
                    .map(|&key| (key.to_owned(), function[key].clone())),
            );
        }
    }
}

/// The text of an answer. The longest list loses rows until the text has at most `most` bytes.
pub(super) fn fit(
    hash: &str,
    notes: &[String],
    mut document: Map<String, Value>,
    most: usize,
) -> Result<String> {
    let mut omitted: Map<String, Value> = Map::new();
    loop {
        let answer = json!({
            "hash": hash, "from_profile": document, "notes": notes, "omitted": omitted,
        });
        let answer = answer.to_string();
        if answer.len() <= most {
            return Ok(answer);
        }
        let lists = document
            .iter_mut()
            .filter_map(|(key, list)| Some((key, list.as_array_mut()?)))
            .filter(|(_, list)| !list.is_empty());
        let Some((key, list)) = lists.max_by_key(|(_, list)| json!(list).to_string().len()) else {
            bail!("max_bytes: {most} is too small for this answer");
        };
        // Each step serializes the whole answer, so a long list loses many rows at once.
        let fewer = (list.len() * most / answer.len() + list.len()) / 2;
        let fewer = fewer.min(list.len() - 1);
        let before = omitted.get(key).and_then(Value::as_u64).unwrap_or(0);
        omitted.insert(key.clone(), json!(before + (list.len() - fewer) as u64));
        list.truncate(fewer);
    }
}
