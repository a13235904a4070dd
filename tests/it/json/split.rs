//! `--split`: the shares, one by one, are what they would be alone, and their sum is the whole.

use super::*;
use crate::common::assert_same;

/// One thread of a process, or all of another.
fn text(pid: u32, thread: &str, part: u32, cost: u32) -> String {
    format!(
        "pid: {pid}\n{thread}part: {part}\nevents: Ir\nfl=a.c\nfn=f\n1 {cost}\ncfn=g\ncalls=1 2\n1 5\nfn=g\n2 5\n"
    )
}

fn totals(documents: &[Value]) -> Vec<(String, i64)> {
    documents
        .iter()
        .map(|d| {
            (
                string(&d["profile"]["split"]["value"]),
                integers(&d["totals"])[0],
            )
        })
        .collect()
}

fn owned(want: &[(&str, i64)]) -> Vec<(String, i64)> {
    want.iter()
        .map(|&(value, total)| (value.to_owned(), total))
        .collect()
}

/// Three parts, two of thread 1, of one process in one file, and another process with a thread 1.
#[test]
fn parts_go_where_their_headers_say() {
    let thread = |n: u32| format!("thread: {n}\n");
    let stage = of_text(
        text(7, &thread(1), 1, 10) + &text(7, &thread(2), 1, 20) + &text(7, &thread(1), 2, 40),
    );
    stage.write("q", text(8, &thread(1), 1, 80));
    let split = |by: &str| documents(&stage, &[&format!("--split={by}"), "p", "q"]);
    assert_eq!(
        totals(&split("part")),
        owned(&[("1", 15), ("2", 25), ("3", 45), ("4", 85)])
    );
    assert_eq!(
        totals(&split("thread")),
        owned(&[("1", 60), ("2", 25), ("1", 85)])
    );
    assert_eq!(totals(&split("pid")), owned(&[("7", 85), ("8", 85)]));
    assert_eq!(totals(&split("run")), owned(&[("7", 85), ("8", 85)]));
    assert_eq!(totals(&split("input")), owned(&[("p", 85), ("q", 85)]));
    let threads = split("thread");
    assert_eq!(
        threads[0]["profile"]["split"],
        serde_json::json!({"by": "thread", "value": "1"})
    );
    assert_eq!(
        threads
            .iter()
            .map(|d| d["profile"]["parts"].as_u64().unwrap())
            .collect::<Vec<_>>(),
        [2, 1, 1]
    );
    assert_eq!(threads[2]["profile"]["files"], serde_json::json!(["q"]));
    assert_eq!(
        Decoded::new(&threads[0]).function("f"),
        &(vec![50], vec![60], 0)
    );
    assert_eq!(
        Decoded::new(&threads[0]).function("g"),
        &(vec![10], vec![10], 2)
    );
}

/// Xdebug appends its runs to one file and names no process: 5,420 is what the original takes for
/// the last one's total.
#[test]
fn appended_runs_are_told_apart() {
    let stage = Stage::of("xdebug");
    let runs = totals(&documents(&stage, &["--split=run", "append-x320.xdebug"]));
    assert_eq!(
        runs.iter().map(|(run, _)| run.as_str()).collect::<Vec<_>>(),
        ["1", "2", "3"]
    );
    assert_eq!(runs.iter().map(|(_, total)| total).sum::<i64>(), 23_893);
    assert_eq!(runs[2].1, 5_420);
}

/// `FILE:RUN` is the run that `--split=run` calls so, wherever a single profile is read.
#[test]
fn a_run_of_a_file_has_a_name() {
    let stage = Stage::of("xdebug");
    let file = "append-x320.xdebug";
    for split in documents(&stage, &["--split=run", file]) {
        let mut split = split;
        let name = format!("{file}:{}", string(&split["profile"]["split"]["value"]));
        let mut alone = stage.json(&[&name]);
        assert_eq!(alone["profile"]["files"], serde_json::json!([name]));
        for document in [&mut split, &mut alone] {
            let profile = document["profile"].as_object_mut().unwrap();
            profile.remove("files");
            profile.remove("split");
        }
        assert_eq!(split, alone, "{name}");
    }
    let changed = stage.json(&["diff", "append-x320.xdebug:1", "append-x320.xdebug:3"]);
    assert_eq!(
        (&changed["total"]["old"][0], &changed["total"]["new"][0]),
        (&serde_json::json!(4_780), &serde_json::json!(5_420)),
        "{changed}"
    );
    let says = |args: &[&str]| {
        let out = stage.run(args);
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    };
    let missing = "cgannotate: append-x320.xdebug: no run `4`; `--split=run` lists the runs\n";
    assert_eq!(says(&["append-x320.xdebug:4"]), (Some(1), missing.into()));
    // The output must not replace the file of an input.
    let (status, why) = says(&[
        "diff",
        "append-x320.xdebug:1",
        "append-x320.xdebug:3",
        "-o",
        file,
    ]);
    assert!(
        status == Some(2) && why.contains("would be overwritten"),
        "{why}"
    );
    // Neither a file of that name nor a file that is not there is a run.
    stage.write("append-x320.xdebug:1", text(7, "", 1, 30));
    assert_eq!(stage.json(&["append-x320.xdebug:1"])["totals"][0], 35);
    let (status, why) = says(&["none:1"]);
    assert!(status == Some(1) && why.contains("none:1: "), "{why}");
    // A process is a run of Callgrind.
    let both = format!("{}\n{}", text(7, "", 1, 30), text(8, "", 1, 50));
    stage.write("both", both);
    assert_eq!(stage.json(&["both:8"])["totals"][0], 55);
}

/// The header of a part may come in any order, `thread:` last, and a part may have no cost at all.
#[test]
fn the_whole_header_counts() {
    let stage = of_text(
        "events: Ir\npid: 1\nthread: 1\nfn=f\n1 1\nevents: Ir\npid: 1\nthread: 2\nfn=f\n1 2\n\
         events: Ir\nthread: 3\nfn=f\nsummary: 0\n",
    );
    let shares = documents(&stage, &["--split=thread", "p"]);
    assert_eq!(totals(&shares), owned(&[("1", 1), ("2", 2), ("3", 0)]));
    assert_eq!(shares[2]["functions"], serde_json::json!([]));
}

/// Alone or split off, a file gives the same report.
#[test]
fn inputs_are_what_they_are_alone() {
    let stage = Stage::of("shapes");
    let files = ["shapes.plain.out", "shapes.cg.out", "shapes.combined.out"];
    let options = ["--auto=no", "--inclusive=yes", "--tree=both"];
    let split = stage.report(&[&options[..], &["--split=input"], &files[..1]].concat());
    assert_same(
        "one",
        &stage.report(&[&options[..], &files[..1]].concat()),
        &split,
    );
    // Other files' events are columns of all shares, so files with the same events.
    let two = stage.report(&[&options[..], &["--split=input", files[0], files[2]]].concat());
    let alone = [files[0], files[2]].map(|file| stage.report(&[&options[..], &[file]].concat()));
    assert_same("two", &alone.concat(), &two);
}

/// A dump cut out by hand, with the header that it inherits, is the share. Each dump of a run
/// defines its names anew.
#[test]
fn a_part_is_what_it_is_alone() {
    let stage = Stage::of("shapes");
    let whole = std::fs::read_to_string(stage.dir.join("shapes.combined.out")).unwrap();
    let second = whole.find("\npart: 2").unwrap();
    let header = whole
        .lines()
        .take_while(|l| !l.starts_with("part:"))
        .map(|l| format!("{l}\n"));
    stage
        .write("one", &whole[..second])
        .write("two", header.collect::<String>() + &whole[second..]);
    let split = documents(&stage, &["--split=part", "shapes.combined.out"]);
    for (name, share) in ["one", "two"].into_iter().zip(&split) {
        assert_eq!(decoded(&stage, &[name]), Decoded::new(share), "{name}");
    }
    assert_eq!(split.len(), 2);
}

/// Threads of one dump use each other's names. Their sum is the file, call by call.
#[test]
fn shares_add_up_to_the_whole() {
    for (folder, file, by) in [
        ("threads", "workers.combined.out", "thread"),
        ("threads", "workers.combined.out", "part"),
        ("parts", "phases.before.out", "part"),
    ] {
        let stage = Stage::of(folder);
        let (whole, shares) = (
            decoded(&stage, &[file]),
            documents(&stage, &[&format!("--split={by}"), file]),
        );
        assert!(shares.len() > 2, "{file}");
        let (mut totals, mut functions, mut lines, mut sites) =
            (0, BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for share in shares.iter().map(Decoded::new) {
            totals += share.totals[0];
            share
                .functions
                .into_iter()
                .for_each(|(key, (own, ..))| *functions.entry(key).or_insert(0) += own[0]);
            share
                .lines
                .into_iter()
                .for_each(|(key, own)| *lines.entry(key).or_insert(0) += own[0]);
            for (key, (count, cost)) in share.sites {
                let sum: &mut (u64, i64) = sites.entry(key).or_default();
                *sum = (sum.0 + count, sum.1 + cost[0]);
            }
        }
        assert_eq!(totals, whole.totals[0], "{file} {by}");
        assert_eq!(
            functions,
            whole
                .functions
                .into_iter()
                .map(|(k, (own, ..))| (k, own[0]))
                .collect(),
            "{file} {by}"
        );
        assert_eq!(
            lines,
            whole
                .lines
                .into_iter()
                .map(|(k, own)| (k, own[0]))
                .collect(),
            "{file} {by}"
        );
        assert_eq!(
            sites,
            whole
                .sites
                .into_iter()
                .map(|(k, (n, cost))| (k, (n, cost[0])))
                .collect(),
            "{file} {by}"
        );
    }
}

/// Each share has a report of its own, with its own head and totals.
#[test]
fn the_text_report_comes_once_a_share() {
    let stage = Stage::of("threads");
    let text = stage.report(&["--auto=no", "--split=thread", "workers.combined.out"]);
    let targets: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("Profiled target:"))
        .collect();
    let of = |thread: u32| {
        format!("Profiled target:  /opt/conf/bin/workers 200 (PID 14769, part 1, thread {thread})")
    };
    assert_eq!(targets, [of(1), of(2), of(3)]);
    let sums: Vec<&str> = text
        .lines()
        .filter(|l| l.ends_with("PROGRAM TOTALS"))
        .collect();
    // The parts' own `summary:` lines.
    assert_eq!(
        sums,
        [
            "119,013 (100.0%)  PROGRAM TOTALS",
            "17,044 (100.0%)  PROGRAM TOTALS",
            "5,509 (100.0%)  PROGRAM TOTALS"
        ]
    );
}

/// A dump that counted nothing is a report without functions, and nothing to complain of.
#[test]
fn an_empty_part_is_a_report() {
    let stage = Stage::of("regressions");
    let out = stage.run(&["--auto=no", "--split=part", "parts-without-body.out"]);
    assert_eq!(
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).as_ref()
        ),
        (Some(0), "")
    );
    assert_eq!(
        String::from_utf8_lossy(&out.stdout)
            .matches("PROGRAM TOTALS")
            .count(),
        4
    );
}

/// A process may end with a dump that counted nothing. What was appended behind it is of the next
/// one.
#[test]
fn an_empty_part_is_of_its_own_process() {
    let part = |n: u32, body: &str, cost: u32| {
        format!("part: {n}\nevents: Ir\nsummary: {cost}\n\n{body}totals: {cost}\n\n")
    };
    let process = |pid: u32| {
        let head = format!("version: 1\ncreator: callgrind-3.19.0\npid: {pid}\ncmd: p{pid}\n");
        head + &part(1, "fl=a.c\nfn=f\n1 5\n\n", 5) + &part(2, "", 0)
    };
    let stage = of_text(process(7) + &process(8));
    let report = stage.report(&["--auto=no", "--split=part", "p"]);
    let targets: Vec<&str> = report
        .lines()
        .filter_map(|line| line.strip_prefix("Profiled target:  "))
        .collect();
    let want = [
        "p7 (PID 7, part 1)",
        "p7 (PID 7, part 2)",
        "p8 (PID 8, part 1)",
        "p8 (PID 8, part 2)",
    ];
    assert_eq!(targets, want);
}

/// Xdebug appends runs to a file. Each has its own tree of calls when split off: the same as in a
/// file of its own.
#[test]
fn appended_runs_are_parts() {
    let stage = Stage::of("xdebug");
    let whole = std::fs::read_to_string(stage.dir.join("append-x320.xdebug")).unwrap();
    let runs: Vec<&str> = whole
        .split("==== NEW PROFILING FILE")
        .map(|r| r.split_once('\n').map_or(r, |(_, r)| r))
        .collect();
    let split = documents(&stage, &["--split=part", "append-x320.xdebug"]);
    let first_line = whole.lines().next().unwrap();
    let mut compared = 0;
    for (run, share) in runs
        .iter()
        .filter(|run| run.contains("events:"))
        .zip(&split)
    {
        let text = if run.starts_with("version") {
            (*run).to_owned()
        } else {
            format!("{first_line}\n{run}")
        };
        stage.write("run", text);
        assert_eq!(decoded(&stage, &["run"]), Decoded::new(share));
        compared += 1;
    }
    assert_eq!((compared, split.len()), (3, 3));
}

/// A warning stands in the share it is about. One that is about a whole input stands in the first
/// share of that.
#[test]
fn a_warning_is_of_one_share() {
    let part =
        |pid: u32, what: &str| format!("pid: {pid}\nevents: Ir\nfl=a.c\nfn=f\n1 10\n{what}\n");
    let stage = of_text(
        format!(
            "event: S = Ir + S\n{}{}",
            part(7, "x y"),
            part(7, "totals: 9")
        ) + &part(8, "1 z"),
    );
    stage.write("q", part(8, "fn=(3)") + &part(9, ""));
    let kinds = |by: &str| -> Vec<Vec<(String, String, Option<u64>)>> {
        let of = |w: &Value| (string(&w["file"]), string(&w["kind"]), w["line"].as_u64());
        let out = stage.run(&["--format=json", &format!("--split={by}"), "p", "q"]);
        let shares = serde_json::Deserializer::from_slice(&out.stdout)
            .into_iter::<Value>()
            .map(Result::unwrap);
        shares
            .map(|d| d["warnings"].as_array().unwrap().iter().map(of).collect())
            .collect()
    };
    let own = |file: &str, kind: &str, line: u64| {
        (file.to_owned(), kind.to_owned(), (line > 0).then_some(line))
    };
    let (line, sum) = (
        own("p", "malformed-line", 7),
        own("p", "totals-mismatch", 0),
    );
    let (count, id, formula) = (
        own("p", "bad-count", 19),
        own("q", "undefined-id", 6),
        own("q", "bad-formula", 0),
    );
    let of_parts = [
        vec![line.clone()],
        vec![sum.clone()],
        vec![count.clone()],
        vec![id.clone(), formula.clone()],
        vec![],
    ];
    assert_eq!(kinds("part"), of_parts);
    assert_eq!(
        kinds("pid"),
        [
            vec![line.clone(), sum.clone()],
            vec![count.clone(), id.clone(), formula.clone()],
            vec![]
        ]
    );
    assert_eq!(kinds("input"), [vec![line, count, sum], vec![id, formula]]);
}

#[test]
fn what_cannot_be_split_is_said() {
    let stage = of_text(text(7, "", 1, 1));
    assert_eq!(stage.run(&["--split=colour", "p"]).status.code(), Some(2));
    assert_eq!(
        stage.run(&["--compat", "--split=part", "p"]).status.code(),
        Some(2)
    );
}

/// `CALLGRIND_DUMP_STATS_AT("load")` names a part, and the parts of one name can be added up.
#[test]
fn parts_have_the_names_that_the_program_gave_them() {
    let stage = Stage::empty();
    let part = |number, trigger: &str, cost| {
        format!(
            "creator: callgrind-3.19.0\npid: 7\npart: {number}\ndesc: Trigger: {trigger}\nevents: Ir\nfn=f\n1 {cost}\ntotals: {cost}\n"
        )
    };
    let parts = [
        part(1, "Client Request: load", 10),
        part(2, "Client Request: draw", 20),
        part(3, "Client Request: load", 30),
        part(4, "Program termination", 40),
    ];
    stage.write("p", format!("version: 1\n{}", parts.join("\n")));
    let split = |by: &str| totals(&documents(&stage, &[by, "p"]));
    assert_eq!(
        split("--split=part"),
        owned(&[("1: load", 10), ("2: draw", 20), ("3: load", 30), ("4", 40)])
    );
    assert_eq!(
        split("--split=trigger"),
        owned(&[("load", 40), ("draw", 20), ("Program termination", 40)])
    );
    let list = stage.report(&["--by=trigger", "p"]);
    assert!(list.contains("trigger load"), "{list}");
    assert!(stage.report(&["--by=part", "p"]).contains("part 2: draw"));
}
