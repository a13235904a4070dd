//! The strongly connected components of a call graph, or of a part of it.
//!
//! Tarjan's algorithm without recursion: a call graph can be a chain of a million functions. [`super::inclusive`] finds
//! cycles by it, [`super::own`] the order in which foreign code is charged to its callers.

use crate::profile::Profile;

/// Where a function is that is not in the graph.
pub(super) const OUTSIDE: u32 = u32::MAX;

/// Components, numbered so that what one calls has smaller numbers.
pub(super) struct Components {
    /// The component of every function.
    pub(super) of: Vec<u32>,
    /// How many there are.
    pub(super) count: usize,
}

impl Components {
    /// The components of the functions that are in the graph, by the calls between them.
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

/// Where the arcs of each function begin, and behind the last where they end.
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
