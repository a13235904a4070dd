//! Lines by their cost: one row for what one function cost at one line of one file.

use super::listing::Label;
use super::selection::{Progress, Selection};
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
        let mut progress = Progress::new(selection, events, &profile.totals.row);
        let enough = lines.iter().position(|line| {
            let done = progress.is_done();
            progress.add(profile.line_cost(line));
            done
        });
        lines.truncate(enough.unwrap_or(lines.len()));
        let narrow = &selection.narrow;
        lines.retain(|line| {
            narrow.takes(profile, line.function, line.file)
                && narrow.is_enough(selection, profile, profile.line_cost(line))
        });
        lines.truncate(narrow.room(lines.len()));
        LineList { lines }
    }
}
