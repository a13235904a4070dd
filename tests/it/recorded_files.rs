//! Which files belong to a recording: its own alone, all of them, each with its own cost.

use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, is_ignored};
use crate::record::{
    compile, record, said, stage, stage_with_logs, wait_for, without_process, written,
};
use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// All names in the folder, hidden ones too, that are a recording's.
fn all(stage: &Stage) -> Vec<String> {
    let names = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| name.contains("callgrind.out"))
        .collect();
    names.sort();
    names
}

/// The files that a recording says it wrote.
fn files(out: &Output) -> Vec<String> {
    let said = said(out);
    let line = said
        .lines()
        .find(|line| line.contains(" Ir in "))
        .unwrap_or_else(|| panic!("{said}"));
    line.rsplit_once(", in ")
        .unwrap()
        .1
        .split(' ')
        .map(str::to_owned)
        .collect()
}

/// The count that it says.
fn count(said: &str) -> u64 {
    let line = said
        .lines()
        .find(|line| line.contains(" Ir in "))
        .unwrap_or_else(|| panic!("{said}"));
    line["cgannotate: ".len()..]
        .split(' ')
        .next()
        .unwrap()
        .replace(',', "")
        .parse()
        .unwrap()
}

fn total(stage: &Stage, file: &str) -> u64 {
    let text = fs::read_to_string(stage.dir.join(file)).unwrap();
    let totals = text
        .lines()
        .filter_map(|line| line.strip_prefix("totals: "));
    totals.map(|count| count.parse::<u64>().unwrap()).sum()
}

/// A group of processes that ends with its test, however that ends.
struct Group(u32);

impl Drop for Group {
    fn drop(&mut self) {
        let group = format!("-{}", self.0);
        let mut kill = Command::new("kill");
        // Mostly it has ended.
        let _ = kill
            .args(["-KILL", "--", &group])
            .stderr(Stdio::null())
            .status();
    }
}

#[test]
fn two_recordings_at_once_have_their_own_files() {
    let Some(stage) = stage() else { return };
    for (apart, name) in [
        (0, None),
        (300, None),
        (0, Some("one")),
        (300, Some("other")),
    ] {
        let begin = |how: &str| {
            let mut args = vec!["record"];
            args.extend(name.iter().flat_map(|name| ["--name", name]));
            args.extend(["--", "./p", how]);
            let mut command = stage.command(&args);
            command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        };
        let first = begin("slow");
        thread::sleep(Duration::from_millis(apart));
        let second = begin("seven");
        for (recording, how) in [(second, "seven"), (first, "slow")] {
            let out = recording.wait_with_output().unwrap();
            let files = files(&out);
            assert_eq!(files.len(), 1, "{}", said(&out));
            let text = fs::read_to_string(stage.dir.join(&files[0])).unwrap();
            assert!(text.contains(&format!("./p {how}\n")), "{files:?}");
        }
    }
    let mut names = written(&stage);
    names.sort();
    let one = ["one.1.PID", "one.2.PID", "other.1.PID", "other.2.PID"]
        .map(|name| format!("callgrind.out.{name}"));
    assert_eq!(
        names,
        [vec!["callgrind.out.PID".to_owned(); 4], one.to_vec()].concat()
    );
    assert!(
        all(&stage).iter().all(|name| !name.starts_with('.')),
        "{:?}",
        all(&stage)
    );
}

/// Files that appear beside it while it goes on: of another Valgrind, which are empty until it
/// ends, or copied.
#[test]
fn files_of_others_are_neither_read_nor_removed() {
    let Some(stage) = stage() else { return };
    stage.write("made", "version: 1\nevents: Ir\nfn=f\n1 1000000000\n");
    let out = record(
        &stage,
        &[
            "--",
            "sh",
            "-c",
            ": >callgrind.out.11; cp made callgrind.out.12; cp made callgrind.out.13.1",
        ],
    );
    assert!(out.status.success(), "{}", said(&out));
    assert_eq!(files(&out).len(), 1, "{}", said(&out));
    assert!(count(&said(&out)) < 1_000_000_000, "{}", said(&out));
    assert_eq!(
        fs::metadata(stage.dir.join("callgrind.out.11"))
            .unwrap()
            .len(),
        0
    );
    assert_eq!(total(&stage, &files(&out)[0]), count(&said(&out)));
    assert!(
        all(&stage).len() == 4 && !all(&stage)[0].starts_with('.'),
        "{:?}",
        all(&stage)
    );
}

/// Numbers of processes come again. All files of the later recording get a number more, and nothing
/// is replaced.
#[test]
fn a_file_of_an_earlier_process_of_that_number_stays() {
    let profile = "events: Ir\nfn=f\n1 7\n";
    let (stage, path) = stage_with_logs(&[
        ("1000", &["Command: ./a", "Collected : 7"], profile),
        (
            "1001",
            &["Command: ./b", "Parent PID: 1000", "Collected : 7"],
            profile,
        ),
    ]);
    stage
        .write("callgrind.out.1001", "mine")
        .write("callgrind.out.1000_2", "mine");
    let out = stage
        .command(&["record", "--children", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    assert_eq!(
        files(&out),
        ["callgrind.out.1000_3", "callgrind.out.1001_3"],
        "{}",
        said(&out)
    );
    for name in ["callgrind.out.1001", "callgrind.out.1000_2"] {
        assert_eq!(fs::read_to_string(stage.dir.join(name)).unwrap(), "mine");
    }
    assert_eq!(count(&said(&out)), 14);
}

/// Callgrind dumps before a fork, so that the parent's start is in one file only, and what is read
/// later is what was recorded.
#[test]
fn a_forked_process_has_its_own_cost_where_children_are_recorded() {
    let Some(stage) = stage() else { return };
    let alone = count(&said(&record(
        &stage,
        &["-o", "alone", "--", "./p", "fork"],
    )));
    let out = record(&stage, &["--children", "--", "./p", "fork"]);
    let files = files(&out);
    assert_eq!(files.len(), 2, "{}", said(&out));
    let totals: Vec<u64> = files.iter().map(|file| total(&stage, file)).collect();
    // The parent's work is 50 times that of its child.
    assert!(
        totals[0].abs_diff(alone) < 2000 && totals[1] * 5 < totals[0],
        "{alone} {totals:?}"
    );
    assert_eq!(totals.iter().sum::<u64>(), count(&said(&out)));
    // Neither the newest run nor its files, named, are told to be of several runs.
    for args in [
        &["--format=json"][..],
        &["--format=json", "--strict", &files[0], &files[1]],
    ] {
        let read = stage.run(args);
        assert!(read.status.success(), "{}", said(&read));
        let json: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
        let sum = json["totals"][0].as_u64();
        assert_eq!(sum, Some(count(&said(&out))), "{args:?}: {}", said(&read));
    }
    // Programs that a program starts are of its recording, too.
    let out = record(
        &stage,
        &[
            "--children",
            "--",
            "sh",
            "-c",
            "./p echo; ./p seven; exit 0",
        ],
    );
    let read = stage.run(&["--format=json"]);
    let json: serde_json::Value = serde_json::from_slice(&read.stdout).unwrap();
    let sum = json["totals"][0].as_u64();
    assert_eq!(sum, Some(count(&said(&out))), "{}", said(&read));
    assert!(
        said(&read).contains("and 2 more, which the newest run in this folder wrote"),
        "{}",
        said(&read)
    );
    assert!(!said(&read).contains("mixed-inputs"), "{}", said(&read));
}

/// `posix_spawn` of a program that is not there, and `clone`, leave a copy of which nothing can be
/// told apart.
#[test]
fn a_copy_that_was_not_separated_is_set_aside() {
    let Some(stage) = stage() else { return };
    let code = "#define _GNU_SOURCE\n#include <sched.h>\n#include <signal.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
                static char stack[65536];\nstatic int child(void *p) { (void)p; _exit(0); }\n\
                int main(void) { clone(child, stack + 65000, SIGCHLD, 0); wait(0); return 0; }\n";
    stage.write("c.c", code);
    compile(&stage, &["-g", "-o", "c", "c.c"]);
    let out = record(&stage, &["--children", "--", "./c"]);
    assert_eq!(
        written(&stage),
        ["callgrind.out.PID", "callgrind.out.PID.forked"],
        "{}",
        said(&out)
    );
    assert!(
        said(&out).contains("it includes the cost of its parent"),
        "{}",
        said(&out)
    );
}

/// What Valgrind wrote without `record` is added up, with a warning that names both; two runs of
/// one program are not.
#[test]
fn a_forked_process_beside_its_parent_is_warned_of() {
    let Some(stage) = stage() else { return };
    let run = |out: &str| {
        let mut valgrind = stage.any("valgrind", &["--tool=callgrind", "-q"]);
        let option = format!("--callgrind-out-file={out}.%p");
        assert!(
            valgrind
                .args([&option, "./p", "fork"])
                .output()
                .unwrap()
                .status
                .success()
        );
        let mut files: Vec<String> = fs::read_dir(&stage.dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.starts_with(&format!("{out}.")))
            .collect();
        files.sort_by_key(|name| total(&stage, name));
        files
    };
    let (one, other) = (run("one"), run("other"));
    assert_eq!((one.len(), other.len()), (2, 2));
    for [first, second] in [[0, 1], [1, 0]] {
        let read = stage.run(&["--format=csv", &one[first], &one[second]]);
        let warning = format!(
            "cgannotate: {}: its process and that of {} seem to be forked",
            one[second], one[first]
        );
        assert!(
            said(&read).contains(&warning) && said(&read).contains("[forked-inputs]"),
            "{}",
            said(&read)
        );
        let limit = [
            "check",
            &one[first],
            &one[second],
            "--limit",
            "total.Ir <= 1000000000",
        ];
        assert_eq!(stage.run(&limit).status.code(), Some(4));
    }
    for at in [0, 1] {
        let read = stage.run(&["--format=csv", &one[at], &other[at]]);
        assert!(!said(&read).contains("forked"), "{}", said(&read));
    }
}

/// A process that outlives the recording writes its profile where it would have without it.
#[test]
fn a_process_that_ends_late_leaves_its_profile() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--children", "--", "./p", "late"]);
    let said = said(&out);
    let (_, file) = said
        .split_once("when it ends, it writes ")
        .unwrap_or_else(|| panic!("{said}"));
    let file = file.lines().next().unwrap();
    assert_eq!(without_process(file), "callgrind.out.PID");
    let path = stage.dir.join(file);
    assert_eq!(files(&out).len(), 1, "{said}");
    for _ in 0..200 {
        if fs::read_to_string(&path).unwrap().contains("\ntotals: ") {
            break;
        }
        thread::sleep(Duration::from_millis(100));
    }
    assert!(total(&stage, file) > 1000);
}

/// The program may do well, and its recording not.
#[test]
fn a_recording_that_is_not_whole_ends_with_its_reason() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--", "sh", "-c", "rm -rf .callgrind.out.*"]);
    assert!(
        said(&out).contains(" was removed while the program ran"),
        "{}",
        said(&out)
    );
    assert_eq!(out.status.code(), Some(1));
    let line = format!(
        "ulimit -f 8; exec {} record -- ./p",
        env!("CARGO_BIN_EXE_cgannotate")
    );
    let out = stage.any("sh", &["-c", &line]).output().unwrap();
    assert!(
        said(&out).contains("[truncated]; Callgrind could not write all of it: "),
        "{}",
        said(&out)
    );
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
    let unwritten = "Error: can not open cache simulation output file /x/out.1000";
    let (stage, path) = stage_with_logs(&[("1000", &["Command: ./a", unwritten], "")]);
    // A stand-in ends with status 1; this one does not.
    let script = fs::read_to_string(stage.dir.join("valgrind"))
        .unwrap()
        .replace("\nexit 1\n", "\nexit 0\n");
    stage.write("valgrind", script);
    let out = stage
        .command(&["record", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let reason = "Valgrind can not open cache simulation output file /x/out.1000, as when the program changes its user";
    assert!(
        said(&out).contains(reason) && !said(&out).contains("exec"),
        "{}",
        said(&out)
    );
    assert_eq!(out.status.code(), Some(1), "{}", said(&out));
}

/// A recording that counted nothing leaves no profile that the next report would take for the
/// newest.
#[test]
fn a_recording_of_nothing_leaves_no_profile() {
    let Some(stage) = stage() else { return };
    let whole = record(&stage, &["--", "./p"]);
    let out = record(&stage, &["--only=wrk", "--", "./p"]);
    assert!(said(&out).contains("nothing was counted"), "{}", said(&out));
    assert_eq!(all(&stage), files(&whole));
}

/// Another Valgrind that writes into the same folder, before, while and after a recording does.
#[test]
fn a_run_of_valgrind_beside_a_recording_keeps_its_file() {
    let Some(stage) = stage() else { return };
    let mut other = stage.any("valgrind", &["--tool=callgrind", "./p", "forever"]);
    let mut other = other
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .unwrap();
    let _group = Group(other.id());
    wait_for(other.stdout.as_mut().unwrap(), "begun");
    let out = record(&stage, &["--", "./p", "seven"]);
    let ours = files(&out);
    assert_eq!(
        (ours.len(), out.status.code()),
        (1, Some(7)),
        "{}",
        said(&out)
    );
    assert_eq!(total(&stage, &ours[0]), count(&said(&out)));
    assert!(other.try_wait().unwrap().is_none(), "it goes on");
    let theirs = format!("callgrind.out.{}", other.id());
    assert!(
        Command::new("kill")
            .arg(other.id().to_string())
            .status()
            .unwrap()
            .success()
    );
    other.wait().unwrap();
    let mut want = [ours[0].clone(), theirs.clone()];
    want.sort();
    assert_eq!(all(&stage), want);
    assert!(
        fs::read_to_string(stage.dir.join(theirs))
            .unwrap()
            .contains(" ./p forever\n")
    );
}

/// Whenever a signal comes: as the folder is made, as Valgrind begins, as the program runs.
#[test]
fn an_interrupted_recording_leaves_no_folder() {
    let Some(stage) = stage() else { return };
    let ends = [("INT", 130), ("TERM", 143)]
        .into_iter()
        .filter(|(_, status)| !is_ignored(status - 128));
    for (signal, status) in ends {
        for after in [3, 6, 10, 20, 50, 150, 400, 1500] {
            let mut command = stage.command(&["record", "--", "./p", "forever"]);
            let child = command
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn()
                .unwrap();
            thread::sleep(Duration::from_millis(after));
            let sent = Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status()
                .unwrap();
            assert!(sent.success());
            let out = child.wait_with_output().unwrap();
            let ended = out
                .status
                .code()
                .or_else(|| out.status.signal().map(|signal| 128 + signal));
            assert_eq!(ended, Some(status), "{after} ms: {}", said(&out));
            let left: Vec<String> = all(&stage)
                .into_iter()
                .filter(|name| name.starts_with('.'))
                .collect();
            assert!(left.is_empty(), "{after} ms: {left:?} {}", said(&out));
        }
    }
}

/// Each thread of each process is told apart, and all of them are the run.
#[test]
fn threads_of_forked_processes_are_read_together() {
    let Some(stage) = stage() else { return };
    let code = "#include <pthread.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
                static void *t(void *p) { for (volatile int i = 0; i < 10000; i++); return p; }\n\
                int main(void) { int child = fork(); pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0);\n\
                if (child) wait(0); return 0; }\n";
    stage.write("t.c", code);
    compile(&stage, &["-g", "-pthread", "-o", "t", "t.c"]);
    let out = record(&stage, &["--threads", "--children", "--", "./t"]);
    assert_eq!(out.status.code(), Some(0), "{}", said(&out));
    let named = files(&out);
    assert_eq!(named.len(), 2, "{}", said(&out));
    for file in &named {
        // Dumps of one process are in one file, by thread.
        let text = fs::read_to_string(stage.dir.join(file)).unwrap();
        assert!(
            ["thread: 1\n", "thread: 2\n"]
                .iter()
                .all(|thread| text.contains(thread)),
            "{file}"
        );
    }
    assert_eq!(
        named.iter().map(|file| total(&stage, file)).sum::<u64>(),
        count(&said(&out))
    );
    assert!(
        all(&stage).iter().all(|name| !name.starts_with('.')),
        "{:?}",
        all(&stage)
    );
}

/// What callgrind_control lets Valgrind write while it goes on is of the recording, too.
#[test]
fn a_dump_that_is_asked_for_is_of_the_recording() {
    let Some(stage) = stage() else { return };
    let missing = "callgrind_control does not work here, so nothing was dumped";
    if !found(
        starts("callgrind_control", &["--version"]),
        Required::Reference,
        missing,
    ) {
        return;
    }
    let mut command = stage.command(&["record", "--", "./p", "forever"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let _group = Group(child.id());
    wait_for(child.stdout.as_mut().unwrap(), "begun");
    let of = Command::new("pgrep")
        .args(["-P", &child.id().to_string()])
        .output()
        .unwrap();
    let program = String::from_utf8(of.stdout).unwrap().trim().to_owned();
    let dumped = stage
        .any("callgrind_control", &["--dump=asked", &program])
        .output()
        .unwrap();
    assert!(dumped.status.success(), "{dumped:?}");
    assert!(
        Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(143), "{}", said(&out));
    let named = files(&out);
    assert_eq!(
        named,
        [
            format!("callgrind.out.{program}"),
            format!("callgrind.out.{program}.1")
        ],
        "{}",
        said(&out)
    );
    assert_eq!(
        named.iter().map(|file| total(&stage, file)).sum::<u64>(),
        count(&said(&out))
    );
    assert_eq!(all(&stage), named);
}
