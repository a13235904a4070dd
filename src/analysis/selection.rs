//! Which events are shown, which ones sort, and how much of each is enough.

use super::narrow::Narrow;
use super::suggestions::nearest;
use crate::profile::{Counts, Event, Events, Profile};
use std::cmp::Ordering;
use std::fmt;

/// A percentage as it was typed: its text is part of the report.
#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    /// Without the percent sign.
    pub text: String,
    /// Between 0 and 100.
    pub percent: f64,
}

impl Threshold {
    /// A whole percentage.
    pub fn whole(percent: u8) -> Threshold {
        Threshold {
            text: percent.to_string(),
            percent: f64::from(percent),
        }
    }
}

/// The purpose an event was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To be shown.
    Show,
    /// To order rows.
    Sort,
}

/// An event that was asked for and is not in the profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEvent {
    /// What for.
    pub purpose: Purpose,
    /// The name.
    pub name: String,
    /// The events there are.
    pub known: Vec<String>,
}

impl UnknownEvent {
    /// An event is none of these.
    pub fn new(purpose: Purpose, name: &str, events: &Events) -> UnknownEvent {
        let events = events.with_built_in();
        let known = all(&events).map(|e| events.text(e).into_owned()).collect();
        UnknownEvent {
            purpose,
            name: name.to_owned(),
            known,
        }
    }

    /// The one that may have been meant.
    pub fn near(&self) -> Option<&str> {
        nearest(&self.name, self.known.iter().map(String::as_str))
    }
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no event `{}`; the profile has {}",
            self.name,
            self.known.join(", ")
        )?;
        match self.near() {
            Some(near) => write!(f, " (do you mean {near}?)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownEvent {}

/// The columns of a report, the order of its rows, and where it ends.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The columns, from left to right.
    pub show: Vec<Event>,
    /// Rows are ordered by the first of these, then the next.
    pub sort: Vec<Event>,
    /// One for each of `sort`: rows are listed until all are reached.
    pub thresholds: Vec<Threshold>,
    /// Whether everything is listed, regardless of the thresholds.
    pub everything: bool,
    /// Events by which rows are ordered and listed as if their counts had no sign.
    pub by_size: Vec<Event>,
    /// What else is left out.
    pub narrow: Narrow,
}

impl Selection {
    /// Sorts first by the first event whose total is not zero: in a report on leaks, for example, the first events are
    /// often zero.
    pub fn begin_with_cost(&mut self, events: &Events, totals: Counts<'_>) {
        let first = self
            .sort
            .iter()
            .position(|&event| totals.get(events, event).unwrap_or(0) != 0);
        if let Some(at) = first {
            self.sort[..=at].rotate_right(1);
        }
    }

    /// Orders by size, whichever sign, where functions or lines have costs below zero, as in a difference: what was saved
    /// matters there as much as what was added, and the sum can pass the total at the first row, or never reach it. Where all
    /// rows are listed in any case, they stay in the order that they always have.
    pub fn by_size_below_zero(&mut self, profile: &Profile) {
        if self.everything && self.narrow.rows.is_none() && self.narrow.min.is_none() {
            return;
        }
        self.by_size = self
            .sort
            .iter()
            .copied()
            .filter(|&event| profile.has_below_zero(event))
            .collect();
    }

    /// Sorts first by the first event that is shown.
    pub fn begin_with_shown(&mut self) {
        if let (Some(&event), Some(threshold)) = (self.show.first(), self.thresholds.first()) {
            let threshold = threshold.clone();
            self.sort.insert(0, event);
            self.thresholds.insert(0, threshold);
        }
    }

    /// Looks the asked-for events up. Without any, all recorded events show, and sort in their order. `sort` holds an
    /// optional threshold for each event; if any has one, `threshold` does not apply, else it is the first event's.
    ///
    /// # Errors
    /// The first name that is no event of the profile.
    pub fn new(
        events: &Events,
        show: &[String],
        sort: &[(String, Option<Threshold>)],
        threshold: &Threshold,
    ) -> Result<Selection, UnknownEvent> {
        let find = |purpose, name: &str| {
            events
                .find_typed(name.as_bytes())
                .ok_or_else(|| UnknownEvent::new(purpose, name, events))
        };
        let recorded = || {
            (0..events.recorded().len())
                .map(Event::Recorded)
                .collect::<Vec<_>>()
        };
        let show_events = match show {
            [] => recorded(),
            names => names
                .iter()
                .map(|n| find(Purpose::Show, n))
                .collect::<Result<_, _>>()?,
        };
        let sort_events = match sort {
            [] => recorded(),
            names => names
                .iter()
                .map(|(n, _)| find(Purpose::Sort, n))
                .collect::<Result<_, _>>()?,
        };
        let own = sort.iter().any(|(_, t)| t.is_some());
        let thresholds = (0..sort_events.len())
            .map(|at| match sort.get(at).and_then(|(_, t)| t.clone()) {
                Some(t) => t,
                None if at == 0 && !own => threshold.clone(),
                None => Threshold::whole(0),
            })
            .collect();
        Ok(Selection {
            show: show_events,
            sort: sort_events,
            thresholds,
            everything: !own && threshold.percent >= 100.0,
            by_size: Vec::new(),
            narrow: Narrow::default(),
        })
    }

    /// The count of the first sort event, with its sign; 0 if none was written.
    pub(crate) fn first_count(&self, events: &Events, row: &[i64]) -> i64 {
        self.sort
            .first()
            .and_then(|&event| events.count(row, event))
            .unwrap_or(0)
    }

    /// The count that sorts first, as [`compare`](Self::compare) takes it: rows with a larger one come before others.
    pub(crate) fn key(&self, events: &Events, row: &[i64]) -> i64 {
        self.sort
            .first()
            .map_or(0, |&event| self.weight(events, row, event).unwrap_or(-1))
    }

    /// What a row has of an event, as it is ordered by it.
    #[inline]
    pub(crate) fn weight(&self, events: &Events, row: &[i64], event: Event) -> Option<i64> {
        let count = events.count(row, event)?;
        Some(if self.by_size.contains(&event) {
            count.saturating_abs()
        } else {
            count
        })
    }

    /// The order of two rows: dearest first, by the sort events in turn. A count that was never written comes after 0.
    pub(crate) fn compare(&self, events: &Events, a: &[i64], b: &[i64]) -> Ordering {
        // There can be hundreds of events, and hundreds of thousands of rows in which nothing was counted.
        if a == b {
            return Ordering::Equal;
        }
        for &event in &self.sort {
            let count = |row| self.weight(events, row, event).unwrap_or(-1);
            match count(b).cmp(&count(a)) {
                Ordering::Equal => {}
                other => return other,
            }
        }
        Ordering::Equal
    }
}

/// All events, recorded ones first.
pub fn all(events: &Events) -> impl Iterator<Item = Event> + use<> {
    let (recorded, derived) = (events.recorded().len(), events.derived().len());
    (0..recorded)
        .map(Event::Recorded)
        .chain((0..derived).map(Event::Derived))
}
