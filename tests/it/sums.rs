//! What 100 % is by every writer, and what a file without its last line feed is worth. Figures are
//! added up by hand.

use crate::common::{Stage, fixture};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::process::Stdio;

/// What is said of a profile: totals, where they come from, rows, warnings and status.
#[derive(PartialEq, Debug)]
struct Said {
    totals: String,
    source: String,
    rows: usize,
    warnings: Vec<String>,
    status: Option<i32>,
}

fn said(stage: &Stage, args: &[&str]) -> Said {
    let out = stage.run(&[&["--format=json"], args].concat());
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let kinds = json["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["kind"].as_str().unwrap().to_owned());
    Said {
        totals: json["totals"].to_string(),
        source: json["totals_source"].as_str().unwrap().to_owned(),
        rows: json["functions"].as_array().unwrap().len(),
        warnings: kinds.collect(),
        status: out.status.code(),
    }
}

fn of(totals: &str, source: &str, rows: usize, warnings: &[&str]) -> Said {
    let warnings = warnings.iter().map(|kind| (*kind).to_owned()).collect();
    Said {
        totals: totals.to_owned(),
        source: source.to_owned(),
        rows,
        warnings,
        status: Some(0),
    }
}

fn check(stage: &Stage, file: &str, limit: &str) -> Option<i32> {
    stage.run(&["check", file, "--limit", limit]).status.code()
}

const LOW: &[&str] = &["low-summary"];

#[test]
fn a_summary_below_the_lines_is_not_the_total() {
    let stage = Stage::of("regressions");
    assert_eq!(
        said(&stage, &["summary-below-lines.out"]),
        of("[200]", "computed", 3, LOW)
    );
    let report = stage.run(&["--auto=no", "summary-below-lines.out"]);
    let text = String::from_utf8(report.stdout).unwrap();
    assert!(
        text.contains("\n200 (100.0%)  PROGRAM TOTALS (calculated)\n"),
        "{text}"
    );
    let rows = "140 (70.00%)  pseudo:suspend\n 50 (25.00%)  m:work\n 10 ( 5.00%)  m:main\n";
    assert!(text.contains(rows), "{text}");
    let note = "part 1: the Time costs add up to 200, which is the total, but `summary:` says 100 [low-summary]";
    assert!(String::from_utf8_lossy(&report.stderr).contains(note));
    assert_eq!(
        check(&stage, "summary-below-lines.out", "total.Time <= 200"),
        Some(0)
    );
    assert_eq!(
        check(&stage, "summary-below-lines.out", "total.Time <= 199"),
        Some(3)
    );

    // Compressed, from a pipe, and with threads that read ahead it is the same.
    let bytes = std::fs::read(stage.dir.join("summary-below-lines.out")).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&bytes).unwrap();
    stage.write("p.gz", packed.finish().unwrap());
    assert_eq!(said(&stage, &["p.gz"]), of("[200]", "computed", 3, LOW));
    let mut child = stage.command(&["--format=json", "-"]);
    let mut child = child
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let out = child.wait_with_output().unwrap();
    assert!(
        String::from_utf8(out.stdout)
            .unwrap()
            .contains("\"totals\":[200]")
    );
    // What merge makes of it has the same total.
    assert!(
        stage
            .run(&["merge", "summary-below-lines.out", "p.gz", "-o", "m"])
            .status
            .success()
    );
    assert_eq!(said(&stage, &["m"]), of("[400]", "computed", 3, &[]));
}

/// Callgrind's own is at most a few counts above the lines, but for system calls.
#[test]
fn a_summary_far_above_the_lines_is_damage() {
    let stage = Stage::empty();
    for (event, summary, is_high) in [
        ("Ir", 2_096_527, false),
        ("Ir", 2_096_528, true),
        ("Ir", 5_000_000, true),
        ("sysTime", 5_000_000, false),
    ] {
        stage.write("p", format!(
            "creator: callgrind-3.19.0\ncmd: ./p\ndesc: Trigger: Program termination\nevents: {event}\n\
             summary: {summary}\nfn=f\n1 2074780\ntotals: 2074780\n"
        ));
        let warnings: &[&str] = if is_high { &["totals-mismatch"] } else { &[] };
        assert_eq!(
            said(&stage, &["p"]),
            of(&format!("[{summary}]"), "summary", 1, warnings)
        );
        let status = check(&stage, "p", &format!("total.{event} <= 6M"));
        assert_eq!(
            status,
            Some(if is_high { 4 } else { 0 }),
            "{event} {summary}"
        );
    }
    let note = stage.write(
        "p",
        "creator: callgrind-3\ncmd: ./p\nevents: A B\nsummary: 9 5000\nfn=f\n1 9 9\ntotals: 9 9\n",
    );
    let said = String::from_utf8(note.run(&["p"]).stderr).unwrap();
    let note = "part 1: the B costs add up to 9, but `summary:` says 5000 [totals-mismatch]";
    assert!(said.contains(note), "{said}");
}

/// Every part and every event has its own: at most once more, at most once less, or no count at
/// all.
#[test]
fn every_part_and_event_has_the_sum_that_is_more() {
    let stage = Stage::empty();
    let said = |text: &str| {
        stage.write("p", text);
        said(&stage, &["p"])
    };
    let two = "summary: 10 9\nfl=a\nfn=f\n1 30 4\nfn=g\n+1 10 4\n";
    assert_eq!(
        said(&format!("events: A B\n{two}")),
        of("[40,9]", "summary", 2, LOW)
    );
    assert_eq!(
        said(&format!("events: A B C\n{two}-1 0 0 7\n")),
        of("[40,9,7]", "summary", 2, LOW)
    );
    let parts = "part: 1\nevents: A\nsummary: 10\nfn=f\n1 30\n\npart: 2\nevents: A\nsummary: 50\nfn=f\n1 20\n";
    assert_eq!(said(parts), of("[80]", "computed", 1, LOW));
    assert_eq!(
        said(&parts.replace("50", "5")),
        of("[50]", "computed", 1, &["low-summary", "low-summary"])
    );
    // A sum of 0 is none, and a sum below 0 is one.
    assert_eq!(
        said("events: A\nsummary: 0\nfn=f\n1 30\n"),
        of("[30]", "computed", 1, &[])
    );
    assert_eq!(
        said("events: A\nsummary: -5\nfn=f\n1 -5\n"),
        of("[-5]", "summary", 1, &[])
    );
    // `totals:` says the same as the lines, so that there is nothing to say.
    assert_eq!(
        said("events: A\nsummary: 10\nfn=f\n1 30\ntotals: 30\n"),
        of("[30]", "totals", 1, &[])
    );
    // Ours keeps the total of what it was made of.
    let ours = "creator: cgannotate-0.1.0\nevents: A\nsummary: 10\nfn=f\n1 30\ntotals: 30\n";
    assert_eq!(said(ours), of("[10]", "summary", 1, &[]));
}

/// While a Fiber waits, its time is also that of another one: self costs are more than the run
/// took.
#[test]
fn a_row_above_100_percent_does_not_end_a_list() {
    let stage = Stage::of("regressions");
    let file = "fibers-above-summary.xdebug";
    assert_eq!(said(&stage, &[file]), of("[1000,0]", "summary", 3, &[]));
    for (args, last) in [
        (
            &["--auto=no"][..],
            "  400 (40.00%)              0  /s/f.php:{main}\n",
        ),
        (
            &["--by=line"],
            "   400 (40.00%)              0  /s/f.php:1:{main}\n",
        ),
        (&["--by=file"], " 1,000 (100.0%)              0  /s/f.php\n"),
        (
            &["--format=csv"],
            "400,0,1000,0,1,1000.00,0.00,{main},/s/f.php,",
        ),
    ] {
        let report = stage.report(&[args, &[file]].concat());
        assert!(report.contains(last), "{args:?}: {report}");
    }
    assert!(stage.run(&["merge", file, "-o", "m"]).status.success());
    assert_eq!(said(&stage, &["m"]), of("[1000,0]", "summary", 3, &[]));
    // The threshold is still one: of 2,010 these two have 80 %.
    let report = stage.report(&["--auto=no", "--threshold=80", file]);
    assert!(
        report.contains("php:work\n") && !report.contains("{main}"),
        "{report}"
    );
}

#[test]
fn a_summary_with_a_capital_is_one() {
    let stage = Stage::of("regressions");
    // php:internal has line -1.
    assert_eq!(
        said(&stage, &["hhvm.xdebug"]),
        of("[71]", "summary", 4, &["negative-line"])
    );
    assert_eq!(check(&stage, "hhvm.xdebug", "total.Time <= 71"), Some(0));
    // webgrind copies the line.
    let webgrind = std::fs::read(fixture("webgrind/utf8-x320-v7.webgrind")).unwrap();
    let at = webgrind
        .windows(9)
        .position(|part| part == b"summary: ")
        .unwrap();
    stage.write("w", [&webgrind[..at], b"S", &webgrind[at + 1..]].concat());
    assert_eq!(said(&stage, &["w"]).totals, "[4300]");
    stage.write("p", "events: A\nfn=f\n1 5\nSummary: 7\n");
    assert_eq!(said(&stage, &["p"]), of("[7]", "summary", 1, &[]));
}

/// Only our own files say that totals are peaks.
#[test]
fn peaks_of_another_writer_add_up() {
    let stage = Stage::of("regressions");
    let file = "peak-of-another-writer.out";
    assert_eq!(said(&stage, &[file]), of("[250]", "computed", 2, &[]));
    assert!(
        stage
            .run(&["merge", file, file, "-o", "m"])
            .status
            .success()
    );
    assert_eq!(said(&stage, &["m"]), of("[500]", "computed", 2, &[]));
    assert_eq!(said(&stage, &["m", "m"]), of("[1000]", "computed", 2, &[]));
    let text = std::fs::read_to_string(stage.dir.join(file)).unwrap();
    stage.write("ours", text.replace("mytool", "cgannotate-0.1.0"));
    assert_eq!(said(&stage, &["ours"]).totals, "[150]");
}

#[test]
fn a_last_line_without_a_line_feed_counts_if_it_is_checked() {
    let stage = Stage::of("regressions");
    assert_eq!(
        said(&stage, &["no-line-feed.xdebug"]),
        of("[100,4096]", "summary", 2, &[])
    );
    assert_eq!(
        check(
            &stage,
            "no-line-feed.xdebug",
            "total.\"Time_(10ns)\" <= 100"
        ),
        Some(0)
    );
    assert_eq!(
        check(
            &stage,
            "no-line-feed.xdebug",
            "incl.\"Time_(10ns)\"({main}) <= 100"
        ),
        Some(0)
    );
    // Nothing checks the memory.
    let limit = "total.\"Memory_(bytes)\" <= 5000";
    let out = stage.run(&["check", "no-line-feed.xdebug", "--limit", limit]);
    assert_eq!(out.status.code(), Some(4));
    let why = "the profile has no line feed at its end, and no total checks its last number, of Memory_(bytes)";
    assert!(
        String::from_utf8_lossy(&out.stdout).contains(why),
        "{out:?}"
    );
    let whole = std::fs::read_to_string(stage.dir.join("no-line-feed.xdebug")).unwrap();
    stage.write("fed", format!("{whole}\n"));
    assert_eq!(check(&stage, "fed", limit), Some(0));

    // Costs of the run that are in no line are usual; then nothing checks the sum.
    let doubt = &["unchecked-end"];
    stage.write("more", whole.replace("summary: 100", "summary: 105"));
    assert_eq!(
        said(&stage, &["more"]),
        of("[105,4096]", "summary", 2, doubt)
    );
    assert_eq!(
        check(&stage, "more", "total.\"Time_(10ns)\" <= 105"),
        Some(4)
    );
    stage.write("fed", whole.replace("summary: 100", "summary: 105") + "\n");
    assert_eq!(
        check(&stage, "fed", "total.\"Time_(10ns)\" <= 105"),
        Some(0)
    );

    for (text, warnings, status) in [
        // The self cost is what is missing in the sum; the sum is that of the lines.
        ("events: A\nsummary: 15\nfn=f\n1 5\nfn=g\n2 10", &[][..], 0),
        ("events: A\nfn=f\n1 5\nfn=g\n2 10\nsummary: 15", &[], 0),
        ("events: A\nfn=f\n1 5\nfn=g\n2 10\ntotals: 15", &[], 0),
        ("events: A\nsummary: 15\nfn=f\n1 5\nfn=g\n2 10\n  ", &[], 0),
        (
            "events: A\nsummary: 15\nfn=f\n1 5\nfn=g\n2 10\n# end",
            &[],
            0,
        ),
        // There is no sum, or another one, or it is not that of calls.
        ("events: A\nfn=f\n1 5\nfn=g\n2 10", doubt, 4),
        ("events: A\nfn=f\n1 5\nfn=g\n2 10\nsummary: 16", doubt, 4),
        (
            "events: A\nsummary: 15\nfn=g\n2 10\nfn=f\n1 5\ncfn=g\ncalls=1 1\n1 10",
            doubt,
            4,
        ),
        (
            "events: A\nsummary: 15\nfn=g\n2 10\nfn=f\n1 5\ncfn=g",
            doubt,
            4,
        ),
    ] {
        stage.write("p", text);
        let said = said(&stage, &["p"]);
        let total = if text.contains("16") { "[16]" } else { "[15]" };
        assert_eq!(
            (&said.totals[..], said.warnings, said.status),
            (total, warnings_of(warnings), Some(0)),
            "{text}"
        );
        assert_eq!(check(&stage, "p", "total.A <= 16"), Some(status), "{text}");
    }
    // Of two events one can be checked.
    stage.write("p", "events: A B\nsummary: 15 99\nfn=f\n1 5\nfn=g\n2 10 40");
    assert_eq!(
        ["A", "B"].map(|event| check(&stage, "p", &format!("total.{event} <= 99"))),
        [Some(0), Some(4)]
    );
}

fn warnings_of(kinds: &[&str]) -> Vec<String> {
    kinds.iter().map(|kind| (*kind).to_owned()).collect()
}

/// A program that poses as Callgrind writes no `totals:`; Callgrind describes every part and does.
#[test]
fn who_poses_as_callgrind_needs_no_totals() {
    let stage = Stage::of("regressions");
    let file = "poses-as-callgrind.out";
    assert_eq!(said(&stage, &[file]), of("[11]", "summary", 2, &[]));
    assert_eq!(check(&stage, file, "total.Ir <= 11"), Some(0));
    assert_eq!(check(&stage, file, "incl.Ir(main) <= 10"), Some(3));
    let text = std::fs::read_to_string(stage.dir.join(file)).unwrap();
    let half = |text: String| {
        stage.write("p", text);
        let said = said(&stage, &["p"]);
        (
            said.warnings,
            said.status,
            check(&stage, "p", "total.Ir <= 99"),
        )
    };
    let cut = (warnings_of(&["truncated"]), Some(1), Some(4));
    assert_eq!(half(text.replace("summary: 11", "summary: 12")), cut);
    assert_eq!(half(text.replace("\n4 8\n", "\n")), cut);
    assert_eq!(
        half(text.replace("part: 1", "part: 1\ndesc: Trigger: Program termination")),
        cut
    );
    // Two parts are whole if both are, and the last line needs no line feed.
    let whole = (Vec::new(), Some(0), Some(0));
    let second = text
        .split_once("part: 1")
        .unwrap()
        .1
        .replace("4 8", "4 8\n+1 0");
    assert_eq!(half(format!("{text}\npart: 2{second}")), whole);
    assert_eq!(
        half(format!("{text}\npart: 2{}", second.replace("4 8", "4 7"))),
        cut
    );
    assert_eq!(half(text.trim_end().to_owned()), whole);
}

/// The sum of the lines does not tell whether the calls at the end of a file are there.
#[test]
fn missing_calls_of_who_poses_as_callgrind_keep_no_limit() {
    let stage = Stage::empty();
    let text = "creator: callgrind-3.15.0\nevents: Ir\nsummary: 13\nfl=a\nfn=leaf\n4 8\nfn=mid\n3 2\ncfn=leaf\ncalls=1 4\n\
                3 4\nfn=main\n1 3\ncfn=leaf\ncalls=1 4\n2 4\ncfn=mid\ncalls=1 4\n2 6\n";
    stage.write("p", text);
    assert_eq!(check(&stage, "p", "incl.Ir(main) <= 13"), Some(0));
    for limit in ["incl.Ir(main) <= 9", "calls(leaf) <= 1", "calls(mid) <= 0"] {
        assert_eq!(check(&stage, "p", limit), Some(3), "{limit}");
        for end in 0..text.len() - 1 {
            stage.write("cut", &text[..end]);
            let status = check(&stage, "cut", limit);
            assert!(
                matches!(status, Some(1 | 4)),
                "{limit}, the first {end} bytes: {status:?}"
            );
        }
    }
    // Calls within recursion are not those from outside, and a call can cost another event alone.
    let header = "creator: callgrind-3.15.0\nevents: Ir Dr\nsummary: 31 1\nfl=a\n";
    let main = "fn=main\n1 1\ncfn=f\ncalls=1 4\n2 30 1\n";
    for (body, main) in [
        ("fn=f\n4 30 1\ncfn=f\ncalls=2 4\n5 45 3\n", main),
        (
            "fn=f\n4 10 1\ncfn=g\ncalls=2 4\n5 45 3\nfn=g\n6 20\ncfn=f\ncalls=1 4\n7 30 1\n",
            main,
        ),
        ("fn=f\n4 0 1\n", "fn=main\n1 31\ncfn=f\ncalls=1 4\n2 0 1\n"),
    ] {
        let text = [header, body, main].concat();
        stage.write("p", &text);
        assert_eq!(check(&stage, "p", "incl.Dr(main) <= 0"), Some(3), "{text}");
        assert_eq!(check(&stage, "p", "incl.Ir(main) <= 31"), Some(0), "{text}");
        for end in text.len() - main.len()..text.len() - 1 {
            stage.write("cut", &text[..end]);
            let status = ["incl.Dr(main) <= 0", "incl.Ir(main) <= 31"]
                .map(|limit| check(&stage, "cut", limit));
            assert!(!status.contains(&Some(0)), "{status:?}: {}", &text[..end]);
        }
    }
    // Self costs are there.
    let end = text.find("cfn=leaf\ncalls=1 4\n2").unwrap();
    stage.write("cut", &text[..end]);
    assert_eq!(check(&stage, "cut", "self.Ir(main) <= 3"), Some(0));
}

/// A child of pcntl_fork writes into the file of its parent, and ends with a summary of its own. As
/// Xdebug 3.2 writes it with PHP 8.2, both with the names and the blocks from before.
#[test]
fn several_processes_in_one_file_are_parts_and_doubtful() {
    let stage = Stage::of("regressions");
    assert_eq!(
        said(&stage, &["forked.xdebug"]),
        of("[5125,0]", "summary", 4, &["several-processes"])
    );
    let limits = [
        "total.\"Time_(10ns)\" <= 200",
        "total.\"Time_(10ns)\" <= 10k",
    ];
    assert_eq!(
        limits.map(|limit| check(&stage, "forked.xdebug", limit)),
        [Some(4), Some(4)]
    );

    let head = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: x.php\npart: 1\npositions: line\n\n\
                events: Time_(10ns) Memory_(bytes)\n\n";
    // What ran before the fork is in every process; functions have other numbers in each.
    let process = |name: &str, cost: u32| {
        format!(
            "fl=(2) x.php\nfn=(1) before\n2 7 0\n\nfl=(1) php:internal\nfn=(2) php::pcntl_fork\n9 5 0\n\n\
             fl=(2)\nfn=(3) {name}\n4 {cost} 0\n\nfl=(2)\nfn=(4) {{main}}\n1 3 0\ncfl=(2)\ncfn=(1)\ncalls=1 0 0\n6 7 0\n\
             cfl=(1)\ncfn=(2)\ncalls=1 0 0\n9 5 0\ncfl=(2)\ncfn=(3)\ncalls=1 0 0\n10 {cost} 0\n\nsummary: {} 4096\n\n",
            cost + 16
        )
    };
    let (child, other, parent) = (
        process("child", 100),
        process("other", 200),
        process("after", 1000),
    );
    let several = ["several-processes"; 2];
    for (name, text, totals, rows, warnings) in [
        ("one", child.clone(), "[116,4096]", 4, &several[..0]),
        (
            "child first",
            format!("{child}{parent}"),
            "[1132,4096]",
            5,
            &several[..1],
        ),
        (
            "parent first",
            format!("{parent}{child}"),
            "[1132,4096]",
            5,
            &several[..1],
        ),
        (
            "two children",
            format!("{child}{other}{parent}"),
            "[1348,4096]",
            6,
            &several,
        ),
    ] {
        stage.write("p", format!("{head}{text}"));
        assert_eq!(
            said(&stage, &["p"]),
            of(totals, "summary", rows, warnings),
            "{name}"
        );
        let status = if warnings.is_empty() { 0 } else { 4 };
        assert_eq!(
            check(&stage, "p", "self.\"Time_(10ns)\"(child) <= 10k"),
            Some(status),
            "{name}"
        );
        assert_eq!(
            stage.json(&["p"])["profile"]["parts"].as_u64().unwrap(),
            warnings.len() as u64 + 1,
            "{name}"
        );
    }
    // What follows has no end, so it is cut.
    let half = parent.split_once("summary").unwrap().0.to_owned();
    stage.write("p", format!("{head}{child}{half}"));
    let Said {
        warnings, status, ..
    } = said(&stage, &["p"]);
    assert_eq!(
        (&warnings[..], status),
        (
            &warnings_of(&["several-processes", "truncated"])[..],
            Some(1)
        )
    );
    // A process that writes while another one does.
    let at = parent.find("fl=(1)").unwrap();
    stage.write(
        "p",
        format!("{head}{}{child}{}", &parent[..at], &parent[at..]),
    );
    assert_eq!(said(&stage, &["p"]).totals, "[1132,4096]");
    assert_eq!(check(&stage, "p", limits[1]), Some(4));
}
