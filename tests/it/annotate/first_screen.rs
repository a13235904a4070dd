//! The program on a terminal: a pseudo-terminal of 80 and of 200 columns, and pipes beside it.

use crate::common::amount::ways;
use crate::common::{LISTED, Stage};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};
use unicode_width::UnicodeWidthStr;

/// Stands behind all that a command shows; no command writes it.
const END: u8 = 0;

/// What a command shows on a terminal of this size, and whether it succeeded.
pub fn on_screen(columns: u16, rows: u16, mut command: Command) -> (String, bool) {
    let (master, open) = terminal(columns, rows, &mut command);
    // Kept open until all is read: of a terminal that everybody has closed, the last words can be
    // lost.
    let mut kept = open();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(open())
        .stderr(open())
        .spawn()
        .unwrap();
    let reader = std::thread::spawn(move || until_end(master));
    let success = child.wait().unwrap().success();
    kept.write_all(&[END]).unwrap();
    (
        String::from_utf8(reader.join().unwrap())
            .unwrap()
            .replace("\r\n", "\n"),
        success,
    )
}

/// A terminal of this size for a command: its other end, and what opens it.
pub fn terminal(
    columns: u16,
    rows: u16,
    command: &mut Command,
) -> (OwnedFd, impl Fn() -> File + use<>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(
        &master,
        Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        },
    )
    .unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    command
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("LESS");
    (master, move || {
        File::options().read(true).write(true).open(&name).unwrap()
    })
}

fn until_end(master: OwnedFd) -> Vec<u8> {
    let mut shown = Vec::new();
    BufReader::new(File::from(master))
        .read_until(END, &mut shown)
        .unwrap();
    assert_eq!(shown.pop(), Some(END));
    shown
}

/// Without escape codes for colours; other ones stay.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\x1b[") {
        out += before;
        let end = after
            .find(|c: char| !c.is_ascii_digit() && c != ';')
            .unwrap();
        rest = match after[end..].strip_prefix('m') {
            Some(rest) => rest,
            None => panic!("not a colour: {:?}", &after[..end + 1]),
        };
    }
    out + rest
}

const PROFILES: [(&str, &str); 5] = [
    ("cxx", "inventory.out"),
    ("rust", "balls.out"),
    ("shapes", "shapes.plain.out"),
    ("cache", "matrix.cachebranch.toggle.out"),
    ("callers", "inventory.mangled.toggle.out"),
];

#[test]
fn no_line_is_longer_than_the_screen() {
    let pages = [
        &["--auto=yes"][..],
        &["--auto=yes", "--tree=both", "--inclusive=yes"],
        &["--by=file"],
        &["--by=class"],
        &["--zoom=.", "--depth=3"],
        &[],
    ];
    for (at, (fixture, file)) in PROFILES.into_iter().enumerate() {
        let stage = Stage::of(fixture);
        for (page, args) in pages.into_iter().enumerate() {
            for columns in ways(at + page, &[80, 200]) {
                let all: Vec<&str> = args
                    .iter()
                    .copied()
                    .chain([LISTED, "--paging=never", file])
                    .collect();
                let (text, success) = on_screen(columns, 24, stage.command(&all));
                assert!(success, "{file} {args:?} {columns}: {text:?}");
                assert!(
                    text.contains("\x1b["),
                    "{file} {args:?} {columns}: no colours in {text:?}"
                );
                let text = plain(&text);
                for line in text
                    .lines()
                    .filter(|line| !line.starts_with("cgannotate: "))
                {
                    assert!(
                        line.width() <= usize::from(columns),
                        "{file} {args:?} {columns}: {line}"
                    );
                }
            }
        }
    }
}

/// Comparisons and limits fit as reports do, and keep their figures.
#[test]
fn comparisons_and_limits_fit_the_screen() {
    let stage = Stage::of("cxx");
    let old = std::fs::read_to_string(stage.dir.join("inventory.out")).unwrap();
    stage.write(
        "new",
        old.replace("\n+1 4", "\n+1 9")
            .replace(" (2x)", "")
            .replace("_M_insert", "_M_insert_into_it"),
    );
    let pages = [
        &["diff", "--paging=never", "inventory.out", "new"][..],
        &[
            "diff",
            "--paging=never",
            "--by=line",
            "inventory.out",
            "new",
        ],
        &[
            "diff",
            "--paging=never",
            "--auto=yes",
            LISTED,
            "--inclusive=yes",
            "inventory.out",
            "new",
        ],
        &[
            "check",
            "--paging=never",
            "inventory.out",
            "--limit=max(self.Ir(/vector|map|string/)) <= 10",
        ],
    ];
    for (at, args) in pages.into_iter().enumerate() {
        for columns in [vec![80], ways(at, &[120, 200])].concat() {
            let (text, _) = on_screen(columns, 24, stage.command(args));
            assert!(text.contains("\x1b["), "colours are on: {text}");
            let text = plain(&text);
            assert!(text.lines().count() > 4, "{text}");
            for line in text
                .lines()
                .filter(|line| !line.starts_with("cgannotate: "))
            {
                assert!(
                    line.width() <= usize::from(columns),
                    "{args:?} {columns}: {line}"
                );
                let figures = line.contains(" → ") || line.contains(" -> ");
                assert!(!figures || !line.ends_with('…'), "figures are cut: {line}");
            }
        }
    }
    let (_, success) = on_screen(
        80,
        24,
        stage.command(&[
            "diff",
            "--format=json",
            "--paging=never",
            "inventory.out",
            "new",
        ]),
    );
    assert!(success);
    let mut paged = stage.command(&["diff", "--threshold=100", "inventory.out", "new"]);
    paged.env("CGANNOTATE_PAGER", "head -n 2");
    let (text, success) = on_screen(80, 5, paged);
    assert!(
        success && text.contains("old → new") && !text.contains("PROGRAM TOTALS"),
        "{text}"
    );
    let (narrow, _) = on_screen(
        40,
        24,
        stage.command(&["diff", "--paging=never", "inventory.out", "new"]),
    );
    assert!(narrow.contains('…'), "{narrow}");
    // A pipe has names in full and no colours.
    let pipe = String::from_utf8(stage.run(&["diff", "inventory.out", "new"]).stdout).unwrap();
    assert!(!pipe.contains('\x1b') && !pipe.contains('…'), "{pipe}");
}

/// What a program is to read is whole, though somebody looks at it.
#[test]
fn documents_are_not_cut() {
    let stage = Stage::of("cxx");
    for args in [&["--format=json"][..], &["--format=csv"]] {
        let all = [args, &["--paging=never", "--color=never", "inventory.out"]].concat();
        let (text, success) = on_screen(80, 24, stage.command(&all));
        assert!(success && !text.contains('…'), "{text}");
        assert!(text.lines().any(|line| line.width() > 200), "{text}");
    }
}

#[test]
fn colours_change_nothing_else() {
    for (fixture, file) in PROFILES {
        let stage = Stage::of(fixture);
        let args = ["--tree=both", "--inclusive=yes", LISTED, file];
        let without = stage.report(&args);
        assert!(!without.contains('\x1b'));
        let with = stage.report(&[&args[..], &["--color=always"]].concat());
        assert!(with.contains("\x1b[1m"), "headings are bold");
        assert_eq!(plain(&with), without, "{file}");
    }
}

/// <https://no-color.org> and <https://bixense.com/clicolors>.
#[test]
fn colours_are_where_they_are_wanted() {
    let stage = Stage::of("toggle");
    let command = |args: &[&str]| {
        stage.command(&[args, &["--auto=no", "--paging=never", "phases.toggle.out"]].concat())
    };
    let shows = |command: Command| on_screen(80, 24, command).0.contains('\x1b');
    assert!(shows(command(&[])));
    assert!(!shows(command(&["--color=never"])));
    let mut dumb = Command::new("env");
    dumb.args([
        "TERM=dumb",
        env!("CARGO_BIN_EXE_cgannotate"),
        "--auto=no",
        "--paging=never",
        "phases.toggle.out",
    ])
    .current_dir(&stage.dir);
    assert!(!shows(dumb));
    let mut none = Command::new("env");
    none.args([
        "NO_COLOR=1",
        env!("CARGO_BIN_EXE_cgannotate"),
        "--auto=no",
        "--paging=never",
        "phases.toggle.out",
    ])
    .current_dir(&stage.dir);
    assert!(!shows(none));
    let piped = |force: &str, no: &str| {
        let out = command(&[])
            .env("CLICOLOR_FORCE", force)
            .env("NO_COLOR", no)
            .output()
            .unwrap();
        out.stdout.contains(&0x1b)
    };
    assert!(piped("1", ""));
    assert!(!piped("0", ""));
    assert!(!piped("1", "1"));
}

/// A symbol can be called anything; a terminal must not obey it.
#[test]
fn names_cannot_make_a_terminal_do_anything() {
    let stage = Stage::empty();
    stage.write("p", "version: 1\ncmd: x\x1b]0;title\x07\nevents: Ir\nfl=a\x1b[2J.c\nfn=f\x1b[31m\x08\u{9b}2J\n1 10\n");
    stage.write("a\x1b[2J.c", "int \x1b[2J;\tf\n");
    for args in [&["--auto=yes"][..], &["--zoom=f"], &["--by=function"], &[]] {
        let (text, success) = on_screen(
            80,
            24,
            stage.command(&[args, &[LISTED, "--color=never", "--paging=never", "p"]].concat()),
        );
        assert!(success, "{text}");
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{text:?}"
        );
        assert!(text.contains("f\\x1b[31m\\x08\\x9b2J"), "{text}");
    }
    stage.write("q", "version: 1\ncmd: y\x1b]0;t\x07\nevents: Ir\nfl=a\x1b[2J.c\nfn=f\x1b[31m\x08\u{9b}2J\n1 30\n");
    for args in [
        &["diff", "p", "q"][..],
        &["diff", "--by=line", "p", "q"],
        &["diff", "--auto=yes", LISTED, "p", "q"],
        &["diff", "--format=json", "p", "q"],
        &["diff", "--format=csv", "p", "q"],
        &["check", "q", "--baseline=p", "--limit=self.Ir(/f/) <= +1%"],
        &["check", "q", "--limit=self.Ir(/f/) <= 1", "--report=github"],
        &["--format=csv", "p"],
    ] {
        let (text, _) = on_screen(
            80,
            24,
            stage.command(&[args, &["--color=never", "--paging=never"]].concat()),
        );
        assert!(
            text.contains("f\\x1b[31m") || text.contains("f\\u001b[31m"),
            "{args:?} {text:?}"
        );
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{args:?} {text:?}"
        );
    }
    let pipe = stage.run(&[LISTED, "p"]).stdout;
    assert!(
        pipe.windows(6).any(|bytes| bytes == b"f\x1b[31m"),
        "a pipe has the bytes"
    );
}

/// What is longer than the screen goes through the pager, what is not does not; the pager may be
/// left at once.
#[test]
fn pagers_start_and_are_left() {
    let stage = Stage::of("shapes");
    let run = |pager: &str, args: &[&str]| {
        let mut command = stage.command(&[args, &[LISTED, "shapes.plain.out"]].concat());
        command.env("CGANNOTATE_PAGER", pager).env("PAGER", "false");
        on_screen(80, 40, command)
    };
    let (all, _) = run("cat -n", &["--auto=yes"]);
    assert!(
        all.lines().count() > 60,
        "`cat` with an option is a pager: {all}"
    );
    assert!(
        plain(all.lines().next().unwrap()).starts_with("     1\t"),
        "{all}"
    );
    let (top, success) = run("head -n 3", &["--auto=yes"]);
    assert!(success, "{top}");
    assert_eq!(plain(&top).lines().count(), 3, "it is left quietly: {top}");
    let (short, _) = run("head -n 3", &["--auto=no", "-n", "2"]);
    assert!(short.contains("Ir 457,867"), "{short}");
    let (never, _) = run("head -n 3", &["--auto=yes", "--paging=never"]);
    assert!(never.lines().count() > 60);
    let (missing, success) = run("/nonexistent/pager", &["--auto=yes"]);
    assert!(
        success && missing.contains("the pager cannot be started") && missing.lines().count() > 60,
        "{missing}"
    );
}

#[test]
fn long_names_are_shortened_to_the_terminal() {
    let stage = Stage::of("cxx");
    let args = ["--auto=no", "--paging=never", "inventory.out"];
    let (text, _) = on_screen(80, 24, stage.command(&args));
    assert!(plain(&text).lines().all(|line| line.width() <= 80));
}

/// As found: both functions lost their own names and had their caller's.
#[test]
fn names_with_callers_keep_the_function() {
    let stage = Stage::empty();
    let callers = "'outer::worker(outer::Container<long>&, int)'outer::deeper::driver_function(int)'main'(below main)";
    let functions = [
        "outer::deeper::Container<long>::push_something(long)",
        "outer::deeper::Container<long>::sum_all()",
    ];
    let [push, sum] = functions.map(|function| format!("{function}{callers}"));
    stage.write(
        "p",
        format!("events: Ir\nfl=a.cc\nfn={push}\n1 90\nfn={sum}\n1 70\n"),
    );
    let list = |columns| {
        plain(
            &on_screen(
                columns,
                24,
                stage.command(&["--auto=no", "--paging=never", "p"]),
            )
            .0,
        )
    };
    let text = list(80);
    for line in [
        "90 (56.25%)  a.cc:outer::deeper::Container<…>::push_something(…)'…::worker(…)'…",
        "70 (43.75%)  a.cc:outer::deeper::Container<…>::sum_all()'outer::worker(…)'…",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
    assert!(list(145).contains(
        "push_something(…)'outer::worker(…)'outer::deeper::driver_function(…)'main'(below main)"
    ));
    assert!(list(250).contains(&push), "{}", list(250));
}

/// Who asks for nothing in particular sees what is hot on one screen, without a pager; the figures
/// are those of the original's report (`fixtures/goldens/shapes`), the line's those of its
/// annotated source.
#[test]
fn the_first_screen_says_what_is_hot() {
    let stage = Stage::of("shapes");
    let look = |columns, rows| {
        let mut command = stage.command(&[LISTED, "shapes.plain.out"]);
        command.env("CGANNOTATE_PAGER", "false");
        let (text, success) = on_screen(columns, rows, command);
        assert!(success, "{text}");
        assert!(plain(&text).lines().count() < usize::from(rows), "{text}");
        plain(&text)
    };
    for (columns, rows) in [(80, 24), (200, 50), (80, 20)] {
        let text = look(columns, rows);
        for piece in [
            "Ir 457,867\n",
            "66,447 (14.51%)",
            "65,237 (14.25%)",
            "--zoom ins ",
        ] {
            assert!(text.contains(piece), "{piece}\n{text}");
        }
        // Less than half of the cost is on lines of own code, so that these show with what libc did
        // for them: the call of qsort with all but the comparisons.
        let line = text
            .lines()
            .find(|line| line.contains("qsort(v, n, sizeof *v, cmp);"))
            .unwrap();
        assert!(
            line.trim_start().starts_with("82,325 (17.98%)") && line.contains("shapes.c:27"),
            "{line}"
        );
        assert!(
            text.contains("\nIr own ") && text.contains(" own line "),
            "{text}"
        );
        if rows < 24 {
            continue;
        }
        let line = text
            .lines()
            .find(|line| line.contains("static long fib(int n)"))
            .unwrap();
        assert!(
            line.trim_start().starts_with("28,605 ( 6.25%)") && line.contains("shapes.c:"),
            "{line}"
        );
    }
    // The classic report is one option away, and in every pipe.
    let (classic, _) = on_screen(
        80,
        24,
        stage.command(&[LISTED, "--auto=no", "--paging=never", "shapes.plain.out"]),
    );
    assert!(plain(&classic).contains("\nProfile data file 'shapes.plain.out'"));
}

/// Xdebug counts time in 10 ns: 60,457 of them are 604.6 µs. A terminal shows that, unless the
/// counts are asked for.
#[test]
fn times_are_shown_as_times() {
    let stage = Stage::of("xdebug");
    let shown = |more: &[&str]| {
        let mut command = stage.command(&["--auto=no", "--paging=never", "app-x353.xdebug"]);
        command.args(more);
        plain(&on_screen(100, 40, command).0)
    };
    assert!(shown(&[]).contains("604.6 µs (53.65%)"), "{}", shown(&[]));
    assert!(
        shown(&["--raw"]).contains("60,457 (53.65%)"),
        "{}",
        shown(&["--raw"])
    );
    // So do the first screen, of 112,681 in all, and that of a webgrind file: webgrind's page has
    // 8,017 us for `fib`.
    let first = |folder: &str, file: &str| {
        let stage = Stage::of(folder);
        plain(&on_screen(100, 40, stage.command(&["--paging=never", file])).0)
    };
    let screen = first("xdebug", "app-x353.xdebug");
    assert!(
        screen.contains("Time 1.127 ms  Memory_(bytes) 462,312"),
        "{screen}"
    );
    let screen = first("webgrind", "app-x320-v7.webgrind");
    assert!(
        screen.contains("986.1 µs (64.56%) 8.017 ms (524.8%)"),
        "{screen}"
    );
}

/// A slow input says how far it is, and what is said is gone when the report begins.
#[test]
fn progress_is_shown_and_goes_away() {
    let stage = Stage::empty();
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_cgannotate");
    command.current_dir(&stage.dir).args([
        "-c",
        "(printf 'events: Ir\nfl=a.c\nfn=f\n1 10\n'; sleep 2; echo '2 5') | \"$0\" --auto=no --color=never - ",
        program,
    ]);
    let (text, success) = on_screen(80, 24, command);
    assert!(success, "{text}");
    let begins = text.find("Ir 15").unwrap();
    let (before, report) = text.split_at(begins);
    assert!(before.contains("\rreading 0 MB"), "{text:?}");
    let last = before.rsplit('\r').nth(1).unwrap();
    assert!(
        last.trim().is_empty() && last.len() >= "reading 0 MB, 0 MB/s".len(),
        "{text:?}"
    );
    assert!(
        before.ends_with('\r') && !report.contains("reading"),
        "{text:?}"
    );
    // In a pipe nobody looks.
    let pipe = Command::new("sh")
        .args([
            "-c",
            "(printf 'events: Ir\nfn=f\n1 10\n'; sleep 1.3) | \"$0\" --auto=no -",
            program,
        ])
        .output()
        .unwrap();
    assert!(pipe.stderr.is_empty(), "{pipe:?}");
}

/// What is not under own code is the dearest row, and nothing to look into.
#[test]
fn commands_are_about_own_functions() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "cmd: ./app\nevents: Ir\nob=/me/app\nfl=own.c\nfn=work\n1 10\nob=/lib/libc.so.6\nfl=lib.c\nfn=start\n1 90\n",
    );
    let mut command = stage.command(&["--own", "p"]);
    command.env("PAGER", "cat");
    let text = plain(&on_screen(80, 24, command).0);
    assert!(
        text.contains("(not under your code)") && text.contains("\ncgannotate --zoom work "),
        "{text}"
    );
}

/// Columns go before names become unreadable, and it is said which.
#[test]
fn names_of_inlined_functions_have_room() {
    let stage = Stage::of("pack");
    let shown = |columns: u16| {
        let command = stage.command(&["--inlined", "--auto=no", "--paging=never", "tiny.cgpack"]);
        let (text, success) = on_screen(columns, 24, command);
        assert!(success, "{text}");
        plain(&text)
    };
    let wide = shown(100);
    assert!(
        wide.contains("self Ir      with inlined Ir inclusive Ir  places  file:function"),
        "{wide}"
    );
    assert!(!wide.contains("no room"), "{wide}");
    for (columns, heading, gone) in [
        (
            64,
            "self Ir      inclusive Ir  places  file:function",
            "with inlined",
        ),
        (
            50,
            "self Ir       places  file:function",
            "with inlined, inclusive",
        ),
    ] {
        let text = shown(columns);
        assert!(
            text.contains(heading) && text.contains(&format!("\nno room for: {gone}\n")),
            "{text}"
        );
        assert!(text.contains("weighed (inlined)"), "{text}");
        assert!(
            text.lines()
                .all(|line| line.width() <= usize::from(columns)),
            "{text}"
        );
    }
}

/// A command that is cut off cannot be typed.
#[test]
fn commands_are_whole() {
    let stage = Stage::of("rust");
    // The debug information of the C library takes seconds to read.
    let text = fs::read_to_string(stage.dir.join("balls.out")).unwrap();
    stage.write("balls.out", text.replace(") /usr/lib/", ") /lib/nowhere/"));
    for columns in [70, 80, 200] {
        let mut command = stage.command(&[LISTED, "balls.out"]);
        command.env("PAGER", "cat");
        let text = plain(&on_screen(columns, 24, command).0);
        let commands: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("cgannotate --"))
            .collect();
        // Much of it is on no line of own code: that one is the fourth.
        assert_eq!(commands.len(), 4, "{text}");
        for line in commands {
            let command = line.split("  #").next().unwrap().trim_end();
            assert!(command.ends_with(" balls.out"), "{line}");
            // They are the same on all screens, and some of them read the C library.
            if columns < 200 {
                continue;
            }
            let mut typed = stage.any(
                "sh",
                &[
                    "-c",
                    &command.replacen("cgannotate", env!("CARGO_BIN_EXE_cgannotate"), 1),
                ],
            );
            assert!(typed.output().unwrap().status.success(), "{line}");
        }
    }
    // The longest of the commands that would find sources.
    let text = plain(
        &on_screen(
            80,
            24,
            stage.command(&["--auto=yes", LISTED, "--paging=never", "balls.out"]),
        )
        .0,
    );
    let (_, cargo) = text.split_once("`RUSTC_BOOTSTRAP=1 cargo fetch").unwrap();
    assert!(
        cargo.starts_with(" --manifest-path $(rustc --print \\\n")
            && cargo.contains("/Cargo.toml`, after rust-src\n"),
        "{cargo}"
    );
}

/// Events, order and filters go on; how many rows there are is for each page to say.
#[test]
fn commands_ask_of_the_same_rows() {
    let stage = Stage::of("cache");
    let suggested = |args: &[&str]| -> Vec<String> {
        let all = [
            args,
            &[LISTED, "--paging=never", "matrix.cachebranch.toggle.out"],
        ]
        .concat();
        let text = plain(&on_screen(200, 40, stage.command(&all)).0);
        let commands = text
            .lines()
            .filter_map(|line| line.strip_prefix("cgannotate --"));
        commands
            .map(|line| line.split_once(" --sources").unwrap().0.to_owned())
            .collect()
    };
    assert_eq!(
        suggested(&[
            "--sort=Dr:50,Ir",
            "--show=Dr,Ir",
            "-n3",
            "--inclusive=yes",
            "--function=^m",
            "--not-object=libc[.]"
        ]),
        [
            "zoom main --show=Dr,Ir --sort=Dr,Ir '--not-object=libc[.]'",
            "by=file --show=Dr,Ir --sort=Dr,Ir '--not-object=libc[.]' '--function=^m'",
            "auto=yes --show=Dr,Ir --sort=Dr,Ir '--not-object=libc[.]' '--function=^m' --inclusive=yes",
        ]
    );
    assert_eq!(
        suggested(&["--show-percs=no"])[1],
        "by=file --show-percs=no"
    );
}

/// What is said of a profile is broken between words, and takes its room from the first screen.
#[test]
fn complaints_fit_the_screen_with_the_report() {
    let stage = Stage::of("interpreter");
    let command = |args: &[&str]| stage.command(&[args, &[LISTED, "perl.out"]].concat());
    let mut first = command(&[]);
    first.env("CGANNOTATE_PAGER", "false");
    let (text, _) = on_screen(80, 24, first);
    let text = plain(&text);
    let said =
        "code of perl without a source file\nhint: install its debug symbols and record again\n";
    assert!(
        text.starts_with("cgannotate: ") && text.contains(said),
        "{text}"
    );
    assert!(
        text.lines().count() < 24 && text.lines().all(|line| line.width() <= 80),
        "{text}"
    );
    // Without sources it does not matter that there are none.
    let (text, _) = on_screen(80, 24, command(&["--auto=no", "--paging=never"]));
    assert!(!text.contains("install its"), "{text}");
}

/// Cachegrind records no calls, so that there is nothing to show in a column of inclusive costs.
#[test]
fn a_first_screen_without_calls_has_self_costs_alone() {
    let screen = |fixture: &str, file: &str, args: &[&str]| {
        let stage = Stage::of(fixture);
        let command = stage.command(&[args, &["--paging=never", LISTED, file]].concat());
        plain(&on_screen(120, 30, command).0)
    };
    let with = screen("shapes", "shapes.plain.out", &[]);
    assert!(
        with.contains("Ir self") && with.contains("inclusive"),
        "{with}"
    );
    for args in [&[][..], &["--show=Ir"]] {
        let without = screen("shapes", "shapes.cg.out", args);
        assert!(
            without.contains("Ir self") && !without.contains("incl"),
            "{without}"
        );
    }
}

/// What lacks a source is named, and who cannot build it is not told to.
#[test]
fn advice_is_about_one_object() {
    let stage = Stage::empty();
    let advice = |objects: &[(&str, &str, u32)]| {
        let mut text = "version: 1\ncreator: callgrind-3.19.0\nevents: Ir\n".to_owned();
        for (object, file, cost) in objects {
            text += &format!("ob={object}\nfl={file}\nfn=f\n1 {cost}\n");
        }
        let total: u32 = objects.iter().map(|(.., cost)| cost).sum();
        stage.write("p", text + &format!("totals: {total}\n"));
        let (screen, _) = on_screen(200, 30, stage.command(&["--paging=never", LISTED, "p"]));
        let mut lines = screen.lines().map(plain).collect::<Vec<_>>();
        lines.retain(|line| line.starts_with("cgannotate: ") || line.starts_with("hint: "));
        lines.join("\n").replacen("cgannotate: ", "", 1)
    };
    let said = advice(&[
        ("/usr/lib/libstdc++.so.6", "???", 40),
        ("/home/me/p", "???", 1),
        ("/home/me/p", "p.c", 59),
    ]);
    let system = "40 % of the cost is code of libstdc++.so.6 without a source file\nhint: install its debug symbols and record again";
    assert_eq!(said, system);
    let own = "71 % of the cost is code of p without a source file\nhint: compile it with -g \
        (Rust: debug = \"line-tables-only\" in the release profile) and record again";
    assert_eq!(
        advice(&[("/home/me/p", "???", 71), ("/bin/sh", "sh.c", 29)]),
        own
    );
    // Nobody builds a toolchain's libraries again.
    let toolchain = "71 % of the cost is code of libLLVM.so without a source file\nhint: its toolchain comes without debug information";
    assert_eq!(
        advice(&[
            (
                "/home/me/.rustup/toolchains/stable/lib/libLLVM.so",
                "???",
                71
            ),
            ("/bin/sh", "sh.c", 29)
        ]),
        toolchain
    );
    assert!(
        advice(&[("/a", "???", 15), ("/b", "???", 15), ("/c", "c.c", 70)]).is_empty(),
        "none has much of the cost"
    );
}

/// Thirteen events would leave no room for names. The totals are those of the original's report.
#[test]
fn many_events_leave_room_for_names() {
    let stage = Stage::of("cache");
    let look = |columns, args: &[&str]| {
        let all = [
            args,
            &[LISTED, "--paging=never", "matrix.cachebranch.toggle.out"],
        ]
        .concat();
        plain(&on_screen(columns, 24, stage.command(&all)).0)
    };
    let list = look(80, &["--auto=no"]);
    // Of thirteen, six fit without their shares; what is missing is said where it is seen.
    assert!(
        list.contains("\n\nIr              Dr     Dw    I1mr D1mr D1mw  file:function\n"),
        "{list}"
    );
    assert!(
        list.ends_with(
            "\nno room for ILmr, DLmr, DLmw, 4 more, % except of Ir; try --show=ILmr,DLmr\n"
        ),
        "{list}"
    );
    assert!(
        list.contains("matrix.c:multiply") || list.contains("matrix.c:main"),
        "{list}"
    );
    assert!(!look(300, &["--auto=no"]).contains("no room"));
    let asked = look(80, &["--auto=no", "--show=Ir,Dr,Dw,I1mr,D1mr"]);
    assert!(
        asked.ends_with("\nno room for % except of Ir; try --show=Dr\n"),
        "they were asked for: {asked}"
    );
    let first = look(80, &[]);
    let totals = stage.report(&[
        "--auto=no",
        "--show-percs=no",
        "matrix.cachebranch.toggle.out",
    ]);
    let totals = totals
        .lines()
        .find(|line| line.ends_with(" PROGRAM TOTALS"))
        .unwrap();
    for count in totals.split_whitespace().take(13) {
        assert!(
            first.contains(&format!(" {count}  ")) || first.contains(&format!(" {count}\n")),
            "{count}\n{first}"
        );
    }
    assert!(first.lines().count() < 24, "{first}");
    let pipe = stage.run(&["--auto=no", "matrix.cachebranch.toggle.out"]);
    assert!(
        pipe.stderr.is_empty()
            && String::from_utf8(pipe.stdout)
                .unwrap()
                .contains("Events shown:     Ir Dr Dw I1mr D1mr")
    );
}

/// A path that has no room is broken as a shell allows; the screen has the lines for it, and no
/// more.
#[test]
fn commands_with_long_paths_can_be_typed() {
    let stage = Stage::of("shapes");
    let profile = std::fs::read(stage.dir.join("shapes.plain.out")).unwrap();
    let short = "a-folder/shapes.plain.out".to_owned();
    let long = format!(
        "{}/shapes.plain.out",
        ["a-folder-with-a-long-name"; 6].join("/")
    );
    for (name, columns, rows) in [
        (&short, 50, 24),
        (&long, 80, 30),
        (&long, 200, 24),
        (&long, 40, 50),
    ] {
        stage.add(name, &profile);
        let mut command = stage.command(&[LISTED, name]);
        command.env("CGANNOTATE_PAGER", "false");
        let text = plain(&on_screen(columns, rows, command).0);
        assert!(
            text.lines().count() < usize::from(rows) && text.contains("ins'2"),
            "{text}"
        );
        assert!(
            text.lines()
                .all(|line| line.width() <= usize::from(columns)),
            "{text}"
        );
        let commands = text.replace("\\\n", "");
        let commands: Vec<&str> = commands
            .lines()
            .filter(|line| line.starts_with("cgannotate --"))
            .collect();
        assert_eq!(commands.len(), 3, "{text}");
        for command in commands {
            let command = command.split("  #").next().unwrap().trim_end();
            assert!(command.ends_with(&format!(" {name}")), "{command}");
            let mut typed = stage.any(
                "sh",
                &[
                    "-c",
                    &command.replacen("cgannotate", env!("CARGO_BIN_EXE_cgannotate"), 1),
                ],
            );
            assert!(typed.output().unwrap().status.success(), "{command}");
        }
    }
}

/// A screen too narrow for all has self costs and names; the figures are those of the original's
/// report.
#[test]
fn narrow_screens_have_names() {
    let stage = Stage::of("shapes");
    stage.add(
        "a-folder-with-a-name/p",
        std::fs::read(stage.dir.join("shapes.plain.out")).unwrap(),
    );
    let mut tiny = stage.command(&[LISTED, "a-folder-with-a-name/p"]);
    tiny.env("CGANNOTATE_PAGER", "false");
    let text = plain(&on_screen(16, 20, tiny).0);
    assert!(
        !text.contains("\ncgannotate") && text.contains("ins'2"),
        "commands do not take all of the screen: {text}"
    );
    for (columns, cost) in [
        (60, "65,237 (14.25%) 144,239 (31.50%)"),
        (40, "65,237 (14.25%)"),
        (20, "65,237"),
    ] {
        let text = plain(
            &on_screen(
                columns,
                24,
                stage.command(&[LISTED, "--paging=never", "shapes.plain.out"]),
            )
            .0,
        );
        let row = text
            .lines()
            .find(|line| line.contains("ins'2"))
            .unwrap_or_else(|| panic!("{text}"));
        assert!(row.trim_start().starts_with(cost), "{text}");
        assert!(
            text.lines()
                .all(|line| line.width() <= usize::from(columns)),
            "{text}"
        );
    }
}

/// `$PAGER` is a shell's text, as for `man` and `git`; where nobody chose one and there is no
/// `less`, none is missed.
#[test]
fn pagers_are_what_shells_take() {
    let stage = Stage::of("shapes");
    let run = |pager: &str| {
        let mut command =
            stage.command(&["--auto=yes", "--color=never", LISTED, "shapes.plain.out"]);
        command
            .env("CGANNOTATE_PAGER", pager)
            .env_remove("LESSCHARSET");
        on_screen(80, 24, command)
    };
    let (text, success) = run("cat | head -n 2 | sed 's/^/> /'");
    assert!(
        success && text.starts_with("> Ir 457,867") && text.lines().count() == 2,
        "{text}"
    );
    assert_eq!(
        run("cat >/dev/null; echo \"$LESS $LESSCHARSET\""),
        ("FRX utf-8\n".to_owned(), true)
    );
    assert_eq!(
        run("WHAT='a b' sh -c 'cat >/dev/null; echo \"$WHAT\"'"),
        ("a b\n".to_owned(), true)
    );
    let mut none = stage.command(&["--auto=yes", "--color=never", LISTED, "shapes.plain.out"]);
    none.env_remove("CGANNOTATE_PAGER")
        .env_remove("PAGER")
        .env("PATH", &stage.dir);
    let (text, success) = on_screen(80, 24, none);
    assert!(
        success && text.starts_with("Ir 457,867") && text.lines().count() > 60,
        "{text}"
    );
}

/// Sources that a comparison lacks are grouped on a screen and listed in a pipe.
#[test]
fn missing_sources_of_a_comparison_are_grouped() {
    let stage = Stage::empty();
    let profile = |cost: u64| {
        let file = |n| format!("fl=/build/x/src/f{n}.c\nfn=g{n}\n1 {cost}\n");
        format!("events: Ir\n{}", (0..4).map(file).collect::<String>())
    };
    stage.write("old", profile(10)).write("new", profile(20));
    let args = ["diff", "--auto=yes", LISTED, "--paging=never", "old", "new"];
    let text = plain(&on_screen(80, 40, stage.command(&args)).0);
    assert!(
        text.contains("  4 files below /build/x/src, as f0.c\n")
            && text.contains("--map /build/x/src="),
        "{text}"
    );
    assert!(!text.contains("\n  /build/x/src/f1.c\n"), "{text}");
    assert!(stage.report(&args).contains("\n  /build/x/src/f1.c\n"));
}

/// A leak report's first events are often zero; the first screen begins with one that is not.
#[test]
fn the_first_screen_is_of_an_event_that_happened() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: RB PB IB\nfl=a.c\nfn=f\n1 0 0 20\nfn=g\n2 0 0 9\n",
    );
    let text = plain(&on_screen(80, 24, stage.command(&["--paging=never", "p"])).0);
    assert!(
        text.contains("\nIB self ") && text.contains("20 (68.97%)"),
        "{text}"
    );
    let asked = plain(&on_screen(80, 24, stage.command(&["--paging=never", "--sort=RB", "p"])).0);
    assert!(asked.contains("\nRB self "), "{asked}");
}

/// What is said of a file that is cut stays on the screen.
#[test]
fn warnings_stay_above_the_first_screen() {
    let stage = Stage::of("shapes");
    let text = std::fs::read(stage.dir.join("shapes.plain.out")).unwrap();
    stage.write("cut", &text[..text.len() * 3 / 4]);
    let (text, success) = on_screen(80, 24, stage.command(&[LISTED, "--paging=never", "cut"]));
    assert!(
        !success && text.contains("the file is truncated after line"),
        "{text}"
    );
    assert!(text.lines().count() < 24, "{text}");
}

/// Instances of one template, and functions of one name, do not look the same in a list.
#[test]
fn names_of_a_list_are_told_apart() {
    let stage = Stage::empty();
    let functions = [
        "Matrix<double> multiply<double>(Matrix<double> const&, Matrix<double> const&)",
        "Matrix<int> multiply<int>(Matrix<int> const&, Matrix<int> const&)",
        "std::vector<int, std::allocator<int> >::push_back(int const&)",
        "f(std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&, int)",
        "f(std::basic_string<char, std::char_traits<char>, std::allocator<char> > const&, double)",
    ];
    let costs: String = functions
        .iter()
        .map(|name| format!("fn={name}\n1 100\n"))
        .collect();
    stage.write(
        "p",
        format!("events: Ir\nob=/tmp/fast\nfl=src/app.cpp\n{costs}"),
    );
    let look = |args: &[&str]| {
        plain(
            &on_screen(
                80,
                24,
                stage.command(&[args, &["--paging=never", "p"]].concat()),
            )
            .0,
        )
    };
    for screen in [look(&[]), look(&["--auto=no"])] {
        for name in [
            "app.cpp:Matrix<double> multiply<double>(…)",
            "app.cpp:Matrix<int> multiply<int>(…)",
            "src/app.cpp:std::vector<…>::push_back(…)",
            " const&, int)\n",
            " const&, double)\n",
        ] {
            assert!(screen.contains(name), "{name}: {screen}");
        }
        assert!(
            screen.lines().all(|line| line.chars().count() <= 80),
            "{screen}"
        );
    }
}

/// A source that was changed after the profile was written may have other lines there.
#[test]
fn lines_of_a_source_that_was_changed_are_marked() {
    let stage = Stage::of("shapes");
    let look = || {
        plain(
            &on_screen(
                80,
                30,
                stage.command(&["--paging=never", "shapes.plain.out"]),
            )
            .0,
        )
    };
    let before = look();
    assert!(
        before.contains("  source\n") && !before.contains('@'),
        "{before}"
    );
    stage.date("shapes.c", SystemTime::now() + Duration::from_secs(3600));
    let after = look();
    assert!(
        after.contains("  source (@ changed since the run)\n"),
        "{after}"
    );
    let marked = |line: &str| line.contains(" shapes.c:") && line.contains("  @ ");
    assert!(
        after.lines().any(marked) && after.lines().all(|line| line.chars().count() <= 80),
        "{after}"
    );
    let without = |text: &str| {
        text.replace("  @ ", "  ")
            .replace(" (@ changed since the run)", "")
    };
    let cut = |text: &str| {
        text.lines()
            .map(|line| line.chars().take(70).collect())
            .collect::<Vec<String>>()
    };
    assert_eq!(
        cut(&without(&after)),
        cut(&before),
        "nothing else is different"
    );
}

/// 10 of 100 are on a line of own code, 85 on lines of a header that was inlined there, 5
/// elsewhere. The first screen says where the 85 are not, and which command tells; a fifth of the
/// totals and less is no matter.
#[test]
fn the_first_screen_says_what_is_on_no_own_line() {
    let stage = Stage::empty();
    let profile = |inlined: u32| {
        format!(
            "cmd: ./a\nevents: Ir\nob=/home/me/a\nfl=own.c\nfn=main\n7 10\nfi=/usr/include/vector\n90 {inlined}\n\
             fe=own.c\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=puts\ncalls=1 1\n8 1\n\
             ob=/lib/libc.so.6\nfl=lib.c\nfn=puts\n1 1\nfn=start\n1 {}\n",
            89 - inlined
        )
    };
    stage.write("p", profile(85));
    stage.write("q", profile(20));
    let look = |args: &[&str]| {
        plain(&on_screen(80, 30, stage.command(&[args, &["--paging=never"]].concat())).0)
    };
    let screen = look(&["p"]);
    assert!(
        screen.contains("\n10 (10.00%) own.c:7   (source not found)\n"),
        "{screen}"
    );
    // Another fact of the same line.
    stage.write("own.c", "short\n");
    let short = look(&["p"]);
    assert!(
        short.contains(" own.c:7   @ (past the end of the file)\n")
            || short.contains(" own.c:7   (past the end of the file)\n"),
        "{short}"
    );
    std::fs::remove_file(stage.dir.join("own.c")).unwrap();
    assert!(
        screen.contains("\n85 (85.00%) (inlined, line unknown)\n"),
        "{screen}"
    );
    // Without addresses, lines alone tell what was inlined, and nothing of whose cost it is.
    assert!(screen.contains("\ncgannotate --inlined p"), "{screen}");
    let own = look(&["--own", "p"]);
    assert!(
        own.contains("\n85 (85.00%) (inlined, line unknown)\n") && !own.contains("--inlined"),
        "{own}"
    );
    // The costs there are own ones, of functions and lines.
    assert_eq!(
        (own.matches("\nIr own ").count(), own.contains("Ir self")),
        (2, false),
        "{own}"
    );
    let lines = profile(85).replace("events: ", "positions: instr line\nevents: ");
    let with_addresses = lines.lines().map(|line| match line.as_bytes()[0] {
        b'0'..=b'9' => format!("0x40 {line}\n"),
        _ => format!("{}\n", line.replace("calls=1 ", "calls=1 0x80 ")),
    });
    stage.write("i", with_addresses.collect::<String>());
    let commands = |screen: String| {
        let lines = screen
            .lines()
            .filter(|line| line.starts_with("cgannotate "))
            .map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let is_asked = |args: &[&str], command: &str| {
        commands(look(args))
            .iter()
            .any(|line| line.starts_with(command))
    };
    assert!(
        is_asked(&["i"], "cgannotate --own --inlined i "),
        "{}",
        look(&["i"])
    );
    let own = look(&["--own", "i"]);
    assert!(
        own.contains("\ninlined code: not known; a: it was not found"),
        "{own}"
    );
    assert!(!is_asked(&["--own", "i"], "cgannotate --inlined"));
    assert!(is_asked(
        &["--own", "--inlined", "i"],
        "cgannotate --by=file --own --inlined i "
    ));
    assert!(!is_asked(
        &["--own", "--inlined", "i"],
        "cgannotate --inlined"
    ));
    // Of a stripped part of the program only the line is not known.
    let stripped = profile(1) + "ob=/home/me/a\nfl=???\nfn=stripped\n0 85\n";
    stage.write("r", stripped);
    let screen = look(&["--own", "r"]);
    assert!(
        screen.contains("\n86 (46.49%) (line unknown)\n"),
        "{screen}"
    );
    assert!(!screen.contains("inlined"), "{screen}");
    let lines = stage.report(&["--own", "--by=line", "r"]);
    assert!(lines.contains("  ???:?:stripped [/home/me/a]\n"), "{lines}");
    assert!(
        lines.contains("  (inlined, line unknown):?:main [/home/me/a]\n"),
        "{lines}"
    );
    // So has main here, but for 1 of 61 that was inlined.
    stage.write("s", profile(1).replace("\n7 10\n", "\n7 10\n0 60\n"));
    let screen = look(&["--own", "s"]);
    assert!(
        screen.contains("\n61 (38.12%) (line unknown)\n"),
        "{screen}"
    );
    let lines = stage.report(&["--own", "--by=line", "s"]);
    assert!(
        lines.contains("  own.c:?:main [/home/me/a]\n") && !lines.contains("inlined"),
        "{lines}"
    );
    let little = look(&["q"]);
    assert!(little.contains(" own line "), "{little}");
    assert!(
        !little.contains("line unknown") && !little.contains("--inlined"),
        "{little}"
    );
}

/// Each run's summary has more than its functions: 7,538 of 23,893 in all. Rows of self costs add
/// up to the totals, also where few of them fit.
#[test]
fn rows_of_the_first_screen_add_up() {
    let stage = Stage::of("xdebug");
    let look = |columns, rows, args: &[&str]| {
        let all = [args, &["--raw", "--paging=never", "append-x320.xdebug"]].concat();
        let text = plain(&on_screen(columns, rows, stage.command(&all)).0);
        assert!(text.lines().count() < usize::from(rows), "{text}");
        text
    };
    let count = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap()
            .replace(',', "")
            .parse::<i64>()
            .unwrap()
    };
    for (columns, rows, args) in [
        (100, 40, &[][..]),
        (100, 12, &[]),
        (40, 9, &[]),
        (100, 40, &["-n", "1"]),
    ] {
        let text = look(columns, rows, args);
        let rows = text
            .lines()
            .skip_while(|line| !line.ends_with(" function"))
            .skip(1);
        let rows: Vec<&str> = rows
            .take_while(|line| !line.is_empty() && !line.ends_with("source"))
            .collect();
        assert!(
            rows.iter().any(|row| row.contains(" (not attributed")),
            "{text}"
        );
        assert_eq!(
            rows.iter().map(|row| count(row)).sum::<i64>(),
            23_893,
            "{text}"
        );
    }
    // Of the memory there is nothing that no function has.
    let stage = Stage::empty();
    for (show, row) in [("A", true), ("B", false), ("A,B", true)] {
        stage.write(
            "p",
            "creator: cgannotate-0.1.0\nevents: A B\nfl=a.c\nfn=f\n1 30 7\nsummary: 20 7\n",
        );
        let show = format!("--show={show}");
        let text = plain(&on_screen(90, 24, stage.command(&[&show, "--paging=never", "p"])).0);
        assert_eq!(
            text.contains("-10 (-50.0%)") && text.contains(" (not attributed to any function)\n"),
            row,
            "{text}"
        );
    }
}

/// A suggestion that a shell takes for something else cannot be typed.
#[test]
fn suggested_events_can_be_typed() {
    let stage = Stage::of("xdebug");
    for (columns, page) in [(40, "--min=0"), (30, "--auto=no")] {
        let args = [page, "--paging=never", "app-x320.xdebug"];
        let text = plain(&on_screen(columns, 40, stage.command(&args)).0);
        let text = text.replace("\n  ", " ").replace('\n', " ");
        let option = text
            .split_once("; try ")
            .unwrap_or_else(|| panic!("{text}"))
            .1
            .split_whitespace()
            .next()
            .unwrap();
        let typed = format!(
            "{} --auto=no {option} app-x320.xdebug",
            env!("CARGO_BIN_EXE_cgannotate")
        );
        let out = stage.any("sh", &["-c", &typed]).output().unwrap();
        assert!(out.status.success(), "{option}: {out:?}");
        let report = String::from_utf8(out.stdout).unwrap();
        assert!(
            report.contains("Events shown:     Memory_(bytes)\n"),
            "{report}"
        );
    }
}

/// A webgrind file says of `fib` that it has 801,708 of 152,752 in all, and says no more. No share
/// is above 100 % without a word.
#[test]
fn a_share_of_more_than_all_has_its_reason() {
    let stage = Stage::of("webgrind");
    let said = |args: &[&str]| {
        let (text, success) = on_screen(
            120,
            40,
            stage.command(&[args, &["--paging=never"]].concat()),
        );
        assert!(success, "{text}");
        plain(&text).replace("\n  ", " ")
    };
    let why = "cgannotate: the inclusive cost of App\\fib is 525 % of the whole: webgrind's format counts recursion again at";
    for args in [
        &["app-x320-v7.webgrind"][..],
        &["--auto=no", "--inclusive=yes", "app-x320-v7.webgrind"],
    ] {
        let text = said(args);
        assert!(text.starts_with(why) && text.contains("(524.8%)"), "{text}");
    }
    for args in [
        &["--auto=no", "app-x320-v7.webgrind"][..],
        &["--zoom=fib", "app-x320-v7.webgrind"],
        &["append-x320-v7-php.webgrind"],
    ] {
        let text = said(args);
        assert!(!text.contains("counts recursion"), "{text}");
    }
    let pipe = stage.run(&["--inclusive=yes", "app-x320-v7.webgrind"]);
    assert!(pipe.stderr.is_empty(), "{pipe:?}");
}

/// Where no lines were recorded, sources say nothing of costs, and why is said.
#[test]
fn profiles_without_lines_say_so() {
    let told = |file: &str| {
        let stage = Stage::of("shapes");
        plain(
            &on_screen(
                100,
                40,
                stage.command(&["--auto=yes", LISTED, "--paging=never", file]),
            )
            .0,
        )
        .contains("no line numbers (--dump-line=no)")
    };
    assert_eq!(
        [
            "shapes.instronly.out",
            "shapes.plain.out",
            "shapes.instr-jumps.out"
        ]
        .map(told),
        [true, false, false]
    );
}
