//! Why a function's inclusive cost changed: more calls, more expensive calls, or both; and which
//! arc grew.

use super::{ArcPair, Matching, OldOrNew, Pair, Shifts, Side, shifts::shifted};
use crate::{
    analysis::{Label, Reach},
    profile::{CallEdge, Event, FunctionId, NameId, Order, Site},
};
use std::{cmp::Reverse, collections::BTreeMap};

/// Splits a change of inclusive cost into three terms that add up to it exactly.
///
/// With `n` calls of `c` events each, before (0) and after (1): `more = (n1 - n0) * c0`, `dearer =
/// n0 * (c1 - c0)`, `joint = (n1 - n0) * (c1 - c0)`. The cost of a call need not be an integer, so
/// `more` and `dearer` are rounded to the nearest integer, halves away from zero. `joint` is the
/// rest of the change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// More calls at the old cost of a call.
    pub more: i128,
    /// More expensive calls at the old number of calls.
    pub dearer: i128,
    /// More calls, each more expensive.
    pub joint: i128,
}

impl Split {
    /// Splits a change. `None` if either run has no counted call, or if the numbers exceed 127
    /// bits.
    pub fn new(calls: (u64, u64), cost: (i64, i64)) -> Option<Split> {
        let (n0, n1) = (i128::from(calls.0), i128::from(calls.1));
        let (i0, i1) = (i128::from(cost.0), i128::from(cost.1));
        if n0 == 0 || n1 == 0 {
            return None;
        }
        let more = rounded((n1 - n0).checked_mul(i0)?, n0);
        let dearer = rounded(n0.checked_mul(i1)?.checked_sub(i0.checked_mul(n1)?)?, n1);
        Some(Split {
            more,
            dearer,
            joint: (i1 - i0).checked_sub(more)?.checked_sub(dearer)?,
        })
    }
}

/// A quotient rounded to the nearest integer, halves away from zero. `by` is above zero and below
/// 2^64.
fn rounded(number: i128, by: i128) -> i128 {
    let (quotient, rest) = (number / by, number % by);
    if rest.abs() * 2 >= by {
        quotient + rest.signum()
    } else {
        quotient
    }
}

/// The known reasons of a change.
#[derive(Clone, Debug)]
pub struct Cause<'m> {
    /// Calls by other functions, before and after, if known. For two baselines, all calls.
    pub calls: [Option<u64>; 2],
    /// The caller whose number of calls changed most, in the direction of the sum.
    pub caller: Option<Caller<'m>>,
    /// The parts of a call's cost that changed most, up or down, largest first.
    pub inside: Vec<Inside<'m>>,
    /// The run in which calls of this function are in a cycle, if they are in none in the other
    /// run. Its inclusive cost there omits them, so its calls in the two runs cannot be compared.
    pub in_cycle: Option<OldOrNew>,
}

/// The arc that grew or shrank most.
#[derive(Clone, Debug)]
pub struct Caller<'m> {
    /// The caller.
    pub label: Label<'m>,
    /// Whether only one run has this caller.
    pub alone: bool,
    /// The line that most of the change comes from.
    pub site: Option<(&'m [u8], u64)>,
    /// The change of the number of calls.
    pub change: i128,
    /// How much of the whole change this caller causes.
    pub share: CallerShare,
}

/// How much of a change one caller causes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallerShare {
    /// All of it.
    All,
    /// This percentage of all changes in the same direction.
    Percent(u8),
}

/// A part of what made a call more or less expensive, for the first sort event.
#[derive(Clone, Debug)]
pub struct Inside<'m> {
    /// The code that changed.
    pub place: ChangedCode<'m>,
    /// The change of the cost of a call, in thousandths of an event.
    pub thousandths: i128,
}

/// The code that made a call more or less expensive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ChangedCode<'m> {
    /// The function's own code.
    Own,
    /// Calls of the function by itself: the number before and after.
    Recursion(u64, u64),
    /// A callee.
    Callee(Label<'m>),
}

impl<'m> Cause<'m> {
    /// Finds the reasons of one function's change.
    pub(super) fn new(
        matching: &'m Matching<'_>,
        shifts: &Shifts,
        at: usize,
        event: Event,
    ) -> Cause<'m> {
        let pair = matching.pairs[at];
        // Baselines record how often a function was called, also by itself, but not by whom. With
        // recursion, that number differs from the one in arcs, so the two are not compared.
        let is_stated = matching.sides().iter().all(|side| side.states_calls());
        let known = |side: &Side, id: FunctionId| {
            // Nobody counts how often inlined code runs, and how often one of several functions was
            // called through another is unknown.
            let is_known = side.knows_calls()
                && side.reach(id) != Reach::Inlined
                && side.inclusive.is_exact(id)
                && side.states_calls() == is_stated;
            is_known.then(|| match &side.profile.stated {
                Some(stated) if is_stated => stated.calls(id),
                _ => side.calls(id),
            })
        };
        let calls = matching
            .both(pair.ids(), known)
            .map(|calls| calls.unwrap_or(Some(0)));
        let in_cycle = in_other_cycle(matching, pair);
        let both = calls[0].zip(calls[1]).filter(|_| in_cycle.is_none());
        Cause {
            calls,
            in_cycle,
            caller: both.and_then(|calls| caller(matching, shifts, at, pair, calls)),
            inside: both
                .and_then(|calls| inside(matching, at, pair, calls, event))
                .unwrap_or_default(),
        }
    }

    /// The calls before and after; 0 if unknown.
    pub fn counted(&self) -> (u64, u64) {
        self.calls.map(Option::unwrap_or_default).into()
    }
}

/// The run in which calls of a function are in a cycle, if they are not in the other run.
fn in_other_cycle(matching: &Matching<'_>, pair: Pair) -> Option<OldOrNew> {
    match matching.both(pair.ids(), |side, id| side.inclusive.lacks_calls(id)) {
        [Some(true), Some(true)] => {
            let mut arcs = matching.arcs_from(pair).into_values();
            arcs.find_map(|arcs| OldOrNew::only(matching.both(arcs, Side::is_recursive)))
        }
        lacks_calls => OldOrNew::only(lacks_calls),
    }
}

/// The numbers of calls before and after.
fn counts(arcs: &ArcPair<'_>) -> [u64; 2] {
    arcs.map(|arc| arc.map_or(0, |arc| arc.count))
}

fn caller<'m>(
    matching: &'m Matching<'_>,
    shifts: &Shifts,
    at: usize,
    pair: Pair,
    calls: (u64, u64),
) -> Option<Caller<'m>> {
    let change = i128::from(calls.1) - i128::from(calls.0);
    let mut arcs = matching.arcs_to(pair);
    arcs.remove(&at);
    let delta = |arcs: &ArcPair| {
        let [old, new] = counts(arcs).map(i128::from);
        new - old
    };
    let along = |arcs: &&ArcPair| delta(arcs).signum() == change.signum();
    let whole: i128 = arcs.values().filter(along).map(delta).sum();
    let others = arcs
        .values()
        .any(|arcs| delta(arcs) != 0 && delta(arcs) != change);
    let (&caller, found) = (arcs.iter())
        .filter(|(_, arcs)| change != 0 && along(arcs))
        .max_by(|a, b| {
            let name = |&at: &usize| matching.sort_key(at);
            delta(a.1)
                .abs()
                .cmp(&delta(b.1).abs())
                .then_with(|| name(b.0).cmp(&name(a.0)))
        })?;
    let change_here = delta(found);
    let share = if change_here == change && !others {
        CallerShare::All
    } else {
        CallerShare::Percent(
            (change_here * 100 / whole.abs().max(1))
                .unsigned_abs()
                .min(100) as u8,
        )
    };
    Some(Caller {
        label: matching.label(caller)?,
        alone: matching.pairs[caller].ids().contains(&None),
        site: site(matching, shifts, caller, *found, change_here),
        change: change_here,
        share,
    })
}

/// The line that at least half of an arc's change comes from.
fn site<'m>(
    matching: &'m Matching<'_>,
    shifts: &Shifts,
    caller: usize,
    arcs: ArcPair<'m>,
    change: i128,
) -> Option<(&'m [u8], u64)> {
    let sites = matching.both(arcs, |side, arc| side.profile.sites(arc));
    // By file and line: the calls after minus the calls before, and the site on either side.
    type SiteCounts<'s> = BTreeMap<(NameId, Option<i128>), (i128, [Option<&'s Site>; 2])>;
    let mut counts = SiteCounts::new();
    for (run, sites) in sites.into_iter().enumerate() {
        for site in sites.unwrap_or_default() {
            let (shift, sign) = [(shifts.shift(caller, site.file), -1), (0, 1)][run];
            let place = counts
                .entry((site.file, shifted(site.line, shift)))
                .or_default();
            place.0 += sign * i128::from(site.count);
            place.1[run] = Some(site);
        }
    }
    let place = |&(_, sites): &(i128, [Option<&'m Site>; 2])| {
        let place = |side: &'m Side, site: &Site| (side.file(site.file), site.line);
        let [old, new] = matching.both(sites, place);
        new.or(old)
    };
    let is_most = |(delta, _): &&(i128, _)| {
        delta.signum() == change.signum() && delta.abs() * 2 >= change.abs()
    };
    let most = counts
        .values()
        .filter(is_most)
        .max_by_key(|most| (most.0.abs(), Reverse(place(most))))?;
    place(most).filter(|&(_, line)| line > 0)
}

/// How much of a change may stay unexplained, in percent, and the most places that are named.
const UNEXPLAINED: u128 = 20;
const PLACES: usize = 3;

fn inside<'m>(
    matching: &'m Matching<'_>,
    at: usize,
    pair: Pair,
    calls: (u64, u64),
    event: Event,
) -> Option<Vec<Inside<'m>>> {
    let (n0, n1) = (i128::from(calls.0), i128::from(calls.1));
    if n0 == 0 || n1 == 0 {
        return None;
    }
    let events = matching.events();
    let count = events.counter(event);
    // The difference of two quotients, over their common denominator.
    let over = |[old, new]: [Option<i128>; 2]| {
        let (old, new) = (old.unwrap_or(0), new.unwrap_or(0));
        new.checked_mul(n0)?.checked_sub(old.checked_mul(n1)?)
    };
    let inclusive = |side: &Side<'_>, id| count(side.inclusive.cost(id));
    let whole = over(matching.both(pair.ids(), inclusive)).filter(|&w| w != 0)?;
    let mut callees = matching.arcs_from(pair);
    let recursion = callees
        .remove(&at)
        .map(|arcs| counts(&arcs))
        .filter(|calls| {
            over(calls.map(|calls| Some(calls.into()))).is_some_and(|delta| delta != 0)
        });
    let own = |side: &Side<'_>, id| count(side.profile.self_cost(id));
    let mut parts = vec![(
        over(matching.both(pair.ids(), own))?,
        recursion.map_or(ChangedCode::Own, |[old, new]| {
            ChangedCode::Recursion(old, new)
        }),
    )];
    // The costs of calls in a cycle contain each other. A computed inclusive cost omits those
    // calls. A stated one includes them. Their part of it is what the other parts leave, if only
    // one callee is in the cycle.
    let cost = |side: &Side<'_>, arc: &CallEdge| match side.is_recursive(arc) {
        true => 0,
        false => count(side.profile.arc_cost(arc)),
    };
    let is_in_cycle = |side: &Side<'_>, arc: &CallEdge| {
        side.inclusive.of_its_cycle(arc.caller).is_none() && side.is_recursive(arc)
    };
    let mut in_cycle = Vec::new();
    for (callee, arcs) in callees {
        let delta = over(matching.both(arcs, cost))?;
        parts.push((delta, ChangedCode::Callee(matching.label(callee)?)));
        if matching.both(arcs, is_in_cycle).contains(&Some(true)) {
            in_cycle.push(parts.len() - 1);
        }
    }
    if let [only] = in_cycle[..] {
        let mut others = parts
            .iter()
            .enumerate()
            .filter(|&(at, _)| at != only)
            .map(|(_, part)| part.0);
        parts[only].0 = others.try_fold(whole, i128::checked_sub)?;
    }
    // Parts can cancel each other: moving code from a function into its callee makes neither more
    // expensive.
    parts.retain(|(delta, _)| *delta != 0);
    // Equal parts are ordered by name, own code first.
    let name = |place: &ChangedCode<'m>| match *place {
        ChangedCode::Own | ChangedCode::Recursion(..) => None,
        ChangedCode::Callee(label) => Some(label),
    };
    parts.order_by(|(a, a_place), (b, b_place)| {
        let key = |delta: &i128| {
            (
                Reverse(delta.unsigned_abs()),
                delta.signum() != whole.signum(),
            )
        };
        key(a)
            .cmp(&key(b))
            .then_with(|| match (name(a_place), name(b_place)) {
                (Some(a), Some(b)) => a.compare(&b),
                (a, b) => a.is_some().cmp(&b.is_some()),
            })
    });
    let denominator = n0.checked_mul(n1)?;
    let (mut left, mut places) = (whole, Vec::new());
    for (delta, place) in parts.into_iter().take(PLACES) {
        if left.unsigned_abs().saturating_mul(100)
            <= whole.unsigned_abs().saturating_mul(UNEXPLAINED)
        {
            break;
        }
        left = left.checked_sub(delta)?;
        let (quotient, rest) = (delta / denominator, delta % denominator);
        let rest = rest.checked_mul(1000).map_or(0, |rest| rest / denominator);
        places.push(Inside {
            place,
            thousandths: quotient.checked_mul(1000)? + rest,
        });
    }
    Some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_terms_add_up() {
        // 3 calls of 10 became 6 of 15: 3 * 10, 3 * 5, 3 * 5.
        assert_eq!(
            Split::new((3, 6), (30, 90)),
            Some(Split {
                more: 30,
                dearer: 15,
                joint: 15
            })
        );
        // 100 / 3 per call: one more call costs 33.3, rounded; the rest is joint.
        assert_eq!(
            Split::new((3, 4), (100, 100)),
            Some(Split {
                more: 33,
                dearer: -25,
                joint: -8
            })
        );
        // Halves are rounded away from zero.
        assert_eq!(
            Split::new((2, 1), (5, 5)),
            Some(Split {
                more: -3,
                dearer: 5,
                joint: -2
            })
        );
        assert_eq!(Split::new((0, 1), (0, 5)), None);
        for (calls, cost) in [
            ((7, 11), (i64::MAX, i64::MAX)),
            ((1, u64::MAX), (3, -7)),
            ((9, 2), (-10, i64::MIN + 1)),
        ] {
            let split = Split::new(calls, cost).unwrap();
            let change = i128::from(cost.1) - i128::from(cost.0);
            assert_eq!(split.more + split.dearer + split.joint, change);
        }
    }
}
