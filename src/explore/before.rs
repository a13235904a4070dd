//! What an older run cost, by the functions of the newer one. Which is which is decided as `diff` decides it.
//!
//! Functions of the newer run whose names differ only in what changes from build to build are compared as one, as `diff` adds
//! them up: the first of them stands for all, and what changed is what all of them cost now less what all of them cost
//! before.

use super::place::Sort;
use super::sums::Sums;
use crate::analysis::GroupBy;
use crate::analysis::Session;
use crate::analysis::difference::ChangeRef;
use crate::profile::{Event, Events, FunctionId, NameId};
use std::collections::HashMap;
use std::sync;

/// The older run, in the columns of the newer.
pub struct Before {
    /// For every function of the newer run the one that stands for it; nearly all stand for themselves.
    pub(super) stands: Vec<FunctionId>,
    /// What those cost that stand for several.
    pub(super) together: HashMap<FunctionId, Together>,
    /// What each function costs now with its calls; nothing where none stands for several, by which others can come to be
    /// within recursion.
    pub(super) inclusive_now: HashMap<FunctionId, Vec<i64>>,
    /// What each function cost that stands for itself or for others.
    pub(super) functions: Vec<Option<Was>>,
    pub(super) arcs: HashMap<(FunctionId, FunctionId), Arc>,
    /// Calls that the newer run does not have, by the caller and by the callee where it has those.
    pub(super) calls_gone: [Vec<(FunctionId, CallGone)>; 2],
    /// What lines cost, at the places where they stand or would stand in the newer run.
    pub(super) lines: Lines,
    /// What lines of functions that are compared as one cost now.
    pub(super) lines_now: Lines,
    /// Functions that the newer run does not have, dearest first.
    pub(super) gone: Vec<Gone>,
    /// What objects, files and classes cost.
    pub(super) sums: Sums,
    /// The totals of the older run.
    pub(super) totals: Vec<i64>,
    /// What they have beyond all functions; empty if nothing.
    pub(super) nowhere: Vec<i64>,
    /// Whether each recorded event of the newer run is one of the older.
    pub(super) shared: Vec<bool>,
    /// How far calls are known in both runs.
    pub(super) calls: Known,
    /// What makes the comparison doubtful, and what was wrong with the older run's inputs.
    pub(super) doubts: Vec<String>,
}

/// What is known of calls in both runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    /// Who calls whom.
    Arcs,
    /// Inclusive costs alone.
    Inclusive,
    /// Nothing.
    Nothing,
}

/// What a function cost; rows without counts where the older run does not have it.
pub(super) struct Was {
    pub(super) own: Vec<i64>,
    /// Its cost with its calls; nothing where that is not known of both runs, as far as they have the function.
    pub(super) inclusive: Option<Vec<i64>>,
}

/// Functions that are compared as one.
pub(super) struct Together {
    /// How many they are.
    pub(super) members: u32,
    /// What they cost now.
    pub(super) own: Vec<i64>,
}

/// The calls of one function by another.
#[derive(Default)]
pub(super) struct Arc {
    /// What they cost before; nothing within recursion, where their cost is inside that of others.
    pub(super) was: Option<Vec<i64>>,
    /// What those of functions that are compared as one cost now.
    pub(super) now: Option<Vec<i64>>,
}

/// A call that is no longer there.
pub(super) struct CallGone {
    /// The function at the other end.
    pub(super) other: End,
    /// What it cost; nothing within recursion, where its cost is inside that of others.
    pub(super) cost: Vec<i64>,
}

impl CallGone {
    /// The function at the other end, if the newer run has it.
    pub(super) fn function(&self) -> Option<FunctionId> {
        match self.other {
            End::Function(id) => Some(id),
            End::Gone(_) => None,
        }
    }
}

/// A function at the end of a call that is no longer there.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// The newer run has it.
    Function(FunctionId),
    /// It is gone, too: a place in [`Before::gone`].
    Gone(usize),
}

/// A function that is no longer there.
pub(super) struct Gone {
    pub(super) name: Vec<u8>,
    pub(super) file: Vec<u8>,
    /// The object, the file and the class that it is of, as lists of these have them.
    pub(super) groups: [sync::Arc<[u8]>; 3],
    pub(super) was: Was,
}

impl Gone {
    /// The object, the file or the class that it is of.
    pub(super) fn group(&self, by: GroupBy) -> &[u8] {
        let [object, file, class] = &self.groups;
        match by {
            GroupBy::Object | GroupBy::Function => object,
            GroupBy::File => file,
            GroupBy::Class => class,
        }
    }
}

/// A function, a file, and a line of the newer run.
pub(super) type PlacedLine = (FunctionId, NameId, u64);

/// What lines cost.
#[derive(Default)]
pub(super) struct Lines {
    /// Where they are; each with the place of its costs.
    places: Vec<(PlacedLine, usize)>,
    costs: Vec<i64>,
    /// How many costs a line has.
    columns: usize,
}

impl Lines {
    /// None yet; each will have so many costs.
    pub(super) fn new(columns: usize) -> Lines {
        Lines {
            places: Vec::new(),
            costs: Vec::new(),
            columns,
        }
    }

    /// Adds a line.
    pub(super) fn push(&mut self, place: PlacedLine, cost: impl Iterator<Item = i64>) {
        self.places.push((place, self.costs.len()));
        self.costs.extend(cost);
    }

    /// The same in the order in which they are looked up.
    pub(super) fn ordered(mut self) -> Lines {
        self.places.sort_unstable();
        self
    }

    /// Those of a function in a file, and what each cost.
    fn of(&self, id: FunctionId, file: NameId) -> impl Iterator<Item = (u64, &[i64])> {
        let lines = self
            .from((id, file, 0))
            .take_while(move |((function, of, _), _)| (*function, *of) == (id, file));
        lines.map(|((.., line), cost)| (line, cost))
    }

    /// The files of a function's lines.
    fn files(&self, id: FunctionId) -> Vec<NameId> {
        let lines = self
            .from((id, NameId(0), 0))
            .take_while(|((function, ..), _)| *function == id);
        let mut files: Vec<NameId> = lines.map(|((_, file, _), _)| file).collect();
        files.dedup();
        files
    }

    fn from(&self, place: PlacedLine) -> impl Iterator<Item = (PlacedLine, &[i64])> {
        let from = self.places.partition_point(|(key, _)| *key < place);
        let cost = |at: usize| self.costs.get(at..at + self.columns).unwrap_or_default();
        self.places[from..]
            .iter()
            .map(move |&(place, at)| (place, cost(at)))
    }

    /// What a line cost; nothing if it cost nothing there.
    fn line(&self, place: PlacedLine) -> &[i64] {
        self.from(place)
            .next()
            .filter(|(found, _)| *found == place)
            .map_or(&[], |(_, cost)| cost)
    }
}

impl Before {
    /// Whether the older run counts this event, too.
    pub(super) fn compares(&self, events: &Events, event: Event) -> bool {
        let has = |column: usize| self.shared.get(column) == Some(&true);
        match event {
            Event::Recorded(column) => has(column),
            Event::Derived(at) => events
                .derived()
                .get(at)
                .is_some_and(|d| d.terms.iter().all(|&(column, _)| has(column))),
        }
    }

    fn stands(&self, id: FunctionId) -> FunctionId {
        self.stands.get(id.index()).copied().unwrap_or(id)
    }

    /// Whether functions of the newer run are compared as one.
    pub(super) fn are_one(&self, a: FunctionId, b: FunctionId) -> bool {
        self.stands(a) == self.stands(b)
    }

    /// How many functions of the newer run a function is compared as one with, itself among them.
    pub(super) fn members(&self, id: FunctionId) -> u32 {
        self.together
            .get(&self.stands(id))
            .map_or(1, |together| together.members)
    }

    /// What a function cost and costs, or all that are compared as one with it; by self or inclusive cost. Nothing where that
    /// is not known of both runs.
    pub(super) fn function<'b>(
        &'b self,
        id: FunctionId,
        session: &'b Session,
        cost: Sort,
    ) -> Option<ChangeRef<'b>> {
        let id = self.stands(id);
        let was = self.functions.get(id.index())?.as_ref()?;
        Some(match cost {
            Sort::Inclusive => {
                let now = session
                    .inclusive_so_far()
                    .filter(|_| self.calls != Known::Nothing)?;
                let old = was.inclusive.as_ref()?;
                ChangeRef {
                    old,
                    new: self.inclusive_now.get(&id).map_or(now.cost(id), |now| now),
                }
            }
            Sort::Own | Sort::Calls | Sort::Name | Sort::Change => {
                let now = self
                    .together
                    .get(&id)
                    .map_or(session.profile().self_cost(id), |together| &together.own);
                ChangeRef {
                    old: &was.own,
                    new: now,
                }
            }
        })
    }

    /// The same for a row of a list: of functions that are compared as one, the first has it.
    pub(super) fn listed<'b>(
        &'b self,
        id: FunctionId,
        session: &'b Session,
        cost: Sort,
    ) -> Option<ChangeRef<'b>> {
        self.function(id, session, cost)
            .filter(|_| self.stands(id) == id)
    }

    /// Whether both runs have a function.
    pub(super) fn has(&self, id: FunctionId) -> bool {
        let was = self.functions.get(self.stands(id).index());
        was.and_then(Option::as_ref)
            .is_some_and(|was| !was.own.is_empty())
    }

    /// The lines that a function had in a file, and what they cost.
    pub(super) fn lines(
        &self,
        id: FunctionId,
        file: NameId,
    ) -> impl Iterator<Item = (u64, &[i64])> {
        self.lines.of(self.stands(id), file)
    }

    /// What a line cost, and what it costs where that is not what it costs in this function alone.
    pub(super) fn line(&self, id: FunctionId, file: NameId, line: u64) -> (&[i64], Option<&[i64]>) {
        let place = (self.stands(id), file, line);
        (
            self.lines.line(place),
            self.together
                .contains_key(&place.0)
                .then(|| self.lines_now.line(place)),
        )
    }

    /// The files that had at least a hundredth of a function, its calls included, by what is counted.
    pub(super) fn files(&self, id: FunctionId, count: impl Fn(&[i64]) -> i64) -> Vec<NameId> {
        let id = self.stands(id);
        let was = self.functions.get(id.index()).and_then(Option::as_ref);
        let whole = was
            .map_or(0, |was| count(was.inclusive.as_ref().unwrap_or(&was.own)))
            .unsigned_abs();
        let mut files = self.lines.files(id);
        files.retain(|&file| {
            let sum = self
                .lines(id, file)
                .fold(0i64, |sum, (_, cost)| sum.saturating_add(count(cost)));
            sum != 0 && u128::from(sum.unsigned_abs()) * 100 >= u128::from(whole)
        });
        files
    }

    /// Calls by a function that the newer run does not have.
    pub(super) fn callees_gone(&self, id: FunctionId) -> impl Iterator<Item = &CallGone> {
        of(&self.calls_gone[0], self.stands(id))
    }

    /// Calls of a function that the newer run does not have.
    pub(super) fn callers_gone(&self, id: FunctionId) -> impl Iterator<Item = &CallGone> {
        of(&self.calls_gone[1], self.stands(id))
    }

    /// What the calls of one function by another cost before, and now where that is not what they cost between these two
    /// alone. Nothing where that is not known of both runs.
    pub(super) fn arc(
        &self,
        caller: FunctionId,
        callee: FunctionId,
    ) -> Option<(&[i64], Option<&[i64]>)> {
        if self.calls != Known::Arcs {
            return None;
        }
        let (caller, callee) = (self.stands(caller), self.stands(callee));
        let Some(arc) = self.arcs.get(&(caller, callee)) else {
            return Some((&[], None));
        };
        Some((arc.was.as_deref()?, arc.now.as_deref()))
    }
}

/// Those of one function, in a list by function.
fn of(calls: &[(FunctionId, CallGone)], id: FunctionId) -> impl Iterator<Item = &CallGone> {
    let from = calls.partition_point(|(function, _)| *function < id);
    calls[from..]
        .iter()
        .take_while(move |(function, _)| *function == id)
        .map(|(_, call)| call)
}
