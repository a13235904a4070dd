//! Without `--compat`, the report is the original's but for what is promised to be better.

use crate::common::amount::some;
use crate::common::{
    self, Golden, LISTED, RULE, Stage, assert_same, canonical, has_parts, one_warning, profiles,
};
use std::collections::{BTreeMap, BTreeSet};

/// The reports are cut into sections, each of which is the original's or is told apart below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Section {
    /// The header block and the totals.
    Head,
    /// The function list.
    List,
    /// The annotated sources without the calls.
    Lines,
    /// The calls below source lines.
    Calls,
    /// Files not found, share annotated.
    Tail,
}

/// Why a section is not the original's; docs/compatibility.md has them all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Because {
    /// Inlined code belongs to the function it was inlined into; the original makes it one of its
    /// own.
    InlinedCode,
    /// All functions that have code on a line show their calls there; the original shows those of
    /// one.
    CallSites,
    /// Calls below a line are in the order of what they cost from there; the original orders them
    /// by what that caller's calls of that callee cost from everywhere.
    CallOrder,
    /// The cost after `calls=0` is that of a call; the original takes it for self cost.
    CallsZero,
    /// A column that `summary:` leaves out has a total all the same; the original has shares of
    /// nothing.
    TotalsByColumn,
    /// A negative `summary:` is a summary; the original adds up the lines instead, and says so. Of
    /// a total below zero rows are listed by their size; the original stops behind the first that
    /// is above.
    BelowZero,
    /// What signal handlers cost is a part of the totals; Callgrind leaves it out of `summary:`,
    /// and so does the original.
    Handlers,
}

use Because::*;
use Section::*;

/// Every profile whose reports without `--compat` differ from the goldens, where, and why.
const PROMISED: &[(&str, &[Section], Because)] = &[
    ("bus/matrix.toggle.out", &[List], InlinedCode),
    ("cache/matrix.cachebranch.toggle.out", &[List], InlinedCode),
    ("cache/matrix.cachebranch.toggle.out", &[Calls], CallOrder),
    ("cache/matrix.cacheuse.toggle.out", &[List], InlinedCode),
    ("cache/matrix.cacheuse.toggle.out", &[Head], TotalsByColumn),
    ("cache/matrix.wb.toggle.out", &[List], InlinedCode),
    (
        "cachegrind/matrix.less.out",
        &[Head, List, Lines, Tail],
        BelowZero,
    ),
    ("callers/inventory.mangled.toggle.out", &[List], InlinedCode),
    ("callers/words.callers2.toggle.out", &[List], InlinedCode),
    ("callers/words.callers2.toggle.out", &[Calls], CallSites),
    ("callers/words.recs4.toggle.out", &[List], InlinedCode),
    ("callers/words.recs4.toggle.out", &[Calls], CallSites),
    ("cxx/inventory.out", &[List], InlinedCode),
    ("include/phases.toggle.out", &[List], InlinedCode),
    ("include/phases.toggle.out", &[Calls], CallSites),
    ("instr/inventory.instr-jumps.out", &[List], InlinedCode),
    ("instr/matrix.all.out", &[List], InlinedCode),
    ("instr/phases.instr-jumps.out", &[List], InlinedCode),
    ("instr/phases.instr-jumps.out", &[Calls], CallSites),
    ("interpreter/dash.out", &[List], InlinedCode),
    ("interpreter/dash.out", &[Head], Handlers),
    ("interpreter/perl.out", &[List], InlinedCode),
    (
        "parts/phases.after.out.2",
        &[List, Lines, Calls, Tail],
        CallsZero,
    ),
    ("parts/phases.whole.out", &[List], InlinedCode),
    ("rust/balls.out", &[List], InlinedCode),
    ("rust/balls.out", &[Calls], CallSites),
    ("shapes/shapes.cachebranch.out", &[List], InlinedCode),
    ("shapes/shapes.cachebranch.out", &[Calls], CallSites),
    ("shapes/shapes.callers2.out", &[List], InlinedCode),
    ("shapes/shapes.callers2.out", &[Calls], CallSites),
    ("shapes/shapes.instr-jumps.out", &[List], InlinedCode),
    ("shapes/shapes.instr-jumps.out", &[Calls], CallSites),
    ("shapes/shapes.instronly.out", &[List], InlinedCode),
    ("shapes/shapes.nocompress.out", &[List], InlinedCode),
    ("shapes/shapes.nocompress.out", &[Calls], CallSites),
    ("shapes/shapes.plain.out", &[List], InlinedCode),
    ("shapes/shapes.plain.out", &[Calls], CallSites),
    ("stale/phases.toggle.out", &[List], InlinedCode),
    ("stale/phases.toggle.out", &[Calls], CallSites),
    ("systime/copyfile.nsec.out", &[List], InlinedCode),
    ("systime/copyfile.usec.toggle.out", &[List], InlinedCode),
    ("systime/copyfile.usec.toggle.out", &[Calls], CallOrder),
    ("threads/workers.out-01", &[List], InlinedCode),
    ("toggle/phases.toggle.instr.out", &[List], InlinedCode),
    ("toggle/phases.toggle.instr.out", &[Calls], CallSites),
    ("toggle/phases.toggle.nocompress.out", &[List], InlinedCode),
    ("toggle/phases.toggle.nocompress.out", &[Calls], CallSites),
    ("toggle/phases.toggle.out", &[List], InlinedCode),
    ("toggle/phases.toggle.out", &[Calls], CallSites),
    (
        "xtree/inventory.memory.kcg",
        &[List, Lines, Calls, Tail],
        CallsZero,
    ),
    (
        "xtree/words.leak.kcg",
        &[List, Lines, Calls, Tail],
        CallsZero,
    ),
    (
        "xtree/words.memory.kcg",
        &[List, Lines, Calls, Tail],
        CallsZero,
    ),
];

/// Without `--compat`, and where neither inclusive costs nor arcs are asked for, every section is
/// the original's or has its reason above; and every reason above is needed.
#[test]
fn the_default_report_differs_from_the_goldens_only_as_promised() {
    let mut needed = BTreeSet::new();
    for golden in Golden::all()
        .iter()
        .filter(|golden| !golden.asks_for_calls())
    {
        let profile = golden.profile();
        // By default, contexts are added up and names are demangled (the tests of `contexts` and
        // `linkage`).
        let apart: &[&str] = if ["callers2", "mangled"]
            .iter()
            .any(|one| profile.contains(one))
        {
            &[LISTED, "--contexts"]
        } else {
            &[LISTED]
        };
        let got = Stage::of(&golden.fixture).report(&golden.args(apart));
        let (want, got) = (
            Report::of(&canonical(&golden.text())),
            Report::of(&canonical(&one_warning(&got))),
        );
        for section in [Head, List, Lines, Calls, Tail] {
            let what = format!("{}: {section:?}", golden.path);
            let (want_text, got_text) = (want.section(section), got.section(section));
            if want_text == got_text {
                continue;
            }
            let promise = PROMISED
                .iter()
                .find(|(name, sections, _)| *name == profile && sections.contains(&section));
            let Some((_, _, because)) = promise else {
                panic!(
                    "{what} has no reason to differ\n{}",
                    common::difference(want_text, got_text).unwrap()
                );
            };
            needed.insert((profile.clone(), section));
            match (because, section) {
                (InlinedCode, List) => check_list(&what, &want, &got, golden),
                (CallSites, Calls) => check_calls(&what, &want, &got),
                (CallOrder, Calls) => assert_eq!(sorted(want_text), sorted(got_text), "{what}"),
                (BelowZero, Head) => {
                    assert_same(&what, &want_text.replace(" (calculated)", ""), got_text)
                }
                // A child's end is told by a signal, and the shell's handler took 36 instructions.
                (Handlers, Head) => {
                    assert_same(&what, &want_text.replace("517,630 ", "517,666 "), got_text)
                }
                (TotalsByColumn, Head) => assert!(
                    same_start(want_text, got_text),
                    "{what}\n{want_text}\n{got_text}"
                ),
                // What they are instead is in `calls_of_no_count_are_calls`.
                (CallsZero, _) => {}
                (BelowZero, _) => check_sizes(&want, &got),
                _ => panic!("{what}: {because:?} is no reason"),
            }
        }
    }
    let stale: Vec<_> = (PROMISED.iter())
        .flat_map(|(name, sections, because)| {
            sections
                .iter()
                .map(move |section| (*name, *section, *because))
        })
        .filter(|(name, section, _)| !needed.contains(&((*name).to_owned(), *section)))
        .collect();
    assert!(stale.is_empty(), "not needed any more: {stale:?}");
}

/// `matrix 12` instead of `matrix 16` saves 53,207 and costs 297 more elsewhere. `main` alone is
/// more than 70 % of that. So the source that is annotated is that of `main`, which is there:
/// `cg_diff` knows no lines, and all functions of the file together saved 51,208.
fn check_sizes(want: &Report, got: &Report) {
    assert_eq!(want.rows(), [(52, "hack_digit".to_owned())]);
    assert_eq!(got.rows(), [(-47176, "main".to_owned())]);
    let heading =
        format!("{RULE}\n-- Auto-annotated source: matrix.c\n{RULE}\nIr               \n\n\n");
    let lines = heading + " -51208 (96.78%)  <counts for unidentified lines in matrix.c>\n\n";
    assert_eq!((want.section(Lines), got.section(Lines)), ("", &*lines));
    let missing = "The following files chosen for auto-annotation could not be found:";
    let missing =
        format!("{RULE}\n{missing}\n{RULE}\n  ./stdio-common/./stdio-common/printf_fp.c\n\n");
    let annotated = format!("{RULE}\nIr \n{RULE}\n.           events annotated\n\n");
    assert_eq!(
        (want.section(Tail), got.section(Tail)),
        (&*missing, &*annotated)
    );
}

/// A report in five sections.
struct Report {
    sections: [String; 5],
}

impl Report {
    fn of(text: &str) -> Report {
        let lines: Vec<&str> = text.split('\n').collect();
        let list = lines
            .iter()
            .position(|line| line.ends_with(" file:function"))
            .unwrap()
            - 1;
        let after = list
            + lines[list..]
                .iter()
                .position(|line| line.is_empty())
                .unwrap();
        let files = (after..lines.len()).find(|&at| common::is_file_heading(&lines, at));
        let tail = (files.map_or(after, |at| at + 2)..lines.len())
            .find(|&at| common::ends_files(&lines, at));
        let tail = tail.unwrap_or(lines.len());
        let files = files.unwrap_or(tail);
        let (mut code, mut calls, mut number) = (String::new(), String::new(), 0);
        for line in &lines[files..tail] {
            if is_call(line) {
                calls += &format!("{number} {line}\n");
            } else {
                number += 1;
                code += &format!("{line}\n");
            }
        }
        Report {
            sections: [
                lines[..list].join("\n"),
                lines[list..files].join("\n"),
                code,
                calls,
                lines[tail..].join("\n"),
            ],
        }
    }

    fn section(&self, section: Section) -> &str {
        &self.sections[section as usize]
    }

    /// The first shown count of every listed function, with the function's name.
    fn rows(&self) -> Vec<(i64, String)> {
        let list = self.section(List);
        let label_at = list.lines().nth(1).unwrap().find("file:function").unwrap();
        (list.lines().skip(3).filter(|line| !line.is_empty()))
            .map(|line| (count(line), function_name(&line[label_at..]).to_owned()))
            .collect()
    }

    /// Calls by the line above them and by their callee: the first shown count, and how many calls.
    fn calls(&self) -> BTreeMap<(String, String), (i64, i64)> {
        (self.section(Calls).lines())
            .map(|line| {
                let (above, call) = line.split_once(' ').unwrap();
                let (cost, callee) = call.split_once(" => ").unwrap();
                let (callee, times) = callee.rsplit_once(" (").unwrap();
                (
                    (above.to_owned(), callee.to_owned()),
                    (count(cost), count(times.trim_end_matches("x)"))),
                )
            })
            .collect()
    }
}

/// `1,234 (56.78%)  => file:function (9x)`, which a source line is not.
fn is_call(line: &str) -> bool {
    let times = line
        .strip_suffix("x)")
        .and_then(|line| line.rsplit_once(" ("))
        .map(|(_, times)| times);
    line.contains(" => ")
        && times.is_some_and(|times| times.bytes().all(|b| b.is_ascii_digit() || b == b','))
}

/// The first count of a row; `.` is 0.
fn count(row: &str) -> i64 {
    let first = row.split_whitespace().next().unwrap();
    if first == "." {
        0
    } else {
        first.replace(',', "").parse().unwrap()
    }
}

/// `file:name [object]` without file and object.
fn function_name(label: &str) -> &str {
    let label = label.split_once(" [/").map_or(label, |(label, _)| label);
    label.split_once(':').unwrap().1
}

/// Sums by function name.
fn folded(rows: &[(i64, String)]) -> BTreeMap<&str, i64> {
    let mut sums = BTreeMap::new();
    rows.iter()
        .for_each(|(cost, name)| *sums.entry(name.as_str()).or_insert(0) += cost);
    sums
}

/// Whatever the original lists under a name, in pieces, is not more than the functions of that name
/// have here. What is not listed here is cheaper than all that is.
fn check_list(what: &str, want: &Report, got: &Report, golden: &Golden) {
    let (want, got) = (want.rows(), got.rows());
    let here = folded(&got);
    let sorted_by_first = !golden
        .options
        .iter()
        .any(|o| o.starts_with("--show=") || o.starts_with("--sort="));
    let cheapest = got.last().unwrap().0;
    for (name, cost) in folded(&want) {
        let missing = cost - here.get(name).unwrap_or(&0);
        assert!(
            missing <= 0 || !sorted_by_first || missing <= cheapest,
            "{what}: {name} lacks {missing}"
        );
    }
}

/// No call of the original is lost, and none has become less.
fn check_calls(what: &str, want: &Report, got: &Report) {
    assert_eq!(want.section(Lines), got.section(Lines), "{what}");
    let here = got.calls();
    for (call, (cost, times)) in want.calls() {
        let Some(&(cost_here, times_here)) = here.get(&call) else {
            panic!("{what}: {call:?} is lost");
        };
        assert!(
            cost_here >= cost && times_here >= times,
            "{what}: {call:?} has {cost_here} ({times_here}x) here"
        );
    }
}

/// The lines of a text, in order.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Whether two texts are alike up to the first `.` of each line.
fn same_start(a: &str, b: &str) -> bool {
    let alike = |(a, b): (&str, &str)| match a.split_once(" . ") {
        Some((start, _)) => b.starts_with(start),
        None => a.split_whitespace().eq(b.split_whitespace()),
    };
    a.lines().count() == b.lines().count() && a.lines().zip(b.lines()).all(alike)
}

/// Read without `--compat`, every function name, with its callers, has the self cost that the original gives to all of
/// its pieces.
#[test]
fn inlined_code_folds_back_into_its_functions() {
    let with_calls_of_no_count =
        |profile: &str| profile.starts_with("xtree/") || profile.starts_with("parts/phases.after");
    let options = ["--auto=no", "--threshold=100", "--show-percs=no"];
    for profile in some(profiles())
        .iter()
        .filter(|profile| !has_parts(profile) && !with_calls_of_no_count(profile))
    {
        let (fixture, file) = profile.split_once('/').unwrap();
        let stage = Stage::of(fixture);
        let (mut ours, mut theirs) = (options.to_vec(), options.to_vec());
        ours.extend(["--contexts", file]);
        theirs.extend(["--compat", file]);
        let (ours, theirs) = (stage.report(&ours), stage.report(&theirs));
        assert_eq!(all_columns(&ours), all_columns(&theirs), "{profile}");
    }
}

/// The counts of every function name in all columns, from a list without shares.
fn all_columns(report: &str) -> BTreeMap<String, Vec<i64>> {
    let report = Report::of(report);
    let heading = report.section(List).lines().nth(1).unwrap();
    let (label_at, events) = (
        heading.find("file:function").unwrap(),
        heading.split_whitespace().count() - 1,
    );
    let mut sums: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for line in report
        .section(List)
        .lines()
        .skip(3)
        .filter(|line| !line.is_empty())
    {
        let sum = sums
            .entry(function_name(&line[label_at..]).to_owned())
            .or_insert_with(|| vec![0; events]);
        sum.iter_mut()
            .zip(line.split_whitespace())
            .for_each(|(sum, word)| *sum += count(word));
    }
    assert!(!sums.is_empty());
    sums
}

/// Checked by hand against `parts/phases.after.out.2`: the second call of `measured`, with
/// `calls=0` for everything that was active before. The original lists `__libc_start_main` with 100
/// % and nothing else.
#[test]
fn calls_of_no_count_are_calls() {
    let report = Stage::of("parts").report(&["--auto=no", "--threshold=100", "phases.after.out.2"]);
    let report = Report::of(&report);
    let rows: Vec<(i64, String)> = report
        .rows()
        .into_iter()
        .filter(|(cost, _)| *cost > 0)
        .collect();
    // Sums of the lines below each `fn=` but the lines after `calls=`; they make up the totals of
    // 1,552.
    let by_hand = [
        (624, "load"),
        (590, "solve'2"),
        (293, "settle"),
        (30, "solve"),
        (15, "measured"),
    ];
    assert_eq!(rows, by_hand.map(|(cost, name)| (cost, name.to_owned())));
    assert_eq!(rows.iter().map(|(cost, _)| cost).sum::<i64>(), 1552);
}

/// Recursive calls contain each other; below a source line they count once as well. The whole cost
/// of `fib'2` is 28,587, and all of its 1,972 calls are on one line: 2 by `fib`, which the original
/// shows, and 1,970 by itself.
#[test]
fn recursive_calls_cost_no_more_than_everything() {
    for profile in some(profiles())
        .iter()
        .filter(|name| !name.starts_with("threads/") && !name.ends_with("less.out"))
    {
        let (fixture, file) = profile.split_once('/').unwrap();
        let report = Stage::of(fixture).report(&[LISTED, "--threshold=100", file]);
        let report = Report::of(&report);
        let totals = report
            .section(Head)
            .lines()
            .find(|line| line.contains(" PROGRAM TOTALS"))
            .unwrap();
        for (call, (cost, _)) in report.calls() {
            assert!(cost <= count(totals), "{profile}: {call:?} costs {cost}");
        }
        // Neither do arcs of a list, which the original adds up: those of `fib'2` by itself to
        // 232,442.
        for more in [&[][..], &["--fold-recursion"], &["--inclusive=yes"]] {
            let tree = Stage::of(fixture)
                .report(&[&["--tree=both", "--auto=no", "--threshold=100", file], more].concat());
            for arc in tree
                .lines()
                .filter(|line| [" < ", " >   "].iter().any(|arrow| line.contains(arrow)))
            {
                assert!(count(arc) <= count(totals), "{profile} {more:?}: {arc}");
            }
            if profile == "shapes/shapes.plain.out" && more.is_empty() {
                assert!(
                    tree.contains("\n28,587 ( 6.24%)  < shapes.c:fib'2 (1,970x) "),
                    "{tree}"
                );
            }
        }
        if profile == "shapes/shapes.plain.out" {
            let calls = report.calls();
            assert!(
                calls
                    .iter()
                    .any(|((_, callee), call)| callee == "shapes.c:fib'2"
                        && *call == (28_587, 1_972))
            );
        }
    }
}

/// What is as long as the current folder's name is nothing below it.
#[test]
fn a_file_that_is_the_current_folder_keeps_its_name() {
    let stage = Stage::empty();
    let here = stage.dir.display();
    let text = format!(
        "events: Ir\nfl={here}/\nfn=main\n1 10\ncfl={here}/a.c\ncfn=f\ncalls=1 1\n2 5\nfl={here}/a.c\nfn=f\n1 5\n"
    );
    stage.write("p", text);
    for args in [&["--tree=both", "p"][..], &["--compat", "--tree=both", "p"]] {
        let text = stage.report(args);
        assert!(text.contains(&format!("*  {here}/:main")), "{text}");
        assert!(text.contains("*  a.c:f"), "{text}");
    }
}
