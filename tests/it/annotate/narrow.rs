//! Asking for less. What is expected is added up by hand below, or by the test from the whole list,
//! whose figures are those of `callgrind_annotate`.

use crate::common::amount::{at_least, some};
use crate::common::{LISTED, Stage, has_parts, profiles};
use std::collections::BTreeMap;

/// The rows of a list, each with its first count, and the total. The list begins below a heading
/// that ends like this.
fn rows(report: &str, heading: &str) -> (i64, Vec<(i64, String)>) {
    let count = |line: &str| {
        line.split_whitespace()
            .next()
            .unwrap()
            .replace(',', "")
            .parse()
            .unwrap_or(0)
    };
    let total = report
        .lines()
        .find(|line| line.contains(" PROGRAM TOTALS"))
        .map(count)
        .unwrap();
    let lines: Vec<&str> = report.lines().collect();
    let start = lines
        .iter()
        .position(|line| line.ends_with(heading))
        .expect(heading)
        + 2;
    let rows = lines[start..].iter().take_while(|line| !line.is_empty());
    (
        total,
        rows.map(|line| (count(line), line.to_string())).collect(),
    )
}

const SMALL: &str = "version: 1\nevents: Ir Dr\nob=/bin/prog\nfl=a.cc\nfn=ns::A::f(int)\n1 50 5\nfi=inline.h\n2 7\n\
    fe=a.cc\nfn=ns::A::g()\n4 20 1\nfn=main\n5 3\nob=/lib/libc.so\nfl=???\nfn=f\n0 15 2\nfn=ns::A::f(int)\n0 5\n\
    totals: 100 8\n";

fn small(args: &[&str]) -> String {
    let all: Vec<&str> = args
        .iter()
        .copied()
        .chain(["--auto=no", "--threshold=100", "p"])
        .collect();
    Stage::empty().write("p", SMALL).report(&all)
}

fn body(report: &str, heading: &str) -> Vec<String> {
    rows(report, heading)
        .1
        .into_iter()
        .map(|(_, line)| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// A difference in which more was saved than spent: 990 of 1000 in all is 99 %, which `little` and
/// `least` have no part in.
#[test]
fn below_zero_the_largest_rows_are_listed_whichever_their_sign() {
    let stage = Stage::empty();
    let text = "events: Ir\nfl=a.c\nfn=spent\n1 190\nfn=little\n2 4\nfn=saved\n3 -700\nfn=also\n4 -100\nfn=least\n5 -6\n\
        summary: -612\n";
    stage.write("less", text);
    let list = |args: &[&str], heading: &str| {
        body(
            &stage.report(&[args, &["--auto=no", "less"]].concat()),
            heading,
        )
    };
    let by_size = [
        "-700 (114.4%) a.c:saved",
        "190 (-31.0%) a.c:spent",
        "-100 (16.34%) a.c:also",
    ];
    assert_eq!(list(&[], "file:function"), by_size);
    assert_eq!(list(&["--threshold=70"], "file:function"), by_size[..1]);
    assert_eq!(list(&["--threshold=71"], "file:function"), by_size[..2]);
    assert_eq!(list(&["-n", "2"], "file:function")[..2], by_size[..2]);
    // All of them, as callgrind_annotate orders them.
    let all = [
        "190 (-31.0%) a.c:spent",
        "4 (-0.65%) a.c:little",
        "-6 ( 0.98%) a.c:least",
    ];
    assert_eq!(list(&["--threshold=100"], "file:function")[..3], all);
    let lines = [
        "-700 (114.4%) a.c:3:saved",
        "190 (-31.0%) a.c:1:spent",
        "-100 (16.34%) a.c:4:also",
    ];
    assert_eq!(list(&["--by=line"], "file:line:function")[..3], lines);
    assert_eq!(
        list(&["--by=function"], " function")[..3],
        [
            "-700 (114.4%) saved",
            "190 (-31.0%) spent",
            "-100 (16.34%) also"
        ]
    );
    assert_eq!(
        list(&["--compat"], "file:function"),
        ["190 (-31.0%) a.c:spent"]
    );
}

/// The same where spent and saved cancel, or nearly do: the first row alone is more than the total.
#[test]
fn what_was_saved_is_listed_whatever_the_total() {
    for (spent, shares) in [
        (700, ["( 0.00%)", "( 0.00%)", "( 0.00%)"]),
        (702, ["(35100.0%)", "(-30000.0%)", "(-5200.0%)"]),
    ] {
        let stage = Stage::empty();
        stage.write(
            "p",
            format!("events: Ir\nfl=a.c\nfn=spent\n1 {spent}\nfn=little\n2 4\nfn=saved\n3 -600\nfn=also\n4 -104\n"),
        );
        let rows = [(spent, "spent"), (-600, "saved"), (-104, "also")]
            .into_iter()
            .zip(shares);
        let rows: Vec<String> = rows
            .map(|((cost, name), share)| format!("{cost} {share} a.c:{name}"))
            .collect();
        assert_eq!(
            body(&stage.report(&["--auto=no", "p"]), "file:function"),
            rows
        );
    }

    // Within a function, of 1000 in all; by file the same.
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=f\n1 600\nfi=b.c\n2 -300\nfi=c.c\n3 -96\nfi=d.c\n4 4\n",
    );
    let list = |by: &str, heading: &str| body(&stage.report(&["--auto=no", by, "p"]), heading);
    let rows = [
        "600 (288.5%) a.c:1:f",
        "-300 (-144.2%) b.c:2:f",
        "-96 (-46.2%) c.c:3:f",
        "4 ( 1.92%) (1 line omitted)",
    ];
    assert_eq!(list("--by=line", "file:line:function"), rows);
    assert_eq!(
        list("--by=file", " file")[..3],
        ["600 (288.5%) a.c", "-300 (-144.2%) b.c", "-96 (-46.2%) c.c"]
    );

    // Of a derived event, although nothing that was counted is below zero.
    stage.write(
        "p",
        "events: Ir Dr\nfl=a.c\nfn=dear\n1 700 0\nfn=cheap\n2 0 600\nfn=little\n3 1 0\n",
    );
    let list = stage.report(&[
        "--auto=no",
        "--event=D = Ir - Dr",
        "--show=D",
        "--sort=D",
        "p",
    ]);
    assert_eq!(
        body(&list, "file:function"),
        ["700 (693.1%) a.c:dear", "-600 (-594.1%) a.c:cheap"]
    );
}

/// By hand from the profile above: `inline.h` has 7 of the function that begins in `a.cc`; two
/// functions are called `ns::A::f(int)`.
#[test]
fn costs_are_added_up_by_what_is_asked_for() {
    let by = |by: &str, heading: &str| body(&small(&[by, "--show=Ir"]), heading);
    assert_eq!(
        by("--by=file", " file"),
        ["73 (73.00%) a.cc", "20 (20.00%) ???", "7 ( 7.00%) inline.h"]
    );
    assert_eq!(
        by("--by=object", " object"),
        ["80 (80.00%) /bin/prog", "20 (20.00%) /lib/libc.so"]
    );
    assert_eq!(
        by("--by=class", " class"),
        ["82 (82.00%) ns::A", "18 (18.00%) (no class)"]
    );
    assert_eq!(
        by("--by=function", " function"),
        [
            "62 (62.00%) ns::A::f(int)",
            "20 (20.00%) ns::A::g()",
            "15 (15.00%) f",
            "3 ( 3.00%) main"
        ]
    );
}

#[test]
fn what_is_left_out_is_a_row() {
    let list = |args: &[&str]| body(&small(args), " file:function");
    assert_eq!(
        list(&["-n", "1"]),
        [
            "57 (57.00%) 5 (62.50%) a.cc:ns::A::f(int) [/bin/prog]",
            "43 (43.00%) 3 (37.50%) (4 functions omitted)"
        ]
    );
    assert_eq!(
        list(&["--min=10%", "--show=Ir"]).last().unwrap(),
        "8 ( 8.00%) (2 functions omitted)"
    );
    assert_eq!(
        list(&["--object=libc", "--not-function", "^f$", "--show=Ir"])[..],
        [
            "5 ( 5.00%) ???:ns::A::f(int) [/lib/libc.so]",
            "95 (95.00%) (4 functions omitted)"
        ]
    );
    assert_eq!(
        list(&["--file=^a", "--not-function=A::", "--show=Ir"])[0],
        "3 ( 3.00%) a.cc:main [/bin/prog]"
    );
    // What matches everything leaves nothing out, and there is no row.
    assert_eq!(list(&["--function=."]).len(), 5);
    // 20 of `g` and 15 of `f`; their sum is the first of the classes left.
    assert_eq!(
        body(
            &small(&["--by=class", "--not-function=f", "--show=Ir"]),
            " class"
        ),
        [
            "20 (20.00%) ns::A",
            "3 ( 3.00%) (no class)",
            "77 (77.00%) (the rest)"
        ]
    );
}

/// What was left out is told from what the totals have and no function does: more where a run was
/// zeroed while functions ran, less where the summary is of another time.
#[test]
fn what_no_function_has_is_a_row_of_its_own() {
    for (totals, missing) in [("90 9", "-10 1"), ("112 8", "12 0")] {
        let stage = Stage::empty();
        stage.write(
            "p",
            SMALL.replace("totals: 100 8", &format!("totals: {totals}")),
        );
        let rows = |args: &[&str], heading: &str| -> Vec<String> {
            let all = [
                args,
                &["--auto=no", "--threshold=100", "--show-percs=no", "p"],
            ]
            .concat();
            body(&stage.report(&all), heading)
        };
        let nowhere = format!("{missing} (not attributed to any function)");
        let list = rows(&["-n1"], " file:function");
        assert_eq!(
            list,
            [
                "57 5 a.cc:ns::A::f(int) [/bin/prog]",
                "43 3 (4 functions omitted)",
                &nowhere
            ]
        );
        assert_eq!(
            rows(&["--function=."], " file:function").last(),
            Some(&nowhere),
            "nothing is left out, and it is said"
        );
        assert_eq!(
            rows(&["--threshold=50"], " file:function").len(),
            5,
            "the classic report has no such rows"
        );
        let objects = rows(&["--by=object", "--not-object=libc"], " object");
        assert_eq!(
            objects,
            ["80 6 /bin/prog", "20 2 (1 object omitted)", &nowhere]
        );
        let classes = rows(&["--by=class", "--not-function=f"], " class");
        assert_eq!(
            classes,
            ["20 1 ns::A", "3 . (no class)", "77 7 (the rest)", &nowhere]
        );
        let table = stage.report(&["--format=markdown", "--show-percs=no", "-n1", "p"]);
        let cells = missing.replace(' ', " | ");
        for row in [
            "| 43 | 3 |  |  |  |  |  | (4 functions omitted) |  |  |\n",
            &format!("| {cells} |  |  |  |  |  | (not attributed to any function) |"),
        ] {
            assert!(table.contains(row), "{row}\n{table}");
        }
        let table = stage.report(&[
            "--format=markdown",
            "--show=Ir",
            "--show-percs=no",
            "--by=object",
            "-n1",
            "p",
        ]);
        assert!(table.contains("| 20 | (1 object omitted) |\n"), "{table}");
        // A program that reads the table finds rows of one kind only.
        assert!(
            !stage
                .report(&["--format=csv", "-n1", "p"])
                .contains("(in the")
        );
    }
}

/// An empty list would leave open whether the pattern or the program is to blame.
#[test]
fn filters_that_match_nothing_are_refused() {
    let stage = Stage::empty();
    stage
        .write("p", SMALL)
        .write("q", "events: Ir\nfl=q.c\nfn=alone\n1 5\n");
    let refused = |args: &[&str], why: &str| {
        let out = stage.run(args);
        assert_eq!(
            (out.status.code(), &out.stdout[..]),
            (Some(2), &b""[..]),
            "{args:?}"
        );
        assert_eq!(
            String::from_utf8(out.stderr).unwrap(),
            format!("cgannotate: {why}\n"),
            "{args:?}"
        );
    };
    refused(
        &["--function=MAIN", "p"],
        "--function: nothing matches `MAIN`\nhint: did you mean main?",
    );
    refused(
        &["--not-object=libm", "--by=file", "p"],
        "--not-object: nothing matches `libm`",
    );
    let libc = "--object: nothing matches `libd[.]so`\nhint: did you mean /lib/libc.so?";
    for form in ["text", "json", "csv", "markdown"] {
        refused(
            &["--object=libd[.]so", &format!("--format={form}"), "p"],
            libc,
        );
    }
    refused(
        &["--by=line", "--format=tsv", "--object=libd[.]so", "p"],
        libc,
    );
    refused(
        &["--function=main", "--not-file=libc", "p"],
        "--not-file: nothing matches `libc`",
    );
    refused(
        &["--zoom=main", "--not-file=libc", "p"],
        "--not-file: nothing matches `libc`",
    );
    let both = "--function: nothing matches `x1`; --not-file: nothing matches `y1`";
    refused(
        &["--function=main", "--function=x1", "--not-file=y1", "p"],
        both,
    );
    // One of several reports may have nothing that matches, but not all.
    refused(
        &["--split=input", "--function=alnoe", "p", "q"],
        "--function: nothing matches `alnoe`\nhint: did you mean alone?",
    );
    let split = stage.report(&["--split=input", "--function=alone", "--file=q.c", "p", "q"]);
    assert!(
        split.contains("q.c:alone") && split.contains("(5 functions omitted)"),
        "{split}"
    );
    // The file of inlined code, which no function is defined in.
    assert!(
        stage
            .report(&["--file=inline", "--auto=no", "p"])
            .contains("(5 functions omitted)")
    );
}

/// Each filter matches something, and still there is nothing to list: that is an answer, with a
/// word.
#[test]
fn an_empty_list_is_explained() {
    let stage = Stage::empty();
    stage.write("p", SMALL);
    let said = |args: &[&str]| {
        let out = stage.run(&[args, &["--auto=no", "p"]].concat());
        assert_eq!(out.status.code(), Some(0));
        String::from_utf8(out.stderr).unwrap()
    };
    assert_eq!(
        said(&["--function=main", "--object=libc", "--format=csv"]),
        "cgannotate: each filter matches something, but nothing passes all of them\n"
    );
    assert_eq!(
        said(&["--min=90"]),
        "cgannotate: nothing that passes the filters reaches the percentage of --min\n"
    );
    assert_eq!(said(&["-n1"]), "");
    let cut = "nothing that passes the filters is within --threshold";
    for options in [
        &["--threshold=0"][..],
        &["--sort=Ir:0"],
        &["--threshold=0", "--inclusive=yes"],
    ] {
        assert_eq!(
            said(&[options, &["--function=main"]].concat()),
            format!("cgannotate: {cut}\n"),
            "{options:?}"
        );
    }
    assert_eq!(
        said(&["--threshold=0", "--min=90"]),
        format!("cgannotate: {cut} and reaches the percentage of --min\n")
    );
    let none = "--by=class: no function name begins with a class or module\nhint: try --by=file or --by=object";
    assert_eq!(
        said(&["--by=class", "--not-function=::"]),
        "",
        "there are classes, which were left out"
    );
    assert_eq!(said(&["--by=class"]), "");
    let plain = SMALL.replace("ns::A::", "");
    assert_eq!(
        String::from_utf8(stage.write("p", plain).run(&["--by=class", "p"]).stderr).unwrap(),
        format!("cgannotate: {none}\n")
    );
}

/// Whatever is left out, the rows add up to the totals; by object they are the sums of the whole
/// list's rows.
#[test]
fn rows_add_up_to_the_totals() {
    let mut checked = 0;
    const RECORDED: [&str; 8] = [
        "bus",
        "cache",
        "cachegrind",
        "callers",
        "cxx",
        "interpreter",
        "rust",
        "shapes",
    ];
    for profile in some(profiles()).iter().filter(|p| !has_parts(p)) {
        let (fixture, file) = profile.split_once('/').unwrap();
        if !RECORDED.contains(&fixture) {
            continue;
        }
        let stage = Stage::of(fixture);
        let report = |args: &[&str], heading: &str| {
            let all: Vec<&str> = args
                .iter()
                .copied()
                .chain([LISTED, "--auto=no", file])
                .collect();
            let (total, rows) = rows(&stage.report(&all), heading);
            // Some summaries are a few counts off; only a last row makes up for that.
            if args != ["--threshold=100"] {
                assert_eq!(
                    rows.iter().map(|(count, _)| count).sum::<i64>(),
                    total,
                    "{profile} {args:?}"
                );
            }
            rows
        };
        report(&["-n", "3"], " file:function");
        report(&["--by=file", "--min=2%"], " file");
        report(&["--by=class", "-n", "2"], " class");
        report(&["--by=function"], " function");
        let objects = report(&["--by=object", "--threshold=100"], " object");
        let mut sums: BTreeMap<String, i64> = BTreeMap::new();
        for (count, line) in report(&["--threshold=100"], " file:function") {
            let object = line
                .rsplit_once(" [")
                .map_or("???", |(_, object)| object.trim_end_matches(']'));
            *sums.entry(object.to_owned()).or_default() += count;
        }
        for (count, line) in objects
            .into_iter()
            .filter(|(_, line)| !line.ends_with(" (not attributed to any function)"))
        {
            let object = sums
                .keys()
                .find(|object| line.ends_with(&format!(" {object}")))
                .expect(&line);
            assert_eq!(sums[object], count, "{profile} {line}");
        }
        checked += 1;
    }
    assert!(checked > at_least(15), "{checked}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let stage = Stage::empty();
    stage.write("p", SMALL);
    for args in [
        &["--by=file", "--inclusive=yes"][..],
        &["--by=file", "--tree=both"],
        &["--by=file", "--format=json"],
        &["--compat", "-n", "3"],
        &["--function=("],
        &["--min=200%"],
    ] {
        let all: Vec<&str> = args.iter().copied().chain(["p"]).collect();
        assert_eq!(stage.run(&all).status.code(), Some(2), "{args:?}");
    }
}

/// Lines of functions in text: dearest first, with the rows of what is left out, and no more than
/// were asked for.
#[test]
fn the_dearest_lines_are_a_list() {
    let stage = Stage::empty();
    let profile =
        "events: Ir\nob=bin\nfl=a.c\nfn=f\n3 500\n0 20\nfi=b.h\n7 300\nfl=a.c\nfn=g\n3 100\n9 80\n";
    stage.write("p", profile);
    let list = |args: &[&str]| {
        let text = stage.report(args);
        let rows = text.split_once("file:line:function").expect("a heading").1;
        let words = |row: &str| row.split_whitespace().collect::<Vec<_>>().join(" ");
        rows.lines()
            .skip(2)
            .map(words)
            .filter(|row| !row.is_empty())
            .collect::<Vec<_>>()
    };
    let all = [
        "500 (50.00%) a.c:3:f [bin]",
        "300 (30.00%) b.h:7:f [bin]",
        "100 (10.00%) a.c:3:g [bin]",
        "80 ( 8.00%) a.c:9:g [bin]",
        "20 ( 2.00%) a.c:?:f [bin]",
    ];
    assert_eq!(list(&["--by=line", "--threshold=100", "p"]), all);
    let rest = [
        "500 (50.00%) a.c:3:f [bin]",
        "300 (30.00%) b.h:7:f [bin]",
        "200 (20.00%) (3 lines omitted)",
    ];
    assert_eq!(list(&["-n", "2", "--by=line", "p"]), rest);
    assert_eq!(
        list(&["--by=line", "--file=b.h", "p"]),
        [rest[1], "700 (70.00%) (4 lines omitted)"]
    );
}

/// Filters that match, and leave nothing all the same, say why.
#[test]
fn filters_that_leave_nothing_say_why() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=main\n1 10\nfl=b.c\nfn=f\n2 3\nfi=inl.h\n7 5\n",
    );
    for (filters, why) in [
        (
            &["--file=inl.h"][..],
            "no function is defined in a matching file\nhint: --by=line lists the code from it that was inlined",
        ),
        (&["--not-function=."], "nothing passes the filter"),
        (
            &["--file=a.c", "--function=f"],
            "each filter matches something, but nothing passes all of them",
        ),
    ] {
        let out = stage.run(&[filters, &["--threshold=100", "p"]].concat());
        assert_eq!(
            String::from_utf8_lossy(&out.stderr),
            format!("cgannotate: {why}\n"),
            "{filters:?}"
        );
    }
    let lines = stage.report(&["--by=line", "--file=inl.h", "--format=csv", "p"]);
    assert_eq!(lines.lines().nth(1), Some("5,inl.h,7,f,"), "{lines}");
}
