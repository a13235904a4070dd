//! Writes the page of many runs. `web/trend.js` reads its columns by their names.

use super::{
    columns::Columns,
    scripts,
    shell::{Escaped, Shell},
};
use crate::{
    analysis::history::{Trend, TrendChange, TrendRow},
    profile::{Events, joined},
    render::trend::{name, noise, rest, subject, told},
    text::{escape, grouped, names, shown},
};
use serde_json::{Value, json};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// The most rows of the part that is read without a script, and the most characters of a name
/// there.
const ROWS: usize = 50;
const NAME: usize = 300;

/// Writes the page.
///
/// # Errors
/// Fails if writing to `out` fails.
pub fn write(trend: &Trend<'_>, out: impl Write) -> io::Result<()> {
    let title = format!(
        "cgannotate: {} in {} runs",
        escape::text(&trend.event),
        trend.runs.len()
    );
    let about = json!({
        "title": title,
        "subject": escape::text(&subject(trend)),
        "rest": rest(trend),
        "of": escape::text(&trend.event),
        "runs": Value::from_iter(trend.runs.iter().map(|run| escape::text(&run.name))),
        "charts": Value::from_iter(trend.all().map(|one| row(trend, one))),
    });
    let events = Events::default();
    let mut columns = Columns::new(&events, &[]);
    columns.about(&about);
    let mut table = columns.table("values", trend.all().flat_map(|row| &row.values));
    table.counts("", |&value| Some(value));
    Shell {
        title: &title,
        scripts: scripts::TREND,
        style: include_str!("web/trend.css"),
        plain: &plain(trend, &title),
        data: &columns.finish()?,
    }
    .write(out)
}

/// A chart of the page.
fn row(trend: &Trend<'_>, row: &TrendRow<'_>) -> Value {
    let mut place = [row.who.file, row.who.object].map(shown).to_vec();
    place.retain(|text| !text.is_empty());
    let band = row.noise.map(|noise| [noise.least, noise.most]);
    let change = |change: &TrendChange| {
        let why = change.why.iter().map(|text| escape::text(text));
        json!({
            "what": change.kind.word(),
            "run": change.run,
            "until": change.until,
            "told": escape::text(&told(trend, change)),
            "up": change.is_increase(),
            "why": Value::from_iter(why),
        })
    };
    json!({
        "name": shown(name(trend, row)),
        "where": place.join(" "),
        "noise": noise(trend, row),
        "band": band.map(|ends| ends.map(|value| value.to_string())),
        "level": trend.runs.len().saturating_sub(row.level),
        "changes": Value::from_iter(row.changes.iter().map(change)),
    })
}

/// The page without scripts.
fn plain(trend: &Trend<'_>, title: &str) -> String {
    let mut out = format!(
        "<h1>{}</h1>\n<p>{}</p>\n",
        Escaped(title),
        Escaped(&subject(trend))
    );
    let _ = writeln!(
        out,
        "<table>\n<caption>What changed</caption>\n<thead><tr><th scope=\"col\">first</th><th scope=\"col\">last</th>\
         <th scope=\"col\">function</th><th scope=\"col\">changes</th></tr></thead>\n<tbody>"
    );
    for row in trend.all().take(ROWS) {
        let [first, last] = row.ends().map(grouped);
        let changes = row.changes.iter().map(|change| told(trend, change));
        let _ = writeln!(
            out,
            "<tr><td>{first}</td><td>{last}</td><th scope=\"row\">{}</th><th scope=\"row\">{}</th></tr>",
            Escaped(&names::middle(&shown(name(trend, row)), NAME)),
            Escaped(&joined(changes, "; "))
        );
    }
    let _ = writeln!(out, "</tbody>\n</table>\n<p>{}</p>", Escaped(&rest(trend)));
    out
}
