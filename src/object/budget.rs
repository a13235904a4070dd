//! Limits work and memory for reading binaries and their debug information, both in proportion to the bytes of files that
//! were really read. Each reader says what it pays where it takes it.
//!
//! A step of work takes no more than about 4 ns. So the promise of a second for each megabyte, and of 100 times the input and
//! 50 MB, is kept with room for what the reports make of the names that are found.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The nanoseconds that a step takes at most.
const STEP: u64 = 4;
/// Steps of work that are there from the start, and for each byte.
const STEPS: u64 = 50_000_000;
const STEPS_A_BYTE: u64 = 150;
/// Bytes of memory that are there from the start, and for each byte.
const MEMORY: u64 = 16 << 20;
const MEMORY_A_BYTE: u64 = 40;
/// What a compressed section may grow to: so many times its size, beyond [`FREE`] bytes.
const MAX_RATIO: u64 = 100;
const FREE: u64 = 2 << 20;
/// Files count in blocks of so many bytes, each once. Those with nothing but zeros may be holes, which cost nothing to make.
const BLOCK: usize = 4096;

/// What is left of work and memory. Its clones share it.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Left>);

#[derive(Debug)]
struct Left {
    steps: AtomicU64,
    memory: AtomicU64,
    /// What was paid for memory that is free again when an object was read.
    held: AtomicU64,
    /// The blocks that were counted, by the numbers of their file and their own.
    counted: Mutex<HashSet<(u64, u64, u64)>>,
}

/// Nothing is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent;

impl Default for Budget {
    fn default() -> Budget {
        Budget(Arc::new(Left {
            steps: STEPS.into(),
            memory: MEMORY.into(),
            held: 0.into(),
            counted: Mutex::default(),
        }))
    }
}

impl Budget {
    /// Whether a compressed section may grow to a size.
    pub(super) fn may_grow(packed: u64, size: u64) -> bool {
        size <= FREE.saturating_add(MAX_RATIO.saturating_mul(packed))
    }

    /// Pays for so many bytes that come out of a compressed section.
    pub(super) fn unpack(&self, bytes: u64) -> Result<(), Spent> {
        self.look(bytes)?;
        self.make(bytes.saturating_mul(2))
    }

    fn counted(&self) -> MutexGuard<'_, HashSet<(u64, u64, u64)>> {
        let counted = self.0.counted.lock();
        counted.unwrap_or_else(PoisonError::into_inner)
    }

    /// Pays for so many steps of work.
    pub(super) fn look(&self, steps: u64) -> Result<(), Spent> {
        take(&self.0.steps, steps)
    }

    /// Does work that is expected to take so many steps, and pays also for the time beyond ten times that. It is
    /// for work that others do, whose steps cannot be counted.
    pub(super) fn timed<T>(&self, steps: u64, work: impl FnOnce() -> T) -> Result<T, Spent> {
        self.look(steps)?;
        let begun = Instant::now();
        let result = work();
        let taken = begun.elapsed().as_nanos() as u64 / STEP;
        self.look(taken.saturating_sub(10 * steps))?;
        Ok(result)
    }

    /// Pays for so many bytes of memory that are free again when the object was read.
    pub(super) fn make(&self, bytes: u64) -> Result<(), Spent> {
        take(&self.0.memory, bytes)?;
        add(&self.0.held, bytes);
        Ok(())
    }

    /// Pays for so many bytes of memory that the report has, too.
    pub(super) fn keep(&self, bytes: u64) -> Result<(), Spent> {
        take(&self.0.memory, bytes)
    }

    /// Pays for something with a name, which reports and tables copy a few times.
    pub(super) fn name(&self, own: u64, name: &[u8]) -> Result<(), Spent> {
        self.look(own / 4 + name.len() as u64 / 4)?;
        self.keep(own + 4 * name.len() as u64)
    }

    /// Gives memory back that is no longer used.
    pub(super) fn give_back(&self, bytes: u64) {
        let _ = take(&self.0.held, bytes);
        add(&self.0.memory, bytes);
    }

    /// Starts with the next object, and releases the temporary memory of the one before.
    pub(super) fn begin(&self) {
        add(&self.0.memory, self.0.held.swap(0, Relaxed));
    }

    /// Begins with another profile: its binaries are read anew, and count anew.
    pub fn begin_profile(&self) {
        self.begin();
        self.counted().clear();
    }

    /// How many bytes of memory are left.
    pub(super) fn room(&self) -> u64 {
        self.0.memory.load(Relaxed)
    }

    /// Adds what so many bytes of input are worth.
    pub(super) fn earn(&self, bytes: u64) {
        add(&self.0.steps, bytes.saturating_mul(STEPS_A_BYTE));
        add(&self.0.memory, bytes.saturating_mul(MEMORY_A_BYTE));
    }

    /// Credits bytes that were read at a place of a file; each block counts once.
    pub(super) fn earn_once(&self, (device, file): (u64, u64), offset: u64, bytes: &[u8]) {
        let mut counted = self.counted();
        let (first, rest) =
            bytes.split_at(bytes.len().min(BLOCK - (offset % BLOCK as u64) as usize));
        let blocks = [first].into_iter().chain(rest.chunks(BLOCK));
        for (number, block) in (offset / BLOCK as u64..).zip(blocks) {
            if block.iter().any(|&byte| byte != 0) && counted.insert((device, file, number)) {
                self.earn(BLOCK as u64);
            }
        }
    }
}

// Two steps are cheaper than one atomic one, and most is paid by one thread: of two payments at once, one may be lost.
fn take(left: &AtomicU64, amount: u64) -> Result<(), Spent> {
    let rest = left.load(Relaxed).checked_sub(amount).ok_or(Spent)?;
    left.store(rest, Relaxed);
    Ok(())
}

fn add(left: &AtomicU64, amount: u64) {
    left.store(left.load(Relaxed).saturating_add(amount), Relaxed);
}
