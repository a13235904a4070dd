//! What a reader of a format must do.

use super::Options;
use super::error::Error;
use crate::profile::{Builder, Format};
use std::io::Read;

/// A format that can be read.
///
/// To add one, write a file with a type that implements this, and name the type in [`READERS`](super::READERS).
/// Recognition, `--input-format`, its help and completion, JSON's `format` and what is told of a missing end follow from
/// that. A test asks for its line in the tables of `docs/formats.md` and `docs/limits.md`.
pub(super) trait FormatReader: Sync {
    /// What is known of the format, whatever the file. No other format has its name, a word in lower case.
    fn format(&self) -> &'static Format;

    /// Whether an input is in this format, by its first bytes: 64 KiB of them, or all. At most one format may say so, and
    /// none of text or data that nobody would call a profile.
    fn is_mine(&self, start: &[u8]) -> bool;

    /// Reads an input into `builder`, which knows its name and its format. `source` begins with the bytes that were
    /// looked at; it is unpacked, and can be read once.
    ///
    /// Names are bytes as they were written, without the prefix `options.strip`. A count that was never written is
    /// [`NEVER`](crate::profile::costs::NEVER), not 0. Every run, thread or dump is a part, which says how it ends.
    ///
    /// What can be understood in another way than it was meant is told by a warning. Whatever the bytes are, there is no
    /// panic, time is at most n log n in their number, and no table is larger than they can fill: a number in the file is
    /// compared with what is there before anything is allocated for it.
    ///
    /// # Errors
    /// Nothing of it can be understood, or it has more than can be counted. An input that ends too early, or whose
    /// source fails in the middle, is none where its first part has a meaning of its own: that is kept, with
    /// [`Truncated`](crate::profile::WarningKind::Truncated).
    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error>;
}
