//! Which events are shown, which sort, and where lists end; the same for the report and `diff`.

use crate::analysis::{Purpose, Selection, Threshold, UnknownEvent};
use crate::cli::{Percentage, SortArg, YesNo};
use crate::profile::Events;
use std::fmt;

/// The columns of a report, its order and where it ends, before a profile is read in which events can be looked up.
#[derive(Clone, PartialEq, Debug)]
pub struct Columns {
    /// The events that show, in this order; empty for those that always do.
    pub show: Vec<String>,
    /// The events that sort.
    pub sort: Vec<SortBy>,
    /// How much of the first of them is listed, unless one of them has a threshold of its own.
    pub enough: Enough,
    /// Whether counts have their percentages beside them.
    pub percentages: Percentages,
}

/// An event that sorts, and perhaps how much of it is listed.
pub type SortBy = (String, Option<Threshold>);

/// An option names an event that the profile does not have. Unlike a [`Usage`](super::Usage) error, it is found only
/// after reading.
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

/// How much is listed.
#[derive(Clone, PartialEq, Debug)]
pub enum Enough {
    /// The default: nothing was typed.
    Usual(Threshold),
    /// What was asked for.
    Asked(Threshold),
}

impl Enough {
    /// Its threshold.
    pub fn threshold(&self) -> &Threshold {
        match self {
            Enough::Usual(threshold) | Enough::Asked(threshold) => threshold,
        }
    }
}

/// Whether percentages show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Percentages {
    /// They do.
    Shown,
    /// They do not.
    Hidden,
}

impl Percentages {
    /// Whether they show.
    pub fn are_shown(self) -> bool {
        self == Percentages::Shown
    }
}

impl From<&Percentage> for Threshold {
    fn from(typed: &Percentage) -> Threshold {
        Threshold {
            text: typed.text.clone(),
            percent: typed.percent,
        }
    }
}

impl From<YesNo> for Percentages {
    fn from(typed: YesNo) -> Percentages {
        if typed.is_yes() {
            Percentages::Shown
        } else {
            Percentages::Hidden
        }
    }
}

impl Columns {
    /// `usual` is how much is enough if nothing is typed, in per cent.
    pub(super) fn new(
        show: &[String],
        sort: &[SortArg],
        threshold: Option<&Percentage>,
        usual: u8,
        percentages: YesNo,
    ) -> Columns {
        Columns {
            show: show.to_vec(),
            sort: sort
                .iter()
                .map(|key| {
                    (
                        key.event.clone(),
                        key.threshold.as_ref().map(Threshold::from),
                    )
                })
                .collect(),
            enough: threshold.map_or_else(
                || Enough::Usual(Threshold::whole(usual)),
                |typed| Enough::Asked(typed.into()),
            ),
            percentages: percentages.into(),
        }
    }

    /// The names of all events that were typed.
    pub fn named(&self) -> impl Iterator<Item = &String> {
        self.show
            .iter()
            .chain(self.sort.iter().map(|(event, _)| event))
    }

    /// Whether anything says how much is to be listed.
    pub fn has_threshold(&self) -> bool {
        matches!(self.enough, Enough::Asked(_)) || self.sort.iter().any(|(_, own)| own.is_some())
    }

    /// Looks the events up.
    ///
    /// # Errors
    /// The first name that is no event of the profile.
    pub fn select(&self, events: &Events) -> Result<Selection, NoSuchEvent> {
        Selection::new(events, &self.show, &self.sort, self.enough.threshold()).map_err(NoSuchEvent)
    }
}
