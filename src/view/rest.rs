//! The rows below a list for what it omits. Reports and tables use the same words.

use super::ListFrame;
use crate::{
    analysis::{Rest, routines::Routines},
    profile::Event,
    text::grouped,
};

/// The words for [`Rest::nowhere`]. If a run's counters were reset, its summary contains costs that
/// are on no line.
pub(crate) const NOWHERE: &str = "(not attributed to any function)";

/// The rows: the cost and the words of each.
pub(crate) fn rows<'a>(frame: &'a ListFrame<'_>) -> impl Iterator<Item = (&'a [i64], String)> {
    let rest = frame.rest.iter();
    rest.flat_map(|rest| left_out(rest, frame.nouns).into_iter().chain(nowhere(rest)))
}

/// The row of what the list omits.
fn left_out<'a>(rest: &'a Rest, [one, many]: [&str; 2]) -> Option<(&'a [i64], String)> {
    let words = match rest.rows {
        // All rows are listed, but not all of their cost.
        0 => "(the rest)".to_owned(),
        1 => format!("(1 {one} omitted)"),
        rows => format!("({} {many} omitted)", grouped(rows)),
    };
    (rest.rows > 0 || !rest.is_free()).then_some((&rest.cost[..], words))
}

/// The row of the cost that is not attributed to any function.
fn nowhere(rest: &Rest) -> Option<(&[i64], String)> {
    (!rest.nowhere.is_empty()).then(|| (&rest.nowhere[..], NOWHERE.to_owned()))
}

/// The rows below a table of routines: self cost, if recorded; activations, if known; the words.
/// Inclusive costs do not add up, so these rows have none.
pub(crate) fn of_routines(
    routines: &Routines<'_>,
) -> impl Iterator<Item = (Option<i64>, Option<u64>, String)> {
    let row = |(cost, words): (&[i64], String), calls| {
        let events = &routines.profile.events;
        (events.count(cost, Event::Recorded(0)), calls, words)
    };
    let left_out = left_out(&routines.rest, ["routine", "routines"]);
    let left_out = left_out.map(|left_out| row(left_out, Some(routines.calls_left_out)));
    left_out
        .into_iter()
        .chain(nowhere(&routines.rest).map(|nowhere| row(nowhere, None)))
}
