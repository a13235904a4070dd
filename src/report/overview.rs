//! The first screen of a person at a terminal: what is hot, and what to type next. Nothing scrapes it; it may change.

use super::columns::{Columns, duration, grouped};
use super::names::{self, shown};
use super::style::{Style, styled};
use super::text::TextReport;
use crate::analysis::About;
use crate::analysis::overview::{HotLine, Overview};
use crate::profile::{Event, Totals};
use std::io;
use termcolor::WriteColor;

/// How many lines stand around the functions and the source lines, the shell's prompt included.
pub const AROUND: usize = 12;

/// How wide the place of a source line is at most.
const PLACE: usize = 24;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// The screen; `texts` are the lines' sources, where they were found, and `inputs` what a next command would name.
    pub fn overview(
        &mut self,
        overview: &Overview<'a>,
        texts: &[Option<Vec<u8>>],
        about: &About<'_>,
        totals: &'a Totals,
        inputs: &[String],
    ) -> io::Result<()> {
        let input = about.inputs.first().map_or(String::new(), |(input, _)| input.to_string());
        styled(&mut self.out, Style::Heading, |out| write!(out, "{input}"))?;
        if about.inputs.len() > 1 {
            write!(self.out, " and {} more", about.inputs.len() - 1)?;
        }
        self.out.write_all(b"\n")?;
        for (at, &event) in self.options.selection.show.iter().enumerate() {
            let count = self.events.count(&totals.row, event).unwrap_or(0);
            let count = match self.events.tick(event) {
                Some(tick) => duration(count, tick),
                None => u64::try_from(count).map_or_else(|_| count.to_string(), grouped),
            };
            write!(self.out, "{}{} {count}", if at > 0 { "  " } else { "" }, shown(self.events.name(event)))?;
        }
        self.out.write_all(b"\n\n")?;

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
            self.cell(&columns, &overview.rest.cost, width)?;
            let (count, what) = (grouped(overview.rest.rows as u64), ["functions", "function"]);
            let what = what[usize::from(overview.rest.rows == 1)];
            styled(&mut self.out, Style::Dim, |out| writeln!(out, "{:width$} ({count} more {what})", ""))?;
        }
        self.out.write_all(b"\n")?;
        if !overview.lines.is_empty() {
            styled(&mut self.out, Style::Heading, |out| {
                writeln!(out, "{:width$}{:PLACE$} source", format!("{name} self"), "line")
            })?;
            for (line, text) in overview.lines.iter().zip(texts) {
                self.cell(&columns, &line.cost, width)?;
                self.line(line, text.as_deref())?;
            }
            self.out.write_all(b"\n")?;
        }
        self.next(overview, event, inputs)
    }

    fn cell(&mut self, columns: &Columns<'_>, row: &[i64], width: usize) -> io::Result<()> {
        columns.row(&mut self.out, row)?;
        write!(self.out, "{:1$}", "", width - columns.width())
    }

    fn line(&mut self, line: &HotLine<'_>, text: Option<&[u8]>) -> io::Result<()> {
        let number = format!(":{}", line.line);
        let file = shown(line.file);
        let place = names::middle(names::base(&file), PLACE.saturating_sub(number.len())) + &number;
        let pad = PLACE.saturating_sub(names::width(&place));
        styled(&mut self.out, Style::Dim, |out| write!(out, "{place}{:pad$} ", ""))?;
        match text {
            Some(text) => self.out.write_all(text)?,
            None => styled(&mut self.out, Style::Dim, |out| out.write_all(b"(source not found)"))?,
        }
        self.out.write_all(b"\n")
    }

    /// Commands that narrow it down.
    fn next(&mut self, overview: &Overview<'_>, event: Event, inputs: &[String]) -> io::Result<()> {
        let file =
            inputs.first().map_or(String::new(), |input| quoted(input)) + if inputs.len() > 1 { " ..." } else { "" };
        let hottest = overview.functions.first().filter(|row| self.events.count(row.self_cost, event).is_some());
        let name = hottest.map_or("NAME".to_owned(), |row| {
            let name = String::from_utf8_lossy(row.label.name);
            quoted(&format!("^{}$", regex::escape(&name)))
        });
        for (what, command) in [
            ("callers, callees, source", format!("cgannotate --zoom {name} {file}")),
            ("by file, object or class", format!("cgannotate --by=file {file}")),
            ("all, with sources", format!("cgannotate --auto=yes {file}")),
        ] {
            write!(self.out, "{what:25}")?;
            styled(&mut self.out, Style::Hint, |out| out.write_all(command.as_bytes()))?;
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
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
