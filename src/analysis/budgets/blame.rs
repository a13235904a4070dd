//! Finds the functions that explain an exceeded limit: those that cost most, or that grew most.

use super::measure::Measured;
use crate::{
    analysis::difference::{Matching, Rules},
    profile::{FunctionId, NameId, Names, Order, Profile},
};
use std::{cell::OnceCell, collections::HashMap};

/// A function that explains an exceeded limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blamed {
    /// The function, in the new run.
    pub function: FunctionId,
    /// Its value in the new run.
    pub now: i128,
    /// Its value in the baseline, or for a limit on noise in the run with the median cost. It is 0
    /// if the function is not in that run, and `None` without such a run.
    pub before: Option<i128>,
}

/// The most functions that are blamed.
const BLAMED: usize = 5;

/// A function must have at least 1 / `LEAST` of the growth of all functions.
const LEAST: i128 = 100;

/// The functions that matter most, ties by name.
pub(super) fn blamed(
    profile: &Profile,
    now: Measured,
    before: Option<(&Profile, Measured)>,
    partners: &Partners,
) -> Vec<Blamed> {
    let mut all: Vec<Blamed> = now
        .functions
        .iter()
        .map(|&(function, now)| Blamed {
            function,
            now,
            before: None,
        })
        .collect();
    if let Some((baseline, measured)) = before {
        let mut old = Old::new(baseline, &measured);
        all.iter_mut()
            .for_each(|one| one.before = old.take_same(profile, one.function));
        // A function without a partner may have moved to another file or object.
        old.add_up_by_name();
        for one in &mut all {
            one.before = one
                .before
                .or_else(|| old.take_by_name(profile, one.function))
                .or(Some(0));
        }
        // The search for renamed functions is slow, so it only runs if a function without a
        // previous value would be blamed.
        order(&mut all, profile);
        if !old.by_name.is_empty() && all.iter().take(BLAMED).any(|one| one.before == Some(0)) {
            let of = partners.pairs(baseline, profile);
            let left = measured
                .functions
                .iter()
                .filter(|(id, _)| old.by_name.contains_key(&baseline.function(*id).name));
            compare(of, &mut all, left);
        }
    }
    order(&mut all, profile);
    let grown = all
        .iter()
        .fold(0_i128, |sum, one| sum.saturating_add(weight(one)));
    let large = all
        .iter()
        .take(BLAMED)
        .take_while(|one| weight(one) >= grown / LEAST)
        .count();
    all.truncate(large.max(1));
    all
}

/// How much more it costs than before.
fn weight(one: &Blamed) -> i128 {
    one.now.saturating_sub(one.before.unwrap_or(0))
}

/// Keeps the functions that cost more than before, the largest change first.
fn order(all: &mut Vec<Blamed>, profile: &Profile) {
    all.retain(|b| weight(b) > 0);
    all.order_by(|a, b| {
        weight(b).cmp(&weight(a)).then_with(|| {
            profile
                .sort_key(a.function)
                .cmp(&profile.sort_key(b.function))
        })
    });
}

/// The partners of functions in two runs, as `diff` finds them: the pair of every function of the
/// old run and of the new one. The search runs once, on first use.
#[derive(Default)]
pub struct Partners(OnceCell<[Vec<Option<usize>>; 2]>);

impl Partners {
    fn pairs(&self, old: &Profile, new: &Profile) -> &[Vec<Option<usize>>; 2] {
        self.0.get_or_init(|| {
            let matching = Matching::new(old, new, &Rules::default());
            matching.sides().map(|side| {
                let ids = side.original.function_ids();
                ids.map(|id| side.pair_of_original(id)).collect()
            })
        })
    }
}

/// For functions without a previous value, sets that of their partner in the baseline, if no
/// other function has it. If one function became several, the most expensive stands for all.
fn compare<'m>(
    [old, new]: &[Vec<Option<usize>>; 2],
    all: &mut [Blamed],
    left: impl Iterator<Item = &'m (FunctionId, i128)>,
) {
    let mut before: HashMap<usize, i128> = HashMap::new();
    for &(id, value) in left {
        if let Some(pair) = old[id.index()] {
            let sum = before.entry(pair).or_default();
            *sum = sum.saturating_add(value);
        }
    }
    let mut first: HashMap<usize, usize> = HashMap::new();
    for at in 0..all.len() {
        let pair = new[all[at].function.index()].filter(|pair| before.contains_key(pair));
        let Some(pair) = pair.filter(|_| all[at].before == Some(0)) else {
            continue;
        };
        match first.get(&pair) {
            None => {
                first.insert(pair, at);
                all[at].before = before.get(&pair).copied();
            }
            Some(&dearest) => {
                all[dearest].now = all[dearest].now.saturating_add(all[at].now);
                all[at].now = 0;
            }
        }
    }
}

/// The values of baseline functions without a partner so far. Functions have long names in common,
/// so each name is looked up once, not once per function.
struct Old<'a> {
    names: &'a Names,
    known: HashMap<NameId, Option<NameId>>,
    /// By object, file and name, as ids of the baseline.
    same: HashMap<[NameId; 3], i128>,
    by_name: HashMap<NameId, i128>,
}

impl<'a> Old<'a> {
    fn new(profile: &'a Profile, measured: &Measured) -> Old<'a> {
        let mut same: HashMap<[NameId; 3], i128> = HashMap::new();
        for &(id, value) in &measured.functions {
            let sum = same.entry(profile.function(id).names()).or_default();
            *sum = sum.saturating_add(value);
        }
        Old {
            names: &profile.names,
            known: HashMap::new(),
            same,
            by_name: HashMap::new(),
        }
    }

    /// The baseline's id of a name of the new run.
    fn known(&mut self, new: &Profile, name: NameId) -> Option<NameId> {
        let names = self.names;
        *self
            .known
            .entry(name)
            .or_insert_with(|| names.find(new.name(name)))
    }

    /// The value of the function with the same names.
    fn take_same(&mut self, new: &Profile, function: FunctionId) -> Option<i128> {
        let names = new.function(function).names();
        let [object, file, name] = names.map(|name| self.known(new, name));
        self.same.remove(&[object?, file?, name?])
    }

    /// The value of all functions with the same name that have no partner.
    fn take_by_name(&mut self, new: &Profile, function: FunctionId) -> Option<i128> {
        let name = self.known(new, new.function(function).name)?;
        self.by_name.remove(&name)
    }

    fn add_up_by_name(&mut self) {
        for ([.., name], value) in self.same.drain() {
            let sum = self.by_name.entry(name).or_default();
            *sum = sum.saturating_add(value);
        }
    }
}
