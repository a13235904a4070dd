//! `trend` and limits on noise: many runs made by hand, whose steps are known.

use crate::common::Stage;
use serde_json::{Value, json};
use std::fmt::Write;

/// A run: main calls decode so many times for a hundred each, and decode costs `more` beyond that.
fn run(calls: i64, more: i64, described: &str) -> String {
    let decode = calls * 100 + more;
    let total = 50_000 + decode;
    format!(
        "version: 1\ncreator: by hand\ncmd: ./app\n{described}events: Ir\n\nob=/bin/app\nfl=src/main.c\nfn=main\n10 50000\n\
         cfi=src/http.c\ncfn=decode\ncalls={calls} 5\n11 {decode}\nfl=src/http.c\nfn=decode\n5 {decode}\n\ntotals: {total}\n"
    )
}

/// What decode costs beyond its calls varies by 8 in all, without any order to it.
fn noise(at: i64) -> i64 {
    at * 7 % 5 * 2
}

/// Forty runs in a folder; from the 31st on decode is called 110 times instead of 100. Even ones
/// have a label.
fn stage() -> Stage {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=40 {
        let calls = if at > 30 { 110 } else { 100 };
        let label = if at % 2 == 0 {
            format!("desc: Label: v{at}\ndesc: Commit: c0ffee{at}\n")
        } else {
            String::new()
        };
        stage.write(&format!("runs/run-{at}"), run(calls, noise(at), &label));
    }
    stage
}

fn json_of(stage: &Stage, args: &[&str]) -> Value {
    serde_json::from_str(&stage.report(&[&["trend", "--format=json"], args].concat())).unwrap()
}

#[test]
fn a_step_is_told_with_its_run_and_its_reason() {
    let stage = stage();
    let text = stage.report(&["trend", "runs"]);
    let want = "\
Ir, self cost, in 40 runs, from run-1 to v40.

████████████████████████  60,004 → 61,000  noise 0.01 %  PROGRAM TOTALS
    +1.7 %, step at run 31, run-31: 60,004 → 61,004
        largest change in decode: 10,000 → 11,004 (+1,004)
████████████████████████  10,004 → 11,000  noise 0.07 %  decode  src/http.c [app]
    +10.0 %, step at run 31, run-31: 10,004 → 11,004
        decode +10.0 %: 1.1x the calls, all from main (main.c:11); 100.0 Ir a call, was 100: +0.04 in the function itself; called more often +1,000, more expensive per call +4, both at once 0

No change was found in 1 function.
";
    let same: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let wanted: Vec<&str> = want.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(same, wanted, "{text}");
}

/// The program is called app in the runs up to the 20th, app2 up to the 30th and then app again;
/// from the 31st on decode is called more often. A library of its functions stands beside it in
/// every run, and is another object.
#[test]
fn a_program_that_was_renamed_is_the_same() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=40 {
        let text = run(if at > 30 { 110 } else { 100 }, noise(at), "")
            .replace("fn=decode", "fn=decode::h0123456789abcdef");
        let text = if (21..=30).contains(&at) {
            text.replace("/bin/app", "/opt/app2")
        } else {
            text
        };
        let (body, _) = text.split_once("\ntotals").unwrap();
        stage.write(
            &format!("runs/run-{at}"),
            format!("{body}\nob=/lib/other.so\nfn=decode\n1 7\nfn=main\n2 8\n"),
        );
    }
    let told = || {
        let all = json_of(&stage, &["runs"]);
        let rows = all["rows"].as_array().unwrap().iter();
        let steps = rows.map(|row| {
            let runs = row["changes"]
                .as_array()
                .unwrap()
                .iter()
                .map(|change| change["run"].as_i64().unwrap());
            (
                row["object"].as_str().unwrap().to_owned(),
                runs.collect::<Vec<_>>(),
            )
        });
        let why = all["rows"][0]["changes"][0]["why"][0]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        (
            steps.collect::<Vec<_>>(),
            all["unchanged"].as_i64().unwrap(),
            why,
        )
    };
    let (steps, unchanged, why) = told();
    assert_eq!(
        (steps, unchanged),
        (vec![("/bin/app".to_owned(), vec![31])], 3)
    );
    assert!(why.contains("1.1x the calls, all from main"), "{why}");
    let objects = || {
        let all = json_of(&stage, &["--by=object", "runs"]);
        let rows = all["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned());
        (rows.collect::<Vec<_>>(), all["unchanged"].as_i64().unwrap())
    };
    assert_eq!(objects(), (vec!["/bin/app".to_owned()], 1));

    // A run that has both says that they are two.
    let both = run(100, noise(25), "").replace("/bin/app", "/opt/app2")
        + "\nob=/bin/app\nfn=decode\n1 7\n";
    stage.write("runs/run-25", both);
    // In all runs, what one of them is called before and behind, the other is called from the 21st
    // up to the 30th.
    let (steps, unchanged, _) = told();
    let want = ["/bin/app", "/opt/app2", "/bin/app", "/opt/app2"]
        .map(|object| (object.to_owned(), vec![21, 31]));
    assert_eq!((steps, unchanged), (want.to_vec(), 2));
    assert_eq!(
        objects(),
        (["/bin/app", "/opt/app2"].map(str::to_owned).to_vec(), 1)
    );
}

/// From the 12th run on decode stands in another file, and is called more often. It is a row of
/// each file, and each names the other. What `--min` leaves out is not said to be listed with more
/// rows.
#[test]
fn a_function_that_moved_says_where_to() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=14 {
        let text = if at > 11 {
            run(150, 0, "").replace("src/http.c", "src/net.c")
        } else {
            run(100, 0, "")
        };
        stage.write(&format!("runs/run-{at}"), text);
    }
    let text = stage.report(&["trend", "runs"]);
    let rows: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.contains(" decode "))
        .collect();
    let rows: Vec<&str> = rows
        .into_iter()
        .filter(|line| !line.is_empty())
        .map(str::trim)
        .collect();
    let want = [
        "▁▁▁▁▁▁▁▁▁▁▁███  0 → 15,000  noise not known  decode  src/net.c [app]",
        "new, step at run 12, run-12: 0 → 15,000",
        "until then decode (http.c) [app]",
        "███████████▁▁▁  10,000 → 0  noise not known  decode  src/http.c [app]",
        "gone, step at run 12, run-12: 10,000 → 0",
        "from then on decode (net.c) [app]",
        "No change was found in 1 function.",
    ];
    assert_eq!(rows, want, "{text}");
    let dear = stage.report(&["trend", "--min=20%", "runs"]);
    assert!(
        dear.ends_with(
            "\n1 function more changed, but did not reach --min. No change was found in 1 function.\n"
        ),
        "{dear}"
    );
    let few = stage.report(&["trend", "--rows=1", "runs"]);
    assert!(
        few.ends_with(
            "\n1 function more changed; --rows=N lists more. No change was found in 1 function.\n"
        ),
        "{few}"
    );
    let few = stage.report(&["trend", "--rows=1", "--min=20%", "runs"]);
    assert!(
        few.ends_with(
            "\n1 function more changed, but did not reach --min. No change was found in 1 function.\n"
        ),
        "{few}"
    );
    let asked = stage.report(&["trend", "--function=^main$|decode", "runs"]);
    assert!(asked.ends_with("\nAll are listed.\n"), "{asked}");
}

/// From the 10th run on, work itself costs 200 instead of 100, and calls leaf 1,100 times instead
/// of 1,000, each time for as good as the same; 100.051 each before, 100.049 after.
#[test]
fn the_reason_says_what_its_percentage_is_of() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=12 {
        let (own, calls, leaf) = if at > 9 {
            (20_000, 1_100, 110_054)
        } else {
            (10_000, 1_000, 100_051)
        };
        let work = own + leaf;
        let text = format!(
            "version: 1\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=main\n1 5\ncfn=work\ncalls=1 2\n1 {work}\n\
             fn=work\n2 {own}\ncfn=leaf\ncalls={calls} 3\n2 {leaf}\nfn=leaf\n3 {leaf}\n"
        );
        stage.write(&format!("runs/run-{at}"), text);
    }
    let text = stage.report(&["trend", "runs"]);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for wanted in [
        "+100.0 %, step at run 10, run-10: 10,000 → 20,000",
        "work inclusive +18.2 %: 1 call as before; 130,054 Ir a call, was 110,051: +10,003 in leaf and +10,000 in the function itself",
        "+10.0 %, step at run 10, run-10: 100,051 → 110,054",
        "leaf +10.0 %: 1.1x the calls, all from work (a.c:2); 100.0 Ir a call, was 100.1; called more often +10,005, \
         cheaper per call -2, both at once 0",
    ] {
        assert!(lines.contains(&wanted), "{wanted}\n{text}");
    }
    // Of inclusive costs it is what the line above it is.
    let text = stage.report(&["trend", "--inclusive=yes", "runs"]);
    assert!(
        text.contains("\n        work +18.2 %: 1 call as before;"),
        "{text}"
    );
    // What has no class is called so.
    let text = stage.report(&["trend", "--by=class", "runs"]);
    assert!(
        text.lines().any(|line| line.ends_with("  (no class)")),
        "{text}"
    );
    let page = stage.report(&["trend", "--by=class", "--format=html", "runs"]);
    assert!(page.contains("(no class)"), "{page}");
}

#[test]
fn json_has_every_run_and_every_change() {
    let stage = stage();
    let report = json_of(&stage, &["runs"]);
    assert_eq!(
        (&report["event"], &report["cost"], report["schema"].as_i64()),
        (&json!("Ir"), &json!("self"), Some(1))
    );
    assert_eq!(
        report["rule"],
        json!({"window": 10, "confirm": 3, "share": 10_000, "known": true})
    );
    assert_eq!(report["runs"].as_array().unwrap().len(), 40);
    assert_eq!(
        report["runs"][9],
        json!({"run": 10, "name": "v10", "commit": "c0ffee10", "files": ["runs/run-10"]})
    );
    assert_eq!(report["runs"][8]["name"], "run-9");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &report["others"], &report["unchanged"]),
        (1, &json!(0), &json!(1))
    );
    let decode = &rows[0];
    let values: Vec<i64> = (1..=40)
        .map(|at| if at > 30 { 11_000 } else { 10_000 } + noise(at))
        .collect();
    assert_eq!(
        (&decode["name"], &decode["values"]),
        (&json!("decode"), &json!(values))
    );
    assert_eq!(
        (&decode["level"], &decode["noise"]),
        (&json!(10), &json!({"least": 11_000, "most": 11_008}))
    );
    let change = &decode["changes"][0];
    let fields = ["kind", "run", "until", "before", "after"].map(|key| change[key].clone());
    assert_eq!(
        fields,
        [
            json!("step"),
            json!(31),
            Value::Null,
            json!(10_004),
            json!(11_004)
        ]
    );
    assert!(
        (change["share"].as_f64().unwrap() - 1000.0 / 10_004.0).abs() < 1e-9,
        "{change}"
    );
    assert_eq!(decode["changes"].as_array().unwrap().len(), 1);
    let total = &report["total"];
    assert_eq!(
        (&total["values"][0], &total["changes"][0]["run"]),
        (&json!(60_004), &json!(31))
    );
}

#[test]
fn folders_lists_and_threads_make_no_difference() {
    let stage = stage();
    let listed: Vec<String> = (1..=40).map(|at| format!("runs/run-{at}")).collect();
    let mut args: Vec<&str> = vec!["trend", "--format=json", "--threads=1"];
    args.extend(listed.iter().map(String::as_str));
    assert_eq!(
        stage.report(&args),
        stage.report(&["trend", "--format=json", "--threads=4", "runs"])
    );
    // The order is the one given.
    let backwards = json_of(&stage, &["runs/run-2", "runs/run-1"]);
    assert_eq!(
        (&backwards["runs"][0]["name"], &backwards["total"]["values"]),
        (&json!("v2"), &json!([60_008, 60_004]))
    );
}

#[test]
fn baselines_are_runs_and_keep_their_labels() {
    let stage = stage();
    std::fs::create_dir(stage.dir.join("kept")).unwrap();
    for at in 1..=40 {
        let (from, to) = (format!("runs/run-{at}"), format!("kept/run-{at}"));
        stage.report(&[
            "check",
            &from,
            "--config",
            "/dev/null",
            "--save-baseline",
            &to,
        ]);
    }
    let (profiles, kept) = (json_of(&stage, &["runs"]), json_of(&stage, &["kept"]));
    for key in ["total", "rows"] {
        let changes = |report: &Value| match &report[key] {
            Value::Array(rows) => rows
                .iter()
                .map(|row| (row["values"].clone(), row["changes"][0]["run"].clone()))
                .collect(),
            row => vec![(row["values"].clone(), row["changes"][0]["run"].clone())],
        };
        assert_eq!(changes(&profiles), changes(&kept), "{key}");
    }
    assert_eq!(kept["runs"][9]["name"], "v10");
    assert_eq!(kept["runs"][9]["commit"], "c0ffee10");
    // How often it was called is known, and not by whom.
    let why = kept["rows"][0]["changes"][0]["why"][0].as_str().unwrap();
    assert!(
        why.starts_with(
            "decode +10.0 %: 1.1x the calls; 100.0 Ir a call, was 100: +0.04 in the function itself"
        ),
        "{why}"
    );
}

#[test]
fn few_runs_tell_no_noise() {
    let stage = stage();
    let text = stage.report(&["trend", "runs/run-29", "runs/run-30", "runs/run-31"]);
    let known = "Too few runs to tell: a step needs at least 3 runs before it and as many from it on. The list has what varies most.";
    assert!(
        text.contains(known) && text.contains("  10,006 → 11,004  decode"),
        "{text}"
    );
    assert!(
        !text.contains("noise") && text.ends_with("\n1 more function, not listed.\n"),
        "{text}"
    );
    assert!(!text.contains("at run"), "{text}");
    // Six are enough for a step in the middle, and tell no noise yet.
    let six: Vec<String> = (28..34).map(|at| format!("runs/run-{at}")).collect();
    let six = stage.report(
        &[
            &["trend"],
            &six.iter().map(|run| &run[..]).collect::<Vec<_>>()[..],
        ]
        .concat(),
    );
    assert!(
        six.contains("  noise not known  decode")
            && six.contains("\n    +10.0 %, step at run 4, run-31: "),
        "{six}"
    );
    let report = json_of(&stage, &["runs/run-1"]);
    assert_eq!(
        (
            &report["rule"]["known"],
            report["runs"].as_array().unwrap().len()
        ),
        (&json!(false), 1)
    );
}

#[test]
fn the_last_run_alone_is_unconfirmed() {
    let stage = stage();
    for at in 32..=40 {
        std::fs::remove_file(stage.dir.join(format!("runs/run-{at}"))).unwrap();
    }
    let text = stage.report(&["trend", "runs"]);
    assert!(
        text.contains(
            "    +10.0 % at run 31, run-31, unconfirmed (too few runs to tell): 10,004 → 11,004"
        ),
        "{text}"
    );
    let change = json_of(&stage, &["runs"])["rows"][0]["changes"][0].clone();
    assert_eq!(
        (&change["kind"], &change["run"]),
        (&json!("unconfirmed"), &json!(31))
    );
}

#[test]
fn what_moves_slowly_is_drift() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 0..60 {
        stage.write(&format!("runs/{at}"), run(100, at * 20, ""));
    }
    let text = stage.report(&["trend", "runs", "--function=decode"]);
    assert!(
        text.contains("    +9.9 % gradually, from run 1, 0, to run 60, 59: 10,090 → 11,090"),
        "{text}"
    );
}

/// In runs whose costs vary a little, one function costs three times as much from a run on: each
/// step is found at its run in the whole program and in the function, and nowhere else. With fewer
/// than three runs on one side it is unconfirmed.
#[test]
fn every_step_is_found_in_six_runs_and_more() {
    for runs in [6, 7, 11, 12, 14, 22] {
        for step in 2..=runs {
            let stage = Stage::empty();
            std::fs::create_dir(stage.dir.join("runs")).unwrap();
            for at in 1..=runs {
                let calls = if at >= step { 1_803 } else { 601 };
                stage.write(&format!("runs/run{at:02}"), run(calls, noise(at), ""));
            }
            let report = json_of(&stage, &["runs"]);
            let kind = if step > 3 && step <= runs - 2 {
                "step"
            } else {
                "unconfirmed"
            };
            assert_eq!(
                report["rows"].as_array().unwrap().len(),
                1,
                "{runs} runs, step at {step}"
            );
            for row in [&report["total"], &report["rows"][0]] {
                let changes: Vec<_> = row["changes"].as_array().unwrap().iter().collect();
                let changes: Vec<_> = changes
                    .iter()
                    .map(|change| (&change["kind"], &change["run"]))
                    .collect();
                assert_eq!(
                    changes,
                    [(&json!(kind), &json!(step))],
                    "{runs} runs, step at {step}"
                );
            }
        }
    }
}

/// With fewer than six runs nothing is said to be unchanged, and what varies most comes first.
#[test]
fn fewer_runs_are_too_few_to_tell() {
    let stage = Stage::empty();
    for at in 1..=5 {
        stage.write(
            &format!("run{at}"),
            run(if at > 2 { 300 } else { 100 }, 0, ""),
        );
    }
    for runs in [
        &["run1"][..],
        &["run1", "run3"],
        &["run1", "run2", "run3", "run4", "run5"],
    ] {
        let text = stage.report(&[&["trend"], runs].concat());
        assert!(
            text.contains("Too few runs to tell") && !text.contains(" at run "),
            "{text}"
        );
        assert!(
            !text.contains("did not change") && !text.contains("No change"),
            "{text}"
        );
        let listed = text
            .lines()
            .filter(|line| line.contains("  decode  "))
            .count();
        assert_eq!(listed, usize::from(runs.len() > 1), "{text}");
    }
}

/// A step among the first runs is told as one; the noise after it is that of its level.
#[test]
fn a_step_among_the_first_runs_is_no_drift() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 0..20 {
        stage.write(
            &format!("runs/{at}"),
            run(100, if at < 6 { 5_000 } else { at % 3 }, ""),
        );
    }
    let text = stage.report(&["trend", "runs", "--function=decode"]);
    assert!(
        text.contains("    -33.3 %, step at run 7, 6: 15,000 → 10,001\n"),
        "{text}"
    );
    assert!(!text.contains("gradually"), "{text}");
    let row = json_of(&stage, &["runs", "--function=decode"])["rows"][0].clone();
    assert_eq!(
        (&row["level"], &row["noise"]),
        (&json!(14), &json!({"least": 10_000, "most": 10_002}))
    );
    assert_eq!(row["changes"].as_array().unwrap().len(), 1, "{row}");
}

#[test]
fn tables_have_a_row_for_every_run() {
    let stage = stage();
    let table = stage.report(&["trend", "runs", "--format=csv"]);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let head = [
        "function", "file", "object", "run", "name", "commit", "Ir", "change", "before", "after",
    ];
    assert_eq!(
        reader.headers().unwrap(),
        &csv::StringRecord::from(head.to_vec())
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 80);
    let step = [
        "decode",
        "src/http.c",
        "/bin/app",
        "31",
        "run-31",
        "",
        "11004",
        "step",
        "10004",
        "11004",
    ];
    assert_eq!(rows[70], csv::StringRecord::from(step.to_vec()));
    assert!(
        rows.iter().filter(|row| !row[7].is_empty()).count() == 2,
        "{table}"
    );
    let markdown = stage.report(&["trend", "runs", "--format=markdown"]);
    assert!(
        markdown.contains("| 10,004 | 11,000 | +10.0 %, step at run 31, run-31 | decode |"),
        "{markdown}"
    );
}

#[test]
fn rows_can_be_sums_and_what_was_asked_for() {
    let stage = stage();
    let rows = |args: &[&str]| -> Vec<String> {
        let report = json_of(&stage, &[&["runs"], args].concat());
        report["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(rows(&["--by=file"]), ["src/http.c"]);
    assert_eq!(rows(&["--by=object"]), ["/bin/app"]);
    assert_eq!(rows(&["--inclusive=yes"]), ["main", "decode"]);
    // What is asked for by name is listed whether it changed or not.
    assert_eq!(rows(&["--function=^main$"]), ["main"]);
    assert_eq!(rows(&["--not-function=decode"]), [""; 0]);
    assert_eq!(rows(&["--rows=1", "--inclusive=yes"]), ["main"]);
    let unknown = stage.run(&["trend", "runs", "--show=Dr"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no event `Dr`; the profile has Ir"));
}

#[test]
fn folders_are_read_with_care() {
    let stage = Stage::empty();
    for folder in ["runs", "runs/2", "runs/10", "empty", "none"] {
        std::fs::create_dir(stage.dir.join(folder)).unwrap();
    }
    stage
        .write("runs/1", run(1, 0, ""))
        .write("runs/2/a", run(2, 0, ""))
        .write("runs/2/b", run(3, 0, ""));
    stage
        .write("runs/10/a", run(4, 0, ""))
        .write("runs/.hidden", "x")
        .write("runs/README", "no profile")
        .write("none/x", "x");
    let out = stage.run(&["trend", "runs", "--format=json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        report["total"]["values"],
        json!([50_100, 100_500, 50_400]),
        "a folder below is one run"
    );
    assert_eq!(report["runs"][1]["files"], json!(["runs/2/a", "runs/2/b"]));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(
        said,
        "cgannotate: skipped, because they are not profiles: runs/README\n"
    );
    for (name, why) in [
        ("empty", "empty: this folder has no profile"),
        ("nowhere", "nowhere: "),
    ] {
        let out = stage.run(&["trend", name]);
        assert_eq!(out.status.code(), Some(1), "{name}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains(why),
            "{out:?}"
        );
    }
    // The commands of runs that are compared should be one.
    stage.write("other", run(1, 0, "").replace("./app", "./other"));
    let out = stage.run(&["trend", "runs", "other"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        said.contains("the commands of the runs differ: `./app` in run 1, `./other` in run 4"),
        "{said}"
    );
}

/// Checks a run against thirty that vary.
fn check(stage: &Stage, args: &[&str]) -> (i32, Value) {
    let all = [
        &[
            "check",
            "--report",
            "json",
            "--limit",
            "self.Ir(decode) <= noise",
        ],
        args,
    ]
    .concat();
    let out = stage.run(&all);
    let json = serde_json::from_slice(&out.stdout);
    (
        out.status.code().unwrap(),
        json.unwrap_or_else(|e| panic!("{args:?}: {e}: {out:?}")),
    )
}

/// Thirty runs before, and runs that are as they were, dearer and cheaper.
fn before() -> Stage {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=30 {
        stage.write(&format!("runs/run-{at}"), run(100, noise(at), ""));
    }
    // The greatest is 10,008, and a margin of 6 the least that matters.
    stage
        .write("same", run(100, 14, ""))
        .write("dear", run(100, 15, ""))
        .write("dearer", run(110, 0, ""));
    stage.write("cheap", run(50, 0, ""));
    stage
}

#[test]
fn noise_is_a_limit_that_two_runs_must_exceed() {
    let stage = before();
    let value = |json: &Value, key: &str| json["limits"][0][key].clone();
    for (args, status, verdict, again) in [
        (&["same"][..], 0, "kept", Value::Null),
        (&["dear"], 0, "unconfirmed", Value::Null),
        (&["dear", "--again", "dearer"], 3, "exceeded", json!(11_000)),
        (&["dearer", "--again", "same"], 0, "kept", json!(10_014)),
        (&["same", "--again", "dearer"], 0, "kept", Value::Null),
        (&["cheap", "--again", "cheap"], 0, "kept", Value::Null),
    ] {
        let (got, json) = check(&stage, &[args, &["--history", "runs"]].concat());
        assert_eq!(
            (got, value(&json, "verdict"), value(&json, "again")),
            (status, json!(verdict), again),
            "{args:?}"
        );
        assert_eq!(value(&json, "at_most"), json!(10_014), "{args:?}");
        assert_eq!(
            value(&json, "noise"),
            json!({"runs": 10, "least": 10_000, "most": 10_008})
        );
    }
    let (_, json) = check(&stage, &["dear", "--again", "dear", "--history", "runs"]);
    assert_eq!(json["limits"][0]["functions"][0]["name"], "decode");
    // The dearest function is no reason: it costs what it cost in the run in the middle.
    let out = stage.run(&[
        "check",
        "dear",
        "--limit",
        "total.Ir <= noise",
        "--history",
        "runs",
    ]);
    let said = String::from_utf8(out.stdout).unwrap();
    let places: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("           "))
        .collect();
    assert_eq!(
        places,
        ["           decode (src/http.c:5)  10,004 -> 10,015 (+0.1 %)"],
        "{said}"
    );
    let (_, json) = check(&stage, &["dear", "--history", "runs"]);
    assert_eq!(
        value(&json, "reason"),
        json!("unconfirmed: a second run, with --again, shows whether this is noise")
    );
}

/// A function that a run does not have costs nothing there; what others of the limit cost still
/// counts. By hand: a 10,000th of what the program cost is far below a hundredth of the largest of
/// the ten runs.
#[test]
fn functions_that_a_run_lacks_cost_nothing_there() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    let run = |f: i64, g: i64, main: i64| {
        let part = |name: &str, cost: i64| {
            if cost > 0 {
                format!("fn={name}\n2 {cost}\n")
            } else {
                String::new()
            }
        };
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 {main}\n{}{}",
            part("f", f),
            part("g", g)
        )
    };
    for at in 0..10 {
        stage.write(
            &format!("runs/{at}"),
            run(if at == 3 { 0 } else { 1000 }, 1000, 1000),
        );
    }
    stage
        .write("dear", run(1400, 1500, 1000))
        .write("moved", run(0, 5000, 1000))
        .write("both", run(50, 5000, 1000));
    let limits = [
        "sum(self.Ir(f), self.Ir(g)) <= noise",
        "self.Ir(/^[fg]$/) <= noise",
    ];
    let judged = |args: &[&str]| {
        let mut all = vec!["check", "--report", "json", "--history", "runs"];
        limits
            .iter()
            .for_each(|limit| all.extend(["--limit", limit]));
        let out = stage.run(&[&all, args].concat());
        let json: Value = serde_json::from_slice(&out.stdout)
            .unwrap_or_else(|e| panic!("{args:?}: {e}: {out:?}"));
        let key = |at: usize, key: &str| json["limits"][at][key].clone();
        assert_eq!(key(0, "verdict"), key(1, "verdict"), "{args:?}");
        assert_eq!(
            (key(0, "at_most"), key(0, "noise")),
            (key(1, "at_most"), key(1, "noise")),
            "{args:?}"
        );
        (
            out.status.code(),
            key(0, "value"),
            key(0, "again"),
            key(0, "noise"),
        )
    };
    let noise = json!({"runs": 10, "least": 1000, "most": 2000});
    assert_eq!(
        judged(&["dear", "--again", "dear"]),
        (Some(3), json!(2900), json!(2900), noise.clone())
    );
    assert_eq!(
        judged(&["both", "--again", "moved"]),
        (Some(3), json!(5050), json!(5000), noise)
    );
    // What the program cost counts once, whatever number of metrics there are: a margin of 100
    // beyond runs that are alike.
    for at in 0..10 {
        stage.write(&format!("runs/{at}"), run(1000, 1000, 998_000));
    }
    stage.write("new", run(1075, 1075, 997_850));
    let noise = json!({"runs": 10, "least": 2000, "most": 2000});
    assert_eq!(
        judged(&["new", "--again", "new"]),
        (Some(3), json!(2150), json!(2150), noise)
    );
}

/// A run that was cut between two of its parts is not judged, neither by the runs before nor as the
/// second of two.
#[test]
fn runs_that_lost_parts_tell_nothing() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    let part = |n: u32, cost: u32| {
        format!("part: {n}\nevents: Ir\nfl=a.c\nfn=main\n1 {cost}\ntotals: {cost}\n\n")
    };
    let run = |cost: u32| {
        format!(
            "version: 1\ncreator: callgrind-3\npid: 1\ncmd: a\n{}{}",
            part(1, cost),
            part(2, cost)
        )
    };
    for at in 0..10 {
        stage.write(&format!("runs/{at}"), run(1000));
    }
    // One of them has a third.
    stage.write("runs/9", run(1000) + &part(3, 1));
    let slow = run(2000);
    stage
        .write("slow", &slow)
        .write("cut", slow.split_once("part: 2").unwrap().0);
    for (args, status, said) in [
        (&["slow", "--again", "slow"][..], 3, "EXCEEDED"),
        (
            &["slow", "--again", "cut"],
            4,
            "cut: 1 of the 2 parts that every earlier run has",
        ),
        (
            &["cut"],
            4,
            "cut: 1 of the 2 parts that every earlier run has",
        ),
        (&["cut", "--allow-truncated"], 0, "kept"),
    ] {
        let out = stage.run(
            &[
                &["check", "--history", "runs", "--limit", "total.Ir <= noise"],
                args,
            ]
            .concat(),
        );
        let all = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
        assert!(
            out.status.code() == Some(status) && all.contains(said),
            "{args:?}: {all}"
        );
    }
}

/// Soon after a step the level has too few runs to tell its noise. What is beyond all of the last
/// ten exceeds the limit.
#[test]
fn noise_is_a_limit_soon_after_a_step() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=12 {
        stage.write(
            &format!("runs/{at}"),
            run(if at > 7 { 300 } else { 100 }, 0, ""),
        );
    }
    stage
        .write("same", run(300, 0, ""))
        .write("most", run(400, 0, ""))
        .write("more", run(400, 1, ""));
    // The last ten runs vary from 10,000 to 30,000; half of that is the margin.
    for (file, status, verdict) in [
        ("same", 0, "kept"),
        ("most", 0, "kept"),
        ("more", 3, "exceeded"),
    ] {
        let (got, json) = check(&stage, &[file, "--again", file, "--history", "runs"]);
        let limit = &json["limits"][0];
        assert_eq!(
            (got, &limit["verdict"], &limit["at_most"]),
            (status, &json!(verdict), &json!(40_000)),
            "{file}"
        );
    }
}

/// Filters that match nothing in any run were mistyped; one run that has it is enough.
#[test]
fn filters_that_match_in_no_run_are_refused() {
    let stage = stage();
    stage.write("other", run(100, 0, "").replace("fn=decode", "fn=other"));
    for (filter, status) in [
        ("--function=nosuch", 2),
        ("--not-file=nosuch", 2),
        ("--function=other", 0),
    ] {
        let out = stage.run(&["trend", "runs", "other", filter]);
        assert_eq!(out.status.code(), Some(status), "{filter}: {out:?}");
        assert_eq!(
            String::from_utf8_lossy(&out.stderr).contains("nothing matches `nosuch`"),
            status == 2,
            "{out:?}"
        );
        assert_eq!(out.stdout.is_empty(), status == 2, "{out:?}");
    }
}

/// The files of a recording are one run, in a folder or named; those of forked processes are none.
#[test]
fn a_recording_of_several_files_is_one_run() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    let write = |name: &str, described: &str| {
        stage.write(&format!("runs/{name}"), run(100, 0, described));
    };
    for at in 1..=6 {
        for thread in 1..=2 {
            let recording = format!("desc: Recording: 10{at} 1700000000\n");
            write(&format!("run-{at}.10{at}-0{thread}"), &recording);
        }
        write(&format!("run-{at}.20{at}.forked"), "");
    }
    let out = stage.run(&["trend", "runs"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains(" in 6 runs, "), "{text}");
    assert!(text.contains("120,000 → 120,000"), "{text}");
    let said = String::from_utf8(out.stderr).unwrap();
    let note =
        "skipped, because they begin with the cost of other processes: runs/run-1.201.forked";
    assert!(said.contains(note), "{said}");
    let named = [
        "runs/run-1.101-01",
        "runs/run-2.102-01",
        "runs/run-1.101-02",
    ];
    let text = stage.report(&[&["trend"][..], &named].concat());
    assert!(text.contains(" in 2 runs, "), "{text}");
    assert!(text.contains("120,000 → 60,000"), "{text}");
    // Ten files would tell the noise.
    let check = [
        "check",
        "--history",
        "runs",
        "--limit",
        "total.Ir <= noise",
        "runs/run-1.101-01",
        "runs/run-1.101-02",
    ];
    let text = String::from_utf8(stage.run(&check).stdout).unwrap();
    assert!(
        text.contains("the history has 6 runs and needs 10"),
        "{text}"
    );
}

/// Sums say of how many functions they are.
#[test]
fn sums_count_their_functions() {
    let stage = Stage::empty();
    let run = "events: Ir\nob=/o/a\nfl=x.c\nfn=f\n1 5\n2 5\nfn=g\n3 5\nob=/o/b\nfl=y.c\nfn=f\n4 7\nfi=x.c\n9 1\n";
    stage.write("p", run).write(
        "q",
        run.replace(" 5", " 50")
            .replace(" 7", " 70")
            .replace("9 1", "9 10"),
    );
    for (by, want) in [
        ("object", vec![("/o/a", 2), ("/o/b", 1)]),
        ("file", vec![("x.c", 3), ("y.c", 1)]),
        ("function", vec![("f", 2), ("g", 1)]),
    ] {
        let json = json_of(&stage, &["p", "q", &format!("--by={by}")]);
        let rows = json["rows"].as_array().unwrap().iter();
        let mut rows: Vec<_> = rows
            .map(|row| {
                (
                    row["name"].as_str().unwrap(),
                    row["functions"].as_i64().unwrap(),
                )
            })
            .collect();
        rows.sort_unstable();
        assert_eq!(rows, want, "{by}");
    }
}

#[test]
fn without_enough_runs_noise_is_no_limit() {
    let stage = before();
    let (status, json) = check(
        &stage,
        &[
            "dearer",
            "--again",
            "dearer",
            "--history",
            "runs/run-1",
            "runs/run-2",
        ],
    );
    let limit = &json["limits"][0];
    assert_eq!((status, &limit["verdict"]), (0, &json!("skipped")));
    assert_eq!(
        limit["reason"],
        "noise is not known: the history has 2 runs and needs 10"
    );
    let (status, json) = check(&stage, &["same"]);
    assert_eq!(
        (status, &json["limits"][0]["reason"]),
        (
            4,
            &json!("the limit is about noise, but no --history is given")
        )
    );
    // With a second bound it must be above both.
    let limit = [
        "--limit",
        "self.Ir(decode) <= noise & 10.5k",
        "--history",
        "runs",
    ];
    let (_, json) = check(&stage, &[&["dear", "--again", "dear"][..], &limit].concat());
    assert_eq!(
        (&json["limits"][1]["verdict"], &json["limits"][1]["at_most"]),
        (&json!("kept"), &json!(10_500))
    );
    // A run that was cut tells nothing.
    stage.write(
        "runs/run-31",
        run(100, 9000, "").replace("totals: 69000", "totals: 69001"),
    );
    let out = stage.run(&[
        "check",
        "same",
        "--limit",
        "total.Ir <= noise",
        "--history",
        "runs",
    ]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("this run is not used for the history"),
        "{out:?}"
    );
    // Nor one that gave the cost of inlined functions to these.
    stage.run(&[
        "check",
        "same",
        "--own-code=decode",
        "--save-baseline",
        "saved",
    ]);
    let saved = std::fs::read_to_string(stage.dir.join("saved")).unwrap();
    stage.write(
        "inlined",
        saved.replace(
            "own-code: decode\n",
            "own-code: decode\nown-code: (with inlined functions)\n",
        ),
    );
    let history = [
        "--limit",
        "total.Ir <= noise",
        "--history",
        "runs/run-1",
        "inlined",
    ];
    let out = stage.run(&[&["check", "same"][..], &history].concat());
    let why =
        "inlined: this baseline was saved with --inlined; this run is not used for the history";
    assert!(
        String::from_utf8_lossy(&out.stderr).contains(why),
        "{out:?}"
    );
    for (args, why) in [
        (
            &["--again", "same", "--limit", "total.Ir <= 1"][..],
            "--history <PROFILE|FOLDER>... is required",
        ),
        (
            &["--history", "runs", "--limit", "total.Ir <= 1"],
            "--history is for limits on noise",
        ),
    ] {
        let out = stage.run(&[&["check", "same"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains(why),
            "{out:?}"
        );
    }
}

#[test]
fn every_report_tells_of_noise() {
    let stage = before();
    stage.write(
        "cgannotate.toml",
        "[[limit]]\nname = \"decoding\"\nexpression = \"self.Ir(decode) <= noise\"\n",
    );
    let report = |args: &[&str], form: &str| {
        let out = stage.run(
            &[
                &["check", "dear", "--history", "runs", "--report", form],
                args,
            ]
            .concat(),
        );
        String::from_utf8(out.stdout).unwrap()
    };
    let twice = ["--again", "dearer"];
    let mut all = String::new();
    for form in ["text", "markdown", "junit", "github"] {
        let _ = writeln!(
            all,
            "{form}:\n{}{}",
            report(&[], form),
            report(&twice, form)
        );
    }
    for line in [
        "unconfirmed decoding: self.Ir(decode) <= noise",
        "         10,015, at most 10,014 by the noise of 10 runs",
        "         unconfirmed: a second run, with --again, shows whether this is noise",
        "1 limit: 1 unconfirmed",
        "EXCEEDED decoding: self.Ir(decode) <= noise",
        "         10,015, at most 10,014 by the noise of 10 runs; again 11,000",
        "| unconfirmed | decoding | 10,015 | 10,014 |",
        "| **exceeded** | decoding | 10,015 | 10,014 |",
        "<testsuites tests=\"1\" failures=\"0\" errors=\"0\">",
        "<testsuites tests=\"1\" failures=\"1\" errors=\"0\">",
        "::warning file=src/http.c,line=5,title=decoding::10,015, at most 10,014 by the noise of 10 runs; \
         unconfirmed: a second run, with --again, shows whether this is noise%0Adecode (src/http.c:5)  10,004 -> 10,015 (+0.1 %25)",
        "::error file=src/http.c,line=5,title=decoding::10,015, at most 10,014 by the noise of 10 runs; again 11,000%0A\
         decode (src/http.c:5)  10,004 -> 10,015 (+0.1 %25)",
    ] {
        assert!(all.lines().any(|l| l == line), "{line}\n{all}");
    }
}

#[test]
fn the_page_has_every_cost_and_is_kept_to_its_size() {
    let stage = stage();
    let page = stage.report(&["trend", "runs", "--format=html", "-o", "-"]);
    let data = crate::page::data(&page);
    let values: Vec<i128> = data.counts("values");
    let report = json_of(&stage, &["runs"]);
    let rows = std::iter::once(&report["total"]).chain(report["rows"].as_array().unwrap());
    let want: Vec<i128> = rows
        .flat_map(|row| row["values"].as_array().unwrap())
        .map(|v| i128::from(v.as_i64().unwrap()))
        .collect();
    assert_eq!(values, want);
    let about = data.about();
    assert_eq!(
        about["charts"][1]["changes"][0]["told"],
        "+10.0 %, step at run 31, run-31: 10,004 → 11,004"
    );
    assert!(
        page.contains("<th scope=\"row\">+10.0 %, step at run 31, run-31: 10,004 → 11,004</th>"),
        "readable without script"
    );
    let small = stage.run(&["trend", "runs", "--format=html", "-o", "-", "--max-size=1k"]);
    assert_eq!(small.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&small.stderr).contains("--max-size: no page is smaller than"),
        "{small:?}"
    );
}

/// A pack is a run like the profile in it, alone and in a folder, and is enough to say why
/// something changed.
#[test]
fn packs_are_runs() {
    let stage = stage();
    std::fs::create_dir(stage.dir.join("packs")).unwrap();
    std::fs::create_dir(stage.dir.join("few")).unwrap();
    for at in 19..=34 {
        let profile = format!("runs/run-{at}");
        stage.report(&["pack", &profile, "-o", &format!("packs/run-{at}.cgpack")]);
        std::fs::rename(
            stage.dir.join(&profile),
            stage.dir.join(format!("few/run-{at}")),
        )
        .unwrap();
    }
    let (profiles, packs) = (json_of(&stage, &["few"]), json_of(&stage, &["packs"]));
    assert_eq!(
        [&packs["rows"], &packs["total"]],
        [&profiles["rows"], &profiles["total"]]
    );
    assert!(
        packs["rows"][0]["changes"][0]["why"][0]
            .as_str()
            .unwrap()
            .contains("1.1x the calls"),
        "{}",
        packs["rows"]
    );
    // Labels stand in the profiles; who has none is called like the pack.
    let names: Vec<&str> = packs["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["name"].as_str().unwrap())
        .collect();
    assert_eq!(names[..2], ["run-19.cgpack", "v20"]);
    let mixed = json_of(&stage, &["few/run-19", "packs/run-20.cgpack", "few/run-21"]);
    assert_eq!(
        mixed["total"]["values"],
        json_of(&stage, &["few/run-19", "few/run-20", "few/run-21"])["total"]["values"]
    );
}

#[test]
fn inclusive_costs_that_nobody_recorded_are_refused() {
    let stage = Stage::empty();
    stage.write(
        "one",
        "cmd: ./a\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=f\n2 90\nsummary: 100\n",
    );
    let out = stage.run(&["trend", "--inclusive=yes", "one", "one"]);
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        said,
        "cgannotate: one: no calls were recorded, so inclusive costs are not known\n"
    );
}

/// Of each bench the older run comes first: what was saved, then `.old`, then the last one. Benches
/// that are side by side or deep below a folder are series of their own.
#[test]
fn every_bench_is_a_series_of_its_own() {
    let stage = Stage::empty();
    let write = |folder: &str, bench: &str, costs: [(&str, i64); 3]| {
        std::fs::create_dir_all(stage.dir.join(folder)).unwrap();
        for (age, calls) in costs {
            stage.write(&format!("{folder}/{bench}{age}"), run(calls, 0, ""));
        }
    };
    let fast = [("", 120), (".old", 110), (".base@main", 100)];
    write(
        "target/gungraun/app/lib_bench/group/parse.small",
        "callgrind.parse.small.out",
        fast,
    );
    let slow = [("", 300), (".old", 200), (".old2", 100)];
    write(
        "target/gungraun/app/lib_bench/group/parse.large",
        "callgrind.parse.large.out",
        slow,
    );
    stage.write(
        "target/gungraun/app/lib_bench/group/parse.large/callgrind.parse.large.log",
        "==1== Callgrind\n",
    );
    write(
        "iai",
        "callgrind.out.fib",
        [("", 120), (".old", 110), (".old2", 100)],
    );
    // A bench that ran once, and in a folder of its own.
    stage.write("iai/callgrind.out.new", run(7, 0, ""));
    std::fs::create_dir_all(stage.dir.join("once/app/lib_bench/group/f.g")).unwrap();
    std::fs::create_dir_all(stage.dir.join("once/app/lib_bench/group/f.h")).unwrap();
    stage.write(
        "once/app/lib_bench/group/f.g/callgrind.f.g.out",
        run(1, 0, ""),
    );
    stage.write(
        "once/app/lib_bench/group/f.h/callgrind.f.h.out",
        run(2, 0, ""),
    );
    let totals = |folder: &str| {
        let all = json_of(&stage, &[folder]);
        let all = if all.is_array() { all } else { json!([all]) };
        let all = all
            .as_array()
            .unwrap()
            .iter()
            .map(|series| series["total"]["values"].clone());
        json!(all.collect::<Vec<_>>())
    };
    let small = json!([60_000, 61_000, 62_000]);
    let large = json!([60_000, 70_000, 80_000]);
    assert_eq!(totals("target"), json!([large, small]));
    assert_eq!(
        totals("target/gungraun/app/lib_bench/group/parse.large"),
        json!([large])
    );
    assert_eq!(totals("iai"), json!([small, [50_700]]));
    assert_eq!(
        totals("once/app/lib_bench/group"),
        json!([[50_100], [50_200]])
    );
    let text = stage.report(&["trend", "target/gungraun"]);
    let names: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("target/"))
        .collect();
    let folder = "target/gungraun/app/lib_bench/group";
    let [large, small] =
        ["parse.large", "parse.small"].map(|bench| format!("{folder}/{bench}/callgrind.{bench}"));
    assert_eq!(names, [large, small], "{text}");
    assert_eq!(text.matches("Too few runs to tell").count(), 2, "{text}");
    // One table or page has one series.
    let out = stage.run(&["trend", "iai", "--format=csv"]);
    assert_eq!(out.status.code(), Some(2), "{out:?}");

    // A profile is held to the runs before of its own bench, without itself.
    let limit = ["--limit", "total.Ir <= noise", "--report", "json"];
    for (args, status, reason) in [
        (
            ["check", "iai/callgrind.out.fib", "--history", "iai"],
            0,
            json!("noise is not known: the history has 2 runs and needs 10"),
        ),
        (
            ["check", "iai/callgrind.out.new", "--history", "iai"],
            0,
            json!("noise is not known: the history has 0 runs and needs 10"),
        ),
    ] {
        let out = stage.run(&[&args[..], &limit].concat());
        let report: Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(
            (out.status.code(), &report["limits"][0]["reason"]),
            (Some(status), &reason),
            "{args:?}"
        );
    }
    let other = [
        "check",
        "once/app/lib_bench/group/f.g/callgrind.f.g.out",
        "--history",
        "iai",
    ];
    let out = stage.run(&[&other[..], &limit].concat());
    assert_eq!(out.status.code(), Some(1), "{out:?}");
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .contains("none of the 2 benches belongs to this profile"),
        "{out:?}"
    );
}

/// Files of other names are runs in their order, also in a folder called `out`.
#[test]
fn a_folder_of_runs_has_no_benches() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("out")).unwrap();
    for at in 1..=3 {
        stage.write(&format!("out/callgrind.out.{at}"), run(at, 0, ""));
    }
    assert_eq!(
        json_of(&stage, &["out"])["total"]["values"],
        json!([50_100, 50_200, 50_300])
    );
}

/// Cargo's hash in the names of a bench and the numbers by which it is started change from build to
/// build.
#[test]
fn another_build_of_a_bench_is_the_same() {
    let stage = Stage::empty();
    let built = |hash: &str, arguments: &str, calls: i64| {
        let bench = format!("/t/release/deps/lib_bench-{hash}");
        run(calls, 0, "")
            .replace("./app", &format!("{bench} {arguments}"))
            .replace("/bin/app", &bench)
    };
    for (old, new) in [
        (
            "--gungraun-run group 0 1 lib_bench::group::f",
            "--gungraun-run group 0 2 lib_bench::group::f",
        ),
        (
            "--gungraun-run 00000 00001 00000",
            "--gungraun-run 00000 00002 00000",
        ),
        ("--iai-run 3 f", "--iai-run 4 f"),
    ] {
        stage
            .write("old", built("0123456789abcdef", old, 100))
            .write("new", built("fedcba9876543210", new, 101));
        let checked = [
            "check",
            "new",
            "--baseline",
            "old",
            "--limit",
            "self.Ir(decode) <= +2%",
        ];
        let merged = ["merge", "old", "new", "-o", "-"];
        for args in [
            &["trend", "old", "new"][..],
            &["diff", "old", "new"],
            &checked,
            &merged,
            &["old", "new"],
        ] {
            let out = stage.run(args);
            assert_eq!(
                (out.status.code(), String::from_utf8_lossy(&out.stderr)),
                (Some(0), "".into()),
                "{args:?}"
            );
        }
        let rows = json_of(&stage, &["old", "new"])["rows"].clone();
        assert_eq!(
            (rows.as_array().unwrap().len(), &rows[0]["values"]),
            (1, &json!([10_000, 10_100])),
            "{rows}"
        );
    }
    // Other arguments are another command.
    stage.write("new", built("fedcba9876543210", "--iai-run 4 g", 100));
    let out = stage.run(&["trend", "old", "new"]);
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("the commands of the runs differ"),
        "{out:?}"
    );
}

/// What is wrong with many inputs is said once, with the names of some.
#[test]
fn many_inputs_of_one_kind_are_one_note() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("runs")).unwrap();
    for at in 1..=14 {
        stage.write(
            &format!("runs/r{at:02}"),
            run(100, 0, &format!("odd: {at}\n")) + "what is this\n",
        );
    }
    let files: Vec<String> = (1..=14).map(|at| format!("runs/r{at:02}")).collect();
    let all: Vec<&str> = files.iter().map(String::as_str).collect();
    let others = "; also in runs/r02, runs/r03, runs/r04 and 10 more";
    let merged = [&["merge", "-o", "m"][..], &all].concat();
    for args in [&["trend", "runs"][..], &merged] {
        let said = String::from_utf8(stage.run(args).stderr).unwrap();
        for kind in ["[unknown-header]", "[malformed-line]"] {
            let notes: Vec<&str> = said.lines().filter(|line| line.contains(kind)).collect();
            assert_eq!(notes.len(), 1, "{args:?}: {said}");
            assert!(
                notes[0].starts_with("cgannotate: runs/r01:") && notes[0].ends_with(others),
                "{said}"
            );
        }
    }
    stage.write("new", run(100, 0, ""));
    let out = stage.run(&[
        "check",
        "new",
        "--history",
        "runs",
        "--limit",
        "total.Ir <= noise",
    ]);
    let said = String::from_utf8(out.stderr).unwrap();
    let notes: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("not used for the history"))
        .collect();
    assert_eq!(notes.len(), 1, "{said}");
    assert!(
        notes[0].ends_with("; this run and 13 more are not used for the history"),
        "{said}"
    );
}

/// A limit that is exceeded by little is not shown as one that is kept, in no form; nor one that is
/// kept as exceeded.
#[test]
fn percentages_say_why_a_limit_is_exceeded() {
    let stage = Stage::empty();
    let profile = |cost: i64| format!("events: Ir\nfl=a.c\nfn=main\n1 {cost}\n");
    stage.write("old", profile(1_000_000));
    for (cost, limit, status, shown) in [
        (1_010_001, "1", 3, "+1.0001 %"),
        (1_010_000, "1", 0, "+1.0 %"),
        (1_009_999, "1", 0, "+1.0 %"),
        (1_010_600, "1.07", 0, "+1.06 %"),
        (1_012_500, "1.2", 3, "+1.25 %"),
        (1_050_000, "1", 3, "+5.0 %"),
        (1_000_001, "0", 3, "+0.0001 %"),
        (989_999, "-1", 0, "-1.0 %"),
        (990_001, "-1", 3, "-0.9999 %"),
    ] {
        stage.write("new", profile(cost));
        let limit = format!("total.Ir <= +{limit}%").replace("+-", "-");
        for form in ["text", "markdown", "junit", "github"] {
            let args = [
                "check",
                "new",
                "--baseline",
                "old",
                "--limit",
                &limit,
                "--report",
                form,
            ];
            let out = stage.run(&args);
            let text = String::from_utf8(out.stdout).unwrap().replace("%25", "%");
            assert_eq!(out.status.code(), Some(status), "{args:?}: {text}");
            let is_listed = form != "github" || status != 0;
            assert_eq!(
                text.contains(&format!("({shown})")),
                is_listed,
                "{cost} {args:?}: {text}"
            );
        }
    }
}
