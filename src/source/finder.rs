//! Finds the source file for a name in a profile. A command keeps one finder while it prints.
//!
//! These places are tried in order: where `--map` leads; the pack; the name as it is; the name in
//! each `-I` folder. Then come the longest common tail below the `-I` folders, the places where
//! toolchains, cargo and distributions put sources, and the folder of the profile. The original
//! only tries the name as it is and in each `-I` folder. A file found any other way has its path in
//! its title.

use super::{
    Map, SourceError, SourceFile, Toolchain,
    disk::Disk,
    map::mapped,
    origin::Origin,
    paths::{below, bytes, common_tail, parts, path, spellings},
    places::{Roots, SourcePlaces, folder_of},
    read,
    shared::may_be_passed_on,
};
use crate::{
    fs::modified,
    profile::{Carried, path_bytes},
};
use indexmap::IndexSet;
use std::{
    cell::RefCell,
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

/// How far the search goes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Search {
    /// Wherever sources usually are.
    #[default]
    Everywhere,
    /// Where the original looks: the name as it is, then in each folder given with `-I`.
    Listed,
}

/// Where the user says that sources are.
#[derive(Clone, Default, Debug)]
pub struct SearchPaths {
    /// Folders given with `-I`, as typed.
    pub include: Vec<PathBuf>,
    /// `--map`: folders of the build, and where they are now. [`Search::Listed`] ignores them.
    pub maps: Vec<Map>,
    /// How far the search goes.
    pub search: Search,
    /// The profiles: sources are often in their folders.
    pub profiles: Vec<PathBuf>,
    /// What the packs contain. What they know is looked for on the disk only where `-I` and
    /// `maps` say, so that a pack gives the same report everywhere.
    pub carried: Vec<Arc<Carried>>,
}

/// The path of a file, and its title in the report.
type PathAndTitle = (PathBuf, Vec<u8>);

/// Finds sources, and caches what it found.
#[derive(Debug)]
pub struct Finder {
    place: SearchPaths,
    beside: IndexSet<PathBuf>,
    disk: Disk,
    places: SourcePlaces,
    /// Each file that was looked for.
    seen: RefCell<HashMap<Vec<u8>, Result<PathAndTitle, SourceError>>>,
}

/// Longer names are not looked for: no system opens them.
const LONGEST: usize = 4096;
/// Names with more folders are not looked for. The deepest known ones, of package managers, have
/// less than a quarter.
const DEEPEST: usize = 256;

impl Finder {
    /// A finder that uses the environment of this process.
    pub fn new(place: SearchPaths) -> Finder {
        Finder::with_roots(place, Roots::from_environment())
    }

    fn with_roots(mut place: SearchPaths, roots: Roots) -> Finder {
        for folder in &mut place.include {
            if let Some(short) = path_bytes(folder).strip_suffix(b"/") {
                *folder = path(short);
            }
        }
        let beside = place.profiles.iter();
        Finder {
            beside: beside.filter_map(|profile| folder_of(profile)).collect(),
            place,
            disk: Disk::default(),
            places: SourcePlaces::new(roots),
            seen: RefCell::default(),
        }
    }

    /// The folders given with `-I`, as typed, without a final slash.
    pub fn include(&self) -> &[PathBuf] {
        &self.place.include
    }

    /// The Rust toolchains of this system, for [`super::missing::group`].
    pub fn toolchains(&self) -> &[Toolchain] {
        match self.place.search {
            Search::Listed => &[],
            Search::Everywhere => self.places.toolchains(&self.disk),
        }
    }

    /// Opens a source file by its name in the profile.
    ///
    /// # Errors
    /// The file does not exist or cannot be read, or several files match equally. A name that is
    /// too long for a source's path counts as missing.
    pub fn open(&self, name: &[u8]) -> Result<SourceFile, SourceError> {
        match self.carried(name) {
            None | Some(Err(SourceError::NotPacked)) => {}
            Some(_) if self.mapped(name).is_some() => {}
            Some(carried) => return carried,
        }
        let seen = self.seen.borrow().get(name).cloned();
        if let Some(found) = seen {
            let (path, title) = found?;
            return open(path, title);
        }
        let source = self.look(name);
        let found = source
            .as_ref()
            .map(|source| (source.path.clone(), source.title.clone()))
            .map_err(Clone::clone);
        self.seen.borrow_mut().insert(name.to_vec(), found);
        source
    }

    /// Opens a source that goes into a pack or a page, which others get.
    ///
    /// # Errors
    /// Fails like [`Finder::open`], and if the file may hold secrets or is not a text.
    pub fn open_to_pass_on(&self, name: &[u8]) -> Result<SourceFile, SourceError> {
        let source = self.open(name)?;
        let maps = self.place.maps.iter().map(|map| path(&map.new));
        let named: Vec<PathBuf> = self.place.include.iter().cloned().chain(maps).collect();
        may_be_passed_on(&source, &named)?;
        Ok(source)
    }

    /// The source in the packs; `None` if they do not know the name.
    fn carried(&self, name: &[u8]) -> Option<Result<SourceFile, SourceError>> {
        let known: Vec<_> = self
            .place
            .carried
            .iter()
            .filter_map(|carried| Some((carried, carried.source(name)?)))
            .collect();
        let mut found = known
            .iter()
            .filter_map(|(carried, source)| Some((carried, source.as_ref().ok()?)));
        let Some((first, source)) = found.next() else {
            return (!known.is_empty()).then_some(Err(SourceError::NotPacked));
        };
        let others: Vec<Vec<u8>> = found
            .filter(|(_, other)| other.bytes != source.bytes)
            .map(|(carried, _)| bytes(&carried.input))
            .collect();
        if !others.is_empty() {
            return Some(Err(SourceError::Ambiguous(
                [&[bytes(&first.input)], &others[..]].concat(),
            )));
        }
        let title = source
            .found
            .as_ref()
            .map_or_else(|| name.to_vec(), |path| found_as(name, path));
        let path = path(source.found.as_deref().unwrap_or(name));
        Some(Ok(SourceFile {
            title,
            path,
            modified: source.modified,
            is_carried: true,
            bytes: source.bytes.to_vec(),
        }))
    }

    /// Where `--map` leads, if a file is there.
    fn mapped(&self, name: &[u8]) -> Option<PathBuf> {
        if self.place.search == Search::Listed {
            return None;
        }
        let mut leads = mapped(&self.place.maps, name)
            .into_iter()
            .map(|to| path(&to));
        leads.find(|path| self.disk.has_file(path))
    }

    /// The time of the oldest profile.
    pub fn recorded(&self) -> Option<SystemTime> {
        let is_pack = |path: &&PathBuf| {
            self.place
                .carried
                .iter()
                .any(|carried| !carried.is_details && carried.input == **path)
        };
        let files = self
            .place
            .profiles
            .iter()
            .filter(|path| !is_pack(path))
            .filter_map(modified);
        files
            .chain(
                self.place
                    .carried
                    .iter()
                    .filter_map(|carried| carried.recorded),
            )
            .min()
    }

    fn look(&self, name: &[u8]) -> Result<SourceFile, SourceError> {
        if name.len() > LONGEST || memchr::memchr_iter(b'/', name).count() > DEEPEST {
            return Err(SourceError::Absent);
        }
        if let Some(path) = self.mapped(name) {
            return elsewhere(name, path);
        }
        let is_missing = matches!(self.carried(name), Some(Err(SourceError::NotPacked)));
        let mut why = if is_missing {
            SourceError::NotPacked
        } else {
            SourceError::Absent
        };
        for (path, title) in self.listed(name).skip(usize::from(is_missing)) {
            match self.disk.may_have(&path).then(|| open(path, title)) {
                Some(Ok(found)) => return Ok(found),
                // A file that exists and cannot be read is a better reason than a missing one.
                Some(Err(e)) if matches!(why, SourceError::Absent | SourceError::NotPacked) => {
                    why = e
                }
                _ => {}
            }
        }
        if self.place.search == Search::Listed {
            return Err(why);
        }
        let origin = Origin::from_name(name);
        let spellings = spellings(name);
        let mut files = self.below_include(&spellings, origin.least());
        if files.is_empty() && !is_missing {
            files = self.places.find(name, origin, &self.disk);
        }
        if files.is_empty() && !is_missing {
            files = self
                .beside(name, &spellings, origin.least())
                .into_iter()
                .collect();
        }
        match &files[..] {
            [] => Err(why),
            [path] => elsewhere(name, path.clone()),
            files => Err(SourceError::Ambiguous(files.iter().map(bytes).collect())),
        }
    }

    /// Where the original looks.
    fn listed(&self, name: &[u8]) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
        let below = self.place.include.iter().map(|folder| {
            let folder = path_bytes(folder);
            let full = [folder, b"/", name].concat();
            (path(&full), [folder, b"/ + ", name].concat())
        });
        std::iter::once((path(name), name.to_vec())).chain(below)
    }

    /// The files below the `-I` folders that have the longest tail in common with the name, at
    /// least `least` parts. Among folders with equal tails the first counts. In a folder, all files
    /// that match equally count, unless one of them is exactly that tail.
    fn below_include(&self, spellings: &[Vec<&[u8]>], least: usize) -> Vec<PathBuf> {
        let found = self.place.include.iter().map(|folder| {
            // An empty folder is the root: `-I /` lost its slash.
            let folder = if folder.as_os_str().is_empty() {
                Path::new("/")
            } else {
                folder
            };
            self.longest_tail(folder, spellings, least)
        });
        // Of equal ones `max_by_key` would take the last.
        let best = found.rev().max_by_key(|(length, _)| *length);
        best.unwrap_or_default().1
    }

    fn longest_tail(
        &self,
        folder: &Path,
        spellings: &[Vec<&[u8]>],
        least: usize,
    ) -> (usize, Vec<PathBuf>) {
        let direct = self.direct_tail(folder, spellings, least);
        let direct = direct.map_or((0, Vec::new()), |(length, path)| (length, vec![path]));
        let most = spellings.iter().map(Vec::len).max().unwrap_or(0);
        let Some(last) = spellings
            .first()
            .and_then(|parts| parts.last())
            .filter(|_| direct.0 < most)
        else {
            return direct;
        };
        let (mut longest, mut files) = (direct.0, Vec::new());
        for file in self.disk.named(folder, last) {
            let own = parts(&file);
            let tail = spellings
                .iter()
                .map(|parts| common_tail(parts, &own))
                .max()
                .unwrap_or(0);
            if tail > longest && tail >= least {
                longest = tail;
                files.clear();
            }
            if tail == longest && longest > direct.0 {
                files.push(below(folder, &own));
            }
        }
        if longest > direct.0 {
            (longest, files)
        } else {
            direct
        }
    }

    /// The longest tail of a name that exists directly in a folder, and its length. If the first
    /// folder of a tail is missing, its deeper folders are not asked for.
    fn direct_tail(
        &self,
        folder: &Path,
        spellings: &[Vec<&[u8]>],
        least: usize,
    ) -> Option<(usize, PathBuf)> {
        let tail = |parts: &Vec<&[u8]>| {
            (0..parts.len())
                .map(|from| &parts[from..])
                .filter(|tail| tail.len() >= least && self.disk.has_folders(folder, tail))
                .map(|tail| (tail.len(), below(folder, tail)))
                .find(|(_, path)| self.disk.has_file(path))
        };
        let tails = spellings.iter().filter_map(tail);
        tails.max_by_key(|(length, _)| *length)
    }

    /// The file in a profile's folder: by its relative name, else by its tail, without a walk.
    fn beside(&self, name: &[u8], spellings: &[Vec<&[u8]>], least: usize) -> Option<PathBuf> {
        let relative = path(name);
        self.beside.iter().find_map(|folder| {
            let whole = Some(folder.join(&relative))
                .filter(|path| relative.is_relative() && self.disk.has_file(path));
            whole.or_else(|| Some(self.direct_tail(folder, spellings, least)?.1))
        })
    }
}

/// Opens a file that the original would not find.
fn elsewhere(name: &[u8], path: PathBuf) -> Result<SourceFile, SourceError> {
    let title = found_as(name, &bytes(&path));
    open(path, title)
}

fn found_as(name: &[u8], path: &[u8]) -> Vec<u8> {
    [name, b" (found as ", path, b")"].concat()
}

fn open(path: PathBuf, title: Vec<u8>) -> Result<SourceFile, SourceError> {
    let (bytes, modified) = read(&path)?;
    Ok(SourceFile {
        title,
        path,
        modified,
        is_carried: false,
        bytes,
    })
}

#[cfg(test)]
#[path = "finder_tests.rs"]
mod tests;
