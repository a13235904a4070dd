//! Which events a report shows, which ones it sorts by, and how much of each is enough.

use super::{Narrow, suggestions::nearest};
use crate::profile::{Counts, Event, Events, NEVER, Profile};
use std::{cmp::Ordering, fmt};

/// A percentage as the user typed it: its text is part of the report.
#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    /// The text, without the percent sign.
    pub text: String,
    /// The value, between 0 and 100.
    pub percent: f64,
}

impl Threshold {
    /// An integer percentage.
    pub fn whole(percent: u8) -> Threshold {
        Threshold {
            text: percent.to_string(),
            percent: f64::from(percent),
        }
    }
}

/// An event that a user asked for and the profile does not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEvent {
    /// The name.
    pub name: String,
    /// The events of the profile.
    pub known: Vec<String>,
}

impl UnknownEvent {
    /// Makes the error for a name that is none of these events.
    pub fn new(name: &str, events: &Events) -> UnknownEvent {
        let events = events.with_built_in();
        let known = events.all().map(|e| events.text(e).into_owned()).collect();
        UnknownEvent {
            name: name.to_owned(),
            known,
        }
    }

    /// The most similar event.
    pub fn near(&self) -> Option<&str> {
        nearest(&self.name, self.known.iter().map(String::as_str))
    }
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no event `{}`; the profile has {}",
            self.name,
            self.known.join(", ")
        )?;
        match self.near() {
            Some(near) => write!(f, "\nhint: did you mean {near}?"),
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
    /// The events that sort rows, the most important first.
    pub sort: Vec<Event>,
    /// One threshold for each of `sort`. Rows are listed until all are reached.
    pub thresholds: Vec<Threshold>,
    /// Whether everything is listed, regardless of the thresholds.
    pub everything: bool,
    /// Events by which rows are ordered and listed regardless of the sign of their counts.
    pub by_size: Vec<Event>,
    /// The other filters.
    pub narrow: Narrow,
}

impl Selection {
    /// Sorts first by the first event whose total is not zero. In a report on leaks, for example,
    /// the first events are often zero.
    pub fn begin_with_cost(&mut self, events: &Events, totals: Counts<'_>) {
        let first = self
            .sort
            .iter()
            .position(|&event| totals.get(events, event).unwrap_or(0) != 0);
        if let Some(at) = first {
            self.sort[..=at].rotate_right(1);
        }
    }

    /// Orders by size, regardless of the sign, if functions or lines have costs below zero, as in a
    /// difference. There, savings matter as much as additions, and the sum can pass the total at
    /// the first row, or never reach it. If all rows are listed anyway, they keep their usual
    /// order.
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

    /// Sorts first by the first event that is shown and is not a ratio.
    pub fn begin_with_shown(&mut self) {
        let mut sums = self.show.iter().filter(|event| !event.is_ratio());
        if let (Some(&event), Some(threshold)) = (sums.next(), self.thresholds.first()) {
            let threshold = threshold.clone();
            self.sort.insert(0, event);
            self.thresholds.insert(0, threshold);
        }
    }

    /// Everything, by these events.
    pub fn whole(events: Vec<Event>) -> Selection {
        Selection {
            thresholds: events.iter().map(|_| Threshold::whole(100)).collect(),
            show: events.clone(),
            sort: events,
            everything: true,
            by_size: Vec::new(),
            narrow: Narrow::default(),
        }
    }

    /// Finds the events that a user asked for. Without any, all recorded events are shown, and sort
    /// in their order. `sort` has an optional threshold for each event. If any event has one,
    /// `threshold` does not apply; else it is the first event's.
    ///
    /// # Errors
    /// Returns the first name that is not an event of the profile.
    pub fn new(
        events: &Events,
        show: &[String],
        sort: &[(String, Option<Threshold>)],
        threshold: &Threshold,
    ) -> Result<Selection, UnknownEvent> {
        let find = |names: Vec<&String>| -> Result<Vec<Event>, UnknownEvent> {
            if names.is_empty() {
                return Ok(events.stored().collect());
            }
            let find = |name: &String| {
                let event = events.find_typed(name.as_bytes());
                event.ok_or_else(|| UnknownEvent::new(name, events))
            };
            names.into_iter().map(find).collect()
        };
        let show = find(show.iter().collect())?;
        let sort_events = find(sort.iter().map(|(name, _)| name).collect())?;
        let own = sort.iter().any(|(_, t)| t.is_some());
        let thresholds = (0..sort_events.len())
            .map(|at| match sort.get(at).and_then(|(_, t)| t.clone()) {
                Some(t) => t,
                None if at == 0 && !own => threshold.clone(),
                None => Threshold::whole(0),
            })
            .collect();
        let mut selection = Selection {
            show,
            sort: sort_events,
            thresholds,
            everything: !own && threshold.percent >= 100.0,
            by_size: Vec::new(),
            narrow: Narrow::default(),
        };
        selection.without_ratio_thresholds();
        Ok(selection)
    }

    /// The event whose percentages matter: the first sort event that is not a ratio, or the first
    /// recorded one.
    pub(crate) fn first_event(&self) -> Event {
        let mut sums = self.sort.iter().filter(|event| !event.is_ratio());
        sums.next().copied().unwrap_or(Event::Recorded(0))
    }

    /// The count of that event, with its sign; 0 if none was written.
    pub(crate) fn first_count(&self, events: &Events, row: &[i64]) -> i64 {
        events.counted(row, self.first_event())
    }

    /// Lists everything if rows are ordered by a ratio, which has no percentages.
    pub(crate) fn without_ratio_thresholds(&mut self) {
        if self.sort.iter().any(|event| event.is_ratio()) {
            self.everything = true;
            self.thresholds.fill(Threshold::whole(100));
        }
    }

    /// The count that sorts first, as [`compare`](Self::compare) uses it: rows with a larger one
    /// come first.
    pub(crate) fn key(&self, events: &Events, row: &[i64]) -> i64 {
        self.sort
            .first()
            .map_or(0, |&event| self.weight(events, row, event).unwrap_or(-1))
    }

    /// The count of an event in a row, as rows are ordered by it.
    #[inline]
    pub(crate) fn weight(&self, events: &Events, row: &[i64], event: Event) -> Option<i64> {
        // A ratio that is not known comes last, even after those below 0.
        let last = event.is_ratio().then_some(NEVER);
        let count = events.count(row, event).or(last)?;
        Some(if self.by_size.contains(&event) && count != NEVER {
            count.saturating_abs()
        } else {
            count
        })
    }

    /// Compares two rows: most expensive first, by the sort events in turn. A count that was never
    /// written comes after 0.
    pub(crate) fn compare(&self, events: &Events, a: &[i64], b: &[i64]) -> Ordering {
        // There can be hundreds of events, and hundreds of thousands of rows without any count.
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
