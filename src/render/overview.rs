//! The first screen of a person at a terminal: what is hot, and what to type next. Nothing scrapes it; it may change.

use super::columns::Columns;
use super::escape::shown;
use super::names;
use super::number::{duration, grouped};
use super::style::{Style, styled};
use super::text::TextReport;
use crate::analysis::Selection;
use crate::analysis::difference::names::last_part;
use crate::profile::{Event, Events, Totals};
use crate::view::About;
use crate::view::overview::{HotLine, Overview};
use std::io;
use termcolor::WriteColor;

/// How many lines stand around totals, functions and source lines, the shell's prompt included.
pub const AROUND: usize = 11;

/// How wide the remark behind a command is.
const REMARK: usize = 26;

/// How many columns are for names, if not for figures.
const NAMES: usize = 20;

/// How wide the place of a source line is at most.
const PLACE: usize = 24;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// The screen; `lines` are the totals as text, `texts` the lines' sources, where they were found, and `commands` what
    /// to type next.
    pub fn overview(
        &mut self,
        overview: &Overview<'a>,
        texts: &[Option<Vec<u8>>],
        about: &About<'_>,
        (totals, lines): (&'a Totals, &[String]),
        commands: &[Next],
    ) -> io::Result<()> {
        let input = about.inputs.first().map_or(String::new(), |(input, _)| input.to_string());
        styled(&mut self.out, Style::Heading, |out| write!(out, "{input}"))?;
        if about.inputs.len() > 1 {
            write!(self.out, " and {} more", about.inputs.len() - 1)?;
        }
        self.out.write_all(b"\n")?;
        for line in lines {
            writeln!(self.out, "{line}")?;
        }
        self.out.write_all(b"\n")?;

        let Some(&event) = self.options.selection.sort.first() else { return Ok(()) };
        let columns = Columns::of(self.events, &[event], &overview.longest, Some(&totals.row));
        let room = self.room();
        let leaves_names = |used: usize| room.is_none_or(|room| used + NAMES <= room);
        // On a narrow screen self costs have to do, and then without their shares.
        let columns = match leaves_names(columns.width() + 1) {
            true => columns,
            false => Columns::of(self.events, &[event], &overview.longest, None),
        };
        let name = shown(self.events.name(event));
        let self_heading = format!("{name} self");
        let both = columns.width().max("inclusive ".len()).max(names::width(&self_heading) + 1);
        let (width, inclusive) = match leaves_names(2 * both + 1) {
            true => (both, both),
            false => (columns.width().max(names::width(&self_heading)), 0),
        };
        styled(&mut self.out, Style::Heading, |out| {
            let inclusive = if inclusive > 0 { format!("{:width$}", "inclusive") } else { String::new() };
            writeln!(out, "{:width$}{inclusive} function", self_heading)
        })?;
        self.learn(&mut overview.functions.iter().map(|row| row.label.file));
        for row in &overview.functions {
            self.cell(&columns, row.self_cost, width)?;
            if inclusive > 0 {
                self.cell(&columns, row.inclusive, width)?;
            }
            self.out.write_all(b" ")?;
            self.named(&row.label, width + inclusive + 1, "", true)?;
            self.out.write_all(b"\n")?;
        }
        if overview.rest.rows > 0 {
            columns.rest(&mut self.out, &overview.rest.cost)?;
            write!(self.out, "{:1$}", "", width - columns.width())?;
            let (count, what) = (grouped(overview.rest.rows as u64), ["functions", "function"]);
            let what = what[usize::from(overview.rest.rows == 1)];
            styled(&mut self.out, Style::Dim, |out| writeln!(out, "{:inclusive$} ({count} more {what})", ""))?;
        }
        self.out.write_all(b"\n")?;
        if !overview.lines.is_empty() {
            let places: Vec<String> = overview.lines.iter().map(place).collect();
            let longest = places.iter().map(|place| names::width(place)).max().unwrap_or(0);
            styled(&mut self.out, Style::Heading, |out| {
                writeln!(out, "{:width$}{:longest$}  source", format!("{name} self"), "line")
            })?;
            for ((line, place), text) in overview.lines.iter().zip(&places).zip(texts) {
                self.cell(&columns, &line.cost, width)?;
                let pad = longest - names::width(place);
                styled(&mut self.out, Style::Dim, |out| write!(out, "{place}{:pad$}  ", ""))?;
                match text {
                    Some(text) => self.out.write_all(text)?,
                    None => styled(&mut self.out, Style::Dim, |out| out.write_all(b"(source not found)"))?,
                }
                self.out.write_all(b"\n")?;
            }
            self.out.write_all(b"\n")?;
        }
        self.next(commands)
    }

    fn cell(&mut self, columns: &Columns<'_>, row: &[i64], width: usize) -> io::Result<()> {
        columns.row(&mut self.out, row)?;
        write!(self.out, "{:1$}", "", width - columns.width())
    }

    /// Commands that narrow it down.
    fn next(&mut self, commands: &[Next]) -> io::Result<()> {
        let longest = commands.iter().map(|next| next.last_width()).max().unwrap_or(0);
        let column = self.room().map_or(longest, |room| longest.min(room.saturating_sub(2 + REMARK)));
        for next in commands {
            for (at, line) in next.lines.iter().enumerate() {
                self.out.write_all(if at == 0 { b"" } else { b"\n" })?;
                styled(&mut self.out, Style::Hint, |out| out.write_all(line.as_bytes()))?;
            }
            if let Some(pad) = column.checked_sub(next.last_width()) {
                styled(&mut self.out, Style::Dim, |out| write!(out, "{:pad$}  # {}", "", next.remark))?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}

/// A command that shows more.
pub struct Next {
    lines: Vec<String>,
    remark: &'static str,
}

impl Next {
    fn last_width(&self) -> usize {
        self.lines.last().map_or(0, |line| names::width(line))
    }
}

/// Commands that narrow it down, which name these inputs, in lines of so much width.
pub fn next(
    overview: &Overview<'_>,
    events: &Events,
    event: Event,
    inputs: &[String],
    room: Option<usize>,
) -> Vec<Next> {
    let command = |option: &str, value: Option<String>| {
        let words = ["cgannotate".to_owned(), option.to_owned()].into_iter().chain(value);
        let words = words.chain(inputs.first().map(|input| quoted(input)));
        words.chain((inputs.len() > 1).then(|| "...".to_owned())).collect::<Vec<String>>()
    };
    let lines = |words: &[String]| match room {
        Some(room) => names::typed(words, room),
        None => vec![words.join(" ")],
    };
    let hottest = overview.functions.first().filter(|row| events.count(row.self_cost, event).is_some());
    let zoom = |name: &[u8], [before, after]: [&str; 2]| {
        let name = regex::escape(&String::from_utf8_lossy(name));
        lines(&command("--zoom", Some(quoted(&format!("{before}{name}{after}")))))
    };
    let zoom = match hottest.map(|row| row.label.name) {
        None => lines(&command("--zoom", Some("NAME".into()))),
        Some(name) => match zoom(name, ["^", "$"]) {
            whole if whole.len() == 1 => whole,
            // What is short is rather typed.
            broken => match zoom(last_part(name), ["", ""]) {
                short if short.len() < broken.len() => short,
                _ => broken,
            },
        },
    };
    vec![
        Next { lines: zoom, remark: "callers, callees, source" },
        Next { lines: lines(&command("--by=file", None)), remark: "by file, object or class" },
        Next { lines: lines(&command("--auto=yes", None)), remark: "all, with sources" },
    ]
}

/// How many lines they take beyond one each.
pub fn beyond_one(commands: &[Next]) -> usize {
    commands.iter().map(|next| next.lines.len().saturating_sub(1)).sum()
}

/// The totals of all events that show, in as many lines as that takes.
pub fn totals(events: &Events, selection: &Selection, totals: &Totals, width: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for &event in &selection.show {
        let count = events.count(&totals.row, event).unwrap_or(0);
        let count = match events.tick(event) {
            Some(tick) => duration(count, tick),
            None => u64::try_from(count).map_or_else(|_| count.to_string(), grouped),
        };
        let piece = format!("{} {count}", shown(events.name(event)));
        match lines.last_mut() {
            Some(line) if width.is_none_or(|width| names::width(line) + 2 + names::width(&piece) <= width) => {
                line.push_str("  ");
                line.push_str(&piece);
            }
            _ => lines.push(piece),
        }
    }
    lines
}

/// `file.c:12`, without folders.
fn place(line: &HotLine<'_>) -> String {
    let number = format!(":{}", line.line);
    let file = shown(line.file);
    names::middle(names::base(&file), PLACE.saturating_sub(number.len())) + &number
}

/// An argument as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,%@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}
