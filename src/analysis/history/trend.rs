//! The result of many runs: the program and the functions whose cost changed, each with its steps.

use super::{Band, History, Rule, Who, rule::SeriesLevels};
use crate::{
    analysis::{Cost, GroupBy, Narrow},
    profile::Order,
};
use std::collections::BTreeSet;

/// The names of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunAbout {
    /// Its label, its commit, or the name of its file.
    pub name: String,
    /// The commit that it names.
    pub commit: Option<String>,
    /// Its files.
    pub files: Vec<String>,
}

/// The kinds of changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrendKind {
    /// A step.
    Step,
    /// Fewer runs than a step needs, at an end of the history, are separate from the others.
    Unconfirmed,
    /// A level that moved without a step.
    Drift,
}

/// A change of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrendChange {
    /// The kind of change.
    pub kind: TrendKind,
    /// The first run that has it, from 0. For drift, the first run of its level.
    pub run: usize,
    /// For drift, the last run of its level.
    pub until: Option<usize>,
    /// Twice the medians before it and after it.
    pub twice: [i128; 2],
    /// The reasons, in sentences; empty if unknown.
    pub why: Vec<String>,
}

impl TrendKind {
    /// The word in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            TrendKind::Step => "step",
            TrendKind::Unconfirmed => "unconfirmed",
            TrendKind::Drift => "drift",
        }
    }
}

impl TrendChange {
    /// The change as a fraction of the value before; `None` if that is 0.
    pub fn share(&self) -> Option<f64> {
        let [before, after] = self.twice.map(|twice| twice as f64);
        (before != 0.0).then(|| (after - before) / before.abs())
    }

    /// The change in words: `+3.1 %`, `new`, `gone`.
    pub fn share_in_words(&self) -> String {
        match (self.share().map(|share| share * 100.0), self.twice[1]) {
            (None, _) => "new".into(),
            (Some(_), 0) => "gone".into(),
            (Some(percent), _) if percent.abs() < 1.0 => format!("{percent:+.2} %"),
            (Some(percent), _) if percent.abs() < 1000.0 => format!("{percent:+.1} %"),
            (Some(percent), _) => format!("{:.1}x", percent / 100.0 + 1.0),
        }
    }

    /// The medians, with halves rounded up.
    pub fn medians(&self) -> [i128; 2] {
        self.twice.map(half)
    }

    /// Whether the cost increased.
    pub fn is_increase(&self) -> bool {
        self.twice[1] > self.twice[0]
    }
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub struct TrendRow<'h> {
    /// Its index in the history; `None` is the whole program.
    pub at: Option<usize>,
    /// The names of the row.
    pub who: Who<'h>,
    /// The cost in every run.
    pub values: Vec<i128>,
    /// The noise of its last level. `None` if the level has too few runs, or if no run follows
    /// those that determine noise.
    pub noise: Option<Band>,
    /// The number of runs in the last level.
    pub level: usize,
    /// The changes, in the order of runs.
    pub changes: Vec<TrendChange>,
}

impl TrendRow<'_> {
    /// The cost in the first run and in the last.
    pub fn ends(&self) -> [i128; 2] {
        [self.values.first(), self.values.last()].map(|value| value.copied().unwrap_or(0))
    }
}

/// The result for many runs.
#[derive(Clone, Debug)]
pub struct Trend<'h> {
    /// The event.
    pub event: String,
    /// Self or inclusive cost.
    pub cost: Cost,
    /// What the rows are.
    pub by: Option<GroupBy>,
    /// The rule that found the changes.
    pub rule: Rule,
    /// The runs, in order.
    pub runs: Vec<RunAbout>,
    /// The whole program.
    pub total: TrendRow<'h>,
    /// The rows that changed, the largest change first, or all rows that were asked for by name.
    /// With too few runs for changes, they are the rows that vary most.
    pub rows: Vec<TrendRow<'h>>,
    /// The number of other rows that changed.
    pub others: usize,
    /// The number of rows that did not change.
    pub unchanged: usize,
    /// Whether a higher limit would list more rows. If not, the other rows that changed have too
    /// little of the total.
    pub is_full: bool,
}

impl<'h> Trend<'h> {
    /// Finds the changes of a history. `narrow` has the requested names, the number of rows, and
    /// the minimum percentage of the total in any run.
    pub fn new(
        history: &'h History,
        (event, cost, by): (String, Cost, Option<GroupBy>),
        rule: Rule,
        runs: Vec<RunAbout>,
        narrow: &Narrow,
    ) -> Trend<'h> {
        let is_named = [&narrow.function, &narrow.file, &narrow.object]
            .iter()
            .any(|pattern| !pattern.only.is_empty());
        let is_known = history.runs() >= rule.least_runs();
        let least = narrow
            .min
            .map(|percent| history.totals.last().copied().unwrap_or(0) as f64 * percent / 100.0);
        let most = narrow.rows.unwrap_or(usize::MAX);
        let (mut rows, mut others, mut unchanged, mut is_full) = (Vec::new(), 0, 0, false);
        for row in history.ranked(&rule) {
            let is_change = row.found.is_change();
            let is_wanted = is_change || is_named || !is_known && row.weight > 0;
            let is_dear = |values: &[i128]| {
                least.is_none_or(|least| values.iter().any(|&v| v as f64 >= least))
            };
            if is_wanted && rows.len() < most {
                let values = history.values(row.at);
                if is_dear(&values) {
                    let of_row = (Some(row.at), history.who(row.at));
                    rows.push(trend_row(of_row, values, row.found, &rule));
                    continue;
                }
            } else if is_wanted && !is_full {
                is_full = is_dear(&history.values(row.at));
            }
            if is_change {
                others += 1
            } else {
                unchanged += 1
            }
        }
        let who = Who {
            name: b"PROGRAM TOTALS",
            members: 1,
            ..Who::default()
        };
        let totals = &history.totals;
        let found = rule.judge(totals, &rule.twice_totals(totals));
        let total = trend_row((None, who), totals.to_vec(), found, &rule);
        Trend {
            event,
            cost,
            by,
            rule,
            runs,
            total,
            rows,
            others,
            unchanged,
            is_full,
        }
    }

    /// The total and the rows.
    pub fn all(&self) -> impl Iterator<Item = &TrendRow<'h>> + Clone {
        std::iter::once(&self.total).chain(&self.rows)
    }

    /// The total and the rows, mutable, to set the reasons.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut TrendRow<'h>> {
        std::iter::once(&mut self.total).chain(&mut self.rows)
    }

    /// Keeps at most `rows` rows, and counts the others.
    pub fn truncate(&mut self, rows: usize) {
        self.is_full |= rows < self.rows.len();
        for row in self.rows.drain(rows.min(self.rows.len())..) {
            if row.changes.is_empty() {
                self.unchanged += 1
            } else {
                self.others += 1
            }
        }
    }

    /// The runs in which a listed change begins.
    pub fn beginnings(&self) -> BTreeSet<usize> {
        let changes = self.all().flat_map(|row| &row.changes);
        changes
            .filter(|change| change.kind != TrendKind::Drift)
            .map(|change| change.run)
            .collect()
    }

    /// Whether there are enough runs to find a step.
    pub fn is_known(&self) -> bool {
        self.runs.len() >= self.rule.least_runs()
    }
}

fn trend_row<'h>(
    (at, who): (Option<usize>, Who<'h>),
    values: Vec<i128>,
    found: SeriesLevels,
    rule: &Rule,
) -> TrendRow<'h> {
    let change = |kind, run, until, twice| TrendChange {
        kind,
        run,
        until,
        twice,
        why: Vec::new(),
    };
    let steps = found.steps(rule, &values).map(|step| {
        let kind = if step.is_confirmed {
            TrendKind::Step
        } else {
            TrendKind::Unconfirmed
        };
        change(kind, step.run, None, step.twice)
    });
    let drifts = found.levels.iter().zip(&found.drifts);
    let drifts = drifts.filter_map(|(level, &drift)| {
        let until = Some(level.end.saturating_sub(1));
        Some(change(TrendKind::Drift, level.start, until, drift?))
    });
    let mut changes: Vec<TrendChange> = steps.chain(drifts).collect();
    // A drift comes after the step that begins its level.
    changes.order_by_key(|change| (change.run, change.kind == TrendKind::Drift));
    // Runs that nothing is compared with are not noise, but may be a change.
    let noise = found.band.filter(|_| values.len() > rule.window);
    let level = found.last_level(rule).len();
    TrendRow {
        at,
        who,
        values,
        noise,
        level,
        changes,
    }
}

/// Half of a number, rounded up.
fn half(twice: i128) -> i128 {
    twice.div_euclid(2).saturating_add(twice.rem_euclid(2))
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_rounded_upwards() {
        assert_eq!([5, 4, -5, -4].map(half), [3, 2, -2, -2]);
    }
}
