//! Runs two pieces of work at the same time.

use std::thread;

/// Runs both, at the same time if there is more than one thread. The number of threads does not
/// change the results.
pub(crate) fn at_once<A, B: Send>(
    threads: usize,
    one: impl FnOnce() -> A,
    other: impl Fn() -> B + Sync,
) -> (A, B) {
    if threads < 2 {
        return (one(), other());
    }
    thread::scope(|scope| {
        let begun = thread::Builder::new().spawn_scoped(scope, &other);
        let one = one();
        let other = match begun {
            // A panic of the thread continues here.
            Ok(other) => other
                .join()
                .unwrap_or_else(|e| std::panic::resume_unwind(e)),
            // The system allows no more threads.
            Err(_) => other(),
        };
        (one, other)
    })
}
