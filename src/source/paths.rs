//! Splits file names into parts. Nothing here reads the disk.
//!
//! No `..` in a name leads above the place where the name begins. So a file that is looked for
//! below a folder stays below it.

pub(super) use crate::profile::names::to_path as path;
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// The parts of a name without `.`, empty ones and `..`; a `..` that would lead above the beginning
/// is dropped.
pub(super) fn parts(name: &[u8]) -> Vec<&[u8]> {
    let mut parts = Vec::new();
    for part in name.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The possible readings of a name, the longest first. `./nptl/./nptl/x.c` is the name `./nptl/x.c`
/// after the folder `./nptl` of its compilation. Both are relative to the root of the source tree;
/// `./elf/./x.h` is plain.
pub(super) fn spellings(name: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut all = vec![parts(name)];
    if let Some(at) = memchr::memmem::rfind(name, b"/./") {
        let rest = parts(name.get(at + 3..).unwrap_or_default());
        if rest.len() > 1 && !all.contains(&rest) {
            all.push(rest);
        }
    }
    all.retain(|parts| !parts.is_empty());
    all
}

/// What follows the last `prefix` in a name.
pub(super) fn after<'a>(name: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    memchr::memmem::rfind(name, prefix).and_then(|at| name.get(at + prefix.len()..))
}

/// The number of parts that two names have in common at their ends.
pub(super) fn common_tail(a: &[&[u8]], b: &[&[u8]]) -> usize {
    a.iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count()
}

/// The path of a file below a folder.
pub(super) fn below(folder: &Path, parts: &[&[u8]]) -> PathBuf {
    let mut path = folder.to_path_buf();
    parts.iter().for_each(|part| path.push(self::path(part)));
    path
}

/// A path as reports show it.
pub(super) fn bytes(path: impl AsRef<OsStr>) -> Vec<u8> {
    path.as_ref().as_encoded_bytes().to_vec()
}

/// The name of a folder, without the folders around it.
pub(super) fn last(folder: &Path) -> Vec<u8> {
    folder.file_name().map(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(parts: &[&[u8]]) -> String {
        String::from_utf8(parts.join(&b'/')).unwrap()
    }

    #[test]
    fn dots_are_resolved_and_never_lead_out() {
        for (name, want) in [
            (
                "./elf/../sysdeps/x86_64/dl-trampoline.h",
                "sysdeps/x86_64/dl-trampoline.h",
            ),
            (
                "./string/../sysdeps/x86_64/multiarch/../multiarch/strcmp.S",
                "sysdeps/x86_64/multiarch/strcmp.S",
            ),
            ("/a//b/./c/../x.c", "a/b/x.c"),
            ("../../etc/passwd", "etc/passwd"),
            ("library/../../../etc/passwd", "etc/passwd"),
            ("/..", ""),
        ] {
            assert_eq!(joined(&parts(name.as_bytes())), want, "{name}");
        }
    }

    #[test]
    fn a_name_behind_its_folder_has_two_spellings() {
        let all = |name: &str| {
            spellings(name.as_bytes())
                .iter()
                .map(|p| joined(p))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            all("./nptl/./nptl/pthread_self.c"),
            ["nptl/nptl/pthread_self.c", "nptl/pthread_self.c"]
        );
        assert_eq!(
            all("./elf/./get-dynamic-info.h"),
            ["elf/get-dynamic-info.h"]
        );
        assert_eq!(all("./elf/../sysdeps/x.c"), ["sysdeps/x.c"]);
        assert_eq!(all("/"), Vec::<String>::new());
    }

    #[test]
    fn tails_are_compared_part_by_part() {
        let tail = |a: &str, b: &str| common_tail(&parts(a.as_bytes()), &parts(b.as_bytes()));
        assert_eq!(tail("/a/b/c/x.c", "c/x.c"), 2);
        assert_eq!(tail("/a/b/bc/x.c", "c/x.c"), 1);
        assert_eq!(tail("/a/x.c", "/a/y.c"), 0);
    }
}
