//! Two runs: what changed is what `diff` says, and the last line is that comparison.

use super::{Walk, compared, runs};
use crate::common::{Stage, fixture};
use cgannotate::explore::Lenses;
use cgannotate::profile::FunctionId;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SHAPES: &str = "shapes/shapes.plain.out";

fn name(data: &Lenses, id: FunctionId) -> String {
    let profile = data.whole.profile();
    String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
}

/// What a command of the last line prints, which works on `old` and `new`.
pub(super) fn printed(stage: &Stage, command: &str) -> String {
    let script = format!("exec \"$0\" {command}");
    let out = stage
        .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
        .output()
        .unwrap();
    assert!(out.status.success(), "{command}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

/// The changes of the functions of the newer run, as `diff` has them, of self or inclusive cost.
fn changes_of_diff(words: &[&str], which: &str) -> Vec<i128> {
    let (options, files) = words.split_at(words.len() - 2);
    let asked = [
        &["diff", "--format=json", "--threshold=100"],
        options,
        files,
    ]
    .concat();
    let report: Value = serde_json::from_str(&Stage::empty().report(&asked)).unwrap();
    let newer = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|function| function["new"].is_object());
    let mut changes: Vec<i128> = newer
        .map(|function| function[which]["change"][0].as_i64().unwrap().into())
        .collect();
    changes.retain(|&change| change != 0);
    changes.sort_unstable();
    changes
}

fn changes_of_list(walk: &mut Walk<'_>) -> Vec<i128> {
    let mut changes: Vec<i128> = walk
        .table()
        .iter()
        .filter_map(|(numbers, _)| numbers.get("change").copied())
        .collect();
    changes.retain(|&change| change != 0);
    changes.sort_unstable();
    changes
}

/// Where `diff` adds functions up, the first of them has what changed of all: by self cost, by
/// inclusive cost, with levels of recursion folded, and of own code.
#[test]
fn functions_that_are_one_to_diff_are_one_here() {
    for (old, new) in [
        ("interpreter/perl.out", "interpreter/dash.out"),
        ("interpreter/dash.out", "interpreter/perl.out"),
        ("callers/inventory.mangled.toggle.out", "cxx/inventory.out"),
        ("shapes/shapes.plain.out", "shapes/shapes.callers2.out"),
        ("diff/mail/mail.home.out", "diff/mail/mail.ci.out"),
    ] {
        let files = [fixture(old), fixture(new)];
        let diff = |options: &[&str], which| {
            changes_of_diff(&[options, &[&files[0][..], &files[1][..]]].concat(), which)
        };
        let data = compared(old, new);
        let mut walk = Walk::new(&data, new, (200, 60));
        assert_eq!(changes_of_list(&mut walk), diff(&[], "self"), "{old} {new}");
        walk.press(&["i", "i"]);
        assert_eq!(
            changes_of_list(&mut walk),
            diff(&["--inclusive=yes"], "inclusive"),
            "{old} {new}, inclusive"
        );
        walk.press(&["i"]);
        for (key, option) in [("f", "--fold-recursion"), ("o", "--own")] {
            walk.press(&[key]);
            let got = changes_of_list(&mut walk);
            assert!(
                walk.command()
                    .is_some_and(|command| command.contains(option)),
                "{option}"
            );
            assert_eq!(got, diff(&[option], "self"), "{old} {new} {option}");
            walk.press(&[key]);
        }
    }
}

/// Three instances of one function that nothing but hashes tell apart, with others in each run:
/// they are one function.
#[test]
fn instances_with_other_hashes_changed_together() {
    let run = |hashes: [char; 3], cost: u64| {
        let name = |at: usize| format!("a::push::h{}", hashes[at].to_string().repeat(16));
        let mut text = "events: Ir\nfl=a.rs\n".to_owned();
        for at in 0..3 {
            text.push_str(&format!("fn={}\n{} 500\n", name(at), 10 + at));
        }
        let calls = (0..3).map(|at| format!("cfn={}\ncalls=1 10\n9 500\n", name(at)));
        format!(
            "{text}fn=work\n7 {cost}\nfn=main\n9 5\n{}cfn=work\ncalls=1 7\n9 {cost}\n",
            calls.collect::<String>()
        )
    };
    let (old, new) = (run(['1', '2', '3'], 70), run(['4', '5', '6'], 90));
    let data = runs(&old, &new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let rows = walk.table();
    let changed: Vec<_> = rows
        .iter()
        .filter(|(numbers, _)| numbers.get("change").is_some_and(|&c| c != 0))
        .collect();
    assert!(
        matches!(changed[..], [(numbers, name)] if numbers["change"] == 20 && name.starts_with("work")),
        "{rows:?}"
    );
    assert_eq!(
        rows.iter()
            .filter(|(_, name)| name.contains("3 compared as one"))
            .count(),
        3,
        "{rows:?}"
    );
    // Among the calls of `main` nothing else changed, either; nor in the source of an instance.
    let main = rows
        .iter()
        .position(|(_, name)| name.starts_with("main"))
        .unwrap();
    walk.press(&["g"]).press(&vec!["j"; main]).press(&["Enter"]);
    let calls: Vec<_> = walk
        .table()
        .iter()
        .filter_map(|(numbers, _)| numbers.get("change").copied())
        .collect();
    assert_eq!(
        calls,
        [20, 0, 0, 20],
        "main, the function itself, the instances, work"
    );
    walk.press(&["[", "g"]);
    let instance = walk
        .table()
        .iter()
        .position(|(_, name)| name.contains("h555"))
        .unwrap();
    walk.press(&vec!["j"; instance]).press(&["v"]);
    assert!(
        walk.table()
            .iter()
            .all(|(numbers, _)| numbers.get("change").is_none_or(|&change| change == 0))
    );
}

/// Cachegrind knows no calls: inclusive costs and calls are not compared with it, on whichever side
/// it is.
#[test]
fn without_calls_on_either_side_no_calls_are_compared() {
    let (without, with) = ("cachegrind/matrix.cg-branch.out", "instr/matrix.all.out");
    for (old, new) in [(without, with), (with, without)] {
        let data = compared(old, new);
        let mut walk = Walk::new(&data, new, (200, 60));
        assert!(!changes_of_list(&mut walk).is_empty());
        walk.press(&["i", "i"]);
        let is_compared = |rows: Vec<(BTreeMap<String, i128>, String)>| {
            rows.iter()
                .filter(|(numbers, _)| numbers.contains_key("change"))
                .count()
        };
        if new == with {
            assert_eq!(is_compared(walk.table()), 0, "inclusive costs, {old}");
        }
        walk.press(&["1", "Enter"]);
        assert!(is_compared(walk.table()) <= 1, "only own code, {old}");
    }
}

/// A baseline states inclusive costs of functions that contain each other and are one in the
/// comparison: what they cost together nobody knows, neither before nor now, nor where it is gone.
#[test]
fn inclusive_costs_that_are_not_known_are_not_compared() {
    let baseline = "# cgannotate baseline 1\nevents: Ir\ntotals: 78\nparts: 1\nfunctions: 4\n\
        # function, file, object, calls, self cost, inclusive cost\n\
        g\ta.c\t\t2\t70\t70\nmain\ta.c\t\t0\t5\t78\nx.part.0\ta.c\t\t1\t1\t40\nx.part.1\ta.c\t\t1\t2\t30\n";
    let main = "events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=g\ncalls=1 10\n2 90\nfn=g\n20 90\n";
    let parts = "fn=main\ncfn=x.part.5\ncalls=1 10\n2 60\ncfn=x.part.6\ncalls=1 10\n2 30\n\
        fn=x.part.5\n10 60\nfn=x.part.6\n11 30\n";
    let with_parts = format!("{main}{parts}");
    let change = |walk: &mut Walk<'_>, name: &str| {
        let rows = walk.csv();
        let row = rows
            .iter()
            .find(|row| row["function"] == name)
            .unwrap_or_else(|| panic!("{name}: {rows:?}"));
        row["change"].clone()
    };
    for (old, new, first, g) in [
        (baseline, &with_parts[..], "x.part.5", "20"),
        (&with_parts, baseline, "x.part.0", "-20"),
    ] {
        let data = runs(old, new);
        let mut walk = Walk::new(&data, SHAPES, (200, 24));
        assert!(!change(&mut walk, first).is_empty(), "self costs are known");
        walk.press(&["i", "i"]);
        assert_eq!(change(&mut walk, first), "", "{first}");
        assert_eq!(change(&mut walk, "g"), g);
        assert_eq!(
            walk.csv()
                .iter()
                .filter(|row| row["change"].is_empty())
                .count(),
            2,
            "both parts"
        );
        let row = walk
            .csv()
            .iter()
            .position(|row| row["function"] == first)
            .unwrap();
        let around = walk
            .press(&["g"])
            .press(&vec!["j"; row])
            .press(&["Enter"])
            .csv();
        let this = around
            .iter()
            .find(|row| row["what"] == "inclusive")
            .unwrap();
        assert_eq!(
            (&this["function"][..], &this["change"][..]),
            (first, ""),
            "{around:?}"
        );
    }
    let data = runs(baseline, main);
    let gone = Walk::new(&data, SHAPES, (200, 24)).press(&["0"]).csv();
    assert!(
        matches!(&gone[..], [row] if row["Ir self"] == "3" && row["Ir incl"].is_empty()),
        "{gone:?}"
    );
}

/// Of an event that only the newer run counts nothing is known to have changed.
#[test]
fn events_of_one_run_are_not_compared() {
    let old = "events: Ir Dw\nfl=a.c\nfn=main\n1 10 3\n";
    let new = "events: Ir Dr Dw\nevent: Sum = Ir + Dr\nfl=a.c\nfn=main\n1 12 5 3\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (200, 24));
    for (event, change) in [
        ("Ir", Some(2)),
        ("Dr", None),
        ("Dw", Some(0)),
        ("Sum", None),
    ] {
        let (numbers, _) = walk.table().remove(0);
        assert!(
            numbers.contains_key(&format!("{event} self")),
            "{event}: {numbers:?}"
        );
        assert_eq!(numbers.get("change").copied(), change, "{event}");
        assert_eq!(walk.command().is_some(), change.is_some(), "{event}");
        walk.press(&["e"]);
    }
    // What `diff` warns of stands among the warnings.
    assert!(walk.screen((100, 24)).join("\n").contains("? keys"));
    let warnings = walk.press(&["9"]).table();
    assert!(
        warnings
            .iter()
            .any(|(_, text)| text.contains("only the new run has Dr")),
        "{warnings:?}"
    );
    let fresh = Walk::new(&data, SHAPES, (100, 24))
        .screen((100, 24))
        .join("\n");
    assert!(fresh.contains("not fully comparable: key 9"), "{fresh}");
}

/// The last line prints what the screen shows: the event where it did not change and another did,
/// what was filtered, the one of two functions with a name.
#[test]
fn commands_of_a_comparison_print_the_screen() {
    let (old, new) = (
        "events: Ir Dr\nfl=a.c\nfn=work\n3 50 7\nfn=walk\n4 20 1\nfl=b.c\nfn=work\n5 60 7\n",
        "events: Ir Dr\nfl=a.c\nfn=work\n3 50 9\nfn=walk\n4 20 4\nfl=b.c\nfn=work\n5 60 8\n",
    );
    let stage = Stage::empty();
    stage.write("old", old).write("new", new);
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (200, 24));
    let unchanged = printed(&stage, &walk.command().unwrap());
    assert!(
        unchanged.contains("3 functions did not change in Ir"),
        "{unchanged}"
    );
    walk.press(&["e", "/"]).types("walk").press(&["Enter"]);
    let filtered = printed(&stage, &walk.command().unwrap());
    assert!(
        filtered.contains("\nwalk  a.c\n") && !filtered.contains("work"),
        "{filtered}"
    );
    walk.press(&["1", "g"]);
    for _ in 0..3 {
        let change = walk.table()[walk.model.spot.left.row].0["change"];
        walk.press(&["v"]);
        let source = printed(&stage, &walk.command().unwrap());
        let functions = source
            .lines()
            .filter(|line| line.contains("work") || line.contains("walk"))
            .count();
        assert!(
            source.contains(&format!("+{change}")) && functions < 4,
            "{change}: {source}"
        );
        walk.press(&["[", "j"]);
    }
    // From a pipe, no command reads the older run again.
    let piped = super::whole(super::profile(SHAPES), super::Again::default());
    let again = piped.beside(super::profile(SHAPES), Vec::new());
    assert_eq!(Walk::new(&again, SHAPES, (200, 24)).command(), None);
}

/// What changed is what `diff` says, function by function; and its last line is that comparison.
#[test]
fn changes_are_those_of_diff() {
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let stage = Stage::of("diff/server");
    let files = ["server.old.out", "server.new.out"];
    let report = stage.report(&["diff", "--format=json", files[0], files[1]]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut changes: BTreeMap<String, BTreeSet<i128>> = BTreeMap::new();
    let mut gone = 0;
    for function in report["functions"].as_array().unwrap() {
        match function["new"]["name"].as_str() {
            Some(name) => {
                let change = function["self"]["change"][0].as_i64().unwrap();
                changes
                    .entry(name.to_owned())
                    .or_default()
                    .insert(change.into());
            }
            None => gone += usize::from(function["self"]["old"][0] != 0),
        }
    }
    let data = compared(old, new);
    let mut walk = Walk::new(&data, new, (200, 4000));
    let (mut seen, mut found) = (walk.model.visible(), 0);
    let sizes: Vec<u128> = seen
        .iter()
        .filter_map(|row| Some(row.numbers.first()?.unsigned_abs()))
        .collect();
    assert!(
        sizes.is_sorted_by(|a, b| a >= b),
        "the largest change is first"
    );
    for row in seen.drain(..) {
        let name = name(&data, row.function.unwrap());
        if let Some(known) = changes.get(&name) {
            assert!(
                known.contains(&row.numbers[0]),
                "{name}: {} of {known:?}",
                row.numbers[0]
            );
            found += usize::from(row.numbers[0] != 0);
        }
    }
    assert!(found > 0, "nothing changed");
    // As it began, from wherever one comes; with the costs alone, by these.
    let began = walk.screen((200, 60));
    walk.press(&["2", "1"]);
    assert_eq!(walk.screen((200, 60)), began);
    walk.press(&["d", "2", "1"]);
    assert!(walk.screen((200, 60))[1].contains("Ir self↓"));
    walk.press(&["d", "2", "1"]);
    let line = walk.screen((400, 60)).pop().unwrap();
    let command = line
        .strip_prefix("$ cgannotate ")
        .unwrap_or_else(|| panic!("{line}"));
    let script = format!("exec \"$0\" {command}");
    let out = stage
        .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
        .output()
        .unwrap();
    assert!(
        out.status.success() && command.starts_with("diff "),
        "{command}: {out:?}"
    );
    walk.press(&["Enter", "["]).press(&["d"]);
    assert!(!walk.screen((200, 60))[1].contains("change"));
    walk.press(&["0"]);
    assert!(walk.model.rows() >= gone, "{} of {gone}", walk.model.rows());
}

/// `App\fib` cost 98,613 and costs 60,457 units of 10 ns.
#[test]
fn changes_of_times_are_times() {
    let (old, new) = ("xdebug/app-x320.xdebug", "xdebug/app-x353.xdebug");
    let data = compared(old, new);
    let screen = Walk::new(&data, new, (100, 30)).screen((100, 30));
    let row = screen.iter().find(|row| row.contains("App\\fib")).unwrap();
    assert!(row.contains("-381.6 µs  -38.7 % 604.6 µs"), "{row}");
}

/// Lines of source have what changed at them, as `diff` says; the cursor begins at the largest
/// change.
#[test]
fn changes_of_lines_are_those_of_diff() {
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let stage = Stage::of("diff/server");
    let asked = [
        "diff",
        "--format=json",
        "--by=line",
        "--threshold=100",
        "server.old.out",
        "server.new.out",
    ];
    let report: Value = serde_json::from_str(&stage.report(&asked)).unwrap();
    let mut changes: BTreeMap<(&str, u64), BTreeSet<i128>> = BTreeMap::new();
    for line in report["lines"].as_array().unwrap() {
        let Some(number) = line["new_line"].as_u64() else {
            continue;
        };
        let change = line["self"]["change"][0].as_i64().unwrap();
        changes
            .entry((line["function"].as_str().unwrap(), number))
            .or_default()
            .insert(change.into());
    }
    let data = compared(old, new);
    let mut walk = Walk::new(&data, new, (200, 2000));
    let (mut found, mut gone) = (0, 0);
    for row in 0..walk.model.rows() {
        let Some(id) = walk.model.visible()[row].function else {
            panic!("row {row}")
        };
        let name = name(&data, id);
        walk.press(&["v"]);
        let cursor = walk.model.spot.left.row;
        walk.press(&["g"]);
        let rows = walk.model.visible();
        let largest = rows
            .iter()
            .filter(|row| row.line.is_some())
            .filter_map(|row| row.numbers.first());
        let largest = largest
            .map(|change| change.abs())
            .max()
            .filter(|&change| change > 0);
        if let Some(largest) = largest {
            assert_eq!(rows[cursor].numbers[0].abs(), largest, "{name}");
        }
        for row in rows {
            let (Some(line), Some(&change)) = (row.line, row.numbers.first()) else {
                continue;
            };
            match changes.get(&(&name[..], line)) {
                Some(known) => {
                    assert!(
                        known.contains(&change),
                        "{name}:{line}: {change} of {known:?}"
                    );
                    found += 1;
                }
                // A line that only the older run has, or one that did not change.
                None => {
                    assert!(change <= 0, "{name}:{line}: {change}");
                    gone += usize::from(change < 0);
                }
            }
        }
        walk.press(&["[", "j"]);
    }
    assert!(
        found > 10 && gone > 0,
        "{found} changed lines, {gone} of the older run"
    );
    walk.press(&["g", "v"]);
    let line = walk.screen((400, 60)).pop().unwrap();
    assert!(line.starts_with("$ cgannotate diff --auto=yes"), "{line}");
    let whole = stage.report(&[
        "diff",
        "--auto=yes",
        "--threshold=100",
        "server.old.out",
        "--",
        "server.new.out",
    ]);
    // It is about the function of the screen.
    let typed =
        line.trim_start_matches("$ ")
            .replacen("cgannotate", env!("CARGO_BIN_EXE_cgannotate"), 1);
    let out = stage.any("sh", &["-c", &typed]).output().unwrap();
    let report = String::from_utf8(out.stdout).unwrap();
    assert!(
        out.status.success() && report.len() < whole.len(),
        "{line}: {report}"
    );
    let hottest = walk
        .screen((200, 60))
        .into_iter()
        .find(|line| line.starts_with('>'))
        .unwrap();
    assert!(
        hottest.contains("2,800") && report.contains("\n+2,800  2,240 → 5,040 "),
        "{hottest}: {report}"
    );
    walk.press(&["d"]);
    assert!(!walk.screen((200, 60))[1].contains("change"), "only costs");
}

/// A file that a function has no code of any more stands in its source, with what went away.
#[test]
fn files_whose_cost_went_away_are_shown() {
    let old = "events: Ir\nfl=a.c\nfn=f\n3 100\nfi=b.h\n4 700\nfi=c.h\n5 1\nfl=b.h\nfn=g\n9 1\n";
    let new = "events: Ir\nfl=a.c\nfn=f\n3 100\nfl=b.h\nfn=g\n9 1\nfl=c.h\nfn=h\n9 1\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["v", "g"]);
    let rows: Vec<_> = walk
        .model
        .visible()
        .into_iter()
        .filter_map(|row| Some((row.line?, row.numbers)))
        .collect();
    assert!(
        rows.iter()
            .any(|(line, numbers)| *line == 4 && numbers[0] == -700),
        "{rows:?}"
    );
    let screen = walk.screen((100, 24)).join("\n");
    assert!(
        screen.contains("-- b.h") && !screen.contains("-- c.h"),
        "{screen}"
    );
}

/// `main` no longer calls `g` and `h`, of which `h` is gone; `g` no longer calls itself, which cost
/// nothing beside its calls.
#[test]
fn calls_that_went_away_are_shown() {
    let old = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 100\ncfn=g\ncalls=1 3\n1 200\ncfn=h\ncalls=1 4\n\
               1 300\nfn=f\n2 100\nfn=g\n3 200\ncfn=g\ncalls=5 3\n3 150\nfn=h\n4 300\n";
    let new = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 90\nfn=f\n2 80\ncfn=g\ncalls=1 3\n2 10\nfn=g\n3 10\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let mut around = |function: &str| {
        let row = walk
            .model
            .visible()
            .iter()
            .position(|row| name(&data, row.function.unwrap()) == function)
            .unwrap();
        walk.press(&["g"]).press(&vec!["j"; row]).press(&["Enter"]);
        let rows = walk.screen((100, 24));
        walk.press(&["["]);
        rows.into_iter()
            .skip(2)
            .map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let main = around("main");
    let at = |what: &str| {
        main.iter()
            .position(|row| row.contains(what))
            .unwrap_or_else(|| panic!("{what}: {main:?}"))
    };
    let (f, h, g) = (
        at("> f"),
        at("-300 -100.0 % > h in the old run only; a.c"),
        at("-200 -100.0 % > g in the old run only"),
    );
    assert!(f < h && h < g, "the most expensive is nearest: {main:?}");
    let g = around("g");
    assert!(
        g.iter()
            .any(|row| row.contains("-200 -100.0 % < main in the old run only; a.c")),
        "{g:?}"
    );
    for within in [
        "< g within recursion, in the old run only",
        "> g within recursion, in the old run only",
    ] {
        assert!(
            g.iter()
                .any(|row| row.starts_with(within) || row.starts_with(&format!("· {within}"))),
            "{g:?}"
        );
    }
    // Shares of what is gone are of the run that it is from: 300 of 610.
    let gone = walk.press(&["0"]).screen((100, 24)).join("\n");
    assert!(
        gone.contains("300 49.18%") && !gone.contains("300 272.73%"),
        "{gone}"
    );
    walk.press(&["["]);
    // With the costs alone, only calls of the newer run.
    walk.press(&["g", "Enter", "d"]);
    assert!(!walk.screen((100, 24)).join("\n").contains("old run only"));
    // Of calls that nobody recorded none is gone.
    let cachegrind = "desc: I1 cache: x\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=f\n2 80\nsummary: 90\n";
    let data = runs(old, cachegrind);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for function in 0..2 {
        walk.press(&["g"])
            .press(&vec!["j"; function])
            .press(&["Enter"]);
        assert!(
            !walk.screen((100, 24)).join("\n").contains("old run only"),
            "{:?}",
            walk.screen((100, 24))
        );
        walk.press(&["["]);
    }
}

/// What no function has is compared, too: a run that was cut off is missing more of it.
#[test]
fn what_no_function_has_is_compared() {
    let old = "events: Ir\nfl=a.c\nfn=main\n1 100\nfn=f\n2 100\ntotals: 210\n";
    let new = "events: Ir\nfl=a.c\nfn=main\n1 100\ntotals: 220\n";
    for (old, new, change, now) in [(old, new, 110, 120), (new, old, -110, 10)] {
        let data = runs(old, new);
        let mut walk = Walk::new(&data, SHAPES, (100, 24));
        let screen = walk.screen((100, 24)).join("\n");
        assert!(
            screen.contains("1 warning, and the runs are not fully comparable: key 9"),
            "{screen}"
        );
        let (numbers, name) = walk.table().pop().unwrap();
        assert_eq!(
            (&name[..], numbers["change"]),
            ("(not attributed to any function)", change)
        );
        assert_eq!(numbers["Ir self"], now);
    }
}

/// The functions of an object, of a file, of a class and those that are marked have what `diff`
/// says of them in the last line.
#[test]
fn the_command_of_some_functions_compares_them() {
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let (data, stage) = (compared(old, new), Stage::of("diff/server"));
    let mut walk = Walk::new(&data, new, (200, 60));
    let mut seen = 0;
    for keys in [&["2"][..], &["3"], &["4"], &["1", "m", "j", "m", "'"]] {
        walk.press(keys);
        let rows = if keys.len() > 1 { 1 } else { walk.model.rows() };
        for row in 0..rows {
            if keys.len() == 1 {
                let name = walk.press(keys).table()[row].1.clone();
                if name.starts_with('(') {
                    continue;
                }
                walk.press(&["g"]).press(&vec!["j"; row]).press(&["Enter"]);
            }
            if walk.model.rows() == 0 {
                continue;
            }
            let command = walk.command().unwrap();
            let filters = ["--object=", "--file=", "--function="]
                .iter()
                .any(|option| command.contains(option));
            assert!(command.starts_with("diff ") && filters, "{command}");
            let report: Value = serde_json::from_str(&printed(
                &stage,
                &command.replacen("diff", "diff --format=json", 1),
            ))
            .expect("a report");
            let changed = report["functions"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|function| function["new"].is_object());
            let mut changes: Vec<i128> = changed
                .map(|function| function["self"]["change"][0].as_i64().unwrap().into())
                .collect();
            changes.retain(|&change| change != 0);
            changes.sort_unstable();
            assert_eq!(changes_of_list(&mut walk), changes, "{command}");
            seen += changes.len();
            let alone = walk.press(&["d"]).command().unwrap();
            assert!(alone.starts_with("--auto=no "), "{alone}");
            walk.press(&["d"]);
        }
    }
    assert!(seen > 10, "{seen}");
}
