//! Every number of the page is that of `--format=json`, and what is left out is added up.

use super::decode::Data;
use super::{row, row_or};
use crate::common::amount::{at_least, rounds, some};
use crate::common::{Stage, fixtures, profiles};
use crate::twin::programs::{self, Run};
use crate::twin::stacks::totals;
use cgannotate::input::{self, Options};
use cgannotate::profile::Event;
use serde_json::Value;
use std::collections::BTreeMap;

type Key = (String, String, String);

/// JSON's names are those of the profile, the page's what a person gets.
fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn plus(a: &[i128], b: &[i128]) -> Vec<i128> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn sum<'r>(rows: impl Iterator<Item = &'r Vec<i128>>, width: usize) -> Vec<i128> {
    rows.fold(vec![0; width], |sum, row| plus(&sum, row))
}

/// Splits a list by how many belong to each.
fn pieces<T: Clone>(list: &[T], sizes: &[usize]) -> Vec<Vec<T>> {
    let mut rest = list;
    let pieces = sizes.iter().map(|&size| {
        let (piece, others) = rest.split_at(size);
        rest = others;
        piece.to_vec()
    });
    let pieces = pieces.collect();
    assert!(rest.is_empty());
    pieces
}

/// Compares a page with the JSON report of the same input. Gives how many functions and arcs are on
/// it.
pub fn compare(what: &str, page: &str, json: &Value) -> (usize, usize) {
    let data = Data::of(page);
    let about = data.about();
    let events = json["events"].as_array().unwrap();
    let width = events.len();
    let names: Vec<Value> = about["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["name"].clone())
        .collect();
    assert_eq!(&names, events, "{what}");
    let totals: Vec<i128> = about["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["total"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(totals, row(&json["totals"]), "{what}");

    // The functions.
    let (objects, files, function_names) = (
        data.texts("objects"),
        data.texts("files"),
        data.texts("names"),
    );
    let (place_object, place_file) = (data.sizes("p.object"), data.sizes("p.file"));
    let (name_of, place) = (data.sizes("f.name"), data.sizes("f.place"));
    let key = |f: usize| -> Key {
        let name = &function_names[name_of[f]];
        (
            objects[place_object[place[f]]].clone(),
            files[place_file[place[f]]].clone(),
            name.clone(),
        )
    };
    let keys: Vec<Key> = (0..place.len()).map(key).collect();
    let functions = json["functions"].as_array().unwrap();
    let mut wanted: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
    for (at, function) in functions.iter().enumerate() {
        let key = (
            text(&function["object"]),
            text(&function["file"]),
            text(&function["name"]),
        );
        wanted.entry(key).or_default().push(at);
    }
    let (own, inclusive) = (data.costs("f.self", width), data.costs("f.incl", width));
    let (called, cycle) = (data.counts("f.called"), data.numbers("f.cycle"));
    let mut place_in_json = Vec::new();
    for (f, key) in keys.iter().enumerate() {
        let list = wanted
            .get_mut(key)
            .unwrap_or_else(|| panic!("{what}: {key:?} is not in JSON"));
        // Names that are no UTF-8 can look the same.
        let meant = list.iter().position(|&at| {
            let function = &functions[at];
            row(&function["self"]) == own[f]
                && row_or(&function["inclusive"], width) == inclusive[f]
                && function["called"].as_u64().map_or(0, i128::from) == called[f]
                && function["cycle"].as_u64().map_or(0, i128::from) == cycle[f]
        });
        let meant =
            meant.unwrap_or_else(|| panic!("{what}: {key:?} has other numbers: {:?}", own[f]));
        place_in_json.push(list.remove(meant));
    }
    let left_out: Vec<Vec<i128>> = wanted
        .values()
        .flatten()
        .map(|&at| row(&functions[at]["self"]))
        .collect();
    assert_eq!(
        data.costs("others", width)[0],
        sum(left_out.iter(), width),
        "{what}: functions omitted"
    );
    assert_eq!(data.sizes("others.count")[0], left_out.len(), "{what}");
    let of_places = data.costs("p.self", width);
    let every: Vec<Vec<i128>> = functions
        .iter()
        .map(|function| row(&function["self"]))
        .collect();
    assert_eq!(
        sum(of_places.iter(), width),
        sum(every.iter(), width),
        "{what}: objects and files"
    );
    let by_file = data.costs("k.self", width);
    assert_eq!(
        sum(by_file.iter(), width),
        sum(every.iter(), width),
        "{what}: files of code"
    );

    // The lines.
    let at: BTreeMap<usize, usize> = place_in_json
        .iter()
        .enumerate()
        .map(|(f, &at)| (at, f))
        .collect();
    let mut lines: BTreeMap<(usize, String, u64), Vec<i128>> = BTreeMap::new();
    let mut of_function = vec![vec![0; width]; keys.len()];
    for line in json["lines"].as_array().map_or(&[][..], Vec::as_slice) {
        let Some(&f) = at.get(&(line["function"].as_u64().unwrap() as usize)) else {
            continue;
        };
        of_function[f] = plus(&of_function[f], &row(&line["self"]));
        lines.insert(
            (f, text(&line["file"]), line["line"].as_u64().unwrap()),
            row(&line["self"]),
        );
    }
    let rows: Vec<(usize, i128, Vec<i128>)> = (data.sizes("l.file").into_iter())
        .zip(data.numbers("l.line"))
        .zip(data.costs("l.self", width))
        .map(|((file, &line), cost)| (file, line, cost))
        .collect();
    let rest = data.costs("f.lines+", width);
    for (f, piece) in pieces(&rows, &data.sizes("f.lines"))
        .into_iter()
        .enumerate()
    {
        let mut all = rest[f].clone();
        for (file, line, cost) in piece {
            let line = (f, files[file].clone(), u64::try_from(line).unwrap());
            assert_eq!(
                lines.get(&line),
                Some(&cost),
                "{what}: {line:?} of {:?}",
                keys[f]
            );
            all = plus(&all, &cost);
        }
        assert_eq!(all, of_function[f], "{what}: lines of {:?}", keys[f]);
    }

    // The arcs, and who of both sides is left out.
    let mut calls: BTreeMap<(usize, usize), &Value> = BTreeMap::new();
    let (mut from, mut to) = (
        vec![vec![0; width]; keys.len()],
        vec![vec![0; width]; keys.len()],
    );
    let is_recursive = |call: &Value| {
        let of = |which: &str| &functions[call[which].as_u64().unwrap() as usize]["cycle"];
        call["caller"] == call["callee"]
            || (!of("caller").is_null() && of("caller") == of("callee"))
    };
    // Costs of recursive calls contain each other: no more is shown than what is around them cost.
    let capped = |call: &Value, cost: Vec<i128>| -> Vec<i128> {
        if !is_recursive(call) {
            return cost;
        }
        let callee = &functions[call["callee"].as_u64().unwrap() as usize];
        let most = match callee["cycle"].as_u64() {
            Some(cycle) => row(&json["cycles"][cycle as usize - 1]["inclusive"]),
            None => row(&callee["inclusive"]),
        };
        let cap = |(&cost, most): (&i128, i128)| if most >= 0 { cost.min(most) } else { cost };
        cost.iter().zip(most).map(cap).collect()
    };
    // How many arcs each has in all, and how many calls they are; recursion counts here, too.
    let mut all_from = vec![(0usize, 0i128); keys.len()];
    for call in json["calls"].as_array().map_or(&[][..], Vec::as_slice) {
        if let Some(&f) = at.get(&(call["caller"].as_u64().unwrap() as usize)) {
            all_from[f] = (
                all_from[f].0 + 1,
                all_from[f].1 + i128::from(call["count"].as_u64().unwrap()),
            );
        }
        let side = |which: &str| at.get(&(call[which].as_u64().unwrap() as usize)).copied();
        if let (Some(caller), Some(callee)) = (side("caller"), side("callee")) {
            calls.insert((caller, callee), call);
        }
        if !is_recursive(call) {
            side("caller")
                .into_iter()
                .for_each(|f| from[f] = plus(&from[f], &row(&call["inclusive"])));
            side("callee")
                .into_iter()
                .for_each(|f| to[f] = plus(&to[f], &row(&call["inclusive"])));
        }
    }
    let (callee, count) = (data.sizes("a.callee"), data.counts("a.count"));
    let (cost, site_counts) = (data.costs("a.cost", width), data.sizes("a.sites"));
    let (site_file, site_line) = (data.sizes("s.file"), data.numbers("s.line"));
    let (several, several_cost) = (data.counts("s.count"), data.costs("s.cost", width));
    let (mut arc, mut site, mut nth) = (0, 0, 0);
    let (mut has_from, mut has_to) = (
        data.costs("f.callees+", width),
        data.costs("f.callers+", width),
    );
    let (more, more_calls) = (
        data.sizes("f.callees+.count"),
        data.numbers("f.callees+.calls"),
    );
    for (f, arcs) in data.sizes("f.arcs").into_iter().enumerate() {
        let here: i128 = count[arc..arc + arcs].iter().sum();
        assert_eq!(
            (arcs + more[f], here + more_calls[f]),
            all_from[f],
            "{what}: calls of {:?}",
            keys[f]
        );
        for _ in 0..arcs {
            let call = calls[&(f, callee[arc])];
            assert_eq!(
                call["count"].as_u64().map(i128::from),
                Some(count[arc]),
                "{what}: {:?}",
                keys[f]
            );
            assert_eq!(
                capped(call, row(&call["inclusive"])),
                cost[arc],
                "{what}: {:?}",
                keys[f]
            );
            if !is_recursive(call) {
                has_from[f] = plus(&has_from[f], &cost[arc]);
                has_to[callee[arc]] = plus(&has_to[callee[arc]], &cost[arc]);
            }
            let sites = call["sites"].as_array().unwrap();
            assert_eq!(sites.len(), site_counts[arc]);
            let mut wanted: Vec<(String, i128, i128, Vec<i128>)> = Vec::new();
            let mut found = Vec::new();
            for json in sites {
                let number = |key: &str| i128::from(json[key].as_u64().unwrap());
                let most = capped(call, row(&json["inclusive"]));
                wanted.push((text(&json["file"]), number("line"), number("count"), most));
                let (count, cost) = match sites.len() {
                    1 => (count[arc], cost[arc].clone()),
                    _ => {
                        nth += 1;
                        (several[nth - 1], several_cost[nth - 1].clone())
                    }
                };
                found.push((files[site_file[site]].clone(), site_line[site], count, cost));
                site += 1;
            }
            wanted.sort();
            found.sort();
            assert_eq!(found, wanted, "{what}: sites of {:?}", keys[f]);
            arc += 1;
        }
    }
    assert_eq!(
        (arc, site, nth),
        (callee.len(), site_file.len(), several.len())
    );
    for f in 0..keys.len() {
        assert_eq!(has_from[f], from[f], "{what}: callees of {:?}", keys[f]);
        assert_eq!(has_to[f], to[f], "{what}: callers of {:?}", keys[f]);
    }

    // The cycles.
    let cycles = json["cycles"].as_array().map_or(&[][..], Vec::as_slice);
    assert_eq!(data.sizes("c.size").len(), cycles.len(), "{what}");
    let members = pieces(&data.sizes("c.member"), &data.sizes("c.members"));
    for (nth, cycle) in cycles.iter().enumerate() {
        assert_eq!(data.costs("c.self", width)[nth], row(&cycle["self"]));
        assert_eq!(data.costs("c.incl", width)[nth], row(&cycle["inclusive"]));
        let all: Vec<usize> = cycle["members"]
            .as_array()
            .unwrap()
            .iter()
            .map(|m| m.as_u64().unwrap() as usize)
            .collect();
        assert_eq!(data.sizes("c.size")[nth], all.len());
        let mut wanted: Vec<usize> = all
            .iter()
            .filter_map(|member| at.get(member).copied())
            .collect();
        wanted.sort_unstable();
        assert_eq!(members[nth], wanted, "{what}: cycle {}", nth + 1);
    }
    for event in 0..width {
        stacks(what, &data, event, &sum(every.iter(), width)[event]);
    }
    (keys.len(), callee.len())
}

/// Every frame lies in its bounds, and what is around others holds them; with what is left out they
/// are all self cost.
fn stacks(what: &str, data: &Data, event: usize, own: &i128) {
    let note = data.about()["events"][event]["stacks"]
        .as_str()
        .unwrap()
        .to_owned();
    if !data.0.contains_key(&format!("t.{event}.depth")) {
        assert!(
            note.contains("negative costs") || note.contains("no room"),
            "{what}: {note}"
        );
        return;
    }
    let column = |name: &str| data.counts(&format!("t.{event}.{name}"));
    let depth = data.sizes(&format!("t.{event}.depth"));
    let (total, least, most) = (column("total"), column("least"), column("most"));
    let mut open: Vec<(usize, i128)> = Vec::new();
    let mut roots = 0;
    let close = |open: &mut Vec<(usize, i128)>, depth: usize| {
        while open.len() > depth {
            let (at, inner) = open.pop().unwrap();
            assert!(
                inner <= total[at],
                "{what}: frame {at} holds {inner} of {}",
                total[at]
            );
        }
    };
    for at in 0..depth.len() {
        assert!(
            0 <= total[at] && least[at] <= total[at] && total[at] <= most[at],
            "{what}: frame {at}"
        );
        close(&mut open, depth[at]);
        match open.last_mut() {
            Some((_, inner)) => *inner += total[at],
            None => roots += total[at],
        }
        open.push((at, 0));
    }
    close(&mut open, 0);
    assert_eq!(roots, *own, "{what}: stacks of event {event}");
    if note.contains("exact") {
        assert_eq!((&least, &most), (&total, &total), "{what}");
    }
}

/// What the page says of stacks, made of arcs alone, against the run that the arcs are of. What is
/// around frames that show and what is hatched among them is what their own functions cost. Gives
/// how many frames there were.
fn hold(stage: &Stage, what: &str, run: &Run) -> usize {
    stage.write("p", run.recorded(|_| "f".into()));
    let (page, json) = of(stage, "p", &[]);
    compare(what, &page, &json);
    let data = Data::of(&page);
    if !data.0.contains_key("t.0.depth") {
        return 0;
    }
    let truth = totals(run);
    let names: Vec<&String> = data
        .sizes("f.name")
        .iter()
        .map(|&name| &data.texts("names")[name])
        .collect();
    let column = |name: &str| data.counts(&format!("t.0.{name}"));
    let (depth, frame) = (data.sizes("t.0.depth"), data.sizes("t.0.frame"));
    let (total, least, most) = (column("total"), column("least"), column("most"));
    let (mut path, mut open): (Vec<String>, Vec<usize>) = Default::default();
    let mut left = total.clone();
    for at in 0..frame.len() {
        path.truncate(depth[at]);
        open.truncate(depth[at]);
        if let Some(&parent) = open.last() {
            left[parent] -= total[at];
        }
        open.push(at);
        path.push(match frame[at] {
            0 => "hatched".into(),
            frame if frame % 2 == 0 => format!("<cycle {}>", frame / 2),
            frame => names[frame / 2].clone(),
        });
        if frame[at] > 0 {
            let cost = truth.get(&path).copied().unwrap_or_default();
            assert!(
                least[at] <= cost && cost <= most[at],
                "{what}: {path:?} cost {cost}: {} {}",
                least[at],
                most[at]
            );
        }
    }
    let mut own: BTreeMap<usize, i128> = BTreeMap::new();
    for at in 0..frame.len() {
        assert!(
            left[at] >= 0 && (frame[at] % 2 == 1 || frame[at] == 0 || left[at] == 0),
            "{what}: a cycle is its members"
        );
        *own.entry(frame[at]).or_default() += left[at];
    }
    let hatched = own.remove(&0).unwrap_or_default();
    let costs = data.costs("f.self", 1);
    let missing: i128 = own
        .iter()
        .filter(|(frame, _)| *frame % 2 == 1)
        .map(|(frame, cost)| costs[frame / 2][0] - cost)
        .sum();
    let without: i128 = (0..costs.len())
        .filter(|f| !own.contains_key(&(2 * f + 1)))
        .map(|f| costs[f][0])
        .sum();
    // Functions that are not on the page are hatched, too.
    let all: i128 = json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| row(&f["self"])[0])
        .sum();
    let others = all - costs.iter().map(|row| row[0]).sum::<i128>();
    assert_eq!(
        missing + without + others,
        hatched,
        "{what}: what is not shown is hatched"
    );
    frame.len()
}

#[test]
fn what_a_page_says_of_stacks_holds() {
    let stage = Stage::empty();
    let mut frames: usize = (0..rounds(60))
        .map(|seed| hold(&stage, &format!("seed {seed}"), &programs::run(seed)))
        .sum();
    for name in [
        "app-x353",
        "app74-x298",
        "hard-nofibers-x353",
        "long43-x320",
    ] {
        let path = fixtures().join("xdebug").join(format!("{name}.xdebug"));
        let profile = input::read(&[&path], &Options::all()).unwrap();
        for event in (0..profile.events.recorded().len()).map(Event::Recorded) {
            frames += Run::of_tree(&profile, event).map_or(0, |run| hold(&stage, name, &run));
        }
    }
    assert!(frames > at_least(500), "{frames}");
}

/// The page and the JSON of one input.
fn of(stage: &Stage, file: &str, more: &[&str]) -> (String, Value) {
    let page = stage.report(&[&["--format=html", "--auto=no"], more, &[file]].concat());
    (page, stage.json(&[file]))
}

#[test]
fn every_number_is_that_of_json() {
    let stage = Stage::empty();
    let (mut functions, mut arcs) = (0, 0);
    for profile in some(profiles()) {
        let file = fixtures().join(&profile);
        let (page, json) = of(&stage, file.to_str().unwrap(), &[]);
        let counted = compare(&profile, &page, &json);
        (functions, arcs) = (functions + counted.0, arcs + counted.1);
    }
    assert!(
        functions > at_least(2000) && arcs > at_least(3000),
        "{functions} functions, {arcs} arcs"
    );
}

/// A page that has room for little leaves out more, and says how much that is.
#[test]
fn a_short_page_adds_up_too() {
    let stage = Stage::empty();
    let file = fixtures().join("cxx/inventory.out");
    let whole = of(&stage, file.to_str().unwrap(), &[]);
    let most = whole.0.len() - 4000;
    let short = of(
        &stage,
        file.to_str().unwrap(),
        &["--max-size", &most.to_string()],
    );
    assert!(short.0.len() <= most, "{} bytes", short.0.len());
    let all = compare("whole", &whole.0, &whole.1);
    let some = compare("short", &short.0, &short.1);
    assert!(
        some.0 < all.0 && some.0 > 0 && some.1 < all.1,
        "{some:?} of {all:?}"
    );
    let about = Data::of(&short.0).about();
    assert_ne!(about["least"], "0.01 %");
    assert!(
        about["notes"][0]
            .as_str()
            .unwrap()
            .contains(about["least"].as_str().unwrap()),
        "{about}"
    );
    let out = stage.run(&["--format=html", "--max-size=1k", file.to_str().unwrap()]);
    assert_eq!(out.status.code(), Some(2));
    // A page of that size can be had.
    let said = String::from_utf8(out.stderr).unwrap();
    let size = said
        .split("--max-size: no page is smaller than ")
        .nth(1)
        .unwrap()
        .split(" bytes")
        .next()
        .unwrap();
    let least = of(
        &stage,
        file.to_str().unwrap(),
        &["--max-size", &size.replace(',', "")],
    );
    assert!(
        least.0.len() <= size.replace(',', "").parse().unwrap(),
        "{} bytes, {size}",
        least.0.len()
    );
}

/// The names of very many files and objects that cost next to nothing do not fill a page: they are
/// added up.
#[test]
fn many_files_and_objects_are_added_up() {
    let stage = Stage::empty();
    let main = "version: 1\nevents: Ir\nob=/bin/app\nfl=src/main.c\nfn=main\n1 900000\n";
    let name = "a_folder_with_a_long_name".repeat(4);
    for each in ["ob=/lib/libAT.so\nfl=a.c\n", "fl=src/NAME/AT.c\n"] {
        let each = each.replace("NAME", &name);
        let small =
            (0..20_000).map(|at| format!("{}fn=f{at}\n1 5\n", each.replace("AT", &at.to_string())));
        stage.write("p", format!("{main}{}", small.collect::<String>()));
        let (page, json) = of(&stage, "p", &["--max-size=200k"]);
        assert!(page.len() <= 200_000, "{} bytes", page.len());
        compare(&each, &page, &json);
        let data = Data::of(&page);
        let sum = |name: &str| data.costs(name, 1).iter().map(|row| row[0]).sum::<i128>();
        assert_eq!([sum("p.self"), sum("k.self")], [1_000_000; 2]);
        let has = |table: &str, name: &str| data.texts(table).iter().any(|text| text == name);
        assert!(
            has("files", "(other files)") || has("objects", "(other objects)"),
            "{each}"
        );
        assert!(
            has("files", "src/main.c") && has("objects", "/bin/app"),
            "{each}"
        );
    }
}

/// 2,000 files are shown, whatever they cost; one more, and those that cost next to nothing are
/// added up.
#[test]
fn two_thousand_files_are_shown() {
    let stage = Stage::empty();
    for (files, is_added_up) in [(2000, false), (2001, true)] {
        let small = (1..files).map(|at| format!("fl={at}.c\nfn=f{at}\n1 1\n"));
        stage.write(
            "p",
            format!(
                "version: 1\nevents: Ir\nfl=main.c\nfn=main\n1 900000000\n{}",
                small.collect::<String>()
            ),
        );
        let (page, _) = of(&stage, "p", &[]);
        let data = Data::of(&page);
        assert_eq!(
            data.texts("files")
                .iter()
                .any(|text| text == "(other files)"),
            is_added_up,
            "{files}"
        );
    }
}

/// Counts beyond the 53 bits of a browser's numbers, below zero, and never written. `f` and `g`
/// call each other. What `g` costs without that is 1, less than 0.01 % of 100,001; what its calls
/// cost is 90 %.
#[test]
fn dear_calls_in_a_cycle_are_there() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 1\n2 100001\nfn=f\n3 100000\ncfn=g\ncalls=50 1\n4 90001\n\
         fn=g\n6 1\ncfn=f\ncalls=50 1\n7 90000\n",
    );
    let (page, json) = of(&stage, "p", &[]);
    compare("cycle", &page, &json);
    let data = Data::of(&page);
    assert_eq!(data.counts("a.count"), [50, 1, 50]);
    let mut costs = data.costs("a.cost", 1);
    costs.sort();
    assert_eq!(costs, [[90_000], [90_001], [100_001]]);
}

#[test]
fn no_count_is_too_large() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "events: Ir Dr\nfl=a.c\nfn=main\n1 9007199254740993 7\n2 4611686018427387905\n3 -5 -9007199254740995\n\
         cfn=f\ncalls=18446744073709551615 9\n4 4611686018427387905\nfn=f\n9223372036854775807 9007199254740997\n",
    );
    let page = stage.report(&["--format=html", "p"]);
    let json = stage.json(&["p"]);
    assert_eq!(compare("large", &page, &json), (2, 1));
    let data = Data::of(&page);
    assert_eq!(
        data.counts("f.called").iter().max(),
        Some(&i128::from(u64::MAX))
    );
    assert!(data.numbers("l.line").contains(&i128::from(i64::MAX)));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let stage = Stage::of("shapes");
    let page = || stage.report(&["--format=html", "shapes.plain.out"]);
    let first = page();
    assert_eq!(first, page());
    assert!(first.contains("<!doctype html>") && first.ends_with("</html>\n"));
}

/// What is not under own code is in an object of its own, by the name that the list has for it.
#[test]
fn cost_that_is_not_under_own_code_is_called_that() {
    let stage = Stage::of("shapes");
    let data =
        Data::of(&stage.report(&["--format=html", "--own", "--auto=no", "shapes.plain.out"]));
    assert_eq!(
        data.texts("objects"),
        ["(not under your code)", "/opt/conf/shapes"]
    );
    let object = data
        .sizes("p.object")
        .iter()
        .position(|&object| object == 0)
        .unwrap();
    assert_eq!(data.costs("p.self", 1)[object], [122_594]);
}

/// A line of your code has the library functions that it paid for, with calls; the rest of the line
/// is its own.
#[test]
fn lines_have_the_library_functions_that_they_paid_for() {
    let stage = Stage::of("shapes");
    let args = ["--own", "--auto=yes", "shapes.plain.out"];
    let text = stage.report(&args);
    let data = Data::of(&stage.report(&[&["--format=html"][..], &args].concat()));
    let cost = |line: &str| -> i128 {
        let first = line.split_whitespace().next().unwrap();
        first.replace(',', "").parse().unwrap()
    };
    // The sums that the text has below lines of `main`, which are all on the page.
    let lines: Vec<&str> = text.lines().collect();
    let below = |line: &str| {
        let at = lines.iter().position(|text| text.ends_with(line)).unwrap();
        assert!(lines[at + 1].contains("  below: "), "{}", lines[at + 1]);
        cost(lines[at + 1])
    };
    let sizes = data.sizes("l.library");
    let rows = pieces(&data.costs("b", 1), &sizes);
    let names = pieces(&data.sizes("b.name"), &sizes);
    let calls = pieces(data.numbers("b.calls"), &sizes);
    let own = data.costs("l.self", 1);
    for (at, rows) in rows.iter().enumerate() {
        assert!(sum(rows.iter(), 1)[0] <= own[at][0]);
    }
    for (line, name, count) in [
        ("qsort(v, n, sizeof *v, cmp);", "qsort", 1),
        ("if (strlen(buf) > 60) return 1; }", "snprintf", 20),
    ] {
        let at = (0..sizes.len())
            .find(|&at| {
                let mut called = names[at].iter().zip(&calls[at]);
                called.any(|(&at, &calls)| data.texts("names")[at] == name && calls == count)
            })
            .unwrap();
        assert_eq!(sum(rows[at].iter(), 1)[0], below(line), "{line}");
    }
}

/// Script, style and markup without the data: what every page carries.
#[test]
fn a_page_of_nothing_is_small() {
    let stage = Stage::empty();
    stage.write("p", "events: Ir\nfl=a.c\nfn=main\n1 1\n");
    let page = stage.report(&["--format=html", "p"]);
    let data = page
        .split("id=\"data\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    assert!(
        page.len() - data.len() <= 87_000,
        "{} bytes",
        page.len() - data.len()
    );
}

/// Sources are in the page with lines around the costs, unless they must not be; the command says
/// which.
#[test]
fn sources_are_excerpts() {
    let stage = Stage::empty();
    let text: String = (1..=200)
        .map(|n| format!("line {n} <script>\u{202e}\n"))
        .collect();
    stage
        .add("src/a.c", text)
        .write("p", "events: Ir\nfl=src/a.c\nfn=main\n50 7\n60 9\n150 1\n");
    let out = stage.run(&["--format=html", "--context=3", "p"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        said,
        "cgannotate: the page has 21 lines of source, from src (21)\nhint: --auto=no omits them\n"
    );
    let page = String::from_utf8(out.stdout).unwrap();
    let data = Data::of(&page);
    assert_eq!(
        (data.sizes("x.first"), data.sizes("x.lines")),
        (vec![47, 57, 147], vec![7, 7, 7])
    );
    assert_eq!(data.texts("x.text")[3], "line 50 <script>\\u{202e}");
    let out = stage.run(&["--format=html", "--auto=no", "p"]);
    assert_eq!(String::from_utf8(out.stderr).unwrap(), "");
    assert!(
        Data::of(&String::from_utf8(out.stdout).unwrap())
            .texts("x.text")
            .is_empty()
    );
}

#[test]
fn what_says_nothing_of_a_page_is_refused() {
    let stage = Stage::empty();
    stage
        .write("p", "events: Ir\nfl=a.c\nfn=main\n1 1\n")
        .write("a.c", "main\n");
    for (args, why) in [
        (&["--format=html", "--by=file", "p"][..], "--max-size sets"),
        (&["--format=html", "--tree=both", "p"], "--max-size sets"),
        (&["--format=html", "--split=part", "p"], "--max-size sets"),
        (&["--format=html", "--zoom=f", "p"], "--max-size sets"),
        (&["--format=html", "--min=1", "p"], "--max-size sets"),
        (&["--format=html", "--threshold=9", "p"], "--max-size sets"),
        (&["--format=html", "--sort=Ir:9", "p"], "--max-size sets"),
        (
            &["--format=html", "--compat", "p"],
            "--format cannot be used with --compat",
        ),
        (
            &["--format=html", "p", "a.c"],
            "a page finds the sources itself",
        ),
        (&["--max-size=1M", "p"], "--max-size is for"),
        (&["--format=html", "--max-size=0", "p"], "a number of bytes"),
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
