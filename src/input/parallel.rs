//! Works on several things at a time, each in its own thread.

use std::thread;

/// Works on `threads` of the items at a time. Returns the results in the order of the items; later
/// work begins only when they are asked for.
pub(crate) fn each<'i, T: Sync, R: Send + 'i>(
    items: &'i [T],
    threads: usize,
    work: impl Fn(&'i T) -> R + Sync + 'i,
) -> impl Iterator<Item = R> + 'i {
    items
        .chunks(threads.max(1))
        .flat_map(move |items| match items {
            [item] => vec![work(item)],
            items => thread::scope(|scope| {
                let mut workers = Vec::with_capacity(items.len());
                for item in items {
                    let worker = thread::Builder::new().spawn_scoped(scope, || work(item));
                    workers.push((item, worker));
                }
                let results = workers.into_iter().map(|(item, worker)| match worker {
                    // A panic of the thread continues here.
                    Ok(worker) => worker
                        .join()
                        .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                    // The system allows no more threads.
                    Err(_) => work(item),
                });
                results.collect()
            }),
        })
}
