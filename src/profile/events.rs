//! Events: the recorded ones, with a column each, and derived ones, sums of multiples of other
//! events (`event: Sum = Ir + 2 Dr : long name`). Rule: format notes, section 1.2.
//!
//! A user can also define ratios of such sums. The count of a ratio in a row is computed from the
//! other counts of that row, so it is a ratio of sums for any sum of rows. Counts of a ratio must
//! never be added up. Only reports, `diff` and `check` show ratios.

use super::{
    Definition, Order,
    costs::{MAX_EVENTS, limited, written},
    formula::{self, Term, built_in},
};
use indexmap::IndexMap;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, VecDeque},
};

/// The longest chain of formulas that refer to each other.
const MAX_CHAIN: usize = 32;

/// The most derived events of a profile: each is a number in every row of a report.
const MAX_DERIVED: usize = 256;

/// The most terms that are added up for all derived events together.
const MAX_TERMS: usize = 1 << 20;

/// The beginning of the `desc:` line with which `merge` marks an event whose totals are peaks.
pub(crate) const PEAK: &[u8] = b"Peak: ";

/// An event of a profile, by its index in [`Events`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A recorded event, by its column.
    Recorded(usize),
    /// A derived event that is a sum, by its index.
    Derived(usize),
    /// A derived event that is a ratio, by its index. It counts thousandths.
    Ratio(usize),
}

impl Event {
    /// Whether the counts of the event do not add up, because they are ratios.
    pub fn is_ratio(self) -> bool {
        matches!(self, Event::Ratio(_))
    }
}

/// A derived event with its formula resolved to recorded columns.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The event's name.
    pub name: Vec<u8>,
    /// The recorded column and factor of every term.
    pub terms: Vec<(usize, i64)>,
}

/// The events of a profile.
#[derive(Clone, Default)]
pub struct Events {
    names: Vec<Vec<u8>>,
    definitions: IndexMap<Vec<u8>, Definition>,
    derived: Vec<Derived>,
    /// The sums above and below of each ratio, with its name.
    ratios: Vec<[Derived; 2]>,
    peaks: Vec<usize>,
    /// For recorded events that are shown as times, the nanoseconds of one count.
    ticks: Vec<(usize, u64)>,
}

impl Events {
    /// The names of the recorded events, in column order.
    pub fn recorded(&self) -> &[Vec<u8>] {
        &self.names
    }

    /// The derived events that the profile or the user defined and that have a known term.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// The columns of recorded events with these names; adds missing ones. The second occurrence of
    /// a name gets the second column of that name.
    pub(crate) fn columns(&mut self, names: &[Vec<u8>]) -> Option<Vec<usize>> {
        if self.names == names {
            return Some((0..names.len()).collect());
        }
        let found: Vec<Option<usize>> = self.find_columns(names).collect();
        let missing = found.iter().filter(|column| column.is_none()).count();
        if self.names.len() + missing > MAX_EVENTS {
            return None;
        }
        let mut add = |name: &Vec<u8>| {
            self.names.push(name.clone());
            self.names.len() - 1
        };
        let all = found.into_iter().zip(names);
        Some(
            all.map(|(found, name)| found.unwrap_or_else(|| add(name)))
                .collect(),
        )
    }

    /// The column of each name, if there is one.
    fn find_columns(&self, names: &[Vec<u8>]) -> impl Iterator<Item = Option<usize>> {
        let mut known: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
        for (column, name) in self.names.iter().enumerate() {
            known.entry(name).or_default().push_back(column);
        }
        let names = names.iter();
        names.map(move |name| known.get_mut(&name[..])?.pop_front())
    }

    /// Marks the totals of a recorded event as peaks, such as the most memory in use. Peaks do not
    /// add up, and percentages of them mean nothing.
    pub(crate) fn set_peak(&mut self, name: &[u8]) {
        let columns = (0..self.names.len()).filter(|&at| self.names[at] == name);
        let new: Vec<usize> = columns.filter(|at| !self.peaks.contains(at)).collect();
        self.peaks.extend(new);
    }

    /// The names of the events whose totals are peaks.
    pub(crate) fn peaks(&self) -> impl Iterator<Item = &[u8]> {
        self.peaks.iter().map(|&at| &self.names[at][..])
    }

    /// Whether the totals of a recorded event are peaks.
    pub fn is_peak(&self, column: usize) -> bool {
        self.peaks.contains(&column)
    }

    /// Makes reports show Xdebug's counts of time as times. It counts units of 10 ns since version
    /// 3, and microseconds before. Returns whether there are such events.
    pub fn show_durations(&mut self) -> bool {
        self.set_tick(b"Time_(10ns)", 10);
        self.set_tick(b"Time", 1000);
        !self.ticks.is_empty()
    }

    /// Makes reports show the counts of a recorded event as times; `tick` is the nanoseconds of one
    /// count.
    pub(crate) fn set_tick(&mut self, name: &[u8], tick: u64) {
        self.ticks.extend(
            (0..self.names.len())
                .filter(|&at| self.names[at] == name)
                .map(|at| (at, tick)),
        );
    }

    /// The nanoseconds of one count of an event, if reports show it as a time; 0 for a ratio,
    /// which is in thousandths.
    pub fn tick(&self, event: Event) -> Option<u64> {
        match event {
            Event::Recorded(column) => self
                .ticks
                .iter()
                .find(|(at, _)| *at == column)
                .map(|&(_, tick)| tick),
            Event::Derived(_) => None,
            Event::Ratio(_) => Some(0),
        }
    }

    /// Whether counts of an event can be percentages of its total. Those of a peak and of a ratio
    /// cannot.
    pub fn has_shares(&self, event: Event) -> bool {
        !event.is_ratio() && self.all_columns(event, |column| !self.is_peak(column))
    }

    /// Whether a condition holds for all recorded events in an event.
    pub(crate) fn all_columns(&self, event: Event, is_true: impl Fn(usize) -> bool) -> bool {
        let are_true = |sum: &Derived| sum.terms.iter().all(|&(column, _)| is_true(column));
        match event {
            Event::Recorded(column) => is_true(column),
            Event::Derived(at) => are_true(&self.derived[at]),
            Event::Ratio(at) => self.ratios[at].iter().all(are_true),
        }
    }

    /// Adds an `event:` line. The first definition of a name wins.
    pub(crate) fn define(&mut self, definition: Definition) {
        match self.definitions.get_mut(&definition.name) {
            Some(old) => {
                old.formula = old.formula.take().or(definition.formula);
                old.long_name = old.long_name.take().or(definition.long_name);
            }
            None => self.redefine(definition),
        }
    }

    /// Adds a definition, or replaces the one of the same name.
    pub(crate) fn redefine(&mut self, definition: Definition) {
        self.definitions.insert(definition.name.clone(), definition);
    }

    pub(crate) fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Resolves the formulas of all derived events. A term with an unknown event is dropped if
    /// another term of the formula is known. Returns the events that cannot be computed, each with
    /// the reason. An event without any known term is silently omitted.
    pub(crate) fn resolve(&mut self) -> Vec<(Vec<u8>, String)> {
        let mut problems = Vec::new();
        let mut resolver = Resolver::new(self);
        let mut derived = Vec::new();
        for definition in self.definitions.values() {
            if definition.formula.is_none() || self.names.contains(&definition.name) {
                continue;
            }
            let problem = match resolver.terms(&definition.name) {
                Ok(terms) if terms.is_empty() => continue,
                Ok(_) if derived.len() == MAX_DERIVED => {
                    format!("there are more than {MAX_DERIVED}")
                }
                Ok(terms) => {
                    derived.push(Derived {
                        name: definition.name.clone(),
                        terms,
                    });
                    continue;
                }
                Err(problem) => problem,
            };
            problems.push((definition.name.clone(), problem));
        }
        self.derived = derived;
        problems
    }

    /// Finds an event as [`find_typed`](Self::find_typed) does. Adds a built-in derived event if
    /// the profile has any of its terms.
    pub fn define_built_in(&mut self, name: &[u8]) -> Option<Event> {
        self.find_typed(name).or_else(|| {
            let name = formula::built_in_names().find(|known| known.eq_ignore_ascii_case(name))?;
            let terms = Resolver::new(self)
                .terms(name)
                .ok()
                .filter(|t| !t.is_empty())?;
            self.derived.push(Derived {
                name: name.to_vec(),
                terms,
            });
            self.find(name)
        })
    }

    /// All events that a user can name: these and the built-in ones, except built-in ones that
    /// equal one recorded event.
    pub fn with_built_in(&self) -> Events {
        let mut all = self.clone();
        for name in formula::built_in_names().filter(|name| self.find(name).is_none()) {
            all.define_built_in(name);
            all.derived
                .pop_if(|derived| derived.name == name && matches!(derived.terms[..], [(_, 1)]));
        }
        all
    }

    /// Adds a derived event, or replaces the one of that name. Every event of its formula must be
    /// in the profile or built in, and at least one in the profile.
    ///
    /// # Errors
    /// Returns what is wrong, and where in the formula.
    pub fn derive(&mut self, definition: &Definition) -> Result<(), String> {
        let name = &definition.name[..];
        let formula = definition.formula.as_deref().unwrap_or_default();
        if self.names.iter().any(|n| n == name) {
            return Err("this event is recorded; a derived one needs another name".into());
        }
        let [above, below] = formula::terms(formula)?;
        for term in above.iter().chain(&below) {
            let found = self.find(term.name);
            if found.is_some_and(Event::is_ratio) {
                return Err("a formula cannot use a ratio that another one defines".into());
            }
            if found.is_none() && built_in(term.name).is_none() {
                let what = format!("no event `{}`", String::from_utf8_lossy(term.name));
                let known: Vec<_> = self.all().map(|event| self.text(event)).collect();
                return Err(format!(
                    "{what} (character {} of the formula); the profile has {}",
                    term.at + 1,
                    known.join(", ")
                ));
            }
        }
        let mut resolver = Resolver::new(self);
        let (terms, per) = (resolver.sum(&above, false)?, resolver.sum(&below, false)?);
        if terms.is_empty() || per.is_empty() && !below.is_empty() {
            return Err("the profile has none of the events of the formula".into());
        }
        let mut columns = terms.iter().chain(&per);
        if !per.is_empty() && columns.any(|&(column, _)| self.is_peak(column)) {
            return Err("peaks do not add up, so they have no ratios".into());
        }
        self.ratios.retain(|ratio| ratio[0].name != name);
        let derived = |terms| Derived {
            name: name.to_vec(),
            terms,
        };
        if !per.is_empty() {
            self.derived.retain(|d| d.name != name);
            self.ratios.push([terms, per].map(derived));
        } else if let Some(old) = self.derived.iter_mut().find(|d| d.name == name) {
            old.terms = terms;
        } else {
            self.derived.push(derived(terms));
        }
        let mut definition = definition.clone();
        // Other readers know no parentheses, and profiles have other rules for names.
        if below.is_empty() && formula::sum(formula).as_ref() != Ok(&above) {
            definition.formula = Some(formula::written(&above));
        }
        self.redefine(definition);
        Ok(())
    }

    /// The long name of an event, if the profile has one.
    pub fn long_name(&self, name: &[u8]) -> Option<&[u8]> {
        self.definitions.get(name)?.long_name.as_deref()
    }

    /// The recorded events, one for each column of a row.
    pub fn stored(&self) -> impl Iterator<Item = Event> + use<> {
        (0..self.names.len()).map(Event::Recorded)
    }

    /// All events, recorded ones first.
    pub fn all(&self) -> impl Iterator<Item = Event> + use<> {
        (self.stored())
            .chain((0..self.derived.len()).map(Event::Derived))
            .chain((0..self.ratios.len()).map(Event::Ratio))
    }

    /// Finds an event by its name, recorded ones first.
    pub fn find(&self, name: &[u8]) -> Option<Event> {
        self.all().find(|&event| self.name(event) == name)
    }

    /// Finds the event that a user typed: the one of this name, else the only one that differs from
    /// it in upper and lower case.
    pub fn find_typed(&self, name: &[u8]) -> Option<Event> {
        self.find(name).or_else(|| {
            let mut alike =
                (self.all()).filter(|&event| self.name(event).eq_ignore_ascii_case(name));
            alike.next().filter(|_| alike.next().is_none())
        })
    }

    /// The name of an event.
    pub fn name(&self, event: Event) -> &[u8] {
        match event {
            Event::Recorded(at) => &self.names[at],
            Event::Derived(at) => &self.derived[at].name,
            Event::Ratio(at) => &self.ratios[at][0].name,
        }
    }

    pub(crate) fn text(&self, event: Event) -> Cow<'_, str> {
        String::from_utf8_lossy(self.name(event))
    }

    /// The count of an event in `row`; `None` if it was never written, or if the denominator of a
    /// ratio is 0. Derived sums stop at the limits of a count.
    pub(crate) fn count(&self, row: &[i64], event: Event) -> Option<i64> {
        match event {
            Event::Recorded(at) => written(row, at),
            _ => self.exact(row, event).map(limited),
        }
    }

    /// Like [`count`](Self::count), but 0 if it was never written.
    pub(crate) fn counted(&self, row: &[i64], event: Event) -> i64 {
        self.count(row, event).unwrap_or(0)
    }

    /// [`counted`](Self::counted) for one event, in numbers that can be added up.
    pub(crate) fn counter(&self, event: Event) -> impl Fn(&[i64]) -> i128 {
        move |row| self.counted(row, event).into()
    }

    /// Like [`count`](Self::count), but without a limit for derived sums.
    pub(crate) fn exact(&self, row: &[i64], event: Event) -> Option<i128> {
        self.in_units(row, event, 1000)
    }

    /// Like [`exact`](Self::exact), but a ratio is multiplied with `unit`. It is rounded to the
    /// nearest integer, halves away from 0.
    pub(crate) fn in_units(&self, row: &[i64], event: Event, unit: i128) -> Option<i128> {
        let recorded = |at: usize| written(row, at).map(i128::from);
        let sum = |terms: &[(usize, i64)]| {
            let products = terms
                .iter()
                .filter_map(|&(column, factor)| Some(recorded(column)? * i128::from(factor)));
            products.reduce(i128::saturating_add)
        };
        match event {
            Event::Recorded(at) => recorded(at),
            Event::Derived(at) => sum(&self.derived[at].terms),
            Event::Ratio(at) => {
                let [above, per] = self.ratios[at].each_ref().map(|part| sum(&part.terms));
                let (above, per) = (above.unwrap_or(0), per?);
                let units = above.checked_mul(unit)?;
                let half = units.signum() * (per.abs() / 2);
                units.checked_add(half)?.checked_div(per)
            }
        }
    }

    /// Whether a derived event's count in `row` does not fit and is limited.
    pub(crate) fn is_beyond(&self, row: &[i64], event: Event) -> bool {
        self.exact(row, event)
            .is_some_and(|exact| exact != i128::from(limited(exact)))
    }

    /// The events that two profiles have in common, in the order of the first: recorded ones by
    /// name, and derived ones with the same terms in both. Also returns the column of each recorded
    /// one in the first profile and in the second.
    pub(crate) fn shared(&self, other: &Events) -> (Events, Vec<usize>, Vec<usize>) {
        let (mut events, mut mine, mut theirs) = (Events::default(), Vec::new(), Vec::new());
        for (at, found) in other.find_columns(&self.names).enumerate() {
            if let Some(column) = found {
                events.names.push(self.names[at].clone());
                mine.push(at);
                theirs.push(column);
            }
        }
        let placed = |terms: &[(usize, i64)], columns: &[usize]| {
            let place = |&(column, factor): &(usize, i64)| {
                Some((columns.iter().position(|&c| c == column)?, factor))
            };
            let mut placed = terms.iter().map(place).collect::<Option<Vec<_>>>()?;
            placed.order();
            Some(placed)
        };
        for derived in &self.derived {
            let Some(terms) = placed(&derived.terms, &mine) else {
                continue;
            };
            let twin = other.derived.iter().find(|d| d.name == derived.name);
            if twin.and_then(|d| placed(&d.terms, &theirs)).as_ref() == Some(&terms) {
                events.derived.push(Derived {
                    name: derived.name.clone(),
                    terms,
                });
            }
        }
        self.definitions
            .values()
            .for_each(|definition| events.define(definition.clone()));
        self.peaks()
            .chain(other.peaks())
            .for_each(|name| events.set_peak(name));
        (events, mine, theirs)
    }
}

/// Recorded columns and their factors.
type ColumnTerms = Vec<(usize, i64)>;

/// Resolves formulas to recorded columns. It resolves each event once, however many others refer to
/// it.
struct Resolver<'a> {
    events: &'a Events,
    /// The terms of recorded events, and of those that are resolved.
    done: HashMap<&'a [u8], ColumnTerms>,
    /// The events that are being resolved; each refers to the next.
    open: Vec<&'a [u8]>,
    work: usize,
}

impl<'a> Resolver<'a> {
    fn new(events: &'a Events) -> Self {
        let derived = events.derived.iter();
        let derived = derived.map(|d| (&d.name[..], d.terms.clone()));
        // If several columns have one name, formulas mean the first.
        let recorded = events.names.iter().enumerate().rev();
        let recorded = recorded.map(|(column, name)| (&name[..], vec![(column, 1)]));
        Resolver {
            events,
            done: derived.chain(recorded).collect(),
            open: Vec::new(),
            work: 0,
        }
    }

    /// The recorded columns and factors of an event. Empty if none of its terms is known, or if the
    /// event does not exist.
    fn terms(&mut self, name: &'a [u8]) -> Result<ColumnTerms, String> {
        if let Some(terms) = self.done.get(name) {
            return Ok(terms.clone());
        }
        if self.open.contains(&name) {
            return Err("its formula refers to itself".into());
        }
        if self.open.len() == MAX_CHAIN {
            return Err("its formula refers to too many others in a row".into());
        }
        let events = self.events;
        let defined = events.definitions.get(name);
        let defined = defined.and_then(|definition| definition.formula.as_deref());
        let Some(formula) = defined.or_else(|| built_in(name)) else {
            return Ok(Vec::new());
        };
        let terms = formula::sum(formula)?;
        // A name can have a slash.
        let divides = |term: &Term<'_>| {
            term.name.contains(&b'/')
                && !self.done.contains_key(term.name)
                && !events.definitions.contains_key(term.name)
        };
        if terms.iter().any(divides) {
            return Err("ratios are defined by --event alone, and of sums".into());
        }
        self.open.push(name);
        let sum = self.sum(&terms, defined.is_none() && formula::needs_all(name));
        self.open.pop();
        let sum = sum?;
        self.done.insert(name, sum.clone());
        Ok(sum)
    }

    /// The sum of terms; of nothing if all terms are needed and one is not known.
    fn sum(&mut self, terms: &[Term<'a>], needs_all: bool) -> Result<ColumnTerms, String> {
        const LARGE: &str = "a factor in its formula is too large";
        let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
        for term in terms {
            let known = self.terms(term.name)?;
            if needs_all && known.is_empty() {
                return Ok(Vec::new());
            }
            for (column, times) in known {
                self.work += 1;
                if self.work > MAX_TERMS {
                    return Err("the formulas are too long".into());
                }
                let have = sums.entry(column).or_default();
                *have = times
                    .checked_mul(term.factor)
                    .and_then(|t| have.checked_add(t))
                    .ok_or(LARGE)?;
            }
        }
        Ok(sums.into_iter().collect())
    }
}
