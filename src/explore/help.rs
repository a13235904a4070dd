//! The table of keys as text, for `?`.

use super::{keys::KEYS, place::Kind};
use crate::text::{names, wrapped};

/// Columns between the keys and their description.
const GAP: usize = 2;

/// A description gets at least this many columns per line, even on a narrow screen.
const LEAST: usize = 10;

/// The lines that `?` shows at this width: the keys, padded to equal width, and their description.
pub(super) fn lines(kind: Kind, width: usize) -> Vec<(String, String)> {
    let keys = || KEYS.iter().filter(|key| (key.is_on)(kind));
    let widest = keys().map(|key| names::width(key.names)).max().unwrap_or(0) + GAP;
    let mut lines = Vec::new();
    for key in keys() {
        let does = wrapped(key.does, width.saturating_sub(widest).max(LEAST));
        for (at, text) in does.lines().enumerate() {
            let keys = if at == 0 { key.names } else { "" };
            lines.push((
                format!("{keys}{:1$}", "", widest - names::width(keys)),
                text.to_owned(),
            ));
        }
    }
    lines
}
