//! Reports on a terminal that a recording continues, in whole lines and gradually less often. What
//! the program writes there stays as it is. While a program draws on the whole screen, nothing is
//! printed.

use super::{console::say, progress::Progress};
use crate::{record::so_far, text::grouped};
use std::{
    io::{self, IsTerminal},
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

/// When the first line is printed. Each further line comes after twice the time.
const FIRST: Duration = Duration::from_secs(3);

/// How often to look for an answer.
const STEP: Duration = Duration::from_millis(20);

/// Reports on the process until the result is dropped, if standard error is a terminal.
pub(super) fn watch(pid: u32) -> Progress {
    if !io::stderr().is_terminal() {
        return Progress::default();
    }
    Progress::begin(move |stopped| {
        let (start, mut next) = (Instant::now(), FIRST);
        let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
        while goes_on(next.saturating_sub(start.elapsed())) {
            let counted = so_far(pid, || goes_on(STEP));
            if goes_on(Duration::ZERO) && reads_lines() {
                let seconds = start.elapsed().as_secs();
                let counted = counted.map_or(String::new(), |so_far| {
                    format!(", {} {}", grouped(so_far.count), so_far.event)
                });
                say(format!("recording for {seconds} s{counted} so far"));
            }
            next = next.saturating_mul(2);
        }
    })
}

/// Whether the terminal is as a shell leaves it. If it delivers single keys, a program is drawing
/// on it.
#[cfg(unix)]
fn reads_lines() -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    tcgetattr(io::stderr()).is_ok_and(|state| state.local_modes.contains(LocalModes::ICANON))
}

#[cfg(not(unix))]
fn reads_lines() -> bool {
    true
}
