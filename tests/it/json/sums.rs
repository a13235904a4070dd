//! The same run recorded in different ways gives the same figures.

use super::*;

fn same(what: &str, a: Decoded, b: Decoded) {
    assert_eq!(a.events, b.events, "{what}");
    assert_eq!(a.totals, b.totals, "{what}");
    for (key, costs) in &a.functions {
        assert_eq!(b.functions.get(key), Some(costs), "{what}: {key:?}");
    }
    for (key, costs) in &a.lines {
        assert_eq!(b.lines.get(key), Some(costs), "{what}: {key:?}");
    }
    for (key, costs) in &a.sites {
        assert_eq!(b.sites.get(key), Some(costs), "{what}: {key:?}");
    }
    assert_eq!(a, b, "{what}");
}

/// Names written out and positions absolute, or not: all but the head is the same to the byte.
#[test]
fn compression_changes_nothing() {
    for (folder, a, b) in [
        ("shapes", "shapes.plain.out", "shapes.nocompress.out"),
        (
            "toggle",
            "phases.toggle.out",
            "phases.toggle.nocompress.out",
        ),
    ] {
        let stage = Stage::of(folder);
        let body = |name: &str| {
            let text = stage.report(&["--format=json", name]);
            let (head, profile) = (
                text.find("\"profile\":").unwrap(),
                text.find("\"events\":").unwrap(),
            );
            format!("{}{}", &text[..head], &text[profile..])
        };
        crate::common::assert_same(a, &body(a), &body(b));
    }
}

/// A run that was dumped in parts and the same run in one. Calls that had begun when a part began
/// are counted 0 there, so counts may be lower; in these runs they are not.
#[test]
fn parts_add_up_to_the_whole() {
    for (folder, whole, parts, dumps) in [
        ("shapes", "shapes.plain.out", "shapes.combined.out", 2),
        ("parts", "phases.whole.out", "phases.parts.out", 2),
        ("parts", "phases.whole.out", "phases.before.out", 4),
    ] {
        let stage = Stage::of(folder);
        let report = document(&stage, &[parts]);
        assert_eq!(report["profile"]["parts"], dumps, "{parts}");
        let (one, many) = (
            decoded(&stage, &[whole]).with_cost(),
            Decoded::new(&report).with_cost(),
        );
        same(parts, one.without_counts(), many.without_counts());
    }
}

/// A dump during which nothing was counted has a header and totals only. It is a part, and its
/// header no part's but its own.
#[test]
fn a_part_without_body_is_a_part() {
    let stage = Stage::of("regressions");
    let report = document(&stage, &["parts-without-body.out"]);
    assert_eq!(report["profile"]["parts"], 4);
    assert_eq!(report["warnings"], serde_json::json!([]));
    assert_eq!(report["events"], serde_json::json!(["Ir", "Dr"]));
    assert_eq!(integers(&report["totals"]), [12, 2]);
    let shares = documents(&stage, &["--split=part", "parts-without-body.out"]);
    let totals: Vec<i64> = shares
        .iter()
        .map(|share| integers(&share["totals"])[0])
        .collect();
    assert_eq!(totals, [0, 5, 0, 7]);
}

/// Files named together are summed: function by function, line by line, call by call.
#[test]
fn files_add_up() {
    let stage = Stage::of("threads");
    let files = [
        "workers.out-01",
        "workers.out-02",
        "workers.out-03",
        "workers.out-04",
        "workers.out-05",
    ];
    let sum = document(&stage, &files);
    assert_eq!(sum["profile"]["files"], serde_json::json!(files));
    assert_eq!(sum["profile"]["parts"], 5);
    let sum = Decoded::new(&sum);
    // 119,099 + 7,758 + 2,752 + 9,281 + 2,752, by the files' own `summary:` lines.
    assert_eq!(sum.totals, [141_642]);
    let (mut functions, mut lines, mut sites) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for file in files {
        let mut one = one_of_many(&stage, file);
        while let Some((key, (own, _, called))) = one.functions.pop_first() {
            let sum: &mut (i64, u64) = functions.entry(key).or_default();
            *sum = (sum.0 + own[0], sum.1 + called);
        }
        one.lines
            .into_iter()
            .for_each(|(key, own)| *lines.entry(key).or_insert(0) += own[0]);
        for (key, (count, cost)) in one.sites {
            let sum: &mut (u64, i64) = sites.entry(key).or_default();
            *sum = (sum.0 + count, sum.1 + cost[0]);
        }
    }
    assert_eq!(
        functions,
        sum.functions
            .into_iter()
            .map(|(k, (own, _, called))| (k, (own[0], called)))
            .collect()
    );
    assert_eq!(
        lines,
        sum.lines.into_iter().map(|(k, own)| (k, own[0])).collect()
    );
    assert_eq!(
        sites,
        sum.sites
            .into_iter()
            .map(|(k, (count, cost))| (k, (count, cost[0])))
            .collect()
    );
}

/// The report on one thread, which is not without a word about the others.
fn one_of_many(stage: &Stage, file: &str) -> Decoded {
    Decoded::new(&stage.json(&[file]))
}

/// Events are matched by name, in whatever order and number each file has them; a missing one is 0.
#[test]
fn events_are_matched_by_name() {
    let stage = of_text("events: Ir Dr\nfn=f\n1 10 2\nsummary: 10 2\n");
    stage.write("q", "events: Dw Ir\nfn=f\n1 5 100\nfn=g\n2 1\n");
    let report = document(&stage, &["p", "q"]);
    assert_eq!(report["events"], serde_json::json!(["Ir", "Dr", "Dw"]));
    // One of the two files has a summary; the sum counts as computed.
    assert_eq!(
        (&report["totals"], &report["totals_source"]),
        (&serde_json::json!([110, 2, 6]), &"computed".into())
    );
    let sum = Decoded::new(&report);
    assert_eq!(sum.function("f").0, [110, 2, 5]);
    assert_eq!(sum.function("g").0, [0, 0, 1]);
}

/// `record --name NAME --children` writes files of several programs, as it was told to.
#[test]
fn the_programs_of_one_recording_belong_together() {
    let stage = Stage::empty();
    for (run, cost) in [("old.1", 10), ("new.1", 20), ("new.2", 30)] {
        for (process, pid, program) in [("7", 7, "sh"), ("8.1", 8, "one")] {
            let text = format!(
                "version: 1\npid: {pid}\ncmd: ./{program}\nevents: Ir\nfl=a.c\nfn={program}\n1 {cost}\n"
            );
            stage.write(&format!("callgrind.out.{run}.{process}"), text);
        }
    }
    let is_told = |args: &[&str]| {
        let out = stage.run(args);
        assert!(
            !out.stdout.is_empty(),
            "{args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("[mixed-inputs]")
    };
    assert!(!is_told(&["new"]));
    assert!(!is_told(&["diff", "old", "new", "--strict"]));
    assert!(!is_told(&["trend", "old", "new", "--strict"]));
    assert!(!is_told(&[
        "callgrind.out.new.1.7",
        "callgrind.out.new.1.8.1"
    ]));
    // What is no warning is none for programs, either.
    assert_eq!(
        document(
            &stage,
            &["callgrind.out.new.1.7", "callgrind.out.new.1.8.1"]
        )["warnings"],
        serde_json::json!([])
    );
    // Two runs are no sum of one program and what it started.
    assert!(is_told(&[
        "callgrind.out.new.1.7",
        "callgrind.out.new.2.8.1"
    ]));
    assert!(is_told(&[
        "callgrind.out.old.1.7",
        "callgrind.out.new.1.8.1"
    ]));
}

/// Files that somebody called by a version look like those of one run, but for the process.
#[test]
fn names_with_versions_are_no_recording() {
    let stage = Stage::empty();
    for (version, pid, program) in [("v1.2.3", 4711, "one"), ("v1.2.4", 4712, "two")] {
        let text = format!(
            "version: 1\npid: {pid}\ncmd: ./{program}\nevents: Ir\nfl=a.c\nfn=main\n1 10\n"
        );
        stage.write(&format!("callgrind.out.{version}"), text);
    }
    let out = stage.run(&["callgrind.out.v1.2.3", "callgrind.out.v1.2.4"]);
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("[mixed-inputs]")
    );
}

/// Inputs that do not belong together are summed, but not in silence.
#[test]
fn what_does_not_belong_together_is_said() {
    let stage = of_text("version: 1\ncmd: ./one\nevents: Ir\nfn=f\n1 10\n");
    stage.write(
        "same",
        "version: 1\ncmd: ./one\nevents: Ir Dr\nfn=f\n1 10 1\n",
    );
    stage.write(
        "command",
        "version: 1\ncmd: ./two\nevents: Ir\nfn=f\n1 10\n",
    );
    stage.write("nothing", "events: Ge\nfn=f\n1 10\n");
    let said = |args: &[&str]| String::from_utf8(stage.run(args).stderr).unwrap();
    assert_eq!(said(&["p", "same"]), "");
    let command = said(&["p", "command"]);
    assert!(
        command.starts_with("cgannotate: command: ") && command.contains("`./two`"),
        "{command}"
    );
    assert!(
        command.contains("`./one`")
            && command.contains(" p ")
            && command.contains("[mixed-inputs]"),
        "{command}"
    );
    let events = said(&["p", "nothing"]);
    assert!(
        events.contains("Ge") && events.contains("Ir") && events.contains("[mixed-inputs]"),
        "{events}"
    );
    assert_eq!(
        stage.run(&["--strict", "p", "command"]).status.code(),
        Some(1)
    );
    // Nothing is summed here.
    assert_eq!(said(&["--split=input", "p", "command"]), "");
}

/// The head of a report on more than one part names what was read.
#[test]
fn the_head_says_what_was_read() {
    let head = |folder: &str, args: &[&str]| -> String {
        let report = Stage::of(folder).report(&[&["--auto=no"], args].concat());
        report[..report.find("Events recorded:").unwrap()].to_owned()
    };
    let rule = crate::common::RULE;
    let threads = head("threads", &["workers.out-01", "workers.out-03"]);
    let want = format!(
        "{rule}\nProfile data file 'workers.out-01' (creator: callgrind-3.19.0)\n\
         Profile data file 'workers.out-03' (creator: callgrind-3.19.0)\n{rule}\nI1 cache: \nD1 cache: \nLL cache: \n\
         Timerange: Basic block 0 - 29805\nTrigger: Program termination\n\
         Profiled target:  /opt/conf/bin/workers 200 (PID 14745, 2 parts, 2 threads)\n"
    );
    crate::common::assert_same("threads", &want, &threads);
    // The dumps' ranges and triggers differ, so neither is said of the sum.
    let parts = head("shapes", &["shapes.combined.out"]);
    assert!(
        parts.contains("I1 cache:") && !parts.contains("Timerange:"),
        "{parts}"
    );
    assert!(
        parts.ends_with("Profiled target:  ../shapes (PID 10982, 2 parts)\n"),
        "{parts}"
    );
}

/// A number of a part or thread is shown without one of a process too; the original leaves it out.
#[test]
fn a_part_without_a_process_is_shown() {
    let stage = of_text("part: 2\nthread: 3\ncmd: ./x\nevents: Ir\nfn=f\n1 1\n");
    let target = |args: &[&str]| {
        stage
            .report(args)
            .lines()
            .find(|l| l.starts_with("Profiled target:"))
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        target(&["--auto=no", "p"]),
        "Profiled target:  ./x (part 2, thread 3)"
    );
    assert_eq!(
        target(&["--auto=no", "--compat", "p"]),
        "Profiled target:  ./x"
    );
}
