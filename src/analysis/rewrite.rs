//! Puts the records of a profile in an order that does not change when they are written and read.
//! So adding up in steps gives the same bytes as adding up at once.
//!
//! Functions stay in the order of their records: if functions differ only in their object,
//! callgrind_annotate shows the object of the last one. The records of a function are ordered by
//! file, its own file first, then by line. Self cost comes before calls, and calls are ordered by
//! callee.

use crate::profile::{
    Code, FunctionId, NEVER, Name, NameId, Order, PEAK, Part, Profile, TotalsSource,
    code::{Jump, Times},
    costs::count,
    sum_rows,
};
use std::{cmp::Ordering, collections::BTreeSet};

/// A cost line to write.
#[derive(Clone, Debug)]
pub struct CostLine<'a> {
    /// The file of the code.
    pub file: NameId,
    /// The address of the instruction; 0 if unknown.
    pub address: u64,
    /// The line; 0 if unknown.
    pub line: u64,
    /// What the cost belongs to.
    pub of: CostOf<'a>,
    /// The counts.
    pub(crate) cost: &'a [i64],
}

impl<'a> CostLine<'a> {
    fn new(
        (file, address, line): (NameId, u64, u64),
        of: CostOf<'a>,
        cost: &'a [i64],
    ) -> CostLine<'a> {
        CostLine {
            file,
            address,
            line,
            of,
            cost,
        }
    }
}

/// What a cost line belongs to.
#[derive(Clone, Copy, Debug)]
pub enum CostOf<'a> {
    /// The function itself.
    Own,
    /// A call.
    Call {
        /// The callee.
        callee: FunctionId,
        /// The number of calls.
        count: u64,
        /// The address and line of the target; 0 if unknown.
        target: (u64, u64),
    },
    /// A jump, which has no cost, and how often it was executed.
    Jump(&'a Jump, Times),
}

impl CostOf<'_> {
    fn rank(&self) -> u8 {
        match self {
            CostOf::Own => 0,
            CostOf::Call { .. } => 1,
            CostOf::Jump(..) => 2,
        }
    }

    fn compare(&self, other: &Self, profile: &Profile) -> Ordering {
        match (self, other) {
            (
                CostOf::Call {
                    callee: a,
                    target: to_a,
                    ..
                },
                CostOf::Call {
                    callee: b,
                    target: to_b,
                    ..
                },
            ) => key(profile, *a)
                .cmp(&key(profile, *b))
                .then_with(|| to_a.cmp(to_b)),
            (CostOf::Jump(a, _), CostOf::Jump(b, _)) => {
                let names = |jump: &Jump| {
                    [jump.to_file, jump.to_name].map(|name| name.map(|name| profile.name(name)))
                };
                let place = |jump: &Jump| (jump.to, jump.to_line, jump.conditional);
                place(a)
                    .cmp(&place(b))
                    .then_with(|| names(a).cmp(&names(b)))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

fn key(profile: &Profile, id: FunctionId) -> [Name<'_>; 3] {
    let names = profile.function(id).names();
    names.map(|name| profile.names.lent(name))
}

/// The records of one function, in order; at least one. If it has instructions, all of its cost must
/// be theirs, as `same_code` ensures. Costs without a known line are at line 0. Without a known
/// address, costs are at address 0.
pub fn records(profile: &Profile, id: FunctionId) -> Vec<CostLine<'_>> {
    let own_file = profile.function(id).file;
    let mut records = profile
        .code
        .as_ref()
        .map_or_else(Vec::new, |code| instructions(code, id));
    if records.is_empty() {
        records = lines(profile, id);
    }
    let by_file = |a: NameId, b: NameId| {
        if a == b {
            return Ordering::Equal;
        }
        (a != own_file, profile.name(a)).cmp(&(b != own_file, profile.name(b)))
    };
    let place = |r: &CostLine| (r.address, r.line, r.of.rank());
    records.order_by(|a, b| {
        by_file(a.file, b.file)
            .then_with(|| place(a).cmp(&place(b)))
            .then_with(|| a.of.compare(&b.of, profile))
    });
    records
}

/// The records of a function by line.
pub(super) fn lines(profile: &Profile, id: FunctionId) -> Vec<CostLine<'_>> {
    let own_file = profile.function(id).file;
    let own = |file, line, cost| CostLine::new((file, 0, line), CostOf::Own, cost);
    let lines = profile.lines_of(id).iter();
    let mut records: Vec<CostLine> = lines
        .map(|line| own(line.file, line.line, profile.line_cost(line)))
        .collect();
    if records.is_empty() && !profile.self_cost(id).is_empty() {
        records.push(own(own_file, 0, profile.self_cost(id)));
    }
    for arc in profile.arcs_of(id) {
        records.extend(profile.known_sites(arc).map(|(site, cost)| {
            let of = CostOf::Call {
                callee: arc.callee,
                count: site.count,
                target: (0, 0),
            };
            CostLine::new((site.file, 0, site.line), of, cost)
        }));
    }
    if records.is_empty() {
        records.push(own(own_file, 0, &[]));
    }
    records
}

/// The records of a function by instruction.
pub(super) fn instructions(code: &Code, id: FunctionId) -> Vec<CostLine<'_>> {
    let own = code.places_of(id).filter_map(|at| code.instruction(at));
    let own = own
        .map(|(one, cost)| CostLine::new((one.file, one.address, one.line), CostOf::Own, cost.0));
    let calls = code.calls_of(id).map(|(one, count, cost)| {
        let of = CostOf::Call {
            callee: one.callee,
            count,
            target: (one.target.unwrap_or(0), one.target_line),
        };
        CostLine::new((one.file, one.address, one.line), of, cost.0)
    });
    let jumps = code.jumps_of(id).map(|(one, times)| {
        CostLine::new(
            (one.file, one.from, one.line),
            CostOf::Jump(one, times),
            &[],
        )
    });
    own.chain(calls).chain(jumps).collect()
}

/// The header of the merged part.
///
/// It has the command of the first part, and the process of all parts if it is the same. Values of
/// a single part (its number, its thread, the span of time) are omitted if there are several parts.
/// Adding up in steps gives the same header as adding up at once.
pub fn header(profile: &Profile) -> Part {
    let mut header = profile.parts.first().cloned().unwrap_or_default();
    if let [_, _, ..] = profile.parts[..] {
        (header.number, header.thread) = Default::default();
        if profile.parts.iter().any(|part| part.pid != header.pid) {
            header.pid = Default::default();
        }
        header.descriptions.clear();
        let mut known: BTreeSet<&[u8]> = BTreeSet::new();
        for text in profile.parts.iter().flat_map(|p| &p.descriptions) {
            let of_one_part = text.starts_with(b"Timerange:") || text.starts_with(b"Trigger:");
            if !of_one_part && known.insert(text) {
                header.descriptions.push(text.clone());
            }
        }
    }
    let mut peaks: Vec<Vec<u8>> = profile
        .events
        .peaks()
        .map(|name| [PEAK, name].concat())
        .collect();
    peaks.order();
    header.descriptions.retain(|text| !text.starts_with(PEAK));
    header.descriptions.extend(peaks);
    header
}

/// The `summary:` and `totals:` to write. A reader takes the same base of percentages from them,
/// and from the same kind of line, as from the inputs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// The base of percentages, if the inputs have a summary.
    pub(crate) summary: Option<Vec<i64>>,
    /// With a summary, the sum of the cost lines. Without one, the base, unless it equals the sum
    /// of the cost lines and the inputs did not state it either.
    pub(crate) totals: Option<Vec<i64>>,
}

/// The sums to write.
pub fn sums(profile: &Profile) -> Sums {
    let sum = sum_rows(profile.function_ids().map(|id| profile.self_cost(id)));
    let base = profile.totals.row.clone();
    let differs_at = |at: usize| count(&base, at) != count(&sum, at);
    let differs = (0..base.len().max(sum.len())).any(differs_at);
    match profile.totals.source {
        TotalsSource::Summary => {
            // Callgrind omits columns at the end. They stay omitted if readers can compute them
            // from the cost lines.
            let written = sum_rows(
                profile
                    .parts
                    .iter()
                    .flat_map(|part| part.summary.as_deref()),
            );
            let fills = |at| {
                count(&written, at) == count(&base, at)
                    || count(&written, at) == 0 && !differs_at(at)
            };
            let enough = (0..base.len()).all(fills);
            Sums {
                summary: Some(if enough { written } else { base }),
                totals: Some(sum),
            }
        }
        // If all counts are 0, a stated sum looks like a computed one. But if every part states
        // one, none was truncated.
        TotalsSource::Computed if !differs => {
            let states =
                |sum: fn(&Part) -> bool| !profile.parts.is_empty() && profile.parts.iter().all(sum);
            let is_nothing = !base.is_empty() && base.iter().all(|&count| count == 0);
            let summary = is_nothing && states(|part| part.summary.is_some());
            let totals = summary || is_nothing && states(|part| part.totals.is_some());
            Sums {
                summary: summary.then(|| base.clone()),
                totals: totals.then_some(base),
            }
        }
        TotalsSource::Totals | TotalsSource::Computed => Sums {
            summary: None,
            totals: Some(base),
        },
    }
}

/// Whether a row has an unwritten count before its end.
pub fn has_holes(profile: &Profile) -> bool {
    let hole = |row: &[i64]| {
        row.iter()
            .skip_while(|&&count| count != NEVER)
            .any(|&count| count != NEVER)
    };
    profile.function_ids().any(|id| hole(profile.self_cost(id)))
        || profile.arcs.iter().any(|a| hole(profile.arc_cost(a)))
}
