//! Self cost by function, code file and line, while a profile is read.
//!
//! One *segment* holds the lines that one function has in one file. Most segments have a few lines,
//! which are searched one by one.
//!
//! For whoever changes this: every change of line in the input needs the row of that line, so a
//! hash lookup per line would be too slow. The lines of a function are close together. A larger
//! segment therefore has a table of *stretches*, eight successive lines each, and a row is found by
//! index. Stretches without any line are not stored. Lines that would make this table mostly empty
//! go to a hash table, so that no line number in the input can cost memory.

use super::{Costs, FunctionId, Line, NameId, Overflow, index::Index};
use std::{iter, ops::Range};

const NONE: u32 = u32::MAX;

/// The most lines of a segment without a table.
const FEW: u32 = 4;

/// How many successive lines a stretch has. A stretch holds their rows, or [`NONE`].
const STRETCH: u64 = 8;
type Stretch = [u32; STRETCH as usize];

struct Segment {
    function: FunctionId,
    file: NameId,
    /// The row of its last new line, the number of its lines, and how many of them are in the hash
    /// table.
    last: u32,
    used: u32,
    far: u32,
    /// The first stretch of its table, counted from line 0 of the file.
    base: u64,
    /// The start of its table in `tables`, and its length, which is 0 without a table.
    start: usize,
    len: usize,
}

impl Segment {
    /// The range of its table in `tables`.
    fn table(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// A line of a segment.
struct SegmentLine {
    segment: u32,
    /// The row of the segment's previous line.
    before: u32,
    line: u64,
}

/// The lines so far. Row `n` of the costs belongs to entry `n`.
#[derive(Default)]
pub(crate) struct LineTable {
    segments: Vec<Segment>,
    /// The tables of all segments: the index of each stretch, or [`NONE`]. A table that grows moves
    /// to the end.
    tables: Vec<u32>,
    stretches: Vec<Stretch>,
    index: Index,
    /// Rows by segment and line.
    far: Index,
    entries: Vec<SegmentLine>,
    pub(super) costs: Costs,
    current: usize,
    /// The previous segment.
    previous: usize,
}

impl LineTable {
    /// Adds the counts of one cost line.
    pub(crate) fn add(
        &mut self,
        function: FunctionId,
        file: NameId,
        line: u64,
        counts: &[i64],
    ) -> Overflow {
        let row = self.row(function, file, line);
        self.costs.add(row, counts)
    }

    /// Adds counts that are all present and not negative to a row.
    #[inline(always)]
    pub(crate) fn add_to_row(&mut self, row: u32, counts: &[i64]) -> Overflow {
        self.costs.add_plain(row, counts)
    }

    /// Finds or adds the row of a line.
    #[inline(always)]
    pub(crate) fn row(&mut self, function: FunctionId, file: NameId, line: u64) -> u32 {
        if !self
            .segments
            .get(self.current)
            .is_some_and(|s| s.function == function && s.file == file)
        {
            self.enter(function, file);
        }
        let segment = &self.segments[self.current];
        let at = (line / STRETCH).wrapping_sub(segment.base);
        if at < segment.len as u64
            && let Some(&stretch) = self.tables.get(segment.start + at as usize)
            && let Some(stretch) = self.stretches.get(stretch as usize)
            && let row = stretch[(line % STRETCH) as usize]
            && row != NONE
        {
            return row;
        }
        self.row_of(line)
    }

    /// Makes the segment of a function in a file the current one.
    #[cold]
    fn enter(&mut self, function: FunctionId, file: NameId) {
        // After inlined code, the previous segment often continues.
        std::mem::swap(&mut self.current, &mut self.previous);
        let segments = &self.segments;
        let is = |at: usize| {
            segments
                .get(at)
                .is_some_and(|s| s.function == function && s.file == file)
        };
        if is(self.current) {
            return;
        }
        // Another part usually has its functions in the same order as the first.
        let behind = self.current.max(self.previous) + 1;
        if is(behind) {
            self.current = behind;
            return;
        }
        let next = self.segments.len();
        self.current =
            self.index
                .number((function, file), |at| is(at as usize), next as u32) as usize;
        if self.current == next {
            reserve_first(&mut self.segments);
            self.segments.push(Segment {
                function,
                file,
                last: NONE,
                used: 0,
                far: 0,
                base: 0,
                start: 0,
                len: 0,
            });
        }
    }

    /// The row of a line that is not in the current segment's table: an existing row or a new one.
    #[cold]
    fn row_of(&mut self, line: u64) -> u32 {
        let current = self.current as u32;
        let segment = &self.segments[self.current];
        let entries = &self.entries;
        let known = if segment.len == 0 {
            self.rows_of(segment)
                .find(|&row| entries[row as usize].line == line)
        } else if segment.far > 0 {
            let is = |row: u32| {
                entries[row as usize].segment == current && entries[row as usize].line == line
            };
            self.far.find((current, line), is)
        } else {
            None
        };
        if let Some(row) = known {
            return row;
        }
        let row = self.costs.push();
        let segment = &mut self.segments[self.current];
        reserve_first(&mut self.entries);
        self.entries.push(SegmentLine {
            segment: current,
            before: segment.last,
            line,
        });
        (segment.last, segment.used) = (row, segment.used + 1);
        if segment.len > 0 {
            self.place(row, line);
        } else if segment.used > FEW {
            let segment = &self.segments[self.current];
            let rows: Vec<u32> = self.rows_of(segment).collect();
            let line_of = |row: u32| self.entries[row as usize].line;
            let first = rows.iter().map(|&row| line_of(row)).min().unwrap_or(line);
            self.segments[self.current].base = first / STRETCH;
            for row in rows {
                self.place(row, self.entries[row as usize].line);
            }
        }
        row
    }

    /// The rows of a segment's lines, the last one first.
    fn rows_of(&self, segment: &Segment) -> impl Iterator<Item = u32> {
        let row = |row: u32| Some(row).filter(|&row| row != NONE);
        iter::successors(row(segment.last), move |&at| {
            row(self.entries[at as usize].before)
        })
    }

    /// Puts a row into the current segment's table, or into the hash table if the line is too far
    /// away.
    fn place(&mut self, row: u32, line: u64) {
        let segment = &self.segments[self.current];
        let wanted = line / STRETCH;
        let room = 16 + 2 * u64::from(segment.used);
        let len = segment.len as u64;
        let end = segment.base + len;
        // A table that grows at least doubles, so that many lines do not move it often.
        if wanted >= end && wanted - segment.base < room {
            self.grow(0, (wanted - segment.base + 1).max(2 * len) - len);
        } else if wanted < segment.base && end - wanted <= room {
            self.grow((segment.base - wanted).max(len).min(segment.base), 0);
        }
        let segment = &mut self.segments[self.current];
        let Some(at) = wanted
            .checked_sub(segment.base)
            .filter(|&at| at < segment.len as u64)
        else {
            segment.far += 1;
            self.far.insert((self.current as u32, line), row);
            return;
        };
        let stretch = &mut self.tables[segment.start + at as usize];
        if *stretch == NONE {
            *stretch = self.stretches.len() as u32;
            self.stretches.push([NONE; STRETCH as usize]);
        }
        self.stretches[*stretch as usize][(line % STRETCH) as usize] = row;
    }

    /// Adds `before` stretches before and `behind` stretches after the current segment's table.
    fn grow(&mut self, before: u64, behind: u64) {
        let segment = &mut self.segments[self.current];
        let (had, before, behind) = (segment.table(), before as usize, behind as usize);
        if before > 0 || had.end != self.tables.len() {
            segment.start = self.tables.len();
            self.tables.resize(segment.start + before, NONE);
            self.tables.extend_from_within(had);
        }
        self.tables.resize(self.tables.len() + behind, NONE);
        segment.base -= before as u64;
        segment.len += before + behind;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// All lines by function, file and line, with their costs.
    pub(crate) fn finish(mut self) -> (Vec<Line>, Costs) {
        (self.tables, self.stretches, self.index, self.far) = Default::default();
        let mut order: Vec<(FunctionId, NameId, usize)> = (0..)
            .zip(&self.segments)
            .map(|(at, s)| (s.function, s.file, at))
            .collect();
        order.sort_unstable();
        let mut lines = Vec::with_capacity(self.entries.len());
        for (function, file, at) in order {
            let first = lines.len();
            let of_row = |row: u32| Line {
                function,
                file,
                line: self.entries[row as usize].line,
                row,
            };
            lines.extend(self.rows_of(&self.segments[at]).map(of_row));
            let lines = &mut lines[first..];
            // Most lines came in the order of their numbers, and `rows_of` returns the last one
            // first.
            lines.reverse();
            if !lines.is_sorted_by_key(|line| line.line) {
                Line::by_place(lines);
            }
        }
        (lines, self.costs)
    }

    /// The lines in insertion order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Line> + '_ {
        (0..)
            .zip(&self.entries)
            .map(|(row, &SegmentLine { segment, line, .. })| {
                let s = &self.segments[segment as usize];
                Line {
                    function: s.function,
                    file: s.file,
                    line,
                    row,
                }
            })
    }

    pub(crate) fn cost(&self, row: u32) -> &[i64] {
        self.costs.row(row)
    }
}

/// Merges all lines of a function in a file into the first one of the input with a known number.
/// How many lines there are before depends on how often the input returns to the function.
pub(super) fn keep_firsts(lines: &mut Vec<Line>) {
    // Rows are in the order in which their lines came.
    let rank = |line: &Line| (line.line == 0, line.row);
    lines.dedup_by(|next, kept| {
        let same = (next.function, next.file) == (kept.function, kept.file);
        if same && rank(next) < rank(kept) {
            *kept = *next;
        }
        same
    });
}

/// Reserves space for one row in an empty table. With very many parts, most tables never grow
/// beyond it.
pub(super) fn reserve_first<T>(table: &mut Vec<T>) {
    if table.capacity() == 0 {
        table.reserve_exact(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Tests lines near each other and far apart, rising and falling, for few functions and files
    /// and for many.
    #[test]
    fn it_has_the_lines_of_a_tree() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for functions in [1, 3, 50] {
            let (mut table, mut tree) = (LineTable::default(), BTreeMap::new());
            for n in 0..20_000u64 {
                let (function, file) = (
                    FunctionId(random(functions) as u32),
                    NameId(random(3) as u32),
                );
                let line = match random(8) {
                    0 => random(40),
                    1 => 1000 + n,
                    2 => 50_000 - n,
                    3 => 16 * n,
                    4 => u64::MAX - random(400),
                    5 => random(u64::MAX),
                    _ => 300 + random(300),
                };
                assert!(!table.add(function, file, line, &[n as i64]));
                *tree.entry((function, file, line)).or_insert(0) += n as i64;
            }
            let came: Vec<Line> = table.iter().collect();
            let (lines, costs) = table.finish();
            let found = |line: &Line| {
                (
                    (line.function, line.file, line.line),
                    costs.row(line.row)[0],
                )
            };
            assert!(lines.iter().map(found).eq(tree), "{functions}");
            let mut sorted: Vec<_> = came.iter().map(found).collect();
            sorted.sort_unstable();
            assert!(lines.iter().map(found).eq(sorted), "{functions}");
        }
    }
}
