//! Shortens scripts and styles for pages: removes comment lines, indentation, and the imports and
//! exports of modules.

/// Removes comments, indentation, imports and the word `export` from files that are joined in one
/// scope.
///
/// In our files, comments and imports have their own lines, and no template or text contains a line
/// feed; `check.sh` checks it. Any other line stays as it is, without the types in it.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = None;
    for line in text.lines().map(str::trim) {
        end = end.or(
            if line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/")) {
                Some("*/")
            } else {
                line.starts_with("import ").then_some(";")
            },
        );
        if let Some(last) = end {
            end = (!line.ends_with(last)).then_some(last);
        } else if !line.is_empty() && !line.starts_with("//") {
            let mut pieces = line.strip_prefix("export ").unwrap_or(line).split("/** @");
            out.push_str(pieces.next().unwrap_or_default());
            out.extend(pieces.filter_map(|piece| Some(piece.split_once("*/ ")?.1)));
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
        let text = "/** What\n * it is */\nfunction f() {\n  // why\n  return 1; // one\n\n}\n/** @type {T} */ (b).c(/** @type {U} */ (d), 1);\n/* a */\n";
        assert_eq!(
            without_comments(text),
            "function f() {\nreturn 1; // one\n}\n(b).c((d), 1);\n"
        );
    }

    #[test]
    fn modules_become_one_scope() {
        let text = "import { a } from \"./a.js\";\nimport {\n  b,\n  c,\n} from \"./b.js\";\n\n/** @import { T } from \"./c.js\" */\n\
                    /** A\n * @typedef {T} U\n */\nexport const d = a;\nexport async function e() {\n  exports(b, \"export c\");\n}\n";
        assert_eq!(
            without_comments(text),
            "const d = a;\nasync function e() {\nexports(b, \"export c\");\n}\n"
        );
    }
}
