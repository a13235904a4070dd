//! Finds out what a run left: the files to read together, and remarks about the others.

use super::{
    Description, Ended, Private, Remark,
    files::{FORKED, RecordedFile},
};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// What a run left.
pub(crate) struct Outcome {
    /// The profiles to read together: all threads and dumps of the program, and of the programs
    /// that it started, if those were recorded.
    pub files: Vec<PathBuf>,
    /// What a person should know.
    pub remarks: Vec<Remark>,
}

impl Outcome {
    /// Reads what Valgrind wrote, describes the profiles and moves them out of its folder. Profiles
    /// of forked processes that include their parent's cost get names that nobody mistakes for
    /// runs. Profiles without cost are removed.
    pub(crate) fn new(
        folder: &mut Private,
        ended: &Ended,
        with_children: bool,
        description: &Description,
    ) -> Outcome {
        let mut remarks = Vec::new();
        let logs: BTreeMap<u32, Log> = ended
            .logs
            .iter()
            .map(|(pid, text)| (*pid, Log::new(text)))
            .collect();
        remarks.extend(given_up(&logs));
        let mut written: BTreeMap<u32, Vec<RecordedFile>> = BTreeMap::new();
        for file in folder.profiles() {
            written.entry(file.pid).or_default().push(file);
        }
        let (mut whole, mut forked, mut awaited) = (Vec::new(), Vec::new(), Vec::new());
        for (&pid, log) in &logs {
            let mut files = written.remove(&pid).unwrap_or_default();
            let is_copy = pid != ended.pid && is_forked(pid, &logs);
            let is_aside = is_copy
                && (!with_children || files.iter().any(|file| begins_with_parent(&file.path)));
            let had_file = !files.is_empty();
            files.retain(|file| fs::metadata(&file.path).is_ok_and(|meta| meta.len() > 0));
            if is_aside {
                files.iter_mut().for_each(|file| file.end.push(FORKED));
            }
            if log.collected.is_none() && folder.is_awaited(pid) {
                let Ok(mut late) = folder.awaited(pid) else {
                    continue;
                };
                if is_copy && !with_children {
                    late.end.push(FORKED);
                }
                files.retain(|file| file.path != late.path);
                awaited.push(late);
            } else if let Some(why) = &log.unwritten {
                remarks.push(Remark::Lost(format!(
                    "no profile of {}: Valgrind {why}, as when the program changes its user or its root folder \
                     (chroot), or removes the folder",
                    log.command()
                )));
            } else if log.is_nothing() {
                files.clear();
            } else if had_file && files.is_empty() && log.gave_up.is_none() {
                // For every other end of a process, Valgrind reports it or passes the signal on.
                let became = pid == ended.pid && ended.signal.is_none() && log.collected.is_none();
                let lost = format!("no profile of {}:", log.command());
                remarks.push(if became {
                    Remark::Became(format!("{lost} the process became another program (exec)"))
                } else {
                    let why = folder.full().map(|e| format!(": {e}"));
                    let why = why.unwrap_or(", as when the process is killed".into());
                    Remark::Other(format!("{lost} Callgrind wrote nothing{why}"))
                });
            }
            if is_aside { &mut forked } else { &mut whole }.extend(files);
        }
        // Valgrind writes its log first. A file without a log is read with the others.
        whole.extend(written.into_values().flatten());
        let end = if logs.values().any(|log| log.unknown_instruction) {
            Some("Valgrind does not know an instruction of the program (AVX-512, for example), which ended there: the profile shows the run up to that instruction".into())
        } else {
            let left = match whole.is_empty() {
                true => "no profile was written",
                false => "the profile ends there",
            };
            (ended.signal).map(|signal| format!("signal {signal} ended the program: {left}"))
        };
        remarks.splice(0..0, end.map(Remark::Other));
        if whole.is_empty() && logs.values().any(Log::is_nothing) {
            remarks.push(Remark::NothingCounted);
        }
        remarks.extend(folder.removed().map(Remark::Lost));
        let recording = (whole.len() > 1).then(|| {
            let time = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs();
            format!("{} {time}", ended.pid)
        });
        let described = Description {
            recording,
            ..description.clone()
        };
        for (files, description) in [(&whole, &described), (&forked, description)] {
            let failed = files
                .iter()
                .find_map(|file| description.write_into(&file.path).err());
            remarks.extend(failed.map(|e| {
                Remark::Other(format!(
                    "label and commit cannot be written into the profile: {e}"
                ))
            }));
        }
        let mut publish = |files: &[RecordedFile]| match folder.publish(files) {
            Ok(paths) => paths,
            Err(e) => {
                remarks.push(Remark::Lost(e.to_string()));
                Vec::new()
            }
        };
        let [files, forked, awaited] = [whole, forked, awaited].map(|files| publish(&files));
        if !forked.is_empty() {
            remarks.push(Remark::Forked(forked));
        }
        remarks.extend(awaited.into_iter().map(|file| {
            let file = file.display();
            Remark::Other(format!(
                "a child process is still running; when it ends, it writes {file}"
            ))
        }));
        Outcome { files, remarks }
    }
}

/// Whether a forked process's profile includes its parent's cost: it counts from the first block.
fn begins_with_parent(path: &Path) -> bool {
    // `desc: Timerange: Basic block 128620 - 329747`
    header(path).any(|line| line.starts_with(b"desc: Timerange: Basic block 0 "))
}

/// The lines before the costs of a profile; none if it cannot be read.
fn header(path: &Path) -> impl Iterator<Item = Vec<u8>> {
    let lines = File::open(path)
        .into_iter()
        .flat_map(|file| BufReader::new(file.take(1 << 18)).split(b'\n'));
    lines
        .map_while(Result::ok)
        .take_while(|line| !line.starts_with(b"events:"))
}

/// Whether a profile is of this command.
pub(crate) fn is_of_command(path: &Path, command: &OsStr) -> bool {
    header(path)
        .filter_map(|line| Some(line.strip_prefix(b"cmd:")?.trim_ascii().to_vec()))
        .any(|found| found == command.as_encoded_bytes())
}

/// At most this many characters of a command are printed.
const LONGEST: usize = 100;

/// Valgrind's words when it ends a program that it cannot run.
const GIVES_UP: &str = "Giving up.";

/// Valgrind's log of a process.
struct Log {
    parent: Option<u32>,
    command: String,
    /// The counts at the end.
    collected: Option<String>,
    /// Why its profile could not be written, in Valgrind's words.
    unwritten: Option<String>,
    unknown_instruction: bool,
    /// Why Valgrind could not continue, in its own words.
    gave_up: Option<String>,
}

impl Log {
    fn new(text: &str) -> Log {
        // `==4711== Parent PID: 4710`
        let said = |what| lines(text, what).next().map(str::to_owned);
        Log {
            parent: said("Parent PID:").and_then(|pid| pid.parse().ok()),
            command: said("Command:").unwrap_or_default(),
            collected: said("Collected :"),
            unwritten: said("Error: can not").map(|what| format!("can not {what}")),
            unknown_instruction: text.contains("nrecognised instruction at")
                || text.contains("unhandled instruction bytes"),
            gave_up: why_given_up(text),
        }
    }

    /// The command in backticks, shortened if it is long.
    fn command(&self) -> String {
        match self.command.char_indices().nth(LONGEST) {
            // The log with the command could not be written.
            None if self.command.is_empty() => "a process".into(),
            Some((end, _)) => format!("`{}…`", &self.command[..end]),
            None => format!("`{}`", self.command),
        }
    }

    /// Whether it counted to the end, and all counts are zero.
    fn is_nothing(&self) -> bool {
        self.collected
            .as_ref()
            .is_some_and(|counts| counts.split_whitespace().all(|count| count == "0"))
    }
}

/// The rest of each log line that begins with `what`, after the process id.
fn lines<'t>(text: &'t str, what: &str) -> impl Iterator<Item = &'t str> {
    let said = text
        .lines()
        .filter_map(|line| Some(line.strip_prefix("==")?.split_once("== ")?.1));
    said.filter_map(move |said| said.strip_prefix(what))
        .map(str::trim)
}

/// Why Valgrind could not continue, in its own words, if it gave up.
fn why_given_up(text: &str) -> Option<String> {
    // `==4711== Valgrind: debuginfo reader: Possibly corrupted debuginfo file.`
    let (last, why): (Vec<&str>, Vec<&str>) =
        lines(text, "Valgrind:").partition(|words| words.contains(GIVES_UP));
    (!last.is_empty()).then(|| why.join(" "))
}

/// Each reason for which Valgrind gave up, with the first process that it happened to.
fn given_up(logs: &BTreeMap<u32, Log>) -> Vec<Remark> {
    let mut reasons: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (&pid, log) in logs {
        if let Some(why) = &log.gave_up {
            reasons.entry(why).or_default().push(pid);
        }
    }
    let remark = |(why, pids): (&str, Vec<u32>)| {
        let first = pids.iter().min().and_then(|pid| logs.get(pid))?;
        let others = match pids.len() - 1 {
            0 => String::new(),
            1 => " and one more process".to_owned(),
            more => format!(" and {more} more processes"),
        };
        let command = first.command();
        Some(Remark::Other(format!(
            "Valgrind gave up on {command}{others}, and its counts are lost: {why}"
        )))
    };
    reasons.into_iter().filter_map(remark).collect()
}

/// Whether a process is a copy of a recorded one, and not a program that was started.
fn is_forked(pid: u32, logs: &BTreeMap<u32, Log>) -> bool {
    let Some(log) = logs.get(&pid) else {
        return false;
    };
    let parent = log.parent.and_then(|parent| logs.get(&parent));
    parent.is_some_and(|parent| parent.command == log.command)
}
