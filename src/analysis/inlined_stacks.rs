//! Adds inlined functions to stacks as frames. The self cost of a function at the end of a stack is
//! divided among the chains of functions inlined into it. Each gets its proportion of the total
//! self cost. The function's callees stay below it, whichever inlined code calls them. The costs of
//! stacks and functions do not change.

use super::{
    Estimate, Frame, Stack, Stacks,
    inlined::{cost_by_chain, parts},
    stacks::divide_exactly,
};
use crate::profile::{ChainId, Event, FunctionId, Inlined, Order, Profile};
use std::collections::HashMap;

/// The most frames that are added. After that, functions keep their whole self cost.
const MOST: usize = 1_000_000;

/// A frame below a function, in depth-first order.
struct InlinedFrame {
    /// The inlined function; `None` is the function itself.
    function: Option<u32>,
    depth: u32,
    cost: i128,
}

impl Stacks {
    /// Adds inlined functions as frames, if it is known where they are.
    pub fn with_inlined(mut self, profile: &Profile, event: Event) -> Stacks {
        if parts(profile).is_none() {
            return self;
        }
        let mut known: HashMap<FunctionId, Vec<InlinedFrame>> = HashMap::new();
        let mut all: Vec<Stack> = Vec::with_capacity(self.stacks.len());
        for stack in std::mem::take(&mut self.stacks) {
            let Frame::Function(id) = stack.frame else {
                all.push(stack);
                continue;
            };
            let parts = known
                .entry(id)
                .or_insert_with(|| of_function(profile, id, event));
            if stack.own <= 0 || parts.len() < 2 || all.len().saturating_add(parts.len()) > MOST {
                all.push(stack);
                continue;
            }
            let costs: Vec<i128> = parts.iter().map(|part| part.cost).collect();
            let mut costs = divide_exactly(stack.own, &costs).into_iter();
            let own = costs.next().unwrap_or(stack.own);
            // How much of each chain belongs to which stack was not recorded.
            let bounded = |cost: i128| Estimate::new(cost, 0, stack.own_known.most);
            all.push(Stack {
                own,
                own_known: bounded(own),
                ..stack
            });
            let first = all.len();
            for (part, own) in parts.iter().skip(1).zip(costs) {
                let frame = part.function.map_or(stack.frame, Frame::Inlined);
                let depth = stack.depth.saturating_add(part.depth);
                all.push(Stack {
                    frame,
                    depth,
                    own,
                    total: own,
                    own_known: bounded(own),
                    total_known: bounded(own),
                });
            }
            // The total of each frame includes the frames below it.
            let mut sums: Vec<i128> = Vec::new();
            for at in (first..all.len()).rev() {
                let level = (all[at].depth - stack.depth) as usize;
                let below = sums.get(level).copied().unwrap_or(0);
                sums.truncate(level);
                sums.resize(level, 0);
                all[at].total += below;
                all[at].total_known = bounded(all[at].total);
                if let Some(sum) = sums.last_mut() {
                    *sum += all[at].total;
                }
            }
        }
        // An inlined frame without cost is not shown.
        all.retain(|stack| stack.total != 0 || !matches!(stack.frame, Frame::Inlined(_)));
        self.stacks = all;
        self
    }
}

/// The function and what is inlined into it, in depth-first order. Empty if a cost is below zero.
fn of_function(profile: &Profile, id: FunctionId, event: Event) -> Vec<InlinedFrame> {
    let Some((code, inlined)) = parts(profile) else {
        return Vec::new();
    };
    let mut costs: HashMap<ChainId, i128> = HashMap::new();
    for (chain, cost) in cost_by_chain(profile, code, inlined, id) {
        let cost = i128::from(profile.events.counted(&cost, event));
        if cost < 0 {
            return Vec::new();
        }
        // The chains around it are frames, too.
        let mut at = chain;
        while let Some(link) = inlined.link(at) {
            costs.entry(at).or_default();
            at = link.outer;
        }
        *costs.entry(chain).or_default() += cost;
    }
    in_order(inlined, &costs)
}

fn in_order(inlined: &Inlined, costs: &HashMap<ChainId, i128>) -> Vec<InlinedFrame> {
    let mut below: HashMap<ChainId, Vec<ChainId>> = HashMap::new();
    for &chain in costs.keys().filter(|&&chain| chain != ChainId::EMPTY) {
        if let Some(link) = inlined.link(chain) {
            below.entry(link.outer).or_default().push(chain);
        }
    }
    let mut all = Vec::new();
    let mut open = vec![(ChainId::EMPTY, 0)];
    while let Some((chain, depth)) = open.pop() {
        let function = inlined.link(chain).map(|link| link.function);
        all.push(InlinedFrame {
            function,
            depth,
            cost: costs.get(&chain).copied().unwrap_or(0),
        });
        let mut next = below.remove(&chain).unwrap_or_default();
        // The last entry is taken first.
        next.order_by_key(|chain| std::cmp::Reverse(*chain));
        open.extend(next.into_iter().map(|chain| (chain, depth + 1)));
    }
    all
}
