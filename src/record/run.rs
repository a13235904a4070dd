//! Runs Valgrind. It has our standard streams; what it has to say itself goes into a log of its own, so that the program's
//! standard error stays the program's.

use super::program::{NotFound, find};
use super::signals::Forwarded;
use super::{Private, Stem};
use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// A run of Valgrind, before it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The program `valgrind` and its arguments, without those that say where its log goes.
    pub command: Vec<OsString>,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// The number of the process.
    pub pid: u32,
    /// As the program would have ended.
    pub status: u8,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// How long it took.
    pub time: Duration,
    /// What Valgrind said, a text a process.
    pub logs: Vec<(u32, String)>,
}

impl Run {
    /// The run of a program with options for Callgrind.
    ///
    /// # Errors
    /// There is no Valgrind.
    pub fn new(options: &[OsString], stem: &Stem, program: &[OsString]) -> Result<Run, NotFound> {
        let mut command: Vec<OsString> =
            vec![find("valgrind".as_ref())?.into(), "--tool=callgrind".into()];
        let mut out = OsString::from("--callgrind-out-file=");
        out.push(stem.pattern());
        command.push(out);
        command.extend(options.iter().cloned());
        command.push("--".into());
        command.extend(program.iter().cloned());
        Ok(Run { command })
    }

    /// Runs it to its end, with what it writes in a folder; `started` gets the number of the process, and what it gives is
    /// dropped at the end. Signals that would end this program are for the one that runs, until `ended` has seen to
    /// what it left. They are so from before the folder is made, which would otherwise outlive this program.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn wait<W, R>(
        &self,
        (signals, folder): (Forwarded, Private),
        started: impl FnOnce(u32) -> W,
        ended: impl FnOnce(Private, Ended) -> R,
    ) -> io::Result<R> {
        let (name, rest) = self
            .command
            .split_first()
            .ok_or(io::ErrorKind::InvalidInput)?;
        let [tool, _, rest @ ..] = rest else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let start = Instant::now();
        let mut child = Command::new(name)
            .arg(tool)
            .args(folder.options())
            .args(rest)
            .spawn()?;
        let pid = child.id();
        signals.to(pid);
        let watched = started(pid);
        let status = child.wait();
        drop(watched);
        let status = status?;
        let (time, logs) = (start.elapsed(), folder.logs());
        Ok(ended(
            folder,
            Ended {
                pid,
                status: as_in_a_shell(status),
                signal: signal(status),
                time,
                logs,
            },
        ))
    }
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}

/// The status that a shell gives: 128 and the signal for what a signal ended.
fn as_in_a_shell(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| signal(status).map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1) & 0xff).unwrap_or(1)
}
