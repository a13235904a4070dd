//! Random runs of programs, call by call, and what Callgrind would have recorded of them: what a
//! call cost is known here under its whole chain of callers, which the arcs do not tell.

use super::mutate::Rng;
use cgannotate::profile::{Event, Profile};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One call, or what was there when the recording began.
pub(crate) struct Call {
    pub(crate) function: usize,
    /// The call that it was made in, and the line of that.
    pub(crate) parent: Option<(usize, u64)>,
    /// What it cost itself, by line.
    pub(crate) own: BTreeMap<u64, i64>,
}

/// A run.
pub(crate) struct Run {
    pub(crate) functions: usize,
    /// Callers before callees.
    pub(crate) calls: Vec<Call>,
}

/// Lines of a function.
const LINES: u64 = 3;

/// A run of one of many kinds of programs: with recursion, cycles, several beginnings, or none of
/// these.
pub(crate) fn run(seed: u64) -> Run {
    let mut rng = Rng::new(seed);
    let functions = 2 + rng.below(14) as usize;
    let (may_recurse, may_go_back) = (rng.one_in(3), rng.one_in(2));
    let roots = if rng.one_in(3) { 1 + rng.below(3) } else { 1 };
    let (most, width) = (4 + rng.below(200) as usize, 3 + rng.below(4));
    // Of all calls that could be, a program has a few.
    let mut may_call: Vec<Vec<usize>> = Vec::new();
    for caller in 0..functions {
        let mut callees: Vec<usize> = (0..functions)
            .filter(|&callee| match callee.cmp(&caller) {
                Ordering::Greater => true,
                Ordering::Equal => may_recurse,
                Ordering::Less => may_go_back && rng.one_in(8),
            })
            .collect();
        rng.shuffle(&mut callees);
        callees.truncate(1 + rng.below(4) as usize);
        may_call.push(callees);
    }
    let mut calls: Vec<Call> = Vec::new();
    let mut open: Vec<(usize, u64)> = Vec::new();
    for root in 0..roots {
        let function = if root == 0 {
            0
        } else {
            rng.below(functions as u64) as usize
        };
        open.push((calls.len(), 0));
        calls.push(Call {
            function,
            parent: None,
            own: BTreeMap::new(),
        });
    }
    while let Some((at, depth)) = open.pop() {
        for line in 1..=LINES {
            if rng.one_in(2) {
                let most = rng.pick(&[1, 3, 20, 1000]);
                calls[at].own.insert(line, rng.below(most) as i64);
            }
        }
        let callees = may_call[calls[at].function].clone();
        for _ in 0..rng.below(width + 1) {
            if depth < 9 && calls.len() < most && !callees.is_empty() {
                let (function, line) = (rng.pick(&callees), 1 + rng.below(LINES));
                open.push((calls.len(), depth + 1));
                calls.push(Call {
                    function,
                    parent: Some((at, line)),
                    own: BTreeMap::new(),
                });
            }
        }
    }
    Run { functions, calls }
}

impl Run {
    /// The run that a profile with a tree of calls tells, of one event; `None` if anything there is
    /// below zero.
    pub(crate) fn of_tree(profile: &Profile, event: Event) -> Option<Run> {
        let tree = profile.tree.as_ref()?;
        let mut run = Run {
            functions: profile.functions.len(),
            calls: Vec::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        for context in &tree.contexts {
            let own = tree
                .self_counts(context)
                .get(&profile.events, event)
                .unwrap_or(0);
            if own < 0 {
                return None;
            }
            open.truncate(context.depth as usize);
            let parent = open.last().map(|&parent| (parent, 1));
            open.push(run.calls.len());
            run.calls.push(Call {
                function: context.function.index(),
                parent,
                own: BTreeMap::from([(1, own)]),
            });
        }
        Some(run)
    }

    /// What each call cost with all calls below it.
    pub(crate) fn inclusive(&self) -> Vec<i64> {
        let mut costs: Vec<i64> = self
            .calls
            .iter()
            .map(|call| call.own.values().sum())
            .collect();
        for (at, call) in self.calls.iter().enumerate().rev() {
            if let Some((parent, _)) = call.parent {
                costs[parent] += costs[at];
            }
        }
        costs
    }

    /// The functions from the first call down to this one, each with the line in it that made the
    /// next call.
    pub(crate) fn chain(&self, mut at: usize) -> Vec<(usize, u64)> {
        let mut chain = vec![(self.calls[at].function, 0)];
        while let Some((parent, line)) = self.calls[at].parent {
            chain.push((self.calls[parent].function, line));
            at = parent;
        }
        chain.reverse();
        chain
    }

    /// What Callgrind writes. `file` names the file that a function and all its lines are in.
    pub(crate) fn recorded(&self, file: impl Fn(usize) -> String) -> String {
        let inclusive = self.inclusive();
        let mut own: BTreeMap<(usize, u64), i64> = BTreeMap::new();
        let mut arcs: BTreeMap<(usize, u64, usize), (u64, i64)> = BTreeMap::new();
        for (at, call) in self.calls.iter().enumerate() {
            for (&line, &cost) in &call.own {
                *own.entry((call.function, line)).or_default() += cost;
            }
            if let Some((parent, line)) = call.parent {
                let arc = arcs
                    .entry((self.calls[parent].function, line, call.function))
                    .or_default();
                *arc = (arc.0 + 1, arc.1 + inclusive[at]);
            }
        }
        let mut text = String::from(
            "# callgrind format\nversion: 1\ncreator: twin\ncmd: ./program\nevents: Ir\n",
        );
        for function in 0..self.functions {
            let _ = write!(text, "fl={}\nfn=f{function}\n", file(function));
            for (&(_, line), cost) in own.range((function, 0)..(function + 1, 0)) {
                let _ = writeln!(text, "{line} {cost}");
            }
            for (&(_, line, callee), (count, cost)) in
                arcs.range((function, 0, 0)..(function + 1, 0, 0))
            {
                let _ = write!(
                    text,
                    "cfi={}\ncfn=f{callee}\ncalls={count} 1\n{line} {cost}\n",
                    file(callee)
                );
            }
        }
        text
    }
}
