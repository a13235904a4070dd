//! Two pieces of work at a time.

use std::thread;

/// Does both, with more than one thread at the same time. No answer depends on that.
pub(crate) fn at_once<A, B: Send>(
    threads: usize,
    one: impl Fn() -> A,
    other: impl Fn() -> B + Sync,
) -> (A, B) {
    if threads < 2 {
        return (one(), other());
    }
    thread::scope(|scope| {
        let begun = thread::Builder::new().spawn_scoped(scope, &other);
        let one = one();
        let other = match begun {
            // What panics there panics here too.
            Ok(other) => other
                .join()
                .unwrap_or_else(|e| std::panic::resume_unwind(e)),
            // No more threads may run.
            Err(_) => other(),
        };
        (one, other)
    })
}
