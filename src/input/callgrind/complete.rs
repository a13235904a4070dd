//! Checks whether a part is complete: its writer's end marker is there, and its costs add up to the sums that it
//! states.
//!
//! A gate must not pass on half a profile, so the end marker of every known writer is listed here ([`Mark`]). The
//! parser notes missing marks and incomplete last lines; the readers of Callgrind's format call this when everything is
//! read and every part has its own sum. `docs/limits.md` has the table of writers.

use crate::input::excerpt::shown;
use crate::profile::costs::NEVER;
use crate::profile::{End, Format, Head, Part, WarningKind};

/// The end marker of a part, by its writer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    /// `totals:`, where the header has a `summary:`: Callgrind always writes both, our own files have both or may have
    /// neither.
    AnnouncedTotals,
    /// `totals:`: Valgrind's xtrees.
    Totals,
    /// `summary:`: Cachegrind, cg_diff and cg_merge.
    Summary,
    /// `summary:`, before or in the last block of a run: Xdebug.
    SummaryOfRun,
    /// No known marker.
    None,
}

impl Mark {
    /// The marker for the writer of a part, and for a part that has only what Cachegrind writes.
    pub(super) fn of(format: Format, creator: &[u8], as_cachegrind: bool) -> Mark {
        match format {
            Format::Xdebug => Mark::SummaryOfRun,
            Format::Cachegrind if as_cachegrind => Mark::Summary,
            _ if creator.starts_with(b"callgrind-") || creator.starts_with(b"cgannotate-") => Mark::AnnouncedTotals,
            _ if creator.starts_with(b"xtree-") => Mark::Totals,
            _ => Mark::None,
        }
    }
}

/// Judges the end of every part and warns of truncated ones, unless a warning already said that the whole input is
/// truncated.
pub(crate) fn warn_of_cuts(head: &mut Head) {
    let is_said = head.warnings.has(WarningKind::Truncated);
    for at in 0..head.parts.len() {
        let part = &mut head.parts[at];
        let poses = part.poses_as_callgrind();
        if poses && is_sum(part, &part.summary) {
            part.unfinished = None;
        }
        let part = &head.parts[at];
        let key = if ends_with_summary(head.format, part) { "summary:" } else { "totals:" };
        let half =
            part.unended.zip(stated_at_the_end(head.format, part).and_then(|row| difference(row, &part.self_cost)));
        let end = match (part.unfinished, half) {
            (None, None) => whole_or_not(part),
            _ => End::Missing,
        };
        // One without a cost was shortened by hand.
        let by_hand = poses && difference(&part.self_cost, &[]).is_none();
        if let (Some(line), false) = (part.unfinished, is_said || by_hand) {
            let short = part.summary.as_deref().and_then(|row| difference(row, &part.self_cost));
            let short =
                short.filter(|&c| count(part.summary.as_deref().unwrap_or_default(), c) > count(&part.self_cost, c));
            let sum = short.map_or(String::new(), |c| {
                let (stated, sum) = (count(part.summary.as_deref().unwrap_or_default(), c), count(&part.self_cost, c));
                format!(", and the {} costs add up to {sum} of the {stated} that `summary:` announced", event(head, c))
            });
            head.warn_of_part(Some(at), Some(line), WarningKind::Truncated, || {
                format!("the input is cut off behind this line: `{key}` is missing{sum}")
            });
        } else if let (Some((line, c)), false) = (half, is_said) {
            let sum = count(&part.self_cost, c);
            let event = event(head, c);
            head.warn_of_part(Some(at), Some(line), WarningKind::Truncated, || {
                format!("the input is cut off in this line: the {event} costs add up to {sum}, and `{key}` says something else")
            });
        }
        if end != End::Missing {
            check_last_number(head, at);
        }
        head.parts[at].end = end;
    }
}

/// Without a line feed at the end of the input, the last number may be half of one. What is not checked by the costs of the
/// first event is doubtful; [`Part::is_checked`] tells of the others.
pub(crate) fn check_last_number(head: &mut Head, at: usize) {
    let part = &mut head.parts[at];
    let adds_up = |row: &Vec<i64>| {
        let first = row.iter().position(|&count| count != NEVER);
        row.len() >= part.self_cost.len() && first.is_some_and(|c| row[c] == count(&part.self_cost, c))
    };
    let is_checked = [&part.totals, &part.summary].into_iter().flatten().any(adds_up);
    if !is_checked && part.unended.take().is_some() {
        doubt_the_end(head);
    }
}

/// Warns, once, that nothing checks the last line.
pub(super) fn doubt_the_end(head: &mut Head) {
    if !head.warnings.has(WarningKind::UncheckedEnd) {
        head.warn(None, WarningKind::UncheckedEnd, || {
            "the last line has no line feed, so its end may be missing, and no sum checks it".into()
        });
    }
}

/// The judgement on one part, by the marker of its writer.
fn whole_or_not(part: &Part) -> End {
    if part.totals.is_some() || is_sum(part, &part.summary) {
        End::Whole
    } else if part.creator.starts_with(b"callgrind-") {
        End::Missing
    } else {
        End::Unmarked
    }
}

/// Whether the costs of a part add up to a sum that it states.
fn is_sum(part: &Part, row: &Option<Vec<i64>>) -> bool {
    row.as_ref().is_some_and(|row| difference(row, &part.self_cost).is_none())
}

/// The counts in the last line of a part, if its writer ends parts with counts.
fn stated_at_the_end(format: Format, part: &Part) -> Option<&[i64]> {
    let row = if ends_with_summary(format, part) { &part.summary } else { &part.totals };
    row.as_deref()
}

/// Whether a part ends with a `summary:` that is the sum of its costs. Cachegrind does not name itself.
fn ends_with_summary(format: Format, part: &Part) -> bool {
    format == Format::Cachegrind && part.creator.is_empty()
}

/// Warns of parts whose costs do not add up to their `totals:`, which is their sum by definition, or exceed their
/// `summary:`. A truncated `totals:` line was already reported.
pub(crate) fn warn_of_totals(head: &mut Head) {
    for at in 0..head.parts.len() {
        let part = &mut head.parts[at];
        let agrees = is_sum(part, &part.totals);
        if let Some((c, stated)) = part.settle_summary(agrees).filter(|_| !agrees) {
            let (sum, event) = (count(&head.parts[at].self_cost, c), event(head, c));
            head.warn_of_part(Some(at), None, WarningKind::LowSummary, || {
                format!(
                    "part {}: the {event} costs add up to {sum}, which is the total; `summary:` says {stated}",
                    at + 1
                )
            });
        }
        let part = &head.parts[at];
        let Some(totals) = part.totals.as_deref().filter(|_| part.unended.is_none()) else { continue };
        if let Some(c) = difference(totals, &part.self_cost) {
            let (stated, sum, event) = (count(totals, c), count(&part.self_cost, c), event(head, c));
            head.warn_of_part(Some(at), None, WarningKind::TotalsMismatch, || {
                format!("part {}: the {event} costs add up to {sum}, but `totals:` says {stated}", at + 1)
            });
        }
    }
}

/// The first column in which two rows differ; a missing count equals 0.
fn difference(stated: &[i64], sum: &[i64]) -> Option<usize> {
    (0..stated.len().max(sum.len())).find(|&c| count(stated, c) != count(sum, c))
}

fn count(row: &[i64], column: usize) -> i64 {
    row.get(column).copied().filter(|&n| n != NEVER).unwrap_or(0)
}

/// The name of a column, for a message.
fn event(head: &Head, column: usize) -> String {
    head.events.recorded().get(column).map_or(String::new(), |name| shown(name))
}
