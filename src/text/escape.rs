//! Escapes characters that must not be shown as they are. A name comes from a program's symbols and
//! can contain anything: control sequences for terminals, marks that reverse the direction of text,
//! invisible characters. People get such characters spelled out, `\x1b` or `\u{202e}`. Formats
//! without control characters get a substitute. A pipe gets the bytes.
//!
//! Everything that writes to a screen or to other formats uses this; no other code decides what is
//! safe.

use std::borrow::Cow;

/// The escape for a character that must not be shown as it is.
pub(crate) fn escaped(character: char) -> Option<String> {
    let code = u32::from(character);
    match character {
        ' '..='~' => None,
        _ if character.is_control() => Some(format!("\\x{code:02x}")),
        // Separators of lines and paragraphs, marks around notes between lines, and what Unicode
        // makes invisible by default: joiners and other marks without width, changes of direction,
        // variation selectors, fillers, tags. With the latter, two names can look the same, or one
        // like something else.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => Some(format!("\\u{{{code:x}}}")),
        _ => None,
    }
}

/// Escapes a text for people, on one line.
pub(crate) fn text(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match escaped(character) {
            Some(escaped) => out.push_str(&escaped),
            None => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Escapes a name for people.
pub(crate) fn shown(name: &[u8]) -> String {
    text(&String::from_utf8_lossy(name)).into_owned()
}

/// A name for a command line. If it has invisible characters or is not text, it is a pattern that
/// matches only this name.
pub(crate) fn typed(name: &[u8]) -> String {
    match str::from_utf8(name) {
        Ok(name) if name.chars().all(|character| escaped(character).is_none()) => name.to_owned(),
        _ => format!("^{}$", literal(name)),
    }
}

/// A name as a part of a pattern.
pub(crate) fn literal(name: &[u8]) -> String {
    let mut out = String::new();
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match escaped(character) {
                Some(escaped) => out.push_str(&escaped),
                None => out.push_str(&regex::escape(character.encode_utf8(&mut [0; 4]))),
            }
        }
        chunk
            .invalid()
            .iter()
            .for_each(|byte| out.push_str(&format!("(?-u:\\x{byte:02x})")));
    }
    out
}

/// Replaces a control character, for formats that do not allow them.
pub(crate) fn without_controls(character: char, instead: char) -> char {
    if character.is_control() {
        instead
    } else {
        character
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelt_out() {
        for (name, want) in [
            ("main", "main"),
            (
                "f\x1b]52;c;\x07\u{9b}2J\x7f",
                "f\\x1b]52;c;\\x07\\x9b2J\\x7f",
            ),
            ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
            (
                "a\u{202e}b\u{2066}c\u{200f}d\u{61c}",
                "a\\u{202e}b\\u{2066}c\\u{200f}d\\u{61c}",
            ),
            (
                "a\u{200b}b\u{200d}c\u{2060}d\u{feff}",
                "a\\u{200b}b\\u{200d}c\\u{2060}d\\u{feff}",
            ),
            (
                "a\u{e0041}\u{e007f}\u{fe0f}",
                "a\\u{e0041}\\u{e007f}\\u{fe0f}",
            ),
            ("größe::日本語 e\u{301}", "größe::日本語 e\u{301}"),
        ] {
            assert_eq!(shown(name.as_bytes()), want, "{name:?}");
            assert_eq!(shown(want.as_bytes()), want, "what is spelt out stays");
        }
        assert_eq!(shown(b"a\xff"), "a\u{fffd}");
    }

    #[test]
    fn what_a_screen_would_obey_is_escaped() {
        assert_eq!(
            shown(b"a\x1b[31m\x07\xc2\x9b\xff\t\xe2\x80\xae"),
            "a\\x1b[31m\\x07\\x9b\u{fffd}\\x09\\u{202e}"
        );
    }
}
