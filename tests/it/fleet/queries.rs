//! The SQL of docs/fleet.md, run by DuckDB as it stands there, against what the program itself says
//! of the profiles.

#[path = "../../../benches/fleet.rs"]
mod runs;

use super::{Row, number, table};
use crate::common::needed::{Required, found};
use crate::common::{Stage, add_to, fixture};
use cgannotate::analysis::FunctionKey;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// 200 runs: the profile, what the runs are called, how many there are, and from where on what
/// costs more.
const RUNS: [(&str, &str, u64, &[&str]); 2] = [
    (
        "rust/balls.out",
        "balls",
        120,
        &["balls::scene::grid::count@60+3", "floor@90+10"],
    ),
    ("interpreter/perl.out", "perl", 80, &["Perl_hv_common@41+3"]),
];

/// What is charged to its callers, for smaller profiles.
const FOLDED: [&str; 2] = [
    "--fold=ld-linux|vgpreload",
    "--fold=^(S_|Perl_(ck|gv|new|op|pp|sv|yy))",
];

/// The profiles, and their tables below `runs/`.
fn fleet() -> Stage {
    let stage = Stage::empty();
    let mut files: Vec<String> = Vec::new();
    for (profile, name, count, steps) in RUNS {
        let steps: Vec<runs::Step> = steps
            .iter()
            .map(|step| runs::Step::read(step).unwrap())
            .collect();
        stage.report(
            &[
                &[
                    "convert",
                    "--to=callgrind",
                    "-o",
                    "small",
                    &fixture(profile),
                ],
                &FOLDED[..],
            ]
            .concat(),
        );
        let text = without_lines(&fs::read_to_string(stage.dir.join("small")).unwrap());
        runs::write(&text, name, count, &stage.dir.join("profiles"), &steps).unwrap();
        files.extend((1..=count).map(|run| format!("profiles/{}", runs::name(name, run))));
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    stage.report(&["convert", "--to=tables", "-o", "runs", file]);
                }
            });
        }
    });
    assert_eq!(fs::read_dir(stage.dir.join("runs")).unwrap().count(), 200);
    stage
}

/// A profile in which each function has one line: the questions are about functions, and lines are
/// four fifths of the tables.
fn without_lines(text: &str) -> String {
    let mut out = String::new();
    let (mut costs, mut of_call): (Vec<i64>, bool) = (Vec::new(), false);
    for line in text.lines().chain([""]) {
        if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c)) {
            let counts = line
                .split(' ')
                .skip(1)
                .map(|count| count.parse::<i64>().unwrap());
            if of_call {
                out += &format!(
                    "0 {}\n",
                    counts
                        .map(|count| count.to_string())
                        .collect::<Vec<_>>()
                        .join(" ")
                );
            } else {
                add_to(&mut costs, &counts.collect::<Vec<_>>());
            }
            of_call = false;
            continue;
        }
        // Before a call and at the end of a function.
        if !costs.is_empty() {
            out += &format!(
                "0 {}\n",
                costs
                    .drain(..)
                    .map(|count| count.to_string())
                    .collect::<Vec<_>>()
                    .join(" ")
            );
        }
        of_call = line.starts_with("calls=");
        let line = if of_call {
            format!("{} 0", line.split(' ').next().unwrap())
        } else {
            line.to_owned()
        };
        out += &format!("{line}\n");
    }
    out
}

/// Whether DuckDB is installed; says so where it is not, and fails where it must be.
fn has_database() -> bool {
    let stage = Stage::empty();
    let installed = stage
        .any("python3", &["-c", "import duckdb"])
        .output()
        .is_ok_and(|out| out.status.success());
    let missing = "Python's package duckdb is not installed (pip install duckdb), so the SQL of docs/fleet.md was not run";
    found(installed, Required::Database, missing)
}

/// What DuckDB answers.
fn answers(stage: &Stage) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/fleet.py");
    let out = stage
        .any("python3", &[script.to_str().unwrap(), "duckdb"])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    serde_json::from_slice(&out.stdout).unwrap()
}

/// The rows of an answer, their values as text.
fn rows(answers: &Value, question: &str) -> Vec<Vec<String>> {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let rows = answers[question]
        .as_array()
        .unwrap_or_else(|| panic!("no answer to {question}"));
    assert!(!rows.is_empty(), "{question}: nothing");
    rows.iter()
        .map(|row| row.as_array().unwrap().iter().map(text).collect())
        .collect()
}

fn key(of: &Value) -> String {
    let [object, file, name] =
        ["object", "file", "name"].map(|part| of[part].as_str().unwrap_or("").as_bytes());
    FunctionKey::new(object, file, name).to_string()
}

/// Of a list of functions, some number by key, with the name of the first; functions of one key are
/// added up.
fn by_key(functions: &Value, of: impl Fn(&Value) -> i64) -> BTreeMap<String, (String, i64)> {
    let mut sums: BTreeMap<String, (String, i64)> = BTreeMap::new();
    for function in functions.as_array().unwrap() {
        let name = function["name"].as_str().unwrap_or_default().to_owned();
        sums.entry(key(function)).or_insert((name, 0)).1 += of(function);
    }
    sums
}

#[test]
fn the_answers_of_the_page_are_those_of_the_commands() {
    if !has_database() {
        return;
    }
    let stage = fleet();
    let answers = answers(&stage);
    grown(&stage, &answers);
    trend(&stage, &answers);
    top(&stage, &answers);
    callers(&stage, &answers);
    steps(&stage, &answers);
    merged(&stage, &answers);
}

/// What `diff` says of the runs of the two commits, the tenth and the hundred and tenth.
fn grown(stage: &Stage, answers: &Value) {
    let diff = stage.json(&["diff", "profiles/balls.0010", "profiles/balls.0110"]);
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for function in diff["functions"].as_array().unwrap() {
        let side = if function["new"].is_null() {
            &function["old"]
        } else {
            &function["new"]
        };
        let sum = sums.entry(key(side)).or_default();
        sum.0 += function["self"]["old"][0].as_i64().unwrap();
        sum.1 += function["self"]["new"][0].as_i64().unwrap();
    }
    let mut want: Vec<(i64, String, i64, i64)> = sums
        .into_iter()
        .map(|(key, (old, new))| (-(new - old).abs(), key, old, new))
        .collect();
    want.sort();
    let want: Vec<[String; 4]> = (want.into_iter().take(20))
        .map(|(_, key, old, new)| {
            [
                key,
                old.to_string(),
                new.to_string(),
                (new - old).to_string(),
            ]
        })
        .collect();
    let got: Vec<[String; 4]> = rows(answers, "grown")
        .into_iter()
        .map(|row| [0, 2, 3, 4].map(|at: usize| row[at].clone()))
        .collect();
    assert_eq!(got, want);
    assert_eq!(rows(answers, "grown")[0][1], "floor");
}

fn trend(stage: &Stage, answers: &Value) {
    let got = rows(answers, "trend");
    assert_eq!(got.len(), 120);
    for run in [1, 59, 60, 61, 120] {
        let name = runs::name("balls", run);
        let report = stage.json(&[&format!("profiles/{name}")]);
        let functions = report["functions"].as_array().unwrap();
        let of = functions
            .iter()
            .find(|f| f["name"] == "balls::scene::grid::count")
            .unwrap();
        let want = [
            name,
            of["self"][0].to_string(),
            of["inclusive"][0].to_string(),
            of["called"].to_string(),
        ];
        assert_eq!(got[run as usize - 1], want);
    }
}

/// The merge of all profiles, as a report lists it.
fn top(stage: &Stage, answers: &Value) {
    let files: Vec<String> = RUNS
        .iter()
        .flat_map(|&(_, name, count, _)| {
            (1..=count).map(move |run| format!("profiles/{}", runs::name(name, run)))
        })
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    stage.report(&[&["merge", "-o", "all"], &files[..]].concat());
    let report = stage.json(&["all"]);
    let sums = by_key(&report["functions"], |function| {
        function["self"][0].as_i64().unwrap()
    });
    let mut want: Vec<(i64, &String)> = sums.iter().map(|(key, (_, cost))| (-cost, key)).collect();
    want.sort();
    let got: Vec<(i64, String)> = rows(answers, "top")
        .into_iter()
        .map(|row| (-row[2].parse::<i64>().unwrap(), row[0].clone()))
        .collect();
    assert_eq!(got.len(), 20);
    assert_eq!(
        got,
        want.into_iter()
            .take(20)
            .map(|(cost, key)| (cost, key.clone()))
            .collect::<Vec<_>>()
    );
    let total = report["totals"][0].as_i64().unwrap() as f64;
    for row in rows(answers, "top") {
        let percent = 100.0 * row[2].parse::<f64>().unwrap() / total;
        assert!(
            (percent - row[4].parse::<f64>().unwrap()).abs() <= 0.005_001,
            "{row:?}: {percent}"
        );
    }
}

fn callers(stage: &Stage, answers: &Value) {
    let report = stage.json(&["all"]);
    let functions = report["functions"].as_array().unwrap();
    let mut want: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for call in report["calls"].as_array().unwrap() {
        let of = |end: &str| &functions[call[end].as_u64().unwrap() as usize];
        if of("callee")["name"] == "_int_malloc" {
            let sum = want.entry(key(of("caller"))).or_default();
            sum.0 += call["count"].as_i64().unwrap();
            sum.1 += call["inclusive"][0].as_i64().unwrap();
        }
    }
    let got: BTreeMap<String, (i64, i64)> = rows(answers, "callers")
        .into_iter()
        .map(|row| {
            (
                row[0].clone(),
                (row[2].parse().unwrap(), row[3].parse().unwrap()),
            )
        })
        .collect();
    assert!(got.len() > 2);
    assert_eq!(got, want);
}

/// Where functions were made to cost more, and nowhere else: in the query by windows, and by the
/// rule of `trend`.
fn steps(stage: &Stage, answers: &Value) {
    let got: Vec<[String; 2]> = rows(answers, "steps")
        .into_iter()
        .map(|row| [row[0].clone(), row[2].clone()])
        .collect();
    let want = [
        ("balls.0060", "balls::scene::grid::count"),
        ("balls.0090", "floor"),
    ];
    assert_eq!(
        got,
        want.map(|(run, function)| [run.to_owned(), function.to_owned()])
    );

    let runs: Vec<String> = (1..=120)
        .map(|run| format!("profiles/{}", runs::name("balls", run)))
        .collect();
    let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
    let trend = stage.json(&[&["trend"], &runs[..]].concat());
    let mut steps: Vec<[String; 2]> = Vec::new();
    for row in trend["rows"].as_array().unwrap() {
        let changes = row["changes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|change| change["kind"] == "step");
        steps.extend(changes.map(|change| {
            [
                runs::name("balls", change["run"].as_u64().unwrap()),
                row["name"].as_str().unwrap().to_owned(),
            ]
        }));
    }
    steps.sort();
    assert_eq!(steps, got);
}

/// Every self cost and every call of the merge, to the last unit. Shards that are merged in two
/// steps, as on many machines, give the same file.
fn merged(stage: &Stage, answers: &Value) {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/fleet.md")).unwrap();
    let script = page
        .split("```sh\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_cgannotate"))
        .parent()
        .unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let out = stage
        .any("sh", &["-e", "-c", script])
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let runs: Vec<String> = (1..=120)
        .map(|run| format!("profiles/{}", runs::name("balls", run)))
        .collect();
    let runs: Vec<&str> = runs.iter().map(String::as_str).collect();
    stage.report(&[&["merge", "-o", "balls"], &runs[..]].concat());
    let read = |name: &str| fs::read(stage.dir.join(name)).unwrap();
    assert!(read("balls") == read("all.out") && stage.dir.join("shard.ah.out").exists());

    stage.report(&[
        "convert",
        "--to=tables",
        "--label=balls",
        "balls",
        "-o",
        "merged",
    ]);
    let value = |row: &Row, column: &str| number(row, column).to_string();
    let want: BTreeMap<[String; 2], [String; 2]> = (table(stage, "merged/run=balls", "functions")
        .iter())
    .map(|row| {
        (
            [row["function"].to_owned(), row["event"].to_owned()],
            [value(row, "self"), value(row, "calls")],
        )
    })
    .collect();
    let got: BTreeMap<[String; 2], [String; 2]> = rows(answers, "merged")
        .into_iter()
        .map(|row| {
            (
                [row[0].clone(), row[1].clone()],
                [row[3].replace("null", "0"), row[4].clone()],
            )
        })
        .collect();
    assert!(got.len() > 200);
    assert_eq!(got, want);
}
