//! Where in a comparison of two runs a row of a history is, and what in it changed most.

use super::collected::History;
use crate::analysis::Label;
use crate::analysis::difference::Matching;
use crate::profile::Event;

/// The function that changed most between two runs, by self cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Largest<'m> {
    /// Which.
    pub label: Label<'m>,
    /// What it cost before.
    pub before: i64,
    /// What it costs.
    pub after: i64,
}

/// Where else a function is that was renamed or moved, which makes another row of it; and what it is called in this one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elsewhere<'m> {
    /// Until then there, now here.
    Before(Label<'m>, Label<'m>),
    /// From then on there, until then here.
    After(Label<'m>, Label<'m>),
}

impl<'m> Largest<'m> {
    /// Of a row, or of all; of several that changed alike, the first by name. None if nothing changed.
    pub fn new(
        matching: &'m Matching<'_>,
        event: Event,
        of: Option<(&History, usize)>,
    ) -> Option<Largest<'m>> {
        let events = matching.events();
        let is_meant =
            |label: &Label| of.is_none_or(|(history, row)| history.row_of(label) == Some(row));
        let all = matching.pairs.iter().enumerate().filter_map(|(at, &pair)| {
            let (before, after) = matching.own(pair).counts(events, event);
            let (before, after) = (before.unwrap_or(0), after.unwrap_or(0));
            let label = matching
                .label(at)
                .filter(|label| before != after && is_meant(label))?;
            Some(Largest {
                label,
                before,
                after,
            })
        });
        all.max_by(|a, b| {
            a.size()
                .cmp(&b.size())
                .then_with(|| b.label.compare(&a.label))
        })
    }

    fn size(&self) -> u64 {
        self.after.abs_diff(self.before)
    }
}

impl History {
    /// The function of a comparison that changed most of those that a row is in either run; of several, the first by name.
    pub fn pair_in(&self, matching: &Matching<'_>, row: usize, event: Event) -> Option<usize> {
        let is_meant = |at: &usize| {
            matching
                .labels(*at)
                .into_iter()
                .flatten()
                .any(|label| self.is_of(&label, row))
        };
        let size = |at: usize| {
            matching
                .own(matching.pairs[at])
                .delta(matching.events(), event)
                .unsigned_abs()
        };
        (0..matching.pairs.len()).filter(is_meant).max_by(|&a, &b| {
            size(a)
                .cmp(&size(b))
                .then_with(|| matching.sort_key(b).cmp(&matching.sort_key(a)))
                .then(b.cmp(&a))
        })
    }

    /// What a function of a comparison was called in the other of the runs, if that is another row than this one.
    pub fn elsewhere<'m>(
        &self,
        matching: &'m Matching<'_>,
        pair: usize,
        row: usize,
    ) -> Option<Elsewhere<'m>> {
        let [Some(old), Some(new)] = matching.labels(pair) else {
            return None;
        };
        match (self.is_of(&old, row), self.is_of(&new, row)) {
            (false, true) => Some(Elsewhere::Before(old, new)),
            (true, false) => Some(Elsewhere::After(new, old)),
            _ => None,
        }
    }

    fn is_of(&self, label: &Label<'_>, row: usize) -> bool {
        self.row_of(label) == Some(row)
    }
}
