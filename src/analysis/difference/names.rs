//! Names without the parts that change from build to build: hashes, clone suffixes, numbers of
//! closures, addresses.
//!
//! Every function of both profiles passes here before it is matched. The functions here have no
//! side effects.

use super::builds::{ADDRESS, Varies, is_address, reduced};
pub use crate::profile::normalised_path;
use crate::profile::{NameId, Names, callers::pieces};
use regex::bytes::Regex;
use std::borrow::Cow;

/// Removes the parts of a function's name that change from build to build, by the table in
/// `builds`. Rust's mangled names are demangled, and a name that is an address becomes `ADDRESS`.
pub fn normalised(name: &[u8]) -> Cow<'_, [u8]> {
    reduced(name, Varies::Number)
}

/// Whether a function has a name. An address or `???` does not count.
pub(crate) fn is_named(names: &Names, name: NameId) -> bool {
    name != NameId::UNKNOWN && !names.is(name, ADDRESS) && !is_address(names.beginning(name))
}

/// The text after the last `::` outside of brackets, before its arguments. A closure includes the
/// function before it. Callers are omitted.
pub fn last_part(name: &[u8]) -> &[u8] {
    let [function, level, _] = pieces(name);
    let name = &name[..function.len() + level.len()];
    let mut start = 0;
    let end = scan(name, |at| start = at);
    &name[start..end]
}

/// Passes the start of each part of a name, except the first, to `part`. Returns where the
/// arguments of the last part begin.
pub(crate) fn scan(name: &[u8], mut part: impl FnMut(usize)) -> usize {
    let (mut depth, mut start) = (0i32, 0);
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            // A part may begin with a bracket: `(anonymous namespace)`.
            b'(' if depth <= 0 && at > start => return at,
            b':' if depth <= 0
                && at > 0
                && name[at - 1] == b':'
                && name.get(at + 1) != Some(&b'{') =>
            {
                start = at + 1;
                part(start);
            }
            _ => {}
        }
    }
    name.len()
}

/// How names are compared.
#[derive(Clone, Default, Debug)]
pub struct Rules {
    /// Whether they are compared byte by byte.
    pub exactness: Exactness,
    /// Substitutions in the paths of files and objects, applied one after the other.
    pub paths: Vec<Rewrite>,
    /// Substitutions in function names.
    pub functions: Vec<Rewrite>,
}

/// How strictly names are compared.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Exactness {
    /// Byte by byte. No function counts as renamed or moved.
    Exact,
    /// Without the parts that change from build to build.
    #[default]
    Normalised,
}

/// A substitution that the user asked for.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The pattern to replace.
    pub pattern: Regex,
    /// The replacement, with groups in the syntax of the `regex` crate.
    pub replacement: Vec<u8>,
    /// Which matches to replace.
    pub matches: Matches,
}

/// Which matches are replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Matches {
    /// The first match of a name.
    First,
    /// Every match.
    All,
}

impl Rewrite {
    /// The name after the substitution.
    pub fn apply<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        let limit = match self.matches {
            Matches::First => 1,
            Matches::All => 0,
        };
        self.pattern.replacen(name, limit, &self.replacement[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        String::from_utf8_lossy(&normalised(text.as_bytes())).into_owned()
    }

    #[test]
    fn builds_leave_no_trace_in_names() {
        for (raw, plain) in [
            ("app::decode::h0123456789abcdef", "app::decode"),
            (
                "app::decode::h0123456789abcdeg",
                "app::decode::h0123456789abcdeg",
            ),
            ("app[4d5ad8fb41e5a7a2]::decode", "app::decode"),
            (
                "<app[4d5ad8fb41e5a7a2]::T as core[7a1a1ed58cbaa3b3]::fmt::Display>::fmt",
                "<app::T as core::fmt::Display>::fmt",
            ),
            ("f(int [4])", "f(int [4])"),
            ("grow.constprop.0.isra.0", "grow"),
            ("grow.part.0.cold", "grow"),
            ("grow.llvm.1234567890", "grow"),
            ("grow(int) [clone .part.0] [clone .cold]", "grow(int)"),
            (
                "app::run::{closure#3}::{closure#0}",
                "app::run::{closure}::{closure}",
            ),
            (
                "std::sort(int*)::{lambda(int)#2}::operator()",
                "std::sort(int*)::{lambda(int)}::operator()",
            ),
            ("0x00000000000401a0", "0x..."),
            ("0xyz", "0xyz"),
            ("grow.isra.0'main'2", "grow'main'2"),
            ("_ZN1t1m1g17h5fb920126b5f8798E", "t::m::g"),
            ("_RNvNtCslmlfFhhchmH_1t1m1g", "t::m::g"),
            (
                "_ZNSt6vectorIiSaIiEE9push_backEOi",
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
            ),
            ("_ZN3foo3barE", "foo::bar"),
            ("_Random_name", "_Random_name"),
            (".cold", ".cold"),
            ("", ""),
        ] {
            assert_eq!(name(raw), plain, "{raw}");
        }
    }

    #[test]
    fn a_name_that_unfolds_without_end_stays_mangled() {
        // Tuples of eight of the previous tuple, by reference back to it: 8 to the power of 2, and
        // of 4.
        let tuples = |references: &[&str]| {
            let levels: String = references
                .iter()
                .map(|at| format!("T{}E", at.repeat(8)))
                .collect();
            format!("_RIC1aTuuE{levels}E")
        };
        let short = tuples(&["B3_", "B7_"]);
        assert!(
            name(&short).starts_with("a::<((), ()), (((), ()), ((), ())"),
            "{}",
            name(&short)
        );
        let long = tuples(&["B3_", "B7_", "Bx_", "BX_"]);
        assert!(rustc_demangle::try_demangle(&long).is_ok());
        assert_eq!(name(&long), long);
        assert_eq!(name(&format!("{long}.llvm.1")), long);
        // A name with many suffixes loses all of them.
        assert_eq!(
            name(&format!("grow{}", ".cold.isra.0".repeat(50_000))),
            "grow"
        );
    }

    #[test]
    fn builds_leave_no_trace_in_paths() {
        let path =
            |text: &str| String::from_utf8_lossy(&normalised_path(text.as_bytes())).into_owned();
        assert_eq!(path("/t/deps/app-0123456789abcdef"), "/t/deps/app");
        assert_eq!(
            path("/rustc/59807616e1af0123456789abcdef0123456789ab/library/a.rs"),
            "/rustc//library/a.rs"
        );
        assert_eq!(
            path("/t/app-0123456789abcdex/a-b.c"),
            "/t/app-0123456789abcdex/a-b.c"
        );
    }

    #[test]
    fn the_last_part_is_the_functions_own_name() {
        for (name, part) in [
            ("app::http::decode", "decode"),
            ("<app::T as core::fmt::Display>::fmt", "fmt"),
            ("ns::f(std::string)", "f"),
            ("ns::(anonymous namespace)::f(int)", "f"),
            ("app::run::{closure}", "run::{closure}"),
            ("main", "main"),
            ("main'(below main)", "main"),
            ("a::f'2'b::g", "f'2"),
            ("(below main)", "(below main)"),
        ] {
            assert_eq!(last_part(name.as_bytes()), part.as_bytes());
        }
    }
}
