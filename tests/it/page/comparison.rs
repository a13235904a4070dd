//! The page of a comparison: its numbers are those of `diff --format=json`, and everything adds up.

use super::decode::Data;
use super::{row, row_or};
use crate::common::{Stage, fixture};
use serde_json::Value;
use std::collections::BTreeMap;

/// Pages of these two, and their JSON.
fn of(old: &str, new: &str) -> (Data, Value) {
    let stage = Stage::empty();
    let page = stage.report(&["diff", "--format=html", "--auto=no", old, new]);
    (
        Data::of(&page),
        stage.json(&["diff", "--inclusive=yes", old, new]),
    )
}

fn both(data: &Data, name: &str, events: usize) -> [Vec<Vec<i128>>; 2] {
    ["old", "new"].map(|side| data.costs(&format!("{name}.{side}"), events))
}

pub fn compare(old: &str, new: &str) -> usize {
    let (data, json) = of(old, new);
    let about = data.about();
    let events = json["events"].as_array().unwrap().len();
    for (at, event) in about["events"].as_array().unwrap().iter().enumerate() {
        let number = |value: &Value| value.as_str().unwrap().parse::<i128>().unwrap();
        assert_eq!(number(&event["old"]), row(&json["total"]["old"])[at]);
        assert_eq!(number(&event["new"]), row(&json["total"]["new"])[at]);
        let steps: i128 = event["waterfall"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| number(&step["change"]))
            .sum();
        assert_eq!(
            number(&event["old"]) + steps,
            number(&event["new"]),
            "{new}: {}",
            event["name"]
        );
    }
    stacks(&data, events);
    // By name and file: several functions can have both.
    let mut wanted: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
    for function in json["functions"].as_array().unwrap() {
        let name = [&function["new"], &function["old"]]
            .into_iter()
            .find(|name| !name.is_null())
            .unwrap();
        let text = |key: &str| name[key].as_str().unwrap().to_owned();
        wanted
            .entry((text("name"), text("file")))
            .or_default()
            .push(function);
    }
    let (names, files) = (data.texts("names"), data.texts("files"));
    let [own_old, own_new] = both(&data, "r.self", events);
    let [all_old, all_new] = both(&data, "r.incl", events);
    let calls = [data.counts("r.calls.old"), data.counts("r.calls.new")];
    let rows = data.sizes("r.name").len();
    for f in 0..rows {
        let key = (
            names[data.sizes("r.name")[f]].clone(),
            files[data.sizes("r.file")[f]].clone(),
        );
        let Some(list) = wanted.get_mut(&key) else {
            // JSON by inclusive cost leaves out what changed only by itself.
            assert_eq!(all_old[f], all_new[f], "{key:?}");
            continue;
        };
        let same = |function: &&Value| {
            row(&function["self"]["old"]) == own_old[f]
                && row(&function["self"]["new"]) == own_new[f]
                && row_or(&function["inclusive"]["old"], events) == all_old[f]
                && row_or(&function["inclusive"]["new"], events) == all_new[f]
                && function["calls"]["old"].as_u64().map_or(0, i128::from) == calls[0][f]
                && function["calls"]["new"].as_u64().map_or(0, i128::from) == calls[1][f]
        };
        let at = list
            .iter()
            .position(same)
            .unwrap_or_else(|| panic!("{key:?}: {list:?}"));
        let function = list.remove(at);
        for event in 0..events {
            let term = |name: &str| data.counts(&format!("r.{name}.{event}"))[f];
            if let Some(split) = function["split"][event].as_object() {
                let json = |name: &str| split[name].as_number().unwrap().as_i128().unwrap();
                for name in ["more", "dearer", "joint"] {
                    assert_eq!(term(name), json(name), "{key:?}");
                }
            }
        }
    }
    // What a function and its calls cost is its inclusive cost, before and after, and so is what
    // calls it.
    let (arcs, callee, again) = (
        data.sizes("r.arcs"),
        data.sizes("a.callee"),
        data.numbers("a.again"),
    );
    let cost = both(&data, "a.cost", events);
    let [mut from, mut to] = ["r.callees+", "r.callers+"].map(|name| both(&data, name, events));
    let mut arc = 0;
    for (f, &count) in arcs.iter().enumerate() {
        for at in arc..arc + count {
            for side in [0, 1] {
                for event in (0..events).filter(|_| again[at] == 0) {
                    from[side][f][event] += cost[side][at][event];
                    to[side][callee[at]][event] += cost[side][at][event];
                }
            }
        }
        arc += count;
    }
    assert_eq!(arc, callee.len());
    let mut whole = 0;
    if about["has_inclusive"] == false {
        return rows;
    }
    for f in 0..rows {
        for (side, (own, all)) in [(&own_old, &all_old), (&own_new, &all_new)]
            .into_iter()
            .enumerate()
        {
            for event in 0..events {
                let out = own[f][event] + from[side][f][event];
                assert!(all[f][event] >= out, "{}", names[data.sizes("r.name")[f]]);
                whole += usize::from(all[f][event] == out.max(to[side][f][event]));
            }
        }
    }
    assert!(
        whole * 10 >= rows * events * 2 * 8,
        "{whole} of {} add up",
        rows * events * 2
    );
    rows
}

/// The stacks of both runs as one tree: together they changed as the functions did; a frame is at
/// least as large as what is in it and as its own net change.
fn stacks(data: &Data, events: usize) {
    for event in (0..events).filter(|event| data.0.contains_key(&format!("d.{event}.kind"))) {
        let column = |name: &str| data.counts(&format!("d.{event}.{name}"));
        let (depth, f) = (
            data.sizes(&format!("d.{event}.depth")),
            data.sizes(&format!("d.{event}.f")),
        );
        let (old, new, size) = (column("old"), column("new"), column("size"));
        let (mut left, mut open): (_, Vec<usize>) = (size.clone(), Vec::new());
        for at in 0..depth.len() {
            open.truncate(depth[at]);
            if let Some(&parent) = open.last() {
                left[parent] -= size[at];
            }
            open.push(at);
            assert!(
                (new[at] - old[at]).abs() <= size[at],
                "frame {at} is smaller than what is left of it"
            );
            assert!(f[at] <= data.sizes("r.name").len());
        }
        assert!(
            left.iter().all(|&left| left >= 0),
            "frames are as large as what is in them"
        );
        let outermost = || (0..depth.len()).filter(|&at| depth[at] == 0);
        let changed: i128 = outermost().map(|at| new[at] - old[at]).sum();
        let steps = data.about()["events"][event]["waterfall"]
            .as_array()
            .unwrap()
            .clone();
        let of_functions = steps
            .iter()
            .filter(|step| step["label"] != "not attributed to any function");
        let sum: i128 = of_functions
            .map(|step| step["change"].as_str().unwrap().parse::<i128>().unwrap())
            .sum();
        assert_eq!(changed, sum, "event {event}");
    }
}

#[test]
fn a_comparison_adds_up() {
    let fixture = |name: &str| fixture(name);
    let mut rows = compare(
        &fixture("diff/server/server.old.out"),
        &fixture("diff/server/server.new.out"),
    );
    rows += compare(
        &fixture("diff/mail/mail.ci.out"),
        &fixture("diff/mail/mail.home.out"),
    );
    rows += compare(
        &fixture("shapes/shapes.plain.out"),
        &fixture("cxx/inventory.out"),
    );
    rows += compare(
        &fixture("shapes/shapes.cachebranch.out"),
        &fixture("shapes/shapes.cg.out"),
    );
    assert!(rows > 300, "{rows} rows");
}

#[test]
fn nothing_changed() {
    let (data, _) = of(
        &fixture("shapes/shapes.plain.out"),
        &fixture("shapes/shapes.plain.out"),
    );
    assert!(data.sizes("r.name").is_empty());
    assert_eq!(
        data.about()["events"][0]["waterfall"],
        serde_json::json!([])
    );
}

#[test]
fn what_a_function_was_stands_beside_it() {
    let stage = Stage::empty();
    let profile = |[object, file, name]: [&str; 3], cost: u32| {
        format!(
            "events: Ir\nob=x\nfl=a.c\nfn=main\n1 5\ncob={object}\ncfl={file}\ncfn={name}\ncalls=3 10\n2 {cost}\n\
            ob={object}\nfl={file}\nfn={name}\n10 200\n11 {}\n",
            cost - 200
        )
    };
    stage.write("old", profile(["y", "b.c", "foo"], 400));
    for (new, was) in [
        (["y", "b.c", "foo"], ""),
        (["y", "b.c", "foo2"], "foo"),
        (["y", "c.c", "foo"], "in b.c"),
        (["z", "b.c", "foo"], "in y"),
    ] {
        stage.write("new", profile(new, 420));
        let data = Data::of(&stage.report(&["diff", "--format=html", "--auto=no", "old", "new"]));
        let names = data.texts("names");
        let at = data
            .sizes("r.name")
            .iter()
            .position(|&at| names[at] == new[2]);
        assert_eq!(data.texts("r.was")[at.unwrap()], was, "{new:?}");
    }
}

/// Whatever comes first in the files.
#[test]
fn stacks_that_changed_alike_are_in_the_order_of_their_names() {
    let stage = Stage::empty();
    let profile = |names: [&str; 3], cost: u32| {
        let calls: String = names
            .iter()
            .map(|name| format!("cfn={name}\ncalls=1 1\n2 {cost}\n"))
            .collect();
        let callees: String = names
            .iter()
            .map(|name| format!("fn={name}\n1 {cost}\n"))
            .collect();
        format!("events: Ir\nfl=a.c\nfn=main\n1 1\n{calls}{callees}")
    };
    stage
        .write("old", profile(["z", "a", "m"], 10))
        .write("new", profile(["m", "z", "a"], 20));
    let data = Data::of(&stage.report(&["diff", "--format=html", "--auto=no", "old", "new"]));
    let names = data.texts("names");
    let shown: Vec<&str> = data
        .sizes("d.0.name")
        .into_iter()
        .map(|at| &names[at][..])
        .collect();
    assert_eq!(shown, ["main", "a", "m", "z"]);
}

#[test]
fn what_says_nothing_of_a_comparison_is_refused() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=a.c\nfn=main\n1 1\n");
    for (args, why) in [
        (
            &["diff", "--format=html", "--by=line", "p", "p"][..],
            "--max-size sets",
        ),
        (
            &["diff", "--format=html", "--threshold=50", "p", "p"],
            "--max-size sets",
        ),
        // Its waterfall would not add up.
        (
            &["diff", "--format=html", "--sort=Ir:50", "p", "p"],
            "--max-size sets",
        ),
        (&["diff", "--max-size=1M", "p", "p"], "--max-size is for"),
    ] {
        let out = stage.run(args);
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(
            (out.status.code(), &out.stdout[..]),
            (Some(2), &b""[..]),
            "{args:?}: {said}"
        );
        assert!(said.contains(why), "{args:?}: {said}");
    }
}

/// What `f` and `g` changed by is less than 0.01 % of the whole; each counts once among the others.
#[test]
fn what_is_left_out_is_counted_once() {
    let stage = Stage::empty();
    let of = |main: u32, f: u32, g: u32| {
        format!("events: Ir\nfl=a.c\nfn=main\n1 {main}\nfn=f\n2 {f}\nfn=g\n3 {g}\n")
    };
    stage
        .write("old", of(1_000_000, 10, 20))
        .write("new", of(2_000_000, 11, 22));
    let data = Data::of(&stage.report(&["diff", "--format=html", "--auto=no", "old", "new"]));
    assert_eq!(data.sizes("others.count"), [2]);
    assert_eq!(both(&data, "others", 1), [[[30]], [[33]]]);
}

#[test]
fn lines_of_a_file_that_only_the_old_run_has_are_in_it() {
    let stage = Stage::empty();
    stage.write(
        "old",
        "events: Ir\nfl=old.c\nfn=gone\n7 500\nfl=a.c\nfn=main\n1 100\n",
    );
    stage.write("new", "events: Ir\nfl=a.c\nfn=main\n1 200\n");
    let data = Data::of(&stage.report(&["diff", "--format=html", "--auto=no", "old", "new"]));
    let mut files: Vec<&str> = data
        .sizes("l.file")
        .into_iter()
        .map(|file| &*data.texts("files")[file])
        .collect();
    files.sort_unstable();
    assert_eq!(files, ["a.c", "old.c"]);
}

/// An event that is defined on the command line is one of both runs.
#[test]
fn events_of_the_command_line_are_on_the_page() {
    let stage = Stage::empty();
    stage
        .write("old", "events: Ir\nfn=f\n1 10\n")
        .write("new", "events: Ir\nfn=f\n1 30\n");
    let page = stage.report(&[
        "diff",
        "old",
        "new",
        "--event=Twice = 2 Ir",
        "--format=html",
    ]);
    let about = Data::of(&page).about();
    let events = about["events"].as_array().unwrap();
    let all: Vec<_> = events
        .iter()
        .map(|event| ["name", "old", "new"].map(|key| event[key].as_str().unwrap()))
        .collect();
    assert_eq!(all, [["Ir", "10", "30"], ["Twice", "20", "60"]]);
}
