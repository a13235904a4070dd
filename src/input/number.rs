//! Parses the numbers of the format strictly. A number is `0x` hexadecimal or decimal, with a point
//! or an exponent if its value is an integer. Nothing is octal, and nothing is rounded or wraps.

use crate::profile::Overflow;
use std::str::FromStr;

/// The value of the number at the start of `text`, and its length in bytes; `None` if there is
/// none. A number that does not fit becomes `u64::MAX`.
pub(crate) fn unsigned(text: &[u8]) -> Option<(u64, usize, Overflow)> {
    let (radix, skip) = match text {
        [b'0', b'x' | b'X', ..] => (16, 2),
        _ => (10, 0),
    };
    let (mut value, mut len, mut over) = (0u64, skip, false);
    while let Some(digit) = text.get(len).and_then(|&b| char::from(b).to_digit(radix)) {
        match value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(digit)))
        {
            Some(v) => value = v,
            None => over = true,
        }
        len += 1;
    }
    (len > skip).then_some((if over { u64::MAX } else { value }, len, over))
}

/// The content of one field of counts.
#[derive(PartialEq, Debug)]
pub(crate) enum Count {
    /// An integer.
    Is(i64),
    /// An integer outside the range of a count. It becomes the limit.
    Beyond(i64),
    /// `.`: nothing was recorded.
    Never,
    /// A number that is not an integer.
    Fraction,
    /// Not a number.
    Garbage,
}

/// Reads a whole field as a number without a sign.
pub(crate) fn whole(field: &[u8]) -> Option<(u64, Overflow)> {
    match unsigned(field) {
        Some((value, len, over)) if len == field.len() => Some((value, over)),
        _ => decimal(field),
    }
}

/// Reads a whole field with the parser of the standard library.
pub(crate) fn parsed<T: FromStr>(field: &[u8]) -> Option<T> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// The value of decimal digits, at most `u64::MAX`. `None` for anything else.
#[inline]
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for digit in text {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value
            .saturating_mul(10)
            .saturating_add((digit - b'0').into());
    }
    (!text.is_empty()).then_some(value)
}

/// Reads an integer with a decimal point or an exponent, exactly: `1e5`, `2.50e1`, `3.0`.
#[cold]
fn decimal(field: &[u8]) -> Option<(u64, Overflow)> {
    let text = std::str::from_utf8(field).ok()?;
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || before.bytes().chain(after.bytes());
    // The number of digits to the left of the point after the exponent moved it. 0 has none,
    // because more zeros do not change it. Any other number is soon too large.
    let whole = i64::from(exponent.parse::<i32>().ok()?) + before.len() as i64;
    let is_zero = digits().all(|b| b == b'0');
    let whole = if is_zero { 0 } else { whole.max(0) as usize };
    let is_integer =
        digits().all(|b| b.is_ascii_digit()) && digits().skip(whole).all(|b| b == b'0');
    digits().next().filter(|_| is_integer)?;
    let add = |value: u64, digit: u8| value.checked_mul(10)?.checked_add((digit - b'0').into());
    let value = digits()
        .chain(std::iter::repeat(b'0'))
        .take(whole)
        .try_fold(0, add);
    Some(value.map_or((u64::MAX, true), |value| (value, false)))
}

/// Reads a whole field as a count.
pub(crate) fn count(field: &[u8]) -> Count {
    if field == b"." {
        return Count::Never;
    }
    let (negative, digits) = match field {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, field),
    };
    if let Some((value, over)) = whole(digits) {
        return match i64::try_from(value) {
            Ok(v) if !over => Count::Is(if negative { -v } else { v }),
            _ => Count::Beyond(if negative { -i64::MAX } else { i64::MAX }),
        };
    }
    match parsed::<f64>(field) {
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
        for (text, value) in [
            ("1e5", 100_000),
            ("+7", 7),
            ("2E+3", 2000),
            ("-1.25e2", -125),
            ("3.0", 3),
            ("3.", 3),
            ("12000e-3", 12),
            (".5e1", 5),
            ("0e999999999", 0),
            ("0.000e-7", 0),
            ("9007199254740993.0", 9_007_199_254_740_993),
            ("9.223372036854775807E18", i64::MAX),
        ] {
            assert_eq!(count(text.as_bytes()), Count::Is(value), "{text}");
        }
        for fraction in [
            "1.5",
            "1e-1",
            "5e-2",
            "12001e-3",
            "4503599627370496.1",
            "+.5",
        ] {
            assert_eq!(count(fraction.as_bytes()), Count::Fraction, "{fraction}");
        }
        for large in ["1.84467440737096e+19", "1e2147483647", "1e19"] {
            assert_eq!(count(large.as_bytes()), Count::Beyond(i64::MAX), "{large}");
        }
        for garbage in [
            "0x", "12ab", "1.5.2", "inf", "NaN", "", "-", "+", "1e", "1e5x", "+-1", "e5", "0x1e+5",
        ] {
            assert_eq!(count(garbage.as_bytes()), Count::Garbage, "{garbage}");
        }
        assert_eq!(count(b"9223372036854775807"), Count::Is(i64::MAX));
        assert_eq!(count(b"9223372036854775808"), Count::Beyond(i64::MAX));
        assert_eq!(count(b"99999999999999999999999"), Count::Beyond(i64::MAX));
    }
}
