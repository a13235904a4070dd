//! Every option of every command has an effect, or is refused: `options.txt` has a line for each.

use crate::annotate::first_screen::{on_screen, terminal};
use crate::common::{Stage, fixture, fixtures, gzip};
use crate::explore::emulator::Emulator;
use clap::CommandFactory;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TABLE: &str = include_str!("options.txt");

/// A line: of which command, its option with a value, and how that shows.
struct Line {
    command: &'static str,
    option: &'static str,
    shown: Shown,
}

enum Shown {
    /// By what else is on the command line.
    By(Vec<&'static str>),
    /// By tests of this file or folder.
    Elsewhere(&'static str),
}

fn table() -> Vec<Line> {
    let lines = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line: &'static str| {
        let (command, rest) = line.split_once(' ').unwrap();
        match rest.split_once(" ~ ") {
            Some((option, place)) => Line {
                command,
                option,
                shown: Shown::Elsewhere(place),
            },
            None => {
                // An option may have a bar in its value.
                let (option, rest) = rest.split_once(" |").unwrap_or_else(|| panic!("{line}"));
                Line {
                    command,
                    option,
                    shown: Shown::By(rest.split_whitespace().collect()),
                }
            }
        }
    };
    lines.map(line).collect()
}

/// A line that is missing is an option that nobody has seen doing anything; one too many is of an
/// option that is gone.
#[test]
fn every_option_of_every_command_has_a_line() {
    let program = cgannotate::cli::Cli::command();
    let options = |command: &clap::Command, name: &str| {
        let all = command
            .get_arguments()
            .filter(|argument| !argument.is_positional());
        let longs = all
            .filter_map(|argument| argument.get_long())
            .filter(|long| !["help", "version"].contains(long));
        longs
            .map(|long| (name.to_owned(), format!("--{long}")))
            .collect::<Vec<_>>()
    };
    let mut defined: BTreeSet<(String, String)> =
        options(&program, "annotate").into_iter().collect();
    for command in program.get_subcommands() {
        defined.extend(options(command, command.get_name()));
    }
    let mut lines = BTreeSet::new();
    for Line {
        command, option, ..
    } in table()
    {
        let name = option.split('=').next().unwrap();
        assert!(
            lines.insert((command.to_owned(), name.to_owned())),
            "{command} {name} is there twice"
        );
    }
    let lacking: Vec<_> = defined.difference(&lines).collect();
    let more: Vec<_> = lines.difference(&defined).collect();
    assert!(
        lacking.is_empty() && more.is_empty(),
        "lacking: {lacking:?}; too many: {more:?}"
    );
}

/// A run with recursion, library code, three files and a long name.
fn profile(factor: u64, work: &str, extra: u64) -> String {
    let long = "a_name_that_is_long<with, arguments, that, are, long, enough, for, a, screen, of, eighty, columns>(int)";
    let body = format!(
        "version: 1\ncreator: callgrind-3.19.0\ncmd: ./x\npositions: line\nevents: Ir Dr\nob=/home/me/x\nfl=a.c\nfn=main\n\
         1 {} 3\ncfn={work}\ncalls=2 3\n2 {} 40\ncob=/usr/lib/libc.so.6\ncfi=lib.c\ncfn=malloc\ncalls=1 1\n5 {} 5\n\
         fn={work}\n3 {} 10\ncfn={work}'2\ncalls=1 3\n4 {} 20\ncfi=b.c\ncfn=A::run(int)\ncalls=1 1\n4 60 10\n\
         fn={work}'2\n3 {} 20\nfl=b.c\nfn=A::run(int)\n1 60 10\nfn={long}\n9 {extra} 10\n\
         ob=/usr/lib/libc.so.6\nfl=lib.c\nfn=malloc\n1 {} 5\n",
        100 * factor,
        300 * factor,
        30 * factor,
        90 * factor,
        150 * factor,
        150 * factor,
        30 * factor
    );
    format!("{body}totals: {} 58\n", 370 * factor + 60 + extra)
}

fn stage() -> Stage {
    let stage = Stage::of("pack");
    for (name, text) in [
        ("p", profile(1, "work", 77)),
        ("q", profile(2, "work", 99)),
        ("q2", profile(3, "work", 77)),
        ("r", profile(1, "work.constprop.0", 77)),
        ("c", profile(1, "work'main", 77)),
        ("c2", profile(2, "work'main", 77)),
        ("a.c", "a line of a;\n".repeat(40)),
        ("b.c", "int b;\n".repeat(20)),
        ("s", "events: Ir\nfl=/elsewhere/s.c\nfn=main\n3 10\n".into()),
        ("s2", "events: Ir\nfl=/elsewhere/s.c\nfn=main\n3 20\n".into()),
        ("g", "events: Ir\nfl=/gone/s.c\nfn=main\n3 10\n".into()),
        ("g2", "events: Ir\nfl=/gone/s.c\nfn=main\n3 20\n".into()),
        ("t", "version: 1\npid: 1\npart: 1\nevents: Ir\nfn=f\n1 10\n\npart: 2\nevents: Ir\nfn=f\n1 20\n".into()),
        (
            "x",
            "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /s/r.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n\
             fl=(1) a.php\nfn=(1) {main}\n1 100000\n\nsummary: 100000\n\n"
                .into(),
        ),
        ("w", "events: Ir\nfn=f\n1 10\nthis is nothing\n".into()),
        ("cut", "version: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd: ./x\npart: 1\ndesc: I1 cache:\npositions: line\nevents: Ir\nsummary: 30\n\nfl=a.c\nfn=main\n1 10\n2 1".into()),
        ("odd", "hello\nevents: Ir\nfn=f\n1 10\n".into()),
        ("odd2", "hello\nevents: Ir\nfn=f\n1 20\n".into()),
        ("limits.toml", "[[limit]]\nexpression = \"total.Ir <= 1\"\n".into()),
    ] {
        stage.write(name, text);
    }
    stage.add("src/s.c", "int s;\n".repeat(9));
    // Its source is beside it, where only a search looks.
    stage
        .add("below/b", "events: Ir\nfl=beside.c\nfn=main\n3 10\n")
        .add("below/b2", "events: Ir\nfl=beside.c\nfn=main\n3 20\n")
        .add("below/beside.c", "int b;\n".repeat(9));
    stage.write(
        "big.gz",
        gzip(format!("{}# {}\n", profile(1, "work", 77), "#".repeat(2_300_000)).as_bytes()),
    );
    for run in 0..12 {
        stage.add(
            &format!("h/callgrind.out.{run}"),
            profile(1, "work", 70 + run),
        );
    }
    for name in ["i", "i2"] {
        stage.write(
            name,
            fs::read(fixture("instr/inventory.instr-jumps.out")).unwrap(),
        );
    }
    // Keeps its arguments, but for the folder that is another one in every run, and writes a
    // profile.
    stage.add(
        "bin/valgrind",
        "#!/bin/sh\ncase $1 in --version) echo valgrind-3.19.0; exit;; esac\nfor word; do case $word in\n\
         --callgrind-out-file=*) out=${word#*=};;\n--log-file=*) log=${word#*=};;\n*) echo \"$word\" >>seen;;\nesac; done\n\
         sed 's/^version: 1/&\\npid: 77/' p >\"$(echo \"$out\" | sed s/%p/77/)\"\n: >\"$(echo \"$log\" | sed s/%p/77/)\"\n",
    );
    stage.add("run", "#!/bin/sh\n");
    for program in ["bin/valgrind", "run"] {
        fs::set_permissions(stage.dir.join(program), fs::Permissions::from_mode(0o755)).unwrap();
    }
    stage
}

/// What a command does: its status, what it prints and says, and the files that it writes, which
/// are taken away again.
fn done(
    stage: &Stage,
    command: &str,
    words: &[&str],
) -> (Option<i32>, String, String, BTreeMap<String, Vec<u8>>) {
    let is_on_terminal = words.contains(&"tty");
    let keys = words.iter().find_map(|word| word.strip_prefix("keys:"));
    let words: Vec<&str> = Some(command)
        .filter(|name| *name != "annotate")
        .into_iter()
        .chain(words.iter().copied())
        .collect();
    let words: Vec<&str> = words
        .into_iter()
        .filter(|word| *word != "tty" && !word.starts_with("keys:"))
        .collect();
    let names = || {
        fs::read_dir(&stage.dir)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect::<BTreeSet<_>>()
    };
    let before = names();
    let mut program = stage.command(&words);
    program
        .env("CGANNOTATE_PAGER", "sed s/^/paged/")
        .env("PAGER", "cat");
    if command == "record" {
        let path = std::env::var("PATH").unwrap();
        program.env(
            "PATH",
            format!("{}:{path}", stage.dir.join("bin").display()),
        );
    }
    let (status, out, err) = if let Some(keys) = keys {
        let (status, text) = after_keys(program, keys);
        (status, text, String::new())
    } else if is_on_terminal {
        let (text, success) = on_screen(80, 40, program);
        (Some(i32::from(!success)), text, String::new())
    } else {
        let out = program.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    // How long a recording took is another time each time.
    let seconds = Regex::new(r"in [0-9]+[.][0-9] s").unwrap();
    let [out, err] = [out, err].map(|text| seconds.replace_all(&text, "in some s").into_owned());
    let mut files = BTreeMap::new();
    for new in names().difference(&before) {
        take(new, &mut files);
    }
    (status, out, err, files)
}

/// What the screen shows when these keys were pressed, and the status when it was ended. A program
/// that ends by itself leaves what it said.
pub fn after_keys(mut command: Command, keys: &str) -> (Option<i32>, String) {
    let size = (100, 30);
    let (master, open) = terminal(size.0, size.1, &mut command);
    let kept = open();
    let mut child = command
        .stdin(open())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    let (mut typed, shown) = (File::from(master), Arc::new(Mutex::new(Vec::new())));
    let (mut reads, sees) = (typed.try_clone().unwrap(), shown.clone());
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = reads.read(&mut bytes) {
            sees.lock().unwrap().extend_from_slice(&bytes[..count]);
        }
    });
    let mut is_still = || {
        let (mut before, mut since) = (0, Instant::now());
        while since.elapsed() < Duration::from_millis(300) {
            std::thread::sleep(Duration::from_millis(20));
            let now = shown.lock().unwrap().len();
            let is_gone = child.try_wait().unwrap().is_some();
            if now != before || !is_gone && (now == 0 || !is_asleep(child.id())) {
                (before, since) = (now, Instant::now());
            }
        }
    };
    is_still();
    for key in keys.bytes() {
        typed.write_all(&[key]).unwrap();
        is_still();
    }
    let bytes = shown.lock().unwrap().clone();
    typed.write_all(b"q").unwrap();
    let end = Instant::now() + Duration::from_secs(120);
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status.code(),
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            None => {
                child.kill().unwrap();
                panic!("{command:?} does not end");
            }
        }
    };
    drop(kept);
    let text = String::from_utf8(bytes).unwrap();
    // After what takes the terminal.
    match text.split_once("\x1b[?25l") {
        Some((_, drawn)) => {
            let mut screen = Emulator::new(size);
            screen.take(drawn.as_bytes());
            let lines: Vec<String> = (0..size.1).map(|y| screen.line(usize::from(y))).collect();
            let looks = screen
                .cells
                .iter()
                .flatten()
                .filter(|cell| cell.has_look())
                .count();
            (
                status,
                format!("{}\n{looks} cells have a look", lines.join("\n")),
            )
        }
        None => (status, text),
    }
}

/// Whether all threads of a process wait for something; one that only waits for a processor does
/// not.
fn is_asleep(process: u32) -> bool {
    let tasks = fs::read_dir(format!("/proc/{process}/task"))
        .into_iter()
        .flatten();
    let state = |stat: String| Some(stat.rsplit_once(") ")?.1.starts_with('S'));
    tasks.flatten().all(|task| {
        let stat = fs::read_to_string(task.path().join("stat"));
        stat.ok().and_then(state).unwrap_or(true)
    })
}

fn take(path: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    if path.is_dir() {
        fs::read_dir(path)
            .unwrap()
            .for_each(|entry| take(&entry.unwrap().path(), files));
        fs::remove_dir(path).unwrap();
    } else {
        files.insert(path.to_string_lossy().into_owned(), fs::read(path).unwrap());
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn every_option_changes_something_or_is_refused() {
    let stage = stage();
    let mut without = BTreeMap::new();
    let mut wrong = Vec::new();
    for Line {
        command,
        option,
        shown,
    } in table()
    {
        let words = match shown {
            Shown::By(words) => words,
            Shown::Elsewhere(place) => {
                let test = fs::read_to_string(fixtures().join("../tests/it").join(place)).unwrap();
                let name = option.split('=').next().unwrap();
                assert!(test.contains(&format!("\"{name}")), "{place} has no {name}");
                continue;
            }
        };
        let expected = ["refused", "said"]
            .into_iter()
            .find(|word| words.contains(word));
        let expected = expected.unwrap_or_default();
        let words: Vec<&str> = words.into_iter().filter(|word| *word != expected).collect();
        let with: Vec<&str> = [option].into_iter().chain(words.iter().copied()).collect();
        let with = done(&stage, command, &with);
        let without = without.entry((command, words.clone())).or_insert_with(|| {
            let once = done(&stage, command, &words);
            // What is another thing each time would differ with any option.
            if ["record", "explore"].contains(&command) {
                assert_eq!(once, done(&stage, command, &words), "{command} {words:?}");
            }
            once
        });
        // What is refused says so; nothing ends otherwise.
        let (status, out, said, files) = &with;
        let leaves = (status, out, files);
        let effect = match () {
            () if *status == Some(2) => "refused",
            () if leaves != (&without.0, &without.1, &without.3) => "",
            () if with != *without => "said",
            () => "nothing",
        };
        if effect != expected {
            wrong.push(format!(
                "{command} {option} {words:?}: {effect:?}, not {expected:?}"
            ));
        }
        assert!(
            matches!(status, Some(0..=4)),
            "{command} {option}: {with:?}"
        );
        assert!(
            *status != Some(2) || said.starts_with("cgannotate: "),
            "{command} {option}: {said}"
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Every option of callgrind_annotate is taken in each of its spellings, and means what it does
/// there.
#[test]
fn the_options_of_the_original_are_taken() {
    let stage = stage();
    for option in [
        &["--show=Dr,Ir"][..],
        &["--show", "Dr,Ir"],
        &["--sort=Dr:90,Ir:50"],
        &["--sort", "Dr"],
        &["--threshold=0"],
        &["--threshold=100"],
        &["--threshold", "99"],
        &["--show-percs=yes"],
        &["--show-percs=no"],
        &["--auto=yes"],
        &["--auto=no"],
        &["--auto", "no"],
        &["--context=0"],
        &["--context", "8"],
        &["--inclusive=yes"],
        &["--inclusive"],
        &["--inclusive=no"],
        &["--tree=none"],
        &["--tree=caller"],
        &["--tree=calling"],
        &["--tree=both"],
        &["--tree"],
        &["--tree", "both"],
        &["-I", "src"],
        &["-Isrc"],
        &["-I=src"],
        &["--include=src"],
        &["--include", "src"],
    ] {
        for before in [&[][..], &["--compat"]] {
            let text = stage.report(&[before, option, &["p"]].concat());
            assert!(text.contains("PROGRAM TOTALS"), "{option:?}: {text}");
        }
    }
    // A word behind is a value only if it is one of those that there are.
    let named = |args: &[&str]| stage.report(&[&["--auto=no"], args].concat());
    assert_eq!(
        named(&["--inclusive", "p"]),
        named(&["--inclusive=yes", "p"])
    );
    assert_eq!(named(&["--inclusive", "no", "p"]), named(&["p"]));
    assert_eq!(named(&["--tree", "p"]), named(&["--tree=both", "p"]));
    assert_eq!(named(&["--tree", "none", "p"]), named(&["p"]));
    assert_eq!(named(&["p", "--tree"]), named(&["--tree=both", "p"]));
    for (option, begin) in [
        ("-h", "Annotates "),
        ("--help", "Annotates "),
        ("--version", "cgannotate "),
    ] {
        assert!(stage.report(&[option]).starts_with(begin), "{option}");
    }
}
