//! Stacks as a tree: collected with callers before callees, joined, and brought in order.

use super::Estimate;
use crate::profile::{FunctionId, Grouped, Order, Profile};
use foldhash::fast::RandomState;
use std::{cmp::Reverse, collections::HashMap};

/// A frame of a stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Frame {
    /// A function.
    Function(FunctionId),
    /// A function that is inlined into the frame around it, as an index in
    /// [`Inlined::functions`](crate::profile::inlined::Inlined::functions). Only
    /// [`Stacks::with_inlined`](super::Stacks::with_inlined) adds such frames.
    Inlined(u32),
    /// A cycle of functions, as an index in [`Inclusive::cycles`](super::Inclusive::cycles).
    Cycle(usize),
    /// Functions whose stacks are too small to show.
    Small,
}

/// A stack: its innermost frame, and the frames before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stack {
    /// The innermost frame.
    pub frame: Frame,
    /// The number of frames around it.
    pub depth: u32,
    /// The self cost of that frame, divided so that all stacks add up.
    pub own: i128,
    /// `own` and the cost of the stacks that continue from here.
    pub total: i128,
    /// The bounds of `own`. Its value is not adjusted to other stacks, so it can differ by a few
    /// units.
    pub own_known: Estimate,
    /// The bounds of `total`, likewise.
    pub total_known: Estimate,
}

/// Collects stacks, callers before callees.
#[derive(Default)]
pub(super) struct StackTree {
    pub nodes: Vec<StackNode>,
}

pub(super) struct StackNode {
    pub parent: Option<u32>,
    pub frame: Frame,
    pub depth: u32,
    pub own: i128,
    pub total: i128,
    /// The bounds of `own` and `total`, if they are not exact.
    pub known: Option<[Estimate; 2]>,
}

impl StackTree {
    pub(super) fn add(&mut self, parent: Option<u32>, frame: Frame, own: i128) -> u32 {
        let depth = parent.map_or(0, |p| self.nodes[p as usize].depth + 1);
        self.nodes.push(StackNode {
            parent,
            frame,
            depth,
            own,
            total: 0,
            known: None,
        });
        (self.nodes.len() - 1) as u32
    }

    /// The same stacks with the frames that `frame` returns. Equal stacks become one, and a function
    /// that calls itself is one frame.
    pub(super) fn joined(self, frame: impl Fn(Frame) -> Frame) -> StackTree {
        let mut tree = StackTree::default();
        let mut index: HashMap<(Option<u32>, Frame), u32, RandomState> = HashMap::default();
        let mut places: Vec<u32> = Vec::with_capacity(self.nodes.len());
        let mut contexts: Vec<u32> = Vec::new();
        for node in self.nodes {
            let parent = node.parent.map(|parent| places[parent as usize]);
            let frame = frame(node.frame);
            let is_inside = parent.filter(|&parent| tree.nodes[parent as usize].frame == frame);
            let place = is_inside.unwrap_or_else(|| {
                *index
                    .entry((parent, frame))
                    .or_insert_with(|| tree.add(parent, frame, 0))
            });
            let joined = &mut tree.nodes[place as usize];
            joined.own += node.own;
            let [own, total] = node.known.unwrap_or_default();
            let known = joined.known.get_or_insert_default();
            known[0] = known[0].plus(own);
            if is_inside.is_none() {
                known[1] = known[1].plus(total);
            }
            places.push(place);
            contexts.resize(tree.nodes.len(), 0);
            contexts[place as usize] += 1;
        }
        // What is small next to a frame can be of its contexts, if several contexts are around both.
        let mut slack: Vec<i128> = Vec::new();
        for at in 0..tree.nodes.len() {
            let StackNode { parent, frame, .. } = tree.nodes[at];
            let small = index
                .get(&(parent, Frame::Small))
                .filter(|_| parent.is_none_or(|parent| contexts[parent as usize] > 1))
                .and_then(|&small| tree.nodes[small as usize].known);
            let around = parent.map_or(0, |parent| slack[parent as usize]);
            slack.push(around + small.map_or(0, |[_, small]| small.most));
            let known = tree.nodes[at].known.iter_mut().flatten();
            for known in known.filter(|_| frame != Frame::Small) {
                *known = Estimate::new(known.value, known.least, known.most + slack[at]);
            }
        }
        tree
    }

    pub(super) fn add_up(&mut self) {
        for at in (0..self.nodes.len()).rev() {
            let node = &mut self.nodes[at];
            node.total += node.own;
            let (parent, total) = (node.parent, node.total);
            if let Some(parent) = parent {
                self.nodes[parent as usize].total += total;
            }
        }
    }

    /// The stacks in depth-first order, most expensive first, ties by name, without stacks that
    /// cost nothing.
    pub(super) fn in_order(mut self, profile: &Profile) -> Vec<Stack> {
        self.add_up();
        let nodes = &self.nodes;
        let there = (0u32..).zip(nodes).filter(|(_, node)| node.total != 0);
        let mut open: Vec<u32> = there
            .clone()
            .filter(|(_, node)| node.parent.is_none())
            .map(|(at, _)| at)
            .collect();
        let inner = there.filter_map(|(at, node)| Some((node.parent? as usize, at)));
        let mut inner = Grouped::new(nodes.len(), inner);
        // The last entry is taken first.
        let key = |&at: &u32| {
            let StackNode { total, frame, .. } = nodes[at as usize];
            let name = match frame {
                Frame::Function(id) => Ok(profile.sort_key(id)),
                other => Err(other),
            };
            (total, Reverse(name))
        };
        open.order_by_key(key);
        let mut stacks = Vec::with_capacity(nodes.len());
        while let Some(at) = open.pop() {
            let StackNode {
                frame,
                depth,
                own,
                total,
                known,
                ..
            } = nodes[at as usize];
            let [own_known, total_known] = known.unwrap_or([own, total].map(Estimate::exact));
            stacks.push(Stack {
                frame,
                depth,
                own,
                total,
                own_known,
                total_known,
            });
            let inner = inner.group_mut(at as usize);
            inner.order_by_key(key);
            open.extend_from_slice(inner);
        }
        stacks
    }
}
