//! The order in which people sort names: numbers in them by value, `run-9` before `run-10`.

use std::cmp::Ordering;

/// The natural order of two names. Names that differ only in zeros before a number are ordered by
/// their bytes.
pub(crate) fn natural(a: &[u8], b: &[u8]) -> Ordering {
    let (mut left, mut right) = (a, b);
    while let (Some(x), Some(y)) = (left.first(), right.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (one, other) = (number(&mut left), number(&mut right));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        } else {
            let order = x.cmp(y);
            (left, right) = (&left[1..], &right[1..]);
            order
        };
        if order.is_ne() {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| a.cmp(b))
}

/// Takes the digits at the beginning, without leading zeros.
fn number<'t>(text: &mut &'t [u8]) -> &'t [u8] {
    let end = text
        .iter()
        .position(|b| !b.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_by_their_value() {
        let mut names = [
            "run-10",
            "run-9",
            "run-010",
            "run-1",
            "a",
            "run-1b",
            "run-",
            "run-10a2",
            "run-10a10",
        ];
        names.sort_by(|a, b| natural(a.as_bytes(), b.as_bytes()));
        assert_eq!(
            names,
            [
                "a",
                "run-",
                "run-1",
                "run-1b",
                "run-9",
                "run-010",
                "run-10",
                "run-10a2",
                "run-10a10"
            ]
        );
        let long = format!("r{}", "9".repeat(100));
        assert_eq!(
            natural(long.as_bytes(), b"r10"),
            Ordering::Greater,
            "no number is too large"
        );
    }
}
