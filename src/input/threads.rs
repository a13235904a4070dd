//! Finds files of other threads and of the same run beside the inputs. Commands use it to read them as well, or to say
//! what is left out.

use super::open::{self, is_stream};
use super::siblings::{beside, companions};
use super::{Options, begin};
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
        let Some(name) = path.file_name().map(|name| name.as_encoded_bytes()) else {
            continue;
        };
        let dash = memchr::memrchr(b'-', name).filter(|&dash| is_thread(&name[dash + 1..]));
        let others = beside(path, &name[..dash.unwrap_or(name.len())]).filter(|(other, rest)| {
            rest.strip_prefix(b"-").is_some_and(is_thread)
                && named.binary_search(&other.as_path()).is_err()
        });
        let mut others = others.map(|(other, _)| other).peekable();
        // Mostly the file is alone, and need not be opened.
        let Some(Head {
            process: Some(process),
            ..
        }) = others.peek().and_then(|_| head(path))
        else {
            continue;
        };
        let is_of_run = |other: &PathBuf| {
            head(other)
                .is_some_and(|other| other.is_thread && other.process.as_ref() == Some(&process))
        };
        found.extend(others.filter(is_of_run));
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
    const MINUTE: Duration = Duration::from_secs(60);
    let alone = vec![path.to_owned()];
    let name = path
        .file_name()
        .map_or(&b""[..], |name| name.as_encoded_bytes());
    let numbers = name
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit() || b"-.".contains(b))
        .count();
    // `.1234-02`: the first number is the process's.
    let begins = name.len() - numbers + 1;
    let first = name
        .get(begins..)
        .unwrap_or_default()
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let run = |path: &Path| {
        let head = head(path)?;
        match head.recording {
            None => Some((head.process?, head.command)),
            recording => Some((Vec::new(), recording)),
        }
    };
    let (Some(time), Some(of_this)) = (modified(path), run(path)) else {
        return alone;
    };
    let is_recording = of_this.0.is_empty();
    let base = &name[..if is_recording {
        begins.saturating_sub(1)
    } else {
        begins + first
    }
    .min(name.len())];
    let near = |other: Option<SystemTime>| {
        let apart = other.map(|other| {
            other
                .duration_since(time)
                .or_else(|_| time.duration_since(other))
        });
        is_recording || matches!(apart, Some(Ok(apart)) if apart <= MINUTE)
    };
    let others = beside(path, base).map(|(other, _)| other);
    // The file of the run itself, which dumps can have beside them.
    let itself = std::str::from_utf8(base)
        .ok()
        .map(|name| path.with_file_name(name));
    let mut files: Vec<PathBuf> = others
        .chain(itself)
        .filter(|other| near(modified(other)) && run(other).as_ref() == Some(&of_this))
        .collect();
    files.push(path.to_owned());
    files.order();
    files.dedup();
    files
}

/// Whether a file is the empty one that a run leaves if it writes a file for every thread or dump.
pub fn is_empty_base(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == 0)
        && !companions(path).is_empty()
}

/// Threads are numbered with at least two digits.
fn is_thread(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().all(u8::is_ascii_digit)
}

/// The files that the process with this number wrote in the current folder: Callgrind's, else Cachegrind's and Xdebug's;
/// and others with such names, which do not count. Of files with one name, compressed or not, each content counts once.
pub fn of_process(number: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    // A time or the run of `record` before the number, threads, dumps and the random number of Xdebug's `%r` behind it.
    let name = format!(
        r"^c(all|ache)grind\.out\.(([0-9_]{{9,}}|[A-Za-z][\w-]*\.[0-9]+)[.-])?{number}(([.-]([0-9]+|[0-9a-f]{{6}}))*(\.gz|\.zst|\.xz)?|[^0-9A-Za-z].*)$"
    );
    let Ok(name) = Regex::new(&name) else {
        return Default::default();
    };
    let (mut files, mut others, mut skipped) =
        (Vec::<(String, PathBuf)>::new(), Vec::new(), Vec::new());
    let names = fs::read_dir(".")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let bare = |name: String| {
        [".gz", ".zst", ".xz"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name)
            .to_owned()
    };
    let mut names: Vec<(String, String)> = names.map(|name| (bare(name.clone()), name)).collect();
    names.order();
    for (bare, path) in names {
        let Some(parts) = name.captures(&path) else {
            continue;
        };
        let is_written = parts.get(5).is_some() || matches!(&parts[4], "" | ".gz" | ".zst" | ".xz");
        let files = if &parts[1] == "all" {
            &mut files
        } else {
            &mut others
        };
        let (has_more, path) = (parts.get(2).is_some(), PathBuf::from(&path));
        if !fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
            continue;
        }
        let head = head(&path).filter(|_| is_written);
        // Behind another number it may be that of a dump.
        let process = head
            .as_ref()
            .and_then(|head| head.process.as_deref())
            .filter(|_| has_more);
        if process.is_some_and(|process| process != number.as_bytes()) {
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
        &mut files
    } else {
        &mut skipped
    }
    .extend(others);
    (files, skipped)
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
struct Head {
    process: Option<Vec<u8>>,
    command: Option<Vec<u8>>,
    /// What `record` wrote into every file of a recording.
    recording: Option<Vec<u8>>,
    /// Whether it names a thread.
    is_thread: bool,
    /// Whether a profiler wrote it, and not this program.
    is_recorded: bool,
}

/// What comes behind the events is not read.
fn head(name: &Path) -> Option<Head> {
    // The command stands before the thread, and linkers have long ones.
    const LONGEST: u64 = 1 << 18;
    fs::metadata(name).ok().filter(fs::Metadata::is_file)?;
    let (reader, source) = begin(name, open::open(name).ok()?, &Options::all()).ok()?;
    let mut lines = BufReader::with_capacity(4096, source.take(LONGEST));
    let mut head = Head {
        process: None,
        command: None,
        recording: None,
        is_thread: false,
        is_recorded: true,
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
        head.is_recorded &= !line.starts_with(b"creator: cgannotate-");
        line.clear();
    }
    head.is_recorded &= reader.format().is_original;
    Some(head)
}
