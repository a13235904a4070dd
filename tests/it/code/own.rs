//! Own cost where it is known what was inlined: each unit belongs to the innermost own frame,
//! inlined ones, too.

use super::recorded::{FLAT, FLAT_OPTIONS, alone, cpp, flat, flat_alone, has, record, sort, words};
use crate::annotate::first_screen::{on_screen, plain};
use crate::common::Stage;
use crate::common::amount::{is_long, ways};
use crate::explore::{self, Walk};
use cgannotate::input::{self, Options};
use cgannotate::object::{self, Where};
use cgannotate::profile::{Collect, FunctionId};
use cgannotate::view::next::Again;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub type Costs = BTreeMap<(String, u64), i64>;

/// Costs by function and line of a table, and the sum of all its rows but that of the totals.
pub fn lines(csv: &str) -> (Costs, i64) {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let (mut costs, mut sum) = (Costs::new(), 0);
    for row in reader
        .records()
        .map(Result::unwrap)
        .filter(|row| &row[1] != "(total)")
    {
        let cost: i64 = row[0].parse().unwrap();
        sum += cost;
        *costs
            .entry((row[3].to_owned(), row[2].parse().unwrap_or(0)))
            .or_default() += cost;
    }
    (costs, sum)
}

/// Each function of a table costs what its lines do. Gives the sum of all functions.
pub fn functions_cost_what_their_lines_do(csv: &str, by_line: &Costs) -> i64 {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let mut sum = 0;
    for row in reader
        .records()
        .map(Result::unwrap)
        .filter(|row| &row[1] != "(total)")
    {
        let cost: i64 = row[0].parse().unwrap();
        sum += cost;
        let lines = by_line
            .iter()
            .filter(|((function, _), _)| *function == row[4])
            .map(|(_, cost)| cost);
        assert!(
            row[6].is_empty() || cost == lines.sum::<i64>(),
            "{row:?} {by_line:?}"
        );
    }
    sum
}

pub fn count(value: &Value) -> i64 {
    value[0].as_i64().unwrap()
}

/// Own costs of a document by function and line. Functions and what is not under own code add up
/// to the totals.
pub fn of_document(json: &Value) -> Costs {
    let functions = json["functions"].as_array().unwrap();
    let value = |one: &Value| one["own_cost"][0]["value"].as_i64().unwrap_or(0);
    let sum: i64 = functions.iter().map(value).sum();
    assert_eq!(sum + count(&json["not_under_own"]), count(&json["totals"]));
    let mut by_line = Costs::new();
    for line in json["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| value(line) > 0)
    {
        let name = functions[line["function"].as_u64().unwrap() as usize]["name"]
            .as_str()
            .unwrap();
        *by_line
            .entry((name.to_owned(), line["line"].as_u64().unwrap_or(0)))
            .or_default() += value(line);
    }
    by_line
}

/// What chains alone say: of `main`, whose code calls nothing, each instruction belongs to its
/// innermost own frame.
#[test]
fn own_lines_cost_what_was_inlined_from_them() {
    let Some(stage) = flat_alone() else { return };
    if is_long() {
        // With the libraries, too.
        flat(&stage);
    }
    let json = stage.json(&["--inlined", "flat.out"]);
    let functions = json["functions"].as_array().unwrap();
    let main = functions
        .iter()
        .position(|f| f["name"] == "main" && f["file"].as_str().unwrap().ends_with("flat.cpp"));
    let main = main.unwrap();
    // Closures of C++ have no file.
    let is_own = |file: &Value| {
        ["flat.cpp", "???"]
            .iter()
            .any(|own| file.as_str().unwrap().ends_with(own))
    };
    // Code of an own frame has a line of its file; code of a foreign one belongs to where the own
    // frame calls it.
    let mut want = BTreeMap::<u64, i64>::new();
    for line in json["lines"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|l| l["function"] == main && is_own(&l["file"]))
    {
        *want.entry(line["line"].as_u64().unwrap()).or_default() += count(&line["self"]);
    }
    for one in json["inlined"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["function"] == main)
    {
        let chain = one["chain"].as_array().unwrap();
        let inside = chain
            .iter()
            .rposition(|frame| is_own(&frame["file"]))
            .map_or(0, |at| at + 1);
        if let Some(frame) = chain.get(inside) {
            *want.entry(frame["line"].as_u64().unwrap()).or_default() += count(&one["self"]);
        }
    }
    let csv = stage.report(&[
        "--own",
        "--inlined",
        "--by=line",
        "--format=csv",
        "flat.out",
    ]);
    let mut have = BTreeMap::<u64, i64>::new();
    for ((function, line), cost) in lines(&csv).0 {
        assert!(!function.is_empty(), "{csv}");
        *have.entry(line).or_default() += cost;
    }
    let total = count(&json["totals"]);
    let hot = |line: u64| have.get(&line).copied().unwrap_or(0);
    assert!(
        hot(7) > 1000 && hot(10) > 20_000 && hot(11) > 20_000 && hot(4) > 20_000,
        "{have:?}"
    );
    want.retain(|_, cost| *cost > 0);
    have.retain(|line, cost| want.contains_key(line) && *cost > 0);
    assert_eq!(have, want);
    // The functions that were only inlined are rows, and rows add up to the totals.
    let csv = stage.report(&["--own", "--inlined", "--format=csv", "flat.out"]);
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
            "Ir inclusive",
            "calls",
            "Ir per call",
            "function",
            "file",
            "object",
            "least",
            "most",
            "places"
        ]
    );
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let row = |name: &str| {
        rows.iter()
            .find(|row| &row[4] == name)
            .unwrap_or_else(|| panic!("{name}: {csv}"))
    };
    assert!(
        row("weight")[9].parse::<u64>().unwrap() > 0 && &row("main")[9] == "0",
        "{csv}"
    );
    let sum: i64 = rows
        .iter()
        .filter(|row| &row[1] != "(total)")
        .map(|row| row[0].parse::<i64>().unwrap())
        .sum();
    assert_eq!(sum, total, "{csv}");
    let text = stage.report(&["--own", "--inlined", "--auto=no", "flat.out"]);
    assert!(text.contains("flat.cpp:weight (inlined)"), "{text}");
    // It can be asked for by name.
    for options in [&["--own", "--inlined"][..], &["--inlined"]] {
        let one = stage.report(
            &[
                options,
                &["--format=csv", "--function=^weight$", "flat.out"],
            ]
            .concat(),
        );
        assert_eq!(
            one.lines().filter(|line| line.contains("weight")).count(),
            1,
            "{one}"
        );
    }
    // Under a line stand the library functions that it is, and beside it what it calls of own ones.
    let text = stage.report(&["--own", "--inlined", "flat.out"]);
    let at = text
        .lines()
        .skip_while(|line| !line.contains("sum += std::accumulate"))
        .take(4)
        .collect::<Vec<_>>();
    assert!(
        at[1].contains("  below: ") && at[1].ends_with("in 1 library function"),
        "{at:?}"
    );
    assert!(
        at[2].contains(" ~> ") && at[2].contains("accumulate"),
        "{at:?}"
    );
    assert!(
        at[3].ends_with(" (inlined)") && at[3].contains(" => "),
        "{at:?}"
    );
}

#[test]
fn own_rows_and_lines_add_up_to_the_totals() {
    if !["g++", "rustc", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    sort(&stage);
    words(&stage);
    for (at, (name, inlined, line)) in [("sort", "weight", 8), ("words", "words::words", 4)]
        .into_iter()
        .enumerate()
    {
        let (whole, out) = (format!("{name}.out"), format!("{name}.alone.out"));
        alone(&stage, &whole, &out);
        let json = stage.json(&[&out]);
        let total = count(&json["totals"]);
        let report = |options: &[&str]| {
            stage.report(&[options, &["--inlined", "--format=csv", &out][..]].concat())
        };
        let (by_line, sum) = lines(&report(&["--own", "--by=line"]));
        assert_eq!(sum, total, "{name}");
        assert!(
            by_line[&(inlined.to_owned(), line)] > 10_000,
            "{name}: {by_line:?}"
        );
        // What is inlined in libraries, and that it is known, changes nothing of what is own.
        if is_long() {
            let known = stage.report(&["--own", "--by=line", "--inlined", "--format=csv", &whole]);
            assert_eq!(lines(&known), (by_line.clone(), sum), "{name}");
        }
        // What a function costs is what its lines cost, an inlined one's, too.
        functions_cost_what_their_lines_do(&report(&["--own"]), &by_line);
        // Nothing is lost whatever is folded; what is called inclusive of main holds what is
        // inlined into it.
        let sets = [
            "--fold=include",
            "--fold=.",
            "--own-code=main",
            "--fold=libc",
        ];
        for set in ways(at, &sets) {
            assert_eq!(lines(&report(&[set, "--by=line"])).1, total, "{name} {set}");
        }
        let zoom = stage.report(&[
            "--own",
            "--inlined",
            "--auto=no",
            &format!("--zoom=^{inlined}$"),
            &out,
        ]);
        assert!(zoom.contains("main (inlined)"), "{zoom}");
        let page = format!("{name}.html");
        stage.report(&["--own", "--inlined", "--format=html", "-o", &page, &out]);
    }
}

/// Without addresses a line of a function belongs to the inlined function that has all of its code
/// there. Of `main` in the program above that is right for all but the line of the closure, at
/// which both have code.
#[test]
fn lines_tell_what_was_inlined_where_there_are_no_addresses() {
    if !["g++", "valgrind", "strip"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    flat(&stage);
    let plain = [
        "--tool=callgrind",
        "--callgrind-out-file=plain.out",
        "./flat",
    ];
    assert!(
        stage
            .any("valgrind", &plain)
            .output()
            .unwrap()
            .status
            .success()
    );
    alone(&stage, "flat.out", "flat.out");
    alone(&stage, "plain.out", "plain.out");
    let rows = |file: &str| -> BTreeMap<String, Vec<String>> {
        let csv = stage.report(&["--inlined", "--format=csv", file]);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let rows = reader
            .records()
            .map(Result::unwrap)
            .filter(|row| &row[5] != "(total)");
        rows.map(|row| (row[5].to_owned(), row.iter().map(str::to_owned).collect()))
            .collect()
    };
    let (chains, by_line) = (rows("flat.out"), rows("plain.out"));
    let cost =
        |rows: &BTreeMap<String, Vec<String>>, name: &str| rows[name][0].parse::<i64>().unwrap();
    let mut seen = 0;
    for (name, row) in by_line
        .iter()
        .filter(|(_, row)| row[6].contains("/c++/") || row[6].ends_with("flat.cpp"))
    {
        assert_eq!(row[1..4], ["", "", ""], "{name}: no more is known");
        assert!(cost(&by_line, name) <= cost(&chains, name), "{name}");
        seen += usize::from(cost(&by_line, name) == cost(&chains, name));
    }
    assert!(
        seen >= 4 && cost(&by_line, "weight") == 260_000,
        "{by_line:?}"
    );
    let several = cost(&by_line, "(lines with code of several inlined functions)");
    // The closure costs 40,000; some lines of the C library are of several functions, too.
    assert!((40_000..45_000).contains(&several), "{several}");
    let json = stage.json(&["plain.out"]);
    let sum: i64 = by_line.keys().map(|name| cost(&by_line, name)).sum();
    assert!(
        sum <= count(&json["totals"]),
        "{sum}: some rows can have one name"
    );
    let text = stage.report(&["--inlined", "--auto=no", "plain.out"]);
    assert!(
        text.contains("flat.cpp:weight (inlined)") && !text.contains("places"),
        "{text}"
    );
    assert!(
        text.contains("\ninlined functions are known only by line: "),
        "{text}"
    );
    std::fs::create_dir(stage.dir.join("whole")).unwrap();
    std::fs::copy(stage.dir.join("flat"), stage.dir.join("whole/flat")).unwrap();
    // Another program, and one that was stripped, say nothing.
    cpp(
        &stage,
        "flat",
        &FLAT.replace("int main", "\n\n\n\nint main"),
        &["-g", "-O2"],
    );
    let text = stage.report(&["--inlined", "--auto=no", "plain.out"]);
    assert!(
        text.contains("/flat: it is not the binary that ran: ") && !text.contains("weight"),
        "{text}"
    );
    assert!(
        stage
            .any("strip", &["flat"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let text = stage.report(&["--inlined", "--auto=no", "plain.out"]);
    assert!(
        text.contains("/flat: no debug information was found\n"),
        "{text}"
    );
    // Nor does that one hide the whole one.
    let text = stage.report(&["--inlined", "--auto=no", "--debug-dir=whole", "plain.out"]);
    assert!(text.contains("flat.cpp:weight (inlined)"), "{text}");
}

/// Own costs of JSON by function and line: those of the lists, and what is inlined is there, too.
#[test]
fn documents_have_own_functions_that_were_inlined() {
    let Some(stage) = flat_alone() else { return };
    let json = stage.json(&["--own", "--inlined", "flat.out"]);
    let functions = json["functions"].as_array().unwrap();
    let value = |one: &Value| one["own_cost"][0]["value"].as_i64().unwrap_or(0);
    let by_line = of_document(&json);
    let weight = functions
        .iter()
        .find(|function| function["name"] == "weight")
        .unwrap();
    assert_eq!(
        (value(weight), count(&weight["self"]), &weight["called"]),
        (260_000, 0, &Value::from(0))
    );
    assert!(weight["places"].as_u64().unwrap() > 0, "{weight}");
    // What a line paid for is part of its own cost. Nobody counts what is inlined.
    let mut inlined = 0;
    for line in json["lines"].as_array().unwrap() {
        let library = line["library"].as_array().map_or(&[][..], Vec::as_slice);
        let cost: i64 = library.iter().map(|one| count(&one["cost"])).sum();
        assert!(cost <= value(line), "{line}");
        for one in library {
            let is_inlined = one["object"] == "";
            assert_eq!(one["calls"].is_null(), is_inlined, "{line}");
            inlined += usize::from(is_inlined);
        }
    }
    assert!(inlined > 0);
    // What was recorded is as it was.
    let plain = stage.json(&["--inlined", "flat.out"]);
    let recorded = plain["functions"].as_array().unwrap();
    assert!(recorded.len() < functions.len());
    for (before, now) in recorded.iter().zip(functions) {
        assert_eq!(
            (&before["name"], &before["self"]),
            (&now["name"], &now["self"])
        );
    }
    assert_eq!(
        (&plain["inlined"], &plain["calls"]),
        (&json["inlined"], &json["calls"])
    );
    let (mut listed, _) = lines(&stage.report(&[
        "--own",
        "--inlined",
        "--by=line",
        "--format=csv",
        "flat.out",
    ]));
    listed
        .retain(|(name, _), cost| *cost > 0 && name != "(not under your code)" && !name.is_empty());
    assert_eq!(by_line, listed);
    // With code folded alone, too.
    let folded = stage.json(&["--fold=include", "--inlined", "flat.out"]);
    assert!(
        folded["functions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|function| function["name"] == "weight")
    );
}

/// Pages say whose cost they show, mark inlined functions, and give no count of calls that nobody
/// counted.
#[test]
fn pages_mark_own_functions_that_were_inlined() {
    let Some(stage) = flat_alone() else { return };
    let page = |options: &[&str]| {
        stage.report(&[options, &["--format=html", "--auto=no", "flat.out"]].concat())
    };
    for (options, words) in [
        (
            &["--own", "--inlined"][..],
            " (your code with inlined functions)",
        ),
        (&["--own"], " (your code with inlined functions)"),
        (&[], ""),
    ] {
        let text = page(options);
        let data = crate::page::data(&text);
        assert!(
            text.contains(&format!("<h1>cgannotate{words}: ./flat")),
            "{options:?}"
        );
        assert_eq!(data.about()["own_code"], words);
        let details = data.about()["details"].to_string();
        assert_eq!(
            details.contains("Whose cost: your code is "),
            !words.is_empty(),
            "{details}"
        );
        let names = data.texts("names");
        let reach: BTreeMap<&str, usize> = data
            .sizes("f.name")
            .iter()
            .map(|&at| &*names[at])
            .zip(data.sizes("f.reach"))
            .collect();
        let is_inlined = options.contains(&"--own");
        assert_eq!(reach.get("weight"), is_inlined.then_some(&1), "{options:?}");
        assert_eq!(reach["main"], 0);
        assert_eq!(
            text.contains("<td>not counted</td><th scope=\"row\">weight (inlined)</th>"),
            is_inlined
        );
    }
    let out = stage.run(&["--inlined", "--format=html", "flat.out"]);
    assert!(
        String::from_utf8(out.stderr)
            .unwrap()
            .contains("--inlined without --own is a separate list")
    );
    let Some(mut browser) = crate::page::Browser::start(1280, 800) else {
        return;
    };
    let file = stage.dir.join("page.html");
    std::fs::write(&file, page(&["--own", "--inlined"])).unwrap();
    browser.open(&file, "#f=weight");
    let row = "[...document.querySelectorAll('#functions .row')].find((row) => row.textContent.includes('weight')).textContent";
    let row = browser.text(row);
    assert!(row.contains("not countedweight (inlined)"), "{row}");
    let function = browser.text("document.querySelector('#function').textContent");
    assert!(
        function.starts_with("weight (inlined)") && function.contains("calls: not counted"),
        "{function}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());

    std::fs::copy(stage.dir.join("flat.out"), stage.dir.join("old.out")).unwrap();
    let text = std::fs::read_to_string(stage.dir.join("flat.out")).unwrap();
    let (line, cost) = text
        .lines()
        .find_map(|line| line.split_once(" 4 ").map(|(_, cost)| (line, cost)))
        .unwrap();
    let twice = line.replace(
        &format!(" 4 {cost}"),
        &format!(" 4 {}", cost.parse::<u64>().unwrap() * 100),
    );
    stage.write("new.out", text.replacen(line, &twice, 1));
    let data = crate::page::data(&stage.report(&[
        "diff",
        "--own",
        "--inlined",
        "--format=html",
        "old.out",
        "new.out",
    ]));
    assert_eq!(
        data.about()["own_code"],
        " (your code with inlined functions)"
    );
    let at = data
        .sizes("r.name")
        .iter()
        .position(|&at| data.texts("names")[at] == "weight")
        .unwrap();
    assert_eq!(data.sizes("r.reach")[at], 1);
    assert!(data.is_unknown("r.calls.old", at) && data.is_unknown("r.calls.new", at));
}

#[test]
fn other_formats_have_own_functions_that_were_inlined() {
    let Some(stage) = flat_alone() else { return };
    let convert =
        |to: &str| stage.report(&["convert", "--own", "--inlined", "--to", to, "flat.out"]);
    let stacks = convert("folded");
    let weight = stacks.lines().find(|line| line.ends_with(";weight 260000"));
    assert!(
        weight.is_some_and(|stack| stack.contains("main;")),
        "{stacks}"
    );
    assert!(convert("dot").contains("weight"));
    stage.write("own.out", convert("callgrind"));
    let again = stage.report(&["--auto=no", "own.out"]);
    assert!(
        again.contains("260,000") && again.contains("flat.cpp:weight ["),
        "{again}"
    );
    let out = stage.run(&["convert", "--inlined", "--to=dot", "flat.out"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .contains("--inlined is for flamegraph, folded, speedscope and pprof, and with")
    );
}

/// Two builds of one program: which of them ran is told by the content, wherever they are now.
#[test]
fn comparisons_and_limits_know_own_functions_that_were_inlined() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    flat(&stage);
    alone(&stage, "flat.out", "old.out");
    std::fs::create_dir(stage.dir.join("old")).unwrap();
    std::fs::rename(stage.dir.join("flat"), stage.dir.join("old/flat")).unwrap();
    cpp(
        &stage,
        "flat",
        &FLAT.replace("x % 7 + 1", "x % 7 * (x % 11) + 1"),
        &FLAT_OPTIONS,
    );
    alone(
        &stage,
        record(&stage, "flat")
            .file_name()
            .unwrap()
            .to_str()
            .unwrap(),
        "new.out",
    );
    let diff = |more: &[&str]| {
        let out = stage.run(
            &[
                &[
                    "diff",
                    "--own",
                    "--inlined",
                    "--format=csv",
                    "old.out",
                    "new.out",
                ],
                more,
            ]
            .concat(),
        );
        assert!(out.status.success());
        (
            String::from_utf8(out.stdout).unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let (both, said) = diff(&["--debug-dir=old"]);
    let row = both
        .lines()
        .find(|line| line.contains("weight"))
        .unwrap_or_else(|| panic!("{both}{said}"));
    assert!(row.contains("260000"), "{row}");
    assert!(!said.contains("not known"), "{said}");
    let (lines, _) = diff(&["--debug-dir=old", "--by=line"]);
    assert!(
        lines
            .lines()
            .any(|line| line.contains("weight") && line.contains(",4,")),
        "{lines}"
    );
    // Known of one of them is as good as not known.
    let (one, said) = diff(&[]);
    assert!(!one.contains("weight"), "{one}");
    assert!(
        said.contains("inlined functions of the old run are not known"),
        "{said}"
    );
    assert!(said.contains("it is not the binary that ran"), "{said}");

    let own = ["--own-code=/flat", "--debug-dir=old"];
    let check = |more: &[&str]| {
        let out = stage.run(&[&["check"], more].concat());
        (
            out.status.code().unwrap(),
            String::from_utf8(out.stderr).unwrap(),
        )
    };
    let judge = |limit: &str, more: &[&str]| {
        check(&[&["old.out", "--inlined", "--limit", limit], &own[..], more].concat())
    };
    assert_eq!(judge("own.Ir(weight) <= 260k", &[]).0, 0);
    assert_eq!(
        judge("own.Ir(weight) <= 259k", &["--save-baseline=base"]).0,
        3
    );
    assert_eq!(judge("own.Ir(weight) <= +0", &["--baseline=base"]).0, 0);
    assert_eq!(judge("self.Ir(weight) <= +0", &["--baseline=new.out"]).0, 0);
    let zoom = stage.report(&[
        "--own-code=/flat",
        "--inlined",
        "--debug-dir=old",
        "--zoom=weight",
        "old.out",
    ]);
    assert!(
        zoom.contains("\nCalls:            not counted: inlined at 1 place\n"),
        "{zoom}"
    );
    assert!(
        zoom.contains(" own: it and the library code that it calls\n")
            && zoom.contains("%)  *  own\n"),
        "{zoom}"
    );
    // How often inlined code ran was not recorded, which is not the same as never.
    assert_eq!(judge("calls(weight) <= 5", &[]).0, 4);
    assert_eq!(judge("calls(main) <= 1", &[]).0, 0);
    let saved = |limit: &str| check(&["base", "--own-code=/flat", "--inlined", "--limit", limit]).0;
    assert_eq!(
        (
            saved("calls(weight) <= 5"),
            saved("calls(main) <= 1"),
            saved("own.Ir(weight) <= 260k")
        ),
        (4, 0, 0)
    );
    // Without it there is no such function.
    assert_eq!(
        check(&["old.out", "--own-code=/flat", "--limit=own.Ir(weight) <= 1"]).0,
        4
    );
    let (status, said) = check(&[
        "old.out",
        "--own-code=/flat",
        "--limit=total.Ir <= +0",
        "--baseline=base",
    ]);
    assert!(
        status == 1 && said.contains("the baseline was saved with --inlined"),
        "{status} {said}"
    );
    let (status, said) = check(&[
        "old.out",
        "--own-code=/flat",
        "--inlined",
        "--limit=own.Ir(weight) <= 1",
    ]);
    assert!(
        status == 1 && said.contains("old.out: inlined functions are not known: "),
        "{status} {said}"
    );
    assert_eq!(
        check(&["old.out", "--inlined", "--limit=total.Ir <= 1"]).0,
        2
    );
}

/// The lines of a first screen, and what it says of inlined code.
fn hot_lines(stage: &Stage, args: &[&str]) -> (Vec<String>, String) {
    let (screen, success) = on_screen(100, 60, stage.command(args));
    let screen = plain(&screen);
    assert!(success, "{screen}");
    let lines = screen
        .lines()
        .filter(|line| line.contains(") flat.cpp:") && !line.contains("flat.cpp:main"));
    let lines = lines.filter(|line| !line.ends_with("[flat]"));
    let inlined = screen.lines().find(|line| line.starts_with("inlined code"));
    (
        lines.map(str::to_owned).collect(),
        inlined.unwrap_or_default().to_owned(),
    )
}

/// Nobody has to ask for it: at a terminal, a line has what was inlined into it, as with `--own
/// --inlined`.
#[test]
fn the_first_screen_attributes_inlined_code_to_lines() {
    let Some(stage) = flat_alone() else { return };
    let (want, _) = hot_lines(&stage, &["--own", "--inlined", "flat.out"]);
    let (have, said) = hot_lines(&stage, &["flat.out"]);
    assert!(have.len() > 3, "{have:?}");
    assert_eq!(have[..], want[..have.len()]);
    assert!(
        said.starts_with("inlined code: from ") && said.ends_with("flat"),
        "{said}"
    );

    stage.report(&["pack", "flat.out", "-o", "flat.cgpack"]);
    let (packed, said) = hot_lines(&stage, &["flat.cgpack"]);
    assert_eq!(packed, have);
    assert_eq!(said, "inlined code: from the profile");

    std::fs::remove_file(stage.dir.join("flat")).unwrap();
    let (unknown, said) = hot_lines(&stage, &["flat.out"]);
    assert_ne!(unknown, have);
    assert!(
        said.is_empty() || said.starts_with("inlined code: not known; "),
        "{said}"
    );
}

/// With single instructions, reading takes much longer: the first screen has them of profiles of
/// 16 MiB, and says it of larger ones.
#[test]
fn the_first_screen_reads_instructions_of_small_profiles() {
    let Some(stage) = flat_alone() else { return };
    let text = std::fs::read_to_string(stage.dir.join("flat.out")).unwrap();
    for (size, want) in [
        (16 << 20, "inlined code: from "),
        ((16 << 20) + 1, "inlined code: not read"),
    ] {
        let comment = "#".repeat(size - text.len() - 1);
        stage.write("large.out", format!("{text}{comment}\n"));
        let (_, said) = hot_lines(&stage, &["large.out"]);
        assert!(said.starts_with(want), "{size}: {said}");
    }
}

/// `o` twice is `--own --inlined`, and once more is all code again.
#[test]
fn the_explorer_shows_own_functions_that_were_inlined() {
    let Some(stage) = flat_alone() else { return };
    let csv = stage.report(&[
        "--own",
        "--inlined",
        "--format=csv",
        "--threshold=100",
        "flat.out",
    ]);
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let of = rows
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "function");
    let of = of.unwrap();
    let rows = rows.records().map(Result::unwrap);
    let wanted: BTreeSet<(i128, String)> = rows
        .map(|row| (row[0].parse().unwrap_or(0), row[of].to_owned()))
        .filter(|(cost, name)| name != "(total)" && *cost != 0)
        .collect();
    assert!(wanted.iter().any(|(_, name)| name != "main"), "{csv}");

    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    let profile = input::read(&[stage.dir.join("flat.out")], &options).unwrap();
    let mut lenses = explore::whole(profile, Again::default());
    lenses.inliner = Box::new(|profile| object::find_inlined(profile, &Where::default()));
    let mut walk = Walk::new(&lenses, "flat.out", (200, 100));
    let title = |walk: &Walk<'_>| walk.screen((200, 100))[0].clone();
    let all = title(&walk);
    walk.press(&["o", "o"]);
    assert!(
        title(&walk).contains("your code with inlined functions"),
        "{}",
        title(&walk)
    );
    let profile = walk.model.data().profile();
    let name = |id: FunctionId| String::from_utf8_lossy(profile.name(profile.function(id).name));
    let seen: BTreeSet<(i128, String)> = (walk.model.visible().iter())
        .map(|row| (row.numbers[0], name(row.function.unwrap()).into_owned()))
        .collect();
    let missing: Vec<_> = wanted.difference(&seen).collect();
    assert!(missing.is_empty(), "{missing:?} of {wanted:?}");
    walk.press(&["o"]);
    assert_eq!(title(&walk), all);
}

/// The structure that the compiler copies and destroys has no cost: the lines that use it have.
const ITEMS: &str = r#"#include <algorithm>
#include <string>
#include <vector>
struct Item { std::string name; int count; };
static void sorted(std::vector<Item> &items) {
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return a.name < b.name;
  });
}
int main() {
  std::vector<Item> items;
  for (int i = 0; i < 2000; i++)
    items.push_back({"a name that is long " + std::to_string(i * 7919 % 2000), i});
  sorted(items);
  return items[0].count == 7;
}
"#;

#[test]
fn code_that_the_compiler_writes_is_of_the_line_that_uses_it() {
    if !["g++", "valgrind"].iter().all(|tool| has(tool)) {
        return;
    }
    let stage = Stage::empty();
    cpp(&stage, "items", ITEMS, &["-g", "-O2"]);
    record(&stage, "items");
    alone(&stage, "items.out", "items.out");
    let of = |file: &str| {
        let args = ["--own", "--inlined", "--by=line", "--format=csv", file];
        lines(&stage.report(&args)).0
    };
    let costs = of("items.out");
    let at = |line: u64| {
        let all = costs.iter().filter(|((_, of), _)| *of == line);
        all.map(|(_, cost)| *cost).sum::<i64>()
    };
    assert_eq!(at(4), 0, "{costs:?}");
    // The comparison has its own line, and the sort has what moves items.
    assert!(
        at(6) > 10_000 && at(7) > 10_000 && at(13) > 10_000,
        "{costs:?}"
    );
    assert!(
        stage
            .run(&["pack", "items.out", "-o", "items.cgpack"])
            .status
            .success()
    );
    let strip = |costs: Costs| costs.into_iter().map(|((_, line), cost)| (line, cost));
    assert!(strip(of("items.cgpack")).eq(strip(costs)));
}
