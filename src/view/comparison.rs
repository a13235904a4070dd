//! The comparison of two runs as a value: what comes before the annotated sources of the new run.

use crate::analysis::difference::{Difference, LineDifference};
use crate::analysis::growth;
use crate::profile::Profile;

/// The page.
pub struct Comparison<'a> {
    /// Routines whose cost grows otherwise with the size of their input.
    pub growth: Vec<growth::GrowthChange>,
    /// The old run.
    pub old: &'a Profile,
    /// The new run.
    pub new: &'a Profile,
    /// What changed.
    pub changes: Changes<'a>,
}

/// The rows of a comparison.
pub enum Changes<'a> {
    /// Functions.
    Functions(&'a Difference<'a>),
    /// Lines of functions.
    Lines(&'a LineDifference<'a>),
}

impl<'a> Comparison<'a> {
    /// The page of two runs: functions, or lines if those are given.
    pub fn new(functions: &'a Difference<'a>, lines: Option<&'a LineDifference<'a>>) -> Comparison<'a> {
        let (old, new) = (functions.matching.old.original, functions.matching.new.original);
        let changes = lines.map_or(Changes::Functions(functions), Changes::Lines);
        Comparison { growth: growth::compare(old, new), old, new, changes }
    }
}
