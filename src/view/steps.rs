//! Shortens trees of callers and callees: `malloc` has hundreds of callers, and a cycle hundreds of members. What has
//! no row is summed up in one row.

use super::function_rows::ArcRow;
use crate::analysis::Label;
use crate::profile::costs::extend_with;
use crate::profile::{Counts, FunctionId};

/// How many callers or callees of the first level have a row however little they cost.
const LISTED: usize = 20;

/// How many functions of a cycle, and of the calls within recursion, are named.
const NAMED: usize = 5;

/// A caller or callee in a tree.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Its id.
    pub id: FunctionId,
    /// Who.
    pub label: Label<'a>,
    /// How often; `None` where the cost is an estimate: from the second level on, unless all calls of the step before it
    /// are in this one, or come from it. Of a recorded tree, above a function, how often it was called by way of this caller.
    pub count: Option<u64>,
    /// What the calls cost.
    pub(crate) cost: Vec<i64>,
    /// Levels below the function, from 0.
    pub level: usize,
}

impl Step<'_> {
    /// What the calls cost.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }
}

/// Callers or callees.
#[derive(Clone, Default, Debug)]
pub struct Steps<'a> {
    /// A tree, each step before those below it; siblings dearest first.
    pub steps: Vec<Step<'a>>,
    /// Levels that were asked for and are missing.
    pub cut: LeftOut,
    /// The part of the first level without rows.
    pub more: Option<More>,
    /// The part of the cost to be explained that the first level does not have; empty if nothing.
    pub(crate) rest: Vec<i64>,
}

/// What is missing in a tree.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LeftOut {
    /// Nothing.
    #[default]
    Nothing,
    /// Everything below some of its rows, because the tree would be too large.
    Deeper,
}

/// A sum shown in one row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct More {
    /// How many functions.
    pub functions: usize,
    /// How many calls.
    pub count: u64,
    /// What the calls cost; empty where costs do not add up.
    pub(crate) cost: Vec<i64>,
}

impl More {
    /// What the calls cost; empty where costs do not add up.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }
}

/// Calls within recursion.
#[derive(Clone, Debug)]
pub struct RecursiveCalls<'a> {
    /// The first, which are the dearest or the most frequent.
    pub calls: Vec<ArcRow<'a>>,
    /// The others.
    pub more: Option<More>,
}

impl<'a> RecursiveCalls<'a> {
    /// Shortens a list to as many rows as are wanted.
    pub(crate) fn new(mut calls: Vec<ArcRow<'a>>, rows: Option<usize>) -> RecursiveCalls<'a> {
        let others = calls.split_off(named(rows, calls.len()));
        let count = others
            .iter()
            .fold(0, |sum: u64, call| sum.saturating_add(call.count));
        let more = More {
            functions: others.len(),
            count,
            cost: Vec::new(),
        };
        RecursiveCalls {
            calls,
            more: Some(more).filter(|more| more.functions > 0),
        }
    }
}

/// How many of so many functions are named.
pub(crate) fn named(rows: Option<usize>, all: usize) -> usize {
    match rows {
        Some(rows) => rows.min(all),
        // A line for one is no shorter than its name.
        None if all == NAMED + 1 => all,
        None => NAMED.min(all),
    }
}

impl Steps<'_> {
    /// The part of the cost to be explained that the first level does not have; empty if nothing.
    pub fn rest_counts(&self) -> Counts<'_> {
        Counts(&self.rest)
    }

    /// How many rows of the first level are so.
    pub(crate) fn count_of(&self, is_so: impl Fn(&[i64]) -> bool) -> usize {
        self.steps
            .iter()
            .filter(|step| step.level == 0 && is_so(&step.cost))
            .count()
    }

    /// Keeps as many rows of the first level, with what is below them, as are asked for; by default, those with enough
    /// cost, and at least a few.
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
        let mut more = More {
            functions: firsts.len() - wanted,
            count: 0,
            cost: Vec::new(),
        };
        for step in self
            .steps
            .split_off(end)
            .iter()
            .filter(|step| step.level == 0)
        {
            more.count = more.count.saturating_add(step.count.unwrap_or(0));
            extend_with(&mut more.cost, &step.cost);
        }
        self.more = Some(more);
    }
}
