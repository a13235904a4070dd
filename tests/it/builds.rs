//! One function in two builds: names that compilers number are matched, and different functions are
//! never one.

use crate::common::amount::at_least;
use crate::common::{Stage, fixture, profiles};
use cgannotate::analysis::difference::names::normalised;
use cgannotate::analysis::difference::{Matching, Rules};
use cgannotate::input::{self, Options};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A function, its self cost, and what it calls: a function and how often.
type Written<'n> = (&'n str, u64, &'n [(&'n str, u64)]);

/// A profile of functions of one file, each called by those before it.
fn profile(functions: &[Written<'_>]) -> String {
    let cost: BTreeMap<&str, u64> = functions
        .iter()
        .map(|&(name, cost, _)| (name, cost))
        .collect();
    let mut text =
        String::from("creator: callgrind-3.19.0\ncmd: ./app\nevents: Ir\nob=app\nfl=a.c\n");
    for (name, own, calls) in functions {
        text += &format!("fn={name}\n1 {own}\n");
        for (callee, count) in *calls {
            text += &format!("cfn={callee}\ncalls={count} 1\n1 {}\n", cost[callee]);
        }
    }
    text + &format!("totals: {}\n", cost.values().sum::<u64>())
}

/// A profile of a `main` that calls functions, by name, self cost and number of calls.
fn called(functions: &[(&str, u64, u64)]) -> String {
    let calls: Vec<(&str, u64)> = functions
        .iter()
        .map(|&(name, _, calls)| (name, calls))
        .collect();
    let mut all: Vec<Written<'_>> = vec![("main", 50, &calls)];
    all.extend(
        functions
            .iter()
            .map(|&(name, cost, _)| (name, cost, &[][..])),
    );
    profile(&all)
}

/// The rows of a comparison: status, old and new name, old and new self cost, functions of either
/// run.
fn rows(old: &str, new: &str) -> Vec<Value> {
    let stage = Stage::empty();
    stage.write("old", old).write("new", new);
    let document = stage.json(&["diff", "old", "new"]);
    // The same the other way round.
    let back = stage.json(&["diff", "new", "old"]);
    assert_eq!(
        document["functions"].as_array().unwrap().len(),
        back["functions"].as_array().unwrap().len()
    );
    let row = |row: &Value| {
        let of = |run: &str| {
            [
                &row[run]["name"],
                &row["self"][run][0],
                &row[run]["functions"],
            ]
            .map(Value::clone)
        };
        json!([row["status"], of("old"), of("new")])
    };
    document["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(row)
        .collect()
}

/// Three closures moved two lines down: nothing changed, in any report.
#[test]
fn closures_that_moved_did_not_change() {
    let run = |at: [u64; 3]| {
        let mut text = String::from(
            "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /s/r.php\npart: 1\n",
        );
        text += "positions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n";
        let costs = [9000, 10, 500];
        let name = |line: u64| format!("{{closure:/s/r.php:{line}-{line}}}");
        for (line, cost) in at.into_iter().zip(costs) {
            text += &format!("fl=/s/r.php\nfn={}\n{line} {cost} 0\n\n", name(line));
        }
        text += "fl=/s/r.php\nfn={main}\n1 40 0\n";
        for (line, cost) in at.into_iter().zip(costs) {
            text += &format!(
                "cfl=/s/r.php\ncfn={}\ncalls=1 0 0\n{} {cost} 0\n",
                name(line),
                line + 6
            );
        }
        text + "\nsummary: 9550 0\n"
    };
    let (old, new) = (run([3, 5, 7]), run([5, 7, 9]));
    assert_eq!(rows(&old, &new), [] as [Value; 0]);
    let stage = Stage::empty();
    stage.write("old", &old).write("new", &new);
    assert!(
        stage
            .report(&["diff", "old", "new"])
            .ends_with("\n4 functions did not change in Time_(10ns).\n")
    );
    let trend = stage.report(&[&["trend"], &["old"; 6][..], &["new"; 6]].concat());
    assert!(
        !trend.contains("900") && trend.ends_with("\nNo change was found in 2 functions.\n"),
        "{trend}"
    );
    let check = |limit: &str| {
        stage
            .run(&["check", "new", "--baseline", "old", "--limit", limit])
            .status
            .code()
    };
    assert_eq!(check("self.\"Time_(10ns)\"(/closure/) <= +0%"), Some(0));
    // A line more in front, of a fourth closure.
    let grown = run([5, 7, 9]).replace(
        "fl=/s/r.php\nfn={main}",
        "fl=/s/r.php\nfn={closure:/s/r.php:3-3}\n3 70 0\n\nfl=/s/r.php\nfn={main}",
    );
    let grown = grown.replace(
        "\nsummary: 9550",
        "cfl=/s/r.php\ncfn={closure:/s/r.php:3-3}\ncalls=1 0 0\n9 70 0\n\nsummary: 9620",
    );
    assert_eq!(
        rows(&old, &grown),
        [json!([
            "new",
            [null, 0, null],
            ["{closure:/s/r.php:3-3}", 70, 1]
        ])]
    );
}

/// A function more in front of its siblings: it alone is new. Each name is one that a compiler
/// gave.
#[test]
fn a_sibling_in_front_is_the_only_new_one() {
    for [before, after] in [
        ["main::$_", "::operator()(long) const"],
        ["main::{lambda(long)#", "}::operator()(long) const"],
        ["f()::'lambda", "'(int)::operator()(int)"],
        ["main.main.func", ""],
        ["main.glob..func", ""],
        ["main.(*T).run.func2.", ""],
        ["app::run::{closure#", "}"],
        ["__cxx_global_var_init.", ""],
        ["helper.lto_priv.", ""],
        ["camlMain__fun_", ""],
        ["colonanonymous___main_", ""],
        ["main.gen__anon_", ""],
        ["__pyx_pw_4modu_", "lambda"],
    ] {
        let name = |at: usize| format!("{before}{}{after}", at + 1);
        let names: Vec<String> = (0..12).map(name).collect();
        let costs = [
            (9000, 10),
            (10, 10),
            (500, 10),
            (77, 1),
            (77, 3),
            (4, 10),
            (600, 10),
            (32, 10),
            (33, 9),
            (90, 2),
            (2, 1),
        ];
        let old: Vec<_> = costs
            .iter()
            .enumerate()
            .map(|(at, &(cost, n))| (&*names[at], cost, n))
            .collect();
        let mut new = vec![(&*names[0], 20, 10)];
        new.extend(
            costs
                .iter()
                .enumerate()
                .map(|(at, &(cost, n))| (&*names[at + 1], cost, n)),
        );
        assert_eq!(
            rows(&called(&old), &called(&new)),
            [json!(["new", [null, 0, null], [names[0], 20, 1]])],
            "{before}{after}"
        );
    }
}

/// What tells siblings apart: their costs, what they call and who calls them, and their order if
/// nothing else does.
#[test]
fn siblings_are_matched_by_calls_cost_and_order() {
    // They changed places, and have the same names in both runs.
    let old = called(&[
        ("main::$_0::operator()() const", 9000, 10),
        ("main::$_1::operator()() const", 10, 10),
    ]);
    let new = called(&[
        ("main::$_0::operator()() const", 10, 10),
        ("main::$_1::operator()() const", 9000, 10),
    ]);
    assert_eq!(rows(&old, &new), [] as [Value; 0]);
    // The same cost; they call others. One became dearer.
    let run = |[a, b]: [&str; 2], cost: u64| {
        profile(&[
            ("main", 5, &[(a, 1), (b, 1)]),
            (a, 100, &[("f", 1)]),
            (b, cost, &[("g", 1)]),
            ("f", 7, &[]),
            ("g", 7, &[]),
        ])
    };
    let (old, new) = (
        run(["m.func1", "m.func2"], 100),
        run(["m.func3", "m.func2"], 130),
    );
    assert_eq!(
        rows(&old, &new),
        [json!(["same", ["m.func2", 100, 1], ["m.func2", 130, 1]])]
    );
    // All alike, and all moved: their order.
    let old = called(&[
        ("{closure#1}", 100, 1),
        ("{closure#2}", 100, 1),
        ("{closure#3}", 100, 1),
    ]);
    let new = called(&[
        ("{closure#4}", 100, 1),
        ("{closure#5}", 100, 1),
        ("{closure#6}", 100, 1),
    ]);
    assert_eq!(rows(&old, &new), [] as [Value; 0]);
}

/// Nothing tells which of these is new: they are added up, and the report says so.
#[test]
fn siblings_that_nothing_tells_apart_are_added_up() {
    let of = |count: usize| {
        let names: Vec<String> = (0..count)
            .map(|at| format!("app::run::{{closure#{at}}}"))
            .collect();
        called(
            &names
                .iter()
                .map(|name| (&**name, 100, 1))
                .collect::<Vec<_>>(),
        )
    };
    let name = "app::run::{closure}";
    assert_eq!(
        rows(&of(2), &of(3)),
        [json!(["same", [name, 200, 2], [name, 300, 3]])]
    );
    let stage = Stage::empty();
    stage.write("old", of(2)).write("new", of(3));
    assert!(
        stage
            .report(&["diff", "old", "new"])
            .contains("app::run::{closure}  (2 functions, now 3)  a.c [app]\n")
    );
}

/// glibc chooses a variant for the processor; a crate has another name; names of Rust are of the
/// legacy scheme in one run.
#[test]
fn other_builds_of_a_function_are_that_function() {
    let old = called(&[
        ("__memcpy_avx_unaligned_erms", 100, 1),
        ("__strlen_sse2", 20, 2),
    ]);
    let new = called(&[
        ("__memcpy_evex_unaligned_erms", 130, 1),
        ("__strlen_avx2", 20, 2),
    ]);
    assert_eq!(
        rows(&old, &new),
        [json!(["same", ["__memcpy", 100, 1], ["__memcpy", 130, 1]])]
    );

    let run = |space: &str, cost: u64| {
        let name = |rest: &str| rest.replace("NS", space);
        let names = [
            "NS::http::decode",
            "NS::http::encode(NS::Token&)",
            "<NS::T as core::fmt::Display>::fmt",
            "NS::run::{closure#0}",
        ]
        .map(name);
        called(&[
            (&names[0], cost, 3),
            (&names[1], 300, 1),
            (&names[2], 70, 2),
            (&names[3], 90, 2),
        ])
    };
    let row = json!([
        "renamed",
        ["app::http::decode", 900, 1],
        ["web::http::decode", 930, 1]
    ]);
    assert_eq!(rows(&run("app", 900), &run("web", 930)), [row]);

    let legacy = called(&[
        ("r::P<T>::twice", 30, 2),
        ("r::apply", 80, 2),
        ("std::rt::lang_start::{{closure}}", 9, 1),
    ]);
    let v0 = called(&[
        ("<r::P<u64>>::twice", 10, 1),
        ("<r::P<f64>>::twice", 20, 1),
        ("r::apply::<r::main::{closure#0}>", 40, 1),
        ("r::apply::<r::main::{closure#1}>", 45, 1),
        ("std::rt::lang_start::<()>::{closure#0}", 9, 1),
    ]);
    assert_eq!(rows(&legacy, &v0).len(), 1);
    assert_eq!(
        rows(&legacy, &v0)[0],
        json!([
            "renamed",
            ["r::apply", 80, 1],
            ["r::apply::<r::main::{closure}>", 85, 2]
        ])
    );
}

/// Different functions whose names look numbered, and types that tell functions apart, stay
/// different.
#[test]
fn different_functions_stay_different() {
    for [gone, new] in [
        ["sum::<u32>", "sum::<u64>"],
        ["main.sum[go.shape.int_0]", "main.sum[go.shape.int64_0]"],
        ["Circle::area()", "Square::area()"],
        ["__TwigTemplate::a", "__TwigLoader::a"],
        ["vec_2", "vec_3"],
        ["utf8", "utf16"],
    ] {
        let found = rows(
            &called(&[(gone, 9000, 1), ("other", 5, 1)]),
            &called(&[(new, 10, 4), ("other", 5, 1)]),
        );
        let statuses: BTreeSet<&str> = found.iter().map(|row| row[0].as_str().unwrap()).collect();
        assert_eq!(
            (found.len(), statuses),
            (2, BTreeSet::from(["gone", "new"])),
            "{gone} {new}"
        );
    }
}

/// No two functions of any fixture have one name without what changes from build to build, apart
/// from addresses, which are no names; and compared with itself, none is added up with another.
#[test]
fn no_fixture_has_two_functions_that_are_one() {
    let mut functions = 0;
    for name in profiles() {
        let Ok(profile) = input::read(&[fixture(&name)], &Options::all()) else {
            continue;
        };
        let mut known = BTreeMap::new();
        for id in profile.function_ids() {
            let f = profile.function(id);
            let [object, file, own] = [f.object, f.file, f.name].map(|id| profile.name(id));
            let normal = normalised(own).into_owned();
            functions += 1;
            if normal.windows(4).any(|part| part == b"0x..") {
                continue;
            }
            let other = known
                .insert((object, file, normal), own)
                .filter(|other| *other != own);
            assert_eq!(
                other.map(String::from_utf8_lossy),
                None,
                "{name}: {}",
                String::from_utf8_lossy(own)
            );
        }
        let matching = Matching::new(&profile, &profile, &Rules::default());
        assert!(
            matching.pairs.iter().all(|pair| pair.old == pair.new),
            "{name}"
        );
        assert_eq!(
            matching.pairs.len(),
            profile.function_ids().count(),
            "{name}"
        );
    }
    assert!(functions > at_least(5_000), "{functions}");
}
