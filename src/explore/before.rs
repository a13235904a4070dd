//! What an older run cost, by the functions of the newer one. Which is which is decided as `diff` decides it; functions that it
//! adds up, because their names differ only in what changes from build to build, have their older cost at the first of them.

use crate::analysis::Label;
use crate::analysis::difference::{ArcPair, Exactness, Matching, Rules, Shifts};
use crate::profile::costs::NEVER;
use crate::profile::{CallEdge, Event, FunctionId, NameId, Order, Profile};
use std::collections::HashMap;

/// The older run, in the columns of the newer.
pub struct Before {
    functions: Vec<Option<Was>>,
    arcs: HashMap<(FunctionId, FunctionId), Vec<i64>>,
    /// Calls that the newer run does not have, by the caller and by the callee where it has those.
    calls_gone: [Vec<(FunctionId, CallGone)>; 2],
    /// The lines of functions that both runs have, by their places; each with the place of its costs.
    lines: Vec<(PlacedLine, usize)>,
    /// A row a line.
    line_costs: Vec<i64>,
    /// Functions that the newer run does not have, dearest first.
    pub(super) gone: Vec<Gone>,
    /// The totals of the older run.
    pub(super) totals: Vec<i64>,
}

/// A function, a file, and the line where it stands or would stand in the newer run.
type PlacedLine = (FunctionId, NameId, u64);

/// What a function cost.
#[derive(Default)]
pub(super) struct Was {
    pub(super) own: Vec<i64>,
    pub(super) inclusive: Vec<i64>,
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
    pub(super) was: Was,
}

impl Before {
    /// Compares two runs.
    pub fn new(old: &Profile, new: &Profile) -> Before {
        let rules = Rules { exactness: Exactness::Normalised, paths: Vec::new(), functions: Vec::new() };
        let matching = Matching::new(old, new, &rules);
        // The events that both have are those of the comparison; counts go where the newer run has them.
        let known = |name: &Vec<u8>| match matching.old.profile.events.find(name) {
            Some(Event::Recorded(at)) => Some(at),
            Some(Event::Derived(_)) | None => None,
        };
        let columns = new.events.recorded().iter().map(known).collect();
        Comparing { new, matching: &matching, columns }.all()
    }

    /// What the lines of a function cost in a file.
    pub(super) fn lines(&self, id: FunctionId, file: NameId) -> impl Iterator<Item = (u64, &[i64])> {
        let (from, to) = ((id, file, 0), (id, file, u64::MAX));
        let from = self.lines.partition_point(|(key, _)| *key < from);
        let lines = self.lines[from..].iter().take_while(move |(key, _)| *key <= to);
        let columns = self.line_costs.len() / self.lines.len().max(1);
        lines.map(move |&((.., line), at)| (line, self.line_costs.get(at..at + columns).unwrap_or_default()))
    }

    /// The files that had at least a hundredth of a function, its calls included, by what is counted.
    pub(super) fn files(&self, id: FunctionId, count: impl Fn(&[i64]) -> i64) -> Vec<NameId> {
        let whole = self.function(id).map_or(0, |was| count(&was.inclusive)).unsigned_abs();
        let from = self.lines.partition_point(|((function, ..), _)| *function < id);
        let lines = self.lines[from..].iter().take_while(|((function, ..), _)| *function == id);
        let mut files: Vec<NameId> = lines.map(|((_, file, _), _)| *file).collect();
        files.dedup();
        files.retain(|&file| {
            let sum = self.lines(id, file).fold(0i64, |sum, (_, cost)| sum.saturating_add(count(cost)));
            sum != 0 && u128::from(sum.unsigned_abs()) * 100 >= u128::from(whole)
        });
        files
    }

    /// What a line cost; nothing if it cost nothing there.
    pub(super) fn line(&self, id: FunctionId, file: NameId, line: u64) -> &[i64] {
        let at = self.lines.partition_point(|(key, _)| *key < (id, file, line));
        let known = self.lines.get(at).filter(|(key, _)| *key == (id, file, line));
        let columns = self.line_costs.len() / self.lines.len().max(1);
        known.and_then(|&(_, at)| self.line_costs.get(at..at + columns)).unwrap_or_default()
    }

    /// What a function cost; nothing if its older cost stands elsewhere.
    pub(super) fn function(&self, id: FunctionId) -> Option<&Was> {
        self.functions.get(id.index())?.as_ref()
    }

    /// Calls by a function that the newer run does not have.
    pub(super) fn callees_gone(&self, id: FunctionId) -> impl Iterator<Item = &CallGone> {
        of(&self.calls_gone[0], id)
    }

    /// Calls of a function that the newer run does not have.
    pub(super) fn callers_gone(&self, id: FunctionId) -> impl Iterator<Item = &CallGone> {
        of(&self.calls_gone[1], id)
    }

    /// What the calls of one function by another cost.
    pub(super) fn arc(&self, caller: FunctionId, callee: FunctionId) -> &[i64] {
        self.arcs.get(&(caller, callee)).map_or(&[], |cost| &cost[..])
    }
}

/// Two runs, whose functions are matched.
struct Comparing<'m> {
    new: &'m Profile,
    matching: &'m Matching<'m>,
    /// Where the old run has the events of the newer.
    columns: Vec<Option<usize>>,
}

impl Comparing<'_> {
    fn all(&self) -> Before {
        let (gone, place_of_gone) = self.gone();
        let (lines, line_costs) = self.lines();
        let calls_gone = self.calls_gone(&place_of_gone);
        let totals = self.row(&self.matching.old.profile.totals.row);
        Before { functions: self.functions(), arcs: self.arcs(), calls_gone, lines, line_costs, gone, totals }
    }

    /// A row of the old run, in the columns of the newer.
    fn row(&self, row: &[i64]) -> Vec<i64> {
        self.columns.iter().map(|at| at.and_then(|at| row.get(at)).copied().unwrap_or(NEVER)).collect()
    }

    fn was(&self, old: FunctionId) -> Was {
        let side = &self.matching.old;
        Was { own: self.row(side.profile.self_cost(old)), inclusive: self.row(side.inclusive.cost(old)) }
    }

    /// The function of the newer run that has what a pair cost before.
    fn newer(&self, pair: usize) -> Option<FunctionId> {
        Some(self.matching.new.first(self.matching.pairs.get(pair)?.new?))
    }

    fn functions(&self) -> Vec<Option<Was>> {
        let mut functions: Vec<Option<Was>> = self.new.function_ids().map(|_| None).collect();
        for pair in &self.matching.pairs {
            if let Some(new) = pair.new {
                let was = pair.old.map(|old| self.was(old)).unwrap_or_default();
                functions[self.matching.new.first(new).index()] = Some(was);
            }
        }
        functions
    }

    /// Functions that the newer run does not have, dearest first, and the places of their pairs among them.
    fn gone(&self) -> (Vec<Gone>, HashMap<usize, usize>) {
        let mut gone = Vec::new();
        for (at, pair) in self.matching.pairs.iter().enumerate() {
            if let (Some(old), None) = (pair.old, pair.new) {
                let Label { name, file, .. } = self.matching.old.label(old);
                gone.push((at, Gone { name: name.bytes().to_vec(), file: file.to_vec(), was: self.was(old) }));
            }
        }
        gone.order_by(|(_, a), (_, b)| {
            b.was.own.cmp(&a.was.own).then_with(|| (&a.file, &a.name).cmp(&(&b.file, &b.name)))
        });
        let places = gone.iter().enumerate().map(|(place, &(pair, _))| (pair, place)).collect();
        (gone.into_iter().map(|(_, gone)| gone).collect(), places)
    }

    fn arcs(&self) -> HashMap<(FunctionId, FunctionId), Vec<i64>> {
        let old = &self.matching.old;
        let newer = |id| self.newer(old.pair(id));
        let arc = |arc: &CallEdge| {
            let ends = (newer(arc.caller)?, newer(arc.callee)?);
            Some((ends, self.row(old.profile.arc_cost(arc))))
        };
        old.profile.arcs.iter().filter_map(arc).collect()
    }

    /// Calls that the newer run does not have, by the caller and by the callee.
    fn calls_gone(&self, place_of_gone: &HashMap<usize, usize>) -> [Vec<(FunctionId, CallGone)>; 2] {
        let call_gone = |(other, arcs): (usize, ArcPair<'_>)| {
            let (Some(old), None) = (arcs.old, arcs.new) else { return None };
            let gone = || place_of_gone.get(&other).copied().map(End::Gone);
            let other = self.newer(other).map(End::Function).or_else(gone)?;
            let is_recursive = self.matching.old.is_recursive(old);
            let cost = if is_recursive { Vec::new() } else { self.row(self.matching.old.profile.arc_cost(old)) };
            Some(CallGone { other, cost })
        };
        let mut calls = [Vec::new(), Vec::new()];
        // Of calls that nobody recorded none is gone.
        if !self.matching.new.knows_calls() || self.matching.new.states_calls() {
            return calls;
        }
        for (at, pair) in self.matching.pairs.iter().enumerate() {
            let (Some(_), Some(function)) = (pair.old, self.newer(at)) else { continue };
            let arcs = [self.matching.arcs_from(*pair), self.matching.arcs_to(*pair)];
            for (calls, arcs) in calls.iter_mut().zip(arcs) {
                calls.extend(arcs.into_iter().filter_map(call_gone).map(|call| (function, call)));
            }
        }
        for calls in &mut calls {
            calls.order_by_key(|(function, _)| *function);
        }
        calls
    }

    /// The lines of functions that both runs have, and their costs.
    fn lines(&self) -> (Vec<(PlacedLine, usize)>, Vec<i64>) {
        let (mut lines, mut costs) = (Vec::new(), Vec::new());
        let Matching { old, new, pairs, .. } = self.matching;
        let shifts = Shifts::new(self.matching);
        for (at, pair) in pairs.iter().enumerate() {
            let (Some(older), Some(function)) = (pair.old, self.newer(at)) else { continue };
            for line in old.profile.lines_of(older) {
                let file = Some(new.file(line.file)).filter(|_| new.has_file(line.file));
                // Of what moved to before the file's first line, or is in no line of it, nothing is shown.
                let place = match shifts.place(at, line.file, line.line) {
                    None => Some(0),
                    Some(_) if shifts.is_removed(at, line.file) => None,
                    Some(place) => u64::try_from(place).ok().filter(|&place| place > 0),
                };
                if let (Some(file), Some(place)) = (file.and_then(|file| self.new.names.find(file)), place) {
                    lines.push(((function, file, place), costs.len()));
                    costs.extend(self.row(old.profile.line_cost(line)));
                }
            }
        }
        lines.sort_unstable();
        (lines, costs)
    }
}

/// Those of one function, in a list by function.
fn of(calls: &[(FunctionId, CallGone)], id: FunctionId) -> impl Iterator<Item = &CallGone> {
    let from = calls.partition_point(|(function, _)| *function < id);
    calls[from..].iter().take_while(move |(function, _)| *function == id).map(|(_, call)| call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Options, read_from};

    /// The function moved up by five lines, and with it the fifth, which the new file no longer has. What was at a line that
    /// is not known is another thing.
    #[test]
    fn a_line_that_moved_out_of_the_file_is_no_unknown_one() {
        let read = |lines: &str| {
            let text = format!("events: Ir\nfl=a.c\nfn=f\n{lines}");
            read_from("p", text.as_bytes(), &Options::all()).expect("a profile")
        };
        for (unknown, was) in [("0 100\n", &[100][..]), ("", &[])] {
            let (old, new) = (read(&format!("{unknown}5 7\n10 20\n11 30\n")), read("0 90\n5 20\n6 30\n"));
            let before = Before::new(&old, &new);
            let id = new.function_ids().next().expect("f");
            let line = |line| before.line(id, new.function(id).file, line);
            assert_eq!([0, 5, 6].map(line), [was, &[20], &[30]], "{unknown:?}");
        }
    }
}
