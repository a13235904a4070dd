//! Compares lines. A function that moved within a file took its lines along: for each function and file, old lines are
//! shifted by the distance that maps most of them to new ones.

use super::change::Change;
use super::sides::{Matching, Side};
use crate::profile::{FunctionId, Line, NameId, Order};
use std::collections::{BTreeMap, HashMap};

/// How far the lines of each function moved in each file.
#[derive(Default)]
pub struct Shifts {
    by_place: HashMap<(usize, NameId), i128>,
}

impl Shifts {
    /// Compares the lines of all functions that both sides have.
    pub fn new(matching: &Matching<'_>) -> Shifts {
        let mut by_place = HashMap::new();
        for (at, pair) in matching.pairs.iter().enumerate() {
            let (Some(old), Some(new)) = (pair.old, pair.new) else {
                continue;
            };
            // Most have not moved.
            let (olds, news) = (matching.old.profile.lines_of(old), matching.new.profile.lines_of(new));
            let place = |line: &Line| (line.file, line.line);
            if olds.iter().map(place).eq(news.iter().map(place)) {
                continue;
            }
            let news = pieces(&matching.new, Some(new));
            for (file, lines) in pieces(&matching.old, Some(old)) {
                let shift = news.get(&file).map_or(0, |new| shift(lines, new));
                if shift != 0 {
                    by_place.insert((at, file), shift);
                }
            }
        }
        Shifts { by_place }
    }

    /// The new number of an old line of a function, by its pair. A line that is not known stays so.
    pub fn place(&self, pair: usize, file: NameId, line: u64) -> i128 {
        match line {
            0 => 0,
            _ => i128::from(line) + self.by_place.get(&(pair, file)).copied().unwrap_or(0),
        }
    }
}

/// The lines of a function by file.
fn pieces<'p>(side: &'p Side<'_>, id: Option<FunctionId>) -> BTreeMap<NameId, &'p [Line]> {
    let lines = id.map_or(&[][..], |id| side.profile.lines_of(id));
    lines.chunk_by(|a, b| a.file == b.file).map(|piece| (piece[0].file, piece)).collect()
}

/// The distance that maps most old lines to new ones: none, that of the first lines, or that of the last.
fn shift(old: &[Line], new: &[Line]) -> i128 {
    if old.iter().map(|l| l.line).eq(new.iter().map(|l| l.line)) {
        return 0;
    }
    let known =
        |lines: &[Line]| -> Vec<i128> { lines.iter().filter(|l| l.line > 0).map(|l| i128::from(l.line)).collect() };
    let (old, new) = (known(old), known(new));
    let (Some(a), Some(b), Some(y), Some(z)) = (old.first(), new.first(), old.last(), new.last()) else {
        return 0;
    };
    let meet = |shift: i128| old.iter().filter(|&&line| new.binary_search(&(line + shift)).is_ok()).count();
    let mut candidates = [0, b - a, z - y];
    candidates.order_by_key(|shift| shift.abs());
    candidates.into_iter().fold(0, |best, shift| if meet(shift) > meet(best) { shift } else { best })
}

/// The cost of one function at one line.
#[derive(Clone, Debug)]
pub struct LineRow {
    /// The function, by its place among the pairs.
    pub pair: usize,
    /// The file, by its name in the comparison.
    pub file: NameId,
    /// The line in the old file.
    pub old_line: Option<u64>,
    /// The line in the new file.
    pub new_line: Option<u64>,
    /// Where it stands or would stand in the new file.
    pub place: i128,
    /// Self cost.
    pub cost: Change,
}

/// All lines of all functions, by pair, file and line.
pub(super) fn rows(matching: &Matching<'_>, shifts: &Shifts) -> Vec<LineRow> {
    let mut rows = Vec::new();
    for (at, pair) in matching.pairs.iter().enumerate() {
        let mut found: BTreeMap<(NameId, i128), LineRow> = BTreeMap::new();
        let row =
            |file, place| LineRow { pair: at, file, old_line: None, new_line: None, place, cost: Change::default() };
        for (file, lines) in pieces(&matching.old, pair.old) {
            for line in lines {
                let place = shifts.place(at, file, line.line);
                let row = found.entry((file, place)).or_insert_with(|| row(file, place));
                row.old_line = Some(line.line);
                row.cost.old = matching.old.profile.line_cost(line).to_vec();
            }
        }
        for (file, lines) in pieces(&matching.new, pair.new) {
            for line in lines {
                let place = i128::from(line.line);
                let row = found.entry((file, place)).or_insert_with(|| row(file, place));
                row.new_line = Some(line.line);
                row.cost.new = matching.new.profile.line_cost(line).to_vec();
            }
        }
        rows.extend(found.into_values());
    }
    rows
}

/// The changes in one file of the new run.
#[derive(Clone, Debug)]
pub struct FileChanges<'m> {
    /// The file as the new run names it.
    pub name: &'m [u8],
    /// By line: what changed, and what has cost without a change.
    pub lines: BTreeMap<u64, Change>,
}
