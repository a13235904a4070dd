//! Shows the progress of reading on a terminal, once it takes longer than a second. The line is
//! removed when reading ends.

use crate::fs::size;
use std::{
    io::{self, IsTerminal, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// How long to wait before anything is shown.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(200);

/// Below this total size, in bytes, no progress is shown.
const LITTLE: u64 = 1_000_000;

/// Shows progress until it is dropped.
#[derive(Default)]
pub(super) struct Progress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Shows the progress of reading files. Returns the counter that the reader increases, or
    /// `None` if nothing is shown.
    pub(super) fn start(files: &[impl AsRef<Path>]) -> (Progress, Option<Arc<AtomicU64>>) {
        if !io::stderr().is_terminal() {
            return Default::default();
        }
        let total = size(files);
        // Inputs this small are read at once.
        if total.is_some_and(|total| total < LITTLE) {
            return Default::default();
        }
        let counter = Arc::new(AtomicU64::new(0));
        let watched = Arc::clone(&counter);
        let progress = Progress::begin(move |stopped| {
            let (start, mut wait, mut shown) = (Instant::now(), PATIENCE, false);
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let line = line(watched.load(Ordering::Relaxed), total, start.elapsed());
                let _ = write!(io::stderr(), "\r{line:<60}");
                (wait, shown) = (STEP, true);
            }
            if shown {
                let _ = write!(io::stderr(), "\r{:60}\r", "");
            }
        });
        (progress, Some(counter))
    }

    /// Shows something in a thread until the receiver is disconnected. If the thread cannot be
    /// started, nothing is shown.
    pub(super) fn begin(show: impl FnOnce(Receiver<()>) + Send + 'static) -> Progress {
        let (stop, stopped) = mpsc::channel();
        Progress {
            stop: Some(stop),
            thread: thread::Builder::new().spawn(|| show(stopped)).ok(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // The thread only prints. A failure to print does not matter.
            let _ = thread.join();
        }
    }
}

/// `reading 120 of 480 MB, 150 MB/s, 3 s left`.
fn line(read: u64, total: Option<u64>, elapsed: Duration) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let speed = megabytes(read) / elapsed.as_secs_f64().max(0.001);
    match total.filter(|&total| total >= read && read > 0) {
        Some(total) => {
            let left = megabytes(total - read) / speed.max(0.001);
            format!(
                "reading {:.0} of {:.0} MB, {speed:.0} MB/s, {left:.0} s left",
                megabytes(read),
                megabytes(total)
            )
        }
        None => format!("reading {:.0} MB, {speed:.0} MB/s", megabytes(read)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_what_is_left() {
        let two = Duration::from_secs(2);
        assert_eq!(
            line(100_000_000, Some(400_000_000), two),
            "reading 100 of 400 MB, 50 MB/s, 6 s left"
        );
        assert_eq!(line(100_000_000, None, two), "reading 100 MB, 50 MB/s");
        assert_eq!(line(0, Some(0), two), "reading 0 MB, 0 MB/s");
    }
}
