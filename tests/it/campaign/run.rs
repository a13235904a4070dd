//! Puts command lines to the library and looks at what every one of them must keep to.

use super::measure;
use super::worker::Notes;
use cgannotate::cli::{Cli, describe};
use cgannotate::commands;
use cgannotate::request::Request;
use clap::Parser;
use clap::error::ErrorKind;
use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;

/// What a command line gave.
pub(crate) struct Answer {
    pub(crate) status: u8,
    /// What it wrote, if it wrote a file.
    pub(crate) out: Option<Vec<u8>>,
    /// What it said on standard error.
    pub(crate) said: String,
    /// Itself.
    pub(crate) line: String,
}

impl Answer {
    /// A failure, and of which command line.
    pub(crate) fn wrong<T>(&self, what: impl std::fmt::Display) -> Result<T, String> {
        Err(format!(
            "{what}\n    status {} of: {}\n    it said: {:.300}",
            self.status,
            self.line,
            self.said.trim_end()
        ))
    }

    /// Whether a count or a sum was too large, and a limit stands for it.
    pub(crate) fn is_limited(&self) -> bool {
        self.said.contains("fit in 64 bits")
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.out.as_deref().unwrap_or_default()).into_owned()
    }
}

/// Where the report of a panic waits.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// From now on a panic is no text on standard error.
pub(crate) fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut panic) = PANIC.lock() {
            *panic = Some(info.to_string());
        }
    }));
}

/// The current folder, in which commands read and write.
pub(crate) struct Run<'a> {
    /// The worker's standard error.
    pub(crate) said: &'a File,
    pub(crate) said_path: &'a str,
    pub(crate) notes: &'a mut Notes,
    pub(crate) seed: u64,
    /// Whether what is executed counts; not while a failure is made smaller.
    pub(crate) counts: bool,
    /// How many bytes the inputs have, unpacked.
    pub(crate) size: u64,
}

impl Run<'_> {
    /// What a command line writes with `-o`. Fails where a command line must not: a panic, a status
    /// that does not exist, control characters in messages, files left behind.
    pub(crate) fn ask<S: AsRef<str>>(&mut self, args: &[S]) -> Result<Answer, String> {
        self.write("out", args)
    }

    /// The same, to a file of another name that is kept until it is written again.
    pub(crate) fn write<S: AsRef<str>>(&mut self, to: &str, args: &[S]) -> Result<Answer, String> {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["-o", to]).collect();
        let _ = fs::remove_file(to);
        let _ = self.said.set_len(0);
        let line = format!(
            "cgannotate {}",
            args.iter()
                .map(|arg| quoted(arg))
                .collect::<Vec<_>>()
                .join(" ")
        );
        let memory = if self.counts { measure::now() } else { 0 };
        if self.counts {
            measure::forget_peak();
        }
        let before = measure::processor_time();
        let ended = catch_unwind(AssertUnwindSafe(|| execute(&args)));
        let took = measure::processor_time() - before;
        if self.counts {
            let memory = measure::peak().saturating_sub(memory);
            self.notes
                .executed(self.seed, took, memory, self.size, &line);
        }
        let said =
            String::from_utf8_lossy(&fs::read(self.said_path).unwrap_or_default()).into_owned();
        let status = match ended {
            Ok(code) => (0..=4).find(|&status| code == ExitCode::from(status)),
            Err(_) => {
                let panic = PANIC
                    .lock()
                    .ok()
                    .and_then(|mut panic| panic.take())
                    .unwrap_or_default();
                return Err(format!("panic: {panic}\n    of: {line}"));
            }
        };
        let answer = Answer {
            status: status.unwrap_or(255),
            out: fs::read(to).ok(),
            said,
            line,
        };
        let is_check = args[0] == "check";
        match answer.status {
            255 => return answer.wrong("status: none of those there are"),
            3 | 4 if !is_check => return answer.wrong("status: it is that of a check"),
            1 | 2 if answer.said.is_empty() => {
                return answer.wrong("silence: it fails without a word");
            }
            2 if answer.out.is_some() => {
                return answer.wrong("output: of a command line that is wrong");
            }
            0 if answer.out.is_none() && !is_check => return answer.wrong("output: there is none"),
            _ => {}
        }
        if let Some(c) = answer.said.chars().find(|&c| c.is_control() && c != '\n') {
            return answer.wrong(format!("control: {c:?} in what it said"));
        }
        let left = fs::read_dir(".")
            .ok()
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name());
        if let Some(part) = left
            .into_iter()
            .find(|name| name.to_string_lossy().ends_with(".part"))
        {
            let _ = fs::remove_file(&part);
            return answer.wrong("output: a part of it was left behind");
        }
        Ok(answer)
    }
}

/// As `main` does.
fn execute(args: &[&str]) -> ExitCode {
    match Cli::try_parse_from(["cgannotate"].iter().chain(args)) {
        Ok(cli) => commands::run(Request::new(cli)),
        Err(e) => {
            assert!(
                !matches!(e.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion),
                "nobody asks for help"
            );
            commands::refuse(&describe(&e))
        }
    }
}

/// An argument as a shell takes it.
fn quoted(arg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:%".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}
