//! One function: its cost and that of its calls, its callers and callees, and its source files.
//!
//! Recursive calls are calls by the function itself or within its cycle. They have no cost of their
//! own, because it is part of the cost of the calls from outside. They are listed separately, so
//! the other callees and the self cost add up to the inclusive cost.
//!
//! A profile records how often a function was called by whom, but not who called that caller. So
//! from the second level of a tree on, costs are estimates: they are divided in proportion to each
//! caller's or callee's part of all calls. With the tree of calls ([`CallTree`]) nothing is
//! estimated. `chains.rs` defines what is recursive then.

use super::{
    ArcRow, FileCosts, ProgramTotals,
    files::library_code,
    inlined::InlinedTree,
    instructions::Instructions,
    steps::{self, RecursiveCalls, Step, Steps},
    totals::longest,
};
use crate::{
    analysis::{
        Basis, CallSide, Estimate, Inclusive, Label, Selection, Session,
        chains::{Around, Chains, START},
        cut::has_least_share,
        meant::by_inclusive_cost,
    },
    profile::{
        CallEdge, CallTree, Counts, Event, FunctionId, NEVER, NameId, Order, Profile,
        costs::{count, limited, written},
        extend_with, is_free, sum_rows,
    },
};
use std::{borrow::Cow, collections::BTreeMap};

/// A tree does not grow beyond this many rows, or this many visited arcs. If costs contradict each
/// other or are negative, each level may have more rows than all levels before.
const MOST_STEPS: usize = 100_000;
const MOST_ARCS: usize = 2_000_000;

/// The page of one function.
pub struct Zoom<'a> {
    /// Its id.
    pub id: FunctionId,
    /// Its label.
    pub label: Label<'a>,
    /// Where the trees come from.
    pub basis: Basis,
    /// The totals of the program.
    pub totals: ProgramTotals<'a>,
    pub(crate) self_cost: &'a [i64],
    pub(crate) inclusive: &'a [i64],
    /// What 100 % is in the trees and the source. It is the inclusive cost of the cycle if the
    /// function's own excludes calls in the cycle, otherwise the function's inclusive cost.
    pub(crate) whole: &'a [i64],
    /// Whether that is the cost of its cycle.
    pub is_part_of_cycle: bool,
    /// The number of calls.
    pub calls: u64,
    /// The number of places where it was inlined, if known.
    pub inlined_at: u64,
    /// Whether its self cost includes library code that is attributed to it.
    pub of_own_code: bool,
    /// The bounds of an estimated own cost, for the first sort event.
    pub estimated: Option<Estimate>,
    /// The number of calls by itself or from its cycle.
    pub recursive_calls: u64,
    /// Whether the cost of these is part of the inclusive cost, or is added to it.
    pub recursion: RecursiveCost,
    /// The most expensive other members of its cycle.
    pub cycle: Vec<Label<'a>>,
    /// The number of further members of its cycle.
    pub more_of_cycle: usize,
    /// The callers, without recursive calls.
    pub callers: Steps<'a>,
    /// The callees, without recursive calls.
    pub callees: Steps<'a>,
    /// The recursive calls of it.
    pub recursive_callers: RecursiveCalls<'a>,
    /// The recursive calls that it makes.
    pub recursive_callees: RecursiveCalls<'a>,
    /// What is inlined into it, if requested.
    pub inlined: Option<Box<InlinedTree<'a>>>,
    /// Its instructions, if requested.
    pub instructions: Option<Box<Instructions<'a>>>,
    /// The length of the longest count of each event, recorded events first.
    pub longest: Vec<usize>,
}

/// Finds callers and callees in one profile.
struct ArcFinder<'a> {
    profile: &'a Profile,
    selection: &'a Selection,
    inclusive: &'a Inclusive,
    recursion: RecursiveCost,
}

/// Where the cost of recursive calls is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum RecursiveCost {
    /// It is part of the cost of the calls from outside: inclusive cost counts it once.
    Inside,
    /// It is counted again with every call, as in webgrind's files.
    Again,
}

impl RecursiveCost {
    /// How the inclusive costs of a profile count recursion. If the format can repeat them, this
    /// follows from the functions' self costs and calls.
    fn from_profile(profile: &Profile, inclusive: &Inclusive) -> RecursiveCost {
        if !profile.format.repeats_recursion {
            return RecursiveCost::Inside;
        }
        let (mut unexplained, mut recursive) = (0i128, 0i128);
        let first = profile.events.counter(Event::Recorded(0));
        for id in profile.function_ids() {
            let (again, once): (Vec<&CallEdge>, Vec<&CallEdge>) = profile
                .arcs_of(id)
                .iter()
                .partition(|arc| inclusive.is_recursive(arc));
            if again.is_empty() {
                continue;
            }
            let sum = |arcs: &[&CallEdge]| -> i128 {
                arcs.iter().map(|arc| first(profile.arc_cost(arc))).sum()
            };
            unexplained += first(inclusive.cost(id)) - first(profile.self_cost(id)) - sum(&once);
            recursive += sum(&again);
        }
        if 2 * unexplained > recursive {
            RecursiveCost::Again
        } else {
            RecursiveCost::Inside
        }
    }
}

impl<'a> Zoom<'a> {
    /// Self cost.
    pub fn self_counts(&self) -> Counts<'_> {
        Counts(self.self_cost)
    }

    /// Inclusive cost.
    pub fn inclusive_counts(&self) -> Counts<'_> {
        Counts(self.inclusive)
    }

    /// Computes the page of a function. The trees have `depth` levels.
    pub fn new(
        session: &'a Session,
        selection: &'a Selection,
        id: FunctionId,
        depth: usize,
    ) -> Zoom<'a> {
        let (profile, inclusive, folds) = (session.profile(), session.inclusive(), session.folds());
        let recursion = RecursiveCost::from_profile(profile, inclusive);
        let lens = ArcFinder {
            profile,
            selection,
            inclusive,
            recursion,
        };
        let depth = depth.max(1);
        let (self_cost, cost, whole) = (
            profile.self_cost(id),
            inclusive.cost(id),
            inclusive.whole(id),
        );
        let cycle = inclusive.cycle_of(id);
        let members = cycle
            .map(|c| &inclusive.cycles[c].members[..])
            .unwrap_or_default();
        let BothWays {
            mut callers,
            mut callees,
            recursive_callers,
            recursive_callees,
            mut basis,
        } = match &profile.tree {
            Some(tree) => lens.recorded(tree, id, depth),
            None => lens.estimated(id, depth),
        };
        if !profile.has_inclusive() {
            basis = Basis::Flat;
        }
        // Calls from outside a cycle have the cost of the whole cycle, not that of one member.
        let explains_all =
            cycle.is_none() || basis == Basis::Recorded || recursion == RecursiveCost::Again;
        if explains_all {
            callers.rest = difference(cost, &callers.first_level());
        }
        let mut explained = callees.first_level();
        extend_with(&mut explained, self_cost);
        callees.rest = difference(cost, &explained);
        let wanted = selection.narrow.rows;
        for steps in [&mut callers, &mut callees] {
            let least = selection
                .narrow
                .min
                .map(|_| steps.count_of(|row| has_least_share(selection, profile, row)));
            let wanted = wanted.into_iter().chain(least).min();
            steps.shorten(wanted, |row| lens.is_worth_a_row(row, cost));
        }
        let mut others = members.to_vec();
        others.retain(|&member| member != id);
        by_inclusive_cost(profile, selection, inclusive, &mut others);
        let named = steps::named(wanted, others.len());
        let more = callers
            .more
            .iter()
            .chain(&callees.more)
            .map(|more| &more.cost[..]);
        let rows = callers
            .steps
            .iter()
            .chain(&callees.steps)
            .map(|step| &step.cost[..]);
        let calls = recursive_callers
            .iter()
            .chain(&recursive_callees)
            .map(|call| &call.cost[..]);
        let longest = longest(
            &profile.events,
            rows.chain(more)
                .chain(calls)
                .chain([self_cost, cost, whole, &profile.totals.row]),
        );
        Zoom {
            id,
            label: lens.label(id),
            basis,
            totals: ProgramTotals::new(profile),
            self_cost,
            inclusive: cost,
            whole,
            is_part_of_cycle: inclusive.of_its_cycle(id).is_some(),
            calls: inclusive.called(id),
            inlined_at: folds.and_then(|folds| folds.places(id)).unwrap_or(0),
            of_own_code: folds.is_some(),
            estimated: folds
                .zip(selection.sort.first())
                .and_then(|(folds, &event)| folds.estimated(profile, id, event)),
            recursive_calls: match basis {
                Basis::Recorded => ArcRow::calls(&recursive_callers),
                Basis::Estimated | Basis::Flat => lens.recursive_calls(id),
            },
            recursion,
            cycle: others
                .iter()
                .take(named)
                .map(|&member| lens.label(member))
                .collect(),
            more_of_cycle: others.len() - named,
            callers,
            callees,
            inlined: None,
            instructions: None,
            longest,
            recursive_callers: RecursiveCalls::new(recursive_callers, wanted),
            recursive_callees: RecursiveCalls::new(recursive_callees, wanted),
        }
    }
}

impl Steps<'_> {
    /// The cost of the first level.
    fn first_level(&self) -> Vec<i64> {
        let first = self.steps.iter().filter(|step| step.level == 0);
        sum_rows(first.map(|step| &step.cost[..]))
    }
}

/// The callers and callees of a function.
struct BothWays<'a> {
    callers: Steps<'a>,
    callees: Steps<'a>,
    recursive_callers: Vec<ArcRow<'a>>,
    recursive_callees: Vec<ArcRow<'a>>,
    basis: Basis,
}

impl<'a> ArcFinder<'a> {
    fn label(&self, id: FunctionId) -> Label<'a> {
        Label {
            cycle: self.inclusive.cycle_number(id),
            ..Label::new(self.profile, id)
        }
    }

    fn arcs(&self, id: FunctionId, way: CallSide) -> Vec<&'a CallEdge> {
        match way {
            CallSide::Callees => self.profile.arcs_of(id).iter().collect(),
            CallSide::Callers => self.profile.arcs_to(id).collect(),
        }
    }

    /// Whether the cost of an arc is part of the cost of other arcs.
    fn is_inside(&self, arc: &CallEdge) -> bool {
        self.recursion == RecursiveCost::Inside && self.inclusive.is_recursive(arc)
    }

    fn recursive_calls(&self, id: FunctionId) -> u64 {
        let arcs = self.arcs(id, CallSide::Callers).into_iter();
        let recursive = arcs.filter(|arc| self.inclusive.is_recursive(arc));
        recursive.fold(0, |sum, arc| sum.saturating_add(arc.count))
    }

    /// Finds callers and callees from arcs.
    fn estimated(&self, id: FunctionId, depth: usize) -> BothWays<'a> {
        BothWays {
            callers: self.grow(id, CallSide::Callers, depth),
            callees: self.grow(id, CallSide::Callees, depth),
            recursive_callers: self.recursion(id, CallSide::Callers),
            recursive_callees: self.recursion(id, CallSide::Callees),
            basis: Basis::Estimated,
        }
    }

    /// Finds callers and callees from the tree of calls.
    fn recorded(&self, tree: &CallTree, id: FunctionId, depth: usize) -> BothWays<'a> {
        let around = Around::new(tree, id, depth);
        let whole = self.inclusive.cost(id);
        let call = |caller, count| ArcRow {
            label: self.label(caller),
            count,
            cost: Cow::default(),
            is_inside: true,
        };
        let mut recursive_callers: Vec<ArcRow> = around
            .recursive
            .iter()
            .map(|(&id, &count)| call(id, count))
            .collect();
        recursive_callers.order_by(|a, b| {
            b.count
                .cmp(&a.count)
                .then_with(|| a.label.compare(&b.label))
        });
        let own = around.recursive.get(&id).copied();
        BothWays {
            callers: self.in_order(&around.callers, whole),
            callees: self.in_order(&around.callees, whole),
            recursive_callers,
            recursive_callees: own.map(|count| call(id, count)).into_iter().collect(),
            basis: Basis::Recorded,
        }
    }

    /// Converts chains to a tree, most expensive first.
    fn in_order(&self, chains: &Chains, whole: &[i64]) -> Steps<'a> {
        let mut steps: Vec<Step<'a>> = Vec::new();
        let mut open = vec![(START, 0)];
        while let Some((at, depth)) = open.pop() {
            if let Some(level) = usize::checked_sub(depth, 1) {
                let node = chains.node(at);
                let (label, count) = (self.label(node.function), Some(node.count));
                steps.push(Step {
                    id: node.function,
                    label,
                    count,
                    cost: node.cost.clone(),
                    level,
                });
            }
            let mut below: Vec<u32> = chains.node(at).below.clone();
            below.retain(|&next| depth == 0 || self.is_worth_a_row(&chains.node(next).cost, whole));
            // The last element is popped first.
            below.order_by(|&a, &b| {
                let (a, b) = (chains.node(a), chains.node(b));
                let labels = || self.label(b.function).compare(&self.label(a.function));
                self.selection
                    .compare(&self.profile.events, &b.cost, &a.cost)
                    .then_with(labels)
            });
            open.extend(below.into_iter().map(|next| (next, depth + 1)));
        }
        Steps {
            steps,
            ..Steps::default()
        }
    }

    /// The recursive calls, most expensive first.
    fn recursion(&self, id: FunctionId, way: CallSide) -> Vec<ArcRow<'a>> {
        let mut calls: Vec<ArcRow> = (self
            .arcs(id, way)
            .into_iter()
            .filter(|arc| self.is_inside(arc)))
        .map(|arc| ArcRow {
            label: self.label(other(arc, way)),
            count: arc.count,
            cost: Cow::Borrowed(self.profile.arc_cost(arc)),
            is_inside: true,
        })
        .collect();
        ArcRow::order(&mut calls, self.selection, &self.profile.events);
        calls
    }

    /// The tree of callers or callees, most expensive first. A function has no row below itself.
    fn grow(&self, id: FunctionId, way: CallSide, depth: usize) -> Steps<'a> {
        let whole = self.inclusive.cost(id);
        let (mut tree, mut arcs) = (Steps::default(), 0usize);
        let mut on_path = vec![false; self.profile.functions.len()];
        on_path[id.index()] = true;
        // The functions on the path, each with the callers or callees that are still to be visited.
        let mut path = vec![(id, self.level(id, way, None, (whole, 0), &on_path))];
        while let Some((last, to_come)) = path.last_mut() {
            let Some(step) = to_come.next() else {
                on_path[last.index()] = false;
                path.pop();
                continue;
            };
            let next = step.id;
            tree.steps.push(step.clone());
            if on_path[next.index()] || path.len() >= depth {
                continue;
            }
            if tree.steps.len() >= MOST_STEPS || arcs >= MOST_ARCS {
                tree.cut = true;
                continue;
            }
            arcs = arcs.saturating_add(self.arcs(next, way).len());
            on_path[next.index()] = true;
            let level = self.level(next, way, Some(&step), (whole, path.len()), &on_path);
            path.push((next, level));
        }
        tree
    }

    /// The callers or callees of one function, most expensive first. `above` is the step of the
    /// function itself; its cost is the part of the function's cost at this place in the tree.
    ///
    /// The cost of a step is exact in two cases: the step above has all of the function's cost, or
    /// the step has all of the function's calls. In cycles costs are divided, and nothing is exact.
    fn level(
        &self,
        id: FunctionId,
        way: CallSide,
        above: Option<&Step<'a>>,
        (whole, level): (&[i64], usize),
        on_path: &[bool],
    ) -> std::vec::IntoIter<Step<'a>> {
        let events = &self.profile.events;
        let all = self.inclusive.cost(id);
        let shared_out = self.shared_out(id, way);
        let is_known =
            above.is_none_or(|step| step.count.is_some()) && self.inclusive.cycle_of(id).is_none();
        let has_all = above.is_some_and(|step| is_same(&step.cost, all));
        let mut steps: Vec<Step<'a>> = (self.arcs(id, way).into_iter())
            .filter(|arc| !self.is_inside(arc) && (level == 0 || !on_path[other(arc, way).index()]))
            .map(|arc| {
                let cost = self.profile.arc_cost(arc);
                let (count, cost) = match above {
                    None => (Some(arc.count), cost.to_vec()),
                    Some(step) => {
                        let is_known = is_known && (has_all || is_same(cost, all));
                        (
                            is_known.then_some(arc.count),
                            proportion(cost, &step.cost, &shared_out),
                        )
                    }
                };
                let id = other(arc, way);
                Step {
                    id,
                    label: self.label(id),
                    count,
                    cost,
                    level,
                }
            })
            .filter(|step| level == 0 || self.is_worth_a_row(&step.cost, whole))
            .collect();
        steps.order_by(|a, b| {
            self.selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.label.compare(&b.label))
        });
        steps.into_iter()
    }

    /// What the costs of the calls on one side of a function are divided by: its inclusive cost. In
    /// a cycle these costs contain each other, so it is their sum, if that is larger.
    fn shared_out(&self, id: FunctionId, way: CallSide) -> Cow<'a, [i64]> {
        let all = self.inclusive.whole(id);
        if self.inclusive.cycle_of(id).is_none() {
            return all.into();
        }
        let mut sum = match way {
            CallSide::Callers => Vec::new(),
            CallSide::Callees => self.profile.self_cost(id).to_vec(),
        };
        for arc in self.arcs(id, way) {
            if !self.is_inside(arc) {
                extend_with(&mut sum, self.profile.arc_cost(arc));
            }
        }
        extend_with(&mut sum, &vec![NEVER; all.len()]);
        sum.iter_mut()
            .zip(all)
            .for_each(|(sum, &all)| *sum = (*sum).max(all));
        sum.into()
    }

    /// Whether a step has at least half a percent of the whole. Deep levels have many smaller
    /// steps.
    fn is_worth_a_row(&self, cost: &[i64], whole: &[i64]) -> bool {
        let count = |row| self.selection.first_count(&self.profile.events, row);
        u128::from(count(cost).unsigned_abs()) * 200 >= u128::from(count(whole).unsigned_abs())
    }
}

fn other(arc: &CallEdge, way: CallSide) -> FunctionId {
    match way {
        CallSide::Callers => arc.caller,
        CallSide::Callees => arc.callee,
    }
}

/// Whether two costs are equal, if counts that were never written are zeros.
fn is_same(a: &[i64], b: &[i64]) -> bool {
    (0..a.len().max(b.len())).all(|at| count(a, at) == count(b, at))
}

/// Scales `cost` by the ratio of `part` to `whole`, event by event.
fn proportion(cost: &[i64], part: &[i64], whole: &[i64]) -> Vec<i64> {
    (0..cost.len())
        .map(|at| match (cost[at], count(whole, at)) {
            (NEVER, _) | (_, 0) => NEVER,
            (cost, whole) => {
                let share = i128::from(cost) * i128::from(count(part, at)) / i128::from(whole);
                share.clamp(i128::from(NEVER + 1), i128::from(i64::MAX)) as i64
            }
        })
        .collect()
}

/// Subtracts from a cost what explains it, even for peaks. The result is empty if nothing is left.
fn difference(cost: &[i64], explained: &[i64]) -> Vec<i64> {
    let rest = |at| match written(cost, at) {
        Some(cost) => limited(i128::from(cost) - i128::from(count(explained, at))),
        None => NEVER,
    };
    let rest: Vec<i64> = (0..cost.len()).map(rest).collect();
    if is_free(&rest) { Vec::new() } else { rest }
}

/// Which files of a function are wanted.
#[derive(Clone, Copy)]
pub enum FilesOf<'f> {
    /// All files with code of the function, and these.
    All(&'f [NameId]),
    /// The function's own file, and those whose lines and calls have at least 1 % of its cost.
    Dearest,
}

/// The files that a function has code in.
pub struct FunctionFiles<'a> {
    /// The function's own file, then the others by the cost of their lines and calls.
    pub files: Vec<FileCosts<'a>>,
    /// The number of omitted files.
    pub left_out: usize,
    pub(crate) left_out_cost: Vec<i64>,
}

/// What one file has of a function.
#[derive(Default)]
struct FunctionFile<'a> {
    cost: Vec<i64>,
    lines: BTreeMap<u64, Cow<'a, [i64]>>,
    calls: BTreeMap<u64, Vec<ArcRow<'a>>>,
    below: Vec<(u64, Vec<ArcRow<'a>>)>,
}

/// The costs of a function in the files with its code.
pub fn files<'a>(
    session: &'a Session,
    selection: &Selection,
    id: FunctionId,
    which: FilesOf<'_>,
) -> FunctionFiles<'a> {
    let (profile, inclusive) = (session.profile(), session.inclusive());
    let (events, own) = (&profile.events, profile.function(id).file);
    let recursion = RecursiveCost::from_profile(profile, inclusive);
    let mut files: BTreeMap<NameId, FunctionFile<'a>> = BTreeMap::new();
    for lines in profile.lines_of(id).chunk_by(|a, b| a.file == b.file) {
        let file = files.entry(lines[0].file).or_default();
        file.below = library_code(session.folds(), profile, lines, selection);
        for line in lines {
            let cost = profile.line_cost(line);
            extend_with(&mut file.cost, cost);
            file.lines.insert(line.line, cost.into());
        }
    }
    for arc in profile.arcs_of(id) {
        let is_inside = recursion == RecursiveCost::Inside && inclusive.is_recursive(arc);
        for site in profile.sites(arc).iter().filter(|site| site.line > 0) {
            let cost = if is_inside {
                Cow::default()
            } else {
                inclusive.capped(arc, profile.site_cost(site))
            };
            let file = files.entry(site.file).or_default();
            extend_with(&mut file.cost, &cost);
            // A line with only calls has no self cost.
            file.lines.entry(site.line).or_default();
            file.calls.entry(site.line).or_default().push(ArcRow {
                label: Label::new(profile, arc.callee),
                count: site.count,
                cost,
                is_inside,
            });
        }
    }
    if let FilesOf::All(more) = which {
        for &file in more {
            files.entry(file).or_default();
        }
    }
    let first = |row: &[i64]| selection.first_count(events, row).unsigned_abs();
    let whole = u128::from(first(inclusive.whole(id)));
    let is_wanted = |file: NameId, cost: &[i64]| match which {
        FilesOf::All(_) => true,
        FilesOf::Dearest => file == own || u128::from(first(cost)) * 100 >= whole,
    };
    let known = files
        .into_iter()
        .filter(|&(file, _)| file != NameId::UNKNOWN);
    let (mut chosen, others): (Vec<_>, Vec<_>) =
        known.partition(|(file, known)| is_wanted(*file, &known.cost));
    let left_out_cost = sum_rows(others.iter().map(|(_, file)| &file.cost[..]));
    chosen.order_by(|(a, of_a), (b, of_b)| {
        (*a != own).cmp(&(*b != own)).then_with(|| {
            selection
                .compare(events, &of_a.cost, &of_b.cost)
                .then_with(|| profile.name(*a).cmp(profile.name(*b)))
        })
    });
    let files = chosen.into_iter().map(|(file, known)| {
        let mut calls: Vec<_> = known.calls.into_iter().collect();
        for (_, list) in &mut calls {
            ArcRow::order(list, selection, events);
        }
        let lines = known.lines.into_iter().collect();
        FileCosts {
            below: known.below,
            ..FileCosts::with_calls(events, profile.name(file), lines, calls)
        }
    });
    let files = files.collect();
    FunctionFiles {
        files,
        left_out: others.len(),
        left_out_cost,
    }
}
