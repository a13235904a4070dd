//! Finds files of other threads and of the same run beside the inputs. Commands use it to read them as well, or to say
//! what is left out.

use super::open::{self, is_stream};
use super::siblings::{beside, companions};
use super::{Options, begin};
use crate::fs::regular;
use crate::profile::Order;
use regex::Regex;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Files of other threads of the same runs that lie beside some inputs and are not among them, by name. A thread's file
/// has the run's name followed by a number (`callgrind.out.1-02`), and itself and the same process in its header.
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
        // Mostly the file is alone, and need not be opened.
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

/// The files that one run wrote together, this one included, by name: the files beside it with the run's name and
/// numbers (`callgrind.out.1-01`, `callgrind.out.1.2`), with the same process and command in their headers, and written
/// within a minute of it. Process numbers are reused, and old files may still be there. If its header names a recording, the
/// files of that, of whatever process.
pub fn of_run(path: &Path) -> Vec<PathBuf> {
    let (Some(time), Some(run)) = (modified(path), head(path).and_then(RunHeader::run)) else {
        return vec![path.to_owned()];
    };
    let is_recording = matches!(run, RunId::Recording(_));
    let base = run_name(file_name(path), is_recording);
    // The file of the run itself can have dumps beside it.
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

/// The part of a file's name that all files of its run begin with, as `callgrind.out.1234` of `callgrind.out.1234-02`;
/// `callgrind.out` if a recording has several processes.
fn run_name(name: &[u8], is_recording: bool) -> &[u8] {
    let is_in_numbers = |b: &u8| b.is_ascii_digit() || b"-.".contains(b);
    let stem = name
        .iter()
        .rposition(|b| !is_in_numbers(b))
        .map_or(0, |at| at + 1);
    // A dot, and the number of the process.
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

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// Whether a file was written within a minute of another.
fn are_near(time: Option<SystemTime>, other: SystemTime) -> bool {
    const MINUTE: Duration = Duration::from_secs(60);
    let apart = time.and_then(|time| time.max(other).duration_since(time.min(other)).ok());
    apart.is_some_and(|apart| apart <= MINUTE)
}

/// What tells the files of one recording from all others, if the header of a file has it.
pub fn recording(path: &Path) -> Option<Vec<u8>> {
    head(path)?.recording
}

/// Whether a file is the empty one that a run leaves if it writes a file for every thread or dump.
pub fn is_empty_base(path: &Path) -> bool {
    regular(path).is_some_and(|meta| meta.len() == 0) && !companions(path).is_empty()
}

/// Threads are numbered with at least two digits.
fn is_thread(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().all(u8::is_ascii_digit)
}

/// The files that the process with this number wrote in the current folder: Callgrind's, else Cachegrind's and Xdebug's;
/// and others with such names, which do not count. Of files with one name, compressed or not, each content counts once.
pub fn of_process(number: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    // A time or the run of `record` before the number, threads, dumps and the random number of Xdebug's `%r` behind it.
    let pattern = format!(
        r"^c(all|ache)grind\.out\.(([0-9_]{{9,}}|[A-Za-z][\w-]*\.[0-9]+)[.-])?{number}(([.-]([0-9]+|[0-9a-f]{{6}}))*(\.gz|\.zst|\.xz)?|[^0-9A-Za-z].*)$"
    );
    let (Ok(pattern), Ok(entries)) = (Regex::new(&pattern), fs::read_dir(".")) else {
        return Default::default();
    };
    let mut names: Vec<(String, String)> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
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
        // Behind another number it may be that of a dump.
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

/// The name of a file that may be compressed.
fn without_compression(name: &str) -> &str {
    let ends = [".gz", ".zst", ".xz"];
    ends.iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

/// Whether two files hold the same once they are unpacked.
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

/// What the header of a file says of its run.
#[derive(Default)]
struct RunHeader {
    process: Option<Vec<u8>>,
    command: Option<Vec<u8>>,
    /// What `record` wrote into every file of a recording.
    recording: Option<Vec<u8>>,
    /// Whether it names a thread.
    is_thread: bool,
    /// Whether a profiler wrote it, and not this program.
    is_recorded: bool,
}

/// What all files of one run have in common.
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

/// What comes behind the events is not read.
fn head(name: &Path) -> Option<RunHeader> {
    // The command stands before the thread, and linkers have long ones.
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
