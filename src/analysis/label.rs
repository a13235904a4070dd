//! What a report calls a function, and the order of what has the same cost.

use crate::profile::{FunctionId, Profile, order};
use std::cmp::Ordering;

/// What a report calls a function: `file:name [object]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label<'a> {
    /// The file.
    pub file: &'a [u8],
    /// The function.
    pub name: &'a [u8],
    /// The object; `None` prints no brackets.
    pub object: Option<&'a [u8]>,
    /// The number of its cycle, from 1, where that matters.
    pub cycle: Option<usize>,
}

impl<'a> Label<'a> {
    /// The label of a function.
    pub fn of(profile: &'a Profile, id: FunctionId) -> Label<'a> {
        let f = profile.function(id);
        let object = Some(profile.name(f.object)).filter(|o| !o.is_empty());
        Label { file: profile.name(f.file), name: profile.name(f.name), object, cycle: None }
    }

    /// The label without its object.
    pub fn without_object(self) -> Label<'a> {
        Label { object: None, ..self }
    }

    /// The order of `file:name` as one string, then of objects.
    pub fn compare(&self, other: &Label<'_>) -> Ordering {
        // Whole slices are compared as long as they decide: that is what the processor does best.
        let names = if order(self.file, other.file).is_eq() {
            order(self.name, other.name)
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
        self.file.iter().chain(b":").chain(self.name).copied()
    }
}
