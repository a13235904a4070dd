//! Says in one sentence why a function's cost changed: `decode +200.0 %: 3.0x the calls, all from
//! retry_loop (http.rs:88); 41 Ir a call as before`.

use super::sentence::Sentence;
use crate::{
    analysis::difference::{CallerShare, Cause, ChangedCode, ChangedFunction, Inside, Split},
    profile::{Event, Events, base_name},
    text::{grouped, how_many, number::percent, signed},
};
use std::cmp::Ordering;

/// Replaces a blank at which a line must not be broken.
pub(super) const GLUE: char = '\u{a0}';

/// The change of a function in one sentence; `None` if there is nothing to say. The event comes with
/// its index in the splits of the function. Only for the first event it is known which code made a
/// call more expensive. The percentage is that of inclusive cost; `cost` is the word for that to its
/// left, or empty if it is clear.
pub(super) fn why(
    row: &ChangedFunction<'_>,
    events: &Events,
    (at, event): (usize, Event),
    is_first: bool,
    cost: &str,
) -> Option<String> {
    let unit = events.text(event).into_owned();
    let [old, new] = row.inclusive.counted(events, event);
    let (n0, n1) = row.cause.counted();
    let is_told = match (row.old, row.new) {
        (None, _) | (_, None) => n0 > 0 || n1 > 0,
        _ => old != new && n0 > 0 && n1 > 0,
    };
    if !is_told || event.is_ratio() {
        return None;
    }
    let inside = if is_first { &row.cause.inside[..] } else { &[] };
    let inside = told(inside, (old, n0), (new, n1));
    let names = &names_in(row, &inside);
    let name = names.name_of(&row.label());
    let with_caller = |calls, from| with_caller(calls, &row.cause, from, names);
    let each = |cost, calls| format!("{}{GLUE}{unit} a{GLUE}call", per_call(cost, calls));
    let calls = |n: u64| how_many(n, "call");
    if let Some(run) = row.cause.in_cycle {
        return Some(format!(
            "{name}: calls that it makes are in a cycle only in the {} run; its inclusive cost there does not include them",
            run.name()
        ));
    }
    let reasons = match (row.old, row.new) {
        (None, _) => vec![with_caller(calls(n1), "from"), each(new, n1)],
        (_, None) => vec![
            with_caller(format!("had {}", calls(n0)), "from"),
            each(old, n0),
        ],
        _ => {
            let mut reasons = vec![match n1.cmp(&n0) {
                Ordering::Equal => format!("{} as before", calls(n1)),
                Ordering::Greater => with_caller(times(n0, n1), "from") + alone(&row.cause),
                Ordering::Less => with_caller(times(n0, n1), "lost from") + alone(&row.cause),
            }];
            let (before, after) = (each(old, n0), each(new, n1));
            if is_equal((old, n0), (new, n1)) {
                reasons.push(format!("{after} as before"));
            } else if before == after {
                let change = (new as f64 / n1 as f64) / (old as f64 / n0 as f64) - 1.0;
                let what = if change > 0.0 { "more" } else { "less" };
                reasons.push(format!(
                    "{after}, {:.3}{GLUE}% {what} than before",
                    change.abs() * 100.0
                ));
            } else {
                let places: Vec<String> = inside.iter().map(|one| place(one, names)).collect();
                let places = match places.split_last() {
                    None => String::new(),
                    Some((one, [])) => format!(": {one}"),
                    Some((last, others)) => format!(": {} and {last}", others.join(", ")),
                };
                reasons.push(format!("{after}, was {}{places}", per_call(old, n0)));
            }
            if let Some(Split {
                more,
                dearer,
                joint,
            }) = row
                .splits
                .get(at)
                .copied()
                .flatten()
                .filter(|s| s.more != 0 && s.dearer != 0)
            {
                let often = if more > 0 { "more" } else { "less" };
                let dear = if dearer > 0 {
                    "more expensive"
                } else {
                    "cheaper"
                };
                reasons.push(format!(
                    "called {often} often {}, {dear} per call {}, both at once {}",
                    signed(more),
                    signed(dearer),
                    signed(joint)
                ));
            }
            reasons
        }
    };
    let share = match percent(row.inclusive.counts(events, event).0, Some(new)).as_str() {
        _ if row.new.is_none() => String::new(),
        "" | "new" => String::new(),
        share => format!("{cost} {}", share.replace(' ', &GLUE.to_string())),
    };
    Some(format!("{name}{share}: {}", reasons.join("; ")))
}

/// Whether the cost per call is the same.
fn is_equal((old, n0): (i64, u64), (new, n1): (i64, u64)) -> bool {
    i128::from(old).checked_mul(n1.into()) == i128::from(new).checked_mul(n0.into())
}

/// The places that the sentence mentions: none if the printed cost per call is the same. Each cost
/// comes with its number of calls.
fn told<'i, 'm>(inside: &'i [Inside<'m>], old: (i64, u64), new: (i64, u64)) -> Vec<&'i Inside<'m>> {
    let is_same = old.1 == 0
        || new.1 == 0
        || is_equal(old, new)
        || per_call(old.0, old.1) == per_call(new.0, new.1);
    inside
        .iter()
        .filter(|one| !is_same && is_seen(one))
        .collect()
}

/// The names of the functions in the sentence.
fn names_in<'m>(row: &ChangedFunction<'m>, inside: &[&Inside<'m>]) -> Sentence<'m> {
    let callees = inside.iter().filter_map(|one| match one.place {
        ChangedCode::Callee(label) => Some(label),
        ChangedCode::Own | ChangedCode::Recursion(..) => None,
    });
    let caller = row.cause.caller.as_ref().map(|caller| caller.label);
    Sentence::about([row.label()].into_iter().chain(caller).chain(callees))
}

/// Whether the change is not zero when printed.
fn is_seen(inside: &Inside<'_>) -> bool {
    inside.thousandths.unsigned_abs() >= 5
}

/// The change per call in one place: `+64 in decode`.
fn place(inside: &Inside<'_>, names: &Sentence<'_>) -> String {
    let change = thousandths(inside.thousandths);
    match &inside.place {
        ChangedCode::Own => format!("{change} in the function itself"),
        ChangedCode::Recursion(old, new) => {
            let (old, new) = (grouped(*old), grouped(*new));
            format!("{change} in the function itself, which calls itself {new} times, was {old}")
        }
        ChangedCode::Callee(label) => format!("{change} in {}", names.name_of(label)),
    }
}

/// Marks a caller that exists in only one run, of a function that exists in both.
fn alone(cause: &Cause<'_>) -> &'static str {
    match &cause.caller {
        Some(caller) if caller.alone && caller.change > 0 => ", which is new",
        Some(caller) if caller.alone => ", which is gone",
        _ => "",
    }
}

/// `3.0x the calls`, and the caller that makes the difference.
fn with_caller(calls: String, cause: &Cause<'_>, from: &str, names: &Sentence<'_>) -> String {
    let Some(caller) = &cause.caller else {
        return calls;
    };
    let share = match caller.share {
        CallerShare::All if caller.change.abs() == 1 => String::new(),
        CallerShare::All => "all ".to_owned(),
        CallerShare::Percent(n) => format!("{n}{GLUE}% "),
    };
    let mut text = format!("{calls}, {share}{from} {}", names.name_of(&caller.label));
    if let Some((path, line)) = caller.site {
        let file = base_name(path);
        text.push_str(&format!(" ({}:{line})", String::from_utf8_lossy(file)));
    }
    text
}

/// `3.0x the calls`; for small changes `2.5 % more calls`, and `5 calls, was 686` if a ratio says
/// little.
fn times(old: u64, new: u64) -> String {
    let ratio = new as f64 / old as f64;
    match ratio {
        _ if !(0.1..1000.0).contains(&ratio) => {
            format!("{}, was {}", how_many(new, "call"), grouped(old))
        }
        _ if ratio >= 1.1 => format!("{ratio:.1}x the calls"),
        _ if ratio <= 0.9 => format!("{ratio:.2}x the calls"),
        _ => {
            let (share, what) = (
                (ratio - 1.0).abs() * 100.0,
                if new > old { "more" } else { "fewer" },
            );
            match share {
                _ if share < 0.01 => format!("{} {what} calls", grouped(new.abs_diff(old))),
                _ => format!(
                    "{share:.*}{GLUE}% {what} calls",
                    if share < 1.0 { 2 } else { 1 }
                ),
            }
        }
    }
}

/// Events per call.
fn per_call(cost: i64, calls: u64) -> String {
    let sign = if cost < 0 { "-" } else { "" };
    format!(
        "{sign}{}",
        quotient(cost.unsigned_abs().into(), calls.into())
    )
}

/// A change of events per call, given in thousandths.
fn thousandths(number: i128) -> String {
    let sign = if number < 0 { '-' } else { '+' };
    format!("{sign}{}", quotient(number.unsigned_abs(), 1000))
}

/// An integer if the quotient is one, else rounded to one decimal, or to two below 10.
fn quotient(number: u128, by: u128) -> String {
    if number.is_multiple_of(by) {
        return grouped(number / by);
    }
    let rounded = |parts: u128| number.checked_mul(parts).map(|n| (n + by / 2) / by);
    let (parts, width) = if rounded(100).is_some_and(|hundredths| hundredths < 1000) {
        (100, 2)
    } else {
        (10, 1)
    };
    let Some(rounded) = rounded(parts) else {
        return grouped(number / by);
    };
    format!("{}.{:0width$}", grouped(rounded / parts), rounded % parts)
}
