//! The stacks of all events together, as samples: a chain of frames, the line at its end, and the
//! counts there.
//!
//! Stacks are found event by event ([`super::stacks`]), because each event is divided among callers
//! by its own costs. Chains that several events have are one chain here. The cost of a function on
//! a chain is divided among its lines. The counts of each chain and of each line remain exact. How
//! much of a line belongs to which chain is only proportional.

use super::bounds::{Certain, Collapsed, CostBounds};
use super::stacks::StackLimits;
use super::{Basis, Estimate, Frame, Inclusive, Stacks};
use crate::profile::{Event, FunctionId, NameId, Profile};
use foldhash::HashMap;
use std::cmp::Reverse;

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
        for at in 0..all.events.len() {
            all.bound(profile, inclusive, at);
        }
        let width = all.events.len();
        all.samples
            .iter_mut()
            .for_each(|sample| sample.counts.resize(width, 0));
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
    links: HashMap<SampleLink, u32>,
    samples: HashMap<(u32, Option<SourcePlace>), u32>,
    /// How many events can have stacks.
    wanted: usize,
    dues: Vec<Due>,
}

/// How a line is divided: its remaining count, and the integer part and the remainder of its due.
#[derive(Clone)]
struct Due {
    left: i128,
    whole: i128,
    remainder: i128,
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
        let (link, next) = (SampleLink { outer, frame }, self.all.links.len() as u32);
        let at = *self.links.entry(link).or_insert(next);
        if at == next {
            self.all.links.push(link);
        }
        at
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
        let mut dues = std::mem::take(&mut self.dues);
        dues.clear();
        dues.extend(lines.iter().map(|line| Due {
            left: count(line).into(),
            whole: 0,
            remainder: 0,
        }));
        let mut sum: i128 = dues.iter().map(|due| due.left).sum();
        let wanted: i128 = ends.iter().map(|&(_, _, own)| own).sum();
        let too_many = self
            .all
            .samples
            .len()
            .saturating_add(ends.len().saturating_mul(lines.len()))
            > MAX_SAMPLES;
        if too_many || dues.iter().any(|due| due.left < 0) || sum < wanted {
            ends.iter()
                .for_each(|&(_, link, own)| self.count(link, None, at, own));
            self.dues = dues;
            return;
        }
        let mut order: Vec<(i128, usize)> = Vec::new();
        for &(_, link, own) in ends {
            // A due with a fraction is below what is left of the line, so one more can be taken
            // there.
            let mut rest = own;
            for due in &mut dues {
                (due.whole, due.remainder) = share(due.left, own, sum);
                rest -= due.whole;
            }
            if rest > 0 {
                let remainders = dues
                    .iter()
                    .enumerate()
                    .map(|(line, due)| (due.remainder, line));
                order.clear();
                order.extend(remainders.filter(|&(remainder, _)| remainder != 0));
                order.sort_unstable_by_key(|&(remainder, line)| (Reverse(remainder), line));
                let more = order.iter().take(usize::try_from(rest).unwrap_or(0));
                more.for_each(|&(_, line)| dues[line].whole += 1);
            }
            for (line, due) in lines.iter().zip(&mut dues) {
                due.left -= due.whole;
                if due.whole != 0 {
                    self.count(
                        link,
                        Some(SourcePlace {
                            file: line.file,
                            line: line.line,
                        }),
                        at,
                        due.whole,
                    );
                }
            }
            sum -= own;
        }
        self.dues = dues;
    }

    fn count(&mut self, link: u32, place: Option<SourcePlace>, at: usize, count: i128) {
        let next = self.all.samples.len() as u32;
        let sample = *self.samples.entry((link, place)).or_insert(next);
        if sample == next {
            self.all.samples.push(Sample {
                link,
                place,
                counts: Vec::with_capacity(self.wanted),
            });
        }
        let counts = &mut self.all.samples[sample as usize].counts;
        counts.resize(counts.len().max(at + 1), 0);
        counts[at] += count;
    }
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
