//! `cgannotate convert`: writes a profile in a format for other tools.

use super::{
    advice, code,
    console::{say, say_each},
    inputs, merge, named,
    output::{self, Output},
    own, tables,
    workflow::Content,
    zoom_target,
};
use crate::{
    analysis::{
        self, Basis, Digest, Frame, Inclusive, Selection, Session, Stacks, callgraph::CallGraph,
        own_profile::Between, samples::Samples,
    },
    cli::{ConvertArgs, ToArg},
    env,
    export::{dot, flamegraph, folded, pprof, speedscope, webgrind},
    profile::{Calls, Collect, Event, Lines, Profile, joined, to_text},
    request::convert::ConvertRequest,
    source,
    view::inlined,
};
use anyhow::{Error, Result, anyhow, bail};
use std::{path::PathBuf, process::ExitCode};

pub(super) fn run(request: &ConvertRequest) -> Result<ExitCode> {
    let args = &request.args;
    output::keep_from_terminal(&args.output, "convert")?;
    let [files] = named::inputs([&args.files])?;
    output::keep_inputs(args.output.file(), &files)?;
    let profile = match args.to {
        ToArg::Callgrind => merge::read(&files, &args.input)?,
        ToArg::Webgrind | ToArg::Tables => {
            let collect = Collect {
                code: args.code.inlined,
                ..Collect::ALL
            };
            args.input.read(&files, collect, Vec::new())?
        }
        _ => read_for_people(request, &files)?,
    };
    let profile = own_code(request, inlined(args, profile, &files)?)?;
    // Filters apply to what is written.
    advice::filters(&profile, &request.narrow)?;
    let whole = (profile.functions.len(), profile.arcs.len());
    let profile = narrowed(request, zoomed(args, profile)?);
    let status = args.input.status(&profile.warnings);
    if let (ToArg::Tables, Some(folder)) = (args.to, args.output.file()) {
        tables::write(args, folder, profile)?;
        return Ok(status);
    }
    let what = match args.to {
        ToArg::Webgrind | ToArg::Pprof => Content::Bytes,
        ToArg::Speedscope => Content::Json,
        _ => Content::Text,
    };
    let mut out = Output::open(&args.output, what)?;
    match args.to {
        ToArg::Tables => {}
        ToArg::Callgrind => merge::write(profile, 1, &mut out)?,
        ToArg::Webgrind => to_webgrind(&profile, &mut out)?,
        ToArg::Dot => to_dot(request, &profile, whole, &mut out)?,
        ToArg::Folded | ToArg::Flamegraph | ToArg::Speedscope => {
            let (event, stacks) = stacks(request, &profile)?;
            let event = profile.events.name(event);
            match args.to {
                ToArg::Folded => folded::write(&profile, &stacks, &mut out)?,
                ToArg::Speedscope => speedscope::write(&profile, &stacks, event, &mut out)?,
                _ => flamegraph::write(&profile, &stacks, event, None, &mut out)?,
            }
        }
        ToArg::Pprof => to_pprof(request, &profile, &mut out)?,
    }
    out.finish()?;
    Ok(status)
}

/// Reads the profile with names as in a report, and with derived events.
fn read_for_people(request: &ConvertRequest, files: &[PathBuf]) -> Result<Profile> {
    let args = &request.args;
    let calls = if args.code.inlined && request.own.is_some() {
        Calls::Sites
    } else {
        Calls::Arcs
    };
    let lines = if args.to == ToArg::Pprof || calls == Calls::Sites {
        Lines::All
    } else {
        Lines::None
    };
    let collect = Collect {
        lines,
        calls,
        code: args.code.inlined,
    };
    // Recorded names decide which code is yours. If that matters, the folder is stripped later.
    let strip = env::strip(request.own.is_none());
    let mut profile = args.input.read(files, collect, strip)?;
    args.input.derive(&mut profile.events, &args.show)?;
    Ok(profile)
}

/// Finds inlined functions, with `--inlined`.
fn inlined(args: &ConvertArgs, mut profile: Profile, files: &[PathBuf]) -> Result<Profile> {
    if args.code.inlined {
        code::inline(&mut profile, files, &args.code.debug_dirs, &[]);
        say_each(inlined::notes(&profile));
    }
    Ok(profile)
}

/// Applies the filters.
fn narrowed(request: &ConvertRequest, profile: Profile) -> Profile {
    if request.narrow.is_nothing() {
        return profile;
    }
    let has_contexts_alone = profile.tree.is_some() && profile.arcs.is_empty();
    let has_sizes = profile.sizes.is_some();
    let profile = analysis::narrowed(profile, &request.narrow);
    if has_contexts_alone {
        say("calls were recorded as calling contexts, which filters remove");
    }
    if has_sizes && request.args.to == ToArg::Webgrind {
        say(NO_SIZES);
    }
    advice::nothing_left(&request.narrow, profile.function_ids().count());
    profile
}

/// Reduces the profile to one function with its callers and callees, with `--zoom`.
fn zoomed(args: &ConvertArgs, profile: Profile) -> Result<Profile> {
    let Some(pattern) = &args.zoom else {
        return Ok(profile);
    };
    let selection = Selection::whole(profile.events.stored().collect());
    let session = Session::new(profile);
    let id = zoom_target::function(("--zoom", pattern), &args.input, &session, &selection)?;
    Ok(analysis::around(
        session.into_profile(),
        id,
        args.depth.unwrap_or(1),
    ))
}

/// Attributes library code to its callers, with `--own` or `--fold`.
fn own_code(request: &ConvertRequest, profile: Profile) -> Result<Profile> {
    let strip = |profile: &Profile| match request.args.to {
        ToArg::Callgrind | ToArg::Webgrind | ToArg::Tables => Vec::new(),
        _ => source::folder(profile),
    };
    let event = |profile: &Profile| inputs::event(request.args.show.as_ref(), profile).map(Some);
    let how = (Between::Calls, false);
    let [(profile, folds)] = own::fold([profile], request.own.as_ref(), how, strip, event)?;
    folds.iter().for_each(|folds| say(&folds.said));
    Ok(profile)
}

fn stacks(request: &ConvertRequest, profile: &Profile) -> Result<(Event, Stacks)> {
    let event = inputs::event(request.args.show.as_ref(), profile)?;
    let inclusive = Inclusive::new(profile);
    let stacks = Stacks::new(profile, &inclusive, event, request.limits()).ok_or_else(|| {
        let name = profile.events.text(event).into_owned();
        anyhow!("{name} has negative costs, so no stacks can be made\nhint: choose another event with --show")
    })?;
    match stacks.basis {
        Basis::Recorded => {}
        Basis::Estimated => say(format!(
            "{ESTIMATED}; the stacks of {} of the self cost are certain",
            stacks.certain.percent()
        )),
        Basis::Flat => say(FLAT),
    }
    let small = stacks
        .stacks
        .iter()
        .filter(|stack| stack.frame == Frame::Small);
    say_small(
        request,
        small.map(|stack| stack.own).sum(),
        stacks.certain.of,
        stacks.limited,
    );
    Ok((event, stacks.with_inlined(profile, event)))
}

/// Writes pprof's format. The file itself also says that stacks are estimates.
fn to_pprof(request: &ConvertRequest, profile: &Profile, out: &mut Output) -> Result<()> {
    let events: Vec<usize> = match &request.args.show {
        None => (0..profile.events.recorded().len()).collect(),
        name => match inputs::event(name.as_ref(), profile)? {
            Event::Recorded(at) => vec![at],
            Event::Derived(_) | Event::Ratio(_) => {
                bail!("pprof's format cannot hold derived events")
            }
        },
    };
    let inclusive = Inclusive::new(profile);
    let samples = Samples::new(profile, &inclusive, &events, request.limits());
    let name = |&event: &usize| to_text(&profile.events.recorded()[event]);
    if !samples.without.is_empty() {
        let without = joined(samples.without.iter().map(name), ", ");
        say(format!("omitted because of negative costs: {without}"));
    }
    let remark = match samples.basis {
        Some(Basis::Estimated) => {
            let certain = samples.events.iter().zip(&samples.certain);
            let shares: Vec<String> = certain
                .map(|(event, certain)| format!("{} of {}", certain.percent(), name(event)))
                .collect();
            let first = shares.first().map_or("", String::as_str);
            let text = |shares: &str| format!("{ESTIMATED}; the stacks of {shares} are certain");
            say(text(first));
            text(&shares.join(", "))
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
        request,
        small,
        samples.certain.first().map_or(0, |certain| certain.of),
        samples.limited,
    );
    pprof::write(profile, &samples, &remark, out)?;
    Ok(())
}

/// Reports the cost of small stacks if it is at least 1 %, or if they were merged for another
/// reason than their cost.
fn say_small(request: &ConvertRequest, small: i128, of: i128, limited: [bool; 2]) {
    let share = small as f64 / of as f64;
    let why = match limited {
        [true, _] => format!("stacks end after {} frames", request.limits().depth),
        [_, true] => "there are too many stacks to estimate each".into(),
        _ if request.limits().least > 0.0 && share >= 0.01 => "--min=0 lists each".into(),
        _ => return,
    };
    say(format!(
        "{:.1} % of the self cost is in `(small stacks)`; {why}",
        share * 100.0
    ));
}

/// What webgrind's format omits of an aprof report.
const NO_SIZES: &str = "webgrind's format cannot hold costs by input size";

/// The note on stacks if no call is known.
const FLAT: &str = "no calls were recorded: every function is a separate stack";

/// The note on stacks that were not recorded.
const ESTIMATED: &str =
    "stacks are estimated from calls: a function's cost is divided among its callers";

/// Writes a graph. `whole` counts the functions and arcs before filters were applied.
fn to_dot(
    request: &ConvertRequest,
    profile: &Profile,
    whole: (usize, usize),
    out: &mut Output,
) -> Result<()> {
    without_calls(profile, "the graph has");
    let event = inputs::event(request.args.show.as_ref(), profile)?;
    let inclusive = Inclusive::new(profile);
    let mut graph = CallGraph::new(profile, &inclusive, event, request.least());
    graph.left_out = (whole.0 - graph.nodes.len(), whole.1 - graph.edges.len());
    let command = profile.command();
    let event = profile.events.text(event);
    dot::write(&graph, &to_text(command), &event, out)?;
    Ok(())
}

/// Warns if inclusive costs lack calls. `who` shows the inclusive costs.
fn without_calls(profile: &Profile, who: &str) {
    if !profile.has_inclusive() {
        let lack = inputs::lack_of_calls(profile);
        say(format!("{lack}; {who} inclusive costs without them"));
    }
}

fn to_webgrind(profile: &Profile, out: &mut Output) -> Result<()> {
    without_calls(profile, "webgrind will show");
    let digest = Digest::new(profile).map_err(Error::msg)?;
    if digest.unit > 1 {
        say(format!(
            "counts of 2^32 and more do not fit into webgrind's format: its counts are in units of {}",
            digest.unit
        ));
    }
    let lost = analysis::webgrind::left_out(profile);
    if !lost.is_empty() {
        let lost = joined(lost.iter().map(to_text), ", ");
        say(format!(
            "webgrind's format has only one event; omitted: {lost}"
        ));
    }
    if profile.sizes.is_some() {
        say(NO_SIZES);
    }
    webgrind::write(&digest, out)?;
    Ok(())
}
