//! Stacks: the self cost of the last function of every chain of callers.
//!
//! If the input has the tree of calls, stacks are read from it. Otherwise they are an *estimate*:
//! Callgrind records arcs, which do not say what a function costs under the callers of its callers.
//! So a function's cost is divided among its callers in proportion to the cost of their arcs to it,
//! and so on upwards.
//!
//! A cycle of functions is entered once. Its members are next to each other below it, each with its
//! whole cost. Calls among them are ignored, and so are calls of a function to itself. Cost of a
//! function beyond the calls to it begins a stack.
//!
//! The division loses nothing: the costs of all stacks that end in a function add up exactly to its
//! self cost (by largest remainders). Stacks that are too small to show are added up below their
//! callers, in [`Frame::Small`]. So the sum of all stacks is always the sum of all self costs.
//!
//! If contexts were recorded, stacks are estimated from the calls among them, so that far more is
//! certain. Their frames are functions.
//!
//! Each estimate has proven bounds ([`Estimate`], [`super::bounds`]). If they are equal, the cost
//! is exact.

use super::bounds::{Certain, Collapsed, CostBounds};
use super::{Estimate, Inclusive};
use crate::profile::{CallTree, Event, FunctionId, Grouped, Order, Profile};
use foldhash::fast::RandomState;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

/// The largest number of estimated stacks; the rest counts as small. Recorded stacks are at most as
/// many as the contexts of the input.
const MAX_STACKS: usize = 100_000;

/// Smaller fractions are rounding errors.
const NOISE: f64 = 1e-9;

/// Which stacks are shown separately. The rest counts as small.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StackLimits {
    /// The minimum fraction of the whole cost, from 0 to 1.
    pub least: f64,
    /// The maximum number of frames.
    pub depth: u32,
}

impl From<f64> for StackLimits {
    /// A minimum fraction, with no limit of depth.
    fn from(least: f64) -> StackLimits {
        StackLimits {
            least,
            depth: u32::MAX,
        }
    }
}

/// A frame of a stack.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Frame {
    /// A function.
    Function(FunctionId),
    /// A function that is inlined into the frame around it, as an index in
    /// [`Inlined::functions`](crate::profile::inlined::Inlined::functions). Only
    /// [`Stacks::with_inlined`] adds such frames.
    Inlined(u32),
    /// A cycle of functions, as an index in [`Inclusive::cycles`].
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

/// The origin of the stacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// The input records them.
    Recorded,
    /// They are estimated from arcs.
    Estimated,
    /// There are no arcs, so every function is a stack.
    Flat,
}

/// The event has negative costs, which stacks cannot show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NegativeCosts;

/// All stacks of a profile.
pub struct Stacks {
    /// The stacks in depth-first order, most expensive first. The frames around a stack are the
    /// last ones before it of each smaller depth.
    pub stacks: Vec<Stack>,
    /// Their origin.
    pub basis: Basis,
    /// How much of the self cost certainly belongs to these stacks.
    pub certain: Certain,
    /// Whether some stacks count as small because they are too deep, and because there are too
    /// many.
    pub limited: [bool; 2],
}

impl Stacks {
    /// Finds the stacks of one event.
    ///
    /// # Errors
    /// Fails if there are negative costs.
    pub fn new(
        profile: &Profile,
        inclusive: &Inclusive,
        event: Event,
        limits: impl Into<StackLimits>,
    ) -> Result<Stacks, NegativeCosts> {
        let StackLimits { least, depth } = limits.into();
        let recorded_contexts = profile.contexts.as_deref();
        let contexts_inclusive =
            recorded_contexts.map(|contexts| Inclusive::new(&contexts.profile));
        let (graph, graph_inclusive) = match (recorded_contexts, &contexts_inclusive) {
            (Some(contexts), Some(inclusive)) => (&contexts.profile, inclusive),
            _ => (profile, inclusive),
        };
        let own = |id| cost(profile, graph.self_cost(id), event);
        let mut everything = 0i128;
        for id in graph.function_ids() {
            everything += i128::from(at_least_zero(own(id))?);
        }
        for arc in &graph.arcs {
            at_least_zero(cost(profile, graph.arc_cost(arc), event))?;
        }
        let least = everything as f64 * least;
        match &profile.tree {
            Some(tree) => recorded(profile, tree, event, least, depth),
            None => {
                let mut growing = Growing::new(
                    graph,
                    graph_inclusive,
                    |row| cost(profile, row, event),
                    least,
                    depth,
                );
                growing.grow();
                let (certain, limited) = (growing.graph.certain(|_| true), growing.limited);
                let mut tree = growing.into_tree();
                if let Some(contexts) = recorded_contexts {
                    tree = tree.joined(|frame| match frame {
                        Frame::Function(context) => {
                            Frame::Function(contexts.functions[context.index()])
                        }
                        Frame::Cycle(at) => {
                            let context = graph_inclusive.cycles[at].members[0];
                            let function = contexts.functions[context.index()];
                            inclusive
                                .cycle_of(function)
                                .map_or(Frame::Function(function), Frame::Cycle)
                        }
                        other => other,
                    });
                }
                let basis = if profile.arcs.is_empty() {
                    Basis::Flat
                } else {
                    Basis::Estimated
                };
                Ok(Stacks {
                    stacks: tree.in_order(profile),
                    basis,
                    certain,
                    limited,
                })
            }
        }
    }
}

fn cost(profile: &Profile, row: &[i64], event: Event) -> i64 {
    profile.events.counted(row, event)
}

fn at_least_zero(cost: i64) -> Result<i64, NegativeCosts> {
    if cost < 0 {
        Err(NegativeCosts)
    } else {
        Ok(cost)
    }
}

/// The stacks of a tree of calls.
fn recorded(
    profile: &Profile,
    calls: &CallTree,
    event: Event,
    least: f64,
    most_depth: u32,
) -> Result<Stacks, NegativeCosts> {
    let mut tree = StackTree::default();
    let mut chain: Vec<u32> = Vec::new();
    for context in &calls.contexts {
        chain.truncate(context.depth as usize);
        let own = at_least_zero(cost(profile, calls.self_cost(context), event))?;
        let node = tree.add(
            chain.last().copied(),
            Frame::Function(context.function),
            own.into(),
        );
        chain.push(node);
    }
    tree.add_up();
    // A stack that is too small or too deep goes to one frame below its parent. The tree is in
    // depth-first order.
    let mut kept = StackTree::default();
    let mut place: Vec<u32> = Vec::new();
    let mut small: Vec<Option<u32>> = Vec::new();
    let mut too_deep = false;
    for node in &tree.nodes {
        let parent = node.parent.map(|p| place[p as usize]);
        let inside_small = parent.is_some_and(|p| kept.nodes[p as usize].frame == Frame::Small);
        let depth = parent.map_or(0, |p| kept.nodes[p as usize].depth + 1);
        let is_large = node.total as f64 >= least && node.total > 0;
        let fits = is_large && depth < most_depth;
        too_deep |= is_large && !fits && !inside_small;
        let at = match parent {
            Some(parent) if inside_small => parent,
            _ if fits => kept.add(parent, node.frame, 0),
            _ => {
                let slot = parent.map_or(0, |p| p as usize + 1);
                small.resize(small.len().max(slot + 1), None);
                *small[slot].get_or_insert_with(|| kept.add(parent, Frame::Small, 0))
            }
        };
        kept.nodes[at as usize].own += node.own;
        place.push(at);
    }
    let certain = Certain::all(tree.nodes.iter().map(|node| node.own).sum());
    Ok(Stacks {
        stacks: kept.in_order(profile),
        basis: Basis::Recorded,
        certain,
        limited: [too_deep, false],
    })
}

/// Collects stacks, callers before callees.
#[derive(Default)]
struct StackTree {
    nodes: Vec<StackNode>,
}

struct StackNode {
    parent: Option<u32>,
    frame: Frame,
    depth: u32,
    own: i128,
    total: i128,
    /// The bounds of `own` and `total`, if they are not exact.
    known: Option<[Estimate; 2]>,
}

impl StackTree {
    fn add(&mut self, parent: Option<u32>, frame: Frame, own: i128) -> u32 {
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
    fn joined(self, frame: impl Fn(Frame) -> Frame) -> StackTree {
        let mut tree = StackTree::default();
        let mut index: HashMap<(Option<u32>, Frame), u32, RandomState> = HashMap::default();
        let mut places: Vec<u32> = Vec::with_capacity(self.nodes.len());
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
            joined.known = match (joined.known, node.known) {
                (Some([own, total]), Some([more, _])) if is_inside.is_some() => {
                    Some([own.plus(more), total])
                }
                (Some(a), Some(b)) => Some([0, 1].map(|at| a[at].plus(b[at]))),
                (a, b) => a.or(b),
            };
            places.push(place);
        }
        // Small stacks that no function calls can be contexts of one that is shown.
        let small = index.get(&(None, Frame::Small));
        let small = small.and_then(|&at| tree.nodes[at as usize].known);
        for node in tree.nodes.iter_mut().filter(|node| node.parent.is_none()) {
            if let (Some(known), Some([_, small])) = (&mut node.known, small)
                && node.frame != Frame::Small
            {
                *known = known.map(|known| {
                    Estimate::new(known.value(), known.least(), known.most() + small.most())
                });
            }
        }
        tree
    }

    fn add_up(&mut self) {
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
    fn in_order(mut self, profile: &Profile) -> Vec<Stack> {
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
        let order = |&a: &u32, &b: &u32| {
            let (a, b) = (&nodes[a as usize], &nodes[b as usize]);
            a.total
                .cmp(&b.total)
                .then_with(|| compare(profile, b.frame, a.frame))
        };
        open.order_by(order);
        let mut stacks = Vec::with_capacity(nodes.len());
        while let Some(at) = open.pop() {
            let node = &nodes[at as usize];
            let StackNode {
                frame,
                depth,
                own,
                total,
                ..
            } = *node;
            let [own_known, total_known] = node.known.unwrap_or([own, total].map(Estimate::exact));
            stacks.push(Stack {
                frame,
                depth,
                own,
                total,
                own_known,
                total_known,
            });
            let inner = inner.group_mut(at as usize);
            inner.order_by(order);
            open.extend_from_slice(inner);
        }
        stacks
    }
}

/// The order of frames with equal cost.
fn compare(profile: &Profile, a: Frame, b: Frame) -> Ordering {
    match (a, b) {
        (Frame::Function(a), Frame::Function(b)) => profile.sort_key(a).cmp(&profile.sort_key(b)),
        _ => a.cmp(&b),
    }
}

/// Computes the estimate from arcs.
struct Growing<'a> {
    profile: &'a Profile,
    least: f64,
    depth: u32,
    limited: [bool; 2],
    graph: Collapsed,
    tree: StackTree,
    /// For every stack, the node of its last frame in the graph.
    ends: Vec<StackEnd>,
    /// The small stacks without a parent.
    small: Small,
    /// The stacks that may continue, by the bits of their cost. The bits of numbers that are not
    /// below zero have the order of the numbers.
    open: BinaryHeap<(u64, Reverse<u32>)>,
}

/// The end of a stack.
struct StackEnd {
    /// Its node in the graph.
    node: usize,
    /// The fraction of the node's cost that belongs to this stack, from 0 to 1.
    share: f64,
    span: CostBounds,
    /// The small stacks below it.
    small: Small,
}

/// The sum of stacks that are too small to show.
#[derive(Clone, Copy, Default)]
struct Small {
    /// Their estimated cost.
    weight: f64,
    /// Their cost below this node on all paths.
    cost: i128,
}

impl<'a> Growing<'a> {
    fn new(
        profile: &'a Profile,
        inclusive: &'a Inclusive,
        cost: impl Fn(&[i64]) -> i64,
        least: f64,
        depth: u32,
    ) -> Growing<'a> {
        Growing {
            profile,
            least,
            depth,
            limited: [false; 2],
            graph: Collapsed::new(profile, inclusive, cost),
            tree: StackTree::default(),
            ends: Vec::new(),
            small: Small::default(),
            open: BinaryHeap::new(),
        }
    }

    /// Follows callees, the most expensive stack first, as long as stacks are not too small.
    fn grow(&mut self) {
        for node in 0..self.graph.nodes.len() {
            let begins = self.graph.nodes[node].begins;
            if begins > 0 && !self.add(None, node, 1.0, begins) {
                self.small.weight += begins as f64;
                self.small.cost += begins;
            }
        }
        while let Some((_, Reverse(at))) = self.open.pop() {
            let StackEnd { node, share, .. } = self.ends[at as usize];
            let mut cost = self.graph.nodes[node].calls;
            // The most expensive comes first: after one that is too small, all others are too
            // small.
            for call in 0..self.graph.inner(node).len() {
                let inner = self.graph.inner(node)[call];
                if !self.add(Some(at), inner.node, share, inner.cost) {
                    break;
                }
                cost -= inner.cost;
            }
            self.ends[at as usize].small = Small {
                weight: cost as f64 * share,
                cost,
            };
        }
    }

    /// Extends `parent` by a node, unless the new stack is too small. Calls of the node cost `cost`
    /// below the parent's node, and this parent has the fraction `share` of that.
    fn add(&mut self, parent: Option<u32>, node: usize, share: f64, cost: i128) -> bool {
        let weight = cost as f64 * share;
        let depth = parent.map_or(0, |p| self.tree.nodes[p as usize].depth + 1);
        if weight < self.least {
            return false;
        }
        let limited = [depth >= self.depth, self.tree.nodes.len() >= MAX_STACKS];
        if limited.contains(&true) {
            self.limited = [0, 1].map(|which| self.limited[which] || limited[which]);
            return false;
        }
        // A member of a cycle can cost nothing.
        let of = self.graph.nodes[node];
        let whole = of.whole as f64;
        if whole <= 0.0 {
            return false;
        }
        let functions = self.profile.functions.len();
        let frame = node
            .checked_sub(functions)
            .map_or(Frame::Function(FunctionId(node as u32)), Frame::Cycle);
        let span = match parent.map(|parent| &self.ends[parent as usize]) {
            Some(end) => self.graph.nodes[end.node].below(end.span, cost),
            None => CostBounds::exact(self.graph.nodes[node].begins),
        };
        let at = self.tree.add(parent, frame, 0);
        let share = weight / whole;
        self.tree.nodes[at as usize].known = Some([
            known(of.own as f64 * share, of.below(span, of.own)),
            known(weight, span),
        ]);
        self.ends.push(StackEnd {
            node,
            share,
            span,
            small: Small::default(),
        });
        self.open.push((weight.to_bits(), Reverse(at)));
        true
    }

    /// Divides the self cost of every function among its stacks; the remainder goes to the small
    /// ones.
    fn into_tree(mut self) -> StackTree {
        let of_function = |(at, node): (u32, &StackNode)| match node.frame {
            Frame::Function(id) => Some((id, at)),
            _ => None,
        };
        let mut ends: Vec<(FunctionId, u32)> = (0u32..)
            .zip(&self.tree.nodes)
            .filter_map(of_function)
            .collect();
        ends.sort_unstable();
        let (mut ends, mut left) = (&ends[..], 0);
        for id in self.profile.function_ids() {
            let own = self.graph.nodes[id.index()].own;
            let (stacks, others) =
                ends.split_at(ends.iter().take_while(|(of, _)| *of == id).count());
            ends = others;
            // Most functions have no stack that is large enough.
            if stacks.is_empty() {
                left += own;
                continue;
            }
            let mut shares: Vec<f64> = stacks
                .iter()
                .map(|&(_, at)| self.ends[at as usize].share)
                .collect();
            let rest = 1.0 - shares.iter().sum::<f64>();
            shares.push(if rest > NOISE { rest } else { 0.0 });
            let parts = divide(own, &shares);
            for (&(_, at), &part) in stacks.iter().zip(&parts) {
                self.tree.nodes[at as usize].own = part;
            }
            left += parts.last().copied().unwrap_or(0);
        }
        self.divide_small(left);
        self.tree
    }

    fn divide_small(&mut self, left: i128) {
        if left == 0 {
            return;
        }
        let mut small: Vec<(Option<u32>, Small, CostBounds)> = Vec::new();
        for (at, end) in (0u32..)
            .zip(&self.ends)
            .filter(|(_, end)| end.small.cost > 0)
        {
            small.push((
                Some(at),
                end.small,
                self.graph.nodes[end.node].below(end.span, end.small.cost),
            ));
        }
        // Rounding can leave a remainder; it begins a stack.
        if self.small.cost > 0 || small.is_empty() {
            let cost = self.small.cost;
            let weight = if small.is_empty() {
                1.0
            } else {
                self.small.weight
            };
            small.push((None, Small { weight, cost }, CostBounds::exact(cost)));
        }
        let weights: Vec<f64> = small
            .iter()
            .map(|(_, small, _)| small.weight.max(f64::MIN_POSITIVE))
            .collect();
        for ((parent, small, span), part) in small.into_iter().zip(divide(left, &weights)) {
            let at = self.tree.add(parent, Frame::Small, part);
            self.tree.nodes[at as usize].known = Some([known(small.weight, span); 2]);
        }
    }
}

/// A weight as a count, within its bounds.
fn known(weight: f64, span: CostBounds) -> Estimate {
    Estimate::new(
        (weight.round() as i128).clamp(span.least, span.most),
        span.least,
        span.most,
    )
}

/// Divides a count in proportion to `shares`, without loss; at least one share must be above zero.
/// Each part is rounded down, and the parts with the largest remainders get one more.
fn divide(count: i128, shares: &[f64]) -> Vec<i128> {
    let all: f64 = shares.iter().sum();
    let due: Vec<f64> = shares
        .iter()
        .map(|share| count as f64 * (share / all))
        .collect();
    let mut parts: Vec<i128> = due
        .iter()
        .map(|due| (due.floor() as i128).clamp(0, count))
        .collect();
    let mut rest = count - parts.iter().sum::<i128>();
    let mut order: Vec<usize> = (0..shares.len()).filter(|&at| shares[at] > 0.0).collect();
    order.order_by(|&a, &b| due[b].fract().total_cmp(&due[a].fract()).then(a.cmp(&b)));
    for &at in order.iter().take(usize::try_from(rest).unwrap_or(0)) {
        parts[at] += 1;
        rest -= 1;
    }
    // For counts beyond 2^53, the products are not exact; the largest parts absorb the difference.
    order.order_by(|&a, &b| parts[b].cmp(&parts[a]).then(a.cmp(&b)));
    for &at in &order {
        let new = (parts[at] + rest).clamp(0, count);
        rest -= new - parts[at];
        parts[at] = new;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_a_division() {
        assert_eq!(divide(10, &[1.0, 1.0, 1.0]), [4, 3, 3]);
        assert_eq!(divide(7, &[0.5, 0.0, 0.5]), [4, 0, 3]);
        assert_eq!(divide(0, &[0.3, 0.7]), [0, 0]);
        assert_eq!(divide(1, &[0.2, 0.7, 0.1]), [0, 1, 0]);
        for count in [
            i64::MAX.into(),
            (1 << 70) - 1,
            (1 << 53) + 1,
            999_999_999_999_999_999,
        ] {
            for shares in [
                &[0.1, 0.2, 0.7][..],
                &[1e-9, 1.0 - 1e-9],
                &[1.0 / 3.0; 3],
                &[1.0],
            ] {
                let parts = divide(count, shares);
                assert_eq!(parts.iter().sum::<i128>(), count, "{shares:?}");
                assert!(parts.iter().all(|&part| part >= 0));
            }
        }
    }
}
