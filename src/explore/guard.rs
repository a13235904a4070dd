//! Takes the terminal and gives it back. What ends the program without a word (an abort, a stack that is too small, SIGKILL)
//! leaves nobody here to do that, and a handler of signals may do next to nothing: so a shell waits beside the explorer,
//! for the end of a pipe, and restores the terminal if it is taken then. Used by `terminal`.

use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal while it is ours.
pub(super) struct Guard;

impl Guard {
    pub(super) fn take() -> io::Result<Guard> {
        if !TAKEN.swap(true, Ordering::SeqCst) {
            after::tell(AtEnd::Restores);
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

/// Leaves the terminal as it was; whether that succeeds matters to nobody any more.
pub(super) fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let _ = leave(&mut io::stdout());
        let _ = disable_raw_mode();
        after::tell(AtEnd::Leaves);
    }
}

/// Leaves the screen as it was before.
fn leave(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, LeaveAlternateScreen, cursor::Show)
}

/// What is done with the terminal if the program ends.
#[derive(Clone, Copy)]
enum AtEnd {
    Restores,
    Leaves,
}

/// What comes after the end.
#[cfg(unix)]
mod after {
    use super::{AtEnd, leave};
    use std::io::{self, Write};
    use std::os::unix::process::CommandExt;
    use std::process::{ChildStdin, Command, Stdio};
    use std::sync::{LazyLock, Mutex, PoisonError};

    /// Waits for the end of its input, and restores the terminal if its last line says so. The shell that started the
    /// explorer has the terminal by then, which stops others that change it (SIGTTOU).
    const SCRIPT: &str = "trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE ALRM USR1 USR2
        while read -r line; do last=$line; done
        if [ \"$last\" = restore ]; then stty \"$0\" <&1; printf %s \"$1\"; fi";

    /// Where it is told what to do; nothing if there is no such shell.
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

    pub(super) fn tell(after: AtEnd) {
        let line: &[u8] = match after {
            AtEnd::Restores => b"restore\n",
            AtEnd::Leaves => b"leave\n",
        };
        if let Some(shell) = &mut *AFTER.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = shell.write_all(line);
        }
    }
}

/// What comes after the end: nothing.
#[cfg(not(unix))]
mod after {
    pub(super) fn tell(_: super::AtEnd) {}
}
