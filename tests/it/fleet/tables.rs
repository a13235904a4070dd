//! The tables of one run, and of runs in one folder.

use super::{Row, number, sums, table};
use crate::common::amount::{at_least, some};
use crate::common::{Stage, fixture, profiles};
use cgannotate::analysis::FunctionKey;
use cgannotate::analysis::difference::{How, Matching, Rules};
use cgannotate::input::{self, Options};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Writes the tables of a run, and gives its folder another name.
fn write(stage: &Stage, file: &str, folder: &str) {
    tables(stage, &[file], folder);
}

fn tables(stage: &Stage, args: &[&str], folder: &str) {
    stage.report(&[&["convert", "--to=tables", "-o", "written"], args].concat());
    let written = stage.dir.join("written");
    let run = fs::read_dir(&written).unwrap().next().unwrap().unwrap();
    let _ = fs::remove_dir_all(stage.dir.join(folder));
    fs::rename(run.path(), stage.dir.join(folder)).unwrap();
    fs::remove_dir(written).unwrap();
}

/// Self costs add up to what the JSON report says, in functions, in lines and in the list of
/// events, and nothing is there twice.
#[test]
fn tables_add_up_to_the_totals() {
    let stage = Stage::empty();
    let (mut costs, mut with_lines) = (0, 0);
    for name in some(profiles()) {
        let file = fixture(&name);
        write(&stage, &file, "t");
        let json = stage.json(&[&file]);
        let of = |list: &str| json[list].as_array().map_or(&[][..], Vec::as_slice);
        let events = of("events");
        let [functions, lines, arcs, totals] =
            ["functions", "lines", "arcs", "events"].map(|t| table(&stage, "t", t));
        let recorded = totals.len();
        assert!(recorded > 0 && recorded <= events.len(), "{name}");
        let by_event = sums(&functions, &["event"], "self");
        let of_lines = sums(&lines, &["function", "event"], "self");
        let of_functions = sums(&functions, &["function", "event"], "self");
        assert_eq!(
            of_functions.len(),
            functions.len(),
            "{name}: a function is there twice"
        );
        for (at, row) in totals.iter().enumerate() {
            let event = &row["event"];
            assert_eq!(events[at], event, "{name}");
            assert_eq!(
                number(row, "total"),
                i128::from(json["totals"][at].as_i64().unwrap()),
                "{name} {event}"
            );
            let said: i128 = of("functions")
                .iter()
                .map(|f| i128::from(f["self"][at].as_i64().unwrap()))
                .sum();
            assert_eq!(number(row, "self"), said, "{name} {event}");
            assert_eq!(
                by_event.get(&vec![event]).copied().unwrap_or(0),
                said,
                "{name} {event}"
            );
        }
        if json.get("lines").is_some() && !lines.is_empty() {
            with_lines += 1;
            for (key, cost) in of_functions {
                assert_eq!(
                    of_lines.get(&key).copied().unwrap_or(0),
                    cost,
                    "{name} {key:?}"
                );
                costs += 1;
            }
        }
        // Calls are on a row for each event that any call of the arc costs.
        let first: BTreeMap<(&str, &str), i128> = arcs
            .iter()
            .map(|row| ((&row["caller"], &row["callee"]), number(row, "calls")))
            .collect();
        let calls: i128 = of("calls")
            .iter()
            .map(|call| i128::from(call["count"].as_u64().unwrap()))
            .sum();
        assert_eq!(first.values().sum::<i128>(), calls, "{name}");
        let cost: i128 = of("calls")
            .iter()
            .map(|call| i128::from(call["inclusive"][0].as_i64().unwrap()))
            .sum();
        let first = &totals[0]["event"];
        assert_eq!(
            sums(&arcs, &["event"], "inclusive")
                .get(&vec![first])
                .copied()
                .unwrap_or(0),
            cost,
            "{name}"
        );
        let known: BTreeSet<&str> = functions.iter().map(|row| &row["function"]).collect();
        assert!(
            arcs.iter()
                .all(|row| known.contains(&row["caller"]) && known.contains(&row["callee"]))
        );
    }
    assert!(
        costs > at_least(9_000) && with_lines > at_least(30),
        "{costs} {with_lines}"
    );
}

/// What functions cost inclusively, how often they were called and which cycle they are in is what
/// JSON says.
#[test]
fn functions_are_those_of_the_report() {
    let stage = Stage::empty();
    let mut compared = 0;
    for name in some(profiles()) {
        stage.write("p", fs::read(fixture(&name)).unwrap());
        write(&stage, "p", "t");
        let json = stage.json(&["p"]);
        let event = json["events"][0].as_str().unwrap();
        let functions = table(&stage, "t", "functions");
        // Functions that are named by their addresses are one, and others cost what they do without
        // it.
        let is_alone = |row: &&Row| &row["event"] == event && &row["members"] == "1";
        let of_event: Vec<&Row> = functions.iter().filter(is_alone).collect();
        let by_name: BTreeMap<[&str; 3], &Row> = (of_event.iter())
            .map(|row| (["object", "file", "name"].map(|column| &row[column]), *row))
            .collect();
        for function in json["functions"].as_array().unwrap() {
            let key = ["object", "file", "name"].map(|column| function[column].as_str().unwrap());
            // Others have bytes that JSON does not have, or no count of this event.
            let Some(row) = by_name.get(&key) else {
                continue;
            };
            let said = |column: &str| match &function[column] {
                Value::Array(counts) => counts[0].to_string(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            // Of Cachegrind's profiles nobody knows it; elsewhere a count that was never written is
            // 0 in JSON.
            let inclusive = &row["inclusive"];
            let never = inclusive.is_empty() && said("inclusive") == "0";
            assert!(
                never || inclusive == said("inclusive"),
                "{name} {key:?}: {inclusive}"
            );
            assert_eq!(
                [&row["calls"], &row["cycle"]],
                [&said("called")[..], &said("cycle")],
                "{name} {key:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > at_least(3_000), "{compared}");
}

/// What two builds call one function has one key: whatever `diff` takes for the same, where the
/// object has its name.
#[test]
fn keys_are_the_same_in_every_build_that_diff_pairs() {
    let pairs = [
        ("diff/mail/mail.home.out", "diff/mail/mail.ci.out"),
        ("diff/server/server.old.out", "diff/server/server.new.out"),
    ];
    for (old, new) in pairs {
        let stage = Stage::empty();
        let (old, new) = (fixture(old), fixture(new));
        write(&stage, &old, "old");
        write(&stage, &new, "new");
        let read = |file: &str| input::read(&[file], &Options::all()).unwrap();
        let (old, new) = (read(&old), read(&new));
        let matching = Matching::new(&old, &new, &Rules::default());
        let keys = |folder: &str| -> BTreeSet<String> {
            table(&stage, folder, "functions")
                .into_iter()
                .map(|row| row["function"].to_owned())
                .collect()
        };
        let (old_keys, new_keys) = (keys("old"), keys("new"));
        let (mut same, mut moved) = (0, 0);
        for pair in matching.pairs.iter().filter(|pair| pair.how == How::Same) {
            let old = matching.old.label(pair.old.unwrap());
            let new = matching.new.label(pair.new.unwrap());
            let last = |object: Option<&[u8]>| {
                object
                    .unwrap_or_default()
                    .rsplit(|&b| b == b'/')
                    .next()
                    .unwrap()
                    .to_vec()
            };
            if last(old.object) != last(new.object) {
                moved += 1;
                continue;
            }
            let key = FunctionKey::new(old.object.unwrap_or_default(), old.file, old.name.bytes())
                .to_string();
            assert_eq!(
                key,
                FunctionKey::new(new.object.unwrap_or_default(), new.file, new.name.bytes())
                    .to_string()
            );
            assert!(
                old_keys.contains(&key) && new_keys.contains(&key),
                "{}",
                old.name
            );
            same += 1;
        }
        assert!(same > 5 && same > 20 * moved, "{same} {moved}");
    }
}

/// The tables of a merge are the sums of the tables: self costs, and calls and what they cost.
#[test]
fn merging_is_adding_up() {
    let stage = Stage::empty();
    for runs in [
        &[
            "shapes/shapes.plain.out",
            "shapes/shapes.cachebranch.out",
            "shapes/shapes.plain.out",
        ][..],
        &["diff/server/server.old.out", "diff/server/server.new.out"],
        &["diff/mail/mail.home.out", "diff/mail/mail.ci.out"],
    ] {
        let files: Vec<String> = runs.iter().map(|run| fixture(run)).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        stage.report(&[&["merge", "-o", "all"], &files[..]].concat());
        write(&stage, "all", "merged");
        let (mut functions, mut arcs) = (Vec::new(), Vec::new());
        for file in files {
            write(&stage, file, "t");
            functions.extend(table(&stage, "t", "functions"));
            arcs.extend(table(&stage, "t", "arcs"));
        }
        for (rows, by, of, name) in [
            (&functions, &["function", "event"], "self", "functions"),
            (&arcs, &["caller", "callee"], "calls", "arcs"),
            (&arcs, &["caller", "callee"], "inclusive", "arcs"),
        ] {
            // A row of the merge has the events of all runs; calls stand on each.
            let ir = |rows: &[Row]| {
                rows.iter()
                    .filter(|row| &row["event"] == "Ir")
                    .cloned()
                    .collect::<Vec<_>>()
            };
            let (merged, rows) = (ir(&table(&stage, "merged", name)), ir(rows));
            let want = sums(&rows, by, of);
            assert!(want.len() > 5 && want.values().any(|&sum| sum > 0));
            assert_eq!(sums(&merged, by, of), want, "{runs:?} {of}");
        }
    }
}

/// Two closures that differ by their numbers are one function, with the calls of both and recursion
/// counted once.
#[test]
fn functions_of_one_key_are_one_function() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nob=/x/app\nfl=/x/a.rs\nfn=main\n1 5\ncfn=run::{closure#1}\ncalls=2\n1 30\n\
        cfn=run::{closure#2}\ncalls=3\n1 40\nfn=run::{closure#1}\n2 10\ncfn=run::{closure#2}\ncalls=1\n2 20\n\
        fn=run::{closure#2}\n2 60\n3 1\n",
    );
    write(&stage, "p", "t");
    let functions = table(&stage, "t", "functions");
    let of = |row: &Row, columns: &[&str]| {
        columns
            .iter()
            .map(|c| row[c].to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let columns = ["name", "self", "inclusive", "calls", "members", "cycle"];
    let got: Vec<String> = functions.iter().map(|row| of(row, &columns)).collect();
    // 10 + 61 of their own; main's calls say 70, and the call between them is inside of those.
    assert_eq!(got, ["main 5 75 0 1 ", "run::{closure#1} 71 71 6 2 "]);
    let lines: Vec<String> = table(&stage, "t", "lines")
        .iter()
        .map(|row| of(row, &["line", "self"]))
        .collect();
    assert_eq!(lines, ["1 5", "2 70", "3 1"]);
    let arcs: Vec<String> = table(&stage, "t", "arcs")
        .iter()
        .map(|row| of(row, &["calls", "inclusive"]))
        .collect();
    assert_eq!(arcs, ["5 70", "1 20"]);
}

/// Two functions of a library without names are one, which `sort` calls and is called by: no cycle,
/// and no less cost.
#[test]
fn one_of_several_members_makes_no_cycle() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nob=/x/lib.so\nfn=0x0000000000001000\n0 5\ncfn=sort\ncalls=1 0\n0 30\nfn=sort\n0 10\n\
         cfn=0x0000000000002000\ncalls=4 0\n0 20\nfn=0x0000000000002000\n0 20\n",
    );
    write(&stage, "p", "t");
    let columns = ["name", "self", "inclusive", "calls", "members", "cycle"];
    let functions = table(&stage, "t", "functions");
    let got: Vec<String> = functions
        .iter()
        .map(|row| columns.map(|column| &row[column]).join(" "))
        .collect();
    assert_eq!(got, ["0x0000000000001000 25 35 4 2 ", "sort 10 30 1 1 "]);
}

#[test]
fn what_was_never_recorded_is_empty() {
    let stage = Stage::empty();
    stage
        .write("p", "events: Ir Dr\nevent: Sum = Ir + 2 Dr\nfl=a,b.c\nfn=f\n1 5\ncfn=\"g\"\ncalls=2\n1\nfn=h\n2 1 7\n");
    write(&stage, "p", "t");
    let text = |name: &str| fs::read_to_string(stage.dir.join("t").join(name)).unwrap();
    let after_key = |text: &str| -> Vec<String> {
        text.lines()
            .skip(1)
            .map(|line| line.split_once(',').unwrap().1.to_owned())
            .collect()
    };
    assert_eq!(
        after_key(&text("functions.csv")),
        [
            "Ir,5,5,0,,1,f,\"a,b.c\",",
            "Ir,,,2,,1,\"\"\"g\"\"\",\"a,b.c\",",
            "Ir,1,1,0,,1,h,\"a,b.c\",",
            "Dr,7,7,0,,1,h,\"a,b.c\",",
        ]
    );
    assert_eq!(
        text("events.csv"),
        "event,number,formula,total,self\nIr,1,,6,6\nDr,2,,7,7\n"
    );
    assert_eq!(
        text("runs.csv"),
        "schema,name,label,commit,format,creator,command,pid,parts,truncated,input,inputs\n\
        1,p,,,callgrind,,,,1,false,p,1\n"
    );
    tables(&stage, &["p", "--show=Sum", "--label=r"], "t");
    assert_eq!(
        text("events.csv"),
        "event,number,formula,total,self\nSum,1,Ir + 2 Dr,20,20\n"
    );
    assert_eq!(
        table(&stage, "t", "lines")
            .iter()
            .map(|row| number(row, "self"))
            .collect::<Vec<_>>(),
        [5, 15]
    );
    assert!(text("runs.csv").contains("\n1,r,,,callgrind,"));
    // Cachegrind does not know the calls.
    write(&stage, &fixture("cachegrind/matrix.cg-nosim.out"), "t");
    assert!(
        table(&stage, "t", "functions")
            .iter()
            .all(|row| row["inclusive"].is_empty() && row["calls"].is_empty())
    );
}

#[test]
fn runs_stand_side_by_side() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "cmd: ./p\ndesc: Label: night/1 é\ndesc: Commit: 0123456789ab\nevents: Ir\nsummary: 5\nfn=f\n1 5\ntotals: 5\n",
    );
    stage.write("q", "events: Ir\nfn=f\n1 6\n");
    for args in [&["p"][..], &["q"], &["p", "--label=0012"]] {
        stage.report(&[&["convert", "--to=tables", "-o", "runs"], args].concat());
    }
    let there = |folder: &str| -> Vec<String> {
        let mut names: Vec<String> = (fs::read_dir(stage.dir.join(folder)).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let runs = ["run=0012", "run=night%2F1%20é", "run=q"];
    assert_eq!(there("runs"), runs);
    for run in runs {
        let files = [
            "arcs.csv",
            "events.csv",
            "functions.csv",
            "lines.csv",
            "runs.csv",
        ];
        assert_eq!(there(&format!("runs/{run}")), files);
    }
    let run = &table(&stage, "runs/run=night%2F1%20é", "runs")[0];
    assert_eq!(
        ["name", "label", "commit", "command"].map(|c| &run[c][..]),
        ["night/1 é", "night/1 é", "0123456789ab", "./p"]
    );
    // What is there stays as it is.
    let before = fs::read(stage.dir.join("runs/run=q/functions.csv")).unwrap();
    let out = stage.run(&["convert", "--to=tables", "-o", "runs", "p", "--label=q"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .contains("run=q: already exists\nhint: `--label TEXT`")
    );
    assert_eq!(
        fs::read(stage.dir.join("runs/run=q/functions.csv")).unwrap(),
        before
    );
    assert_eq!(there("runs"), runs);
    // Without a name there is no folder.
    for args in [&["p", "--label="][..], &["-"]] {
        let out = stage.run(&[&["convert", "--to=tables", "-o", "runs"], args].concat());
        assert!(!out.status.success());
    }
    assert_eq!(there("runs"), runs);
}

/// A process that was killed left the folder, and its number is that of a later one.
#[cfg(unix)]
#[test]
fn an_unfinished_folder_is_written_anew() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfn=f\n1 5\n");
    let left = ".run=x.$$.part";
    let script = format!("mkdir -p t/{left} && touch t/{left}/old && exec \"$@\"");
    let ours = env!("CARGO_BIN_EXE_cgannotate");
    let convert = "convert --to=tables --label=x -o t p";
    let args: Vec<&str> = ["-c", &script, "sh", ours]
        .into_iter()
        .chain(convert.split(' '))
        .collect();
    assert!(stage.any("sh", &args).status().unwrap().success());
    let names = |folder: &str| -> BTreeSet<_> {
        let all = fs::read_dir(stage.dir.join(folder)).unwrap();
        all.map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    assert_eq!(names("t"), BTreeSet::from(["run=x".to_owned()]));
    assert!(!names("t/run=x").contains("old"));
}

#[test]
fn the_same_input_gives_the_same_tables() {
    let stage = Stage::empty();
    let file = fixture("shapes/shapes.combined.out");
    write(&stage, &file, "a");
    tables(&stage, &["--threads=1", &file], "b");
    for name in ["runs", "functions", "lines", "arcs", "events"] {
        let read =
            |folder: &str| fs::read(stage.dir.join(folder).join(format!("{name}.csv"))).unwrap();
        assert!(read("a") == read("b") && !read("a").is_empty(), "{name}");
    }
}
