//! The changes in the stacks: the stacks of both runs as one tree.
//!
//! The size of a frame is the sum of all increases and decreases below it. A change in one place
//! does not cancel out one in another. The frame also has its net change. Stacks are estimated from
//! the calls of each run, so the tree is an estimate. This is true even for Xdebug's profiles,
//! because matching the names does not keep their call trees.

use super::Least;
use crate::analysis::difference::Matching;
use crate::analysis::{Frame, Stacks};
use crate::profile::{Event, Order, SortKey};
use std::collections::HashMap;

/// Once the events have this many frames together, no further event gets any.
pub(super) const MOST_FRAMES: usize = 5000;

/// A frame. The frames around it are the last ones before it of each smaller depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delta {
    /// What the frame is.
    pub frame: DeltaFrame,
    /// The number of frames around it.
    pub depth: u32,
    /// Its cost in the old run.
    pub old: i128,
    /// Its cost in the new run.
    pub new: i128,
    /// The sum of all increases and decreases in it.
    pub size: i128,
}

/// What a frame is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
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
    frame: DeltaFrame,
    parent: Option<usize>,
    total: [i128; 2],
    own: [i128; 2],
    size: i128,
}

/// The tree of an event, the largest changes first. Changes below `least` of everything become one
/// frame in their place. Returns `None` if there are negative costs.
pub(super) fn deltas(matching: &Matching<'_>, event: Event, least: Least) -> Option<Vec<Delta>> {
    let mut nodes: Vec<DeltaNode> = Vec::new();
    let mut index: HashMap<(Option<usize>, DeltaFrame), usize> = HashMap::new();
    for (run, side) in [&matching.old, &matching.new].into_iter().enumerate() {
        let stacks = Stacks::new(&side.profile, &side.inclusive, event, least.share())?;
        let mut path: Vec<usize> = Vec::new();
        for stack in &stacks.stacks {
            path.truncate(stack.depth as usize);
            let parent = path.last().copied();
            let frame = match stack.frame {
                Frame::Function(id) => DeltaFrame::Pair(side.pair(id)),
                Frame::Cycle(at) => {
                    let members = side
                        .inclusive
                        .cycles
                        .get(at)
                        .map_or(&[][..], |cycle| &cycle.members);
                    members
                        .iter()
                        .map(|&id| side.pair(id))
                        .min()
                        .map_or(DeltaFrame::Rest, DeltaFrame::Cycle)
                }
                Frame::Small | Frame::Inlined(_) => DeltaFrame::Rest,
            };
            let node = *index.entry((parent, frame)).or_insert_with(|| {
                nodes.push(DeltaNode {
                    frame,
                    parent,
                    total: [0; 2],
                    own: [0; 2],
                    size: 0,
                });
                nodes.len() - 1
            });
            nodes[node].total[run] += stack.total;
            nodes[node].own[run] += stack.own;
            path.push(node);
        }
    }
    let whole = |run: usize| {
        nodes
            .iter()
            .filter(|node| node.parent.is_none())
            .map(|node| node.total[run])
            .sum::<i128>()
    };
    let limit = (whole(0).max(whole(1)) as f64 * least.share()) as i128;
    let mut below: Vec<Vec<usize>> = nodes.iter().map(|_| Vec::new()).collect();
    let mut outermost = Vec::new();
    for at in (0..nodes.len()).rev() {
        let own = nodes[at].own;
        nodes[at].size += (own[1] - own[0]).abs();
        match nodes[at].parent {
            Some(parent) => {
                nodes[parent].size += nodes[at].size;
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
        let is_small = |&at: &usize| nodes[at].frame == DeltaFrame::Rest || nodes[at].size <= limit;
        let (small, mut large): (Vec<usize>, Vec<usize>) = siblings.into_iter().partition(is_small);
        let rest = small.iter().fold(
            Delta {
                frame: DeltaFrame::Rest,
                depth,
                old: 0,
                new: 0,
                size: 0,
            },
            |rest, &at| Delta {
                old: rest.old + nodes[at].total[0],
                new: rest.new + nodes[at].total[1],
                size: rest.size + nodes[at].size,
                ..rest
            },
        );
        if rest.size > 0 {
            open.push((rest, None));
        }
        // The last element is popped first.
        large.order_by(|&a, &b| {
            let name = |at: usize| match nodes[at].frame {
                DeltaFrame::Pair(pair) | DeltaFrame::Cycle(pair) => matching.sort_key(pair),
                DeltaFrame::Rest => SortKey::default(),
            };
            let ties = || {
                name(b)
                    .cmp(&name(a))
                    .then_with(|| nodes[b].frame.cmp(&nodes[a].frame))
            };
            nodes[a].size.cmp(&nodes[b].size).then_with(ties)
        });
        for at in large {
            let DeltaNode {
                frame, total, size, ..
            } = nodes[at];
            open.push((
                Delta {
                    frame,
                    depth,
                    old: total[0],
                    new: total[1],
                    size,
                },
                Some(at),
            ));
        }
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
