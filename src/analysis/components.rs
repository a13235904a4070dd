//! The strongly connected components of a call graph, of another graph, or of a part of it.
//!
//! For whoever changes this: it is Tarjan's algorithm without recursion, because a call graph can
//! be a chain of a million functions. [`super::inclusive`] finds cycles with it, and
//! [`super::loops`] loops. [`super::own`] relies on the order of the numbers: callees come before
//! callers.

use crate::profile::{Grouped, Profile};

/// The component of a function that is not in the graph.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// The components. Those that a component calls have smaller numbers.
pub(super) struct Components {
    /// The component of every function.
    pub of: Vec<u32>,
    /// The number of components.
    pub count: usize,
}

impl Components {
    /// The components of the functions in the graph, by the calls between them.
    pub(super) fn new(profile: &Profile, inside: impl Fn(usize) -> bool) -> Components {
        let calls = (profile.arcs.iter()).map(|arc| (arc.caller.index(), arc.callee.index()));
        let functions = profile.functions.len();
        Components::from_edges(functions, &Grouped::new(functions, calls), inside)
    }

    /// The components of a graph with edges from each node to others.
    pub(super) fn from_edges(
        nodes: usize,
        edges: &Grouped<usize>,
        inside: impl Fn(usize) -> bool,
    ) -> Components {
        const UNSEEN: u32 = 0;
        let mut done = vec![0; nodes];
        let (mut order, mut low) = (vec![UNSEEN; nodes], vec![0u32; nodes]);
        let mut of = vec![OUTSIDE; nodes];
        let (mut on_stack, mut stack, mut path) = (vec![false; nodes], Vec::new(), Vec::new());
        let (mut seen, mut count) = (0, 0u32);
        for root in 0..nodes {
            if order[root] != UNSEEN || !inside(root) {
                continue;
            }
            path.push(root);
            while let Some(&at) = path.last() {
                if order[at] == UNSEEN {
                    seen += 1;
                    (order[at], low[at], on_stack[at]) = (seen, seen, true);
                    stack.push(at);
                }
                if let Some(&next) = edges.group(at).get(done[at]) {
                    done[at] += 1;
                    if order[next] == UNSEEN {
                        if inside(next) {
                            path.push(next);
                        }
                    } else if on_stack[next] {
                        low[at] = low[at].min(order[next]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&before) = path.last() {
                    low[before] = low[before].min(low[at]);
                }
                if low[at] == order[at] {
                    while let Some(member) = stack.pop() {
                        on_stack[member] = false;
                        of[member] = count;
                        if member == at {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        Components {
            of,
            count: count as usize,
        }
    }
}
