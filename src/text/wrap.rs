//! Wraps sentences to the width of a screen.

use super::escape;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Wraps a line between words, so that no line is wider than the screen. A word is broken only if
/// it is too wide by itself. Lines after the first have two more columns of indent.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let words = text.trim_start_matches(' ');
    let lead = text.len() - words.len();
    let indent = " ".repeat(lead.min(width / 2) + 2);
    let (mut out, mut column) = (" ".repeat(lead), lead);
    for (at, word) in words.split(' ').enumerate() {
        let wide = word.width();
        if at > 0 && column > indent.len() && column + 1 + wide > width {
            out.push('\n');
            out.push_str(&indent);
            column = indent.len();
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        let pieces = cut(word, width.saturating_sub(column.min(indent.len())));
        column = if pieces.len() > 1 {
            indent.len()
        } else {
            column
        };
        column += pieces.last().map_or(0, |piece| piece.width());
        out.push_str(&pieces.join(&format!("\n{indent}")));
    }
    out
}

/// Escapes and wraps a line for a screen of this width; without one, it stays as it is.
pub(crate) fn fitted_to(line: &str, width: Option<usize>) -> String {
    width.map_or(line.to_owned(), |width| wrapped(&escape::text(line), width))
}

/// Cuts a text into pieces of at most this width, with at least one character each.
pub(crate) fn cut(text: &str, width: usize) -> Vec<&str> {
    let (mut pieces, mut begin, mut column) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        let wide = character.width().unwrap_or(0);
        if column + wide > width && at > begin {
            pieces.push(&text[begin..at]);
            (begin, column) = (at, 0);
        }
        column += wide;
    }
    pieces.push(&text[begin..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(wrapped("cgannotate: one two", 80), "cgannotate: one two");
        assert_eq!(wrapped("cgannotate: one two", 15), "cgannotate: one\n  two");
        assert_eq!(
            wrapped("cgannotate: /a/long/path x", 14),
            "cgannotate:\n  /a/long/path\n  x"
        );
        assert_eq!(
            wrapped("cgannotate: /a/long/path x", 12),
            "cgannotate:\n  /a/long/pa\n  th x"
        );
        assert_eq!(
            wrapped("  one two", 7),
            "  one\n    two",
            "a paragraph stays where it is"
        );
        assert_eq!(wrapped("", 0), "");
        assert_eq!(cut("  日本 ^", 4), ["  日", "本 ^"]);
        assert_eq!(cut("ab", 0), ["a", "b"]);
    }
}
