//! Finds the functions in which cost begins that is not attributed to your code: the loader, a
//! library's threads, program start. A note names them if that cost is large.

use super::{
    Own,
    components::OUTSIDE,
    own::{NOBODY, subtract},
};
use crate::profile::{Costs, FunctionId, Profile, extend_with};

/// Functions in which less than a tenth of that cost begins are not named.
pub(super) const TENTH: f64 = 10.0;

/// The library functions in which at least a tenth of it begins, for any recorded event, with that
/// cost. A function that calls your code counts only with its self cost. So if the loader starts
/// first and then the program, the loader is named.
pub(super) fn beginnings(profile: &Profile, own: &Own) -> Vec<(FunctionId, Vec<i64>)> {
    let passing = &own.passing;
    let node = |id: FunctionId| passing.node[id.index()];
    let is_plain = |id: FunctionId| node(id) == OUTSIDE && !own.has(id);
    let is_nobodys = |id: FunctionId| passing.label.get(node(id) as usize) == Some(&NOBODY);
    let (mut into, mut begun) = (Costs::default(), Costs::default());
    for id in profile.function_ids() {
        into.push();
        let row = begun.push();
        if is_plain(id) || is_nobodys(id) {
            begun.add(row, profile.self_cost(id));
        }
    }
    for arc in profile
        .arcs
        .iter()
        .filter(|arc| arc.caller != arc.callee && is_plain(arc.callee))
    {
        // A call from a node that leads to your code but has no owner begins here.
        if is_nobodys(arc.caller) {
            continue;
        }
        if is_plain(arc.caller) {
            begun.add(arc.caller.0, profile.arc_cost(arc));
        }
        into.add(arc.callee.0, profile.arc_cost(arc));
    }
    let is_much = |row: &[i64]| {
        let mut counts = row.iter().zip(&own.rest);
        counts.any(|(&count, &rest)| count > 0 && count as f64 * TENTH >= rest as f64)
    };
    let begins = |id: FunctionId| {
        let mut row = Vec::new();
        extend_with(&mut row, begun.row(id.0));
        subtract(&mut row, into.row(id.0));
        (id, row)
    };
    profile
        .function_ids()
        .map(begins)
        .filter(|(_, row)| is_much(row))
        .collect()
}
