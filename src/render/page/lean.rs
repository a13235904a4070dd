//! Scripts and styles as they are sent: without comments and blanks, and otherwise as they were written.
//!
//! It knows as much of the languages as our own files need: strings, templates, patterns, comments. Statements end with
//! semicolons there (a formatter sees to it), so that line feeds mean nothing.

use serde_json::Value;

/// Long names that are our scripts' own, which neither browsers nor the data know. They are sent as two letters; a page
/// would be an eighth longer with them.
#[rustfmt::skip]
const OURS: [&str; 194] = [
    "profile", "event", "columns", "numbers", "state", "object", "grouped", "inclusive", "costs", "tree", "parent",
    "rows", "number", "file", "column", "palette", "whole_name", "plain_table", "middle", "callee", "siblings",
    "picture", "first_arc", "node", "cost", "whole", "start", "share", "objects", "nodes", "child", "entry",
    "scale", "query", "lines", "place_object", "place", "cycle", "counts", "count", "every_event", "depth",
    "starts", "source", "said", "draw", "colour", "object_of", "explained", "bytes", "base_name", "side",
    "place_file", "first_line", "event_choice", "colours", "canvas", "place_of", "object_colours", "into", "grid",
    "cycle_of", "recursive", "CHARACTER", "link", "texts", "picked", "name_table", "kind", "branch", "tab_list",
    "source_index", "name_of", "merged_layer", "hatched", "files", "content", "calls", "LAYER", "tabs", "directory",
    "caller", "long_zigzag", "last", "character_width", "members", "varint", "thick", "site_index", "room",
    "merged_end", "event_name", "difference", "depths", "arcs", "all_events", "listeners", "drawn", "by_callee",
    "boxes", "CODE_FONT",
    "stacks_title", "draw_objects", "draw_treemap", "draw_icicle", "stack_tree", "self_tree", "FunctionView", "search_box", "show_app", "focus_search",
    "source_lines", "name_element", "draw_tabs", "list_tabs", "Picture", "Palette", "Numbers", "Columns", "matcher", "squarify",
    "element", "near", "cursor", "context", "line", "list", "other", "character", "short_name", "frame",
    "most", "arc", "own", "COLLAPSED", "deepest", "sums", "set_columns", "pictures", "crossing", "inner",
    "plus", "here", "shown", "known", "box", "root", "look", "readout", "asked", "names", "base", "row",
    "sorted", "called", "search", "order", "nth", "half", "offset", "l_line", "l_file", "frames", "range",
    "named", "brush", "SHOWN", "written", "several", "percent", "callers", "VERSION", "follow", "minus",
    "zigzag", "wanted", "outer", "plural", "choose", "collapse", "set_rows", "next", "compare", "later", "redraw",
    "about", "sites", "icicle", "treemap", "hottest", "byte", "spacer", "in_cycle", "is_meant",
];

/// What stands for a name of ours; no name in our scripts begins like it.
fn short(word: &str) -> Option<[u8; 2]> {
    const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let at = OURS.iter().position(|&ours| ours == word)?;
    Some([*b"_$ZQ".get(at / LETTERS.len())?, LETTERS[at % LETTERS.len()]])
}

/// The first key of some JSON that scripts would look for in vain, because it is one of our names.
pub(super) fn shortened_key(json: &str) -> Option<String> {
    let mut open = vec![serde_json::from_str::<Value>(json).ok()?];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => {
                for (key, value) in fields {
                    if short(&key).is_some() {
                        return Some(key);
                    }
                    open.push(value);
                }
            }
            _ => {}
        }
    }
    None
}

/// A script without what only people need.
pub(super) fn script(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut gap = false;
    // For each `${` of a template that is open, how many braces were opened in it.
    let mut templates: Vec<usize> = Vec::new();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\n' => {
                gap = true;
                rest = &rest[1..];
                continue;
            }
            '/' if rest.starts_with("//") => {
                gap = true;
                rest = rest.find('\n').map_or("", |at| &rest[at..]);
                continue;
            }
            '/' if rest.starts_with("/*") => {
                gap = true;
                rest = rest.find("*/").map_or("", |at| &rest[at + 2..]);
                continue;
            }
            '"' | '\'' => quoted(rest, |rest| rest.starts_with(first).then_some(1)),
            '`' => template(rest, &mut templates),
            '}' if templates.last() == Some(&0) => {
                templates.pop();
                template(rest, &mut templates)
            }
            '/' if out.ends_with(|last| "(,=:[!&|?{};".contains(last)) => pattern(rest),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => {
                if let Some(open) = templates.last_mut() {
                    match first {
                        '{' => *open += 1,
                        '}' => *open -= 1,
                        _ => {}
                    }
                }
                first.len_utf8()
            }
        };
        let (piece, after) = rest.split_at(length);
        let last = out.chars().next_back();
        let parts = |last: char| is_word(last) && is_word(first) || last == first && "+-".contains(first);
        if gap && last.is_some_and(parts) {
            out.push(' ');
        }
        // A comma or semicolon before what closes says nothing.
        if (first == '}' && last == Some(';')) || (matches!(first, '}' | ']' | ')') && last == Some(',')) {
            out.pop();
        }
        gap = false;
        match short(piece) {
            // What is never written again may as well be.
            None if piece == "const" => out.push_str("let"),
            Some(short) => out.extend(short.map(char::from)),
            None => out.push_str(piece),
        }
        rest = after;
    }
    out
}

/// A style without what only people need.
pub(super) fn style(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, piece) in text.split("/*").enumerate() {
        let piece = if at == 0 { piece } else { piece.split_once("*/").map_or("", |(_, rest)| rest) };
        for word in piece.split_ascii_whitespace() {
            let joins = out.is_empty() || out.ends_with(['{', '}', ';', ':', ',']) || word.starts_with(['{', '}']);
            if word.starts_with('}') && out.ends_with(';') {
                out.pop();
            }
            if !joins {
                out.push(' ');
            }
            out.push_str(word);
        }
    }
    out
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// The length of a piece that begins with one character and ends where `end` says, with so many bytes more.
fn quoted(text: &str, end: impl Fn(&str) -> Option<usize>) -> usize {
    let mut at = 1;
    while at < text.len() {
        if let Some(more) = text.get(at..).and_then(&end) {
            return at + more;
        }
        at += if text[at..].starts_with('\\') { 2 } else { text[at..].chars().next().map_or(1, char::len_utf8) };
    }
    text.len()
}

/// The length of a template up to its end or its next `${`.
fn template(text: &str, open: &mut Vec<usize>) -> usize {
    let length = quoted(text, |rest| match rest {
        _ if rest.starts_with("${") => Some(2),
        _ => rest.starts_with('`').then_some(1),
    });
    if text[..length].ends_with("${") {
        open.push(0);
    }
    length
}

/// The length of a regular expression.
fn pattern(text: &str) -> usize {
    let inside = std::cell::Cell::new(false);
    quoted(text, |rest| {
        match rest.as_bytes().first() {
            Some(b'[') => inside.set(true),
            Some(b']') => inside.set(false),
            Some(b'/') if !inside.get() => return Some(1),
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_mean_the_same_without_blanks() {
        for (text, want) in [
            ("// why\nlet a = 1; // one\n/** @type {T} */ (b).c();\n", "let a=1;(b).c();"),
            ("if (x) { return y; }\n", "if(x){return y}"),
            ("f(\n  a,\n  b,\n);\n", "f(a,b);"),
            ("a + +b - -c; typeof x in y", "a+ +b- -c;typeof x in y"),
            ("s = ' // no ' + \" /* \\\" */ \";", "s=' // no '+\" /* \\\" */ \";"),
            ("t = `a  ${b ? `c  ${ { d: 1 }.d } e` : \"\"}  f`;", "t=`a  ${b?`c  ${{d:1}.d} e`:\"\"}  f`;"),
            ("r = /[/\" ]+ \\/ x/g.test(a / b / c);", "r=/[/\" ]+ \\/ x/g.test(a/b/c);"),
            ("x = 'größe →';", "x='größe →';"),
            ("const a = 'const';", "let a='const';"),
            ("event.profile = `event ${event}`; \"event\";", "_b._a=`event ${_b}`;\"event\";"),
        ] {
            assert_eq!(script(text), want);
        }
    }

    #[test]
    fn short_names_are_different_and_nobody_elses() {
        let all: std::collections::BTreeSet<_> = OURS.iter().filter_map(|word| short(word)).collect();
        assert_eq!(all.len(), OURS.len());
        assert!(all.iter().all(|name| matches!(name[0], b'_' | b'$' | b'Z' | b'Q')));
    }

    #[test]
    fn a_key_of_data_that_would_be_shortened_is_found() {
        assert_eq!(shortened_key(r#"{"title":"rows","events":[{"name":"callee","total":1}]}"#), None);
        assert_eq!(shortened_key(r#"{"title":"","events":[{"name":""},{"rows":[]}]}"#).as_deref(), Some("rows"));
    }

    #[test]
    fn styles_mean_the_same_without_blanks() {
        let text = "/* a */\n.a > .b :hover,\np {\n  width: calc(1% - 2px);\n  top: 0;\n}\n";
        assert_eq!(style(text), ".a > .b :hover,p{width:calc(1% - 2px);top:0}");
    }
}
