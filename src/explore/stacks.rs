//! Stacks as an icicle graph: one row per depth, each frame as wide as its cost, its callees below
//! it. The frames and their bounds are those of `convert --to=folded` and of HTML pages.

use crate::analysis::bounds::Certain;
use crate::analysis::{Basis, Folds, Frame, Session, Stack, Stacks};
use crate::profile::{Event, FunctionId, Profile};
use crate::text::number::plural;
use crate::text::{duration, grouped_signed, shown};

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
    total: i128,
    /// The count that is 100 %; 0 if the event has no percentages.
    whole: i128,
    /// Nanoseconds per count, if the event is shown as a time.
    tick: Option<u64>,
    basis: Basis,
    certain: Certain,
    /// How many functions have an estimated self cost.
    estimates: usize,
}

/// The columns of a frame: from `from` up to, not including, `to`.
pub(super) struct Span {
    pub(super) frame: usize,
    pub(super) from: u16,
    pub(super) to: u16,
    pub(super) depth: usize,
}

impl Icicle {
    /// The stacks of an event; `None` if it has negative costs.
    pub(super) fn new(session: &Session, event: Event) -> Option<Icicle> {
        let Stacks {
            stacks,
            basis,
            certain,
            ..
        } = Stacks::new(session.profile(), session.inclusive(), event, LEAST)?;
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
            parents[at] = open.last().map(|&(around, _)| around);
            let next = open.last_mut().map_or(&mut total, |(_, next)| next);
            starts[at] = *next;
            *next += stack.total;
            open.push((at, starts[at]));
        }
        let estimates = session.folds().map_or(0, Folds::estimates);
        let Profile { events, totals, .. } = session.profile();
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
            total,
            whole,
            tick,
            basis,
            certain,
            estimates,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.stacks.len()
    }

    /// The index range of a root's frames, its depth, the cost to its left, and its cost.
    fn inside(&self, root: Option<usize>) -> (usize, usize, usize, i128, i128) {
        match root.and_then(|root| Some((root, self.stacks.get(root)?))) {
            Some((root, stack)) => (
                root,
                self.ends[root],
                stack.depth as usize,
                self.starts[root],
                stack.total,
            ),
            None => (0, self.stacks.len(), 0, 0, self.total),
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
        let (mut at, end, depth, left, total) = self.inside(root);
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
            let row = stack.depth as usize - depth;
            if to <= from || row >= rows.end {
                // The descendants are not wider, or they are below the screen.
                at = self.ends[at];
                continue;
            }
            if row >= rows.start {
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

    /// The row of a frame below a root.
    pub(super) fn depth(&self, root: Option<usize>, frame: usize) -> usize {
        let (_, _, depth, ..) = self.inside(root);
        self.stacks
            .get(frame)
            .map_or(0, |stack| (stack.depth as usize).saturating_sub(depth))
    }

    /// The parent of a frame, its most expensive child, or its sibling to the left or right.
    pub(super) fn neighbour(
        &self,
        root: Option<usize>,
        frame: usize,
        way: Towards,
    ) -> Option<usize> {
        let around = *self.parents.get(frame)?;
        match way {
            Towards::Outside => around.filter(|_| root != Some(frame)),
            Towards::Inside => Some(frame + 1).filter(|&inner| inner < self.ends[frame]),
            Towards::Right if root == Some(frame) => None,
            Towards::Right => {
                let end = around.map_or(self.stacks.len(), |around| self.ends[around]);
                Some(self.ends[frame]).filter(|&next| next < end)
            }
            Towards::Left if root == Some(frame) => None,
            Towards::Left => {
                let mut at = around.map_or(0, |around| around + 1);
                while at < frame && self.ends[at] < frame {
                    at = self.ends[at];
                }
                Some(at).filter(|&at| at < frame)
            }
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
        let numbers = |stack: &Stack| {
            vec![
                stack.total,
                stack.total_known.least,
                stack.total_known.most,
                stack.own,
            ]
        };
        self.stacks.get(frame).map(numbers).unwrap_or_default()
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
        let said = |count: i128| {
            self.tick
                .map_or_else(|| grouped_signed(count), |tick| duration(count, tick))
        };
        let bounds = match known.is_exact() {
            // The bounds cover how costs are split among stacks, but not errors of estimated costs.
            _ if self.estimates > 0 => "about".to_owned(),
            true => "exactly".to_owned(),
            false => format!("between {} and {}", said(known.least), said(known.most)),
        };
        format!(
            "{} here ({bounds}), {} itself",
            said(stack.total),
            said(stack.own)
        )
    }

    /// Describes how the stacks were computed.
    pub(super) fn basis(&self) -> String {
        match self.basis {
            Basis::Recorded => "stacks as recorded".into(),
            Basis::Flat => "no calls were recorded: every function is a separate stack".into(),
            Basis::Estimated if self.estimates > 0 => {
                let of = plural(
                    self.estimates,
                    "function",
                    "have an own cost that is an estimate itself",
                    "has an own cost that is an estimate itself",
                );
                format!("stacks estimated from calls and own costs; {of}")
            }
            Basis::Estimated => {
                let more = match self.certain.share() < 0.5 {
                    true => "; try record --stacks",
                    false => "",
                };
                let certain = self.certain.percent();
                format!("stacks estimated from calls; {certain} of the cost is certain{more}")
            }
        }
    }
}

/// A direction among frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Towards {
    /// To the parent.
    Outside,
    /// To the most expensive child.
    Inside,
    /// To the left sibling.
    Left,
    /// To the right sibling.
    Right,
}
