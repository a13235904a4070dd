//! Prints the first screen at a terminal: what is hot, and suggested commands. Scripts do not read
//! it, so it may change.

use super::{columns::EventColumns, text::TextReport};
use crate::{
    analysis::Cost,
    profile::Event,
    text::{Style, how_many, names, styled, write_styled},
    view::{
        Age,
        first_screen::{self, FirstScreen, Spacing},
        next::Next,
        overview::Whose,
        rest::NOWHERE,
    },
};
use std::io;
use termcolor::WriteColor;

/// The width of the remark after a command.
const REMARK: usize = 26;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints what is hot, on one screen.
    pub(super) fn first_screen(&mut self, screen: &FirstScreen<'a>) -> io::Result<()> {
        let FirstScreen {
            overview,
            inputs,
            totals_in_lines,
            texts,
            places,
            commands,
            missing,
            ..
        } = screen;
        if let Some((first, more)) = inputs.split_first() {
            write_styled(&mut self.out, Style::Heading, first.as_bytes())?;
            if !more.is_empty() {
                write!(self.out, " and {} more", more.len())?;
            }
            self.newline()?;
        }
        for line in totals_in_lines {
            writeln!(self.out, "{line}")?;
        }
        if !inputs.is_empty() || !totals_in_lines.is_empty() {
            self.gap(screen)?;
        }
        let (own, inclusive) = (
            self.hot(screen, Cost::Own, screen.own_word),
            self.hot(screen, Cost::Inclusive, screen.own_word),
        );
        styled(&mut self.out, Style::Heading, |out| {
            own.heading(out)?;
            inclusive.heading(out)?;
            out.write_all(b" function\n")
        })?;
        let used = own.width() + inclusive.width() + 1;
        self.learn_names(overview.functions.iter().map(|row| row.label));
        let calls = overview.functions.iter().map(|row| match row.called {
            0 => row.reach.words().to_owned(),
            called => row.reach.words().to_owned() + &self.times_each(called, row.inclusive),
        });
        let calls: Vec<String> = calls.collect();
        let mut rows = overview.functions.iter().zip(&calls);
        // In some rows alone they would look like exceptions.
        let have_room = rows.all(|(row, calls)| self.has_room(&row.label, used, calls));
        for (row, calls) in overview.functions.iter().zip(&calls) {
            own.row(&mut self.out, row.self_cost)?;
            inclusive.row(&mut self.out, row.inclusive)?;
            self.out.write_all(b" ")?;
            let calls = if have_room { calls } else { row.reach.words() };
            self.named(&row.label, used, calls)?;
            self.newline()?;
        }
        if overview.rest.rows > 0 {
            own.rest(&mut self.out, &overview.rest.cost)?;
            let more = how_many(overview.rest.rows, "more function");
            let width = inclusive.width();
            self.dim(|out| writeln!(out, "{:width$} ({})", "", more))?;
        }
        if screen.nowhere {
            own.rest(&mut self.out, &overview.rest.nowhere)?;
            let width = inclusive.width();
            self.dim(|out| writeln!(out, "{:width$} {NOWHERE}", ""))?;
        }
        if !overview.lines.is_empty() {
            self.gap(screen)?;
            let longest = places
                .iter()
                .map(|place| names::width(place))
                .max()
                .unwrap_or(0);
            let (columns, title) = match overview.whose {
                Whose::All => (own, "line"),
                Whose::Own => (self.hot(screen, Cost::Own, "own"), "own line"),
            };
            let longest = longest.max(names::width(title));
            // The lines of a newer source may have moved.
            let is_newer = texts.iter().flatten().any(|(age, _)| *age == Age::Newer);
            let changed = if is_newer {
                " (@ changed since the run)"
            } else {
                ""
            };
            styled(&mut self.out, Style::Heading, |out| {
                columns.heading(out)?;
                writeln!(out, "{title:longest$}  source{changed}")
            })?;
            for ((line, place), text) in overview.lines.iter().zip(places).zip(texts) {
                columns.row(&mut self.out, &line.cost)?;
                let pad = longest - names::width(place);
                self.dim(|out| write!(out, "{place}{:pad$}  ", ""))?;
                match text {
                    Some((age, text)) => {
                        if *age == Age::Newer {
                            write_styled(&mut self.out, Style::Dim, b"@ ")?;
                        }
                        self.out.write_all(text)?;
                    }
                    None => write_styled(&mut self.out, Style::Dim, b"(source not found)")?,
                }
                self.newline()?;
            }
            if let Some(unplaced) = &overview.unplaced {
                columns.rest(&mut self.out, &unplaced.cost)?;
                self.dim(|out| writeln!(out, "{}", unplaced.why.words()))?;
            }
            if let Some(inlined) = &overview.inlined {
                self.dim(|out| writeln!(out, "{inlined}"))?;
            }
        }
        if !commands.is_empty() || !missing.is_empty() {
            self.gap(screen)?;
        }
        self.next(commands)?;
        for line in missing {
            self.dim(|out| writeln!(out, "{line}"))?;
        }
        Ok(())
    }

    fn gap(&mut self, screen: &FirstScreen<'_>) -> io::Result<()> {
        match screen.spacing {
            Spacing::Blank => self.newline(),
            Spacing::Tight => Ok(()),
        }
    }

    /// The columns of self or inclusive cost.
    fn hot(&self, screen: &FirstScreen<'_>, cost: Cost, own_word: &str) -> EventColumns<'a> {
        let events = match cost {
            Cost::Own => &screen.own,
            Cost::Inclusive => &screen.inclusive,
        };
        let of = screen.own.len();
        let title = |event: Event| first_screen::title(self.events, event, (cost, own_word), of);
        EventColumns::titled(
            self.events,
            events,
            &screen.overview.longest,
            &screen.totals.row,
            screen.shares,
            title,
        )
    }

    /// Prints commands that narrow it down.
    fn next(&mut self, commands: &[Next]) -> io::Result<()> {
        let longest = commands
            .iter()
            .map(|next| names::width(next.last_line()))
            .max()
            .unwrap_or(0);
        let column = self
            .name_width()
            .map_or(longest, |room| longest.min(room.saturating_sub(2 + REMARK)));
        for next in commands {
            for (at, line) in next.lines.iter().enumerate() {
                self.out.write_all(if at == 0 { b"" } else { b"\n" })?;
                write_styled(&mut self.out, Style::Hint, line)?;
            }
            if let Some(pad) = column.checked_sub(names::width(next.last_line())) {
                self.dim(|out| write!(out, "{:pad$}  # {}", "", next.remark))?;
            }
            self.newline()?;
        }
        Ok(())
    }
}
