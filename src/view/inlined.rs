//! Inlined functions as values: the list of all functions, called and inlined; the functions
//! inlined into one; the places where one is inlined; the functions inlined into a source line.

use super::{
    ListFrame, ProgramTotals,
    groups::Group,
    totals::{longest, widen},
};
use crate::{
    analysis::{
        Ending, GroupBy, Label, Selection, Session,
        cut::has_least_share,
        doubts::{Object, ObjectOrigin},
        inlined::{self, AtLines, ByChain, InlinedRow, add_at_lines, by_chain},
    },
    profile::{
        ChainId, Event, FunctionId, Inlined, NameId, Order, Profile, extend_with,
        inlined::{Debug, State},
        path_bytes, sum_rows, to_text,
    },
    text::{how_many, names, shown},
};
use std::collections::BTreeMap;

/// All functions, called and inlined.
pub struct InlinedList<'a> {
    /// The functions, most expensive first.
    pub rows: Vec<InlinedRow<'a>>,
    /// The totals, the rest, and the widths.
    pub frame: ListFrame<'a>,
    /// Notes about what is not known, and why, one per line.
    pub notes: Vec<String>,
    /// How detailed the information is.
    pub known: InlinedBasis,
}

/// How detailed the information about inlined functions is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InlinedBasis {
    /// Chains of inlined functions for every instruction.
    Chains,
    /// Only self costs, from lines.
    Lines,
}

impl<'a> InlinedList<'a> {
    /// Lists the functions of a profile that pass the filters, by self cost.
    pub fn new(session: &'a Session, selection: &Selection) -> InlinedList<'a> {
        let profile = session.profile();
        let all = inlined::rows(session, selection).unwrap_or_default();
        let wanted = |row: &InlinedRow| {
            let narrow = &selection.narrow;
            narrow.function.takes(row.name) && narrow.file.takes(row.file)
        };
        let ending = Ending { profile, selection };
        let (rows, others) = ending.divided(all, |row| &row.self_cost, wanted);
        let [shown, left_out] =
            [&rows, &others].map(|all| all.iter().map(|row| &row.self_cost[..]));
        let nouns = GroupBy::Function.nouns();
        let mut frame = ListFrame::new(profile, nouns, shown, others.len(), left_out);
        let behind = rows
            .iter()
            .flat_map(|row| [&row.with_inlined[..], &row.inclusive]);
        widen(&mut frame.longest, &profile.events, behind);
        let known = if profile.code.is_some() {
            InlinedBasis::Chains
        } else {
            InlinedBasis::Lines
        };
        let mut notes = notes(profile);
        let estimates = rows.iter().filter(|row| row.is_estimate).count();
        if estimates > 0 {
            let of = how_many(estimates, "function");
            notes.push(format!(
                "the inclusive cost of {of} is an estimate: only some calls at one of its places come from another function"
            ));
        }
        InlinedList {
            rows,
            frame,
            notes,
            known,
        }
    }
}

/// An object with unknown inlined functions is named if it has at least this percentage of the
/// cost.
const WORTH_A_NOTE: i128 = 1;
/// The most notes about objects.
const NOTES: usize = 5;

/// Notes about what is not known of inlined functions, and why, one per line.
pub fn notes(profile: &Profile) -> Vec<String> {
    const RECORD: &str =
        "the profile has no instruction addresses; record it with --dump-instr=yes";
    let Some(inlined) = profile.inlined.as_deref() else {
        return vec![format!("inlined functions are not known: {RECORD}")];
    };
    let no_chains = inlined.by_line.as_ref().map(|owners| {
        if owners.is_empty() {
            format!("inlined functions are not known: {RECORD}")
        } else {
            format!("inlined functions are known only by line: {RECORD}")
        }
    });
    let mut costs: BTreeMap<NameId, i128> = BTreeMap::new();
    let count = profile.events.counter(Event::Recorded(0));
    for id in profile.function_ids() {
        *costs.entry(profile.function(id).object).or_default() += count(profile.self_cost(id));
    }
    let whole = count(&profile.totals.row);
    let mut unknown: Vec<_> = (inlined.debug.iter())
        .filter(|debug| debug.state != State::Used || !debug.why.is_empty())
        .map(|debug| (costs.get(&debug.object).copied().unwrap_or(0), debug))
        .filter(|(cost, debug)| {
            debug.state == State::OtherBinary || cost * 100 >= whole * WORTH_A_NOTE
        })
        .collect();
    unknown.order_by(|(a, x), (b, y)| {
        b.cmp(a)
            .then_with(|| profile.name(x.object).cmp(profile.name(y.object)))
    });
    let more = unknown.len().saturating_sub(NOTES);
    let mut notes: Vec<String> = (unknown.into_iter().take(NOTES))
        .map(|(_, debug)| note(profile, debug))
        .collect();
    notes.splice(0..0, no_chains);
    if more > 0 {
        notes.push(format!("and {more} more objects without debug information"));
    }
    notes
}

/// Why the inlined functions of an object are not known.
fn note(profile: &Profile, debug: &Debug) -> String {
    format!("{}: {}", to_text(profile.name(debug.object)), debug.why)
}

/// Where the inlined functions of your objects are known from, or why they are not known.
pub fn source(profile: &Profile) -> String {
    let known = profile
        .inlined
        .as_deref()
        .filter(|inlined| !inlined.debug.is_empty());
    let Some(inlined) = known else {
        let why = if profile.has_addresses() {
            "not read; --own --inlined reads it"
        } else {
            "not known; record with cgannotate record"
        };
        return format!("inlined code: {why}");
    };
    let is_built =
        |debug: &Debug| Object::new(profile.name(debug.object)).origin == ObjectOrigin::Own;
    let has_built = inlined.debug.iter().any(is_built);
    let mut all = (inlined.debug.iter()).filter(|debug| !has_built || is_built(debug));
    let used = all.clone().find(|debug| debug.state == State::Used);
    let unknown = all.find(|debug| !debug.why.is_empty());
    let from = match used {
        None => "not known".to_owned(),
        Some(debug) if debug.known_thousandths.is_some() => "from the profile".to_owned(),
        Some(debug) => {
            let path = debug.found.as_deref().map(path_bytes);
            format!("from {}", shown(path.unwrap_or_default()))
        }
    };
    let unknown = unknown.map(|debug| {
        let name = shown(profile.name(debug.object));
        format!("; {}: {}", names::base(&name), debug.why)
    });
    format!("inlined code: {from}{}", unknown.unwrap_or_default())
}

/// A step of the tree of inlined functions. A function without code of its own shares the step of
/// the function that it calls, if it calls only one.
pub struct InlinedStep<'a> {
    /// The functions of the step, outermost first.
    pub names: Vec<&'a [u8]>,
    /// The file and line of the call to the first function. Line 0 is unknown.
    pub from: (&'a [u8], u64),
    pub(crate) cost: Vec<i64>,
    /// The depth, from 0.
    pub level: usize,
}

/// The tree of what is inlined into one function.
#[derive(Default)]
pub struct InlinedTree<'a> {
    /// The cost of its own code, without inlined functions.
    pub(crate) own: Vec<i64>,
    /// The steps. Each is followed by those below it, and siblings are ordered by cost, highest
    /// first.
    pub steps: Vec<InlinedStep<'a>>,
    /// The number of omitted steps. Each has less than 1 % of the function's self cost.
    pub left_out: usize,
    /// The cost of the omitted steps of the first level. Others are in the cost of the step above
    /// them.
    pub(crate) rest: Vec<i64>,
    /// Notes about what is not known, and why.
    pub notes: Vec<String>,
}

/// A node of the tree under construction.
#[derive(Default)]
struct Grown {
    self_cost: Vec<i64>,
    cost: Vec<i64>,
    below: Vec<ChainId>,
}

impl<'a> InlinedTree<'a> {
    /// The tree of one function.
    pub fn new(session: &'a Session, selection: &Selection, id: FunctionId) -> InlinedTree<'a> {
        let profile = session.profile();
        let Some(chains) = by_chain(session, id) else {
            return InlinedTree {
                notes: notes(profile),
                ..InlinedTree::default()
            };
        };
        let object = profile.function(id).object;
        let debug = chains
            .inlined
            .debug
            .iter()
            .find(|debug| debug.object == object && debug.state != State::Used);
        let notes = debug
            .map(|debug| note(profile, debug))
            .into_iter()
            .collect();
        let mut tree: BTreeMap<ChainId, Grown> = BTreeMap::new();
        for (&chain, cost) in chains.cost.iter().filter(|(_, cost)| !cost.is_empty()) {
            extend_with(&mut tree.entry(chain).or_default().self_cost, cost);
            let mut at = chain;
            loop {
                let is_new = tree.get(&at).is_none_or(|node| node.cost.is_empty());
                extend_with(&mut tree.entry(at).or_default().cost, cost);
                let Some(link) = chains.inlined.link(at) else {
                    break;
                };
                if is_new {
                    tree.entry(link.outer).or_default().below.push(at);
                }
                at = link.outer;
            }
        }
        let own = tree
            .get(&ChainId::EMPTY)
            .map(|node| node.self_cost.clone())
            .unwrap_or_default();
        let mut grown = InlinedTree {
            own,
            notes,
            ..InlinedTree::default()
        };
        grown.grow(
            profile,
            selection,
            &tree,
            chains.inlined,
            profile.self_cost(id),
        );
        grown
    }

    fn grow(
        &mut self,
        profile: &'a Profile,
        selection: &Selection,
        tree: &BTreeMap<ChainId, Grown>,
        inlined: &'a Inlined,
        whole: &[i64],
    ) {
        let events = &profile.events;
        let name = |chain: ChainId| -> &'a [u8] {
            let link = inlined.link(chain);
            link.map_or(b"???", |link| {
                profile.name(inlined.functions[link.function as usize].name)
            })
        };
        let first = |row: &[i64]| selection.first_count(events, row).unsigned_abs();
        let is_worth_it = |row: &[i64]| u128::from(first(row)) * 100 >= u128::from(first(whole));
        let mut open: Vec<(ChainId, usize)> = vec![(ChainId::EMPTY, 0)];
        while let Some((at, level)) = open.pop() {
            let Some(node) = tree.get(&at) else { continue };
            let mut last = at;
            let mut next = level;
            if at != ChainId::EMPTY {
                let mut names = vec![name(at)];
                // A function without code of its own only leads to the next one.
                while let Some(node) = tree.get(&last)
                    && first(&node.self_cost) == 0
                    && let [only] = node.below[..]
                {
                    last = only;
                    names.push(name(last));
                }
                let from = inlined.link(at).map_or((&b"???"[..], 0), |link| {
                    (profile.name(link.file), link.line)
                });
                self.steps.push(InlinedStep {
                    names,
                    from,
                    cost: node.cost.clone(),
                    level,
                });
                next = level + 1;
            }
            let cost = |chain: &ChainId| tree.get(chain).map_or(&[][..], |node| &node.cost);
            let below = tree.get(&last).into_iter().flat_map(|node| &node.below);
            let (mut worth, small): (Vec<ChainId>, Vec<ChainId>) =
                below.partition(|chain| is_worth_it(cost(chain)));
            self.left_out += small.len();
            if at == ChainId::EMPTY {
                self.rest = sum_rows(small.iter().map(cost));
            }
            // The last element is popped first.
            worth.order_by(|a, b| {
                let place = |chain: &ChainId| {
                    inlined
                        .link(*chain)
                        .map(|link| (profile.name(link.file), link.line))
                };
                selection
                    .compare(events, cost(b), cost(a))
                    .then_with(|| (name(*b), place(b)).cmp(&(name(*a), place(a))))
            });
            open.extend(worth.into_iter().map(|chain| (chain, next)));
        }
    }
}

/// A place where a function is inlined.
pub struct InlinedPlace<'a> {
    /// The function whose code it is inlined into.
    pub outer: Label<'a>,
    /// The chain of calls from there inwards: the file and line of each call, and the function
    /// inlined there. The last is the function itself.
    pub chain: Vec<(&'a [u8], u64, &'a [u8])>,
    pub(crate) cost: Vec<i64>,
}

/// All places where a function is inlined.
pub struct InlinedPlaces<'a> {
    /// The totals of the program.
    pub totals: ProgramTotals<'a>,
    /// The function.
    pub name: &'a [u8],
    /// The file that defines it.
    pub file: &'a [u8],
    pub(crate) cost: Vec<i64>,
    /// The places, most expensive first.
    pub places: Vec<InlinedPlace<'a>>,
    /// The number of omitted places.
    pub more: usize,
    /// The number of other functions that match.
    pub others: usize,
    /// The length of the longest count of each event, recorded events first.
    pub longest: Vec<usize>,
}

impl<'a> InlinedPlaces<'a> {
    /// The places of the most expensive function that matches; `None` if no match is inlined
    /// anywhere.
    pub fn new(
        session: &'a Session,
        selection: &Selection,
        is_meant: impl Fn(&[u8]) -> bool,
    ) -> Option<InlinedPlaces<'a>> {
        let profile = session.profile();
        let (_, inlined) = inlined::parts(profile)?;
        let meant: Vec<bool> = inlined
            .functions
            .iter()
            .map(|function| is_meant(profile.name(function.name)))
            .collect();
        let mut by_function: BTreeMap<u32, BTreeMap<(FunctionId, ChainId), Vec<i64>>> =
            BTreeMap::new();
        for id in profile.function_ids() {
            let Some(ByChain { cost, .. }) = by_chain(session, id) else {
                continue;
            };
            for (chain, cost) in cost {
                let mut at = chain;
                let mut seen = Vec::new();
                while let Some(link) = inlined.link(at) {
                    if meant[link.function as usize] && !seen.contains(&link.function) {
                        seen.push(link.function);
                        let places = by_function.entry(link.function).or_default();
                        extend_with(places.entry((id, at)).or_default(), &cost);
                    }
                    at = link.outer;
                }
            }
        }
        let events = &profile.events;
        let mut functions: Vec<(u32, Vec<i64>)> = by_function
            .iter()
            .map(|(&at, places)| (at, sum_rows(places.values().map(Vec::as_slice))))
            .collect();
        let name = |at: u32| profile.name(inlined.functions[at as usize].name);
        functions.order_by(|a, b| {
            selection
                .compare(events, &a.1, &b.1)
                .then_with(|| name(a.0).cmp(name(b.0)))
        });
        let others = functions.len().saturating_sub(1);
        let (function, cost) = functions.into_iter().next()?;
        let file = profile.name(inlined.functions[function as usize].file);
        let mut places: Vec<InlinedPlace> = (by_function.remove(&function).into_iter().flatten())
            .map(|((id, chain), cost)| {
                let mut steps: Vec<_> = (inlined.inwards_out(chain))
                    .map(|link| (profile.name(link.file), link.line, name(link.function)))
                    .collect();
                steps.reverse();
                InlinedPlace {
                    outer: Label::new(profile, id),
                    chain: steps,
                    cost,
                }
            })
            .collect();
        places.order_by(|a, b| {
            selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.outer.compare(&b.outer))
                .then_with(|| a.chain.cmp(&b.chain))
        });
        let all = places.len();
        places.retain(|place| has_least_share(selection, profile, &place.cost));
        places.truncate(selection.narrow.rows.unwrap_or(usize::MAX));
        let more = all - places.len();
        let rows = places
            .iter()
            .map(|place| &place.cost[..])
            .chain([&cost[..], &profile.totals.row]);
        let longest = longest(events, rows);
        let totals = ProgramTotals::new(profile);
        Some(InlinedPlaces {
            totals,
            name: name(function),
            file,
            cost,
            places,
            more,
            others,
            longest,
        })
    }
}

/// The functions that were inlined into lines of source files.
#[derive(Default)]
pub struct InlinedLines {
    at_lines: AtLines,
}

impl InlinedLines {
    /// Finds them for one function, or for all.
    pub fn new(session: &Session, of: Option<FunctionId>) -> InlinedLines {
        let mut at_lines = AtLines::new();
        let ids: Vec<FunctionId> =
            of.map_or_else(|| session.profile().function_ids().collect(), |id| vec![id]);
        for id in ids {
            if let Some(chains) = by_chain(session, id) {
                add_at_lines(&chains, &mut at_lines);
            }
        }
        InlinedLines { at_lines }
    }

    /// The inlined functions of one file, by line, most expensive first. Functions with less than
    /// 0.1 % of the total are omitted.
    pub fn in_file<'a>(
        &self,
        profile: &'a Profile,
        selection: &Selection,
        file: &[u8],
    ) -> Vec<(u64, Vec<Group<'a>>)> {
        let lines = profile
            .names
            .find(file)
            .and_then(|file| self.at_lines.get(&file));
        let Some(inlined) = profile.inlined.as_deref() else {
            return Vec::new();
        };
        let first = |row: &[i64]| selection.first_count(&profile.events, row).unsigned_abs();
        let least = first(&profile.totals.row) / 1000;
        let of_line = |functions: &BTreeMap<u32, Vec<i64>>| -> Vec<Group<'a>> {
            let mut all: Vec<Group> = (functions.iter())
                .filter(|(_, cost)| first(cost) >= least)
                .map(|(&at, cost)| Group {
                    name: profile.name(inlined.functions[at as usize].name),
                    cost: cost.clone(),
                })
                .collect();
            Group::order(&mut all, selection, &profile.events);
            all
        };
        let lines = lines
            .into_iter()
            .flatten()
            .map(|(&line, functions)| (line, of_line(functions)));
        lines
            .filter(|(_, functions)| !functions.is_empty())
            .collect()
    }
}
