//! The costs of inlined functions, next to those of functions that were called.
//!
//! Every instruction has one chain, and its self cost belongs to the innermost function of the
//! chain. So these self costs add up to those of the profile's functions. A function has one name
//! and one file, inlined or called. Rust's hashes at the ends of names do not matter.

use super::{
    Selection, Session,
    inlined_inclusive::{CodePlaces, InlinedCalls},
};
use crate::profile::{
    ChainId, Code, FunctionId, Inlined, NameId, Order, Profile, extend_with, inlined::LineOwner,
    is_free, without_hash,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
};

/// The costs of one function, wherever its code is.
#[derive(Clone, Debug, Default)]
pub struct InlinedRow<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The file that defines it.
    pub file: &'a [u8],
    /// The number of calls, if it was not only inlined.
    pub called: Option<u64>,
    /// The number of places where it is inlined: outer functions, and chains of call positions in
    /// them, that cost anything.
    pub places: u64,
    /// The cost of its own code.
    pub(crate) self_cost: Vec<i64>,
    /// That, and the cost of the code that is inlined into it.
    pub(crate) with_inlined: Vec<i64>,
    /// That, and the cost of the calls from there.
    pub(crate) inclusive: Vec<i64>,
    /// Whether the inclusive cost is an estimate, because only some calls of a place come from
    /// another.
    pub is_estimate: bool,
}

/// The costs of one function's code by chain.
pub(crate) struct ByChain<'a> {
    /// The self cost.
    pub cost: BTreeMap<ChainId, Vec<i64>>,
    /// The calls and their costs, except calls whose cost is part of the cost of others.
    calls: Vec<(ChainId, FunctionId, &'a [i64])>,
    pub inlined: &'a Inlined,
}

/// The parts of a profile that describe inlined functions, if it has both.
pub(crate) fn parts(profile: &Profile) -> Option<(&Code, &Inlined)> {
    Some((profile.code.as_ref()?, profile.inlined.as_deref()?))
}

/// The self cost of a function by chain. Cost without an address counts as the function's own code.
pub(crate) fn cost_by_chain(
    profile: &Profile,
    code: &Code,
    inlined: &Inlined,
    id: FunctionId,
) -> BTreeMap<ChainId, Vec<i64>> {
    let mut cost: BTreeMap<ChainId, Vec<i64>> = BTreeMap::new();
    let mut sum = Vec::new();
    for at in code.places_of(id) {
        let Some((_, counts)) = code.instruction(at) else {
            continue;
        };
        extend_with(cost.entry(inlined.chain_at(at)).or_default(), counts.0);
        extend_with(&mut sum, counts.0);
    }
    let whole = profile.self_cost(id);
    if sum.is_empty() && !whole.is_empty() {
        extend_with(cost.entry(ChainId::EMPTY).or_default(), whole);
    } else if !whole.is_empty() {
        let rest = super::cut::left_over(&profile.events, whole, &sum);
        if !is_free(&rest) {
            extend_with(cost.entry(ChainId::EMPTY).or_default(), &rest);
        }
    }
    cost
}

/// The cost of a function by chain, and the costs of its calls.
pub(crate) fn by_chain<'a>(session: &'a Session, id: FunctionId) -> Option<ByChain<'a>> {
    let profile = session.profile();
    let (code, inlined) = parts(profile)?;
    let cost = cost_by_chain(profile, code, inlined, id);
    let mut calls = Vec::new();
    let places = code.places_of(id);
    for (call, _, counts) in code.calls_of(id) {
        let chain = chain_at(code, inlined, places.clone(), call.address);
        let arc = profile.arc(id, call.callee);
        if arc.is_none_or(|arc| !session.inclusive().is_recursive(arc)) {
            calls.push((chain, call.callee, counts.0));
        }
    }
    Some(ByChain {
        cost,
        calls,
        inlined,
    })
}

/// The chain of the instruction at an address, among the instructions at these indices.
pub(crate) fn chain_at(
    code: &Code,
    inlined: &Inlined,
    places: Range<usize>,
    address: u64,
) -> ChainId {
    let at = code.find(places, address);
    at.map_or(ChainId::EMPTY, |at| inlined.chain_at(at))
}

/// The name of a function in reports: if it had none, the name that debug information has for it.
pub fn name_of(profile: &Profile, id: FunctionId) -> &[u8] {
    let found = profile
        .inlined
        .as_deref()
        .and_then(|inlined| inlined.names.get(&id));
    profile.name(found.copied().unwrap_or(profile.function(id).name))
}

/// The name of the row of lines with code of several functions.
const SEVERAL: &[u8] = b"(lines with code of several inlined functions)";

/// Rows by name and file.
#[derive(Default)]
struct InlinedRows<'a> {
    rows: Vec<InlinedRow<'a>>,
    index: HashMap<(&'a [u8], &'a [u8]), usize>,
}

impl<'a> InlinedRows<'a> {
    /// Finds or adds the row with a name and a file.
    fn find(&mut self, name: &'a [u8], file: &'a [u8]) -> usize {
        let name = without_hash(name);
        *self.index.entry((name, file)).or_insert_with(|| {
            self.rows.push(InlinedRow {
                name,
                file,
                ..InlinedRow::default()
            });
            self.rows.len() - 1
        })
    }

    /// Finds or adds the row of a function that was called, and adds its calls.
    fn called(&mut self, session: &'a Session, id: FunctionId, name: &'a [u8]) -> usize {
        let profile = session.profile();
        let at = self.find(name, profile.name(profile.function(id).file));
        let called = self.rows[at].called.get_or_insert_default();
        *called = called.saturating_add(session.inclusive().called(id));
        at
    }

    /// The rows in report order, by self cost.
    fn in_order(mut self, profile: &Profile, selection: &Selection) -> Vec<InlinedRow<'a>> {
        self.rows.order_by(|a, b| {
            let by = |x: &[i64], y: &[i64]| selection.compare(&profile.events, x, y);
            by(&a.self_cost, &b.self_cost)
                .then_with(|| by(&a.with_inlined, &b.with_inlined))
                .then_with(|| by(&a.inclusive, &b.inclusive))
                .then_with(|| (a.file, a.name).cmp(&(b.file, b.name)))
        });
        self.rows
    }
}

/// Like [`rows`], without recorded instruction addresses: self costs only, from what is known about
/// lines.
fn rows_by_line<'a>(session: &'a Session, selection: &Selection) -> Option<Vec<InlinedRow<'a>>> {
    let profile = session.profile();
    let inlined = profile.inlined.as_deref()?;
    let owners = inlined.by_line.as_ref()?;
    let mut all = InlinedRows::default();
    for id in profile.function_ids() {
        let mut placed = Vec::new();
        for line in profile.lines_of(id) {
            let row = match owners.get(&line.row) {
                Some(&LineOwner::Inlined(at)) => {
                    let Some(inlined) = inlined.functions.get_index(at as usize) else {
                        continue;
                    };
                    all.find(profile.name(inlined.name), profile.name(inlined.file))
                }
                Some(LineOwner::Several) => all.find(SEVERAL, b"???"),
                // Without any knowledge, the code counts as not inlined.
                Some(LineOwner::Function) | None => continue,
            };
            let cost = profile.line_cost(line);
            extend_with(&mut all.rows[row].self_cost, cost);
            extend_with(&mut placed, cost);
        }
        let mut left = profile.self_cost(id).to_vec();
        super::own::subtract(&mut left, &placed);
        let own = all.called(session, id, profile.name_of(id));
        extend_with(&mut all.rows[own].self_cost, &left);
    }
    Some(all.in_order(profile, selection))
}

/// All functions, called and inlined, in report order by self cost. `None` if inlined code is not
/// known.
pub fn rows<'a>(session: &'a Session, selection: &Selection) -> Option<Vec<InlinedRow<'a>>> {
    let profile = session.profile();
    let Some((_, inlined)) = parts(profile) else {
        return rows_by_line(session, selection);
    };
    let mut all = InlinedRows::default();
    let of_function: Vec<usize> = (inlined.functions.iter())
        .map(|function| all.find(profile.name(function.name), profile.name(function.file)))
        .collect();
    let mut all_places: Vec<CodePlaces> = Vec::new();
    for id in profile.function_ids() {
        let own = all.called(session, id, name_of(profile, id));
        let rows = &mut all.rows;
        all_places.resize_with(rows.len(), CodePlaces::default);
        all_places[own].call(id, session.inclusive().cost(id));
        let Some(chains) = by_chain(session, id) else {
            continue;
        };
        // The outer functions and chains, each once. What is inlined in them is inlined at these
        // places.
        let mut places: BTreeSet<ChainId> = BTreeSet::new();
        for (&chain, cost) in &chains.cost {
            let innermost = inlined
                .link(chain)
                .map_or(own, |link| of_function[link.function as usize]);
            extend_with(&mut rows[innermost].self_cost, cost);
            extend_with(&mut rows[own].with_inlined, cost);
            let mut seen = vec![own];
            let mut at = chain;
            while let Some(link) = inlined.link(at) {
                let function = of_function[link.function as usize];
                if !seen.contains(&function) {
                    seen.push(function);
                    extend_with(&mut rows[function].with_inlined, cost);
                    all_places[function].inline(id, cost);
                }
                places.insert(at);
                at = link.outer;
            }
        }
        for &(chain, callee, cost) in &chains.calls {
            let mut seen = vec![own];
            for link in inlined.inwards_out(chain) {
                let function = of_function[link.function as usize];
                if !seen.contains(&function) {
                    seen.push(function);
                    all_places[function].call_from(id, callee, cost);
                }
            }
        }
        for link in places.iter().filter_map(|&chain| inlined.link(chain)) {
            rows[of_function[link.function as usize]].places += 1;
        }
    }
    let calls = InlinedCalls::new(profile);
    let totals = &profile.totals.row;
    for (row, places) in all.rows.iter_mut().zip(&all_places) {
        (row.inclusive, row.is_estimate) = calls.inclusive(places);
        // If functions call each other, the cost around several places can exceed the total.
        for (count, &total) in row.inclusive.iter_mut().zip(totals) {
            if total > 0 && *count > total {
                *count = total;
            }
        }
    }
    Some(all.in_order(profile, selection))
}

/// The code that is inlined into lines: its cost by file, line and inlined function, each
/// instruction once.
pub(crate) type AtLines = BTreeMap<NameId, BTreeMap<u64, BTreeMap<u32, Vec<i64>>>>;

/// Adds the code that is inlined into the lines of one function.
pub(crate) fn add_at_lines(chains: &ByChain<'_>, at_lines: &mut AtLines) {
    for (&chain, cost) in &chains.cost {
        let mut seen = BTreeSet::new();
        for link in chains.inlined.inwards_out(chain) {
            if link.line > 0 && seen.insert((link.file, link.line, link.function)) {
                let line = at_lines
                    .entry(link.file)
                    .or_default()
                    .entry(link.line)
                    .or_default();
                extend_with(line.entry(link.function).or_default(), cost);
            }
        }
    }
}
