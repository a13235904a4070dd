//! `cgannotate convert`: a profile for other tools.

use super::console::Console;
use super::inputs::{self, Inputs};
use super::output::{self, Output};
use super::workflow::Content;
use super::{advice, code, merge, named, own, tables, zoom_target};
use crate::analysis;
use crate::analysis::callgraph::CallGraph;
use crate::analysis::own_profile::Between;
use crate::analysis::samples::Samples;
use crate::analysis::stacks::{Basis, Frame, NegativeCosts, Stacks};
use crate::analysis::{Digest, Folds, Inclusive, Selection, Session, Threshold};
use crate::export::{dot, folded, pprof, speedscope, webgrind};
use crate::profile::{Calls, Collect, Event, Lines, Profile};
use crate::request::convert::{Graph, Request, Stacks as Which, Target};
use crate::source;
use crate::view::inlined;
use anyhow::{Result, anyhow, bail};
use std::path::PathBuf;
use std::process::ExitCode;

/// Reads, adds up, writes.
pub(super) fn run(request: &Request, console: &Console) -> Result<ExitCode> {
    output::keep_from_terminal(&request.to, "convert")?;
    let [files] = named::inputs([&request.files], console)?;
    output::keep_inputs(request.to.file(), &files)?;
    let profile = match &request.target {
        &Target::Callgrind(places) => {
            merge::read(&files, &request.reading, places, request.inlined, console)?
        }
        Target::Webgrind | Target::Tables(_) => {
            let collect = Collect {
                code: request.inlined,
                ..Collect::ALL
            };
            Inputs {
                files: &files,
                reading: &request.reading,
                console,
            }
            .read(collect, Vec::new())?
        }
        Target::Folded(_) | Target::Dot(_) | Target::Speedscope(_) | Target::Pprof(_) => {
            read_for_people(request, &files, console)?
        }
    };
    let profile = own_code(
        request,
        inlined(request, profile, &files, console)?,
        console,
    )?;
    // Filters are for what is written.
    advice::filters(&profile, &request.narrow)?;
    let whole = (profile.functions.len(), profile.arcs.len());
    let profile = narrowed(request, zoomed(request, profile, console)?, console);
    let status = inputs::status(&profile.warnings, &request.reading);
    if let Target::Tables(which) = &request.target {
        tables::write(which, profile, &request.reading)?;
        return Ok(status);
    }
    let what = match &request.target {
        Target::Webgrind | Target::Pprof(_) => Content::Bytes,
        Target::Speedscope(_) => Content::Json,
        _ => Content::Text,
    };
    let mut out = Output::open(&request.to, what)?;
    match &request.target {
        Target::Tables(_) => {}
        &Target::Callgrind(places) => merge::write(&profile, places, &mut out)?,
        Target::Webgrind => to_webgrind(&profile, &mut out, console)?,
        Target::Dot(graph) => to_dot(graph, &profile, whole, &mut out, console)?,
        Target::Folded(which) => {
            let (_, stacks) = stacks(which, &profile, console)?;
            folded::write(&profile, &stacks, &mut out)?;
        }
        Target::Pprof(which) => to_pprof(which, &profile, &mut out, console)?,
        Target::Speedscope(which) => {
            let (event, stacks) = stacks(which, &profile, console)?;
            speedscope::write(&profile, &stacks, profile.events.name(event), &mut out)?;
        }
    }
    out.finish()?;
    Ok(status)
}

/// Reads with names as a report shows them, and with derived events.
fn read_for_people(request: &Request, files: &[PathBuf], console: &Console) -> Result<Profile> {
    let lines = matches!(request.target, Target::Pprof(_));
    let calls = if request.inlined && request.own.is_some() {
        Calls::Sites
    } else {
        Calls::Arcs
    };
    let lines = if lines || calls == Calls::Sites {
        Lines::All
    } else {
        Lines::None
    };
    let collect = Collect {
        lines,
        calls,
        code: request.inlined,
    };
    // What is own code is decided from names as they were recorded.
    let strip = if request.own.is_some() {
        Vec::new()
    } else {
        source::current_directory()
    };
    let mut profile = Inputs {
        files,
        reading: &request.reading,
        console,
    }
    .read(collect, strip)?;
    inputs::derive(
        &mut profile.events,
        &request.reading,
        request.target.event(),
    )?;
    Ok(profile)
}

/// The profile, with what is known of inlined functions if that is asked for.
fn inlined(
    request: &Request,
    mut profile: Profile,
    files: &[PathBuf],
    console: &Console,
) -> Result<Profile> {
    if request.inlined {
        code::inline(&mut profile, files, &request.debug_dirs, &[], console)?;
        inlined::notes(&profile)
            .iter()
            .for_each(|note| console.say(note));
    }
    Ok(profile)
}

/// The profile, or what the filters leave of it.
fn narrowed(request: &Request, profile: Profile, console: &Console) -> Profile {
    if request.narrow.is_nothing() {
        return profile;
    }
    let has_contexts_alone = profile.tree.is_some() && profile.arcs.is_empty();
    let has_sizes = profile.sizes.is_some();
    let profile = analysis::narrowed(profile, &request.narrow);
    if has_contexts_alone {
        console.say("calls are recorded as calling contexts, which filters do not keep");
    }
    if has_sizes && matches!(request.target, Target::Webgrind) {
        console.say(NO_SIZES);
    }
    advice::nothing_left(&request.narrow, profile.function_ids().count(), console);
    profile
}

/// The profile, or one function with its callers and callees.
fn zoomed(request: &Request, profile: Profile, console: &Console) -> Result<Profile> {
    let Some((pattern, depth)) = &request.zoom else {
        return Ok(profile);
    };
    let selection = Selection::new(&profile.events, &[], &[], &Threshold::whole(100))?;
    let session = Session::new(profile);
    let id = zoom_target::function(
        pattern,
        request.reading.recursion,
        &session,
        &selection,
        console,
    )?;
    Ok(analysis::around(session.into_profile(), id, *depth))
}

/// The profile, or what is own code of it.
fn own_code(request: &Request, profile: Profile, console: &Console) -> Result<Profile> {
    let Some(set) = &request.own else {
        return Ok(profile);
    };
    own::check(&profile)?;
    own::mistyped(set, &[&profile], console);
    let strip = match request.target {
        Target::Callgrind(_) | Target::Webgrind | Target::Tables(_) => Vec::new(),
        Target::Folded(_) | Target::Dot(_) | Target::Speedscope(_) | Target::Pprof(_) => {
            source::folder(&profile)
        }
    };
    let (profile, folds) = Folds::new(profile, set, Between::Calls, &strip);
    own::refuse_nothing(set, folds.count)?;
    console.say(&folds.said);
    own::remarks(
        &folds,
        &profile,
        Some(inputs::event(request.target.event(), &profile)?),
        console,
    );
    Ok(profile)
}

fn stacks(which: &Which, profile: &Profile, console: &Console) -> Result<(Event, Stacks)> {
    let event = inputs::event(which.event.as_ref(), profile)?;
    let inclusive = Inclusive::new(profile);
    let stacks = Stacks::new(profile, &inclusive, event, which.limits).map_err(|NegativeCosts| {
        let name = profile.events.text(event).into_owned();
        anyhow!("{name} has costs below zero, of which no stacks can be made; --show chooses another event")
    })?;
    match stacks.basis {
        Basis::Recorded => {}
        Basis::Estimated => console.say(&format!(
            "{ESTIMATED}; the stacks of {} of the self cost are certain",
            stacks.certain.percent()
        )),
        Basis::Flat => console.say(FLAT),
    }
    let small = stacks
        .stacks
        .iter()
        .filter(|stack| stack.frame == Frame::Small);
    say_small(
        which,
        small.map(|stack| stack.own).sum(),
        stacks.certain.of,
        stacks.limited,
        console,
    );
    Ok((event, stacks.with_inlined(profile, event)))
}

/// Says in the file, too, what is estimated.
fn to_pprof(
    which: &Which,
    profile: &Profile,
    out: &mut Output<'_>,
    console: &Console,
) -> Result<()> {
    let events: Vec<usize> = match &which.event {
        None => (0..profile.events.recorded().len()).collect(),
        name => match inputs::event(name.as_ref(), profile)? {
            Event::Recorded(at) => vec![at],
            Event::Derived(_) => {
                bail!("pprof's format has recorded events, from which it derives none")
            }
        },
    };
    let inclusive = Inclusive::new(profile);
    let samples = Samples::new(profile, &inclusive, &events, which.limits);
    let name =
        |&event: &usize| String::from_utf8_lossy(&profile.events.recorded()[event]).into_owned();
    if !samples.without.is_empty() {
        let without: Vec<String> = samples.without.iter().map(name).collect();
        console.say(&format!(
            "left out, because of costs below zero: {}",
            without.join(", ")
        ));
    }
    let remark = match samples.basis {
        Some(Basis::Estimated) => {
            let certain = samples.events.iter().zip(&samples.certain);
            let shares: Vec<String> = certain
                .map(|(event, certain)| format!("{} of {}", certain.percent(), name(event)))
                .collect();
            let first = shares.first().map_or("", String::as_str);
            console.say(&format!("{ESTIMATED}; the stacks of {first} are certain"));
            format!(
                "{ESTIMATED}; the stacks of {} are certain",
                shares.join(", ")
            )
        }
        Some(Basis::Flat) => FLAT.into(),
        Some(Basis::Recorded) | None => String::new(),
    };
    let small = samples
        .samples
        .iter()
        .filter(|sample| samples.links[sample.link as usize].frame == Frame::Small);
    let small = small.filter_map(|sample| sample.counts.first()).sum();
    say_small(
        which,
        small,
        samples.certain.first().map_or(0, |certain| certain.of),
        samples.limited,
        console,
    );
    pprof::write(profile, &samples, &remark, out)?;
    Ok(())
}

/// Says how much is in stacks that are not told apart, if that is much or if it is not for their size.
fn say_small(which: &Which, small: i128, of: i128, limited: [bool; 2], console: &Console) {
    let share = small as f64 / of as f64;
    let why = match limited {
        [true, _] => format!("stacks end after {} frames", which.limits.depth),
        [_, true] => "there are too many to estimate each".into(),
        _ if which.limits.least > 0.0 && share >= 0.01 => "--min=0 tells these apart".into(),
        _ => return,
    };
    console.say(&format!(
        "{:.1} % of the self cost is in `(small stacks)`; {why}",
        share * 100.0
    ));
}

/// What webgrind's files leave out of an aprof report.
const NO_SIZES: &str = "webgrind's format has no place for costs by the size of the input";

/// What is said of stacks where no call is known.
const FLAT: &str = "there are no calls: every function is a stack of its own";

/// How stacks come about that were not recorded.
const ESTIMATED: &str =
    "stacks are estimated from calls: a function's cost is divided over its callers";

/// Writes a graph of what filters left of a profile, which had so many functions and arcs.
fn to_dot(
    which: &Graph,
    profile: &Profile,
    whole: (usize, usize),
    out: &mut Output<'_>,
    console: &Console,
) -> Result<()> {
    if !profile.has_inclusive() {
        console.say(&format!(
            "{}; the graph has inclusive costs without them",
            inputs::lack_of_calls(profile)
        ));
    }
    let event = inputs::event(which.event.as_ref(), profile)?;
    let inclusive = Inclusive::new(profile);
    let mut graph = CallGraph::new(profile, &inclusive, event, which.function);
    graph.left_out = (whole.0 - graph.nodes.len(), whole.1 - graph.edges.len());
    let command = profile.command();
    let event = profile.events.text(event);
    dot::write(&graph, &String::from_utf8_lossy(command), &event, out)?;
    Ok(())
}

fn to_webgrind(profile: &Profile, out: &mut Output<'_>, console: &Console) -> Result<()> {
    if !profile.has_inclusive() {
        console.say(&format!(
            "{}; webgrind will show inclusive costs without them",
            inputs::lack_of_calls(profile)
        ));
    }
    let digest = Digest::new(profile)?;
    if digest.unit > 1 {
        console.say(&format!(
            "counts of 2^32 and more do not fit into webgrind's format: it gets units of {}",
            digest.unit
        ));
    }
    let lost = analysis::webgrind::left_out(profile);
    if !lost.is_empty() {
        let lost: Vec<_> = lost
            .iter()
            .map(|name| String::from_utf8_lossy(name))
            .collect();
        console.say(&format!(
            "webgrind's format has one event; left out: {}",
            lost.join(", ")
        ));
    }
    if profile.sizes.is_some() {
        console.say(NO_SIZES);
    }
    webgrind::write(&digest, out)?;
    Ok(())
}
