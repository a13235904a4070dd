//! The first screen of a person at a terminal: what is hot, and what to type next. Nothing scrapes it; it may change.

use super::columns::{Columns, duration, grouped};
use super::names::{self, shown};
use super::style::{Style, styled};
use super::text::TextReport;
use crate::analysis::difference::names::last_part;
use crate::analysis::overview::{HotLine, Overview};
use crate::analysis::{About, Selection};
use crate::profile::{Event, Events, Totals};
use std::io;
use termcolor::WriteColor;

/// How many lines stand around totals, functions and source lines, the shell's prompt included.
pub const AROUND: usize = 11;

/// How wide the remark behind a command is.
const REMARK: usize = 26;

/// How wide the place of a source line is at most.
const PLACE: usize = 24;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// The screen; `lines` are the totals as text, `texts` the lines' sources, where they were found, and `inputs` what a
    /// next command would name.
    pub fn overview(
        &mut self,
        overview: &Overview<'a>,
        texts: &[Option<Vec<u8>>],
        about: &About<'_>,
        (totals, lines): (&'a Totals, &[String]),
        inputs: &[String],
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
        let width = columns.width().max("inclusive ".len());
        let name = shown(self.events.name(event));
        styled(&mut self.out, Style::Heading, |out| {
            writeln!(out, "{:width$}{:width$} function", format!("{name} self"), "inclusive")
        })?;
        self.learn(&mut overview.functions.iter().map(|row| row.label.file));
        for row in &overview.functions {
            self.cell(&columns, row.self_cost, width)?;
            self.cell(&columns, row.inclusive, width)?;
            self.out.write_all(b" ")?;
            self.named(&row.label, 2 * width + 1, "", true)?;
            self.out.write_all(b"\n")?;
        }
        if overview.rest.rows > 0 {
            columns.rest(&mut self.out, &overview.rest.cost)?;
            write!(self.out, "{:1$}", "", width - columns.width())?;
            let (count, what) = (grouped(overview.rest.rows as u64), ["functions", "function"]);
            let what = what[usize::from(overview.rest.rows == 1)];
            styled(&mut self.out, Style::Dim, |out| writeln!(out, "{:width$} ({count} more {what})", ""))?;
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
        self.next(overview, event, inputs)
    }

    fn cell(&mut self, columns: &Columns<'_>, row: &[i64], width: usize) -> io::Result<()> {
        columns.row(&mut self.out, row)?;
        write!(self.out, "{:1$}", "", width - columns.width())
    }

    /// Commands that narrow it down.
    fn next(&mut self, overview: &Overview<'_>, event: Event, inputs: &[String]) -> io::Result<()> {
        let file =
            inputs.first().map_or(String::new(), |input| quoted(input)) + if inputs.len() > 1 { " ..." } else { "" };
        let hottest = overview.functions.first().filter(|row| self.events.count(row.self_cost, event).is_some());
        let zoom = |name: &[u8], [before, after]: [&str; 2]| {
            let name = regex::escape(&String::from_utf8_lossy(name));
            format!("cgannotate --zoom {} {file}", quoted(&format!("{before}{name}{after}")))
        };
        let zoom = match hottest.map(|row| row.label.name) {
            None => format!("cgannotate --zoom NAME {file}"),
            // A command that is cut off cannot be typed.
            Some(name) => match zoom(name, ["^", "$"]) {
                whole if self.room().is_none_or(|room| names::width(&whole) <= room) => whole,
                _ => zoom(last_part(name), ["", ""]),
            },
        };
        let commands = [
            (zoom, "callers, callees, source"),
            (format!("cgannotate --by=file {file}"), "by file, object or class"),
            (format!("cgannotate --auto=yes {file}"), "all, with sources"),
        ];
        let longest = commands.iter().map(|(command, _)| names::width(command)).max().unwrap_or(0);
        let column = self.room().map_or(longest, |room| longest.min(room.saturating_sub(2 + REMARK)));
        for (command, what) in commands {
            styled(&mut self.out, Style::Hint, |out| out.write_all(command.as_bytes()))?;
            if let Some(pad) = column.checked_sub(names::width(&command)) {
                styled(&mut self.out, Style::Dim, |out| write!(out, "{:pad$}  # {what}", ""))?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
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
