//! The keys in words, for `?` and for the documents.

use super::keys::{KEYS, Key};
use super::place::Kind;
use crate::text::names;
use crate::text::wrap::wrapped;

/// Between keys and what they do.
const GAP: usize = 2;

/// So much of what a key does stands in a line, however narrow the screen is.
const LEAST: usize = 10;

/// What `?` shows of a screen so wide: the keys, each as wide as the widest, and what they do.
pub fn lines(kind: Kind, width: usize) -> Vec<(String, String)> {
    let keys = || KEYS.iter().filter(|key| key.is_on(kind));
    let widest = keys()
        .map(|key| names::width(&key.names.join(" ")))
        .max()
        .unwrap_or(0)
        + GAP;
    let mut lines = Vec::new();
    for key in keys() {
        let does = wrapped(key.does, width.saturating_sub(widest).max(LEAST));
        for (at, text) in does.lines().enumerate() {
            let keys = if at == 0 {
                key.names.join(" ")
            } else {
                String::new()
            };
            lines.push((
                format!("{keys}{:1$}", "", widest - names::width(&keys)),
                text.to_owned(),
            ));
        }
    }
    lines
}

/// The table of all keys in Markdown.
pub fn markdown() -> String {
    let mut out = String::from("| keys | what they do | where |\n|---|---|---|\n");
    for key in KEYS {
        let names: Vec<String> = key.names.iter().map(|name| format!("`{name}`")).collect();
        out.push_str(&format!(
            "| {} | {} | {} |\n",
            names.join(" "),
            key.does,
            place(key)
        ));
    }
    out
}

/// Where a key does something.
fn place(key: &Key) -> String {
    match key.on {
        [] => "everywhere".into(),
        kinds if kinds.len() + 1 == Kind::ALL.len() => {
            let other = Kind::ALL.into_iter().find(|kind| !kinds.contains(kind));
            format!("everywhere but on {}", other.map_or("", Kind::name))
        }
        kinds => kinds
            .iter()
            .map(|kind| kind.name())
            .collect::<Vec<_>>()
            .join(", "),
    }
}
