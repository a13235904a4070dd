//! What is told about many runs: the program and the functions whose cost changed, each with its steps.

use super::collected::{By, History, Series, Who};
use super::rule::Rule;
use crate::analysis::Narrow;
use crate::analysis::difference::Cost;
use crate::profile::Order;
use std::collections::BTreeSet;

/// A run by its names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RunAbout {
    /// What it was labelled, its commit or the name of its file.
    pub name: String,
    /// The commit that it says it is of.
    pub commit: Option<String>,
    /// Its files.
    pub files: Vec<String>,
}

/// What kind of change it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A step.
    Step,
    /// Fewer runs at an end of the history than make a step lie beyond the others.
    Unconfirmed,
    /// A level that moved without a step.
    Drift,
}

/// A change of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrendChange {
    /// What kind it is.
    pub kind: Kind,
    /// The first run that has it, from 0; of drift, the first of its level.
    pub run: usize,
    /// Of drift, the last run of its level.
    pub until: Option<usize>,
    /// Twice the median before it.
    pub twice_before: i128,
    /// Twice the median after it.
    pub twice_after: i128,
    /// Why, in sentences; empty if that is not known.
    pub why: Vec<String>,
}

impl Kind {
    /// Its word in tables and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Step => "step",
            Kind::Unconfirmed => "unconfirmed",
            Kind::Drift => "drift",
        }
    }
}

impl TrendChange {
    /// How much it is of what was before; `None` of nothing.
    pub fn share(&self) -> Option<f64> {
        let (before, after) = (self.twice_before as f64, self.twice_after as f64);
        (self.twice_before != 0).then(|| (after - before) / before.abs())
    }

    /// The same in words: `+3.1 %`, `new`, `gone`.
    pub fn share_in_words(&self) -> String {
        match (self.share().map(|share| share * 100.0), self.twice_after) {
            (None, _) => "new".into(),
            (Some(_), 0) => "gone".into(),
            (Some(percent), _) if percent.abs() < 1.0 => format!("{percent:+.2} %"),
            (Some(percent), _) if percent.abs() < 1000.0 => format!("{percent:+.1} %"),
            (Some(percent), _) => format!("{:.1}x", percent / 100.0 + 1.0),
        }
    }

    /// The medians, rounded upwards where they end in a half.
    pub fn medians(&self) -> [i128; 2] {
        [self.twice_before, self.twice_after].map(half)
    }
}

/// How much the runs of the last level vary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noise {
    /// The least of the last runs.
    pub least: i128,
    /// The greatest.
    pub most: i128,
    /// Twice their median.
    pub twice_median: i128,
}

impl Noise {
    /// How much they vary, of their median; `None` if that is 0.
    pub fn share(&self) -> Option<f64> {
        let range = self.most.saturating_sub(self.least);
        (self.twice_median != 0).then(|| range as f64 * 2.0 / (self.twice_median as f64).abs())
    }
}

/// One row.
#[derive(Clone, PartialEq, Debug)]
pub struct TrendRow<'h> {
    /// Its place in the history; `None` is the whole program.
    pub at: Option<usize>,
    /// Whose cost it is.
    pub who: Who<'h>,
    /// The cost in every run.
    pub values: Vec<i128>,
    /// The noise of its last level; `None` if that has too few runs, or if no run is behind those that tell the noise.
    pub noise: Option<Noise>,
    /// How many runs the last level has.
    pub level: usize,
    /// What changed, in the order of runs.
    pub changes: Vec<TrendChange>,
}

impl TrendRow<'_> {
    /// The cost in the first run and in the last.
    pub fn ends(&self) -> [i128; 2] {
        [self.values.first(), self.values.last()].map(|value| value.copied().unwrap_or(0))
    }
}

/// What is told.
#[derive(Clone, Debug)]
pub struct Trend<'h> {
    /// The event.
    pub event: String,
    /// Which cost.
    pub cost: Cost,
    /// What rows are.
    pub by: By,
    /// The rule by which they changed.
    pub rule: Rule,
    /// The runs, in order.
    pub runs: Vec<RunAbout>,
    /// The whole program.
    pub total: TrendRow<'h>,
    /// Those that changed, the largest change first; all that were asked for by name. If there are too few runs to tell
    /// changes, those that vary most.
    pub rows: Vec<TrendRow<'h>>,
    /// How many others changed.
    pub others: usize,
    /// How many did not.
    pub unchanged: usize,
    /// Whether more rows would be listed if more were asked for. If not, others that changed had too little of the total.
    pub is_full: bool,
}

/// Which rows are listed.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'r> {
    /// Names that were asked for, how many rows, and the least share of the total in any run.
    pub narrow: &'r Narrow,
    /// How many rows there are if nobody says.
    pub usual: Option<usize>,
}

impl<'h> Trend<'h> {
    /// What a history tells.
    pub fn new(
        history: &'h History,
        (event, cost, by): (String, Cost, By),
        rule: Rule,
        runs: Vec<RunAbout>,
        wanted: Wanted<'_>,
    ) -> Trend<'h> {
        let narrow = wanted.narrow;
        let is_named = [&narrow.function, &narrow.file, &narrow.object]
            .iter()
            .any(|pattern| !pattern.only.is_empty());
        let is_known = history.runs() >= rule.least_runs();
        let least = narrow
            .min
            .map(|percent| history.totals().last().copied().unwrap_or(0) as f64 * percent / 100.0);
        let most = narrow.rows.or(wanted.usual).unwrap_or(usize::MAX);
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
                    let series = Series {
                        values,
                        found: row.found,
                    };
                    rows.push(trend_row(Some(row.at), history.who(row.at), series, &rule));
                    continue;
                }
            } else if is_wanted && !is_full {
                is_full = is_dear(&history.values(row.at));
            }
            match is_change {
                true => others += 1,
                false => unchanged += 1,
            }
        }
        let who = Who {
            name: b"PROGRAM TOTALS",
            file: b"",
            object: b"",
            members: 1,
        };
        let total = trend_row(None, who, history.total(&rule), &rule);
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
    pub fn all(&self) -> impl Iterator<Item = &TrendRow<'h>> {
        std::iter::once(&self.total).chain(&self.rows)
    }

    /// The same, to say why they changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut TrendRow<'h>> {
        std::iter::once(&mut self.total).chain(&mut self.rows)
    }

    /// Keeps so many rows; the others are counted.
    pub fn truncate(&mut self, rows: usize) {
        self.is_full |= rows < self.rows.len();
        for row in self.rows.drain(rows.min(self.rows.len())..) {
            match row.changes.is_empty() {
                true => self.unchanged += 1,
                false => self.others += 1,
            }
        }
    }

    /// The runs with which a listed change begins.
    pub fn beginnings(&self) -> BTreeSet<usize> {
        let changes = self.all().flat_map(|row| &row.changes);
        changes
            .filter(|change| change.kind != Kind::Drift)
            .map(|change| change.run)
            .collect()
    }

    /// Whether there are enough runs to tell a step.
    pub fn is_known(&self) -> bool {
        self.runs.len() >= self.rule.least_runs()
    }
}

fn trend_row<'h>(at: Option<usize>, who: Who<'h>, series: Series, rule: &Rule) -> TrendRow<'h> {
    let Series { values, found } = series;
    let steps = found.steps(rule, &values).map(|step| TrendChange {
        kind: if step.is_confirmed {
            Kind::Step
        } else {
            Kind::Unconfirmed
        },
        run: step.run,
        until: None,
        twice_before: step.twice_before,
        twice_after: step.twice_after,
        why: Vec::new(),
    });
    let drifts = found
        .levels
        .iter()
        .zip(&found.drifts)
        .filter_map(|(level, drift)| {
            Some(TrendChange {
                kind: Kind::Drift,
                run: level.start,
                until: Some(level.end.saturating_sub(1)),
                twice_before: drift.as_ref()?.twice_first,
                twice_after: drift.as_ref()?.twice_last,
                why: Vec::new(),
            })
        });
    let mut changes: Vec<TrendChange> = steps.chain(drifts).collect();
    // A drift is told behind the step that its level begins with.
    changes.order_by_key(|change| (change.run, change.kind == Kind::Drift));
    // What nothing is compared with is no noise, but may be a change.
    let band = found.band.filter(|_| values.len() > rule.window);
    let noise = band.map(|band| Noise {
        least: band.least,
        most: band.most,
        twice_median: band.twice_median,
    });
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

/// Half of a number, rounded upwards.
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
