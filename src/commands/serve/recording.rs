//! Records the program of `--allow-record` with a time limit.

use crate::{cli::McpArgs, commands::named, fs::modified};
use anyhow::{Context, Result, bail};
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

/// How long to wait between checks whether the recording has ended.
const STEP: Duration = Duration::from_millis(50);

/// How long a program may take to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(5);

/// Runs `record` on the program. Returns the profile, and how the program ended. The program's
/// standard output is discarded, because that of the server belongs to the protocol.
///
/// # Errors
/// If the program cannot be run, writes no profile, or takes too long.
pub(super) fn record(args: &McpArgs) -> Result<(PathBuf, ExitStatus)> {
    let newest = || {
        let name = named::newest_profile(Path::new(""))?;
        Some((modified(&name)?, name))
    };
    let before = newest();
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("record").arg("--").args(&args.program);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().context("record")?;
    let (begin, mut limit) = (Instant::now(), Duration::from_secs(args.time_limit));
    let mut is_late = false;
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if begin.elapsed() < limit => sleep(STEP),
            None => {
                end(&mut child, is_late)?;
                (is_late, limit) = (true, begin.elapsed() + GRACE);
            }
        }
    };
    if is_late {
        bail!("record: time limit of {} s exceeded", args.time_limit);
    }
    let after = newest().filter(|after| Some(after) != before.as_ref());
    let (_, profile) =
        after.with_context(|| format!("record: no profile was written: {status}"))?;
    Ok((profile, status))
}

/// Ends the process group, which includes Valgrind and the program.
#[cfg(unix)]
fn end(child: &mut Child, at_once: bool) -> Result<()> {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if at_once { Signal::KILL } else { Signal::TERM };
    Ok(kill_process_group(Pid::from_child(child), signal)?)
}

#[cfg(not(unix))]
fn end(child: &mut Child, _: bool) -> Result<()> {
    Ok(child.kill()?)
}
