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

use super::{
    Estimate, Inclusive,
    bounds::{CallSide, Certain, Collapsed, CostBounds},
    stack_tree::{Frame, Stack, StackTree},
};
use crate::profile::{CallTree, Contexts, Event, FunctionId, Grouped, Order, Profile};
use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
};

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
    /// Finds the stacks of one event; `None` if it has negative costs, which stacks cannot show.
    pub fn new(
        profile: &Profile,
        inclusive: &Inclusive,
        event: Event,
        limits: impl Into<StackLimits>,
    ) -> Option<Stacks> {
        let limits = limits.into();
        if let Some(tree) = &profile.tree {
            return recorded(profile, tree, event, limits);
        }
        let contexts = profile.contexts.as_deref();
        let mut growing = Growing::new((profile, inclusive), contexts, event)?;
        growing.depth = limits.depth;
        growing.grow(limits.least);
        let (certain, limited) = (growing.graph.certain(|_| true), growing.limited);
        growing.divide_own();
        Some(Stacks {
            stacks: growing.joined(profile, inclusive, contexts),
            basis: match profile.arcs.is_empty() {
                true => Basis::Flat,
                false => Basis::Estimated,
            },
            certain,
            limited,
        })
    }

    /// The stacks around a function, estimated from calls: those of its callers upside down, and
    /// those of its callees. The function is the first frame of both. The frames next to it are its
    /// direct calls, or all calls of its cycle. `None` if there are negative costs.
    pub fn around(
        profile: &Profile,
        inclusive: &Inclusive,
        event: Event,
        function: FunctionId,
        least: f64,
    ) -> Option<[Vec<Stack>; 2]> {
        // In a cycle, a context of a function can cost what another one contains.
        let contexts = profile.contexts.as_deref();
        let contexts = contexts.filter(|_| inclusive.cycle_of(function).is_none());
        let begins = |node: usize| match contexts {
            Some(contexts) => contexts.functions.get(node) == Some(&function),
            None => node == function.index(),
        };
        let stacks = |side| {
            let mut growing = Growing::new((profile, inclusive), contexts, event)?;
            growing.graph.begin_at(begins, side);
            // The function, and its direct callers or callees.
            growing.all = 2;
            growing.grow(least);
            growing.keep_estimates();
            Some(growing.joined(profile, inclusive, contexts))
        };
        Some([stacks(CallSide::Callers)?, stacks(CallSide::Callees)?])
    }
}

/// The stacks of a tree of calls.
fn recorded(
    profile: &Profile,
    calls: &CallTree,
    event: Event,
    limits: StackLimits,
) -> Option<Stacks> {
    let mut tree = StackTree::default();
    let mut chain: Vec<u32> = Vec::new();
    for context in &calls.contexts {
        chain.truncate(context.depth as usize);
        let own = profile.events.counted(calls.self_cost(context), event);
        if own < 0 {
            return None;
        }
        let frame = Frame::Function(context.function);
        chain.push(tree.add(chain.last().copied(), frame, own.into()));
    }
    tree.add_up();
    // A stack that is too small or too deep goes to one frame below its parent. The tree is in
    // depth-first order.
    let whole: i128 = tree.nodes.iter().map(|node| node.own).sum();
    let least = whole as f64 * limits.least;
    let mut kept = StackTree::default();
    let mut place: Vec<u32> = Vec::new();
    let mut small: HashMap<Option<u32>, u32> = HashMap::new();
    let mut too_deep = false;
    for node in &tree.nodes {
        let parent = node.parent.map(|p| place[p as usize]);
        let inside_small = parent.is_some_and(|p| kept.nodes[p as usize].frame == Frame::Small);
        let depth = parent.map_or(0, |p| kept.nodes[p as usize].depth + 1);
        let is_large = node.total as f64 >= least && node.total > 0;
        let fits = is_large && depth < limits.depth;
        too_deep |= is_large && !fits && !inside_small;
        let at = match parent {
            Some(parent) if inside_small => parent,
            _ if fits => kept.add(parent, node.frame, 0),
            _ => *(small.entry(parent)).or_insert_with(|| kept.add(parent, Frame::Small, 0)),
        };
        kept.nodes[at as usize].own += node.own;
        place.push(at);
    }
    Some(Stacks {
        stacks: kept.in_order(profile),
        basis: Basis::Recorded,
        certain: Certain::all(whole),
        limited: [too_deep, false],
    })
}

/// Computes the estimate from arcs.
struct Growing<'a> {
    profile: &'a Profile,
    inclusive: &'a Inclusive,
    least: f64,
    depth: u32,
    /// Stacks of a smaller depth stay, however small they are.
    all: u32,
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
    /// Prepares the graph of contexts, if there are any, or of functions. `None` if there are
    /// negative costs.
    fn new(
        (profile, inclusive): (&'a Profile, &'a Inclusive),
        contexts: Option<&'a Contexts>,
        event: Event,
    ) -> Option<Growing<'a>> {
        let cost = |row: &[i64]| profile.events.counted(row, event);
        let (profile, inclusive) = match contexts {
            Some(contexts) => (&*contexts.profile, inclusive.of_contexts(contexts)),
            None => (profile, inclusive),
        };
        let own = profile.function_ids().map(|id| cost(profile.self_cost(id)));
        let calls = profile.arcs.iter().map(|arc| cost(profile.arc_cost(arc)));
        (!own.chain(calls).any(|cost| cost < 0)).then(|| Growing {
            profile,
            inclusive,
            least: 0.0,
            depth: u32::MAX,
            all: 0,
            limited: [false; 2],
            graph: Collapsed::new(profile, inclusive, cost),
            tree: StackTree::default(),
            ends: Vec::new(),
            small: Small::default(),
            open: BinaryHeap::new(),
        })
    }

    /// The stacks in order, with functions in the place of contexts.
    fn joined(
        self,
        whole: &Profile,
        inclusive: &Inclusive,
        contexts: Option<&Contexts>,
    ) -> Vec<Stack> {
        let Some(contexts) = contexts else {
            return self.tree.in_order(whole);
        };
        let function = |context: FunctionId| contexts.functions[context.index()];
        let frame = |frame| match frame {
            Frame::Function(context) => Frame::Function(function(context)),
            Frame::Cycle(at) => {
                let function = function(self.inclusive.cycles[at].members[0]);
                let cycle = inclusive.cycle_of(function);
                cycle.map_or(Frame::Function(function), Frame::Cycle)
            }
            other => other,
        };
        self.tree.joined(frame).in_order(whole)
    }

    /// Follows callees, the most expensive stack first, as long as stacks have at least this
    /// fraction of what begins.
    fn grow(&mut self, least: f64) {
        let begins = self.graph.nodes.iter().map(|node| node.begins);
        self.least = begins.sum::<i128>() as f64 * least;
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
        if weight < self.least && depth >= self.all {
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
    fn divide_own(&mut self) {
        let ends = (0u32..).zip(&self.tree.nodes);
        let ends = ends.filter_map(|(at, node)| match node.frame {
            Frame::Function(id) => Some((id.index(), at)),
            _ => None,
        });
        let ends = Grouped::new(self.profile.functions.len(), ends);
        let mut left = 0;
        for id in 0..ends.len() {
            let (own, stacks) = (self.graph.nodes[id].own, ends.group(id));
            // Most functions have no stack that is large enough.
            if stacks.is_empty() {
                left += own;
                continue;
            }
            let shares = stacks.iter().map(|&at| self.ends[at as usize].share);
            let mut shares: Vec<f64> = shares.collect();
            let rest = 1.0 - shares.iter().sum::<f64>();
            shares.push(if rest > NOISE { rest } else { 0.0 });
            let parts = divide(own, &shares);
            for (&at, &part) in stacks.iter().zip(&parts) {
                self.tree.nodes[at as usize].own = part;
            }
            left += parts.last().copied().unwrap_or(0);
        }
        self.divide_small(left);
    }

    /// Gives every stack its estimated cost. The stacks of a function need not add up to its cost.
    fn keep_estimates(&mut self) {
        // This makes frames for what is small. The amount does not matter: it is replaced.
        self.divide_small(1);
        for at in 0..self.tree.nodes.len() {
            let node = &mut self.tree.nodes[at];
            let [_, total] = node.known.unwrap_or_default().map(|known| known.value);
            node.own = total;
            if let Some(parent) = node.parent {
                self.tree.nodes[parent as usize].own -= total;
            }
        }
    }

    fn divide_small(&mut self, left: i128) {
        if left == 0 {
            return;
        }
        let ends = (0u32..).zip(&self.ends);
        let ends = ends.filter(|(_, end)| end.small.cost > 0).map(|(at, end)| {
            let span = self.graph.nodes[end.node].below(end.span, end.small.cost);
            (Some(at), end.small, span)
        });
        let mut small: Vec<(Option<u32>, Small, CostBounds)> = ends.collect();
        // Rounding can leave a remainder; it begins a stack.
        if self.small.cost > 0 || small.is_empty() {
            small.push((None, self.small, CostBounds::exact(self.small.cost)));
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
fn divide(count: i128, shares: &[f64]) -> Vec<i128> {
    let all: f64 = shares.iter().sum();
    let weights: Vec<i128> = shares
        .iter()
        .map(|share| (share / all * 2f64.powi(53)) as i128)
        .collect();
    divide_exactly(count, &weights)
}

/// Divides a count in proportion to weights, without loss. Each part is rounded down, and the parts
/// with the largest remainders get one more; of equal ones, the first.
pub(super) fn divide_exactly(count: i128, weights: &[i128]) -> Vec<i128> {
    let sum = weights.iter().sum::<i128>().max(1);
    let shares = weights.iter().map(|&weight| share(weight, count, sum));
    let (mut parts, remainders): (Vec<i128>, Vec<i128>) = shares.unzip();
    let left = count - parts.iter().sum::<i128>();
    if left > 0 {
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.order_by_key(|&at| (Reverse(remainders[at]), at));
        let more = order.iter().take(usize::try_from(left).unwrap_or(0));
        more.for_each(|&at| parts[at] += 1);
    }
    parts
}

/// `part * own / sum` and the remainder, for numbers that are not negative.
fn share(part: i128, own: i128, sum: i128) -> (i128, i128) {
    // Nearly all products fit in 64 bits, which are divided several times faster.
    let short = |number: i128| u64::try_from(number).ok();
    match (
        short(part)
            .zip(short(own))
            .and_then(|(part, own)| part.checked_mul(own)),
        short(sum),
    ) {
        (Some(0), _) => (0, 0),
        (Some(product), Some(sum)) => ((product / sum).into(), (product % sum).into()),
        _ => (part * own / sum, part * own % sum),
    }
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
