//! The comparison of two runs as one page: what changed, in which arcs and lines, cut once by one rule.
//!
//! A function is there if its self or its inclusive cost changed by at least [`Least`] of the larger of the two totals, of any
//! event. What is left out is added up where it belongs. Each event has a waterfall, whose steps lead from the old total to
//! the new one without a remainder.

use super::deltas::{self, Delta};
use super::excerpts::Hits;
use super::least::Least;
use crate::analysis::difference::{
    ChangeRef, ChangedFunction, Cost, Difference, LineDifference, LineRow, Pair, UnlistedChange,
};
use crate::profile::{CallEdge, Event, Order};
use std::collections::{HashMap, HashSet};

/// How many functions have a step of their own in a waterfall.
const STEPS: usize = 12;

/// What of a comparison is on its page.
pub struct Compared<'a> {
    /// What changed, by self cost.
    pub difference: &'a Difference<'a>,
    /// The events, in the order in which they can be chosen.
    pub events: Vec<Event>,
    /// The place of the event that shows first.
    pub first: usize,
    /// The cost whose change orders the functions at first.
    pub by: Cost,
    /// What is left out.
    pub least: Least,
    /// The functions, the largest change of self cost first, then those of which only calls changed.
    pub rows: Vec<ComparedRow<'a>>,
    /// Changed functions that are left out.
    pub others: UnlistedChange,
    /// Arcs from the functions, function after function, by callee.
    pub arcs: Vec<ComparedArc<'a>>,
    /// Changed lines of the functions, function after function, by file and place.
    pub lines: Vec<&'a LineRow<'a>>,
    /// For each event the steps from the old total to the new one.
    pub waterfalls: Vec<Vec<Step>>,
    /// For each event where in the stacks cost came and went, if that can be estimated and there is room.
    pub deltas: Vec<Option<Vec<Delta>>>,
    /// The places of the functions by pair.
    place: HashMap<usize, u32>,
}

/// A function.
pub struct ComparedRow<'a> {
    /// What changed of it.
    pub row: ChangedFunction<'a>,
    /// How many of [`Compared::arcs`] are its.
    pub arcs: usize,
    /// How many of [`Compared::lines`] are its.
    pub lines: usize,
    /// Calls of it that are left out, but for those within recursion.
    pub other_callers: UnlistedChange,
    /// Its calls that are left out, in the same way.
    pub other_callees: UnlistedChange,
    /// Its changed lines that are left out.
    pub other_lines: UnlistedChange,
}

/// Calls from one function to another in both runs.
pub struct ComparedArc<'a> {
    /// The place of the callee among the functions.
    pub callee: u32,
    /// The old calls.
    pub old: Option<&'a CallEdge>,
    /// The new ones.
    pub new: Option<&'a CallEdge>,
    /// Whether they are within recursion in either run.
    pub recursive: bool,
}

/// One step of a waterfall.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What changed.
    pub what: Stepped,
    /// By how much.
    pub change: i128,
}

/// What a step is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// A function, by its place among the rows of the difference.
    Row(usize),
    /// So many other functions that both runs have.
    Others(usize),
    /// So many other functions that only the new run has.
    Appeared(usize),
    /// So many other functions that only the old run has.
    Gone(usize),
    /// What the totals hold and no function does.
    Outside,
}

impl<'a> Compared<'a> {
    /// What has at least so much. `deep` is the same comparison by inclusive cost: it has the functions of which only calls
    /// changed.
    pub fn new(
        difference: &'a Difference<'a>,
        deep: &'a Difference<'a>,
        lines: &'a LineDifference<'a>,
        (events, first): (Vec<Event>, usize),
        (by, least): (Cost, Least),
    ) -> Compared<'a> {
        let matching = difference.matching;
        let of = difference.events();
        let limits = least.of_both(of, &difference.frame.total, &events);
        let (mut kept, mut others): (Vec<ChangedFunction<'a>>, UnlistedChange) =
            (Vec::new(), UnlistedChange::default());
        let mut place: HashMap<usize, u32> = HashMap::new();
        let mut seen = HashSet::new();
        for &at in difference
            .listed()
            .iter()
            .chain(deep.listed())
            .filter(|&&at| seen.insert(at))
        {
            let own = difference.own(at);
            if limits.keep_change(of, own) || limits.keep_change(of, difference.inclusive(at)) {
                place.insert(at, u32::try_from(kept.len()).unwrap_or(u32::MAX));
                kept.push(difference.row(at));
            } else if own.old != own.new {
                others.add(own);
            }
        }
        let mut of_function: HashMap<usize, Vec<&LineRow<'_>>> = HashMap::new();
        for line in lines.rows() {
            of_function.entry(line.pair).or_default().push(line);
        }
        let (mut rows, mut arcs, mut all_lines) =
            (Vec::with_capacity(kept.len()), Vec::new(), Vec::new());
        for row in kept {
            let (at, pair) = (row.at, row.pair);
            let mut out = ComparedRow {
                row,
                arcs: 0,
                lines: 0,
                other_callers: UnlistedChange::default(),
                other_callees: UnlistedChange::default(),
                other_lines: UnlistedChange::default(),
            };
            let keep = |pair: usize, cost: ChangeRef<'_>| {
                let is_kept = || limits.keep_change(of, cost) || limits.keep_either(of, cost);
                place.get(&pair).copied().filter(|_| is_kept())
            };
            for (pair, pair_arcs) in matching.arcs_from(pair) {
                let cost = pair_arcs.cost(matching);
                let recursive = pair_arcs.is_recursive(matching);
                match keep(pair, cost) {
                    Some(callee) => {
                        arcs.push(ComparedArc {
                            callee,
                            old: pair_arcs.old,
                            new: pair_arcs.new,
                            recursive,
                        });
                        out.arcs += 1;
                    }
                    // Costs of recursive calls contain each other, so that they are not added up.
                    None if recursive => out.other_callees.add(ChangeRef::default()),
                    None => out.other_callees.add(cost),
                }
            }
            for (pair, pair_arcs) in matching.arcs_to(pair) {
                let cost = pair_arcs.cost(matching);
                match keep(pair, cost) {
                    Some(_) => {}
                    None if pair_arcs.is_recursive(matching) => {
                        out.other_callers.add(ChangeRef::default())
                    }
                    None => out.other_callers.add(cost),
                }
            }
            let mut changed = of_function.remove(&at).unwrap_or_default();
            changed.order_by_key(|line| (matching.file(line.file), line.place));
            for line in changed {
                let cost = line.cost(matching);
                if limits.keep_change(of, cost) {
                    all_lines.push(line);
                    out.lines += 1;
                } else {
                    out.other_lines.add(cost);
                }
            }
            rows.push(out);
        }
        let waterfalls = events
            .iter()
            .map(|&event| waterfall(difference, event))
            .collect();
        let mut deltas: Vec<Option<Vec<Delta>>> = vec![None; events.len()];
        let mut left = deltas::MOST_FRAMES;
        // The event that shows first is the last that goes without.
        for event in std::iter::once(first).chain((0..events.len()).filter(|&event| event != first))
        {
            if left == 0 {
                break;
            }
            deltas[event] = events
                .get(event)
                .and_then(|&event| deltas::deltas(matching, event, least));
            left = left.saturating_sub(deltas[event].as_ref().map_or(0, Vec::len));
        }
        Compared {
            difference,
            events,
            first,
            by,
            least,
            rows,
            others,
            arcs,
            lines: all_lines,
            waterfalls,
            deltas,
            place,
        }
    }

    /// The place of a function among the rows, if it is there, by its place in [`crate::analysis::difference::Matching::pairs`].
    pub fn place(&self, pair: usize) -> Option<u32> {
        self.place.get(&pair).copied()
    }

    /// The lines of the new run that are on the page, by file.
    pub fn hits(&self) -> Hits<'a> {
        let mut hits = Hits::new();
        for line in &self.lines {
            if let Some(number) = line.new_line().filter(|&number| number > 0) {
                hits.entry(self.difference.matching.new.file(line.file))
                    .or_default()
                    .insert(number);
            }
        }
        hits
    }
}

/// From the old total to the new one: the largest changes of self cost, then what is left, by kind.
fn waterfall(difference: &Difference<'_>, event: Event) -> Vec<Step> {
    let events = difference.events();
    let rows = difference.listed();
    let delta = |at: usize| difference.own(rows[at]).delta(events, event);
    let mut order: Vec<usize> = (0..rows.len()).filter(|&at| delta(at) != 0).collect();
    order.order_by(|&a, &b| {
        delta(b)
            .unsigned_abs()
            .cmp(&delta(a).unsigned_abs())
            .then(a.cmp(&b))
    });
    let (largest, rest) = order.split_at(order.len().min(STEPS));
    let mut steps: Vec<Step> = largest
        .iter()
        .map(|&at| Step {
            what: Stepped::Row(at),
            change: delta(at),
        })
        .collect();
    let pair = |at: usize| difference.matching.pairs[rows[at]];
    let mut sum = |is_of: fn(Pair) -> bool, what: fn(usize) -> Stepped| {
        let kind: Vec<i128> = rest
            .iter()
            .filter(|&&at| is_of(pair(at)))
            .map(|&at| delta(at))
            .collect();
        if !kind.is_empty() {
            steps.push(Step {
                what: what(kind.len()),
                change: kind.iter().sum(),
            });
        }
    };
    sum(
        |pair| pair.old.is_some() && pair.new.is_some(),
        Stepped::Others,
    );
    sum(|pair| pair.old.is_none(), Stepped::Appeared);
    sum(|pair| pair.new.is_none(), Stepped::Gone);
    let outside = difference.frame.outside.delta(events, event);
    if outside != 0 {
        steps.push(Step {
            what: Stepped::Outside,
            change: outside,
        });
    }
    steps
}
