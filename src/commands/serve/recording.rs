//! Records the program of `--allow-record` with a time limit.

use crate::cli::McpArgs;
use crate::commands::named;
use crate::fs::modified;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often to look whether the recording has ended.
const STEP: Duration = Duration::from_millis(50);

/// Runs `record` on the program, and returns the profile. It has no output, because standard output is
/// the protocol's.
///
/// # Errors
/// If it cannot be run, fails, or takes too long.
pub(super) fn record(args: &McpArgs) -> Result<PathBuf> {
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
    let (begin, limit) = (Instant::now(), Duration::from_secs(args.time_limit));
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if begin.elapsed() < limit => sleep(STEP),
            None => {
                end(&mut child)?;
                child.wait()?;
                bail!("record: ended after {} seconds", args.time_limit);
            }
        }
    };
    match newest() {
        after if after == before => bail!("record: no profile was written: {status}"),
        after => Ok(after.map(|(_, name)| name).unwrap_or_default()),
    }
}

/// Ends Valgrind and the program, too.
#[cfg(unix)]
fn end(child: &mut Child) -> Result<()> {
    use rustix::process::{Pid, Signal, kill_process_group};
    Ok(kill_process_group(Pid::from_child(child), Signal::KILL)?)
}

#[cfg(not(unix))]
fn end(child: &mut Child) -> Result<()> {
    Ok(child.kill()?)
}
