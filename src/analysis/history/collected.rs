//! Reduces runs to the cost of each function for one event.
//!
//! A function is the same in two runs if three names are equal: its own, the last component of its
//! file's path, and that of its object's. Each is compared without the parts that change from build
//! to build ([`names`]). Folders are not compared, because some of hundreds of runs were built
//! elsewhere. Objects that were renamed from one run to the next become one at the end
//! ([`HistoryBuilder::finish`]). Functions of one run that are the same by this rule add up.
//!
//! Memory is in proportion to the content of the runs, not to runs times functions.

use super::{Rule, objects::Objects, rule::SeriesLevels, together::together};
use crate::{
    analysis::{Cost, GroupBy, Label, Narrow, difference::names},
    profile::{
        Event, Function, FunctionId, NameId, Names, Order, Profile, base_name, names::Changed,
    },
};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexMap;
use std::{borrow::Cow, collections::BTreeSet, ops::Range};

/// Collects runs until all are added.
pub struct HistoryBuilder<'n> {
    history: History,
    /// Self cost or inclusive cost.
    cost: Cost,
    /// Which functions count.
    narrow: &'n Narrow,
    objects: Objects,
    /// The largest number of rows in one run that have only a lower bound of their cost, because
    /// they add up several functions.
    pub vague: usize,
    /// The runs that were added.
    added: BTreeSet<u32>,
}

/// The costs of many runs.
#[derive(Default)]
pub struct History {
    /// What costs are added up by, instead of listing functions in their files.
    by: Option<GroupBy>,
    texts: Names,
    /// Names and paths without the parts that change from build to build. A history only needs one
    /// kind of paths.
    normal: Changed,
    paths: Changed,
    /// By name, file and object of a function, or the key of another row.
    rows: IndexMap<[NameId; 3], CollectedRow, RandomState>,
    /// The cost of the whole program, one per run.
    pub totals: Vec<i128>,
    /// The common names of renamed objects.
    aliases: HashMap<NameId, NameId>,
}

/// The names of a function, or of another thing with a cost.
#[derive(Clone, Copy)]
struct CostName {
    /// The function's name as the run has it, which helps to identify objects.
    name: NameId,
    /// The names that the row shows: for a function its name, file and object as the run has them,
    /// else the key.
    shown: [NameId; 3],
    /// The key of its row.
    key: [NameId; 3],
}

#[derive(Default)]
struct CollectedRow {
    /// Its costs that are not zero, by run.
    values: Vec<(u32, i128)>,
    /// The last run that has it. The names and the number of functions below are from that run.
    latest: Option<u32>,
    shown: [NameId; 3],
    members: u32,
    /// The function that was counted last. A file can have several lines of it.
    counted: Option<FunctionId>,
}

/// The names of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Who<'h> {
    /// The name; for a function as in the last run that has it.
    pub name: &'h [u8],
    /// Its file; empty for sums.
    pub file: &'h [u8],
    /// Its object; empty if unknown, and for sums.
    pub object: &'h [u8],
    /// The number of its functions in that run.
    pub members: u32,
}

/// A row with its levels.
#[derive(Clone, Debug)]
pub struct RatedRow {
    /// Its index in the history.
    pub at: usize,
    /// Its levels, drifts and noise.
    pub found: SeriesLevels,
    /// Twice the largest change, which orders rows.
    pub weight: i128,
}

/// The index of the object in the key of a row.
fn object_in(by: Option<GroupBy>) -> Option<usize> {
    match by {
        None => Some(2),
        Some(GroupBy::Object) => Some(0),
        _ => None,
    }
}

impl<'n> HistoryBuilder<'n> {
    /// Expects this number of runs. A run that is never added does not exist in the history. Only
    /// functions can have inclusive cost.
    pub fn new(
        by: Option<GroupBy>,
        cost: Cost,
        narrow: &'n Narrow,
        runs: usize,
    ) -> HistoryBuilder<'n> {
        let history = History {
            by,
            totals: vec![0; runs],
            ..History::default()
        };
        HistoryBuilder {
            history,
            cost,
            narrow,
            objects: Objects::default(),
            vague: 0,
            added: BTreeSet::new(),
        }
    }

    /// Adds the costs of an event in a run, once per run. Runs have the order of their numbers, in
    /// whatever order they are added.
    pub fn add(&mut self, run: u32, profile: &Profile, event: Event) {
        let (cost, narrow) = (self.cost, self.narrow);
        self.added.insert(run);
        let history = &mut self.history;
        let by = history.by;
        let count = |row: &[i64]| profile.events.exact(row, event).unwrap_or(0);
        if let Some(total) = history.totals.get_mut(run as usize) {
            *total = count(&profile.totals.row);
        }
        let mut texts: Vec<Option<NameId>> = vec![None; profile.names.len()];
        let (mut functions, mut taken) = (Vec::new(), Vec::new());
        for id in profile.function_ids() {
            let &Function {
                name, file, object, ..
            } = profile.function(id);
            let lines = profile.lines_of(id);
            if by == Some(GroupBy::File) && !lines.is_empty() {
                for line in lines
                    .iter()
                    .filter(|line| narrow.takes(profile, id, line.file))
                {
                    let cost = count(profile.line_cost(line));
                    if cost != 0 {
                        let called = history.called(profile, &mut texts, [name, line.file, object]);
                        history.add_cost(run, id, called, cost);
                    }
                }
                continue;
            }
            let is_taken = match cost {
                Cost::Own => count(profile.self_cost(id)) != 0,
                Cost::Inclusive => true,
            };
            let is_taken = is_taken && narrow.takes(profile, id, file);
            // Functions that the filters omit, or that cost nothing, still identify their object.
            if !is_taken && object_in(by).is_none() {
                continue;
            }
            let called = history.called(profile, &mut texts, [name, file, object]);
            if let Some(at) = object_in(by) {
                functions.push([called.key[at], history.normal_name(called.name)]);
            }
            match cost {
                _ if !is_taken => {}
                Cost::Own => history.add_cost(run, id, called, count(profile.self_cost(id))),
                Cost::Inclusive => taken.push((id, called)),
            }
        }
        let keys: Vec<(FunctionId, [NameId; 3])> =
            taken.iter().map(|&(id, called)| (id, called.key)).collect();
        let (costs, vague) = together(profile, &keys, count);
        self.vague = self.vague.max(vague);
        for (&(id, called), cost) in taken.iter().zip(costs) {
            if let Some(cost) = cost {
                history.add_cost(run, id, called, cost);
            }
        }
        self.objects.add(run, functions, &history.texts);
    }

    /// The history of all runs that were added. Objects that were renamed from one run to the next
    /// are one.
    pub fn finish(self) -> History {
        let HistoryBuilder {
            mut history,
            mut objects,
            added,
            ..
        } = self;
        let added: Vec<u32> = added.into_iter().collect();
        objects.join_gaps(&added, &history.texts);
        history.aliases = objects.aliases(&history.texts);
        history.keep(&added);
        history.join_renamed();
        history
    }
}

impl History {
    /// Adds the cost of a function, or of a part of it, to the row with this key.
    fn add_cost(
        &mut self,
        run: u32,
        id: FunctionId,
        CostName { shown, key, .. }: CostName,
        cost: i128,
    ) {
        let row = self.rows.entry(key).or_default();
        match row.values.last_mut() {
            Some((last, sum)) if *last == run => *sum = sum.saturating_add(cost),
            _ => row.values.push((run, cost)),
        }
        if row.latest.is_none_or(|latest| latest < run) {
            (row.latest, row.shown, row.members, row.counted) = (Some(run), shown, 0, None);
        }
        if row.latest == Some(run) && row.counted != Some(id) {
            row.counted = Some(id);
            row.members += 1;
        }
    }

    /// Renumbers runs by their index among those that were added.
    fn keep(&mut self, added: &[u32]) {
        if added.len() == self.totals.len() {
            return;
        }
        self.totals = added
            .iter()
            .filter_map(|&run| self.totals.get(run as usize).copied())
            .collect();
        // The number of runs fits, because each index is at most a run's number.
        let place = |run: u32| added.partition_point(|&other| other < run) as u32;
        for row in self.rows.values_mut() {
            row.values
                .iter_mut()
                .for_each(|(run, _)| *run = place(*run));
            row.latest = row.latest.map(place);
        }
    }

    /// Merges the rows of renamed objects, or of their functions.
    fn join_renamed(&mut self) {
        let Some(object) = object_in(self.by).filter(|_| !self.aliases.is_empty()) else {
            return;
        };
        for (mut key, mut row) in std::mem::take(&mut self.rows) {
            key[object] = self.object(key[object]);
            let same = self.rows.entry(key).or_default();
            same.values.append(&mut row.values);
            if same.latest < row.latest {
                (same.latest, same.shown, same.members) = (row.latest, row.shown, row.members);
            }
        }
    }

    /// The common name of an object.
    fn object(&self, object: NameId) -> NameId {
        self.aliases.get(&object).copied().unwrap_or(object)
    }

    /// The names and the key of a function of a profile.
    fn called(
        &mut self,
        profile: &Profile,
        texts: &mut [Option<NameId>],
        names: [NameId; 3],
    ) -> CostName {
        let mut text = |name: NameId| {
            *texts[name.0 as usize]
                .get_or_insert_with(|| self.texts.intern(&profile.names.lent(name).text()))
        };
        let shown = names.map(&mut text);
        let (name, key) = (shown[0], self.key(shown));
        CostName {
            name,
            shown: if self.by.is_none() { shown } else { key },
            key,
        }
    }

    /// The key of a function with these names.
    fn key(&mut self, [name, file, object]: [NameId; 3]) -> [NameId; 3] {
        match self.by {
            None => [self.normal_name(name), self.path(file), self.path(object)],
            Some(GroupBy::File) => alone(self.path(file)),
            Some(GroupBy::Object) => alone(self.path(object)),
            Some(_) => alone(self.normal_name(name)),
        }
    }

    /// The name of a function, or of its group if that comes from the name.
    fn normal_name(&mut self, name: NameId) -> NameId {
        let by = self.by;
        self.normal
            .rename(&mut self.texts, name, |name| name_in_key(by, name))
    }

    fn path(&mut self, path: NameId) -> NameId {
        let by = self.by;
        self.paths
            .rename(&mut self.texts, path, |path| path_in_key(by, path))
    }

    /// The names of a row; empty if the row does not exist.
    pub fn who(&self, at: usize) -> Who<'_> {
        let Some((_, row)) = self.rows.get_index(at) else {
            return Who::default();
        };
        let [name, file, object] = row.shown.map(|id| self.texts.get(id));
        Who {
            name,
            file,
            object,
            members: row.members,
        }
    }

    /// The row that a function of a run belongs to, if there is one.
    pub fn row_of(&self, label: &Label<'_>) -> Option<usize> {
        let name = || self.texts.find(&name_in_key(self.by, label.name.bytes()));
        let path = |path| self.texts.find(&path_in_key(self.by, path));
        let object = || Some(self.object(path(label.object.unwrap_or_default())?));
        let key = match self.by {
            None => [name()?, path(label.file)?, object()?],
            Some(GroupBy::File) => alone(path(label.file)?),
            Some(GroupBy::Object) => alone(object()?),
            Some(_) => alone(name()?),
        };
        self.rows.get_index_of(&key)
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.totals.len()
    }

    /// The costs of a row, one per run; 0 in runs that do not have it.
    pub fn values(&self, at: usize) -> Vec<i128> {
        self.values_in(at, 0..self.totals.len())
    }

    fn values_in(&self, at: usize, runs: Range<usize>) -> Vec<i128> {
        let mut values = vec![0i128; runs.len()];
        for &(run, cost) in self
            .rows
            .get_index(at)
            .map_or(&[][..], |(_, row)| &row.values)
        {
            if let Some(value) = (run as usize)
                .checked_sub(runs.start)
                .and_then(|at| values.get_mut(at))
            {
                *value = value.saturating_add(cost);
            }
        }
        values
    }

    /// All rows. Those with the largest change come first, then those without a change, most
    /// expensive in the last run first; ties by name. With too few runs for any change, rows are
    /// ordered by how much they vary.
    pub fn ranked(&self, rule: &Rule) -> Vec<RatedRow> {
        let totals = rule.twice_totals(&self.totals);
        let is_known = self.totals.len() >= rule.least_runs();
        let mut ranked: Vec<(RatedRow, i128)> = (0..self.rows.len())
            .map(|at| {
                let (found, weight) = if is_known {
                    self.judged(at, rule, &totals)
                } else {
                    (
                        rule.judge(&self.values(at), &totals),
                        self.range(at).saturating_mul(2),
                    )
                };
                (RatedRow { at, found, weight }, self.last_value(at))
            })
            .collect();
        ranked.order_by(|(a, a_costs), (b, b_costs)| {
            let key = |at: usize| self.rows.keys()[at].map(|id| self.texts.lent(id));
            b.weight
                .cmp(&a.weight)
                .then(b_costs.cmp(a_costs))
                .then_with(|| key(a.at).cmp(&key(b.at)))
        });
        ranked.into_iter().map(|(row, _)| row).collect()
    }

    fn last_value(&self, at: usize) -> i128 {
        let last = self.totals.len().checked_sub(1);
        let of_last = |&&(run, _): &&(u32, i128)| Some(run as usize) == last;
        self.rows[at]
            .values
            .iter()
            .filter(of_last)
            .map(|&(_, cost)| cost)
            .fold(0, i128::saturating_add)
    }

    fn range(&self, at: usize) -> i128 {
        let row = &self.rows[at];
        let absent = (row.values.len() < self.totals.len()).then_some(0);
        let values = || row.values.iter().map(|&(_, cost)| cost).chain(absent);
        values()
            .max()
            .unwrap_or(0)
            .saturating_sub(values().min().unwrap_or(0))
    }

    /// The levels of a row, and twice its largest change.
    fn judged(&self, at: usize, rule: &Rule, totals: &[i128]) -> (SeriesLevels, i128) {
        // Runs before its first and after its last only matter as far as the rule looks. So a
        // function of one run among thousands does not take thousands of steps.
        let runs = self.totals.len();
        let mut present: Vec<usize> = self.rows[at]
            .values
            .iter()
            .map(|&(run, _)| run as usize)
            .collect();
        present.sort_unstable();
        let (Some(&first), Some(&last)) = (present.first(), present.last()) else {
            return (rule.judge(&[], &[]), 0);
        };
        let reach = rule.window.saturating_mul(2).saturating_add(rule.confirm);
        let (start, end) = (
            first.saturating_sub(reach),
            last.saturating_add(reach).saturating_add(1).min(runs),
        );
        let values = self.values_in(at, start..end);
        let mut near: Vec<i128> = totals[start..=end].to_vec();
        if let (Some(near), Some(&now)) = (near.last_mut(), totals.last()) {
            // The last level continues to the last run.
            *near = now;
        }
        let mut found = rule.judge(&values, &near);
        let steps = found.steps(rule, &values).map(|step| step.twice);
        let moves = steps.chain(found.drifts.iter().flatten().copied());
        let weight = moves
            .map(|[from, to]| to.saturating_sub(from).saturating_abs())
            .max()
            .unwrap_or(0);
        found
            .levels
            .iter_mut()
            .for_each(|level| *level = level.start + start..level.end + start);
        if let Some(first) = found.levels.first_mut() {
            first.start = 0;
        }
        if let Some(last) = found.levels.last_mut() {
            last.end = runs;
        }
        (found, weight)
    }
}

/// The key of a row that is not of a function.
fn alone(group: NameId) -> [NameId; 3] {
    [group, NameId::EMPTY, NameId::EMPTY]
}

/// The part of a function's name that is in keys, without what changes from build to build.
fn name_in_key(by: Option<GroupBy>, name: &[u8]) -> Cow<'_, [u8]> {
    names::normalised(by.unwrap_or(GroupBy::Function).group([name; 3]))
}

/// The part of a path that is in keys, without what changes from build to build: of functions its
/// last component.
fn path_in_key(by: Option<GroupBy>, path: &[u8]) -> Cow<'_, [u8]> {
    match (by, names::normalised_path(path)) {
        (Some(_), path) => path,
        (None, Cow::Borrowed(path)) => Cow::Borrowed(base_name(path)),
        (None, Cow::Owned(path)) => Cow::Owned(base_name(&path).to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Named, ProfileBuilder};

    fn run(functions: &[(&str, &str, &str, i64)]) -> Profile {
        let mut builder = ProfileBuilder::new("a.out", &["Ir"]).expect("an event");
        for &(object, file, name, cost) in functions {
            builder
                .self_cost(Named { object, file, name }, 1, &[cost])
                .expect("a cost");
        }
        builder.finish()
    }

    fn history(by: Option<GroupBy>, runs: &[Profile]) -> History {
        let narrow = Narrow::default();
        let mut history = HistoryBuilder::new(by, Cost::Own, &narrow, runs.len());
        // From the last to the first, because the order must not matter.
        runs.iter()
            .enumerate()
            .rev()
            .for_each(|(at, profile)| history.add(at as u32, profile, Event::Recorded(0)));
        history.finish()
    }

    #[test]
    fn what_changes_from_build_to_build_is_no_other_function() {
        let runs = [
            run(&[
                (
                    "/a/app",
                    "/home/x/src/lib.rs",
                    "app::run::h0123456789abcdef",
                    5,
                ),
                ("", "/a/b.c", "f", 1),
            ]),
            run(&[(
                "/b/app-0123456789abcdef",
                "/ci/src/lib.rs",
                "app::run::hfedcba9876543210",
                6,
            )]),
        ];
        let history = history(None, &runs);
        let rule = Rule::USUAL;
        let rows: Vec<_> = history
            .ranked(&rule)
            .iter()
            .map(|row| (history.who(row.at), history.values(row.at)))
            .collect();
        let (file, object) = (&b"/ci/src/lib.rs"[..], &b"/b/app-0123456789abcdef"[..]);
        let who = Who {
            name: b"app::run::hfedcba9876543210",
            file,
            object,
            members: 1,
        };
        assert_eq!(rows[0], (who, vec![5, 6]));
        assert_eq!(rows[1].1, [1, 0]);
        assert_eq!((rows.len(), &history.totals[..]), (2, &[6, 6][..]));
        for (label, want) in [("app::run::h0000000000000000", Some(5)), ("f", None)] {
            let label = Label {
                name: label.as_bytes().into(),
                file: b"x/lib.rs",
                object: Some(b"app"),
                cycle: None,
            };
            assert_eq!(history.row_of(&label).map(|at| history.values(at)[0]), want);
        }
    }

    #[test]
    fn sums_are_by_what_was_asked_for() {
        let functions = [
            ("o", "a.cpp", "A::f(int)", 1),
            ("o", "b.cpp", "A::g()", 2),
            ("p", "a.cpp", "A::f(int)", 4),
        ];
        let runs = [run(&functions)];
        for (by, want) in [
            (
                Some(GroupBy::Function),
                &[("A::f(int)", 5), ("A::g()", 2)][..],
            ),
            (Some(GroupBy::File), &[("a.cpp", 5), ("b.cpp", 2)]),
            (Some(GroupBy::Object), &[("p", 4), ("o", 3)]),
            (Some(GroupBy::Class), &[("A", 7)]),
        ] {
            let history = history(by, &runs);
            let rows: Vec<_> = (history.ranked(&Rule::USUAL).iter())
                .map(|row| (history.who(row.at).name.to_vec(), history.values(row.at)[0]))
                .collect();
            let want: Vec<_> = want
                .iter()
                .map(|&(name, cost)| (name.as_bytes().to_vec(), cost))
                .collect();
            assert_eq!(rows, want, "{by:?}");
        }
    }

    /// Rows are judged only where they have costs; the whole series must give the same levels.
    #[test]
    fn absent_runs_change_nothing() {
        let mut state = 3u64;
        let mut next = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let rule = Rule {
            window: 4,
            confirm: 3,
            share: 10_000,
        };
        let mut changes = 0;
        for round in 0..300 {
            let (from, to) = (next(30) as usize, next(30) as usize);
            let noise = 1 + next(4);
            let runs: Vec<Profile> = (0..30)
                .map(|at| {
                    if (from..from + to).contains(&at) && next(5) > 0 {
                        run(&[
                            ("", "a.c", "f", 100 + next(noise) as i64),
                            ("", "a.c", "g", 9000),
                        ])
                    } else {
                        run(&[("", "a.c", "g", 9000)])
                    }
                })
                .collect();
            let history = history(None, &runs);
            let totals = rule.twice_totals(&history.totals);
            for row in history.ranked(&rule) {
                let whole = rule.judge(&history.values(row.at), &totals);
                assert_eq!(row.found, whole, "round {round}");
                changes += usize::from(whole.is_change());
            }
        }
        assert!(changes > 100, "{changes}");
    }
}
