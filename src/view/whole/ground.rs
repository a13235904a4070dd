//! What all pages of a profile have in common, however much of it is left out of them.

use super::{Least, Place, Stacked};
use crate::analysis::difference::Cost;
use crate::analysis::stacks::{NegativeCosts, Stacks};
use crate::analysis::{Folds, GroupBy, Inclusive, OrderedProfile, Selection, Session, Threshold};
use crate::profile::costs::extend_with;
use crate::profile::{Event, FunctionId, Profile};
use crate::view::groups::Groups;
use std::collections::BTreeMap;

/// How many frames there are of all events together before no more events get stacks.
const MOST_FRAMES: usize = 20_000;

/// A profile in the order of its page, with what is told of all of it. [`super::Whole`] is the page.
pub struct Ground<'a> {
    pub(super) profile: &'a Profile,
    pub(super) inclusive: &'a Inclusive,
    pub(super) events: Vec<Event>,
    pub(super) first: usize,
    pub(super) by: Cost,
    /// All functions, by self cost.
    pub(super) functions: Vec<FunctionId>,
    pub(super) places: Vec<Place<'a>>,
    /// The place of each function's object and file among them.
    pub(super) place_of: Vec<usize>,
    pub(super) files: Groups<'a>,
    pub(super) folds: Option<&'a Folds>,
}

impl<'a> Ground<'a> {
    /// Of a session. The selection's first sort event shows first; if it asks for events, no others are there. `by` is the
    /// cost that orders functions at first.
    pub fn new(
        session: &'a Session,
        selection: &Selection,
        show: &[Event],
        by: Cost,
    ) -> Ground<'a> {
        let (profile, inclusive) = (session.profile(), session.inclusive());
        let all = Selection {
            narrow: Default::default(),
            everything: true,
            ..selection.clone()
        };
        let thresholds = all.sort.iter().map(|_| Threshold::whole(100)).collect();
        let ordered = OrderedProfile::new(
            profile,
            &Selection {
                thresholds,
                ..all.clone()
            },
            inclusive,
            Cost::Own,
        );
        let events = if show.is_empty() {
            ordered.events
        } else {
            show.to_vec()
        };
        let opening = selection.sort.first();
        let first = events
            .iter()
            .position(|event| Some(event) == opening)
            .unwrap_or(0);
        let (places, place_of) = places(profile, session.folds().and_then(Folds::rest_row));
        let files = Groups::new(profile, &all, GroupBy::File);
        let folds = session.folds();
        Ground {
            profile,
            inclusive,
            events,
            first,
            by,
            functions: ordered.functions,
            places,
            place_of,
            files,
            folds,
        }
    }

    /// How many counts of lines and arcs the profile has.
    pub fn counts(&self) -> usize {
        (self.profile.lines.len() + self.profile.arcs.len()).saturating_mul(self.events.len())
    }

    /// The stacks of the events, of the first one before all others.
    pub(super) fn stacks(&self, least: Least) -> Vec<Stacked> {
        let (events, first) = (&self.events, self.first);
        let mut left = MOST_FRAMES;
        let mut of = |event| {
            if left == 0 {
                return Stacked::NoRoom;
            }
            match Stacks::new(self.profile, self.inclusive, event, least.share()) {
                Ok(stacks) => {
                    left = left.saturating_sub(stacks.stacks.len());
                    Stacked::There(stacks)
                }
                Err(NegativeCosts) => Stacked::Negative,
            }
        };
        let opening = events.get(first).map(|&event| of(event));
        let mut stacks: Vec<Stacked> = events
            .iter()
            .enumerate()
            .filter(|&(at, _)| at != first)
            .map(|(_, &event)| of(event))
            .collect();
        if let Some(opening) = opening {
            stacks.insert(first, opening);
        }
        stacks
    }
}

/// Objects and files of functions by name, and the place of each function's. What is not under own code is in no object: it is
/// one of its own, by the same name.
fn places(profile: &Profile, rest: Option<FunctionId>) -> (Vec<Place<'_>>, Vec<usize>) {
    let object = |id: FunctionId| {
        let f = profile.function(id);
        if rest == Some(id) { f.name } else { f.object }
    };
    let names = |id: FunctionId| {
        (
            profile.name(object(id)),
            profile.name(profile.function(id).file),
        )
    };
    let mut sums: BTreeMap<(&[u8], &[u8]), Place<'_>> = BTreeMap::new();
    for id in profile.function_ids() {
        let (object, file) = names(id);
        let place = sums.entry((object, file)).or_insert_with(|| Place {
            object,
            file,
            functions: 0,
            cost: Vec::new(),
        });
        place.functions += 1;
        extend_with(&mut place.cost, profile.self_cost(id));
    }
    let at: BTreeMap<(&[u8], &[u8]), usize> = sums.keys().copied().zip(0..).collect();
    let of = profile
        .function_ids()
        .map(|id| at.get(&names(id)).copied().unwrap_or(0))
        .collect();
    (sums.into_values().collect(), of)
}
