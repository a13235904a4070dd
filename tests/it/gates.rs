//! A gate's verdict, whatever becomes of its report; and what is given as its file of limits.

use crate::common::Stage;
use std::fs::{self, File};
use std::process::{Command, Stdio};

/// `check` of `p` where nobody reads what it prints; gives its exit status and what it complains
/// of.
fn unread(stage: &Stage, args: &[&str]) -> (Option<i32>, String) {
    let mut command = stage.command(&[&["check"], args].concat());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    (out.status.code(), String::from_utf8(out.stderr).unwrap())
}

fn stage() -> Stage {
    let stage = Stage::empty();
    let text: String = (0..3000).map(|n| format!("fn=f{n}\n1 10\n")).collect();
    stage.write(
        "p",
        format!("version: 1\nevents: Ir\nfl=a.c\n{text}totals: 30000\n"),
    );
    stage.write(
        "damaged",
        "version: 1\nevents: Ir\nfl=a.c\nfn=f\n1 10\n\ntotals: 11\n",
    );
    let limits: String = (0..3000)
        .map(|n| format!("[[limit]]\nexpression = \"self.Ir(f{n}) <= 9\"\n"))
        .collect();
    stage.write("limits.toml", limits);
    stage
}

#[test]
fn a_closed_pipe_hides_no_verdict() {
    let stage = stage();
    for (args, status) in [
        (&["p", "--limit=total.Ir <= 1"][..], 3),
        (&["p", "--config=limits.toml"], 3),
        (&["p", "--limit=total.Ir <= 1", "--report=json"], 3),
        (
            &[
                "p",
                "--limit=total.Ir <= 1",
                "--report=markdown",
                "--report=github",
            ],
            3,
        ),
        (&["damaged", "--limit=total.Ir <= 100"], 4),
        (&["p", "--limit=self.Ir(nobody) <= 1"], 4),
        (&["p", "--limit=total.Ir <= 30k"], 0),
    ] {
        assert_eq!(unread(&stage, args).0, Some(status), "{args:?}");
    }
}

#[test]
fn files_are_written_though_nobody_reads_the_report() {
    let stage = stage();
    let args = [
        "p",
        "--config=limits.toml",
        "--report=text",
        "--report=json=r.json",
        "--report=junit=r.xml",
    ];
    assert_eq!(
        unread(&stage, &[&args[..], &["--save-baseline=base"]].concat()).0,
        Some(3)
    );
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(stage.dir.join("r.json")).unwrap()).unwrap();
    assert_eq!(json["limits"].as_array().unwrap().len(), 3000);
    assert!(
        fs::read_to_string(stage.dir.join("r.xml"))
            .unwrap()
            .contains("failures=\"3000\"")
    );
    let kept = ["check", "p", "--baseline=base", "--limit=total.Ir <= +0"];
    assert_eq!(stage.run(&kept).status.code(), Some(0));
}

/// What may have been meant takes a reading of all names: the first limits show what is wrong.
#[test]
fn suggestions_are_for_the_first_limits() {
    let stage = stage();
    let text: String = (0..50)
        .map(|n| format!("fn=call(int, {n})\n1 10\n"))
        .collect();
    stage.write(
        "calls",
        format!("version: 1\nevents: Ir\nfl=a.c\n{text}totals: 500\n"),
    );
    let out = stage.run(&[&["check", "calls"], &["--limit=self.Ir(call) <= 9"; 50][..]].concat());
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(out.status.code(), Some(4));
    assert_eq!(
        text.matches("no function of the profile matches call")
            .count(),
        50,
        "{text}"
    );
    assert_eq!(text.matches("; did you mean").count(), 20, "{text}");
}

/// A report that cannot be written is said, and the others are written.
#[test]
fn a_report_without_a_place_keeps_no_other_one() {
    let stage = stage();
    let args = [
        "p",
        "--limit=total.Ir <= 30k",
        "--report=json=no/r.json",
        "--report=junit=r.xml",
    ];
    let (status, error) = unread(&stage, &args);
    assert_eq!(status, Some(1));
    assert!(
        error.starts_with("cgannotate: no/r.json: cannot be written: ")
            && error.lines().count() == 1,
        "{error}"
    );
    assert!(stage.dir.join("r.xml").exists());
}

/// Nor does a full disk hide a verdict.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_hides_no_verdict() {
    let stage = stage();
    for (limit, status) in [("--limit=total.Ir <= 1", 3), ("--limit=total.Ir <= 30k", 1)] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let out = stage
            .command(&["check", "p", limit])
            .stdout(full)
            .output()
            .unwrap();
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(status));
        assert!(
            error.starts_with("cgannotate: standard output: cannot be written: "),
            "{error}"
        );
    }
}

#[test]
fn limits_are_a_regular_file_of_text() {
    let stage = stage();
    stage.write("bytes.toml", b"# one\nname = \"\xff\xfe\"\n");
    File::create(stage.dir.join("large.toml"))
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(stage.dir.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    for (config, why) in [
        ("bytes.toml", "bytes.toml:2: not valid UTF-8"),
        (
            "/dev/zero",
            "/dev/zero: the limits cannot be read: not a regular file",
        ),
        (
            "fifo",
            "fifo: the limits cannot be read: not a regular file",
        ),
        (
            "large.toml",
            "large.toml: the limits cannot be read: too large: more than 16 MiB",
        ),
    ] {
        let out = stage.run(&["check", "p", "--config", config]);
        let error = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), error),
            (Some(2), format!("cgannotate: {why}\n"))
        );
    }
}

/// A recording that is replaced by what was made from it is lost. A baseline is renewed where it
/// is, and a merge may be.
#[test]
fn no_output_takes_the_place_of_an_input() {
    let stage = Stage::empty();
    let profile = "events: Ir\nfn=f\n1 10\n";
    stage
        .write("p", profile)
        .write("q", profile)
        .write("callgrind.out.1", profile)
        .write("functions.csv", profile);
    let limits = "[[limit]]\nexpression = \"total.Ir <= 10\"\n";
    stage.write("limits.toml", limits);
    let refused = [
        "p -o p",
        "-o callgrind.out.1",
        "--format=json q p -o ./p",
        "diff p q -o p",
        "trend p q -o q",
        "convert p --to folded -o p",
        "pack p -o p",
        "check p --save-baseline p",
        "check p --limit total.Ir<=10 --report json=p",
        "check p --limit total.Ir<=+1% --baseline q --report json=q",
        "check p --limit total.Ir<=noise --history q --report json=q",
        "check p --limit total.Ir<=noise --history q --save-baseline q",
        "check p --baseline q --save-baseline q",
        "check p --config limits.toml --report json=limits.toml",
        "check p --config limits.toml --save-baseline limits.toml",
    ];
    for line in refused {
        let out = stage.run(&line.split(' ').collect::<Vec<_>>());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            out.status.code() == Some(2) && said.contains("an input, which would be overwritten"),
            "{line}: {said}"
        );
    }
    let out = stage
        .any(
            "sh",
            &["-c", "\"$0\" - -o p < p", env!("CARGO_BIN_EXE_cgannotate")],
        )
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(
        std::fs::read_to_string(stage.dir.join("limits.toml")).unwrap(),
        limits
    );
    for name in ["p", "q", "callgrind.out.1", "functions.csv"] {
        assert_eq!(
            std::fs::read_to_string(stage.dir.join(name)).unwrap(),
            profile,
            "{name}"
        );
    }
    assert!(
        stage
            .run(&["check", "p", "--save-baseline", "b"])
            .status
            .success()
    );
    assert!(
        stage
            .run(&["check", "p", "--baseline", "b", "--save-baseline", "b"])
            .status
            .success()
    );
    assert!(stage.run(&["merge", "p", "q", "-o", "p"]).status.success());
    assert!(
        stage
            .report(&["--auto=no", "p"])
            .contains("20 (100.0%)  PROGRAM TOTALS")
    );
}

/// A file's temporary name is longer than its own, and must not be longer than names can be.
#[test]
fn a_name_may_be_as_long_as_names_can_be() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfn=f\n1 10\n");
    for name in ["x".repeat(255), "é".repeat(127)] {
        let out = stage.run(&["merge", "p", "-o", &name]);
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        assert!(stage.report(&["--auto=no", &name]).contains("10 (100.0%)"));
    }
    assert_eq!(
        std::fs::read_dir(&stage.dir).unwrap().count(),
        3,
        "nothing else is left"
    );
}
