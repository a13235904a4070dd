//! Writes a Markdown table for a pull request or a job summary, within the 64 kB that services
//! accept.

use super::{change, number, place, reason, share, summary};
use crate::{
    analysis::budgets::{Checked, CheckedLimit, Verdict},
    text::markup::escaped,
};
use std::io::{self, Write};

/// Beyond this many bytes, rows are omitted; only their number is reported.
const MOST: usize = 60_000;

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!("**cgannotate: {}**\n\n", summary(checked));
    let doubts = checked.doubts.iter();
    let doubts = doubts.map(|doubt| format!("* {}\n", escaped(doubt)));
    let untold = push_fitting(&mut text, doubts, MOST / 4);
    if untold > 0 {
        text += &format!("* {untold} more\n");
    }
    if !checked.doubts.is_empty() {
        text.push('\n');
    }
    text += "| | Limit | Baseline to now | At most |\n|---|---|---:|---:|\n";
    let rows = checked.urgent_first();
    let left_out = push_fitting(&mut text, rows.iter().map(|row| line(row)), MOST / 2);
    if left_out > 0 {
        text += &format!("| | {left_out} more | | |\n");
    }
    let places = rows.iter().filter(|row| !row.places.is_empty());
    push_fitting(&mut text, places.map(|row| details(row)), MOST);
    out.write_all(text.as_bytes())
}

/// Adds the pieces with which the text stays below `most` bytes. Returns how many it leaves out.
fn push_fitting(text: &mut String, pieces: impl Iterator<Item = String>, most: usize) -> usize {
    pieces
        .filter(|piece| {
            let fits = text.len() + piece.len() <= most;
            *text += if fits { piece } else { "" };
            !fits
        })
        .count()
}

fn line(row: &CheckedLimit) -> String {
    let outcome = &row.outcome;
    let mark = match outcome.verdict {
        Verdict::Kept => "kept",
        Verdict::Exceeded => "**exceeded**",
        Verdict::Warned => "warning",
        Verdict::Unconfirmed => "unconfirmed",
        Verdict::Skipped(..) => "skipped",
        Verdict::Unknown(..) => "**unknown**",
    };
    let why = reason(outcome).filter(|_| outcome.verdict != Verdict::Unconfirmed);
    let value = match (outcome.value, outcome.baseline, why) {
        (_, _, Some(reason)) => escaped(&reason),
        (Some(now), Some(before), None) => escaped(&change(
            before,
            now,
            outcome.unit,
            &row.limit.expression.bounds,
        )),
        (Some(now), None, None) => number(now, outcome.unit),
        (None, _, None) => String::new(),
    };
    let ceiling = outcome
        .ceiling
        .map_or(String::new(), |ceiling| number(ceiling, outcome.unit));
    format!(
        "| {mark} | {} | {value} | {ceiling} |\n",
        escaped(&row.limit.name)
    )
}

fn details(row: &CheckedLimit) -> String {
    let name = escaped(&row.limit.name);
    let mut text =
        format!("\n<details><summary>{name}</summary>\n\n| Function | Value |\n|---|---:|\n");
    for one in &row.places {
        text += &format!("| {} | {} |\n", escaped(&place(one)), escaped(&share(one)));
    }
    text + "\n</details>\n"
}
