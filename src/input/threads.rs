//! Finds files of other threads and of the same run beside the inputs. Commands use it to read them as well, or to say
//! what is left out.

use super::open::{self, is_stream};
use super::siblings::{beside, companions};
use super::{Options, begin};
use crate::profile::{Format, Order};
use std::collections::HashMap;
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
        let Some(name) = path.file_name().map(|name| name.as_encoded_bytes()) else { continue };
        let dash = memchr::memrchr(b'-', name).filter(|&dash| is_thread(&name[dash + 1..]));
        let others = beside(path, &name[..dash.unwrap_or(name.len())]).filter(|(other, rest)| {
            rest.strip_prefix(b"-").is_some_and(is_thread) && named.binary_search(&other.as_path()).is_err()
        });
        let mut others = others.map(|(other, _)| other).peekable();
        // Mostly the file is alone, and need not be opened.
        let Some(Head { process: Some(process), .. }) = others.peek().and_then(|_| head(path)) else { continue };
        let is_of_run = |other: &PathBuf| {
            head(other).is_some_and(|other| other.is_thread && other.process.as_ref() == Some(&process))
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
    let name = path.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
    let numbers = name.iter().rev().take_while(|b| b.is_ascii_digit() || b"-.".contains(b)).count();
    // `.1234-02`: the first number is the process's.
    let begins = name.len() - numbers + 1;
    let first = name.get(begins..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count();
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    let run = |path: &Path| {
        let head = head(path)?;
        match head.recording {
            None => Some((head.process?, head.command)),
            recording => Some((Vec::new(), recording)),
        }
    };
    let (Some(time), Some(of_this)) = (modified(path), run(path)) else { return alone };
    let is_recording = of_this.0.is_empty();
    let base = &name[..if is_recording { begins.saturating_sub(1) } else { begins + first }.min(name.len())];
    let near = |other: Option<SystemTime>| {
        let apart = other.map(|other| other.duration_since(time).or_else(|_| time.duration_since(other)));
        is_recording || matches!(apart, Some(Ok(apart)) if apart <= MINUTE)
    };
    let others = beside(path, base).map(|(other, _)| other);
    // The file of the run itself, which dumps can have beside them.
    let itself = std::str::from_utf8(base).ok().map(|name| path.with_file_name(name));
    let mut files: Vec<PathBuf> =
        others.chain(itself).filter(|other| near(modified(other)) && run(other).as_ref() == Some(&of_this)).collect();
    files.push(path.to_owned());
    files.order();
    files.dedup();
    files
}

/// Whether a file is the empty one that a run leaves if it writes a file for every thread or dump.
pub fn is_empty_base(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == 0) && !companions(path).is_empty()
}

/// Threads are numbered with at least two digits.
fn is_thread(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().all(u8::is_ascii_digit)
}

/// The files that the process with this number wrote in the current folder: Callgrind's, else Cachegrind's and Xdebug's;
/// and others with such names, which do not count. Of files with one name, compressed or not, each content counts once.
pub fn of_process(number: &str) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut files, mut skipped, mut kinds) = ([Vec::new(), Vec::new()], Vec::new(), HashMap::new());
    let names = fs::read_dir(".").into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.order();
    for name in names {
        let tools = ["callgrind.out.", "cachegrind.out."].into_iter().enumerate();
        let of_tool = tools.filter_map(|(tool, start)| Some((tool, end_after(name.strip_prefix(start)?, number)?)));
        let Some((tool, end)) = of_tool.last() else { continue };
        let path = PathBuf::from(&name);
        if !fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
            continue;
        }
        let bare = without_codec(end);
        let head = if is_written(bare) { head(&path) } else { None };
        // Behind another number it may be that of a dump.
        let is_first =
            name.strip_prefix(["callgrind.out.", "cachegrind.out."][tool]).is_some_and(|rest| rest.starts_with(number));
        if !is_first
            && head.as_ref().and_then(|head| head.process.as_ref()).is_some_and(|process| process != number.as_bytes())
        {
            continue;
        }
        let bare = name[..name.len() - (end.len() - bare.len())].to_owned();
        let is_copy = |others: &Vec<PathBuf>| others.iter().any(|other| have_one_content(other, &path));
        let is_new = head.is_some_and(|head| head.is_recorded) && !kinds.get(&bare).is_some_and(is_copy);
        if is_new {
            kinds.entry(bare).or_insert_with(Vec::new).push(path.clone());
        }
        if is_new { &mut files[tool] } else { &mut skipped }.push(path);
    }
    let [mut files, other] = files;
    if files.is_empty() { &mut files } else { &mut skipped }.extend(other);
    (files, skipped)
}

/// What follows the number of a process in the rest of a file's name: `4711-02`, `TIME.4711`, `before.3.4711`.
fn end_after<'n>(rest: &'n str, number: &str) -> Option<&'n str> {
    let is_time = |text: &str| text.len() > 8 && text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let is_run = |text: &str| {
        let run = text.split_once('.').map(|(name, run)| (name.as_bytes(), run.as_bytes()));
        run.is_some_and(|(name, run)| {
            name.first().is_some_and(u8::is_ascii_alphabetic) && run.iter().all(u8::is_ascii_digit)
        })
    };
    rest.match_indices(number).find_map(|(at, _)| {
        let end = &rest[at + number.len()..];
        let before = rest[..at].strip_suffix(['.', '-']).filter(|text| is_time(text) || is_run(text));
        ((at == 0 || before.is_some()) && !end.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(end)
    })
}

fn without_codec(name: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Whether the end of a name is a profiler's: numbers of threads and dumps, then the random one of Xdebug's `%r`.
fn is_written(end: &str) -> bool {
    let is_random = |text: &str| text.len() == 6 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    end.is_empty()
        || end.starts_with(['.', '-']) && end[1..].split(['.', '-']).all(|text| is_number(text) || is_random(text))
}

/// Whether two files hold the same once they are unpacked.
fn have_one_content(one: &Path, other: &Path) -> bool {
    let options = Options { max_ratio: None, ..Options::all() };
    let open = |path: &Path| Some(BufReader::new(begin(path, open::open(path).ok()?, &options).ok()?.1));
    let (Some(mut one), Some(mut other)) = (open(one), open(other)) else { return false };
    loop {
        let (Ok(left), Ok(right)) = (one.fill_buf(), other.fill_buf()) else { return false };
        let common = left.len().min(right.len());
        if left[..common] != right[..common] || (common == 0 && left.len() != right.len()) {
            return false;
        }
        if common == 0 {
            return true;
        }
        one.consume(common);
        other.consume(common);
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
    let (format, source) = begin(name, open::open(name).ok()?, &Options::all()).ok()?;
    let mut lines = BufReader::with_capacity(4096, source.take(LONGEST));
    let mut head = Head { process: None, command: None, recording: None, is_thread: false, is_recorded: true };
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).ok()? > 0 && !line.starts_with(b"events:") {
        let value = |key: &[u8]| line.strip_prefix(key).map(|value| value.trim_ascii().to_vec());
        head.process = head.process.or_else(|| value(b"pid:"));
        head.command = head.command.or_else(|| value(b"cmd:"));
        head.recording = head.recording.or_else(|| value(b"desc: Recording:"));
        head.is_thread |= line.starts_with(b"thread:");
        head.is_recorded &= !line.starts_with(b"creator: cgannotate-");
        line.clear();
    }
    head.is_recorded &= matches!(format, Format::Callgrind | Format::Cachegrind | Format::Xdebug);
    Some(head)
}
