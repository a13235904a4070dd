//! Inclusive costs and call counts of whole functions, from formats that state them.
//!
//! Callgrind's format does not state them, so inclusive cost is computed from the calls. If a
//! format states it, or a reader can compute it better than from arcs, it is stored here and always
//! used.

use super::{ColumnMap, Costs, Counts, FunctionId, Overflow, extend_with};
use std::collections::{BTreeMap, BTreeSet};

/// The costs of your functions in a saved baseline.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StatedOwn {
    /// The patterns of your code.
    pub(crate) code: Vec<Vec<u8>>,
    /// For each of your functions, its cost with the library code that is attributed to it, and the
    /// lower and upper bound of that cost.
    pub(crate) costs: BTreeMap<FunctionId, [Vec<i64>; 3]>,
    /// Functions that were inlined somewhere, so that nobody counted their calls.
    pub(crate) uncounted: BTreeSet<FunctionId>,
}

/// The stated values of every function of a profile.
#[derive(Clone, Default)]
pub struct StatedCosts {
    inclusive: Costs,
    /// Whether any function has an inclusive cost here.
    pub(crate) has_inclusive: bool,
    calls: Vec<u64>,
    lines: Vec<u64>,
    pub(crate) own: Option<Box<StatedOwn>>,
}

impl StatedCosts {
    /// The inclusive cost; empty for a function without one.
    pub fn inclusive_counts(&self, id: FunctionId) -> Counts<'_> {
        Counts(self.inclusive(id))
    }

    pub(crate) fn inclusive(&self, id: FunctionId) -> &[i64] {
        if id.index() < self.calls.len() {
            self.inclusive.row(id.0)
        } else {
            &[]
        }
    }

    /// How often the function ran, including the program's start and calls from outside.
    pub fn calls(&self, id: FunctionId) -> u64 {
        self.calls.get(id.index()).copied().unwrap_or(0)
    }

    /// The line of the function's first cost, where it begins unless it is built in; 0 if unknown.
    pub fn line(&self, id: FunctionId) -> u64 {
        self.lines.get(id.index()).copied().unwrap_or(0)
    }

    /// Adds values to a function. It keeps the first line that is given.
    pub(crate) fn add(
        &mut self,
        id: FunctionId,
        inclusive: &[i64],
        calls: u64,
        line: u64,
    ) -> Overflow {
        while self.calls.len() <= id.index() {
            self.inclusive.push();
            self.calls.push(0);
            self.lines.push(0);
        }
        let at = id.index();
        if self.lines[at] == 0 {
            self.lines[at] = line;
        }
        self.has_inclusive |= !inclusive.is_empty();
        let over = self.calls[at].checked_add(calls).is_none();
        self.calls[at] = self.calls[at].saturating_add(calls);
        self.inclusive.add(id.0, inclusive) | over
    }

    /// Whether a baseline has inclusive costs or calls. It does not write unknown ones.
    pub(crate) fn has_inclusive_or_calls(&self) -> bool {
        self.has_inclusive || self.calls.iter().any(|&calls| calls > 0)
    }

    /// Adds the values of another reading; `functions` maps its function ids to those here.
    pub(crate) fn absorb(
        &mut self,
        other: &StatedCosts,
        functions: &[FunctionId],
        columns: &mut ColumnMap,
    ) -> Overflow {
        let mut over = false;
        if self.calls.is_empty() {
            self.has_inclusive = other.has_inclusive;
        }
        // A value that only one of the two states would be a part of the sum.
        let both = self.has_inclusive && other.has_inclusive;
        if self.has_inclusive && !both {
            (0..self.inclusive.len() as u32).for_each(|row| self.inclusive.set(row, &[]));
            self.has_inclusive = false;
        }
        over |= self.absorb_own(other, functions, columns);
        for (at, &id) in functions.iter().enumerate().take(other.calls.len()) {
            let from = FunctionId(at as u32);
            let inclusive = if both {
                columns.place(other.inclusive(from))
            } else {
                &[]
            };
            over |= self.add(id, inclusive, other.calls(from), other.line(from));
        }
        over
    }

    /// Adds the costs of your functions, if your code is the same in both.
    fn absorb_own(
        &mut self,
        other: &StatedCosts,
        functions: &[FunctionId],
        columns: &mut ColumnMap,
    ) -> Overflow {
        let mut over = false;
        if self.calls.is_empty() {
            self.own = other.own.as_ref().map(|own| {
                Box::new(StatedOwn {
                    code: own.code.clone(),
                    ..StatedOwn::default()
                })
            });
        }
        match (&mut self.own, &other.own) {
            (Some(own), Some(more)) if own.code == more.code => {
                own.uncounted.extend(
                    more.uncounted
                        .iter()
                        .filter_map(|id| functions.get(id.index())),
                );
                for (id, rows) in &more.costs {
                    let Some(&id) = functions.get(id.index()) else {
                        continue;
                    };
                    for (sum, row) in own.costs.entry(id).or_default().iter_mut().zip(rows) {
                        over |= extend_with(sum, columns.place(row));
                    }
                }
            }
            (own, _) => *own = None,
        }
        over
    }
}
