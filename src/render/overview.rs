//! The first screen of a person at a terminal: what is hot, and what to type next. Nothing scrapes it; it may change.

use super::columns::Columns;
use super::text::TextReport;
use crate::text::escape::shown;
use crate::text::names;
use crate::text::number::grouped;
use crate::text::style::{Style, styled};
use crate::view::first_screen::FirstScreen;
use crate::view::next::Next;
use std::io;
use termcolor::WriteColor;

/// How wide the remark behind a command is.
const REMARK: usize = 26;

/// How many columns are for names, if not for figures.
const NAMES: usize = 20;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// What is hot, on one screen.
    pub(super) fn first_screen(&mut self, screen: &FirstScreen<'a>) -> io::Result<()> {
        let FirstScreen { overview, inputs, totals, totals_in_lines, texts, places, commands } = screen;
        let input = inputs.first().map_or("", AsRef::as_ref);
        styled(&mut self.out, Style::Heading, |out| write!(out, "{input}"))?;
        if inputs.len() > 1 {
            write!(self.out, " and {} more", inputs.len() - 1)?;
        }
        self.out.write_all(b"\n")?;
        for line in totals_in_lines {
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
            let longest = places.iter().map(|place| names::width(place)).max().unwrap_or(0);
            styled(&mut self.out, Style::Heading, |out| {
                writeln!(out, "{:width$}{:longest$}  source", format!("{name} self"), "line")
            })?;
            for ((line, place), text) in overview.lines.iter().zip(places).zip(texts) {
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
        let longest = commands.iter().map(|next| names::width(next.last_line())).max().unwrap_or(0);
        let column = self.room().map_or(longest, |room| longest.min(room.saturating_sub(2 + REMARK)));
        for next in commands {
            for (at, line) in next.lines.iter().enumerate() {
                self.out.write_all(if at == 0 { b"" } else { b"\n" })?;
                styled(&mut self.out, Style::Hint, |out| out.write_all(line.as_bytes()))?;
            }
            if let Some(pad) = column.checked_sub(names::width(next.last_line())) {
                styled(&mut self.out, Style::Dim, |out| write!(out, "{:pad$}  # {}", "", next.remark))?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }
}
