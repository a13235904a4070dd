//! Stacks as an icicle graph: one row per depth, each frame as wide as its cost, its callees below
//! it. The frames and their bounds are those of `convert --to=folded` and of HTML pages.

use crate::{
    analysis::{Basis, Folds, Frame, Session, Stack, Stacks},
    profile::{Event, FunctionId, Profile},
    text::{
        number::{amount, plural},
        shown,
    },
};

/// Stacks with a smaller fraction of the cost are merged. HTML pages and `convert` have the same
/// limit.
const LEAST: f64 = 0.0001;

/// The stacks of an event with their positions.
pub struct Icicle {
    stacks: Vec<Stack>,
    /// For each frame, the index after its last descendant.
    ends: Vec<usize>,
    /// For each frame, the cost to its left.
    starts: Vec<i128>,
    parents: Vec<Option<usize>>,
    rows: Vec<usize>,
    total: i128,
    /// The count that is 100 %; 0 if the event has no percentages.
    whole: i128,
    /// Nanoseconds per count, if the event is shown as a time.
    tick: Option<u64>,
    /// How the stacks were computed.
    pub(super) basis: String,
    /// How many functions have an estimated self cost.
    estimates: usize,
    /// How many frames, the first ones, have their callers above them.
    turned: usize,
}

/// The columns of a frame: from `from` up to, not including, `to`.
pub(super) struct Span {
    pub frame: usize,
    pub from: u16,
    pub to: u16,
    pub depth: usize,
}

impl Icicle {
    /// The stacks of an event, or those around a function: its callers, and below them its callees.
    /// `None` if the event has negative costs.
    pub(super) fn new(
        session: &Session,
        event: Event,
        function: Option<FunctionId>,
    ) -> Option<Icicle> {
        let (profile, inclusive) = (session.profile(), session.inclusive());
        let estimates = session.folds().map_or(0, Folds::estimates);
        let (basis, stacks, turned) = match function {
            None => {
                let all = Stacks::new(profile, inclusive, event, LEAST)?;
                (basis(&all, estimates), all.stacks, 0)
            }
            Some(id) => {
                let [mut stacks, callees] = Stacks::around(profile, inclusive, event, id, LEAST)?;
                let turned = stacks.len();
                stacks.extend(callees);
                let basis = match estimates {
                    0 => "calls next to the function are exact, others are estimated",
                    _ => "frames are estimated from calls and own costs",
                };
                (basis.into(), stacks, turned)
            }
        };
        let above = stacks[..turned].iter().map(|stack| stack.depth + 1).max();
        let above = above.unwrap_or(0) as usize;
        let mut rows = Vec::with_capacity(stacks.len());
        let (mut ends, mut starts) = (vec![stacks.len(); stacks.len()], vec![0i128; stacks.len()]);
        let mut parents = vec![None; stacks.len()];
        // The ancestors of the next frame, each with the position of its next child.
        let mut open: Vec<(usize, i128)> = Vec::new();
        let mut total = 0;
        for (at, stack) in stacks.iter().enumerate() {
            while let Some(&(around, _)) = open.last().filter(|_| open.len() > stack.depth as usize)
            {
                ends[around] = at;
                open.pop();
            }
            // The callees are as wide as the callers.
            if at == turned {
                total = 0;
            }
            rows.push(match open.len() {
                depth if at < turned => above - 1 - depth,
                depth => above + depth,
            });
            parents[at] = open.last().map(|&(around, _)| around);
            let next = open.last_mut().map_or(&mut total, |(_, next)| next);
            starts[at] = *next;
            *next += stack.total;
            open.push((at, starts[at]));
        }
        let Profile { events, totals, .. } = profile;
        let whole = totals
            .counts()
            .get(events, event)
            .filter(|_| events.has_shares(event))
            .unwrap_or(0)
            .into();
        let tick = events.tick(event);
        Some(Icicle {
            stacks,
            ends,
            starts,
            parents,
            rows,
            total,
            whole,
            tick,
            basis,
            estimates,
            turned,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.stacks.len()
    }

    /// The index range of a root's frames, the cost to its left, and its cost.
    fn inside(&self, root: Option<usize>) -> (usize, usize, i128, i128) {
        match root.and_then(|root| Some((root, self.stacks.get(root)?))) {
            Some((root, stack)) => (root, self.ends[root], self.starts[root], stack.total),
            None => (0, self.stacks.len(), 0, self.total),
        }
    }

    /// The frame itself if it is below the root, else the nearest frame that is.
    pub(super) fn nearest(&self, root: Option<usize>, frame: usize) -> usize {
        let (first, end, ..) = self.inside(root);
        frame.min(end.saturating_sub(1)).max(first)
    }

    /// The frames in these rows that are at least a column wide. The frame of the cursor is always
    /// visible and comes last if it is narrower.
    pub(super) fn spans(
        &self,
        root: Option<usize>,
        cursor: usize,
        width: u16,
        rows: std::ops::Range<usize>,
    ) -> Vec<Span> {
        let (mut at, end, left, total) = self.inside(root);
        let cell = |cost: i128| -> u16 {
            let cells = cost
                .saturating_mul(width.into())
                .checked_div(total)
                .unwrap_or(0);
            cells.clamp(0, width.into()) as u16
        };
        let mut spans = Vec::new();
        while at < end {
            let stack = &self.stacks[at];
            let (from, to) = (
                cell(self.starts[at] - left),
                cell(self.starts[at] - left + stack.total),
            );
            if to <= from {
                // The descendants are not wider.
                at = self.ends[at];
                continue;
            }
            let row = self.depth(root, at);
            if rows.contains(&row) {
                spans.push(Span {
                    frame: at,
                    from,
                    to,
                    depth: row,
                });
            }
            at += 1;
        }
        let row = self.depth(root, cursor);
        if cursor < end && rows.contains(&row) && spans.iter().all(|span| span.frame != cursor) {
            let from = cell(self.starts[cursor] - left).min(width.saturating_sub(1));
            spans.push(Span {
                frame: cursor,
                from,
                to: from + 1,
                depth: row,
            });
        }
        spans
    }

    /// The frame at a column `x` of `width` and a row.
    pub(super) fn at(
        &self,
        root: Option<usize>,
        cursor: usize,
        (x, width): (u16, u16),
        row: usize,
    ) -> Option<usize> {
        let spans = self.spans(root, cursor, width, row..row + 1);
        // The frame of the cursor covers others and is the last.
        let found = spans.iter().rfind(|span| (span.from..span.to).contains(&x));
        found.map(|span| span.frame)
    }

    /// The row of a frame. Below a root, callers are upside down.
    pub(super) fn depth(&self, root: Option<usize>, frame: usize) -> usize {
        let row = |at: usize| self.rows.get(at).copied().unwrap_or(0);
        row(frame).abs_diff(root.map_or(0, row))
    }

    /// The parent of a frame, its most expensive child, or its sibling to the left or right. The
    /// callers of a function are next to its callees.
    pub(super) fn neighbour(
        &self,
        root: Option<usize>,
        frame: usize,
        way: Towards,
    ) -> Option<usize> {
        let (first, end, ..) = self.inside(root);
        let (parent, row) = (*self.parents.get(frame)?, self.depth(root, frame));
        let is_there = |&to: &usize| {
            let (parent_of, row_of) = (self.parents[to], self.depth(root, to));
            let is_row = match way {
                Towards::Outside => row_of + 1 == row,
                Towards::Inside => row_of == row + 1,
                Towards::Left | Towards::Right => row_of == row,
            };
            is_row && (parent_of == parent || parent_of == Some(frame) || parent == Some(to))
        };
        match way {
            Towards::Left => (first..frame).rev().find(is_there),
            Towards::Right => (frame + 1..end).find(is_there),
            Towards::Outside | Towards::Inside => (first..end).find(is_there),
        }
    }

    pub(super) fn function(&self, frame: usize) -> Option<FunctionId> {
        match self.stacks.get(frame)?.frame {
            Frame::Function(id) => Some(id),
            Frame::Cycle(_) | Frame::Small | Frame::Inlined(_) => None,
        }
    }

    pub(super) fn name(&self, profile: &Profile, frame: usize) -> String {
        match self.stacks.get(frame).map(|stack| stack.frame) {
            Some(Frame::Function(id)) => shown(profile.name_of(id)),
            Some(Frame::Cycle(at)) => format!("(cycle {})", at + 1),
            Some(Frame::Small | Frame::Inlined(_)) | None => "(small stacks)".into(),
        }
    }

    /// The total cost of a frame, its least and greatest value, and the self cost.
    pub(super) fn numbers(&self, frame: usize) -> Vec<i128> {
        let Some(stack) = self.stacks.get(frame) else {
            return Vec::new();
        };
        let (total, known) = (stack.total, stack.total_known);
        vec![total, known.least, known.most, stack.own]
    }

    /// The cost of a frame and the count that is 100 %.
    pub(super) fn share(&self, frame: usize) -> (i128, i128) {
        (
            self.stacks.get(frame).map_or(0, |stack| stack.total),
            self.whole,
        )
    }

    /// Describes a frame: its cost and how certain that is.
    pub(super) fn said(&self, frame: usize) -> String {
        let Some(stack) = self.stacks.get(frame) else {
            return String::new();
        };
        let known = stack.total_known;
        let said = |count: i128| amount(count, self.tick);
        let bounds = match known.is_exact() {
            // The bounds cover how costs are split among stacks, but not errors of estimated costs.
            _ if self.estimates > 0 => "about".to_owned(),
            true => "exactly".to_owned(),
            false => format!("between {} and {}", said(known.least), said(known.most)),
        };
        format!(
            "{} here ({bounds}), {} {}",
            said(stack.total),
            said(stack.own),
            if frame < self.turned {
                "begins here"
            } else {
                "itself"
            }
        )
    }
}

/// Describes how all stacks were computed.
fn basis(stacks: &Stacks, estimates: usize) -> String {
    match stacks.basis {
        Basis::Recorded => "stacks as recorded".into(),
        Basis::Flat => "no calls were recorded: every function is a separate stack".into(),
        Basis::Estimated if estimates > 0 => {
            let of = plural(
                estimates,
                "function",
                "have an own cost that is an estimate itself",
                "has an own cost that is an estimate itself",
            );
            format!("stacks estimated from calls and own costs; {of}")
        }
        Basis::Estimated => {
            let more = match stacks.certain.share() < 0.5 {
                true => "; try record --stacks",
                false => "",
            };
            let certain = stacks.certain.percent();
            format!("stacks estimated from calls; {certain} of the cost is certain{more}")
        }
    }
}

/// A direction among frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Towards {
    /// To the parent.
    Outside,
    /// To the most expensive child.
    Inside,
    /// To the left sibling.
    Left,
    /// To the right sibling.
    Right,
}
