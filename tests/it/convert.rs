//! `convert`: stacks whose sum is exact, formats as their readers define them.

use crate::common::amount::{at_least, rounds, some, ways};
use crate::common::fixture;
use crate::common::needed::{Required, found, starts};
use crate::common::{Stage, assert_same, fixtures, profiles};
use serde_json::Value;
use std::collections::BTreeMap;

const ESTIMATED: &str = "(stacks estimated from calls)";

/// Folded stacks and their costs.
fn folded(stage: &Stage, file: &str, options: &[&str]) -> Vec<(Vec<String>, i128)> {
    let args: Vec<&str> = ["convert", "--to", "folded", file]
        .iter()
        .chain(options)
        .copied()
        .collect();
    let text = stage.report(&args);
    let stack = |line: &str| {
        let (frames, cost) = line.rsplit_once(' ').unwrap();
        (
            frames.split(';').map(str::to_owned).collect(),
            cost.parse().unwrap(),
        )
    };
    text.lines().map(stack).collect()
}

/// Self cost by function name, as the JSON report has it; `;` as folded stacks write it.
fn self_costs(stage: &Stage, file: &str) -> BTreeMap<String, i128> {
    let json = stage.json(&[file]);
    let mut costs = BTreeMap::new();
    for function in json["functions"].as_array().unwrap() {
        let cost = function["self"][0].as_i64().unwrap();
        if cost != 0 {
            *costs
                .entry(function["name"].as_str().unwrap().replace(';', ":"))
                .or_default() += i128::from(cost);
        }
    }
    costs
}

#[test]
fn the_stacks_of_a_function_add_up_to_its_self_cost() {
    let stage = Stage::empty();
    let mut seen = 0;
    for (at, name) in some(profiles()).into_iter().enumerate() {
        let file = fixture(&name);
        let want = self_costs(&stage, &file);
        if want.values().any(|&cost| cost < 0) {
            continue;
        }
        let json = stage.json(&[&file]);
        let calls = json["calls"]
            .as_array()
            .is_some_and(|calls| !calls.is_empty());
        for options in ways(at, &[&[][..], &["--min=5"], &["--min=0"]]) {
            let mut got: BTreeMap<String, i128> = BTreeMap::new();
            for (frames, cost) in folded(&stage, &file, options) {
                // Without calls there is nothing to estimate stacks from: every function is one.
                let as_it_should = if calls {
                    frames[0] == ESTIMATED
                } else {
                    frames.len() == 1
                };
                assert!(as_it_should, "{name}: {frames:?}");
                *got.entry(frames.last().unwrap().clone()).or_default() += cost;
            }
            seen += got.len();
            if options == ["--min=0"] {
                assert_eq!(want, got, "{name}");
                continue;
            }
            // What is small is added up without names.
            assert_eq!(
                want.values().sum::<i128>(),
                got.values().sum::<i128>(),
                "{name} {options:?}"
            );
            got.remove("(small stacks)");
            assert!(
                got.iter().all(|(function, cost)| want[function] >= *cost),
                "{name} {options:?}"
            );
        }
    }
    assert!(seen > at_least(10_000));
}

/// Xdebug's profiles tell their stacks: nothing is estimated.
#[test]
fn recorded_stacks_are_written_as_they_are() {
    let stage = Stage::empty();
    for name in [
        "xdebug/app-x320.xdebug",
        "xdebug/append-x320.xdebug",
        "xdebug/utf8-x320.xdebug",
    ] {
        let file = fixture(name);
        let want = self_costs(&stage, &file);
        for options in [&["--min=0"][..], &["--min=2"]] {
            let stacks = folded(&stage, &file, options);
            assert!(
                stacks.iter().all(|(frames, _)| frames[0] != ESTIMATED),
                "{name}"
            );
            let sum: i128 = stacks.iter().map(|(_, cost)| cost).sum();
            assert_eq!(sum, want.values().sum::<i128>(), "{name}");
            if options == ["--min=0"] {
                let mut got: BTreeMap<String, i128> = BTreeMap::new();
                stacks.iter().for_each(|(frames, cost)| {
                    *got.entry(frames.last().unwrap().clone()).or_default() += cost
                });
                assert_eq!(want, got, "{name}");
            } else if name.contains("app-") {
                assert!(
                    stacks
                        .iter()
                        .any(|(frames, _)| frames.last().unwrap() == "(small stacks)"),
                    "{name}"
                );
            }
        }
    }
    // The program of the third run: {main} calls alpha, alpha calls beta.
    let stacks = folded(&stage, &fixture("xdebug/append-x320.xdebug"), &["--min=0"]);
    assert!(
        stacks
            .iter()
            .any(|(frames, _)| frames[..] == ["{main}", "alpha", "beta"]),
        "{stacks:?}"
    );
}

fn text_of(stage: &Stage, profile: &str, options: &[&str]) -> String {
    stage.write("p", profile);
    stage
        .report(&[&["convert", "--to", "folded", "p"], options].concat())
        .replace(&format!("{ESTIMATED};"), "")
}

/// c costs 30 under a and 10 under b. Of its own 21, three quarters are 15.75 and one is 5.25; of d's 19, 14.25 and 4.75.
#[test]
fn costs_are_divided_in_proportion_without_loss() {
    let text = "events: Ir\nfl=f\n\
        fn=main\n1 5\ncfn=a\ncalls=1\n2 60\ncfn=b\ncalls=1\n3 20\n\
        fn=a\n1 30\ncfn=c\ncalls=9\n2 30\nfn=b\n1 10\ncfn=c\ncalls=1\n2 10\n\
        fn=c\n1 21\ncfn=d\ncalls=1\n2 19\nfn=d\n1 19\n";
    let want =
        "main 5\nmain;a 30\nmain;a;c 16\nmain;a;c;d 14\nmain;b 10\nmain;b;c 5\nmain;b;c;d 5\n";
    assert_same("folded", want, &text_of(&Stage::empty(), text, &[]));
    // 6 % of 85 is above what d costs under b, 4.75, but not above what c costs there, 10. What is small stays in its place.
    let want = "main 5\nmain;a 30\nmain;a;c 16\nmain;a;c;d 14\nmain;b 10\nmain;b;c 5\nmain;b;c;(small stacks) 5\n";
    assert_same(
        "folded",
        want,
        &text_of(&Stage::empty(), text, &["--min=6"]),
    );
}

/// 16.0 % is what the frame has in the folded stacks themselves.
#[test]
fn much_in_small_stacks_is_said() {
    let stage = Stage::of("shapes");
    for (form, share, is_said) in [
        ("folded", "2", true),
        ("speedscope", "2", true),
        ("pprof", "2", true),
        ("folded", "0.01", false),
    ] {
        let out = stage.run(&[
            "convert",
            "shapes.plain.out",
            "--to",
            form,
            "--min",
            share,
            "-o",
            "out",
        ]);
        let said = String::from_utf8(out.stderr).unwrap();
        let small = "16.0 % of the self cost is in `(small stacks)`; --min=0 lists each\n";
        assert_eq!(said.contains(small), is_said, "{form} {share}: {said}");
        assert_eq!(
            said.contains("(small stacks)"),
            is_said,
            "{form} {share}: {said}"
        );
    }
    let folded = stage.report(&["convert", "shapes.plain.out", "--to=folded", "--min=2"]);
    let count = |line: &str| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    let small: u64 = folded
        .lines()
        .filter(|line| line.contains("(small stacks)"))
        .map(count)
        .sum();
    assert_eq!(
        (1000 * small).div_ceil(folded.lines().map(count).sum()),
        161,
        "{small}"
    );
}

/// What Xdebug writes of a function that calls itself so often; each call costs 10 itself, and `{main}` too.
fn recursive(calls: u32) -> String {
    let mut text =
        "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /d.php\npart: 1\npositions: line\n\nevents: Time\n\n\
                    fl=(1) /d.php\nfn=(1) down\n3 10\n\n"
            .to_owned();
    let call = |inside: u32| format!("cfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 {}\n\n", inside * 10);
    (1..calls).for_each(|inside| text += &format!("fl=(1)\nfn=(1)\n3 10\n{}", call(inside)));
    text + &format!(
        "fl=(1)\nfn=(2) {{main}}\n1 10\n{}summary: {}\n\n",
        call(calls),
        (calls + 1) * 10
    )
}

/// Stacks are as deep as they are, recorded or estimated, and where every line has a whole stack the limit is reported.
#[test]
fn deep_stacks_are_told_apart() {
    let stage = Stage::empty();
    let chain = |calls: u32| -> String {
        let function = |at: u32| match at {
            at if at == calls => format!("fn=f{at}\n1 10\n"),
            at => format!(
                "fn=f{at}\n1 10\ncfn=f{}\ncalls=1 1\n1 {}\n",
                at + 1,
                (calls - at) * 10
            ),
        };
        "events: Ir\nfl=a.c\n".to_owned() + &(0..=calls).map(function).collect::<String>()
    };
    for (name, text) in [("xdebug", recursive(700)), ("chain", chain(700))] {
        stage.write(name, text);
        let stacks = folded(&stage, name, &[]);
        let outer = usize::from(name == "chain");
        assert_eq!(
            stacks.iter().map(|(frames, _)| frames.len() - outer).max(),
            Some(701),
            "{name}"
        );
        assert!(
            stacks.len() == 701 && stacks.iter().all(|(_, cost)| *cost == 10),
            "{name}"
        );
        let page = crate::page::data(&stage.report(&[name, "--format=html"]));
        assert_eq!(
            page.sizes("t.0.depth").into_iter().max(),
            Some(700),
            "{name}: the page has a frame for each"
        );
    }
    for (name, text) in [("xdebug", recursive(5_010)), ("chain", chain(5_010))] {
        stage.write(name, text);
        for to in ["folded", "pprof", "speedscope"] {
            let said = |options: &[&str]| {
                let out =
                    stage.run(&[&["convert", "--to", to, name, "-o", "out"], options].concat());
                String::from_utf8(out.stderr).unwrap()
            };
            let limit =
                "0.2 % of the self cost is in `(small stacks)`; stacks end after 5000 frames\n";
            assert_eq!(
                said(&[]).contains(limit),
                to != "speedscope",
                "{name} {to}: {}",
                said(&[])
            );
        }
    }
}

/// main calls a alone, and c under both: c cost 40 in all, 30 of it under a, so that what is certain under a are 30 - (40 -
/// 21) of c's own 21, 11, and under b none; of d likewise 30 - (40 - 19) and none.
#[test]
fn what_is_certain_is_said() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=f\n\
        fn=main\n1 5\ncfn=a\ncalls=1\n2 60\ncfn=b\ncalls=1\n3 20\n\
        fn=a\n1 30\ncfn=c\ncalls=9\n2 30\nfn=b\n1 10\ncfn=c\ncalls=1\n2 10\n\
        fn=c\n1 21\ncfn=d\ncalls=1\n2 19\nfn=d\n1 19\n",
    );
    for format in ["folded", "speedscope"] {
        let out = stage.run(&["convert", "--to", format, "p"]);
        // 5 + 30 + 10 + 11 + 9 of 85.
        let said = "a function's cost is divided among its callers; the stacks of 76.4 % of the self cost are certain";
        let err = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.success() && err.trim_end().ends_with(said),
            "{err}"
        );
    }
    // f cost 110, 100 of it below main: of b's 100 that are 100 - 10, and of its own 5 and of a's,
    // which is called first, none. 1 + 1 + 90 of 112.
    stage.write(
        "p",
        "events: Ir\nfl=f\nfn=main\n1 1\ncfn=f\ncalls=1\n1 100\nfn=other\n2 1\ncfn=f\ncalls=1\n2 10\n\
        fn=f\n3 5\ncfn=a\ncalls=1\n3 5\ncfn=b\ncalls=1\n3 100\nfn=a\n4 5\nfn=b\n5 100\n",
    );
    let out = stage.run(&["convert", "--to=folded", "p"]);
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(err.contains("the stacks of 82.1 % of"), "{err}");
}

/// The example of format notes on cycles, checked there by hand: cA and cB call each other; 90 come in.
#[test]
fn cycles_are_entered_once() {
    let text = "events: Ir\nfl=a.c\n\
        fn=Amain\n1 10\ncfn=cA\ncalls=1\n2 90\n\
        fn=cA\n1 20\ncfn=cB\ncalls=3\n2 100\ncfn=leaf\ncalls=1\n3 15\n\
        fn=cB\n1 25\ncfn=cA\ncalls=2\n2 60\ncfn=leaf\ncalls=2\n3 30\n\
        fn=leaf\n1 45\n";
    let want = "Amain 10\nAmain;<cycle 1>;cB 25\nAmain;<cycle 1>;cB;leaf 30\n\
        Amain;<cycle 1>;cA 20\nAmain;<cycle 1>;cA;leaf 15\n";
    assert_same("folded", want, &text_of(&Stage::empty(), text, &[]));
    // A function that calls itself is none; what nobody is known to have called begins a stack.
    let text = "events: Ir\nfl=a.c\nfn=fib\n1 10\ncfn=fib\ncalls=9\n2 8\nfn=other;one\n1 3\n";
    assert_same(
        "folded",
        "fib 10\nother:one 3\n",
        &text_of(&Stage::empty(), text, &[]),
    );
}

/// 2^40 ways from top to bottom, and a chain of 100,000 functions: neither time nor output explodes.
#[test]
fn output_is_bounded() {
    let stage = Stage::empty();
    let mut diamonds = String::from("events: Ir\nfl=f\n");
    for n in 0..40 {
        let callees = if n < 39 {
            format!(
                "cfn=l{m}\ncalls=1\n1 500000\ncfn=r{m}\ncalls=1\n1 500000\n",
                m = n + 1
            )
        } else {
            "".into()
        };
        diamonds += &format!("fn=l{n}\n1 1000\n{callees}fn=r{n}\n1 1000\n{callees}");
    }
    let mut chain = String::from("events: Ir\nfl=f\n");
    let depth = rounds(100_000);
    for n in 0..depth {
        chain += &format!("fn=f{n}\n1 1\ncfn=f{}\ncalls=1\n1 {}\n", n + 1, depth - n);
    }
    chain += &format!("fn=f{depth}\n1 1\n");
    for (name, text, sum) in [
        ("diamonds", diamonds, 80_000),
        ("chain", chain, i128::from(depth) + 1),
    ] {
        stage.write(name, text);
        for options in [&["--min=0"][..], &[]] {
            let text = stage.report(&[&["convert", "--to", "folded", name], options].concat());
            assert!(text.len() < 200_000_000, "{name}: {} bytes", text.len());
            let costs = text
                .lines()
                .map(|line| line.rsplit_once(' ').unwrap().1.parse::<i128>().unwrap());
            assert_eq!(costs.sum::<i128>(), sum, "{name} {options:?}");
            assert!(
                text.lines().count() <= 200_100
                    && text.lines().all(|line| line.matches(';').count() <= 5001),
                "{name}"
            );
        }
        assert!(
            stage
                .run(&["convert", "--to", "speedscope", name])
                .stdout
                .len()
                < 30_000_000,
            "{name}"
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let stage = Stage::empty();
    stage.write("negative", "events: Ir Mem\nfl=f\nfn=g\n1 5 -5\n");
    let out = stage.run(&[
        "convert", "--to", "folded", "negative", "--show", "Mem", "-o", "out",
    ]);
    let err = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.code() == Some(1) && err.contains("Mem has negative costs"),
        "{err}"
    );
    assert!(!stage.dir.join("out").exists());
    assert!(
        stage
            .run(&["convert", "--to", "folded", "negative"])
            .status
            .success()
    );
    for args in [
        &["convert", "negative"][..],
        &["convert", "negative", "--to", "svg"],
        &["convert", "negative", "--to", "dot", "--show", "Bc"],
        &["convert", "negative", "--to", "folded", "--label", "1"],
        &["convert", "negative", "--to", "callgrind", "--show", "Ir"],
        &["convert", "negative", "--to", "dot", "--min", "101"],
    ] {
        assert_eq!(stage.run(args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn an_event_can_be_chosen() {
    let stage = Stage::empty();
    let text = "event: Sum = Ir + 10 Bc\nevents: Ir Bc\nfl=f\nfn=g\n1 5 2\n";
    assert_eq!(text_of(&stage, text, &["--show", "Bc"]), "g 2\n");
    assert_eq!(text_of(&stage, text, &["--show", "Sum"]), "g 25\n");
    assert_eq!(
        text_of(&stage, text, &["--show", "X", "--event", "X = 3 Ir"]),
        "g 15\n"
    );
}

#[test]
fn callgrind_is_what_merge_writes() {
    let stage = Stage::empty();
    let files = [
        fixture("threads/workers.out-01"),
        fixture("threads/workers.out-02"),
    ];
    let convert = stage.report(&["convert", "--to", "callgrind", &files[0], &files[1]]);
    assert_same(
        "callgrind",
        &stage.report(&["merge", &files[0], &files[1]]),
        &convert,
    );
}

#[test]
fn speedscope_files_keep_to_the_published_schema() {
    let stage = Stage::empty();
    let schema = std::fs::read(fixtures().join("speedscope/file-format-schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    for name in [
        "shapes/shapes.plain.out",
        "rust/balls.out",
        "threads/workers.combined.out",
        "xdebug/app-x353.xdebug",
    ] {
        let text = stage.report(&["convert", "--to", "speedscope", &fixture(name)]);
        let json: Value = serde_json::from_str(&text).unwrap();
        Schema { root: &schema }
            .check(&schema, &json, "$")
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        // What the schema cannot say: frames open and close in pairs, in order, and time does not go back.
        let profile = &json["profiles"][0];
        let (mut open, mut now) = (Vec::new(), 0);
        for event in profile["events"].as_array().unwrap() {
            let (frame, at) = (
                event["frame"].as_u64().unwrap(),
                event["at"].as_i64().unwrap(),
            );
            assert!(
                at >= now && json["shared"]["frames"][frame as usize].is_object(),
                "{name}: {event}"
            );
            now = at;
            match event["type"].as_str().unwrap() {
                "O" => open.push(frame),
                _ => assert_eq!(open.pop(), Some(frame), "{name}: {event}"),
            }
        }
        assert!(open.is_empty(), "{name}");
        let sum: i128 = self_costs(&stage, &fixture(name)).values().sum();
        assert_eq!(
            (
                i128::from(now),
                profile["endValue"].as_i64().map(i128::from)
            ),
            (sum, Some(sum)),
            "{name}"
        );
        let estimated = profile["name"].as_str().unwrap().contains("estimated");
        assert_eq!(estimated, !name.starts_with("xdebug"), "{name}");
    }
}

/// The part of JSON Schema that speedscope's uses. A keyword that is not known fails, so that nothing is passed over.
struct Schema<'a> {
    root: &'a Value,
}

impl Schema<'_> {
    fn check(&self, schema: &Value, json: &Value, at: &str) -> Result<(), String> {
        for (keyword, wanted) in schema.as_object().unwrap() {
            match keyword.as_str() {
                "$schema" | "definitions" | "title" => {}
                "$ref" => {
                    let name = wanted
                        .as_str()
                        .unwrap()
                        .strip_prefix("#/definitions/")
                        .unwrap();
                    self.check(&self.root["definitions"][name], json, at)?;
                }
                "type" => {
                    let is = match wanted.as_str().unwrap() {
                        "object" => json.is_object(),
                        "array" => json.is_array(),
                        "string" => json.is_string(),
                        "number" => json.is_number(),
                        other => return Err(format!("{at}: type {other} is not known here")),
                    };
                    ensure(is, || format!("{at}: no {wanted}: {json}"))?;
                }
                "const" => ensure(json == wanted, || format!("{at}: not {wanted}: {json}"))?,
                "enum" => ensure(wanted.as_array().unwrap().contains(json), || {
                    format!("{at}: not of {wanted}: {json}")
                })?,
                "required" => {
                    for key in wanted.as_array().unwrap() {
                        ensure(json.get(key.as_str().unwrap()).is_some(), || {
                            format!("{at}: {key} is missing")
                        })?;
                    }
                }
                "properties" => {
                    for (key, inner) in wanted.as_object().unwrap() {
                        if let Some(value) = json.get(key) {
                            self.check(inner, value, &format!("{at}.{key}"))?;
                        }
                    }
                }
                "items" => {
                    for (nth, item) in json.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{nth}]"))?;
                    }
                }
                "anyOf" => {
                    let errors: Vec<String> = wanted
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter_map(|one| self.check(one, json, at).err())
                        .collect();
                    ensure(errors.len() < wanted.as_array().unwrap().len(), || {
                        errors.join("; or ")
                    })?;
                }
                other => return Err(format!("{at}: keyword {other} is not known here")),
            }
        }
        Ok(())
    }
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

#[test]
fn the_schema_check_can_fail() {
    let schema = std::fs::read(fixtures().join("speedscope/file-format-schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let good = serde_json::json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": []},
        "profiles": [{"type": "evented", "name": "", "unit": "none", "startValue": 0, "endValue": 0, "events": []}],
    });
    let check = |json: &Value| Schema { root: &schema }.check(&schema, json, "$");
    assert_eq!(check(&good), Ok(()));
    for (pointer, value) in [
        ("/$schema", Value::Null),
        ("/shared/frames", serde_json::json!([{"file": "x"}])),
        ("/profiles/0/unit", "Ir".into()),
        (
            "/profiles/0/events",
            serde_json::json!([{"type": "X", "frame": 0, "at": 0}]),
        ),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(check(&bad).is_err(), "{pointer}");
    }
}

/// Small enough to see that everything is there; names that look like markup.
#[test]
fn dot_has_what_is_above_the_thresholds() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "cmd: ./a \"b\"\nevents: Ir\nfl=f\nfn=ma\\in\n1 500\ncfn=\"<b>\"\ncalls=3\n2 494\ncfn=tiny\ncalls=1\n3 4\ncfn=dear\ncalls=1\n4 2\n\
         fn=\"<b>\"\n1 494\nfn=tiny\n1 4\nfn=dear\n1 2\ncfn=more\ncalls=1\n2 50\nfn=more\n1 0\n",
    );
    // Of 1000: tiny has 0.4 %, below 0.5; dear 5.2 % by what it calls, but main's arc to it 0.2, above 0.1.
    let want = r#"digraph "./a \"b\"" {
  graph [label="Ir: inclusive and self cost, 1,000 in all; 1 function and 1 arc are omitted", labelloc=t, fontname="sans-serif"];
  node [shape=box, fontname="sans-serif", fontsize=10];
  edge [fontname="sans-serif", fontsize=9];
  n0 [label="ma\\in\n1,000 (100.00%)\nself 500 (50.00%)", tooltip="f:ma\\in", penwidth=2.00];
  n1 [label="\"<b>\"\n494 (49.40%)\nself 494 (49.40%)\n3x", tooltip="f:\"<b>\"", penwidth=1.98];
  n2 [label="dear\n52 (5.20%)\nself 2 (0.20%)\n1x", tooltip="f:dear", penwidth=0.51];
  n3 [label="more\n50 (5.00%)\nself 0 (0.00%)\n1x", tooltip="f:more", penwidth=0.50];
  n0 -> n1 [label="494 (49.40%)\n3x", penwidth=2.48];
  n0 -> n2 [label="2 (0.20%)\n1x", penwidth=0.51];
  n2 -> n3 [label="50 (5.00%)\n1x", penwidth=0.70];
}
"#;
    assert_same("dot", want, &stage.report(&["convert", "--to", "dot", "p"]));
    let text = stage.report(&["convert", "--to", "dot", "p", "--min=10"]);
    assert_eq!(
        text.lines().filter(|line| line.starts_with("  n")).count(),
        1 + 3,
        "{text}"
    );
    let all = stage.report(&["convert", "--to", "dot", "p", "--min=0"]);
    assert!(
        all.contains("; 0 functions and 0 arcs are omitted"),
        "{all}"
    );
    // What filters left out is left out, too; the total is that of the run.
    let dear = stage.report(&["convert", "--to", "dot", "p", "--min=0", "--function=dear"]);
    assert!(
        dear.contains("1,000 in all; 4 functions and 4 arcs are omitted"),
        "{dear}"
    );
    // Calls within recursion count the same cost again; they cost no more than what is called.
    stage
        .write("again", "events: Ir\nfl=f\nfn=main\n1 10\ncfn=f\ncalls=1\n2 100\nfn=f\n3 100\ncfn=f\ncalls=9\n4 450\n");
    // Of a cycle, as much as the cycle: f and g cost 100 together.
    stage.write(
        "cycle",
        "events: Ir\nfl=f\nfn=main\n1 10\ncfn=f\ncalls=1\n2 100\nfn=f\n3 40\ncfn=g\ncalls=9\n4 450\nfn=g\n5 60\ncfn=f\ncalls=8\n6 80\n",
    );
    for (file, want) in [
        ("again", &["100 (90.91%)\\n1x", "100 (90.91%)\\n9x"][..]),
        (
            "cycle",
            &["100 (90.91%)\\n1x", "100 (90.91%)\\n9x", "80 (72.73%)\\n8x"],
        ),
    ] {
        let graph = stage.report(&["convert", "--to", "dot", "--min=0", file]);
        let arcs = graph
            .lines()
            .filter(|line| line.contains(" -> "))
            .filter_map(|line| line.split('"').nth(1));
        let (mut arcs, mut want): (Vec<&str>, Vec<&str>) = (arcs.collect(), want.to_vec());
        arcs.sort_unstable();
        want.sort_unstable();
        assert_eq!(arcs, want, "{graph}");
    }
}

/// Where Graphviz is installed, it reads the graphs of all profiles.
#[test]
fn graphviz_reads_the_graphs() {
    let missing = "dot is not installed, so it read no graphs (Debian: graphviz)";
    if !found(starts("dot", &["-V"]), Required::Nowhere, missing) {
        return;
    }
    let stage = Stage::empty();
    for name in some(profiles()) {
        stage.report(&["convert", "--to", "dot", &fixture(&name), "-o", "graph.dot"]);
        let out = stage
            .any("dot", &["-Tcanon", "graph.dot"])
            .output()
            .unwrap();
        assert!(
            out.status.success() && out.stderr.is_empty(),
            "{name}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
}

/// What webgrind is given is read and written again byte for byte, also of a profile without a command and of calls
/// that were not counted.
#[test]
fn what_webgrind_is_given_stays_as_it_is() {
    let stage = Stage::empty();
    for profile in [
        "events: Ir\n",
        "events: Ir\nfn=f\n1 2\ncfn=g\ncalls=0 1\n2 9\nfn=g\n3 9\n",
    ] {
        stage.write("profile", profile);
        for (from, to) in [("profile", "once"), ("once", "twice")] {
            stage.report(&["convert", "--to=webgrind", from, "-o", to]);
        }
        let read = |name| std::fs::read(stage.dir.join(name)).unwrap();
        assert_eq!(read("once"), read("twice"), "{profile}");
    }
}

/// pprof's own reader, where Go is installed: totals, names and callers are what the report says.
mod pprof {
    use super::*;

    fn is_installed() -> bool {
        let missing = "Go is not installed, so pprof read nothing (Debian: golang-go)";
        found(starts("go", &["version"]), Required::Reference, missing)
    }

    fn asked(stage: &Stage, args: &[&str]) -> String {
        let mut command = stage.any("go", &["tool", "pprof"]);
        let out = command
            .args(args)
            .arg("out.pb.gz")
            .env("HOME", &stage.dir)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).unwrap()
    }

    fn converted(profile: &str) -> Stage {
        let (folder, file) = profile.split_once('/').unwrap();
        let stage = Stage::of(folder);
        let out = stage.run(&["convert", "--to=pprof", "--min=0", file, "-o", "out.pb.gz"]);
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
        stage
    }

    #[test]
    fn it_reads_the_totals_of_every_event() {
        for (profile, event, total) in PROFILES {
            let stage = converted(profile);
            if !is_installed() {
                return;
            }
            let top = asked(
                &stage,
                &[
                    "-top",
                    "-sample_index",
                    event,
                    "-nodecount=100000",
                    "-nodefraction=0",
                ],
            );
            let heading = format!("of {total} total");
            assert!(
                top.contains(&heading),
                "{profile} {event}: {heading}\n{}",
                &top[..300]
            );
        }
    }

    /// Sums of all self costs; of the second, `summary:` says two instructions more.
    const PROFILES: [(&str, &str, &str); 5] = [
        ("shapes/shapes.plain.out", "Ir", "457867"),
        ("shapes/shapes.cachebranch.out", "Ir", "457867"),
        ("shapes/shapes.cachebranch.out", "Dr", "104500"),
        ("rust/balls.out", "Ir", "1105204"),
        ("cxx/inventory.out", "Ir", "4329542"),
    ];

    /// Callers in the order of what their calls cost, which is that of the profile's own arcs.
    #[test]
    fn callers_are_in_the_order_of_their_costs() {
        for (profile, function, count) in [
            ("shapes/shapes.plain.out", "malloc", 2),
            ("rust/balls.out", "_int_malloc", 2), // two more of equal cost
            ("cxx/inventory.out", "_dl_lookup_symbol_x", 3),
        ] {
            let stage = converted(profile);
            if !is_installed() {
                return;
            }
            let all = ["-nodecount=100000", "-nodefraction=0", "-edgefraction=0"];
            let asked = asked(
                &stage,
                &[
                    &["-sample_index=Ir", "-peek", &format!("^{function}$")],
                    &all[..],
                ]
                .concat(),
            );
            let rows = asked
                .lines()
                .filter_map(|line| line.split_once("|   "))
                .map(|(_, name)| name.trim());
            let got: Vec<&str> = rows.take(count).collect();

            let json = stage.json(&[&fixture(profile)]);
            let name = |id: &Value| {
                json["functions"][id.as_u64().unwrap() as usize]["name"]
                    .as_str()
                    .unwrap()
            };
            let calls = json["calls"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|call| name(&call["callee"]) == function);
            let mut callers: Vec<(i64, &str)> = calls
                .map(|call| {
                    (
                        -call["inclusive"][0].as_i64().unwrap(),
                        name(&call["caller"]),
                    )
                })
                .collect();
            callers.sort_unstable();
            let want: Vec<&str> = callers
                .into_iter()
                .map(|(_, name)| name)
                .take(count)
                .collect();
            assert_eq!(got, want, "{profile}\n{asked}");
        }
    }

    #[test]
    fn a_functions_callers_stand_above_it() {
        let stage = converted("shapes/shapes.plain.out");
        if !is_installed() {
            return;
        }
        let peek = asked(&stage, &["-sample_index=Ir", "-peek", "^calloc$"]);
        let at = |name: &str| {
            peek.find(name)
                .unwrap_or_else(|| panic!("{name} in {peek}"))
        };
        assert!(
            at(" ins") < at(" calloc") && at(" calloc") < at("_int_malloc"),
            "{peek}"
        );
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let stage = converted("shapes/shapes.plain.out");
        let first = std::fs::read(stage.dir.join("out.pb.gz")).unwrap();
        stage.run(&[
            "convert",
            "--to=pprof",
            "--min=0",
            "shapes.plain.out",
            "-o",
            "out.pb.gz",
        ]);
        assert_eq!(std::fs::read(stage.dir.join("out.pb.gz")).unwrap(), first);
    }
}

/// main calls a and b, both call c, and c calls d: 85 in all.
const SHARED: &str = "events: Ir\nob=bin\nfl=f\n\
    fn=main\n1 5\ncfn=a\ncalls=1\n2 60\ncfn=b\ncalls=1\n3 20\n\
    fn=a\n1 30\ncfn=c\ncalls=9\n2 30\nfn=b\n1 10\ncfn=c\ncalls=1\n2 10\n\
    fn=c\n1 21\ncfn=d\ncalls=1\n2 19\nfn=d\n1 19\n";

/// What c costs is in nobody's cost, what it calls begins a stack, and the other numbers are those of the run.
#[test]
fn what_is_left_out_is_charged_to_nobody() {
    let stage = Stage::empty();
    let stacks = |options: &[&str]| {
        let text = text_of(&stage, SHARED, options);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!(
        stacks(&["--not-function=^c$"]),
        ["d 19", "main 5", "main;a 30", "main;b 10"]
    );
    assert_eq!(
        stacks(&["--function=^[cd]$", "--file=f", "--object=bin"]),
        ["c 21", "c;d 19"]
    );

    for format in ["callgrind", "webgrind"] {
        stage.report(&[
            "convert",
            "--to",
            format,
            "--not-function=^c$",
            "-o",
            "q",
            "p",
        ]);
        let table = |options: &[&str]| {
            let text = stage.report(&[&["--format=csv", "q"], options].concat());
            let row = |line: &str| {
                let cells: Vec<&str> = line.split(',').collect();
                format!("{} {} {}", cells[0], cells[1], cells[4])
            };
            text.lines().skip(1).map(row).collect::<Vec<_>>()
        };
        assert_eq!(
            table(&[]),
            ["30 60 a", "19 19 d", "10 20 b", "5 85 main"],
            "{format}"
        );
        assert_eq!(
            table(&["--inclusive=yes"]),
            ["5 85 main", "30 60 a", "10 20 b", "19 19 d"],
            "{format}"
        );
    }
    let written = stage.report(&["convert", "--to", "callgrind", "--not-function=^c$", "p"]);
    stage.write("q", &written);
    let report = stage.report(&["--threshold=100", "--strict", "q"]);
    assert!(report.contains("85 (100.0%)  PROGRAM TOTALS"), "{report}");
    assert!(report.contains("19 (22.35%)  f:d"), "{report}");

    let node = |options: &[&str], name: &str| {
        let text = stage.report(&[&["convert", "--to", "dot", "--min=0", "p"], options].concat());
        let found = text
            .lines()
            .find(|line| line.contains(&format!("label=\"{name}\\n")))
            .map(str::to_owned);
        found.and_then(|line| line.split_once("label=").map(|(_, label)| label.to_owned()))
    };
    assert!(node(&[], "c").is_some());
    assert_eq!(node(&["--not-function=^c$"], "c"), None);
    assert_eq!(node(&["--not-function=^c$"], "a"), node(&[], "a"));
}

/// a and b call each other, and main calls both. Of b nothing was counted but the calls of a that it makes, which stay in the
/// cycle: its inclusive cost is 0, whether a is left out or not.
#[test]
fn a_member_of_a_cycle_costs_no_more_because_the_others_are_left_out() {
    let stage = Stage::empty();
    let text = "events: Ir\nfn=main\n1 5\ncfn=a\ncalls=1 2\n1 30\nfn=a\n2 10\ncfn=b\ncalls=1 3\n2 20\nfn=b\ncfn=a\ncalls=1 2\n3 20\n\
                fn=main\ncfn=b\ncalls=1 3\n1 20\n";
    stage.write("p", text);
    let of_b = |options: &[&str]| {
        stage.report(&[&["convert", "--to=webgrind", "-o", "q", "p"], options].concat());
        let table = stage.report(&["--format=csv", "--function=^b$", "q"]);
        table.lines().nth(1).unwrap_or_default().to_owned()
    };
    // Self, inclusive, calls, a call.
    assert_eq!(of_b(&[]), "0,0,2,0.00,b,???,");
    assert_eq!(of_b(&["--not-function=^a$"]), "0,0,2,0.00,b,???,");
    let graph = stage.report(&["convert", "--to=dot", "--min=0", "--not-function=^a$", "p"]);
    assert!(graph.contains(r#"label="b\n0 (0.00%)"#), "{graph}");
}

/// One function with what is around it, so many levels up and down.
#[test]
fn one_function_is_written_with_its_callers_and_callees() {
    let stage = Stage::empty();
    stage.write("p", SHARED);
    let functions = |options: &[&str]| {
        stage.report(&[&["convert", "--to", "callgrind", "-o", "q", "p"], options].concat());
        let csv = stage.report(&["--format=csv", "--inclusive=yes", "q"]);
        csv.lines()
            .skip(1)
            .map(|line| line.split(',').collect::<Vec<_>>())
            .map(|cells| format!("{} {}", cells[1], cells[4]))
            .collect::<Vec<_>>()
    };
    assert_eq!(functions(&["--zoom=c"]), ["60 a", "40 c", "20 b", "19 d"]);
    // Who reads it adds inclusive costs up from the arcs that are left.
    assert_eq!(functions(&["--zoom=c", "--depth=0"]), ["21 c"]);
    assert_eq!(functions(&["--zoom=d"]), ["40 c", "19 d"]);
    assert_eq!(
        functions(&["--zoom=d", "--depth=2"]),
        ["60 a", "40 c", "20 b", "19 d"]
    );
    assert_eq!(functions(&["--zoom=c", "--depth=9"]).len(), 5);
    assert_eq!(
        functions(&["--zoom=c", "--not-function=b"]),
        ["60 a", "40 c", "19 d"]
    );
    let folded = stage.report(&["convert", "--to", "folded", "--zoom=c", "p"]);
    let mut stacks: Vec<&str> = folded.lines().filter(|line| line.contains(";c")).collect();
    stacks.sort_unstable();
    assert_eq!(
        stacks
            .iter()
            .map(|line| line.rsplit(';').next().unwrap())
            .collect::<Vec<_>>()
            .concat()
            .matches('d')
            .count(),
        2
    );
    let out = stage.run(&["convert", "--to", "dot", "--zoom=mian", "p"]);
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(
        out.status.code() == Some(2)
            && error.contains("no function matches `mian`\nhint: did you mean main?"),
        "{error}"
    );
}

/// A filter that matches nothing is a mistake: nothing is written.
#[test]
fn a_filter_that_matches_nothing_writes_nothing() {
    let stage = Stage::empty();
    stage.write("p", SHARED);
    for format in [
        "folded",
        "dot",
        "callgrind",
        "speedscope",
        "pprof",
        "webgrind",
        "tables",
    ] {
        let out = stage.run(&["convert", "--to", format, "--function=mian", "-o", "q", "p"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{format}: {error}");
        assert!(
            error.contains("--function: nothing matches `mian`\nhint: did you mean main?"),
            "{format}: {error}"
        );
        assert!(!stage.dir.join("q").exists(), "{format}");
    }
    let out = stage.run(&[
        "convert",
        "--to",
        "folded",
        "--function=main",
        "--not-file=f",
        "p",
    ]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(error.contains("nothing passes all of them"), "{error}");
}

/// `w` reads once, below `a` or below `b`, and never below `c`. Whichever of the two has the read, and whether such stacks are
/// shown or small: that the other has none is an estimate with bounds, and that `c` has none is exact.
#[test]
fn events_that_round_to_nothing_have_bounds() {
    use cgannotate::analysis::Frame;
    use cgannotate::analysis::Session;
    use cgannotate::analysis::samples::Samples;
    use cgannotate::input::{Options, read_from};
    let call = |callee: &str, reads: u32| format!("cfn={callee}\ncalls=1 1\n2 400 {reads}\n");
    let caller = |name: &str, reads: u32| format!("fn={name}\n1 100 0\n{}", call("w", reads));
    let main = format!(
        "fn=main\n1 10 0\n{}{}{}",
        call("a", 1),
        call("b", 1),
        call("c", 0)
    )
    .replace("400", "500");
    let callers = [caller("a", 1), caller("b", 1), caller("c", 0)].concat();
    let text = format!("events: Ir Dr\n{main}{callers}fn=w\n1 1200 1\nfn=alone\n9 7 100000\n");
    let session = Session::new(read_from("made", text.as_bytes(), &Options::all()).unwrap());
    let profile = session.profile();
    for least in [0.0, 0.0001] {
        let samples = Samples::new(profile, session.inclusive(), &[0, 1], least.into());
        let name = |link: u32| match samples.links[link as usize].frame {
            Frame::Function(id) => {
                String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
            }
            other => format!("{other:?}"),
        };
        let of_w = samples
            .samples
            .iter()
            .filter(|sample| name(sample.link) == "w")
            .map(|sample| {
                let around = name(samples.links[sample.link as usize].outer.unwrap());
                let bounds = samples
                    .known
                    .get(&(sample.link, 1))
                    .map(|known| (known.least, known.most));
                (around, sample.counts[0], sample.counts[1], bounds)
            });
        let mut of_w: Vec<_> = of_w.collect();
        of_w.sort();
        let read = i128::from(least == 0.0);
        let want = [
            ("a", read, Some((0, 1))),
            ("b", 0, Some((0, 1))),
            ("c", 0, None),
        ];
        assert_eq!(
            of_w,
            want.map(|(around, reads, bounds)| (around.to_owned(), 400, reads, bounds)),
            "{least}"
        );
    }
}

/// The fields of a message of protocol buffers: numbers, and bytes.
fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return value;
            }
        }
    }
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let number = varint(&mut bytes);
        let length = if key & 7 == 2 { number as usize } else { 0 };
        fields.push((key >> 3, number, bytes[..length].to_vec()));
        bytes = &bytes[length..];
    }
    fields
}

/// pprof has a type of sample for each event, in their order, and shows the first if nobody chooses.
#[test]
fn pprof_shows_the_first_event() {
    let stage = Stage::of("cache");
    let file = "matrix.cachebranch.toggle.out";
    let json = stage.json(&[file]);
    let events: Vec<&str> = json["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect();
    for (options, wanted) in [(&[][..], &events[..]), (&["--show=Dw"], &["Dw"])] {
        let out = stage.run(&[&["convert", "--to=pprof", file], options].concat());
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(
            &mut flate2::read::GzDecoder::new(&out.stdout[..]),
            &mut bytes,
        )
        .unwrap();
        let fields = fields(&bytes);
        let texts: Vec<String> = (fields.iter().filter(|(field, ..)| *field == 6))
            .map(|(.., text)| String::from_utf8(text.clone()).unwrap())
            .collect();
        let types = fields.iter().filter(|(field, ..)| *field == 1);
        let types: Vec<&str> = types
            .map(|(.., of)| &texts[self::fields(of)[0].1 as usize][..])
            .collect();
        assert_eq!(types, wanted, "{options:?}");
        let shown: Vec<&str> = fields
            .iter()
            .filter(|(field, ..)| *field == 14)
            .map(|(_, text, _)| &texts[*text as usize][..])
            .collect();
        assert_eq!(shown, [wanted[0]], "{options:?}");
    }
}

/// From one hundredth on it is said how much is in stacks that are not told apart.
#[test]
fn small_stacks_are_said_from_one_percent_on() {
    let stage = Stage::empty();
    for (each, is_said) in [(9, false), (10, true), (11, true)] {
        // Ten functions of less than the share that is asked for.
        let small: String = (0..10)
            .map(|n| format!("fn=small{n}\n1 {each}\n"))
            .collect();
        stage.write(
            "p",
            format!(
                "events: Ir\nfl=a.c\nfn=main\n1 {}\n{small}",
                10_000 - 10 * each
            ),
        );
        let out = stage.run(&["convert", "--to=folded", "--min=0.5", "p"]);
        let said = String::from_utf8(out.stderr).unwrap();
        let note = format!(
            "{:.1} % of the self cost is in `(small stacks)`; --min=0",
            f64::from(each) / 10.0
        );
        assert_eq!(said.contains(&note), is_said, "{each}: {said}");
        let all = stage.run(&["convert", "--to=folded", "--min=0", "p"]);
        assert!(
            !String::from_utf8(all.stderr)
                .unwrap()
                .contains("small stacks"),
            "{each}"
        );
    }
}

/// The shares below which stacks, functions and arcs are left out if nobody says another.
#[test]
fn what_is_left_out_by_default() {
    let stage = Stage::empty();
    // Of 1,000,000 stacks show from 100 on, functions of graphs from 5,000 on, arcs of graphs from 1,000 on.
    let arc = |to: &str, cost: u32| format!("cfn={to}\ncalls=1 1\n2 {cost}\n");
    let of = [
        ("f99", 99),
        ("f100", 100),
        ("f4999", 4999),
        ("f5000", 5000),
        ("f999", 999),
    ];
    let small: u32 = of.iter().map(|(_, cost)| cost).sum();
    let main = 900_000 - small;
    let mut text = format!("events: Ir\nfl=a.c\nfn=main\n1 {main}\n");
    of.iter().for_each(|(name, cost)| text += &arc(name, *cost));
    // Both have enough; the arc between them has not.
    text += &format!("{}{}", arc("big", 50_000), arc("other", 50_000));
    of.iter()
        .for_each(|(name, cost)| text += &format!("fn={name}\n1 {cost}\n"));
    text += &format!(
        "fn=big\n1 49001\n{}fn=other\n1 49001\ncfn=third\ncalls=1 1\n2 999\n",
        arc("third", 999)
    );
    text += "fn=third\n1 1998\n";
    stage.write("p", text);
    let folded = stage.report(&["convert", "--to=folded", "p"]);
    assert!(
        folded.contains(";f100 100\n") && !folded.contains("f99 "),
        "{folded}"
    );
    let dot = stage.report(&["convert", "--to=dot", "p"]);
    assert!(
        dot.contains("f5000") && !dot.contains("f4999") && !dot.contains("f999"),
        "{dot}"
    );
    let less = stage.report(&["convert", "--to=dot", "--min=0", "p"]);
    assert!(less.contains("f4999") && less.contains("f999"), "{less}");
    assert!(
        less.contains("; 0 functions and 0 arcs are omitted"),
        "{less}"
    );
}
