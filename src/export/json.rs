//! Writes the JSON report. The records here define its schema, `docs/json.schema.json`, so the
//! model can change without it. The comment of a field is its description there.
//!
//! The document is streamed. Each record of an array has its own line, so text tools can search and
//! compare it.

use super::{
    json_code,
    json_parts::{Document, GENERATOR, JsonCounts, JsonList, JsonProfile, JsonText, SCHEMA},
    json_rows::JsonRows,
    json_zoom,
};
use crate::{
    analysis::{
        self, Estimate, Growth, OrderedProfile, Own, OwnCode, WithInlined, own_lines::OwnLines,
    },
    profile::{CallRecords, Event, FunctionId, Line, Profile, SplitBy},
    view::Zoom,
};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, Write},
};

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
pub fn write(
    whole: &OrderedProfile<'_>,
    Beside {
        split,
        own,
        zoom,
        instructions,
    }: Beside<'_>,
    out: impl Write,
) -> io::Result<()> {
    let report = &mut Document::new(out);
    let profile = whole.profile;
    report.field("schema", SCHEMA)?;
    report.field("generator", GENERATOR)?;
    report.field("profile", JsonProfile::new(profile, split))?;
    report.field(
        "events",
        JsonList(|| {
            whole
                .events
                .iter()
                .map(|&e| JsonText(profile.events.name(e)))
        }),
    )?;
    report.field("totals", JsonCounts::new(whole, &profile.totals.row))?;
    report.field("totals_source", profile.totals.source.name())?;
    if let Some(own) = own {
        report.field("own_code", &own.names)?;
        let of = own
            .inlined
            .as_ref()
            .map_or(profile, |(inlined, _)| &inlined.profile);
        report.field(
            "not_under_own",
            JsonCounts::new(whole, &own.functions.beyond(of)),
        )?;
    }
    report.key("functions")?;
    let mut rows = JsonRows::new(&mut report.out, whole);
    let says_more = own.is_some() || profile.sizes.is_some();
    for &id in &whole.functions {
        let more = says_more.then(|| FunctionExtras::new(whole, id, own));
        rows.function(profile, id, more)?;
    }
    if let Some((own, (inlined, more))) = own.and_then(|own| Some((own, own.inlined.as_ref()?))) {
        for &id in more {
            let of = &inlined.profile;
            rows.function(of, id, Some(own_extras(whole, of, id, own)))?;
        }
    }
    rows.end()?;
    if let Some(zoom) = zoom {
        json_zoom::zoomed(whole, zoom, report)?;
    }
    // A key is omitted if the format cannot record it, instead of being empty.
    if profile.format.has_lines || !profile.lines.is_empty() {
        report.key("lines")?;
        let mut rows = JsonRows::new(&mut report.out, whole);
        lines(whole, own, &mut rows)?;
        rows.end()?;
    }
    if profile.format.calls != CallRecords::Absent || !profile.arcs.is_empty() {
        report.key("calls")?;
        let mut rows = JsonRows::new(&mut report.out, whole);
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
        report.field(
            "cycles",
            JsonList(|| {
                whole.cycles().map(|(id, members, cycle)| JsonCycle {
                    id,
                    members,
                    self_cost: JsonCounts::new(whole, &cycle.self_cost),
                    inclusive: JsonCounts::new(whole, &cycle.inclusive),
                })
            }),
        )?;
    }
    if let Some(tree) = profile.tree.as_ref().filter(|_| profile.sizes.is_some()) {
        report.field(
            "contexts",
            JsonList(|| {
                tree.contexts.iter().filter_map(|context| {
                    Some(CallContext {
                        function: whole.place(context.function)?,
                        depth: context.depth,
                        calls: context.calls,
                        self_cost: JsonCounts::new(whole, tree.self_cost(context)),
                        inclusive: JsonCounts::new(whole, tree.inclusive(context)),
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
    report.field(
        "warnings",
        JsonList(|| {
            profile.warnings.kept().iter().map(|w| JsonWarning {
                file: w.file.to_string_lossy(),
                line: w.line,
                kind: w.kind.name(),
                message: &w.message,
            })
        }),
    )?;
    report.end()
}

/// The keys of a function that only some reports have.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct FunctionExtras {
    /// Of aprof: the costs by size of the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<Vec<JsonPoint>>,
    /// Of aprof, with at least five sizes: how the greatest costs grow with the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    growth: Option<JsonGrowth>,
    /// Whether it is your code. Only with `--own`, `--own-code` or `--fold`.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<bool>,
    /// Of your functions: the own cost per event, which is the self cost and that of the library
    /// code attributed to the function.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_cost: Option<Vec<JsonEstimate>>,
    /// Of your functions, with `--inlined`: at how many places it is inlined.
    #[serde(skip_serializing_if = "Option::is_none")]
    places: Option<u64>,
}

/// The keys of a line that only your functions have.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct LineExtras<'a> {
    /// Of your functions, with `--own`, `--own-code` or `--fold`: the own cost per event. Only
    /// library code was spent for a line whose `self` is 0.
    own_cost: Vec<JsonEstimate>,
    /// The library functions that are part of the own cost, the called and the inlined ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    library: Vec<LibraryFunction<'a>>,
}

/// A library function whose cost is attributed to a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct LibraryFunction<'a> {
    /// The name.
    name: JsonText<'a>,
    /// The file that declares the function.
    file: JsonText<'a>,
    /// The executable or library. Empty if it is unknown or the function is inlined.
    object: JsonText<'a>,
    /// The number of calls from the line. Null if the function is inlined: inlined code is not
    /// counted.
    calls: Option<u64>,
    /// The cost per event. If the own cost is an estimate, this is, too.
    cost: JsonCounts<'a>,
}

/// A cost that may be estimated. All three numbers are equal if it is exact.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonEstimate {
    /// The estimate.
    value: i128,
    /// A bound: the cost is at least this.
    least: i128,
    /// A bound: the cost is at most this.
    most: i128,
}

/// The calls of an aprof routine with one size of the input.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonPoint {
    /// The size of the input.
    size: u64,
    /// The number of calls.
    calls: u64,
    /// The lowest cost of a call. Null if this version of aprof's report does not have it.
    least: Option<i64>,
    /// The highest cost of a call. Null if this version of aprof's report does not have it.
    greatest: Option<i64>,
    /// The sum of the costs of all calls.
    sum: i64,
    /// The sum without calls inside calls of the same routine.
    inclusive: i64,
    /// The sum of the self costs. Null if this version of aprof's report does not have it.
    #[serde(rename = "self")]
    own: Option<i64>,
    /// The variance of the costs. Null if this version of aprof's report does not have it.
    variance: Option<f64>,
    /// With the metric drms: how much of the input comes from the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_system: Option<u64>,
    /// With the metric drms: how much of the input comes from other threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_threads: Option<u64>,
}

/// How the highest costs of an aprof routine grow with the size n of the input.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonGrowth {
    /// The function f that fits best as `a + b f(n)`. Logarithms are to base 2.
    shape: &'static str,
    /// The a of `a + b f(n)`.
    a: f64,
    /// The b of `a + b f(n)`.
    b: f64,
    /// The fraction of the variance that `a + b f(n)` explains, from 0 to 1.
    r2: f64,
    /// What `check` limits: the c of `power`, or 0 if the cost does not grow.
    exponent: f64,
    /// The best fit as `a + b n^c`.
    power: JsonPower,
}

/// The best fit as `a + b n^c`.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct JsonPower {
    /// The a of `a + b n^c`.
    a: f64,
    /// The b of `a + b n^c`.
    b: f64,
    /// The c of `a + b n^c`.
    c: f64,
    /// The fraction of the variance that it explains, from 0 to 1.
    r2: f64,
}

/// A call context of aprof. Contexts come in depth-first order.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct CallContext<'a> {
    /// The index of the function in `functions`.
    function: u32,
    /// The depth in the tree of contexts.
    depth: u32,
    /// The number of calls.
    calls: u64,
    /// The cost of the function itself in this context.
    #[serde(rename = "self")]
    self_cost: JsonCounts<'a>,
    /// The cost with everything it calls.
    inclusive: JsonCounts<'a>,
}

fn points(profile: &Profile, id: FunctionId) -> Option<Vec<JsonPoint>> {
    let points = profile
        .sizes
        .as_ref()?
        .points(id)
        .map(|(size, point)| JsonPoint {
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

fn growth(growth: Growth) -> JsonGrowth {
    let (fit, power) = (growth.fit, growth.power);
    JsonGrowth {
        shape: fit.shape.name(),
        a: fit.a,
        b: fit.b,
        r2: fit.r2,
        exponent: growth.exponent(),
        power: JsonPower {
            a: power.a,
            b: power.b,
            c: power.c,
            r2: power.r2,
        },
    }
}

impl FunctionExtras {
    fn new(whole: &OrderedProfile<'_>, id: FunctionId, own: Option<&OwnCosts<'_>>) -> Self {
        FunctionExtras {
            points: points(whole.profile, id),
            growth: Growth::new(whole.profile, id).map(growth),
            ..match own {
                Some(own) if own.code.has(id) => own_extras(whole, whole.profile, id, own),
                _ => FunctionExtras {
                    own: own.map(|_| false),
                    ..FunctionExtras::default()
                },
            }
        }
    }
}

/// The keys of a function of yours in `of`.
fn own_extras(
    whole: &OrderedProfile<'_>,
    of: &Profile,
    id: FunctionId,
    own: &OwnCosts<'_>,
) -> FunctionExtras {
    let inlined = own.inlined.as_ref();
    FunctionExtras {
        own: Some(true),
        own_cost: Some(estimates(whole, |event| {
            own.functions.estimate(of, id, event)
        })),
        places: inlined.and_then(|(inlined, _)| inlined.places(id)),
        ..FunctionExtras::default()
    }
}

fn estimates(
    whole: &OrderedProfile<'_>,
    estimate: impl Fn(Event) -> Estimate,
) -> Vec<JsonEstimate> {
    (whole.events.iter().map(|&event| estimate(event)))
        .map(|known| JsonEstimate {
            value: known.value,
            least: known.least,
            most: known.most,
        })
        .collect()
}

/// Writes the lines of all functions. For your functions, this includes lines with no cost but that
/// of library code attributed to them.
fn lines<'a>(
    whole: &'a OrderedProfile<'a>,
    own: Option<&OwnCosts<'_>>,
    rows: &mut JsonRows<'a, impl Write>,
) -> io::Result<()> {
    let profile = whole.profile;
    for (function, line) in whole.lines() {
        if own.is_none_or(|own| !own.code.has(line.function)) {
            let cost = profile.line_cost(line);
            rows.line(
                function,
                profile.name(line.file),
                line.line,
                cost,
                None::<()>,
            )?;
        }
    }
    let Some(own) = own else { return Ok(()) };
    let more = own.inlined.iter().flat_map(|(_, more)| more);
    for (function, &id) in (0..).zip(whole.functions.iter().chain(more)) {
        if !own.code.has(id) {
            continue;
        }
        let mut all: BTreeMap<_, (&[i64], Option<&Line>)> = BTreeMap::new();
        for line in profile.lines_of(id) {
            let key = (profile.name(line.file), line.line);
            all.insert(key, (profile.line_cost(line), None));
        }
        for line in own.lines.lines_of(id) {
            let key = (profile.name(line.file), line.line);
            all.entry(key).or_default().1 = Some(line);
        }
        for ((file, number), (cost, line)) in all {
            let known = |event| {
                line.map(|line| own.lines.estimate(profile, line, event))
                    .unwrap_or_default()
            };
            let library = line.and_then(|line| own.lines.below.get(&line.row));
            let library =
                library
                    .into_iter()
                    .flatten()
                    .map(|(of, (calls, cost))| LibraryFunction {
                        name: JsonText(profile.name(of.name)),
                        file: JsonText(profile.name(of.file)),
                        object: JsonText(profile.name(of.object)),
                        calls: (*calls > 0).then_some(*calls),
                        cost: JsonCounts::new(whole, cost),
                    });
            let extras = LineExtras {
                own_cost: estimates(whole, known),
                library: library.collect(),
            };
            rows.line(function, file, number, cost, Some(extras))?;
        }
    }
    Ok(())
}

/// Functions that call each other. A function that only calls itself is not in a cycle.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonCycle<'a> {
    /// The number of the cycle, from 1.
    id: usize,
    /// The indexes of its functions in `functions`.
    members: Vec<u32>,
    /// The sum of the self costs of the members.
    #[serde(rename = "self")]
    self_cost: JsonCounts<'a>,
    /// The cost of the members with everything they call. Calls inside the cycle do not count.
    inclusive: JsonCounts<'a>,
}

/// Something that is wrong with the inputs.
#[derive(Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct JsonWarning<'a> {
    /// The input.
    file: Cow<'a, str>,
    /// The line of the input, from 1. Null if the warning is about a whole part or input.
    line: Option<u64>,
    /// The kind of the problem. It is the same in all versions.
    kind: String,
    /// A text for people.
    message: &'a str,
}
