//! Files in Callgrind's format by programs other than Valgrind, each written here as such a program
//! writes it. All figures are added up by hand.

use crate::common::{Stage, counts, gzip};
use cgannotate::analysis::Inclusive;
use cgannotate::input::{Options, read, read_from, read_split};
use cgannotate::profile::{Profile, SplitBy, WarningKind};

/// Functions with self and inclusive cost, and arcs with their calls and cost; all by the first
/// event.
fn told(profile: &Profile) -> Vec<String> {
    let inclusive = Inclusive::new(profile);
    let name = |id| {
        let f = profile.function(id);
        let [object, file, name] =
            [f.object, f.file, f.name].map(|id| String::from_utf8_lossy(profile.name(id)));
        format!("{object}|{file}|{name}")
    };
    let first = |row: Vec<i64>| row.first().copied().unwrap_or(0);
    let mut told: Vec<String> = profile
        .function_ids()
        .map(|id| {
            let [own, all] =
                [profile.self_counts(id), inclusive.counts(id)].map(|row| first(counts(row)));
            format!("{} {own} {all}", name(id))
        })
        .collect();
    let calls = profile.arcs.iter().map(|arc| {
        format!(
            "{} > {} x{} {}",
            name(arc.caller),
            name(arc.callee),
            arc.count,
            first(counts(profile.arc_counts(arc)))
        )
    });
    told.extend(calls);
    told.sort();
    told
}

/// What is told of a text, which must not depend on how it is read: in blocks of any length,
/// gzipped.
fn of(text: &str) -> Vec<String> {
    let read = |bytes: &[u8], options: &Options| told(&read_from("x", bytes, options).unwrap());
    let once = read(text.as_bytes(), &Options::all());
    for block in [1, 30, 64, 1 << 18] {
        let options = Options {
            block,
            ..Options::all()
        };
        assert_eq!(read(text.as_bytes(), &options), once, "{block}");
    }
    assert_eq!(read(&gzip(text.as_bytes()), &Options::all()), once);
    once
}

/// A call of `lib_work` without its object, and `blocks` of other functions, in both orders.
fn call_and_blocks(header: &str, callee: &str, blocks: &[&str]) -> Vec<String> {
    let main = format!("ob=app\nfl=main.c\nfn=main\n3 10\n{callee}calls=0 7\n4 90\n");
    let blocks = blocks.concat();
    let after = of(&format!("{header}events: cpu\n{main}{blocks}"));
    let before = of(&format!("{header}events: cpu\n{blocks}{main}"));
    assert_eq!(after, before);
    // So it is where they are parts of one file, also in the profile of one of the parts.
    let parts = format!("{header}events: cpu\n{main}part: 2\n{blocks}");
    assert_eq!(of(&parts), after);
    after
}

const CALLEE: &str = "cfl=lib.c\ncfn=lib_work\n";
const BLOCK: &str = "ob=libw.so\nfl=lib.c\nfn=lib_work\n7 90\n";
const FOUND: [&str; 3] = [
    "app|main.c|main 10 100",
    "app|main.c|main > libw.so|lib.c|lib_work x0 90",
    "libw.so|lib.c|lib_work 90 90",
];

/// As `pprof -callgrind` writes it, of Go and of gperftools: `ob=`, and never `cob=`.
#[test]
fn a_callee_without_object_is_the_one_with_a_block() {
    assert_eq!(call_and_blocks("", CALLEE, &[BLOCK]), FOUND);
    // Several calls of it, from another function too, add up.
    let more =
        "fn=other\n1 0\ncfl=lib.c\ncfn=lib_work\ncalls=2 7\n1 40\ncfl=lib.c\ncalls=1 7\n1 50\n";
    let text = format!(
        "events: cpu\nob=app\nfl=main.c\nfn=main\n3 10\n{CALLEE}calls=0 7\n4 90\n{more}{BLOCK}"
    );
    assert!(of(&text).contains(&"app|main.c|other > libw.so|lib.c|lib_work x3 90".to_owned()));
    // A tool that poses as Callgrind describes nothing.
    assert_eq!(
        call_and_blocks("creator: callgrind-3.15.0\n", CALLEE, &[BLOCK]),
        FOUND
    );
    assert_eq!(
        call_and_blocks("creator: stackprof\ndesc: missed: 3\n", CALLEE, &[BLOCK]),
        FOUND
    );
    // Without debug information no file is known, neither of the callee nor of the block.
    let unknown = call_and_blocks(
        "",
        "cfl=\ncfn=lib_work\n",
        &["ob=libw.so\nfl=\nfn=lib_work\n7 90\n"],
    );
    assert_eq!(unknown[2], "libw.so|???|lib_work 90 90");
    assert_eq!(unknown.len(), 3);
}

/// Compressed names and relative positions, as Go writes them.
#[test]
fn callees_of_pprof_are_found() {
    let text = "positions: instr line\nevents: cpu(ms)\n\nob=(1) app\nfl=(1) main.c\nfn=(1) main\n0x1000 3 10\n\
                cfl=(2) lib.c\ncfn=(2) lib_work\ncalls=0 0x9000 7\n* * 90\n\nob=(2) libw.so\nfl=(2)\nfn=(2)\n+32768 7 90\n";
    assert_eq!(of(text), FOUND);
    let stage = Stage::empty();
    stage.write("p", text);
    let kept = stage.run(&["check", "p", "--limit", "incl.\"cpu(ms)\"(lib_work) <= 90"]);
    assert_eq!(
        kept.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&kept.stdout)
    );
    assert_eq!(
        stage
            .report(&["convert", "p", "--to=folded", "-o-"])
            .matches("lib_work")
            .count(),
        1
    );
    // In the original's numbers it stands twice.
    assert_eq!(
        stage
            .report(&["--compat", "--threshold=100", "--tree=caller", "p"])
            .matches("*  lib.c:lib_work")
            .count(),
        1
    );
}

#[test]
fn nothing_changes_where_another_function_could_be_meant() {
    let named = "app|lib.c|lib_work 0 90".to_owned();
    let stays = |header: &str, callee: &str, blocks: &[&str]| {
        let told = call_and_blocks(header, callee, blocks);
        assert!(told.contains(&named), "{told:?}");
    };
    // Valgrind's files and ours name all.
    stays(
        "creator: callgrind-3.19.0\ndesc: I1 cache: \n",
        CALLEE,
        &[BLOCK],
    );
    stays("creator: cgannotate-1.0\n", CALLEE, &[BLOCK]);
    stays("creator: xtree-1\n", CALLEE, &[BLOCK]);
    // Two are possible; another file; another name.
    stays("", CALLEE, &[BLOCK, "ob=other.so\nfn=lib_work\n7 5\n"]);
    stays(
        "",
        CALLEE,
        &[BLOCK, "ob=other.so\nfl=/src/lib.c\nfn=lib_work\n7 5\n"],
    );
    stays("", CALLEE, &["ob=libw.so\nfl=lib2.c\nfn=lib_work\n7 90\n"]);
    stays("", CALLEE, &["ob=libw.so\nfl=mylib.c\nfn=lib_work\n7 90\n"]);
    stays("", CALLEE, &["ob=libw.so\nfl=lib.c\nfn=lib_works\n7 90\n"]);
    // An object that is not the caller's is named, and no other is meant.
    let told = call_and_blocks("", &format!("cob=libx.so\n{CALLEE}"), &[BLOCK]);
    assert!(
        told.contains(&"libx.so|lib.c|lib_work 0 90".to_owned()),
        "{told:?}"
    );
    let told = call_and_blocks("", "cob=libw.so\ncfl=/src/lib.c\ncfn=lib_work\n", &[BLOCK]);
    assert_eq!(told, FOUND);
    // It has a block as it is named: 5 of its own.
    let told = call_and_blocks("", CALLEE, &[BLOCK, "ob=app\nfn=lib_work\n7 5\n"]);
    assert!(
        told.contains(&"app|lib.c|lib_work 5 90".to_owned()),
        "{told:?}"
    );
    // A name that is not known is nobody's.
    let told = call_and_blocks(
        "",
        "cfl=lib.c\ncfn=???\n",
        &["ob=libw.so\nfl=lib.c\nfn=???\n7 90\n"],
    );
    assert!(told.contains(&"app|lib.c|??? 0 90".to_owned()), "{told:?}");
}

#[test]
fn one_path_can_be_written_in_two_ways() {
    for (callee, block) in [
        ("lib.c", "/src/lib.c"),
        ("/src/lib.c", "lib.c"),
        ("sub/lib.c", "/w/sub/lib.c"),
        ("./lib.c", "lib.c"),
        ("lib.c", "/w/./lib.c"),
        ("/usr/share/lib.c", "/w//usr/share/lib.c"),
    ] {
        let callee = format!("cfl={callee}\ncfn=lib_work\n");
        let told = call_and_blocks(
            "",
            &callee,
            &[&format!("ob=app\nfl={block}\nfn=lib_work\n7 90\n")],
        );
        assert!(
            told.contains(&format!("app|{block}|lib_work 90 90")),
            "{told:?}"
        );
        assert_eq!(told.len(), 3, "{told:?}");
    }
    for (callee, block) in [
        ("/src/lib.c", "/w/src/lib.c"),
        ("lib.c", "/src/mylib.c"),
        ("a/lib.c", "/b/lib.c"),
    ] {
        let callee = format!("cfl={callee}\ncfn=lib_work\n");
        let told = call_and_blocks(
            "",
            &callee,
            &[&format!("ob=app\nfl={block}\nfn=lib_work\n7 90\n")],
        );
        assert_eq!(told.len(), 4, "{told:?}");
    }
    // The end of two files, and one of two that is the end of another: two functions are possible.
    for blocks in [
        ["/a/x/lib.c", "/b/x/lib.c"],
        ["x/lib.c", "/a/x/lib.c"],
        ["lib.c", "/a/x/lib.c"],
    ] {
        let blocks = blocks.map(|file| format!("ob=app\nfl={file}\nfn=lib_work\n7 45\n"));
        let told = call_and_blocks(
            "",
            "cfl=./x/lib.c\ncfn=lib_work\n",
            &[&blocks[0], &blocks[1]],
        );
        assert!(
            told.contains(&"app|./x/lib.c|lib_work 0 90".to_owned()),
            "{told:?}"
        );
    }
}

/// A block in another part or share is one; one in another file is not.
#[test]
fn callees_are_found_in_one_file() {
    let main = format!("ob=app\nfl=main.c\nfn=main\n3 10\n{CALLEE}calls=0 7\n4 90\n");
    let stage = Stage::empty();
    stage.write("both", format!("events: cpu\n{main}part: 2\n{BLOCK}"));
    let shares = read_split(&[stage.dir.join("both")], &Options::all(), SplitBy::Part).unwrap();
    let told_of: Vec<_> = shares.map(|share| told(&share.profile)).collect();
    assert_eq!(
        told_of[0][1],
        "app|main.c|main > libw.so|lib.c|lib_work x0 90"
    );
    assert_eq!(told_of[1], ["libw.so|lib.c|lib_work 90 90"]);
    stage
        .write("a", format!("events: cpu\n{main}"))
        .write("b", format!("events: cpu\n{BLOCK}"));
    let [a, b, both] = ["a", "b", "both"].map(|name| stage.dir.join(name));
    let apart = told(&read(&[&a, &b], &Options::all()).unwrap());
    assert!(
        apart.contains(&"app|lib.c|lib_work 0 90".to_owned()),
        "{apart:?}"
    );
    // What is summed was found before: twice what `both` has.
    let sum = told(&read(&[&both, &both], &Options::all()).unwrap());
    assert_eq!(sum[2], "libw.so|lib.c|lib_work 180 180");
    assert_eq!(sum.len(), 3);
}

/// remake: `fl=` is absolute, `cfi=` as in the makefile; the time of a target is with all that it
/// needs.
#[test]
fn targets_of_make_have_one_file_and_their_own_time() {
    let header = "version: 1\ncreator: remake 4.3+dbg-1.6\ncmd: remake --profile all\npid: 7\n\
                  desc: Trigger: Normal program termination\npositions: line\n";
    let body = |second: &str| {
        format!(
            "summary: 100\n\nfl=/w/Makefile\nfn=lib\n3 60{second}\n\nfl=/w/Makefile\nfn=prog\n5 90{second}\ncfi=Makefile\ncfn=lib\n\
             calls=1 5\n5 60{second}\n\nfl=/w/Makefile\nfn=all\n1 100{second}\ncfi=Makefile\ncfn=prog\ncalls=1 1\n1 90{second}\n"
        )
    };
    let text = format!("{header}event: Wt : Wall Time\nevents: Wt\n{}", body(""));
    let want = [
        "|/w/Makefile|all 10 100",
        "|/w/Makefile|all > |/w/Makefile|prog x1 90",
        "|/w/Makefile|lib 60 60",
        "|/w/Makefile|prog 30 90",
        "|/w/Makefile|prog > |/w/Makefile|lib x1 60",
    ];
    assert_eq!(of(&text), want);
    // The list reads no calls.
    let stage = Stage::empty();
    stage.write("p", &text);
    let list = stage.report(&["--auto=no", "--threshold=100", "p"]);
    for row in [
        "100 (100.0%)  PROGRAM TOTALS",
        "60 (60.00%)  /w/Makefile:lib",
        "30 (30.00%)  /w/Makefile:prog",
    ] {
        assert!(list.contains(row), "{list}");
    }
    // What is left of the last target without its calls is no sum that checks half a number.
    let half = text.split_once("1 100").unwrap().0.to_owned() + "1 10";
    let profile = read_from("x", half.as_bytes(), &Options::all()).unwrap();
    assert!(profile.warnings.has(WarningKind::UncheckedEnd));
    // Later versions add the time of the recipe alone, which is nobody else's.
    let text = format!("{header}events: Wt Rt\n{}", body(" 7"));
    assert_eq!(of(&text), want);
    let profile = read_from("x", text.as_bytes(), &Options::all()).unwrap();
    assert!(
        profile
            .function_ids()
            .all(|id| counts(profile.self_counts(id))[1] == 7)
    );
}

/// As ARTIQ writes it: callee and `calls=`, then file and function of the caller, then the cost.
#[test]
fn the_cost_of_a_call_may_stand_below_its_caller() {
    let text = |columns: &str, at: [&str; 4]| {
        let [work, start, target, main] = at;
        format!(
            "version: 1\ncreator: ARTIQ\npositions: {columns}\nevents: Hits\n\nob=(1) kernel.elf\ncob=(1) kernel.elf\n\
             fl=(1) w.c\nfn=(1) work\n{work} 30\nfl=(2) m.c\nfn=(2) start\n{start} 10\ncfl=(1) w.c\ncfn=(1) work\n\
             calls=30 {target}\nfl=(2)\nfn=(3) main\n{main} 30\n"
        )
    };
    let want = [
        "kernel.elf|m.c|main 0 30",
        "kernel.elf|m.c|main > kernel.elf|w.c|work x30 30",
        "kernel.elf|m.c|start 10 10",
        "kernel.elf|w.c|work 30 30",
    ];
    let absolute = text("instr line", ["0x200 20", "0x100 5", "0x200 20", "0x120 9"]);
    assert_eq!(of(&absolute), want);
    assert_eq!(of(&text("line", ["20", "-15", "+15", "+4"])), want);
    // Another cost line is the caller's own again, and so is one of the next part.
    assert_eq!(
        of(&format!("{absolute}0x122 10 5\n"))[0],
        "kernel.elf|m.c|main 5 35"
    );
    assert_eq!(
        of(&format!(
            "{absolute}part: 2\nob=(1)\nfl=(2)\nfn=(3)\n0x122 10 5\n"
        ))[0],
        "kernel.elf|m.c|main 5 35"
    );
    // Callgrind itself has `desc:` lines; another program can name it as the creator.
    assert_eq!(of(&absolute.replace("ARTIQ", "callgrind-3.19.0")), want);
    // Without an `fn=` the function goes on, and with a `cob=` the callee is in that object.
    let text = "events: Ir\nob=a\nfl=m.c\nfn=main\n1 5\ncob=b\ncfl=w.c\ncfn=work\ncalls=2 7\nob=a\nfl=m.c\n3 20\n4 1\n";
    assert_eq!(
        of(text),
        [
            "a|m.c|main 6 26",
            "a|m.c|main > b|w.c|work x2 20",
            "b|w.c|work 0 20"
        ]
    );
}

/// A new function alone is not the caller; nothing of Valgrind's is.
#[test]
fn a_call_without_a_cost_is_left_out() {
    let valgrind = "creator: callgrind-3.19.0\ndesc: Trigger: Program termination\n";
    for (header, names) in [
        ("", "fn=bar\n"),
        ("", "cfn=baz\nfl=a.c\n"),
        (valgrind, "fl=b.c\nfn=bar\n"),
        ("", "part: 2\nfn=f\n"),
    ] {
        let text =
            format!("{header}events: Ir\nfl=a.c\nfn=main\n3 10\ncfn=foo\ncalls=2 9\n{names}7 20\n");
        let profile = read_from("x", text.as_bytes(), &Options::all()).unwrap();
        let own: i64 = profile
            .function_ids()
            .map(|id| counts(profile.self_counts(id))[0])
            .sum();
        assert_eq!((own, profile.arcs.len()), (30, 0), "{text}");
        let said: Vec<_> = profile
            .warnings
            .kept()
            .iter()
            .map(|warning| warning.message.clone())
            .collect();
        assert!(
            said.iter()
                .any(|said| said.contains("no cost line follows")),
            "{said:?}"
        );
    }
}

/// Names of events as perf has them.
#[test]
fn names_of_events_may_have_colons() {
    let stage = Stage::empty();
    let events = "cycles:u instructions:u cpu/event=0x3c/ r1a8";
    let body = "fl=a.c\nfn=main\n1 10 20 1\n2 30 5 2\nfn=f\n9 50 90 4\n";
    stage.write(
        "p",
        format!(
            "creator: perf2calltree\nevent: cycles:u : Cycles of a user\nevents: {events}\n{body}"
        ),
    );
    let rows = |args: &[&str]| stage.report(&[&["--auto=no", "p"], args].concat());
    let names = |report: &str| {
        report
            .lines()
            .filter_map(|l| l.split_once("a.c:"))
            .map(|(_, f)| f.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&rows(&["--sort=cycles:u"])), ["f", "main"]);
    // 50 of 90 are 55.6 %, 90 of 115 are 78.3 %.
    assert_eq!(names(&rows(&["--sort=cycles:u:55"])), ["f"]);
    assert_eq!(names(&rows(&["--sort=cycles:u:56%"])), ["f", "main"]);
    assert_eq!(names(&rows(&["--sort=instructions:u:78,cycles:u"])), ["f"]);
    assert_eq!(
        names(&rows(&["--sort=cpu/event=0x3c/:99.9", "--show=cycles:u"])),
        ["f", "main"]
    );
    assert!(rows(&["--show=instructions:u"]).contains("115 (100.0%)  PROGRAM TOTALS"));
    let (bad, said) = (stage.run(&["--sort=cycles:k", "p"]), "no event `cycles:k`");
    assert!(
        bad.status.code() == Some(2) && String::from_utf8_lossy(&bad.stderr).contains(said),
        "{bad:?}"
    );
    // 40 + 2 x 25 and 50 + 2 x 90; the long name has a colon, too.
    let formula =
        "--event=S = \"cycles:u\" + 2 \"instructions:u\" - 0 \"cpu/event=0x3c/\" : both: weighted";
    let report = rows(&[formula, "--show=S", "--sort=S"]);
    for row in [
        "320 (100.0%)  PROGRAM TOTALS",
        "230 (71.88%)  a.c:f",
        " 90 (28.12%)  a.c:main",
    ] {
        assert!(report.contains(row), "{report}");
    }
    let open = stage.run(&["--event=S = 2 \"cycles:u", "p"]);
    assert!(
        open.status.code() == Some(2)
            && String::from_utf8_lossy(&open.stderr).contains("never closed"),
        "{open:?}"
    );
    let limit = stage.run(&["check", "p", "--limit", "total.\"cycles:u\" <= 90"]);
    assert_eq!(limit.status.code(), Some(0));
    let profile = read(&[stage.dir.join("p")], &Options::all()).unwrap();
    assert_eq!(
        profile.events.long_name(b"cycles:u"),
        Some(&b"Cycles of a user"[..])
    );
}

#[test]
fn a_long_name_needs_no_colon() {
    for (line, name, long) in [
        ("cycles_0 Used cycles", "cycles_0", "Used cycles"),
        ("cycles_0\tUsed", "cycles_0", "Used"),
        ("cycles_0 : Used cycles", "cycles_0", "Used cycles"),
        ("cycles_0:Used cycles", "cycles_0", "Used cycles"),
    ] {
        let text = format!(
            "creator: Hatari v2\nevent: {line}\nevents: cycles_0\nfl=p.txt\nfn=boot\n5 8\n"
        );
        let profile = read_from("x", text.as_bytes(), &Options::all()).unwrap();
        assert_eq!(
            profile.events.long_name(name.as_bytes()),
            Some(long.as_bytes()),
            "{line}"
        );
        assert!(profile.warnings.is_empty(), "{line}");
    }
    let spoilt = "event: a b = c\nevents: c\nfn=f\n1 1\n";
    assert!(
        !read_from("x", spoilt.as_bytes(), &Options::all())
            .unwrap()
            .warnings
            .is_empty()
    );
}
