//! `cgannotate diff`: the promises of the comparison over all fixtures, and known changes of known
//! programs.

use crate::common::amount::{at_least, some};
use crate::common::{Stage, fixtures, profiles};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Output;

const OLD: &str = "server/server.old.out";
const NEW: &str = "server/server.new.out";

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs `diff` in `fixtures/`.
fn diff(args: &[&str]) -> Output {
    let stage = Stage::empty();
    let mut command = stage.command(&[&["diff"], args].concat());
    command.current_dir(fixtures()).output().unwrap()
}

fn report(args: &[&str]) -> String {
    let out = diff(args);
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    text(&out.stdout)
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&report(&[&["--format=json"], args].concat())).unwrap()
}

/// The sum of these comparisons, by event name: old, new, change.
fn sum(document: &Value, parts: &[&Value]) -> BTreeMap<String, [i128; 3]> {
    let mut sums = BTreeMap::new();
    for (at, event) in document["events"].as_array().unwrap().iter().enumerate() {
        let sum: &mut [i128; 3] = sums.entry(event.as_str().unwrap().to_owned()).or_default();
        for part in parts {
            for (have, side) in sum.iter_mut().zip(["old", "new", "change"]) {
                *have += i128::from(part[side][at].as_i64().unwrap());
            }
        }
    }
    sums
}

fn rows<'d>(document: &'d Value, key: &str) -> &'d Vec<Value> {
    document[key].as_array().unwrap()
}

fn function<'d>(document: &'d Value, name: &str) -> &'d Value {
    let has = |row: &&Value| row["new"]["name"] == name || row["old"]["name"] == name;
    rows(document, "functions")
        .iter()
        .find(has)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// Two profiles of every folder of fixtures, of different runs or of one run recorded differently.
fn pairs() -> Vec<(String, String)> {
    // Those of leaks share no event with any other; cases have nothing to do with one another.
    let all: Vec<String> = profiles()
        .into_iter()
        .filter(|name| !name.contains("leak") && !name.starts_with("cases/"))
        .collect();
    let mut pairs = vec![(format!("diff/{OLD}"), format!("diff/{NEW}"))];
    for two in all.windows(2) {
        let folder = |profile: &str| profile.split('/').next().unwrap().to_owned();
        let another = pairs
            .last()
            .is_none_or(|(a, _)| folder(a) != folder(&two[0]));
        if folder(&two[0]) == folder(&two[1]) && another {
            pairs.push((two[0].clone(), two[1].clone()));
        }
    }
    assert!(pairs.len() > 10, "{pairs:?}");
    pairs
}

/// `+416,770 in a` says little where `b` has `+380,831` more: as many places are named as make up
/// 80 % of the change.
#[test]
fn the_places_that_explain_a_change_are_named() {
    let stage = Stage::empty();
    let profile = |costs: [u32; 4]| {
        let mut text =
            "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 1\ncfn=top\ncalls=1 2\n1 ".to_owned();
        text += &format!("{}\nfn=top\n2 10\n", 10 + costs.iter().sum::<u32>());
        for (name, cost) in ["a", "b", "c", "d"].iter().zip(costs) {
            text += &format!("cfn={name}\ncalls=1 1\n3 {cost}\n");
        }
        for (name, cost) in ["a", "b", "c", "d"].iter().zip(costs) {
            text += &format!("fn={name}\n5 {cost}\n");
        }
        text
    };
    let why = |new: [u32; 4]| {
        stage
            .write("old", profile([100; 4]))
            .write("new", profile(new));
        let text = stage
            .report(&["diff", "--inclusive=yes", "old", "new"])
            .replace('\n', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, after) = text.split_once("Ir a call, was 410: ").expect(&text);
        after.split(" Ir").next().unwrap().to_owned()
    };
    let has = |new: [u32; 4], words: &str| assert!(why(new).starts_with(words), "{}", why(new));
    has([500, 480, 110, 100], "+400 in a and +380 in b ");
    has([200, 200, 200, 100], "+100 in a, +100 in b and +100 in c ");
    has([200, 200, 200, 200], "+100 in a, +100 in b and +100 in c ");
    has([900, 150, 100, 100], "+800 in a ");
    stage.write("new", profile([500, 480, 110, 100]));
    let json: serde_json::Value = serde_json::from_str(&stage.report(&[
        "diff",
        "--inclusive=yes",
        "--format=json",
        "old",
        "new",
    ]))
    .unwrap();
    let top = json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["new"]["name"] == "top")
        .unwrap();
    assert_eq!(top["inside"]["callee"], "a");
    let more =
        serde_json::json!([{"place": "callee", "callee": "b", "thousandths_per_call": 380_000}]);
    assert_eq!(top["inside_more"], more);
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let mut read = 0;
    for profile in some(profiles()) {
        let out = diff(&[
            "--format=json",
            "--by=line",
            "--allow-truncated",
            &profile,
            &profile,
        ]);
        if out.status.code() != Some(0) {
            // Some cases are there to be refused.
            assert!(
                profile.starts_with("cases/") && out.stdout.is_empty(),
                "{profile}: {}",
                text(&out.stderr)
            );
            continue;
        }
        read += 1;
        let document: Value = serde_json::from_slice(&out.stdout).unwrap();
        for key in ["functions", "lines", "warnings"] {
            assert_eq!(rows(&document, key).len(), 0, "{profile}: {key}");
        }
        for key in ["others", "appeared", "disappeared", "other_lines"] {
            assert_eq!(document[key]["count"], 0, "{profile}: {key}");
        }
        assert_eq!(
            document["total"]["old"], document["total"]["new"],
            "{profile}"
        );
    }
    assert!(read > at_least(40), "only {read} profiles were read");
}

#[test]
fn backwards_is_the_negation() {
    let swapped = |counts: &Value| {
        let negated: Vec<i64> = rows(counts, "change")
            .iter()
            .map(|c| -c.as_i64().unwrap())
            .collect();
        (counts["new"].clone(), counts["old"].clone(), negated)
    };
    let plain = |counts: &Value| {
        let change: Vec<i64> = rows(counts, "change")
            .iter()
            .map(|c| c.as_i64().unwrap())
            .collect();
        (counts["old"].clone(), counts["new"].clone(), change)
    };
    let mut compared = 0;
    for (a, b) in some(pairs()) {
        for options in [
            &["--by=line"][..],
            &["--exact"],
            &["--threshold=70"],
            &["--inclusive=yes", "--threshold=90"],
        ] {
            let there = json(&[options, &[&a, &b]].concat());
            let back = json(&[options, &[&b, &a]].concat());
            if there["events"] != back["events"] {
                continue; // the same events in another order
            }
            assert_eq!(
                rows(&there, "functions").len(),
                rows(&back, "functions").len(),
                "{a} {b}"
            );
            for (x, y) in rows(&there, "functions")
                .iter()
                .zip(rows(&back, "functions"))
            {
                compared += 1;
                assert_eq!(
                    (&x["old"], &x["new"]),
                    (&y["new"], &y["old"]),
                    "{a} {b} {options:?}"
                );
                assert_eq!(
                    (&x["calls"]["old"], &x["calls"]["new"]),
                    (&y["calls"]["new"], &y["calls"]["old"])
                );
                assert_eq!(plain(&x["self"]), swapped(&y["self"]), "{a} {b}");
                assert_eq!(plain(&x["inclusive"]), swapped(&y["inclusive"]), "{a} {b}");
            }
            for key in ["total", "outside"] {
                assert_eq!(plain(&there[key]), swapped(&back[key]), "{a} {b}: {key}");
            }
            for (x, y) in [
                ("others", "others"),
                ("unchanged", "unchanged"),
                ("appeared", "disappeared"),
            ] {
                assert_eq!(there[x]["count"], back[y]["count"], "{a} {b}: {x}");
                assert_eq!(
                    plain(&there[x]["self"]),
                    swapped(&back[y]["self"]),
                    "{a} {b}: {x}"
                );
            }
            if options == ["--by=line"] {
                let sorted = |document: &Value, old: &str, new: &str, sign: i64| {
                    let key = |row: &Value| {
                        let change = row["self"]["change"][0].as_i64().unwrap() * sign;
                        (
                            row[old].as_u64(),
                            row[new].as_u64(),
                            row["function"].to_string(),
                            change,
                        )
                    };
                    let mut keys: Vec<_> = rows(document, "lines").iter().map(key).collect();
                    keys.sort();
                    keys
                };
                let (x, y) = (
                    sorted(&there, "old_line", "new_line", 1),
                    sorted(&back, "new_line", "old_line", -1),
                );
                // The name of a renamed function is that of the new side.
                let without = |keys: &[(Option<u64>, Option<u64>, String, i64)]| -> Vec<_> {
                    let mut keys: Vec<_> = keys.iter().map(|(a, b, _, c)| (*a, *b, *c)).collect();
                    keys.sort_unstable();
                    keys
                };
                assert_eq!(without(&x), without(&y), "{a} {b}");
            }
        }
    }
    assert!(compared > at_least(1000), "only {compared} rows");
}

/// `step`, which 1 call goes to, costs 300 instead of 100.
#[test]
fn reasons_have_arguments_of_templates_only_where_these_tell_apart() {
    let sort = "void sort<std::vector<int, std::allocator<int> > >";
    for (step, in_short) in [
        ("void step<std::vector<long> >", true),
        ("void sort<long>", false),
    ] {
        let stage = Stage::empty();
        for (name, cost) in [("old", 100), ("new", 300)] {
            let main = format!(
                "fl=a.cpp\nfn=main\ncfn={sort}(int)\ncalls=1 1\n5 {}\n",
                cost + 10
            );
            let calls = format!(
                "fn={sort}(int)\n1 10\ncfn={step}(int)\ncalls=1 2\n2 {cost}\nfn={step}(int)\n2 {cost}\n"
            );
            stage.write(name, format!("events: Ir\n{main}{calls}"));
        }
        let text = stage
            .report(&["diff", "--inclusive=yes", "old", "new"])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let [of_sort, of_step] = if in_short {
            ["void sort<…>", "void step<…>"]
        } else {
            [sort, step]
        };
        let reason = format!(
            "{of_sort} +181.8 %: 1 call as before; 310 Ir a call, was 110: +200 in {of_step} "
        );
        assert!(text.contains(&reason), "{reason}: {text}");
    }
}

/// What objects, files and classes cost in either run is what the list of that run alone says.
#[test]
fn objects_files_and_classes_are_those_of_each_run() {
    let list = |by: &str, profile: &str, event: &str| -> BTreeMap<String, i64> {
        let by = format!("--by={by}");
        let args = [
            &by,
            "--format=csv",
            "--threshold=100",
            "--allow-truncated",
            "--show",
            event,
            profile,
        ];
        let out = Stage::empty()
            .command(&args)
            .current_dir(fixtures())
            .output()
            .unwrap();
        let mut reader = csv::Reader::from_reader(&out.stdout[..]);
        // Rests are in brackets, too.
        let is_name = |row: &csv::StringRecord| {
            !row[1].starts_with('(') || row[1].starts_with("(anonymous namespace)")
        };
        let rows = reader.records().map(Result::unwrap).filter(is_name);
        rows.map(|row| (row[1].to_owned(), row[0].parse().unwrap()))
            .collect()
    };
    let mut compared = 0;
    // The first pair can always be compared.
    for (a, b) in pairs().into_iter().take(1).chain(some(pairs())) {
        for by in ["object", "file", "class"] {
            let of = |old: &str, new: &str| json(&["--exact", &format!("--by={by}"), old, new]);
            let (there, back) = (of(&a, &b), of(&b, &a));
            let Some(event) = there["events"][0].as_str() else {
                continue;
            };
            if event.contains(' ') || there["events"] != back["events"] {
                continue;
            }
            let lists = [("old", list(by, &a, event)), ("new", list(by, &b, event))];
            for row in rows(&there, "groups") {
                for (side, list) in &lists {
                    let Some(name) = row[side].as_str().filter(|name| !name.is_empty()) else {
                        continue;
                    };
                    let alone = list.get(name).copied().unwrap_or(0);
                    assert_eq!(
                        row["self"][side][0].as_i64(),
                        Some(alone),
                        "{a} {b} {by} {name}"
                    );
                    compared += 1;
                }
            }
            let changes = |document: &Value, sign: i64| -> BTreeMap<String, i64> {
                let name = |row: &Value| {
                    row["new"]
                        .as_str()
                        .or(row["old"].as_str())
                        .unwrap()
                        .to_owned()
                };
                let change = |row: &Value| row["self"]["change"][0].as_i64().unwrap() * sign;
                rows(document, "groups")
                    .iter()
                    .map(|row| (name(row), change(row)))
                    .collect()
            };
            assert_eq!(changes(&there, 1), changes(&back, -1), "{a} {b} {by}");
            assert_eq!(rows(&of(&a, &a), "groups").len(), 0, "{a} {by}");
        }
    }
    assert!(compared > at_least(200), "only {compared} were compared");
}

/// Added up by hand: `parse` moved from one library to the other, the hash of the program changed,
/// and one class is new.
#[test]
fn changes_are_added_up_by_object_file_and_class() {
    let stage = Stage::empty();
    let function = |object: &str, file: &str, name: &str, cost: u32| {
        format!("ob={object}\nfl={file}\nfn={name}\n1 {cost}\n")
    };
    let (program, other) = ("/b/app-0123456789abcdef", "/b/app-fedcba9876543210");
    let old = [
        (program, "main.rs", "main", 10),
        ("liba.so", "a.c", "Reader::parse", 30),
        ("libb.so", "b.c", "Writer::put", 5),
    ];
    let new = [
        (other, "main.rs", "main", 12),
        ("libb.so", "a.c", "Reader::parse", 37),
        ("libb.so", "b.c", "Log::put", 5),
    ];
    for (name, functions) in [("old", old), ("new", new)] {
        let body: String = functions
            .into_iter()
            .map(|(ob, fl, f, cost)| function(ob, fl, f, cost))
            .collect();
        stage.write(name, format!("version: 1\nevents: Ir\n{body}"));
    }
    let table = |options: &[&str]| {
        let csv = stage.report(&[&["diff", "--format=csv"], options, &["old", "new"]].concat());
        csv.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        table(&["--by=object"]),
        [
            "5,42,37,changed,libb.so",
            "30,0,-30,gone,liba.so",
            "10,12,2,changed,/b/app-fedcba9876543210"
        ]
    );
    assert_eq!(
        table(&["--by=file"]),
        ["30,37,7,changed,a.c", "10,12,2,changed,main.rs"]
    );
    assert_eq!(
        table(&["--by=class", "--exact"]),
        [
            "30,37,7,changed,Reader",
            "0,5,5,new,Log",
            "5,0,-5,gone,Writer",
            "10,12,2,changed,"
        ]
    );
    assert_eq!(
        table(&["--by=object", "--function=main"]),
        ["10,12,2,changed,/b/app-fedcba9876543210"]
    );
    let text = stage.report(&["diff", "--by=object", "-n", "2", "old", "new"]);
    for line in ["libb.so\n", "liba.so  (gone)\n", "\n1 other\n"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert!(text.ends_with("0 objects did not change.\n"), "{text}");
    let text = stage.report(&["diff", "--by=class", "--exact", "old", "new"]);
    assert!(
        text.contains("(no class)\n") && text.ends_with("0 classes did not change.\n"),
        "{text}"
    );
}

#[test]
fn the_rows_add_up_to_the_totals() {
    let mut listed = 0;
    let rest = |document: &Value, keys: [&str; 4]| -> Vec<Value> {
        let mut parts: Vec<Value> = rows(document, keys[0])
            .iter()
            .map(|row| row["self"].clone())
            .collect();
        parts.extend([
            document[keys[1]]["self"].clone(),
            document[keys[2]]["self"].clone(),
            document[keys[3]].clone(),
        ]);
        parts
    };
    for (a, b) in pairs() {
        // The last leaves no function.
        for threshold in [
            "--threshold=100",
            "--threshold=60",
            "--threshold=0",
            "--rows=2",
            "--not-function=.",
        ] {
            let document = json(&["--by=line", threshold, &a, &b]);
            let total = sum(&document, &[&document["total"]]);
            let functions = rest(&document, ["functions", "others", "unchanged", "outside"]);
            assert_eq!(
                sum(&document, &functions.iter().collect::<Vec<_>>()),
                total,
                "{a} {b} {threshold}"
            );
            let lines = rest(
                &document,
                ["lines", "other_lines", "unchanged_lines", "outside_lines"],
            );
            assert_eq!(
                sum(&document, &lines.iter().collect::<Vec<_>>()),
                total,
                "{a} {b} {threshold}: lines"
            );
        }
        for (by, threshold) in [
            ("object", "--threshold=60"),
            ("file", "--file=a"),
            ("class", "--not-function=[aeiou]$"),
        ] {
            let out = diff(&["--format=json", &format!("--by={by}"), threshold, &a, &b]);
            if out.status.code() == Some(2) && threshold == "--file=a" {
                assert!(
                    text(&out.stderr).contains("--file: nothing matches `a`"),
                    "{a} {b}: {}",
                    text(&out.stderr)
                );
                continue;
            }
            let document: Value = serde_json::from_slice(&out.stdout).unwrap();
            listed += rows(&document, "groups").len();
            let groups = rest(
                &document,
                [
                    "groups",
                    "other_groups",
                    "unchanged_groups",
                    "outside_groups",
                ],
            );
            let total = sum(&document, &[&document["total"]]);
            assert_eq!(
                sum(&document, &groups.iter().collect::<Vec<_>>()),
                total,
                "{a} {b} {by} {threshold}"
            );
        }
    }
    assert!(listed > 100, "only {listed} objects, files and classes");
}

/// One program built by Cargo in two folders: its hashes and its paths differ, in mangled names
/// (fixtures/README.md).
#[test]
fn two_builds_of_one_program_match() {
    let sides = ["diff/mail/mail.ci.out", "diff/mail/mail.home.out"];
    let unmatched = |options: &[&str]| {
        let document = json(&[options, &sides].concat());
        let count = |counts: &Value, side: &str| counts[side][0].as_i64().unwrap();
        let new = count(&document["appeared"]["self"], "new") as f64
            / count(&document["total"], "new") as f64;
        let old = count(&document["disappeared"]["self"], "old") as f64
            / count(&document["total"], "old") as f64;
        old.max(new)
    };
    assert_eq!(unmatched(&[]), 0.0);
    assert!(
        unmatched(&["--exact"]) > 0.05,
        "the fixture shows nothing: {}",
        unmatched(&["--exact"])
    );
    // Two instances of a generic function, which only their hashes tell apart, are one row.
    let document = json(
        &[
            &["--mod-funcname", "s/^mail::letters::sorted$/x/"],
            &sides[..],
        ]
        .concat(),
    );
    assert_eq!(document["appeared"]["count"], 0);
}

/// server.c calls checksum 20 times with 16 steps, later 30 times with 24. In the profiles: 20
/// calls of 165 Ir, 30 of 245.
#[test]
fn a_change_is_split_exactly() {
    let checksum = function(
        &json(&[&format!("diff/{OLD}"), &format!("diff/{NEW}")]),
        "checksum",
    )
    .clone();
    assert_eq!(checksum["calls"], serde_json::json!({"old": 20, "new": 30}));
    assert_eq!(checksum["inclusive"]["old"][0], 20 * 165);
    assert_eq!(checksum["inclusive"]["new"][0], 30 * 245);
    let expected = serde_json::json!({"more": 10 * 165, "dearer": 20 * 80, "joint": 10 * 80});
    assert_eq!(checksum["split"][0], expected);
    assert_eq!(
        checksum["inclusive"]["change"][0],
        10 * 165 + 20 * 80 + 10 * 80
    );
    assert_eq!(
        checksum["inside"],
        serde_json::json!({"place": "own", "callee": null, "thousandths_per_call": 80_000})
    );
}

#[test]
fn every_split_adds_up() {
    let mut splits = 0;
    for (a, b) in pairs() {
        for row in rows(&json(&[&a, &b]), "functions") {
            for (at, split) in rows(row, "split")
                .iter()
                .enumerate()
                .filter(|(_, split)| !split.is_null())
            {
                splits += 1;
                let terms: i64 = ["more", "dearer", "joint"]
                    .iter()
                    .map(|term| split[*term].as_i64().unwrap())
                    .sum();
                assert_eq!(
                    terms,
                    row["inclusive"]["change"][at].as_i64().unwrap(),
                    "{a} {b}: {row}"
                );
            }
        }
    }
    assert!(splits > 500, "only {splits} splits");
}

/// server.c, line 40 of http.c: the new program's retry loop decodes each message three times.
#[test]
fn the_arc_that_grew_is_named() {
    let report = report(&[&format!("diff/{OLD}"), &format!("diff/{NEW}")]);
    let flat = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in [
        "decode +200.0 %: 3.0x the calls, all from retry_loop (http.c:40); 32 Ir a call as before",
        "checksum +122.7 %: 1.5x the calls, all from main (server.c:25); 245 Ir a call, was 165: +80 in the function itself; \
         called more often +1,650, more expensive per call +1,600, both at once +800",
        "retry_loop +229.4 %: 100 calls as before; 112 Ir a call, was 34: +64 in decode",
        "+12,187 +101.8 % 11,966 → 24,153 Ir PROGRAM TOTALS",
        "decode /srv/new/http.c [server] +3,200 +200.0 % 1,600 → 4,800 self +6,400 +200.0 % 3,200 → 9,600 inclusive",
    ] {
        assert!(flat.contains(sentence), "{sentence}\n{report}");
    }
    assert!(
        report.lines().all(|line| line.chars().count() <= 80),
        "{report}"
    );
}

/// `run +100.0 %: … +12 in run and +6 in run` says nothing, and `fib` called by `fib` is its second
/// level, `fib'2`.
#[test]
fn a_sentence_tells_functions_of_one_short_name_apart() {
    let stage = Stage::empty();
    let run = |n: u32| {
        let (a, b, fib) = (6 * n, 12 * n, 40 * n);
        format!(
            "cmd: a\nevents: Ir\nfl=a.c\nfn=main\n1 10\ncfn=C::run(int)\ncalls=1 2\n1 {}\ncfn=fib(int)\ncalls=1 5\n1 {}\n\
             fn=C::run(int)\n2 10\ncfn=A::run(int)\ncalls=1 3\n2 {a}\ncfn=B::run(int)\ncalls=1 4\n2 {b}\n\
             fn=A::run(int)\n3 {a}\nfn=B::run(int)\n4 {b}\n\
             fn=fib(int)\n5 10\ncfn=fib(int)'2\ncalls={n} 5\n5 {fib}\nfn=fib(int)'2\n5 {fib}\n",
            10 + a + b,
            10 + fib
        )
    };
    stage.write("run-1", run(1)).write("run-2", run(2));
    let flat = |args: &[&str]| {
        stage
            .report(args)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let report = flat(&["diff", "--inclusive=yes", "run-1", "run-2"]);
    // A call of C::run costs 10 + 6 + 12, then 10 + 12 + 24.
    for sentence in [
        "C::run +64.3 %: 1 call as before; 46 Ir a call, was 28: +12 in B::run and +6 in A::run",
        "fib +80.0 %: 1 call as before; 90 Ir a call, was 50: +40 in fib'2",
        "fib'2 +100.0 %: 2.0x the calls, from fib (a.c:5); 40 Ir a call as before",
        " run +100.0 %: 1 call as before; 24 Ir a call, was 12: +12 in the function itself",
    ] {
        assert!(report.contains(sentence), "{sentence}\n{report}");
    }
    for at in 1..=14 {
        stage.add(&format!("runs/{at}"), run(if at > 12 { 2 } else { 1 }));
    }
    let trend = flat(&["trend", "runs"]);
    assert!(
        trend.contains("largest change in fib'2: 40 → 80 (+40)"),
        "{trend}"
    );
}

#[test]
fn new_gone_and_renamed_functions_are_marked() {
    let document = json(&[&format!("diff/{OLD}"), &format!("diff/{NEW}")]);
    let status = |name| function(&document, name)["status"].clone();
    assert_eq!(status("scan_headers"), "renamed");
    assert_eq!(
        function(&document, "scan_headers")["old"]["name"],
        "scan_header"
    );
    assert_eq!(
        (status("log_text"), status("log_line")),
        ("gone".into(), "new".into())
    );
    assert_eq!(
        (
            document["appeared"]["count"].as_u64(),
            document["disappeared"]["count"].as_u64()
        ),
        (Some(1), Some(1))
    );
    let text = report(&[
        "--threshold=100",
        &format!("diff/{OLD}"),
        &format!("diff/{NEW}"),
    ]);
    for mark in [
        "scan_headers  (was scan_header)",
        "log_text  (gone)",
        "log_line  (new)",
    ] {
        assert!(text.contains(mark), "{mark}\n{text}");
    }
    let exact = json(&["--exact", &format!("diff/{OLD}"), &format!("diff/{NEW}")]);
    assert!(
        rows(&exact, "functions")
            .iter()
            .all(|row| row["status"] == "new"
                || row["status"] == "gone"
                || row["old"]["object"] == row["new"]["object"])
    );
    assert_eq!(function(&exact, "scan_headers")["status"], "new");
}

/// Of calls that were added all can be from one caller, though another calls less.
#[test]
fn all_added_calls_are_from_one_caller() {
    let stage = Stage::empty();
    let run = |a: u32, b: u32| {
        let of =
            |name: &str, n: u32| format!("fn={name}\n1 10\ncfn=f\ncalls={n} 1\n2 {}\n", n * 10);
        format!(
            "cmd: a\nevents: Ir\nfl=a.c\n{}{}fn=f\n3 {}\n",
            of("alpha", a),
            of("beta", b),
            (a + b) * 10
        )
    };
    stage
        .write("old", run(100, 1000))
        .write("new", run(1000, 400));
    let text = stage.report(&["diff", "old", "new"]);
    assert!(text.contains("1.3x the calls, 100 % from alpha"), "{text}");
}

/// Tables have the bounds of estimates for the event that orders, as JSON has them for each.
#[test]
fn bounds_in_tables_are_of_the_sort_event() {
    let stage = Stage::empty();
    let run = |k: i64| {
        let two = |n: i64| format!("{} {}", n * k, n * 3 + k);
        format!(
            "cmd: ./app\nevents: Ir Dr\nob=/me/app\nfl=own.c\nfn=main\n1 {}\ncfn=a\ncalls=1 1\n2 {}\ncfn=b\ncalls=1 1\n3 {}\n\
             fn=a\n4 {}\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=sort\ncalls=1 1\n4 {}\nfn=b\n5 {}\ncob=/lib/libc.so.6\ncfi=lib.c\n\
             cfn=sort\ncalls=1 1\n5 {}\nfn=compare\n6 {}\nob=/lib/libc.so.6\nfl=lib.c\nfn=sort\n7 {}\ncob=/me/app\ncfi=own.c\n\
             cfn=compare\ncalls=9 6\n8 {}\n",
            two(1),
            two(50),
            two(60),
            two(10),
            two(40),
            two(10),
            two(50),
            two(60),
            two(30),
            two(60)
        )
    };
    stage.write("old", run(1)).write("new", run(4));
    let args = |form: &'static str, sort: &'static str| {
        ["diff", "--own", "--threshold=100", form, sort, "old", "new"]
    };
    for (at, sort) in ["--sort=Ir", "--sort=Dr"].into_iter().enumerate() {
        let json: Value =
            serde_json::from_str(&stage.report(&args("--format=json", sort))).unwrap();
        let estimated = |name: &str| function(&json, name)["estimated"][at].clone();
        let csv = stage.report(&args("--format=csv", sort));
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let bounded: Vec<_> = rows
            .iter()
            .filter(|row| row.get(10).is_some_and(|least| !least.is_empty()))
            .collect();
        assert!(bounded.len() > 1, "{csv}");
        for row in bounded {
            let known = estimated(&row[7]);
            let bounds = [10, 11].map(|at| row[at].parse::<i64>().unwrap());
            assert_eq!(
                bounds,
                [&known["least"], &known["most"]].map(|bound| bound.as_i64().unwrap()),
                "{sort}: {row:?}"
            );
        }
    }
}

/// A renamed function is left out by either of its names, and is there for either.
#[test]
fn renamed_functions_are_filtered_by_both_names() {
    let pair = [&format!("diff/{OLD}")[..], &format!("diff/{NEW}")];
    for name in ["^scan_header$", "^scan_headers$"] {
        let text = report(
            &[
                &["--threshold=100", &format!("--function={name}")][..],
                &pair,
            ]
            .concat(),
        );
        assert!(text.contains("scan_headers  (was scan_header)"), "{text}");
        let text = report(
            &[
                &["--threshold=100", &format!("--not-function={name}")][..],
                &pair,
            ]
            .concat(),
        );
        assert!(
            !text.contains("(was scan_header)") && text.contains("log_text  (gone)"),
            "{text}"
        );
    }
}

#[test]
fn the_last_row_is_for_the_others() {
    let text = report(&[
        "--threshold=50",
        &format!("diff/{OLD}"),
        &format!("diff/{NEW}"),
    ]);
    // 4,050 + 3,200 are more than half of all changes; what is left of 12,187 stands with the
    // others.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("6 others +4,937 "), "{text}");
}

/// So many rows, whatever they make up.
#[test]
fn a_number_of_rows_ends_the_list() {
    let sides = [format!("diff/{OLD}"), format!("diff/{NEW}")];
    let with =
        |options: &[&'static str]| [options, &[sides[0].as_str(), sides[1].as_str()]].concat();
    assert_eq!(
        report(&with(&["-n", "1000"])),
        report(&with(&["--threshold=100"]))
    );
    for cost in ["--inclusive=no", "--inclusive=yes"] {
        let (two, all) = (json(&with(&["-n2", cost])), json(&with(&[cost])));
        assert_eq!(
            rows(&two, "functions"),
            &rows(&all, "functions")[..2],
            "{cost}"
        );
        let lines = json(&with(&["--by=line", "--rows=1", cost]));
        assert_eq!(rows(&lines, "lines").len(), 1, "{cost}");
    }
    // Either ends it: two functions make up half of all changes.
    for (rows, left) in [("1", "7 others"), ("2", "6 others"), ("3", "6 others")] {
        let listed = report(&with(&["-n", rows, "--threshold=50"]));
        assert!(listed.contains(left), "{rows}: {listed}");
    }
}

/// What is left out is with the others; a name need be in one of the runs only, and stands as that
/// run has it.
#[test]
fn filters_leave_functions_to_the_others() {
    let (old, new) = (format!("diff/{OLD}"), format!("diff/{NEW}"));
    let all = json(&[&old, &new]);
    let names = |document: &Value| -> Vec<String> {
        let name = |row: &Value| {
            row["new"]["name"]
                .as_str()
                .or(row["old"]["name"].as_str())
                .unwrap()
                .to_owned()
        };
        rows(document, "functions").iter().map(name).collect()
    };
    let gone = rows(&all, "functions")
        .iter()
        .find(|row| row["status"] == "gone")
        .unwrap();
    let gone = gone["old"]["name"].as_str().unwrap();
    for name in [&names(&all)[0], gone] {
        let one = json(&[&format!("--function=^{name}$"), &old, &new]);
        assert_eq!(names(&one), [name]);
        assert_eq!(
            function(&one, name),
            function(&all, name),
            "it is what it is beside others"
        );
        assert_eq!(one["others"]["count"], names(&all).len() - 1);
    }
    // Beside its lines, the changes of no other function.
    let first = &names(&all)[0];
    let source = |args: &[&str]| {
        report(
            &[
                args,
                &["--auto=yes", "--context=0", "-I", "diff/server", &old, &new],
            ]
            .concat(),
        )
    };
    let changed = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with(['+', '-']) && line.contains(';'))
            .count()
    };
    let (whole, narrow) = (source(&[]), source(&[&format!("--function=^{first}$")]));
    assert!((1..changed(&whole)).contains(&changed(&narrow)), "{narrow}");
    // `serve` costs 1,400 in both.
    for by in [
        "--by=function",
        "--by=line",
        "--by=object",
        "--by=file",
        "--by=class",
    ] {
        let said = |options: &[&str]| text(&diff(&[&[by], options, &[&old, &new]].concat()).stderr);
        assert!(
            said(&["--function=^serve$"]).ends_with("nothing that passes the filters changed\n"),
            "{by}"
        );
        // Of what changed, none need be listed.
        for options in [
            &["-n1"][..],
            &["--threshold=0"],
            &["--threshold=0", "--inclusive=yes"],
        ] {
            if options.contains(&"--inclusive=yes") && !["--by=function", "--by=line"].contains(&by)
            {
                continue; // it is refused
            }
            let all = said(&[&["--function=^(serve|main)$"], options].concat());
            assert!(!all.contains("filters"), "{by} {options:?}: {all}");
        }
        assert!(
            said(&["--function=^serve$", "-n1"])
                .ends_with("nothing that passes the filters changed\n"),
            "{by}"
        );
    }
    let out = diff(&["--function=no_such_name", &old, &new]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("--function: nothing matches `no_such_name`"),
        "{}",
        text(&out.stderr)
    );
    assert_eq!(
        diff(&["--function=a", "--format=html", &old, &new])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn sides_are_two_files_or_lists() {
    let stage = Stage::empty();
    let profile = |name: &str, main: u32| {
        format!("version: 1\ncmd: x\nevents: Ir\nfl=a.c\nfn={name}\n1 {main}\n")
    };
    stage
        .write("a1", profile("f", 1))
        .write("a2", profile("g", 10));
    stage
        .write("b1", profile("f", 100))
        .write("b2", profile("g", 1000))
        .write("-b", profile("f", 7));
    let total = |args: &[&str]| {
        let out = stage.run(&[&["diff", "--format=json"], args].concat());
        assert_eq!(
            out.status.code(),
            Some(0),
            "{args:?}: {}",
            text(&out.stderr)
        );
        let document: Value = serde_json::from_slice(&out.stdout).unwrap();
        (
            document["total"]["old"][0].as_i64().unwrap(),
            document["total"]["new"][0].as_i64().unwrap(),
        )
    };
    assert_eq!(total(&["a1", "b1"]), (1, 100));
    assert_eq!(total(&["a1", "--", "b1"]), (1, 100));
    assert_eq!(total(&["a1", "a2", "--", "b1"]), (11, 100));
    assert_eq!(total(&["a1", "--", "b1", "b2"]), (1, 1100));
    assert_eq!(total(&["a1", "a2", "--", "b1", "b2"]), (11, 1100));
    assert_eq!(total(&["a1", "--exact", "a2", "--", "-b"]), (11, 7));
    assert_eq!(total(&["--", "a1", "-b"]), (1, 7));
    for wrong in [
        &[][..],
        &["a1"],
        &["a1", "--"],
        &["--", "a1"],
        &["a1", "a2", "b1"],
        &["a1", "--", "b1", "--", "b2"],
        &["-", "-"],
        &["a1", "b1", "--mod-funcname=s/(/x/"],
        &["a1", "b1", "--mod-filename=a"],
        &["a1", "b1", "--by=thread"],
        &["a1", "b1", "--by=file", "--inclusive=yes"],
        &["a1", "b1", "--by=object", "--format=html"],
    ] {
        let out = stage.run(&[&["diff"], wrong].concat());
        assert_eq!(
            out.status.code(),
            Some(2),
            "{wrong:?}: {}",
            text(&out.stderr)
        );
        assert!(out.stdout.is_empty() && !out.stderr.is_empty(), "{wrong:?}");
    }
    let out = stage.run(&["diff", "a1", "missing"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
}

#[test]
fn substitutions_bring_names_together() {
    let sides = [format!("diff/{OLD}"), format!("diff/{NEW}")];
    let with = |options: &[&str]| json(&[options, &[&sides[0], &sides[1]]].concat());
    let counts = |document: &Value| {
        (
            document["appeared"]["count"].as_u64(),
            document["disappeared"]["count"].as_u64(),
        )
    };
    let paths = ["--exact", "--mod-filename=s|^/srv/\\w+/|/|"];
    // Left are scan_header(s), log_text and log_line.
    assert_eq!(counts(&with(&paths)), (Some(2), Some(2)));
    // `$1x` is the first group and an x.
    let names = [
        "--mod-funcname=s/^(SCAN_header)s$/$1x/i",
        "--mod-funcname=s/_headerx?/_x/",
        "--mod-funcname=s/log_.*/log/",
    ];
    assert_eq!(
        counts(&with(&[&paths[..], &names].concat())),
        (Some(0), Some(0))
    );
}

#[test]
fn runs_are_compared_on_what_they_share() {
    // Ir and Ge; and thirteen events without Ge.
    let (a, b) = (
        "bus/matrix.toggle.out",
        "cache/matrix.cachebranch.toggle.out",
    );
    let out = diff(&["--format=json", a, b]);
    let document: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(document["events"], serde_json::json!(["Ir"]));
    let said = text(&out.stderr);
    assert!(
        said.contains("only the old run has Ge; only events of both runs are compared"),
        "{said}"
    );
    assert!(said.contains("only the new run has Dr, Dw, "), "{said}");
    assert_eq!(rows(&document, "warnings").len(), said.lines().count());
    // Bytes and blocks against instructions.
    let out = diff(&["xtree/words.memory.kcg", a]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(1), 0));
    assert!(text(&out.stderr).contains("no event in common"));

    let stage = Stage::empty();
    let profile = |creator: &str, command: &str| {
        format!("creator: {creator}\ncmd: {command}\nevents: Ir\nfn=f\n1 1\n")
    };
    stage
        .write("a", profile("callgrind-3.19.0", "/one/prog 5"))
        .write("b", profile("callgrind-3.22.0", "/two/prog 6"));
    stage.write("c", profile("callgrind-3.19.0", "./prog 5"));
    let said = |args: &[&str]| text(&stage.run(args).stderr);
    let both = said(&["diff", "a", "b"]);
    assert!(
        both.contains("callgrind-3.19.0 and callgrind-3.22.0"),
        "{both}"
    );
    assert!(
        both.contains("the commands differ: `/one/prog 5` and `/two/prog 6`"),
        "{both}"
    );
    assert_eq!(
        said(&["diff", "a", "c"]),
        "",
        "the folder of the program is no difference"
    );
}

/// Who asks for some functions gets all of them, however little they changed.
#[test]
fn every_changed_function_that_was_asked_for_is_listed() {
    let stage = Stage::empty();
    let profile =
        |a: u32, b: u32| format!("events: Ir\nfl=a.c\nfn=one\n1 {a}\nfn=two\n2 {b}\nfn=far\n3 9\n");
    stage
        .write("old", profile(100, 1000))
        .write("new", profile(101, 9000));
    let text = |args: &[&str]| stage.report(&[&["diff", "old", "new"], args].concat());
    assert!(
        !text(&[]).contains("one  a.c"),
        "1 of 8,001 is less than one percent"
    );
    assert!(
        text(&["--function=o"]).contains("one  a.c"),
        "{}",
        text(&["--function=o"])
    );
}

/// With several threads both sides are read at a time.
#[test]
fn both_sides_are_told_of_in_order_for_any_number_of_threads() {
    let stage = Stage::empty();
    stage
        .write("bad", "events: Ir\nfn=f\n1 2\nnonsense\n")
        .write("cut", "events: Ir\nfn=f\n1 2\ncalls=x\n3");
    stage
        .write("none", "nothing of a profile\n")
        .write("good", "events: Ir\nfn=f\n1 2\n");
    let sides = ["bad", "cut", "none", "good"];
    let (mut said, mut failed) = (0, 0);
    for (old, new) in sides.iter().flat_map(|old| sides.map(|new| (*old, new))) {
        for strict in [&[][..], &["--strict"]] {
            let run =
                |threads| stage.run(&[&["diff", "--threads", threads, old, new], strict].concat());
            let [one, two, five] = ["1", "2", "5"].map(run);
            assert_eq!(one, two, "{old} {new}");
            assert_eq!(one, five, "{old} {new}");
            said += usize::from(!one.stderr.is_empty());
            failed += usize::from(!one.status.success());
        }
    }
    assert!(said > 16 && failed > 16, "{said} {failed}");
}

/// An error of the first side does not wait for a second one that may never come.
#[cfg(unix)]
#[test]
fn an_error_of_the_first_side_is_told_at_once() {
    let stage = Stage::empty();
    assert!(stage.any("mkfifo", &["never"]).status().unwrap().success());
    let program = env!("CARGO_BIN_EXE_cgannotate");
    let out = stage
        .any(
            "timeout",
            &["20", program, "diff", "--threads=2", "missing", "never"],
        )
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.code() == Some(1) && said.starts_with("cgannotate: missing: "),
        "{said}"
    );
}

/// A name that is there without any cost is that of no file: it takes nobody's place.
#[test]
fn only_files_with_costs_are_paired() {
    let stage = Stage::empty();
    let others =
        |k: u32, k2: u32| format!("fl=k.c\nfn=f\n1 {k}\nfi=b/x.c\nfl=k2.c\nfn=f\n1 {k2}\n");
    stage.write(
        "old",
        format!("events: Ir\nfl=a/x.c\nfn=f\n1 100\n{}", others(90, 5)),
    );
    stage.write(
        "new",
        format!(
            "events: Ir\nfl=c/b/x.c\nfn=f\n1 150\n{}",
            others(95, 6).replace("fi=b/x.c\n", "")
        ),
    );
    let csv = stage.report(&["diff", "--format=json", "--threshold=100", "old", "new"]);
    let document: Value = serde_json::from_str(&csv).unwrap();
    let costs = |row: &&Value| {
        row["self"]["old"] == serde_json::json!([100])
            && row["self"]["new"] == serde_json::json!([150])
    };
    assert!(
        rows(&document, "functions").iter().any(|row| costs(&row)),
        "{document}"
    );
}

#[test]
fn lines_of_a_function_that_moved_are_matched() {
    let stage = Stage::empty();
    let profile = |first: u64, cost: u64| {
        format!(
            "events: Ir\nfl=a.c\nfn=f\n{first} 5\n{} {cost}\n{} 7\n",
            first + 1,
            first + 4
        )
    };
    stage
        .write("a", profile(10, 20))
        .write("b", profile(30, 25));
    let document: Value = serde_json::from_slice(
        &stage
            .run(&["diff", "--by=line", "--format=json", "a", "b"])
            .stdout,
    )
    .unwrap();
    let lines = rows(&document, "lines");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (lines[0]["old_line"].as_u64(), lines[0]["new_line"].as_u64()),
        (Some(11), Some(31))
    );
    assert_eq!(lines[0]["self"]["change"][0], 5);
    assert_eq!(document["unchanged_lines"]["count"], 2);
}

/// What is at a line that is not known is another thing than what a line that moved would be before
/// the file's first.
#[test]
fn unknown_lines_are_kept_apart_from_moved_ones() {
    let stage = Stage::empty();
    // The function moved up by five lines, and with it the fifth, which the new file no longer has.
    stage.write(
        "old",
        "events: Ir\nfl=a.c\nfn=f\n0 100\n5 7\n10 20\n11 30\n",
    );
    stage.write("new", "events: Ir\nfl=a.c\nfn=f\n0 90\n5 20\n6 30\n");
    let document: Value = serde_json::from_slice(
        &stage
            .run(&[
                "diff",
                "--by=line",
                "--threshold=100",
                "--format=json",
                "old",
                "new",
            ])
            .stdout,
    )
    .unwrap();
    let row = |line: &Value| {
        let number = |key: &str| line[key].as_u64();
        (
            number("old_line"),
            number("new_line"),
            line["self"]["change"][0].as_i64(),
        )
    };
    let lines: Vec<_> = rows(&document, "lines").iter().map(row).collect();
    assert_eq!(
        lines,
        [(Some(0), Some(0), Some(-10)), (Some(5), None, Some(-7))]
    );
    assert_eq!(document["outside_lines"]["change"][0], 0);

    // Of twelve calls fewer, twenty are gone from the fifth line, and eight are new at one that is
    // not known.
    let call =
        |line: u64, count: u64| format!("cfn=leaf\ncalls={count} 1\n{line} {}\n", 10 * count);
    let profile =
        |calls: &str, leaf: u64| format!("events: Ir\nfl=a.c\nfn=main\n{calls}fn=leaf\n1 {leaf}\n");
    let (old, new) = (
        format!("5 7\n{}10 20\n11 30\n", call(5, 20)),
        format!("0 7\n{}5 20\n6 30\n", call(0, 8)),
    );
    stage
        .write("old", profile(&old, 200))
        .write("new", profile(&new, 80));
    let document: Value =
        serde_json::from_slice(&stage.run(&["diff", "--format=json", "old", "new"]).stdout)
            .unwrap();
    let caller = &function(&document, "leaf")["caller"];
    assert_eq!(
        (&caller["change"], &caller["site"]["line"]),
        (&Value::from(-12), &Value::from(5)),
        "{caller}"
    );
}

#[test]
fn changes_stand_beside_source_lines() {
    let stage = Stage::of("diff");
    let report = stage.report(&[
        "diff",
        OLD,
        NEW,
        "--auto=yes",
        "--context=0",
        "-I",
        "server",
    ]);
    let lines: Vec<&str> = report.lines().map(str::trim_end).collect();
    for line in [
        "+2,800  2,240 → 5,040          a = a * 31 + p[i & 3];",
        "+1,200      . → 1,200          sum += p[i] ^ i;",
        "  -800    800 → .              sum += p[i];",
        "+2,400  1,200 → 3,600      return (h ^ c) * 16777619u;",
    ] {
        assert!(lines.contains(&line), "{line}\n{report}");
    }
    assert!(
        !lines.iter().any(|line| line.ends_with("unsigned sum = 0;")),
        "an unchanged line: {report}"
    );
}

/// All files in which a listed function changed, whatever the cost of their lines.
#[test]
fn sources_of_the_functions_that_are_listed() {
    let stage = Stage::empty();
    let run = |costs: [u32; 4]| {
        let [header, first, second, other] = costs;
        format!(
            "events: Ir\nfl=a.c\nfn=f\n1 {first}\n2 {second}\nfi=h.h\n1 {header}\nfe=a.c\nfl=b.c\nfn=g\n1 {other}\n"
        )
    };
    for file in ["a.c", "h.h", "b.c"] {
        stage.write(file, "one\ntwo\nthree\n");
    }
    stage
        .write("old", run([100, 10, 10, 50]))
        .write("new", run([900, 30, 20, 300]));
    for filters in [&["-n1"][..], &["-n1", "--function=f"], &["--function=f"]] {
        let text = stage.report(&[&["diff", "--auto=yes", "old", "new"], filters].concat());
        let lines: Vec<&str> = text.lines().filter(|line| line.contains(" → ")).collect();
        for change in ["+800  100 → 900", "+20   10 → 30", "+10   10 → 20"] {
            assert!(
                lines.iter().any(|line| line.contains(change)),
                "{change}: {text}"
            );
        }
        assert!(
            !text.contains("'b.c'") && !text.contains(" b.c\n"),
            "{text}"
        );
    }
}

#[test]
fn recursion_and_addresses() {
    let stage = Stage::empty();
    // f calls itself nine times, then nineteen; 10 Ir each time.
    let profile = |depth: u64| {
        let own = (depth + 1) * 10;
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 5\n1 {own}\nfn=f\n5 {own}\ncfn=f\ncalls={depth} 5\n6 {}\n",
            depth * 10
        )
    };
    stage.write("a", profile(9)).write("b", profile(19));
    let text = stage
        .report(&["diff", "a", "b"])
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(
        text.contains("f +100.0 %: 1 call as before; 200 Ir a call, was 100: +100 in the function itself, which calls itself 19 times, was 9"),
        "{text}"
    );
    // Addresses: of one build they are names, of two builds they are noise.
    let code = |addresses: &[u32]| {
        let functions: String = addresses
            .iter()
            .map(|at| format!("fn=0x{at:08x}\n0 {}\n", 10 + at % 7))
            .collect();
        format!("events: Ir\nob=prog\n{functions}")
    };
    stage
        .write("a", code(&[1, 2, 3, 4]))
        .write("b", code(&[1, 2, 3, 9]))
        .write("c", code(&[11, 12, 13, 14]));
    let document = |new| -> Value {
        serde_json::from_slice(&stage.run(&["diff", "--format=json", "a", new]).stdout).unwrap()
    };
    assert_eq!(document("b")["appeared"]["count"], 1);
    let rebuilt = document("c");
    assert_eq!(
        (
            rebuilt["appeared"]["count"].as_u64(),
            rebuilt["unchanged"]["count"].as_u64()
        ),
        (Some(0), Some(0))
    );
    assert_eq!(function(&rebuilt, "0x...")["new"]["functions"], 4);
}

/// Thousands of functions that are one but for what changes from build to build, and of paths and
/// objects under other names: a comparison that looks at each with each other would take minutes.
#[test]
fn thousands_of_functions_of_one_name_are_matched() {
    let stage = Stage::empty();
    let profile = |suffix: &str, folder: &str, from: usize| {
        let mut text = String::from("events: Ir\n");
        for at in from..from + 5_000 {
            text += &format!("ob=(1) lib\nfl=(1) a.c\nfn=grow.{suffix}.{at}\n1 1\n");
            text += &format!("ob={folder}/lib{at}\nfl=/{folder}/{at}/mod.c\nfn=part_{at}\n1 1\n");
        }
        text
    };
    stage
        .write("a", profile("isra", "one", 0))
        .write("b", profile("constprop", "two", 0));
    let document: Value =
        serde_json::from_slice(&stage.run(&["diff", "--format=json", "a", "b"]).stdout).unwrap();
    assert_eq!(
        document["unchanged"]["count"], 5_001,
        "one for all that grow, one for each part"
    );
    assert_eq!(
        (
            &document["appeared"]["count"],
            &document["disappeared"]["count"]
        ),
        (&0.into(), &0.into())
    );
    // Against itself every clone stays what it is.
    let document: Value =
        serde_json::from_slice(&stage.run(&["diff", "--format=json", "a", "a"]).stdout).unwrap();
    assert_eq!(document["unchanged"]["count"], 10_000);
}

/// `f` and `g` call each other. The inclusive cost of `f` is what it cost itself: 100, and 110
/// afterwards. That its calls of `g` are 4,000 dearer is no part of it, as those are inside the
/// cycle.
#[test]
fn calls_in_a_cycle_are_no_cause() {
    let of = |main: u32, f: u32, to_g: u32, to_f: u32| {
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 {main}\nfn=f\n3 {f}\ncfn=g\ncalls=10 1\n4 {to_g}\n\
             fn=g\n6 100\ncfn=f\ncalls=9 1\n7 {to_f}\n"
        )
    };
    let stage = Stage::empty();
    stage
        .write("old", of(200, 100, 5000, 4000))
        .write("new", of(210, 110, 9000, 8000));
    let report = stage.report(&["diff", "old", "new"]);
    assert!(
        report.contains(
            "f +10.0 %: 10 calls as before; 11 Ir a call, was 10: +1 in the function\n      itself\n"
        ),
        "{report}"
    );
}

/// 33,717 Ir in 3,000 calls are 11.239 a call, 1.239 more than 10; 45,000 in 4,001 are 11.247.
#[test]
fn what_a_call_costs_is_rounded() {
    let of = |calls: u32, cost: u32| {
        format!(
            "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls={calls} 1\n2 {cost}\nfn=f\n3 {cost}\n"
        )
    };
    let stage = Stage::empty();
    stage
        .write("old", of(3000, 30_000))
        .write("new", of(3000, 33_717))
        .write("more", of(4001, 45_000));
    let flat = |new| {
        stage
            .report(&["diff", "old", new])
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let report = flat("new");
    assert!(
        report.contains("11.2 Ir a call, was 10: +1.24 in the function itself 1 function"),
        "{report}"
    );
    let report = flat("more");
    assert!(
        report.contains("11.2 Ir a call, was 10: +1.25 in the function itself;"),
        "{report}"
    );
}

/// Of two lines that each make half of a change, the first by name is told, however the file is
/// written.
#[test]
fn of_two_lines_that_changed_as_much_the_first_is_told() {
    let of = |first: &str, second: &str| {
        format!(
            "events: Ir\nfl=m.c\nfn=main\n1 10\nfi={first}\ncfi=m.c\ncfn=g\ncalls=1 1\n5 50\nfi={second}\ncfi=m.c\n\
             cfn=g\ncalls=1 1\n5 50\nfn=g\n9 100\n"
        )
    };
    let stage = Stage::empty();
    stage.write("none", "events: Ir\nfl=m.c\nfn=main\n1 10\nfn=g\n9 20\n");
    for (first, second) in [("z.c", "a.c"), ("a.c", "z.c")] {
        stage.write("calls", of(first, second));
        let document: Value =
            serde_json::from_str(&stage.report(&["diff", "--format=json", "calls", "none"]))
                .unwrap();
        let site = document["functions"]
            .as_array()
            .unwrap()
            .iter()
            .find_map(|f| f["caller"]["site"].as_object());
        let site = site.unwrap_or_else(|| panic!("{document:#}"));
        assert_eq!(
            (&site["file"], &site["line"]),
            (&Value::from("a.c"), &Value::from(5)),
            "{first}"
        );
    }
}

/// `{main}` calls `A`, which calls `B`, which calls `A` again, and that `B`. Each took 10; in the
/// new run each `B` takes 20. A call of `A` so costs 10 more on average, all of that in `B`, though
/// the calls of `B` cost 15 more: one is inside the other.
#[test]
fn a_part_of_a_change_is_no_more_than_the_change() {
    let run = |b: u32| {
        let (inner, outer) = (10 + b, 20 + 2 * b);
        format!(
            "version: 1\ncreator: xdebug 3.5.3 (PHP 8.2.35)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time_(10ns)\n\n\
             fl=(1) /a.php\nfn=(1) B\n5 {b}\n\nfl=(1)\nfn=(2) A\n3 10\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n4 {b}\n\n\
             fl=(1)\nfn=(1)\n5 {b}\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n6 {inner}\n\n\
             fl=(1)\nfn=(2)\n3 10\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n4 {}\n\n\
             fl=(1)\nfn=(3) {{main}}\n\nsummary: {}\n\n1 10\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n2 {outer}\n\n",
            inner + b,
            outer + 10
        )
    };
    let stage = Stage::empty();
    stage.write("old", run(10)).write("new", run(20));
    let report = stage.report(&["diff", "--inclusive=yes", "old", "new"]);
    assert!(
        report.contains("A +50.0 %: 2 calls as before; 30 Time_(10ns) a call, was 20: +10 in B\n"),
        "{report}"
    );
}

/// A filter by file finds what only the old run has.
#[test]
fn lines_of_a_file_that_is_gone_are_found_by_its_name() {
    let stage = Stage::empty();
    stage.write(
        "old",
        "events: Ir\nfl=old.c\nfn=gone\n7 500\nfl=a.c\nfn=main\n1 100\n",
    );
    stage.write("new", "events: Ir\nfl=a.c\nfn=main\n1 200\n");
    let table = stage.report(&[
        "diff",
        "--by=line",
        "--file=^old",
        "--format=csv",
        "old",
        "new",
    ]);
    assert_eq!(
        table
            .lines()
            .filter(|line| line.ends_with(",old.c,7,,gone"))
            .count(),
        1,
        "{table}"
    );
}

/// `gone` stood above the other functions, which moved up by its three lines and into another
/// folder. `rare` did not run in the new run, and its code is still there. What `gone` cost is
/// beside no line of others, and lines are those of the file that is named.
#[test]
fn code_that_is_gone_stands_beside_no_other_code() {
    let stage = Stage::empty();
    std::fs::create_dir(stage.dir.join("new")).unwrap();
    stage.write(
        "new/a.c",
        "long s;\nvoid stays() {\n  loop();\n}\nint main() {\n  stays();\n}\nvoid rare() {\n  work();\n}\n",
    );
    stage.write(
        "old.out",
        "events: Ir\nfl=old/a.c\nfn=gone\n3 9904\n4 1\nfn=stays\n6 7704\n7 1\nfn=main\n9 30\nfn=rare\n12 50\n",
    );
    stage.write(
        "new.out",
        "events: Ir\nfl=new/a.c\nfn=stays\n3 7704\n4 1\nfn=main\n6 40\n",
    );
    let report = stage.report(&["diff", "--auto=yes", "old.out", "new.out"]);
    let source = report
        .split("-- Changes in the new source: ")
        .nth(1)
        .unwrap_or_else(|| panic!("{report}"));
    let lines: Vec<&str> = source
        .lines()
        .skip(4)
        .filter(|line| !line.is_empty())
        .collect();
    let want = [
        "-- line 1 ----------------------------------------",
        "                       long s;",
        "                       void stays() {",
        "     .  7,704 → 7,704    loop();",
        "     .      1 → 1      }",
        "                       int main() {",
        "   +10     30 → 40       stays();",
        "                       }",
        "                       void rare() {",
        "   -50     50 → .        work();",
        "                       }",
        "-9,904  9,904 → .      <line 3 of the old run's source>",
        "    -1      1 → .      <line 4 of the old run's source>",
    ];
    assert_eq!(lines, want, "{report}");
    let table = stage.report(&[
        "diff",
        "--by=line",
        "--threshold=100",
        "--format=csv",
        "old.out",
        "new.out",
    ]);
    let rows: Vec<&str> = table
        .lines()
        .skip(1)
        .map(|line| line.split_once("/a.c").map_or(line, |(_, end)| end))
        .collect();
    assert_eq!(
        rows,
        [",3,,gone", ",12,,rare", ",9,6,main", ",4,,gone"],
        "{table}"
    );
    let files: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').nth(3))
        .collect();
    assert_eq!(
        files,
        ["old/a.c", "old/a.c", "new/a.c", "old/a.c"],
        "{table}"
    );
}

/// The cheapest change, of an event that nobody asked for, is not passed over: nothing else
/// changed. What did not change did not in that event.
#[test]
fn what_changed_in_another_event_is_told() {
    let stage = Stage::empty();
    let run =
        |misses: u32| format!("events: Ir DLmr\nfl=a.c\nfn=f\n1 100 {misses}\nfn=g\n2 50 3\n");
    stage.write("old", run(5)).write("new", run(9));
    let report = stage.report(&["diff", "old", "new"]);
    let rows = report.split("PROGRAM TOTALS\n").last().unwrap();
    assert!(
        rows.starts_with("\nf  a.c\n")
            && rows.contains("      +4    +80.0 %    5 → 9    DLmr  self\n"),
        "{report}"
    );
    assert!(
        rows.ends_with("\n1 function did not change in DLmr.\n"),
        "{report}"
    );
    let sorted = stage.report(&["diff", "--sort=Ir", "old", "new"]);
    assert!(
        sorted.ends_with("\n2 functions did not change in Ir.\n"),
        "{sorted}"
    );
    let shown = stage.report(&["diff", "--sort=Ir", "--show=DLmr", "old", "new"]);
    assert!(
        shown.ends_with("\n1 function did not change in DLmr or Ir.\n"),
        "{shown}"
    );
    let shown = stage.report(&["diff", "--show=DLmr", "old", "new"]);
    assert!(
        shown.contains("\nf  a.c\n") && shown.ends_with("\n1 function did not change in DLmr.\n"),
        "{shown}"
    );

    // What changed is what is compared: lines, inclusive costs, or what filters leave.
    let lines = |first: u32, second: u32| {
        format!("events: Ir Dr\nfl=a.c\nfn=f\n1 {first} 1\n2 {second} {first}\nfn=g\n9 5 5\n")
    };
    stage
        .write("old", lines(10, 90))
        .write("new", lines(90, 10));
    let report = stage.report(&["diff", "--by=line", "old", "new"]);
    assert!(
        report.ends_with("\n1 line did not change in Ir.\n"),
        "{report}"
    );
    assert!(
        stage
            .report(&["diff", "old", "new"])
            .ends_with("\n1 function did not change in Dr.\n")
    );
    let calls = |f: u32, g: u32, reads: u32| {
        format!(
            "events: Ir Dr\nfl=a.c\nfn=f\n1 5 {reads}\ncfn=h\ncalls=1 3\n1 {f}\nfn=g\n2 5\ncfn=h\ncalls=1 3\n2 {g}\nfn=h\n3 100\n"
        )
    };
    stage
        .write("old", calls(10, 90, 1))
        .write("new", calls(90, 10, 2));
    let report = stage.report(&["diff", "--inclusive=yes", "old", "new"]);
    assert!(
        report.ends_with("\n1 function did not change in Ir.\n"),
        "{report}"
    );
    let report = stage.report(&["diff", "--function=^f$", "old", "new"]);
    assert!(report.contains("  Dr  self\n"), "{report}");
}

/// An instance of a template is gone, and its code is that of the other instance. Where another
/// function stands now, the code of the one that is gone is not.
#[test]
fn code_that_functions_share_stays_and_code_that_was_replaced_does_not() {
    let stage = Stage::empty();
    stage.write(
        "a.c",
        (1..=45)
            .map(|line| format!("text {line}\n"))
            .collect::<String>(),
    );
    stage.write(
        "old",
        "events: Ir\nfl=a.c\nfn=f<int>\n10 100\nfn=f<long>\n10 50\nfn=gone\n20 30\nfn=last\n40 5\nfn=moves\n45 8\n",
    );
    for other in [
        "fn=other\n20 7\nfn=last\n40 5\nfn=moves\n45 8\n",
        "fn=moves\n20 7\nfn=last\n40 5\n",
    ] {
        stage.write(
            "new",
            format!("events: Ir\nfl=a.c\nfn=f<long>\n10 50\n{other}"),
        );
        let report = stage.report(&["diff", "--auto=yes", "old", "new"]);
        for row in [
            "-100  150 → 50   text 10",
            " -30   30 → .    <line 20 of the old run's source>",
        ] {
            assert!(
                report
                    .lines()
                    .any(|line| line.split_whitespace().eq(row.split_whitespace())),
                "{row}\n{report}"
            );
        }
        assert!(
            report.lines().any(|line| line.ends_with("→ 7    text 20")),
            "{report}"
        );
    }
}

/// What `new` of `s/old/new/` stands for, as the documents say; any other dollar is itself.
#[test]
fn replacements_are_those_of_perl() {
    let stage = Stage::empty();
    let profile = |cost| format!("events: Ir\nfl=a.c\nfn=foo\n1 {cost}\n");
    stage.write("o", profile(5)).write("n", profile(9));
    for (substitution, name) in [
        ("s/(o)(o)/<$1\\2>/", "f<oo>"),
        ("s/o(o)/${1}x/", "fox"),
        ("s/oo/<$&>/", "f<oo>"),
        ("s/oo/$$/", "f$"),
        ("s/(oo)/\\$1/", "f$1"),
        ("s/oo/$x/", "f$x"),
        ("s/oo/a$/", "fa$"),
        ("s/oo/\\n/", "fn"),
    ] {
        let option = format!("--mod-funcname={substitution}");
        let table = stage.report(&["diff", "--format=csv", &option, "o", "n"]);
        let row = table.lines().nth(1).unwrap();
        assert_eq!(row, format!("5,9,4,changed,{name},a.c,"), "{option}");
    }
}

/// The number of rows is not a filter.
#[test]
fn a_comparison_without_changes_has_no_filters_to_blame() {
    let stage = Stage::empty();
    stage.write("o", "events: Ir\nfl=a.c\nfn=foo\n1 5\n");
    let said = |args: &[&str]| {
        let out = stage.run(&[&["diff", "o", "o"], args].concat());
        String::from_utf8(out.stderr).unwrap()
    };
    assert_eq!(said(&["-n", "5"]), "");
    let why = "cgannotate: nothing that passes the filters changed\n";
    assert_eq!(said(&["-n", "5", "--function=foo"]), why);
}

/// The cost of a line that is not known, or of a file that is not, has no place in a source.
#[test]
fn only_known_lines_stand_beside_the_source() {
    let stage = Stage::empty();
    let profile = |costs: [u32; 3]| {
        let [line, unknown, file] = costs;
        format!("events: Ir\nfl=a.c\nfn=f\n2 {line}\n0 {unknown}\nfl=???\nfn=g\n4 {file}\n")
    };
    stage.write("a.c", "one\ntwo\n");
    stage
        .write("o", profile([5, 3, 10]))
        .write("n", profile([9, 30, 70]));
    let out = stage.run(&["diff", "--auto=yes", "o", "n"]);
    let report = String::from_utf8_lossy(&out.stdout);
    let (_, sources) = report.split_once("-- Changes in the new source: ").unwrap();
    let lines: Vec<&str> = sources
        .lines()
        .filter(|line| !line.starts_with("---"))
        .collect();
    let want = [
        "a.c",
        "change  old → new  Ir",
        "",
        "-- line 1 ----------------------------------------",
        "                   one",
        "    +4    5 → 9    two",
    ];
    assert_eq!(lines[..6], want, "{report}");
    assert!(lines[6..].iter().all(|line| line.is_empty()), "{report}");
    assert_eq!(out.stderr, b"", "{out:?}");
}
