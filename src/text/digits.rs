//! Writes numbers in decimal digits for outputs of many million numbers; formatting takes four
//! times as long.

/// The numbers with two digits.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut at = 0;
    while at < pairs.len() {
        pairs[at] = [b'0' + (at / 10) as u8, b'0' + (at % 10) as u8];
        at += 1;
    }
    pairs
};

/// Appends a number in decimal digits.
#[inline]
pub(crate) fn push_number(out: &mut Vec<u8>, mut number: u64) {
    if number < 10 {
        return out.push(b'0' + number as u8);
    }
    // Copies as many digits as a number can have, and removes those too many. A fixed length needs
    // no call for each number.
    let mut digits = [0; 20];
    let length = number.ilog10() as usize + 1;
    let mut at = length;
    while number >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
        number /= 100;
    }
    if at > 0 {
        digits[0] = b'0' + number as u8;
    }
    let start = out.len();
    out.extend_from_slice(&digits);
    out.truncate(start + length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_they_are_formatted() {
        for number in [
            0,
            9,
            10,
            99,
            100,
            101,
            999,
            1000,
            12_345_678_901,
            u64::MAX - 1,
            u64::MAX,
        ] {
            let mut out = b"x".to_vec();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), format!("x{number}"));
        }
    }
}
