//! Reads several files at a time.

use super::error::Error;
use super::{Options, open};
use crate::profile::{Builder, SplitBy};
use std::path::Path;
use std::thread;

/// Reads several files, as many at a time as there are threads, and gives them in their order.
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
                    // A reader that panics panics here too.
                    Ok(reader) => reader
                        .join()
                        .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                    // No more threads may run.
                    Err(_) => read(name),
                });
                results.collect()
            }),
        })
}
