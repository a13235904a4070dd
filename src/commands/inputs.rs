//! Reads the inputs of a command and prints their warnings to standard error.

use super::{
    Usage,
    console::{say, say_each},
    named,
    progress::Progress,
};
use crate::{
    analysis::{UnknownEvent, at_once::at_once},
    cli::InputArgs,
    fs::size,
    input::{self, ErrorKind},
    profile::{
        Collect, Event, Events, Profile, Shares, SplitBy, Warning, WarningKind, Warnings, to_text,
    },
    record,
    source::SourceError,
    text::{names, some},
    view::sources::Unreadable,
};
use anyhow::{Result, anyhow, bail};
use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

/// How many warnings of one kind are printed.
const PRINTED: usize = 10;

impl InputArgs {
    /// Reads the sum of files and prints warnings. `strip` is the folder to remove from file names.
    pub(super) fn read(
        &self,
        files: &[PathBuf],
        collect: Collect,
        strip: Vec<u8>,
    ) -> Result<Profile> {
        let (shown, progress) = Progress::start(files);
        let options = input::Options {
            progress,
            ..self.options(collect, strip)
        };
        let profile = input::read(files, &options);
        drop(shown);
        self.reported(files, profile)
    }

    /// Returns a profile after printing its warnings.
    fn reported(&self, files: &[PathBuf], read: Result<Profile, input::Error>) -> Result<Profile> {
        let mut profile = read.map_err(advised)?;
        self.forget_what_is_meant(&mut profile);
        say_left_out(files);
        self.report_warnings([&profile.warnings])?;
        Ok(profile)
    }

    /// Reads the inputs split into shares, and prints warnings.
    pub(super) fn read_split(
        &self,
        files: &[PathBuf],
        collect: Collect,
        strip: Vec<u8>,
        by: SplitBy,
    ) -> Result<Shares> {
        let shares =
            input::read_split(files, &self.options(collect, strip), by).map_err(advised)?;
        say_left_out(files);
        self.report_warnings([shares.warnings()])?;
        Ok(shares)
    }

    /// Reads two sides, each the sum of its files. Prints the warnings of the first side, then
    /// those of the second.
    ///
    /// With several threads, both sides are read at the same time. This is faster than sharing the
    /// work on each side, because nothing must be joined. If one side is much larger, all threads
    /// would soon wait for one, so the sides are read in turn. So are pipes: the second may deliver
    /// nothing before problems with the first are reported.
    pub(super) fn read_both(
        &self,
        sides: [&[PathBuf]; 2],
        collect: Collect,
        strip: &[u8],
    ) -> Result<[Profile; 2]> {
        let [first, second] = sides;
        let threads = self.threads();
        if threads < 2 || !are_alike(sides.map(size)) {
            return Ok([
                self.read(first, collect, strip.to_vec())?,
                self.read(second, collect, strip.to_vec())?,
            ]);
        }
        let (shown, progress) = Progress::start(&sides.concat());
        let options = |threads| input::Options {
            progress: progress.clone(),
            threads,
            ..self.options(collect, strip.to_vec())
        };
        let [of_first, of_second] = [options(threads.div_ceil(2)), options(threads / 2)];
        let (one, other) = at_once(
            threads,
            || input::read(first, &of_first),
            || input::read(second, &of_second),
        );
        drop(shown);
        Ok([self.reported(first, one)?, self.reported(second, other)?])
    }

    /// Defines the events of `--event`, and the built-in ones that are named.
    pub(super) fn derive<'a>(
        &self,
        events: &mut Events,
        named: impl IntoIterator<Item = &'a String>,
    ) -> Result<()> {
        for definition in &self.events {
            if let Err(problem) = events.derive(definition) {
                bail!(Usage(format!(
                    "--event {}: {problem}",
                    to_text(&definition.name)
                )));
            }
        }
        for name in named {
            events.define_built_in(name.as_bytes());
        }
        Ok(())
    }

    /// The exit status of a command that has done its work. It is 1 if an input was truncated,
    /// unless that is accepted.
    pub(super) fn status(&self, warnings: &Warnings) -> ExitCode {
        ExitCode::from(u8::from(
            warnings.has(WarningKind::Truncated) && !self.allow_truncated,
        ))
    }

    /// Removes the warning that inputs differ if that is expected. A recording of several programs
    /// has a file for each. Within one recording, the warning can only be about programs, because
    /// Valgrind counts the same events in all of them.
    pub(super) fn forget_what_is_meant(&self, profile: &mut Profile) {
        if profile.warnings.has(WarningKind::MixedInputs)
            && (self.of_several_programs || record::is_one_run(profile))
        {
            profile.warnings.forget(WarningKind::MixedInputs);
        }
    }

    /// Prints the warnings of readings. For each kind, it prints at most ten of the first input
    /// that has it, and names the other inputs. With `--strict`, any warning is an error.
    pub(super) fn report_warnings<'a>(
        &self,
        all: impl IntoIterator<Item = &'a Warnings>,
    ) -> Result<()> {
        let mut counts: Vec<(WarningKind, u64)> = Vec::new();
        let mut kept = Vec::new();
        for warnings in all {
            for &(kind, count) in warnings.counts() {
                kept.extend(warnings.kept().iter().filter(|w| w.kind == kind));
                match counts.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, sum)) => *sum = sum.saturating_add(count),
                    None => counts.push((kind, count)),
                }
            }
        }
        for &(kind, count) in &counts {
            let (here, others): (Vec<&Warning>, Vec<&Warning>) = {
                let mut of_kind = kept.iter().filter(|w| w.kind == kind).peekable();
                let first = of_kind.peek().map(|w| &w.file);
                of_kind.partition(|w| Some(&w.file) == first)
            };
            let mut others = named::shown(others.iter().map(|w| &w.file));
            others.dedup();
            let shown = here.len().min(PRINTED);
            for (nth, warning) in (1..).zip(&here[..shown]) {
                let also = if nth == shown && !others.is_empty() {
                    format!("; also in {}", some(&others))
                } else {
                    String::new()
                };
                say(format!("{warning}{also}"));
            }
            let more = count.saturating_sub(shown as u64);
            if more > 0 && (others.is_empty() || here.len() > shown) {
                let plural = if more == 1 { "" } else { "s" };
                say(format!(
                    "… {more} more warning{plural} of the kind {}",
                    kind.name()
                ));
            }
        }
        if self.strict && !counts.is_empty() {
            bail!("--strict treats warnings as errors");
        }
        Ok(())
    }
}

/// Whether neither of two sizes is more than twice the other.
fn are_alike(sizes: [Option<u64>; 2]) -> bool {
    matches!(sizes, [Some(a), Some(b)] if a.max(b) / 2 <= a.min(b))
}

/// Adds the option that helps to an error, if there is one.
pub(super) fn advised(error: input::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Ratio => {
            anyhow!("{error}\nhint: if you trust it, unpack it and pipe it in, as `-`")
        }
        ErrorKind::Io(io::ErrorKind::NotFound) => {
            anyhow!("{error}{}", names::hint(&named::near(error.file())))
        }
        ErrorKind::NotOriginal => anyhow!("{error}\nhint: omit --compat"),
        _ => error.into(),
    }
}

/// Explains why a named source cannot be read, with the option that helps, if there is one.
pub(super) fn advised_source((file, why): Unreadable) -> anyhow::Error {
    let file = to_text(file);
    let text = format!("{file}: the source file cannot be read");
    match why {
        SourceError::Ambiguous(_) => anyhow!("{text}: {why}{CHOICE}"),
        _ => anyhow::Error::new(why).context(text),
    }
}

/// Warns that several files match a source of the profile equally well.
pub(super) fn say_ambiguous(name: &[u8], why: &SourceError) {
    say(format!("{}: {why}{CHOICE}", to_text(name)));
}

/// The hint if several sources match equally well.
const CHOICE: &str = "\nhint: `--map OLD=NEW` chooses one";

/// Says whether all calls are missing or only those of some inputs.
pub(super) fn lack_of_calls(profile: &Profile) -> &'static str {
    if profile.mixes_calls {
        "not all inputs have calls"
    } else {
        "no calls were recorded"
    }
}

/// Warns about files of other threads that were not named.
fn say_left_out(files: &[impl AsRef<Path>]) {
    let left_out = input::threads_left_out(files);
    match &left_out[..] {
        [] => {}
        [one] => say(format!(
            "{} is of another thread of the same run\nhint: name it, too, to add it up",
            one.display()
        )),
        [first, rest @ ..] => say(format!(
            "{} and {} more are of other threads of the same run\nhint: name them, too, to add them up",
            first.display(),
            rest.len()
        )),
    }
}

/// Shows counts of time as times, unless `raw` is set. Fails if `raw` is set but the profile counts
/// no time.
pub(super) fn show_times(events: &mut Events, raw: bool) -> Result<()> {
    let mut timed = events.clone();
    match (timed.show_durations(), raw) {
        (false, true) => bail!(Usage(
            "--raw: the profile counts no time; other counts are always shown as recorded".into()
        )),
        (true, false) => *events = timed,
        _ => {}
    }
    Ok(())
}

/// The event of that name. Without a name, the first event.
pub(super) fn event(name: Option<&String>, profile: &Profile) -> Result<Event> {
    let Some(name) = name else {
        return Ok(Event::Recorded(0));
    };
    Ok(profile
        .events
        .find_typed(name.as_bytes())
        .ok_or_else(|| UnknownEvent::new(name, &profile.events))
        .map_err(Usage::from)?)
}

/// Prints at most ten notes of one kind, and how many more there are.
pub(super) fn say_some(notes: impl ExactSizeIterator<Item = String>, kind: &str) {
    let more = notes.len().saturating_sub(PRINTED);
    say_each(notes.take(PRINTED));
    if more > 0 {
        say(format!("… {more} more {kind}"));
    }
}
