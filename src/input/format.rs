//! The contract of a format's reader.

use super::{Error, Options};
use crate::profile::{Builder, Format};
use std::io::Read;

/// A format that can be read.
///
/// To add one, write a file with a type that implements this trait, and name the type in
/// [`READERS`](super::READERS). The rest follows: detection, `--input-format` with its help and
/// completion, `format` in JSON, and the warning about a missing end. A test asks for its line in
/// the tables of `docs/formats.md` and `docs/limits.md`.
pub(super) trait FormatReader: Sync {
    /// The properties of the format, which no single file changes. Its name is a unique lower-case
    /// word.
    fn format(&self) -> &'static Format;

    /// Whether an input is in this format, judged by its first 64 KiB or all of it. At most one
    /// format may claim an input, and none may claim data that nobody would call a profile.
    fn is_mine(&self, start: &[u8]) -> bool;

    /// Reads an input into `builder`, which has its name and format already. `source` begins with
    /// the examined bytes; it is decompressed, and can be read once.
    ///
    /// Names are bytes as they were written, without the prefix `options.strip`. A count that was
    /// never written is [`NEVER`](crate::profile::costs::NEVER), not 0. Every run, thread or dump
    /// is a part, which records how it ends.
    ///
    /// A reader warns about anything that it may understand in another way than the writer meant.
    /// Whatever the bytes are, it never panics, and takes at most n log n time in their number. It
    /// compares a number in the file with the bytes that are there before it allocates memory for
    /// it.
    ///
    /// # Errors
    /// Fails if nothing in the input can be understood, or if it has more than the tables can
    /// count. An input that ends too early, or whose source fails in the middle, is not an error if
    /// its first part is meaningful. The reader keeps that part and adds the warning
    /// [`Truncated`](crate::profile::WarningKind::Truncated).
    fn read(
        &self,
        builder: &mut Builder,
        source: &mut dyn Read,
        options: &Options,
    ) -> Result<(), Error>;
}
