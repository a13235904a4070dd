//! Linkage names: as compilers mangle names, and as people know them.

use std::fmt::{self, Write};

/// Longer names stay as they are.
const LONGEST_NAME: usize = 16 * 1024;

/// The most bytes of a demangled name per byte of the mangled one. With back references, forty
/// letters can expand to a megabyte.
const LONGEST: usize = 32;

/// The deepest nesting in mangled names: 3 of 73,000 names of LLVM and the standard library exceed
/// it.
#[cfg(feature = "object")]
const DEEPEST: u32 = 64;

/// Whether a linkage name is mangled, as C++ and Rust do it.
pub(crate) fn is_mangled(name: &[u8]) -> bool {
    name.starts_with(b"_Z") || name.starts_with(b"_R")
}

/// Demangles a linkage name, without Rust's hash. `None` if it is not mangled or not valid.
pub(crate) fn demangled(name: &[u8]) -> Option<Vec<u8>> {
    if !is_mangled(name) || name.len() > LONGEST_NAME {
        return None;
    }
    let name = std::str::from_utf8(name).ok()?;
    let mut out = LimitedText {
        text: String::new(),
        room: (LONGEST * name.len()).min(4 * LONGEST_NAME),
    };
    if is_rust(name) {
        write!(out, "{:#}", rustc_demangle::try_demangle(name).ok()?).ok()?;
    } else {
        write_cpp(name, &mut out)?;
    }
    Some(out.text.into_bytes()).filter(|name| !name.is_empty() && !name.contains(&b'\n'))
}

#[cfg(feature = "object")]
fn write_cpp(name: &str, out: &mut LimitedText) -> Option<()> {
    let options = cpp_demangle::ParseOptions::default().recursion_limit(DEEPEST);
    let symbol = cpp_demangle::Symbol::new_with_options(name, &options).ok()?;
    symbol.structured_demangle(out, &Default::default()).ok()
}

/// Without the feature `object`, names of C++ stay as they are.
#[cfg(not(feature = "object"))]
fn write_cpp(_: &str, _: &mut LimitedText) -> Option<()> {
    None
}

/// Whether a mangled name is Rust's: the new form, or the old one, which is C++'s form with a hash
/// at the end.
fn is_rust(symbol: &str) -> bool {
    let plain = symbol
        .split_once(".llvm.")
        .map_or(symbol, |(plain, _)| plain);
    let hash = plain
        .strip_suffix('E')
        .and_then(|rest| rest.get(rest.len().checked_sub(19)?..));
    let is_hash = |text: &str| {
        text.strip_prefix("17h")
            .is_some_and(|h| h.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    symbol.starts_with("_R") || hash.is_some_and(is_hash)
}

/// A text of limited length.
struct LimitedText {
    text: String,
    room: usize,
}

impl fmt::Write for LimitedText {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        self.room = self.room.checked_sub(more.len()).ok_or(fmt::Error)?;
        self.text.push_str(more);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_people_know() {
        for (symbol, want) in [
            ("_ZN4core3ptr4read17h0123456789abcdefE", "core::ptr::read"),
            (
                "_ZN4core3ptr4read17h0123456789abcdefE.llvm.123",
                "core::ptr::read",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZN3foo3barEi", "foo::bar(int)"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backERKi",
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
            ),
        ] {
            let name = demangled(symbol.as_bytes()).map(|name| String::from_utf8(name).unwrap());
            assert_eq!(name.as_deref(), Some(want), "{symbol}");
        }
        for plain in ["main", "_ZL", "_Zzzz", "", "_R"] {
            assert_eq!(demangled(plain.as_bytes()), None, "{plain}");
        }
    }

    /// Each part of this name is the part before it, twice.
    #[test]
    fn a_name_that_repeats_itself_is_no_name() {
        let mut symbol = "_Z1fI1aE".to_owned();
        for at in 0..40 {
            let part = |at: usize| {
                if at == 0 {
                    "S_".to_owned()
                } else {
                    format!("S{}_", radix(at - 1))
                }
            };
            symbol = format!("{}1bI{}{}E", symbol, part(at), part(at));
        }
        let name = demangled(symbol.as_bytes());
        assert!(name.is_none_or(|name| name.len() <= LONGEST * symbol.len()));
    }

    fn radix(at: usize) -> String {
        char::from_digit(at as u32 % 36, 36)
            .unwrap_or('0')
            .to_ascii_uppercase()
            .to_string()
    }
}
