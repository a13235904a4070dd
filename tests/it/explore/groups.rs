//! Objects, files and classes of two runs: what changed of them is the sum of what `diff` says of
//! their functions.

use super::compared::printed;
use super::{Walk, compared, runs};
use crate::common::{Stage, fixture};
use serde_json::Value;
use std::collections::BTreeMap;

const SHAPES: &str = "shapes/shapes.plain.out";

/// The changes of a list by name; those that are none are left out.
fn changes(walk: &mut Walk<'_>) -> BTreeMap<String, i128> {
    let rows = walk.csv();
    let changes = rows
        .iter()
        .map(|row| (row["name"].clone(), row["change"].parse().unwrap_or(0)));
    changes.filter(|&(_, change)| change != 0).collect()
}

fn number(value: &Value) -> i128 {
    value.as_i64().unwrap_or_else(|| panic!("{value}")).into()
}

#[test]
fn changes_of_objects_files_and_classes_add_up() {
    let mut seen = 0;
    for (old, new) in [
        ("diff/server/server.old.out", "diff/server/server.new.out"),
        ("diff/mail/mail.home.out", "diff/mail/mail.ci.out"),
        ("interpreter/perl.out", "interpreter/dash.out"),
        ("callers/inventory.mangled.toggle.out", "cxx/inventory.out"),
        ("shapes/shapes.callers2.out", "shapes/shapes.plain.out"),
    ] {
        let asked = [
            "diff",
            "--format=json",
            "--threshold=100",
            &fixture(old),
            &fixture(new),
        ];
        let report: Value = serde_json::from_str(&Stage::empty().report(&asked)).unwrap();
        let functions = report["functions"].as_array().unwrap();
        let object = |side: &Value| side["object"].as_str().map(str::to_owned);
        // What only the older run has is of the object that the functions of its object are of now.
        let both = functions
            .iter()
            .filter(|function| function["old"].is_object() && function["new"].is_object());
        let now: BTreeMap<_, _> = both
            .map(|both| (object(&both["old"]), object(&both["new"])))
            .collect();
        let mut wanted: BTreeMap<String, i128> = BTreeMap::new();
        for function in functions {
            let older = object(&function["old"]);
            let newer = if function["new"].is_object() {
                object(&function["new"])
            } else {
                now.get(&older).cloned().unwrap_or(older)
            };
            let name = newer
                .filter(|name| !name.is_empty())
                .unwrap_or_else(|| "???".to_owned());
            *wanted.entry(name).or_default() += number(&function["self"]["change"][0]);
        }
        wanted.retain(|_, change| *change != 0);
        let data = compared(old, new);
        let mut walk = Walk::new(&data, new, (100, 24));
        assert_eq!(changes(walk.press(&["2"])), wanted, "{old} {new}");
        let total = number(&report["total"]["change"][0]) - number(&report["outside"]["change"][0]);
        for key in ["3", "4"] {
            let changes = changes(walk.press(&[key]));
            assert_eq!(
                changes.values().sum::<i128>(),
                total,
                "{old} {new} by {key}: {changes:?}"
            );
            seen += changes.len();
        }
    }
    assert!(seen > 20, "{seen}");
}

/// What changed most is first; an object that is gone is listed and leads to what is gone, one that
/// was moved is one.
#[test]
fn objects_that_only_one_run_has_are_listed() {
    let old = "events: Ir Dr\nob=/home/app\nfl=a.c\nfn=main\n1 100 1\nfi=inl.h\n3 7 0\nob=/lib/libold.so.1\nfl=o.c\nfn=o::f()\n1 500 1\n";
    let new = "events: Ir\nob=/ci/app\nfl=a.c\nfn=main\n1 130\nfi=inl.h\n3 5\nob=/lib/other.so\nfl=n.c\nfn=n::f()\n1 20\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let rows = |walk: &mut Walk<'_>| {
        let cell = |row: &BTreeMap<String, String>, title: &str| {
            row.get(title).cloned().unwrap_or_default()
        };
        let rows = walk.csv();
        let row = |row| {
            ["name", "change", "Ir self", "place"]
                .map(|title| cell(row, title))
                .join("|")
        };
        rows.iter().map(row).collect::<Vec<_>>()
    };
    let objects = rows(walk.press(&["2"]));
    assert_eq!(
        objects,
        [
            "/lib/libold.so.1|-500||in the old run only",
            "/ci/app|28|135|",
            "/lib/other.so|20|20|"
        ]
    );
    assert!(
        walk.screen((100, 24))[1].contains("change↓"),
        "{:#?}",
        walk.screen((100, 24))
    );
    assert_eq!(walk.press(&["Enter"]).model.kind().name(), "gone");
    walk.press(&["[", "j", "Enter"]);
    assert_eq!(
        walk.model.rows(),
        1,
        "the functions of the object, under its name of now"
    );
    let files = rows(walk.press(&["3"]));
    assert_eq!(
        files,
        [
            "o.c|-500||in the old run only",
            "a.c|30|130|",
            "n.c|20|20|",
            "inl.h|-2|5|"
        ]
    );
    let classes = rows(walk.press(&["4"]));
    assert_eq!(
        classes,
        [
            "o|-500||in the old run only",
            "(no class)|28|135|",
            "n|20|20|"
        ]
    );
    // By cost, by name, and by what changed again.
    assert_eq!(rows(walk.press(&["2", "s"]))[0], "/ci/app|28|135|");
    assert_eq!(
        rows(walk.press(&["s"]))[1],
        "/lib/libold.so.1|-500||in the old run only"
    );
    assert_eq!(rows(walk.press(&["s"])), objects);
    let filtered = rows(walk.press(&["/"]).types("old").press(&["Enter"]));
    assert_eq!(filtered, objects[..1]);
    // Costs alone are those of the newer run.
    walk.press(&["d", "2", "1", "2"]);
    assert_eq!(rows(&mut walk), ["/ci/app||135|", "/lib/other.so||20|"]);
    walk.press(&["d"]);
    assert_eq!(rows(&mut walk).len(), 3);
}

/// The command of the last line prints the same changes: what moved from one object to another
/// counts for the one that each run has it in.
#[test]
fn the_command_prints_the_same_changes() {
    let old = "events: Ir\nob=app\nfl=a.c\nfn=A::main\n1 100\nfi=inl.h\n3 7\nob=libold.so\nfl=o.c\nfn=o::f\n1 500\n\
               ob=app\nfl=m.c\nfn=m::g\n9 70\n";
    let new = "events: Ir\nob=app\nfl=a.c\nfn=A::main\n1 130\nfi=inl.h\n3 5\nob=other.so\nfl=n.c\nfn=n::f\n1 20\n\
               fl=m.c\nfn=m::g\n9 80\n";
    let data = runs(old, new);
    let stage = Stage::empty();
    stage.write("old", old).write("new", new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for (key, count) in [("2", 3), ("3", 5), ("4", 4)] {
        let listed = changes(walk.press(&[key]));
        let command = walk
            .command()
            .unwrap()
            .replacen("diff", "diff --format=json", 1);
        let report: Value = serde_json::from_str(&printed(&stage, &command)).unwrap();
        let name = |row: &Value| {
            row["new"]
                .as_str()
                .or(row["old"].as_str())
                .unwrap()
                .to_owned()
        };
        let row = |row: &Value| (name(row), number(&row["self"]["change"][0]));
        let rows: BTreeMap<String, i128> = report["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect();
        assert_eq!((rows.len(), rows), (count, listed), "{command}");
    }
}

/// What is gone of an object, a file or a class is listed, and nothing else; what was inlined into
/// functions that are still there leads nowhere. The last line prints the same functions.
#[test]
fn what_is_gone_leads_to_its_own_functions() {
    let main = "events: Ir\nob=prog\nfl=a.c\nfn=main\n1 5\n";
    let gone = "fi=old.h\n3 40\nfe=a.c\nfn=A::a\n4 20\nob=libgone.so\nfl=g.c\nfn=gg\n1 10\nfn=C::c\n2 30\n";
    let old = format!("{main}{gone}");
    let data = runs(&old, main);
    let stage = Stage::empty();
    stage.write("old", &old).write("new", main);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for (key, name, functions) in [
        ("2", "libgone.so", &["C::c", "gg"][..]),
        ("3", "g.c", &["C::c", "gg"]),
        ("3", "old.h", &[]),
        ("4", "C", &["C::c"]),
        ("4", "A", &["A::a"]),
    ] {
        let row = walk
            .press(&[key])
            .csv()
            .iter()
            .position(|row| row["name"] == name)
            .unwrap();
        let depth = walk.press(&["g"]).press(&vec!["j"; row]).model.back.len();
        walk.press(&["Enter"]);
        if functions.is_empty() {
            let screen = walk.screen((100, 24)).join("\n");
            assert!(
                walk.model.back.len() == depth && screen.contains("nothing to open"),
                "{name}: {screen}"
            );
            continue;
        }
        assert_eq!(
            walk.csv()
                .iter()
                .map(|row| &row["name"][..])
                .collect::<Vec<_>>(),
            functions,
            "{key} {name}"
        );
        let heading = walk.screen((100, 24)).remove(0);
        assert!(
            heading.starts_with("gone functions of ") && heading.contains(name),
            "{heading}"
        );
        let command = walk
            .command()
            .unwrap()
            .replacen("diff", "diff --format=json", 1);
        let report: Value = serde_json::from_str(&printed(&stage, &command)).unwrap();
        let found = report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|function| &function["old"]["name"]);
        assert_eq!(found.collect::<Vec<_>>(), functions, "{command}");
    }
    assert_eq!(walk.press(&["0"]).model.rows(), 3, "all of them");
}

/// Two files, objects or classes of the newer run that differ only in what changes from build to
/// build are compared as one: what changed of both stands beside the dearer, and nothing is counted
/// twice. Where both runs have the very same two, each is compared with itself.
#[test]
fn names_that_differ_in_hashes_are_compared_as_one() {
    let function = |(hash, name, cost): &(&str, &str, u64)| {
        let place = format!("ob=/t/deps/app-{hash}\nfl=/src/index.crates.io-{hash}/a.rs\n");
        format!("{place}fn=krate[{hash}]::T::{name}\n1 {cost}\n")
    };
    let run = |functions: &[(&str, &str, u64)]| {
        format!(
            "events: Ir\n{}",
            functions.iter().map(function).collect::<String>()
        )
    };
    let [one, two, three] = ["6f17d22bba15001f", "1949cf8c6b5b557f", "aaaa0123456789aa"];
    let note = "2 compared as one";
    let (apart, together) = (
        [(one, "f", 100), (two, "g", 50)],
        [(one, "f", 100), (one, "g", 50)],
    );
    let gone = "in the old run only";
    // As `diff --by` compares them: paths that both runs have are themselves, and classes are one.
    for (old, new, paths, classes) in [
        // One of the paths is in both runs.
        (
            &together[..],
            &apart[..],
            &[["100", "-50", ""], ["50", "50", ""]][..],
            &[["100", "0", note], ["50", "", note]][..],
        ),
        (
            &apart,
            &together,
            &[["150", "50", ""], ["", "-50", gone]],
            &[["150", "0", ""]],
        ),
        // Two instances of what was one.
        (
            &[(one, "f", 100)],
            &[(two, "f", 60), (three, "f", 47)],
            &[["60", "7", note], ["47", "", note]],
            &[["60", "7", note], ["47", "", note]],
        ),
        // The very same two.
        (
            &apart,
            &[(one, "f", 100), (two, "g", 57)],
            &[["57", "7", ""], ["100", "0", ""]],
            &[["100", "7", note], ["57", "", note]],
        ),
    ] {
        let data = runs(&run(old), &run(new));
        let mut walk = Walk::new(&data, SHAPES, (100, 24));
        for (key, wanted) in [("2", paths), ("3", paths), ("4", classes)] {
            let rows = walk.press(&[key]).csv();
            let cell = |row: &BTreeMap<String, String>, title: &str| {
                row.get(title).cloned().unwrap_or_default()
            };
            let got: Vec<_> = rows
                .iter()
                .map(|row| ["Ir self", "change", "place"].map(|title| cell(row, title)))
                .collect();
            assert_eq!(got, wanted, "{key}: {rows:?}");
        }
    }
}

/// Of an event that the older run does not count nothing is said to have changed.
#[test]
fn events_of_one_run_have_no_changes_of_objects() {
    let old = "events: Ir\nob=/app\nfl=a.c\nfn=main\n1 100\n";
    let new = "events: Ir Dr\nob=/app\nfl=a.c\nfn=main\n1 130 7\nob=/lib\nfn=f\n1 1 90\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    assert_eq!(changes(walk.press(&["2"])).len(), 2);
    let rows = walk.press(&["e"]).csv();
    assert_eq!(
        rows.iter()
            .map(|row| &row["Dr self"][..])
            .collect::<Vec<_>>(),
        ["90", "7"]
    );
    assert!(rows.iter().all(|row| row["change"].is_empty()), "{rows:?}");
}
