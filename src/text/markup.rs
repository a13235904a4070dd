//! Text as Markdown takes it.

use super::escape::without_controls;

/// Text in which nothing is markup, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '@' => out.extend(['\\', c]),
            c => out.push(without_controls(c, ' ')),
        }
    }
    out
}
