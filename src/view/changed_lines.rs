//! Combines source lines with their changes: which lines are shown, and in which order.

use crate::{
    analysis::{
        Selection,
        difference::{Change, FileChanges},
    },
    profile::Events,
};

/// One row.
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
    let changed: Vec<u64> = file
        .lines()
        .filter(|(_, cost)| is_changed(cost))
        .map(|(line, _)| line)
        .collect();
    let near = |line: u64| {
        let after = changed.partition_point(|&at| at < line.saturating_sub(context));
        changed
            .get(after)
            .is_some_and(|&at| at <= line.saturating_add(context))
    };
    let mut lines = file.lines().peekable();
    let (mut number, mut gap) = (0u64, true);
    for text in source {
        number += 1;
        let cost = lines.next_if(|&(line, _)| line == number);
        if !near(number) {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            emit(ChangedItem::Gap(number))?;
        }
        let cost = cost.as_ref().map(|(_, cost)| cost);
        emit(ChangedItem::Source(text, cost))?;
    }
    for (line, cost) in lines.filter(|(_, cost)| is_changed(cost)) {
        emit(ChangedItem::Beyond(line, &cost))?;
    }
    for (line, cost) in file.removed().filter(|(_, cost)| is_changed(cost)) {
        emit(ChangedItem::Removed(line, &cost))?;
    }
    Ok(())
}
