//! The parts of function names that compilers, code generators and libraries change from build to
//! build.
//!
//! One table serves all comparisons of runs. A row has a pattern, its replacement, and a function's
//! name in two builds. If the comment says "built", both names come from real builds of one
//! program, and the new build has one function more. The others come from public code or documents.

use crate::profile::{callers::pieces, linkage::demangled};
use regex::bytes::{Regex, RegexSet};
use std::{borrow::Cow, sync::LazyLock};

/// How functions are related if their names differ only in the part that a row removes.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) enum Varies {
    /// Parts or variants of one function, which add up.
    Parts,
    /// Separate functions that a hash distinguishes. It says nothing about their order.
    Hash,
    /// Separate functions, numbered in the order of the source, or by a source line.
    Number,
}

/// The kind, a pattern, and its replacement. The tests have an example of each.
type BuildPattern = (Varies, &'static str, &'static str);

use Varies::{Hash, Number, Parts};

#[rustfmt::skip]
const TABLE: &[BuildPattern] = &[
    // GCC and Clang: what was cut out of a function, and clones for certain arguments. Clang's
    // `.specialized.N` and `.argprom` are from LLVM's sources.
    (Parts, r"^(.+?)(?:\.(?:cold|warm|localalias|argprom|argelim|specialized|constprop|isra|part|clone)(?:\.\d+)?| \[clone \.[^\]]*\])+$", "$1"),
    // `target_clones` of GCC and Clang, built: one function for several processors.
    (Parts, r"^(.+?)\.(?:(?:avx|sse|ssse|fma|bmi|popcnt|arch_)\w*|default)(?:\.\d+)?$", "$1"),
    // The variants that glibc's `ifunc`s choose: those of AVX from a recording with glibc 2.36, the
    // others from its sources.
    (Parts, r"^(__[a-z]\w*?)_(?:(?:avx|evex|s?sse|fma|sve|asimd|a64fx|thunderx|falkor|power|z\d)\d*(?:_\w+)?|erms|generic|simd|mops)$", "$1"),
    // rustc 1.95, built: hashes of symbols and of crates.
    (Hash, r"::h[0-9a-f]{16}$", ""),
    (Hash, r"(\w)\[[0-9a-f]{8,16}\]", "$1"),
    // Clang: ThinLTO, and `-funique-internal-linkage-names`.
    (Hash, r"(.)\.(?:llvm|__uniq)\.\d+", "$1"),
    // PHPUnit 9.6 and 10: the classes of test doubles. Twig 1 to 3: those of templates.
    (Hash, r"\b((?:Mock|MockObject|TestStub)_\w+?)_[0-9a-f]{8}\b", "$1"),
    (Hash, r"(__TwigTemplate)_[0-9a-f]{32,64}", "$1"),
    // rustc 1.95 and GCC 12, built: closures, lambdas, unnamed types, implementations.
    (Number, r"#\d+\}", "}"),
    // rustc with legacy names, built: closures have no number.
    (Number, r"\{(\{closure\})\}", "$1"),
    // Clang 14, built. Mangled names have the length of the number's text before it.
    (Number, r"\d*\$_\d+", "$$_"),
    // LLVM's demangler, as its tests have it.
    (Number, r"'(lambda|unnamed)\d*'", "'$1'"),
    // Go 1.19, built: closures in closures, then closures; later versions name those of variables
    // by `init`, and wrap the calls of `go` and `defer`.
    (Number, r"(\.func\d+)\.\d+", "$1.func"),
    (Number, r"\bglob\.\.func", "init.func"),
    (Number, r"(\.(?:func|gowrap|deferwrap)|-range)\d+", "$1"),
    // Go 1.19, built, and 1.20: type arguments are counted or not.
    (Number, r"(go\.shape\.[\w.*]+?)_\d+([,\]])", "$1$2"),
    // Xdebug 3.1 with PHP 8.2, built; PHP 8.4 names closures by the function around them. The
    // folders differ, too.
    (Number, r":\d+(?:-\d+)?\}", "}"),
    (Number, r"\{(closure|anonymous-class):/?(?:[^/:{}]*/)+", "{$1:"),
    // PHP itself: the class's file and line.
    (Number, r"@anonymous\x00?[^$>]*\$[0-9a-f]+", "@anonymous"),
    // Cython 0.29, built: methods and functions of a module.
    (Number, r"^(__pyx_[a-z]+_\d+[A-Za-z]\w*?(?:_\d+[A-Z]\w*?)?)_\d+([A-Za-z_])", "${1}_$2"),
    // GHC 9.2, whose manual says so of `-fexpose-internal-symbols`: functions inside a module.
    (Number, r"\b((?:[A-Za-z_]\w*_)?)[scr][0-9][0-9A-Za-z]{2,4}_(info|entry|slow|fast|ret)$", "${1}_$2"),
    // OCaml 4.13, built: every function has a stamp.
    (Number, r"^(caml[A-Z]\w*?(?:__|\.)\w+?)(?:_\d+)+((?:_code)?)$", "$1$2"),
    // Nim 1.6, built, and 2.0, whose numbers begin with `u`.
    (Number, r"^([a-zA-Z]\w*?__\w+?)_u?\d+$", "$1"),
    // Zig 0.11, built: types without a name, and functions with arguments of a type that is not
    // known before.
    (Number, r"__(anon|struct|enum|union|opaque)_\d+", "__$1"),
    // GCC 12, built: functions in functions. Static functions of LTO, Clang's initial values, Go's
    // `init`: as documented.
    (Number, r"^([A-Za-z_][^@]*?)(?:\.lto_priv)?\.\d+$", "$1"),
    (Number, r"^(__tcf|OUTLINED_FUNCTION)_\d+$", "$1"),
];

/// Three patterns: innermost type arguments after a word; the same, but type parameters only; the
/// type of a method without a trait.
static TYPES: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
    let [arguments, parameters] =
        ["[^<>]*", "[A-Z](?:,[A-Z])*"].map(|list| format!(r"(?-u)(\w)(?:::)?<{list}>"));
    Some([
        Regex::new(&arguments).ok()?,
        Regex::new(&parameters).ok()?,
        Regex::new(r"(?-u)^<([^<> ]*)>").ok()?,
    ])
});

/// The depth up to which type arguments are removed.
const DEEPEST: usize = 16;

/// Removes the type arguments of a name. Also returns whether it has none: Rust's legacy names have
/// type parameters, such as `T`, at most.
pub(super) fn without_types(name: &[u8]) -> (Vec<u8>, bool) {
    let (Some([arguments, parameters, owner]), true) =
        (&*TYPES, memchr::memchr(b'<', name).is_some())
    else {
        return (name.to_vec(), true);
    };
    let [left, others] = [arguments, parameters].map(|pattern| {
        let mut text = name.to_vec();
        for _ in 0..DEEPEST {
            match pattern.replace_all(&text, &b"$1"[..]) {
                Cow::Borrowed(_) => break,
                Cow::Owned(shorter) => text = shorter,
            }
        }
        owner.replace(&text, &b"$1"[..]).into_owned()
    });
    let has_none = left == others;
    (left, has_none)
}

/// The compiled rows. A test checks that every pattern compiles.
static ROWS: LazyLock<Vec<(Varies, Regex, &str)>> = LazyLock::new(|| {
    let ready =
        |row: &BuildPattern| Some((row.0, Regex::new(&format!("(?-u){}", row.1)).ok()?, row.2));
    TABLE.iter().filter_map(ready).collect()
});

/// All patterns together, because most names match none.
static ANY: LazyLock<Option<RegexSet>> =
    LazyLock::new(|| RegexSet::new(TABLE.iter().map(|row| format!("(?-u){}", row.1))).ok());

/// The replacement for an address that is used as a name.
pub(super) const ADDRESS: &[u8] = b"0x...";

/// Removes the parts of a name that change from build to build, for the kinds of change up to
/// `most`. The pieces of a name with callers (`f'main`) are treated one by one.
pub(crate) fn reduced(name: &[u8], most: Varies) -> Cow<'_, [u8]> {
    // Most names stay as they are and are not copied.
    let (mut changed, mut rest): (Option<Vec<u8>>, &[u8]) = (None, name);
    loop {
        let [function, level, callers] = pieces(rest);
        let left = one(function, most);
        if changed.is_some() || *left != *function {
            let text = changed.get_or_insert_with(|| name[..name.len() - rest.len()].to_vec());
            [&left, level, &callers[..callers.len().min(1)]]
                .iter()
                .for_each(|part| text.extend_from_slice(part));
        }
        match callers.get(1..) {
            Some(more) => rest = more,
            None => return changed.map_or(Cow::Borrowed(name), Cow::Owned),
        }
    }
}

fn one(name: &[u8], most: Varies) -> Cow<'_, [u8]> {
    if is_address(name) {
        return Cow::Borrowed(ADDRESS);
    }
    // The text after a mangled name is removed first.
    let name = apply(Cow::Borrowed(name), most);
    demangled(&name)
        .map(|text| apply(Cow::Owned(text), most))
        .unwrap_or(name)
}

fn apply(name: Cow<'_, [u8]>, most: Varies) -> Cow<'_, [u8]> {
    if ANY.as_ref().is_some_and(|any| !any.is_match(&name)) {
        return name;
    }
    ROWS.iter()
        .filter(|row| row.0 <= most)
        .fold(name, |name, (_, pattern, left)| {
            match pattern.replace_all(&name, left.as_bytes()) {
                Cow::Borrowed(_) => name,
                Cow::Owned(shorter) => Cow::Owned(shorter),
            }
        })
}

/// Whether a name is an address, possibly with callers.
pub(super) fn is_address(name: &[u8]) -> bool {
    name.strip_prefix(b"0x")
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_hexdigit))
        && name[2..]
            .iter()
            .take_while(|&&b| b != b'\'')
            .all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both names come from one program, built by rustc 1.95 with legacy names and with the new
    /// ones.
    #[test]
    fn legacy_names_of_rust_have_no_type_arguments() {
        for (legacy, other, left) in [
            ("r::P<T>::twice", "<r::P<u64>>::twice", "r::P::twice"),
            ("r::apply", "r::apply::<r::main::{closure}>", "r::apply"),
            (
                "std::rt::lang_start::{closure}",
                "std::rt::lang_start::<()>::{closure}",
                "std::rt::lang_start::{closure}",
            ),
            (
                "<r::P<T> as r::Tr>::go",
                "<r::P<alloc::vec::Vec<u64>> as r::Tr>::go",
                "<r::P as r::Tr>::go",
            ),
        ] {
            let text = |name: &str| {
                let (text, has_none) = without_types(name.as_bytes());
                (String::from_utf8(text).unwrap(), has_none)
            };
            assert_eq!(
                [text(legacy), text(other)],
                [(left.to_owned(), true), (left.to_owned(), false)]
            );
        }
    }

    /// For each row of the table, the names in two builds, and the name that is left.
    #[rustfmt::skip]
    const EXAMPLES: &[[&str; 3]] = &[
        ["grow.constprop.0.isra.0", "grow.specialized.1", "grow"],
        ["dot.avx2", "dot.arch_haswell.1", "dot"],
        ["__memcpy_avx_unaligned_erms", "__memcpy_evex_unaligned_erms", "__memcpy"],
        ["app::decode::h0123456789abcdef", "app::decode::hfedcba9876543210", "app::decode"],
        ["app[4d5ad8fb41e5a7a2]::f", "app[93c2a1b07d5e6f41]::f", "app::f"],
        ["helper.llvm.1234567890", "helper.__uniq.73262340229424812304", "helper"],
        ["Mock_Foo_1a2b3c4d->bar", "Mock_Foo_90fe12ab->bar", "Mock_Foo->bar"],
        ["__TwigTemplate_5a01ad5b3a62a55a58db951a3257f288->doDisplay", "__TwigTemplate_fe5bcef57399e5124148913bcbd331fa->doDisplay", "__TwigTemplate->doDisplay"],
        ["main::{lambda(long)#2}::operator()(long) const", "main::{lambda(long)#3}::operator()(long) const", "main::{lambda(long)}::operator()(long) const"],
        ["app::run::{{closure}}", "app::run::{closure#0}", "app::run::{closure}"],
        ["main::$_1::operator()(long) const", "main::$_2::operator()(long) const", "main::$_::operator()(long) const"],
        ["f()::'lambda0'(int)::operator()(int)", "f()::'lambda1'(int)::operator()(int)", "f()::'lambda'(int)::operator()(int)"],
        ["main.(*T).run.func2.1", "main.(*T).run.func3.1", "main.(*T).run.func.func"],
        ["main.glob..func3", "main.init.func4", "main.init.func"],
        ["main.main.func2", "main.main.func3", "main.main.func"],
        ["main.sum[go.shape.int_0]", "main.sum[go.shape.int]", "main.sum[go.shape.int]"],
        ["App\\K->{closure:App\\K::go():12}", "App\\K->{closure:App\\K::go():14}", "App\\K->{closure:App\\K::go()}"],
        ["App\\{closure:/s/r.php:3-3}", "App\\{closure:/t/r.php:5-5}", "App\\{closure:r.php}"],
        ["class@anonymous/s/r.php:3$0->run", "class@anonymous/s/r.php:5$1->run", "class@anonymous->run"],
        ["__pyx_pw_4modu_1add", "__pyx_pw_4modu_3add", "__pyx_pw_4modu_add"],
        ["sat_s1Kd_info", "sat_s2Lf_info", "sat__info"],
        ["camlMain__work_84", "camlMain__work_88", "camlMain__work"],
        ["sum__main_21", "sum__main_u2", "sum__main"],
        ["main.gen__anon_3529", "main.gen__anon_3534", "main.gen__anon"],
        ["__cxx_global_var_init.1", "__cxx_global_var_init.2", "__cxx_global_var_init"],
        ["__tcf_0", "__tcf_1", "__tcf"],
    ];

    #[test]
    fn every_row_makes_one_name_of_two_builds() {
        assert_eq!(ROWS.len(), TABLE.len());
        assert!(ANY.is_some());
        assert_eq!(EXAMPLES.len(), TABLE.len());
        for (&(varies, pattern, _), &[old, new, left]) in TABLE.iter().zip(EXAMPLES) {
            for name in [old, new] {
                let text =
                    |most| String::from_utf8_lossy(&reduced(name.as_bytes(), most)).into_owned();
                assert_eq!(text(Varies::Number), left, "{pattern}: {name}");
                assert!(
                    varies == Varies::Parts || text(Varies::Parts) == name,
                    "{pattern}: {name}"
                );
            }
        }
    }
}
