//! Prints instructions in the text report: those of one function with the arrows of its jumps, and
//! the most expensive ones of the program.

use super::{
    columns::EventColumns,
    text::{TextReport, place},
};
use crate::{
    analysis::Label,
    text::{Style, names, shown, write_styled},
    view::{
        Zoom,
        figures::PercentColumns,
        instructions::{CodePlace, CodeRow, Instructions, list::InstructionList},
    },
};
use std::io;
use termcolor::WriteColor;

/// Percentages are dropped if instructions would have fewer columns than this.
const LEAST: usize = 28;

/// The indentation of a line below an instruction, relative to the address.
const BELOW: &str = "    ";

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints the instructions of a function. Percentages are relative to the same cost as on its
    /// page.
    pub(super) fn instructions(
        &mut self,
        list: &Instructions<'a>,
        zoom: &Zoom<'a>,
    ) -> io::Result<()> {
        let whole = zoom.whole;
        let lanes = if list.gutter.lanes == 0 {
            0
        } else {
            list.gutter.lanes + 1
        };
        // The gutter, the address, and the blanks around it.
        let before = lanes + list.digits + 2;
        let mut columns = self.columns(&list.longest, whole);
        let room = |columns: &EventColumns<'_>, width: Option<usize>| {
            width.map(|width| width.saturating_sub(columns.width() + before))
        };
        if room(&columns, self.name_width()).is_some_and(|room| room < LEAST) {
            let show = &self.options.selection.show;
            columns = EventColumns::new(
                self.events,
                show,
                &list.longest,
                whole,
                PercentColumns::Hidden,
            );
        }
        let room = room(&columns, self.name_width());
        let beside = room.map(|room| room + list.digits + 1);
        let title = if zoom.is_part_of_cycle {
            " instructions (100% is what its cycle costs)"
        } else {
            " instructions (100% is the function's inclusive cost)"
        };
        let title = self.fitting(columns.width(), [title, " instructions"]);
        self.heading(&columns, title)?;
        for (at, row) in list.rows.iter().enumerate() {
            let gutter = list.gutter.drawn(at);
            columns.row(&mut self.out, row.counts().0)?;
            write_styled(&mut self.out, Style::Call, &gutter)?;
            match row {
                CodeRow::Place(place) => {
                    let text = self.place(place, beside);
                    self.dim(|out| writeln!(out, " {text}"))?;
                }
                CodeRow::Source(text) => {
                    // On a screen tabs would shift the text after the gutter.
                    let text = beside.map_or(text.clone(), |_| {
                        cut(&shown(text.replace('\t', "    ").as_bytes()), beside)
                    });
                    writeln!(self.out, " {text}")?;
                }
                CodeRow::Instruction(instruction) => {
                    let address = format!(" {:>1$x}", instruction.address, list.digits);
                    write_styled(&mut self.out, Style::Dim, &address)?;
                    let text = instruction
                        .text
                        .as_deref()
                        .map(|text| cut(&shown(text.as_bytes()), room));
                    let text = text.map_or(String::new(), |text| format!(" {text}"));
                    if instruction.cost.is_empty() {
                        write_styled(&mut self.out, Style::Dim, &text)?;
                    } else {
                        self.out.write_all(text.as_bytes())?;
                    }
                    self.newline()?;
                }
                CodeRow::Call(call) => {
                    let text = format!("{BELOW}{}", call.said());
                    write_styled(&mut self.out, Style::Call, &text)?;
                    self.named(&call.callee, columns.width() + lanes + text.len(), "")?;
                    self.newline()?;
                }
                CodeRow::Jump(jump) => {
                    let text = cut(&jump.said(), beside.map(|room| room + 1 - BELOW.len()));
                    self.dim(|out| writeln!(out, "{BELOW}{text}"))?;
                }
                CodeRow::Text(text, _) => {
                    let text = cut(text, beside);
                    self.dim(|out| writeln!(out, " {text}"))?;
                }
            }
        }
        self.newline()?;
        self.notes(&list.notes)
    }

    /// `file:line`, and the functions that are inlined there.
    fn place(&self, place: &CodePlace<'_>, room: Option<usize>) -> String {
        let file = self.common.folders.strip(&shown(place.file));
        let Some(room) = room else {
            return place.said(&file);
        };
        let names = place.inlined();
        let behind = format!(
            ":{}{}",
            place.line_said(),
            if names.is_empty() { "" } else { " in " }
        );
        let least = names::width(names::base(&file)).min(room.saturating_sub(behind.len()));
        let free = room.saturating_sub(behind.len() + least);
        // The innermost function tells most.
        let whole = names.join(" › ");
        let mut text = whole.clone();
        if let (Some(last), true) = (names.last(), names::width(&whole) > free) {
            text = names::shorten(last, free);
        }
        let file = names::tail(
            &file,
            room.saturating_sub(behind.len() + names::width(&text)),
        );
        let file = names::middle(
            &file,
            room.saturating_sub(behind.len() + names::width(&text)),
        );
        format!("{file}{behind}{text}")
    }

    /// Prints the most expensive instructions.
    pub(super) fn instruction_list(&mut self, list: &InstructionList<'a>) -> io::Result<()> {
        self.learn(&mut list.rows.iter().map(|row| row.file));
        let columns = self.head(&list.frame, " address, file:line:function, instruction")?;
        for row in &list.rows {
            columns.row(&mut self.out, row.cost)?;
            write!(self.out, " {:>1$x} ", row.address, list.digits)?;
            let place = place(row.file, row.line);
            let label = Label {
                file: &place,
                ..row.function
            };
            let text = shown(row.text.as_deref().unwrap_or_default().as_bytes());
            let used = columns.width() + list.digits + 2;
            // The instruction gets its own line if both do not fit.
            let width = names::width(&text) + 2;
            let beside = self
                .name_width()
                .is_none_or(|room| room >= used + width + LEAST);
            self.named(&label, if beside { used + width } else { used }, "")?;
            if !text.is_empty() && beside {
                write!(self.out, "  {text}")?;
            } else if !text.is_empty() {
                self.newline()?;
                columns.row(&mut self.out, &[])?;
                let room = self.name_width().map(|room| room.saturating_sub(used));
                write!(self.out, " {:1$} {2}", "", list.digits, cut(&text, room))?;
            }
            self.newline()?;
        }
        self.foot(&columns, &list.frame)?;
        self.notes(&list.notes)
    }
}

/// Truncates a text to a width.
fn cut(text: &str, room: Option<usize>) -> String {
    names::truncated(text, room.unwrap_or(usize::MAX))
}
