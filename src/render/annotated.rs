//! Prints annotated sources: a file's lines with their costs and the calls from them. It also
//! reports files that were not found or have changed.

use super::{columns::EventColumns, missing, text::TextReport};
use crate::{
    profile::sum_rows,
    source::missing::MissingFiles,
    text::{Style, grouped, how_many, names, shown, styled, wrapped, write_styled},
    view::{
        Age, ArcRow, FileCosts, PastEnd, SourceItem,
        sources::{Because, SourceSection},
        totals::longest,
        zoom::FunctionFiles,
    },
};
use std::io;
use termcolor::WriteColor;

/// The most library functions that are listed below a line.
const BELOW: usize = 5;

/// Library functions with less than this percentage of the total together are not listed.
const LITTLE: f64 = 0.1;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints the library functions that a line paid for: their sum, then the most expensive.
    fn below(
        &mut self,
        columns: &EventColumns<'_>,
        below: &[ArcRow<'_>],
        totals: &[i64],
    ) -> io::Result<()> {
        let sum = |rows: &[ArcRow<'_>]| sum_rows(rows.iter().map(|row| &row.cost[..]));
        let whole = sum(below);
        columns.rest(&mut self.out, &whole)?;
        let count = |row| self.options.selection.first_count(self.events, row) as f64;
        let share = Some(count(totals)).filter(|&of| of > 0.0);
        let share = share.map(|of| count(&whole) * 100.0 / of);
        let said = share.map_or_else(String::new, |share| format!("{share:.1} % "));
        let functions = how_many(below.len(), "library function");
        self.dim(|out| writeln!(out, " below: {said}in {functions}"))?;
        if share.is_some_and(|share| share < LITTLE) {
            return Ok(());
        }
        let (listed, more) = below.split_at(below.len().min(BELOW));
        for row in listed {
            let (arrow, times) = match row.count {
                0 => (" ~> ", String::new()),
                count => (" => ", self.times_each(count, &row.cost)),
            };
            self.arrow(columns, (&row.cost, arrow), &row.label, &times)?;
        }
        if more.is_empty() {
            return Ok(());
        }
        columns.rest(&mut self.out, &sum(more))?;
        let more = grouped(more.len());
        self.dim(|out| writeln!(out, " ({more} more)"))
    }

    /// Prints one annotated file, with `context` lines around those that have a cost.
    pub fn section(
        &mut self,
        section: &SourceSection<'_, FileCosts<'_>>,
        context: u64,
        totals: &'a [i64],
    ) -> io::Result<()> {
        self.file_heading(&section.title, section.because)?;
        match &section.costs {
            None => {
                let name = section.name;
                let text = [b"  No information has been collected for ", name, b"\n\n"].concat();
                self.out.write_all(&text)
            }
            Some(costs) => self.annotated(costs, context, section, totals),
        }
    }

    fn file_heading(&mut self, title: &[u8], because: Because) -> io::Result<()> {
        self.rule()?;
        let kind = match because {
            Because::Named => "-- User-annotated source: ",
            Because::Chosen => "-- Auto-annotated source: ",
        };
        let short = self
            .name_width()
            .map(|room| names::middle(&shown(title), room.saturating_sub(kind.len())));
        styled(&mut self.out, Style::Heading, |out| {
            out.write_all(kind.as_bytes())?;
            out.write_all(short.as_ref().map_or(title, String::as_bytes))
        })?;
        self.newline()?;
        self.rule()
    }

    fn annotated(
        &mut self,
        costs: &FileCosts<'_>,
        context: u64,
        section: &SourceSection<'_, FileCosts<'_>>,
        totals: &'a [i64],
    ) -> io::Result<()> {
        if section.age == Age::Newer {
            self.warning(&[
                &[
                    b"'",
                    costs.name,
                    b"' was changed after the profile was written;",
                ],
                &[b"the costs may be next to the wrong lines."],
            ])?;
        }
        let columns = self.columns(&costs.longest, totals);
        styled(&mut self.out, Style::Heading, |out| columns.heading(out))?;
        self.out.write_all(b"\n\n")?;
        let mut unended = false;
        let is_past = costs.walk(context, section.lines(), |item| {
            let is_source = matches!(item, SourceItem::Gap(_) | SourceItem::Source(..));
            // `callgrind_annotate` continues in the line that has no line feed.
            let goes_on = matches!(item, SourceItem::Bogus(..)) && costs.past_end != PastEnd::All;
            if !is_source && std::mem::take(&mut unended) && !goes_on {
                self.newline()?;
            }
            match item {
                SourceItem::Gap(line) => {
                    self.dim(|out| writeln!(out, "-- line {line} {:-<40}", ""))
                }
                SourceItem::Source(text, cost) => {
                    columns.row(&mut self.out, cost.unwrap_or_default().0)?;
                    self.out.write_all(b" ")?;
                    unended = !text.ends_with(b"\n");
                    match cost {
                        // Lines without a cost are only context.
                        None => write_styled(&mut self.out, Style::Dim, text),
                        Some(_) => self.out.write_all(text),
                    }
                }
                SourceItem::Inlined(inlined) => {
                    columns.row(&mut self.out, &inlined.cost)?;
                    write_styled(&mut self.out, Style::Call, b" ~> ")?;
                    let name = shown(inlined.name);
                    let room = self
                        .name_width()
                        .map(|room| room.saturating_sub(columns.width() + 4).max(20));
                    writeln!(
                        self.out,
                        "{}",
                        room.map_or(name.to_string(), |room| names::shorten(&name, room))
                    )
                }
                SourceItem::Call(call) => {
                    self.call(&columns, " => ", &call.label.without_object(), call)
                }
                SourceItem::Below(below) => self.below(&columns, below, totals),
                SourceItem::Bogus(line, cost) => {
                    columns.row(&mut self.out, cost.0)?;
                    writeln!(self.out, " <bogus line {line}>")
                }
            }
        })?;
        if is_past {
            self.newline()?;
            let reason: &[u8] = match section.age {
                Age::Newer => b"it was changed after the profile was written; record it again.",
                Age::Older => b"it may not be the file that the program was built from.",
            };
            self.warning(&[
                &[
                    b"There are costs for lines past the end of '",
                    costs.name,
                    b"':",
                ],
                &[reason],
            ])?;
        } else {
            self.newline()?;
        }
        if let Some(cost) = costs.unidentified() {
            columns.row(&mut self.out, cost.0)?;
            self.out.write_all(b" <counts for unidentified lines in ")?;
            self.out.write_all(costs.name)?;
            self.out.write_all(b">\n\n")?;
        }
        Ok(())
    }

    /// Prints a block of lines that begin with `@`, and a blank line.
    fn warning(&mut self, lines: &[&[&[u8]]]) -> io::Result<()> {
        styled(&mut self.out, Style::Warning, |out| {
            writeln!(out, "{:@<80}", "")?;
            for line in lines {
                out.write_all(b"@@ ")?;
                for piece in *line {
                    out.write_all(piece)?;
                }
                out.write_all(b"\n")?;
            }
            writeln!(out, "{:@<80}", "")
        })?;
        self.newline()
    }

    /// Lists the files that should have been annotated but were not found or not readable.
    pub fn not_found(&mut self, names: &[Vec<u8>]) -> io::Result<()> {
        self.rule()?;
        self.out
            .write_all(b"The following files chosen for auto-annotation could not be found:\n")?;
        self.rule()?;
        missing::by_name(&mut self.out, names)?;
        self.newline()
    }

    /// Lists the missing files by the folder where they should be, each with a remedy. People would
    /// not read a plain list.
    pub fn not_found_by_root(&mut self, groups: &[MissingFiles]) -> io::Result<()> {
        self.rule()?;
        let room = self.name_width();
        let title = "The following files chosen for auto-annotation could not be found:";
        writeln!(self.out, "{}", wrapped(title, room.unwrap_or(usize::MAX)))?;
        self.rule()?;
        missing::by_root(&mut self.out, groups, room)?;
        self.newline()
    }

    /// Prints how much of the total is at annotated lines. `whole` is 100 %.
    pub fn covered(&mut self, cost: &[i64], whole: &[i64]) -> io::Result<()> {
        let columns = self.columns(&longest(self.events, [cost]), whole);
        let columns = columns.without_impossible_shares(cost);
        self.heading(&columns, "")?;
        columns.row(&mut self.out, cost)?;
        self.out.write_all(b" events annotated\n\n")
    }

    /// Prints the cost of a function in files that were omitted. `whole` is 100 %.
    pub fn left_out_files(&mut self, of: &FunctionFiles<'_>, whole: &[i64]) -> io::Result<()> {
        if of.left_out == 0 {
            return Ok(());
        }
        let cost = &of.left_out_cost;
        let columns = self.columns(&longest(self.events, [&cost[..]]), whole);
        self.heading(&columns, "")?;
        columns.row(&mut self.out, cost)?;
        let (files, each) = if of.left_out == 1 {
            ("file", "")
        } else {
            ("files", " each")
        };
        writeln!(
            self.out,
            " lines and calls in {} more {files} with less than 1%{each}\n",
            of.left_out
        )
    }
}
