//! Documents of JSON are compared with `docs/json.schema.json`: a validator of the keywords that
//! the schema uses.

use serde_json::{Deserializer, Value};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The schema.
pub static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
});

/// What a document says of the schema.
#[derive(Default)]
pub struct Judged {
    /// What does not fit.
    pub wrong: Vec<String>,
    /// The keys that the document has, as `Type.key`, and `Type.key=VALUE` for nulls and words.
    pub seen: BTreeSet<String>,
}

/// Compares a document with the schema.
pub fn judge(document: &Value) -> Judged {
    let mut judged = Judged::default();
    judged.fits(document, &SCHEMA, "", "");
    judged
}

/// Compares the documents that a command printed. An unfinished one is the business of its test.
pub fn assert_fits(what: &impl std::fmt::Debug, printed: &[u8]) {
    let documents = Deserializer::from_slice(printed).into_iter::<Value>();
    for document in documents.map_while(Result::ok) {
        let wrong = judge(&document).wrong;
        assert!(wrong.is_empty(), "{what:?}: {wrong:#?}");
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        // An integer of more than 64 bits was read as a number with decimals.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => panic!("no type: {name}"),
    }
}

impl Judged {
    /// `at` is the place in the document, `name` the key in the schema.
    fn fits(&mut self, value: &Value, schema: &Value, at: &str, name: &str) {
        let mut wrong = |what: String| self.wrong.push(format!("{at}: {what}"));
        for (keyword, rule) in schema.as_object().unwrap() {
            let ok = match keyword.as_str() {
                "type" => match rule {
                    Value::Array(any) => any.iter().any(|t| is_of_type(value, t.as_str().unwrap())),
                    one => is_of_type(value, one.as_str().unwrap()),
                },
                "const" => value == rule,
                "enum" => rule.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().is_none_or(|n| n >= rule.as_f64().unwrap()),
                "required" => {
                    let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                    !value.is_object() || rule.as_array().unwrap().iter().all(has)
                }
                "additionalProperties" => rule == &Value::Bool(false),
                "properties" | "items" | "$ref" | "oneOf" | "anyOf" => true,
                "$schema" | "$defs" | "title" | "description" => true,
                _ => panic!("the validator does not know {keyword}"),
            };
            if !ok {
                wrong(format!("not {keyword} {rule}: {:.200}", value.to_string()));
            }
        }
        if value.is_null() || schema.get("enum").is_some() {
            self.seen.insert(format!("{name}={value}"));
        }
        if let Some(path) = schema.get("$ref") {
            let to = path.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
            self.fits(value, &SCHEMA["$defs"][to], at, to);
        }
        if let Some(any) = schema.get("oneOf").or(schema.get("anyOf")) {
            let try_one = |schema| {
                let mut judged = Judged::default();
                judged.fits(value, schema, at, name);
                judged
            };
            let all = any.as_array().unwrap().iter().map(try_one);
            let best = all.min_by_key(|judged| judged.wrong.len()).unwrap();
            self.wrong.extend(best.wrong);
            self.seen.extend(best.seen);
        }
        if let (Some(schema), Some(values)) = (schema.get("items"), value.as_array()) {
            for (index, value) in values.iter().enumerate() {
                self.fits(value, schema, &format!("{at}[{index}]"), name);
            }
        }
        if let (Some(known), Some(fields)) = (schema.get("properties"), value.as_object()) {
            for (key, value) in fields {
                let (at, name) = (format!("{at}.{key}"), format!("{name}.{key}"));
                match known.get(key) {
                    Some(schema) => self.fits(value, schema, &at, &name),
                    None => self.wrong.push(format!("{at}: unknown key")),
                }
                self.seen.insert(name);
            }
        }
    }
}
