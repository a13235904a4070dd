//! What is explored: the profile with what is computed from it once, and the same with only own code or with recursion
//! folded, as soon as anybody asks. Only read; the worker reads it too.

use super::comparison::Comparison;
use super::place::{Code, Lens, Levels};
use crate::analysis::cut::nowhere;
use crate::analysis::own_profile::Between;
use crate::analysis::selection::all;
use crate::analysis::{Folds, Label, Selection, Session, Set, Threshold, levels};
use crate::profile::{Event, FunctionId, NameId, Profile};
use crate::view::instructions::Told;
use crate::view::next::{Again, Word};
use std::sync::{Arc, OnceLock};

/// Tells what the code of a function is. Reads binaries and debug files, so that the worker asks it.
pub type Teller = Box<dyn Fn(&Profile, FunctionId) -> Told + Send + Sync>;

/// A profile as the screens see it.
pub struct Data {
    session: Session,
    /// What can be counted.
    pub events: Vec<Event>,
    /// For each of them everything, ordered by it first.
    selections: Vec<Selection>,
    /// What an older run cost, if this is compared with one.
    before: Option<Comparison>,
    /// What is taken off the beginnings of file names.
    pub strip: Vec<u8>,
    prepared: OnceLock<()>,
    by_name: OnceLock<Vec<(NameId, FunctionId)>>,
    nowhere: OnceLock<Vec<i64>>,
}

impl Data {
    /// A profile. The screens begin with the first event that has any cost.
    pub fn new(session: Session, strip: Vec<u8>) -> Data {
        let profile = session.profile();
        let events: Vec<Event> = all(&profile.events).collect();
        let mut usual = Selection {
            show: events.clone(),
            sort: events.clone(),
            thresholds: events.iter().map(|_| Threshold::whole(100)).collect(),
            everything: true,
            by_size: Vec::new(),
            narrow: crate::analysis::Narrow {
                rows: Some(usize::MAX),
                ..Default::default()
            },
        };
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

    /// The same beside an older run.
    fn beside(self, old: Arc<Profile>) -> Data {
        let before = Comparison::new(old, self.session.shared(), &self.events);
        Data {
            before: Some(before),
            ..self
        }
    }

    /// What an older run cost.
    pub fn before(&self) -> Option<&Comparison> {
        self.before.as_ref()
    }

    /// The first event that has any cost.
    pub fn first_event(&self) -> usize {
        let has_cost = |&event: &Event| {
            self.profile()
                .totals
                .counts()
                .get(&self.profile().events, event)
                > Some(0)
        };
        self.events.iter().position(has_cost).unwrap_or(0)
    }

    /// The profile with what is computed from it.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        self.session.profile()
    }

    /// Computes what the screens of one function need of all: inclusive costs, and who is called by whom.
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

    /// What the totals have beyond all functions; empty if nothing.
    pub(super) fn nowhere(&self) -> &[i64] {
        self.nowhere.get_or_init(|| nowhere(self.profile()))
    }

    /// The functions by their names. Whoever draws asks again and again.
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

    /// The functions with a name.
    pub(super) fn namesakes(&self, name: NameId) -> impl Iterator<Item = FunctionId> {
        let all = self.by_name();
        let begin = all.partition_point(|&(other, _)| other < name);
        all[begin..]
            .iter()
            .take_while(move |&&(other, _)| other == name)
            .map(|&(_, id)| id)
    }

    /// What is counted in a row of counts.
    pub(super) fn count(&self, event: usize, row: &[i64]) -> i64 {
        let count = |&event| self.profile().events.count(row, event);
        self.events.get(event).and_then(count).unwrap_or(0)
    }

    /// Whether that much is at least a hundredth of a function, its calls included.
    pub(super) fn is_hot(&self, event: usize, cost: i64, id: FunctionId) -> bool {
        let whole = self
            .count(event, self.session.inclusive().whole(id))
            .unsigned_abs();
        cost > 0 && u128::from(cost.unsigned_abs()) * 100 >= u128::from(whole)
    }

    /// Everything, ordered by an event; nothing where there are no events.
    pub fn selection(&self, event: usize) -> Option<&Selection> {
        self.selections.get(event)
    }

    /// The total of an event.
    pub fn total(&self, event: usize) -> i64 {
        let count = |&event| {
            self.profile()
                .totals
                .counts()
                .get(&self.profile().events, event)
        };
        self.events.get(event).and_then(count).unwrap_or(0)
    }

    /// The function with a label.
    pub fn find(&self, label: &Label<'_>) -> Option<FunctionId> {
        let profile = self.profile();
        let id = |name: &[u8]| profile.names.find(name);
        let wanted: [NameId; 3] = [
            id(label.object.unwrap_or_default())?,
            id(label.file)?,
            id(label.name.bytes())?,
        ];
        self.namesakes(wanted[2]).find(|&id| {
            let f = profile.function(id);
            [f.object, f.file, f.name] == wanted
        })
    }

    /// A file as it is shown: below the current folder without that.
    pub fn shown<'n>(&self, file: &'n [u8]) -> &'n [u8] {
        let below = file
            .strip_prefix(&self.strip[..])
            .filter(|rest| !self.strip.is_empty() && !rest.is_empty());
        below.unwrap_or(file)
    }
}

/// The profile as it is, and as it looks otherwise.
pub struct Lenses {
    whole: Data,
    /// Through the other lenses, as [`place`] has them.
    others: [OnceLock<Data>; 3],
    /// What is own code.
    set: Set,
    /// What every command repeats.
    pub again: Again,
    /// What commands that print instructions repeat besides.
    pub again_of_code: Vec<String>,
    /// Tells what instructions are.
    pub teller: Teller,
    /// The profiles of the run that this one is compared with, as commands name them.
    older: Vec<Word>,
}

/// Where a lens is among those that are not the whole profile as it is.
fn place(lens: Lens) -> Option<usize> {
    match (lens.code, lens.levels) {
        (Code::All, Levels::Apart) => None,
        (Code::All, Levels::Folded) => Some(0),
        (Code::Own, Levels::Apart) => Some(1),
        (Code::Own, Levels::Folded) => Some(2),
    }
}

impl Lenses {
    /// A profile, of which nothing else is computed yet.
    pub fn new(whole: Data, set: Set, again: Again) -> Lenses {
        let teller: Teller = Box::new(|_, _| Told {
            texts: Ok(Vec::new()),
            inlined: None,
        });
        let (others, again_of_code, older) = Default::default();
        Lenses {
            whole,
            others,
            set,
            again,
            again_of_code,
            teller,
            older,
        }
    }

    /// The same beside an older run, whose profiles commands name so.
    pub fn beside(self, old: Profile, older: Vec<Word>) -> Lenses {
        Lenses {
            whole: self.whole.beside(Arc::new(old)),
            older,
            ..self
        }
    }

    /// The older profiles, as commands name them; none if they can be read only once.
    pub(super) fn older(&self) -> &[Word] {
        &self.older
    }

    /// The profile as it is.
    pub fn whole(&self) -> &Data {
        &self.whole
    }

    /// The profile through a lens, once it has been computed and prepared.
    pub fn ready(&self, lens: Lens) -> Option<&Data> {
        let data = match place(lens) {
            Some(at) => self.others[at].get(),
            None => Some(&self.whole),
        };
        data.filter(|data| data.prepared.get().is_some())
    }

    /// The profile through a lens. The first time takes as long as `--own` or reading with `--fold-recursion` takes beyond
    /// reading.
    pub fn of(&self, lens: Lens) -> &Data {
        let Some(at) = place(lens) else {
            return &self.whole;
        };
        self.others[at].get_or_init(|| {
            let base = match lens.code {
                Code::Own => self.of(Lens {
                    code: Code::All,
                    ..lens
                }),
                Code::All => &self.whole,
            };
            let old = base.before().map(|before| &*before.matching.old.original);
            let (session, old) = match lens.code {
                Code::Own => {
                    let (profile, known) = self.own(base.profile());
                    let old = old.map(|old| self.own(old).0);
                    (Session::folded(profile, known), old)
                }
                Code::All => {
                    let folded = levels::folded(base.profile());
                    (Session::new(folded), old.map(levels::folded))
                }
            };
            let data = Data::new(session, self.whole.strip.clone());
            old.into_iter().map(Arc::new).fold(data, Data::beside)
        })
    }

    /// What is own code of a profile.
    fn own(&self, profile: &Profile) -> (Profile, Folds) {
        let mut profile = profile.clone();
        // Own costs are those of functions and lines, whatever is known of instructions.
        profile.code = None;
        Folds::new(profile, &self.set, Between::Calls, &[])
    }

    /// The options that commands need for a lens.
    pub(super) fn options(&self, lens: Lens) -> Vec<String> {
        let mut options = Vec::new();
        if lens.levels == Levels::Folded {
            options.push("--fold-recursion".to_owned());
        }
        if lens.code == Code::Own {
            options.push("--own".to_owned());
            let patterns = self.set.own.iter().flatten();
            options.extend(patterns.map(|pattern| format!("--own-code={pattern}")));
        }
        options
    }
}
