//! The keys in words, for `?` and for the documents.

use super::keys::{KEYS, Key};
use super::place::Kind;

/// What `?` shows on a screen: the keys, and what they do.
pub fn lines(kind: Kind) -> Vec<(String, &'static str)> {
    KEYS.iter().filter(|key| key.is_on(kind)).map(|key| (key.names.join(" "), key.does)).collect()
}

/// The table of all keys in Markdown.
pub fn markdown() -> String {
    let mut out = String::from("| keys | what they do | where |\n|---|---|---|\n");
    for key in KEYS {
        let names: Vec<String> = key.names.iter().map(|name| format!("`{name}`")).collect();
        out.push_str(&format!("| {} | {} | {} |\n", names.join(" "), key.does, place(key)));
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
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
    }
}
