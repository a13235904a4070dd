//! Own code: what library code cost is charged to its callers, in every form of the report.

use crate::common::amount::{at_least, some};
use crate::common::{Stage, assert_same, fixture, profiles};
use serde_json::Value;

/// Two own functions sort by comparisons of their own. a calls qsort for 60 at line 2, b for 40;
/// qsort has 20 itself and 10 in memcpy, the comparison 70 with 30 in strcmp; 3 are of no own
/// function. What qsort holds, 30, is divided.
pub const SORT: &str = "cmd: ./sort\nevents: Ir\nob=/home/me/sort\nfl=own.c\nfn=a\n1 5\n\
    cob=/lib/libc.so.6\ncfi=lib.c\ncfn=qsort\ncalls=1 1\n2 60\nfn=b\n1 7\n\
    cob=/lib/libc.so.6\ncfi=lib.c\ncfn=qsort\ncalls=1 1\n2 40\n\
    fn=compare\n4 40\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=strcmp\ncalls=9 1\n5 30\n\
    ob=/lib/libc.so.6\nfl=lib.c\nfn=qsort\n1 20\ncfn=memcpy\ncalls=1 1\n2 10\n\
    cob=/home/me/sort\ncfi=own.c\ncfn=compare\ncalls=9 1\n3 70\nfn=strcmp\n1 30\nfn=memcpy\n1 10\nfn=start\n1 3\n";

#[test]
fn rows_of_own_code_add_up_to_the_totals() {
    let stage = Stage::empty();
    stage.write("p", SORT);
    let want = "\
Ir           
--------------------------------------------------------------------------------
115 (100.0%)  PROGRAM TOTALS (calculated)

--------------------------------------------------------------------------------
Ir           file:function
--------------------------------------------------------------------------------
70 (60.87%)  own.c:compare [/home/me/sort]
23 (20.00%)  own.c:a (estimated: 5 to 35) [/home/me/sort]
19 (16.52%)  own.c:b (estimated: 7 to 37) [/home/me/sort]
 3 ( 2.61%)  ???:(not under your code)

";
    let text = stage.report(&["--own", "--auto=no", "p"]);
    assert_same(
        "own",
        want,
        text.split_once("off\n")
            .unwrap()
            .1
            .split_once("----\n")
            .unwrap()
            .1,
    );
    assert!(
        text.contains("Whose cost:       your code is /home/me/sort, relative paths, except libraries of the system"),
        "{text}"
    );
    let want = "Ir,Ir inclusive,calls,Ir per call,function,file,object,least,most\n\
        70,,,,compare,own.c,/home/me/sort,,\n23,,,,a,own.c,/home/me/sort,5,35\n\
        19,,,,b,own.c,/home/me/sort,7,37\n3,,,,(not under your code),???,,,\n";
    assert_same(
        "csv",
        want,
        &stage
            .report(&["--own", "--format=csv", "p"])
            .replace("\r", ""),
    );
    let want = "Ir,file,line,function,object\n40,own.c,4,compare,/home/me/sort\n30,own.c,5,compare,/home/me/sort\n\
        18,own.c,2,a,/home/me/sort\n12,own.c,2,b,/home/me/sort\n7,own.c,1,b,/home/me/sort\n5,own.c,1,a,/home/me/sort\n\
        3,???,0,(not under your code),\n";
    assert_same(
        "lines",
        want,
        &stage
            .report(&["--own", "--format=csv", "--by=line", "p"])
            .replace("\r", ""),
    );
}

/// What nobody's part of shared library code is, is known as little as theirs; and a function's own
/// page says what its row says.
#[test]
fn what_is_not_under_own_code_has_bounds_too() {
    let stage = Stage::empty();
    // start calls qsort for 10, so that the 20 of qsort are of three.
    stage.write("p", format!("{SORT}2 0\ncfn=qsort\ncalls=1 1\n2 10\n"));
    let text = stage.report(&["--own", "--auto=no", "p"]);
    let rest = text
        .lines()
        .find(|line| line.contains("(not under your code)"));
    let (_, bounds) = rest.unwrap().split_once(" (estimated: ").expect(&text);
    let (least, most) = bounds.trim_end_matches(')').split_once(" to ").unwrap();
    let csv = stage.report(&["--own", "--format=csv", "p"]);
    assert!(
        csv.contains(&format!(",(not under your code),???,,{least},{most}\r\n"))
            || csv.contains(&format!(",(not under your code),???,,{least},{most}\n")),
        "{csv}"
    );
    let rows = text
        .lines()
        .filter(|line| line.contains(" (estimated: "))
        .count();
    let said = stage.run(&["--own", "p"]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(
        rows == 3 && said.contains("the own cost of 2 functions is an estimate"),
        "{said}"
    );
    let a = text
        .lines()
        .find(|line| line.contains(" own.c:a (estimated: "))
        .unwrap();
    let bounds = &a[a.find(" (estimated").unwrap()..a.find(" [/home").unwrap()];
    let zoom = stage.report(&["--own", "--auto=no", "--zoom=a", "p"]);
    assert!(
        zoom.contains(&format!(
            " own: it and the library code that it calls{bounds}\n"
        )),
        "{zoom}"
    );
}

/// What library code calls is called as often as that says, though two own functions are behind it.
#[test]
fn calls_by_foreign_code_are_counted() {
    let stage = Stage::empty();
    let main = format!("{SORT}ob=/home/me/sort\nfl=own.c\nfn=main\n9 1\ncfn=a\ncalls=1 1\n9 65\n");
    let page = stage
        .write("p", main)
        .report(&["--own", "--auto=no", "--zoom=compare", "p"]);
    assert!(page.contains("\nCalls:            9\n"), "{page}");
    assert!(
        page.lines()
            .any(|line| line.ends_with(" < (from outside, or not recorded)")),
        "{page}"
    );
    let json = stage.json(&["--own", "p"]);
    let functions = json["functions"].as_array().unwrap();
    let called: Vec<_> = functions
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), &one["called"]))
        .collect();
    let called = |name: &str| called.iter().find(|one| one.0 == name).unwrap().1.as_u64();
    assert_eq!(["compare", "a"].map(called), [Some(9), Some(1)]);
}

/// A call to libc is part of the line that makes it, and is said below it.
#[test]
fn a_line_says_what_foreign_code_did_for_it() {
    let stage = Stage::empty();
    stage
        .write("p", SORT)
        .write("own.c", "one\ntwo\nthree\nfour\nfive\n");
    let text = stage.report(&["--own", "--auto=yes", "p"]);
    let line = |text: &str| {
        let two: Vec<&str> = text
            .lines()
            .skip_while(|line| !line.ends_with(" five"))
            .take(2)
            .collect();
        two.join("|")
    };
    assert_eq!(
        line(&text),
        "30 (26.09%)  five|30 (26.09%)  below: 26.1 % in 1 library function"
    );
    // Both own functions call qsort from line 2.
    assert!(
        text.contains("30 (26.09%)  two\n30 (26.09%)  below: 26.1 % in 1 library function\n"),
        "{text}"
    );
}

/// Below a line are the library functions that it paid for, which add up to what they are together.
#[test]
fn a_line_lists_the_library_functions_that_it_paid_for() {
    let stage = Stage::empty();
    let calls = (1..=7).map(|at| {
        format!(
            "cob=/lib/libc.so.6\ncfi=lib.c\ncfn=f{at}\ncalls={at} 1\n2 {}\n",
            100 * at + 1
        )
    });
    let bodies = (1..=7).map(|at| format!("fn=f{at}\n1 {}\n", 100 * at + 1));
    stage.write("own.c", "one\ntwo\nthree\n").write(
        "p",
        format!(
            "cmd: ./app\nevents: Ir\n\nob=/me/app\nfl=own.c\nfn=main\n1 10\n2 5\n{}\
             cob=/lib/libc.so.6\ncfi=lib.c\ncfn=tiny\ncalls=1 1\n3 2\n\n\
             ob=/lib/libc.so.6\nfl=lib.c\n{}fn=tiny\n1 2\n",
            calls.collect::<String>(),
            bodies.collect::<String>()
        ),
    );
    for args in [&["--own", "--auto=yes"][..], &["--own", "--zoom=main"]] {
        let text = stage.report(&[args, &["--show-percs=no", "p"]].concat());
        let lines = text.lines().skip_while(|line| !line.ends_with("  two"));
        let lines: Vec<&str> = lines.take(10).map(str::trim_start).collect();
        assert_eq!(
            lines[..8],
            [
                "2,812  two",
                "2,807  below: 99.4 % in 7 library functions",
                "  701  => lib.c:f7 (7x, 100 each) [/lib/libc.so.6]",
                "  601  => lib.c:f6 (6x, 100 each) [/lib/libc.so.6]",
                "  501  => lib.c:f5 (5x, 100 each) [/lib/libc.so.6]",
                "  401  => lib.c:f4 (4x, 100 each) [/lib/libc.so.6]",
                "  301  => lib.c:f3 (3x, 100 each) [/lib/libc.so.6]",
                "  302  (2 more)",
            ]
            .map(str::trim_start),
            "{text}"
        );
        // What is less than 0.1 % is not listed.
        assert_eq!(
            lines[8..],
            ["2  three", "2  below: 0.1 % in 1 library function"],
            "{text}"
        );
    }
}

#[test]
fn folded_code_is_charged_to_its_callers() {
    let stage = Stage::empty();
    stage.write("p", SORT);
    let functions = |options: &[&str]| -> Vec<String> {
        let text = stage.report(&[&["--format=csv"], options, &["p"]].concat());
        text.lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                format!("{} {}", cells[0], cells[4])
            })
            .collect()
    };
    assert_eq!(functions(&["--fold=^strcmp$"])[0], "70 compare");
    assert_eq!(
        functions(&["--fold=memcpy|strcmp"]),
        ["70 compare", "30 qsort", "7 b", "5 a", "3 start"]
    );
    let folded = functions(&["--fold=^lib"]);
    assert_eq!(
        folded,
        [
            "70 compare",
            "23 a",
            "19 b",
            "3 (folded code without callers)",
        ]
    );
    assert_eq!(
        functions(&["--own-code=compare"]),
        ["70 compare", "45 (not under your code)"]
    );
    let refused = stage.run(&["--compat", "--own", "p"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Filters are for what is listed: what is charged to its callers is not there, and files have lost
/// the current folder.
#[test]
fn filters_are_for_own_code() {
    let stage = Stage::empty();
    let here = stage.dir.join("own.c");
    stage.write("p", SORT.replace("own.c", here.to_str().unwrap()));
    let csv = stage.report(&["--own", "--format=markdown", "--file=^own", "p"]);
    assert!(csv.contains("compare") && !csv.contains("strcmp"), "{csv}");
    for form in ["text", "csv"] {
        let out = stage.run(&[
            "--own",
            &format!("--format={form}"),
            "--auto=no",
            "--function=strcmp",
            "p",
        ]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains("nothing matches `strcmp`"), "{form}: {said}");
        let rows = stage.report(&[
            "--own",
            &format!("--format={form}"),
            "--auto=no",
            "--function=^compare$",
            "p",
        ]);
        assert!(
            rows.contains("compare") && !rows.contains("own.c:a"),
            "{form}: {rows}"
        );
    }
}

/// Whatever the profile, nothing is lost.
/// Patterns that match nothing were mistyped; of two runs, they match in neither.
#[test]
fn mistyped_patterns_are_told() {
    let stage = Stage::empty();
    stage.write("p", SORT).write(
        "q",
        "cmd: ./sort\nevents: Ir\nob=/home/me/sort\nfl=own.c\nfn=a\n1 5\nsummary: 5\n",
    );
    let said = |words: &[&str]| {
        let out = stage.run(words);
        assert!(out.status.success(), "{words:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        said.lines()
            .filter(|line| line.contains("nothing matches") || line.starts_with("hint: "))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let hint = "cgannotate: --fold: nothing matches `^qsrt$`\nhint: did you mean qsort?";
    let fold = [
        "--fold=^qsrt$",
        "--fold=memcpy",
        "--fold=lib",
        "--fold=libc",
    ];
    for form in ["text", "json", "csv"] {
        assert_eq!(
            said(&[&fold[..], &["--format", form, "p"]].concat()),
            hint,
            "{form}"
        );
    }
    // Own code is what a pattern matches by object, file or name.
    let own = [
        "--own",
        "--own-code=own[.]c",
        "--own-code=me/sort",
        "--own-code=^compare$",
        "--own-code=^owm",
    ];
    let hint = "cgannotate: --own-code: nothing matches `^owm`";
    for (first, files) in [
        (&[][..], &["p"][..]),
        (&["convert", "--to=folded"], &["p"]),
        (&["diff"], &["q", "p"]),
    ] {
        assert_eq!(said(&[first, &own[..], files].concat()), hint, "{first:?}");
    }
}

/// A report in which all is `(not under your code)` would look like an answer. What belongs to the
/// system is never own.
#[test]
fn patterns_by_which_nothing_is_own_are_refused() {
    let stage = Stage::empty();
    stage.write("p", SORT);
    let why = "cgannotate: --own-code: nothing that matches is your code: code of the system and of toolchains never is\n";
    for pattern in ["--own-code=nonesuch", "--own-code=libc"] {
        let before: &[&[&str]] = &[
            &["--own"],
            &["--own", "--zoom=a"],
            &["--format=csv", "--own"],
            &["--format=json", "--own"],
            &["--format=html", "--own"],
            &["convert", "--to=folded", "--own"],
            &["diff", "--own", "p"],
        ];
        for words in before {
            let out = stage.run(&[words, &[pattern, "p"][..]].concat());
            let said = String::from_utf8(out.stderr).unwrap();
            assert_eq!(
                (out.status.code(), out.stdout.len()),
                (Some(2), 0),
                "{words:?}: {said}"
            );
            assert!(said.ends_with(why), "{words:?}: {said}");
        }
    }
    // Own code that only one of two runs has is enough.
    stage.write(
        "q",
        "cmd: ./sort\nevents: Ir\nob=/home/me/sort\nfl=other.c\nfn=z\n1 5\nsummary: 5\n",
    );
    stage.report(&["diff", "--own", "--own-code=other[.]c", "p", "q"]);
}

#[test]
fn every_profile_adds_up() {
    let stage = Stage::empty();
    let mut seen = 0;
    for name in some(profiles()) {
        let file = fixture(&name);
        let sum = |options: &[&str]| -> i128 {
            let text =
                stage.report(&[&["--format=csv", "--show-percs=no"], options, &[&file]].concat());
            let rows = text
                .lines()
                .skip(1)
                .filter(|line| !line.contains("in no function"));
            rows.map(|line| line.split(',').next().unwrap().parse::<i128>().unwrap())
                .sum()
        };
        let all = sum(&[]);
        for options in [
            &["--own"][..],
            &["--fold=."],
            &["--own-code=main"],
            &["--fold=a"],
        ] {
            // Where nothing is own code by it, there is no report.
            if options == ["--own-code=main"]
                && stage.run(&[options[0], "-n1", &file]).status.code() == Some(2)
            {
                continue;
            }
            assert_eq!(sum(options), all, "{name} {options:?}");
            seen += 1;
        }
    }
    assert!(seen > at_least(100), "{seen}");
}

/// JSON says of every function whose code it is, and what it cost at least and at most; with the
/// row that is left, values are the totals.
#[test]
fn json_has_own_costs_beside_all_others() {
    let stage = Stage::empty();
    stage.write("p", SORT);
    let json = stage.json(&["--own", "p"]);
    assert_eq!(json["own_code"], serde_json::json!(["(by rule)"]));
    assert_eq!(json["not_under_own"], serde_json::json!([3]));
    let functions = json["functions"].as_array().unwrap();
    let of = |name: &str| {
        functions
            .iter()
            .find(|function| function["name"] == name)
            .unwrap()
    };
    assert_eq!(
        of("a")["own_cost"],
        serde_json::json!([{"value": 23, "least": 5, "most": 35}])
    );
    assert_eq!(
        of("compare")["own_cost"],
        serde_json::json!([{"value": 70, "least": 70, "most": 70}])
    );
    assert!(of("qsort")["own"] == false && of("qsort").get("own_cost").is_none());
    // The line of the call costs a nothing itself.
    let lines = json["lines"].as_array().unwrap();
    let a = functions
        .iter()
        .position(|function| function["name"] == "a")
        .unwrap();
    let line = lines
        .iter()
        .find(|line| line["function"] == a && line["line"] == 2)
        .unwrap();
    assert_eq!(
        (&line["self"], &line["own_cost"][0]["value"]),
        (&serde_json::json!([0]), &18.into())
    );
    // All of it is qsort's.
    let library = line["library"].as_array().unwrap();
    let [one] = &library[..] else {
        panic!("{library:?}")
    };
    assert_eq!(
        (&one["name"], &one["calls"], &one["cost"]),
        (&"qsort".into(), &1.into(), &serde_json::json!([18]))
    );
    // Calls are counted, even if the object is not known.
    stage.write(
        "no-object",
        "events: Ir\nfl=a.c\nfn=main\n1 1\ncfi=/usr/include/x.h\ncfn=helper\ncalls=3 1\n1 30\n\
         fl=/usr/include/x.h\nfn=helper\n1 30\n",
    );
    let without = stage.json(&["--own", "no-object"]);
    let mut all = without["lines"].as_array().unwrap().iter();
    let library = all.find_map(|line| line["library"].get(0)).unwrap();
    assert_eq!(
        (&library["object"], &library["calls"]),
        (&"".into(), &3.into())
    );
    let sum = |records: &[Value]| -> i64 {
        records
            .iter()
            .filter_map(|record| record["own_cost"][0]["value"].as_i64())
            .sum()
    };
    assert_eq!([sum(functions), sum(lines)], [112; 2]);
    let plain = stage.json(&["p"]);
    assert!(plain.get("own_code").is_none() && plain["functions"][0].get("own").is_none());
}

/// Other formats and comparisons are of own code, too, and say so.
#[test]
fn comparisons_and_other_formats_are_of_own_code() {
    let stage = Stage::empty();
    stage.write("p", SORT).write(
        "q",
        SORT.replace("fn=strcmp\n1 30", "fn=strcmp\n1 50")
            .replace("5 30", "5 50"),
    );
    let run = |args: &[&str]| {
        let out = stage.run(args);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace('\r', "");
        (text(out.stdout), text(out.stderr))
    };
    let (text, said) = run(&["diff", "--own", "--format=csv", "p", "q"]);
    assert!(text.contains("\n70,90,20,changed,compare,"), "{text}");
    assert!(
        !text.contains("strcmp") && said.contains("your code is /home/me/sort, relative paths"),
        "{text}{said}"
    );
    // What is estimated in either run is marked, with what the change can be.
    stage.write(
        "r",
        SORT.replace("fn=qsort\n1 20", "fn=qsort\n1 30")
            .replace("2 60", "2 70"),
    );
    let (text, _) = run(&["diff", "--own", "--format=csv", "p", "r"]);
    assert!(
        text.starts_with("Ir old,Ir new,Ir change,status,function,file,object,least,most\n"),
        "{text}"
    );
    assert!(
        text.contains("\n23,30,7,changed,a,own.c,/home/me/sort,-30,40\n"),
        "{text}"
    );
    let (text, _) = run(&["diff", "--own", "p", "r"]);
    assert!(text.contains("  self (estimated: -30 to +40)\n"), "{text}");
    let (text, _) = run(&["diff", "--own", "--format=json", "p", "r"]);
    let json: Value = serde_json::from_str(&text).unwrap();
    let a = json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["new"]["name"] == "a")
        .unwrap();
    assert_eq!(
        a["estimated"],
        serde_json::json!([{"least": -30, "most": 40}])
    );
    let (text, _) = run(&["diff", "--format=json", "p", "r"]);
    assert!(!text.contains("estimated"), "{text}");
    let (text, said) = run(&["convert", "--to=folded", "--own", "p"]);
    assert!(
        text.contains("compare 70\n") && !text.contains("qsort"),
        "{text}"
    );
    assert!(said.contains("your code is /home/me/sort"), "{said}");
    let sum: i64 = text
        .lines()
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<i64>().ok())
        .sum();
    assert_eq!(sum, 115);
}

/// A limit on an estimate is kept if the most keeps it, exceeded if the least exceeds it, and
/// between them not known.
#[test]
fn limits_on_own_cost_know_its_bounds() {
    let stage = Stage::empty();
    stage.write("p", SORT.to_owned() + "totals: 115\n");
    let check = |limit: &str, options: &[&str]| {
        let out = stage.run(
            &[
                &["check", "p", "--config=/dev/null", "--limit", limit],
                options,
            ]
            .concat(),
        );
        (
            out.status.code().unwrap(),
            String::from_utf8(out.stdout).unwrap(),
        )
    };
    let own = &["--own-code=^own"];
    for (limit, status) in [
        ("own.Ir(a) <= 35", 0),
        ("own.Ir(a) <= 34", 4),
        ("own.Ir(a) <= 5", 4),
        ("own.Ir(a) <= 4", 3),
        ("own.Ir(qsort) <= 1", 4),
        ("own.Ir(compare) <= 70", 0),
        ("own.Ir(compare) <= 69", 3),
        ("sum(own.Ir(a), own.Ir(compare)) <= 105", 0),
        ("max(own.Ir(a), own.Ir(compare)) <= 70", 0),
    ] {
        let (got, text) = check(limit, own);
        assert_eq!(got, status, "{limit}: {text}");
    }
    let (_, text) = check("own.Ir(a) <= 20", own);
    assert!(
        text.contains("the own cost is an estimate, from 5 to 35"),
        "{text}"
    );
    assert_eq!(
        check("own.Ir(a) <= 35", &[]).0,
        2,
        "what is own must be said"
    );
    // A profile to compare with has bounds, too; a saved baseline has no calls.
    assert_eq!(
        check(
            "own.Ir(compare) <= +0",
            &["--own-code=^own", "--baseline=p"]
        )
        .0,
        0
    );
    assert_eq!(
        check("own.Ir(a) <= +0", &["--own-code=^own", "--baseline=p"]).0,
        4
    );
    stage.report(&["check", "p", "--config=/dev/null", "--save-baseline=base"]);
    assert_eq!(
        check(
            "own.Ir(compare) <= +0",
            &["--own-code=^own", "--baseline=base"]
        )
        .0,
        4
    );
    // One that was saved with own costs has them, with their bounds; of the same code only.
    stage.report(&[
        "check",
        "p",
        "--config=/dev/null",
        "--own-code=^own",
        "--save-baseline=base",
    ]);
    let saved = std::fs::read_to_string(stage.dir.join("base")).unwrap();
    assert!(
        saved.starts_with("# cgannotate baseline 2\n") && saved.contains("\nown-code: ^own\n"),
        "{saved}"
    );
    assert!(
        saved.contains("\t23\t5\t35\n")
            && saved.contains("\tcompare\t") | saved.contains("\ncompare\t"),
        "{saved}"
    );
    let against =
        |limit: &str, code: &str| check(limit, &[&format!("--own-code={code}"), "--baseline=base"]);
    assert_eq!(against("own.Ir(compare) <= +0", "^own").0, 0);
    assert_eq!(against("own.Ir(a) <= +30", "^own").0, 0);
    assert_eq!(against("own.Ir(a) <= +29", "^own").0, 4);
    let (status, text) = against("own.Ir(compare) <= +0", "own.c");
    assert!(
        status == 4 && text.contains("the baseline has no own costs of this code"),
        "{text}"
    );
    for spoilt in [
        saved.replace("own-code: ^own\n", ""),
        saved.replace("\t23\t5\t35\n", "\t23\t5\n"),
        saved.replace("\t23\t5\t35\n", "\t23\t5\t35\t1\n"),
        saved.replace("baseline 2", "baseline 3"),
    ] {
        stage.write("base", &spoilt);
        assert_eq!(against("own.Ir(compare) <= +0", "^own").0, 1);
    }
    // What is own can stand beside the limits.
    stage.write(
        "limits.toml",
        "own-code = ['^own']\n[[limit]]\nexpression = 'own.Ir(compare) <= 69'\n",
    );
    assert_eq!(
        stage
            .run(&["check", "p", "--config=limits.toml"])
            .status
            .code(),
        Some(3)
    );
    stage.write("limits.toml", "own-code = ['(']\n");
    let refused = stage.run(&["check", "p", "--config=limits.toml", "--limit=total.Ir<=1"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        String::from_utf8(refused.stderr)
            .unwrap()
            .contains("limits.toml: own-code: ")
    );
}

/// Much cost that is not under own code is said, and where it begins: with one thread that was the
/// loader, and the note spoke of threads.
#[test]
fn what_is_not_under_own_code_begins_somewhere() {
    let stage = Stage::empty();
    let said = |profile: &str| {
        stage.write("p", profile);
        String::from_utf8(stage.run(&["--own", "--auto=no", "p"]).stderr).unwrap()
    };
    // The loader's 50 of 53; what calls it calls the program, too, and has 1 itself.
    let loader = "cmd: ./a\nevents: Ir\nob=/lib/ld.so\nfl=???\nfn=0x1000\n0 1\ncfn=_dl_start\ncalls=1 0\n0 50\n\
        cob=/lib/libc.so.6\ncfn=(below main)\ncalls=1 0\n0 49\nfn=_dl_start\n0 10\ncfn=_dl_relocate\ncalls=1 0\n0 40\n\
        fn=_dl_relocate\n0 40\nob=/lib/libc.so.6\nfn=(below main)\n0 2\n\
        cob=/home/me/a\ncfi=own.c\ncfn=main\ncalls=1 1\n0 47\nfn=puts\n0 17\n\
        ob=/home/me/a\nfl=own.c\nfn=main\n1 30\ncob=/lib/libc.so.6\ncfi=???\ncfn=puts\ncalls=1 0\n2 17\n";
    assert_eq!(
        said(loader),
        "cgannotate: 53 % is not under your code; most of it begins in _dl_start (ld.so)\n"
    );
    // A recursive library function that nobody calls, one that leads to another, and little of a
    // third.
    let several = "cmd: ./a\nevents: Ir\nob=/home/me/a\nfl=own.c\nfn=main\n1 40\nob=/lib/libb.so\nfl=???\n\
        fn=again\n0 25\ncfn=again\ncalls=3 0\n0 20\nob=/lib/libc.so.6\nfn=clone\n0 1\n\
        cob=/lib/libb.so\ncfn=work\ncalls=1 0\n0 29\nfn=few\n0 5\nob=/lib/libb.so\nfn=work\n0 29\n";
    assert_eq!(
        said(several),
        "cgannotate: 60 % is not under your code: 30 % begins in clone (libc.so.6), 25 % begins in again (libb.so)\n"
    );
}

/// What the compiler makes to call the allocator has no file, and is in the program: 40 of its 90
/// are its own, 50 those of the system's library.
#[test]
fn the_allocator_of_rust_is_charged_to_its_callers() {
    let text = |name: &str| {
        format!(
            "cmd: ./app\nevents: Ir\nob=/home/me/app\nfl=src/main.rs\nfn=app::main\n3 10\ncfi=???\ncfn={name}\ncalls=1 0\n3 90\n\
             fl=???\nfn={name}\n0 40\ncob=/lib/libc.so.6\ncfn=malloc\ncalls=1 0\n0 50\nob=/lib/libc.so.6\nfn=malloc\n0 50\n"
        )
    };
    for name in ["__rustc::__rust_alloc", "__rust_alloc", "__rdl_dealloc"] {
        let stage = Stage::empty();
        stage.write("p", text(name));
        let csv = stage.report(&["--own", "--format=csv", "p"]);
        assert_eq!(
            csv.lines().nth(1).unwrap(),
            "100,,,,app::main,src/main.rs,/home/me/app,,",
            "{csv}"
        );
    }
}
