//! Xdebug's profiles. `fixtures/xdebug/expected` holds what callgrind_annotate 3.19 prints of them
//! (`*.excl.txt`), and what a second implementation made of the tree of calls (`*.txt`); figures
//! without either are of webgrind 1.9.4's page.

use super::walk;
use crate::common::{Stage, counts, is_read_or_refused};
use cgannotate::analysis::Inclusive;
use cgannotate::input::{self, Options};
use cgannotate::profile::{FunctionId, Profile, WarningKind};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/xdebug")
}

fn read(name: &str) -> Profile {
    input::read(
        &[folder().join(name).to_str().unwrap().to_owned()],
        &Options::all(),
    )
    .unwrap()
}

fn read_text(text: &str) -> Profile {
    input::read_from("x", text.as_bytes(), &Options::all()).unwrap()
}

fn report(args: &[&str]) -> (String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
        .args(args)
        .current_dir(folder())
        .output()
        .unwrap();
    assert!(out.status.success(), "{out:?}");
    (
        String::from_utf8_lossy(&out.stdout).into_owned(),
        String::from_utf8_lossy(&out.stderr).into_owned(),
    )
}

/// The lines below the head, which names the file.
fn below_head(report: &str) -> String {
    report
        .lines()
        .skip(3)
        .map(|line| format!("{line}\n"))
        .collect()
}

fn function(profile: &Profile, file: &str, name: &str) -> FunctionId {
    let mut found = profile.function_ids().filter(|&id| {
        let f = profile.function(id);
        profile.name(f.name) == name.as_bytes() && profile.name(f.file).ends_with(file.as_bytes())
    });
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no function {file}:{name}"));
    assert!(found.next().is_none(), "several functions {file}:{name}");
    first
}

fn self_cost(profile: &Profile, name: &str) -> Vec<i64> {
    counts(profile.self_counts(function(profile, "", name)))
}

fn inclusive(profile: &Profile, name: &str) -> (i64, u64) {
    let (inclusive, id) = (Inclusive::new(profile), function(profile, "", name));
    (counts(inclusive.counts(id))[0], inclusive.called(id))
}

const WHOLE: [&str; 10] = [
    "app-x320",
    "app-x353",
    "app74-derived-x205",
    "app74-x272",
    "app74-x298",
    "hard-nofibers-x353",
    "long43-x320",
    "proxy-derived",
    "utf8-x320",
    "windows-derived",
];

/// With `--compat`, the original's bytes, whatever they are worth.
#[test]
fn compat_prints_what_the_original_prints() {
    for name in WHOLE.iter().copied().chain(["append-x320", "killed-x320"]) {
        let (ours, _) = report(&[
            "--compat",
            "--auto=no",
            "--allow-truncated",
            &format!("{name}.xdebug"),
        ]);
        let theirs =
            fs::read_to_string(folder().join(format!("expected/{name}.excl.txt"))).unwrap();
        assert_eq!(below_head(&ours), below_head(&theirs), "{name}");
    }
}

/// X2: inclusive costs with `--compat` as the original adds them up, such as 801,688 (524.8%) of
/// `fib`, and all callers and callees. (The original has equal rows in no particular order.)
#[test]
fn compat_adds_recursion_up_as_the_original_does() {
    let sorted = |report: &str| {
        let mut lines: Vec<String> = below_head(report).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    for name in [
        "app-x320",
        "app74-x272",
        "app74-derived-x205",
        "append-x320",
        "long43-x320",
        "windows-derived",
    ] {
        let file = format!("{name}.xdebug");
        let (ours, _) = report(&[
            "--compat",
            "--auto=no",
            "--inclusive=yes",
            "--tree=both",
            &file,
        ]);
        let theirs =
            fs::read_to_string(folder().join(format!("expected/{name}.incl-tree.txt"))).unwrap();
        assert_eq!(sorted(&ours), sorted(&theirs), "{name}");
        assert!(
            name != "app-x320"
                || ours.contains(
                    "801,688 (524.8%)     0           *  /srv/r4/php/src/app.php:App\\fib"
                )
        );
    }
}

/// Without it, self costs and shares of time are the same; the memory column has no shares, as its
/// total is a peak.
#[test]
fn the_report_agrees_with_the_original_on_time() {
    for name in WHOLE
        .iter()
        .copied()
        .filter(|&name| name != "app74-derived-x205")
    {
        let (ours, complaints) = report(&["--auto=no", &format!("{name}.xdebug")]);
        let theirs =
            fs::read_to_string(folder().join(format!("expected/{name}.excl.txt"))).unwrap();
        // The cells of a row: count and share of time, count of memory; the share of memory is left
        // out of theirs.
        let rows = |text: &str| -> Vec<(Vec<String>, String)> {
            text.lines()
                .filter_map(|line| {
                    line.split_once("  /")
                        .or_else(|| line.split_once("  php:"))
                        .or_else(|| line.split_once("  D:"))
                })
                .map(|(cells, label)| {
                    let mut cells: Vec<String> = cells
                        .replace("( ", "(")
                        .split_whitespace()
                        .map(str::to_owned)
                        .collect();
                    let time = cells
                        .iter()
                        .position(|c| c.starts_with('('))
                        .map_or(1, |_| 2);
                    let time = if cells.first().is_some_and(|c| c == "0") {
                        1
                    } else {
                        time
                    };
                    cells.truncate(time + 1);
                    (cells, label.to_owned())
                })
                .collect()
        };
        let (mut ours, mut theirs) = (rows(&ours), rows(&theirs));
        assert!(theirs.len() > 1, "{name}");
        // Theirs has equal rows in no particular order.
        ours.sort();
        theirs.sort();
        assert_eq!(ours, theirs, "{name}");
        assert_eq!(complaints, "", "{name}");
    }
}

/// Inclusive costs from the tree of calls, for every complete file.
#[test]
fn inclusive_cost_is_that_of_the_exact_tree() {
    for name in WHOLE {
        let profile = read(&format!("{name}.xdebug"));
        assert!(
            profile.warnings.is_empty(),
            "{name}: {:?}",
            profile.warnings.kept()
        );
        let expected = fs::read_to_string(folder().join(format!("expected/{name}.txt"))).unwrap();
        let mut lines = expected.lines();
        let head = lines.next().unwrap();
        let tree = profile.tree.as_ref().unwrap();
        let number = |key: &str| {
            head.split(key)
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        assert_eq!(
            tree.contexts.iter().map(|c| c.calls).sum::<u64>(),
            number("blocks="),
            "{name}: {head}"
        );
        assert_eq!(
            tree.contexts
                .iter()
                .map(|c| u64::from(c.depth) + 1)
                .max()
                .unwrap(),
            number("depth="),
            "{name}"
        );
        let mut checked = 0;
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let (cost, rest) = line
                .trim()
                .strip_prefix("exact_incl=")
                .unwrap()
                .split_once(" calls=")
                .unwrap();
            let (calls, function) = rest.split_once(' ').unwrap();
            assert_eq!(
                inclusive(&profile, function),
                (cost.parse().unwrap(), calls.parse().unwrap()),
                "{name}: {line}"
            );
            checked += 1;
        }
        assert!(checked > 0, "{name}");
    }
}

/// The parts of the tree add up: every function's self cost is that of its chains.
#[test]
fn the_tree_holds_all_self_cost() {
    for name in WHOLE.iter().copied().chain(["append-x320"]) {
        let profile = read(&format!("{name}.xdebug"));
        let tree = profile.tree.as_ref().unwrap();
        let mut sums: HashMap<FunctionId, i64> = HashMap::new();
        walk(tree, |context, chain| {
            assert_eq!(chain.last(), Some(&context.function));
            *sums.entry(context.function).or_default() += counts(tree.self_counts(context))[0];
        });
        for id in profile.function_ids() {
            assert_eq!(
                sums.get(&id).copied(),
                Some(counts(profile.self_counts(id))[0]),
                "{name}"
            );
        }
    }
}

#[test]
fn x1_a_compressed_file_is_the_same() {
    let (packed, plain) = (
        report(&["--auto=no", "app-x353.xdebug.gz"]),
        report(&["--auto=no", "app-x353.xdebug"]),
    );
    assert_eq!(below_head(&packed.0), below_head(&plain.0));
    for line in [
        "112,681 (100.0%)        462,312  PROGRAM TOTALS",
        "60,457 (53.65%)",
        "17,211 (15.27%)",
        "3,563 ( 3.16%)",
    ] {
        assert!(plain.0.contains(line), "{line}: {}", plain.0);
    }
}

#[test]
fn x2_recursion_is_counted_once() {
    let profile = read("app-x320.xdebug");
    assert_eq!(counts(profile.totals.counts())[0], 152_752);
    assert_eq!(self_cost(&profile, "App\\fib")[0], 98_613);
    assert_eq!(inclusive(&profile, "App\\fib"), (98_593, 485));
    assert_eq!(inclusive(&profile, "{main}"), (148_017, 1));
    let fib = function(&profile, "", "App\\fib");
    let additive: i64 = profile
        .arcs
        .iter()
        .filter(|a| a.callee == fib)
        .map(|a| counts(profile.arc_counts(a))[0])
        .sum();
    assert_eq!(additive, 801_688);
}

#[test]
fn x3_appended_runs() {
    let profile = read("append-x320.xdebug");
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
    assert_eq!(
        (profile.parts.len(), counts(profile.totals.counts())[0]),
        (3, 23_893)
    );
    let check = |file, name, cost, calls| {
        let id = function(&profile, file, name);
        let stated = profile.stated.as_ref().unwrap();
        assert_eq!(
            (counts(profile.self_counts(id))[0], stated.calls(id)),
            (cost, calls),
            "{file}:{name}"
        );
    };
    check("", "php::register_shutdown_function", 9_109, 1);
    check("", "beta", 280, 8);
    check("", "alpha", 1_014, 8);
    check("run2.php", "{main}", 2_778, 2);
    check("exit.php", "{main}", 1_556, 1);
    // The peak of the runs, not their sum.
    assert_eq!(counts(profile.totals.counts())[1], 429_624);
    let (text, complaints) = report(&["--auto=no", "append-x320.xdebug"]);
    assert_eq!(complaints, "");
    assert!(text.contains("9,109 (38.12%)"), "{text}");
    let (text, _) = report(&["--by=function", "append-x320.xdebug"]);
    assert!(
        text.contains("4,334 (18.14%)            384  {main}"),
        "{text}"
    );
    let (text, _) = report(&["--auto=no", "--split=run", "append-x320.xdebug"]);
    assert_eq!(text.matches("PROGRAM TOTALS").count(), 3);
}

#[test]
fn x4_a_summary_inside_main() {
    let profile = read("app74-x272.xdebug");
    assert_eq!(counts(profile.totals.counts()), [1_686, 9_976]);
    assert_eq!(self_cost(&profile, "App\\fib"), [843, 0]);
    assert_eq!(self_cost(&profile, "{main}"), [240, 880]);
    assert_eq!(self_cost(&profile, "php::array_map"), [123, 2_672]);
    assert_eq!(self_cost(&profile, "App\\Counter->__toString"), [5, -376]);
    let (text, _) = report(&["--auto=no", "app74-x272.xdebug"]);
    assert!(
        text.contains("123 ( 7.30%)  2,672  php:internal:php::array_map\n"),
        "{text}"
    );
}

#[test]
fn x5_negative_memory() {
    let profile = read("app74-x298.xdebug");
    assert_eq!(counts(profile.totals.counts()), [1_697, 463_728]);
    assert_eq!(
        (
            self_cost(&profile, "App\\fib")[0],
            self_cost(&profile, "{main}")[0]
        ),
        (740, 248)
    );
    assert_eq!(inclusive(&profile, "App\\fib"), (877, 485));
    assert_eq!(self_cost(&profile, "lib_inc_fn")[1], -128);
    // The cost lines below zero, and the sum of memory over all own costs, counted in the file: the
    // line behind `fn=` is one.
    let text = fs::read_to_string(folder().join("app74-x298.xdebug")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let memory = |line: &str| line.split(' ').nth(2).and_then(|n| n.parse::<i64>().ok());
    assert_eq!(
        lines
            .iter()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
            .filter_map(|l| memory(l))
            .filter(|&m| m < 0)
            .count(),
        9
    );
    let own: i64 = lines
        .windows(2)
        .filter(|pair| pair[0].starts_with("fn="))
        .filter_map(|pair| memory(pair[1]))
        .sum();
    assert_eq!(
        profile
            .function_ids()
            .map(|id| counts(profile.self_counts(id))[1])
            .sum::<i64>(),
        own
    );
}

#[test]
fn x6_more_than_43_seconds() {
    let profile = read("long43-x320.xdebug");
    assert_eq!(counts(profile.totals.counts())[0], 4_300_096_222);
    assert_eq!(self_cost(&profile, "php::sleep")[0], 4_300_011_815);
    assert_eq!(inclusive(&profile, "work"), (55_387, 1));
    assert_eq!(self_cost(&profile, "php::abs")[0], 4_148);
    assert_eq!(inclusive(&profile, "php::abs").1, 1_000);
}

#[test]
fn x7_a_killed_run() {
    let profile = read("killed-x320.xdebug");
    assert!(profile.is_truncated(), "{:?}", profile.warnings.kept());
    assert_eq!(counts(profile.totals.counts())[0], 23_488);
    assert_eq!(
        (
            self_cost(&profile, "busy")[0],
            inclusive(&profile, "busy").1
        ),
        (20_741, 18)
    );
    assert_eq!(
        (
            self_cost(&profile, "php::abs")[0],
            inclusive(&profile, "php::abs").1
        ),
        (2_747, 360)
    );
    let (text, complaints) = report(&["--auto=no", "--allow-truncated", "killed-x320.xdebug"]);
    assert!(
        text.contains("PROGRAM TOTALS (calculated)") && text.contains("20,741 (88.30%)"),
        "{text}"
    );
    assert!(complaints.contains("a run has no summary"), "{complaints}");
    // The last of the 18 calls of `busy` was being written, so nobody knows which of the last 20
    // calls of `abs` are its own.
    let folded = [
        "convert",
        "--to=folded",
        "-o-",
        "--allow-truncated",
        "killed-x320.xdebug",
    ];
    let (stacks, complaints) = report(&folded);
    assert_eq!(stacks, "busy 20741\nbusy;php::abs 2610\nphp::abs 137\n");
    assert!(!complaints.contains("estimated"), "{complaints}");
}

/// Wherever a file ends, its stacks hold all self cost, and each is the lower end of one of the
/// whole file.
#[test]
fn calls_of_a_killed_run_that_ended_are_a_forest() {
    for name in ["app-x320", "app74-x272", "app74-derived-x205"] {
        let text = fs::read_to_string(folder().join(format!("{name}.xdebug"))).unwrap();
        let chains = |profile: &Profile| {
            let mut chains = Vec::new();
            walk(profile.tree.as_ref().unwrap(), |_, chain| {
                let names = chain.iter().map(|&id| profile.function(id).name);
                chains.push(names.map(|id| profile.name(id).to_owned()).collect());
            });
            chains
        };
        let whole: Vec<Vec<Vec<u8>>> = chains(&read_text(&text));
        let first = text.find("\nfl=").unwrap() + 200;
        for cut in (first..text.len()).step_by(if name == "app-x320" { 997 } else { 4999 }) {
            let profile = read_text(&text[..cut]);
            assert!(profile.is_truncated(), "{name} {cut}");
            assert!(
                !profile.warnings.has(WarningKind::BrokenOrder),
                "{name} {cut}"
            );
            let mut sums: HashMap<FunctionId, i64> = HashMap::new();
            let tree = profile.tree.as_ref().unwrap();
            for context in &tree.contexts {
                let cost = counts(tree.self_counts(context));
                *sums.entry(context.function).or_default() += cost.first().unwrap_or(&0);
            }
            for (&id, &sum) in &sums {
                assert_eq!(counts(profile.self_counts(id))[0], sum, "{name} {cut}");
            }
            for chain in chains(&profile) {
                assert!(
                    whole.iter().any(|all| all.ends_with(&chain)),
                    "{name} {cut}"
                );
            }
        }
    }
}

/// Before Xdebug 2.8, the block of `{main}` holds the summary. If it is incomplete, its calls are
/// roots. So are those of a run that another one follows.
#[test]
fn a_block_that_may_lack_calls_is_a_root() {
    let call = |name: &str| format!("cfn={name}\ncalls=1 0 0\n2 5\n");
    let run = |end: &str| {
        format!("{HEAD}fl=x.php\nfn=f\n1 5\n\nfl=x.php\nfn=g\n1 5\n\nfl=x.php\nfn={{main}}\n{end}")
    };
    let stacks = |text: &str| {
        let profile = read_text(text);
        let mut stacks = Vec::new();
        let tree = profile.tree.as_ref().unwrap();
        walk(tree, |context, chain| {
            let names = chain
                .iter()
                .map(|&id| profile.name(profile.function(id).name));
            let names: Vec<_> = names.map(String::from_utf8_lossy).collect();
            let cost = counts(tree.inclusive_counts(context))[0];
            stacks.push(format!("{} {cost}", names.join(";")));
        });
        (profile.is_truncated(), stacks.join(", "))
    };
    let [f, g] = ["f", "g"].map(call);
    let (old, new) = ("\nsummary: 20\n\n1 7\n", "1 7\n");
    let forest = "f 5, g 5, {main} 7";
    let whole = "{main} 17, {main};f 5, {main};g 5";
    for (text, is_cut, expected) in [
        (run(&format!("{old}{f}{g}")), false, whole),
        (run(&format!("{old}{f}")), true, forest),
        (run(&format!("{new}{f}{g}\nsummary: 20\n")), false, whole),
        (run(&format!("{new}{f}{g}")), true, forest),
        (run(""), true, "f 5, g 5"),
        (
            format!(
                "{}\n==== NEW PROFILING FILE ====\n{}",
                run(&format!("{new}{f}")),
                run(&format!("{new}{f}{g}\nsummary: 20\n"))
            ),
            true,
            "f 5, g 5, {main} 24, {main};f 5, {main};g 5",
        ),
    ] {
        assert_eq!(stacks(&text), (is_cut, expected.to_owned()), "{text}");
    }
}

#[test]
fn x8_windows_paths_are_whole() {
    let profile = read("windows-derived.xdebug");
    assert_eq!(counts(profile.totals.counts())[0], 4_726);
    let file = r"D:\Experiment\php profiler\src\exit.php";
    let costs = [
        "{main}",
        "inner",
        "php::register_shutdown_function",
        "outer",
        "php::str_repeat",
    ]
    .map(|name| self_cost(&profile, name)[0]);
    assert_eq!(costs, [1_614, 804, 528, 149, 54]);
    let (text, complaints) = report(&["windows-derived.xdebug"]);
    assert!(
        text.contains(&format!("1,614 (34.15%)            384  {file}:{{main}}\n")),
        "{text}"
    );
    assert!(!text.lines().any(|line| line.trim() == "D"), "{text}");
    assert!(!complaints.contains("profiler"), "{complaints}");
}

#[test]
fn x9_a_callee_without_its_file() {
    let (old, new) = (read("app74-derived-x205.xdebug"), read("app74-x272.xdebug"));
    let usort = function(&old, "", "php::usort");
    assert_eq!(old.name(old.function(usort).file), b"php:internal");
    assert_eq!(
        (
            counts(old.self_counts(usort))[0],
            inclusive(&old, "php::usort")
        ),
        (105, (109, 1))
    );
    assert_eq!(counts(old.totals.counts()), [1_686]);
    let column = |profile: &Profile| {
        let mut rows: Vec<(Vec<u8>, Vec<u8>, i64)> = (profile.function_ids())
            .map(|id| {
                let f = profile.function(id);
                let [file, name] = [f.file, f.name].map(|name| profile.name(name));
                (
                    file.to_vec(),
                    name.to_vec(),
                    counts(profile.self_counts(id))[0],
                )
            })
            .collect();
        rows.sort();
        rows
    };
    assert_eq!(column(&old), column(&new));
}

#[test]
fn x10_generators_and_callbacks() {
    let profile = read("hard-nofibers-x353.xdebug");
    let tree = profile.tree.as_ref().unwrap();
    assert_eq!(tree.contexts.iter().map(|c| c.calls).sum::<u64>(), 129);
    assert_eq!(tree.contexts.iter().filter(|c| c.depth == 0).count(), 1);
    assert_eq!(tree.contexts.iter().map(|c| c.depth + 1).max(), Some(8));
    assert_eq!(inclusive(&profile, "work"), (2_722, 27));
    let work = function(&profile, "", "work");
    assert_eq!(
        profile
            .arcs
            .iter()
            .filter(|a| a.callee == work)
            .map(|a| a.count)
            .sum::<u64>(),
        27
    );
    assert_eq!(
        (
            inclusive(&profile, "{main}").0,
            counts(profile.totals.counts())[0]
        ),
        (28_387, 32_822)
    );
}

const HEAD: &str = "version: 1\ncreator: xdebug 3.2.0\ncmd: x.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n";

fn block(function: &str, calls: &[(&str, u64)]) -> String {
    let calls: String = calls
        .iter()
        .map(|(callee, cost)| format!("cfl=x.php\ncfn={callee}\ncalls=1 0 0\n2 {cost}\n"))
        .collect();
    format!("fl=x.php\nfn={function}\n1 10\n{calls}\n")
}

/// Fibers end in another order than they began: the second block ends while the first still runs.
#[test]
fn broken_order_is_said_and_arcs_are_used() {
    let fits = [
        block("a", &[]),
        block("b", &[]),
        block("{main}", &[("a", 10), ("b", 10)]),
    ]
    .concat();
    let swapped = [
        block("b", &[]),
        block("a", &[]),
        block("{main}", &[("a", 10), ("b", 10)]),
    ]
    .concat();
    let missing = [block("a", &[]), block("{main}", &[("a", 10), ("b", 10)])].concat();
    let profile = read_text(&format!("{HEAD}{fits}summary: 30\n"));
    assert!(profile.tree.is_some() && profile.warnings.is_empty());
    for text in [swapped, missing] {
        let profile = read_text(&format!("{HEAD}{text}summary: 30\n"));
        assert!(profile.tree.is_none());
        let [warning] = profile.warnings.kept() else {
            panic!("{:?}", profile.warnings.kept())
        };
        assert_eq!(warning.kind, WarningKind::BrokenOrder);
        assert_eq!(inclusive(&profile, "{main}"), (30, 1));
    }
}

/// Xdebug 2 could write sums of runs: no calls to follow, and nothing wrong.
#[test]
fn a_file_of_sums_has_no_tree() {
    let text = "version: 0.9.6\ncmd: Aggregate\npart: 1\n\nevents: Time\n\nfl=x.php\nfn=a\n1 10\n\n\
                fl=x.php\nfn={main}\n1 5\ncfn=a\ncalls=7 0 0\n2 10\n";
    let profile = read_text(text);
    assert!(
        profile.tree.is_none() && profile.warnings.is_empty(),
        "{:?}",
        profile.warnings.kept()
    );
    assert_eq!(inclusive(&profile, "{main}").0, 15);
}

/// Calls that are equal but for their place in the file make one chain, however deep.
#[test]
fn equal_chains_are_one() {
    // Deep: f calls itself 20,000 times, and the whole of it twice.
    let deep = 20_000;
    let mut text = String::from(HEAD);
    for _ in 0..2 {
        text += &block("f", &[]);
        for level in 1..deep {
            text += &block("f", &[("f", 10 * level)]);
        }
    }
    text += &block("{main}", &[("f", 10 * deep), ("f", 10 * deep)]);
    text += "summary: 1\n";
    let profile = read_text(&text);
    let tree = profile.tree.as_ref().unwrap();
    assert_eq!(tree.contexts.len() as u64, deep + 1);
    assert!(tree.contexts.iter().skip(1).all(|c| c.calls == 2));
    assert_eq!(inclusive(&profile, "f"), (20 * deep as i64, 2 * deep));
}

/// Summed with itself, everything is twice what it was, the tree too.
#[test]
fn two_files_are_summed() {
    let name = folder()
        .join("app-x320.xdebug")
        .to_str()
        .unwrap()
        .to_owned();
    let twice = input::read(&[name.clone(), name], &Options::all()).unwrap();
    let once = read("app-x320.xdebug");
    assert_eq!(inclusive(&twice, "App\\fib"), (2 * 98_593, 2 * 485));
    let (a, b) = (once.tree.as_ref().unwrap(), twice.tree.as_ref().unwrap());
    assert_eq!(a.contexts.len(), b.contexts.len());
    for (a, b) in a.contexts.iter().zip(&b.contexts) {
        assert_eq!(
            (a.function, a.depth, 2 * a.calls),
            (b.function, b.depth, b.calls)
        );
    }
    // With a file of another kind there is no tree, and inclusive costs are computed.
    let names = ["app-x320.xdebug", "../shapes/shapes.plain.out"]
        .map(|n| folder().join(n).to_str().unwrap().to_owned());
    let mixed = input::read(&names, &Options::all()).unwrap();
    assert!(mixed.tree.is_none() && mixed.stated.is_none());
}

/// Cut anywhere, a file is read or refused.
#[test]
fn cut_anywhere() {
    let whole = fs::read(folder().join("append-x320.xdebug")).unwrap();
    for end in 0..whole.len() {
        is_read_or_refused(
            &format!("the first {end} bytes"),
            input::read_from("x", &whole[..end], &Options::all()),
        );
    }
}

/// Rows of a page of `--zoom`, callers or callees, without blanks at either end of a cell.
fn zoomed(args: &[&str], arrow: &str) -> Vec<String> {
    let (page, _) = report(args);
    let squeeze = |line: &str| {
        line.split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .replace("( ", "(")
    };
    page.lines()
        .filter(|line| line.contains(arrow) && !line.contains("=>"))
        .map(squeeze)
        .collect()
}

/// By hand, from the blocks of the files: `fib` is called by `{main}`, by a callback in it and by
/// code in `eval`; of `even` and `odd`, which call each other, `even(10)` begins. What a function's
/// callees and it cost is its inclusive cost, but for rounding.
#[test]
fn zoom_takes_the_tree_of_calls() {
    let fib = [
        "--auto=no",
        "--show=Time_(10ns)",
        "--depth=3",
        "--zoom=fib$",
        "app-x320.xdebug",
    ];
    let file = "/srv/r4/php/src/app.php";
    assert_eq!(
        zoomed(&fib, " < "),
        [
            format!("96,704 (98.08%) < {file}:{{main}} (1x)"),
            format!("1,643 (1.67%) < php:internal:php::call_user_func:{{{file}:56}} (1x)"),
            format!("1,643 (1.67%) < {file}:{{main}} (1x)"),
            format!("246 (0.25%) < {file}(58) : eval()'d code:eval (1x)"),
            format!(". < {file}:App\\fib (482x, recursive: in the cost of the first call)"),
        ]
    );
    let odd = [
        "--auto=no",
        "--show=Time_(10ns)",
        "--depth=2",
        "--zoom=odd$",
        "app-x320.xdebug",
    ];
    assert_eq!(
        zoomed(&odd, " < "),
        [
            format!("767 (100.0%) < {file}:App\\even <cycle 1> (1x)"),
            format!("767 (100.0%) < {file}:{{main}} (1x)"),
            format!(
                ". < {file}:App\\even <cycle 1> (4x, recursive: in the cost of the first call)"
            ),
        ]
    );
    assert_eq!(
        zoomed(&odd, " > "),
        [
            format!("325 (42.37%) > {file}:App\\even <cycle 1> (5x, 65 each)"),
            "1 (0.13%) > (rounding)".to_owned()
        ]
    );
}

/// `x` calls `h` for 90 on behalf of `a` and for 10 on behalf of `b`, where it costs more itself:
/// an estimate would be 90 : 110. Where the order of the calls is broken, that is what there is,
/// and it says so.
#[test]
fn zoom_estimates_only_where_it_must() {
    let block = |name: &str, own: u64, calls: &[(&str, u64)]| {
        let calls: String = calls
            .iter()
            .map(|(callee, cost)| format!("cfl=x.php\ncfn={callee}\ncalls=1 0 0\n2 {cost}\n"))
            .collect();
        format!("fl=x.php\nfn={name}\n1 {own}\n{calls}\n")
    };
    let whole = [
        block("h", 90, &[]),
        block("x", 0, &[("h", 90)]),
        block("a", 0, &[("x", 90)]),
        block("h", 10, &[]),
        block("x", 100, &[("h", 10)]),
        block("b", 0, &[("x", 110)]),
        block("{main}", 0, &[("a", 90), ("b", 110)]),
    ];
    let broken = [
        &block("y", 1, &[])[..],
        &whole.concat().replace(
            "{main}\n1 0\n",
            "{main}\n1 0\ncfl=x.php\ncfn=z\ncalls=1 0 0\n2 1\n",
        ),
    ]
    .concat();
    let path = |name: &str, text: String| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::write(&path, format!("{HEAD}{text}summary: 200\n")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (whole, broken) = (
        path("whole.xdebug", whole.concat()),
        path("broken.xdebug", broken),
    );
    let callers = |path: &str| zoomed(&["--auto=no", "--depth=3", "--zoom=^h$", path], " < ");
    assert_eq!(
        callers(&whole),
        [
            "100 (100.0%) < x.php:x (2x, 50 each)",
            "90 (90.00%) < x.php:a (1x)",
            "90 (90.00%) < x.php:{main} (1x)",
            "10 (10.00%) < x.php:b (1x)",
            "10 (10.00%) < x.php:{main} (1x)",
        ]
    );
    assert_eq!(
        callers(&broken),
        [
            "100 (100.0%) < x.php:x (2x, 50 each)",
            "55 (55.00%) < x.php:b (estimated)",
            "55 (55.00%) < x.php:{main} (estimated)",
            "45 (45.00%) < x.php:a (estimated)",
            "45 (45.00%) < x.php:{main} (estimated)",
        ]
    );
    let (_, complaints) = report(&["--auto=no", "--zoom=^h$", &broken]);
    assert!(
        complaints.contains("the tree of calls is not exact"),
        "{complaints}"
    );
}

/// Faults of Xdebug 2: after an exit a second summary, which is the time of the day (webgrind's
/// issue 97); a cost below zero as a number without a sign, when the clock went back. A line in a
/// block of an internal function is one of its caller's source; two files may call it from lines of
/// one number.
#[test]
fn calls_by_internal_functions_stand_in_the_source_of_their_callers() {
    let stage = Stage::empty();
    let block = |file: &str, name: &str, line: u32, calls: &str| {
        format!("fl={file}\nfn={name}\n{line} 10\n{calls}\n")
    };
    let call = |file: &str, name: &str, line: u32, cost: u32| {
        format!("cfl={file}\ncfn={name}\ncalls=1 0 0\n{line} {cost}\n")
    };
    let map = |callback: &str, line: u32| {
        let by_map = call("/cb.php", callback, line, 10);
        block("/cb.php", callback, 3, "") + &block("php:internal", "php::array_map", line, &by_map)
    };
    // array_map is called by main through another internal function, and by f.
    let outer = block(
        "php:internal",
        "php::call_user_func",
        7,
        &call("php:internal", "php::array_map", 7, 20),
    );
    let in_f = map("two", 7)
        + &block(
            "/f.php",
            "f",
            5,
            &call("php:internal", "php::array_map", 7, 20),
        );
    let of_main = call("php:internal", "php::call_user_func", 7, 30) + &call("/f.php", "f", 9, 30);
    let main = block("/main.php", "{main}", 1, &of_main);
    let text = format!(
        "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /main.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n\
         {}{outer}{in_f}{main}summary: 70\n\n",
        map("one", 7)
    );
    stage.write("p", text);
    let json = stage.json(&["p"]);
    let functions = json["functions"].as_array().unwrap();
    let name = |id: &serde_json::Value| {
        functions[id.as_u64().unwrap() as usize]["name"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mut sites = Vec::new();
    for arc in json["calls"].as_array().unwrap() {
        let site = &arc["sites"][0];
        assert_eq!(arc["sites"].as_array().unwrap().len(), 1);
        let place = format!("{}:{}", site["file"].as_str().unwrap(), site["line"]);
        sites.push(format!(
            "{} -> {} {place}",
            name(&arc["caller"]),
            name(&arc["callee"])
        ));
    }
    sites.sort();
    assert_eq!(
        sites,
        [
            "f -> php::array_map /f.php:7",
            "php::array_map -> one /main.php:7",
            "php::array_map -> two /f.php:7",
            "php::call_user_func -> php::array_map /main.php:7",
            "{main} -> f /main.php:9",
            "{main} -> php::call_user_func /main.php:7",
        ]
    );
    let by_line = stage.report(&["p", "--by=line", "--threshold=100"]);
    assert!(
        !by_line.contains("php:internal:7") && by_line.contains("php:internal:?:php::array_map"),
        "{by_line}"
    );
}

#[test]
fn faults_of_old_versions() {
    let exits = "fl=x.php\nfn={main}\n\nsummary: 100\n\n1 60\n\nfl=x.php\nfn=at_exit\n2 5\n\nsummary: 1488967759093191\n";
    let profile = read_text(&format!("{HEAD}{exits}"));
    assert_eq!(
        (profile.parts.len(), counts(profile.totals.counts())[0]),
        (1, 100)
    );
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings.kept())
    };
    assert_eq!(warning.kind, WarningKind::SecondSummary);
    let back = "fl=x.php\nfn=f\n1 4294967290\n\nfl=x.php\nfn={main}\n1 60\n\nsummary: 100\n";
    let profile = read_text(&format!("{HEAD}{back}"));
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings.kept())
    };
    assert_eq!(
        (warning.kind, warning.line),
        (WarningKind::WrappedCount, Some(11))
    );
    assert!(
        warning
            .message
            .contains("a cost of 4294967290 in a run of 100"),
        "{warning}"
    );
}

/// A run that was cut between two lines lacks nothing but its end: `check` must not pass because of
/// that, nor because nothing was there.
#[test]
fn check_takes_no_half_run() {
    let whole = fs::read_to_string(folder().join("app-x320.xdebug")).unwrap();
    let middle = whole[..whole.len() / 2].rfind("\nfl=").unwrap();
    let start = whole.find("\nfl=").unwrap();
    let limit = "total.\"Time_(10ns)\" <= 1M";
    for (text, status, says) in [
        (&whole[..], 0, "kept"),
        (
            &whole[..=middle],
            4,
            "a run has no `summary:`; the end is missing",
        ),
        (&whole[..=start], 4, "the file has no functions"),
    ] {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("half.xdebug");
        fs::write(&path, text).unwrap();
        let check = ["check", path.to_str().unwrap(), "--limit", limit];
        let out = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
            .args(check)
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(status), "{out:?}");
        let all = [out.stdout, out.stderr].concat();
        assert!(
            String::from_utf8_lossy(&all).contains(says),
            "{}",
            String::from_utf8_lossy(&all)
        );
    }
}
