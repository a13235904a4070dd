//! Combines source lines with their changes: which lines to show, in which order.

use crate::analysis::Selection;
use crate::analysis::difference::{Change, FileChanges};
use crate::profile::Events;

/// One row.
#[derive(Debug)]
pub enum ChangedItem<'s, 'c> {
    /// Lines were left out before this one.
    Gap(u64),
    /// A source line, with what it cost in both runs if it cost anything.
    Source(&'s [u8], Option<&'c Change>),
    /// A change at a line that the source does not have.
    Beyond(u64, &'c Change),
}

/// Gives the rows in order: changed lines with `context` lines around each.
///
/// # Errors
/// Those of `emit`.
pub fn walk<'s, 'c, E>(
    file: &'c FileChanges<'_>,
    events: &Events,
    selection: &Selection,
    source: impl Iterator<Item = &'s [u8]>,
    context: u64,
    mut emit: impl FnMut(ChangedItem<'s, 'c>) -> Result<(), E>,
) -> Result<(), E> {
    let is_changed = |change: &Change| change.is_any(events, selection);
    let changed: Vec<u64> = file.lines.iter().filter(|(_, change)| is_changed(change)).map(|(&line, _)| line).collect();
    let near = |line: u64| {
        let after = changed.partition_point(|&at| at < line.saturating_sub(context));
        changed.get(after).is_some_and(|&at| at <= line.saturating_add(context))
    };
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
        emit(ChangedItem::Source(text, file.lines.get(&number)))?;
    }
    let beyond = file.lines.range(number.saturating_add(1)..);
    for (&line, cost) in beyond.filter(|(_, change)| is_changed(change)) {
        emit(ChangedItem::Beyond(line, cost))?;
    }
    Ok(())
}
