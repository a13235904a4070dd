//! Pairs renamed functions. Their names, callers, callees and costs must be similar, and no other
//! function may come close.

use super::{How, Matching, Side, names};
use crate::{
    analysis::CallSide,
    profile::{Event, FunctionId, Order, Profile, costs::count},
};
use std::{cmp::Reverse, collections::BTreeSet};
use strsim::generic_levenshtein;

/// Similarity is counted in thousandths. Each kind must reach `LEAST`, and the sum of the three
/// must reach `ENOUGH`. So names may have little in common if everything else is the same.
pub(super) const LEAST: u64 = 400;
const ENOUGH: u64 = 2100;

/// How far a pair must be ahead of the next best.
const MARGIN: u64 = 200;

/// The most functions of each side that are compared, most expensive first.
pub(super) const MOST: usize = 300;

/// Names are compared up to this length.
const LONGEST: usize = 200;

/// The number of rounds: each pair that is found makes its neighbors more similar.
const ROUNDS: usize = 3;

/// Pairs functions that match without doubt.
pub(super) fn pair(matching: &mut Matching<'_>) {
    for _ in 0..ROUNDS {
        let (olds, news) = (Candidate::all(&matching.old), Candidate::all(&matching.new));
        let mut alike = Vec::new();
        for (a, old) in olds.iter().enumerate() {
            for (b, new) in news.iter().enumerate() {
                if let Some(score) = likeness(matching, old, new) {
                    alike.push((score, a, b));
                }
            }
        }
        let sure = without_doubt(&alike, olds.len(), news.len(), ENOUGH);
        if sure.is_empty() {
            return;
        }
        for (a, b) in sure {
            matching.pair(Some(olds[a].id), Some(news[b].id), How::Renamed);
        }
    }
}

/// The pairs with a score of at least `enough`, if no other pair of either function comes close.
pub(super) fn without_doubt(
    alike: &[(u64, usize, usize)],
    olds: usize,
    news: usize,
    enough: u64,
) -> Vec<(usize, usize)> {
    let (mut best_olds, mut best_news) = (vec![Best::default(); olds], vec![Best::default(); news]);
    for &(score, a, b) in alike {
        best_olds[a].see(score, b);
        best_news[b].see(score, a);
    }
    let next_best = |score: u64, a: usize, b: usize| {
        let rival = best_olds[a].without(b).max(best_news[b].without(a));
        rival.is_none_or(|rival| score >= rival.saturating_add(MARGIN))
    };
    (alike.iter())
        .filter(|&&(score, a, b)| score >= enough && next_best(score, a, b))
        .map(|&(_, a, b)| (a, b))
        .collect()
}

/// The two best scores of a function, and the partner of the best.
#[derive(Clone, Default)]
struct Best {
    first: Option<(u64, usize)>,
    second: Option<u64>,
}

impl Best {
    fn see(&mut self, score: u64, partner: usize) {
        match self.first {
            Some((best, _)) if score <= best => self.second = self.second.max(Some(score)),
            _ => {
                self.second = self.first.map(|(best, _)| best);
                self.first = Some((score, partner));
            }
        }
    }

    /// The best score with any other partner.
    fn without(&self, partner: usize) -> Option<u64> {
        self.first
            .filter(|&(_, with)| with != partner)
            .map(|(best, _)| best)
            .or(self.second)
    }
}

/// What is known about a function except its name.
pub(super) struct Candidate {
    id: FunctionId,
    /// The callers and callees that both runs have, by a common number. `arcs` is the number of all
    /// callers and callees.
    neighbours: BTreeSet<(CallSide, usize)>,
    arcs: usize,
    cost: i64,
    /// The cost with calls of others.
    pub whole: i64,
    pub calls: u64,
}

impl Candidate {
    /// A candidate for merged functions, which are sorted by id, for the event of a column.
    pub(super) fn new(
        profile: &Profile,
        ids: &[FunctionId],
        column: usize,
        number: impl Fn(FunctionId) -> usize,
    ) -> Candidate {
        let mut found = Candidate {
            id: ids[0],
            neighbours: BTreeSet::new(),
            arcs: 0,
            cost: 0,
            whole: 0,
            calls: 0,
        };
        for &id in ids {
            let count = |row: &[i64]| count(row, column);
            let own = count(profile.self_cost(id));
            found.cost = found.cost.saturating_add(own);
            found.whole = found.whole.saturating_add(own);
            let callers = profile
                .arcs_to(id)
                .map(|arc| (CallSide::Callers, arc.caller, arc.count, 0));
            let callees = profile.arcs_of(id).iter();
            let callees = callees.map(|arc| {
                (
                    CallSide::Callees,
                    arc.callee,
                    0,
                    count(profile.arc_cost(arc)),
                )
            });
            for (way, other, calls, cost) in callers
                .chain(callees)
                .filter(|(_, other, ..)| ids.binary_search(other).is_err())
            {
                found.neighbours.insert((way, number(other)));
                found.arcs += 1;
                found.calls = found.calls.saturating_add(calls);
                found.whole = found.whole.saturating_add(cost);
            }
        }
        found
    }

    fn all(side: &Side<'_>) -> Vec<Candidate> {
        let profile = &side.profile;
        let count = |row: &[i64]| profile.events.counted(row, Event::Recorded(0));
        let mut ids: Vec<FunctionId> = side
            .unpaired()
            .filter(|&id| names::is_named(&profile.names, profile.function(id).name))
            .collect();
        let cost = |id| count(side.inclusive.cost(id));
        ids.order_by_key(|&id| (Reverse(cost(id)), profile.sort_key(id)));
        ids.truncate(MOST);
        ids.into_iter()
            .map(|id| Candidate::new(profile, &[id], 0, |other| side.pair(other)))
            .collect()
    }

    /// The similarity of costs, and of callers and callees; `None` if either is too low.
    pub(super) fn likeness(&self, new: &Candidate) -> Option<(u64, u64)> {
        let enough = |score: u64| (score >= LEAST).then_some(score);
        let per_call =
            |a: &Candidate, b: &Candidate| i128::from(a.cost).checked_mul(i128::from(b.calls));
        let whole = ratio(i128::from(self.cost), i128::from(new.cost));
        let each = match (per_call(self, new), per_call(new, self)) {
            (Some(a), Some(b)) if self.calls > 0 && new.calls > 0 => ratio(a, b),
            _ => 0,
        };
        let cost = enough(whole.max(each))?;
        let shared = self
            .neighbours
            .intersection(&new.neighbours)
            .filter(|(_, pair)| *pair != usize::MAX)
            .count();
        let all = self.arcs.max(new.arcs);
        Some((
            cost,
            enough((shared * 1000).checked_div(all).unwrap_or(1000) as u64)?,
        ))
    }
}

/// The similarity of two functions; `None` if any kind of similarity is too low.
fn likeness(matching: &Matching<'_>, old: &Candidate, new: &Candidate) -> Option<u64> {
    let (f, g) = (
        matching.old.profile.function(old.id),
        matching.new.profile.function(new.id),
    );
    if f.object != g.object || old.arcs == 0 || new.arcs == 0 {
        return None;
    }
    let (cost, arcs) = old.likeness(new)?;
    // Names are slow to compare, so functions that can be neither a pair nor a rival are skipped.
    if cost + arcs + 1000 + MARGIN <= ENOUGH {
        return None;
    }
    let name = names_alike(
        matching.old.profile.name(f.name),
        matching.new.profile.name(g.name),
    );
    (name >= LEAST).then_some(cost + arcs + name)
}

pub(super) fn ratio(a: i128, b: i128) -> u64 {
    let (less, more) = (a.min(b), a.max(b));
    if less <= 0 || more <= 0 {
        return if a == b { 1000 } else { 0 };
    }
    less.checked_mul(1000)
        .map_or(0, |less| (less / more) as u64)
}

/// The mean similarity of the whole names and of their last parts, because long paths before those
/// mean little.
fn names_alike(a: &[u8], b: &[u8]) -> u64 {
    (alike(a, b) + alike(names::last_part(a), names::last_part(b))) / 2
}

/// 1000 minus the fraction of bytes that must change to turn one name into the other.
fn alike(a: &[u8], b: &[u8]) -> u64 {
    let [a, b] = [a, b].map(|name| name[..name.len().min(LONGEST)].to_vec());
    let longest = a.len().max(b.len());
    if longest == 0 {
        return 1000;
    }
    (1000 - generic_levenshtein(&a, &b) * 1000 / longest) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_the_others_is_known() {
        let mut best = Best::default();
        assert_eq!(best.without(1), None);
        for (score, partner) in [(5, 1), (9, 2), (7, 3), (9, 4)] {
            best.see(score, partner);
        }
        assert_eq!(
            [best.without(1), best.without(2), best.without(4)],
            [Some(9); 3]
        );
        let mut best = Best::default();
        [(9, 1), (5, 2), (7, 3)]
            .into_iter()
            .for_each(|(score, partner)| best.see(score, partner));
        assert_eq!([best.without(1), best.without(2)], [Some(7), Some(9)]);
    }

    #[test]
    fn distance_is_counted_in_bytes() {
        assert_eq!(alike(b"kitten", b"sitting"), 1000 - 3 * 1000 / 7);
        assert_eq!(alike(b"same", b"same"), 1000);
        assert_eq!(alike(b"abc", b"xyz"), 0);
    }
}
