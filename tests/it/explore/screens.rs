//! What stands on the screens, on buffers of three sizes: numbers are those of the JSON report, names stay apart, and the last
//! line is a command that prints the same.

use super::{Walk, compared, lenses, whole};
use crate::common::amount::some;
use crate::common::{Stage, profiles};
use cgannotate::analysis::{Session, Set};
use cgannotate::explore::{Before, Data, Event, Lenses, Seen};
use cgannotate::profile::FunctionId;
use cgannotate::view::next::{Again, Word};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const SHAPES: &str = "shapes/shapes.plain.out";
const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (200, 60)];

/// The numbers in a text, as they are grouped there.
fn numbers(text: &str) -> Vec<i128> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || c == ',' || c == '-'));
    words
        .filter(|word| word.ends_with(|c: char| c.is_ascii_digit()))
        .filter_map(|word| word.replace(',', "").parse().ok())
        .collect()
}

fn name(data: &Lenses, id: FunctionId) -> String {
    let profile = data.whole().profile();
    String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
}

fn json(profile: &str) -> Value {
    let (folder, file) = profile.split_once('/').unwrap();
    let stage = Stage::of(folder);
    serde_json::from_str(&stage.report(&["--format=json", file])).unwrap()
}

#[test]
fn a_list_shows_the_hottest_function_at_every_size() {
    let data = lenses(SHAPES);
    let json = json(SHAPES);
    let hottest = json["functions"][0]["name"].as_str().unwrap();
    for size in SIZES {
        let mut walk = Walk::new(&data, SHAPES, size);
        walk.happens(Event::Resize(size.0, size.1));
        let screen = walk.screen(size);
        let end: String = hottest.split('(').next().unwrap().rsplit("::").next().unwrap().into();
        assert!(screen[2].contains(&end), "{size:?}: {screen:#?}");
        assert!(screen[2].contains('%'), "{size:?}: {screen:#?}");
        assert!(screen.last().unwrap().starts_with("$ cgannotate --auto=no"), "{screen:#?}");
        assert!(screen.iter().all(|line| line.chars().count() <= usize::from(size.0)));
    }
}

#[test]
fn tiny_screens_are_drawn_too() {
    let data = lenses(SHAPES);
    for size in (1..45).flat_map(|width| (1..7).map(move |height| (width, height))) {
        let mut walk = Walk::new(&data, SHAPES, size);
        for keys in [&["Enter"][..], &["Enter"], &["?"], &["q"], &["/"]] {
            walk.press(keys);
            assert_eq!(walk.screen(size).len(), usize::from(size.1));
        }
    }
}

/// The costs of all functions as JSON has them: by name, each of `self`, `inclusive` and `called`.
fn known(json: &Value) -> BTreeMap<String, BTreeSet<i128>> {
    let mut known: BTreeMap<String, BTreeSet<i128>> = BTreeMap::new();
    for function in json["functions"].as_array().unwrap() {
        let numbers = known.entry(function["name"].as_str().unwrap().to_owned()).or_default();
        let costs = ["self", "inclusive"].iter().filter_map(|key| function[*key].as_array()).flatten();
        numbers.extend(costs.chain([&function["called"]]).filter_map(Value::as_i64).map(i128::from));
    }
    known
}

/// Every number of every list is one that the JSON report has of that function.
#[test]
fn the_numbers_of_lists_are_those_of_json() {
    for profile in some(profiles()) {
        let Some(json) = readable(&profile) else { continue };
        let known = known(&json);
        let data = lenses(&profile);
        let mut walk = Walk::new(&data, &profile, (200, 60));
        let mut compared = 0;
        for keys in [&[][..], &["i"], &["e"], &["s"], &["%", "%"], &["G"]] {
            walk.press(keys);
            for Seen { function, numbers, .. } in walk.model.visible() {
                let Some(id) = function else { continue };
                let name = name(&data, id);
                for number in numbers {
                    assert!(known[&name].contains(&number), "{profile} after {keys:?}: {name} has no {number}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 0 || json["functions"].as_array().unwrap().is_empty(), "{profile}: nothing was compared");
    }
}

/// The JSON report, of profiles that one file is enough for.
fn readable(profile: &str) -> Option<Value> {
    let (folder, file) = profile.split_once('/').unwrap();
    let out = Stage::of(folder).run(&["--format=json", "--allow-truncated", file]);
    out.status.success().then(|| serde_json::from_slice(&out.stdout).unwrap())
}

/// Callers and callees of every function: the halves are those of JSON's calls.
#[test]
fn the_numbers_of_calls_and_lines_are_those_of_json() {
    for profile in [SHAPES, "cache/matrix.cachebranch.toggle.out"] {
        let json = json(profile);
        let functions = json["functions"].as_array().unwrap();
        let named = |index: &Value| functions[index.as_u64().unwrap() as usize]["name"].as_str().unwrap();
        let mut arcs: BTreeMap<(&str, &str), BTreeSet<i128>> = BTreeMap::new();
        for arc in json["calls"].as_array().unwrap() {
            let numbers = arcs.entry((named(&arc["caller"]), named(&arc["callee"]))).or_default();
            let sites = arc["sites"].as_array().unwrap().iter().chain([arc]);
            for place in sites {
                let costs = place["inclusive"].as_array().unwrap().iter().chain([&place["count"]]);
                numbers.extend(costs.map(|n| i128::from(n.as_i64().unwrap())));
            }
        }
        let mut lines: BTreeMap<(&str, i128), BTreeSet<i128>> = BTreeMap::new();
        for line in json["lines"].as_array().unwrap() {
            let numbers = lines.entry((named(&line["function"]), line["line"].as_i64().unwrap().into())).or_default();
            numbers.extend(line["self"].as_array().unwrap().iter().map(|n| i128::from(n.as_i64().unwrap())));
        }
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 2000));
        let own = |id| name(&data, id);
        let known = known(&json);
        let (mut calls, mut costs) = (0, 0);
        for at in 0..walk.model.rows() {
            let Some(id) = walk.model.visible()[at].function else { panic!("row {at}") };
            let this = own(id);
            walk.press(&["c"]);
            let middle = walk.model.spot().here().row;
            walk.press(&["g"]);
            let rows = walk.model.visible();
            for (row, Seen { function, numbers, .. }) in rows.iter().enumerate() {
                let Some(other) = function.map(own) else { continue };
                let arc = match row.cmp(&middle) {
                    std::cmp::Ordering::Less => arcs.get(&(&other, &this)),
                    std::cmp::Ordering::Greater => arcs.get(&(&this, &other)),
                    std::cmp::Ordering::Equal => continue,
                };
                // The cost and the count; the third is their quotient.
                for number in numbers.iter().take(2) {
                    assert!(arc.is_some_and(|arc| arc.contains(number)), "{profile}: {this}, {other} has no {number}");
                    calls += 1;
                }
                if let [cost, count, each] = numbers[..] {
                    assert!((2 * (cost - each * count)).abs() <= count, "{this}, {other}: {each} of {cost} / {count}");
                }
            }
            walk.press(&["["]).press(&["v"]);
            for Seen { function, numbers, line } in walk.model.visible() {
                match (&numbers[..], line, function.map(own)) {
                    ([cost], Some(line), _) => {
                        let found = lines.get(&(&this, line.into()));
                        assert!(
                            found.is_some_and(|found| found.contains(cost)),
                            "{profile}: {this}:{line} has no {cost}"
                        );
                        costs += 1;
                    }
                    ([cost], None, Some(other)) if arcs.contains_key(&(&this, &other)) => {
                        // Calls within recursion contain each other: they are given no more than the callee cost.
                        let is_known = arcs[&(&this[..], &other[..])].contains(cost) || known[&other].contains(cost);
                        assert!(is_known, "{profile}: {this}, {other} has no {cost}");
                        calls += 1;
                    }
                    _ => {}
                }
            }
            walk.press(&["[", "j"]);
        }
        assert!(calls > 20 && costs > 20, "{profile}: {calls} calls and {costs} lines were compared");
    }
}

/// From a cold start, five keys are enough to have the cursor at the hottest line of the hottest function.
#[test]
fn the_hottest_line_is_near() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    walk.press(&["v"]);
    let cursor = walk.screen((80, 24)).into_iter().find(|line| line.starts_with('>')).unwrap();
    let json = json(SHAPES);
    let hottest = json["lines"].as_array().unwrap().iter().filter(|line| line["function"] == 0);
    let hottest = hottest.max_by_key(|line| line["self"][0].as_i64()).unwrap();
    let found = numbers(&cursor);
    assert!(found.contains(&hottest["self"][0].as_i64().unwrap().into()), "{cursor}");
    assert!(found.contains(&hottest["line"].as_i64().unwrap().into()), "{cursor}");
}

/// What stands in the last line runs, and its report has the function that the screen is about.
#[test]
fn the_last_line_prints_the_same() {
    for profile in [SHAPES, "cache/matrix.cachebranch.toggle.out"] {
        let (folder, _) = profile.split_once('/').unwrap();
        let stage = Stage::of(folder);
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 60));
        let ways: [&[&str]; 18] = [
            &[],
            &["i"],
            &["e"],
            &["/", "a", "Enter"],
            &["Enter"],
            &["Enter"],
            &["[", "e"],
            &["2"],
            &["Enter"],
            &["3"],
            &["Enter"],
            &["4"],
            &["Enter"],
            &["5"],
            &["6"],
            &["7"],
            &["8"],
            &["9"],
        ];
        for keys in ways {
            walk.press(keys);
            let line = walk.screen((400, 60)).pop().unwrap();
            let command = line.strip_prefix("$ cgannotate ").unwrap_or_else(|| panic!("{line}"));
            let script = format!("exec \"$0\" {command}");
            let out = stage.any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")]).output().unwrap();
            let report = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(out.status.success(), "{command}: {}", String::from_utf8_lossy(&out.stderr));
            for Seen { function, .. } in walk.model.visible() {
                let Some(id) = function else { continue };
                let name = name(&data, id);
                assert!(report.contains(&name), "{command} does not print {name}:\n{report}");
            }
        }
    }
}

/// Sums by object, file and class are those of the tables; parts are those of the split report.
#[test]
fn the_numbers_of_short_lists_are_those_of_reports() {
    let profile = "parts/phases.parts.out";
    let data = lenses(profile);
    let stage = Stage::of("parts");
    let mut walk = Walk::new(&data, profile, (200, 400));
    for (key, by) in [("2", "object"), ("3", "file"), ("4", "class")] {
        walk.press(&[key]);
        let by = format!("--by={by}");
        let csv = stage.report(&[&by, "--format=csv", "--threshold=100", "phases.parts.out"]);
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let wanted: Vec<i128> = rows.records().map(|row| row.unwrap()[0].parse().unwrap()).collect();
        let seen: Vec<i128> = walk.model.visible().iter().map(|row| row.numbers[0]).collect();
        assert!(seen.len() > 1 || by == "--by=class");
        let listed: Vec<i128> = wanted.iter().copied().filter(|count| seen.contains(count)).collect();
        assert!(listed.len() >= seen.len(), "{by}: {seen:?} of {wanted:?}");
    }
    walk.press(&["4"]);
    assert!(walk.screen((80, 24)).iter().any(|line| line.ends_with(" (no class)")), "{:#?}", walk.screen((80, 24)));
    walk.press(&["7"]);
    let split = stage.report(&["--split=part", "--format=json", "phases.parts.out"]);
    let documents = serde_json::Deserializer::from_str(&split).into_iter::<Value>();
    let totals: Vec<i128> = documents.map(|document| document.unwrap()["totals"][0].as_i64().unwrap().into()).collect();
    let seen: Vec<i128> = walk.model.visible().iter().map(|row| row.numbers[0]).collect();
    assert!(totals.len() > 1);
    assert_eq!(seen, totals);
}

/// Through the lenses the numbers are those of `--own` and of reading with `--fold-recursion`.
#[test]
fn lenses_show_what_the_options_do() {
    for (profile, key, option) in [
        ("callers/words.recs4.toggle.out", "f", "--fold-recursion"),
        ("callers/inventory.mangled.toggle.out", "o", "--own"),
        (SHAPES, "o", "--own"),
    ] {
        let (folder, file) = profile.split_once('/').unwrap();
        let csv = Stage::of(folder).report(&[option, "--format=csv", "--threshold=100", file]);
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let of = rows.headers().unwrap().iter().position(|name| name == "function").unwrap();
        let rows = rows.records().map(|row| row.unwrap());
        let wanted: BTreeSet<(i128, String)> = rows
            .map(|row| (row[0].parse().unwrap_or(0), row[of].to_owned()))
            .filter(|(_, name)| name != "(total)")
            .collect();
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 4000));
        walk.press(&[key]);
        let profile_of = walk.model.data().profile();
        let name = |id: FunctionId| String::from_utf8_lossy(profile_of.name(profile_of.function(id).name)).into_owned();
        let seen = walk.model.visible();
        let seen: BTreeSet<(i128, String)> =
            seen.iter().map(|row| (row.numbers.first().copied().unwrap_or(0), name(row.function.unwrap()))).collect();
        let missing: Vec<_> = wanted.difference(&seen).filter(|(count, _)| *count != 0).collect();
        assert!(missing.is_empty() && wanted.len() > 3, "{profile} {option}: {missing:?} of {wanted:?}");
        let heading = &walk.screen((200, 4000))[1];
        let title = if option == "--own" { "Ir own" } else { "Ir self" };
        assert!(heading.contains(title), "{option}: {heading}");
    }
}

/// Frames are those of folded stacks, and of each what it costs is within its bounds.
#[test]
fn stacks_are_those_that_are_converted() {
    let data = lenses(SHAPES);
    let json = json(SHAPES);
    let total = i128::from(json["totals"][0].as_i64().unwrap());
    let stage = Stage::of("shapes");
    let folded = stage.report(&["convert", "--to=folded", "-o", "-", "shapes.plain.out"]);
    let counts: BTreeSet<i128> = folded.lines().filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect();
    for size in SIZES {
        let mut walk = Walk::new(&data, SHAPES, size);
        walk.press(&["6"]);
        let mut found = 0;
        for _ in 0..40 {
            let seen = walk.model.visible();
            let [whole, least, most, own] = seen[0].numbers[..] else { panic!("{:?}", seen[0].numbers) };
            assert!(0 <= least && least <= most && whole <= total && own <= whole);
            assert!(own == 0 || counts.contains(&own), "{own}");
            found += usize::from(own > 0);
            walk.press(&["Down"]);
            assert!(walk.screen(size).iter().any(|line| line.contains(" here (")), "{size:?}");
        }
        assert!(found > 0);
    }
}

/// What changed is what `diff` says, function by function; and its last line is that comparison.
#[test]
fn changes_are_those_of_diff() {
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let stage = Stage::of("diff/server");
    let files = ["server.old.out", "server.new.out"];
    let report = stage.report(&["diff", "--format=json", files[0], files[1]]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let mut changes: BTreeMap<String, BTreeSet<i128>> = BTreeMap::new();
    let mut gone = 0;
    for function in report["functions"].as_array().unwrap() {
        match function["new"]["name"].as_str() {
            Some(name) => {
                let change = function["self"]["change"][0].as_i64().unwrap();
                changes.entry(name.to_owned()).or_default().insert(change.into());
            }
            None => gone += usize::from(function["self"]["old"][0] != 0),
        }
    }
    let data = compared(old, new);
    let mut walk = Walk::new(&data, new, (200, 4000));
    let (mut seen, mut found) = (walk.model.visible(), 0);
    let sizes: Vec<u128> = seen.iter().filter_map(|row| Some(row.numbers.first()?.unsigned_abs())).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "the largest change is first");
    for row in seen.drain(..) {
        let name = name(&data, row.function.unwrap());
        if let Some(known) = changes.get(&name) {
            assert!(known.contains(&row.numbers[0]), "{name}: {} of {known:?}", row.numbers[0]);
            found += usize::from(row.numbers[0] != 0);
        }
    }
    assert!(found > 0, "nothing changed");
    // As it began, from wherever one comes; with the costs alone, by these.
    let began = walk.screen((200, 60));
    walk.press(&["2", "1"]);
    assert_eq!(walk.screen((200, 60)), began);
    walk.press(&["d", "2", "1"]);
    assert!(walk.screen((200, 60))[1].contains("Ir self↓"));
    walk.press(&["d", "2", "1"]);
    let line = walk.screen((400, 60)).pop().unwrap();
    let command = line.strip_prefix("$ cgannotate ").unwrap_or_else(|| panic!("{line}"));
    let script = format!("exec \"$0\" {command}");
    let out = stage.any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")]).output().unwrap();
    assert!(out.status.success() && command.starts_with("diff "), "{command}: {out:?}");
    walk.press(&["Enter", "["]).press(&["d"]);
    assert!(!walk.screen((200, 60))[1].contains("change"));
    walk.press(&["0"]);
    assert!(walk.model.rows() >= gone, "{} of {gone}", walk.model.rows());
}

/// `App\fib` cost 98,613 and costs 60,457 units of 10 ns.
#[test]
fn changes_of_times_are_times() {
    let (old, new) = ("xdebug/app-x320.xdebug", "xdebug/app-x353.xdebug");
    let data = compared(old, new);
    let screen = Walk::new(&data, new, (100, 30)).screen((100, 30));
    let row = screen.iter().find(|row| row.contains("App\\fib")).unwrap();
    assert!(row.contains("-381.6 µs  -38.7 % 604.6 µs"), "{row}");
}

/// Lines of source have what changed at them, as `diff` says; the cursor begins at the largest change.
#[test]
fn changes_of_lines_are_those_of_diff() {
    let (old, new) = ("diff/server/server.old.out", "diff/server/server.new.out");
    let stage = Stage::of("diff/server");
    let asked = ["diff", "--format=json", "--by=line", "--threshold=100", "server.old.out", "server.new.out"];
    let report: Value = serde_json::from_str(&stage.report(&asked)).unwrap();
    let mut changes: BTreeMap<(&str, u64), BTreeSet<i128>> = BTreeMap::new();
    for line in report["lines"].as_array().unwrap() {
        let Some(number) = line["new_line"].as_u64() else { continue };
        let change = line["self"]["change"][0].as_i64().unwrap();
        changes.entry((line["function"].as_str().unwrap(), number)).or_default().insert(change.into());
    }
    let data = compared(old, new);
    let mut walk = Walk::new(&data, new, (200, 2000));
    let (mut found, mut gone) = (0, 0);
    for row in 0..walk.model.rows() {
        let Some(id) = walk.model.visible()[row].function else { panic!("row {row}") };
        let name = name(&data, id);
        walk.press(&["v"]);
        let cursor = walk.model.spot().left.row;
        walk.press(&["g"]);
        let rows = walk.model.visible();
        let largest = rows.iter().filter(|row| row.line.is_some()).filter_map(|row| row.numbers.first());
        let largest = largest.map(|change| change.abs()).max().filter(|&change| change > 0);
        if let Some(largest) = largest {
            assert_eq!(rows[cursor].numbers[0].abs(), largest, "{name}");
        }
        for row in rows {
            let (Some(line), Some(&change)) = (row.line, row.numbers.first()) else { continue };
            match changes.get(&(&name[..], line)) {
                Some(known) => {
                    assert!(known.contains(&change), "{name}:{line}: {change} of {known:?}");
                    found += 1;
                }
                // A line that only the older run has, or one that did not change.
                None => {
                    assert!(change <= 0, "{name}:{line}: {change}");
                    gone += usize::from(change < 0);
                }
            }
        }
        walk.press(&["[", "j"]);
    }
    assert!(found > 10 && gone > 0, "{found} changed lines, {gone} of the older run");
    walk.press(&["g", "v"]);
    let line = walk.screen((400, 60)).pop().unwrap();
    assert!(line.starts_with("$ cgannotate diff --auto=yes"), "{line}");
    let whole = stage.report(&["diff", "--auto=yes", "--threshold=100", "server.old.out", "--", "server.new.out"]);
    // It is about the function of the screen.
    let typed = line.trim_start_matches("$ ").replacen("cgannotate", env!("CARGO_BIN_EXE_cgannotate"), 1);
    let out = stage.any("sh", &["-c", &typed]).output().unwrap();
    let report = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success() && report.len() < whole.len(), "{line}: {report}");
    let hottest = walk.screen((200, 60)).into_iter().find(|line| line.starts_with('>')).unwrap();
    assert!(hottest.contains("2,800") && report.contains("\n+2,800  2,240 → 5,040 "), "{hottest}: {report}");
    walk.press(&["d"]);
    assert!(!walk.screen((200, 60))[1].contains("change"), "costs alone");
}

/// Two runs, the newer one beside the older.
fn runs(old: &str, new: &str) -> Lenses {
    let read = |text: &str| {
        let options = cgannotate::input::Options::all();
        cgannotate::input::read_from("x", text.as_bytes(), &options).unwrap()
    };
    let (old, new) = (read(old), read(new));
    let before = Before::new(&old, &new);
    let data = Data::new(Session::new(new), Vec::new()).beside(before);
    Lenses::new(data, Set::own(Vec::new()), Again::default())
}

/// A file that a function has no code of any more stands in its source, with what went away.
#[test]
fn files_whose_cost_went_away_are_shown() {
    let old = "events: Ir\nfl=a.c\nfn=f\n3 100\nfi=b.h\n4 700\nfi=c.h\n5 1\nfl=b.h\nfn=g\n9 1\n";
    let new = "events: Ir\nfl=a.c\nfn=f\n3 100\nfl=b.h\nfn=g\n9 1\nfl=c.h\nfn=h\n9 1\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["v", "g"]);
    let rows: Vec<_> = walk.model.visible().into_iter().filter_map(|row| Some((row.line?, row.numbers))).collect();
    assert!(rows.iter().any(|(line, numbers)| *line == 4 && numbers[0] == -700), "{rows:?}");
    let screen = walk.screen((100, 24)).join("\n");
    assert!(screen.contains("-- b.h") && !screen.contains("-- c.h"), "{screen}");
}

/// `main` no longer calls `g` and `h`, of which `h` is gone; `g` no longer calls itself, which cost nothing beside its calls.
#[test]
fn calls_that_went_away_are_shown() {
    let old = "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 100\ncfn=g\ncalls=1 3\n1 200\ncfn=h\ncalls=1 4\n\
               1 300\nfn=f\n2 100\nfn=g\n3 200\ncfn=g\ncalls=5 3\n3 150\nfn=h\n4 300\n";
    let new =
        "events: Ir\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=1 2\n1 90\nfn=f\n2 80\ncfn=g\ncalls=1 3\n2 10\nfn=g\n3 10\n";
    let data = runs(old, new);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let mut around = |function: &str| {
        let row = walk.model.visible().iter().position(|row| name(&data, row.function.unwrap()) == function).unwrap();
        walk.press(&["g"]).press(&vec!["j"; row]).press(&["Enter"]);
        let rows = walk.screen((100, 24));
        walk.press(&["["]);
        rows.into_iter().skip(2).map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let main = around("main");
    let at = |what: &str| main.iter().position(|row| row.contains(what)).unwrap_or_else(|| panic!("{what}: {main:?}"));
    let (f, h, g) =
        (at("> f"), at("-300 -100.0 % > h in the old run only; a.c"), at("-200 -100.0 % > g in the old run only"));
    assert!(f < h && h < g, "the dearest is nearest: {main:?}");
    let g = around("g");
    assert!(g.iter().any(|row| row.contains("-200 -100.0 % < main in the old run only; a.c")), "{g:?}");
    for within in ["< g within recursion, in the old run only", "> g within recursion, in the old run only"] {
        assert!(g.iter().any(|row| row.starts_with(within) || row.starts_with(&format!("· {within}"))), "{g:?}");
    }
    // Shares of what is gone are of the run that it is from: 300 of 610.
    let gone = walk.press(&["0"]).screen((100, 24)).join("\n");
    assert!(gone.contains("300 49.18%") && !gone.contains("300 272.73%"), "{gone}");
    walk.press(&["["]);
    // With the costs alone, only calls of the newer run.
    walk.press(&["g", "Enter", "d"]);
    assert!(!walk.screen((100, 24)).join("\n").contains("old run only"));
    // Of calls that nobody recorded none is gone.
    let cachegrind = "desc: I1 cache: x\ncmd: ./app\nevents: Ir\nfl=a.c\nfn=main\n1 10\nfn=f\n2 80\nsummary: 90\n";
    let data = runs(old, cachegrind);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for function in 0..2 {
        walk.press(&["g"]).press(&vec!["j"; function]).press(&["Enter"]);
        assert!(!walk.screen((100, 24)).join("\n").contains("old run only"), "{:?}", walk.screen((100, 24)));
        walk.press(&["["]);
    }
}

/// Of functions of one name, the command in the last line shows the one that the screen is about.
#[test]
fn commands_tell_functions_of_one_name_apart() {
    let text = "events: Ir\nob=/bin/x\nfl=a.c\nfn=work\n3 1111\nfl=b.c\nfn=work\n5 2222\nob=/lib/y\nfl=a.c\nfn=work\n3 3333\n\
                fl=???\nfn=work\n3 4444\nfl=(a+b).c\nfn=f(int*)\n7 5555\nfl=c.c\nfn=f(int*)\n8 6666\n";
    let stage = Stage::empty();
    stage.write("out", text);
    let options = cgannotate::input::Options::all();
    let profile = cgannotate::input::read_from("out", text.as_bytes(), &options).unwrap();
    let again = Again { options: vec![], inputs: vec![Word::Literal("out".into())] };
    let data = whole(profile, again);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for row in 0..6 {
        let own = walk.model.visible()[row].numbers[0];
        for key in ["c", "v", "a"] {
            walk.press(&[key]);
            let line = walk.screen((400, 24)).pop().unwrap();
            let script = format!("exec \"$0\" {}", line.strip_prefix("$ cgannotate ").unwrap());
            let out = stage.any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")]).output().unwrap();
            let report = String::from_utf8_lossy(&out.stdout).into_owned();
            let inclusive = report.lines().find(|line| line.contains("  inclusive")).unwrap_or_default();
            assert!(numbers(inclusive).contains(&own), "{line} is not of {own}: {inclusive}\n{out:?}");
            walk.press(&["["]);
        }
        walk.press(&["j"]);
    }
}

/// Two own functions share what `sort` of a library cost: what stands at a frame is no longer known for certain.
#[test]
fn stacks_of_estimated_own_costs_are_not_exact() {
    let text = "cmd: ./app\nevents: Ir\nob=/me/app\nfl=own.c\nfn=main\n1 1\ncfn=a\ncalls=1 1\n2 50\ncfn=b\ncalls=1 1\n3 60\n\
                fn=a\n4 10\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=sort\ncalls=1 1\n4 40\nfn=b\n5 10\ncob=/lib/libc.so.6\ncfi=lib.c\n\
                cfn=sort\ncalls=1 1\n5 50\nfn=compare\n6 60\nob=/lib/libc.so.6\nfl=lib.c\nfn=sort\n7 30\ncob=/me/app\ncfi=own.c\n\
                cfn=compare\ncalls=9 6\n8 60\n";
    let profile = cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all()).unwrap();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let mut said = |keys: &[&str]| {
        walk.press(keys);
        walk.screen((100, 24)).join("\n")
    };
    let as_recorded = said(&["6", "j"]);
    assert!(as_recorded.contains("is certainly where it stands"), "{as_recorded}");
    let own = said(&["o"]);
    assert!(
        own.contains(" here (about), ") && own.contains("2 functions have an own cost that is an estimate"),
        "{own}"
    );
    assert!(!own.contains("exactly") && !own.contains("certainly"), "{own}");
}

/// `f` is called 3 times from outside, and 97 times by itself: each of the 3 cost 67, of 200 in all.
#[test]
fn what_a_call_of_a_recursive_function_costs_is_of_those_from_outside() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=3 2\n1 200\nfn=f\n2 200\ncfn=f\ncalls=97 2\n3 5000\n";
    let profile = cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all()).unwrap();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["c"]);
    let screen = walk.screen((100, 24));
    let row = screen.iter().find(|row| row.contains("* f")).unwrap();
    let words: Vec<&str> = row.trim_start_matches(['>', '·']).split_whitespace().collect();
    assert_eq!(words[..5], ["200", "99.50%", "100", "67", "*"], "{screen:?}");
}
