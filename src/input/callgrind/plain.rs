//! The fast path for a single cost line, in the form that writers use for nearly all of them.
//!
//! `+3 120 4`: subpositions and counts in decimal (an absolute subposition may be hexadecimal),
//! separated by one blank; a blank may follow the last field. It declines anything else. The slow
//! path then reads the line again from its first byte, so this file can never misread a line.

use crate::input::marks::{ByteMarks, WIDTH, WINDOW, number};

pub(super) struct PlainLine {
    /// The last subposition.
    pub place: i64,
    /// The number of counts.
    pub counts: usize,
    /// The length in bytes, with the line feed.
    pub len: usize,
}

/// Reads the line at the start of `window`. The line has `COLUMNS` subpositions, the last one
/// relative to `base`, and at most `counts.len()` counts. The counts are non-negative and below
/// 10^15. Returns `None` for a line of any other form.
#[inline(always)]
pub(super) fn cost_line<const COLUMNS: usize>(
    window: &[u8; WINDOW],
    base: i64,
    counts: &mut [i64],
) -> Option<PlainLine> {
    let ByteMarks {
        blanks,
        digits,
        feeds,
        ..
    } = ByteMarks::find(window, |low| low.feeds != 0);
    let feed = feeds & feeds.wrapping_neg();
    let within = feed.wrapping_sub(1);
    let blanks = blanks & within;
    if feed == 0 || blanks & blanks << 1 != 0 {
        return None;
    }
    let mut ends = blanks | feed & !(blanks << 1);
    let mut at = 0;
    let mut place = 0;
    for column in 0..COLUMNS {
        if ends == 0 {
            return None;
        }
        let end = ends.trailing_zeros() as usize;
        ends &= ends - 1;
        let first = window[at % WIDTH];
        let star = first == b'*';
        let relative = star | (first == b'+') | (first == b'-');
        at += usize::from(relative);
        let len = end - at;
        let field = (1u64 << (end % 64)).wrapping_sub(1 << (at % 64));
        let is_plain = !digits & field == 0 && (len == 0) == star && len <= 8;
        let value = if is_plain {
            // Without digits the word is not shifted, so the mask makes a star 0.
            number(window, at, len) & (i64::from(star) - 1)
        } else if !relative {
            long_position(window.get(at..end)?)?
        } else {
            return None;
        };
        if column + 1 == COLUMNS {
            let value = if first == b'-' { -value } else { value };
            place = value.checked_add(if relative { base } else { 0 })?;
        }
        at = end + 1;
    }
    // `at` may be one after the line feed; the line has at most 64 bytes with it.
    if at < WIDTH && !(digits | blanks) & within >> at << at != 0 {
        return None;
    }
    let mut n = 0;
    while ends != 0 {
        let end = ends.trailing_zeros() as usize;
        ends &= ends - 1;
        let len = end - at;
        *counts.get_mut(n)? = if len <= 8 {
            number(window, at, len)
        } else {
            long_count(window.get(at..end)?)?
        };
        n += 1;
        at = end + 1;
    }
    Some(PlainLine {
        place,
        counts: n,
        len: feeds.trailing_zeros() as usize + 1,
    })
}

/// Reads a position that is hexadecimal or has more than eight digits.
#[inline(never)]
fn long_position(field: &[u8]) -> Option<i64> {
    let (value, len, over) = crate::input::number::unsigned(field)?;
    if over || len != field.len() {
        return None;
    }
    i64::try_from(value).ok()
}

/// Reads a count of nine to fifteen digits.
#[inline(never)]
fn long_count(field: &[u8]) -> Option<i64> {
    let (value, len, _) = crate::input::number::unsigned(field)?;
    (len == field.len() && len <= 15 && field.iter().all(u8::is_ascii_digit))
        .then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last subposition, relative to 1000, and the counts of a line.
    fn read<const COLUMNS: usize>(line: &str) -> Option<(i64, Vec<i64>)> {
        let mut window = [b'7'; WINDOW];
        window[..line.len()].copy_from_slice(line.as_bytes());
        window[line.len()] = b'\n';
        let mut counts = [0; 3];
        let plain = cost_line::<COLUMNS>(&window, 1000, &mut counts)?;
        assert_eq!(plain.len, line.len() + 1, "{line:?}");
        Some((plain.place, counts[..plain.counts].to_vec()))
    }

    #[test]
    fn the_usual_forms_are_read() {
        assert_eq!(read::<1>("+3 120 4"), Some((1003, vec![120, 4])));
        assert_eq!(read::<1>("-12 0"), Some((988, vec![0])));
        assert_eq!(read::<2>("* * "), Some((1000, vec![])));
        assert_eq!(read::<2>("0x1f +7 1 "), Some((1007, vec![1])));
        assert_eq!(read::<1>("0x1f 1"), Some((31, vec![1])));
        assert_eq!(read::<1>("46"), Some((46, vec![])));
        assert_eq!(read::<0>("1 2 3"), Some((0, vec![1, 2, 3])));
        for (digits, value) in [
            ("1234567", 1_234_567),
            ("12345678", 12_345_678),
            ("123456789012345", 123_456_789_012_345),
        ] {
            assert_eq!(
                read::<1>(&format!("1 {digits} 5")),
                Some((1, vec![value, 5])),
                "{digits}"
            );
            assert_eq!(
                read::<1>(&format!("{digits} 5")),
                Some((value, vec![5])),
                "{digits}"
            );
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
        assert_eq!(read::<1>(&"1 ".repeat(WIDTH / 2)), None);
    }
}
