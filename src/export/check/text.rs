//! Lines for a terminal or a log.

use super::{figures, place, reason, share, summary};
use crate::analysis::budgets::{Checked, Level, Verdict};
use crate::text::style::{Style, styled};
use crate::text::{escape, names};
use std::io;
use termcolor::WriteColor;

/// The columns before a place.
const INDENT: usize = 11;

pub(super) fn write(checked: &Checked, width: Option<usize>, mut out: &mut dyn WriteColor) -> io::Result<()> {
    for doubt in &checked.doubts {
        styled(&mut out, Style::Warning, |out| writeln!(out, "{doubt}"))?;
    }
    for row in &checked.rows {
        let (word, style) = match (&row.outcome.verdict, row.limit.level) {
            (Verdict::Kept, _) => ("kept", Style::Cheaper),
            (Verdict::Exceeded, Level::Error) => ("EXCEEDED", Style::Hot),
            (Verdict::Exceeded, Level::Warn) => ("warning", Style::Warning),
            (Verdict::Skipped(..), _) => ("skipped", Style::Dim),
            (Verdict::Unknown(..), _) => ("UNKNOWN", Style::Hot),
        };
        let text = &row.limit.expression.text;
        let name = if row.limit.name == *text { String::new() } else { format!("{}: ", row.limit.name) };
        styled(&mut out, style, |out| write!(out, "{word:<9}"))?;
        writeln!(out, "{name}{text}")?;
        for line in [figures(row)].into_iter().filter(|f| !f.is_empty()).chain(reason(&row.outcome.verdict)) {
            writeln!(out, "         {line}")?;
        }
        for one in &row.places {
            let (place, share) = (place(one), share(one));
            let room = width.map(|width| width.saturating_sub(INDENT + 2 + share.len()));
            let place = room.map_or_else(|| place.clone(), |room| names::short(&escape::shown(place.as_bytes()), room));
            writeln!(out, "{:INDENT$}{place}  {share}", "")?;
        }
    }
    if !checked.rows.is_empty() {
        writeln!(out, "{}", summary(checked))?;
    }
    Ok(())
}
