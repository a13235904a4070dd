//! Writes lines for a terminal or a log.

use super::{figures, place, reason, share, summary};
use crate::{
    analysis::budgets::{Checked, FunctionShare, Verdict},
    text::{Style, escape, fitted_to, names, styled, write_styled},
};
use std::io;
use termcolor::WriteColor;

/// The indentation of a function.
const INDENT: usize = 11;

pub(super) fn write(
    checked: &Checked,
    width: Option<usize>,
    mut out: &mut dyn WriteColor,
) -> io::Result<()> {
    // With a width, a person reads the line at a terminal.
    let fit = |line: &str| fitted_to(line, width);
    for doubt in &checked.doubts {
        styled(&mut out, Style::Warning, |out| {
            writeln!(out, "{}", fit(&doubt.to_string()))
        })?;
    }
    for row in &checked.rows {
        let (word, style) = match row.outcome.verdict {
            Verdict::Kept => ("kept", Style::Cheaper),
            Verdict::Exceeded => ("EXCEEDED", Style::Hot),
            Verdict::Warned => ("warning", Style::Warning),
            Verdict::Unconfirmed => ("unconfirmed", Style::Warning),
            Verdict::Skipped(..) => ("skipped", Style::Dim),
            Verdict::Unknown(..) => ("UNKNOWN", Style::Hot),
        };
        let (name, text) = (&row.limit.name, &row.limit.expression.text);
        // By default, the name is the expression; a bench comes before it.
        let name = match name.strip_suffix(&**text) {
            Some(bench) => bench.to_owned(),
            None => format!("{name}: "),
        };
        let word = format!("{word:<8} ");
        let line = fit(&format!("{word}{name}{text}"));
        write_styled(&mut out, style, &word)?;
        writeln!(out, "{}", line.strip_prefix(&word).unwrap_or(&line))?;
        for line in figures(row).into_iter().chain(reason(&row.outcome)) {
            writeln!(out, "{}", fit(&format!("         {line}")))?;
        }
        for one in &row.places {
            let (place, share) = (place(one), share(one));
            let room = width.map(|width| width.saturating_sub(INDENT + 2 + share.len()));
            let place = room.map_or(place, |room| fitted(one, room));
            writeln!(out, "{:INDENT$}{place}  {share}", "")?;
        }
    }
    if !checked.rows.is_empty() {
        writeln!(out, "{}", fit(&summary(checked)))?;
    }
    Ok(())
}

/// A file and line are never shortened below this many columns.
const LEAST: usize = 8;

/// A function and its place, in at most `room` columns. The arguments are removed first, then the
/// folders of the file. If the file can be shortened to fit, the name stays whole.
fn fitted(one: &FunctionShare, room: usize) -> String {
    let whole = escape::shown(place(one).as_bytes());
    let name = escape::shown(one.label.name.bytes());
    let Some(path) = whole
        .strip_prefix(&format!("{name} ("))
        .and_then(|path| path.strip_suffix(')'))
    else {
        return names::shorten(&name, room);
    };
    let (plain, base) = (
        names::collapse(&name),
        path.rsplit('/').next().unwrap_or(path),
    );
    let mut all = [(&name, path), (&plain, path), (&name, base), (&plain, base)].into_iter();
    let both = |name: &str, path: &str| format!("{name} ({path})");
    if let Some((name, path)) = all.find(|(name, path)| names::width(&both(name, path)) <= room) {
        return both(name, path);
    }
    let brackets = both("", "").len();
    let left =
        Some(room.saturating_sub(names::width(&plain) + brackets)).filter(|&left| left >= LEAST);
    match left.unwrap_or(room / 3) {
        room_of_file if room_of_file < LEAST => names::shorten(&name, room),
        room_of_file => {
            let file = names::middle(base, room_of_file);
            both(
                &names::shorten(&name, room.saturating_sub(names::width(&file) + brackets)),
                &file,
            )
        }
    }
}
