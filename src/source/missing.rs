//! Groups sources that were not found by the place where they should be, with a remedy for each
//! group. Nothing here reads the disk.

use super::{
    SourceError, Toolchain,
    origin::{Origin, package_name},
    paths::parts,
    toolchains::Match,
};
use crate::profile::{Order, to_text};
use std::collections::BTreeMap;

/// The sources that a report should have and cannot show.
#[derive(Default, Debug)]
pub struct Unread<'a>(Vec<(&'a [u8], SourceError)>);

/// The fault of a source that exists.
pub(crate) fn fault(why: &SourceError) -> Option<String> {
    match why {
        SourceError::Absent | SourceError::Ambiguous(_) | SourceError::NotPacked => None,
        SourceError::Unreadable(_)
        | SourceError::Empty
        | SourceError::Private
        | SourceError::NoText => Some(why.to_string()),
    }
}

impl<'a> Unread<'a> {
    /// Adds a source, and why it cannot be shown.
    pub fn add(&mut self, name: &'a [u8], why: &SourceError) {
        self.0.push((name, why.clone()));
    }

    /// Whether every source can be shown.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their names, sorted, if wanted with the fault of those that exist.
    pub fn lines(&self, with_faults: bool) -> Vec<Vec<u8>> {
        let line = |(name, why): &(&[u8], SourceError)| match fault(why) {
            Some(fault) if with_faults => [name, format!(" ({fault})").as_bytes()].concat(),
            _ => name.to_vec(),
        };
        let mut lines: Vec<Vec<u8>> = self.0.iter().map(line).collect();
        lines.sort_unstable();
        lines
    }

    /// The groups for people: first the files that exist, then the others by remedy.
    pub fn groups(&self, toolchains: &[Toolchain]) -> Vec<MissingFiles> {
        let faulty = self.0.iter().filter_map(|(name, why)| {
            Some(MissingFiles {
                root: name.to_vec(),
                files: vec![name.to_vec()],
                hint: Hint::None(fault(why)?),
            })
        });
        let mut groups: Vec<MissingFiles> = faulty.collect();
        groups.order_by(|a, b| a.root.cmp(&b.root));
        let of = |is_wanted: fn(&SourceError) -> bool| {
            let mut names: Vec<&[u8]> = self
                .0
                .iter()
                .filter(|(_, why)| is_wanted(why))
                .map(|(name, _)| *name)
                .collect();
            names.sort_unstable();
            names
        };
        let absent = of(|why| matches!(why, SourceError::Absent | SourceError::Ambiguous(_)));
        groups.extend(group(&absent, toolchains));
        let not_packed = of(|why| *why == SourceError::NotPacked);
        groups.extend(collected(not_packed.into_iter().map(|name| {
            let root = if name.starts_with(b"/") {
                first_folders(name, 2)
            } else {
                b".".to_vec()
            };
            (name, (Hint::NotPacked, root))
        })));
        groups
    }
}

/// Files with the same remedy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingFiles {
    /// The common beginning of their names; `.` for relative names.
    pub root: Vec<u8>,
    /// Their names, sorted.
    pub files: Vec<Vec<u8>>,
    /// Their remedy.
    pub hint: Hint,
}

/// A remedy for missing files.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Hint {
    /// Installing the sources of a toolchain; `None` is the default toolchain.
    RustSources(Option<String>),
    /// Installing the toolchain of this commit.
    OtherRust(String),
    /// The sources of the crates that Rust's library was built with.
    RustDependencies,
    /// Fetching the project's crates.
    Cargo,
    /// Installing a source package of the distribution.
    Package(String),
    /// `--map` from a folder of the build to its place on the user's disk.
    Map(String),
    /// `-I` with a folder that has them.
    Include,
    /// `-I` or `--map`, since the pack does not contain them.
    NotPacked,
    /// None: the file exists, with this fault.
    None(String),
}

/// Groups names that were not found; the largest group first, equal ones by root.
pub fn group(names: &[&[u8]], toolchains: &[Toolchain]) -> Vec<MissingFiles> {
    collected(names.iter().map(|name| (*name, remedy(name, toolchains))))
}

/// Collects files with the same remedy and root.
fn collected<'n>(files: impl Iterator<Item = (&'n [u8], (Hint, Vec<u8>))>) -> Vec<MissingFiles> {
    let mut groups: BTreeMap<(Hint, Vec<u8>), Vec<Vec<u8>>> = BTreeMap::new();
    for (name, group) in files {
        groups.entry(group).or_default().push(name.to_vec());
    }
    let mut all: Vec<MissingFiles> = groups
        .into_iter()
        .map(|((hint, root), files)| finish(hint, root, files))
        .collect();
    all.order_by(|a, b| {
        (b.files.len().cmp(&a.files.len()))
            .then_with(|| (&a.root, &a.hint).cmp(&(&b.root, &b.hint)))
    });
    all
}

/// The remedy for a file, and the root that groups it with others of the same remedy. The folder to
/// map is known only when all files of the group are.
fn remedy(name: &[u8], toolchains: &[Toolchain]) -> (Hint, Vec<u8>) {
    // The part of the name before its tail, without the slash between them.
    let before = |tail: &[u8]| {
        name.strip_suffix(tail)
            .unwrap_or(name)
            .strip_suffix(b"/")
            .unwrap_or(b"/")
            .to_vec()
    };
    match Origin::from_name(name) {
        Origin::Rust(rust) => (
            rust_sources(rust.commit, rust.toolchain, toolchains),
            before(rust.tail),
        ),
        Origin::RustDependency { tail } => (Hint::RustDependencies, before(tail)),
        // The crates of CI's own cargo are those of Rust's library.
        Origin::Registry { tail } if name.starts_with(b"/cargo/") => {
            (Hint::RustDependencies, before(tail))
        }
        Origin::Registry { tail } | Origin::Checkout { tail } => (Hint::Cargo, before(tail)),
        Origin::Package { package, root, .. } => {
            (Hint::Package(to_text(package_name(package))), root.to_vec())
        }
        Origin::Libc => (Hint::Package("glibc".into()), b".".to_vec()),
        Origin::System => (Hint::Include, first_folders(name, 2)),
        Origin::Plain if name.starts_with(b"/home/") || name.starts_with(b"/Users/") => {
            (Hint::Map(String::new()), first_folders(name, 3))
        }
        Origin::Plain if name.starts_with(b"/") => {
            (Hint::Map(String::new()), first_folders(name, 2))
        }
        Origin::Tree | Origin::Plain => (Hint::Include, b".".to_vec()),
    }
}

fn rust_sources(commit: Option<&[u8]>, name: Option<&[u8]>, toolchains: &[Toolchain]) -> Hint {
    let fits = |t: &&Toolchain| match commit {
        Some(commit) => t.is_of(commit) == Match::Same,
        None => Some(&t.name[..]) == name,
    };
    // Prefers the default toolchain, which needs no name.
    let wanted = toolchains.iter().filter(fits).max_by_key(|t| t.default);
    match (wanted, commit, name) {
        (Some(toolchain), _, _) if !toolchain.default => {
            Hint::RustSources(Some(to_text(&toolchain.name)))
        }
        (Some(_), _, _) => Hint::RustSources(None),
        (None, Some(commit), _) if !toolchains.is_empty() => Hint::OtherRust(to_text(commit)),
        (None, None, Some(name)) => Hint::RustSources(Some(to_text(name))),
        (None, _, _) => Hint::RustSources(None),
    }
}

/// The first folders of an absolute name, at most `count`.
fn first_folders(name: &[u8], count: usize) -> Vec<u8> {
    let parts = parts(name);
    absolute(&parts[..parts.len().saturating_sub(1).min(count)])
}

fn absolute(parts: &[&[u8]]) -> Vec<u8> {
    [b"/", &parts.join(&b'/')[..]].concat()
}

/// Completes a group when all its files are known: the folder to map is their longest common one.
fn finish(hint: Hint, root: Vec<u8>, files: Vec<Vec<u8>>) -> MissingFiles {
    if !matches!(hint, Hint::Map(_)) {
        return MissingFiles { root, files, hint };
    }
    let all: Vec<Vec<&[u8]>> = files.iter().map(|file| parts(file)).collect();
    let first = all.first().cloned().unwrap_or_default();
    let common = all
        .iter()
        .fold(first.len().saturating_sub(1), |common, file| {
            let same = first.iter().zip(file).take_while(|(a, b)| a == b).count();
            common.min(same).min(file.len().saturating_sub(1))
        });
    let root = absolute(&first[..common]);
    MissingFiles {
        hint: Hint::Map(to_text(&root)),
        root,
        files,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(name: &str, commit: &str, default: bool) -> Toolchain {
        Toolchain {
            name: name.into(),
            commit: Some(commit.into()),
            default,
            sources: None,
        }
    }

    fn grouped(names: &[&str], toolchains: &[Toolchain]) -> Vec<(String, usize, Hint)> {
        let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        let groups = group(&names, toolchains);
        groups
            .iter()
            .map(|g| (to_text(&g.root), g.files.len(), g.hint.clone()))
            .collect()
    }

    fn row(root: &str, files: usize, hint: Hint) -> (String, usize, Hint) {
        (root.into(), files, hint)
    }

    #[test]
    fn each_root_has_one_remedy() {
        let groups = grouped(
            &[
                "./elf/../sysdeps/x86_64/dl-trampoline.h",
                "./elf/./elf/dl-lookup.c",
                "./nptl/./nptl/pthread_self.c",
                "/build/x/src/a.c",
                "/build/x/lib/b.c",
                "/home/ann/.cargo/registry/src/index-1/a-1.0.0/src/lib.rs",
                "/rust/deps/hashbrown-0.16.1/src/map.rs",
                "/rustc/5980/library/core/src/mem/mod.rs",
                "/rustc/5980/library/alloc/src/vec/mod.rs",
                "/usr/include/c++/12/bits/stl_vector.h",
                "/build/bash-7Q/bash-5.2/lib/sh/x.c",
                "src/x.c",
            ],
            &[],
        );
        assert_eq!(
            groups,
            [
                row(".", 3, Hint::Package("glibc".into())),
                row("/build/x", 2, Hint::Map("/build/x".into())),
                row("/rustc/5980", 2, Hint::RustSources(None)),
                row(".", 1, Hint::Include),
                row("/build/bash-7Q/bash-5.2", 1, Hint::Package("bash".into())),
                row("/home/ann/.cargo/registry/src/index-1", 1, Hint::Cargo),
                row("/rust/deps", 1, Hint::RustDependencies),
                row("/usr/include", 1, Hint::Include),
            ]
        );
    }

    #[test]
    fn a_map_is_of_the_longest_folder_in_common() {
        let names = [
            "/home/ann/tool/src/a.c",
            "/home/ann/tool/src/sub/b.c",
            "/home/bob/tool/c.c",
            "/x.c",
        ];
        assert_eq!(
            grouped(&names, &[]),
            [
                row(
                    "/home/ann/tool/src",
                    2,
                    Hint::Map("/home/ann/tool/src".into())
                ),
                row("/", 1, Hint::Map("/".into())),
                row("/home/bob/tool", 1, Hint::Map("/home/bob/tool".into())),
            ]
        );
    }

    #[test]
    fn the_toolchain_of_the_commit_is_named() {
        let toolchains = [
            toolchain("1.95.0", "59807616e", false),
            toolchain("nightly", "e50aa6fba", false),
            toolchain("stable", "59807616e", true),
        ];
        let hint = |name: &str| grouped(&[name], &toolchains).remove(0).2;
        assert_eq!(
            hint("/rustc/59807616e1fa/library/core/src/mem/mod.rs"),
            Hint::RustSources(None)
        );
        assert_eq!(
            hint("/rustc/e50aa6fbaaaa/library/core/src/mem/mod.rs"),
            Hint::RustSources(Some("nightly".into()))
        );
        assert_eq!(
            hint("/rustc/0123456789/library/core/src/mem/mod.rs"),
            Hint::OtherRust("0123456789".into())
        );
    }

    #[test]
    fn every_name_is_in_one_group() {
        for name in [
            "",
            "/",
            "//",
            "..",
            "/rustc/",
            "/rustc/x",
            "./",
            "/build/a-1.0/",
            "???",
        ] {
            let groups = group(&[name.as_bytes()], &[]);
            assert_eq!(groups.len(), 1, "{name}");
            assert_eq!(groups[0].files, [name.as_bytes()]);
        }
    }
}
