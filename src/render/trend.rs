//! Prints many runs for people: one row per function with bars, and below it what changed, when and
//! why.
//!
//! ```text
//! ▁▁▁▁▁▁▁▁▇▇▇▇  1,234,567 → 1,272,839  noise 0.28 %  decode  http.rs [bench]
//!     +3.1 %, step at run 317, a1b2c3: 1,234,600 → 1,272,800
//!         decode +3.1 %: 3.1 % more calls, all from retry_loop (http.rs:88); 41 Ir a call as before
//! ```

use super::{
    reasons::{GLUE, why},
    sentence::Sentence,
};
use crate::{
    analysis::{
        Cost, GroupBy,
        difference::ChangedFunction,
        history::{Elsewhere, Largest, Trend, TrendChange, TrendKind, TrendRow},
    },
    profile::{Event, Events, base_name, joined, to_text},
    text::{Style, fitted_to, grouped, how_many, names, shown, signed, styled, write_styled},
    view::{Surface, bars::bars},
};
use std::io;
use termcolor::WriteColor;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The most bars in a row.
const MOST: usize = 24;

/// Writes the page.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(trend: &Trend<'_>, surface: Surface, mut out: impl WriteColor) -> io::Result<()> {
    let line = |text: &str| fitted_to(text, surface.width);
    writeln!(out, "{}\n", line(&subject(trend)))?;
    for row in trend.all() {
        let [bars, figures, name, place] = heading(trend, row, surface);
        write_styled(&mut out, Style::Dim, &bars)?;
        write!(out, "  {figures}  ")?;
        write_styled(&mut out, Style::Heading, &name)?;
        styled(&mut out, Style::Dim, |out| writeln!(out, "{place}"))?;
        for change in &row.changes {
            let style = if change.is_increase() {
                Style::Dearer
            } else {
                Style::Cheaper
            };
            let text = line(&format!("    {}", told(trend, change)));
            styled(&mut out, style, |out| writeln!(out, "{text}"))?;
            for sentence in &change.why {
                writeln!(out, "{}", line(&format!("        {sentence}")))?;
            }
        }
        if !row.changes.is_empty() {
            writeln!(out)?;
        }
    }
    if trend.all().last().is_some_and(|row| row.changes.is_empty()) {
        writeln!(out)?;
    }
    writeln!(out, "{}", line(&rest(trend)))?;
    out.flush()
}

/// What is compared: `Ir, self cost, in 320 runs, from v1 to v320.`
pub(super) fn subject(trend: &Trend<'_>) -> String {
    let cost = match trend.cost {
        Cost::Own => "self cost",
        Cost::Inclusive => "inclusive cost",
    };
    let ends = match &trend.runs[..] {
        [] => String::new(),
        [one] => format!(": {}", one.name),
        [first, .., last] => format!(", from {} to {}", first.name, last.name),
    };
    let runs = how_many(trend.runs.len(), "run");
    let mut text = format!("{}, {cost}, in {}{ends}.", trend.event, runs);
    if !trend.is_known() {
        text += &format!(
            " Too few runs to tell: a step needs at least {} runs before it and as many from it on. The list has what varies most.",
            trend.rule.confirm
        );
    }
    text
}

/// `noise 0.28 %`, relative to the median, or a count if the median is 0. Empty if the subject
/// already says that there are too few runs.
pub(super) fn noise(trend: &Trend<'_>, row: &TrendRow<'_>) -> String {
    match row
        .noise
        .map(|noise| (noise.share(), noise.most.saturating_sub(noise.least)))
    {
        None if !trend.is_known() => String::new(),
        None => "noise not known".into(),
        Some((_, 0)) => "noise 0 %".into(),
        Some((Some(share), _)) => format!("noise {}", of_hundred(share)),
        Some((None, range)) => format!("noise {}", grouped(range)),
    }
}

/// The name of a row, or a text that says that it has none.
pub(super) fn name<'r>(trend: &Trend<'_>, row: &TrendRow<'r>) -> &'r [u8] {
    match (row.who.name, trend.by) {
        (b"", Some(GroupBy::Class)) => GroupBy::Class.none().as_bytes(),
        (name, _) => name,
    }
}

/// The bars of a row, its figures, its name and its place.
fn heading(trend: &Trend<'_>, row: &TrendRow<'_>, surface: Surface) -> [String; 4] {
    let most = surface.width.map_or(MOST, |width| MOST.min(width / 5));
    let drawn: String = bars(row, most, BARS.len() as u32)
        .into_iter()
        .map(|level| BARS[level as usize % 8])
        .collect();
    let [first, last] = row.ends().map(grouped);
    let mut figures = format!("{first} → {last}");
    match &noise(trend, row)[..] {
        "" => {}
        noise => figures += &format!("  {noise}"),
    }
    let used = names::width(&drawn) + names::width(&figures) + 4;
    let room = surface.width.map(|width| width.saturating_sub(used));
    let fit = |text: &[u8], room: Option<usize>| match room {
        Some(room) => names::shorten(&shown(text), room),
        None => to_text(text),
    };
    let name = fit(name(trend, row), room);
    let place = match (row.who.file, row.who.object) {
        (b"", b"") => String::new(),
        (file, b"") => format!("  {}", to_text(file)),
        (file, object) => {
            let object = base_name(object);
            format!("  {} [{}]", to_text(file), to_text(object))
        }
    };
    let is_function = trend.by.is_none();
    let members = if is_function && row.who.members > 1 {
        format!("  ({} functions)", row.who.members)
    } else {
        String::new()
    };
    // The place is shown only if it fits after the name.
    let left = room.map(|room| room.saturating_sub(names::width(&name) + names::width(&members)));
    let place = match left {
        Some(left) if names::width(&place) > left => String::new(),
        _ => place,
    };
    [drawn, figures, name, members + &place]
}

/// `+3.1 %, step at run 317, a1b2c3: 1,234 → 1,272`.
pub(super) fn told(trend: &Trend<'_>, change: &TrendChange) -> String {
    let name = |run: usize| trend.runs.get(run).map_or("", |about| &about.name);
    let [before, after] = change.medians().map(grouped);
    let share = change.share_in_words();
    let run = change.run;
    match (change.kind, change.until) {
        (TrendKind::Drift, Some(until)) => {
            let (from, to) = (name(run), name(until));
            format!(
                "{share} gradually, from run {}, {from}, to run {}, {to}: {before} → {after}",
                run + 1,
                until + 1
            )
        }
        (TrendKind::Unconfirmed, _) => {
            format!(
                "{share} at run {}, {}, unconfirmed (too few runs to tell): {before} → {after}",
                run + 1,
                name(run)
            )
        }
        (TrendKind::Step | TrendKind::Drift, _) => format!(
            "{share}, step at run {}, {}: {before} → {after}",
            run + 1,
            name(run)
        ),
    }
}

/// A fraction as a percentage: `0 %`, `0.28 %`, `12.5 %`.
fn of_hundred(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".into(),
        percent if percent < 10.0 => format!("{percent:.2} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// The number of rows that are not listed.
pub(super) fn rest(trend: &Trend<'_>) -> String {
    let nouns = trend.by.unwrap_or(GroupBy::Function).nouns();
    let count = |count: usize| {
        let noun = nouns[usize::from(count != 1)];
        format!("{} {noun}", grouped(count))
    };
    let left = trend.others + trend.unchanged;
    if left == 0 {
        return "All are listed.".into();
    }
    if !trend.is_known() {
        return format!("{}, not listed.", count(left).replacen(' ', " more ", 1));
    }
    let more = match (trend.others, trend.is_full) {
        (0, _) => None,
        (others, true) => Some(format!(
            "{} more changed; --rows=N lists more.",
            count(others)
        )),
        (others, false) => Some(format!(
            "{} more changed, but did not reach --min.",
            count(others)
        )),
    };
    let unchanged = (trend.unchanged > 0)
        .then(|| format!("No change was found in {}.", count(trend.unchanged)));
    joined(more.into_iter().chain(unchanged), " ")
}

/// The reason why a self or inclusive cost changed, in one sentence; `None` if there is nothing to
/// say.
pub fn reason(
    row: &ChangedFunction<'_>,
    events: &Events,
    event: Event,
    cost: Cost,
) -> Option<String> {
    let [own, inclusive] = [&row.own, &row.inclusive].map(|change| change.counts(events, event));
    let word = if cost == Cost::Own && own != inclusive {
        " inclusive"
    } else {
        ""
    };
    Some(why(row, events, (0, event), true, word)?.replace(GLUE, " "))
}

/// The row with the rest of a function's runs: `until then parse_header (a.c)`.
pub fn elsewhere(elsewhere: &Elsewhere<'_>) -> String {
    let (when, label, here) = match elsewhere {
        Elsewhere::Before(there, here) => ("until then", there, here),
        Elsewhere::After(there, here) => ("from then on", there, here),
    };
    let name = Sentence::about([*label, *here]).name_of(label);
    let object = label.object.map_or(String::new(), |object| {
        format!(" [{}]", to_text(base_name(object)))
    });
    format!("{when} {name} ({}){object}", to_text(base_name(label.file)))
}

/// The function that changed most: `largest change in decode: 1,000 → 3,000 (+2,000)`.
pub fn largest(largest: &Largest<'_>) -> String {
    let name = Sentence::about([largest.label]).name_of(&largest.label);
    let change = i128::from(largest.after) - i128::from(largest.before);
    format!(
        "largest change in {name}: {} → {} ({})",
        grouped(largest.before),
        grouped(largest.after),
        signed(change)
    )
}
