//! Moves the cursor of a pane and scrolls the pane once its rows exist. Rows can arrive late, so a
//! place keeps its [`Aim`] until then.

use super::{
    place::{Aim, Place},
    sheet::Sheet,
};

/// Keeps the cursor within the rows and scrolls so that one of the `height` visible rows shows it.
pub(super) fn fit(place: &mut Place, sheet: &Sheet<'_>, height: usize) {
    if matches!(sheet, Sheet::Waiting) {
        return;
    }
    if let Sheet::Stacks(icicle, root) = sheet {
        place.row = icicle.nearest(*root, place.row);
        let depth = icicle.depth(*root, place.row);
        // Two more rows describe the frame. What is inside it shows, too.
        let shown = depth + 3 + height / 3;
        place.top = place.top.min(depth).max(shown.saturating_sub(height));
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

/// Moves the cursor to the place's target.
pub(super) fn settle(place: &mut Place, sheet: &Sheet<'_>) {
    let row = match sheet {
        Sheet::Waiting => return,
        Sheet::Rows(rows) if place.aim != Aim::Nothing => rows.find(place.aim),
        Sheet::Stacks(_, root) if place.aim == Aim::Heart => Some(root.unwrap_or(0)),
        Sheet::Nothing(_) if place.aim == Aim::Heart => Some(0),
        _ => None,
    };
    place.aim = Aim::Nothing;
    if let Some(row) = row {
        // Shows some rows above the target.
        if place.row != row {
            place.top = row.saturating_sub(8);
        }
        place.row = row;
    }
}
