//! Checks all limits against one run.

use super::{
    Against, Expression, LimitOutcome, NoValue, Policy, RunCosts, Verdict, WhichRun, doubts,
    measure::select,
    remarks,
    sound::{fewer_parts, further_levels, in_cycles, lacks_levels},
    verdict::{judge, near},
};
use crate::{
    analysis::{Label, difference::doubts::run_differences},
    profile::{FunctionId, Order, Profile},
};
use std::cell::OnceCell;

/// The most limits without a value for which suggestions are searched. Each search reads all names.
const WITH_SUGGESTIONS: usize = 20;

/// The severity of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "cli", derive(serde::Deserialize))]
#[cfg_attr(feature = "cli", serde(rename_all = "lowercase"))]
pub enum Level {
    /// The check fails.
    #[default]
    Error,
    /// The check only warns.
    Warn,
}

/// A limit with its name and severity.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Its name in reports; by default, the expression itself.
    pub name: String,
    /// Its severity.
    pub level: Level,
    /// The condition.
    pub expression: Expression,
}

/// The result for one limit.
pub struct CheckedLimit<'a> {
    /// The limit.
    pub limit: &'a Limit,
    /// The outcome.
    pub outcome: LimitOutcome,
    /// The functions that explain it, most important first.
    pub places: Vec<FunctionShare<'a>>,
}

/// A function that explains a result, with its place in the source.
pub struct FunctionShare<'a> {
    /// File, name, object.
    pub label: Label<'a>,
    /// Its first line in its own file; 0 if unknown.
    pub line: u64,
    /// Its value.
    pub now: i128,
    /// Its value in the baseline, or for a limit on noise in the run with the median cost; `None`
    /// without such a run.
    pub before: Option<i128>,
    /// The scale of the values: how many units make one.
    pub unit: i128,
}

/// The result of the whole check, the least severe first: several checks have the most severe one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Status {
    /// No limit of level error was exceeded, and all were compared.
    #[default]
    Kept,
    /// None was exceeded, but not all could be compared.
    Unknown,
    /// A limit of level error was exceeded.
    Exceeded,
}

/// How a run's number of parts is compared with that of its baseline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// A run must not have fewer parts than its baseline.
    Compared,
    /// The numbers are not compared.
    Any,
}

/// The results of a check.
#[derive(Default)]
pub struct Checked<'a> {
    /// One row per limit, in the order of the limits.
    pub rows: Vec<CheckedLimit<'a>>,
    /// The reasons why the profiles cannot be trusted.
    pub doubts: Vec<String>,
    /// Remarks about profiles that can be judged.
    pub remarks: Vec<String>,
    /// The result.
    pub status: Status,
}

impl<'a> Checked<'a> {
    /// Judges limits. If a profile cannot be trusted, it judges none. A run with fewer parts than
    /// its baseline, or than any of its last runs, cannot be trusted, unless parts are [not
    /// compared](Parts::Any).
    pub fn new(
        limits: &'a [Limit],
        new: RunCosts<'a>,
        against: &Against<'a>,
        policy: Policy,
        parts: Parts,
    ) -> Checked<'a> {
        let (baseline, again) = (against.baseline, against.again);
        let mut new_doubts = doubts(new.profile);
        let old_doubts = baseline.map_or_else(Vec::new, |side| doubts(side.profile));
        let mut again_doubts = again.map_or_else(Vec::new, |side| doubts(side.profile));
        if parts == Parts::Compared {
            let of_baseline = baseline.and_then(|side| side.profile.part_count());
            let again_or = "save the baseline again or use --allow-truncated";
            let which = "the baseline has";
            new_doubts.extend(fewer_parts(new.profile, of_baseline, which, again_or));
            let than_before = |side: RunCosts| {
                let which = "every earlier run has";
                fewer_parts(side.profile, against.parts, which, "use --allow-truncated")
            };
            new_doubts.extend(than_before(new));
            again_doubts.extend(again.and_then(than_before));
        }
        let all = [
            (WhichRun::New, &new_doubts),
            (WhichRun::Again, &again_doubts),
            (WhichRun::Baseline, &old_doubts),
        ];
        let untrusted = all
            .into_iter()
            .find_map(|(run, doubts)| Some((run, doubts.first()?)));
        let mut of_limits = Vec::new();
        let mut without_values = 0;
        let all_levels = OnceCell::new();
        let levels = || {
            all_levels
                .get_or_init(|| further_levels(new.profile))
                .as_slice()
        };
        let row = |(at, limit): (usize, &'a Limit)| {
            let selected = select(&limit.expression, new.profile);
            of_limits.extend(in_cycles(limit, new, &selected));
            of_limits.extend(lacks_levels(limit, new.profile, &selected, levels));
            let mut outcome = match untrusted {
                None => judge(&limit.expression, (new, &selected), (against, at), policy),
                Some((run, doubt)) => LimitOutcome {
                    verdict: Verdict::Unknown(run, NoValue::Trust(doubt.clone())),
                    ..LimitOutcome::default()
                },
            };
            if outcome.verdict == Verdict::Exceeded && limit.level == Level::Warn {
                outcome.verdict = Verdict::Warned;
            }
            if let Verdict::Unknown(WhichRun::New, missing)
            | Verdict::Skipped(WhichRun::New, missing) = &outcome.verdict
                && without_values < WITH_SUGGESTIONS
            {
                without_values += 1;
                outcome.near = near(&limit.expression, new.profile, missing);
            }
            let place = |b: &super::Blamed| FunctionShare {
                label: Label::new(new.profile, b.function),
                line: new
                    .profile
                    .first_line(b.function)
                    .or_else(|| Some(new.profile.stated.as_ref()?.line(b.function)))
                    .unwrap_or(0),
                now: b.now,
                before: b.before,
                unit: outcome.unit,
            };
            let places = outcome.blamed.iter().map(place).collect();
            CheckedLimit {
                limit,
                outcome,
                places,
            }
        };
        let rows: Vec<CheckedLimit> = limits.iter().enumerate().map(row).collect();
        let exceeded = |r: &CheckedLimit| r.outcome.verdict == Verdict::Exceeded;
        let status = if untrusted.is_some() {
            Status::Unknown
        } else if rows.iter().any(exceeded) {
            Status::Exceeded
        } else if rows
            .iter()
            .any(|r| matches!(r.outcome.verdict, Verdict::Unknown(..)))
        {
            Status::Unknown
        } else {
            Status::Kept
        };
        let sides = [Some(new), again, baseline];
        let of_sides = sides
            .into_iter()
            .flatten()
            .flat_map(|side| remarks(side.profile));
        let is_known = |side: &RunCosts| !side.profile.command().is_empty();
        let other = baseline.filter(|old| is_known(old) && is_known(&new));
        let other = other.map(|old| run_differences(old.profile, new.profile));
        let remarks = of_sides
            .chain(other.into_iter().flatten())
            .chain(of_limits)
            .collect();
        Checked {
            rows,
            remarks,
            doubts: [new_doubts, again_doubts, old_doubts].concat(),
            status,
        }
    }

    /// Adds the results of another check.
    pub fn merged(mut self, other: Checked<'a>) -> Checked<'a> {
        self.rows.extend(other.rows);
        self.doubts.extend(other.doubts);
        self.remarks.extend(other.remarks);
        self.status = self.status.max(other.status);
        self
    }

    /// The rows by urgency, for reports with limited space: those that fail the check come first,
    /// those that need no attention last.
    pub fn urgent_first(&self) -> Vec<&CheckedLimit<'a>> {
        let mut rows: Vec<&CheckedLimit> = self.rows.iter().collect();
        rows.order_by_key(|row| match row.outcome.verdict {
            Verdict::Exceeded | Verdict::Unknown(..) => 0,
            Verdict::Warned | Verdict::Unconfirmed => 1,
            Verdict::Kept | Verdict::Skipped(..) => 2,
        });
        rows
    }

    /// How many limits were kept, exceeded, exceeded with level `warn`, unconfirmed, skipped and
    /// not compared.
    pub fn counts(&self) -> [usize; 6] {
        let mut counts = [0; 6];
        for row in &self.rows {
            let at = match row.outcome.verdict {
                Verdict::Kept => 0,
                Verdict::Exceeded => 1,
                Verdict::Warned => 2,
                Verdict::Unconfirmed => 3,
                Verdict::Skipped(..) => 4,
                Verdict::Unknown(..) => 5,
            };
            counts[at] += 1;
        }
        counts
    }
}

/// The functions of a profile in the order of a baseline: by name, file and object.
pub fn in_baseline_order(profile: &Profile) -> Vec<FunctionId> {
    let mut ids: Vec<FunctionId> = profile.function_ids().collect();
    ids.order_by_key(|&id| {
        let f = profile.function(id);
        [f.name, f.file, f.object].map(|name| profile.names.lent(name))
    });
    ids
}
