//! Functions with keys that are stable between runs and builds, for tables of many runs.
//!
//! A key is a hash of what `diff` compares: a name without the parts that change from build to
//! build, and the last parts of the paths of its file and object. Functions of one profile with the
//! same key become one, as in a comparison, so a key identifies one function of a run.
//! `export::tables` writes keys.

use super::{
    Inclusive,
    difference::names::{normalised, normalised_path},
    merged::Merged,
};
use crate::profile::{Function, FunctionId, NameId, Profile, base_name, reshape::members};
use sha2::{Digest, Sha256};
use std::{collections::HashMap, fmt};

/// The key of a function or a file: 16 hexadecimal digits.
///
/// The key of a file is the beginning of the SHA-256 of the last part of its path. The key of a
/// function is the beginning of the SHA-256 of three such complete digests in hexadecimal: of its
/// object, its file and its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FunctionKey(u64);

impl fmt::Display for FunctionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A complete SHA-256.
type Hash = [u8; 32];

impl FunctionKey {
    /// The key of a function.
    pub fn new(object: &[u8], file: &[u8], name: &[u8]) -> FunctionKey {
        FunctionKey::function([
            &path(object),
            &path(file),
            &Sha256::digest(normalised(name)).into(),
        ])
    }

    fn function(parts: [&Hash; 3]) -> FunctionKey {
        let mut hasher = Sha256::new();
        for part in parts {
            let mut digits = [0; 64];
            for (two, byte) in digits.chunks_exact_mut(2).zip(part) {
                two.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            hasher.update(digits);
        }
        FunctionKey::beginning(&hasher.finalize().into())
    }

    fn beginning(hash: &Hash) -> FunctionKey {
        FunctionKey(
            hash.iter()
                .take(8)
                .fold(0, |key, &byte| key << 8 | u64::from(byte)),
        )
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The hash of a path's last part, which does not depend on the folder of the build.
fn path(path: &[u8]) -> Hash {
    Sha256::digest(normalised_path(base_name(path))).into()
}

/// A profile in which each function has a unique key.
pub struct Keyed {
    /// The profile. A function has the names of the first one with its key.
    pub profile: Profile,
    /// The inclusive costs of all functions with the same key, their calls, and the cycles.
    pub inclusive: Inclusive,
    keys: Vec<FunctionKey>,
    members: Vec<u32>,
    files: Vec<Option<FunctionKey>>,
}

impl Keyed {
    /// Computes keys, and adds up functions with the same key. The profile must have been read with
    /// call sites.
    pub fn new(profile: Profile) -> Keyed {
        // Very many functions can have the same name, which may be as long as a file, so each name
        // is hashed once.
        let mut paths: Vec<Option<Hash>> = vec![None; profile.names.len()];
        let mut names = paths.clone();
        for f in &profile.functions {
            for id in [f.object, f.file] {
                paths[id.0 as usize].get_or_insert_with(|| path(profile.name(id)));
            }
            let name = || Sha256::digest(normalised(&profile.names.lent(f.name).text())).into();
            names[f.name.index()].get_or_insert_with(name);
        }
        for line in &profile.lines {
            paths[line.file.0 as usize].get_or_insert_with(|| path(profile.name(line.file)));
        }
        let key = |f: &Function| -> FunctionKey {
            const NONE: Hash = [0; 32];
            let hash = |of: &[Option<Hash>], id: NameId| of[id.0 as usize].unwrap_or(NONE);
            FunctionKey::function([
                &hash(&paths, f.object),
                &hash(&paths, f.file),
                &hash(&names, f.name),
            ])
        };
        let keys: Vec<FunctionKey> = profile.functions.iter().map(key).collect();
        let files = paths
            .iter()
            .map(|hash| hash.as_ref().map(FunctionKey::beginning))
            .collect();
        let mut first: HashMap<FunctionKey, usize> = HashMap::with_capacity(keys.len());
        for (at, &key) in keys.iter().enumerate() {
            first.entry(key).or_insert(at);
        }
        let firsts = keys.iter().map(|key| FunctionId(first[key] as u32));
        let Merged {
            profile: mut one,
            ids,
            inclusive,
        } = Merged::new(&profile, firsts);
        let mut new_keys = vec![FunctionKey(0); one.functions.len()];
        for (key, id) in keys.into_iter().zip(&ids) {
            new_keys[id.index()] = key;
        }
        one.warnings = profile.warnings;
        Keyed {
            inclusive,
            keys: new_keys,
            members: members(&ids, one.functions.len()),
            profile: one,
            files,
        }
    }

    /// The key of a function.
    pub fn key(&self, id: FunctionId) -> FunctionKey {
        self.keys[id.index()]
    }

    /// How many functions of the original profile have that key.
    pub fn members(&self, id: FunctionId) -> u32 {
        self.members[id.index()]
    }

    /// The key of a file of lines or functions.
    pub fn file(&self, id: NameId) -> Option<FunctionKey> {
        self.files[id.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(object: &str, file: &str, name: &str) -> String {
        FunctionKey::new(object.as_bytes(), file.as_bytes(), name.as_bytes()).to_string()
    }

    #[test]
    fn a_key_is_what_any_sha256_says() {
        // printf %s app | sha256sum; likewise for main.c and main, and for the three outputs in a
        // row.
        assert_eq!(key("/bin/app", "/src/main.c", "main"), "de576f0ddb77ea65");
        assert_eq!(key("", "???", "???"), "be5abfaf952daf1b");
    }

    #[test]
    fn builds_leave_no_trace_in_keys() {
        let one = key(
            "/one/deps/app-0123456789abcdef",
            "/one/src/a.rs",
            "app[4d5ad8fb41e5a7a2]::run::{closure#1}",
        );
        assert_eq!(
            one,
            key(
                "/two/deps/app-fedcba9876543210",
                "/two/src/a.rs",
                "app::run::{closure#7}"
            )
        );
        assert_ne!(
            one,
            key("/two/deps/app", "/two/src/b.rs", "app::run::{closure#7}")
        );
        assert_ne!(
            one,
            key("/two/deps/lib", "/two/src/a.rs", "app::run::{closure#7}")
        );
        assert_ne!(one, key("/two/deps/app", "/two/src/a.rs", "app::run"));
    }
}
