//! Shortens trees of callers and callees. `malloc` has hundreds of callers, and a cycle can have
//! hundreds of members. Omitted rows are summed up in one row.

use super::ArcRow;
use crate::{
    analysis::Label,
    profile::{Counts, FunctionId, extend_with},
};

/// This many callers or callees of the first level get a row, however small their cost.
const LISTED: usize = 20;

/// This many functions of a cycle, and of recursive calls, are named.
const NAMED: usize = 5;

/// A caller or callee in a tree.
#[derive(Clone)]
pub struct Step<'a> {
    /// Its id.
    pub id: FunctionId,
    /// The caller or callee.
    pub label: Label<'a>,
    /// The number of calls; `None` if the cost is an estimate. From the second level on it is an
    /// estimate, unless all calls of the previous step are in this one or come from it. In a
    /// recorded tree of callers, it is the number of calls by way of this caller.
    pub count: Option<u64>,
    pub(crate) cost: Vec<i64>,
    /// The depth below the function, from 0.
    pub level: usize,
}

impl Step<'_> {
    /// The cost of the calls.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }
}

/// Callers or callees.
#[derive(Default)]
pub struct Steps<'a> {
    /// The tree. Each step comes before those below it; siblings are ordered by cost, highest
    /// first.
    pub steps: Vec<Step<'a>>,
    /// Whether requested levels are missing, because the tree would be too large.
    pub cut: bool,
    /// The omitted rows of the first level.
    pub more: Option<Sum>,
    pub(crate) rest: Vec<i64>,
}

/// The sum of several rows. The cost is empty if costs do not add up.
#[derive(Default)]
pub struct Sum {
    /// The number of rows.
    pub count: u64,
    /// The number of calls, for arcs.
    pub calls: u64,
    pub(crate) cost: Vec<i64>,
}

impl Sum {
    /// The sum of their costs.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }

    pub(super) fn add(&mut self, calls: u64, cost: &[i64]) {
        self.count += 1;
        self.calls = self.calls.saturating_add(calls);
        extend_with(&mut self.cost, cost);
    }
}

/// Recursive calls.
pub struct RecursiveCalls<'a> {
    /// The first calls, which are the most expensive or the most frequent.
    pub calls: Vec<ArcRow<'a>>,
    /// The sum of the others.
    pub more: Option<Sum>,
}

impl<'a> RecursiveCalls<'a> {
    /// Shortens a list to the wanted number of rows.
    pub(crate) fn new(mut calls: Vec<ArcRow<'a>>, rows: Option<usize>) -> RecursiveCalls<'a> {
        let others = calls.split_off(named(rows, calls.len()));
        let mut more = Sum::default();
        others.iter().for_each(|call| more.add(call.count, &[]));
        RecursiveCalls {
            calls,
            more: Some(more).filter(|more| more.count > 0),
        }
    }
}

/// How many of `all` functions are named.
pub(crate) fn named(rows: Option<usize>, all: usize) -> usize {
    match rows {
        Some(rows) => rows.min(all),
        // A row for one more function is no shorter than its name.
        None if all == NAMED + 1 => all,
        None => NAMED.min(all),
    }
}

impl Steps<'_> {
    /// The cost that the first level does not explain; empty if there is none.
    pub fn rest_counts(&self) -> Counts<'_> {
        Counts(&self.rest)
    }

    /// The number of rows of the first level with such a cost.
    pub(crate) fn count_of(&self, is_so: impl Fn(&[i64]) -> bool) -> usize {
        self.steps
            .iter()
            .filter(|step| step.level == 0 && is_so(&step.cost))
            .count()
    }

    /// Keeps `rows` rows of the first level and what is below them. By default it keeps those with
    /// enough cost, and at least a few.
    pub(crate) fn shorten(&mut self, rows: Option<usize>, is_worth_a_row: impl Fn(&[i64]) -> bool) {
        let firsts: Vec<usize> = (0..self.steps.len())
            .filter(|&at| self.steps[at].level == 0)
            .collect();
        let wanted = rows.unwrap_or_else(|| {
            let worthy = firsts
                .iter()
                .rposition(|&at| is_worth_a_row(&self.steps[at].cost));
            let enough = worthy.map_or(0, |last| last + 1).max(LISTED);
            if firsts.len() == enough + 1 {
                firsts.len()
            } else {
                enough
            }
        });
        let Some(&end) = firsts.get(wanted) else {
            return;
        };
        let mut more = Sum::default();
        for step in self
            .steps
            .split_off(end)
            .iter()
            .filter(|step| step.level == 0)
        {
            more.add(step.count.unwrap_or(0), &step.cost);
        }
        self.more = Some(more);
    }
}
