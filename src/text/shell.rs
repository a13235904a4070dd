//! Quotes commands for shells, in lines that can be typed as they are.

use super::names::width;
use std::{ffi::OsStr, path::Path};

/// A word of a command.
#[derive(Clone, Debug)]
pub enum Word {
    /// The program gets it unchanged.
    Literal(String),
    /// The shell expands it, as a pattern of file names.
    Shell(String),
}

impl Word {
    /// An argument of a program. If it is not UTF-8, its bytes are escaped as bash and zsh read
    /// them.
    pub fn argument(word: &OsStr) -> Word {
        match word.to_str() {
            Some(text) => Word::Literal(text.to_owned()),
            None => Word::Shell(format!("$'{}'", word.as_encoded_bytes().escape_ascii())),
        }
    }

    /// A path that must not look like an option.
    pub fn path(path: &Path) -> Word {
        match path.as_os_str().as_encoded_bytes() {
            [b'-', _, ..] => Word::argument(Path::new(".").join(path).as_os_str()),
            _ => Word::argument(path.as_os_str()),
        }
    }

    /// The word as it is typed.
    pub(crate) fn text(&self) -> String {
        match self {
            Word::Literal(text) => quoted(text),
            Word::Shell(text) => text.clone(),
        }
    }
}

/// Whether every shell reads a text as it is.
pub(crate) fn is_plain(text: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=+,%@".contains(c);
    !text.is_empty() && text.chars().all(plain)
}

/// Quotes an argument for a shell.
pub(crate) fn quoted(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Breaks a command into lines that a shell reads as one command, at most `room` wide. A word that
/// is too wide by itself is broken, too.
pub(crate) fn lines(words: &[Word], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let behind = if at + 1 < words.len() { 2 } else { 0 };
        let text = word.text();
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&text) + behind <= room => {
                line.push(' ');
                line.push_str(&text);
                continue;
            }
            Some(line) => line.push_str(" \\"),
            None => {}
        }
        // Blanks before the rest of a word would begin another word.
        let mut indent = if lines.is_empty() { "" } else { "  " };
        let mut rest = match word {
            Word::Literal(literal) => &literal[..],
            Word::Shell(_) => "",
        };
        while !rest.is_empty() && !fits(rest, room.checked_sub(width(indent) + behind)) {
            let Some(end) = end_of_piece(rest, room.saturating_sub(1 + width(indent))) else {
                break;
            };
            lines.push(format!("{indent}{}\\", quoted(&rest[..end])));
            (rest, indent) = (&rest[end..], "");
        }
        let rest = if rest.is_empty() { text } else { quoted(rest) };
        lines.push(format!("{indent}{rest}"));
    }
    lines
}

/// The beginning of a word that contains its first piece of the width `room`. It limits the work
/// for each piece of a long word. A sequence of characters can be narrower than the sum of them,
/// but hardly by this much.
fn begin(word: &str, room: usize) -> &str {
    word.char_indices()
        .nth(room.saturating_mul(4).saturating_add(64))
        .map_or(word, |(end, _)| &word[..end])
}

/// Whether a word fits in `room` with its quotes.
fn fits(word: &str, room: Option<usize>) -> bool {
    room.is_some_and(|room| begin(word, room).len() == word.len() && width(&quoted(word)) <= room)
}

/// The end of the longest piece of a word that fits in `room` with its quotes: before a folder if
/// possible, else anywhere.
fn end_of_piece(word: &str, room: usize) -> Option<usize> {
    let ends: Vec<usize> = begin(word, room)
        .char_indices()
        .map(|(at, c)| at + c.len_utf8())
        .collect();
    let fitting = ends.partition_point(|&end| width(&quoted(&word[..end])) <= room);
    let end = ends[..fitting].last().copied()?;
    let folder = word[..end]
        .rfind('/')
        .filter(|&at| at > 0 && !word[end..].starts_with('/'));
    Some(folder.unwrap_or(end)).filter(|&end| end < word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, room: usize) -> Vec<String> {
        lines(
            &text
                .split(' ')
                .map(|word| Word::Literal(word.to_owned()))
                .collect::<Vec<_>>(),
            room,
        )
    }

    #[test]
    fn long_words_are_broken() {
        assert_eq!(shown("cg --by=file out", 16), ["cg --by=file out"]);
        assert_eq!(shown("cg --by=file out", 15), ["cg --by=file \\", "  out"]);
        assert_eq!(shown("cg -x /a/bc/de/f", 12), ["cg -x \\", "  /a/bc/de/f"]);
        assert_eq!(
            shown("cg -x /a/bc/de/f", 11),
            ["cg -x \\", "  /a/bc/de\\", "/f"]
        );
        assert_eq!(
            shown("cg 日本語日本語", 7),
            ["cg \\", "  日本\\", "語日本\\", "語"]
        );
        assert_eq!(
            shown("cg aaaaaaaaaa", 5),
            ["cg \\", "  aa\\", "aaaa\\", "aaaa"]
        );
        assert_eq!(shown("cg a(b)c(d)", 8), ["cg \\", "  'a(b'\\", "')c(d)'"]);
        // As many pieces as needed; each looks only at its own part of the word.
        let long = "<a::b> ".repeat(40_000).replace(' ', "");
        let pieces = lines(&[Word::Literal(long.clone())], 80);
        assert!(pieces.len() > 3000 && pieces.iter().all(|piece| width(piece) <= 80));
        let joined: String = pieces
            .iter()
            .map(|piece| piece.trim_end_matches('\\').replace('\'', ""))
            .collect();
        assert_eq!(joined, long);
        assert_eq!(
            shown(&format!("cg a{}", "\u{301}".repeat(100_000)), 10).len(),
            1
        );
    }

    #[test]
    fn words_for_the_shell_stay_whole() {
        let words = [
            Word::Literal("cg".into()),
            Word::Shell("callgrind.out.7*".into()),
        ];
        assert_eq!(lines(&words, 8), ["cg \\", "  callgrind.out.7*"]);
        assert_eq!(Word::path(Path::new("a b")).text(), "'a b'");
    }
}
