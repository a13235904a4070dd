//! The profiles that the explorer shows: the original one, and variants with only your code or with
//! folded recursion. Each variant is computed at its first use. The screen and the worker share
//! them, so nothing changes them afterwards.

use super::{
    comparison::RunComparison,
    place::{Lens, Screen, Within},
};
use crate::{
    analysis::{
        Folds, GroupBy, Label, Selection, Session, Set,
        cut::nowhere,
        levels,
        own_profile::{Between, tells_inlined},
    },
    profile::{Event, FunctionId, NameId, Profile},
    view::{
        instructions::Told,
        next::{Again, Word},
    },
};
use std::sync::{Arc, OnceLock};

/// Disassembles a function. It reads binaries and debug files, so only the worker calls it.
pub type Teller = Box<dyn Fn(&Profile, FunctionId) -> Told + Send + Sync>;

/// Finds the inlined functions of a profile. It reads binaries and debug files, so only the worker
/// calls it.
pub type Inliner = Box<dyn Fn(&mut Profile) + Send + Sync>;

/// A profile with the data that screens compute from it once.
pub struct Data {
    /// The profile with the analysis results.
    pub session: Session,
    /// The events to choose from. Each readable profile has at least one. Elsewhere in the explorer,
    /// an event is its index here.
    pub events: Vec<Event>,
    /// For each event, a selection of all functions that sorts by that event first.
    selections: Vec<Selection>,
    /// The comparison with an older run, if there is one.
    before: Option<RunComparison>,
    /// The prefix to remove from file names.
    pub strip: Vec<u8>,
    prepared: OnceLock<()>,
    by_name: OnceLock<Vec<(NameId, FunctionId)>>,
    nowhere: OnceLock<Vec<i64>>,
}

impl Data {
    /// Wraps a profile.
    pub fn new(session: Session, strip: Vec<u8>) -> Data {
        let profile = session.profile();
        let events: Vec<Event> = profile.events.all().collect();
        let mut usual = Selection::whole(events.clone());
        usual.narrow.rows = Some(usize::MAX);
        usual.by_size_below_zero(profile);
        let rest = |first: Event| events.iter().copied().filter(move |&event| event != first);
        let selection = |&first: &Event| Selection {
            sort: std::iter::once(first).chain(rest(first)).collect(),
            ..usual.clone()
        };
        let selections = events.iter().map(selection).collect();
        let (prepared, by_name, nowhere) = Default::default();
        Data {
            events,
            selections,
            session,
            before: None,
            strip,
            prepared,
            by_name,
            nowhere,
        }
    }

    /// Adds a comparison with an older run.
    fn beside(self, old: Arc<Profile>) -> Data {
        let before = RunComparison::new(old, self.session.shared(), &self.events);
        Data {
            before: Some(before),
            ..self
        }
    }

    /// The comparison with an older run, if there is one.
    pub fn before(&self) -> Option<&RunComparison> {
        self.before.as_ref()
    }

    /// The index of the first event with a positive total; 0 if there is none.
    pub fn first_event(&self) -> usize {
        let mut events = 0..self.events.len();
        events.find(|&event| self.total(event) > 0).unwrap_or(0)
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        self.session.profile()
    }

    /// Computes what the screen of any function needs from the whole profile: inclusive costs and
    /// calls.
    pub fn prepare(&self) {
        self.prepared.get_or_init(|| {
            self.session.inclusive();
            if let Some(id) = self.profile().function_ids().next() {
                drop(self.profile().arcs_to(id));
            }
            self.by_name();
            self.nowhere();
        });
    }

    /// Costs that are not attributed to any function; empty if there are none.
    pub(super) fn nowhere(&self) -> &[i64] {
        self.nowhere.get_or_init(|| nowhere(self.profile()))
    }

    /// The functions sorted by name. Cached, because each drawing needs it.
    fn by_name(&self) -> &[(NameId, FunctionId)] {
        self.by_name.get_or_init(|| {
            let profile = self.profile();
            let mut all: Vec<_> = profile
                .function_ids()
                .map(|id| (profile.function(id).name, id))
                .collect();
            all.sort_unstable();
            all
        })
    }

    /// The functions with this name.
    pub(super) fn namesakes(&self, name: NameId) -> impl Iterator<Item = FunctionId> {
        let all = self.by_name();
        let begin = all.partition_point(|&(other, _)| other < name);
        all[begin..]
            .iter()
            .take_while(move |&&(other, _)| other == name)
            .map(|&(_, id)| id)
    }

    /// The count of an event in a row of counts.
    pub(super) fn count(&self, event: usize, row: &[i64]) -> i64 {
        let count = self.profile().events.count(row, self.events[event]);
        count.unwrap_or(0)
    }

    /// Whether a cost is at least 1 % of a function's inclusive cost.
    pub(super) fn is_hot(&self, event: usize, cost: i64, id: FunctionId) -> bool {
        let whole = self
            .count(event, self.session.inclusive().whole(id))
            .unsigned_abs();
        cost > 0 && u128::from(cost.unsigned_abs()) * 100 >= u128::from(whole)
    }

    /// The selection that sorts by this event.
    pub fn selection(&self, event: usize) -> &Selection {
        &self.selections[event]
    }

    /// The total of an event.
    pub fn total(&self, event: usize) -> i64 {
        self.count(event, &self.profile().totals.row)
    }

    /// The function with this label.
    pub fn find(&self, label: &Label<'_>) -> Option<FunctionId> {
        let profile = self.profile();
        let id = |name: &[u8]| profile.names.find(name);
        let wanted: [NameId; 3] = [
            id(label.object.unwrap_or_default())?,
            id(label.file)?,
            id(label.name.bytes())?,
        ];
        self.namesakes(wanted[2])
            .find(|&id| profile.function(id).names() == wanted)
    }

    /// A file name as screens show it: without the prefix `strip`.
    pub fn shown<'n>(&self, file: &'n [u8]) -> &'n [u8] {
        let below = file
            .strip_prefix(&self.strip[..])
            .filter(|rest| !self.strip.is_empty() && !rest.is_empty());
        below.unwrap_or(file)
    }

    /// The name of a group as screens show it.
    pub fn shown_group<'n>(&self, by: GroupBy, name: &'n [u8]) -> &'n [u8] {
        match by {
            GroupBy::File => self.shown(name),
            _ => name,
        }
    }
}

/// The profile and its variants.
pub struct Lenses {
    /// The original profile.
    pub whole: Data,
    /// The other variants, in the order of [`Lens`].
    others: [OnceLock<Data>; 4],
    /// The patterns that define your code.
    pub set: Set,
    /// The first screen, and the lens through which it is seen.
    pub start: (Screen, Lens),
    /// The options and file names that every command repeats.
    pub again: Again,
    /// The options that commands with instructions repeat as well.
    pub again_of_code: Vec<String>,
    /// Disassembles functions.
    pub teller: Teller,
    /// Finds inlined functions.
    pub inliner: Inliner,
    /// The file names of the older profiles as commands repeat them.
    pub(super) older: Vec<Word>,
}

impl Lenses {
    /// Wraps a profile and computes no variant.
    pub fn new(whole: Data, set: Set, again: Again) -> Lenses {
        let teller: Teller = Box::new(|_, _| Told {
            texts: Ok(Vec::new()),
            inlined: None,
        });
        let (others, again_of_code, older) = Default::default();
        let inliner: Inliner = Box::new(|_| ());
        Lenses {
            whole,
            others,
            set,
            start: (Screen::Functions(Within::All), Lens::default()),
            again,
            again_of_code,
            teller,
            inliner,
            older,
        }
    }

    /// Whether inlined functions can be looked for: instructions were recorded, and no older run is
    /// compared.
    pub fn can_inline(&self) -> bool {
        let code = self.whole.profile().code.as_ref();
        code.is_some_and(|code| !code.is_empty()) && self.whole.before.is_none()
    }

    /// Adds a comparison with an older run; `older` are its file names for commands.
    pub fn beside(self, old: Profile, older: Vec<Word>) -> Lenses {
        Lenses {
            whole: self.whole.beside(Arc::new(old)),
            older,
            ..self
        }
    }

    /// The profile through a lens, once it has been computed and prepared.
    pub fn ready(&self, lens: Lens) -> Option<&Data> {
        let data = match self.other(lens) {
            Some(other) => other.get(),
            None => Some(&self.whole),
        };
        data.filter(|data| data.prepared.get().is_some())
    }

    fn other(&self, lens: Lens) -> Option<&OnceLock<Data>> {
        let at = (lens as usize).checked_sub(1)?;
        self.others.get(at)
    }

    /// The profile through a lens. The first use computes it, which takes as long as `--own` or
    /// `--fold-recursion` takes.
    pub fn data(&self, lens: Lens) -> &Data {
        let Some(other) = self.other(lens) else {
            return &self.whole;
        };
        other.get_or_init(|| {
            let base = match lens {
                Lens::OwnFolded => self.data(Lens::Folded),
                _ => &self.whole,
            };
            let old = base.before().map(|before| &*before.matching.old.original);
            let (session, old) = match lens {
                Lens::Folded => {
                    let folded = levels::folded(base.profile());
                    (Session::new(folded), old.map(levels::folded))
                }
                _ => {
                    let (profile, known) = self.own(base.profile(), lens);
                    let old = old.map(|old| self.own(old, lens).0);
                    (Session::folded(profile, known), old)
                }
            };
            let data = Data::new(session, self.whole.strip.clone());
            old.into_iter().map(Arc::new).fold(data, Data::beside)
        })
    }

    /// The profile with only your code.
    fn own(&self, profile: &Profile, lens: Lens) -> (Profile, Folds) {
        let mut profile = profile.clone();
        if lens == Lens::Inlined {
            (self.inliner)(&mut profile);
        }
        if lens != Lens::Inlined || !tells_inlined(&profile, &self.set) {
            // This fold works on functions and lines only.
            profile.code = None;
        }
        Folds::new(profile, &self.set, Between::Calls, &[])
    }

    /// The options that select a lens.
    pub(super) fn options(&self, lens: Lens) -> Vec<String> {
        let mut options = Vec::new();
        if lens.is_folded() {
            options.push("--fold-recursion".to_owned());
        }
        if !matches!(lens, Lens::Whole | Lens::Folded) {
            options.push("--own".to_owned());
            if lens == Lens::Inlined {
                options.push("--inlined".to_owned());
            }
            let patterns = self.set.own.iter().flatten();
            options.extend(patterns.map(|pattern| format!("--own-code={pattern}")));
        }
        options
    }
}
