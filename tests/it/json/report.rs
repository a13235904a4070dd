//! The document: its keys, its order, its values.

use super::*;
use crate::common::amount::some;

/// Two functions in a cycle, one that only calls itself, one that is only called, code of another
/// file.
const SMALL: &str = "\
version: 1
creator: by hand
pid: 7
cmd: ./a b
events: Ir Dr
ob=/bin/a
fl=a.c
fn=main
1 10 1
cfn=odd
calls=2 20
2 60 6
cob=/lib/x
cfi=x.c
cfn=only called
calls=1 5
3 4
fn=odd
20 20 2
fi=a.h
7 5
fe=a.c
cfn=even
calls=3 30
21 35 4
fn=even
30 15 2
cfn=odd
calls=2 20
31 20 2
fn=self
40 9223372036854775807
cfn=self
calls=4 40
41 1
totals: 9223372036854775807 5
";

fn keys(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

/// `diff`, `grep` and `less` take a key of the document, or a record of its lists, for a line.
#[test]
fn keys_and_records_have_lines_of_their_own() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=a.c\nfn=f\n1 5\nfn=g\n2 7\n");
    let report = stage.report(&["--format=json", "p"]);
    let (list, rest) = report.split_once("\"functions\":").unwrap();
    assert!(list.starts_with("{\n\"schema\":"), "{list}");
    let mut lines = rest.lines();
    let starts = [
        "[",
        r#"{"object":"","file":"a.c","name":"g","#,
        r#"{"object":"","file":"a.c","name":"f","#,
        r#""lines":["#,
        r#"{"function":0,"#,
        r#"{"function":1,"#,
        r#""calls":[],"#,
    ];
    for start in starts {
        let line = lines.next().unwrap();
        assert!(line.starts_with(start), "{line}, not {start}");
    }
    assert_eq!(report.lines().last(), Some("}"));
    for command in ["diff", "trend"] {
        let report = stage.report(&[command, "--format=json", "p", "p"]);
        for key in keys(&serde_json::from_str(&report).unwrap()) {
            assert!(report.contains(&format!("\n\"{key}\":")), "{key}: {report}");
        }
    }
}

#[test]
fn every_key_of_the_schema_is_there_and_no_other() {
    let report = document(&Stage::of("shapes"), &["shapes.plain.out"]);
    // serde_json sorts keys.
    let top = [
        "calls",
        "cycles",
        "events",
        "functions",
        "generator",
        "lines",
        "profile",
        "schema",
        "totals",
    ];
    assert_eq!(
        keys(&report),
        [&top[..], &["totals_source", "warnings"]].concat()
    );
    assert_eq!(report["schema"], 1);
    assert_eq!(
        report["generator"],
        concat!("cgannotate ", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(
        keys(&report["profile"]),
        ["command", "creator", "files", "format", "parts", "pid"]
    );
    assert_eq!(
        keys(&report["functions"][0]),
        [
            "called",
            "cycle",
            "file",
            "inclusive",
            "name",
            "object",
            "per_call",
            "self"
        ]
    );
    assert_eq!(
        keys(&report["lines"][0]),
        ["file", "function", "line", "self"]
    );
    assert_eq!(
        keys(&report["calls"][0]),
        ["callee", "caller", "count", "inclusive", "sites"]
    );
    assert_eq!(
        keys(&report["calls"][0]["sites"][0]),
        ["count", "file", "inclusive", "line"]
    );
    let small = document(
        &of_text(
            SMALL
                .replace("40 9223372036854775807", "40 5")
                .replace("totals", "summary"),
        ),
        &["p"],
    );
    assert_eq!(
        keys(&small["cycles"][0]),
        ["id", "inclusive", "members", "self"]
    );
}

#[test]
fn the_profile_is_described_by_its_first_part() {
    let report = document(&Stage::of("shapes"), &["shapes.plain.out"]);
    let want = serde_json::json!({
        "format": "callgrind", "creator": "callgrind-3.19.0", "command": "../shapes", "pid": 10974, "parts": 1,
        "files": ["shapes.plain.out"],
    });
    assert_eq!(report["profile"], want);
    // The profile's own summary, which is also the original's PROGRAM TOTALS.
    assert_eq!(report["totals"], serde_json::json!([457_867]));
    assert_eq!(report["totals_source"], "summary");
    let nothing = document(&of_text("events: Ir\nfn=f\n1 1\n"), &["p"]);
    let want = serde_json::json!({
        "format": "callgrind", "creator": "", "command": "", "pid": null, "parts": 1, "files": ["p"],
    });
    assert_eq!(nothing["profile"], want);
    assert_eq!(nothing["totals_source"], "computed");
    assert_eq!(
        document(&Stage::of("shapes"), &["shapes.cg.out"])["profile"]["format"],
        "cachegrind"
    );
}

/// By hand: odd and even are a cycle with self 25 + 15; odd has 25 + no calls out of the cycle, and
/// so on.
#[test]
fn values_are_those_calculated_by_hand() {
    let report = document(
        &of_text(
            SMALL
                .replace("40 9223372036854775807", "40 50")
                .replace("totals", "summary"),
        ),
        &["p"],
    );
    let decoded = Decoded::new(&report);
    assert_eq!(decoded.function("main"), &(vec![10, 1], vec![74, 7], 0));
    assert_eq!(decoded.function("odd"), &(vec![25, 2], vec![25, 2], 4));
    assert_eq!(decoded.function("even"), &(vec![15, 2], vec![15, 2], 3));
    assert_eq!(decoded.function("self"), &(vec![50, 0], vec![50, 0], 4));
    assert_eq!(
        decoded.function("only called"),
        &(vec![0, 0], vec![4, 0], 1)
    );
    let key = |object: &str, file: &str, name: &str| [object, file, name].map(str::to_owned);
    let (main, odd, even) = (
        key("/bin/a", "a.c", "main"),
        key("/bin/a", "a.c", "odd"),
        key("/bin/a", "a.c", "even"),
    );
    assert_eq!(decoded.lines[&(odd.clone(), "a.h".into(), 7)], [5, 0]);
    assert_eq!(decoded.lines.len(), 5);
    assert_eq!(decoded.arcs[&(main.clone(), odd.clone())], (2, vec![60, 6]));
    assert_eq!(
        decoded.sites[&(
            main.clone(),
            key("/lib/x", "x.c", "only called"),
            "a.c".into(),
            3
        )],
        (1, vec![4, 0])
    );
    assert_eq!(decoded.cycles, [[even, odd]]);
    assert_eq!(report["cycles"][0]["self"], serde_json::json!([40, 4]));
    assert_eq!(report["cycles"][0]["inclusive"], serde_json::json!([40, 4]));
    let cycle = |name: &str| {
        report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|f| f["name"] == name)
            .unwrap()["cycle"]
            .clone()
    };
    assert_eq!(
        [cycle("odd"), cycle("self"), cycle("main")],
        [report["cycles"][0]["id"].clone(), Value::Null, Value::Null]
    );
}

/// Counts up to the limit are written to the last digit; 2^53 + 1 is where doubles would lose it.
#[test]
fn integers_are_exact() {
    let text = "events: A B C\nfn=f\n1 9223372036854775807 9007199254740993 -9007199254740993\n";
    let out = of_text(text).report(&["--format=json", "p"]);
    assert!(
        out.contains("\"totals\":[9223372036854775807,9007199254740993,-9007199254740993]"),
        "{out}"
    );
}

#[test]
fn names_keep_their_text() {
    let text = b"events: Ir\nob=\nfl=\nfn=\n1 1\nfl=a\"\\\tb.c\nfn=n\xc3\xa4me \x00 \xff\xfe end\n1 2\nfl=\xe2\x82\nfn=g\n1 3\n";
    let report = document(&of_text(text), &["p"]);
    let names: Vec<_> = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| ["object", "file", "name"].map(|k| string(&f[k])))
        .collect();
    let want = [
        ["", "\u{fffd}", "g"],
        ["", "a\"\\\tb.c", "n\u{e4}me \0 \u{fffd}\u{fffd} end"],
        ["", "???", "???"],
    ];
    assert_eq!(names, want);
}

/// Report order: the sort events in turn, dearest first, then file and name.
#[test]
fn functions_stand_in_report_order() {
    let text = "events: A B\nfl=b\nfn=x\n1 5 1\nfl=a\nfn=z\n1 5 1\nfn=y\n1 5 1\nfn=w\n1 5 2\nfn=v\n1 1 9\n";
    let stage = of_text(text);
    let order = |args: &[&str]| -> String {
        document(&stage, args)["functions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| string(&f["name"]))
            .collect()
    };
    assert_eq!(order(&["p"]), "wyzxv");
    assert_eq!(order(&["--sort=B,A", "p"]), "vwyzx");
    let calls = "events: A\nfn=main\n1 1\ncfn=leaf\ncalls=1 1\n1 5\nfn=leaf\n2 5\n";
    let order = |args: &[&str]| -> Vec<String> {
        let report = document(&of_text(calls), args);
        report["functions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| string(&f["name"]))
            .collect()
    };
    assert_eq!(order(&["p"]), ["leaf", "main"]);
    assert_eq!(order(&["--inclusive=yes", "p"]), ["main", "leaf"]);
}

/// What refers to functions stands in their order; sites and lines by file and line.
#[test]
fn records_stand_in_the_order_of_functions() {
    let stage = Stage::of("cxx");
    let report = document(&stage, &["inventory.out"]);
    let sorted = |list: &str, keys: &[&str]| {
        let rows: Vec<(Vec<u64>, String, u64)> = (report[list].as_array().unwrap().iter())
            .map(|r| {
                let numbers = keys.iter().map(|k| r[k].as_u64().unwrap()).collect();
                (
                    numbers,
                    r["file"].as_str().unwrap_or("").to_owned(),
                    r["line"].as_u64().unwrap_or(0),
                )
            })
            .collect();
        assert!(
            rows.len() > 100 && rows.windows(2).all(|w| w[0] < w[1]),
            "{list}"
        );
    };
    sorted("lines", &["function"]);
    sorted("calls", &["caller", "callee"]);
    for call in report["calls"].as_array().unwrap() {
        let sites = call["sites"].as_array().unwrap();
        let at: Vec<_> = sites
            .iter()
            .map(|s| (string(&s["file"]), s["line"].as_u64().unwrap()))
            .collect();
        assert!(at.windows(2).all(|w| w[0] < w[1]), "{call}");
    }
}

/// In every profile, and exactly: a function's lines are its self cost, a call's sites the call,
/// `called` the sum of the counts, and no index leads nowhere.
#[test]
fn records_add_up() {
    for profile in some(crate::common::profiles()) {
        let report = Stage::empty().json(&[fixtures().join(&profile).to_str().unwrap()]);
        let width = report["events"].as_array().unwrap().len();
        let functions = report["functions"].as_array().unwrap();
        let index = |v: &Value| usize::try_from(v.as_u64().unwrap()).unwrap();
        let add = |sum: &mut Vec<i64>, row: &Value| {
            let row = integers(row);
            assert_eq!(row.len(), width);
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, count)| *sum += count);
        };
        let mut own = vec![vec![0; width]; functions.len()];
        for line in report["lines"].as_array().unwrap() {
            add(&mut own[index(&line["function"])], &line["self"]);
        }
        let mut called = vec![0; functions.len()];
        for call in report["calls"].as_array().unwrap() {
            called[index(&call["callee"])] += call["count"].as_u64().unwrap();
            assert!(index(&call["caller"]) < functions.len());
            let (mut cost, mut count) = (vec![0; width], 0);
            for site in call["sites"].as_array().unwrap() {
                add(&mut cost, &site["inclusive"]);
                count += site["count"].as_u64().unwrap();
            }
            assert_eq!(
                (cost, count),
                (
                    integers(&call["inclusive"]),
                    call["count"].as_u64().unwrap()
                ),
                "{profile}"
            );
        }
        for (at, function) in functions.iter().enumerate() {
            assert_eq!(
                integers(&function["self"]),
                own[at],
                "{profile}: {function}"
            );
            let is_known = report["profile"]["format"] != "cachegrind";
            assert_eq!(
                function["called"].as_u64(),
                is_known.then_some(called[at]),
                "{profile}: {function}"
            );
        }
    }
}

#[test]
fn a_threshold_leaves_functions_out_and_what_is_theirs() {
    let stage = of_text(
        SMALL
            .replace("40 9223372036854775807", "40 50")
            .replace("totals", "summary"),
    );
    // self 50, odd 25, even 15 of 100: after the second, 75 % are reached.
    let text = stage.dir.join("p");
    std::fs::write(
        &text,
        std::fs::read_to_string(&text)
            .unwrap()
            .replace("summary: 9223372036854775807 5", "summary: 100 5"),
    )
    .unwrap();
    let report = document(&stage, &["--threshold=75", "p"]);
    let decoded = Decoded::new(&report);
    assert_eq!(
        decoded.functions.keys().map(|k| &k[2]).collect::<Vec<_>>(),
        ["odd", "self"]
    );
    assert_eq!(decoded.lines.len(), 3);
    assert_eq!(decoded.arcs.len(), 1);
    assert_eq!(decoded.function("odd").2, 4);
    assert_eq!(decoded.cycles.len(), 1);
    assert_eq!(decoded.totals, [100, 5]);
    assert_eq!(super::decoded(&stage, &["--sort=Ir:75", "p"]), decoded);
    assert_eq!(super::decoded(&stage, &["p"]).functions.len(), 5);
}

#[test]
fn warnings_say_where() {
    let stage = of_text("events: Ir\nfn=f\n1 1\nwhat is this\n2 x\ntotals: 9\n");
    let out = stage.run(&["--format=json", "p"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let places: Vec<_> = warnings
        .iter()
        .map(|w| (w["line"].as_u64(), string(&w["kind"])))
        .collect();
    let want = [
        (Some(4), "malformed-line"),
        (Some(5), "bad-count"),
        (None, "totals-mismatch"),
    ];
    assert_eq!(places, want.map(|(line, kind)| (line, kind.to_owned())));
    assert!(
        warnings
            .iter()
            .all(|w| w["file"] == "p" && !string(&w["message"]).is_empty())
    );
}

/// Ten of a kind are printed and the others counted; of a kind, the report has a thousand.
#[test]
fn many_warnings_are_few_lines() {
    let stage = of_text(format!(
        "events: Ir\nfn=f\n1 1\n{}2 x\n",
        "what is this\n".repeat(1500)
    ));
    let out = stage.run(&["--format=json", "p"]);
    assert!(out.status.success());
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        err.lines()
            .filter(|l| l.contains("[malformed-line]"))
            .count(),
        10,
        "{err}"
    );
    assert!(
        err.contains("1490 more warnings of the kind malformed-line"),
        "{err}"
    );
    assert_eq!(err.lines().count(), 12, "{err}");
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1001);
    // Of two inputs together, as of one.
    stage.write(
        "q",
        format!("events: Ir\nfn=f\n1 1\n{}", "and this\n".repeat(100)),
    );
    let out = stage.run(&["--format=json", "q", "p"]);
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("1590 more warnings of the kind malformed-line")
    );
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let of = |file: &str| {
        report["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|w| w["file"] == file)
            .count()
    };
    assert_eq!((of("q"), of("p")), (100, 901));
    let strict = stage.run(&["--strict", "--format=json", "p"]);
    assert_eq!(
        (strict.status.code(), &strict.stdout[..]),
        (Some(1), &b""[..])
    );
}

/// A profile that a program wrote is legal, whatever it is like.
#[test]
fn legal_profiles_give_no_warnings() {
    for profile in some(crate::common::profiles()) {
        let out = Stage::empty().run(&[
            "--format=json",
            "--strict",
            fixtures().join(&profile).to_str().unwrap(),
        ]);
        assert!(
            out.status.success(),
            "{profile}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(report["warnings"], serde_json::json!([]), "{profile}");
    }
}

#[test]
fn what_cannot_be_read_leaves_standard_output_empty() {
    let stage = of_text("events: Ir\nfn=f\n1 1 2 3\n");
    let out = stage.run(&["--format=json", "p"]);
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!((out.status.code(), &out.stdout[..]), (Some(1), &b""[..]));
    assert!(
        err.starts_with("cgannotate: p:3: ") && err.lines().count() == 1,
        "{err}"
    );
    let out = stage.run(&["--format=json", "nowhere"]);
    assert_eq!((out.status.code(), &out.stdout[..]), (Some(1), &b""[..]));
    assert!(String::from_utf8(out.stderr).unwrap().contains("nowhere"));
    assert_eq!(
        stage.run(&["--format=json", "--compat", "p"]).status.code(),
        Some(2)
    );
    assert_eq!(stage.run(&["--format=yaml", "p"]).status.code(), Some(2));
}

/// The same bytes again, and in a file; a record a line.
#[test]
fn the_bytes_are_the_same_each_time() {
    let stage = Stage::of("shapes");
    let once = stage.report(&["--format=json", "shapes.cachebranch.out"]);
    assert_eq!(
        once,
        stage.report(&["--format=json", "shapes.cachebranch.out"])
    );
    assert_eq!(
        stage.report(&["--format=json", "-o", "out.json", "shapes.cachebranch.out"]),
        ""
    );
    assert_eq!(
        once,
        std::fs::read_to_string(stage.dir.join("out.json")).unwrap()
    );
    let report: Value = serde_json::from_str(&once).unwrap();
    let records: usize = ["functions", "lines", "calls", "cycles"]
        .iter()
        .map(|l| report[l].as_array().unwrap().len())
        .sum();
    assert_eq!(
        once.lines()
            .filter(|l| l.starts_with('{') && l.len() > 1)
            .count(),
        records
    );
    assert!(records > 1000);
}

/// Calculated by hand; the calls of `g` began before the profile.
#[test]
fn functions_have_their_cost_per_call() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir Dr\nfn=main\n1 1\ncfn=f\ncalls=2 1\n2 30 3\ncfn=g\ncalls=0 1\n3 7\nfn=f\n4 30 3\nfn=g\n5 7\n",
    );
    let report = stage.json(&["--format=json", "p"]);
    let functions = report["functions"].as_array().unwrap();
    let each = |name: &str| {
        let function = functions.iter().find(|f| f["name"] == name).unwrap();
        function["per_call"].clone()
    };
    assert_eq!(each("f"), serde_json::json!([15.0, 1.5]));
    assert_eq!(each("g"), Value::Null);
    assert_eq!(each("main"), Value::Null);
}
