//! What one execution took: processor time of the process, and the most memory it had.

use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::time::Duration;

/// Processor time of all threads so far.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

/// Begins to look for the greatest amount of memory anew.
pub(crate) fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("the system can forget a peak");
}

/// The most memory since then, in bytes.
pub(crate) fn peak() -> u64 {
    from_status("VmHWM:")
}

/// The memory that there is now, in bytes.
pub(crate) fn now() -> u64 {
    from_status("VmRSS:")
}

fn from_status(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("the state of this process");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .expect("a line of it");
    line.trim()
        .trim_end_matches(" kB")
        .parse::<u64>()
        .expect("kilobytes")
        * 1024
}
