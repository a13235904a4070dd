//! Combines source lines with their costs: which lines to show, in which order.

use super::files::{Below, FileCosts};
use super::function_rows::ArcRow;
use super::inlined::InlinedAt;
use crate::profile::Counts;

/// One row of annotated source.
#[derive(Clone, Debug)]
pub enum SourceItem<'s, 'c> {
    /// Lines were left out before or after this one.
    Gap(i64),
    /// A source line, with its cost if it has one.
    Source(&'s [u8], Option<Counts<'c>>),
    /// A function that was inlined into the source line above.
    Inlined(&'c InlinedAt<'c>),
    /// What foreign code did for the source line above, of whose cost it is part.
    Below(&'c Below),
    /// A call from the source line above.
    Call(&'c ArcRow<'c>),
    /// Cost at a line that the source does not have.
    Bogus(u64, Counts<'c>),
}

/// Walks one file.
pub struct Annotation<'a> {
    costs: &'a FileCosts<'a>,
    context: u64,
}

/// Whether there was cost at lines that the source does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SourceEnd {
    /// There was none.
    Inside,
    /// There was: it may not be the source that was run.
    Past,
}

impl<'a> Annotation<'a> {
    /// Shows `context` lines around every line that has a cost.
    pub fn new(costs: &'a FileCosts<'a>, context: u64) -> Annotation<'a> {
        Annotation { costs, context }
    }

    /// What the lines of the file cost.
    pub fn costs(&self) -> &'a FileCosts<'a> {
        self.costs
    }

    /// Cost at a line that is not known.
    pub fn unidentified(&self) -> Option<Counts<'a>> {
        self.costs.lines.first().filter(|(line, _)| *line == 0).map(|(_, cost)| Counts(cost))
    }

    /// Gives the rows in order. `source` lends the lines of the file, with their line feeds.
    ///
    /// # Errors
    /// Those of `emit`.
    pub fn walk<'s, E>(
        &self,
        source: impl IntoIterator<Item = &'s [u8]>,
        mut emit: impl FnMut(SourceItem<'s, 'a>) -> Result<(), E>,
    ) -> Result<SourceEnd, E> {
        let known = &self.costs.lines[usize::from(self.unidentified().is_some())..];
        let mut lines = known.iter().peekable();
        let mut calls = self.costs.calls.iter().peekable();
        let mut below = self.costs.below.iter().peekable();
        let mut inlined = self.costs.inlined.iter().peekable();
        let mut source = source.into_iter();
        let mut number = 0u64;
        'ranges: for (low, high) in self.ranges(known.iter().map(|(line, _)| *line)) {
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
                let cost = lines.next_if(|(line, _)| *line == number).map(|(_, cost)| Counts(cost));
                emit(SourceItem::Source(text, cost))?;
                while below.next_if(|(line, _)| *line < number).is_some() {}
                if let Some((_, below)) = below.next_if(|(line, _)| *line == number) {
                    emit(SourceItem::Below(below))?;
                }
                while inlined.next_if(|(line, _)| *line < number).is_some() {}
                for one in inlined.next_if(|(line, _)| *line == number).into_iter().flat_map(|(_, all)| all) {
                    emit(SourceItem::Inlined(one))?;
                }
                while calls.next_if(|(line, _)| *line < number).is_some() {}
                for call in calls.next_if(|(line, _)| *line == number).into_iter().flat_map(|(_, calls)| calls) {
                    emit(SourceItem::Call(call))?;
                }
            }
            emit(SourceItem::Gap(high as i64))?;
        }
        let mut end = SourceEnd::Inside;
        for (line, cost) in lines {
            end = SourceEnd::Past;
            emit(SourceItem::Bogus(*line, Counts(cost)))?;
        }
        Ok(end)
    }

    /// The ranges of lines to show: those with a cost and their context, joined where they meet. Only the first range
    /// is cut at the start of the file: the headings of the others print their bounds as computed.
    fn ranges(&self, lines: impl Iterator<Item = u64>) -> Vec<(i64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for line in lines {
            match ranges.last_mut() {
                Some((_, last)) if last.saturating_add(self.context.saturating_mul(2)) >= line => *last = line,
                _ => ranges.push((line, line)),
            }
        }
        let context = self.context.min(i64::MAX as u64) as i64;
        let signed = |line: u64| line.min(i64::MAX as u64) as i64;
        (ranges.into_iter().enumerate())
            .map(|(at, (first, last))| {
                let low = signed(first) - context;
                (if at == 0 { low.max(1) } else { low }, last.saturating_add(self.context))
            })
            .collect()
    }
}
