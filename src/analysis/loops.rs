//! The loops of a function: where its executed instructions lead back to each other.
//!
//! A loop is code that is entered at one instruction only, its header, which dominates the rest.
//! Without the header, the rest is searched for the loops inside. Code that leads back to itself
//! and is entered at several instructions is not a loop.
//!
//! For whoever changes this: a profile has jumps, but no steps from an instruction to the next.
//! There is one if jumps leave the same number of executions unexplained at both, because an
//! instruction may also follow a return. After a call fewer may arrive.

use super::{
    components::{Components, OUTSIDE},
    jumps::JumpsFrom,
};
use crate::profile::{Grouped, Profile, extend_with};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};

/// How many loops inside each other are found.
const DEEPEST: usize = 50;

/// The bytes of the longest instruction.
const LONGEST: u64 = 15;

/// The costs of a function's instructions by address, with their indexes in the profile's code.
pub(crate) type CodeCosts<'a> = BTreeMap<u64, (Cow<'a, [i64]>, usize)>;

/// A loop.
pub(crate) struct Loop {
    /// The index of the header, as in the costs.
    pub header: usize,
    /// The number of loops around it, or of parts that are not loops because of their entries.
    pub depth: usize,
    /// How often it was entered, at least once.
    pub entries: i128,
    /// How often the header ran, unless the first test then left the loop.
    pub iterations: i128,
    /// The self cost, with that of loops inside.
    pub cost: Vec<i64>,
}

/// How often one instruction ran after another, by their indexes in the order of addresses.
type Transfer = (usize, usize, i128);

/// The index of the address 0, for all code outside of the function.
const CALLER: usize = 0;

/// The loops of a function by address, each before those inside. `None` if the counts of jumps do
/// not fit those of instructions. `calls_at` returns how often a call instruction called the callee
/// that it called most.
pub(crate) fn loops_of(
    profile: &Profile,
    costs: &CodeCosts<'_>,
    jumps: &BTreeMap<u64, JumpsFrom>,
    calls_at: impl Fn(u64) -> Option<i128>,
) -> Option<Vec<Loop>> {
    let edges = edges(profile, costs, jumps, calls_at)?;
    let count = costs.len() + 1;
    let targets = Grouped::new(count, edges.iter().map(|edge| (edge.0, edge.1)));
    let (mut found, mut is_open) = (BTreeMap::new(), vec![true; count]);
    is_open[CALLER] = false;
    for depth in 0..DEEPEST {
        let parts = Components::from_edges(count, &targets, |at| is_open[at]).of;
        // By part, the header and the entries. The header is the outside if there are several.
        let mut entered = BTreeMap::new();
        for &(from, to, times) in &edges {
            if parts[to] != OUTSIDE && parts[from] != parts[to] {
                is_open[to] = false;
                let (header, entries) = entered.entry(parts[to]).or_insert((to, 0));
                *entries += times;
                if *header != to {
                    *header = CALLER;
                }
            }
        }
        if entered.is_empty() {
            break;
        }
        let is_header = |at| entered.get(&parts[at]).is_some_and(|part| part.0 == at);
        let is_back = |edge: &&Transfer| parts[edge.0] == parts[edge.1] && is_header(edge.1);
        let ends: HashSet<usize> = edges.iter().filter(is_back).map(|edge| edge.0).collect();
        // The first test of a loop, unless it is also the last: it may leave without an iteration.
        let first_test = |&(mut at, _): &(usize, i128)| {
            while let [next] = *targets.group(at)
                && parts[next] == parts[at]
                && !is_header(next)
            {
                at = next;
            }
            Some(at).filter(|at| !ends.contains(at))
        };
        let headers = entered.values().filter(|part| part.0 != CALLER);
        let tests: HashSet<usize> = headers.filter_map(first_test).collect();
        let mut iterations: BTreeMap<_, _> = ends.iter().map(|&end| (parts[end], 0)).collect();
        for &(from, to, times) in &edges {
            if is_header(to)
                && let Some(sum) = iterations.get_mut(&parts[to])
            {
                *sum += times;
            }
            if tests.contains(&from)
                && parts[from] != parts[to]
                && let Some(sum) = iterations.get_mut(&parts[from])
            {
                *sum -= times;
            }
        }
        let mut loops = BTreeMap::new();
        for (at, (&start, (cost, row))) in (1..).zip(costs) {
            if let Some(&iterations) = iterations.get(&parts[at]) {
                let new = Loop {
                    header: *row,
                    depth,
                    entries: entered[&parts[at]].1,
                    iterations,
                    cost: Vec::new(),
                };
                let (_, one) = loops.entry(parts[at]).or_insert(((start, depth), new));
                if is_header(at) {
                    one.header = *row;
                }
                extend_with(&mut one.cost, cost);
            }
        }
        found.extend(loops.into_values());
    }
    Some(found.into_values().collect())
}

/// How often other instructions ran after each instruction.
fn edges(
    profile: &Profile,
    costs: &CodeCosts<'_>,
    jumps: &BTreeMap<u64, JumpsFrom>,
    calls_at: impl Fn(u64) -> Option<i128>,
) -> Option<Vec<Transfer>> {
    let event = profile.events.find(b"Ir")?;
    let (mut addresses, mut left, mut edges) = (vec![0], vec![0], Vec::new());
    for (&address, (cost, _)) in costs {
        addresses.push(address);
        left.push(i128::from(profile.events.count(cost, event)?));
    }
    let mut reached = left.clone();
    for (from, all) in jumps {
        // Valgrind counts jumps of code that is not collected, too.
        let Ok(from) = addresses.binary_search(from) else {
            continue;
        };
        for (to, &taken) in &all.to {
            let (to, times) = (addresses.binary_search(to).unwrap_or(CALLER), taken.into());
            left[from] -= times;
            reached[to] -= times;
            edges.push((from, to, times));
        }
    }
    for at in 1..addresses.len() {
        let (last, before) = (addresses[at - 1], left[at - 1]);
        // A call has the cost of code in the PLT, which Callgrind skips.
        if let Some(calls) = calls_at(addresses[at])
            && reached[at] != before
        {
            reached[at] -= left[at] - calls;
            left[at] = calls;
        }
        let here = reached[at];
        let step = if addresses[at] - last > LONGEST {
            0
        } else {
            before.min(here)
        };
        let is_sure = before == here || step <= 0 || calls_at(last).is_some();
        if here < 0 || left[at] < 0 || !is_sure {
            return None;
        }
        edges.extend([(at - 1, at, step), (CALLER, at, here - step)]);
    }
    // A repetition of a `rep` instruction is a jump to itself.
    edges.retain(|&(from, to, times)| from != to && times > 0);
    Some(edges)
}
