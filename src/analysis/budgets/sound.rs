//! Whether a profile can be trusted with a verdict. A gate must not pass because its input was cut, damaged or empty.

use crate::profile::{Format, Kind, Profile};

/// Why no verdict can be based on a profile; empty if one can.
pub fn doubts(profile: &Profile) -> Vec<String> {
    let mut doubts: Vec<String> = Vec::new();
    for &(kind, count) in profile.warnings.counts() {
        if let Some(what) = doubt(kind) {
            let first = profile.warnings.kept().iter().find(|w| w.kind == kind);
            let place = first.map_or(String::new(), |w| match w.line {
                Some(line) => format!("{}:{line}: ", w.file),
                None => format!("{}: ", w.file),
            });
            let more = if count > 1 { format!(" ({} more)", count - 1) } else { String::new() };
            doubts.push(format!("{place}{what}{more}"));
        }
    }
    let name = |input: usize| profile.inputs.get(input).map_or("", String::as_str);
    for part in &profile.parts {
        // Callgrind ends every part with its totals.
        if part.creator.starts_with(b"callgrind-") && part.totals.is_none() {
            doubts.push(format!("{}: a part has no `totals:`; the end is missing", name(part.input)));
        }
        // Xdebug ends every run with its summary; only its files of sums have none.
        let by_xdebug = matches!(profile.format, Format::Xdebug | Format::Webgrind);
        if by_xdebug && part.summary.is_none() && part.command[..] != *b"Aggregate" {
            doubts.push(format!("{}: a run has no `summary:`; the end is missing", name(part.input)));
        }
    }
    if profile.totals.row.iter().all(|&count| count == 0 || count == crate::profile::costs::NEVER) {
        doubts.push(format!("{}: the profile has no costs at all", profile.inputs.join(" + ")));
    }
    doubts
}

/// What a warning means for the figures, if it means anything.
fn doubt(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::MalformedLine => Some("a line is not of the format, so costs may be missing"),
        Kind::LongLine => Some("a line was left out"),
        Kind::BadCount => Some("a count is not a number"),
        Kind::UndefinedId => Some("a name is not defined"),
        Kind::MissingCallCost => Some("a call has no cost"),
        Kind::TotalsMismatch => Some("the costs do not add up to the totals"),
        Kind::Saturated => Some("a count or a sum is too large"),
        Kind::Truncated => Some("the input is cut off"),
        Kind::NoFunctions => Some("there are no functions"),
        Kind::Wrapped => Some("counts were taken modulo 2^32"),
        Kind::UnknownHeader
        | Kind::RedefinedId
        | Kind::CallWithoutCallee
        | Kind::CostBeforeFunction
        | Kind::NegativeLine
        | Kind::SecondSummary
        | Kind::DuplicateEvent
        | Kind::BadFormula
        | Kind::Mixed
        | Kind::BrokenOrder => None,
    }
}
