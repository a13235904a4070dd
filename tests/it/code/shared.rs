//! Functions that share code: where no addresses were recorded, no line of theirs is given to a
//! function that does not have it. What is right is what the recording with addresses says, whose
//! chains are compared with llvm-addr2line.

use super::recorded::{alone, has, record};
use crate::common::Stage;
use crate::common::amount::is_long;
use std::collections::BTreeMap;

/// Recursion levels, an alias, a part that rarely runs, two static functions of one name, and a
/// line number that a header and the file around it have in common.
const SOURCES: [(&str, &str); 6] = [
    (
        "main.c",
        "\
volatile int sink;
int run_a(int), run_b(int), rarely(int *, int);
void *entry(void);
static inline int level_work(int n)
{
  int s = 0;
  for (int i = 0; i < 50; i++)
    s += sink ^ (i * n);
  return s;
}
__attribute__((noinline)) int rec(int n)
{
  int s = level_work(n);
  if (n > 0)
    s ^= rec(n - 1);
  return s + 1;
}
static inline int alias_work(int n)
{
  int s = 0;
  for (int i = 0; i < 60; i++)
    s += sink ^ (i * n);
  return s;
}
__attribute__((noinline)) int __api_call(int n)
{
  return alias_work(n) + 1;
}
int api_call(int n) __attribute__((alias(\"__api_call\")));
int main(void)
{
  int s = rec(20) + run_a(20) + run_b(20), v[64] = {0};
  for (int i = 0; i < 200; i++) {
    s += api_call(i) + (entry() != 0);
    v[i & 63] = i % 3 ? i : -i;
    s += rarely(v, i);
  }
  return s == 12345;
}
",
    ),
    (
        "a.c",
        "\
extern volatile int sink;
static inline int work_a(int n)
{
  int s = 0;
  for (int i = 0; i < 50; i++)
    s += sink ^ (i * n);
  return s;
}
static __attribute__((noinline)) int step(int n)
{
  return work_a(n) + 1;
}
int run_a(int n) { int s = 0; for (int i = 0; i < n; i++) s += step(i); return s; }
",
    ),
    (
        "b.c",
        "\
extern volatile int sink;
static inline int work_b(int n)
{
  int s = 0;
  for (int i = 0; i < 70; i++)
    s += sink ^ (i * n);
  return s;
}
static __attribute__((noinline)) int step(int n)
{
  return work_b(n) + 1;
}
int run_b(int n) { int s = 0; for (int i = 0; i < n; i++) s += step(i); return s; }
",
    ),
    (
        "cold.c",
        "\
extern volatile int sink;
static __attribute__((cold, noinline)) void fail(int n)
{
  sink += n;
}
static inline int tweak(int x)
{
  return x * 31 + (x >> 3) + sink;
}
int rarely(int *v, int k)
{
  int s = 0;
  for (int i = 0; i < 8; i++) {
    if (__builtin_expect(v[(k + i) & 63] < 0, 0)) {
      fail(i);
      s += tweak(i);
    }
    s += v[(k * i) & 63];
  }
  return tweak(s);
}
",
    ),
    (
        "pick.h",
        "\
static int a, b, c;
static inline void *pick(void) {
  if (a) return &a;
  return b ? (void *)&b : &c;
}
",
    ),
    (
        "entry.c",
        "\
#include \"pick.h\"
void *entry(void)
{
  return pick(); }
",
    ),
];

const SEVERAL: &str = "(lines with code of several inlined functions)";

/// Self costs of functions by file and name.
fn rows(stage: &Stage, file: &str) -> BTreeMap<(String, String), i64> {
    let csv = stage.report(&["--inlined", "--threshold=100", "--format=csv", file]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (cost, name, path) = (at("Ir"), at("function"), at("file"));
    let mut rows = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        // Recursion levels and contexts are not told apart here.
        let name = row[name].split('\'').next().unwrap().to_owned();
        *rows.entry((row[path].to_owned(), name)).or_default() +=
            row[cost].parse::<i64>().unwrap_or(0);
    }
    rows
}

/// A program of the sources, recorded with addresses.
fn program(compiler: &str, options: &[&str]) -> Option<Stage> {
    if ![compiler, "valgrind"].iter().all(|tool| has(tool)) {
        return None;
    }
    let stage = Stage::empty();
    for (name, text) in SOURCES {
        stage.write(name, text);
    }
    let files = SOURCES
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| name.ends_with(".c"));
    let args: Vec<&str> = ["-g", "-o", "prog"]
        .iter()
        .chain(options)
        .copied()
        .chain(files)
        .collect();
    let path = std::env::var("PATH").unwrap_or_default();
    let out = stage
        .any(compiler, &args)
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    record(&stage, "prog");
    alone(&stage, "prog.out", "prog.out");
    Some(stage)
}

#[test]
fn functions_that_share_code_have_all_of_it() {
    // Valgrind may not be able to read what clang writes by default.
    let builds = [
        ("gcc", &["-O2"][..]),
        ("clang", &["-O2", "-gdwarf-4"]),
        ("gcc", &["-O2", "-flto"]),
    ];
    for (compiler, options) in builds.into_iter().take(if is_long() { 3 } else { 1 }) {
        let Some(stage) = program(compiler, options) else {
            continue;
        };
        let right = rows(&stage, "prog.out");
        let here = |name: &str| stage.dir.join(name).display().to_string();
        for how in [
            &[][..],
            &["--separate-recs=3"],
            &["--separate-callers=3", "--separate-recs=2"],
        ] {
            let args = [
                &["--tool=callgrind", "--callgrind-out-file=plain.out"],
                how,
                &["./prog"],
            ]
            .concat();
            assert!(
                stage
                    .any("valgrind", &args)
                    .output()
                    .unwrap()
                    .status
                    .success()
            );
            alone(&stage, "plain.out", "plain.out");
            let what = format!("{compiler} {options:?} {how:?}");
            let lines = rows(&stage, "plain.out");
            let of_program = |((file, name), _): &(&(String, String), &i64)| {
                file.starts_with(stage.dir.to_str().unwrap()) && name != SEVERAL
            };
            for (function, cost) in lines.iter().filter(of_program) {
                assert!(
                    *cost <= right.get(function).copied().unwrap_or(0),
                    "{what}: {function:?} {cost}: {right:?}"
                );
            }
            let inlined = [
                ("main.c", "level_work"),
                ("main.c", "alias_work"),
                ("a.c", "work_a"),
                ("b.c", "work_b"),
            ];
            for (file, name) in inlined {
                let function = (here(file), name.to_owned());
                // What comes out of a loop of one line can be at the line of its caller.
                if let Some(&right) = right.get(&function) {
                    let cost = lines.get(&function).copied().unwrap_or(0);
                    assert!(
                        right > 1_000 && cost * 100 >= right * 90,
                        "{what}: {name} {cost} of {right}"
                    );
                }
            }
            assert!(
                right.contains_key(&(here("b.c"), "work_b".to_owned())),
                "{what}: {right:?}"
            );
        }
    }
}

/// Where Valgrind has one row for two files, because the line number is the same, neither is called
/// by the other's name.
#[test]
fn one_line_number_renames_no_file() {
    let Some(stage) = program("gcc", &["-O2"]) else {
        return;
    };
    let text = stage.report(&["--inlined", "--zoom", "^pick$", "--auto=no", "prog.out"]);
    assert!(text.contains("entry.c:4 › pick\n"), "{text}");
    // A folder that is called otherwise where the program ran is no other file.
    let moved = std::fs::read_to_string(stage.dir.join("prog.out")).unwrap();
    let here = stage.dir.to_str().unwrap();
    let moved = moved
        .replace(&format!(" {here}/"), " /elsewhere/src/")
        .replace("/elsewhere/src/prog", &format!("{here}/prog"));
    stage.write("moved.out", moved);
    let text = stage.report(&["--inlined", "--threshold=100", "--auto=no", "moved.out"]);
    for function in [
        "pick.h:pick (inlined)",
        "a.c:work_a (inlined)",
        "b.c:work_b (inlined)",
    ] {
        assert!(
            text.contains(&format!(" /elsewhere/src/{function}")),
            "{function}: {text}"
        );
    }
}
