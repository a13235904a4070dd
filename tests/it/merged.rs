//! Functions that become one in a comparison or a trend: what they and others cost with all that
//! they call.
//!
//! All numbers are from the profiles' own lines: what `main`'s calls cost is stated there.

use crate::common::Stage;
use serde_json::{Value, json};

/// A callee, how often it is called, and what that cost.
type Call<'n> = (&'n str, u32, u32);

/// A profile of functions of one file: names, self costs and calls.
fn profile(functions: &[(&str, u32, &[Call<'_>])]) -> String {
    let mut text =
        String::from("creator: callgrind-3.19.0\ncmd: ./x\nevents: Ir\nob=app\nfl=a.rs\n");
    let mut total = 0;
    for (name, cost, calls) in functions {
        text += &format!("fn={name}\n1 {cost}\n");
        total += cost;
        for (callee, count, cost) in *calls {
            text += &format!("cfn={callee}\ncalls={count} 1\n1 {cost}\n");
        }
    }
    text + &format!("totals: {total}\n")
}

/// A function calls a helper, which in the new run leaves most of its work to a part of the
/// function: a circle only if these are one.
fn parts() -> Stage {
    let stage = Stage::empty();
    let first = ("app::run", 500, &[("app::helper", 10, 5600)][..]);
    let main = ("app::main", 100, &[("app::run", 10, 6100)][..]);
    stage.write("old", profile(&[main, first, ("app::helper", 5600, &[])]));
    let helper = ("app::helper", 1600, &[("app::run.part.0", 20, 4000)][..]);
    stage.write(
        "new",
        profile(&[main, first, helper, ("app::run.part.0", 4000, &[])]),
    );
    stage
}

/// A function that the compiler splits in the new run.
fn split() -> Stage {
    let stage = Stage::empty();
    let leaf = ("leaf", 5000, &[][..]);
    let main = |cost| [("work", 10, cost)];
    let old = [
        ("main", 100, &main(6000)[..]),
        ("work", 1000, &[("leaf", 10, 5000)]),
        leaf,
    ];
    stage.write("old", profile(&old));
    let part = ("work.part.0", 700, &[("leaf", 10, 5000)][..]);
    let new = [
        ("main", 100, &main(6100)[..]),
        ("work", 400, &[("work.part.0", 10, 5700)]),
        part,
        leaf,
    ];
    stage.write("new", profile(&new));
    for name in ["old", "new"] {
        assert!(
            stage
                .run(&["check", name, "--save-baseline", &format!("{name}.base")])
                .status
                .success()
        );
    }
    stage
}

/// The trend of ten old runs and two new ones, of inclusive costs.
fn trend(stage: &Stage, old: &str, new: &str) -> String {
    stage.report(&[&["trend", "--inclusive=yes"], &[old; 10][..], &[new; 2]].concat())
}

/// Old and new inclusive costs of a function of a comparison.
fn inclusive(document: &Value, name: &str) -> [Value; 2] {
    let function = document["functions"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["new"]["name"] == name)
        .unwrap();
    ["old", "new"].map(|run| function["inclusive"][run][0].clone())
}

#[test]
fn what_calls_itself_only_as_one_is_no_cycle() {
    let stage = parts();
    let document = stage.json(&["diff", "old", "new"]);
    assert_eq!(
        inclusive(&document, "app::helper"),
        [json!(5600), json!(5600)]
    );
    assert_eq!(inclusive(&document, "app::run"), [json!(6100), json!(6100)]);
    let text = stage.report(&["diff", "old", "new"]);
    assert!(
        text.contains("  -4,000    -71.4 %  5,600 → 1,600  self\n"),
        "{text}"
    );
    assert!(!text.contains("a call"), "no call became dearer: {text}");
    let trend = trend(&stage, "old", "new");
    assert!(
        trend.ends_with("\nNo change was found in 3 functions.\n"),
        "{trend}"
    );
}

#[test]
fn a_split_function_costs_what_it_did() {
    let stage = split();
    let document = stage.json(&["diff", "old", "new"]);
    assert_eq!(inclusive(&document, "work"), [json!(6000), json!(6100)]);
    for trend in [
        trend(&stage, "old", "new"),
        trend(&stage, "old.base", "new.base"),
    ] {
        assert!(trend.contains("6,000 → 6,100  noise "), "{trend}");
        assert!(
            trend.contains("work  (2 functions)") && !trend.contains("gone"),
            "{trend}"
        );
    }
}

/// Baselines say what each function costs with all that it calls, and not what is part of what.
#[test]
fn baselines_do_not_tell_what_several_cost() {
    let stage = split();
    let document = stage.json(&["diff", "old.base", "new.base"]);
    let work = &document["functions"][0];
    assert_eq!(
        (
            &work["new"]["functions"],
            &work["inclusive"],
            &work["split"]
        ),
        (&json!(2), &Value::Null, &json!([null]))
    );
    assert_eq!(work["calls"], json!({ "old": 10, "new": null }));
    for by in ["--inclusive=no", "--inclusive=yes"] {
        let text = stage.report(&["diff", "old.base", "new.base", by]);
        assert!(
            text.contains("    +100    +10.0 %  1,000 → 1,100  self\n") && !text.contains("a call"),
            "{text}"
        );
    }
    let trend = [
        &["trend", "--inclusive=yes"],
        &["old.base"; 10][..],
        &["new.base"; 2],
    ]
    .concat();
    let said = String::from_utf8(stage.run(&trend).stderr).unwrap();
    assert!(
        said.contains("inclusive cost of 1 row is a lower bound"),
        "{said}"
    );
}

/// `parse` and `expr` call each other in the old run alone: there, what they cost together is in
/// neither.
#[test]
fn a_cycle_of_one_run_is_told() {
    let stage = Stage::empty();
    let main = |cost| [("parse", 10, cost)];
    let old = [
        ("main", 100, &main(6000)[..]),
        ("parse", 1000, &[("expr", 20, 6500)]),
        ("expr", 5000, &[("parse", 5, 1800)]),
    ];
    let new = [
        ("main", 100, &main(6010)[..]),
        ("parse", 1010, &[("expr", 20, 5000)]),
        ("expr", 5000, &[]),
    ];
    stage
        .write("old", profile(&old))
        .write("new", profile(&new));
    for (args, run) in [
        (["diff", "old", "new"], "old"),
        (["diff", "new", "old"], "new"),
    ] {
        let text = stage.report(&args).replace("\n      ", " ");
        let said = format!(
            "    parse: calls that it makes are in a cycle only in the {run} run; its inclusive cost there does not include them\n"
        );
        assert!(text.contains(&said) && !text.contains("a call"), "{text}");
        let document = stage.json(&args);
        let parse = &document["functions"][0];
        let limit = ["--limit", "incl.Ir(parse) <= +5%"];
        let out = stage.run(&[&["check", args[2], "--baseline", args[1]][..], &limit].concat());
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(
            out.status.code() == Some(4)
                && said.contains("calls that parse makes are in a cycle in only one of the runs"),
            "{said}"
        );
        assert_eq!(
            (&parse["split"], &parse["inside"], &parse["caller"]),
            (&json!([null]), &Value::Null, &Value::Null)
        );
    }
}

/// `a` and `x.part.0` call each other; `x.part.1` is called by what they call. All that `main`
/// calls costs 70, of which that cycle has 60: what calls of it cost is not what `x` costs in it.
#[test]
fn a_cycle_stays_one_within_a_circle() {
    let stage = Stage::empty();
    let all = [
        ("main", 5, &[("x.part.0", 1, 70)][..]),
        ("x.part.0", 10, &[("a", 2, 80)]),
        ("a", 30, &[("x.part.0", 1, 20), ("b", 1, 30)]),
        ("b", 10, &[("x.part.1", 1, 20)]),
        ("x.part.1", 20, &[]),
    ];
    stage.write("old", profile(&all));
    let mut other = all;
    (other[3].2, other[4].0) = (&[("y", 1, 20)], "y");
    stage.write("new", profile(&other));
    let document = stage.json(&["diff", "old", "new"]);
    // Itself and its calls out of the cycle, of which there are none.
    assert_eq!(inclusive(&document, "x"), [json!(30), json!(10)]);
    let alone = stage.json(&["new"]);
    let cost = |name: &str| {
        let all = alone["functions"].as_array().unwrap();
        all.iter().find(|f| f["name"] == name).unwrap()["inclusive"][0].clone()
    };
    assert_eq!(
        [cost("x.part.0"), cost("a"), cost("b")],
        [json!(10), json!(60), json!(30)]
    );
}

/// `beta` and `work` call each other; `beta` also calls `work.part.0`, which is in no cycle. As one
/// with `work`, its calls would be in that cycle, and `beta` without what they cost.
#[test]
fn a_group_draws_nothing_into_a_cycle() {
    let stage = Stage::empty();
    let main = ("main", 100, &[("beta", 10, 10000)][..]);
    let work = ("work", 1000, &[("beta", 1, 1000)][..]);
    stage.write(
        "old",
        profile(&[
            main,
            ("beta", 1000, &[("work", 1, 2000), ("leaf", 10, 8000)]),
            work,
            ("leaf", 8000, &[]),
        ]),
    );
    let beta = (
        "beta",
        1000,
        &[("work", 1, 2000), ("work.part.0", 10, 8000)][..],
    );
    stage.write(
        "new",
        profile(&[main, beta, work, ("work.part.0", 8000, &[])]),
    );
    let document = stage.json(&["diff", "old", "new", "--threshold=100"]);
    let changed: Vec<&str> = document["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|f| f["new"]["name"].as_str())
        .collect();
    assert_eq!(changed, ["work"], "{document}");
    assert_eq!(inclusive(&document, "work"), [json!(1000), json!(9000)]);
}

/// `decode` and `walk` call each other in both runs, `unzip` is in that cycle in the old run alone:
/// the 9,000 that it costs are in the inclusive cost of `decode` in the new run, and not in the old
/// one.
#[test]
fn another_cycle_is_told() {
    let stage = Stage::empty();
    let main = ("main", 100, &[("decode", 10, 11110)][..]);
    let walk = ("walk", 1000, &[("decode", 1, 2000)][..]);
    let decode = |own| ("decode", own, &[("walk", 5, 3000), ("unzip", 5, 9000)][..]);
    stage.write(
        "old",
        profile(&[
            main,
            decode(1000),
            walk,
            ("unzip", 9000, &[("decode", 1, 100)]),
        ]),
    );
    stage.write(
        "new",
        profile(&[main, decode(1010), walk, ("unzip", 9000, &[])]),
    );
    let text = stage
        .report(&["diff", "old", "new"])
        .replace("\n      ", " ");
    assert!(
        text.contains("decode: calls that it makes are in a cycle only in the old run;"),
        "{text}"
    );
    assert!(!text.contains("a call"), "{text}");
    for (first, second) in [("old", "new"), ("new", "old")] {
        let limit = ["--limit", "incl.Ir(decode) <= +5%"];
        let out = stage.run(&[&["check", second, "--baseline", first][..], &limit].concat());
        assert_eq!(out.status.code(), Some(4), "{first}");
        let history = std::iter::repeat_n(["--history", first], 12).flatten();
        let noise: Vec<&str> = ["check", second, "--limit", "incl.Ir(decode) <= noise"]
            .into_iter()
            .chain(history)
            .collect();
        assert_eq!(stage.run(&noise).status.code(), Some(4), "{first}");
    }
}
