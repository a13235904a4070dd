//! Reads several files at a time, each in its own thread.

use super::{Error, Options, open};
use crate::profile::{Builder, SplitBy};
use std::path::Path;
use std::thread;

/// Reads `options.threads` files at a time, and returns the results in the order of `names`.
pub(super) fn files<'n>(
    names: &'n [impl AsRef<Path> + Sync],
    options: &'n Options,
    split: Option<SplitBy>,
) -> impl Iterator<Item = Result<Builder, Error>> + 'n {
    let read = move |name: &Path| super::read_builder(name, open::open(name)?, options, split);
    names
        .chunks(options.threads.max(1))
        .flat_map(move |names| match names {
            [name] => vec![read(name.as_ref())],
            names => thread::scope(|scope| {
                let mut readers = Vec::with_capacity(names.len());
                for name in names.iter().map(AsRef::as_ref) {
                    let reader = thread::Builder::new().spawn_scoped(scope, move || read(name));
                    readers.push((name, reader));
                }
                let results = readers.into_iter().map(|(name, reader)| match reader {
                    // A panic of the thread continues here.
                    Ok(reader) => reader
                        .join()
                        .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                    // The system allows no more threads.
                    Err(_) => read(name),
                });
                results.collect()
            }),
        })
}
