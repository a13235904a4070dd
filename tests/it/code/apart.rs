//! Inlined functions of one name: those that are different are told apart, and what several units
//! describe is one.

use super::recorded::{alone, cpp, has, record, rust};
use crate::common::Stage;
use cgannotate::input::{self, Options};
use cgannotate::profile::Collect;
use std::collections::BTreeMap;

/// Two methods of one name, each for two modules, and closures within closures.
const RUST: &str = "\
mod kinds {
    pub struct A(pub u64);
    impl A {
        #[inline(always)]
        pub fn step(&mut self, n: u64) -> u64 {
            (0..n).for_each(|i| self.0 = self.0.wrapping_mul(31).wrapping_add(i ^ (self.0 >> 3)));
            self.0
        }
    }
    pub struct B(pub u64);
    impl B {
        #[inline(always)]
        pub fn step(&mut self, n: u64) -> u64 {
            for i in 0..n { self.0 = self.0.rotate_left(7) ^ (i * (self.0 | 1)); }
            self.0
        }
    }
}
mod one {
    #[inline(never)]
    pub fn run(n: u64) -> u64 { super::kinds::A(n).step(n) ^ super::kinds::B(n).step(2 * n) }
}
mod two {
    #[inline(never)]
    pub fn run(n: u64) -> u64 { super::kinds::B(n).step(n) ^ super::kinds::A(n + 1).step(n + 2) }
}
fn main() {
    let n = std::env::args().count() as u64 * 1000;
    let f = |x: u64| (0..x).fold(7u64, |s, i| s.wrapping_mul(i | 3) ^ (s >> 5));
    let g = |x: u64| (0..x).fold(9u64, |s, i| s.rotate_left(3).wrapping_add(i * s));
    println!(\"{} {} {} {}\", one::run(n), two::run(n), f(n), g(3 * n));
}
";

/// Two lambdas in `main`, and a header with two more, for two units.
const CPP: &str = "\
#include \"both.h\"
#include <utility>
#include <cstdio>
int main(int argc, char**) {
    unsigned n = argc * 1000, s = 7, t = 9, v[64] = {};
    auto f = [&](unsigned x) {
        for (unsigned i = 0; i < x; i++) s = s * (i | 3) ^ (s >> 5);
    };
    auto g = [&](unsigned x) {
        for (unsigned i = 0; i < x; i++) t = (t << 3 | t >> 29) + i * t;
    };
    f(n);
    g(2 * n);
    for (unsigned i = 0; i < n; i++) v[i * t % 64] += i, std::swap(v[i % 64], v[i * s % 64]);
    std::printf(\"%u %u %u %u %u\\n\", s, t, v[3], both(n), other(n));
}
";
const HEADER: &str = "\
unsigned other(unsigned n);
inline __attribute__((always_inline)) unsigned both(unsigned n) {
    auto f = [](unsigned n) {
        unsigned s = 1; for (unsigned i = 0; i < n; i++) s = s * 33 ^ (s >> i % 7);
        return s;
    };
    auto g = [](unsigned n) {
        unsigned s = 1; for (unsigned i = 0; i < n; i++) s = s * 35 ^ (s >> i % 9);
        return s;
    };
    return f(n) + g(n + 1);
}
";

/// Self cost and number of places of the inlined functions of one file, by name.
fn rows(stage: &Stage, args: &[&str], file: &str) -> BTreeMap<String, (i64, u64)> {
    let csv = stage.report(&[&["--inlined", "--threshold=100", "--format=csv"][..], args].concat());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (cost, places, name, path) = (at("Ir"), at("places"), at("function"), at("file"));
    let rows = reader.records().map(Result::unwrap);
    let rows = rows.filter(|row| {
        row[path].rsplit('/').next() == Some(file) && !matches!(&row[places], "" | "0")
    });
    rows.map(|row| {
        (
            row[name].to_owned(),
            (row[cost].parse().unwrap_or(0), row[places].parse().unwrap()),
        )
    })
    .collect()
}

/// Line tables have neither linkage names nor the lines of declarations: with them, functions cost
/// what they cost by the names that more debug information gives them, of the same code.
#[test]
fn methods_of_one_name_are_told_apart_by_line_tables() {
    if !["rustc", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let build = |name: &str, info: &str| {
        let info = format!("debuginfo={info}");
        let source = format!("{name}.rs");
        rust(
            &stage,
            name,
            RUST,
            &["-C", &info, "-O", "-C", "codegen-units=8"],
        );
        record(&stage, name);
        let out = format!("{name}.out");
        alone(&stage, &out, &out);
        rows(&stage, &[&out], &source)
    };
    let (few, many) = (build("few", "line-tables-only"), build("many", "1"));
    let closure = "many::main::{closure#0}::{closure#0}";
    for (lines, whole) in [
        ("step (line 6)", "many::kinds::A::step"),
        ("step (line 14)", "many::kinds::B::step"),
        ("{closure#0} (line 6)", "many::kinds::A::step::{{closure}}"),
        ("{closure#0} (line 29:47)", closure),
        (
            "{closure#0} (line 30)",
            "many::main::{closure#1}::{closure#0}",
        ),
    ] {
        assert!(many.contains_key(whole), "{whole}: {many:?}");
        assert_eq!(few.get(lines), many.get(whole), "{lines}: {few:?} {many:?}");
    }
    // `step` of `A` is in `one` and in `two`, which are units of their own.
    assert_eq!(many["many::kinds::A::step"].1, 2, "{many:?}");
    assert!(many[closure].0 > 1000, "{many:?}");
    let names = few.keys().filter(|name| name.starts_with("step")).count();
    assert_eq!(names, 2, "{few:?}");
    let own = stage.report(&["--own", "--inlined", "--auto=no", "few.out"]);
    for name in [
        "step (line 14)",
        "{closure#0} (line 6)",
        "{closure#0} (line 30)",
        "{closure#1}",
    ] {
        assert!(
            own.contains(&format!("few.rs:{name} (inlined)")),
            "{name}: {own}"
        );
    }
}

/// What a lambda costs is what Valgrind has at its lines.
#[test]
fn lambdas_are_told_apart_and_names_can_be_read() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    for (debug, lambda) in [("-g", "main::operator()"), ("-g1", "operator()")] {
        let stage = Stage::empty();
        stage.write("both.h", HEADER);
        stage.write(
            "other.cpp",
            "#include \"both.h\"\nunsigned other(unsigned n) { return both(n + 7); }\n",
        );
        cpp(
            &stage,
            "app",
            CPP,
            &[debug, "-O2", "-fno-tree-vectorize", "other.cpp"],
        );
        let file = record(&stage, "app");
        let options = Options {
            collect: Collect {
                code: true,
                ..Collect::ALL
            },
            ..Options::all()
        };
        let profile = input::read(&[&file], &options).unwrap();
        let at_lines = |file: &str, lines: std::ops::Range<u64>| -> i64 {
            let all = profile.code.as_ref().unwrap().instructions();
            let there = all.filter(|(one, _)| profile.name(one.file).ends_with(file.as_bytes()));
            there
                .filter(|(one, _)| lines.contains(&one.line))
                .map(|(_, cost)| cost.recorded().next().flatten().unwrap_or(0))
                .sum()
        };
        alone(&stage, "app.out", "app.out");
        let all = rows(&stage, &["app.out"], "app.cpp");
        for (line, lines) in [
            (if debug == "-g" { 6 } else { 7 }, 6..9),
            (if debug == "-g" { 9 } else { 10 }, 9..12),
        ] {
            let name = format!("{lambda} (line {line})");
            assert_eq!(
                all.get(&name),
                Some(&(at_lines("app.cpp", lines), 1)),
                "{debug}: {name} {all:?}"
            );
        }
        // The linkage name of this cannot be read, and without more debug information its name has
        // no namespace.
        let all = rows(&stage, &["app.out"], "move.h");
        assert!(
            all.contains_key("std::swap<unsigned int>"),
            "{debug}: {all:?}"
        );
        assert!(
            !all.keys().any(|name| name.starts_with("_Z")),
            "{debug}: {all:?}"
        );
        // Two units describe what the header has.
        let all = rows(&stage, &["app.out"], "both.h");
        assert!(all.contains_key("both(unsigned int)"), "{debug}: {all:?}");
        let lambdas: Vec<_> = all
            .iter()
            .filter(|(name, _)| name.contains("operator()"))
            .collect();
        let costs: Vec<i64> = lambdas.iter().map(|(_, (cost, _))| *cost).collect();
        assert_eq!(
            costs,
            [at_lines("both.h", 3..7), at_lines("both.h", 7..11)],
            "{debug}: {all:?}"
        );
        assert!(
            lambdas.iter().all(|(_, (_, places))| *places == 2),
            "{debug}: {all:?}"
        );
    }
}

/// Lambdas that one macro makes at one place.
#[test]
fn what_cannot_be_told_apart_is_said() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let loop_of = |k: u32| {
        format!(
            "[](unsigned x) {{ unsigned s = {k}; while (x--) s = s * {k} ^ s >> x % 5; return s; }}"
        )
    };
    let main =
        "int main(int argc, char**) { unsigned n = argc * 1000; std::printf(\"%u\\n\", TWO); }";
    let text = format!(
        "#include <cstdio>\n#define TWO {}(n) + {}(n + 1)\n{main}\n",
        loop_of(7),
        loop_of(9)
    );
    for (debug, lambda) in [("-g", "main::operator()"), ("-g1", "operator()")] {
        let stage = Stage::empty();
        cpp(
            &stage,
            "same",
            &text,
            &[debug, "-O2", "-fno-tree-vectorize"],
        );
        record(&stage, "same");
        alone(&stage, "same.out", "same.out");
        let all = rows(&stage, &["same.out"], "same.cpp");
        let names: Vec<&String> = all.keys().collect();
        assert_eq!(names, [&format!("{lambda} (several functions)")], "{debug}");
        // Each loop is of six instructions or more, 2001 times in all.
        assert!(
            all.values().all(|&(cost, _)| cost > 6 * 2001),
            "{debug}: {all:?}"
        );
    }
}

/// Functions of one name in one file, which two compilations see: each is called by the line at
/// which it is declared, which is not the line of its code.
#[test]
fn functions_of_one_header_are_told_apart_by_their_lines() {
    if !["cc", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    let step = |k: u32| format!("static inline int step(int n)\n{{\n  return n * {k} + 3;\n}}\n");
    stage
        .write("pick.h", format!("#ifdef FIRST\n{}#else\n{}#endif\n", step(7), step(9)))
        .write("one.c", "#define FIRST\n#include \"pick.h\"\nint one(int n) { return step(n); }\n")
        .write(
            "two.c",
            "#include \"pick.h\"\nint one(int);\nvolatile int v;\nint main(void) { v = step(v) + one(v); return 0; }\n",
        );
    let build = ["-g", "-O2", "-o", "pick", "one.c", "two.c"];
    assert!(stage.any("cc", &build).status().unwrap().success());
    record(&stage, "pick");
    let all = rows(&stage, &["pick.out"], "pick.h");
    let names: Vec<&String> = all.keys().collect();
    assert_eq!(names, ["step (line 2)", "step (line 7)"]);
}

/// Instances of one function can have code at one line: it is the function's, whatever their
/// symbols, and not several functions'. These two symbols are read as one name.
#[test]
fn instances_at_one_line_are_one_function() {
    if !has("cc") {
        return;
    }
    let stage = Stage::empty();
    let start = "extern inline __attribute__((gnu_inline, always_inline)) int";
    let instance = |name: &str, k: u32| {
        format!(
            "{start} {name}(int n) __asm__(\"_ZN1f{}Ev\"); {start} {name}(int n) {{ return n * {k} + 3; }} ",
            name.to_uppercase()
        )
    };
    let both = instance("c1", 7) + &instance("c2", 9);
    stage.write(
        "t.c",
        format!("#define BOTH {both}\nBOTH\nvolatile int v;\nint main(void) {{\n  v = c1(v);\n  v = c2(v);\n  return 0;\n}}\n"),
    );
    assert!(
        stage
            .any("cc", &["-g", "-O2", "-o", "t", "t.c"])
            .status()
            .unwrap()
            .success()
    );
    let here = stage.dir.display();
    stage.write(
        "p",
        format!(
            "positions: line\nevents: Ir\nob={here}/t\nfl={here}/t.c\nfn=main\n2 20\n5 3\n6 4\n"
        ),
    );
    let table = stage.report(&["--inlined", "--threshold=100", "--format=csv", "p"]);
    let rows: Vec<_> = table
        .lines()
        .skip(1)
        .map(|row| (row.split(',').next(), row.split(',').nth(5)))
        .collect();
    assert_eq!(
        rows,
        [(Some("20"), Some("f::f()")), (Some("7"), Some("main"))]
    );
}
