//! Finds files of other threads and of the same run beside the inputs. Commands use it to read them as well, or to say
//! what is left out.

use super::open::is_stream;
use super::siblings::{beside, companions};
use crate::profile::Order;
use std::fs::{self, File};
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
        let Some(Head { process, .. }) = others.peek().and_then(|_| head(path)) else { continue };
        let is_of_run = |other: &PathBuf| head(other).is_some_and(|other| other.is_thread && other.process == process);
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
        head(path).map(|head| match head.recording {
            None => (head.process, head.command),
            recording => (Vec::new(), recording),
        })
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

/// What the header of an uncompressed file says of its run.
struct Head {
    process: Vec<u8>,
    command: Option<Vec<u8>>,
    /// What `record` wrote into every file of a recording.
    recording: Option<Vec<u8>>,
    /// Whether it names a thread.
    is_thread: bool,
}

/// `None` if it says no process number. What comes behind the events is not read.
fn head(name: &Path) -> Option<Head> {
    // The command stands before the thread, and linkers have long ones.
    const LONGEST: u64 = 1 << 18;
    fs::metadata(name).ok().filter(fs::Metadata::is_file)?;
    let mut lines = BufReader::with_capacity(4096, File::open(name).ok()?.take(LONGEST));
    let (mut process, mut command, mut recording, mut is_thread, mut line) = (None, None, None, false, Vec::new());
    while lines.read_until(b'\n', &mut line).ok()? > 0 && !line.starts_with(b"events:") {
        let value = |key: &[u8]| line.strip_prefix(key).map(|value| value.trim_ascii().to_vec());
        process = process.or_else(|| value(b"pid:"));
        command = command.or_else(|| value(b"cmd:"));
        recording = recording.or_else(|| value(b"desc: Recording:"));
        is_thread |= line.starts_with(b"thread:");
        line.clear();
    }
    Some(Head { process: process?, command, recording, is_thread })
}
