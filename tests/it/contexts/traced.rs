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

/// A parser of recursive descent, whose functions call each other at every bracket, and a walk over
/// its tree by pointers to functions.
const PARSER: &str = r#"
#include <stdlib.h>
struct Node { int value; struct Node *left, *right; };
static const char *at;
struct Node *node(int value, struct Node *left, struct Node *right)
{
  struct Node *n = malloc(sizeof *n);
  leaf();
  *n = (struct Node){value, left, right};
  return n;
}
struct Node *sum(void);
struct Node *factor(void)
{
  if (*at != '(')
    return node(*at++, 0, 0);
  at++;
  struct Node *inside = sum();
  at++;
  return inside;
}
struct Node *product(void)
{
  struct Node *n = factor();
  while (*at == '*')
    at++, n = node('*', n, factor());
  return n;
}
struct Node *sum(void)
{
  struct Node *n = product();
  while (*at == '+')
    at++, n = node('+', n, product());
  return n;
}
int before(struct Node *n) { leaf(); return n->value; }
int after(struct Node *n) { leaf(); leaf(); return -n->value; }
int walk(struct Node *n, int (*visit)(struct Node *), int depth)
{
  if (!n)
    return 0;
  if (depth == 3)
    visit = visit == before ? after : before;
  return visit(n) + walk(n->left, visit, depth + 1) + walk(n->right, visit, depth + 1);
}
struct Node *parse(const char *text) { at = text; return sum(); }
int main(void)
{
  return walk(parse("a+(b*c+d)*((e+f)*g)"), before, 0) + walk(parse("a*b"), after, 0) == 7;
}
"#;

/// Containers and algorithms of the standard library between functions of the program.
const STL: &str = r#"
}
#include <algorithm>
#include <functional>
#include <map>
#include <vector>
extern "C" {
bool lower(int a, int b) { leaf(); return a < b; }
int weigh(int n) { leaf(); return n < 3 ? n : weigh(n - 2) + 1; }
struct ByKey { bool operator()(int a, int b) const { return lower(b, a); } };
int sorted(std::vector<int> v) { std::sort(v.begin(), v.end(), lower); return v[0]; }
int counted(const std::vector<int> &v)
{
  std::map<int, int, ByKey> all;
  for (int n : v)
    all[n % 5] += weigh(n);
  return all.size();
}
int called(const std::function<int(int)> &f, int n) { leaf(); return f(n) + (n > 1 ? called(f, n - 1) : 0); }
int main()
{
  std::vector<int> v{9, 4, 7, 1, 8, 3, 6, 2, 5};
  return sorted(v) + counted(v) + called(weigh, 3) + called([](int n) { return lower(n, 2); }, 2) == 1;
}
}
"#;

/// Traits, closures, recursion, and panics that are caught. It writes its stacks itself, because
/// rustc has no option for that.
const RUST: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
#[cfg(trace)]
thread_local!(static STACK: std::cell::RefCell<Vec<&'static str>> = Default::default());
#[cfg(trace)]
struct Frame;
#[cfg(trace)]
impl Drop for Frame {
    fn drop(&mut self) {
        STACK.with(|stack| stack.borrow_mut().pop());
    }
}
macro_rules! enter {
    ($name:literal) => {
        #[cfg(trace)]
        STACK.with(|stack| stack.borrow_mut().push($name));
        #[cfg(trace)]
        let _frame = Frame;
    };
}
static SINK: AtomicU32 = AtomicU32::new(0);
#[no_mangle]
extern "C" fn leaf() {
    enter!("leaf");
    SINK.store(1, Relaxed);
    #[cfg(trace)]
    STACK.with(|stack| println!("{}", stack.borrow().join(";")));
}
trait Shape {
    fn area(&self) -> u32;
}
struct Square(u32);
struct Pair(Box<dyn Shape>, Box<dyn Shape>);
#[no_mangle]
extern "C" fn square(n: u32) -> u32 {
    enter!("square");
    leaf();
    n * n
}
#[no_mangle]
extern "C" fn both(a: &dyn Fn() -> u32, b: &dyn Fn() -> u32) -> u32 {
    enter!("both");
    leaf();
    a() + b()
}
impl Shape for Square {
    fn area(&self) -> u32 {
        square(self.0)
    }
}
impl Shape for Pair {
    fn area(&self) -> u32 {
        both(&|| self.0.area(), &|| self.1.area())
    }
}
#[no_mangle]
extern "C-unwind" fn deep(n: u32) -> u32 {
    enter!("deep");
    leaf();
    if n == 0 {
        std::panic::resume_unwind(Box::new(()));
    }
    deep(n - 1) + 1
}
#[no_mangle]
extern "C" fn risky(n: u32) -> u32 {
    enter!("risky");
    let caught = std::panic::catch_unwind(|| deep(n));
    caught.unwrap_or_else(|_| square(n))
}
#[no_mangle]
extern "C" fn start() -> u32 {
    enter!("start");
    let pair = Pair(Box::new(Square(2)), Box::new(Pair(Box::new(Square(3)), Box::new(Square(4)))));
    (0..3).map(|n| risky(n)).sum::<u32>() + pair.area()
}
fn main() {
    std::process::exit((start() == 1).into());
}
"#;

fn run(stage: &Stage, program: &str, args: &[&str]) -> String {
    let mut command = stage.any(program, args);
    // `rustc` finds its toolchain below the home of whoever runs the tests.
    command.envs(env::vars_os().filter(|_| !program.starts_with("./")));
    let out = command.output().unwrap();
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
        "risky", "deep", "visit", "leaf", "node", "factor", "product", "sum", "before", "after",
        "walk", "parse", "lower", "weigh", "sorted", "counted", "called", "square", "both",
        "start",
    ];
    let is_own = |frame: &&str| {
        all.contains(frame) || frame.ends_with("::area()") || frame.ends_with("areaEv")
    };
    let name = |frame: &str| match frame {
        "_ZN6Circle4areaEv" => "Circle::area()".to_owned(),
        "_ZN5Shape4areaEv" => "Shape::area()".to_owned(),
        other => other.to_owned(),
    };
    let plain = plain(stack);
    let mut frames: Vec<String> = plain.split(';').filter(is_own).map(name).collect();
    frames.dedup();
    // What begins a program of Rust calls its `main` by another name.
    frames.join(";").trim_start_matches("main;").to_owned()
}

fn compare(name: &str, compiler: &str, source: &str, options: &[&str]) {
    if ![compiler, "valgrind"].iter().all(|program| has(program)) {
        return;
    }
    let stage = Stage::empty();
    let ending = if [CPP, STL].contains(&source) {
        ""
    } else {
        "\n#ifdef __cplusplus\n}\n#endif\n"
    };
    if compiler == "rustc" {
        stage.write(name, source);
    } else {
        stage.write(name, format!("{TRACE}{source}{ending}"));
    }
    let build = |to: &str, more: &[&str]| {
        if compiler == "rustc" {
            let trace = if more.is_empty() { "untraced" } else { "trace" };
            let flags = [
                "-g",
                "--edition=2021",
                "--cap-lints=allow",
                "--cfg",
                trace,
                name,
                "-o",
                to,
            ];
            run(&stage, compiler, &flags);
            return;
        }
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

#[test]
fn stacks_of_a_parser_are_those_that_it_writes() {
    compare("parser.c", "gcc", PARSER, &[]);
}

#[test]
fn stacks_through_the_standard_library_are_those_that_it_writes() {
    compare("stl.cpp", "g++", STL, &[]);
}

#[test]
fn stacks_of_rust_are_those_that_it_writes() {
    compare("rust.rs", "rustc", RUST, &[]);
}
