//! The yardstick of the benchmarks: the least that any reader of a profile must do.
//!
//! It finds every decimal and every hexadecimal (`0x..`) number of a file, byte by byte, on one thread, in blocks of
//! 1 MiB, adds them up (wrapping) and prints the sum. It knows nothing of lines, names or events. A reader that is as
//! fast as this one spends nothing on understanding what it reads; to be faster it must look at more than a byte at
//! a time.
//!
//! A number is the longest run of decimal digits, wherever it stands (`f42` holds 42), or `0x` and the longest run of
//! hexadecimal digits after it; a sign is not part of it. Numbers may lie across the border of two blocks.
//!
//!     rustc -O benches/integer_loop.rs && ./integer_loop callgrind.out.1234

#![allow(clippy::print_stdout, clippy::print_stderr)] // a program of its own, outside of the library's rules

use std::fs::File;
use std::io::{self, Read};
use std::process::ExitCode;
use std::slice::Iter;

const BLOCK: usize = 1 << 20;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(path), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: integer_loop FILE   (- is standard input)");
        return ExitCode::from(2);
    };
    let sum = if path == "-" {
        sum_of_numbers(io::stdin().lock())
    } else {
        File::open(&path).and_then(sum_of_numbers)
    };
    match sum {
        Ok(sum) => {
            println!("{sum}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("integer_loop: {}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn sum_of_numbers(mut input: impl Read) -> io::Result<u64> {
    let mut block = vec![0; BLOCK];
    let mut numbers = Numbers::default();
    loop {
        match input.read(&mut block) {
            Ok(0) => return Ok(numbers.finish()),
            Ok(length) => numbers.feed(&block[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[derive(Default)]
struct Numbers {
    /// The sum of all numbers that have ended.
    sum: u64,
    /// The value so far of the number we are in; 0 outside of numbers.
    value: u64,
    /// The last byte read: only `0x` makes an `x` begin something.
    last: u8,
    /// Are we behind `0x`?
    hexadecimal: bool,
}

impl Numbers {
    fn feed(&mut self, block: &[u8]) {
        let mut bytes = block.iter();
        while !bytes.as_slice().is_empty() {
            if self.hexadecimal {
                self.feed_hexadecimal(&mut bytes);
            } else {
                self.feed_decimal(&mut bytes);
            }
        }
    }

    /// Up to the `x` of the next `0x`. Most of a profile goes through here: a step costs a multiplication, an addition
    /// and two selections, and its only branch is hardly ever taken. With a branch on "is this a digit?", or a loop
    /// for each state, it was measured to be between a few percent faster and a tenth slower, as the profile has it.
    fn feed_decimal(&mut self, bytes: &mut Iter<u8>) {
        let Numbers {
            mut sum,
            mut value,
            mut last,
            ..
        } = *self;
        for &byte in bytes {
            if byte == b'x' && last == b'0' && value == 0 {
                self.hexadecimal = true;
                break;
            }
            let digit = byte.wrapping_sub(b'0');
            let is_digit = digit < 10;
            let longer = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            sum = sum.wrapping_add(if is_digit { 0 } else { value });
            value = if is_digit { longer } else { 0 };
            last = byte;
        }
        *self = Numbers {
            sum,
            value,
            last,
            ..*self
        };
    }

    /// Up to the end of a hexadecimal number.
    fn feed_hexadecimal(&mut self, bytes: &mut Iter<u8>) {
        for &byte in bytes {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b'A'..=b'F' => byte - b'A' + 10,
                _ => {
                    *self = Numbers {
                        sum: self.sum.wrapping_add(self.value),
                        value: 0,
                        last: byte,
                        hexadecimal: false,
                    };
                    return;
                }
            };
            self.value = self.value << 4 | u64::from(digit);
        }
    }

    fn finish(self) -> u64 {
        self.sum.wrapping_add(self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] =
        b"fn=(12) f42\n0x1F +3 007 0 -5 0x 00x2 0Xa 1x3 18446744073709551615 99999999999999999999 0xfFg7\n0x10";

    #[test]
    fn the_sum_of_a_text() {
        let huge = 99999999999999999999u128 as u64;
        let rest = 12 + 42 + 0x1F + 3 + 7 + 5 + 2 + 1 + 3 + 0xFF + 7 + 0x10;
        assert_eq!(
            sum_of_numbers(TEXT).unwrap(),
            u64::MAX.wrapping_add(huge).wrapping_add(rest)
        );
    }

    #[test]
    fn block_borders_change_nothing() {
        let whole = sum_of_numbers(TEXT).unwrap();
        for size in 1..TEXT.len() {
            let mut numbers = Numbers::default();
            TEXT.chunks(size).for_each(|block| numbers.feed(block));
            assert_eq!(numbers.finish(), whole, "blocks of {size}");
        }
    }
}
