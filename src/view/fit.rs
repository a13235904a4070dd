//! Fits labels into a width: which of file, name and object are shown, and how much of each.

use crate::{
    analysis::Label,
    profile::Name,
    text::{
        names::{base, collapse, middle, shorten, tail, width, without_parameters},
        shown,
    },
};
use std::collections::{BTreeMap, HashMap, HashSet, hash_map::Entry};

/// The common leading folders of the paths of a report. Paths are printed without them.
#[derive(Clone, Default)]
pub(crate) struct Folders(Vec<String>);

impl Folders {
    /// Finds what absolute paths of one origin have in common. Paths have the same origin if their
    /// first two folders are the same.
    pub(crate) fn from_paths<'a>(paths: impl Iterator<Item = &'a [u8]>) -> Folders {
        let mut common: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for path in paths {
            let path = shown(path);
            let Some(origin) = path.match_indices('/').nth(2).map(|(at, _)| &path[..=at]) else {
                continue;
            };
            let folder = path.rfind('/').map_or("", |at| &path[..=at]);
            if !path.starts_with('/') {
                continue;
            }
            let (have, count) = common
                .entry(origin.to_owned())
                .or_insert_with(|| (folder.to_owned(), 0));
            *count += 1;
            let same = have
                .split_inclusive('/')
                .zip(folder.split_inclusive('/'))
                .take_while(|(a, b)| a == b);
            let length = same.map(|(a, _)| a.len()).sum();
            have.truncate(length);
        }
        Folders(
            common
                .into_values()
                .filter(|(_, count)| *count > 1)
                .map(|(folder, _)| folder)
                .collect(),
        )
    }

    /// The path without its common folders.
    pub(crate) fn strip(&self, path: &str) -> String {
        match self
            .0
            .iter()
            .find_map(|folder| path.strip_prefix(&folder[..]))
        {
            Some(rest) => format!("…/{rest}"),
            None => path.to_owned(),
        }
    }
}

/// Names of a list that are equal without their arguments, like instances of one template. Only
/// their arguments tell them apart.
#[derive(Clone, Default)]
pub(crate) struct Alike(HashSet<String>);

impl Alike {
    /// Finds them among these names.
    pub(crate) fn from_names<'a>(names: impl Iterator<Item = Name<'a>>) -> Alike {
        let mut first: HashMap<String, Name<'a>> = HashMap::new();
        let mut alike = HashSet::new();
        for name in names {
            match first.entry(collapse(&shown(&name.text()))) {
                Entry::Vacant(entry) => {
                    entry.insert(name);
                }
                Entry::Occupied(entry) if *entry.get() != name => {
                    alike.insert(entry.key().clone());
                }
                Entry::Occupied(_) => {}
            }
        }
        Alike(alike)
    }
}

/// What the labels of a list have in common.
#[derive(Clone, Default)]
pub(crate) struct Common {
    pub folders: Folders,
    pub alike: Alike,
}

/// Below this width only the name is shown.
const ALONE: usize = 20;

/// The file, name and object of a label, together no wider than `room` if possible. The file is
/// empty if it does not fit. Arguments are omitted before folders and the object, unless only they
/// tell names of the list apart.
pub(crate) fn fit(
    label: &Label<'_>,
    common: &Common,
    room: usize,
) -> (String, String, Option<String>) {
    let mut file = common.folders.strip(&shown(label.file));
    let mut name = shown(&label.name.text());
    let mut object = label.object.map(|object| base(&shown(object)).to_owned());
    let rest = |object: &Option<String>| {
        1 + object
            .as_ref()
            .map_or(0, |object| width(object) + " []".len())
    };
    let total =
        |file: &str, name: &str, object: &Option<String>| width(file) + width(name) + rest(object);
    if total(&file, &name, &object) > room {
        let short = collapse(&name);
        if common.alike.0.contains(&short) {
            let file = base(&file);
            let without = without_parameters(&name);
            for name in [&name, &without] {
                let mut objects = [&object, &None].into_iter();
                let tells = *name != short;
                if let Some(object) =
                    objects.find(|object| tells && total(file, name, object) <= room)
                {
                    return (file.to_owned(), name.clone(), object.clone());
                }
            }
            // Functions of one name differ at the end of their parameters, if at all.
            let left = room.saturating_sub(total(file, "", &None));
            if without == short && left >= ALONE {
                return (file.to_owned(), middle(&name, left), None);
            }
        }
        name = short;
    }
    if total(&file, &name, &object) > room && room < ALONE {
        return (String::new(), shorten(&name, room), None);
    }
    if total(&file, &name, &object) > room {
        file = tail(&file, room.saturating_sub(width(&name) + rest(&object)));
    }
    if total(&file, &name, &object) > room {
        object = None;
    }
    if total(&file, &name, &object) > room {
        let short_name = shorten(
            &name,
            room.saturating_sub(width(base(&file)) + 1).max(room / 2),
        );
        file = middle(
            base(&file),
            room.saturating_sub(width(&short_name) + 1).max(8),
        );
        name = shorten(&name, room.saturating_sub(width(&file) + 1));
    }
    (file, name, object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_what_they_have_in_common() {
        let paths: [&[u8]; 4] = [
            b"/rustc/5/library/core/a.rs",
            b"/rustc/5/library/alloc/b.rs",
            b"/usr/include/x.h",
            b"y.c",
        ];
        let folders = Folders::from_paths(paths.into_iter());
        assert_eq!(folders.strip("/rustc/5/library/core/a.rs"), "…/core/a.rs");
        assert_eq!(
            folders.strip("/usr/include/x.h"),
            "/usr/include/x.h",
            "it has nothing in common with others"
        );
    }

    #[test]
    fn labels_fit() {
        let label = Label {
            file: b"/usr/include/c++/12/bits/stl_vector.h",
            name: b"std::vector<int, std::allocator<int> >::push_back(int const&)".into(),
            object: Some(b"/usr/lib/x86_64-linux-gnu/libstdc++.so.6"),
            cycle: None,
        };
        for room in 20..140 {
            let (file, name, object) = fit(&label, &Common::default(), room);
            let object = object.map(|o| format!(" [{o}]")).unwrap_or_default();
            assert!(
                width(&format!("{file}:{name}{object}")) <= room,
                "{room}: {file}:{name}{object}"
            );
        }
        assert_eq!(
            fit(&label.without_object(), &Common::default(), 60).1,
            "std::vector<…>::push_back(…)"
        );
    }
}
