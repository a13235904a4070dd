//! Whether all costs came that a part states. The readers of Callgrind's format ask at the end of a file, when every part
//! has its own sum.

use super::callgrind::shown;
use crate::profile::costs::NEVER;
use crate::profile::{Head, Kind};

/// Warns of parts that Callgrind's writer did not come to finish, unless the source itself was cut, which was said.
///
/// It announces the costs in `summary:` and ends a part with `totals:`. That the latter is missing says little, for then all
/// may have come; that there is less than announced says little either (a row is trimmed, and in some versions
/// a few counts short). Both together are a cut. A part without any cost is rather one that was shortened by hand.
pub(crate) fn warn_of_cuts(head: &mut Head) {
    if head.warnings.has(Kind::Truncated) {
        return;
    }
    for at in 0..head.parts.len() {
        let part = &head.parts[at];
        let (Some(end), Some(summary)) = (part.unfinished, &part.summary) else { continue };
        let short = (0..summary.len()).find(|&c| count(summary, c) > count(&part.self_cost, c));
        if let Some(c) = short.filter(|_| (0..part.self_cost.len()).any(|c| count(&part.self_cost, c) != 0)) {
            let (stated, sum, event) = (count(summary, c), count(&part.self_cost, c), event(head, c));
            head.warn_of_part(Some(at), Some(end), Kind::Truncated, || {
                format!(
                    "the input is cut off behind this line: `totals:` is missing, and the {event} costs add up to {sum} of \
                     the {stated} that `summary:` announced"
                )
            });
        }
    }
}

/// Warns of parts whose costs do not add up to their `totals:`, which are the sum by definition. `summary:` may well say
/// something else, such as a peak.
pub(crate) fn warn_of_totals(head: &mut Head) {
    for at in 0..head.parts.len() {
        let part = &head.parts[at];
        let Some(totals) = &part.totals else { continue };
        let mut columns = 0..totals.len().max(part.self_cost.len());
        if let Some(c) = columns.find(|&c| count(totals, c) != count(&part.self_cost, c)) {
            let (stated, sum, event) = (count(totals, c), count(&part.self_cost, c), event(head, c));
            head.warn_of_part(Some(at), None, Kind::TotalsMismatch, || {
                format!("part {}: the {event} costs add up to {sum}, but `totals:` says {stated}", at + 1)
            });
        }
    }
}

fn count(row: &[i64], column: usize) -> i64 {
    row.get(column).copied().filter(|&n| n != NEVER).unwrap_or(0)
}

/// The name of a column, for a message.
fn event(head: &Head, column: usize) -> String {
    head.events.recorded().get(column).map_or(String::new(), |name| shown(name))
}
