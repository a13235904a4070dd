//! The callers and callees of one function, from the tree of calls. Nothing is estimated.
//!
//! A call of the function inside another call of it is recursive, however many functions are
//! between them. The outermost calls make up its inclusive cost. A function that any of its calls
//! called is its callee. The callee's cost is without the recursive calls inside it. So callees and
//! self cost add up to the inclusive cost. (Xdebug rounds a function's self cost and the cost of
//! each call separately, so its sums can differ slightly.)

use crate::profile::{CallTree, FunctionId, NEVER, extend_with};
use std::collections::{BTreeMap, HashMap};

/// The chains above or below the function, which is the first node.
pub(crate) struct Chains {
    nodes: Vec<ChainNode>,
    index: HashMap<(u32, FunctionId), u32>,
}

pub(crate) struct ChainNode {
    pub function: FunctionId,
    /// The number of calls by this chain, counted at the callee that is farthest from the program's
    /// start.
    pub count: u64,
    /// Their cost.
    pub cost: Vec<i64>,
    /// The cost of recursive calls of the function inside them.
    inside: Vec<i64>,
    parent: u32,
    /// The nodes one level further, in no particular order.
    pub below: Vec<u32>,
}

/// The node where the chains begin: the function itself.
pub(crate) const START: u32 = 0;

impl ChainNode {
    fn new(function: FunctionId, parent: u32) -> ChainNode {
        ChainNode {
            function,
            count: 0,
            cost: Vec::new(),
            inside: Vec::new(),
            parent,
            below: Vec::new(),
        }
    }
}

impl Chains {
    fn new(function: FunctionId) -> Chains {
        Chains {
            nodes: vec![ChainNode::new(function, START)],
            index: HashMap::new(),
        }
    }

    /// The node of a function one level further.
    fn next(&mut self, from: u32, function: FunctionId) -> u32 {
        let new = self.nodes.len() as u32;
        let at = *self.index.entry((from, function)).or_insert(new);
        if at == new {
            self.nodes.push(ChainNode::new(function, from));
            self.nodes[from as usize].below.push(at);
        }
        at
    }

    fn add(&mut self, at: u32, count: u64, cost: &[i64]) {
        let node = &mut self.nodes[at as usize];
        node.count = node.count.saturating_add(count);
        extend_with(&mut node.cost, cost);
    }

    /// Completes the chains: subtracts the cost of recursive calls.
    fn finish(mut self) -> Chains {
        // A node comes after its parent.
        for at in (1..self.nodes.len()).rev() {
            let (before, node) = self.nodes.split_at_mut(at);
            if node[0].parent != START {
                extend_with(&mut before[node[0].parent as usize].inside, &node[0].inside);
            }
        }
        for node in &mut self.nodes {
            for (cost, &inside) in node.cost.iter_mut().zip(&node.inside) {
                if *cost != NEVER && inside != NEVER {
                    *cost = cost.saturating_sub(inside).max(NEVER + 1);
                }
            }
        }
        self
    }

    pub(crate) fn node(&self, at: u32) -> &ChainNode {
        &self.nodes[at as usize]
    }
}

/// The callers and callees of one function.
pub(crate) struct Around {
    pub callers: Chains,
    pub callees: Chains,
    /// The number of its recursive calls by caller.
    pub recursive: BTreeMap<FunctionId, u64>,
}

/// A function on the current chain of callers.
struct ChainFrame {
    function: FunctionId,
    /// Its node among the callees, or the last node above it if it is too deep; `None` outside the
    /// function.
    callee: Option<u32>,
    /// The number of levels below the function.
    level: usize,
}

impl Around {
    /// Finds the function in all chains, with `depth` levels of callers and callees.
    pub(crate) fn new(tree: &CallTree, function: FunctionId, depth: usize) -> Around {
        let (mut callers, mut callees) = (Chains::new(function), Chains::new(function));
        let mut recursive = BTreeMap::<FunctionId, u64>::new();
        let mut chain: Vec<ChainFrame> = Vec::new();
        for context in &tree.contexts {
            chain.truncate(context.depth as usize);
            let (cost, calls) = (tree.inclusive(context), context.calls);
            let around = chain
                .last()
                .and_then(|frame| Some((frame.callee?, frame.level)));
            let (callee, level) = match around {
                Some((inside, _)) if context.function == function => {
                    if let Some(caller) = chain.last() {
                        let count = recursive.entry(caller.function).or_default();
                        *count = count.saturating_add(calls);
                    }
                    extend_with(&mut callees.nodes[inside as usize].inside, cost);
                    (Some(START), 0)
                }
                None if context.function == function => {
                    let mut at = START;
                    for caller in chain.iter().rev().take(depth) {
                        at = callers.next(at, caller.function);
                        callers.add(at, calls, cost);
                    }
                    (Some(START), 0)
                }
                Some((from, level)) if level < depth => {
                    let at = callees.next(from, context.function);
                    callees.add(at, calls, cost);
                    (Some(at), level + 1)
                }
                Some((from, level)) => (Some(from), level.saturating_add(1)),
                None => (None, 0),
            };
            chain.push(ChainFrame {
                function: context.function,
                callee,
                level,
            });
        }
        Around {
            callers: callers.finish(),
            callees: callees.finish(),
            recursive,
        }
    }
}
