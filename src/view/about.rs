//! Summarizes what was read, for the head of a report.

use crate::profile::{Part, Profile, joined, to_text};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// If there are more inputs than this, the others are only counted.
const NAMED: usize = 10;

/// What the columns of counts show.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnMeaning {
    /// Events.
    #[default]
    Events,
    /// Threads, parts or similar, all for one event.
    Shares,
}

/// The inputs, and the runs that they record.
#[derive(Default)]
pub struct About<'a> {
    /// The first inputs, each with its creator. A creator may be empty.
    pub inputs: Vec<(&'a Path, &'a [u8])>,
    /// The number of further inputs.
    pub more_inputs: usize,
    /// The `desc:` lines that hold for all parts.
    pub descriptions: Vec<&'a [u8]>,
    /// The distinct commands that ran.
    pub commands: Vec<&'a [u8]>,
    /// The processes, parts and threads.
    pub details: Vec<String>,
    /// Which code is yours, if the report is about your code.
    pub own: Option<String>,
    /// What the columns of counts show.
    pub columns: ColumnMeaning,
}

impl<'a> About<'a> {
    /// The head of a report on a profile.
    pub fn new(profile: &'a Profile) -> About<'a> {
        let parts = &profile.parts;
        if let ([input], [part]) = (&profile.inputs[..], &parts[..]) {
            // If a file has only `part: 1`, the number says nothing. Xdebug writes it without a
            // process.
            let plain = part.pid.is_empty() && part.thread.is_empty() && part.number[..] == *b"1";
            let details = if plain { Vec::new() } else { details(part) };
            return About::of_part(part, input, details);
        }
        let creator = |input: usize| {
            parts
                .iter()
                .find(|p| p.input == input)
                .map_or(&b""[..], |p| &p.creator)
        };
        let inputs = profile
            .inputs
            .iter()
            .enumerate()
            .take(NAMED)
            .map(|(at, name)| (name.as_path(), creator(at)));
        let mut seen = BTreeSet::new();
        let commands = parts.iter().map(|part| &part.command[..]);
        let commands = commands.filter(|&command| !command.is_empty() && seen.insert(command));
        About {
            inputs: inputs.collect(),
            more_inputs: profile.inputs.len().saturating_sub(NAMED),
            descriptions: common_descriptions(parts),
            commands: commands.collect(),
            details: sum_of(parts),
            ..About::default()
        }
    }

    /// The head that `callgrind_annotate` prints for one part. It omits part and thread if there is
    /// no process.
    pub fn original(part: &'a Part, input: &'a Path) -> About<'a> {
        let details = if part.pid.is_empty() {
            Vec::new()
        } else {
            details(part)
        };
        About::of_part(part, input, details)
    }

    fn of_part(part: &'a Part, input: &'a Path, details: Vec<String>) -> About<'a> {
        About {
            inputs: vec![(input, &part.creator)],
            descriptions: part.descriptions.iter().map(Vec::as_slice).collect(),
            commands: Some(&part.command[..])
                .filter(|c| !c.is_empty())
                .into_iter()
                .collect(),
            details,
            ..About::default()
        }
    }
}

/// Process, part and thread of one part, if known.
fn details(part: &Part) -> Vec<String> {
    [
        ("PID ", &part.pid),
        ("part ", &part.number),
        ("thread ", &part.thread),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(label, value)| format!("{label}{}", to_text(value)))
    .collect()
}

/// Summarizes several parts.
fn sum_of(parts: &[Part]) -> Vec<String> {
    let mut pids: Vec<&[u8]> = Vec::new();
    let (mut seen, mut threads) = (BTreeSet::new(), BTreeSet::new());
    for part in parts {
        if !part.pid.is_empty() && seen.insert(&part.pid) {
            pids.push(&part.pid);
        }
        if !part.thread.is_empty() {
            threads.insert((&part.pid, &part.thread));
        }
    }
    let mut details = Vec::new();
    let listed = joined(pids.iter().map(to_text), " ");
    match pids.len() {
        0 => {}
        1 => details.push(format!("PID {listed}")),
        2..=NAMED => details.push(format!("PIDs {listed}")),
        many => details.push(format!("{many} processes")),
    }
    details.push(match parts.len() {
        1 => "1 part".into(),
        many => format!("{many} parts"),
    });
    match (threads.len(), threads.first()) {
        (1, Some((_, thread))) => details.push(format!("thread {}", to_text(thread))),
        (2.., _) => details.push(format!("{} threads", threads.len())),
        _ => {}
    }
    details
}

/// The descriptions that hold for all parts. The kind of a description is the text to the left of
/// its colon. A kind is included if all parts that have it have the same lines.
fn common_descriptions(parts: &[Part]) -> Vec<&[u8]> {
    fn kind(line: &[u8]) -> &[u8] {
        line.split(|&b| b == b':').next().unwrap_or_default()
    }
    // The first part with a kind has the lines that later ones must have.
    let mut first: BTreeMap<&[u8], usize> = BTreeMap::new();
    let (mut known, mut differ): (BTreeSet<&[u8]>, BTreeSet<&[u8]>) = Default::default();
    let mut common: Vec<&[u8]> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        for line in &part.descriptions {
            if *first.entry(kind(line)).or_insert(at) == at {
                common.push(line);
                known.insert(line);
            } else if !known.contains(&line[..]) {
                differ.insert(kind(line));
            }
        }
    }
    common.retain(|line| !differ.contains(kind(line)));
    common
}
