//! `docs/json.schema.json` is made of the types that are written as JSON. What is streamed without
//! a type, the report and its numerous records, has its keys here. The tests of the program check
//! that all documents fit the schema, and that all its keys are written.
//!
//! `ANSWERS=write cargo test schema` writes the file again.
#![cfg(feature = "cli")]

use super::{
    check::json::JsonChecked,
    difference_json::{JsonChange, JsonDifference, JsonGroup, JsonLine},
    json::{CallContext, FunctionExtras, JsonCycle, JsonWarning, LineExtras},
    json_code::{CallInstruction, JsonDebug, JsonInstruction, JsonJump, OfChain},
    json_parts::{JsonCounts, JsonProfile, JsonText, SCHEMA},
    json_zoom::{JsonRecord, JsonZoom},
    trend_json::JsonHistory,
};
use crate::analysis::growth::SHAPES;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The report: `--format=json`.
#[derive(Serialize, JsonSchema)]
struct JsonReport<'a> {
    /// The version of the schema.
    schema: u32,
    /// The program that wrote the document, and its version.
    generator: &'static str,
    /// What was read.
    profile: JsonProfile<'a>,
    /// The columns of every array of costs: the recorded events, then derived events of the
    /// profile, then those that `--event`, `--show` or `--sort` name.
    events: Vec<JsonText<'a>>,
    /// What is 100 %.
    totals: JsonCounts<'a>,
    /// Where `totals` come from: a summary or totals of the profile, or the sum of the self costs.
    totals_source: &'static str,
    #[serde(flatten)]
    own: Option<OwnKeys<'a>>,
    /// The functions that have costs or are called, the most expensive first. Your functions that
    /// only occur inlined come last. Other records refer to a function by its index here, from 0.
    functions: Vec<JsonFunction<'a>>,
    #[serde(flatten)]
    zoom: Option<ZoomKeys<'a>>,
    /// The self costs by function, file and line. Omitted if the format has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<ReportLine<'a>>>,
    /// All calls from one function to another. Omitted if the format has no calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<JsonCall<'a>>>,
    /// The functions that call each other, the most expensive cycle first. Omitted if the format
    /// has no calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    cycles: Option<Vec<JsonCycle<'a>>>,
    /// Of aprof: the costs by call context, in depth-first order.
    #[serde(skip_serializing_if = "Option::is_none")]
    contexts: Option<Vec<CallContext<'a>>>,
    /// With `--inlined`: the self costs by chain of inlined functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<Vec<OfChain<'a>>>,
    /// With `--inlined`: the debug information of each object.
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<Vec<JsonDebug<'a>>>,
    #[serde(flatten)]
    instructions: Option<InstructionKeys<'a>>,
    /// What is wrong with the inputs: at most 1,000 warnings of each kind.
    warnings: Vec<JsonWarning<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct OwnKeys<'a> {
    /// With `--own`, `--own-code` or `--fold`: the patterns for your code, or `(by rule)`. Patterns
    /// of `--fold` begin with `not`.
    own_code: Vec<String>,
    /// With `--own`, `--own-code` or `--fold`: the costs that are not under your code. They and
    /// each `own_cost` of a function add up to `totals`.
    not_under_own: JsonCounts<'a>,
}

#[derive(Serialize, JsonSchema)]
struct ZoomKeys<'a> {
    /// With `--zoom`: the function.
    zoom: JsonZoom<'a>,
    /// With `--zoom`: the tree of callers.
    zoom_callers: Vec<JsonRecord<'a>>,
    /// With `--zoom`: the tree of callees.
    zoom_callees: Vec<JsonRecord<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct InstructionKeys<'a> {
    /// With `--by=instr`: the self costs by instruction, in the order of objects and addresses.
    instructions: Vec<JsonInstruction<'a>>,
    /// With `--by=instr`: the calls by instruction, in the order of objects and addresses.
    call_instructions: Vec<CallInstruction<'a>>,
    /// With `--by=instr`: the jumps, in the order of objects and addresses.
    jumps: Vec<JsonJump>,
}

/// A function of a report. Object, file and name identify it.
#[derive(Serialize, JsonSchema)]
struct JsonFunction<'a> {
    /// The object. It is empty if it is unknown.
    object: JsonText<'a>,
    /// The file as the profile names it, or `???`.
    file: JsonText<'a>,
    /// The name, or `???`.
    name: JsonText<'a>,
    /// The cost of the function itself. It is 0 for a function that is only a callee.
    #[serde(rename = "self")]
    self_cost: JsonCounts<'a>,
    /// The cost with everything it calls. Recursion counts once. Null if an input has no calls.
    inclusive: Option<JsonCounts<'a>>,
    /// How often it is called, including by itself. Null if an input has no calls.
    called: Option<u64>,
    /// The inclusive cost per call, rounded to hundredths. Null without calls, and if all of them
    /// began before the profile.
    per_call: Option<Vec<Option<f64>>>,
    /// The `id` of its cycle. Null if it is not in a cycle.
    cycle: Option<usize>,
    #[serde(flatten)]
    more: FunctionExtras,
}

/// The cost of a line of a function.
#[derive(Serialize, JsonSchema)]
struct ReportLine<'a> {
    /// The index of the function in `functions`.
    function: u32,
    /// The file with the code. For inlined code it is not the file of the function.
    file: JsonText<'a>,
    /// The line, from 1. It is 0 if it is unknown.
    line: u64,
    /// The cost of the line without calls.
    #[serde(rename = "self")]
    self_cost: JsonCounts<'a>,
    #[serde(flatten)]
    more: Option<LineExtras<'a>>,
}

/// All calls from one function to another.
#[derive(Serialize, JsonSchema)]
struct JsonCall<'a> {
    /// The index of the caller in `functions`.
    caller: u32,
    /// The index of the callee in `functions`.
    callee: u32,
    /// The number of calls. It is 0 if the profile does not count calls, or if they began before
    /// the profile.
    count: u64,
    /// The cost of the calls. Within recursion these costs contain each other.
    inclusive: JsonCounts<'a>,
    /// The same by file and line.
    sites: Vec<ReportSite<'a>>,
}

/// The calls of one line.
#[derive(Serialize, JsonSchema)]
struct ReportSite<'a> {
    /// The file with the calls.
    file: JsonText<'a>,
    /// The line, from 1. It is 0 if it is unknown.
    line: u64,
    /// The number of calls.
    count: u64,
    /// The cost of the calls.
    inclusive: JsonCounts<'a>,
}

/// The values of keys that are words: the type, the key, and the words.
const WORDS: [(&str, &str, &[&str]); 16] = [
    (
        "Profile",
        "format",
        &[
            "callgrind",
            "cachegrind",
            "xdebug-trace",
            "webgrind",
            "aprof",
            "baseline",
        ],
    ),
    (
        "Split",
        "by",
        &["part", "thread", "pid", "run", "input", "trigger"],
    ),
    (
        "Report",
        "totals_source",
        &["summary", "totals", "computed"],
    ),
    ("Zoom", "basis", &["recorded", "estimated", "none"]),
    ("Debug", "state", &["used", "none", "other-binary"]),
    ("Growth", "shape", &[]),
    ("Grows", "shape", &[]),
    (
        "Change",
        "status",
        &["same", "moved", "renamed", "new", "gone"],
    ),
    ("Change", "in_cycle", &["old", "new"]),
    ("Inside", "place", &["own", "recursion", "callee"]),
    ("Difference", "by", &["object", "file", "class"]),
    ("History", "cost", &["self", "inclusive"]),
    ("Step", "kind", &["step", "unconfirmed", "drift"]),
    ("Checked", "status", &["kept", "exceeded", "unknown"]),
    ("Limit", "level", &["error", "warn"]),
    (
        "Limit",
        "verdict",
        &["kept", "exceeded", "unconfirmed", "skipped", "unknown"],
    ),
];

/// Objects have no other keys than these, and a key that may be omitted is never null. Every key is
/// described, in one line.
fn finish(name: &str, schema: &mut Value) {
    match schema {
        Value::Array(all) => all.iter_mut().for_each(|one| finish(name, one)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| finish(name, value));
            // Nobody knows the names of Rust's integers. A key may have that name, too.
            if fields.get("format").is_some_and(Value::is_string) {
                fields.remove("format");
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if fields.get("properties").is_some_and(Value::is_object) {
                close(name, fields);
            }
        }
        _ => {}
    }
}

fn close(name: &str, fields: &mut Map<String, Value>) {
    fields.insert("additionalProperties".into(), false.into());
    let required = fields["required"].clone();
    for (key, property) in fields["properties"].as_object_mut().unwrap() {
        assert!(
            property.get("description").is_some(),
            "{name}: {key} has no description"
        );
        if required.as_array().unwrap().contains(&json!(key)) {
            continue;
        }
        // Some(null) is never written.
        if let Some(Value::Array(types)) = property.get_mut("type") {
            types.retain(|one| one != "null");
            assert_eq!(types.len(), 1, "{name}: {key}");
            property["type"] = types[0].clone();
        } else if let Some(Value::Array(any)) = property.get_mut("anyOf") {
            any.retain(|one| *one != json!({"type": "null"}));
            let only = any.pop().unwrap();
            assert!(any.is_empty(), "{name}: {key}");
            property.as_object_mut().unwrap().remove("anyOf");
            property["$ref"] = only["$ref"].clone();
        }
    }
}

fn forms(generator: &mut SchemaGenerator) -> [Value; 4] {
    [
        generator.subschema_for::<JsonReport>(),
        generator.subschema_for::<JsonDifference<Vec<JsonChange>, Vec<JsonLine>, Vec<JsonGroup>>>(),
        generator.subschema_for::<JsonHistory>(),
        generator.subschema_for::<JsonChecked>(),
    ]
    .map(Value::from)
}

/// The schema, as text.
fn schema() -> String {
    let mut generator = SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator();
    let forms = forms(&mut generator);
    // In our own names, types begin with `Json` if another type has the plain name.
    let plain = |text: String| text.replace("/Json", "/");
    let mut types = Map::new();
    for (name, mut schema) in generator.take_definitions(true) {
        let name = name.strip_prefix("Json").unwrap_or(&name).to_owned();
        assert!(
            !name.ends_with(|c: char| c.is_ascii_digit()),
            "{name}: two types"
        );
        finish(&name, &mut schema);
        let before = types.insert(name.clone(), schema);
        assert!(before.is_none(), "{name}: two types");
    }
    let shapes = SHAPES.map(|(shape, ..)| shape.name());
    for (name, key, words) in WORDS {
        let words = if words.is_empty() { &shapes } else { words };
        let property = &mut types[name]["properties"][key];
        let mut words: Vec<Value> = words.iter().map(|&word| word.into()).collect();
        match property["type"].is_array() {
            true => words.push(Value::Null),
            false => assert_eq!(property["type"], "string", "{name}: {key}"),
        }
        property["enum"] = words.into();
    }
    for name in ["Report", "Difference", "History", "Checked"] {
        types[name]["properties"]["schema"]["const"] = SCHEMA.into();
    }
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("JSON that cgannotate writes, schema {SCHEMA}"),
        "description": "Reports, comparisons (diff), histories (trend) and verdicts (check).",
        "oneOf": forms,
        "$defs": types,
    });
    let mut text = String::new();
    lay_out(&whole, 0, &mut text);
    plain(text) + "\n"
}

/// Writes a line for each key of each type.
fn lay_out(value: &Value, depth: usize, out: &mut String) {
    let Value::Object(fields) = value else {
        return out.push_str(&value.to_string());
    };
    if depth == 4 {
        return out.push_str(&value.to_string());
    }
    for (at, (key, value)) in fields.iter().enumerate() {
        let before = if at == 0 { "{" } else { "," };
        write!(out, "{before}\n{:1$}\"{key}\": ", "", 2 * depth + 2).unwrap();
        lay_out(value, depth + 1, out);
    }
    write!(out, "\n{:1$}}}", "", 2 * depth).unwrap();
}

#[test]
fn the_file_is_what_the_types_say() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.schema.json");
    let schema = schema();
    if std::env::var_os("ANSWERS").is_some_and(|how| how == "write") {
        return std::fs::write(path, schema).unwrap();
    }
    let written = std::fs::read_to_string(path).unwrap();
    assert!(
        schema == written,
        "{path} is not what the types say: ANSWERS=write cargo test schema"
    );
}
