//! Lines for a terminal or a log.

use super::{figures, place, reason, share, summary};
use crate::analysis::budgets::{Checked, Level, Verdict};
use std::io::{self, Write};

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    for doubt in &checked.doubts {
        writeln!(out, "{doubt}")?;
    }
    for row in &checked.rows {
        let word = match (&row.outcome.verdict, row.limit.level) {
            (Verdict::Kept, _) => "kept",
            (Verdict::Exceeded, Level::Error) => "EXCEEDED",
            (Verdict::Exceeded, Level::Warn) => "warning",
            (Verdict::Skipped(..), _) => "skipped",
            (Verdict::Unknown(..), _) => "UNKNOWN",
        };
        let text = &row.limit.expression.text;
        let name = if row.limit.name == *text { String::new() } else { format!("{}: ", row.limit.name) };
        writeln!(out, "{word:<9}{name}{text}")?;
        for line in [figures(row)].into_iter().filter(|f| !f.is_empty()).chain(reason(&row.outcome.verdict)) {
            writeln!(out, "         {line}")?;
        }
        for one in &row.places {
            writeln!(out, "           {}  {}", place(one), share(one))?;
        }
    }
    if !checked.rows.is_empty() {
        writeln!(out, "{}", summary(checked))?;
    }
    Ok(())
}
