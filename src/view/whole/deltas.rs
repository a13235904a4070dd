//! The changes in the stacks: the stacks of both runs as one tree.
//!
//! The size of a frame is the sum of all increases and decreases below it. A change in one place
//! does not cancel out one in another. The frame also has its net change. Stacks are estimated from
//! the calls of each run, so the tree is an estimate. This is true even for Xdebug's profiles,
//! because matching the names does not keep their call trees.

use super::Least;
use crate::{
    analysis::{Frame, Stacks, difference::Matching},
    profile::{Event, Order, SortKey},
};
use std::{cmp::Reverse, collections::HashMap};

/// Once the events have this many frames together, no further event gets any.
pub(super) const MOST_FRAMES: usize = 5000;

/// A frame. The frames around it are the last ones before it of each smaller depth.
#[derive(Clone, Copy)]
pub struct Delta {
    /// What the frame is.
    pub frame: DeltaFrame,
    /// The number of frames around it.
    pub depth: u32,
    /// Its cost in the old run and in the new one.
    pub costs: [i128; 2],
    /// The sum of all increases and decreases in it.
    pub size: i128,
}

impl Delta {
    fn new(frame: DeltaFrame, depth: u32) -> Delta {
        Delta {
            frame,
            depth,
            costs: [0; 2],
            size: 0,
        }
    }
}

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeltaFrame {
    /// A function, by its index in [`Matching::pairs`].
    Pair(usize),
    /// A cycle, by the smallest index of its members there.
    Cycle(usize),
    /// The frames that are omitted here.
    Rest,
}

/// A frame of the tree under construction. Its parent has a smaller index.
struct DeltaNode {
    delta: Delta,
    parent: Option<usize>,
    own: [i128; 2],
    is_exact: bool,
}

/// The stacks of both runs as one tree. Its first nodes are the stacks of the new run. Returns
/// `None` if there are negative costs.
fn joined(matching: &Matching<'_>, event: Event, least: Least) -> Option<(Vec<DeltaNode>, Stacks)> {
    let mut nodes: Vec<DeltaNode> = Vec::new();
    let mut index: HashMap<(Option<usize>, DeltaFrame), usize> = HashMap::new();
    let [new, old] = [&matching.new, &matching.old]
        .map(|side| Stacks::new(&side.profile, &side.inclusive, event, least.share()));
    let (new, old) = (new?, old?);
    for (run, side, stacks) in [(1, &matching.new, &new), (0, &matching.old, &old)] {
        let mut path: Vec<usize> = Vec::new();
        for stack in &stacks.stacks {
            path.truncate(stack.depth as usize);
            let parent = path.last().copied();
            let frame = match stack.frame {
                Frame::Function(id) => DeltaFrame::Pair(side.pair(id)),
                Frame::Cycle(at) => {
                    let members = &side.inclusive.cycles[at].members;
                    let first = members.iter().map(|&id| side.pair(id)).min();
                    first.map_or(DeltaFrame::Rest, DeltaFrame::Cycle)
                }
                Frame::Small | Frame::Inlined(_) => DeltaFrame::Rest,
            };
            let node = *index.entry((parent, frame)).or_insert_with(|| {
                let depth = stack.depth;
                nodes.push(DeltaNode {
                    delta: Delta::new(frame, depth),
                    parent,
                    own: [0; 2],
                    is_exact: true,
                });
                nodes.len() - 1
            });
            nodes[node].delta.costs[run] += stack.total;
            nodes[node].own[run] += stack.own;
            nodes[node].is_exact &= stack.total_known.is_exact();
            path.push(node);
        }
    }
    Some((nodes, new))
}

/// For each stack its cost in the old run and whether that and the new one are exact; and the cost
/// of the old run's stacks that are gone.
pub type StacksBefore = (Vec<(i128, bool)>, i128);

/// The stacks of the new run; `None` if there are negative costs.
pub fn stacks_since(matching: &Matching<'_>, event: Event) -> Option<(Stacks, StacksBefore)> {
    let (nodes, stacks) = joined(matching, event, Least::USUAL)?;
    let (new, gone) = nodes.split_at(stacks.stacks.len());
    let is_there = |node: &&DeltaNode| node.parent.is_none_or(|parent| parent < new.len());
    let gone = gone.iter().filter(is_there).map(|node| node.delta.costs[0]);
    let before = new.iter().map(|node| (node.delta.costs[0], node.is_exact));
    Some((stacks, (before.collect(), gone.sum())))
}

/// The tree of an event, the largest changes first. Changes below `least` of everything become one
/// frame in their place. Returns `None` if there are negative costs.
pub(super) fn deltas(matching: &Matching<'_>, event: Event, least: Least) -> Option<Vec<Delta>> {
    let (mut nodes, _) = joined(matching, event, least)?;
    let whole = |run: usize| {
        nodes
            .iter()
            .filter(|node| node.parent.is_none())
            .map(|node| node.delta.costs[run])
            .sum::<i128>()
    };
    let limit = (whole(0).max(whole(1)) as f64 * least.share()) as i128;
    let mut below: Vec<Vec<usize>> = nodes.iter().map(|_| Vec::new()).collect();
    let mut outermost = Vec::new();
    for at in (0..nodes.len()).rev() {
        let own = nodes[at].own;
        nodes[at].delta.size += (own[1] - own[0]).abs();
        match nodes[at].parent {
            Some(parent) => {
                nodes[parent].delta.size += nodes[at].delta.size;
                below[parent].push(at);
            }
            None => outermost.push(at),
        }
    }
    Some(in_order(&nodes, &mut below, outermost, limit, matching))
}

/// Orders the tree from the outside in, siblings by size and name. Siblings that are too small
/// become one frame.
fn in_order(
    nodes: &[DeltaNode],
    below: &mut [Vec<usize>],
    outermost: Vec<usize>,
    limit: i128,
    matching: &Matching<'_>,
) -> Vec<Delta> {
    let mut deltas = Vec::new();
    // The frames to visit, each with its node unless it stands for omitted frames.
    let mut open: Vec<(Delta, Option<usize>)> = Vec::new();
    let level = |siblings: Vec<usize>, depth: u32, open: &mut Vec<(Delta, Option<usize>)>| {
        let delta = |at: usize| &nodes[at].delta;
        let is_small = |&at: &usize| delta(at).frame == DeltaFrame::Rest || delta(at).size <= limit;
        let (small, mut large): (Vec<usize>, Vec<usize>) = siblings.into_iter().partition(is_small);
        let mut rest = Delta::new(DeltaFrame::Rest, depth);
        for at in small {
            rest.costs = [0, 1].map(|run| rest.costs[run] + delta(at).costs[run]);
            rest.size += delta(at).size;
        }
        if rest.size > 0 {
            open.push((rest, None));
        }
        // The last element is popped first.
        large.order_by_key(|&at| {
            let Delta { frame, size, .. } = *delta(at);
            let name = match frame {
                DeltaFrame::Pair(pair) | DeltaFrame::Cycle(pair) => matching.sort_key(pair),
                DeltaFrame::Rest => SortKey::default(),
            };
            (size, Reverse((name, frame)))
        });
        open.extend(large.into_iter().map(|at| (*delta(at), Some(at))));
    };
    level(outermost, 0, &mut open);
    while let Some((delta, node)) = open.pop() {
        deltas.push(delta);
        if let Some(at) = node {
            level(std::mem::take(&mut below[at]), delta.depth + 1, &mut open);
        }
    }
    deltas
}
