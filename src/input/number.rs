//! Parses numbers of the format strictly: decimal or `0x` hexadecimal, no octal, no rounding, no wrapping.

use crate::profile::costs::Overflow;

/// The value of a number and how many bytes it takes at the start of `text`; `None` if there is none.
/// `u64::MAX` stands for a number that does not fit.
pub(crate) fn unsigned(text: &[u8]) -> Option<(u64, usize, Overflow)> {
    let (radix, skip) = match text {
        [b'0', b'x' | b'X', ..] => (16, 2),
        _ => (10, 0),
    };
    let (mut value, mut len, mut over) = (0u64, skip, Overflow::No);
    while let Some(digit) = text.get(len).and_then(|&b| char::from(b).to_digit(radix)) {
        match value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(digit))) {
            Some(v) => value = v,
            None => over = Overflow::Saturated,
        }
        len += 1;
    }
    (len > skip).then_some((if over == Overflow::No { value } else { u64::MAX }, len, over))
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
    /// A number that is not an integer.
    Fraction,
    /// Not a number.
    Garbage,
}

/// Reads a whole field as a number without sign.
pub(crate) fn whole(field: &[u8]) -> Option<(u64, Overflow)> {
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
            Ok(v) if over == Overflow::No => Count::Is(if negative { -v } else { v }),
            _ => Count::Beyond(if negative { -i64::MAX } else { i64::MAX }),
        };
    }
    match std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok()) {
        Some(number) if number.is_finite() => Count::Fraction,
        _ => Count::Garbage,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
