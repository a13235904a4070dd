//! The rows of a function list. A list can have a million rows, and each is read once, so a row is
//! only created when it is read. Several threads can create rows at the same time.

use crate::{
    analysis::{Estimate, Folds, Inclusive, Label, Reach, Selection, Session},
    profile::{CallEdge, Counts, Events, FunctionId, Order},
};
use std::borrow::Cow;

/// The arcs that are listed with every function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListedArcs {
    /// List the callers.
    pub callers: bool,
    /// List the callees.
    pub callees: bool,
}

/// One caller or callee.
#[derive(Clone)]
pub struct ArcRow<'a> {
    /// Its label.
    pub label: Label<'a>,
    /// The number of calls.
    pub count: u64,
    pub(crate) cost: Cow<'a, [i64]>,
    /// Whether their cost is part of the cost of other calls, and only shown there.
    pub is_inside: bool,
}

impl ArcRow<'_> {
    /// Inclusive cost of the calls. For recursive calls it is at most that of their callee or its
    /// cycle.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }

    /// The number of calls of several rows.
    pub(super) fn calls(rows: &[ArcRow<'_>]) -> u64 {
        rows.iter()
            .fold(0, |sum, row| sum.saturating_add(row.count))
    }

    /// Orders rows, most expensive first.
    pub(crate) fn order(rows: &mut [ArcRow<'_>], selection: &Selection, events: &Events) {
        rows.order_by(|a, b| {
            selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.label.compare(&b.label))
        });
    }
}

/// One function.
#[derive(Clone)]
pub struct FunctionRow<'a> {
    /// Its id, if it is a function of a profile.
    pub(crate) id: Option<FunctionId>,
    /// Its label.
    pub label: Label<'a>,
    pub(crate) cost: &'a [i64],
    /// Whether it is called, inlined or both, if that was requested.
    pub reach: Reach,
    /// The bounds of an estimated own cost, for the first sort event.
    pub estimated: Option<Box<Estimate>>,
    /// Its callers, most expensive first.
    pub callers: Vec<ArcRow<'a>>,
    /// Its callees, most expensive first.
    pub callees: Vec<ArcRow<'a>>,
}

impl FunctionRow<'_> {
    /// Self or inclusive cost.
    pub fn counts(&self) -> Counts<'_> {
        Counts(self.cost)
    }
}

/// The rows of a function list, in its order.
pub struct FunctionRows<'a>(RowSource<'a>);

enum RowSource<'a> {
    Made(Vec<FunctionRow<'a>>),
    Of(Box<Making<'a>>, Vec<FunctionId>),
}

impl<'a> FunctionRows<'a> {
    /// Rows of the functions with these ids.
    pub(super) fn from_ids(make: Making<'a>, ids: Vec<FunctionId>) -> FunctionRows<'a> {
        FunctionRows(RowSource::Of(Box::new(make), ids))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match &self.0 {
            RowSource::Made(rows) => rows.len(),
            RowSource::Of(_, ids) => ids.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at an index, from 0.
    pub fn get(&self, at: usize) -> Option<FunctionRow<'a>> {
        match &self.0 {
            RowSource::Made(rows) => rows.get(at).cloned(),
            RowSource::Of(make, ids) => ids.get(at).map(|&id| make.row(id)),
        }
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = FunctionRow<'a>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The functions of the rows, if they are functions of a profile.
    pub(super) fn ids(&self) -> impl Iterator<Item = FunctionId> {
        match &self.0 {
            RowSource::Made(_) => [].iter().copied(),
            RowSource::Of(_, ids) => ids.iter().copied(),
        }
    }
}

/// The data of this many rows is prefetched together.
const FEW: usize = 64;

/// These serve printers of long lists.
impl<'a> FunctionRows<'a> {
    /// Rows that exist already.
    pub(crate) fn made(rows: Vec<FunctionRow<'a>>) -> FunctionRows<'a> {
        FunctionRows(RowSource::Made(rows))
    }

    /// The row at an index, for callers that read one row after the other. It also prefetches the
    /// data of the next rows.
    pub(crate) fn in_turn(&self, at: usize) -> Option<FunctionRow<'a>> {
        if let RowSource::Of(make, ids) = &self.0
            && at.is_multiple_of(FEW)
        {
            make.fetch(ids.get(at..).unwrap_or_default());
        }
        self.get(at)
    }

    /// The labels of the rows. This looks up no arcs.
    pub(crate) fn labels(&self) -> impl Iterator<Item = Label<'a>> + Clone {
        (0..self.len()).filter_map(|at| match &self.0 {
            RowSource::Made(rows) => rows.get(at).map(|row| row.label),
            RowSource::Of(make, ids) => ids.get(at).map(|&id| make.label(id)),
        })
    }
}

/// Creates the rows of functions.
pub(super) struct Making<'a> {
    pub session: &'a Session,
    pub selection: &'a Selection,
    /// Inclusive costs, if functions are listed by them.
    pub inclusive: Option<&'a Inclusive>,
    pub tree: ListedArcs,
}

impl<'a> Making<'a> {
    /// The cost that a function is listed by.
    pub(super) fn cost(&self, id: FunctionId) -> &'a [i64] {
        match self.inclusive {
            Some(inclusive) => inclusive.cost(id),
            None => self.session.profile().self_cost(id),
        }
    }

    fn label(&self, id: FunctionId) -> Label<'a> {
        let cycle = |inclusive: &Inclusive| inclusive.cycle_number(id);
        Label {
            cycle: self.inclusive.and_then(cycle),
            ..Label::new(self.session.profile(), id)
        }
    }

    fn row(&self, id: FunctionId) -> FunctionRow<'a> {
        let (profile, folds) = (self.session.profile(), self.session.folds());
        let estimated = |folds: &Folds| {
            let event = *self.selection.sort.first()?;
            folds.estimated(profile, id, event).map(Box::new)
        };
        FunctionRow {
            id: Some(id),
            label: self.label(id),
            cost: self.cost(id),
            reach: Reach::new(folds, id),
            estimated: folds
                .filter(|_| self.inclusive.is_none())
                .and_then(estimated),
            callers: if self.tree.callers {
                self.calls(profile.arcs_to(id).map(|arc| (arc.caller, arc)))
            } else {
                Vec::new()
            },
            callees: if self.tree.callees {
                self.calls(profile.arcs_of(id).iter().map(|arc| (arc.callee, arc)))
            } else {
                Vec::new()
            },
        }
    }

    /// Calls of a function, most expensive first. Each has the function at its other end.
    fn calls(&self, arcs: impl Iterator<Item = (FunctionId, &'a CallEdge)>) -> Vec<ArcRow<'a>> {
        let (profile, inclusive) = (self.session.profile(), self.session.inclusive());
        let mut calls: Vec<ArcRow> = arcs
            .map(|(id, arc)| {
                let cost = inclusive.capped(arc, profile.arc_cost(arc));
                ArcRow {
                    label: self.label(id),
                    count: arc.count,
                    cost,
                    is_inside: false,
                }
            })
            .collect();
        ArcRow::order(&mut calls, self.selection, &profile.events);
        calls
    }
}

impl Making<'_> {
    /// Prefetches the data of the first of these rows. The data of each is elsewhere in memory, and
    /// several fetches at a time take little longer than one.
    fn fetch(&self, ids: &[FunctionId]) {
        /// The bytes of a cache line.
        const LINE: usize = 64;
        /// At most this many pieces of a name are fetched.
        const PIECES: usize = 16;
        let profile = self.session.profile();
        let mut names = [(crate::profile::NameId::EMPTY, &[][..]); FEW];
        for ((name, cost), &id) in names.iter_mut().zip(ids) {
            (*name, *cost) = (profile.function(id).name, self.cost(id));
        }
        let mut texts = names.map(|(name, _)| profile.names.lent(name).pieces());
        let mut seen = names
            .iter()
            .fold(0, |all, (_, cost)| all ^ cost.first().copied().unwrap_or(0));
        for _ in 0..PIECES {
            for piece in texts.iter_mut().filter_map(Iterator::next) {
                seen ^= piece
                    .iter()
                    .step_by(LINE)
                    .take(8)
                    .fold(0, |all, &byte| all ^ i64::from(byte));
            }
        }
        std::hint::black_box(seen);
    }
}
