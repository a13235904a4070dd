//! Self cost by function, code file and line, while a profile is being read.
//!
//! One *segment* holds the lines that one function has in one file. A function's lines lie close together, so a segment
//! is a short table indexed by line: finding a line's row takes no hashing. Lines that would make the table mostly
//! empty go to a hash table instead, so that no line number can cost memory.

use super::costs::{Costs, Overflow};
use super::names::NameId;
use super::{FunctionId, Grouped, Line};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// How long a segment's table is at first.
const FIRST_ENTRIES: u64 = 4;

struct Segment {
    function: FunctionId,
    file: NameId,
    /// The line of its table's first entry.
    base: u64,
    /// Where its table is among those of all segments, and how long it is.
    start: usize,
    len: usize,
    /// How many lines it has, and how many of them are not in its table.
    used: u32,
    far: u32,
}

impl Segment {
    /// Its table's place among those of all.
    fn table(&self) -> Range<usize> {
        self.start..self.start + self.len
    }
}

/// The lines read so far. Row `n` of the costs belongs to entry `n`.
#[derive(Default)]
pub(crate) struct LineTable {
    segments: Vec<Segment>,
    /// The tables of all segments: the row of each line, or [`NONE`]. One that grows moves to the end.
    tables: Vec<u32>,
    index: HashTable<u32>,
    far: HashTable<u32>,
    entries: Vec<(u32, u64)>,
    costs: Costs,
    current: usize,
    hasher: RandomState,
}

impl LineTable {
    /// Adds the counts of one cost line.
    pub(crate) fn add(&mut self, function: FunctionId, file: NameId, line: u64, counts: &[i64]) -> Overflow {
        let row = self.row(function, file, line);
        self.costs.add(row, counts)
    }

    /// Adds counts that are all there and not negative to the line of a row.
    #[inline(always)]
    pub(crate) fn add_to_row(&mut self, row: u32, counts: &[i64]) -> Overflow {
        self.costs.add_plain(row, counts)
    }

    /// The row of a line, a new one if it has none.
    #[inline(always)]
    pub(crate) fn row(&mut self, function: FunctionId, file: NameId, line: u64) -> u32 {
        if !self.segments.get(self.current).is_some_and(|s| s.function == function && s.file == file) {
            self.enter(function, file);
        }
        let segment = &self.segments[self.current];
        let at = line.wrapping_sub(segment.base);
        if at < segment.len as u64
            && let Some(&row) = self.tables.get(segment.start + at as usize)
            && row != NONE
        {
            return row;
        }
        self.row_of(line)
    }

    /// Makes the segment of a function in a file the current one.
    #[cold]
    fn enter(&mut self, function: FunctionId, file: NameId) {
        let hash = self.hasher.hash_one((function.0, file.0));
        let segments = &self.segments;
        let same = |&at: &u32| segments[at as usize].function == function && segments[at as usize].file == file;
        if let Some(&at) = self.index.find(hash, same) {
            self.current = at as usize;
            return;
        }
        self.current = self.segments.len();
        reserve_first(&mut self.segments);
        self.segments.push(Segment { function, file, base: 0, start: 0, len: 0, used: 0, far: 0 });
        let (segments, hasher) = (&self.segments, &self.hasher);
        self.index.insert_unique(hash, self.current as u32, |&at| {
            let s = &segments[at as usize];
            hasher.hash_one((s.function.0, s.file.0))
        });
    }

    /// The row of a line outside the current segment's table: from the hash table, or new.
    #[cold]
    fn row_of(&mut self, line: u64) -> u32 {
        let current = self.current as u32;
        if self.segments[self.current].far > 0 {
            let (entries, hash) = (&self.entries, self.hasher.hash_one((current, line)));
            if let Some(&row) = self.far.find(hash, |&row| entries[row as usize] == (current, line)) {
                return row;
            }
        }
        let row = self.costs.push();
        reserve_first(&mut self.entries);
        self.entries.push((current, line));
        let segment = &mut self.segments[self.current];
        segment.used += 1;
        if segment.len == 0 {
            segment.base = line;
        }
        let room = 128 + 16 * u64::from(segment.used);
        let len = segment.len as u64;
        let end = segment.base.saturating_add(len);
        if line >= end && line - segment.base < room {
            let wanted = (line - segment.base + 1).max(2 * len).max(FIRST_ENTRIES);
            self.grow(0, wanted - len);
        } else if line < segment.base && end - line <= room {
            // Lines that come in falling order must not move all the others each time: the table doubles.
            let missing = (segment.base - line).max(len).min(segment.base);
            self.grow(missing, 0);
        }
        let segment = &mut self.segments[self.current];
        match line.checked_sub(segment.base).filter(|&at| at < segment.len as u64) {
            Some(at) => self.tables[segment.start + at as usize] = row,
            None => {
                segment.far += 1;
                let (entries, hasher) = (&self.entries, &self.hasher);
                let hash = hasher.hash_one((current, line));
                self.far.insert_unique(hash, row, |&row| hasher.hash_one(entries[row as usize]));
            }
        }
        row
    }

    /// Makes the current segment's table longer by so many lines before and behind those that it has.
    fn grow(&mut self, before: u64, behind: u64) {
        let segment = &mut self.segments[self.current];
        let had = segment.table();
        let is_last = had.end == self.tables.len();
        if before > 0 || !is_last {
            segment.start = self.tables.len();
            self.tables.resize(segment.start + before as usize, NONE);
            self.tables.extend_from_within(had);
        }
        self.tables.resize(self.tables.len() + behind as usize, NONE);
        segment.base -= before;
        segment.len += (before + behind) as usize;
    }

    /// How many counts the table has space for.
    pub(crate) fn allocated(&self) -> usize {
        self.costs.allocated()
    }

    /// Whether there is no line.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// True when no more rows fit.
    pub(crate) fn is_full(&self) -> bool {
        self.costs.is_full()
    }

    /// All lines by function, file and line, with their costs.
    pub(crate) fn finish(self) -> (Vec<Line>, Costs) {
        let LineTable { segments, tables, index, far, entries, costs, .. } = self;
        drop((tables, index, far));
        let mut order: Vec<(FunctionId, NameId, usize)> =
            (0..).zip(&segments).map(|(at, s)| (s.function, s.file, at)).collect();
        order.sort_unstable();
        let rows = Grouped::new(segments.len(), (0u32..).zip(&entries).map(|(row, &(at, _))| (at as usize, row)));
        let mut lines = Vec::with_capacity(entries.len());
        for (function, file, at) in order {
            let first = lines.len();
            let of_row = |&row: &u32| Line { function, file, line: entries[row as usize].1, row };
            lines.extend(rows.of(at).iter().map(of_row));
            let lines = &mut lines[first..];
            // Most come in the order of their numbers.
            if !lines.is_sorted_by_key(|line| line.line) {
                Line::by_place(lines);
            }
        }
        (lines, costs)
    }

    /// The lines in the order they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Line> + '_ {
        self.entries.iter().enumerate().map(|(row, &(segment, line))| {
            let s = &self.segments[segment as usize];
            Line { function: s.function, file: s.file, line, row: row as u32 }
        })
    }

    pub(crate) fn cost(&self, row: u32) -> &[i64] {
        self.costs.row(row)
    }
}

/// The lower of two line numbers, of which 0 is not known.
#[inline(always)]
pub(super) fn lower(a: u64, b: u64) -> u64 {
    // What is not known becomes the highest.
    a.wrapping_sub(1).min(b.wrapping_sub(1)).wrapping_add(1)
}

/// Makes one line of all that a function has in a file, the lowest that is known. How many there are before depends on how
/// often the function is come back to.
pub(super) fn keep_firsts(lines: &mut Vec<Line>) {
    lines.dedup_by(|next, kept| {
        let same = (next.function, next.file) == (kept.function, kept.file);
        if same {
            kept.line = lower(kept.line, next.line);
        }
        same
    });
}

/// Reserves space for one row in an empty table: with very many parts, most tables never grow beyond it.
pub(super) fn reserve_first<T>(table: &mut Vec<T>) {
    if table.capacity() == 0 {
        table.reserve_exact(1);
    }
}
