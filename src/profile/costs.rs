//! Rows of event counts, stored one after the other, each only as long as it was written.
//!
//! Cost lines omit trailing columns, and a count that was never written is not a zero: the report
//! prints `.` for it. So a row ends with the last column that was written. An unwritten column
//! before that holds [`NEVER`]; it was `.` in the file, or another part does not record it. Users
//! of this crate see rows as [`Counts`], in which such a column is `None`.

use super::{Event, Events};
use std::fmt;

/// Marks an unwritten column inside a row. No real count has this value: sums stop one above it.
pub(crate) const NEVER: i64 = i64::MIN;

/// The smallest and the largest possible sum.
const LEAST: i64 = i64::MIN + 1;
const MOST: i64 = i64::MAX;

/// Whether a sum did not fit in 64 bits and was limited.
pub(crate) type Overflow = bool;

/// Adds two counts. Neither may be [`NEVER`].
#[inline(always)]
pub(crate) fn sum(a: i64, b: i64) -> (i64, Overflow) {
    let (s, wrapped) = a.overflowing_add(b);
    if wrapped || s == NEVER {
        return (if b < 0 { LEAST } else { MOST }, true);
    }
    (s, false)
}

/// The count nearest to a number.
pub(crate) fn limited(number: i128) -> i64 {
    number.clamp(LEAST.into(), MOST.into()) as i64
}

/// Adds counts if no added count and no sum is negative; a sum that does not fit is negative.
/// Otherwise returns false, with nothing changed.
#[inline(always)]
fn add_usual(have: &mut [i64], more: &[i64]) -> bool {
    let mut signs = 0;
    for (have, &more) in have.iter_mut().zip(more) {
        *have = have.wrapping_add(more);
        signs |= *have | more;
    }
    if signs < 0 {
        have.iter_mut()
            .zip(more)
            .for_each(|(have, &more)| *have = have.wrapping_sub(more));
    }
    signs >= 0
}

/// Adds `more` to the front of `row`, column by column. Unwritten columns of `more` change nothing.
#[inline]
pub(crate) fn add_to(row: &mut [i64], more: &[i64]) -> Overflow {
    let mut saturated = false;
    for (have, &add) in row.iter_mut().zip(more) {
        if add == NEVER {
            continue;
        }
        let (s, over) = sum(if *have == NEVER { 0 } else { *have }, add);
        *have = s;
        saturated |= over;
    }
    saturated
}

/// Like [`add_to`], but first makes `row` as long as `more`.
pub(crate) fn extend_with(row: &mut Vec<i64>, more: &[i64]) -> Overflow {
    if row.len() < more.len() {
        row.resize(more.len(), NEVER);
    }
    add_to(row, more)
}

/// The sum of rows.
pub(crate) fn sum_rows<'r>(rows: impl IntoIterator<Item = &'r [i64]>) -> Vec<i64> {
    let mut sum = Vec::new();
    for row in rows {
        extend_with(&mut sum, row);
    }
    sum
}

/// The count in a column, if it was ever written.
pub(crate) fn written(row: &[i64], column: usize) -> Option<i64> {
    row.get(column).copied().filter(|&count| count != NEVER)
}

/// The count in a column; 0 if it was never written.
pub(crate) fn count(row: &[i64], column: usize) -> i64 {
    written(row, column).unwrap_or(0)
}

/// Whether every count is 0 or unwritten.
pub(crate) fn is_free(row: &[i64]) -> bool {
    row.iter().all(|&count| count == 0 || count == NEVER)
}

/// The row up to the last count that was ever written.
pub(crate) fn trimmed(row: &[i64]) -> &[i64] {
    let len = row
        .iter()
        .rposition(|&count| count != NEVER)
        .map_or(0, |last| last + 1);
    &row[..len]
}

/// A row of counts, as users of this crate see it.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts<'a>(pub(crate) &'a [i64]);

impl<'a> Counts<'a> {
    /// The count of an event; `None` if it was never written. Sums of a derived event stop at the
    /// limits of an `i64`.
    pub fn get(self, events: &Events, event: Event) -> Option<i64> {
        events.count(self.0, event)
    }

    /// The absolute value of the first recorded event's count; 0 if it was never written.
    pub fn size(self) -> u64 {
        let first = self.recorded().next().flatten();
        first.map_or(0, i64::unsigned_abs)
    }

    /// The counts of the recorded events, in the order of [`Events::recorded`], up to the last one
    /// that was written.
    pub fn recorded(self) -> impl Iterator<Item = Option<i64>> + use<'a> {
        self.0
            .iter()
            .map(|&count| Some(count).filter(|&count| count != NEVER))
    }
}

impl fmt::Debug for Counts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for count in self.recorded() {
            match count {
                Some(count) => list.entry(&count),
                None => list.entry(&format_args!(".")),
            };
        }
        list.finish()
    }
}

#[derive(Clone, Copy, Default)]
struct RowSpan {
    start: u32,
    len: u16,
    room: u16,
}

/// A table of cost rows, addressed by the number that [`push`](Costs::push) returned.
#[derive(Clone, Default)]
pub(crate) struct Costs {
    counts: Vec<i64>,
    rows: Vec<RowSpan>,
    /// Whether any row may hold [`NEVER`] before its last column.
    holes: bool,
    /// Whether any row may hold a count below zero.
    pub negative: bool,
}

/// The most columns of a row, and so the most events of a profile. Real ones have up to 30. A
/// report has a number for each in every row, so more would only let a file take time and memory.
pub(crate) const MAX_EVENTS: usize = 256;

impl Costs {
    /// Adds an empty row and returns its number.
    pub(crate) fn push(&mut self) -> u32 {
        self.rows.push(RowSpan::default());
        (self.rows.len() - 1) as u32
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The written columns of a row; [`NEVER`] marks a hole.
    pub(crate) fn row(&self, row: u32) -> &[i64] {
        let r = self.rows[row as usize];
        &self.counts[r.start as usize..][..r.len as usize]
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, row: u32, counts: &[i64]) -> Overflow {
        if self
            .written(row, counts.len())
            .is_some_and(|have| add_usual(have, counts))
        {
            return false;
        }
        self.add_any(row, counts)
    }

    /// Adds counts that are all present and not negative, one by one. Most cost lines have few
    /// counts, for which a loop over several at a time, as in [`add`](Self::add), takes more
    /// instructions.
    #[inline(always)]
    pub(crate) fn add_plain(&mut self, row: u32, counts: &[i64]) -> Overflow {
        let Some(have) = self.written(row, counts.len()) else {
            return self.add_any(row, counts);
        };
        let mut over = false;
        for (have, &more) in have.iter_mut().zip(counts) {
            let (sum, wrapped) = have.overflowing_add(more);
            *have = if wrapped { MOST } else { sum };
            over |= wrapped;
        }
        over
    }

    /// The first `columns` columns of a row, if all are written and none can be a hole.
    #[inline(always)]
    fn written(&mut self, row: u32, columns: usize) -> Option<&mut [i64]> {
        let r = self.rows[row as usize];
        if self.holes || columns > r.len as usize {
            return None;
        }
        self.counts.get_mut(r.start as usize..)?.get_mut(..columns)
    }

    #[inline(never)]
    fn add_any(&mut self, row: u32, counts: &[i64]) -> Overflow {
        let r = self.rows[row as usize];
        let least = counts.iter().copied().min().unwrap_or(0);
        self.holes |= least == NEVER;
        self.negative |= least < 0;
        if r.room == 0 {
            self.first_write(row, counts);
            return false;
        }
        if counts.len() > r.len as usize {
            self.widen(row, counts.len());
        }
        let start = self.rows[row as usize].start as usize;
        let len = counts.len().min(MAX_EVENTS);
        add_to(&mut self.counts[start..][..len], counts)
    }

    /// Fills an empty row with these counts, without spare capacity: most rows never grow.
    fn first_write(&mut self, row: u32, counts: &[i64]) {
        let start = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        let counts = &counts[..counts.len().min(MAX_EVENTS)];
        self.counts.extend_from_slice(counts);
        self.rows[row as usize] = RowSpan {
            start,
            len: counts.len() as u16,
            room: counts.len() as u16,
        };
    }

    pub(crate) fn set(&mut self, row: u32, counts: &[i64]) {
        let r = self.rows[row as usize];
        self.counts[r.start as usize..][..r.len as usize].fill(NEVER);
        self.rows[row as usize].len = 0;
        self.add(row, counts);
    }

    /// Makes a row `len` columns long. Moves it to the end of the table if it has no spare
    /// capacity.
    fn widen(&mut self, row: u32, len: usize) {
        let len = len.min(MAX_EVENTS);
        let r = self.rows[row as usize];
        if len <= r.room as usize {
            self.rows[row as usize].len = len as u16;
            return;
        }
        let room = (2 * len).min(MAX_EVENTS);
        let start = self.counts.len();
        self.counts
            .extend_from_within(r.start as usize..r.start as usize + r.len as usize);
        self.counts.resize(start + room, NEVER);
        self.rows[row as usize] = RowSpan {
            start: u32::try_from(start).unwrap_or(u32::MAX),
            len: len as u16,
            room: room as u16,
        };
    }

    /// How many counts the table has space for.
    pub(crate) fn allocated(&self) -> usize {
        self.counts.len()
    }

    /// Whether the table is close to its limit of 2^32 counts, 32 GiB, so that reading must stop.
    pub(crate) fn is_full(&self) -> bool {
        self.counts.len() >= u32::MAX as usize - (1 << 24)
            || self.rows.len() >= u32::MAX as usize - (1 << 24)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_stop_at_the_limits() {
        assert_eq!(sum(i64::MAX, 1), (i64::MAX, true));
        assert_eq!(sum(LEAST, -1), (LEAST, true));
        assert_eq!(sum(-5, 7), (2, false));
    }

    #[test]
    fn a_count_that_was_never_written_is_none() {
        let row = Counts(&[5, NEVER, 0]);
        assert_eq!(row.recorded().collect::<Vec<_>>(), [Some(5), None, Some(0)]);
        assert_eq!(format!("{row:?}"), "[5, ., 0]");
        let mut events = Events::default();
        events.columns(&[b"A".to_vec(), b"B".to_vec(), b"C".to_vec(), b"D".to_vec()]);
        assert_eq!(
            [1, 2, 3].map(|at| row.get(&events, Event::Recorded(at))),
            [None, Some(0), None]
        );
    }

    #[test]
    fn rows_grow_and_keep_their_holes() {
        let mut costs = Costs::default();
        let (a, b) = (costs.push(), costs.push());
        costs.add(a, &[1]);
        costs.add(b, &[2, NEVER, 3]);
        costs.add(a, &[1, NEVER, 5]);
        assert_eq!(costs.row(a), [2, NEVER, 5]);
        assert_eq!(costs.row(b), [2, NEVER, 3]);
    }
}
