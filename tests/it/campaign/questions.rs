//! What is asked about an input. Each question is a few command lines, whose answers must be valid
//! and agree.

use super::facts::{Facts, list, row, sum, text};
use super::options;
use super::run::{Answer, Run};
use crate::twin::mutate::Rng;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Asks, and says what is wrong.
type Ask = fn(&mut Run, &mut Rng) -> Result<(), String>;

/// All of them. The inputs are the files `a` and `b`.
pub(crate) const QUESTIONS: [(&str, Ask); 14] = [
    ("any report", report),
    ("any report of two", report_of_two),
    ("any comparison", comparison),
    ("any check", check),
    ("any conversion", conversion),
    ("the sums of tables", tables),
    ("a merge", merge),
    ("merges in steps", merge_in_steps),
    ("a comparison with itself", compare_with_itself),
    ("a comparison both ways", compare_both_ways),
    ("a baseline", baseline),
    ("stacks", stacks),
    ("parts", parts),
    ("a pack", pack),
];

/// The place of the first.
pub(crate) const REPORT: usize = 0;

fn with(mut args: Vec<String>, inputs: &[&str]) -> Vec<String> {
    args.extend(inputs.iter().map(|input| (*input).to_owned()));
    args
}

/// Any output is valid in its form.
fn valid(args: &[String], answer: &Answer) -> Result<(), String> {
    let Some(bytes) = answer.out.as_deref() else {
        return Ok(());
    };
    let has = |option: &str| args.iter().any(|arg| arg == option);
    if has("--format=json") || has("--report=json") || has("--to=speedscope") {
        let documents = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
        for document in documents {
            let problem = match document {
                Ok(document) if document["functions"].is_array() && args[0] != "diff" => {
                    let width = list(&document["events"]).count();
                    let fits = |f: &Value| row(&f["self"]).len() == width;
                    if list(&document["functions"]).all(fits) {
                        continue;
                    } else {
                        "rows are not of one width".into()
                    }
                }
                Ok(_) => continue,
                Err(e) => e.to_string(),
            };
            return answer.wrong(format!("json: {problem}"));
        }
    } else if has("--format=csv") {
        csv_rows(answer)?;
    } else if has("--format=tsv") {
        let cells = |line: &str| line.split('\t').count();
        let text = answer.text();
        let width = text.lines().next().map_or(0, cells);
        if let Some(line) = text
            .split_terminator('\n')
            .find(|line| cells(line) != width)
        {
            return answer.wrong(format!("tsv: {} cells, not {width}: {line:?}", cells(line)));
        }
    } else if has("--format=markdown") || has("--report=markdown") {
        if bytes.len() >= 64 * 1024 {
            return answer.wrong(format!("markdown: {} bytes", bytes.len()));
        }
    } else if has("--report=junit") {
        if let Err(e) = roxmltree::Document::parse(&answer.text()) {
            return answer.wrong(format!("junit: {e}"));
        }
    } else if has("--to=pprof") && answer.status == 0 {
        if let Err(problem) = samples(bytes) {
            return answer.wrong(format!("pprof: {problem}"));
        }
    } else if has("--format=html") && answer.status == 0 {
        let text = answer.text();
        if !text.starts_with("<!doctype html>") || !text.trim_end().ends_with("</html>") {
            return answer.wrong("html: no whole page");
        }
    } else if has("--to=dot") && answer.status == 0 {
        let text = answer.text();
        if !text.starts_with("digraph") || !text.ends_with("}\n") {
            return answer.wrong("dot: no whole graph");
        }
    }
    Ok(())
}

/// Whether a gzipped `profile.proto` has whole messages, and samples with a value for each of their
/// types.
fn samples(bytes: &[u8]) -> Result<(), &'static str> {
    use std::io::Read;
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(bytes)
        .read_to_end(&mut message)
        .map_err(|_| "not gzip")?;
    let (mut types, mut widths) = (0, Vec::new());
    for (field, inner) in messages(&message)? {
        match field {
            1 => types += 1,
            2 => {
                let values = messages(inner)?
                    .into_iter()
                    .find(|(field, _)| *field == 2)
                    .ok_or("a sample without values")?
                    .1;
                // The last byte of each number has no mark.
                widths.push(values.iter().filter(|&&byte| byte < 0x80).count());
            }
            _ => {}
        }
    }
    if widths.iter().all(|&width| width == types) {
        Ok(())
    } else {
        Err("samples of another width")
    }
}

/// The fields of a message that have a length, with their numbers.
fn messages(mut rest: &[u8]) -> Result<Vec<(u64, &[u8])>, &'static str> {
    fn number(rest: &mut &[u8]) -> Result<u64, &'static str> {
        let end = rest
            .iter()
            .position(|&byte| byte < 0x80)
            .ok_or("a number without an end")?;
        let (digits, behind) = rest.split_at(end + 1);
        *rest = behind;
        Ok(digits
            .iter()
            .rev()
            .fold(0, |number, &byte| number << 7 | u64::from(byte & 0x7f)))
    }
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let key = number(&mut rest)?;
        let length = number(&mut rest)?;
        if key & 7 == 2 {
            let inner = rest.get(..length as usize).ok_or("a message that is cut")?;
            rest = &rest[length as usize..];
            fields.push((key >> 3, inner));
        }
    }
    Ok(fields)
}

/// The rows of a CSV, all of one width.
fn csv_rows(answer: &Answer) -> Result<Vec<csv::StringRecord>, String> {
    let bytes = answer.out.as_deref().unwrap_or_default();
    let rows: Result<Vec<_>, _> = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bytes)
        .records()
        .collect();
    rows.or_else(|e| answer.wrong(format!("csv: {e}")))
}

fn report(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let args = with(options::report(rng), &["a"]);
    valid(&args, &run.ask(&args)?)
}

fn report_of_two(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let args = with(options::report(rng), &["b", "a"]);
    valid(&args, &run.ask(&args)?)
}

fn comparison(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let sides = if rng.one_in(2) {
        ["a", "b"]
    } else {
        ["b", "a"]
    };
    let args = with(options::comparison(rng), &sides);
    valid(&args, &run.ask(&args)?)
}

fn check(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let mut args = with(options::limits(rng), &["a"]);
    if rng.one_in(2) {
        args.push("--baseline=b".into());
    }
    if rng.one_in(8) {
        // What is a profile is no file of limits, whatever it is; and of a good file a part may be
        // left.
        let good = "[[limit]]\nname = \"n\"\nexpression = \"total.Ir <= 12M\"\nlevel = \"warn\"\n";
        let end = rng.below(good.len() as u64 + 1) as usize;
        std::fs::write("limits.toml", &good[..end]).map_err(|e| e.to_string())?;
        args.push(if rng.one_in(3) {
            "--config=a".into()
        } else {
            "--config=limits.toml".to_owned()
        });
    }
    valid(&args, &run.ask(&args)?)
}

fn conversion(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let args = with(options::conversion(rng), &["a"]);
    let answer = run.write("converted", &args)?;
    valid(&args, &answer)?;
    if args.iter().any(|arg| arg == "--to=webgrind") && answer.status == 0 {
        let again = run.ask(&["convert", "--to=webgrind", "converted"])?;
        // The format has no objects: functions of one file and name become one.
        if again.out != answer.out && !shares_names(run)? {
            return again.wrong("webgrind: written again it has other bytes");
        }
    }
    Ok(())
}

/// Whether two functions of the input have one file and name.
fn shares_names(run: &mut Run) -> Result<bool, String> {
    let Some(facts) = facts(run, "a")? else {
        return Ok(false);
    };
    let mut seen = BTreeSet::new();
    Ok(list(&facts.document["functions"])
        .any(|f| !seen.insert((f["file"].to_string(), f["name"].to_string()))))
}

/// The document about an input, if that can be read.
fn facts(run: &mut Run, input: &str) -> Result<Option<Facts>, String> {
    Facts::read(&run.ask(&["--format=json", "--sources=listed", input])?)
}

/// The self costs of a table and of the document are the same, whatever the table adds up.
fn tables(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let Some(facts) = facts(run, "a")? else {
        return Ok(());
    };
    let by = rng.pick(&["none", "function", "file", "object", "class", "line"]);
    let mut args = vec!["--format=csv".to_owned(), "a".to_owned()];
    if by != "none" {
        args.push(format!("--by={by}"));
    }
    let answer = run.ask(&args)?;
    let rows = csv_rows(&answer)?;
    let has_no_lines = !matches!(
        facts.format(),
        "callgrind" | "cachegrind" | "xdebug" | "xdebug-trace"
    );
    let is_aprof = facts.format() == "aprof" && by == "none";
    if answer.status > 1
        || rows.is_empty()
        || !facts.is_exact()
        || is_aprof
        || has_no_lines && matches!(by, "file" | "line")
    {
        return Ok(());
    }
    // A table has the recorded events, a document those that the profile defines, too.
    let width = rows[0]
        .iter()
        .zip(&facts.events)
        .take_while(|(head, event)| head == event)
        .count();
    if width == 0 && !facts.events.is_empty() {
        return answer.wrong(format!(
            "csv: columns {:?}, not {:?}",
            rows[0], facts.events
        ));
    }
    let number = |cell: &str| cell.parse::<i128>().ok();
    let counts: Option<Vec<Vec<i128>>> = rows[1..]
        .iter()
        .map(|row| row.iter().take(width).map(number).collect())
        .collect();
    let Some(counts) = counts else {
        return answer.wrong("csv: a count is no number");
    };
    let all = sum(width, counts.into_iter());
    if all != facts.own()[..width] {
        return answer.wrong(format!(
            "sums: the table by {by} {all:?}, the functions {:?}",
            facts.own()
        ));
    }
    Ok(())
}

/// What a merge must keep, as it is compared.
fn kept(facts: &Facts, stated: bool) -> Value {
    let mut document = facts.document.clone();
    let mut kept = vec![document["events"].take(), document["totals"].take()];
    let mut own: Vec<Value> = Vec::new();
    for f in list(&facts.document["functions"]) {
        let costs = if stated {
            Value::Null
        } else {
            Facts::inclusive(f).clone()
        };
        own.push(serde_json::json!([
            f["object"],
            f["file"],
            f["name"],
            f["self"],
            costs
        ]));
    }
    // What costs nothing is written by none, and the order is that of costs, of which equal ones go
    // by name.
    own.retain(|f| row(&f[3]).iter().any(|&count| count != 0));
    own.sort_by_key(Value::to_string);
    kept.push(Value::Array(own));
    let mut lines: Vec<Value> = list(&facts.document["lines"])
        .filter(|line| row(&line["self"]).iter().any(|&count| count != 0))
        .map(|line| serde_json::json!([line["file"], line["line"], line["self"]]))
        .collect();
    lines.sort_by_key(Value::to_string);
    if !stated {
        kept.push(Value::Array(lines));
        let mut calls: Vec<Value> = list(&facts.document["calls"])
            .map(|call| serde_json::json!([call["count"], call["inclusive"], call["sites"]]))
            .collect();
        calls.sort_by_key(Value::to_string);
        kept.push(Value::Array(calls));
    }
    Value::Array(kept)
}

/// A merge says what its input says, and merged again it is the same.
fn merge(run: &mut Run, _: &mut Rng) -> Result<(), String> {
    let first = run.write("merged", &["merge", "a"])?;
    if first.out.is_none() {
        return Ok(());
    }
    let second = run.ask(&["merge", "merged"])?;
    if second.out != first.out {
        return second.wrong(format!(
            "merge: merged again it has other bytes{}",
            difference(&first, &second)
        ));
    }
    let converted = run.ask(&["convert", "--to=callgrind", "a"])?;
    if converted.out != first.out {
        return converted.wrong("merge: convert writes something else");
    }
    let (Some(before), Some(after)) = (facts(run, "a")?, facts(run, "merged")?) else {
        return Ok(());
    };
    if !before.is_exact() {
        return Ok(());
    }
    // Inclusive costs and counts that a format states cannot be said in Callgrind's.
    let stated = first.said.contains("cannot hold the inclusive") || before.format() == "baseline";
    let (want, got) = (kept(&before, stated), kept(&after, stated));
    for (want, got) in list(&want).zip(list(&got)) {
        if want != got {
            let differ = list(want).zip(list(got)).find(|(a, b)| a != b);
            let (want, got) = differ.unwrap_or((want, got));
            return first.wrong(format!(
                "merge: it says {got:.400}\n    and not {want:.400}"
            ));
        }
    }
    Ok(())
}

/// The first line that differs.
fn difference(one: &Answer, other: &Answer) -> String {
    let (one, other) = (one.text(), other.text());
    let pair = one
        .lines()
        .zip(other.lines())
        .enumerate()
        .find(|(_, (a, b))| a != b);
    let (a, b) = (one.lines().count(), other.lines().count());
    match pair {
        Some((at, (a, b))) => format!("\n    line {}: {a:.200?}\n    became: {b:.200?}", at + 1),
        None => format!("\n    {a} lines became {b}"),
    }
}

/// Whether an input states totals below zero. Those of several parts can add up to 0 beside costs,
/// and a total of 0 is none: so it matters what is added first.
fn can_cancel() -> bool {
    let below_zero = |line: &[u8]| {
        (line.starts_with(b"totals:") || line.starts_with(b"summary:")) && line.contains(&b'-')
    };
    let states = |name| {
        std::fs::read(name).is_ok_and(|bytes| bytes.split(|&byte| byte == b'\n').any(below_zero))
    };
    states("a") || states("b")
}

/// In whatever steps, a merge is the same.
fn merge_in_steps(run: &mut Run, _: &mut Rng) -> Result<(), String> {
    let whole = run.write("whole", &["merge", "a", "b", "a"])?;
    if whole.status != 0 || whole.is_limited() || can_cancel() {
        return Ok(());
    }
    // Whether an event's totals are peaks depends on who counted: the sums of those who count
    // otherwise are in between.
    if whole.text().contains("desc: Peak: ") {
        let alone = [run.ask(&["merge", "a"])?, run.ask(&["merge", "b"])?];
        if alone.iter().any(|one| !one.text().contains("desc: Peak: ")) {
            return Ok(());
        }
    }
    run.write("ab", &["merge", "a", "b"])?;
    let first = run.ask(&["merge", "ab", "a"])?;
    if first
        .said
        .contains("aprof's reports can be added to each other only")
    {
        return Ok(());
    }
    if first.out != whole.out {
        return first.wrong(format!(
            "merge: of a, b and a in steps it has other bytes{}",
            difference(&whole, &first)
        ));
    }
    run.write("ba", &["merge", "b", "a"])?;
    let second = run.ask(&["merge", "a", "ba"])?;
    if second.out != whole.out {
        return second.wrong(format!(
            "merge: the last two first it has other bytes{}",
            difference(&whole, &second)
        ));
    }
    Ok(())
}

fn compare_with_itself(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let exact = rng.one_in(4);
    let mut args = vec!["diff", "--format=json", "--by=line", "a", "a"];
    if exact {
        args.push("--exact");
    }
    let answer = run.ask(&args)?;
    let Some(bytes) = &answer.out else {
        return Ok(());
    };
    let document: Value =
        serde_json::from_slice(bytes).or_else(|e| answer.wrong(format!("json: {e}")))?;
    for key in ["functions", "lines"] {
        if let Some(row) = list(&document[key]).next() {
            return answer.wrong(format!("diff: with itself there is a row of {key}: {row}"));
        }
    }
    let total = &document["total"];
    if row(&total["old"]) != row(&total["new"]) {
        return answer.wrong(format!("diff: with itself totals differ: {total}"));
    }
    Ok(())
}

/// All counts of a comparison add up, and backwards it is the same with old and new exchanged.
fn compare_both_ways(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let exact = rng.one_in(4);
    let read = |run: &mut Run, sides: [&str; 2]| {
        let mut args = vec!["diff", "--format=json", "--by=line", sides[0], sides[1]];
        if exact {
            args.push("--exact");
        }
        let answer = run.ask(&args)?;
        let Some(bytes) = &answer.out else {
            return Ok(None);
        };
        match serde_json::from_slice::<Value>(bytes) {
            Ok(document) => Ok(Some((answer, document))),
            Err(e) => answer.wrong(format!("json: {e}")),
        }
    };
    let Some((answer, forth)) = read(run, ["a", "b"])? else {
        return Ok(());
    };
    let width = list(&forth["events"]).count();
    for (rows, rest) in [
        ("functions", ["others", "unchanged", "outside"]),
        ("lines", ["other_lines", "unchanged_lines", "outside_lines"]),
    ] {
        for side in ["old", "new"] {
            let own = |of: &Value| row(&of["self"][side]);
            let parts = [
                own(&forth[rest[0]]),
                own(&forth[rest[1]]),
                row(&forth[rest[2]][side]),
            ];
            let all = sum(width, list(&forth[rows]).map(own).chain(parts));
            let total = row(&forth["total"][side]);
            let is_exact = all
                .iter()
                .chain(&total)
                .all(|count| count.abs() < i128::from(i64::MAX) / 4);
            if is_exact && !answer.is_limited() && all != total {
                return answer.wrong(format!(
                    "sums: all {rows} of the {side} run {all:?}, in total {total:?}"
                ));
            }
        }
    }
    let Some((answer, back)) = read(run, ["b", "a"])? else {
        return Ok(());
    };
    let changes = |document: &Value, sides: [&str; 2]| {
        // Events come in the order of the old run.
        let events: Vec<String> = list(&document["events"]).map(text).collect();
        let named = |counts: &Value| {
            events
                .iter()
                .cloned()
                .zip(row(counts))
                .collect::<BTreeMap<_, _>>()
        };
        let counts = |f: &Value| sides.map(|side| named(&f["self"][side]));
        let mut all: Vec<_> = list(&document["functions"]).map(counts).collect();
        all.sort();
        all
    };
    let (one, other) = (
        changes(&forth, ["old", "new"]),
        changes(&back, ["new", "old"]),
    );
    if one != other {
        let differ = one.iter().zip(&other).find(|(a, b)| a != b);
        return answer.wrong(format!(
            "diff: backwards it is another, {} rows and {}: {differ:?}",
            one.len(),
            other.len()
        ));
    }
    Ok(())
}

/// What is saved as a baseline can be read, says the same of functions, and is kept by its own run.
fn baseline(run: &mut Run, _: &mut Rng) -> Result<(), String> {
    let _ = std::fs::remove_file("saved");
    let saved = run.ask(&["check", "--save-baseline=saved", "a"])?;
    let Ok(bytes) = std::fs::read("saved") else {
        return Ok(());
    };
    if saved.status != 0 {
        return saved.wrong("baseline: it is there, but the status is not 0");
    }
    let Some(before) = facts(run, "a")? else {
        return saved.wrong("baseline: of what cannot be read");
    };
    let Some(after) = facts(run, "saved")? else {
        return saved.wrong("baseline: it cannot be read");
    };
    if after.warned.iter().any(|kind| kind != "bad-formula") {
        return saved.wrong(format!("baseline: warnings {:?}", after.warned));
    }
    let own = |facts: &Facts| {
        let functions = list(&facts.document["functions"]);
        let mut own: Vec<_> = functions
            .map(|f| {
                [
                    &f["object"],
                    &f["file"],
                    &f["name"],
                    &f["self"],
                    Facts::inclusive(f),
                ]
                .map(Value::to_string)
            })
            .collect();
        own.sort();
        own
    };
    if before.is_exact() && own(&before) != own(&after) {
        let (a, b) = (own(&before), own(&after));
        let differ = a.iter().zip(&b).find(|(a, b)| a != b);
        return saved.wrong(format!(
            "baseline: other functions, {} and {}: {differ:?}",
            a.len(),
            b.len()
        ));
    }
    if before.totals != after.totals {
        return saved.wrong(format!(
            "baseline: other totals, {:?} and {:?}",
            before.totals, after.totals
        ));
    }
    let event = before
        .events
        .first()
        .map(String::as_str)
        .unwrap_or_default();
    if event.is_empty() || !event.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return Ok(());
    }
    let limit = format!("--limit=total.{event} <= +0");
    let kept = run.ask(&["check", "--baseline=saved", &limit, "a"])?;
    if kept.status != 0 {
        return kept.wrong(format!(
            "baseline: the run does not keep to its own, of {} bytes",
            bytes.len()
        ));
    }
    let twice = run.ask(&["check", "--baseline=a", &limit, "saved"])?;
    if twice.status != 0 {
        return twice.wrong("baseline: it does not keep to its run");
    }
    Ok(())
}

/// Stacks add up to all self costs.
fn stacks(run: &mut Run, _: &mut Rng) -> Result<(), String> {
    let folded = run.ask(&["convert", "--to=folded", "--min=0", "a"])?;
    if folded.out.is_none() {
        return Ok(());
    }
    let text = folded.text();
    let mut all = 0i128;
    for line in text.split_terminator('\n') {
        let Some(count) = line
            .rsplit_once(' ')
            .and_then(|(_, count)| count.parse::<i128>().ok())
        else {
            return folded.wrong(format!("folded: no stack: {line:.200?}"));
        };
        all += count;
    }
    let Some(facts) = facts(run, "a")? else {
        return folded.wrong("folded: of what cannot be read");
    };
    let own = facts.own().first().copied().unwrap_or_default();
    if facts.is_exact() && facts.format() != "aprof" && all != own {
        return folded.wrong(format!("sums: all stacks {all}, all functions {own}"));
    }
    let answer = run.ask(&["convert", "--to=speedscope", "a"])?;
    valid(&["--to=speedscope".to_owned()], &answer)
}

/// In a pack it is the same profile.
fn pack(run: &mut Run, rng: &mut Rng) -> Result<(), String> {
    let mut args = vec!["pack".to_owned(), "a".into()];
    let options = [
        (2, "--threshold=100"),
        (6, "--exclude=a"),
        (12, "--threshold=0"),
    ];
    args.extend(
        options
            .into_iter()
            .filter(|(n, _)| rng.one_in(*n))
            .map(|(_, option)| option.to_owned()),
    );
    let packed = run.write("packed", &args)?;
    let Some(before) = facts(run, "a")? else {
        return if packed.out.is_some() {
            packed.wrong("pack: of what cannot be read")
        } else {
            Ok(())
        };
    };
    if packed.out.is_none() {
        // Of compressed data that are cut, the end is not there to be packed.
        let is_cut = before.warned.contains("truncated") && packed.status != 0;
        return if is_cut {
            Ok(())
        } else {
            packed.wrong("pack: of what can be read there is none")
        };
    }
    let Some(after) = facts(run, "packed")? else {
        return packed.wrong("pack: it cannot be read");
    };
    let own = |facts: &Facts| facts.document["functions"].to_string();
    if own(&before) != own(&after) || before.totals != after.totals || before.warned != after.warned
    {
        return packed.wrong("pack: it is another profile");
    }
    Ok(())
}

/// The parts add up to the whole.
fn parts(run: &mut Run, _: &mut Rng) -> Result<(), String> {
    let Some(whole) = facts(run, "a")? else {
        return Ok(());
    };
    let answer = run.ask(&["--format=json", "--split=part", "a"])?;
    if answer.out.is_none() {
        return answer.wrong("split: the whole can be read, its parts cannot");
    }
    let bytes = answer.out.as_deref().unwrap_or_default();
    let (mut own, mut events, mut exact) =
        (vec![0; whole.events.len()], Vec::new(), whole.is_exact());
    for document in serde_json::Deserializer::from_slice(bytes).into_iter::<Value>() {
        let part = Facts::new(document.or_else(|e| answer.wrong(format!("json: {e}")))?);
        exact &= part.is_exact();
        events.push(part.events.clone());
        let all = part.own();
        own.iter_mut()
            .zip(all)
            .for_each(|(own, count)| *own += count);
    }
    let alike = events.iter().all(|events| *events == whole.events);
    if exact && alike && own != whole.own() {
        return answer.wrong(format!(
            "sums: all parts {own:?}, the whole {:?}",
            whole.own()
        ));
    }
    let names: Vec<String> = list(&whole.document["profile"]["files"])
        .map(text)
        .collect();
    if names != ["a"] {
        return answer.wrong(format!("json: files {names:?}"));
    }
    Ok(())
}
