//! Prints one function on one page. Its annotated source follows as in the classic report.

use super::{columns::EventColumns, listing::estimated, text::TextReport};
use crate::{
    analysis::{Basis, Label},
    text::{grouped, how_many},
    view::{
        Zoom,
        steps::{RecursiveCalls, Step, Steps, Sum},
        zoom::RecursiveCost,
    },
};
use std::io;
use termcolor::WriteColor;

/// The width of a label in the head.
const LABEL: usize = 18;

/// Deeper levels are not indented further. Recursion can be many thousands of levels deep, and each
/// line would be as long.
const DEEPEST: usize = 50;

/// The number of calls. Executions of inlined code are not counted.
fn calls(zoom: &Zoom<'_>) -> String {
    let places = || how_many(zoom.inlined_at, "place");
    match (zoom.calls, zoom.inlined_at) {
        (calls, 0) => grouped(calls),
        (0, _) => format!("not counted: inlined at {}", places()),
        (calls, _) => format!(
            "{}, and inlined at {}, where they are not counted",
            grouped(calls),
            places()
        ),
    }
}

impl<'a, W: WriteColor> TextReport<'a, W> {
    /// Prints the page of a function.
    pub(super) fn zoom(&mut self, zoom: &Zoom<'a>) -> io::Result<()> {
        self.rule()?;
        self.out.write_all(b"Function:         ")?;
        self.named(&zoom.label, LABEL, "")?;
        self.out.write_all(b"\nCalls:            ")?;
        match zoom.basis {
            Basis::Flat => self
                .out
                .write_all(b"not recorded, so the inclusive cost is not known")?,
            Basis::Recorded | Basis::Estimated => self.out.write_all(calls(zoom).as_bytes())?,
        }
        if zoom.recursive_calls > 0 {
            let again = match zoom.recursion {
                RecursiveCost::Inside => "",
                RecursiveCost::Again => ", their cost counted again with each",
            };
            write!(
                self.out,
                ", {} of them recursive{again}",
                grouped(zoom.recursive_calls)
            )?;
        }
        self.newline()?;
        if let Some(number) = zoom.label.cycle {
            let members = grouped(zoom.cycle.len() + zoom.more_of_cycle + 1);
            writeln!(
                self.out,
                "Cycle:            <cycle {number}>, {members} functions that call each other; also"
            )?;
            for label in &zoom.cycle {
                write!(self.out, "{:LABEL$}", "")?;
                self.named(
                    &Label {
                        cycle: None,
                        ..label.without_object()
                    },
                    LABEL,
                    "",
                )?;
                self.newline()?;
            }
            if zoom.more_of_cycle > 0 {
                writeln!(
                    self.out,
                    "{:LABEL$}and {} more",
                    "",
                    grouped(zoom.more_of_cycle)
                )?;
            }
        }
        let columns = self.columns(&zoom.longest, zoom.totals.cost);
        self.heading(&columns, "")?;
        self.totals_row(&columns, &zoom.totals)?;
        let used = columns.width();
        if zoom.basis != Basis::Flat {
            let mut title = [" inclusive: it and what it called", " inclusive"];
            if zoom.is_part_of_cycle {
                columns.row(&mut self.out, zoom.whole)?;
                writeln!(
                    self.out,
                    "{}",
                    self.fitting(
                        used,
                        [" its cycle: all members and what they called", " its cycle"]
                    )
                )?;
                title = [
                    " inclusive: it and what it called outside its cycle",
                    " without the cycle",
                ];
            }
            columns.row(&mut self.out, zoom.inclusive)?;
            writeln!(self.out, "{}", self.fitting(used, title))?;
        }
        columns.row(&mut self.out, zoom.self_cost)?;
        let (word, what) = if zoom.of_own_code {
            (
                "own",
                [" own: it and the library code that it calls", " own"],
            )
        } else {
            ("self", [" self: the function itself", " self"])
        };
        let known = estimated(zoom.estimated.as_ref());
        write!(self.out, "{}{known}\n\n", self.fitting(used, what))?;
        if zoom.basis == Basis::Flat {
            return Ok(());
        }

        // From here on, 100 % is the cost of the function or its cycle.
        let columns = self.columns(&zoom.longest, zoom.whole);
        let title = if zoom.is_part_of_cycle {
            [" callers (100% is what its cycle costs)", " callers"]
        } else {
            [
                " callers (100% is the function's inclusive cost)",
                " callers",
            ]
        };
        self.heading(&columns, self.fitting(columns.width(), title))?;
        let (outside, left) = match zoom.basis {
            Basis::Recorded => ("from outside", "rounding"),
            Basis::Estimated | Basis::Flat => ("from outside, or not recorded", "not recorded"),
        };
        self.steps(&columns, &zoom.callers, " < ", outside)?;
        self.recursion(&columns, &zoom.recursive_callers, " < ")?;
        self.newline()?;
        self.heading(&columns, &format!(" callees and {word} cost"))?;
        columns.row(&mut self.out, zoom.self_cost)?;
        writeln!(self.out, " *  {word}")?;
        self.steps(&columns, &zoom.callees, " > ", left)?;
        self.recursion(&columns, &zoom.recursive_callees, " > ")?;
        self.newline()?;
        zoom.inlined
            .as_ref()
            .map_or(Ok(()), |tree| self.inlined_tree(tree, &columns))?;
        zoom.instructions
            .as_ref()
            .map_or(Ok(()), |list| self.instructions(list, zoom))
    }

    /// The longer of two texts if it fits after the `used` columns of a line, else the shorter.
    pub(super) fn fitting<'t>(&self, used: usize, [long, short]: [&'t str; 2]) -> &'t str {
        if self
            .name_width()
            .is_none_or(|room| used + long.len() <= room)
        {
            long
        } else {
            short
        }
    }

    fn steps(
        &mut self,
        columns: &EventColumns<'_>,
        steps: &Steps<'_>,
        arrow: &str,
        rest: &str,
    ) -> io::Result<()> {
        for step in &steps.steps {
            self.step(columns, step, arrow)?;
        }
        if steps.cut {
            columns.row(&mut self.out, &[])?;
            writeln!(
                self.out,
                "{arrow}(deeper levels are omitted: the tree is too large)"
            )?;
        }
        if let Some(more) = &steps.more {
            columns.rest(&mut self.out, &more.cost)?;
            writeln!(self.out, "{arrow}({})", counted(more))?;
        }
        if !steps.rest.is_empty() {
            columns.rest(&mut self.out, &steps.rest)?;
            writeln!(self.out, "{arrow}({rest})")?;
        }
        Ok(())
    }

    fn step(&mut self, columns: &EventColumns<'_>, step: &Step<'_>, arrow: &str) -> io::Result<()> {
        let arrow = format!("{:1$}{arrow}", "", 2 * step.level.min(DEEPEST));
        let count = match step.count {
            Some(count) => self.times_each(count, &step.cost),
            None => " (estimated)".to_owned(),
        };
        self.arrow(columns, (&step.cost, &arrow), &step.label, &count)
    }

    fn recursion(
        &mut self,
        columns: &EventColumns<'_>,
        list: &RecursiveCalls<'_>,
        arrow: &str,
    ) -> io::Result<()> {
        for call in &list.calls {
            let (label, used) = (call.label.without_object(), columns.width() + arrow.len());
            let times = grouped(call.count);
            let mut count = format!(" ({times}x, recursive: in the cost of the first call)");
            // The name matters more than the sentence.
            if !self.has_room(&label, used, &count) {
                count = format!(" ({times}x, recursive)");
            }
            self.arrow(columns, (&[], arrow), &label, &count)?;
        }
        if let Some(more) = &list.more {
            columns.row(&mut self.out, &[])?;
            writeln!(self.out, "{arrow}({}, recursive)", counted(more))?;
        }
        Ok(())
    }
}

/// `23 more functions, 1,234x`.
fn counted(more: &Sum) -> String {
    let functions = how_many(more.count, "more function");
    format!("{functions}, {}x", grouped(more.calls))
}
