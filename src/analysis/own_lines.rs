//! Attributes cost to your lines: the same as [`super::own`], with call sites of your functions as
//! owners.
//!
//! A line of yours has its self cost and the library code that is attributed to it. Self cost of
//! your function at lines of library files (inlined code) belongs to no line of yours. It is at
//! line 0 of the function's file.

use super::{
    Estimate, Own, OwnCode,
    inlined_as_functions::FunctionLine,
    own::{NOBODY, Owner, estimate, shares, subtract},
};
use crate::profile::{
    CallEdge, Costs, Event, Function, FunctionId, Line, LineTable, NEVER, NameId, Profile,
    code::range, extend_with,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The library code that a line paid for, as part of its cost: the calls and the cost of each
/// function. One that is inlined there has no object and no calls, because nobody counts them.
pub(crate) type LibraryCode = BTreeMap<Function, (u64, Vec<i64>)>;

/// Adds to the calls and the cost of a library function.
pub(super) fn add_library(code: &mut LibraryCode, function: Function, calls: u64, cost: &[i64]) {
    let row = code.entry(function).or_default();
    row.0 = row.0.saturating_add(calls);
    extend_with(&mut row.1, cost);
}

/// Attributed costs by line.
#[derive(Default)]
pub struct OwnLines {
    /// The lines of your functions, by function, file and line. Line 0 of a function's file has the
    /// cost without a line of yours.
    pub lines: Vec<Line>,
    pub(crate) costs: Costs,
    /// The library code below each line, by the line's row.
    pub(crate) below: HashMap<u32, LibraryCode>,
    /// The rows without a line of yours that mostly consist of code inlined from library files.
    pub(super) inlined: HashSet<u32>,
    bounds: HashMap<Owner, [Vec<i64>; 2]>,
}

impl OwnLines {
    /// Attributes costs to the lines of your functions. Needs lines and call sites.
    pub fn new(profile: &Profile, code: &OwnCode<'_>, own: &Own) -> OwnLines {
        let mut table = LineTable::default();
        let mut below: HashMap<u32, LibraryCode> = HashMap::new();
        // The cost of code inlined from library files, by row.
        let mut inlined: HashMap<u32, Vec<i64>> = HashMap::new();
        let place = |id: FunctionId, file: NameId, line: u64| {
            if code.has_file(id, file) {
                (id, file, line)
            } else {
                (id, profile.function(id).file, 0)
            }
        };
        let mut place_inlined =
            |table: &mut LineTable, (id, file, line): FunctionLine, was: NameId, cost: &[i64]| {
                if file != was && was != NameId::UNKNOWN {
                    extend_with(inlined.entry(table.row(id, file, line)).or_default(), cost);
                }
            };
        // The lines of a function in one file are all yours or all not.
        for lines in profile
            .lines
            .chunk_by(|a, b| (a.function, a.file) == (b.function, b.file))
        {
            let Some(first) = lines.first().filter(|first| code.has(first.function)) else {
                continue;
            };
            let (function, file, begin) = place(first.function, first.file, first.line);
            let has_place = (file, begin) == (first.file, first.line);
            for line in lines {
                let number = if has_place { line.line } else { begin };
                let cost = profile.line_cost(line);
                table.add(function, file, number, cost);
                place_inlined(&mut table, (function, file, number), line.file, cost);
            }
        }
        let mut add = |table: &mut LineTable,
                       arc: &CallEdge,
                       (id, file, line): FunctionLine,
                       (calls, cost): (u64, &[i64])| {
            let row = table.row(id, file, line);
            table.add(id, file, line, cost);
            let callee = *profile.function(arc.callee);
            add_library(below.entry(row).or_default(), callee, calls, cost);
            row
        };
        let mut entries = own.entries.iter().enumerate().peekable();
        let mut owners: Vec<(u32, Owner)> = Vec::new();
        // The cost that each line gets from passing functions.
        let mut passed: HashMap<Owner, Vec<i64>> = HashMap::new();
        for (at, arc) in (0u32..).zip(&profile.arcs) {
            if !code.has(arc.caller) || code.has(arc.callee) {
                continue;
            }
            let sites = profile.known_sites(arc);
            let places: Vec<(FunctionLine, &[i64])> = (sites.clone())
                .map(|(site, cost)| (place(arc.caller, site.file, site.line), cost))
                .collect();
            for ((site, _), &(at, cost)) in sites.clone().zip(&places) {
                place_inlined(&mut table, at, site.file, cost);
            }
            let calls = sites.map(|(site, _)| site.count);
            match entries.next_if(|(_, entry)| entry.arc == at) {
                None => places
                    .into_iter()
                    .zip(calls)
                    .for_each(|((place, cost), calls)| {
                        add(&mut table, arc, place, (calls, cost));
                    }),
                Some((nth, entry)) => {
                    let parts = divided(own.parts.row(nth as u32), &places);
                    for ((place, cost), calls) in parts.into_iter().zip(calls) {
                        let row = add(&mut table, arc, place, (calls, &cost));
                        extend_with(passed.entry(row).or_default(), &cost);
                        owners.push((entry.into, row));
                    }
                }
            }
        }
        let label = own.passing.labels(owners.iter().copied());
        let mut bounds = own.passing.bounds(&label, || owners.iter().copied());
        bounds.remove(&NOBODY);
        for (row, [least, most]) in &mut bounds {
            let mut certain = table.cost(*row).to_vec();
            subtract(&mut certain, passed.get(row).map_or(&[], Vec::as_slice));
            extend_with(most, least);
            extend_with(least, &certain);
            extend_with(most, &certain);
        }
        let (lines, costs) = table.finish();
        let most_is = |inlined: &[i64], row: &[i64]| {
            let first = (inlined.iter().zip(row)).find(|(_, cost)| **cost != 0 && **cost != NEVER);
            first.is_some_and(|(&inlined, &cost)| i128::from(inlined.max(0)) * 2 > i128::from(cost))
        };
        let inlined = inlined
            .into_iter()
            .filter(|(row, cost)| most_is(cost, costs.row(*row)))
            .map(|(row, _)| row)
            .collect();
        OwnLines {
            lines,
            costs,
            below,
            inlined,
            bounds,
        }
    }

    /// The cost of a line with the library code that is attributed to it. For an estimate, it is
    /// the value.
    pub(crate) fn cost(&self, line: &Line) -> &[i64] {
        self.costs.row(line.row)
    }

    /// The lines of one function.
    pub(crate) fn lines_of(&self, id: FunctionId) -> &[Line] {
        &self.lines[range(&self.lines, id, |line| line.function)]
    }

    /// The cost of a line with the library code that is attributed to it.
    pub fn estimate(&self, profile: &Profile, line: &Line, event: Event) -> Estimate {
        estimate(
            profile,
            self.costs.row(line.row),
            self.bounds.get(&line.row),
            event,
        )
    }

    /// Whether this is not a real line but code inlined from library files.
    pub(crate) fn is_inlined(&self, line: &Line) -> bool {
        self.inlined.contains(&line.row)
    }
}

/// Divides a row among places, in proportion to the cost of their calls.
fn divided(row: &[i64], places: &[(FunctionLine, &[i64])]) -> Vec<(FunctionLine, Vec<i64>)> {
    let mut parts: Vec<(FunctionLine, Vec<i64>)> = places
        .iter()
        .map(|&(place, _)| (place, Vec::new()))
        .collect();
    for (event, &whole) in row
        .iter()
        .enumerate()
        .filter(|&(_, &whole)| whole != NEVER && whole != 0)
    {
        let count = |cost: &[i64]| i128::from(cost.get(event).copied().unwrap_or(0).max(0));
        let mut weights: Vec<i128> = places.iter().map(|(_, cost)| count(cost)).collect();
        for ((_, part), share) in parts.iter_mut().zip(shares(whole, &mut weights)) {
            part.resize(event, NEVER);
            part.push(share);
        }
    }
    parts
}
