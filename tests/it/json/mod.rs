//! The JSON report as `docs/json.md` has it, and what it shows of sums: parts, threads, files,
//! derived events. It is read by serde_json, which is not what checks the values: those are the
//! profiles' own figures, the same run recorded in another way, or calculated by hand beside the
//! test.

mod events;
mod report;
mod split;
mod sums;
mod zoom;

use crate::common::{Stage, fixtures};
use serde_json::Value;
use std::collections::BTreeMap;

/// A function: object, file, name.
type Key = [String; 3];

/// How often, and the inclusive cost.
type Calls = (u64, Vec<i64>);

/// A report by names instead of indexes, so that two can be compared whatever their order.
#[derive(Debug, PartialEq)]
struct Decoded {
    events: Value,
    totals: Vec<i64>,
    functions: BTreeMap<Key, (Vec<i64>, Vec<i64>, u64)>,
    lines: BTreeMap<(Key, String, u64), Vec<i64>>,
    arcs: BTreeMap<(Key, Key), Calls>,
    sites: BTreeMap<(Key, Key, String, u64), Calls>,
    cycles: Vec<Vec<Key>>,
}

fn integers(value: &Value) -> Vec<i64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_i64().unwrap())
        .collect()
}

fn string(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// A key may occur twice if names differ only in bytes that are no UTF-8; in these tests it never
/// may.
fn put<K: Ord + std::fmt::Debug, V>(map: &mut BTreeMap<K, V>, key: K, value: V) {
    let text = format!("{key:?}");
    assert!(map.insert(key, value).is_none(), "twice: {text}");
}

impl Decoded {
    fn new(report: &Value) -> Decoded {
        let list = |key: &str| report[key].as_array().unwrap().clone();
        let keys: Vec<Key> = list("functions")
            .iter()
            .map(|f| ["object", "file", "name"].map(|part| string(&f[part])))
            .collect();
        let key = |index: &Value| keys[usize::try_from(index.as_u64().unwrap()).unwrap()].clone();
        let mut decoded = Decoded {
            events: report["events"].clone(),
            totals: integers(&report["totals"]),
            functions: BTreeMap::new(),
            lines: BTreeMap::new(),
            arcs: BTreeMap::new(),
            sites: BTreeMap::new(),
            cycles: Vec::new(),
        };
        for (f, key) in list("functions").iter().zip(&keys) {
            let costs = (
                integers(&f["self"]),
                integers(&f["inclusive"]),
                f["called"].as_u64().unwrap(),
            );
            put(&mut decoded.functions, key.clone(), costs);
        }
        for l in list("lines") {
            let at = (
                key(&l["function"]),
                string(&l["file"]),
                l["line"].as_u64().unwrap(),
            );
            put(&mut decoded.lines, at, integers(&l["self"]));
        }
        for c in list("calls") {
            let (caller, callee) = (key(&c["caller"]), key(&c["callee"]));
            let counted = |v: &Value| (v["count"].as_u64().unwrap(), integers(&v["inclusive"]));
            put(
                &mut decoded.arcs,
                (caller.clone(), callee.clone()),
                counted(&c),
            );
            for s in c["sites"].as_array().unwrap() {
                let at = (
                    caller.clone(),
                    callee.clone(),
                    string(&s["file"]),
                    s["line"].as_u64().unwrap(),
                );
                put(&mut decoded.sites, at, counted(s));
            }
        }
        for c in list("cycles") {
            let mut members: Vec<Key> = c["members"].as_array().unwrap().iter().map(key).collect();
            members.sort();
            decoded.cycles.push(members);
        }
        decoded
    }

    /// Leaves out what has no cost: another recording of the same run may not mention it.
    fn with_cost(mut self) -> Decoded {
        let costs = |costs: &[i64]| costs.iter().any(|&c| c != 0);
        self.functions
            .retain(|_, (own, inclusive, _)| costs(own) || costs(inclusive));
        self.lines.retain(|_, own| costs(own));
        self.arcs.retain(|_, (_, inclusive)| costs(inclusive));
        self.sites.retain(|_, (_, inclusive)| costs(inclusive));
        self
    }

    /// Leaves out how often functions were called.
    fn without_counts(mut self) -> Decoded {
        self.functions
            .values_mut()
            .for_each(|(_, _, called)| *called = 0);
        self.arcs.values_mut().for_each(|(count, _)| *count = 0);
        self.sites.values_mut().for_each(|(count, _)| *count = 0);
        self
    }

    fn function(&self, name: &str) -> &(Vec<i64>, Vec<i64>, u64) {
        let mut found = self.functions.iter().filter(|(key, _)| key[2] == name);
        let (_, costs) = found.next().unwrap_or_else(|| panic!("no {name}"));
        assert!(found.next().is_none(), "{name} twice");
        costs
    }
}

/// The documents that a run prints. It must succeed without a word on standard error.
fn documents(stage: &Stage, args: &[&str]) -> Vec<Value> {
    let out = stage.run(&[&["--format=json"], args].concat());
    assert!(
        out.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&out.stderr), "", "{args:?}");
    serde_json::Deserializer::from_slice(&out.stdout)
        .into_iter()
        .map(Result::unwrap)
        .collect()
}

fn document(stage: &Stage, args: &[&str]) -> Value {
    let mut all = documents(stage, args);
    assert_eq!(all.len(), 1, "{args:?}");
    all.remove(0)
}

fn decoded(stage: &Stage, args: &[&str]) -> Decoded {
    Decoded::new(&document(stage, args))
}

/// A profile of the given text.
fn of_text(text: impl AsRef<[u8]>) -> Stage {
    let stage = Stage::empty();
    stage.write("p", text);
    stage
}
