//! Compares two profiles: which functions are the same, what each cost before and after, and why.
//!
//! [`Matching`] matches two profiles, and [`Difference`] compares them. The listed rows, unlisted
//! changes, unchanged functions and costs outside of functions add up to the totals, count by
//! count. Swapping old and new negates every change and alters nothing else, except for causes,
//! which start from the old run.

mod builds;
mod causes;
mod change;
pub mod doubts;
mod groups;
mod lines;
mod matching;
pub mod names;
mod namespaces;
pub(crate) mod objects;
mod paths;
mod raw;
mod renames;
mod shifts;
mod siblings;
mod sides;

pub use self::{
    causes::{Caller, CallerShare, Cause, ChangedCode, Inside, Split},
    change::{Change, ChangeFrame, ChangeRef, UnlistedChange},
    groups::{ChangedGroup, GroupDifference},
    lines::{ChangedLineRow, FileChanges},
    names::{Exactness, Matches, Rewrite, Rules},
    shifts::Shifts,
    sides::{ArcPair, How, Matching, OldOrNew, Pair, ProfileRef, Side},
};

use super::{Estimate, Label, Selection, ranking::to_front};
use crate::profile::{Event, Events, NameId, Order, SortKey};
use change::{ChangeRanking, RankingInput};
use std::collections::{BTreeMap, HashSet};

/// The cost that orders functions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Cost {
    /// Self cost: the rows add up.
    #[default]
    Own,
    /// Inclusive cost: callers contain their callees.
    Inclusive,
}

/// One function of the comparison.
#[derive(Clone, Debug)]
pub struct ChangedFunction<'m> {
    /// Its index in [`Matching::pairs`].
    pub at: usize,
    /// The functions of both runs.
    pub pair: Pair,
    /// Its label in the old run.
    pub old: Option<Label<'m>>,
    /// Its label in the new run.
    pub new: Option<Label<'m>>,
    /// How many functions of the old and of the new run were merged into it. Their names only
    /// differ in the parts that change from build to build.
    pub members: (u32, u32),
    /// Self cost.
    pub own: Change,
    /// For each event shown, the bounds of the change if the cost is an estimate in either run.
    pub estimated: Vec<Option<Estimate>>,
    /// Inclusive cost; empty unless it is known for each run that has the function.
    pub inclusive: Change,
    /// Whether the inclusive cost is known.
    pub knows_inclusive: bool,
    /// Why the inclusive cost changed.
    pub cause: Cause<'m>,
    /// For each event shown, the change of the inclusive cost in terms of calls.
    pub splits: Vec<Option<Split>>,
}

/// The functions that changed.
pub struct Difference<'m> {
    /// The two profiles.
    pub matching: &'m Matching<'m>,
    /// The indices of the functions that changed most, the largest change first. A whole row is
    /// much larger than its index, so rows are built on demand.
    pub(crate) listed: Vec<usize>,
    shifts: &'m Shifts,
    selection: &'m Selection,
    /// The other parts of the list.
    pub frame: ChangeFrame,
    /// Functions that only the new run has.
    pub appeared: UnlistedChange,
    /// Functions that only the old run has.
    pub disappeared: UnlistedChange,
    /// The cost that orders rows.
    pub by: Cost,
}

impl<'a> Matching<'a> {
    /// The label of a function in the new run, or else in the old one.
    pub fn label(&self, pair: usize) -> Option<Label<'_>> {
        let [old, new] = self.labels(pair);
        new.or(old)
    }

    /// The labels of a pair in the old run and in the new one.
    pub fn labels(&self, pair: usize) -> [Option<Label<'_>>; 2] {
        self.both(self.pairs[pair].ids(), Side::label)
    }

    /// The sort key of functions with equal cost. It does not depend on which side is old.
    pub(crate) fn sort_key(&self, pair: usize) -> SortKey<'_> {
        let keys = self.both(self.pairs[pair].ids(), |side, id| side.profile.sort_key(id));
        keys.into_iter().flatten().min().unwrap_or_default()
    }

    /// The self costs of a pair.
    pub(crate) fn own(&self, pair: Pair) -> ChangeRef<'_> {
        self.change(pair.ids(), |side, id| side.profile.self_cost(id))
    }

    /// The bounds of the change of self cost, if it is an estimate in either run.
    pub(crate) fn estimated(&self, pair: Pair, event: Event) -> Option<Estimate> {
        let known = self.both(pair.ids(), |side, id| {
            side.estimate(id, (self.events(), event))
        });
        let [old, new] = known.map(|known| known.unwrap_or(Estimate::exact(0)));
        let change = Estimate::new(
            new.value - old.value,
            new.least - old.most,
            new.most - old.least,
        );
        Some(change).filter(|change| !change.is_exact())
    }

    /// Whether the inclusive costs of both runs are known.
    pub(crate) fn has_inclusive(&self) -> bool {
        self.old.original.has_inclusive() && self.new.original.has_inclusive()
    }

    /// Whether inclusive costs are known for each run that has the pair. A cost that only one run
    /// knows is not a change.
    pub(crate) fn knows_inclusive(&self, pair: Pair) -> bool {
        !self
            .both(pair.ids(), Side::knows_inclusive)
            .contains(&Some(false))
    }

    /// The inclusive costs of a pair; empty if unknown.
    pub(crate) fn inclusive(&self, pair: Pair) -> ChangeRef<'_> {
        if !self.knows_inclusive(pair) {
            return ChangeRef::default();
        }
        self.change(pair.ids(), |side, id| side.inclusive.cost(id))
    }

    fn total(&self) -> Change {
        Change {
            old: self.old.profile.totals.row.clone(),
            new: self.new.profile.totals.row.clone(),
        }
    }
}

impl<'m> Difference<'m> {
    /// Compares two profiles. The selection refers to [`Matching::events`].
    pub fn new(
        matching: &'m Matching<'m>,
        shifts: &'m Shifts,
        selection: &'m Selection,
        by: Cost,
    ) -> Difference<'m> {
        let events = matching.events();
        let own = |at: usize| matching.own(matching.pairs[at]);
        // Without inclusive cost, the self cost decides whether the function changed.
        let change = |at: usize| match matching.pairs[at] {
            pair if by == Cost::Inclusive && matching.knows_inclusive(pair) => {
                matching.inclusive(pair)
            }
            pair => matching.own(pair),
        };
        let tie = |a: usize, b: usize| {
            matching
                .sort_key(a)
                .cmp(&matching.sort_key(b))
                .then(a.cmp(&b))
        };
        let wanted = wanted(matching, selection);
        let wanted = &|at: usize| wanted.as_ref().is_none_or(|wanted| wanted[at]);
        let count = matching.pairs.len();
        let ranked = RankingInput {
            events,
            selection,
            count,
            change,
            sum: &own,
            wanted,
        };
        let ranking = ranked.ranking(by, tie);
        let (mut appeared, mut disappeared) =
            (UnlistedChange::default(), UnlistedChange::default());
        for (at, pair) in matching.pairs.iter().enumerate() {
            match (pair.old, pair.new) {
                (None, _) => appeared.add(own(at)),
                (_, None) => disappeared.add(own(at)),
                _ => {}
            }
        }
        let rows = (0..count).map(own);
        Difference {
            matching,
            frame: ranking.frame.within(matching.total(), rows),
            listed: ranking.listed,
            shifts,
            selection,
            appeared,
            disappeared,
            by,
        }
    }

    /// The functions that changed most, the largest change first. Each call builds the rows again.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = ChangedFunction<'m>> + Clone {
        self.listed.iter().map(|&at| self.row(at))
    }

    /// The row of a function, an index in [`Matching::pairs`].
    pub(crate) fn row(&self, at: usize) -> ChangedFunction<'m> {
        ChangedFunction::new(self.matching, self.shifts, self.selection, at)
    }

    /// The self cost of a function, by its index.
    pub(crate) fn own(&self, at: usize) -> ChangeRef<'m> {
        self.matching.own(self.matching.pairs[at])
    }

    /// The inclusive cost of a function, by its index; empty if unknown.
    pub(crate) fn inclusive(&self, at: usize) -> ChangeRef<'m> {
        self.matching.inclusive(self.matching.pairs[at])
    }

    /// The events that rows are counted in.
    pub fn events(&self) -> &'m Events {
        self.matching.events()
    }
}

impl<'m> ChangedFunction<'m> {
    /// One function of a comparison, by its index in [`Matching::pairs`].
    pub fn new(
        matching: &'m Matching<'m>,
        shifts: &Shifts,
        selection: &Selection,
        at: usize,
    ) -> ChangedFunction<'m> {
        let (pair, events) = (matching.pairs[at], matching.events());
        let (own, inclusive) = (
            matching.own(pair).to_change(),
            matching.inclusive(pair).to_change(),
        );
        let first = selection.first_event();
        let cause = Cause::new(matching, shifts, at, first);
        let splits = (selection.show.iter())
            .map(|&event| {
                if event.is_ratio() {
                    return None;
                }
                let calls = if cause.in_cycle.is_some() {
                    (0, 0)
                } else {
                    cause.counted()
                };
                Split::new(calls, inclusive.counted(events, event).into())
            })
            .collect();
        let estimated = selection
            .show
            .iter()
            .map(|&event| matching.estimated(pair, event))
            .collect();
        let ([old, new], members) = (
            matching.labels(at),
            matching.both(pair.ids(), Side::members),
        );
        ChangedFunction {
            at,
            pair,
            estimated,
            old,
            new,
            members: members.map(Option::unwrap_or_default).into(),
            own,
            inclusive,
            knows_inclusive: matching.knows_inclusive(pair),
            cause,
            splits,
        }
    }

    /// Its label in the new run, or else in the old one.
    pub fn label(&self) -> Label<'m> {
        let nameless = Label::plain(b"???", b"???");
        self.new.or(self.old).unwrap_or(nameless)
    }
}

/// Whether each pair is wanted: a name in either run must match, and neither may be excluded.
/// `None` if all are wanted.
fn wanted(matching: &Matching<'_>, selection: &Selection) -> Option<Vec<bool>> {
    if selection.narrow.is_nothing() {
        return None;
    }
    let mut wanted = vec![false; matching.pairs.len()];
    for side in matching.sides() {
        side.pairs_of(&selection.narrow)
            .for_each(|at| wanted[at] = true);
    }
    let excluding = selection.narrow.excluding();
    for (run, side) in matching.sides().into_iter().enumerate() {
        let stays: HashSet<usize> = side.pairs_of(&excluding).collect();
        for (at, pair) in matching.pairs.iter().enumerate() {
            wanted[at] &= pair.ids()[run].is_none() || stays.contains(&at);
        }
    }
    Some(wanted)
}

/// The lines that changed.
pub struct LineDifference<'m> {
    /// The two profiles.
    pub matching: &'m Matching<'m>,
    /// The parts of the list that are not rows.
    pub frame: ChangeFrame,
    /// All lines: those that changed, by file and place, then those that did not.
    rows: Vec<ChangedLineRow<'m>>,
    /// The indices of the lines that changed most, the largest change first.
    listed: Vec<usize>,
    /// The pairs that the filters accept; `None` if they accept all.
    wanted: Option<Vec<bool>>,
    selection: &'m Selection,
}

impl<'m> LineDifference<'m> {
    /// Compares two profiles line by line.
    pub fn new(
        matching: &'m Matching<'m>,
        shifts: &Shifts,
        selection: &'m Selection,
    ) -> LineDifference<'m> {
        let events = matching.events();
        let is_any = |row: &ChangedLineRow<'_>| row.cost(matching).is_any(events, selection);
        let mut rows = lines::rows(matching, shifts);
        let count = to_front(&mut rows, is_any);
        lines::by_place(&mut rows[..count], matching);
        let wanted = wanted(matching, selection);
        let is_wanted = |at: usize| is_wanted(&rows[at], matching, selection, wanted.as_deref());
        let change = |at: usize| rows[at].cost(matching);
        let ranked = RankingInput {
            events,
            selection,
            count,
            change,
            sum: &change,
            wanted: &is_wanted,
        };
        let ChangeRanking { listed, mut frame } = ranked.ranking(Cost::Own, |a, b| a.cmp(&b));
        rows[count..]
            .iter()
            .for_each(|row| frame.unchanged.add(row.cost(matching)));
        let costs = rows.iter().map(|row| row.cost(matching));
        LineDifference {
            matching,
            frame: frame.within(matching.total(), costs),
            rows,
            listed,
            wanted,
            selection,
        }
    }

    /// The lines that changed most, the largest change first.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &ChangedLineRow<'m>> + Clone {
        self.listed.iter().map(|&at| &self.rows[at])
    }

    /// The path and the line of a row in the new run, or else in the old one.
    pub fn place(&self, row: &ChangedLineRow<'_>) -> (&'m [u8], u64) {
        match (row.new_line(), row.old_line()) {
            (Some(line), _) => (self.matching.new.file(row.file), line),
            (None, Some(line)) => (self.matching.old.file(row.file), line),
            (None, None) => (b"???", 0),
        }
    }

    /// The new run's files with listed changes, or those in which these functions changed. The most
    /// changed come first, with all their lines that the filters accept.
    pub fn files(&self, functions: Option<&[usize]>) -> Vec<FileChanges<'_>> {
        let LineDifference {
            matching,
            selection,
            ..
        } = *self;
        let known = |row: &ChangedLineRow<'_>| row.file != NameId::UNKNOWN && row.place > 0;
        let left = |row: &&ChangedLineRow<'_>| {
            known(row) && is_wanted(row, matching, selection, self.wanted.as_deref())
        };
        let of: HashSet<usize> = functions.unwrap_or_default().iter().copied().collect();
        let of_functions = self.rows.iter().filter(|row| {
            of.contains(&row.pair) && row.cost(matching).is_any(matching.events(), selection)
        });
        let mut found: BTreeMap<NameId, Vec<&ChangedLineRow<'_>>> = BTreeMap::new();
        for row in (self.rows().filter(|_| functions.is_none()))
            .chain(of_functions)
            .filter(|row| left(row) && matching.new.has_file(row.file))
        {
            found.entry(row.file).or_default();
        }
        for row in self.rows.iter().filter(left) {
            if let Some(rows) = found.get_mut(&row.file) {
                rows.push(row);
            }
        }
        let mut files: Vec<(u128, FileChanges<'_>)> = found
            .into_iter()
            .map(|(file, mut rows)| {
                rows.order_by_key(|row| row.place);
                let (removed, rows) = rows.into_iter().partition(|row| row.is_removed);
                let file = FileChanges {
                    name: matching.new.file(file),
                    rows,
                    removed,
                    matching,
                };
                let (events, first) = (matching.events(), selection.first_event());
                let lines = file.lines().chain(file.removed());
                let size = lines
                    .map(|(_, cost)| cost.delta(events, first).unsigned_abs())
                    .sum();
                (size, file)
            })
            .collect();
        files.order_by(|(size_of_a, a), (size_of_b, b)| {
            size_of_b.cmp(size_of_a).then_with(|| a.name.cmp(b.name))
        });
        files.into_iter().map(|(_, file)| file).collect()
    }
}

/// Whether the filters accept a line. `pairs` are the pairs that they accept, if not all.
fn is_wanted(
    row: &ChangedLineRow<'_>,
    matching: &Matching<'_>,
    selection: &Selection,
    pairs: Option<&[bool]>,
) -> bool {
    pairs
        .is_none_or(|pairs| pairs[row.pair] && selection.narrow.file.takes(matching.file(row.file)))
}
