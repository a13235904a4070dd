//! Writes the result of `check` for people and CI services. Each form has its own file.

mod github;
pub(crate) mod json;
mod junit;
mod markdown;
mod text;

use crate::{
    analysis::budgets::{
        Bound, Checked, CheckedLimit, FunctionShare, LimitOutcome, NoValue, Verdict, WhichRun,
    },
    profile::{joined, to_text},
    text::{grouped, how_many, names},
};
use std::io;
use termcolor::WriteColor;

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum CheckForm {
    /// Lines for a terminal or a log.
    Text,
    /// A table for a pull request or a job summary.
    Markdown,
    /// One JSON document, described in `docs/check.md`.
    Json,
    /// JUnit XML, with one test case per limit.
    Junit,
    /// Workflow commands that annotate source lines on GitHub.
    Github,
}

/// Writes a report in one form. `width` limits the lines of [`CheckForm::Text`].
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(
    form: CheckForm,
    checked: &Checked,
    width: Option<usize>,
    mut out: &mut dyn WriteColor,
) -> io::Result<()> {
    match form {
        CheckForm::Text => text::write(checked, width, out),
        CheckForm::Markdown => markdown::write(checked, &mut out),
        CheckForm::Json => json::write(checked, &mut out),
        CheckForm::Junit => junit::write(checked, &mut out),
        CheckForm::Github => github::write(checked, &mut out),
    }
}

/// The name of a verdict, which is part of the JSON schema.
fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Kept => "kept",
        Verdict::Exceeded | Verdict::Warned => "exceeded",
        Verdict::Unconfirmed => "unconfirmed",
        Verdict::Skipped(..) => "skipped",
        Verdict::Unknown(..) => "unknown",
    }
}

/// Why a limit was not judged, with a hint; `None` if it was judged.
fn reason(outcome: &LimitOutcome) -> Option<String> {
    let verdict = &outcome.verdict;
    if *verdict == Verdict::Unconfirmed {
        return Some("unconfirmed: a second run, with --again, shows whether this is noise".into());
    }
    let (Verdict::Skipped(run, missing) | Verdict::Unknown(run, missing)) = verdict else {
        return None;
    };
    let whose = match run {
        WhichRun::New => "the profile",
        WhichRun::Baseline => "the baseline",
        WhichRun::History => "a run of the history",
        WhichRun::Again => "the second run",
    };
    let near = names::hint(&outcome.near).replace("\nhint:", ";");
    Some(match missing {
        NoValue::Baseline => "the limit is relative, but there is no baseline".into(),
        NoValue::Event(event) => {
            format!("{whose} has no event {event}{near}")
        }
        NoValue::Function(selector) => {
            format!("no function of {whose} matches {selector}{near}")
        }
        NoValue::Sizes => format!("{whose} has no costs by input size, as aprof's reports have"),
        NoValue::Growth(selector) => {
            format!("no function of {whose} that matches {selector} has five input sizes")
        }
        NoValue::Own => {
            format!("{whose} has no own costs of this code, and no calls to compute them from")
        }
        NoValue::Calls => {
            format!(
                "{whose} has no calls, or not of all inputs, so call counts and inclusive costs are not known"
            )
        }
        NoValue::Inlined(selector) => {
            format!(
                "{selector} was inlined in {whose}, and how often inlined code ran is not known"
            )
        }
        NoValue::Unchecked(event) => {
            format!(
                "{whose} has no line feed at its end, and no total checks its last number, of {event}"
            )
        }
        NoValue::TooLarge => format!("inclusive costs of {whose} are too large to be counted"),
        NoValue::Cycle(name) => {
            format!(
                "calls that {name} makes are in a cycle in only one of the runs; its inclusive cost there does not include them"
            )
        }
        NoValue::Bounds(least, most) => {
            format!(
                "the own cost is an estimate, from {} to {}",
                number(*least, 1),
                number(*most, 1)
            )
        }
        NoValue::History => "the limit is about noise, but no --history is given".into(),
        NoValue::TooFew(have, need) => {
            format!(
                "noise is not known: the history has {} and needs {need}",
                how_many(*have, "run")
            )
        }
        NoValue::Trust(doubt) => format!("{whose} cannot be judged: {doubt}"),
    })
}

/// The measured values: `1,000 -> 1,050 (+5.0 %), at most 1,010`; `None` if there is no value.
fn figures(row: &CheckedLimit) -> Option<String> {
    let outcome = &row.outcome;
    let value = outcome.value?;
    let value = match outcome.baseline {
        Some(baseline) => change(baseline, value, outcome.unit, &row.limit.expression.bounds),
        None => number(value, outcome.unit),
    };
    let noise = outcome.noise.as_ref().map_or(String::new(), |noise| {
        format!(" by the noise of {} runs", noise.runs)
    });
    let again = outcome.again.map_or(String::new(), |again| {
        format!("; again {}", number(again, outcome.unit))
    });
    Some(match outcome.ceiling {
        Some(ceiling) => format!(
            "{value}, at most {}{noise}{again}",
            number(ceiling, outcome.unit)
        ),
        None => value,
    })
}

/// A percentage has at most this many decimals.
const DIGITS: usize = 12;

/// `1,000 -> 1,050 (+5.0 %)`. The percentage has enough decimals to show that the value changed,
/// and on which side of each bound it is.
fn change(before: i128, now: i128, unit: i128, bounds: &[Bound]) -> String {
    let percent = now.saturating_sub(before) as f64 * 100.0 / (before as f64).abs();
    let is_clear = |&digits: &usize| {
        let shown: f64 = format!("{percent:.digits$}").parse().unwrap_or(percent);
        let is_on_its_side = |bound: &Bound| match bound {
            Bound::Percent(most) => {
                let is_above = bound
                    .ceiling(Some(before), None, unit)
                    .is_some_and(|ceiling| now > ceiling);
                (shown > most.part as f64 / most.of as f64) == is_above
            }
            _ => true,
        };
        (shown == 0.0) == (now == before) && bounds.iter().all(is_on_its_side)
    };
    let digits = (1..=DIGITS).find(is_clear).unwrap_or(DIGITS);
    let percent = if before == 0 {
        String::new()
    } else {
        format!(" ({percent:+.digits$} %)")
    };
    format!("{} -> {}{percent}", number(before, unit), number(now, unit))
}

/// A function with its file and line: `decode (http.rs:88)`.
fn place(place: &FunctionShare) -> String {
    let (name, file) = (to_text(place.label.name.bytes()), to_text(place.label.file));
    match (place.label.file, place.line) {
        (b"???", _) => name,
        (_, 0) => format!("{name} ({file})"),
        (_, line) => format!("{name} ({file}:{line})"),
    }
}

/// The value of a function, and its change if there is a previous one.
fn share(place: &FunctionShare) -> String {
    match place.before {
        Some(before) => change(before, place.now, place.unit, &[]),
        None => number(place.now, place.unit),
    }
}

/// A count, or a decimal number that is stored in thousandths.
fn number(count: i128, unit: i128) -> String {
    if unit == 1 {
        grouped(count)
    } else {
        // Six decimals of a ratio show why it is not the bound.
        let decimals = if unit > 1000 { 6 } else { 3 };
        format!("{:.decimals$}", count as f64 / unit as f64)
    }
}

/// Counts of limits by outcome: `3 limits: 1 kept, 1 exceeded, 1 not compared`.
fn summary(checked: &Checked) -> String {
    let counts = checked.counts();
    let warnings = if counts[2] == 1 {
        "warning"
    } else {
        "warnings"
    };
    let words = [
        "kept",
        "exceeded",
        warnings,
        "unconfirmed",
        "skipped",
        "not compared",
    ];
    let parts = counts.iter().zip(words).filter(|&(&n, _)| n > 0);
    let parts = parts.map(|(n, word)| format!("{n} {word}"));
    format!(
        "{}: {}",
        how_many(checked.rows.len(), "limit"),
        joined(parts, ", ")
    )
}
