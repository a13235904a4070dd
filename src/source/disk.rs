//! Asks the disk as seldom as possible: a missing folder is asked for once, whatever is looked for below it, and a
//! folder is walked at most once.

use super::paths::{bytes, path};
use crate::profile::Order;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The greatest depth of a walk below its root.
const DEPTH: usize = 16;
/// The most entries that a walk looks at. Breadth first, so that the deepest are left out.
const ENTRIES: usize = 100_000;

/// The files below a folder, as paths below it, by file name.
type Walk = HashMap<Vec<u8>, Vec<Vec<u8>>>;

/// Caches what is on the disk.
#[derive(Default, Debug)]
pub(super) struct Disk {
    folders: RefCell<HashMap<PathBuf, bool>>,
    walks: RefCell<HashMap<PathBuf, Rc<Walk>>>,
}

impl Disk {
    /// Whether a folder is there.
    pub(super) fn has_folder(&self, path: &Path) -> bool {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        if let Some(&known) = self.folders.borrow().get(path) {
            return known;
        }
        let found = path.is_dir();
        self.folders.borrow_mut().insert(path.to_path_buf(), found);
        found
    }

    /// Whether a regular file is there that has any bytes.
    pub(super) fn has_file(&self, path: &Path) -> bool {
        self.has_parent(path) && fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() > 0)
    }

    /// Whether the folders of a file exist; the parts of its path are given, below a folder. Checked from the top, so
    /// that only the first missing folder is asked for and cached.
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
        self.folders.borrow().keys().map(|path| path.as_os_str().len()).sum()
    }

    /// Whether the folder of a file exists.
    pub(super) fn has_parent(&self, path: &Path) -> bool {
        path.parent().is_some_and(|folder| self.has_folder(folder))
    }

    /// The folders in a folder, by name. Links to folders count.
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

    /// The files below a folder whose names end in `name`, as paths below the folder, by name.
    pub(super) fn named(&self, folder: &Path, name: &[u8]) -> Vec<Vec<u8>> {
        let walk = self.walks.borrow().get(folder).cloned();
        let walk = walk.unwrap_or_else(|| {
            let walk = Rc::new(walk_below(folder));
            self.walks.borrow_mut().insert(folder.to_path_buf(), Rc::clone(&walk));
            walk
        });
        walk.get(name).cloned().unwrap_or_default()
    }
}

/// Walks a folder. Hidden folders are left out. Links to folders are not followed, because they can form circles.
fn walk_below(root: &Path) -> Walk {
    let mut walk = Walk::new();
    let mut left = ENTRIES;
    let mut queue = VecDeque::from([(Vec::new(), 0usize)]);
    while let Some((folder, depth)) = queue.pop_front() {
        let mut entries: Vec<(Vec<u8>, bool)> = fs::read_dir(root.join(path(&folder)))
            .into_iter()
            .flatten()
            .take(left)
            .filter_map(|entry| {
                let entry = entry.ok()?;
                Some((bytes(entry.file_name()), entry.file_type().ok()?.is_dir()))
            })
            .collect();
        entries.order();
        left = left.saturating_sub(entries.len());
        for (name, is_folder) in entries {
            let mut full = folder.clone();
            if !full.is_empty() {
                full.push(b'/');
            }
            full.extend_from_slice(&name);
            match is_folder {
                true if depth < DEPTH && !name.starts_with(b".") => queue.push_back((full, depth + 1)),
                true => {}
                false => walk.entry(name).or_default().push(full),
            }
        }
        if left == 0 {
            break;
        }
    }
    walk.values_mut().for_each(|files| files.sort());
    walk
}
