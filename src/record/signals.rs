//! Passes signals to the program while it runs. `run` uses this; code that waits for signals
//! elsewhere asks here which ones the user has switched off.

#[cfg(unix)]
pub(crate) use unix::Forwarded;
#[cfg(unix)]
pub(crate) use unix::ignored;

#[cfg(unix)]
mod unix {
    use rustix::process::{Pid, Signal, getpgid, getpgrp, kill_process};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXFSZ};
    use signal_hook::flag::{register, register_conditional_default};
    use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;
    use signal_hook::iterator::{Handle, SignalsInfo};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::{self, Sender};
    use std::{fs, io, thread};

    /// The signals for the program: those that end a program, and those that it can give a meaning.
    const ALL: [i32; 6] = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2];

    /// While this value exists, signals that would end cgannotate go to the program. A program that
    /// they end writes its profile first. A signal that the parent process ignores (`nohup`) stays
    /// ignored, and the program inherits that.
    pub(crate) struct Forwarded {
        handle: Handle,
        program: Sender<Pid>,
        taken: Vec<i32>,
    }

    impl Forwarded {
        /// From now on signals go to the program, which has not started.
        ///
        /// # Errors
        /// The signals cannot be received.
        pub(crate) fn begin() -> io::Result<Forwarded> {
            let ignored = ignored();
            let taken: Vec<i32> = ALL
                .into_iter()
                .filter(|number| ignored >> (number - 1) & 1 == 0)
                .collect();
            // Exceeding a file size limit becomes an error of the write.
            register(SIGXFSZ, Arc::default())?;
            let mut signals = SignalsInfo::<WithRawSiginfo>::new(&taken)?;
            let (handle, (program, started)) = (signals.handle(), mpsc::channel());
            thread::Builder::new().spawn(move || {
                let Ok(pid) = started.recv() else { return };
                let before: Vec<i32> = signals.pending().map(|info| info.si_signo).collect();
                before.into_iter().for_each(|number| send(pid, number));
                for info in signals.forever() {
                    let is_typed =
                        matches!(info.si_signo, SIGINT | SIGQUIT) && is_of_system(info.si_code);
                    if !(is_typed && is_beside_us(pid)) {
                        send(pid, info.si_signo);
                    }
                }
            })?;
            Ok(Forwarded {
                handle,
                program,
                taken,
            })
        }

        /// Sets the process that gets the signals, also those that came before it.
        pub(in super::super) fn to(&self, pid: u32) {
            if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                // The thread has ended if it cannot receive.
                let _ = self.program.send(pid);
            }
        }
    }

    fn send(pid: Pid, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            // It may have ended by now.
            let _ = kill_process(pid, signal);
        }
    }

    impl Drop for Forwarded {
        fn drop(&mut self) {
            self.handle.close();
            // From now on these end cgannotate again. The command already waits for the other
            // three, since it must remove unfinished files first.
            for &number in self
                .taken
                .iter()
                .filter(|number| matches!(**number, SIGQUIT | SIGUSR1 | SIGUSR2))
            {
                // If this fails, the signal does nothing for the rest of the report.
                let _ = register_conditional_default(number, Arc::new(AtomicBool::new(true)));
            }
        }
    }

    /// Whether a signal comes from the system, as one typed at a terminal does, and not from a
    /// process. If that is not known, it counts as from a process: a program had better get a
    /// signal twice than never.
    fn is_of_system(code: i32) -> bool {
        const SI_KERNEL: i32 = 0x80;
        cfg!(any(target_os = "linux", target_os = "android")) && code == SI_KERNEL
    }

    /// Whether a signal typed at the terminal reaches the program by itself, since it goes to a
    /// whole process group. A program that cleans up at the first interrupt and gives up at the
    /// second must not get two.
    fn is_beside_us(pid: Pid) -> bool {
        getpgid(Some(pid)).is_ok_and(|group| group == getpgrp())
    }

    /// The ignored signals, one bit each from the lowest, if `/proc` has them.
    pub(crate) fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    }
}

#[cfg(not(unix))]
/// Signals end this program as they do any other.
pub(crate) struct Forwarded;

#[cfg(not(unix))]
impl Forwarded {
    /// Does nothing.
    ///
    /// # Errors
    /// None.
    pub(crate) fn begin() -> std::io::Result<Forwarded> {
        Ok(Forwarded)
    }

    pub(super) fn to(&self, _: u32) {}
}
