//! Looks up the events that options name, and decides the default threshold of lists.

use super::Usage;
use crate::{
    analysis::{Narrow, Selection, Threshold, UnknownEvent},
    cli::{ColumnArgs, Form, InputArgs},
    profile::Events,
};

/// An option names an event that the profile does not have, which is found only after reading.
impl From<UnknownEvent> for Usage {
    fn from(unknown: UnknownEvent) -> Usage {
        Usage(format!("--show: {unknown}"))
    }
}

/// The default threshold of a list, in percent. People want the hottest functions, and everything
/// that a filter selects. Programs want everything, and pages have their own limit.
pub(super) fn usual(form: Form, narrow: &Narrow) -> u8 {
    if form.is_for_people() && form != Form::Page && narrow.is_nothing() {
        99
    } else {
        100
    }
}

impl ColumnArgs {
    /// The names of all events in `--show` and `--sort`.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        self.show
            .iter()
            .chain(self.sort.iter().map(|(event, _)| event))
    }

    /// Whether an option limits the list by a percentage.
    pub fn has_threshold(&self) -> bool {
        self.threshold.is_some() || self.sort.iter().any(|(_, own)| own.is_some())
    }

    /// Rejects thresholds of the events that may be ratios.
    pub(super) fn cuts_ratio(&self, input: &InputArgs) -> (bool, &'static str) {
        let why = "--sort cannot have a threshold if an event is a ratio\nhint: use --min or -n";
        (
            input.has_ratio() && self.has_threshold() && !self.sort.is_empty(),
            why,
        )
    }

    /// Looks up the events. `usual` is the default threshold, in percent.
    ///
    /// # Errors
    /// If the profile does not have an event. The error holds the first such name.
    pub fn select(&self, events: &Events, usual: u8) -> Result<Selection, Usage> {
        let threshold = (self.threshold.clone()).unwrap_or_else(|| Threshold::whole(usual));
        let selection = Selection::new(events, &self.show, &self.sort, &threshold);
        selection.map_err(|unknown| match self.show.contains(&unknown.name) {
            true => unknown.into(),
            false => Usage(format!("--sort: {unknown}")),
        })
    }
}
