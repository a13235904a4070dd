//! What reports show of inlined functions.

use super::recorded::{alone, cpp, has, sort, words};
use crate::common::amount::{at_least, is_long, some};
use crate::common::{Stage, fixture, profiles};
use serde_json::Value;
use std::collections::BTreeMap;

fn count(value: &Value) -> i64 {
    value[0].as_i64().unwrap()
}

/// Self costs of functions by what `--inlined` says of them, which must be what the profile says.
fn assert_sums(document: &Value, what: &str) {
    let mut sums: BTreeMap<usize, i64> = BTreeMap::new();
    for one in document["inlined"].as_array().unwrap() {
        *sums
            .entry(one["function"].as_u64().unwrap() as usize)
            .or_default() += count(&one["self"]);
    }
    for (at, function) in document["functions"].as_array().unwrap().iter().enumerate() {
        assert_eq!(
            sums.get(&at).copied().unwrap_or(0),
            count(&function["self"]),
            "{what}: {function}"
        );
    }
}

#[test]
fn inlined_functions_add_up_to_what_was_recorded() {
    if !["g++", "rustc", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    sort(&stage);
    words(&stage);
    if !is_long() {
        // The debug information of the libraries is that of the first program.
        alone(&stage, "words.out", "words.out");
    }
    for (name, inlined) in [("sort", "weight"), ("words", "words::words")] {
        let out = format!("{name}.out");
        let document = stage.json(&["--inlined", "--by=instr", &out]);
        assert_sums(&document, name);
        let chains = document["inlined"].as_array().unwrap();
        let frames = chains
            .iter()
            .flat_map(|one| one["chain"].as_array().unwrap());
        assert!(
            frames.clone().any(|frame| frame["name"] == inlined),
            "{name}"
        );
        let own = document["debug"].as_array().unwrap().iter();
        let mut own = own.filter(|debug| {
            debug["object"]
                .as_str()
                .unwrap()
                .ends_with(&format!("/{name}"))
        });
        assert_eq!(own.next().unwrap()["state"], "used");
        let total: i64 = document["instructions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| count(&one["self"]))
            .sum();
        assert_eq!(total, count(&document["totals"]), "{name}");
        assert!(
            document["jumps"]
                .as_array()
                .unwrap()
                .iter()
                .any(|jump| jump["executed"].is_u64())
        );
        // The list: self costs and the rest are the totals, and a function is once in it, called or
        // inlined.
        let csv = stage.report(&["--inlined", "--format=csv", &out]);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let headers: Vec<String> = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        assert_eq!(
            headers,
            [
                "Ir",
                "Ir with inlined",
                "Ir inclusive",
                "places",
                "called",
                "function",
                "file"
            ]
        );
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let number = |row: &csv::StringRecord, at: usize| row[at].parse::<i64>().unwrap_or(0);
        let listed: Vec<_> = rows.iter().filter(|row| &row[5] != "(total)").collect();
        assert_eq!(
            listed.iter().map(|row| number(row, 0)).sum::<i64>(),
            total,
            "{name}"
        );
        for row in listed.iter().filter(|row| !row[1].is_empty()) {
            assert!(
                number(row, 0) <= number(row, 1) && number(row, 1) <= number(row, 2),
                "{row:?}"
            );
        }
        let row = listed.iter().find(|row| &row[5] == inlined).unwrap();
        assert!(number(row, 3) > 0, "{row:?}");
    }
    // What is inlined into a function, with its own code, is its self cost.
    let zoom = stage.report(&["--inlined", "--auto=no", "--zoom=^main$", "sort.out"]);
    let tree = zoom.split("inlined code").nth(1).unwrap();
    let cost = |line: &str| {
        let digits: String = line
            .chars()
            .take_while(|&c| c != '(')
            .filter(char::is_ascii_digit)
            .collect();
        digits.parse::<i64>().unwrap_or_else(|_| panic!("{line}"))
    };
    let top = tree
        .lines()
        .filter(|line| line.contains(")  *  ") || line.contains(")  + "));
    let own = zoom
        .lines()
        .find(|line| line.ends_with("self: the function itself"))
        .unwrap();
    assert_eq!(top.map(cost).sum::<i64>(), cost(own), "{tree}");
    assert!(
        tree.contains(" › "),
        "what only leads on stands in one line: {tree}"
    );
    // A function that was never called has every place it is inlined at.
    let places = stage.report(&["--inlined", "--zoom=^weight$", "sort.out"]);
    assert!(
        places.contains("Inlined function: sort.cpp:weight"),
        "{places}"
    );
    assert!(places.contains("sort.cpp:14 › weight"), "{places}");
    // The source is that of this function alone.
    let annotated: Vec<&str> = places
        .lines()
        .filter(|line| line.starts_with("-- Auto-annotated source: "))
        .collect();
    assert_eq!(
        annotated,
        ["-- Auto-annotated source: sort.cpp"],
        "{places}"
    );
    let all = places
        .lines()
        .find(|line| line.ends_with("its code, and what is inlined into it"))
        .unwrap();
    let each = places.lines().filter(|line| line.contains(")  < "));
    assert_eq!(each.map(cost).sum::<i64>(), cost(all), "{places}");
    // A line of source has below it what was inlined there.
    let source = stage.report(&["--inlined", "--zoom=^main$", "sort.out"]);
    let lines: Vec<&str> = source.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("counts[i.key % 17] += weight(i);"))
        .unwrap();
    let below = &lines[at + 1..at + 6];
    assert!(
        below
            .iter()
            .any(|line| line.contains(" ~> std::map<int, int")),
        "{below:?}"
    );
}

#[test]
fn what_is_not_known_is_said() {
    let stage = Stage::of("shapes");
    for file in ["shapes.plain.out", "shapes.instr-jumps.out"] {
        alone(&stage, file, file);
    }
    let plain = stage.report(&["--inlined", "--auto=no", "shapes.plain.out"]);
    assert!(plain.contains("record it with --dump-instr=yes"), "{plain}");
    let instructions = stage.report(&["--inlined", "--auto=no", "shapes.instr-jumps.out"]);
    assert!(
        instructions
            .contains("it was not found (`--map OLD=NEW` or `--debug-dir` says where it is)"),
        "{instructions}"
    );
    let document = stage.json(&["--inlined", "shapes.instr-jumps.out"]);
    assert_sums(&document, "shapes");
    let plain = stage.json(&["shapes.instr-jumps.out"]);
    for key in [
        "inlined",
        "debug",
        "instructions",
        "call_instructions",
        "jumps",
    ] {
        assert!(plain.get(key).is_none(), "{key} was not asked for");
    }
}

/// Whatever is known of chains, self costs by chain are what each function of a profile costs.
#[test]
fn inlined_functions_of_every_profile_add_up() {
    let stage = Stage::empty();
    let mut seen = 0;
    let has_addresses = |name: &String| {
        let bytes = std::fs::read(fixture(name)).unwrap();
        bytes
            .split(|&b| b == b'\n')
            .any(|line| line.starts_with(b"positions: instr"))
    };
    for name in some(profiles()).into_iter().filter(has_addresses) {
        let document = stage.json(&["--inlined", &fixture(&name)]);
        if document
            .get("inlined")
            .is_some_and(|inlined| !inlined.as_array().unwrap().is_empty())
        {
            assert_sums(&document, &name);
            seen += 1;
        }
    }
    assert!(seen > at_least(5), "{seen}");
}

#[test]
fn inlined_functions_are_frames_of_exported_stacks() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    sort(&stage);
    let convert = |args: &[&str], to: &str| {
        let args = [&["convert", "sort.out", "-o", to][..], args].concat();
        assert!(stage.run(&args).status.success(), "{args:?}");
        std::fs::read(stage.dir.join(to)).unwrap()
    };
    // By stack, what it costs; of functions that are inlined, only the innermost that was called
    // counts.
    let folded = |args: &[&str]| -> Vec<(Vec<String>, i64)> {
        let text = String::from_utf8(convert(
            &[&["--to=folded", "--min=0"], args].concat(),
            "folded",
        ))
        .unwrap();
        let line = |line: &str| {
            let (stack, cost) = line.rsplit_once(' ').unwrap();
            (
                stack.split(';').map(str::to_owned).collect(),
                cost.parse().unwrap(),
            )
        };
        text.lines().map(line).collect()
    };
    let (plain, inlined) = (folded(&[]), folded(&["--inlined"]));
    let sum = |all: &[(Vec<String>, i64)]| all.iter().map(|one| one.1).sum::<i64>();
    assert_eq!(sum(&plain), sum(&inlined));
    let named = |name: &str| {
        inlined
            .iter()
            .filter(|(stack, _)| stack.iter().any(|frame| frame == name))
            .count()
    };
    assert!(
        named("weight(Item const&)") + named("weight") > 0 && plain.len() < inlined.len(),
        "{inlined:?}"
    );
    // What each stack of called functions costs is what it cost before, with what is inlined at its
    // end.
    for (stack, cost) in plain.iter().filter(|one| one.0.last().unwrap() == "main") {
        let called = |stack: &[String]| plain.iter().any(|one| one.0.starts_with(stack));
        let end = |(other, _): &&(Vec<String>, i64)| {
            let frames = (0..=other.len())
                .rev()
                .find(|&at| called(&other[..at]))
                .unwrap();
            other[..frames] == stack[..]
        };
        assert_eq!(
            inlined.iter().filter(end).map(|one| one.1).sum::<i64>(),
            *cost,
            "{stack:?}"
        );
    }
    let scope: Value =
        serde_json::from_slice(&convert(&["--to=speedscope", "--inlined"], "scope")).unwrap();
    let before: Value = serde_json::from_slice(&convert(&["--to=speedscope"], "scope")).unwrap();
    assert_eq!(
        scope["profiles"][0]["endValue"],
        before["profiles"][0]["endValue"]
    );
    let frames = |scope: &Value| scope["shared"]["frames"].as_array().unwrap().len();
    assert!(frames(&scope) > frames(&before) + 10);
    // Every frame that opens closes, in order of time.
    let mut open = Vec::new();
    let mut last = 0;
    for event in scope["profiles"][0]["events"].as_array().unwrap() {
        let at = event["at"].as_i64().unwrap();
        assert!(at >= last);
        last = at;
        match event["type"].as_str().unwrap() {
            "O" => open.push(event["frame"].clone()),
            _ => assert_eq!(open.pop().as_ref(), Some(&event["frame"])),
        }
    }
    assert!(open.is_empty());
    let mut text = Vec::new();
    let bytes = convert(&["--to=pprof", "--inlined"], "pprof");
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text).unwrap();
    assert!(text.windows(6).any(|word| word == b"weight"));
    for args in [
        &["--to=dot", "--inlined"][..],
        &["--to=folded", "--inlined", "--function=main"],
        &["--to=folded", "--debug-dir=x"],
    ] {
        let out = stage.run(&[&["convert", "sort.out", "-o", "x"], args].concat());
        assert_eq!(out.status.code(), Some(2), "{args:?}");
    }
}

/// `walk` calls itself through two functions that are inlined into it, and `fib` is inlined into
/// itself. What they call is within what is around them, and counts once.
#[test]
fn inlined_recursion_is_counted_once() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    const TEXT: &str = "#include <vector>\n\
        struct Node { std::vector<Node *> below; long value; };\n\
        template <class F> static inline void each(Node *node, F f) { for (Node *one : node->below) { f(one); one->value += 3; } }\n\
        __attribute__((noinline)) static void walk(Node *node, long *sum) { *sum += node->value; each(node, [&](Node *one) { walk(one, sum); }); }\n\
        static Node *tree(int depth) { Node *node = new Node; node->value = depth; if (depth) for (int i = 0; i < 3; i++) node->below.push_back(tree(depth - 1)); return node; }\n\
        __attribute__((noinline)) static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
        int main() { Node *root = tree(5); long sum = 0; for (int i = 0; i < 9; i++) walk(root, &sum); return sum + fib(17) == 7; }\n";
    let stage = Stage::empty();
    cpp(&stage, "deep", TEXT, &["-g", "-O2"]);
    let args = [
        "--tool=callgrind",
        "--dump-instr=yes",
        "--separate-recs=2",
        "--callgrind-out-file=deep.out",
        "./deep",
    ];
    assert!(
        stage
            .any("valgrind", &args)
            .output()
            .unwrap()
            .status
            .success()
    );
    alone(&stage, "deep.out", "deep.out");
    let called = stage.report(&["--inclusive=yes", "--format=csv", "deep.out"]);
    let csv = stage.report(&["--inlined", "--format=csv", "deep.out"]);
    let inclusive = |text: &str, column: &str, name: &str| -> i64 {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let at = |wanted: &str| headers.iter().position(|header| header == wanted).unwrap();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        // What is a template or in a function is named by how it begins.
        let is_it =
            |found: &str| found == name || name.ends_with(['<', ':']) && found.starts_with(name);
        let row = rows
            .iter()
            .find(|row| is_it(&row[at("function")]))
            .unwrap_or_else(|| panic!("{name}: {text}"));
        row[at(column)].parse().unwrap()
    };
    for function in ["walk(Node*, long*)", "fib(int)", "main"] {
        let recorded = inclusive(&called, "Ir inclusive", function);
        assert_eq!(
            inclusive(&csv, "Ir inclusive", function),
            recorded,
            "{function}: {csv}"
        );
    }
    let walk = inclusive(&csv, "Ir inclusive", "walk(Node*, long*)");
    for function in ["each<", "walk::"] {
        let inlined = inclusive(&csv, "Ir inclusive", function);
        assert!(
            walk / 2 < inlined && inlined <= walk,
            "{function}: {inlined} of {walk}: {csv}"
        );
    }
}
