//! The whole profile as one page: functions, calls in both directions, lines, cycles, files and
//! sources, limited by one rule.
//!
//! A row is omitted if it has less than [`Least`] of the total of every event. Functions count by
//! inclusive cost, arcs and lines by their own cost. Functions in the stacks stay. What is omitted
//! is added up where it belongs, so every list of the page and its rest add up to the whole.
//!
//! Costs are those of the profile, neither rounded nor capped. Functions are in the order of
//! [`OrderedProfile`](crate::analysis::OrderedProfile).

mod compared;
mod deltas;
mod excerpts;
mod ground;
mod least;
mod places;

pub use self::{
    compared::{Compared, ComparedArc, ComparedRow, Stepped, WaterfallStep},
    deltas::{Delta, DeltaFrame, StacksBefore, stacks_since},
    excerpts::{Excerpt, ExcerptRun, Excerpts, Hits},
    ground::Ground,
    least::Least,
};

use super::{groups::Group, steps::Sum};
use crate::{
    analysis::{Cost, Cycle, Folds, Frame, Inclusive, Reach, Stacks, ordered::by_file_name},
    profile::{CallEdge, Counts, Event, FunctionId, Line, Order, Profile},
};

/// The part of a profile that is on its page.
pub struct Whole<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The inclusive costs of its functions.
    pub inclusive: &'a Inclusive,
    /// The events, in the order of the page's menu.
    pub events: &'a [Event],
    /// The index of the event that the page shows first.
    pub first: usize,
    /// The cost that orders the functions at first.
    pub by: Cost,
    /// The limit below which rows are omitted.
    pub least: Least,
    /// The functions, by self cost of the first event, most expensive first, independent of `by`.
    pub functions: Vec<PageFunction<'a>>,
    /// The omitted functions, with the sum of their self costs.
    pub other_functions: Sum,
    /// The lines of the functions, function by function, ordered by file and line.
    pub lines: Vec<&'a Line>,
    /// The arcs from the functions, function by function, ordered by callee.
    pub arcs: Vec<Arc<'a>>,
    /// The cycles, most expensive first, with the indexes of their members that are on the page.
    pub cycles: Vec<(&'a Cycle, Vec<u32>)>,
    /// The self cost per object and file of functions, ordered by object and file, including
    /// functions that are not on the page. If there are very many, cheap ones are added up.
    pub places: Vec<PagePlace<'a>>,
    /// The self cost per file of the code, most expensive first. If there are very many, cheap ones
    /// are added up.
    pub files: Vec<Group<'a>>,
    /// The stacks of each event.
    pub stacks: Vec<Stacked>,
    /// The attributed costs, if the report is about your code.
    pub folds: Option<&'a Folds>,
    place: Vec<Option<u32>>,
}

/// The stacks of an event, or why there are none.
pub enum Stacked {
    /// The stacks.
    There(Stacks),
    /// The event has negative costs.
    Negative,
    /// The stacks of other events use all the room.
    NoRoom,
}

impl Stacked {
    /// The stacks, if there are any.
    pub fn there(&self) -> Option<&Stacks> {
        match self {
            Stacked::There(stacks) => Some(stacks),
            Stacked::Negative | Stacked::NoRoom => None,
        }
    }
}

/// A function of the page.
pub struct PageFunction<'a> {
    /// Its id.
    pub id: FunctionId,
    /// Its self cost.
    pub self_cost: Counts<'a>,
    /// Its inclusive cost; empty if unknown.
    pub inclusive: Counts<'a>,
    /// The number of calls.
    pub called: u64,
    /// The number of its cycle, from 1.
    pub cycle: Option<usize>,
    /// The index of its object and file in [`Whole::places`].
    pub place: usize,
    /// The number of its lines in [`Whole::lines`].
    pub lines: usize,
    /// The number of its arcs in [`Whole::arcs`].
    pub arcs: usize,
    /// Its omitted lines.
    pub other_lines: Sum,
    /// Omitted calls of it. Recursive ones are counted without cost, because their costs contain
    /// each other.
    pub other_callers: Sum,
    /// Omitted calls that it makes. Recursive ones are counted without cost.
    pub other_callees: Sum,
}

/// An arc from one function of the page to another.
pub struct Arc<'a> {
    /// The index of the callee among the functions.
    pub callee: u32,
    /// The arc.
    pub arc: &'a CallEdge,
}

/// The most library functions of a line. A last row has the sum of the others.
const LIBRARY: usize = 10;

/// The self cost of all functions of one object and file.
#[derive(Clone)]
pub struct PagePlace<'a> {
    /// The object.
    pub object: &'a [u8],
    /// The file.
    pub file: &'a [u8],
    /// The number of functions.
    pub functions: u64,
    pub(crate) cost: Vec<i64>,
}

impl<'a> Whole<'a> {
    /// Everything with at least `least`, and the stacks of the events.
    pub fn new(ground: &'a Ground<'a>, least: Least) -> Whole<'a> {
        Whole::around(ground, least, ground.stacks(least))
    }

    /// The tables of a page, but only one in [`Whole::SAMPLED`] of their rows, and no stacks. It
    /// serves to estimate the length of the page before it is made.
    pub fn sample(ground: &'a Ground<'a>, least: Least) -> Whole<'a> {
        fn some<T>(rows: Vec<T>) -> Vec<T> {
            /// Neighboring rows are alike and pack better together, so the sample takes this many
            /// at a time.
            const TOGETHER: usize = 64;
            // The first rows are not typical: the most expensive functions have most calls. Short
            // tables do not matter.
            let is_taken =
                |&(at, _): &(usize, T)| at / TOGETHER % Whole::SAMPLED == Whole::SAMPLED / 2;
            rows.into_iter()
                .enumerate()
                .filter(is_taken)
                .map(|(_, row)| row)
                .collect()
        }
        let whole = Whole::around(ground, least, Vec::new());
        let (functions, lines, arcs) = (some(whole.functions), some(whole.lines), some(whole.arcs));
        Whole {
            functions,
            lines,
            arcs,
            ..whole
        }
    }

    /// The sample has one row in this many, see [`Whole::sample`].
    pub const SAMPLED: usize = 16;

    fn around(ground: &'a Ground<'a>, least: Least, stacks: Vec<Stacked>) -> Whole<'a> {
        let (profile, inclusive) = (ground.profile, ground.inclusive);
        let limits = least.limits(profile, &ground.events);
        let mut in_stacks = vec![false; profile.functions.len()];
        let there = stacks.iter().filter_map(Stacked::there);
        for stack in there.flat_map(|stacks| &stacks.stacks) {
            if let Frame::Function(id) = stack.frame {
                in_stacks[id.index()] = true;
            }
        }

        // The cost of a function in a cycle excludes its calls in the cycle, and these can be
        // expensive.
        let has_dear_recursion = |id: FunctionId| {
            let of_function = || profile.arcs_of(id).iter().chain(profile.arcs_to(id));
            let is_dear = |arc: &CallEdge| {
                inclusive.is_recursive(arc) && limits.keep(profile, profile.arc_cost(arc))
            };
            inclusive.cycle_of(id).is_some() && of_function().any(is_dear)
        };
        let (mut kept, mut other_functions) = (Vec::new(), Sum::default());
        let mut place = vec![None; profile.functions.len()];
        for &id in &ground.functions {
            let is_dear = limits.keep(profile, inclusive.cost(id))
                || limits.keep(profile, profile.self_cost(id));
            if is_dear || in_stacks[id.index()] || has_dear_recursion(id) {
                place[id.index()] = u32::try_from(kept.len()).ok();
                kept.push(id);
            } else {
                other_functions.add(0, profile.self_cost(id));
            }
        }
        let mut used = vec![false; ground.places.len()];
        kept.iter()
            .for_each(|id| used[ground.place_of[id.index()]] = true);
        let (places, at_of) =
            places::places(&ground.places, &used, |row| limits.keep(profile, row));
        let files = places::files(&ground.files.rows, |row| limits.keep(profile, row));
        let (mut functions, mut lines, mut arcs) =
            (Vec::with_capacity(kept.len()), Vec::new(), Vec::new());
        for &id in &kept {
            let mut function = PageFunction {
                id,
                self_cost: Counts(profile.self_cost(id)),
                inclusive: Counts(if profile.has_inclusive() {
                    inclusive.cost(id)
                } else {
                    &[]
                }),
                called: inclusive.called(id),
                cycle: inclusive.cycle_number(id),
                place: at_of[ground.place_of[id.index()]],
                lines: 0,
                arcs: 0,
                other_lines: Sum::default(),
                other_callers: Sum::default(),
                other_callees: Sum::default(),
            };
            for line in by_file_name(profile, id) {
                let cost = profile.line_cost(line);
                if limits.keep(profile, cost) {
                    lines.push(line);
                    function.lines += 1;
                } else {
                    function.other_lines.add(0, cost);
                }
            }
            let before = arcs.len();
            for arc in profile.arcs_of(id) {
                let cost = profile.arc_cost(arc);
                match place[arc.callee.index()].filter(|_| limits.keep(profile, cost)) {
                    Some(callee) => arcs.push(Arc { callee, arc }),
                    // Costs of recursive calls contain each other, so they are not added up.
                    None if inclusive.is_recursive(arc) => {
                        function.other_callees.add(arc.count, &[])
                    }
                    None => function.other_callees.add(arc.count, cost),
                }
            }
            arcs[before..].sort_unstable_by_key(|arc| arc.callee);
            function.arcs = arcs.len() - before;
            for arc in profile.arcs_to(id) {
                let cost = profile.arc_cost(arc);
                let is_here = place[arc.caller.index()].is_some() && limits.keep(profile, cost);
                if !is_here {
                    let is_recursive = inclusive.is_recursive(arc);
                    function
                        .other_callers
                        .add(arc.count, if is_recursive { &[] } else { cost });
                }
            }
            functions.push(function);
        }
        let cycles = inclusive.cycles.iter().map(|cycle| {
            let mut members: Vec<u32> = cycle
                .members
                .iter()
                .filter_map(|member| place[member.index()])
                .collect();
            members.sort_unstable();
            (cycle, members)
        });
        let cycles = cycles.collect();
        Whole {
            profile,
            inclusive,
            events: &ground.events,
            first: ground.first,
            by: ground.by,
            least,
            functions,
            other_functions,
            lines,
            arcs,
            cycles,
            places,
            files,
            stacks,
            folds: ground.folds,
            place,
        }
    }

    /// The library functions that a line paid for, the most expensive first. An inlined function has
    /// no calls. The last row can be the sum of others, which has no name but their number.
    pub fn library(&self, line: &Line) -> Vec<(&'a [u8], Sum)> {
        let profile = self.profile;
        let code = self.folds.map(|folds| folds.below([line]));
        let code = code.unwrap_or_default().into_values().flatten();
        let mut rows: Vec<(&[u8], Sum)> = code
            .map(|(function, (calls, cost))| {
                let count = 0;
                (profile.name(function.name), Sum { count, calls, cost })
            })
            .collect();
        let event = self.events.get(self.first);
        let count = |row: &Sum| event.map(|&event| profile.events.counted(&row.cost, event));
        rows.order_by(|a, b| count(&b.1).cmp(&count(&a.1)).then_with(|| a.0.cmp(b.0)));
        let others = rows.split_off(rows.len().min(LIBRARY));
        if !others.is_empty() {
            let mut sum = Sum::default();
            others.iter().for_each(|(_, row)| sum.add(0, &row.cost));
            rows.push((b"", sum));
        }
        rows
    }

    /// Whether a function is called, inlined or both.
    pub fn reach(&self, id: FunctionId) -> Reach {
        Reach::new(self.folds, id)
    }

    /// The number of calls of a function; `None` if it is only inlined, because executions of
    /// inlined code are not counted.
    pub fn counted(&self, callee: FunctionId, count: u64) -> Option<u64> {
        self.reach(callee).counted(count)
    }

    /// The index of a function on the page.
    pub fn place(&self, id: FunctionId) -> Option<u32> {
        self.place.get(id.index()).copied().flatten()
    }
}
