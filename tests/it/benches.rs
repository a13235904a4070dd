//! Folders of benches, as gungraun and iai write them, in `check` and `diff`. `trend` has its own
//! tests.

use crate::common::{Stage, assert_same, gzip};
use serde_json::Value;

/// Folders of benches, as gungraun and iai write them.
fn benches() -> Stage {
    let stage = Stage::empty();
    let run = |cost: u64| format!("events: Ir\nfn=main\n1 {cost}\n");
    for (file, cost) in [
        ("b/group/long/callgrind.long.out", 120),
        ("b/group/long/callgrind.long.out.old", 100),
        ("b/group/long/callgrind.long.out.base@main", 119),
        ("b/group/new/callgrind.new.out", 50),
        ("plain/one.out", 30),
        ("iai/cachegrind.out.fib", 30),
        ("iai/cachegrind.out.fib.old", 30),
        ("iai/cachegrind.out.sum", 41),
        ("iai/cachegrind.out.sum.old", 40),
    ] {
        stage.add(file, run(cost));
    }
    stage
}

/// In a folder of benches, each is held against its older run, in one report.
#[test]
fn benches_are_checked_together() {
    let stage = benches();
    let check = |args: &[&str]| {
        let out = stage.run(&[&["check", "--limit=total.Ir <= +5%"], args].concat());
        let text = String::from_utf8(out.stdout).unwrap();
        (out.status.code(), text)
    };
    let (status, text) = check(&["b"]);
    assert_eq!(status, Some(3));
    assert_same(
        "text",
        "EXCEEDED group/long: total.Ir <= +5%
         100 -> 120 (+20.0 %), at most 105
           main  100 -> 120 (+20.0 %)
UNKNOWN  group/new: total.Ir <= +5%
         50
         the limit is relative, but there is no baseline
2 limits: 1 exceeded, 1 not compared
",
        &text,
    );
    let (status, text) = check(&[
        "b/group/long",
        "--baseline=main",
        "--limit=self.Ir(main) <= 100",
    ]);
    assert_eq!(status, Some(3));
    let judged = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with(' '));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(
        judged(&text),
        [
            "kept     long: total.Ir <= +5%",
            "EXCEEDED long: self.Ir(main) <= 100",
            "2 limits: 1 kept, 1 exceeded"
        ]
    );
    let (status, text) = check(&["iai"]);
    assert_eq!(status, Some(0));
    assert_eq!(
        judged(&text),
        [
            "kept     cachegrind.out.fib: total.Ir <= +5%",
            "kept     cachegrind.out.sum: total.Ir <= +5%",
            "2 limits: 2 kept"
        ]
    );
    // What may be missing is a run to compare a new bench with, but not all of them.
    let (status, text) = check(&["b/group", "--allow-missing", "--limit=total.Ir <= 120"]);
    assert_eq!(status, Some(3));
    assert_eq!(
        judged(&text),
        [
            "EXCEEDED long: total.Ir <= +5%",
            "kept     long: total.Ir <= 120",
            "kept     new: total.Ir <= 120",
            "3 limits: 2 kept, 1 exceeded"
        ]
    );
    let (status, _) = check(&["b/group/new", "--allow-missing"]);
    assert_eq!(status, Some(4));
    let (_, xml) = check(&["b", "--report=junit"]);
    let xml = roxmltree::Document::parse(&xml).unwrap();
    let cases = xml
        .descendants()
        .filter(|node| node.has_tag_name("testcase"));
    let names: Vec<_> = cases.map(|case| case.attribute("name").unwrap()).collect();
    assert_eq!(
        names,
        ["group/long: total.Ir <= +5%", "group/new: total.Ir <= +5%"]
    );
    let noise = "--limit=total.Ir <= noise";
    for options in [
        &["--save-baseline=s"][..],
        &[noise, "--history=iai", "--again=iai"],
    ] {
        let out = stage.run(&[&["check", "b", "--limit=total.Ir <= +5%"], options].concat());
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains("not for a folder of benches"), "{said}");
        assert_eq!(out.status.code(), Some(2), "{options:?}");
    }
}

/// What it costs to start a bench of iai is subtracted on both sides, or on none.
#[test]
fn calibrations_of_iai_are_subtracted() {
    let stage = Stage::empty();
    let run = |number: &str, costs: [u64; 2]| {
        let [main, start] = costs;
        let total = main + start;
        format!(
            "desc: I1 cache: 1\ncmd: x --iai-run {number}\nevents: Ir\nfl=a.rs\nfn=start\n1 {start}\nfn=main\n2 {main}\nsummary: {total}\n"
        )
    };
    for (file, number, costs) in [
        ("iai/cachegrind.out.fib", "0", [107, 1000]),
        ("iai/cachegrind.out.fib.old", "0", [100, 1003]),
        ("iai/cachegrind.out.new", "1", [50, 1000]),
        ("iai/cachegrind.out.iai_calibration", "-1", [0, 1000]),
        ("iai/cachegrind.out.iai_calibration.old", "-1", [0, 1003]),
    ] {
        stage.add(file, run(number, costs));
    }
    let check = || {
        let out = stage.run(&[
            "check",
            "iai",
            "--limit=total.Ir <= +6%",
            "--limit=total.Ir <= 107",
        ]);
        let text = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
        (out.status.code(), text)
    };
    let (status, text) = check();
    assert_eq!(status, Some(3), "{text}");
    for said in [
        "EXCEEDED cachegrind.out.fib: total.Ir <= +6%\n         100 -> 107 (+7.0 %), at most 106",
        "kept     cachegrind.out.fib: total.Ir <= 107",
        "kept     cachegrind.out.new: total.Ir <= 107",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    assert!(!text.contains("calibration"), "{text}");
    let diff = stage.json(&["diff", "iai"]);
    assert_eq!(diff["total"]["old"][0], 100, "{diff}");
    assert_eq!(diff["total"]["new"][0], 107, "{diff}");
    std::fs::remove_file(stage.dir.join("iai/cachegrind.out.iai_calibration.old")).unwrap();
    let (_, text) = check();
    assert!(
        text.contains("EXCEEDED cachegrind.out.fib: total.Ir <= 107\n         1,107"),
        "{text}"
    );
}

/// `diff` compares each bench of a folder with its older run, one after the other.
#[test]
fn benches_are_compared_one_by_one() {
    let stage = benches();
    let told = |args: &[&str]| {
        let out = stage.run(args);
        assert!(out.status.success(), "{args:?}: {out:?}");
        [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let [out, said] = told(&["diff", "iai"]);
    assert_eq!(said, "");
    let fib = out.find("cachegrind.out.fib\n").unwrap();
    let sum = out.find("\ncachegrind.out.sum\n").unwrap();
    assert!(fib < sum && out[sum..].contains("40 → 41"), "{out}");
    let [out, said] = told(&["diff", "b"]);
    assert_eq!(
        said,
        "cgannotate: group/new: there is no run to compare it with\n"
    );
    assert!(out.contains("100 → 120"), "{out}");
    let out = stage.run(&["check", "b", "--baseline=mian", "--limit=total.Ir <= +5%"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        said,
        "cgannotate: b: no bench has a run that was saved as `mian`\n"
    );
    // A bench whose last run is missing passes no check.
    stage.add("gone/callgrind.out.f.old", "events: Ir\nfn=main\n1 7\n");
    stage.add(
        "gone/callgrind.out.f.base@main",
        "events: Ir\nfn=main\n1 7\n",
    );
    let out = stage.run(&["check", "gone", "--limit=total.Ir <= 9"]);
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    // Saved runs have names.
    let [out, _] = told(&["diff", "main", "b"]);
    assert!(out.contains("119 → 120"), "{out}");
    let [json, _] = told(&["diff", "iai", "--format=json"]);
    let all: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 2);
    for args in [
        &["diff", "iai", "--format=csv"][..],
        &["diff", "iai", "--flamegraph", "-o", "x"],
        &["diff", "plain"],
    ] {
        assert_eq!(stage.run(args).status.code(), Some(2), "{args:?}");
    }
}

/// A bench is called like its files, or like its folder if they repeat that name.
#[test]
fn benches_have_names_of_their_own() {
    let stage = Stage::empty();
    for bench in ["bin", "main"] {
        let file = format!("n/cachegrind.out.{bench}");
        stage.add(&file, "events: Ir\nfn=main\n1 7\n");
        stage.add(&format!("{file}.old"), "events: Ir\nfn=main\n1 7\n");
    }
    stage.add(
        "odd/a\n::b/callgrind.a\n::b.out",
        "events: Ir\nfn=main\n1 7\n",
    );
    let old = gzip(b"events: Ir\nfn=main\n1 5\n");
    stage.add("packed/cachegrind.out.f", "events: Ir\nfn=main\n1 7\n");
    stage.add("packed/cachegrind.out.f.base@v1.gz", old);
    let check = |args: &[&str]| {
        let out = stage.run(&[&["check"], args].concat());
        String::from_utf8(out.stdout).unwrap()
    };
    let limit = "--limit=total.Ir <= +5%";
    let text = check(&["n", limit]);
    for bench in ["cachegrind.out.bin: ", "cachegrind.out.main: "] {
        assert!(text.contains(bench), "{text}");
    }
    let text = check(&["odd", "--limit=total.Ir <= 9"]);
    assert!(text.starts_with("kept     a\\x0a::b: total"), "{text}");
    let text = check(&["packed", limit, "--baseline=v1"]);
    assert!(text.contains("5 -> 7"), "{text}");
}

/// Each bench has the history of its own name and folder, or none.
#[test]
fn each_bench_has_its_own_history() {
    let stage = Stage::empty();
    let run = |cost: u64| format!("events: Ir\nfn=main\n1 {cost}\n");
    for (group, cost) in [("few", 100), ("many", 1000)] {
        let bench = format!("{group}/f/callgrind.f.out");
        stage.add(&format!("b/{bench}"), run(cost));
        for at in 1..=12 {
            stage.add(&format!("past/{bench}.old{at}"), run(cost));
        }
    }
    stage.add("b/new/g/callgrind.g.out", run(50));
    stage.add("runs/1", run(10)).write("runs/2", run(10));
    let judged = |past: &str| {
        let out = stage.run(&["check", "b", "--limit=total.Ir <= noise", "--history", past]);
        let text = String::from_utf8(out.stdout).unwrap();
        let lines = text.lines().filter(|line| line.contains(": total"));
        let words = lines.filter_map(|line| line.split_whitespace().next());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(judged("past"), ["kept", "kept", "skipped"]);
    assert_eq!(judged("runs"), ["skipped"; 3]);
}
