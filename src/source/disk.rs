//! Asks the disk as seldom as possible. A missing folder is asked for once, whatever it should
//! contain. A folder is walked at most once.

use super::paths::{bytes, path};
use crate::{
    fs::{folder, regular},
    profile::Order,
};
use foldhash::{HashMap, HashSet};
use std::{
    cell::RefCell,
    collections::VecDeque,
    fs::{self, FileType},
    path::{Path, PathBuf},
    rc::Rc,
};

/// The greatest depth of a walk below its root.
const DEPTH: usize = 16;
/// The most entries that a walk reads. It goes breadth first, so that the deepest are omitted.
const ENTRIES: usize = 100_000;

/// The files below a folder, by file name, as paths relative to the folder.
type FilesBelow = HashMap<Vec<u8>, Vec<Vec<u8>>>;

/// Caches what is on the disk.
#[derive(Default, Debug)]
pub(super) struct Disk {
    folders: RefCell<HashMap<PathBuf, bool>>,
    walks: RefCell<HashMap<PathBuf, Rc<FilesBelow>>>,
}

impl Disk {
    /// Whether a folder exists.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        let path = folder(path);
        if let Some(&known) = self.folders.borrow().get(path) {
            return known;
        }
        // From the top: nothing exists below a missing folder. On Windows `missing/..` can exist.
        let mut above: Vec<&Path> = if cfg!(unix) {
            path.ancestors().skip(1).collect()
        } else {
            Vec::new()
        };
        above.retain(|folder| !folder.as_os_str().is_empty());
        above
            .into_iter()
            .rev()
            .chain([path])
            .all(|folder| self.ask(folder))
    }

    /// Asks for one folder, without its ancestors.
    fn ask(&self, folder: &Path) -> bool {
        if let Some(&known) = self.folders.borrow().get(folder) {
            return known;
        }
        let found = folder.is_dir();
        self.folders
            .borrow_mut()
            .insert(folder.to_path_buf(), found);
        found
    }

    /// Whether a regular file with any bytes exists.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.may_have(path) && regular(path).is_some_and(|meta| meta.len() > 0)
    }

    /// Whether the folder of a file exists.
    pub(super) fn may_have(&self, path: &Path) -> bool {
        path.parent().is_some_and(|folder| self.has_folder(folder))
    }

    /// Whether the folders of a file exist; `parts` is its path below `folder`. They are checked
    /// from the top, so that only the first missing folder is asked for and cached.
    pub(super) fn has_folders(&self, folder: &Path, parts: &[&[u8]]) -> bool {
        let mut folder = folder.to_path_buf();
        let folders = parts.split_last().map_or(parts, |(_, folders)| folders);
        folders.iter().all(|part| {
            folder.push(path(part));
            self.has_folder(&folder)
        })
    }

    /// The total length of the cached folder names, in bytes.
    #[cfg(test)]
    pub(super) fn remembers(&self) -> usize {
        self.folders
            .borrow()
            .keys()
            .map(|path| path.as_os_str().len())
            .sum()
    }

    /// The folders in a folder, sorted. Links to folders count.
    pub(super) fn folders_in(&self, folder: &Path) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .take(ENTRIES)
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let (kind, path) = (entry.file_type().ok()?, folder.join(entry.file_name()));
                (kind.is_dir() || (kind.is_symlink() && self.has_folder(&path))).then_some(path)
            })
            .collect();
        found.order();
        found
    }

    /// The files below a folder whose last part is `name`: sorted paths relative to the folder.
    pub(super) fn named(&self, folder: &Path, name: &[u8]) -> Vec<Vec<u8>> {
        let walk = self.walks.borrow().get(folder).cloned();
        let walk = walk.unwrap_or_else(|| {
            let walk = Rc::new(walk_below(folder));
            self.walks
                .borrow_mut()
                .insert(folder.to_path_buf(), Rc::clone(&walk));
            walk
        });
        walk.get(name).cloned().unwrap_or_default()
    }
}

/// Walks a folder, without hidden ones in it. Links to folders are followed after everything else,
/// each folder once: they can form cycles.
fn walk_below(root: &Path) -> FilesBelow {
    let mut walk = FilesBelow::default();
    let mut left = ENTRIES;
    let real = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    let (mut queue, mut links) = (
        VecDeque::from([(Vec::new(), real, 0usize)]),
        VecDeque::new(),
    );
    let mut known = HashSet::default();
    while let Some((folder, real, depth)) = queue.pop_front().or_else(|| links.pop_front()) {
        if !known.insert(real.clone()) {
            continue;
        }
        let here = root.join(path(&folder));
        let mut entries: Vec<(Vec<u8>, FileType)> = fs::read_dir(&here)
            .into_iter()
            .flatten()
            .take(left)
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((bytes(entry.file_name()), entry.file_type().ok()?))
            })
            .collect();
        entries.order_by(|a, b| a.0.cmp(&b.0));
        left = left.saturating_sub(entries.len());
        for (name, kind) in entries {
            let linked = kind
                .is_symlink()
                .then(|| here.join(path(&name)))
                .filter(|link| link.is_dir());
            let mut full = folder.clone();
            if !full.is_empty() {
                full.push(b'/');
            }
            full.extend_from_slice(&name);
            let is_walked = depth < DEPTH && !name.starts_with(b".");
            match linked {
                Some(link) if is_walked => {
                    links.extend(link.canonicalize().map(|real| (full, real, depth + 1)))
                }
                None if kind.is_dir() && is_walked => {
                    queue.push_back((full, real.join(path(&name)), depth + 1))
                }
                None if !kind.is_dir() => walk.entry(name).or_default().push(full),
                _ => {}
            }
        }
        if left == 0 {
            break;
        }
    }
    walk.values_mut().for_each(|files| files.sort());
    walk
}
