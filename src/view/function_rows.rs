//! The rows of a function list. Each is made when it is asked for: there can be a million, of which each is read once, and
//! whoever reads several at a time, on several threads, makes them there.

use crate::analysis::difference::Cost;
use crate::analysis::inclusive::Inclusive;
use crate::analysis::label::Label;
use crate::analysis::own_profile::Reach;
use crate::analysis::selection::Selection;
use crate::analysis::{Estimate, Folds, Session};
use crate::profile::{CallEdge, Counts, Events, FunctionId, Order};
use std::borrow::Cow;
use std::fmt;

/// Which arcs are listed with every function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ListedArcs {
    /// Its callers.
    pub callers: bool,
    /// Its callees.
    pub callees: bool,
}

/// One caller or callee.
#[derive(Clone, Debug)]
pub struct ArcRow<'a> {
    /// Its label.
    pub label: Label<'a>,
    /// How often it was called.
    pub count: u64,
    /// Inclusive cost of the calls; of recursive ones, no more than their callee or its cycle has.
    pub(crate) cost: Cow<'a, [i64]>,
    /// Whether what they cost is inside the cost of other calls, and told there alone.
    pub is_inside: bool,
}

impl ArcRow<'_> {
    /// Inclusive cost of the calls; of recursive ones, no more than their callee or its cycle has.
    pub fn counts(&self) -> Counts<'_> {
        Counts(&self.cost)
    }

    /// Orders rows, the dearest first.
    pub(super) fn order(rows: &mut [ArcRow<'_>], selection: &Selection, events: &Events) {
        rows.order_by(|a, b| {
            selection
                .compare(events, &a.cost, &b.cost)
                .then_with(|| a.label.compare(&b.label))
        });
    }
}

/// One function.
#[derive(Clone, Debug)]
pub struct FunctionRow<'a> {
    /// Its id, if the row is of a function of a profile.
    pub(crate) id: Option<FunctionId>,
    /// Its label.
    pub label: Label<'a>,
    /// Self or inclusive cost.
    pub(crate) cost: &'a [i64],
    /// Whether it is called, inlined or both, as far as that was asked for.
    pub reach: Reach,
    /// Of the first sort event, what is known of an own cost that is an estimate.
    pub estimated: Option<Box<Estimate>>,
    /// Its callers, dearest first.
    pub callers: Vec<ArcRow<'a>>,
    /// Its callees, dearest first.
    pub callees: Vec<ArcRow<'a>>,
}

impl FunctionRow<'_> {
    /// Self or inclusive cost.
    pub fn counts(&self) -> Counts<'_> {
        Counts(self.cost)
    }
}

/// The rows of a function list, in its order.
#[derive(Clone)]
pub struct FunctionRows<'a>(Rows<'a>);

#[derive(Clone)]
enum Rows<'a> {
    #[cfg_attr(
        not(feature = "cli"),
        expect(
            dead_code,
            reason = "only the program makes rows that are of no profile"
        )
    )]
    Made(Vec<FunctionRow<'a>>),
    Of(Box<Making<'a>>, Vec<FunctionId>),
}

impl<'a> FunctionRows<'a> {
    /// Rows of functions.
    pub(super) fn of(make: Making<'a>, ids: Vec<FunctionId>) -> FunctionRows<'a> {
        FunctionRows(Rows::Of(Box::new(make), ids))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Rows::Made(rows) => rows.len(),
            Rows::Of(_, ids) => ids.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row at a place, from 0.
    pub fn get(&self, at: usize) -> Option<FunctionRow<'a>> {
        match &self.0 {
            Rows::Made(rows) => rows.get(at).cloned(),
            Rows::Of(make, ids) => ids.get(at).map(|&id| make.row(id)),
        }
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = FunctionRow<'a>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The functions that rows are of, where they are of functions of a profile.
    pub(super) fn ids(&self) -> impl Iterator<Item = FunctionId> {
        match &self.0 {
            Rows::Made(_) => [].iter().copied(),
            Rows::Of(_, ids) => ids.iter().copied(),
        }
    }
}

/// Of how many rows it is fetched at a time what they are made of.
#[cfg(feature = "cli")]
const FEW: usize = 64;

/// For whoever prints long lists.
#[cfg(feature = "cli")]
impl<'a> FunctionRows<'a> {
    /// Rows that were made.
    pub(crate) fn made(rows: Vec<FunctionRow<'a>>) -> FunctionRows<'a> {
        FunctionRows(Rows::Made(rows))
    }

    /// The row at a place, for whoever takes one after the other: what the next ones are made of is fetched, too.
    pub(crate) fn in_turn(&self, at: usize) -> Option<FunctionRow<'a>> {
        if let Rows::Of(make, ids) = &self.0
            && at.is_multiple_of(FEW)
        {
            make.fetch(ids.get(at..).unwrap_or_default());
        }
        self.get(at)
    }

    /// What rows are called. No arcs are looked up for it.
    pub(crate) fn labels(&self) -> impl Iterator<Item = Label<'a>> + Clone {
        (0..self.len()).filter_map(|at| match &self.0 {
            Rows::Made(rows) => rows.get(at).map(|row| row.label),
            Rows::Of(make, ids) => ids.get(at).map(|&id| make.label(id)),
        })
    }
}

impl fmt::Debug for FunctionRows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// What rows of functions are made of.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    session: &'a Session,
    selection: &'a Selection,
    /// Inclusive costs, if functions are listed by them.
    inclusive: Option<&'a Inclusive>,
    /// Inclusive costs, if there are arcs, of which those of recursion are limited.
    recursion: Option<&'a Inclusive>,
    by: Cost,
    tree: ListedArcs,
}

impl<'a> Making<'a> {
    pub(super) fn new(
        session: &'a Session,
        selection: &'a Selection,
        inclusive: Option<&'a Inclusive>,
        by: Cost,
        tree: ListedArcs,
    ) -> Making<'a> {
        let has_arcs = tree.callers || tree.callees;
        let recursion = inclusive.or_else(|| has_arcs.then(|| session.inclusive()));
        Making {
            session,
            selection,
            inclusive,
            recursion,
            by,
            tree,
        }
    }

    /// What a function is listed by.
    pub(super) fn cost(&self, id: FunctionId) -> &'a [i64] {
        match self.inclusive {
            Some(inclusive) => inclusive.cost(id),
            None => self.session.profile().self_cost(id),
        }
    }

    fn label(&self, id: FunctionId) -> Label<'a> {
        let cycle = self
            .inclusive
            .and_then(|inclusive| inclusive.cycle_of(id))
            .map(|cycle| cycle + 1);
        Label {
            cycle,
            ..Label::of(self.session.profile(), id)
        }
    }

    fn row(&self, id: FunctionId) -> FunctionRow<'a> {
        let (profile, folds) = (self.session.profile(), self.session.folds());
        let estimated = |folds: &Folds| {
            let event = *self
                .selection
                .sort
                .first()
                .filter(|_| self.by == Cost::Own)?;
            folds.estimated(profile, id, event).map(Box::new)
        };
        FunctionRow {
            id: Some(id),
            label: self.label(id),
            cost: self.cost(id),
            reach: folds.map_or(Reach::Called, |folds| folds.reach(id)),
            estimated: folds.and_then(estimated),
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

    /// Calls of a function, each with the function at its other end: dearest first.
    fn calls(&self, arcs: impl Iterator<Item = (FunctionId, &'a CallEdge)>) -> Vec<ArcRow<'a>> {
        let profile = self.session.profile();
        let mut calls: Vec<ArcRow> = arcs
            .map(|(id, arc)| {
                let cost = profile.arc_cost(arc);
                let cost = self
                    .recursion
                    .map_or(Cow::Borrowed(cost), |recursion| recursion.capped(arc, cost));
                ArcRow {
                    label: self.label(id),
                    count: arc.count,
                    cost,
                    is_inside: false,
                }
            })
            .collect();
        calls.order_by(|a, b| {
            let by_cost = self.selection.compare(&profile.events, &a.cost, &b.cost);
            by_cost.then_with(|| a.label.compare(&b.label))
        });
        calls
    }
}

#[cfg(feature = "cli")]
impl Making<'_> {
    /// Looks at what the first rows of these functions are made of. Each is somewhere else in memory, and to fetch several at a
    /// time takes little longer than to fetch one.
    fn fetch(&self, ids: &[FunctionId]) {
        /// How many bytes are fetched at a time.
        const LINE: usize = 64;
        /// How many pieces of a name are fetched at most.
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
