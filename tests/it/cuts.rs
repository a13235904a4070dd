//! Files that were cut, at every byte. Of every writer whose files are read there is one, and no
//! cut of it may pass a gate that the whole file does not pass, or give other figures in silence.
//!
//! A cut is seen where it is an error to read it or where `check` would not judge it. One that is
//! not seen must leave every figure as it is, or fall where the next part begins; then there are
//! fewer parts, which `check` compares. Writers that mark no end cannot be held to that: of these
//! it must be said, for every cut.

use crate::common::amount::is_long;
use crate::common::{Stage, counts};
use cgannotate::analysis::Inclusive;
use cgannotate::analysis::budgets;
use cgannotate::export;
use cgannotate::input::{self, Options};
use cgannotate::profile::Profile;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(name),
    )
    .unwrap()
}

/// All that a gate can ask of a profile: totals, and of every function its name with its costs and
/// calls.
#[derive(PartialEq, Debug)]
struct Figures {
    totals: Vec<i64>,
    functions: BTreeMap<String, (Vec<i64>, Vec<i64>, u64)>,
}

fn figures(profile: &Profile) -> Figures {
    let inclusive = Inclusive::new(profile);
    let text = |id| String::from_utf8_lossy(profile.name(id)).into_owned();
    // Counts of zero are as good as none.
    let functions = profile.function_ids().map(|id| {
        let f = profile.function(id);
        let name = [f.object, f.file, f.name].map(text).join("\t");
        (
            name,
            (
                counts(profile.self_counts(id)),
                counts(inclusive.counts(id)),
                inclusive.called(id),
            ),
        )
    });
    Figures {
        totals: counts(profile.totals.counts()),
        functions: functions.collect(),
    }
}

fn read(bytes: &[u8]) -> Option<Profile> {
    input::read_from("p", bytes, &Options::all()).ok()
}

/// What became of all cuts of a file.
#[derive(Default, Debug)]
struct Outcome {
    /// Cuts that are refused or not judged.
    seen: usize,
    /// Those that change nothing.
    harmless: usize,
    /// Those where whole parts are missing, and the rest is judged.
    fewer_parts: usize,
    /// Those that change something and of which it is said that they could not have been seen.
    not_to_be_seen: usize,
    /// The first bytes of the cuts that pass without a word.
    passed: Vec<usize>,
}

fn cut(bytes: &[u8], places: impl Iterator<Item = usize>) -> Outcome {
    let whole = read(bytes).unwrap();
    assert_eq!(budgets::doubts(&whole), Vec::<String>::new());
    let (parts, all) = (whole.part_count(), figures(&whole));
    let mut outcome = Outcome::default();
    for end in places {
        let Some(profile) =
            read(&bytes[..end]).filter(|profile| budgets::doubts(profile).is_empty())
        else {
            outcome.seen += 1;
            continue;
        };
        if figures(&profile) == all {
            outcome.harmless += 1;
        } else if profile.part_count() < parts {
            outcome.fewer_parts += 1;
        } else if budgets::remarks(&profile)
            .iter()
            .any(|remark| remark.contains("truncation would not be detected"))
        {
            outcome.not_to_be_seen += 1;
        } else {
            outcome.passed.push(end);
        }
    }
    outcome
}

/// Whether writers mark their end.
#[derive(Clone, Copy, PartialEq)]
enum Writer {
    /// In every part.
    Marks,
    /// Not at all.
    DoesNot,
}

/// A small fixture of every writer, of every version of a format that differs, and of every shape
/// of a file.
const FILES: [(&str, Writer); 29] = [
    ("toggle/phases.toggle.out", Writer::Marks),
    ("toggle/phases.toggle.instr.out", Writer::Marks),
    ("parts/phases.after.out.1", Writer::Marks),
    ("diff/server/server.old.out", Writer::Marks),
    ("xtree/words.leak.kcg", Writer::Marks),
    ("xdebug/append-x320.xdebug", Writer::Marks),
    ("xdebug/utf8-x320.xdebug", Writer::Marks),
    ("xdebug/windows-derived.xdebug", Writer::Marks),
    ("xdebug/trace-append-x320.xt", Writer::Marks),
    ("xdebug/trace-part-x320.xt", Writer::Marks),
    ("webgrind/app74-v5.webgrind", Writer::Marks),
    ("webgrind/app74-v6.webgrind", Writer::Marks),
    ("webgrind/app74-derived-x205-v7-php.webgrind", Writer::Marks),
    ("webgrind/append-v4.webgrind", Writer::Marks),
    ("webgrind/append-x320-v7-php.webgrind", Writer::Marks),
    ("webgrind/long43-scaled-us-v7.webgrind", Writer::Marks),
    ("webgrind/utf8-x320-v7.webgrind", Writer::Marks),
    ("webgrind/windows-derived-v7.webgrind", Writer::Marks),
    ("cases/151-cachegrind-format.out", Writer::Marks),
    ("compressed/phases.gz", Writer::Marks),
    ("compressed/phases.xz", Writer::Marks),
    ("compressed/phases.zst", Writer::Marks),
    ("cases/044-relative-basic.out", Writer::DoesNot),
    ("cases/128-direct-recursion.out", Writer::DoesNot),
    ("aprof/algos-v0-derived.aprof", Writer::DoesNot),
    ("regressions/hhvm.xdebug", Writer::Marks),
    ("regressions/fibers-above-summary.xdebug", Writer::Marks),
    ("regressions/poses-as-callgrind.out", Writer::Marks),
    ("regressions/summary-below-lines.out", Writer::DoesNot),
];

/// Larger ones, of which the cuts near the end are tried; all of them with `CUTS=all`.
const LARGE: [&str; 6] = [
    "cachegrind/matrix.cg-branch.out",
    "cachegrind/matrix.diff.out",
    "cachegrind/matrix.sum.out",
    "xdebug/app74-x272.xdebug",
    "xdebug/app74-derived-x205.xdebug",
    "webgrind/app74-v4.webgrind",
];

/// Xdebug before 2.8 writes the summary into the last block, that of `{main}`, which ends the file.
const XDEBUG_2: &str = "version: 1\ncreator: xdebug 2.7.2\ncmd: x.php\npart: 1\npositions: line\n\nevents: Time\n\n\
    fl=x.php\nfn=f\n3 10\n\nfl=x.php\nfn=g\n4 20\n\nfl=x.php\nfn=f\n3 11\n\n\
    fl=x.php\nfn={main}\n\nsummary: 4711\n\n1 95\ncfl=x.php\ncfn=f\ncalls=1 0 0\n7 10\n\
    cfl=x.php\ncfn=g\ncalls=1 0 0\n8 20\ncfl=x.php\ncfn=f\ncalls=1 0 0\n9 11\n\n";

/// Two dumps of one run.
const DUMPS: &str = "version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./x\npart: 1\n\ndesc: Trigger: callgrind_control\n\n\
    positions: line\nevents: Ir Dr\nsummary: 30 4\n\nfl=x.c\nfn=f\n1 10 4\n+3 20\n\ntotals: 30 4\n\
    \npart: 2\n\ndesc: Trigger: Program termination\n\npositions: line\nevents: Ir Dr\nsummary: 17 40\n\nfl=x.c\nfn=f\n1 17 40\n\ntotals: 17 40\n";

/// What `merge` writes.
const MERGED: &str = "# callgrind format\nversion: 1\ncreator: cgannotate-0.1.0\npositions: line\nevents: Ir\nsummary: 120\n\n\
    fl=(1) x.c\nfn=(1) f\n10 100\n+2 20\n\ntotals: 120\n";

/// Which cuts are tried. With `CUTS=all` it is every byte; else, of what is longer, every eleventh
/// in the middle, or in a short run every thirty-first.
fn places(len: usize) -> impl Iterator<Item = usize> {
    let every = len <= 1200 || std::env::var_os("CUTS").is_some_and(|cuts| cuts == "all");
    let (step, begin, end_part) = if is_long() {
        (11, 150, 200)
    } else {
        (31, 75, 100)
    };
    (0..len).filter(move |&end| every || end % step == 0 || end < begin || end + end_part > len)
}

fn holds(name: &str, bytes: &[u8], writer: Writer, places: impl Iterator<Item = usize>) {
    let outcome = cut(bytes, places);
    assert!(outcome.passed.is_empty(), "{name}: {outcome:?}");
    match writer {
        Writer::Marks => assert!(
            outcome.seen > 0 && outcome.not_to_be_seen == 0,
            "{name}: {outcome:?}"
        ),
        Writer::DoesNot => assert!(outcome.not_to_be_seen > 0, "{name}: {outcome:?}"),
    }
}

#[test]
fn no_cut_passes_in_silence() {
    for (name, writer) in FILES {
        let bytes = fixture(name);
        holds(name, &bytes, writer, places(bytes.len()));
    }
    for (name, text) in [("Xdebug 2", XDEBUG_2), ("dumps", DUMPS), ("merged", MERGED)] {
        holds(name, text.as_bytes(), Writer::Marks, places(text.len()));
    }
}

#[test]
fn no_cut_of_a_large_file_passes() {
    for (at, name) in LARGE.into_iter().enumerate() {
        let bytes = fixture(name);
        let all = std::env::var_os("CUTS").is_some_and(|cuts| cuts == "all");
        let start = if all { 0 } else { bytes.len() - 60 };
        // Of each file every third in a short run, of the next file the ones beside them.
        let is_tried = |end: &usize| all || is_long() || (bytes.len() - end) % 3 == at % 3;
        holds(
            name,
            &bytes,
            Writer::Marks,
            (start..bytes.len()).filter(is_tried),
        );
    }
}

#[test]
fn no_cut_of_a_baseline_is_one() {
    let profile = read(DUMPS.as_bytes()).unwrap();
    let mut saved = Vec::new();
    let functions = budgets::in_baseline_order(&profile);
    export::baseline::write(
        &mut saved,
        &profile,
        &Inclusive::new(&profile),
        None,
        &functions,
    )
    .unwrap();
    assert!(saved.windows(9).any(|window| window == b"\nparts: 2"));
    holds("baseline", &saved, Writer::Marks, 0..saved.len());
}

/// Of Xdebug's memory nothing but a line feed says that its number is whole; the time is, if the
/// costs add up to it.
#[test]
fn a_cut_in_the_last_number_keeps_no_limit_on_its_event() {
    let stage = Stage::empty();
    let text = String::from_utf8(fixture("regressions/no-line-feed.xdebug")).unwrap() + "\n";
    let time = text.find("100 4096").unwrap() + "100 ".len();
    for end in 0..=text.len() {
        stage.write("p", &text[..end]);
        let check = |event| {
            stage
                .run(&["check", "p", "--limit", &format!("total.\"{event}\" <= 5k")])
                .status
                .code()
        };
        let (is_whole, has_time) = (end == text.len(), end > time);
        assert_eq!(
            check("Memory_(bytes)") == Some(0),
            is_whole,
            "the first {end} bytes"
        );
        assert_eq!(
            check("Time_(10ns)") == Some(0),
            has_time,
            "the first {end} bytes"
        );
    }
}

/// Half of a Cachegrind profile, cut between two lines, costs less than the whole; it is not judged
/// for that.
#[test]
fn half_a_profile_keeps_no_limit() {
    let stage = Stage::empty();
    for (name, file) in [
        ("cachegrind", "cachegrind/matrix.cg-nosim.out"),
        ("xtree", "xtree/words.memory.kcg"),
    ] {
        let whole = fixture(file);
        let middle = whole[..whole.len() / 2]
            .iter()
            .rposition(|&b| b == b'\n')
            .unwrap()
            + 1;
        stage.write("whole", &whole).write("half", &whole[..middle]);
        let limit = if name == "xtree" {
            "total.curB <= +0"
        } else {
            "total.Ir <= +0"
        };
        let check = |file| {
            stage
                .run(&["check", file, "--baseline", "whole", "--limit", limit])
                .status
                .code()
        };
        assert_eq!(
            [check("whole"), check("half")],
            [Some(0), Some(4)],
            "{name}"
        );
        let report = |args: &[&str]| stage.run(&[args, &["half"]].concat());
        let out = report(&[]);
        assert_eq!(out.status.code(), Some(1), "{name}");
        assert!(
            String::from_utf8_lossy(&out.stderr).contains("[truncated]"),
            "{out:?}"
        );
        let allowed = report(&["--allow-truncated"]);
        assert_eq!(
            (allowed.status.code(), allowed.stdout),
            (Some(0), out.stdout),
            "{name}"
        );
    }
}

/// Where only the number of parts tells, the baseline has it.
#[test]
fn a_run_has_the_parts_of_its_baseline() {
    let stage = Stage::empty();
    let border = DUMPS.find("\npart: 2").unwrap();
    stage.write("both", DUMPS).write("first", &DUMPS[..border]);
    assert_eq!(
        stage
            .run(&["check", "both", "--save-baseline", "saved"])
            .status
            .code(),
        Some(0)
    );
    for baseline in ["both", "saved"] {
        let check = |more: &[&str]| {
            let args = [
                "check",
                "first",
                "--baseline",
                baseline,
                "--limit",
                "total.Ir <= +0",
            ];
            let out = stage.run(&[&args, more].concat());
            (
                out.status.code(),
                String::from_utf8([out.stdout, out.stderr].concat()).unwrap(),
            )
        };
        let (status, said) = check(&[]);
        assert_eq!(status, Some(4), "{said}");
        assert!(
            said.contains("first: 1 of the 2 parts that the baseline has"),
            "{said}"
        );
        assert!(
            said.contains("save the baseline again or use --allow-truncated"),
            "{said}"
        );
        let (status, said) = check(&["--allow-truncated"]);
        assert_eq!(status, Some(0), "{said}");
        // Nor did the program end there.
        assert!(
            said.contains("first: the last part was written because of callgrind_control"),
            "{said}"
        );
    }
    let out = stage.run(&[
        "check",
        "both",
        "--baseline",
        "first",
        "--limit",
        "total.Ir <= 1k",
    ]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
}

/// A file that marks no end is judged, and it is said that it could have been cut: on standard
/// error, and in JSON.
#[test]
fn what_cannot_be_seen_is_said() {
    let stage = Stage::empty();
    stage.write("bare", "events: Ir\nfl=x.c\nfn=f\n1 10\n");
    let out = stage.run(&[
        "check",
        "bare",
        "--limit",
        "total.Ir <= 10",
        "--report",
        "json",
    ]);
    let sentence = "bare: its writer is not known to mark where a file ends, so truncation would not be detected";
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(
        String::from_utf8_lossy(&out.stderr),
        format!("cgannotate: {sentence}\n")
    );
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(json["remarks"], serde_json::json!([sentence]));
    // Its sum is as good as an end.
    stage.write("sum", "events: Ir\nsummary: 10\nfl=x.c\nfn=f\n1 10\n");
    let out = stage.run(&["check", "sum", "--limit", "total.Ir <= 10"]);
    assert_eq!((out.status.code(), out.stderr), (Some(0), Vec::new()));
}

/// The total of a run is not below zero; that of a difference may be.
#[test]
fn a_total_below_zero_keeps_no_limit() {
    let stage = Stage::empty();
    stage.write("below", "events: Ir\nfl=x.c\nfn=f\n1 -10\n");
    stage.write("difference", fixture("cachegrind/matrix.less.out"));
    let check = |file| stage.run(&["check", file, "--limit", "total.Ir <= 10"]);
    assert_eq!(
        [
            check("below").status.code(),
            check("difference").status.code()
        ],
        [Some(4), Some(0)]
    );
    let said = String::from_utf8(check("below").stdout).unwrap();
    assert!(said.contains("the total of Ir is negative"), "{said}");
}

/// A derived event that cannot be computed is an event that is not there.
#[test]
fn a_formula_that_was_cut_keeps_no_limit() {
    let stage = Stage::empty();
    stage.write("formula", "events: Ir\nevent: Foo = Ir + \nfn=a\n1 5\n");
    let check = |limit| {
        stage
            .run(&["check", "formula", "--limit", limit])
            .status
            .code()
    };
    assert_eq!(
        [check("total.Ir <= 5"), check("total.Foo <= 5")],
        [Some(0), Some(4)]
    );
}

/// What came through, and what did not, in words.
#[test]
fn an_unfinished_last_line_is_told() {
    let stage = Stage::empty();
    let text = "version: 1\ncreator: callgrind-3.19.0\ndesc: x\nevents: Ir\nsummary: 70\n\nfl=a.c\nfn=main\n1 50\n2 2";
    stage.write("p", text);
    let out = stage.run(&["--auto=no", "p"]);
    let said = String::from_utf8(out.stderr).unwrap();
    let cut = "cgannotate: p:9: the file is truncated after line 9; its last, incomplete line is ignored [truncated]";
    assert!(said.lines().any(|line| line == cut), "{said}");
    assert_eq!(out.status.code(), Some(1));
}
