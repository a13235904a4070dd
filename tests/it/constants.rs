//! `tests/constants.tsv` lists every number that decides something: constants of `src/`, numbers in
//! conditions there, and the numbers of `docs/limits.md`. Each has a test just below and one just
//! above it, or a reason why nobody meets it. The list has the present values, so that whoever
//! changes a number is led to its line, and to its tests.

use crate::common::files_of;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A line of the list.
struct Listed {
    file: String,
    name: String,
    value: String,
    meaning: String,
    below: String,
    above: String,
    internal: String,
    docs: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn list() -> Vec<Listed> {
    let text = fs::read_to_string(root().join("tests/constants.tsv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("file\tname\tvalue\twhat a user meets\tbelow\tabove\tinternal\tdocs")
    );
    let fields = |line: &str| -> [String; 8] {
        let fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        fields
            .try_into()
            .unwrap_or_else(|fields| panic!("not eight fields: {fields:?}"))
    };
    lines
        .map(|line| {
            let [file, name, value, meaning, below, above, internal, docs] = fields(line);
            Listed {
                file,
                name,
                value,
                meaning,
                below,
                above,
                internal,
                docs,
            }
        })
        .collect()
}

/// A source text without comments, tests and what is in strings and characters; blanks and line
/// ends are one blank.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let in_word = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let raw = (rest
            .strip_prefix('b')
            .unwrap_or(rest)
            .strip_prefix('r')
            .filter(|_| !in_word))
        .map(|raw| (raw, raw.len() - raw.trim_start_matches('#').len()))
        .filter(|(raw, hashes)| raw[*hashes..].starts_with('"'));
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if let Some((raw, hashes)) = raw {
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = &raw[hashes + 1..];
            rest = &inside[inside.find(&end).unwrap() + end.len()..];
            out.push_str("\"\"");
        } else if first == '"' {
            rest = after_quote(&rest[1..], '"');
            out.push_str("\"\"");
        } else if first == '\''
            && (rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\''))
        {
            let skipped = if rest[1..].starts_with('\\') {
                3
            } else {
                1 + rest[1..].chars().next().unwrap().len_utf8()
            };
            rest = after_quote(&rest[skipped..], '\'');
            out.push_str("''");
        } else {
            match first.is_whitespace() {
                true if out.ends_with(' ') => {}
                true => out.push(' '),
                false => out.push(first),
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    // Where a line is broken makes no difference.
    let ranges = out.replace(" ..", "\0");
    let joined = ranges.replace(" .", ".").replace('\0', " ..");
    let joined = joined.replace("( ", "(").replace(", )", ")");
    joined.replace(" )", ")").replace(", }", " }")
}

fn after_quote(text: &str, quote: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !escaped {
            return &text[at + 1..];
        }
        escaped = c == '\\' && !escaped;
    }
    panic!("no end of {quote}");
}

/// The numbers that are written in a piece of code, but for 0, 1 and 2, and what stands in square
/// brackets: places.
fn numbers(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0);
    while let Some(c) = code[at..].chars().next() {
        depth += i32::from(c == '[') - i32::from(c == ']');
        let end = code[at..]
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .map_or(code.len(), |end| at + end);
        if !(c.is_alphanumeric() || c == '_') {
            at += c.len_utf8();
            continue;
        }
        let mut word = code[at..end].to_owned();
        at = end;
        if !c.is_ascii_digit()
            || code[..at - word.len()].ends_with('.') && !code[..at - word.len()].ends_with("..")
        {
            continue; // A name, or a field of a tuple.
        }
        if code[at..].starts_with('.') && code[at + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            let end = code[at + 1..].find(|c: char| !(c.is_alphanumeric() || c == '_'));
            let end = end.map_or(code.len(), |end| at + 1 + end);
            word += &code[at..end];
            at = end;
        }
        if word.ends_with('e') && code[at..].starts_with('-') {
            let end = code[at + 1..]
                .find(|c: char| !c.is_ascii_digit())
                .map_or(code.len(), |end| at + 1 + end);
            word += &code[at..end];
            at = end;
        }
        if depth == 0 && !matches!(&*word, "0" | "1" | "2" | "0.0" | "1.0" | "2.0") {
            found.push(word);
        }
    }
    found
}

/// The constants of a file that are numbers or have some, with their values.
fn constants(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for word in ["const ", "static "] {
        for (at, _) in code.match_indices(word) {
            let declared = &code[at + word.len()..];
            let Some((name, declared)) = declared.split_once(": ") else {
                continue;
            };
            if !name
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            {
                continue;
            }
            let Some((kind, declared)) = declared.split_once(" = ") else {
                continue;
            };
            // What is calculated there is no number that anybody wrote, and `const N: usize` may
            // stand for any.
            if kind.contains("->") || declared.starts_with('{') {
                continue;
            }
            let mut depth = 0;
            let end = declared.find(|c: char| {
                depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
                depth == 0 && c == ';'
            });
            let value = &declared[..end.unwrap()];
            let is_number = [
                "u8", "u16", "u32", "u64", "u128", "usize", "i32", "i64", "i128", "f64",
            ]
            .contains(&kind);
            let bare = value.replace(['[', ']'], " ");
            if is_number || !numbers(&bare).is_empty() {
                found.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    found
}

/// The conditions of a file that have a number of 3 or more, or a fraction, beside a comparison;
/// and what takes at most or at least such a number. With the numbers.
fn conditions(code: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for sign in [" < ", " > ", " <= ", " >= ", " == ", " != "] {
        for (at, _) in code.match_indices(sign) {
            found.push(code[begin(code, at)..end(code, at + sign.len())].trim());
        }
    }
    for call in [".min(", ".max(", ".take(", ".clamp(", ".truncate("] {
        for (at, _) in code.match_indices(call) {
            let argument = at + call.len();
            let close = argument + end_of_arguments(&code[argument..]);
            if !numbers(&code[argument..close]).is_empty() {
                found.push(code[begin(code, at)..=close].trim());
            }
        }
    }
    let with_numbers = found
        .into_iter()
        .map(|condition| (condition.to_owned(), numbers(condition).join(" ")));
    with_numbers
        .filter(|(_, numbers)| !numbers.is_empty())
        .collect()
}

fn end_of_arguments(code: &str) -> usize {
    let mut depth = 0;
    code.find(|c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        depth < 0
    })
    .unwrap()
}

/// Where the left side of a comparison begins.
fn begin(code: &str, at: usize) -> usize {
    let mut depth = 0;
    for (here, c) in code[..at].char_indices().rev() {
        let before = &code[..here + c.len_utf8()];
        match c {
            ')' | ']' => depth += 1,
            '(' | '[' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            '(' | '[' | '{' | '}' | ';' | ',' | '|' | '!' => return here + 1,
            ' ' if [
                "if", "while", "return", "else", "match", "in", "&&", "=", "=>", "+=",
            ]
            .iter()
            .any(|word| code[..here].ends_with(&format!(" {word}"))) =>
            {
                return here + 1;
            }
            _ if before.ends_with("&& ") => return here + 1,
            _ => {}
        }
    }
    0
}

/// Where the right side ends.
fn end(code: &str, at: usize) -> usize {
    let mut depth = 0;
    for (here, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            ')' | ']' | '{' | '}' | ';' | ',' | '|' | '?' => return at + here,
            _ if code[at + here..].starts_with(" &&") || code[at + here..].starts_with(" =>") => {
                return at + here;
            }
            _ => {}
        }
    }
    code.len()
}

/// All numbers of the sources: file, name and value.
fn found() -> BTreeSet<(String, String, String)> {
    let mut all = BTreeSet::new();
    for (file, text) in files_of("src", "rs") {
        if file.ends_with("_tests.rs") {
            continue;
        }
        let code = code(&text);
        for (name, value) in constants(&code).into_iter().chain(conditions(&code)) {
            all.insert((file.trim_start_matches("src/").to_owned(), name, value));
        }
    }
    all
}

#[test]
fn numbers_are_found() {
    let text = "const A: u64 = 16 << 20; // const B: u8 = 3;\nconst C: [u8; 2] = [1, 7];\nconst D: &str = \"const E: u8 = 9;\";\n\
                fn f(n: usize) -> bool {\n    if n > 10 && x[7]\n        >= 2 || 100 * n < 99 * m.min(80) {}\n    \
                let c = '\"' == 'x';\n    n <= 0.5 && a == b.0\n}\n#[cfg(test)]\nmod tests { const F: u8 = 9; }";
    let code = code(text);
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    assert_eq!(
        constants(&code),
        pairs(&[("A", "16 << 20"), ("C", "[1, 7]")])
    );
    let want = [
        ("100 * n < 99 * m.min(80)", "100 99 80"),
        ("n > 10", "10"),
        ("n <= 0.5", "0.5"),
        ("100 * n < 99 * m.min(80)", "100 99 80"),
    ];
    assert_eq!(conditions(&code), pairs(&want));
}

#[test]
fn every_number_is_listed_as_it_is() {
    let found = found();
    assert!(found.len() > 300, "only {} numbers", found.len());
    let key = |l: &Listed| (l.file.clone(), l.name.clone(), l.value.clone());
    // Numbers of libraries and types stand in no source of ours.
    let all: Vec<_> = list()
        .iter()
        .filter(|line| line.file != "-")
        .map(key)
        .collect();
    let listed: BTreeSet<_> = all.iter().cloned().collect();
    assert_eq!(listed.len(), all.len(), "a number is listed twice");
    let lines = |set: Vec<&(String, String, String)>| -> String {
        set.iter()
            .map(|(file, name, value)| format!("{file}\t{name}\t{value}\n"))
            .collect()
    };
    let (gone, new) = (
        lines(listed.difference(&found).collect()),
        lines(found.difference(&listed).collect()),
    );
    assert!(
        gone.is_empty() && new.is_empty(),
        "tests/constants.tsv has to follow the sources.\nListed, and not there:\n{gone}There, and not listed:\n{new}"
    );
}

/// All tests, as `file::test`; a file `mod.rs` has the name of its folder.
fn tests() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (file, text) in files_of("tests", "rs")
        .into_iter()
        .chain(files_of("src", "rs"))
    {
        let file = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let file = file.rsplit('/').next().unwrap();
        for test in text.split("#[test]\n").skip(1) {
            let name = test
                .split_once("fn ")
                .and_then(|(_, rest)| rest.split_once('('))
                .unwrap()
                .0;
            all.insert(format!("{file}::{name}"));
        }
    }
    all
}

#[test]
fn every_number_has_its_tests_or_a_reason() {
    let tests = tests();
    let mut wrong = Vec::new();
    for line in list() {
        let Listed {
            file,
            name,
            meaning,
            below,
            above,
            internal,
            ..
        } = line;
        let is_whole = match internal.as_str() {
            "" => !meaning.is_empty() && !below.is_empty() && !above.is_empty(),
            _ => below.is_empty() && above.is_empty(),
        };
        let named = [below.as_str(), &above]
            .into_iter()
            .filter(|test| !test.is_empty());
        let missing: Vec<&str> = named.filter(|test| !tests.contains(*test)).collect();
        if !is_whole || !missing.is_empty() {
            wrong.push(format!("{file}: {name}: {}", missing.join(", ")));
        }
    }
    assert!(
        wrong.is_empty(),
        "neither two tests nor a reason, or tests that are not there:\n{}",
        wrong.join("\n")
    );
}

/// The rows of the tables of `docs/limits.md` that name a limit, with its numbers.
fn documented() -> BTreeMap<String, Vec<String>> {
    let text = fs::read_to_string(root().join("docs/limits.md")).unwrap();
    let mut rows = BTreeMap::new();
    let mut is_limits = false;
    for line in text.lines() {
        is_limits = if line.starts_with("| | limit |") {
            true
        } else {
            is_limits && line.starts_with('|')
        };
        let cells: Vec<&str> = line
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ']))
            .collect();
        if let [what, limit, _] = cells[..]
            && is_limits
            && !what.is_empty()
        {
            // `2^63 - 1` is one number, `16 MiB` another.
            let words: Vec<&str> = limit
                .split([' ', ';', '(', ')', '`'])
                .map(|word| word.trim_matches([',', ':', '%']))
                .collect();
            let number = |word: &&str| {
                let digits = word.trim_start_matches(['±', '-']);
                digits.starts_with(|c: char| c.is_ascii_digit())
                    && !matches!(digits, "0" | "1" | "2")
            };
            rows.insert(
                what.to_owned(),
                words
                    .iter()
                    .filter(|w| number(w))
                    .map(|w| (*w).to_owned())
                    .collect(),
            );
        }
    }
    assert!(rows.len() > 35, "only {} rows", rows.len());
    rows
}

#[test]
fn every_documented_limit_is_a_listed_number() {
    // `the row: number, number; the row: number`
    let mut claimed: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in list() {
        for claim in line.docs.split("; ").filter(|claim| !claim.is_empty()) {
            let (row, numbers) = claim
                .rsplit_once(": ")
                .unwrap_or_else(|| panic!("no number: {claim}"));
            claimed
                .entry(row.to_owned())
                .or_default()
                .extend(numbers.split(", ").map(str::to_owned));
        }
    }
    let documented = documented();
    let mut wrong = Vec::new();
    for (row, numbers) in &documented {
        let numbers: BTreeSet<String> = numbers.iter().cloned().collect();
        let claimed = claimed.remove(row).unwrap_or_default();
        if numbers != claimed {
            wrong.push(format!(
                "{row}: docs/limits.md has {numbers:?}, tests/constants.tsv {claimed:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty() && claimed.is_empty(),
        "{}\nnot in docs/limits.md: {claimed:?}",
        wrong.join("\n")
    );
}
