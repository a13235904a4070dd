//! Finds a row of a history in a comparison of two runs, and what changed most in it.

use super::History;
use crate::{
    analysis::{Label, difference::Matching},
    profile::Event,
};

/// The function that changed most between two runs, by self cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Largest<'m> {
    /// The function.
    pub label: Label<'m>,
    /// Its old cost.
    pub before: i64,
    /// Its new cost.
    pub after: i64,
}

/// A function that was renamed or moved between this row and another: its label there, and its
/// label here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Elsewhere<'m> {
    /// It was there before, and is here now.
    Before(Label<'m>, Label<'m>),
    /// It was here before, and is there now.
    After(Label<'m>, Label<'m>),
}

impl<'m> Largest<'m> {
    /// Finds it in a row, or in all. Of several with equal change, it is the first by name. `None`
    /// if nothing changed.
    pub fn new(
        matching: &'m Matching<'_>,
        event: Event,
        of: Option<(&History, usize)>,
    ) -> Option<Largest<'m>> {
        let events = matching.events();
        let is_meant = |label: &Label| of.is_none_or(|(history, row)| history.is_of(label, row));
        let all = matching.pairs.iter().enumerate().filter_map(|(at, &pair)| {
            let [before, after] = matching.own(pair).counted(events, event);
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
    /// The function of a row, in either run, that changed most in a comparison. If several did, the
    /// first by name.
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

    /// The other row of a function in a comparison, if it belongs to another row in the other run.
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
