//! Compares lines.

use super::{
    Change, ChangeRef, Matching, Shifts,
    shifts::{pieces, shifted},
};
use crate::{
    analysis::ties::FileRanks,
    profile::{Line, NameId},
};

/// The cost of one function at one line. There can be millions, so the costs are not copied.
#[derive(Clone, Debug)]
pub struct ChangedLineRow<'m> {
    /// The function, as an index in the pairs.
    pub pair: usize,
    /// The file, by its name in the comparison.
    pub file: NameId,
    /// Its line in the new file, even if only the old run has it; or its line in the old file if
    /// the new file does not have it.
    pub place: i128,
    /// Whether the new file does not have it.
    pub is_removed: bool,
    /// Its lines in both runs.
    lines: [Option<&'m Line>; 2],
}

impl<'m> ChangedLineRow<'m> {
    /// The line in the old file.
    pub fn old_line(&self) -> Option<u64> {
        self.lines[0].map(|line| line.line)
    }

    /// The line in the new file.
    pub fn new_line(&self) -> Option<u64> {
        self.lines[1].map(|line| line.line)
    }

    /// Its self cost in the comparison that it belongs to.
    pub fn cost(&self, matching: &'m Matching<'m>) -> ChangeRef<'m> {
        matching.change(self.lines, |side, line| side.profile.line_cost(line))
    }
}

/// All lines of all functions, by pair.
pub(super) fn rows<'m>(matching: &'m Matching<'m>, shifts: &Shifts) -> Vec<ChangedLineRow<'m>> {
    let mut rows = Vec::new();
    (0..matching.pairs.len()).for_each(|pair| matching.add_lines(shifts, pair, &mut rows));
    rows
}

impl Matching<'_> {
    /// Adds the lines of a function, an index in the pairs.
    pub(crate) fn add_lines<'m>(
        &'m self,
        shifts: &Shifts,
        pair: usize,
        rows: &mut Vec<ChangedLineRow<'m>>,
    ) {
        let sides = self.pairs[pair];
        let mut olds = pieces(&self.old, sides.old);
        for (file, news) in pieces(&self.new, sides.new) {
            let olds = olds.remove(&file).unwrap_or_default();
            merge((pair, file), (olds, news), shifts, rows);
        }
        for (file, olds) in olds {
            merge((pair, file), (olds, &[]), shifts, rows);
        }
    }
}

/// Sorts lines by file, place and name of the function.
pub(super) fn by_place(rows: &mut [ChangedLineRow<'_>], matching: &Matching<'_>) {
    let files = FileRanks::of_files(&matching.new.profile, rows.iter().map(|row| row.file));
    let place = |row: &ChangedLineRow| (files.key(row.file), row.place);
    // If a function has two lines at place 0, one is unknown, and the other is known in the old
    // file.
    rows.sort_unstable_by(|a, b| {
        (place(a).cmp(&place(b)))
            .then_with(|| matching.sort_key(a.pair).cmp(&matching.sort_key(b.pair)))
            .then_with(|| (a.pair, a.old_line()).cmp(&(b.pair, b.old_line())))
    });
}

/// The lines of one function in one file, from both sides.
fn merge<'m>(
    (pair, file): (usize, NameId),
    (olds, news): (&'m [Line], &'m [Line]),
    shifts: &Shifts,
    rows: &mut Vec<ChangedLineRow<'m>>,
) {
    let (shift, is_removed) = (shifts.shift(pair, file), shifts.is_removed(pair, file));
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    loop {
        let next = [
            olds.peek().map(|line| shifted(line.line, shift)),
            news.peek().map(|line| shifted(line.line, 0)),
        ];
        let Some(first) = next.into_iter().flatten().min() else {
            return;
        };
        let lines = [
            olds.next_if(|line| shifted(line.line, shift) == first),
            news.next_if(|line| shifted(line.line, 0) == first),
        ];
        rows.push(ChangedLineRow {
            pair,
            file,
            place: first.unwrap_or(0),
            is_removed,
            lines,
        });
    }
}

/// The changes in one file of the new run.
pub struct FileChanges<'d> {
    /// The name of the file in the new run.
    pub name: &'d [u8],
    /// The lines of all functions, by line.
    pub(super) rows: Vec<&'d ChangedLineRow<'d>>,
    /// The lines of the old file that this one does not have, by line.
    pub(super) removed: Vec<&'d ChangedLineRow<'d>>,
    pub(super) matching: &'d Matching<'d>,
}

impl<'d> FileChanges<'d> {
    /// The lines, and the cost of each in both runs.
    pub fn lines(&self) -> impl Iterator<Item = (u64, Change)> {
        sums(&self.rows, self.matching)
    }

    /// The lines of the old file that this one does not have, and the cost of each.
    pub fn removed(&self) -> impl Iterator<Item = (u64, Change)> {
        sums(&self.removed, self.matching)
    }
}

/// Adds up the costs of all functions at each line. The rows are sorted by place.
fn sums<'d>(
    rows: &[&'d ChangedLineRow<'d>],
    matching: &'d Matching<'d>,
) -> impl Iterator<Item = (u64, Change)> {
    rows.chunk_by(|a, b| a.place == b.place)
        .filter_map(|at_line| {
            let mut cost = Change::default();
            at_line.iter().for_each(|row| cost.add(row.cost(matching)));
            // Every known place that is not before the start of the file is a line number.
            Some((u64::try_from(at_line[0].place).ok()?, cost))
        })
}
