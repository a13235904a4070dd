//! Checks whether a part is complete: it has the end marker of its writer, and its costs add up to
//! the sums in the file.
//!
//! A CI gate must not pass on half a profile. The parser knows the end marker of every known writer
//! (`lacks_end` in `header.rs`), and records missing ones and incomplete last lines. The readers of
//! Callgrind's format call this file at the end of the input, when every part has its own sum.
//! `docs/limits.md` has the table of writers.

use crate::{
    input::excerpt::shown,
    profile::{End, EndMark, Events, Head, NEVER, Part, WarningKind, costs::count},
};

/// Determines how every part ends, and warns about truncated ones unless a warning already called
/// the whole input truncated. For a program that only claims to be Callgrind, costs that add up to
/// `summary:` count as an end, too.
pub(crate) fn warn_of_cuts(head: &mut Head) {
    let is_said = head.warnings.has(WarningKind::Truncated);
    for at in 0..head.parts.len() {
        let part = &head.parts[at];
        let lines = &part.self_cost;
        let differs = |row: &Option<Vec<i64>>| row.as_ref().and_then(|row| difference(row, lines));
        let poses = part.poses_as_callgrind();
        let adds_up = part.summary.is_some() && differs(&part.summary).is_none();
        let unfinished = part.unfinished.filter(|_| !(poses && adds_up));
        // Cachegrind's files have no creator.
        let (key, last) = if head.format.end == EndMark::Summary && part.creator.is_empty() {
            ("summary:", &part.summary)
        } else {
            ("totals:", &part.totals)
        };
        let half = part.unended.zip(differs(last));
        let end = match part.totals.is_some() || adds_up {
            _ if unfinished.is_some() || half.is_some() => End::Missing,
            true => End::Whole,
            false if part.names_callgrind() => End::Missing,
            false => End::Unmarked,
        };
        let sum = |c| (event(head, c), count(lines, c));
        let cut = match (unfinished, half) {
            // A part without any cost was shortened by hand.
            (Some(line), _) if !(poses && difference(lines, &[]).is_none()) => {
                let summary = part.summary.as_deref().unwrap_or_default();
                let lost =
                    difference(summary, lines).filter(|&c| count(summary, c) > count(lines, c));
                let lost = lost.map_or(String::new(), |c| {
                    let ((event, sum), all) = (sum(c), count(summary, c));
                    format!(", and the {event} costs add up to {sum} of the {all} that `summary:` announced")
                });
                Some((
                    line,
                    format!("the input is truncated after this line: `{key}` is missing{lost}"),
                ))
            }
            (_, Some((line, c))) => {
                let (event, sum) = sum(c);
                let costs =
                    format!("the {event} costs add up to {sum}, but `{key}` states another total");
                Some((
                    line,
                    format!("the input is truncated in this line: {costs}"),
                ))
            }
            _ => None,
        };
        if let Some((line, message)) = cut.filter(|_| !is_said) {
            head.warn_of_part(Some(at), Some(line), WarningKind::Truncated, || message);
        }
        if end != End::Missing {
            check_last_number(head, at);
        }
        head.parts[at].end = end;
    }
}

/// Warns if the last number may be truncated: the input ends without a line feed, and the costs of
/// the first event do not add up to a sum in the file. [`Part::is_checked`] answers this for each
/// other event.
pub(crate) fn check_last_number(head: &mut Head, at: usize) {
    let part = &mut head.parts[at];
    let adds_up = |row: &Vec<i64>| {
        let first = row.iter().position(|&count| count != NEVER);
        row.len() >= part.self_cost.len()
            && first.is_some_and(|c| row[c] == count(&part.self_cost, c))
    };
    let is_checked = [&part.totals, &part.summary]
        .into_iter()
        .flatten()
        .any(adds_up);
    if !is_checked && part.unended.take().is_some() {
        doubt_the_end(head);
    }
}

/// Warns, once, that no sum checks the last line.
pub(super) fn doubt_the_end(head: &mut Head) {
    if !head.warnings.has(WarningKind::UncheckedEnd) {
        head.warn(None, WarningKind::UncheckedEnd, || {
            "the last line has no line feed, so its end may be missing, and no total checks it"
                .into()
        });
    }
}

/// Warns about parts whose costs do not add up to their `totals:`, which is their sum by
/// definition, or to their `summary:`. An earlier warning already reported a truncated `totals:`
/// line.
pub(crate) fn warn_of_totals(head: &mut Head) {
    for at in 0..head.parts.len() {
        let part = &mut head.parts[at];
        let totals = part.totals.as_deref();
        let differs = totals.and_then(|row| Some((difference(row, &part.self_cost)?, row)));
        let mismatch = differs.filter(|_| part.unended.is_none()).map(|(c, row)| {
            (
                (c, count(row, c)),
                WarningKind::TotalsMismatch,
                "but `totals:`",
            )
        });
        let agrees = totals.is_some() && differs.is_none();
        let low = part.settle_summary(agrees).filter(|_| !agrees);
        let low = low.map(|low| {
            (
                low,
                WarningKind::LowSummary,
                "which is the total, but `summary:`",
            )
        });
        let high = high_summary(part, &head.events)
            .filter(|_| agrees)
            .map(|high| (high, WarningKind::TotalsMismatch, "but `summary:`"));
        for ((c, stated), kind, other) in low.into_iter().chain(mismatch).chain(high) {
            let (sum, event) = (count(&head.parts[at].self_cost, c), event(head, c));
            head.warn_of_part(Some(at), None, kind, || {
                format!(
                    "part {}: the {event} costs add up to {sum}, {other} says {stated}",
                    at + 1
                )
            });
        }
    }
}

/// The first event whose `summary:` exceeds the costs by more than Callgrind's unassigned part, the
/// last block of each thread. `sys` events are skipped: Callgrind counts system calls even where it
/// collects nothing.
fn high_summary(part: &Part, events: &Events) -> Option<(usize, i64)> {
    const UNASSIGNED: i64 = 1000;
    let summary = part.summary.as_ref()?;
    let is_high = |&(c, &stated): &(usize, &i64)| {
        let sum = count(&part.self_cost, c);
        stated > sum.saturating_add(sum / 100).saturating_add(UNASSIGNED)
            && !events
                .recorded()
                .get(c)
                .is_some_and(|name| name.starts_with(b"sys"))
    };
    let mut high = summary.iter().enumerate().filter(is_high);
    let (c, &stated) = high
        .next()
        .filter(|_| part.creator.starts_with(b"callgrind-"))?;
    Some((c, stated))
}

/// The first column in which two rows differ. A missing count equals 0.
fn difference(stated: &[i64], sum: &[i64]) -> Option<usize> {
    (0..stated.len().max(sum.len())).find(|&c| count(stated, c) != count(sum, c))
}

/// The name of an event, for a message.
fn event(head: &Head, column: usize) -> String {
    head.events
        .recorded()
        .get(column)
        .map_or(String::new(), |name| shown(name))
}
