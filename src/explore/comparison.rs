//! The comparison with an older run, as `diff` makes it. It maps functions and lines of the newer
//! run to those of the older one.

use super::place::Sort;
use crate::{
    analysis::{
        GroupBy,
        cut::nowhere,
        difference::{
            ArcPair, Change, ChangeRef, Exactness, Matching, Pair, Rules, Shifts, doubts,
        },
    },
    profile::{Event, FunctionId, NameId, Profile},
};
use std::{collections::BTreeMap, sync::Arc};

/// The counts in the old run and in the new run; `None` if the profile has no count.
pub(super) type CountPair = (Option<i64>, Option<i64>);

/// Two runs with matched functions.
pub struct RunComparison {
    pub(super) matching: Matching<'static>,
    shifts: Shifts,
    /// For each event of the newer run, the event of the comparison; `None` if the older run lacks
    /// it.
    events: Vec<Option<Event>>,
    /// Costs that are not attributed to any function, in both runs; empty if there are none.
    pub(super) nowhere: Change,
    /// Reasons to doubt the comparison, and the warnings about the older profile.
    pub(super) doubts: Vec<String>,
}

impl RunComparison {
    /// Compares two runs; `events` are those of the newer one.
    pub(super) fn new(old: Arc<Profile>, new: Arc<Profile>, events: &[Event]) -> RunComparison {
        let rules = Rules {
            exactness: Exactness::Normalised,
            ..Rules::default()
        };
        let matching = Matching::new(old, new, &rules);
        let Matching { old, new, .. } = &matching;
        let event = |&event| matching.events().find(new.original.events.name(event));
        RunComparison {
            events: events.iter().map(event).collect(),
            shifts: Shifts::new(&matching),
            nowhere: Change {
                old: nowhere(&old.profile),
                new: nowhere(&new.profile),
            },
            doubts: doubts_of(&matching),
            matching,
        }
    }

    /// The counts of an event of the newer run; `None` if the older run lacks the event.
    pub(super) fn counts(&self, event: usize, change: ChangeRef<'_>) -> Option<CountPair> {
        Some(change.counts(self.matching.events(), self.event(event)?))
    }

    fn event(&self, event: usize) -> Option<Event> {
        self.events[event]
    }

    /// The increase of the count.
    pub(super) fn delta(&self, event: usize, change: ChangeRef<'_>) -> i128 {
        let events = self.matching.events();
        self.event(event)
            .map_or(0, |event| change.delta(events, event))
    }

    /// Whether the older run has this event, too.
    pub(super) fn compares(&self, event: usize) -> bool {
        self.event(event).is_some()
    }

    /// The pair of a function, after its index.
    pub(super) fn pair(&self, id: FunctionId) -> Option<(usize, Pair)> {
        let at = self.matching.new.pair_of_original(id)?;
        Some((at, *self.matching.pairs.get(at)?))
    }

    /// The function of the newer run that represents a pair: the first of those that the comparison
    /// merges.
    pub(super) fn newer(&self, pair: usize) -> Option<FunctionId> {
        Some(self.matching.new.first(self.matching.pairs.get(pair)?.new?))
    }

    /// How many functions of the newer run the comparison merges with this one, itself included.
    pub(super) fn members(&self, id: FunctionId) -> u32 {
        let new = self.pair(id).and_then(|(_, pair)| pair.new);
        new.map_or(1, |new| self.matching.new.members(new))
    }

    /// The cost of a function in both runs, together with the functions that the comparison merges
    /// with it. `None` unless both runs have that cost.
    pub(super) fn function(&self, id: FunctionId, cost: Sort) -> Option<ChangeRef<'_>> {
        let (matching, (_, pair)) = (&self.matching, self.pair(id)?);
        if cost != Sort::Inclusive {
            return Some(matching.own(pair));
        }
        let runs = matching.sides();
        let is_known = matching.knows_inclusive(pair) && runs.iter().all(|run| run.knows_calls());
        is_known.then(|| matching.inclusive(pair))
    }

    /// The same for a row of a list. Only the first of several merged functions has a value.
    pub(super) fn listed(&self, id: FunctionId, cost: Sort) -> Option<ChangeRef<'_>> {
        let (at, _) = self.pair(id)?;
        self.function(id, cost)
            .filter(|_| self.newer(at) == Some(id))
    }

    /// Whether both runs recorded calls.
    pub(super) fn knows_arcs(&self) -> bool {
        let runs = self.matching.sides();
        runs.iter()
            .all(|run| run.knows_calls() && !run.states_calls())
    }

    /// The functions that only the older run has, each after the index of its pair.
    pub(super) fn gone(&self) -> impl Iterator<Item = (usize, FunctionId)> {
        let pairs = self.matching.pairs.iter().enumerate();
        let gone = pairs.filter(|(_, pair)| pair.new.is_none());
        gone.filter_map(|(at, pair)| Some((at, self.matching.old.first(pair.old?))))
    }

    /// The object, the file or the class of a function that only the older run has.
    pub(super) fn group_of(&self, gone: FunctionId, by: GroupBy) -> &[u8] {
        let old = &self.matching.old.original;
        by.name(old, gone, old.function(gone).file)
    }

    /// The cost of calls in both runs; `None` for recursive calls.
    pub(super) fn arc(&self, event: usize, arc: ArcPair<'_>) -> Option<CountPair> {
        let counts = self.counts(event, self.matching.arc_cost(arc));
        counts.filter(|_| !self.matching.is_recursive(arc))
    }

    /// The costs of a function's lines in both runs, by file and line of the newer run. A line that
    /// only the older run has gets the number it would have in the newer file.
    pub(super) fn lines(&self, id: FunctionId) -> BTreeMap<(NameId, u64), ChangeRef<'_>> {
        let Some((at, _)) = self.pair(id) else {
            return BTreeMap::new();
        };
        let new = &self.matching.new;
        let mut rows = Vec::new();
        self.matching.add_lines(&self.shifts, at, &mut rows);
        let lines = rows.into_iter().filter_map(|row| {
            let names = &new.original.names;
            let file = names.find(Some(new.file(row.file)).filter(|_| new.has_file(row.file))?)?;
            // Old lines without a valid line number in the new file are not shown.
            let line = u64::try_from(row.place).ok()?;
            let is_known = row.new_line().or(row.old_line()) != Some(0);
            let is_gone = row.is_removed && row.new_line().is_none() && is_known;
            (!is_gone && is_known == (line > 0)).then(|| ((file, line), row.cost(&self.matching)))
        });
        lines.collect()
    }
}

/// Reasons to doubt the comparison, and the warnings about the older profile.
fn doubts_of(matching: &Matching<'_>) -> Vec<String> {
    let (old, new) = (&matching.old.original, &matching.new.original);
    let mut doubts = doubts::doubts(old, new);
    let mut events = matching.events().stored();
    let changed = events.find(|&event| matching.has_changed(event));
    let unpaired = changed.and_then(|event| doubts::unpaired(matching, event));
    doubts.extend(
        unpaired.map(|shares| format!("{shares}; if names changed, `diff` can match them")),
    );
    let kept = old.warnings.kept();
    doubts.extend(
        kept.iter()
            .map(|warning| format!("in the old run: {warning}")),
    );
    let more = old.warnings.count() - kept.len() as u64;
    doubts.extend((more > 0).then(|| format!("in the old run: {more} more warnings")));
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{Options, read_from};

    /// The function moved up by five lines, so its old fifth line has no number in the new file.
    /// That differs from a cost at an unknown line.
    #[test]
    fn a_line_that_moved_out_of_the_file_is_no_unknown_one() {
        let read = |lines: &str| {
            let text = format!("events: Ir\nfl=a.c\nfn=f\n{lines}");
            Arc::new(read_from("p", text.as_bytes(), &Options::all()).expect("a profile"))
        };
        for (unknown, was) in [("0 100\n", &[100][..]), ("", &[])] {
            let (old, new) = (
                read(&format!("{unknown}5 7\n10 20\n11 30\n")),
                read("0 90\n5 20\n6 30\n"),
            );
            let events: Vec<Event> = new.events.all().collect();
            let before = RunComparison::new(old, Arc::clone(&new), &events);
            let id = new.function_ids().next().expect("f");
            let lines = before.lines(id);
            let line = |line| lines[&(new.function(id).file, line)].old;
            assert_eq!([0, 5, 6].map(line), [was, &[20], &[30]], "{unknown:?}");
        }
    }
}
