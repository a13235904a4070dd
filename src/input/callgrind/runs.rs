//! Reads runs of cost lines: all whole lines in a window of 64 bytes, together.
//!
//! Most lines of a profile are cost lines of about fifteen bytes. The slow part for a processor is
//! to find out, line by line, how many fields and digits they have.
//!
//! For whoever changes this: a run is parsed with arithmetic on words that have one bit for every
//! byte of the window. They say where fields begin, where they end, and which of them are
//! subpositions. Then all counts are read one after the other, whatever line they are on; zeros are
//! skipped. After `calls=` and a jump, the first line is split off its run, because its counts
//! belong elsewhere.
//!
//! A run ends before the first line in any other than the usual form, and `plain.rs` or the slow
//! path reads that line. So a run can never misread a line. The tests compare runs with the reader
//! of single lines.

use crate::input::marks::{self, ByteMarks, WIDTH, WINDOW, number};

/// The most counts that a line of a run can have.
pub(crate) const MOST_FIELDS: usize = WIDTH / 2;

/// What the first line of a run may look like.
#[derive(PartialEq)]
pub(super) enum FirstLine {
    /// It has counts, as all others have.
    HasCounts,
    /// It may have none: it is the source of a jump.
    MayBeBare,
}

/// Lines with `COLUMNS` subpositions and at least one count each. Bit n of a word is byte n of the
/// window.
#[derive(Clone, Copy)]
pub(super) struct LineRun<const COLUMNS: usize> {
    /// The line feeds.
    feeds: u64,
    /// Where the last subposition of each line begins, and where it ends.
    places: [u64; 2],
    /// Where counts begin, and where they end, without the zeros between a line's first and last
    /// count.
    counts: [u64; 2],
    /// Where the first count of each line begins.
    firsts: u64,
}

impl<const COLUMNS: usize> LineRun<COLUMNS> {
    /// The run at the start of `window`; only `len` bytes belong to the block. `None` if the first
    /// line has another than the usual form, or a number of more than eight digits.
    #[inline(always)]
    pub(super) fn find(window: &[u8; WINDOW], len: usize, first: FirstLine) -> Option<Self> {
        // Where there are many calls, most runs are short.
        let marks = ByteMarks::find(window, |low| low.others() as u32 != 0);
        let ByteMarks {
            blanks,
            digits,
            signs,
            stars,
            feeds,
        } = marks;
        let lines = feeds << 1 | 1;
        let ends = blanks | feeds & !(blanks << 1);
        // A field ends where one should begin: an empty line, or a blank at the start of a line or
        // after another blank.
        let mut wrong = ends & lines | blanks & blanks << 1;
        wrong |= marks.others();

        let bare = if first == FirstLine::MayBeBare {
            feeds ^ feeds.wrapping_sub(1)
        } else {
            0
        };
        let (mut begins, mut behind, mut subpositions, mut subposition_ends) = (lines, 0, 0, 0);
        let mut place = 0;
        for column in 0..COLUMNS {
            // Adding a bit to a block of ones moves it to the next zero.
            behind = begins.wrapping_add(!ends) & ends;
            // The last field of a line that needs another one.
            let missing = behind & (feeds | feeds >> 1);
            wrong |= if column + 1 == COLUMNS {
                missing & !bare
            } else {
                missing
            };
            subpositions |= begins;
            subposition_ends |= behind;
            if column + 1 == COLUMNS {
                place = begins;
            }
            begins = behind << 1;
        }
        wrong |= (signs | stars) & !subpositions | signs << 1 & !digits | stars << 1 & !ends;
        let two = digits & digits << 1;
        let four = two & two << 2;
        wrong |= four & four << 4 & digits << 8;

        let feeds = feeds & before(wrong) & before(1u64.checked_shl(len as u32).unwrap_or(0));
        if feeds == 0 {
            return None;
        }
        let span = u64::MAX >> feeds.leading_zeros();
        let mut counts = [
            ends << 1 & digits & !subpositions & span,
            ends & !subposition_ends & span,
        ];
        // A zero between the first and last count of a line adds nothing. Each takes two bytes, so
        // the place of the next count still reveals its column. Up to half of all counts are such
        // zeros.
        let between = counts[0] & !begins;
        if between != 0 {
            let lasts = feeds | feeds >> 1;
            let zeros = between & (counts[1] & !lasts) >> 1 & marks::equal(window, b'0');
            counts = [counts[0] ^ zeros, counts[1] ^ zeros << 1];
        }
        Some(LineRun {
            feeds,
            places: [place & span, behind & span],
            counts,
            firsts: begins,
        })
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.feeds == 0
    }

    #[inline(always)]
    pub(super) fn lines(&self) -> u32 {
        self.feeds.count_ones()
    }

    /// How many bytes the run takes from the start of the window.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        (u64::BITS - self.feeds.leading_zeros()) as usize
    }

    /// Adds every count to the sum of its column, and returns the largest number of counts on a
    /// line. If each line has one count, there is only one sum and no column to find.
    #[inline(always)]
    pub(super) fn sum(&self, window: &[u8; WINDOW], sums: &mut [i64; MOST_FIELDS]) -> usize {
        let [mut begins, mut ends] = self.counts;
        if begins & !self.firsts == 0 {
            let mut sum = 0i64;
            while let Some((at, end)) = take_field(&mut begins, &mut ends) {
                sum = sum.wrapping_add(number(window, at, end.wrapping_sub(at)));
            }
            sums[0] = sums[0].wrapping_add(sum);
            return 1;
        }
        // Where the counts of the line would begin if each count before this one took two bytes, as
        // a zero does.
        let (mut start, mut most) = (0usize, 0);
        while let Some((at, end)) = take_field(&mut begins, &mut ends) {
            start = if self.firsts & 1 << (at % 64) != 0 {
                at
            } else {
                start
            };
            let (column, len) = (at.wrapping_sub(start) / 2, end.wrapping_sub(at));
            let sum = &mut sums[column % MOST_FIELDS];
            *sum = sum.wrapping_add(number(window, at, len));
            most = most.max(column + 1);
            start = start.wrapping_add(len).wrapping_sub(1);
        }
        most
    }

    /// Removes the first line, writes its counts to the front of `counts`, and returns their number
    /// and the end of the line. Returns `None`, with the run unchanged, if `counts` is too short.
    #[inline(always)]
    pub(super) fn split_off_line(
        &mut self,
        window: &[u8; WINDOW],
        counts: &mut [i64],
    ) -> Option<(usize, usize)> {
        let span = self.feeds ^ self.feeds.wrapping_sub(1);
        let [mut begins, mut ends] = self.counts.map(|bits| bits & span);
        let (mut n, mut start) = (0, begins.trailing_zeros() as usize);
        while let Some((at, end)) = take_field(&mut begins, &mut ends) {
            let (column, len) = (at.wrapping_sub(start) / 2, end.wrapping_sub(at));
            while n < column {
                *counts.get_mut(n)? = 0;
                n += 1;
            }
            *counts.get_mut(n)? = number(window, at, len);
            n += 1;
            start = start.wrapping_add(len).wrapping_sub(1);
        }
        self.feeds &= !span;
        self.places = self.places.map(|bits| bits & !span);
        self.counts = self.counts.map(|bits| bits & !span);
        Some((n, span.count_ones() as usize))
    }

    /// The source line of the whole run, if all lines have the same digit or a star for it.
    #[inline(always)]
    pub(super) fn only_place(&self, window: &[u8; WINDOW], base: i64) -> Option<i64> {
        let [begins, ends] = self.places;
        let first = *window.get(begins.trailing_zeros() as usize)?;
        if begins << 1 != ends || begins & !marks::equal(window, first) != 0 {
            return None;
        }
        Some(if first == b'*' {
            base
        } else {
            i64::from(first.wrapping_sub(b'0'))
        })
    }

    /// Removes the lines at the same source line from the front, and returns that line with them;
    /// `base` is the line before them. More lines of that source line may remain if they have
    /// neither a star nor the same digit for it. Returns `None` at the end, and before a line whose
    /// number is below zero.
    #[inline(always)]
    pub(super) fn split_off_place(
        &mut self,
        window: &[u8; WINDOW],
        base: i64,
    ) -> Option<(i64, Self)> {
        let (line, written) = self.next_place(window, base)?;
        let mut lines = 0;
        loop {
            let feed = self.feeds & self.feeds.wrapping_neg();
            lines |= feed;
            self.feeds ^= feed;
            self.places = self.places.map(|bits| bits & bits.wrapping_sub(1));
            if self.feeds == 0 {
                break;
            }
            let [begin, end] = self.places.map(|bits| bits.trailing_zeros() as usize);
            let same = match window.get(begin) {
                Some(b'*') => true,
                // The same line number, written again.
                Some(digit) => Some(*digit) == written && end == begin + 1,
                None => false,
            };
            if !same {
                break;
            }
        }
        let span = u64::MAX >> lines.leading_zeros();
        let front = LineRun {
            feeds: lines,
            places: [0; 2],
            counts: self.counts.map(|bits| bits & span),
            ..*self
        };
        self.counts = self.counts.map(|bits| bits & !span);
        Some((line, front))
    }

    /// The source line that the first remaining line is about, and the digit in its text if there
    /// is only one.
    #[inline(always)]
    pub(super) fn next_place(&self, window: &[u8; WINDOW], base: i64) -> Option<(i64, Option<u8>)> {
        let [begin, end] = self.places.map(|bits| bits.trailing_zeros() as usize);
        let first = *window.get(begin).filter(|_| self.feeds != 0)?;
        let star = first == b'*';
        let relative = star | (first == b'+') | (first == b'-');
        let at = begin + usize::from(relative);
        // Without digits the word is not shifted, so the mask makes a star 0.
        let value = number(window, at, end.wrapping_sub(at)) & (i64::from(star) - 1);
        let value = if first == b'-' { -value } else { value };
        let line = value.checked_add(if relative { base } else { 0 })?;
        (line >= 0).then_some((line, Some(first).filter(|_| !relative && end == begin + 1)))
    }
}

/// All bits below the lowest one, or all bits if there is none.
#[inline(always)]
fn before(bits: u64) -> u64 {
    (bits & bits.wrapping_neg()).wrapping_sub(1)
}

/// Removes the first field from the bits of where fields begin and end, and returns its bounds.
#[inline(always)]
fn take_field(begins: &mut u64, ends: &mut u64) -> Option<(usize, usize)> {
    if *ends == 0 {
        return None;
    }
    let at = (
        begins.trailing_zeros() as usize,
        ends.trailing_zeros() as usize,
    );
    *begins &= begins.wrapping_sub(1);
    *ends &= *ends - 1;
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;

    /// The lines of a run, its length, and the sums of its columns, by source line, with base 1000.
    fn read<const COLUMNS: usize>(text: &str, len: usize) -> (u32, usize, Vec<(i64, Vec<i64>)>) {
        let mut window = [b'7'; WINDOW];
        let shown = text.len().min(WINDOW);
        window[..shown].copy_from_slice(&text.as_bytes()[..shown]);
        let Some(mut run) = LineRun::<COLUMNS>::find(&window, len, FirstLine::HasCounts) else {
            return (0, 0, Vec::new());
        };
        let (lines, len) = (run.lines(), run.len());
        let (mut all, mut places, mut base) = ([0; MOST_FIELDS], Vec::new(), 1000);
        let most = run.sum(&window, &mut all);
        while let Some((line, part)) = run.split_off_place(&window, base) {
            let mut sums = [0; MOST_FIELDS];
            let most = part.sum(&window, &mut sums);
            places.push((line, sums[..most].to_vec()));
            base = line;
        }
        if run.feeds == 0 {
            let of_places = |column| {
                places
                    .iter()
                    .filter_map(|(_, sums)| sums.get(column))
                    .sum::<i64>()
            };
            assert_eq!(
                all[..most],
                (0..most).map(of_places).collect::<Vec<_>>(),
                "{text:?}"
            );
        }
        (lines, len, places)
    }

    #[test]
    fn lines_are_read_together() {
        assert_eq!(
            read::<1>("+3 120 4\n* 1\n+0 2 7 1 \nfn=x\n", 99),
            (3, 23, vec![(1003, vec![121, 4]), (1003, vec![2, 7, 1])])
        );
        assert_eq!(
            read::<1>("7 1\n7 2\n8 3\n", 99),
            (3, 12, vec![(7, vec![3]), (8, vec![3])])
        );
        assert_eq!(
            read::<2>("12 +1 5\n+3 -2 12345678 2\n", 99),
            (2, 25, vec![(1001, vec![5]), (999, vec![12345678, 2])])
        );
        let zeros = "+3 120 0 0 4\n* 0 0 1\n* 7 0 \n* 0\n* 5 00 0 1 10\n";
        assert_eq!(
            read::<1>(zeros, 99),
            (5, 46, vec![(1003, vec![132, 0, 1, 5, 10])])
        );
        assert_eq!(read::<3>("1 2 3 4\n", 99), (1, 8, vec![(3, vec![4])]));
        let most = "1 ".repeat(31) + "1\n";
        assert_eq!(read::<1>(&most, 99), (1, 64, vec![(1, vec![1; 31])]));
    }

    #[test]
    fn a_run_ends_where_its_block_does_and_at_the_first_line_of_another_form() {
        assert_eq!(read::<1>("1 1\n2 2\n", 7).0, 1);
        assert_eq!(read::<1>("1 1\n2 2\n", 8).0, 2);
        for line in [
            "2",
            "2 ",
            "*",
            "+1",
            " 2 2",
            "2  2",
            "2\t2",
            "2 0x10",
            "2 .",
            "2 -2",
            "x 1",
            "2 2\r",
            "+ 2",
            "** 2",
            "*2 2",
            "2 123456789",
            "123456789 2",
            "2 2#",
            "2-3 2",
            "0x2 2",
            "2 *",
            "2 +2",
            "",
            "2 2\u{b0}",
            "+-2 2",
            "2+ 2",
        ] {
            assert_eq!(read::<1>(&format!("{line}\n1 1\n"), 99).0, 0, "{line:?}");
            assert_eq!(
                read::<1>(&format!("1 1\n{line}\n1 1\n"), 99).0,
                1,
                "{line:?}"
            );
        }
        for line in ["2 2", "2 2 ", "2", "* *", "2 2+ 1", "2 2 2 *"] {
            assert_eq!(
                read::<2>(&format!("1 1 1\n{line}\n1 1 1\n"), 99).0,
                1,
                "{line:?}"
            );
        }
        assert_eq!(
            read::<1>("-2000 1\n", 99),
            (1, 8, vec![]),
            "a place below zero is not split off"
        );
        assert_eq!(read::<1>(&"1".repeat(80), 80).0, 0);
    }

    /// The counts of the first line, its length, and the number of lines left. The first line may
    /// be a jump's.
    fn first<const COLUMNS: usize>(text: &str, first: FirstLine) -> Option<(Vec<i64>, usize, u32)> {
        let mut window = [b'7'; WINDOW];
        window[..text.len()].copy_from_slice(text.as_bytes());
        let mut run = LineRun::<COLUMNS>::find(&window, text.len(), first)?;
        let mut counts = [9; 3];
        let (n, len) = run.split_off_line(&window, &mut counts)?;
        Some((counts[..n].to_vec(), len, run.lines()))
    }

    #[test]
    fn a_first_line_is_read_alone() {
        use FirstLine::{HasCounts, MayBeBare};
        assert_eq!(
            first::<1>("+3 120 4\n* 1\n", HasCounts),
            Some((vec![120, 4], 9, 1))
        );
        assert_eq!(
            first::<2>("+3 * 12345678\n+1 * 1\n+1 * 2\n", HasCounts),
            Some((vec![12_345_678], 14, 2))
        );
        assert_eq!(
            first::<1>("+3 0 0 4\n* 1\n", HasCounts),
            Some((vec![0, 0, 4], 9, 1))
        );
        assert_eq!(
            first::<1>("+3 12 0 0 \n", HasCounts),
            Some((vec![12, 0, 0], 11, 0))
        );
        for more in ["1 2 3 4 5\n", "1 2 0 0 5\n", "1 2 0 0 0\n"] {
            assert_eq!(
                first::<1>(more, HasCounts),
                None,
                "{more:?} has more counts than there is room for"
            );
        }
        for bare in ["+3 7\n", "+3 7 \n", "+3 *\n"] {
            assert_eq!(
                first::<2>(&format!("{bare}+1 * 1\n"), MayBeBare),
                Some((vec![], bare.len(), 1)),
                "{bare:?}"
            );
            assert_eq!(
                first::<2>(&format!("{bare}+1 * 1\n"), HasCounts),
                None,
                "{bare:?}"
            );
        }
        assert_eq!(
            first::<2>("+3 7 5\n+1 * 1\n", MayBeBare),
            Some((vec![5], 7, 1))
        );
        assert_eq!(
            first::<2>("+3\n+1 * 1\n", MayBeBare),
            None,
            "a subposition is missing"
        );
        assert_eq!(
            first::<2>("+3 7\n+1 *\n", MayBeBare),
            Some((vec![], 5, 0)),
            "only the first may be bare"
        );
    }

    #[test]
    fn lines_at_one_place_are_seen() {
        let only = |text: &str| {
            let mut window = [b'7'; WINDOW];
            window[..text.len()].copy_from_slice(text.as_bytes());
            LineRun::<2>::find(&window, text.len(), FirstLine::HasCounts)?.only_place(&window, 1000)
        };
        assert_eq!(only("1 5 1\n2 5 1\n3 5 9\n"), Some(5));
        assert_eq!(only("1 * 1\n2 * 1\n"), Some(1000));
        for other in [
            "5 1\n2 6",
            "55 1\n2 55",
            "+1 1\n2 +1",
            "5 1\n2 *",
            "55 1\n2 *",
        ]
        .map(|o| format!("1 {o} 1\n"))
        {
            assert_eq!(only(&other), None, "{other:?}");
        }
    }

    /// A run and the reader of single lines agree.
    #[test]
    fn a_run_is_its_lines() {
        const BYTES: &[u8] = b"0123456789  \n\n\n+-*  1234  x.";
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize
        };
        let (mut runs, mut many) = (0, 0);
        for _ in 0..100_000 {
            let mut window: [u8; WINDOW] = std::array::from_fn(|_| BYTES[random() % BYTES.len()]);
            // Random lines rarely have the usual form.
            let mut at = 0;
            while random() % 4 != 0 && at < 60 {
                for piece in [
                    ["+3", "*", "17", "-1"][random() % 4],
                    " ",
                    ["5", "1234", "7 8", "0", "3 0 12 0 0"][random() % 5],
                    "\n",
                ] {
                    window[at..at + piece.len()].copy_from_slice(piece.as_bytes());
                    at += piece.len();
                }
            }
            let Some(run) = LineRun::<1>::find(&window, WINDOW, FirstLine::HasCounts) else {
                continue;
            };
            runs += 1;
            many += u32::from(run.lines() > 2);
            let mut sums = [0; MOST_FIELDS];
            let most = run.sum(&window, &mut sums);
            let (mut rest, mut by_line, mut longest, mut at) = (run, [0; MOST_FIELDS], 0, 0);
            let (mut base, mut places) = (1000, Vec::new());
            for _ in 0..run.lines() {
                let mut line = [b'7'; WINDOW];
                line[..WINDOW - at].copy_from_slice(&window[at..]);
                let mut counts = [0; MOST_FIELDS];
                let plain = plain::cost_line::<1>(&line, base, &mut counts).expect("a plain line");
                by_line
                    .iter_mut()
                    .zip(counts)
                    .for_each(|(sum, count)| *sum += count);
                longest = longest.max(plain.counts);
                at += plain.len;
                base = plain.place;
                places.push(base);
            }
            assert_eq!(
                (run.len(), most, sums),
                (at, longest, by_line),
                "{}",
                window.escape_ascii()
            );
            if places.iter().all(|&place| place >= 0) {
                let (mut base, mut at) = (1000, 0);
                while let Some((line, part)) = rest.split_off_place(&window, base) {
                    for _ in 0..part.lines() {
                        assert_eq!(line, places[at], "{}", window.escape_ascii());
                        at += 1;
                    }
                    base = line;
                }
                assert_eq!(at, places.len(), "{}", window.escape_ascii());
            }
        }
        assert!(runs > 30_000 && many > 15_000, "{runs} {many}");
    }
}
