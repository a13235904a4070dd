//! The stacks of all events together, as samples: a chain of frames, the line at its end, and the
//! counts there.
//!
//! Stacks are found event by event ([`super::stacks`]), because each event is divided among callers
//! by its own costs. Chains that several events have are one chain here. The cost of a function on
//! a chain is divided among its lines. The counts of each chain and of each line remain exact. How
//! much of a line belongs to which chain is only proportional.

use super::{
    Basis, Estimate, Frame, Inclusive, Stacks,
    bounds::{Certain, Collapsed, CostBounds},
    stacks::{StackLimits, divide_exactly},
};
use crate::profile::{Event, FunctionId, Line, NameId, Profile};
use foldhash::HashMap;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

/// With more samples than this, chains are not divided among lines.
const MAX_SAMPLES: usize = 1_000_000;

/// A source line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SourcePlace {
    /// The file.
    pub file: NameId,
    /// The line.
    pub line: u64,
}

/// The innermost frame of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleLink {
    /// The frame around it, as an index in [`Samples::links`], where it comes before this one.
    pub outer: Option<u32>,
    /// The frame.
    pub frame: Frame,
}

/// The counts at the end of a chain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The chain, as an index in [`Samples::links`].
    pub link: u32,
    /// The line in the innermost function; `None` if unknown.
    pub place: Option<SourcePlace>,
    /// One count for each of [`Samples::events`].
    pub counts: Vec<i128>,
}

/// All samples of a profile.
#[derive(Default)]
pub struct Samples {
    /// The recorded events that have stacks.
    pub events: Vec<usize>,
    /// The events without stacks, because some of their costs are below zero.
    pub without: Vec<usize>,
    /// All chains.
    pub links: Vec<SampleLink>,
    /// The samples, in the order of their chains.
    pub samples: Vec<Sample>,
    /// The bounds of counts at the ends of chains that are not exact, by chain and index of the
    /// event.
    pub known: HashMap<(u32, usize), Estimate>,
    /// The origin of the stacks; `None` if no event has any.
    pub basis: Option<Basis>,
    /// How much of each event certainly belongs to its stacks.
    pub certain: Vec<Certain>,
    /// Whether some stacks were too deep, and too many; see [`Stacks::limited`].
    pub limited: [bool; 2],
}

impl Samples {
    /// Finds the stacks of some recorded events.
    pub fn new(
        profile: &Profile,
        inclusive: &Inclusive,
        events: &[usize],
        limits: StackLimits,
    ) -> Samples {
        let mut making = SampleMaker {
            wanted: events.len(),
            ..SampleMaker::default()
        };
        for &event in events {
            match Stacks::new(profile, inclusive, Event::Recorded(event), limits) {
                None => making.all.without.push(event),
                Some(stacks) => {
                    making.add(
                        profile,
                        event,
                        &stacks.with_inlined(profile, Event::Recorded(event)),
                    );
                }
            }
        }
        let mut all = making.all;
        all.links = making.links.into_iter().collect();
        for at in 0..all.events.len() {
            all.bound(profile, inclusive, at);
        }
        let width = all.events.len();
        let samples = making.samples.into_iter();
        all.samples = samples
            .map(|((link, place), mut counts)| {
                counts.resize(width, 0);
                Sample {
                    link,
                    place,
                    counts,
                }
            })
            .collect();
        // No two samples have the same link and place.
        all.samples.sort_unstable_by_key(|sample| {
            (
                sample.link,
                sample.place.map(|place| (place.file, place.line)),
            )
        });
        all
    }

    /// Sets the bounds of an event at chains that only other events have. There the event's count
    /// is rounded to 0.
    fn bound(&mut self, profile: &Profile, inclusive: &Inclusive, at: usize) {
        if self.basis != Some(Basis::Estimated) {
            return;
        }
        let mut graph = Collapsed::new(profile, inclusive, |row| {
            profile
                .events
                .counted(row, Event::Recorded(self.events[at]))
        });
        let mut calls: HashMap<(usize, usize), i128> = HashMap::default();
        for node in 0..graph.nodes.len() {
            calls.extend(
                graph
                    .inner(node)
                    .iter()
                    .map(|inner| ((node, inner.node), inner.cost)),
            );
        }
        let mut spans: Vec<(usize, CostBounds)> = Vec::with_capacity(self.links.len());
        for (number, link) in (0u32..).zip(&self.links) {
            let outer = link.outer.map(|outer| spans[outer as usize]);
            let node = match link.frame {
                Frame::Function(id) => Some(id.index()),
                Frame::Cycle(cycle) => Some(profile.functions.len() + cycle),
                Frame::Inlined(_) | Frame::Small => None,
            };
            let (node, span) = match (node, outer) {
                (Some(node), None) => (node, CostBounds::exact(graph.nodes[node].begins)),
                (Some(node), Some((outer, span))) => match calls.get(&(outer, node)) {
                    // Calls among contexts can be within a cycle of functions.
                    None if profile.contexts.is_some() => {
                        let most = graph.nodes[node].whole;
                        (node, CostBounds { least: 0, most })
                    }
                    cost => {
                        let cost = cost.copied().unwrap_or(0);
                        (node, graph.nodes[outer].below(span, cost))
                    }
                },
                (None, outer) => outer.unwrap_or((0, CostBounds::exact(0))),
            };
            spans.push((node, span));
            let own = graph.nodes[node].below(span, graph.nodes[node].own);
            if own.least < own.most && link.frame != Frame::Small {
                self.known
                    .entry((number, at))
                    .or_insert(Estimate::new(0, own.least, own.most));
            }
        }
    }
}

#[derive(Default)]
struct SampleMaker {
    all: Samples,
    links: IndexSet<SampleLink, RandomState>,
    samples: HashMap<(u32, Option<SourcePlace>), Vec<i128>>,
    /// How many events can have stacks.
    wanted: usize,
}

impl SampleMaker {
    fn add(&mut self, profile: &Profile, event: usize, stacks: &Stacks) {
        let at = self.all.events.len();
        self.all.events.push(event);
        self.all.basis = Some(stacks.basis);
        self.all.certain.push(stacks.certain);
        self.all.limited = [0, 1].map(|which| self.all.limited[which] || stacks.limited[which]);
        let mut chain: Vec<u32> = Vec::new();
        // The cost of each function at the end of each chain.
        let mut ends: Vec<(FunctionId, u32, i128)> = Vec::new();
        for stack in &stacks.stacks {
            chain.truncate(stack.depth as usize);
            let link = self.link(chain.last().copied(), stack.frame);
            chain.push(link);
            if !stack.own_known.is_exact() {
                self.all.known.insert((link, at), stack.own_known);
            }
            if stack.own == 0 {
                continue;
            }
            match stack.frame {
                // The lines of inlined code belong to other frames.
                Frame::Function(id) if profile.inlined.is_none() => {
                    ends.push((id, link, stack.own))
                }
                Frame::Function(_) | Frame::Cycle(_) | Frame::Small | Frame::Inlined(_) => {
                    self.count(link, None, at, stack.own)
                }
            }
        }
        ends.sort_by_key(|&(id, ..)| id);
        for ends in ends.chunk_by(|a, b| a.0 == b.0) {
            self.divide(profile, ends[0].0, event, at, ends);
        }
    }

    fn link(&mut self, outer: Option<u32>, frame: Frame) -> u32 {
        self.links.insert_full(SampleLink { outer, frame }).0 as u32
    }

    /// Divides the cost of a function on its chains among its lines. What the chains leave of a
    /// line belongs to small stacks.
    fn divide(
        &mut self,
        profile: &Profile,
        id: FunctionId,
        event: usize,
        at: usize,
        ends: &[(FunctionId, u32, i128)],
    ) {
        let lines = profile.lines_of(id);
        let count = |line| {
            profile
                .line_counts(line)
                .get(&profile.events, Event::Recorded(event))
                .unwrap_or(0)
        };
        let mut left: Vec<i128> = lines.iter().map(|line| count(line).into()).collect();
        let wanted: i128 = ends.iter().map(|&(_, _, own)| own).sum();
        let samples = ends.len().saturating_mul(lines.len());
        let too_many = self.samples.len().saturating_add(samples) > MAX_SAMPLES;
        if too_many || left.iter().any(|&left| left < 0) || left.iter().sum::<i128>() < wanted {
            ends.iter()
                .for_each(|&(_, link, own)| self.count(link, None, at, own));
            return;
        }
        for &(_, link, own) in ends {
            let parts = divide_exactly(own, &left).into_iter().enumerate();
            for (line, part) in parts.filter(|&(_, part)| part != 0) {
                left[line] -= part;
                let Line { file, line, .. } = lines[line];
                self.count(link, Some(SourcePlace { file, line }), at, part);
            }
        }
    }

    fn count(&mut self, link: u32, place: Option<SourcePlace>, at: usize, count: i128) {
        let wanted = self.wanted;
        let counts = self.samples.entry((link, place));
        let counts = counts.or_insert_with(|| Vec::with_capacity(wanted));
        counts.resize(counts.len().max(at + 1), 0);
        counts[at] += count;
    }
}
