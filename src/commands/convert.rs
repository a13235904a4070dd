//! `cgannotate convert`: a profile for other tools.

use super::output::{self, Output};
use super::{Usage, complain, inputs, merge};
use crate::analysis;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::stacks::{Basis, NegativeCosts, Stacks};
use crate::analysis::{Digest, Inclusive, Threshold, UnknownEvent};
use crate::cli::{ConvertArgs, ToArg};
use crate::export::{dot, folded, speedscope, webgrind};
use crate::profile::{Calls, Collect, Event, Profile};
use crate::source;
use anyhow::{Result, anyhow, bail};
use std::process::ExitCode;

/// Reads, adds up, writes.
pub(super) fn run(args: &ConvertArgs) -> Result<ExitCode> {
    check_options(args)?;
    output::keep_from_terminal(&args.output, "convert")?;
    let profile = match args.to {
        ToArg::Callgrind => merge::read(&args.files, &args.input)?,
        ToArg::Webgrind => inputs::read(&args.files, &args.input, Collect::ALL, Vec::new())?,
        ToArg::Folded | ToArg::Dot | ToArg::Speedscope => read_for_people(args)?,
    };
    let mut out = Output::open(&args.output)?;
    match args.to {
        ToArg::Callgrind => merge::write(&profile, &mut out)?,
        ToArg::Webgrind => to_webgrind(&profile, &mut out)?,
        ToArg::Dot => to_dot(args, &profile, &mut out)?,
        ToArg::Folded => {
            let (_, stacks) = stacks(args, &profile)?;
            folded::write(&profile, &stacks, &mut out)?;
        }
        ToArg::Speedscope => {
            let (event, stacks) = stacks(args, &profile)?;
            speedscope::write(&profile, &stacks, profile.events.name(event), &mut out)?;
        }
    }
    out.finish()?;
    Ok(inputs::status(&profile.warnings, &args.input))
}

/// Options that a format has no use for are mistakes.
fn check_options(args: &ConvertArgs) -> Result<()> {
    let has_event = matches!(args.to, ToArg::Folded | ToArg::Dot | ToArg::Speedscope);
    if !has_event && (args.show.is_some() || args.min_share.is_some()) {
        bail!(Usage("--show and --min-share are for folded, dot and speedscope".into()));
    }
    if args.to != ToArg::Dot && args.min_arc.is_some() {
        bail!(Usage("--min-arc is for dot".into()));
    }
    Ok(())
}

/// Reads with names as a report shows them, and with derived events.
fn read_for_people(args: &ConvertArgs) -> Result<Profile> {
    let collect = Collect { lines: false, calls: Calls::Arcs };
    let mut profile = inputs::read(&args.files, &args.input, collect, source::current_directory())?;
    inputs::derive(&mut profile.events, &args.input, &args.show)?;
    Ok(profile)
}

/// The event that is wanted.
fn event(args: &ConvertArgs, profile: &Profile) -> Result<Event> {
    let Some(name) = &args.show else {
        return Ok(Event::Recorded(0));
    };
    Ok(profile.events.find(name.as_bytes()).ok_or_else(|| UnknownEvent::new("--show", name, &profile.events))?)
}

fn share(given: &Option<Threshold>, percent: f64) -> f64 {
    given.as_ref().map_or(percent, |threshold| threshold.percent) / 100.0
}

fn stacks(args: &ConvertArgs, profile: &Profile) -> Result<(Event, Stacks)> {
    let event = event(args, profile)?;
    let inclusive = Inclusive::new(profile);
    let stacks = Stacks::new(profile, &inclusive, event, share(&args.min_share, 0.01)).map_err(|NegativeCosts| {
        let name = String::from_utf8_lossy(profile.events.name(event)).into_owned();
        anyhow!("{name} has costs below zero, of which no stacks can be made; --show chooses another event")
    })?;
    match stacks.basis {
        Basis::Recorded => {}
        Basis::Estimated => complain("stacks are estimated from calls: a function's cost is divided over its callers"),
        Basis::Flat => complain("there are no calls in this profile: every function is a stack of its own"),
    }
    Ok((event, stacks))
}

fn to_dot(args: &ConvertArgs, profile: &Profile, out: &mut Output) -> Result<()> {
    let event = event(args, profile)?;
    let inclusive = Inclusive::new(profile);
    let (node, arc) = (share(&args.min_share, 0.5), share(&args.min_arc, 0.1));
    let graph = CallGraph::new(profile, &inclusive, event, node, arc);
    let command = profile.parts.first().map_or(&b""[..], |part| &part.command);
    let event = String::from_utf8_lossy(profile.events.name(event));
    dot::write(&graph, &String::from_utf8_lossy(command), &event, out)?;
    Ok(())
}

fn to_webgrind(profile: &Profile, out: &mut Output) -> Result<()> {
    let digest = Digest::new(profile)?;
    if digest.unit > 1 {
        complain(&format!(
            "counts of 2^32 and more do not fit into webgrind's format: it gets units of {}",
            digest.unit
        ));
    }
    let lost = analysis::webgrind::left_out(profile);
    if !lost.is_empty() {
        let lost: Vec<_> = lost.iter().map(|name| String::from_utf8_lossy(name)).collect();
        complain(&format!("webgrind's format has one event; left out: {}", lost.join(", ")));
    }
    if profile.sizes.is_some() {
        complain("webgrind's format has no place for costs by the size of the input");
    }
    webgrind::write(&digest, out)?;
    Ok(())
}
