//! Scripts and styles without the lines that are only comments, and without indentation.

/// A script or a style as pages hold it.
///
/// Comments stand on lines of their own in our files, and no template or text runs over a line end: `check.sh` keeps the
/// form. What is not such a line is sent as it was written.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_comment = false;
    for line in text.lines().map(str::trim) {
        let begins = line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/"));
        if in_comment || begins {
            in_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_code_stays() {
        let text = "/** What\n * it is */\nfunction f() {\n  // why\n  return 1; // one\n\n}\n/** @type {T} */ (b).c();\n/* a */\n";
        assert_eq!(without_comments(text), "function f() {\nreturn 1; // one\n}\n/** @type {T} */ (b).c();\n");
    }
}
