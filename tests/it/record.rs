//! `record`: programs run under the real Valgrind, and what is said of the ways in which that goes
//! wrong.

use crate::common::needed::{Required, found, starts, succeeds};
use crate::common::{LISTED, Stage, is_ignored};
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Does by its first argument what a recording must cope with.
const PROGRAM: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i % 7; return s; }
static void taken(int signal) { (void)signal; _exit(3); }
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "exec")) execl(argv[0], argv[0], "echo", (char *)0);
  if (!strcmp(how, "start")) { if (!fork()) execl(argv[0], argv[0], "echo", (char *)0); wait(0); }
  if (!strcmp(how, "fork")) { work(50000); fflush(0); if (!fork()) { work(1000); _exit(0); } wait(0); }
  if (!strcmp(how, "late")) { if (!fork()) { sleep(2); work(1000); _exit(0); } return 0; }
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "segv")) raise(SIGSEGV);
  if (!strcmp(how, "elsewhere") && chdir("/")) return 1;
  if (!strcmp(how, "slow")) { puts("it begins"); sleep(5); puts("it ends"); }
  if (!strcmp(how, "unknown")) __builtin_trap();
  if (!strcmp(how, "kill")) { if (!fork()) execl("/bin/sh", "sh", "-c", "kill -9 $PPID", (char *)0); pause(); }
  if (!strcmp(how, "handler")) { signal(SIGUSR1, taken); puts("begun"); fflush(stdout); for (;;) work(1000); }
  if (!strcmp(how, "forever")) { puts("begun"); fflush(stdout); for (;;) work(100000); }
  char line[64] = "";
  if (!strcmp(how, "cat") && fgets(line, sizeof line, stdin)) printf("read %s", line);
  fputs("to standard error\n", stderr);
  printf("%ld\n", work(1000));
  return !strcmp(how, "seven") ? 7 : 0;
}
"#;

/// A folder with the program; `None`, said where a person sees it, without Valgrind.
pub fn stage() -> Option<Stage> {
    let missing = "valgrind is not installed, so nothing was recorded";
    if !found(
        starts("valgrind", &["--version"]),
        Required::Reference,
        missing,
    ) {
        return None;
    }
    let stage = Stage::empty();
    stage.write("p.c", PROGRAM);
    compile(&stage, &["-g", "-O1", "-o", "p", "p.c"]);
    Some(stage)
}

pub fn compile(stage: &Stage, args: &[&str]) {
    let built = Command::new("cc")
        .args(args)
        .current_dir(&stage.dir)
        .status()
        .unwrap();
    assert!(built.success());
}

pub fn record(stage: &Stage, args: &[&str]) -> Output {
    stage.run(&[&["record"], args].concat())
}

pub fn said(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

/// The names of the profiles in the folder, the process replaced by `PID`.
pub fn written(stage: &Stage) -> Vec<String> {
    let names = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| name.contains(".out."))
        .map(|name| without_process(&name))
        .collect();
    names.sort();
    names
}

/// Numbers of four digits and more are processes here, or nothing that a test looks at.
pub fn without_process(text: &str) -> String {
    regex::Regex::new("[0-9]{3,}")
        .unwrap()
        .replace_all(text, "PID")
        .into_owned()
}

#[test]
fn the_program_has_its_streams_and_its_status_to_itself() {
    let Some(stage) = stage() else { return };
    for (how, status) in [
        ("seven", 7),
        ("cat", 0),
        ("abort", 134),
        ("segv", 139),
        ("elsewhere", 0),
    ] {
        let mut command = stage.command(&["record", "--", "./p", how]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"a line\n").unwrap();
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(status), "{how}: {}", said(&out));
        let printed = String::from_utf8(out.stdout.clone()).unwrap();
        match how {
            "cat" => assert_eq!(printed, "read a line\n2001\n"),
            "abort" => assert!(
                said(&out).contains("signal 6 ended the program"),
                "{}",
                said(&out)
            ),
            "segv" => assert!(
                said(&out).contains("signal 11 ended the program"),
                "{}",
                said(&out)
            ),
            _ => assert_eq!(printed, "2001\n"),
        }
        if status < 128 {
            let said = said(&out);
            let (of_program, ours) = said.split_once('\n').unwrap();
            assert_eq!(of_program, "to standard error");
            // The system's libraries may have no debug information.
            let ours: Vec<&str> = ours
                .lines()
                .filter(|line| !line.contains("% of the cost"))
                .collect();
            assert!(
                ours.len() == 1 && ours[0].starts_with("cgannotate: "),
                "{ours:?}"
            );
        }
    }
    assert_eq!(written(&stage), ["callgrind.out.PID"; 5]);
}

#[test]
fn a_program_that_is_not_there_has_the_status_of_a_shell() {
    let Some(stage) = stage() else { return };
    for (name, status, why) in [
        ("./nothing", 127, "program ./nothing not found"),
        ("no-such-program", 127, "program no-such-program not found"),
        (
            "p",
            127,
            "program p not found in PATH\nhint: the one in this folder is ./p",
        ),
        ("./p.c", 126, "./p.c cannot be run: it is not executable"),
    ] {
        let out = record(&stage, &["--", name]);
        assert_eq!(out.status.code(), Some(status));
        assert_eq!(said(&out), format!("cgannotate: {why}\n"));
    }
    // The headers of programs for other processors, by the numbers of the ELF specification.
    stage.write("other", b"");
    Command::new("chmod")
        .arg("+x")
        .arg(stage.dir.join("other"))
        .status()
        .unwrap();
    let why = "./other cannot be run under this machine's Valgrind: it is built for ";
    let mut refused = 0;
    for (number, processor) in [
        (2, "SPARC"),
        (8, "MIPS"),
        (20, "PowerPC (32 bits)"),
        (21, "PowerPC (64 bits)"),
        (22, "s390x"),
        (40, "ARM (32 bits)"),
        (183, "AArch64 (ARM, 64 bits)"),
        (243, "RISC-V"),
        (247, "a processor with the number 247 in its ELF header"),
    ] {
        let mut header = *b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\0\0";
        header[18] = number;
        fs::write(stage.dir.join("other"), header).unwrap();
        let out = record(&stage, &["--", "./other"]);
        if said(&out).contains(why) {
            assert_eq!(out.status.code(), Some(126));
            assert_eq!(said(&out), format!("cgannotate: {why}{processor}\n"));
            refused += 1;
        }
    }
    // A Valgrind runs the programs of one processor, some of two.
    assert!(refused >= 8, "{refused}");
    assert!(written(&stage).is_empty());
    let out = stage
        .command(&["record", "./p"])
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(127));
    assert!(
        said(&out).contains("Valgrind is not installed"),
        "{}",
        said(&out)
    );
}

/// With a fixed name one file would remain; and the child's holds what the parent had cost.
#[test]
fn a_forked_process_has_a_report_of_its_own() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--", "./p", "fork"]);
    assert_eq!(
        written(&stage),
        ["callgrind.out.PID", "callgrind.out.PID.forked"]
    );
    assert!(
        said(&out).contains(".forked is of a forked process"),
        "{}",
        said(&out)
    );
    // The newest profile is the program's.
    let report = stage.report(&["--format=csv", LISTED]);
    assert!(report.contains("main"), "{report}");
    let read = stage.run(&["--format=csv", LISTED]);
    assert!(!said(&read).contains("forked"), "{}", said(&read));
}

#[test]
fn a_program_that_becomes_another_leaves_an_empty_file() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--", "./p", "exec"]);
    assert!(written(&stage).is_empty());
    assert!(
        said(&out).contains(
            "became another program (exec)\nhint: --children records other programs, too"
        ),
        "{}",
        said(&out)
    );
    assert_eq!(out.status.code(), Some(1), "there is nothing to go on with");
    // Of a script that does so it is said once what to do.
    stage.write("shim", "#!/bin/sh\nexec ./p echo\n");
    fs::set_permissions(stage.dir.join("shim"), fs::Permissions::from_mode(0o755)).unwrap();
    let out = record(&stage, &["--", "./shim"]);
    assert!(
        said(&out).contains("became another program (exec)\n"),
        "{}",
        said(&out)
    );
    assert_eq!(
        said(&out).matches("hint: --children records").count(),
        1,
        "{}",
        said(&out)
    );
    let out = record(&stage, &["--children", "--", "./p", "exec"]);
    assert_eq!(written(&stage), ["callgrind.out.PID"]);
    assert!(!said(&out).contains("empty"), "{}", said(&out));
}

/// A folder with a stand-in for Valgrind, and the folders to look for programs in. It leaves a log
/// with these lines, and an empty file or one with a profile, for each of some processes; `$$` is
/// the one that was started.
pub fn stage_with_logs(processes: &[(&str, &[&str], &str)]) -> (Stage, OsString) {
    let stage = Stage::empty();
    let mut script =
        "#!/bin/sh\nfor option; do case $option in\n--log-file=*) log=${option#*=};;\n\
                      --callgrind-out-file=*) out=${option#*=};;\nesac; done\n"
            .to_owned();
    for (pid, lines, profile) in processes {
        let lines: String = lines
            .iter()
            .map(|line| format!("=={pid}== {line}\n"))
            .collect();
        script += &format!("cat >\"${{log%\\%p}}{pid}\" <<END\n{lines}END\n");
        script += &format!("printf '%s' '{profile}' >\"${{out%\\%p}}{pid}\"\n");
    }
    stage.write("valgrind", script + "exit 1\n");
    fs::set_permissions(
        stage.dir.join("valgrind"),
        fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    let path = std::env::join_paths([stage.dir.clone(), "/usr/bin".into(), "/bin".into()]).unwrap();
    (stage, path)
}

/// Valgrind 3.19 cannot read what `gcc -gsplit-dwarf` writes; others can. So one stands in for it,
/// with its words.
#[test]
fn a_program_that_valgrind_cannot_run_leaves_its_reason() {
    const CORRUPTED: &str = "Valgrind: debuginfo reader: Possibly corrupted debuginfo file.";
    const GIVES_UP: &str = "Valgrind: I can't recover.  Giving up.  Sorry.";
    let (stage, path) = stage_with_logs(&[("$$", &["Command: ./a", CORRUPTED, GIVES_UP], "")]);
    let out = stage
        .command(&["record", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let reason = "Valgrind gave up on `./a`, and its counts are lost: debuginfo reader: Possibly corrupted \
                  debuginfo file.\n";
    assert!(said(&out).contains(reason), "{}", said(&out));
    assert!(
        !said(&out).contains("exec") && written(&stage).is_empty(),
        "{}",
        said(&out)
    );
    assert_eq!(out.status.code(), Some(1));
    // Of several processes, each reason once; a program may be called as it likes.
    let profile = "events: Ir\nfn=f\n1 1\n";
    let (stage, path) = stage_with_logs(&[
        (
            "$$",
            &["Command: ./make 'Giving up.'", "Collected : 1"],
            profile,
        ),
        ("1001", &["Command: ./b 1", CORRUPTED, GIVES_UP], ""),
        ("1002", &["Command: ./b 2", CORRUPTED, GIVES_UP], ""),
        (
            "1003",
            &["Command: ./c", "Valgrind: out of memory", GIVES_UP],
            "",
        ),
    ]);
    let out = stage
        .command(&["record", "--children", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let said = said(&out);
    for (times, what) in [
        (1, "gave up on `./b 1` and one more process, and"),
        (1, "gave up on `./c`, and"),
        (2, "gave up"),
    ] {
        assert_eq!(said.matches(what).count(), times, "{what}: {said}");
    }
    assert!(!said.contains("exec") && !said.contains("make"), "{said}");
}

#[test]
fn many_forked_processes_are_told_in_one_line() {
    let profile = "events: Ir\nfn=f\n1 1\n";
    let (stage, path) = stage_with_logs(&[
        ("1000", &["Command: ./a", "Collected : 1"], profile),
        (
            "1001",
            &["Command: ./a", "Parent PID: 1000", "Collected : 1"],
            profile,
        ),
        (
            "1002",
            &["Command: ./a", "Parent PID: 1000", "Collected : 1"],
            profile,
        ),
        (
            "1003",
            &["Command: ./a", "Parent PID: 1001", "Collected : 1"],
            profile,
        ),
    ]);
    let out = stage
        .command(&["record", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let line = "callgrind.out.1001.forked and 2 more .forked files are of forked processes";
    assert_eq!(
        said(&out).matches("of forked processes").count(),
        1,
        "{}",
        said(&out)
    );
    assert!(said(&out).contains(line), "{}", said(&out));
    assert_eq!(written(&stage).len(), 4);
}

#[test]
fn programs_that_a_program_starts_are_recorded_if_asked() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--children", "--", "./p", "start"]);
    assert_eq!(written(&stage), ["callgrind.out.PID"; 2]);
    assert_eq!(
        said(&out).matches("callgrind.out.").count(),
        2,
        "{}",
        said(&out)
    );
    // The programs differ, as was asked for.
    let out = record(
        &stage,
        &["--children", "--", "sh", "-c", "./p echo; exit 0"],
    );
    assert!(
        said(&out).contains(" Ir in ") && !said(&out).contains("mixed-inputs"),
        "{}",
        said(&out)
    );
}

#[test]
fn an_unknown_instruction_is_told_from_a_whole_run() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--", "./p", "unknown"]);
    assert_eq!(out.status.code(), Some(132));
    assert!(
        said(&out).contains("Valgrind does not know an instruction"),
        "{}",
        said(&out)
    );
    assert_eq!(written(&stage), ["callgrind.out.PID"]);
}

#[test]
fn a_killed_program_leaves_nothing() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--", "./p", "kill"]);
    assert_eq!(out.status.code(), Some(137));
    assert!(
        said(&out).contains("signal 9 ended the program"),
        "{}",
        said(&out)
    );
    assert!(
        said(&out).contains("Callgrind wrote nothing, as when the process is killed"),
        "{}",
        said(&out)
    );
    assert!(written(&stage).is_empty());
}

/// A program that Valgrind maps, and that ends before what its headers say.
#[test]
fn a_program_that_cannot_begin_has_no_profile() {
    let (stage, path) = stage_with_logs(&[]);
    let script = fs::read_to_string(stage.dir.join("valgrind")).unwrap();
    stage.write("valgrind", script.replace("\nexit 1\n", "\nkill -BUS $$\n"));
    let out = stage
        .command(&["record", "--", "/bin/true"])
        .env("PATH", &path)
        .output()
        .unwrap();
    let end = "cgannotate: signal 7 ended the program: no profile was written\n";
    assert!(said(&out).ends_with(end), "{}", said(&out));
    assert_eq!(out.status.code(), Some(135));
}

/// The shell runs what the system does not know, and Valgrind the shell.
#[test]
fn a_text_without_an_interpreter_is_a_script_of_the_shell() {
    let Some(stage) = stage() else { return };
    for text in ["echo hello\n", ""] {
        stage.write("text", text);
        fs::set_permissions(stage.dir.join("text"), fs::Permissions::from_mode(0o755)).unwrap();
        let out = record(&stage, &["--", "./text"]);
        assert!(
            said(&out).contains("it is a script: Callgrind records its interpreter, /bin/sh,"),
            "{text:?}: {}",
            said(&out)
        );
        assert_eq!(out.status.code(), Some(0), "{}", said(&out));
    }
}

/// On a disk of a page, and on one that has room for the first of two profiles.
#[test]
fn a_full_disk_is_the_reason() {
    let missing = "no disk can be mounted, so none was full";
    let can = succeeds("unshare", &["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]);
    let Some(stage) = stage().filter(|_| found(can, Required::Nowhere, missing)) else {
        return;
    };
    let on_disk = |size: &str| {
        let line = format!(
            "mkdir -p disk; mount -t tmpfs -o size={size} none disk && cd disk && exec {} record -- ../p fork",
            env!("CARGO_BIN_EXE_cgannotate")
        );
        let out = stage
            .any("unshare", &["-rm", "sh", "-c", &line])
            .output()
            .unwrap();
        assert_eq!(out.status.code(), Some(1), "{}", said(&out));
        said(&out)
    };
    let reason = "Callgrind wrote nothing: No space left on device";
    let text = on_disk("4k");
    assert!(text.contains(reason) && !text.contains("``"), "{text}");
    let text = on_disk("48k");
    assert!(text.contains(reason), "{text}");
    assert!(
        text.contains(".forked:")
            && text.contains("[truncated]; Callgrind could not write all of it: No space"),
        "{text}"
    );
}

#[test]
fn a_signal_ends_the_program_and_the_profile_is_written() {
    let Some(stage) = stage() else { return };
    let mut signals = vec![
        ("TERM", 143),
        ("HUP", 129),
        ("INT", 130),
        ("QUIT", 131),
        ("USR1", 138),
        ("USR2", 140),
    ];
    signals.retain(|&(_, status)| !is_ignored(status - 128));
    for &(signal, status) in &signals {
        let mut command = stage.command(&["record", "--", "./p", "forever"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        wait_for(child.stdout.as_mut().unwrap(), "begun");
        thread::sleep(Duration::from_millis(200));
        assert!(
            Command::new("kill")
                .args([&format!("-{signal}"), &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(status), "{signal}: {}", said(&out));
        assert!(said(&out).contains(" Ir in "), "{}", said(&out));
    }
    assert_eq!(written(&stage), vec!["callgrind.out.PID"; signals.len()]);
}

/// What a program makes of a signal is its own matter, and one that the user ignores stays ignored.
#[test]
fn a_signal_that_the_program_takes_does_not_end_it() {
    let Some(stage) = stage() else { return };
    let begun = |command: &mut Command| {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        wait_for(child.stdout.as_mut().unwrap(), "begun");
        child
    };
    let kill = |signal: &str, pid: u32| {
        assert!(
            Command::new("kill")
                .args([signal, &pid.to_string()])
                .status()
                .unwrap()
                .success()
        );
    };
    let child = begun(&mut stage.command(&["record", "--", "./p", "handler"]));
    kill("-USR1", child.id());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(3), "{}", said(&out));
    let ours = env!("CARGO_BIN_EXE_cgannotate");
    for signal in ["HUP", "INT"] {
        let script = format!("trap '' {signal}; exec {ours} record -- ./p forever");
        let child = begun(&mut stage.any("sh", &["-c", &script]));
        kill(&format!("-{signal}"), child.id());
        thread::sleep(Duration::from_millis(200));
        kill("-TERM", child.id());
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(143), "{signal}: {}", said(&out));
    }
}

/// What is typed at a terminal reaches the program once, and an interrupt that a process sends to
/// us gets to it there, too.
#[test]
fn an_interrupt_on_a_terminal_reaches_the_program_once() {
    let Some(stage) = stage() else { return };
    let missing = "script is not installed, so nothing was typed at a terminal";
    if !found(starts("script", &["--version"]), Required::Nowhere, missing) || is_ignored(2) {
        return;
    }
    let program = "trap 'echo interrupted' INT; echo begun; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; done; echo over";
    stage.write("program", program);
    let line = format!(
        "echo $$ >pid; exec {} record -- /bin/sh program",
        env!("CARGO_BIN_EXE_cgannotate")
    );
    for is_typed in [true, false] {
        let mut command = stage.any("script", &["-qec", &line, "/dev/null"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut screen = child.stdout.take().unwrap();
        wait_for(&mut screen, "begun");
        if is_typed {
            std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"\x03").unwrap();
        } else {
            let pid = fs::read_to_string(stage.dir.join("pid")).unwrap();
            assert!(
                Command::new("kill")
                    .args(["-INT", pid.trim()])
                    .status()
                    .unwrap()
                    .success()
            );
        }
        wait_for(&mut screen, "interrupted");
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut screen, &mut rest).unwrap();
        let rest = String::from_utf8_lossy(&rest);
        assert!(child.wait().unwrap().success(), "typed: {is_typed}, {rest}");
        assert!(
            rest.contains("over") && !rest.contains("interrupted"),
            "typed: {is_typed}, {rest}"
        );
    }
}

pub fn wait_for(stream: &mut impl std::io::Read, word: &str) {
    let mut seen = String::new();
    while !seen.contains(word) {
        let mut byte = [0];
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "it ended: {seen}");
        seen.push(byte[0].into());
    }
}

#[cfg(feature = "object")]
#[test]
fn what_debug_information_is_missing_is_said_before() {
    let Some(stage) = stage() else { return };
    assert!(!said(&record(&stage, &["--", "./p"])).contains("debug information"));
    compile(&stage, &["-g0", "-O1", "-o", "p", "p.c"]);
    let out = said(&record(&stage, &["--", "./p"]));
    assert!(
        out.contains("the program p has no debug information"),
        "{out}"
    );
    compile(&stage, &["-s", "-O1", "-o", "p", "p.c"]);
    let out = said(&record(&stage, &["--", "./p"]));
    assert!(out.contains("the program p was stripped"), "{out}");
}

/// Of libraries it is said after the run, since only then it is known which ones matter; once, and
/// not of a file that is gone.
#[cfg(feature = "object")]
#[test]
fn what_libraries_lack_is_said_after() {
    let Some(stage) = stage() else { return };
    let function = |name: &str, before: &str| {
        format!(
            "{before} long {name}(long n) {{ long s = 0; for (long i = 0; i < n; i++) s += i * i % 7; return s; }}\n"
        )
    };
    let library = |name: &str, args: &[&str]| {
        let (file, source) = (format!("lib{name}.so"), format!("{name}.c"));
        // Nothing of the last is exported: it runs before `main`.
        let hidden = "long kept; __attribute__((constructor)) static void run(void) { kept = hidden(100000); }\n";
        let text = match name {
            "hidden" => {
                function(name, "__attribute__((noinline)) static")
                    + &hidden.replacen("long", "static volatile long", 1)
            }
            _ => function(name, ""),
        };
        stage.write(&source, text);
        compile(
            &stage,
            &[args, &["-O1", "-fPIC", "-shared", "-o", &file, &source]].concat(),
        );
    };
    library("whole", &["-g"]);
    library("apart", &["-g"]);
    library("lineless", &["-g0"]);
    library("exporting", &["-g0", "-s"]);
    library("hidden", &["-g0", "-s"]);
    library("gone", &["-g0"]);
    for args in [
        &["--only-keep-debug", "libapart.so", "libapart.debug"][..],
        &[
            "--strip-all",
            "--add-gnu-debuglink=libapart.debug",
            "libapart.so",
        ],
    ] {
        assert!(stage.any("objcopy", args).status().unwrap().success());
    }
    let main = "#include <unistd.h>\n\
        long whole(long), apart(long), lineless(long), exporting(long), gone(long);\n\
        int main(void) { long n = 100000; unlink(\"libgone.so\");\n\
        return (whole(n) + apart(n) + lineless(3 * n) + exporting(n) + gone(n)) < 0; }\n";
    stage.write("m.c", main);
    let libraries = [
        "-lwhole",
        "-lapart",
        "-llineless",
        "-lexporting",
        "-lhidden",
        "-lgone",
    ];
    compile(
        &stage,
        &[
            &[
                "-g",
                "-o",
                "m",
                "m.c",
                "-L.",
                "-Wl,-rpath,$ORIGIN",
                "-Wl,--no-as-needed",
            ][..],
            &libraries,
        ]
        .concat(),
    );
    let command = stage.command(&["record", "--", "./m"]);
    let (text, success) = crate::annotate::first_screen::on_screen(300, 60, command);
    assert!(success, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let remarks: Vec<String> = lines
        .windows(2)
        .filter(|pair| {
            pair[0].starts_with("cgannotate: ")
                && pair[0].contains("/lib")
                && pair[0].contains("% of the cost")
        })
        .map(|pair| format!("{}\n{}", pair[0].rsplit_once("/lib").unwrap().1, pair[1]))
        .collect();
    let stripped = "\nhint: build it with -g and without strip and record again";
    assert_eq!(
        remarks,
        [
            format!(
                "exporting.so, with 12 % of the cost, was stripped: its functions have no lines, and only those that it exports have names{stripped}"
            ),
            format!(
                "hidden.so, with 12 % of the cost, was stripped: its functions have no lines and no names{stripped}"
            ),
            "lineless.so, with 37 % of the cost, has no debug information: its functions have names, but no lines\nhint: compile it \
             with -g (Rust: debug = \"line-tables-only\" in the release profile) and record again"
                .to_owned(),
        ],
        "{text}"
    );
    assert!(text.contains("Ir self"), "the first screen follows: {text}");
}

#[test]
fn a_script_is_its_interpreter() {
    let Some(stage) = stage() else { return };
    stage.write("s.sh", "#!/bin/sh\n./p\n");
    Command::new("chmod")
        .arg("+x")
        .arg(stage.dir.join("s.sh"))
        .status()
        .unwrap();
    let out = record(&stage, &["--", "./s.sh"]);
    assert!(
        said(&out).contains("it is a script: Callgrind records its interpreter, /bin/sh"),
        "{}",
        said(&out)
    );
    assert!(!stage.report(&["--format=csv", LISTED]).contains("/p.c"));
    let out = record(&stage, &["--children", "--", "./s.sh"]);
    assert!(!said(&out).contains("script"), "{}", said(&out));
}

/// Valgrind would lose it where `env` becomes the interpreter.
#[test]
fn a_script_of_env_is_recorded() {
    let Some(stage) = stage() else { return };
    stage.write("s.sh", "#!/usr/bin/env sh\necho done\n");
    Command::new("chmod")
        .arg("+x")
        .arg(stage.dir.join("s.sh"))
        .status()
        .unwrap();
    let out = record(&stage, &["--", "./s.sh"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "done\n");
    assert_eq!(written(&stage), ["callgrind.out.PID"], "{}", said(&out));
}

#[test]
fn what_is_counted_can_be_chosen() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--only=work", "--cache", "--", "./p"]);
    let csv = stage.report(&["--format=csv", LISTED]);
    assert!(
        csv.contains("work") && csv.contains("DLmw") && csv.contains("\n0,0,0,0,0,0,0,0,0,"),
        "{}{csv}",
        said(&out)
    );
    let out = record(&stage, &["--only=wrk", "--", "./p"]);
    assert!(said(&out).contains("nothing was counted"), "{}", said(&out));
    assert_eq!(
        out.status.code(),
        Some(1),
        "the program did well, the recording did not"
    );
    assert_eq!(
        record(&stage, &["--only=wrk", "--", "./p", "seven"])
            .status
            .code(),
        Some(7)
    );
}

#[cfg(feature = "object")]
#[test]
fn names_near_one_that_matched_nothing_are_told() {
    let Some(stage) = stage() else { return };
    for (only, hint) in [
        ("wrok", "\nhint: did you mean work?\n"),
        ("ork*", "\nhint: did you mean work?\n"),
        ("nothing_like_it", "--only matches no function that ran\n"),
        ("__libc_csu_fini_x", "--only matches no function that ran"),
    ] {
        let said = said(&record(&stage, &["--only", only, "--", "./p"]));
        assert!(
            said.contains("nothing was counted") && said.contains(hint),
            "{only}: {said}"
        );
    }
    // The names of a stripped program are in its debug file.
    for args in [
        &["objcopy", "--only-keep-debug", "p", "p.debug"][..],
        &["objcopy", "-S", "--add-gnu-debuglink=p.debug", "p"],
    ] {
        if !stage
            .any(args[0], &args[1..])
            .status()
            .is_ok_and(|status| status.success())
        {
            return;
        }
    }
    let said = said(&record(&stage, &["--only", "wrok", "--", "./p"]));
    assert!(said.contains("\nhint: did you mean work?\n"), "{said}");
}

/// What `--dump-before` and the like leave, and `.1`, `.2` behind the name of a file say so: the
/// last alone is not the run.
#[test]
fn dumps_are_read_together() {
    let Some(stage) = stage() else { return };
    let whole = said(&record(&stage, &["--", "./p"]));
    let out = record(&stage, &["--valgrind=--dump-before=work", "--", "./p"]);
    assert!(
        out.status.success() && said(&out).matches("callgrind.out.").count() > 1,
        "{}",
        said(&out)
    );
    let count = |text: &str| {
        let line = text.lines().find(|line| line.contains(" Ir in ")).unwrap();
        let number = line
            .strip_prefix("cgannotate: ")
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        number.replace(',', "").parse::<f64>().unwrap()
    };
    let ratio = count(&said(&out)) / count(&whole);
    assert!(
        (0.9..1.1).contains(&ratio),
        "{ratio}: {whole}{}",
        said(&out)
    );
}

/// One command from a program to a file that another machine can read.
#[test]
fn a_recording_can_be_packed() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["--pack", "run.cgpack", "--", "./p", "seven"]);
    assert_eq!(out.status.code(), Some(7), "{}", said(&out));
    assert!(
        said(&out).contains("1 source, ") && said(&out).contains("run.cgpack: "),
        "{}",
        said(&out)
    );
    for gone in ["p", "p.c"] {
        fs::remove_file(stage.dir.join(gone)).unwrap();
    }
    let report = stage.report(&["--auto=yes", "run.cgpack"]);
    assert!(
        report.contains("long work(long n) { long s = 0;"),
        "{report}"
    );
    let (_, manifest) = crate::pack::files(&stage.dir.join("run.cgpack")).swap_remove(0);
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["recorded_by"][1], "--tool=callgrind");
    let words = manifest["recorded_by"].as_array().unwrap();
    assert_eq!(words[words.len() - 2..], ["./p", "seven"]);
}

/// Of several programs, as `--children` asks for: no warning, neither when the pack is made nor
/// when it is read.
#[test]
fn a_recording_of_several_programs_can_be_packed() {
    let Some(stage) = stage() else { return };
    let args = [
        "--children",
        "--pack",
        "run.cgpack",
        "--",
        "sh",
        "-c",
        "./p --trace-children=no; exit 0",
    ];
    let out = record(&stage, &args);
    assert!(
        said(&out).contains("run.cgpack: ") && !said(&out).contains("mixed-inputs"),
        "{}",
        said(&out)
    );
    assert_eq!(written(&stage), ["callgrind.out.PID"; 2]);
    let out = stage.run(&["--format=json", "--strict", "run.cgpack"]);
    let json: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        (&json["warnings"], &said(&out)[..]),
        (&serde_json::json!([]), "")
    );
    // With another profile it is mixed all the same.
    stage.write("other", "cmd: ./other\nevents: Ir\nfn=f\n1 5\n");
    assert!(said(&stage.run(&["run.cgpack", "other"])).contains("[mixed-inputs]"));
}

/// Whole lines, which leave what the program writes as it is.
#[test]
fn on_a_terminal_it_says_how_far_it_is() {
    let Some(stage) = stage() else { return };
    let command = stage.command(&["record", "--", "./p", "slow"]);
    let (text, success) = crate::annotate::first_screen::on_screen(100, 30, command);
    assert!(success, "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines.contains(&"it begins") && lines.contains(&"it ends"),
        "{text}"
    );
    let at = |begin: &str| {
        lines
            .iter()
            .position(|line| line.starts_with(begin))
            .unwrap_or_else(|| panic!("{begin}: {text}"))
    };
    let told = at("cgannotate: recording for ");
    assert!(at("it begins") < told && told < at("it ends"), "{text}");
    assert!(
        lines[told].ends_with(" Ir so far") || lines[told].ends_with(" s so far"),
        "{text}"
    );
    assert!(
        text.contains("Ir self") && text.contains("work"),
        "the first screen follows: {text}"
    );
}

/// `record --name` twice, then `diff`: each name stands for its newest run.
#[test]
fn a_name_means_its_newest_run() {
    let Some(stage) = stage() else { return };
    for name in ["before", "before", "after"] {
        let args = if name == "after" {
            &["--name", name, "--", "./p", "fork"][..]
        } else {
            &["--name", name, "--", "./p"]
        };
        assert!(record(&stage, args).status.success());
    }
    let wanted = [
        "after.1.PID",
        "after.1.PID.forked",
        "before.1.PID",
        "before.2.PID",
    ];
    assert_eq!(
        written(&stage),
        wanted.map(|name| format!("callgrind.out.{name}"))
    );
    let out = stage.run(&["diff", "before", "after", LISTED]);
    assert!(out.status.success(), "{}", said(&out));
    let read = without_process(&said(&out));
    assert!(
        read.contains("reading callgrind.out.before.2.PID, of the newest run called before"),
        "{read}"
    );
    assert!(
        read.contains("reading callgrind.out.after.1.PID, of the newest run called after"),
        "{read}"
    );
    // A file of that name wins.
    fs::copy(first(&stage, "before.1."), stage.dir.join("after")).unwrap();
    let out = stage.run(&["diff", "before", "after", LISTED]);
    assert!(!said(&out).contains("called after"), "{}", said(&out));
}

fn first(stage: &Stage, part: &str) -> std::path::PathBuf {
    let mut files = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .find(|path| path.to_str().unwrap().contains(part))
        .unwrap()
}

#[test]
fn label_and_commit_stand_in_the_profile() {
    let Some(stage) = stage() else { return };
    let git = |args: &[&str]| {
        let name = ["-c", "user.name=a", "-c", "user.email=a@b"];
        Command::new("git")
            .args(name)
            .args(args)
            .current_dir(&stage.dir)
            .output()
            .is_ok_and(|out| out.status.success())
    };
    let has_git = git(&["init", "-q"]) && git(&["add", "p.c"]) && git(&["commit", "-qm", "one"]);
    assert!(
        record(&stage, &["--label", "with -O1", "-o", "run", "--", "./p"])
            .status
            .success()
    );
    let text = fs::read_to_string(first(&stage, "run.")).unwrap();
    assert!(
        text.contains("\ndesc: Label: with -O1\n"),
        "{}",
        &text[..200]
    );
    assert!(
        !has_git || text.contains("\ndesc: Commit: "),
        "{}",
        &text[..200]
    );
    let again = stage.report(&[
        "--format=json",
        first(&stage, "run.").to_str().unwrap(),
        LISTED,
    ]);
    assert!(
        again.contains("\"warnings\":[]") || again.contains("\"warnings\": []"),
        "{}",
        &again[..400]
    );
}

#[test]
fn a_dry_run_prints_a_command_that_works() {
    let Some(stage) = stage() else { return };
    let args = [
        "--dry-run",
        "--valgrind=--separate-callers=2",
        "--threads",
        "--valgrind=--dump-instr=no",
        "-o",
        "a 100% run",
        "--",
        "./p",
        "a 'word'",
    ];
    let line = stage.report(&[&["record"], &args[..]].concat());
    assert!(
        line.contains("--separate-callers=2") && line.ends_with("-- ./p 'a '\\''word'\\'''\n"),
        "{line}"
    );
    assert!(written(&stage).is_empty());
    let ran = Command::new("sh")
        .arg("-c")
        .arg(&line)
        .current_dir(&stage.dir)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", said(&ran));
    let names: Vec<String> = fs::read_dir(&stage.dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().any(|name| name.starts_with("a 100% run.")),
        "{names:?}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_told_before_the_run() {
    let Some(stage) = stage() else { return };
    let out = record(&stage, &["-o", "no/such/folder", "--", "./p"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(
        out.stdout.is_empty() && said(&out).contains("no such folder"),
        "{}",
        said(&out)
    );
}

#[test]
fn threads_have_files_that_are_read_together() {
    let Some(stage) = stage() else { return };
    let code = "#include <pthread.h>\nstatic void *t(void *p) { for (volatile int i = 0; i < 10000; i++); return p; }\n\
                int main(void) { pthread_t a; pthread_create(&a, 0, t, 0); pthread_join(a, 0); return 0; }\n";
    stage.write("t.c", code);
    compile(&stage, &["-g", "-pthread", "-o", "t", "t.c"]);
    let out = record(&stage, &["--threads", "--", "./t"]);
    assert_eq!(
        written(&stage),
        ["callgrind.out.PID-01", "callgrind.out.PID-02"]
    );
    assert!(
        !said(&out).contains("empty") && said(&out).matches("callgrind.out.").count() == 2,
        "{}",
        said(&out)
    );
}

/// A package of its own, built by the cargo that runs this test.
#[test]
fn cargo_builds_what_is_recorded() {
    let Some(stage) = stage() else { return };
    let manifest =
        "[package]\nname = \"small\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    stage.add("c/Cargo.toml", manifest).add(
        "c/src/main.rs",
        "fn main() { println!(\"{:?}\", std::env::args().skip(1).collect::<Vec<_>>()); }\n",
    );
    stage
        .add("c/examples/one.rs", "fn main() {}\n")
        .add("c/examples/two.rs", "fn main() {}\n");
    let dir = stage.dir.join("c");
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cgannotate"));
        command
            .arg("record")
            .args(args)
            .current_dir(&dir)
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap()
    };
    let out = run(&["--cargo", "run", "--", "a", "b"]);
    assert!(
        out.status.success() && String::from_utf8_lossy(&out.stdout).contains("[\"a\", \"b\"]"),
        "{}",
        said(&out)
    );
    assert!(said(&out).contains(" Ir in "), "{}", said(&out));
    let out = run(&["--cargo", "example"]);
    assert!(
        said(&out).contains("cargo built several programs\nhint: name one of"),
        "{}",
        said(&out)
    );
    // The program's own bench is none that anybody wrote.
    let bench = "\n[[bench]]\nname = \"only\"\nharness = false\n";
    stage
        .add("c/Cargo.toml", format!("{manifest}{bench}"))
        .add("c/benches/only.rs", "fn main() { println!(\"only\"); }\n");
    let out = run(&["--cargo", "bench"]);
    assert!(
        out.status.success() && String::from_utf8_lossy(&out.stdout) == "only\n",
        "{}",
        said(&out)
    );
    // A test of the program's name, which has the program built, too.
    stage.add(
        "c/tests/small.rs",
        "#[test]\nfn passes() { println!(\"{}\", env!(\"CARGO_BIN_EXE_small\")); }\n",
    );
    let out = run(&["--cargo", "test", "small"]);
    assert!(
        out.status.success() && String::from_utf8_lossy(&out.stdout).contains("1 passed"),
        "{}",
        said(&out)
    );
    let out = run(&["--cargo", "example", "two"]);
    assert!(out.status.success(), "{}", said(&out));
    assert!(fs::read_dir(Path::new(&dir)).unwrap().count() > 2);
}

/// `leaf` and `deep` are below two callers of `m`, of which the names have only the first caller.
/// The stand-in writes the same names for two callers, so then no name ends there.
#[test]
fn an_earlier_profile_says_how_many_callers_are_recorded() {
    let of = |f: &str, calls: &str, cost: u32| {
        format!("fn={f}\n1 0\ncfn={calls}\ncalls=1 1\n2 {cost}\n")
    };
    let functions = [
        of("main", "a", 60),
        of("main", "b", 40),
        of("a", "m'a", 60),
        of("b", "m'b", 40),
        of("m'a", "leaf'm", 60),
        of("m'b", "leaf'm", 40),
        of("leaf'm", "deep'leaf", 50),
    ];
    let profile = format!(
        "pid: 1\ncmd:  /bin/true x\nevents: Ir\nfl=x.c\n{}fn=leaf'm\n3 50\nfn=deep'leaf\n4 50\n",
        functions.concat()
    );
    let quoted = profile.replace('\'', "'\\''");
    let log = ["Command: /bin/true", "Collected : 100"];
    let (stage, path) = stage_with_logs(&[("$$", &log, &quoted)]);
    let stacks = |args: &[&str]| {
        let args = [&["record"], args].concat();
        let out = stage.command(&args).env("PATH", &path).output().unwrap();
        let said = said(&out);
        let line = said
            .lines()
            .find_map(|line| line.strip_prefix("cgannotate: --stacks="));
        line.unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    let program = ["--", "/bin/true", "x"];
    assert_eq!(
        stacks(&[&["--stacks=1"], &program[..]].concat()),
        "1: the stacks of 20.0 % of the self cost are certain, in 0.0 MB; --stacks=2 can add up to 80.0 %"
    );
    // A newer profile of another command says nothing.
    stage.write("callgrind.out.2", profile.replace("true x", "true y"));
    for _ in 0..2 {
        assert_eq!(
            stacks(&[&["--stacks"], &program[..]].concat()),
            "2: the stacks of 20.0 % of the self cost are certain, in 0.0 MB; more callers can add less than 1 %"
        );
    }
    assert!(stacks(&["--stacks", "--", "/bin/false"]).starts_with("5: "));
}

/// Why cargo has nothing to run, as it says that itself.
#[test]
fn what_cargo_does_not_build_is_said() {
    let built = |name: &str| {
        format!(
            "{{\"reason\":\"compiler-artifact\",\"target\":{{\"kind\":[\"bin\"],\"name\":\"{name}\"}},\
             \"profile\":{{\"test\":false}},\"executable\":\"/{name}\"}}"
        )
    };
    for (script, words) in [
        ("exit 101".to_owned(), "cargo could not build it"),
        ("exit 0".to_owned(), "cargo built no program of this kind"),
        (
            format!("echo '{}'\necho '{}'", built("a"), built("b")),
            "cargo built several programs\nhint: name one of a, b",
        ),
    ] {
        let (stage, path) = stage_with_logs(&[]);
        stage.write("cargo", format!("#!/bin/sh\n{script}\n"));
        let is_run = fs::Permissions::from_mode(0o755);
        fs::set_permissions(stage.dir.join("cargo"), is_run).unwrap();
        let mut command = stage.command(&["record", "--cargo", "run"]);
        let out = command
            .env("PATH", &path)
            .env("CARGO", stage.dir.join("cargo"));
        let out = out.output().unwrap();
        assert!(said(&out).contains(words), "{words}: {}", said(&out));
        assert_eq!(out.status.code(), Some(1));
    }
}
