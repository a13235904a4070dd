//! What arguments are taken to mean: programs, numbers of processes, names that lead nowhere,
//! another name of the program.

use crate::common::{Stage, day};
use std::process::Output;

/// A small profile of one event.
const SMALL: &str = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 20\n2 30\n";

fn parts(out: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

/// Runs and expects a failure with this status, and nothing on standard output. Gives what is said.
fn refusal(stage: &Stage, status: i32, args: &[&str]) -> String {
    let (code, out, err) = parts(stage.run(args));
    assert_eq!((code, out.as_str()), (Some(status), ""), "{args:?}: {err}");
    err
}

/// Who gives the program wants to know how it becomes a profile.
#[test]
fn a_program_instead_of_a_profile() {
    let stage = Stage::empty();
    stage
        .write("a.out", SMALL)
        .write("program", b"\x7fELF\x02\x01\x01\0")
        .add("bin/tool", "#!/bin/sh\necho\n");
    for args in [
        &["program"][..],
        &["./program"],
        &["diff", "a.out", "./program"],
        &["--compat", "program"],
    ] {
        let line = refusal(&stage, 1, args);
        assert!(
            line.contains("program: this is an executable, not a profile\nhint: "),
            "{line}"
        );
        assert!(
            line.ends_with("`cgannotate record -- ./program` records one\n"),
            "{line}"
        );
    }
    assert!(refusal(&stage, 1, &["bin/tool"]).contains("`cgannotate record -- bin/tool`"));
    let line = refusal(&stage, 1, &["a.out", "program"]);
    assert_eq!(
        line,
        "cgannotate: program: this is an executable, not a profile or a source\n"
    );
    // A script can be a source.
    assert_eq!(stage.run(&["a.out", "bin/tool"]).status.code(), Some(0));
}

/// A number that is no file is that of a process, and stands for all files that it wrote.
#[test]
fn a_number_stands_for_the_files_of_a_process() {
    let stage = Stage::empty();
    let part =
        |cost: u32| format!("version: 1\npid: 1234\nevents: Ir\nfl=a.c\nfn=main\n1 {cost}\n");
    stage
        .write("callgrind.out.1234", "")
        .write("callgrind.out.1234-01", part(20))
        .write("callgrind.out.1234-02", part(30));
    stage
        .write("callgrind.out.12345", part(500))
        .write("cachegrind.out.77", SMALL);
    let (status, out, err) = parts(stage.run(&["--auto=no", "1234"]));
    assert_eq!(status, Some(0), "{err}");
    assert!(
        out.contains("\n50 (100.0%)  PROGRAM TOTALS (calculated)\n"),
        "{out}"
    );
    assert_eq!(
        err,
        "cgannotate: reading callgrind.out.1234-01, callgrind.out.1234-02, of process 1234\n"
    );
    let (_, out, _) = parts(stage.run(&["--auto=no", "12345", "1234"]));
    assert!(
        out.contains("\n550 (100.0%)  PROGRAM TOTALS (calculated)\n"),
        "{out}"
    );
    assert!(
        stage
            .report(&["--auto=no", "77"])
            .contains("'cachegrind.out.77'")
    );
    let (_, out, _) = parts(stage.run(&["diff", "1234", "12345"]));
    assert!(out.contains("50 → 500"), "{out}");
    for args in [
        &["check", "1234", "--limit=total.Ir <= 50"][..],
        &["merge", "1234", "-o", "-"],
        &["convert", "--to=dot", "1234"],
    ] {
        assert_eq!(stage.run(args).status.code(), Some(0), "{args:?}");
    }
    // A file of that name is that file; a number of no process is a name like any other.
    stage.write("1234", SMALL);
    assert!(
        stage
            .report(&["--auto=no", "1234"])
            .contains("Profile data file '1234'")
    );
    assert_eq!(
        refusal(&stage, 1, &["99"]),
        "cgannotate: 99: no such file, and no profile of this process\n"
    );
    // What began with another's cost is named, and not read for a run.
    stage.write("callgrind.out.99.forked", SMALL);
    assert_eq!(
        refusal(&stage, 1, &["99"]),
        "cgannotate: 99: no such file, and no profile of this process\nhint: did you mean callgrind.out.99.forked?\n"
    );
}

#[test]
fn a_folder_stands_for_the_newest_run_in_it() {
    let stage = Stage::empty();
    let of = |pid: u32, cost: u32| {
        format!("version: 1\npid: {pid}\nevents: Ir\nfl=a.c\nfn=main\n1 {cost}\n")
    };
    stage
        .add("old/callgrind.out.7", of(7, 1))
        .add("new/callgrind.out.8", of(8, 10))
        .add("new/callgrind.out.9-01", of(9, 100))
        .add("new/callgrind.out.9-02", of(9, 1000))
        .add("new/notes", "")
        .add("none/notes", "");
    stage.date("new/callgrind.out.8", day(1));
    for name in ["new/callgrind.out.9-01", "new/callgrind.out.9-02"] {
        stage.date(name, day(2));
    }
    let (status, out, err) = parts(stage.run(&["--auto=no", "new"]));
    assert_eq!(status, Some(0));
    assert!(
        out.contains("\n1,100 (100.0%)  PROGRAM TOTALS (calculated)\n"),
        "{out}"
    );
    assert_eq!(
        err,
        "cgannotate: reading new/callgrind.out.9-01, new/callgrind.out.9-02, of the newest run in new\n"
    );
    let (_, out, _) = parts(stage.run(&["diff", "old", "new/"]));
    assert!(out.contains("1 → 1,100"), "{out}");
    assert_eq!(
        stage
            .run(&["check", "old", "--limit=total.Ir <= 1"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(
        refusal(&stage, 1, &["none"]),
        "cgannotate: none: this is a directory, not a profile\n"
    );
}

/// A process has files of threads, of dumps and with Xdebug's random numbers, compressed or not.
/// Copies, packs, what was converted and the files of other processes do not count.
#[test]
fn a_number_stands_for_every_profile_of_its_process_and_for_nothing_else() {
    let stage = Stage::empty();
    let of = |pid: u32, cost: u32| {
        format!("version: 1\npid: {pid}\nevents: Ir\nfl=a.c\nfn=main\n1 {cost}\n")
    };
    let xdebug = |cost: u32| {
        let head = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /s/r.php\npart: 1\npositions: line\n";
        format!(
            "{head}\nevents: Time_(10ns)\n\nfl=(1) a.php\nfn=(1) {{main}}\n1 {cost}\n\nsummary: {cost}\n\n"
        )
    };
    let total = |number: &str| {
        let out = stage.run(&["--format=json", number]);
        let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        (
            json["totals"][0].as_i64(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    // Each has a power of two, so that the sum tells which ones were read.
    stage.write("callgrind.out.77", of(77, 1)).write(
        "callgrind.out.77.gz",
        crate::common::gzip(of(77, 1).as_bytes()),
    );
    stage
        .write("callgrind.out.77.1", of(77, 2))
        .write("callgrind.out.77.2-01", of(77, 4));
    stage.write(
        "callgrind.out.77-02.gz",
        crate::common::gzip(of(77, 8).as_bytes()),
    );
    stage.write("callgrind.out.before.3.77", of(77, 16));
    // The other content of the same name.
    stage.write(
        "callgrind.out.77.1.gz",
        crate::common::gzip(of(77, 32).as_bytes()),
    );
    for copy in ["old", "bak", "forked", "json"] {
        stage.write(&format!("callgrind.out.77.{copy}"), of(77, 64));
    }
    stage
        .write("callgrind.out.88.77", of(88, 128))
        .write("callgrind.out.770", of(770, 256));
    assert!(
        stage
            .run(&["pack", "callgrind.out.770", "-o", "callgrind.out.77.5"])
            .status
            .success()
    );
    assert!(
        stage
            .run(&["merge", "callgrind.out.770", "-o", "callgrind.out.77.6"])
            .status
            .success()
    );
    let (sum, said) = total("77");
    assert_eq!(sum, Some(63), "{said}");
    let skipped = [
        "77.gz",
        "77.5",
        "77.6",
        "77.bak",
        "77.forked",
        "77.json",
        "77.old",
    ]
    .map(|end| format!("callgrind.out.{end}"));
    assert!(
        said.contains(&format!(": {}\n", skipped.join(", "))),
        "{said}"
    );
    // Xdebug's files name no process.
    stage
        .write("cachegrind.out.10829", xdebug(1))
        .write("cachegrind.out.10829.05a205", xdebug(2));
    stage
        .write("cachegrind.out.1637849523.10829", xdebug(4))
        .write(
            "cachegrind.out.10829.061506.gz",
            crate::common::gzip(xdebug(8).as_bytes()),
        );
    stage.write("cachegrind.out.4711.10829", xdebug(16));
    assert_eq!(total("10829").0, Some(15));
    // Beside Callgrind's, which other costs cannot be added to, they are named.
    stage.write("callgrind.out.10829", of(10829, 3));
    let (sum, said) = total("10829");
    assert_eq!(sum, Some(3), "{said}");
    assert!(
        said.contains("skipped (copies, files of other tools")
            && said.contains("): cachegrind.out.10829,"),
        "{said}"
    );
    stage.write(
        "cachegrind.out.4712.gz",
        crate::common::gzip(xdebug(5).as_bytes()),
    );
    assert_eq!(total("4712").0, Some(5));
}

/// Of several names that lead nowhere none is left to be found out next time.
#[test]
fn all_missing_files_are_named() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL);
    for args in [
        &["x", "y"][..],
        &["diff", "x", "y"],
        &["check", "x", "--baseline=y", "--limit=total.Ir <= 1"],
        &["merge", "x", "a.out", "y"],
    ] {
        assert_eq!(
            refusal(&stage, 1, args),
            "cgannotate: x and y: no such files\n",
            "{args:?}"
        );
    }
    assert!(
        refusal(&stage, 1, &["a.out", "x.c", "y.c"])
            .starts_with("cgannotate: x.c, y.c: the source file cannot be read")
    );
}

/// What lies beside a name that leads nowhere may have been meant.
#[test]
fn near_names_of_missing_files_are_told() {
    let stage = Stage::empty();
    stage
        .write("before", SMALL)
        .write("after", SMALL)
        .write("foo.123", SMALL)
        .write("foo.45-01", SMALL);
    stage
        .add("old/callgrind.out.7", SMALL)
        .write("callgrind.out.base.1.4711", SMALL);
    for (args, near) in [
        (&["diff", "before", "aftr"][..], "after"),
        (&["foo"], "foo.123, foo.45-01"),
        (&["--compat", "foo"], "foo.123, foo.45-01"),
        (&["check", "bas", "--limit=total.Ir <= 1"], "base"),
        (
            &[
                "check",
                "before",
                "--baseline=old/callgrind.out.8",
                "--limit=total.Ir <= +1",
            ],
            "old/callgrind.out.7",
        ),
        (&["merge", "befor", "aftr", "-o", "-"], "before, after"),
        (&["trend", "befor"], "before"),
        (&["convert", "befor", "--to=folded"], "before"),
    ] {
        let said = refusal(&stage, 1, args);
        assert!(
            said.ends_with(&format!("\nhint: did you mean {near}?\n")) && said.lines().count() == 2,
            "{args:?}: {said}"
        );
    }
    assert!(!refusal(&stage, 1, &["something-else"]).contains("did you mean"));
    assert!(!refusal(&stage, 1, &["nowhere/before"]).contains("did you mean"));
}

/// Where nothing can be looked for, that is said; the report is the same.
#[test]
fn folders_and_programs_that_are_not_there_are_told() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL).write(
        "code.out",
        "events: Ir\npositions: instr line\nfl=a.c\nfn=main\n0x10 1 20\n",
    );
    let no_folder = |option: &str| format!("cgannotate: {option}: no such folder\n");
    let (status, out, err) = parts(stage.run(&["-I", "no/where", "-I.", "--auto=no", "a.out"]));
    assert_eq!((status, err), (Some(0), no_folder("-I no/where")));
    assert!(out.contains("50 (100.0%)  PROGRAM TOTALS"), "{out}");
    assert_eq!(
        parts(stage.run(&["diff", "-I=a.out", "a.out", "a.out"])).2,
        no_folder("-I a.out"),
        "it is a file"
    );
    let (status, _, err) =
        parts(stage.run(&["--inlined", "--debug-dir=no/where", "--auto=no", "code.out"]));
    assert_eq!(
        (status, err.starts_with(&no_folder("--debug-dir no/where"))),
        (Some(0), true),
        "{err}"
    );
    for (args, program) in [
        (
            &["--zoom=main", "--asm", "--objdump=/no/objdump", "code.out"],
            "/no/objdump",
        ),
        (
            &[
                "--by=instr",
                "--auto=no",
                "--objdump=no-such-program",
                "code.out",
            ],
            "no-such-program",
        ),
    ] {
        let said = refusal(&stage, 2, args);
        assert_eq!(
            said,
            format!("cgannotate: --objdump: program {program} not found\n")
        );
    }
}

#[test]
fn options_without_effect_are_refused() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL);
    for (args, why) in [
        (
            &["--depth=2", "a.out"][..],
            "--zoom <REGEX> is required\nhint: see --help",
        ),
        (
            &["--zoom=main", "--tree=both", "a.out"],
            "--zoom cannot be used with --tree",
        ),
        (
            &["--auto=yes", "--format=csv", "a.out"],
            "--tree and --auto=yes are for the text report\nhint: --format=json has all calls",
        ),
        (
            &["-n0", "a.out"],
            "--rows 0: a number of at least 1 is needed",
        ),
        (
            &["--threads=257", "a.out"],
            "--threads 257: 257 is not in 1..=256",
        ),
        // It counts no time.
        (
            &["--raw", "a.out"],
            "--raw: the profile counts no time; other counts are always shown as recorded",
        ),
    ] {
        assert_eq!(refusal(&stage, 2, args), format!("cgannotate: {why}\n"));
    }
}

/// Scripts switch by a link.
#[cfg(unix)]
#[test]
fn called_as_the_original_it_prints_what_that_prints() {
    let stage = Stage::of("shapes");
    let program = stage.dir.join("callgrind_annotate");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cgannotate"), &program).unwrap();
    for args in [
        &["--inclusive=yes", "--auto=no", "shapes.plain.out"][..],
        &["shapes.plain.out", "shapes.c"],
    ] {
        let linked = stage.any(program.to_str().unwrap(), args).output().unwrap();
        let compat = stage.report(&[&["--compat"], args].concat());
        assert_eq!(String::from_utf8(linked.stdout).unwrap(), compat);
        assert_eq!(linked.status.code(), Some(0));
    }
    // Of the recursion there, the original counts every level.
    let linked = stage
        .any(
            program.to_str().unwrap(),
            &["--inclusive=yes", "--auto=no", "shapes.plain.out"],
        )
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&linked.stdout).contains("(242.2%)  shapes.c:ins'2 "));
}

/// What `--show` takes is listed, and suggested.
#[test]
fn built_in_events_are_listed_where_they_can_be_had() {
    let stage = Stage::of("cache");
    let file = "matrix.cachebranch.toggle.out";
    let listed = stage.report(&["--events", file]);
    for event in ["Ir  ", "L1m  ", "LLm  ", "Bm  ", "CEst  "] {
        assert!(
            listed.lines().any(|line| line.starts_with(event)),
            "{event}: {listed}"
        );
    }
    assert!(
        !listed.contains("\nL2m"),
        "nothing of it was recorded: {listed}"
    );
    for line in listed.lines() {
        let name = line.split(' ').next().unwrap();
        assert_eq!(
            stage
                .run(&["--auto=no", &format!("--show={name}"), file])
                .status
                .code(),
            Some(0),
            "{name}"
        );
    }
    let line = refusal(&stage, 2, &["--show=LLmm", file]);
    assert!(
        line.ends_with(", L1m, LLm, Bm, CEst, TotalRW, L1hits, LLhits, RamHits, EstimatedCycles\nhint: did you mean LLm?\n"),
        "{line}"
    );
    // Where there is nothing but instructions, estimated cycles would be just these.
    let plain = Stage::empty();
    plain.write("a.out", SMALL);
    assert_eq!(
        plain.report(&["--events", "a.out"]),
        "Ir          instructions executed\n"
    );
    // Without caches, nobody knows what hits them.
    for event in ["L1hits", "RamHits", "TotalRW", "EstimatedCycles"] {
        let line = refusal(&plain, 2, &[&format!("--show={event}"), "a.out"]);
        assert!(line.contains("no event"), "{line}");
    }
}

/// Calculated by hand from the definitions of gungraun.
#[test]
fn events_of_gungraun_are_built_in() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nfn=f\n1 1000 300 200 10 20 30 1 2 4\n",
    );
    let show = "--show=L1hits,LLhits,RamHits,TotalRW,EstimatedCycles";
    let csv = stage.report(&[show, "--sort=Ir", "--format=csv", "p"]);
    assert!(csv.contains("\n1440,53,7,1500,1950,"), "{csv}");
}
