//! Stacks of recorded contexts, compared with the stacks that the same program writes itself, and
//! their sums with a recording without contexts.

use crate::code::recorded::has;
use crate::common::{Stage, assert_same};
use std::collections::BTreeMap;
use std::env;

/// Each call of `leaf` costs the same. The compiler calls these functions at every entry and exit.
const TRACE: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#ifdef __cplusplus
extern "C" {
#endif
#ifdef TRACE
#define QUIET __attribute__((no_instrument_function))
static __thread const char *stack[1000];
static __thread int depth;
QUIET void __cyg_profile_func_enter(void *f, void *site)
{
  Dl_info info;
  (void)site;
  stack[depth++] = dladdr(f, &info) && info.dli_sname ? info.dli_sname : "?";
  if (strcmp(stack[depth - 1], "leaf"))
    return;
  for (int i = 0; i < depth; i++)
    printf("%s%c", stack[i], i + 1 < depth ? ';' : '\n');
}
QUIET void __cyg_profile_func_exit(void *f, void *site) { (void)f, (void)site, depth--; }
#endif
volatile int sink;
void leaf(void) { sink++; sink++; sink++; }
"#;

/// Recursion, mutual recursion, calls through the C library, and two ways to one function.
const C: &str = r#"
#include <stdlib.h>
int fact(int n) { leaf(); return n < 2 ? 1 : n * fact(n - 1); }
int odd(int n);
int even(int n) { leaf(); return n ? odd(n - 1) : 1; }
int odd(int n) { leaf(); return n ? even(n - 1) : 0; }
int shared(int n) { leaf(); return fact(n); }
int slow(void) { int s = 0; for (int i = 0; i < 9; i++) s += shared(4); return s; }
int fast(void) { return shared(2); }
int compare(const void *a, const void *b) { leaf(); return *(int *)a - *(int *)b; }
int main(void)
{
  int v[] = {5, 3, 9, 1, 7};
  qsort(v, 5, sizeof *v, compare);
  return slow() + fast() + even(3) + fact(3) == 7;
}
"#;

/// Exceptions through several functions, virtual calls, and a function that ends in another.
const CPP: &str = r#"
}
struct Shape { virtual int area() { leaf(); return 1; } virtual ~Shape() {} };
struct Circle : Shape { int area() override { leaf(); leaf(); return 3; } };
extern "C" {
int deep(int n) { leaf(); if (!n) throw n; return deep(n - 1) + 1; }
int risky(int n) { try { return deep(n); } catch (int) { leaf(); return 0; } }
int visit(Shape &shape) { leaf(); return shape.area(); }
int main() { Circle c; Shape s; int n = 0; for (int i = 0; i < 4; i++) n += risky(i) + visit(c); return visit(s) + n == 1; }
}
"#;

/// Two threads, which call one function by different ways.
const THREADS: &str = r#"
#include <pthread.h>
void work(int n) { for (int i = 0; i < n; i++) leaf(); }
void *one(void *a) { work(5); return a; }
void *two(void *a) { work(2); leaf(); return a; }
int main(void)
{
  pthread_t t[2];
  pthread_create(t, 0, one, 0);
  pthread_join(t[0], 0);
  pthread_create(t + 1, 0, two, 0);
  pthread_join(t[1], 0);
  work(1);
  return 0;
}
"#;

fn run(stage: &Stage, program: &str, args: &[&str]) -> String {
    let path = env::var("PATH").unwrap_or_default();
    let out = stage.any(program, args).env("PATH", path).output().unwrap();
    assert!(
        out.status.success() || program.starts_with("./"),
        "{program}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}

/// A stack without levels, in which a function that calls itself is one frame.
fn plain(stack: &str) -> String {
    let mut frames: Vec<&str> = stack
        .split(';')
        .map(|frame| frame.split('\'').next().unwrap())
        .collect();
    frames.dedup();
    frames.join(";")
}

/// Only frames of the program, from the function at which it or its thread starts.
fn of_program(stack: &str) -> String {
    let all = [
        "main", "one", "two", "work", "slow", "fast", "shared", "fact", "even", "odd", "compare",
        "risky", "deep", "visit", "leaf",
    ];
    let is_own = |frame: &&str| all.contains(frame) || frame.contains("area");
    let name = |frame: &str| match frame {
        "_ZN6Circle4areaEv" => "Circle::area()".to_owned(),
        "_ZN5Shape4areaEv" => "Shape::area()".to_owned(),
        other => other.to_owned(),
    };
    let plain = plain(stack);
    let frames: Vec<String> = plain.split(';').filter(is_own).map(name).collect();
    frames.join(";")
}

fn compare(name: &str, compiler: &str, source: &str, options: &[&str]) {
    if ![compiler, "valgrind"].iter().all(|program| has(program)) {
        return;
    }
    let stage = Stage::empty();
    let ending = if source == CPP {
        ""
    } else {
        "\n#ifdef __cplusplus\n}\n#endif\n"
    };
    stage.write(name, format!("{TRACE}{source}{ending}"));
    let build = |to: &str, more: &[&str]| {
        let flags = [
            "-g",
            "-O1",
            "-fno-inline",
            "-fno-optimize-sibling-calls",
            "-rdynamic",
            name,
            "-ldl",
            "-o",
            to,
        ];
        run(&stage, compiler, &[&flags, options, more].concat());
    };
    build("traced", &["-DTRACE", "-finstrument-functions"]);
    build("plain", &[]);
    let mut want: BTreeMap<String, i64> = BTreeMap::new();
    for stack in run(&stage, "./traced", &[]).lines() {
        *want.entry(of_program(stack)).or_default() += 1;
    }
    assert!(want.len() > 2, "{want:?}");
    let record = |to: &str, options: &[&str]| {
        let out = format!("--callgrind-out-file={to}");
        let args = [&["--tool=callgrind", &out], options, &["./plain"]].concat();
        let ran = stage.any("valgrind", &args).output().unwrap();
        assert!(ran.stderr.ends_with(b"\n"), "{ran:?}");
    };
    let report = |profile: &str| {
        std::fs::rename(stage.dir.join(profile), stage.dir.join("x")).unwrap();
        let args = ["--tree=both", "--inclusive=yes", "--threshold=100", "x"];
        let text = stage.report(&args);
        std::fs::rename(stage.dir.join("x"), stage.dir.join(profile)).unwrap();
        // How long threads wait for each other is different in each run, and with it what calls it.
        let source = format!("{name}:");
        let own = text
            .lines()
            .filter(|line| line.contains(&source) && !line.contains(":main"));
        own.map(|line| {
            let (cost, rest) = line.split_once('(').unwrap();
            format!("{}{}\n", cost.trim(), rest.split_once(')').unwrap().1)
        })
        .collect::<String>()
    };
    record("none", &["--separate-recs=2"]);
    let sums = report("none");
    assert!(sums.lines().count() > 8, "{sums}");
    for options in [
        &["--separate-callers=100"][..],
        &["--separate-callers=3"],
        &["--separate-callers=1", "--separate-callers4=leaf"],
        &["--separate-callers100=leaf"],
    ] {
        record("contexts", options);
        assert_same(&format!("{name} {options:?}"), &sums, &report("contexts"));
        if options != ["--separate-callers=100"] {
            continue;
        }
        let args = ["convert", "--to=folded", "--min=0", "contexts", "-o", "-"];
        let mut found: BTreeMap<String, i64> = BTreeMap::new();
        for line in stage.report(&args).lines() {
            let (stack, cost) = line.rsplit_once(' ').unwrap();
            if stack.ends_with(";leaf") {
                *found.entry(of_program(stack)).or_default() += cost.parse::<i64>().unwrap();
            }
        }
        let [calls, cost] = [&want, &found].map(|all| all.values().sum::<i64>());
        assert_eq!(
            cost % calls,
            0,
            "{name}: a call of leaf has no constant cost"
        );
        found.values_mut().for_each(|sum| *sum /= cost / calls);
        assert_eq!(found, want, "{name}");
    }
}

#[test]
fn stacks_of_c_are_those_that_it_writes() {
    compare("c.c", "gcc", C, &[]);
}

#[test]
fn stacks_of_cpp_are_those_that_it_writes() {
    compare("cpp.cpp", "g++", CPP, &[]);
}

#[test]
fn stacks_of_threads_are_those_that_they_write() {
    compare("threads.c", "gcc", THREADS, &["-pthread"]);
}
