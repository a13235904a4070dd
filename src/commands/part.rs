//! A file that is being written, under a temporary name next to its final one. It is removed if the
//! work fails or a signal ends the program.
//!
//! For whoever changes this: the thread that waits for signals removes all unfinished files while
//! it holds their lock, and then ends the program. A file must therefore be created and listed
//! under the same lock, or a signal between the two would leave it behind.

use std::{
    ffi::OsString,
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The unfinished files and folders.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An unfinished file, or a folder of files. It is removed when dropped.
pub(super) struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    /// Begins a file that will become `to`. If `to` exists, the new file gets its mode.
    pub(super) fn create(to: &Path, old: Option<&Metadata>) -> io::Result<(File, UnfinishedFile)> {
        let remove = |part: &Path| fs::remove_file(part);
        UnfinishedFile::begin(beside(to, ""), |part| create(part, old), remove)
    }

    /// Begins a folder that will become `to`. Its name matches no pattern for such folders.
    pub(super) fn folder(to: &Path) -> io::Result<UnfinishedFile> {
        let remove = |part: &Path| fs::remove_dir_all(part);
        let begun = UnfinishedFile::begin(beside(to, "."), |part| fs::create_dir(part), remove);
        begun.map(|((), part)| part)
    }

    fn begin<T>(
        part: PathBuf,
        create: impl Fn(&Path) -> io::Result<T>,
        remove: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<(T, UnfinishedFile)> {
        signals::watch();
        let mut all = parts();
        let created = match create(&part) {
            // A process that was killed left it.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && !all.contains(&part) => {
                remove(&part).and_then(|()| create(&part))?
            }
            created => created?,
        };
        all.push(part.clone());
        Ok((created, UnfinishedFile(part)))
    }

    /// The temporary path.
    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Renames it to its final name. A folder never replaces one that holds anything.
    pub(super) fn replace(self, to: &Path) -> io::Result<()> {
        fs::rename(&self.0, to)
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        // It does not exist any more if it was renamed.
        remove(&self.0);
        parts().retain(|part| *part != self.0);
    }
}

/// Returns a temporary name in the same folder, which begins like the final one. A long name is
/// shortened, because a longer one may not be allowed.
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

/// Creates a file. Only its owner can read it until it has the owner and group of the old file. If
/// it cannot get them, its group gets no more permissions than others.
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
    // Only root can give files away. Other users own the new file, as always when one file replaces
    // another.
    let has_group = is_same || fchown(&file, Some(old.uid()), Some(old.gid())).is_ok();
    let mode = if has_group {
        mode
    } else {
        mode & (0o707 | (mode & 0o007) << 3)
    };
    // The mask of the process does not apply, because this file replaces another.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(file)
}

#[cfg(not(unix))]
fn create(path: &Path, _: Option<&Metadata>) -> io::Result<File> {
    File::options().write(true).create_new(true).open(path)
}

pub(super) use signals::{leave_interrupts_to_pager, watch as watch_signals};

#[cfg(unix)]
mod signals {
    use super::{parts, remove};
    use crate::record::ignored_signals;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Once, mpsc};
    use std::thread;

    static FOR_PAGER: AtomicBool = AtomicBool::new(false);

    /// Whether an interrupt from the terminal ends this program, or whatever the pager decides. The
    /// pager has the terminal, and gets the interrupt, too.
    pub(in crate::commands) fn leave_interrupts_to_pager(is_running: bool) {
        if is_running {
            watch();
        }
        FOR_PAGER.store(is_running, Ordering::SeqCst);
    }

    /// Waits in a thread for the signals that end a program. Each signal still ends the program, as
    /// a shell expects, after unfinished files are removed. Signals that were ignored when the
    /// program started stay ignored.
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
                    // While this is locked, no other file can begin.
                    let parts = parts();
                    parts.iter().for_each(|part| remove(part));
                    let _ = emulate_default_handler(signal);
                }
            });
            // If the thread cannot be started, signals end the program at once.
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

    pub(in crate::commands) fn leave_interrupts_to_pager(is_running: bool) {
        if is_running {
            let _ = signal_hook::flag::register(SIGINT, Arc::new(AtomicBool::new(false)));
        }
    }

    pub(in crate::commands) fn watch() {}
}
