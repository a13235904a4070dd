//! A function between its callers and its callees: exact halves, the dearest nearest to it. What the report's `--zoom` shows.

use super::comparison::Comparison;
use super::data::Data;
use super::place::Sort;
use super::row::{About, Cell, Column, Look, Row, Shape};
use crate::analysis::Label;
use crate::analysis::difference::ArcPair;
use crate::profile::{FunctionId, Order};
use crate::text::style::Style;
use crate::view::ArcRow;
use crate::view::steps::Step;
use crate::view::zoom::{RecursiveCost, Zoom};
use std::collections::BTreeMap;

/// The rows around one function.
pub(super) struct Calls<'d> {
    /// It.
    pub id: FunctionId,
    zoom: Zoom<'d>,
    rows: Vec<At>,
    data: &'d Data,
    /// Calls of it and by it in both runs, by the pair at their other end, where changes show and are known.
    arcs: Option<[BTreeMap<usize, ArcPair<'d>>; 2]>,
    /// Pairs that only the older run has calls with, dearest first: callers and callees.
    gone: [Vec<usize>; 2],
}

/// The places of callers and callees in pairs of both.
const CALLERS: usize = 0;
const CALLEES: usize = 1;

/// What a row is, with its place in the list that has it.
#[derive(Clone, Copy)]
enum At {
    NoCaller,
    CallerGone(usize),
    RecursiveCaller(usize),
    Caller(usize),
    This,
    Own,
    Callee(usize),
    RecursiveCallee(usize),
    CalleeGone(usize),
    NoCallee,
}

impl<'d> Calls<'d> {
    /// The rows of a function; nothing where there are no events.
    pub(super) fn new(look: Look<'d>, id: FunctionId) -> Option<Calls<'d>> {
        let data = look.data;
        let selection = data.selection(look.event)?;
        let zoom = Zoom::new(data.session(), selection, id, 1);
        let before = look.before.filter(|before| before.knows_arcs());
        let arcs = before.and_then(|before| {
            let (_, pair) = before.pair(id)?;
            let matching = &before.matching;
            Some([matching.arcs_to(pair), matching.arcs_from(pair)])
        });
        let mut gone = [Vec::new(), Vec::new()];
        if let (Some(before), Some(arcs)) = (before, &arcs) {
            for (gone, arcs) in gone.iter_mut().zip(arcs) {
                let old_alone = arcs.iter().filter(|(_, arc)| arc.new.is_none());
                *gone = old_alone.map(|(&at, _)| at).collect();
                gone.order_by_key(|at| {
                    let name = before.matching.label(*at).map(|label| label.name);
                    (std::cmp::Reverse(counts(before, look, arcs[at])), name)
                });
            }
        }
        let mut rows = Vec::new();
        rows.extend((!zoom.callers.rest.is_empty()).then_some(At::NoCaller));
        rows.extend((0..gone[CALLERS].len()).rev().map(At::CallerGone));
        rows.extend(
            (0..zoom.recursive_callers.calls.len())
                .rev()
                .map(At::RecursiveCaller),
        );
        rows.extend((0..zoom.callers.steps.len()).rev().map(At::Caller));
        rows.extend([At::This, At::Own]);
        rows.extend((0..zoom.callees.steps.len()).map(At::Callee));
        rows.extend((0..zoom.recursive_callees.calls.len()).map(At::RecursiveCallee));
        rows.extend((0..gone[CALLEES].len()).map(At::CalleeGone));
        rows.extend((!zoom.callees.rest.is_empty()).then_some(At::NoCallee));
        Some(Calls {
            id,
            zoom,
            rows,
            data,
            arcs,
            gone,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of the function itself.
    pub(super) fn heart(&self) -> usize {
        self.rows
            .iter()
            .position(|row| matches!(row, At::This))
            .unwrap_or(0)
    }

    pub(super) fn columns(look: Look<'_>) -> Vec<Column> {
        let cost = look.event_name();
        let mut columns = vec![
            Column::new(format!("{cost} incl")).sorting(true),
            Column::new("calls"),
            Column::new("each"),
        ];
        if look.before.is_some() {
            columns.insert(0, Column::new("change"));
        }
        columns
    }

    /// The function that a row is about.
    pub(super) fn function(&self, at: usize) -> Option<FunctionId> {
        match *self.rows.get(at)? {
            At::This => Some(self.id),
            At::Own => None,
            At::Caller(at) => Some(self.zoom.callers.steps.get(at)?.id),
            At::Callee(at) => Some(self.zoom.callees.steps.get(at)?.id),
            row @ (At::CallerGone(_) | At::CalleeGone(_)) => {
                self.data.before()?.newer(self.gone(row)?.0)
            }
            row => self.data.find(&self.label(row)?),
        }
    }

    /// The pair of a row that only the older run has, and its calls.
    fn gone(&self, row: At) -> Option<(usize, ArcPair<'d>)> {
        let (way, at) = match row {
            At::CallerGone(at) => (CALLERS, at),
            At::CalleeGone(at) => (CALLEES, at),
            _ => return None,
        };
        let pair = *self.gone[way].get(at)?;
        Some((pair, *self.arcs.as_ref()?[way].get(&pair)?))
    }

    /// What a row's function is called; it may be one that only the older run has.
    fn label(&self, row: At) -> Option<Label<'d>> {
        match row {
            At::NoCaller | At::NoCallee => None,
            At::This | At::Own => Some(self.zoom.label),
            At::Caller(at) => Some(self.zoom.callers.steps.get(at)?.label),
            At::Callee(at) => Some(self.zoom.callees.steps.get(at)?.label),
            At::RecursiveCaller(at) => Some(self.zoom.recursive_callers.calls.get(at)?.label),
            At::RecursiveCallee(at) => Some(self.zoom.recursive_callees.calls.get(at)?.label),
            At::CallerGone(_) | At::CalleeGone(_) => {
                let [old, new] = self.data.before()?.matching.labels(self.gone(row)?.0);
                new.or(old.map(Label::without_object))
            }
        }
    }

    /// What is to be known of a row's numbers.
    fn note(&self, row: At, look: Look<'_>) -> Option<String> {
        match row {
            At::Own | At::NoCaller | At::NoCallee => None,
            At::This => look.compared_as_one(self.id),
            At::Caller(at) => look.compared_as_one(self.zoom.callers.steps.get(at)?.id),
            At::Callee(at) => look.compared_as_one(self.zoom.callees.steps.get(at)?.id),
            At::RecursiveCaller(_) | At::RecursiveCallee(_) => Some("within recursion".to_owned()),
            At::CallerGone(_) | At::CalleeGone(_) => {
                let (_, arc) = self.gone(row)?;
                let within = if arc.is_recursive(&self.data.before()?.matching) {
                    "within recursion, "
                } else {
                    ""
                };
                Some(format!("{within}in the old run only"))
            }
        }
    }

    /// What a row is about, in the words of the table of a function.
    pub(super) fn about(&self, at: usize, look: Look<'_>) -> Option<About<'d>> {
        let row = *self.rows.get(at)?;
        let what = match row {
            At::This => "inclusive",
            At::Own => "self",
            At::NoCaller | At::Caller(_) | At::CallerGone(_) => "caller",
            At::NoCallee | At::Callee(_) | At::CalleeGone(_) => "callee",
            At::RecursiveCaller(_) => "recursive caller",
            At::RecursiveCallee(_) => "recursive callee",
        };
        Some(About {
            what,
            label: self.label(row),
            note: self.note(row, look),
        })
    }

    pub(super) fn row(&self, at: usize, look: Look<'_>) -> Option<Row> {
        let mut row = self.costs(at, look)?;
        if let Some(before) = look.before {
            let now = row.cells.first().and_then(|cell| {
                if let Cell::Cost(cost) = cell {
                    cost.count
                } else {
                    None
                }
            });
            let change = self.change(*self.rows.get(at)?, before, look, now);
            row.cells.insert(0, change.unwrap_or(Cell::Nothing));
        }
        Some(row)
    }

    /// What changed in a row; `now` is what it costs.
    fn change(
        &self,
        row: At,
        before: &Comparison,
        look: Look<'_>,
        now: Option<i64>,
    ) -> Option<Cell> {
        let change = |way: usize, steps: &[Step<'_>], at: usize| {
            let id = steps.get(at)?.id;
            let (pair, _) = before.pair(id)?;
            // Of several that are compared as one, the first has what changed.
            let is_one = |other: &Step<'_>| before.pair(other.id).is_some_and(|(at, _)| at == pair);
            let is_several = before.members(id) > 1;
            if is_several && steps[..at].iter().any(is_one) {
                return None;
            }
            let Some(&arc) = self.arcs.as_ref()?[way].get(&pair) else {
                return Some((None, now));
            };
            let (was, all) = counts(before, look, arc)?;
            let is_sum = is_several || before.members(self.id) > 1;
            Some((was, if is_sum { all } else { now }))
        };
        let counts = match row {
            At::This => return Some(look.changed(before.function(self.id, Sort::Inclusive))),
            At::Own => return Some(look.changed(before.function(self.id, Sort::Own))),
            At::Caller(at) => change(CALLERS, &self.zoom.callers.steps, at),
            At::Callee(at) => change(CALLEES, &self.zoom.callees.steps, at),
            At::CallerGone(_) | At::CalleeGone(_) => counts(before, look, self.gone(row)?.1),
            At::NoCaller | At::NoCallee | At::RecursiveCaller(_) | At::RecursiveCallee(_) => None,
        };
        Some(look.change(counts.filter(|_| before.compares(look.event))))
    }

    fn costs(&self, at: usize, look: Look<'_>) -> Option<Row> {
        let (zoom, row) = (&self.zoom, *self.rows.get(at)?);
        let costs = match row {
            At::This => {
                let known = self.data.profile().has_inclusive();
                let cost = look.count(zoom.inclusive).filter(|_| known);
                let calls = known.then_some(zoom.calls);
                let mut row = self.called("* ", &zoom.label, (cost, calls), look);
                // Calls of itself are inside those by others, which cost all of it.
                if zoom.recursion == RecursiveCost::Inside
                    && zoom.cycle.is_empty()
                    && zoom.more_of_cycle == 0
                {
                    row.cells[2] = each(
                        cost,
                        calls.map(|calls| calls.saturating_sub(zoom.recursive_calls)),
                        look,
                    );
                }
                Row {
                    style: Some(Style::Heading),
                    ..row
                }
            }
            At::Own => self.words(look, zoom.self_cost, "its own code"),
            At::NoCaller => self.words(look, &zoom.callers.rest, "not in any recorded call of it"),
            At::NoCallee => self.words(
                look,
                &zoom.callees.rest,
                "not in its code and its recorded calls",
            ),
            At::Caller(at) => self.step("< ", zoom.callers.steps.get(at)?, look),
            At::Callee(at) => self.step("> ", zoom.callees.steps.get(at)?, look),
            At::RecursiveCaller(at) => {
                self.recursive("< ", zoom.recursive_callers.calls.get(at)?, look)
            }
            At::RecursiveCallee(at) => {
                self.recursive("> ", zoom.recursive_callees.calls.get(at)?, look)
            }
            At::CallerGone(_) => self.gone_row("< ", row, look)?,
            At::CalleeGone(_) => self.gone_row("> ", row, look)?,
        };
        Some(costs.noted(self.note(row, look)))
    }

    fn step(&self, lead: &str, step: &Step<'_>, look: Look<'_>) -> Row {
        self.called(
            lead,
            &step.label,
            (look.count(&step.cost), step.count),
            look,
        )
    }

    /// A call within recursion: its cost is inside that of others, so that only its count adds up.
    fn recursive(&self, lead: &str, call: &ArcRow<'_>, look: Look<'_>) -> Row {
        let mut row = self.called(lead, &call.label, (None, Some(call.count)), look);
        row.style = Some(Style::Dim);
        row.cells[0] = Cell::Nothing;
        row
    }

    /// A call that only the older run has.
    fn gone_row(&self, lead: &str, row: At, look: Look<'_>) -> Option<Row> {
        let (text, place) = look.label(&self.label(row)?);
        let cells = vec![Cell::Nothing; 3];
        Some(Row {
            cells,
            lead: lead.into(),
            text,
            place,
            style: Some(Style::Dim),
            shape: Shape::Name,
        })
    }

    fn called(
        &self,
        lead: &str,
        label: &Label<'_>,
        (cost, calls): (Option<i64>, Option<u64>),
        look: Look<'_>,
    ) -> Row {
        let (text, place) = look.label(label);
        let whole = look.count(self.zoom.whole);
        let each = each(cost, calls, look);
        let times = calls.map_or(Cell::Nothing, Cell::Times);
        let cells = vec![look.cost(cost, whole), times, each];
        Row {
            cells,
            lead: lead.into(),
            text,
            place,
            style: None,
            shape: Shape::Name,
        }
    }

    fn words(&self, look: Look<'_>, cost: &[i64], text: &str) -> Row {
        let cells = vec![
            look.cost(look.count(cost), look.count(self.zoom.whole)),
            Cell::Nothing,
            Cell::Nothing,
        ];
        Row {
            lead: "  ".into(),
            ..Row::words(cells, text)
        }
    }
}

/// What calls cost before and now; nothing within recursion.
fn counts(
    before: &Comparison,
    look: Look<'_>,
    arc: ArcPair<'_>,
) -> Option<(Option<i64>, Option<i64>)> {
    let is_recursive = arc.is_recursive(&before.matching);
    let counts = before.counts(look.event, arc.cost(&before.matching));
    counts.filter(|_| !is_recursive)
}

/// What one of so many calls cost, rounded; nothing if there are none.
fn each(cost: Option<i64>, calls: Option<u64>, look: Look<'_>) -> Cell {
    let Some((cost, calls)) = cost.zip(calls).filter(|&(_, calls)| calls > 0) else {
        return Cell::Nothing;
    };
    let rounded = (i128::from(cost.unsigned_abs()) + i128::from(calls) / 2) / i128::from(calls);
    let signed = if cost < 0 { -rounded } else { rounded };
    // It is no more than the cost.
    i64::try_from(signed).map_or(Cell::Nothing, |each| unshared(look.cost(Some(each), None)))
}

/// A cost without a share.
fn unshared(cell: Cell) -> Cell {
    match cell {
        Cell::Cost(cost) => Cell::Cost(super::row::Cost { of: None, ..cost }),
        other => other,
    }
}
