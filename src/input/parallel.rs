//! Reads several files at a time.

use super::error::Error;
use super::{Options, open};
use crate::profile::{Builder, SplitBy};
use std::io;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};

/// Reads several files, as many at a time as there are threads, and gives them in their order.
pub(super) fn files<'n>(
    names: &'n [impl AsRef<Path> + Sync],
    options: &'n Options,
    split: Option<SplitBy>,
) -> impl Iterator<Item = Result<Builder, Error>> + 'n {
    let read = move |name: &Path, options: &Options| {
        super::read_builder(name, open::open(name)?, options, split)
    };
    names
        .chunks(options.threads.max(1))
        .flat_map(move |names| match names {
            [name] => vec![read(name.as_ref(), options)],
            names => {
                let each = &Options {
                    threads: (options.threads / names.len()).max(1),
                    ..options.clone()
                };
                thread::scope(|scope| {
                    let begin = |name: &'n Path| {
                        (
                            name,
                            thread::Builder::new().spawn_scoped(scope, move || read(name, each)),
                        )
                    };
                    let readers: Vec<_> = names.iter().map(AsRef::as_ref).map(begin).collect();
                    let end =
                        |(name, reader): (_, io::Result<ScopedJoinHandle<'_, _>>)| match reader {
                            // A reader that panics panics here too.
                            Ok(reader) => reader
                                .join()
                                .unwrap_or_else(|e| std::panic::resume_unwind(e)),
                            // No more threads may run.
                            Err(_) => read(name, each),
                        };
                    readers.into_iter().map(end).collect()
                })
            }
        })
}
