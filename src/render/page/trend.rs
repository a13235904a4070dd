//! Writes the page of many runs. `web/trend.js` reads its columns by their names.

use super::columns::Columns;
use super::scripts;
use super::shell::{Escaped, Shell};
use crate::analysis::history::{Trend, TrendRow};
use crate::render::trend::{name, noise, rest, subject, told};
use crate::text::escape;
use crate::text::{grouped_signed, names, shown};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The most rows of the part that is read without a script, and the most characters of a name
/// there.
const ROWS: usize = 50;
const NAME: usize = 300;

/// The metadata of the page, as JSON.
#[derive(Serialize)]
struct TrendHeader {
    title: String,
    subject: String,
    rest: String,
    of: String,
    runs: Vec<String>,
    charts: Vec<Chart>,
}

#[derive(Serialize)]
struct Chart {
    name: String,
    r#where: String,
    noise: String,
    /// The lowest and the highest of the last runs at the current level, if known.
    band: Option<[String; 2]>,
    /// The index of the run where that level begins.
    level: usize,
    changes: Vec<PageTrendChange>,
}

#[derive(Serialize)]
struct PageTrendChange {
    what: &'static str,
    run: usize,
    until: Option<usize>,
    told: String,
    up: bool,
    why: Vec<String>,
}

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
    let about = TrendHeader {
        subject: escape::text(&subject(trend)).into_owned(),
        rest: rest(trend),
        of: escape::text(&trend.event).into_owned(),
        runs: trend
            .runs
            .iter()
            .map(|run| escape::text(&run.name).into_owned())
            .collect(),
        charts: trend.all().map(|one| row(trend, one)).collect(),
        title: title.clone(),
    };
    let plain = plain(trend, &about);
    let mut columns = Columns::default();
    columns.about(&about);
    columns.counts(
        "values",
        trend
            .all()
            .flat_map(|row| row.values.iter().map(|&value| Some(value))),
    );
    let data = columns.finish()?;
    Shell {
        title: &title,
        scripts: scripts::TREND,
        style: include_str!("web/trend.css"),
        plain: &plain,
        data: &data,
    }
    .write(out)
}

fn row(trend: &Trend<'_>, row: &TrendRow<'_>) -> Chart {
    let place = [row.who.file, row.who.object].map(shown);
    Chart {
        name: shown(name(trend, row)),
        r#where: place
            .iter()
            .filter(|text| !text.is_empty())
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" "),
        noise: noise(trend, row),
        band: row
            .noise
            .map(|noise| [noise.least, noise.most].map(|value| value.to_string())),
        level: trend.runs.len().saturating_sub(row.level),
        changes: (row.changes.iter())
            .map(|change| PageTrendChange {
                what: change.kind.word(),
                run: change.run,
                until: change.until,
                told: escape::text(&told(trend, change)).into_owned(),
                up: change.is_increase(),
                why: change
                    .why
                    .iter()
                    .map(|text| escape::text(text).into_owned())
                    .collect(),
            })
            .collect(),
    }
}

/// The part that can be read before the script runs, without a script, and on paper.
fn plain(trend: &Trend<'_>, about: &TrendHeader) -> String {
    let mut out = format!(
        "<h1>{}</h1>\n<p>{}</p>\n",
        Escaped(&about.title),
        Escaped(&about.subject)
    );
    let _ = writeln!(
        out,
        "<table>\n<caption>What changed</caption>\n<thead><tr><th scope=\"col\">first</th><th scope=\"col\">last</th>\
         <th scope=\"col\">function</th><th scope=\"col\">changes</th></tr></thead>\n<tbody>"
    );
    for (row, said) in trend.all().zip(&about.charts).take(ROWS) {
        let [first, last] = row.ends().map(grouped_signed);
        let changes: Vec<&str> = said.changes.iter().map(|change| &change.told[..]).collect();
        let _ = writeln!(
            out,
            "<tr><td>{first}</td><td>{last}</td><th scope=\"row\">{}</th><th scope=\"row\">{}</th></tr>",
            Escaped(&names::middle(&said.name, NAME)),
            Escaped(&changes.join("; "))
        );
    }
    let _ = writeln!(out, "</tbody>\n</table>\n<p>{}</p>", Escaped(&about.rest));
    out
}
