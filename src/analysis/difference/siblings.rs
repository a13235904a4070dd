//! Matches siblings: functions of one place whose names differ in a number or a hash that each
//! build assigns again.
//!
//! They are matched by callees, callers, cost and order. If that leaves more than one possibility,
//! their costs add up, as for parts of one function.

use super::{
    OldOrNew,
    builds::{Varies, reduced},
    raw::{Placed, Raw},
    renames::{Candidate, MOST, ratio, without_doubt},
};
use crate::profile::{FunctionId, NameId, Names};
use std::collections::{BTreeMap, BTreeSet};

/// The score for the same position in the order, and in `OFTEN` for the same number of calls. The
/// same cost scores 1000.
const ORDER: u64 = 500;
const OFTEN: u64 = 250;
/// The score for the same hash: more than everything else.
const SAME: u64 = 5000;

/// Longer names are not examined again for every function that has them.
const LONGEST: usize = 4096;

/// Whether a name is short enough to be examined for every function that has it.
pub(super) fn is_short(names: &Names, name: NameId) -> bool {
    names.lent(name).pieces().map(<[u8]>::len).sum::<usize>() <= LONGEST
}

/// The names of a function in the comparison: the one that identifies it, and the one that is
/// shown.
pub(super) struct SiblingName {
    pub side: OldOrNew,
    pub id: FunctionId,
    pub name: NameId,
    pub shown: NameId,
}

/// A sibling, with its parts.
struct Sibling {
    /// Its name, with numbers and hashes.
    text: Vec<u8>,
    /// Its name without hashes.
    shown: Vec<u8>,
    known: Candidate,
    functions: Vec<FunctionId>,
}

/// Matches the siblings of a group. `None` if either side has none, if nothing changed, or if there
/// are too many.
pub(super) fn told_apart(
    group: &[Placed],
    raws: &[Raw<'_>; 2],
    columns: [usize; 2],
    names: &mut Names,
) -> Option<Vec<SiblingName>> {
    if group.iter().all(|function| function.name == group[0].name)
        || !is_short(names, group[0].name.normal)
    {
        return None;
    }
    let [olds, news] = [OldOrNew::Old, OldOrNew::New].map(|side| by_text(group, side, names));
    if olds.len().max(news.len()) < 2
        || olds.is_empty()
        || news.is_empty()
        || olds.len() * news.len() > MOST * MOST
    {
        return None;
    }
    let [olds, news] =
        [(olds, 0), (news, 1)].map(|(found, side): (ByText, usize)| -> Vec<Sibling> {
            let (raw, column) = (&raws[side], columns[side]);
            let known = |ids: &[FunctionId]| {
                Candidate::new(raw.profile, ids, column, |id| {
                    raw.names[id.index()].normal.index()
                })
            };
            (found.into_iter())
                .map(|((_, text), mut functions)| {
                    functions.sort_unstable();
                    let shown = reduced(&text, Varies::Hash).into_owned();
                    Sibling {
                        shown,
                        known: known(&functions),
                        text,
                        functions,
                    }
                })
                .collect()
        });
    let (partners, is_sum) = partners(&olds, &news);
    let stays = |(a, partner): (usize, &Option<usize>)| {
        partner.is_some_and(|b| olds[a].text == news[b].text)
    };
    if olds.len() == news.len() && partners[0].iter().enumerate().all(stays) {
        return None;
    }
    let mut told = Vec::new();
    for (side, [these, others]) in [
        (OldOrNew::Old, [&olds, &news]),
        (OldOrNew::New, [&news, &olds]),
    ] {
        for (one, partner) in these.iter().zip(&partners[side as usize]) {
            let other = partner.map(|at| &others[at]);
            let (name, shown) = match other {
                None if is_sum => (group[0].name.normal, group[0].name.normal),
                _ => (
                    names.intern(&key(one, other, side)),
                    names.intern(&one.shown),
                ),
            };
            told.extend(one.functions.iter().map(|&id| SiblingName {
                side,
                id,
                name,
                shown,
            }));
        }
    }
    Some(told)
}

/// The partner of each sibling in the other run, old ones first. Also whether those without a
/// partner add up, because nothing distinguishes them.
fn partners(olds: &[Sibling], news: &[Sibling]) -> ([Vec<Option<usize>>; 2], bool) {
    let shown = |all: &[Sibling]| {
        all.iter()
            .map(|one| &one.shown)
            .collect::<BTreeSet<_>>()
            .len()
            == all.len()
    };
    let is_ordered = shown(olds) && shown(news);
    let score = |a: usize, b: usize| {
        let (old, new) = (&olds[a], &news[b]);
        // A hash that stays belongs to the same function.
        if !is_ordered && old.text == new.text {
            return Some(SAME);
        }
        let (cost, neighbours) = old.known.likeness(&new.known)?;
        let is_there = is_ordered && (a == b || olds.len() - a == news.len() - b);
        let whole = ratio(old.known.whole.into(), new.known.whole.into());
        // Exactly the same cost counts more than a similar one.
        let [cost, whole] =
            [cost, whole].map(|cost| if cost == 1000 { cost } else { cost * 4 / 5 });
        let is_as_often = old.known.calls == new.known.calls;
        Some(
            cost + whole
                + 2 * neighbours
                + ORDER * u64::from(is_there)
                + OFTEN * u64::from(is_as_often),
        )
    };
    let mut partners: [Vec<Option<usize>>; 2] = [vec![None; olds.len()], vec![None; news.len()]];
    let all = (0..olds.len()).flat_map(|a| (0..news.len()).map(move |b| (a, b)));
    let alike: Vec<_> = all
        .filter_map(|(a, b)| Some((score(a, b)?, a, b)))
        .collect();
    for (a, b) in without_doubt(&alike, olds.len(), news.len(), 0) {
        (partners[0][a], partners[1][b]) = (Some(b), Some(a));
    }
    let [old_left, new_left] = [0, 1].map(|side: usize| {
        let left = partners[side]
            .iter()
            .enumerate()
            .filter(|(_, partner)| partner.is_none());
        left.map(|(at, _)| at).collect::<Vec<_>>()
    });
    let is_even = old_left.len() == new_left.len();
    if is_even && is_ordered {
        for (&a, &b) in old_left
            .iter()
            .zip(&new_left)
            .filter(|&(&a, &b)| a == b || score(a, b).is_some())
        {
            (partners[0][a], partners[1][b]) = (Some(b), Some(a));
        }
    }
    let is_sum = !(old_left.is_empty() || new_left.is_empty() || is_even && is_ordered);
    (partners, is_sum)
}

/// A unique name, the same on both sides. Its position in the order of names does not depend on
/// which side is old.
fn key(one: &Sibling, other: Option<&Sibling>, side: OldOrNew) -> Vec<u8> {
    let is_old = side == OldOrNew::Old;
    let Some(other) = other else {
        return [&one.text[..], if is_old { b"\0-" } else { b"\0+" }].concat();
    };
    let (less, more) = (
        one.text.as_slice().min(&other.text),
        one.text.as_slice().max(&other.text),
    );
    let turned: &[u8] = if less == more || (less == one.text) == is_old {
        b""
    } else {
        b"\0"
    };
    [less, b"\0", more, turned].concat()
}

/// The functions of each sibling, by its name without parts. A lower number sorts before a higher
/// one.
type ByText = BTreeMap<(usize, Vec<u8>), Vec<FunctionId>>;

fn by_text(group: &[Placed], side: OldOrNew, names: &Names) -> ByText {
    let mut found = ByText::new();
    for function in group.iter().filter(|function| function.side == side) {
        let text = reduced(&names.lent(function.name.own).text(), Varies::Parts).into_owned();
        found
            .entry((text.len(), text))
            .or_default()
            .push(function.id);
    }
    found
}
