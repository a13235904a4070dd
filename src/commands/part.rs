//! A file that is being written, under a temporary name beside its final one. It is removed if the work fails or a
//! signal ends the program.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Those that are being written.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An unfinished file, or a folder of files. Dropped, it is removed.
pub(super) struct Part(PathBuf);

impl Part {
    /// Begins a file that is to be `to`, which may be there already: the new one has its mode.
    pub(super) fn create(to: &Path, old: Option<&Metadata>) -> io::Result<(File, Part)> {
        signals::watch();
        let part = beside(to, "");
        let mut all = parts();
        let file = match create(&part, old) {
            // Of a process that was killed.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && !all.contains(&part) => {
                fs::remove_file(&part).and_then(|()| create(&part, old))?
            }
            file => file?,
        };
        all.push(part.clone());
        Ok((file, Part(part)))
    }

    /// Begins a folder that is to be `to`, under a name that no pattern for such folders matches.
    pub(super) fn folder(to: &Path) -> io::Result<Part> {
        signals::watch();
        let part = beside(to, ".");
        let mut all = parts();
        match fs::create_dir(&part) {
            // Of a process that was killed.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && !all.contains(&part) => {
                fs::remove_dir_all(&part).and_then(|()| fs::create_dir(&part))?;
            }
            made => made?,
        }
        all.push(part.clone());
        Ok(Part(part))
    }

    /// Where it is meanwhile.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Renames it to its final name; a folder never takes the place of one that holds anything.
    pub(super) fn replace(self, to: &Path) -> io::Result<()> {
        fs::rename(&self.0, to)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already if it took its place.
        remove(&self.0);
        parts().retain(|part| *part != self.0);
    }
}

/// A name beside another that begins as that one does: as long as names may be, it would be too long with more behind it.
fn beside(to: &Path, before: &str) -> PathBuf {
    const LONGEST: usize = 200;
    let name = to.file_name().unwrap_or_default();
    let end = format!(".{}.part", std::process::id());
    let mut part = OsString::from(before);
    match name.len() {
        ..=LONGEST => part.push(name),
        _ => part.push(
            name.to_string_lossy()
                .chars()
                .take(LONGEST / 4)
                .collect::<String>(),
        ),
    }
    part.push(end);
    to.with_file_name(part)
}

/// Removes an unfinished file or folder, if it is still there.
fn remove(part: &Path) {
    let _ = if part.is_dir() {
        fs::remove_dir_all(part)
    } else {
        fs::remove_file(part)
    };
}

/// Creates a file. Only its owner can read it until it has the owner and group of the old file; if it cannot get them,
/// its group gets no more permissions than others.
#[cfg(unix)]
fn create(path: &Path, old: Option<&Metadata>) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
    let mut options = File::options();
    options.write(true).create_new(true);
    let Some(old) = old else {
        return options.open(path);
    };
    let mode = old.mode() & 0o777;
    let file = options.mode(mode & 0o700).open(path)?;
    let new = file.metadata()?;
    let is_same = (new.uid(), new.gid()) == (old.uid(), old.gid());
    // Only root can give files away; anybody else's becomes theirs, as wherever one file replaces another.
    let has_group = is_same || fchown(&file, Some(old.uid()), Some(old.gid())).is_ok();
    let mode = if has_group {
        mode
    } else {
        mode & (0o707 | (mode & 0o007) << 3)
    };
    // The mask of the process does not count: this is no new file.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(file)
}

#[cfg(not(unix))]
fn create(path: &Path, _: Option<&Metadata>) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

/// What an interrupt from the terminal ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupts {
    /// This program.
    End,
    /// The pager decides: it has the terminal, and gets the interrupt, too.
    AreForPager,
}

pub(super) use signals::{on_interrupts, watch as watch_signals};

#[cfg(unix)]
mod signals {
    use super::{Interrupts, parts, remove};
    use crate::record::ignored_signals;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Once, mpsc};
    use std::thread;

    static FOR_PAGER: AtomicBool = AtomicBool::new(false);

    /// What interrupts do from now on.
    pub(in crate::commands) fn on_interrupts(interrupts: Interrupts) {
        if interrupts == Interrupts::AreForPager {
            watch();
        }
        FOR_PAGER.store(interrupts == Interrupts::AreForPager, Ordering::SeqCst);
    }

    /// Waits for the signals that end a program, in a thread of its own. Each still ends it, as a shell expects, once the
    /// unfinished files are gone; one that whoever started the program ignores stays ignored.
    pub(in crate::commands) fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let ignored = ignored_signals();
            let wanted = [SIGINT, SIGTERM, SIGHUP]
                .into_iter()
                .filter(move |signal| ignored >> (signal - 1) & 1 == 0);
            let (ready, is_ready) = mpsc::channel::<()>();
            let thread = thread::Builder::new().spawn(move || {
                let Ok(mut signals) = Signals::new(wanted) else {
                    return;
                };
                let _ = ready.send(());
                for signal in signals.forever() {
                    if signal == SIGINT && FOR_PAGER.load(Ordering::SeqCst) {
                        continue;
                    }
                    // No other file begins any more.
                    let parts = parts();
                    parts.iter().for_each(|part| remove(part));
                    let _ = emulate_default_handler(signal);
                }
            });
            // Where no more threads may run, signals end the program as they do any other.
            if thread.is_ok() {
                let _ = is_ready.recv();
            }
        });
    }
}

#[cfg(not(unix))]
mod signals {
    use signal_hook::consts::SIGINT;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    pub(in crate::commands) fn on_interrupts(interrupts: super::Interrupts) {
        if interrupts == super::Interrupts::AreForPager {
            let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        }
    }

    pub(in crate::commands) fn watch() {}
}
