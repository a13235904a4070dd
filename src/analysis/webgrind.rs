//! Converts a profile to webgrind's format, with the counts of the first event, in 32 bits.
//! Functions are in the order in which they first ended; the calls between them are by line.
//!
//! For an Xdebug profile, the result is what webgrind's own preprocessor makes of it, except where
//! both of its versions are wrong. So webgrind shows what it always showed: only names distinguish
//! functions, and inclusive cost counts recursion once per level. For any other profile, functions
//! stay separate, and inclusive cost counts recursion once.

use super::Inclusive;
use crate::profile::{Event, FunctionId, Order, Part, Php, Profile, joined, to_text};
use indexmap::IndexMap;
use std::collections::HashMap;

/// The content of a file.
pub struct Digest<'a> {
    /// The header's lines, in order.
    pub header: Vec<Vec<u8>>,
    /// The functions. Calls refer to them by index.
    pub functions: Vec<Record<'a>>,
    /// The unit of costs, in units of the profile: 1, or 100 if a count would not fit otherwise.
    pub unit: u32,
}

/// One function.
pub struct Record<'a> {
    /// The line where it begins; 0 if unknown.
    pub line: u32,
    /// Its self cost.
    pub self_cost: u32,
    /// Its inclusive cost.
    pub inclusive: u32,
    /// How often it ran.
    pub calls: u32,
    /// Calls to it, by caller and line.
    pub callers: Vec<Call>,
    /// Its calls, by callee and line.
    pub callees: Vec<Call>,
    /// Its file.
    pub file: &'a [u8],
    /// Its name.
    pub name: &'a [u8],
}

/// The calls from or to another function at one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The other function.
    pub function: u32,
    /// The line in the caller.
    pub line: u32,
    /// The number of calls.
    pub count: u32,
    /// The inclusive cost of all of them.
    pub cost: u32,
}

/// The sums of one record.
struct RecordSum {
    id: FunctionId,
    self_cost: i64,
    inclusive: i64,
    calls: i64,
    line: u64,
}

struct DigestLink {
    caller: u32,
    callee: u32,
    line: u64,
    count: i64,
    cost: i64,
}

/// The larger unit, if counts do not fit.
const UNIT: u32 = 100;

/// A cost in units of `unit`, rounded.
fn scaled(cost: i64, unit: u32) -> i64 {
    let unit = i64::from(unit);
    cost.saturating_add(unit / 2).div_euclid(unit)
}

impl<'a> Digest<'a> {
    /// Converts a profile. Needs its arcs with their sites. Without lines, Callgrind's functions
    /// begin at line 0.
    ///
    /// # Errors
    /// Names the first number that does not fit.
    pub fn new(profile: &'a Profile) -> Result<Digest<'a>, String> {
        let (mut sums, place) = sums(profile);
        let mut links = links(profile, &place);
        if profile.format.php == Php::Calls {
            add_up(&mut sums, &links);
        }
        let costs = sums
            .iter()
            .flat_map(|s| [s.self_cost, s.inclusive])
            .chain(links.iter().map(|l| l.cost));
        let unit = if costs.max().unwrap_or(0) > i64::from(u32::MAX) {
            UNIT
        } else {
            1
        };
        if unit > 1 {
            // Each value is rounded, and the sums are then computed, so that a record's calls still
            // add up to its cost.
            for sum in &mut sums {
                sum.self_cost = scaled(sum.self_cost, unit);
                sum.inclusive = scaled(sum.inclusive, unit);
            }
            for link in &mut links {
                link.cost = scaled(link.cost, unit);
            }
            if profile.format.php == Php::Calls {
                add_up(&mut sums, &links);
            }
        }

        let name = |of: u32| profile.name_of(sums[of as usize].id);
        let fit = |what, of: u32, number: i64| {
            u32::try_from(number).map_err(|_| {
                let units = if unit > 1 {
                    format!(" in units of {unit}")
                } else {
                    String::new()
                };
                format!(
                    "webgrind's format cannot hold this profile: {what} of {} is {number}{units}, and its numbers go from 0 to {}",
                    to_text(name(of)),
                    u32::MAX
                )
            })
        };
        let line = |of, line: u64| fit("a line", of, i64::try_from(line).unwrap_or(i64::MAX));
        let mut functions = Vec::with_capacity(sums.len());
        for (at, sum) in sums.iter().enumerate() {
            let (at, f) = (at as u32, profile.function(sum.id));
            functions.push(Record {
                line: line(at, sum.line)?,
                self_cost: fit("the self cost", at, sum.self_cost)?,
                inclusive: fit("the inclusive cost", at, sum.inclusive)?,
                calls: fit("the number of calls", at, sum.calls)?,
                callers: Vec::new(),
                callees: Vec::new(),
                file: profile.name(f.file),
                name: profile.name(f.name),
            });
        }
        for link in &links {
            let call = Call {
                function: link.caller,
                line: line(link.caller, link.line)?,
                count: fit("the number of calls", link.callee, link.count)?,
                cost: fit("the cost of calls", link.callee, link.cost)?,
            };
            functions[link.callee as usize].callers.push(call);
            functions[link.caller as usize].callees.push(Call {
                function: link.callee,
                ..call
            });
        }
        Ok(Digest {
            header: header(profile, unit),
            functions,
            unit,
        })
    }
}

/// The events that do not fit in the format, except Xdebug's memory, which is always recorded with
/// time.
pub fn left_out(profile: &Profile) -> &[Vec<u8>] {
    if is_php(profile) {
        &[]
    } else {
        profile.events.recorded().get(1..).unwrap_or_default()
    }
}

/// Whether functions are identified as webgrind's preprocessor does.
fn is_php(profile: &Profile) -> bool {
    profile.format.php != Php::No
}

fn first(profile: &Profile, row: &[i64]) -> i64 {
    profile.events.counted(row, Event::Recorded(0))
}

/// The functions, and the index of each function of the profile among them.
fn sums(profile: &Profile) -> (Vec<RecordSum>, Vec<u32>) {
    let exact = Inclusive::new(profile);
    let mut sums: Vec<RecordSum> = Vec::new();
    let mut place = Vec::with_capacity(profile.functions.len());
    let mut by_name = HashMap::new();
    for id in profile.function_ids() {
        let f = profile.function(id);
        let self_cost = first(profile, profile.self_cost(id));
        let inclusive = first(profile, exact.cost(id));
        let called = i64::try_from(exact.called(id)).unwrap_or(i64::MAX);
        // A function that nothing calls ran once: the program's start. A file of webgrind has the
        // number itself.
        let is_start = called == 0 && f.recorded && profile.format.php != Php::Sums;
        let calls = if is_start { 1 } else { called };
        let new = sums.len() as u32;
        let at = if profile.format.php == Php::Calls {
            *by_name.entry(f.name).or_insert(new)
        } else {
            new
        };
        place.push(at);
        if at == new {
            sums.push(RecordSum {
                id,
                self_cost,
                inclusive,
                calls,
                line: first_line(profile, id),
            });
            continue;
        }
        let sum = &mut sums[at as usize];
        sum.self_cost = sum.self_cost.saturating_add(self_cost);
        sum.inclusive = sum.inclusive.saturating_add(inclusive);
        sum.calls = sum.calls.saturating_add(calls);
    }
    (sums, place)
}

/// Computes inclusive cost by webgrind's rule: self cost and all calls, including recursive ones.
fn add_up(sums: &mut [RecordSum], links: &[DigestLink]) {
    sums.iter_mut()
        .for_each(|sum| sum.inclusive = sum.self_cost);
    for link in links {
        let sum = &mut sums[link.caller as usize];
        sum.inclusive = sum.inclusive.saturating_add(link.cost);
    }
}

/// The line where a function begins; 0 if unknown.
pub(super) fn first_line(profile: &Profile, id: FunctionId) -> u64 {
    if let Some(stated) = &profile.stated {
        return stated.line(id);
    }
    profile.first_line(id).unwrap_or(0)
}

/// The calls by caller, callee and line, in the order in which they were first read.
fn links(profile: &Profile, place: &[u32]) -> Vec<DigestLink> {
    let mut sites: Vec<_> = profile
        .arcs
        .iter()
        .flat_map(|arc| profile.sites(arc).iter().map(move |s| (s, arc)))
        .collect();
    sites.order_by_key(|(site, _)| site.row);
    let all = sites.into_iter().map(|(site, arc)| DigestLink {
        caller: place[arc.caller.index()],
        callee: place[arc.callee.index()],
        line: site.line,
        count: i64::try_from(site.count).unwrap_or(i64::MAX),
        cost: first(profile, profile.site_cost(site)),
    });
    let mut links: IndexMap<_, DigestLink> = IndexMap::new();
    for one in all {
        links
            .entry((one.caller, one.callee, one.line))
            .and_modify(|link| {
                link.count = link.count.saturating_add(one.count);
                link.cost = link.cost.saturating_add(one.cost);
            })
            .or_insert(one);
    }
    links.into_values().collect()
}

/// The header lines. For Xdebug, they are those of each run, unchanged; else one header for the
/// whole.
fn header(profile: &Profile, unit: u32) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    if is_php(profile) {
        for part in &profile.parts {
            if !part.lines.is_empty() && unit == 1 {
                lines.extend(part.lines.iter().map(|line| line.to_vec()));
                continue;
            }
            let summary = part.summary.as_deref();
            lines.extend(run(profile, part, summary, unit));
        }
    } else {
        let part = profile.parts.first().cloned().unwrap_or_default();
        let totals = [first(profile, &profile.totals.row)];
        lines.extend(run(profile, &part, Some(&totals), unit));
    }
    lines
}

fn run(profile: &Profile, part: &Part, summary: Option<&[i64]>, unit: u32) -> Vec<Vec<u8>> {
    let line = |key: &str, value: &[u8]| [key.as_bytes(), b": ", value].concat();
    // A file without a creator comes from Xdebug before 2.1.
    let old = part.creator.is_empty() && is_php(profile);
    let mut lines = vec![line("version", if old { b"0.9.6" } else { b"1" })];
    if !part.creator.is_empty() {
        lines.push(line("creator", &part.creator));
    }
    lines.push(line("cmd", &part.command));
    lines.push(line(
        "part",
        if part.number.is_empty() {
            b"1"
        } else {
            &part.number
        },
    ));
    if !old {
        lines.push(line("positions", b"line"));
    }
    let events =
        profile
            .events
            .recorded()
            .iter()
            .take(if is_php(profile) { usize::MAX } else { 1 });
    let names: Vec<Vec<u8>> = events.map(|name| event(name, unit)).collect();
    lines.push(line("events", &names.join(&b' ')));
    if let Some(summary) = summary {
        let counts = summary.iter().enumerate().map(|(at, &count)| {
            let count = count.max(0);
            (if at == 0 { scaled(count, unit) } else { count }).to_string()
        });
        lines.push(line("summary", joined(counts, " ").as_bytes()));
    }
    lines
}

/// The name of an event in another unit. Xdebug's counts of 10 ns become µs, which webgrind calls
/// `Time`.
fn event(name: &[u8], unit: u32) -> Vec<u8> {
    match name {
        _ if unit == 1 => name.to_vec(),
        b"Time_(10ns)" => b"Time".to_vec(),
        b"Memory_(bytes)" => b"Memory".to_vec(),
        _ => [name, format!("_({unit})").as_bytes()].concat(),
    }
}
