//! `cgannotate check`: fails if a run exceeds limits, which can be relative to a baseline or a
//! history.

mod measured;

use super::{
    console::{say, say_each},
    inputs, is_closed_pipe, limits, named,
    output::{self, Output},
    runs::{self, Bench, RunFiles, RunSeries},
    workflow::Content,
};
use crate::{
    analysis::{
        budgets::{
            self, Against, Checked, Expression, Limit, NoValue, Noise, Parts, PastSample, Policy,
            Status,
        },
        difference::doubts::unchanged_source,
        history::Rule,
    },
    cli::{CheckArgs, ReportArg},
    export::check::{self, CheckForm},
    input,
    profile::{Calls, Collect},
    render::screen::ScreenWriter,
    request::{check::CheckRequest, refuse},
    view::Surface,
};
use anyhow::Result;
use measured::{AskedOwn, MeasuredRun, has_inlined, left_out, stated};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// Reads the runs, checks the limits and reports. Saves the new run as a baseline if asked.
pub(super) fn run(request: &CheckRequest) -> Result<ExitCode> {
    let args = &request.args;
    let (limits, own) = limits::collect(request)?;
    let has = |needs: fn(&Expression) -> bool| limits.iter().any(|limit| needs(&limit.expression));
    let needs_own = has(Expression::needs_own_code);
    refuse([
        (
            limits.is_empty() && args.save_baseline.is_none(),
            "nothing to check\nhint: give a --limit, or write limits into cgannotate.toml",
        ),
        (
            own.is_none() && (needs_own || args.code.inlined),
            "limits on own cost and --inlined need --own-code\nhint: it says which functions are your code (own-code in cgannotate.toml)",
        ),
        (
            !args.history.is_empty() && !has(Expression::needs_history),
            "--history is for limits on noise, but none is given\nhint: such a limit is 'total.Ir <= noise'",
        ),
    ])?;
    let own = own.filter(|_| args.code.inlined || args.save_baseline.is_some() || needs_own);
    let own = own.map(|set| AskedOwn {
        set,
        inlined: args.code.inlined,
    });
    let own = own.as_ref();
    let mut benches = match &args.files[..] {
        [folder] if folder.is_dir() => {
            // The runs of a history have no calibrations.
            runs::benches(folder, &args.baseline, &args.input, args.history.is_empty())?
        }
        _ => Vec::new(),
    };
    refuse([(
        !benches.is_empty() && (!args.again.is_empty() || args.save_baseline.is_some()),
        "--again and --save-baseline are for one run, not for a folder of benches",
    )])?;
    if benches.is_empty() {
        let [files, baseline, again] = named::inputs([&args.files, &args.baseline, &args.again])?;
        benches.push(Bench {
            name: String::new(),
            files,
            baseline,
            again,
        });
    }
    let outputs = request
        .reports
        .iter()
        .filter_map(|report| report.to.as_deref())
        .chain(args.output.file());
    let outputs: Vec<&Path> = outputs.collect();
    let past = runs::list(&args.history, &args.input)?;
    // If no bench has a run to compare it with, they are not new, but something is wrong.
    let may_be_new = args.allow_missing && benches.iter().any(|bench| !bench.baseline.is_empty());
    let read = |bench: Bench| {
        let mut limits = limits.clone();
        let needs_baseline = |limit: &Limit| limit.expression.needs_baseline();
        if may_be_new && bench.baseline.is_empty() && limits.iter().any(needs_baseline) {
            say(format!(
                "{}: relative limits are skipped, because there is no run to compare it with",
                bench.name
            ));
            limits.retain(|limit| !needs_baseline(limit));
        }
        CheckedRun::read(bench, limits, (&outputs, &past), args, own)
    };
    let runs: Vec<CheckedRun> = benches.into_iter().map(read).collect::<Result<_>>()?;
    let all = runs.iter().map(|run| run.check(args, own));
    let checked = all.fold(Checked::default(), Checked::merged);
    say_each(&checked.remarks);
    let (mut printed, mut written) = (true, true);
    if !limits.is_empty() || !checked.doubts.is_empty() {
        for report in &request.reports {
            let place = if report.to.is_some() || args.output.file().is_some() {
                &mut written
            } else {
                &mut printed
            };
            *place &= is_written(write(report, args, &checked));
        }
    }
    if let (Some(path), [run]) = (&args.save_baseline, &runs[..])
        && budgets::doubts(&run.new.profile).is_empty()
    {
        written &= is_written(run.new.save(path, own));
    }
    Ok(match checked.status {
        // A job that waits for a file must not continue without it.
        _ if !written => ExitCode::FAILURE,
        Status::Kept => ExitCode::from(u8::from(!printed)),
        Status::Exceeded => ExitCode::from(3),
        Status::Unknown => ExitCode::from(4),
    })
}

fn write(report: &ReportArg, args: &CheckArgs, checked: &Checked) -> Result<()> {
    let mut out = open(report, args)?;
    let width = out.surface.width;
    check::write(report.form, checked, width, &mut out)?;
    out.into_inner().finish()
}

/// Whether a report was written. A failure is printed, and the other reports and the exit status
/// are still made. A closed pipe is not a failure.
fn is_written(done: Result<()>) -> bool {
    match done {
        Err(e) if !is_closed_pipe(&e) => {
            say(format!("{e:#}"));
            false
        }
        _ => true,
    }
}

/// A run of a bench or a program, and the runs that it is compared with.
struct CheckedRun {
    /// The name of the bench with a colon, which precedes what is said of it. Empty if it is no
    /// bench.
    prefix: String,
    /// The limits, each with the name of the bench.
    limits: Vec<Limit>,
    new: MeasuredRun,
    baseline: Option<MeasuredRun>,
    again: Option<MeasuredRun>,
    past: Past,
    /// The runs with median costs, by their places in the history.
    usual: BTreeMap<usize, MeasuredRun>,
}

impl CheckedRun {
    /// Reads the runs. No output may replace one of them.
    fn read(
        Bench {
            name,
            files,
            baseline,
            again,
        }: Bench,
        mut limits: Vec<Limit>,
        (outputs, past): (&[&Path], &[RunSeries]),
        args: &CheckArgs,
        own: Option<&AskedOwn>,
    ) -> Result<CheckedRun> {
        let history = runs::history_of(&files, past, !name.is_empty())?;
        for to in outputs {
            let inputs = files
                .iter()
                .chain(&baseline)
                .chain(&again)
                .chain(&args.config);
            output::keep_inputs(
                Some(to),
                inputs.chain(history.iter().flat_map(|run| &run.files)),
            )?;
        }
        output::keep_inputs(
            args.save_baseline.as_deref(),
            files.iter().chain(&again).chain(&args.config),
        )?;
        let prefix = if name.is_empty() { name } else { name + ": " };
        for limit in &mut limits {
            limit.name.insert_str(0, &prefix);
        }
        let mut new = MeasuredRun::read(&files, args, own)?;
        args.input
            .derive(&mut new.profile.events, &events(&limits))?;
        // If an event cannot be derived there, the other run does not have it. The limits report that.
        let other = |files: &[PathBuf]| -> Result<Option<MeasuredRun>> {
            if files.is_empty() {
                return Ok(None);
            }
            let mut other = MeasuredRun::read(files, args, own)?;
            let _ = args
                .input
                .derive(&mut other.profile.events, &events(&limits));
            Ok(Some(other))
        };
        let old = other(&baseline)?;
        // A saved baseline may be replaced, but a recording would be lost.
        if old.as_ref().is_some_and(|old| !old.profile.format.is_ours) {
            output::keep_inputs(args.save_baseline.as_deref(), &baseline)?;
        }
        // Limits need only the first line of a function, so all lines are read here. The first reading
        // said what is wrong with the files.
        if let Some(old) = &old
            && old.profile.line_hashes().is_some()
            && new.profile.line_hashes().is_some()
        {
            let collect = Collect {
                calls: Calls::None,
                ..Collect::ALL
            };
            let options = args.input.options(collect, left_out(own));
            if let (Ok(old), Ok(new)) = (
                input::read(&baseline, &options),
                input::read(&files, &options),
            ) {
                say_each(unchanged_source(&old, &new).map(|said| prefix.clone() + &said));
            }
        }
        let again = other(&again)?;
        let past = noise(args, &history, &limits, own)?;
        let usual = usual(&past, &limits, &new, args, own);
        Ok(CheckedRun {
            prefix,
            limits,
            new,
            baseline: old,
            again,
            past,
            usual,
        })
    }

    /// Checks the limits.
    fn check(&self, args: &CheckArgs, own: Option<&AskedOwn>) -> Checked<'_> {
        let side_of = |noise: &Option<Result<Noise, NoValue>>| {
            let at = noise.as_ref()?.as_ref().ok()?.usual;
            self.usual.get(&at).map(|run| run.side(own))
        };
        let against = Against {
            baseline: self.baseline.as_ref().map(|old| old.side(own)),
            again: self.again.as_ref().map(|again| again.side(own)),
            past: self.past.noise.clone(),
            parts: self.past.parts,
            usual: self.past.noise.iter().map(side_of).collect(),
            ..Against::default()
        };
        let policy = if args.allow_missing {
            Policy::MayBeMissing
        } else {
            Policy::Required
        };
        let parts_are = if args.input.allow_truncated {
            Parts::Any
        } else {
            Parts::Compared
        };
        let mut checked = Checked::new(
            &self.limits,
            self.new.side(own),
            &against,
            policy,
            parts_are,
        );
        for remark in &mut checked.remarks {
            remark.insert_str(0, &self.prefix);
        }
        checked
    }
}

/// What is known from the history.
#[derive(Default)]
struct Past {
    /// The noise for each limit that needs it.
    noise: Vec<Option<Result<Noise, NoValue>>>,
    /// The files of the runs that can be trusted.
    runs: Vec<Vec<PathBuf>>,
    /// The smallest number of parts among the latest of these runs. `None` if it is unknown for one
    /// of them.
    parts: Option<u64>,
}

/// Reads the history and computes the noise for each limit. Runs that cannot be trusted are
/// skipped.
fn noise(
    args: &CheckArgs,
    runs: &[RunFiles],
    limits: &[Limit],
    own: Option<&AskedOwn>,
) -> Result<Past> {
    if args.history.is_empty() {
        return Ok(Past::default());
    }
    let asked: Vec<Option<&Limit>> = limits
        .iter()
        .map(|limit| Some(limit).filter(|limit| limit.expression.needs_history()))
        .collect();
    let needs_calls = asked
        .iter()
        .flatten()
        .any(|limit| limit.expression.needs_calls());
    let calls = if needs_calls {
        Calls::Arcs
    } else {
        Calls::None
    };
    let collect = Collect {
        calls,
        ..Collect::FUNCTIONS
    };
    let strip = left_out(own);
    let named = events(limits);
    let reads = runs::each(runs, &args.input, collect, &strip, |at, mut profile| {
        if !profile.format.is_ours {
            output::keep_inputs(args.save_baseline.as_deref(), &runs[at].files)?;
        }
        let mut doubts = budgets::doubts(&profile);
        let parts = profile.part_count();
        if stated(&profile).is_some_and(has_inlined) {
            let name = profile.input_name(0);
            doubts.push(format!("{name}: this baseline was saved with --inlined"));
        }
        let _ = args.input.derive(&mut profile.events, &named);
        let measured = MeasuredRun::new(profile, own);
        let sample = |limit: &Option<&Limit>| {
            limit.map(|limit| PastSample::new(&limit.expression, measured.side(own)))
        };
        Ok((doubts, parts, asked.iter().map(sample).collect::<Vec<_>>()))
    })?;
    // Prints one note for each kind of doubt, which is the text after the name of the input.
    let mut kinds: BTreeMap<&str, (&str, usize)> = BTreeMap::new();
    for doubt in reads.all.iter().filter_map(|(doubts, ..)| doubts.first()) {
        let kind = doubt.split_once(": ").map_or(&doubt[..], |(_, kind)| kind);
        kinds.entry(kind).or_insert((doubt, 0)).1 += 1;
    }
    let told = kinds.into_values().map(|(doubt, runs)| {
        let are = if runs == 1 {
            "is".to_owned()
        } else {
            format!("and {} more are", runs - 1)
        };
        format!("{doubt}; this run {are} not used for the history")
    });
    inputs::say_some(told, "kinds of doubts about runs of the history");
    let mut counts: Vec<Option<u64>> = Vec::new();
    let (runs, sound): (Vec<_>, Vec<_>) = (reads.runs.iter().zip(reads.all))
        .filter(|(_, (doubts, ..))| doubts.is_empty())
        .inspect(|(_, (_, parts, _))| counts.push(*parts))
        .map(|(run, (.., samples))| (run.files.clone(), samples))
        .unzip();
    // The number of threads and dumps may vary. If it is unknown for one run, so is the minimum.
    let parts = counts
        .iter()
        .rev()
        .take(Rule::USUAL.window)
        .min()
        .copied()
        .flatten();
    let noise = |at: usize| {
        asked[at].map(|_| {
            Noise::new(
                sound.iter().filter_map(|samples| samples[at].as_ref()),
                &Rule::USUAL,
            )
        })
    };
    Ok(Past {
        noise: (0..limits.len()).map(noise).collect(),
        runs,
        parts,
    })
}

/// For limits on noise that this run exceeds, reads the runs with the median costs again. Only now
/// is it known which these are. The keys are places in the history. Inputs that can be read only
/// once are skipped.
fn usual(
    Past { noise, runs, .. }: &Past,
    limits: &[Limit],
    new: &MeasuredRun,
    args: &CheckArgs,
    own: Option<&AskedOwn>,
) -> BTreeMap<usize, MeasuredRun> {
    let mut found = BTreeMap::new();
    for (limit, noise) in limits.iter().zip(noise) {
        let Some(Ok(noise)) = noise else {
            continue;
        };
        let at = noise.usual;
        let Some(files) = runs
            .get(at)
            .filter(|files| files.iter().all(|file| input::is_lasting(file)))
        else {
            continue;
        };
        if found.contains_key(&at)
            || !PastSample::new(&limit.expression, new.side(own)).exceeds(noise)
        {
            continue;
        }
        let collect = Collect {
            calls: Calls::Arcs,
            ..Collect::FUNCTIONS
        };
        if let Ok(mut profile) = input::read(files, &args.input.options(collect, left_out(own))) {
            let _ = args.input.derive(&mut profile.events, &events(limits));
            found.insert(at, MeasuredRun::new(profile, own));
        }
    }
    found
}

/// The events that limits name.
fn events(limits: &[Limit]) -> Vec<String> {
    limits
        .iter()
        .flat_map(|limit| limit.expression.events())
        .map(str::to_owned)
        .collect()
}

fn open(report: &ReportArg, args: &CheckArgs) -> Result<ScreenWriter<Output>> {
    let what = match report.form {
        CheckForm::Text | CheckForm::Markdown => Content::Text,
        CheckForm::Json => Content::Json,
        CheckForm::Junit => Content::Markup,
        CheckForm::Github => Content::Commands,
    };
    match &report.to {
        Some(path) => Ok(ScreenWriter::new(
            Output::file(path, what)?,
            Surface::default(),
        )),
        None => Output::screen(
            &args.output,
            args.screen,
            what,
            report.form == CheckForm::Text,
        ),
    }
}
