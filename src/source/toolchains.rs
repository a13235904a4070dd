//! Finds the installed Rust toolchains by their files; no process is started.

use super::{disk::Disk, paths::last};
use crate::fs::read_regular;
use std::path::{Path, PathBuf};

/// An installed Rust toolchain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Toolchain {
    /// The name of its folder; empty if the system's package manager installed it.
    pub name: Vec<u8>,
    /// The commit of its compiler, shortened as in `rustc --version`, if its manifest has it.
    pub commit: Option<Vec<u8>>,
    /// Whether it is the default toolchain.
    pub default: bool,
    /// The folder of its sources, if they are installed.
    pub sources: Option<PathBuf>,
}

/// Whether a toolchain has a commit.
#[derive(PartialEq, Debug)]
pub(super) enum Match {
    /// It has this commit.
    Same,
    /// Its commit is unknown.
    Unknown,
    /// It has another commit.
    Other,
}

impl Toolchain {
    /// Whether its compiler has a commit, given in full or shortened.
    pub(super) fn is_of(&self, commit: &[u8]) -> Match {
        match &self.commit {
            None => Match::Unknown,
            Some(own) if commit.starts_with(own) || own.starts_with(commit) => Match::Same,
            Some(_) => Match::Other,
        }
    }
}

/// Where a toolchain keeps its sources.
const SOURCES: &str = "lib/rustlib/src/rust";

/// The largest manifest that is read; they have about a megabyte.
const LARGEST_MANIFEST: u64 = 16 << 20;

/// The toolchains in `$RUSTUP_HOME`, sorted by name, then those of the system.
pub(super) fn installed(rustup: Option<&Path>, system: &Path, disk: &Disk) -> Vec<Toolchain> {
    let mut all = Vec::new();
    if let Some(rustup) = rustup {
        let default = value_after(
            &read_some(&rustup.join("settings.toml")),
            b"",
            b"default_toolchain = \"",
            b'"',
        );
        for folder in disk.folders_in(&rustup.join("toolchains")) {
            let name = last(&folder);
            let manifest = read_some(&folder.join("lib/rustlib/multirust-channel-manifest.toml"));
            all.push(Toolchain {
                commit: value_after(&manifest, b"[pkg.rustc]", b"(", b' '),
                default: default.as_deref() == Some(&name[..]),
                sources: Some(folder.join(SOURCES)).filter(|sources| disk.has_folder(sources)),
                name,
            });
        }
    }
    for prefix in ["usr/local", "usr"] {
        let sources = system.join(prefix).join(SOURCES);
        if disk.has_folder(&sources) {
            all.push(Toolchain {
                name: Vec::new(),
                commit: None,
                default: false,
                sources: Some(sources),
            });
        }
    }
    all
}

/// The text between `open` and `close` on one line, after the heading of a section.
fn value_after(text: &[u8], section: &[u8], open: &[u8], close: u8) -> Option<Vec<u8>> {
    let section = memchr::memmem::find(text, section)?;
    let text = text.get(section..)?;
    let start = memchr::memmem::find(text, open)?.checked_add(open.len())?;
    let text = text.get(start..)?;
    let value = text.get(..memchr::memchr2(close, b'\n', text)?)?;
    (!value.is_empty()).then(|| value.to_vec())
}

fn read_some(path: &Path) -> Vec<u8> {
    // A file that cannot be read says nothing, like a missing one.
    read_regular(path, LARGEST_MANIFEST).map_or_else(|_| Vec::new(), |(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commit_stands_behind_the_version_of_the_compiler() {
        let manifest = b"[pkg.cargo]\nversion = \"0.96.0 (f2d3ce0bd 2026-03-21)\"\n[pkg.rustc]\nversion = \"1.95.0 (59807616e 2026-04-14)\"\n";
        assert_eq!(
            value_after(manifest, b"[pkg.rustc]", b"(", b' ').as_deref(),
            Some(&b"59807616e"[..])
        );
        assert_eq!(
            value_after(b"[pkg.rustc]\nversion", b"[pkg.rustc]", b"(", b' '),
            None
        );
        assert_eq!(value_after(b"", b"[pkg.rustc]", b"(", b' '), None);
    }

    #[test]
    fn commits_are_compared_as_far_as_both_go() {
        let toolchain = |commit: Option<&[u8]>| Toolchain {
            name: b"stable".to_vec(),
            commit: commit.map(<[u8]>::to_vec),
            default: true,
            sources: None,
        };
        let full = b"59807616e1fa2540724bfbac14d7976d7e4a3860";
        assert_eq!(toolchain(Some(b"59807616e")).is_of(full), Match::Same);
        assert_eq!(toolchain(Some(b"e50aa6fba")).is_of(full), Match::Other);
        assert_eq!(toolchain(None).is_of(full), Match::Unknown);
    }
}
