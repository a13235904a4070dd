//! The records of a profile in an order that survives being written and read, so that adding up in steps gives the same
//! bytes as adding up at once.
//!
//! Functions stay in the order in which their records came: of functions that differ in nothing but their object,
//! callgrind_annotate shows the last one's. The records of a function go by file, its own first, then by line, its own
//! cost before its calls, calls by callee.

use crate::profile::costs::{NEVER, extend_with};
use crate::profile::{CallEdge, FunctionId, Line, NameId, PEAK, Part, Profile, TotalsSource};
use std::cmp::Ordering;

/// A cost line to be written.
#[derive(Clone, Copy, Debug)]
pub struct CostLine<'a> {
    /// The file it stands in.
    pub file: NameId,
    /// Its line; 0 if that is not known.
    pub line: u64,
    /// Whose cost it is: a call's, to so many; else the function's own.
    pub call: Option<(FunctionId, u64)>,
    /// The counts.
    pub(crate) cost: &'a [i64],
}

fn key(profile: &Profile, id: FunctionId) -> (&[u8], &[u8], &[u8]) {
    let f = profile.function(id);
    (profile.name(f.object), profile.name(f.file), profile.name(f.name))
}

/// The records of one function, in order; at least one. Costs without a known line are on line 0.
pub fn records(profile: &Profile, id: FunctionId) -> Vec<CostLine<'_>> {
    let own_file = profile.function(id).file;
    let own = |line: &Line| CostLine { file: line.file, line: line.line, call: None, cost: profile.line_cost(line) };
    let mut records: Vec<CostLine> = profile.lines_of(id).iter().map(own).collect();
    if records.is_empty() && !profile.self_cost(id).is_empty() {
        records.push(CostLine { file: own_file, line: 0, call: None, cost: profile.self_cost(id) });
    }
    for arc in profile.arcs_of(id) {
        calls(profile, arc, own_file, &mut records);
    }
    if records.is_empty() {
        records.push(CostLine { file: own_file, line: 0, call: None, cost: &[] });
    }
    let rank = |r: &CostLine| (r.file != own_file, profile.name(r.file), r.line, r.call.is_some());
    records.sort_by(|a, b| {
        rank(a).cmp(&rank(b)).then_with(|| match (a.call, b.call) {
            (Some((a, _)), Some((b, _))) => key(profile, a).cmp(&key(profile, b)),
            _ => Ordering::Equal,
        })
    });
    records
}

fn calls<'a>(profile: &'a Profile, arc: &CallEdge, own_file: NameId, records: &mut Vec<CostLine<'a>>) {
    let sites = profile.sites(arc);
    records.extend(sites.iter().map(|site| CostLine {
        file: site.file,
        line: site.line,
        call: Some((arc.callee, site.count)),
        cost: profile.site_cost(site),
    }));
    if sites.is_empty() {
        let call = Some((arc.callee, arc.count));
        records.push(CostLine { file: own_file, line: 0, call, cost: profile.arc_cost(arc) });
    }
}

/// The header of the merged part.
///
/// The command is that of the first part, the process that of all, if they share one. What is true of one part only (its
/// number, its thread, the span of time it covers) is left out where there are several. Adding up in steps gives the same header as adding up at once.
pub fn header(profile: &Profile) -> Part {
    let mut header = profile.parts.first().cloned().unwrap_or_default();
    if let [_, _, ..] = profile.parts[..] {
        (header.number, header.thread) = Default::default();
        if profile.parts.iter().any(|part| part.pid != header.pid) {
            header.pid = Default::default();
        }
        header.descriptions.clear();
        for text in profile.parts.iter().flat_map(|p| &p.descriptions) {
            let of_one_part = text.starts_with(b"Timerange:") || text.starts_with(b"Trigger:");
            if !of_one_part && !header.descriptions.contains(text) {
                header.descriptions.push(text.clone());
            }
        }
    }
    let mut peaks: Vec<Vec<u8>> = profile.events.peaks().map(|name| [PEAK, name].concat()).collect();
    peaks.sort_unstable();
    header.descriptions.retain(|text| !peaks.contains(text));
    header.descriptions.extend(peaks);
    header
}

/// The `summary:` and the `totals:` to write, such that a reader takes the same base for percentages from the same kind
/// of line as from the inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sums {
    /// The base of percentages, if the inputs have a summary.
    pub(crate) summary: Option<Vec<i64>>,
    /// The sum of the cost lines beside a summary; without one the base, unless that is the sum of the cost lines and
    /// the inputs did not state it either.
    pub(crate) totals: Option<Vec<i64>>,
}

/// The sums to write.
pub fn sums(profile: &Profile) -> Sums {
    let mut sum = Vec::new();
    for id in profile.function_ids() {
        extend_with(&mut sum, profile.self_cost(id));
    }
    let count = |row: &[i64], at: usize| row.get(at).copied().filter(|&c| c != NEVER).unwrap_or(0);
    let base = profile.totals.row.clone();
    let differs_at = |at: usize| count(&base, at) != count(&sum, at);
    let differs = (0..base.len().max(sum.len())).any(differs_at);
    match profile.totals.source {
        TotalsSource::Summary => {
            // Callgrind leaves out columns at the end. That stays so if readers can fill them in from the cost lines.
            let mut written = Vec::new();
            for part in &profile.parts {
                extend_with(&mut written, part.summary.as_deref().unwrap_or_default());
            }
            let fills = |at| count(&written, at) == count(&base, at) || count(&written, at) == 0 && !differs_at(at);
            let enough = (0..base.len()).all(fills);
            Sums { summary: Some(if enough { written } else { base }), totals: Some(sum) }
        }
        TotalsSource::Computed if !differs => Sums { summary: None, totals: None },
        TotalsSource::Totals | TotalsSource::Computed => Sums { summary: None, totals: Some(base) },
    }
}

/// Whether a row lacks a count before its end.
pub fn has_holes(profile: &Profile) -> bool {
    let hole = |row: &[i64]| row.iter().skip_while(|&&count| count != NEVER).any(|&count| count != NEVER);
    profile.function_ids().any(|id| hole(profile.self_cost(id)))
        || profile.arcs.iter().any(|a| hole(profile.arc_cost(a)))
}
