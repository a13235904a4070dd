//! Sets up the terminal and restores it. An abort, a stack overflow or SIGKILL ends the process
//! without cleanup, and a signal handler may do almost nothing. So a shell waits in the background
//! for the end of a pipe. It restores the terminal if the explorer has not done so.

use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether the explorer has changed the terminal's mode.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Restores the terminal when dropped.
pub(super) struct Guard;

impl Guard {
    pub(super) fn take() -> io::Result<Guard> {
        if !TAKEN.swap(true, Ordering::SeqCst) {
            after::tell("restore");
        }
        enable_raw_mode()?;
        execute!(
            io::stdout(),
            EnterAlternateScreen,
            EnableMouseCapture,
            cursor::Hide
        )?;
        Ok(Guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

/// Restores the terminal. Errors are ignored, because nothing can handle them at this point.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = leave(&mut io::stdout());
        let _ = disable_raw_mode();
        after::tell("leave");
    }
}

fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, LeaveAlternateScreen, cursor::Show)
}

/// The shell that runs after the process has ended.
#[cfg(unix)]
mod after {
    use super::leave;
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{LazyLock, Mutex, PoisonError};

    /// Waits for the end of its input, and restores the terminal if the last line says so. By then
    /// the shell that started the explorer is in the foreground. A background process that changes
    /// the terminal would be stopped (SIGTTOU), so the script ignores that signal.
    const SCRIPT: &str = "trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE ALRM USR1 USR2
        while read -r line; do last=$line; done
        if [ \"$last\" = restore ]; then stty \"$0\" <&1; printf %s \"$1\"; fi";

    /// The input of the shell; `None` if the shell could not be started.
    static AFTER: LazyLock<Mutex<Option<ChildStdin>>> =
        LazyLock::new(|| Mutex::new(start().ok().flatten()));

    fn start() -> io::Result<Option<ChildStdin>> {
        let state = Command::new("stty")
            .arg("-g")
            .stdin(io::stdout())
            .stderr(Stdio::null())
            .output()?;
        let (Ok(state), mut screen) = (String::from_utf8(state.stdout), Vec::new()) else {
            return Ok(None);
        };
        leave(&mut screen)?;
        let mut shell = Command::new("/bin/sh");
        shell.args([
            "-c",
            SCRIPT,
            state.trim(),
            &String::from_utf8_lossy(&screen),
        ]);
        Ok(shell
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?
            .stdin)
    }

    /// Says what the shell does when the process ends: `restore` or `leave`.
    pub(super) fn tell(after: &str) {
        if let Some(shell) = &mut *AFTER.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = shell.write_all(format!("{after}\n").as_bytes());
        }
    }
}

/// Other systems have no such shell.
#[cfg(not(unix))]
mod after {
    pub(super) fn tell(_: &str) {}
}
