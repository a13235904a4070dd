//! Numbers as the format writes them, read with care: decimal or `0x` hexadecimal, no octal, no rounding, no wrapping.

/// The value of a number and how many bytes it takes at the start of `text`; `None` if there is none.
/// A number that does not fit gives `u64::MAX` and `true`.
pub(crate) fn unsigned(text: &[u8]) -> Option<(u64, usize, bool)> {
    let (radix, skip) = match text {
        [b'0', b'x' | b'X', ..] => (16, 2),
        _ => (10, 0),
    };
    let (mut value, mut len, mut over) = (0u64, skip, false);
    while let Some(digit) = text.get(len).and_then(|&b| char::from(b).to_digit(radix)) {
        match value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(digit))) {
            Some(v) => value = v,
            None => over = true,
        }
        len += 1;
    }
    (len > skip).then_some((if over { u64::MAX } else { value }, len, over))
}

/// What one field of counts holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Count {
    /// An integer.
    Is(i64),
    /// An integer outside the range of a count; the limit stands for it.
    Beyond(i64),
    /// `.`: nothing was recorded.
    Never,
    /// A number, but no integer.
    Fraction,
    /// No number at all.
    Garbage,
}

/// Reads a whole field as a number without sign; the flag is true if it did not fit.
pub(crate) fn whole(field: &[u8]) -> Option<(u64, bool)> {
    unsigned(field).and_then(|(value, len, over)| (len == field.len()).then_some((value, over)))
}

/// Reads a whole field as a count.
pub(crate) fn count(field: &[u8]) -> Count {
    if field == b"." {
        return Count::Never;
    }
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, field),
    };
    if let Some((value, over)) = whole(digits) {
        return match i64::try_from(value) {
            Ok(v) if !over => Count::Is(if negative { -v } else { v }),
            _ => Count::Beyond(if negative { -i64::MAX } else { i64::MAX }),
        };
    }
    match std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(number) if number.is_finite() => Count::Fraction,
        _ => Count::Garbage,
    }
}

/// Eight bytes of a line as one word, first byte lowest.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8).and_then(|b| b.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => 0,
    }
}

/// Up to eight decimal digits at the start of a word: their value and how many there are. Without a branch on their
/// number, which in real profiles cannot be predicted.
#[inline(always)]
pub(crate) fn digits(word: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let x = word ^ (ONES * 0x30);
    // A byte is a digit if it is now 0..=9; carries only reach bytes behind the first one that is none.
    let others = (x.wrapping_add(ONES * 0x76) | x) & (ONES * 0x80);
    let len = (others.trailing_zeros() / 8) as usize;
    // The digits move to the top, zeros come in below them: the number with leading zeros.
    let x = x.checked_shl(64 - 8 * len as u32).unwrap_or(0);
    let x = x.wrapping_mul(10).wrapping_add(x >> 8);
    const LOW: u64 = 0x0000_00ff_0000_00ff;
    let pairs = (x & LOW).wrapping_mul(0x000f_4240_0000_0064);
    let more = ((x >> 16) & LOW).wrapping_mul(0x0000_2710_0000_0001);
    (pairs.wrapping_add(more) >> 32, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_length() {
        for (text, want) in [
            ("0       ", (0, 1)),
            ("7 1 2 3 ", (7, 1)),
            ("42\n99999", (42, 2)),
            ("1234567 ", (1_234_567, 7)),
            ("12345678", (12_345_678, 8)),
            ("99999999", (99_999_999, 8)),
            (" 1234567", (0, 0)),
            ("*1234567", (0, 0)),
            ("9\u{e9}\u{e9}\u{e9} ", (9, 1)),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            bytes.resize(8, b' ');
            assert_eq!(digits(word(&bytes, 0)), want, "{text:?}");
        }
    }

    #[test]
    fn counts_in_all_forms() {
        assert_eq!(count(b"010"), Count::Is(10));
        assert_eq!(count(b"0x10"), Count::Is(16));
        assert_eq!(count(b"-4096"), Count::Is(-4096));
        assert_eq!(count(b"."), Count::Never);
        assert_eq!(count(b"1.5"), Count::Fraction);
        for garbage in ["0x", "12ab", "1.5.2", "inf", "NaN", "", "-"] {
            assert_eq!(count(garbage.as_bytes()), Count::Garbage, "{garbage}");
        }
        assert_eq!(count(b"9223372036854775807"), Count::Is(i64::MAX));
        assert_eq!(count(b"9223372036854775808"), Count::Beyond(i64::MAX));
        assert_eq!(count(b"99999999999999999999999"), Count::Beyond(i64::MAX));
    }
}
