//! The building blocks of JSON records: names, rows of counts, arrays.

use crate::{
    analysis::OrderedProfile,
    profile::{Event, Events, Profile, SplitBy},
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;
use std::{
    borrow::Cow,
    io::{self, BufWriter, Write},
};

/// The version of the schema of all documents. It changes if a key is removed or changes its
/// meaning, not if one is added.
pub(super) const SCHEMA: u32 = 1;

/// The program that writes them.
pub(super) const GENERATOR: &str = concat!("cgannotate ", env!("CARGO_PKG_VERSION"));

/// A name. Bytes that are not valid UTF-8 become U+FFFD.
pub(super) struct JsonText<'a>(pub(super) &'a [u8]);

impl Serialize for JsonText<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(self.0))
    }
}

/// An integer, or a number with decimals for a ratio or a limit of `growth(…)`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub(super) enum Figure {
    /// A count.
    Whole(i128),
    /// A ratio or an exponent.
    Decimal(f64),
}

pub(super) fn figure(count: i128, unit: i128) -> Figure {
    if unit == 1 {
        Figure::Whole(count)
    } else {
        Figure::Decimal(count as f64 / unit as f64)
    }
}

/// The figure of a count. One that was never written is 0, but a ratio is not known then.
pub(super) fn event_figure(event: Event, count: Option<impl Into<i128>>) -> Option<Figure> {
    match count.map(Into::into) {
        count if !event.is_ratio() => Some(Figure::Whole(count.unwrap_or(0))),
        count => Some(figure(count?, 1000)),
    }
}

/// A row of counts, one number per event.
pub(super) struct JsonCounts<'a> {
    columns: &'a [Event],
    events: &'a Events,
    row: &'a [i64],
}

impl<'a> JsonCounts<'a> {
    pub(super) fn new(whole: &'a OrderedProfile<'a>, row: &'a [i64]) -> Self {
        JsonCounts {
            columns: &whole.events,
            events: &whole.profile.events,
            row,
        }
    }
}

impl Serialize for JsonCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.columns
                .iter()
                .map(|&event| event_figure(event, self.events.count(self.row, event))),
        )
    }
}

/// A document that is written key by key. Each key begins a line.
pub(super) struct Document<W: Write> {
    pub out: BufWriter<W>,
    keys: usize,
}

impl<W: Write> Document<W> {
    pub(super) fn new(out: W) -> Self {
        // The serializer writes only a few bytes at a time.
        let out = BufWriter::with_capacity(256 * 1024, out);
        Document { out, keys: 0 }
    }

    /// Writes a key. Its value follows.
    pub(super) fn key(&mut self, key: &str) -> io::Result<()> {
        let before = if self.keys == 0 { "{" } else { "," };
        self.keys += 1;
        write!(self.out, "{before}\n\"{key}\":")
    }

    /// Writes a key and its value.
    pub(super) fn field(&mut self, key: &str, value: impl Serialize) -> io::Result<()> {
        self.key(key)?;
        let format = RecordLines { depth: 1 };
        value.serialize(&mut serde_json::Serializer::with_formatter(
            &mut self.out,
            format,
        ))?;
        Ok(())
    }

    pub(super) fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n}\n")?;
        self.out.flush()
    }
}

/// What was read.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonProfile<'a> {
    /// The format of the first input.
    format: &'static str,
    /// The program that recorded the first part, or empty.
    creator: JsonText<'a>,
    /// The command line that the first part recorded, or empty.
    command: JsonText<'a>,
    /// The process that the first part recorded. Null if the profile does not have it.
    pid: Option<u64>,
    /// How many parts were added up: dumps, threads, runs and files.
    parts: usize,
    /// The inputs as they were named.
    files: Vec<Cow<'a, str>>,
    /// The part of the inputs that the document covers. Only with `--split`.
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<JsonSplit<'a>>,
}

/// The part of the inputs that a document of `--split` covers.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonSplit<'a> {
    /// What the inputs are split by.
    by: String,
    /// The recorded number of the thread or process, the name of the input, why the part was
    /// written, or the number of the part from 1 over all inputs, with its name (`2: phase 1`).
    value: &'a str,
}

impl<'a> JsonProfile<'a> {
    pub(super) fn new(profile: &'a Profile, split: Option<(SplitBy, &'a str)>) -> Self {
        let part = profile.parts.first();
        JsonProfile {
            format: profile.format.shown,
            creator: JsonText(part.map_or(b"", |p| &p.creator)),
            command: JsonText(part.map_or(b"", |p| &p.command)),
            pid: part.and_then(|p| std::str::from_utf8(&p.pid).ok()?.parse().ok()),
            parts: profile.parts.len(),
            files: profile.input_names().collect(),
            split: split.map(|(by, value)| JsonSplit {
                by: by.name(),
                value,
            }),
        }
    }
}

/// Writes a whole document.
pub(super) fn write(document: impl Serialize, mut out: impl Write) -> io::Result<()> {
    let format = RecordLines { depth: 0 };
    document.serialize(&mut serde_json::Serializer::with_formatter(
        &mut out, format,
    ))?;
    out.write_all(b"\n")
}

/// Costs between two bounds.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonRange {
    /// The lowest cost.
    pub least: i128,
    /// The highest cost.
    pub most: i128,
}

/// An array whose records are created one by one.
pub(super) struct JsonList<F>(pub(super) F);

impl<F, I> Serialize for JsonList<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Begins a line for each key of the document and for each record of its arrays.
pub(super) struct RecordLines {
    pub depth: usize,
}

impl Formatter for RecordLines {
    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        let in_list = self.depth == 2;
        self.depth += 1;
        out.write_all(if in_list { b"\n{" } else { b"{" })
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(if self.depth == 0 { b"\n}" } else { b"}" })
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        out.write_all(match (first, self.depth) {
            (true, 1) => b"\n",
            (true, _) => b"",
            (false, 1) => b",\n",
            (false, _) => b",",
        })
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::{Schema, SchemaGenerator, json_schema};

    impl JsonSchema for JsonText<'_> {
        fn schema_name() -> Cow<'static, str> {
            "Text".into()
        }

        fn inline_schema() -> bool {
            true
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            String::json_schema(generator)
        }
    }

    impl JsonSchema for JsonCounts<'_> {
        fn schema_name() -> Cow<'static, str> {
            "Costs".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "One number per event, in the order of `events`: a ratio with up to \
                    three decimals, or null if it is not known; otherwise an integer of up to 64 \
                    bits. A cost that the profile does not have is 0.",
                "type": "array",
                "items": {"type": ["number", "null"]},
            })
        }
    }
}
