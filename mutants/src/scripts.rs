//! Mutants of the pages' scripts: numbers, comparisons, `&&` and `||`, and skipped calls.

use crate::mutant::{Edit, Mutant};
use crate::own::changed_numbers;
use crate::source::line_starts;
use std::collections::HashMap;
use std::ops::Range;

/// All mutants of scripts.
pub fn mutants(texts: &HashMap<String, String>) -> Vec<Mutant> {
    let mut all = Vec::new();
    let mut files: Vec<&String> = texts.keys().filter(|file| file.ends_with(".js")).collect();
    files.sort();
    for file in files {
        let text = &texts[file];
        let lines = line_starts(text);
        let mut add = |kind, range: Range<usize>, new: &str| {
            let line = lines.partition_point(|start| *start <= range.start);
            let shown = text.lines().nth(line - 1).unwrap_or_default().trim();
            let what = format!(
                "{new} for {} in {}",
                &text[range.clone()],
                shown.chars().take(80).collect::<String>()
            );
            let edits = vec![Edit {
                file: file.clone(),
                range,
                text: new.to_owned(),
            }];
            all.push(Mutant {
                file: file.clone(),
                line,
                kind,
                what,
                edits,
            });
        };
        for range in code(text) {
            let token = &text[range.clone()];
            let others: &[&str] = match token {
                "<" => &["<=", ">="],
                "<=" => &["<", ">"],
                ">" => &[">=", "<="],
                ">=" => &[">", "<"],
                "===" => &["!=="],
                "!==" => &["==="],
                "&&" => &["||"],
                "||" => &["&&"],
                "+" => &["-"],
                "-" => &["+"],
                "true" => &["false"],
                "false" => &["true"],
                _ => &[],
            };
            let kind = if others
                .iter()
                .any(|other| other.chars().all(char::is_alphabetic))
            {
                "number"
            } else {
                "comparison"
            };
            others
                .iter()
                .for_each(|other| add(kind, range.clone(), other));
            if token.starts_with(|c: char| c.is_ascii_digit()) {
                changed_numbers(token)
                    .iter()
                    .for_each(|new| add("number", range.clone(), new));
            }
        }
        // A call that is a statement stands in a line of its own: the form of the files is checked.
        for (number, &start) in lines.iter().enumerate() {
            let end = lines.get(number + 1).map_or(text.len(), |next| next - 1);
            let line = &text[start..end];
            let statement = line.trim_start();
            let name = statement.split('(').next().unwrap_or_default();
            let is_call = statement.ends_with(");")
                && !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
                && name != "return"
                && statement.matches('(').count() == statement.matches(')').count();
            if is_call {
                add("skipped call", end - statement.len()..end, ";");
            }
        }
    }
    all
}

/// The operators, numbers and words that are code: not in a comment, a text or a pattern. What is within a template is left.
fn code(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let skip = |end: &str, from: usize| {
            rest[from..]
                .find(end)
                .map_or(rest.len(), |n| from + n + end.len())
        };
        let byte = bytes[at];
        let length = match byte {
            b'/' if rest.starts_with("//") => skip("\n", 2),
            b'/' if rest.starts_with("/*") => skip("*/", 2),
            b'/' if begins_pattern(&text[..at]) => literal(rest, b'/'),
            b'"' | b'\'' | b'`' => literal(rest, byte),
            b'0'..=b'9' => rest
                .find(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_')
                .unwrap_or(rest.len()),
            _ if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => rest
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
                .unwrap_or(rest.len()),
            b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'+' | b'-' | b'?' => rest
                .find(|c: char| !"<>=!&|+-?".contains(c))
                .unwrap_or(rest.len()),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let range = at..at + length;
        // An operator of two sides has blanks around it.
        let is_operator = !byte.is_ascii_alphanumeric();
        let is_between = text[..at].ends_with(' ') && text[range.end..].starts_with(' ');
        if byte != b'/' && !b"\"'`".contains(&byte) && (!is_operator || is_between) {
            all.push(range.clone());
        }
        at = range.end;
    }
    all
}

/// How long a text, a template or a pattern is.
fn literal(rest: &str, quote: u8) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

fn begins_pattern(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty()
        || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', '}', ';'])
}
