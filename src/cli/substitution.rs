//! Parses `s/old/new/flags`, a substitution in names.

use super::narrow::no_pattern;
use crate::analysis::difference::{Matches, Rewrite};
use regex::bytes::RegexBuilder;

/// Parses a substitution. Another character can replace `/`. `old` is a regular expression in
/// Rust's syntax. In `new`, `$1` or `\1` is the text of the first group, `$&` is the whole match,
/// and `$$` is a dollar. The flag `g` replaces every match instead of the first. The flag `i`
/// ignores case.
pub(crate) fn substitution(text: &str) -> Result<Rewrite, String> {
    const FORM: &str = "expected s/old/new/, with g or i or both after it";
    let mut chars = text.strip_prefix('s').ok_or(FORM)?.chars();
    let mark = chars
        .next()
        .filter(|c| !c.is_alphanumeric() && *c != '\\' && !c.is_whitespace())
        .ok_or(FORM)?;
    let (mut parts, mut escaped) = (vec![String::new()], false);
    for c in chars {
        if c == mark && !escaped {
            parts.push(String::new());
            continue;
        }
        if let Some(part) = parts.last_mut() {
            if c == mark {
                // `\/` is the separator itself.
                part.pop();
            }
            part.push(c);
        }
        escaped = c == '\\' && !escaped;
    }
    let [old, new, flags] = &parts[..] else {
        return Err(FORM.into());
    };
    if flags.chars().any(|c| !matches!(c, 'g' | 'i')) {
        return Err(FORM.into());
    }
    let mut builder = RegexBuilder::new(old);
    let pattern = builder
        .case_insensitive(flags.contains('i'))
        .build()
        .map_err(|e| no_pattern(old, &e))?;
    Ok(Rewrite {
        pattern,
        replacement: replacement(new).into_bytes(),
        matches: if flags.contains('g') {
            Matches::All
        } else {
            Matches::First
        },
    })
}

/// Translates a replacement from Perl's syntax to that of the `regex` crate, in which `$1x` names a
/// group.
fn replacement(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek().copied()) {
            ('$' | '\\', Some(digit)) if digit.is_ascii_digit() => {
                out.push_str("${");
                while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                    out.push(digit);
                }
                out.push('}');
            }
            ('$', Some('&')) => {
                chars.next();
                out.push_str("${0}");
            }
            ('$', Some('{')) => out.push('$'),
            ('$', Some('$')) => {
                chars.next();
                out.push_str("$$");
            }
            ('\\', Some(next)) => {
                chars.next();
                match next {
                    '$' => out.push_str("$$"),
                    next => out.push(next),
                }
            }
            ('$', _) => out.push_str("$$"),
            _ => out.push(c),
        }
    }
    out
}
