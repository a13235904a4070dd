//! The callers and callees of one function, as `--zoom` of the report shows them. The most
//! expensive ones stand next to the function, and the costs are exact.

use super::{
    comparison::{CountPair, RunComparison},
    place::Sort,
    row::{Row, RowCell, RowColumn, RowCost, RowSettings, RowSubject},
    sheet::SheetRows,
};
use crate::{
    analysis::{Label, difference::ArcPair},
    profile::{FunctionId, Order},
    text::{Style, number::divided},
    view::{
        Zoom,
        steps::{RecursiveCalls, Steps},
        zoom::RecursiveCost,
    },
};
use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

pub(super) struct CallSheet<'d> {
    /// The counts that percentages refer to.
    whole: &'d [i64],
    rows: Vec<CallRow<'d>>,
    /// How many calls of the function happen inside calls from other functions. The cost of those
    /// outer calls includes them.
    inside: u64,
}

/// A row: the function itself, a caller or a callee.
#[derive(Clone)]
struct CallRow<'d> {
    kind: CallKind,
    /// The relation to the function, with the same word as in the report's table.
    what: &'static str,
    /// The other function, if the newer run has it.
    id: Option<FunctionId>,
    label: Option<Label<'d>>,
    cost: Cow<'d, [i64]>,
    calls: Option<u64>,
    /// The selected event's count in the old run and in the new run.
    change: Option<CountPair>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CallKind {
    This,
    Own,
    Known,
    /// Recursive calls. Other rows already include their cost, so only the call count adds up.
    Recursive,
    /// Calls that only the old run has. The cost of recursive ones is unknown.
    Gone,
    /// Cost that no recorded call explains.
    Rest,
}

/// The calls in both runs by the pair of the other function.
type ComparedArcs<'d> = (&'d RunComparison, BTreeMap<usize, ArcPair<'d>>);

/// The rows of one side of a function, its callers or its callees; the most expensive come first.
/// `what` names a call and a recursive call. `arcs` is `None` unless the screen shows changes and
/// both runs recorded calls.
fn side<'d>(
    look: RowSettings<'d>,
    id: FunctionId,
    what: [&'static str; 2],
    arcs: Option<ComparedArcs<'d>>,
    (steps, recursive): (&Steps<'d>, &RecursiveCalls<'d>),
) -> Vec<CallRow<'d>> {
    let row = |kind| CallRow {
        kind,
        what: what[usize::from(kind == CallKind::Recursive)],
        id: None,
        label: None,
        cost: Cow::default(),
        calls: None,
        change: None,
    };
    let mut seen = HashSet::new();
    // How the cost of the calls to or from `other` changed; `now` is their cost in the new run. If
    // the comparison merges several functions, only the first row has the change.
    let mut change = |other: FunctionId, now: Option<i64>| {
        let (before, arcs) = arcs.as_ref()?;
        let (pair, _) = before.pair(other).filter(|&(pair, _)| seen.insert(pair))?;
        let Some(&arc) = arcs.get(&pair) else {
            return Some((None, now)).filter(|_| before.compares(look.event));
        };
        let (was, all) = before.arc(look.event, arc)?;
        let is_sum = [other, id].iter().any(|&id| before.members(id) > 1);
        Some((was, if is_sum { all } else { now }))
    };
    let known = steps.steps.iter().map(|step| CallRow {
        id: Some(step.id),
        label: Some(step.label),
        cost: step.cost.clone().into(),
        calls: step.count,
        change: change(step.id, look.count(&step.cost)),
        ..row(CallKind::Known)
    });
    let mut rows: Vec<CallRow<'_>> = known.collect();
    rows.extend(recursive.calls.iter().map(|call| CallRow {
        id: look.data.find(&call.label),
        label: Some(call.label),
        calls: Some(call.count),
        ..row(CallKind::Recursive)
    }));
    if let Some((before, arcs)) = &arcs {
        let gone = arcs.iter().filter(|(_, arc)| arc[1].is_none());
        let gone = gone.filter_map(|(&at, &arc)| {
            let [old, new] = before.matching.labels(at);
            Some(CallRow {
                id: before.newer(at),
                label: Some(new.or(old.map(Label::without_object))?),
                change: before.arc(look.event, arc),
                ..row(CallKind::Gone)
            })
        });
        let mut gone: Vec<CallRow<'_>> = gone.collect();
        gone.order_by_key(|row| (Reverse(row.change), row.label.map(|label| label.name)));
        rows.extend(gone);
    }
    rows.extend((!steps.rest.is_empty()).then(|| CallRow {
        cost: steps.rest.clone().into(),
        ..row(CallKind::Rest)
    }));
    rows
}

impl<'d> CallSheet<'d> {
    pub(super) fn new(look: RowSettings<'d>, id: FunctionId) -> CallSheet<'d> {
        let data = look.data;
        let zoom = Zoom::new(&data.session, data.selection(look.event), id, 1);
        let before = look.before.filter(|before| before.knows_arcs());
        let pair = before.and_then(|before| Some((before, before.pair(id)?.1)));
        let callers = side(
            look,
            id,
            ["caller", "recursive caller"],
            pair.map(|(before, pair)| (before, before.matching.arcs_to(pair))),
            (&zoom.callers, &zoom.recursive_callers),
        );
        let callees = side(
            look,
            id,
            ["callee", "recursive callee"],
            pair.map(|(before, pair)| (before, before.matching.arcs_from(pair))),
            (&zoom.callees, &zoom.recursive_callees),
        );
        let known = data.profile().has_inclusive();
        let change = |cost| {
            let before = look.before?;
            before.counts(look.event, before.function(id, cost)?)
        };
        let this = CallRow {
            kind: CallKind::This,
            what: "inclusive",
            id: Some(id),
            label: Some(zoom.label),
            cost: Cow::Borrowed(if known { zoom.inclusive } else { &[] }),
            calls: known.then_some(zoom.calls),
            change: change(Sort::Inclusive),
        };
        let own = CallRow {
            kind: CallKind::Own,
            what: "self",
            id: None,
            cost: Cow::Borrowed(zoom.self_cost),
            calls: None,
            change: change(Sort::Own),
            ..this.clone()
        };
        let callers = callers.into_iter().rev();
        let rows = callers.chain([this, own]).chain(callees).collect();
        let is_alone = zoom.cycle.is_empty() && zoom.more_of_cycle == 0;
        let inside = zoom.recursion == RecursiveCost::Inside && is_alone;
        CallSheet {
            whole: zoom.whole,
            rows,
            inside: if inside { zoom.recursive_calls } else { 0 },
        }
    }

    /// A remark on the numbers of a row.
    fn note(&self, row: &CallRow<'_>, look: RowSettings<'_>) -> Option<String> {
        match row.kind {
            CallKind::Own | CallKind::Rest => None,
            CallKind::This | CallKind::Known => look.compared_as_one(row.id?),
            CallKind::Recursive => Some("within recursion".to_owned()),
            CallKind::Gone if row.change.is_some() => Some("in the old run only".to_owned()),
            CallKind::Gone => Some("within recursion, in the old run only".to_owned()),
        }
    }
}

impl SheetRows for CallSheet<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the function itself.
    fn heart(&self) -> usize {
        let is_this = |row: &CallRow<'_>| row.kind == CallKind::This;
        self.rows.iter().position(is_this).unwrap_or(0)
    }

    fn columns(&self, look: RowSettings<'_>) -> Vec<RowColumn> {
        let cost = look.event_name();
        let mut columns = vec![
            RowColumn::new(format!("{cost} incl")).sorting(true),
            RowColumn::new("calls"),
            RowColumn::new("each"),
        ];
        if look.before.is_some() {
            columns.insert(0, RowColumn::new("change"));
        }
        columns
    }

    fn function(&self, at: usize) -> Option<FunctionId> {
        self.rows.get(at)?.id
    }

    fn names(&self) -> &'static [&'static str] {
        &["what", "function", "file", "object"]
    }

    fn about<'a>(&'a self, at: usize, look: RowSettings<'a>) -> Option<RowSubject<'a>> {
        let row = self.rows.get(at)?;
        Some(RowSubject {
            what: row.what,
            label: row.label,
            note: self.note(row, look),
        })
    }

    fn row(&self, at: usize, look: RowSettings<'_>) -> Option<Row> {
        let row = self.rows.get(at)?;
        let is_caller = at < self.heart();
        let arrow = if is_caller { "< " } else { "> " };
        let (lead, style) = match row.kind {
            CallKind::This => ("* ", Some(Style::Heading)),
            CallKind::Own | CallKind::Rest => ("  ", Some(Style::Dim)),
            CallKind::Known => (arrow, None),
            CallKind::Recursive | CallKind::Gone => (arrow, Some(Style::Dim)),
        };
        let count = look.count(&row.cost);
        let cost = match row.kind {
            CallKind::Recursive | CallKind::Gone => None,
            _ => look.cost(count, look.count(self.whole)),
        };
        let inside = if row.kind == CallKind::This {
            self.inside
        } else {
            0
        };
        let each = row.calls.map(|calls| calls.saturating_sub(inside));
        let each = each.filter(|_| row.kind != CallKind::Recursive);
        let mut cells = vec![
            cost,
            row.calls.map(RowCell::Times),
            each.and_then(|calls| self::each(count, calls, look)),
        ];
        if look.before.is_some() {
            cells.insert(0, look.change(row.change));
        }
        let shown = match (row.kind, row.label) {
            (CallKind::Own, _) => Row::words(cells, "the function itself"),
            (_, Some(label)) => Row::named(cells, "", look.label(&label)),
            (_, None) if is_caller => Row::words(cells, "not attributed to a recorded call"),
            (_, None) => Row::words(cells, "not attributed to it or a recorded call"),
        };
        let shown = Row {
            lead: lead.to_owned(),
            style,
            ..shown
        };
        Some(shown.noted(self.note(row, look)))
    }
}

/// The cost per call, without a percentage; empty if there are no calls.
fn each(cost: Option<i64>, calls: u64, look: RowSettings<'_>) -> Option<RowCell> {
    // It is at most the cost.
    let count = i64::try_from(divided(cost?, calls)?).ok()?;
    Some(RowCell::Cost(RowCost {
        count: Some(count),
        of: None,
        tick: look.tick(),
    }))
}
