//! Writes the JSON report, schema 1. `docs/json.md` describes its keys. The records here define the
//! schema, so the model can change without it.
//!
//! The document is streamed. Each record of an array has its own line, so text tools can search and
//! compare it.

use super::json_parts::{Counts, List, RecordLines, Text};
use super::json_rows::Rows;
use super::{json_code, json_zoom};
use crate::analysis::own_lines::OwnLines;
use crate::analysis::{self, Estimate, OrderedProfile, Own, OwnCode, WithInlined};
use crate::profile::{self, CallRecords, FunctionId, Profile, SplitBy};
use crate::view::zoom::Zoom;
use serde::ser::{Serialize, SerializeStruct};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

/// The version of the schema. It changes if a key is removed or changes its meaning, not if one is
/// added.
const SCHEMA: u32 = 1;

/// The costs of your code, if requested.
pub struct OwnCosts<'a> {
    /// Which functions are yours.
    pub code: &'a OwnCode<'a>,
    /// The patterns, or the name of the rule.
    pub names: Vec<String>,
    /// The own costs of functions: self cost and the library code attributed to them.
    pub functions: &'a Own,
    /// The own costs of lines.
    pub lines: &'a OwnLines,
    /// If inlining is known: the profile that these costs belong to, and the functions that only
    /// occur inlined.
    pub inlined: Option<(&'a WithInlined, Vec<FunctionId>)>,
}

/// The options of the report.
#[derive(Clone, Copy, Default)]
pub struct Beside<'a> {
    /// The part of the inputs that the report covers, if it does not cover all of them.
    pub split: Option<(SplitBy, &'a str)>,
    /// The costs of your code.
    pub own: Option<&'a OwnCosts<'a>>,
    /// The only function of the report.
    pub zoom: Option<&'a Zoom<'a>>,
    /// Whether the report lists single instructions, if the profile has them.
    pub instructions: bool,
}

/// Writes the report.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(whole: &OrderedProfile<'_>, beside: Beside<'_>, out: impl Write) -> io::Result<()> {
    // The serializer writes only a few bytes at a time.
    let out = BufWriter::with_capacity(256 * 1024, out);
    let mut document = Document { out, keys: 0 };
    keys(whole, beside, &mut document)?;
    let mut out = document.out;
    out.write_all(b"\n}\n")?;
    out.flush()
}

/// The document. Each key begins a line.
struct Document<W> {
    out: W,
    keys: usize,
}

impl<W: Write> Document<W> {
    fn key(&mut self, key: &str) -> io::Result<()> {
        let before = if self.keys == 0 { "{" } else { "," };
        self.keys += 1;
        write!(self.out, "{before}\n\"{key}\":")
    }
}

impl<W: Write> SerializeStruct for Document<W> {
    type Ok = ();
    type Error = serde_json::Error;

    fn serialize_field<T: ?Sized + Serialize>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> serde_json::Result<()> {
        self.key(key).map_err(serde_json::Error::io)?;
        value.serialize(&mut serde_json::Serializer::with_formatter(
            &mut self.out,
            RecordLines { depth: 1 },
        ))
    }

    fn end(self) -> serde_json::Result<()> {
        Ok(())
    }
}

/// Writes all keys.
fn keys(
    whole: &OrderedProfile<'_>,
    beside: Beside<'_>,
    report: &mut Document<impl Write>,
) -> io::Result<()> {
    let Beside {
        split,
        own,
        zoom,
        instructions,
    } = beside;
    let profile = whole.profile;
    report.serialize_field("schema", &SCHEMA)?;
    report.serialize_field(
        "generator",
        concat!("cgannotate ", env!("CARGO_PKG_VERSION")),
    )?;
    report.serialize_field("profile", &JsonProfile::new(profile, split))?;
    report.serialize_field(
        "events",
        &List(|| whole.events.iter().map(|&e| Text(profile.events.name(e)))),
    )?;
    report.serialize_field("totals", &Counts::new(whole, &profile.totals.row))?;
    report.serialize_field("totals_source", profile.totals.source.name())?;
    if let Some(own) = own {
        report.serialize_field("own_code", &own.names)?;
        let of = own
            .inlined
            .as_ref()
            .map_or(profile, |(inlined, _)| &inlined.profile);
        report.serialize_field(
            "not_under_own",
            &Counts::new(whole, &own.functions.beyond(of)),
        )?;
    }
    report.key("functions")?;
    let mut rows = Rows::new(&mut report.out, whole);
    let says_more = own.is_some() || profile.sizes.is_some();
    for &id in &whole.functions {
        if says_more {
            rows.other(&JsonFunction::new(whole, id, own))?
        } else {
            rows.function(id)?
        }
    }
    if let Some((own, (inlined, more))) = own.and_then(|own| Some((own, own.inlined.as_ref()?))) {
        more.iter().try_for_each(|&id| {
            rows.other(&JsonFunction::only_inlined(
                whole,
                id,
                own,
                &inlined.profile,
            ))
        })?;
    }
    rows.end()?;
    if let Some(zoom) = zoom {
        json_zoom::zoomed(whole, zoom, report)?;
    }
    // A key is omitted if the format cannot record it, instead of being empty.
    if profile.format.has_lines || !profile.lines.is_empty() {
        report.key("lines")?;
        let mut rows = Rows::new(&mut report.out, whole);
        match own {
            Some(own) => lines(whole, own).try_for_each(|line| rows.other(&line))?,
            None => whole
                .lines()
                .try_for_each(|(function, line)| rows.line(function, line))?,
        }
        rows.end()?;
    }
    if profile.format.calls != CallRecords::Absent || !profile.arcs.is_empty() {
        report.key("calls")?;
        let mut rows = Rows::new(&mut report.out, whole);
        for (caller, callee, arc) in whole.calls() {
            rows.call(
                caller,
                callee,
                arc.count,
                profile.arc_cost(arc),
                &whole.sites(arc),
            )?;
        }
        rows.end()?;
        report.serialize_field(
            "cycles",
            &List(|| {
                whole.cycles().map(|(id, members, cycle)| Cycle {
                    id,
                    members,
                    self_cost: Counts::new(whole, &cycle.self_cost),
                    inclusive: Counts::new(whole, &cycle.inclusive),
                })
            }),
        )?;
    }
    if let Some(tree) = profile.tree.as_ref().filter(|_| profile.sizes.is_some()) {
        report.serialize_field(
            "contexts",
            &List(|| {
                tree.contexts().iter().filter_map(|context| {
                    Some(CallContext {
                        function: whole.place(context.function)?,
                        depth: context.depth,
                        calls: context.calls,
                        self_cost: Counts::new(whole, tree.self_cost(context)),
                        inclusive: Counts::new(whole, tree.inclusive(context)),
                    })
                })
            }),
        )?;
    }
    if let Some((code, inlined)) = analysis::inlined::parts(profile) {
        json_code::inlined(whole, code, inlined, report)?;
    }
    if let Some(code) = profile.code.as_ref().filter(|_| instructions) {
        json_code::instructions(whole, code, report)?;
    }
    report.serialize_field(
        "warnings",
        &List(|| {
            profile.warnings.kept().iter().map(|w| Warning {
                file: w.file.to_string_lossy(),
                line: w.line,
                kind: w.kind.name(),
                message: &w.message,
            })
        }),
    )?;
    Ok(())
}

#[derive(serde::Serialize)]
struct JsonProfile<'a> {
    format: &'static str,
    creator: Text<'a>,
    command: Text<'a>,
    pid: Option<u64>,
    parts: usize,
    files: Vec<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<Split<'a>>,
}

#[derive(serde::Serialize)]
struct Split<'a> {
    by: &'static str,
    value: &'a str,
}

impl<'a> JsonProfile<'a> {
    fn new(profile: &'a Profile, split: Option<(SplitBy, &'a str)>) -> Self {
        let part = profile.parts.first();
        JsonProfile {
            format: profile.format.shown,
            creator: Text(part.map_or(b"", |p| &p.creator)),
            command: Text(part.map_or(b"", |p| &p.command)),
            pid: part.and_then(|p| std::str::from_utf8(&p.pid).ok()?.parse().ok()),
            parts: profile.parts.len(),
            files: profile.input_names().collect(),
            split: split.map(|(by, value)| Split {
                by: by.name(),
                value,
            }),
        }
    }
}

#[derive(serde::Serialize)]
struct JsonFunction<'a> {
    object: Text<'a>,
    file: Text<'a>,
    name: Text<'a>,
    #[serde(rename = "self")]
    self_cost: Counts<'a>,
    inclusive: Option<Counts<'a>>,
    called: Option<u64>,
    cycle: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<Point>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<Growth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_cost: Option<Vec<JsonEstimate>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<u64>,
}

/// An estimate. All three values are equal if it is exact.
#[derive(serde::Serialize)]
struct JsonEstimate {
    value: i128,
    least: i128,
    most: i128,
}

impl From<Estimate> for JsonEstimate {
    fn from(known: Estimate) -> JsonEstimate {
        JsonEstimate {
            value: known.value(),
            least: known.least(),
            most: known.most(),
        }
    }
}

/// The activations of a routine with one input size.
#[derive(serde::Serialize)]
struct Point {
    size: u64,
    calls: u64,
    least: Option<i64>,
    greatest: Option<i64>,
    sum: i64,
    inclusive: i64,
    #[serde(rename = "self")]
    own: Option<i64>,
    variance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_system: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_threads: Option<u64>,
}

#[derive(serde::Serialize)]
struct Growth {
    shape: &'static str,
    a: f64,
    b: f64,
    r2: f64,
    exponent: f64,
    power: Power,
}

#[derive(serde::Serialize)]
struct Power {
    a: f64,
    b: f64,
    c: f64,
    r2: f64,
}

#[derive(serde::Serialize)]
struct CallContext<'a> {
    function: u32,
    depth: u32,
    calls: u64,
    #[serde(rename = "self")]
    self_cost: Counts<'a>,
    inclusive: Counts<'a>,
}

fn points(profile: &Profile, id: FunctionId) -> Option<Vec<Point>> {
    let points = profile
        .sizes
        .as_ref()?
        .points(id)
        .map(|(size, point)| Point {
            size,
            calls: point.calls,
            least: point.least,
            greatest: point.most,
            sum: point.sum,
            inclusive: point.real,
            own: point.own,
            variance: point.variance(),
            from_system: point.outside.map(|outside| outside.system),
            from_threads: point.outside.map(|outside| outside.threads),
        });
    Some(points.collect())
}

fn growth(growth: analysis::Growth) -> Growth {
    let (fit, power) = (growth.fit, growth.power);
    Growth {
        shape: fit.shape.name(),
        a: fit.a,
        b: fit.b,
        r2: fit.r2,
        exponent: growth.exponent(),
        power: Power {
            a: power.a,
            b: power.b,
            c: power.c,
            r2: power.r2,
        },
    }
}

impl<'a> JsonFunction<'a> {
    fn new(whole: &'a OrderedProfile<'a>, id: FunctionId, own: Option<&OwnCosts<'_>>) -> Self {
        let (profile, inclusive) = (whole.profile, whole.inclusive);
        let f = profile.function(id);
        JsonFunction {
            object: Text(profile.name(f.object)),
            file: Text(profile.name(f.file)),
            name: Text(profile.name(f.name)),
            self_cost: Counts::new(whole, profile.self_cost(id)),
            inclusive: profile
                .has_inclusive()
                .then(|| Counts::new(whole, inclusive.cost(id))),
            called: profile.has_inclusive().then(|| inclusive.called(id)),
            cycle: inclusive.cycle_of(id).map(|at| at + 1),
            points: points(profile, id),
            growth: whole.growth(id).map(growth),
            own: own.map(|own| own.code.has(id)),
            own_cost: own.filter(|own| own.code.has(id)).map(|own| {
                let known = |&event| own.functions.estimate(profile, id, event).into();
                whole.events.iter().map(known).collect()
            }),
            places: own
                .filter(|own| own.code.has(id))
                .and_then(|own| own.inlined.as_ref()?.0.places(id)),
        }
    }

    /// A function of yours that only occurs inlined. The profile has no record of it, so only its
    /// own cost is not zero.
    fn only_inlined(
        whole: &'a OrderedProfile<'a>,
        id: FunctionId,
        own: &OwnCosts<'_>,
        of: &'a Profile,
    ) -> Self {
        let f = of.function(id);
        JsonFunction {
            object: Text(of.name(f.object)),
            file: Text(of.name(f.file)),
            name: Text(of.name(f.name)),
            self_cost: Counts::new(whole, &[]),
            inclusive: Some(Counts::new(whole, &[])),
            called: Some(0),
            cycle: None,
            points: None,
            growth: None,
            own: Some(true),
            own_cost: Some(
                whole
                    .events
                    .iter()
                    .map(|&event| own.functions.estimate(of, id, event).into())
                    .collect(),
            ),
            places: own
                .inlined
                .as_ref()
                .and_then(|(inlined, _)| inlined.places(id)),
        }
    }
}

#[derive(serde::Serialize)]
struct Line<'a> {
    function: u32,
    file: Text<'a>,
    line: u64,
    #[serde(rename = "self")]
    self_cost: Counts<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_cost: Option<Vec<JsonEstimate>>,
}

/// The lines of all functions. For own functions, this includes lines with no cost but that of
/// library code attributed to them.
fn lines<'a>(
    whole: &'a OrderedProfile<'a>,
    own: &'a OwnCosts<'a>,
) -> impl Iterator<Item = Line<'a>> {
    let profile = whole.profile;
    let line = move |function, line: &profile::Line| Line {
        function,
        file: Text(profile.name(line.file)),
        line: line.line,
        self_cost: Counts::new(whole, profile.line_cost(line)),
        own_cost: None,
    };
    let plain = whole
        .lines()
        .filter(move |(_, of)| !own.code.has(of.function));
    let plain = plain.map(move |(function, of)| line(function, of));
    let more = own.inlined.iter().flat_map(|(_, more)| more);
    let functions = (0..)
        .zip(whole.functions.iter().chain(more))
        .filter(|&(_, &id)| own.code.has(id));
    let owned = functions.flat_map(move |(function, &id)| {
        let mut all: BTreeMap<(&[u8], u64), Line<'a>> = BTreeMap::new();
        for of in profile.lines_of(id) {
            let zero = || JsonEstimate {
                value: 0,
                least: 0,
                most: 0,
            };
            let own_cost = Some(whole.events.iter().map(|_| zero()).collect());
            all.insert(
                (profile.name(of.file), of.line),
                Line {
                    own_cost,
                    ..line(function, of)
                },
            );
        }
        for of in own.lines.lines_of(id) {
            let name = profile.name(of.file);
            let record = all.entry((name, of.line)).or_insert_with(|| Line {
                function,
                file: Text(name),
                line: of.line,
                self_cost: Counts::new(whole, &[]),
                own_cost: None,
            });
            let known = |&event| own.lines.estimate(profile, of, event).into();
            record.own_cost = Some(whole.events.iter().map(known).collect());
        }
        all.into_values()
    });
    plain.chain(owned)
}

#[derive(serde::Serialize)]
struct Cycle<'a> {
    id: usize,
    members: Vec<u32>,
    #[serde(rename = "self")]
    self_cost: Counts<'a>,
    inclusive: Counts<'a>,
}

#[derive(serde::Serialize)]
struct Warning<'a> {
    file: Cow<'a, str>,
    line: Option<u64>,
    kind: &'static str,
    message: &'a str,
}
