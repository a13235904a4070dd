//! `--zoom`: one function with its trees, in a document whose other keys mean what they always do.

use super::*;
use crate::common::amount::ways;

/// The name of a function of a document.
fn name(document: &Value, index: &Value) -> String {
    string(&document["functions"][usize::try_from(index.as_u64().unwrap()).unwrap()]["name"])
}

/// Level, name, count, inclusive cost and whether that is an estimate, of each step.
fn steps(document: &Value, key: &str) -> Vec<(u64, String, Option<u64>, i64, bool)> {
    let step = |step: &Value| {
        let cost = integers(&step["inclusive"])[0];
        let level = step["level"].as_u64().unwrap();
        let estimated = step["estimated"].as_bool().unwrap();
        (
            level,
            name(document, &step["function"]),
            step["count"].as_u64(),
            cost,
            estimated,
        )
    };
    document[key].as_array().unwrap().iter().map(step).collect()
}

/// `main` calls `a` (60), `b` (20) and `e` (23), which calls `b` as well (20). `a` and `b` call
/// `c`, which costs 30 for `a` and 10 for `b` and calls `d` for 20.
const TREE: &str = "events: Ir\nfl=x.c\nfn=main\n1 5\ncfn=a\ncalls=1 2\n1 60\ncfn=b\ncalls=1 3\n1 20\ncfn=e\ncalls=1 6\n1 23\n\
                    fn=e\n6 3\ncfn=b\ncalls=1 3\n6 20\nfn=a\n2 30\ncfn=c\ncalls=3 4\n2 30\nfn=b\n3 30\ncfn=c\ncalls=1 4\n3 10\n\
                    fn=c\n4 20\ncfn=d\ncalls=4 5\n4 20\nfn=d\n5 20\n";

#[test]
fn a_function_comes_with_what_is_around_it() {
    let stage = Stage::empty();
    stage.write("p", TREE);
    let whole = stage.json(&["p"]);
    let c = stage.json(&["--zoom=c", "--depth=2", "p"]);
    assert_eq!(name(&c, &c["zoom"]["function"]), "c");
    assert_eq!(c["zoom"]["basis"], "estimated");
    let of = |level, name: &str, count: u64, cost: i64, estimated: bool| {
        (
            level,
            name.to_owned(),
            Some(count).filter(|_| !estimated),
            cost,
            estimated,
        )
    };
    assert_eq!(
        steps(&c, "zoom_callers"),
        [
            of(1, "a", 3, 30, false),
            // Nobody else calls `a`. For whom `b` called is not known.
            of(2, "main", 1, 30, false),
            of(1, "b", 1, 10, false),
            of(2, "e", 0, 5, true),
            of(2, "main", 0, 5, true),
        ]
    );
    assert_eq!(steps(&c, "zoom_callees"), [of(1, "d", 4, 20, false)]);
    // What is there is there as in the whole document; nothing else is.
    for key in ["schema", "events", "totals", "totals_source", "warnings"] {
        assert_eq!(c[key], whole[key], "{key}");
    }
    let names = |document: &Value| -> Vec<String> {
        document["functions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| string(&f["name"]))
            .collect()
    };
    assert_eq!(
        names(&c),
        ["a", "b", "c", "d", "main", "e"],
        "in report order"
    );
    let calls: Vec<_> = c["calls"].as_array().unwrap().iter().collect();
    let pairs: Vec<_> = calls
        .iter()
        .map(|call| (name(&c, &call["caller"]), name(&c, &call["callee"])))
        .collect();
    assert_eq!(
        pairs,
        [("a", "c"), ("b", "c"), ("c", "d")].map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    assert_eq!(calls[0]["sites"][0]["line"], 2);
    let lines = c["lines"].as_array().unwrap();
    assert_eq!(
        (lines.len(), &lines[0]["line"], &lines[0]["self"][0]),
        (1, &4.into(), &20.into())
    );
    let d = stage.json(&["--zoom=d", "p"]);
    assert_eq!(names(&d), ["c", "d"]);
    assert_eq!(d["cycles"], serde_json::json!([]));
}

/// The first levels, what is left out of them and what no call explains add up to the function.
#[test]
fn the_levels_add_up() {
    let stage = Stage::empty();
    for file in [
        "shapes/shapes.plain.out",
        "cxx/inventory.out",
        "xdebug/app-x353.xdebug",
    ] {
        let file = crate::common::fixture(file);
        let whole = stage.json(&[&file]);
        for (at, function) in whole["functions"]
            .as_array()
            .unwrap()
            .iter()
            .take(12)
            .enumerate()
        {
            let pattern = string(&function["name"]);
            for few in ways(at, &[&[][..], &["-n", "1"]]) {
                let option = format!("--zoom={pattern}");
                let one = stage.json(&[few, &[&option, &file]].concat());
                let zoom = &one["zoom"];
                let it =
                    &one["functions"][usize::try_from(zoom["function"].as_u64().unwrap()).unwrap()];
                for (tree, own) in [("callees", integers(&it["self"])[0]), ("callers", 0)] {
                    let first: i64 = steps(&one, &format!("zoom_{tree}"))
                        .iter()
                        .filter(|step| step.0 == 1)
                        .map(|step| step.3)
                        .sum();
                    let more = zoom[format!("more_{tree}")]["inclusive"]
                        .as_array()
                        .map_or(0, |row| row[0].as_i64().unwrap());
                    let rest = integers(&zoom[format!("not_in_{tree}")])[0];
                    assert_eq!(
                        own + first + more + rest,
                        integers(&it["inclusive"])[0],
                        "{pattern} {tree} {few:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn cycles_trees_and_routines_have_it_too() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=x\nfn=m\ncfn=a\ncalls=1 1\n1 9\nfn=a\n1 4\ncfn=b\ncalls=2 1\n1 5\nfn=b\n2 5\ncfn=a\ncalls=2 1\n2 4\n");
    let a = stage.json(&["--zoom=a", "p"]);
    assert_eq!(
        (
            &a["zoom"]["recursive_calls"],
            a["cycles"][0]["members"].as_array().unwrap().len()
        ),
        (&2.into(), 2)
    );
    assert_eq!(
        steps(&a, "zoom_callers").len(),
        1,
        "calls inside the cycle are none of it"
    );
    let flat = stage.json(&[
        "--zoom=^main$",
        &crate::common::fixture("cachegrind/matrix.cg-nosim.out"),
    ]);
    assert_eq!(
        (&flat["zoom"]["basis"], &flat["zoom_callers"]),
        (&"none".into(), &serde_json::json!([]))
    );
    let routine = stage.json(&[
        "--zoom=main",
        &crate::common::fixture("aprof/algos-v6-cct.aprof"),
    ]);
    let of = name(&routine, &routine["zoom"]["function"]);
    assert_eq!(
        (&routine["zoom"]["basis"], of.as_str()),
        (&"recorded".into(), "main")
    );
    let out = stage.run(&["--format=json", "--zoom=x", "p"]);
    assert_eq!((out.status.code(), out.stdout.len()), (Some(2), 0));
}

/// `f` and `g` call each other, and `h` is called by `f`. What `h` costs cannot be more for
/// somebody further above it.
#[test]
fn estimates_behind_a_cycle_are_no_more_than_the_step_before() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 1000\nfn=f\n3 10\ncfn=g\ncalls=1 1\n4 900\ncfn=h\n\
         calls=1 1\n5 90\nfn=g\n6 10\ncfn=f\ncalls=1 1\n7 100\ncfn=k\ncalls=1 1\n8 790\nfn=h\n9 90\nfn=k\n10 790\n",
    );
    let h = stage.json(&["--zoom=h", "--depth=3", "p"]);
    let want = [
        (1, "f".into(), Some(1), 90, false),
        (2, "main".into(), None, 90, true),
    ];
    assert_eq!(steps(&h, "zoom_callers"), want);
}

/// What was stated of peaks is taken apart as the rest is: Xdebug states that `App\\fib`, which
/// itself took 5952 bytes, took 192 with all it called.
#[test]
fn what_is_no_callee_and_not_itself_is_said_of_peaks_too() {
    let document = Stage::empty().json(&[
        "--zoom=^App.fib$",
        &crate::common::fixture("xdebug/app-x353.xdebug"),
    ]);
    let own = document["zoom"]["function"].as_u64().unwrap();
    let function = &document["functions"][usize::try_from(own).unwrap()];
    let rest = integers(&document["zoom"]["not_in_callees"]);
    assert_eq!(
        (
            integers(&function["self"])[1],
            integers(&function["inclusive"])[1],
            rest[1]
        ),
        (5952, 192, -5760)
    );
}
