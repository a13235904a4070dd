//! The screen of instructions: rows are those of `--zoom --asm`, numbers those of JSON, and source
//! and instructions lead to each other.

use super::{Walk, lenses};
use crate::common::Stage;
use cgannotate::explore::Lenses;
use cgannotate::explore::place::{Kind, Screen};
use cgannotate::profile::FunctionId;
use cgannotate::view::instructions::Told;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const JUMPS: &str = "instr/phases.instr-jumps.out";
const FILE: &str = "phases.instr-jumps.out";

fn explored() -> Lenses {
    without_program(lenses(JUMPS))
}

/// As of a program that is not here.
fn without_program(mut data: Lenses) -> Lenses {
    data.teller = Box::new(|_, _| {
        let why = "/opt/conf/bin/phases: it was not found (`--map OLD=NEW` or `--debug-dir` says where it is)";
        Told {
            texts: Err(why.into()),
            inlined: None,
        }
    });
    data
}

/// The functions of a program, not of its libraries, by the rows of the list.
fn own(walk: &Walk<'_>) -> Vec<(usize, FunctionId)> {
    let profile = walk.model.data().profile();
    let is_own = |id: FunctionId| {
        profile
            .name(profile.function(id).object)
            .ends_with(b"/phases")
    };
    let rows = walk.model.visible().into_iter().enumerate();
    rows.filter_map(|(row, seen)| Some((row, seen.function?)))
        .filter(|&(_, id)| is_own(id))
        .collect()
}

fn go_to(walk: &mut Walk<'_>, row: usize) {
    walk.press(&["1", "g"]);
    (0..row).for_each(|_| walk.happens(cgannotate::explore::Message::Key("j".into())));
}

/// A row in the same words, from the report or from the screen: no mark, no dots, the place of a
/// callee left out.
fn plain(row: &str) -> String {
    let row = row.trim_start_matches(['>', '·']).trim();
    let words: Vec<&str> = row.split_whitespace().filter(|word| *word != ".").collect();
    let end = words
        .windows(2)
        .position(|pair| pair[1] == "of" && pair[0].starts_with("call"));
    words[..end.map_or(words.len(), |at| at + 2)].join(" ")
}

#[test]
fn instructions_are_those_of_the_report() {
    let stage = Stage::of("instr");
    let data = explored();
    let mut walk = Walk::new(&data, JUMPS, (200, 4000));
    let functions = own(&walk);
    assert!(functions.len() > 5);
    walk.press(&["%", "%"]);
    let (mut calls, mut jumps) = (0, 0);
    for (row, _) in functions {
        go_to(&mut walk, row);
        walk.press(&["a"]);
        assert_eq!(walk.model.kind(), Kind::Instructions);
        let screen = walk.screen((200, 4000));
        let command = screen
            .last()
            .unwrap()
            .strip_prefix("$ cgannotate ")
            .unwrap();
        // The explorer shows sources on screens of their own.
        let script = format!("exec \"$0\" --show-percs=no --auto=no {command}");
        let out = stage
            .any("sh", &["-c", &script, env!("CARGO_BIN_EXE_cgannotate")])
            .output()
            .unwrap();
        let report = String::from_utf8(out.stdout).unwrap();
        let wanted = report
            .lines()
            .skip_while(|line| !line.contains(" instructions (100%"))
            .skip(2);
        let wanted: Vec<String> = wanted
            .take_while(|line| !line.is_empty())
            .map(plain)
            .collect();
        let note = |line: &String| line.contains("no instructions:") || line.contains("no arrow");
        let seen: Vec<String> = screen[2..2 + walk.model.rows()]
            .iter()
            .map(|line| plain(line))
            .collect();
        let (notes, seen): (Vec<String>, Vec<String>) = seen.into_iter().partition(note);
        assert_eq!(seen, wanted, "{command}");
        assert!(
            notes.iter().all(|note| report.contains(&note[..])) && !notes.is_empty(),
            "{notes:?}"
        );
        calls += seen.iter().filter(|row| row.contains("=> ")).count();
        jumps += seen.iter().filter(|row| row.contains('▶')).count();
    }
    assert!(calls > 5 && jumps > 2, "{calls} calls, {jumps} jumps");
}

#[test]
fn numbers_of_instructions_are_those_of_json() {
    let stage = Stage::of("instr");
    let json: Value =
        serde_json::from_str(&stage.report(&["--format=json", "--by=instr", FILE])).unwrap();
    let names: Vec<&str> = json["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| function["name"].as_str().unwrap())
        .collect();
    let name = |row: &Value| names[row["function"].as_u64().unwrap() as usize];
    let mut costs: BTreeMap<(&str, i64), i128> = BTreeMap::new();
    let is_own = |row: &&Value| {
        let function = &json["functions"][row["function"].as_u64().unwrap() as usize];
        function["object"]
            .as_str()
            .is_some_and(|object| object.ends_with("/phases"))
    };
    for row in json["instructions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(is_own)
    {
        let key = (name(row), row["address"].as_i64().unwrap());
        *costs.entry(key).or_default() += i128::from(row["self"][0].as_i64().unwrap());
    }
    let mut calls: BTreeMap<&str, BTreeSet<i128>> = BTreeMap::new();
    for row in json["call_instructions"].as_array().unwrap() {
        let from = names[row["caller"].as_u64().unwrap() as usize];
        calls
            .entry(from)
            .or_default()
            .insert(row["inclusive"][0].as_i64().unwrap().into());
    }
    let data = explored();
    for size in [(40, 12), (80, 24), (200, 60)] {
        let mut walk = Walk::new(&data, JUMPS, (200, 4000));
        let functions = own(&walk);
        walk.happens(cgannotate::explore::Message::Resize(size.0, size.1));
        let (mut seen, mut called) = (BTreeSet::new(), 0);
        for &(row, id) in &functions {
            let profile = data.whole.profile();
            let this = std::str::from_utf8(profile.name(profile.function(id).name)).unwrap();
            go_to(&mut walk, row);
            walk.press(&["a", "g"]);
            for _ in 0..walk.model.rows().div_ceil(usize::from(size.1) - 5) + 1 {
                let top = walk.model.spot.left.top;
                let rows = walk.model.visible();
                let screen = walk.screen(size);
                for (at, row) in rows.iter().enumerate() {
                    let line = &screen[at + 2];
                    match (row.function, &row.numbers[..]) {
                        (Some(_), [cost]) => {
                            assert!(
                                calls[this].contains(cost),
                                "{this}, row {}: {line}",
                                top + at
                            );
                            called += 1;
                        }
                        (None, [_]) if line.contains(" at ") => {}
                        (None, [cost]) => {
                            let address = line.split_whitespace().last().unwrap();
                            let address = i64::from_str_radix(address, 16).unwrap();
                            assert_eq!(costs.get(&(this, address)), Some(cost), "{this}: {line}");
                            seen.insert((this, address));
                        }
                        _ => assert!(row.numbers.is_empty(), "{line}"),
                    }
                }
                assert!(
                    screen
                        .iter()
                        .all(|line| line.chars().count() <= usize::from(size.0))
                );
                walk.press(&["PageDown"]);
            }
        }
        assert_eq!(
            seen.len(),
            costs.len(),
            "{size:?}: every instruction was seen"
        );
        assert!(called > 5, "{size:?}: {called} calls");
    }
}

/// What calls within recursion cost is inside other calls: neither the instruction nor the line
/// they come from says it again. Where only one run is looked at, no command prints what went away.
#[test]
fn calls_within_recursion_cost_nothing_of_their_own() {
    const SHAPES: &str = "shapes/shapes.instr-jumps.out";
    let data = without_program(lenses(SHAPES));
    let mut walk = Walk::new(&data, SHAPES, (120, 4000));
    let row = (0..30).find(|_| {
        let is_there = walk
            .screen((120, 40))
            .iter()
            .any(|line| line.starts_with('>') && line.contains(" ins'2"));
        is_there || walk.press(&["j"]).model.rows() == 0
    });
    assert!(row.is_some());
    for screen in ["a", "v"] {
        let shown = walk.press(&[screen]).screen((120, 4000));
        let calls: Vec<&String> = shown.iter().filter(|line| line.contains("=> ")).collect();
        // `ins'2` calls itself 1,213 and 2,124 times, and calloc for 79,002.
        assert!(
            calls
                .iter()
                .any(|line| line.contains("calloc") && line.contains("79,002")),
            "{calls:#?}"
        );
        let recursive: Vec<_> = calls.iter().filter(|line| line.contains("ins'2")).collect();
        assert_eq!(
            recursive.len(),
            if screen == "a" { 2 } else { 1 },
            "{calls:#?}"
        );
        assert!(
            recursive
                .iter()
                .all(|line| !line.contains('%') && line.contains("recursi")),
            "{calls:#?}"
        );
    }
    let gone = walk.press(&["0"]).screen((120, 24));
    assert!(
        gone.iter().all(|line| !line.contains("cgannotate diff")),
        "{gone:#?}"
    );
}

/// From a line to its dearest instruction, and from there to the line.
#[test]
fn source_and_instructions_lead_to_each_other() {
    let data = explored();
    let mut walk = Walk::new(&data, JUMPS, (100, 30));
    let row = own(&walk)[0].0;
    go_to(&mut walk, row);
    walk.press(&["v"]);
    let line = walk
        .screen((100, 30))
        .into_iter()
        .find(|line| line.starts_with('>'))
        .unwrap();
    walk.press(&["a"]);
    let Screen::Instructions(id) = walk.model.spot.left.screen else {
        panic!("{:?}", walk.model.spot)
    };
    walk.press(&["v"]);
    assert_eq!(walk.model.spot.left.screen, Screen::Source(id));
    assert_eq!(
        walk.screen((100, 30))
            .into_iter()
            .find(|line| line.starts_with('>'))
            .unwrap(),
        line
    );
    // From the hottest instruction, too, which is of another line.
    walk.press(&["1", "a"]);
    let hottest = walk.model.spot.left.row;
    walk.press(&["Enter"]);
    assert_eq!(walk.model.kind(), Kind::Source);
    walk.press(&["["]);
    assert_eq!(
        (walk.model.kind(), walk.model.spot.left.row),
        (Kind::Instructions, hottest)
    );
}

/// Why there are no instructions stands in the screen and is said; through a lens nothing is shown,
/// and that is said too.
#[test]
fn what_is_not_known_of_instructions_is_said() {
    let data = lenses("shapes/shapes.plain.out");
    let mut walk = Walk::new(&data, "shapes/shapes.plain.out", (100, 24));
    walk.press(&["a"]);
    let screen = walk.screen((100, 24)).join("\n");
    assert!(
        screen.contains("record it with --dump-instr=yes"),
        "{screen}"
    );
    let data = explored();
    let mut walk = Walk::new(&data, JUMPS, (100, 24));
    walk.press(&["a"]);
    let screen = walk.screen((100, 24));
    assert!(
        screen[22].starts_with("no instructions: /opt/conf/bin/phases"),
        "{screen:#?}"
    );
    walk.press(&["f"]);
    assert!(
        walk.screen((100, 24))[2].contains("o or f leads back"),
        "{:#?}",
        walk.screen((100, 24))
    );
    walk.press(&["f"]);
    assert!(walk.model.rows() > 3);
}
