//! One question, asked on all surfaces: text, CSV, Markdown, JSON, page and explorer give the same
//! numbers, in the same order, and these add up.

use crate::common::Stage;
use crate::common::amount::ways;
use crate::explore::{Walk, compared, lenses};
use crate::page::{comparison, numbers};
use cgannotate::explore::place::Kind;
use serde_json::Value;
use std::collections::BTreeMap;

/// Name, file and object.
type Key = [String; 3];

/// What a row of each function says.
type Rows = BTreeMap<Key, Vec<i128>>;

/// Profiles with calls, each with its folder: one event and many, libraries, inlined code,
/// recursion, Rust, PHP.
const PROFILES: [&str; 6] = [
    "shapes/shapes.plain.out",
    "cache/matrix.cachebranch.toggle.out",
    "cxx/inventory.out",
    "rust/balls.out",
    "pack/tiny.cgpack",
    "instr/inventory.instr-jumps.out",
];

fn number(text: &str) -> Option<i128> {
    let digits = text.replace(',', "");
    if digits == "." {
        Some(0)
    } else {
        digits.parse().ok()
    }
}

fn count(value: &Value) -> i128 {
    value
        .as_number()
        .map_or(0, |number| number.as_i128().unwrap())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn key(function: &Value) -> Key {
    ["name", "file", "object"].map(|part| text(&function[part]))
}

/// As the text has it.
fn written([name, file, object]: &Key, calls: &str) -> String {
    let file = if file.is_empty() { "???" } else { file };
    let object = if object.is_empty() {
        String::new()
    } else {
        format!(" [{object}]")
    };
    format!("{file}:{name}{calls}{object}")
}

/// Rows of CSV by their headings.
fn csv(text: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(text.as_bytes())
        .into_deserialize()
        .map(Result::unwrap)
        .collect()
}

fn cell(row: &BTreeMap<String, String>, title: &str) -> i128 {
    let cell = row
        .get(title)
        .unwrap_or_else(|| panic!("no {title} in {row:?}"));
    if cell.is_empty() {
        0
    } else {
        number(cell).unwrap_or_else(|| panic!("{title} of {row:?}"))
    }
}

fn key_of(row: &BTreeMap<String, String>) -> Key {
    ["function", "file", "object"].map(|part| row[part].clone())
}

fn add(rows: &mut Rows, key: Key, counts: &[i128]) {
    let sum = rows.entry(key).or_insert_with(|| vec![0; counts.len()]);
    sum.iter_mut()
        .zip(counts)
        .for_each(|(sum, count)| *sum += count);
}

/// The rows of a list of the text: its `columns` numbers, and what stands behind them. The list is
/// the one below a heading.
fn list(report: &str, heading: &str, columns: usize) -> Vec<(Vec<i128>, String)> {
    let mut lines = report
        .lines()
        .skip_while(|line| !line.contains(heading))
        .skip(2);
    let mut rows = Vec::new();
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let numbers: Vec<i128> = (0..columns)
            .map(|_| number(words.next().unwrap()).unwrap_or_else(|| panic!("{line}")))
            .collect();
        let rest = words.collect::<Vec<_>>().join(" ");
        rows.push((numbers, rest));
    }
    rows
}

/// What a surface lists is what JSON has, and nothing that costs anything is missing.
#[track_caller]
fn same(what: &str, json: &Rows, listed: &Rows, by: usize) {
    assert!(!listed.is_empty(), "{what}");
    for (key, counts) in listed {
        assert_eq!(json.get(key), Some(counts), "{what}: {key:?}");
    }
    for (key, counts) in json.iter().filter(|(_, counts)| counts[by] != 0) {
        assert!(listed.contains_key(key), "{what}: {key:?} {counts:?}");
    }
}

/// A profile in its folder.
struct Asked<'a> {
    stage: &'a Stage,
    name: &'a str,
    file: &'a str,
    json: Value,
    event: String,
}

impl Asked<'_> {
    fn report(&self, options: &[&str]) -> String {
        self.stage
            .report(&[options, &["--threshold=100", self.file]].concat())
    }

    fn one_event(&self) -> String {
        format!("--show={}", self.event)
    }

    fn functions(&self) {
        let mut json = Rows::new();
        for function in self.json["functions"].as_array().unwrap() {
            let counts = [
                &function["self"][0],
                &function["inclusive"][0],
                &function["called"],
            ]
            .map(count);
            add(&mut json, key(function), &counts);
        }
        let mut rows = Rows::new();
        for row in csv(&self.report(&["--format=csv"])) {
            let titles = [
                self.event.clone(),
                format!("{} inclusive", self.event),
                "calls".to_owned(),
            ];
            add(
                &mut rows,
                key_of(&row),
                &titles.map(|title| cell(&row, &title)),
            );
        }
        same(&format!("{}: CSV", self.name), &json, &rows, 0);
        let data = lenses(self.name);
        let mut walk = Walk::new(&data, self.name, (200, 60));
        let mut rows = Rows::new();
        for row in walk
            .csv()
            .iter()
            .filter(|row| !row["function"].starts_with('(') || !row["file"].is_empty())
        {
            let titles = [
                format!("{} self", self.event),
                format!("{} incl", self.event),
                "calls".to_owned(),
            ];
            add(
                &mut rows,
                key_of(row),
                &titles.map(|title| cell(row, &title)),
            );
        }
        same(&format!("{}: explorer", self.name), &json, &rows, 0);
        for (at, inclusive) in ["--inclusive=no", "--inclusive=yes"]
            .into_iter()
            .enumerate()
        {
            let report =
                self.report(&["--auto=no", "--show-percs=no", &self.one_event(), inclusive]);
            let mut listed: Vec<(i128, String)> = list(&report, "file:function", 1)
                .into_iter()
                .map(|(counts, text)| (counts[0], text))
                .collect();
            let functions = self.json["functions"].as_array().unwrap();
            let cost = |function: &Value| count(&function[["self", "inclusive"][at]][0]);
            let mut wanted: Vec<(i128, String)> = (functions.iter())
                .map(|function| (cost(function), written(&key(function), "")))
                .filter(|(cost, _)| *cost != 0)
                .collect();
            listed.retain(|(cost, text)| *cost != 0 && !text.starts_with('('));
            listed.sort();
            wanted.sort();
            assert_eq!(listed, wanted, "{}: text, {inclusive}", self.name);
        }
    }

    fn files(&self) {
        let unknown = |name: &str| {
            if name == "???" {
                String::new()
            } else {
                name.to_owned()
            }
        };
        let mut json: BTreeMap<String, i128> = BTreeMap::new();
        for line in self.json["lines"].as_array().unwrap() {
            *json.entry(unknown(&text(&line["file"]))).or_default() += count(&line["self"][0]);
        }
        json.retain(|_, cost| *cost != 0);
        let of_csv: BTreeMap<String, i128> = (csv(&self.report(&["--format=csv", "--by=file"]))
            .iter())
        .map(|row| (unknown(&row["file"]), cell(row, &self.event)))
        .filter(|(_, cost)| *cost != 0)
        .collect();
        assert_eq!(of_csv, json, "{}: CSV", self.name);
        let report = self.report(&["--by=file", "--show-percs=no", &self.one_event()]);
        let rows = list(&report, "  file", 1).into_iter();
        let of_text: BTreeMap<String, i128> = rows
            .map(|(counts, name)| (unknown(&name), counts[0]))
            .filter(|(_, cost)| *cost != 0)
            .collect();
        assert_eq!(of_text, json, "{}: text", self.name);
        let data = lenses(self.name);
        let mut walk = Walk::new(&data, self.name, (200, 60));
        walk.press(&["3"]);
        let rows = walk.csv();
        let title = rows[0]
            .keys()
            .find(|title| title.starts_with(&self.event))
            .unwrap()
            .clone();
        let mut costs: Vec<i128> = rows
            .iter()
            .map(|row| cell(row, &title))
            .filter(|cost| *cost != 0)
            .collect();
        let mut wanted: Vec<i128> = json.values().copied().collect();
        costs.sort();
        wanted.sort();
        assert_eq!(costs, wanted, "{}: explorer", self.name);
    }

    /// Lines, callers and callees of the hottest functions that are called by name.
    fn of_functions(&self) -> usize {
        let functions = self.json["functions"].as_array().unwrap();
        let is_plain = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        let is_one = |name: &Value| {
            functions
                .iter()
                .filter(|function| function["name"] == *name)
                .count()
                == 1
        };
        let data = lenses(self.name);
        let mut walk = Walk::new(&data, self.name, (200, 4000));
        let mut seen = 0;
        for (at, function) in functions.iter().enumerate().take(12) {
            let name = text(&function["name"]);
            let calls: Vec<&Value> = self.json["calls"].as_array().unwrap().iter().collect();
            let is_recursive = calls
                .iter()
                .any(|call| call["caller"] == at && call["callee"] == at);
            if !is_plain(&name)
                || !is_one(&function["name"])
                || !function["cycle"].is_null()
                || is_recursive
            {
                continue;
            }
            seen += 1;
            let what = format!("{}: {name}", self.name);
            let pattern = format!("^{name}$");

            // Lines.
            let mut json: Vec<(String, i128, i128)> =
                (self.json["lines"].as_array().unwrap().iter())
                    .filter(|line| line["function"] == at)
                    .map(|line| {
                        (
                            text(&line["file"]),
                            count(&line["line"]),
                            count(&line["self"][0]),
                        )
                    })
                    .filter(|(.., cost)| *cost != 0)
                    .collect();
            let lines = self.report(&[
                "--format=csv",
                "--by=line",
                &format!("--function={pattern}"),
            ]);
            let mut of_csv: Vec<(String, i128, i128)> = (csv(&lines).iter())
                .map(|row| {
                    (
                        row["file"].clone(),
                        cell(row, "line"),
                        cell(row, &self.event),
                    )
                })
                .filter(|(.., cost)| *cost != 0)
                .collect();
            json.sort();
            of_csv.sort();
            assert_eq!(of_csv, json, "{what}: lines of CSV");
            let costs: i128 = json.iter().map(|(.., cost)| cost).sum();
            assert_eq!(costs, count(&function["self"][0]), "{what}: lines add up");
            let report = self.report(&[
                "--by=line",
                "--show-percs=no",
                &self.one_event(),
                &format!("--function={pattern}"),
            ]);
            let mut of_text: Vec<(i128, String)> = (list(&report, "file:line", 1).into_iter())
                .map(|(counts, text)| (counts[0], text))
                .filter(|(cost, text)| *cost != 0 && !text.starts_with('('))
                .collect();
            let place = |file: &str, line: i128| {
                let file = if file.is_empty() { "???" } else { file };
                let line = if line == 0 {
                    "?".to_owned()
                } else {
                    line.to_string()
                };
                let [_, _, object] = key(function);
                let object = if object.is_empty() {
                    String::new()
                } else {
                    format!(" [{object}]")
                };
                format!("{file}:{line}:{name}{object}")
            };
            let mut wanted: Vec<(i128, String)> = json
                .iter()
                .map(|(file, line, cost)| (*cost, place(file, *line)))
                .collect();
            of_text.sort();
            wanted.sort();
            assert_eq!(of_text, wanted, "{what}: lines of the text");

            // Calls.
            let mut json: Vec<(&str, Key, i128, i128)> = Vec::new();
            let cost = |call: &Value| count(&call["inclusive"][0]);
            for call in &calls {
                let other = |side: &str| key(&functions[call[side].as_u64().unwrap() as usize]);
                if call["callee"] == at {
                    json.push(("caller", other("caller"), count(&call["count"]), cost(call)));
                }
                if call["caller"] == at {
                    json.push(("callee", other("callee"), count(&call["count"]), cost(call)));
                }
            }
            json.sort();
            let calls_of = |rows: &[BTreeMap<String, String>], title: &str| {
                let rows = rows.iter().filter_map(|row| {
                    let what = ["caller", "callee"]
                        .into_iter()
                        .find(|what| row["what"] == *what)?;
                    Some((what, key_of(row), cell(row, "calls"), cell(row, title)))
                });
                let mut rows: Vec<(&str, Key, i128, i128)> = rows.collect();
                rows.sort();
                rows
            };
            let zoom = format!("--zoom={pattern}");
            let of_csv = calls_of(
                &csv(&self.stage.report(&["--format=csv", &zoom, self.file])),
                &self.event,
            );
            assert_eq!(of_csv, json, "{what}: calls of CSV");
            let report = self.stage.report(&[
                "--show-percs=no",
                "--auto=no",
                &self.one_event(),
                &zoom,
                self.file,
            ]);
            for (side, heading, arrow) in [
                ("caller", "callers (", "< "),
                ("callee", "callees and", "> "),
            ] {
                let rows = list(&report, heading, 1).into_iter();
                let rows = rows.filter_map(|(counts, text)| {
                    Some((counts[0], text.strip_prefix(arrow)?.to_owned()))
                });
                // Those that cost least are one row.
                let (rest, mut of_text): (Vec<_>, Vec<_>) =
                    rows.partition(|(_, text)| text.ends_with("x)") && text.starts_with('('));
                let mut wanted: Vec<(i128, String)> = (json.iter())
                    .filter(|(what, ..)| *what == side)
                    .map(|(_, key, calls, cost)| {
                        // Rounded by hand: half away from zero.
                        let each = (2 * cost.abs() + *calls) / (2 * (*calls).max(1));
                        let sign = if *cost < 0 && each > 0 { "-" } else { "" };
                        let each = match calls {
                            0 | 1 => String::new(),
                            _ => format!(", {sign}{} each", grouped(each)),
                        };
                        let times = format!(" ({}x{each})", grouped(*calls));
                        (*cost, written(key, &times))
                    })
                    .collect();
                of_text.sort();
                wanted.sort();
                let left_out = wanted.len() - of_text.len();
                let sum: i128 = wanted.iter().take(left_out).map(|(cost, _)| cost).sum();
                assert_eq!(
                    rest.iter().map(|(cost, _)| cost).sum::<i128>(),
                    sum,
                    "{what}: {side} left out of the text"
                );
                let is_counted =
                    |(_, text): &(i128, String)| text.starts_with(&format!("({left_out} more "));
                assert!(
                    rest.len() == usize::from(left_out > 0) && rest.iter().all(is_counted),
                    "{what}: {rest:?}"
                );
                let costs = |rows: &[(i128, String)]| {
                    rows.iter().map(|(cost, _)| *cost).collect::<Vec<_>>()
                };
                assert_eq!(
                    costs(&of_text),
                    costs(&wanted[left_out..]),
                    "{what}: {side} of the text"
                );
                assert!(
                    of_text.iter().all(|row| wanted.contains(row)),
                    "{what}: {side} of the text: {of_text:?}"
                );
            }
            let inside: i128 = json
                .iter()
                .filter(|(what, ..)| *what == "callee")
                .map(|(.., cost)| cost)
                .sum();
            assert_eq!(
                inside + costs,
                count(&function["inclusive"][0]),
                "{what}: self and callees add up"
            );

            // Both in the explorer, where the functions are in the same order.
            walk.press(&["1", "g"]);
            walk.press(&vec!["j"; at]);
            let id = walk.model.visible()[at].function.unwrap();
            let profile = data.whole.profile();
            assert_eq!(
                String::from_utf8_lossy(profile.name(profile.function(id).name)),
                name,
                "{what}: the order"
            );
            let rows = walk.press(&["c"]).csv();
            assert_eq!(walk.model.kind(), Kind::Calls);
            assert_eq!(
                calls_of(&rows, &format!("{} incl", self.event)),
                json,
                "{what}: calls of the explorer"
            );
            walk.press(&["[", "v"]);
            let shown = walk.model.visible();
            let of_explorer: i128 = shown
                .iter()
                .filter(|row| row.line.is_some())
                .flat_map(|row| row.numbers.first())
                .sum();
            // Where no source is known, there is no row.
            assert!(
                shown.is_empty() || of_explorer == costs,
                "{what}: lines of the explorer"
            );
        }
        seen
    }

    fn own(&self) {
        let is_named = |key: &&Key| !key[0].starts_with('(');
        let named = |options: &[&str]| {
            let json = self.stage.json(&[options, &[self.file]].concat());
            let mut all = Rows::new();
            for function in json["functions"].as_array().unwrap() {
                let own = &function["own_cost"][0];
                let own = count(if own.is_object() { &own["value"] } else { own });
                add(&mut all, key(function), &[own]);
            }
            all.retain(|key, _| is_named(&key));
            all
        };
        let mut rows = Rows::new();
        // What is on nobody's own line is not a function of JSON.
        for row in csv(&self.report(&["--own", "--format=csv"]))
            .iter()
            .filter(|row| !row["function"].starts_with('('))
        {
            add(&mut rows, key_of(row), &[cell(row, &self.event)]);
        }
        let (plain, named) = (named(&["--own"]), named(&["--own", "--inlined"]));
        same(&format!("{}: CSV of own code", self.name), &plain, &rows, 0);
        let data = lenses(self.name);
        let mut walk = Walk::new(&data, self.name, (200, 60));
        walk.press(&["o"]);
        let mut rows = Rows::new();
        for row in walk
            .csv()
            .iter()
            .filter(|row| !row["function"].starts_with('('))
        {
            add(
                &mut rows,
                key_of(row),
                &[cell(row, &format!("{} own", self.event))],
            );
        }
        same(
            &format!("{}: explorer of own code", self.name),
            &plain,
            &rows,
            0,
        );
        let page = self
            .stage
            .report(&["--own", "--format=html", "--auto=no", self.file]);
        let data = crate::page::data(&page);
        let (objects, files, names) = (
            data.texts("objects"),
            data.texts("files"),
            data.texts("names"),
        );
        let (of_object, of_file) = (data.sizes("p.object"), data.sizes("p.file"));
        let costs = data.costs("f.self", self.json["events"].as_array().unwrap().len());
        let mut rows = Rows::new();
        for ((name, place), cost) in data
            .sizes("f.name")
            .into_iter()
            .zip(data.sizes("f.place"))
            .zip(costs)
        {
            let key = [
                &names[name],
                &files[of_file[place]],
                &objects[of_object[place]],
            ]
            .map(String::clone);
            add(&mut rows, key, &cost[..1]);
        }
        let left_out: i128 = named
            .iter()
            .filter(|(key, _)| !rows.contains_key(*key))
            .map(|(_, cost)| cost[0])
            .sum();
        assert_eq!(
            data.costs("others", 1)[0][0],
            left_out,
            "{}: page of own code",
            self.name
        );
        rows.retain(|key, _| is_named(&key));
        assert!(
            rows.iter().all(|(key, cost)| named[key] == *cost),
            "{}: page of own code",
            self.name
        );
    }
}

fn grouped(number: i128) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap())
        .collect();
    groups.join(",")
}

#[test]
fn one_question_has_one_answer() {
    let mut seen = 0;
    for (at, name) in PROFILES.into_iter().enumerate() {
        let (folder, file) = name.split_once('/').unwrap();
        let stage = Stage::of(folder);
        let json = stage.json(&[file]);
        let event = text(&json["events"][0]);
        let page = stage.report(&["--format=html", "--auto=no", file]);
        numbers::compare(name, &page, &json);
        let asked = Asked {
            stage: &stage,
            name,
            file,
            json,
            event,
        };
        asked.functions();
        asked.files();
        if at % 2 == 0 {
            seen += asked.of_functions();
            asked.own();
        }
    }
    assert!(seen > 12, "{seen}");
}

/// The same of two runs: JSON, CSV, Markdown, text, the page and the explorer.
#[test]
fn one_comparison_has_one_answer() {
    let (folder, old, new) = ("diff/server", "server.old.out", "server.new.out");
    let paths = [format!("{folder}/{old}"), format!("{folder}/{new}")];
    let stage = Stage::of(folder);
    let json = stage.json(&["diff", "--threshold=100", old, new]);
    let event = text(&json["events"][0]);
    let mut wanted = Rows::new();
    for function in json["functions"].as_array().unwrap() {
        let side = if function["new"].is_null() {
            "old"
        } else {
            "new"
        };
        let counts = ["old", "new", "change"].map(|side| count(&function["self"][side][0]));
        add(&mut wanted, key(&function[side]), &counts);
    }
    let total = ["old", "new", "change"].map(|side| count(&json["total"][side][0]));
    let titles = ["old", "new", "change"].map(|side| format!("{event} {side}"));
    let mut rows = Rows::new();
    for row in csv(&stage.report(&["diff", "--format=csv", "--threshold=100", old, new])) {
        add(
            &mut rows,
            key_of(&row),
            &titles.each_ref().map(|title| cell(&row, title)),
        );
    }
    same("CSV", &wanted, &rows, 2);
    let changes: i128 = rows.values().map(|counts| counts[2]).sum();
    assert_eq!(
        (total[2], changes),
        (total[1] - total[0], total[2]),
        "the changes are that of the total"
    );
    // What is left out is one row, and still they add up.
    for most in 1..6 {
        let table = stage.report(&[
            "diff",
            "--format=markdown",
            "--threshold=100",
            &format!("--rows={most}"),
            old,
            new,
        ]);
        let rows = table
            .lines()
            .filter(|line| line.starts_with("| ") && !line.contains("(total)"));
        let changes = rows.filter_map(|line| number(line.split('|').nth(3).unwrap().trim()));
        assert_eq!(changes.sum::<i128>(), total[2], "{most}: {table}");
    }
    let data = compared(&paths[0], &paths[1]);
    let mut walk = Walk::new(&data, &paths[1], (200, 60));
    let mut of_explorer = Rows::new();
    for row in walk.csv() {
        add(
            &mut of_explorer,
            key_of(&row),
            &[cell(&row, &format!("{event} self")), cell(&row, "change")],
        );
    }
    for (key, counts) in wanted.iter().filter(|(_, counts)| counts[1] != 0) {
        assert_eq!(
            of_explorer.get(key),
            Some(&vec![counts[1], counts[2]]),
            "explorer: {key:?}"
        );
    }
    walk.press(&["0"]);
    let gone: i128 = walk
        .csv()
        .iter()
        .map(|row| cell(row, &format!("{event} self")))
        .sum();
    let new: i128 = of_explorer.values().map(|counts| counts[1]).sum();
    assert_eq!(
        new - gone,
        total[2],
        "explorer: the changes are that of the total"
    );
    comparison::compare(
        &crate::common::fixture(&paths[0]),
        &crate::common::fixture(&paths[1]),
    );
}

/// In every list what is listed, what is left out and what is in no function are the total, of
/// every event.
#[test]
fn rows_add_up() {
    let made = Stage::empty();
    made.write(
        "made",
        "events: Ir Dr\nfl=a.c\nfn=f\n1 10 1\nfn=g\n2 20 2\n\nsummary: 40 7\n",
    );
    let mut lists = 0;
    for (at, name) in PROFILES
        .into_iter()
        .chain(["parts/phases.parts.out", "made"])
        .enumerate()
    {
        let (stage, file) = match name.split_once('/') {
            Some((folder, file)) => (Stage::of(folder), file.to_owned()),
            None => (
                Stage::empty(),
                made.dir.join("made").to_str().unwrap().to_owned(),
            ),
        };
        let json = stage.json(&[&file]);
        let width = json["events"].as_array().unwrap().len();
        let totals: Vec<i128> = json["totals"]
            .as_array()
            .unwrap()
            .iter()
            .map(count)
            .collect();
        for by in ["function", "file", "object", "class", "line"] {
            for rows in ways(
                at,
                &["--rows=1", "--rows=4", "--threshold=50", "--threshold=100"],
            ) {
                let by_option = format!("--by={by}");
                let args = ["--show-percs=no", &by_option, rows, &file];
                let text = stage.report(&[&["--auto=no"], &args[..]].concat());
                let heading = ["  function", "  file", "  object", "  class", "file:line"][[
                    "function", "file", "object", "class", "line",
                ]
                .iter()
                .position(|of| *of == by)
                .unwrap()];
                let mut sum = vec![0; width];
                for (counts, _) in list(&text, heading, width) {
                    sum.iter_mut()
                        .zip(&counts)
                        .for_each(|(sum, count)| *sum += count);
                }
                assert_eq!(sum, totals, "{name}: text by {by}, {rows}: {text}");
                let table = stage.report(&[&["--format=markdown"], &args[..]].concat());
                if table.contains(" have no room here") {
                    continue;
                }
                let mut sum = vec![0; width];
                for line in table
                    .lines()
                    .filter(|line| line.starts_with("| ") && !line.contains("(total)"))
                {
                    let cells: Vec<Option<i128>> = line
                        .split('|')
                        .skip(1)
                        .take(width)
                        .map(|cell| number(cell.trim()))
                        .collect();
                    sum.iter_mut()
                        .zip(&cells)
                        .for_each(|(sum, count)| *sum += count.unwrap_or(0));
                }
                assert_eq!(sum, totals, "{name}: Markdown by {by}, {rows}: {table}");
                lists += 1;
            }
        }
    }
    assert!(lists > 60, "{lists}");
}

/// Ways through the explorer, one after the other.
const SCREENS: [&[&str]; 11] = [
    &["1"],
    &["i"],
    &["s"],
    &["e"],
    &["2"],
    &["3"],
    &["4"],
    &["5"],
    &["6"],
    &["1", "g", "c"],
    &["1", "v"],
];

/// Functions of which many cost the same: of one name in several files and objects, in cycles,
/// called alike, inlined.
fn ties() -> Vec<String> {
    let mut blocks = Vec::new();
    for at in 0..24 {
        let (object, file, name) = (
            ["x", "y", "/lib/z.so"][at % 3],
            ["a.c", "b.c"][at / 3 % 2],
            ["f", "A::g", "A::h", "B<int>::k"][at / 6],
        );
        let calls: String = (0..3)
            .map(|to| {
                let to = (at + 5 * to + 1) % 24;
                let [object, file, name] = [
                    ["x", "y", "/lib/z.so"][to % 3],
                    ["a.c", "b.c"][to / 3 % 2],
                    ["f", "A::g", "A::h", "B<int>::k"][to / 6],
                ];
                format!(
                    "cob={object}\ncfi={file}\ncfn={name}\ncalls=1 1\n{} 7 1\n",
                    to % 2 + 2
                )
            })
            .collect();
        blocks.push(format!(
            "ob={object}\nfl={file}\nfn={name}\n1 10 2\n2 10 2\nfi=inlined.h\n3 10 2\nfe={file}\n{calls}"
        ));
    }
    let main = "ob=x\nfl=m.c\nfn=main\n1 10 2\ncob=x\ncfi=a.c\ncfn=f\ncalls=1 1\n2 300 20\n";
    blocks.push(main.to_owned());
    blocks
}

fn shuffled(blocks: &[String], seed: usize) -> String {
    let mut blocks = blocks.to_vec();
    let mut state = seed as u64;
    for at in (1..blocks.len()).rev().filter(|_| seed > 0) {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        blocks.swap(at, (state >> 33) as usize % (at + 1));
    }
    blocks.concat()
}

/// A list has one order: in whatever order functions and parts are in the file, every surface says
/// the same.
#[test]
fn a_lists_order_does_not_depend_on_the_input() {
    let reports: &[&[&str]] = &[
        &["--auto=no", "--tree=both", "--inclusive=yes", "p"],
        &["--auto=no", "--tree=both", "--sort=Dr,Ir", "p"],
        &["--auto=no", "--rows=5", "p"],
        &["--auto=no", "--threshold=50", "p"],
        &["--by=file", "p"],
        &["--by=object", "p"],
        &["--by=class", "p"],
        &["--by=function", "p"],
        &["--by=line", "p"],
        &["--split=part", "--auto=no", "p"],
        &["--zoom=^f$", "--depth=3", "p"],
        &["--zoom=g", "--auto=no", "p"],
        &["--fold-recursion", "--auto=no", "p"],
        &["--format=json", "p"],
        &["--format=csv", "p"],
        &["--format=tsv", "--by=line", "p"],
        &["--format=csv", "--by=part", "p"],
        &["--format=csv", "--zoom=^f$", "p"],
        &["--format=markdown", "p"],
        &["--format=html", "--auto=no", "p"],
        &["diff", "old", "p"],
        &["diff", "p", "old"],
        &["diff", "--format=json", "old", "p"],
        &["diff", "--format=csv", "--by=line", "old", "p"],
        &["diff", "--by=file", "old", "p"],
        &["diff", "--by=class", "old", "p"],
        &["diff", "--format=html", "--auto=no", "old", "p"],
        &["trend", "old", "p"],
        &["trend", "--format=json", "old", "p"],
        &["trend", "--by=file", "old", "p"],
        &["convert", "--to=folded", "--min=0", "p"],
        &["convert", "--to=dot", "--min=0", "p"],
        &["convert", "--to=speedscope", "p"],
        &["check", "--limit=max(self.Ir(/./)) <= 1", "p"],
        &["check", "--limit=total.Ir <= 1", "--report=json", "p"],
        &["check", "--limit=total.Ir <= +1", "--baseline=old", "p"],
    ];
    let stage = Stage::empty();
    let blocks = ties();
    let old: Vec<String> = blocks
        .iter()
        .skip(1)
        .map(|block| block.replace(" 10 ", " 9 "))
        .collect();
    stage.write("old", format!("events: Ir Dr\n{}", shuffled(&old, 0)));
    let mut first: Vec<(Option<i32>, Vec<u8>)> = Vec::new();
    let mut shown: Vec<Vec<String>> = Vec::new();
    for seed in 0..3 {
        // The parts have what they had, and so do the functions in each.
        let body = format!(
            "part: 1\nevents: Ir Dr\n{}\npart: 2\nevents: Ir Dr\n{}",
            shuffled(&blocks, seed),
            shuffled(&blocks, 7 * seed)
        );
        stage.write("p", &body);
        let profile =
            cgannotate::input::read_from("p", body.as_bytes(), &cgannotate::input::Options::all())
                .unwrap();
        let data = crate::explore::whole(profile, Default::default());
        let mut walk = Walk::new(&data, PROFILES[0], (200, 100));
        let screens: Vec<Vec<String>> = SCREENS
            .iter()
            .map(|keys| walk.press(keys).screen((200, 100)))
            .collect();
        let outs: Vec<_> = reports
            .iter()
            .map(|args| stage.run(args))
            .map(|out| (out.status.code(), out.stdout))
            .collect();
        if seed == 0 {
            (first, shown) = (outs, screens);
            assert!(first.iter().all(|(_, out)| !out.is_empty()));
            continue;
        }
        for (args, (first, now)) in reports.iter().zip(first.iter().zip(&outs)) {
            let text = |out: &[u8]| String::from_utf8_lossy(out).into_owned();
            crate::common::assert_same(&format!("{args:?}"), &text(&first.1), &text(&now.1));
            assert_eq!(first.0, now.0, "{args:?}");
        }
        for ((keys, first), now) in SCREENS.iter().zip(&shown).zip(&screens) {
            crate::common::assert_same(&format!("{keys:?}"), &first.join("\n"), &now.join("\n"));
        }
    }
}
