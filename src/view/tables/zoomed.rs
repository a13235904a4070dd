//! One function as a table: its costs, its callers and its callees, one per row.

use super::{Cell, Lists, Rows, Table, columns, lists::title, triple};
use crate::{
    analysis::{Basis, Label},
    profile::Counts,
    view::{
        Zoom,
        steps::{RecursiveCalls, Steps, Sum},
    },
};

/// A row about the function, or about one of its callers or callees.
#[derive(Default)]
struct ZoomRow<'a> {
    cost: Option<Counts<'a>>,
    what: &'static str,
    level: Option<u64>,
    calls: Option<u64>,
    estimated: bool,
    label: Option<Label<'a>>,
    /// The text if there is no label.
    words: String,
}

impl<'a> Lists<'a> {
    /// One function: `inclusive` and `self`, then callers and callees. Recursive calls have rows of
    /// their own kind, because their cost is part of that of other calls. Percentages are relative
    /// to the inclusive cost of the function or its cycle.
    pub fn zoomed(self, zoom: &'a Zoom<'a>) -> Table<'a, impl Rows<'a>> {
        let about = |what, cost, calls| ZoomRow {
            what,
            cost,
            calls,
            label: Some(zoom.label),
            ..ZoomRow::default()
        };
        let mut rows = Vec::new();
        if zoom.basis != Basis::Flat {
            rows.push(about(
                "inclusive",
                Some(zoom.inclusive_counts()),
                Some(zoom.calls),
            ));
        }
        rows.push(about("self", Some(zoom.self_counts()), None));
        if zoom.basis != Basis::Flat {
            steps(&mut rows, "caller", &zoom.callers);
            recursive(&mut rows, "recursive caller", &zoom.recursive_callers);
            steps(&mut rows, "callee", &zoom.callees);
            recursive(&mut rows, "recursive callee", &zoom.recursive_callees);
        }
        let counts = self.selection.show.iter();
        let counts = counts.map(|&event| self.column(event, zoom.whole));
        let names = [
            "what",
            "level",
            "calls",
            "estimated",
            "function",
            "file",
            "object",
        ];
        let columns = columns(counts, &names);
        let rows = rows.into_iter().map(move |row| {
            let [level, calls] =
                [row.level, row.calls].map(|number| number.map_or(Cell::Empty, Cell::Number));
            let estimated = if row.estimated {
                Cell::Text("yes".to_owned())
            } else {
                Cell::Empty
            };
            let about = [Cell::Text(row.what.to_owned()), level, calls, estimated];
            let label = match row.label {
                Some(label) => triple(&label),
                None => [Cell::Text(row.words), Cell::Empty, Cell::Empty],
            };
            let cost = row.cost.map(|cost| cost.0);
            self.known(cost).chain(about).chain(label)
        });
        Table {
            title: title(self.profile),
            columns,
            total: None,
            rest: Vec::new(),
            rows,
        }
    }
}

fn steps<'a>(rows: &mut Vec<ZoomRow<'a>>, what: &'static str, steps: &'a Steps<'a>) {
    rows.extend(steps.steps.iter().map(|step| ZoomRow {
        what,
        cost: Some(step.counts()),
        level: Some(step.level as u64 + 1),
        calls: step.count,
        estimated: step.count.is_none(),
        label: Some(step.label),
        words: String::new(),
    }));
    rows.extend(steps.more.as_ref().map(|more| ZoomRow {
        cost: Some(more.counts()),
        ..left_out(what, more)
    }));
    if !steps.rest.is_empty() {
        let (cost, words) = (Some(steps.rest_counts()), "(not recorded)".to_owned());
        rows.push(ZoomRow {
            what,
            cost,
            level: Some(1),
            words,
            ..ZoomRow::default()
        });
    }
}

fn recursive<'a>(rows: &mut Vec<ZoomRow<'a>>, what: &'static str, list: &'a RecursiveCalls<'a>) {
    rows.extend(list.calls.iter().map(|call| ZoomRow {
        what,
        level: Some(1),
        calls: Some(call.count),
        label: Some(call.label),
        ..ZoomRow::default()
    }));
    rows.extend(list.more.as_ref().map(|more| left_out(what, more)));
}

/// The row of omitted functions.
fn left_out<'a>(what: &'static str, more: &Sum) -> ZoomRow<'a> {
    let words = format!("({} omitted)", more.count);
    ZoomRow {
        what,
        level: Some(1),
        calls: Some(more.calls),
        words,
        ..ZoomRow::default()
    }
}
