//! The comparison of two runs as a value, without the annotated sources of the new run.

use crate::analysis::difference::{Difference, GroupDifference, LineDifference, Matching};
use crate::analysis::growth;
use crate::profile::Profile;

/// The page.
pub struct Comparison<'a> {
    /// Routines whose growth with the input size changed.
    pub growth: Vec<growth::GrowthChange>,
    /// The old run.
    pub old: &'a Profile,
    /// The new run.
    pub new: &'a Profile,
    /// The changes.
    pub changes: Changes<'a>,
}

/// The rows of a comparison.
#[derive(Clone, Copy)]
pub enum Changes<'a> {
    /// Functions.
    Functions(&'a Difference<'a>),
    /// Lines of functions.
    Lines(&'a LineDifference<'a>),
    /// Objects, files or classes.
    Groups(&'a GroupDifference<'a>),
}

impl Changes<'_> {
    /// The number of rows that changed and pass the filters, listed or not.
    pub fn count(&self) -> usize {
        let frame = match self {
            Changes::Functions(functions) => &functions.frame,
            Changes::Lines(lines) => &lines.frame,
            Changes::Groups(groups) => &groups.frame,
        };
        frame.changed
    }
}

impl<'a> Comparison<'a> {
    /// The page of two runs.
    pub fn new(matching: &'a Matching<'a>, changes: Changes<'a>) -> Comparison<'a> {
        let (old, new) = (&*matching.old.original, &*matching.new.original);
        Comparison {
            growth: growth::compare(old, new),
            old,
            new,
            changes,
        }
    }
}
