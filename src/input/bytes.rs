//! Finds the bytes of one kind among sixteen bytes. The result is a mask: bit n is byte n. `marks`
//! calls it for every run of lines.
//!
//! For whoever changes this: it is the innermost loop of the parser, so it compares many bytes at
//! once. On x86-64 it uses vector instructions, which `safe_arch` offers without unsafe code. Other
//! processors compare eight bytes at a time in a plain word. The test below runs both against a
//! naive version; change both together.

pub(super) use lanes::Sixteen;

#[cfg(target_arch = "x86_64")]
mod lanes {
    use safe_arch::{
        cmp_eq_mask_i8_m128i, m128i, min_u8_m128i, move_mask_i8_m128i, set_splat_i8_m128i,
        sub_i8_m128i,
    };

    #[derive(Clone, Copy)]
    pub(in crate::input) struct Sixteen(m128i);

    impl Sixteen {
        #[inline(always)]
        pub(in crate::input) fn new(bytes: &[u8; 16]) -> Sixteen {
            Sixteen(m128i::from(*bytes))
        }

        /// Finds the bytes that equal `byte`.
        #[inline(always)]
        pub(in crate::input) fn equal(self, byte: u8) -> u16 {
            move_mask_i8_m128i(cmp_eq_mask_i8_m128i(self.0, splat(byte))) as u16
        }

        /// Finds the bytes that equal `one` or `other`.
        #[inline(always)]
        pub(in crate::input) fn either(self, one: u8, other: u8) -> u16 {
            let equal = |byte| cmp_eq_mask_i8_m128i(self.0, splat(byte));
            move_mask_i8_m128i(equal(one) | equal(other)) as u16
        }

        /// Finds the decimal digits.
        #[inline(always)]
        pub(in crate::input) fn digits(self) -> u16 {
            let value = sub_i8_m128i(self.0, splat(b'0'));
            move_mask_i8_m128i(cmp_eq_mask_i8_m128i(min_u8_m128i(value, splat(9)), value)) as u16
        }
    }

    #[inline(always)]
    fn splat(byte: u8) -> m128i {
        set_splat_i8_m128i(byte as i8)
    }
}

#[cfg(not(target_arch = "x86_64"))]
use words as lanes;

/// The same functions on plain words.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;

    #[derive(Clone, Copy)]
    pub(in crate::input) struct Sixteen([u64; 2]);

    impl Sixteen {
        #[inline(always)]
        pub(in crate::input) fn new(bytes: &[u8; 16]) -> Sixteen {
            let all = u128::from_le_bytes(*bytes);
            Sixteen([all as u64, (all >> 64) as u64])
        }

        /// Finds the bytes that equal `byte`.
        #[inline(always)]
        pub(in crate::input) fn equal(self, byte: u8) -> u16 {
            // Sets the top bit of each byte that differs: the low bits carry into it, or it differs
            // itself.
            self.bits(|word| {
                let other = word ^ splat(byte);
                !(((other & LOW) + LOW) | other) & !LOW
            })
        }

        /// Finds the bytes that equal `one` or `other`.
        #[inline(always)]
        pub(in crate::input) fn either(self, one: u8, other: u8) -> u16 {
            self.equal(one) | self.equal(other)
        }

        /// Finds the decimal digits.
        #[inline(always)]
        pub(in crate::input) fn digits(self) -> u16 {
            // A digit is below 128, at least `0` and at most `9`. No sum overflows its byte.
            self.bits(|word| {
                let low = word & LOW;
                (low + splat(0x80 - b'0')) & !(low + splat(0x7f - b'9')) & !word & !LOW
            })
        }

        /// Collects the top bits of all bytes of both words. The multiplication moves each bit to a
        /// place of its own.
        #[inline(always)]
        fn bits(self, find: impl Fn(u64) -> u64) -> u16 {
            let [low, high] = self
                .0
                .map(|word| (find(word) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56);
            (low | high << 8) as u16
        }
    }

    #[inline(always)]
    fn splat(byte: u8) -> u64 {
        u64::from(byte) * 0x0101_0101_0101_0101
    }
}

#[cfg(test)]
mod tests {
    use super::{lanes, words};

    /// Tests every byte at every position, next to bytes that cause a carry and bytes that do not.
    #[test]
    fn both_ways_find_the_same() {
        for filler in [0u8, 1, b'/', b'0', b'9', b':', 0x7f, 0x80, 0xb0, 0xff] {
            for byte in 0..=255u8 {
                for at in 0..16 {
                    let mut bytes = [filler; 16];
                    bytes[at] = byte;
                    let naive = |is: &dyn Fn(u8) -> bool| {
                        (0..16)
                            .map(|at| u16::from(is(bytes[at])) << at)
                            .sum::<u16>()
                    };
                    let (fast, plain) = (lanes::Sixteen::new(&bytes), words::Sixteen::new(&bytes));
                    let digits = naive(&|b| b.is_ascii_digit());
                    assert_eq!(
                        (fast.digits(), plain.digits()),
                        (digits, digits),
                        "{bytes:?}"
                    );
                    let either = naive(&|b| b == b'+' || b == byte);
                    assert_eq!(
                        (fast.either(b'+', byte), plain.either(b'+', byte)),
                        (either, either),
                        "{bytes:?}"
                    );
                    for wanted in [b' ', b'+', b'-', b'*', b'\n', byte] {
                        let equal = naive(&|b| b == wanted);
                        assert_eq!(
                            (fast.equal(wanted), plain.equal(wanted)),
                            (equal, equal),
                            "{bytes:?}"
                        );
                    }
                }
            }
        }
    }
}
