//! Lines by their cost: one row for what one function cost at one line of one file.

use super::totals::{ProgramTotals, longest};
use crate::analysis::cut::{Ending, Rest};
use crate::analysis::label::Label;
use crate::analysis::order::Order;
use crate::analysis::selection::Selection;
use crate::analysis::session::Session;
use crate::profile::{Counts, Line};
use std::collections::HashSet;

/// What one is called, and many.
pub(crate) const NOUNS: [&str; 2] = ["line", "lines"];

/// Where own code costs that is on none of its lines: others' code was inlined there.
pub(crate) const INLINED: &str = "(inlined, line unknown)";

/// The list.
pub struct LineList<'a> {
    session: &'a Session,
    /// What 100 % is.
    pub totals: ProgramTotals<'a>,
    /// The lines, dearest first, ties by file, line and function, as far as the selection lets them through.
    pub lines: Vec<&'a Line>,
    /// What the totals have beyond these lines, if anything.
    pub rest: Option<Rest>,
    /// For every event, recorded ones first, the length of the longest count.
    pub longest: Vec<usize>,
}

/// One row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineRow<'a> {
    /// The file the code stands in, or words where the code is inlined and its file is not known.
    pub file: &'a [u8],
    /// From 1; 0 is a line that is not known.
    pub line: u64,
    /// The function.
    pub function: Label<'a>,
    /// Its self cost at the line.
    pub(crate) cost: &'a [i64],
}

impl LineRow<'_> {
    /// Its self cost at the line.
    pub fn counts(&self) -> Counts<'_> {
        Counts(self.cost)
    }
}

impl<'a> LineList<'a> {
    /// The rows, in the order of the lines.
    pub fn rows(&self) -> impl Iterator<Item = LineRow<'a>> {
        let profile = self.session.profile();
        let folds = self.session.folds();
        let unplaced = move |line: &Line| line.line == 0 && folds.is_some_and(|f| f.rest_row() != Some(line.function));
        self.lines.iter().map(move |line| LineRow {
            file: if unplaced(line) { INLINED.as_bytes() } else { profile.name(line.file) },
            line: line.line,
            function: Label::of(profile, line.function),
            cost: profile.line_cost(line),
        })
    }

    /// Lists the lines of a profile.
    pub fn new(session: &'a Session, selection: &Selection) -> LineList<'a> {
        let profile = session.profile();
        let events = &profile.events;
        let mut lines: Vec<&Line> = profile.lines.iter().collect();
        lines.order_by(|a, b| {
            let place = |line: &Line| (profile.name(line.file), line.line);
            selection
                .compare(events, profile.line_cost(a), profile.line_cost(b))
                .then_with(|| place(a).cmp(&place(b)))
                .then_with(|| Label::of(profile, a.function).compare(&Label::of(profile, b.function)))
        });
        let wanted = |line: &&Line| selection.narrow.takes(profile, line.function, line.file);
        let ending = Ending { profile, selection };
        let cost = |line: &&'a Line| profile.line_cost(line);
        let listed: Vec<&Line> = ending.until_enough(lines.clone(), cost, wanted).collect();
        let rows: HashSet<u32> = listed.iter().map(|line| line.row).collect();
        let left_out = lines.iter().filter(|line| !rows.contains(&line.row)).map(cost);
        // Some formats say nothing of lines.
        let without = profile.function_ids().filter(|&id| profile.lines_of(id).is_empty());
        let others = left_out.chain(without.map(|id| profile.self_cost(id)));
        let rest = Rest::beside(profile, listed.iter().map(cost), lines.len() - listed.len(), others);
        let rest = Some(rest).filter(|rest| !rest.is_nothing());
        let longest = longest(events, listed.iter().map(cost).chain(rest.iter().flat_map(Rest::costs)));
        LineList { session, totals: ProgramTotals::new(profile), lines: listed, rest, longest }
    }
}
