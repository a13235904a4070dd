//! Compares two profiles: which function is which, what each cost before and after, and why.
//!
//! [`Matching`] matches two profiles, [`Difference`] compares them. The listed rows, unlisted changes, unchanged
//! functions and costs outside of functions add up to the totals, count by count. Exchanging old and new negates every
//! change and alters nothing else, except for causes, which start from the old run.

mod causes;
mod change;
pub mod doubts;
mod lines;
mod matching;
pub mod names;
pub(crate) mod objects;
mod paths;
mod renames;
mod sides;

pub use causes::{Caller, CallerShare, Cause, ChangedCode, Inside, Split};
pub use change::{Change, UnlistedChange};
pub use lines::{FileChanges, LineRow, Shifts};
pub use matching::Rules;
pub use names::{Exactness, Matches, Rewrite};
pub use sides::{How, Matching, Pair, Side};

use super::{Estimate, Label, Selection};
use crate::profile::costs::{NEVER, extend_with};
use crate::profile::{Event, Events, FunctionId, NameId, Order, SortKey};
use change::{ChangeRanking, Ranked, Rows};
use std::collections::BTreeMap;

/// The cost that orders functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cost {
    /// Self cost: the rows add up.
    Own,
    /// Inclusive cost: callers contain their callees.
    Inclusive,
}

/// One function of the comparison.
#[derive(Clone, Debug)]
pub struct ChangedFunction<'m> {
    /// Which functions.
    pub pair: Pair,
    /// What the old run calls it.
    pub old: Option<Label<'m>>,
    /// What the new run calls it.
    pub new: Option<Label<'m>>,
    /// How many functions of the old and of the new run were merged into it, because their names differ only in what
    /// changes from build to build.
    pub members: (u32, u32),
    /// Self cost.
    pub own: Change,
    /// For each event that shows, what is known of the change of an own cost that is an estimate in either run.
    pub estimated: Vec<Option<Estimate>>,
    /// Inclusive cost.
    pub inclusive: Change,
    /// Why the inclusive cost changed.
    pub cause: Cause<'m>,
    /// For each event that shows, the change of the inclusive cost in terms of calls.
    pub splits: Vec<Option<Split>>,
}

/// Everything that changed.
pub struct Difference<'m> {
    /// The two profiles.
    pub matching: &'m Matching<'m>,
    /// The totals of the runs.
    pub total: Change,
    /// The functions that changed most, the largest change first.
    pub rows: Vec<ChangedFunction<'m>>,
    /// How many functions changed, listed or not, of those that the filters leave.
    pub changed: usize,
    /// Other functions that changed; by self cost.
    pub others: UnlistedChange,
    /// Functions that did not change.
    pub unchanged: UnlistedChange,
    /// The part of the totals outside of all functions.
    pub outside: Change,
    /// Functions that only the new run has.
    pub appeared: UnlistedChange,
    /// Functions that only the old run has.
    pub disappeared: UnlistedChange,
    /// What `rows` are ordered by.
    pub by: Cost,
}

impl Matching<'_> {
    /// What a function is called: as in the new run, if that has it.
    pub fn label(&self, pair: usize) -> Option<Label<'_>> {
        let pair = self.pairs[pair];
        pair.new.map(|id| self.new.label(id)).or_else(|| pair.old.map(|id| self.old.label(id)))
    }

    /// What functions of one cost are ordered by; the same whichever side is old.
    pub(crate) fn sort_key(&self, pair: usize) -> SortKey<'_> {
        let pair = self.pairs[pair];
        let keys = [pair.old.map(|id| self.old.profile.sort_key(id)), pair.new.map(|id| self.new.profile.sort_key(id))];
        keys.into_iter().flatten().min().unwrap_or_default()
    }

    fn own(&self, pair: Pair) -> Rows<'_> {
        Rows {
            old: pair.old.map_or(&[], |id| self.old.profile.self_cost(id)),
            new: pair.new.map_or(&[], |id| self.new.profile.self_cost(id)),
        }
    }

    /// What is known of the change of own cost, if it is an estimate in either run.
    fn estimated(&self, pair: Pair, event: Event) -> Option<Estimate> {
        let known = |side: &Side<'_>, id: Option<FunctionId>| {
            id.map_or(Estimate::exact(0), |id| side.estimate(id, (self.events(), event)))
        };
        let (old, new) = (known(&self.old, pair.old), known(&self.new, pair.new));
        let change = Estimate::new(new.value() - old.value(), new.least() - old.most(), new.most() - old.least());
        Some(change).filter(|change| !change.is_exact())
    }

    fn inclusive(&self, pair: Pair) -> Rows<'_> {
        Rows {
            old: pair.old.map_or(&[], |id| self.old.inclusive.cost(id)),
            new: pair.new.map_or(&[], |id| self.new.inclusive.cost(id)),
        }
    }

    fn total(&self) -> Change {
        Change::new(&self.old.profile.totals.row, &self.new.profile.totals.row)
    }
}

impl<'m> Difference<'m> {
    /// Compares two profiles. The selection refers to [`Matching::events`].
    pub fn new(matching: &'m Matching<'m>, shifts: &Shifts, selection: &Selection, by: Cost) -> Difference<'m> {
        let events = matching.events();
        let own: Vec<Rows> = matching.pairs.iter().map(|&pair| matching.own(pair)).collect();
        let inclusive: Vec<Rows> = matching.pairs.iter().map(|&pair| matching.inclusive(pair)).collect();
        let tie = |a: usize, b: usize| matching.sort_key(a).cmp(&matching.sort_key(b)).then(a.cmp(&b));
        let wanted = wanted(matching, selection);
        let ranked = Ranked { events, selection, wanted: &|at| wanted.as_ref().is_none_or(|wanted| wanted[at]) };
        let mut ranking = match by {
            Cost::Own => ranked.until_enough(&own, tie),
            Cost::Inclusive => ranked.with_share_left(&inclusive, tie),
        };
        if by == Cost::Inclusive {
            // What is left out still adds up by self cost.
            let mut listed = vec![false; own.len()];
            ranking.listed.iter().for_each(|&at| listed[at] = true);
            let (mut others, mut unchanged) = (UnlistedChange::default(), UnlistedChange::default());
            for (at, &change) in own.iter().enumerate().filter(|&(at, _)| !listed[at]) {
                match inclusive[at].is_any(events, selection) {
                    true => others.add(change),
                    false => unchanged.add(change),
                }
            }
            (ranking.others.cost, ranking.unchanged) = (others.cost, unchanged);
        }
        let (mut appeared, mut disappeared) = (UnlistedChange::default(), UnlistedChange::default());
        for (pair, &change) in matching.pairs.iter().zip(&own) {
            match (pair.old, pair.new) {
                (None, _) => appeared.add(change),
                (_, None) => disappeared.add(change),
                _ => {}
            }
        }
        let total = matching.total();
        let outside = outside(&total, own.iter().copied());
        let rows =
            (ranking.listed.into_iter()).map(|at| ChangedFunction::new(matching, shifts, selection, at)).collect();
        let ChangeRanking { others, unchanged, changed, .. } = ranking;
        Difference { matching, total, rows, changed, others, unchanged, outside, appeared, disappeared, by }
    }

    /// The events that rows are counted in.
    pub fn events(&self) -> &'m Events {
        self.matching.events()
    }
}

impl<'m> ChangedFunction<'m> {
    /// One function of a comparison, by its place in [`Matching::pairs`].
    pub fn of(
        matching: &'m Matching<'m>,
        shifts: &Shifts,
        selection: &Selection,
        at: usize,
    ) -> Option<ChangedFunction<'m>> {
        (at < matching.pairs.len()).then(|| ChangedFunction::new(matching, shifts, selection, at))
    }

    fn new(matching: &'m Matching<'m>, shifts: &Shifts, selection: &Selection, at: usize) -> ChangedFunction<'m> {
        let (pair, events) = (matching.pairs[at], matching.events());
        let (own, inclusive) = (matching.own(pair).to_change(), matching.inclusive(pair).to_change());
        let first = selection.sort.first().copied().unwrap_or(Event::Recorded(0));
        let cause = Cause::new(matching, shifts, at, first);
        let splits = (selection.show.iter())
            .map(|&event| {
                let (old, new) = inclusive.counts(events, event);
                Split::new(cause.counted(), (old.unwrap_or(0), new.unwrap_or(0)))
            })
            .collect();
        let estimated = selection.show.iter().map(|&event| matching.estimated(pair, event)).collect();
        ChangedFunction {
            pair,
            estimated,
            old: pair.old.map(|id| matching.old.label(id)),
            new: pair.new.map(|id| matching.new.label(id)),
            members: (
                pair.old.map_or(0, |id| matching.old.members(id)),
                pair.new.map_or(0, |id| matching.new.members(id)),
            ),
            own,
            inclusive,
            cause,
            splits,
        }
    }

    /// What it is called: as in the new run, if that has it.
    pub fn label(&self) -> Label<'m> {
        let nameless = Label { file: b"???", name: b"???".into(), object: None, cycle: None };
        self.new.or(self.old).unwrap_or(nameless)
    }
}

/// Whether each of the pairs is wanted, by its names in either run; `None` if all are.
fn wanted(matching: &Matching<'_>, selection: &Selection) -> Option<Vec<bool>> {
    if selection.narrow.is_nothing() {
        return None;
    }
    let mut wanted = vec![false; matching.pairs.len()];
    for side in [&matching.old, &matching.new] {
        side.pairs_of(&selection.narrow).for_each(|at| wanted[at] = true);
    }
    Some(wanted)
}

/// The totals less everything that belongs to a row.
fn outside<'c>(total: &Change, parts: impl Iterator<Item = Rows<'c>>) -> Change {
    let (mut outside, mut less) = (total.clone(), Vec::new());
    for part in parts {
        for (left, part) in [(&mut outside.old, part.old), (&mut outside.new, part.new)] {
            less.clear();
            less.extend(part.iter().map(|&count| if count == NEVER { NEVER } else { count.saturating_neg() }));
            extend_with(left, &less);
        }
    }
    outside
}

/// The lines that changed.
pub struct LineDifference<'m> {
    /// The two profiles.
    pub matching: &'m Matching<'m>,
    /// The totals of the runs.
    pub total: Change,
    /// The lines that changed most, the largest change first.
    pub rows: Vec<LineRow>,
    /// How many lines changed, listed or not, of those that the filters leave.
    pub changed: usize,
    /// Others that changed.
    pub others: UnlistedChange,
    /// What did not change.
    pub unchanged: UnlistedChange,
    /// The part of the totals outside of all lines.
    pub outside: Change,
    /// The new run's files with changed lines, the most changed first.
    pub files: Vec<FileChanges<'m>>,
}

impl<'m> LineDifference<'m> {
    /// Compares two profiles line by line.
    pub fn new(matching: &'m Matching<'m>, shifts: &Shifts, selection: &Selection) -> LineDifference<'m> {
        let events = matching.events();
        let rows = lines::rows(matching, shifts);
        let key = |row: &LineRow| {
            (SortKey::file(matching.new.profile.name(row.file)), row.place, matching.sort_key(row.pair))
        };
        let changes: Vec<Rows> = rows.iter().map(|row| row.cost.rows()).collect();
        let pairs = wanted(matching, selection);
        let is_wanted = |row: &LineRow| match &pairs {
            None => true,
            Some(pairs) => pairs[row.pair] && selection.narrow.file.takes(matching.new.file(row.file)),
        };
        let ranked = Ranked { events, selection, wanted: &|at| is_wanted(&rows[at]) };
        let ranking = ranked.until_enough(&changes, |a, b| key(&rows[a]).cmp(&key(&rows[b])).then(a.cmp(&b)));
        let total = matching.total();
        let outside = outside(&total, changes.iter().copied());
        let listed: Vec<LineRow> = ranking.listed.iter().map(|&at| rows[at].clone()).collect();
        let files = files(matching, selection, rows.iter().filter(|row| is_wanted(row)), &listed);
        let ChangeRanking { others, unchanged, changed, .. } = ranking;
        LineDifference { matching, total, rows: listed, changed, others, unchanged, outside, files }
    }

    /// The path and the line of a row: in the new run, if that has it.
    pub fn place(&self, row: &LineRow) -> (&'m [u8], u64) {
        match (row.new_line, row.old_line) {
            (Some(line), _) => (self.matching.new.file(row.file), line),
            (None, Some(line)) => (self.matching.old.file(row.file), line),
            (None, None) => (b"???", 0),
        }
    }
}

/// Files with a listed change that the new run has, with all their lines.
fn files<'m, 'r>(
    matching: &'m Matching<'m>,
    selection: &Selection,
    rows: impl Iterator<Item = &'r LineRow>,
    listed: &[LineRow],
) -> Vec<FileChanges<'m>> {
    let mut found: BTreeMap<NameId, BTreeMap<u64, Change>> = BTreeMap::new();
    let known = |row: &&LineRow| row.file != NameId::UNKNOWN && row.place > 0;
    for row in listed.iter().filter(known).filter(|row| matching.new.has_file(row.file)) {
        found.entry(row.file).or_default();
    }
    for row in rows.filter(known) {
        if let (Some(lines), Ok(line)) = (found.get_mut(&row.file), u64::try_from(row.place)) {
            lines.entry(line).or_default().add(&row.cost);
        }
    }
    let events = matching.events();
    let size = |lines: &BTreeMap<u64, Change>| -> u128 {
        let first = selection.sort.first();
        first.map_or(0, |&event| lines.values().map(|change| change.delta(events, event).unsigned_abs()).sum())
    };
    let mut files: Vec<(u128, FileChanges)> = (found.into_iter())
        .map(|(file, lines)| (size(&lines), FileChanges { name: matching.new.file(file), lines }))
        .collect();
    files.order_by(|(size_of_a, a), (size_of_b, b)| size_of_b.cmp(size_of_a).then_with(|| a.name.cmp(b.name)));
    files.into_iter().map(|(_, file)| file).collect()
}
