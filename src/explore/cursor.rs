//! Where the cursor of a pane belongs, once there are rows, and what shows around it.

use super::place::{Aim, Place};
use super::sheet::Sheet;

/// Sees to it that the cursor of a place is among its rows, and shows among so many.
pub(super) fn fit(place: &mut Place, sheet: &Sheet<'_>, height: usize) {
    match sheet {
        Sheet::Waiting => return,
        Sheet::Source(source)
            if place.aim != Aim::Nothing && source.unopened().next().is_some() =>
        {
            return;
        }
        _ => {}
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
    let (aim, row) = match (place.aim, sheet) {
        (_, Sheet::Waiting) | (Aim::Nothing, _) => return,
        (aim, Sheet::Source(source)) => {
            let is_read = source.unopened().next().is_none();
            match (aim, is_read) {
                (_, true) => (Aim::Nothing, source.at(aim)),
                (Aim::Heart, false) => (aim, source.at(aim)),
                // Until there is source, lines have other rows.
                (_, false) => return,
            }
        }
        (aim, Sheet::Code(code)) => (Aim::Nothing, code.row_at(aim)),
        (Aim::Function(id), Sheet::List(list)) => {
            let same = list.functions.get(place.row) == Some(&id);
            let found = if same {
                None
            } else {
                list.functions.iter().position(|&other| other == id)
            };
            (Aim::Nothing, found.or(Some(place.row)))
        }
        (Aim::Function(_) | Aim::File(_) | Aim::Line(..), _) => (Aim::Nothing, None),
        (Aim::Heart, _) => (Aim::Nothing, Some(sheet.heart())),
    };
    place.aim = aim;
    if let Some(row) = row {
        // What matters is shown with what is around it.
        if place.row != row {
            place.top = row.saturating_sub(8);
        }
        place.row = row;
    }
}
