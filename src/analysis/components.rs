//! The strongly connected components of a call graph, or of a part of it.
//!
//! For whoever changes this: it is Tarjan's algorithm without recursion, because a call graph can
//! be a chain of a million functions. [`super::inclusive`] uses it to find cycles. [`super::own`]
//! relies on the order of the numbers: callees come before callers.

use crate::profile::Profile;

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
        const UNSEEN: u32 = 0;
        let functions = profile.functions.len();
        let arcs = &profile.arcs;
        let first_arc = first_arcs(profile);
        let mut next_arc = first_arc[..functions].to_vec();
        let (mut order, mut low) = (vec![UNSEEN; functions], vec![0u32; functions]);
        let mut of = vec![OUTSIDE; functions];
        let (mut on_stack, mut stack, mut path) = (vec![false; functions], Vec::new(), Vec::new());
        let (mut seen, mut count) = (0, 0u32);
        for root in 0..functions {
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
                if next_arc[at] < first_arc[at + 1] {
                    let callee = arcs[next_arc[at] as usize].callee.index();
                    next_arc[at] += 1;
                    if order[callee] == UNSEEN {
                        if inside(callee) {
                            path.push(callee);
                        }
                    } else if on_stack[callee] {
                        low[at] = low[at].min(order[callee]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&caller) = path.last() {
                    low[caller] = low[caller].min(low[at]);
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

/// The index of each function's first arc, and after the last function the end of the arcs.
pub(super) fn first_arcs(profile: &Profile) -> Vec<u32> {
    let mut first = vec![0u32; profile.functions.len() + 1];
    profile
        .arcs
        .iter()
        .for_each(|arc| first[arc.caller.index() + 1] += 1);
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    first
}
