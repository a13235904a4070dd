//! Says on a terminal that a recording goes on: whole lines, ever more seldom, so that what the program writes there stays
//! as it is. A program that has the whole screen to itself is left alone.

use super::console::Console;
use crate::record::so_far;
use crate::text::number::grouped;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// When the first line is written; each further one takes twice as long.
const FIRST: Duration = Duration::from_secs(3);

/// How often it is looked whether there is an answer.
const STEP: Duration = Duration::from_millis(20);

/// Watches a run until it is dropped.
pub(super) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to watch the run with a process number, if standard error is a terminal.
    pub(super) fn begin(pid: u32) -> Watch {
        if !io::stderr().is_terminal() {
            return Watch { stop: None, thread: None };
        }
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::Builder::new().spawn(move || {
            let (start, mut next) = (Instant::now(), FIRST);
            let goes_on = |time| stopped.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            while goes_on(next.saturating_sub(start.elapsed())) {
                let counted = so_far(pid, || goes_on(STEP));
                if goes_on(Duration::ZERO) && reads_lines() {
                    let seconds = start.elapsed().as_secs();
                    let counted =
                        counted.map_or(String::new(), |so_far| format!(", {} {}", grouped(so_far.count), so_far.event));
                    Console::default().say(&format!("recording for {seconds} s{counted} so far"));
                }
                next = next.saturating_mul(2);
            }
        });
        // Where no more threads may run, nothing is shown.
        Watch { stop: Some(stop), thread: thread.ok() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It only prints; that it could not is no reason to fail.
            let _ = thread.join();
        }
    }
}

/// Whether the terminal is as a shell leaves it. One that gives single keys belongs to a program that draws on it.
#[cfg(unix)]
fn reads_lines() -> bool {
    use rustix::termios::{LocalModes, tcgetattr};
    tcgetattr(io::stderr()).is_ok_and(|state| state.local_modes.contains(LocalModes::ICANON))
}

#[cfg(not(unix))]
fn reads_lines() -> bool {
    true
}
