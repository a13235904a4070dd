//! Signals while a program runs: they are for it. Used by `run`; whoever else waits for signals asks here which ones the
//! user has switched off.

#[cfg(unix)]
pub use unix::Forwarded;
#[cfg(unix)]
pub use unix::ignored;

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
    use signal_hook::flag::{register, register_conditional_default};
    use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;
    use signal_hook::iterator::{Handle, SignalsInfo};
    use std::fs;
    use std::io;
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    pub struct Forwarded {
        handle: Handle,
        program: Arc<Mutex<Program>>,
        taken: Vec<i32>,
    }

    /// Whom signals are for.
    enum Program {
        /// It has not begun; these came before it.
        Awaited(Vec<Signal>),
        Runs(Pid),
        Ended,
    }

    fn lock(program: &Mutex<Program>) -> MutexGuard<'_, Program> {
        program.lock().unwrap_or_else(PoisonError::into_inner)
    }

    impl Forwarded {
        /// From now on they are for the program, which has not begun.
        ///
        /// # Errors
        /// They cannot be waited for.
        pub fn begin() -> io::Result<Forwarded> {
            let ignored = ignored();
            let numbers = ALL.into_iter().map(|(number, _)| number);
            let taken: Vec<i32> = numbers
                .filter(|number| ignored >> (number - 1) & 1 == 0)
                .collect();
            // What is too large for a limit is an error of whoever writes it.
            register(SIGXFSZ, Arc::default())?;
            let mut signals = SignalsInfo::<WithRawSiginfo>::new(&taken)?;
            let (handle, program) = (
                signals.handle(),
                Arc::new(Mutex::new(Program::Awaited(Vec::new()))),
            );
            let target = Arc::clone(&program);
            thread::Builder::new().spawn(move || {
                for info in signals.forever() {
                    let Some(&(number, signal)) =
                        ALL.iter().find(|(known, _)| *known == info.si_signo)
                    else {
                        continue;
                    };
                    match &mut *lock(&target) {
                        Program::Awaited(early) => early.push(signal),
                        Program::Runs(pid) => {
                            let is_typed =
                                matches!(number, SIGINT | SIGQUIT) && is_of_system(info.si_code);
                            if !(is_typed && is_beside_us(*pid)) {
                                // It may have ended by now.
                                let _ = kill_process(*pid, signal);
                            }
                        }
                        Program::Ended => {}
                    }
                }
            })?;
            Ok(Forwarded {
                handle,
                program,
                taken,
            })
        }

        /// The process that gets them, and those that came before it.
        pub(in super::super) fn to(&self, pid: u32) {
            let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else {
                return;
            };
            if let Program::Awaited(early) =
                std::mem::replace(&mut *lock(&self.program), Program::Runs(pid))
            {
                for signal in early {
                    let _ = kill_process(pid, signal);
                }
            }
        }
    }

    impl Drop for Forwarded {
        fn drop(&mut self) {
            *lock(&self.program) = Program::Ended;
            self.handle.close();
            // From now on these end us again. For the other three whoever ran the program waits already, since unfinished
            // files are to be removed first.
            for &number in self
                .taken
                .iter()
                .filter(|number| matches!(**number, SIGQUIT | SIGUSR1 | SIGUSR2))
            {
                // Without it the signal does nothing for the rest of the report.
                let _ = register_conditional_default(number, Arc::new(AtomicBool::new(true)));
            }
        }
    }

    /// Whether a signal comes from the system, as those do that are typed at a terminal, and not from a process. Where that
    /// is not known it is taken to come from a process: a program that gets it twice is better off than without.
    fn is_of_system(code: i32) -> bool {
        const SI_KERNEL: i32 = 0x80;
        cfg!(any(target_os = "linux", target_os = "android")) && code == SI_KERNEL
    }

    /// Whether what is typed at our terminal reaches a program by itself: it goes to a process group. A program that
    /// cleans up at the first interrupt and gives up at the second must not get two.
    fn is_beside_us(pid: Pid) -> bool {
        getpgid(Some(pid)).is_ok_and(|group| group == getpgrp())
    }

    /// The signals that are ignored, a bit each from the lowest on, where the system says so in a file.
    pub fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    }
}

#[cfg(not(unix))]
/// Signals end this program as they do any other.
pub struct Forwarded;

#[cfg(not(unix))]
impl Forwarded {
    /// Nothing is done.
    ///
    /// # Errors
    /// None.
    pub fn begin() -> std::io::Result<Forwarded> {
        Ok(Forwarded)
    }

    pub(super) fn to(&self, _: u32) {}
}
