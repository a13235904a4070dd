//! Combines source lines with their costs: which lines are shown, and in which order.

use super::groups::Group;
use super::{ArcRow, FileCosts, PastEnd};
use crate::profile::Counts;
use std::iter::Peekable;
use std::slice::Iter;

/// One row of annotated source.
#[derive(Clone, Debug)]
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

/// What belongs below the lines. The lines must be visited in order.
struct LineNotes<'a> {
    below: Peekable<Iter<'a, (u64, Vec<ArcRow<'a>>)>>,
    inlined: Peekable<Iter<'a, (u64, Vec<Group<'a>>)>>,
    calls: Peekable<Iter<'a, (u64, Vec<ArcRow<'a>>)>>,
}

impl<'a> LineNotes<'a> {
    fn new(costs: &'a FileCosts<'a>) -> LineNotes<'a> {
        let FileCosts {
            below,
            inlined,
            calls,
            ..
        } = costs;
        LineNotes {
            below: below.iter().peekable(),
            inlined: inlined.iter().peekable(),
            calls: calls.iter().peekable(),
        }
    }

    /// Emits what belongs below a line.
    fn line<'s, E>(
        &mut self,
        number: u64,
        emit: &mut impl FnMut(SourceItem<'s, 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        let below = at(&mut self.below, number)
            .into_iter()
            .map(|rows| SourceItem::Below(rows));
        let inlined = at(&mut self.inlined, number)
            .into_iter()
            .flatten()
            .map(SourceItem::Inlined);
        let calls = at(&mut self.calls, number)
            .into_iter()
            .flatten()
            .map(SourceItem::Call);
        below.chain(inlined).chain(calls).try_for_each(emit)
    }
}

/// Looks up a line in a list ordered by line. It skips the entries of earlier lines.
fn at<'a, T>(lines: &mut Peekable<Iter<'a, (u64, T)>>, number: u64) -> Option<&'a T> {
    while lines.next_if(|(line, _)| *line < number).is_some() {}
    lines
        .next_if(|(line, _)| *line == number)
        .map(|(_, known)| known)
}

impl<'a> FileCosts<'a> {
    /// The cost at an unknown line.
    pub fn unidentified(&self) -> Option<Counts<'_>> {
        self.lines
            .first()
            .filter(|(line, _)| *line == 0)
            .map(|(_, cost)| Counts(cost))
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
        let mut under = LineNotes::new(self);
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
                under.line(number, &mut emit)?;
            }
            emit(SourceItem::Gap(high as i64))?;
        }
        let is_past = lines.peek().is_some();
        for (line, cost) in lines {
            emit(SourceItem::Bogus(*line, Counts(cost)))?;
            match self.past_end {
                PastEnd::All => under.line(*line, &mut emit)?,
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
