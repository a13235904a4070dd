//! What goes wrong: the exit status, one clear line on standard error, nothing on standard output.

use crate::common::{LISTED, Stage, day, is_ignored};
use cgannotate::input::{self, ErrorKind, Options};
use std::fs::File;
use std::process::{Command, Output, Stdio};

/// A small profile of one event.
const SMALL: &str = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 20\n2 30\n";

/// Runs and expects a failure of the input: status 1, no output. Gives the error, and its hint on
/// a line of its own.
fn refusal(stage: &Stage, args: &[&str]) -> String {
    failure(stage, args, 1)
}

/// Runs and expects a failure of that status, without output. Gives the error and its hint.
fn failure(stage: &Stage, args: &[&str], expected: i32) -> String {
    let mut line = String::new();
    for mode in [&[][..], &["--compat"]] {
        let args: Vec<&str> = mode.iter().chain(args).copied().collect();
        let (status, out, err) = parts(stage.run(&args));
        assert_eq!(
            (status, out.as_str()),
            (Some(expected), ""),
            "{args:?}: {err}"
        );
        let mut lines = err.lines().skip(1);
        assert!(
            lines.all(|line| line.starts_with("hint: ")),
            "{args:?}: {err}"
        );
        line = err;
    }
    line
}

fn parts(out: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn a_missing_file() {
    let line = refusal(&Stage::empty(), &["missing.out"]);
    assert!(line.starts_with("cgannotate: missing.out: "), "{line}");
    let (status, out, err) =
        parts(Stage::of("toggle").run(&["--format=json", "phases.toggle.out", "missing.out"]));
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.starts_with("cgannotate: missing.out: "), "{err}");
    assert_eq!(line.matches("os error").count(), 1, "said once: {line}");
}

#[test]
fn a_folder() {
    assert_eq!(
        refusal(&Stage::of("threads"), &["."]),
        "cgannotate: .: this is a directory, not a profile\n"
    );
}

/// A thread's profile is read alone without a word only if it is alone.
#[test]
fn files_of_other_threads_that_are_left_out() {
    let stage = Stage::of("threads");
    let said = |args: &[&str]| parts(stage.run(args)).2;
    assert_eq!(
        said(&["workers.out-02"]),
        "cgannotate: workers.out-01 and 3 more are of other threads of the same run\nhint: name them, too, to add them up\n"
    );
    assert_eq!(
        said(&[
            "workers.out-01",
            "workers.out-02",
            "workers.out-03",
            "workers.out-05"
        ]),
        "cgannotate: workers.out-04 is of another thread of the same run\nhint: name it, too, to add it up\n"
    );
    let all = [
        "workers.out-01",
        "workers.out-02",
        "workers.out-03",
        "workers.out-04",
        "workers.out-05",
    ];
    assert_eq!(said(&all), "");
    // Of another process.
    stage
        .write("other.out-01", format!("pid: 1\n{SMALL}"))
        .write("other.out-02", format!("pid: 2\n{SMALL}"));
    assert_eq!(said(&["other.out-01"]), "");
}

/// `--separate-threads=yes` leaves the file that was asked for empty and writes one for every
/// thread beside it.
#[test]
fn an_empty_file_beside_those_of_threads() {
    let line = refusal(&Stage::of("threads"), &["workers.out"]);
    assert!(
        line.starts_with("cgannotate: workers.out: the file is empty"),
        "{line}"
    );
    assert!(
        line.contains("--separate-threads=yes") && line.contains("workers.out-01, workers.out-02"),
        "{line}"
    );
}

#[test]
fn an_empty_file_by_itself() {
    let stage = Stage::empty();
    let line = refusal(stage.write("callgrind.out.1", ""), &["callgrind.out.1"]);
    assert!(
        line.starts_with("cgannotate: callgrind.out.1: the file is empty"),
        "{line}"
    );
    assert!(!line.contains("--separate-threads"), "{line}");
}

#[test]
fn no_profile_at_all() {
    let stage = Stage::empty();
    stage
        .write("a.c", "int main(void) { return 0; }\n")
        .write("a.bin", b"\x7fELF\0\0\xff\n\0");
    assert_eq!(
        refusal(&stage, &["a.c"]),
        "cgannotate: a.c: this is not a profile\n"
    );
    assert!(
        refusal(&stage, &["a.bin"])
            .starts_with("cgannotate: a.bin: this is an executable, not a profile\nhint: ")
    );
}

#[test]
fn no_events() {
    let stage = Stage::empty();
    let line = refusal(
        stage.write("a.out", "version: 1\ncmd: a\nfl=a.c\nfn=main\n1 20\n"),
        &["a.out"],
    );
    assert!(
        line.starts_with("cgannotate: a.out:5: ") && line.contains("`events:`"),
        "{line}"
    );
}

#[test]
fn more_counts_than_events() {
    let stage = Stage::empty();
    let line = refusal(
        stage.write("a.out", format!("{SMALL}3 40 50\n")),
        &["a.out"],
    );
    assert_eq!(
        line,
        "cgannotate: a.out:7: 2 counts, but `events:` names 1\n"
    );
    // Of rows before the events, the first that has too many is named.
    stage.write(
        "b.out",
        "version: 1\nsummary: 1\nsummary: 1 2\nsummary: 1 2 3\nevents: Ir\nfn=f\n1 1\n",
    );
    assert_eq!(
        refusal(&stage, &["b.out"]),
        "cgannotate: b.out:3: 2 counts, but `events:` names 1\n"
    );
}

#[test]
fn unknown_events() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL);
    for option in ["--show", "--sort"] {
        // What was typed is wrong, not the profile.
        let line = failure(&stage, &[&format!("{option}=Ir,Dr"), "a.out"], 2);
        assert_eq!(
            line,
            format!("cgannotate: {option}: no event `Dr`; the profile has Ir\n")
        );
    }
}

#[test]
fn a_named_source_that_cannot_be_read() {
    let stage = Stage::of("toggle");
    let line = refusal(&stage, &["phases.toggle.out", "phases.c", "missing.c"]);
    assert!(
        line.starts_with("cgannotate: missing.c: the source file cannot be read: "),
        "{line}"
    );
    let line = refusal(&stage, &["phases.toggle.out", "."]);
    assert!(
        line.starts_with("cgannotate: .: the source file cannot be read: "),
        "{line}"
    );
}

/// A source that is there but says nothing to the profile is no error; neither is one that no one
/// asked for by name.
#[test]
fn sources_that_do_not_matter() {
    let stage = Stage::of("include");
    stage.write("other.c", "int x;\n");
    let report = stage.report(&[LISTED, "phases.toggle.out", "other.c"]);
    assert!(
        report.contains("  No information has been collected for other.c\n"),
        "{report}"
    );
    assert!(report.contains("could not be found:\n"), "{report}");
}

#[test]
fn the_command_line() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL);
    for (args, want) in [
        (
            &["--nonsense", "a.out"][..],
            "unknown option --nonsense\nhint: --help lists all options",
        ),
        (
            &["-n", "-3", "a.out"],
            "unknown option -3\nhint: a number must be at least 0",
        ),
        (
            &["--treshold=9", "a.out"],
            "unknown option --treshold\nhint: did you mean --threshold?",
        ),
        (
            &["diff", "--treshold=9", "a.out", "a.out"],
            "unknown option --treshold\nhint: did you mean --threshold?",
        ),
        (
            &["--no-pager", "a.out"],
            "unknown option --no-pager\nhint: use --paging=never",
        ),
        (
            &["diff", "--no-color", "a.out", "a.out"],
            "unknown option --no-color\nhint: use --color=never",
        ),
        (
            &["merge", "--no-pager", "a.out"],
            "unknown option --no-pager\nhint: --help lists all options",
        ),
        (
            &["--allow-missing"],
            "unknown option --allow-missing\nhint: it is an option of `cgannotate check`",
        ),
        (
            &["merge", "--zoom=f", "a.out"],
            "unknown option --zoom\nhint: it is an option of the report and of `cgannotate convert`",
        ),
        (
            &["--threshold=101", "a.out"],
            "--threshold 101: a percentage from 0 to 100 is needed",
        ),
        (
            &["--threshold=x", "a.out"],
            "--threshold x: a percentage from 0 to 100 is needed",
        ),
        (
            &["--sort=Ir:101", "a.out"],
            "--sort Ir:101: a percentage from 0 to 100 is needed",
        ),
        (
            &["--auto=maybe", "a.out"],
            "--auto: invalid value `maybe` (expected yes, no)",
        ),
        (
            &["--color=alway"],
            "--color: invalid value `alway` (expected auto, always, never)\nhint: did you mean always?",
        ),
        (
            &["--context=-1", "a.out"],
            "--context -1: a whole number is needed",
        ),
        (&["-n", "x", "a.out"], "--rows x: a whole number is needed"),
        (
            &["--threads=0", "a.out"],
            "--threads 0: 0 is not in 1..=256",
        ),
        (&["a.out", "--zoom"], "--zoom <REGEX>: a value is needed"),
        (
            &["--function=(", "a.out"],
            "--function: `(` is not a valid regular expression: unclosed group",
        ),
        (
            &["convert", "a.out"],
            "--to <FORMAT> is required\nhint: see --help",
        ),
        (&["merge"], "<PROFILE>... is required\nhint: see --help"),
    ] {
        let (status, out, err) = parts(stage.run(args));
        assert_eq!((status, out.as_str()), (Some(2), ""), "{args:?}");
        assert_eq!(err, format!("cgannotate: {want}\n"));
    }
    // As in the original, what is said last holds.
    let (status, out, err) =
        parts(stage.run(&["--threshold=1", "--threshold=100", "--auto=no", "a.out"]));
    assert_eq!((status, err.as_str()), (Some(0), ""));
    assert!(out.contains("Thresholds:       100\n"), "{out}");
    for args in ["--help", "--version"] {
        let (status, out, err) = parts(stage.run(&[args]));
        assert_eq!((status, err.as_str()), (Some(0), ""), "{args}");
        assert!(out.contains("cgannotate"), "{out}");
    }
}

#[test]
fn commands_that_are_nearly_there() {
    let stage = Stage::empty();
    stage.write("a.out", SMALL);
    for (args, want) in [
        (
            &["dif", "a.out", "a.out"][..],
            "dif: no such file\nhint: did you mean the command `cgannotate diff`?",
        ),
        (
            &["--auto=no", "diff", "a.out"],
            "diff: no such file\nhint: a command comes before all options",
        ),
    ] {
        assert_eq!(refusal(&stage, args), format!("cgannotate: {want}\n"));
    }
    // What is there is read.
    stage.write("dif", SMALL);
    assert_eq!(stage.run(&["dif"]).status.code(), Some(0));
}

/// `cgannotate … | head`: whoever reads has seen enough.
#[test]
fn a_closed_pipe_is_quiet() {
    let stage = Stage::of("interpreter");
    let mut command = stage.command(&["--threshold=100", "--tree=both", "perl.out"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let (status, _, err) = parts(child.wait_with_output().unwrap());
    assert_eq!((status, err.as_str()), (Some(0), ""));
}

/// A report that could not be written is no success.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let stage = Stage::of("toggle");
    for args in [
        &["phases.toggle.out"][..],
        &["--compat", "phases.toggle.out"],
        &["--help"],
        &["-h"],
        &["diff", "-h"],
        &["-V"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (status, _, err) = parts(stage.command(args).stdout(full).output().unwrap());
        assert_eq!(status, Some(1), "{err}");
        assert!(
            err.starts_with("cgannotate: standard output: cannot be written: ")
                && err.lines().count() == 1,
            "{err}"
        );
    }
}

/// Without an argument: the newest `callgrind.out.*`, and only if there is none the newest
/// `cachegrind.out.*`.
#[test]
fn the_newest_profile_of_the_folder() {
    let stage = Stage::empty();
    let (status, out, err) = parts(stage.run(&[]));
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(
        err.contains("callgrind.out.*") && err.lines().count() == 2,
        "{err}"
    );

    let reads = |name: &str| {
        let (status, out, err) = parts(stage.run(&[]));
        assert_eq!(status, Some(0), "{err}");
        assert!(
            out.contains(&format!("Profile data file '{name}'")),
            "{out}"
        );
        assert!(err.contains(name) && err.lines().count() == 1, "{err}");
    };
    stage
        .write("cachegrind.out.7", SMALL)
        .date("cachegrind.out.7", day(9));
    stage.write("profile.out", SMALL);
    reads("cachegrind.out.7");
    stage
        .write("callgrind.out.20", SMALL)
        .date("callgrind.out.20", day(3));
    reads("callgrind.out.20");
    stage
        .write("callgrind.out.3", SMALL)
        .date("callgrind.out.3", day(4));
    reads("callgrind.out.3");
    stage
        .write("callgrind.out.100", SMALL)
        .date("callgrind.out.100", day(2));
    reads("callgrind.out.3");
}

/// A run with `--separate-threads` writes a file for each thread, and an empty one: without an
/// argument all of them are read, but not what another run with the same number of a process left
/// there. With one, the empty file is in the way.
#[test]
fn the_files_of_the_newest_run_are_read_together() {
    let stage = Stage::empty();
    let of = |pid: &str, cmd: &str, cost: u32| {
        format!("version: 1\npid: {pid}\ncmd: {cmd}\nevents: Ir\nfl=a.c\nfn=f\n1 {cost}\n")
    };
    let noon = day(3);
    let later = |seconds: u64| noon + std::time::Duration::from_secs(seconds);
    for (name, text, time) in [
        ("callgrind.out.77", String::new(), later(3)),
        ("callgrind.out.77-01", of("77", "./p", 1), later(1)),
        ("callgrind.out.77-02", of("77", "./p", 10), later(2)),
        ("callgrind.out.77.1-02", of("77", "./p", 100), later(1)),
        ("callgrind.out.77-03", of("77", "./q", 1000), later(1)),
        ("callgrind.out.77-04", of("77", "./p", 10_000), day(2)),
        ("callgrind.out.771-01", of("771", "./p", 100_000), later(1)),
    ] {
        stage.write(name, text).date(name, time);
    }
    let (status, out, err) = parts(stage.run(&["--auto=no"]));
    assert_eq!(
        (status, out.contains("\n111 (100.0%)  PROGRAM TOTALS")),
        (Some(0), true),
        "{err}{out}"
    );
    let first = "cgannotate: reading callgrind.out.77-01 and 2 more, which the newest run in this folder wrote\n";
    assert!(err.starts_with(first), "{err}");
    let skipped =
        "cgannotate: callgrind.out.77: skipped: it is empty, and its run wrote other files\n";
    for at in 0..3 {
        let mut files = vec!["callgrind.out.77-01", "callgrind.out.77-02"];
        files.insert(at, "callgrind.out.77");
        let (status, out, err) = parts(stage.run(&[&["--auto=no"], &files[..]].concat()));
        assert_eq!(
            (status, out.contains("\n11 (100.0%)  PROGRAM TOTALS")),
            (Some(0), true),
            "{err}{out}"
        );
        assert!(err.starts_with(skipped), "{err}");
        let (status, out, err) = parts(stage.run(&[&["merge"], &files[..], &["-o", "-"]].concat()));
        assert_eq!(
            (status, out.contains("\n1 11\n")),
            (Some(0), true),
            "{err}{out}"
        );
        assert!(err.starts_with(skipped), "{err}");
    }
    let (status, _, err) = parts(stage.run(&["callgrind.out.77"]));
    assert!(
        status == Some(1)
            && err.contains("the file is empty: a run with --separate-threads=yes writes "),
        "{err}"
    );
}

/// Writing to a device or through a link leaves it what it is.
#[cfg(unix)]
#[test]
fn an_output_that_is_no_plain_file_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt;
    let stage = Stage::of("shapes");
    let run = |to: &str| stage.run(&["--auto=no", "-o", to, "shapes.plain.out"]);
    assert!(
        Command::new("mkfifo")
            .arg(stage.dir.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let fifo = stage.dir.join("fifo");
        move || std::fs::read(fifo).unwrap()
    });
    assert_eq!(run("fifo").status.code(), Some(0));
    assert!(reader.join().unwrap().starts_with(b"-----"));
    assert!(
        stage
            .dir
            .join("fifo")
            .metadata()
            .unwrap()
            .file_type()
            .is_fifo()
    );

    std::os::unix::fs::symlink("there", stage.dir.join("link")).unwrap();
    stage.write("there", "old");
    assert_eq!(run("link").status.code(), Some(0));
    assert!(
        stage
            .dir
            .join("link")
            .symlink_metadata()
            .unwrap()
            .file_type()
            .is_symlink()
    );
    assert!(
        std::fs::read(stage.dir.join("there"))
            .unwrap()
            .starts_with(b"-----")
    );
}

/// A link that leads to nothing is followed; one in a circle leads nowhere.
#[cfg(unix)]
#[test]
fn an_output_behind_a_link_is_made_where_the_link_leads() {
    use std::os::unix::fs::symlink;
    let stage = Stage::of("shapes");
    let run = |to: &str| parts(stage.run(&["--auto=no", "-o", to, "shapes.plain.out"]));
    stage.add("folder/x", "");
    for (link, target) in [
        ("link", "new"),
        ("folder/link", "other"),
        ("second", "folder/third"),
        ("folder/third", "end"),
    ] {
        symlink(target, stage.dir.join(link)).unwrap();
    }
    for (link, made) in [
        ("link", "new"),
        ("folder/link", "folder/other"),
        ("second", "folder/end"),
    ] {
        assert_eq!(run(link).0, Some(0));
        assert!(
            stage
                .dir
                .join(link)
                .symlink_metadata()
                .unwrap()
                .file_type()
                .is_symlink(),
            "{link} stays one"
        );
        assert!(
            std::fs::read(stage.dir.join(made))
                .unwrap()
                .starts_with(b"-----"),
            "{made}"
        );
    }
    symlink("b", stage.dir.join("a")).unwrap();
    symlink("a", stage.dir.join("b")).unwrap();
    let (status, _, error) = run("a");
    assert!(
        status == Some(1) && error.starts_with("cgannotate: a: cannot be written: "),
        "{error}"
    );
    assert!(
        stage
            .dir
            .join("a")
            .symlink_metadata()
            .unwrap()
            .file_type()
            .is_symlink()
    );
}

/// Who could not read a file cannot read its next version either.
#[cfg(unix)]
#[test]
fn an_output_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let stage = Stage::of("shapes");
    for mode in [0o600, 0o640, 0o664, 0o755, 0o444] {
        stage.write("out", "old");
        std::fs::set_permissions(stage.dir.join("out"), std::fs::Permissions::from_mode(mode))
            .unwrap();
        assert_eq!(
            stage
                .run(&["--auto=no", "-o", "out", "shapes.plain.out"])
                .status
                .code(),
            Some(0)
        );
        assert!(
            std::fs::read(stage.dir.join("out"))
                .unwrap()
                .starts_with(b"-----")
        );
        assert_eq!(
            stage
                .dir
                .join("out")
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o7777,
            mode
        );
        std::fs::remove_file(stage.dir.join("out")).unwrap();
    }
}

/// A signal ends the program as a shell expects, and what it had begun to write is gone.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_no_unfinished_file() {
    use std::os::unix::process::ExitStatusExt;
    let stage = Stage::empty();
    assert!(
        Command::new("mkfifo")
            .arg(stage.dir.join("fifo"))
            .status()
            .unwrap()
            .success()
    );
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(&stage.dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let ended_by = |mut command: Command, signals: &[&str]| {
        stage.write("out", "old");
        // It waits for whoever writes into the FIFO; nobody does.
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !names().iter().any(|name| name.ends_with(".part")) {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        for signal in signals {
            assert!(
                Command::new("kill")
                    .args([*signal, &child.id().to_string()])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        let status = child.wait().unwrap();
        assert_eq!(names(), ["fifo", "out"]);
        assert_eq!(std::fs::read(stage.dir.join("out")).unwrap(), b"old");
        status.signal()
    };
    let args = ["--format=json", "-o", "out", "fifo"];
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        if !is_ignored(number) {
            assert_eq!(ended_by(stage.command(&args), &[signal]), Some(number));
        }
    }
    // A job in the background of a script ignores interrupts.
    let line = format!(
        "trap '' INT; exec {} {}",
        env!("CARGO_BIN_EXE_cgannotate"),
        args.join(" ")
    );
    assert_eq!(
        ended_by(stage.any("sh", &["-c", &line]), &["-INT", "-TERM"]),
        Some(15)
    );
}

/// They are read under their own names; where a name is told, the bytes that are no text are
/// replaced.
#[cfg(target_os = "linux")]
#[test]
fn inputs_whose_names_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let stage = Stage::empty();
    let name = std::ffi::OsStr::from_bytes(b"\xff.out");
    let path = stage.dir.join(name);
    std::fs::write(&path, "events: Ir\nfn=f\n1 10\n").unwrap();
    let profile = input::read(&[&path], &Options::all()).unwrap();
    assert_eq!(profile.inputs, std::slice::from_ref(&path));
    for words in [
        &[][..],
        &["--compat"],
        &["--format=json"],
        &["check", "--limit=total.Ir<=10"],
        &["merge", "-o", "-"],
        &["convert", "--to=folded", "-o", "-"],
    ] {
        let out = stage.command(words).arg(name).output().unwrap();
        assert!(
            out.status.success(),
            "{words:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    let out = stage
        .command(&["diff"])
        .args([name, name])
        .output()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&out.stdout).contains("\nOld:     \u{fffd}.out\n"),
        "{out:?}"
    );

    // So are sources and their folders, and the report has the bytes as they are.
    let (folder, source) = (
        std::ffi::OsStr::from_bytes(b"\xfe"),
        std::ffi::OsStr::from_bytes(b"\xe9.c"),
    );
    std::fs::create_dir(stage.dir.join(folder)).unwrap();
    std::fs::write(stage.dir.join(folder).join(source), "line\n").unwrap();
    std::fs::write(&path, b"events: Ir\nfl=\xe9.c\nfn=f\n1 10\n").unwrap();
    let out = stage
        .command(&[LISTED, "-I"])
        .args([folder, name, source])
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(report.matches("line\n").count(), 1, "{report}");
    for bytes in [
        &b"Profile data file '\xff.out'\n"[..],
        b"Include dirs:     \xfe/\n",
        b"User annotated:   \xe9.c\n",
    ] {
        assert!(
            out.stdout
                .windows(bytes.len())
                .any(|window| window == bytes),
            "{report}"
        );
    }

    std::fs::write(&path, "events: Ir\nfn=f\n1 10 20\n").unwrap();
    let error = input::read(&[&path], &Options::all()).err().unwrap();
    assert_eq!(
        (error.kind(), error.file(), error.line()),
        (ErrorKind::Malformed, path.as_path(), Some(3))
    );
    let out = stage
        .command(&["merge", "-o", "-"])
        .arg(name)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(1));
    let err = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        err,
        "cgannotate: \u{fffd}.out:3: 2 counts, but `events:` names 1\n"
    );

    // Of the threads of one run, the one that is left out is told. Processes of two containers can
    // have one number.
    for (name, thread) in [
        (&b"\xff.t-01"[..], "thread: 1\n"),
        (b"\xff.t-02", "thread: 2\n"),
        (b"\xff.t-10", ""),
    ] {
        let path = stage.dir.join(std::ffi::OsStr::from_bytes(name));
        let arguments = "a".repeat(20_000);
        std::fs::write(
            path,
            format!("pid: 7\ncmd: ld {arguments}\n{thread}events: Ir\nfn=f\n1 10\n"),
        )
        .unwrap();
    }
    let first = stage.dir.join(std::ffi::OsStr::from_bytes(b"\xff.t-01"));
    let other = stage.dir.join(std::ffi::OsStr::from_bytes(b"\xff.t-02"));
    assert_eq!(input::threads_left_out(&[first]), [other]);
}
