//! Folders of runs and of sources: what is only found there is opened if it is a file, also behind
//! a link, each file once.
#![cfg(unix)]

use crate::common::Stage;
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

/// A run in which decode costs so much.
fn run(cost: i64) -> String {
    format!(
        "version: 1\ncreator: by hand\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=decode\n1 {cost}\ntotals: {cost}\n"
    )
}

/// A folder of runs with all that can stand beside them.
fn stage() -> Stage {
    let stage = Stage::empty();
    stage
        .add("runs/1", run(10))
        .add("runs/2", run(20))
        .add("runs/3/a", run(30))
        .add("far/4", run(40));
    stage.add("far/5/b", run(50));
    assert!(
        stage
            .any("mkfifo", &["runs/fifo", "runs/3/fifo", "named"])
            .status()
            .unwrap()
            .success()
    );
    UnixListener::bind(stage.dir.join("runs/socket")).unwrap();
    let links = [
        ("/dev/zero", "device"),
        ("fifo", "to-fifo"),
        ("2", "0-latest"),
        ("3", "0-folder"),
        (".", "1-round"),
        ("..", "3/back"),
        ("../far/4", "4"),
        ("../far/4", "4-again"),
        ("../far/5", "5"),
        ("b", "a"),
        ("a", "b"),
    ];
    links
        .into_iter()
        .for_each(|(to, name)| symlink(to, stage.dir.join("runs").join(name)).unwrap());
    stage
}

const SPECIAL: &str = "cgannotate: skipped, because they are not regular files or folders: ";

#[test]
fn what_is_no_file_is_skipped_and_each_file_is_one_run() {
    let stage = stage();
    let out = stage.run(&["trend", "runs", "--format=json"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with(SPECIAL)
            && lines[1].starts_with("cgannotate: skipped, because they are not"),
        "{said}"
    );
    assert_eq!(lines.len(), 2, "{said}");
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let files: Vec<&Value> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["files"])
        .collect();
    let want = [
        json!(["runs/1"]),
        json!(["runs/2"]),
        json!(["runs/3/a"]),
        json!(["runs/4"]),
        json!(["runs/5/b"]),
    ];
    assert_eq!(files, want.iter().collect::<Vec<_>>());
    let out = stage.run(&[
        "check",
        "runs/1",
        "--history",
        "runs",
        "--limit",
        "total.Ir <= noise",
    ]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    assert!(
        String::from_utf8_lossy(&out.stderr).contains(SPECIAL),
        "{out:?}"
    );
}

#[test]
fn what_was_named_is_opened() {
    let stage = stage();
    let fifo = stage.dir.join("named");
    let writer = std::thread::spawn(move || std::fs::write(fifo, run(70)).unwrap());
    let report = stage.json(&["trend", "runs/1", "named", "runs/0-latest"]);
    // If nobody opened it, the writer waits for ever.
    assert_eq!(report["total"]["values"], json!([10, 70, 20]));
    writer.join().unwrap();
}

#[test]
fn benches_are_found_behind_links_once() {
    let stage = Stage::empty();
    stage
        .add("target/one/callgrind.one.out", run(10))
        .add("target/one/callgrind.one.out.old", run(9));
    stage.add("far/two/callgrind.two.out", run(20));
    for (to, name) in [
        ("..", "one/up"),
        (".", "0-here"),
        ("one", "0-one"),
        ("../far/two", "two"),
        ("../far/two", "2"),
    ] {
        symlink(to, stage.dir.join("target").join(name)).unwrap();
    }
    symlink(
        "callgrind.one.out",
        stage.dir.join("target/one/callgrind.latest.out"),
    )
    .unwrap();
    assert!(
        stage
            .any("mkfifo", &["target/one/callgrind.one.out.old2"])
            .status()
            .unwrap()
            .success()
    );
    let out = stage.run(&["trend", "target", "--format=json"]);
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let values: Vec<&Value> = report
        .as_array()
        .unwrap()
        .iter()
        .map(|series| &series["total"]["values"])
        .collect();
    assert_eq!(values, [&json!([9, 10]), &json!([20])], "{out:?}");
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("folders: target/one/callgrind.one.out.old2"),
        "{out:?}"
    );
}

#[test]
fn the_newest_profile_may_be_a_link_and_is_no_fifo() {
    let stage = Stage::empty();
    stage.add("far/profile", run(10));
    symlink("far/profile", stage.dir.join("callgrind.out.1")).unwrap();
    assert!(
        stage
            .any("mkfifo", &["callgrind.out.2"])
            .status()
            .unwrap()
            .success()
    );
    symlink("callgrind.out.2", stage.dir.join("callgrind.out.3")).unwrap();
    let out = stage.run(&[]);
    assert_eq!(
        String::from_utf8_lossy(&out.stderr),
        "cgannotate: reading callgrind.out.1, the newest profile in this folder\n"
    );
}

#[test]
fn sources_are_found_behind_links_to_folders() {
    let stage = Stage::empty();
    stage
        .write("p", run(10).replace("fl=a.c", "fl=/gone/lib/a.c"))
        .add("far/x/lib/a.c", "int decode;\n");
    std::fs::create_dir(stage.dir.join("include")).unwrap();
    for (to, name) in [
        ("../far", "1"),
        ("../far", "2"),
        (".", "round"),
        ("..", "up"),
    ] {
        symlink(to, stage.dir.join("include").join(name)).unwrap();
    }
    assert!(
        stage
            .any("mkfifo", &["include/a.c"])
            .status()
            .unwrap()
            .success()
    );
    assert!(
        stage
            .report(&["p", "--include=include", "--auto=yes"])
            .contains("int decode;")
    );
}

/// A run is damaged in its header, its names, its data: the others are compared.
#[test]
fn damaged_runs_are_skipped() {
    let stage = Stage::empty();
    for at in 1..=14 {
        stage.add(&format!("runs/{at}"), run(100 + at % 3));
    }
    let packed = crate::common::gzip(run(100).repeat(500).as_bytes());
    let damaged: [(&str, &[u8]); 5] = [
        ("0-header", b"version: 1\ncreator: callgrind-3.19.0\ncmd"),
        (
            "3-version",
            b"version: 7\ncreator: callgrind-3.19.0\nevents: Ir\nfn=a\n1 1\n",
        ),
        (
            "5-counts",
            b"version: 1\ncreator: callgrind-3.19.0\nevents: Ir\nfn=a\n1 1 2 3\n",
        ),
        ("7-empty", b""),
        ("9-packed", &packed[..packed.len() / 2]),
    ];
    for (name, bytes) in damaged {
        stage.add(&format!("bad/{name}"), bytes);
    }
    let bad: Vec<String> = damaged
        .iter()
        .map(|(name, _)| format!("bad/{name}"))
        .collect();
    let bad: Vec<&str> = bad.iter().map(String::as_str).collect();
    let mut check = vec![
        "check",
        "runs/1",
        "--limit",
        "total.Ir <= noise",
        "--history",
        "bad",
        "--history",
        "runs",
    ];
    let out = stage.run(&check);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    bad.iter()
        .for_each(|name| check.extend(["--history", name]));
    let out = stage.run(&check);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let out = stage.run(&[&["trend", "--format=json"], &bad[..], &["runs"]].concat());
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(report["runs"].as_array().unwrap().len(), 14, "{out:?}");
    assert_eq!(report["total"]["values"][0], json!(101), "{out:?}");
    assert_eq!(
        out.status.code(),
        Some(1),
        "a report on less than was asked for"
    );
    // Where nothing remains, there is no report, and noise is not known.
    let out = stage.run(&[
        "check",
        "runs/1",
        "--limit",
        "total.Ir <= noise",
        "--history",
        "bad",
    ]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let out = stage.run(&["trend", bad[0], bad[3]]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr).starts_with("cgannotate: run skipped: bad/0-header:"),
        "{out:?}"
    );
}

#[test]
fn of_one_kind_there_are_ten_notes() {
    let stage = Stage::empty();
    for at in 1..=40 {
        stage.add(
            &format!("runs/{at}"),
            if at % 2 == 0 {
                run(at)
            } else {
                "events: Ir\nfn=a\n1 1 2 3\n".into()
            },
        );
    }
    let out = stage.run(&["trend", "runs"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(
        said.lines()
            .filter(|line| line.starts_with("cgannotate: run skipped: "))
            .count(),
        10,
        "{said}"
    );
    assert!(said.contains("… 10 more damaged runs\n"), "{said}");
}

/// An object that is called otherwise after a run that was skipped is the same.
#[test]
fn what_is_renamed_across_a_damaged_run_is_the_same() {
    let stage = Stage::empty();
    let names = ["aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh"];
    let of = |object: &str| {
        let functions: String = names
            .iter()
            .map(|name| format!("fn=app::{name}\n1 10\n"))
            .collect();
        format!("version: 1\nevents: Ir\nob={object}\nfl=a.c\n{functions}\ntotals: 80\n")
    };
    stage
        .add("runs/1", of("/bin/app"))
        .add("runs/2", of("/bin/app"))
        .add("runs/3", "events: Ir\nfn=a\n1 1 2 3\n");
    stage
        .add("runs/4", of("/bin/app-new"))
        .add("runs/5", of("/bin/app-new"));
    let report = stage.run(&["trend", "runs", "--format=json"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["total"]["values"], json!([80, 80, 80, 80]));
    assert_eq!(report["unchanged"], json!(8), "{report}");
}
