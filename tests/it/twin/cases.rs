//! The edge cases of the format: every `fixtures/cases/NNN-name.out` is read and reported as JSON,
//! which must say what `NNN-name.expect.json` says. The expectations were worked out by hand from
//! the specification and from what callgrind_annotate, KCachegrind and Valgrind's writer do.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Counts that are no integers or do not fit in 64 bits: it is enough that the reading ends, with a
/// warning.
const ROBUST_ONLY: [&str; 4] = ["065", "066", "068", "070"];

/// Object, file, name.
type Key = (String, String, String);

/// What is compared.
#[derive(Debug, Default, PartialEq)]
struct Facts {
    events: Vec<String>,
    totals: Vec<i128>,
    computed: bool,
    parts: u64,
    own: BTreeMap<Key, Vec<i128>>,
    inclusive: BTreeMap<Key, Vec<i128>>,
    /// Lines with a cost.
    lines: BTreeMap<(String, u64), Vec<i128>>,
    calls: BTreeMap<(Key, Key), (u64, Vec<i128>)>,
    sites: BTreeMap<(Key, Key, String, u64), Vec<i128>>,
    cycles: BTreeSet<BTreeSet<Key>>,
    /// The lines that something was wrong with.
    warned: BTreeSet<u64>,
}

#[test]
fn every_case_is_reported_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cases");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the cases")
        .map(|entry| entry.expect("a case").path())
        .filter(|path| path.to_string_lossy().ends_with(".expect.json"))
        .collect();
    cases.sort();
    assert!(cases.len() > 100, "{}", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

fn check(expectation: &Path) -> Result<(), String> {
    let case = &expectation.with_extension("").with_extension("out");
    let name = case
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let text = |path: &Path| std::fs::read(path).map_err(|e| format!("{name}: {e}"));
    let expected: Value =
        serde_json::from_slice(&text(expectation)?).map_err(|e| format!("{name}: {e}"))?;
    let run = Command::new(env!("CARGO_BIN_EXE_cgannotate"))
        .args(["--format=json", &case.to_string_lossy()])
        .output()
        .map_err(|e| format!("{name}: {e}"))?;
    let complaints = String::from_utf8_lossy(&run.stderr).into_owned();
    let robust_only = ROBUST_ONLY.contains(&&name[..3]);
    match run.status.code() {
        Some(1) if robust_only => return Ok(()),
        Some(1)
            if !expected["fatal"].is_null() && run.stdout.is_empty() && !complaints.is_empty() =>
        {
            return Ok(());
        }
        Some(0) if expected["fatal"].is_null() => {}
        status => {
            return Err(format!(
                "{name}: {} expected, but {status:?}: {complaints}",
                expected["fatal"]
            ));
        }
    }
    let report: Value =
        serde_json::from_slice(&run.stdout).map_err(|e| format!("{name}: no JSON: {e}"))?;
    if robust_only {
        let warned = list(&report["warnings"]).next().is_some();
        return if warned {
            Ok(())
        } else {
            Err(format!("{name}: no warning"))
        };
    }
    let want = facts_expected(&expected);
    let got = facts_reported(&report, want.events.len());
    if want == got {
        Ok(())
    } else {
        Err(format!("{name}:\n  want {want:?}\n  got  {got:?}"))
    }
}

/// The records of an expectation, which leaves out trailing zeros and writes large counts as
/// strings.
fn facts_expected(d: &Value) -> Facts {
    let events: Vec<String> = list(&d["events"]).map(text).collect();
    let n = events.len();
    let mut facts = Facts {
        totals: row(list(&d["totals"]), n),
        computed: d["calculated"] == true,
        parts: count(&d["parts"]),
        warned: list(&d["diagnostics"])
            .map(|d| count(&d[0]))
            .filter(|&line| line > 0)
            .collect(),
        events,
        ..Facts::default()
    };
    let mut cycles: BTreeMap<String, BTreeSet<Key>> = BTreeMap::new();
    for f in list(&d["functions"]) {
        facts.own.insert(key(f, "ob"), row(list(&f["self"]), n));
        // Without calls nobody knows.
        if !f["incl"].is_null() {
            facts
                .inclusive
                .insert(key(f, "ob"), row(list(&f["incl"]), n));
        }
        if !f["cycle"].is_null() {
            cycles
                .entry(f["cycle"].to_string())
                .or_default()
                .insert(key(f, "ob"));
        }
    }
    facts.cycles = cycles.into_values().collect();
    for line in list(&d["lines"]) {
        let cost = row(list(line).skip(2), n);
        if cost.iter().any(|&c| c != 0) {
            add(
                facts
                    .lines
                    .entry((known(text(&line[0])), count(&line[1])))
                    .or_default(),
                &cost,
            );
        }
    }
    for call in list(&d["calls"]) {
        let (caller, callee) = (key(&call["caller"], "ob"), key(&call["callee"], "ob"));
        for site in list(&call["at"]) {
            let place = (
                caller.clone(),
                callee.clone(),
                known(text(&site[0])),
                count(&site[1]),
            );
            add(
                facts.sites.entry(place).or_default(),
                &row(list(site).skip(2), n),
            );
        }
        facts.calls.insert(
            (caller, callee),
            (count(&call["count"]), row(list(&call["cost"]), n)),
        );
    }
    facts
}

/// The same of a report; its first `n` events are the recorded ones.
fn facts_reported(d: &Value, n: usize) -> Facts {
    let cost = |row_of: &Value| row(list(row_of).take(n), n);
    let keys: Vec<Key> = list(&d["functions"]).map(|f| key(f, "object")).collect();
    let of = |index: &Value| keys[count(index) as usize].clone();
    let mut facts = Facts {
        events: list(&d["events"]).take(n).map(text).collect(),
        totals: cost(&d["totals"]),
        computed: d["totals_source"] == "computed",
        parts: count(&d["profile"]["parts"]),
        warned: list(&d["warnings"])
            .filter_map(|w| w["line"].as_u64())
            .collect(),
        cycles: list(&d["cycles"])
            .map(|c| list(&c["members"]).map(of).collect())
            .collect(),
        ..Facts::default()
    };
    for (f, key) in list(&d["functions"]).zip(&keys) {
        facts.own.insert(key.clone(), cost(&f["self"]));
        if !f["inclusive"].is_null() {
            facts.inclusive.insert(key.clone(), cost(&f["inclusive"]));
        }
    }
    for line in list(&d["lines"]) {
        let cost = cost(&line["self"]);
        if cost.iter().any(|&c| c != 0) {
            add(
                facts
                    .lines
                    .entry((text(&line["file"]), count(&line["line"])))
                    .or_default(),
                &cost,
            );
        }
    }
    for call in list(&d["calls"]) {
        let (caller, callee) = (of(&call["caller"]), of(&call["callee"]));
        for site in list(&call["sites"]) {
            let place = (
                caller.clone(),
                callee.clone(),
                text(&site["file"]),
                count(&site["line"]),
            );
            add(
                facts.sites.entry(place).or_default(),
                &cost(&site["inclusive"]),
            );
        }
        facts.calls.insert(
            (caller, callee),
            (count(&call["count"]), cost(&call["inclusive"])),
        );
    }
    facts
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Text; a run of bytes that were no UTF-8 is one replacement character. Python writes each as a
/// lone surrogate, which is none in JSON, so the expectations have them replaced already.
fn text(value: &Value) -> String {
    let mut text = value.as_str().unwrap_or_default().to_owned();
    while text.contains("\u{fffd}\u{fffd}") {
        text = text.replace("\u{fffd}\u{fffd}", "\u{fffd}");
    }
    text
}

fn known(file: String) -> String {
    if file.is_empty() { "???".into() } else { file }
}

fn key(f: &Value, object: &str) -> Key {
    (
        text(&f[object]),
        known(text(&f["file"])),
        known(text(&f["name"])),
    )
}

fn count(value: &Value) -> u64 {
    number(value).try_into().expect("no negative count")
}

fn number(value: &Value) -> i128 {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text.parse().unwrap_or_else(|_| panic!("a count: {text}"))
}

fn row<'a>(counts: impl Iterator<Item = &'a Value>, n: usize) -> Vec<i128> {
    let mut row: Vec<i128> = counts.map(number).collect();
    row.resize(n, 0);
    row
}

fn add(sum: &mut Vec<i128>, more: &[i128]) {
    sum.resize(more.len(), 0);
    sum.iter_mut()
        .zip(more)
        .for_each(|(sum, more)| *sum += more);
}
