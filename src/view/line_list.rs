//! Lines by their cost: one row for what one function cost at one line of one file.

use crate::analysis::cut::Ending;
use crate::analysis::label::Label;
use crate::analysis::selection::Selection;
use crate::profile::{Line, Profile};

/// The list.
pub struct LineList<'a> {
    /// The lines, dearest first, ties by file, line and function, as far as the selection lets them through.
    pub lines: Vec<&'a Line>,
}

impl<'a> LineList<'a> {
    /// Lists the lines of a profile.
    pub fn new(profile: &'a Profile, selection: &Selection) -> LineList<'a> {
        let events = &profile.events;
        let mut lines: Vec<&Line> = profile.lines.iter().collect();
        lines.sort_by(|a, b| {
            let place = |line: &Line| (profile.name(line.file), line.line);
            selection
                .compare(events, profile.line_cost(a), profile.line_cost(b))
                .then_with(|| place(a).cmp(&place(b)))
                .then_with(|| Label::of(profile, a.function).compare(&Label::of(profile, b.function)))
        });
        let wanted = |line: &&Line| selection.narrow.takes(profile, line.function, line.file);
        let ending = Ending { profile, selection };
        LineList { lines: ending.until_enough(lines, |line| profile.line_cost(line), wanted).collect() }
    }
}
