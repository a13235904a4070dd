//! Compares objects, files and classes by the self cost of their functions or lines.
//!
//! A cost counts for the object, file or class that it has in its run. So each count equals the one
//! in a list of that run, and a function that moved makes one object cheaper and another more
//! expensive.

use super::{
    Change, ChangeFrame, ChangeRef, Cost, Matching, Side,
    change::{ChangeRanking, RankingInput},
    names::normalised,
    wanted,
};
use crate::{
    analysis::{GroupBy, Selection},
    profile::{FunctionId, NameId, extend_with},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// An object, a file or a class of the comparison.
#[derive(Clone, Debug, Default)]
pub struct ChangedGroup<'m> {
    /// Its name in the old run, if that has it; empty if it has no name.
    pub old: Option<Cow<'m, [u8]>>,
    /// Its name in the new run.
    pub new: Option<Cow<'m, [u8]>>,
    /// All its names in the new run, which can differ in the parts that change from build to build.
    pub(crate) news: BTreeSet<Cow<'m, [u8]>>,
    /// The sum of its self costs.
    pub cost: Change,
}

impl ChangedGroup<'_> {
    /// Its name in the new run, or else in the old one.
    pub fn name(&self) -> &[u8] {
        self.new
            .as_deref()
            .or(self.old.as_deref())
            .unwrap_or_default()
    }
}

/// The objects, files or classes that changed.
pub struct GroupDifference<'m> {
    /// What costs are grouped by.
    pub by: GroupBy,
    /// Those that changed most, the largest change first.
    pub rows: Vec<ChangedGroup<'m>>,
    /// The other parts of the list.
    pub frame: ChangeFrame,
}

/// Groups by their name in the comparison.
type ByName<'m> = BTreeMap<Cow<'m, [u8]>, ChangedGroup<'m>>;

/// All groups of both runs by name: the wanted code, and the rest.
fn all<'m>(
    matching: &'m Matching<'_>,
    by: GroupBy,
    is_asked: impl Fn(usize, NameId) -> bool,
) -> [ByName<'m>; 2] {
    // The part of a group that a filter omits is not part of its row.
    let mut both = [ByName::new(), ByName::new()];
    for (nth, side) in matching.sides().into_iter().enumerate() {
        for (at, pair) in matching.pairs.iter().enumerate() {
            let Some(id) = pair.ids()[nth] else {
                continue;
            };
            by.pieces(&side.profile, id, |file, costs| {
                let groups = &mut both[usize::from(!is_asked(at, file))];
                let (key, name) = names(side, id, file, by);
                let group = groups.entry(key).or_default();
                let (known, sum) = match nth {
                    0 => (&mut group.old, &mut group.cost.old),
                    _ => (&mut group.new, &mut group.cost.new),
                };
                if nth == 1 {
                    if known.is_none() && by == GroupBy::File {
                        group.news.extend(side.files_as(file).map(Cow::from));
                    }
                    group.news.insert(name.clone());
                }
                known.get_or_insert(name);
                costs.for_each(|cost| {
                    extend_with(sum, cost);
                });
            });
        }
    }
    both
}

impl<'m> GroupDifference<'m> {
    /// All objects, files or classes of both runs, changed or not.
    pub(crate) fn all(matching: &'m Matching<'_>, by: GroupBy) -> Vec<ChangedGroup<'m>> {
        let [groups, _] = all(matching, by, |_, _| true);
        groups.into_values().collect()
    }

    /// Compares the groups of both profiles. The selection refers to [`Matching::events`].
    pub fn new(
        matching: &'m Matching<'m>,
        selection: &Selection,
        by: GroupBy,
    ) -> GroupDifference<'m> {
        let (events, wanted) = (matching.events(), wanted(matching, selection));
        let [groups, left_out] = all(matching, by, |at, file| {
            wanted.as_ref().is_none_or(|wanted| {
                let takes = || selection.narrow.file.takes(matching.file(file));
                wanted[at] && (by != GroupBy::File || takes())
            })
        });
        let costs = groups.values().chain(left_out.values());
        let costs: Vec<ChangeRef<'_>> = costs.map(|group| group.cost.lent()).collect();
        let is_wanted = |at: usize| at < groups.len();
        let change = |at: usize| costs[at];
        let ranked = RankingInput {
            events,
            selection,
            count: costs.len(),
            change,
            sum: &change,
            wanted: &is_wanted,
        };
        let ChangeRanking { listed, frame } = ranked.ranking(Cost::Own, |a, b| a.cmp(&b));
        let frame = frame.within(matching.total(), costs.iter().copied());
        let mut rows: Vec<Option<ChangedGroup<'m>>> = groups.into_values().map(Some).collect();
        let rows = listed
            .into_iter()
            .filter_map(|at| rows[at].take())
            .collect();
        GroupDifference { by, rows, frame }
    }
}

/// The group of a function's code in a file: its name in the comparison, and the name on this side.
fn names<'m>(
    side: &'m Side<'_>,
    id: FunctionId,
    file: NameId,
    by: GroupBy,
) -> (Cow<'m, [u8]>, Cow<'m, [u8]>) {
    let compared = side.profile.function(id);
    let original = match by {
        GroupBy::File => side.file(file),
        _ => {
            let first = side.first(id);
            by.name(&side.original, first, side.original.function(first).file)
        }
    };
    let [name, file, object] =
        [compared.name, file, compared.object].map(|name| side.profile.name(name));
    // The key of a sibling begins with its name.
    let name = name.split(|&b| b == 0).next().unwrap_or_default();
    let key = by.group([name, file, object]);
    let key = if by.is_path() {
        key.into()
    } else {
        normalised(key)
    };
    (key, original.into())
}
