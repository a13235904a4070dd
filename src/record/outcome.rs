//! What a run left behind: the files to read together, and what is to be said of the others.

use super::files::{self, Written};
use super::{Ended, Remark, Stem};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

/// Files that belong together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recorded {
    /// All threads and dumps of the program, and of the programs that it started if they were recorded.
    pub files: Vec<PathBuf>,
    /// Of processes that were forked off; each is a report by itself.
    pub forked: Vec<PathBuf>,
}

/// What a run left behind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    /// The profiles.
    pub recorded: Recorded,
    /// What is to be said.
    pub remarks: Vec<Remark>,
}

impl Outcome {
    /// Looks at the files that are there now and were not before, and at what Valgrind said. Empty files are removed, and
    /// those of forked processes get names by which nobody takes them for runs.
    pub fn new(stem: &Stem, before: &[PathBuf], ended: &Ended) -> Outcome {
        let mut outcome = Outcome::default();
        let logs: HashMap<u32, Log> = ended.logs.iter().map(|(pid, text)| (*pid, Log::new(text))).collect();
        if logs.values().any(|log| log.unknown_instruction) {
            outcome.remarks.push(Remark::UnknownInstruction);
        } else {
            outcome.remarks.extend(ended.signal.map(Remark::Killed));
        }
        outcome.remarks.extend(given_up(&logs));
        let mut processes: BTreeMap<u32, Vec<Written>> = BTreeMap::new();
        let before: HashSet<&PathBuf> = before.iter().collect();
        for file in stem.written().into_iter().filter(|file| !before.contains(&file.path)) {
            processes.entry(file.pid).or_default().push(file);
        }
        for (pid, written) in processes {
            let (empty, whole): (Vec<_>, Vec<_>) =
                written.into_iter().partition(|file| fs::metadata(&file.path).is_ok_and(|meta| meta.len() == 0));
            for file in empty {
                // What cannot be removed is said all the same.
                let _ = fs::remove_file(&file.path);
                let log = logs.get(&pid);
                let is_told = log.is_some_and(|log| log.gave_up.is_some());
                if whole.is_empty() && !is_told {
                    let became = log.is_some_and(|log| !log.ended) && ended.signal.is_none();
                    outcome.remarks.push(if became { Remark::Became(file.path) } else { Remark::Empty(file.path) });
                }
            }
            let is_copy = pid != ended.pid && is_forked(pid, &logs);
            for Written { path, .. } in whole {
                if !is_copy {
                    outcome.recorded.files.push(path);
                    continue;
                }
                outcome.recorded.forked.push(files::set_aside(&path).unwrap_or(path));
            }
        }
        if !outcome.recorded.forked.is_empty() {
            outcome.remarks.push(Remark::Forked(outcome.recorded.forked.clone()));
        }
        outcome
    }
}

/// What Valgrind says when it ends a program that it cannot run.
const GIVES_UP: &str = "Giving up.";

/// What Valgrind said of a process.
struct Log {
    parent: Option<u32>,
    command: String,
    /// It counted to the end.
    ended: bool,
    unknown_instruction: bool,
    /// Why Valgrind could not go on, in its own words.
    gave_up: Option<String>,
}

impl Log {
    fn new(text: &str) -> Log {
        // `==4711== Parent PID: 4710`
        let said = |what| lines(text, what).next().map(str::to_owned);
        Log {
            parent: said("Parent PID:").and_then(|pid| pid.parse().ok()),
            command: said("Command:").unwrap_or_default(),
            ended: said("Collected :").is_some(),
            unknown_instruction: text.contains("nrecognised instruction at")
                || text.contains("unhandled instruction bytes"),
            gave_up: why_given_up(text),
        }
    }
}

/// What stands behind some words where a line of a log begins with them, after the number of the process.
fn lines<'t>(text: &'t str, what: &str) -> impl Iterator<Item = &'t str> {
    let said = text.lines().filter_map(|line| Some(line.strip_prefix("==")?.split_once("== ")?.1));
    said.filter_map(move |said| said.strip_prefix(what)).map(str::trim)
}

/// Why Valgrind could not go on, in its own words, if it says that it gives up.
fn why_given_up(text: &str) -> Option<String> {
    // `==4711== Valgrind: debuginfo reader: Possibly corrupted debuginfo file.`
    let (last, why): (Vec<&str>, Vec<&str>) = lines(text, "Valgrind:").partition(|words| words.contains(GIVES_UP));
    (!last.is_empty()).then(|| why.join(" "))
}

/// Each reason for which Valgrind gave up, with the first process of which it says so.
fn given_up(logs: &HashMap<u32, Log>) -> Vec<Remark> {
    let mut reasons: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (&pid, log) in logs {
        if let Some(why) = &log.gave_up {
            reasons.entry(why).or_default().push(pid);
        }
    }
    let remark = |(why, pids): (&str, Vec<u32>)| {
        let first = pids.iter().min().and_then(|pid| logs.get(pid))?;
        Some(Remark::GaveUp { command: first.command.clone(), more: pids.len() - 1, why: why.to_owned() })
    };
    reasons.into_iter().filter_map(remark).collect()
}

/// Whether a process is a copy of one that was recorded, and not a program that was started anew.
fn is_forked(pid: u32, logs: &HashMap<u32, Log>) -> bool {
    let Some(log) = logs.get(&pid) else { return false };
    let parent = log.parent.and_then(|parent| logs.get(&parent));
    parent.is_some_and(|parent| parent.command == log.command)
}
