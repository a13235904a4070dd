//! Many runs: which ones arguments and folders name, and reading them one by one, several at a time.

mod bench;

use super::console::Console;
use super::inputs;
use super::named;
use super::progress::Progress;
use crate::analysis::history::RunAbout;
use crate::input;
use crate::profile::{Collect, Order, Profile, WarningKind, Warnings};
use crate::request::{Reading, Truncated};
use crate::text::natural::natural;
use crate::text::number::some;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::slice;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Runs that are compared with each other.
pub(super) struct Series {
    /// Of a bench, the folder and the beginning of the names of its files.
    pub(super) bench: Option<PathBuf>,
    /// The runs, in order.
    pub(super) runs: Vec<Run>,
}

impl Series {
    /// What it is called.
    pub(super) fn name(&self) -> String {
        self.bench.as_ref().map_or("the other runs".into(), |bench| bench.display().to_string())
    }
}

/// One run.
pub(super) struct Run {
    /// Its profiles, which are summed.
    pub(super) files: Vec<PathBuf>,
    /// What it is called if it does not say: the name of its file or folder.
    name: String,
}

/// The runs that arguments name, in order. A folder stands for its files and folders in the natural order of their names;
/// what is no profile there is passed over, and mentioned. Each bench in a folder is a series of its own.
pub(super) fn list(names: &[PathBuf], reading: &Reading, console: &Console) -> Result<Vec<Series>> {
    let is_profile = |file: &PathBuf| reading.format.is_some() || input::is_profile(file);
    let (mut runs, mut all) = (Vec::new(), Vec::new());
    for name in names {
        if !name.is_dir() {
            let [files] = named::inputs([slice::from_ref(name)], console)?;
            runs.push(Run { files, name: called(name) });
            continue;
        }
        let benches = bench::below(name, &is_profile)?;
        if !benches.is_empty() {
            all.extend(benches);
            continue;
        }
        let (before, mut others) = (runs.len(), Vec::new());
        for entry in entries(name)? {
            let mut files = if entry.is_dir() { entries(&entry)? } else { vec![entry.clone()] };
            // Folders below that are no part of a run.
            files.retain(|file| !file.is_dir());
            let (profiles, no_profiles): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(is_profile);
            others.extend(no_profiles);
            if !profiles.is_empty() {
                runs.push(Run { files: profiles, name: called(&entry) });
            }
        }
        if !others.is_empty() {
            let others: Vec<String> = others.iter().map(|file| file.display().to_string()).collect();
            console.say(&format!("skipped, because they are not profiles: {}", some(&others)));
        }
        if runs.len() == before {
            bail!("{}: there is no profile in this folder", name.display());
        }
    }
    if !runs.is_empty() {
        all.insert(0, Series { bench: None, runs });
    }
    Ok(all)
}

/// The history of what some files are of: of several benches, that of the same name, without these files themselves.
pub(super) fn of_bench(mut all: Vec<Series>, files: &[PathBuf]) -> Result<Vec<Run>> {
    if all.iter().all(|series| series.bench.is_none()) {
        return Ok(all.pop().map_or(Vec::new(), |series| series.runs));
    }
    let wanted = files.first().and_then(|file| bench::name(file));
    let is_wanted = |series: &Series| series.bench.as_ref().and_then(|bench| bench.file_name()) == wanted.as_deref();
    let at = match &all[..] {
        [_] => Some(0),
        _ => all.iter().position(is_wanted),
    };
    let Some(at) = at else { bail!("--history: there are {} benches, and none is of this profile", all.len()) };
    let mut runs = all.swap_remove(at).runs;
    let is_new = |file: &PathBuf| files.iter().any(|new| new.canonicalize().ok() == file.canonicalize().ok());
    runs.retain(|run| !run.files.iter().any(is_new));
    Ok(runs)
}

/// What is in a folder, in the natural order of names; hidden files are not.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = || format!("{}: the folder cannot be read", folder.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(unreadable)? {
        let name = entry.with_context(unreadable)?.file_name();
        if !name.as_encoded_bytes().starts_with(b".") {
            names.push(name);
        }
    }
    names.order_by(|a, b| natural(a.as_encoded_bytes(), b.as_encoded_bytes()));
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// The last component of a path, as text.
fn called(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// What was read, and what became of reading it.
pub(super) struct Reads<T> {
    /// What was made of each run, in order.
    pub(super) all: Vec<T>,
    /// What each run is called.
    pub(super) about: Vec<RunAbout>,
    /// The exit status of a command that has done its work.
    pub(super) status: ExitCode,
}

/// What becomes of one run.
struct One<T> {
    made: T,
    about: RunAbout,
    warnings: Warnings,
}

/// Reads runs and makes something of each. The first is read before all others; those, several at a time. Of the profiles
/// no more are in memory than are read at a time.
pub(super) fn each<T: Send>(
    runs: &[Run],
    reading: &Reading,
    collect: Collect,
    strip: &[u8],
    console: &Console,
    make: impl Fn(usize, Profile) -> Result<T> + Sync,
) -> Result<Reads<T>> {
    let files: Vec<&PathBuf> = runs.iter().flat_map(|run| &run.files).collect();
    let (shown, progress) = Progress::start(&files);
    let threads = reading.threads();
    let workers = threads.min(runs.len().saturating_sub(1)).max(1);
    let read = |at: usize, run: &Run| -> Result<One<T>> {
        let mut options = input::Options { progress: progress.clone(), ..reading.options(collect, strip.to_vec()) };
        options.threads = if workers > 1 { 1 } else { threads };
        let mut profile = input::read(&run.files, &options).map_err(inputs::advised)?;
        inputs::forget_what_is_meant(&mut profile, reading);
        let (warnings, about) = (profile.warnings.clone(), about(run, &profile));
        Ok(One { made: make(at, profile)?, about, warnings })
    };
    let mut done: Vec<Option<Result<One<T>>>> = (0..runs.len()).map(|_| None).collect();
    if let (Some(first), Some(place)) = (runs.first(), done.first_mut()) {
        *place = Some(read(0, first));
    }
    let failed = AtomicBool::new(done.first().is_some_and(|one| matches!(one, Some(Err(_)))));
    let (next, places) = (AtomicUsize::new(1), Mutex::new(&mut done));
    let work = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(run) = runs.get(at) else { return };
            let one = read(at, run);
            if one.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            // A thread that panicked has ended the program.
            if let Ok(mut places) = places.lock() {
                places[at] = Some(one);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            // Where no more threads may run, those that do read all runs.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    drop(shown);
    let mut ones = Vec::with_capacity(done.len());
    // Runs are begun in order, so that the first failure is the same whatever is read at once.
    for one in done.into_iter().flatten() {
        ones.push(one?);
    }
    let warnings: Vec<&Warnings> = ones.iter().map(|one| &one.warnings).collect();
    inputs::report_all_warnings(&warnings, reading, console)?;
    let is_cut = warnings.iter().any(|warnings| warnings.has(WarningKind::Truncated));
    let status = ExitCode::from(u8::from(is_cut && reading.truncated == Truncated::Fails));
    let (all, about) = ones.into_iter().map(|one| (one.made, one.about)).unzip();
    Ok(Reads { all, about, status })
}

/// What a run says of itself.
fn about(run: &Run, profile: &Profile) -> RunAbout {
    let said = |key: &[u8]| {
        let lines = profile.parts.iter().flat_map(|part| &part.descriptions);
        let found =
            lines.filter_map(|line| line.strip_prefix(key)).map(<[u8]>::trim_ascii).find(|text| !text.is_empty());
        found.map(|text| String::from_utf8_lossy(text).into_owned())
    };
    let commit = said(b"Commit:");
    let name = said(b"Label:").or_else(|| commit.clone()).unwrap_or_else(|| run.name.clone());
    RunAbout { name, commit, files: run.files.iter().map(|file| file.display().to_string()).collect() }
}
