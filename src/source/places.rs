//! The places where this system usually has sources. The finder asks them after the places that the
//! user gave.

use super::{
    Toolchain,
    disk::Disk,
    origin::{Origin, Rust, is_versioned},
    paths::{below, last, parts, spellings},
    toolchains::{self, Match},
};
use crate::{env, fs::folder};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

/// The folders to start from.
#[derive(Debug, Default)]
pub(super) struct Roots {
    /// `$CARGO_HOME`, else `~/.cargo`.
    pub cargo: Option<PathBuf>,
    /// `$RUSTUP_HOME`, else `~/.rustup`.
    pub rustup: Option<PathBuf>,
    /// The current folder.
    pub current: PathBuf,
    /// `/`.
    pub system: PathBuf,
}

impl Roots {
    /// Reads them from the environment. Without a home folder, those in it are unknown.
    pub(super) fn from_environment() -> Roots {
        let home = env::folder("HOME").or_else(|| env::folder("USERPROFILE"));
        let in_home = |name: &str| home.as_ref().map(|home| home.join(name));
        Roots {
            cargo: env::folder("CARGO_HOME").or_else(|| in_home(".cargo")),
            rustup: env::folder("RUSTUP_HOME").or_else(|| in_home(".rustup")),
            current: PathBuf::new(),
            system: PathBuf::from("/"),
        }
    }
}

/// Searches the roots for sources; each root is read when it is first needed, and once.
#[derive(Debug, Default)]
pub(super) struct SourcePlaces {
    roots: Roots,
    toolchains: OnceCell<Vec<Toolchain>>,
    registries: OnceCell<Vec<PathBuf>>,
    checkouts: OnceCell<Vec<PathBuf>>,
    trees: OnceCell<Vec<PathBuf>>,
}

impl SourcePlaces {
    pub(super) fn new(roots: Roots) -> SourcePlaces {
        SourcePlaces {
            roots,
            ..SourcePlaces::default()
        }
    }

    /// The existing files that a name can mean: several only if they match equally well.
    pub(super) fn find(&self, name: &[u8], origin: Origin<'_>, disk: &Disk) -> Vec<PathBuf> {
        let found = match origin {
            Origin::Rust(rust) => self.rust(rust, disk),
            Origin::RustDependency { tail } => {
                let vendored = self
                    .toolchains(disk)
                    .iter()
                    .filter_map(|t| Some(t.sources.as_ref()?.join("library/vendor")));
                first_below(
                    vendored.chain(self.registries(disk).iter().cloned()),
                    tail,
                    disk,
                )
            }
            Origin::Registry { tail } => {
                first_below(self.registries(disk).iter().cloned(), tail, disk)
            }
            Origin::Checkout { tail } => self.checkout(tail, disk),
            Origin::Package { package, tail, .. } => {
                return self.in_trees(&[parts(tail)], disk, |tree| tree == package);
            }
            Origin::Libc => {
                return self.in_trees(&spellings(name), disk, |tree| tree.starts_with(b"glibc-"));
            }
            Origin::Tree => return self.in_trees(&spellings(name), disk, |_| true),
            Origin::System | Origin::Plain => None,
        };
        found.into_iter().collect()
    }

    pub(super) fn toolchains(&self, disk: &Disk) -> &[Toolchain] {
        self.toolchains.get_or_init(|| {
            toolchains::installed(self.roots.rustup.as_deref(), &self.roots.system, disk)
        })
    }

    /// Rust's library, from a toolchain with the same commit or an unknown one. Another commit has
    /// other lines.
    fn rust(&self, rust: Rust<'_>, disk: &Disk) -> Option<PathBuf> {
        let fits = |toolchain: &Toolchain| match (rust.commit, rust.toolchain) {
            (Some(commit), _) => toolchain.is_of(commit),
            (None, Some(name)) if toolchain.name == name => Match::Same,
            (None, Some(_)) => Match::Other,
            (None, None) => Match::Unknown,
        };
        let fitting = |wanted: Match| {
            let of_kind = self
                .toolchains(disk)
                .iter()
                .filter(move |toolchain| fits(toolchain) == wanted);
            of_kind.filter_map(|toolchain| toolchain.sources.clone())
        };
        first_below(
            fitting(Match::Same).chain(fitting(Match::Unknown)),
            rust.tail,
            disk,
        )
    }

    /// A repository's folder has its name and a hash of its address. The hash differs between
    /// versions of cargo, so only the name and the commit are compared.
    fn checkout(&self, tail: &[u8], disk: &Disk) -> Option<PathBuf> {
        let tail = parts(tail);
        let (repository, rest) = tail.split_first()?;
        let name = |folder: &[u8]| folder.rsplitn(2, |&b| b == b'-').nth(1).map(<[u8]>::to_vec);
        let all = self
            .checkouts
            .get_or_init(|| self.of_cargo("git/checkouts", disk));
        let same = all.iter().filter(|folder| last(folder) == *repository);
        let alike = all
            .iter()
            .filter(|folder| name(&last(folder)) == name(repository));
        same.chain(alike)
            .map(|folder| below(folder, rest))
            .find(|path| disk.has_file(path))
    }

    fn registries(&self, disk: &Disk) -> &[PathBuf] {
        self.registries
            .get_or_init(|| self.of_cargo("registry/src", disk))
    }

    /// The folders in a folder of cargo's.
    fn of_cargo(&self, folder: &str, disk: &Disk) -> Vec<PathBuf> {
        let cargo = self.roots.cargo.as_ref();
        cargo.map_or(Vec::new(), |cargo| disk.folders_in(&cargo.join(folder)))
    }

    /// Source trees called `PACKAGE-VERSION`. `apt-get source` puts them into the current folder,
    /// and source packages into `/usr/src` or a folder in it.
    fn trees(&self, disk: &Disk) -> &[PathBuf] {
        self.trees.get_or_init(|| {
            let versioned = |folder: &PathBuf| is_versioned(&last(folder));
            let here = disk
                .folders_in(folder(&self.roots.current))
                .into_iter()
                .map(|path| match path.strip_prefix(".") {
                    Ok(plain) => plain.to_path_buf(),
                    Err(_) => path,
                });
            let mut trees: Vec<PathBuf> = here.filter(versioned).collect();
            for folder in disk.folders_in(&self.roots.system.join("usr/src")) {
                if versioned(&folder) {
                    trees.push(folder);
                } else {
                    trees.extend(disk.folders_in(&folder).into_iter().filter(versioned));
                }
            }
            trees
        })
    }

    /// The longest reading of the name that exists in any tree, in all trees that have it.
    fn in_trees(
        &self,
        spellings: &[Vec<&[u8]>],
        disk: &Disk,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Vec<PathBuf> {
        let trees = self.trees(disk).iter();
        let trees: Vec<&PathBuf> = trees.filter(|tree| wanted(&last(tree))).collect();
        let found = |spelling: &Vec<&[u8]>| {
            trees
                .iter()
                .map(|tree| below(tree, spelling))
                .filter(|path| disk.has_file(path))
                .collect::<Vec<_>>()
        };
        spellings
            .iter()
            .map(found)
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }
}

/// The file below the first of the folders that has it.
fn first_below(
    folders: impl Iterator<Item = PathBuf>,
    tail: &[u8],
    disk: &Disk,
) -> Option<PathBuf> {
    let tail = parts(tail);
    let mut files = folders.map(|folder| below(&folder, &tail));
    files.find(|path| !tail.is_empty() && disk.has_file(path))
}

/// The folder of a profile; `None` for standard input.
pub(crate) fn folder_of(profile: &Path) -> Option<PathBuf> {
    let folder = profile.parent().map(Path::to_path_buf);
    folder.filter(|_| profile.as_os_str() != "-")
}
