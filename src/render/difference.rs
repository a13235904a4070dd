//! Prints the comparison of two runs for people: the totals, then the largest changes and their
//! reasons.
//!
//! All counts have the same columns, `change, percent, old → new`, so the left side can be read
//! from top to bottom.

use super::{
    missing,
    reasons::{GLUE, why},
};
use crate::{
    analysis::{
        Cost, Estimate, GroupBy, Selection,
        difference::{
            Change, ChangeFrame, ChangeRef, ChangedFunction, Difference, FileChanges,
            GroupDifference, How, LineDifference, Matching,
        },
        growth,
    },
    profile::{Event, Events, Profile, base_name, to_text},
    source::{Toolchain, missing::Unread},
    text::{
        Style, escape, fitted_to, grouped, how_many, names,
        number::{amount, percent, plural, signed_amount},
        shown, signed,
        style::rule,
        styled, write_styled,
    },
    view::{
        Age, Surface,
        changed_lines::{self, ChangedItem},
        comparison::Changes,
        sources::SourceSection,
    },
};
use std::io;
use termcolor::WriteColor;

/// The width of a percentage.
const PERCENT: usize = 11;

/// The width of the text, unless names are longer.
const WIDTH: usize = 80;

/// Prints a comparison piece by piece.
pub struct DifferenceReport<'a, W> {
    out: W,
    events: &'a Events,
    selection: &'a Selection,
    totals: &'a [Event],
    shares: bool,
    surface: Surface,
    widths: Widths,
}

/// The widths of the columns `old`, `new` and `change`.
type Widths = [usize; 3];

/// The least widths: those of the headings.
const TITLES: Widths = ["old".len(), "new".len(), "change".len()];

/// Makes room for these counts.
fn fit(widths: &mut Widths, events: &Events, shown: &[Event], change: ChangeRef<'_>) {
    for &event in shown {
        for (width, word) in widths.iter_mut().zip(words(change, events, event)) {
            *width = word.len().max(*width);
        }
    }
}

impl<'a, W: WriteColor> DifferenceReport<'a, W> {
    /// Creates a report that writes to `out`. `totals` are the events whose totals are shown, and
    /// `shares` says whether changes are followed by percentages.
    pub fn new(
        out: W,
        events: &'a Events,
        selection: &'a Selection,
        totals: &'a [Event],
        shares: bool,
        surface: Surface,
    ) -> Self {
        DifferenceReport {
            out,
            events,
            selection,
            totals,
            shares,
            surface,
            widths: TITLES,
        }
    }

    /// The width of rules and paragraphs.
    fn width(&self) -> usize {
        self.surface.width.map_or(WIDTH, |width| width.min(WIDTH))
    }

    fn newline(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    fn rule(&mut self) -> io::Result<()> {
        let width = self.width();
        styled(&mut self.out, Style::Dim, |out| rule(out, width))
    }

    /// Shortens a name to what is left of the line after `used` columns, if lines are limited.
    fn name(&self, name: &[u8], used: usize) -> String {
        match self.surface.width {
            None => to_text(name),
            Some(width) => names::shorten(&shown(name), width.saturating_sub(used)),
        }
    }

    /// Prints the page of two runs.
    pub fn page(&mut self, matching: &Matching<'_>, changes: Changes<'_>) -> io::Result<()> {
        let (old, new) = (&*matching.old.original, &*matching.new.original);
        self.growth(&growth::compare(old, new), new)?;
        // On a terminal the answer comes first.
        let answer_first = self.surface.terminal;
        if !answer_first {
            self.header(old, new)?;
        }
        match changes {
            Changes::Functions(functions) => self.functions(functions)?,
            Changes::Lines(lines) => self.lines(lines)?,
            Changes::Groups(groups) => self.groups(groups)?,
        }
        if answer_first {
            self.header(old, new)
        } else {
            Ok(())
        }
    }

    /// Prints which runs are compared.
    fn header(&mut self, old: &Profile, new: &Profile) -> io::Result<()> {
        self.rule()?;
        let command = |profile: &Profile| {
            let command = profile.command();
            to_text(if command.is_empty() {
                b"(unknown)"
            } else {
                command
            })
        };
        let same = command(old) == command(new);
        let mut lines = Vec::new();
        for (side, profile) in [("Old:     ", old), ("New:     ", new)] {
            let more = match profile.inputs.len().saturating_sub(1) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            lines.push(format!("{side}{}{more}", profile.input_name(0)));
            if !same {
                lines.push(format!("         {}", command(profile)));
            }
        }
        if same {
            lines.push(format!("Command: {}", command(new)));
        }
        for line in lines {
            writeln!(self.out, "{}", fitted_to(&line, self.surface.width))?;
        }
        Ok(())
    }

    /// Prints the routines whose growth with the input size changed, one per line.
    fn growth(&mut self, changes: &[growth::GrowthChange], new: &Profile) -> io::Result<()> {
        for change in changes {
            let worse = change.after.fit.shape > change.before.fit.shape;
            self.out
                .write_all(new.name(new.function(change.new).name))?;
            writeln!(
                self.out,
                " grows {}: {} -> {} (exponent {:.2} -> {:.2})",
                if worse { "worse" } else { "better" },
                change.before.fit.shape.name(),
                change.after.fit.shape.name(),
                change.before.exponent(),
                change.after.exponent()
            )?;
        }
        if changes.is_empty() {
            Ok(())
        } else {
            self.newline()
        }
    }

    /// Prints the totals and the functions.
    fn functions(&mut self, difference: &Difference<'_>) -> io::Result<()> {
        let rows = difference
            .listed
            .iter()
            .flat_map(|&at| [difference.own(at), difference.inclusive(at)]);
        self.totals(&difference.frame, rows)?;
        for row in difference.rows() {
            self.function(&row, difference.by)?;
        }
        let others = match difference.by {
            Cost::Own => "self",
            Cost::Inclusive => "self, partly counted above",
        };
        self.rest(GroupBy::Function.nouns(), &difference.frame, others)?;
        let listed = !difference.listed.is_empty();
        for (what, rest) in [
            ("new", &difference.appeared),
            ("gone", &difference.disappeared),
        ] {
            if rest.count > 0 && listed {
                let show = &self.selection.show;
                let event = show.first().copied().unwrap_or(Event::Recorded(0));
                if event.is_ratio() {
                    continue;
                }
                let change = signed(rest.cost.delta(self.events, event));
                let name = self.events.text(event).into_owned();
                writeln!(
                    self.out,
                    "{}: {change} {name} in all.",
                    plural(
                        rest.count,
                        "function",
                        &format!("are {what}"),
                        &format!("is {what}")
                    )
                )?;
            }
        }
        Ok(())
    }

    /// Prints the totals and the lines.
    fn lines(&mut self, difference: &LineDifference<'_>) -> io::Result<()> {
        let rows = difference.rows().map(|row| row.cost(difference.matching));
        self.totals(&difference.frame, rows)?;
        for row in difference.rows() {
            let (path, line) = difference.place(row);
            let ends = (row.old_line(), row.new_line());
            let behind = changed(ends, |old| format!("  (was line {old})"));
            let at = if line == 0 {
                " (line not known)  ".to_owned()
            } else {
                format!(":{line}  ")
            };
            let used = at.len() + behind.len();
            // The file may take half of the room for file and function.
            let path = self.name(
                path,
                used + self
                    .surface
                    .width
                    .map_or(0, |width| width.saturating_sub(used) / 2),
            );
            let function = difference
                .matching
                .label(row.pair)
                .map_or(&b"???"[..], |label| label.name.bytes());
            let function = self.name(function, used + names::width(&path));
            writeln!(self.out, "{path}{at}{function}{behind}")?;
            self.figures(row.cost(difference.matching), "self", &[])?;
            self.newline()?;
        }
        self.rest(["line", "lines"], &difference.frame, "self")
    }

    /// Prints the totals and the objects, files or classes.
    fn groups(&mut self, difference: &GroupDifference<'_>) -> io::Result<()> {
        let rows = difference.rows.iter().map(|row| row.cost.lent());
        self.totals(&difference.frame, rows)?;
        for row in &difference.rows {
            let behind = changed((row.old.as_ref(), row.new.as_ref()), |old| {
                let half = self.surface.width.map_or(0, |width| width / 2);
                format!("  (was {})", self.name(old, half + "  (was )".len()))
            });
            let name = difference.by.or_none(row.name());
            let name = self.name(name, names::width(&behind));
            write_styled(&mut self.out, Style::Heading, &name)?;
            writeln!(self.out, "{behind}")?;
            self.figures(row.cost.lent(), "self", &[])?;
            self.newline()?;
        }
        self.rest(difference.by.nouns(), &difference.frame, "self")
    }

    fn totals<'r>(
        &mut self,
        frame: &'r ChangeFrame,
        rows: impl Iterator<Item = ChangeRef<'r>>,
    ) -> io::Result<()> {
        let total = &frame.total;
        let rows = rows.chain([&frame.others.cost, &frame.outside].map(Change::lent));
        fit(&mut self.widths, self.events, self.totals, total.lent());
        rows.for_each(|row| fit(&mut self.widths, self.events, &self.selection.show, row));
        self.rule()?;
        let [old, new, change] = self.widths;
        // On a narrow screen the name matters more than the percentage.
        let row =
            2 + change + PERCENT + 2 + old + " → ".chars().count() + new + "  inclusive".len();
        self.shares &= self.surface.width.is_none_or(|width| row <= width);
        let percent = if self.shares {
            format!("  {:>9}", "%")
        } else {
            String::new()
        };
        styled(&mut self.out, Style::Heading, |out| {
            writeln!(
                out,
                "  {:>change$}{percent}  {:>old$} → new",
                "change", "old"
            )
        })?;
        self.rule()?;
        for &event in self.totals {
            self.cells(total.lent(), event)?;
            self.out.write_all(b"  ")?;
            self.out.write_all(self.events.name(event))?;
            self.out.write_all(b"  PROGRAM TOTALS\n")?;
        }
        self.newline()
    }

    fn function(&mut self, row: &ChangedFunction<'_>, by: Cost) -> io::Result<()> {
        self.title(row)?;
        let own = (&row.own, "self", &row.estimated[..]);
        let inclusive = (&row.inclusive, "inclusive", &[][..]);
        let figures = match by {
            _ if row.own == row.inclusive || !row.knows_inclusive => vec![own],
            Cost::Own => vec![own, inclusive],
            Cost::Inclusive => vec![inclusive, own],
        };
        for (change, label, known) in figures {
            self.figures(change.lent(), label, known)?;
        }
        for (at, &event) in self.selection.show.iter().enumerate() {
            // Causes are only known for the first sort event.
            let is_first = self.selection.first_event() == event;
            if let Some(text) = why(row, self.events, (at, event), is_first, "") {
                self.wrapped(&text)?;
            }
        }
        self.newline()
    }

    /// Prints the name, its status, and its file and object.
    fn title(&mut self, row: &ChangedFunction<'_>) -> io::Result<()> {
        let label = row.label();
        let half = self.surface.width.map_or(0, |width| width / 2);
        let was = |word: &str, name: &[u8]| {
            let before = format!("  (was {word}");
            let name = self.name(name, half + before.len() + 1);
            format!("{before}{name})")
        };
        let mut behind = match (row.pair.how, row.old, row.new) {
            (_, None, _) => "  (new)".to_owned(),
            (_, _, None) => "  (gone)".to_owned(),
            (How::Renamed, Some(old), _) => was("", old.name.bytes()),
            (How::Moved, Some(old), Some(new)) if old.file != new.file => was("in ", old.file),
            (How::Moved, Some(old), _) => was("in ", old.object.unwrap_or(b"???")),
            _ => String::new(),
        };
        match row.members {
            (0 | 1, 0 | 1) => {}
            (m, n) if m != n && m > 0 && n > 0 => {
                behind.push_str(&format!("  ({}, now {n})", how_many(m, "function")))
            }
            (m, n) => behind.push_str(&format!("  ({} functions)", m.max(n))),
        }
        let object = label.object.map(base_name);
        let object = object.map_or(String::new(), |object| {
            format!(" [{}]", self.name(object, half + 7))
        });
        let place = self.name(label.file, 4 + names::width(&object)) + &object;
        let name = self.name(label.name.bytes(), names::width(&behind));
        let fits =
            names::width(&name) + names::width(&behind) + 2 + names::width(&place) <= self.width();
        write_styled(&mut self.out, Style::Heading, &name)?;
        self.out.write_all(behind.as_bytes())?;
        self.out.write_all(if fits { b"  " } else { b"\n    " })?;
        write_styled(&mut self.out, Style::Dim, &place)?;
        self.newline()
    }

    /// Prints one line of figures per shown event, with estimates by event.
    fn figures(
        &mut self,
        change: ChangeRef<'_>,
        label: &str,
        known: &[Option<Estimate>],
    ) -> io::Result<()> {
        for (at, &event) in self.selection.show.iter().enumerate() {
            self.cells(change, event)?;
            if self.selection.show != [Event::Recorded(0)] {
                self.out.write_all(b"  ")?;
                self.out.write_all(self.events.name(event))?;
            }
            match known.get(at).copied().flatten() {
                None => writeln!(self.out, "  {label}")?,
                Some(known) => {
                    let (least, most) = (signed(known.least), signed(known.most));
                    writeln!(self.out, "  {label} (estimated: {least} to {most})")?;
                }
            }
        }
        Ok(())
    }

    fn cells(&mut self, change: ChangeRef<'_>, event: Event) -> io::Result<()> {
        let (old, new) = change.counts(self.events, event);
        let [old_width, new_width, change_width] = self.widths;
        let (delta, shares) = (change.delta(self.events, event), self.shares);
        let style = if delta > 0 {
            Style::Dearer
        } else {
            Style::Cheaper
        };
        let [before, after, change] = words(change, self.events, event);
        let percent = match event.is_ratio() {
            true => String::new(),
            false => percent(old, new),
        };
        let figures = |out: &mut W| {
            write!(out, "  {change:>change_width$}")?;
            if shares {
                write!(out, "  {percent:>9}")
            } else {
                Ok(())
            }
        };
        match delta {
            0 => figures(&mut self.out),
            _ => styled(&mut self.out, style, figures),
        }?;
        write!(self.out, "  {before:>old_width$} → {after:<new_width$}")
    }

    /// Prints the sums of what has no row.
    fn rest(
        &mut self,
        [what, several]: [&str; 2],
        frame: &ChangeFrame,
        label: &str,
    ) -> io::Result<()> {
        let ChangeFrame {
            others, outside, ..
        } = frame;
        let unchanged = frame.unchanged.count;
        if others.count > 0 {
            writeln!(self.out, "{}", how_many(others.count, "other"))?;
            self.figures(others.cost.lent(), label, &[])?;
            self.newline()?;
        }
        if self
            .selection
            .show
            .iter()
            .any(|&event| outside.delta(self.events, event) != 0)
        {
            writeln!(self.out, "Not attributed to any {what}")?;
            self.figures(outside.lent(), "self", &[])?;
            self.newline()?;
        }
        let did_not = match self.events.recorded().len() {
            0 | 1 => "did not change".to_owned(),
            _ => format!("did not change in {}", self.judged()),
        };
        let what = if unchanged == 1 { what } else { several };
        writeln!(self.out, "{} {what} {did_not}.", grouped(unchanged))
    }

    /// The events that decide what changed.
    fn judged(&self) -> String {
        let Selection { show, sort, .. } = self.selection;
        let events = show
            .iter()
            .chain(sort.iter().filter(|event| !show.contains(event)));
        let names: Vec<_> = events.map(|&event| self.events.text(event)).collect();
        if names.len() > 3 {
            "these events".into()
        } else {
            names.join(" or ")
        }
    }

    /// Prints a paragraph below the figures.
    fn wrapped(&mut self, text: &str) -> io::Result<()> {
        let (mut column, width) = (0, self.width());
        // A word that is wider than the screen is not broken here; the screen truncates it.
        let text = if self.surface.terminal {
            escape::text(text)
        } else {
            text.into()
        };
        for word in text.split(' ') {
            let length = names::width(word);
            let (blank, begin) = match column {
                0 => ("    ", 4),
                _ if column + 1 + length > width => ("\n      ", 6),
                _ => (" ", column + 1),
            };
            column = begin + length;
            write!(self.out, "{blank}{}", word.replace(GLUE, " "))?;
        }
        self.newline()
    }

    /// Prints one of the new run's sources, with `context` lines around the changed ones.
    pub fn section(
        &mut self,
        section: &SourceSection<'_, &FileChanges<'_>>,
        context: u64,
    ) -> io::Result<()> {
        let Some(file) = section.costs else {
            return Ok(());
        };
        self.rule()?;
        const KIND: &str = "-- Changes in the new source: ";
        let title = self.name(&section.title, KIND.len());
        styled(&mut self.out, Style::Heading, |out| {
            writeln!(out, "{KIND}{title}")
        })?;
        self.rule()?;
        if section.age == Age::Newer {
            write_styled(
                &mut self.out,
                Style::Warning,
                b"@ The file was changed after the profile was written; lines may have moved.\n\n",
            )?;
        }
        let (events, selection) = (self.events, self.selection);
        let mut widths = TITLES;
        for (_, cost) in file.lines().chain(file.removed()) {
            fit(&mut widths, events, &selection.show, cost.lent());
        }
        let [old, new, change] = widths;
        for &event in &selection.show {
            let name = events.text(event).into_owned();
            writeln!(
                self.out,
                "{:>change$}  {:>old$} → {:new$}  {name}",
                "change", "old", "new"
            )?;
        }
        self.newline()?;
        let cells = |cost: Option<&Change>| -> String {
            selection
                .show
                .iter()
                .map(|&event| line_cells(cost, events, event, &widths))
                .collect()
        };
        changed_lines::walk(
            file,
            events,
            selection,
            section.lines(),
            context,
            |item| match item {
                ChangedItem::Gap(line) => writeln!(self.out, "-- line {line} {:-<40}", ""),
                ChangedItem::Source(text, cost) => {
                    let line = [cells(cost).as_bytes(), text].concat();
                    self.out.write_all(line.trim_ascii_end())?;
                    self.newline()
                }
                ChangedItem::Beyond(line, cost) => {
                    writeln!(
                        self.out,
                        "{}<line {line}, past the end of the file>",
                        cells(Some(cost))
                    )
                }
                ChangedItem::Removed(line, cost) => {
                    writeln!(
                        self.out,
                        "{}<line {line} of the old run's source>",
                        cells(Some(cost))
                    )
                }
            },
        )?;
        self.newline()
    }

    /// Lists the sources that were not found, on a terminal by the folder where they should be.
    pub fn not_found(&mut self, unread: &Unread<'_>, toolchains: &[Toolchain]) -> io::Result<()> {
        self.rule()?;
        self.out
            .write_all(b"Changed files whose sources could not be found:\n")?;
        self.rule()?;
        let Surface {
            terminal, width, ..
        } = self.surface;
        if terminal {
            missing::by_root(&mut self.out, &unread.groups(toolchains), width)
        } else {
            missing::by_name(&mut self.out, &unread.lines(true))
        }
    }

    /// Ends the report. Returns an error unless everything was written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The columns of one event to the left of a source line.
fn line_cells(cost: Option<&Change>, events: &Events, event: Event, widths: &Widths) -> String {
    let [old, new, change] = widths;
    let Some(cost) = cost else {
        return format!("{:change$}  {:old$}   {:new$}  ", "", "", "");
    };
    let [before, after, mut delta] = words(cost.lent(), events, event);
    if cost.delta(events, event) == 0 {
        delta = ".".into();
    }
    format!("{delta:>change$}  {before:>old$} → {after:<new$}  ")
}

/// The words after something that only one run has, or that was something else in the old run.
fn changed<T: PartialEq>(ends: (Option<T>, Option<T>), was: impl FnOnce(T) -> String) -> String {
    match ends {
        (None, _) => "  (new)".to_owned(),
        (_, None) => "  (gone)".to_owned(),
        (Some(old), Some(new)) if old != new => was(old),
        _ => String::new(),
    }
}

/// The old count, the new one, and the change.
fn words(change: ChangeRef<'_>, events: &Events, event: Event) -> [String; 3] {
    let tick = events.tick(event);
    let [old, new, delta] = change.figures(events, event);
    let [old, new] = [old, new].map(|count| Some(amount(count?, tick)));
    let delta = delta.map(|delta| signed_amount(delta, tick));
    [old, new, delta].map(|word| word.unwrap_or(".".into()))
}
