//! Many runs: which ones arguments and folders name, and how to read them several at a time.

mod bench;

use super::{console::say, inputs, named, progress::Progress};
use crate::{
    analysis::history::RunAbout,
    cli::{Form, InputArgs, ReportArgs},
    input::{self, ErrorKind, parallel},
    profile::{Collect, Order, Profile, WarningKind, Warnings, path_bytes, to_text},
    record,
    render::table::TableForm,
    request::Usage,
    text::{escape, natural::natural, some},
};
use anyhow::{Context, Result, bail};
use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    slice,
};

/// Runs to compare with each other.
pub(super) struct RunSeries {
    /// For a bench: the folder, and the beginning of its file names.
    pub bench: Option<PathBuf>,
    /// The runs, in order.
    pub runs: Vec<RunFiles>,
}

impl RunSeries {
    /// Its name for people.
    pub(super) fn name(&self) -> String {
        self.bench
            .as_ref()
            .map_or("the other runs".into(), |bench| bench.display().to_string())
    }
}

/// Separates the reports of several series: by their names, in JSON as an array. One series alone
/// is written as it is.
pub(super) struct SeriesWriter {
    format: Form,
    count: usize,
    written: usize,
}

impl SeriesWriter {
    /// # Errors
    /// If the format is for one series, but there are several.
    pub(super) fn new(report: &ReportArgs, such_as: &str, count: usize) -> Result<SeriesWriter> {
        let format = report.format;
        if count > 1
            && !matches!(
                format,
                Form::Text | Form::Json | Form::Table(TableForm::Markdown)
            )
        {
            bail!(Usage(format!(
                "this format is for one series, but there are {count}, such as {such_as}\nhint: text, markdown and json are for several"
            )));
        }
        Ok(SeriesWriter {
            format,
            count,
            written: 0,
        })
    }

    pub(super) fn begin(&mut self, name: &str, out: &mut impl Write) -> Result<()> {
        let is_first = self.written == 0;
        self.written += 1;
        if self.count > 1 {
            match self.format {
                Form::Json => write!(out, "{}", if is_first { "[\n" } else { ",\n" })?,
                _ => writeln!(out, "{}{name}\n", if is_first { "" } else { "\n" })?,
            }
        }
        Ok(())
    }

    pub(super) fn end(&self, out: &mut impl Write) -> Result<()> {
        if self.count > 1 && self.format == Form::Json {
            writeln!(out, "]")?;
        }
        Ok(())
    }
}

#[derive(Clone)]
pub(super) struct RunFiles {
    /// Its profiles, which are summed.
    pub files: Vec<PathBuf>,
    /// The name of its file or folder. A label or commit in the profile takes precedence.
    name: String,
}

/// Whether a file begins with the cost of other processes.
fn is_forked(file: &Path) -> bool {
    record::is_set_aside(file.as_os_str())
}

/// Whether a file is a profile, as far as its beginning says.
fn is_profile(reading: &InputArgs) -> impl Fn(&PathBuf) -> bool {
    let is_any = reading.format().is_some();
    move |file| !is_forked(file) && (is_any || input::is_profile(file))
}

/// Lists the runs that arguments name, in order. A folder means its files and folders in the
/// natural order of their names. Files there that are not profiles are skipped with a message. Each
/// bench in a folder is a separate series.
pub(super) fn list(names: &[PathBuf], reading: &InputArgs) -> Result<Vec<RunSeries>> {
    let is_profile = is_profile(reading);
    let (mut runs, mut all) = (Vec::new(), Vec::new());
    for name in names {
        if !name.is_dir() {
            let [files] = named::inputs([slice::from_ref(name)])?;
            runs.push(RunFiles {
                files,
                name: called(name),
            });
            continue;
        }
        let mut special = Vec::new();
        let benches = bench::below(name, &is_profile, &mut special)?;
        if !benches.is_empty() {
            say_skipped("they are not regular files or folders", &special);
            all.extend(benches);
            continue;
        }
        special.clear();
        let (mut files, here) = (Vec::new(), name.canonicalize()?);
        // A link to a folder above this one would lead into a cycle.
        let found = entries(name, &mut special)?
            .into_iter()
            .filter(|entry| !here.starts_with(&entry.real));
        for entry in found {
            let run = called(&entry.path);
            if entry.is_folder {
                // Folders below that do not belong to a run.
                let below = entries(&entry.path, &mut special)?
                    .into_iter()
                    .filter(|file| !file.is_folder);
                let below = below.map(|file| FolderEntry {
                    is_link: file.is_link || entry.is_link,
                    ..file
                });
                files.extend(below.map(|file| (run.clone(), file)));
            } else {
                files.push((run, entry));
            }
        }
        once(&mut files, |(_, file)| file);
        let (before, mut others) = (runs.len(), Vec::new());
        for of_run in files.chunk_by(|(a, _), (b, _)| a == b) {
            let files = of_run.iter().map(|(_, file)| file.path.clone());
            let (profiles, no_profiles): (Vec<PathBuf>, Vec<PathBuf>) =
                files.partition(&is_profile);
            others.extend(no_profiles);
            if !profiles.is_empty() {
                runs.push(RunFiles {
                    files: profiles,
                    name: of_run[0].0.clone(),
                });
            }
        }
        say_skipped("they are not regular files or folders", &special);
        let (forked, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|file| is_forked(file));
        say_skipped("they begin with the cost of other processes", &forked);
        say_skipped("they are not profiles", &others);
        if runs.len() == before {
            bail!("{}: this folder has no profile", name.display());
        }
    }
    join_recordings(&mut runs);
    if !runs.is_empty() {
        all.insert(0, RunSeries { bench: None, runs });
    }
    Ok(all)
}

/// The last run of a bench, and the run to compare it with.
pub(super) struct Bench {
    /// Its name; empty for a program that is no bench.
    pub name: String,
    /// The profiles of the last run.
    pub files: Vec<PathBuf>,
    /// The profiles of the other run; empty if there is none.
    pub baseline: Vec<PathBuf>,
    /// The profiles of a second run, to confirm noise.
    pub again: Vec<PathBuf>,
}

/// Returns the benches below a folder, each with the run before its last one, or with the run that
/// was saved under a name. Empty if the folder has no benches. With `calibrates`, the calibration of
/// iai follows the files of each run.
pub(super) fn benches(
    folder: &Path,
    saved: &[PathBuf],
    reading: &InputArgs,
    calibrates: bool,
) -> Result<Vec<Bench>> {
    if let [_, _, ..] = saved {
        bail!(Usage(
            "a folder of benches is compared with one name of saved runs".into()
        ));
    }
    let with_baseline = |(bench, mut runs): (PathBuf, Vec<RunFiles>)| {
        // The files of gungraun repeat the name of their folder.
        let is_own = |own: &&Path| called(&bench).ends_with(&format!(".{}", called(own)));
        let path = bench.parent().filter(is_own).unwrap_or(&bench);
        let below = path.strip_prefix(folder).ok();
        let below = below.filter(|&path| path != Path::new(""));
        let last = runs.pop().filter(|run| bench::is_last(&run.name));
        let last = last.with_context(|| format!("{}: its last run is missing", path.display()))?;
        let before = match saved {
            [] => runs.pop().filter(|run| bench::saved(&run.name).is_none()),
            [name, ..] => {
                let is_asked = |run: &RunFiles| bench::saved(&run.name).as_deref() == name.to_str();
                runs.into_iter().find(is_asked)
            }
        };
        let name = below.map_or_else(|| called(path), |path| path.display().to_string());
        Ok(Bench {
            name: escape::text(&name).into_owned(),
            files: last.files,
            baseline: before.map_or(Vec::new(), |run| run.files),
            again: Vec::new(),
        })
    };
    let all = bench::below(folder, &is_profile(reading), &mut Vec::new())?;
    let all = all
        .into_iter()
        .filter_map(|RunSeries { bench, runs }| Some((bench?, runs)));
    let mut all: Vec<Bench> = all.map(with_baseline).collect::<Result<_>>()?;
    // Reading subtracts a calibration.
    let is_calibration = |bench: &mut Bench| bench.name.ends_with("iai_calibration");
    let calibrations: Vec<Bench> = all.extract_if(.., is_calibration).collect();
    for bench in all.iter_mut().filter(|_| calibrates) {
        let is_beside = |other: &&Bench| other.files[0].parent() == bench.files[0].parent();
        if let Some(calibration) = calibrations.iter().find(is_beside)
            && (bench.baseline.is_empty() || !calibration.baseline.is_empty())
        {
            bench.files.push(calibration.files[0].clone());
            if !bench.baseline.is_empty() {
                bench.baseline.push(calibration.baseline[0].clone());
            }
        }
    }
    if let [name] = saved
        && !all.is_empty()
        && all.iter().all(|bench| bench.baseline.is_empty())
    {
        let (folder, name) = (folder.display(), name.display());
        bail!("{folder}: no bench has a run that was saved as `{name}`");
    }
    Ok(all)
}

/// Joins the files of each recording to one run, at the place of the first file.
fn join_recordings(runs: &mut Vec<RunFiles>) {
    let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut joined: Vec<RunFiles> = Vec::with_capacity(runs.len());
    for run in runs.drain(..) {
        let recording = match &run.files[..] {
            [file] => input::recording(file),
            _ => None,
        };
        if let Some(recording) = recording {
            let at = *known.entry(recording).or_insert(joined.len());
            // A file that is named twice is two runs.
            if let Some(first) = joined.get_mut(at)
                && !first.files.contains(&run.files[0])
            {
                first.files.extend(run.files);
                continue;
            }
        }
        joined.push(run);
    }
    *runs = joined;
}

/// Returns the history of some files. Of several benches, it is that of the bench with the same
/// name, and with the most names of folders in common, without the files themselves. A bench has no
/// other history.
pub(super) fn history_of(
    files: &[PathBuf],
    all: &[RunSeries],
    is_bench: bool,
) -> Result<Vec<RunFiles>> {
    let wanted = files
        .first()
        .and_then(|file| Some(file.with_file_name(bench::name(file)?)));
    let wanted = wanted.unwrap_or_default();
    let in_common = |series: &&RunSeries| {
        let both = series
            .bench
            .iter()
            .flat_map(|bench| bench.iter().rev().zip(wanted.iter().rev()));
        both.take_while(|(a, b)| a == b).count()
    };
    let best = all.iter().rev().max_by_key(in_common);
    let series = match all {
        _ if best.is_some_and(|best| in_common(&best) > 0) => best,
        [only] if !is_bench => Some(only),
        _ if is_bench || all.is_empty() => None,
        _ => bail!(
            "--history: none of the {} benches belongs to this profile",
            all.len()
        ),
    };
    let mut runs = series.map_or_else(Vec::new, |series| series.runs.clone());
    let is_of_bench = series.is_some_and(|series| series.bench.is_some());
    let is_new = |file: &PathBuf| {
        let mut files = files.iter().filter(|_| is_of_bench);
        files.any(|new| new.canonicalize().ok() == file.canonicalize().ok())
    };
    runs.retain(|run| !run.files.iter().any(is_new));
    Ok(runs)
}

/// An entry of a folder.
struct FolderEntry {
    path: PathBuf,
    /// The path without links.
    real: PathBuf,
    /// Whether it is a link, or its folder is one.
    is_link: bool,
    is_folder: bool,
}

/// Lists the files and folders in a folder, in the natural order of their names. Hidden ones are
/// skipped. Other entries, such as pipes, are only added to `special`: opening them could block or
/// have effects.
fn entries(folder: &Path, special: &mut Vec<PathBuf>) -> Result<Vec<FolderEntry>> {
    let unreadable = || format!("{}: the folder cannot be read", folder.display());
    let real = folder.canonicalize().with_context(unreadable)?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let path = folder.join(&name);
        // A broken link is kept, because reading it reports the error.
        match path.metadata() {
            Ok(meta) if !meta.is_dir() && !meta.is_file() => special.push(path),
            meta => found.push(FolderEntry {
                real: path.canonicalize().unwrap_or_else(|_| real.join(&name)),
                path,
                is_link: entry.file_type().is_ok_and(|kind| kind.is_symlink()),
                is_folder: meta.is_ok_and(|meta| meta.is_dir()),
            }),
        }
    }
    let by_name = |a: &Path, b: &Path| natural(path_bytes(a), path_bytes(b));
    found.order_by(|a, b| by_name(&a.path, &b.path));
    special.order_by(|a, b| by_name(a, b));
    Ok(found)
}

/// Keeps each file once: under its own name, or else as the first link to it.
fn once<T>(files: &mut Vec<T>, entry: impl Fn(&T) -> &FolderEntry) {
    let own = files
        .iter()
        .map(&entry)
        .filter(|file| !file.is_link)
        .map(|file| file.real.clone());
    let mut known: HashSet<PathBuf> = own.collect();
    files.retain(|file| !entry(file).is_link || known.insert(entry(file).real.clone()));
}

/// Reports which entries of a folder are skipped.
fn say_skipped(why: &str, files: &[PathBuf]) {
    if !files.is_empty() {
        say(format!(
            "skipped, because {why}: {}",
            some(&named::shown(files))
        ));
    }
}

/// The last component of a path, as text.
fn called(path: &Path) -> String {
    path.file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// The results of reading runs.
pub(super) struct Reads<'r, T> {
    /// The runs that could be read, in order.
    pub runs: Vec<&'r RunFiles>,
    /// The result for each run.
    pub all: Vec<T>,
    /// The name, commit and files of each run.
    pub about: Vec<RunAbout>,
    /// The exit status of a command that has done its work.
    pub status: ExitCode,
}

/// What was made of a run that was read, or the reason why it is damaged.
type Read<T> = Result<(Warnings, (T, RunAbout)), String>;

/// Reads runs and calls `make` for each. Damaged runs are skipped. The first run that is not
/// damaged is read before all others, which are then read several at a time. At most as many
/// profiles are in memory as are read at a time.
pub(super) fn each<'r, T: Send>(
    runs: &'r [RunFiles],
    reading: &InputArgs,
    collect: Collect,
    strip: &[u8],
    make: impl Fn(usize, Profile) -> Result<T> + Sync,
) -> Result<Reads<'r, T>> {
    let files: Vec<&PathBuf> = runs.iter().flat_map(|run| &run.files).collect();
    let (shown, progress) = Progress::start(&files);
    let threads = reading.threads();
    let workers = threads.min(runs.len().saturating_sub(1)).max(1);
    let read = |&(at, run): &(usize, &RunFiles)| -> Result<Read<T>> {
        let mut options = input::Options {
            progress: progress.clone(),
            ..reading.options(collect, strip.to_vec())
        };
        options.threads = if workers > 1 { 1 } else { threads };
        let mut profile = match input::read(&run.files, &options) {
            Err(error) if is_damage(error.kind()) => {
                return Ok(Err(inputs::advised(error).to_string()));
            }
            profile => profile.map_err(inputs::advised)?,
        };
        if !reading.allow_truncated
            && let Some(cut) = profile
                .warnings
                .kept()
                .iter()
                .find(|warning| warning.kind == WarningKind::Truncated)
        {
            return Ok(Err(cut.to_string()));
        }
        reading.forget_what_is_meant(&mut profile);
        let (warnings, about) = (profile.warnings.clone(), about(run, &profile));
        Ok(Ok((warnings, (make(at, profile)?, about))))
    };
    let numbered: Vec<(usize, &RunFiles)> = runs.iter().enumerate().collect();
    let mut done: Vec<Result<Read<T>>> = Vec::new();
    while let Some(first) = numbered.get(done.len()) {
        done.push(read(first));
        if !matches!(done.last(), Some(Ok(Err(_)))) {
            break;
        }
    }
    let rest = parallel::each(&numbered[done.len()..], workers, read);
    let (mut ones, mut warnings, mut damaged) = (Vec::new(), Vec::new(), Vec::new());
    // In order, so the first failure does not depend on the number of threads.
    for (run, one) in runs.iter().zip(done.into_iter().chain(rest)) {
        match one? {
            Ok((said, one)) => {
                warnings.push(said);
                ones.push((run, one));
            }
            Err(why) => damaged.push(why),
        }
    }
    drop(shown);
    let status = ExitCode::from(u8::from(!damaged.is_empty()));
    inputs::say_some(
        damaged.iter().map(|why| format!("run skipped: {why}")),
        "damaged runs",
    );
    reading.report_warnings(&warnings)?;
    let (runs, ones): (_, Vec<_>) = ones.into_iter().unzip();
    let (all, about) = ones.into_iter().unzip();
    Ok(Reads {
        runs,
        all,
        about,
        status,
    })
}

/// Whether an error means that the input is damaged, and not that it is the wrong one.
fn is_damage(kind: ErrorKind) -> bool {
    use io::ErrorKind::{NotFound, PermissionDenied};
    !matches!(
        kind,
        ErrorKind::Io(NotFound | PermissionDenied)
            | ErrorKind::NoFile
            | ErrorKind::NoProfile
            | ErrorKind::NotOriginal
    )
}

/// Returns the label, commit and files of a run.
fn about(run: &RunFiles, profile: &Profile) -> RunAbout {
    let said = |kind: &[u8]| {
        let mut all = profile.parts.iter().filter_map(|part| part.described(kind));
        all.find(|text| !text.is_empty()).map(to_text)
    };
    let commit = said(b"Commit");
    let name = said(b"Label")
        .or_else(|| commit.clone())
        .unwrap_or_else(|| run.name.clone());
    RunAbout {
        name,
        commit,
        files: named::shown(&run.files),
    }
}
