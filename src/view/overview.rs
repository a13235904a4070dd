//! What is hot, at a glance: the dearest functions and the dearest lines.

use super::listing::longest;
use crate::analysis::cut::{Rest, ranked};
use crate::analysis::inclusive::Inclusive;
use crate::analysis::label::Label;
use crate::analysis::ranking::Ranking;
use crate::analysis::selection::Selection;
use crate::profile::costs::extend_with;
use crate::profile::{Counts, FunctionId, NameId, Profile};
use std::collections::{HashMap, HashSet};

/// A function.
#[derive(Clone, Debug)]
pub struct HotFunction<'a> {
    /// Who.
    pub label: Label<'a>,
    /// Self cost.
    pub(crate) self_cost: &'a [i64],
    /// Inclusive cost.
    pub(crate) inclusive: &'a [i64],
}

impl HotFunction<'_> {
    /// Self cost.
    pub fn self_counts(&self) -> Counts<'_> {
        Counts(self.self_cost)
    }

    /// Inclusive cost.
    pub fn inclusive_counts(&self) -> Counts<'_> {
        Counts(self.inclusive)
    }
}

/// A line of a source file, whatever functions have code there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HotLine<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The line, from 1.
    pub line: u64,
    /// Its self cost.
    pub(crate) cost: Vec<i64>,
}

impl HotLine<'_> {
    /// Its self cost.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }
}

/// The first screen.
#[derive(Clone, Debug)]
pub struct Overview<'a> {
    /// The dearest functions by self cost.
    pub functions: Vec<HotFunction<'a>>,
    /// All others.
    pub rest: Rest,
    /// The dearest lines.
    pub lines: Vec<HotLine<'a>>,
    /// For every event, recorded ones first, the length of the longest count.
    pub longest: Vec<usize>,
}

impl<'a> Overview<'a> {
    /// So many functions and lines, or fewer.
    pub fn new(
        profile: &'a Profile,
        selection: &Selection,
        inclusive: &'a Inclusive,
        functions: usize,
        lines: usize,
    ) -> Overview<'a> {
        let events = &profile.events;
        let mut selection = selection.clone();
        (selection.everything, selection.narrow.rows) = (true, Some(functions));
        let all: Vec<_> = profile.function_ids().filter(|&id| profile.function(id).recorded).collect();
        let listed = ranked(profile, &selection, None, all.clone());
        let chosen: HashSet<FunctionId> = listed.iter().copied().collect();
        let functions: Vec<HotFunction> = (listed.into_iter())
            .map(|id| HotFunction {
                label: Label::of(profile, id),
                self_cost: profile.self_cost(id),
                inclusive: inclusive.cost(id),
            })
            .collect();
        let others = all.iter().filter(|id| !chosen.contains(id)).map(|&id| profile.self_cost(id));
        let shown = functions.iter().map(|row| row.self_cost);
        let rest = Rest::beside(profile, shown, all.len() - functions.len(), others);

        let mut sums: HashMap<(NameId, u64), Vec<i64>> = HashMap::new();
        for line in profile.lines.iter().filter(|line| line.line > 0 && line.file != NameId::UNKNOWN) {
            extend_with(sums.entry((line.file, line.line)).or_default(), profile.line_cost(line));
        }
        let sums: Vec<((NameId, u64), Vec<i64>)> = sums.into_iter().collect();
        let keyed = sums.iter().map(|place| (selection.key(events, &place.1), place)).collect();
        let ranking = Ranking::new(keyed, |a: &&((NameId, u64), Vec<i64>), b| {
            let name = |place: (NameId, u64)| (profile.name(place.0), place.1);
            selection.compare(events, &a.1, &b.1).then_with(|| name(a.0).cmp(&name(b.0)))
        });
        let lines: Vec<HotLine> = (ranking.take(lines))
            .map(|((file, line), cost)| HotLine { file: profile.name(*file), line: *line, cost: cost.clone() })
            .collect();
        let rows = functions.iter().flat_map(|row| [row.self_cost, row.inclusive]);
        let longest = longest(events, rows.chain([&rest.cost[..]]));
        Overview { functions, rest, lines, longest }
    }
}
