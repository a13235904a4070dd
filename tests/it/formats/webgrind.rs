//! webgrind's files and aprof's reports, against what the original tools show of the same files
//! (`fixtures/webgrind/expected`, `fixtures/aprof/expected`).

use crate::common::{Stage, counts, is_read_or_refused};
use cgannotate::analysis::Inclusive;
use cgannotate::input::{Options, read_from};
use cgannotate::profile::{FunctionId, Profile, WarningKind};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

fn read(name: &str) -> Profile {
    read_from(name, &fs::read(fixture(name)).unwrap()[..], &Options::all()).unwrap()
}

fn lines(name: &str) -> Vec<String> {
    fs::read_to_string(fixture(name))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn named(profile: &Profile, name: &str) -> FunctionId {
    let found = profile
        .function_ids()
        .find(|&id| profile.name(profile.function(id).name) == name.as_bytes());
    found.unwrap_or_else(|| panic!("no function {name}"))
}

/// The function that stands at this place in the file.
fn nth(profile: &Profile, at: u32) -> FunctionId {
    profile.function_ids().nth(at as usize).unwrap()
}

/// Callers with the lines of their calls, counts and costs, as webgrind lists them.
fn sites(
    profile: &Profile,
    wanted: impl Fn(FunctionId, FunctionId) -> bool,
) -> Vec<(FunctionId, FunctionId, u64, u64, i64)> {
    let arcs = profile
        .arcs
        .iter()
        .filter(|arc| wanted(arc.caller, arc.callee));
    arcs.flat_map(|arc| {
        profile.sites(arc).iter().map(|s| {
            (
                arc.caller,
                arc.callee,
                s.line,
                s.count,
                counts(profile.site_counts(s))[0],
            )
        })
    })
    .collect()
}

/// webgrind's `number_format(x, 2)`: half away from zero.
fn percent(cost: i64, total: i64) -> String {
    let hundredths = if total == 0 {
        0.0
    } else {
        (cost as f64 * 10000.0 / total as f64).round()
    };
    format!("{:.2}", hundredths / 100.0)
}

/// W1, W2 and all others that webgrind 1.9.4 itself was run on: function table, callers and callees
/// of its page.
#[test]
fn what_webgrinds_page_shows() {
    let files = [
        ("app-x320-v7", "app-x320", 39),
        ("app-x353-v7", "app-x353", 39),
        ("app74-x272-v7", "app74-x272", 38),
        ("app74-x298-v7", "app74-x298", 39),
        ("app74-derived-x205-v7-php", "app74-derived-x205.php", 38),
        ("append-x320-v7-php", "append-x320.php", 7),
        ("hard-nofibers-x353-v7", "hard-nofibers-x353", 25),
        ("killed-x320-v7", "killed-x320", 2),
        ("proxy-derived-v7", "proxy-derived", 38),
        ("utf8-x320-v7", "utf8-x320", 2),
        ("windows-derived-v7", "windows-derived", 5),
    ];
    let mut calls = 0;
    for (file, expected, functions) in files {
        let profile = read(&format!("webgrind/{file}.webgrind"));
        assert_eq!(profile.functions.len(), functions, "{file}");
        // A run that was killed has no end.
        let kinds: Vec<WarningKind> = profile
            .warnings
            .kept()
            .iter()
            .map(|warning| warning.kind)
            .collect();
        let killed = file.starts_with("killed");
        assert_eq!(
            kinds,
            if killed {
                vec![WarningKind::Truncated]
            } else {
                vec![]
            },
            "{file}: {:?}",
            profile.warnings
        );
        let inclusive = Inclusive::new(&profile);
        // Without a summary webgrind shows 0 %; there, so does this test.
        let stated = profile.totals.source == cgannotate::profile::TotalsSource::Summary;
        let total = if stated {
            counts(profile.totals.counts())[0]
        } else {
            0
        };
        let scale = if profile.events.recorded()[0] == b"Time_(10ns)" {
            100.0
        } else {
            1.0
        };
        let micros = |cost: i64| (cost as f64 / scale).round();
        let (mut rows, mut current) = (0, nth(&profile, 0));
        for line in lines(&format!("webgrind/expected/{expected}.tsv")) {
            let fields: Vec<&str> = line.split('\t').collect();
            if let Ok(nr) = fields[0].parse::<u32>() {
                let id = nth(&profile, nr);
                let own = counts(profile.self_counts(id))[0];
                let ours = [
                    inclusive.called(id).to_string(),
                    own.to_string(),
                    percent(own, total),
                    micros(own).to_string(),
                    percent(counts(inclusive.counts(id))[0], total),
                    micros(counts(inclusive.counts(id))[0]).to_string(),
                    sites(&profile, |_, callee| callee == id).len().to_string(),
                    sites(&profile, |caller, _| caller == id).len().to_string(),
                ];
                let theirs = [2, 3, 4, 6, 7, 9, 10, 11].map(|at| fields[at]);
                assert_eq!(
                    ours.each_ref().map(String::as_str),
                    theirs,
                    "{file}: {line}"
                );
                assert_eq!(
                    String::from_utf8_lossy(profile.name(profile.function(id).name)),
                    fields[12]
                );
                rows += 1;
            } else if let Some(rest) = line.strip_prefix("## callinfo nr=") {
                current = nth(&profile, rest.split(' ').next().unwrap().parse().unwrap());
            } else if let Some(rest) = line.trim_start().strip_prefix("calledFrom ") {
                let (other, rest) = rest.rsplit_once(" @ ").unwrap();
                let caller = named(&profile, other);
                check_call(&profile, (caller, current), rest, total, micros);
                calls += 1;
            } else if let Some(rest) = line.trim_start().strip_prefix("subCalls ") {
                let (other, rest) = rest.rsplit_once(" @ ").unwrap();
                let callee = named(&profile, other);
                check_call(&profile, (current, callee), rest, total, micros);
                calls += 1;
            }
        }
        assert_eq!(rows, functions, "{file}");
    }
    assert!(calls > 200, "{calls}");
}

/// `15 count 482 usec 7031 pct 460.29`
fn check_call(
    profile: &Profile,
    (from, to): (FunctionId, FunctionId),
    text: &str,
    total: i64,
    micros: impl Fn(i64) -> f64,
) {
    let found = sites(profile, |caller, callee| (caller, callee) == (from, to))
        .into_iter()
        .any(|(_, _, line, count, cost)| {
            text == format!(
                "{line} count {count} usec {} pct {}",
                micros(cost),
                percent(cost, total)
            )
        });
    assert!(found, "{from:?} to {to:?}: {text}");
}

/// W4 and W5: the older versions, from the records that webgrind's own readers of that time gave.
#[test]
fn versions_4_to_6() {
    for (file, functions) in [
        ("app74-v4", 38),
        ("app74-v5", 38),
        ("app74-v6", 38),
        ("append-v4", 7),
    ] {
        let profile = read(&format!("webgrind/{file}.webgrind"));
        assert_eq!(profile.functions.len(), functions, "{file}");
        let inclusive = Inclusive::new(&profile);
        let expected = lines(&format!("webgrind/expected/{file}.tsv"));
        let columns: Vec<&str> = expected[0].split('\t').collect();
        for line in &expected[1..] {
            let fields: Vec<&str> = line.split('\t').collect();
            let id = nth(&profile, fields[0].parse().unwrap());
            for (&column, &field) in columns.iter().zip(&fields) {
                let ours = match column {
                    "calls" => inclusive.called(id).to_string(),
                    "self" => counts(profile.self_counts(id))[0].to_string(),
                    "incl" => counts(inclusive.counts(id))[0].to_string(),
                    "name" => String::from_utf8_lossy(profile.name(profile.function(id).name))
                        .into_owned(),
                    "file" => String::from_utf8_lossy(profile.name(profile.function(id).file))
                        .into_owned(),
                    "callcost" => sites(&profile, |_, callee| callee == id)
                        .iter()
                        .map(|s| s.4)
                        .sum::<i64>()
                        .to_string(),
                    "callers" => sites(&profile, |_, callee| callee == id).len().to_string(),
                    "callees" => sites(&profile, |caller, _| caller == id).len().to_string(),
                    _ => continue,
                };
                assert_eq!(ours, field, "{file}, {column}: {line}");
            }
        }
    }
    // Of the issue: fib 485 calls, self 843, inclusive 6,369, call cost 6,481 in v4; base of the
    // percentages 40 + 35 + 40.
    let v4 = read("webgrind/app74-v4.webgrind");
    let fib = named(&v4, "App\\fib");
    assert_eq!(
        (
            counts(v4.self_counts(fib))[0],
            v4.stated.as_ref().unwrap().calls(fib)
        ),
        (843, 485)
    );
    assert_eq!(
        counts(v4.stated.as_ref().unwrap().inclusive_counts(fib)),
        [6369]
    );
    assert_eq!(
        sites(&v4, |_, callee| callee == fib)
            .iter()
            .map(|s| s.4)
            .sum::<i64>(),
        6481
    );
    let append = read("webgrind/append-v4.webgrind");
    assert_eq!(counts(append.totals.counts()), [115]);
    assert_eq!(append.parts.len(), 3);
}

/// W10: what webgrind shows as `/srv/r4/php/src/dir with space/naïve` is shown whole.
#[test]
fn a_command_with_a_colon_is_shown_whole() {
    let profile = read("webgrind/utf8-x320-v7.webgrind");
    assert_eq!(
        String::from_utf8_lossy(&profile.parts[0].command),
        "/srv/r4/php/src/dir with space/naïve: x.php"
    );
}

fn error_of(bytes: &[u8]) -> String {
    match read_from("x", bytes, &Options::all()) {
        Ok(_) => panic!("{bytes:?} was read"),
        Err(e) => e.to_string(),
    }
}

fn webgrind(numbers: &[u32], rest: &[u8]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|n| n.to_le_bytes())
        .chain(rest.iter().copied())
        .collect()
}

/// W10: each gives a line that says what is wrong, at once and without room for what is not there.
#[test]
fn hostile_webgrind_files() {
    let whole = webgrind(&[7, 12, 0], b"");
    for (bytes, says) in [
        (&whole[..11], "at least 12 bytes; this one ends after 11"),
        (
            &webgrind(&[7, 12, 1 << 31], b"x"),
            "counts 2147483648 functions, but the file has room for at most 0",
        ),
        (
            &webgrind(&[8, 12, 0], b""),
            "version 8 of webgrind's format is not known (4 to 7 are)",
        ),
        (
            &webgrind(&[7, 9999, 0], b""),
            "header should be at byte 9999",
        ),
        (
            &webgrind(&[7, 16, 1, 9999], b"creator: x\n"),
            "function 0 should be at byte 9999",
        ),
        (
            &webgrind(&[7, 44, 1, 16, 1, 1, 1, 1, 1 << 31, 0], b"f\ng\n"),
            "function 0 states 2147483648 call records",
        ),
        (
            &webgrind(&[7, 40, 1, 16, 1, 1, 1, 1, 0, 1 << 31], b"f\ng\n"),
            "function 0 states 2147483648 call records",
        ),
        (
            &webgrind(&[4, 36, 1, 16, 1, 1, 1, 1 << 31], b"f\ng\n"),
            "function 0 states 2147483648 call records",
        ),
        (
            &webgrind(&[7, 60, 1, 16, 1, 1, 1, 1, 1, 0, 5, 1, 1, 1], b"f\ng\n"),
            "calls function 5, but there are only 1",
        ),
        (
            &webgrind(&[7, 40, 2, 20, 20, 1, 1, 1, 1, 0, 0], b"f\ng\n"),
            "function 1 should be at byte 20",
        ),
        (
            &webgrind(&[7, 40, 2, 20, 21, 1, 1, 1, 1, 0, 0], b"f\ng\n"),
            "records of functions 0 and 1 overlap",
        ),
        (
            &webgrind(&[7, 40, 1, 16, 1, 1, 1, 1, 0, 0], b"f"),
            "runs past the end",
        ),
    ] {
        let message = error_of(bytes);
        assert!(message.contains(says), "{message} should say {says}");
        assert!(
            message.starts_with("x: ") && !message.contains('\n'),
            "{message}"
        );
    }
    // Zero functions is a file that says nothing, and no fault. (webgrind 1.9.4 dies of it.)
    let none = read_from(
        "x",
        &webgrind(&[7, 12, 0], b"summary: 5 6\n")[..],
        &Options::all(),
    )
    .unwrap();
    assert_eq!(
        (none.functions.len(), counts(none.totals.counts())),
        (0, vec![5])
    );
    let [warning] = none.warnings.kept() else {
        panic!("{:?}", none.warnings)
    };
    assert_eq!(
        warning.to_string(),
        "x: the file has no functions: none had returned when it was written [no-functions]"
    );
}

/// Cut anywhere, or with any byte changed, a file is read or refused; nothing else happens.
#[test]
fn broken_webgrind_files() {
    for name in ["utf8-x320-v7", "append-v4", "append-x320-v7-php"] {
        let whole = fs::read(fixture(&format!("webgrind/{name}.webgrind"))).unwrap();
        for end in 0..whole.len() {
            is_read_or_refused(
                &format!("{name}: the first {end} bytes"),
                read_from("x", &whole[..end], &Options::all()),
            );
        }
        for at in 0..whole.len() {
            for value in [0, 0xff, whole[at].wrapping_add(1), b'\n'] {
                let mut changed = whole.clone();
                changed[at] = value;
                is_read_or_refused(
                    &format!("{name}: {value} at {at}"),
                    read_from("x", &changed[..], &Options::all()),
                );
            }
        }
    }
}

/// Where counts need a larger unit, events have the names that webgrind knows: the time is in µs,
/// and memory is not scaled.
#[test]
fn events_of_a_larger_unit_have_other_names() {
    let stage = Stage::empty();
    let text = |events: &str, count: u64| {
        format!(
            "creator: xdebug 3.2.0\ncmd: x.php\npart: 1\npositions: line\n\nevents: {events}\n\nfl=x.php\nfn={{main}}\n1 {count} 77\n\nsummary: {count} 77\n"
        )
    };
    for (events, count, names, total) in [
        (
            "Time_(10ns) Memory_(bytes)",
            5_000_000_000,
            "Time Memory",
            50_000_000,
        ),
        (
            "Time_(10ns) Memory_(bytes)",
            5_000,
            "Time_(10ns) Memory_(bytes)",
            5_000,
        ),
        (
            "Time Memory",
            5_000_000_000,
            "Time_(100) Memory_(100)",
            50_000_000,
        ),
    ] {
        stage.write("x", text(events, count));
        stage.report(&["convert", "--to=webgrind", "-o", "w", "x"]);
        let bytes = std::fs::read(stage.dir.join("w")).unwrap();
        let said = String::from_utf8_lossy(&bytes);
        let want = format!("\nevents: {names}\nsummary: {total} 77");
        assert!(said.contains(&want), "{said}");
    }
}

/// Counts modulo 2^32 are said. A function of 43 seconds, in 10 ns: 4,300,011,815 is stored as
/// 5,044,519.
#[test]
fn counts_that_wrapped_are_said() {
    let header = b"f\ng\nevents: Time_(10ns) Memory_(bytes)\nsummary: 4300096222 429448\n";
    let profile = read_from(
        "x",
        &webgrind(&[7, 44, 1, 16, 1, 5_044_519, 5_044_519, 1, 0, 0], header)[..],
        &Options::all(),
    );
    let profile = profile.unwrap();
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings)
    };
    assert_eq!(warning.kind, WarningKind::WrappedCount);
    assert!(
        warning.message.contains("5044519") && warning.message.contains("4300096222"),
        "{warning}"
    );
    // Two calls of 2^31 each make an inclusive cost of 2^32 and more, stored as what is left.
    let numbers = [
        7,
        72,
        1,
        16,
        1,
        7,
        7,
        3,
        0,
        2,
        0,
        1,
        1,
        1 << 31,
        0,
        2,
        1,
        1 << 31,
    ];
    let profile = read_from(
        "x",
        &webgrind(&numbers, b"f\ng\nevents: Time\nsummary: 9\n")[..],
        &Options::all(),
    )
    .unwrap();
    let [warning] = profile.warnings.kept() else {
        panic!("{:?}", profile.warnings)
    };
    assert!(warning.message.contains("at least 4294967303"), "{warning}");
}

/// webgrind adds all `summary:` lines up, one a run; but the one that is the time of the day
/// belongs to no run. A self cost above its run's was below zero once.
#[test]
fn summaries_of_webgrind_files() {
    let file = |own: u32, header: &str| {
        let bytes = webgrind(
            &[7, 44, 1, 16, 1, own, own, 1, 0, 0],
            format!("f\ng\nevents: Time\n{header}").as_bytes(),
        );
        read_from("x", &bytes[..], &Options::all()).unwrap()
    };
    let three = file(7, "summary: 10 5\nsummary: 20\nsummary: 30 1\n");
    assert_eq!(
        (three.parts.len(), counts(three.totals.counts())),
        (3, vec![60])
    );
    let exits = file(7, "summary: 10\nsummary: 1488967759093191\n");
    assert_eq!(
        (exits.parts.len(), counts(exits.totals.counts())),
        (1, vec![10])
    );
    assert!(exits.warnings.has(WarningKind::SecondSummary));
    let back = file(u32::MAX - 5, "summary: 10\n");
    let [warning] = back.warnings.kept() else {
        panic!("{:?}", back.warnings)
    };
    assert!(
        warning.kind == WarningKind::WrappedCount && warning.message.contains("4294967290"),
        "{warning}"
    );
}

/// The classic report and its options take a webgrind file like any other.
#[test]
fn the_report_of_a_webgrind_file() {
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
            .args(args)
            .current_dir(fixture("webgrind"))
            .output()
            .unwrap();
        (
            String::from_utf8_lossy(&out.stdout).into_owned(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
            out.status.code(),
        )
    };
    let (report, complaints, status) = run(&[
        "--inclusive=yes",
        "--tree=caller",
        "append-x320-v7-php.webgrind",
    ]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    assert!(
        report.contains("23,893 (100.0%)  PROGRAM TOTALS"),
        "{report}"
    );
    assert!(
        report.contains("(68.45%)  *  /srv/r4/php/src/run2.php:{main}"),
        "{report}"
    );
    assert!(
        report.contains("(38.12%)  < /srv/r4/php/src/run2.php:{main} (1x)"),
        "{report}"
    );
    let (report, complaints, status) = run(&["--format=json", "utf8-x320-v7.webgrind"]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    assert!(
        report.contains(r#""format":"webgrind""#)
            && report.contains(r#""self":[1204],"inclusive":[1872],"called":1,"#)
    );
    assert!(!report.contains(r#""lines""#), "{report}");
    let (report, complaints, status) = run(&["--compat", "append-v4.webgrind"]);
    assert_eq!((report.as_str(), status), ("", Some(1)));
    assert!(
        complaints.contains("append-v4.webgrind: this is a webgrind file"),
        "{complaints}"
    );
}

fn convert(profile: &Path) -> (Vec<u8>, String, Option<i32>) {
    let program = env!("CARGO_BIN_EXE_cgannotate");
    let out = Command::new(program)
        .args(["convert", "--to", "webgrind"])
        .arg(profile)
        .output()
        .unwrap();
    (
        out.stdout,
        String::from_utf8_lossy(&out.stderr).into_owned(),
        out.status.code(),
    )
}

/// W6 and W7: of Xdebug's profiles, the bytes that webgrind 1.9.4's own preprocessors write, where
/// these two agree, and the right one's of appended runs.
#[test]
fn what_webgrinds_preprocessors_write() {
    for (xdebug, webgrind) in [
        ("app-x320.xdebug", "app-x320-v7"),
        ("app-x353.xdebug", "app-x353-v7"),
        ("app-x353.xdebug.gz", "app-x353-v7"),
        ("app74-x272.xdebug", "app74-x272-v7"),
        ("app74-x298.xdebug", "app74-x298-v7"),
        ("utf8-x320.xdebug", "utf8-x320-v7"),
        ("killed-x320.xdebug", "killed-x320-v7"),
        ("windows-derived.xdebug", "windows-derived-v7"),
        ("hard-nofibers-x353.xdebug", "hard-nofibers-x353-v7"),
        ("append-x320.xdebug", "append-x320-v7-php"),
    ] {
        let (ours, _, status) = convert(&fixture(&format!("xdebug/{xdebug}")));
        assert_eq!(status, Some(i32::from(xdebug.starts_with("killed"))));
        let theirs = fs::read(fixture(&format!("webgrind/{webgrind}.webgrind"))).unwrap();
        assert!(
            ours == theirs,
            "{xdebug}: {} bytes, and {} of {webgrind}",
            ours.len(),
            theirs.len()
        );
    }
    // This one differs in a file name that webgrind's preprocessor gets wrong.
    let (ours, ..) = convert(&fixture("xdebug/app74-derived-x205.xdebug"));
    let theirs = fs::read(fixture("webgrind/app74-derived-x205-v7-php.webgrind")).unwrap();
    assert_eq!(
        ours.len(),
        theirs.len() + "/srv/r4/php/src/app74.php(58) ".len()
    );
}

/// W8: a number over 2^32 makes all costs hundreds, which of Xdebug's units of 10 ns are
/// microseconds.
#[test]
fn long_runs_are_scaled() {
    let (bytes, complaints, status) = convert(&fixture("xdebug/long43-x320.xdebug"));
    assert_eq!(status, Some(0));
    assert!(complaints.contains("units of 100"), "{complaints}");
    let profile = read_from("x", &bytes[..], &Options::all()).unwrap();
    let stated = profile.stated.as_ref().unwrap();
    assert_eq!(profile.events.recorded(), [b"Time"]);
    assert_eq!(counts(profile.totals.counts()), [43_000_962]);
    assert_eq!(
        counts(profile.self_counts(named(&profile, "php::sleep"))),
        [43_000_118]
    );
    assert_eq!(
        counts(stated.inclusive_counts(named(&profile, "{main}"))),
        [43_000_890]
    );
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings.kept());
    let head = "creator: xdebug 3.2.0\ncmd: x\npart: 1\nevents: Time_(10ns)\n\nfl=x.php\n";
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("long.xdebug");
    fs::write(
        &dir,
        format!("{head}fn={{main}}\n1 429496729550\n\nsummary: 429496729550\n"),
    )
    .unwrap();
    let (bytes, complaints, status) = convert(&dir);
    assert_eq!((bytes.len(), status), (0, Some(1)), "{complaints}");
    assert!(
        complaints.contains("the self cost of {main} is 4294967296 in units of 100"),
        "{complaints}"
    );
}

/// A Callgrind profile, which webgrind itself misreads: read back, it has its functions, self
/// costs, inclusive costs that count recursion once, and calls.
#[test]
fn a_callgrind_profile_for_webgrind() {
    let original = read("shapes/shapes.plain.out");
    let (bytes, complaints, status) = convert(&fixture("shapes/shapes.plain.out"));
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    let back = read_from("x", &bytes[..], &Options::all()).unwrap();
    assert_eq!(
        counts(back.totals.counts()),
        counts(original.totals.counts())
    );
    assert_eq!(back.events.recorded(), original.events.recorded());
    assert_eq!(back.parts.len(), 1);
    let (theirs, ours) = (Inclusive::new(&original), Inclusive::new(&back));
    // Functions of two objects can have one file and name; then they are one when read back.
    let sums = |profile: &Profile, inclusive: &Inclusive| {
        let mut sums = std::collections::BTreeMap::<(Vec<u8>, Vec<u8>), (i64, i64)>::new();
        for id in profile.function_ids() {
            let f = profile.function(id);
            let [file, name] = [f.file, f.name].map(|name| profile.name(name));
            let sum = sums.entry((file.to_vec(), name.to_vec())).or_default();
            sum.0 += counts(profile.self_counts(id)).first().unwrap_or(&0);
            sum.1 += counts(inclusive.counts(id))[0];
        }
        sums
    };
    assert_eq!(sums(&original, &theirs), sums(&back, &ours));
    let main = named(&original, "main");
    assert_eq!(
        back.stated.as_ref().unwrap().calls(named(&back, "main")),
        theirs.called(main)
    );
}

/// What was read can be written again: all of it of version 7, though calls may have another order,
/// and of an older one what it says in it.
#[test]
fn webgrind_files_survive() {
    let mut same = 0;
    let sorted = |mut bytes: Vec<u8>| {
        bytes.sort_unstable();
        bytes
    };
    for entry in fs::read_dir(fixture("webgrind")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path
            .extension()
            .is_none_or(|extension| extension != "webgrind")
        {
            continue;
        }
        let (written, complaints, status) = convert(&path);
        assert_eq!(
            status,
            Some(i32::from(name.starts_with("killed"))),
            "{name}: {complaints}"
        );
        if name.contains("-v7") {
            assert!(
                sorted(written.clone()) == sorted(fs::read(&path).unwrap()),
                "{name}"
            );
            same += 1;
        }
        let (once, twice) = (
            read(&format!("webgrind/{name}")),
            read_from("x", &written[..], &Options::all()).unwrap(),
        );
        assert_eq!(once.parts.len(), twice.parts.len());
        assert_eq!(
            (counts(once.totals.counts()), once.functions.len()),
            (counts(twice.totals.counts()), twice.functions.len())
        );
        let (a, b) = (
            once.stated.as_ref().unwrap(),
            twice.stated.as_ref().unwrap(),
        );
        for at in 0..once.functions.len() as u32 {
            let id = nth(&once, at);
            assert_eq!(
                (a.inclusive_counts(id), a.calls(id), a.line(id)),
                (b.inclusive_counts(id), b.calls(id), b.line(id))
            );
        }
    }
    assert_eq!(same, 12);
    // Of a Callgrind profile, too, functions of several files with one name among them. (Those that
    // differ in nothing but the object, which the format does not have, become one when they are
    // read.)
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("again.webgrind");
    for profile in ["shapes/shapes.plain.out", "cxx/inventory.out"] {
        fs::write(&path, convert(&fixture(profile)).0).unwrap();
        let once = convert(&path).0;
        fs::write(&path, &once).unwrap();
        assert!(sorted(once) == sorted(convert(&path).0), "{profile}");
    }
}

/// W1: webgrind's page has 524.84 % and 8,017 us for `fib`, which is the 801,708 that the file
/// states: its own 98,613 and its calls of itself. The calls to it cost 801,688, the number that
/// callgrind_annotate has. The page of a function has both, each once.
#[test]
fn recursion_in_a_webgrind_file_is_counted_again() {
    let profile = read("webgrind/app-x320-v7.webgrind");
    let fib = named(&profile, "App\\fib");
    let (own, inclusive) = (
        counts(profile.self_counts(fib))[0],
        counts(Inclusive::new(&profile).counts(fib))[0],
    );
    let from: i64 = sites(&profile, |_, callee| callee == fib)
        .iter()
        .map(|site| site.4)
        .sum();
    let to: i64 = sites(&profile, |caller, _| caller == fib)
        .iter()
        .map(|site| site.4)
        .sum();
    assert_eq!((from, own + to, inclusive), (801_688, 801_708, 801_708));
    assert_eq!(
        (
            percent(inclusive, 152_752).as_str(),
            (inclusive as f64 / 100.0).round()
        ),
        ("524.84", 8_017.0)
    );
    assert_eq!(
        (percent(own, 152_752).as_str(), (own as f64 / 100.0).round()),
        ("64.56", 986.0)
    );
    let program = env!("CARGO_BIN_EXE_cgannotate");
    let zoom = |name: &str, profile: &Path| {
        let zoom = format!("--zoom={name}");
        let out = Command::new(program)
            .args(["--auto=no", &zoom])
            .arg(profile)
            .output()
            .unwrap();
        let page = String::from_utf8_lossy(&out.stdout).into_owned();
        page.lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect::<Vec<_>>()
    };
    let page = zoom("fib$", &fixture("webgrind/app-x320-v7.webgrind"));
    for row in [
        "Calls: 485, 482 of them recursive, their cost counted again with each",
        "801,708 (524.8%) inclusive: it and what it called",
        "703,095 (87.70%) < /srv/r4/php/src/app.php:App\\fib (482x, 1,459 each)",
        "96,704 (12.06%) < /srv/r4/php/src/app.php:{main} (1x)",
        "98,613 (12.30%) * self",
        "703,095 (87.70%) > /srv/r4/php/src/app.php:App\\fib (482x, 1,459 each)",
    ] {
        assert!(page.iter().any(|line| line == row), "{row}: {page:#?}");
    }
    // W1: the breakdown of self cost by kind of function, as webgrind tells kinds apart.
    let mut kinds = std::collections::BTreeMap::new();
    for id in profile.function_ids() {
        let name = String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned();
        let includes = ["require_once::", "require::", "include_once::", "include::"];
        let kind = match name {
            _ if name.starts_with("php::") => "internal",
            _ if includes.iter().any(|prefix| name.starts_with(prefix)) => "include",
            _ if name.contains("->") || name.contains("::") => "class",
            _ => "procedural",
        };
        *kinds.entry(kind).or_insert(0) += counts(profile.self_counts(id))[0];
    }
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        [
            ("class", 7_825),
            ("include", 1_238),
            ("internal", 14_276),
            ("procedural", 125_034)
        ]
    );
    // What was written of a Callgrind profile counts recursion once.
    let (bytes, ..) = convert(&fixture("shapes/shapes.plain.out"));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shapes.webgrind");
    fs::write(&path, bytes).unwrap();
    let page = zoom("^ins'2$", &path);
    assert!(
        page.iter()
            .any(|line| line.ends_with("recursive: in the cost of the first call)")),
        "{page:#?}"
    );
}

/// A format that is given counts, not the content; what then is no file of it is refused.
#[test]
fn the_format_can_be_given() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let run = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
            .args(args)
            .current_dir(dir)
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (text(&out.stdout), text(&out.stderr), out.status.code())
    };
    // Without its head, this is a report of version 0 that cannot be told.
    fs::write(dir.join("headless"), "r sort /x 1\np 1 2 30 1\n").unwrap();
    assert_eq!(run(&["headless"]).2, Some(1));
    let (text, complaints, status) = run(&["--input-format=aprof", "headless", "headless"]);
    assert_eq!((complaints.as_str(), status), ("", Some(0)));
    assert!(text.contains("60") && text.contains("sort [/x]"), "{text}");
    // A file without a creator is Callgrind's, or Xdebug's with a tree of calls.
    let blocks = "events: Time\n\nfl=x\nfn=f\n1 5\n\nfl=x\nfn={main}\n2 1\ncfl=x\ncfn=f\ncalls=1 0 0\n2 5\n\nsummary: 6\n";
    fs::write(dir.join("unnamed"), blocks).unwrap();
    let folded = |format| run(&["convert", "--to=folded", format, "unnamed"]).0;
    assert_eq!(folded("--input-format=xdebug"), "{main} 1\n{main};f 5\n");
    assert!(folded("--input-format=auto").contains("estimated"));
    for format in ["callgrind", "xdebug", "webgrind", "aprof"] {
        fs::write(dir.join("garbage"), "hello world\nno profile\n").unwrap();
        let (text, complaints, status) = run(&[&format!("--input-format={format}"), "garbage"]);
        assert_eq!((text.as_str(), status), ("", Some(1)), "{format}");
        assert!(
            complaints.starts_with("cgannotate: garbage") && complaints.lines().count() < 4,
            "{complaints}"
        );
    }
}
