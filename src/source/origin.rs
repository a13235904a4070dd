//! Classifies file names by where their sources come from, without the disk. The search and the
//! list of missing sources use the same classes.

use super::paths::{after, parts};

/// Where a source comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Origin<'a> {
    /// Rust's standard library, named by a compiler's commit (`/rustc/COMMIT/library/…`) or by a
    /// toolchain's folder.
    Rust(Rust<'a>),
    /// A crate that Rust's library was built with: `/rust/deps/CRATE-VERSION/…`.
    RustDependency {
        /// The path, beginning with the crate's folder.
        tail: &'a [u8],
    },
    /// A crate from a registry: `…/registry/src/INDEX/CRATE-VERSION/…`.
    Registry {
        /// The path, beginning with the crate's folder.
        tail: &'a [u8],
    },
    /// A crate from a repository: `…/git/checkouts/NAME-HASH/COMMIT/…`.
    Checkout {
        /// The path, beginning with the repository's folder.
        tail: &'a [u8],
    },
    /// A distribution's build folder: `/build/…/PACKAGE-VERSION/…`.
    Package {
        /// `PACKAGE-VERSION`.
        package: &'a [u8],
        /// The path up to that folder, with it.
        root: &'a [u8],
        /// The path after it.
        tail: &'a [u8],
    },
    /// The C library as Debian builds it: names begin at the root of its source tree, `./elf/…`.
    Libc,
    /// Another package whose names begin at the root of its source tree: `./src/x.c`.
    Tree,
    /// A header or a library's source of the system: `/usr/…`.
    System,
    /// Anything else.
    Plain,
}

/// A file of Rust's standard library.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rust<'a> {
    /// The commit of the compiler, or the text in its place.
    pub commit: Option<&'a [u8]>,
    /// The toolchain's name.
    pub toolchain: Option<&'a [u8]>,
    /// The path from the root of Rust's sources: `library/core/src/…`.
    pub tail: &'a [u8],
}

/// The C library's top folders with sources of machine code.
const LIBC: &str = "argp assert csu ctype debug dirent dlfcn elf gmon grp iconv inet intl io libio locale \
    malloc math misc nptl nptl_db nscd nss posix pwd resolv resource rt setjmp signal socket \
    stdio-common stdlib string wcsmbs";

impl<'a> Origin<'a> {
    pub(super) fn from_name(name: &'a [u8]) -> Origin<'a> {
        if let Some((commit, tail)) = name.strip_prefix(b"/rustc/").and_then(first_part) {
            return Origin::Rust(Rust {
                commit: Some(commit),
                toolchain: None,
                tail,
            });
        }
        if let Some(tail) = after(name, b"/lib/rustlib/src/rust/") {
            let toolchain = after(name, b"/toolchains/")
                .and_then(first_part)
                .map(|(toolchain, _)| toolchain);
            return Origin::Rust(Rust {
                commit: None,
                toolchain,
                tail,
            });
        }
        if let Some(tail) = name.strip_prefix(b"/rust/deps/") {
            return Origin::RustDependency { tail };
        }
        if let Some((_, tail)) = after(name, b"/registry/src/").and_then(first_part) {
            return Origin::Registry { tail };
        }
        if let Some(tail) = after(name, b"/git/checkouts/") {
            return Origin::Checkout { tail };
        }
        if let Some(package) = package(name) {
            return package;
        }
        if name.starts_with(b"/usr/") {
            return Origin::System;
        }
        if name.starts_with(b"./") {
            let top = name
                .split(|&b| b == b'/')
                .find(|part| !matches!(*part, b"" | b"." | b".."));
            return if top.is_some_and(|top| LIBC.split(' ').any(|name| name.as_bytes() == top)) {
                Origin::Libc
            } else {
                Origin::Tree
            };
        }
        Origin::Plain
    }

    /// How many of its last parts the name must have in common with a file found below a folder.
    /// For a known package at least the crate's folder must match: any file called `mod.rs` is not
    /// enough.
    pub(super) fn least(&self) -> usize {
        let whole = |tail: &[u8]| parts(tail).len().max(2);
        match self {
            Origin::Rust(Rust { tail, .. }) | Origin::Checkout { tail } => {
                whole(tail).saturating_sub(1).max(2)
            }
            Origin::RustDependency { tail } | Origin::Registry { tail } => whole(tail),
            Origin::Package { .. } | Origin::Libc | Origin::Tree | Origin::System => 2,
            Origin::Plain => 1,
        }
    }
}

/// The first part of a name and the rest, both not empty.
fn first_part(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b'/', name)?;
    let (first, rest) = (name.get(..at)?, name.get(at + 1..)?);
    (!first.is_empty() && !rest.is_empty()).then_some((first, rest))
}

/// Recognizes a name in a folder where a distribution builds its packages.
fn package(name: &[u8]) -> Option<Origin<'_>> {
    let builds: [&[u8]; 3] = [b"/build/", b"/builddir/", b"/usr/src/"];
    let start = builds.iter().find(|build| name.starts_with(build))?.len();
    let mut at = start;
    while let Some(length) = name.get(at..).and_then(|rest| memchr::memchr(b'/', rest)) {
        let end = at + length;
        let part = name.get(at..end)?;
        if is_versioned(part) {
            return Some(Origin::Package {
                package: part,
                root: name.get(..end)?,
                tail: name.get(end + 1..)?,
            });
        }
        at = end + 1;
    }
    None
}

/// Whether a folder is called `PACKAGE-VERSION`.
pub(super) fn is_versioned(part: &[u8]) -> bool {
    let dash = dash(part);
    let version = dash.and_then(|at| part.get(at + 1..)).unwrap_or_default();
    dash.is_some_and(|at| at > 0)
        && version.contains(&b'.')
        && version
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b".+~-_:".contains(b))
}

/// The name of the package in `PACKAGE-VERSION`.
pub(super) fn package_name(part: &[u8]) -> &[u8] {
    &part[..dash(part).unwrap_or(part.len())]
}

/// The dash before the version in `PACKAGE-VERSION`.
fn dash(part: &[u8]) -> Option<usize> {
    part.windows(2)
        .position(|two| two[0] == b'-' && two[1].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_they_come_from() {
        let rust = |commit, toolchain, tail| {
            Origin::Rust(Rust {
                commit,
                toolchain,
                tail,
            })
        };
        let cases: Vec<(&str, Origin<'_>)> = vec![
            (
                "/rustc/59807616e1/library/core/src/iter/mod.rs",
                rust(Some(b"59807616e1"), None, b"library/core/src/iter/mod.rs"),
            ),
            (
                "/home/a/.rustup/toolchains/stable-x/lib/rustlib/src/rust/library/std/src/io/mod.rs",
                rust(None, Some(b"stable-x"), b"library/std/src/io/mod.rs"),
            ),
            (
                "/rust/deps/hashbrown-0.16.1/src/map.rs",
                Origin::RustDependency {
                    tail: b"hashbrown-0.16.1/src/map.rs",
                },
            ),
            (
                "/h/.cargo/registry/src/index.crates.io-1949/a-1.0.0/src/lib.rs",
                Origin::Registry {
                    tail: b"a-1.0.0/src/lib.rs",
                },
            ),
            (
                "/h/.cargo/git/checkouts/a-0123/abcdef0/src/lib.rs",
                Origin::Checkout {
                    tail: b"a-0123/abcdef0/src/lib.rs",
                },
            ),
            (
                "/build/glibc-SzIz7B/glibc-2.31/elf/rtld.c",
                Origin::Package {
                    package: b"glibc-2.31",
                    root: b"/build/glibc-SzIz7B/glibc-2.31",
                    tail: b"elf/rtld.c",
                },
            ),
            ("./elf/../sysdeps/x86_64/start.S", Origin::Libc),
            ("./nptl/./nptl/pthread_self.c", Origin::Libc),
            ("./src/main.c", Origin::Tree),
            ("/usr/include/c++/12/bits/stl_vector.h", Origin::System),
            ("/build/me/src/x.c", Origin::Plain),
            ("/home/me/tool-1.2/x.c", Origin::Plain),
            ("src/x.c", Origin::Plain),
            ("/rustc/", Origin::Plain),
            ("", Origin::Plain),
        ];
        for (name, want) in cases {
            assert_eq!(Origin::from_name(name.as_bytes()), want, "{name}");
        }
    }

    #[test]
    fn a_crate_is_not_satisfied_by_any_file_of_that_name() {
        for (name, least) in [
            ("/rustc/5980/library/core/src/iter/mod.rs", 4),
            ("/h/registry/src/i/a-1.0.0/src/lib.rs", 3),
            ("/h/git/checkouts/a-0/abc/src/lib.rs", 3),
            ("./elf/./elf/rtld.c", 2),
            ("/opt/x.c", 1),
        ] {
            assert_eq!(Origin::from_name(name.as_bytes()).least(), least, "{name}");
        }
    }
}
