//! Judges one limit against one or two runs.

use super::{
    Blamed, Expression, NoValue, Noise, RunCosts,
    blame::{Partners, blamed},
    cycles::Cycles,
    measure::{Absent, measure, measure_present, select},
};
use crate::{
    analysis::UnknownEvent,
    profile::{FunctionId, Profile},
};

/// The run in which something is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhichRun {
    /// The run that is checked.
    New,
    /// The run that it is compared with.
    Baseline,
    /// One of the previous runs.
    History,
    /// The second run of the same program.
    Again,
}

/// What a run is compared with.
#[derive(Default)]
pub struct Against<'a> {
    /// The run that relative limits compare with.
    pub baseline: Option<RunCosts<'a>>,
    /// A second run of the same program, for limits on noise.
    pub again: Option<RunCosts<'a>>,
    /// For each limit on noise, the noise of previous runs; empty without previous runs.
    pub past: Vec<Option<Result<Noise, NoValue>>>,
    /// The lowest number of parts of the last runs, if it is known.
    pub parts: Option<u64>,
    /// For each limit on noise that may be exceeded, the run with the median cost, if it can be
    /// read again. It shows which functions grew.
    pub usual: Vec<Option<RunCosts<'a>>>,
    /// The partners of functions in the baseline and the run.
    pub partners: Partners,
}

/// Whether a limit was kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Verdict {
    /// The limit was kept.
    #[default]
    Kept,
    /// The limit was exceeded, and its level is error.
    Exceeded,
    /// The limit was exceeded, but its level is warn.
    Warned,
    /// One run exceeds it, and without a second run this may be noise.
    Unconfirmed,
    /// It was skipped: its function does not exist, which the policy allows, or noise is unknown so
    /// far.
    Skipped(WhichRun, NoValue),
    /// It could not be judged.
    Unknown(WhichRun, NoValue),
}

/// How a limit on a missing function is judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The limit cannot be judged.
    Required,
    /// The limit is skipped.
    MayBeMissing,
}

/// The outcome for one limit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LimitOutcome {
    /// Whether the limit was kept.
    pub verdict: Verdict,
    /// The scale of the values: 1, or 1000 for exponents. Without values, it may be 0.
    pub unit: i128,
    /// The value in the new run.
    pub value: Option<i128>,
    /// The value in the baseline, if the limit compares with it.
    pub baseline: Option<i128>,
    /// The highest value that keeps the limit.
    pub ceiling: Option<i128>,
    /// The value in the second run, if the first one exceeds noise.
    pub again: Option<i128>,
    /// The noise of previous runs, if the limit compares with them.
    pub noise: Option<Noise>,
    /// For an exceeded limit, the functions that matter most: those that grew most, or those that
    /// cost most if the limit compares with nothing.
    pub blamed: Vec<Blamed>,
    /// Suggestions: names and patterns if the limit selects no function of the new run, or an event
    /// if the run lacks the event. Only the first such limits have suggestions.
    pub near: Vec<String>,
}

/// Judges one limit, with selected functions of the new run. `at` is the limit's index.
pub(super) fn judge(
    limit: &Expression,
    (new, selected): (RunCosts, &[Vec<FunctionId>]),
    (against, at): (&Against<'_>, usize),
    policy: Policy,
) -> LimitOutcome {
    let unit = limit.unit(&new.profile.events);
    let mut outcome = LimitOutcome {
        unit,
        ..LimitOutcome::default()
    };
    let missing = |run, what: NoValue| match (policy, &what) {
        (Policy::MayBeMissing, NoValue::Function(_) | NoValue::Growth(_)) => {
            Verdict::Skipped(run, what)
        }
        (_, NoValue::TooFew(..)) => Verdict::Skipped(run, what),
        _ => Verdict::Unknown(run, what),
    };
    let now = match measure(limit, new, selected, Absent::Unknown) {
        Ok(now) => now,
        Err(what) => {
            outcome.verdict = missing(WhichRun::New, what);
            return outcome;
        }
    };
    outcome.value = Some(now.value);
    let is_compared = limit.needs_baseline() || limit.needs_history();
    let cycles = if is_compared {
        Cycles::new(limit, new, selected)
    } else {
        None
    };
    let mut before = None;
    if limit.needs_baseline() {
        let measured = against.baseline.ok_or(NoValue::Baseline).and_then(|side| {
            let of_old = select(limit, side.profile);
            let measured = measure(limit, side, &of_old, Absent::Unknown)?;
            comparable(cycles.as_ref(), Cycles::new(limit, side, &of_old).as_ref())?;
            Ok((side, measured))
        });
        match measured {
            Ok((side, measured)) => {
                outcome.baseline = Some(measured.value);
                before = Some((side.profile, measured));
            }
            Err(what) => {
                outcome.verdict = missing(WhichRun::Baseline, what);
                return outcome;
            }
        }
    }
    if limit.needs_history() {
        let noise = against.past.get(at).cloned().flatten();
        let compared = noise.unwrap_or(Err(NoValue::History)).and_then(|noise| {
            let before = &outcome.noise.insert(noise).cycles;
            comparable(cycles.as_ref(), before.as_ref())
        });
        if let Err(what) = compared {
            outcome.verdict = missing(WhichRun::History, what);
            return outcome;
        }
    }
    let most_noise = outcome.noise.as_ref().map(|noise| noise.ceiling);
    let ceiling = |baseline| {
        limit
            .bounds
            .iter()
            .filter_map(|bound| bound.ceiling(baseline, most_noise, unit))
            .max()
    };
    outcome.ceiling = ceiling(outcome.baseline);
    // Both sides can be anywhere within their bounds.
    let [low, high] = match &before {
        Some((_, measured)) => measured.bounds.map(|bound| ceiling(Some(bound))),
        None => [outcome.ceiling; 2],
    };
    let [least, most] = now.bounds;
    if let Some(ceiling) = high.filter(|&ceiling| least > ceiling) {
        outcome.verdict = match (limit.needs_history(), against.again) {
            (false, _) => Verdict::Exceeded,
            (true, None) => Verdict::Unconfirmed,
            (true, Some(again)) => confirmed(limit, again, ceiling, &mut outcome),
        };
        let of_usual = Partners::default();
        let mut partners = &against.partners;
        if limit.needs_history() && before.is_none() {
            partners = &of_usual;
            before = against.usual.get(at).copied().flatten().map(|side| {
                (
                    side.profile,
                    measure_present(limit, side).unwrap_or_default(),
                )
            });
        }
        // Without previous runs, it is unknown which functions grew.
        if outcome.verdict != Verdict::Kept && (before.is_some() || !limit.needs_history()) {
            outcome.blamed = blamed(new.profile, now, before, partners);
        }
    } else if low.is_some_and(|ceiling| most > ceiling) {
        outcome.verdict = Verdict::Unknown(WhichRun::New, NoValue::Bounds(least, most));
    }
    outcome
}

/// Fails if two runs omit different calls from inclusive costs, because these cannot be compared.
fn comparable(new: Option<&Cycles>, old: Option<&Cycles>) -> Result<(), NoValue> {
    let differs = new.zip(old).and_then(|(new, old)| new.difference(old));
    differs.map_or(Ok(()), |name| Err(NoValue::Cycle(name)))
}

/// Suggestions for what the new run does not have.
pub(super) fn near(limit: &Expression, profile: &Profile, missing: &NoValue) -> Vec<String> {
    match missing {
        NoValue::Function(text) => {
            let mut selectors = limit.metrics.iter().flat_map(|metric| &metric.of);
            let selector = selectors.find(|selector| selector.text == *text);
            selector.map_or_else(Vec::new, |selector| selector.near(profile))
        }
        NoValue::Event(name) => {
            let unknown = UnknownEvent::new(name, &profile.events);
            unknown.near().map(str::to_owned).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Judges a limit on noise by a second run, after the first one exceeds it. Functions that are
/// missing cost nothing.
fn confirmed(
    limit: &Expression,
    again: RunCosts,
    ceiling: i128,
    outcome: &mut LimitOutcome,
) -> Verdict {
    match measure_present(limit, again) {
        Ok(measured) => {
            outcome.again = Some(measured.value);
            if measured.bounds[0] > ceiling {
                Verdict::Exceeded
            } else {
                Verdict::Kept
            }
        }
        Err(why) => Verdict::Unknown(WhichRun::Again, why),
    }
}
