//! The tree of calls, for inputs that record it: every chain of callers of a function, with its
//! calls and cost. Calls under the same chain are one node.
//!
//! For whoever changes this: a [`Forest`] is built from the leaves up, in the order in which calls
//! end. A call that ends takes the most recent complete trees as its callees. It merges equal
//! callees at once, so that memory only grows with the number of different chains. Each merge
//! removes one node, which bounds the work. Nothing here recurses, because chains can be as deep as
//! the input is long.

use super::{ColumnMap, Costs, Counts, FunctionId, Overflow, StatedCosts, index::Index};

/// A chain of callers down to a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Context {
    /// The function at the end of the chain.
    pub function: FunctionId,
    /// The number of callers above it.
    pub depth: u32,
    /// How often this chain called the function.
    pub calls: u64,
    row: u32,
}

/// All chains. Each comes before the longer chains that begin with it.
#[derive(Clone)]
pub struct CallTree {
    /// The chains in depth-first order. The callers of a chain are the last chains before it of
    /// each smaller depth.
    pub contexts: Vec<Context>,
    self_costs: Costs,
    inclusive: Costs,
}

impl CallTree {
    /// The self cost of the function in these calls.
    pub fn self_counts(&self, context: &Context) -> Counts<'_> {
        Counts(self.self_cost(context))
    }

    pub(crate) fn self_cost(&self, context: &Context) -> &[i64] {
        self.self_costs.row(context.row)
    }

    /// The inclusive cost of these calls, as their callers record it. For the outermost calls it is
    /// what the calls themselves record.
    pub fn inclusive_counts(&self, context: &Context) -> Counts<'_> {
        Counts(self.inclusive(context))
    }

    pub(crate) fn inclusive(&self, context: &Context) -> &[i64] {
        self.inclusive.row(context.row)
    }

    /// Adds the cost of each function's outermost calls to `stated`. This inclusive cost counts
    /// recursion once.
    pub(crate) fn state_inclusive(&self, functions: usize, stated: &mut StatedCosts) -> Overflow {
        let mut open = vec![0u32; functions];
        let mut chain: Vec<FunctionId> = Vec::new();
        let mut over = false;
        for context in &self.contexts {
            for left in chain.drain(context.depth as usize..) {
                open[left.index()] -= 1;
            }
            if open[context.function.index()] == 0 {
                over |= stated.add(context.function, self.inclusive(context), 0, 0);
            }
            open[context.function.index()] += 1;
            chain.push(context.function);
        }
        over
    }
}

const NONE: u32 = u32::MAX;
/// The root, which has no function.
const TOP: u32 = 0;

#[derive(Clone, Copy)]
struct ContextNode {
    function: FunctionId,
    calls: u64,
    parent: u32,
    first: u32,
    last: u32,
    next: u32,
}

/// Builds trees of calls from calls that end.
#[derive(Default)]
pub(crate) struct Forest {
    nodes: Vec<ContextNode>,
    free: Vec<u32>,
    self_costs: Costs,
    inclusive: Costs,
    /// The nodes by parent and function.
    index: Index,
    /// Complete trees that no call has taken yet.
    complete: Vec<u32>,
    scratch: Vec<i64>,
    over: Overflow,
}

impl Forest {
    pub(crate) fn new() -> Forest {
        let mut forest = Forest::default();
        forest.node(FunctionId(u32::MAX));
        forest
    }

    /// The functions of the last `count` complete trees; `None` if there are fewer.
    pub(crate) fn last(&self, count: usize) -> Option<impl Iterator<Item = FunctionId> + '_> {
        let start = self.complete.len().checked_sub(count)?;
        Some(
            self.complete[start..]
                .iter()
                .map(|&node| self.nodes[node as usize].function),
        )
    }

    /// Ends a call of `function`. The most recent complete trees become its callees, each with its
    /// cost from `calls`.
    pub(crate) fn end_call<'a>(
        &mut self,
        function: FunctionId,
        self_cost: &[i64],
        calls: impl ExactSizeIterator<Item = &'a [i64]>,
    ) {
        let node = self.node(function);
        self.nodes[node as usize].calls = 1;
        self.over |= self.self_costs.add(node, self_cost);
        self.over |= self.inclusive.add(node, self_cost);
        let start = self.complete.len().saturating_sub(calls.len());
        for (at, cost) in calls.enumerate() {
            let Some(&callee) = self.complete.get(start + at) else {
                break;
            };
            self.over |= self.inclusive.add(node, cost);
            self.inclusive.set(callee, cost);
            self.attach(node, callee);
        }
        self.complete.truncate(start);
        self.complete.push(node);
    }

    /// Adds calls of a function below a node, or as outermost calls, and returns their node.
    pub(crate) fn context(
        &mut self,
        parent: Option<u32>,
        function: FunctionId,
        calls: u64,
        self_cost: &[i64],
        inclusive: &[i64],
    ) -> u32 {
        let parent = parent.unwrap_or(TOP);
        let node = self.find(parent, function).unwrap_or_else(|| {
            let node = self.node(function);
            self.link(parent, node);
            node
        });
        let have = &mut self.nodes[node as usize].calls;
        *have = have.saturating_add(calls);
        self.over |= self.self_costs.add(node, self_cost);
        self.over |= self.inclusive.add(node, inclusive);
        node
    }

    /// Ends a run: the trees that no call has taken are outermost calls.
    pub(crate) fn end_run(&mut self) {
        for node in std::mem::take(&mut self.complete) {
            self.attach(TOP, node);
        }
    }

    /// Adds the trees of another reading; `functions` maps its functions to those here.
    pub(crate) fn absorb(
        &mut self,
        mut other: Forest,
        functions: &[FunctionId],
        columns: &mut ColumnMap,
    ) {
        self.end_run();
        other.end_run();
        let (tree, over) = other.finish();
        self.over |= over;
        let mut chain = vec![TOP];
        for context in &tree.contexts {
            chain.truncate(context.depth as usize + 1);
            let parent = chain.last().copied().unwrap_or(TOP);
            let function = functions[context.function.index()];
            let own = columns.place(tree.self_cost(context)).to_vec();
            let inclusive = columns.place(tree.inclusive(context));
            let node = self.context(Some(parent), function, context.calls, &own, inclusive);
            chain.push(node);
        }
    }

    /// Whether no more nodes fit.
    pub(crate) fn is_full(&self) -> bool {
        self.self_costs.is_full() || self.inclusive.is_full()
    }

    pub(crate) fn finish(mut self) -> (CallTree, Overflow) {
        self.end_run();
        let mut contexts = Vec::with_capacity(self.nodes.len().saturating_sub(self.free.len() + 1));
        let (mut at, mut depth) = (self.nodes[TOP as usize].first, 0u32);
        while at != NONE {
            let node = self.nodes[at as usize];
            contexts.push(Context {
                function: node.function,
                depth,
                calls: node.calls,
                row: at,
            });
            if node.first != NONE {
                (at, depth) = (node.first, depth + 1);
                continue;
            }
            // Go back up to the first node that has a sibling.
            while at != TOP && self.nodes[at as usize].next == NONE {
                at = self.nodes[at as usize].parent;
                depth = depth.saturating_sub(1);
            }
            at = if at == TOP {
                NONE
            } else {
                self.nodes[at as usize].next
            };
        }
        (
            CallTree {
                contexts,
                self_costs: self.self_costs,
                inclusive: self.inclusive,
            },
            self.over,
        )
    }

    fn node(&mut self, function: FunctionId) -> u32 {
        let node = ContextNode {
            function,
            calls: 0,
            parent: NONE,
            first: NONE,
            last: NONE,
            next: NONE,
        };
        if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            return at;
        }
        self.nodes.push(node);
        self.inclusive.push();
        self.self_costs.push()
    }

    fn find(&self, parent: u32, function: FunctionId) -> Option<u32> {
        let nodes = &self.nodes;
        let same = |at: u32| {
            nodes[at as usize].parent == parent && nodes[at as usize].function == function
        };
        self.index.find((parent, function), same)
    }

    /// Makes `node` the last callee of `parent`.
    fn link(&mut self, parent: u32, node: u32) {
        self.nodes[node as usize].parent = parent;
        self.nodes[node as usize].next = NONE;
        let last = std::mem::replace(&mut self.nodes[parent as usize].last, node);
        match last {
            NONE => self.nodes[parent as usize].first = node,
            last => self.nodes[last as usize].next = node,
        }
        self.index
            .insert((parent, self.nodes[node as usize].function), node);
    }

    /// Puts a tree under `parent`, or adds it to the existing tree of the same function there.
    fn attach(&mut self, parent: u32, node: u32) {
        let mut pairs = vec![(parent, node)];
        while let Some((parent, node)) = pairs.pop() {
            let Some(into) = self.find(parent, self.nodes[node as usize].function) else {
                self.link(parent, node);
                continue;
            };
            let from = self.nodes[node as usize];
            let have = &mut self.nodes[into as usize].calls;
            *have = have.saturating_add(from.calls);
            for costs in [&mut self.self_costs, &mut self.inclusive] {
                self.scratch.clear();
                self.scratch.extend_from_slice(costs.row(node));
                self.over |= costs.add(into, &self.scratch);
                costs.set(node, &[]);
            }
            // In reverse, because the last pair is taken first.
            let start = pairs.len();
            let mut callee = from.first;
            while callee != NONE {
                let ContextNode { next, function, .. } = self.nodes[callee as usize];
                self.index.remove((node, function), callee);
                pairs.push((into, callee));
                callee = next;
            }
            pairs[start..].reverse();
            self.free.push(node);
        }
    }
}
