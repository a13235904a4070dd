//! Signals while a program runs: they are for it. Used by `run`; whoever else waits for signals asks here which ones the
//! user has switched off.

#[cfg(unix)]
pub(super) use unix::Forwarded;
#[cfg(unix)]
pub use unix::ignored;

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, getpgrp, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::flag::register_conditional_default;
    use signal_hook::iterator::{Handle, Signals};
    use std::fs;
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::thread;

    /// The signals that are for the program: those that end one, and those that one gives a meaning of its own.
    const ALL: [(i32, Signal); 6] = [
        (SIGINT, Signal::INT),
        (SIGQUIT, Signal::QUIT),
        (SIGTERM, Signal::TERM),
        (SIGHUP, Signal::HUP),
        (SIGUSR1, Signal::USR1),
        (SIGUSR2, Signal::USR2),
    ];

    /// While this is there, signals that would end us are for the program. One that ends by them writes its profile first.
    /// A signal that whoever started us ignores (`nohup`) stays ignored, and the program begins with that.
    pub(in super::super) struct Forwarded {
        handle: Handle,
        child: Arc<AtomicU32>,
        taken: Vec<i32>,
    }

    impl Forwarded {
        pub(in super::super) fn begin() -> io::Result<Forwarded> {
            let ignored = ignored();
            let numbers = ALL.into_iter().map(|(number, _)| number);
            let taken: Vec<i32> = numbers.filter(|number| ignored >> (number - 1) & 1 == 0).collect();
            let mut signals = Signals::new(&taken)?;
            let (handle, child) = (signals.handle(), Arc::new(AtomicU32::new(0)));
            let target = Arc::clone(&child);
            thread::spawn(move || {
                for number in signals.forever() {
                    // What is typed at a terminal goes to all that run on it: a program that cleans up at the first
                    // interrupt and gives up at the second must not get two.
                    if matches!(number, SIGINT | SIGQUIT) && has_terminal() {
                        continue;
                    }
                    let pid = i32::try_from(target.load(Ordering::SeqCst)).ok().and_then(Pid::from_raw);
                    let signal = ALL.iter().find(|(known, _)| *known == number);
                    if let (Some(pid), Some(&(_, signal))) = (pid, signal) {
                        // It may have ended by now.
                        let _ = kill_process(pid, signal);
                    }
                }
            });
            Ok(Forwarded { handle, child, taken })
        }

        /// The process that gets them.
        pub(in super::super) fn to(&self, pid: u32) {
            self.child.store(pid, Ordering::SeqCst);
        }
    }

    impl Drop for Forwarded {
        fn drop(&mut self) {
            self.child.store(0, Ordering::SeqCst);
            self.handle.close();
            // From now on they end us again. The other three have to wait for unfinished files to be removed, which is
            // what commands do.
            for &number in self.taken.iter().filter(|number| matches!(**number, SIGQUIT | SIGUSR1 | SIGUSR2)) {
                // Without it the signal does nothing for the rest of the report.
                let _ = register_conditional_default(number, Arc::new(AtomicBool::new(true)));
            }
        }
    }

    /// Whether we stand in the foreground of a terminal.
    fn has_terminal() -> bool {
        fs::File::open("/dev/tty")
            .is_ok_and(|tty| rustix::termios::tcgetpgrp(tty).is_ok_and(|group| group == getpgrp()))
    }

    /// The signals that are ignored, a bit each from the lowest on, where the system says so in a file.
    pub fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}

#[cfg(not(unix))]
pub(super) struct Forwarded;

#[cfg(not(unix))]
impl Forwarded {
    pub(super) fn begin() -> std::io::Result<Forwarded> {
        Ok(Forwarded)
    }

    pub(super) fn to(&self, _: u32) {}
}
