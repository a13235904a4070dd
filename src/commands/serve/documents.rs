//! What becomes of a document of this program in an answer: indexes become names, lists lose what
//! is cheap, and the whole has at most so many bytes.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;

/// What answers do not have of a document. Its calls are with callers and callees.
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

/// The most library functions of a line.
const LIBRARY: usize = 3;

/// The most characters of a name or a source line.
const TEXT: usize = 120;

/// The most lines of a caller or callee with calls.
const SITES: usize = 5;

/// What shortened names and texts end with.
const CUT: char = '…';

/// A pattern for these names and no others.
pub(super) fn whole<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let pattern = |name: &str| match name.strip_suffix(CUT) {
        Some(begin) => regex::escape(begin) + ".*",
        None => regex::escape(name),
    };
    let names: Vec<String> = names.into_iter().map(pattern).collect();
    format!("^({})$", names.join("|"))
}

/// Adds to lines what a report has of them: the bounds of their costs, and the library functions
/// with the highest cost.
pub(super) fn add_library_code(lines: &mut [Value], known: Option<&Value>) {
    let same = |a: &Value, b: &Value| {
        ["function", "file", "line"]
            .iter()
            .all(|&key| a[key] == b[key])
    };
    let known = known
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    for line in lines {
        let Some(known) = known.iter().find(|known| same(known, line)) else {
            continue;
        };
        line["self"] = known["self"].clone();
        line["own_cost"] = known["own_cost"].clone();
        line["library"] = most_expensive(&known["library"], "cost", LIBRARY);
    }
}

/// Shortens names and texts. [`whole`] takes a name in this form.
pub(super) fn shorten(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some((end, _)) = text.char_indices().nth(TEXT) {
                text.truncate(end);
                text.push(CUT);
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
    let of = document.get("zoom").map(|zoom| zoom["function"].clone());
    for (list, ends) in [
        ("zoom_callers", ["caller", "callee"]),
        ("zoom_callees", ["callee", "caller"]),
    ] {
        let rows = document.get_mut(list).and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            let is_it = |call: &&Value| {
                call[ends[0]] == row["function"] && call.get(ends[1]) == of.as_ref()
            };
            if let Some(call) = calls.iter().find(is_it) {
                row["sites"] = most_expensive(&call["sites"], "inclusive", SITES);
            }
        }
    }
}

/// The first rows of a list in the order of this cost.
pub(super) fn most_expensive(list: &Value, cost: &str, most: usize) -> Value {
    let mut list = list.as_array().cloned().unwrap_or_default();
    list.sort_by_key(|row| Reverse(row[cost][0].as_i64()));
    list.truncate(most);
    list.into()
}

/// Replaces indexes in `functions` by names.
pub(super) fn name_functions(document: &mut Map<String, Value>) {
    let functions = document.remove("functions").unwrap_or_default();
    for rows in document.values_mut() {
        let rows = match rows {
            Value::Array(rows) => &mut rows[..],
            row => std::slice::from_mut(row),
        };
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            let Some(at) = row.get("function").and_then(Value::as_u64) else {
                continue;
            };
            let named = &functions[at as usize];
            row.insert("function".to_owned(), named["name"].clone());
            let more: &[&str] = match () {
                // The file of a line is that of its code.
                () if row.contains_key("line") => &[],
                () if row.contains_key("level") => &["file", "object"],
                () => &["file", "object", "self", "inclusive", "called"],
            };
            row.extend(more.iter().map(|&of| (of.to_owned(), named[of].clone())));
        }
    }
}

/// The text of an answer of at most `most` bytes: the longest list loses its last rows.
pub(super) fn fitted(
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
            bail!("max_bytes: {most} is too few for this answer");
        };
        // Many at a time while the answer is far too long.
        let fewer = (list.len() * most / answer.len() + list.len()) / 2;
        let fewer = fewer.min(list.len() - 1);
        let before = omitted.get(key).and_then(Value::as_u64).unwrap_or(0);
        omitted.insert(key.clone(), json!(before + (list.len() - fewer) as u64));
        list.truncate(fewer);
    }
}
