//! `--map OLD=NEW`: a folder or file of the build, and where it is now.

use super::paths::parts;
use std::fmt;

/// Names that begin with `old` are looked for in `new`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map {
    old: Vec<u8>,
    /// The folder where it is now.
    pub(super) new: Vec<u8>,
}

impl Map {
    /// Maps `old`, which must not be empty, to `new`; an empty `new` is the current folder.
    pub fn new(old: &[u8], new: &[u8]) -> Map {
        let trimmed = |path: &[u8]| {
            let end = path
                .iter()
                .rposition(|&byte| byte != b'/')
                .map_or(0, |at| at + 1);
            path[..end].to_vec()
        };
        let new = match new {
            b"" => b".".to_vec(),
            new if new.iter().all(|&byte| byte == b'/') => b"/".to_vec(),
            new => trimmed(new),
        };
        Map {
            old: trimmed(old),
            new,
        }
    }

    /// The mapped name, if the name is the old one or below it, compared part by part.
    fn apply(&self, name: &[u8]) -> Option<Vec<u8>> {
        let rest = name.strip_prefix(&self.old[..])?;
        if !rest.is_empty() && !rest.starts_with(b"/") {
            return None;
        }
        let mut path = self.new.clone();
        for part in parts(rest) {
            if !path.ends_with(b"/") {
                path.push(b'/');
            }
            path.extend_from_slice(part);
        }
        Some(path)
    }
}

/// As the user types it.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old, new] = [&self.old, &self.new].map(|path| String::from_utf8_lossy(path));
        write!(f, "{old}={new}")
    }
}

/// The mapped names, by the map with the longest matching old folder; if several maps have that
/// folder, each is tried. Dots in the name are resolved if a longer folder then matches.
pub(crate) fn mapped(maps: &[Map], name: &[u8]) -> Vec<Vec<u8>> {
    let root = if name.starts_with(b"/") { "/" } else { "" };
    let plain = [root.as_bytes(), &parts(name).join(&b'/')].concat();
    let mut found: Vec<(usize, Vec<u8>)> = Vec::new();
    for map in maps {
        let fits = [&plain[..], name]
            .into_iter()
            .find_map(|name| map.apply(name));
        found.extend(fits.map(|path| (map.old.len(), path)));
    }
    let longest = found.iter().map(|(length, _)| *length).max();
    found
        .into_iter()
        .filter(|(length, _)| Some(*length) == longest)
        .map(|(_, path)| path)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead(maps: &[&str], name: &str) -> Vec<String> {
        let map = |text: &&str| {
            text.split_once('=')
                .map(|(old, new)| Map::new(old.as_bytes(), new.as_bytes()))
        };
        let maps: Vec<Map> = maps.iter().filter_map(map).collect();
        mapped(&maps, name.as_bytes())
            .into_iter()
            .map(|path| String::from_utf8(path).unwrap())
            .collect()
    }

    #[test]
    fn the_longest_prefix_wins_part_by_part() {
        let maps = ["/build=b", "/build/x=.", "/build/x/y/=/z/"];
        assert_eq!(lead(&maps, "/build/x/a.c"), ["./a.c"]);
        assert_eq!(lead(&maps, "/build/x/y/a.c"), ["/z/a.c"]);
        assert_eq!(lead(&maps, "/build/xx/a.c"), ["b/xx/a.c"]);
        assert_eq!(lead(&maps, "/builds/a.c"), Vec::<String>::new());
        assert_eq!(lead(&["/b/a.c=/n/b.c"], "/b/a.c"), ["/n/b.c"]);
        assert_eq!(
            lead(&["/b=one", "/b=two"], "/b/a.c"),
            ["one/a.c", "two/a.c"]
        );
    }

    #[test]
    fn dots_do_not_hide_a_prefix_nor_lead_out_of_the_new_folder() {
        assert_eq!(lead(&["/build/x=n"], "/build/y/../x/src/../a.c"), ["n/a.c"]);
        assert_eq!(
            lead(&["/build/x=n"], "/build/x/../../etc/passwd"),
            ["n/etc/passwd"]
        );
        assert_eq!(
            lead(&[".=glibc-2.36"], "./elf/../sysdeps/a.c"),
            ["glibc-2.36/sysdeps/a.c"]
        );
        assert_eq!(
            lead(&["/=/mnt"], "/usr/include/a.h"),
            ["/mnt/usr/include/a.h"]
        );
        assert_eq!(lead(&["/chroot=/"], "/chroot/usr/a.h"), ["/usr/a.h"]);
        assert_eq!(lead(&["/build="], "/build/a.h"), ["./a.h"]);
    }
}
