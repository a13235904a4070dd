//! `cgannotate record`: runs a program under Callgrind, then shows its profile.

use super::{
    annotate,
    console::say,
    named, pack, part,
    watch::watch,
    workflow::{Content, Guarded},
};
use crate::{
    analysis::{
        bounds::{self, Certain},
        doubts::{self, Object, OfObject},
        suggestions::similar,
    },
    cli::{OutputArgs, PackArgs},
    fs::size,
    input, object,
    profile::{Calls, Collect, Event, Profile, WarningKind, joined},
    record::{
        Description, Ended, Executable, Forwarded, NotFound, Outcome, Program, Recording, Remark,
        commit, facts, is_of_command, lack,
    },
    request::record::RecordRequest,
    text::{names, number, shell},
};
use anyhow::{Context, Error, Result};
use regex::bytes::Regex;
use std::{
    ffi::{OsStr, OsString},
    fmt::Display,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

/// The message if Valgrind is missing.
const NO_VALGRIND: &str = "Valgrind is not installed\nhint: `apt install valgrind`, `dnf install valgrind` or `brew install valgrind`";

/// Finds the program, records it, reports problems, and shows the profile.
pub(super) fn run(request: &RecordRequest) -> Result<ExitCode> {
    let found = match found(&request.program) {
        Ok(found) => found,
        Err(e) => {
            say(&e);
            return Ok(ExitCode::from(e.downcast_ref().map_or(1, NotFound::status)));
        }
    };
    // Only the first remark about a program that was not recorded advises to use `--children`.
    let mut is_given = request.args.children;
    let mut advised = |remark: &Remark| {
        if is_given || !matches!(remark, Remark::Script(_) | Remark::Became(_)) {
            return remark.to_string();
        }
        is_given = true;
        format!("{remark}\nhint: --children records other programs, too")
    };
    found
        .remarks(request.args.children)
        .for_each(|remark| say(advised(remark)));
    let file = request
        .files
        .pattern()
        .context("the profile cannot be written")?;
    let mut options = request.options.clone();
    let stacks = request.args.stacks;
    let callers = stacks.map(|typed| {
        typed
            .or_else(|| suggested(&found.command))
            .unwrap_or(CALLERS)
    });
    if let Some(callers) = callers {
        // What the user gives to Valgrind comes last.
        options.insert(0, format!("--separate-callers={callers}").into());
    }
    let Ok(run) = Recording::new(&options, &file, &found.command) else {
        say(NO_VALGRIND);
        return Ok(ExitCode::from(127));
    };
    if request.args.dry_run {
        let words = run.command.iter();
        let words = words.map(|word| shell::Word::argument(word.as_ref()).text());
        let mut out = Guarded::new(io::stdout(), Content::Text);
        writeln!(out, "{}", joined(words, " "))?;
        return Ok(ExitCode::SUCCESS);
    }
    let began = SystemTime::now();
    let signals = Forwarded::begin().context("Valgrind cannot be run")?;
    let folder = request
        .files
        .private()
        .context("the profile cannot be written")?;
    let description = || Description {
        label: request.args.label.clone(),
        commit: commit(),
        callers,
        recording: None,
        details: !request.args.no_details,
    };
    // Signals go to the program until its profiles are in their places, and then to this program
    // again.
    let (ended, outcome, full) = run
        .wait((signals, folder), watch, |mut folder, ended| {
            let outcome = Outcome::new(&mut folder, &ended, request.args.children, &description());
            let full = folder.full();
            drop(folder);
            part::watch_signals();
            (ended, outcome, full)
        })
        .context("Valgrind cannot be run")?;
    let facts = facts(&found, began);
    for remark in &outcome.remarks {
        match remark {
            Remark::NothingCounted if !request.args.only.is_empty() => {
                say(nothing_inside(request, &found))
            }
            remark => say(advised(remark)),
        }
    }
    let mut is_whole = true;
    for remark in &outcome.remarks {
        if let Remark::Forked(files) = remark {
            is_whole &=
                read(files, full.as_ref(), Calls::None).is_some_and(|(_, is_whole)| is_whole);
        }
    }
    // The program may have succeeded, but the recording did not.
    let failed = ExitCode::from(ended.status.max(1));
    if outcome.files.is_empty() {
        if outcome.remarks.is_empty() {
            say("no profile was written");
        }
        return Ok(failed);
    }
    let calls = match callers {
        Some(_) => Calls::Arcs,
        None => Calls::None,
    };
    if let Some((profile, are_whole)) = read(&outcome.files, full.as_ref(), calls) {
        is_whole &= are_whole;
        if are_whole && !request.args.no_details {
            for file in &outcome.files {
                super::details::append(file, &facts);
            }
        }
        show(
            &profile,
            (&outcome.files, are_whole, callers),
            request,
            (&found, &ended),
        )?;
    } else {
        is_whole = false;
    }
    if let Some(to) = &request.args.pack {
        let pack = PackArgs {
            files: outcome.files.clone(),
            recorded_by: run.command.clone(),
            input: request.report.args.input.clone(),
            output: OutputArgs {
                output: Some(to.clone()),
            },
            ..PackArgs::default()
        };
        pack::run(&pack)?;
    }
    let lost = outcome
        .remarks
        .iter()
        .any(|remark| matches!(remark, Remark::Lost(_)));
    Ok(if is_whole && !lost {
        ExitCode::from(ended.status)
    } else {
        failed
    })
}

/// Finds the program, which cargo may have to build first.
fn found(program: &Program) -> Result<Executable> {
    Ok(match program {
        Program::Named { name, args } => Executable::new(name, args)?,
        Program::Cargo(built) => {
            let path = built.build().map_err(Error::msg)?;
            Executable::new(path.as_os_str(), &built.arguments())?
        }
    })
}

/// Explains why nothing was counted inside the functions of `--only`, with similar names.
fn nothing_inside(request: &RecordRequest, found: &Executable) -> String {
    let names = object::function_names(&found.path);
    let mut text = format!(
        "{}: --only matches no function that ran",
        Remark::NothingCounted
    );
    let mut near = Vec::new();
    for only in &request.args.only {
        if names.iter().any(|name| name == only.as_bytes()) {
            text += &format!("; `{only}` is in the program, but did not run or was inlined");
            continue;
        }
        if let Ok(words) = Regex::new(&regex::escape(&only.replace('*', " "))) {
            near.extend(similar(&words, names.iter().map(Vec::as_slice)));
        }
    }
    text + &names::hint(&near)
}

/// From this percentage of the cost on, it matters what an executable or library lacks.
const MUCH: f64 = 10.0;

/// Returns what expensive executables and libraries lack, unless it was already reported. If the
/// profile names source files for the code, nothing was missing when it was recorded.
fn lacking(profile: &Profile, event: Event, told: &[String]) -> Vec<Remark> {
    let (objects, _) = doubts::objects(profile, event);
    let remarks = objects
        .into_iter()
        .filter(|object| object.fileless >= MUCH)
        .filter_map(|OfObject { path, fileless, .. }| {
            let object = Object::new(path);
            let lack = (!told.contains(&object.path))
                .then(|| lack(Path::new(&object.path)))
                .flatten()?;
            Some(Remark::Lacks(lack, object, fileless))
        });
    remarks.collect()
}

fn options(calls: Calls) -> input::Options {
    input::Options {
        collect: Collect {
            calls,
            ..Collect::FUNCTIONS
        },
        ..input::Options::all()
    }
}

/// Reads profiles, and reports which are truncated and why. Also returns whether all are complete.
fn read(files: &[PathBuf], full: Option<&io::Error>, calls: Calls) -> Option<(Profile, bool)> {
    let read = input::read(files, &options(calls));
    let truncated = |why: &dyn Display| {
        let reason = match full {
            Some(e) => e.to_string(),
            None => "a limit on the size of files (`ulimit -f`), or the disk was full".into(),
        };
        say(format!(
            "{why}; Callgrind could not write all of it: {reason}"
        ));
    };
    let profile = read.inspect_err(|e| truncated(e)).ok()?;
    let warnings = profile.warnings.kept().iter();
    warnings
        .filter(|warning| warning.kind == WarningKind::Truncated)
        .for_each(|warning| truncated(warning));
    let is_whole = !profile.is_truncated();
    Some((profile, is_whole))
}

/// The callers that `--stacks` records if no earlier profile says more.
const CALLERS: u16 = 5;

/// From this percentage of the cost on, more callers are worth their space.
const WORTH: f64 = 1.0;

/// The size in bytes that more callers must not pass.
const LARGE: f64 = 500e6;

/// What recorded callers are worth.
struct StackGain {
    /// How much of the self cost has certain stacks.
    certain: Certain,
    /// The size of the files in bytes.
    size: f64,
    /// The percentage of the cost that more callers could add.
    gain: f64,
    /// How many callers to record for it.
    next: u16,
}

fn worth(profile: &Profile, files: &[PathBuf], callers: u16) -> StackGain {
    let [certain, cut] = bounds::certain(profile, Event::Recorded(0), callers.into());
    let gain = (cut.of - cut.cost) as f64 * 100.0 / certain.of.max(1) as f64;
    let size = size(files).unwrap_or(0) as f64;
    // Usually twice the callers take less than twice the space.
    let next = match gain >= WORTH && size * 2.0 <= LARGE {
        true => callers.saturating_mul(2),
        false => callers,
    };
    StackGain {
        certain,
        size,
        gain,
        next,
    }
}

/// How many callers the newest profile of the same command in this folder suggests to record.
fn suggested(command: &[OsString]) -> Option<u16> {
    let command = command.join(OsStr::new(" "));
    let files = named::by_age(Path::new(""));
    let files = input::of_run(files.iter().rfind(|file| is_of_command(file, &command))?);
    let profile = input::read(&files, &options(Calls::Arcs)).ok()?;
    let callers = profile.parts.first()?.described(b"Callers")?;
    let callers = std::str::from_utf8(callers).ok()?.parse().ok()?;
    Some(worth(&profile, &files, callers).next).filter(|&next| next > 0)
}

/// Prints what was counted and where the profile is. On a terminal, the report follows if the
/// profile is complete.
fn show(
    profile: &Profile,
    (files, are_whole, callers): (&[PathBuf], bool, Option<u16>),
    request: &RecordRequest,
    (found, ended): (&Executable, &Ended),
) -> Result<()> {
    let event = Event::Recorded(0);
    let count = profile.events.counted(&profile.totals.row, event);
    let mut told: Vec<String> = found.told().map(str::to_owned).collect();
    for remark in lacking(profile, event, &told) {
        say(&remark);
        told.extend(remark.object().map(|object| object.path.clone()));
    }
    let named = files.iter().map(|file| shell::Word::path(file).text());
    say(format!(
        "{} {} in {:.1} s, in {}",
        number::grouped(count),
        profile.events.text(event),
        ended.time.as_secs_f64(),
        joined(named, " ")
    ));
    if let Some(callers) = callers {
        let StackGain {
            certain,
            size,
            gain,
            next,
        } = worth(profile, files, callers);
        let more = match next > callers {
            true => format!("--stacks={next} can add up to {gain:.1} %"),
            false if gain < WORTH => "more callers can add less than 1 %".into(),
            false => "more callers might take over 500 MB".into(),
        };
        say(format!(
            "--stacks={callers}: the stacks of {} of the self cost are certain, in {:.1} MB; {more}",
            certain.percent(),
            size / 1e6
        ));
    }
    if io::stdout().is_terminal() && are_whole {
        let mut report = request.report.clone();
        report.args.files = files.to_vec();
        report.told = told;
        annotate::run(&mut report)?;
    }
    Ok(())
}
