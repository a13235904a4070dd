//! What records of the JSON report are made of: names, rows of counts, arrays.

use crate::analysis::OrderedProfile;
use crate::profile::{Event, Events};
use serde::ser::{Serialize, Serializer};

/// A name. Its bytes that are not UTF-8 become U+FFFD.
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(self.0))
    }
}

/// A cost row: one integer an event. A cost that was never written is 0.
pub(super) struct Counts<'a> {
    columns: &'a [Event],
    events: &'a Events,
    row: &'a [i64],
}

impl<'a> Counts<'a> {
    pub(super) fn new(whole: &'a OrderedProfile<'a>, row: &'a [i64]) -> Self {
        Counts { columns: &whole.events, events: &whole.profile.events, row }
    }
}

impl Serialize for Counts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.columns.iter().map(|&event| self.events.count(self.row, event).unwrap_or(0)))
    }
}

/// An array whose records are made one by one.
pub(super) struct List<F>(pub(super) F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}
