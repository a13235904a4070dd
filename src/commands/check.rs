//! `cgannotate check`: fails if a run exceeds limits, which can be relative to a baseline or a
//! history.

use super::console::{say, say_each};
use super::output::{self, Output, Reader};
use super::runs::{self, Bench, RunFiles};
use super::workflow::Content;
use super::{code, inputs, is_closed_pipe, limits, named, own};
use crate::analysis::budgets::{
    self, Against, Checked, Expression, Limit, NoValue, Noise, OwnOrigin, Parts, PastSample,
    Policy, RunCosts, Status,
};
use crate::analysis::difference::doubts::unchanged_source;
use crate::analysis::history::Rule;
use crate::analysis::own_profile::tells_inlined;
use crate::analysis::{Inclusive, Own, OwnCode, Set, WithInlined};
use crate::cli::{CheckArgs, ReportArg};
use crate::export::baseline;
use crate::export::check::{self, CheckForm};
use crate::profile::{Calls, Collect, FunctionId, Lines, Profile, StatedOwn, to_text};
use crate::render::screen::ScreenWriter;
use crate::request::check::CheckRequest;
use crate::request::refuse;
use crate::view::{Surface, inlined};
use crate::{env, input};
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
        [folder] if folder.is_dir() => runs::benches(folder, &args.baseline, &args.input)?,
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
    let read = |bench| BenchRun::read(bench, limits.clone(), &outputs, args, own);
    let runs: Vec<BenchRun> = benches.into_iter().map(read).collect::<Result<_>>()?;
    let all = runs.iter().map(|run| run.check(args, own));
    let checked = all
        .reduce(Checked::merged)
        .context("there are no benches")?;
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
            say(&format!("{e:#}"));
            false
        }
        _ => true,
    }
}

/// The definition of your code.
struct AskedOwn {
    set: Set,
    /// Whether inlined functions of your code are treated like other functions.
    inlined: bool,
}

/// Marks a baseline that was saved with `--inlined`, next to its patterns.
const INLINED: &[u8] = b"(with inlined functions)";

impl AskedOwn {
    /// The definition as a baseline states it.
    fn names(&self) -> Vec<String> {
        let mut names = self.set.names();
        names.extend(self.inlined.then(|| to_text(INLINED)));
        names
    }

    /// Whether a baseline was saved with the same definition of your code.
    fn is_same(&self, stated: &StatedOwn) -> bool {
        self.names()
            .iter()
            .map(String::as_bytes)
            .eq(stated.code.iter().map(Vec::as_slice))
    }
}

/// A run of a bench or a program, and the runs that it is compared with.
struct BenchRun {
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

impl BenchRun {
    /// Reads the runs. No output may replace one of them.
    fn read(
        Bench {
            name,
            files,
            baseline,
            again,
        }: Bench,
        mut limits: Vec<Limit>,
        outputs: &[&Path],
        args: &CheckArgs,
        own: Option<&AskedOwn>,
    ) -> Result<BenchRun> {
        let all = runs::list(&args.history, &args.input)?;
        let history = runs::of_bench(all, &files, !name.is_empty())?;
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
        inputs::derive(&mut new.profile.events, &args.input, &events(&limits))?;
        // If an event cannot be derived there, the other run does not have it. The limits report that.
        let other = |files: &[PathBuf]| -> Result<Option<MeasuredRun>> {
            if files.is_empty() {
                return Ok(None);
            }
            let mut other = MeasuredRun::read(files, args, own)?;
            let _ = inputs::derive(&mut other.profile.events, &args.input, &events(&limits));
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
        let past = past(args, &history, &limits, own)?;
        let usual = usual(&past, &limits, &new, args, own);
        Ok(BenchRun {
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

/// One run with its costs.
struct MeasuredRun {
    profile: Profile,
    inclusive: Inclusive,
    own: Option<Own>,
    /// The functions that were inlined at least once.
    inlined: BTreeSet<FunctionId>,
}

impl MeasuredRun {
    /// Reads the sum of profiles.
    fn read(files: &[PathBuf], args: &CheckArgs, own: Option<&AskedOwn>) -> Result<MeasuredRun> {
        // Reports name the first line of a function that exceeds a limit.
        let collect = if args.code.inlined {
            Collect::CODE
        } else {
            Collect {
                lines: Lines::Firsts,
                calls: Calls::Arcs,
                code: false,
            }
        };
        let mut profile = args.input.read(files, collect, left_out(own))?;
        let saved = stated(&profile).is_some_and(has_inlined);
        if profile.format.is_ours && saved != args.code.inlined {
            let (then, now) = if saved {
                ("with", "without")
            } else {
                ("without", "with")
            };
            bail!(
                "the baseline was saved {then} --inlined, but this run is checked {now}: their functions cannot be compared"
            );
        }
        if let Some(AskedOwn { set, inlined: true }) = own
            && profile.stated.is_none()
        {
            code::inline(&mut profile, files, &args.code.debug_dirs, &[])?;
            if !tells_inlined(&profile, set) {
                let why = inlined::notes(&profile).join("; ");
                bail!(
                    "{}: inlined functions are not known: {why}",
                    named::shown(files).join(" + ")
                );
            }
        }
        if let (Some(asked), None) = (own, stated(&profile)) {
            own::refuse_nothing(&asked.set, OwnCode::new(&profile, &asked.set).count())?;
        }
        let measured = MeasuredRun::new(profile, own);
        if let (Some(asked), Some(stated)) = (own, stated(&measured.profile))
            && measured.own.is_none()
            && !asked.is_same(stated)
        {
            let option = |name: &Vec<u8>| match &name[..] {
                INLINED => "--inlined".to_owned(),
                name => format!("--own-code={}", String::from_utf8_lossy(name)),
            };
            let options: Vec<String> = stated.code.iter().map(option).collect();
            say(&format!(
                "the baseline was saved with {}",
                options.join(" ")
            ));
        }
        Ok(measured)
    }

    fn new(profile: Profile, own: Option<&AskedOwn>) -> MeasuredRun {
        let saved = stated(&profile).map(|stated| stated.uncounted.clone());
        let (profile, inlined) = match (own, saved) {
            (_, Some(inlined)) => (profile, inlined),
            (Some(AskedOwn { set, inlined: true }), None) => {
                let with_inlined = WithInlined::new(profile, set);
                let inlined = with_inlined.inlined().collect();
                (with_inlined.profile, inlined)
            }
            _ => (profile, BTreeSet::new()),
        };
        let inclusive = Inclusive::new(&profile);
        // A baseline states the own costs that were known when it was saved.
        let computed = own.filter(|_| profile.has_inclusive() && !profile.format.is_ours);
        let computed =
            computed.map(|asked| Own::new(&profile, &OwnCode::new(&profile, &asked.set)));
        MeasuredRun {
            profile,
            inclusive,
            own: computed,
            inlined,
        }
    }

    fn side(&self, own: Option<&AskedOwn>) -> RunCosts<'_> {
        let stated = || {
            stated(&self.profile).filter(|stated| own.is_some_and(|asked| asked.is_same(stated)))
        };
        let own = self
            .own
            .as_ref()
            .map(OwnOrigin::Computed)
            .or_else(|| stated().map(OwnOrigin::Stated));
        RunCosts {
            profile: &self.profile,
            inclusive: &self.inclusive,
            own,
            inlined: &self.inlined,
        }
    }

    /// Saves the run as a baseline, with own costs if your code is defined.
    fn save(&self, path: &Path, own: Option<&AskedOwn>) -> Result<()> {
        let mut out = Output::file(path, Content::Text)?;
        let functions = budgets::in_baseline_order(&self.profile);
        let code = own.map(AskedOwn::names).unwrap_or_default();
        let own = self.own.as_ref().map(|own| baseline::BaselineOwn {
            own,
            code: &code,
            inlined: &self.inlined,
        });
        baseline::write(
            &mut out,
            &self.profile,
            &self.inclusive,
            own.as_ref(),
            &functions,
        )?;
        out.finish()
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
fn past(
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
        let _ = inputs::derive(&mut profile.events, &args.input, &named);
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
            .filter(|files| files.iter().all(|file| file.is_file()))
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
            let _ = inputs::derive(&mut profile.events, &args.input, &events(limits));
            found.insert(at, MeasuredRun::new(profile, own));
        }
    }
    found
}

/// The own costs that a saved baseline states.
fn stated(profile: &Profile) -> Option<&StatedOwn> {
    profile.stated.as_ref()?.own.as_deref()
}

/// Whether the baseline was saved with `--inlined`.
fn has_inlined(stated: &StatedOwn) -> bool {
    stated.code.iter().any(|name| name == INLINED)
}

/// The folder to strip from file names. Nothing is stripped if recorded names must decide which
/// code is yours.
fn left_out(own: Option<&AskedOwn>) -> Vec<u8> {
    env::strip(own.is_none())
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
    let reader = if report.form == CheckForm::Text {
        Reader::Person
    } else {
        Reader::Program(what)
    };
    match &report.to {
        Some(path) => Ok(ScreenWriter::new(
            Output::file(path, what)?,
            Surface::default(),
        )),
        None => Output::screen(&args.output, args.screen, reader),
    }
}
