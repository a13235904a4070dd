//! Prints inlined functions in the text report.

use super::{NAME, columns::EventColumns, text::TextReport};
use crate::{
    analysis::{Label, inlined::InlinedRow},
    profile::{base_name, joined, to_text},
    text::{Style, grouped, styled, write_styled},
    view::{
        figures::PercentColumns,
        inlined::{InlinedBasis, InlinedList, InlinedPlaces, InlinedTree},
    },
};
use std::io;
use termcolor::WriteColor;

/// Selects the cost of a column from a row.
type InlinedCost = for<'r> fn(&'r InlinedRow<'r>) -> &'r [i64];

/// The columns to the right of the self costs: heading and cost. If there is no room, the first is
/// removed first.
const BEHIND: [(&str, InlinedCost); 2] = [
    ("with inlined", |row| &row.with_inlined),
    ("inclusive", |row| &row.inclusive),
];

/// Deeper levels are not indented further.
const DEEPEST: usize = 50;

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints all functions, called and inlined.
    pub(super) fn inlined_list(&mut self, list: &InlinedList<'a>) -> io::Result<()> {
        let frame = &list.frame;
        self.totals(&frame.totals)?;
        let show = &self.options.selection.show;
        let columns =
            |what: &'static str, show: &[crate::profile::Event], shares: PercentColumns| {
                EventColumns::titled(
                    self.events,
                    show,
                    &frame.longest,
                    frame.totals.cost,
                    shares,
                    |event| format!("{what} {}", self.events.text(event)),
                )
            };
        let shares = self.options.shares;
        let first = &show[..show.len().min(1)];
        let of_self = columns("self", show, shares);
        let behind = if list.known == InlinedBasis::Chains {
            &BEHIND[..]
        } else {
            &[]
        };
        let mut others: Vec<_> = behind
            .iter()
            .map(|(what, _)| columns(what, first, shares))
            .collect();
        let places_title: &[u8] = if others.is_empty() {
            b"  "
        } else {
            b" places  "
        };
        // Names matter more than the columns after the first.
        let taken = |others: &[EventColumns<'_>]| {
            of_self.width()
                + others.iter().map(EventColumns::width).sum::<usize>()
                + places_title.len()
        };
        while self
            .name_width()
            .is_some_and(|room| taken(&others) + NAME > room)
            && !others.is_empty()
        {
            others.remove(0);
        }
        let (gone, behind) = behind.split_at(behind.len() - others.len());
        self.learn(&mut list.rows.iter().map(|row| row.file));
        self.list_rule()?;
        styled(&mut self.out, Style::Heading, |out| {
            of_self.heading(out)?;
            others.iter().try_for_each(|columns| columns.heading(out))?;
            out.write_all(places_title)?;
            out.write_all(b"file:function\n")
        })?;
        self.list_rule()?;
        let width = taken(&others);
        for row in &list.rows {
            of_self.row(&mut self.out, &row.self_cost)?;
            for (columns, (_, cost)) in others.iter().zip(behind) {
                columns.row(&mut self.out, cost(row))?;
            }
            match (list.known, row.places) {
                (InlinedBasis::Chains, 0) => write!(self.out, "{:>7}  ", ".")?,
                (InlinedBasis::Chains, places) => write!(self.out, "{:>7}  ", grouped(places))?,
                (InlinedBasis::Lines, _) => self.out.write_all(b"  ")?,
            }
            let label = Label::plain(row.file, row.name);
            let behind = match (row.places, row.called) {
                _ if row.file == b"???" && row.called.is_none() => "",
                (0, Some(_)) => "",
                (_, None) => " (inlined)",
                (_, Some(_)) => " (called and inlined)",
            };
            self.named(&label, width, behind)?;
            self.newline()?;
        }
        self.foot(&of_self, frame)?;
        if !gone.is_empty() {
            let gone = joined(gone.iter().map(|(what, _)| *what), ", ");
            writeln!(self.out, "no room for: {gone}\n")?;
        }
        self.notes(&list.notes)
    }

    /// Prints notes about what is not known, one per line.
    pub(super) fn notes(&mut self, notes: &[String]) -> io::Result<()> {
        for note in notes {
            self.dim(|out| writeln!(out, "{note}"))?;
        }
        if notes.is_empty() {
            Ok(())
        } else {
            self.newline()
        }
    }

    /// Prints what is inlined into a function.
    pub(super) fn inlined_tree(
        &mut self,
        tree: &InlinedTree<'a>,
        columns: &EventColumns<'_>,
    ) -> io::Result<()> {
        if tree.steps.is_empty() && tree.notes.is_empty() {
            return Ok(());
        }
        self.heading(columns, " inlined code, within the self cost")?;
        if !tree.steps.is_empty() {
            columns.row(&mut self.out, &tree.own)?;
            self.out.write_all(b" *  the function itself\n")?;
        }
        for step in &tree.steps {
            columns.row(&mut self.out, &step.cost)?;
            let (file, line) = step.from;
            let base = base_name(file);
            let from = match line {
                0 => String::new(),
                line => format!(" ({}:{line})", to_text(base)),
            };
            let arrow = format!(" {:1$}+ ", "", 2 * step.level.min(DEEPEST));
            write_styled(&mut self.out, Style::Call, &arrow)?;
            let room = self
                .name_width()
                .map(|room| room.saturating_sub(columns.width() + arrow.len() + from.len()));
            let text = joined(step.names.iter().map(to_text), " › ");
            let text = match room {
                Some(room) => crate::text::names::middle(&text, room.max(20)),
                None => text,
            };
            writeln!(self.out, "{text}{from}")?;
        }
        if tree.left_out > 0 {
            columns.rest(&mut self.out, &tree.rest)?;
            writeln!(
                self.out,
                " + ({} more, each less than 1% of the self cost)",
                grouped(tree.left_out)
            )?;
        }
        self.newline()?;
        self.notes(&tree.notes)
    }

    /// Prints where a function is inlined.
    pub(super) fn inlined_places(&mut self, places: &InlinedPlaces<'a>) -> io::Result<()> {
        self.rule()?;
        self.out.write_all(b"Inlined function: ")?;
        let label = Label::plain(places.file, places.name);
        self.named(&label, 18, "")?;
        self.newline()?;
        if places.others > 0 {
            let functions = if places.others == 1 {
                "function matches"
            } else {
                "functions match"
            };
            writeln!(
                self.out,
                "                  {} more inlined {functions}",
                grouped(places.others)
            )?;
        }
        let columns = self.columns(&places.longest, places.totals.cost);
        self.heading(&columns, "")?;
        self.totals_row(&columns, &places.totals)?;
        columns.row(&mut self.out, &places.cost)?;
        self.out
            .write_all(b" its code, and what is inlined into it\n\n")?;
        let columns = self.columns(&places.longest, &places.cost);
        self.heading(&columns, " where it is inlined (100% is all places)")?;
        for place in &places.places {
            columns.row(&mut self.out, &place.cost)?;
            self.out.write_all(b" < ")?;
            self.named(&place.outer.without_object(), columns.width() + 3, "")?;
            for (file, line, name) in &place.chain {
                let base = base_name(file);
                let at = if *line == 0 {
                    String::new()
                } else {
                    format!(":{line}")
                };
                write!(
                    self.out,
                    "\n{:1$}   {2}{at} › ",
                    "",
                    columns.width(),
                    to_text(base)
                )?;
                self.out.write_all(name)?;
            }
            self.newline()?;
        }
        if places.more > 0 {
            columns.row(&mut self.out, &[])?;
            writeln!(self.out, " < ({} more places)", grouped(places.more))?;
        }
        self.newline()
    }
}
