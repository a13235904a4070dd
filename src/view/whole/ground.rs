//! What all pages of a profile have in common, however much they omit.

use super::{Least, PagePlace, Stacked, places};
use crate::{
    analysis::{Cost, Folds, GroupBy, Inclusive, OrderedProfile, Selection, Session, Stacks},
    profile::{Event, FunctionId, Profile},
    view::Groups,
};

/// Once the events have this many frames together, no further event gets stacks.
const MOST_FRAMES: usize = 20_000;

/// A profile in the order of its page, with everything that does not depend on the limit.
/// [`super::Whole`] is the page.
pub struct Ground<'a> {
    pub(super) profile: &'a Profile,
    pub(super) inclusive: &'a Inclusive,
    pub(super) events: Vec<Event>,
    pub(super) first: usize,
    pub(super) by: Cost,
    /// All functions, by self cost.
    pub(super) functions: Vec<FunctionId>,
    pub(super) places: Vec<PagePlace<'a>>,
    /// The index in `places` of each function's object and file.
    pub(super) place_of: Vec<usize>,
    pub(super) files: Groups<'a>,
    pub(super) folds: Option<&'a Folds>,
}

impl<'a> Ground<'a> {
    /// Creates it from a session. The page shows the selection's first sort event first. If `show`
    /// is not empty, the page has only these events. `by` is the cost that orders functions at
    /// first.
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
        let ordered = OrderedProfile::new(profile, &all, inclusive, Cost::Own);
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
        let (places, place_of) =
            places_of(profile, session.folds().and_then(|folds| folds.rest_row));
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

    /// The number of counts of lines and arcs.
    pub fn counts(&self) -> usize {
        (self.profile.lines.len() + self.profile.arcs.len()).saturating_mul(self.events.len())
    }

    /// The stacks of all events.
    pub(super) fn stacks(&self, least: Least) -> Vec<Stacked> {
        let mut left = MOST_FRAMES;
        first_served(&self.events, self.first, |event| {
            if left == 0 {
                return Stacked::NoRoom;
            }
            match Stacks::new(self.profile, self.inclusive, event, least.share()) {
                Some(stacks) => {
                    left = left.saturating_sub(stacks.stacks.len());
                    Stacked::There(stacks)
                }
                None => Stacked::Negative,
            }
        })
    }
}

/// Makes something for each event. If room is short, the event that the page shows first, by its
/// index, is served first.
pub(super) fn first_served<T>(
    events: &[Event],
    first: usize,
    mut make: impl FnMut(Event) -> T,
) -> Vec<T> {
    let opening = events.get(first).map(|&event| make(event));
    let others = events.iter().enumerate().filter(|&(at, _)| at != first);
    let mut all: Vec<T> = others.map(|(_, &event)| make(event)).collect();
    if let Some(opening) = opening {
        all.insert(first, opening);
    }
    all
}

/// Objects and files of functions by name, and the index of each function's. The row of code that
/// is not yours has no object, so it gets one with its own name.
fn places_of(profile: &Profile, rest: Option<FunctionId>) -> (Vec<PagePlace<'_>>, Vec<usize>) {
    let object = |id: FunctionId| {
        let f = profile.function(id);
        if rest == Some(id) { f.name } else { f.object }
    };
    let names =
        |id: FunctionId| [object(id), profile.function(id).file].map(|name| profile.name(name));
    let rows = profile
        .function_ids()
        .map(|id| (names(id), 1, profile.self_cost(id)));
    places::add_up(rows)
}
