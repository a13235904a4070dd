//! Why there may be nothing to see in a profile: each doubt is one line that names the cause and the cure.

use super::selection::Selection;
use crate::profile::{Format, NameId, Profile};
use std::collections::BTreeMap;
use std::fmt;

/// What makes a report say little.
#[derive(Clone, PartialEq, Debug)]
pub enum Doubt {
    /// No cost at all.
    Nothing,
    /// So many per cent of the cost have no file.
    NoDebugInformation(f64),
    /// An object with so many per cent of the cost has no names of functions.
    Stripped(String, f64),
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Nothing => f.write_str(
                "the profile has no costs: --toggle-collect named no function that ran (it takes the whole name, with \
                 its arguments, and * for any part), instrumentation was never switched on, or the run was killed",
            ),
            Doubt::NoDebugInformation(share) => write!(
                f,
                "{share:.0} % of the cost has no source file: compile with -g (Rust: debug = \"line-tables-only\" in the \
                 release profile) and record again"
            ),
            Doubt::Stripped(object, share) => write!(
                f,
                "{object} has {share:.0} % of the cost and no names of functions: it is stripped; build it without -s, \
                 or install its debug symbols, and record again"
            ),
        }
    }
}

/// The least share that is worth a word.
const MUCH: f64 = 20.0;

/// What is doubtful about a profile, by the first sort event.
pub fn doubts(profile: &Profile, selection: &Selection) -> Vec<Doubt> {
    let Some(&event) = selection.sort.first() else { return Vec::new() };
    if !matches!(profile.format, Format::Callgrind | Format::Cachegrind) {
        return Vec::new();
    }
    let count = |row: &[i64]| profile.events.count(row, event).unwrap_or(0).unsigned_abs() as f64;
    let mut all = 0.0;
    // By object: the cost, that without a file, and whether any function there has a name.
    let mut objects: BTreeMap<&[u8], (f64, f64, bool)> = BTreeMap::new();
    for id in profile.function_ids() {
        let (f, cost) = (profile.function(id), count(profile.self_cost(id)));
        let name = profile.name(f.name);
        let object = objects.entry(profile.name(f.object)).or_default();
        object.0 += cost;
        object.1 += if f.file == NameId::UNKNOWN { cost } else { 0.0 };
        object.2 |= !(f.name == NameId::UNKNOWN || name.starts_with(b"0x"));
        all += cost;
    }
    if all == 0.0 {
        return if profile.arcs.is_empty() { vec![Doubt::Nothing] } else { Vec::new() };
    }
    let mut doubts = Vec::new();
    // Code without a name cannot have a file; that is said of its object.
    let fileless: f64 = objects.values().filter(|object| object.2).map(|object| object.1).sum();
    for (name, (cost, _, named)) in objects {
        let share = cost * 100.0 / all;
        if !named && share >= MUCH && !name.is_empty() {
            doubts.push(Doubt::Stripped(String::from_utf8_lossy(name).into_owned(), share));
        }
    }
    let share = fileless * 100.0 / all;
    if share >= MUCH {
        doubts.push(Doubt::NoDebugInformation(share));
    }
    doubts
}
