//! Numbers as people read them: counts with thousands separators, percentages, times.

use std::io::Write as _;

/// Appends a number in decimal digits, without the time that formatting takes. Most numbers of
/// exports have one digit.
#[inline]
pub(crate) fn push_number(out: &mut Vec<u8>, number: u64) {
    match number {
        0..10 => out.push(b'0' + number as u8),
        _ => out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes()),
    }
}

/// Appends a count with a comma before every three digits; negative ones have none, as the original
/// prints them.
pub(crate) fn push_count(cell: &mut Vec<u8>, count: i64) {
    match u64::try_from(count) {
        Ok(count) => push_grouped(cell, count),
        Err(_) => cell.extend_from_slice(count.to_string().as_bytes()),
    }
}

/// Appends ` (12.34%)`: five characters if possible, with one decimal less from 100 %.
pub(crate) fn push_share(cell: &mut Vec<u8>, count: i64, total: i64) {
    let hundredfold = count.checked_mul(100).map_or_else(
        || (i128::from(count) * 100) as f64,
        |product| product as f64,
    );
    let share = if total == 0 {
        0.0
    } else {
        hundredfold / total as f64
    };
    if let Some(hundredths) = small_hundredths(share) {
        let digit = |place: u16| b'0' + (hundredths / place % 10) as u8;
        let first = if hundredths < 1000 { b' ' } else { digit(1000) };
        return cell.extend_from_slice(&[
            b' ',
            b'(',
            first,
            digit(100),
            b'.',
            digit(10),
            digit(1),
            b'%',
            b')',
        ]);
    }
    // Writing to a vector cannot fail.
    let _ = if -9.995 < share && share < 99.995 {
        write!(cell, " ({share:5.2}%)")
    } else {
        write!(cell, " ({share:5.1}%)")
    };
}

/// The first byte of a micro sign.
pub(crate) const MICRO: u8 = 0xc2;

/// The characters of `999.9 µs`, the longest time below 100,000 s.
pub(crate) const LONGEST_DURATION: usize = 8;

/// A count of units of `tick` nanoseconds as a time with four digits. If `tick` is 0, the count is
/// one of thousandths, and not a time.
pub(crate) fn duration(count: impl Into<i128>, tick: u64) -> String {
    let count = count.into();
    if tick == 0 {
        return format!("{:.3}", count as f64 / 1000.0);
    }
    let nanoseconds = count.saturating_mul(tick.into());
    let (unit, scale) = match nanoseconds.unsigned_abs() {
        0 => return "0".into(),
        1..1000 => return format!("{nanoseconds} ns"),
        1000..1_000_000 => ("µs", 1e3),
        1_000_000..1_000_000_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let value = nanoseconds as f64 / scale;
    // Rounding may need one digit more before the point; then there is one less after it.
    let decimals = match value.abs() {
        ..9.9995 => 3,
        ..99.995 => 2,
        ..999.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {unit}")
}

/// A percentage from 0 to 99.99 in hundredths, if its rounding is certain: a product this far from
/// a half cannot round the wrong way.
fn small_hundredths(share: f64) -> Option<u16> {
    let hundredths = share * 100.0;
    let off = (hundredths - hundredths.floor() - 0.5).abs();
    ((0.0..9999.0).contains(&hundredths) && off > 1e-6).then_some(hundredths.round() as u16)
}

/// A number with a comma before every three digits.
pub(crate) fn grouped(number: impl itoa::Integer) -> String {
    let mut digits = Vec::new();
    push_grouped(&mut digits, number);
    digits.into_iter().map(char::from).collect()
}

fn push_grouped(out: &mut Vec<u8>, number: impl itoa::Integer) {
    let mut digits = itoa::Buffer::new();
    let digits = digits.format(number).as_bytes();
    let first = usize::from(digits[0] == b'-');
    for (at, &digit) in digits.iter().enumerate() {
        if at > first && (digits.len() - at).is_multiple_of(3) {
            out.push(b',');
        }
        out.push(digit);
    }
}

/// A quotient, rounded to the nearest; `None` for a division by 0.
pub(crate) fn divided(number: impl Into<i128>, by: u64) -> Option<i128> {
    match (number.into(), i128::from(by)) {
        // Dividing 128 bits is slow.
        (number, 1) => Some(number),
        (number, by) => (number + number.signum() * (by / 2)).checked_div(by),
    }
}

/// The first of some names, and how many more there are.
pub(crate) fn some(names: &[String]) -> String {
    const NAMED: usize = 3;
    let (first, more) = names.split_at(names.len().min(NAMED));
    let first = first.join(", ");
    match more.len() {
        0 => first,
        more => format!("{first} and {} more", grouped(more)),
    }
}

/// A number with commas, or the time that it is in units of `tick` nanoseconds.
pub(crate) fn amount(number: impl Into<i128>, tick: Option<u64>) -> String {
    match tick {
        Some(tick) => duration(number, tick),
        None => grouped(number.into()),
    }
}

/// The same with a sign before positive numbers, too.
pub(crate) fn signed_amount(number: i128, tick: Option<u64>) -> String {
    let plus = if number > 0 { "+" } else { "" };
    format!("{plus}{}", amount(number, tick))
}

/// `-1,234`, and `+1,234` for positive numbers.
pub(crate) fn signed(number: i128) -> String {
    signed_amount(number, None)
}

/// The change in percent of the old count; `new` if that is zero.
pub(crate) fn percent(old: Option<i64>, new: Option<i64>) -> String {
    let (old, new) = (old.unwrap_or(0), new.unwrap_or(0));
    match (old, new) {
        (0, 0) => String::new(),
        (0, _) => "new".into(),
        _ => {
            let share =
                (i128::from(new) - i128::from(old)) as f64 * 100.0 / (old.unsigned_abs() as f64);
            match share.abs() {
                0.0 => "0 %".into(),
                size if size < 1.0 => format!("{share:+.2} %"),
                size if size >= 100_000.0 => format!("{:.0}x", new as f64 / old as f64),
                _ => format!("{share:+.1} %"),
            }
        }
    }
}

/// `1 function is new`, `2 functions are new`.
pub(crate) fn plural(count: usize, what: &str, many: &str, one: &str) -> String {
    format!(
        "{} {}",
        how_many(count, what),
        if count == 1 { one } else { many }
    )
}

/// `1 function`, `2 functions`.
pub(crate) fn how_many(count: impl itoa::Integer, what: &str) -> String {
    let count = grouped(count);
    let end = if count == "1" { "" } else { "s" };
    format!("{count} {what}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(count: i64, total: i64) -> String {
        let mut text = Vec::new();
        push_count(&mut text, count);
        push_share(&mut text, count, total);
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn shares_are_rounded_as_floating_point_is() {
        for total in [7i64, 800, 4096, 99_999, 100_000, 20_000, 1_234_567_891] {
            for step in 0..5000 {
                let count = total / 5000 * step + step % 7;
                let share = (count * 100) as f64 / total as f64;
                let want = if share < 99.995 {
                    format!("({share:5.2}%)")
                } else {
                    format!("({share:5.1}%)")
                };
                assert!(
                    cell(count, total).ends_with(&want),
                    "{count} of {total} is {want}"
                );
            }
        }
    }

    #[test]
    fn numbers_of_any_length_have_their_commas() {
        assert_eq!(grouped(0u64), "0");
        assert_eq!(grouped(1000u64), "1,000");
        assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(
            grouped(u128::MAX),
            "340,282,366,920,938,463,463,374,607,431,768,211,455"
        );
        assert_eq!(grouped(-123_456), "-123,456");
    }

    #[test]
    fn times_have_four_digits_and_their_unit() {
        for (count, tick, shown) in [
            (0, 10, "0"),
            (7, 10, "70 ns"),
            (112_681, 10, "1.127 ms"),
            (4_300_096_222_i64, 10, "43.00 s"),
            (1_686, 1000, "1.686 ms"),
            (999_999, 1, "1000 µs"),
            (12_345, 1, "12.35 µs"),
            (-250, 1000, "-250.0 µs"),
        ] {
            assert_eq!(duration(count, tick), shown);
        }
    }

    #[test]
    fn shares_lose_a_digit_where_they_grow() {
        assert_eq!(cell(1, 3), "1 (33.33%)");
        assert_eq!(cell(1000, 1000), "1,000 (100.0%)");
        assert_eq!(cell(-4096, 4096), "-4096 (-100.0%)");
        assert_eq!(cell(-5, 100), "-5 (-5.00%)");
        assert_eq!(cell(5, 0), "5 ( 0.00%)");
        assert_eq!(
            cell(i64::MAX, 1),
            "9,223,372,036,854,775,807 (922337203685477580800.0%)"
        );
        assert_eq!(
            cell(-i64::MAX, 1),
            "-9223372036854775807 (-922337203685477580800.0%)"
        );
    }
}
