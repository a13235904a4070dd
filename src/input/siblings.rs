//! Finds the files that one run writes next to each other: one per thread or dump.

use crate::{fs::names_in, profile::Order};
use std::path::{Path, PathBuf};

/// The files of threads (`callgrind.out.1-01`) and earlier dumps (`callgrind.out.1.1`) next to a
/// base file.
pub(crate) fn companions(path: &Path) -> Vec<PathBuf> {
    let Some(base) = path.file_name() else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = beside(path, base.as_encoded_bytes())
        .map(|(other, _)| other)
        .collect();
    found.order();
    found
}

/// The files next to `path` that are called `base`, then a dash or a dot, then digits, dashes, dots
/// and underscores. Each comes with the text after `base`.
pub(super) fn beside(path: &Path, base: &[u8]) -> impl Iterator<Item = (PathBuf, Vec<u8>)> {
    names_in(path.parent().unwrap_or(Path::new(""))).filter_map(move |name| {
        let rest = name.as_encoded_bytes().strip_prefix(base)?;
        let is_number = |rest: &[u8]| {
            !rest.is_empty()
                && rest
                    .iter()
                    .all(|b| b.is_ascii_digit() || b"-._".contains(b))
        };
        matches!(rest, [b'-' | b'.', rest @ ..] if is_number(rest))
            .then(|| (path.with_file_name(&name), rest.to_vec()))
    })
}
