//! Runs Valgrind. It has our standard streams; what it has to say itself goes into a log of its own, so that the program's
//! standard error stays the program's.

use super::Stem;
use super::program::{NotFound, find};
use super::signals::Forwarded;
use crate::profile::Order;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
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

/// More of a log is not read.
const LOG: u64 = 1 << 20;

impl Run {
    /// The run of a program with options for Callgrind.
    ///
    /// # Errors
    /// There is no Valgrind.
    pub fn new(options: &[OsString], stem: &Stem, program: &[OsString]) -> Result<Run, NotFound> {
        let mut command: Vec<OsString> = vec![find("valgrind".as_ref())?.into(), "--tool=callgrind".into()];
        let mut out = OsString::from("--callgrind-out-file=");
        out.push(stem.pattern());
        command.push(out);
        command.extend(options.iter().cloned());
        command.push("--".into());
        command.extend(program.iter().cloned());
        Ok(Run { command })
    }

    /// Runs it to its end; `started` gets the number of the process, and what it gives is dropped at the end. Signals that
    /// would end this program are for the one that runs, until `ended` has seen to them.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn wait<W>(&self, started: impl FnOnce(u32) -> W, ended: impl FnOnce()) -> io::Result<Ended> {
        let logs = LogFolder::new()?;
        let (name, rest) = self.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let (tool, rest) = rest.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let start = Instant::now();
        let signals = Forwarded::begin()?;
        let mut child = Command::new(name).arg(tool).arg(logs.option()).args(rest).spawn()?;
        let pid = child.id();
        signals.to(pid);
        let watched = started(pid);
        let status = child.wait();
        ended();
        drop(signals);
        drop(watched);
        let status = status?;
        Ok(Ended {
            pid,
            status: as_in_a_shell(status),
            signal: signal(status),
            time: start.elapsed(),
            logs: logs.read(),
        })
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
    let code = status.code().or_else(|| signal(status).map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(1) & 0xff).unwrap_or(1)
}

/// A folder that only we can read, for as long as the run takes.
struct LogFolder(PathBuf);

impl LogFolder {
    fn new() -> io::Result<LogFolder> {
        for attempt in 0..100 {
            let path = std::env::temp_dir().join(format!("cgannotate-{}-{attempt}", std::process::id()));
            match create_private(&path) {
                Ok(()) => return Ok(LogFolder(path)),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn option(&self) -> OsString {
        let mut option = OsString::from("--log-file=");
        option.push(self.0.join("%p"));
        option
    }

    fn read(&self) -> Vec<(u32, String)> {
        use io::Read;
        let files = fs::read_dir(&self.0).into_iter().flatten().filter_map(Result::ok);
        let mut logs: Vec<(u32, String)> = files
            .filter_map(|file| {
                let pid = file.file_name().to_str()?.parse().ok()?;
                let mut text = Vec::new();
                fs::File::open(file.path()).ok()?.take(LOG).read_to_end(&mut text).ok()?;
                Some((pid, String::from_utf8_lossy(&text).into_owned()))
            })
            .collect();
        logs.order();
        logs
    }
}

impl Drop for LogFolder {
    fn drop(&mut self) {
        // What is left in a folder for temporary files does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<()> {
    fs::create_dir(path)
}
