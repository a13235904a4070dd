//! What a comparison lists: functions, lines, or objects, files and classes.

use crate::analysis::difference::{Difference, GroupDifference, LineDifference};

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
