//! The label of a function in reports, and the order of rows with the same cost.

use super::{
    Selection,
    ties::{FileRanks, Ties},
};
use crate::profile::{FunctionId, Name, NameId, Profile, order};
use std::{
    cmp::Ordering,
    sync::{Arc, OnceLock},
};

/// The label of a function: `file:name [object]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The function.
    pub name: Name<'a>,
    /// The object; `None` prints no brackets.
    pub object: Option<&'a [u8]>,
    /// The number of its cycle, from 1, where that matters.
    pub cycle: Option<usize>,
}

impl<'a> Label<'a> {
    /// The label of a function.
    pub fn new(profile: &'a Profile, id: FunctionId) -> Label<'a> {
        let f = profile.function(id);
        let object = Some(profile.name(f.object)).filter(|o| !o.is_empty());
        Label {
            object,
            ..Label::plain(profile.name(f.file), profile.names.lent(f.name))
        }
    }

    /// A label that has only a file and a name.
    pub(crate) fn plain(file: &'a [u8], name: impl Into<Name<'a>>) -> Label<'a> {
        Label {
            file,
            name: name.into(),
            object: None,
            cycle: None,
        }
    }

    /// The label without its object.
    pub fn without_object(self) -> Label<'a> {
        Label {
            object: None,
            ..self
        }
    }

    /// ` <cycle 2>` after the name of a function of a cycle.
    pub(crate) fn cycle_mark(&self) -> String {
        self.cycle
            .map_or(String::new(), |number| format!(" <cycle {number}>"))
    }

    /// Compares `file:name` as one string, then the objects.
    pub fn compare(&self, other: &Label<'_>) -> Ordering {
        // Whole slices are compared if that decides, because it is fastest.
        let names = if order(self.file, other.file).is_eq() {
            self.name.cmp(&other.name)
        } else if self.file.starts_with(other.file) || other.file.starts_with(self.file) {
            self.bytes().cmp(other.bytes())
        } else {
            self.file.cmp(other.file)
        };
        names.then_with(|| match (self.object, other.object) {
            (Some(a), Some(b)) => order(a, b),
            (a, b) => a.cmp(&b),
        })
    }

    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        self.file
            .iter()
            .chain(b":")
            .chain(self.name.pieces().flatten())
            .copied()
    }
}

/// Orders rows of functions by cost, then by label, file and object. `of` returns the function of a
/// row and the file of its label, which is one of `files`.
pub(crate) fn by_label<'k, T: Copy + 'k, F: Iterator<Item = NameId>>(
    profile: &'k Profile,
    selection: &'k Selection,
    cost: impl Fn(&T) -> &'k [i64] + Copy + Sync + 'k,
    of: impl Fn(&T) -> (FunctionId, NameId) + Copy + Sync + 'k,
    files: impl Fn() -> F + Sync + 'k,
) -> Ties<'k, T> {
    let events = &profile.events;
    let label = move |row: &T| {
        let (id, file) = of(row);
        Label {
            file: profile.name(file),
            ..Label::new(profile, id)
        }
    };
    let compare = move |a: &T, b: &T| {
        (selection.compare(events, cost(a), cost(b)))
            .then_with(|| label(a).compare(&label(b)))
            .then_with(|| profile.sort_key(of(a).0).cmp(&profile.sort_key(of(b).0)))
    };
    // Computed only if more than a few rows cost the same.
    let ranks = Arc::new(OnceLock::new());
    let ranks_of_names = Arc::clone(&ranks);
    let key = move |row: &T| {
        ranks
            .get_or_init(|| FileRanks::of_labels(profile, files()))
            .key(of(row).1)
    };
    let name = move |row: &T| {
        let (id, file) = of(row);
        let decides = ranks_of_names
            .get()
            .is_some_and(|ranks: &FileRanks| ranks.decides(file));
        decides.then(|| profile.function_name(id))
    };
    Ties::new(events, selection, cost, compare)
        .then(key)
        .then_name(name)
}
