//! What stands on the screens, on buffers of three sizes: numbers are those of the JSON report,
//! names stay apart, and the last line is a command that prints the same.

use super::{Walk, lenses, read, whole};
use crate::common::amount::some;
use crate::common::{Stage, profiles};
use cgannotate::explore::place::{Lens, Screen};
use cgannotate::explore::{Lenses, Message, Mouse, Seen};
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
    let profile = data.whole.profile();
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
        walk.happens(Message::Resize(size.0, size.1));
        let screen = walk.screen(size);
        let end: String = hottest
            .split('(')
            .next()
            .unwrap()
            .rsplit("::")
            .next()
            .unwrap()
            .into();
        assert!(screen[2].contains(&end), "{size:?}: {screen:#?}");
        assert!(screen[2].contains('%'), "{size:?}: {screen:#?}");
        assert!(
            screen.last().unwrap().starts_with("$ cgannotate --auto=no"),
            "{screen:#?}"
        );
        assert!(
            screen
                .iter()
                .all(|line| line.chars().count() <= usize::from(size.0))
        );
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
        let numbers = known
            .entry(function["name"].as_str().unwrap().to_owned())
            .or_default();
        let costs = ["self", "inclusive"]
            .iter()
            .filter_map(|key| function[*key].as_array())
            .flatten();
        numbers.extend(
            costs
                .chain([&function["called"]])
                .filter_map(Value::as_i64)
                .map(i128::from),
        );
    }
    known
}

/// Every number of every list is one that the JSON report has of that function.
#[test]
fn the_numbers_of_lists_are_those_of_json() {
    for profile in some(profiles()) {
        let Some(json) = readable(&profile) else {
            continue;
        };
        let known = known(&json);
        let data = lenses(&profile);
        let mut walk = Walk::new(&data, &profile, (200, 60));
        let mut compared = 0;
        for keys in [&[][..], &["i"], &["e"], &["s"], &["%", "%"], &["G"]] {
            walk.press(keys);
            for Seen {
                function, numbers, ..
            } in walk.model.visible()
            {
                let Some(id) = function else { continue };
                let name = name(&data, id);
                for number in numbers {
                    assert!(
                        known[&name].contains(&number),
                        "{profile} after {keys:?}: {name} has no {number}"
                    );
                    compared += 1;
                }
            }
        }
        assert!(
            compared > 0 || json["functions"].as_array().unwrap().is_empty(),
            "{profile}: nothing was compared"
        );
    }
}

/// The JSON report, of profiles that one file is enough for.
fn readable(profile: &str) -> Option<Value> {
    let (folder, file) = profile.split_once('/').unwrap();
    let out = Stage::of(folder).run(&["--format=json", "--allow-truncated", file]);
    out.status
        .success()
        .then(|| serde_json::from_slice(&out.stdout).unwrap())
}

/// Callers and callees of every function: the halves are those of JSON's calls.
#[test]
fn the_numbers_of_calls_and_lines_are_those_of_json() {
    for profile in [SHAPES, "cache/matrix.cachebranch.toggle.out"] {
        let json = json(profile);
        let functions = json["functions"].as_array().unwrap();
        let named = |index: &Value| {
            functions[index.as_u64().unwrap() as usize]["name"]
                .as_str()
                .unwrap()
        };
        let mut arcs: BTreeMap<(&str, &str), BTreeSet<i128>> = BTreeMap::new();
        for arc in json["calls"].as_array().unwrap() {
            let numbers = arcs
                .entry((named(&arc["caller"]), named(&arc["callee"])))
                .or_default();
            let sites = arc["sites"].as_array().unwrap().iter().chain([arc]);
            for place in sites {
                let costs = place["inclusive"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .chain([&place["count"]]);
                numbers.extend(costs.map(|n| i128::from(n.as_i64().unwrap())));
            }
        }
        let mut lines: BTreeMap<(&str, i128), BTreeSet<i128>> = BTreeMap::new();
        for line in json["lines"].as_array().unwrap() {
            let numbers = lines
                .entry((
                    named(&line["function"]),
                    line["line"].as_i64().unwrap().into(),
                ))
                .or_default();
            numbers.extend(
                line["self"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|n| i128::from(n.as_i64().unwrap())),
            );
        }
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 2000));
        let own = |id| name(&data, id);
        let known = known(&json);
        let (mut calls, mut costs) = (0, 0);
        for at in 0..walk.model.rows() {
            let Some(id) = walk.model.visible()[at].function else {
                panic!("row {at}")
            };
            let this = own(id);
            walk.press(&["c"]);
            let middle = walk.model.spot.here().row;
            walk.press(&["g"]);
            let rows = walk.model.visible();
            for (
                row,
                Seen {
                    function, numbers, ..
                },
            ) in rows.iter().enumerate()
            {
                let Some(other) = function.map(own) else {
                    continue;
                };
                let arc = match row.cmp(&middle) {
                    std::cmp::Ordering::Less => arcs.get(&(&other, &this)),
                    std::cmp::Ordering::Greater => arcs.get(&(&this, &other)),
                    std::cmp::Ordering::Equal => continue,
                };
                // The cost and the count; the third is their quotient.
                for number in numbers.iter().take(2) {
                    assert!(
                        arc.is_some_and(|arc| arc.contains(number)),
                        "{profile}: {this}, {other} has no {number}"
                    );
                    calls += 1;
                }
                if let [cost, count, each] = numbers[..] {
                    assert!(
                        (2 * (cost - each * count)).abs() <= count,
                        "{this}, {other}: {each} of {cost} / {count}"
                    );
                }
            }
            walk.press(&["["]).press(&["v"]);
            for Seen {
                function,
                numbers,
                line,
            } in walk.model.visible()
            {
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
                        // Calls within recursion contain each other: they are given no more than
                        // the callee cost.
                        let is_known = arcs[&(&this[..], &other[..])].contains(cost)
                            || known[&other].contains(cost);
                        assert!(is_known, "{profile}: {this}, {other} has no {cost}");
                        calls += 1;
                    }
                    _ => {}
                }
            }
            walk.press(&["[", "j"]);
        }
        assert!(
            calls > 20 && costs > 20,
            "{profile}: {calls} calls and {costs} lines were compared"
        );
    }
}

/// From a cold start, five keys are enough to have the cursor at the hottest line of the hottest
/// function.
#[test]
fn the_hottest_line_is_near() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    walk.press(&["v"]);
    let cursor = walk
        .screen((80, 24))
        .into_iter()
        .find(|line| line.starts_with('>'))
        .unwrap();
    let json = json(SHAPES);
    let hottest = json["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["function"] == 0);
    let hottest = hottest.max_by_key(|line| line["self"][0].as_i64()).unwrap();
    let found = numbers(&cursor);
    assert!(
        found.contains(&hottest["self"][0].as_i64().unwrap().into()),
        "{cursor}"
    );
    assert!(
        found.contains(&hottest["line"].as_i64().unwrap().into()),
        "{cursor}"
    );
}

/// What stands in the last line runs, and its report has the function that the screen is about.
#[test]
fn the_last_line_prints_the_same() {
    for profile in [SHAPES, "cache/matrix.cachebranch.toggle.out"] {
        let (folder, _) = profile.split_once('/').unwrap();
        let stage = Stage::of(folder);
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 60));
        let ways: [&[&str]; 20] = [
            &[],
            &["i"],
            &["e"],
            &["/", "a", "Enter"],
            &["Enter"],
            &["Enter"],
            &["[", "e"],
            &["2"],
            &["/", "s", "Enter"],
            &["Enter"],
            &["3"],
            &["/", "c", "Enter"],
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
            let command = line
                .strip_prefix("$ cgannotate ")
                .unwrap_or_else(|| panic!("{line}"));
            let script = format!("exec \"$0\" {command}");
            let out = stage
                .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
                .output()
                .unwrap();
            let report = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(
                out.status.success(),
                "{command}: {}",
                String::from_utf8_lossy(&out.stderr)
            );
            for Seen { function, .. } in walk.model.visible() {
                let Some(id) = function else { continue };
                let name = name(&data, id);
                assert!(
                    report.contains(&name),
                    "{command} does not print {name}:\n{report}"
                );
            }
        }
    }
}

/// The command of every screen reads the inputs in the same way.
#[test]
fn every_command_repeats_how_inputs_are_read() {
    let options = [
        "--fold-recursion",
        "--allow-truncated",
        "--input-format=callgrind",
    ]
    .map(str::to_owned)
    .to_vec();
    let inputs = vec![Word::Literal("it's".into()), Word::Literal("p q".into())];
    let data = super::whole(
        super::profile(SHAPES),
        Again {
            options: options.clone(),
            inputs,
        },
    );
    let mut walk = Walk::new(&data, SHAPES, (200, 60));
    for keys in [
        "1", "i", "e", "Enter", "v", "a", "2", "Enter", "3", "4", "5", "6", "7", "8", "9", "o",
        "1", "f", "c",
    ] {
        let command = walk.press(&[keys]).command().unwrap();
        assert!(
            command.ends_with(" 'it'\\''s' 'p q'") || command.ends_with(" \"it's\" 'p q'"),
            "{keys}: {command}"
        );
        assert!(
            options.iter().all(|option| command.contains(option)),
            "{keys}: {command}"
        );
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
        let wanted: Vec<i128> = rows
            .records()
            .map(|row| row.unwrap()[0].parse().unwrap())
            .collect();
        let seen: Vec<i128> = walk
            .model
            .visible()
            .iter()
            .map(|row| row.numbers[0])
            .collect();
        assert!(seen.len() > 1 || by == "--by=class");
        let listed: Vec<i128> = wanted
            .iter()
            .copied()
            .filter(|count| seen.contains(count))
            .collect();
        assert!(listed.len() >= seen.len(), "{by}: {seen:?} of {wanted:?}");
    }
    walk.press(&["4"]);
    assert!(
        walk.screen((80, 24))
            .iter()
            .any(|line| line.ends_with(" (no class)")),
        "{:#?}",
        walk.screen((80, 24))
    );
    walk.press(&["7"]);
    let split = stage.report(&["--split=part", "--format=json", "phases.parts.out"]);
    let documents = serde_json::Deserializer::from_str(&split).into_iter::<Value>();
    let totals: Vec<i128> = documents
        .map(|document| document.unwrap()["totals"][0].as_i64().unwrap().into())
        .collect();
    let seen: Vec<i128> = walk
        .model
        .visible()
        .iter()
        .map(|row| row.numbers[0])
        .collect();
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
        let of = rows
            .headers()
            .unwrap()
            .iter()
            .position(|name| name == "function")
            .unwrap();
        let rows = rows.records().map(|row| row.unwrap());
        let wanted: BTreeSet<(i128, String)> = rows
            .map(|row| (row[0].parse().unwrap_or(0), row[of].to_owned()))
            .filter(|(_, name)| name != "(total)")
            .collect();
        let data = lenses(profile);
        let mut walk = Walk::new(&data, profile, (200, 4000));
        walk.press(&[key]);
        let profile_of = walk.model.data().profile();
        let name = |id: FunctionId| {
            String::from_utf8_lossy(profile_of.name(profile_of.function(id).name)).into_owned()
        };
        let seen = walk.model.visible();
        let seen: BTreeSet<(i128, String)> = seen
            .iter()
            .map(|row| {
                (
                    row.numbers.first().copied().unwrap_or(0),
                    name(row.function.unwrap()),
                )
            })
            .collect();
        let missing: Vec<_> = wanted
            .difference(&seen)
            .filter(|(count, _)| *count != 0)
            .collect();
        assert!(
            missing.is_empty() && wanted.len() > 3,
            "{profile} {option}: {missing:?} of {wanted:?}"
        );
        let heading = &walk.screen((200, 4000))[1];
        let title = if option == "--own" {
            "Ir own"
        } else {
            "Ir self"
        };
        assert!(heading.contains(title), "{option}: {heading}");
    }
}

/// What the explorer begins with is what keys lead to.
#[test]
fn the_beginning_is_a_screen_like_others() {
    let whole = lenses(SHAPES);
    let mut keys = Walk::new(&whole, SHAPES, (100, 30));
    keys.press(&["o"]);
    let mut own = lenses(SHAPES);
    own.start.1 = Lens::Own;
    let walk = Walk::new(&own, SHAPES, (100, 30));
    assert_eq!(walk.screen((100, 30)), keys.screen((100, 30)));
    assert!(walk.screen((100, 30))[0].contains("only your code"));
    keys.press(&["Enter"]);
    let Screen::Calls(id) = keys.model.spot.left.screen else {
        panic!("{:?}", keys.screen((100, 30)))
    };
    let mut calls = lenses(SHAPES);
    calls.start = (Screen::Calls(id), own.start.1);
    let walk = Walk::new(&calls, SHAPES, (100, 30));
    assert_eq!(walk.screen((100, 30))[..28], keys.screen((100, 30))[..28]);
}

/// A beginning that does not exist is refused before the explorer takes the terminal.
#[test]
fn a_beginning_that_does_not_exist_is_refused() {
    let stage = Stage::of("shapes");
    for (options, why) in [
        (
            &["--function=fibb"][..],
            "--function: no function matches `fibb`\nhint: did you mean fib?",
        ),
        (
            &["--own", "--inlined"],
            "--inlined: explore shows inlined functions of one run alone, with instruction addresses (--dump-instr=yes)",
        ),
    ] {
        let words = [&["explore"][..], options, &["shapes.plain.out"]].concat();
        let (status, text) = crate::options::after_keys(stage.command(&words), "");
        let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(status, Some(2), "{text}");
        assert!(text.contains(&why.replace('\n', " ")), "{text}");
    }
}

/// Enter on a line of yours lists the library functions that it paid for; they and the line itself
/// add up to the line. Enter again closes the list.
#[test]
fn a_line_opens_to_what_it_paid_for() {
    let mut data = lenses(SHAPES);
    data.start.1 = Lens::Own;
    let find = |name: &[u8]| {
        let profile = data.data(data.start.1).profile();
        profile
            .function_ids()
            .find(|&id| profile.name(profile.function(id).name) == name)
            .unwrap()
    };
    let main = find(b"main");
    data.start.0 = Screen::Source(main);
    let size = (120, 200);
    let mut walk = Walk::new(&data, SHAPES, size);
    let closed = walk.screen(size);
    let at = closed
        .iter()
        .position(|line| line.contains("qsort(v, n, sizeof *v, cmp);"))
        .unwrap();
    // It is the hottest line, at which the screen begins.
    walk.press(&["Enter"]);
    let open = walk.screen(size);
    let number = |line: &str| -> i64 {
        let mut words = line.split_whitespace();
        words
            .find_map(|word| word.replace(',', "").parse().ok())
            .unwrap()
    };
    let below: Vec<&String> = open[at + 1..]
        .iter()
        .take_while(|line| line.contains("  *  ") || line.contains("  => "))
        .collect();
    assert!(below[0].contains("the line itself"), "{below:?}");
    assert!(
        below[1].contains("=> 1x ") && below[1].contains("qsort"),
        "{below:?}"
    );
    let sum: i64 = below.iter().map(|line| number(line)).sum();
    assert_eq!(sum, number(&open[at]), "{below:?}");
    walk.press(&["Enter"]);
    assert_eq!(walk.screen(size)[2..198], closed[2..198]);
}

/// Frames are those of folded stacks, and of each what it costs is within its bounds.
#[test]
fn stacks_are_those_that_are_converted() {
    let data = lenses(SHAPES);
    let json = json(SHAPES);
    let total = i128::from(json["totals"][0].as_i64().unwrap());
    let stage = Stage::of("shapes");
    let folded = stage.report(&["convert", "--to=folded", "-o", "-", "shapes.plain.out"]);
    let counts: BTreeSet<i128> = folded
        .lines()
        .filter_map(|line| line.rsplit(' ').next()?.parse().ok())
        .collect();
    for size in SIZES {
        let mut walk = Walk::new(&data, SHAPES, size);
        walk.press(&["6"]);
        let mut found = 0;
        for _ in 0..40 {
            let seen = walk.model.visible();
            let [whole, least, most, own] = seen[0].numbers[..] else {
                panic!("{:?}", seen[0].numbers)
            };
            assert!(0 <= least && least <= most && whole <= total && own <= whole);
            assert!(own == 0 || counts.contains(&own), "{own}");
            found += usize::from(own > 0);
            walk.press(&["Down"]);
            assert!(
                walk.screen(size)
                    .iter()
                    .any(|line| line.contains(" here (")),
                "{size:?}"
            );
        }
        assert!(found > 0);
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
    let again = Again {
        options: vec![],
        inputs: vec![Word::Literal("out".into())],
    };
    let data = whole(profile, again);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    for row in 0..6 {
        let own = walk.model.visible()[row].numbers[0];
        for key in ["c", "v", "a"] {
            walk.press(&[key]);
            let line = walk.screen((400, 24)).pop().unwrap();
            let script = format!(
                "exec \"$0\" {}",
                line.strip_prefix("$ cgannotate ").unwrap()
            );
            let out = stage
                .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
                .output()
                .unwrap();
            let report = String::from_utf8_lossy(&out.stdout).into_owned();
            let inclusive = report
                .lines()
                .find(|line| line.contains("  inclusive"))
                .unwrap_or_default();
            assert!(
                numbers(inclusive).contains(&own),
                "{line} is not of {own}: {inclusive}\n{out:?}"
            );
            walk.press(&["["]);
        }
        walk.press(&["j"]);
    }
}

/// Where nobody knows what functions called there is no column of it, and a file without functions
/// is said to be one.
#[test]
fn what_is_not_known_has_no_column() {
    let text = "events: Ir\nob=/o/p\nfl=x.c\nfn=main\n1 70\nfi=inl.h\n4 30\n";
    let options = cgannotate::input::Options::all();
    let profile = cgannotate::input::read_from("out", text.as_bytes(), &options).unwrap();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    assert!(
        walk.screen((100, 24))
            .iter()
            .any(|line| line.contains("Ir incl"))
    );
    walk.press(&["3", "j", "Enter"]);
    let screen = walk.screen((100, 24));
    assert!(
        walk.model.rows() == 0
            && screen
                .iter()
                .any(|line| line.contains("no function is defined in this file")),
        "{screen:#?}"
    );
    let data = lenses("cachegrind/matrix.cg-branch.out");
    let walk = Walk::new(&data, SHAPES, (100, 24));
    let screen = walk.screen((100, 24));
    assert!(
        screen.iter().any(|line| line.contains("Ir self"))
            && !screen.iter().any(|line| line.contains(" incl")),
        "{screen:#?}"
    );
}

/// Names that cannot be typed are written as patterns that mean them, where files are filtered the
/// list is.
#[test]
fn commands_name_what_cannot_be_typed() {
    let text = b"events: Ir\nob=/o/p\nfl=x.c\nfn=a\xff\n1 70\nfn=r\x1b[31m\n1 50\nob=/o/q\nfl=y.c\nfn=t\tb\n1 30\n";
    let stage = Stage::empty();
    stage.write("out", text);
    let profile =
        cgannotate::input::read_from("out", &text[..], &cgannotate::input::Options::all()).unwrap();
    let again = Again {
        options: vec![],
        inputs: vec![Word::Literal("out".into())],
    };
    let data = whole(profile, again);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let printed = |walk: &Walk<'_>, options: &str| {
        let line = walk.screen((400, 24)).pop().unwrap();
        let script = format!(
            "exec \"$0\" {}{options}",
            line.strip_prefix("$ cgannotate ").unwrap()
        );
        let out = stage
            .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    for own in [70, 50, 30] {
        walk.press(&["c"]);
        let report = printed(&walk, "");
        let inclusive = report
            .lines()
            .find(|line| line.contains("  inclusive"))
            .unwrap_or_default();
        assert!(
            inclusive.trim_start().starts_with(&format!("{own} (")),
            "{report}"
        );
        walk.press(&["[", "j"]);
    }
    for (key, typed, cost) in [("2", "/q", 30), ("3", "x.", 120)] {
        walk.press(&[key, "/"]).types(typed).press(&["Enter"]);
        let seen: Vec<i128> = walk
            .model
            .visible()
            .iter()
            .map(|row| row.numbers[0])
            .collect();
        assert_eq!(seen, [cost], "{typed}");
        let csv = printed(&walk, " --format=csv");
        let rows: Vec<&str> = csv
            .lines()
            .skip(1)
            .filter(|row| !row.contains("others"))
            .collect();
        assert!(
            rows.len() == 1 && rows[0].starts_with(&format!("{cost},")),
            "{csv}"
        );
    }
}

/// Two own functions share what `sort` of a library cost: what stands at a frame is no longer known
/// for certain.
#[test]
fn stacks_of_estimated_own_costs_are_not_exact() {
    let text = "cmd: ./app\nevents: Ir\nob=/me/app\nfl=own.c\nfn=main\n1 1\ncfn=a\ncalls=1 1\n2 50\ncfn=b\ncalls=1 1\n3 60\n\
                fn=a\n4 10\ncob=/lib/libc.so.6\ncfi=lib.c\ncfn=sort\ncalls=1 1\n4 40\nfn=b\n5 10\ncob=/lib/libc.so.6\ncfi=lib.c\n\
                cfn=sort\ncalls=1 1\n5 50\nfn=compare\n6 60\nob=/lib/libc.so.6\nfl=lib.c\nfn=sort\n7 30\ncob=/me/app\ncfi=own.c\n\
                cfn=compare\ncalls=9 6\n8 60\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    let mut said = |keys: &[&str]| {
        walk.press(keys);
        walk.screen((100, 24)).join("\n")
    };
    let as_recorded = said(&["6", "j"]);
    assert!(
        as_recorded.contains("of the cost is certain"),
        "{as_recorded}"
    );
    let own = said(&["o"]);
    assert!(
        own.contains(" here (about), ")
            && own.contains("2 functions have an own cost that is an estimate"),
        "{own}"
    );
    assert!(
        !own.contains("exactly") && !own.contains("certainly"),
        "{own}"
    );
}

/// Xdebug's totals have more than all stacks, here 40 of 100: a frame's percentage is of the
/// totals, as in every report, and its counts of time are times.
#[test]
fn stacks_have_the_percentages_and_times_of_reports() {
    let text = "version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.36)\ncmd: /a.php\npart: 1\npositions: line\n\n\
                events: Time_(10ns) Memory_(bytes)\n\nfl=/a.php\nfn=f\n3 20000 8\n\nfl=/a.php\nfn={main}\n1 40000 0\n\
                cfl=/a.php\ncfn=f\ncalls=1 0 0\n2 20000 8\n\nsummary: 100000 4096\n\n";
    let mut profile =
        cgannotate::input::read_from("x", text.as_bytes(), &cgannotate::input::Options::all())
            .unwrap();
    profile.events.show_durations();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["6"]);
    let screen = walk.screen((100, 24)).join("\n");
    assert!(
        screen.contains("60.00% 600.0 µs here (exactly), 400.0 µs itself"),
        "{screen}"
    );
    walk.press(&["Down"]);
    let screen = walk.screen((100, 24)).join("\n");
    assert!(
        screen.contains("20.00% 200.0 µs here (exactly), 200.0 µs itself"),
        "{screen}"
    );
}

/// `main` calls `a`, which calls `b`, and `c`: inside `a`, the first frame is `a` and the last is
/// `b`, not `main` and `c`.
#[test]
fn the_ends_of_stacks_inside_a_frame_are_inside_it() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=a\ncalls=1 2\n1 50\ncfn=c\ncalls=1 4\n1 40\n\
                fn=a\n2 20\ncfn=b\ncalls=1 3\n2 30\nfn=b\n3 30\nfn=c\n4 40\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["6", "Down", "Enter"]);
    for (key, total) in [("G", 30), ("g", 50)] {
        walk.press(&[key]);
        assert_eq!(walk.model.visible()[0].numbers[0], total, "{key}");
    }
    // `main` has the first row, `a` 50 cells of the second, `c` 40.
    let mut walk = Walk::new(&data, SHAPES, (91, 24));
    walk.press(&["6"]);
    for (x, y, total) in [
        (0, 3, 50),
        (0, 2, 91),
        (49, 3, 50),
        (50, 3, 40),
        (29, 4, 30),
    ] {
        walk.happens(Message::Mouse(Mouse::Click, x, y));
        assert_eq!(walk.model.visible()[0].numbers[0], total, "{x} {y}");
    }
    // Nothing is there.
    for (x, y) in [(90, 3), (30, 4), (5, 9)] {
        walk.happens(Message::Mouse(Mouse::Click, x, y));
        assert_eq!(walk.model.visible()[0].numbers[0], 30, "{x} {y}");
    }
}

/// `t` shows the callers of a function, and below them its callees; a frame of callers alone is
/// upside down. Those next to it are its calls; how much `a` costs in `deep` is between bounds.
#[test]
fn stacks_around_a_function_begin_with_its_calls() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=a\ncalls=1 1\n1 50\ncfn=b\ncalls=1 1\n1 40\n\
                fn=a\n2 20\ncfn=leaf\ncalls=1 1\n2 30\nfn=b\n3 30\ncfn=leaf\ncalls=1 1\n3 10\n\
                fn=leaf\n4 25\ncfn=deep\ncalls=1 1\n4 15\nfn=deep\n5 15\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (80, 24));
    walk.press(&["/", "l", "e", "a", "f", "Enter", "t"]);
    let moves = |walk: &mut Walk<'_>, moves: &[(&str, [i128; 4])]| {
        for (key, numbers) in moves {
            walk.press(&[key]);
            assert_eq!(walk.model.visible()[0].numbers, numbers, "{key}");
        }
    };
    moves(
        &mut walk,
        &[
            ("g", [40, 40, 40, 0]),
            ("Down", [40, 40, 40, 25]),
            ("Down", [15, 15, 15, 15]),
            ("Up", [40, 40, 40, 25]),
            ("Up", [40, 40, 40, 0]),
            ("Up", [30, 30, 30, 0]),
            ("Up", [30, 30, 30, 30]),
            ("Down", [30, 30, 30, 0]),
            ("Right", [10, 10, 10, 0]),
            ("Left", [30, 30, 30, 0]),
            ("Down", [40, 40, 40, 0]),
        ],
    );
    let screen = walk.screen((80, 24));
    assert!(screen[0].starts_with("stacks around leaf"));
    let row = |name: &str| screen.iter().position(|line| line.starts_with(name));
    let rows = ["▏main", "▏a", "▏leaf", "▏deep"].map(|name| row(name).expect(name));
    assert!(rows.is_sorted(), "{screen:#?}");
    let deep = [
        ("Down", [40, 40, 40, 25]),
        ("Down", [15, 15, 15, 15]),
        ("t", [15, 15, 15, 0]),
        ("Enter", [15, 15, 15, 0]),
        ("Down", [15, 15, 15, 0]),
        ("Down", [11, 5, 15, 0]),
    ];
    moves(&mut walk, &deep);
    let screen = walk.screen((80, 24));
    assert_eq!(screen[0].split("  ").next(), Some("stacks inside a frame"));
    let row = |name: &str| screen.iter().position(|line| line.starts_with(name));
    let rows = ["▏deep", "▏leaf", "▏a", "▏main"].map(|name| row(name).expect(name));
    assert!(rows.is_sorted(), "{screen:#?}");
}

/// Nothing says for which of four callers `b` calls `w` and `v`, which cost 100 together.
#[test]
fn stacks_suggest_to_record_callers() {
    for (known, is_suggested) in [(99, true), (101, false)] {
        let callers = (0..4).map(|n| format!("fn=c{n}\n1 0\ncfn=b\ncalls=1 1\n2 25\n"));
        let callers: String = callers.collect();
        let data = read(&format!(
            "events: Ir\nfl=x.c\nfn=alone\n9 {known}\n{callers}fn=b\n1 0\ncfn=w\ncalls=1 1\n2 50\n\
             cfn=v\ncalls=1 1\n2 50\nfn=w\n3 50\nfn=v\n4 50\n"
        ));
        let mut walk = Walk::new(&data, SHAPES, (80, 24));
        walk.press(&["6"]);
        let says = walk.screen((80, 24))[1].ends_with("certain; try record --stacks");
        assert_eq!(says, is_suggested);
    }
}

/// To the right of the most expensive of three calls is the second, then the third; and back.
#[test]
fn frames_beside_each_other_are_gone_through_one_by_one() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=a\ncalls=1 2\n1 50\ncfn=b\ncalls=1 3\n1 40\ncfn=c\ncalls=1 4\n1 30\n\
                fn=a\n2 50\nfn=b\n3 40\nfn=c\n4 30\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["6", "Down"]);
    for (key, total) in [
        ("Right", 40),
        ("Right", 30),
        ("Right", 30),
        ("Left", 40),
        ("Left", 50),
        ("Left", 50),
        ("Up", 121),
    ] {
        walk.press(&[key]);
        assert_eq!(walk.model.visible()[0].numbers[0], total, "{key}");
    }
    // Into the calls of a function, and from a call of it to the function that it calls.
    walk.press(&[
        "1", "/", "m", "a", "i", "n", "Enter", "Enter", "Down", "Down", "Enter",
    ]);
    assert!(
        walk.screen((100, 24))[0].starts_with("calls of a"),
        "{:#?}",
        walk.screen((100, 24))
    );
}

/// `f` is called once and costs 30, so that a call costs 30; `g` is called twice and costs 7,
/// rounded 4 a call.
#[test]
fn a_single_call_has_a_cost_per_call() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=1 2\n1 30\ncfn=g\ncalls=2 3\n1 7\nfn=f\n2 30\nfn=g\n3 7\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["/", "m", "a", "i", "n", "Enter", "c"]);
    let screen = walk.screen((100, 24));
    for (name, calls, each) in [("f", "1", "30"), ("g", "2", "4")] {
        let callee = format!("> {name}  a.c");
        let row = screen.iter().find(|row| row.contains(&callee));
        let words: Vec<&str> = row
            .unwrap_or_else(|| panic!("{screen:#?}"))
            .split_whitespace()
            .collect();
        let at = words.iter().position(|word| word.ends_with('%')).unwrap();
        assert_eq!(words[at + 1..at + 3], [calls, each], "{screen:?}");
    }
}

/// `f` is called 3 times from outside, and 97 times by itself: each of the 3 cost 67, of 200 in
/// all.
#[test]
fn what_a_call_of_a_recursive_function_costs_is_of_those_from_outside() {
    let text = "events: Ir\nfl=a.c\nfn=main\n1 1\ncfn=f\ncalls=3 2\n1 200\nfn=f\n2 200\ncfn=f\ncalls=97 2\n3 5000\n";
    let data = read(text);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["c"]);
    let screen = walk.screen((100, 24));
    let row = screen.iter().find(|row| row.contains("* f")).unwrap();
    let words: Vec<&str> = row
        .trim_start_matches(['>', '·'])
        .split_whitespace()
        .collect();
    assert_eq!(
        words[..5],
        ["200", "99.50%", "100", "67", "*"],
        "{screen:?}"
    );
}

/// Counts are written as they were recorded, and so is the name of the event, whose unit they are
/// in.
#[test]
fn counts_of_times_are_written_with_their_unit() {
    let name = "xdebug/app-x353.xdebug";
    let mut profile = super::profile(name);
    profile.events.show_durations();
    let data = whole(profile, Again::default());
    let mut walk = Walk::new(&data, name, (200, 30));
    assert!(walk.screen((200, 30))[1].contains("Time self"));
    let rows = walk.table();
    let (numbers, _) = rows
        .iter()
        .find(|(_, name)| name.contains("App\\fib"))
        .unwrap();
    assert_eq!(numbers["Time_(10ns) self"], 60_457, "{numbers:?}");
}

/// Own code, and recursion folded, are seen through the filter and in the order of before, at the
/// same function.
#[test]
fn another_look_keeps_filter_order_and_row() {
    let data = lenses(SHAPES);
    let mut walk = Walk::new(&data, SHAPES, (100, 24));
    walk.press(&["/"])
        .types("m")
        .press(&["Enter", "i", "j", "j", "j"]);
    let chosen = |walk: &Walk<'_>| {
        walk.screen((100, 24))
            .into_iter()
            .find(|row| row.starts_with('>'))
            .unwrap()
    };
    let name = |row: &str| {
        row.split_whitespace()
            .find(|word| word.contains(|c: char| c.is_alphabetic()))
            .unwrap()
            .to_owned()
    };
    let before = name(&chosen(&walk));
    walk.press(&["f"]);
    let head = walk.screen((100, 24));
    assert!(
        head[0].starts_with("functions with \"m\", recursion folded")
            && head[1].contains("Ir incl↓"),
        "{head:?}"
    );
    assert_eq!(name(&chosen(&walk)), before);
}

/// The commands of a class and of marked functions print the functions of the screen, filtered or
/// not.
#[test]
fn commands_of_some_functions_print_these() {
    let profile = "cxx/inventory.out";
    let data = lenses(profile);
    let stage = Stage::of("cxx");
    let mut walk = Walk::new(&data, profile, (200, 60));
    let same = |walk: &mut Walk<'_>| {
        let command = walk.command().unwrap();
        let words = format!("exec \"$0\" --format=json {command}");
        let out = stage
            .any("sh", &["-c", &words, env!("CARGO_BIN_EXE_cgannotate")])
            .output()
            .unwrap();
        let json: Value =
            serde_json::from_slice(&out.stdout).unwrap_or_else(|_| panic!("{command}: {out:?}"));
        let listed = json["functions"].as_array().unwrap().iter();
        let names = listed
            .map(|function| function["name"].as_str().unwrap().to_owned())
            .collect::<BTreeSet<_>>();
        let shown = walk
            .model
            .visible()
            .iter()
            .map(|row| name(&data, row.function.unwrap()))
            .collect::<BTreeSet<_>>();
        assert!(!shown.is_empty());
        assert_eq!(names, shown, "{command}");
    };
    // A class with others inside has theirs, too.
    let classes: Vec<String> = walk
        .press(&["4"])
        .table()
        .into_iter()
        .map(|(_, name)| name)
        .collect();
    let mut seen = 0;
    for (row, class) in classes.iter().enumerate() {
        let is_around = |other: &String| other.starts_with(&format!("{class}::"));
        if class.is_empty() || class.starts_with('(') || classes.iter().any(is_around) {
            continue;
        }
        walk.press(&["4", "g"])
            .press(&vec!["j"; row])
            .press(&["Enter"]);
        same(&mut walk);
        seen += 1;
    }
    assert!(seen > 5, "{seen} of {classes:?}");
    walk.press(&["1", "m", "j", "m", "j", "m", "'"]);
    same(&mut walk);
    let first = name(&data, walk.model.visible()[0].function.unwrap());
    walk.press(&["/"]).types(&first[..4]).press(&["Enter"]);
    same(&mut walk);
}

/// `n` leads to the lines that have 1 % of what the shares beside them are of, with what they call:
/// in a cycle, of the cycle.
#[test]
fn lines_that_matter_are_those_whose_shares_say_so() {
    let recursion = "events: Ir\nfl=a.c\nfn=main\n1 1000\ncfn=a\ncalls=1 1\n2 9000\nfn=a\n3 5\n4 50\ncfn=b\ncalls=3 1\n4 8000\n\
                     5 300\nfn=b\n6 8600\ncfn=a\ncalls=2 1\n7 7000\n8 45\n";
    let profile = cgannotate::input::read_from(
        "x",
        recursion.as_bytes(),
        &cgannotate::input::Options::all(),
    )
    .unwrap();
    let data = whole(profile, Again::default());
    for (function, lines) in [("a", &[5][..]), ("b", &[6])] {
        let mut walk = Walk::new(&data, SHAPES, (100, 24));
        let row = walk
            .table()
            .iter()
            .position(|(_, name)| name.starts_with(&format!("{function} ")))
            .unwrap();
        walk.press(&vec!["j"; row]).press(&["v", "g"]);
        let mut found = Vec::new();
        loop {
            let row = walk.model.spot.left.row;
            walk.press(&["n"]);
            if walk.model.spot.left.row == row {
                break;
            }
            found.extend(walk.model.visible()[walk.model.spot.left.row].line);
        }
        assert_eq!(found, lines, "{function}");
    }
}

/// Where the file of a function is not known, its source says so.
#[test]
fn source_of_no_known_file_says_so() {
    let text = "events: Ir\nob=/bin/x\nfn=0x401000\n0 100\n";
    let data = read(text);
    let screen = Walk::new(&data, SHAPES, (100, 24))
        .press(&["v"])
        .screen((100, 24))
        .join("\n");
    assert!(
        screen.contains("the file of the function's code"),
        "{screen}"
    );
}

/// Where a function is stands beside its name without folders where there is no room for these, and
/// without the object where there is none for that.
#[test]
fn places_lose_folders_first() {
    let data = lenses(SHAPES);
    let walk = Walk::new(&data, SHAPES, (80, 24));
    let row = |width: u16| {
        walk.screen((width, 24))
            .into_iter()
            .find(|line| line.contains("_int_malloc"))
            .unwrap()
    };
    for (width, place) in [
        (120, "./malloc/./malloc/malloc.c [libc.so.6]"),
        (80, "malloc.c [libc.so.6]"),
        (60, "malloc.c"),
    ] {
        assert!(
            row(width).ends_with(&format!("_int_malloc  {place}")),
            "{}",
            row(width)
        );
    }
}
