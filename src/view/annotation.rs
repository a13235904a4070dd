//! Combines source lines with their costs: which lines are shown, and in which order.

use super::{ArcRow, FileCosts, PastEnd, groups::Group};
use crate::profile::Counts;

/// One row of annotated source.
pub enum SourceItem<'s, 'c> {
    /// Lines are omitted to one side of this line.
    Gap(i64),
    /// A source line, with its cost if it has one.
    Source(&'s [u8], Option<Counts<'c>>),
    /// A function that was inlined into the source line above.
    Inlined(&'c Group<'c>),
    /// The library functions that the source line above paid for. Their cost is part of the line's.
    Below(&'c [ArcRow<'c>]),
    /// A call from the source line above.
    Call(&'c ArcRow<'c>),
    /// The cost of a line that the source does not have.
    Bogus(u64, Counts<'c>),
}

/// What belongs to a line, in a list ordered by line.
pub(crate) fn of_line<T>(lines: &[(u64, Vec<T>)], number: u64) -> &[T] {
    let at = lines.binary_search_by_key(&number, |(line, _)| *line);
    at.map_or(&[], |at| &lines[at].1)
}

impl<'a> FileCosts<'a> {
    /// The cost at an unknown line.
    pub fn unidentified(&self) -> Option<Counts<'_>> {
        self.lines
            .first()
            .filter(|(line, _)| *line == 0)
            .map(|(_, cost)| Counts(cost))
    }

    /// What belongs below a line.
    fn under<'s>(&'a self, line: u64) -> impl Iterator<Item = SourceItem<'s, 'a>> {
        let below = Some(of_line(&self.below, line)).filter(|rows| !rows.is_empty());
        let inlined = of_line(&self.inlined, line).iter();
        let calls = of_line(&self.calls, line).iter();
        (below.into_iter().map(SourceItem::Below))
            .chain(inlined.map(SourceItem::Inlined))
            .chain(calls.map(SourceItem::Call))
    }

    /// Passes the rows in order to `emit`, with `context` lines around every line that has a cost.
    /// `source` yields the lines of the file, with their line feeds. Returns whether there are
    /// costs at lines that the source does not have. It may then not be the source that was run.
    ///
    /// # Errors
    /// Fails if `emit` fails.
    pub fn walk<'s, E>(
        &'a self,
        context: u64,
        source: impl IntoIterator<Item = &'s [u8]>,
        mut emit: impl FnMut(SourceItem<'s, 'a>) -> Result<(), E>,
    ) -> Result<bool, E> {
        let known = &self.lines[usize::from(self.unidentified().is_some())..];
        let mut lines = known.iter().peekable();
        let mut source = source.into_iter();
        let mut number = 0u64;
        'ranges: for (low, high) in ranges(known.iter().map(|(line, _)| *line), context) {
            while (number as i64) < low - 1 {
                if source.next().is_none() {
                    break;
                }
                number += 1;
            }
            if low != 1 {
                emit(SourceItem::Gap(low))?;
            }
            while number < high {
                let Some(text) = source.next() else {
                    break 'ranges;
                };
                number += 1;
                let cost = lines
                    .next_if(|(line, _)| *line == number)
                    .map(|(_, cost)| Counts(cost));
                emit(SourceItem::Source(text, cost))?;
                self.under(number).try_for_each(&mut emit)?;
            }
            emit(SourceItem::Gap(high as i64))?;
        }
        let is_past = lines.peek().is_some();
        for (line, cost) in lines {
            emit(SourceItem::Bogus(*line, Counts(cost)))?;
            match self.past_end {
                PastEnd::All => self.under(*line).try_for_each(&mut emit)?,
                PastEnd::Cost => {}
            }
        }
        Ok(is_past)
    }
}

/// The ranges of lines to show: lines with a cost and their context, merged where they meet.
/// Only the first range is clipped to the start of the file. The headings of the others print
/// their bounds as computed.
fn ranges(lines: impl Iterator<Item = u64>, context: u64) -> Vec<(i64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for line in lines {
        match ranges.last_mut() {
            Some((_, last)) if last.saturating_add(context.saturating_mul(2)) >= line => {
                *last = line
            }
            _ => ranges.push((line, line)),
        }
    }
    let signed = |line: u64| line.min(i64::MAX as u64) as i64;
    (ranges.into_iter().enumerate())
        .map(|(at, (first, last))| {
            let low = signed(first) - signed(context);
            (
                if at == 0 { low.max(1) } else { low },
                last.saturating_add(context),
            )
        })
        .collect()
}
