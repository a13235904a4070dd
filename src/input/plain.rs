//! The fast way of a cost line: the form in which writers write nearly all of them.
//!
//! `+3 120 4`: subpositions and counts in decimal (an absolute subposition may be hexadecimal), one blank between them,
//! one more allowed at the end. Anything else is left to the careful way, which reads the line again from its first byte;
//! so this file can never judge a line wrongly, only decline it.
//!
//! What makes it fast: the ends of all fields are found at once, as bits of one word, so that no field waits for the one
//! before it; and a number is taken from eight bytes at once, without a branch on how many digits it has, because that is
//! what a processor cannot predict.

use wide::u8x32;

/// How far behind a line's first byte bytes must be there to be loaded.
pub(super) const WINDOW: usize = 80;

/// A line with more bytes is left to the careful way.
const LONGEST: usize = 64;

/// A cost line that was read.
pub(super) struct Plain<const COLUMNS: usize> {
    /// Where it stands, column by column.
    pub(super) place: [i64; COLUMNS],
    /// How many counts there are.
    pub(super) counts: usize,
    /// How many bytes the line takes, its line feed included.
    pub(super) len: usize,
}

/// Reads the line at the start of `window`, which has `COLUMNS` subpositions, relative to `base`, and at most as many
/// counts as `counts` has room for. The counts are non-negative and below 10^15. Without `addresses`, columns before the
/// last one are checked and given as 0. `None` for a line of any other form.
#[inline(always)]
pub(super) fn cost_line<const COLUMNS: usize>(
    window: &[u8; WINDOW],
    base: &[i64; 3],
    counts: &mut [i64],
    addresses: bool,
) -> Option<Plain<COLUMNS>> {
    let marks = Marks::of(window)?;
    let mut ends = marks.ends;
    let mut at = 0;
    let mut place = [0; COLUMNS];
    for column in 0..COLUMNS {
        if ends == 0 {
            return None;
        }
        let end = ends.trailing_zeros() as usize;
        ends &= ends - 1;
        let first = window[at % LONGEST];
        let star = first == b'*';
        let relative = star | (first == b'+') | (first == b'-');
        at += usize::from(relative);
        let len = end - at;
        let is_plain = marks.are_digits(at, end) && (len == 0) == star && len <= 8;
        if addresses || column + 1 == COLUMNS {
            let value = if is_plain {
                // Without digits the word is not shifted; a star counts for nothing.
                number(window, at, len) & (i64::from(star) - 1)
            } else if !relative {
                long_position(window.get(at..end)?)?
            } else {
                return None;
            };
            let value = if first == b'-' { -value } else { value };
            place[column] = value.checked_add(if relative { base[column] } else { 0 })?;
        } else if !is_plain && (relative || long_position(window.get(at..end)?).is_none()) {
            return None;
        }
        at = end + 1;
    }
    if !marks.are_numbers(at) {
        return None;
    }
    let mut n = 0;
    while ends != 0 {
        let end = ends.trailing_zeros() as usize;
        ends &= ends - 1;
        let len = end - at;
        *counts.get_mut(n)? = if len <= 8 { number(window, at, len) } else { long_count(window.get(at..end)?)? };
        n += 1;
        at = end + 1;
    }
    Some(Plain { place, counts: n, len: marks.feed + 1 })
}

/// The most fields a line can have that is not too long.
pub(crate) const MOST_FIELDS: usize = LONGEST / 2;

/// Adds the counts of the line at the start of `window` to `sums` and gives their number and the line's length. For reports
/// that need no positions: those are checked, but not read. `None`, with nothing added, for a line that [`cost_line`] must
/// look at.
#[inline(always)]
pub(super) fn sum_line<const COLUMNS: usize>(
    window: &[u8; WINDOW],
    sums: &mut [i64; MOST_FIELDS],
) -> Option<(usize, usize)> {
    let marks = Marks::of(window)?;
    let mut ends = marks.ends;
    let mut at = 0;
    for _ in 0..COLUMNS {
        at = ends.trailing_zeros() as usize + 1;
        ends &= ends.wrapping_sub(1);
    }
    if !marks.are_positions(at) || !marks.are_numbers(at) || marks.has_long_number() {
        return None;
    }
    let mut n = 0;
    while ends != 0 {
        let end = ends.trailing_zeros() as usize;
        ends &= ends - 1;
        let sum = &mut sums[n % MOST_FIELDS];
        *sum = sum.wrapping_add(number(window, at, end - at));
        n += 1;
        at = end + 1;
    }
    Some((n, marks.feed + 1))
}

/// What stands where on a line, as bits: bit 0 is its first byte.
struct Marks {
    /// The places behind the fields: blanks, and the line feed unless a blank stands before it.
    ends: u64,
    /// Digits.
    digits: u64,
    /// Blanks.
    blanks: u64,
    /// Plus and minus signs.
    signs: u64,
    /// Stars.
    stars: u64,
    /// The place of the line feed.
    feed: usize,
}

impl Marks {
    /// `None` if the line is too long, or has two blanks in a row.
    #[inline(always)]
    fn of(window: &[u8; WINDOW]) -> Option<Marks> {
        let [mut blanks, mut digits, mut signs, mut stars, mut feeds] = bits(window.first_chunk()?);
        if feeds == 0 {
            let more = bits(window[32..].first_chunk()?).map(|bits| bits << 32);
            (blanks, digits, signs, stars) = (blanks | more[0], digits | more[1], signs | more[2], stars | more[3]);
            feeds = more[4];
            if feeds == 0 {
                return None;
            }
        }
        let feed = feeds & feeds.wrapping_neg();
        let blanks = blanks & (feed - 1);
        if blanks & (blanks << 1) != 0 {
            return None;
        }
        let ends = blanks | (feed & !(blanks << 1));
        Some(Marks { ends, digits, blanks, signs, stars, feed: feed.trailing_zeros() as usize })
    }

    /// Whether all bytes of a field are digits.
    #[inline(always)]
    fn are_digits(&self, at: usize, end: usize) -> bool {
        let field = (1u64 << (end % 64)).wrapping_sub(1 << (at % 64));
        !self.digits & field == 0
    }

    /// Whether the fields before a place, which may be one behind the line feed, are digits behind one sign or none, or
    /// a star alone.
    #[inline(always)]
    fn are_positions(&self, end: usize) -> bool {
        // Where fields are missing, their end is looked for behind the line feed.
        if end > self.feed + 1 || (self.signs << 1) >> self.feed & 1 != 0 {
            return false;
        }
        let before = 1u64.checked_shl(end as u32).unwrap_or(0).wrapping_sub(1);
        let starts = self.ends << 1 | 1;
        let wrong = !(self.digits | self.blanks | self.signs | self.stars)
            | (self.signs | self.stars) & !starts
            | (self.signs << 1) & !self.digits & !1
            | (self.stars << 1) & !self.ends & !1;
        wrong & before & ((1 << self.feed) - 1) == 0 && self.ends & 1 == 0
    }

    /// Whether there are more than eight digits in a row.
    #[inline(always)]
    fn has_long_number(&self) -> bool {
        let two = self.digits & self.digits << 1;
        let four = two & two << 2;
        let eight = four & four << 4;
        eight & self.digits << 8 & ((1 << self.feed) - 1) != 0
    }

    /// Whether there are only digits and blanks from a place to the end of the line.
    #[inline(always)]
    fn are_numbers(&self, at: usize) -> bool {
        let others = !(self.digits | self.blanks) & ((1 << self.feed) - 1);
        // The place may be one behind the line feed, of which the line has at most 64 bytes.
        at > self.feed || others >> at == 0
    }
}

/// Where blanks, digits, signs, stars and line feeds stand among 32 bytes.
#[inline(always)]
fn bits(bytes: &[u8; 32]) -> [u64; 5] {
    let bytes = u8x32::from(*bytes);
    let equal = |byte| u64::from(bytes.simd_eq(u8x32::splat(byte)).to_bitmask());
    let value = bytes - u8x32::splat(b'0');
    let digits = u64::from(value.min(u8x32::splat(9)).simd_eq(value).to_bitmask());
    [equal(b' '), digits, equal(b'+') | equal(b'-'), equal(b'*'), equal(b'\n')]
}

/// The number that one to eight digits make. They move to the top of a word and zeros come in below, which are leading
/// zeros; then they are added up to pairs, fours and all.
#[inline(always)]
fn number(window: &[u8; WINDOW], at: usize, len: usize) -> i64 {
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    // A field begins before the line's end, so that nothing is cut off here; it saves a comparison.
    let at = at % LONGEST;
    let word = window[at..at + 8].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let digits = (word ^ 0x3030_3030_3030_3030) << ((64 - 8 * len) % 64);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let high = (pairs & LOW).wrapping_mul(0x000f_4240_0000_0064);
    let low = ((pairs >> 16) & LOW).wrapping_mul(0x0000_2710_0000_0001);
    (high.wrapping_add(low) >> 32) as i64
}

/// A position that is hexadecimal or has more than eight digits.
#[inline(never)]
fn long_position(field: &[u8]) -> Option<i64> {
    let (value, len, over) = super::number::unsigned(field)?;
    if over || len != field.len() {
        return None;
    }
    i64::try_from(value).ok()
}

/// A count of nine to fifteen digits.
#[inline(never)]
fn long_count(field: &[u8]) -> Option<i64> {
    let (value, len, _) = super::number::unsigned(field)?;
    (len == field.len() && len <= 15 && field.iter().all(u8::is_ascii_digit)).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Position and counts of a line, relative to 1000 in every column.
    fn read<const COLUMNS: usize>(line: &str) -> Option<(Vec<i64>, Vec<i64>)> {
        let mut window = [b'7'; WINDOW];
        window[..line.len()].copy_from_slice(line.as_bytes());
        window[line.len()] = b'\n';
        let mut counts = [0; 3];
        let mut sums = [10; MOST_FIELDS];
        let summed = sum_line::<COLUMNS>(&window, &mut sums);
        let plain = cost_line::<COLUMNS>(&window, &[1000; 3], &mut counts, true);
        let mut again = counts;
        let without = cost_line::<COLUMNS>(&window, &[1000; 3], &mut again, false);
        assert_eq!(
            without.map(|p| (p.place.last().copied(), p.counts, p.len)),
            plain.as_ref().map(|p| (p.place.last().copied(), p.counts, p.len)),
            "{line:?}"
        );
        assert_eq!(again, counts, "{line:?}");
        match (summed, &plain) {
            (Some(summed), Some(plain)) => {
                assert_eq!(summed, (plain.counts, plain.len), "{line:?}");
                assert_eq!(sums, std::array::from_fn(|at| 10 + if at < plain.counts { counts[at] } else { 0 }));
            }
            // Too many counts: the caller knows how many there may be.
            (Some((n, _)), None) => assert!(n > counts.len(), "{line:?} is summed, though it is no plain cost line"),
            (None, _) => assert_eq!(sums, [10; MOST_FIELDS], "{line:?} is declined, but added"),
        }
        let plain = plain?;
        assert_eq!(plain.len, line.len() + 1, "{line:?}");
        Some((plain.place.to_vec(), counts[..plain.counts].to_vec()))
    }

    #[test]
    fn the_usual_forms_are_read() {
        assert_eq!(read::<1>("+3 120 4"), Some((vec![1003], vec![120, 4])));
        assert_eq!(read::<1>("-12 0"), Some((vec![988], vec![0])));
        assert_eq!(read::<2>("* * "), Some((vec![1000, 1000], vec![])));
        assert_eq!(read::<2>("0x1f +7 1 "), Some((vec![31, 1007], vec![1])));
        assert_eq!(read::<1>("46"), Some((vec![46], vec![])));
        assert_eq!(read::<0>("1 2 3"), Some((vec![], vec![1, 2, 3])));
        for (digits, value) in
            [("1234567", 1_234_567), ("12345678", 12_345_678), ("123456789012345", 123_456_789_012_345)]
        {
            assert_eq!(read::<1>(&format!("1 {digits} 5")), Some((vec![1], vec![value, 5])), "{digits}");
            assert_eq!(read::<1>(&format!("{digits} 5")), Some((vec![value], vec![5])), "{digits}");
        }
    }

    #[test]
    fn other_forms_are_declined() {
        for line in [
            "1  2",
            "1\t2",
            "1 0x10",
            "1 .",
            "1 -2",
            "1 2 3 4 5",
            "x 1",
            "1 2\r",
            "+ 1",
            "** 1",
            "1 1234567890123456",
            "1 2#",
            "10-12 1",
            "*3 1",
            "1 2\u{b0}",
            "",
            "+0x 1",
            "+",
            "-",
            "++1",
        ] {
            assert_eq!(read::<1>(line), None, "{line:?}");
        }
        for line in ["46", "46 ", "+1", "*", "5 +", "* -"] {
            assert_eq!(read::<2>(line), None, "{line:?}");
        }
        assert_eq!(read::<1>(&"1 ".repeat(LONGEST / 2)), None);
    }
}
