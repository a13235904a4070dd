//! Prints the classic report. Its headings, labels and columns are an interface, because scripts
//! read them.

use super::columns::EventColumns;
use crate::{
    analysis::{Label, Selection},
    profile::{Event, Events, TotalsSource, joined, path_bytes},
    text::{
        Style, grouped, names, number::divided, shown, style::rule, styled, wrapped, write_styled,
    },
    view::{
        About, ArcRow, Groups, ListFrame, ProgramTotals, Surface,
        about::ColumnMeaning,
        figures::{self, PercentColumns},
        first_screen::totals_in_lines,
        fit::{Alike, Common, Folders, fit},
        instructions::line_said,
        line_list::LineList,
        page::{Begins, List, Page},
        rest,
        totals::longest,
    },
};
use std::{io, path::PathBuf};
use termcolor::WriteColor;

/// The options of the text report.
#[derive(Clone)]
pub struct TextOptions<'a> {
    /// Events, order and thresholds.
    pub selection: &'a Selection,
    /// Which counts have percentages.
    pub shares: PercentColumns,
    /// A remark about columns that do not fit, printed at the end.
    pub missing: Option<String>,
    /// Folders to search for sources, as displayed.
    pub include: &'a [PathBuf],
    /// Sources named by the user.
    pub user_files: &'a [PathBuf],
    /// Whether sources are annotated without being named.
    pub auto: bool,
    /// The surface that the report is read on.
    pub surface: Surface,
    /// Whether calls with a count of 0 are no calls, because their callees are inlined.
    pub knows_inlined: bool,
    /// The number of threads that format a long list. The output does not depend on it.
    pub threads: usize,
}

/// Prints the classic report piece by piece.
pub struct TextReport<'a, W> {
    pub(super) out: W,
    pub(super) events: &'a Events,
    pub(super) options: TextOptions<'a>,
    pub(super) common: Common,
}

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Creates a report that writes to `out`.
    pub fn new(out: W, events: &'a Events, options: TextOptions<'a>) -> Self {
        TextReport {
            out,
            events,
            options,
            common: Common::default(),
        }
    }

    pub(super) fn newline(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    pub(super) fn rule(&mut self) -> io::Result<()> {
        let width = self.options.surface.width.map_or(80, |width| width.min(80));
        self.dim(|out| rule(out, width))
    }

    /// Prints a rule of a list. Lists at a terminal look like the first screen, which has none.
    pub(super) fn list_rule(&mut self) -> io::Result<()> {
        if self.is_on_terminal() {
            return Ok(());
        }
        self.rule()
    }

    /// Whether the report is written to a terminal.
    pub fn is_on_terminal(&self) -> bool {
        self.options.surface.terminal
    }

    /// Prints the names of the events and a title, between two rules.
    pub(super) fn heading(&mut self, columns: &EventColumns<'_>, title: &str) -> io::Result<()> {
        self.rule()?;
        self.titles(columns, title)?;
        self.rule()
    }

    /// Prints the names of the events and a title.
    fn titles(&mut self, columns: &EventColumns<'_>, title: &str) -> io::Result<()> {
        styled(&mut self.out, Style::Heading, |out| {
            columns.heading(out)?;
            writeln!(out, "{title}")
        })
    }

    /// The width that names are shortened to, if any.
    pub(super) fn name_width(&self) -> Option<usize> {
        self.options.surface.width
    }

    /// Finds the common folders of the paths in a list.
    pub(super) fn learn(&mut self, files: &mut dyn Iterator<Item = &[u8]>) {
        if self.name_width().is_some() {
            let mut files: Vec<&[u8]> = files.collect();
            files.sort_unstable();
            files.dedup();
            self.common.folders = Folders::from_paths(files.into_iter());
        }
    }

    /// Writes something that matters less.
    pub(super) fn dim(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        styled(&mut self.out, Style::Dim, write)
    }

    /// Finds the common folders of a list of functions, and which of their names are alike.
    pub(super) fn learn_names<'l>(&mut self, labels: impl Iterator<Item = Label<'l>> + Clone) {
        self.learn(&mut labels.clone().map(|label| label.file));
        if self.name_width().is_some() {
            self.common.alike = Alike::from_names(labels.map(|label| label.name));
        }
    }

    pub(super) fn columns(&self, longest: &[usize], totals: &[i64]) -> EventColumns<'a> {
        EventColumns::new(
            self.events,
            &self.options.selection.show,
            longest,
            totals,
            self.options.shares,
        )
    }

    /// Prints a page.
    pub fn page(&mut self, page: &Page<'a>) -> io::Result<()> {
        match page {
            Page::FirstScreen(screen) => self.first_screen(screen),
            Page::Zoom(zoom) => self.zoom(zoom),
            Page::Places(places) => self.inlined_places(places),
            Page::List {
                about,
                list,
                begins,
            } => {
                match begins {
                    Begins::WithHeader => self.header(about)?,
                    Begins::WithAnswer(None) => {}
                    Begins::WithAnswer(Some(title)) => {
                        write_styled(&mut self.out, Style::Heading, title)?;
                        self.newline()?;
                    }
                }
                match list {
                    List::Functions(listing) => self.listing(listing)?,
                    List::Groups(groups) => self.groups(groups)?,
                    List::Inlined(list) => self.inlined_list(list)?,
                    List::Lines(list) => self.line_list(list)?,
                    List::Instructions(list) => self.instruction_list(list)?,
                }
                match begins {
                    Begins::WithHeader => Ok(()),
                    Begins::WithAnswer(_) => self.facts(about),
                }
            }
        }
    }

    /// Prints the header without lines that say nothing.
    fn facts(&mut self, about: &About<'_>) -> io::Result<()> {
        self.list_rule()?;
        let says_more = |line: &[u8]| {
            line.split(|&b| b == b':')
                .nth(1)
                .is_some_and(|value| !value.trim_ascii().is_empty())
        };
        let descriptions = about
            .descriptions
            .iter()
            .copied()
            .filter(|line| says_more(line));
        let mut facts = inputs(about);
        facts.extend(run(about, descriptions));
        if about.commands.is_empty() && about.details.is_empty() {
            facts.pop();
        }
        let selection = self.options.selection;
        let are_events = about.columns == ColumnMeaning::Events;
        if are_events && selection.show.len() != self.events.recorded().len() {
            facts.push(fact(
                "Events recorded:  ",
                &names_of(self.events, self.events.stored()),
            ));
        }
        if are_events && selection.sort.first() != Some(&Event::Recorded(0)) {
            facts.push(fact(
                "Event sort order: ",
                &names_of(self.events, selection.sort.iter().copied()),
            ));
        }
        facts.extend(
            about
                .own
                .iter()
                .map(|own| fact("Whose cost:       ", own.as_bytes())),
        );
        if !self.options.include.is_empty() {
            facts.extend(paths("Include dirs:     ", self.options.include, "/"));
        }
        if !self.options.user_files.is_empty() {
            facts.extend(paths("User annotated:   ", self.options.user_files, ""));
        }
        let width = self.options.surface.width.unwrap_or(usize::MAX);
        for fact in facts {
            writeln!(self.out, "{}", wrapped(&shown(&fact), width))?;
        }
        self.newline()
    }

    /// Prints the block about the profile and the options.
    fn header(&mut self, about: &About<'_>) -> io::Result<()> {
        self.rule()?;
        self.lines(&inputs(about))?;
        self.rule()?;
        let selection = self.options.selection;
        let recorded = names_of(self.events, self.events.stored());
        let shown = names_of(self.events, selection.show.iter().copied());
        let sorted = names_of(self.events, selection.sort.iter().copied());
        let thresholds = joined(selection.thresholds.iter().map(|t| &t.text[..]), " ");
        self.lines(&run(about, about.descriptions.iter().copied()))?;
        self.lines(&[
            fact("Events recorded:  ", &recorded),
            fact("Events shown:     ", &shown),
            fact("Event sort order: ", &sorted),
            fact("Thresholds:       ", thresholds.as_bytes()),
        ])?;
        self.lines(&paths("Include dirs:     ", self.options.include, "/"))?;
        self.lines(&paths("User annotated:   ", self.options.user_files, ""))?;
        writeln!(
            self.out,
            "Auto-annotation:  {}",
            if self.options.auto { "on" } else { "off" }
        )?;
        if let Some(own) = &about.own {
            writeln!(self.out, "Whose cost:       {own}")?;
        }
        self.newline()
    }

    fn lines(&mut self, lines: &[Vec<u8>]) -> io::Result<()> {
        for line in lines {
            self.out.write_all(line)?;
            self.newline()?;
        }
        Ok(())
    }

    /// Prints the totals; at a terminal as the first screen does.
    pub(super) fn totals(&mut self, totals: &ProgramTotals<'_>) -> io::Result<()> {
        if self.is_on_terminal() {
            let (selection, width) = (self.options.selection, self.name_width());
            for line in totals_in_lines(self.events, selection, totals.cost, width) {
                writeln!(self.out, "{line}")?;
            }
            return self.newline();
        }
        let columns = self.columns(&longest(self.events, [totals.cost]), totals.cost);
        self.heading(&columns, "")?;
        self.totals_row(&columns, totals)?;
        self.newline()
    }

    pub(super) fn totals_row(
        &mut self,
        columns: &EventColumns<'_>,
        totals: &ProgramTotals<'_>,
    ) -> io::Result<()> {
        columns.row(&mut self.out, totals.cost)?;
        self.out.write_all(match totals.source {
            TotalsSource::Summary | TotalsSource::Totals => b" PROGRAM TOTALS\n",
            TotalsSource::Computed => b" PROGRAM TOTALS (calculated)\n",
        })
    }

    /// Prints the totals and the self cost per group.
    fn groups(&mut self, groups: &Groups<'a>) -> io::Result<()> {
        self.learn(&mut groups.rows.iter().map(|row| row.name));
        let heading = format!(" {}", groups.frame.nouns[0]);
        let columns = self.head(&groups.frame, &heading)?;
        for group in &groups.rows {
            columns.row(&mut self.out, &group.cost)?;
            self.out.write_all(b" ")?;
            let name = groups.by.or_none(group.name);
            let short = self.name_width().map(|room| {
                let room = room.saturating_sub(columns.width() + 1);
                let text = shown(name);
                if groups.by.is_path() {
                    names::middle(&self.common.folders.strip(&text), room)
                } else {
                    names::shorten(&text, room)
                }
            });
            self.out
                .write_all(short.as_ref().map_or(name, String::as_bytes))?;
            self.newline()?;
        }
        self.foot(&columns, &groups.frame)
    }

    /// Prints the totals and the self cost per line of a function.
    fn line_list(&mut self, list: &LineList<'a>) -> io::Result<()> {
        self.learn(&mut list.rows().map(|row| row.file));
        let columns = self.head(&list.frame, " file:line:function")?;
        for row in list.rows() {
            columns.row(&mut self.out, row.cost)?;
            self.out.write_all(b" ")?;
            let place = place(row.file, row.line);
            self.named(
                &Label {
                    file: &place,
                    ..row.function
                },
                columns.width() + 1,
                "",
            )?;
            self.newline()?;
        }
        self.foot(&columns, &list.frame)
    }

    /// Prints the totals above a list and the heading of its columns.
    pub(super) fn head(
        &mut self,
        frame: &ListFrame<'_>,
        title: &str,
    ) -> io::Result<EventColumns<'a>> {
        self.totals(&frame.totals)?;
        let columns = self.columns(&frame.longest, frame.totals.cost);
        self.list_rule()?;
        self.titles(&columns, title)?;
        self.list_rule()?;
        Ok(columns)
    }

    /// Prints the sums of what a list omits.
    pub(super) fn foot(
        &mut self,
        columns: &EventColumns<'_>,
        frame: &ListFrame<'_>,
    ) -> io::Result<()> {
        for (cost, words) in rest::rows(frame) {
            columns.rest(&mut self.out, cost)?;
            writeln!(self.out, " {words}")?;
        }
        self.newline()
    }

    /// Prints `file:name`, the text `behind`, and the object. The line already has `used` columns.
    pub(super) fn named(&mut self, label: &Label<'_>, used: usize, behind: &str) -> io::Result<()> {
        let cycle = label.cycle_mark();
        let fitted = self.fitted(label, used, behind);
        let (file, name, object) = match &fitted {
            Some((file, name, object)) => (
                file.as_bytes(),
                name.as_bytes().into(),
                object.as_deref().map(str::as_bytes),
            ),
            None => (label.file, label.name, label.object),
        };
        if fitted.is_none() || !file.is_empty() {
            self.dim(|out| {
                out.write_all(file)?;
                out.write_all(b":")
            })?;
        }
        self.out.write_all(&name.text())?;
        self.out.write_all(cycle.as_bytes())?;
        self.out.write_all(behind.as_bytes())?;
        match object {
            Some(object) => self.dim(|out| {
                out.write_all(b" [")?;
                out.write_all(object)?;
                out.write_all(b"]")
            }),
            None => Ok(()),
        }
    }

    /// File, name and object, shortened to make room for the text after them.
    fn fitted(
        &self,
        label: &Label<'_>,
        used: usize,
        behind: &str,
    ) -> Option<(String, String, Option<String>)> {
        let room = self
            .name_width()?
            .saturating_sub(used + names::width(behind) + names::width(&label.cycle_mark()));
        Some(fit(label, &self.common, room))
    }

    /// Whether the text after a name leaves room for the file and for the name without its
    /// arguments.
    pub(super) fn has_room(&self, label: &Label<'_>, used: usize, behind: &str) -> bool {
        let Some((file, name, _)) = self.fitted(label, used, behind) else {
            return true;
        };
        let whole = shown(&label.name.text());
        !file.is_empty() && (name == whole || name == names::collapse(&whole))
    }

    pub(super) fn call(
        &mut self,
        columns: &EventColumns<'_>,
        arrow: &str,
        label: &Label<'_>,
        call: &ArcRow<'_>,
    ) -> io::Result<()> {
        let count = if call.is_inside {
            format!(" ({}x, recursive)", grouped(call.count))
        } else {
            self.times(call.count)
        };
        self.arrow(columns, (&call.cost, arrow), label, &count)
    }

    /// Prints a row about a function at the other end of an arrow.
    pub(super) fn arrow(
        &mut self,
        columns: &EventColumns<'_>,
        (cost, arrow): (&[i64], &str),
        label: &Label<'_>,
        behind: &str,
    ) -> io::Result<()> {
        columns.row(&mut self.out, cost)?;
        write_styled(&mut self.out, Style::Call, arrow)?;
        self.named(label, columns.width() + arrow.len(), behind)?;
        self.newline()
    }

    /// The number of calls, as printed.
    pub(super) fn times(&self, count: u64) -> String {
        match count {
            0 if self.options.knows_inlined => " (inlined)".to_owned(),
            _ => format!(" ({}x)", grouped(count)),
        }
    }

    /// The same, with the cost of one call by the first event: `(2x, 20 each)`.
    pub(super) fn times_each(&self, count: u64, cost: &[i64]) -> String {
        if count < 2 {
            return self.times(count);
        }
        let event = self.options.selection.first_event();
        let each = divided(self.events.counted(cost, event), count);
        let each = figures::said(self.events, event, each.unwrap_or_default());
        format!(" ({}x, {each} each)", grouped(count))
    }

    /// Ends the report. Returns an error unless everything was written.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(missing) = &self.options.missing {
            let text = wrapped(missing, self.options.surface.width.unwrap_or(usize::MAX));
            self.dim(|out| writeln!(out, "{text}"))?;
        }
        self.out.flush()
    }
}

/// The inputs and their creators, one per line.
fn inputs(about: &About<'_>) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    for (input, creator) in &about.inputs {
        let by: [&[u8]; 3] = if creator.is_empty() {
            [b"", b"", b""]
        } else {
            [b" (creator: ", creator, b")"]
        };
        lines.push(
            [
                b"Profile data file '",
                path_bytes(input),
                b"'",
                &by.concat(),
            ]
            .concat(),
        );
    }
    if about.more_inputs > 0 {
        lines.push(format!("and {} more", grouped(about.more_inputs)).into_bytes());
    }
    lines
}

/// The descriptions of the run without its options, then its commands and the process.
fn run<'d>(about: &About<'_>, descriptions: impl Iterator<Item = &'d [u8]>) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = descriptions
        .filter(|d| !d.starts_with(b"Option:"))
        .map(<[u8]>::to_vec)
        .collect();
    let commands = if about.commands.is_empty() {
        &[&b"(unknown)"[..]][..]
    } else {
        &about.commands
    };
    let labels =
        std::iter::once("Profiled target:  ").chain(std::iter::repeat("                  "));
    lines.extend(
        labels
            .zip(commands)
            .map(|(label, command)| fact(label, command)),
    );
    if let (false, Some(last)) = (about.details.is_empty(), lines.last_mut()) {
        last.extend_from_slice(format!(" ({})", about.details.join(", ")).as_bytes());
    }
    lines
}

fn fact(label: &str, value: &[u8]) -> Vec<u8> {
    [label.as_bytes(), value].concat()
}

/// Lists paths, one per line, with `behind` after each.
fn paths(label: &str, paths: &[PathBuf], behind: &str) -> Vec<Vec<u8>> {
    let lines = paths.iter().enumerate().map(|(at, path)| {
        let label = format!("{:18}", if at == 0 { label } else { "" });
        [label.as_bytes(), path_bytes(path), behind.as_bytes()].concat()
    });
    if paths.is_empty() {
        vec![label.as_bytes().to_vec()]
    } else {
        lines.collect()
    }
}

/// The names of events, separated by blanks.
fn names_of(events: &Events, of: impl Iterator<Item = Event>) -> Vec<u8> {
    of.map(|event| events.name(event))
        .collect::<Vec<_>>()
        .join(&b' ')
}

/// `file:line`; the line may be unknown.
pub(super) fn place(file: &[u8], line: u64) -> Vec<u8> {
    [file, b":", line_said(line).as_bytes()].concat()
}
