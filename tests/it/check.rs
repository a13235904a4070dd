//! `check`: limits, their verdicts and exit statuses, and the reports as other programs read them.
//!
//! The two runs below are small enough to add up by hand; so were the values in the tables.

use crate::common::amount::some;
use crate::common::fixture;
use crate::common::{Stage, assert_same, profiles};
use serde_json::{Value, json};

/// Ir and Dr: main 100 10, parse_json 2500 250, v1::decode 1000 100, v2::decode 500 50, malloc of
/// libc 900 90, operator new 60 6, malloc of the program 40 4; all 5100 510.
const NEW: &str = "\
version: 1\ncreator: by hand\ncmd: ./app\nevent: Sum = Ir + 2 Dr\nevents: Ir Dr\n\n\
ob=/bin/app\nfl=src/main.c\nfn=main\n10 100 10\n\
cfi=src/json.c\ncfn=parse_json\ncalls=3 7\n11 3000 300\n\
cfi=src/http.rs\ncfn=http::v1::decode\ncalls=5 88\n12 1000 100\n\
cfi=src/http.rs\ncfn=http::v2::decode\ncalls=1 120\n13 500 50\n\
cob=/lib/libc.so.6\ncfi=???\ncfn=malloc\ncalls=20 0\n14 400 40\n\
cfi=src/mem.cpp\ncfn=operator new(unsigned long)\ncalls=2 5\n15 100 10\n\
fl=src/json.c\nfn=parse_json\n7 2500 250\ncob=/lib/libc.so.6\ncfi=???\ncfn=malloc\ncalls=30 0\n8 500 50\n\
fl=src/http.rs\nfn=http::v1::decode\n90 600 60\n88 400 40\nfn=http::v2::decode\n120 500 50\n\
fl=src/mem.cpp\nfn=operator new(unsigned long)\n5 60 6\ncfn=malloc\ncalls=2 9\n6 40 4\nfn=malloc\n9 40 4\n\
ob=/lib/libc.so.6\nfl=???\nfn=malloc\n0 900 90\n\ntotals: 5100 510\n";

/// The same with parse_json 2400 250, v1::decode 800 80 in 4 calls, and no v2::decode; all 4300
/// 440.
fn old() -> String {
    let changes = [
        ("calls=3 7\n11 3000 300", "calls=3 7\n11 2900 300"),
        ("7 2500 250", "7 2400 250"),
        ("calls=5 88\n12 1000 100", "calls=4 88\n12 800 80"),
        ("90 600 60\n", "90 400 40\n"),
        (
            "cfi=src/http.rs\ncfn=http::v2::decode\ncalls=1 120\n13 500 50\n",
            "",
        ),
        ("fn=http::v2::decode\n120 500 50\n", ""),
        ("totals: 5100 510", "totals: 4300 440"),
    ];
    changes.iter().fold(NEW.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

fn stage() -> Stage {
    let stage = Stage::empty();
    stage.write("new.out", NEW).write("old.out", old());
    stage
}

fn status(stage: &Stage, args: &[&str]) -> i32 {
    stage.run(args).status.code().unwrap()
}

/// Runs with a JSON report; gives the status and the document.
fn check(stage: &Stage, args: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = ["check", "new.out", "--report", "json"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let out = stage.run(&args);
    let json = serde_json::from_slice(&out.stdout);
    (
        out.status.code().unwrap(),
        json.unwrap_or_else(|e| panic!("{args:?}: {e}: {out:?}")),
    )
}

const NONE: Option<i64> = None;

#[test]
fn limits_are_kept_or_exceeded() {
    let stage = stage();
    // The limit; whether it is kept; the value, the baseline's, and the most there may be.
    let table = [
        ("incl.Ir(parse_json) <= 12M", true, 3000, NONE, 12_000_000),
        ("incl.Ir(parse_json)<=3000", true, 3000, NONE, 3000),
        ("incl.Ir(parse_json) <= 2999", false, 3000, NONE, 2999),
        ("incl.Ir(parse_json) <= +3%", false, 3000, Some(2900), 2987),
        ("incl.Ir(parse_json) <= +3.5%", true, 3000, Some(2900), 3001),
        ("incl.Ir(parse_json) <= +100", true, 3000, Some(2900), 3000),
        ("incl.Ir(parse_json) <= +99", false, 3000, Some(2900), 2999),
        ("self.Ir(parse_json) <= 2.5k", true, 2500, NONE, 2500),
        ("self.Ir(parse_json) <= 2.499k", false, 2500, NONE, 2499),
        ("self.Dr( parse_json ) <= +0%", true, 250, Some(250), 250),
        ("self.Dr(parse_json) <= -1", false, 250, Some(250), 249),
        ("self.Dr(parse_json) <= -0.1%", false, 250, Some(250), 249),
        // 800 -> 1500: above 816 but not above 50,800; above 816 and above 1,400.
        (
            "self.Ir(/^http::.*decode/) <= +2% & +50k",
            true,
            1500,
            Some(800),
            50_800,
        ),
        (
            "self.Ir(/^http::.*decode/) <= +2% & +600",
            false,
            1500,
            Some(800),
            1400,
        ),
        (
            "self.Ir(/^http::.*decode/) <= 1k & +600 & +100%",
            true,
            1500,
            Some(800),
            1600,
        ),
        ("self.Ir(/DECODE/i) <= 1499", false, 1500, NONE, 1499),
        (
            "self.Ir(/^(http|ftp)::v[0-9]/) <= 1500",
            true,
            1500,
            NONE,
            1500,
        ),
        ("sum(self.Ir(/decode/)) <= 1500", true, 1500, NONE, 1500),
        ("max(self.Ir(/decode/)) <= 1000", true, 1000, NONE, 1000),
        (
            "max(self.Ir(/decode/)) <= +10%",
            false,
            1000,
            Some(800),
            880,
        ),
        (
            "max(self.Ir(main), self.Ir(parse_json)) <= 2499",
            false,
            2500,
            NONE,
            2499,
        ),
        (
            "sum(self.Ir(main), self.Ir(parse_json), calls(malloc)) <= 2652",
            true,
            2652,
            NONE,
            2652,
        ),
        ("sum(total.Ir, total.Dr) <= 5610", true, 5610, NONE, 5610),
        ("total.Ir <= +1%", false, 5100, Some(4300), 4343),
        ("total.Ir <= +18.6%", false, 5100, Some(4300), 5099),
        ("total.Ir <= +18.61%", true, 5100, Some(4300), 5100),
        ("total.Dr <= 0.51k", true, 510, NONE, 510),
        ("total.Sum <= 6120", true, 6120, NONE, 6120),
        ("incl.Sum(main) <= 6.119k", false, 6120, NONE, 6119),
        ("total.CEst <= 5100", true, 5100, NONE, 5100),
        ("total.\"Dr\" <= 1G", true, 510, NONE, 1_000_000_000),
        ("calls(malloc) <= 10k", true, 52, NONE, 10_000),
        ("calls(malloc) <= 51", false, 52, NONE, 51),
        ("calls(http::v1::decode) <= +0%", false, 5, Some(4), 4),
        ("calls(malloc object:libc.so.6) <= 50", true, 50, NONE, 50),
        ("calls(malloc object:/bin/app) <= 1", false, 2, NONE, 1),
        ("self.Ir(malloc file:src/mem.cpp) <= 40", true, 40, NONE, 40),
        ("self.Ir(file:mem.cpp) <= 100", true, 100, NONE, 100),
        (
            "self.Ir(file:/\\.(c|cpp)$/) <= 2699",
            false,
            2700,
            NONE,
            2699,
        ),
        ("self.Ir(object:/libc/) <= 900", true, 900, NONE, 900),
        (
            "self.Ir(object:app name:/./ file:http.rs) <= 1500",
            true,
            1500,
            NONE,
            1500,
        ),
        (
            "self.Ir(operator new(unsigned long)) <= 59",
            false,
            60,
            NONE,
            59,
        ),
        (
            "self.Ir(\"operator new(unsigned long)\") <= 60",
            true,
            60,
            NONE,
            60,
        ),
        (
            "  total.Ir  <=  1T  ",
            true,
            5100,
            NONE,
            1_000_000_000_000i64,
        ),
    ];
    assert!(table.len() >= 40);
    for (limit, kept, value, baseline, most) in table {
        let (status, report) = check(&stage, &["--baseline", "old.out", "--limit", limit]);
        let row = &report["limits"][0];
        let verdict = if kept { "kept" } else { "exceeded" };
        assert_eq!(
            (status, &row["verdict"]),
            (if kept { 0 } else { 3 }, &json!(verdict)),
            "{limit}: {row}"
        );
        let figures = [&row["value"], &row["baseline"], &row["at_most"]];
        assert_eq!(
            figures,
            [&json!(value), &json!(baseline), &json!(most)],
            "{limit}"
        );
        assert_eq!(report["status"], verdict, "{limit}");
    }
}

#[test]
fn what_cannot_be_compared_is_status_4() {
    let stage = stage();
    let table = [
        (
            "incl.Ir(nothing) <= 5",
            "no function of the profile matches nothing",
        ),
        (
            "calls(/^mall$/) <= 5",
            "no function of the profile matches /^mall$/; did you mean malloc?",
        ),
        (
            "calls(malloc file:main.c) <= 5",
            "no function of the profile matches malloc file:main.c",
        ),
        // A path matches from a component on, a name as a whole.
        (
            "self.Ir(file:ain.c) <= 5",
            "no function of the profile matches file:ain.c",
        ),
        (
            "self.Ir(decode) <= 5",
            "no function of the profile matches decode; did you mean http::v1::decode, http::v2::decode?",
        ),
        (
            "max(self.Ir(main), self.Ir(gone)) <= 5",
            "no function of the profile matches gone",
        ),
        (
            "self.Ir(http::v2::decode) <= +5%",
            "no function of the baseline matches http::v2::decode",
        ),
        ("total.Bc <= 5", "the profile has no event Bc"),
        (
            "self.ir(main) <= 5",
            "the profile has no event ir; did you mean Ir?",
        ),
        (
            "total.sum <= 5",
            "the profile has no event sum; did you mean Sum?",
        ),
    ];
    for (limit, reason) in table {
        let (status, report) = check(&stage, &["--baseline", "old.out", "--limit", limit]);
        let row = &report["limits"][0];
        assert_eq!(
            (status, &row["verdict"], &row["reason"]),
            (4, &json!("unknown"), &json!(reason)),
            "{limit}"
        );
        assert_eq!(report["status"], "unknown");
    }
    let (status, report) = check(&stage, &["--limit", "total.Ir <= +5%"]);
    let reason = &report["limits"][0]["reason"];
    assert_eq!(
        (status, reason.as_str().unwrap()),
        (4, "the limit is relative, but there is no baseline")
    );
    // An exceeded limit is the stronger news.
    let both = ["--limit", "total.Bc <= 5", "--limit", "total.Ir <= 5"];
    assert_eq!(check(&stage, &both).0, 3);
    // An event that only the baseline lacks.
    stage.write("less.out", "events: Ir\nfl=f\nfn=main\n1 5\n");
    let (status, report) = check(
        &stage,
        &["--baseline", "less.out", "--limit", "total.Dr <= +5%"],
    );
    assert_eq!(
        (status, report["limits"][0]["reason"].as_str().unwrap()),
        (4, "the baseline has no event Dr")
    );
}

/// A name of C++ has its arguments, which nobody types: the hint is a limit that works. Cachegrind
/// records no calls. Neither the profile nor a baseline of it says what a function cost with those
/// it called.
#[test]
fn what_nobody_recorded_is_status_4() {
    let stage = Stage::empty();
    stage.write(
        "new.out",
        "cmd: ./a\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=f\n2 90\nsummary: 100\n",
    );
    let reason = |whose| {
        format!(
            "{whose} has no calls, or not of all inputs, so call counts and inclusive costs are not known"
        )
    };
    for limit in ["incl.Ir(main) <= 10", "calls(f) <= 0"] {
        let (status, report) = check(&stage, &["--limit", limit]);
        assert_eq!(
            (status, &report["limits"][0]["reason"]),
            (4, &json!(reason("the profile"))),
            "{limit}"
        );
    }
    let save = ["--save-baseline", "base", "--limit", "self.Ir(f) <= 90"];
    assert_eq!(check(&stage, &save).0, 0);
    assert_eq!(
        check(
            &stage,
            &["--baseline", "base", "--limit", "self.Ir(f) <= +0"]
        )
        .0,
        0
    );
    let saved: Value = serde_json::from_str(&stage.report(&["--format=json", "base"])).unwrap();
    assert!(
        saved["functions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|f| f["inclusive"].is_null() && f["called"].is_null())
    );
    stage.write(
        "new.out",
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 90\nfn=f\n2 90\n",
    );
    let (status, report) = check(
        &stage,
        &["--baseline", "base", "--limit", "incl.Ir(f) <= +0"],
    );
    assert_eq!(
        (status, &report["limits"][0]["reason"]),
        (4, &json!(reason("the baseline")))
    );
}

/// What one input says of calls, and another does not, would be that of a part; whichever is named
/// first.
#[test]
fn calls_of_some_inputs_only_are_unknown() {
    let stage = Stage::empty();
    stage.write(
        "calls",
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 90\nfn=f\n2 90\n",
    );
    stage.write(
        "none",
        "cmd: ./a\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=f\n2 90\nsummary: 100\n",
    );
    assert_eq!(
        status(&stage, &["check", "calls", "--save-baseline", "base"]),
        0
    );
    let of = |files: [&str; 2]| {
        let limits = [
            "--limit",
            "incl.Ir(main) <= 200",
            "--limit",
            "calls(f) <= 2",
        ];
        status(&stage, &[&["check"], &files[..], &limits].concat())
    };
    for same in ["calls", "base"] {
        assert_eq!(of([same, same]), 0, "{same}");
    }
    for files in [
        ["calls", "base"],
        ["base", "calls"],
        ["calls", "none"],
        ["none", "calls"],
        ["base", "none"],
    ] {
        assert_eq!(of(files), 4, "{files:?}");
    }
    let out = stage.run(&[
        "diff",
        "--inclusive=yes",
        "calls",
        "calls",
        "--",
        "calls",
        "base",
    ]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("a part of the profile has no calls, so inclusive costs are not known"),
        "{said}"
    );
    let report = String::from_utf8(out.stdout).unwrap();
    assert!(
        report.ends_with("2 functions did not change.\n"),
        "{report}"
    );
}

/// A function that several metrics are about is blamed for what the limit counts of it.
#[test]
fn a_function_of_two_metrics_is_blamed_once() {
    let stage = Stage::empty();
    let run = |read: u32| {
        format!("events: D1mr D1mw\nfl=a.c\nfn=decode\n1 {read} 500\nfn=other\n5 10 10\n")
    };
    stage.write("old", run(900)).write("new", run(1000));
    for (limit, want) in [
        (
            "sum(self.D1mr(decode), self.D1mw(decode)) <= +0",
            "decode (a.c:1)  1,400 -> 1,500 (+7.1 %)",
        ),
        (
            "sum(self.D1mw(decode), self.D1mr(decode)) <= +0",
            "decode (a.c:1)  1,400 -> 1,500 (+7.1 %)",
        ),
        (
            "max(self.D1mr(decode), self.D1mw(decode)) <= +0",
            "decode (a.c:1)  900 -> 1,000 (+11.1 %)",
        ),
        (
            "sum(total.D1mr, total.D1mw) <= +0",
            "decode (a.c:1)  1,400 -> 1,500 (+7.1 %)",
        ),
    ] {
        let out = stage.run(&["check", "new", "--baseline", "old", "--limit", limit]);
        let said = String::from_utf8(out.stdout).unwrap();
        let places: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("           "))
            .map(str::trim)
            .collect();
        assert_eq!(
            (out.status.code(), &places[..]),
            (Some(3), &[want][..]),
            "{said}"
        );
    }
}

/// A sum of profiles without calls says that it is one: limits on calls are as unknown as of its
/// inputs.
#[test]
fn calls_of_a_sum_are_as_unknown_as_of_its_inputs() {
    let stage = Stage::of("cachegrind");
    let with_calls = "events: Ir\nfl=a.c\nfn=main\n1 5\ncfn=f\ncalls=1 1\n2 7\nfn=f\n3 7\n";
    stage.write("calls", with_calls);
    stage.report(&[
        "merge",
        "matrix.cg-branch.out",
        "matrix.cg-branch.out",
        "-o",
        "merged",
    ]);
    stage.report(&["merge", "merged", "calls", "-o", "both"]);
    stage.report(&["convert", "--to=callgrind", "both", "-o", "again"]);
    let limits = [
        "--limit",
        "incl.Ir(main) <= 900T",
        "--limit",
        "calls(main) <= 5",
    ];
    for file in ["merged", "both", "again"] {
        let out = stage.run(&[&["check", file], &limits[..]].concat());
        assert_eq!(out.status.code(), Some(4), "{file}: {out:?}");
        let text = std::fs::read_to_string(stage.dir.join(file)).unwrap();
        assert_eq!(
            text.matches("desc: Calls: not recorded of all inputs\n")
                .count(),
            1,
            "{text}"
        );
    }
    let out = stage.run(&[&["check", "calls"], &limits[..]].concat());
    assert_eq!(out.status.code(), Some(0), "{out:?}");
}

#[test]
fn a_name_without_its_arguments_is_hinted_at() {
    let stage = stage();
    stage.write(
        "new.out",
        "events: Ir\nfl=a.cc\nfn=walk(int)\n1 5\nfn=ns::walk(int)\n2 7\nfn=sidewalk\n3 9\n",
    );
    let reason = |limit: &str| {
        let (status, report) = check(&stage, &["--limit", limit]);
        assert_eq!(status, 4, "{limit}: {report}");
        report["limits"][0]["reason"].as_str().unwrap().to_owned()
    };
    let said = reason("self.Ir(walk) <= 1M");
    assert_eq!(
        said,
        "no function of the profile matches walk; did you mean /^walk\\(/?"
    );
    let (status, report) = check(&stage, &["--limit", "self.Ir(/^walk\\(/) <= 1M"]);
    assert_eq!((status, &report["limits"][0]["value"]), (0, &json!(5)));
    assert_eq!(
        reason("calls(wakl) <= 1"),
        "no function of the profile matches wakl; did you mean ns::walk(int)?"
    );
    // Of another file there is none to be meant.
    assert_eq!(
        reason("self.Ir(walk file:b.cc) <= 1"),
        "no function of the profile matches walk file:b.cc"
    );
    let text = String::from_utf8(
        stage
            .run(&["check", "new.out", "--limit", "self.Ir(ns::walk) <= 1"])
            .stdout,
    )
    .unwrap();
    assert!(
        text.contains(" matches ns::walk; did you mean /^ns::walk\\(/?\n"),
        "{text}"
    );
}

#[test]
fn a_malformed_limit_shows_the_place() {
    let stage = stage();
    // The limit, and from where on it is wrong.
    let table = [
        ("", ""),
        ("12", "12"),
        ("total", ""),
        ("total <= 5", " <= 5"),
        ("totals.Ir <= 5", "totals.Ir <= 5"),
        ("total. <= 5", " <= 5"),
        ("speed(parse) <= 1.2", "speed(parse) <= 1.2"),
        ("self(main) <= 5", "(main) <= 5"),
        ("self.Ir <= 5", "<= 5"),
        ("self.Ir() <= 5", ") <= 5"),
        ("self.Ir(main <= 5", "(main <= 5"),
        ("self.Ir(file:) <= 5", ") <= 5"),
        ("self.Ir(/a(/) <= 5", "/a(/) <= 5"),
        ("self.Ir(\"main) <= 5", "\"main) <= 5"),
        ("self.Ir(\"main\" main) <= 5", "main) <= 5"),
        ("self.Ir(main)", ""),
        ("self.Ir(main) < 5", "< 5"),
        ("self.Ir(main) >= 5", ">= 5"),
        ("self.Ir(main) <=", ""),
        ("self.Ir(main) <= many", "many"),
        ("self.Ir(main) <= 5%", "5%"),
        ("self.Ir(main) <= 5x", "x"),
        ("self.Ir(main) <= 5 k", "k"),
        ("self.Ir(main) <= 1,000", ",000"),
        ("self.Ir(main) <= +3% +5k", "+5k"),
        ("self.Ir(main) <= +3% &", ""),
        (
            "self.Ir(main) <= 1234567890123456789",
            "1234567890123456789",
        ),
        ("sum(self.Ir(main) <= 5", "<= 5"),
        ("sum() <= 5", ") <= 5"),
        ("max(sum(total.Ir)) <= 5", "sum(total.Ir)) <= 5"),
        ("incl.Ir(größe <= 5", "(größe <= 5"),
    ];
    for (limit, wrong) in table {
        let out = stage.run(&["check", "new.out", "--limit", limit]);
        let err = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), out.stdout.len()),
            (Some(2), 0),
            "{limit}: {err}"
        );
        let lines: Vec<&str> = err.lines().collect();
        assert!(
            lines.len() == 3 && lines[0].starts_with("cgannotate: --limit: "),
            "{err}"
        );
        assert_eq!(lines[1].strip_prefix("  "), Some(limit), "{err}");
        let at = limit.strip_suffix(wrong).unwrap().chars().count();
        assert_eq!(lines[2], format!("  {:at$}^", ""), "{err}");
    }
}

/// By hand: `a` and `b` call each other, so that the 90 of the call of `a` are the 30 of `a` and
/// the 60 of `b`.
#[test]
fn a_limit_on_a_member_of_a_cycle_is_said_to_leave_calls_out() {
    let stage = Stage::empty();
    let text = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=a\ncalls=1 1\n2 90\n\
        fn=a\n10 30\ncfn=b\ncalls=3 1\n11 80\nfn=b\n20 60\ncfn=a\ncalls=2 1\n21 50\n";
    stage.write("new.out", text);
    let limits = [
        "incl.Ir(a) <= 30",
        "self.Ir(b) <= 60",
        "incl.Ir(/^[ab]$/) <= 90",
        "incl.Ir(main) <= 100",
    ];
    let (status, json) = check(&stage, &limits.map(|limit| ["--limit", limit]).concat());
    assert_eq!(status, 0, "{json}");
    let about_cycles = "inclusive costs do not include calls within a cycle";
    let remarks: Vec<&str> = json["remarks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let of_cycles: Vec<&str> = remarks
        .into_iter()
        .filter(|remark| remark.contains("cycle"))
        .collect();
    assert_eq!(
        of_cycles,
        [
            format!("`incl.Ir(a) <= 30`: a function is in a cycle; {about_cycles}"),
            format!("`incl.Ir(/^[ab]$/) <= 90`: 2 functions are in cycles; {about_cycles}"),
        ]
    );
}

/// `fib'2` is another function, called 41 times: `calls(fib) <= 10` is kept by that alone.
#[test]
fn levels_that_a_limit_does_not_take_are_told() {
    let stage = Stage::empty();
    let text = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=fib\ncalls=1 5\n2 90\n\
        fn=fib\n5 10\ncfn=fib'2\ncalls=1 5\n6 80\nfn=fib'2\n5 80\ncfn=fib'2\ncalls=40 5\n6 70\n\
        fl=b.c\nfn=fib'3\n7 1\n";
    stage.write("new.out", text);
    let remarks = |args: &[&str]| {
        let (status, json) = check(&stage, args);
        let remarks = json["remarks"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str);
        (
            status,
            remarks
                .filter(|remark| remark.contains("level"))
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    };
    let not_in_it =
        "fib'2 is another recursion level of fib and not part of it; --fold-recursion joins them";
    for limit in [
        "calls(fib) <= 10",
        "self.Ir(fib file:a.c) <= 10",
        "sum(self.Ir(main), self.Ir(fib)) <= 20",
    ] {
        assert_eq!(
            remarks(&["--limit", limit]),
            (0, vec![format!("`{limit}`: {not_in_it}")])
        );
        assert_eq!(
            remarks(&["--fold-recursion", "--limit", limit]),
            (3, Vec::new())
        );
    }
    // All levels are in an inclusive cost, in what a pattern was made for, and in what names them.
    for limit in [
        "incl.Ir(fib) <= 90",
        "calls(/fib$/) <= 10",
        "sum(calls(fib), calls(fib'2)) <= 42",
        "calls(fib'2) <= 41",
    ] {
        assert_eq!(remarks(&["--limit", limit]), (0, Vec::new()));
    }
}

/// fib costs 40 itself, and fib'2 costs 60. A baseline that was saved with both says of the two
/// together that they cost 100 themselves, as the profile does, and 100 as own code; it does not
/// say who called whom, so that what they cost inclusively and how often they were called is known
/// of none of its functions.
#[test]
fn levels_of_a_baseline_are_folded_as_those_of_a_profile() {
    let stage = Stage::empty();
    let text = "version: 1\ncreator: callgrind\nevents: Ir\nob=/bin/app\nfl=a.c\nfn=main\n1 10\ncfn=fib\ncalls=1 2\n1 100\n\
        fn=fib\n2 40\ncfn=fib'2\ncalls=1 2\n2 60\nfn=fib'2\n2 60\ncfn=fib'2\ncalls=3 2\n2 30\ntotals: 110\n";
    stage.write("new.out", text);
    let verdicts = |saved_with: &[&str], limits: &[&str]| {
        let own = ["--own-code=app", "--limit", "total.Ir <= 110"];
        check(
            &stage,
            &[&["--save-baseline=base"], saved_with, &own].concat(),
        );
        let limits = limits.iter().flat_map(|limit| ["--limit", limit]);
        let args: Vec<&str> = ["--fold-recursion", "--baseline=base", "--own-code=app"]
            .into_iter()
            .chain(limits)
            .collect();
        let (_, json) = check(&stage, &args);
        let limits = json["limits"].as_array().unwrap().iter();
        limits
            .map(|l| {
                (
                    l["verdict"].as_str().unwrap().to_owned(),
                    l["baseline"].as_i64(),
                )
            })
            .collect::<Vec<_>>()
    };
    let kept = |baseline| ("kept".to_owned(), Some(baseline));
    let alike = [
        "self.Ir(fib) <= +0",
        "own.Ir(fib) <= +0",
        "self.Ir(/^fib/) <= +0",
        "total.Ir <= +0",
    ];
    let calls = [
        "incl.Ir(fib) <= +0",
        "incl.Ir(main) <= +0",
        "calls(fib) <= +0",
    ];
    for saved_with in [&[][..], &["--fold-recursion"]] {
        assert_eq!(
            verdicts(saved_with, &alike),
            [kept(100), kept(100), kept(100), kept(110)]
        );
    }
    assert_eq!(
        verdicts(&["--fold-recursion"], &calls),
        [kept(100), kept(110), kept(5)]
    );
    assert_eq!(
        verdicts(&[], &calls),
        ["unknown", "unknown", "unknown"].map(|verdict| (verdict.to_owned(), None))
    );
}

#[test]
fn missing_functions_can_be_allowed() {
    let stage = stage();
    let limits = [
        "--limit",
        "calls(gone) <= 5",
        "--limit",
        "self.Ir(http::v2::decode) <= +5%",
        "--limit",
        "total.Ir <= 1M",
    ];
    let args: Vec<&str> = ["--allow-missing", "--baseline", "old.out"]
        .iter()
        .chain(&limits)
        .copied()
        .collect();
    let (status, report) = check(&stage, &args);
    let verdicts: Vec<&str> = (0..3)
        .map(|n| report["limits"][n]["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(
        (status, &verdicts[..]),
        (0, &["skipped", "skipped", "kept"][..])
    );
    // Nothing else is.
    assert_eq!(
        check(&stage, &["--allow-missing", "--limit", "total.Bc <= 5"]).0,
        4
    );
    assert_eq!(
        check(&stage, &["--allow-missing", "--limit", "total.Ir <= +5%"]).0,
        4
    );
}

#[test]
fn limits_come_from_a_file_and_the_command_line() {
    let stage = stage();
    stage.write(
        "cgannotate.toml",
        "# budgets\n[[limit]]\nname = \"parsing\"\nexpression = \"incl.Ir(parse_json) <= 2k\"\nlevel = \"warn\"\n\
         [[limit]]\nexpression = 'total.Ir <= 1M'\n",
    );
    let (status, report) = check(&stage, &[]);
    assert_eq!((status, report["limits"].as_array().unwrap().len()), (0, 2));
    assert_eq!(report["limits"][0]["name"], "parsing");
    assert_eq!(report["limits"][0]["level"], "warn");
    assert_eq!(report["limits"][0]["verdict"], "exceeded");
    assert_eq!(report["limits"][1]["name"], "total.Ir <= 1M");
    // The command line adds.
    let (status, report) = check(&stage, &["--limit", "total.Ir <= 5"]);
    assert_eq!((status, report["limits"].as_array().unwrap().len()), (3, 3));
    // What cannot be compared is a fault of the limit, whatever its level.
    stage.write(
        "other.toml",
        "[[limit]]\nexpression = 'calls(gone) <= 1'\nlevel = 'warn'\n",
    );
    let (status, report) = check(&stage, &["--config", "other.toml"]);
    assert_eq!((status, report["limits"].as_array().unwrap().len()), (4, 1));
    // Files that are wrong.
    for (text, what) in [
        ("[[limit]]\nname = 'x'\n", "missing field `expression`"),
        (
            "[[limits]]\nexpression = 'total.Ir <= 1'\n",
            "unknown field `limits`",
        ),
        (
            "[[limit]]\nexpression = 'total.Ir <= 1'\nlevel = 'info'\n",
            "unknown variant `info`",
        ),
        ("[[limit]\n", "bad.toml:1: "),
        (
            "\n[limits]\n",
            "bad.toml:2: unknown field `limits`, expected `own-code` or `limit`\n",
        ),
        (
            "[[limit]]\nexpression = 'total <= 1'\n",
            "\n  total <= 1\n       ^",
        ),
    ] {
        stage.write("bad.toml", text);
        let out = stage.run(&["check", "new.out", "--config", "bad.toml"]);
        let err = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(2), "{err}");
        assert!(
            err.contains(what) && err.starts_with("cgannotate: bad.toml:"),
            "{err}"
        );
    }
    assert_eq!(status_of_missing_config(&stage), 1);
}

fn status_of_missing_config(stage: &Stage) -> i32 {
    status(stage, &["check", "new.out", "--config", "none.toml"])
}

#[test]
fn a_wrong_input_never_passes() {
    let stage = stage();
    let limit = ["--limit", "total.Ir <= 1T"];
    let run = |file: &str, more: &[&str]| {
        let args: Vec<&str> = ["check", file]
            .iter()
            .chain(&limit)
            .chain(more)
            .copied()
            .collect();
        status(&stage, &args)
    };
    assert_eq!(run("new.out", &[]), 0);
    // No limits, no input, no profile.
    assert_eq!(status(&stage, &["check", "new.out"]), 2);
    assert_eq!(status(&stage, &["check"]), 2);
    assert_eq!(run("gone.out", &[]), 1);
    stage.write("empty.out", "").write("text.out", "hello\n");
    assert_eq!([run("empty.out", &[]), run("text.out", &[])], [1, 1]);
    // Damaged ones: no costs, sums that do not add up, garbage, a call without its cost, the end
    // missing.
    let damaged = [
        ("zero", "events: Ir\nfl=f\nfn=g\n1 0\n".to_owned()),
        ("sums", NEW.replace("totals: 5100", "totals: 5101")),
        ("garbage", NEW.replace("10 100 10", "10 100 10\n?? what")),
        ("number", NEW.replace("10 100 10", "10 1OO 10")),
        ("call", NEW.replace("11 3000 300\n", "")),
        (
            "cut",
            NEW.replace("creator: by hand", "creator: callgrind-3.19.0")
                .replace("totals: 5100 510\n", ""),
        ),
    ];
    for (name, text) in damaged {
        stage.write(name, text);
        assert_eq!(run(name, &[]), 4, "{name}");
        assert_eq!(
            run(name, &["--allow-truncated", "--allow-missing"]),
            4,
            "{name}"
        );
        assert_eq!(
            run("new.out", &["--baseline", name]),
            4,
            "{name} as baseline"
        );
        assert_eq!(
            run(name, &["--save-baseline", "kept"]),
            4,
            "{name} is not kept"
        );
        assert!(!stage.dir.join("kept").exists(), "{name}");
    }
}

#[test]
fn recorded_profiles_can_be_trusted() {
    let stage = Stage::empty();
    for name in some(profiles()) {
        // A dump without any cost, and a difference that is all zero.
        let nothing = ["parts/phases.after.out", "cachegrind/matrix.less.out"].contains(&&name[..]);
        let out = stage.run(&["check", &fixture(&name), "--limit", "calls(/./) <= 1T"]);
        let text = String::from_utf8_lossy(&out.stdout);
        // Cachegrind records no calls.
        let has_calls = std::fs::read(fixture(&name))
            .unwrap()
            .windows(7)
            .any(|bytes| bytes == b"\ncalls=");
        let is_unknown = !has_calls && text.contains("the profile has no calls");
        assert!(
            out.status.code() == Some(0) || nothing || is_unknown,
            "{name}: {text}"
        );
    }
}

#[test]
fn a_saved_baseline_stands_for_the_profile() {
    let stage = stage();
    assert_eq!(
        status(&stage, &["check", "old.out", "--save-baseline", "base.txt"]),
        0
    );
    let text = std::fs::read_to_string(stage.dir.join("base.txt")).unwrap();
    // By hand from the profile above.
    let want = "\
# cgannotate baseline 1\ncommand: ./app\nevents: Ir Dr\nevent: Sum = Ir + 2 Dr\ntotals: 4300 440\nparts: 1\nfunctions: 6\n\
# function, file, object, calls, self cost, inclusive cost\n\
http::v1::decode\tsrc/http.rs\t/bin/app\t4\t800 80\t800 80\n\
main\tsrc/main.c\t/bin/app\t0\t100 10\t4300 440\n\
malloc\t???\t/lib/libc.so.6\t50\t900 90\t900 90\n\
malloc\tsrc/mem.cpp\t/bin/app\t2\t40 4\t40 4\n\
operator new(unsigned long)\tsrc/mem.cpp\t/bin/app\t2\t60 6\t100 10\n\
parse_json\tsrc/json.c\t/bin/app\t3\t2400 250\t2900 300\n";
    assert_same("base.txt", want, &text);
    for limit in [
        "total.Ir <= +1%",
        "incl.Sum(main) <= +1%",
        "calls(malloc) <= +0",
        "max(self.CEst(/./)) <= +1k",
    ] {
        let of = |baseline| check(&stage, &["--baseline", baseline, "--limit", limit]);
        assert_eq!(of("old.out"), of("base.txt"), "{limit}");
    }
    // One that was cut, badly merged or is of another time is an error.
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let twice = format!("{text}{}", &text[last..]);
    for (bad, what) in [
        (
            text[..last].to_owned(),
            "should have 6 functions, but has 5",
        ),
        (
            text.trim_end().to_owned(),
            "base.txt:14: the baseline ends in the middle of this line",
        ),
        (twice, "base.txt:15: a second line for parse_json"),
        (
            text.replace("baseline 1", "baseline 3"),
            "base.txt:1: version 3 of baselines is not known (1 and 2 are)",
        ),
        (
            text.replace("events:", "<<<<<<< HEAD\nevents:"),
            "base.txt:3: not a line of a baseline",
        ),
        (
            text.replace("4300 440", "43OO 440"),
            "base.txt:5: `43OO` is not a valid count",
        ),
        (
            text.replace("\t4\t", "\t-4\t"),
            "base.txt:9: the fourth field is not a valid call count",
        ),
    ] {
        stage.write("base.txt", bad);
        let out = stage.run(&[
            "check",
            "new.out",
            "--baseline",
            "base.txt",
            "--limit",
            "total.Ir <= +1%",
        ]);
        let err = String::from_utf8(out.stderr).unwrap();
        assert!(out.status.code() == Some(1) && err.contains(what), "{err}");
    }
}

#[test]
fn every_profile_has_a_baseline_that_says_the_same() {
    let stage = Stage::empty();
    let limits = [
        "--limit",
        "sum(self.Ir(/./), total.Ir) <= +0",
        "--limit",
        "sum(incl.Ir(/./), calls(/./)) <= -0",
    ];
    for name in [
        "callers/inventory.mangled.toggle.out",
        "cachegrind/matrix.sum.out",
        "threads/workers.combined.out",
    ] {
        let file = fixture(name);
        assert_eq!(
            status(&stage, &["check", &file, "--save-baseline", "one"]),
            0,
            "{name}"
        );
        assert_eq!(
            status(&stage, &["check", "one", "--save-baseline", "two"]),
            0,
            "{name}"
        );
        let text = |file| std::fs::read_to_string(stage.dir.join(file)).unwrap();
        assert_same(name, &text("one"), &text("two"));
        // Cachegrind records no calls.
        let limits = if name.starts_with("cachegrind/") {
            &limits[..2]
        } else {
            &limits
        };
        let args: Vec<&str> = ["check", &file, "--baseline", "one"]
            .iter()
            .chain(limits)
            .copied()
            .collect();
        assert_eq!(status(&stage, &args), 0, "{name}");
    }
}

#[test]
fn odd_names_survive_in_a_baseline() {
    let stage = Stage::empty();
    stage.write(
        "odd",
        b"events: Ir\nfl=a\tb\nfn=x\\y\x01 \xff \xc3\xa9\n1 5\n",
    );
    assert_eq!(
        status(&stage, &["check", "odd", "--save-baseline", "base"]),
        0
    );
    let text = std::fs::read_to_string(stage.dir.join("base")).unwrap();
    assert!(
        text.ends_with("\nx\\\\y\\x01 \\xff é\ta\\tb\t\t0\t5\t5\n"),
        "{text}"
    );
    let args = [
        "check",
        "odd",
        "--baseline",
        "base",
        "--limit",
        "self.Ir(/é$/ file:\"a\tb\") <= +0",
    ];
    assert_eq!(status(&stage, &args), 0);
}

const SEVERAL: [&str; 12] = [
    "--baseline",
    "old.out",
    "--limit",
    "total.Ir <= +1%",
    "--limit",
    "self.Ir(/decode|\\*<b>/) <= 1k",
    "--limit",
    "calls(malloc) <= 1M",
    "--limit",
    "calls(a|b) <= 1",
    "--config",
    "warn.toml",
];

fn several() -> Stage {
    let stage = stage();
    stage.write(
        "warn.toml",
        "[[limit]]\nname = 'a \"name\" & <more>'\nexpression = 'total.Dr <= 1'\nlevel = 'warn'\n",
    );
    stage
}

#[test]
fn the_text_report() {
    let stage = several();
    let out = stage.run(&[&["check", "new.out"], &SEVERAL[..]].concat());
    assert_eq!(out.status.code(), Some(3));
    let want = "\
warning  a \"name\" & <more>: total.Dr <= 1
         510, at most 1
           parse_json (src/json.c:7)  250
           http::v1::decode (src/http.rs:90)  100
           malloc  90
           http::v2::decode (src/http.rs:120)  50
           main (src/main.c:10)  10
EXCEEDED total.Ir <= +1%
         4,300 -> 5,100 (+18.6 %), at most 4,343
           http::v2::decode (src/http.rs:120)  0 -> 500
           http::v1::decode (src/http.rs:90)  800 -> 1,000 (+25.0 %)
           parse_json (src/json.c:7)  2,400 -> 2,500 (+4.2 %)
EXCEEDED self.Ir(/decode|\\*<b>/) <= 1k
         1,500, at most 1,000
           http::v1::decode (src/http.rs:90)  1,000
           http::v2::decode (src/http.rs:120)  500
kept     calls(malloc) <= 1M
         52, at most 1,000,000
UNKNOWN  calls(a|b) <= 1
         no function of the profile matches a|b
5 limits: 1 kept, 2 exceeded, 1 warning, 1 not compared
";
    assert_same("text", want, &String::from_utf8(out.stdout).unwrap());
}

#[test]
fn the_junit_report_is_xml_that_says_the_same() {
    let stage = several();
    let files = ["--report", "junit=cg.xml", "--report", "json=cg.json"];
    let out = stage.run(&[&["check", "new.out"], &SEVERAL[..], &files].concat());
    assert_eq!((out.status.code(), out.stdout.len()), (Some(3), 0));
    let text = std::fs::read_to_string(stage.dir.join("cg.xml")).unwrap();
    let xml = roxmltree::Document::parse(&text).unwrap();
    let suite = xml
        .descendants()
        .find(|node| node.has_tag_name("testsuite"))
        .unwrap();
    let counts =
        ["tests", "failures", "errors", "skipped"].map(|key| suite.attribute(key).unwrap());
    assert_eq!(counts, ["5", "2", "1", "0"]);
    let json: Value =
        serde_json::from_slice(&std::fs::read(stage.dir.join("cg.json")).unwrap()).unwrap();
    let cases: Vec<_> = suite
        .children()
        .filter(|node| node.has_tag_name("testcase"))
        .collect();
    assert_eq!(cases.len(), 5);
    for (case, limit) in cases.iter().zip(json["limits"].as_array().unwrap()) {
        assert_eq!(case.attribute("name"), limit["name"].as_str());
        let wanted = match (
            limit["verdict"].as_str().unwrap(),
            limit["level"].as_str().unwrap(),
        ) {
            ("exceeded", "error") => "failure",
            ("unknown", _) => "error",
            _ => "system-out",
        };
        let inner = case.children().find(|node| node.is_element()).unwrap();
        assert_eq!(inner.tag_name().name(), wanted, "{limit}");
        assert!(
            inner
                .text()
                .unwrap()
                .starts_with(limit["expression"].as_str().unwrap()),
            "{limit}"
        );
        let is_warning = limit["verdict"] == "exceeded" && limit["level"] == "warn";
        assert_eq!(
            inner
                .text()
                .unwrap()
                .lines()
                .any(|line| line == "exceeded: a warning"),
            is_warning,
            "{limit}"
        );
    }
}

/// The text of every cell of the first table, row by row.
fn first_table(markdown: &str) -> Vec<Vec<String>> {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => rows.last_mut().unwrap().push(String::new()),
            Event::Text(text) if !rows.is_empty() => {
                rows.last_mut().unwrap().last_mut().unwrap().push_str(&text)
            }
            Event::End(TagEnd::Table) => break,
            Event::Html(html) | Event::InlineHtml(html) => panic!("markup in the table: {html}"),
            _ => {}
        }
    }
    rows
}

#[test]
fn the_markdown_report_is_a_table_that_says_the_same() {
    let stage = several();
    let out = stage.run(&[&["check", "new.out", "--report", "markdown"], &SEVERAL[..]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    let want = [
        ["", "Limit", "Baseline to now", "At most"],
        [
            "exceeded",
            "total.Ir <= +1%",
            "4,300 -> 5,100 (+18.6 %)",
            "4,343",
        ],
        [
            "exceeded",
            "self.Ir(/decode|\\*<b>/) <= 1k",
            "1,500",
            "1,000",
        ],
        [
            "unknown",
            "calls(a|b) <= 1",
            "no function of the profile matches a|b",
            "",
        ],
        ["warning", "a \"name\" & <more>", "510", "1"],
        ["kept", "calls(malloc) <= 1M", "52", "1,000,000"],
    ];
    assert_eq!(first_table(&text), want);
    assert_eq!(text.matches("<details>").count(), 3, "{text}");
}

#[test]
fn the_markdown_report_stays_within_64_kb() {
    let stage = stage();
    let limits = (0..2000).map(|n| {
        format!(
            "[[limit]]\nname = 'limit {n}'\nexpression = 'total.Ir <= {}'\n",
            5090 + n
        )
    });
    stage.write("cgannotate.toml", limits.collect::<String>());
    let out = stage.run(&["check", "new.out", "--report", "markdown"]);
    assert!(
        out.stdout.len() > 20_000 && out.stdout.len() < 64_000,
        "{}",
        out.stdout.len()
    );
    let rows = first_table(std::str::from_utf8(&out.stdout).unwrap());
    // All ten that are exceeded are there; the rest is counted.
    assert_eq!(rows.iter().filter(|row| row[0] == "exceeded").count(), 10);
    assert_eq!(
        rows.last().unwrap()[1],
        format!("{} more", 2000 - (rows.len() - 2))
    );
}

/// So it does where a thousand parts are doubtful: their number is told.
#[test]
fn many_doubts_leave_room_for_the_limits() {
    let stage = stage();
    let parts: String = (0..2000)
        .map(|n| format!("part: {n}\nfn=f\n1 1\n\n"))
        .collect();
    stage.write(
        "parts",
        format!("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir\n{parts}"),
    );
    let out = stage.run(&[
        "check",
        "parts",
        "--report",
        "markdown",
        "--limit",
        "total.Ir <= 1",
    ]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(4), "{text}");
    assert!(
        text.len() < 64_000
            && text
                .lines()
                .any(|line| line.starts_with("* ") && line.ends_with(" more")),
        "{text}"
    );
    assert_eq!(first_table(&text)[1][1], "total.Ir <= 1");
}

#[test]
fn github_annotates_the_line_of_the_function() {
    let stage = several();
    let out = stage.run(&[&["check", "new.out", "--report", "github"], &SEVERAL[..]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    let first = "::error file=src/http.rs,line=120,title=total.Ir <= +1%25::4,300 -> 5,100 (+18.6 %25), at most 4,343%0A\
                 http::v2::decode (src/http.rs:120)  0 -> 500%0A";
    assert!(lines[0].starts_with(first), "{text}");
    assert_eq!(
        lines[2],
        "::error title=calls(a|b) <= 1::no function of the profile matches a|b"
    );
    assert!(
        lines[3].starts_with("::warning file=src/json.c,line=7,title=a \"name\" & <more>::"),
        "{text}"
    );
    // A member function above main, inlined into it: main begins at 17, and its calls of before are
    // at lower lines.
    stage.write(
        "inlined.out",
        "events: Ir\nfl=a.cpp\nfn=f\n3 10\nfn=main\n17 2\n8 900\ncfn=f\ncalls=1 3\n9 10\n18 1\nfn=main\n16 1\n",
    );
    let of_main = [
        "check",
        "inlined.out",
        "--limit",
        "self.Ir(main) <= 1",
        "--report",
        "github",
    ];
    let text = String::from_utf8(stage.run(&of_main).stdout).unwrap();
    assert!(
        text.starts_with(
            "::error file=a.cpp,line=17,title=self.Ir(main) <= 1::904, at most 1%0Amain (a.cpp:17)"
        ),
        "{text}"
    );
    // Ten at most.
    let limits: Vec<String> = (0..20).map(|n| format!("total.Ir <= {n}")).collect();
    let args = limits.iter().flat_map(|limit| ["--limit", limit]);
    let args: Vec<&str> = ["check", "new.out", "--report", "github"]
        .into_iter()
        .chain(args)
        .collect();
    assert_eq!(
        String::from_utf8(stage.run(&args).stdout)
            .unwrap()
            .lines()
            .count(),
        10
    );
}

#[test]
fn several_reports_each_have_their_place() {
    let stage = stage();
    let args = [
        "check",
        "new.out",
        "--limit",
        "total.Ir <= 1",
        "--report",
        "text",
        "--report",
        "github",
    ];
    let text = String::from_utf8(stage.run(&args).stdout).unwrap();
    assert!(
        text.starts_with("EXCEEDED total.Ir <= 1\n") && text.contains("\n::error "),
        "{text}"
    );
    let clash = [
        "check",
        "new.out",
        "--limit",
        "total.Ir <= 1",
        "--report",
        "text",
        "--report",
        "json=-",
    ];
    assert_eq!(status(&stage, &clash), 2);
    assert_eq!(
        status(
            &stage,
            &[
                "check",
                "new.out",
                "--limit",
                "total.Ir <= 1",
                "--report",
                "html"
            ]
        ),
        2
    );
    let to_file = [
        "check",
        "new.out",
        "--limit",
        "total.Ir <= 1",
        "-o",
        "out.txt",
    ];
    let out = stage.run(&to_file);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(3), 0));
    assert!(
        std::fs::read_to_string(stage.dir.join("out.txt"))
            .unwrap()
            .starts_with("EXCEEDED")
    );
    // A report that cannot be written is an error, whatever the verdict.
    let args = [
        "check",
        "new.out",
        "--limit",
        "total.Ir <= 1",
        "--report",
        "json=no/such/folder",
    ];
    assert_eq!(status(&stage, &args), 1);
}

/// Comparing with a saved baseline is what it is for; that it is one is no reason for doubt.
#[test]
fn a_baseline_is_compared_without_doubts() {
    let stage = Stage::of("shapes");
    stage.report(&[
        "check",
        "shapes.plain.out",
        "--config=/dev/null",
        "--save-baseline=saved",
    ]);
    let out = stage.run(&["diff", "saved", "shapes.plain.out"]);
    assert_eq!(
        (out.status.code(), String::from_utf8(out.stderr).unwrap()),
        (Some(0), String::new())
    );
    assert!(
        String::from_utf8(out.stdout)
            .unwrap()
            .contains("272 functions did not change")
    );
}

/// Who calls a function stands in no baseline, and its calls of itself are in the number of all:
/// that is no 0, and no caller makes the difference.
#[test]
fn calls_that_nobody_knows_are_null() {
    let stage = Stage::empty();
    let profile = |cost: u64| {
        format!(
            "events: Ir\nfn=main\n1 10\ncfn=f\ncalls=2 5\n2 {cost}\nfn=f\n5 {cost}\ncfn=f\ncalls=3 5\n5 1\n"
        )
    };
    stage.write("old", profile(100));
    stage.write("new", profile(300));
    for (name, cost) in [("cg", 200), ("cg2", 300)] {
        stage.write(
            name,
            format!(
                "desc: I1 cache: x\ncmd: a\nevents: Ir\nfl=a.c\nfn=f\n5 {cost}\nsummary: {cost}\n"
            ),
        );
    }
    for name in ["old", "new", "cg"] {
        stage.report(&[
            "check",
            name,
            "--config=/dev/null",
            &format!("--save-baseline={name}.base"),
        ]);
    }
    let f = |old: &str, new: &str| -> serde_json::Value {
        let json: serde_json::Value =
            serde_json::from_str(&stage.report(&["diff", old, new, "--format=json"])).unwrap();
        let mut functions = json["functions"].as_array().unwrap().iter();
        functions.find(|f| f["new"]["name"] == "f").unwrap().clone()
    };
    for (old, new, calls) in [
        ("old", "new", "{\"new\":2,\"old\":2}"),
        ("old.base", "new", "{\"new\":2,\"old\":null}"),
        ("old", "new.base", "{\"new\":null,\"old\":2}"),
        ("old.base", "new.base", "{\"new\":5,\"old\":5}"),
        ("cg", "cg2", "{\"new\":null,\"old\":null}"),
        ("cg.base", "cg2", "{\"new\":null,\"old\":null}"),
    ] {
        let f = f(old, new);
        assert_eq!(f["calls"].to_string(), calls, "{old} {new}");
        assert!(
            f["caller"].is_null() && f["split"][0].is_null() == calls.contains("null"),
            "{old} {new}: {f}"
        );
    }
    // A function that a run does not have was not called there.
    stage.write("before", "events: Ir\nfn=main\n1 10\n");
    assert_eq!(
        f("before", "new")["calls"].to_string(),
        "{\"new\":2,\"old\":0}"
    );
}

/// A baseline that was saved of a difference has totals below zero, as the difference has.
#[test]
fn a_baseline_of_a_difference_can_be_compared_with() {
    let stage = Stage::empty();
    let less = fixture("cachegrind/matrix.less.out");
    stage.report(&["check", "--save-baseline=saved", &less]);
    let saved = std::fs::read_to_string(stage.dir.join("saved")).unwrap();
    assert!(saved.contains("\ntotals: -"), "{saved}");
    stage.report(&[
        "check",
        "--baseline",
        "saved",
        "--limit=total.Ir <= +0",
        &less,
    ]);
}

/// Whether it is the same program is for the reader to say: a small one keeps all limits of a large
/// one.
#[test]
fn another_command_than_the_baselines_is_told() {
    let stage = Stage::empty();
    stage
        .write("new", NEW)
        .write("old", old())
        .write("other", old().replace("cmd: ./app", "cmd: ./other"));
    let said = |baseline: &str| {
        let out = stage.run(&[
            "check",
            "new",
            "--baseline",
            baseline,
            "--limit=total.Ir <= +100%",
        ]);
        assert!(out.status.success());
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(!said("old").contains("commands"), "{}", said("old"));
    assert!(
        said("other").contains("the commands differ: `./other` and `./app`"),
        "{}",
        said("other")
    );
}

/// A profile of Callgrind without a call has none: own costs are self costs, and nothing is
/// unknown.
#[test]
fn own_costs_without_calls_are_known() {
    let stage = Stage::empty();
    stage.write(
        "none",
        "version: 1\nevents: Ir\n\nfl=a.c\nfn=main\n1 56\nfn=g\n3 4\n",
    );
    let limits = [
        "--limit=own.Ir(main) <= 56",
        "--limit=incl.Ir(main) <= 56",
        "--limit=calls(main) <= 0",
    ];
    let out = stage.run(&[&["check", "none", "--own-code=^(main|g)$"], &limits[..]].concat());
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && said.contains("3 limits: 3 kept"),
        "{said}"
    );
}

/// Calls are known of a baseline in which no function has a cost, only calls.
#[test]
fn a_baseline_keeps_calls_that_cost_nothing() {
    let stage = Stage::empty();
    stage.write(
        "run",
        "version: 1\nevents: Ir\nsummary: 43\n\nfl=a.c\nfn=main\n1\ncfn=f\ncalls=7 1\n2\n",
    );
    assert!(
        stage
            .run(&["check", "run", "--save-baseline=kept"])
            .status
            .success()
    );
    let text = stage.report(&["check", "run", "--baseline=kept", "--limit=calls(f) <= +0"]);
    assert!(text.contains("7 -> 7 (+0.0 %)"), "{text}");
}

/// `scan_header` has an s more in the new run, where it cost 3,100 after 2,800, as `diff` says;
/// `log_line` is new.
#[test]
fn what_was_renamed_is_blamed_for_what_it_cost_more() {
    let stage = Stage::of("diff");
    let limit = "sum(self.Ir(/scan_head/), self.Ir(/log/)) <= -50%";
    let out = stage.run(&[
        "check",
        "server/server.new.out",
        "--baseline",
        "server/server.old.out",
        "--limit",
        limit,
    ]);
    let text = String::from_utf8(out.stdout).unwrap();
    let functions: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("           "))
        .collect();
    let want = [
        "scan_headers (/srv/new/http.c:27)  2,800 -> 3,100 (+10.7 %)",
        "log_line (/srv/new/http.c:48)  0 -> 3",
    ];
    assert_eq!(functions, want, "{text}");
}

/// A function whose code is a few instructions longer does not explain a growth of a million.
#[test]
fn what_hardly_grew_is_not_blamed() {
    let stage = Stage::empty();
    let run = |work: u32, first: u32, helper: u32| {
        format!(
            "events: Ir\nfl=a.c\nfn=work\n1 {work}\nfn=0x10ab78\n2 {first}\nfn=helper\n3 {helper}\n"
        )
    };
    stage
        .write("old", run(1000, 1, 10_000))
        .write("new", run(1_700_000, 4, 30_000))
        .write("flat", run(1000, 2, 10_000));
    let blamed = |new: &str| {
        let out = stage.run(&["check", new, "--baseline=old", "--limit=total.Ir <= +0"]);
        let text = String::from_utf8(out.stdout).unwrap();
        let functions = text
            .lines()
            .filter_map(|line| line.strip_prefix("           "));
        functions
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(blamed("new"), ["work", "helper"]);
    assert_eq!(blamed("flat"), ["0x10ab78"], "it is all that grew");
}

/// What one function became two of is blamed once, for what both cost more.
#[test]
fn what_became_two_functions_is_blamed_once() {
    let stage = Stage::empty();
    let run = |work: &str| format!("creator: x\nevents: Ir\nfl=a.c\nfn=main\n1 5\n{work}\n");
    stage.write("old", run("fn=work.constprop.0\n10 5000"));
    stage.write("new", run("fn=work\n10 4000\nfn=work.part.0\n12 1100"));
    let out = stage.run(&[
        "check",
        "new",
        "--baseline",
        "old",
        "--limit",
        "total.Ir <= +1",
    ]);
    let text = String::from_utf8(out.stdout).unwrap();
    let functions: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("           "))
        .collect();
    assert_eq!(
        functions,
        ["work (a.c:10)  5,000 -> 5,100 (+2.0 %)"],
        "{text}"
    );
}

/// 200 and 100 of an event, each worth 2 * 10^17 of the derived one: both are beyond 64 bits.
#[test]
fn what_does_not_fit_is_compared_all_the_same() {
    let stage = Stage::empty();
    stage
        .write("old", "events: Ir\nfn=f\n1 100\n")
        .write("new", "events: Ir\nfn=f\n1 200\n");
    let event = "--event=X = 200000000000000000 Ir";
    let out = stage.run(&[
        "check",
        "new",
        event,
        "--baseline",
        "old",
        "--limit",
        "total.X <= +1%",
    ]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    let figures = "20,000,000,000,000,000,000 -> 40,000,000,000,000,000,000 (+100.0 %)";
    assert!(
        out.status.code() == Some(3) && said.contains(figures),
        "{said}"
    );
    for args in [
        &["new", event, "--show=X", "--auto=no"][..],
        &["diff", "old", "new", event, "--show=X"],
    ] {
        let said = String::from_utf8_lossy(&stage.run(args).stderr).into_owned();
        assert!(
            said.contains("of X do") && said.contains("not fit in 64 bits"),
            "{args:?}: {said}"
        );
    }
    // Inclusive costs of which a sum was too large say nothing of a limit.
    let large = format!("events: Ir\nfn=f\n1 1\ncfn=g\ncalls=1\n2 {}\n", i64::MAX);
    stage.write("large", format!("{large}fn=g\n1 5\n"));
    let out = stage.run(&["check", "large", "--limit", "incl.Ir(f) <= 1"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(
        out.status.code() == Some(4) && said.contains("too large to be counted"),
        "{said}"
    );
}

/// A verdict says why nothing was judged, whatever reads it.
#[test]
fn a_verdict_has_the_reason_of_the_doubt() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfn=f\n1 5\ntotals: 7\n");
    let reason = "the profile cannot be judged: p: the costs do not add up to the totals";
    for form in ["text", "markdown", "json", "junit", "github"] {
        let out = stage.run(&["check", "p", "--limit=total.Ir<=9", "--report", form]);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(text.contains(reason), "{form}: {text}");
        assert_eq!(out.status.code(), Some(4), "{form}");
    }
}
