//! Escapes text for Markdown.

use super::without_controls;

/// The entity for a character that begins or ends markup in HTML and XML, and so in Markdown.
pub(crate) fn entity(character: char) -> Option<&'static str> {
    match character {
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '&' => Some("&amp;"),
        _ => None,
    }
}

/// Escapes all markup in a text, on one line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            _ if entity(c).is_some() => out.extend(entity(c)),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '@' => {
                out.extend(['\\', c])
            }
            c => out.push(without_controls(c, ' ')),
        }
    }
    out
}

/// Escapes text for XML elements and attributes.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            _ if entity(c).is_some() => out.extend(entity(c)),
            '"' => out += "&quot;",
            '\n' => out += "&#10;",
            '\t' => out += "&#9;",
            // XML cannot represent these.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(without_controls(c, '\u{fffd}')),
        }
    }
    out
}

/// Escaped text of at most this many characters, with an ellipsis if it was longer.
pub(crate) fn shortened(escaped: String, most: usize) -> String {
    let Some((mut end, _)) = escaped.char_indices().nth(most) else {
        return escaped;
    };
    // Not within an escape, which begins with a backslash or an ampersand.
    while escaped[..end].ends_with('\\')
        || escaped[..end]
            .rfind('&')
            .is_some_and(|at| !escaped[at..end].contains(';'))
    {
        end -= 1;
    }
    format!("{}…", &escaped[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stay_whole_where_a_text_is_shortened() {
        let short = |text: &str, most| shortened(text.into(), most);
        assert_eq!(short("a&amp;b", 7), "a&amp;b");
        assert_eq!(short("a&amp;b", 6), "a&amp;…");
        for most in 2..6 {
            assert_eq!(short("a&amp;b", most), "a…", "{most}");
        }
        assert_eq!(short("a\\|b", 2), "a…");
        assert_eq!(short("a\\|b", 3), "a\\|…");
    }
}
