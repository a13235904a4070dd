//! Filters: which functions a report shows, and how many. Reports say what filters omit.

use super::Inclusive;
use crate::profile::{FunctionId, NEVER, NameId, Profile, StatedCosts, TotalsSource};
use regex::bytes::Regex;

/// Patterns that names must match, and must not match.
#[derive(Clone, Default, Debug)]
pub struct Pattern {
    /// At least one of these must match, if there are any.
    pub only: Vec<Regex>,
    /// None of these may match.
    pub not: Vec<Regex>,
}

impl Pattern {
    /// Whether a name is wanted.
    pub fn takes(&self, name: &[u8]) -> bool {
        let matches = |regex: &Regex| regex.is_match(name);
        (self.only.is_empty() || self.only.iter().any(matches)) && !self.not.iter().any(matches)
    }

    pub(crate) fn is_nothing(&self) -> bool {
        self.only.is_empty() && self.not.is_empty()
    }
}

/// The filters of a report. The default filters nothing.
#[derive(Clone, Default, Debug)]
pub struct Narrow {
    /// The most rows.
    pub rows: Option<usize>,
    /// The minimum percentage of the first sort event's total.
    pub min: Option<f64>,
    /// Names of functions.
    pub function: Pattern,
    /// Files: a function's own, or the file of its code.
    pub file: Pattern,
    /// Objects.
    pub object: Pattern,
}

impl Narrow {
    /// Whether nothing is omitted.
    pub fn is_nothing(&self) -> bool {
        let patterns = [&self.function, &self.file, &self.object];
        self.rows.is_none() && self.min.is_none() && patterns.iter().all(|p| p.is_nothing())
    }

    /// Only the exclusions of these filters.
    pub(crate) fn excluding(&self) -> Narrow {
        let not = |pattern: &Pattern| Pattern {
            only: Vec::new(),
            not: pattern.not.clone(),
        };
        let [function, file, object] = [&self.function, &self.file, &self.object].map(not);
        Narrow {
            rows: None,
            min: None,
            function,
            file,
            object,
        }
    }

    /// Whether a function with code in a file is wanted, by its names.
    pub(crate) fn takes(&self, profile: &Profile, function: FunctionId, file: NameId) -> bool {
        let f = profile.function(function);
        self.object.takes(profile.name(f.object))
            && self.file.takes(profile.name(file))
            && (self.function.is_nothing()
                || self.function.takes(&profile.function_name(function).text()))
    }
}

/// Removes the functions whose names are not wanted. Arcs remain if both of their ends do. The
/// totals and inclusive costs stay those of the run. Needs the arcs.
pub fn narrowed(profile: Profile, narrow: &Narrow) -> Profile {
    let wanted = |id: &FunctionId| narrow.takes(&profile, *id, profile.function(*id).file);
    let mut stays = vec![false; profile.functions.len()];
    profile
        .function_ids()
        .filter(wanted)
        .for_each(|id| stays[id.index()] = true);
    kept(profile, &stays)
}

/// Keeps one function with `levels` levels of callers and callees, as [`narrowed`] does.
pub fn around(profile: Profile, id: FunctionId, levels: usize) -> Profile {
    let mut stays = vec![false; profile.functions.len()];
    stays[id.index()] = true;
    for callers in [true, false] {
        let others = |&id: &FunctionId| -> Vec<FunctionId> {
            if callers {
                profile.arcs_to(id).map(|arc| arc.caller).collect()
            } else {
                profile.arcs_of(id).iter().map(|arc| arc.callee).collect()
            }
        };
        let (mut seen, mut level, mut left) = (vec![false; stays.len()], vec![id], levels);
        while left > 0 && !level.is_empty() {
            level = level.iter().flat_map(others).collect();
            level.retain(|id| !std::mem::replace(&mut seen[id.index()], true));
            level.iter().for_each(|id| stays[id.index()] = true);
            left -= 1;
        }
    }
    kept(profile, &stays)
}

/// Keeps the functions that stay. Each function's inclusive cost, calls and line are stated, because
/// the remaining arcs no longer add up to them.
fn kept(mut profile: Profile, stays: &[bool]) -> Profile {
    profile.stated = profile.has_inclusive().then(|| {
        let inclusive = Inclusive::new(&profile);
        let mut stated = StatedCosts::default();
        for id in profile.function_ids() {
            let line = super::webgrind::first_line(&profile, id);
            // A row without a count is a statement, too. A member of a cycle that cost nothing
            // itself must not cost more because the other members are omitted.
            let cost = match inclusive.cost(id) {
                [] => &[NEVER],
                cost => cost,
            };
            stated.add(id, cost, inclusive.called(id), line);
        }
        stated
    });
    // The remaining costs do not add up to the totals, and formats must not claim that they do.
    profile.totals.source = TotalsSource::Summary;
    profile.inlined = None;
    profile.kept(stays).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_and_refuse() {
        let pattern = |only: &[&str], not: &[&str]| {
            let all = |texts: &[&str]| {
                texts
                    .iter()
                    .map(|t| Regex::new(t).expect("a pattern"))
                    .collect()
            };
            Pattern {
                only: all(only),
                not: all(not),
            }
        };
        assert!(Pattern::default().takes(b""));
        assert!(pattern(&["^a", "z$"], &[]).takes(b"xyz"));
        assert!(!pattern(&["^a", "z$"], &["y"]).takes(b"xyz"));
        assert!(!pattern(&["^a"], &[]).takes(b"ba"));
        assert!(
            pattern(&[], &["y"]).takes(b"\xff"),
            "names need not be UTF-8"
        );
    }
}
