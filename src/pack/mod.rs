//! Packs: one file with profiles, their sources and what is known of the code, so that a report
//! needs nothing else. It is a tar file, compressed with xz; `docs/pack.md` describes its contents.
//!
//! ```text
//! tar (the container) ◀─ manifest (its contents, as JSON), code (of one object) ◀─ write, read
//!                                                   details (at the end of a profile) ◀─┘
//! ```
//!
//! Both directions are here: `commands` writes a pack, and `input` reads one, like other profiles.
//! A pack is not trusted. Names in it are never paths to write to. Sizes count only when the bytes
//! are there. The reader decompresses it under a limit.

mod code;
pub(crate) mod details;
mod manifest;
mod read;
mod tar;
mod write;

pub(crate) use read::{InnerProfile, Stopped, read};
pub(crate) use write::{Contents, PackedProfile, write};

/// The first entry.
const MANIFEST: &str = "manifest.json";

/// Whether decompressed bytes begin like a pack.
pub(crate) fn is_mine(start: &[u8]) -> bool {
    tar::begins_with(start, MANIFEST)
}
