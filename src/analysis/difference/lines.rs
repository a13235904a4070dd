//! Compares lines. A function that moved within a file took its lines along: for each function and file, old lines are
//! shifted by the distance that maps most of them to new ones. Where only old lines are left, the functions around tell how
//! far they moved, or that the new file does not have them.

use super::change::{Change, ChangeRef};
use super::removed::Gone;
use super::sides::{Matching, Side};
use crate::analysis::ties::FileRanks;
use crate::profile::{FunctionId, Line, NameId, Order};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How far the lines of each function moved in each file.
#[derive(Default)]
pub struct Shifts {
    by_place: HashMap<(usize, NameId), i128>,
    /// Where no old line of a function is in the new file.
    removed: HashSet<(usize, NameId)>,
}

impl Shifts {
    /// Compares the lines of all functions that both sides have.
    pub fn new(matching: &Matching<'_>) -> Shifts {
        let (mut by_place, mut removed) = (HashMap::new(), HashSet::new());
        let gone = Gone::new(matching);
        for (at, pair) in matching.pairs.iter().enumerate() {
            let Some(old) = pair.old else { continue };
            // Most have not moved.
            let olds = matching.old.profile.lines_of(old);
            let news = pair.new.map_or(&[][..], |new| matching.new.profile.lines_of(new));
            let place = |line: &Line| (line.file, line.line);
            if olds.iter().map(place).eq(news.iter().map(place)) {
                continue;
            }
            let news = pieces(&matching.new, pair.new);
            for (file, lines) in pieces(&matching.old, Some(old)) {
                match news.get(&file).map_or_else(|| gone.shift(file, lines), |new| Some(shift(lines, new))) {
                    Some(0) => {}
                    Some(shift) => {
                        by_place.insert((at, file), shift);
                    }
                    None => {
                        removed.insert((at, file));
                    }
                }
            }
        }
        Shifts { by_place, removed }
    }

    /// Whether the old lines of a function in a file are not in the new one, by the function's pair.
    pub fn is_removed(&self, pair: usize, file: NameId) -> bool {
        self.removed.contains(&(pair, file))
    }

    /// Where an old line of a function would be in the new file, by the function's pair; `None` for one that is not known.
    pub fn place(&self, pair: usize, file: NameId, line: u64) -> Option<i128> {
        shifted(line, self.of(pair, file))
    }

    /// How far the lines of a function in a file moved.
    fn of(&self, pair: usize, file: NameId) -> i128 {
        self.by_place.get(&(pair, file)).copied().unwrap_or(0)
    }
}

/// Where a line is that moved so far. One that is not known is nowhere, and not where one is that moved to the beginning of
/// the file.
pub(super) fn shifted(line: u64, shift: i128) -> Option<i128> {
    (line > 0).then(|| i128::from(line) + shift)
}

/// The lines of a function by file.
fn pieces<'p>(side: &'p Side<'_>, id: Option<FunctionId>) -> BTreeMap<NameId, &'p [Line]> {
    let lines = id.map_or(&[][..], |id| side.profile.lines_of(id));
    lines.chunk_by(|a, b| a.file == b.file).map(|piece| (piece[0].file, piece)).collect()
}

/// The distance that maps most old lines to new ones: none, that of the first lines, or that of the last.
pub(super) fn shift(old: &[Line], new: &[Line]) -> i128 {
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

/// The cost of one function at one line. There can be millions: what it cost stays where it is.
#[derive(Clone, Debug)]
pub struct LineRow<'m> {
    /// The function, by its place among the pairs.
    pub pair: usize,
    /// The file, by its name in the comparison.
    pub file: NameId,
    /// Where it stands or would stand in the new file; in the old one if the new one does not have it.
    pub place: i128,
    /// Whether the new file does not have it.
    pub is_removed: bool,
    old: Option<&'m Line>,
    new: Option<&'m Line>,
}

impl<'m> LineRow<'m> {
    /// The line in the old file.
    pub fn old_line(&self) -> Option<u64> {
        self.old.map(|line| line.line)
    }

    /// The line in the new file.
    pub fn new_line(&self) -> Option<u64> {
        self.new.map(|line| line.line)
    }

    /// Self cost, in the comparison that it is of.
    pub fn cost(&self, matching: &'m Matching<'m>) -> ChangeRef<'m> {
        let row = |side: &'m Side<'m>, line: Option<&Line>| line.map_or(&[][..], |line| side.profile.line_cost(line));
        ChangeRef { old: row(&matching.old, self.old), new: row(&matching.new, self.new) }
    }

    /// Whether it is known which line it is.
    fn is_known(&self) -> bool {
        self.old.or(self.new).is_some_and(|line| line.line > 0)
    }
}

/// All lines of all functions, by pair.
pub(super) fn rows<'m>(matching: &'m Matching<'m>, shifts: &Shifts) -> Vec<LineRow<'m>> {
    let mut rows = Vec::new();
    for (pair, sides) in matching.pairs.iter().enumerate() {
        let mut olds = pieces(&matching.old, sides.old);
        for (file, news) in pieces(&matching.new, sides.new) {
            let olds = olds.remove(&file).unwrap_or_default();
            merge((pair, file), (olds, news), shifts, &mut rows);
        }
        for (file, olds) in olds {
            merge((pair, file), (olds, &[]), shifts, &mut rows);
        }
    }
    rows
}

/// Brings lines to the front that have something, and says how many they are. The order changes.
pub(super) fn divide(rows: &mut [LineRow<'_>], has: impl Fn(&LineRow<'_>) -> bool) -> usize {
    let mut count = 0;
    for at in 0..rows.len() {
        if has(&rows[at]) {
            rows.swap(at, count);
            count += 1;
        }
    }
    count
}

/// Sorts lines by file, place and name of the function.
pub(super) fn by_place(rows: &mut [LineRow<'_>], matching: &Matching<'_>) {
    let files = FileRanks::of_files(&matching.new.profile, rows.iter().map(|row| row.file));
    let place = |row: &LineRow| (files.key(row.file), row.place);
    rows.sort_unstable_by(|a, b| {
        (place(a).cmp(&place(b)))
            .then_with(|| matching.sort_key(a.pair).cmp(&matching.sort_key(b.pair)))
            .then_with(|| (a.pair, a.is_known()).cmp(&(b.pair, b.is_known())))
    });
}

/// The lines of one function in one file, of both sides.
fn merge<'m>(
    (pair, file): (usize, NameId),
    (olds, news): (&'m [Line], &'m [Line]),
    shifts: &Shifts,
    rows: &mut Vec<LineRow<'m>>,
) {
    let (shift, is_removed) = (shifts.of(pair, file), shifts.is_removed(pair, file));
    let (mut olds, mut news) = (olds.iter().peekable(), news.iter().peekable());
    loop {
        let next = [olds.peek().map(|line| shifted(line.line, shift)), news.peek().map(|line| shifted(line.line, 0))];
        let Some(first) = next.into_iter().flatten().min() else { return };
        let old = if next[0] == Some(first) { olds.next() } else { None };
        let new = if next[1] == Some(first) { news.next() } else { None };
        rows.push(LineRow { pair, file, place: first.unwrap_or(0), is_removed, old, new });
    }
}

/// The changes in one file of the new run.
pub struct FileChanges<'d> {
    /// The file as the new run names it.
    pub name: &'d [u8],
    /// The lines of all functions, by line.
    pub(super) rows: Vec<&'d LineRow<'d>>,
    /// Those of the old file that this one does not have, by line.
    pub(super) removed: Vec<&'d LineRow<'d>>,
    pub(super) matching: &'d Matching<'d>,
}

impl<'d> FileChanges<'d> {
    /// What each line cost in both runs.
    pub fn lines(&self) -> LineSums<'_, 'd> {
        LineSums::new(&self.rows, self.matching)
    }

    /// What each line cost that the old file had and this one does not.
    pub fn removed(&self) -> LineSums<'_, 'd> {
        LineSums::new(&self.removed, self.matching)
    }
}

/// Goes from line to line of a file and adds up what functions cost at each.
pub struct LineSums<'f, 'd> {
    rows: &'f [&'d LineRow<'d>],
    matching: &'d Matching<'d>,
    at: usize,
    line: Option<u64>,
    cost: Change,
}

impl<'f, 'd> LineSums<'f, 'd> {
    fn new(rows: &'f [&'d LineRow<'d>], matching: &'d Matching<'d>) -> LineSums<'f, 'd> {
        LineSums { rows, matching, at: 0, line: None, cost: Change::default() }
    }

    /// Goes on to the next line that has costs, and to the first one at first. `None` behind the last.
    pub fn advance(&mut self) -> Option<u64> {
        self.cost.clear();
        let rest = &self.rows[self.at..];
        let place = rest.first().map(|row| row.place);
        for row in rest.iter().take_while(|row| Some(row.place) == place) {
            self.cost.add(row.cost(self.matching));
            self.at += 1;
        }
        // All that are known and not before the file's first are numbers of lines.
        self.line = place.and_then(|place| u64::try_from(place).ok());
        self.line
    }

    /// The line it has come to.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// What that cost.
    pub fn cost(&self) -> &Change {
        &self.cost
    }
}
