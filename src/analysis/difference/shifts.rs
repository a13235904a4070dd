//! Finds where old lines are in the new file. If a function moved within a file, all its lines
//! moved by the same distance. So for each function and file, old lines are shifted by the distance
//! that maps most of them to new lines.
//!
//! For a function that only the old run has, the functions around it decide. If the two around it
//! moved by the same distance, it is still between them. Otherwise the new file does not have it.

use super::{Matching, Side};
use crate::profile::{FunctionId, Line, NameId, Order};
use std::collections::{BTreeMap, HashMap};

/// How far the lines of each function moved in each file, if they did; `None` if the new file does
/// not have them.
#[derive(Default)]
pub struct Shifts(HashMap<(usize, NameId), Option<i128>>);

impl Shifts {
    /// Compares the lines of all functions that both sides have.
    pub fn new(matching: &Matching<'_>) -> Shifts {
        let (mut shifts, mut left) = (Shifts::default(), Vec::new());
        for (at, pair) in matching.pairs.iter().enumerate() {
            let Some(old) = pair.old else { continue };
            // Most functions have not moved.
            let olds = matching.old.profile.lines_of(old);
            let news = pair
                .new
                .map_or(&[][..], |new| matching.new.profile.lines_of(new));
            let place = |line: &Line| (line.file, line.line);
            if olds.iter().map(place).eq(news.iter().map(place)) {
                continue;
            }
            let news = pieces(&matching.new, pair.new);
            for (file, lines) in pieces(&matching.old, Some(old)) {
                match news.get(&file).map(|new| shift(lines, new)) {
                    Some(0) => {}
                    Some(shift) => drop(shifts.0.insert((at, file), Some(shift))),
                    None => left.push(((at, file), lines)),
                }
            }
        }
        if !left.is_empty() {
            let files = FileCode::all(matching, &shifts);
            for ((at, file), lines) in left {
                if let Some((code, old)) = files.get(&file).zip(span(lines)) {
                    shifts.0.insert((at, file), code.shift(old));
                }
            }
        }
        shifts
    }

    /// Whether the old lines of a function in a file are not in the new one, by the function's
    /// pair.
    pub fn is_removed(&self, pair: usize, file: NameId) -> bool {
        self.0.get(&(pair, file)) == Some(&None)
    }

    /// How far the lines of a function in a file moved.
    pub(super) fn shift(&self, pair: usize, file: NameId) -> i128 {
        let known = self.0.get(&(pair, file));
        known.copied().flatten().unwrap_or(0)
    }
}

/// The place of a line that moved by `shift`. An unknown line has no place, and must not equal a
/// line that moved to the beginning of the file.
pub(super) fn shifted(line: u64, shift: i128) -> Option<i128> {
    (line > 0).then(|| i128::from(line) + shift)
}

/// The lines of a function by file.
pub(super) fn pieces<'p>(
    side: &'p Side<'_>,
    id: Option<FunctionId>,
) -> BTreeMap<NameId, &'p [Line]> {
    let lines = id.map_or(&[][..], |id| side.profile.lines_of(id));
    lines
        .chunk_by(|a, b| a.file == b.file)
        .map(|piece| (piece[0].file, piece))
        .collect()
}

/// The distance that maps most old lines to new ones: 0, that of the first lines, or that of the
/// last.
fn shift(old: &[Line], new: &[Line]) -> i128 {
    if old.iter().map(|l| l.line).eq(new.iter().map(|l| l.line)) {
        return 0;
    }
    let known = |lines: &[Line]| -> Vec<i128> {
        lines
            .iter()
            .filter(|l| l.line > 0)
            .map(|l| i128::from(l.line))
            .collect()
    };
    let (old, new) = (known(old), known(new));
    let (Some(a), Some(b), Some(y), Some(z)) = (old.first(), new.first(), old.last(), new.last())
    else {
        return 0;
    };
    let meet = |shift: i128| {
        old.iter()
            .filter(|&&line| new.binary_search(&(line + shift)).is_ok())
            .count()
    };
    let mut candidates = [0, b - a, z - y];
    candidates.order_by_key(|shift| shift.abs());
    candidates.into_iter().fold(0, |best, shift| {
        if meet(shift) > meet(best) {
            shift
        } else {
            best
        }
    })
}

/// The lines from the first to the last.
type LineSpan = (i128, i128);

/// Sorts spans by their first lines. The last line of each is then the last of it and of all spans
/// before it.
fn order(spans: &mut [LineSpan]) {
    spans.order();
    let mut end = i128::MIN;
    for span in spans {
        end = end.max(span.1);
        span.1 = end;
    }
}

/// Whether any of such spans has a line in common with this one.
fn meet(spans: &[LineSpan], (first, last): LineSpan) -> bool {
    let beginning = spans.partition_point(|&(begins, _)| begins <= last);
    beginning
        .checked_sub(1)
        .is_some_and(|at| spans[at].1 >= first)
}

/// What the functions of a file say about its code.
#[derive(Default)]
struct FileCode {
    /// Where functions of both runs begin in the old file, in order, and how far they moved.
    kept: Vec<(i128, i128)>,
    /// Their lines in the old file.
    old: Vec<LineSpan>,
    /// Their lines in the new file, and those of functions that only the new run has.
    new: Vec<LineSpan>,
}

impl FileCode {
    /// Collects from all functions how their files changed.
    fn all(matching: &Matching<'_>, shifts: &Shifts) -> HashMap<NameId, FileCode> {
        let mut files: HashMap<NameId, FileCode> = HashMap::new();
        for (at, pair) in matching.pairs.iter().enumerate() {
            let [old, new] = matching.both(pair.ids(), own_lines).map(Option::flatten);
            if let Some((file, news)) = new {
                files.entry(file).or_default().new.extend(span(news));
            }
            if let Some(((file, olds), _)) = old.zip(new).filter(|((a, _), (b, _))| a == b)
                && let Some(span) = span(olds)
            {
                let found = files.entry(file).or_default();
                found.kept.push((span.0, shifts.shift(at, file)));
                found.old.push(span);
            }
        }
        for code in files.values_mut() {
            code.kept.order();
            order(&mut code.old);
            order(&mut code.new);
        }
        files
    }

    /// How far lines of the old file moved, if no function of the new run has them; `None` if they
    /// are not in the new file.
    fn shift(&self, old: LineSpan) -> Option<i128> {
        let after = self.kept.partition_point(|&(begins, _)| begins <= old.0);
        let before = after.checked_sub(1).map_or(0, |at| self.kept[at].1);
        let shift = self.kept.get(after).map_or(before, |&(_, shift)| shift);
        // Functions have lines in common if they come from one template or macro. Otherwise the
        // code there now is different.
        let is_taken = !meet(&self.old, old) && meet(&self.new, (old.0 + shift, old.1 + shift));
        (shift == before && !is_taken).then_some(shift)
    }
}

/// The lines of a function in its own file.
fn own_lines<'s>(side: &'s Side<'_>, id: FunctionId) -> Option<(NameId, &'s [Line])> {
    let file = side.profile.function(id).file;
    side.profile
        .lines_of(id)
        .chunk_by(|a, b| a.file == b.file)
        .find(|piece| piece[0].file == file)
        .map(|piece| (file, piece))
}

/// The lines from the first known one to the last.
fn span(lines: &[Line]) -> Option<LineSpan> {
    let first = lines.iter().find(|line| line.line > 0)?;
    Some((first.line.into(), lines.last()?.line.into()))
}
