//! Event types: the recorded ones, which have a column each, and derived ones, sums of multiples of others
//! (`event: Sum = Ir + 2 Dr : long name`).

use super::costs::{NEVER, sum};

/// How many formulas may refer to one another in a row.
const MAX_CHAIN: usize = 32;

/// The terms of a formula: `["+"|"-"] [integer] ["*"] name`, one after the other. `None` if it is none.
fn parse_formula(text: &[u8]) -> Option<Vec<(i64, &[u8])>> {
    let mut terms = Vec::new();
    let mut rest = text.trim_ascii_start();
    while !rest.is_empty() {
        let mut factor: i64 = 1;
        while let [sign @ (b'+' | b'-'), after @ ..] = rest {
            factor = if *sign == b'-' { -factor } else { factor };
            rest = after.trim_ascii_start();
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 0 {
            factor *= std::str::from_utf8(&rest[..digits]).ok()?.parse::<i64>().ok()?;
            rest = rest[digits..].trim_ascii_start();
        }
        if let [b'*', after @ ..] = rest {
            rest = after.trim_ascii_start();
        }
        let len = rest.iter().take_while(|b| !b.is_ascii_whitespace() && !matches!(b, b'+' | b'-' | b'*')).count();
        if len == 0 {
            return None;
        }
        terms.push((factor, &rest[..len]));
        rest = rest[len..].trim_ascii_start();
    }
    (!terms.is_empty()).then_some(terms)
}

/// An event: a recorded column or a derived sum, by its place in [`Events`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The column of the recorded event.
    Recorded(usize),
    /// The place among the derived events.
    Derived(usize),
}

/// A derived event with its formula resolved to recorded columns.
#[derive(Clone, Debug)]
pub struct Derived {
    /// The event's name.
    pub name: Vec<u8>,
    /// Recorded column and factor of every term.
    pub terms: Vec<(usize, i64)>,
}

/// An `event:` line: a long name, a formula, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The event's short name.
    pub name: Vec<u8>,
    /// The formula as written, if there is one.
    pub formula: Option<Vec<u8>>,
    /// The long name, if there is one.
    pub long_name: Option<Vec<u8>>,
}

/// The events of a profile.
#[derive(Clone, Default)]
pub struct Events {
    names: Vec<Vec<u8>>,
    definitions: Vec<Definition>,
    derived: Vec<Derived>,
}

impl Events {
    /// Names of the recorded events, in column order.
    pub fn recorded(&self) -> &[Vec<u8>] {
        &self.names
    }

    /// The derived events that the profile or the user defined and that have a known term.
    pub fn derived(&self) -> &[Derived] {
        &self.derived
    }

    /// The column of a recorded event, which is added if it is new. `nth` counts events of one name.
    pub(crate) fn column(&mut self, name: &[u8], nth: usize) -> usize {
        let found = self.names.iter().enumerate().filter(|(_, n)| *n == name).nth(nth);
        if let Some((at, _)) = found {
            return at;
        }
        self.names.push(name.to_vec());
        self.names.len() - 1
    }

    /// Remembers an `event:` line. The first definition of a name stays.
    pub(crate) fn define(&mut self, definition: Definition) {
        match self.definitions.iter_mut().find(|d| d.name == definition.name) {
            Some(old) => {
                old.formula = old.formula.take().or(definition.formula);
                old.long_name = old.long_name.take().or(definition.long_name);
            }
            None => self.definitions.push(definition),
        }
    }

    /// All `event:` lines.
    pub(crate) fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// Computes the derived events from their formulas: sums of multiples of events, recorded or derived. Terms that
    /// name no event are dropped as long as one is known. Gives the names of those that cannot be computed, with the
    /// reason; an event none of whose terms is known is not offered and no fault.
    pub(crate) fn resolve(&mut self) -> Vec<(Vec<u8>, &'static str)> {
        let mut problems = Vec::new();
        for at in 0..self.definitions.len() {
            let definition = &self.definitions[at];
            if definition.formula.is_none() || self.find(&definition.name).is_some() {
                continue;
            }
            let mut open = Vec::new();
            match self.terms(&definition.name, &mut open) {
                Ok(terms) if terms.is_empty() => {}
                Ok(terms) => self.derived.push(Derived { name: definition.name.clone(), terms }),
                Err(problem) => problems.push((definition.name.clone(), problem)),
            }
        }
        problems
    }

    /// The recorded columns and factors that an event adds up to. `open` holds the events being resolved.
    fn terms<'a>(&'a self, name: &'a [u8], open: &mut Vec<&'a [u8]>) -> Result<Vec<(usize, i64)>, &'static str> {
        match self.find(name) {
            Some(Event::Recorded(column)) => return Ok(vec![(column, 1)]),
            Some(Event::Derived(at)) => return Ok(self.derived[at].terms.clone()),
            None => {}
        }
        if open.contains(&name) {
            return Err("its formula refers to itself");
        }
        if open.len() == MAX_CHAIN {
            return Err("its formula refers to too many others in a row");
        }
        let Some(formula) = self.definitions.iter().find(|d| d.name == name).and_then(|d| d.formula.as_deref()) else {
            return Ok(Vec::new());
        };
        open.push(name);
        let mut sums: Vec<(usize, i64)> = Vec::new();
        for (factor, term) in parse_formula(formula).ok_or("its formula is no sum of multiples of events")? {
            for (column, times) in self.terms(term, open)? {
                let times = times.checked_mul(factor).ok_or("a factor in its formula is too large")?;
                match sums.iter_mut().find(|(c, _)| *c == column) {
                    Some((_, have)) => *have = have.checked_add(times).ok_or("a factor in its formula is too large")?,
                    None => sums.push((column, times)),
                }
            }
        }
        open.pop();
        Ok(sums)
    }

    /// The long name of an event, if the profile gives one.
    pub fn long_name(&self, name: &[u8]) -> Option<&[u8]> {
        self.definitions.iter().find(|d| d.name == name)?.long_name.as_deref()
    }

    /// Looks an event up by its name, recorded ones first.
    pub fn find(&self, name: &[u8]) -> Option<Event> {
        let recorded = self.names.iter().position(|n| n == name).map(Event::Recorded);
        recorded.or_else(|| self.derived.iter().position(|d| d.name == name).map(Event::Derived))
    }

    /// The name of an event.
    pub fn name(&self, event: Event) -> &[u8] {
        match event {
            Event::Recorded(at) => &self.names[at],
            Event::Derived(at) => &self.derived[at].name,
        }
    }

    /// What `row` says of an event; `None` where nothing was ever written. Derived sums stop at the limits of a count.
    pub fn count(&self, row: &[i64], event: Event) -> Option<i64> {
        match event {
            Event::Recorded(at) => row.get(at).copied().filter(|&c| c != NEVER),
            Event::Derived(at) => {
                let mut total = None;
                for &(column, factor) in &self.derived[at].terms {
                    if let Some(count) = self.count(row, Event::Recorded(column)) {
                        total = Some(sum(total.unwrap_or(0), count.saturating_mul(factor).max(NEVER + 1)).0);
                    }
                }
                total
            }
        }
    }
}
