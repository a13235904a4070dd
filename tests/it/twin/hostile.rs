//! Files that are made to hurt: time and memory stay in proportion to the file, and nothing is lost
//! in silence.
//!
//! Each is reported in a process of its own under limits on processor time and memory. What grows
//! with the square of the file takes minutes at these sizes; the limits are far from both.

use crate::common::amount::is_long;
use cgannotate::input::{self, ErrorKind, Options};
use cgannotate::profile::WarningKind;
use std::fmt::Write as _;
use std::io::{self, Read, Write as _};
use std::process::{Command, Output, Stdio};

const LIST: &[&str] = &[
    "--auto=no",
    "--tree=both",
    "--inclusive=yes",
    "--threshold=100",
];
const SOURCES: &[&str] = &["--threshold=100", "--sources=listed"];
const JSON: &[&str] = &["--format=json"];
const COMPAT: &[&str] = &[
    "--compat",
    "--auto=no",
    "--tree=both",
    "--inclusive=yes",
    "--threshold=100",
];
const MERGE: &[&str] = &["merge"];
const SPLIT: &[&str] = &["--split=part", "--auto=no"];

/// The most processor time, in seconds.
const SECONDS: u32 = 20;

/// Many records: of what grows with their square, 40,000 take minutes.
fn count() -> usize {
    if is_long() { 40_000 } else { 8000 }
}

fn many(text: impl Fn(usize) -> String) -> String {
    (0..count()).map(text).collect()
}

/// Runs the program on a profile, within 100 times its size, 50 MB, and what the program and its
/// threads take.
fn run(args: &[&str], profile: &str) -> Output {
    let kilobytes = profile.len() / 1024 * 100 + 50_000 + 100_000;
    let limits = format!("ulimit -t {SECONDS} && ulimit -v {kilobytes} && exec \"$0\" \"$@\"");
    let mut child = Command::new("sh")
        .args(["-c", &limits, env!("CARGO_BIN_EXE_cgannotate")])
        .args(args)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A profile that is refused is not read to its end.
        scope.spawn(move || drop(stdin.write_all(profile.as_bytes())));
        child.wait_with_output().expect("its output")
    })
}

/// Every report of the profile ends well; the complaints of the last.
fn is_reported(profile: &str, reports: &[&[&str]]) -> String {
    let mut complaints = String::new();
    for args in reports {
        let out = run(args, profile);
        complaints = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(
            out.status.code(),
            Some(0),
            "{args:?}: {:?} {complaints:.500}",
            out.status
        );
        assert!(!out.stdout.is_empty(), "{args:?}");
    }
    complaints
}

/// The profile is refused with one line.
fn is_refused(profile: &str, because: &str) {
    let out = run(LIST, profile);
    let complaints = String::from_utf8_lossy(&out.stderr);
    assert_eq!(
        out.status.code(),
        Some(1),
        "{:?} {complaints:.500}",
        out.status
    );
    assert!(out.stdout.is_empty());
    assert!(
        complaints.lines().count() == 1 && complaints.contains(because),
        "{complaints:.500}"
    );
}

#[test]
fn ids_are_no_sizes() {
    let profile =
        "events: Ir\nfn=(4000000000) f\n1 1\ncfn=(18446744073709551615) g\ncalls=1 1\n2 3\n";
    assert_eq!(is_reported(profile, &[LIST, JSON, COMPAT, MERGE]), "");
}

#[test]
fn line_numbers_are_no_sizes() {
    let profile = "events: Ir\nfl=a.c\nfn=f\n9223372036854775808 1\n+5 1\n3 1\n";
    let complaints = is_reported(profile, &[LIST, SOURCES, COMPAT, MERGE, JSON]);
    assert!(
        complaints.contains("-:4: ") && complaints.contains("-:5: "),
        "{complaints}"
    );
    assert_eq!(complaints.lines().count(), 2, "{complaints}");
}

#[test]
fn lines_far_apart_and_in_falling_order() {
    let far = many(|i| format!("{} 1\n", i * 1_000_003));
    let falling = many(|i| format!("{} 1\n", (count() - i) * 16));
    let step_by_step = many(|_| "-1 1\n".into());
    let most = count();
    for lines in [far, falling, format!("{most} 1\n{step_by_step}")] {
        assert_eq!(
            is_reported(&format!("events: Ir\nfn=f\n{lines}"), &[JSON, SOURCES]),
            ""
        );
    }
}

#[test]
fn one_line_of_many_files() {
    assert_eq!(
        is_reported(
            &format!(
                "events: Ir\nfn=f\n{}",
                many(|i| format!("fi=f{i}\n1 1\n140 1\n"))
            ),
            &[JSON]
        ),
        ""
    );
    assert_eq!(
        is_reported(
            &format!("events: Ir\n{}", many(|i| format!("fl=f{i}\nfn=f\n1 1\n"))),
            &[SOURCES]
        ),
        ""
    );
}

#[test]
fn chains_cycles_and_stars_of_calls() {
    let call = |from: usize, to: usize| format!("fn=f{from}\n1 1\ncfn=f{to}\ncalls=1 1\n1 1\n");
    let chain = many(|i| call(i, i + 1));
    let cycle = many(|i| call(i, (i + 1) % count()));
    let star = format!("fn=f\n{}", many(|i| format!("cfn=f{i}\ncalls=1 1\n1 1\n")));
    let sink = many(|i| call(i + 1, 0));
    for calls in [chain, cycle, star, sink] {
        assert_eq!(
            is_reported(&format!("events: Ir\n{calls}"), &[LIST, COMPAT]),
            ""
        );
    }
}

#[test]
fn one_line_that_calls_many() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs");
    let calls: String = (0..80_000)
        .map(|i| format!("cfn=f{i}\ncalls=1 1\n1 1\n"))
        .collect();
    let out = run(
        SOURCES,
        &format!("events: Ir\nfl={source}\nfn=f\n1 1\n{calls}"),
    );
    assert_eq!(out.status.code(), Some(0), "{:?}", out.status);
    assert!(String::from_utf8_lossy(&out.stdout).contains("lib.rs:f79999 (1x)"));
}

#[test]
fn many_parts() {
    let parts = many(|i| format!("part: {i}\nfn=f\n1 1\n"));
    assert_eq!(
        is_reported(&format!("events: Ir\n{parts}"), &[LIST, SPLIT]),
        ""
    );
    // What a part does not say is as before, but not stored again.
    let command = format!(
        "cmd: {}\ncreator: {}\n",
        "x".repeat(100_000),
        "y".repeat(100_000)
    );
    assert_eq!(
        is_reported(&format!("{command}events: Ir\n{parts}"), &[LIST]),
        ""
    );
}

#[test]
fn warnings_are_counted_not_kept() {
    let complaints = is_reported(
        &format!("events: Ir\nfn=f\n1 1\n{}", "x\n".repeat(500_000)),
        &[JSON, LIST],
    );
    assert_eq!(complaints.lines().count(), 11);
    assert!(complaints.contains("499990 more"), "{complaints}");
    let complaints = is_reported(
        &format!("events: Ir\n{}", many(|i| format!("fn=({i})\n1 1\n"))),
        &[LIST],
    );
    assert_eq!(complaints.lines().count(), 11);
}

#[test]
fn events_without_end() {
    let all = many(|i| format!(" e{i}"));
    is_refused(
        &format!("events:{all}\nfn=f\n1 1\n"),
        &format!("names {} events; at most 256", count()),
    );
    is_refused(
        &many(|i| format!("events: e{i}\nfn=f\n1 1\n")),
        "more than 256 different events",
    );
}

#[test]
fn rows_that_are_mostly_empty() {
    let events: String = (0..250).map(|i| format!(" e{i}")).collect();
    let lines = many(|i| format!("{i} 1\n"));
    let profile = format!(
        "events:{events}\nfn=f\n1 1\nevents: e249\nfn=f\n{lines}{}",
        lines.replace(" 1", "9 1")
    );
    let out = run(JSON, &profile);
    assert_eq!(
        out.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    // Of few events it is no matter.
    let profile = format!("events: a b c d e f g h i j k l m\nfn=f\n1 1\nevents: m\nfn=f\n{lines}");
    assert_eq!(is_reported(&profile, &[JSON]), "");
}

/// Where a part has many more events than those before it, its rows are held against the length of
/// the input, with several threads, too.
#[test]
fn events_that_become_many_in_a_later_part() {
    let events: String = (0..255).map(|i| format!(" e{i}")).collect();
    let body = many(|i| format!("fn=f{}\n{} 1\n", i % 100, i % 1000));
    let part = format!(
        "events:{events}\nfn=a\n1 1\nevents: e254\nfn=b\n1 1\n{}",
        "+1 1\n".repeat(40_000)
    );
    let profile = format!("events: Ir\n{body}{}", part.repeat(4));
    for threads in ["--threads=1", "--threads=2"] {
        let out = run(&[&[threads, "--threshold=100"], SOURCES].concat(), &profile);
        let complaints = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{threads}: {complaints:.500}");
        assert!(
            complaints.contains("the parts differ so much in their events"),
            "{threads}: {complaints:.500}"
        );
    }
}

#[test]
fn formulas_of_formulas() {
    let chain = many(|i| format!("event: E{i} = E{} + E{}\n", i + 1, i + 1));
    let most = count();
    let complaints = is_reported(
        &format!("{chain}event: E{most} = Ir\nevents: Ir\nfn=f\n1 1\n"),
        &[LIST, JSON],
    );
    assert!(complaints.contains("bad-formula"), "{complaints}");
}

#[test]
fn names_of_names() {
    let mut doubling = String::from("events: Ir\nfn=(0) f\n1 1\n");
    for i in 0..64 {
        writeln!(doubling, "fn=({}) ({i})'({i})\n1 1", i + 1).expect("a string");
    }
    assert!(is_reported(&doubling, &[LIST]).contains("too long together"));
    let copies = many(|i| format!("fn=({}) (0)'{i}\n1 1\n", i + 1));
    let profile = format!("events: Ir\nfn=(0) {}\n1 1\n{copies}", "f".repeat(10_000));
    assert!(is_reported(&profile, &[MERGE]).contains("too long together"));
}

#[test]
fn sums_stop_at_the_limit() {
    let most = i64::MAX;
    let profile = format!(
        "events: Ir\nfl=a.c\nfn=f\n1 {most}\n1 {most}\ncfn=g\ncalls=18446744073709551615 1\n1 {most}\n"
    );
    let complaints = is_reported(&profile, &[LIST, SOURCES, MERGE, COMPAT, JSON]);
    assert!(complaints.contains("-:5: "), "{complaints}");
    let out = run(JSON, &profile);
    assert!(String::from_utf8_lossy(&out.stdout).contains(&format!("[{most}]")));
}

#[test]
fn control_characters_stay_out_of_messages() {
    let profile = "events: Ir\nfn=(1) a\u{1b}[31m\n1 1\nfn=(1) b\u{7}\n1 1\n\u{1b}[2J\n";
    let complaints = is_reported(profile, &[JSON, MERGE, COMPAT, LIST]);
    assert_eq!(complaints.lines().count(), 2, "{complaints}");
    assert!(!complaints.contains(['\u{1b}', '\u{7}']), "{complaints:?}");
}

/// Yields a start, one piece so many times, and an end, without holding them.
struct Repeated<'a> {
    start: &'a [u8],
    piece: &'a [u8],
    times: u64,
    rest: &'a [u8],
    end: &'a [u8],
}

impl<'a> Repeated<'a> {
    fn new(start: &'a str, piece: &'a str, times: u64, end: &'a str) -> Repeated<'a> {
        let [start, piece, end] = [start, piece, end].map(str::as_bytes);
        Repeated {
            start,
            piece,
            times,
            rest: &[],
            end,
        }
    }
}

impl Read for Repeated<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut filled = self.start.read(out)?;
        while filled < out.len() {
            if self.rest.is_empty() && self.times > 0 {
                (self.rest, self.times) = (self.piece, self.times - 1);
            }
            let source = if self.rest.is_empty() {
                &mut self.end
            } else {
                &mut self.rest
            };
            match source.read(&mut out[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        Ok(filled)
    }
}

#[test]
fn a_line_of_200_megabytes_is_skipped() {
    let piece = "x".repeat(1 << 16);
    let source = Repeated::new("events: Ir\nfn=f\n1 1\nfn=", &piece, 3200, "\n2 1\n");
    let profile = input::read_from("x", source, &Options::all()).expect("a profile");
    let warnings: Vec<_> = profile
        .warnings
        .kept()
        .iter()
        .map(|w| (w.kind, w.line))
        .collect();
    assert_eq!(warnings, [(WarningKind::LongLine, Some(4))]);
    assert_eq!(
        profile.totals.counts().recorded().collect::<Vec<_>>(),
        [Some(2)]
    );
}

#[test]
fn ten_million_events_are_too_many() {
    let piece = " e".repeat(1 << 12);
    let source = Repeated::new("events:", &piece, 2442, "\nfn=f\n1 1\n");
    let error = input::read_from("x", source, &Options::all())
        .err()
        .expect("an error");
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert!(error.to_string().contains("10002432 events"), "{error}");
    assert_eq!(error.line(), Some(1));
}
