//! What a terminal shows: which page, whether it fits, with what it begins and how it goes on.

use super::first_screen::{on_screen, plain};
use crate::common::amount::{some, ways};
use crate::common::{LISTED, Stage, fixture};
use unicode_width::UnicodeWidthStr;

/// What a command shows on a terminal of this size, without a pager.
fn shown(stage: &Stage, columns: u16, rows: u16, args: &[&str]) -> String {
    let mut command = stage.command(args);
    command.env("CGANNOTATE_PAGER", "cat");
    let (text, success) = on_screen(columns, rows, command);
    assert!(success, "{args:?}: {text}");
    plain(&text)
}

const CACHE: &str = "matrix.cachebranch.toggle.out";

/// Lines of the table of functions.
fn functions(text: &str) -> usize {
    let table = text
        .lines()
        .skip_while(|line| !line.ends_with(" function"))
        .skip(1);
    table
        .take_while(|line| !line.ends_with(" more functions)") && !line.is_empty())
        .count()
}

/// Loops in loops: a wide screen has room for more of their arrows than a narrow one.
#[test]
fn arrows_side_by_side_are_as_many_as_the_screen_has_room_for() {
    let stage = Stage::empty();
    let row = |at: u64| format!("{:#x} 1 1\n", 0x1000 + 4 * at);
    let jump = |at: u64| {
        format!(
            "jcnd=1/1 {:#x} 1\n{}",
            0x1000 + 4 * (9 - at),
            row(19 - at).replace(" 1 1", " 1")
        )
    };
    let rows: String = (0..20)
        .map(|at| {
            if at < 10 {
                row(at)
            } else {
                jump(19 - at) + &row(at)
            }
        })
        .collect();
    stage.write(
        "p",
        format!("positions: instr line\nevents: Ir\nob=/x\nfl=a.c\nfn=f\n{rows}"),
    );
    for (width, lanes) in [(59, 2), (60, 5), (99, 5), (100, 8)] {
        let page = shown(
            &stage,
            width,
            200,
            &["--zoom=^f$", "--asm", "--auto=no", "p"],
        );
        let heads = page.matches('▶').count();
        assert_eq!(heads, lanes, "{width}: {page}");
    }
}

/// What narrows or orders stays on the first screen; what asks for another page gets it.
#[test]
fn options_that_narrow_or_order_stay_on_the_first_screen() {
    let stage = Stage::of("cache");
    for args in [
        &["--sort=Dr"][..],
        &["--show=Dr"],
        &["--show-percs=no"],
        &["-n", "3"],
        &["--min=1%"],
        &["--inclusive=yes"],
        &["--threshold=90"],
        &["--function=m"],
        &["--not-object=libc"],
        &["--file=matrix", "--fold-recursion"],
    ] {
        let text = shown(&stage, 100, 24, &[args, &[LISTED, CACHE]].concat());
        assert!(
            text.contains(" self") && text.contains("\ncgannotate --by=file "),
            "{args:?}: {text}"
        );
        assert!(text.lines().count() < 24, "{args:?}: {text}");
    }
    for args in [
        "--auto=yes",
        "--auto=no",
        "--tree=both",
        "--zoom=main",
        "--by=file",
        "--split=part",
    ] {
        let text = shown(&stage, 100, 24, &[args, LISTED, CACHE]);
        assert!(!text.contains("cgannotate --by=file"), "{args}: {text}");
    }
    // The figures are those of the list in a pipe.
    let count =
        |args: &[&str]| functions(&shown(&stage, 100, 24, &[args, &[LISTED, CACHE]].concat()));
    assert_eq!(count(&["-n", "3"]), 3);
    assert_eq!(count(&["-n", "50"]), 50, "so many were asked for");
    assert_eq!(
        count(&["--min=8%"]),
        2,
        "main and make have 80.79 % and 8.38 %"
    );
    assert_eq!(count(&["--threshold=80"]), 1);
    assert_eq!(count(&["--function=^ma"]), 4, "main, make, malloc, max");
    let ordered = shown(
        &stage,
        100,
        24,
        &["--inclusive=yes", "--object=/matrix$", LISTED, CACHE],
    );
    assert!(
        ordered.find("(below main)") < ordered.find("matrix.c:main"),
        "{ordered}"
    );
    let narrow = shown(&stage, 100, 24, &["--function=^make$", LISTED, CACHE]);
    assert!(
        narrow.contains("matrix.c:9 ") && !narrow.contains("matrix.c:22"),
        "lines of others: {narrow}"
    );
}

/// The totals of the fixture: 65 and 44, all of which `main` and what it calls have.
#[test]
fn events_that_are_asked_for_are_in_the_tables() {
    let stage = Stage::of("cache");
    let wide = shown(&stage, 80, 40, &["--show=D1mr,DLmr", LISTED, CACHE]);
    assert!(
        wide.contains("\nD1mr self   DLmr self   D1mr incl.  DLmr incl.   function\n"),
        "{wide}"
    );
    assert!(
        wide.contains("\n21 (32.31%)  9 (20.45%)"),
        "the dearest by D1mr comes first: {wide}"
    );
    assert!(wide.contains(" 65 (100.0%) 44 (100.0%) "), "{wide}");
    let narrow = shown(&stage, 45, 24, &["--show=D1mr,DLmr", LISTED, CACHE]);
    assert!(
        narrow.contains("\nD1mr self   DLmr self  function\n"),
        "self costs before inclusive ones: {narrow}"
    );
    // Nobody asked: the first event has both, others what room there is.
    let first = shown(&stage, 80, 24, &[LISTED, CACHE]);
    assert!(
        first.contains("\nIr self          Dr self Ir incl.          function\n"),
        "{first}"
    );
    assert!(
        first.ends_with(
            "\nno room for Dw, I1mr, D1mr, 8 more, % except of Ir; try --show=Dw,I1mr\n"
        ),
        "{first}"
    );
    let all = shown(&stage, 200, 60, &[LISTED, CACHE]);
    assert!(
        all.contains(" Bim self ") && all.contains("% except of Ir; try --show=Dr\n"),
        "{all}"
    );
}

/// Whatever has no room goes, the commands first; the dearest function stays.
#[test]
fn the_first_screen_fits_whatever_its_size() {
    for (fixture, file, dearest) in [
        ("shapes", "shapes.plain.out", "msort"),
        ("cache", CACHE, "main"),
    ] {
        let stage = Stage::of(fixture);
        for (at, rows) in some((4..=26).collect()).into_iter().chain([60]).enumerate() {
            for columns in ways(at, &[30, 40, 80, 200]) {
                let text = shown(&stage, columns, rows, &[LISTED, file]);
                assert!(
                    text.lines().count() < usize::from(rows),
                    "{columns} x {rows}: {text}"
                );
                assert!(
                    text.lines()
                        .all(|line| line.width() <= usize::from(columns)),
                    "{columns} x {rows}: {text}"
                );
                assert!(
                    functions(&text) > 0 && (text.contains(dearest) || columns < 40),
                    "{columns} x {rows}: {text}"
                );
            }
        }
    }
    let stage = Stage::of("shapes");
    let has =
        |rows, piece: &str| shown(&stage, 80, rows, &[LISTED, "shapes.plain.out"]).contains(piece);
    assert!(
        has(17, "--zoom") && has(17, "--by=file") && !has(17, "--auto=yes"),
        "the last command goes first"
    );
    assert!(!has(13, "cgannotate") && has(13, "source"));
    assert!(!has(12, "source") && has(12, "Ir 457,867"));
}

/// What is suggested is typed as it stands, whatever is in the names.
#[test]
fn suggested_commands_work() {
    let commands = |stage: &Stage, columns: u16, args: &[&str]| {
        let text = shown(stage, columns, 50, args).replace("\\\n", "");
        let commands: Vec<String> = text
            .lines()
            .filter(|line| line.starts_with("cgannotate --"))
            .map(|line| {
                line.split("  #")
                    .next()
                    .unwrap()
                    .replace("   ", " ")
                    .trim_end()
                    .to_owned()
            })
            .collect();
        assert_eq!(commands.len(), 3, "{text}");
        for command in &commands {
            let typed = command.replacen("cgannotate", env!("CARGO_BIN_EXE_cgannotate"), 1);
            let out = stage.any("bash", &["-c", &typed]).output().unwrap();
            assert!(
                out.status.success()
                    && (out.stderr.is_empty()
                        || out
                            .stderr
                            .ends_with(b"; the one with exactly that name is shown\n")),
                "{command}: {out:?}"
            );
        }
        commands
    };
    let threads = [
        "workers.out-01",
        "workers.out-02",
        "workers.out-03",
        "workers.out-04",
        "workers.out-05",
    ];
    let stage = Stage::of("threads");
    for columns in [40, 80, 200] {
        let typed = commands(&stage, columns, &threads);
        assert!(
            typed.iter().all(|line| line.ends_with(" workers.out-0*")),
            "{typed:?}"
        );
    }
    // A pattern would take in one more.
    stage.write(
        "workers.out-07",
        "version: 1\ncreator: x\nevents: Ir\nfl=a\nfn=f\n1 1\n",
    );
    for columns in [40, 80, 200] {
        let typed = commands(&stage, columns, &threads);
        assert!(
            typed.iter().all(|line| line.ends_with(&threads.join(" "))),
            "{typed:?}"
        );
    }
    let stage = Stage::empty();
    let name = |extra: &str| format!("std::map<int, it's>::operator[](a const&, {extra})'2");
    let functions = [
        name("b"),
        name(&"long::".repeat(20)),
        "-x".into(),
        "App\\cart(".into(),
    ];
    for (at, function) in functions.into_iter().enumerate() {
        let profile = format!("version: 1\nevents: Ir\nfl=a.c\nfn={function}\n1 20\nfn=g\n2 1\n");
        stage
            .write("a profile's", &profile)
            .write("b;c", &profile)
            .write("p", &profile);
        for columns in ways(at, &[40, 80, 200]) {
            let typed = commands(
                &stage,
                columns,
                &["--event=S = Ir + Ir", "a profile's", "b;c"],
            );
            assert!(
                typed[1].ends_with(r" '--event=S = Ir + Ir' 'a profile'\''s' 'b;c'"),
                "{typed:?}"
            );
            commands(
                &stage,
                columns,
                &["--fold-recursion", "--input-format=callgrind", LISTED, "p"],
            );
        }
    }
    // What can be read once only cannot be read by a command that follows.
    let piped = format!("cat p | {} -", env!("CARGO_BIN_EXE_cgannotate"));
    let (text, _) = on_screen(80, 24, stage.any("sh", &["-c", &piped]));
    assert!(
        plain(&text).contains("Ir self") && !text.contains("cgannotate --"),
        "{text}"
    );
}

/// Columns of threads go as those of events do, with a word on where they all are.
#[test]
fn columns_of_threads_fit_the_screen() {
    let stage = Stage::of("threads");
    let all = [
        "workers.combined.out",
        "workers.out-01",
        "workers.out-02",
        "workers.out-03",
        "workers.out-04",
        "workers.out-05",
    ];
    for columns in [30, 40, 80, 200] {
        let text = shown(
            &stage,
            columns,
            24,
            &[&["--by=part", "-n", "5", LISTED], &all[..]].concat(),
        );
        assert!(text.starts_with("Ir by part\nIr 283,208"), "{text}");
        assert!(
            text.lines()
                .all(|line| line.width() <= usize::from(columns)),
            "{columns}: {text}"
        );
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            words.contains("; --format=csv has all"),
            columns < 200,
            "{columns}: {text}"
        );
        assert!(
            !text.contains("Events recorded:") && !text.contains("--show="),
            "{columns}: {text}"
        );
    }
}

/// A terminal that can do nothing has no pager and no colours, however long a report is.
#[test]
fn a_dumb_terminal_starts_no_pager() {
    let stage = Stage::of("shapes");
    for (term, is_paged) in [("dumb", false), ("", false), ("xterm", true)] {
        let typed = format!(
            "TERM={term} PAGER='sh -c \"echo paged; cat\"' exec \"$0\" --auto=no shapes.plain.out"
        );
        let command = stage.any("sh", &["-c", &typed, env!("CARGO_BIN_EXE_cgannotate")]);
        let (text, success) = on_screen(80, 24, command);
        assert!(
            success && text.contains("Ir 457,867") && text.lines().count() > 24,
            "{text}"
        );
        assert_eq!(
            (text.contains("paged"), text.contains('\x1b')),
            (is_paged, is_paged),
            "TERM={term}: {text}"
        );
    }
}

/// A terminal shows the answer first, and below it what the header has to say; pipes have the
/// header.
#[test]
fn lists_begin_with_the_answer() {
    let stage = Stage::of("cache");
    for args in [
        &["--by=file"][..],
        &["--by=object"],
        &["--auto=no"],
        &["--tree=both", "--auto=no"],
        &["--auto=yes"],
    ] {
        let args = [args, &[LISTED, CACHE]].concat();
        let text = shown(&stage, 80, 24, &args);
        assert!(text.starts_with("Ir 104,414  Dr 20,703"), "{text}");
        let (answer, facts) = text.split_once("\nProfile data file 'matrix").unwrap();
        assert!(
            answer.contains("matrix")
                && facts.contains("\nProfiled target:  /opt/conf/bin/matrix 16 (PID"),
            "{text}"
        );
        assert!(
            facts.contains("\nI1 cache: 32768 B") && facts.contains("\nEvents recorded:  Ir Dr"),
            "{text}"
        );
        assert!(
            !text.contains("Include dirs:") && !text.contains("Auto-annotation:"),
            "{text}"
        );
        let pipe = stage.report(&args);
        assert!(
            pipe.lines()
                .nth(1)
                .unwrap()
                .starts_with("Profile data file 'matrix"),
            "{pipe}"
        );
        assert!(pipe.contains("\nInclude dirs:     \n"), "{pipe}");
    }
    // What says nothing is left out.
    let stage = Stage::of("shapes");
    let text = shown(&stage, 40, 50, &["--by=object", LISTED, "shapes.plain.out"]);
    assert!(
        !text.contains("I1 cache:") && !text.contains("Events recorded:"),
        "{text}"
    );
    assert!(
        text.contains("\nProfile data file 'shapes.plain.out'\n  (creator: callgrind-3.19.0)\n"),
        "{text}"
    );
    // Several answers are told apart by what stands above them.
    let stage = Stage::of("threads");
    let text = shown(
        &stage,
        80,
        24,
        &[
            "--by=object",
            "--split=thread",
            LISTED,
            "workers.combined.out",
        ],
    );
    assert!(
        text.starts_with("thread 1\n") && text.contains("\n\nthread 2\nIr "),
        "{text}"
    );
    // Who asks for the original's report gets it.
    let stage = Stage::of("shapes");
    let text = shown(
        &stage,
        80,
        24,
        &["--compat", "--auto=no", "shapes.plain.out"],
    );
    assert!(
        text.lines()
            .nth(1)
            .unwrap()
            .starts_with("Profile data file"),
        "{text}"
    );
}

/// Every page on every screen, with few and many events and inputs: nothing is wider than the
/// terminal, and the answer begins at its top.
#[test]
fn every_page_fits_every_screen() {
    let stage = Stage::empty();
    for (name, file) in [
        ("one", "shapes/shapes.plain.out"),
        ("many", "cache/matrix.cachebranch.toggle.out"),
    ] {
        let text = std::fs::read_to_string(fixture(file)).unwrap();
        // Some lines became dearer, and no line states the totals.
        let stated = |line: &&str| line.starts_with("totals:") || line.starts_with("summary:");
        let unstated = text
            .lines()
            .filter(|line| !stated(line))
            .collect::<Vec<_>>()
            .join("\n");
        for number in 1..=5 {
            stage.write(&format!("{name}.out.{number}"), &text);
            stage.write(
                &format!("new-{name}.out.{number}"),
                unstated.replace("\n+1 4", "\n+1 9") + "\n",
            );
        }
    }
    for (name, events, inputs) in some(vec![
        ("one", 1, 1),
        ("one", 1, 5),
        ("many", 13, 1),
        ("many", 13, 5),
    ]) {
        let files = |name: &str| {
            (1..=inputs)
                .map(|n| format!("{name}.out.{n}"))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (old, new) = (files(name), files(&format!("new-{name}")));
        // What is typed, what the page is known by, and in which line that stands at the latest.
        let pages = [
            (format!("{LISTED} {old}"), " self", 3 + events),
            (format!("{LISTED} --by=file {old}"), "Ir ", 1),
            (
                format!("{LISTED} --zoom=^main$ {old}"),
                "Function:         ",
                2,
            ),
            (format!("diff {old} -- {new}"), "old → new", 2),
            (
                format!("check {old} --limit=total.Ir<=1 --limit=max(self.Ir(/./))<=100M"),
                "EXCEEDED total.Ir<=1",
                1,
            ),
            (format!("--sort=Irr {old}"), "no event `Irr`", 1),
        ];
        for (at, (typed, answer, within)) in pages.iter().enumerate() {
            for (columns, rows) in ways(at, &[(40, 20), (80, 24), (200, 60)]) {
                let mut command = stage.command(&typed.split(' ').collect::<Vec<_>>());
                command.env("CGANNOTATE_PAGER", "cat");
                let text = plain(&on_screen(columns, rows, command).0);
                let what = format!("{columns} x {rows}: {typed}\n{text}");
                assert!(
                    text.lines()
                        .all(|line| line.width() <= usize::from(columns)),
                    "{what}"
                );
                assert!(
                    text.lines().take(*within).any(|line| line.contains(answer)),
                    "{what}"
                );
                let is_screen =
                    [" self", "EXCEEDED total.Ir<=1", "no event `Irr`"].contains(answer);
                assert!(
                    !is_screen || text.lines().count() < usize::from(rows),
                    "{what}"
                );
            }
        }
    }
}

/// What is said behind the name of a function that recurses leaves room for the name.
#[test]
fn functions_that_recurse_keep_their_names() {
    let stage = Stage::of("xdebug");
    let zoom = ["--auto=no", "--zoom=App.fib$", "app-x320.xdebug"];
    let lines = |columns| -> Vec<String> {
        let text = shown(&stage, columns, 200, &zoom);
        text.lines()
            .filter(|line| line.contains("(482x, recursive"))
            .map(|line| line.trim_start().to_owned())
            .collect()
    };
    let short = lines(80);
    assert_eq!(short.len(), 2, "{short:?}");
    assert!(
        short
            .iter()
            .all(|line| line.ends_with("app.php:App\\fib (482x, recursive)")),
        "{short:?}"
    );
    let long = lines(160);
    assert!(
        long.iter().all(|line| line.ends_with("App\\fib (482x, recursive: in the cost of the first call)")),
        "{long:?}"
    );
}

/// Beside the name of a function that exceeds a limit, as much of its file stands as there is room
/// for.
#[test]
fn functions_beyond_a_limit_keep_their_places() {
    let stage = Stage::empty();
    let profile = |cost: u32| {
        let file = "./string/../sysdeps/x86_64/multiarch/memmove-vec-unaligned-erms.S";
        format!(
            "version: 1\nevents: Ir\nfl={file}\nfn=__memcpy_avx_unaligned_erms\n264 {cost}\n\
             fl=/srv/app/src/decode.cc\nfn=app::decode(std::vector<int> const&)\n7 {}\n",
            cost / 2
        )
    };
    stage
        .write("old", profile(285_782))
        .write("new", profile(296_413));
    let places = |columns| -> Vec<String> {
        let mut command =
            stage.command(&["check", "new", "--baseline=old", "--limit=total.Ir <= +0"]);
        command.env("CGANNOTATE_PAGER", "cat");
        let text = plain(&on_screen(columns, 40, command).0);
        text.lines()
            .filter_map(|line| line.strip_prefix("           "))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(
        places(80),
        [
            "__memcpy_avx_unaligned_erms (mem….S:264)  285,782 -> 296,413 (+3.7 %)",
            "app::decode(…) (decode.cc:7)  142,891 -> 148,206 (+3.7 %)",
        ]
    );
    assert_eq!(
        places(110)[0],
        "__memcpy_avx_unaligned_erms (memmove-vec-unaligned-erms.S:264)  285,782 -> 296,413 (+3.7 %)"
    );
    assert_eq!(
        places(110)[1],
        "app::decode(std::vector<int> const&) (/srv/app/src/decode.cc:7)  142,891 -> 148,206 (+3.7 %)"
    );
}

/// Of routines by the size of their input, names and costs stay where there is little room.
#[test]
fn routines_keep_their_names_on_narrow_screens() {
    let stage = Stage::of("aprof");
    let seen = |columns| shown(&stage, columns, 60, &["algos-v6.aprof"]);
    let (narrow, wide) = (seen(80), seen(140));
    let has_name = |text: &str| {
        text.lines()
            .any(|line| line.ends_with(" insertion_sort [/srv/r4/aprof/algos]"))
    };
    assert!(has_name(&wide) && !wide.contains("no room"), "{wide}");
    assert!(
        narrow.contains(" insertion_sort ") && narrow.contains("\nno room for: ex"),
        "{narrow}"
    );
    assert!(
        narrow.contains("762,560 (82.60%)") && narrow.lines().all(|line| line.width() <= 80),
        "{narrow}"
    );
}

/// Pages of instructions, with jumps and calls beside and below them.
#[test]
fn instructions_fit_every_screen() {
    let stage = Stage::of("instr");
    let pages = [
        "--zoom=^main$ --asm",
        "--zoom=^main$ --asm --auto=no",
        "--by=instr -n 30",
    ];
    for (at, args) in pages.into_iter().enumerate() {
        for (columns, rows) in ways(at, &[(40, 20), (80, 24), (200, 60)]) {
            let args: Vec<&str> = args
                .split(' ')
                .chain(["inventory.instr-jumps.out"])
                .collect();
            let text = shown(&stage, columns, rows, &args);
            let what = format!("{columns} x {rows}: {args:?}\n{text}");
            assert!(
                text.lines()
                    .all(|line| line.width() <= usize::from(columns)),
                "{what}"
            );
            assert!(
                !args[1].starts_with("--asm") || text.contains('▶') && text.contains("=> "),
                "{what}"
            );
        }
    }
}
