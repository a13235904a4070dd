//! What a JSON report says, and whether it holds together.

use super::run::Answer;
use serde_json::Value;
use std::collections::BTreeSet;

/// A whole document.
pub(crate) struct Facts {
    pub(crate) document: Value,
    pub(crate) events: Vec<String>,
    pub(crate) totals: Vec<i128>,
    /// Kinds of warnings.
    pub(crate) warned: BTreeSet<String>,
}

impl Facts {
    /// Of an answer that is a report; `None` if the input was refused.
    pub(crate) fn read(answer: &Answer) -> Result<Option<Facts>, String> {
        let Some(bytes) = &answer.out else {
            return Ok(None);
        };
        let document: Value = match serde_json::from_slice(bytes) {
            Ok(document) => document,
            Err(e) => return answer.wrong(format!("json: {e}")),
        };
        let facts = Facts::new(document);
        facts.check().or_else(|e| answer.wrong(e))?;
        Ok(Some(facts))
    }

    pub(crate) fn new(document: Value) -> Facts {
        let warned = list(&document["warnings"])
            .map(|w| text(&w["kind"]))
            .collect();
        let events = list(&document["events"]).map(text).collect();
        Facts {
            totals: row(&document["totals"]),
            events,
            warned,
            document,
        }
    }

    pub(crate) fn format(&self) -> &str {
        self.document["profile"]["format"]
            .as_str()
            .unwrap_or_default()
    }

    /// How many parts were summed.
    pub(crate) fn parts(&self) -> u64 {
        self.document["profile"]["parts"]
            .as_u64()
            .unwrap_or_default()
    }

    /// Whether no count reached the limit that stands for what is larger; beyond it sums do not add
    /// up, and nobody says so.
    pub(crate) fn is_exact(&self) -> bool {
        let fits = |count: &i128| count.abs() < i128::from(i64::MAX) / 4;
        let rows =
            list(&self.document["functions"]).flat_map(|f| [row(&f["self"]), row(&f["inclusive"])]);
        !self.warned.contains("saturated")
            && self.totals.iter().all(fits)
            && rows.flatten().all(|count| fits(&count))
    }

    /// The sums of the self costs of the functions.
    pub(crate) fn own(&self) -> Vec<i128> {
        sum(
            self.events.len(),
            list(&self.document["functions"]).map(|f| row(&f["self"])),
        )
    }

    /// The inclusive cost of a function. Where no calls are recorded it is null, and in what is
    /// made of such a profile the self cost.
    pub(crate) fn inclusive(function: &Value) -> &Value {
        if function["inclusive"].is_null() {
            &function["self"]
        } else {
            &function["inclusive"]
        }
    }

    /// What must hold in any document.
    fn check(&self) -> Result<(), String> {
        let count = list(&self.document["functions"]).count() as u64;
        let is_index = |value: &Value| value.as_u64().is_some_and(|at| at < count);
        let width = self.events.len();
        if self.totals.len() != width {
            return Err(format!("totals: {} of {width} events", self.totals.len()));
        }
        for f in list(&self.document["functions"]) {
            // What cannot be known is null.
            let inclusive = f["inclusive"].is_null() && f["called"].is_null()
                || row(&f["inclusive"]).len() == width;
            if row(&f["self"]).len() != width || !inclusive {
                return Err(format!("functions: not {width} counts: {f}"));
            }
        }
        if let Some(line) = list(&self.document["lines"]).find(|line| !is_index(&line["function"]))
        {
            return Err(format!("lines: of no function: {line}"));
        }
        let calls = || list(&self.document["calls"]);
        if let Some(call) =
            calls().find(|call| !is_index(&call["caller"]) || !is_index(&call["callee"]))
        {
            return Err(format!("calls: of no function: {call}"));
        }
        if !self.is_exact() {
            return Ok(());
        }
        let computed = self.document["totals_source"] == "computed" && self.parts() == 1;
        if computed && self.own() != self.totals {
            return Err(format!(
                "sums: totals {:?}, but all self costs are {:?}",
                self.totals,
                self.own()
            ));
        }
        let lines = list(&self.document["lines"]).map(|line| row(&line["self"]));
        let has_lines = matches!(
            self.format(),
            "callgrind" | "cachegrind" | "xdebug" | "xdebug-trace"
        );
        let by_lines = sum(width, lines);
        if has_lines && by_lines != self.own() {
            return Err(format!(
                "sums: all functions cost {:?}, all lines {by_lines:?}",
                self.own()
            ));
        }
        for call in calls() {
            let sites = sum(
                width,
                list(&call["sites"]).map(|site| row(&site["inclusive"])),
            );
            if list(&call["sites"]).next().is_some() && sites != row(&call["inclusive"]) {
                return Err(format!("sums: the sites of a call: {call}"));
            }
        }
        Ok(())
    }
}

pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(crate) fn row(value: &Value) -> Vec<i128> {
    list(value)
        .map(|n| {
            n.as_i64()
                .map(i128::from)
                .or(n.as_u64().map(i128::from))
                .unwrap_or_default()
        })
        .collect()
}

pub(crate) fn sum(width: usize, rows: impl Iterator<Item = Vec<i128>>) -> Vec<i128> {
    rows.fold(vec![0; width], |mut sum, row| {
        sum.iter_mut()
            .zip(row)
            .for_each(|(sum, count)| *sum += count);
        sum
    })
}
