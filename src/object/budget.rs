//! Limits the work and memory of reading binaries and their debug information, in proportion to the
//! bytes of files that were really read. Each reader states its prices where it pays them.
//!
//! A step of work takes at most about 4 ns. So the promises hold with room for what the reports
//! make of the names: a second per megabyte, and memory of 100 times the input plus 50 MB.
//!
//! For whoever changes this: sizes and counts in a file can be false, so only bytes that were read
//! earn steps and memory, each block once. A loop whose length a file decides must call
//! [`Budget::look`] before each round. What it allocates must be paid for with [`Budget::make`] or
//! [`Budget::keep`]. Library code whose steps cannot be counted goes through [`Budget::timed`].

use std::{
    cell::Cell,
    collections::HashSet,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// The nanoseconds that a step takes at most.
const STEP: u64 = 4;
/// Steps of work: those available from the start, and those that each byte earns.
const STEPS: u64 = 50_000_000;
const STEPS_A_BYTE: u64 = 150;
/// Bytes of memory: those available from the start, and those that each byte earns.
const MEMORY: u64 = 16 << 20;
const MEMORY_A_BYTE: u64 = 40;
/// A compressed section may grow to this many times its size, plus [`FREE`] bytes.
const MAX_RATIO: u64 = 100;
const FREE: u64 = 2 << 20;
/// Files count in blocks of this many bytes, each once. Blocks of zeros do not count: they may be
/// holes, which cost nothing to make.
const BLOCK: usize = 4096;

/// Library code that takes more nanoseconds than this may have been interrupted: a busy system runs
/// other threads for milliseconds.
const PAUSE: u64 = 2_000_000;

thread_local! {
    /// What [`running_time`] was when this thread last asked for it.
    static RAN: Cell<u64> = Cell::new(running_time().unwrap_or(0));
}

/// The nanoseconds for which this thread has run; `None` if the system does not say.
fn running_time() -> Option<u64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    line.split(' ').next()?.parse().ok()
}

/// The work and memory that are left. All clones draw on the same amount.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Left>);

#[derive(Debug)]
struct Left {
    steps: AtomicU64,
    memory: AtomicU64,
    /// Memory that is paid for and becomes free again after an object.
    held: AtomicU64,
    /// The blocks that were counted: device and number of the file, number of the block.
    counted: Mutex<HashSet<(u64, u64, u64)>>,
}

/// The budget is exhausted.
#[derive(Debug)]
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
    pub(super) fn may_grow(packed: u64, size: u64) -> bool {
        size <= FREE.saturating_add(MAX_RATIO.saturating_mul(packed))
    }

    /// Pays for bytes that come out of a compressed section.
    pub(super) fn unpack(&self, bytes: u64) -> Result<(), Spent> {
        self.look(bytes)?;
        self.make(bytes.saturating_mul(2))
    }

    fn counted(&self) -> MutexGuard<'_, HashSet<(u64, u64, u64)>> {
        let counted = self.0.counted.lock();
        counted.unwrap_or_else(PoisonError::into_inner)
    }

    /// Pays for steps of work.
    pub(super) fn look(&self, steps: u64) -> Result<(), Spent> {
        take(&self.0.steps, steps)
    }

    /// Runs library code whose steps cannot be counted. It pays for `steps`, the expected number,
    /// and for the time that exceeds ten times that. On a busy machine, the time in which the
    /// system ran other threads does not count.
    pub(super) fn timed<T>(&self, steps: u64, work: impl FnOnce() -> T) -> Result<T, Spent> {
        self.look(steps)?;
        let before = RAN.get();
        let begun = Instant::now();
        let result = work();
        let mut taken = begun.elapsed().as_nanos() as u64;
        if taken > PAUSE
            && let Some(now) = running_time()
        {
            RAN.set(now);
            taken = taken.min(now.saturating_sub(before));
        }
        self.look((taken / STEP).saturating_sub(10 * steps))?;
        Ok(result)
    }

    /// Pays for bytes of memory that are free again after the object.
    pub(super) fn make(&self, bytes: u64) -> Result<(), Spent> {
        take(&self.0.memory, bytes)?;
        add(&self.0.held, bytes);
        Ok(())
    }

    /// Pays for bytes of memory that the report keeps.
    pub(super) fn keep(&self, bytes: u64) -> Result<(), Spent> {
        take(&self.0.memory, bytes)
    }

    /// Pays for something with a name, which reports and tables copy a few times.
    pub(super) fn name(&self, own: u64, name: &[u8]) -> Result<(), Spent> {
        self.look(own / 4 + name.len() as u64 / 4)?;
        self.keep(own + 4 * name.len() as u64)
    }

    /// Returns memory that was released.
    pub(super) fn give_back(&self, bytes: u64) {
        let _ = take(&self.0.held, bytes);
        add(&self.0.memory, bytes);
    }

    /// Starts with the next object, and releases the temporary memory of the previous one.
    pub(super) fn begin(&self) {
        add(&self.0.memory, self.0.held.swap(0, Relaxed));
    }

    /// Starts with another profile: its binaries are read again, and count again.
    pub fn begin_profile(&self) {
        self.begin();
        self.counted().clear();
    }

    /// The bytes of memory that are left.
    pub(super) fn room(&self) -> u64 {
        self.0.memory.load(Relaxed)
    }

    /// Adds the steps and memory that bytes of input earn.
    pub(super) fn earn(&self, bytes: u64) {
        add(&self.0.steps, bytes.saturating_mul(STEPS_A_BYTE));
        add(&self.0.memory, bytes.saturating_mul(MEMORY_A_BYTE));
    }

    /// Adds what bytes read from a file earn; each block counts once.
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

// A load and a store are cheaper than one atomic operation. One thread pays almost everything: of
// two payments at the same time, one may be lost.
fn take(left: &AtomicU64, amount: u64) -> Result<(), Spent> {
    let rest = left.load(Relaxed).checked_sub(amount).ok_or(Spent)?;
    left.store(rest, Relaxed);
    Ok(())
}

fn add(left: &AtomicU64, amount: u64) {
    left.store(left.load(Relaxed).saturating_add(amount), Relaxed);
}
