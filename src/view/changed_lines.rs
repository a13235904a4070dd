//! Combines source lines with their changes: which lines are shown, and in which order.

use crate::analysis::Selection;
use crate::analysis::difference::{Change, FileChanges, LineSums};
use crate::profile::Events;

/// One row.
#[derive(Debug)]
pub enum ChangedItem<'s, 'c> {
    /// Lines above this one are omitted.
    Gap(u64),
    /// A source line, with its costs in both runs if it has any.
    Source(&'s [u8], Option<&'c Change>),
    /// A change at a line that the source does not have.
    Beyond(u64, &'c Change),
    /// A change at a line of the old run's source, which the new one does not have.
    Removed(u64, &'c Change),
}

/// Passes the rows in order to `emit`: changed lines with `context` lines around each.
///
/// # Errors
/// Fails if `emit` fails.
pub fn walk<'s, E>(
    file: &FileChanges<'_>,
    events: &Events,
    selection: &Selection,
    source: impl Iterator<Item = &'s [u8]>,
    context: u64,
    mut emit: impl FnMut(ChangedItem<'s, '_>) -> Result<(), E>,
) -> Result<(), E> {
    let is_changed = |change: &Change| change.is_any(events, selection);
    let (mut lines, mut changed) = (file.lines(), Vec::new());
    while let Some(line) = lines.advance() {
        changed.extend(Some(line).filter(|_| is_changed(lines.cost())));
    }
    let near = |line: u64| {
        let after = changed.partition_point(|&at| at < line.saturating_sub(context));
        changed
            .get(after)
            .is_some_and(|&at| at <= line.saturating_add(context))
    };
    let mut lines = file.lines();
    lines.advance();
    let (mut number, mut gap) = (0u64, true);
    for text in source {
        number += 1;
        if !near(number) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            emit(ChangedItem::Gap(number))?;
        }
        go_on(&mut lines, number);
        emit(ChangedItem::Source(
            text,
            Some(lines.cost()).filter(|_| lines.line() == Some(number)),
        ))?;
    }
    go_on(&mut lines, number.saturating_add(1));
    while let Some(line) = lines.line() {
        if is_changed(lines.cost()) {
            emit(ChangedItem::Beyond(line, lines.cost()))?;
        }
        lines.advance();
    }
    let mut removed = file.removed();
    while let Some(line) = removed.advance() {
        if is_changed(removed.cost()) {
            emit(ChangedItem::Removed(line, removed.cost()))?;
        }
    }
    Ok(())
}

/// Advances to a line, or to the first line after it that has costs.
fn go_on(lines: &mut LineSums<'_, '_>, to: u64) {
    while lines.line().is_some_and(|line| line < to) {
        lines.advance();
    }
}
