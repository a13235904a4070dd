//! Makes what the screens know of an older run, from the matching of both.

use super::before::{Arc, Before, CallGone, End, Gone, Known, Lines, Together, Was};
use super::sums::{Homes, Sums};
use crate::analysis::Label;
use crate::analysis::cut::nowhere;
use crate::analysis::difference::{
    ArcPair, Exactness, Matching, Pair, Rules, Shifts, Side, doubts,
};
use crate::profile::costs::NEVER;
use crate::profile::{CallEdge, Event, FunctionId, Line, Order, Profile};
use std::collections::HashMap;
use std::sync;

/// Compares two runs.
pub(super) fn compared(old: &Profile, new: &Profile) -> Before {
    let rules = Rules {
        exactness: Exactness::Normalised,
        paths: Vec::new(),
        functions: Vec::new(),
    };
    let matching = Matching::new(old, new, &rules);
    Comparing::new(new, &matching).all(doubts_of(&matching))
}

/// Two runs, whose functions are matched.
struct Comparing<'m> {
    new: &'m Profile,
    matching: &'m Matching<'m>,
    /// Where the comparison has the events of the newer run.
    columns: Vec<Option<usize>>,
}

impl<'m> Comparing<'m> {
    fn new(new: &'m Profile, matching: &'m Matching<'m>) -> Comparing<'m> {
        let (_, _, shared) = matching.old.original.events.shared(&new.events);
        let column = |at: usize| shared.iter().position(|&column| column == at);
        Comparing {
            new,
            matching,
            columns: (0..new.events.recorded().len()).map(column).collect(),
        }
    }

    fn all(&self, doubts: Vec<String>) -> Before {
        let (gone, place_of_gone) = self.gone();
        let old = &self.matching.old;
        let (lines, lines_now) = self.lines();
        let new = &self.matching.new;
        let calls = match () {
            () if !old.knows_calls() || !new.knows_calls() => Known::Nothing,
            () if old.states_calls() || new.states_calls() => Known::Inclusive,
            () => Known::Arcs,
        };
        Before {
            stands: self.new.function_ids().map(|id| self.stands(id)).collect(),
            together: self.together(),
            inclusive_now: self.inclusive_now(),
            functions: self.functions(),
            arcs: self.arcs(),
            calls_gone: self.calls_gone(&place_of_gone),
            lines,
            lines_now,
            gone,
            sums: Sums::of_older(self.matching).in_columns(|row| self.row(row)),
            totals: self.row(&old.profile.totals.row),
            nowhere: self.row(&nowhere(&old.profile)),
            shared: self.columns.iter().map(Option::is_some).collect(),
            calls,
            doubts,
        }
    }

    /// A row of the comparison, in the columns of the newer run.
    fn row(&self, row: &[i64]) -> Vec<i64> {
        self.counts(row).collect()
    }

    fn counts(&self, row: &[i64]) -> impl Iterator<Item = i64> {
        self.columns
            .iter()
            .map(|at| at.and_then(|at| row.get(at)).copied().unwrap_or(NEVER))
    }

    /// What a pair cost in the older run.
    fn was(&self, pair: Pair) -> Was {
        let side = &self.matching.old;
        let own = pair
            .old
            .map_or_else(Vec::new, |old| self.row(side.profile.self_cost(old)));
        let inclusive = || {
            pair.old
                .map_or_else(Vec::new, |old| self.row(side.inclusive.cost(old)))
        };
        Was {
            own,
            inclusive: self.matching.knows_inclusive(pair).then(inclusive),
        }
    }

    /// The function of the newer run that stands for a pair.
    fn newer(&self, pair: usize) -> Option<FunctionId> {
        Some(self.matching.new.first(self.matching.pairs.get(pair)?.new?))
    }

    /// The function that stands for one of the newer run.
    fn stands(&self, id: FunctionId) -> FunctionId {
        self.matching
            .new
            .pair_of_original(id)
            .and_then(|pair| self.newer(pair))
            .unwrap_or(id)
    }

    /// Whether several functions of the newer run are one here.
    fn is_several(&self, new: FunctionId) -> bool {
        self.matching.new.members(new) > 1
    }

    fn functions(&self) -> Vec<Option<Was>> {
        let mut functions: Vec<Option<Was>> = self.new.function_ids().map(|_| None).collect();
        for pair in &self.matching.pairs {
            if let Some(new) = pair.new {
                functions[self.matching.new.first(new).index()] = Some(self.was(*pair));
            }
        }
        functions
    }

    fn together(&self) -> HashMap<FunctionId, Together> {
        let side = &self.matching.new;
        let several = side
            .profile
            .function_ids()
            .filter(|&id| self.is_several(id));
        let together = several.map(|id| {
            let own = self.row(side.profile.self_cost(id));
            (
                side.first(id),
                Together {
                    members: side.members(id),
                    own,
                },
            )
        });
        together.collect()
    }

    fn inclusive_now(&self) -> HashMap<FunctionId, Vec<i64>> {
        let side = &self.matching.new;
        let ids = || side.profile.function_ids();
        if !ids().any(|id| self.is_several(id)) {
            return HashMap::new();
        }
        ids()
            .map(|id| (side.first(id), self.row(side.inclusive.cost(id))))
            .collect()
    }

    /// Functions that the newer run does not have, dearest first, and the places of their pairs among them.
    fn gone(&self) -> (Vec<Gone>, HashMap<usize, usize>) {
        let (homes, mut known, mut gone) = (Homes::new(self.matching), HashMap::new(), Vec::new());
        // Many are of one object and of one file: a name is kept once.
        let mut kept =
            |name: &'m [u8]| sync::Arc::clone(known.entry(name).or_insert_with(|| name.into()));
        for (at, pair) in self.matching.pairs.iter().enumerate() {
            if let (Some(old), None) = (pair.old, pair.new) {
                let Label { name, file, .. } = self.matching.old.label(old);
                let groups = homes.of(*pair, old).map(&mut kept);
                gone.push((
                    at,
                    Gone {
                        name: name.bytes().to_vec(),
                        file: file.to_vec(),
                        groups,
                        was: self.was(*pair),
                    },
                ));
            }
        }
        gone.order_by(|(_, a), (_, b)| {
            b.was
                .own
                .cmp(&a.was.own)
                .then_with(|| (&a.file, &a.name).cmp(&(&b.file, &b.name)))
        });
        let places = gone
            .iter()
            .enumerate()
            .map(|(place, &(pair, _))| (pair, place))
            .collect();
        (gone.into_iter().map(|(_, gone)| gone).collect(), places)
    }

    /// What an arc of a side costs; nothing within recursion.
    fn arc_cost(&self, side: &Side<'_>, arc: &CallEdge) -> Option<Vec<i64>> {
        (!side.is_recursive(arc)).then(|| self.row(side.profile.arc_cost(arc)))
    }

    fn arcs(&self) -> HashMap<(FunctionId, FunctionId), Arc> {
        let Matching { old, new, .. } = self.matching;
        let ends = |side: &Side<'_>, arc: &CallEdge| {
            Some((
                self.newer(side.pair(arc.caller))?,
                self.newer(side.pair(arc.callee))?,
            ))
        };
        let mut arcs: HashMap<_, Arc> = HashMap::new();
        for arc in &old.profile.arcs {
            if let Some(ends) = ends(old, arc) {
                arcs.entry(ends).or_default().was = self.arc_cost(old, arc);
            }
        }
        let differs = |arc: &CallEdge| {
            self.is_several(arc.caller) || self.is_several(arc.callee) || new.is_recursive(arc)
        };
        for arc in new.profile.arcs.iter().filter(|arc| differs(arc)) {
            if let Some(ends) = ends(new, arc) {
                let now = self.arc_cost(new, arc);
                // Calls that only the newer run has cost nothing before; those within recursion have no cost of their own.
                let arc = arcs.entry(ends).or_insert_with(|| Arc {
                    was: Some(Vec::new()),
                    now: None,
                });
                arc.was.take_if(|_| now.is_none());
                arc.now = now;
            }
        }
        arcs
    }

    /// Calls that the newer run does not have, by the caller and by the callee.
    fn calls_gone(
        &self,
        place_of_gone: &HashMap<usize, usize>,
    ) -> [Vec<(FunctionId, CallGone)>; 2] {
        let call_gone = |(other, arcs): (usize, ArcPair<'_>)| {
            let (Some(old), None) = (arcs.old, arcs.new) else {
                return None;
            };
            let gone = || place_of_gone.get(&other).copied().map(End::Gone);
            let other = self.newer(other).map(End::Function).or_else(gone)?;
            let cost = self.arc_cost(&self.matching.old, old).unwrap_or_default();
            Some(CallGone { other, cost })
        };
        let mut calls = [Vec::new(), Vec::new()];
        // Of calls that nobody recorded none is gone.
        if !self.matching.new.knows_calls() || self.matching.new.states_calls() {
            return calls;
        }
        for (at, pair) in self.matching.pairs.iter().enumerate() {
            let (Some(_), Some(function)) = (pair.old, self.newer(at)) else {
                continue;
            };
            let arcs = [self.matching.arcs_from(*pair), self.matching.arcs_to(*pair)];
            for (calls, arcs) in calls.iter_mut().zip(arcs) {
                calls.extend(
                    arcs.into_iter()
                        .filter_map(call_gone)
                        .map(|call| (function, call)),
                );
            }
        }
        for calls in &mut calls {
            calls.order_by_key(|(function, _)| *function);
        }
        calls
    }

    /// The lines of the newer run's functions: what they cost, and what those of functions that are compared as one cost now.
    fn lines(&self) -> (Lines, Lines) {
        let Matching {
            old, new, pairs, ..
        } = self.matching;
        let shifts = Shifts::new(self.matching);
        let file = |line: &Line| {
            self.new
                .names
                .find(Some(new.file(line.file)).filter(|_| new.has_file(line.file))?)
        };
        let (mut was, mut now) = (
            Lines::new(self.columns.len()),
            Lines::new(self.columns.len()),
        );
        for (at, pair) in pairs.iter().enumerate() {
            let (Some(newer), Some(function)) = (pair.new, self.newer(at)) else {
                continue;
            };
            for line in pair
                .old
                .map_or(&[][..], |older| old.profile.lines_of(older))
            {
                // Of what moved to before the file's first line, or is in no line of it, nothing is shown.
                let place = match shifts.place(at, line.file, line.line) {
                    None => Some(0),
                    Some(_) if shifts.is_removed(at, line.file) => None,
                    Some(place) => u64::try_from(place).ok().filter(|&place| place > 0),
                };
                if let Some((file, place)) = file(line).zip(place) {
                    was.push(
                        (function, file, place),
                        self.counts(old.profile.line_cost(line)),
                    );
                }
            }
            let lines = new
                .profile
                .lines_of(newer)
                .iter()
                .filter(|_| self.is_several(newer));
            for (line, file) in lines.filter_map(|line| Some((line, file(line)?))) {
                now.push(
                    (function, file, line.line),
                    self.counts(new.profile.line_cost(line)),
                );
            }
        }
        (was.ordered(), now.ordered())
    }
}

/// What makes a comparison doubtful, and what was wrong with the older run's inputs.
fn doubts_of(matching: &Matching<'_>) -> Vec<String> {
    let (old, new) = (matching.old.original, matching.new.original);
    let mut doubts = doubts::doubts(old, new);
    let events = matching.events();
    let mut changed = (0..events.recorded().len())
        .map(Event::Recorded)
        .filter(|&event| matching.has_changed(event));
    let unpaired = changed
        .next()
        .and_then(|event| doubts::unpaired(matching, event));
    doubts.extend(
        unpaired.map(|shares| format!("{shares}; `diff` can bring names together that changed")),
    );
    doubts.extend(
        old.warnings
            .kept()
            .iter()
            .map(|warning| format!("in the old run: {warning}")),
    );
    let kept = old.warnings.kept().len() as u64;
    let all: u64 = old.warnings.counts().iter().map(|&(_, count)| count).sum();
    doubts.extend((all > kept).then(|| format!("in the old run: {} more warnings", all - kept)));
    doubts
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
            let (old, new) = (
                read(&format!("{unknown}5 7\n10 20\n11 30\n")),
                read("0 90\n5 20\n6 30\n"),
            );
            let before = compared(&old, &new);
            let id = new.function_ids().next().expect("f");
            let line = |line| before.line(id, new.function(id).file, line);
            assert_eq!(
                [0, 5, 6].map(|at| line(at).0),
                [was, &[20], &[30]],
                "{unknown:?}"
            );
        }
    }
}
