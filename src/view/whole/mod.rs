//! The whole profile as one page: functions, calls both ways, lines, cycles, files and sources, cut once by one rule.
//!
//! Whatever has less than [`Least`] of the total of every event is left out: functions by inclusive cost, arcs and lines by
//! their own; functions of the stacks stay. What is left out is added up where it belongs, so that every list of the page and its rest are the whole.
//! Costs are those of the profile, not rounded and not capped; functions are in the order of [`OrderedProfile`](crate::analysis::OrderedProfile).

mod compared;
mod deltas;
mod excerpts;
mod ground;
mod least;
mod places;

pub use compared::{Compared, ComparedArc, ComparedRow, Step, Stepped};
pub use deltas::{Delta, DeltaFrame};
pub use excerpts::{Excerpt, Excerpts, Folder, Hits, Reading, Run};
pub use ground::Ground;
pub use least::Least;

use super::groups::Group;
use crate::analysis::difference::Cost;
use crate::analysis::ordered::by_file_name;
use crate::analysis::own_profile::Reach;
use crate::analysis::stacks::{Frame, Stacks};
use crate::analysis::{Cycle, Folds, Inclusive};
use crate::profile::costs::{Counts, extend_with};
use crate::profile::{CallEdge, Event, FunctionId, Line, Profile};

/// What of a profile is on its page.
pub struct Whole<'a> {
    /// The profile.
    pub profile: &'a Profile,
    /// The inclusive costs of its functions.
    pub inclusive: &'a Inclusive,
    /// The events, in the order in which they can be chosen.
    pub events: &'a [Event],
    /// The place of the event that shows first.
    pub first: usize,
    /// The cost that orders the functions at first.
    pub by: Cost,
    /// What is left out.
    pub least: Least,
    /// The functions, by self cost of the first event, dearest first, whatever `by` says.
    pub functions: Vec<Function<'a>>,
    /// Functions that are left out, with the sum of their self costs.
    pub other_functions: Sum,
    /// Lines of the functions, function after function, each by file and line.
    pub lines: Vec<&'a Line>,
    /// Arcs from the functions, function after function, by callee.
    pub arcs: Vec<Arc<'a>>,
    /// Cycles, dearest first, with the places of those of their members that are on the page.
    pub cycles: Vec<(&'a Cycle, Vec<u32>)>,
    /// Self cost by object and file of the function, whether functions are on the page or not, by object and file. Of very
    /// many those that cost little are added up.
    pub places: Vec<Place<'a>>,
    /// Self cost by the file that code stands in, dearest first, in the same way.
    pub files: Vec<Group<'a>>,
    /// The stacks of each event.
    pub stacks: Vec<Stacked>,
    /// What is known of it beside its costs, if it is a profile of own code.
    pub folds: Option<&'a Folds>,
    place: Vec<Option<u32>>,
}

/// The stacks of an event, if there are any.
pub enum Stacked {
    /// They are there.
    There(Stacks),
    /// There are costs below zero.
    Negative,
    /// Those of other events have taken the room.
    NoRoom,
}

impl Stacked {
    /// Those that are there.
    pub fn there(&self) -> Option<&Stacks> {
        match self {
            Stacked::There(stacks) => Some(stacks),
            Stacked::Negative | Stacked::NoRoom => None,
        }
    }
}

/// A function.
pub struct Function<'a> {
    /// Which.
    pub id: FunctionId,
    /// Its costs.
    pub self_cost: Counts<'a>,
    /// With what it calls; nothing where nobody knows.
    pub inclusive: Counts<'a>,
    /// How often it was called.
    pub called: u64,
    /// The number of its cycle, from 1.
    pub cycle: Option<usize>,
    /// Where its object and file are in [`Whole::places`].
    pub place: usize,
    /// How many of [`Whole::lines`] are its.
    pub lines: usize,
    /// How many of [`Whole::arcs`] are its.
    pub arcs: usize,
    /// Its lines that are left out.
    pub other_lines: Sum,
    /// Calls of it that are left out, those within recursion apart: their costs contain each other.
    pub other_callers: Sum,
    /// Its calls that are left out, in the same way.
    pub other_callees: Sum,
}

/// An arc from one function of the page to another.
pub struct Arc<'a> {
    /// The place of the callee among the functions.
    pub callee: u32,
    /// The arc.
    pub arc: &'a CallEdge,
}

/// Several things as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: u64,
    /// How many calls, of arcs.
    pub calls: u64,
    /// What they cost.
    pub(crate) cost: Vec<i64>,
}

impl Sum {
    fn add(&mut self, calls: u64, cost: &[i64]) {
        self.count += 1;
        self.calls = self.calls.saturating_add(calls);
        extend_with(&mut self.cost, cost);
    }
}

/// What the functions of one object and file cost themselves.
#[derive(Clone)]
pub struct Place<'a> {
    /// The object.
    pub object: &'a [u8],
    /// The file.
    pub file: &'a [u8],
    /// How many there are.
    pub functions: u64,
    /// The sum.
    pub(crate) cost: Vec<i64>,
}

impl<'a> Whole<'a> {
    /// What has at least so much, with the stacks of its events.
    pub fn new(ground: &'a Ground<'a>, least: Least) -> Whole<'a> {
        Whole::around(ground, least, ground.stacks(least))
    }

    /// The tables that have at least so much, but one in [`Whole::SAMPLED`] of their rows, and no stacks: by it the length
    /// of a page can be told before all of it is made.
    pub fn sample(ground: &'a Ground<'a>, least: Least) -> Whole<'a> {
        fn some<T>(rows: Vec<T>) -> Vec<T> {
            /// Neighbours are alike, and are packed the better for it.
            const TOGETHER: usize = 64;
            // Not the first, which are not like the others: the dearest have most calls. Short tables are no matter.
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

    /// See [`Whole::sample`].
    pub const SAMPLED: usize = 16;

    fn around(ground: &'a Ground<'a>, least: Least, stacks: Vec<Stacked>) -> Whole<'a> {
        let (profile, inclusive) = (ground.profile, ground.inclusive);
        let limits = least.of(profile, &ground.events);
        let mut in_stacks = vec![false; profile.functions.len()];
        for stack in stacks
            .iter()
            .filter_map(Stacked::there)
            .flat_map(|stacks| &stacks.stacks)
        {
            if let Frame::Function(id) = stack.frame {
                in_stacks[id.index()] = true;
            }
        }

        // What a function in a cycle costs is without its calls in the cycle, which may be dear.
        let has_dear_recursion = |id: FunctionId| {
            let of_function = || profile.arcs_of(id).iter().chain(profile.arcs_to(id));
            let is_dear = |arc: &CallEdge| {
                inclusive.most_of_recursion(arc).is_some()
                    && limits.keep(profile, profile.arc_cost(arc))
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
            let mut function = Function {
                id,
                self_cost: Counts(profile.self_cost(id)),
                inclusive: Counts(if profile.has_inclusive() {
                    inclusive.cost(id)
                } else {
                    &[]
                }),
                called: inclusive.called(id),
                cycle: inclusive.cycle_of(id).map(|at| at + 1),
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
                    // Costs of recursive calls contain each other, so that they are not added up.
                    None if inclusive.most_of_recursion(arc).is_some() => {
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
                    let is_recursive = inclusive.most_of_recursion(arc).is_some();
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

    /// How the code of a function is reached.
    pub fn reach(&self, id: FunctionId) -> Reach {
        self.folds.map_or(Reach::Called, |folds| folds.reach(id))
    }

    /// How often a function, or another that it calls, was called; `None` if it is inlined, which nobody counts.
    pub fn counted(&self, callee: FunctionId, count: u64) -> Option<u64> {
        self.reach(callee).counted(count)
    }

    /// The place of a function among those of the page.
    pub fn place(&self, id: FunctionId) -> Option<u32> {
        self.place.get(id.index()).copied().flatten()
    }
}
