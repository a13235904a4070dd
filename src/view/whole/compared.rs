//! The comparison of two runs as one page: the changes of functions, arcs and lines, limited by one
//! rule.
//!
//! A function is on the page if its self or inclusive cost changed by at least [`Least`] of the
//! larger total of any event. What is omitted is added up where it belongs. Each event has a
//! waterfall whose steps lead exactly from the old total to the new one.

use super::{Delta, Hits, Least, deltas, ground::first_served};
use crate::{
    analysis::{
        Cost,
        difference::{
            ArcPair, ChangeRef, ChangedFunction, ChangedLineRow, Difference, LineDifference, Pair,
            UnlistedChange,
        },
    },
    profile::{Event, Order},
};
use std::collections::{HashMap, HashSet};

/// At most this many functions have their own step in a waterfall.
const STEPS: usize = 12;

/// The part of a comparison that is on its page.
pub struct Compared<'a> {
    /// The changes, by self cost.
    pub difference: &'a Difference<'a>,
    /// The events, in the order of the page's menu.
    pub events: Vec<Event>,
    /// The index of the event that the page shows first.
    pub first: usize,
    /// The cost whose change orders the functions at first.
    pub by: Cost,
    /// The limit below which changes are omitted.
    pub least: Least,
    /// The functions, by change of self cost, largest first, then those with changes only in calls.
    pub rows: Vec<ComparedRow<'a>>,
    /// Changed functions that are omitted.
    pub others: UnlistedChange,
    /// Arcs from the functions, function by function, ordered by callee.
    pub arcs: Vec<ComparedArc<'a>>,
    /// Changed lines of the functions, function by function, ordered by file and line.
    pub lines: Vec<&'a ChangedLineRow<'a>>,
    /// The steps from the old total to the new one, for each event.
    pub waterfalls: Vec<Vec<WaterfallStep>>,
    /// The changes in the stacks of each event, if they can be estimated and have room.
    pub deltas: Vec<Option<Vec<Delta>>>,
    /// The index of each function, by pair.
    place: HashMap<usize, u32>,
}

/// A function of the page.
pub struct ComparedRow<'a> {
    /// Its changes.
    pub row: ChangedFunction<'a>,
    /// The number of its arcs in [`Compared::arcs`].
    pub arcs: usize,
    /// The number of its lines in [`Compared::lines`].
    pub lines: usize,
    /// Omitted calls of it. Recursive ones are counted without cost.
    pub other_callers: UnlistedChange,
    /// Omitted calls that it makes. Recursive ones are counted without cost.
    pub other_callees: UnlistedChange,
    /// Its omitted changed lines.
    pub other_lines: UnlistedChange,
}

/// Calls from one function to another in both runs.
pub struct ComparedArc<'a> {
    /// The index of the callee among the functions.
    pub callee: u32,
    /// The calls in both runs.
    pub calls: ArcPair<'a>,
    /// Whether they are recursive in either run.
    pub recursive: bool,
}

/// One step of a waterfall.
pub struct WaterfallStep {
    /// What the step is about.
    pub what: Stepped,
    /// The change of the cost.
    pub change: i128,
}

/// What a step is about.
#[derive(Clone, Copy)]
pub enum Stepped {
    /// A function, by its index among the rows of the difference.
    Row(usize),
    /// A number of other functions that both runs have.
    Others(usize),
    /// A number of other functions that only the new run has.
    Appeared(usize),
    /// A number of other functions that only the old run has.
    Gone(usize),
    /// The cost that is not attributed to any function.
    Outside,
}

impl<'a> Compared<'a> {
    /// Everything that changed by at least `least`. `deep` is the same comparison by inclusive
    /// cost. It has the functions with changes only in calls.
    pub fn new(
        difference: &'a Difference<'a>,
        deep: &'a Difference<'a>,
        lines: &'a LineDifference<'a>,
        (events, first): (Vec<Event>, usize),
        (by, least): (Cost, Least),
    ) -> Compared<'a> {
        let matching = difference.matching;
        let of = difference.events();
        let limits = least.limits_of_both(of, &difference.frame.total, &events);
        let (mut kept, mut others): (Vec<ChangedFunction<'a>>, UnlistedChange) =
            (Vec::new(), UnlistedChange::default());
        let mut place: HashMap<usize, u32> = HashMap::new();
        let mut seen = HashSet::new();
        for &at in difference
            .listed
            .iter()
            .chain(&deep.listed)
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
        let mut of_function: HashMap<usize, Vec<&ChangedLineRow<'_>>> = HashMap::new();
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
            for (pair, calls) in matching.arcs_from(pair) {
                let cost = matching.arc_cost(calls);
                let recursive = matching.is_recursive(calls);
                match keep(pair, cost) {
                    Some(callee) => {
                        arcs.push(ComparedArc {
                            callee,
                            calls,
                            recursive,
                        });
                        out.arcs += 1;
                    }
                    // Costs of recursive calls contain each other, so they are not added up.
                    None if recursive => out.other_callees.add(ChangeRef::default()),
                    None => out.other_callees.add(cost),
                }
            }
            for (pair, calls) in matching.arcs_to(pair) {
                let cost = matching.arc_cost(calls);
                match keep(pair, cost) {
                    Some(_) => {}
                    None if matching.is_recursive(calls) => {
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
        let mut left = deltas::MOST_FRAMES;
        let deltas = first_served(&events, first, |event| {
            let deltas = (left > 0).then(|| deltas::deltas(matching, event, least));
            let deltas = deltas.flatten();
            left = left.saturating_sub(deltas.as_ref().map_or(0, Vec::len));
            deltas
        });
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

    /// The index of a function among the rows, if it is on the page. `pair` is its index in
    /// [`crate::analysis::difference::Matching::pairs`].
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

/// The steps from the old total to the new one: the largest changes of self cost, then the others,
/// by kind.
fn waterfall(difference: &Difference<'_>, event: Event) -> Vec<WaterfallStep> {
    let events = difference.events();
    let rows = &difference.listed;
    let delta = |at: usize| difference.own(rows[at]).delta(events, event);
    let mut order: Vec<usize> = (0..rows.len()).filter(|&at| delta(at) != 0).collect();
    order.order_by(|&a, &b| {
        delta(b)
            .unsigned_abs()
            .cmp(&delta(a).unsigned_abs())
            .then(a.cmp(&b))
    });
    let (largest, rest) = order.split_at(order.len().min(STEPS));
    let mut steps: Vec<WaterfallStep> = largest
        .iter()
        .map(|&at| WaterfallStep {
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
            steps.push(WaterfallStep {
                what: what(kind.len()),
                change: kind.iter().sum(),
            });
        }
    };
    sum(|pair| !pair.ids().contains(&None), Stepped::Others);
    sum(|pair| pair.old.is_none(), Stepped::Appeared);
    sum(|pair| pair.new.is_none(), Stepped::Gone);
    let outside = difference.frame.outside.delta(events, event);
    if outside != 0 {
        steps.push(WaterfallStep {
            what: Stepped::Outside,
            change: outside,
        });
    }
    steps
}
