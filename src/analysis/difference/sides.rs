//! The two sides of a comparison with one set of names, and the pairs of their functions.

use super::ChangeRef;
use crate::{
    analysis::{Estimate, Folds, Inclusive, Label, Narrow, Reach, merged::of_merged},
    profile::{
        CallEdge, Event, Events, FunctionId, NameId, Profile, extend_with,
        reshape::{Shape, members},
    },
};
use foldhash::HashMap;
use std::{borrow::Cow, collections::BTreeMap, ops::Deref, sync::Arc};

/// Why two functions are paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// Object, file and name are the same.
    Same,
    /// The name is the same; the file or the object differs.
    Moved,
    /// Name, arcs and cost are similar, and no other function comes close.
    Renamed,
    /// Only one side has it.
    Alone,
}

/// A function of the comparison, on one side or on both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The function on the old side.
    pub old: Option<FunctionId>,
    /// The function on the new side.
    pub new: Option<FunctionId>,
    /// Why they are paired.
    pub how: How,
}

impl Pair {
    /// The functions of both sides.
    pub(crate) fn ids(self) -> [Option<FunctionId>; 2] {
        [self.old, self.new]
    }
}

/// One of the two runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OldOrNew {
    /// The base of the comparison.
    Old,
    /// The other run.
    New,
}

impl OldOrNew {
    pub(crate) fn name(self) -> &'static str {
        match self {
            OldOrNew::Old => "old",
            OldOrNew::New => "new",
        }
    }

    /// The run with `Some(true)`, if the other has `Some(false)`.
    pub(super) fn only(both: [Option<bool>; 2]) -> Option<OldOrNew> {
        match both {
            [Some(true), Some(false)] => Some(OldOrNew::Old),
            [Some(false), Some(true)] => Some(OldOrNew::New),
            _ => None,
        }
    }
}

/// A profile that is borrowed, or shared with an owner that outlives the borrow.
#[derive(Clone)]
pub enum ProfileRef<'a> {
    /// A borrowed profile.
    Lent(&'a Profile),
    /// A shared profile.
    Shared(Arc<Profile>),
}

impl Deref for ProfileRef<'_> {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        match self {
            ProfileRef::Lent(profile) => profile,
            ProfileRef::Shared(profile) => profile,
        }
    }
}

impl<'a> From<&'a Profile> for ProfileRef<'a> {
    fn from(profile: &'a Profile) -> Self {
        ProfileRef::Lent(profile)
    }
}

impl From<Arc<Profile>> for ProfileRef<'_> {
    fn from(profile: Arc<Profile>) -> Self {
        ProfileRef::Shared(profile)
    }
}

/// One of the two profiles, with the names of the comparison.
pub struct Side<'a> {
    /// The profile as it was read.
    pub original: ProfileRef<'a>,
    /// The profile with the names of the comparison and the common events. Name ids are the same on
    /// both sides.
    pub profile: Profile,
    /// Inclusive costs.
    pub inclusive: Inclusive,
    first: Vec<FunctionId>,
    /// The names to show for functions whose names differ in the comparison.
    shown: HashMap<FunctionId, NameId>,
    members: Vec<u32>,
    /// The new id of every function.
    ids: Vec<FunctionId>,
    /// How far estimated costs can be below and above their values, in the columns of `original`.
    slack: HashMap<FunctionId, [Vec<i64>; 2]>,
    /// If this is a profile of your code, what is known about it in addition to its costs.
    pub(crate) folds: Option<&'a Folds>,
    /// The names of this side for each file of the comparison.
    files: HashMap<NameId, Vec<NameId>>,
    pub(super) pair_of: Vec<usize>,
}

impl<'a> Side<'a> {
    pub(super) fn new(
        original: ProfileRef<'a>,
        (shape, shown): &(Shape, HashMap<FunctionId, NameId>),
    ) -> Side<'a> {
        let mut files = HashMap::from_iter([(NameId::UNKNOWN, vec![NameId::UNKNOWN])]);
        for (at, &file) in shape.files.iter().enumerate() {
            // Names that are not files have this name.
            if file != NameId::UNKNOWN {
                files.entry(file).or_default().push(NameId(at as u32));
            }
        }
        let (profile, ids) = original.reshaped(shape);
        let functions = profile.functions.len();
        let mut first = vec![FunctionId(u32::MAX); functions];
        for (id, &new) in original.function_ids().zip(&ids) {
            first[new.index()] = id.min(first[new.index()]);
        }
        let inclusive = of_merged(&profile, &original, &ids, &shape.columns);
        let pair_of = vec![0; functions];
        Side {
            original,
            profile,
            inclusive,
            first,
            shown: shown.clone(),
            members: members(&ids, functions),
            ids,
            slack: HashMap::default(),
            folds: None,
            files,
            pair_of,
        }
    }

    /// The label of a function, with file and object of this side.
    pub fn label(&self, id: FunctionId) -> Label<'_> {
        Label {
            name: self.profile.names.lent(self.shown(id)),
            ..Label::new(&self.original, self.first[id.index()])
        }
    }

    /// The name to show for a function.
    pub(super) fn shown(&self, id: FunctionId) -> NameId {
        self.shown
            .get(&self.first(id))
            .copied()
            .unwrap_or(self.profile.function(id).name)
    }

    /// The first function of the profile that was merged into this one.
    pub fn first(&self, id: FunctionId) -> FunctionId {
        self.first[id.index()]
    }

    /// How many functions of the profile were merged into this one.
    pub fn members(&self, id: FunctionId) -> u32 {
        self.members[id.index()]
    }

    /// Takes the bounds of estimates from `folds`, which belongs to this side's profile of your
    /// code.
    pub fn know_estimates(&mut self, folds: &'a Folds) {
        self.folds = Some(folds);
        for (id, [below, above]) in folds.slack(&self.original) {
            let Some(&new) = self.ids.get(id.index()) else {
                continue;
            };
            let slack = self.slack.entry(new).or_default();
            extend_with(&mut slack[0], &below);
            extend_with(&mut slack[1], &above);
        }
    }

    /// The bounds of a function's self cost, for an event of the comparison.
    pub(super) fn estimate(&self, id: FunctionId, (events, event): (&Events, Event)) -> Estimate {
        let value = i128::from(events.counted(self.profile.self_cost(id), event));
        let of_original = self.original.events.find(events.name(event));
        let Some((slack, event)) = self.slack.get(&id).zip(of_original) else {
            return Estimate::exact(value);
        };
        let count = self.original.events.counter(event);
        Estimate::new(value, value - count(&slack[0]), value + count(&slack[1]))
    }

    /// How the code of a function is reached.
    pub(crate) fn reach(&self, id: FunctionId) -> Reach {
        Reach::new(self.folds, self.first(id))
    }

    /// The path of a file on this side.
    pub fn file(&self, id: NameId) -> &[u8] {
        self.files_as(id).next().unwrap_or(b"???")
    }

    /// All paths of this side for one file of the comparison.
    pub(super) fn files_as(&self, id: NameId) -> impl Iterator<Item = &[u8]> {
        let ids = self.files.get(&id).into_iter().flatten();
        ids.map(|&id| self.original.name(id))
    }

    /// Whether this side has the file.
    pub fn has_file(&self, id: NameId) -> bool {
        self.files.contains_key(&id)
    }

    /// The cost of an arc. In a recursion it is at most the cost around it.
    pub(crate) fn arc_cost(&self, arc: &CallEdge) -> Cow<'_, [i64]> {
        self.inclusive.capped(arc, self.profile.arc_cost(arc))
    }

    /// Whether an arc is recursive: from a function to itself, or inside a cycle.
    pub fn is_recursive(&self, arc: &CallEdge) -> bool {
        self.inclusive.is_recursive(arc)
    }

    /// The calls of a function by others.
    pub fn calls(&self, id: FunctionId) -> u64 {
        let arcs = self.profile.arcs_to(id);
        arcs.filter(|a| a.caller != id)
            .fold(0, |sum, a| sum.saturating_add(a.count))
    }

    /// Whether a function's inclusive cost is known. For merged functions, the values that a
    /// baseline states contain each other.
    pub(super) fn knows_inclusive(&self, id: FunctionId) -> bool {
        self.inclusive.is_exact(id) || !self.states_calls()
    }

    /// Whether the calls are stated per function, without callers.
    pub(crate) fn states_calls(&self) -> bool {
        self.profile.arcs.is_empty() && self.profile.stated.is_some()
    }

    /// Whether it is known how often functions are called. Cachegrind does not count calls, and a
    /// baseline of its profile omits them.
    pub(crate) fn knows_calls(&self) -> bool {
        let is_stated = self
            .profile
            .stated
            .as_ref()
            .is_none_or(|stated| stated.has_inclusive_or_calls());
        self.original.has_inclusive() && (is_stated || !self.profile.arcs.is_empty())
    }

    /// The indices of the pairs whose functions on this side have wanted names, as recorded.
    pub(super) fn pairs_of<'s>(&'s self, narrow: &'s Narrow) -> impl Iterator<Item = usize> + 's {
        let wanted =
            |id: &FunctionId| narrow.takes(&self.original, *id, self.original.function(*id).file);
        self.original
            .function_ids()
            .filter(wanted)
            .filter_map(|id| self.pair_of_original(id))
    }

    /// The index of the pair of a function of the profile as it was read; see [`Side::original`].
    pub fn pair_of_original(&self, id: FunctionId) -> Option<usize> {
        self.ids.get(id.index()).map(|&id| self.pair(id))
    }

    /// The index of a function's pair in [`Matching::pairs`].
    pub fn pair(&self, id: FunctionId) -> usize {
        self.pair_of[id.index()]
    }
}

/// The arcs from one pair to another in the old run and in the new one.
pub type ArcPair<'m> = [Option<&'m CallEdge>; 2];

/// Two profiles with one set of names.
pub struct Matching<'a> {
    /// The old side.
    pub old: Side<'a>,
    /// The new side.
    pub new: Side<'a>,
    /// All functions of both profiles.
    pub pairs: Vec<Pair>,
}

impl<'a> Matching<'a> {
    pub(crate) fn sides(&self) -> [&Side<'a>; 2] {
        [&self.old, &self.new]
    }

    /// The events that both sides have.
    pub fn events(&self) -> &Events {
        &self.new.profile.events
    }

    /// The common events of each side, mutable. New derived events must be the same in both.
    pub fn events_mut(&mut self) -> [&mut Events; 2] {
        [&mut self.old.profile.events, &mut self.new.profile.events]
    }

    /// Whether any function's self cost of an event changed.
    pub fn has_changed(&self, event: Event) -> bool {
        self.pairs
            .iter()
            .any(|&pair| self.own(pair).delta(self.events(), event) != 0)
    }

    /// The path of a file on the new side, or on the old one if only that has it.
    pub fn file(&self, id: NameId) -> &[u8] {
        if self.new.has_file(id) {
            self.new.file(id)
        } else {
            self.old.file(id)
        }
    }

    /// The calls of a pair, by the callee's pair.
    pub fn arcs_from(&self, pair: Pair) -> BTreeMap<usize, ArcPair<'_>> {
        let arcs = self.both(pair.ids(), |side, id| side.profile.arcs_of(id).iter());
        self.by_pair(arcs, |arc| arc.callee)
    }

    /// The calls to a pair, by the caller's pair.
    pub fn arcs_to(&self, pair: Pair) -> BTreeMap<usize, ArcPair<'_>> {
        let arcs = self.both(pair.ids(), |side, id| side.profile.arcs_to(id));
        self.by_pair(arcs, |arc| arc.caller)
    }

    /// Joins the arcs of both runs by the pair of the function at their other end.
    fn by_pair<'m>(
        &self,
        arcs: [Option<impl Iterator<Item = &'m CallEdge>>; 2],
        other: impl Fn(&CallEdge) -> FunctionId,
    ) -> BTreeMap<usize, ArcPair<'m>> {
        let mut pairs: BTreeMap<usize, ArcPair<'m>> = BTreeMap::new();
        for ((run, side), arcs) in self.sides().into_iter().enumerate().zip(arcs) {
            for arc in arcs.into_iter().flatten() {
                pairs.entry(side.pair(other(arc))).or_default()[run] = Some(arc);
            }
        }
        pairs
    }

    /// Applies `of` to something that either run may have.
    pub(crate) fn both<'s, I, T>(
        &'s self,
        [old, new]: [Option<I>; 2],
        of: impl Fn(&'s Side<'a>, I) -> T,
    ) -> [Option<T>; 2] {
        [
            old.map(|one| of(&self.old, one)),
            new.map(|one| of(&self.new, one)),
        ]
    }

    /// The costs of something that either run may have.
    pub(super) fn change<'s, I>(
        &'s self,
        of_runs: [Option<I>; 2],
        cost: impl Fn(&'s Side<'a>, I) -> &'s [i64],
    ) -> ChangeRef<'s> {
        let [old, new] = self.both(of_runs, cost).map(Option::unwrap_or_default);
        ChangeRef { old, new }
    }

    /// The cost of calls.
    pub(crate) fn arc_cost(&self, arcs: ArcPair<'_>) -> ChangeRef<'_> {
        self.change(arcs, |side, arc| side.profile.arc_cost(arc))
    }

    /// Whether calls are recursive in either run. Their cost is then inside that of others.
    pub(crate) fn is_recursive(&self, arcs: ArcPair<'_>) -> bool {
        self.both(arcs, Side::is_recursive).contains(&Some(true))
    }

    /// Adds a pair of functions, or a function without a partner.
    pub(super) fn pair(&mut self, old: Option<FunctionId>, new: Option<FunctionId>, how: How) {
        for (side, id) in [(&mut self.old, old), (&mut self.new, new)] {
            if let Some(id) = id {
                side.pair_of[id.index()] = self.pairs.len();
            }
        }
        self.pairs.push(Pair { old, new, how });
    }
}

pub(super) const UNPAIRED: usize = usize::MAX;

impl Side<'_> {
    /// The functions that have no partner yet.
    pub(super) fn unpaired(&self) -> impl Iterator<Item = FunctionId> + '_ {
        self.profile
            .function_ids()
            .filter(|id| self.pair_of[id.index()] == UNPAIRED)
    }
}
