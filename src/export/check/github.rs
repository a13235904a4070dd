//! Writes workflow commands for GitHub annotations: one per limit that was not kept, at the
//! function that matters most.

use super::{figures, place, reason, share};
use crate::analysis::budgets::{Checked, CheckedLimit, Verdict};
use std::io::{self, Write};

/// GitHub shows ten annotations per step.
const MOST: usize = 10;

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let doubts = checked
        .doubts
        .iter()
        .map(|doubt| format!("::error::{}", data(doubt)));
    let limits = checked.urgent_first().into_iter().filter_map(command);
    for command in doubts.chain(limits).take(MOST) {
        writeln!(out, "{command}")?;
    }
    Ok(())
}

fn command(row: &CheckedLimit) -> Option<String> {
    let [figures, reason] = [figures(row), reason(&row.outcome)].map(Option::unwrap_or_default);
    let (kind, mut message) = match row.outcome.verdict {
        Verdict::Kept | Verdict::Skipped(..) => return None,
        Verdict::Exceeded => ("error", figures),
        Verdict::Warned => ("warning", figures),
        Verdict::Unconfirmed => ("warning", format!("{figures}; {reason}")),
        Verdict::Unknown(..) => ("error", reason),
    };
    let mut properties = Vec::new();
    if let Some(first) = row.places.first() {
        let file = String::from_utf8_lossy(first.label.file);
        if first.line > 0 && file != "???" {
            properties.push(format!("file={},line={}", property(&file), first.line));
        }
    }
    for one in &row.places {
        message += &format!("\n{}  {}", place(one), share(one));
    }
    properties.push(format!("title={}", property(&row.limit.name)));
    Some(format!(
        "::{kind} {}::{}",
        properties.join(","),
        data(&message)
    ))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
