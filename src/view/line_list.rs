//! Lines by cost. A row is the cost of one function at one line of one file.

use super::ListFrame;
use crate::{
    analysis::{
        Ending, Label, Selection, Session,
        ranking::Ranking,
        ties::{FileRanks, Ties, ascending},
    },
    profile::{Line, order},
};
use std::sync::OnceLock;

/// The place of your code that has no line, because library code was inlined there.
pub(crate) const INLINED: &str = "(inlined, line unknown)";

/// The list of lines.
pub struct LineList<'a> {
    session: &'a Session,
    /// The lines that pass the filters, most expensive first; ties by file, line and function.
    pub lines: Vec<&'a Line>,
    /// The totals, the rest, and the widths.
    pub frame: ListFrame<'a>,
}

/// One row.
#[derive(Clone, Copy)]
pub struct LineRow<'a> {
    /// The file of the code, or a text if the code is inlined and its file is unknown.
    pub file: &'a [u8],
    /// The line, from 1; 0 is unknown.
    pub line: u64,
    /// The function.
    pub function: Label<'a>,
    pub(crate) cost: &'a [i64],
}

impl<'a> LineList<'a> {
    /// The rows, in the order of `lines`.
    pub fn rows(&self) -> impl Iterator<Item = LineRow<'a>> {
        (0..self.lines.len()).filter_map(|at| self.row(at))
    }

    /// The row at an index.
    pub(crate) fn row(&self, at: usize) -> Option<LineRow<'a>> {
        let (profile, line) = (self.session.profile(), *self.lines.get(at)?);
        let folds = self.session.folds();
        Some(LineRow {
            file: if folds.is_some_and(|folds| folds.is_inlined(line)) {
                INLINED.as_bytes()
            } else {
                profile.name(line.file)
            },
            line: line.line,
            function: Label::new(profile, line.function),
            cost: profile.line_cost(line),
        })
    }

    /// Lists the lines of a profile.
    pub fn new(session: &'a Session, selection: &Selection) -> LineList<'a> {
        let profile = session.profile();
        let events = &profile.events;
        // Lines by index, because most lists omit most lines.
        let line = |&at: &u32| &profile.lines[at as usize];
        let cost = |at: &u32| profile.line_cost(line(at));
        let ranks = OnceLock::new();
        let rank = |at: &u32| {
            let files = || profile.lines.iter().map(|line| line.file);
            ranks
                .get_or_init(|| FileRanks::of_files(profile, files()))
                .key(line(at).file)
        };
        let compare = |a: &u32, b: &u32| {
            let file = |at: &u32| profile.name(line(at).file);
            let label = |at: &u32| Label::new(profile, line(at).function);
            (selection.compare(events, cost(a), cost(b)))
                .then_with(|| order(file(a), file(b)))
                .then(line(a).line.cmp(&line(b).line))
                .then_with(|| label(a).compare(&label(b)))
                .then(a.cmp(b))
        };
        let ties = Ties::new(events, selection, cost, compare)
            .then(rank)
            .then(|at| ascending(line(at).line));
        let places = 0..profile.lines.len() as u32;
        let keyed = places
            .map(|at| (selection.key(events, cost(&at)), at))
            .collect();
        let ranking = Ranking::with_ties(keyed, ties);
        let wanted = |at: &u32| {
            selection
                .narrow
                .takes(profile, line(at).function, line(at).file)
        };
        let mut is_listed = vec![false; profile.lines.len()];
        let listed = Ending { profile, selection }.until_enough(ranking, cost, wanted);
        let listed: Vec<&Line> = listed
            .inspect(|&at| is_listed[at as usize] = true)
            .map(|at| line(&at))
            .collect();
        let left_out = profile
            .lines
            .iter()
            .zip(&is_listed)
            .filter(|&(_, &is_listed)| !is_listed);
        let left_out = left_out.map(|(line, _)| profile.line_cost(line));
        // Some formats have no lines.
        let without = profile
            .function_ids()
            .filter(|&id| profile.lines_of(id).is_empty());
        let others = left_out.chain(without.map(|id| profile.self_cost(id)));
        let cost = |line: &&'a Line| profile.line_cost(line);
        let count = profile.lines.len() - listed.len();
        let shown = listed.iter().map(cost);
        LineList {
            session,
            frame: ListFrame::new(profile, ["line", "lines"], shown, count, others),
            lines: listed,
        }
    }
}
