//! Looks the events up that were typed, and says how much of a list is enough.

use crate::analysis::{Narrow, Purpose, Selection, Threshold, UnknownEvent};
use crate::cli::{ColumnArgs, Form};
use crate::profile::Events;
use std::fmt;

/// An option names an event that the profile does not have. Unlike a [`Usage`](super::Usage) error, it is found only after reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuchEvent(pub UnknownEvent);

impl fmt::Display for NoSuchEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option = match self.0.purpose {
            Purpose::Show => "--show",
            Purpose::Sort => "--sort",
        };
        write!(f, "{option}: {}", self.0)
    }
}

impl std::error::Error for NoSuchEvent {}

/// How much of a list is enough if nobody says, in percent: people want the dearest, and all of what they ask for by name;
/// programs want everything, and pages have their own way to keep short.
pub(super) fn usual(form: Form, narrow: &Narrow) -> u8 {
    if form.is_for_people() && form != Form::Page && narrow.is_nothing() {
        99
    } else {
        100
    }
}

impl ColumnArgs {
    /// The names of all events that were typed.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        self.show
            .iter()
            .chain(self.sort.iter().map(|(event, _)| event))
    }

    /// Whether anything says how much is to be listed.
    pub fn has_threshold(&self) -> bool {
        self.threshold.is_some() || self.sort.iter().any(|(_, own)| own.is_some())
    }

    /// Looks the events up. So much of the first that sorts is enough if nothing is typed, in percent.
    ///
    /// # Errors
    /// The first name that is no event of the profile.
    pub fn select(&self, events: &Events, usual: u8) -> Result<Selection, NoSuchEvent> {
        let threshold = (self.threshold.clone()).unwrap_or_else(|| Threshold::whole(usual));
        Selection::new(events, &self.show, &self.sort, &threshold).map_err(NoSuchEvent)
    }
}
