//! Runs Valgrind with our standard streams. Its own messages go into a log, so that standard error
//! has only what the program writes.

use super::{Forwarded, NotFound, Private, find};
use std::{
    ffi::{OsStr, OsString},
    io,
    process::{Command, ExitStatus},
    time::{Duration, Instant},
};

/// A run of Valgrind, before it starts.
pub(crate) struct Recording {
    /// `valgrind` and its arguments, without those for its log.
    pub command: Vec<OsString>,
}

/// How a run ended.
pub(crate) struct Ended {
    /// The process id.
    pub pid: u32,
    /// The exit status that the program would have had.
    pub status: u8,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The elapsed time.
    pub time: Duration,
    /// Valgrind's log of each process.
    pub logs: Vec<(u32, String)>,
}

impl Recording {
    /// Prepares the run of a program with options for Callgrind.
    ///
    /// # Errors
    /// Valgrind is not installed.
    pub(crate) fn new(
        options: &[OsString],
        file: &OsStr,
        program: &[OsString],
    ) -> Result<Recording, NotFound> {
        let mut command: Vec<OsString> =
            vec![find("valgrind".as_ref())?.into(), "--tool=callgrind".into()];
        let mut out = OsString::from("--callgrind-out-file=");
        out.push(file);
        command.push(out);
        command.extend_from_slice(options);
        command.push("--".into());
        command.extend_from_slice(program);
        Ok(Recording { command })
    }

    /// Runs it to its end, and writes into `folder`. `started` gets the process id; its result is
    /// dropped when the run ends.
    ///
    /// Signals that would end cgannotate go to the program, until `ended` has processed what the
    /// run left. They do so before the folder is made, or the folder could stay behind.
    ///
    /// # Errors
    /// Valgrind cannot be started.
    pub(crate) fn wait<W, R>(
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

/// The exit status that a shell gives: 128 plus the signal, if a signal ended the program.
fn as_in_a_shell(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| signal(status).map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1) & 0xff).unwrap_or(1)
}
