//! Finds binaries and their debug files.
//!
//! A binary is looked for at these places, in this order: where `--map` leads, at its recorded
//! path, in each `--debug-dir`, and in the folders of the profiles. If there are several builds, as
//! in a comparison of two runs, their content decides which one ran.
//!
//! Its debug information is in the binary, in a folder of build ids, or in the file that
//! `.gnu_debuglink` names. If both files have a build id, the ids must be equal.

use super::{
    Where,
    elf::{Elf, Symbols, Trouble, unless_spent},
};
use crate::{
    fs::folder,
    profile::{hex, names::to_path, path_bytes},
    source::{folder_of, mapped},
};
use indexmap::IndexSet;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

/// A binary, and its separate debug file, if it has one.
pub(super) struct Binary {
    pub elf: Elf,
    pub debug: Option<Elf>,
}

impl Binary {
    /// The build id, in hexadecimal digits.
    pub(super) fn build_id(&self) -> Option<String> {
        self.elf.build_id().map(hex)
    }

    /// The binary's functions, or those of its debug file if the binary has none. A corrupt table
    /// has none.
    pub(super) fn symbols(&self) -> Result<Symbols, Trouble> {
        match unless_spent(self.elf.symbols())? {
            Some(symbols) if !symbols.all.is_empty() => Ok(symbols),
            _ => Ok(unless_spent(self.debug().symbols())?.unwrap_or_default()),
        }
    }

    /// The file with the debug information.
    pub(super) fn debug(&self) -> &Elf {
        self.debug.as_ref().unwrap_or(&self.elf)
    }
}

/// The folder of debug files that the search always includes.
const USUAL: &str = "/usr/lib/debug";
/// A longer name is not looked for.
const LONGEST: usize = 4096;
/// The steps of asking the system whether a file exists.
const ASKING: u64 = 500;

/// The reason if a binary is missing.
pub(super) const NOWHERE: &str =
    "it was not found (`--map OLD=NEW` or `--debug-dir` says where it is)";

/// A path in a folder, without a way out of it.
fn below(folder: &Path, path: &Path) -> PathBuf {
    let parts = path.components().filter_map(|part| match part {
        std::path::Component::Normal(part) => Some(part),
        _ => None,
    });
    folder.join(parts.collect::<PathBuf>())
}

impl Where {
    /// The folders of the profiles.
    fn beside(&self) -> impl Iterator<Item = PathBuf> {
        let folders = self
            .profiles
            .iter()
            .filter_map(|profile| folder_of(profile));
        let folders: IndexSet<PathBuf> = folders.map(|path| folder(&path).to_owned()).collect();
        folders.into_iter()
    }

    fn has(&self, place: &Path) -> bool {
        // A path can lead through many links, which the system follows.
        let exists = self.budget.timed(ASKING, || place.exists());
        exists.unwrap_or(false)
    }

    /// The folders of debug files.
    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.debug_dirs
            .iter()
            .cloned()
            .chain([PathBuf::from(USUAL)])
    }

    /// Where `--map` leads.
    fn mapped(&self, name: &[u8]) -> Vec<PathBuf> {
        let mapped = mapped(&self.maps, name);
        mapped.iter().map(|to| to_path(to)).collect()
    }

    /// Where a binary may be.
    fn places(&self, name: &[u8]) -> Vec<PathBuf> {
        let path = to_path(name);
        let mut places = self.mapped(name);
        places.push(path.clone());
        let base = path.file_name().map(PathBuf::from);
        for folder in &self.debug_dirs {
            places.push(below(folder, &path));
            places.extend(base.iter().map(|base| folder.join(base)));
        }
        places.extend(self.beside().flat_map(|folder| {
            base.iter()
                .map(move |base| folder.join(base))
                .collect::<Vec<_>>()
        }));
        places
    }

    /// The first readable binary with a name.
    ///
    /// # Errors
    /// Returns the error of the first file if none can be read, or that the binary is missing.
    pub(super) fn binary(&self, name: &[u8]) -> Result<Binary, Trouble> {
        let mut found = self.binaries(name);
        let first = found.next().unwrap_or_else(|| Err(self.missing(NOWHERE)));
        first.or_else(|problem| found.find_map(Result::ok).ok_or(problem))
    }

    /// The first binary of this name whose debug information `is_it`; else the first.
    pub(super) fn binary_or_first(
        &self,
        name: &[u8],
        is_it: impl Fn(&Elf) -> bool,
    ) -> Result<Binary, Trouble> {
        let mut readable = self.binaries(name).flatten();
        let found = readable.find(|binary| is_it(binary.debug()));
        found.map_or_else(|| self.binary(name), Ok)
    }

    /// Why something was not found: the given reason, or an exhausted budget.
    pub(super) fn missing(&self, why: &str) -> Trouble {
        match self.budget.look(ASKING) {
            Ok(()) => Trouble::new(why),
            Err(spent) => spent.into(),
        }
    }

    /// The binary of this name whose debug information is in the file `found`; else the first.
    pub(super) fn binary_used(&self, name: &[u8], found: Option<&Path>) -> Result<Binary, Trouble> {
        self.binary_or_first(name, |debug| Some(&*debug.path) == found)
    }

    /// All files of this name, in the order of the search. They are opened one by one.
    pub(super) fn binaries(&self, name: &[u8]) -> impl Iterator<Item = Result<Binary, Trouble>> {
        let places = if name.len() > LONGEST {
            Vec::new()
        } else {
            self.places(name)
        };
        let recorded = to_path(name);
        let mut seen = HashSet::new();
        let places = places
            .into_iter()
            .filter(move |place| seen.insert(place.clone()) && self.has(place));
        places.map(move |place| match Elf::open(&place, &self.budget) {
            Err(Trouble::Spent) => Err(Trouble::Spent),
            Ok(elf) => {
                let debug = if elf.has_debug_information() {
                    None
                } else {
                    self.debug_file(&elf)
                };
                Ok(Binary { elf, debug })
            }
            // The caller reports it with the profile's name for the binary.
            Err(problem) if place == recorded => Err(problem),
            Err(problem) => Err(Trouble::new(format!("{}: {problem}", place.display()))),
        })
    }

    /// The debug file of a binary without debug information.
    fn debug_file(&self, elf: &Elf) -> Option<Elf> {
        let id = elf.build_id();
        let mut places = id
            .as_deref()
            .map_or_else(Vec::new, |id| self.by_build_id(id));
        if let Some((name, _)) = elf.link(".gnu_debuglink") {
            // Only the file name counts, so that it leads nowhere else.
            let name = PathBuf::from(to_path(&name).file_name().unwrap_or_default());
            let beside = elf.path.with_file_name(&name);
            places.push(beside.clone());
            places.push(elf.path.with_file_name(".debug").join(&name));
            for root in self.folders() {
                places.push(below(&root, &beside));
                places.push(root.join(&name));
            }
            places.extend(self.beside().map(|folder| folder.join(&name)));
        }
        places.retain(|place| *place != elf.path);
        // Without ids the name must do: the profile is compared with the code anyway.
        self.first_of(places, |debug| debug.explains(id.as_deref()))
    }

    /// The first of these files that exists, can be read, and is the right one.
    fn first_of(
        &self,
        places: impl IntoIterator<Item = PathBuf>,
        is_it: impl Fn(&Elf) -> bool,
    ) -> Option<Elf> {
        places
            .into_iter()
            .filter(|place| self.has(place))
            .find_map(|place| Elf::open(&place, &self.budget).ok().filter(&is_it))
    }

    fn by_build_id(&self, id: &[u8]) -> Vec<PathBuf> {
        let Some((first, rest)) = id.split_first() else {
            return Vec::new();
        };
        let rest = hex(&rest[..rest.len().min(64)]);
        let name = format!(".build-id/{first:02x}/{rest}.debug");
        self.folders().map(|folder| folder.join(&name)).collect()
    }

    /// The supplementary file that several debug files refer to.
    pub(super) fn alternate(&self, elf: &Elf) -> Option<Elf> {
        let (name, id) = elf.link(".gnu_debugaltlink")?;
        let name = to_path(&name);
        let mut places = vec![elf.path.with_file_name(&name)];
        places.extend(self.by_build_id(&id));
        if let Some(base) = name.file_name() {
            places.push(elf.path.with_file_name(base));
            places.extend(
                self.debug_dirs
                    .iter()
                    .map(|root| root.join(".dwz").join(base)),
            );
        }
        self.first_of(places, |elf| elf.explains(Some(&id)))
    }

    /// The package with all split units of a binary.
    pub(super) fn package(&self, elf: &Elf) -> Option<Elf> {
        let mut name = elf.path.file_name()?.to_owned();
        name.push(".dwp");
        let places = self.split_folders(elf).map(|folder| folder.join(&name));
        self.first_of(places, |_| true)
    }

    /// Files that may hold one split unit. `name` is relative to `folder`.
    pub(super) fn split(&self, elf: &Elf, folder: &[u8], name: &[u8]) -> Vec<PathBuf> {
        if folder.len() + name.len() > LONGEST {
            return Vec::new();
        }
        let name = to_path(name);
        let whole = to_path(folder).join(&name);
        let mut places = self.mapped(path_bytes(&whole));
        places.push(whole);
        if let Some(base) = name.file_name() {
            places.extend(self.split_folders(elf).map(|folder| folder.join(base)));
        }
        places.retain(|place| self.has(place));
        places
    }

    /// The folders that may hold split debug information of a binary.
    fn split_folders(&self, elf: &Elf) -> impl Iterator<Item = PathBuf> {
        let own = elf.path.parent().map(Path::to_owned);
        own.into_iter()
            .chain(self.debug_dirs.iter().cloned())
            .chain(self.beside())
    }
}
