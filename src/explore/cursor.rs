//! Where the cursor of a pane belongs, once there are rows, and what shows around it.

use super::place::{Aim, Place};
use super::sheet::{Rows, Sheet};

/// Sees to it that the cursor of a place is among its rows, and shows among so many.
pub(super) fn fit(place: &mut Place, sheet: &Sheet<'_>, height: usize) {
    let is_coming = |rows: &dyn Rows| place.aim != Aim::Nothing && !rows.is_whole();
    if matches!(sheet, Sheet::Waiting) || sheet.rows().is_some_and(is_coming) {
        return;
    }
    if let Sheet::Stacks(icicle, root) = sheet {
        place.row = icicle.nearest(*root, place.row);
        let depth = icicle.depth(*root, place.row);
        // Two lines say what the frame costs.
        place.top = place.top.min(depth).max((depth + 3).saturating_sub(height));
        return;
    }
    place.row = place.row.min(sheet.len().saturating_sub(1));
    let last = sheet.len().saturating_sub(height);
    place.top = place
        .top
        .min(place.row)
        .min(last)
        .max((place.row + 1).saturating_sub(height));
}

/// Puts the cursor of a place where it belongs.
pub(super) fn settle(place: &mut Place, sheet: &Sheet<'_>) {
    let row = match sheet {
        Sheet::Waiting => return,
        // Until there is source, lines have other rows.
        Sheet::Rows(rows) if !rows.is_whole() && place.aim != Aim::Heart => return,
        Sheet::Rows(rows) if place.aim != Aim::Nothing => rows.find(place.aim),
        Sheet::Stacks(_, root) if place.aim == Aim::Heart => Some(root.unwrap_or(0)),
        Sheet::Nothing(_) if place.aim == Aim::Heart => Some(0),
        _ => None,
    };
    if sheet.rows().is_none_or(|rows| rows.is_whole()) {
        place.aim = Aim::Nothing;
    }
    if let Some(row) = row {
        // What matters is shown with what is around it.
        if place.row != row {
            place.top = row.saturating_sub(8);
        }
        place.row = row;
    }
}
