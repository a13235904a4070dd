//! A report of one's own: which object (program, library) calls which, how often, and what these calls cost.
//! `cargo run --example objects -- callgrind.out.1234`

use cgannotate::input::{self, Options};
use cgannotate::profile::{Calls, Collect, Event, Lines};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    io::stdout().write_all(calls_between_objects(&files)?.as_bytes())?;
    Ok(())
}

/// Walks all arcs and adds up those that lead from one object to another.
pub fn calls_between_objects(files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    // What is not collected takes neither time nor memory: no lines, no call sites.
    let collect = Collect {
        lines: Lines::None,
        calls: Calls::Arcs,
        code: false,
    };
    let profile = input::read(
        files,
        &Options {
            collect,
            ..Options::all()
        },
    )?;
    let event = Event::Recorded(0);

    let mut borders: BTreeMap<_, (u64, i64)> = BTreeMap::new();
    for arc in &profile.arcs {
        let [from, to] =
            [arc.caller, arc.callee].map(|id| profile.name(profile.function(id).object));
        if from != to {
            let (calls, cost) = borders.entry((from, to)).or_default();
            *calls = calls.saturating_add(arc.count);
            *cost = cost.saturating_add(
                profile
                    .arc_counts(arc)
                    .get(&profile.events, event)
                    .unwrap_or(0),
            );
        }
    }
    let mut text = String::new();
    for ((from, to), (calls, cost)) in borders {
        let [from, to] = [from, to].map(String::from_utf8_lossy);
        writeln!(text, "{calls:>10} calls {cost:>12}  {from} -> {to}")?;
    }
    Ok(text)
}
