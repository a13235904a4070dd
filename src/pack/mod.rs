//! Packs: one file with profiles, the sources that they hit and what is known of the code, so that a report needs no more.
//! A tar file, compressed with xz; `docs/pack.md` describes what is in it.
//!
//! ```text
//! tar (the container) <- manifest (what is in it: JSON), code (what is known of one object) <- write, read
//! ```
//! Both directions are here: `commands` writes a pack, and `input` reads one, where profiles are read. A pack is not
//! trusted: names in it are names and never paths to write to, sizes are believed when the bytes are there, and whoever
//! reads unpacks it under a limit.

#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "only the program writes packs")
)]
mod code;
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "only the program writes packs")
)]
mod manifest;
mod read;
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "only the program writes packs")
)]
mod tar;
#[cfg(feature = "cli")]
mod write;

pub(crate) use read::{Inner, Stopped, read};
#[cfg(feature = "cli")]
pub(crate) use write::{Contents, PackedProfile, write};

/// The first entry.
const MANIFEST: &str = "manifest.json";

/// Whether unpacked bytes begin like a pack.
pub(crate) fn is_mine(start: &[u8]) -> bool {
    tar::begins_with(start, MANIFEST)
}
