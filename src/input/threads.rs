//! Finds the files of other threads and of the same run next to the inputs. Commands read them as
//! well, or report that they were omitted.

use super::{
    Options, begin,
    open::{self, is_stream},
    siblings::{beside, companions},
};
use crate::{
    fs::{modified, names_in, regular},
    profile::Order,
};
use regex::Regex;
use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// Files of other threads of the same runs, sorted by name. They are next to the inputs, but are
/// not inputs. A thread's file has the run's name and a number (`callgrind.out.1-02`). Its header
/// names a thread and the same process.
pub fn threads_left_out(names: &[impl AsRef<Path>]) -> Vec<PathBuf> {
    let mut named: Vec<&Path> = names.iter().map(AsRef::as_ref).collect();
    named.order();
    named.dedup();
    let mut found = Vec::new();
    for &path in named.iter().filter(|name| !is_stream(name)) {
        let name = file_name(path);
        let dash = memchr::memrchr(b'-', name).filter(|&dash| is_thread(&name[dash + 1..]));
        let mut others: Vec<PathBuf> = beside(path, &name[..dash.unwrap_or(name.len())])
            .filter(|(_, rest)| rest.strip_prefix(b"-").is_some_and(is_thread))
            .map(|(other, _)| other)
            .filter(|other| named.binary_search(&other.as_path()).is_err())
            .collect();
        // Usually the file is the only one and need not be opened.
        if others.is_empty() {
            continue;
        }
        if let Some(process) = head(path).and_then(|head| head.process) {
            others.retain(|other| {
                head(other)
                    .is_some_and(|head| head.is_thread && head.process.as_ref() == Some(&process))
            });
            found.extend(others);
        }
    }
    found.order();
    found.dedup();
    found
}

/// The files that one run wrote together, with this one, sorted by name. They have the run's name
/// and numbers (`callgrind.out.1-01`, `callgrind.out.1.2`) and lie in the same folder. Their
/// headers have the same process and command, and they were written within a minute of it. Process
/// numbers are reused, and old files may still be there. If the header names a recording, the
/// result is all files of the recording, whatever their process.
pub fn of_run(path: &Path) -> Vec<PathBuf> {
    let (Some(time), Some(run)) = (modified(path), head(path).and_then(RunHeader::run)) else {
        return vec![path.to_owned()];
    };
    let is_recording = matches!(run, RunId::Recording(_));
    let base = run_name(file_name(path), is_recording);
    // The run's base file may have dumps next to it.
    let itself = std::str::from_utf8(base)
        .ok()
        .map(|name| path.with_file_name(name));
    let mut files: Vec<PathBuf> = beside(path, base)
        .map(|(other, _)| other)
        .chain(itself)
        .filter(|other| is_recording || are_near(modified(other), time))
        .filter(|other| head(other).and_then(RunHeader::run).as_ref() == Some(&run))
        .collect();
    files.push(path.to_owned());
    files.order();
    files.dedup();
    files
}

/// The beginning of the names of all files of a run, such as `callgrind.out.1234` for
/// `callgrind.out.1234-02`. A recording can have several processes, so its files only share
/// `callgrind.out`.
fn run_name(name: &[u8], is_recording: bool) -> &[u8] {
    let is_in_numbers = |b: &u8| b.is_ascii_digit() || b"-.".contains(b);
    let stem = name
        .iter()
        .rposition(|b| !is_in_numbers(b))
        .map_or(0, |at| at + 1);
    // The dot and the process number.
    let process = name.iter().skip(stem + 1);
    let process = process.take_while(|b| b.is_ascii_digit()).count();
    let end = if is_recording {
        stem
    } else {
        stem + 1 + process
    };
    &name[..end.min(name.len())]
}

fn file_name(path: &Path) -> &[u8] {
    path.file_name().map_or(b"", |name| name.as_encoded_bytes())
}

/// Whether a file was written within a minute of another.
fn are_near(time: Option<SystemTime>, other: SystemTime) -> bool {
    const MINUTE: Duration = Duration::from_secs(60);
    let apart = time.and_then(|time| time.max(other).duration_since(time.min(other)).ok());
    apart.is_some_and(|apart| apart <= MINUTE)
}

/// The identifier of a recording in the file's header, if it has one.
pub fn recording(path: &Path) -> Option<Vec<u8>> {
    head(path)?.recording
}

/// Whether a file is the empty base file of a run that writes one file per thread or dump.
pub fn is_empty_base(path: &Path) -> bool {
    regular(path).is_some_and(|meta| meta.len() == 0) && !companions(path).is_empty()
}

/// Whether the text is a thread number: at least two digits.
fn is_thread(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().all(u8::is_ascii_digit)
}

/// The files that the process with this number wrote in the current folder, then similarly named
/// files that were skipped. Callgrind's files come first; those of Cachegrind and Xdebug count only
/// if there are none. Of files that differ only in their compression, each content counts once.
pub fn of_process(number: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    // A time or the run of `record` may come before the number. Threads, dumps and the random
    // number of Xdebug's `%r` may follow it.
    let pattern = format!(
        r"^c(all|ache)grind\.out\.(([0-9_]{{9,}}|[A-Za-z][\w-]*\.[0-9]+)[.-])?{number}(([.-]([0-9]+|[0-9a-f]{{6}}))*(\.gz|\.zst|\.xz)?|[^0-9A-Za-z].*)$"
    );
    let Ok(pattern) = Regex::new(&pattern) else {
        return Default::default();
    };
    let mut names: Vec<(String, String)> = names_in(Path::new("."))
        .filter_map(|name| name.into_string().ok())
        .map(|name| (without_compression(&name).to_owned(), name))
        .collect();
    names.order();
    let (mut files, mut others, mut skipped) =
        (Vec::<(String, PathBuf)>::new(), Vec::new(), Vec::new());
    for (bare, name) in names {
        let Some(parts) = pattern.captures(&name) else {
            continue;
        };
        let is_written = parts.get(5).is_some() || without_compression(&parts[4]).is_empty();
        let files = if &parts[1] == "all" {
            &mut files
        } else {
            &mut others
        };
        let (has_more, path) = (parts.get(2).is_some(), PathBuf::from(&name));
        if regular(&path).is_none_or(|meta| meta.len() == 0) {
            continue;
        }
        let head = head(&path).filter(|_| is_written);
        // After another number, it may be the number of a dump.
        let process = head.as_ref().and_then(|head| head.process.as_deref());
        if has_more && process.is_some_and(|process| process != number.as_bytes()) {
            continue;
        }
        let mut of_one_name = files.iter().rev().take_while(|(name, _)| *name == bare);
        if head.is_some_and(|head| head.is_recorded)
            && !of_one_name.any(|(_, other)| have_one_content(other, &path))
        {
            files.push((bare, path));
        } else {
            skipped.push(path);
        }
    }
    let [mut files, others] =
        [files, others].map(|files| files.into_iter().map(|(_, path)| path).collect::<Vec<_>>());
    if files.is_empty() {
        files = others;
    } else {
        skipped.extend(others);
    }
    (files, skipped)
}

/// The file name without the extension of a compression.
fn without_compression(name: &str) -> &str {
    let ends = [".gz", ".zst", ".xz"];
    ends.iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

/// Whether two files have the same content, decompressed.
fn have_one_content(one: &Path, other: &Path) -> bool {
    const BLOCK: u64 = 64 * 1024;
    let options = Options {
        max_ratio: None,
        ..Options::all()
    };
    let [Some(mut one), Some(mut other)] =
        [one, other].map(|path| Some(begin(path, open::open(path).ok()?, &options).ok()?.1))
    else {
        return false;
    };
    loop {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let read = one.by_ref().take(BLOCK).read_to_end(&mut left);
        let is_read = read.and(other.by_ref().take(BLOCK).read_to_end(&mut right));
        if is_read.is_err() || left != right {
            return false;
        }
        if left.is_empty() {
            return true;
        }
    }
}

/// What the header of a file says about its run.
#[derive(Default)]
struct RunHeader {
    process: Option<Vec<u8>>,
    command: Option<Vec<u8>>,
    /// The line that `record` writes into every file of a recording.
    recording: Option<Vec<u8>>,
    /// Whether the header names a thread.
    is_thread: bool,
    /// Whether a profiler wrote the file, not cgannotate.
    is_recorded: bool,
}

/// What all files of a run have in common.
#[derive(PartialEq)]
enum RunId {
    Recording(Vec<u8>),
    Process(Vec<u8>, Option<Vec<u8>>),
}

impl RunHeader {
    fn run(self) -> Option<RunId> {
        match self.recording {
            Some(recording) => Some(RunId::Recording(recording)),
            None => Some(RunId::Process(self.process?, self.command)),
        }
    }
}

/// Reads the header up to the `events:` line.
fn head(name: &Path) -> Option<RunHeader> {
    // The command comes before the thread, and linkers have long commands.
    const LONGEST: u64 = 1 << 18;
    regular(name)?;
    let (reader, source) = begin(name, open::open(name).ok()?, &Options::all()).ok()?;
    let mut lines = BufReader::with_capacity(4096, source.take(LONGEST));
    let mut head = RunHeader {
        is_recorded: reader.format().is_original,
        ..RunHeader::default()
    };
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).ok()? > 0 && !line.starts_with(b"events:") {
        let value = |key: &[u8]| {
            line.strip_prefix(key)
                .map(|value| value.trim_ascii().to_vec())
        };
        head.process = head.process.or_else(|| value(b"pid:"));
        head.command = head.command.or_else(|| value(b"cmd:"));
        head.recording = head.recording.or_else(|| value(b"desc: Recording:"));
        head.is_thread |= line.starts_with(b"thread:");
        head.is_recorded &= !line.starts_with(b"creator: cgannotate");
        line.clear();
    }
    Some(head)
}
