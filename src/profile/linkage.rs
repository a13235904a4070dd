//! Linkage names: as compilers mangle names, and as people know them.

use std::fmt::{self, Write};

/// Longer names stay as they are.
const LONGEST_NAME: usize = 16 * 1024;

/// The most bytes of a demangled name per byte of the mangled one. With back references, forty
/// letters can expand to a megabyte.
const LONGEST: usize = 32;

/// The deepest nesting in mangled names: 3 of 73,000 names of LLVM and the standard library exceed
/// it.
const DEEPEST: u32 = 64;

/// The most operators `new` and `delete` in a name of C++, or letters like them: 3 of 1,000 names of
/// LLVM have more. For each, cpp_demangle reads twice what follows, so 60 bytes could take hours.
const MOST_OPERATORS: usize = 7;

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

/// A pattern as typed. A linkage name stands for itself and for the name that people know.
pub(crate) fn pattern(typed: &str) -> String {
    match demangled(typed.as_bytes()) {
        Some(name) => format!(
            "^(?:{}|{})$",
            regex::escape(typed),
            regex::escape(&String::from_utf8_lossy(&name))
        ),
        None => typed.to_owned(),
    }
}

#[cfg(feature = "object")]
fn write_cpp(name: &str, out: &mut LimitedText) -> Option<()> {
    let is_operator = |two: &&[u8]| [&b"dl"[..], b"da", b"nw", b"na"].contains(two);
    if name.as_bytes().windows(2).filter(is_operator).count() > MOST_OPERATORS {
        return None;
    }
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
    let hash = symbol.rfind("17h").map(|at| &symbol.as_bytes()[at + 3..]);
    let is_hash = |hash: &[u8]| {
        matches!(hash.get(16..), Some([b'E'] | [b'E', b'.', ..]))
            && hash[..16].iter().all(u8::is_ascii_hexdigit)
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
            ("_ZN3foo3bar17h0123456789abcdefE.cold", "foo::bar.cold"),
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

    #[cfg(feature = "object")]
    #[test]
    fn operators_that_are_read_twice_have_a_limit() {
        let name =
            |count: usize| demangled(format!("_Z1fIX{}Li1EEEvv", "dl".repeat(count)).as_bytes());
        assert!(name(7).is_some());
        for count in [8, 26, 10_000] {
            assert_eq!(name(count), None);
        }
    }

    /// Each part of this name is the part before it, twice.
    #[test]
    fn a_name_that_repeats_itself_has_a_limit() {
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
        let name = demangled(symbol.as_bytes()).unwrap();
        assert!(name.len() <= LONGEST * symbol.len());
    }

    fn radix(at: usize) -> String {
        char::from_digit(at as u32 % 36, 36)
            .unwrap_or('0')
            .to_ascii_uppercase()
            .to_string()
    }
}
