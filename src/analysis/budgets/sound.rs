//! Decides whether profiles can be judged. A check must not pass because its input was truncated,
//! damaged or empty.

use super::{Limit, Metric, MetricKind, RunCosts, Selector};
use crate::{
    analysis::levels::LevelFinder,
    profile::{
        End, EndMark, FunctionId, NEVER, Part, Profile, WarningKind, callers::without_level,
        is_free, joined, to_text,
    },
};
use std::collections::HashSet;

/// The reasons why a profile cannot be judged; empty if it can.
pub fn doubts(profile: &Profile) -> Vec<String> {
    let mut doubts: Vec<String> = Vec::new();
    for &(kind, count) in profile.warnings.counts() {
        if let Some(what) = doubt(kind) {
            let first = profile.warnings.kept().iter().find(|w| w.kind == kind);
            let place = first.map_or(String::new(), |w| match w.line {
                Some(line) => format!("{}:{line}: ", w.file.display()),
                None => format!("{}: ", w.file.display()),
            });
            let more = if count > 1 {
                format!(" ({} more)", count - 1)
            } else {
                String::new()
            };
            doubts.push(format!("{place}{what}{more}"));
        }
    }
    for part in profile.parts.iter().filter(|part| part.end == End::Missing) {
        let what = match profile.format.end {
            EndMark::Totals => "a part has no `totals:`",
            EndMark::Summary => "the file has no `summary:`",
            EndMark::RunSummaries => "a run has no `summary:`",
            EndMark::TraceEnd => "a run has no `TRACE END`",
            EndMark::Line => "the last line is incomplete",
        };
        doubts.push(format!(
            "{}: {what}; the end is missing",
            profile.input_name(part.input)
        ));
    }
    // Only a difference may be below zero: a file of cg_diff, or a baseline saved from one.
    let is_difference = |part: &Part| {
        part.descriptions
            .iter()
            .any(|text| text.starts_with(b"Files compared:"))
    };
    let may_be_below = profile.format.is_ours || profile.parts.iter().any(is_difference);
    let below = profile
        .totals
        .row
        .iter()
        .position(|&count| count < 0 && count != NEVER);
    if let Some(column) = below.filter(|_| !may_be_below) {
        let event = profile
            .events
            .recorded()
            .get(column)
            .map_or(String::new(), to_text);
        doubts.push(format!(
            "{}: the total of {event} is negative, which no run can have",
            all_of(profile)
        ));
    }
    if is_free(&profile.totals.row) {
        doubts.push(format!(
            "{}: the profile has no costs at all",
            all_of(profile)
        ));
    }
    doubts
}

/// The beginning of a doubt about all inputs.
fn all_of(profile: &Profile) -> String {
    joined(profile.input_names(), " + ")
}

/// Reports that a run has fewer parts than its baseline or any of the last runs before it. For a
/// file that was truncated between two parts, this is the only sign. Returns `None` if there is
/// nothing to report, or if a number is unknown.
pub(super) fn fewer_parts(
    new: &Profile,
    all: Option<u64>,
    which: &str,
    remedy: &str,
) -> Option<String> {
    let (have, all) = (new.part_count()?, all?);
    let parts = || {
        format!(
            "{}: {have} of the {all} parts that {which}; if no part was lost, {remedy}",
            all_of(new)
        )
    };
    (have < all).then(parts)
}

/// Remarks about a run that can be judged: truncation could not have been detected, or the program
/// had not ended.
pub fn remarks(profile: &Profile) -> Vec<String> {
    let mut remarks = Vec::new();
    let mut unmarked: Vec<usize> = profile
        .parts
        .iter()
        .filter(|part| part.end == End::Unmarked)
        .map(|part| part.input)
        .collect();
    unmarked.dedup();
    if let Some(&first) = unmarked.first() {
        let more = if unmarked.len() > 1 {
            format!(" and {} more", unmarked.len() - 1)
        } else {
            String::new()
        };
        remarks.push(format!(
            "{}{more}: its writer is not known to mark where a file ends, so truncation would not be detected",
            profile.input_name(first)
        ));
    }
    // The dumps of one process may be in several files.
    const END: &[u8] = b"Program termination";
    let ended: HashSet<&[u8]> = profile
        .parts
        .iter()
        .filter(|part| part.trigger().is_some_and(|t| t.starts_with(END)))
        .map(|part| &part.pid[..])
        .collect();
    for (at, part) in profile
        .parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.names_callgrind())
    {
        let is_last = profile
            .parts
            .get(at + 1)
            .is_none_or(|next| next.input != part.input);
        if let Some(trigger) = part
            .trigger()
            .filter(|_| is_last && !ended.contains(&part.pid[..]))
        {
            remarks.push(format!(
                "{}: the last part was written because of {}, not at the end of the program; later costs are missing",
                profile.input_name(part.input),
                to_text(trigger)
            ));
        }
    }
    remarks
}

/// The effect of a warning on the numbers; `None` if there is none.
fn doubt(kind: WarningKind) -> Option<&'static str> {
    Some(match kind {
        WarningKind::MalformedLine => "a line is malformed, so costs may be missing",
        WarningKind::LongLine => "a line was skipped",
        WarningKind::BadCount => "a count is not a number",
        WarningKind::UndefinedId => "a name is not defined",
        WarningKind::MissingCallCost => "a call has no cost",
        WarningKind::TotalsMismatch => "the costs do not add up to the totals",
        WarningKind::Saturated => "a count or a sum is too large",
        WarningKind::Truncated => "the input is truncated",
        WarningKind::UncheckedEnd => "the last number may be incomplete",
        WarningKind::SeveralProcesses => "several processes wrote into the file",
        WarningKind::NoFunctions => "the file has no functions",
        WarningKind::ForkedInputs => "the cost of a process before it forked may be counted twice",
        WarningKind::UnclearCallers => "some contexts of functions are not joined",
        WarningKind::WrappedCount => "a count wrapped, or the clock went back",
        WarningKind::UnknownHeader
        | WarningKind::RedefinedId
        | WarningKind::CallWithoutCallee
        | WarningKind::CostBeforeFunction
        | WarningKind::NegativeLine
        | WarningKind::SecondSummary
        | WarningKind::LowSummary
        | WarningKind::NegativeSummary
        | WarningKind::DuplicateEvent
        | WarningKind::BadFormula
        | WarningKind::MixedInputs
        | WarningKind::BrokenOrder
        | WarningKind::UnusedDetails => return None,
    })
}

/// Remarks that a limit on the inclusive cost of a member of a cycle does not include the calls
/// within the cycle.
pub(super) fn in_cycles(
    limit: &Limit,
    side: RunCosts,
    selected: &[Vec<FunctionId>],
) -> Vec<String> {
    let metrics = limit.expression.metrics.iter().zip(selected);
    let inclusive = metrics.filter(|(metric, _)| metric.kind == MetricKind::Inclusive);
    let remark = |(_, functions): (&Metric, &Vec<FunctionId>)| {
        let is_in_cycle = |&&id: &&FunctionId| side.inclusive.lacks_calls(id);
        let members = match functions.iter().filter(is_in_cycle).count() {
            0 => return None,
            1 => "a function is in a cycle".to_owned(),
            several => format!("{several} functions are in cycles"),
        };
        let text = &limit.expression.text;
        Some(format!(
            "`{text}`: {members}; inclusive costs do not include calls within a cycle"
        ))
    };
    inclusive.filter_map(remark).collect()
}

/// The functions that are deeper recursion levels by their names: `f'2`, `f'3`.
pub(super) fn further_levels(profile: &Profile) -> Vec<FunctionId> {
    let is_level = |id: &FunctionId| without_level(&profile.function_name(*id).text()).is_some();
    profile.function_ids().filter(is_level).collect()
}

/// Remarks that a limit on a named function does not include the deeper recursion levels, which are
/// separate functions. The limit may be kept only because of that. An inclusive cost includes them.
pub(super) fn lacks_levels<'f>(
    limit: &Limit,
    profile: &Profile,
    selected: &[Vec<FunctionId>],
    further_levels: impl FnOnce() -> &'f [FunctionId],
) -> Option<String> {
    let metrics = limit.expression.metrics.iter().zip(selected);
    let named = metrics.filter(|(metric, _)| match metric.kind {
        MetricKind::SelfCost | MetricKind::Own | MetricKind::Calls => {
            metric.of.as_ref().is_some_and(Selector::has_whole_name)
        }
        MetricKind::Total | MetricKind::Inclusive | MetricKind::Growth => false,
    });
    // A user who names a level knows about levels.
    let is_first = |id: &FunctionId| without_level(&profile.function_name(*id).text()).is_none();
    let named: Vec<FunctionId> = named
        .flat_map(|(_, functions)| functions.iter().copied())
        .filter(is_first)
        .collect();
    if named.is_empty() {
        return None;
    }
    let levels = LevelFinder::new(profile, named);
    let taken: HashSet<FunctionId> = selected.iter().flatten().copied().collect();
    let left = |other: FunctionId| {
        Some((
            levels.level_of(other).filter(|_| !taken.contains(&other))?,
            other,
        ))
    };
    let (this, other) = further_levels().iter().copied().find_map(left)?;
    let [this, other] = [this, other].map(|id| to_text(profile.function_name(id).text()));
    let text = &limit.expression.text;
    Some(format!(
        "`{text}`: {other} is another recursion level of {this} and not part of it; --fold-recursion joins them"
    ))
}
